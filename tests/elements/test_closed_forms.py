"""Force elements against formulas, and the same strut made of joints."""

import numpy as np
import pytest
from machines import END, tree

import armillary as am
from armillary.model import ForceElement, Passive

SPHERE = {"mass": 2.0, "inertia": (0.3, 0.3, 0.3)}


def frequencies(m, q, tau=None):
    """rad/s of small oscillations about a rest at q, by the derivatives of forward dynamics."""
    rest = np.zeros(m.nv)
    np.testing.assert_allclose(m.forward_dynamics(q, rest, rest), 0.0, atol=1e-9)
    values = np.linalg.eigvals(m.forward_dynamics.derivatives(q, rest, rest).dq)
    return np.sqrt(np.sort(np.maximum(-values.real, 0.0)))


def test_spring_pendulum():
    """Stretched by m g / k, it bounces with sqrt(k/m) and swings with sqrt(g/L)."""
    k, g, rest = 80.0, 9.81, 0.6
    b = am.Builder("spring pendulum")
    b.body("bob", joint=am.joint_spec("gimbal", free=("dx", "dy", "dz")), **SPHERE)
    b.spring("s", "world", "bob", stiffness=k, rest=rest)
    m = b.build()
    L = rest + 2.0 * g / k
    found = frequencies(m, np.array([0.0, 0.0, -L]))
    np.testing.assert_allclose(found, [np.sqrt(g / L)] * 2 + [np.sqrt(k / 2.0)], rtol=1e-12)
    forces = m.element_forces([0.0, 0.0, -L], np.zeros(3))
    np.testing.assert_allclose(forces.along[0], [2.0 * g, L, 0.0], rtol=1e-14)


def test_two_free_bodies_oscillate_with_their_reduced_mass():
    """sqrt(k / μ), 1/μ = 1/m + 1/M; everything else is free; momentum stays zero."""
    b = am.Builder("two", gravity=(0, 0, 0))
    b.body("a", joint="free", **SPHERE)
    b.body("b", joint="free", mass=3.0, inertia=(0.1, 0.1, 0.1))
    b.spring("s", "a", "b", stiffness=50.0, rest=0.7)
    m = b.build()
    q = np.array([1.0, 0, 0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0.7, 0, 0])
    found = frequencies(m, q)
    np.testing.assert_allclose(found[-1], np.sqrt(50.0 * (1 / 2.0 + 1 / 3.0)), rtol=1e-10)
    np.testing.assert_allclose(found[:-1], 0.0, atol=1e-6)
    q[11] = 0.9
    run = am.simulate(m, q, np.zeros(12), duration=1.0, step=1e-3, record="q,energy,momentum")
    np.testing.assert_allclose(run["momentum"], 0.0, atol=1e-12)
    gap = run["q"][:, 11] - run["q"][:, 4]
    exact = 0.7 + 0.2 * np.cos(np.sqrt(50.0 * 5 / 6) * run.time)
    np.testing.assert_allclose(gap, exact, atol=1e-9)


@pytest.mark.parametrize("axis", ["x", "-y", "z"])
def test_torsion_oscillator(axis):
    """On a hinge along the axis it is the spring of the joint, past right angles and reversed."""
    b = am.Builder("wheel")
    b.body("wheel", joint="revolute", axis=axis, **SPHERE)
    b.torsion_spring("t", "world", "wheel", axis=axis, stiffness=7.0, damping=0.3, rest=0.2)
    m = b.build()
    for q in (0.0, np.pi / 2, -np.pi / 2, 3.0, -3.0):
        found = m.forward_dynamics([q], [1.5], [0.0])
        np.testing.assert_allclose(found, -(7.0 * (q - 0.2) + 0.3 * 1.5) / 0.3, rtol=1e-12)
        np.testing.assert_allclose(m.energy([q], [0.0])[1], 3.5 * (q - 0.2) ** 2, rtol=1e-12)


def test_bushing_of_small_and_large_turns():
    """About one axis its moment is K times the angle, however large; K couples displacements."""
    b = am.Builder("mount", gravity=(0, 0, 0))
    b.body("engine", joint="free", **SPHERE)
    K = np.diag([10.0, 20.0, 30.0, 100.0, 200.0, 300.0])
    K[0, 4] = K[4, 0] = 5.0
    b.bushing("b", "world", "engine", stiffness=K)
    m = b.build()
    for angle in (0.0, 1e-9, 4e-3, 6e-3, 1.0, 3.0):
        q = np.array([np.cos(angle / 2), np.sin(angle / 2), 0, 0, 0, 0, 0])
        tau = m.static_torques(q)
        np.testing.assert_allclose(tau[:3], [10.0 * angle, 0, 0], rtol=1e-12, atol=1e-14)
        f_W = np.array([0.0, 5.0 * angle, 0.0])
        R = m.pose(q, "engine")[0]
        np.testing.assert_allclose(tau[3:], R.T @ f_W, rtol=1e-12, atol=1e-14)
    q = np.array([1.0, 0, 0, 0, 0.01, 0.02, 0.03])
    np.testing.assert_allclose(m.static_torques(q), K @ [0, 0, 0, 0.01, 0.02, 0.03], atol=1e-12)


def test_circular_orbit():
    """Period 2π sqrt(r³/GM)."""
    b = am.Builder("orbit", gravity=(0, 0, 0))
    b.body("moon", joint=am.joint_spec("gimbal", free=("dx", "dy", "dz")), **SPHERE)
    b.point_gravity("g", "moon", strength=3.0, mass=2.0)
    m, r = b.build(), 1.5
    period = 2 * np.pi * np.sqrt(r**3 / 3.0)
    start = [r, 0.0, 0.0], [0.0, np.sqrt(3.0 / r), 0.0]
    run = am.simulate(m, *start, duration=period, step=period / 2000, record="q,energy")
    np.testing.assert_allclose(run["q"][-1], start[0], atol=1e-8)
    np.testing.assert_allclose(run["energy"], -0.5 * 3.0 * 2.0 / r, rtol=1e-11)


def test_powers_in_a_law_of_the_user():
    """Attraction by r / (r · r)^1.5, against the element that the library has for it."""

    def builder(name):
        b = am.Builder(name, gravity=(0, 0, 0))
        b.body("moon", joint="free", com=(0.1, 0, 0.2), **SPHERE)
        return b

    def law(r, R, w, u, k):
        return [-k * x / (r[0] ** 2 + r[1] ** 2 + r[2] ** 2) ** 1.5 for x in r]

    b, own = builder("known"), builder("own")
    b.point_gravity("g", "moon", strength=4.0, mass=2.0)
    own.force("g", ("world", "moon"), law, lambda r, R, k: -k * sum(x**2 for x in r) ** -0.5,
              {"k": 8.0})  # fmt: skip
    m, mine = b.build(), own.build()
    q, v, tau = m.random_state(1)
    np.testing.assert_allclose(mine.forward_dynamics(q, v, tau), m.forward_dynamics(q, v, tau))
    np.testing.assert_allclose(mine.energy(q, v), m.energy(q, v), rtol=1e-12)
    pair = zip(*(x.forward_dynamics.derivatives(q, v, tau) for x in (mine, m)), strict=True)
    for one, other in pair:
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_terminal_velocity():
    """c v² = m g in still air; with wind the same relative to it."""
    b = am.Builder("drop")
    b.body("drop", joint=am.joint_spec("gimbal", free=("dx", "dy", "dz")), **SPHERE)
    b.drag("d", "drop", quadratic=0.5, wind=(3.0, 0.0, -1.0))
    m = b.build()
    fall = np.sqrt(2.0 * 9.81 / 0.5)
    a = m.forward_dynamics(np.zeros(3), [3.0, 0.0, -1.0 - fall], np.zeros(3))
    np.testing.assert_allclose(a, 0.0, atol=1e-13)


def test_atwood_by_a_cable_over_points():
    """A stiff cable over two pulleys: one tension on both weights, and on the pulleys twice it."""
    b = am.Builder("atwood")
    for name, x in (("left", -0.5), ("right", 0.5)):
        b.body(name, joint="prismatic", axis="z", at=(x, 0, 0), mass=2.0)
    b.body("beam", joint="prismatic", axis="z", mass=5.0)
    over = [
        am.Frame("l", "beam", am.Pose((-0.5, 0, 1.0))),
        am.Frame("r", "beam", am.Pose((0.5, 0, 1.0))),
    ]
    b.cable("rope", ["left", *over, "right"], stiffness=1000.0, rest=2.9)
    m = b.build()
    tension = 1000.0 * (3.0 - 2.9)
    weights = 9.81 * np.array([2.0, 2.0, 5.0])
    np.testing.assert_allclose(
        m.static_torques(np.zeros(3)), weights + tension * np.array([-1, -1, 2])
    )


def test_one_sided():
    """A cable and a bump stop: nothing on the wrong side, nothing exactly at rest, no reversal."""
    b = am.Builder("sides", gravity=(0, 0, 0))
    b.body("cart", joint="prismatic", axis="x", mass=1.0)
    b.spring("rope", "world", "cart", stiffness=100.0, damping=5.0, rest=1.0, side="pull")
    b.spring("stop", am.Frame("wall", "world", am.Pose((3, 0, 0))), "cart", stiffness=200.0,
             damping=5.0, rest=0.5, side="push")  # fmt: skip
    m = b.build()

    def force(x, v):
        return float(m.forward_dynamics([x], [v], [0.0])[0])

    assert force(0.5, 3.0) == 0.0 and force(1.0, 3.0) == 0.0 and force(2.5, 3.0) != 0.0
    np.testing.assert_allclose(force(1.1, 0.4), -(100 * 0.1 + 5 * 0.4))
    assert force(1.1, -9.0) == 0.0  # the damper would push: a rope cannot
    np.testing.assert_allclose(force(2.6, 0.2), -(100 * 1.6 + 1.0) - (200 * 0.1 + 5 * 0.2))
    np.testing.assert_allclose(m.energy([2.6], [0.0])[1], 50 * 1.6**2 + 100 * 0.1**2)
    assert force(0.0, 1.0) == 0.0  # rolled up in a point: slack, so no direction is needed


@pytest.mark.parametrize("q", [0.0, np.pi / 2, np.pi, -np.pi / 2, 0.7])
def test_structured_geometry(q):
    """Ends that coincide but for one axis, right angles, opposed axes: T = k (L - rest) by hand."""
    b = am.Builder("door", gravity=(0, 0, 0))
    b.body("door", joint="revolute", axis="z", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    post, handle = am.Pose((0, 2.0, 0)), am.Pose((1.0, 0, 0))
    ends = am.Frame("post", "world", post), am.Frame("handle", "door", handle)
    b.spring("s", *ends, stiffness=10.0, rest=0.5)
    m = b.build()
    p, post = np.array([np.cos(q), np.sin(q)]), np.array([0.0, 2.0])
    L = np.linalg.norm(post - p)
    pull = 10.0 * (L - 0.5) * (post - p) / L
    moment = p[0] * pull[1] - p[1] * pull[0]
    np.testing.assert_allclose(m.static_torques([q]), [-moment], atol=1e-13)
    np.testing.assert_allclose(m.element_forces([q], [0.0]).along[0, :2], [10 * (L - 0.5), L])


def test_strut_as_a_massless_telescope():
    """The same strut made of joints: a massless tube and piston, ball ends; closed by a loop."""
    one, two = tree("strut"), tree("telescope")
    one.spring("s", "tip", END, stiffness=300.0, damping=20.0, rest=0.5)
    two.body(
        "tube", "arm", joint="universal", axes=["x", "y"], at=two._frames["tip"].pose, mass=0.0
    )
    strut = Passive(spring=300.0, rest=0.5, viscous=20.0)
    two.body("piston", "tube", joint="prismatic", axis="z", mass=0.0, passive=strut)
    two.loop("ball", "piston", END, "spherical")
    m, closed = one.build(), two.build()
    q, v, _ = m.random_state(1)
    guess = np.concatenate([q[:3], [0.1, 0.2, 0.5], q[3:]])
    held = ["crane", "arm", "bob"]
    there = closed.assemble(guess, hold=held).q
    rates = np.concatenate([v[:3], np.zeros(3), v[3:]])
    J = closed.constraint_jacobian(there)
    own = slice(3, 6)
    rates[own] = -np.linalg.lstsq(J[:, own], J @ rates, rcond=None)[0]
    np.testing.assert_allclose(J @ rates, 0.0, atol=1e-10)
    a = closed.forward_dynamics(there, rates, np.zeros(closed.nv))
    wanted = m.forward_dynamics(q, v, np.zeros(m.nv))
    np.testing.assert_allclose(np.delete(a, range(3, 6)), wanted, atol=1e-9 * np.abs(wanted).max())
    length, rate = m.element_forces(q, v).along[0, 1:]
    np.testing.assert_allclose([abs(there[5]), abs(rates[5])], [length, abs(rate)], rtol=1e-9)


def test_a_closed_mechanism_with_a_strut():
    """Forward dynamics, reactions, power balance, derivatives of a four-bar: wrenches by hand."""
    import by_hand

    bare = am.example("four-bar")
    bodies = bare.bodies
    spring = tree("x")
    spring.spring("strut", "tip", END, stiffness=200.0, damping=3.0, rest=0.1)
    ends = (am.Frame("a", bodies[0], am.Pose((0.05, 0.02, 0.03))),
            am.Frame("b", bodies[-1], am.Pose((0.02, 0.0, 0.04))))  # fmt: skip
    law = spring.build().model.elements[0].law
    m = bare.replace(elements=(ForceElement("strut", ends, law),))
    q = np.array(m.initial)
    motion = np.linalg.svd(m.constraint_jacobian(q))[2][-1]
    v, tau = 2.0 * motion / motion[0], np.array([1.0, 0.0, 0.0])
    external = by_hand.external(m, q, v)
    a = m.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(a, bare.forward_dynamics(q, v, tau, external), rtol=1e-11)
    found, wanted = m.solve(q, v, tau), bare.solve(q, v, tau, external)
    size = np.abs(wanted.reactions.total).max()
    np.testing.assert_allclose(found.reactions.total, wanted.reactions.total, atol=1e-12 * size)
    np.testing.assert_allclose(found.constraint_forces.wrench, wanted.constraint_forces.wrench,
                               atol=1e-12 * size)  # fmt: skip
    assert abs(found.balance.imbalance) < 1e-12 * size
    lost = found.balance.passive - wanted.balance.passive
    np.testing.assert_allclose(lost, -found.element_forces.power.sum(), rtol=1e-10)
    assert m.check(q, v, tau).worst < 1e-12
    d, h = m.forward_dynamics.derivatives(q, v, tau), 1e-6
    ends = [m.project(q + s * h * d.motions[:, 0], v) for s in (1.0, -1.0)]
    slope = (m.forward_dynamics(*ends[0], tau) - m.forward_dynamics(*ends[1], tau)) / (2 * h)
    np.testing.assert_allclose(d.jvp(q=d.motions[:, 0]), slope, rtol=2e-6)
