"""Inverse dynamics of closed mechanisms: forces of the actuators, and motions that cannot be.

Oracles: virtual power with inertias and velocity forces from 4x4 matrices (oracles/direct.py), the
power balance by differences of the energies along the motion, and the forward dynamics, which
solve another system of equations.
"""

import numpy as np
import pytest
from closed_machines import closed_tree

import armillary as am
from armillary.constraints import inverse as room
from armillary.errors import InadmissibleError, InputError, ModelError
from compare import close
from oracles.direct import Direct

NAMES = [name for name in am.example_names() if am.example(name).constraints]
NASTY = {
    "turns": ("revolute", "universal", "plane", "coupling"),
    "slides": ("prismatic", "spherical", "distance"),
    "rolls": ("disc", "cylindrical", "drive"),
}
CACHE: dict = {}


def machine(name):
    """A closed mechanism, a closed position off the special ones, and allowed velocities."""
    if name not in CACHE:
        if name in NASTY:
            seed = list(NASTY).index(name)
            m, q = closed_tree(seed, NASTY[name], bodies=7, roots=0.3)
            m = m.compile(tier=2)
            q = np.asarray(q, float)
        else:
            m = am.example(name)
            kick = (
                np.random.default_rng(3).normal(size=m.nv)
                * 2e-3
                * m.constraint_solver.equations.scaling.columns
            )
            q = m.project(m.integrate(m.initial, kick))[0]
        CACHE[name] = m, q
    m, q = CACHE[name]
    v = m.project(q, np.random.default_rng(4).normal(size=m.nv))[1]
    return m, q, v


def free(m, q):
    _, s, Vt = np.linalg.svd(m.constraint_jacobian(q))
    return Vt[np.sum(s > 1e-8 * s[0]) :].T


@pytest.mark.parametrize("name", [*NAMES, *NASTY])
def test_the_motion_is_given_back(name):
    """Smallest forces of all joints: the motion of forward dynamics, virtual power of the bodies
    alone, and no part that the constraints would carry."""
    m, q, v = machine(name)
    a = m.forward_dynamics(q, v, np.random.default_rng(5).normal(size=m.nv))
    tau = m.inverse_dynamics(q, v, a)
    close(m.forward_dynamics(q, v, tau), a, 1e-8)
    N, needed = free(m, q), Direct(m.model, passive=True).inverse_dynamics(q, v, a)
    scale = np.abs(needed).max()
    if not any(loop.joint.passive for loop in m.model.loops):
        close(N.T @ tau / scale, N.T @ needed / scale, 1e-8)
    # nothing smaller does the same: a lever of the machine's size makes moments of forces
    J, size = m.constraint_jacobian(q), m.constraint_solver.equations.scaling.columns
    assert np.abs(J @ (size**2 * tau)).max() <= 1e-8 * np.abs(J).max() * np.abs(tau).max()
    batch = m.inverse_dynamics(*(np.tile(x, (5, 1)) for x in (q, v, a)))
    close(batch / scale, np.tile(tau / scale, (5, 1)), 1e-12)


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "bricard", "differential"])
def test_power_of_the_actuators_is_the_rate_of_the_energy(name):
    """tau · v = d(T + V)/dt by differences along the motion; the tree's answer has it, too, but
    the named joints alone give it here."""
    chosen = {"four-bar": ["rocker"], "slider-crank": ["slider"], "bricard": ["rod4"],
              "differential": ["pinion", "right"]}[name]  # fmt: skip
    m, q, v = machine(name)
    a = m.forward_dynamics(q, v, np.random.default_rng(6).normal(size=m.nv), passive=False)
    tau = m.inverse_dynamics(q, v, a, actuators=chosen, passive=False)
    others = [k for k, label in enumerate(m.v_labels) if label not in chosen]
    assert not tau[others].any() and tau.any()
    direct = Direct(m.model, passive=False)
    h = 1e-5

    def energy(t):
        there, rate = m.project(m.integrate(q, v * t + a * t * t / 2), v + a * t)
        return sum(direct.energy(there, rate))

    change = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    assert tau @ v == pytest.approx(change, rel=1e-6, abs=1e-6 * np.abs(tau * v).max())


@pytest.mark.parametrize("name", ["four-bar", "bicycle", "two-link-load", "turns"])
def test_accelerations_that_cannot_be(name):
    """The error has the nearest: it keeps the rows, and differs by what constraint forces do."""
    m, q, v = machine(name)
    good = m.forward_dynamics(q, v, np.zeros(m.nv))
    wish = good + np.random.default_rng(7).normal(size=m.nv)
    with pytest.raises(InadmissibleError, match="these accelerations: 'a' misses") as e:
        m.inverse_dynamics(q, v, wish)
    nearest, N, h = e.value.nearest, free(m, q), 1e-6
    rate = [m.constraint_rate(*m_at(m, q, v, nearest, t)) for t in (h, -h)]
    size = np.abs(m.constraint_jacobian(q) * nearest).max() + np.abs(v).max() ** 2
    assert np.abs(rate[0] - rate[1]).max() / (2 * h) < 1e-5 * size
    M = Direct(m.model, passive=True).mass_matrix(q)
    close(N.T @ M @ (nearest - wish), np.zeros(N.shape[1]), 1e-9 * np.abs(M).max())
    close(m.project_acceleration(q, v, wish), nearest, 1e-12)
    m.inverse_dynamics(q, v, nearest)
    states = [np.tile(x, (4, 1)) for x in (q, v, good)]
    states[2][2] = wish
    with pytest.raises(InadmissibleError, match="in state 2") as e:
        m.inverse_dynamics(*states)
    assert e.value.row == 2


def m_at(m, q, v, a, t):
    return m.integrate(q, v * t + a * t * t / 2), v + a * t


def test_accelerations_by_name():
    """The crank as asked; the others by differences of closed positions over the crank's angle."""
    m, q, v = machine("four-bar")
    rate, acceleration = 3.0, -2.0
    v = m.project(q, {"crank": rate})[1]
    a = m.project_acceleration(q, v, {"crank": acceleration})
    h = 1e-3

    def at(t):
        guess = q + v * t
        guess[0] = q[0] + rate * t + acceleration * t * t / 2
        return m.assemble(guess, hold=["crank"]).q

    second = (-at(2 * h) + 16 * at(h) - 30 * q + 16 * at(-h) - at(-2 * h)) / (12 * h * h)
    close(a, second, 1e-7)
    close(m.project_acceleration(q, v, [acceleration, 0, 0], hold="crank"), a, 1e-12)
    with pytest.raises(ModelError, match="crank, rocker together"):
        m.project_acceleration(q, v, {"crank": 1.0, "rocker": 1.0})


def test_motions_that_the_actuators_cannot_give():
    m, q, v = machine("bicycle")
    tau = np.zeros(m.nv)
    steer = m.v_labels.index("steer")
    tau[steer] = 1.5
    a = m.forward_dynamics(q, v, tau)
    close(m.inverse_dynamics(q, v, a, actuators="steer"), tau, 1e-9)
    tau[m.v_labels.index("rear-wheel")] = 2.0
    a = m.forward_dynamics(q, v, tau)
    with pytest.raises(InputError, match=r"actuators \(steer\) cannot give the motion"):
        m.inverse_dynamics(q, v, a, actuators=["steer"])
    close(m.inverse_dynamics(q, v, a, actuators=["steer", "rear-wheel"]), tau, 1e-9)


def driven_bars(motor=True):
    b = am.Builder("driven bars")
    law = am.Motor(1.0, 0.1, 20.0) if motor else None
    b.body("crank", axis="y", mass=0.4, com=(0.1, 0, 0), inertia=(1e-4, 1e-3, 1e-3), motor=law)
    b.body("coupler", "crank", "revolute", (0.2, 0, 0), axis="y", mass=0.8, com=(0.25, 0, 0),
           inertia=(5e-4, 2e-2, 2e-2))  # fmt: skip
    b.body("rocker", axis="y", at=(0.6, 0, 0), mass=0.6, com=(0.2, 0, 0),
           inertia=(4e-4, 8e-3, 8e-3))  # fmt: skip
    b.loop("pin", am.Frame("end", "coupler", am.Pose((0.5, 0, 0))),
           am.Frame("tip", "rocker", am.Pose((0.4, 0, 0))), "revolute", axis="y")  # fmt: skip
    b.initial = {"crank": -1.0, "coupler": 0.5, "rocker": -1.5}
    m = b.build()
    return m, m.assemble(hold=["crank"]).q


def test_joints_with_motors_are_the_default():
    m, q = driven_bars()
    v = m.project(q, {"crank": 2.0})[1]
    a = m.forward_dynamics(q, v, [1.7, 0.0, 0.0])
    close(m.inverse_dynamics(q, v, a), np.array([1.7, 0.0, 0.0]), 1e-11)
    bare, _ = driven_bars(motor=False)
    assert np.all(bare.inverse_dynamics(q, v, a) != 0.0)


def test_wrenches_inertias_and_forms_of_numbers():
    m, q = driven_bars()
    v = m.project(q, {"crank": 2.0})[1]
    wrench = {"rocker": np.array([0.1, 0.2, 0.3, 2.0, 1.0, -3.0])}
    tau = np.array([0.9, 0.0, 0.0])
    a = m.forward_dynamics(q, v, tau, wrench)
    close(m.inverse_dynamics(q, v, a, external=wrench), tau, 1e-11)
    many = {"rocker": np.array([wrench["rocker"], 2 * wrench["rocker"]])}
    rows = m.forward_dynamics(np.tile(q, (2, 1)), v, tau, many)
    close(m.inverse_dynamics(q, v, rows, external=many), np.tile(tau, (2, 1)), 1e-11)
    heavy = m.parameters * 1.3
    a = m.forward_dynamics(q, v, tau, parameters=heavy)
    close(m.inverse_dynamics(q, v, a, parameters=heavy), tau, 1e-11)
    a = m.forward_dynamics(q, v, tau)
    out = np.empty(3)
    assert m.inverse_dynamics(q, v, a, out=out) is out
    close(out, tau, 1e-11)
    single = [np.asarray(x, np.float32) for x in (q, v, a)]
    found = m.inverse_dynamics(*single)
    assert found.dtype == np.float32
    close(found, tau, 1e-3)
    bad = np.tile(a, (3, 1))
    bad[1, 0] = np.nan
    found = m.inverse_dynamics(q, v, bad)
    assert np.isnan(found[1]).all()
    close(found[[0, 2]], np.tile(tau, (2, 1)), 1e-11)
    named = m.inverse_dynamics(q, v, a, external=wrench)
    np.testing.assert_array_equal(m.inverse_dynamics(q, v, a, wrench), named)
    with pytest.raises(InputError, match=r"actuators=\[\.\.\.\]"):
        m.inverse_dynamics(q, v, a, ["crank"])


def test_compiled_code_answers_and_the_robust_way_agrees(monkeypatch):
    """Regular motions never leave the compiled code; without it the answer is the same."""
    m, q, v = machine("stewart")
    pistons = [f"piston{k}" for k in range(1, 7)]
    a = m.forward_dynamics(q, v, np.random.default_rng(8).normal(size=m.nv))
    few = np.zeros(m.nv)
    few[m.v_labels.index("piston1")] = 3.0
    b = m.forward_dynamics(q, v, few)
    questions = [(a, None), (a, pistons), (b, pistons[:2])]
    slow = m.compile(tier=1)
    expected = [slow.inverse_dynamics(q, v, x, actuators=chosen) for x, chosen in questions]
    monkeypatch.setattr(room, "actuation", None)
    for (x, chosen), other in zip(questions, expected, strict=True):
        close(m.inverse_dynamics(q, v, x, actuators=chosen), other, 1e-10)


def test_the_tree_is_asked_by_its_name():
    m, q, v = machine("four-bar")
    a = m.forward_dynamics(q, v, np.zeros(3))
    direct = Direct(m.model, passive=True)
    tree = m.tree
    assert tree is m.tree and not tree.constraints and tree.tree is tree
    close(tree.inverse_dynamics(q, v, a), direct.inverse_dynamics(q, v, a), 1e-12)
    close(tree.inverse_dynamics.derivatives(q, v, a).da, m.mass_matrix(q), 1e-12)
    for name in ("derivatives", "jvp", "vjp", "parameter_jacobian", "offset_jacobian"):
        with pytest.raises(InputError, match=rf"tree\.inverse_dynamics\.{name}"):
            getattr(m.inverse_dynamics, name)(q, v, a)
    with pytest.raises(InputError, match=r"tree\.forward_dynamics"):
        m.forward_dynamics.offset_jacobian(q, v, a)


def test_feed_forward_of_a_closed_mechanism():
    """The forces of the crank alone along a motion that the bars can make."""
    m, q = driven_bars()

    def motion(t):
        there = m.assemble([q[0] + 0.3 * t, *q[1:]], hold=["crank"]).q
        v = m.project(there, {"crank": 0.3})[1]
        return there, v, m.project_acceleration(there, v, {"crank": 0.0})

    part = am.FeedForward.along(m, motion)
    tau = part.function(0.4)
    there, v, a = motion(0.4)
    assert not tau[1:].any()
    close(m.forward_dynamics(there, v, tau), a, 1e-9)
    other = am.FeedForward.along(m, motion, actuators=["rocker"]).function(0.4)
    assert not other[:2].any()
    close(m.forward_dynamics(there, v, other), a, 1e-9)
