"""Answers by code of the split equations: those of the null space."""

import numpy as np
import pytest

import armillary as am
from compare import close

NAMES = ["four-bar", "bricard", "rolling-disc"]


def states(name, count=5):
    """Closed states in motion."""
    m, rng = am.example(name), np.random.default_rng(3)
    size = m.constraint_solver.equations.scaling.columns
    kicks = 0.02 * rng.normal(size=(count, m.nv)) * size
    near = m.integrate(np.tile(m.initial, (count, 1)), kicks)
    q, v = m.project(near, rng.normal(size=(count, m.nv)) * size)
    return m, q, v, rng.normal(size=(count, m.nv))


def both_ways(ask, plain, *given):
    """Answers of single states by numpy, of all of them by compiled code."""
    each = np.array([plain(*(x[k] for x in given)) for k in range(len(given[0]))])
    many = ask(*given)
    close(ask(*(x[0] for x in given)), many[0], 1e-14)
    return each, many


@pytest.mark.parametrize("name", NAMES)
def test_nearest_accelerations(name):
    m, q, v, a = states(name)
    plain = m.compile(budget=0).project_acceleration
    each, many = both_ways(m.project_acceleration, plain, q, v, a)
    close(many, each, 1e-10)
    for k in range(len(q)):  # no allowed motion comes nearer, by kinetic energy
        free = m.forward_dynamics.derivatives(q[k], v[k], a[k]).velocities
        away = m.mass_matrix(q[k]) @ (many[k] - a[k])
        close(free.T @ away, np.zeros(free.shape[1]), 1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_parameters(name):
    m, q, v, tau = states(name)
    ask, plain = (x.forward_dynamics.parameter_jacobian for x in (m, m.compile(budget=0)))
    each, many = both_ways(ask, plain, q, v, tau)
    close(many, each, 1e-10)


def test_a_state_that_has_no_answer_leaves_the_others_theirs():
    m, q, v, a = states("four-bar", 3)
    expected = m.compile(budget=0).project_acceleration(q, v, a)
    q[1], a[2, 0] = np.nan, np.inf
    found = m.project_acceleration(q, v, a)
    close(found[0], expected[0], 1e-12)
    assert np.isnan(found[1:]).all()


@pytest.mark.parametrize("name", ["four-bar", "stewart", "bricard", "rover", "two-link-load"])
def test_conditions_of_many_states(name):
    """All singular values at once: as those of each state, whose rank is that of a pivoted QR."""
    m, q, *_ = states(name)
    q[1] = m.initial
    found, factor = m.conditions(q), m.constraint_solver.equations.factor
    for k, x in enumerate(q):
        terms = m.constraint_solver.equations.terms(x[None])
        assert found[k] == pytest.approx(factor(terms).condition, rel=1e-9)
        assert m.conditions(x) == pytest.approx(found[k], rel=1e-12)
