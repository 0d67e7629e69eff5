"""From model to tables: axes turned to z, welds fused, and nothing moved by it."""

import math

import numpy as np
import pytest

from armillary.model import Builder, Passive, Rotor, joint_spec
from armillary.model.edit import joint_transform
from armillary.model.joints import kernel_joint
from armillary.model.lowering.tree import lower
from armillary.model.parts import own_rotation
from armillary.spatial import Inertia, Transform
from dense import array, rodrigues
from oracles.direct import Direct, joint_pose
from samples import KINDS, random_joint, random_model, random_state

LETTERS = ["x", "y", "z", "-x", "-y", "-z"]
AXES = {
    **{letter: letter for letter in LETTERS},
    **{f"random-{k}": tuple(np.random.default_rng(k).normal(size=3)) for k in range(8)},
    "almost-z": (1e-9, 0.0, 1.0),
    "almost-minus-z": (1e-9, -1e-9, -1.0),
    "border": (math.sqrt(1 - 0.81), 0.0, -0.9),
    "almost-x": (1.0, 1e-12, 0.0),
}


@pytest.mark.parametrize("axis", AXES.values(), ids=AXES.keys())
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical", "cylindrical", "planar"])
def test_own_rotation_takes_z_to_the_axis(kind, axis):
    spec = joint_spec(kind, axis=axis)
    R = array(own_rotation(spec)).astype(float)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_allclose(R[:, 2], spec.axes[0], atol=1e-14)


@pytest.mark.parametrize("letter", LETTERS)
def test_letters_are_exact_permutations(letter):
    entries = [x for row in own_rotation(joint_spec("revolute", axis=letter)).rows for x in row]
    assert sorted(abs(x) for x in entries) == [0] * 6 + [1] * 3


@pytest.mark.parametrize("seed", range(4))
def test_own_rotation_of_a_cross(seed):
    """Universal: x and y of the kernel go to the two axes."""
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    R = array(own_rotation(joint_spec("universal", axes=[Q[:, 0], Q[:, 1]])))
    np.testing.assert_allclose(R[:, :2], Q[:, :2], atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0)


@pytest.mark.parametrize("axis", AXES.values(), ids=AXES.keys())
def test_a_turned_joint_is_a_rotation_about_its_axis(axis):
    """own · about_z(q) · own^T against Rodrigues' rotation about the axis itself."""
    spec = joint_spec("revolute", axis=axis)
    for angle in (0.4, -2.5, math.pi):
        E = array(joint_transform(spec, [angle]).E)
        np.testing.assert_allclose(E, rodrigues(np.array(spec.axes[0]), angle).T, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_joint_transform_is_the_pose_of_the_direct_oracle(kind, seed):
    """Every joint type, from its axes in the joint frame, by homogeneous matrices."""
    rng = np.random.default_rng(seed)
    spec = joint_spec(kind, **random_joint(kind, rng))
    joint = kernel_joint(spec)
    q = rng.uniform(-1.2, 1.2, joint.nq)
    if joint.nq > joint.nv:
        q[:4] /= np.linalg.norm(q[:4])
    X = joint_transform(spec, q)
    H = joint_pose(spec, q)
    np.testing.assert_allclose(array(X.E).T, H[:3, :3], atol=1e-13)
    np.testing.assert_allclose(array(X.r), H[:3, 3], atol=1e-13)


def world_poses(model, tables, q) -> list[np.ndarray]:
    """Poses of all bodies from the tables: X_KP = canonical joint · placement, own at the end."""
    kernels: list[Transform] = []
    for body, parent, start in zip(tables.bodies, tables.parents, tables.q_offsets, strict=True):
        here = q[start : start + body.joint.nq].tolist()
        X = body.joint.transform(here) @ body.placement
        kernels.append(X @ kernels[parent] if parent >= 0 else X)
    poses = []
    for carrier in tables.carriers:
        X = carrier.X_BK @ kernels[carrier.kernel] if carrier.kernel >= 0 else carrier.X_BK
        H = np.eye(4)
        H[:3, :3], H[:3, 3] = array(X.E).T, array(X.r)
        poses.append(H)
    return poses


@pytest.mark.parametrize("fuse", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_lowered_poses(seed, fuse):
    """Chains of own · canonical(q) · own^T · X_JP stand where the axes of the model say."""
    model = random_model(seed, bodies=7)
    tables = lower(model, fuse=fuse)
    q, _, _ = random_state(model, seed)
    for ours, theirs in zip(world_poses(model, tables, q), Direct(model).poses(q), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_fused_mass_is_all_the_mass(seed):
    """Mass and first moment of the moving bodies in the world, with and without fusing."""
    model = random_model(seed, bodies=7)
    q, _, _ = random_state(model, seed)
    totals = []
    for fuse in (True, False):
        tables = lower(model, fuse=fuse)
        assert len(tables.carriers) == len(model.bodies)
        total = Inertia.zero()
        kernels: list[Transform] = []
        moves: list[bool] = []
        for body, parent, start in zip(
            tables.bodies, tables.parents, tables.q_offsets, strict=True
        ):
            X = body.joint.transform(q[start : start + body.joint.nq].tolist()) @ body.placement
            kernels.append(X @ kernels[parent] if parent >= 0 else X)
            moves.append(body.joint.nv > 0 or (parent >= 0 and moves[parent]))
            if moves[-1]:
                total = total + kernels[-1].T @ body.inertia @ kernels[-1]
        totals.append(total.leaves())
    np.testing.assert_allclose(totals[0], totals[1], atol=1e-10)


def test_passive_and_rotors_reach_the_tables():
    builder = Builder()
    builder.body("a", mass=1.0, passive=Passive(viscous=0.5, spring=2.0), rotor=Rotor(0.1, 3.0))
    builder.body("b", "a", mass=1.0, passive=Passive(), rotor=Rotor())
    builder.body("c", "b", joint="spherical", mass=1.0, inertia=(1, 1, 1), passive=Passive(0.2))
    a, b, c = lower(builder.build()).bodies
    assert a.armature == pytest.approx((0.9,))
    assert a.resistance((0.3,), (2.0,)) == pytest.approx((1.6,))
    assert a.spring_energy((0.3,)) == pytest.approx(0.09)
    assert (b.armature, b.passive) == ((0,), ())
    assert c.resistance((1.0, 0.0, 0.0, 0.0), (1.0, 2.0, 3.0)) == pytest.approx((0.2, 0.4, 0.6))
    bare = lower(builder.build(), passive=False).bodies[0]
    assert (bare.armature, bare.passive) == ((0,), ())
    assert bare.resistance((0.3,), (2.0,)) == (0,)


@pytest.mark.parametrize("seed", range(4))
def test_kernel_bodies_take_their_numbers_back(seed):
    """parameters -> with_parameters is the identity, and keys do not depend on numbers."""
    for body in lower(random_model(seed, passive=True)).bodies:
        numbers = body.parameters()
        again = body.with_parameters(numbers)
        assert again.parameters() == numbers
        assert again.key() == body.key()
