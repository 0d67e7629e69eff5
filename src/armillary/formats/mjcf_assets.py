"""Files that an MJCF model names: only those that give a body its inertia are opened.

A mesh of a body whose inertia is given is there to look at or to touch.  MuJoCo would refuse the
whole model where such a file is missing, broken or of a kind it does not know, so it is handed a
tetrahedron in its place, and the shape keeps the name of the file."""

from __future__ import annotations

import math
import os

from armillary.errors import FormatError, Remedy
from armillary.formats.mjcf_strip import MuJoCo, strip
from armillary.formats.references import Bounds, why_refused
from armillary.formats.xml import shortened

_AUTO, _TRUE = 2, 1  # mjtInertiaFromGeom
_MESH = 7  # mjtGeom
_CORNERS = (1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1)
_FACES = (0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2)

Remark = tuple[str, str, str, str]  # level, kind, name, text


class Assets:
    """What became of the files: a name for every mesh, and remarks for the report."""

    def __init__(self, spec: MuJoCo, bounds: Bounds, path: str):
        self.spec, self.bounds, self.path = spec, bounds, path
        self.meshes: dict[str, str] = {}  # name of the mesh -> its file, from the model's folder
        self.remarks: list[Remark] = []
        users = _users(spec)
        for mesh in list(spec.meshes):
            if mesh.file:
                self._mesh(mesh, users.get(mesh.name, []))
        self._skins()
        self.taken_out = strip(spec)

    def _mesh(self, mesh: MuJoCo, users: list[tuple[MuJoCo, MuJoCo]]) -> None:
        reference = _reference(mesh, self.spec)
        refusal = why_refused(reference, self.bounds)
        there = self.bounds.locate(reference) is not None
        heavy = next((body for body, geom in users if _weighs(body, geom, self.spec)), None)
        if heavy is not None:
            self._needed(heavy, mesh, reference, refusal, there)
        if refusal is None:
            self.meshes[mesh.name] = reference
        else:
            self._remark("ignored", mesh.name, f"'{reference}' refused, never opened: {refusal}")
        if heavy is None:
            if refusal is None and not there:
                self._remark(
                    "warning",
                    mesh.name,
                    f"there is no file '{reference}'; its bodies "
                    "have inertias of their own, so only a picture lacks",
                )
            self._stand_in(mesh, users, usable=there and refusal is None)

    def _needed(
        self, body: MuJoCo, mesh: MuJoCo, reference: str, refusal: str | None, there: bool
    ) -> None:
        """Of a mesh that gives a body its mass, there is no stand-in."""
        if refusal is None and there:
            return
        found = f"is refused: {refusal}" if refusal else "is not there"
        raise FormatError(
            f"body '{body.name}' has no <inertial>, so its mass comes from mesh '{mesh.name}', and "
            f"'{shortened(reference, 120)}' {found}.",
            self.path,
            remedy=Remedy("root", {"otherwise": "Give the body an <inertial>"}),
        )

    def _stand_in(self, mesh: MuJoCo, users: list[tuple[MuJoCo, MuJoCo]], usable: bool) -> None:
        fitted = [geom for _, geom in users if int(geom.type) != _MESH]
        if fitted and usable:
            return  # the size of a primitive comes from the mesh
        for geom in fitted:
            self._remark("ignored", mesh.name, "a geom that takes its size from it")
            self.spec.delete(geom)
        mesh.file, mesh.content_type = "", ""
        mesh.uservert, mesh.userface = list(map(float, _CORNERS)), list(_FACES)

    def _skins(self) -> None:
        """Skins: nothing of them is read."""
        for skin in [s for s in self.spec.skins if s.file]:
            self.spec.delete(skin)

    def _remark(self, level: str, name: str, text: str) -> None:
        self.remarks.append((level, "mesh", name, shortened(text, 300)))


def _users(spec: MuJoCo) -> dict[str, list[tuple[MuJoCo, MuJoCo]]]:
    """Bodies and geoms by the mesh they use."""
    users: dict[str, list[tuple[MuJoCo, MuJoCo]]] = {}
    for body in spec.bodies:
        for geom in body.geoms:
            if geom.meshname:
                users.setdefault(geom.meshname, []).append((body, geom))
    return users


def _weighs(body: MuJoCo, geom: MuJoCo, spec: MuJoCo) -> bool:
    """Does this geom give its body mass?"""
    source = int(spec.compiler.inertiafromgeom)
    if body.name == "world" or not (
        source == _TRUE or (source == _AUTO and not body.explicitinertial)
    ):
        return False
    low, high = (int(x) for x in spec.compiler.inertiagrouprange)
    mass = float(geom.mass)
    heavy = float(geom.density) != 0.0 if math.isnan(mass) else mass != 0.0
    return heavy and low <= int(geom.group) <= high


def _reference(mesh: MuJoCo, spec: MuJoCo) -> str:
    """The file of a mesh as seen from the folder of the model."""
    file = mesh.file.replace("\\", "/")
    if spec.strippath:
        file = os.path.basename(file)
    folder = getattr(mesh, "compiler", spec.compiler).meshdir.replace("\\", "/").rstrip("/")
    return f"{folder}/{file}" if folder and not file.startswith("/") else file
