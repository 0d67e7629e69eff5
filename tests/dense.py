"""Spatial algebra again, as plain numpy matrices: the oracle of the scalar objects.

Written from the definitions (coordinates of points, sums over point masses), so that nothing here
follows the library's own formulas.
"""

import numpy as np

from armillary.spatial import Inertia, Matrix, Motion, Vector


def array(x) -> np.ndarray:
    """A vector, matrix, motion, force or symmetric tensor of the library as a numpy array."""
    if hasattr(x, "rows"):
        return np.array(x.rows)
    return np.array(x.leaves())


def columns(space) -> np.ndarray:
    """A motion or force space as a 6 x n matrix."""
    return np.array([c.leaves() for c in space]).reshape(len(space), 6).T


def skew(c) -> np.ndarray:
    """The matrix of c × x, column by column."""
    return np.array([np.cross(c, e) for e in np.eye(3)]).T


def motion_matrix(E, r) -> np.ndarray:
    """X_AB for motions: the velocity of A's origin r (in B) is v + ω × r, then turn the axes."""
    E = np.asarray(E)
    turn = np.kron(np.eye(2), E)
    carry = np.block([[np.eye(3), np.zeros((3, 3))], [-skew(r), np.eye(3)]])
    return turn @ carry


def motion_cross(v) -> np.ndarray:
    """v ×: the rate of motion vectors carried by v."""
    w, u = np.split(np.asarray(v), 2)
    return np.block([[skew(w), np.zeros((3, 3))], [skew(u), skew(w)]])


def force_cross(v) -> np.ndarray:
    """v ×*: minus the transpose, so that powers do not change along the flow."""
    return -motion_cross(v).T


def inertia_matrix(masses, points) -> np.ndarray:
    """Spatial inertia of point masses about the origin: kinetic energy ½ Σ m |v + ω × p|²."""
    total = np.zeros((6, 6))
    for m, p in zip(masses, points, strict=True):
        velocity = np.hstack([-skew(p), np.eye(3)])  # of the point, from (ω; v)
        total += m * velocity.T @ velocity
    return total


def rodrigues(axis, angle) -> np.ndarray:
    """The *active* rotation by an angle about a unit axis, by the matrix power series."""
    U = skew(axis) * angle
    R, term = np.eye(3), np.eye(3)
    for k in range(1, 60):
        term = term @ U / k
        R = R + term
    return R


def random_rotation(rng) -> np.ndarray:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def point_cloud(rng, n: int = 7, size: float = 1.0):
    """(masses, points) of a lopsided body."""
    return rng.uniform(0.1, 2.0, n), rng.normal(size=(n, 3)) * size + rng.normal(size=3)


def tensor_of_points(masses, points) -> np.ndarray:
    """∫ (p·p 1 - p p^T) dm, entry by entry."""
    x, y, z = points.T
    tensor = np.array([[-(masses @ (a * b)) for b in (x, y, z)] for a in (x, y, z)])
    np.fill_diagonal(
        tensor, [masses @ (y * y + z * z), masses @ (x * x + z * z), masses @ (x * x + y * y)]
    )
    return tensor


def inertia_of_points(masses, points) -> Inertia:
    """The library's object, by `from_com`: mass, centre, tensor about the centre."""
    com = masses @ points / masses.sum()
    tensor = Matrix(tensor_of_points(masses, points - com)).symmetric()
    return Inertia.from_com(float(masses.sum()), Vector(*com), tensor)


def matrix_of_inertia(inertia: Inertia) -> np.ndarray:
    """The 6x6 matrix that the object *does*: its action on the six unit motions."""
    return np.array([array(inertia @ Motion.from_leaves(e)) for e in np.eye(6)]).T
