"""`forward_dynamics` warns where its answer is the nearest in least squares, as `solve` says, and
where the mechanism is locked; native calls and batches too."""

import warnings

import numpy as np
import pytest

import armillary as am
from armillary.errors import InadmissibleError

BAR = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (0.1, 0.1, 0.1)}


def straight():
    """Two bars of 1 m between pins that are 2 m apart: J = 0 along them, and a velocity across."""
    b = am.Builder("straight")
    b.body("a", axis="y", **BAR)
    b.body("b", "a", axis="y", at=(1, 0, 0), **BAR)
    b.frame("tip", "b", (1, 0, 0))
    b.contact("pin", am.Frame("far", "world", am.Pose((2.0, 0, 0))), "tip", ("dx", "dz"))
    return b.build(), np.array([1.0, -2.0])


def parallelogram():
    """Flat: it may go on as a parallelogram or as the other one, and not with half of each."""
    b = am.Builder("flat")
    b.body("a", axis="y", **BAR)
    b.body("c", "a", axis="y", at=(1, 0, 0), **BAR)
    b.body("d", axis="y", at=(2, 0, 0), **BAR)
    b.frame("end", "c", (2, 0, 0))
    b.frame("knee", "d", (1, 0, 0))
    b.loop("pin", "end", "knee", "revolute", axis="y")
    return b.build(), np.array([1.0, -1.5, 0.0])


def twice():
    """Its slide is to have 1 and 2 m/s²: the nearest is 1.5."""
    b = am.Builder("twice")
    b.body("a", joint="prismatic", axis="x", mass=1.0)
    b.prescribe("one", "a", acceleration=1.0)
    b.prescribe("two", "a", acceleration=2.0)
    return b.build(), np.zeros(1)


@pytest.mark.parametrize("make", [straight, parallelogram, twice])
def test_rows_that_contradict_each_other(make):
    m, v = make()
    q, rest = np.zeros(m.nq), np.zeros(m.nv)
    v = m.project(q, v)[1] if v.any() else v
    terms = m.constraint_solver.equations.terms(q[None], v[None])
    J, gamma = terms.J[0], terms.gamma[0]
    missed = gamma - J @ np.linalg.lstsq(J, gamma, rcond=1e-9)[0]  # by every a
    assert np.abs(missed).max() > 0.1
    for _ in range(3):  # the first call, and those that native code would answer
        with pytest.warns(am.ProjectionWarning, match="forward_dynamics: rows contradict") as told:
            found = m.forward_dynamics(q, v, rest)
    assert f"({np.abs(missed).max():.3g})" in str(told[0].message)
    np.testing.assert_allclose(J.T @ (gamma - J @ found), 0.0, atol=1e-9)
    several = np.tile(q, (4, 1)), np.array([v, v, v, v]), np.zeros((4, m.nv))
    with pytest.warns(am.ProjectionWarning, match=r"dynamics in state 0 \(and in 3 more\): rows"):
        np.testing.assert_allclose(m.forward_dynamics(*several)[3], found, atol=1e-12)


def test_other_questions_about_rows_that_contradict_each_other():
    """The nearest motion needs no force, any other is refused; derivatives are warned of."""
    m, zero = twice()[0], np.zeros(1)
    with pytest.warns(am.ProjectionWarning, match="inverse_dynamics: rows contradict each other"):
        assert m.inverse_dynamics(zero, zero, [1.5]) == pytest.approx([0.0], abs=1e-12)
    for a in (1.0, 2.0):
        with pytest.raises(InadmissibleError, match=r"nearest that they allow is a = \(a 1.5\)"):
            m.inverse_dynamics(zero, zero, [a])
    with pytest.warns(am.ProjectionWarning, match="derivatives: rows contradict each other"):
        m.forward_dynamics.derivatives(zero, zero, zero)


def test_a_locked_mechanism():
    """At rest no rows contradict each other, and yet it cannot move as its accelerations say."""
    m, _ = straight()
    q = rest = np.zeros(2)
    with pytest.warns(am.ProjectionWarning, match="the finite one 0: it is locked"):
        a = m.forward_dynamics(q, rest, rest)
    assert abs(a[0]) > 1.0 and m.mobility(q).finite == 0


def test_what_moves_is_not_warned_of():
    for name in ("four-bar", "stewart", "rover"):
        m = am.example(name)
        q, rest = m.initial, np.zeros(m.nv)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            m.forward_dynamics(q, rest, rest)
            m.forward_dynamics(np.array([q, q]), np.zeros((2, m.nv)), np.zeros((2, m.nv)))
