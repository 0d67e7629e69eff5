"""A smooth curve through a table: the cubic spline, with its two derivatives."""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array

Sampled = tuple[Array, Array, Array]  # value, first and second derivative


class Curve:
    """y(x), y'(x), y''(x) through values y (T, ...) at rising x (T,); y'' is continuous.

    flat: the slope is zero at both ends, and the curve goes on level beyond them; else the ends
    are those of one cubic over the first and the last two pieces ("not a knot")."""

    def __init__(self, x: Array, values: Array, flat: bool):
        self.x, self.flat, self._ends = x, flat, (values[0], values[-1])
        self._last = len(x) - 2
        if self._last < 0:  # one row: a constant
            self.x, self._last = np.array([x[0], x[0] + 1.0]), 0
            self._c = np.stack([np.zeros_like(values)] * 3 + [values])
            return
        from scipy.interpolate import CubicSpline

        ends = "clamped" if flat else "not-a-knot"
        self._c = np.ascontiguousarray(CubicSpline(x, values, bc_type=ends).c)  # highest first

    def piece(self, x: float) -> int:
        """The piece that x lies in; -1 before the first one, T - 1 after the last one."""
        return int(np.searchsorted(self.x, x, side="right")) - 1

    def _touches(self, x: float, k: int) -> bool:
        slack = 1e-9 * max(1.0, abs(x))
        after = k < 0 or x >= self.x[min(k, self._last + 1)] - slack
        return bool(after and (k > self._last or x <= self.x[k + 1] + slack))

    def __call__(self, x: float, piece: int | None = None) -> Sampled:
        """y, y', y'' at x.  piece: the one that counts where x is the end of two."""
        k = self.piece(x) if piece is None or not self._touches(x, piece) else piece
        if self.flat and not 0 <= k <= self._last:
            y = self._ends[0 if k < 0 else 1]
            return y, np.zeros_like(y), np.zeros_like(y)
        k = min(max(k, 0), self._last)
        c, h = self._c[:, k], x - self.x[k]
        return (
            ((c[0] * h + c[1]) * h + c[2]) * h + c[3],
            (3.0 * c[0] * h + 2.0 * c[1]) * h + c[2],
            6.0 * c[0] * h + 2.0 * c[1],
        )
