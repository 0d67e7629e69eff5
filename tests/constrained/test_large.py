"""The order of elimination, and the ways a mechanism of any size is served."""

import numpy as np
import pytest
from closed_machines import allowed, closed_tree

import armillary as am
from armillary.constraints.compiled import eliminating_kernels
from armillary.constraints.ladder import States, compiled
from armillary.constraints.large import elimination_order

CLOSED = [n for n in am.example_names() if am.example(n).model.constraints]


@pytest.mark.parametrize("name", CLOSED)
def test_all_ways_agree(name):
    """`check` compares null space, compiled, interpreted, sparse and dense solutions."""
    m = am.example(name)
    rng = np.random.default_rng(3)
    q, v = m.project(m.initial, rng.normal(size=m.nv))
    if name == "rover":  # steering in motion contradicts the rolling of four wheels
        v = np.zeros(m.nv)
    found = m.check(q, v, rng.normal(size=m.nv))
    assert len(found.pairs) >= 5
    assert found.worst < 1e-11, str(found)


@pytest.mark.parametrize("windows", [10, 200])
def test_ladder_of_parallel_rods(windows):
    """One angle for all rods, couplers translate: one equation of motion by hand."""
    m = am.example("four-bar-ladder", n=windows).compile(tier=1)
    signs = np.array([1.0 if name.startswith("rod") else -1.0 for name in m.joints])
    angle, tau = 0.7, np.random.default_rng(0).normal(size=m.nv)
    inertia = moment = 0.0
    for body in m.model.bodies:
        rod = body.name.startswith("rod")
        arm = body.mass.com[2] if rod else body.at.position[2]
        inertia += body.mass.mass * arm**2 + (body.mass.tensor[1] if rod else 0.0)
        moment += body.mass.mass * arm
    force = signs @ tau - m.gravity[2] * moment * np.sin(angle)
    a = m.forward_dynamics(angle * signs, 1.3 * signs, tau)
    np.testing.assert_allclose(a, force / inertia * signs, rtol=1e-10)


def test_massless_bodies_wait_for_a_pivot_of_their_own():
    """Two massless coordinates in one row: when the first is gone, what is left of the second is
    rounding, whatever its sign, and its pivot must come from the other row."""
    b = 0.1 + 0.2
    rows = [
        {2: 3.0, 3: 0.4},
        {2: b, 3: 0.7},
        {2: -1e-10, 0: 3.0, 1: b},
        {3: -1e-10, 0: 0.4, 1: 0.7},
    ]
    whole = np.array([[row.get(j, 0.0) for j in range(4)] for row in rows])
    order = elimination_order([dict(row) for row in rows], [0.0, 0.0, 9.0, 0.5])
    assert sorted(order) == [0, 1, 2, 3]
    left, pivots = whole.copy(), []
    for k in order:
        pivots.append(abs(left[k, k]))
        left -= np.outer(left[:, k], left[k]) / left[k, k]
    assert min(pivots) > 1e-11  # the regularisation is 1e-10, rounding would be 1e-17


@pytest.mark.parametrize("seed", range(4))
def test_sparse_elimination_with_massless_links(seed):
    """A `general` joint in a loop stands on a massless link: its states converge."""
    ties, options = (("general", "cylinder"), {"base": "free"})
    m, q = closed_tree(seed, ties, bodies=8, roots=0.25, **options)
    v, tau = allowed(m, q), np.random.default_rng(seed).normal(size=m.nv)
    states = States({"q": q[None], "v": v[None], "tau": tau[None]})
    equations = m.constraint_solver.equations
    found = compiled(equations, eliminating_kernels(equations, "gamma", states.reads), states, "a")
    assert found.converged.all()
    np.testing.assert_allclose(
        found.values[0], m.solve(q, v, tau).acceleration, rtol=1e-9, atol=1e-9
    )


def test_other_drives_and_wrenches_take_the_same_way():
    m = am.example("stewart")
    large = m.compile(tier=1)
    q, v = m.project(m.initial, np.full(24, 0.2))
    tau, body = np.ones(24), m.bodies[-1]
    wrench = {body: np.arange(6.0)}
    np.testing.assert_allclose(
        large.forward_dynamics(q, v, tau, external=wrench),
        m.forward_dynamics(q, v, tau, external=wrench), rtol=1e-9, atol=1e-9,
    )  # fmt: skip
    loop = m.constraints[0]
    prescribed = {loop: [0.1, 0.2, 0.3]}
    np.testing.assert_allclose(
        large.forward_dynamics(q, v, tau, prescribed=prescribed),
        m.forward_dynamics(q, v, tau, prescribed=prescribed), rtol=1e-9, atol=1e-9,
    )  # fmt: skip
