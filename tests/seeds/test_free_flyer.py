"""Two planar arms on a free-flying base with a common load, [Yesiloglu2007, section 5.1].

Case 002_dual_arm_free_flyer.  Base, arms and load are open trees of the library; tip forces and
accelerations follow from their M, J and dJ/dt by the equations of the source (2.52, 2.53, 4.29;
errata 2-8, 2-9, 2-35), and 20 s of them give the recorded motion.  Also the planar link matrix
of 5.1.  Every recorded value is asserted.
"""

import numpy as np
import pytest

import armillary as am
from seeds.cases import (
    assert_rows,
    assert_value,
    case,
    columns,
    constrained,
    in_frame_axes,
    motion,
    table,
)

FLYER = case("002_dual_arm_free_flyer")
DATA = FLYER.problem["synthetic_data"]
Q0 = np.radians([DATA["q_arm1_degrees"], DATA["q_arm2_degrees"]])
FLEXIBLE, ACTUATED = [(0, 0), (1, 1)], [(0, 1), (1, 2)]  # (arm, joint)
ROWS = [2, 3, 4]  # turn about z, x, y: what moves in the plane
TIPS, GRIPS = ("tip1", "tip2"), ("grip1", "grip2")


def build(load: str | None) -> am.Mechanism:
    """The base with its arms.  load: None, "apart" (a body of its own) or "held" (by arm 1)."""
    builder = am.Builder("flyer", gravity=(0.0, 0.0, 0.0))
    base = DATA["base"]
    builder.body("base", joint="planar", mass=base["mass"], inertia=flat(base["inertia"]))
    for i in range(2):
        parent, at = "base", (*base["attachments"][i], 0.0)
        for k, (l, m) in enumerate(zip(DATA["arm"]["lengths"], DATA["arm"]["masses"], strict=True)):
            spring = am.Passive()
            if (i, k) in FLEXIBLE:
                flex = DATA["flexible"]
                spring = am.Passive(viscous=flex["d"], spring=flex["k"], rest=Q0[i, k])
            name = f"arm{i + 1}_link{k + 1}"
            builder.body(name, parent, "revolute", at, axis="z", mass=m, com=(l / 2, 0, 0),
                         inertia=(0.0, m * l**2 / 12, m * l**2 / 12), passive=spring)  # fmt: skip
            parent, at = name, (l, 0.0, 0.0)
        builder.frame(TIPS[i], parent, at)
    load_data, half = DATA["load"], DATA["load"]["width"] / 2
    mass = {"mass": load_data["mass"], "inertia": flat(load_data["inertia"])}
    if load == "apart":
        builder.body("load", joint="planar", **mass)
        builder.frame("grip1", "load", (-half, 0, 0))
        builder.frame("grip2", "load", (half, 0, 0))
    if load == "held":  # the first hand holds the load along its own x axis
        builder.body("load", "arm1_link3", "fixed", (at[0] + half, 0, 0), **mass)
        builder.frame("grip2", "load", (half, 0, 0))
    return builder.build()


def flat(Izz: float) -> tuple[float, float, float]:
    """A thin plate in the plane."""
    return (Izz / 2, Izz / 2, Izz)


@pytest.fixture(scope="module")
def recorded():
    """(table, q, v) of base and arms, in the order of the mechanism: angle, x, y, joints."""
    data = table("002_dual_arm_free_flyer_reference")
    arms = [f"a{i}{{}}{k}" for i in (1, 2) for k in (1, 2, 3)]
    q = columns(data, "base_th", "base_x", "base_y", *(a.format("q") for a in arms))
    v = columns(data, "w", "vx", "vy", *(a.format("qd") for a in arms))
    return data, q, v


@pytest.fixture(scope="module")
def arms() -> am.Mechanism:
    return build(None)


def drive_torques(t) -> np.ndarray:
    """Ramps on the two actuated joints, off after 5 s (the row t = 5 is the left limit)."""
    ramp = DATA["ramp"]
    tau = np.zeros((len(t), 9))
    height = np.where(t <= ramp["zero_after"], ramp["amplitude_at_5s"] * t / 5.0, 0.0)
    for (i, k), sign in zip(ACTUATED, ramp["signs"], strict=True):
        tau[:, 3 + 3 * i + k] = sign * height
    return tau


# -- the load, held by both hands ----------------------------------------------------------------


def load_side(J, v):
    """(A, a_c): tip motion from that of the load's centre, V_t = A V_c, dV_t = A dV_c + a_c.

    The column of the base's turn holds the arms from the base to the tips: (1, -y, x)."""
    A, bias = np.zeros((len(v), 6, 3)), np.zeros((len(v), 6))
    arms = J[:, [[2, 5], [1, 4]], 0] * np.array([[1.0], [-1.0]])  # x, y of both tips
    arms = arms - arms.mean(axis=2, keepdims=True)
    w = v[:, [0, 3, 4, 5]].sum(axis=1)  # the load turns with the first hand
    for i in range(2):
        x, y = arms[:, 0, i], arms[:, 1, i]
        A[:, 3 * i : 3 * i + 3] = np.eye(3)
        A[:, 3 * i + 1, 0], A[:, 3 * i + 2, 0] = -y, x
        bias[:, 3 * i + 1], bias[:, 3 * i + 2] = -w * w * x, -w * w * y
    return A, bias


def tip_jacobian(arms, q) -> np.ndarray:
    """(B, 6, 9) of both tips, along inertial axes."""
    parts = [arms.jacobian(q, tip, "world_aligned")[:, ROWS] for tip in TIPS]
    return np.concatenate(parts, axis=1)


def cooperate(arms, q, v, tau):
    """(a, F, a_load): Omega F = J M^-1 (T - C) - a_c + dJ v (2.52, 4.29), then (2.53).

    F is exerted by the tips, on the load."""
    M, C, J = arms.mass_matrix(q), arms.bias_forces(q, v), tip_jacobian(arms, q)
    still = np.zeros_like(v)
    rate = [arms.acceleration(q, v, still, tip, "world_aligned")[:, ROWS] for tip in TIPS]
    rate = np.concatenate(rate, axis=1)  # dJ v
    A, a_c = load_side(J, v)
    inverse_M_c = np.diag(1 / np.array([DATA["load"]["inertia"], *[DATA["load"]["mass"]] * 2]))
    J_T, A_T = np.swapaxes(J, 1, 2), np.swapaxes(A, 1, 2)
    ready = np.linalg.solve(M, J_T)
    free = np.linalg.solve(M, (tau - C)[..., None])
    Omega = J @ ready + A @ inverse_M_c @ A_T
    F = np.linalg.solve(Omega, J @ free + (rate - a_c)[..., None])
    return (free - ready @ F)[..., 0], F[..., 0], (inverse_M_c @ A_T @ F)[..., 0]


@pytest.fixture(scope="module")
def flight(arms, recorded):
    """(q, v) at the recorded times, integrated from rest; the torques break off at 5 s."""
    t = recorded[0]["t"]
    stop = DATA["ramp"]["zero_after"]

    def rate(on: bool):
        def f(time, x):
            tau = drive_torques(np.array([time])) * on
            a, _, _ = cooperate(arms, x[None, :9], x[None, 9:], tau)
            return np.concatenate([x[9:], a[0]])

        return f

    start = np.concatenate([[0.0] * 3, *Q0, [0.0] * 9])
    driven = motion(rate(True), start, t[t <= stop], 1e-12)
    coasting = motion(rate(False), driven[-1], t[t >= stop], 1e-12)
    x = np.concatenate([driven, coasting[1:]])
    return x[:, :9], x[:, 9:]


def test_closed_at_the_start():
    """The load's width closes the chain at the given angles, hands facing each other."""
    held = build("held")
    q = np.concatenate([[0, 0, 0], *Q0])
    here, there = held.pose(q, "grip2"), held.pose(q, "tip2")
    np.testing.assert_allclose(here[1], there[1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(here[0][:, 0], -there[0][:, 0], rtol=0, atol=1e-15)


def test_motion(flight, recorded):
    """20 s, row by row."""
    _, q, v = recorded
    assert_rows(flight[0], q)
    assert_rows(flight[1], v)
    order = [1, 2, 0, *range(3, 9)]  # the case lists x, y before the angle
    end = np.concatenate([flight[0][-1, order], flight[1][-1, order]])
    np.testing.assert_allclose(end, FLYER["state at t=20"], rtol=0, atol=2e-11)


def test_tip_forces(arms, flight, recorded):
    data, _, _ = recorded
    q, v = flight
    tau = drive_torques(data["t"])
    a, F, load = cooperate(arms, q, v, tau)
    names = [f"F{i}_{x}" for i in (1, 2) for x in ("torque", "x", "y")]
    assert_rows(F, columns(data, *names))
    # the same forces as external wrenches on the tree: hands and load accelerate alike
    external = {}
    for i, tip in enumerate(TIPS):
        wrench = np.zeros((len(q), 6))
        wrench[:, ROWS] = -F[:, 3 * i : 3 * i + 3]
        external[tip] = in_frame_axes(arms, q, tip, wrench)
    pushed = arms.forward_dynamics(q, v, tau, external)
    np.testing.assert_allclose(pushed, a, rtol=0, atol=1e-11)
    A, a_c = load_side(tip_jacobian(arms, q), v)
    hands = [arms.acceleration(q, v, pushed, tip, "world_aligned")[:, ROWS] for tip in TIPS]
    together = np.einsum("bij,bj->bi", A, load) + a_c
    np.testing.assert_allclose(np.concatenate(hands, axis=1), together, rtol=0, atol=1e-11)


def test_the_same_by_one_system(arms, flight, recorded):
    """Arms and load as one tree with two roots, tied at both grips: the same tip forces."""
    data, _, _ = recorded
    machine, T = build("apart"), drive_torques(data["t"])
    for k in range(0, 201, 20):
        q, v = flight[0][k], flight[1][k]
        _, F, _ = cooperate(arms, q[None], v[None], T[k : k + 1])
        Q, V = with_load(machine, q, v)
        J, rate = [], []
        for pair in zip(GRIPS, TIPS, strict=True):
            here, there = (machine.jacobian(Q, f, "world_aligned")[ROWS] for f in pair)
            rest = [machine.acceleration(Q, V, 0 * V, f, "world_aligned")[ROWS] for f in pair]
            J.append(here - there)
            rate.append(rest[0] - rest[1])
        force = np.concatenate([T[k], np.zeros(3)]) - machine.bias_forces(Q, V)
        J, rate = np.concatenate(J), np.concatenate(rate)
        _, f = constrained(machine.mass_matrix(Q), force, J, rate)
        np.testing.assert_allclose(f, F[0], rtol=0, atol=1e-11)


def with_load(machine, q, v):
    """The state of the load from that of the first hand."""
    free = np.concatenate([q, [0.0] * 3])
    R, tip = machine.pose(free, "tip1")
    twist = machine.velocity(free, np.concatenate([v, [0.0] * 3]), "tip1", "world_aligned")
    arm = R[:, 0] * DATA["load"]["width"] / 2
    speed = twist[3:] + np.cross(twist[:3], arm)
    place = tip + arm
    angle = np.arctan2(R[1, 0], R[0, 0])
    return np.concatenate([q, [angle, *place[:2]]]), np.concatenate([v, [twist[2], *speed[:2]]])


def test_condition_number_of_the_jacobian(arms, flight, recorded):
    data, _, _ = recorded
    condition = np.linalg.cond(tip_jacobian(arms, flight[0]))
    assert_rows(condition[:, None], data["cond_J"][:, None])
    low, high = FLYER["condition number of J over 20 s (min,max)"]
    assert condition.min() == pytest.approx(low, rel=5e-11)
    assert condition.max() == pytest.approx(high, rel=5e-11)


# -- momentum and closure of the recorded rows ---------------------------------------------------


def test_loop_stays_closed(recorded):
    """To the 10 digits of the rows."""
    _, q, v = recorded
    held = build("held")
    (_, here), (_, there) = held.pose(q, "grip2"), held.pose(q, "tip2")
    np.testing.assert_allclose(here, there, rtol=0, atol=2e-9)
    speeds = [held.velocity(q, v, f, "world_aligned")[:, ROWS] for f in ("grip2", "tip2")]
    np.testing.assert_allclose(speeds[0], speeds[1], rtol=0, atol=2e-9)


def test_momentum_stays_zero(recorded):
    """Internal forces only: linear and angular momentum of the whole are zero at all times."""
    _, q, v = recorded
    held = build("held")
    parts = np.abs(held.momentum_matrix(q)) @ np.abs(v)[..., None]  # without their signs
    np.testing.assert_allclose(held.momentum(q, v), 0, atol=5e-10 * parts.max())


def test_momentum_is_the_base_row_of_the_mass_matrix(recorded):
    """[angular about the base; linear] = first rows of M v, for a base in the origin."""
    _, q, v = recorded
    held = build("held")
    q = q.copy()
    q[:, :3] = 0.0
    first = np.einsum("bij,bj->bi", held.mass_matrix(q)[:, :3], v)
    momentum = held.momentum(q, v)
    spin = momentum[:, 2] + np.cross(held.center_of_mass(q), momentum[:, 3:])[:, 2]
    together = np.stack([spin, momentum[:, 3], momentum[:, 4]], axis=1)
    np.testing.assert_allclose(first, together, rtol=0, atol=1e-14)


def test_planar_link_matrix():
    """5.1 (errata 2-26): [[I, -m ly/2, m lx/2], ...] with I about the joint."""
    m, l, angle = 1.5, 0.6, 0.7
    builder = am.Builder("link", gravity=(0.0, 0.0, 0.0))
    builder.body("link", joint="planar", mass=m, com=(l / 2, 0, 0),
                 inertia=(0.0, m * l**2 / 12, m * l**2 / 12))  # fmt: skip
    M = builder.build().mass_matrix([angle, 0.3, -0.2])
    lx, ly = l * np.cos(angle), l * np.sin(angle)
    expected = [[m * l**2 / 3, -m * ly / 2, m * lx / 2], [-m * ly / 2, m, 0], [m * lx / 2, 0, m]]
    assert_value(M, expected)
