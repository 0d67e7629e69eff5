"""Sections about a run: plots, the loads of every joint, motors, energy, events."""

from __future__ import annotations

import io
from collections.abc import Iterator
from html import escape

import numpy as np

from armillary.errors import ArmillaryError
from armillary.evaluate.inputs import Array
from armillary.mechanism import Mechanism
from armillary.sim.record.plotting import RunFigure, plot_run
from armillary.sim.record.run_data import RunData
from armillary.units import WRENCH
from armillary.viewer.motion import member_of
from armillary.viewer.pages import view_run
from armillary.viewer.report.markup import Section, facts, image, number, paragraph, table

_MOST_EVENTS = 40
_PLOTS = ("q", "v", "tau", "energy", "voltage", "current", "drift")
_LOADS = {
    "reactions": "joint",
    "constraint_forces": "constraint",
    "element_forces": "force element",
}
NO_FORCES = "The run has no forces. Record them: record=('q', 'v', 'tau', 'reactions'{})."


def summary(run: RunData) -> str:
    """Span, method and how it ended."""
    found = {
        "time": f"{run.time[0]:g} to {run.time[-1]:g} s, {len(run.time)} instants",
        "method": f"{run.method or 'not told'}, step {run.step:g} s",
        "recorded": ", ".join(run),
    }
    if run.error_estimate is not None:
        found["error"] = str(run.error_estimate)
    return facts(found) + (paragraph("The run is complete.", "good") if run.complete else "")


def experiment(run: RunData) -> Section | None:
    """The call that made it, as the file from which it can be made again."""
    text = run.experiment_text
    if not text:
        return None
    lead = paragraph("`armillary rerun` makes the run again from its file.", "note")
    return Section("experiment", "Experiment", lead + f"<pre>{escape(text)}</pre>\n")


def warnings(run: RunData) -> tuple[str, ...]:
    """What a reader of its numbers must know."""
    found = []
    if not run.complete:
        found.append(f"The run is incomplete: {run.message or 'it ended early'}")
    if run.note:
        found.append(f"About its file: {run.note}.")
    for name in run:
        lost = int((~np.isfinite(run[name])).sum())
        if lost:
            found.append(f"{name}: {lost} of {run[name].size} numbers are not finite.")
    return tuple(found)


def playback(run: RunData, mechanism: Mechanism, member: int) -> Section:
    """The page that plays the run, in a frame of its own."""
    shown = view_run(run, mechanism, member=member)
    return Section("playback", "Playback", shown.markup, screen=True)


def plots(run: RunData) -> Section | None:
    """Quantities over time, as pictures inside the file."""
    names = [name for name in _PLOTS if name in run and run.arrays[name].size]
    if not names or len(run.time) < 2:
        return None
    content = "".join(_figure(plot_run(run, name), f"{name} over time") for name in names)
    return Section("plots", "Over time", content)


def _figure(figure: RunFigure, caption: str) -> str:
    """One small figure per quantity: paper is cut between them.  Nothing but zeros: in words."""
    if not figure.axes:
        return paragraph(figure.get_supxlabel(), "note")
    figure.suptitle("")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    return image(buffer.getvalue(), "image/svg+xml", caption)


def loads(run: RunData, mechanism: Mechanism, member: int) -> Section:
    """Greatest force and moment of every joint, constraint and force element, and when; their sizes
    over time."""
    content, names = "", []
    for name, title in _LOADS.items():
        if name not in run:
            continue
        values, labels = member_of(run, run[name], member), run.labels[name]
        parts = list(dict.fromkeys(label.rpartition(".")[0] for label in labels))
        rows = [_load_row(run.time, values, labels, part) for part in parts]
        head = (title, "max |force| [N]", "at [s]", "max |moment| [N m]", "at [s]", "RMS force [N]")
        content += table(head, [row for row in rows if row])
        names.append(name)
    if not names:
        model = mechanism.model
        more = ", 'constraint_forces'" if model.constraints else ""
        more += ", 'element_forces'" if model.elements else ""
        text = paragraph(NO_FORCES.format(more), "note")
        return Section("loads", "Loads of joints and constraints", text)
    for name in names if len(run.time) > 1 else ():
        caption = f"sizes of forces and moments: {name.replace('_', ' ')}"
        vectors = [label for label in run.labels[name] if label.rpartition(".")[2] in WRENCH]
        figure = plot_run(run, name, columns=vectors, magnitude=True, peaks=True)
        content += _figure(figure, caption)
    content += paragraph(
        "Reactions: by the parent on the body, at the body's origin; of constraints: on the "
        "second body, at its frame; of force elements: on their second (or last) end.",
        "note",
    )
    return Section("loads", "Loads of joints and constraints", content)


def _load_row(time: Array, values: Array, labels: tuple[str, ...], part: str) -> tuple[str, ...]:
    """Magnitudes of one wrench over time: greatest values and when they occur."""
    sizes = []
    for letters in (("fx", "fy", "fz"), ("nx", "ny", "nz")):
        columns = [labels.index(f"{part}.{x}") for x in letters if f"{part}.{x}" in labels]
        if not columns:
            return ()
        sizes.append(np.linalg.norm(values[:, columns], axis=1))
    force, moment = sizes
    if not np.isfinite(force).any():
        return (part, "–", "–", "–", "–", "–")
    at_f, at_m = int(np.nanargmax(force)), int(np.nanargmax(moment))
    rms = float(np.sqrt(np.nanmean(force**2)))
    return (
        part,
        number(float(force[at_f])),
        f"{time[at_f]:.4g}",
        number(float(moment[at_m])),
        f"{time[at_m]:.4g}",
        number(rms),
    )


def energy(run: RunData, mechanism: Mechanism, member: int) -> Section | None:
    """Where the energy goes: change = work of joint forces and constraints - friction + the rest.

    By the trapezoidal rule over the recorded instants."""
    if "energy" not in run or len(run.time) < 2:
        return None
    values = member_of(run, run["energy"], member)
    change, least, most = float(values[-1] - values[0]), np.nanmin(values), np.nanmax(values)
    rows = {
        "energy at the start": f"{number(float(values[0]), 6)} J",
        "energy at the end": f"{number(float(values[-1]), 6)} J",
        "least and greatest": f"{number(float(least), 6)} to {number(float(most), 6)} J",
        "change": f"{number(change)} J",
    }
    works = dict(_works(run, mechanism, member))
    if works:
        rows |= {name: f"{number(work)} J" for name, work in works.items()}
        rest = change - sum(works.values())
        rows["left over: external forces, contacts, parts not recorded, error of the sums"] = (
            f"{number(rest, 3)} J"
        )
    return Section("energy", "Energy balance", facts(rows))


def _works(run: RunData, mechanism: Mechanism, member: int) -> Iterator[tuple[str, float]]:
    """What adds to the energy, J, by name."""
    if "tau" not in run or "v" not in run or "q" not in run:
        return
    q, v, tau = (member_of(run, run[name], member) for name in ("q", "v", "tau"))
    yield "work of the joint forces", float(np.trapezoid((tau * v).sum(axis=1), run.time))
    rest = np.zeros_like(v)  # springs push at rest, too, and their energy counts already
    try:
        friction = _resistance(mechanism, q, v) - _resistance(mechanism, q, rest)
    except ArmillaryError:  # laws that are known along a run only: they are in what is left over
        return
    lossy = "friction in joints" + (" and of force elements" if mechanism.model.elements else "")
    yield f"work of {lossy}", -float(np.trapezoid((friction * v).sum(axis=1), run.time))
    if "constraint_power" in run:
        power = member_of(run, run["constraint_power"], member).sum(axis=1)
        yield (
            "work of constraints (prescribed motions, moving ground)",
            float(np.trapezoid(power, run.time)),
        )


def _resistance(mechanism: Mechanism, q: Array, v: Array) -> Array:
    """Joint forces of friction, dampers and springs (T, nv)."""
    return np.asarray(mechanism.bias_forces(q, v) - mechanism.bias_forces(q, v, passive=False))


def events(run: RunData) -> Section | None:
    if not run.events:
        return None
    rows = [(f"{t:.6g}", text) for t, text in run.events[:_MOST_EVENTS]]
    content = table(("time [s]", "event"), rows)
    if len(run.events) > _MOST_EVENTS:
        content += paragraph(f"and {len(run.events) - _MOST_EVENTS} more: run.events", "note")
    return Section("events", "Events", content)
