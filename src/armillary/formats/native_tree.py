"""The bodies of a native file from other files: `tree: robot.urdf`, `include:`."""

from __future__ import annotations

import os

from armillary.errors import ModelError, Remedy
from armillary.formats.references import Bounds, why_refused
from armillary.model import Report

MAX_TREES = 8  # a tree of a tree of a tree ...


def tree_path(
    reference: str, path: str, bounds: Bounds | None, within: tuple[str, ...], key: str = "tree"
) -> str:
    """The file that `key` in the file `path` names, if it may be opened: one inside the root."""
    if bounds is None:
        raise ModelError(
            f"{key}: '{_short(reference)}' is looked for beside the file, and a text has no place. "
            f"Save the text as a file and read that."
        )
    refusal = why_refused(reference, bounds)
    if refusal is None and "://" in reference:
        refusal = "packages are not known here"
    if refusal is not None:
        raise ModelError(
            f"{key}: '{_short(reference)}' is refused: {refusal}.",
            Remedy("root", {"otherwise": "Put the file there"}),
        )
    place = os.path.join(os.path.dirname(path), reference)
    if not os.path.isfile(place):
        raise ModelError(
            f"{key}: there is no file '{_short(reference)}' beside this one. Check the name."
        )
    if os.path.realpath(place) in within:
        raise ModelError(
            f"{key}: '{_short(reference)}' takes its own bodies from here, a circle. Give the "
            f"bodies in one of the files."
        )
    if len(within) >= MAX_TREES:
        raise ModelError(f"{key}: more than {MAX_TREES} files take their bodies from each other.")
    return place


def _short(text: str) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= 80 else shown[:77] + "..."


def merge_notes(report: Report, tree: Report, name: str) -> None:
    """The notes of the tree's reader first, with its file's name; none of them twice."""
    said = {(note.level, note.part, note.text) for note in tree.notes}
    own = [note for note in report.notes if (note.level, note.part, note.text) not in said]
    report.notes.clear()
    for note in tree.notes:
        report.add(note.level, f"{name}: {note.part}", note.text, note.line)
    report.notes += own
