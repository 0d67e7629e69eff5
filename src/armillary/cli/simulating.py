"""`simulate`: a motion over time, on the screen or into a file."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary import Mechanism
from armillary.cli import closing, models, screen
from armillary.cli.feeding import check_beside, named, number, voltages
from armillary.cli.options import Reading
from armillary.cli.remedies import spelled
from armillary.cli.runs import as_json, print_run
from armillary.cli.states import Array, from_options
from armillary.errors import FormatError, InputError

if TYPE_CHECKING:
    from armillary.sim.motion.schedules import Schedule
    from armillary.sim.record.run import Run


@dataclass(frozen=True)
class Drive:
    """What acts on the mechanism, and where it starts."""

    given: dict[str, list[str] | None]  # q, v, tau
    external: Sequence[str] | None
    schedule: Path | None
    stay: bool  # the schedule's last line goes on
    assemble: bool
    limits: float | None  # restitution at joint limits
    motions: Sequence[str] = ()  # name=place, name=table.csv, name=road.csv@speed
    voltages: Sequence[str] = ()  # joint=volts, joint=table.csv
    beside: bool = False  # forces act beside the motors that are fed


@dataclass(frozen=True)
class Course:
    """How long, how fine, what is kept."""

    duration: float
    step: float
    method: str
    tolerance: float
    record: str
    every: int
    out: Path | None
    resume: bool
    overwrite: bool
    project: bool
    project_start: bool = False


def simulate(model: str, how: Reading, drive: Drive, course: Course, json: bool) -> bool:
    """Whether the run came to its end; what was computed is kept in any case."""
    for name, value in (("for", course.duration), ("step", course.step)):
        if not (math.isfinite(value) and value > 0.0):
            raise InputError(f"--{name}: expected a number of seconds above 0, found {value}.")
    if course.resume and course.out is None:
        raise InputError("--resume: name the file that goes on with --out.")
    mechanism = models.find(model, how)
    run = _run(mechanism, drive, course)
    if json:
        content = as_json(run)
        screen.print_json(content if course.out is None else {**content, "file": str(course.out)})
    elif course.out is not None:
        screen.say(f"{_instants(run)} written to {course.out}")
    else:
        print_run(run)
        _print_end(mechanism, run)
    if not json:
        for t, text in run.events[:5] if course.out is not None else ():
            screen.remark(f"t = {t:.6g} s: {text}")
    if not run.complete:
        kept = f"; what was computed is in {course.out}" if course.out is not None else ""
        screen.complain(f"{spelled(run.message)}{kept}")
    return run.complete


def _run(mechanism: Mechanism, drive: Drive, course: Course) -> Run:
    from armillary.sim.loop.events import JointLimits
    from armillary.sim.loop.simulate import simulate as run

    states = from_options(mechanism, drive.given, drive.external)
    values, motions = dict(states.values), _motions(drive)
    named: Any = states.named.get("v") if mechanism.constraints else None
    if drive.assemble:
        hold = _at_prescribed(mechanism, motions, course.step, values)
        part = {"q": values["q"]} if named else values
        closed, remarks = closing.close(mechanism, part, hold)
        values |= closed
        for text in remarks:
            screen.remark(text)
    volts = voltages(drive.voltages, drive.stay)
    inputs = _inputs(mechanism, drive, values["tau"])
    forced = getattr(inputs, "labels", None) or (
        [label for label, x in zip(mechanism.v_labels, values["tau"], strict=True) if x]
    )
    check_beside(forced, volts, drive.beside)
    events = () if drive.limits is None else (JointLimits(drive.limits),)
    q0, v0 = _start(drive, course, values, named)
    with progress_bar() as tell:
        return run(
            mechanism, q0, v0, course.duration, course.step, course.method,
            inputs=inputs, voltages=volts, beside=drive.beside, external=states.external or None,
            prescribed=motions,
            events=events, record=course.record.split(","), every=course.every, out=course.out,
            progress=tell, project=course.project, tolerance=course.tolerance,
            resume=course.resume, overwrite=course.overwrite, project_start=course.project_start,
        )  # fmt: skip


def _start(
    drive: Drive, course: Course, values: dict[str, Array], named: Any
) -> tuple[Array | None, Any]:
    """q0 and v0 (velocities by name as they are); where a file goes on and they are not given,
    those of the file."""
    begins = not course.resume or drive.assemble
    q0 = values["q"] if begins or drive.given.get("q") else None
    return q0, named or (values["v"] if drive.given.get("v") or drive.assemble else None)


def _at_prescribed(
    mechanism: Mechanism, motions: dict[str, Any] | None, step: float, values: dict[str, Array]
) -> list[str]:
    """Put driven coordinates where their motion begins; gives their names, which closing holds."""
    if not motions:
        return []
    from armillary.sim.motion.driven import PrescribedMotions

    prescribed = PrescribedMotions(mechanism, motions, step)
    start = prescribed.at(0.0)
    held = []
    for place, i, k, _ in prescribed.coordinates():
        for name, entry, level in (("q", i, 0), ("v", k, 1)):
            values[name] = np.array(values[name], float)
            values[name][..., entry] = start[level, ..., place]
        held.append(mechanism.v_labels[k])
    return held


def _inputs(mechanism: Mechanism, drive: Drive, tau: Array) -> Array | Schedule | None:
    """Constant forces, or a table over time whose columns are joints: time, crank or tau.crank."""
    if drive.schedule is None:
        return tau if np.any(tau) else None
    if drive.given.get("tau"):
        raise InputError("--tau and --input: give constant forces or a schedule, not both.")
    from armillary.sim.motion.schedules import Schedule

    with readable(drive.schedule):
        schedule = Schedule.from_csv(drive.schedule, hold=drive.stay)
    labels = [label.removeprefix("tau.") for label in schedule.labels or ()]
    return Schedule(schedule.times, schedule.values, labels, schedule.kind, schedule.hold)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeDecodeError) as fault:
        reason = getattr(fault, "strerror", None) or "it is no UTF-8 text"
        raise FormatError(f"cannot be read: {reason}.", str(path)) from None


def _motions(drive: Drive) -> dict[str, Any] | None:
    """Prescribed motion by name: a place, a table over time, or a road at a speed."""
    found: dict[str, Any] = {}
    texts = "name=place, name=table.csv or name=road.csv@speed"
    for name, motion in named("--prescribe", drive.motions, texts).items():
        place = number(motion)
        found[name] = _from_file(name, motion, drive.stay) if place is None else place
    return found or None


def _from_file(name: str, motion: str, stay: bool) -> Any:
    from armillary.sim.motion.roads import HEADS, RoadProfile
    from armillary.sim.motion.schedules import Schedule, number_table

    path, _, speed = motion.rpartition("@")
    pace = number(speed) if path else None
    file = Path(path if pace is not None else motion)
    with readable(file):
        head, numbers = number_table(file, ("t", "time", *HEADS))
    column = head.index(name) if name in head[1:] else 1
    if len(head) > 2 and name not in head[1:]:
        raise InputError(f"--prescribe {name}: {file} has no column '{name}', found {head[1:]}.")
    if head[0].lower() in HEADS:
        if pace is None:
            raise InputError(
                f"--prescribe {name}: {file} is a road over distance; give a speed, "
                f"{name}={file}@20 (m/s)."
            )
        return RoadProfile(numbers[:, 0], numbers[:, column]).under(pace)
    return Schedule(numbers[:, 0], numbers[:, column], kind="spline", hold=stay)


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
    state: dict[str, Any] = run.state
    if "q" not in state or np.ndim(state["q"]) != 1:
        return
    for kind, title in (("q", "position"), ("v", "velocity")):
        names, units = models.labels(mechanism, kind), models.units(mechanism, kind)
        rows = [list(x) for x in zip(names, screen.numbers(state[kind]), units, strict=True)]
        screen.table(["joint", f">{title}", "unit"], rows, f"{title} at t = {state['t']:g} s")
