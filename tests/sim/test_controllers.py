"""Controllers against closed forms; the machine of [VanDerMerwe1995, ch. 8] under PID, and why
redundant set-points make the forces grow (8.2.2)."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError
from armillary.scalar import Dual
from armillary.sim.actuators.dc_motor import DCMotor
from armillary.sim.control.chain import Chain
from armillary.sim.control.feed_forward import FeedForward, Function
from armillary.sim.control.model_based import ComputedTorque, GravityCompensation
from armillary.sim.control.operational_space import OperationalSpace
from armillary.sim.control.pid import PID
from armillary.sim.control.setpoints import check_setpoints
from armillary.sim.motion.line import line_trajectory
from armillary.sim.motion.trajectories import quintic, segments
from seeds.cases import case, table

MASS = 2.0


def slider(**options) -> am.Mechanism:
    b = am.Builder("slider", (0.0, 0.0, 0.0))
    b.body("cart", joint="prismatic", axis="x", mass=MASS, **options)
    return b.build()


def run(mechanism, part, q0, v0, duration, h=1e-3):
    """(q, v, z) at the end of a Runge-Kutta run of a tree or closed mechanism, closed again after
    every step; quaternions by plain steps on the manifold."""
    q0, nv = np.asarray(q0, float), mechanism.nv
    z0 = part.start(mechanism, list(q0), list(v0))
    u = [0.0] * nv

    def rate(t, q, x):
        v, z = list(x[:nv]), list(x[nv:])
        tau = part.force(t, list(q), v, z, u)
        a = mechanism.forward_dynamics(q, x[:nv], np.array(tau, float))
        return np.concatenate([a, part.rate(t, list(q), v, z, u)])

    q, x = q0, np.array([*v0, *z0], float)
    for k in range(round(duration / h)):
        t = k * h
        v = x[:nv]
        k1 = rate(t, q, x)
        x2 = x + h / 2 * k1
        k2 = rate(t + h / 2, mechanism.integrate(q, h / 2 * v), x2)
        x3 = x + h / 2 * k2
        k3 = rate(t + h / 2, mechanism.integrate(q, h / 2 * x2[:nv]), x3)
        x4 = x + h * k3
        k4 = rate(t + h, mechanism.integrate(q, h * x3[:nv]), x4)
        q = mechanism.integrate(q, h / 6 * (v + 2 * x2[:nv] + 2 * x3[:nv] + x4[:nv]))
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if mechanism.constraints:
            q, x[:nv] = mechanism.project(q, x[:nv])
    return q, x[:nv], x[nv:]


# -- PID -----------------------------------------------------------------------------------------


def test_pid_on_one_mass():
    """m x'' = kp (r - x) + ki z - kd x', z' = r - x: the linear system's own solution."""
    kp, ki, kd, goal = 80.0, 60.0, 9.0, 0.4
    part = PID(slider(), {"cart": goal}, kp, ki, kd)
    assert part.states == ("cart.integral",)
    A = np.array([[0, 1, 0], [-kp / MASS, -kd / MASS, ki / MASS], [-1, 0, 0]])
    b = np.array([0, kp * goal / MASS, goal])
    steady = np.linalg.solve(A, -b)
    values, vectors = np.linalg.eig(A)
    x0 = np.array([0.1, -0.2, 0.0])
    for t in (0.2, 1.5):
        way = vectors @ np.diag(np.exp(values * t)) @ np.linalg.solve(vectors, x0 - steady)
        q, v, z = run(slider(), part, x0[:1], x0[1:2], t, 5e-4)
        np.testing.assert_allclose([*q, *v, *z], (steady + way).real, rtol=1e-8, atol=1e-10)


def test_pid_follows_a_trajectory():
    """With the mass as feed-forward of the wanted acceleration the error is zero throughout."""
    cart = slider()
    motion = quintic([0.1], [0.7], 0.8)
    part = Chain(FeedForward.along(cart, motion), PID(cart, motion, 100.0, kd=20.0))
    q, v, _ = run(cart, part, [0.1], [0.0], 0.5, 1e-3)
    np.testing.assert_allclose([*q, *v], [*motion(0.5).q, *motion(0.5).v], atol=1e-10)


def test_limit_and_integral():
    """At the limit the integral stands; it starts where it is told."""
    part = PID(slider(), {"cart": 1.0}, 10.0, 5.0, limit=2.0, integral=0.3)
    assert part.start(slider()) == [0.3]
    assert part.force(0, [0.0], [0.0], [0.3], [0.5]) == [2.5]  # feed-forward comes on top
    assert part.rate(0, [0.0], [0.0], [0.3], [0.0]) == [0.0]
    assert part.rate(0, [0.95], [0.0], [0.0], [0.0]) == [pytest.approx(0.05)]
    assert part.rate(0, [2.0], [0.0], [3.0], [0.0]) == [pytest.approx(-1.0)]  # comes back


def test_pid_of_chosen_joints():
    arm = am.example("stanford")
    motion = segments([arm.initial, arm.initial + 0.2], [1.0])
    name = arm.v_labels[2]
    part = PID(arm, motion, 7.0, joints=[name])
    force = part.force(1.0, list(arm.initial), [0.0] * 5, [0.0], [0.0] * 5)
    np.testing.assert_allclose(force, [0, 0, 1.4, 0, 0], atol=1e-14)
    gains = PID(arm, arm.initial, {name: 3.0}, kd=1.0)
    assert gains.kp == [0, 0, 3.0, 0, 0] and gains.kd == [1.0] * 5
    with pytest.raises(ModelError, match="no joint named"):
        PID(arm, {"nobody": 0.0}, 1.0)
    with pytest.raises(InputError, match="set-points"):
        PID(arm, [1.0, 2.0], 1.0, joints=[name])
    with pytest.raises(InputError, match="quaternion"):
        PID(am.example("hslm"), [0.0] * 6, 1.0, joints=["platform"])


# -- the machine of chapter 8 --------------------------------------------------------------------

LEVEL = 1 / np.sqrt(3) - 0.15
GAINS = case("000_hslm").problem["controller"]


def setpoints(y: float, both: bool = True, digits: int | None = None) -> dict[str, float]:
    """Of slides and second turns for the platform at the height y."""
    length, lean = np.hypot(LEVEL, 1 - y), np.arctan2(1 - y, LEVEL)
    if digits is not None:
        length, lean = round(length, digits), round(lean, digits)
    wanted = {f"rod{k}.dx": length for k in (1, 2, 3)}
    return wanted | ({f"foot{k}.rz": lean for k in (1, 2, 3)} if both else {})


@pytest.fixture(scope="module")
def machine():
    return am.example("hslm")


@pytest.mark.parametrize(
    "name, y, both",
    [("hold", 0.0, True), ("up025", 0.25, True), ("up025_slides_only", 0.25, False)],
)
def test_pid_runs_of_chapter_8(machine, name, y, both):
    """The first 0.1 s of the recorded closed-loop runs, every leg alike."""
    data = table(f"000_hslm_{name}_moving")
    sums = [data["int_eL"][0]] * 3 + ([data["int_e2"][0]] * 3 if both else [])
    part = PID(machine, setpoints(y, both), GAINS["kp"], GAINS["ki"], GAINS["kd"], integral=sums)
    q0 = machine.initial
    first = part.force(0.0, list(q0), [0.0] * 21, sums, [0.0] * 21)
    labels = machine.v_labels
    assert first[labels.index("rod2.dx")] == pytest.approx(data["F_slide"][0], rel=1e-8, abs=1e-8)
    q, v, z = run(machine, part, q0, np.zeros(21), 0.1, 2.5e-3)
    row = 1  # t = 0.1
    # the platform stays level: its y velocity is the world's
    assert q[5] == pytest.approx(data["platform_y"][row], abs=1e-8)
    assert v[4] == pytest.approx(data["platform_vy"][row], abs=2e-7)
    tau = part.force(0.1, list(q), list(v), list(z), [0.0] * 21)
    for k in (1, 2, 3):
        at = labels.index(f"rod{k}.dx")
        assert tau[at] == pytest.approx(data["F_slide"][row], abs=1e-5)
    np.testing.assert_allclose(z[:3], data["int_eL"][row], atol=1e-8)


def test_exact_setpoints_agree(machine):
    """A48: six set-points for three freedoms, from one closed configuration."""
    for y in (0.0, 0.25):
        report = check_setpoints(machine, setpoints(y))
        assert report.consistent, str(report)
        assert (report.redundant, report.freedom) == (3, 0)
        np.testing.assert_allclose(machine.pose(report.q, "platform")[1], [0, y, 0], atol=1e-8)
    alone = check_setpoints(machine, setpoints(0.25, both=False))
    assert alone.consistent and alone.redundant == 0
    rough = check_setpoints(machine, setpoints(0.25, both=False, digits=2))
    assert rough.consistent  # as many as freedoms: never a contradiction


def test_rounded_setpoints_contradict_each_other(machine):
    """A49: "not being accurately enough specified, leading to slight contradictions"."""
    digits = 3
    wanted = setpoints(0.25, digits=digits)
    part = PID(machine, wanted, GAINS["kp"], GAINS["ki"], GAINS["kd"])
    report = check_setpoints(machine, part)
    assert not report.consistent and report.redundant == 3
    assert 0 < np.abs(report.contradiction).max() < 10.0**-digits
    np.testing.assert_allclose(report.growth, GAINS["ki"] * report.contradiction)
    assert "CONTRADICTORY" in str(report) and "rod1.dx" in str(report)
    # one freedom y of equal legs: what is left is at right angles to the way (dL, dlean)/dy
    drop = 1 - machine.pose(report.q, "platform")[1][1]
    L2 = LEVEL**2 + drop**2
    along = np.array([-drop / np.sqrt(L2), -LEVEL / L2])
    assert report.contradiction[[0, 3]] @ along == pytest.approx(0.0, abs=1e-12)
    exact = setpoints(0.25)
    off = np.array([wanted[name] - exact[name] for name in ("rod1.dx", "foot1.rz")])
    unit = along / np.linalg.norm(along)
    np.testing.assert_allclose(report.contradiction[[0, 3]], off - unit * (unit @ off), atol=1e-6)


def test_the_forces_grow_as_foretold(machine):
    """At rest in the nearest place nothing moves, yet the forces of the integrals grow evenly and
    cancel each other along the free motion."""
    part = PID(machine, setpoints(0.25, digits=3), 800.0, 1000.0, 50.0)
    report = check_setpoints(machine, part)
    rest = [0.0] * machine.nv
    z = np.zeros(6)
    start = np.array(part.force(0, list(report.q), rest, list(z), rest))
    z = z + 2.0 * np.array(part.rate(0, list(report.q), rest, list(z), rest))
    later = np.array(part.force(0, list(report.q), rest, list(z), rest))
    np.testing.assert_allclose((later - start)[part.entries], 2.0 * report.growth, atol=1e-9)
    push = machine.holding_forces(report.q, ["rod1.dx", "rod2.dx", "rod3.dx"]).tau
    a = machine.forward_dynamics(report.q, rest, push + (later - start))
    np.testing.assert_allclose(a, 0, atol=1e-7)


# -- controllers that know the mechanism ---------------------------------------------------------


@pytest.mark.parametrize("name", ["stanford", "six-r", "two-link"])
def test_gravity_compensation_holds(name):
    arm = am.example(name)
    part = GravityCompensation(arm)
    for seed in range(3):
        q = arm.random_state(seed)[0]
        rest = [0.0] * arm.nv
        tau = part.force(0.0, list(q), rest, [], rest)
        np.testing.assert_allclose(arm.forward_dynamics(q, rest, tau), 0, atol=1e-9)


def test_gravity_compensation_of_a_closed_mechanism(machine):
    part = GravityCompensation(machine, actuators=["rod1.dx", "rod2.dx", "rod3.dx"])
    rest = np.zeros(21)
    tau = np.array(part.force(0.0, list(machine.initial), list(rest), [], list(rest)))
    assert set(np.flatnonzero(tau)) == {machine.v_labels.index(f"rod{k}.dx") for k in (1, 2, 3)}
    a = machine.forward_dynamics(machine.initial, rest, tau)
    np.testing.assert_allclose(a, 0, atol=1e-9)


def test_computed_torque_gives_the_commanded_errors():
    """e'' + kd e' + kp e = 0 for every joint, against its closed form, along a motion."""
    arm = am.example("stanford")
    motion = segments(
        [arm.initial, arm.initial + np.array([0.5, -0.3, 0.1, 0.4, 1.0])], [0.6], "quintic"
    )
    kp, kd = 36.0, 12.0  # critical: e = (e0 + (e0' + 6 e0) t) exp(-6 t)
    part = ComputedTorque(arm, motion, kp, kd)
    q0, v0 = (
        arm.initial + np.array([0.1, -0.05, 0.02, 0.1, 0.0]),
        np.array([0.2, 0.0, 0.1, 0.0, -0.3]),
    )
    for t in (0.0, 0.31):  # exactly, as accelerations
        q, v = q0 + 0.1 * t, v0 - t
        wanted = motion(t)
        tau = part.force(t, list(q), list(v), [], [0.0] * 5)
        a = arm.forward_dynamics(q, v, tau)
        expected = wanted.a + kd * (wanted.v - v) + kp * (wanted.q - q)
        np.testing.assert_allclose(a, expected, rtol=1e-10, atol=1e-10)
    q, v, _ = run(arm, part, q0, v0, 0.5, 2e-3)
    e0, rate = motion(0.0).q - q0, motion(0.0).v - v0
    error = (e0 + (rate + 6 * e0) * 0.5) * np.exp(-3.0)
    np.testing.assert_allclose(motion(0.5).q - q, error, atol=1e-8)


def test_computed_torque_with_integral():
    """A constant load is taken over by the integral."""
    arm = am.example("two-link")
    goal = np.array([0.4, -0.7])
    part = Chain(
        Function(lambda t, q, v: [1.5, -0.5]), ComputedTorque(arm, goal, 300.0, 40.0, 600.0)
    )
    assert len(part.states) == 2
    q, *_ = run(arm, part, [0.3, -0.5], [0.0, 0.0], 4.0, 1e-2)
    np.testing.assert_allclose(q, goal, atol=1e-3)
    plain = Chain(part.blocks[0], ComputedTorque(arm, goal, 300.0, 40.0))
    q, *_ = run(arm, plain, [0.3, -0.5], [0.0, 0.0], 2.0, 1e-2)
    assert np.abs(q - goal).max() > 3e-3


def test_computed_torque_turns_a_ball():
    """Quaternion joints: the error is taken on the manifold."""
    b = am.Builder("ball")
    b.body("head", joint="spherical", mass=1.0, com=(0, 0, 0.2), inertia=(0.1, 0.2, 0.15))
    head = b.build()
    goal, first = head.random_state(1)[0], head.random_state(2)[0]
    part = ComputedTorque(head, goal, 100.0, 20.0)
    q, *_ = run(head, part, first, np.zeros(3), 1.5, 5e-3)
    np.testing.assert_allclose(head.difference(q, goal), 0, atol=2e-4)


def test_computed_torque_of_a_closed_mechanism(machine):
    """Three slides move the platform as commanded in one acceleration."""
    slides = ["rod1.dx", "rod2.dx", "rod3.dx"]
    goal = check_setpoints(machine, setpoints(0.1)).q
    part = ComputedTorque(machine, goal, 25.0, 10.0, actuators=slides)
    q, v = machine.initial, np.zeros(21)
    tau = np.array(part.force(0.0, list(q), list(v), [], list(v)))
    assert set(np.flatnonzero(tau)) == {machine.v_labels.index(name) for name in slides}
    a = machine.forward_dynamics(q, v, tau)
    assert a[4] > 0.5  # up, about 25 * 0.1


def test_operational_space_error_dynamics():
    """The hand obeys e'' + kd e' + kp e = 0; what is left of the joints does not disturb it."""
    arm = am.example("six-r")
    frame, q0 = arm.frames[-1], np.array([0.3, -0.9, 0.5, 0.7, -0.8, 0.2])
    _, p = arm.pose(q0, frame)
    motion = line_trajectory(arm, frame, p + np.array([0.05, -0.08, 0.06]), 1.0, q0=q0, places=20)
    part = OperationalSpace(arm, frame, motion, 100.0, 20.0, posture=q0 + 0.3)
    q, v = q0 + 0.02, np.linspace(-0.3, 0.3, 6)
    for t in (0.0, 0.4):
        tau = part.force(t, list(q), list(v), [], [0.0] * 6)
        a = arm.forward_dynamics(q, v, tau)
        twist, push = motion.twist(t)
        rate = arm.velocity(q, v, frame, "world_aligned")[3:]
        error = motion.pose(t)[1] - arm.pose(q, frame)[1]
        expected = push[3:] + 20.0 * (twist[3:] - rate) + 100.0 * error
        found = arm.acceleration(q, v, a, frame, "world_aligned")[3:]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    q, v, _ = run(arm, part, q0, np.zeros(6), 1.0, 5e-3)
    np.testing.assert_allclose(arm.pose(q, frame)[1], motion.pose(1.0)[1], atol=1e-6)


def test_operational_space_with_orientation_and_near_singular():
    arm = am.example("six-r")
    frame, q0 = arm.frames[-1], np.array([0.3, -0.9, 0.5, 0.7, -0.8, 0.2])
    R, p = arm.pose(q0, frame)

    def hold(t):
        return R, p + np.array([0.02, 0.0, 0.01]), np.zeros(6), np.zeros(6)

    part = OperationalSpace(arm, frame, hold, 100.0, 20.0, rows="pose")
    q, *_ = run(arm, part, q0 + 0.05, np.zeros(6), 1.2, 4e-3)
    assert np.abs(part.error(0.0, q)).max() < 1e-3
    still = OperationalSpace(arm, frame, p, 100.0, 20.0)
    tau = still.force(0.0, [0.0] * 6, [0.1] * 6, [], [0.0] * 6)  # stretched
    assert np.isfinite(tau).all()


# -- feed-forward --------------------------------------------------------------------------------


def test_feed_forward_voltages_move_the_arm_as_wanted():
    """B12: voltages of the inverse chain along a motion, put into the motors, open loop."""
    arm = am.example("six-r")
    kt = [m["Kt"] for m in case("001_synthetic_6r").problem["motors"]]
    motors = DCMotor(arm, [am.Motor(1.5, k) for k in kt])
    q0 = np.array([0.2, -1.0, 0.4, 0.3, -0.2, 0.1])
    motion = quintic(q0, q0 + np.array([0.3, 0.2, -0.3, 0.4, 0.2, -0.5]), 0.4)
    part = Chain(FeedForward.along(arm, motion, motors), motors)
    q, v, _ = run(arm, part, q0, np.zeros(6), 0.2, 2e-3)
    np.testing.assert_allclose(q, motion(0.2).q, atol=1e-6)
    np.testing.assert_allclose(v, motion(0.2).v, atol=1e-5)


def test_function_and_its_fault():
    part = Function(lambda t, q, v: -2.0 * v + t, period=0.01)
    assert part.period == 0.01
    assert part.force(1.0, [0.0, 0.0], [1.0, 2.0], [], [0.5, 0.0]) == [-0.5, -3.0]
    batch = part.force(1.0, [np.zeros(3)] * 2, [np.ones(3)] * 2, [], [0.0, 0.0])
    np.testing.assert_array_equal(batch, np.full((2, 3), -1.0))
    with pytest.raises(InputError, match="expected 2 forces"):
        Function(lambda t, q, v: [1.0]).force(0.0, [0.0] * 2, [0.0] * 2, [], [0.0] * 2)
    with pytest.raises(InputError, match="positive time"):
        Function(lambda t, q, v: v, period=0.0)


# -- every kind of scalar, every batch -----------------------------------------------------------


def test_pid_over_floats_columns_and_duals():
    arm = am.example("two-link")
    motion = segments([[0.0, 0.1], [1.0, -0.5], [0.2, 0.2]], [0.5, 0.7])
    part = PID(arm, motion, [30.0, 20.0], 5.0, [3.0, 2.0], limit=8.0)
    rng = np.random.default_rng(0)
    q, v, z, u = rng.normal(size=(4, 2, 50)) * 0.4
    for what in (part.force, part.rate):
        columns = what(0.6, *(list(x) for x in (q, v, z, u)))
        for k in range(50):
            floats = what(0.6, *(list(map(float, x[:, k])) for x in (q, v, z, u)))
            np.testing.assert_allclose([c[k] for c in columns], floats, atol=1e-13)
    free = PID(arm, motion, [30.0, 20.0], 5.0, [3.0, 2.0])
    t = Dual(0.6, 1.0)
    for x in free.force(t, [0.1, 0.2], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]):
        assert isinstance(x, Dual)
    slope = free.force(0.6, [Dual(0.1, 1.0), 0.2], [0.0, Dual(0.3, 1.0)], [0.0, 0.0], [0.0, 0.0])
    assert slope[0].slope == pytest.approx(-30.0) and slope[1].slope == pytest.approx(-2.0)


@pytest.mark.parametrize("kind", ["gravity", "computed", "operational"])
def test_batches_of_model_controllers(kind):
    arm = am.example("six-r")
    frame = arm.frames[-1]
    part = {
        "gravity": lambda: GravityCompensation(arm),
        "computed": lambda: ComputedTorque(arm, np.zeros(6), 9.0, 6.0, 1.0),
        "operational": lambda: OperationalSpace(arm, frame, [0.2, 0.1, 0.5], 9.0, 6.0),
    }[kind]()
    q, v, _ = arm.random_state(0, 4)
    z = np.random.default_rng(1).normal(size=(4, len(part.states)))
    u = [np.zeros(4)] * 6
    for what in (part.force, part.rate):
        columns = what(0.1, list(q.T), list(v.T), list(z.T), u)
        for k in range(4):
            one = what(0.1, list(q[k]), list(v[k]), list(z[k]), [0.0] * 6)
            np.testing.assert_allclose([c[k] for c in columns], one, atol=1e-11)
