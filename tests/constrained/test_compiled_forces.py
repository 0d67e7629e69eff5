"""Forces of closed mechanisms in compiled code: as the null space has them, and what sends a state
there.  (The laws of the algorithm itself: test_solution.py.)"""

import numpy as np
import pytest
from test_solution import EXAMPLES, same, solved

import armillary as am
from armillary.constraints import all_forces, compiled_forces, table
from armillary.constraints.compiled_forces import force_code
from armillary.constraints.states import finite_rows
from compare import close

WRENCH = np.array([0.3, -0.2, 0.1, 2.0, -1.0, 0.5])


@pytest.mark.parametrize("name", ["four-bar", "bricard"])
def test_compiled(name):
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


def test_self_stresses_have_no_part_in_the_smallest_reactions():
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


def test_prescribed_motion_and_baumgarte():
    m, q, v, tau, _, _ = solved("four-bar")
    closed = m.compile(tier=1)
    for options in ({"prescribed": {"crank": 2.0}}, {"baumgarte": (5.0, 7.0)}):
        same(m.solve(q, v, tau, **options), closed.solve(q, v, tau, **options))


@pytest.mark.parametrize("angle", [0.0, 1e-8, 1e-5, 1e-3])
def test_next_to_a_singular_position(angle):
    """What straight-line code cannot prove goes to the null space, and is told as suspect."""
    m = am.example("four-bar-ladder", n=2)
    lean = np.pi / 2 - angle
    q = np.array([lean if "rod" in name else -lean for name in m.joints])
    v = 0.7 * np.sign(q)
    tau = np.linspace(-1, 1, m.nv)
    found, expected = m.solve(q, v, tau), m.compile(tier=1).solve(q, v, tau)
    same(found, expected, 1e-16 / max(angle, 1e-8) ** 2 + 1e-9 if angle else 1e-9)
    assert bool(found.suspect) or angle >= 1e-3


def test_open_loops_and_bad_rows():
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


def test_long_code_is_made_for_many_states(monkeypatch):
    """Announced, or asked for at once: never by what was asked before."""
    m, q, v, tau, _, _ = solved("four-bar")
    monkeypatch.setitem(table.OPERATIONS, table.STEPS, (400, 12_000))
    m = m.compile()
    equations, asked = m.constraint_solver.equations, []
    loops = compiled_forces.loop_forces
    monkeypatch.setattr(compiled_forces, "loop_forces", lambda *x: asked.append(1) or loops(*x))
    assert force_code(equations, False, True) is None
    first = m.solve(q, v, tau)
    assert asked == [1]  # loops answered
    found = m.solve(*(np.tile(x, (65, 1)) for x in (q, v, tau)))
    assert asked == [1] and not found.suspect.any()
    again = m.solve(q, v, tau)
    assert asked == [1, 1]
    np.testing.assert_array_equal(again.multipliers, first.multipliers)
    for announced in (m.announced(), m.compile(states=65)):
        one = announced.solve(q, v, tau)
        np.testing.assert_array_equal(one.multipliers, found.multipliers[0])
    assert asked == [1, 1]
    same(first, m.compile(tier=1).solve(q, v, tau))


def test_digits_of_a_file_leave_ranks_to_the_null_space():
    """Rows that are dependent but for the digits of a file, and not in every configuration."""
    rough = am.example("bricard").compile(geometry_tolerance=1e-5)
    assert force_code(rough.constraint_solver.equations, False, True) is None


@pytest.mark.soak
@pytest.mark.parametrize("name", EXAMPLES)
def test_compiled_examples(name):
    m, q, v, tau, external, _ = solved(name)
    found = m.solve(q, v, tau, external)
    same(found, m.compile(tier=1).solve(q, v, tau, external))


def test_pivots_that_pass_through_zero():
    """A falling platform: at some instants the pivots of the code vanish, though the rows are far
    from dependent.  The null space answers there, alone and in a batch."""
    m = am.example("stewart")
    q, v = m.project(m.initial)
    run = am.simulate(m, q, duration=0.6, step=1e-3, record="q,v")
    q, v, tau = np.array(run.q), np.array(run.v), np.zeros((601, m.nv))
    left = np.flatnonzero(m.solve(q, v, tau).suspect)
    assert 0 < len(left) < 10 and m.conditions(q[left]).max() < 100.0
    some = [x[left[0] - 2 : left[0] + 3] for x in (q, v, tau)]
    same(m.solve(*some), m.compile(tier=1).solve(*some))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("rows", [3, 3000])
def test_rows_that_are_not_finite_are_found_in_short_and_long_arrays(rows, bad):
    x, y = np.ones((rows, 4)), np.full((rows, 2, 2), 1e200)  # squares and sums may overflow
    assert finite_rows(x, y).all()
    x[1, 2], y[2, 1, 0] = bad, -bad
    assert np.flatnonzero(~finite_rows(x, y)).tolist() == [1, 2]


@pytest.mark.parametrize("name", ["four-bar", "stewart", "rover"])
def test_one_plain_state_by_two_native_calls(name, monkeypatch):
    """The short way of a single state has the bits and the errors of the long one."""
    m, q, v, tau, _, _ = solved(name)
    ways, native = [], all_forces._native
    monkeypatch.setattr(all_forces, "_native", lambda *x: ways.append(1) or native(*x))
    long = m.solve(q.tolist(), v, tau)
    assert len(ways) == 1
    short = m.solve(q, v, tau)
    assert len(ways) == 1
    for what in ("acceleration", "multipliers", "tau", "residual", "rank", "condition"):
        np.testing.assert_array_equal(getattr(short, what), getattr(long, what))
    np.testing.assert_array_equal(short.reactions.total, long.reactions.total)
    np.testing.assert_array_equal(short.constraint_forces.wrench, long.constraint_forces.wrench)
    np.testing.assert_array_equal(short.kinetic, long.kinetic)
    assert str(short) == str(long) and bool(short.suspect) == bool(long.suspect)
    heavy = m.solve(
        q, v, tau, parameters=1.5 * m.parameters
    )  # no short way: others than the model's
    assert np.abs(heavy.multipliers - short.multipliers).max() > 1e-3
    own = tau.copy()
    again = m.solve(q, v, own)
    own[:] = 7.0  # what is given may be changed afterwards
    np.testing.assert_array_equal(again.tau, tau)
    assert again.balance.imbalance == long.balance.imbalance
    bad = q.copy()
    bad[-1] = np.nan
    for given in ((bad, v, tau), (q[:-1], v, tau)):
        with pytest.raises(am.InputError) as long_error:
            m.solve(given[0].tolist(), *given[1:])
        with pytest.raises(am.InputError) as short_error:
            m.solve(*given)
        assert str(short_error.value) == str(long_error.value)
