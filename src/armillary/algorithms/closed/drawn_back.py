"""Accelerations that draw open rows back, as a kernel of the loop over time.

    -2 alpha (J v) - beta² (residual),    or    J M⁻¹ Jᵀ f,  f = -kv (J v) - kp (residual)

on top of those the rows have anyway [VanDerMerwe1995, 5.75; errata 0-27]."""

from __future__ import annotations

from armillary.algorithms.closed.constrained import moving_world, outward
from armillary.algorithms.closed.constraint_rows import kept_rows
from armillary.algorithms.closed.variational import Numbers
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Outward
from armillary.algorithms.sparse import SparseLDL, symmetric
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.scalar import Scalar


def drawn_back(count: int, by_rate: float, by_place: float, force: bool) -> Algorithm:
    """Of all `count` rows: -by_rate (J v) - by_place (residual), as accelerations or as a force."""

    def step(run: Run) -> None:
        rates, places = (kept_rows(run, range(count), level, []) for level in ("rate", "residual"))
        pairs = zip(rates, places, strict=True)
        pull = [-by_rate * rate - by_place * place for (_, rate), (_, place) in pairs]
        rows = [entries for entries, _ in rates]
        run.world.pull = Numbers(_accelerated(run, rows, pull) if force else pull)

    return Algorithm(
        name="drawn_back",
        passes=(Outward(outward), GlobalStep(step)),
        world=moving_world,
        reads=("q", "v"),
        writes={"pull": "world"},
        shapes={"pull": Numbers(size=count)},
    )


def _accelerated(run: Run, rows: list[dict[int, Scalar]], force: list[Scalar]) -> list[Scalar]:
    """J M⁻¹ Jᵀ f."""
    n = run.tables.nv
    M = Run(mass_matrix, run.tables, run.base, {"q": run.inputs["q"]}).result("M")
    push: list[Scalar] = [0] * n
    for entries, f in zip(rows, force, strict=True):
        for k, x in entries.items():
            push[k] = push[k] + x * f
    a = SparseLDL(symmetric(M), range(n - 1, -1, -1)).solve(push)[0]
    return [sum((x * a[k] for k, x in entries.items()), 0) for entries in rows]
