"""Weighted and robust least squares of y = X β, in groups of rows with noise of their own.

    β = argmin Σ ρ(r_i / σ_g(i)),     Cov β = (X^T W X)^-1,     σ_g² = Σ r² / Σ (1 - h)

h: the leverage of a row.  Huber's ρ is quadratic up to k = 1.345 σ and linear beyond; its weights
are found by iteration, its covariance is that of [Huber 1981, 7.6].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armillary.evaluate.inputs import Array

Groups = NDArray[np.intp]

HUBER = 1.345  # deviations: 95 % as good as least squares where the noise is normal
_ROUNDS = 25
_SAME = 1e-5  # of the noise of a group
_DIGITS = 1e-9  # of the forces: the least noise


@dataclass(frozen=True)
class Fit:
    """β (p,), its covariance (p, p), noise of every group, residuals (n,) and weights (n,) that
    robust estimation gave to single rows (1: full)."""

    beta: Array
    covariance: Array
    noise: Array
    residuals: Array
    weights: Array

    @property
    def standard_errors(self) -> Array:
        return np.asarray(np.sqrt(np.diag(self.covariance)))


def fit(
    X: Array,
    y: Array,
    group: Groups,
    *,
    noise: Array | None = None,
    robust: bool = False,
    count: int | None = None,
) -> Fit:
    """group (n,): numbers of the groups from 0 on; count: of groups, those without rows included.
    noise: known deviations of the groups."""
    scale = np.linalg.norm(X, axis=0)
    sigma = sizes(y, group, count) if noise is None else noise
    make = _robust if robust else _plain
    found = make(X / scale, y, group, sigma, noise is not None)
    covariance = found.covariance / np.outer(scale, scale)
    return Fit(found.beta / scale, covariance, found.noise, found.residuals, found.weights)


def _plain(X: Array, y: Array, group: Groups, sigma: Array, known: bool) -> Fit:
    """The rows of a group count through the triangle of their QR factors alone."""
    count, p = len(sigma), X.shape[1]
    rows = np.bincount(group, minlength=count)
    packed = [triangle(np.column_stack([X, y])[group == g]) for g in range(count)]
    for _ in range(_ROUNDS):
        R = triangle(np.vstack([r / s for r, s in zip(packed, sigma, strict=True)]))
        beta: Array = np.asarray(np.linalg.solve(R[:p, :p], R[:p, p]))
        if known:
            break
        inverse = np.linalg.inv(R[:p, :p])
        found = np.empty(count)
        for g, r in enumerate(packed):
            leverage = np.sum((r[:, :p] @ inverse) ** 2) / sigma[g] ** 2
            miss = np.sum((r[:, p] - r[:, :p] @ beta) ** 2)
            found[g] = np.sqrt(miss / max(float(rows[g] - leverage), 1e-3))
        found = _above_rounding(found, y)
        done = np.abs(found / sigma - 1.0).max() < _SAME
        sigma = found
        if done:
            break
    inverse = np.linalg.inv(R[:p, :p])
    return Fit(beta, inverse @ inverse.T, sigma, y - X @ beta, np.ones(len(y)))


def _robust(X: Array, y: Array, group: Groups, sigma: Array, known: bool) -> Fit:
    """Huber's estimate; the noise is that of the median residual."""
    row = np.ones(len(y))
    for _ in range(_ROUNDS):
        w = np.sqrt(row) / sigma[group]
        Q, R = np.linalg.qr(X * w[:, None])
        beta = np.linalg.solve(R, Q.T @ (w * y))
        r = y - X @ beta
        found = sigma if known else _median_noise(r, y, 1.0 - (Q**2).sum(axis=1), group, len(sigma))
        new = _huber(r / found[group])
        done = np.abs(found / sigma - 1.0).max() < _SAME and np.abs(new - row).max() < 1e-4
        sigma, row = found, new
        if done:
            break
    inverse = np.linalg.inv(R)
    factor = _inflated(r / sigma[group], len(beta))
    return Fit(beta, inverse @ inverse.T * factor, sigma, r, row)


def sizes(y: Array, group: Groups, count: int | None = None) -> Array:
    """(count,) root mean squares of the groups; where nothing is in one, that of the largest."""
    found = np.nan_to_num(root_mean_squares(y, group, count))
    return np.asarray(np.where(found > 0.0, found, float(found.max(initial=0.0)) or 1.0))


def root_mean_squares(y: Array, group: Groups, count: int | None = None) -> Array:
    """(count,) of the numbers in every group that are not NaN; NaN where there are none."""
    count = int(group.max()) + 1 if count is None else count
    good = np.isfinite(y)
    rows = np.bincount(group[good], minlength=count)
    squares = np.bincount(group[good], y[good] ** 2, minlength=count)
    return np.asarray(np.where(rows > 0, np.sqrt(squares / np.maximum(rows, 1)), np.nan))


def _median_noise(r: Array, y: Array, free: Array, group: Groups, count: int) -> Array:
    found = np.empty(count)
    for g in range(len(found)):
        own = group == g
        if not own.any():
            found[g] = 0.0
            continue
        share = max(float(np.mean(free[own])), 1e-3)
        found[g] = 1.4826 * np.median(np.abs(r[own])) / np.sqrt(share)
    return _above_rounding(found, y)


def _above_rounding(noise: Array, y: Array) -> Array:
    """Never less than some digits of the forces: exact data have rounding."""
    return np.maximum(noise, _DIGITS * max(float(np.sqrt(np.mean(y * y))), 1e-280))


def _huber(z: Array) -> Array:
    size = np.abs(z)
    return np.where(size <= HUBER, 1.0, HUBER / np.maximum(size, HUBER))


def _inflated(z: Array, p: int) -> float:
    """What the covariance (X^T W X)^-1 of Huber's estimate lacks: K² E ψ² / (E ψ')², and the
    weights that are in W."""
    n = len(z)
    inner = float(np.mean(np.abs(z) <= HUBER))
    psi2 = float(np.sum(np.clip(z, -HUBER, HUBER) ** 2)) / max(n - p, 1)
    K = 1.0 + p / n * (1.0 - inner) / inner
    return K * K * psi2 / inner**2 * float(np.mean(_huber(z)))


def triangle(X: Array) -> Array:
    """R (p, p) of X = Q R: what least squares need of the rows."""
    return np.asarray(np.linalg.qr(X, mode="r"), float)


def folds(count: int, parts: int) -> list[Array]:
    """Contiguous parts of 0 .. count - 1."""
    return [np.asarray(x) for x in np.array_split(np.arange(count), parts)]
