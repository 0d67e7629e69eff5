"""Rotations: about axes, from roll-pitch-yaw, quaternions (w, x, y, z), and their logarithms.

Every matrix here is a coordinate transform R_BA, A axes to B axes, where B is A rotated by the
given angle: the transpose of the "active" matrix  [VanDerMerwe1995, eqs 2.20-2.27].
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from armillary.scalar import Scalar, atan2, cos, sin, sqrt, where
from armillary.spatial.vector import Matrix, Vector


def cos_sin(angle: float) -> tuple[float, float]:
    """Cosine and sine of a given number; the doubles nearest to multiples of a right angle mean
    exactly that.  What is not finite gives nan: the pose is refused where its part is known."""
    if not math.isfinite(angle):
        return math.nan, math.nan
    quarters = round(angle / (math.pi / 2))
    if abs(quarters) < 1000 and angle == quarters * (math.pi / 2):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarters % 4]
    return math.cos(angle), math.sin(angle)


def about_x(angle: Scalar) -> Matrix:
    c, s = cos(angle), sin(angle)
    return Matrix(((1, 0, 0), (0, c, s), (0, -s, c)))


def about_y(angle: Scalar) -> Matrix:
    c, s = cos(angle), sin(angle)
    return Matrix(((c, 0, -s), (0, 1, 0), (s, 0, c)))


def about_z(angle: Scalar) -> Matrix:
    c, s = cos(angle), sin(angle)
    return Matrix(((c, s, 0), (-s, c, 0), (0, 0, 1)))


def about(axis: Vector, angle: Scalar) -> Matrix:
    """Rotation by an angle about a unit axis (Rodrigues):  1 - sin u~ + (1 - cos) u~ u~."""
    U = axis.skew()
    return Matrix.identity() - U * sin(angle) + (U @ U) * (1 - cos(angle))


def from_rpy(roll: Scalar, pitch: Scalar, yaw: Scalar) -> Matrix:
    """R_BA of B rotated by roll, pitch, yaw about the *fixed* x, y, z of A (the URDF rule)."""
    return about_x(roll) @ about_y(pitch) @ about_z(yaw)


def to_rpy(R_BA: Matrix) -> tuple[Scalar, Scalar, Scalar]:
    """Roll, pitch, yaw of a rotation; pitch in [-pi/2, pi/2].

    Near the poles yaw alone is ill determined; whatever it comes out as, it is undone before
    roll and pitch are taken, so together they give the rotation back to the last digits."""
    yaw = atan2(R_BA.rows[0][1], R_BA.rows[0][0])
    (c, _, minus_s), (_, cos_roll, _), (_, minus_sin_roll, _) = (R_BA @ about_z(yaw).T).rows
    return atan2(-minus_sin_roll, cos_roll), atan2(-minus_s, c), yaw


def from_quaternion(q: Sequence[Scalar]) -> Matrix:
    """R_BA of B rotated by the unit quaternion (w, x, y, z); scaled right for any length."""
    w, x, y, z = q
    s = 2.0 / (w * w + x * x + y * y + z * z)
    xs, ys, zs = x * s, y * s, z * s
    wx, wy, wz = w * xs, w * ys, w * zs
    xx, xy, xz = x * xs, x * ys, x * zs
    yy, yz, zz = y * ys, y * zs, z * zs
    return Matrix(
        (
            (1.0 - (yy + zz), xy + wz, xz - wy),
            (xy - wz, 1.0 - (xx + zz), yz + wx),
            (xz + wy, yz - wx, 1.0 - (xx + yy)),
        )
    )


def to_quaternion(R_BA: Matrix) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Unit quaternion with w >= 0: the branch whose divisor is largest, chosen by `where`."""
    (a, b, c), (d, e, f), (g, h, i) = R_BA.rows
    candidates = [
        (1.0 + a + e + i, lambda t: (t, f - h, g - c, b - d)),
        (1.0 + a - e - i, lambda t: (f - h, t, b + d, g + c)),
        (1.0 - a + e - i, lambda t: (g - c, b + d, t, f + h)),
        (1.0 - a - e + i, lambda t: (b - d, g + c, f + h, t)),
    ]
    t, make = candidates[0]
    best, chosen = t, make(t)
    for t, make in candidates[1:]:
        better = t > best
        chosen = tuple(where(better, n, o) for n, o in zip(make(t), chosen, strict=True))
        best = where(better, t, best)
    scale = 1.0 / sqrt(sum((x * x for x in chosen[1:]), chosen[0] * chosen[0]))
    scale = where(chosen[0] < 0, -scale, scale)
    w, x, y, z = (x * scale for x in chosen)
    return w, x, y, z


def quaternion_product(p: Sequence[Scalar], q: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """p q: first the rotation p, then q about the rotated axes."""
    pw, px, py, pz = p
    qw, qx, qy, qz = q
    return (
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
    )


def normalized(q: Sequence[Scalar]) -> tuple[Scalar, ...]:
    scale = 1.0 / sqrt(sum((x * x for x in q[1:]), q[0] * q[0]))
    return tuple(x * scale for x in q)


def quaternion_exp(vector: Vector) -> tuple[Scalar, ...]:
    """Quaternion of a rotation vector (axis times angle), exact also at zero."""
    t2 = vector.dot(vector)
    small = t2 < 1e-8
    t = sqrt(where(small, 1.0, t2))
    half_sinc = where(small, 0.5 - t2 * (1.0 / 48.0), sin(t * 0.5) / t)
    w = where(small, 1.0 - t2 * 0.125 + t2 * t2 * (1.0 / 384.0), cos(t * 0.5))
    return (w, vector.x * half_sinc, vector.y * half_sinc, vector.z * half_sinc)


def quaternion_log(q: Sequence[Scalar]) -> Vector:
    """Rotation vector of a unit quaternion, of length at most pi."""
    w, x, y, z = q
    flip = where(w < 0, -1.0, 1.0)
    w, x, y, z = w * flip, x * flip, y * flip, z * flip
    n2 = x * x + y * y + z * z
    small = n2 < 1e-12
    n = sqrt(where(small, 1.0, n2))
    near = where(small, w, 1.0)  # w = 0 is a half vector
    scale = where(small, (2.0 - n2 * (2.0 / 3.0) / (near * near)) / near, 2.0 * atan2(n, w) / n)
    return Vector(x * scale, y * scale, z * scale)


def rotation_log(R_BA: Matrix) -> Vector:
    """Rotation vector that leads from A to B."""
    return quaternion_log(to_quaternion(R_BA))
