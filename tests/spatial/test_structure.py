"""Shortcuts on structure (integer zeros and ones) against plain 6x6 matrices.

Every product of right angles with a turn about x, y or z meets every operation of the algebra:
axes along and against each other, half turns, coincident frames, offsets along one axis.  Random
rotations have no structure and meet none of the shortcuts."""

import numpy as np
import pytest

from armillary.spatial import (
    Force,
    ForceDyad,
    Inertia,
    Matrix,
    Motion,
    MotionDyad,
    Symmetric,
    Transform,
    Vector,
)
from armillary.spatial.transform import Product
from dense import array, matrix_of_inertia, motion_matrix
from samples import right_angles, tilt


def structural(numbers) -> tuple:
    """Exact 0, 1 and -1 as integers: what tracing makes of the numbers of a model."""
    return tuple(int(x) if x in (0.0, 1.0, -1.0) else float(x) for x in numbers)


RIGHT = right_angles()
ROTATIONS = RIGHT + [R @ tilt(axis, 0.5) for R in RIGHT for axis in range(3)]
OFFSETS = [(0, 0, 0), (1, 0, 0), (0, -1, 0), (0, 0, 0.3), (-0.4, 0, 0.7), (0.2, -0.6, 0.5)]


def frames() -> list[tuple[Transform, np.ndarray]]:
    """(X, the same as a 6x6 matrix of motions), all rotations, the offsets in turn."""
    pairs = []
    for k, E in enumerate(ROTATIONS):
        r = OFFSETS[k % len(OFFSETS)]
        X = Transform(Matrix.from_leaves(structural(E.ravel())), Vector(*structural(r)))
        pairs.append((X, motion_matrix(E, np.array(r, float))))
    return pairs


FRAMES = frames()


def test_there_is_structure_to_meet():
    """All turns about an axis that end along or against each axis are among the rotations."""
    assert len(RIGHT) == 24
    kept = {(zz, type(c)) for X, _ in FRAMES for (c, _, _), _, (_, _, zz) in [X.E.rows]}
    assert {(1, float), (-1, float), (1, int), (-1, int)} <= kept


SYMMETRIC = [(1.3, 0.7, 2.1, 0.2, -0.3, 0.4), (2, 3, 4, 0, 0, 0), (0, 0, 1, 0, 0, 0),
             (1.5, 1.5, 0.4, 0, 0.25, 0), (0, 0, 0, 0, 0, 0)]  # fmt: skip


@pytest.mark.parametrize("leaves", SYMMETRIC)
def test_tensors_turn(leaves):
    S = Symmetric(*leaves)
    plain = np.array(S.matrix().rows, float)
    for X, _ in FRAMES:
        E = np.array(X.E.rows, float)
        turned = np.array(S.rotate(X.E).matrix().rows, float)
        np.testing.assert_allclose(turned, E @ plain @ E.T, atol=1e-15)


@pytest.mark.parametrize("mass, moment", [(2.0, (0.3, -0.2, 0.5)), (1, (0, 0, 0)), (0, (0, 1, 0))])
def test_inertias_move(mass, moment):
    I = Inertia(mass, Vector(*moment), Symmetric(*SYMMETRIC[0]))
    plain = matrix_of_inertia(I)
    for X, dense in FRAMES:
        moved = matrix_of_inertia(X.T @ I @ X)
        np.testing.assert_allclose(moved, dense.T @ plain @ dense, atol=5e-15)


def dense_of(dyad) -> np.ndarray:
    vector = Motion if isinstance(dyad, ForceDyad) else Force
    return np.array([array(dyad @ vector.from_leaves(e)) for e in np.eye(6)]).T


@pytest.mark.parametrize("kind", [ForceDyad, MotionDyad])
@pytest.mark.parametrize("full", [True, False])
def test_dyads_move(kind, full):
    angular, linear = (SYMMETRIC[0], SYMMETRIC[3]) if full else (SYMMETRIC[2], SYMMETRIC[4])
    cross = ((0.1, -0.4, 0), (0, 0.6, 1), (0.2, 0, -0.3)) if full else ((0,) * 3,) * 3
    A = kind(Symmetric(*angular), Matrix(cross), Symmetric(*linear))
    plain = dense_of(A)
    for X, dense in FRAMES:
        if kind is ForceDyad:
            moved, expected = X.T @ A @ X, dense.T @ plain @ dense
        else:
            moved, expected = X @ A @ X.T, dense @ plain @ dense.T
        np.testing.assert_allclose(dense_of(moved), expected, atol=1e-14)


def test_products_of_frames():
    """Transforms multiplied out, and applied one after the other, on motions, forces, inertias."""
    I = Inertia(1.5, Vector(0.2, 0.1, -0.3), Symmetric(*SYMMETRIC[0]))
    m, f = (0.3, 0, -1, 0.5, 1, 0), (0, 1, 0.2, -0.7, 0, 0.9)
    dense_I = matrix_of_inertia(I)
    for (X, x), (Y, y) in zip(FRAMES, FRAMES[37:] + FRAMES[:37], strict=True):
        xy = x @ y
        for product in (X @ Y, Product(X, Y)):
            np.testing.assert_allclose(array(product @ Motion.from_leaves(m)), xy @ m, atol=5e-15)
            np.testing.assert_allclose(
                array(product.T @ Force.from_leaves(f)), xy.T @ f, atol=5e-15
            )
            moved = matrix_of_inertia(product.T @ I @ product)
            np.testing.assert_allclose(moved, xy.T @ dense_I @ xy, atol=2e-14)
        inverse = X.inverse() @ (X @ Motion.from_leaves(m))
        np.testing.assert_allclose(array(inverse), m, atol=5e-15)
