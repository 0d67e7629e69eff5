"""Numbers of 60 digits in numpy arrays: poses, and linear systems of any rank."""

import mpmath
import numpy as np

mp = mpmath.MPContext()
mp.dps = 60
STEP = mp.mpf(10) ** -18

big = np.frompyfunc(lambda x: mp.mpf(float(x)), 1, 1)
small = np.frompyfunc(float, 1, 1)


UNIT = {n: big(np.eye(n)) for n in (3, 4)}


def eye(n: int) -> np.ndarray:
    return UNIT[n].copy() if n in UNIT else big(np.eye(n)).reshape(n, n)


def unit(v) -> np.ndarray:
    return v / mp.sqrt(v @ v)


def field(w, v) -> np.ndarray:
    """The 4x4 matrix of the velocities v + ω × p."""
    x, y, z = w
    rows = [[0, -z, y, v[0]], [z, 0, -x, v[1]], [-y, x, 0, v[2]], [0, 0, 0, 0]]
    return np.array([[mp.mpf(e) for e in row] for row in rows], object)


def cross(a, b) -> np.ndarray:
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def exponential(A) -> np.ndarray:
    """e^A by its series, for small A."""
    total = term = eye(4)
    for k in range(1, 60):
        term = term @ A / k
        total = total + term
        if all(abs(x) < mp.eps for x in term.ravel()):
            break
    return total


def screw_motion(w, v, x) -> np.ndarray:
    """The pose reached by moving x along the screw (ω; v)."""
    H = eye(4)
    if not any(w):
        H[:3, 3] = v * x
        return H
    w = unit(w)
    W = field(w, big(np.zeros(3)))[:3, :3]
    R = eye(3) + W * mp.sin(x) + (W @ W) * (1 - mp.cos(x))
    point = cross(w, v)
    H[:3, :3], H[:3, 3] = R, point - R @ point + w * ((w @ v) * x)
    return H


def orthonormal(R) -> np.ndarray:
    """The rotation next to one that is rounded to double."""
    R = big(R)
    for _ in range(3):
        R = R @ (3 * eye(3) - R.T @ R) / 2
    return R


def pose_matrix(pose) -> np.ndarray:
    H = eye(4)
    H[:3, :3], H[:3, 3] = orthonormal(np.array(pose.rotation)), big(np.array(pose.position))
    return H


def back(H) -> np.ndarray:
    inverse = eye(4)
    inverse[:3, :3], inverse[:3, 3] = H[:3, :3].T, -H[:3, :3].T @ H[:3, 3]
    return inverse


# ---------------------------------------------------------------- linear algebra


def echelon(A, b, tolerance):
    """Gauss-Jordan with full pivoting: (A, b, pivot columns), as many pivots as count."""
    A, b, pivots = A.copy(), b.copy(), []
    largest = max(map(abs, A.ravel()), default=mp.mpf(0))
    for r in range(min(A.shape)):
        rest = np.abs(A[r:])
        i, j = np.unravel_index(np.argmax(rest), rest.shape)
        if rest[i, j] <= tolerance * largest:
            break
        i += r
        A[[r, i]], b[[r, i]] = A[[i, r]], b[[i, r]]
        b[r], A[r] = b[r] / A[r, j], A[r] / A[r, j]
        for k in range(len(A)):
            if k != r and A[k, j]:
                b[k], A[k] = b[k] - b[r] * A[k, j], A[k] - A[r] * A[k, j]
        pivots.append(int(j))
    return A, b, pivots


def solution(A, b, tolerance, least_squares=False) -> np.ndarray:
    """One x with A x = b."""
    if least_squares:
        A, b = A.T @ A, A.T @ b
    _, y, pivots = echelon(A, b, tolerance)
    x = big(np.zeros(A.shape[1]))
    for r, j in enumerate(pivots):
        x[j] = y[r]
    return x


def solved(A, b) -> np.ndarray:
    return solution(A, b, mp.mpf(10) ** -50)


def null_space(A, tolerance) -> np.ndarray:
    E, _, pivots = echelon(A, big(np.zeros(len(A))), tolerance)
    free = [j for j in range(A.shape[1]) if j not in pivots]
    N = big(np.zeros((A.shape[1], len(free))))
    for k, j in enumerate(free):
        N[j, k] = mp.mpf(1)
        for r, i in enumerate(pivots):
            N[i, k] = -E[r, j]
    return N
