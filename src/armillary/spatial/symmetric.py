"""Symmetric 6x6 maps between motions and forces, kept as three 3x3 blocks (21 scalars).

`ForceDyad` takes motions to forces (articulated inertias), `MotionDyad` forces to motions (their
inverses).  They differ only in how a change of origin acts on the blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from armillary.scalar import Scalar
from armillary.spatial.force import Force
from armillary.spatial.motion import Motion
from armillary.spatial.rigid_body import Inertia
from armillary.spatial.vector import Matrix, Symmetric, Vector


class _Dyad:
    """[ angular  cross ; cross^T  linear ]."""

    __slots__ = ("angular", "cross", "linear")
    size = 21

    def __init__(self, angular: Symmetric, cross: Matrix, linear: Symmetric):
        self.angular, self.cross, self.linear = angular, cross, linear

    @classmethod
    def zero(cls):
        return cls(Symmetric.zero(), Matrix.zero(), Symmetric.zero())

    def leaves(self) -> tuple[Scalar, ...]:
        return self.angular.leaves() + self.cross.leaves() + self.linear.leaves()

    @classmethod
    def from_leaves(cls, leaves: Sequence[Scalar]) -> Any:
        return cls(
            Symmetric(*leaves[:6]), Matrix.from_leaves(leaves[6:15]), Symmetric(*leaves[15:])
        )

    def __add__(self, o):
        return type(self)(self.angular + o.angular, self.cross + o.cross, self.linear + o.linear)

    def __sub__(self, o):
        return type(self)(self.angular - o.angular, self.cross - o.cross, self.linear - o.linear)

    def rotate(self, R: Matrix) -> Any:
        return type(self)(self.angular.rotate(R), R @ self.cross @ R.T, self.linear.rotate(R))

    def _apply(self, x):
        return (
            self.angular @ x.angular + self.cross @ x.linear,
            self.cross.T @ x.angular + self.linear @ x.linear,
        )

    @classmethod
    def outer(cls, left, right):
        """Sum of u w^T over pairs of columns, for a sum known to be symmetric."""
        total = cls.zero()
        for u, w in zip(left, right, strict=True):
            total = total + cls(
                u.angular.outer(w.angular).symmetric(),
                u.angular.outer(w.linear),
                u.linear.outer(w.linear).symmetric(),
            )
        return total

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.leaves()}"


class ForceDyad(_Dyad):
    """f = A m: an articulated-body inertia."""

    __slots__ = ()

    @classmethod
    def from_inertia(cls, inertia: Inertia) -> ForceDyad:
        m = inertia.mass
        return cls(inertia.tensor, inertia.moment.skew(), Symmetric(m, m, m))

    def __matmul__(self, m: Motion) -> Force:
        return Force(*self._apply(m))

    def shift(self, r: Vector) -> ForceDyad:
        """Seen from an origin at -r:  [1 r~; 0 1] A [1 0; -r~ 1]."""
        R = r.skew()
        cross = self.cross + R @ self.linear
        angular = self.angular.matrix() + R @ self.cross.T - cross @ R
        return ForceDyad(angular.symmetric(), cross, self.linear)


class MotionDyad(_Dyad):
    """m = W f: an inverse operational-space inertia."""

    __slots__ = ()

    def __matmul__(self, f):
        if isinstance(f, Force):
            return Motion(*self._apply(f))
        return NotImplemented

    def shift(self, r: Vector) -> MotionDyad:
        """Seen from an origin at +r:  [1 0; -r~ 1] W [1 r~; 0 1]."""
        R = r.skew()
        cross = self.cross + self.angular @ R
        linear = self.linear.matrix() - R @ cross + self.cross.T @ R
        return MotionDyad(self.angular, cross, linear.symmetric())
