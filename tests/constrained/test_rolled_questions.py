"""Mechanisms of many equal parts: rows, forces and derivatives by code that is rolled up, against
numpy, the null space, the interpreter and differences."""

import numpy as np
import pytest
from test_rolled import ladder, signs, state

import armillary as am
from armillary.codegen.target import native
from armillary.constraints import compiled_forces
from armillary.constraints.kept_rows import following_rows, kept_rows
from armillary.evaluate import program

pytestmark = pytest.mark.skipif(not native(), reason="needs llvmlite")
WINDOWS = 24


@pytest.fixture(scope="module")
def long_ladder():
    return ladder(WINDOWS, seed=4)


def equations(m):
    return m.constraint_solver.equations


def test_forces_are_those_of_the_null_space():
    """One state by pivoted QR first, then by code: the same shares of what is not determined."""
    m = ladder(WINDOWS, seed=5)
    q, v, tau = state(m)
    external = {"rod3": np.array([0.3, -0.2, 0.5, 2.0, -1.0, 0.7])}
    first, loaded = m.solve(q, v, tau), m.solve(q, v, tau, external=external)
    several = [m.solve(q, v, tau) for _ in range(12)][-1]
    also = [m.solve(q, v, tau, external=external) for _ in range(2)][-1]
    kinds = [x._codes[0].program.kernel(False, "double").code.kind for x in force_codes(m)]
    assert kinds == ["rolled"] * 2
    for before, after in ((first, several), (loaded, also)):
        for name in ("acceleration", "multipliers"):
            x, y = (np.asarray(getattr(s, name)) for s in (before, after))
            np.testing.assert_allclose(y, x, atol=1e-8 * np.abs(x).max(), err_msg=name)
        x, y = (s.reactions.total for s in (before, after))
        np.testing.assert_allclose(y, x, atol=1e-8 * np.abs(x).max())


@pytest.mark.parametrize("steady", [False, True])
def test_long_code_of_forces_is_made_after_many_states(steady, monkeypatch):
    """What was asked decides; where answers depend on their states alone, nothing does."""
    monkeypatch.setattr(program, "_ROLLED_FROM", 1000)  # of 2100 operations
    monkeypatch.setattr(compiled_forces, "_WORTH_LONG", 30)
    m = ladder(WINDOWS, seed=5)
    equations(m).steady = steady
    q, v, tau = state(m)
    first = [m.solve(q, v, tau) for _ in range(29)][-1]
    assert not force_codes(m)
    later = [m.solve(q, v, tau) for _ in range(2)][-1]
    assert len(force_codes(m)) == (not steady)
    x, y = first.reactions.total, later.reactions.total
    np.testing.assert_allclose(y, x, atol=1e-8 * np.abs(x).max())


def force_codes(m):
    made = equations(m).memo._made.values()
    return [x for x in made if isinstance(x, compiled_forces.ForceKernels)]


def test_forces_of_batches_balance_the_motion():
    """M a + h - tau = J^T λ, all of it by the tree and numpy but for λ."""
    m = ladder(WINDOWS, seed=6)
    q, v, tau = state(m)
    q, v, tau = (np.tile(x, (30, 1)) for x in (q, v, tau))
    found = m.solve(q, v, tau)
    run = m.forward_dynamics(q[0], v[0], tau[0])
    np.testing.assert_allclose(np.asarray(found.acceleration)[7], run, rtol=1e-9)
    needed = m.tree.inverse_dynamics(q[0], v[0], run)
    J = m.constraint_jacobian(q[0])
    left = needed - tau[0] - J.T @ np.asarray(found.multipliers)[7]
    np.testing.assert_allclose(left, 0.0, atol=1e-9 * np.abs(needed).max())


def test_derivatives_are_those_of_the_interpreter_and_of_differences():
    m = ladder(24, seed=7)
    q, v, tau = state(m)
    ask = m.forward_dynamics.derivatives
    first = ask(q, v, tau)
    later = [ask(q, v, tau) for _ in range(4)][-1]
    for name in ("dq", "dv", "dtau"):
        x, y = getattr(first.full, name), getattr(later.full, name)
        np.testing.assert_allclose(y, x, atol=1e-9 * np.abs(x).max(), err_msg=name)
    along, h = signs(m), 1e-5
    change = m.forward_dynamics(q + h * along, v, tau) - m.forward_dynamics(q - h * along, v, tau)
    expected = change / (2 * h)
    found = later.full.dq @ along
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())
    change = m.forward_dynamics(q, v + h * along, tau) - m.forward_dynamics(q, v - h * along, tau)
    np.testing.assert_allclose(
        later.full.dv @ along, change / (2 * h), atol=1e-6 * np.abs(change / (2 * h)).max()
    )


def test_rows_that_follow_are_sums_of_kept_ones(long_ladder):
    e = equations(long_ladder)
    q = e.random_configurations(np.random.default_rng(3), 2)
    J = e.scaling.scaled(e.terms(q).J)
    kept, following = kept_rows(e), following_rows(e)
    assert sorted([*kept.tolist(), *(row for row, _ in following)]) == list(range(J.shape[1]))
    for row, terms in following:
        total = sum((x * J[:, k] for k, x in terms), np.zeros_like(J[:, 0]))
        np.testing.assert_allclose(J[:, row], total, atol=1e-12)


def test_recorded_forces_are_those_of_single_states():
    m = ladder(WINDOWS, seed=8)
    q, v, tau = state(m)
    run = am.simulate(m, q, v, 0.02, inputs=tau, record=("q", "v", "reactions"))
    assert run.performance().native == 1.0
    expected = m.solve(run.q[7], run.v[7], tau).reactions.total.ravel()  # by the null space
    np.testing.assert_allclose(run.reactions[7], expected, atol=1e-8 * np.abs(expected).max())
