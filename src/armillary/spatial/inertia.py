"""Rigid-body inertia: mass, first moment m c and the tensor about the frame's origin."""

from __future__ import annotations

from collections.abc import Sequence

from armillary.scalar import Scalar
from armillary.spatial.force import Force
from armillary.spatial.motion import Motion
from armillary.spatial.vector import Matrix, Symmetric, Vector, squared_skew


class Inertia:
    """I = [ I_o  m c~ ; m c~^T  m 1 ] in one frame  [VanDerMerwe1995, eq 4.1; errata 0-16]."""

    __slots__ = ("mass", "moment", "tensor")
    size = 10

    def __init__(self, mass: Scalar, moment: Vector, tensor: Symmetric):
        self.mass, self.moment, self.tensor = mass, moment, tensor

    @classmethod
    def from_com(cls, mass: Scalar, com: Vector, tensor_com: Symmetric) -> Inertia:
        """From mass, centre of mass and the tensor about the centre (parallel-axis rule)."""
        return cls(mass, com * mass, tensor_com + squared_skew(com) * mass)

    @classmethod
    def zero(cls) -> Inertia:
        return cls(0, Vector(), Symmetric.zero())

    def leaves(self) -> tuple[Scalar, ...]:
        return (self.mass, *self.moment.leaves(), *self.tensor.leaves())

    @classmethod
    def from_leaves(cls, leaves: Sequence[Scalar]) -> Inertia:
        return cls(leaves[0], Vector(*leaves[1:4]), Symmetric(*leaves[4:]))

    def com(self) -> Vector:
        """Centre of mass (the mass must not be zero)."""
        return self.moment * (1.0 / self.mass)

    def tensor_com(self) -> Symmetric:
        """Tensor about the centre of mass, along the axes of the frame."""
        return self.tensor - squared_skew(self.com()) * self.mass

    def __add__(self, o: Inertia) -> Inertia:
        return Inertia(self.mass + o.mass, self.moment + o.moment, self.tensor + o.tensor)

    def __sub__(self, o: Inertia) -> Inertia:
        return Inertia(self.mass - o.mass, self.moment - o.moment, self.tensor - o.tensor)

    def __matmul__(self, m: Motion) -> Force:
        """Momentum of a velocity, or force of an acceleration."""
        h = self.moment
        return Force(
            self.tensor @ m.angular + h.cross(m.linear),
            m.linear * self.mass - h.cross(m.angular),
        )

    def rotate(self, R: Matrix) -> Inertia:
        """The same body in rotated coordinates."""
        return Inertia(self.mass, R @ self.moment, self.tensor.rotate(R))

    def shift(self, r: Vector) -> Inertia:
        """The same body with every point moved by r (the origin moved by -r).

        With c' = c + r the parallel-axis rule needs only first moments, so a massless body works:
        I' = I + m (c'·c' 1 - c' c'^T) - m (c·c 1 - c c^T)."""
        h, m = self.moment, self.mass
        s = h * 2 + r * m
        hr = Symmetric(
            s.y * r.y + s.z * r.z, s.x * r.x + s.z * r.z, s.x * r.x + s.y * r.y,
            -(h.x * r.y + h.y * r.x + m * r.x * r.y),
            -(h.x * r.z + h.z * r.x + m * r.x * r.z),
            -(h.y * r.z + h.z * r.y + m * r.y * r.z),
        )  # fmt: skip
        return Inertia(m, h + r * m, self.tensor + hr)

    def euler(self) -> Symmetric:
        """Euler tensor about the origin, J = ∫ r r^T dm = ½ tr(I) 1 - I  (eqs 3.24-3.30)."""
        half = self.tensor.trace() * 0.5
        return Symmetric(half, half, half) - self.tensor

    @classmethod
    def from_euler(cls, mass: Scalar, moment: Vector, euler: Symmetric) -> Inertia:
        """From the Euler tensor about the origin:  I = tr(J) 1 - J."""
        t = euler.trace()
        return cls(mass, moment, Symmetric(t, t, t) - euler)

    def kinetic_energy(self, v: Motion) -> Scalar:
        return v.dot(self @ v) * 0.5

    def __repr__(self) -> str:
        return f"Inertia(mass={self.mass}, moment={self.moment}, tensor={self.tensor})"
