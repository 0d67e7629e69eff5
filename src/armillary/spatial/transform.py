"""Change of coordinates between two frames.

`X_AB` takes coordinates in B to coordinates in A.  It is kept as the rotation `E` (B axes to A
axes) and the position `r` of A's origin, in B.  Motions go with X, forces with X.T the other way:
`X_AB.T @ f_A` is the same wrench in B  [VanDerMerwe1995, eqs 2.5-2.8].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from armillary.scalar import Scalar
from armillary.spatial.force import Force
from armillary.spatial.motion import Motion, MotionSpace
from armillary.spatial.rigid_body import Inertia, RigidMotion
from armillary.spatial.symmetric import ForceDyad, MotionDyad
from armillary.spatial.vector import Matrix, Vector


class Transform:
    """X_AB = (E, r):  ω_A = E ω_B,  v_A = E (v_B + ω_B × r)."""

    __slots__ = ("E", "r")
    size = 12

    def __init__(self, E: Matrix, r: Vector):
        self.E, self.r = E, r

    @classmethod
    def identity(cls) -> Transform:
        return cls(Matrix.identity(), Vector())

    @classmethod
    def translation(cls, r: Vector) -> Transform:
        return cls(Matrix.identity(), r)

    def leaves(self) -> tuple[Scalar, ...]:
        return self.E.leaves() + self.r.leaves()

    @classmethod
    def from_leaves(cls, leaves: Sequence[Scalar]) -> Transform:
        return cls(Matrix.from_leaves(leaves[:9]), Vector(*leaves[9:]))

    def inverse(self) -> Transform:
        """X_BA."""
        return Transform(self.E.T, -(self.E @ self.r))

    @property
    def T(self) -> Transposed:
        return Transposed(self)

    def point(self, p_B: Vector) -> Vector:
        """The same point, in A."""
        return self.E @ (p_B - self.r)

    def __matmul__(self, o):
        if isinstance(o, Motion):
            return Motion(self.E @ o.angular, self.E @ (o.linear + o.angular.cross(self.r)))
        if isinstance(o, Transform):
            return Transform(self.E @ o.E, o.r + o.E.T @ self.r)
        if isinstance(o, RigidMotion):
            return o.seen_from(self.E, self.r)
        if isinstance(o, Product):
            return self @ o.first @ o.second
        if isinstance(o, MotionSpace):
            return MotionSpace(tuple(self @ column for column in o.columns))
        if isinstance(o, MotionDyad):
            return _Half(self, o)
        return NotImplemented

    def force(self, f_B: Force) -> Force:
        """The same wrench, in A:  n_A = E (n_B - r × f_B),  f_A = E f_B."""
        return Force(self.E @ (f_B.angular - self.r.cross(f_B.linear)), self.E @ f_B.linear)

    def __repr__(self) -> str:
        return f"Transform(E={self.E}, r={self.r})"


class Product:
    """X_AB @ X_BC, applied one after the other instead of multiplied out.

    Each factor is often nearly empty (a rotation about z, a right angle), their product is full."""

    __slots__ = ("first", "second")

    def __init__(self, X_AB: Transform, X_BC: Transform):
        self.first, self.second = X_AB, X_BC

    @property
    def T(self) -> TransposedProduct:
        return TransposedProduct(self)

    def __matmul__(self, o: object) -> Any:
        if isinstance(o, MotionDyad):
            return _HalfProduct(self, o)
        return self.first @ (self.second @ o)


class TransposedProduct:
    """(X_AB @ X_BC)^T: forces and inertias from A to C."""

    __slots__ = ("X",)

    def __init__(self, X: Product):
        self.X = X

    def __matmul__(self, o: object) -> Any:
        if isinstance(o, (Inertia, ForceDyad)):
            return _HalfProduct(self.X, o)
        return self.X.second.T @ (self.X.first.T @ o)


class _HalfProduct:
    """The left half of a congruence with a product."""

    __slots__ = ("X", "middle")

    def __init__(self, X: Product, middle: object):
        self.X, self.middle = X, middle

    def __matmul__(self, right: object) -> Any:
        first, second = self.X.first, self.X.second
        if isinstance(right, TransposedProduct) and right.X is self.X:
            return first @ (second @ self.middle @ second.T) @ first.T
        if right is self.X:
            return second.T @ (first.T @ self.middle @ first) @ second
        return NotImplemented


class Transposed:
    """X_AB^T: forces and inertias from A to B."""

    __slots__ = ("X",)

    def __init__(self, X: Transform):
        self.X = X

    def __matmul__(self, o):
        if isinstance(o, Force):
            E_T, r = self.X.E.T, self.X.r
            f_B = E_T @ o.linear
            return Force(E_T @ o.angular + r.cross(f_B), f_B)
        if isinstance(o, (Inertia, ForceDyad)):
            return _Half(self.X, o)
        return NotImplemented


class _Half:
    """The left half of a congruence, waiting for the right: `X.T @ I @ X` or `X @ W @ X.T`."""

    __slots__ = ("X", "middle")

    def __init__(self, X: Transform, middle: Any):
        self.X, self.middle = X, middle

    def __matmul__(self, right):
        X = right.X if isinstance(right, Transposed) else right
        if X is not self.X or isinstance(right, Transposed) != isinstance(self.middle, MotionDyad):
            return NotImplemented
        if isinstance(self.middle, MotionDyad):
            return self.middle.shift(X.r).rotate(X.E)
        return self.middle.rotate(X.E.T).shift(X.r)
