"""Inverse dynamics of closed chains: exactly, under- and over-actuated, with limits, at rest."""

from dataclasses import replace

import numpy as np
import pytest
from closed_machines import allowed, closed_tree

import armillary as am
from armillary.constraints import plan
from armillary.errors import InputError, ModelError
from armillary.model import Limits
from compare import close
from oracles.direct import Direct

# example: actuators, as many as there are freedoms
EXACT = {
    "four-bar": ["crank"], "slider-crank": ["slider"], "bricard": ["rod3"],
    "stewart": [f"piston{k}" for k in range(1, 7)], "delta": ["arm1", "arm2", "arm3"],
    "differential": ["pinion", "left"],
}  # fmt: skip
MORE = {
    "four-bar": ["crank", "rocker"], "slider-crank": ["crank", "slider"],
    "bricard": ["rod1", "rod3", "rod5"], "dual-arm-free-flyer": None,
}  # fmt: skip


def motion(m, q, seed=0):
    """A state and accelerations that the rows allow."""
    v = allowed(m, q, seed)
    gamma = m.constraint_solver.equations.terms(q[None], v[None]).gamma[0]
    J = m.constraint_jacobian(q)
    a = np.random.default_rng(seed + 9).normal(size=m.nv)
    return v, a + np.linalg.pinv(J, rcond=1e-10) @ (gamma - J @ a)


def free(m, q):
    _, s, Vt = np.linalg.svd(m.constraint_jacobian(q))
    return Vt[np.sum(s > 1e-9 * s[0]) :].T


@pytest.mark.parametrize("name", EXACT)
def test_exactly_actuated(name):
    m = am.example(name)
    q = np.array(m.initial)
    v, a = motion(m, q)
    found = m.actuator_forces(q, v, a, EXACT[name])
    assert found.reachable and found.actuation_redundancy == 0 and not found.clipped
    assert found.mobility == len(EXACT[name])
    close(m.forward_dynamics(q, v, found.tau), a, 1e-9)
    # by virtual power alone, M and h from 4x4 matrices
    N = free(m, q)
    needed = Direct(m.model, passive=True).inverse_dynamics(q, v, a)
    close(N.T @ found.tau, N.T @ needed, 1e-10)
    for k, label in enumerate(m.v_labels):
        assert found.tau[k] == (found[label] if label in found.actuators else 0.0)


@pytest.mark.parametrize("name", MORE)
@pytest.mark.parametrize("weighted", [False, True])
def test_more_than_needed_gives_the_smallest(name, weighted):
    m = am.example(name)
    q = np.array(m.initial)
    v, a = motion(m, q)
    chosen = MORE[name] or m.v_labels
    weights = {label: float(k % 3 + 1) for k, label in enumerate(chosen)} if weighted else None
    found = m.actuator_forces(q, v, a, chosen, weights=weights)
    assert found.reachable and found.actuation_redundancy > 0
    close(m.forward_dynamics(q, v, found.tau), a, 1e-8)
    # nothing smaller does the same: orthogonal to all changes without effect
    index = [m.v_labels.index(label) for label in found.actuators]
    A = free(m, q)[index].T
    silent = np.linalg.svd(A)[2][np.linalg.matrix_rank(A, tol=1e-9) :].T
    size = np.array(
        [
            1.0 / m.constraint_solver.equations.length if m.v_units[i] == "rad" else 1.0
            for i in index
        ]
    )
    w = np.array([(weights or {}).get(label, 1.0) for label in found.actuators])
    gradient = silent.T @ (w * size**2 * found.forces)
    assert np.abs(gradient).max() < 1e-9 * max(1.0, np.abs(w * size**2 * found.forces).max())


def test_smallest_forces_do_not_depend_on_units():
    """A motor and a piston on one slider-crank, in metres and in millimetres."""
    forces = []
    for scale in (1.0, 1000.0):
        b = am.Builder("slider-crank", gravity=(0, 0, -9.81 * scale))
        b.body("crank", joint="revolute", axis="y", mass=1.0, com=(0.02 * scale, 0, 0),
               inertia=tuple(scale**2 * x for x in (1e-3, 2e-3, 2e-3)))  # fmt: skip
        b.body("rod", "crank", "revolute", (0.05 * scale, 0, 0), axis="y", mass=0.5,
               com=(0.1 * scale, 0, 0),
               inertia=tuple(scale**2 * x for x in (1e-4, 2e-3, 2e-3)))  # fmt: skip
        b.body("slider", joint="prismatic", axis="x", mass=0.4)
        b.loop("wrist", "slider", am.Frame("end", "rod", am.Pose((0.15 * scale, 0, 0))),
               "revolute", axis="y")  # fmt: skip
        m = b.build()
        q = m.assemble([-0.7, 1.0, 0.18 * scale], hold=["crank"]).q
        found = m.holding_forces(q, ["crank", "slider"])
        forces.append(found.forces / [scale**2, scale])
        assert found.reachable
    close(forces[1], forces[0], 1e-9)


@pytest.mark.parametrize("name, chosen", [
    ("stewart", ["piston1", "piston2"]), ("bicycle", ["steer"]),
    ("two-wheeled-cart", ["left", "right"]),
])  # fmt: skip
def test_fewer_than_needed(name, chosen):
    """The nearest forces, and the joint force that is missing, without work on what they can do."""
    m = am.example(name)
    chosen = [x for x in m.v_labels if any(x.startswith(c) for c in chosen)]
    q = np.array(m.initial)
    v, a = motion(m, q)
    found = m.actuator_forces(q, v, a, chosen)
    assert not found.reachable and "cannot be reached" in str(found)
    # what is missing, added to what they give, makes the motion
    close(m.forward_dynamics(q, v, found.tau + found.unreachable), a, 1e-8)


MANY = {**{f"{k}, exact": (k, x) for k, x in EXACT.items()},
        **{f"{k}, more": (k, x) for k, x in MORE.items()},
        "stewart, fewer": ("stewart", ["piston1", "piston2"]), "bicycle": ("bicycle", ["steer"]),
        "cart": ("two-wheeled-cart", ["wheel1", "wheel2"]),
        "hindering": ("two-wheeled-cart", ["axle", "wheel1", "wheel2"])}  # fmt: skip


@pytest.mark.parametrize("case", MANY)
def test_many_states_at_once(case):
    """The compiled way against the robust one, which shares neither its free motions nor its
    solvers; motions need not be allowed by the rows."""
    name, chosen = MANY[case]
    m, rng = am.example(name), np.random.default_rng(3)
    chosen = [x for x in m.v_labels if any(x.startswith(c) for c in chosen)] if chosen else None
    kicks = 0.05 * rng.normal(size=(7, m.nv)) * m.constraint_solver.equations.scaling.columns
    q = m.project(m.integrate(np.tile(m.initial, (7, 1)), kicks))[0]
    v, a = rng.normal(size=(2, 7, m.nv))
    for passive in (True, False):
        found = m.driving_forces(q, v, a, chosen, passive=passive)
        single = [m.actuator_forces(*row, chosen, passive=passive).tau
                  for row in zip(q, v, a, strict=True)]  # fmt: skip
        close(found, np.array(single), 1e-10)
        close(m.driving_forces(q[2], v[2], a[2], chosen, passive), single[2], 1e-10)


def in_line():
    """A slider-crank without offset: a dead centre at crank = 0."""
    b = am.Builder("in line", gravity=(0, 0, -9.81))
    b.body("crank", axis="y", mass=1.0, com=(0.02, 0, 0), inertia=(1e-3, 2e-3, 2e-3))
    b.body("rod", "crank", "revolute", (0.05, 0, 0), axis="y", mass=0.5, com=(0.1, 0, 0),
           inertia=(1e-4, 2e-3, 2e-3))  # fmt: skip
    b.body("slider", joint="prismatic", axis="x", mass=0.4)
    b.loop("wrist", "slider", am.Frame("end", "rod", am.Pose((0.15, 0, 0))), "revolute", axis="y")
    return b.build()


def test_doubted_and_bad_rows():
    """Next to a dead centre the robust way answers; rows with NaN give NaN, and only they."""
    m = in_line()
    places = [m.assemble([x, -x / 3, 0.2], hold=["crank"]).q for x in (0.7, 1e-7, 0.3)]
    q, v, a = np.array(places), np.zeros((3, 3)), np.ones((3, 3))
    expected = [m.actuator_forces(*row, ["slider"]).tau for row in zip(q, v, a, strict=True)]
    close(m.driving_forces(q, v, a, ["slider"]), np.array(expected), 1e-9)
    a[0, 1] = np.nan
    found = m.driving_forces(q, v, a, ["slider"])
    assert np.isnan(found[0]).all() and np.isfinite(found[1:]).all()
    with pytest.raises(InputError, match="expected one state, found 3"):
        m.actuator_forces(q, v, a, ["slider"])


def rubbing(mu):
    """A finger of two links whose tip slides on a floor."""
    b = am.Builder("finger")
    link = {"axis": "y", "mass": 1.0, "com": (0.1, 0, 0), "inertia": (0.01, 0.01, 0.01)}
    b.body("a", **link)
    b.body("b", "a", "revolute", (0.3, 0, 0), **link)
    b.frame("tip", "b", (0.3, 0, 0))
    q = np.array([-0.8, 1.6])
    z = b.build().pose(q, "tip")[1][2]
    b.contact("c", am.Frame("floor", "world", am.Pose((0, 0, z))), "tip", constrained=("dz",),
              friction=(("dx", "dz", mu),))  # fmt: skip
    return b.build(), q


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.3])
def test_contacts_that_rub(mu):
    """The force that made the motion is found again."""
    m, q = rubbing(mu)
    v = m.project(q, [0.5, 0.0])[1]
    a = m.forward_dynamics(q, v, [1.3, 0.0])
    found = m.actuator_forces(q, v, a, ["a"])
    assert found.reachable
    close(found.tau, np.array([1.3, 0.0]), 1e-10)
    close(m.driving_forces(q, v, a, ["a"]), np.array([1.3, 0.0]), 1e-10)
    law = am.OperationalSpace(m, "tip", m.pose(q, "tip")[1] + 0.05, 40.0, 8.0, rows=("x",),
                              actuators="a")  # fmt: skip
    a = m.forward_dynamics(q, v, law.torque(0.0, q, v, []))
    rate = m.velocity(q, v, "tip", "world_aligned")[3]
    close(m.acceleration(q, v, a, "tip", "world_aligned")[3], 40.0 * 0.05 - 8.0 * rate, 1e-9)


def test_actuators_without_hold():
    """Forces at a joint that no free motion turns do nothing, and none are asked of it."""
    m = am.example("two-link-load")
    found = m.holding_forces(m.initial, ["load.wx"])
    assert not found.tau.any() and not found.reachable and found.actuation_redundancy == 1
    assert not m.driving_forces(m.initial, np.zeros(m.nv), np.zeros(m.nv), ["load.wx"]).any()
    m = in_line()
    for angle in (0.0, 1e-15, 1e-12):
        q = m.assemble([angle, -angle / 3, 0.2], hold=["crank"]).q
        found = m.holding_forces(q, ["slider"])
        assert not found.tau.any() and not found.reachable
        assert not m.driving_forces(q, np.zeros(3), np.zeros(3), ["slider"]).any()


def test_a_motion_that_fewer_actuators_can_make():
    """The cart has three freedoms and two motors: motions of the motors can be found back."""
    m = am.example("two-wheeled-cart")
    q, v = np.array(m.initial), np.zeros(m.nv)
    tau = np.zeros(m.nv)
    tau[6:] = 0.7, -0.3
    found = m.actuator_forces(q, v, m.forward_dynamics(q, v, tau), m.v_labels[6:])
    assert found.reachable
    close(found.tau, tau, 1e-11)
    assert found.mobility == 3 and len(found.actuators) == 2
    assert str(found).splitlines()[0] == "2 actuators, 3 freedoms: under-actuated by 1"


CHOICES = [
    ("two-wheeled-cart", ["wheel1", "wheel2"]), ("two-wheeled-cart", ["wheel1"]),
    ("two-wheeled-cart", ["axle", "wheel1", "wheel2"]), ("four-bar", ["crank", "rocker"]),
    ("four-bar", []), ("stewart", ["piston1", "piston4"]), ("two-link-load", ["load.wx"]),
    ("differential", ["pinion", "left"]), ("bicycle", ["steer"]),
]  # fmt: skip


@pytest.mark.parametrize("name, chosen", CHOICES, ids=str)
def test_how_well_it_is_actuated(name, chosen):
    """Ranks by what the actuators do: accelerations that a force at each of them makes, and those
    that forces at all joints can make."""
    m = am.example(name)
    q, rest = np.array(m.initial), np.zeros(m.nv)
    found = m.actuator_forces(q, rest, m.forward_dynamics(q, rest, rest), chosen)
    still = m.forward_dynamics(q, rest, rest)
    moved = m.forward_dynamics(*(np.tile(x, (m.nv, 1)) for x in (q, rest)), np.eye(m.nv)) - still
    places = [m.v_labels.index(label) for label in found.actuators]
    size = np.linalg.norm(moved, 2)
    freedoms, driven = (np.linalg.matrix_rank(x, 1e-9 * size) for x in (moved, moved[places]))
    assert (found.mobility, found.missing) == (freedoms, freedoms - driven)
    assert found.actuation_redundancy == len(places) - driven
    text = str(found)
    assert ("exactly actuated" in text) == (freedoms == driven == len(places))
    assert (f"under-actuated by {freedoms - driven}" in text) == (freedoms > driven)
    assert (f"{len(places) - driven} more than needed" in text) == (len(places) > driven)


@pytest.mark.parametrize("seed", [1, 2])
def test_all_joints_of_a_nasty_tree(seed):
    """Round trip with external wrenches and every joint driven."""
    m, q = closed_tree(seed, ("revolute", "universal", "plane", "coupling"), bodies=7, roots=0.3)
    m = m.compile(tier=1)
    v, a = motion(m, q, seed)
    external = {m.bodies[-1]: np.array([1.0, 2.0, -1.0, 3.0, 0.5, 0.2])}
    found = m.actuator_forces(q, v, a, external=external)
    assert found.reachable and found.actuation_redundancy == m.nv - found.mobility
    close(m.forward_dynamics(q, v, found.tau, external), a, 1e-9)


# -- limits ----------------------------------------------------------------------------------------


def limited(effort):
    """A Bricard loop whose three motors have effort limits."""
    m = am.example("bricard")
    bodies = [
        replace(b, joint=replace(b.joint, limits=(Limits(effort=e),)))
        for b, e in zip(m.model.bodies, effort, strict=True)
    ]
    return am.Mechanism(replace(m.model, bodies=tuple(bodies)))


def test_limits_are_kept_and_named():
    chosen = ["rod1", "rod3", "rod5"]
    plain = am.example("bricard")
    q = np.array(plain.initial)
    v, a = motion(plain, q)
    best = plain.actuator_forces(q, v, a, chosen)
    size = np.abs(best.forces)
    k = int(np.argmax(size))
    effort = [1e6] * 5
    effort[2 * k] = 0.6 * size[k]
    m = limited(effort)
    assert not m.actuator_forces(q, v, a, chosen).clipped  # only when asked for
    found = m.actuator_forces(q, v, a, chosen, limits=True)
    assert found.clipped == (chosen[k],)
    assert abs(found[chosen[k]]) <= effort[2 * k] * (1 + 1e-12)
    assert found.reachable
    close(m.forward_dynamics(q, v, found.tau), a, 1e-8)
    # the others are the smallest that do the rest
    N = free(plain, q)[[0, 2, 4]].ravel()
    rest = [i for i in range(3) if i != k]
    missing = N @ best.forces - N[k] * found.forces[k]
    close(found.forces[rest], N[rest] * missing / (N[rest] @ N[rest]), 1e-6)


def test_limits_that_are_too_small():
    plain = am.example("bricard")
    q = np.array(plain.initial)
    v, a = motion(plain, q)
    m = limited([1e-3] * 5)
    found = m.actuator_forces(q, v, a, ["rod1", "rod3"], limits=True)
    assert set(found.clipped) == {"rod1", "rod3"} and not found.reachable
    close(m.forward_dynamics(q, v, found.tau + found.unreachable), a, 1e-8)


# -- statics ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXACT)
def test_equilibrium(name):
    """Nothing moves; and the forces follow from the slope of the potential alone."""
    m = am.example(name)
    q = np.array(m.initial)
    found = m.holding_forces(q, EXACT[name])
    close(m.forward_dynamics(q, np.zeros(m.nv), found.tau), np.zeros(m.nv), 1e-9)
    N = free(m, q)
    rest, step = np.zeros(m.nv), 1e-5
    ahead, behind = (
        np.array([m.energy(m.integrate(q, sign * step * d), rest)[1] for d in N.T])
        for sign in (1, -1)
    )
    close(N.T @ found.tau, (ahead - behind) / (2 * step), 1e-7)


def test_bad_input():
    m = am.example("four-bar")
    q, zero = m.initial, np.zeros(3)
    with pytest.raises(ModelError, match="Did you mean 'crank'"):
        m.actuator_forces(q, zero, zero, ["crnk"])
    with pytest.raises(InputError, match="twice"):
        m.actuator_forces(q, zero, zero, ["crank", "crank"])
    with pytest.raises(InputError, match="positive"):
        m.actuator_forces(q, zero, zero, ["crank"], weights={"crank": 0.0})


def test_a_joint_that_does_not_move_is_no_actuator():
    m = am.example("stewart")
    still = m.lock({m.joints[0]: m.initial[m.model.slots[0].q]})
    q, rest = still.initial, np.zeros(still.nv)
    with pytest.raises(ModelError, match=f"'{m.joints[0]}'"):
        still.actuator_forces(q, rest, rest, [m.joints[0]])


def test_plans_of_one_mechanism_share_their_samples(monkeypatch):
    """Dynamics, both projections and the actuators close three samples, and that once."""
    made = []
    close_all = plan.closed_samples
    monkeypatch.setattr(plan, "closed_samples", lambda *x: made.append(1) or close_all(*x))
    m = am.example("four-bar")
    q, v = m.project(m.initial, np.ones(3))
    a = m.forward_dynamics(q, v, np.zeros(3))
    m.inverse_dynamics(q, v, a, actuators=["crank"])
    m.inverse_dynamics(np.array([q]), np.array([v]), np.array([a]), actuators=["crank"])
    assert made == [1]
