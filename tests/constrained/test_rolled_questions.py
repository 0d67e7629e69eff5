"""Mechanisms of many equal parts: rows, forces and derivatives by code that is rolled up, against
numpy, the null space, the interpreter and differences."""

import numpy as np
import pytest
from test_rolled import ladder, signs, state

import armillary as am
from armillary.codegen.target import native
from armillary.constraints.kept_rows import following_rows, kept_rows

pytestmark = pytest.mark.skipif(not native(), reason="needs llvmlite")
WINDOWS = 24


@pytest.fixture(scope="module")
def long_ladder():
    return ladder(WINDOWS, seed=4)


def equations(m):
    return m.constraint_solver.equations


def test_rows_are_those_of_numpy(long_ladder):
    e, (q, v, _) = equations(long_ladder), state(long_ladder)
    scale = np.linspace(0.2, 1.2, 6)[:, None]
    q, v = q * scale, v * scale + 0.1
    kernels = e._row_kernels(True)
    assert kernels.program.kernel(False, "double").code.kind == "rolled"
    expected = e.rows.terms(e.motion(q, v), q, v, True)
    m, found = e.constraints.count, kernels({"q": q, "v": v}, len(q))
    right = found["right"].reshape(len(q), -1, m)
    for name, x in (("J", found["J"]), ("gamma", right[:, 0]), ("rate", right[:, 1]),
                    ("residual", right[:, 2])):  # fmt: skip
        np.testing.assert_allclose(x, getattr(expected, name), atol=1e-13, err_msg=name)
    J = long_ladder.constraint_jacobian(q[2])
    np.testing.assert_allclose(J, expected.J[2], atol=1e-13)


def test_bad_rows_have_no_zeros(long_ladder):
    """Nor have entries of J that are zero everywhere a value where the state has none."""
    q, _, _ = state(long_ladder)
    many = np.tile(q, (5, 1))
    many[3, 7] = np.inf
    given = {"q": many, "v": np.zeros_like(many)}
    found = equations(long_ladder)._row_kernels(True)(given, 5)["J"]
    assert np.isnan(found[3]).all() and np.isfinite(np.delete(found, 3, axis=0)).all()


def test_forces_are_those_of_the_null_space():
    """The same shares of what is not determined."""
    m = ladder(WINDOWS, seed=5)
    q, v, tau = state(m)
    for external in (None, {"rod3": np.array([0.3, -0.2, 0.5, 2.0, -1.0, 0.7])}):
        found = m.solve(q, v, tau, external=external)
        expected = m.compile(tier=1).solve(q, v, tau, external=external)
        for name in ("acceleration", "multipliers"):
            y, x = (np.asarray(getattr(s, name)) for s in (found, expected))
            np.testing.assert_allclose(y, x, atol=1e-8 * np.abs(x).max(), err_msg=name)
        y, x = (s.reactions.total for s in (found, expected))
        np.testing.assert_allclose(y, x, atol=1e-8 * np.abs(x).max())


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
