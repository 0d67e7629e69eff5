"""Rigid bodies: mass, first moment m c and the tensor about the frame's origin; and motion as three
vectors, ω, α and the acceleration of the origin, from which the force follows.

The acceleration of the point r is a + A r with the tensor A = α~ + ω~ω~, and the force of a body
is a sum of A over its points, which only needs first moments and the Euler tensor
[VanDerMerwe1995, 3.14-3.19, 3.67; errata 0-10].  No linear velocity is needed.
"""

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


class RigidMotion:
    """Angular velocity, angular acceleration and (classical) acceleration of the origin."""

    __slots__ = ("a", "alpha", "w")
    size = 9

    def __init__(self, w: Vector, alpha: Vector, a: Vector):
        self.w, self.alpha, self.a = w, alpha, a

    @classmethod
    def from_motions(cls, v: Motion, a: Motion) -> RigidMotion:
        """From a velocity and a spatial acceleration."""
        return cls(v.angular, a.angular, a.classical(v).linear)

    def leaves(self) -> tuple[Scalar, ...]:
        return self.w.leaves() + self.alpha.leaves() + self.a.leaves()

    @classmethod
    def from_leaves(cls, leaves: Sequence[Scalar]) -> RigidMotion:
        return cls(Vector(*leaves[:3]), Vector(*leaves[3:6]), Vector(*leaves[6:]))

    def tensor(self) -> Matrix:
        """A = α~ + ω~ω~: the acceleration of r is a + A r."""
        x, y, z = self.w
        ax, ay, az = self.alpha
        xx, yy, zz = x * x, y * y, z * z
        return Matrix(
            (
                (-(yy + zz), x * y - az, x * z + ay),
                (x * y + az, -(xx + zz), y * z - ax),
                (x * z - ay, y * z + ax, -(xx + yy)),
            )
        )

    def seen_from(self, E: Matrix, r: Vector) -> RigidMotion:
        """The same body from the frame with rotation E and origin r (X = (E, r))."""
        return RigidMotion(E @ self.w, E @ self.alpha, E @ (self.a + self.tensor() @ r))

    def moved(self, v: Motion, a: Motion) -> RigidMotion:
        """The motion of a frame that moves in this one: relative velocity v, and a its rate as
        seen in the moving frame (errata 0-12, 0-13)."""
        return RigidMotion(
            self.w + v.angular,
            self.alpha + a.angular + self.w.cross(v.angular),
            self.a + a.linear + (self.w * 2 + v.angular).cross(v.linear),
        )

    def force(self, inertia: Inertia, J: Symmetric) -> Force:
        """What a body needs to move so:  f = m a + A h,  n = h × a + Σ (A J)_zy - (A J)_yz ...

        J: the Euler tensor of the body about the origin."""
        A, h = self.tensor(), inertia.moment
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = A.rows
        turning = Vector(
            zx * J.xy + zy * J.yy + zz * J.yz - yx * J.xz - yy * J.yz - yz * J.zz,
            xx * J.xz + xy * J.yz + xz * J.zz - zx * J.xx - zy * J.xy - zz * J.xz,
            yx * J.xx + yy * J.xy + yz * J.xz - xx * J.xy - xy * J.yy - xz * J.yz,
        )
        return Force(turning + h.cross(self.a), self.a * inertia.mass + A @ h)

    def __repr__(self) -> str:
        return f"RigidMotion{self.leaves()}"
