"""Compiled forward dynamics of closed mechanisms, tried once: the motion that is left free must be
in balance and the rows of the constraints fulfilled, by equations no compiler has touched."""

from __future__ import annotations

import numpy as np

from armillary.constraints.equations import Equations
from armillary.constraints.ladder import Outcome
from armillary.constraints.nullspace import Factor
from armillary.constraints.plan import plan_of, samples_of
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import Kernel
from armillary.evaluate.program import Program, Verify
from armillary.evaluate.verify import (
    TOLERANCE,
    compiled,
    joint_forces,
    numbers_of_bodies,
    refuse,
    share,
)

_LOOSE = 30.0  # times what no motion can fulfil


def of_closed(equations: Equations, passive: bool) -> Verify:
    """Checks every new kernel of forward dynamics."""

    def verify(kernels: Program, kernel: Kernel) -> None:
        def residual() -> float:
            return _closed_residual(equations, kernels, kernel, passive)

        refuse(equations.evaluator, kernels, kernel, residual)

    return verify


def _closed_residual(
    equations: Equations, kernels: Program, kernel: Kernel, passive: bool
) -> float:
    """What is left of  M a + h - tau - J^T λ  along the free motions, and of  J a - γ, both
    relative to their terms, at a closed configuration in motion."""
    samples = samples_of(equations)
    if not len(samples):
        return 0.0  # nothing closed was found to try
    rng = np.random.default_rng(7)
    q, evaluator = samples[-1], equations.evaluator
    columns = equations.scaling.columns
    # by J alone: rows that are driven may be anywhere on their way
    tolerance = max(TOLERANCE, equations.geometry_tolerance)
    factor = Factor(equations.terms(q[None]).J[0], equations.scaling, tolerance)
    if _singular(equations, equations.terms(q[None]).J[0], factor.rank, tolerance):
        return 0.0  # the code is for regular places
    free = factor.free
    v = free @ (free.T @ (rng.normal(size=len(columns)) * columns))
    plain, base = evaluator.tables(passive=passive), evaluator.base()
    h = joint_forces(plain, base, q, v, 0.0 * v)
    tau = joint_forces(plain, base, q, v, rng.normal(size=len(h)) * columns)
    given = {"q": q, "v": v, "tau": tau, "prescribed": np.zeros(equations.constraints.count)}
    a = compiled(evaluator, kernels, kernel, given | numbers_of_bodies(evaluator, kernels))
    if not Outcome.of_kernel(a[None]).converged[0]:
        return 0.0  # left to the next solver
    terms = equations.interpreted_terms(q[None], v[None], passive)
    needed = joint_forces(plain, base, q, v, a) - terms.given[0]
    push = free.T @ (needed - tau)
    pushes = np.abs(free).T @ (np.abs(needed) + np.abs(tau) + np.abs(h))
    J, gamma, unit = terms.J[0], terms.gamma[0], equations.scaling.rows
    off = (J @ a - gamma) * unit
    speed = max(1.0, np.abs(v / columns).max(initial=0.0))  # even what is held fast could move
    # a row that moves something has size 1 in scaled units: what is far less is rounding
    usual = equations.length * (np.abs(a / columns).max(initial=0.0) + speed**2)
    rates = usual + (np.abs(J) @ np.abs(a) + np.abs(gamma)) * unit
    found = max(share(push, pushes), share(off, rates))
    # rows that contradict each other, or do but for the digits of a file, leave something open
    open_ = max(share(factor.motion(gamma)[1] * unit, rates), equations.geometry_tolerance)
    return found if found > _LOOSE * open_ else 0.0


def _singular(equations: Equations, J: Array, rank: int, tolerance: float) -> bool:
    """Is the mechanism closed at singular places alone, so that rows the code solves for move
    nothing there?"""
    plan = plan_of(equations)
    if plan.pivots is not None:
        return rank < len(plan.pivots)
    sizes = np.linalg.norm(equations.scaling.scaled(J)[list(plan.kept)], axis=1)
    return bool((sizes < tolerance).any())
