"""The bodies of a native file from another file: `tree: robot.urdf`."""

from __future__ import annotations

import os

from armillary.errors import ModelError, Remedy
from armillary.formats.references import Bounds, why_refused
from armillary.model import Builder, Model, Report

MAX_TREES = 8  # a tree of a tree of a tree ...


def tree_path(reference: str, path: str, bounds: Bounds | None, within: tuple[str, ...]) -> str:
    """The file a `tree` in the file `path` names, if it may be opened: one inside the root."""
    if bounds is None:
        raise ModelError(
            f"tree: '{_short(reference)}' is looked for beside the file, and a text has no place. "
            f"Save the text as a file and read that."
        )
    refusal = why_refused(reference, bounds)
    if refusal is None and "://" in reference:
        refusal = "packages are not known here"
    if refusal is not None:
        raise ModelError(
            f"tree: '{_short(reference)}' is refused: {refusal}.",
            Remedy("root", {"otherwise": "Put the file there"}),
        )
    place = os.path.join(os.path.dirname(path), reference)
    if not os.path.isfile(place):
        raise ModelError(
            f"tree: there is no file '{_short(reference)}' beside this one. Check the name."
        )
    if os.path.realpath(place) in within:
        raise ModelError(
            f"tree: '{_short(reference)}' takes its own bodies from here, a circle. Give the "
            f"bodies in one of the files."
        )
    if len(within) >= MAX_TREES:
        raise ModelError(f"tree: more than {MAX_TREES} files take their bodies from each other.")
    return place


def _short(text: str) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= 80 else shown[:77] + "..."


def add_model(builder: Builder, model: Model) -> None:
    """Everything of a model into a builder, so that more can be added."""
    builder.base_velocity = model.base_velocity
    builder.base_acceleration = model.base_acceleration
    for body in model.bodies:
        builder.add(body)
    for frame in model.frames:
        builder.frame(frame.name, frame.body, frame.pose)
    for part in model.constraints:
        builder.constrain(part)
    for element in model.elements:
        builder.element(element.name, element.ends, element.law, element.coordinates)
    if model.initial:
        pairs = zip(model.bodies, model.slots, strict=True)
        builder.initial = {body.joint.name: model.initial[slot.q] for body, slot in pairs}


def merge_notes(report: Report, tree: Report, name: str) -> None:
    """The notes of the tree's reader first, with its file's name; none of them twice."""
    said = {(note.level, note.part, note.text) for note in tree.notes}
    own = [note for note in report.notes if (note.level, note.part, note.text) not in said]
    report.notes.clear()
    for note in tree.notes:
        report.add(note.level, f"{name}: {note.part}", note.text, note.line)
    report.notes += own
