"""Six-parameter tables: three rotations and three displacements per joint and link.

Row i rotates frame i - 1 to frame i by  A_i = Rot(z) Rot(y) Rot(x)  and its displacement leads, in
frame i, to joint i + 1  [VanDerMerwe1995, 2.17-2.29].  Free entries are coordinates; a free
displacement belongs to joint i, so the body frame sits at its far end and a centre of mass that
the table gives at the displacement d becomes com - d along that axis.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from armillary.errors import FormatError, ModelError
from armillary.formats.tables import (
    chain,
    check_keys,
    mass_of_row,
    motor_of_row,
    numbers,
    parts_of_row,
    passive_of_row,
    rotated_x,
    rotated_y,
    rotated_z,
)
from armillary.joints import AXES, in_order
from armillary.model import (
    WORLD,
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
    joint_spec,
)
from armillary.model.builder import REPORT
from armillary.spatial import Matrix, Vector

_ALIASES = {"motion_space_columns": "motion_space", "inertia_com": "inertia"}
ROW_KEYS = (
    *("name", "joint", "parent", "position", "gamma", "free", "motion_space", "phi"),
    *("mass", "com", "inertia", "friction", "limits", "rotor", "motor"),
)
_UNITS = (Vector(1.0, 0.0, 0.0), Vector(0.0, 1.0, 0.0), Vector(0.0, 0.0, 1.0))
Triple = tuple[float, float, float]
LinkRow = Mapping[str, Any]  # what a person writes down for one link


@dataclass(frozen=True)
class Row:
    """One checked row; `free` in the order rx, ry, rz, dx, dy, dz."""

    name: str
    parent: str
    position: Triple  # of a first joint in the world
    gamma: tuple[float, ...]
    free: tuple[str, ...]
    spec: JointSpec
    mass: Mass | None
    motor: Motor | None

    def rotation(self) -> Pose:
        """Frame i in frame i - 1, free rotations at zero."""
        x, y, z = constants(self.gamma, self.free)[:3]
        return chain(rotated_x(x), rotated_y(y), rotated_z(z))

    def translation(self) -> Triple:
        """The free part of the displacement."""
        x, y, z = (self.gamma[3 + k] if AXES[3 + k] in self.free else 0.0 for k in range(3))
        return (x, y, z)

    def reach(self) -> Triple:
        """The constant part of the displacement: from the body frame to the next joint."""
        x, y, z = constants(self.gamma, self.free)[3:]
        return (x, y, z)


def sixparameter(
    links: Sequence[LinkRow],
    *,
    name: str = "mechanism",
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    degrees: bool = False,
    tip: str | None = "tip",
    base_velocity: Sequence[float] = (),
    base_acceleration: Sequence[float] = (),
    checks: str = REPORT,
    report: Report | None = None,
) -> Model:
    """A mechanism from its table; the tabulated values of free entries become `Model.initial`.

    links: mappings with gamma (Rot x, y, z in rad, Disp x, y, z in m), `free` (names out of rx,
    ry, rz, dx, dy, dz), `motion_space` (unit columns) or `phi` (the same matrix as it is printed:
    six rows of one number per freedom), mass, com and inertia (about the centre of mass) in the
    link frame as tabulated; where wanted name, joint, friction, limits, rotor,
    motor, parent (default: the row before) and position (of a first joint in the world).
    degrees: rotations of gamma are in degrees.  tip: name of the frame at the last displacement.
    checks: "report" keeps planar and partly known inertias with a warning, "strict" refuses them.

    >>> sixparameter([{"gamma": [0, 0, 0, 1, 0, 0], "free": ["rz"], "mass": 1.0}]).nv
    1
    """
    if isinstance(links, (str, Mapping)) or not isinstance(links, Sequence) or not links:
        raise FormatError("a six-parameter table is a list of rows, one per link.")
    report = report if report is not None else Report()
    rows: list[Row] = []
    for link in links:
        rows.append(row_of(link, rows, degrees))
    builder = Builder(name, gravity, checks, report)
    builder.base_velocity = tuple(base_velocity)
    builder.base_acceleration = tuple(base_acceleration)
    return build(rows, builder, tip)


def build(listed: Sequence[Row], builder: Builder, tip: str | None) -> Model:
    """The model of checked rows."""
    rows: dict[str, Row] = {}
    for row in listed:
        rows[row.name] = row
        builder.add(_body(row, rows), has_inertia=row.mass is not None)
        start = [row.gamma[AXES.index(axis)] for axis in row.free]
        if start:
            builder.initial[row.spec.name] = start
    parents = {row.parent for row in rows.values()}
    leaves = [row for row in rows.values() if row.name not in parents]
    for row in leaves if tip is not None else ():
        builder.frame(str(tip) if len(leaves) == 1 else f"{row.name}_{tip}", row.name, row.reach())
    return builder.build()


def _body(row: Row, rows: Mapping[str, Row]) -> Body:
    origin = row.position if row.parent == WORLD else rows[row.parent].reach()
    mass = row.mass or Mass()
    x, y, z = (c - d for c, d in zip(mass.com, row.translation(), strict=True))
    mass = replace(mass, com=(x, y, z))
    return Body(
        row.name, row.parent, row.spec, Pose(origin, row.rotation().rotation), mass, row.motor
    )


# -- one row -------------------------------------------------------------------------------------


def row_of(link: LinkRow, rows: Sequence[Row], degrees: bool) -> Row:
    """A checked row that follows others."""
    k, before = len(rows), [row.name for row in rows]
    part = f"row {k + 1}"
    check_keys(link, (*ROW_KEYS, *_ALIASES), part)
    row = {_ALIASES.get(key, key): value for key, value in link.items()}
    if len(row) < len(link):
        raise FormatError(f"{part}: an entry is given under two names ({', '.join(_ALIASES)}).")
    name = str(row.get("name") or f"link{k + 1}")
    part = f"row {k + 1} ('{name}')"
    if name in before:
        raise FormatError(f"row {k + 1}: the name '{name}' is used twice.")
    if "gamma" not in row:
        raise FormatError(f"{part}: `gamma` is missing (three rotations, three displacements).")
    gamma = numbers(row["gamma"], 6, part, "gamma")
    if degrees:
        gamma = (*(math.radians(x) for x in gamma[:3]), *gamma[3:])
    free = _free(row, part)
    parent = row.get("parent") or (before[-1] if before else WORLD)
    if parent != WORLD and parent not in before:
        raise FormatError(f"{part}: its parent '{parent}' is no row before it.")
    if parent != WORLD and "position" in row:
        raise FormatError(
            f"{part}: `position` is for a first joint; here the gamma of '{parent}' leads."
        )
    n = len(free)
    extra: dict[str, Any] = {
        "passive": passive_of_row(row.get("friction"), n, part),
        "rotors": parts_of_row(Rotor, row.get("rotor"), n, part, "rotor"),
        "limits": parts_of_row(Limits, row.get("limits"), n, part, "limits"),
    }
    extra = {key: values for key, values in extra.items() if values}
    spec = joint_of(gamma, free, str(row.get("joint") or name))
    position = numbers(row.get("position", (0.0, 0.0, 0.0)), 3, part, "position")
    return Row(
        name,
        parent,
        position,  # type: ignore[arg-type]
        gamma,
        free,
        replace(spec, **extra),
        mass_of_row(row, part),
        motor_of_row(row.get("motor"), part),
    )


def _free(row: LinkRow, part: str) -> tuple[str, ...]:
    """Names of the free entries, in the order of gamma, in which the row carries them out."""
    given = [key for key in ("free", "motion_space", "phi") if key in row]
    if len(given) > 1:
        raise FormatError(f"{part}: found `{given[0]}` and `{given[1]}`. Give one of them.")
    if "motion_space" in row or "phi" in row:
        names = []
        for column in _columns(row["phi"], part) if "phi" in row else row["motion_space"]:
            entries = numbers(column, 6, part, "motion_space")
            if sorted(entries) != [0.0] * 5 + [1.0]:
                raise FormatError(
                    f"{part}: a column of the motion space has one 1 and five 0, found "
                    f"{list(entries)}. Use a `general` joint for other axes."
                )
            names.append(AXES[entries.index(1.0)])
    else:
        names = [row["free"]] if isinstance(row.get("free"), str) else list(row.get("free") or ())
    try:
        return in_order(names, part)
    except ModelError as fault:
        raise FormatError(fault.message) from None


def _columns(phi: object, part: str) -> list[list[object]]:
    """Columns of a motion space in its printed form: six rows, one number per freedom in each."""
    rows = list(phi) if isinstance(phi, Sequence) and not isinstance(phi, str) else []
    rows = [list(row) if isinstance(row, (list, tuple)) else [row] for row in rows]
    if len(rows) != 6 or len({len(row) for row in rows}) != 1:
        raise FormatError(
            f"{part}: phi: expected six rows (rotations x, y, z, displacements x, y, z) with one "
            f"number for each freedom, found {phi!r}."
        )
    return [list(column) for column in zip(*rows, strict=True)]


# -- the joint -----------------------------------------------------------------------------------


def constants(gamma: Sequence[float], free: Sequence[str]) -> tuple[float, ...]:
    """The parameters with the free ones at zero."""
    return tuple(0.0 if axis in free else x for axis, x in zip(AXES, gamma, strict=True))


def rotation_axes(gamma: Sequence[float], free: Sequence[str]) -> list[Triple]:
    """Axes of the free rotations in the link frame where all free rotations are zero.

    Rot(z) Rot(y) e_x, Rot(z) e_y and e_z, by constant rotations [VanDerMerwe1995, 2.38-2.39]."""
    _, y, z, *_ = constants(gamma, free)
    inner = (chain(rotated_y(y), rotated_z(z)), rotated_z(z), Pose())
    axes: list[Triple] = []
    for axis, pose, unit in zip(AXES[:3], inner, _UNITS, strict=True):
        if axis in free:
            u, v, w = (float(x) for x in Matrix(pose.rotation).T @ unit)
            axes.append((u, v, w))
    return axes


def joint_of(gamma: Sequence[float], free: Sequence[str], name: str) -> JointSpec:
    """The joint of a row, placed with all its constant rotations behind it.

    Constant rotations before the first free one go into the joint frame and leave a gimbal; later
    ones tilt the axes:  Rz(c) Rx(q) = [Rz(c) Rx(q) Rz(-c)] Rz(c), a rotation about Rz(c) e_x."""
    rotations = rotation_axes(gamma, free)
    translations = [_UNITS[k].leaves() for k in range(3) if AXES[3 + k] in free]
    if not free:
        return joint_spec("fixed", name=name)
    if len(free) == 1:
        kind, axis = ("revolute", rotations[0]) if rotations else ("prismatic", translations[0])
        return joint_spec(kind, name=name, axis=axis)
    letters = [u.leaves() for axis, u in zip(AXES[:3], _UNITS, strict=True) if axis in free]
    if rotations == letters:
        return joint_spec("gimbal", name=name, free=free)
    screws = [(*axis, 0.0, 0.0, 0.0) for axis in rotations] + [
        (0.0, 0.0, 0.0, *d) for d in translations
    ]
    return joint_spec("general", name=name, axes=screws)


__all__ = ["sixparameter"]
