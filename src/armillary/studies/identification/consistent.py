"""Inertias that a rigid body can have, nearest to what was measured.

A body is realisable if its pseudo-inertia

    P = [ Σ    m c ]      Σ = ½ tr(I) 1 - I,   I: tensor about the frame's origin
        [ m c^T  m ]

is positive definite [Wensing, Kim and Slotine 2018].  Newton's method minimises

    ½ (B θ - β)^T C^-1 (B θ - β) + γ Σ_bodies D(P, P0),   D = tr(P0^-1 P) - log det(P0^-1 P) - 4

with β the measured combinations and C their covariance.  D is the entropic distance from the body
of the model [Lee, Wensing and Park 2020]: it does not depend on units and frames, keeps P positive
definite, and decides what the data do not; γ is small, so that it weighs little beside what they
see.  Numbers that cannot be negative (friction, rotors, stiffness) have x/x0 - log(x/x0) - 1.  The
sum is convex: there is one minimum.  γ begins large and falls (path following).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.studies.identification.parameters import Parameter

SPREAD = 10.0  # γ = 1 / spread²: changes by a factor of e cost 1 % of a squared standard error
_THIN = 0.02  # radius of gyration of a body at least, of its size
_NOTHING = 0.5  # likewise, of a body of which nothing is known
_FALL = 0.1  # of γ from stage to stage
_STEPS = 60  # of Newton in a stage
_DONE = 1e-9  # of squared standard errors
# places of (mass, mx, my, mz, xx, yy, zz, xy, xz, yz)
_TENSOR = ((0, 0, 4), (1, 1, 5), (2, 2, 6), (0, 1, 7), (0, 2, 8), (1, 2, 9))


def pseudo_inertia(p: Array) -> Array:
    """P (4, 4) of the ten parameters of a body."""
    I = np.zeros((3, 3))
    for i, k, n in _TENSOR:
        I[i, k] = I[k, i] = p[n]
    P = np.empty((4, 4))
    P[:3, :3] = 0.5 * np.trace(I) * np.eye(3) - I
    P[:3, 3] = P[3, :3] = p[1:4]
    P[3, 3] = p[0]
    return P


def from_pseudo_inertia(P: Array) -> Array:
    """The ten parameters; linear in P."""
    S = P[:3, :3]
    I = np.trace(S) * np.eye(3) - S
    return np.array([P[3, 3], *P[:3, 3], *(I[i, k] for i, k, _ in _TENSOR)])


def realizable(p: Array) -> bool:
    """Is there a rigid body with these ten numbers?"""
    return bool(np.linalg.eigvalsh(pseudo_inertia(p)).min() > 0.0)


def made_realizable(p: Array, mass: float, size: float) -> Array:
    """The same body with at least this mass (kg), and with some extent (of a size, m) along every
    axis: where the model has a point, a rod, nothing or what no body has."""
    m = max(float(p[0]), mass)
    thin = _THIN if p.any() else _NOTHING
    c = p[1:4] / m
    S = pseudo_inertia(p)[:3, :3] - m * np.outer(c, c)
    values, axes = np.linalg.eigh(S)
    S = (axes * np.maximum(values, m * (thin * size) ** 2)) @ axes.T + m * np.outer(c, c)
    P = np.block([[S, m * c[:, None]], [m * c[None, :], np.array([[m]])]])
    return from_pseudo_inertia(P)


def _symmetric_units() -> Array:
    """(10, 4, 4) symmetric matrices of length one, at right angles."""
    found = []
    for i in range(4):
        for k in range(i, 4):
            unit = np.zeros((4, 4))
            unit[i, k] = unit[k, i] = 1.0 if i == k else np.sqrt(0.5)
            found.append(unit)
    return np.array(found)


_UNITS = _symmetric_units()


class _Distance:
    """Σ D(P, P0) over all bodies, and over the other numbers."""

    def __init__(self, parameters: Sequence[Parameter], start: Array):
        self.start = start
        inertial = [k for k, p in enumerate(parameters) if p.kind == "inertia"]
        self.bodies = [inertial[k : k + 10] for k in range(0, len(inertial), 10)]
        self.inverses = [np.linalg.inv(pseudo_inertia(start[own])) for own in self.bodies]
        others = [k for k in range(len(start)) if k not in set(inertial)]
        self.positive = np.array([k for k in others if parameters[k].positive], int)
        self.free = np.array([k for k in others if not parameters[k].positive], int)

    def inside(self, theta: Array) -> bool:
        """Are all bodies realisable, and all other numbers positive that must be?"""
        return bool((theta[self.positive] > 0.0).all()) and all(
            realizable(theta[own]) for own in self.bodies
        )

    def __call__(self, theta: Array) -> float:
        total = 0.0
        for own, A0 in zip(self.bodies, self.inverses, strict=True):
            ratio = A0 @ pseudo_inertia(theta[own])
            total += float(np.trace(ratio) - np.linalg.slogdet(ratio)[1] - 4.0)
        x = theta[self.positive] / self.start[self.positive]
        y = theta[self.free] / self.start[self.free]
        return total + float(np.sum(x - np.log(x) - 1.0) + 0.5 * np.sum((y - 1.0) ** 2))

    def chart(self, theta: Array) -> tuple[Array, Array]:
        """Coordinates s at θ in which D is curved as |s|²/2: dP = U S U^T with P = U U^T, dx = x s.

        L (P, P) with dθ = L s, and the slope of D along s."""
        L, slope = np.zeros((len(theta), len(theta))), np.zeros(len(theta))
        for own, A0 in zip(self.bodies, self.inverses, strict=True):
            U = np.linalg.cholesky(pseudo_inertia(theta[own]))
            moved = U @ _UNITS @ U.T
            L[np.ix_(own, own)] = np.array([from_pseudo_inertia(dP) for dP in moved]).T
            slope[own] = np.einsum("ij,nji->n", U.T @ A0 @ U - np.eye(4), _UNITS)
        x, x0 = theta[self.positive], self.start[self.positive]
        L[self.positive, self.positive], slope[self.positive] = x, x / x0 - 1.0
        y, y0 = theta[self.free], self.start[self.free]
        L[self.free, self.free], slope[self.free] = y0, y / y0 - 1.0
        return L, slope


@dataclass(frozen=True)
class Consistent:
    """θ (P,) and how far its combinations are from those that were measured: χ² in squared
    standard errors, over `rank` numbers."""

    theta: Array
    chi2: float


def consistent(
    parameters: Sequence[Parameter],
    start: Array,
    matrix: Array,
    beta: Array,
    covariance: Array,
    spread: float = SPREAD,
) -> Consistent:
    """The realisable numbers nearest to the measured combinations matrix @ θ = beta.

    start (P,): realisable numbers to begin with and to keep where the data say nothing."""
    weight = _root_of_inverse(covariance)
    A, b = weight @ matrix, weight @ beta
    distance, theta = _Distance(parameters, start), start.copy()
    least = 1.0 / spread**2
    gamma = max(least, 0.1 * float(np.sum((A @ theta - b) ** 2)))
    while True:
        theta = _minimum(A, b, distance, theta, gamma)
        if gamma <= least:
            break
        gamma = max(least, _FALL * gamma)
    miss = A @ theta - b
    return Consistent(theta, float(miss @ miss))


def _minimum(A: Array, b: Array, distance: _Distance, theta: Array, gamma: float) -> Array:
    """Of ½ |A θ - b|² + γ D by Newton steps that stay inside.  A step is a problem of least
    squares: [A L; √γ] s = [b - A θ; -√γ slope]."""
    n, root = len(theta), np.sqrt(gamma)
    for _ in range(_STEPS):
        miss = A @ theta - b
        L, slope = distance.chart(theta)
        Q, R = np.linalg.qr(np.vstack([A @ L, root * np.eye(n)]))
        s = -np.linalg.solve(R, Q.T @ np.concatenate([miss, root * slope]))
        fall = -float((A @ L @ s) @ miss + gamma * (slope @ s))
        if fall < _DONE * max(1.0, gamma):
            break
        step = L @ s
        total, size = 0.5 * float(miss @ miss) + gamma * distance(theta), 1.0
        while size > 1e-12:
            other = theta + size * step
            if distance.inside(other):
                own = A @ other - b
                if 0.5 * float(own @ own) + gamma * distance(other) <= total - 0.1 * size * fall:
                    break
            size *= 0.5
        else:  # rounding: no step goes down any more
            break
        theta = other
    return theta


def _root_of_inverse(covariance: Array) -> Array:
    """W with W^T W = C^-1."""
    deviations = np.sqrt(np.diag(covariance))
    unit = covariance / np.outer(deviations, deviations)
    return np.asarray(np.linalg.inv(np.linalg.cholesky(unit)) / deviations[None, :])
