"""The left Jacobian of finite rotations, which couples rotation and translation in SE(3)."""

from __future__ import annotations

from armillary.scalar import cos, sin, sqrt, where
from armillary.spatial import Matrix, Vector


def se3_arm(rotation: Vector) -> Matrix:
    """V = 1 + (1-cos t)/t² u~ + (t - sin t)/t³ u~u~: displacement by a unit body velocity."""
    t2 = rotation.dot(rotation)
    small = t2 < 1e-6
    safe = where(small, 1.0, t2)
    t = sqrt(safe)
    first = where(small, 0.5 - t2 * (1.0 / 24.0) + t2 * t2 * (1.0 / 720.0), (1 - cos(t)) / safe)
    second = where(
        small,
        1.0 / 6.0 - t2 * (1.0 / 120.0) + t2 * t2 * (1.0 / 5040.0),
        (t - sin(t)) / (safe * t),
    )
    U = rotation.skew()
    return Matrix.identity() + U * first + (U @ U) * second


def se3_arm_inverse(rotation: Vector) -> Matrix:
    """V^-1 = 1 - u~/2 + (1/t² - (1 + cos t)/(2 t sin t)) u~u~, for |rotation| up to pi."""
    t2 = rotation.dot(rotation)
    small = t2 < 1e-3
    safe = where(small, 1.0, t2)
    t = sqrt(safe)
    # (1 + cos t) / sin t = cos(t/2) / sin(t/2), finite up to t = pi
    far = 1.0 / safe - cos(t * 0.5) / (2.0 * t * sin(t * 0.5))
    near = 1.0 / 12.0 + t2 * (1.0 / 720.0 + t2 * (1.0 / 30240.0 + t2 * (1.0 / 1209600.0)))
    U = rotation.skew()
    return Matrix.identity() - U * 0.5 + (U @ U) * where(small, near, far)
