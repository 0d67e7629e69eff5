"""The equations of a closed mechanism at a state, with all rows of its constraints:

    M a = force + J^T λ,    J a = gamma,          force = tau - h + known forces of the constraints

Where their rank is found state by state, another solver takes them from here
(runtime/null_space_loop.py, constraints/equations.py)."""

from __future__ import annotations

from armillary.algorithms.closed.constrained import MASS_PAIRS, inertias, inward, outward, world
from armillary.algorithms.closed.row_terms import all_rows, row_terms
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Inward, Outward


def _close(run: Run) -> None:
    all_rows(run)
    n, results = run.tables.nv, run.results
    bare = [t - h for j in run.joints for t, h in zip(j.tau, j.h, strict=True)]
    force = [x + given for x, given in zip(bare, results["pushes"][0], strict=True)]
    results["pushes"] = [*results["pushes"], force]
    results["M"] = [[row.get(k, 0) for k in range(n)] for row in inertias(run)]
    if (prescribed := run.inputs.get("prescribed")) is not None:
        gamma, *others = results["right"]
        moved = [x + more for x, more in zip(gamma, prescribed, strict=True)]
        results["right"] = [moved, *others]


# results of row_terms (right: with the prescribed accelerations; pushes: and all forces), M (n, n)
state_equations = Algorithm(
    name="state_equations",
    passes=(Outward(outward), Inward(inward), MASS_PAIRS, GlobalStep(_close)),
    world=world,
    reads=("q", "v", "tau", "external", "prescribed"),
    writes={**row_terms.writes, "M": "results"},
    shapes={**row_terms.shapes, "pushes": (3, "dofs"), "M": ("dofs", "dofs")},
)
