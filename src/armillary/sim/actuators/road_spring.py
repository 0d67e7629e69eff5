"""A spring and damper that stands on a road which passes below: the vertical side of a tyre."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from types import MappingProxyType

from armillary.errors import InputError
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar, cos, sin, where
from armillary.sim.control.block import Block, Scalars, made_for
from armillary.sim.motion.coordinates import coordinates, freedoms, one_number

Track = tuple[Scalar, Scalar]  # height (m) and slope (1) at a distance


@dataclass(frozen=True)
class Bump:
    """z = height/2 (1 - cos(2π (s - start)/length)) over its length, level elsewhere; m."""

    height: float
    length: float
    start: float = 0.0

    def at(self, s: Scalar) -> Track:
        x = (s - self.start) / self.length
        turn = 2.0 * pi * where(x < 0.0, 0.0, where(x > 1.0, 1.0, x))
        z = 0.5 * self.height * (1.0 - cos(turn))
        return z, pi * self.height / self.length * sin(turn)


@dataclass(frozen=True)
class SineRoad:
    """z = height sin(2π s/length), m."""

    height: float
    length: float

    def at(self, s: Scalar) -> Track:
        turn = 2.0 * pi * s / self.length
        return self.height * sin(turn), 2.0 * pi * self.height / self.length * cos(turn)


class RoadSpring(Block):
    """Force of a road that passes below at a speed, on a joint that moves up with its coordinate x:

        F = preload + stiffness (z(s) - x) + damping (z'(s) speed - x'),     s = speed t,     F ≥ 0

    stiffness N/m, damping N s/m, preload N (where z = x = 0), speed m/s.  lifts: the wheel may
    leave the road (F ≥ 0); False: it is tied to it.  Signals at this joint: `road_force` N, and
    `road_height` m."""

    entries: list[int]
    signal_units = MappingProxyType({"road_force": "N", "road_height": "m"})
    argument_units = MappingProxyType(
        {
            "speed": "m/s",
            "stiffness": "N/m",
            "damping": "N s/m",
            "preload": "N",
            "road.height": "m",
            "road.length": "m",
            "road.start": "m",
        }
    )

    def __init__(
        self,
        mechanism: Mechanism,
        joint: str,
        road: Bump | SineRoad,
        speed: float,
        stiffness: float,
        damping: float = 0.0,
        preload: float = 0.0,
        lifts: bool = True,
    ):
        if not isinstance(road, (Bump, SineRoad)):
            raise InputError(f"road: expected a Bump or SineRoad, found {type(road).__name__}.")
        self.built_for = made_for(mechanism)
        self.entries = freedoms(mechanism, joint)
        if len(self.entries) != 1 or mechanism.v_units[self.entries[0]] != "m":
            raise InputError(f"road_spring: expected a joint along one line, found '{joint}'.")
        self.places = coordinates(mechanism, self.entries)
        self.road, self.lifts = road, bool(lifts)
        self.speed = one_number("speed", speed)
        self.stiffness = one_number("stiffness", stiffness, 0.0)
        self.damping = one_number("damping", damping, 0.0)
        self.preload = one_number("preload", preload)

    def _law(self, t: Scalar, q: Scalars, v: Scalars) -> tuple[Scalar, Scalar]:
        """Force and height of the road."""
        z, slope = self.road.at(self.speed * t)
        stretch, rate = z - q[self.places[0]], slope * self.speed - v[self.entries[0]]
        force = self.preload + self.stiffness * stretch + self.damping * rate
        return (where(force > 0.0, force, 0.0) if self.lifts else force), z

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        forces = list(u)
        forces[self.entries[0]] = forces[self.entries[0]] + self._law(t, q, v)[0]
        return forces

    def signals(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> dict[str, list[Scalar]]:
        return {
            name: self._at_joint(x, len(v))
            for name, x in zip(("road_force", "road_height"), self._law(t, q, v), strict=True)
        }

    def _at_joint(self, x: Scalar, nv: int) -> list[Scalar]:
        found: list[Scalar] = [0.0] * nv
        found[self.entries[0]] = x
        return found
