"""Wrenches along chosen axes and about chosen points; forces of wheels by row."""

from dataclasses import dataclass

import numpy as np
import pytest
from test_solution import carry, constraint_wrenches, solved

import armillary as am
from armillary.errors import ArmillaryError
from armillary.evaluate.deferred import Deferred, Later, exchanged
from compare import close
from oracles.direct import Direct


def poses_of(m, q):
    direct = Direct(m.model)
    return {**dict(zip(m.bodies, direct.poses(q), strict=True)), "world": np.eye(4)}


@pytest.mark.parametrize("name", ["four-bar", "wheels", "rods and contacts"])
def test_world_axes(name):
    """By 4x4 matrices: each wrench carried to the world's origin."""
    m, q, v, tau, external, s = solved(name)
    poses = poses_of(m, q)
    expected = [carry(poses[body.name], s.reactions[body.joint.name]) for body in m.model.bodies]
    found = m.solve(q, v, tau, external, coordinates="world")
    close(found.reactions.total, np.array(expected), 1e-12)
    ties = [wrench for _, wrench in constraint_wrenches(m, poses, s)]
    close(found.constraint_forces.wrench, np.array(ties), 1e-12)
    np.testing.assert_array_equal(found.multipliers, s.multipliers)
    assert "world's axes" in str(found.reactions) and "world's origin" in str(found)


def test_points_and_own_axes():
    """Moments about a point p are those about the own origin plus (o - p) × f."""
    m, q, v, tau, _, _ = solved("four-bar")
    s = m.solve(q, v, tau)
    poses = poses_of(m, q)
    p = np.array([0.3, -0.1, 0.2])
    aligned = m.solve(q, v, tau, coordinates="world_aligned").reactions
    moved = m.solve(q, v, tau, coordinates="world_aligned", about=p).reactions
    own = m.solve(q, v, tau, about=p).reactions
    frame = m.solve(q, v, tau, coordinates="world_aligned", about="coupler").reactions
    for body in m.model.bodies:
        H, joint = poses[body.name], body.joint.name
        n, f = H[:3, :3] @ s.reactions[joint][:3], H[:3, :3] @ s.reactions[joint][3:]
        close(aligned[joint], np.r_[n, f], 1e-12)
        there = np.r_[n + np.cross(H[:3, 3] - p, f), f]
        close(moved[joint], there, 1e-12)
        close(own[joint], np.r_[H[:3, :3].T @ there[:3], H[:3, :3].T @ there[3:]], 1e-12)
    close(frame["coupler"], aligned["coupler"], 1e-12)
    np.testing.assert_allclose(moved.driving + moved.constraint, moved.total)


def test_batches_and_trees():
    m = am.example("double-pendulum")
    q, v = np.array([[0.3, -0.2], [1.0, 0.5]]), np.array([[1.0, 2.0], [0.0, -1.0]])
    options = {"coordinates": "world", "about": m.bodies[-1]}
    batch = m.solve(q, v, np.zeros(2), **options)
    for k in range(2):
        single = m.solve(q[k], v[k], np.zeros(2), **options)
        np.testing.assert_allclose(batch.reactions.total[k], single.reactions.total, atol=1e-13)
    same = m.solve(q[0], v, np.zeros(2), coordinates="world")  # one place for all states
    np.testing.assert_allclose(
        same.reactions.total[1],
        m.solve(q[0], v[1], np.zeros(2), coordinates="world").reactions.total,
    )


def test_wheels_of_a_rover_at_rest():
    """The normals carry the weight; rows are the wrench along the ground's axes."""
    m = am.example("rover")
    q, rest = m.initial, np.zeros(m.nv)
    tau = np.where([label.endswith("drive") for label in m.v_labels], 0.7, 0.0)
    s = m.solve(q, rest, tau, coordinates="world_aligned")
    weight = 9.81 * sum(body.mass.mass for body in m.model.bodies)
    still = m.solve(q, rest, rest)
    assert still.wheel_forces.force[:, 0].sum() == pytest.approx(weight, rel=1e-12)
    for wheel in m.model.wheels:
        axle = poses_of(m, q)[wheel.body][:3, :3] @ np.array(wheel.axis)
        normal = np.array([0.0, 0.0, 1.0])
        track = np.cross(axle, normal)
        force, rows = s.constraint_forces[wheel.name][3:], s.wheel_forces[wheel.name]
        for row, along in (("normal", normal), ("longitudinal", track)):
            assert rows[row] == pytest.approx(force @ along / np.linalg.norm(along), abs=1e-9)
    assert "longitudinal [N]" in str(s.wheel_forces) and len(s.wheel_forces) == 4
    batch = m.solve(np.tile(q, (2, 1)), rest, tau).wheel_forces
    np.testing.assert_allclose(batch.force[1], s.wheel_forces.force, atol=1e-9)
    with pytest.raises(ArmillaryError, match="no wheel named 'moon'"):
        s.wheel_forces["moon"]


def test_bad_axes():
    m = am.example("four-bar")
    state = (m.initial, np.zeros(3), np.zeros(3))
    for options, text in (
        ({"coordinates": "moon"}, "no coordinates named 'moon'"),
        ({"about": "moon"}, "no frame named 'moon'"),
        ({"about": [1.0, 2.0]}, "expected the name of a frame or a point"),
        ({"about": [1.0, np.nan, 0.0]}, "expected the name of a frame or a point"),
    ):
        with pytest.raises(ArmillaryError, match=text):
            m.solve(*state, **options)


def test_other_axes_find_nothing_that_is_not_read():
    """A result that is asked along other axes keeps what costs time for whoever reads it."""

    @dataclass(frozen=True)
    class Answer:
        force: float
        slow: Later[float] = Later()

    asked = []
    held = Answer(1.0, Deferred(lambda: asked.append("slow") or 7.0))
    other = exchanged(held, force=2.0)
    assert not asked and (held.force, other.force) == (1.0, 2.0)
    assert other.slow == 7.0 and asked == ["slow"]


@pytest.mark.parametrize("choice", [{"coordinates": "world"}, {"about": (0.3, -0.1, 0.2)}])
def test_native_states_along_other_axes(choice):
    """The same numbers from native calls, asked as arrays, as from the long way, asked as lists."""
    m = am.example("stewart")
    q, v = m.project(m.assemble().q, np.random.default_rng(3).normal(size=m.nv))
    tau = np.random.default_rng(4).normal(size=m.nv)
    m.solve(*(np.tile(x, (200, 1)) for x in (q, v, tau)))  # enough states for native calls
    native, long = m.solve(q, v, tau, **choice), m.solve([*q], [*v], [*tau], **choice)
    close(native.reactions.total, long.reactions.total, 1e-9)
    close(native.constraint_forces.wrench, long.constraint_forces.wrench, 1e-9)
    assert native.reactions.place() == long.reactions.place() != "in the body's frame"
    assert native.balance.imbalance == pytest.approx(0.0, abs=1e-7)
