"""Denavit-Hartenberg rows to a mechanism, standard and modified.

standard: frame i sits at the far end of link i, z_i along joint i + 1,
    T = Rz(theta) Tz(d) Tx(a) Rx(alpha)   [Swartz1982; errata 1-1: a counts along x_i]
modified: frame i sits on joint i, z_i along joint i,
    T = Rx(alpha) Tx(a) Rz(theta) Tz(d)   [VanDerMerwe1995, 2.18-2.19]
A revolute joint rotates by q beyond theta, a prismatic joint moves by q beyond d.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from armillary.errors import FormatError
from armillary.formats.tables import (
    chain,
    check_keys,
    mass_of_row,
    motor_of_row,
    moved_mass,
    number,
    parts_of_row,
    passive_of_row,
    rotated_x,
    rotated_z,
    shifted,
)
from armillary.model import (
    Body,
    Builder,
    JointSpec,
    Limits,
    Mass,
    Model,
    Motor,
    Pose,
    Report,
    Rotor,
)
from armillary.model.builder import REPORT

STANDARD, MODIFIED = "standard", "modified"
CONVENTIONS = (STANDARD, MODIFIED)
TYPES = ("revolute", "prismatic", "continuous")
ROW_KEYS = (
    *("name", "joint", "type", "a", "alpha", "alpha_deg", "d", "theta", "theta_deg"),
    *("mass", "com", "inertia", "friction", "limits", "rotor", "motor", "initial"),
)
GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class Row:
    """One checked row: angles in radians."""

    name: str
    spec: JointSpec
    a: float
    alpha: float
    d: float
    theta: float
    mass: Mass | None
    motor: Motor | None
    initial: float | None


def dh(
    rows: Sequence[Mapping[str, object]],
    convention: str = STANDARD,
    *,
    degrees: bool = False,
    name: str = "mechanism",
    gravity: Sequence[float] = GRAVITY,
    base: Pose = Pose(),  # noqa: B008 - frozen, shared safely
    tool: Pose | None = None,
    checks: str = REPORT,
    report: Report | None = None,
) -> Model:
    """A serial arm from its Denavit-Hartenberg table.

    rows: mappings with a, alpha, d, theta (m, rad; missing: 0) and, where wanted, name, joint
    (its name), type (revolute, prismatic, continuous), mass, com, inertia (about the centre of
    mass, (xx, yy, zz[, xy, xz, yz])), friction, limits, rotor, motor, initial.  Mass data are in
    the table's link frame.  alpha_deg, theta_deg are in degrees; degrees=True makes alpha, theta
    and a revolute joint's lower, upper, velocity and initial degrees.
    base: frame 0 in the world; tool: a frame in the last link frame, named "tool".
    checks: "report" keeps planar and partly known inertias with a warning, "strict" refuses them.
    Every link frame of the table is kept as a frame called <name>_dh.

    >>> dh([{"a": 0.5, "mass": 1.0}, {"a": 0.3, "mass": 1.0}]).nv
    2
    """
    check_convention(convention)
    if isinstance(rows, (str, Mapping)) or not isinstance(rows, Sequence) or not rows:
        raise FormatError("a Denavit-Hartenberg table is a list of rows, one per joint.")
    checked = [row_of(row, k, degrees) for k, row in enumerate(rows)]
    return build(checked, convention, name, gravity, base, tool, checks, report)


def check_convention(convention: str) -> None:
    if convention not in CONVENTIONS:
        raise FormatError(
            f"unknown Denavit-Hartenberg convention {convention!r}. Use 'standard' (frame at the "
            f"far end of the link) or 'modified' (frame on its own joint)."
        )


def build(
    rows: Sequence[Row],
    convention: str,
    name: str,
    gravity: Sequence[float],
    base: Pose,
    tool: Pose | None,
    checks: str = REPORT,
    report: Report | None = None,
) -> Model:
    builder = Builder(name, gravity, checks, report)
    parent, frame = "world", base  # the last link frame, in the body that carries it
    for row in rows:
        at, own = _frames(row, convention)
        mass = moved_mass(row.mass, own) if row.mass is not None else Mass()
        body = Body(row.name, parent, row.spec, frame.then(at), mass, row.motor)
        builder.add(body, has_inertia=row.mass is not None)
        parent, frame = row.name, own
    for row in rows:
        builder.frame(f"{row.name}_dh", row.name, _frames(row, convention)[1])
        if row.initial is not None:
            builder.initial[row.spec.name] = row.initial
    if tool is not None:
        builder.frame("tool", parent, frame.then(tool))
    return builder.build()


def _frames(row: Row, convention: str) -> tuple[Pose, Pose]:
    """The joint in the frame before, and the row's own frame in the body (z on the joint)."""
    if convention == STANDARD:
        at = rotated_z(row.theta)
        return at, chain(shifted(z=row.d), shifted(x=row.a), rotated_x(row.alpha))
    at = chain(rotated_x(row.alpha), shifted(x=row.a), rotated_z(row.theta), shifted(z=row.d))
    return at, Pose()


# -- one row -------------------------------------------------------------------------------------


def row_of(row: Mapping[str, object], k: int, degrees: bool = False) -> Row:
    part = f"row {k + 1}"
    check_keys(row, ROW_KEYS, part)
    name = str(row.get("name") or f"link{k + 1}")
    part = f"row {k + 1} ('{name}')"
    kind = row.get("type") or "revolute"
    if kind not in TYPES:
        raise FormatError(
            f"{part}: type: expected {', '.join(TYPES)}, found {kind!r}. A Denavit-Hartenberg "
            f"table has one axis per row; use the native file for other joints."
        )
    turns = kind != "prismatic"
    limits = parts_of_row(Limits, row.get("limits"), 1, part, "limits")
    initial = row.get("initial")
    start = None if initial is None else number(initial, part, "initial")
    if degrees and turns:
        limits = tuple(_radians_of(x) for x in limits)
        start = None if start is None else math.radians(start)
    spec = JointSpec(
        name=str(row.get("joint") or name),
        kind="revolute" if turns else "prismatic",
        axes=((0.0, 0.0, 1.0),),
        passive=passive_of_row(row.get("friction"), 1, part),
        rotors=parts_of_row(Rotor, row.get("rotor"), 1, part, "rotor"),
        limits=limits,
        continuous=kind == "continuous",
    )
    return Row(
        name=name,
        spec=spec,
        a=number(row.get("a", 0.0), part, "a"),
        alpha=_angle(row, "alpha", part, degrees),
        d=number(row.get("d", 0.0), part, "d"),
        theta=_angle(row, "theta", part, degrees),
        mass=mass_of_row(row, part),
        motor=motor_of_row(row.get("motor"), part),
        initial=start,
    )


def _angle(row: Mapping[str, object], key: str, part: str, degrees: bool) -> float:
    in_degrees = f"{key}_deg"
    if key in row and in_degrees in row:
        raise FormatError(f"{part}: found {key} and {in_degrees}. Give one of them.")
    if in_degrees in row:
        return math.radians(number(row[in_degrees], part, in_degrees))
    value = number(row.get(key, 0.0), part, key)
    return math.radians(value) if degrees else value


def _radians_of(limits: Limits) -> Limits:
    turned = {
        key: math.radians(getattr(limits, key))
        for key in ("lower", "upper", "velocity")
        if getattr(limits, key) is not None
    }
    return replace(limits, **turned)
