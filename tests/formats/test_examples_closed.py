"""The built-in mechanisms with loops, gears and wheels: closed where they start, as mobile as they
should be, and with the numbers of their sources."""

import numpy as np
import pytest
from constraint_samples import (
    accelerations,
    body_poses,
    closed,
    constraint_jacobian,
    contact,
    errors,
    motions,
    point_jacobian,
    position_rows,
    rank,
)

import armillary as am
from armillary.errors import InputError, ModelError
from armillary.formats.examples import example_info, example_names
from seeds.cases import Case, table

# name: coordinates nq, nv, rows of the ties, freedoms that they leave, mass
EXPECTED = {
    "four-link-closed": (4, 4, 5, 2, 5.0),
    "two-link-load": (9, 8, 10, 1, 7.0),
    "hslm": (22, 21, 18, 3, 12.5),
    "dual-arm-free-flyer": (9, 9, 6, 6, 20.0 + 2 * 4.3 + 3.0),
    "four-bar": (3, 3, 5, 1, 1.68),
    "slider-crank": (3, 3, 5, 1, 3.5),
    "four-bar-ladder": (9, 9, 20, 1, 9.0),
    "bricard": (5, 5, 5, 1, 5.0),
    "differential": (6, 6, 4, 2, 15.14),
    "stewart": (25, 24, 18, 6, 42.0 + 6 * 7.5),
    "delta": (22, 21, 18, 3, 0.46 + 3 * 1.15 + 6 * 0.11),
    "rolling-disc": (7, 6, 3, 3, 2.0),
    "unicycle": (7, 6, 3, 3, 1.5),
    "two-wheeled-cart": (9, 8, 6, 3, 7.0),
    "rover": (15, 14, 12, 5, 96.0 + 4 * 7.7),
    "bicycle": (10, 9, 6, 3, 94.0),
}


@pytest.fixture(params=EXPECTED, scope="module")
def machine(request) -> am.Mechanism:
    return am.example(request.param)


def test_the_table_is_complete():
    tied = [name for name in example_names() if am.example(name).model.constraints]
    assert set(tied) == set(EXPECTED)


def test_counts(machine):
    J = constraint_jacobian(machine, machine.initial)
    mass = sum(body.mass.mass for body in machine.model.bodies)
    found = (machine.nq, machine.nv, len(J), machine.nv - rank(J))
    *counts, kilograms = EXPECTED[machine.name]
    assert found == tuple(counts)
    assert mass == pytest.approx(kilograms, rel=1e-14)


def test_closed_where_it_starts(machine):
    assert len(machine.model.initial) == machine.nq
    assert abs(errors(machine, machine.initial)).max() < 1e-14


def test_wheels_touch_the_ground(machine):
    """By many points of the rim, not by the formula of the lowest one."""
    poses = body_poses(machine, machine.initial)
    for wheel in machine.model.wheels:
        R, p = poses[wheel.body]
        across = np.linalg.svd(np.array(wheel.axis)[None])[2][1:]
        angles = np.linspace(0, 2 * np.pi, 20001)
        rim = wheel.radius * np.stack([np.cos(angles), np.sin(angles)], axis=1) @ across
        heights = (p + (wheel.center + rim) @ R.T)[:, 2]
        assert -1e-15 < heights.min() < 1e-7


def test_jacobian_is_the_derivative_of_the_errors(machine):
    """The oracle itself: along its motions the ties open in second order only."""
    q, step = machine.initial, 1e-5
    J = position_rows(machine, q)
    for v in motions(J).T:
        assert abs(errors(machine, machine.integrate(q, step * v))).max() < 20 * step**2
    for row in J[abs(J).max(axis=1) > 1e-9]:
        v = row / np.linalg.norm(row)
        assert abs(errors(machine, machine.integrate(q, step * v))).max() > 0.01 * step


def test_it_moves_on_and_keeps_its_freedoms(machine):
    """Small steps one way, closed again each time.  The rover may not steer at random."""
    way, q = np.random.default_rng(5).normal(size=machine.nv), machine.initial
    freedoms = EXPECTED[machine.name][3]
    steer = [k for k, label in enumerate(machine.v_labels) if label.endswith("steer")]
    held = steer if machine.name == "rover" else []
    for _ in range(4):
        J = np.concatenate([constraint_jacobian(machine, q), np.eye(machine.nv)[held]])
        N = motions(J)
        step = N @ N.T @ way
        q = closed(machine, machine.integrate(q, 0.05 * step / np.linalg.norm(step)), held)
        assert abs(errors(machine, q)).max() < 1e-12
        assert machine.nv - rank(constraint_jacobian(machine, q)) == freedoms
    assert abs(machine.difference(machine.initial, q)).max() > 0.01


# -- options -------------------------------------------------------------------------------------


def test_an_unknown_option_names_the_known_ones():
    with pytest.raises(InputError, match="four-bar-ladder': unknown option 'm'; it knows n"):
        am.example("four-bar-ladder", m=3)
    with pytest.raises(InputError, match="'stanford': unknown option 'n'; it has none"):
        am.example("stanford", n=3)
    with pytest.raises(ModelError, match="Did you mean 'four-bar'"):
        am.example("fourbar")


@pytest.mark.parametrize("n", [0, -1, 2.0, "3", True])
def test_an_impossible_ladder(n):
    with pytest.raises(InputError, match="number of windows"):
        am.example("four-bar-ladder", n=n)


def test_options_are_told():
    assert [name for name in example_names() if example_info(name).options] == ["four-bar-ladder"]


# -- linkages ------------------------------------------------------------------------------------


def test_the_crank_of_the_four_bar_turns_fully_and_the_rocker_does_not():
    linkage = am.example("four-bar")
    q, rocker = linkage.initial, []
    for angle in np.linspace(0, 2 * np.pi, 73) + q[0]:
        q = closed(linkage, np.array([angle, *q[1:]]), held=[0])
        assert abs(errors(linkage, q)).max() < 1e-12
        rocker.append(q[2])
    assert rocker[-1] == pytest.approx(rocker[0], abs=1e-12)
    assert 0.3 < np.ptp(rocker) < 2.0


def test_four_bar_has_full_tensors():
    for body in am.example("four-bar").model.bodies:
        assert all(body.mass.tensor) and all(body.mass.com)


def test_slider_crank_in_closed_form():
    linkage = am.example("slider-crank")
    q = linkage.initial
    for angle in np.linspace(0, 2 * np.pi, 37) + q[0]:
        q = closed(linkage, np.array([angle, *q[1:]]), held=[0])
        rise = 0.008 - 0.045 * np.sin(angle)
        way = 0.045 * np.cos(angle) + np.sqrt(0.150**2 - rise**2)
        assert q[2] == pytest.approx(way, abs=1e-13)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_the_ladder_is_singular_on_the_ground(n):
    ladder = am.example("four-bar-ladder", n=n)
    assert ladder.nv == 2 * n + 1
    assert ladder.nv - rank(constraint_jacobian(ladder, ladder.initial)) == 1
    flat = np.array([np.pi / 2 if "rod" in name else -np.pi / 2 for name in ladder.joints])
    assert abs(errors(ladder, flat)).max() < 1e-14
    assert ladder.nv - rank(constraint_jacobian(ladder, flat)) == n + 1
    depth = {"world": 0}
    for body in ladder.model.bodies:
        depth[body.name] = depth[body.parent] + 1
    assert max(depth.values()) == 2


def test_a_long_ladder():
    ladder = am.example("four-bar-ladder", n=40)
    assert (ladder.nv, len(ladder.model.loops)) == (81, 40)


def test_bricard_goes_round():
    """From the cube once round the curve of its positions, with one freedom all the way; each is
    an exact solution of more equations than unknowns."""
    loop = am.example("bricard")
    q, before = loop.initial, np.array([-1.0, 0, 0, 0, 0])
    heights, away = [], []
    for _ in range(430):
        (step,) = motions(constraint_jacobian(loop, q)).T
        step = step * np.sign(step @ before)
        q, before = closed(loop, loop.integrate(q, 0.05 * step)), step
        assert abs(errors(loop, q)).max() < 1e-12
        heights.append(loop.center_of_mass(q)[1])
        away.append(abs(np.angle(np.exp(1j * q))).max())
    assert min(heights) == pytest.approx(-0.6928, abs=1e-4)  # 0.4 sqrt(3)
    assert max(heights) == pytest.approx(0.6928, abs=1e-4)
    assert max(away[50:380]) > 3.0 and min(away[50:380]) > 0.1
    assert min(away[380:]) < 0.05  # at the cube again


def test_another_loop_of_six_pins_is_rigid():
    """The last pin of the Bricard mechanism moved by 2 cm: it cannot be closed near the cube."""
    loop = am.example("bricard")
    b = am.Builder("rigid")
    for body in loop.model.bodies:
        b.add(body)
    (tie,) = loop.model.loops
    moved = am.Frame("moved", "world", am.Pose((0.0, 0.02, 1.0)))
    b.loop("pin6", moved, tie.second, tie.joint)
    rigid = b.build()
    assert abs(errors(rigid, closed(rigid, loop.initial))).max() > 1e-4


def test_differential_gears_share_their_velocities():
    """Where two pitch circles touch, both gears move alike; a side gear is half the sum."""
    gears = am.example("differential")
    q = gears.initial.copy()
    q[1] = 0.0  # the housing's x axis along the world's
    touch = [
        ("pinion", "housing", (-0.10, 0.10 * 10 / 41, 0.0)),
        ("spider1", "left", (0.032, 0.02, 0.0)),
        ("spider1", "right", (0.032, -0.02, 0.0)),
        ("spider2", "left", (-0.032, 0.02, 0.0)),
        ("spider2", "right", (-0.032, -0.02, 0.0)),
    ]
    for v in motions(constraint_jacobian(gears, q)).T:
        for one, other, point in touch:
            here, there = (point_jacobian(gears, q, g, np.array(point)) @ v for g in (one, other))
            np.testing.assert_allclose(here[3:], there[3:], atol=1e-15)
        spin = {g: gears.jacobian(q, g, "world_aligned")[1] @ v for g in gears.bodies}
        assert spin["left"] + spin["right"] == pytest.approx(2 * spin["housing"], abs=1e-15)


# -- parallel robots -----------------------------------------------------------------------------


def test_the_delta_platform_stays_level():
    robot = am.example("delta")
    q = robot.initial
    N = motions(constraint_jacobian(robot, q))
    twist = robot.jacobian(q, "platform") @ N
    np.testing.assert_allclose(twist[:3], 0, atol=1e-14)
    assert np.linalg.cond(twist[3:]) < 5
    arms = [k for k, label in enumerate(robot.v_labels) if label.startswith("arm")]
    assert np.linalg.cond(N[arms]) < 10  # the motors move it
    for k in (1, 2, 3):
        (R, _), (S, _) = (robot.pose(q, f"rod{k}{side}") for side in "ab")
        np.testing.assert_allclose(R, S, atol=1e-15)
        assert robot.pose(q, f"rod{k}a")[1][2] < 0.05  # elbows outward, not above the motors


def test_the_legs_of_the_stewart_platform_move_it():
    robot = am.example("stewart")
    N = motions(constraint_jacobian(robot, robot.initial))
    slides = [k for k, label in enumerate(robot.v_labels) if label.startswith("piston")]
    assert np.linalg.cond(N[slides]) < 40
    for k, limit in (
        (k, b.joint.limits[0]) for k, b in enumerate(robot.model.bodies) if b.joint.limits
    ):
        length = robot.initial[robot.model.slots[k].q][0]
        assert limit.lower < length < limit.upper


# -- the documents' own --------------------------------------------------------------------------


def test_four_link_closed_starts_as_recorded():
    chain, case = am.example("four-link-closed"), Case("000_four_link_closed")
    np.testing.assert_allclose(chain.mass_matrix(chain.initial), case["H_4"], rtol=1e-12)
    np.testing.assert_allclose(chain.bias_forces(chain.initial, np.zeros(4)), case["Gamma_bias"])
    a, f = accelerations(chain, chain.initial)
    np.testing.assert_allclose(a, np.array([0, 200, -200, -200]) / 19, atol=1e-12)
    assert -f[4] == pytest.approx(case["f (6th component)"], rel=1e-11)  # by the tip
    assert all(body.joint.passive[0].viscous == 0.25 for body in chain.model.bodies)


def test_two_link_load_starts_as_recorded():
    machine, case = am.example("two-link-load"), Case("000_two_link_suspended_load")
    a, f = accelerations(machine, machine.initial)
    np.testing.assert_allclose(a[:6], case["a_r"], atol=1e-10)
    np.testing.assert_allclose(a[6:], np.tile(case["qdd_k"], 2), rtol=1e-11)
    tips = case["true tip forces on the reference member (tip frame, minimum norm)"]
    for k in range(2):
        np.testing.assert_allclose(f[5 * k + 2 : 5 * k + 5], tips[k][3:], atol=1e-10)


def test_hslm_starts_as_recorded():
    machine, case = am.example("hslm"), Case("000_hslm")
    for k, chain in enumerate(case.problem["chains"], start=1):
        base = machine.model.body(f"rod{k}").at.position
        np.testing.assert_allclose(base, chain["base_position_inferred"], atol=1e-12)
        grip = machine.model.frame(f"grip{k}").pose.position
        np.testing.assert_allclose(grip, chain["p_k_consistent"], atol=1e-12)
    a, _ = accelerations(machine, machine.initial)
    down = case["reference member downward acceleration, no joint forces"]
    np.testing.assert_allclose(a[:6], [0, 0, 0, 0, -down, 0], atol=1e-10)
    legs = case["joint accelerations, no joint forces"]
    np.testing.assert_allclose(a[6:].reshape(3, 5), [legs] * 3, atol=1e-10)


def test_free_flyer_along_the_recorded_motion():
    """The recorded rows keep the grasp closed and the momentum zero; springs rest at the start."""
    flyer, data = am.example("dual-arm-free-flyer"), table("002_dual_arm_free_flyer_reference")
    names = [f"a{i}{{}}{k}" for i in (1, 2) for k in (1, 2, 3)]
    q = [data[c] for c in ("base_th", "base_x", "base_y", *(n.format("q") for n in names))]
    v = [data[c] for c in ("w", "vx", "vy", *(n.format("qd") for n in names))]
    q, v = np.array(q).T, np.array(v).T
    np.testing.assert_allclose(flyer.initial, q[0], atol=1e-10)
    for k in range(0, len(q), 25):
        assert abs(errors(flyer, q[k])).max() < 2e-9
        assert abs(constraint_jacobian(flyer, q[k]) @ v[k]).max() < 2e-9
        assert abs(flyer.momentum(q[k], v[k])).max() < 1e-8
    np.testing.assert_allclose(flyer.bias_forces(flyer.initial, np.zeros(9)), 0, atol=1e-14)
    sprung = [body.name for body in flyer.model.bodies if body.joint.passive]
    assert sprung == ["arm1-link1", "arm2-link2"]
    width = Case("002_dual_arm_free_flyer").problem["synthetic_data"]["load"]["width"]
    assert 2 * flyer.model.frame("grip").pose.position[0] == pytest.approx(width, abs=1e-12)


CART = {  # torques: along y, yaw, pitch of the axle (case 002_wheeled_systems)
    (1.0, 1.0): (-0.821917808219, 0.0, -100.0),
    (1.0, -1.0): (0.0, 2.62008733624, 0.0),
    (1.0, 0.4): (-0.575342465753, 0.786026200873, -70.0),
}


@pytest.mark.parametrize("torques", CART)
def test_cart_accelerates_as_recorded(torques):
    cart = am.example("two-wheeled-cart")
    a, f = accelerations(cart, cart.initial, [0.0] * 6 + list(torques))
    np.testing.assert_allclose([a[4], a[2], a[0]], CART[torques], rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(f[:2], 34.335, rtol=1e-12)  # the ground carries the weight


def test_rover_turns_about_one_centre():
    """Steering held, one motion is left: about a point 1.7 m to the left, at the same height."""
    rover = am.example("rover")
    q = rover.initial.copy()
    legs = [k for k, label in enumerate(rover.q_labels) if label.endswith("steer")]
    q[legs] = [np.arctan(x / (1.7 - y)) for x in (0.5, -0.5) for y in (0.4, -0.4)]
    steer = [k for k, label in enumerate(rover.v_labels) if label.endswith("steer")]
    J = np.concatenate([constraint_jacobian(rover, q), np.eye(rover.nv)[steer]])
    (v,) = motions(J).T
    R, p = rover.pose(q, "chassis")
    J = point_jacobian(rover, q, "chassis", p + R @ [0.0, 1.7, 0.0])
    np.testing.assert_allclose((J @ v)[[0, 1, 3, 4, 5]], 0, atol=1e-14)
    assert abs((J @ v)[2]) > 0.01


# -- the benchmark bicycle -----------------------------------------------------------------------


def test_bicycle_geometry():
    """Wheelbase, trail and tilt as in the table."""
    bicycle = am.example("bicycle")
    poses = body_poses(bicycle, bicycle.initial)
    rear, front = (contact(poses, wheel)[1] for wheel in bicycle.model.wheels)
    np.testing.assert_allclose(rear, 0, atol=1e-15)
    np.testing.assert_allclose(front, [1.02, 0, 0], atol=1e-15)
    fork = bicycle.model.body("fork")
    R, head = poses["fork"]
    axis = R @ np.array(fork.joint.axes[0])
    ground = head - axis * head[2] / axis[2]
    np.testing.assert_allclose(ground, [1.10, 0, 0], atol=1e-15)
    assert np.arctan2(-axis[0], axis[2]) == pytest.approx(np.pi / 10, abs=1e-15)
    np.testing.assert_allclose(bicycle.center_of_mass(bicycle.initial)[1], 0, atol=1e-15)


def lean_and_steer(bicycle):
    """(9, 2): lean to the right and steer to the *right* at rest, as the paper counts."""
    labels = list(bicycle.v_labels)
    lean, steer, roll = (labels.index(n) for n in ("rear-frame.wx", "steer", "rear-wheel"))
    N = motions(constraint_jacobian(bicycle, bicycle.initial))
    return (N @ np.linalg.inv(N[[lean, steer, roll]]))[:, :2] * [1.0, -1.0]


def test_bicycle_has_the_published_mass_matrix():
    """[Meijaard2007, 5.1]: M of lean and steer, to the last of 14 digits."""
    bicycle = am.example("bicycle")
    B = lean_and_steer(bicycle)
    published = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]
    M = B.T @ bicycle.mass_matrix(bicycle.initial) @ B
    np.testing.assert_allclose(M, published, rtol=1e-13)


def test_bicycle_has_the_published_stiffness():
    """[Meijaard2007, 5.2]: 9.81 K0 is the second derivative of the potential energy."""
    bicycle = am.example("bicycle")
    B, step = lean_and_steer(bicycle), 1e-3
    labels = list(bicycle.v_labels)
    held = [labels.index(n) for n in ("rear-frame.wx", "steer", "rear-wheel")]

    def height(lean, steer):
        q = bicycle.integrate(bicycle.initial, step * (B @ [lean, steer]))
        return bicycle.energy(closed(bicycle, q, held), np.zeros(9))[1]

    K = [[0.0, 0.0], [0.0, 0.0]]
    for i, e in enumerate(np.eye(2)):
        for j, d in enumerate(np.eye(2)):
            K[i][j] = sum(s * t * height(*(s * e + t * d)) for s in (1, -1) for t in (1, -1))
    K0 = np.array(K) / (4 * step**2) / 9.81
    published = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]
    np.testing.assert_allclose(K0, published, rtol=2e-5)
