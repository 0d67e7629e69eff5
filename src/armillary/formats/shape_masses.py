"""Masses from shapes: every body gets the mass that its solids have at one density."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from armillary.errors import InputError
from armillary.formats.references import Bounds
from armillary.formats.solid_meshes import mesh_moments
from armillary.model import Model, Report, Shape
from armillary.model.arguments import name_arguments
from armillary.model.parts import mass_of
from armillary.model.solids import SOLIDS, VolumeMoments
from armillary.spatial import Inertia


@name_arguments
def masses_from_shapes(model: Model, density: float, role: str = "") -> Model:
    """The model with masses, centres and tensors of its shapes, filled with one material.

    density: kg/m³.  role: "visual" or "collision"; by default the collision shapes of a body,
    which seldom overlap, else its visual ones.  Bodies without shapes keep what they have.  The
    report says which bodies changed, and that shapes which overlap count twice."""
    if not density > 0.0:
        raise InputError(f"density: expected a positive number (kg/m³), found {density!r}.")
    if role not in ("", "visual", "collision"):
        raise InputError(f"role: expected 'visual' or 'collision', found {role!r}.")
    report = Report(model.report.source, list(model.report.notes))
    bodies = []
    for body in model.bodies:
        shapes = list(_chosen(body.shapes, role))
        if not shapes:
            kept = f"no {role or 'visual or collision'} shapes: mass {body.mass.mass:g} kg kept"
            report.add("assumed", f"body '{body.name}'", kept)
            bodies.append(body)
            continue
        total = Inertia.zero()
        for shape in shapes:
            X = shape.pose.transform()
            moments = _moments(shape, model.report.source, f"body '{body.name}'")
            total = total + X.T @ moments.inertia(density) @ X
        text = f"mass {float(total.mass):.6g} kg from {len(shapes)} {shapes[0].role} shape(s)"
        more = ", which count twice where they overlap" if len(shapes) > 1 else ""
        report.add("assumed", f"body '{body.name}'", f"{text} of {density:g} kg/m³{more}")
        bodies.append(replace(body, mass=mass_of(total)))
    return replace(model, bodies=tuple(bodies), report=report)


def _chosen(shapes: tuple[Shape, ...], role: str) -> Iterator[Shape]:
    wanted = role or next(
        (r for r in ("collision", "visual") if any(s.role == r for s in shapes)), ""
    )
    return (shape for shape in shapes if shape.role == wanted)


def _moments(shape: Shape, source: str, part: str) -> VolumeMoments:
    if shape.kind == "mesh":
        return mesh_moments(shape.mesh, shape.scale, Bounds.of(source) if source else None, part)
    if shape.kind == "prism":
        return SOLIDS["prism"].moments(shape.outline, shape.size[0])
    return SOLIDS[shape.kind].moments(*shape.size)
