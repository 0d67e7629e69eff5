"""Explicit, linearly implicit and exponential steps of time.

Every method turns x = (θ, s, z) at t into x at t + h, in the chart at y0.  y and s are q and v; at
free joints those of the centre of mass of what they carry (centre_of_mass.py).  A stepper reads a
`RunView` and nothing else.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.methods.jacobian import jacobian
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.tableaux import Rosenbrock, Tableau

_TERMS = 15  # of the series of φ₂
_SIZE = 0.25  # largest norm for it


class Stepper(Protocol):
    """One method at work on one run."""

    order: int

    def step(self, view: RunView, t: float, h: float, y0: Array, x0: Array) -> Array:
        """x at t + h."""


class ExplicitRungeKutta:
    """Explicit Runge-Kutta by its table; Munthe-Kaas on quaternion joints by the chart."""

    def __init__(self, table: Tableau):
        self.table, self.order = table, table.order
        self._rows = [[(j, a) for j, a in enumerate(row) if a] for row in table.a]
        self._b = [(i, b) for i, b in enumerate(table.b) if b]
        self.k: list[Array] = []

    def step(self, view: RunView, t: float, h: float, y0: Array, x0: Array) -> Array:
        if not self.k or self.k[0].shape != x0.shape:
            self.k = [np.empty_like(x0) for _ in self.table.b]
        k, rate = self.k, view.rate
        for i, row in enumerate(self._rows):
            x = x0
            for j, a in row:
                x = x + (h * a) * k[j]
            rate(t + self.table.c[i] * h, y0, x, k[i])
        for i, b in self._b:
            x0 = x0 + (h * b) * k[i]
        return x0

    def error(self, h: float) -> Array:
        """Estimate of the local error of the last step."""
        return h * sum(e * k for e, k in zip(self.table.error, self.k, strict=True))  # type: ignore[return-value]

    def dense(self, sigma: float, h: float, x0: Array) -> Array:
        """x at t + σ h of the last step, 0 ≤ σ ≤ 1."""
        x = x0
        for row, k in zip(self.table.dense, self.k, strict=True):
            weight = sum(p * sigma ** (i + 1) for i, p in enumerate(row))
            x = x + (h * weight) * k
        return x


class SemiImplicitEuler:
    """s' = s + h ds/dt(y, s), then y' = y ⊕ h s'.  Symplectic where a does not depend on v."""

    order = 1

    def step(self, view: RunView, t: float, h: float, y0: Array, x0: Array) -> Array:
        n = view.nv
        k = np.empty_like(x0)
        view.rate(t, y0, x0, k)
        x = x0 + h * k
        x[..., :n] = x0[..., :n] + h * x[..., n : 2 * n]
        return x


class LinearlyImplicit:
    """A Rosenbrock-W method; the Jacobian is that of the start of the step."""

    def __init__(self, table: Rosenbrock):
        self.table, self.order = table, table.order

    def step(self, view: RunView, t: float, h: float, y0: Array, x0: Array) -> Array:
        table, one = self.table, np.eye(view.size)
        J = h * jacobian(view, t, y0, x0)
        solve = np.asarray(np.linalg.inv(one - table.gamma * J), float)
        k: list[Array] = []
        slope = np.empty_like(x0)
        for alpha, gammas in zip(table.alpha, table.gammas, strict=True):
            x, bend = x0, np.zeros_like(x0)
            for a, g, kj in zip(alpha, gammas, k, strict=True):
                x, bend = x + a * kj, bend + g * kj
            view.rate(t + sum(alpha) * h, y0, x, slope)
            k.append(_times(solve, h * slope + _times(J, bend)))
        for b, ki in zip(table.b, k, strict=True):
            x0 = x0 + b * ki
        return x0


class Exponential:
    """Springs and dampers solved exactly, with the mass matrix frozen over the step.

    x' = A x + N(x) with A = [0 1; -Y L_s, -Y L_d]: L_s, L_d are the springs and dampers of the
    joints, Y is the inverse of M (its flexible block is that of M* [Yesiloglu2007, 4.8, 4.23]),
    under constraints what they leave of it, for s.  The solution for constant N, (4.12-4.20), is

        x(t + h) = x + h φ₁(h A) (A x + N),        φ₁(X) = (e^X - 1) / X

    which needs no inverse of L_s (errata 2-16 to 2-19).  The corrector adds
    h φ₂(h A) (N(x₁) - N(x))  [Cox and Matthews 2002]."""

    def __init__(self, view: RunView, corrected: bool):
        self.corrected, self.order = corrected, 2 if corrected else 1
        self._spring, self._damper = linear_passives(view.mechanism)
        self._damper[view.center.linear] = 0.0  # of body axes, not of the centre's

    def step(self, view: RunView, t: float, h: float, y0: Array, x0: Array) -> Array:
        n, N = view.nv, view.size
        q, _, _ = view.leave_chart(y0, x0)
        T = view.center.matrix(q, view.bodies())
        Y = T @ view.mobility(q)
        A = np.zeros((*x0.shape, N))
        A[..., :n, n : 2 * n] = np.eye(n)
        A[..., n : 2 * n, :n] = -Y * self._spring
        A[..., n : 2 * n, n : 2 * n] = -Y * self._damper
        first, second = phi_functions(h * A)
        slope = np.empty_like(x0)
        view.rate(t, y0, x0, slope)
        x1 = x0 + h * _times(first, slope)
        if not self.corrected:
            return x1
        after = np.empty_like(x0)
        view.rate(t + h, y0, x1, after)
        return x1 + h * _times(second, after - slope - _times(A, x1 - x0))


def linear_passives(mechanism: Mechanism) -> tuple[Array, Array]:
    """L_s and L_d (nv): springs and dampers of every degree of freedom."""
    spring, damper = np.zeros(mechanism.nv), np.zeros(mechanism.nv)
    model = mechanism.model
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        for k, passive in enumerate(body.joint.passive):
            damper[slot.v.start + k] = passive.viscous
            if joint.nq == joint.nv:  # quaternions have no springs
                spring[slot.v.start + k] = passive.spring
    return spring, damper


def phi_functions(X: Array) -> tuple[Array, Array]:
    """φ₁(X) = (e^X - 1) / X and φ₂(X) = (φ₁(X) - 1) / X of X (..., n, n): the series of X / 2^s
    [Yesiloglu2007, 4.24], then s times

        φ₂(2X) = (φ₁² + 2 φ₂) / 4,    φ₁(2X) = φ₁ + X φ₁² / 2

    which forgets rounding where X is large and negative; e^X squared s times multiplies it."""
    norm = float(np.abs(X).sum(axis=-1).max(initial=0.0))
    if not np.isfinite(norm):
        return np.full_like(X, np.nan), np.full_like(X, np.nan)
    halvings = max(0, int(np.ceil(np.log2(max(norm, 1e-300) / _SIZE))))
    X = X / 2.0**halvings
    one = np.eye(X.shape[-1])
    second = one
    for k in range(_TERMS + 2, 2, -1):  # 2 φ₂ = 1 + X/3 (1 + X/4 (1 + ...))
        second = one + (X / k) @ second
    second = 0.5 * second
    first = one + X @ second
    for _ in range(halvings):
        square = first @ first
        first, second = first + 0.5 * (X @ square), 0.25 * (square + 2.0 * second)
        X = 2.0 * X
    return first, second


def _times(A: Array, x: Array) -> Array:
    return (A @ x[..., None])[..., 0]
