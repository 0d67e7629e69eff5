"""Transforms, 4x4 matrices, quaternions, wrenches at other points, inertias and joint spaces.

Laws tie them to velocities, powers, energies and reactions, which other code computes."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armillary as am
import samples
from compare import close


@pytest.fixture(scope="module", params=["all-joints", "right-angles"])
def tree(request) -> am.Mechanism:
    if request.param == "right-angles":
        return am.Mechanism(samples.structured_model(3))
    return am.Mechanism(samples.random_model(7, samples.KINDS, bodies=11))


def states(tree, count: int = 4):
    q, v, a = zip(*(samples.random_state(tree.model, k) for k in range(count)), strict=True)
    return np.array(q), np.array(v), np.array(a)


def test_motions_between_frames_of_one_body(tree):
    """The velocity of a body, seen from two frames fixed to it."""
    q, v, _ = states(tree)
    frame = next(f for f in tree.frames if f not in tree.bodies and f != "world")
    body = tree.model.frame(frame).body
    X = tree.transform(q, frame, body)
    found = (X @ tree.velocity(q, v, body)[..., None])[..., 0]
    close(found, tree.velocity(q, v, frame), 1e-13)
    back = tree.transform(q, body, frame)
    close(X @ back, np.broadcast_to(np.eye(6), X.shape), 1e-13)
    close(tree.transform(q[0], frame, body), X[0], 1e-15)


def test_wrenches_keep_their_power(tree):
    q, v, _ = states(tree)
    one, two = tree.bodies[1], tree.bodies[-1]
    wrench = np.random.default_rng(1).normal(size=(len(q), 6))
    moved = tree.wrench_at(q, wrench, one, two)
    # of a motion that both frames share: that of body `one`
    motion = tree.velocity(q, v, one)
    seen = (tree.transform(q, two, one) @ motion[..., None])[..., 0]
    close(np.sum(moved * seen, axis=1), np.sum(wrench * motion, axis=1), 1e-12)
    force = tree.transform(q, two, one, kind="force")
    close(np.swapaxes(force, 1, 2) @ tree.transform(q, two, one),
          np.broadcast_to(np.eye(6), force.shape), 1e-12)  # fmt: skip


def test_a_wrench_about_a_point_along_the_world_s_axes(tree):
    """n + r × f, by hand."""
    q = states(tree)[0][0]
    (R, p), (_, o) = tree.pose(q, tree.bodies[2]), tree.pose(q, "tip")
    n, f = np.array([1.0, -2.0, 0.5]), np.array([3.0, 0.2, -1.0])
    found = tree.wrench_at(q, [*n, *f], tree.bodies[2], "tip", axes="world")
    close(found, [*(R @ n + np.cross(p - o, R @ f)), *(R @ f)], 1e-13)


def test_matrices_and_quaternions(tree):
    q = states(tree)[0]
    A, B = tree.bodies[1], tree.bodies[-1]
    T = tree.homogeneous(q, A) @ tree.homogeneous(q, B, of=A)
    close(T, tree.homogeneous(q, B), 1e-13)
    R, p = tree.pose(q, B)
    close(T[:, :3, :3], R, 1e-13)
    close(T[:, :3, 3], p, 1e-13)
    close(T[:, 3], np.broadcast_to([0, 0, 0, 1.0], (len(q), 4)), 1e-15)
    for name in tree.bodies:
        found = tree.quaternion(q, name)
        assert found.shape == (len(q), 4) and (found[:, 0] >= 0).all()
        close(Rotation.from_quat(np.roll(found, -1, axis=1)).as_matrix(), tree.pose(q, name)[0],
              1e-14)  # fmt: skip
        close(tree.quaternion(q[0], name), found[0], 1e-15)


@pytest.mark.parametrize("axis", range(3))
def test_quaternions_of_half_turns(axis):
    b = am.Builder("half")
    b.body("arm", axis="xyz"[axis], mass=1.0, inertia=(1, 1, 1))
    found = b.build().quaternion([np.pi], "arm")
    expected = np.zeros(4)
    expected[1 + axis] = 1.0
    close(np.abs(found), expected, 1e-15)


def test_inertias_give_the_kinetic_energy(tree):
    """½ V^T I V of all bodies; the same in another frame."""
    q, v, _ = states(tree)
    total, moved = np.zeros(len(q)), np.zeros(len(q))
    for body in tree.bodies:
        V = tree.velocity(q, v, body)
        total += 0.5 * np.einsum("bi,ij,bj->b", V, tree.spatial_inertia(body), V)
        W = (tree.transform(q, "world", body) @ V[..., None])[..., 0]
        I = tree.spatial_inertia(body, q, "world")
        moved += 0.5 * np.einsum("bi,bij,bj->b", W, I, W)
    kinetic, _ = tree.energy(q, v)
    close(total, kinetic, 1e-12)
    close(moved, kinetic, 1e-12)


def test_joint_spaces_are_dual_bases(tree):
    """2.12-2.16, and phi q̇ is what the joint adds to the velocity."""
    q, v, a = samples.random_state(tree.model, 5)
    tau = tree.inverse_dynamics(q, v, a, passive=False)
    forces = tree.body_forces(q, v, a, passive=False)
    for k, (body, joint) in enumerate(zip(tree.bodies, tree.joints, strict=True)):
        s, slot = tree.joint_space(q, joint), tree.model.slots[k].v
        both = np.hstack([s.psi, s.psi_c]).T @ np.hstack([s.phi, s.phi_c])
        close(both, np.eye(6), 1e-12, joint)
        parent = tree.model.bodies[k].parent
        before = tree.transform(q, body, parent) @ tree.velocity(q, v, parent)
        close(tree.velocity(q, v, body), before + s.phi @ v[slot], 1e-12, joint)
        f = forces.transmitted[k]
        close(s.phi.T @ f, tau[slot], 1e-11, joint)
        close(s.psi @ tau[slot] + s.psi_c @ (s.phi_c.T @ f), f, 1e-11, joint)


def test_joint_spaces_of_a_batch_and_of_the_printed_arm():
    """2.30-2.37: the joints of the Stanford arm with six freedoms, at zero."""
    arm = am.example("stanford-six")
    q, e = np.zeros((2, 6)), np.eye(6)
    printed = {"link1": [1], "link2": [2, 3], "link3": [0, 2], "link4": [0]}
    for joint, axes in printed.items():
        close(arm.joint_space(q, joint).phi, np.array([e[:, axes]] * 2), 1e-15)
    assert (arm.nv, arm.report.source) == (6, "[VanDerMerwe1995], section 2.6.3, 2.30-2.37")
    # the shapes of 2.30-2.36: h = 0.5, o = 0.15, r = 0.8, l = 0.2, m = 0.05
    place = arm.homogeneous(arm.initial, "tip")
    close(place[:3, 3], [0.8 + 0.2 + 0.05, 0.5, -0.15], 1e-14)
    assert arm.check(*arm.random_state(2)).agreed


def test_slides_that_are_out_have_the_printed_frames_in_explain_alone():
    """phi of 2.33 is that of explain(frames_at_joints=True); in the body's frame, at the slide's
    far end, a turn of the joint moves the origin by the slide, 0.8 m."""
    arm = am.example("stanford-six")
    q, e = arm.initial, np.eye(6)
    found = arm.explain("structural growth", q, frames_at_joints=True)
    close(found["phi_2"], e[:, [2, 3]], 1e-15)
    ours = e[:, [2, 3]].copy()
    ours[4, 0] = 0.8
    close(arm.joint_space(q, "link2").phi, ours, 1e-12)
    close(arm.transform(q, "link3", "link2"), found_without_slide(arm, q), 1e-12)
    assert found["X_3"][4, 2] != 0.0  # the slide is in the transform 3X2 of 4.48


def found_without_slide(arm, q):
    return arm.explain("structural growth", q)["X_3"]


def test_what_is_refused():
    arm = am.example("stanford")
    q = arm.initial
    with pytest.raises(am.InputError, match="wrench: expected 6 numbers"):
        arm.wrench_at(q, [1.0, 2.0], "link1", "link2")
    with pytest.raises(am.ModelError, match="no body named 'link'"):
        arm.spatial_inertia("link")
    with pytest.raises(am.InputError, match="expected q"):
        arm.spatial_inertia("link1", frame="world")
    with pytest.raises(am.ModelError, match="no joint named"):
        arm.joint_space(q, "elbow")
    with pytest.raises(am.ArmillaryError, match="kind"):
        arm.transform(q, "link1", kind="wrench")
