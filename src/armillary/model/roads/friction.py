"""Friction of a road by place: two halves, patches, a grid."""

from __future__ import annotations

from dataclasses import dataclass, field

from armillary.errors import ModelError
from armillary.model.numbered import Numbered, quantity
from armillary.model.roads.splines import Patches
from armillary.scalar import Scalar, where


@dataclass(frozen=True)
class Friction(Numbered):
    """Relative to that the tyre's data were found on."""

    def at(self, x: Scalar, y: Scalar) -> Scalar:
        raise NotImplementedError


@dataclass(frozen=True)
class Split(Friction):
    """One friction on the left (y > border), another on the right, smooth over a width."""

    left: float = quantity(1.0, "1", "friction for y > border")
    right: float = quantity(0.3, "1", "friction for y < border")
    border: float = quantity(0.0, "m", "y between them")
    width: float = quantity(0.05, "m", "over which it changes")

    def check(self, part: str) -> None:
        self.refuse_negative(part, "left", "right")
        self.refuse_not_positive(part, "width")

    def at(self, x: Scalar, y: Scalar) -> Scalar:
        share = _smooth((y - self.border) / self.width + 0.5)
        return self.right + (self.left - self.right) * share


@dataclass(frozen=True)
class Patch(Friction):
    """Another friction between x_from and x_to and between y_from and y_to, smooth over a width
    at its edges; elsewhere that of `around`, a number or another friction by place."""

    mu: float = quantity(0.3, "1", "friction inside")
    around: float | Friction = field(
        default=1.0, metadata={"unit": "1", "text": "friction outside"}
    )
    x_from: float = quantity(0.0, "m", "where it begins")
    x_to: float = quantity(10.0, "m", "where it ends")
    y_from: float = quantity(-100.0, "m", "its right edge")
    y_to: float = quantity(100.0, "m", "its left edge")
    width: float = quantity(0.1, "m", "over which it changes at the edges")

    def check(self, part: str) -> None:
        super().check(part)
        self.refuse_negative(part, "mu")
        self.refuse_not_positive(part, "width")
        if not isinstance(self.around, Friction):
            self.refuse_negative(part, "around")
        if not (self.x_to > self.x_from and self.y_to > self.y_from):
            raise ModelError(f"{part}: the patch of friction is empty; expected from < to.")

    def at(self, x: Scalar, y: Scalar) -> Scalar:
        inside = 1.0
        for p, low, high in ((x, self.x_from, self.x_to), (y, self.y_from, self.y_to)):
            inside = inside * _smooth((p - low) / self.width + 0.5)
            inside = inside * _smooth((high - p) / self.width + 0.5)
        around = self.around.at(x, y) if isinstance(self.around, Friction) else self.around
        return around + (self.mu - around) * inside


@dataclass(frozen=True)
class FrictionGrid(Friction):
    """Values on an even grid, smooth between them, those of the edges beyond.

    mu: one row for each y, values along x in it; start: of the grid (x, y); cell: its spacing."""

    mu: tuple[tuple[float, ...], ...] = ()
    start: tuple[float, float] = (0.0, 0.0)
    cell: tuple[float, float] = (1.0, 1.0)
    patches: Patches | None = None

    def __post_init__(self) -> None:
        if self.patches is None:
            rows, start, cell = checked_grid("friction", self.mu, self.start, self.cell)
            for name, value in (("mu", rows), ("start", start), ("cell", cell)):
                object.__setattr__(self, name, value)
            object.__setattr__(self, "patches", Patches.through(start, cell, rows))

    def check(self, part: str) -> None:
        if any(x < 0.0 for row in self.mu for x in row):
            raise ModelError(f"{part}: the grid of friction has a negative value.")

    def at(self, x: Scalar, y: Scalar) -> Scalar:
        found = self.patches.at(x, y)[0] if self.patches is not None else 0.0
        return where(found > 0, found, 0.0)  # splines may overshoot


Grid = tuple[tuple[tuple[float, ...], ...], tuple[float, float], tuple[float, float]]


def checked_grid(what: str, rows: object, start: object, cell: object) -> Grid:
    """Two rows and columns or more, of finite numbers; spacing above 0."""
    try:
        values = tuple(tuple(float(x) for x in row) for row in rows)  # type: ignore[attr-defined]
        (x0, y0), (dx, dy) = (tuple(map(float, pair)) for pair in (start, cell))  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise ModelError(
            f"{what}: expected rows of numbers (one for each y), start=(x, y) and cell=(dx, dy)."
        ) from None
    shape = {len(row) for row in values}
    if len(values) < 2 or len(shape) != 1 or shape.pop() < 2:
        raise ModelError(
            f"{what}: expected a grid with two rows and two columns or more, all rows of one "
            f"length; found {len(values)} rows of {sorted({len(row) for row in values})[:5]}."
        )
    if not (dx > 0.0 and dy > 0.0):
        raise ModelError(f"{what}: the spacing (dx, dy) is more than 0, found {(dx, dy)} m.")
    if not all(-1e300 < x < 1e300 for row in (*values, (x0, y0, dx, dy)) for x in row):
        raise ModelError(f"{what}: heights, start and spacing must be finite numbers.")
    return values, (x0, y0), (dx, dy)


def _smooth(t: Scalar) -> Scalar:
    """From 0 to 1 over 0..1, level at both ends."""
    t = where(t > 0, where(t < 1, t, 1.0), 0.0)
    return t * t * (3.0 - 2.0 * t)


def friction_at(mu: Scalar, x: Scalar, y: Scalar) -> Scalar:
    """Of a number, or by place."""
    return mu.at(x, y) if isinstance(mu, Friction) else mu
