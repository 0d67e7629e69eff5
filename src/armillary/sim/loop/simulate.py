"""`simulate`: a mechanism, what drives it, and time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.holding import named_values
from armillary.errors import InputError, Message, ModelError
from armillary.evaluate.inputs import Array, as_floats
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.arguments import check_types
from armillary.sim.loop.baumgarte import kept_by_projection
from armillary.sim.loop.contact_friction import contact_events
from armillary.sim.loop.events import Switch, check_start, happenings
from armillary.sim.loop.grid import Grid, check_memory, check_span
from armillary.sim.loop.loads import check_fed, fed
from armillary.sim.loop.loop import Engine, Progress, State, Stopped
from armillary.sim.loop.physics import physics_of
from armillary.sim.loop.start import Wanted, consistent_start
from armillary.sim.loop.system import System
from armillary.sim.methods.integrators import Stepper, stepper
from armillary.sim.motion.driven import PrescribedMotions
from armillary.sim.record.native_recorder import Handing
from armillary.sim.record.quantities import listed
from armillary.sim.record.recorder import Recorder
from armillary.sim.record.resuming import events_taken_up, last_state, signal_columns
from armillary.sim.record.run import Run


def simulate(
    mechanism: Mechanism,
    q0: ArrayLike | None = None,
    v0: ArrayLike | Mapping[str, ArrayLike] | None = None,
    duration: float = 1.0,
    step: float = 1e-3,
    method: str = "rk4",
    *,
    controller: Any = None, actuators: Any = None,
    inputs: Any = None, voltages: Any = None, beside: bool = False, external: Any = None,
    prescribed: Mapping[str, Any] | None = None,
    events: Any = (),
    record: str | Iterable[str] = ("q", "v"),
    every: int = 1,
    out: str | os.PathLike[str] | None = None, progress: Progress | bool | None = None,
    project: bool | tuple[float, float] = True, tolerance: float = 1e-8,
    period: float | None = None, parameters: ArrayLike | None = None,
    t0: float = 0.0, resume: bool = False, overwrite: bool = False, project_start: bool = False,
    geometry_tolerance: float | None = None,
) -> Run:  # fmt: skip
    """The motion from (q0, v0) over `duration` seconds:

        a = forward_dynamics(q, v, actuators(voltages + controller) + inputs, external)

    q0 (nq) or (B, nq), v0 (nv) or (B, nv): default the initial configuration at rest; a batch
    runs B simulations at once.  v0 = {"crank": 5.0}: the others follow (`project`); a full v0 that
    the constraints do not allow is refused, or with project_start the nearest is taken.  step: of
    the method; with "dopri5" of the record, while the steps follow the tolerance.  method: see
    `integrators`.  controller: a part or several, or f(t, q, v) -> tau; period: sample and hold of
    controllers without one.  inputs: joint forces, {joint: constant, Schedule or f(t)} or all nv of
    them; of a joint with an actuator only with beside=True, for they act beside it.  voltages:
    {joint: constant, Schedule or f(t)}, V, feed the motors (default: those of the model).
    external: {frame: wrench, Schedule or f(t)}, or f(t, q, v) -> {frame: wrench}.  prescribed:
    motion of joints and of wheels' ground over time, {name: place, Schedule, f(t) -> x or
    (x, x', x''), or a trajectory}.  record: names (see `quantities`), at every n-th step; out:
    stream to this file.  project: after every step back onto the constraints, position then
    velocity; or rates (alpha, beta), 1/s, that draw them back by a corrective force (Baumgarte).
    parameters: other inertias, (10 bodies,) or one row per run, as `mechanism.parameters`.  resume:
    go on where `out` ends; everything but `duration` must be as it was (see physics.py).
    geometry_tolerance: accuracy of the loops, see `Mechanism.project`.

    The run is kept when it ends early: `run.complete` is False and `run.message` tells why.  An
    exception of a controller carries it as `error.run`.  Functions get copies of the state."""
    made_with = _made_with(check_types(locals()))
    mechanism = mechanism.with_tolerance(geometry_tolerance)
    _check_times(duration, step, tolerance, t0, every)
    moved = PrescribedMotions(mechanism, prescribed, step)
    outside = (inputs, external, period, parameters, moved, voltages)
    system = _system(moved.mechanism, controller, actuators, outside, beside)
    watched = _watched(system, events, moved)
    names = _recorded(system, record)
    project = kept_by_projection(system, project, method, names)
    stepping = stepper(method, system)
    extras = signal_columns(system, names, t0, step)
    how = {"method": method, "step": step, "handed": int(every), "extras": extras, **made_with}
    with closing(_recorder(system, names, out, resume, overwrite, how)) as recorder:
        state = _first(recorder, system, q0, v0, (t0, t0 + duration), project, project_start)
        options = {"project": project, "tolerance": tolerance, "progress": _progress(progress)}
        span = (t0, t0 + duration, step, int(every))
        return _begun(system, stepping, watched, recorder, state, span, options)


def _begun(
    system: System, stepping: Stepper, watched: list[Any], recorder: Recorder, state: State,
    span: Any, options: dict[str, Any],
) -> Run:  # fmt: skip
    """The run from its first state, unless the file it goes on with is over already."""
    check_start(watched, state.q)
    hand = Handing(system, recorder, recorder.names, watched)
    if over := events_taken_up(system, watched, recorder):
        return recorder.finish(over)
    engine = Engine(system, stepping, watched, hand, recorder.event, **options)
    return _carried_out(engine, recorder, state, span)


def _made_with(given: dict[str, Any]) -> dict[str, Any]:
    """What a file must know to go on: a start that is not given is that of the file."""
    if given["out"] is None:
        return {}
    unsaid = [name for name in ("q0", "v0") if given[name] is None]
    return {"physics": physics_of(given), "unsaid": unsaid}


def _carried_out(engine: Engine, recorder: Recorder, state: State, span: Any) -> Run:
    """The run, whatever ends it; span: origin, end, step and every."""
    grid = Grid.of(state.t, *span)
    if recorder.out is None:
        check_memory(grid, recorder.width * (1 if state.q.ndim == 1 else len(state.q)))
    first = state.t
    breaks = [float(b) for part in engine.system.timed for b in part.breaks()]
    try:
        engine.run(state, grid, breaks)
    except Stopped as stop:
        if engine.final is not None:
            engine.record(engine.final)
        return recorder.finish(f"stopped: {stop}", stop.complete)
    except KeyboardInterrupt:
        return recorder.finish(f"interrupted at t = {state.t:.6g} s", False)
    except ModelError as error:
        if state.t == first:
            raise
        before = f"stopped at t = {state.t:.6g} s: "
        return recorder.finish(Message(error.message, before=before), False)
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
    if refused := engine.system.refused:
        shown = ", ".join(map(str, refused[:10]))
        told = f"{len(refused)} of {len(state.q)} runs did not begin: {shown} (see events)"
        return recorder.finish(told, False)
    return recorder.finish()


def _recorder(
    system: System, names: tuple[str, ...], out: Any, resume: bool, overwrite: bool,
    how: dict[str, Any],
) -> Recorder:  # fmt: skip
    """The recorder of a run; how: method, steps and signals."""
    return Recorder(
        system.mechanism, names, 1, out, others=system.others, resume=resume, overwrite=overwrite,
        prescribed=system.prescribed, **how,
    )  # fmt: skip


def _system(
    mechanism: Mechanism, controller: Any, actuators: Any, given: tuple[Any, ...], beside: bool
) -> System:
    """given: what acts on it from outside, as `System` takes it."""
    inputs, voltages = given[0], given[-1]
    system = System(mechanism, controller, fed(mechanism, actuators, voltages), *given)
    parts = [stage.part for stage in system.stages if stage.actuator]
    check_fed(mechanism, parts, inputs, voltages, beside)
    return system


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


def _watched(system: System, events: Any, prescribed: PrescribedMotions) -> list[Any]:
    """Events, those of contacts too; a mechanism that takes over is driven as well."""
    found = [
        replace(e, to=prescribed.on(e.to)) if isinstance(e, Switch) and e.to is not None else e
        for e in happenings(system.mechanism, events)
    ]
    return found + contact_events(system, found)


def _others(watched: list[Any]) -> list[Mechanism]:
    """Mechanisms that may take over."""
    return [e.to for e in watched if isinstance(e, Switch) and e.to is not None]


def _check_drives(system: System, t0: float, batch: int | None) -> None:
    """Motions of as many runs as there are."""
    values = system.prescribed.at(t0) if system.prescribed else np.zeros((3, 0))
    if values.ndim == 3 and values.shape[1] != batch:
        raise InputError(
            f"prescribed: motions of {values.shape[1]} runs, and there are {batch or 1}. Give one "
            f"number, or one row of q0 for each run."
        )


def _check_times(duration: float, step: float, tolerance: float, t0: float, every: int) -> None:
    for name, value in (("duration", duration), ("step", step), ("tolerance", tolerance)):
        if not (np.isfinite(value) and value > 0.0):
            raise InputError(f"{name}: expected a number greater than 0, found {value!r}.")
    if not np.isfinite(t0):
        raise InputError(f"t0: expected a finite time, found {t0!r}.")
    check_span(t0, duration, step)
    if every < 1:
        raise InputError(f"every: expected a whole number from 1 on, found {every!r}.")


def _first(
    recorder: Recorder, system: System, q0: Any, v0: Any, span: tuple[float, float], project: bool,
    nearest: bool,
) -> State:  # fmt: skip
    """The state to begin with: the last one of a file that goes on, or the given one."""
    recorder.pull = system.pull
    state = _resumed(recorder, system, q0, v0, span[0])
    if state is None:
        projected = project or system.pull is not None
        state = _start(system, q0, v0, span[0], projected, nearest, recorder)
        if system.mechanism.energy_lacks and {"energy", "potential"} & set(recorder.names):
            recorder.event(span[0], system.mechanism.energy_lacks)
    for part in system.timed:
        part.covers(state.t, span[1], _role(system, part))
    return state


def _role(system: System, part: Any) -> str:
    """The argument that a schedule was given as."""
    volts = system.voltages.schedules if system.voltages is not None else ()
    for name, own in (("external", system.external.schedules), ("voltages", volts)):
        if any(part is x for x in own):
            return name
    return "inputs"


def _start(
    system: System, q0: Any, v0: Any, t0: float, project: bool, nearest: bool, recorder: Recorder
) -> State:
    """The first state, checked; singles and batches brought to one shape."""
    mechanism = system.mechanism
    q = as_floats("q0", mechanism.initial if q0 is None else q0).astype(float)
    v, wanted = _velocities(mechanism, v0, nearest)
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
    batch = _batch_of(q, v, system)
    _for_runs(system, batch)
    _check_drives(system, t0, batch)
    if batch is not None:
        q, v = (np.array(np.broadcast_to(x, (batch, x.shape[-1]))) for x in (q, v))
    q = np.ascontiguousarray(mechanism.integrate(q, np.zeros_like(v)))  # unit quaternions
    begin = consistent_start(system, t0, q, np.ascontiguousarray(v), project, wanted)
    for text in begin.notes:
        recorder.event(t0, text)
    for row, text in begin.refused.items():
        recorder.event(t0, f"run {row}: {text}")
        system.ended[row] = t0
    system.refused = tuple(begin.refused)
    return State(t0, begin.q, begin.v, system.start(t0, begin.q, begin.v))


def _velocities(mechanism: Mechanism, v0: Any, nearest: bool) -> tuple[Array, Wanted]:
    """v0 as an array, zero where it is not known yet, and what was asked for."""
    if v0 is None:
        return np.zeros(mechanism.nv), Wanted(given=False)
    if not isinstance(v0, Mapping):
        return as_floats("v0", v0).astype(float), Wanted(nearest=nearest)
    named = named_values(mechanism.constraint_solver.equations, "v0", v0)
    shape = () if named.single else (len(named.values),)
    return np.zeros((*shape, mechanism.nv)), Wanted(named)


def _batch_of(q: Array, v: Array, system: System) -> int | None:
    """Number of runs; constants of the inputs may ask for several."""
    volts = np.zeros(0) if system.voltages is None else system.voltages.constant
    given = (("q0", q), ("v0", v), ("inputs", system.inputs.constant), ("voltages", volts))
    sizes = {name: len(x) for name, x in given if x.ndim == 2}
    if system.parameters is not None and system.parameters.ndim == 2:
        sizes["parameters"] = len(system.parameters)
    for number, schedule in enumerate(system.schedules):
        if schedule.values.ndim == 3:
            sizes[f"schedule {number + 1}"] = schedule.values.shape[1]
    if system.prescribed and system.prescribed.runs:
        sizes["prescribed"] = system.prescribed.runs
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise InputError(f"batches of different lengths: {found}. Use one length for all.")
    return next(iter(sizes.values()), None)


def _resumed(recorder: Recorder, system: System, q0: Any, v0: Any, t0: float) -> State | None:
    """The last state of a recording that goes on, of as many runs as this call is about."""
    state = last_state(recorder, system, t0)
    if state is None:
        return None
    q = as_floats("q0", () if q0 is None else q0)
    v = _velocities(system.mechanism, v0, False)[0]
    wanted = _batch_of(q, v, system)
    runs = len(state.q) if state.q.ndim == 2 else None
    if wanted != runs and (wanted is not None or q0 is not None):
        raise recorder.another(f"number of runs: expected {runs or 1}, found {wanted or 1}")
    _for_runs(system, runs)
    system.refused = tuple(row for row, ended in system.ended.items() if ended == t0)
    return state


def _for_runs(system: System, runs: int | None) -> None:
    """Functions of time may give one number per run."""
    for given in (system.inputs, system.voltages):
        if given is not None:
            given.runs = runs


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
