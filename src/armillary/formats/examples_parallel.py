"""Built-in parallel robots: a Stewart platform and a Delta robot."""

from __future__ import annotations

import math

from armillary.formats.examples_parts import (
    BLUE,
    DARK,
    ORANGE,
    STEEL,
    bar,
    built,
    close,
    free_coordinates,
    round_shape,
    solid,
)
from armillary.model import Builder, Limits, Passive, Pose, Rotor
from armillary.spatial import Matrix, Vector

OWN = "made up for Armillary"

# -- Stewart platform: six legs that change their length -----------------------------------------

_BASE_RADIUS, _PLATFORM_RADIUS = 0.60, 0.36
_BASE_ANGLES = (10, 110, 130, 230, 250, 350)  # degrees: pairs about 0, 120, 240
_PLATFORM_ANGLES = (50, 70, 170, 190, 290, 310)  # pairs about 60, 180, 300
_START = Pose.from_rpy((0.04, -0.03, 0.78), (0.06, -0.09, 0.12))  # of the platform


def _on_circle(radius: float, angle: float, z: float = 0.0) -> Vector:
    return Vector(radius * math.cos(angle), radius * math.sin(angle), z)


def _stewart(b: Builder) -> None:
    """A leg: a cylinder on a universal joint whose first axis points outward, and its piston with
    the ball in the platform; the slide is the length from joint to ball."""
    plate = round_shape(0.40, 0.03, "z", STEEL)
    own = solid(42.0, (0.01, -0.015, 0.06), (2.1, 1.9, 3.6, 0.05, -0.08, 0.04), plate)
    b.body("platform", joint="free", **own)
    screw = Rotor(inertia=4.0e-5, gear=628.0)  # 10 mm a turn
    stroke = Limits(0.55, 1.05, velocity=0.5, effort=4000.0)
    cylinder = bar(5.2, 0.48, 0.07, "z", DARK) | {"passive": Passive(viscous=0.05)}
    piston = bar(2.3, 0.50, 0.03, "-z", ORANGE) | {"passive": Passive(viscous=40.0)}
    piston |= {"rotor": screw, "limits": stroke}
    b.initial["platform"] = free_coordinates(_START.position, _START.rpy())
    for k, (low, high) in enumerate(zip(_BASE_ANGLES, _PLATFORM_ANGLES, strict=True), start=1):
        angle = math.radians(low)
        foot = _on_circle(_BASE_RADIUS, angle, 0.05)
        ball = _on_circle(_PLATFORM_RADIUS, math.radians(high), -0.04)
        joint = Pose.from_rpy(foot.leaves(), (0.0, 0.0, angle))
        b.body(f"cylinder{k}", joint="universal", axes=("x", "y"), at=joint, **cylinder)
        b.body(f"piston{k}", f"cylinder{k}", "prismatic", axis="z", **piston)
        ends = (f"piston{k}", (0.0, 0.0, 0.0)), ("platform", ball.leaves())
        close(b, f"ball{k}", *ends, "spherical")
        leg = Matrix(joint.rotation).T @ (_point(_START, ball) - foot)
        x, y, z = leg.leaves()
        length = math.sqrt(x * x + y * y + z * z)
        b.initial[f"cylinder{k}"] = (math.atan2(-y, z), math.asin(x / length))
        b.initial[f"piston{k}"] = length


def _point(pose: Pose, point: Vector) -> Vector:
    """A point of the posed frame in the outer one."""
    return Vector(*pose.position) + Matrix(pose.rotation) @ point


# -- Delta robot: three arms, each with a parallelogram of two rods ------------------------------

_SHOULDERS, _ARM, _FOREARM, _WRISTS, _HALF = 0.20, 0.30, 0.80, 0.05, 0.05
_HAND = Vector(0.08, -0.05, -0.78)  # centre of the platform at the start


def _arm_angle(wrist: Vector) -> float:
    """The downward angle of an arm whose rods reach the wrist; elbow outward.

    wrist: middle of its two balls seen from the shoulder; x outward, y along the motor's axis.
    |wrist - elbow| = forearm:  x cos a - z sin a = c."""
    x, y, z = wrist.leaves()
    c = (x * x + y * y + z * z + _ARM**2 - _FOREARM**2) / (2 * _ARM)
    return -math.atan2(z, x) - math.acos(c / math.hypot(x, z))


def _delta(b: Builder) -> None:
    """Rods hang on universal joints and end in balls of the platform: they keep it level.

    The first axis of a rod's joint is the motor's, the second one lies across the arm."""
    tensor = (4.6e-4, 4.4e-4, 7.8e-4, 1.0e-5, -2.0e-5, 1.5e-5)
    own = solid(0.46, (0.002, -0.001, -0.012), tensor, round_shape(0.06, 0.02, "z", STEEL))
    b.body("platform", joint="free", **own)
    upper = bar(1.15, _ARM, 0.04, "x", BLUE) | {"passive": Passive(viscous=0.05)}
    upper |= {"rotor": Rotor(inertia=8.0e-5, gear=25.0)}
    lower = bar(0.11, _FOREARM, 0.012, "-z", DARK)
    b.initial["platform"] = free_coordinates(_HAND.leaves())
    for k in range(3):
        heading = 2 * math.pi * k / 3
        joint = Pose.from_rpy(_on_circle(_SHOULDERS, heading).leaves(), (0.0, 0.0, heading))
        arm = f"arm{k + 1}"
        b.body(arm, joint="revolute", axis="y", at=joint, **upper)
        wrist = _on_circle(_WRISTS, heading)
        angle = _arm_angle(Matrix(joint.rotation).T @ (_HAND + wrist - Vector(*joint.position)))
        turned = joint.then(Pose.from_rpy(rpy=(0.0, angle, 0.0)))
        elbow = _point(turned, Vector(_ARM, 0.0, 0.0))
        x, y, z = (Matrix(turned.rotation).T @ (_HAND + wrist - elbow)).leaves()
        b.initial[arm] = angle
        for name, side in (("a", _HALF), ("b", -_HALF)):
            rod, loop = f"rod{k + 1}{name}", f"ball{k + 1}{name}"
            b.body(rod, arm, "universal", (_ARM, side, 0.0), axes=("y", "x"), **lower)
            b.initial[rod] = (math.atan2(-x, -z), math.asin(y / _FOREARM))
            across = _point(Pose(wrist.leaves(), joint.rotation), Vector(0.0, side, 0.0))
            close(b, loop, (rod, (0.0, 0.0, -_FOREARM)), ("platform", across.leaves()), "spherical")


PARALLEL = {
    "stewart": built(
        _stewart, "Stewart platform: six legs, universal - slide - ball, six freedoms", OWN
    ),
    "delta": built(
        _delta, "Delta robot: three arms, six rods as bodies, a platform that stays level", OWN
    ),
}
