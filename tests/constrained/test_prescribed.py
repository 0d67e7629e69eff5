"""Contacts with friction (class II), and prescribed motion of contacts, roads and joints."""

import numpy as np
import pytest
from closed_machines import Closing, allowed, closed_tree, random_matrix

import armillary as am
from compare import close
from oracles.direct import Direct, carry_wrench, pose_matrix
from samples import random_mass


def block(friction=0.0, slope=0.5):
    """A block held on a slope by a contact, sliding along x; turned and offset frames."""
    b = am.Builder("block", gravity=(0, 0, -9.81))
    mass = random_mass(np.random.default_rng(3), 2.0)
    b.body("block", joint="free", mass=mass.mass, com=mass.com, inertia=mass.tensor)
    c, s = np.cos(slope), np.sin(slope)
    ground = am.Frame("ground", "world", am.Pose((0, 0, 0), ((c, 0, -s), (0, 1, 0), (s, 0, c))))
    laws = [("dx", "dz", friction)] if friction else []
    b.contact("slope", ground, "block", ("rx", "ry", "rz", "dy", "dz"), friction=laws)
    q = np.array([np.cos(slope / 2), 0, -np.sin(slope / 2), 0, 0, 0, 0])
    return b.build(), q, mass


@pytest.mark.parametrize("friction", [0.0, 0.2, -0.3])
def test_friction_on_a_slope(friction):
    """a = -g (sin - coefficient cos), and the force along the slope follows the normal one."""
    m, q, mass = block(friction)
    v = np.array([0, 0, 0, -1.0, 0, 0])
    assert np.abs(m.constraint_residual(q)).max() < 1e-15
    s = m.solve(q, v, np.zeros(6))
    expected = -9.81 * (np.sin(0.5) - friction * np.cos(0.5))
    close(s.acceleration, [0, 0, 0, expected, 0, 0], 1e-12)
    close(m.forward_dynamics(q, v, np.zeros(6)), [0, 0, 0, expected, 0, 0], 1e-12)
    normal = mass.mass * 9.81 * np.cos(0.5)
    close(s.constraint_forces["slope"][3:], [friction * normal, 0, normal], 1e-12)
    assert abs(s.balance.imbalance) < 1e-12
    assert s.balance.constraints == pytest.approx(-friction * normal, abs=1e-12)


@pytest.mark.parametrize("seed", [1, 2])
def test_friction_in_a_nasty_tree(seed):
    """M a + h = tau + J^T λ with the whole wrench of the tip; friction is a part of its normal."""
    plain, q = closed_tree(seed, ("revolute", "distance"), bodies=7, roots=0.3)
    closing = Closing(plain.model, q, np.random.default_rng(seed))
    for loop in plain.model.loops:
        closing.builder.loop(loop.name, loop.first, loop.second, loop.joint)
    for rod in plain.model.distances:
        closing.builder.distance(rod.name, rod.first, rod.second, rod.length)
    H = random_matrix(closing.rng)
    H[2, 3] = 0.0
    one, two = closing.frames(H)
    closing.builder.contact("tip", one, two, ("dz",), friction=[("dx", "dz", 0.3)])
    m = closing.builder.build().compile(tier=1)
    v, tau = allowed(m, q), np.random.default_rng(seed).normal(size=m.nv)
    s = m.solve(q, v, tau)
    gamma = m.constraint_solver.equations.terms(q[None], v[None]).gamma[0]
    close(m.constraint_jacobian(q) @ s.acceleration, gamma, 1e-11)
    close(m.forward_dynamics(q, v, tau), s.acceleration, 1e-10)
    force = H[:3, :3] @ s.constraint_forces["tip"][3:]  # in the first frame
    close(force, [0.3 * force[2], 0.0, force[2]], 1e-11)
    # the whole wrench of the tip on both bodies, in the world
    direct = Direct(m.model)
    wrench = carry_wrench(
        direct.pose(q, two.body) @ pose_matrix(two.pose), s.constraint_forces["tip"]
    )
    apart = direct.jacobian(q, two.body, "world")
    if one.body != "world":
        apart = apart - direct.jacobian(q, one.body, "world")
    index = m.constraint_rows.index("tip.fz")
    J = np.delete(m.constraint_jacobian(q), index, axis=0)
    needed = direct.inverse_dynamics(q, v, s.acceleration)
    close(J.T @ np.delete(s.multipliers, index) + apart.T @ wrench + tau, needed, 1e-10)


# -- prescribed motion -----------------------------------------------------------------------------


def test_a_drive_may_be_given_with_the_state():
    m, q = closed_tree(1, ("drive", "revolute", "distance"), bodies=7, roots=0.3)
    m = m.compile(tier=1)
    v, tau = allowed(m, q), np.zeros(m.nv)
    (drive,) = m.model.prescribed
    k = m.v_labels.index(drive.joint)
    assert m.solve(q, v, tau).acceleration[k] == pytest.approx(drive.acceleration, abs=1e-11)
    for a in (m.solve(q, v, tau, prescribed={drive.name: -2.5}).acceleration,
              m.forward_dynamics(q, v, tau, prescribed={drive.name: -2.5})):  # fmt: skip
        assert a[k] == pytest.approx(-2.5, abs=1e-10)


def test_a_driven_joint_takes_its_force():
    """The force of the motion as a joint force, the motion taken away: the same motion."""
    m, q = closed_tree(2, ("drive", "spherical"), bodies=6, roots=0.3)
    m = m.compile(tier=1)
    v, tau = allowed(m, q), np.random.default_rng(1).normal(size=m.nv)
    (drive,) = m.model.prescribed
    s = m.solve(q, v, tau)
    tau[m.v_labels.index(drive.joint)] += s.constraint_forces[drive.name]
    b = am.Builder("free", gravity=m.gravity)
    for body in m.model.bodies:
        b.add(body)
    for loop in m.model.loops:
        b.loop(loop.name, loop.first, loop.second, loop.joint)
    close(b.build().compile(tier=1).forward_dynamics(q, v, tau), s.acceleration, 1e-10)


def test_the_road_lifts_the_wheels():
    """Both wheels of the cart on a road that rises: the whole cart rises, and weighs more."""
    m = am.example("two-wheeled-cart")
    rise = {wheel.name: 2.0 for wheel in m.model.wheels}
    q, rest = m.initial, np.zeros(m.nv)
    s = m.solve(q, rest, rest, prescribed=rise)
    close(s.acceleration, [0, 0, 0, 0, 0, 2.0, 0, 0], 1e-11)
    close(m.forward_dynamics(q, rest, rest, prescribed=rise), s.acceleration, 1e-11)
    for wheel in m.model.wheels:
        R, _ = m.pose(q, wheel.body)
        close(R @ s.constraint_forces[wheel.name][3:], [0, 0, 7.0 * (9.81 + 2.0) / 2], 1e-10)


def test_a_contact_follows_its_environment():
    """Class I: accelerations along the constrained directions are given, one by one."""
    m, q, mass = block()
    wanted = [0.1, -0.2, 0.3, 0.4, 0.5]  # rx, ry, rz, dy, dz of the ground
    s = m.solve(q, np.zeros(6), np.zeros(6), prescribed={"slope": wanted})
    close(m.constraint_jacobian(q) @ s.acceleration, wanted, 1e-12)
    assert mass.mass > 0
    with pytest.raises(am.ArmillaryError, match="5 finite accelerations"):
        m.solve(q, np.zeros(6), np.zeros(6), prescribed={"slope": [1.0, 2.0]})


@pytest.mark.parametrize("given", [False, True], ids=["of the model", "in the call"])
@pytest.mark.parametrize(("rates", "kept"), [((1.0, 2.0), True), ((1.0, 0.0), False)])
def test_drives_on_both_sides_of_a_gear(rates, kept, given):
    """b = 2 a: drives that go together are obeyed; of others none is broken in silence, by any
    number of calls: the null space shares what is missing among all rows."""
    b = am.Builder("gear")
    for name in ("a", "b"):
        b.body(name, axis="z", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.coupling(am.Coupling("gear", "b", "a", 2.0))
    b.prescribe("first", "a", acceleration=rates[0])
    if not given:
        b.prescribe("second", "b", acceleration=rates[1])
    m, rest = b.build(), np.zeros(2)
    options = {"prescribed": {"b": rates[1]}} if given else {}
    solved = m.solve(rest, rest, rest, **options)
    for _ in range(3):  # natively, where it is served so
        for found in (m.forward_dynamics(rest, rest, rest, **options),
                      m.forward_dynamics(*np.zeros((3, 2, 2)), **options)[1]):  # fmt: skip
            assert found == pytest.approx(solved.acceleration, abs=1e-12)
            if kept:
                assert found == pytest.approx(rates)
    off = solved.acceleration - rates
    assert bool((np.abs(off) > 0.01).all()) == (not kept)
    assert any("contradict" in text for text in solved.messages) == (not kept)
