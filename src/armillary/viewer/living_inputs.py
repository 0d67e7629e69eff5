"""Joint forces of a living page that change with time, as a graph: functions of t and tables.

A table is read on the piece in which the middle of a step lies, so that no stage of a method looks
across a jump, as in sim/motion/schedules.py.  Its rows must lie at the ends of steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armillary.evaluate.compile_function import NotNative, function_graph
from armillary.graph.function import FunctionGraph
from armillary.scalar import Scalar, where
from armillary.sim.motion.schedules import Forces, Schedule, Signal
from armillary.viewer.experiment import Experiment, cannot

_MOST_ROWS = 500
_TRIALS = (0.0, 0.37, 2.9)  # s, at which the graph is compared with the functions
_CLOSE = 1e-12


def input_graph(experiment: Experiment) -> dict[str, FunctionGraph]:
    """{"input": (time, middle of the step) -> joint forces (nv)}, where some change with time.

    InputError: a function that is none over scalars, a table that ends, is a spline, too long, or
    has rows within steps."""
    mechanism, forces = experiment.mechanism, Forces(experiment.mechanism, experiment.inputs)
    if forces.steady:
        return {}
    places = [(np.arange(mechanism.nv)[columns], signal) for columns, signal in forces.signals]
    for entries, signal in places:
        if isinstance(signal, Schedule):
            _refuse(signal, experiment.step, mechanism.v_labels[int(entries[0])])

    def function(time: Sequence[Scalar], middle: Sequence[Scalar]) -> tuple[list[Scalar]]:
        total: list[Scalar] = [0.0] * mechanism.nv
        for entries, signal in places:
            values = _values(signal, time[0], middle[0])
            for k, x in zip(entries, values * len(entries) if len(values) == 1 else values,
                            strict=True):  # fmt: skip
                total[k] = total[k] + x
        return (total,)

    try:
        graph = function_graph(function, {"time": 1, "middle": 1}, {"tau": mechanism.nv})
    except NotNative as reason:
        raise cannot(f"inputs over time ({reason})", "a function of t over scalars") from reason
    for t in _TRIALS:  # a function with an `if`, memory or chance is no graph
        for schedule in forces.schedules:
            schedule.enter(t, t)
        found, right = graph.values({"time": [t], "middle": [t]}), forces(t) - forces.constant
        if not np.abs(found - right).max() <= _CLOSE * max(1.0, np.abs(right).max()):
            raise cannot("inputs that are not the same at the same time", "f(t)")
    return {"input": graph}


def _values(signal: Signal, t: Scalar, middle: Scalar) -> list[Scalar]:
    if not isinstance(signal, Schedule):
        return list(np.asarray(signal(t), object).reshape(-1))
    times, rows = signal.times.tolist(), signal.values.reshape(len(signal.times), -1).tolist()
    found: list[Scalar] = list(rows[0])
    pieces = zip(times, rows, [*times[1:], None], [*rows[1:], None], strict=True)
    for t0, row, t1, later in pieces:
        if t1 == t0:  # a jump: the row is passed at once
            continue
        here: list[Scalar] = list(row)
        if signal.kind == "linear" and t1 is not None and later is not None:
            slopes = [(b - a) / (t1 - t0) for a, b in zip(row, later, strict=True)]
            here = [a + rate * (t - t0) for a, rate in zip(row, slopes, strict=True)]
        found = [where(middle >= t0, new, old) for new, old in zip(here, found, strict=True)]
    return found


def _refuse(schedule: Schedule, step: float, label: str) -> None:
    what = f"inputs of '{label}' by a table"
    if schedule.kind == "spline":
        raise cannot(f"{what} of the kind 'spline'", "kind='linear' or 'hold'")
    if schedule.values.ndim > 2:
        raise cannot(f"{what} for several runs", "one row of numbers for each instant")
    if not schedule.hold:
        raise cannot(f"{what} that ends at {schedule.times[-1]:g} s", "Schedule(..., hold=True)")
    if len(schedule.times) > _MOST_ROWS:
        raise cannot(f"{what} of {len(schedule.times)} rows", f"{_MOST_ROWS} rows at most")
    parts = schedule.times / step
    between = np.flatnonzero(
        np.abs(parts - np.round(parts)) > 1e-9 * np.maximum(1.0, np.abs(parts))
    )
    if len(between):
        at = schedule.times[between[0]]
        raise cannot(f"{what} with a row at {at:g} s, within a step of {step:g} s",
                     "a step= that ends there")  # fmt: skip
