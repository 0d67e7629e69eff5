"""How a rigid body moves, as three vectors: ω, α and the acceleration of the frame's origin.

The acceleration of the point r is a + A r with the tensor A = α~ + ω~ω~, and the force of a body
is a sum of A over its points, which only needs first moments and the Euler tensor
[VanDerMerwe1995, 3.14-3.19, 3.67; errata 0-10].  No linear velocity is needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.scalar import Scalar
from armillary.spatial.force import Force
from armillary.spatial.inertia import Inertia
from armillary.spatial.motion import Motion
from armillary.spatial.vector import Matrix, Symmetric, Vector


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
