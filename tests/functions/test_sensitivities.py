"""Derivatives with respect to the bodies against differences of changed models."""

import numpy as np
import pytest

import armillary as am
from armillary.model import Pose
from robots import robot
from samples import random_model, random_state

STEP = 1e-6


def moved(arm, body: str, axis: int, size: float):
    """The joint frame of a body turned about or shifted along one of its own axes."""
    at = arm.model.body(body).at
    x = [0.0, 0.0, 0.0]
    x[axis % 3] = size
    small = Pose.from_rpy((0, 0, 0), x) if axis < 3 else Pose(tuple(x))
    return arm.replace(bodies={body: {"at": at.then(small)}})


def cases():
    """Loop kernels are shared by all the changed models."""
    tree = am.Mechanism(random_model(4, bodies=5))
    arms = {"stanford": am.example("stanford"), "tree": tree, "ur5": am.load(robot("ur5"))}
    return {name: arm.compile(tier=1) for name, arm in arms.items()}


@pytest.mark.parametrize("name", ["stanford", "tree", "ur5"])
def test_placements(name):
    arm = cases()[name]
    q, v, a = random_state(arm.model, 3)[:3]
    D = arm.inverse_dynamics.offset_jacobian(q, v, a)
    tau = arm.inverse_dynamics(q, v, a)
    F = arm.forward_dynamics.offset_jacobian(q, v, tau)
    assert D.shape == F.shape == (arm.nv, len(arm.offset_names))
    for column, label in list(enumerate(arm.offset_names))[::3]:
        body, axis = label.rsplit(".", 1)
        k = ("rx", "ry", "rz", "dx", "dy", "dz").index(axis)
        ends = [moved(arm, body, k, s * STEP) for s in (1.0, -1.0)]
        slope = [m.inverse_dynamics(q, v, a) for m in ends]
        slope = (slope[0] - slope[1]) / (2 * STEP)
        np.testing.assert_allclose(D[:, column], slope, atol=1e-6 * (1 + np.abs(tau).max()))
        slope = [m.forward_dynamics(q, v, tau) for m in ends]
        slope = (slope[0] - slope[1]) / (2 * STEP)
        np.testing.assert_allclose(F[:, column], slope, atol=1e-5 * (1 + np.abs(slope).max()))


def test_inertias():
    arm = am.load(robot("ur5"))
    q, v, a = arm.random_state(0)
    tau = arm.inverse_dynamics(q, v, a)
    Y, F = (
        arm.inverse_dynamics.parameter_jacobian(q, v, a),
        arm.forward_dynamics.parameter_jacobian(q, v, tau),
    )
    p, step = arm.parameters, 1e-4
    for k in range(len(p)):
        up, down = (p + s * step * np.eye(len(p))[k] for s in (1.0, -1.0))
        both = np.stack([up, down])
        tau_ends = arm.inverse_dynamics(q, v, a, parameters=both)
        np.testing.assert_allclose(Y[:, k], (tau_ends[0] - tau_ends[1]) / (2 * step), atol=1e-8)
        ends = arm.forward_dynamics(q, v, tau, parameters=both)
        slope = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(F[:, k], slope, atol=1e-3 * (1 + np.abs(slope).max()))
