"""Branches that no constraint touches, as articulated bodies: the answers of the null space and of
dense equations, from loops and straight-line code, in corrections, batches and runs."""

import numpy as np
import pytest
from closed_machines import allowed
from test_elimination import close, eliminated

import armillary as am
from armillary.constraints.branches import core_dofs
from armillary.constraints.compiled import eliminating_kernels
from armillary.model import Passive, Rotor
from samples import random_mass

KINDS = ("spherical", "prismatic", "cylindrical", "revolute")
WAYS = {"loops": {"tier": 1}, "straight": {"tier": 2}}


def full(rng):
    x = random_mass(rng)
    return {"mass": x.mass, "com": x.com, "inertia": x.tensor}


def machine(seed=3, light=(), pin=(0.5, 0, 0.2)):
    """A crank and a coupler on a rod; at the coupler a branch of joints of many types, and a second
    tree beside it; a spring from the branch to the world.  light: branches without mass."""
    rng = np.random.default_rng(seed)
    b = am.Builder("branched", gravity=(0.3, -0.4, -9.7))
    b.body("crank", axis="y", **full(rng))
    b.body("coupler", "crank", "revolute", (0.3, 0, 0), axis="y", **full(rng))
    ends = [am.Frame("one", "world", am.Pose(pin)),
            am.Frame("two", "coupler", am.Pose((0.4, 0, 0)))]  # fmt: skip
    b.distance("rod", *ends, 0.35)
    parent = "coupler"
    for k, kind in enumerate(KINDS):
        options = {"axis": tuple(rng.normal(size=3))} if kind != "spherical" else {}
        if kind == "revolute":
            options |= {"passive": Passive(spring=3.0, viscous=0.2), "rotor": Rotor(0.01, 3.0)}
        mass = full(rng)
        if k in light:
            mass = {"mass": 0.0}
        b.body(f"branch{k}", parent, kind, tuple(rng.normal(size=3) * 0.3), **mass, **options)
        parent = f"branch{k}"
    b.body("beside", "world", "revolute", (1.0, 0, 0), axis="x", **full(rng))
    b.body("beyond", "beside", "revolute", (0.2, 0.1, 0), axis="y", **full(rng))
    b.spring("strut", "branch2", "world", stiffness=40.0, damping=1.0, rest=0.2)
    return b.build()


def state(m, seed=0):
    rng = np.random.default_rng(seed)
    q = m.project(m.integrate(m.assemble().q, 0.3 * rng.normal(size=m.nv)), np.zeros(m.nv))[0]
    return q, allowed(m, q, seed), rng.normal(size=m.nv)


@pytest.fixture(scope="module")
def branched():
    m = machine()
    return m, *state(m)


def test_the_core_is_what_rows_act_on(branched):
    m = branched[0]
    assert core_dofs(m.constraint_solver.equations).tolist() == [0, 1]


@pytest.mark.parametrize("way", WAYS)
def test_accelerations(branched, way):
    """Against the null space of dense equations, with wrenches on branches."""
    m, q, v, tau = branched
    fast = m.compile(**WAYS[way])
    wrenches = {"branch3": (1.0, 2, -1, 30, -20, 10), "crank": (0, 1.0, 0, 5, 0, 5)}
    wanted = m.solve(q, v, tau, wrenches).acceleration
    close(fast.forward_dynamics(q, v, tau, wrenches), wanted, 1e-12)


def test_single_states_and_batches_of_loops_are_the_same_bits(branched):
    m, q, v, tau = branched
    close(eliminated(m, q=q, v=v, tau=tau), m.solve(q, v, tau).acceleration, 1e-12)


@pytest.mark.parametrize("way", WAYS)
def test_corrections_move_branches_as_their_inertia_asks(branched, way):
    """x = -M^-1 J^T (J M^-1 J^T)^-1 rate, dense: branches give way to a correction of the loop."""
    m, q, v, _ = branched
    fast = m.compile(**WAYS[way])
    v = v + np.random.default_rng(1).normal(size=m.nv)
    M, J = m.tree.mass_matrix(q), m.constraint_jacobian(q)
    W = np.linalg.solve(M, J.T)
    x = -W @ np.linalg.lstsq(J @ W, m.constraint_rate(q, v), rcond=1e-12)[0]
    assert np.abs(x[2:]).max() > 1e-2
    kernels = fast.constraint_solver.projector.kernels("rate")
    found = kernels({"q": q[None], "v": v[None]}, 1, m.evaluator.base_numbers)["x"][0]
    close(found, x, 1e-11)
    q = m.integrate(q, 1e-3 * np.random.default_rng(2).normal(size=m.nv))
    closed, moved = fast.project(q, v)
    assert np.abs(m.constraint_residual(closed)).max() < 1e-13
    assert np.abs(m.constraint_rate(closed, moved)).max() < 1e-12


@pytest.mark.parametrize("way", WAYS)
def test_where_there_is_no_answer_branches_have_none(way):
    """Stretched out towards a pin too far away, no step comes nearer to it: all of x is NaN, in the
    tree beside the loop, too."""
    m = machine(pin=(5.0, 0, 0)).compile(**WAYS[way])
    kernels = m.constraint_solver.projector.kernels("residual")
    x = kernels({"q": m.initial[None]}, 1, m.evaluator.base_numbers)["x"][0]
    assert np.isnan(x).all()


@pytest.mark.parametrize("light", [(1,), (0, 2)], ids=str)
def test_branches_without_mass_take_part(light):
    """What has no inertia of its own cannot give way alone: it stays in the equations."""
    m = machine(light=light)
    core = core_dofs(m.constraint_solver.equations)
    last = max(light)
    body = next(k for k, name in enumerate(m.bodies) if name == f"branch{last}")
    assert m.model.slots[body].v.start in core
    q, v, tau = state(m)
    close(eliminated(m, q=q, v=v, tau=tau), m.solve(q, v, tau).acceleration)


def test_next_to_gimbal_lock_others_answer():
    """Three angles lose a direction at a quarter turn: close to it loops have no answer, and the
    null space has; a little further away they agree."""
    rng = np.random.default_rng(0)
    b = am.Builder("gimbal")
    b.body("crank", axis="y", **full(rng))
    ends = am.Frame("one", "world", am.Pose((0.4, 0, 0.3))), am.Frame("two", "crank")
    b.distance("rod", *ends, 0.5)
    for k in range(2):
        parent = f"b{k - 1}" if k else "crank"
        b.body(f"b{k}", parent, "gimbal", free=("rx", "ry", "rz"), **full(rng))
    m = b.build()
    assert core_dofs(m.constraint_solver.equations).tolist() == [0]
    v, tau = np.zeros(m.nv), rng.normal(size=m.nv)
    for off, answered in ((1e-6, False), (0.1, True)):
        q = np.array([0.0, 0.3, 0.2, 0.1, 0.4, np.pi / 2 - off, 0.2])
        found = eliminated(m, q=q, v=v, tau=tau) if answered else None
        wanted = m.solve(q, v, tau).acceleration
        if answered:
            close(found, wanted)
        else:
            kernels = eliminating_kernels(m.constraint_solver.equations, "gamma", ("q", "v", "tau"))
            rows = {"q": q[None], "v": v[None], "tau": tau[None]}
            assert np.isnan(kernels(rows, 1, m.evaluator.base_numbers)["a"]).all()


def test_given_inertias(branched):
    """Per state, where a branch may be without mass: nothing is articulated then."""
    m, q, v, tau = branched
    loops = m.compile(tier=1)
    given = m.replace({name: {"mass": 0.0, "inertia": (0, 0, 0)} for name in ("branch1",)})
    close(loops.forward_dynamics(q, v, tau, parameters=given.parameters),
          given.solve(q, v, tau).acceleration, 1e-9)  # fmt: skip


def test_runs_agree(branched):
    """Energy and path of a run in loops and in straight-line code."""
    m, q, v, _ = branched
    span = {"duration": 0.2, "step": 1e-3, "method": "rk4"}
    one, two = (am.simulate(m.compile(**way), q, v, **span) for way in WAYS.values())
    np.testing.assert_allclose(one.q, two.q, rtol=0, atol=1e-9)
    assert np.abs([m.constraint_residual(x) for x in one.q[::50]]).max() < 1e-12


@pytest.mark.parametrize("trailers", [6])
def test_trucks(trailers):
    """The steering alone is solved with its constraints, whatever hangs on the tractor."""
    truck = am.vehicles.truck(trailers)
    m = truck.mechanism
    q, v = truck.start(20.0)
    tau = np.random.default_rng(0).normal(size=m.nv)
    assert len(core_dofs(m.constraint_solver.equations)) == 11
    close(m.forward_dynamics(q, v, tau), m.solve(q, v, tau).acceleration, 1e-12)
    close(m.compile(tier=1).forward_dynamics(q, v, tau), m.solve(q, v, tau).acceleration, 1e-12)
