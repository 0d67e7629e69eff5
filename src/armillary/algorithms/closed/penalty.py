"""Accelerations of a mechanism whose constraints give way, like springs and dampers along rows.

    M a = tau - h + Jᵀ λ,    λ = -(m r'' + c r' + k r),    r'' = J a - gamma,    r' = J v

r: the opening of a row.  With m > 0 it is one quasi-definite system [M Jᵀ; J -1/m] for (a, -λ),
which has a factorisation in every position, however the rows depend on each other.
"""

from __future__ import annotations

from armillary.algorithms.closed.constrained import MASS_PAIRS, inertias, inward, outward, world
from armillary.algorithms.closed.constraint_rows import kept_rows
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Inward, Outward
from armillary.algorithms.sparse import SparseLDL, put, symmetric_rows


def penalized_dynamics(count: int, m: float, c: float, k: float) -> Algorithm:
    """Of all `count` rows."""

    def close(run: Run) -> None:
        force = [t - h for j in run.joints for t, h in zip(j.tau, j.h, strict=True)]
        lines = kept_rows(run, range(count), "gamma", force)
        rates, places = (kept_rows(run, range(count), x, []) for x in ("rate", "residual"))
        pairs = zip(rates, places, strict=True)
        pull = [-c * rate - k * place for (_, rate), (_, place) in pairs]
        M, n = inertias(run), len(force)
        if m == 0.0:
            for (entries, _), size in zip(lines, pull, strict=True):
                for dof, x in entries.items():
                    force[dof] = force[dof] + x * size
            run.write("a", SparseLDL(M, range(n - 1, -1, -1)).solve(force)[0])
            return
        rows = M + symmetric_rows(count)
        for number, (entries, _) in enumerate(lines):
            rows[n + number][n + number] = -1.0 / m
            for dof, x in entries.items():
                put(rows, dof, n + number, x)
        right = [gamma + (1.0 / m) * x for (_, gamma), x in zip(lines, pull, strict=True)]
        order = [*range(n - 1, -1, -1), *range(n, n + count)]
        run.write("a", SparseLDL(rows, order).solve([*force, *right])[0][:n])

    return Algorithm(
        name="penalized_dynamics",
        passes=(Outward(outward), Inward(inward), MASS_PAIRS, GlobalStep(close)),
        world=world,
        reads=("q", "v", "tau", "external"),
        writes={"a": "dof"},
    )
