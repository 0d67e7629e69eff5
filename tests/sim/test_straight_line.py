"""Inverse kinematics and straight lines of frames: re-traced by forward kinematics, the line of
[QuinnChang1991, 5] as recorded, singular and redundant arms with their reports."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError
from armillary.evaluate.rotation_vectors import rotation_of, rotation_vector
from armillary.sim.motion.line import line_trajectory as line
from armillary.sim.motion.profiles import PROFILES
from seeds.cases import assert_rows, columns, table

FOOT = 0.305
INERTIA = 0.1223743875  # kg m² of a link about its centre


def assert_derivatives(trajectory, times, tolerance=1e-7, h=1e-5):
    """v and a against central differences; at least h away from jumps of the acceleration."""
    there, here, back = (trajectory(times + k * h) for k in (1, 0, -1))
    np.testing.assert_allclose(here.v, (there.q - back.q) / (2 * h), atol=tolerance)
    np.testing.assert_allclose(here.a, (there.v - back.v) / (2 * h), atol=tolerance)


# -- inverse kinematics --------------------------------------------------------------------------


def planar(lengths, axis="z", limits=None):
    b = am.Builder("planar", (0.0, 0.0, 0.0))
    parent, at = "world", 0.0
    for k, length in enumerate(lengths):
        extra = {} if limits is None else {"limits": am.Limits(*limits[k])}
        b.body(f"link{k}", parent, "revolute", (at, 0, 0), axis=axis, mass=1.754,
               com=(length / 2, 0, 0), inertia=(0, INERTIA, INERTIA), **extra)  # fmt: skip
        parent, at = f"link{k}", length
    b.frame("hand", parent, (at, 0, 0))
    return b.build()


def test_pose_of_a_six_joint_arm():
    arm = am.example("six-r")
    frame = arm.frames[-1]
    for seed in range(5):
        there = arm.random_state(seed)[0]
        R, p = arm.pose(there, frame)
        found = arm.inverse_kinematics(frame, (R, p), there + 0.3, restarts=20)
        assert found.converged, str(found)
        R_found, p_found = arm.pose(found.q, frame)
        np.testing.assert_allclose(p_found, p, atol=1e-10)
        np.testing.assert_allclose(R_found, R, atol=1e-10)
        assert (found.rank, found.redundancy) == (6, 0)


def test_out_of_reach_is_reported():
    arm = planar([1.0, 1.0])
    found = arm.inverse_kinematics("hand", [3.0, 0, 0], [0.3, -0.5], rows=("x", "y"))
    assert not found.converged
    assert np.hypot(*found.error) == pytest.approx(1.0, abs=1e-3)  # stretched towards the goal
    assert "not reached" in str(found)


def test_a_singular_place_tells_the_lost_direction():
    arm = planar([1.0, 1.0])
    found = arm.inverse_kinematics("hand", [2.0, 0, 0], [0.0, 0.0], rows=("x", "y"))
    assert found.converged and found.rank == 1
    np.testing.assert_allclose(np.abs(found.lost), [[1.0, 0.0]], atol=1e-12)
    assert "lost direction: +1.000 x" in str(found).replace("-", "+")


def test_limits_are_kept():
    arm = planar([1.0, 1.0, 1.0], limits=[(-2, 2), (-0.2, 0.2), (-2, 2)])
    found = arm.inverse_kinematics("hand", [1.6, 1.2, 0], [0.1, 0.1, 0.1], rows=("x", "y"))
    assert found.converged and abs(found.q[1]) <= 0.2
    narrow = planar([1.0, 1.0], limits=[(-2, 2), (0.0, 0.1)])
    found = narrow.inverse_kinematics("hand", [0.5, 0.5, 0], [0.1, 0.05], rows=("x", "y"))
    assert not found.converged and found.at_limits == ("link1",)


def test_loops_stay_closed():
    """The platform of the high-stiffness machine 0.1 m up and 0.02 m aside."""
    machine = am.example("hslm")
    found = machine.inverse_kinematics("platform", [0.02, 0.1, 0.0])
    assert found.converged, str(found)
    np.testing.assert_allclose(machine.pose(found.q, "platform")[1], [0.02, 0.1, 0], atol=1e-10)
    assert np.abs(machine.constraint_residual(found.q)).max() < 1e-10
    assert (found.rank, found.redundancy) == (3, 0)


def test_rotation_vectors():
    rng = np.random.default_rng(0)
    for angle in (0.0, 1e-9, 1e-4, 1.0, 3.0, np.pi - 1e-5, np.pi):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        R = rotation_of(angle * axis)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
        turn = rotation_vector(R)
        np.testing.assert_allclose(rotation_of(turn), R, atol=1e-9)
        assert np.linalg.norm(turn) == pytest.approx(angle, abs=1e-9)


def test_faults_have_a_text():
    arm = planar([1.0, 1.0])
    with pytest.raises(InputError, match="a rotation, a position or both"):
        arm.inverse_kinematics("hand", (None, None))
    with pytest.raises(ModelError, match="no frame named 'hnd'"):
        arm.inverse_kinematics("hnd", [1, 1, 0])
    with pytest.raises(InputError, match=r"'hand'.*'rz'.*says nothing"):
        arm.inverse_kinematics("hand", [1, 1, 0], rows=("rz",))
    with pytest.raises(InputError, match=r"'hand'.*not orthogonal"):
        arm.inverse_kinematics("hand", (2 * np.eye(3), [1, 1, 0]))
    with pytest.raises(InputError, match="closed"):
        line(am.example("four-bar"), "coupler", [0, 0, 0], 1.0)


# -- the straight line ---------------------------------------------------------------------------


@pytest.mark.parametrize("branch, guess", [("pos", [-0.5, 2.6]), ("neg", [2.1, -2.6])])
def test_the_line_of_document_004(branch, guess):
    """Cosine profile over pi seconds from (1, 1) to (3, 3) ft: q, v, a and torques as recorded."""
    arm = planar([0.915, 0.915])
    rows = ("x", "y")
    first = arm.inverse_kinematics("hand", [FOOT, FOOT, 0], guess, rows=rows)
    motion = line(arm, "hand", [3 * FOOT, 3 * FOOT, 0], np.pi, q0=first.q, rows=rows,
                  profile="cosine")  # fmt: skip
    data = table("004_planar_example_reference")
    q, v, a = motion(np.linspace(0, np.pi, 101))
    for name, values in (("q", q), ("qd", v), ("qdd", a)):
        assert_rows(values, columns(data, f"{name}1_{branch}", f"{name}2_{branch}"), 1e-11)
    heavy = arm.replace(gravity=(0.0, -9.81, 0.0))
    for weight, machine in (("g0", arm), ("g981", heavy)):
        recorded = columns(data, f"tau1_{weight}_{branch}", f"tau2_{weight}_{branch}")
        assert_rows(machine.inverse_dynamics(q, v, a), recorded, 1e-11)
    assert motion.report.followed and motion.report.redundancy == 0
    assert motion.report.deviation < 1e-12


def assert_on_the_line(arm, frame, motion, start, end, profile, atol=1e-9):
    t = np.linspace(motion.start, motion.end, 57)
    q, v, a = motion(t)
    s, first, second = PROFILES[profile](t - motion.start, motion.duration)
    way = np.asarray(end) - start
    for k in range(len(t)):
        np.testing.assert_allclose(arm.pose(q[k], frame)[1], start + s[k] * way, atol=atol)
        rate = arm.velocity(q[k], v[k], frame, "world_aligned")[3:]
        np.testing.assert_allclose(rate, first[k] * way, atol=atol)
        push = arm.acceleration(q[k], v[k], a[k], frame, "world_aligned")[3:]
        np.testing.assert_allclose(push, second[k] * way, atol=10 * atol)
    assert_derivatives(motion, np.linspace(0.05, 0.95, 7) * motion.duration, 2e-6, 1e-4)


@pytest.mark.parametrize("profile", ["quintic", "trapezoid", "cosine"])
def test_line_with_all_rows_is_retraced(profile):
    """A six-joint arm keeps its orientation while the hand moves straight."""
    arm = am.example("six-r")
    frame, q0 = arm.frames[-1], np.array([0.3, -0.9, 0.5, 0.7, -0.8, 0.2])
    R, p = arm.pose(q0, frame)
    end = p + np.array([0.05, -0.08, 0.06])
    motion = line(arm, frame, end, 2.0, q0=q0, rotation=R, profile=profile)
    assert motion.report.followed and motion.report.redundancy == 0
    if profile != "trapezoid":
        assert_on_the_line(arm, frame, motion, p, end, profile)
    for t in np.linspace(0, 2, 23):
        np.testing.assert_allclose(arm.pose(motion(t).q, frame)[0], R, atol=1e-9)
        np.testing.assert_allclose(arm.pose(motion(t).q, frame)[1], motion.pose(t)[1], atol=1e-9)


def test_line_that_turns():
    arm = am.example("six-r")
    frame, q0 = arm.frames[-1], np.array([0.3, -0.9, 0.5, 0.7, -0.8, 0.2])
    R, p = arm.pose(q0, frame)
    goal = rotation_of(np.array([0.3, -0.2, 0.25])) @ R
    motion = line(arm, frame, p - 0.04, 1.0, q0=q0, rotation=goal)
    q, v, a = motion(0.4)
    twist, push = motion.twist(0.4)
    np.testing.assert_allclose(arm.velocity(q, v, frame, "world_aligned"), twist, atol=1e-9)
    found = arm.acceleration(q, v, a, frame, "world_aligned")
    np.testing.assert_allclose(found, push, atol=1e-8)
    np.testing.assert_allclose(arm.pose(motion(1.0).q, frame)[0], goal, atol=1e-10)
    assert_derivatives(motion, np.linspace(0.1, 0.9, 5), 2e-6, 1e-4)


@pytest.mark.parametrize("posture", [None, [0.9, 0.2, -1.5, 0.3]])
def test_redundant_arm(posture):
    """Four joints, two rows: the line is kept, v and a belong to q; told what is left."""
    arm = planar([0.5, 0.5, 0.4, 0.3])
    q0 = np.array([0.4, 0.6, -0.9, 0.5])
    p = arm.pose(q0, "hand")[1]
    end = p + np.array([-0.3, 0.25, 0.0])
    motion = line(arm, "hand", end, 1.5, q0=q0, rows=("x", "y"), posture=posture)
    assert motion.report.redundancy == 2 and motion.report.followed
    assert "2 joints left over" in str(motion.report)
    assert_on_the_line(arm, "hand", motion, p, end, "quintic")
    if posture is not None:
        plain = line(arm, "hand", end, 1.5, q0=q0, rows=("x", "y"))
        gap = [np.linalg.norm(x(1.5).q - posture) for x in (motion, plain)]
        assert gap[0] < gap[1]


def test_singular_places_are_reported():
    """Through the stretched arm's edge the line cannot go on; beside it the arm is only weak."""
    arm = planar([1.0, 1.0])
    q0 = [0.0, 0.5]
    p = arm.pose(q0, "hand")[1]
    far = p * 2.2 / np.linalg.norm(p)
    with pytest.raises(InputError, match="cannot follow"):
        line(arm, "hand", far, 1.0, q0=q0, rows=("x", "y"), places=30)
    motion = line(arm, "hand", far, 1.0, q0=q0, rows=("x", "y"), places=30, strict=False)
    report = motion.report
    assert not report.followed
    assert report.deviation == pytest.approx(0.2 * max(abs(p)) / np.linalg.norm(p), abs=2e-3)
    assert report.worst_at == 1.0 and report.singular
    sample = motion(np.linspace(0, 1, 31))
    assert all(np.isfinite(x).all() for x in sample)
    assert "near singular" in str(report) and "NOT followed" in str(report)

    near = p * 1.99999999 / np.linalg.norm(p)
    weak = line(arm, "hand", near, 1.0, q0=q0, rows=("x", "y")).report
    assert weak.followed and weak.singular and weak.condition > 1e3 and weak.weakest_at == 1.0


def test_rows_that_never_move_do_not_count():
    """All three positions of a planar arm: z cannot move and need not."""
    arm = planar([0.915, 0.915])
    motion = line(arm, "hand", [0.9, 0.9, 0], 1.0, q0=[-0.5, 2.6])
    assert motion.report.followed and motion.report.rank == 2
    np.testing.assert_allclose(np.abs(motion.report.lost), [[0, 0, 1]], atol=1e-12)
    assert motion.report.condition < 100
