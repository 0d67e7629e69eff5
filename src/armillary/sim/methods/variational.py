"""The variational midpoint rule: symplectic, momentum maps conserved, energy error bounded.

From the discrete Lagrangian  L_d = h L(y ⊕ hξ/2, ξ)  with y' = y ⊕ hξ  [Marsden and West 2001,
section 3; Bou-Rabee and Marsden 2009 on groups]:

    p  = -D₁ L_d = dexp⁻¹(hξ)ᵀ  (μ + h/2 dexp(-hξ/2)ᵀ F) - h Ad(exp(-hξ/2))ᵀ F
    p' = +D₂ L_d = dexp⁻¹(-hξ)ᵀ (μ + h/2 dexp(-hξ/2)ᵀ F),        μ = ∂L/∂ξ

with F the force at the midpoint: of the Lagrangian, of the actuators and of friction.  Without
quaternions this is p = μ - h F/2, p' = μ + h F/2 (algorithms/closed/variational.py).
Constraints enter as in RATTLE: p + J(q)ᵀλ with λ so that q' is closed, then p' is projected.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import numpy as np

from armillary.errors import InputError, ModelError, NotFiniteError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.methods.integrators import ExplicitRungeKutta, linear_passives
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.tableaux import EXPLICIT
from armillary.sim.methods.variational_parts import VariationalParts, variational_parts

_ITERATIONS = 60
_CONVERGED, _STALLED = 1e-15, 1e-11  # changes of ξ, of 1 + its size
_STALLED_MOVE = 1e-12  # and of positions, h ξ
_FRESH = 8  # after so many of them the rows are taken from where the step ends
_RANK = 1e-13  # share of the largest eigenvalue of J S⁻¹ Jᵀ: 3e-7 of the rows themselves
_SMALL = 1e-3  # share of the largest singular value of J: a singular position is near
_STEPS = 5.0  # from which it is looked for
_NEAR = 0.5  # of the motion in a step


class Variational:
    order = 2

    def __init__(self, view: RunView):
        self._spring, self._damper = linear_passives(view.mechanism)
        self._damper[view.center.linear] = 0.0
        self._explicit = ExplicitRungeKutta(EXPLICIT["rk4"])
        self._reported: set[int | None] = set()  # runs that were close to a singular position
        self.tell: Callable[[float, str], None] = lambda t, text: None
        mechanism = view.mechanism
        mechanism.evaluator.refuse_load_friction("method 'variational'")
        if mechanism.model.constraints and not all(
            mechanism.constraint_solver.equations.constraints.holonomic
        ):
            raise InputError(
                "method 'variational': the mechanism has rolling constraints, which have no "
                "positions to close. Use 'rk4' or 'dopri5'."
            )
        _refuse_carried_free_joints(mechanism)

    def step(self, view: RunView, t: float, h: float, y0: Array, x0: Array) -> Array:
        if x0.ndim == 1:
            return self._single(view, t, h, y0, x0)
        result = np.full_like(x0, np.nan)
        for k, (one, (y, x)) in enumerate(view.runs((y0, x0))):
            if np.isfinite(x).all() and np.isfinite(y).all():
                with contextlib.suppress(NotFiniteError):
                    result[k] = self._single(one, t, h, y, x)
        return result

    def _single(self, view: RunView, t: float, h: float, y0: Array, x0: Array) -> Array:
        x1, branches = self._solved(view, t, h, y0, x0)
        if branches:
            return self._past_branches(view, t, h, y0, x0, x1)
        if x1 is None:
            labels, speeds = view.mechanism.v_labels, np.abs(x0[view.nv :])
            raise ModelError(
                f"method 'variational': the step of {h:g} s at t = {t:g} s did not converge "
                f"(fastest joint: '{labels[int(np.argmax(speeds[: len(labels)]))]}'). Use a "
                f"shorter step, or 'implicit' for stiff parts."
            )
        return x1

    def _past_branches(
        self, view: RunView, t: float, h: float, y0: Array, x0: Array, x1: Array | None
    ) -> Array:
        """Near a singular position, where the mechanism has several branches, the rows say little
        about which one it takes: the step must be close to an explicit one, else that is taken."""
        n = view.nv
        plain = self._explicit.step(view, t, h, y0, x0)
        if x1 is not None:
            spans = ((slice(0, n), h), (slice(n, 2 * n), 1.0))
            speed = _fastest(view, x0[n : 2 * n])
            if all(
                _fastest(view, (x1 - plain)[k])
                <= _NEAR * (_fastest(view, (plain - x0)[k]) + scale * speed)
                for k, scale in spans
            ):
                return x1
        if view.row not in self._reported:
            self._reported.add(view.row)
            self.tell(t, view.named + _text(view, plain, n))
        return plain

    def _solved(
        self, view: RunView, t: float, h: float, y0: Array, x0: Array
    ) -> tuple[Array | None, bool]:
        """x after the step, or None where the equations are not solved; is a singular position
        near?"""
        n = view.nv
        parts = variational_parts(view.mechanism, view.setup.parameters is not None)
        bodies, closed = view.bodies(), bool(view.mechanism.model.constraints)
        s0, z0 = x0[n : 2 * n], x0[2 * n :]
        q0, _ = view.center.leave(y0, s0, bodies)
        ends = _Ends(view, parts, t, h, y0)
        M = ends.inertia(q0)
        S = M + 0.5 * h * np.diag(self._damper) + 0.25 * h * h * np.diag(self._spring)
        inverse = np.linalg.inv(S)
        p0, xi = M @ s0 + ends.at_rest(y0), s0.copy()
        J = ends.lowered_rows(q0)[0] if closed else np.zeros((0, n))
        lift = inverse @ J.T
        answer = _pseudo_inverse(J @ lift)
        branches = closed and _branches(view, J, h * _fastest(view, s0))
        push, size = np.zeros(len(J)), np.inf
        for k in range(_ITERATIONS):
            start, end, rate = ends(xi, z0)
            step = inverse @ (p0 + push @ J - start)
            if closed:
                after, opening = ends.rows(xi + step)
                if not np.isfinite(after).all():  # thrown far off
                    return None, branches
                if k % _FRESH == _FRESH - 1:
                    answer = np.asarray(np.linalg.pinv(after @ lift, rcond=_RANK), float)
                more = answer @ (opening / -h)
                step, push = step + lift @ more, push + more
            xi = xi + step
            before, size = size, float(np.abs(step).max(initial=0.0))
            scale = 1.0 + float(np.abs(xi).max(initial=0.0))
            if not np.isfinite(size):
                return (None if closed else np.full_like(x0, np.nan)), branches
            stalled = max(_STALLED, _STALLED_MOVE / h)  # openings are rounded, and divided by h
            if size < _CONVERGED * scale or (size < stalled * scale and size >= 0.5 * before):
                break
        else:
            return None, branches
        start, end, rate = ends(xi, z0)
        y1 = view.chart.step(y0, h * xi)
        q1, _ = view.center.leave(y1, xi, bodies)
        M = ends.inertia(q1)
        s1 = np.asarray(np.linalg.solve(M, end - ends.at_rest(y1)), float)
        if closed:
            s1 = _consistent(M, ends.rows(xi)[0], s1, 2.0 * xi - s0)
        return np.concatenate([h * xi, s1, z0 + h * rate]), branches


def _text(view: RunView, x: Array, n: int) -> str:
    k, mechanism = int(np.argmax(np.abs(x[:n]))), view.mechanism
    return (
        f"the mechanism is close to a singular position, where its constraints do not tell how "
        f"it goes on (fastest there: joint '{mechanism.v_labels[k]}'); steps near it are made "
        f"with 'rk4', which keeps no symplectic form"
    )


def _fastest(view: RunView, s: Array) -> float:
    """The largest of some velocities or moves, but for a drift."""
    return float(np.abs(np.delete(s, view.center.linear)).max(initial=0.0))


def _branches(view: RunView, J: Array, move: float) -> bool:
    """Is there a position nearby, within a few steps that move the joints by `move` each, where
    rows of J become dependent that are independent here?"""
    if not J.any():
        return False
    scaling = view.mechanism.constraint_solver.equations.scaling
    values = np.linalg.svd(J * (scaling.columns / scaling.length), compute_uv=False)
    kept = values[values > np.sqrt(_RANK) * values[0]]
    return bool(kept[-1] < max(_SMALL, _STEPS * move) * values[0])


def _consistent(M: Array, J: Array, s: Array, ahead: Array) -> Array:
    """s, but off the constraints as far as the velocity `ahead` is, which follows from the step
    itself: next to nothing, unless the rows take motion away that the step still had.  What is
    nearest to s on the constraints by kinetic energy stays the same."""
    lift = np.linalg.solve(M, J.T)
    return s + lift @ (_pseudo_inverse(J @ lift) @ (J @ (ahead - s)))


def _refuse_carried_free_joints(mechanism: Mechanism) -> None:
    model = mechanism.model
    for body, joint in zip(model.bodies, model.joints, strict=True):
        moves = model.index[body.parent] >= 0 or mechanism.evaluator.moving_base
        if joint.kind == "free" and moves:
            raise InputError(
                f"method 'variational': the free joint of body '{body.name}' stands on "
                f"something that moves. Give it the parent 'world', without base motion, or "
                f"use 'rk4' or 'dopri5'."
            )


class _Ends:
    """Both ends of one step from y0 with some velocity ξ: momenta, and rows of the constraints."""

    def __init__(self, view: RunView, parts: VariationalParts, t: float, h: float, y0: Array):
        self._view, self._parts, self._t, self._h, self._y0 = view, parts, t, h, y0
        self._bodies = view.bodies()
        self._closed = bool(view.mechanism.model.constraints)
        self._moving = view.moving(t + h) if self._closed else None
        self._asked = bool(self._closed or view.setup.chain.stages or view.setup.external)

    def __call__(self, xi: Array, z: Array) -> tuple[Array, Array, Array]:
        """Momenta at the start and the end, and the rates of the parts' states between them."""
        view, h = self._view, self._h
        if not self._asked:
            tau, rate = view.forces(self._t + 0.5 * h, self._y0, xi, z)
        else:
            tau, rate = self._asked_forces(xi, z)
        return *self._parts.momenta(self._y0, xi, tau, h, self._bodies), rate

    def _asked_forces(self, xi: Array, z: Array) -> tuple[Array, Array]:
        """Forces of the parts, of wrenches and of constraints that are known, at the middle."""
        view, t = self._view, self._t + 0.5 * self._h
        y = view.chart.step(self._y0, 0.5 * self._h * xi)
        q, v = view.center.leave(y, xi, self._bodies)
        tau, rate = view.forces(t, q, v, z)
        if view.nz:  # midpoint values of the parts' states
            tau, rate = view.forces(t, q, v, z + 0.5 * self._h * rate)
        if external := view.wrenches(t, q, v):
            bias = view.mechanism.bias_forces
            tau = tau + bias(q, v) - bias(q, v, external)
        if self._closed:
            tau = tau + self._parts.known(q, v)
        return tau, rate

    def at_rest(self, y: Array) -> Array | float:
        """Momentum of the mechanism at rest on its base, which may turn."""
        if not self._view.mechanism.evaluator.moving_base:
            return 0.0
        still = np.zeros(self._view.nv)
        return self._parts.momenta(y, still, still, 0.0, self._bodies)[0]

    def inertia(self, q: Array) -> Array:
        """M of s."""
        M, center = self._mass_matrix(q), self._view.center
        return center.lowered(center.lowered(M, M, q).T, M, q) if center else M

    def _mass_matrix(self, q: Array) -> Array:
        mass_matrix = self._view.mechanism.mass_matrix
        return mass_matrix(q) if self._bodies is None else mass_matrix(q, parameters=self._bodies)

    def lowered_rows(self, q: Array) -> tuple[Array, Array]:
        """Rows of the constraints at q for s, and how far they are open at the end of the step."""
        J, opening = self._parts.rows(q, self._moving)
        center = self._view.center
        return (center.lowered(J, self._mass_matrix(q), q) if center else J), opening

    def rows(self, xi: Array) -> tuple[Array, Array]:
        """The same at the end of the step."""
        y = self._view.chart.step(self._y0, self._h * xi)
        return self.lowered_rows(self._view.center.leave(y, xi, self._bodies)[0])


def _pseudo_inverse(A: Array) -> Array:
    """Of a symmetric matrix, without what rounding alone tells from nothing."""
    if not len(A):
        return A
    values, vectors = np.linalg.eigh(0.5 * (A + A.T))
    kept = values > _RANK * values[-1]
    return np.asarray((vectors[:, kept] / values[kept]) @ vectors[:, kept].T)
