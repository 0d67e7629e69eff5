"""`simulate`: a mechanism, what drives it, and time."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from functools import cache, partial

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.drift import DrawnBack
from armillary.constraints.holding import named_values
from armillary.errors import InputError, Message, ModelError
from armillary.evaluate.inputs import Array, Keywords, as_floats
from armillary.evaluate.named_states import State as GivenState
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.control.element_changes import check_changes, element_changes
from armillary.sim.control.element_inputs import split_inputs
from armillary.sim.control.loop_turns import loop_turns
from armillary.sim.loop.alarms import alarms_of, undone
from armillary.sim.loop.arguments import check_types, projection_or_rates, wrenches_of
from armillary.sim.loop.balance import balanced_states
from armillary.sim.loop.contact_friction import contact_events
from armillary.sim.loop.events import Switch, Watched, check_start
from armillary.sim.loop.grid import Grid, check_memory, check_period, check_span
from armillary.sim.loop.halved_step import with_error_estimate
from armillary.sim.loop.loads import check_fed, fed
from armillary.sim.loop.loop import Loop, Progress, Stopped
from armillary.sim.loop.physics import physics_of
from armillary.sim.loop.resuming import events_taken_up, last_state
from armillary.sim.loop.run_recorder import RunRecorder
from armillary.sim.loop.start import Wanted, consistent_start
from armillary.sim.loop.states import State
from armillary.sim.loop.sticking import StickSlip, by_default
from armillary.sim.loop.told_by_parts import limited_by_parts, refuse_checks, signal_columns
from armillary.sim.loop.watching import watched_events
from armillary.sim.methods.choice import stepper
from armillary.sim.methods.integrators import Stepper
from armillary.sim.methods.system import System
from armillary.sim.motion.driven import PrescribedMotions
from armillary.sim.motion.prescribed import Given
from armillary.sim.motion.schedules import External, Inputs
from armillary.sim.motion.user_functions import several
from armillary.sim.record.quantities import listed
from armillary.sim.record.recorder import Recorder
from armillary.sim.record.run import Run

# as `System` takes them: inputs, external, period, parameters, prescribed, voltages, baumgarte
Outside = tuple[
    Inputs, External, float | None, ArrayLike | None, PrescribedMotions, Inputs,
    DrawnBack | None,
]  # fmt: skip
Velocities = GivenState | None


def simulate(
    mechanism: Mechanism,
    q0: GivenState | None = None,
    v0: GivenState | None = None,
    duration: float = 1.0, step: float = 1e-3, method: str = "rk4",
    *,
    controller: object = None, actuators: object = None,
    inputs: Inputs = None, voltages: Inputs = None, beside: bool = False,
    external: External = None, prescribed: Mapping[str, Given] | None = None, events: object = (),
    record: str | Iterable[str] = ("q", "v"), every: int = 1,
    out: str | os.PathLike[str] | None = None, progress: Progress | bool | None = None,
    project: bool | DrawnBack = True, tolerance: float = 1e-8,
    period: float | None = None, parameters: ArrayLike | None = None, stick: bool = True,
    t0: float = 0.0, resume: bool = False, overwrite: bool = False, project_start: bool = False,
    balance: bool = False, geometry_tolerance: float | None = None, estimate_error: bool = False,
) -> Run:  # fmt: skip
    """The motion from (q0, v0) over `duration` seconds:

        a = forward_dynamics(q, v, actuators(voltages + controller) + inputs, external)

    q0 (nq) or (B, nq), v0 (nv) or (B, nv): default the initial configuration at rest; a batch
    runs B simulations at once.  By name, {"crank": 0.3}, the others follow; a full v0 that is not
    allowed is refused, or with project_start the nearest is taken.  step: of the method
    (methods/choice.py); with "dopri5" of the record, while the steps follow the tolerance.
    controller: a `Block` or several, or f(t, q, v) -> tau; period: sample and hold of
    controllers without one; balance: states of blocks begin so that nothing accelerates.
    inputs: joint forces, {joint: constant, Schedule or f(t)} or all nv of them; of a joint with an
    actuator only with beside=True; or of elements: force of a spring, (n; f) of a fixed wrench.
    voltages: {joint: likewise}, V, feed the motors (default: those of the model).  external:
    {frame: likewise}, or f(t, q, v) -> {frame: wrench}.  prescribed: motion of joints and of
    wheels' ground over time, {name: place, Schedule, f(t) -> x or (x, x', x''), or a trajectory}.
    record: names (see `quantities`), at every n-th step; out: stream to this file.  project: after
    every step back onto the constraints, position then velocity; or rates (alpha, beta), 1/s
    (Baumgarte), a `CorrectiveForce`, `Penalty` or `StabilizedPenalty` instead.  parameters: other
    inertias, (10 bodies,) or one row per run.  stick: joints with dry friction stick at rest;
    False: they creep.  resume: go on where `out` ends, all but `duration` as it was (physics.py).
    geometry_tolerance: of loops.  estimate_error: of a run with half the step, too.

    The run is kept when it ends early: `run.complete` is False and `run.message` tells why.  An
    exception of a controller carries it as `error.run`.  Functions get copies of the state."""
    given = check_types(locals())
    if estimate_error:
        return with_error_estimate(simulate, given)
    mechanism, q0 = placed(mechanism.with_tolerance(geometry_tolerance), q0)
    check_times(duration, step, tolerance, t0, every)
    moved, names = PrescribedMotions(mechanism, prescribed, step), listed(record)
    project, rates = projection_or_rates(project, method, names, parameters is not None)
    outside = (inputs, external, period, parameters, moved, voltages, rates)
    system = system_of(moved.mechanism, controller, actuators, outside, beside, events)
    stepping = stepper(method, system.view())
    watched, told = watched_in(system, events, moved, (t0, step), stepping if stick else None)
    extras = signal_columns(system, names, t0, step)
    about = {"method": method, "step": step, "handed": int(every), "extras": extras}
    how = _made_with(given) | about | {"out": out, "resume": resume, "overwrite": overwrite}
    with closing(_recorder(system, names, how)) as recorder:
        state = _first(recorder, system, q0, v0, t0, project, project_start, balance, told)
        loop = partial(Loop, project=project, tolerance=tolerance, progress=_progress(progress))
        span = (t0, t0 + duration, step, int(every))
        return _knowing(given, _begun(loop, system, stepping, watched, recorder, state, span))


def _knowing(given: dict[str, object], run: Run) -> Run:
    """The run, with the call that made it."""
    run.given = given
    return run


def _begun(
    loop_of: Callable[..., Loop],
    system: System,
    stepping: Stepper,
    watched: list[Watched],
    recorder: Recorder,
    state: State,
    span: tuple[float, float, float, int],
) -> Run:
    """The run from its first state, unless the file it goes on with is over already."""
    check_covered(system, state.t, span[1])
    for stage in system.chain.sampled:
        check_period(stage.what, float(stage.period or 0.0), state.t, *span[1:3])
    check_start(watched, state.q)
    record = RunRecorder(system, recorder, recorder.names, watched)
    if over := events_taken_up(system, watched, recorder):
        return recorder.finish(over)
    loop = loop_of(system, stepping, watched, record, recorder.event)
    run = _carried_out(loop, recorder, state, span)
    run.timing = loop.performance
    return run


def placed(mechanism: Mechanism, q0: GivenState | None) -> tuple[Mechanism, ArrayLike | None]:
    """A start that is given by name as an array; the driven joints of a run are not driven yet."""
    return mechanism, None if q0 is None else mechanism.evaluator.complete({"q": q0})["q"]


def _made_with(given: dict[str, object]) -> Keywords:
    """What a file must know to go on: a start that is not given is that of the file."""
    if given["out"] is None:
        return {}
    from armillary.sim.loop.experiment_text import stored_text

    unsaid = [name for name in ("q0", "v0") if given[name] is None]
    facts = {"physics": physics_of(given), "experiment": stored_text(given, defaults())}
    return facts | {"unsaid": unsaid}


def defaults() -> Keywords:
    """What arguments of `simulate` are where they are not given."""
    return dict(_defaults())


@cache
def _defaults() -> dict[str, object]:
    known = inspect.signature(simulate).parameters.items()
    return {name: p.default for name, p in known if name != "mechanism"}


def _carried_out(
    loop: Loop, recorder: Recorder, state: State, span: tuple[float, float, float, int]
) -> Run:
    """The run, whatever ends it; span: origin, end, step and every."""
    grid = Grid.of(state.t, *span)
    if recorder.out is None:
        check_memory(grid, recorder.width * (1 if state.q.ndim == 1 else len(state.q)))
    first = state.t
    breaks = [float(b) for part in loop.system.setup.timed for b in part.breaks()]
    try:
        loop.run(state, grid, breaks)
    except Stopped as stop:
        if loop.final is not None:
            loop.record(loop.final)
        return recorder.finish(f"stopped: {stop}", stop.complete)
    except KeyboardInterrupt:
        reached = recorder.state.get("t", first)  # steps beyond it were taken, and are not kept
        return recorder.finish(f"interrupted at t = {reached:.6g} s", False)
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
    if loop.lost:
        shown = ", ".join(map(str, loop.lost[:10]))
        return recorder.finish(f"{len(loop.lost)} runs ended as NaN: {shown}", False)
    if loop.locking.locked:
        return recorder.finish(loop.locking.locked, False)
    if refused := loop.system.modes.refused:
        shown = ", ".join(map(str, refused[:10]))
        facts = f"{len(refused)} of {len(state.q)} runs did not begin: {shown} (see events)"
        return recorder.finish(facts, False)
    left = undone(loop.system, state)
    of = "run {}: {}" if state.q.ndim == 2 else "{1}"
    return recorder.finish("; ".join(of.format(*x) for x in left.items()), not left)


def _recorder(system: System, names: tuple[str, ...], how: Keywords) -> Recorder:
    """The recorder of a run; how: its file, method, steps and signals."""
    refuse_checks(system, names)
    setup = system.setup
    how |= {"others": system.mechanisms.others, "prescribed": setup.prescribed}
    how["extras"] = {**how.get("extras", {}), **wrenches_of(system, names)}
    recorder = Recorder(system.mechanism, names, **how)
    recorder.baumgarte, recorder.parameters = setup.baumgarte, setup.parameters
    return recorder


def system_of(
    mechanism: Mechanism,
    controller: object,
    actuators: object,
    given: Outside,
    beside: bool,
    events: object,
) -> System:
    """given: what acts on it from outside, as `System` takes it.  Springs in loops are counted in
    turns, unless another mechanism may take over."""
    inputs, of_elements = split_inputs(mechanism, given[0])
    voltages = given[5]
    others = [event.to for event in several(events) if isinstance(event, Switch)]
    driving = [*several(fed(mechanism, actuators, voltages))]
    driving += [] if others else loop_turns(mechanism)
    changes = element_changes(mechanism, of_elements, given[3])
    check_changes(changes, others, mechanism)
    system = System(mechanism, controller, driving + changes, inputs, *given[1:])
    parts = [stage.block for stage in system.chain.stages if stage.actuator]
    named = voltages if isinstance(voltages, Mapping) else None
    check_fed(mechanism, parts, inputs, named, beside)
    return system


def watched_in(
    system: System,
    events: object,
    prescribed: PrescribedMotions,
    first: tuple[float, float],
    sticking: Stepper | None,
) -> tuple[list[Watched], list[str]]:
    """Events, those of contacts and of dry friction too, and what the run says of the latter; a
    mechanism that takes over is driven as well.  first: start and length of the first step.
    sticking: the method; None: no joint sticks that is not named."""
    stick, told = list[int](), list[str]()
    if sticking is not None:
        named = [event for event in several(events) if isinstance(event, StickSlip)]
        others = [event.to for event in several(events) if isinstance(event, Switch)]
        stick, told = by_default([system.mechanism, *others], named, sticking)
    of_parts = limited_by_parts(system, events, *first)
    found = [
        replace(e, to=prescribed.on(e.to)) if isinstance(e, Switch) else e
        for e in watched_events(system.mechanism, events, of_parts, stick)
    ]
    return found + contact_events(system, found) + alarms_of(system), told


def _check_drives(system: System, t0: float, batch: int | None) -> None:
    """Motions of as many runs as there are."""
    values = system.setup.prescribed.at(t0) if system.setup.prescribed else np.zeros((3, 0))
    if values.ndim == 3 and values.shape[1] != batch:
        raise InputError(
            f"prescribed: motions of {values.shape[1]} runs, and there are {batch or 1}. Give one "
            f"number, or one row of q0 for each run."
        )


def check_times(duration: float, step: float, tolerance: float, t0: float, every: int) -> None:
    for name, value in (("duration", duration), ("step", step), ("tolerance", tolerance)):
        if not (np.isfinite(value) and value > 0.0):
            raise InputError(f"{name}: expected a number greater than 0, found {value!r}.")
    if not np.isfinite(t0):
        raise InputError(f"t0: expected a finite time, found {t0!r}.")
    check_span(t0, duration, step)
    if every < 1:
        raise InputError(f"every: expected a whole number from 1 on, found {every!r}.")


def _first(
    recorder: Recorder,
    system: System,
    q0: ArrayLike | None,
    v0: Velocities,
    t0: float,
    project: bool,
    nearest: bool,
    balance: bool,
    told: list[str],
) -> State:
    """The state to begin with: the last one of a file that goes on, or the given one.  told: what
    is said of a run that begins."""
    state = _resumed(recorder, system, q0, v0, t0)
    if state is None:
        projected = project or system.setup.baumgarte is not None
        state = start_of(system, q0, v0, t0, projected, nearest, recorder.event)
        for text in told:
            recorder.event(t0, text)
        if balance:
            system.setup.enter(t0, t0)
            state.z = balanced_states(system, t0, state.q, state.v, state.z)
        if system.mechanism.energy_lacks and {"energy", "potential"} & set(recorder.names):
            recorder.event(t0, system.mechanism.energy_lacks)
    return state


def check_covered(system: System, t: float, end: float) -> None:
    """Schedules and motions last from t to the end."""
    for part in system.setup.timed:
        part.covers(t, end, _role(system, part))


def _role(system: System, part: object) -> str:
    """The argument that a schedule was given as."""
    volts = system.setup.voltages.schedules if system.setup.voltages is not None else ()
    own = (("external", system.setup.external.schedules), ("voltages", volts))
    return next((name for name, parts in own if any(part is x for x in parts)), "inputs")


def start_of(
    system: System,
    q0: ArrayLike | None,
    v0: Velocities,
    t0: float,
    project: bool,
    nearest: bool,
    tell: Callable[[float, str], None],
) -> State:
    """The first state, checked; singles and batches brought to one shape."""
    mechanism = system.mechanism
    q = as_floats("q0", mechanism.initial if q0 is None else q0).astype(float)
    v, wanted = _velocities(mechanism, v0, nearest)
    for name, x, n, labels in (
        ("q0", q, mechanism.nq, mechanism.q_labels),
        ("v0", v, mechanism.nv, mechanism.v_labels),
    ):
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
    begin = consistent_start(system.view(), t0, q, np.ascontiguousarray(v), project, wanted)
    for text in begin.notes:
        tell(t0, text)
    for row, text in begin.refused.items():
        tell(t0, f"run {row}: {text}")
        system.modes.ended[row] = t0
    system.modes.refused = tuple(begin.refused)
    return State(t0, begin.q, begin.v, system.start(t0, begin.q, begin.v))


def _velocities(mechanism: Mechanism, v0: Velocities, nearest: bool) -> tuple[Array, Wanted]:
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
    volts = np.zeros(0) if system.setup.voltages is None else system.setup.voltages.constant
    given = (("q0", q), ("v0", v), ("inputs", system.setup.inputs.constant), ("voltages", volts))
    sizes = {name: len(x) for name, x in given if x.ndim == 2}
    if system.setup.parameters is not None and system.setup.parameters.ndim == 2:
        sizes["parameters"] = len(system.setup.parameters)
    for number, schedule in enumerate(system.setup.schedules):
        if schedule.values.ndim == 3:
            sizes[f"schedule {number + 1}"] = schedule.values.shape[1]
    if system.setup.prescribed and system.setup.prescribed.runs:
        sizes["prescribed"] = system.setup.prescribed.runs
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{name}: {size}" for name, size in sizes.items())
        raise InputError(f"batches of different lengths: {found}. Use one length for all.")
    return next(iter(sizes.values()), None)


def _resumed(
    recorder: Recorder, system: System, q0: ArrayLike | None, v0: Velocities, t0: float
) -> State | None:
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
    system.modes.refused = tuple(row for row, ended in system.modes.ended.items() if ended == t0)
    return state


def _for_runs(system: System, runs: int | None) -> None:
    """Functions of time may give one number per run."""
    for given in (system.setup.inputs, system.setup.voltages):
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
