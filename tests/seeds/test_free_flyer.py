"""Two planar arms on a free-flying base with a common load, [Yesiloglu2007, section 5.1].

Case 002_dual_arm_free_flyer.  Base, arms and load are open trees of the library; tip forces and
accelerations follow from their M, J and dJ/dt by the equations of the source (2.52, 2.53, 4.29;
errata 2-8, 2-9, 2-35) at every row of the recorded motion.  Also the planar link matrix of 5.1.

Not covered: integrating the 20 s themselves (a constrained simulation); "state at t=20" is asserted
as the last row of the recorded motion only.
"""

import numpy as np
import pytest
from seeds.cases import assert_rows, assert_value, case, columns, constrained, table

import armillary as am

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


def planar(array) -> np.ndarray:
    return array[..., ROWS, :]


def tip_jacobian(arms, q) -> np.ndarray:
    """(B, 6, 9) of both tips, along inertial axes."""
    parts = [planar(arms.jacobian(q, tip, "world_aligned")) for tip in TIPS]
    return np.concatenate(parts, axis=1)


def test_closed_at_the_start():
    """The load's width closes the chain at the given angles, hands facing each other."""
    held = build("held")
    q = np.concatenate([[0, 0, 0], *Q0])
    here, there = held.pose(q, "grip2"), held.pose(q, "tip2")
    np.testing.assert_allclose(here[1], there[1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(here[0][:, 0], -there[0][:, 0], rtol=0, atol=1e-15)


def test_loop_stays_closed(recorded):
    _, q, v = recorded
    held = build("held")
    _, here = held.pose(q, "grip2")
    _, there = held.pose(q, "tip2")
    np.testing.assert_allclose(here, there, rtol=0, atol=2e-9)
    speeds = [planar(held.velocity(q, v, f, "world_aligned")[..., None]) for f in ("grip2", "tip2")]
    np.testing.assert_allclose(speeds[0], speeds[1], rtol=0, atol=2e-9)


def test_momentum_stays_zero(recorded):
    """Internal forces only: linear and angular momentum of the whole are zero at all times."""
    _, q, v = recorded
    momentum = build("held").momentum(q, v)
    by_part = np.abs(build("held").momentum_matrix(q)) @ np.abs(v)[..., None]
    np.testing.assert_allclose(momentum, 0, atol=5e-10 * by_part.max())


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


def test_condition_number_of_the_jacobian(arms, recorded):
    data, q, _ = recorded
    condition = np.linalg.cond(tip_jacobian(arms, q))
    assert_rows(condition[:, None], data["cond_J"][:, None])
    low, high = FLYER["condition number of J over 20 s (min,max)"]
    assert condition.min() == pytest.approx(low, rel=5e-10)
    assert condition.max() == pytest.approx(high, rel=5e-10)


def load_side(arms, q, v):
    """(A, a_c): tip motion from that of the load's centre, V_t = A V_c, dV_t = A dV_c + a_c."""
    A, bias = np.zeros((len(q), 6, 3)), np.zeros((len(q), 6))
    places = [arms.pose(q, tip)[1] for tip in TIPS]
    centre = (places[0] + places[1]) / 2
    w = arms.velocity(q, v, "tip1", "world_aligned")[:, 2]
    for i in range(2):
        x, y = (places[i] - centre)[:, :2].T
        rows = slice(3 * i, 3 * i + 3)
        A[:, rows] = np.eye(3)
        A[:, 3 * i + 1, 0], A[:, 3 * i + 2, 0] = -y, x
        bias[:, 3 * i + 1], bias[:, 3 * i + 2] = -w * w * x, -w * w * y
    return A, bias


def test_tip_forces_and_accelerations(arms, recorded):
    """Omega F = J M^-1 (T - C) + A M_c^-1 b_c - a_c + dJ v (4.29), and (2.53), row by row."""
    data, q, v = recorded
    M, C, T = arms.mass_matrix(q), arms.bias_forces(q, v), drive_torques(data["t"])
    J = tip_jacobian(arms, q)
    still = np.zeros_like(v)
    bend = [planar(arms.acceleration(q, v, still, tip, "world_aligned")[..., None]) for tip in TIPS]
    rate = np.concatenate(bend, axis=1)[..., 0]  # dJ v
    A, a_c = load_side(arms, q, v)
    inverse_M_c = np.diag(1 / np.array([DATA["load"]["inertia"], *[DATA["load"]["mass"]] * 2]))
    forces = columns(data, *(f"F{i}_{x}" for i in (1, 2) for x in ("torque", "x", "y")))
    found, load = [], []
    for k in range(len(q)):
        ready = np.linalg.solve(M[k], J[k].T)
        free = np.linalg.solve(M[k], T[k] - C[k])
        Omega = J[k] @ ready + A[k] @ inverse_M_c @ A[k].T
        F = np.linalg.solve(Omega, J[k] @ free - a_c[k] + rate[k])
        found.append(F)
        a = free - ready @ F
        load.append(inverse_M_c @ A[k].T @ F)
        np.testing.assert_allclose(J[k] @ a + rate[k], A[k] @ load[k] + a_c[k], atol=1e-12)
    # rows of the state with 10 digits: springs and dampers pass 1e-9 of them on to the forces
    assert_rows(np.array(found), forces, 2e-9)


def test_recorded_forces_move_arms_and_load_alike(arms, recorded):
    """Forward dynamics of the tree under the recorded tip forces: both hands accelerate as the
    load does under the opposite forces."""
    data, q, v = recorded
    wrench = np.zeros((2, len(q), 6))
    for i in range(2):
        wrench[i, :, ROWS] = [-data[f"F{i + 1}_{x}"] for x in ("torque", "x", "y")]
    external = {}
    for i, tip in enumerate(TIPS):
        R, _ = arms.pose(q, tip)
        external[tip] = np.concatenate([wrench[i, :, :3], turned_back(R, wrench[i, :, 3:])], axis=1)
    a = arms.forward_dynamics(q, v, drive_torques(data["t"]), external)
    A, a_c = load_side(arms, q, v)
    F = np.concatenate([-wrench[i][:, ROWS] for i in range(2)], axis=1)
    inverse_M_c = 1 / np.array([DATA["load"]["inertia"], *[DATA["load"]["mass"]] * 2])
    load = inverse_M_c * np.einsum("bij,bi->bj", A, F)
    hands = [arms.acceleration(q, v, a, tip, "world_aligned")[:, ROWS] for tip in TIPS]
    expected = np.einsum("bij,bj->bi", A, load) + a_c
    np.testing.assert_allclose(np.concatenate(hands, axis=1), expected, rtol=0, atol=5e-9)


def turned_back(R, vectors) -> np.ndarray:
    return np.einsum("bji,bj->bi", R, vectors)


def test_the_same_by_one_system(recorded):
    """Arms and load as one tree with two roots, tied at both grips: the same tip forces."""
    data, q, v = recorded
    machine = build("apart")
    T = drive_torques(data["t"])
    forces = columns(data, *(f"F{i}_{x}" for i in (1, 2) for x in ("torque", "x", "y")))
    found = []
    chosen = range(0, len(q), 10)
    for k in chosen:
        Q, V = with_load(machine, q[k], v[k])
        J, rate = [], []
        for grip, tip in zip(GRIPS, TIPS, strict=True):
            J.append(planar(machine.jacobian(Q, grip, "world_aligned")
                            - machine.jacobian(Q, tip, "world_aligned")))  # fmt: skip
            rest = [machine.acceleration(Q, V, 0 * V, f, "world_aligned") for f in (grip, tip)]
            rate.append((rest[0] - rest[1])[ROWS])
        force = np.concatenate([T[k], np.zeros(3)]) - machine.bias_forces(Q, V)
        J, rate = np.concatenate(J), np.concatenate(rate)
        found.append(constrained(machine.mass_matrix(Q), force, J, rate)[1])
    assert_rows(np.array(found), forces[list(chosen)], 2e-9)


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


def test_last_row(recorded):
    _, q, v = recorded
    order = [1, 2, 0, *range(3, 9)]  # the case lists x, y before the angle
    state = np.concatenate([q[-1, order], v[-1, order]])
    np.testing.assert_allclose(state, FLYER["state at t=20"], rtol=6e-10)


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
