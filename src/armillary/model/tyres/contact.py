"""Kinematics of a wheel on a road: the point of contact, its axes, and how the rim moves there.

Axes of the tyre are those of ISO 8855 (W): x_W forward in the plane of the wheel and of the road,
z_W the road's normal, y_W to the left.  The wheel turns forward with a positive rate about its
axis, which points to the left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from armillary.model.roads.road import Ground, Road
from armillary.scalar import Scalar, atan2, sqrt, where
from armillary.spatial import Vector

_LYING = 1e-24  # sin² between axis and normal: a wheel that lies on its side has no track


@dataclass(frozen=True)
class WheelContact:
    """All vectors along the axes of the road's frame.

    r: centre of the wheel, e: its axis (unit), w, u: angular velocity and velocity of the centre,
    relative to the road; ground: the road below it, foot: that point."""

    r: Vector
    e: Vector
    w: Vector
    u: Vector
    radius: Scalar
    ground: Ground
    foot: Vector

    @cached_property
    def z(self) -> Vector:
        """The normal."""
        return self.ground.normal

    @cached_property
    def _cosine(self) -> Scalar:
        """Of the camber."""
        s = self.sine
        return sqrt(where(1.0 - s * s > _LYING, 1.0 - s * s, _LYING))

    @cached_property
    def cosine(self) -> Scalar:
        return self._cosine

    @cached_property
    def sine(self) -> Scalar:
        """Of the camber (inclination): positive where the top of the wheel leans to the right."""
        return self.e.dot(self.z)

    @cached_property
    def camber(self) -> Scalar:
        return atan2(self.sine, self.cosine)

    @cached_property
    def up(self) -> Vector:
        """From the point of contact to the centre, in the plane of the wheel; unit."""
        return (self.z - self.e * self.sine) * (1.0 / self.cosine)

    @cached_property
    def x(self) -> Vector:
        return self.e.cross(self.z) * (1.0 / self.cosine)

    @cached_property
    def y(self) -> Vector:
        return self.z.cross(self.x)

    @cached_property
    def loaded(self) -> Scalar:
        """From the centre to the road, in the plane of the wheel, m."""
        return self.z.dot(self.r - self.foot) / self.cosine

    @cached_property
    def deflection(self) -> Scalar:
        """Of the radius, m; negative in the air."""
        return self.radius - self.loaded

    @cached_property
    def arm(self) -> Vector:
        """From the centre to the point of contact."""
        return self.up * -self.loaded

    @cached_property
    def rim(self) -> Vector:
        """Velocity there of what is fixed to the wheel."""
        return self.u + self.w.cross(self.arm)

    @cached_property
    def spin(self) -> Scalar:
        return self.w.dot(self.e)

    @cached_property
    def forward(self) -> Scalar:
        """Speed of the point of contact along x: that of the rim without the spin, and of the
        centre, for what else turns the wheel moves neither along x."""
        return self.u.dot(self.x)

    @cached_property
    def sideways(self) -> Scalar:
        """Slip velocity along y."""
        return self.rim.dot(self.y)

    @cached_property
    def approach(self) -> Scalar:
        """Rate of the deflection, m/s."""
        return -(self.rim.dot(self.z) / self.cosine)

    @cached_property
    def yaw(self) -> Scalar:
        """Rate of turning about the normal without the part of the spin, rad/s."""
        return self.w.dot(self.z) - self.spin * self.sine


def touch(
    road: Road,
    r: Vector,
    e: Vector,
    w: Vector,
    u: Vector,
    radius: Scalar,
    lift: tuple[Scalar, Scalar],
) -> WheelContact:
    """The road below a wheel.  lift: what the surface is raised by, m, and its rate."""
    ground = road.at(r.x, r.y)
    x, y = r.x, r.y
    if not road.plane:  # where the rim points to, seen from above
        n = ground.normal
        s = e.dot(n)
        down = (n - e * s) * (radius / sqrt(where(1.0 - s * s > _LYING, 1.0 - s * s, _LYING)))
        x, y = r.x - down.x, r.y - down.y
        ground = road.at(x, y)
    height, rate = lift
    return WheelContact(
        r, e, w, Vector(u.x, u.y, u.z - rate), radius, ground, Vector(x, y, ground.z + height)
    )
