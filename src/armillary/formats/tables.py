"""Rows of tables that people type: numbers, masses, friction and limits out of plain mappings.

Shared by the Denavit-Hartenberg and the six-parameter readers."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from armillary.errors import FormatError
from armillary.model import Limits, Mass, Motor, Passive, Pose, Rotor
from armillary.model.checks import TENSOR
from armillary.scalar import Scalar
from armillary.spatial import Matrix, Symmetric, Vector
from armillary.spatial.rotation import cos_sin

Part = TypeVar("Part", Passive, Limits, Rotor, Motor)
_FRICTION = frozenset(field.name for field in fields(Passive))


def check_keys(row: object, known: Iterable[str], part: str) -> None:
    if not isinstance(row, Mapping):
        raise FormatError(f"{part}: expected a mapping of names to values, found {row!r}.")
    known = list(known)
    for key in row:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1, cutoff=0.6)
            hint = f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(known)}."
            if "friction" in known and key in _FRICTION:
                hint = f"It belongs into 'friction': {{'{key}': ...}}."
            raise FormatError(f"{part}: unknown entry '{key}'. {hint}")


def number(value: object, part: str, what: str) -> float:
    try:
        x = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise FormatError(f"{part}: {what}: expected a number, found {value!r}.") from None
    if not math.isfinite(x) or isinstance(value, bool):
        raise FormatError(f"{part}: {what}: expected a finite number, found {value!r}.")
    return x


def numbers(values: object, count: int, part: str, what: str) -> tuple[float, ...]:
    found = _listed(values)
    if found is None or len(found) != count:
        raise FormatError(f"{part}: {what}: expected {count} numbers, found {values!r}.")
    return tuple(number(x, part, what) for x in found)


def _listed(values: object) -> list[object] | None:
    if isinstance(values, (str, bytes, Mapping)):
        return None
    try:
        return list(values)  # type: ignore[call-overload]
    except TypeError:
        return None


def mass_of_row(row: Mapping[str, object], part: str, tensor_key: str = "inertia") -> Mass | None:
    """mass, com and tensor about the centre of mass: 3 or 6 numbers, 3 rows or a mapping."""
    if row.get("mass") is None:
        if row.get("com") is not None or row.get(tensor_key) is not None:
            raise FormatError(f"{part}: found com or {tensor_key} without mass. Give the mass.")
        return None
    com = numbers(row.get("com", (0.0, 0.0, 0.0)), 3, part, "com")
    tensor = _tensor(row.get(tensor_key, (0.0, 0.0, 0.0)), part, tensor_key)
    return Mass(number(row["mass"], part, "mass"), com, tensor)  # type: ignore[arg-type]


def _tensor(value: object, part: str, what: str) -> tuple[float, ...]:
    if isinstance(value, Mapping):
        check_keys(value, TENSOR, f"{part}: {what}")
        return tuple(number(value.get(key, 0.0), part, f"{what}.{key}") for key in TENSOR)
    found = _listed(value)
    if found is not None and len(found) == 3 and all(_listed(x) is not None for x in found):
        m = [numbers(x, 3, part, what) for x in found]
        size = max(abs(x) for r in m for x in r)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            if abs(m[i][j] - m[j][i]) > 1e-9 * size:
                raise FormatError(
                    f"{part}: {what}: a tensor is symmetric, found {m[i][j]} and {m[j][i]} in "
                    f"rows {i + 1} and {j + 1}."
                )
        return (m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2])
    if found is None or len(found) not in (3, 6):
        raise FormatError(
            f"{part}: {what}: expected (xx, yy, zz), (xx, yy, zz, xy, xz, yz), three rows or a "
            f"mapping, found {value!r}."
        )
    return (*numbers(found, len(found), part, what), *(0.0,) * (6 - len(found)))


def passive_of_row(value: object, nv: int, part: str) -> tuple[Passive, ...]:
    """friction: a number (viscous), a mapping or a `Passive` for all axes, or one per axis."""
    if isinstance(value, (int, float)):
        value = {"viscous": value}
    elif not isinstance(value, (Passive, Mapping)) and value is not None:
        found = _listed(value) or [value]
        value = [{"viscous": x} if isinstance(x, (int, float)) else x for x in found]
    return parts_of_row(Passive, value, nv, part, "friction")


def parts_of_row(
    kind: type[Part], value: object, nv: int, part: str, what: str
) -> tuple[Part, ...]:
    """Passive, Limits or Rotor per degree of freedom, from mappings or ready-made."""
    if value is None or value == ():
        return ()
    single = isinstance(value, (kind, Mapping))
    entries = [value] * nv if single else _listed(value)
    if entries is None or len(entries) != nv:
        raise FormatError(
            f"{part}: {what}: expected one entry, or one for each of {nv} free axes, "
            f"found {value!r}."
        )
    return tuple(part_of(kind, entry, part, what) for entry in entries)


def _pair(value: object) -> list[object] | None:
    """(forward, backward) from a list or from the cell of a CSV file, "0.4 0.3"; else None."""
    if isinstance(value, str):
        return [*value.split()] if len(value.split()) > 1 else None
    return _listed(value)


def part_of(kind: type[Part], value: object, part: str, what: str) -> Part:
    """A frozen part from a mapping of its fields (None: not given)."""
    if isinstance(value, kind):
        return value
    known = [field.name for field in fields(kind)]
    check_keys(value, known, f"{part}: {what}")
    given: dict[str, Any] = {}
    for key, entry in value.items() if isinstance(value, Mapping) else ():
        if key == "table":
            given[key] = tuple(numbers(xy, 2, part, f"{what}.table") for xy in entry)
        elif key == "law":
            given[key] = entry
        elif key == "coulomb" and (pair := _pair(entry)) is not None:
            given[key] = numbers(pair, 2, part, f"{what}.{key}")
        elif entry is not None:
            given[key] = number(entry, part, f"{what}.{key}")
    try:
        return kind(**given)
    except TypeError:
        needed = " and ".join(name for name in known if name not in given)
        raise FormatError(f"{part}: {what}: missing among {needed}.") from None


def motor_of_row(value: object, part: str) -> Motor | None:
    return None if value is None else part_of(Motor, value, part, "motor")


# -- geometry ------------------------------------------------------------------------------------


def rotated_x(angle: float) -> Pose:
    """A frame rotated about x."""
    c, s = cos_sin(angle)
    return Pose((0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)))


def rotated_y(angle: float) -> Pose:
    c, s = cos_sin(angle)
    return Pose((0.0, 0.0, 0.0), ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)))


def rotated_z(angle: float) -> Pose:
    c, s = cos_sin(angle)
    return Pose((0.0, 0.0, 0.0), ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))


def shifted(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Pose:
    return Pose((x, y, z))


def chain(*poses: Pose) -> Pose:
    """One pose after the other."""
    result = poses[0]
    for pose in poses[1:]:
        result = result.then(pose)
    return result


def inverse(pose: Pose) -> Pose:
    return Pose.from_transform(pose.transform().inverse())


def twist(rows: Sequence[Sequence[float]]) -> float:
    """How far the rows are from a right-handed orthonormal triad."""
    x, y, z = rows
    across = (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])
    lengths = [abs(math.hypot(*row) - 1.0) for row in rows]
    return max(*lengths, abs(sum(a * b for a, b in zip(x, y, strict=True))), math.dist(across, z))


def moved_mass(mass: Mass, pose_BF: Pose) -> Mass:
    """Mass data given in a frame F, in B; `pose_BF` is the pose of F in B."""
    R_BF = Matrix(pose_BF.rotation)
    com = R_BF @ Vector(*mass.com) + Vector(*pose_BF.position)
    tensor = Symmetric(*mass.tensor).rotate(R_BF)
    return Mass(mass.mass, _floats(com.leaves()), _floats(tensor.leaves()))  # type: ignore[arg-type]


def _floats(values: Sequence[Scalar]) -> tuple[float, ...]:
    return tuple(float(x) for x in values)
