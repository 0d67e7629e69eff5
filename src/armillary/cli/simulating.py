"""`simulate`: a motion over time, on the screen or into a file."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from armillary import Mechanism
from armillary.cli import closing, models, screen
from armillary.cli.drift import projection
from armillary.cli.options import Inputs, Recording, Source, State, Stepping, Words
from armillary.cli.remedies import spelled
from armillary.cli.runs import as_json, print_run
from armillary.cli.signals import by_name, check_beside, force_table, motions, voltages
from armillary.cli.states import Array, element_labels, forces_of_elements, from_options
from armillary.errors import InputError

if TYPE_CHECKING:
    from armillary.sim.loop.events import JointLimits
    from armillary.sim.loop.experiment import Experiment
    from armillary.sim.motion.prescribed import Given
    from armillary.sim.motion.schedules import Schedule
    from armillary.sim.record.run import Run

    Forces = Array | Schedule | Mapping[str, Array | float | Schedule] | None


@dataclass(frozen=True)
class Simulation:
    """What was typed."""

    source: Source
    stepping: Stepping
    state: State
    inputs: Inputs
    recording: Recording
    tau: Words = None
    assemble: bool = False


def simulate(asked: Simulation) -> bool:
    """Whether the run came to its end; what was computed is kept in any case."""
    out = asked.recording.out
    for name, value in (("for", asked.stepping.duration), ("step", asked.stepping.step)):
        if not (math.isfinite(value) and value > 0.0):
            raise InputError(f"--{name}: expected a number of seconds above 0, found {value}.")
    if asked.recording.resume and out is None:
        raise InputError("--resume: name the file that goes on with --out.")
    if (experiment := _experiment(asked)) is not None:
        mechanism, run = experiment.mechanism, _run_experiment(experiment, asked.recording)
    else:
        mechanism = models.find(asked.source)
        run = _run(mechanism, asked)
    tell_run(mechanism, run, asked.recording)
    return run.complete


def _experiment(asked: Simulation) -> Experiment | None:
    """The experiment of a file, where MODEL is one; then all else but the recording is its own."""
    from armillary.sim.loop.experiment import is_experiment_file, load_experiment

    if not is_experiment_file(asked.source.model):
        return None
    own = Simulation(
        type(asked.source)(asked.source.model),
        Stepping(),
        State(),
        Inputs(),
        replace(asked.recording, record=Recording().record, every=1),
    )
    recorded = (asked.recording.record, asked.recording.every)
    if asked != own or recorded != (Recording().record, 1):
        raise InputError(
            f"'{asked.source.model}' is an experiment: start, forces, method and record stand in "
            f"it. Change them there; only --out, --resume, --overwrite, --performance and --json "
            f"go with it."
        )
    return load_experiment(asked.source.model)


def _run_experiment(experiment: Experiment, recording: Recording) -> Run:
    with progress_bar() as tell:
        return experiment.run(
            out=recording.out,
            progress=tell,
            resume=recording.resume,
            overwrite=recording.overwrite,
        )


def tell_run(mechanism: Mechanism, run: Run, recording: Recording) -> None:
    """On the screen: what became of it."""
    out, json = recording.out, recording.json
    if json:
        more: dict[str, object] = {} if out is None else {"file": str(out)}
        if recording.performance:
            more["performance"] = vars(run.performance())
        screen.print_json(as_json(run) | more)
    elif out is not None:
        screen.say(f"{_instants(run)} written to {out}")
        if run.error_estimate is not None:
            screen.say(run.error_estimate)
        for t, text in run.events[:5]:
            screen.note(f"t = {t:.6g} s: {text}")
    else:
        print_run(run)
        _print_end(mechanism, run)
    if recording.performance and not json:
        screen.say(str(run.performance()))
    if not run.complete:
        kept = f"; what was computed is in {out}" if out is not None else ""
        screen.complain(f"{spelled(run.message)}{kept}")


@dataclass(frozen=True)
class Drives:
    """The start and what acts, as `simulate` takes them."""

    q0: Array | None
    v0: Array | dict[str, Array] | None
    inputs: Forces
    voltages: Mapping[str, float | Schedule] | None
    external: Mapping[str, Array] | None
    prescribed: Mapping[str, Given] | None
    events: tuple[JointLimits, ...]


def drives(
    mechanism: Mechanism,
    state: State,
    inputs: Inputs,
    tau: Words,
    assemble: bool,
    step: float,
    resume: bool = False,
) -> Drives:
    """From what was typed; step: of the run, s; resume: a start that is not given is that of the
    file."""
    from armillary.sim.loop.events import JointLimits

    of_joints, of_elements = forces_of_elements(mechanism, tau or ())
    given = {"q": state.q, "v": state.v, "tau": of_joints or None}
    states = from_options(mechanism, given, state.external)
    values, moved = dict(states.values), motions(inputs)
    named = states.named.get("v") if mechanism.constraints else None
    if assemble:
        hold = _at_prescribed(mechanism, moved, step, values)
        part = {"q": values["q"]} if named else values
        closed, notes = closing.close(mechanism, part, hold)
        values |= closed
        for text in notes:
            screen.note(text)
    volts = voltages(inputs)
    forces = _forces(mechanism, inputs, tau, values["tau"], of_elements)
    forced = [label for label, x in zip(mechanism.v_labels, values["tau"], strict=True) if x]
    if inputs.input is not None:
        forced = list(forces if isinstance(forces, Mapping) else getattr(forces, "labels", ()))
    check_beside(forced, volts, inputs.beside)
    return Drives(
        q0=values["q"] if not resume or assemble or state.q else None,
        v0=named or (values["v"] if state.v or (assemble and resume) else None),
        inputs=forces,
        voltages=volts,
        external=states.external or None,
        prescribed=moved,
        events=() if inputs.limits is None else (JointLimits(inputs.limits),),
    )


def _run(mechanism: Mechanism, asked: Simulation) -> Run:
    from armillary.sim.loop.simulate import simulate as run

    stepping, recording = asked.stepping, asked.recording
    given = drives(
        mechanism,
        asked.state,
        asked.inputs,
        asked.tau,
        asked.assemble,
        stepping.step,
        recording.resume,
    )
    with progress_bar() as tell:
        return run(
            mechanism,
            given.q0,
            given.v0,
            stepping.duration,
            stepping.step,
            stepping.method,
            inputs=given.inputs,
            voltages=given.voltages,
            beside=asked.inputs.beside,
            external=given.external,
            prescribed=given.prescribed,
            events=given.events,
            record=recording.record.split(","),
            every=recording.every,
            out=recording.out,
            progress=tell,
            project=projection(stepping),
            tolerance=stepping.tolerance,
            resume=recording.resume,
            overwrite=recording.overwrite,
            project_start=stepping.project_start,
            estimate_error=stepping.estimate_error,
            stick=stepping.stick,
        )


def _at_prescribed(
    mechanism: Mechanism,
    motions: Mapping[str, Given] | None,
    step: float,
    values: dict[str, Array],
) -> list[str]:
    """Put driven coordinates where their motion begins; gives their names, which closing holds."""
    if not motions:
        return []
    from armillary.sim.motion.driven import PrescribedMotions

    prescribed = PrescribedMotions(mechanism, motions, step)
    start = prescribed.at(0.0)
    held = []
    for n, i, k, _ in prescribed.coordinates():
        for name, entry, level in (("q", i, 0), ("v", k, 1)):
            values[name] = np.array(values[name], float)
            values[name][..., entry] = start[level, ..., n]
        held.append(mechanism.v_labels[k])
    return held


def _forces(
    mechanism: Mechanism, inputs: Inputs, typed: Words, tau: Array, of_elements: Mapping[str, Array]
) -> Forces:
    """Constant forces of joints and elements, or a table over time; typed: the constant ones."""
    table = force_table(inputs)
    if table is not None and typed:
        raise InputError("--tau and --input: give constant forces or a schedule, not both.")
    if table is not None:
        return by_name(table, element_labels(mechanism))
    if not of_elements:
        return tau if np.any(tau) else None
    joints = {label: x for label, x in zip(mechanism.v_labels, tau.tolist(), strict=True) if x}
    return joints | {name: x if len(x) > 1 else float(x[0]) for name, x in of_elements.items()}


@contextmanager
def progress_bar() -> Iterator[Callable[[float, float], None] | None]:
    """On a terminal: how far the run is; elsewhere nothing, so that logs stay short."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.fields[text]}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("run", total=1.0, text="starting")

        def tell(t: float, end: float) -> None:
            share = min(t / end, 1.0) if end > 0 else 1.0
            bar.update(task, completed=share, text=f"{t:.4g} of {end:g} s")

        yield tell


def _instants(run: Run) -> str:
    until = f", until t = {run.time[-1]:g} s," if len(run) else ""
    return f"{len(run)} instant{'' if len(run) == 1 else 's'}{until}"


def _print_end(mechanism: Mechanism, run: Run) -> None:
    """The last position and velocity of every joint."""
    state = run.state
    if "q" not in state or np.ndim(state["q"]) != 1:
        return
    for kind, title in (("q", "position"), ("v", "velocity")):
        names, units = models.labels(mechanism, kind), models.units(mechanism, kind)
        rows = [list(x) for x in zip(names, screen.numbers(state[kind]), units, strict=True)]
        screen.table(["joint", f">{title}", "unit"], rows, f"{title} at t = {state['t']:g} s")
