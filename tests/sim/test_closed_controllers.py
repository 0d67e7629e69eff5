"""Controllers of closed mechanisms and of chosen actuators: laws of motion, and the native loop."""

import numpy as np
import pytest

import armillary as am
from sim.native_runs import both

PISTONS = [f"piston{k}" for k in range(1, 7)]
# example: actuators; as many as free motions, more, fewer, every joint
CASES = {
    "crank": ("four-bar", ["crank"]),
    "two motors": ("four-bar", ["crank", "rocker"]),
    "every joint": ("four-bar", None),
    "piston": ("slider-crank", ["slider"]),
    "redundant rows": ("bricard", ["rod1", "rod3", "rod5"]),
    "platform": ("stewart", PISTONS),
    "parallel": ("delta", ["arm1", "arm2", "arm3"]),
    "rolling": ("two-wheeled-cart", ["wheel1", "wheel2"]),
    "tree": ("double-pendulum", ["elbow"]),
}


def aside(m, size=0.05, seed=0):
    """A closed place near the initial one, at rest."""
    kick = np.random.default_rng(seed).normal(size=m.nv) * size
    return m.project(m.integrate(m.initial, kick))[0] if m.constraints else m.initial + kick


@pytest.mark.parametrize("case", CASES)
def test_native_as_in_python(case):
    name, actuators = CASES[case]
    m = am.example(name)
    hold = am.ComputedTorque(m, m.initial, 80.0, 12.0, actuators=actuators)
    q0 = aside(m)
    run, taken = both(m, q0, duration=0.03, method="rk4", controller=hold,
                      record=("q", "v", "tau"))  # fmt: skip
    assert taken == 30
    chosen = [k for k, label in enumerate(m.v_labels) if actuators is None or label in actuators]
    assert np.abs(run["tau"]).max() > 1e-3
    assert not np.delete(run["tau"], chosen, axis=1).any()
    both(m, q0, duration=0.03, controller=am.GravityCompensation(m, actuators))


def test_friction_and_springs_of_the_joint_that_closes():
    """They are compensated like those of the tree."""
    b = am.Builder("bars", gravity=(0, 0, -9.81))
    for name, parent, x in (("crank", "world", 0.0), ("coupler", "crank", 0.1)):
        b.body(name, parent, "revolute", (x, 0, 0), axis="y", mass=1.0, com=(0.05, 0, 0),
               inertia=(1e-3, 2e-3, 2e-3))  # fmt: skip
    b.body("rocker", joint="revolute", at=(0.2, 0, 0), axis="y", mass=1.0, com=(0.05, 0, 0),
           inertia=(1e-3, 2e-3, 2e-3))  # fmt: skip
    stiff = am.Passive(viscous=0.3, spring=2.0, rest=0.4)
    b.loop("pin", am.Frame("rocker end", "rocker", am.Pose((0.2, 0, 0))),
           am.Frame("coupler end", "coupler", am.Pose((0.25, 0, 0))), "revolute", axis="y",
           passive=stiff)  # fmt: skip
    m = b.build()
    q0 = m.assemble([-1.2, 0.8, -1.4], hold=["crank"]).q
    run, _ = both(
        m, q0, duration=0.2, method="rk4", controller=am.GravityCompensation(m, ["crank"])
    )
    np.testing.assert_allclose(run.q[-1], q0, atol=1e-11)
    bare = am.GravityCompensation(m, ["crank"], springs=False)
    run, _ = both(m, q0, duration=0.2, method="rk4", controller=bare)
    assert np.abs(run.q[-1] - q0).max() > 1e-2


def test_batches_samples_and_integrals():
    bars = am.example("four-bar")
    many = np.array([aside(bars, 0.3, seed) for seed in range(9)])
    for options in ({"ki": 20.0}, {"period": 4e-3}, {"ki": 20.0, "period": 2e-3}):
        goal = am.ComputedTorque(bars, bars.initial, 80.0, 12.0, actuators=["crank"], **options)
        for q0 in (many[0], many):
            _, taken = both(bars, q0, duration=0.05, method="heun", controller=goal)
            assert taken == 50
    still = am.GravityCompensation(bars, ["rocker"], springs=False, period=5e-3)
    both(bars, many, duration=0.05, controller=still)


def test_the_platform_is_held_and_led():
    """Held against gravity by six pistons it stays; led along a path it arrives there."""
    m = am.example("stewart")
    run = am.simulate(m, duration=0.5, controller=am.GravityCompensation(m, PISTONS))
    np.testing.assert_allclose(run.q[-1], m.initial, atol=1e-10)
    goal = aside(m, 0.08)
    path = am.ComputedTorque(m, goal, 100.0, 20.0, actuators=PISTONS)
    run = am.simulate(m, duration=1.5, controller=path)
    np.testing.assert_allclose(m.difference(run.q[-1], goal), 0.0, atol=2e-5)


def test_computed_torque_where_every_joint_is_free_to_follow():
    """The wish obeys the rows (a coupling is linear): every error has its closed form."""
    b = am.Builder("gripper")
    b.body("arm", axis="y", mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.05, 0.05))
    b.body("one", "arm", "prismatic", (0.4, 0, 0), axis="z", mass=0.2)
    b.body("two", "arm", "prismatic", (0.4, 0, 0), axis="z", mass=0.2)
    b.coupling(am.Coupling("mirror", "two", "one", -1.0))
    m = b.build()
    kp, kd, q0 = 36.0, 12.0, np.array([0.3, 0.02, -0.02])
    law = am.ComputedTorque(m, np.zeros(3), kp, kd, actuators=["arm", "one"])
    run, _ = both(m, q0, duration=0.5, step=1e-3, method="rk4", controller=law)
    np.testing.assert_allclose(run.q[-1], q0 * (1 + 6 * 0.5) * np.exp(-3.0), atol=1e-9)


FRAMES = {
    "stewart": ("platform", "pose", PISTONS),
    "delta": ("platform", "position", ["arm1", "arm2", "arm3"]),
    "four-bar": ("coupler", ("x",), ["crank"]),
}


@pytest.mark.parametrize("name", FRAMES)
def test_operational_space_of_closed_mechanisms(name):
    """x'' of the frame, by the motion alone, is what was commanded."""
    m = am.example(name)
    frame, rows, actuators = FRAMES[name]
    R, p = m.pose(m.initial, frame)

    def goal(t):
        return R, p + 0.02, np.zeros(6), np.zeros(6)

    law = am.OperationalSpace(m, frame, goal, 60.0, 9.0, rows=rows, actuators=actuators)
    q = aside(m)
    v = m.project(q, 0.3 * np.random.default_rng(2).normal(size=m.nv))[1]
    a = m.forward_dynamics(q, v, law.torque(0.0, q, v, []))
    found = m.acceleration(q, v, a, frame, "world_aligned")[law.rows]
    rate = m.velocity(q, v, frame, "world_aligned")[law.rows]
    np.testing.assert_allclose(found, 60.0 * law.error(0.0, q) - 9.0 * rate, rtol=1e-9, atol=1e-9)
    _, taken = both(m, q, v, duration=0.02, method="rk4", controller=law)
    assert taken == 20


def test_operational_space_of_an_arm_with_coupled_fingers():
    """Joints left over come to rest; the fingers follow each other."""
    b = am.Builder("picker", gravity=(0, 0, -9.81))
    parent = "world"
    for k, axis in enumerate(("z", "y", "y", "x")):
        b.body(f"link{k}", parent, "revolute", (0.0, 0.0, 0.3), axis=axis, mass=1.0 + 0.2 * k,
               com=(0.01, 0.02, 0.15), inertia=(0.02, 0.02, 0.01))  # fmt: skip
        parent = f"link{k}"
    for side in (1, -1):
        b.body(f"finger{side}", parent, "prismatic", (0, 0.02 * side, 0.1), axis="y", mass=0.1,
               inertia=(1e-4, 1e-4, 1e-4))  # fmt: skip
    b.coupling(am.Coupling("mimic", "finger-1", "finger1", -1.0))
    m = b.build()
    q0 = np.array([0.2, 0.7, 0.9, 0.1, 0.01, -0.01])
    _, p = m.pose(q0, "link3")
    goal = p + np.array([0.05, -0.03, 0.04])
    arm = [f"link{k}" for k in range(4)] + ["finger1"]
    law = am.OperationalSpace(m, "link3", goal, 100.0, 20.0, actuators=arm)
    run, _ = both(m, q0, duration=1.0, step=2e-3, method="rk4", controller=law)
    np.testing.assert_allclose(m.pose(run.q[-1], "link3")[1], goal, atol=1e-4)
    np.testing.assert_allclose(run.q[:, 4] + run.q[:, 5], 0.0, atol=1e-12)


def test_steps_next_to_a_dead_centre_are_made_by_the_robust_way():
    """The slider cannot drive a stretched crank: those steps are doubted, and made in Python."""
    b = am.Builder("in line")
    b.body("crank", axis="y", mass=1.0, com=(0.02, 0, 0), inertia=(1e-3, 2e-3, 2e-3))
    b.body("rod", "crank", "revolute", (0.05, 0, 0), axis="y", mass=0.5, com=(0.1, 0, 0),
           inertia=(1e-4, 2e-3, 2e-3))  # fmt: skip
    b.body("slider", joint="prismatic", axis="x", mass=0.4)
    b.loop("wrist", "slider", am.Frame("end", "rod", am.Pose((0.15, 0, 0))), "revolute", axis="y")
    m = b.build()
    q0 = m.assemble([0.0105, -0.01, 0.2], hold=["crank"]).q
    v0 = m.project(q0, [-3.0, 0.0, 0.0])[1]
    law = am.GravityCompensation(m, ["slider"])
    run, taken = both(m, q0, v0, duration=0.006, method="euler", controller=law, tolerance=1e-9)
    assert run.complete and 0 < taken < 6
    assert run.q[-1, 0] < 0.0  # went through


def test_one_row_near_a_singular_place_is_damped():
    """At the end of its reach a pendulum cannot push its tip further out; it does not try."""
    b = am.Builder("rod")
    b.body("rod", axis="y", mass=1.0, com=(0.1, 0, 0), inertia=(0.001, 0.01, 0.01))
    b.frame("tip", "rod", (0.2, 0, 0))
    m = b.build()
    law = am.OperationalSpace(m, "tip", [0.3, 0, 0], 50.0, 10.0, rows=("x",))
    weak = [abs(law.torque(0.0, np.array([q]), np.zeros(1), [])[0]) for q in (0, 1e-9, 1e-6, 1e-4)]
    hold = abs(m.gravity_forces([0.0])[0])
    assert np.isfinite(weak).all() and max(weak) < 100.0 * hold
    np.testing.assert_allclose(weak[:2], hold, rtol=1e-2)
    soft = am.OperationalSpace(m, "tip", [0.3, 0, 0], 50.0, 10.0, rows=("x",), damping=0.05)
    run, _ = both(m, [0.4], duration=0.3, controller=soft)
    assert run.complete
    run = am.simulate(m, [0.4], duration=0.3, controller=law)  # too stiff for its step
    assert run.complete or "not a number" in run.message


def test_actuators_may_be_one_name():
    bars = am.example("four-bar")
    one = am.GravityCompensation(bars, "crank")
    run = am.simulate(bars, duration=0.1, controller=one)
    np.testing.assert_allclose(run.q[-1], bars.initial, atol=1e-10)
    with pytest.raises(am.ArmillaryError, match=r"no joint named 'crnk'\. Did you mean 'crank'"):
        am.GravityCompensation(bars, "crnk")
