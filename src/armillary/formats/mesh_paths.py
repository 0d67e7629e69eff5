"""The files of meshes as seen from another folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from armillary.formats.references import Bounds, why_refused
from armillary.model import Body, Model, Shape


def seen_from(model: Model, old: Bounds, folder: str) -> tuple[Model, list[str]]:
    """The model for a file in `folder`, and a remark on each mesh that is lost on the way.

    Paths that lead to a file from the old place are written as they lead there from the new one;
    a package that the new place knows, too, keeps its name.  The others stay as they are."""
    new, lost = Bounds.of(os.path.join(folder, "model")), list[str]()

    def moved(shape: Shape, body: str) -> Shape:
        place = old.locate(shape.mesh)
        if place is None:
            why = why_refused(shape.mesh, old)
            lost.append(f"body '{body}': mesh '{shape.mesh}': {why or 'there is no such file'}")
            return shape
        there = new.locate(shape.mesh)
        if there is not None and os.path.samefile(there, place):
            return shape
        reference = os.path.relpath(place, new.folder).replace(os.sep, "/")
        if refusal := why_refused(reference, new):
            text = f"mesh '{reference}' is read with root= a folder around both only: {refusal}"
            lost.append(f"body '{body}': {text}")
        return replace(shape, mesh=reference)

    return _with_meshes(model, moved), lost


def beside(model: Model, folder: str) -> Model:
    """The model of a file in a folder below, with plain paths of meshes seen from here."""

    def moved(shape: Shape, body: str) -> Shape:
        if not shape.mesh or why_refused(shape.mesh, Bounds(os.sep, os.sep)) or "://" in shape.mesh:
            return shape
        return replace(shape, mesh=os.path.normpath(os.path.join(folder, shape.mesh)))

    return model if folder in ("", os.curdir) else _with_meshes(model, moved)


def for_carrier(model: Model, carrier: Model) -> tuple[Model, str, str]:
    """A model that is mounted on another, its meshes as seen from the other's file; and the file
    and the root folder from which the meshes of both are found."""
    own, other = model.report, carrier.report
    if not os.path.isfile(own.source) or own.source == other.source:
        return model, other.source, other.root
    if not os.path.isfile(other.source):  # built in Python: it has no meshes to lose
        return model, own.source, own.root
    here = Bounds.of(own.source, own.root or None)
    there = Bounds.of(other.source, other.root or None)
    moved, _ = seen_from(model, here, there.folder)  # what is lost is said when it is looked for
    if moved is model:
        return model, other.source, other.root
    try:
        return moved, other.source, os.path.commonpath([here.root, there.root])
    except ValueError:  # another drive: no way leads from one to the other
        return model, other.source, other.root


def _with_meshes(model: Model, moved: Callable[[Shape, str], Shape]) -> Model:
    def changed(body: Body) -> Body:
        shapes = tuple(
            moved(shape, body.name) if shape.kind == "mesh" and shape.mesh else shape
            for shape in body.shapes
        )
        return body if shapes == body.shapes else replace(body, shapes=shapes)

    bodies = tuple(map(changed, model.bodies))
    return model if bodies == model.bodies else replace(model, bodies=bodies)
