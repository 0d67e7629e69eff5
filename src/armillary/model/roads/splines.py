"""Heights between given ones, over scalars: cubic splines over one coordinate, bicubic patches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from armillary.errors import ModelError
from armillary.joints.profiles import smooth_pieces
from armillary.scalar import Scalar, Table, lookup, where

_MOST = 500_000  # cells of a table
_EVEN = 1e-9  # spacing that counts as equal


def refuse_falling(what: str, rows: Sequence[tuple[float, float]]) -> None:
    """Rows (s, z) are two or more, and s rises.  what: how a message names them."""
    if len(rows) < 2:
        raise ModelError(f"{what}: expected two rows or more, found {len(rows)}.")
    for k, (a, b) in enumerate(pairwise(rows)):
        if not b[0] > a[0]:
            raise ModelError(
                f"{what}: distances must rise; row {k + 2} has {b[0]:g} m after {a[0]:g} m. A step "
                f"has no slope: give its edge a length, about that of the patch of the tyre on the "
                f"road."
            )


@dataclass(frozen=True)
class Spline:
    """A smooth curve through rows (s, z), level before the first and after the last; a table of
    equal cells, each with the piece that it begins in and, where rows are uneven, the next."""

    start: float
    cell: float
    length: float
    even: bool
    table: Table

    @classmethod
    def through(cls, what: str, rows: Sequence[tuple[float, float]]) -> Spline:
        """what: how a message names it."""
        refuse_falling(what, rows)
        steps = [b[0] - a[0] for a, b in pairwise(rows)]
        length, cell = rows[-1][0] - rows[0][0], min(steps)
        even = max(steps) - cell <= _EVEN * cell
        count = len(steps) if even else int(length / cell) + 1
        if count > _MOST:
            raise ModelError(
                f"{what}: rows {cell:g} m apart over {length:g} m make {count} cells; at most "
                f"{_MOST} are kept. Take rows that are closer to evenly spaced."
            )
        cell = length / count if even else cell
        flat = smooth_pieces(list(rows))
        pieces = [flat[k : k + 5] for k in range(0, len(flat), 5)]
        cells, k = [], 0
        for n in range(count):
            begin = rows[0][0] + n * cell
            while not even and k + 1 < len(pieces) and pieces[k + 1][0] <= begin:
                k += 1
            k = n if even else k
            after = pieces[min(k + 1, len(pieces) - 1)]
            cells.append(pieces[k] if even else [*pieces[k], *after])
        return cls(rows[0][0], cell, length, even, Table.of_rows(cells))

    def at(self, s: Scalar) -> tuple[Scalar, Scalar]:
        """Height and slope."""
        before, after = s < self.start, s > self.start + self.length
        inside = where(before, self.start, where(after, self.start + self.length, s))
        place = (inside - self.start) * (1.0 / self.cell)
        x, c0, c1, c2, c3 = (lookup(self.table, place, k) for k in range(5))
        if not self.even:
            other = [lookup(self.table, place, k) for k in range(5, 10)]
            beyond = inside >= other[0]
            x, c0, c1, c2, c3 = (
                where(beyond, new, old) for new, old in zip(other, (x, c0, c1, c2, c3), strict=True)
            )
        u = inside - x
        slope = c1 + u * (c2 * 2.0 + u * c3 * 3.0)
        level = where(before, 0.0, where(after, 0.0, slope))
        return c0 + u * (c1 + u * (c2 + u * c3)), level


@dataclass(frozen=True)
class Patches:
    """A smooth surface through heights on an even grid: bicubic between the nodes, with slopes of
    splines along both directions; level beyond the edges."""

    start: tuple[float, float]
    cell: tuple[float, float]
    count: tuple[int, int]  # nodes along x and y
    nodes: Table  # z, dz/dx, dz/dy, d²z/dxdy (per cell), y by y
    whole: Table  # 0, 1, 2 ...: the number of a cell

    @classmethod
    def through(
        cls,
        start: tuple[float, float],
        cell: tuple[float, float],
        z: Sequence[Sequence[float]],
    ) -> Patches:
        """z: one row for each y, heights along x in it."""
        across = list(map(_node_slopes, z))
        up = list(zip(*(_node_slopes(column) for column in zip(*z, strict=True)), strict=True))
        both = list(
            zip(*(_node_slopes(column) for column in zip(*across, strict=True)), strict=True)
        )
        rows = [
            (z[j][i], across[j][i], up[j][i], both[j][i])
            for j in range(len(z))
            for i in range(len(z[0]))
        ]
        count = (len(z[0]), len(z))
        whole = Table(tuple(float(k) for k in range(max(count))))
        return cls(start, cell, count, Table.of_rows(rows), whole)

    def at(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Height and both slopes."""
        parts = [self._part(k, p) for k, p in enumerate((x, y))]
        (i, u, in_x), (j, v, in_y) = parts
        nx = float(self.count[0])
        ax, bx = _hermite(u), _hermite_slopes(u)
        ay, by = _hermite(v), _hermite_slopes(v)
        z: Scalar = 0
        zx: Scalar = 0
        zy: Scalar = 0
        for dj in range(2):
            for di in range(2):
                place = (j + float(dj)) * nx + i + float(di) + 0.5
                f, fx, fy, fxy = (lookup(self.nodes, place, k) for k in range(4))
                for column, value in ((0, (f, fx)), (2, (fy, fxy))):
                    h = value[0] * ax[2 * di] + value[1] * ax[2 * di + 1]
                    hx = value[0] * bx[2 * di] + value[1] * bx[2 * di + 1]
                    n = 2 * dj + column // 2
                    z, zx, zy = z + h * ay[n], zx + hx * ay[n], zy + h * by[n]
        slope_x = where(in_x, zx * (1.0 / self.cell[0]), 0.0)
        return z, slope_x, where(in_y, zy * (1.0 / self.cell[1]), 0.0)

    def _part(self, k: int, p: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Number of the cell along a direction, the place in it (0..1), and is it inside?"""
        last = self.count[k] - 1.0
        t = (p - self.start[k]) * (1.0 / self.cell[k])
        low, high = t < 0, t > last
        t = where(low, 0.0, where(high, last, t))
        number = where(t < last - 1.0, lookup(self.whole, t), last - 1.0)
        return number, t - number, where(low, 0.0, where(high, 0.0, 1.0)) > 0.5


def _hermite(u: Scalar) -> tuple[Scalar, ...]:
    """Weights of value and slope at the begin, and at the end of a cell."""
    w = u - 1.0
    return ((1.0 + 2.0 * u) * w * w, u * w * w, u * u * (3.0 - 2.0 * u), u * u * w)


def _hermite_slopes(u: Scalar) -> tuple[Scalar, ...]:
    return (
        6.0 * u * (u - 1.0),
        (u - 1.0) * (3.0 * u - 1.0),
        6.0 * u * (1.0 - u),
        u * (3.0 * u - 2.0),
    )


def _node_slopes(values: Sequence[float]) -> list[float]:
    """Slopes of the spline through values one apart, level at both ends."""
    pieces = smooth_pieces([(float(k), float(z)) for k, z in enumerate(values)])
    return [pieces[k + 2] for k in range(0, len(pieces), 5)]
