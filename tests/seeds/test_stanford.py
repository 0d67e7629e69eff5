"""The Stanford arm of [VanDerMerwe1995, sections 4.5, 4.6]: inverse dynamics and closing a tap.

Cases 000_stanford_inverse_dynamics and 000_tap_closing; every recorded value is asserted.

The source keeps frame 2 at joint 2, moving with the link that slides through it; ours sits at the
far end of the slide.  The extra frame "seat" is the source's frame 2 at the tabulated slide.
"""

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.tree.inverse_dynamics import body_forces
from armillary.model.parts import inertia_of
from dense import matrix_of_inertia
from seeds.cases import (
    add_chain,
    assert_rows,
    assert_value,
    case,
    columns,
    gravity,
    serial,
    table,
    transform,
)

STANFORD = case("000_stanford_inverse_dynamics")
TAP = case("000_tap_closing")
Q, V, A = (np.array(STANFORD.problem[name], float) for name in ("q", "qd", "qdd"))
FRAMES = ("link1", "seat", "link3", "link4")  # frames 1 to 4 of the source


@pytest.fixture(scope="module")
def arm() -> am.Mechanism:
    problem = STANFORD.problem
    builder = am.Builder("stanford", gravity(problem))
    add_chain(builder, problem["links"])
    builder.frame("seat", "link2", tuple(-x for x in problem["links"][1]["gamma"][3:]))
    return builder.build()


@pytest.mark.parametrize("how", ["table", "example"])
def test_the_reader_of_tables_gives_the_same_arm(arm, how):
    """Asserted on everything the arm is made of; the arm itself is built part by part above."""
    read = serial("stanford", STANFORD.problem) if how == "table" else am.example("stanford")
    assert read.model.initial == tuple(Q)
    assert [body.name for body in read.model.bodies] == list(arm.bodies)
    for mine, other in zip(arm.model.bodies, read.model.bodies, strict=True):
        assert other.joint == mine.joint
        assert other.at == mine.at
        assert other.mass == mine.mass
    assert read.model.gravity == arm.model.gravity
    assert read.model.frame("tip") == arm.model.frame("tip")


def at_frame(arm, k: int, wrench) -> np.ndarray:
    """The same wrench, from the origin of body k to that of the source's frame."""
    return transform(arm, Q, arm.bodies[k], FRAMES[k]).T @ wrench


# -- section 4.5 ---------------------------------------------------------------------------------


@pytest.mark.parametrize("k", range(4))
def test_spatial_inertias(arm, k):
    """4.38-4.42 (errata 0-16)."""
    body = arm.model.bodies[k]
    X_BF = transform(arm, Q, body.name, FRAMES[k])
    I = X_BF.T @ matrix_of_inertia(inertia_of(body.mass)) @ X_BF
    assert_value(I, STANFORD[f"I_{k + 1} spatial"])
    if k == 0:
        assert_value(I[:3, :3], STANFORD["Ibar_1"])


@pytest.mark.parametrize("k", range(4))
def test_transforms_between_neighbours(arm, k):
    """4.46-4.49."""
    frames = ("world", *FRAMES)
    assert_value(transform(arm, Q, frames[k + 1], frames[k]), STANFORD[f"{k + 1}X{k}"])


@pytest.mark.parametrize("k", range(4))
def test_velocities_and_accelerations(arm, k):
    """4.50-4.53: of the frames' origins, gravity as an upward acceleration (errata 0-14)."""
    R, _ = arm.pose(Q, FRAMES[k])
    felt = arm.acceleration(Q, V, A, FRAMES[k])
    felt[3:] -= R.T @ arm.model.gravity
    assert_value(arm.velocity(Q, V, FRAMES[k]), STANFORD[f"v_{k + 1}"])
    assert_value(felt, STANFORD[f"a_{k + 1}"])
    if FRAMES[k] == arm.bodies[k]:
        forces = arm.body_forces(Q, V, A)
        assert_value(forces.velocity[k], STANFORD[f"v_{k + 1}"])
        assert_value(forces.acceleration_of_origins[k], STANFORD[f"a_{k + 1}"])


@pytest.mark.parametrize("k", range(4))
def test_net_and_transmitted_forces(arm, k):
    """4.54-4.61, compiled and interpreted."""
    forces = arm.body_forces(Q, V, A)
    assert_value(at_frame(arm, k, forces.net[k]), STANFORD[f"F_{k + 1}"])
    assert_value(at_frame(arm, k, forces.transmitted[k]), STANFORD[f"f_{k + 1}"])
    plain = arm.evaluator.interpret(body_forces, {"q": Q, "v": V, "a": A}, fuse=False)
    assert_value(at_frame(arm, k, plain.result("net")[k]), STANFORD[f"F_{k + 1}"])
    assert_value(at_frame(arm, k, plain.result("wrench")[k]), STANFORD[f"f_{k + 1}"])


def test_joint_forces(arm):
    """4.62 and its parts (errata 0-18): gravity, velocity."""
    tau = arm.inverse_dynamics(Q, V, A)
    assert_value(tau, STANFORD["tau"])
    assert_value(tau, STANFORD["tau pinocchio"])
    assert_value(arm.body_forces(Q, V, A).tau, STANFORD["tau"])
    assert_value(arm.gravity_forces(Q), STANFORD["tau gravity part"])
    weightless = arm.replace(gravity=(0.0, 0.0, 0.0))
    assert_value(weightless.bias_forces(Q, V), STANFORD["tau velocity part"])


def test_mass_matrix_and_back_to_accelerations(arm):
    assert_value(arm.mass_matrix(Q), STANFORD["H (pinocchio CRBA)"])
    np.testing.assert_allclose(arm.forward_dynamics(Q, V, STANFORD["tau"]), A, atol=1e-12)


# -- section 4.6: closing a tap ------------------------------------------------------------------


def cubic(q0, q1, duration: float, t):
    """Place, velocity and acceleration from rest to rest; t counts from the start."""
    s = np.asarray(t)[:, None] / duration
    way = q1 - q0
    return (
        q0 + way * (3 * s**2 - 2 * s**3),
        way * (6 * s - 6 * s**2) / duration,
        way * (6 - 12 * s) / duration**2,
    )


def tap_motion(data):
    """The two strokes of the task: 1 s to the tap, then half a turn of the gripper in 0.5 s.

    The instant t = 1 stands in both."""
    engaged = data["tip_moment_x_on_tap"] > 0
    q_tap, q_end = tap_place(), tap_place()
    q_end[4] += np.pi
    approach = cubic(Q, q_tap, 1.0, data["t"][~engaged])
    turning = cubic(q_tap, q_end, 0.5, data["t"][engaged] - 1.0)
    return tuple(np.concatenate(pair) for pair in zip(approach, turning, strict=True))


def tap_place() -> np.ndarray:
    """Inverse kinematics of the tip at (0, 0, 0.5) with the gripper axis straight down.

    The wrist then stands 0.25 m above the tap; joint 1 turns the offset -0.15 and the reach in
    the ground plane to the tap, joint 2 and the slide reach the wrist, joint 3 points down."""
    rise, offset, tool, far = 0.5, 0.15, 0.25, 0.5
    reach = np.sqrt(far**2 - offset**2)
    drop = tool - rise
    yaw = -(np.pi - np.arctan2(reach, offset))
    pitch = np.arctan2(drop, reach)
    return np.array([yaw, pitch, np.hypot(drop, reach), -np.pi / 2 - pitch, np.pi / 2])


def test_place_at_the_tap(arm):
    q = tap_place()
    assert_value(q, TAP["q at tap (solution used)"])
    R, origin = arm.pose(q, "tip")
    np.testing.assert_allclose(origin, [0, 0, 0.5], atol=1e-15)
    np.testing.assert_allclose(R[:, 0], [0, -1, 0], atol=1e-15)
    assert_value(q + np.array([0, 0, 0, 0, np.pi]), TAP["q after turning"])


def test_torques_along_the_task(arm):
    """All 153 rows as one batch; the gripper turns the tap with 5 N m, so -5 N m act on it."""
    data = table("000_tap_closing_reference")
    q, v, a = tap_motion(data)
    for name, values in (("q", q), ("qd", v), ("qdd", a)):
        assert_rows(values, columns(data, *(f"{name}{k}" for k in range(1, 6))), 1e-11)
    wrench = np.zeros((len(q), 6))
    wrench[:, 0] = -data["tip_moment_x_on_tap"]
    tau = arm.inverse_dynamics(q, v, a, external={"tip": wrench})
    assert_rows(tau, columns(data, *(f"tau{k}" for k in range(1, 6))), 1e-11)
    before, after = np.flatnonzero(data["t"] == 1.0)
    assert_value(tau[0], TAP["tau at t=0"])
    assert_value(tau[[before, after]], TAP["tau just before/after engaging (t=1-,1+)"])
    assert_value(tau[-1], TAP["tau at t=1.5"])
