"""Wheels on a plane: frame 1 is the ground (z up, the plane z = 0), frame 2 sits at the wheel's
centre with the axle along z.

The rows act at the point of contact: along the normal (a holonomic row, the wheel touches the
ground), along the track and across it (rolling without slip; errata 2-22, 2-23: the lateral row
carries the lateral force and must stay).
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.joints.closures import Closure, column, unit
from armillary.scalar import Scalar, sqrt
from armillary.spatial import Force, Transform, Vector

ROWS = ("normal", "longitudinal", "lateral")
_AXLE = Vector(0, 0, 1)


class RollingDisc(Closure):
    """A thin disc: it touches the ground at the lowest point of its rim."""

    def __init__(self, radius: Scalar, rows: Sequence[str] = ROWS):
        self.radius = radius
        self.rows = tuple(rows)
        self.units = ("m",) * len(self.rows)
        self.holonomic = tuple(row == "normal" for row in self.rows)

    def parameters(self) -> tuple[Scalar, ...]:
        return (self.radius,)

    def with_parameters(self, values: Sequence[Scalar]) -> RollingDisc:
        return type(self)(values[0], self.rows)

    def directions(self, X: Transform) -> dict[str, Vector]:
        """Normal, track (axle × normal) and across it (normal × track), in frame 2."""
        normal = column(X.E, 2)
        track = unit(_AXLE.cross(normal))
        return dict(zip(ROWS, (normal, track, normal.cross(track)), strict=True))

    def contact(self, X: Transform) -> Vector:
        """From the centre to the point of contact, in frame 2."""
        normal = column(X.E, 2)
        down = Vector(normal.x, normal.y, 0)
        return unit(down) * -self.radius

    def wrenches(self, X: Transform) -> list[Force]:
        point, along = self.contact(X), self.directions(X)
        return [Force(point.cross(along[row]), along[row]) for row in self.rows]

    def height(self, X: Transform) -> Scalar:
        """Of the lowest point above the ground."""
        x, y = X.E.rows[0][2], X.E.rows[1][2]
        return X.r.z - self.radius * sqrt(x * x + y * y)

    def residual(self, X: Transform) -> list[Scalar]:
        return [self.height(X) if row == "normal" else 0 for row in self.rows]


class RollingSphere(RollingDisc):
    """A ball: it touches the ground below its centre; the tangents are x and y of the ground."""

    def directions(self, X: Transform) -> dict[str, Vector]:
        axes = (column(X.E, 2), column(X.E, 0), column(X.E, 1))
        return dict(zip(ROWS, axes, strict=True))

    def contact(self, X: Transform) -> Vector:
        return column(X.E, 2) * -self.radius

    def height(self, X: Transform) -> Scalar:
        return X.r.z - self.radius


class KnifeEdge(RollingDisc):
    """A blade or skate at the centre: it slides along its track and not across it."""

    def contact(self, X: Transform) -> Vector:
        return Vector()

    def height(self, X: Transform) -> Scalar:
        return X.r.z
