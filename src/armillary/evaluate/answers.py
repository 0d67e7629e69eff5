"""Questions that are answered by more than their row of the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from armillary.errors import EnergyWarning, warn_caller
from armillary.evaluate.axes import along_axes, element_forces_in, reactions_in
from armillary.evaluate.compiled_function import WORDS, Answers, compiled
from armillary.evaluate.differentiable import Differentiable
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import Array, BoundQuestion
from armillary.evaluate.load_friction import LoadedForward, LoadFriction, loaded_inverse
from armillary.evaluate.named_states import State
from armillary.evaluate.results import OperationalInertia
from armillary.model.model import Model


def answers(model: Model) -> Answers:
    """To those questions about the tree of a model."""
    dynamics: Answers = dict.fromkeys(
        ("inverse_dynamics", "forward_dynamics"), partial(compiled, hanging=Differentiable)
    )
    if model.load_dependent_joints:
        dynamics = {
            "inverse_dynamics": lambda evaluator, _: loaded_inverse(load_friction_of(evaluator)),
            "forward_dynamics": lambda evaluator, _: LoadedForward(load_friction_of(evaluator)),
        }
    return {
        **dynamics,
        "energy": _energy,
        "operational_inertia": _operational_inertia,
        "reactions": partial(along_axes, change=reactions_in),
        "element_forces": partial(along_axes, change=element_forces_in),
    }


def load_friction_of(evaluator: Evaluator) -> LoadFriction:
    """The load-dependent friction of a tree, made once."""
    return evaluator.memo.once("load friction", lambda: LoadFriction(evaluator))


def energy_lacks(model: Model) -> str:
    """What `energy` does not know, in words; empty where it knows everything."""
    names = ", ".join(f"'{name}'" for name in model.hidden_energy)
    return names and (
        f"energy: the law of {names} holds a force at rest and names no potential; what it "
        f"stores is not counted. Use Passive(law=Law(force, potential)), or `potential=` of "
        f"Builder.force."
    )


def _energy(evaluator: Evaluator, name: str) -> BoundQuestion:
    known, lacks = compiled(evaluator, name), energy_lacks(evaluator.model)
    if not lacks:
        return known

    def energy(*given: object, **named: object) -> tuple[Array, Array]:
        warn_caller(lacks, EnergyWarning)
        kinetic, potential = known(*given, **named)
        return kinetic, potential

    return _like(energy, known)


def _operational_inertia(evaluator: Evaluator, name: str) -> BoundQuestion:
    found, jacobian = compiled(evaluator, name), compiled(evaluator, "jacobian")

    def operational_inertia(
        q: State, frame: str, coordinates: str = "local", **bodies: object
    ) -> OperationalInertia:
        if not isinstance(q, np.ndarray):
            (q,) = evaluator.complete({"q": q}).values()
        W = found(q, frame, coordinates, **bodies)
        there = np.array(q)

        def rank() -> Array:
            """Found when it is asked for."""
            offsets = {n: x for n, x in bodies.items() if n == "offsets"}
            return _ranks(jacobian(there, frame, coordinates, **offsets))

        return OperationalInertia(W, rank)

    return _like(operational_inertia, found)


def _like(function: Callable[..., object], other: object) -> BoundQuestion:
    """A function with the words and the report of another."""
    for name in (*WORDS, "question"):
        setattr(function, name, getattr(other, name))
    return function


def _ranks(J: Array) -> Array:
    """Rank of each matrix; 0 where it is not finite."""
    finite = np.isfinite(J).all(axis=(-2, -1), keepdims=True)
    values = np.linalg.svd(np.where(finite, J, 0.0), compute_uv=False)
    largest = values.max(axis=-1, initial=0.0, keepdims=True)
    return np.asarray(np.sum(values > 1e-9 * largest, axis=-1))
