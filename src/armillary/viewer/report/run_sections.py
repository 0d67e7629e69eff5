"""Sections about a run: plots, the loads of every joint, motors, energy, events."""

from __future__ import annotations

import io

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.mechanism import Mechanism
from armillary.sim.record.plotting import plot_run
from armillary.sim.record.run_data import RunData
from armillary.viewer.motion import member_of
from armillary.viewer.pages import view_run
from armillary.viewer.report.markup import Section, facts, image, number, paragraph, table

_MOST_EVENTS = 40
_ROUNDING = 1e-9  # rad or m: loops that are open by less are closed
_PLOTS = ("q", "v", "tau", "energy", "voltage", "current", "drift")
NO_FORCES = "The run has no forces. Record them: record=('q', 'v', 'tau', 'reactions'{})."


def summary(run: RunData) -> str:
    """Span, method and how it ended."""
    found = {
        "time": f"{run.time[0]:g} to {run.time[-1]:g} s, {len(run.time)} instants",
        "method": f"{run.method or 'not told'}, step {run.step:g} s",
        "recorded": ", ".join(run),
    }
    ended = paragraph("The run is complete.", "good")
    if not run.complete:
        ended = paragraph(f"The run is incomplete: {run.message or 'it ended early'}", "warning")
    return facts(found) + ended


def playback(run: RunData, mechanism: Mechanism, member: int) -> Section:
    """The page that plays the run, in a frame of its own."""
    shown = view_run(run, mechanism, member=member)
    return Section("playback", "Playback", shown.markup, screen=True)


def plots(run: RunData) -> Section | None:
    """Quantities over time, as pictures inside the file."""
    names = [name for name in _PLOTS if name in run and run.arrays[name].size]
    if "drift" in names and np.nanmax(np.abs(run.arrays["drift"])) < _ROUNDING:
        names.remove("drift")
    if not names or len(run.time) < 2:
        return None
    buffer = io.BytesIO()
    figure = plot_run(run, *names)
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    content = image(buffer.getvalue(), "image/svg+xml", f"{', '.join(names)} over time")
    return Section("plots", "Over time", content)


def loads(run: RunData, mechanism: Mechanism, member: int) -> Section:
    """Greatest force and moment in every joint and constraint, and when."""
    content = ""
    for name, title in (("reactions", "joint"), ("constraint_forces", "constraint")):
        if name not in run:
            continue
        values, labels = member_of(run, run[name], member), run.labels[name]
        parts = list(dict.fromkeys(label.rpartition(".")[0] for label in labels))
        rows = [_load_row(run.time, values, labels, part) for part in parts]
        head = (title, "max |force| [N]", "at [s]", "max |moment| [N m]", "at [s]", "RMS force [N]")
        content += table(head, [row for row in rows if row])
    if not content:
        more = ", 'constraint_forces'" if mechanism.model.constraints else ""
        content = paragraph(NO_FORCES.format(more), "note")
    else:
        content += paragraph(
            "Reactions: by the parent on the body, at the body's origin; of constraints: on the "
            "second body, at its frame.", "note",
        )  # fmt: skip
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
    return (part, number(float(force[at_f])), f"{time[at_f]:.4g}", number(float(moment[at_m])),
            f"{time[at_m]:.4g}", number(rms))  # fmt: skip


def drives(run: RunData, mechanism: Mechanism, member: int) -> Section | None:
    """What every driven joint needs: force, speed, power; of motors voltage against its limit."""
    if "tau" not in run or "v" not in run:
        return None
    tau, v = member_of(run, run["tau"], member), member_of(run, run["v"], member)
    rows = []
    for k, label in enumerate(run.labels["tau"]):
        if not np.abs(tau[:, k]).max() > 0.0:
            continue
        power = tau[:, k] * v[:, k]
        limit = _limit(mechanism, label)
        peak, rms = float(np.abs(tau[:, k]).max()), float(np.sqrt((tau[:, k] ** 2).mean()))
        rows.append(
            (label, run.units["tau"][k], number(peak), number(rms),
             number(limit) if limit else "–", number(float(np.abs(v[:, k]).max())),
             number(float(np.abs(power).max())), number(float(np.trapezoid(power, run.time))),
             _voltage(run, mechanism, label, member))
        )  # fmt: skip
    if not rows:
        return None
    head = ("joint", "unit", "peak", "RMS", "limit", "max speed [unit of v]", "peak power [W]",
            "work [J]", "peak voltage / limit [V]")  # fmt: skip
    content = table(head, rows)
    over = [row[0] for row in rows if row[4] != "–" and float(row[2]) > float(row[4]) * 1.0001]
    if over:
        content += paragraph(f"Above the effort limit: {', '.join(over)}.", "warning")
    return Section("drives", "Joint forces and motors", content)


def _limit(mechanism: Mechanism, label: str) -> float | None:
    """Effort limit of an entry of v, from the model."""
    model = mechanism.model
    for body, slot in zip(model.bodies, model.slots, strict=True):
        for k, own in enumerate(model.v_labels[slot.v]):
            if own == label and k < len(body.joint.limits):
                return body.joint.limits[k].effort
    return None


def _voltage(run: RunData, mechanism: Mechanism, label: str, member: int) -> str:
    if "voltage" not in run or label not in run.labels["voltage"]:
        return "–"
    column = run.labels["voltage"].index(label)
    peak = float(np.abs(member_of(run, run["voltage"], member)[:, column]).max())
    motors = {body.joint.name: body.motor for body in mechanism.model.bodies}
    motor = motors.get(label)
    limit = (
        "no limit" if motor is None or motor.voltage_limit is None else f"{motor.voltage_limit:g}"
    )
    return f"{number(peak)} / {limit}"


def energy(run: RunData, member: int) -> Section | None:
    """Energy at the start and at the end, and the work of the joint forces between."""
    if "energy" not in run or len(run.time) < 2:
        return None
    values = member_of(run, run["energy"], member)
    rows = {
        "energy at the start": f"{number(float(values[0]), 6)} J",
        "energy at the end": f"{number(float(values[-1]), 6)} J",
        "change": f"{number(float(values[-1] - values[0]), 4)} J",
        "least": f"{number(float(values.min()), 6)} J",
        "greatest": f"{number(float(values.max()), 6)} J",
    }
    if "tau" in run and "v" in run:
        power = (member_of(run, run["tau"], member) * member_of(run, run["v"], member)).sum(axis=1)
        work = float(np.trapezoid(power, run.time))
        rows["work of the joint forces (by the trapezoidal rule)"] = f"{number(work)} J"
        rows["work that went elsewhere (friction, constraints that move, external forces)"] = (
            f"{number(work - float(values[-1] - values[0]), 3)} J"
        )
    return Section("energy", "Energy", facts(rows))


def events(run: RunData) -> Section | None:
    if not run.events:
        return None
    rows = [(f"{t:.6g}", text) for t, text in run.events[:_MOST_EVENTS]]
    content = table(("time [s]", "event"), rows)
    if len(run.events) > _MOST_EVENTS:
        content += paragraph(f"and {len(run.events) - _MOST_EVENTS} more: run.events", "note")
    return Section("events", "Events", content)
