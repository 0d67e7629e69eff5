"""Functions of the user over arrays, f(t, q, v) -> tau, asked with arrays of graph nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from armillary.evaluate.compile_function import NotNative, function_graph
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.control.block import Block, Scalars
from armillary.sim.control.feed_forward import Function

_TRIALS = 4  # states at which the graph is compared with the function
_CLOSE = 1e-9


def arrays_of_nodes(*lists: Sequence[Scalar]) -> list[Array]:
    """As functions of the user get them; the numbers may be nodes of a graph."""
    found = []
    for numbers in lists:
        array = np.empty(len(numbers), object)
        array[:] = numbers
        found.append(cast("Array", array))
    return found


class TracedFunction(Block):
    """u + f(t, q, v), asked once: f must do the same for all states, without `if`, memory or
    chance.  Compared with f at a few states; NotNative where it differs."""

    def __init__(self, mechanism: Mechanism, given: Function):
        self.function, self.period = given.function, given.period
        self._compare(mechanism, given)

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        found = self.function(t, *arrays_of_nodes(q, v))
        given = list(np.broadcast_to(np.asarray(found, object), (len(u),)))
        return [x + y for x, y in zip(u, given, strict=True)]

    def _compare(self, mechanism: Mechanism, given: Function) -> None:
        nq, nv = mechanism.nq, mechanism.nv

        def function(q: Scalars, v: Scalars, time: Scalars) -> tuple[list[Scalar]]:
            return (self.force(time[0], q, v, [], [0.0] * nv),)

        graph = function_graph(function, {"q": nq, "v": nv, "time": 1}, {"tau": nv})
        for k in range(_TRIALS):
            q, v, _ = mechanism.random_state(seed=k)
            found = np.array(graph.values({"q": q.tolist(), "v": v.tolist(), "time": [0.7 * k]}))
            right = given.given(0.7 * k, q, v)
            size = max(1.0, float(np.abs(right).max(initial=0.0)))
            if not np.abs(found - right).max(initial=0.0) <= _CLOSE * size:
                raise NotNative("it does not give the same forces for the same state")


def over_nodes(mechanism: Mechanism, controllers: Sequence[object]) -> list[object]:
    """Controllers with their functions over arrays asked with nodes."""
    found: list[object] = []
    for block in controllers:
        if callable(block) and not isinstance(block, Block) and not hasattr(block, "force"):
            block = Function(block)
        found.append(TracedFunction(mechanism, block) if isinstance(block, Function) else block)
    return found
