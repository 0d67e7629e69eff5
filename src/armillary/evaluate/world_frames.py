"""Answers about frames that stand on the world, which no joint moves."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import Array, common_rows
from armillary.spatial import Motion, Transform


def of_world_frame(
    evaluator: Evaluator,
    function: str,
    frame: str,
    chosen: Mapping[str, str],
    inputs: Mapping[str, ArrayLike],
) -> dict[str, Array]:
    """Results of the function's algorithm by name, as `Evaluator.run` gives them."""
    parts = evaluator.checked(inputs)
    count, single = common_rows(parts)
    finite = np.ones(count, bool)
    for x, _ in parts.values():
        finite &= np.isfinite(x).all(axis=1)
    found = {}
    for name, x in constants(evaluator, function, frame, chosen).items():
        tiled = np.where(finite.reshape(-1, *[1] * x.ndim), x, np.nan)
        found[name] = tiled[0] if single else tiled
    return found


def constants(
    evaluator: Evaluator, function: str, frame: str, chosen: Mapping[str, str]
) -> dict[str, Array]:
    X, nv = evaluator.place(frame).X, evaluator.model.nv
    if function == "pose":
        return {"pose": _numbers(Transform(X.E.T, X.r))}
    if function in ("jacobian", "jacobian_dot"):
        return {"J": np.zeros((6, nv)), "dJ": np.zeros((6, nv))}
    if function == "operational_inertia":
        return {"W": np.zeros(21)}
    velocity, acceleration = _motion(evaluator, X, chosen["coordinates"])
    if chosen.get("kind") == "classical":
        acceleration = acceleration.classical(velocity)
    return {"velocity": _numbers(velocity), "acceleration": _numbers(acceleration)}


class ConstantKernel:
    """A kernel that gives the same numbers for all states."""

    def __init__(self, input_sizes: list[int], outputs: Mapping[str, Array]):
        from armillary.runtime.callable_type import machinery

        self.address = machinery().library.addresses["constant"]
        self.input_sizes = input_sizes
        self.output_shapes = {name: x.shape for name, x in outputs.items()}
        self._numbers = np.concatenate([np.ravel(x) for x in outputs.values()])

    def context(self, rows: int, globals_: Array) -> tuple[np.ndarray, np.ndarray]:
        """See `Kernel.context`."""
        from armillary.codegen.abi import Context

        c = np.zeros(Context.SIZE, np.int64)
        c[Context.CONSTS], c[Context.OUTPUT_COUNT] = (
            self._numbers.ctypes.data,
            len(self.output_shapes),
        )
        for i, shape in enumerate(self.output_shapes.values()):
            c[Context.OUTPUT_SIZES + i] = prod(shape)
        return c, self._numbers


def _motion(evaluator: Evaluator, X: Transform, coordinates: str) -> tuple[Motion, Motion]:
    """Velocity and spatial acceleration of a frame fixed in the (perhaps moving) world."""
    base = evaluator.base()
    if coordinates == "world":
        X = Transform.identity()
    elif coordinates == "world_aligned":
        X = Transform.translation(X.r)
    return X @ base.velocity, X @ base.acceleration


def _numbers(x: Transform | Motion) -> Array:
    return np.array([float(number) for number in x.leaves()])
