"""Prescribed motion of a living page: x(t), x'(t), x''(t) of the constraint rows as a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from armillary.evaluate.compile_function import NotNative, function_graph
from armillary.graph.function import FunctionGraph
from armillary.scalar import Scalar
from armillary.sim.motion.driven import PrescribedMotions
from armillary.sim.motion.prescribed import Answered, Motion, Still
from armillary.viewer.experiment import Experiment, cannot

_TRIALS = (0.0, 0.37, 2.9)  # s, at which the graph is compared with the function
_CLOSE = 1e-9


def motion_graph(experiment: Experiment) -> dict[str, FunctionGraph]:
    """{"motion": (time) -> place, velocity, acceleration of every row}, where there is one.

    Constants, and functions of t over scalars; InputError: others."""
    moved, mechanism = experiment.moved, experiment.mechanism
    if not moved:
        return {}
    count = mechanism.constraint_solver.equations.constraints.count
    rows, origins = moved.rows_of(mechanism)
    laws = [_law(motion) for motion in moved.motions]

    def function(time: Sequence[Scalar]) -> list[list[Scalar]]:
        found = [[y for law in laws for y in law(time[0])[level]] for level in range(3)]
        full: list[list[Scalar]] = [[0.0] * count for _ in range(3)]
        for level, values in enumerate(found):
            for row, origin, x in zip(rows, origins, values, strict=True):
                full[level][row] = x - origin if level == 0 else x
        return full

    sizes = dict.fromkeys(("place", "velocity", "acceleration"), count)
    try:
        graph = function_graph(function, {"time": 1}, sizes)
    except NotNative as reason:
        raise cannot(f"prescribed motion ({reason})", "a function of t over scalars") from reason
    _compare(graph, moved, experiment)
    return {"motion": graph}


def _law(motion: Motion) -> Callable[[Scalar], Sequence[Sequence[Scalar]]]:
    """x, x', x'' (n each) over times of any kind."""
    if isinstance(motion, Still):
        return lambda t: [x.tolist() for x in motion(0.0)]
    if not isinstance(motion, Answered):
        kind = "a table or a trajectory"
        raise cannot(f"{motion.what} by {kind}", "a function of t or a constant")

    def listed(x: Scalar) -> list[Scalar]:
        return list(np.asarray(x, object).reshape(-1))

    def answer(t: Scalar) -> list[list[Scalar]]:
        found = motion.function(t)
        if isinstance(found, tuple) and len(found) == 3:
            return [listed(x) for x in found]
        d = motion.delta
        p, m, pp, mm = (
            np.array(listed(motion.function(t + k * d)), object) for k in (1, -1, 2, -2)
        )
        x = np.array(listed(found), object)
        v = (8.0 * (p - m) - (pp - mm)) / (12.0 * d)
        a = (16.0 * (p + m) - (pp + mm) - 30.0 * x) / (12.0 * d * d)
        return [list(x), list(v), list(a)]

    return answer


def _compare(graph: FunctionGraph, moved: PrescribedMotions, experiment: Experiment) -> None:
    """A function with an `if`, memory or chance is no graph."""
    for t in _TRIALS:
        found = np.array(graph.values({"time": [t]}))
        right = np.concatenate(moved.row_motion(experiment.mechanism, moved.at(t)).parts)
        if not np.abs(found - right).max() <= _CLOSE * max(1.0, np.abs(right).max()):
            raise cannot("prescribed motion that is not the same at the same time", "f(t)")
