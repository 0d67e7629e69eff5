"""Rolled forward dynamics of closed mechanisms, tried once, at any size: against the regularised
equations, whose loops share nothing with code of the mechanism but the tree."""

from __future__ import annotations

import numpy as np

from armillary.algorithms.tree import mass_matrix
from armillary.constraints.compiled import eliminating_kernels
from armillary.constraints.equations import Equations
from armillary.constraints.sparse_plan import moving_sample
from armillary.evaluate.kernel import Kernel
from armillary.evaluate.program import Program, Verify
from armillary.evaluate.verify import compiled, numbers_of_bodies, refuse

_COARSE = 1e-4  # next to a singularity the two solutions may differ by less: wrong code by more


def by_elimination(equations: Equations, passive: bool) -> Verify:
    """Checks every new kernel of forward dynamics."""

    def verify(kernels: Program, kernel: Kernel) -> None:
        def residual() -> float:
            return from_elimination(equations, kernels, kernel, passive)

        refuse(equations.evaluator, kernels, kernel, residual)

    return verify


def from_elimination(
    equations: Equations, kernels: Program, kernel: Kernel, passive: bool
) -> float:
    """Largest difference of the accelerations, relative to all of them in units of the machine, at
    a closed configuration in motion."""
    rng, columns = np.random.default_rng(7), equations.scaling.columns
    q, v = moving_sample(equations, rng)
    evaluator, reads = equations.evaluator, kernels.request.reads
    weights = evaluator.run(mass_matrix.mass_columns, {"q": q[None]})["F"][0]
    tau = rng.normal(size=len(v)) * np.linalg.norm(weights, axis=1) / columns
    given = {"q": q, "v": v, "tau": tau, "prescribed": np.zeros(equations.constraints.count)}
    given |= numbers_of_bodies(evaluator, kernels)
    loops = eliminating_kernels(equations, "gamma", reads, passive)
    if loops is None:
        return 0.0
    found = [
        compiled(evaluator, program, code, given) / columns
        for program, code in ((kernels, kernel), (loops, loops.kernel(False, "double")))
    ]
    if not all(np.isfinite(a).all() for a in found):
        return 0.0  # left to the next solver
    off = float(np.abs(found[0] - found[1]).max() / max(np.abs(found).max(), 1e-300))
    return off if off > _COARSE else 0.0
