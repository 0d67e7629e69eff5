"""`draw`, `view`, `report`, `page`: mechanisms and recorded runs as sketches, pages and reports."""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armillary import Mechanism
from armillary.cli import screen, states
from armillary.cli.models import find
from armillary.cli.options import Inputs, Look, Source, State, Words
from armillary.cli.remedies import spelled
from armillary.cli.simulating import drives
from armillary.cli.states import Array
from armillary.cli.words import numbers, words
from armillary.constraints.assembled import beyond_limits
from armillary.constraints.notes import open_notes
from armillary.errors import InputError
from armillary.sim.motion.schedules import Schedule
from armillary.sim.record.storage import is_run
from armillary.viewer.sketch.display import Picture

if TYPE_CHECKING:
    from armillary.cli.simulating import Forces


def draw(
    source: Source, look: Look, q: list[str] | None, out: Path | None, overwrite: bool
) -> None:
    """A picture beside the run, or in the current folder under the name of the mechanism."""
    path = Path(source.model)
    if is_run(path):
        picture = _of_run(path, look)
        target = out or path.with_suffix(".svg")
    else:
        mechanism = find(source)
        position = states.from_words(mechanism, "q", q) if q else None
        picture = mechanism.draw(
            position,
            view=_direction(look.view),
            labels=look.labels,
            frames=words(look.frame),
            centers=look.centers,
        )
        target = out or Path(f"{path.stem if path.suffix else source.model}.svg")
        for text in _amiss(mechanism, position):
            screen.note(spelled(text))
    picture.save(target, overwrite=overwrite)
    screen.say(f"{'; '.join(picture.notes) or picture.title}: drawn in {target}")


def _amiss(mechanism: Mechanism, position: Array | None) -> list[str]:
    """What is drawn open, or beyond its limits."""
    q = np.array(mechanism.initial) if position is None else position
    found = [*beyond_limits(mechanism.model, q[None])]
    if mechanism.constraint_rows:
        equations = mechanism.constraint_solver.equations
        found += open_notes(equations, mechanism.constraint_residual(q))
    return found


def _of_run(path: Path, look: Look) -> Picture:
    from armillary.sim.record.stored_run import load_run

    at = None if look.at is None else numbers(look.at, "--at")
    run = load_run(path)
    return run.draw(at, overlay=look.overlay, view=_direction(look.view), labels=look.labels)


def view(source: Source, q: list[str] | None, out: Path | None, stay: bool) -> None:
    """A page of the run or the mechanism in the browser; it stays where `out` says."""
    from armillary.sim.record.stored_run import load_run

    path = Path(source.model)
    if is_run(path):
        shown = load_run(path).view()
    else:
        mechanism = find(source)
        shown = mechanism.view(states.from_words(mechanism, "q", q) if q else None)
    folder = Path(tempfile.mkdtemp(prefix="armillary-")) if out is None else out.parent
    place = shown.save(out or folder / f"{path.stem or source.model}.html", overwrite=True)
    opened = not stay and webbrowser.open(place.resolve().as_uri())
    screen.say(f"{place}: {'opened in' if opened else 'open it in'} a browser")


def report(
    source: Source,
    out: Path | None,
    title: str | None,
    text: str,
    section: Sequence[str] | None,
    overwrite: bool,
) -> None:
    """A report beside the run, or in the current folder under the name of the mechanism."""
    from armillary.sim.record.stored_run import load_run

    path = Path(source.model)
    write: Callable[..., Path]
    if is_run(path):
        write, name = load_run(path).report, path.with_name(f"{path.stem}-report.html")
    else:
        write = find(source).report_page
        name = Path(f"{path.stem if path.suffix else source.model}-report.html")
    wanted = words(section) or None
    target = write(out or name, title=title, text=text, sections=wanted, overwrite=overwrite)
    screen.say(f"report written to {target}")


def page(
    source: Source,
    state: State,
    inputs: Inputs,
    tau: Words,
    assemble: bool,
    target: Words,
    gains: str,
    method: str,
    step: float,
    out: Path | None,
    overwrite: bool,
) -> None:
    """A page in the current folder under the name of the mechanism."""
    from armillary.sim.control.pid import PID

    mechanism, path = find(source), Path(source.model)
    controller = None
    if target:
        three = numbers(gains, "--gains")
        if len(three) != 3:
            raise InputError(f"--gains: expected kp,ki,kd, found '{gains}'.")
        controller = PID(mechanism, dict(map(_setpoint, words(target))), *three)
    given = drives(mechanism, state, inputs, tau, assemble, step)
    place = mechanism.page(
        out or Path(f"{path.stem if path.suffix else source.model}.html"),
        given.q0,
        given.v0,
        controller=controller,
        inputs=_named_forces(mechanism, given.inputs),
        voltages=given.voltages,
        beside=inputs.beside,
        external=given.external,
        prescribed=given.prescribed,
        events=given.events,
        method=method,
        step=step,
        overwrite=overwrite,
    )
    screen.say(f"page written to {place}: open it in a browser")


def _named_forces(
    mechanism: Mechanism, forces: Forces
) -> Mapping[str, Array | float | Schedule] | Schedule | None:
    """Constant forces by joint: only those that were typed get sliders."""
    if not isinstance(forces, np.ndarray):
        return forces
    return {n: float(x) for n, x in zip(mechanism.v_labels, forces, strict=True) if x}


def _setpoint(word: str) -> tuple[str, float]:
    name, _, value = word.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise InputError(f"--target: expected joint=number, found '{word}'.") from None


def _direction(view: str | None) -> str | list[float] | None:
    """A named view, or three numbers."""
    return view if view is None or "," not in view else numbers(view, "--view")
