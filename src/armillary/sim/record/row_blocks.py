"""A block of a recording: the named quantities of instants that wait in buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.drift import DrawnBack
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.motion.driven import PrescribedMotions
from armillary.sim.record import quantities
from armillary.sim.record.layout import Layout, Rows
from armillary.sim.record.quantities import Array
from armillary.sim.record.recorded_states import States

Pull = DrawnBack | None
ELEMENTS = "element_forces"
UNDEFINED = "undefined"  # kind of remark


def block(
    rows: Mapping[str, Array],
    layout: Layout,
    names: Sequence[str],
    mechanisms: Sequence[Mechanism],
    prescribed: PrescribedMotions | None,
    baumgarte: Pull,
    parameters: Array | None = None,
) -> tuple[Rows, list[tuple[str, float, str]]]:
    """The quantities, and remarks (kind, time, text): "closure", where forces of closures are among
    them, when one is nearly singular; "check", when formulations contradict each other;
    "undefined", when an element has no force.

    rows: what the loop handed over, (T, ...) each.  mechanisms: the one in force, and those
    that runs of a batch may have switched to (see "active" in resuming.py).  parameters (n) or
    (runs, n): other numbers of bodies and elements of the first mechanism."""
    count = len(rows["time"])
    runs = 1 if layout.batch is None else layout.batch
    times = np.repeat(rows["time"], runs)
    groups = states_in(rows, runs, mechanisms, prescribed, baumgarte, parameters)
    result = {"time": rows["time"].copy()}
    for name in names:
        shape = (count, *layout.shape(name))
        if name in rows:
            result[name] = rows[name].reshape(shape).copy()
            continue
        values = np.full((count * runs, *shape[1 + (layout.batch is not None) :]), np.nan)
        for own, states in groups:
            values[own] = quantities.compute(name, states, layout.labels[name])
        result[name] = values.reshape(shape)
    remarks = [
        (key, float(times[own][k]), text)
        for own, states in groups
        for key, found in (("closure", states.worst_closure()), ("check", states.remarks))
        for k, text in found
    ]
    for own, states in groups:
        for key, k, text in states.pulls():
            place = int(np.flatnonzero(own)[k])
            run = "" if layout.batch is None else f"run {place % runs}: "
            remarks.append((key, float(times[place]), run + text))
    if len(mechanisms) == 1 and groups:  # columns of other mechanisms are no numbers, either
        remarks += _undefined(result, layout, runs, times, groups[0][0])
    return result, remarks


def states_in(
    rows: Mapping[str, Array],
    runs: int,
    mechanisms: Sequence[Mechanism],
    prescribed: PrescribedMotions | None,
    baumgarte: Pull,
    parameters: Array | None = None,
) -> list[tuple[NDArray[np.bool_], States]]:
    """All states that are numbers, by mechanism: which of (instants x runs) they are, and what was
    known there.  Arguments as of `block`."""
    count = len(rows["time"])
    flat = {name: x.reshape(count * runs, -1) for name, x in rows.items() if name != "time"}
    times = np.repeat(rows["time"], runs)
    if parameters is not None:
        numbers = np.broadcast_to(parameters, (count, runs, parameters.shape[-1]))
        flat["parameters"] = numbers.reshape(count * runs, -1)
    return [
        (own, replace(_states(flat, own, mechanism, prescribed, baumgarte), time=times[own]))
        for own, mechanism in _groups(flat, mechanisms)
    ]


def _undefined(
    result: Rows, layout: Layout, runs: int, times: Array, known: NDArray[np.bool_]
) -> list[tuple[str, float, str]]:
    """The first force of an element that is no number at a state that is one."""
    forces = result.get(ELEMENTS, np.zeros((len(times), 0))).reshape(len(times), -1)
    lost = np.isnan(forces) & known[:, None]
    if not lost.any():
        return []
    k = int(lost.any(axis=1).argmax())
    name = layout.labels[ELEMENTS][int(lost[k].argmax())].rpartition(".")[0]
    run = "" if layout.batch is None else f"run {k % runs}: "
    text = f"{run}the force of '{name}' is undefined (its ends coincide, or its law has no number)"
    return [(UNDEFINED, float(times[k]), text)]


def _groups(
    flat: Mapping[str, Array], mechanisms: Sequence[Mechanism]
) -> Iterator[tuple[NDArray[np.bool_], Mechanism]]:
    """States that are numbers, by mechanism."""
    finite = np.isfinite(np.concatenate([flat["q"], flat["v"]], axis=1)).all(axis=1)
    active = flat["active"][:, 0] if "active" in flat else np.zeros(len(finite))
    for k, mechanism in enumerate(mechanisms):
        own = np.asarray(finite & (active == k), bool)
        if own.any():
            yield own, mechanism


def _states(
    flat: Mapping[str, Array],
    own: NDArray[np.bool_],
    mechanism: Mechanism,
    prescribed: PrescribedMotions | None,
    baumgarte: Pull,
) -> States:
    """The chosen states of one mechanism."""
    wrenches = {
        name.removeprefix(quantities.EXTERNAL): x[own]
        for name, x in flat.items()
        if name.startswith(quantities.EXTERNAL)
    }
    q, v = flat["q"][own], flat["v"][own]
    tau = flat["tau"][own] if "tau" in flat else np.zeros_like(v)
    tau = tau + flat["restraint"][own] if "restraint" in flat else tau
    a = flat["a"][own] if "a" in flat else None
    moving = prescribed and prescribed.unflat(mechanism, flat["prescribed"][own])
    turned = flat["turned"][own, 0] if "turned" in flat else 0.0
    pushes = flat["turn_wrenches"][own] if "turn_wrenches" in flat else None
    parameters = flat["parameters"][own] if "parameters" in flat else None
    return States(
        mechanism=mechanism,
        q=q,
        v=v,
        tau=tau,
        given_a=a,
        external=wrenches,
        moving=moving or None,
        baumgarte=baumgarte,
        turned=turned,
        turn_wrenches=pushes,
        parameters=parameters,
    )
