"""Sections about a mechanism: what it is, how it looks, how it can move, whether answers agree."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from armillary.constraints.solution import ConstrainedSolution
from armillary.errors import ArmillaryError
from armillary.evaluate.inputs import Array
from armillary.mechanism import Mechanism
from armillary.sim.record.mechanism_text import model_text
from armillary.viewer.report.markup import Section, facts, number, paragraph, sketch, table

_MOST_NAMED = 24  # components
_AGREE = 1e-9  # relative difference of two formulations


def summary(mechanism: Mechanism) -> str:
    """What it is, as a table."""
    model = mechanism.model
    mass = sum(body.mass.mass for body in model.bodies)
    names = {"constraints": len(model.constraints), "frames": len(model.frames)}
    more = ", ".join(f"{count} {name}" for name, count in names.items() if count)
    return facts(
        {
            "mechanism": mechanism.name,
            "freedom": str(mechanism.counts),
            "bodies": f"{len(model.bodies)}{f'; {more}' if more else ''}",
            "mass": f"{number(mass, 6)} kg",
            "gravity": "({:g}, {:g}, {:g}) m/s²".format(*model.gravity),
        }
    )


def bodies(mechanism: Mechanism) -> Section:
    """Every body: joint, mass, centre, limits."""
    rows = []
    for body in mechanism.model.bodies:
        com = ", ".join(number(x) for x in body.mass.com)
        rows.append(
            (
                body.name,
                body.parent,
                body.joint.name,
                body.joint.kind,
                number(body.mass.mass, 6),
                f"({com})",
            )
        )
    head = ("body", "parent", "joint", "type", "mass [kg]", "centre of mass [m], body frame")
    return Section("bodies", "Bodies and joints", table(head, rows))


def picture(mechanism: Mechanism, q: Array | None = None) -> Section:
    shown = mechanism.draw(q)
    where = "where it starts" if q is None else "at the first instant"
    return Section("sketch", "Sketch", sketch(shown, f"{'; '.join(shown.notes)}; {where}"))


def mobility(mechanism: Mechanism, q: Array | None = None) -> Section:
    """Rank, freedom and which reactions have a value of their own, in words."""
    if not mechanism.model.constraints:
        text = (
            f"An open tree of {len(mechanism.bodies)} bodies without constraints: {mechanism.nv} "
            "degree(s) of freedom in every configuration, and every joint force is determinate."
        )
        return Section("mobility", "Mobility and determinacy", paragraph(text))
    try:
        found = mechanism.mobility(q)
    except ArmillaryError as fault:
        return Section("mobility", "Mobility and determinacy", "", warnings=(str(fault),))
    text = (
        f"The tree has {found.coordinates} coordinates and {found.rows} constraint rows of rank "
        f"{found.rank}: {found.finite} degree(s) of freedom in the neighbourhood, "
        f"{found.instantaneous} at this instant."
    )
    content = paragraph(text)
    if found.redundancy:
        content += paragraph(
            f"{found.redundancy} row(s) follow from others ({', '.join(found.redundant)}): the "
            "motion is determinate, some of the constraint forces are not."
        )
    content += determinacy(mechanism, q)
    singular = (f"This is a singular configuration: {found.singular}.",) if found.singular else ()
    return Section("mobility", "Mobility and determinacy", content, warnings=singular)


def determinacy(mechanism: Mechanism, q: Array | None) -> str:
    """Which reactions have one true value at rest."""
    start = np.asarray(mechanism.initial if q is None else q)
    none = np.zeros(mechanism.nv)
    try:
        solved = mechanism.solve(start, none, none)
    except ArmillaryError as fault:
        return paragraph(f"Determinacy is not known: {fault}", "note")
    assert isinstance(solved, ConstrainedSolution)
    state = solved.determinacy
    if not state.static_indeterminacy:
        return paragraph("Every reaction has one true value: the mechanism is determinate.")
    open_ones = state.indeterminate
    few = ", ".join(open_ones[:_MOST_NAMED])
    more = f" and {len(open_ones) - _MOST_NAMED} more" if len(open_ones) > _MOST_NAMED else ""
    free = ", ".join(state.proposals())
    return paragraph(
        f"Statically indeterminate, {state.static_indeterminacy} times: the values of {few}{more} "
        f"follow a convention ({solved.convention}), all others are true. With these set free "
        f"every reaction is determinate: {free}."
    )


def check(mechanism: Mechanism, q: Array, v: Array, tau: Array, where: str) -> Section:
    """The same answers by independent formulations."""
    try:
        found = mechanism.check(q, v, tau)
    except ArmillaryError as fault:
        return Section("checks", "Checks", "", warnings=(f"Not checked: {fault}",))
    agree, worst = found.worst < _AGREE, found.worst  # NaN does not agree
    verdict = (
        f"Independent formulations agree to {number(worst, 2)} (relative), {where}."
        if agree
        else f"Formulations differ by {number(worst, 2)} (relative), {where}: do not rely on them."
    )
    rows = [(text, number(x, 2)) for text, x in found.errors().items()]
    content = paragraph(verdict, "good") if agree else ""
    content += table(("the same twice", "difference"), rows)
    return Section("checks", "Checks", content, warnings=() if agree else (verdict,))


def notes(mechanism: Mechanism, q: Array | None = None) -> Section | None:
    """What was assumed, repaired and ignored when it was read.  q: where a run begins:
    elsewhere than the model, notes on the model's start are left out."""
    away = q is not None and not np.array_equal(q, mechanism.initial)
    entries = [str(note) for note in mechanism.report.notes if not (note.start and away)]
    if not entries:
        return None
    content = "".join(paragraph(text, "note") for text in entries[:60])
    if len(entries) > 60:
        content += paragraph(f"and {len(entries) - 60} more: print(mechanism.report)", "note")
    return Section("reading", "What was read, assumed and ignored", content)


def settings(mechanism: Mechanism, more: dict[str, str]) -> Section:
    """Versions and the hash of the model: enough to make the same report again."""
    text = model_text(mechanism.model)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16] if text else "has functions of its user"
    found = {"model (sha256 of its native file)": digest, **more}
    for name in ("armillary", "numpy", "scipy", "llvmlite"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    found["Python"] = f"{platform.python_version()}, {platform.system()} {platform.machine()}"
    return Section("settings", "Settings and versions", facts(found))
