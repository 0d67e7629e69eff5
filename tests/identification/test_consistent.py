"""Bodies that can exist: the chart of pseudo-inertias, and the best ones for given numbers."""

import numpy as np
import pytest

from armillary.model.parts import inertia_of
from armillary.studies.identification.consistent import (
    consistent,
    from_pseudo_inertia,
    made_realizable,
    pseudo_inertia,
    realizable,
)
from armillary.studies.identification.parameters import Parameter
from samples import random_mass

NAMES = ("mass", "mx", "my", "mz", "xx", "yy", "zz", "xy", "xz", "yz")
BODY = tuple(Parameter(f"body.{name}", "", 0.0, "inertia", k) for k, name in enumerate(NAMES))


def numbers(seed: int) -> np.ndarray:
    mass = random_mass(np.random.default_rng(seed), 2.0, 0.3)
    return np.array([float(x) for x in inertia_of(mass).leaves()])


def test_pseudo_inertia_is_that_of_points():
    """Of point masses it is Σ m (x; 1)(x; 1)^T, and the parameters are their sums."""
    rng = np.random.default_rng(0)
    x, m = rng.normal(size=(7, 3)), rng.uniform(0.1, 1.0, 7)
    high = np.column_stack([x, np.ones(7)])
    P = np.einsum("k,ki,kj->ij", m, high, high)
    I = sum(w * (p @ p * np.eye(3) - np.outer(p, p)) for w, p in zip(m, x, strict=True))
    p = np.array([m.sum(), *(m @ x), I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
    np.testing.assert_allclose(pseudo_inertia(p), P, rtol=1e-12)
    np.testing.assert_allclose(from_pseudo_inertia(P), p, rtol=1e-12)
    assert realizable(p)
    assert not realizable(p + 3.0 * I[0, 0] * np.eye(10)[5])  # one moment above the other two


def test_what_no_body_has_becomes_a_body():
    p = np.zeros(10)
    p[5] = 0.35  # the first link of the Puma: a moment without a mass
    assert not realizable(p)
    assert realizable(made_realizable(p, 0.01, 0.3))
    same = numbers(1)
    np.testing.assert_allclose(made_realizable(same, 1e-3, 0.01), same, rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_numbers_of_a_body_are_kept(seed):
    """Where the measured numbers can exist, they are the answer."""
    wanted, start = numbers(seed), numbers(seed + 10)
    covariance = np.diag((1e-4 * np.abs(wanted) + 1e-6) ** 2)
    found = consistent(BODY, start, np.eye(10), wanted, covariance)
    assert found.chi2 < 1e-3
    np.testing.assert_allclose(found.theta, wanted, atol=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_numbers_of_no_body_give_the_nearest_one(seed):
    """The minimum over the cone of positive matrices: its slope Z there is a positive matrix too,
    and Z P = 0 (conditions of Karush, Kuhn and Tucker)."""
    rng = np.random.default_rng(seed)
    p = numbers(seed)
    values, axes = np.linalg.eigh(pseudo_inertia(p))
    values[0] = -0.3 * values[1]  # flatter than flat
    wanted = from_pseudo_inertia(axes @ np.diag(values) @ axes.T)
    assert not realizable(wanted)
    root = rng.normal(size=(10, 10)) * 0.1 + np.eye(10)
    covariance = 1e-4 * root @ root.T
    found = consistent(BODY, p, np.eye(10), wanted, covariance, spread=1e4)
    P = pseudo_inertia(found.theta)
    assert np.linalg.eigvalsh(P).min() > 0.0
    slope = np.linalg.solve(covariance, found.theta - wanted)  # along the ten numbers
    Z = np.zeros((4, 4))  # the same along P: <Z, dP> = slope · d theta
    for i in range(4):
        for k in range(i, 4):
            unit = np.zeros((4, 4))
            unit[i, k] = unit[k, i] = 1.0
            Z[i, k] = Z[k, i] = slope @ from_pseudo_inertia(unit) / (1.0 if i == k else 2.0)
    size = np.abs(np.linalg.eigvalsh(Z)).max()
    assert np.linalg.eigvalsh(Z).min() > -2e-3 * size
    assert np.linalg.norm(Z @ P) < 2e-3 * size * np.trace(P)
    assert found.chi2 > 1.0


def test_negative_friction_becomes_none():
    p = (Parameter("hinge.viscous", "", 0.1, "viscous", 0, True),)
    found = consistent(p, np.array([0.1]), np.eye(1), np.array([-0.5]), np.array([[0.01]]))
    assert 0.0 < found.theta[0] < 1e-3
    found = consistent(p, np.array([0.1]), np.eye(1), np.array([0.5]), np.array([[1e-6]]))
    assert found.theta[0] == pytest.approx(0.5, rel=1e-5)
