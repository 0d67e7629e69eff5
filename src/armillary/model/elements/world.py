"""Forces from the world on one body: a force in world axes, gravity of a point, drag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armillary.errors import ModelError
from armillary.model.elements.along import inverse
from armillary.model.elements.element import ElementLaw, End
from armillary.model.parts import Triple
from armillary.scalar import Scalar, sqrt
from armillary.spatial import Force, Vector
from armillary.spatial.small import length
from armillary.units import WRENCH, WRENCH_UNITS

_NONE: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class FixedWrench(ElementLaw):
    """A constant force and moment along the axes of the first frame (the world), on the second
    body at the second frame's origin.  The force has the potential -f·p; a moment has none."""

    kind = "fixed wrench"
    numbers = ("force", "moment")
    named = numbers
    inputs = ("moment", "force")

    force: Triple = _NONE  # N
    moment: Triple = _NONE  # N m

    def input_labels(self) -> tuple[tuple[str, str], ...]:
        return tuple(zip(WRENCH, WRENCH_UNITS, strict=True))

    def check(self, part: str) -> None:
        if not (any(self.force) or any(self.moment)):
            raise ModelError(f"{part}: it exerts nothing. Give it a force or a moment.")

    def act(self, ends: Sequence[End]) -> None:
        to_second = ends[1].X.E @ ends[0].X.E.T
        f = Force(to_second @ Vector(*self.moment), to_second @ Vector(*self.force))
        ends[1].twist(f)
        ends[0].twist(_reaction(ends, Vector(*self.moment), Vector(*self.force)))

    def potential(self, ends: Sequence[End]) -> Scalar:
        return -Vector(*self.force).dot(_seen(ends))


def _seen(ends: Sequence[End]) -> Vector:
    """Origin of the second frame in the first."""
    return ends[0].X.E @ (ends[1].position - ends[0].position)


def _reaction(ends: Sequence[End], moment: Vector, force: Vector) -> Force:
    """On the first body, in the first frame, of a wrench at the second, along the first's axes."""
    return Force(-(moment + _seen(ends).cross(force)), -force)


@dataclass(frozen=True)
class PointGravity(ElementLaw):
    """Attraction of a mass point at the second frame by a point at the first:

        f = -strength mass r / |r|³,   potential -strength mass / |r|

    strength: G M of the attracting body, m³/s²."""

    kind = "point gravity"
    numbers = ("strength", "mass")
    named = numbers

    strength: float = 0.0  # m³/s²
    mass: float = 0.0  # kg

    def check(self, part: str) -> None:
        if not (self.strength > 0.0 and self.mass > 0.0):
            raise ModelError(
                f"{part}: strength (G M, m³/s²) and mass (kg) are positive; found "
                f"{self.strength:g} and {self.mass:g}."
            )

    def _pull(self, ends: Sequence[End]) -> tuple[Vector, Scalar]:
        r = ends[1].position - ends[0].position
        return r, inverse(sqrt(r.dot(r)))

    def act(self, ends: Sequence[End]) -> None:
        r, near = self._pull(ends)
        f = r * (self.strength * self.mass * (near * near * near))
        ends[0].push(f)
        ends[1].push(-f)

    def potential(self, ends: Sequence[End]) -> Scalar:
        r, near = self._pull(ends)  # 1/|r| in such a way that it is no number where r is 0
        return -(self.strength * self.mass * ((r.dot(r) * near) * (near * near)))


@dataclass(frozen=True)
class Drag(ElementLaw):
    """Resistance against the velocity u of the second frame's origin through a medium that moves
    with `wind` (along the first frame's axes, the world's):  f = -(linear + quadratic |u|) u."""

    kind = "drag"
    numbers = ("linear", "quadratic", "wind")
    named = numbers

    linear: float = 0.0  # N s/m
    quadratic: float = 0.0  # N s²/m²: ½ density times area times drag coefficient
    wind: Triple = _NONE  # m/s

    def check(self, part: str) -> None:
        for name in ("linear", "quadratic"):
            if getattr(self, name) < 0.0:
                raise ModelError(f"{part}: its {name} part is negative: {getattr(self, name):g}.")
        if not (self.linear or self.quadratic):
            raise ModelError(f"{part}: it exerts nothing. Give it a linear or a quadratic part.")

    def act(self, ends: Sequence[End]) -> None:
        wind = ends[0].X.E.T @ Vector(*self.wind)
        u = ends[1].velocity - ends[0].velocity - wind
        f = u * (self.linear + self.quadratic * length(tuple(u)))
        ends[1].push(-f)
        ends[0].twist(_reaction(ends, Vector(), ends[0].X.E @ -f))


# where the world is meant and no body: they stay when a mechanism is mounted on another
WORLD_LAWS = (FixedWrench, PointGravity, Drag)
