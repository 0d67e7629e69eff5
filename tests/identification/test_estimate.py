"""Least squares against closed forms, coverage of standard errors, outliers."""

import numpy as np
import pytest
from scipy.stats import norm

import armillary as am
from armillary.studies.identification.estimate import fit


def slider(**passive) -> am.Mechanism:
    b = am.Builder("slider", gravity=(0, 0, 0))
    b.body("cart", joint="prismatic", axis="x", mass=2.0, passive=am.Passive(**passive))
    return b.build()


def test_friction_alone_in_closed_form():
    """A cart drawn at ±u and ±w, n times each: with f = b v + c sign(v) the normal equations are
    two by two, and so is their inverse."""
    u, w, n = 0.5, 2.0, 40
    v = np.tile([u, -u, w, -w], n)
    rng = np.random.default_rng(0)
    tau = 0.7 * v + 3.0 * np.sign(v) + 0.1 * rng.normal(size=4 * n)
    t = 0.01 * np.arange(4 * n)
    data = {"time": t, "q": np.cumsum(v) * 0.01, "v": v, "a": 0 * v, "tau": tau}
    data = {k: x if k == "time" else x[:, None] for k, x in data.items()}
    found = am.identify(slider(), data, inertias=False, realizable=False)
    along = tau * np.sign(v)
    slow, fast = along[np.abs(v) == u].mean(), along[np.abs(v) == w].mean()
    b = (fast - slow) / (w - u)
    c = slow - b * u
    np.testing.assert_allclose(found.base_estimates, [b, c], rtol=1e-12)
    left = along - b * np.abs(v) - c
    sigma = np.sqrt(left @ left / (4 * n - 2))
    np.testing.assert_allclose(found.noise, [sigma], rtol=1e-9)
    errors = sigma * np.sqrt([1.0 / (n * (w - u) ** 2), (u * u + w * w) / (2 * n * (w - u) ** 2)])
    np.testing.assert_allclose(found.standard_errors, errors, rtol=1e-9)
    assert found.base_names == ("cart.viscous", "cart.coulomb")
    assert found.base_units == ("N s/m", "N")
    assert found.condition == pytest.approx(
        np.sqrt((1 + (r := (u + w) / np.sqrt(2 * (u * u + w * w)))) / (1 - r))
    )


def rows(rng, beta, sigma, n=60):
    """Three groups of rows with noise of their own; two regressors are nearly the same."""
    X = rng.normal(size=(3 * n, 4))
    X[:, 1] = X[:, 0] + 0.1 * X[:, 1]
    group = np.repeat(np.arange(3), n)
    return X, X @ beta, group, sigma[group]


@pytest.mark.parametrize("robust", [False, True])
def test_standard_errors_cover_what_they_say(robust):
    """400 experiments, four numbers each: 68.3 % within one, 95.4 % within two standard errors; the
    shares of 1600 events have a standard deviation of 1.2 and 0.5 %, errors within one experiment
    are correlated: three times that."""
    rng = np.random.default_rng(1)
    beta, sigma = np.array([1.0, -2.0, 0.5, 0.0]), np.array([0.01, 1.0, 0.2])
    z = []
    for _ in range(400):
        X, exact, group, noise = rows(rng, beta, sigma)
        found = fit(X, exact + noise * rng.normal(size=len(exact)), group, robust=robust)
        z.append((found.beta - beta) / found.standard_errors)
    inside = np.abs(np.array(z))
    for size, slack in ((1.0, 0.045), (2.0, 0.02)):
        share = norm.cdf(size) - norm.cdf(-size)
        assert np.mean(inside < size) == pytest.approx(share, abs=slack)


def test_known_noise_is_the_formula():
    rng = np.random.default_rng(2)
    X, exact, group, noise = rows(rng, np.ones(4), np.array([0.1, 0.2, 0.3]))
    y = exact + noise * rng.normal(size=len(exact))
    found = fit(X, y, group, noise=np.array([0.1, 0.2, 0.3]))
    W = np.diag(1.0 / noise**2)
    np.testing.assert_allclose(found.covariance, np.linalg.inv(X.T @ W @ X), rtol=1e-9)
    np.testing.assert_allclose(found.beta, np.linalg.solve(X.T @ W @ X, X.T @ W @ y), rtol=1e-9)


def test_outliers_do_not_move_the_robust_estimate():
    """One row in twenty is off by fifty deviations, always upwards."""
    rng = np.random.default_rng(3)
    beta, sigma = np.array([1.0, -2.0, 0.5, 0.0]), np.array([0.1, 0.1, 0.1])
    X, exact, group, noise = rows(rng, beta, sigma, 400)
    X[:, 3] = 1.0
    y = X @ beta + noise * rng.normal(size=len(exact))
    hit = rng.random(len(y)) < 0.05
    y[hit] += 5.0
    plain, robust = fit(X, y, group), fit(X, y, group, robust=True)
    assert abs(plain.beta[3]) > 0.15  # the mean is off by 0.05 x 5
    assert abs(robust.beta[3]) < 0.02
    assert np.abs(robust.beta - beta)[:3].max() < 0.06
    assert robust.weights[hit].max() < 0.1 < robust.weights[~hit].min()
    # the outliers raise the median by 7 %, and 400 rows know it to 6 %
    np.testing.assert_allclose(robust.noise, sigma, rtol=0.25)


def test_exact_data_give_exact_numbers():
    rng = np.random.default_rng(4)
    X, exact, group, _ = rows(rng, np.array([1.0, -2.0, 0.5, 3.0]), np.ones(3))
    np.testing.assert_allclose(fit(X, exact, group).beta, [1.0, -2.0, 0.5, 3.0], rtol=1e-9)
