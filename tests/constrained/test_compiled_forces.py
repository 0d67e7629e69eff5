"""Forces of closed mechanisms in compiled code: as the null space has them, and what sends a state
there.  (The laws of the algorithm itself: test_solution.py.)"""

import numpy as np
import pytest
from test_solution import EXAMPLES, same, solved

import armillary as am
from armillary.constraints import compiled_forces
from armillary.constraints.compiled_forces import force_kernels
from compare import close

WRENCH = np.array([0.3, -0.2, 0.1, 2.0, -1.0, 0.5])


@pytest.fixture
def at_once(monkeypatch):
    """Compiled for the first state that is asked for."""
    monkeypatch.setattr(compiled_forces, "_WORTH", 0)


@pytest.mark.parametrize("name", ["four-bar", "bricard"])
def test_compiled(name, at_once):
    """Single states and batches, wrenches, passive forces: as the null space has them."""
    m, q, v, tau, _, _ = solved(name)
    closed = m.compile(tier=1)  # the null space alone
    qs, vs = m.project(np.tile(q, (9, 1)), np.linspace(0, 1, 9)[:, None] * v)
    taus = np.linspace(-1, 1, 9)[:, None] * tau
    body = m.bodies[-1]
    for external in (None, {body: WRENCH}, {body: np.linspace(-1, 1, 9)[:, None] * WRENCH}):
        for passive in (True, False):
            expected = closed.solve(qs, vs, taus, external, passive)
            found = m.solve(qs, vs, taus, external, passive)
            assert not found.suspect.any() and expected.suspect.all()  # who answered
            same(found, expected)
    one = {} if external is None else {body: external[body][3]}
    single = m.solve(qs[3], vs[3], taus[3], one, False)
    np.testing.assert_array_equal(single.reactions.total, found.reactions.total[3])
    np.testing.assert_array_equal(single.multipliers, found.multipliers[3])
    assert str(single) and single.states[0].names == expected.states[0].names
    close(single.forces.transmitted, single.reactions.total, 1e-12)
    close(found.conflict, expected.conflict, 1e-9)
    for name in ("rank", "condition", "residual", "rate"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-9)
    assert np.abs(found.balance.imbalance).max() < 1e-10 * np.abs(found.balance.actuators).max()


def test_self_stresses_have_no_part_in_the_smallest_reactions(at_once):
    """Least squares: reactions are orthogonal to self-stresses, moments over the machine's size."""
    m, q, v, tau, _, _ = solved("four-bar")
    s = m.solve(q, v, tau)
    state = s.determinacy
    assert state.static_indeterminacy == 3
    every = np.concatenate([s.reactions.total, s.constraint_forces.wrench])
    weights = np.r_[np.full(3, 1 / state.length), np.ones(3)]
    parts = np.einsum("kni,ni->k", state.basis * weights, every * weights)
    assert np.abs(parts).max() < 1e-13 * np.abs(every).max()
    assert np.abs(every[~state.determinate]).max() > 0.0


def test_prescribed_motion_and_baumgarte(at_once):
    m, q, v, tau, _, _ = solved("four-bar")
    closed = m.compile(tier=1)
    for options in ({"prescribed": {"crank": 2.0}}, {"baumgarte": (5.0, 7.0)}):
        same(m.solve(q, v, tau, **options), closed.solve(q, v, tau, **options))


@pytest.mark.parametrize("angle", [0.0, 1e-8, 1e-5, 1e-3])
def test_next_to_a_singular_position(angle, at_once):
    """What straight-line code cannot prove goes to the null space, and is told as suspect."""
    m = am.example("four-bar-ladder", n=2)
    lean = np.pi / 2 - angle
    q = np.array([lean if "rod" in name else -lean for name in m.joints])
    v = 0.7 * np.sign(q)
    tau = np.linspace(-1, 1, m.nv)
    found, expected = m.solve(q, v, tau), m.compile(tier=1).solve(q, v, tau)
    same(found, expected, 1e-16 / max(angle, 1e-8) ** 2 + 1e-9 if angle else 1e-9)
    assert bool(found.suspect) or angle >= 1e-3


def test_open_loops_and_bad_rows(at_once):
    """An open loop is left to the null space; a row without numbers is NaN, alone."""
    m, q, v, tau, _, _ = solved("four-bar")
    qs, vs, taus = (np.tile(x, (9, 1)) for x in (q, v, tau))
    qs[2, 0] += 1e-2
    vs[4, 1] = np.nan
    found = m.solve(qs, vs, taus)
    assert found.suspect.tolist() == [k == 2 for k in range(9)]
    assert np.isnan(found.reactions.total[4]).all() and np.isnan(found.multipliers[4]).all()
    good = np.delete(found.reactions.total, 4, axis=0)
    assert np.isfinite(good).all()
    same(m.solve(q, v, tau), m.compile(tier=1).solve(q, v, tau))
    np.testing.assert_array_equal(found.multipliers[0], found.multipliers[8])
    assert any("is open" in note for note in found.notes[2])
    assert "no answer" in found.notes[4][0]


def test_few_states_are_not_worth_compiling():
    m, q, v, tau, _, _ = solved("four-bar")
    m = m.compile()
    assert m.solve(q, v, tau).suspect  # the null space answered
    many = [np.tile(x, (120, 1)) for x in (q, v, tau)]
    found = m.solve(*many)
    assert not found.suspect.any()
    same(m.solve(q, v, tau), m.compile(tier=1).solve(q, v, tau))


def test_digits_of_a_file_leave_ranks_to_the_null_space():
    """Rows that are dependent but for the digits of a file, and not in every configuration."""
    rough = am.example("bricard").compile(geometry_tolerance=1e-5)
    assert force_kernels(rough.constraint_solver.equations, False, True) is None


@pytest.mark.soak
@pytest.mark.parametrize("name", EXAMPLES)
def test_compiled_examples(name, at_once):
    m, q, v, tau, external, _ = solved(name)
    found = m.solve(q, v, tau, external)
    same(found, m.compile(tier=1).solve(q, v, tau, external))
