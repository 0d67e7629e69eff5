"""`simulate`: a mechanism, its drives, and time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError, ModelError
from armillary.functions.inputs import Array, as_floats
from armillary.functions.mechanism import Mechanism
from armillary.sim.driven import Drives
from armillary.sim.engine import Engine, Progress, State, Stopped
from armillary.sim.events import Switch, check_start, happenings
from armillary.sim.handing import Handing
from armillary.sim.integrators import stepper
from armillary.sim.pulling import kept_by_projection
from armillary.sim.quantities import listed
from armillary.sim.recording import Recorder
from armillary.sim.resuming import events_taken_up, last_state, legs, signal_columns
from armillary.sim.run import Run
from armillary.sim.starting import consistent_start
from armillary.sim.system import System


def simulate(
    mechanism: Mechanism,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    duration: float = 1.0,
    step: float = 1e-3,
    method: str = "rk4",
    *,
    controller: Any = None, actuators: Any = None,
    inputs: Any = None, external: Any = None,
    drives: Mapping[str, Any] | None = None,
    events: Any = (),
    record: str | Iterable[str] = ("q", "v"),
    every: int = 1,
    out: str | os.PathLike[str] | None = None, progress: Progress | bool | None = None,
    project: bool | tuple[float, float] = True, tolerance: float = 1e-8,
    period: float | None = None, parameters: ArrayLike | None = None,
    t0: float = 0.0, resume: bool = False, overwrite: bool = False,
    geometry_tolerance: float | None = None) -> Run:  # fmt: skip
    """The motion from (q0, v0) over `duration` seconds:

        a = forward_dynamics(q, v, actuators(controller(t, q, v)) + inputs(t), external(t))

    q0 (nq) or (B, nq), v0 (nv) or (B, nv): default the initial configuration at rest; a batch
    runs B simulations at once.  step: of the method; with "dopri5" of the record, while the steps
    follow the tolerance.  method: see `integrators`.  controller: a part or several, or a function
    f(t, q, v) -> tau; period: sample and hold of controllers that have no period of their own.
    inputs: joint forces, {joint: constant, Schedule or f(t)} or all nv of them.  external:
    {frame: wrench, Schedule or f(t)}, or f(t, q, v) -> {frame: wrench}.  drives: prescribed motion
    of joints, drives and wheels' ground, {name: place, Schedule, f(t) -> x or (x, x', x''), or a
    trajectory}.  record: names (see `quantities`), at every n-th step; out: stream to this file.
    project: after every step back onto the constraints, position then velocity; or rates (alpha,
    beta), 1/s, that draw them back by a corrective force (Baumgarte).  parameters: other
    inertias, (10 bodies,) or one row per run.  geometry_tolerance: see `Mechanism.project`.

    The run is kept when it ends early: `run.complete` is False and `run.message` tells why.  An
    exception of a controller carries it as `error.run`."""
    _check_mechanism(mechanism)
    _check_times(duration, step, tolerance, t0, every)
    moved = Drives(mechanism._with_tolerance(geometry_tolerance), drives, step)
    mechanism = moved.mechanism
    system = System(mechanism, controller, actuators, inputs, external, period, parameters, moved)
    watched = _watched(mechanism, events, moved)
    names = _recorded(system, record)
    project = kept_by_projection(system, project, method, names)
    others = [e.to for e in watched if isinstance(e, Switch) and e.to is not None]
    stepping = stepper(method, system)
    recorder = Recorder(mechanism, names, 1, out, method=method, step=step, others=others,
                        extras=signal_columns(system, names, t0, step), handed=every,
                        resume=resume, overwrite=overwrite, drives=moved)  # fmt: skip
    with closing(recorder):
        state = _first(recorder, system, q0, v0, (t0, t0 + duration), project)
        check_start(watched, state.q)
        if over := events_taken_up(system, watched, recorder):
            return recorder.finish(over)
        engine = Engine(
            system, stepping, watched, Handing(system, recorder, names, watched), recorder.event,
            project=project, tolerance=tolerance, progress=_progress(progress),
        )  # fmt: skip
        return _carried_out(engine, recorder, state, legs(state.t, t0, t0 + duration, step, every))


def _carried_out(
    engine: Engine, recorder: Recorder, state: State, plan: list[tuple[float, float, int]]
) -> Run:
    """The run, whatever ends it."""
    first = state.t
    breaks = [float(b) for part in engine.system.timed for b in part.breaks()]
    try:
        for leg in plan:
            engine.run(state, *leg, breaks)
            recorder.passed(state.t)
    except Stopped as stop:
        if engine.final is not None:
            engine.record(engine.final)
        return recorder.finish(f"stopped: {stop}", stop.complete)
    except KeyboardInterrupt:
        return recorder.finish(f"interrupted at t = {state.t:.6g} s", False)
    except ModelError as error:
        if state.t == first:
            raise
        return recorder.finish(f"stopped at t = {state.t:.6g} s: {error}", False)
    except Exception as error:
        error.add_note(f"in the simulation, after t = {state.t:.6g} s")
        error.run = recorder.finish(  # type: ignore[attr-defined]
            f"{type(error).__name__} after t = {state.t:.6g} s: {error}", False
        )
        raise
    if engine.lost:
        shown = ", ".join(map(str, engine.lost[:10]))
        return recorder.finish(f"{len(engine.lost)} runs ended as no numbers: {shown}", False)
    if engine.locking.locked:
        return recorder.finish(engine.locking.locked, False)
    return recorder.finish()


def _check_mechanism(mechanism: Any) -> None:
    if not isinstance(mechanism, Mechanism):
        raise InputError(
            f"simulate: expected a Mechanism (armillary.load(...), armillary.example(...)), found "
            f"{type(mechanism).__name__}."
        )


def _recorded(system: System, record: str | Iterable[str]) -> tuple[str, ...]:
    """Names to record; energies and forces would be those of the model's own bodies."""
    names = listed(record)
    free = {"q", "v", "a", "tau", "drift", "body_velocity"}
    if system.parameters is not None and not set(names) <= free:
        other = sorted(set(names) - free)
        raise InputError(
            f"record: {other} would be computed with the model's own inertias; with `parameters` "
            f"record only {', '.join(sorted(free))}."
        )
    return names


def _watched(mechanism: Mechanism, events: Any, drives: Drives) -> list[Any]:
    """Events; a mechanism that takes over is driven as well."""
    found = happenings(mechanism, events)
    if not drives:
        return found
    return [
        replace(e, to=drives.on(e.to)) if isinstance(e, Switch) and e.to is not None else e
        for e in found
    ]


def _check_drives(system: System, t0: float, batch: int | None) -> None:
    """Motions of as many runs as there are."""
    values = system.drives.at(t0) if system.drives else np.zeros((3, 0))
    if values.ndim == 3 and values.shape[1] != batch:
        raise InputError(
            f"drives: motions of {values.shape[1]} runs, and there are {batch or 1}. Give one "
            f"number, or one row of q0 for each run."
        )


def _check_times(duration: float, step: float, tolerance: float, t0: float, every: int) -> None:
    for name, value in (("duration", duration), ("step", step), ("tolerance", tolerance)):
        if not (np.isfinite(value) and value > 0.0):
            raise InputError(f"{name}: expected a number greater than 0, found {value!r}.")
    if not np.isfinite(t0):
        raise InputError(f"t0: expected a finite time, found {t0!r}.")
    if isinstance(every, bool) or int(every) != every or every < 1:
        raise InputError(f"every: expected a whole number from 1 on, found {every!r}.")


def _first(
    recorder: Recorder, system: System, q0: Any, v0: Any, span: tuple[float, float], project: bool
) -> State:
    """The state to begin with: the last one of a file that goes on, or the given one."""
    recorder.pull = system.pull
    state = _resumed(recorder, system, q0, v0, span[0])
    if state is None:
        state = _start(system, q0, v0, span[0], project or system.pull is not None, recorder)
    for part in system.timed:
        wrench = any(part is own for own in system.external.schedules)
        part.covers(state.t, span[1], "external" if wrench else "inputs")
    return state


def _start(system: System, q0: Any, v0: Any, t0: float, project: bool, recorder: Recorder) -> State:
    """The first state, checked; singles and batches brought to one shape."""
    mechanism = system.mechanism
    q = as_floats("q0", mechanism.initial if q0 is None else q0).astype(float)
    v = as_floats("v0", np.zeros(mechanism.nv) if v0 is None else v0).astype(float)
    for name, x, n, labels in (("q0", q, mechanism.nq, mechanism.q_labels),
                               ("v0", v, mechanism.nv, mechanism.v_labels)):  # fmt: skip
        if x.ndim not in (1, 2) or x.shape[-1] != n:
            raise InputError(
                f"{name}: expected {n} numbers ({', '.join(labels[:4])}...) or (B, {n}), found "
                f"shape {x.shape}."
            )
        if not np.isfinite(x).all():
            k = int(np.argwhere(~np.isfinite(x))[0][-1])
            raise InputError(f"{name}: '{labels[k]}' is not a finite number.")
    batch = system.inputs.runs = _batch_of(q, v, system)
    _check_drives(system, t0, batch)
    if batch is not None:
        q, v = (np.array(np.broadcast_to(x, (batch, x.shape[-1]))) for x in (q, v))
    q = np.ascontiguousarray(mechanism.integrate(q, np.zeros_like(v)))  # unit quaternions
    q, v, notes = consistent_start(system, t0, q, np.ascontiguousarray(v), project)
    for text in notes:
        recorder.event(t0, text)
    return State(t0, q, v, system.start(q, v))


def _batch_of(q: Array, v: Array, system: System) -> int | None:
    """Number of runs; constants of the inputs may ask for several."""
    sizes = {name: len(x) for name, x in (("q0", q), ("v0", v), ("inputs", system.inputs.constant))
             if x.ndim == 2}  # fmt: skip
    if system.parameters is not None and system.parameters.ndim == 2:
        sizes["parameters"] = len(system.parameters)
    for number, schedule in enumerate(system.schedules):
        if schedule.values.ndim == 3:
            sizes[f"schedule {number + 1}"] = schedule.values.shape[1]
    if system.drives and system.drives.runs:
        sizes["drives"] = system.drives.runs
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise InputError(f"batches of different lengths: {found}. Use one length for all.")
    return next(iter(sizes.values()), None)


def _resumed(recorder: Recorder, system: System, q0: Any, v0: Any, t0: float) -> State | None:
    """The last state of a recording that goes on, of as many runs as this call is about."""
    state = last_state(recorder, system, t0)
    if state is None:
        return None
    q, v = (as_floats(name, () if x is None else x) for name, x in (("q0", q0), ("v0", v0)))
    wanted = _batch_of(q, v, system)
    runs = len(state.q) if state.q.ndim == 2 else None
    if wanted != runs and (wanted is not None or q0 is not None):
        raise recorder.another(f"number of runs: expected {runs or 1}, found {wanted or 1}")
    system.inputs.runs = runs
    return state


def _progress(given: Progress | bool | None) -> Progress | None:
    if given is True:
        return _text_progress
    return given if callable(given) else None


def _text_progress(t: float, end: float) -> None:
    """A line of text that is written over and over."""
    last = "\n" if t >= end else ""
    share = f" ({100.0 * t / end:3.0f} %)" if end > 0.0 else ""
    sys.stderr.write(f"\r{t:12.4g} s of {end:g} s{share}{last}")
    sys.stderr.flush()
