"""What a tyre asks a road: height, normal and friction at a place (x, y)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from armillary.model.numbered import Numbered
from armillary.scalar import Scalar, sqrt
from armillary.spatial import Vector


@dataclass(frozen=True)
class Ground:
    """z (m), its slopes dz/dx and dz/dy (1), and the friction of the place relative to that the
    tyre's data were found on."""

    z: Scalar
    slope_x: Scalar
    slope_y: Scalar
    mu: Scalar

    @property
    def normal(self) -> Vector:
        """Unit, upwards."""
        if all(type(x) is int and x == 0 for x in (self.slope_x, self.slope_y)):
            return Vector(0, 0, 1)
        n = Vector(-self.slope_x, -self.slope_y, 1)
        return n * (1.0 / sqrt(n.dot(n)))


@dataclass(frozen=True)
class Road(Numbered):
    """A surface z(x, y) in the frame that carries it (the world, or a body); z is up."""

    plane: ClassVar[bool] = False  # one tangent plane everywhere

    def at(self, x: Scalar, y: Scalar) -> Ground:
        raise NotImplementedError
