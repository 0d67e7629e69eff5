"""Units and labels by name: of coordinates and what belongs to them, of wrenches, of axes."""

from __future__ import annotations

FORCE = {"rad": "N m", "m": "N"}  # along a coordinate, by its unit
WRENCH = ("nx", "ny", "nz", "fx", "fy", "fz")
WRENCH_UNITS = ("N m", "N m", "N m", "N", "N", "N")
WRENCH_HEADS = tuple(f"{x} [{unit}]" for x, unit in zip(WRENCH, WRENCH_UNITS, strict=True))
AXIS_VECTORS = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}
AXIS_NAMES: dict[tuple[float, ...], str] = {axis: name for name, axis in AXIS_VECTORS.items()}


def unit_of(kind: str, unit: str) -> str:
    """Of v, a or tau along a coordinate whose own unit is rad or m."""
    return {"v": f"{unit}/s", "a": f"{unit}/s²", "tau": FORCE[unit]}[kind]


def row_force(row: str) -> str:
    """Unit of the force along a row that is named after a rotation (r.) or a translation (d.)."""
    return FORCE["rad" if row[0] == "r" else "m"]
