"""The Coriolis matrix C(q, v): C v are the velocity forces and dM/dt - 2 C is skew.

For one body C = J^T I dJ + J^T B J with B v = v ×* I v and B + B^T = dI/dt (fixed axes).  For a
rigid body B = [A 0; -f~ 0] with f its linear momentum, so twelve numbers go up the tree.
Checked by C v + g = bias forces and the skew law.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.algorithms.passes import Algorithm, AncestorPairs, Inward, Outward
from armillary.algorithms.tree.kinematics import place
from armillary.scalar import Scalar
from armillary.spatial import Force, Inertia, Matrix, Motion, Product, Transform, Vector


class VelocityMap:
    """B = [A 0; -f~ 0], from motions to forces."""

    __slots__ = ("A", "f")
    size = 12

    def __init__(self, A: Matrix, f: Vector):
        self.A, self.f = A, f

    @classmethod
    def of_body(cls, inertia: Inertia, v: Motion) -> VelocityMap:
        """½ [v×* I - I v× + (I v) as a map]."""
        momentum = inertia @ v
        W, V, H = v.angular.skew(), v.linear.skew(), inertia.moment.skew()
        tensor = inertia.tensor.matrix()
        twice = W @ tensor - tensor @ W - (V @ H + H @ V) - momentum.angular.skew()
        return cls(twice * 0.5, momentum.linear)

    @classmethod
    def zero(cls) -> VelocityMap:
        return cls(Matrix.zero(), Vector())

    def leaves(self) -> tuple[Scalar, ...]:
        return self.A.leaves() + self.f.leaves()

    @classmethod
    def from_leaves(cls, leaves: Sequence[Scalar]) -> VelocityMap:
        return cls(Matrix.from_leaves(leaves[:9]), Vector(*leaves[9:]))

    def __add__(self, o: VelocityMap) -> VelocityMap:
        return VelocityMap(self.A + o.A, self.f + o.f)

    def __matmul__(self, m: Motion) -> Force:
        return Force(self.A @ m.angular, m.angular.cross(self.f))

    def transposed(self, m: Motion) -> Force:
        """B^T m."""
        return Force(self.A.T @ m.angular + self.f.cross(m.linear), Vector())

    def to_parent(self, X: Transform | Product) -> VelocityMap:
        """X^T B X."""
        if isinstance(X, Product):
            return self.to_parent(X.first).to_parent(X.second)
        f = X.E.T @ self.f
        return VelocityMap(X.E.T @ self.A @ X.E - X.r.skew() @ f.skew(), f)


def outward(b, p, j):
    place(b, p, j)
    b.v = b.X @ p.v + b.S @ j.v
    rates = b.joint.motion_space_rate(j.q, j.v)
    b.dS = [ds + b.v.cross(s) for ds, s in zip(rates, b.S, strict=True)]
    b.I_C = b.inertia
    b.B_C = VelocityMap.of_body(b.inertia, b.v)


def compose(b, p, j):
    p.I_C += b.X.T @ b.I_C @ b.X
    p.B_C += b.B_C.to_parent(b.X)


def start(b, k):
    return (
        b.I_C @ b.dS[k] + b.B_C @ b.S[k],
        b.I_C @ b.S[k],
        b.B_C.transposed(b.S[k]),
    )


def climb(b, value):
    return tuple(b.X.T @ F for F in value)


def meet(a, value):
    F1, F2, F3 = value
    below = a.S.T @ F1
    above = tuple(ds.dot(F2) + s.dot(F3) for ds, s in zip(a.dS, a.S, strict=True))
    return ((below, above),)


coriolis_matrix = Algorithm(
    "coriolis_matrix",
    (
        Outward(outward),
        Inward(compose),
        AncestorPairs(
            start, climb, meet, lambda b, k, value: (b.S.T @ value[0],), (Force,) * 3, ("C",)
        ),
    ),
    lambda g: {"v": g.velocity, "I_C": Inertia.zero(), "B_C": VelocityMap.zero()},
    ("q", "v"),
    {"C": "matrix"},
)
