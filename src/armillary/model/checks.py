"""Is this part possible?  Counts of numbers, unit axes, masses and tensors, friction, motions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

from armillary.errors import ModelError
from armillary.joints import Joint
from armillary.model.parts import Body, JointSpec, Limits, Mass, Motor, Pose, Rotor, Shape, Triple
from armillary.model.passive import LOADS, Passive

# A tensor printed with a few digits may miss the inequality by its rounding.
ROUNDING = 1e-6
NO_LENGTH = 1e-100  # of a quaternion: the squares of smaller entries are nothing
_SYMMETRIC = 1e-9  # of the largest entry of a tensor
TENSOR = ("xx", "yy", "zz", "xy", "xz", "yz")


def numbers(values: Any, size: int, part: str) -> tuple[float, ...]:
    """`size` finite floats from what a person wrote."""
    try:
        result = tuple(float(x) for x in values)
    except (TypeError, ValueError, OverflowError):
        result = ()
    if len(result) != size or not all(math.isfinite(x) for x in result):
        raise ModelError(f"{part}: expected {size} finite numbers, found {values!r}.")
    return result


def check_turns(part: str, joint: Joint, q: Sequence[float]) -> None:
    """A quaternion of any length is scaled, but one without length has no direction."""
    if joint.nq != joint.nv and max(map(abs, q[:4])) < NO_LENGTH:
        raise ModelError(
            f"{part}: its quaternion {tuple(q[:4])} is zero; expected (w, x, y, z) of length 1. "
            f"(1, 0, 0, 0) is no turn."
        )


def number(value: Any, part: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{part}: expected a number, found {value!r}.") from None


def tensor_entries(inertia: Any, part: str) -> tuple[float, ...]:
    """(xx, yy, zz, xy, xz, yz) from three or six numbers, a symmetric 3x3 or a mapping of names."""
    if isinstance(inertia, Mapping):
        unknown = sorted(set(inertia) - set(TENSOR))
        if unknown:
            raise ModelError(f"{part}: unknown inertia entries {unknown}. Use {', '.join(TENSOR)}.")
        return tuple(number(inertia.get(k, 0.0), f"{part}, inertia {k}") for k in TENSOR)
    if not isinstance(inertia, Iterable):
        raise ModelError(f"{part}, inertia: expected three or six numbers, found {inertia!r}.")
    rows = list(inertia)
    if len(rows) == 3 and all(
        isinstance(row, Iterable) and not isinstance(row, str) for row in rows
    ):
        tensor = [numbers(row, 3, f"{part}, inertia") for row in rows]
        pairs = ((0, 1), (0, 2), (1, 2))
        size = max(abs(x) for row in tensor for x in row)
        if any(abs(tensor[i][k] - tensor[k][i]) > _SYMMETRIC * size for i, k in pairs):
            raise ModelError(f"{part}, inertia: expected a symmetric tensor, found {inertia!r}.")
        return (*(tensor[i][i] for i in range(3)), *(tensor[i][k] for i, k in pairs))
    entries = tuple(number(x, f"{part}, inertia") for x in rows)
    if len(entries) not in (3, 6):
        raise ModelError(f"{part}: inertia takes 3 or 6 numbers, found {len(entries)}.")
    return entries + (0.0,) * (6 - len(entries))


def per_axis(part: str, what: str, given: object, kind: type, nv: int) -> tuple:
    """One entry per degree of freedom: a single one is used for all of them."""
    if isinstance(given, kind):
        return (given,) * nv
    entries = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if not all(isinstance(entry, kind) for entry in entries):
        raise ModelError(f"{part}: `{what}` takes {kind.__name__}(...), found {given!r}.")
    if entries and len(entries) != nv:
        raise ModelError(
            f"{part}: `{what}` needs one entry per degree of freedom ({nv}), found {len(entries)}."
        )
    return entries


def principal_moments(tensor: tuple[float, ...]) -> Triple:
    """Eigenvalues of a symmetric 3x3 (xx, yy, zz, xy, xz, yz), ascending, by Jacobi rotations."""
    xx, yy, zz, xy, xz, yz = tensor
    a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    for _ in range(30):
        p, q = max(((0, 1), (0, 2), (1, 2)), key=lambda ij: abs(a[ij[0]][ij[1]]))
        off = a[p][q]
        if abs(off) <= 1e-16 * (abs(a[0][0]) + abs(a[1][1]) + abs(a[2][2])):
            break
        theta = 0.5 * math.atan2(2.0 * off, a[q][q] - a[p][p])
        c, s = math.cos(theta), math.sin(theta)
        for k in range(3):
            akp, akq = a[k][p], a[k][q]
            a[k][p], a[k][q] = c * akp - s * akq, s * akp + c * akq
        for k in range(3):
            apk, aqk = a[p][k], a[q][k]
            a[p][k], a[q][k] = c * apk - s * aqk, s * apk + c * aqk
    low, mid, high = sorted((a[0][0], a[1][1], a[2][2]))
    return (low, mid, high)


def mass_fault(mass: Mass) -> str | None:
    """What makes a mass useless for every question, or None."""
    numbers = (mass.mass, *mass.com, *mass.tensor)
    if not all(math.isfinite(x) for x in numbers):
        return f"mass, centre and tensor must be finite numbers, found {numbers}"
    return f"the mass is negative: {mass.mass:g} kg" if mass.mass < 0.0 else None


def inertia_fault(mass: Mass) -> str | None:
    """What is physically impossible about this body, or None.

    The mass must not be negative, the principal moments must not be negative, and none may
    exceed the sum of the two others (the Euler tensor ½ tr(I) 1 - I is a sum of squares)."""
    if fault := mass_fault(mass):
        return fault
    low, mid, high = principal_moments(mass.tensor)
    slack = ROUNDING * max(abs(high), abs(low))
    if low < -slack:
        return (
            f"the smallest principal moment about the centre of mass is negative: {low:.6g} kg m² "
            f"(principal moments {low:.6g}, {mid:.6g}, {high:.6g})"
        )
    if high > low + mid + slack:
        return (
            f"the triangle inequality I3 <= I1 + I2 of the principal moments is violated: "
            f"{high:.6g} > {low:.6g} + {mid:.6g}, by {high - low - mid:.3g} kg m²"
        )
    if mass.mass == 0.0 and high > 0.0:
        return f"a body of zero mass cannot have a moment of inertia (found up to {high:.6g} kg m²)"
    return None


def unit_axis(axis: Sequence[float], part: str) -> tuple[Triple, bool]:
    """The axis as a unit vector, and whether it had to be scaled."""
    try:
        x, y, z = (float(a) for a in axis)
    except (TypeError, ValueError):
        raise ModelError(f"{part}: an axis is three numbers, found {axis!r}.") from None
    length = math.sqrt(x * x + y * y + z * z)
    if not math.isfinite(length) or length < 1e-9:
        raise ModelError(
            f"{part}: the axis {(x, y, z)} has no direction. Give a vector of length 1."
        )
    if abs(length - 1.0) <= 4e-16:
        return (x, y, z), False
    return (x / length, y / length, z / length), abs(length - 1.0) > 1e-6


def check_pose(part: str, pose: Pose) -> None:
    """Finite numbers, and axes that are orthonormal and right-handed."""
    R = pose.rotation
    if not all(math.isfinite(x) for x in (*pose.position, *R[0], *R[1], *R[2])):
        raise ModelError(f"{part}: its placement must be finite numbers, found {pose}.")
    for i in range(3):
        for j in range(3):
            product = sum(R[i][k] * R[j][k] for k in range(3))
            if abs(product - (1.0 if i == j else 0.0)) > 1e-6:
                raise ModelError(
                    f"{part}: the rotation of its placement is not orthonormal "
                    f"(rows {i + 1} and {j + 1}: product {product:.6g})."
                )
    (a, b, c), (d, e, f), (g, h, k) = R
    if a * (e * k - f * h) - b * (d * k - f * g) + c * (d * h - e * g) < 0.0:
        raise ModelError(
            f"{part}: the rotation of its placement is a mirror image (determinant -1). "
            f"Use right-handed axes."
        )


# how many numbers give the size of a shape; a prism: its length and two for each corner
_SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "semi-cylinder": 2, "ellipsoid": 3,
          "hollow-cylinder": 3, "cone": 3, "mesh": 0}  # fmt: skip


def check_shape(part: str, shape: Shape) -> None:
    """A kind that is known, with as many finite numbers as it needs."""
    if shape.kind not in (*_SIZES, "prism"):
        raise ModelError(
            f"{part}: unknown shape '{shape.kind}'. Known: {', '.join(_SIZES)}, prism."
        )
    count = len(shape.size)
    if shape.kind == "prism":
        right, wanted = count >= 7 and count % 2 == 1, "its length and x, y of 3 corners or more"
    else:
        right = count == _SIZES[shape.kind] or shape.kind == "mesh"
        wanted = f"{_SIZES[shape.kind]} number{'s' if _SIZES[shape.kind] > 1 else ''}"
    if not right or not all(math.isfinite(x) for x in shape.size):
        found = ", ".join(f"{x:g}" for x in shape.size[:12]) or "none"
        raise ModelError(f"{part}: the size of a {shape.kind} is {wanted} (m), found {found}.")


def check_passives(spec: JointSpec, coordinates: bool) -> None:
    """coordinates: has every degree of freedom of the joint one of its own?"""
    for passive in spec.passive:
        check_passive(spec.name, passive, spec.kind)
    if not coordinates and any(p.spring for p in spec.passive):
        raise ModelError(
            f"joint '{spec.name}': a spring needs a coordinate; {spec.kind} joints have a "
            f"quaternion. Use a gimbal joint for small angles."
        )


def check_closing_joint(loop: str, spec: JointSpec, coordinates: bool) -> None:
    """A joint that closes a chain has no coordinate in q: what hangs on one is refused."""
    check_passives(spec, coordinates)
    part, cure = f"loop '{loop}'", "Cut the chain at another joint and make this one that of a"
    loaded = [name for p in spec.passive for name in LOADS if getattr(p, name)]
    if loaded:
        raise ModelError(
            f"{part}: {loaded[0]}: friction by load is not possible in a joint that closes a "
            f"chain. {cure} body, or use `coulomb`."
        )
    if any(rotor.reflected for rotor in spec.rotors):
        raise ModelError(f"{part}: a joint that closes a chain drives no rotor. {cure} body.")


def check_passive(joint: str, passive: Passive, kind: str) -> None:
    """kind: of the joint."""
    for name, value in _passive_numbers(joint, passive):
        if not math.isfinite(value):
            raise ModelError(f"joint '{joint}': {name} must be a finite number, found {value}.")
        if value < 0 and name not in ("rest", "spring"):
            raise ModelError(f"joint '{joint}': {name} must not be negative, found {value}.")
    if passive.static and passive.static < max(passive.each_way()):
        raise ModelError(
            f"joint '{joint}': static friction {passive.static} is below Coulomb friction "
            f"{passive.coulomb}."
        )
    if passive.static and not passive.stribeck:
        raise ModelError(
            f"joint '{joint}': static friction needs the Stribeck velocity over which it fades."
        )
    speeds = [v for v, _ in passive.table]
    if passive.table and (len(speeds) < 2 or any(b <= a for a, b in pairwise(speeds))):
        raise ModelError(f"joint '{joint}': a friction table needs increasing velocities.")
    if passive.loaded:
        _check_load(joint, passive, kind)
    if passive.law is not None:
        _check_law(joint, passive.law)


def _check_law(joint: str, law: object) -> None:
    """A function (x, v) that gives a number, where it gives one at all."""
    if not callable(law):
        raise ModelError(f"joint '{joint}': law is a function (x, v), found {law!r:.60}.")
    try:
        float(law(0.1, 0.2))
    except (TypeError, LookupError, AttributeError) as fault:
        raise ModelError(
            f"joint '{joint}': law(x, v) at x = 0.1, v = 0.2 failed: {fault}. It takes two scalars "
            f"and gives one; use armillary.scalar for sqrt, where, ... of them."
        ) from None
    except (ArithmeticError, ValueError):  # it has no value there
        return


def _passive_numbers(joint: str, passive: Passive) -> Iterator[tuple[str, float]]:
    """Every number of it with its name; both of a `coulomb` that is a pair."""
    for name in (f.name for f in fields(Passive) if f.name not in ("table", "law", "coulomb")):
        yield name, number(getattr(passive, name), f"joint '{joint}': {name}")
    pair = passive.coulomb
    if not isinstance(pair, tuple):
        yield "coulomb", number(pair, f"joint '{joint}': coulomb")
        return
    if len(pair) != 2:
        raise ModelError(
            f"joint '{joint}': coulomb takes one number or a pair (forward, backward), found "
            f"{len(pair)} numbers."
        )
    for value in pair:
        yield "coulomb", number(value, f"joint '{joint}': coulomb")


def _check_load(joint: str, passive: Passive, kind: str) -> None:
    given = [name for name in LOADS if getattr(passive, name)]
    if kind not in ("revolute", "prismatic", "helical"):
        raise ModelError(
            f"joint '{joint}': {given[0]} needs a joint of one axis (revolute, prismatic, "
            f"helical), found {kind}. Split it into such joints with massless bodies between."
        )
    if kind == "prismatic" and passive.load_axial:
        raise ModelError(
            f"joint '{joint}': load_axial, found {passive.load_axial}: the force along a "
            f"prismatic axis is its driving force. Use load_drive."
        )
    if passive.load_drive >= 1.0:
        raise ModelError(
            f"joint '{joint}': load_drive must be below 1, found {passive.load_drive}: friction "
            f"above the transmitted force leaves the acceleration undetermined. Model a "
            f"self-locking drive as a helical joint with load_axial."
        )


def check_prescribed(body: Body) -> None:
    """Rotors and motor: numbers that no machine has are always an error."""
    if not isinstance(body.motor, Motor | None):
        raise ModelError(
            f"joint '{body.joint.name}': `motor` takes Motor(...), found {body.motor!r:.60}."
        )
    motors = [body.motor] if body.motor else []
    for fault in (*map(drive_fault, body.joint.rotors), *map(motor_fault, motors)):
        if fault is not None:
            raise ModelError(f"joint '{body.joint.name}': {fault}.")


def drive_fault(rotor: Rotor) -> str | None:
    """What is impossible about a rotor, or None."""
    if not (math.isfinite(rotor.inertia) and rotor.inertia >= 0.0):
        return f"the rotor inertia must not be negative, found {rotor.inertia:g} kg m²"
    if not math.isfinite(rotor.gear) or rotor.gear == 0.0:
        return f"the gear of a rotor must not be zero, found {rotor.gear:g}"
    return None


def limits_fault(limits: Limits) -> str | None:
    """What is impossible about limits, or None."""
    low, high = limits.lower, limits.upper
    if low is not None and high is not None and not low <= high:
        return f"the lower limit {low:g} lies above the upper limit {high:g}"
    for name in ("velocity", "effort"):
        value = getattr(limits, name)
        if value is not None and not value >= 0.0:
            return f"the {name} limit must not be negative, found {value:g}"
    return None


def motor_fault(motor: Motor) -> str | None:
    """What is impossible about a motor, or None."""
    if not motor.resistance > 0.0:
        return f"the resistance of a motor must be positive, found {motor.resistance:g} ohm"
    if motor.gear == 0.0:
        return "the gear of a motor must not be zero"
    if not 0.0 < motor.efficiency <= 1.0:
        return f"the efficiency of a motor lies between 0 and 1, found {motor.efficiency:g}"
    if not motor.inductance >= 0.0:
        return f"the inductance of a motor must not be negative, found {motor.inductance:g} H"
    for what in (
        *("voltage_limit", "current_limit", "continuous_current", "speed_limit"),
        *("thermal_resistance", "thermal_time_constant"),
    ):
        limit = getattr(motor, what)
        if limit is not None and not limit >= 0.0:
            return f"the {what.replace('_', ' ')} of a motor must not be negative, found {limit:g}"
    numbers = (motor.resistance, motor.gear, motor.torque_constant, motor.inductance)
    if not all(math.isfinite(x) for x in numbers):
        return f"the numbers of a motor must be finite, found {numbers}"
    return None
