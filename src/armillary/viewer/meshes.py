"""Meshes of bodies, read by trimesh and thinned out for pages.

Files are found as the readers find them: below the model's root folder or in its packages.  What
cannot be shown is told in a note, and the body is drawn from the kinematics.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from armillary.errors import InputError, how_to_install
from armillary.formats.references import Bounds
from armillary.model.model import Model
from armillary.model.parts import Shape
from armillary.viewer import colors
from armillary.viewer.pack import packed
from armillary.viewer.places import Array, place_of, point
from armillary.viewer.schema import Color, MeshPart, Point, ShapePart
from armillary.viewer.solids import triangles

LIBRARIES = ("trimesh", "fast_simplification", "collada")  # the extra "mesh"
_KINDS = (".stl", ".obj", ".dae", ".gltf", ".glb", ".ply", ".off")
_LARGEST = 256 << 20  # bytes of a file
_LEAST = 160  # triangles that a part keeps in any case
_STEPS = 65535
_HEAD = 1 << 16  # bytes at the beginning of a file that say how it is meant


@dataclass(frozen=True)
class Part:
    """Triangles of one colour of a file."""

    corners: Array  # (n, 3)
    triangles: NDArray[np.int64]  # (m, 3)
    color: Color | None


class Meshes:
    """The meshes of a model, each file read once; `notes` tells what could not be shown."""

    def __init__(self, model: Model, faces: int):
        self.parts: dict[str, MeshPart] = {}
        self.notes: list[str] = []
        self._colors: dict[str, Color | None] = {}
        self._ids: dict[str, list[str]] = {}  # by reference
        self._numbers = model.index
        named = list(dict.fromkeys(s.mesh for s in _shown(model) if s.mesh))
        missing = [name for name in LIBRARIES if find_spec(name) is None] if named else []
        if missing:
            self.notes.append(
                f"{len(named)} meshes are not shown: {', '.join(missing)} is not installed. "
                + how_to_install("mesh")
            )
            return
        read = {reference: self._read(model, reference) for reference in named}
        total = sum(len(part.triangles) for parts in read.values() for part in parts)
        share = min(1.0, faces / max(total, 1))
        for reference, parts in read.items():
            thin = [_thinned(part, share) for part in parts]
            self._ids[reference] = [self._add(part) for part in thin if len(part.triangles)]

    def find(self, shape: Shape, body: str) -> list[ShapePart]:
        """The parts of a mesh or of a solid that is one in a page; empty where it is not shown."""
        ids = self._ids.get(shape.mesh, [])
        if shape.kind != "mesh":
            ids = [self._add(Part(*triangles(shape), None))]
        several = len({self._colors[k] for k in ids}) > 1
        return [
            ShapePart(
                kind="mesh",
                role="shape",
                body=self._numbers[body],
                at=place_of(shape.pose),
                size=shape.scale,
                color=_color(shape.color, self._colors[k], several),
                name=body,
                mesh=k,
            )
            for k in ids
        ]

    def corners(self, model: Model) -> dict[int, list[Point]]:
        """Of the boxes around the meshes of each body, in its frame."""
        found: dict[int, list[Point]] = {}
        for k, body in enumerate(model.bodies):
            for shape in body.shapes:
                R, p = np.array(shape.pose.rotation), np.array(shape.pose.position)
                for part in (self.parts[name] for name in self._ids.get(shape.mesh, [])):
                    ends = np.array([part.low, np.add(part.low, np.multiply(part.step, _STEPS))])
                    box = [[ends[i, 0], ends[j, 1], ends[m, 2]] for i, j, m in np.ndindex(2, 2, 2)]
                    world = np.multiply(box, shape.scale) @ R.T + p
                    found.setdefault(k, []).extend(point(corner) for corner in world)
        return found

    def _add(self, part: Part) -> str:
        number = f"m{len(self.parts)}"
        low, high = part.corners.min(axis=0), part.corners.max(axis=0)
        step = np.maximum((high - low) / _STEPS, 1e-30)
        self.parts[number] = MeshPart(
            low=point(low),
            step=point(step),
            corners=packed(np.rint((part.corners - low) / step), "u2"),
            triangles=packed(part.triangles, "u4"),
        )
        self._colors[number] = part.color
        return number

    def _read(self, model: Model, reference: str) -> list[Part]:
        source, root = model.report.source, model.report.root
        if not os.path.isfile(source):
            return self._lost(reference, f"the model's file '{source}' is not here")
        try:
            place = Bounds.of(source, root or None).locate(reference)
        except InputError as fault:  # a root that has gone
            return self._lost(reference, str(fault))
        if place is None:
            return self._lost(reference, "there is no such file")
        if os.path.splitext(place)[1].lower() not in _KINDS:
            return self._lost(reference, f"known are {', '.join(_KINDS)}")
        if os.path.getsize(place) > _LARGEST:
            return self._lost(reference, f"it is larger than {_LARGEST >> 20} MiB")
        if place.lower().endswith(".dae") and (up := _up_axis(place)) not in ("", "Z_UP"):
            self.notes.append(f"mesh '{reference[:120]}': its {up} is not applied, as in RViz.")
        try:
            found = list(_parts(place))
        except Exception as fault:  # whatever libraries make of a damaged file
            return self._lost(reference, str(fault).splitlines()[0] if str(fault) else "damaged")
        return found or self._lost(reference, "it holds no triangles")

    def _lost(self, reference: str, why: str) -> list[Part]:
        self.notes.append(f"mesh '{reference[:120]}' is not shown: {why[:160]}.")
        return []


def _shown(model: Model) -> Iterator[Shape]:
    for body in model.bodies:
        visual = [s for s in body.shapes if s.role == "visual"]
        yield from visual or body.shapes


def _up_axis(place: str) -> str:
    """What a COLLADA file says of its axes; coordinates of URDF meshes are taken as they stand."""
    with open(place, "rb") as file:
        found = re.search(rb"<up_axis>\s*(\w{1,8})\s*</up_axis>", file.read(_HEAD))
    return found.group(1).decode() if found else ""


def _parts(place: str) -> Iterator[Part]:
    """The pieces of a file in metres, each with its colour."""
    import trimesh

    scene = trimesh.load_scene(place)
    if place.lower().endswith(".dae") and scene.units not in (None, "meters"):
        scene = scene.convert_units("meters")
    for mesh in scene.dump():
        if not isinstance(mesh, trimesh.Trimesh):
            continue
        mesh.merge_vertices(merge_tex=True, merge_norm=True)
        corners, triangles = np.asarray(mesh.vertices, float), np.asarray(mesh.faces)
        if not len(triangles) or not np.isfinite(corners).all():
            continue
        yield Part(corners, triangles, _own_color(mesh.visual))


def _own_color(visual: object) -> Color | None:
    """The colour that the file gives to a part; None where it gives none."""
    if not getattr(visual, "defined", False):
        return None
    found = getattr(getattr(visual, "material", visual), "main_color", None)
    if found is None:
        return None
    r, g, b, a = (float(x) / 255.0 for x in found)
    return (r, g, b, a if a > 0.0 else 1.0)


def _thinned(part: Part, share: float) -> Part:
    """At most this share of the triangles, chosen such that the surface moves least."""
    import fast_simplification

    wanted = max(int(share * len(part.triangles)), _LEAST)
    if wanted >= len(part.triangles):
        return part
    corners, triangles = fast_simplification.simplify(
        np.ascontiguousarray(part.corners, np.float32),
        np.ascontiguousarray(part.triangles, np.int32),
        target_count=wanted,
    )[:2]
    return Part(np.asarray(corners, float), np.asarray(triangles, np.int64), part.color)


def _color(given: Color | None, own: Color | None, several: bool) -> Color:
    """Of a file with several colours its own, else that of the model."""
    if several and own is not None:
        return own
    return given or own or colors.PLAIN
