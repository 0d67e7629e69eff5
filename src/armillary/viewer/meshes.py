"""Meshes of bodies, read by trimesh, thinned out for pages.

Files are found as the readers find them: below the model's root folder or in its packages.
"""

from __future__ import annotations

from armillary.errors import how_to_install
from armillary.model.model import Model
from armillary.model.parts import Shape
from armillary.viewer.schema import MeshPart, ShapePart


class Meshes:
    """The meshes of a model, each read once; notes say what could not be shown."""

    def __init__(self, model: Model, faces: int):
        self.model, self.faces = model, faces
        self.parts: dict[str, MeshPart] = {}
        self.notes: list[str] = []

    def find(self, shape: Shape, body: str) -> list[ShapePart]:
        return []
