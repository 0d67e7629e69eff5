"""Derivatives of forward dynamics by straight-line code and a solution in loops, and by loops all
through, against numpy's solution of the equations with the derivatives of inverse dynamics."""

from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.tree.derivatives import forward_dynamics_derivatives
from armillary.evaluate.request import CompileOptions, Request
from armillary.evaluate.straight_code import straight_code
from compare import close
from samples import random_model, random_state

TREES = {
    "chain": lambda: random_model(1, ("revolute",), 7, branching=0.0, roots=0.0),
    "free and branched": lambda: random_model(2, ("revolute",), 5, base="free", roots=0.0),
    "forest": lambda: random_model(3, ("revolute", "prismatic"), 9, branching=0.5, roots=0.4),
    "two": lambda: random_model(4, ("revolute", "prismatic"), 2, roots=0.0),
    "mixed": lambda: random_model(5, ("universal", "spherical", "revolute"), 5, roots=0.2),
}
NAMES = ("dq", "dv", "dtau")


@cache
def operations(name: str, before: bool) -> int:
    """Of straight-line code: of all passes, or of those before the equations."""
    algorithm = forward_dynamics_derivatives
    if before:
        algorithm = algorithm.before_solve
    request = Request(algorithm, ("q", "v", "tau"))
    return straight_code(
        request, am.Mechanism(TREES[name]()).evaluator.tables(True, True, True)
    ).operations


@cache
def tree(name: str, kind: str) -> am.Mechanism:
    """With just the operations that this kind of kernel needs."""
    budget = 0 if kind == "loop" else operations(name, kind == "solve")
    return am.Mechanism(TREES[name](), CompileOptions(budget=budget))


def states(mechanism: am.Mechanism, count: int) -> list[np.ndarray]:
    rows = [random_state(mechanism.model, seed) for seed in range(count)]
    return [np.array(column) for column in zip(*rows, strict=True)]


def wanted(mechanism: am.Mechanism, q, v, tau, external=None) -> list[np.ndarray]:
    """d a = -M^-1 d tau at the accelerations found, by numpy."""
    a = mechanism.forward_dynamics(q, v, tau, external)
    d = mechanism.inverse_dynamics.derivatives(q, v, a, external)
    return [-np.linalg.solve(d.da, d.dq), -np.linalg.solve(d.da, d.dv), np.linalg.inv(d.da)]


def serving(mechanism: am.Mechanism, batched: bool) -> str:
    kernels = mechanism.evaluator.kernels_of(
        forward_dynamics_derivatives, ("q", "v", "tau"), True, True
    )
    return kernels.kernel(batched, "double").code.kind


@pytest.mark.parametrize("name", TREES)
def test_solved_in_loops(name):
    """Batches as numpy has them; single states have the same bits; M^-1 is symmetric to the bit."""
    for kind in ("solve", "loop"):
        mechanism = tree(name, kind)
        assert serving(mechanism, True) == kind
        assert serving(mechanism, False) == kind
        q, v, tau = states(mechanism, 9)
        found = mechanism.forward_dynamics.derivatives(q, v, tau)
        for part, expected in zip(NAMES, wanted(mechanism, q, v, tau), strict=True):
            close(getattr(found, part), expected, 1e-9, f"{part}, {kind}")
        np.testing.assert_array_equal(found.dtau, found.dtau.transpose(0, 2, 1))
        for k in range(9):
            single = mechanism.forward_dynamics.derivatives(q[k], v[k], tau[k])
            for part in NAMES:
                np.testing.assert_array_equal(getattr(found, part)[k], getattr(single, part))


def test_all_in_a_line_where_it_is_short_or_wanted():
    assert serving(tree("chain", "straight"), True) == "straight"
    few = operations("chain", True)
    for tier, kind in ((1, "loop"), (2, "straight")):
        options = CompileOptions(budget=few, tier=tier)
        assert serving(am.Mechanism(TREES["chain"](), options), True) == kind


def test_wrenches_single_precision_and_bad_rows():
    mechanism = tree("free and branched", "solve")
    q, v, tau = states(mechanism, 10)
    push = {"body4": np.linspace(-2.0, 3.0, 6)}
    found = mechanism.forward_dynamics.derivatives(q, v, tau, push)
    for part, expected in zip(NAMES, wanted(mechanism, q, v, tau, push), strict=True):
        close(getattr(found, part), expected, 1e-9, part)
    plain = mechanism.forward_dynamics.derivatives(q, v, tau)
    rough = mechanism.forward_dynamics.derivatives(*(x.astype(np.float32) for x in (q, v, tau)))
    for part in NAMES:
        assert getattr(rough, part).dtype == np.float32
        close(getattr(rough, part), getattr(plain, part), 1e-3, part)
    q[2, -1], v[5, 0], tau[8, 3] = np.nan, np.inf, -np.inf
    marked = mechanism.forward_dynamics.derivatives(q, v, tau)
    good = [0, 1, 3, 4, 6, 7, 9]
    for part in NAMES:
        assert np.isnan(getattr(marked, part)[[2, 5, 8]]).all()
        np.testing.assert_array_equal(getattr(marked, part)[good], getattr(plain, part)[good])


def test_what_is_told():
    mechanism = tree("free and branched", "solve")
    kernels = mechanism.evaluator.kernels_of(
        forward_dynamics_derivatives, ("q", "v", "tau"), True, True
    )
    kernels.kernel(True, "double")
    told = kernels.explanations[0]
    assert told.tier == 2
    assert told.operations == operations("free and branched", True)
