"""The variational midpoint rule: symplectic, momentum maps conserved, energy error bounded.

From the discrete Lagrangian  L_d = h L(q ⊕ hξ/2, ξ)  with q' = q ⊕ hξ  [Marsden and West 2001,
section 3; Bou-Rabee and Marsden 2009 on groups]:

    p  = -D₁ L_d = dexp⁻¹(hξ)ᵀ  (μ + h/2 dexp(-hξ/2)ᵀ F) - h Ad(exp(-hξ/2))ᵀ F
    p' = +D₂ L_d = dexp⁻¹(-hξ)ᵀ (μ + h/2 dexp(-hξ/2)ᵀ F),        μ = M(q_m) ξ

with F the force at the midpoint: of the Lagrangian, C ᵀ ξ - g - [ξ, ·]ᵀ μ (C with dM/dt - 2C
skew), of the drives and of friction.  Without quaternions this is p = μ - h F/2, p' = μ + h F/2.
Constraints enter as in RATTLE: p + J(q)ᵀλ with λ so that q' is closed, then p' is projected.
"""

from __future__ import annotations

import numpy as np

from armillary.errors import InputError, ModelError
from armillary.functions.inputs import Array
from armillary.sim.system import System

_ITERATIONS = 60


class Variational:
    order = 2

    def __init__(self, system: System):
        from armillary.sim.integrators import linear_passives

        self.system = system
        self._spring, self._damper = linear_passives(system.mechanism)
        mechanism = system.mechanism
        mechanism._refuse_loads("method 'variational'")
        if mechanism.model.constraints and not all(mechanism._engine.ties.holonomic):
            raise InputError(
                "method 'variational': the mechanism has rolling constraints, which have no "
                "positions to close. Use 'rk4' or 'dopri5'."
            )

    def step(self, t: float, h: float, q0: Array, x0: Array) -> Array:
        if x0.ndim == 1:
            return self._single(t, h, q0, x0)
        result = np.empty_like(x0)
        for k, (q, x) in enumerate(zip(q0, x0, strict=True)):
            with self.system.only(k):
                good = np.isfinite(x).all() and np.isfinite(q).all()
                result[k] = self._single(t, h, q, x) if good else np.nan
        return result

    def _single(self, t: float, h: float, q0: Array, x0: Array) -> Array:
        system, n = self.system, self.system.nv
        v0, z0 = x0[n : 2 * n], x0[2 * n :]
        M0 = system.mechanism.mass_matrix(q0)
        p0, xi = M0 @ v0, v0.copy()
        tied = bool(system.mechanism.model.constraints)
        J0 = system.mechanism.constraint_jacobian(q0) if tied else np.zeros((0, n))
        push, size = np.zeros(len(J0)), np.inf
        for _ in range(_ITERATIONS):
            start, end, M, rate = self._momenta(t, h, q0, xi, z0)
            miss = start - p0 - J0.T @ push
            slope = M + 0.5 * h * np.diag(self._damper) + 0.25 * h * h * np.diag(self._spring)
            step, more = self._newton(t, h, q0, xi, slope, miss, J0)
            xi, push = xi + step, push + more
            before, size = size, float(np.abs(step).max(initial=0.0))
            scale = 1.0 + float(np.abs(xi).max(initial=0.0))
            if not np.isfinite(size):
                return np.full_like(x0, np.nan)
            if size < 1e-15 * scale or (size < 1e-11 * scale and size >= 0.5 * before):
                break
        else:
            raise ModelError(
                f"method 'variational': the step of {h:g} s at t = {t:g} s did not converge "
                f"(last change {size:.1e}). Use a shorter step, or 'implicit' for stiff parts."
            )
        start, end, M, rate = self._momenta(t, h, q0, xi, z0)
        q1 = system.chart.move(q0, h * xi)
        v1 = np.linalg.solve(system.mechanism.mass_matrix(q1), end)
        return np.concatenate([h * xi, v1, z0 + h * rate])

    def _momenta(
        self, t: float, h: float, q0: Array, xi: Array, z0: Array
    ) -> tuple[Array, Array, Array, Array]:
        """Momenta at both ends, M at the midpoint, rates of the parts' states there."""
        system, mechanism, chart = self.system, self.system.mechanism, self.system.chart
        q = chart.move(q0, 0.5 * h * xi)
        M = mechanism.mass_matrix(q)
        mu = M @ xi
        tau, rate = system.forces(t + 0.5 * h, q, xi, z0)
        if system.nz:  # midpoint values of the parts' states
            tau, rate = system.forces(t + 0.5 * h, q, xi, z0 + 0.5 * h * rate)
        C = mechanism.coriolis_matrix(q, xi)
        # bias forces hold C ξ, gravity, friction; external wrenches act as in the dynamics
        external = system.wrenches(t + 0.5 * h, q, xi)
        F = tau - mechanism.bias_forces(q, xi, external) + (C + C.T) @ xi
        if mechanism.model.constraints:  # contacts that push, friction and springs of loops
            F = F + mechanism._engine.terms(q[None], xi[None]).given[0]
        if chart.additive:
            return mu - 0.5 * h * F, mu + 0.5 * h * F, M, rate
        F = F - chart.brackets(xi).T @ mu
        half = np.linalg.inv(chart.inverse_dexp_matrix(0.5 * h * xi))  # dexp(-hξ/2)
        both = mu + 0.5 * h * half.T @ F
        start = chart.inverse_dexp_matrix(-h * xi).T @ both - h * chart.adjoint(0.5 * h * xi).T @ F
        return start, chart.inverse_dexp_matrix(h * xi).T @ both, M, rate

    def _newton(
        self, t: float, h: float, q0: Array, xi: Array, slope: Array, miss: Array, J0: Array
    ) -> tuple[Array, Array]:
        """Changes of ξ and λ."""
        if not len(J0):
            return np.asarray(-np.linalg.solve(slope, miss), float), np.zeros(0)
        mechanism = self.system.mechanism
        q1 = self.system.chart.move(q0, h * xi)
        terms = mechanism._engine.terms(q1[None], moving=self.system.moving(t + h))
        J1, opening = terms.J[0], terms.residual[0]
        m, n = J1.shape
        K = np.block([[slope, -J0.T], [J1, np.zeros((m, m))]])
        right = np.concatenate([-miss, -opening / h])
        solution = np.linalg.lstsq(K, right, rcond=1e-11)[0]
        return solution[:n], solution[n:]
