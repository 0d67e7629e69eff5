"""What a vehicle is, beside its mechanism: the names of its wheels, its steering, its measures."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array, Keywords
from armillary.mechanism.mechanism import Mechanism
from armillary.model import Pose
from armillary.model.arguments import check_arguments
from armillary.model.checks import number
from armillary.scalar import Scalar, atan2, cos, sin
from armillary.shown import shown

Motion: TypeAlias = Callable[[Scalar], Scalar]


@shown
@dataclass(frozen=True)
class Vehicle:
    """A vehicle on its wheels.

    mechanism: what every question is asked of; chassis: the body that is steered and driven, with
    its frame on the road under the first axle, x forward, y left, z up (ISO 8855); wheels: the
    joints on which they roll (`wheel_bodies`: their bodies), from the front to the rear, left
    before right;
    tyres: of the same wheels, the names of their force elements, or of the wheels of the
    constraints where they roll without slip; steering: the coordinate that steers ("": none), and
    steering_gain, rad of the wheels' mean angle per unit of it, negative where wheels behind the
    others are turned: positive angles turn the vehicle to the left; driven: wheels with torque;
    steered: of vehicles whose coordinates steer a single wheel each, (coordinate, x, y) of each
    in m ahead of and to the left of the middle of the unsteered axle: all turn about one centre;
    axles: their x, m, in the chassis's frame; tracks: of every axle, m; radii: loaded, m;
    units: chassis of the tractor and of every trailer, in a row (the chassis alone where none are
    named); held: joints of what it carries, such as an arm, which motors hold still in drives."""

    mechanism: Mechanism
    wheels: tuple[str, ...]
    tyres: tuple[str, ...]
    radii: tuple[float, ...]
    axles: tuple[float, ...] = ()
    tracks: tuple[float, ...] = ()
    steering: str = ""
    steering_gain: float = 0.0
    steered: tuple[tuple[str, float, float], ...] = ()
    driven: tuple[str, ...] = ()
    chassis: str = "chassis"
    units: tuple[str, ...] = ()
    rolling: bool = False
    about: str = ""
    held: tuple[str, ...] = ()
    data: Keywords = field(default_factory=dict)  # the arguments it was made with

    def __post_init__(self) -> None:
        if not self.units:
            object.__setattr__(self, "units", (self.chassis,))

    @property
    def name(self) -> str:
        return self.mechanism.name

    @property
    def wheelbase(self) -> float:
        """From the first axle of the first unit to its last, m."""
        return max(self.axles) - min(self.axles) if self.axles else 0.0

    @cached_property
    def mass(self) -> float:
        """kg, everything."""
        return sum(body.mass.mass for body in self.mechanism.model.bodies)

    @cached_property
    def center_of_mass(self) -> Array:
        """At the start, in the world's axes, m."""
        return np.asarray(self.mechanism.center_of_mass(self.mechanism.initial))

    @cached_property
    def wheel_bodies(self) -> dict[str, str]:
        """Bodies of the wheels by their joints."""
        of = {body.joint.name: body.name for body in self.mechanism.model.bodies}
        return {wheel: of[wheel] for wheel in self.wheels}

    @cached_property
    def sides(self) -> dict[str, tuple[list[str], list[str]]]:
        """Wheels on the left and on the right of every unit that has both."""
        m = self.mechanism
        bodies, parents = list(m.bodies), m.model.parents
        start = np.asarray(m.poses(m.initial)[1])
        found: dict[str, tuple[list[str], list[str]]] = {unit: ([], []) for unit in self.units}
        for wheel in self.wheels:
            k = bodies.index(self.wheel_bodies[wheel])
            y = start[k, 1]
            while k >= 0 and bodies[k] not in found:
                k = parents[k]
            found[bodies[k] if k >= 0 else self.units[0]][0 if y > 0 else 1].append(wheel)
        return {unit: both for unit, both in found.items() if all(both)}

    @property
    def _forward(self) -> list[int]:
        """Entries of v that move units forward, on a free joint or a planar one; other units hang
        on these."""
        labels, known = (
            [f"{unit}.{x}" for unit in self.units for x in ("vx", "x")],
            self.mechanism.v_labels,
        )
        return [known.index(label) for label in labels if label in known]

    @property
    def stands(self) -> bool:
        """Nothing lets it drive: its chassis is on no free and no planar joint."""
        return not self._forward

    @property
    def single_track(self) -> bool:
        """All wheels behind each other: it can fall over."""
        return not any(self.tracks)

    @check_arguments
    def steering_motions(self, steer: Callable[[Scalar], Scalar]) -> dict[str, Motion]:
        """Steering coordinates over time, for an angle of the wheels over time (rad).  Wheels that
        are steered one by one: of the wheel that the middle of the front axle would have."""
        if not self.steered:
            gain = 1.0 / self.steering_gain
            return {self.steering: lambda t: steer(t) * gain}

        def of(x: float, y: float) -> Motion:
            return lambda t: self.own_angle(steer(t), x, y)

        return {name: of(x, y) for name, x, y in self.steered}

    @check_arguments
    def own_angle(self, angle: Scalar, x: float, y: float) -> Scalar:
        """Of a wheel at (x, y) from the unsteered axle, in a turn with the steering angle of the
        middle of the front axle: both stand square to the line to the turning centre."""
        s, c = sin(angle), cos(angle)
        return atan2(s * x, c * self.wheelbase - s * y)

    @check_arguments
    def start(self, speed: float = 0.0) -> tuple[Array, Array]:
        """q and v of straight driving at a speed (m/s): wheels roll, nothing else moves."""
        m = self.mechanism
        v = np.zeros(m.nv)
        if not math.isfinite(number(speed, f"start of '{self.name}', speed")):
            raise InputError(f"start of '{self.name}': speed is finite, m/s; found {speed!r}.")
        if speed and self.stands:
            raise InputError(
                f"'{self.chassis}' of '{self.name}' is on no free and no planar joint: it does not "
                f"drive. Give q and v to am.simulate yourself."
            )
        v[self._forward] = speed
        for wheel, radius in zip(self.wheels, self.rolling_radii, strict=True):
            v[m.v_labels.index(wheel)] = speed / radius
        return np.array(m.initial), v

    @cached_property
    def rolling_radii(self) -> tuple[float, ...]:
        """Travel per angle of the free rolling wheels at rest, m."""
        if self.rolling:
            return self.radii
        laws = {part.name: part.law for part in self.mechanism.model.elements}
        found = []
        for name, loaded in zip(self.tyres, self.radii, strict=True):
            law: Any = laws[name]
            deflection = law.radius - loaded
            found.append(float(law.model.rolling_radius(law.radius, deflection, 0.0)))
        return tuple(found)

    @check_arguments
    def wheel(self, name: str) -> str:
        """A wheel by the beginning of its name: "front-left"."""
        for wheel in self.wheels:
            if wheel.startswith(name):
                return wheel
        raise unknown_name("wheel", name, self.wheels)

    @check_arguments
    def mount(
        self,
        other: Mechanism,
        at: Pose | Sequence[float] | None = None,
        prefix: str = "arm_",
        held: bool = True,
        *,
        on: str = "",
        **options: Any,
    ) -> Vehicle:
        """With another mechanism on it, as `mechanism.mount`: on a frame or body (default: the
        chassis), at a pose or a point of that, m (default: 1 m above the chassis's origin on the
        road); options: `by`, `joint` and what describes it.  held: its motors hold it still in
        drives (`drive` prescribes its hinges and slides); else it moves."""
        if at is None and not on:
            at = (0.0, 0.0, 1.0)
        carried = self.mechanism.mount(other, on or self.chassis, at, prefix, **options)
        more = joints_of_load(carried, self.mechanism) if held else ()
        return replace(self, mechanism=carried, held=(*self.held, *more))

    def save(self, path: str | os.PathLike[str], **options: Any) -> None:
        """The mechanism as a file: .yaml, a text that a person can edit."""
        self.mechanism.save(path, **options)

    def __str__(self) -> str:
        m, counts = self.mechanism, self.mechanism.counts
        how = "rolling without slip" if self.rolling else "tyres"
        how = "standing on points of the road, they do not roll" if self.stands else how
        lines = [
            f"{self.name}: {self.about}" if self.about else self.name,
            f"  {len(m.bodies)} bodies, {self.mass:.6g} kg, {counts}",
            f"  wheelbase {self.wheelbase:.4g} m, {len(self.wheels)} wheels ({how}): "
            + ", ".join(self.wheels[:6])
            + (" ..." if len(self.wheels) > 6 else ""),
        ]
        if self.steering:
            gain = f"{self.steering_gain:.4g} rad per {m.v_units[m.v_labels.index(self.steering)]}"
            gain = gain.removesuffix("/s")
            lines.append(
                f"  steered by '{self.steering}' ({gain}), driven: {', '.join(self.driven)}"
            )
        return "\n".join(lines)


def joints_of_load(loaded: Mechanism, empty: Mechanism) -> tuple[str, ...]:
    """Hinges and slides that came with what was mounted."""
    own = set(empty.v_labels)
    return tuple(x for x in loaded.v_labels if x in loaded.q_labels and x not in own)
