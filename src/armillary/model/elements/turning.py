"""Forces by the pose of one frame in another: torsion springs and bushings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from armillary.errors import ModelError
from armillary.model.elements.along import inverse
from armillary.model.elements.element import ElementLaw, End, nothing
from armillary.model.parts import Triple
from armillary.scalar import Scalar, atan2, dot, sqrt, where
from armillary.spatial import Force, Motion, Transform, Vector
from armillary.spatial.rotation import to_quaternion

_SMALL = 1e-4  # rad²: series below
_NOTHING = 1e-30  # of the square of a unit quaternion: less is rounding
_ROUNDING = 1e-9  # of the numbers of a matrix
Six = tuple[float, float, float, float, float, float]
SixBySix = tuple[Six, Six, Six, Six, Six, Six]
_NONE: Six = (0.0,) * 6
NO_MATRIX: SixBySix = (_NONE,) * 6


@dataclass(frozen=True)
class Between:
    """Frame 2 as seen from frame 1, in frame 2's axes: X_21 and (ω; v)."""

    ends: Sequence[End]

    @cached_property
    def X(self) -> Transform:
        return self.ends[1].X @ self.ends[0].X.inverse()

    @cached_property
    def motion(self) -> Motion:
        return self.ends[1].motion - self.X @ self.ends[0].motion

    def twist(self, f_2: Force) -> None:
        """A wrench on 2, in frame 2, and its reaction on 1."""
        self.ends[1].twist(f_2)
        self.ends[0].twist(-(self.X.T @ f_2))


def _quaternion(X: Transform) -> tuple[Scalar, Vector]:
    """w >= 0 and v of the rotation R_12 = E^T: exact to rounding at every angle, where the trace
    and the skew part of E lose half of their digits near half a turn."""
    w, x, y, z = to_quaternion(X.E)
    return w, Vector(x, y, z)


@dataclass(frozen=True)
class TorsionSpring(ElementLaw):
    """A moment about an axis of the first frame, against the rotation φ of the second:

        M = stiffness (φ - rest) + damping dφ/dt

    φ is the part of the rotation about the axis (its twist), within half a turn of 0; of a rotation
    about that axis alone it is the angle.  With w, v the quaternion of the rotation, a the axis,
    tan φ/2 = (a·v) / w, and dφ/dt = g·ω."""

    kind = "torsion spring"
    numbers = ("stiffness", "damping", "rest", "axis")
    named = ("stiffness", "damping", "rest")
    units = ("N m", "rad", "rad/s")

    stiffness: float = 0.0  # N m/rad
    damping: float = 0.0  # N m s/rad
    rest: float = 0.0  # rad
    axis: Triple = (0.0, 0.0, 1.0)  # unit, in the first frame

    def check(self, part: str) -> None:
        for name in ("stiffness", "damping"):
            if getattr(self, name) < 0.0:
                raise ModelError(f"{part}: its {name} is negative: {getattr(self, name):g}.")
        if not (self.stiffness or self.damping):
            raise ModelError(f"{part}: it exerts no moment. Give it a stiffness or a damping.")

    def _angle(self, between: Between) -> tuple[Scalar, Vector]:
        """φ, and g with dφ/dt = g·ω, in frame 2."""
        a, (w, v) = Vector(*self.axis), _quaternion(between.X)
        s = a.dot(v)
        size = s * s + w * w  # nothing: half a turn across the axis
        known = where(size > _NOTHING, size, 0.0)
        g = (a * (w * w) + a.cross(v) * w + v * s) * inverse(known)
        return 2.0 * atan2(s, w), g

    def _moment(self, between: Between) -> tuple[Scalar, Scalar, Scalar, Vector]:
        angle, g = self._angle(between)
        rate: Scalar = g.dot(between.motion.angular)
        return self.stiffness * (angle - self.rest) + self.damping * rate, angle, rate, g

    def act(self, ends: Sequence[End]) -> None:
        between = Between(ends)
        moment, _, _, g = self._moment(between)
        between.twist(Force(-(g * moment), Vector()))

    def potential(self, ends: Sequence[End]) -> Scalar:
        beyond = self._angle(Between(ends))[0] - self.rest
        return self.stiffness * (beyond * beyond) * 0.5

    def readings(self, ends: Sequence[End]) -> tuple[Scalar, Scalar, Scalar]:
        return self._moment(Between(ends))[:3]


@dataclass(frozen=True)
class Bushing(ElementLaw):
    """An elastic mount with full 6x6 stiffness K and damping C between two frames:

        (m; f) = preload - K x - C dx/dt,    x = (θ; d) - rest

    d is the origin of the second frame in the first, θ the rotation vector of the second in the
    first, both along the first frame's axes (θ within half a turn).  It is the gradient of
    ½ x^T K x - preload·x: with dθ/dt = J ω the moment on the second body is J^T m."""

    kind = "bushing"
    numbers = ("stiffness", "damping", "rest", "preload")
    named = numbers

    stiffness: SixBySix = NO_MATRIX  # rows rx, ry, rz, dx, dy, dz: N m/rad, N m/m, N/rad, N/m
    damping: SixBySix = NO_MATRIX
    rest: Six = _NONE
    preload: Six = _NONE  # (n; f) on the second body at rest

    def check(self, part: str) -> None:
        K = self.stiffness
        pairs = ((K[i][k], K[k][i]) for i in range(6) for k in range(i))
        if any(abs(x - y) > _ROUNDING * _size(K) for x, y in pairs):
            raise ModelError(
                f"{part}: its stiffness is not symmetric, so it would give energy away without "
                f"end. Give K with K = K^T, or a law of your own: Builder.force(...)."
            )
        for name in ("stiffness", "damping"):
            least = _least_pivot(getattr(self, name))
            if least < -_ROUNDING:
                raise ModelError(
                    f"{part}: its {name} is negative in some direction (a pivot, scaled by the "
                    f"diagonal, is {least:.3g}). Expected a positive semidefinite 6x6 matrix."
                )
        turn = math.hypot(*self.rest[:3])
        if turn > math.pi * (1.0 + _ROUNDING):
            back = math.remainder(turn, 2.0 * math.pi) / turn
            near = ", ".join(f"{back * x:.6g}" for x in self.rest[:3])
            raise ModelError(
                f"{part}: its rest is rotated by {turn:.6g} rad, more than half a turn, which it "
                f"never meets: rotations count within half a turn. The same place is ({near}); a "
                f"moment to begin with is its preload."
            )
        if not any(map(any, (*self.stiffness, *self.damping, self.preload))):
            raise ModelError(f"{part}: it exerts no force. Give it a stiffness or a damping.")

    def _place(self, between: Between) -> tuple[list[Scalar], Vector, Scalar]:
        """x; the rotation vector θ = φ v/|v|, and the coefficient c of its Jacobian."""
        w, v = _quaternion(between.X)
        square = v.dot(v)  # sin² φ/2
        small = square < _SMALL
        sine = sqrt(where(small, 1.0, square))
        angle = 2.0 * atan2(sine, where(small, 1.0, w))
        series = 2.0 + square * (1.0 / 3.0 + square * (3.0 / 20.0 + square * (5.0 / 56.0)))
        theta = v * where(small, series, angle / sine)
        phi2 = theta.dot(theta)
        exact = 1.0 / (angle * angle) - w / (2.0 * angle * sine)  # cot φ/2 = w/|v|
        c = where(small, 1.0 / 12.0 + phi2 * (1.0 / 720.0 + phi2 / 30240.0), exact)
        x = [a - b for a, b in zip((*theta, *between.X.r), self.rest, strict=True)]
        return x, theta, c

    def _force(self, between: Between) -> tuple[list[Scalar], Vector, Scalar]:
        """(m; f) along the first frame's axes."""
        x, theta, c = self._place(between)
        total = [p - k for p, k in zip(self.preload, _times(self.stiffness, x), strict=True)]
        if not all(nothing(y) for row in self.damping for y in row):
            w = between.motion.angular
            turning = w + theta.cross(w) * 0.5 + theta.cross(theta.cross(w)) * c
            rates = [*turning, *(between.X.E.T @ between.motion.linear)]
            damped = _times(self.damping, rates)
            total = [a - b for a, b in zip(total, damped, strict=True)]
        return total, theta, c

    def act(self, ends: Sequence[End]) -> None:
        between = Between(ends)
        total, theta, c = self._force(between)
        m, f = Vector(*total[:3]), Vector(*total[3:])
        turned = m - theta.cross(m) * 0.5 + theta.cross(theta.cross(m)) * c  # J^T m
        between.twist(Force(turned, between.X.E @ f))

    def potential(self, ends: Sequence[End]) -> Scalar:
        x = self._place(Between(ends))[0]
        return dot(x, _times(self.stiffness, x)) * 0.5 - dot(self.preload, x)


def _size(matrix: SixBySix) -> float:
    return max(abs(x) for row in matrix for x in row)


def _least_pivot(matrix: SixBySix) -> float:
    """The smallest pivot of the symmetric part, scaled to a diagonal of ones, largest first."""
    units = [math.sqrt(abs(matrix[k][k])) or math.sqrt(_size(matrix)) or 1.0 for k in range(6)]
    A = [
        [(matrix[i][k] + matrix[k][i]) / (2.0 * units[i] * units[k]) for k in range(6)]
        for i in range(6)
    ]
    left, least = list(range(6)), 0.0
    while left:
        p = max(left, key=lambda k: A[k][k])
        least = min(least, *(A[k][k] for k in left))
        left.remove(p)
        if A[p][p] <= _ROUNDING:  # what is left has no diagonal: it must be nothing at all
            return min(least, *(-abs(A[i][k]) for i in (p, *left) for k in (p, *left)))
        for i in left:
            for k in left:
                A[i][k] -= A[i][p] * A[p][k] / A[p][p]
    return least


def _times(matrix: Sequence[Sequence[Scalar]], x: Sequence[Scalar]) -> list[Scalar]:
    return [dot(row, x) for row in matrix]
