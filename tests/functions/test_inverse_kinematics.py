"""Inverse kinematics against forward kinematics: poses come from random places, and what is found
is placed by the interpreter, which shares no code with the search."""

from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.tree.kinematics import frame_axes
from robots import robot
from samples import (
    MOVING,
    opposed_axes,
    random_joint,
    random_mass,
    random_model,
    random_pose,
    structured_joint,
    structured_model,
    structured_pose,
)

CLOSE = 2e-10  # rad and m: the tolerance, and rounding of the oracle


def interpreted_pose(mechanism, q, frame):
    numbers = mechanism.interpret(frame_axes, {"q": q.tolist()}, frame=frame).result("pose")
    return np.array(numbers[:9], float).reshape(3, 3), np.array(numbers[9:], float)


def turned(R, S):
    """The angle from R to S, exact for small and large ones."""
    apart = np.linalg.norm(R - S)
    return 2.0 * np.arcsin(min(apart / np.sqrt(8.0), 1.0))


def assert_there(mechanism, q, frame, R, p, close=CLOSE):
    R_found, p_found = interpreted_pose(mechanism, np.asarray(q), frame)
    assert turned(R_found, R) < close
    assert np.linalg.norm(p_found - p) < close


def limits(mechanism):
    rows = []
    for body, slot in zip(mechanism.model.bodies, mechanism.model.slots, strict=True):
        for k, limit in enumerate(body.joint.limits):
            rows.append((slot.q.start + k, limit.lower, limit.upper))
    return rows


# -- arms ----------------------------------------------------------------------------------------


def iiwa():
    """KUKA LBR iiwa 14: seven joints, consecutive axes at right angles, the data sheet's limits."""
    b = am.Builder("iiwa")
    reach = (0.36, 0.0, 0.42, 0.0, 0.4, 0.0, 0.126)
    degrees = (170, 120, 170, 120, 170, 120, 175)
    parent = "world"
    for k, bound in enumerate(degrees):
        b.body(f"link{k}", parent, "revolute", (0, 0, reach[k - 1] if k else 0.0),
               axis="y" if k % 2 else "z", mass=1.0, inertia=(0.1, 0.1, 0.1),
               limits=am.Limits(-np.radians(bound), np.radians(bound)))  # fmt: skip
        parent = f"link{k}"
    b.frame("tip", parent, (0, 0, reach[-1]))
    return b.build()


ARMS = {
    "panda": (lambda: am.load(robot("panda"), base="fixed"), "panda_hand"),
    "ur5": (lambda: am.load(robot("ur5"), base="fixed"), "tool0"),
    "puma560": (lambda: am.example("puma560"), "link6"),
    "iiwa": (iiwa, "tip"),
    "six-r": (lambda: am.example("six-r"), "link6"),
    "stanford": (lambda: am.example("stanford"), "tip"),
}


@cache
def arm_of(name):
    make, frame = ARMS[name]
    return make(), frame


@pytest.mark.parametrize("name", ARMS)
def test_reachable_poses_are_reached(name):
    """From one start, without a hint: 99 of 100 at least (all of these), within the limits."""
    arm, frame = arm_of(name)
    places = arm.random_state(7, 300)[0]
    R, p = arm.pose(places, frame)
    found = arm.inverse_kinematics(frame, (R, p))
    assert found.converged.mean() >= 0.99, found.message
    for k in np.flatnonzero(found.converged)[::5]:
        assert_there(arm, found.q[k], frame, R[k], p[k])
    for i, low, high in limits(arm):
        assert low is None or found.q[:, i].min() >= low
        assert high is None or found.q[:, i].max() <= high
    freely = arm.inverse_kinematics(frame, (R, p), limits=False)
    assert freely.converged.mean() >= 0.99
    for k in np.flatnonzero(freely.converged)[::20]:
        assert_there(arm, freely.q[k], frame, R[k], p[k])


@pytest.mark.parametrize("name", ["panda", "stanford"])
def test_a_batch_gives_the_bits_of_single_poses(name):
    arm, frame = arm_of(name)
    places = arm.random_state(3, 21)[0]
    starts = arm.random_state(4, 21)[0]
    R, p = arm.pose(places, frame)
    found = arm.inverse_kinematics(frame, (R, p), starts)
    shared = arm.compile(threads=2).inverse_kinematics(frame, (R, p), starts)
    np.testing.assert_array_equal(found.q, shared.q)
    for k in range(21):
        one = arm.inverse_kinematics(frame, (R[k], p[k]), starts[k])
        np.testing.assert_array_equal(one.q, found.q[k])
        assert (one.iterations, one.restarts) == (found.iterations[k], found.restarts[k])
        assert found[k].converged is one.converged and found[k].angle == one.angle


def test_the_nearest_place_is_taken():
    """From beside the place a pose came from, that place is found again, to the turn."""
    arm, frame = arm_of("six-r")
    rng = np.random.default_rng(0)
    for seed in range(20):
        q = arm.random_state(seed)[0] + 2.0 * np.pi * rng.integers(-1, 2, arm.nq)
        if np.linalg.svd(arm.jacobian(q, frame))[1][-1] < 0.05:
            continue  # next to a singularity two of them are near
        found = arm.inverse_kinematics(frame, arm.pose(q, frame), q + rng.uniform(-0.02, 0.02, 6))
        np.testing.assert_allclose(found.q, q, atol=1e-8)


# -- joints --------------------------------------------------------------------------------------


def chain(kind, seed, structured):
    """The joint in the middle of an arm with a slide and five turns."""
    rng = np.random.default_rng([seed, MOVING.index(kind)])
    place, options = (
        (structured_pose, structured_joint) if structured else (random_pose, random_joint)
    )
    b = am.Builder(f"chain-{kind}")
    parent = "world"
    kinds = ("revolute", "revolute", "prismatic", kind, "revolute", "revolute", "revolute")
    for k, each in enumerate(kinds):
        b.body(f"body{k}", parent, each, place(rng), mass=random_mass(rng), joint_name=f"joint{k}",
               **options(each, rng))  # fmt: skip
        parent = f"body{k}"
    b.frame("tip", parent, place(rng))
    return b.build()


@pytest.mark.parametrize("structured", [False, True], ids=["random", "right angles"])
@pytest.mark.parametrize("kind", MOVING)
def test_every_type_of_joint(kind, structured):
    mechanism = chain(kind, 1, structured)
    places = mechanism.random_state(2, 24)[0]
    R, p = mechanism.pose(places, "tip")
    found = mechanism.inverse_kinematics("tip", (R, p))
    assert found.converged.all(), found.message
    for k in range(0, 24, 4):
        assert_there(mechanism, found.q[k], "tip", R[k], p[k])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [random_model, structured_model])
def test_trees_of_all_joints(make, seed):
    """Only joints that carry the frame move; free bodies on the world stay where they are."""
    mechanism = am.Mechanism(make(seed, bodies=6))
    q0 = mechanism.random_state(10)[0]
    place = mechanism.random_state(11)[0]
    carrying = np.abs(mechanism.jacobian(place, "tip")).max(axis=0) > 0
    model, target = mechanism.model, q0.copy()
    moving = [
        carrying[slot.v].any() and not (joint.kind == "free" and parent < 0)
        for joint, slot, parent in zip(model.joints, model.slots, model.parents, strict=True)
    ]
    for slot, moves in zip(model.slots, moving, strict=True):
        if moves:
            target[slot.q] = place[slot.q]
    R, p = interpreted_pose(mechanism, target, "tip")
    try:
        found = mechanism.inverse_kinematics("tip", (R, p), q0)
    except am.ArmillaryError as error:
        assert "no joint that may move" in str(error) and not any(moving)
        return
    assert found.converged, found.message
    assert_there(mechanism, found.q, "tip", R, p)
    for slot, moves in zip(model.slots, moving, strict=True):
        if not moves:
            np.testing.assert_array_equal(found.q[slot.q], q0[slot.q])


def test_opposed_axes():
    mechanism = am.Mechanism(opposed_axes())
    for seed in range(20):
        place = mechanism.random_state(seed)[0]
        R, p = interpreted_pose(mechanism, place, "tip")
        found = mechanism.inverse_kinematics("tip", (R, p))
        assert found.converged
        assert_there(mechanism, found.q, "tip", R, p)


# -- hard poses ----------------------------------------------------------------------------------

SINGULAR = {
    "wrist straight": [0.4, -0.6, 0.3, 0.7, 0.0, -0.2],
    "neutral": [0.0] * 6,
    "right angles": [np.pi / 2, -np.pi / 2, np.pi / 2, 0.0, 0.0, np.pi / 2],
}


@pytest.mark.parametrize("place", SINGULAR.values(), ids=SINGULAR)
@pytest.mark.parametrize("name", ["puma560", "six-r"])
def test_poses_at_singular_places(name, place):
    arm, frame = arm_of(name)
    R, p = interpreted_pose(arm, np.array(place), frame)
    found = arm.inverse_kinematics(frame, (R, p), arm.random_state(3)[0], limits=False)
    assert found.converged, found.message
    assert_there(arm, found.q, frame, R, p)


def test_an_arm_stretched_out():
    """At the edge of the room of an arm: the error falls with the square of the angles."""
    arm, frame = arm_of("iiwa")
    place = np.zeros(7)
    R, p = interpreted_pose(arm, place, frame)
    found = arm.inverse_kinematics(frame, (R, p), np.full(7, 0.4))
    assert found.converged, found.message
    assert_there(arm, found.q, frame, R, p)
    assert found.singular_values[-1] < 1e-4 and np.abs(found.q[3]) < 1e-3


def test_the_pose_it_has():
    arm, frame = arm_of("panda")
    q = arm.random_state(5)[0]
    found = arm.inverse_kinematics(frame, arm.pose(q, frame), q)
    assert (found.iterations, found.restarts, found.converged) == (0, 0, True)
    np.testing.assert_array_equal(found.q, q)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.0, -0.8)])
def test_half_a_turn_away(axis):
    """The logarithm of a half turn has two answers; either way leads there."""
    arm, frame = arm_of("panda")
    q = np.array([0.1, 0.2, -0.3, -1.5, 0.2, 1.6, 0.4, 0.0, 0.0])
    R, _ = arm.pose(q, frame)
    n = np.array(axis, float)
    half = 2.0 * np.outer(n, n) - np.eye(3)
    found = arm.inverse_kinematics(frame, (half @ R, None), q, limits=False)
    assert found.converged, found.message
    assert turned(interpreted_pose(arm, found.q, frame)[0], half @ R) < CLOSE
    ball = am.Mechanism(random_model(0, ("spherical",), 1))
    R, _ = interpreted_pose(ball, ball.neutral(), "tip")
    found = ball.inverse_kinematics("tip", (half @ R, None), ball.neutral())
    assert found.converged
    assert turned(interpreted_pose(ball, found.q, "tip")[0], half @ R) < CLOSE


def test_out_of_reach_says_by_how_much():
    """The wrist centre cannot leave the room of the arm: closed form of a straight line."""
    arm, frame = arm_of("iiwa")
    far = [0.0, 0.0, 2.0]
    found = arm.inverse_kinematics(frame, far)
    assert not found.converged
    assert found.distance == pytest.approx(2.0 - (0.36 + 0.42 + 0.4 + 0.126), abs=1e-6)
    assert "'tip' not reached" in found.message and "0.694 m" in found.message
    batch = arm.inverse_kinematics(frame, [far, [0.3, 0.1, 0.8]])
    assert batch.converged.tolist() == [False, True]
    assert batch.distance[0] == pytest.approx(0.694, abs=1e-6)
    assert batch.message == "'tip': 1 of 2 reached; not rows 0"


# -- what is asked -------------------------------------------------------------------------------


def test_forms_of_a_pose():
    """Position alone, rotation alone, a matrix, a quaternion: the same goals."""
    arm, frame = arm_of("puma560")
    R, p = arm.pose(np.array([0.3, -0.8, 0.4, 0.5, -0.6, 0.7]), frame)
    whole = np.eye(4)
    whole[:3, :3], whole[:3, 3] = R, p
    first = arm.inverse_kinematics(frame, (R, p))
    np.testing.assert_array_equal(first.q, arm.inverse_kinematics(frame, whole).q)
    np.testing.assert_array_equal(first.q, arm.inverse_kinematics(frame, (R.tolist(), p)).q)
    # the quaternion (w, x, y, z) of R, from its half angle
    angle = np.arccos((np.trace(R) - 1) / 2)
    n = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (2 * np.sin(angle))
    quaternion = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * n)])
    found = arm.inverse_kinematics(frame, (2.0 * quaternion, p))
    assert_there(arm, found.q, frame, R, p)
    place = arm.inverse_kinematics(frame, p)
    assert place.rows == ("x", "y", "z") and place.redundancy == 3
    assert np.linalg.norm(interpreted_pose(arm, place.q, frame)[1] - p) < CLOSE
    turned_only = arm.inverse_kinematics(frame, (R, None))
    assert turned(interpreted_pose(arm, turned_only.q, frame)[0], R) < CLOSE


def test_chosen_rows():
    """Only what counts is brought there: height and heading along the world's axes."""
    arm, frame = arm_of("puma560")
    R, p = arm.pose(np.array([0.3, -0.8, 0.4, 0.5, -0.6, 0.7]), frame)
    q0 = np.array([0.2, -0.7, 0.5, 0.4, -0.4, 0.6])
    found = arm.inverse_kinematics(frame, (R, p), q0, rows=("z", "rx", "ry", "rz"))
    R_found, p_found = interpreted_pose(arm, found.q, frame)
    assert found.converged and found.rows == ("z", "rx", "ry", "rz")
    assert abs(p_found[2] - p[2]) < CLOSE and turned(R_found, R) < CLOSE
    assert np.linalg.norm(p_found[:2] - p[:2]) > 1e-3
    assert np.abs(found.error).max() < CLOSE


def test_an_axis_that_points():
    arm, frame = arm_of("iiwa")
    for seed in range(5):
        R, p = interpreted_pose(arm, arm.random_state(seed)[0], frame)
        found = arm.inverse_kinematics(frame, (R[:, 2], p), axis=(0, 0, 2))
        assert found.converged, found.message
        R_found, p_found = interpreted_pose(arm, found.q, frame)
        np.testing.assert_allclose(R_found[:, 2], R[:, 2], atol=1e-9)
        assert np.linalg.norm(p_found - p) < CLOSE
    for towards in ((0, 0, -1), (1, 0, 0), (0.6, -0.8, 0)):
        found = arm.inverse_kinematics(frame, (towards, None), axis=(0, 0, 1))
        assert found.converged and found.rows == ("rx", "ry", "rz") and found.rank == 2
        R_found, _ = interpreted_pose(arm, found.q, frame)
        np.testing.assert_allclose(R_found[:, 2], towards, atol=1e-9)
    # opposite to where it points now: any way round will do
    q = np.array([0.1, 0.5, 0.2, -0.9, 0.3, 0.8, 0.0])
    R, _ = arm.pose(q, frame)
    found = arm.inverse_kinematics(frame, (-R[:, 2], None), q, axis=(0, 0, 1), limits=False)
    assert found.converged
    np.testing.assert_allclose(interpreted_pose(arm, found.q, frame)[0][:, 2], -R[:, 2], atol=1e-9)


def test_relative_to_another_frame():
    """One finger of a hand seen from the other: joints that carry both do not move."""
    hand = am.load(robot("allegro"), base="fixed")
    one, two = "link_3.0_tip", "link_7.0_tip"
    q0, place = hand.random_state(1)[0], hand.random_state(2)[0]
    (R1, p1), (R2, p2) = (interpreted_pose(hand, place, f) for f in (one, two))
    wanted = R2.T @ R1, R2.T @ (p1 - p2)
    found = hand.inverse_kinematics(one, wanted, q0, relative_to=two)
    assert found.converged, found.message
    (R1, p1), (R2, p2) = (interpreted_pose(hand, found.q, f) for f in (one, two))
    assert turned(R2.T @ R1, wanted[0]) < CLOSE
    assert np.linalg.norm(R2.T @ (p1 - p2) - wanted[1]) < CLOSE
    moved = [name for name, x, y in zip(hand.q_labels, q0, found.q, strict=True) if x != y]
    assert 4 < len(moved) <= 8


def test_a_free_base_is_held_unless_it_is_named():
    robot_ = am.load(robot("g1"), base="free")
    frame = "right_rubber_hand"
    q0 = robot_.neutral()
    place = robot_.random_state(4)[0]
    place[:7] = q0[:7]
    R, p = interpreted_pose(robot_, place, frame)
    found = robot_.inverse_kinematics(frame, (R, p), q0)
    assert found.converged, found.message
    np.testing.assert_array_equal(found.q[:7], q0[:7])
    assert_there(robot_, found.q, frame, R, p)
    far = p + np.array([3.0, 0, 0])
    assert not robot_.inverse_kinematics(frame, (R, far), q0, restarts=5).converged
    moving = robot_.inverse_kinematics(frame, (R, far), q0, joints=robot_.joint_names)
    assert moving.converged
    assert_there(robot_, moving.q, frame, R, far)
    base = am.Mechanism(random_model(0, ("free",), 1))
    with pytest.raises(am.InputError, match=r"'tip'.*free base is held.*\['joint0'\]"):
        base.inverse_kinematics("tip", [0, 0, 1])
    found = base.inverse_kinematics("tip", (R, p), joints=["joint0"])
    assert_there(base, found.q, "tip", R, p)


def test_joints_that_may_move():
    arm, frame = arm_of("iiwa")
    q0 = np.array([0.2, 0.6, 0.1, -0.9, 0.3, 0.8, 0.0])
    p = interpreted_pose(arm, q0 + np.array([0.3, 0, 0, 0.2, 0, -0.3, 0]), frame)[1]
    names = [arm.joint_names[k] for k in (0, 3, 5)]
    found = arm.inverse_kinematics(frame, p, q0, joints=names)
    assert found.converged
    np.testing.assert_array_equal(found.q[[1, 2, 4, 6]], q0[[1, 2, 4, 6]])
    assert np.linalg.norm(interpreted_pose(arm, found.q, frame)[1] - p) < CLOSE


# -- closed mechanisms ---------------------------------------------------------------------------


@pytest.mark.parametrize("name, frame", [("stewart", None), ("delta", None), ("hslm", "platform")])
def test_constraints_are_kept(name, frame):
    machine = am.example(name)
    frame = frame or next(f for f in machine.frames if "platform" in f)
    q = machine.initial
    p = interpreted_pose(machine, q, frame)[1]
    for shift in ([0.01, 0.02, -0.015], [-0.02, 0.0, 0.03]):
        wanted = p + (np.array(shift) if name != "hslm" else np.array([shift[0], shift[1], 0.0]))
        found = machine.inverse_kinematics(frame, wanted)
        assert found.converged, found.message
        assert np.linalg.norm(interpreted_pose(machine, found.q, frame)[1] - wanted) < CLOSE
        assert np.abs(machine.constraint_residual(found.q)).max() < CLOSE
    beyond = machine.inverse_kinematics(frame, p + np.array([50.0, 0, 0]), restarts=0)
    assert not beyond.converged and "constraints open by" in beyond.message


def test_couplings_beside_the_way_stay_out_of_it():
    """The fingers of the Panda are coupled, but do not carry its hand: they do not move."""
    arm, frame = arm_of("panda")
    q0 = arm.initial
    found = arm.inverse_kinematics(frame, arm.pose(arm.random_state(1)[0], frame), q0)
    assert found.converged and found.redundancy == 1
    np.testing.assert_array_equal(found.q[7:], q0[7:])


# -- without straight-line code ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["six-r", "stanford"])
def test_steps_over_columns_take_the_same_way(name):
    """Where code would be too long: the same policy, and answers that are there."""
    arm, frame = arm_of(name)
    long = arm.compile(budget=1)
    R, p = arm.pose(arm.random_state(8, 12)[0], frame)
    native, columns = (x.inverse_kinematics(frame, (R, p)) for x in (arm, long))
    assert columns.converged.all()
    np.testing.assert_array_equal(columns.restarts, native.restarts)
    assert np.abs(columns.iterations - native.iterations).max() <= 2
    for k in range(12):
        assert_there(arm, columns.q[k], frame, R[k], p[k])
    far = [9.0, 0.0, 0.0]  # the slide of the Stanford arm has no end
    native, columns = (x.inverse_kinematics(frame, far, restarts=2) for x in (arm, long))
    assert native.converged is columns.converged is (name == "stanford")
    assert columns.distance == pytest.approx(native.distance, abs=1e-6)


def test_a_long_chain():
    snake = am.Mechanism(random_model(3, ("revolute",), 60, branching=0.0, roots=0.0))
    R, p = interpreted_pose(snake, snake.random_state(1)[0], "tip")
    found = snake.inverse_kinematics("tip", (R, p))
    assert found.converged, found.message
    assert_there(snake, found.q, "tip", R, p, 1e-9)


# -- what comes in -------------------------------------------------------------------------------


def test_rows_that_are_not_numbers_fail_alone():
    arm, frame = arm_of("six-r")
    R, p = arm.pose(arm.random_state(8, 9)[0], frame)
    clean = arm.inverse_kinematics(frame, (R, p))
    p[4, 1] = np.nan
    R[6] = np.nan
    found = arm.inverse_kinematics(frame, (R, p))
    assert found.converged.tolist() == [k not in (4, 6) for k in range(9)]
    np.testing.assert_array_equal(found.q[found.converged], clean.q[found.converged])
    none = arm.inverse_kinematics(frame, (R[:0], p[:0]))
    assert none.q.shape == (0, 6) and none.converged.shape == (0,)


def test_the_search_is_repeatable():
    arm, frame = arm_of("stanford")
    pose = arm.pose(arm.random_state(12)[0], frame)
    one, again = (arm.inverse_kinematics(frame, pose, seed=3) for _ in range(2))
    np.testing.assert_array_equal(one.q, again.q)


def test_faults_have_a_text():
    arm, frame = arm_of("six-r")
    with pytest.raises(am.ModelError, match="no frame named 'hnd'"):
        arm.inverse_kinematics("hnd", [1, 1, 0])
    for pose, text in (
        ((None, None), "'link6'.*a rotation, a position or both"),
        ([1.0, 2.0], "'link6'.*found shape"),
        ((np.eye(2), [0, 0, 0]), "'link6'.*expected a rotation"),
        ((-np.eye(3), [0, 0, 0]), "'link6'.*right-handed"),
        (([0, 0, 0, 0], [0, 0, 0]), "'link6'.*quaternion is zero"),
        ([np.nan, 0, 0], "'link6'.*not finite"),
    ):
        with pytest.raises(am.InputError, match=text):
            arm.inverse_kinematics(frame, pose)
    for options, text in (
        ({"rows": "orientation"}, "row"),
        ({"rows": ("rx",)}, "'rx'.*says nothing"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"iterations": 0}, "iterations"),
        ({"restarts": -1}, "restarts"),
        ({"axis": (0, 0, 0)}, "axis"),
        ({"joints": ["elbow"]}, "elbow"),
        ({"joints": []}, "no joint that may move"),
        ({"relative_to": "link6"}, "relative to 'link6'"),
        ({"q0": np.zeros(5)}, "q"),
    ):
        with pytest.raises(am.ArmillaryError, match=text):
            arm.inverse_kinematics(frame, [0.1, 0.2, 0.3], **options)
    with pytest.raises(am.InputError, match="different lengths"):
        arm.inverse_kinematics(frame, np.zeros((3, 3)), np.zeros((4, 6)))
    with pytest.raises(am.InputError, match=r"'link6'.*one row of the batch"):
        arm.inverse_kinematics(frame, np.zeros((3, 3)), restarts=0).rank  # noqa: B018
