"""The same mechanisms in Pinocchio, and the way between its coordinates and ours.

Pinocchio sorts children by name, is linear-first, keeps a free base as (position; xyzw) and a
continuous joint as (cos, sin).  States are converted before the clock starts.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]

import armillary as am
from benchmarks.mechanisms import Array, Robot

SWAP = [3, 4, 5, 0, 1, 2]  # linear first <-> angular first
FLOAT = [4, 5, 6, 1, 2, 3, 0]  # wxyz p -> p xyzw


class Pinocchio:
    """A Pinocchio model; q_of[i] is the entry of our q at its place i, v_of likewise."""

    def __init__(self, model: pin.Model, ours: am.Mechanism):
        model.gravity.linear = np.array(ours.model.gravity)
        self.model, self.data = model, model.createData()
        self.q_of, self.v_of = np.zeros(model.nq, int), np.zeros(model.nv, int)
        self.angles: dict[int, int] = {}  # place of a cosine -> our entry
        slots = dict(zip(ours.joints, ours.model.slots, strict=True))
        floating = [body.joint.name for body in ours.model.bodies if body.joint.kind == "free"]
        for joint, name in zip(list(model.joints)[1:], list(model.names)[1:], strict=True):
            slot = slots[name if name in slots else floating[0]]
            free = joint.nv == 6
            v = slot.v.start + np.array(SWAP if free else [0])
            self.v_of[joint.idx_v : joint.idx_v + joint.nv] = v
            if joint.nq == 2:
                self.angles[joint.idx_q] = slot.q.start
            else:
                q = slot.q.start + np.array(FLOAT if free else [0])
                self.q_of[joint.idx_q : joint.idx_q + joint.nq] = q

    def q(self, q: Array) -> Array:
        """Our q (..., nq) in Pinocchio's order."""
        result = q[..., self.q_of]
        for place, entry in self.angles.items():
            result[..., place] = np.cos(q[..., entry])
            result[..., place + 1] = np.sin(q[..., entry])
        return result

    def v(self, v: Array) -> Array:
        return v[..., self.v_of]

    def back(self, result: Array, matrix: bool) -> Array:
        """Pinocchio's vector or matrix over v, in our order."""
        order = np.argsort(self.v_of)
        found = np.asarray(result)[..., order]
        return found[..., order, :] if matrix else found


def from_robot(robot: Robot, ours: am.Mechanism) -> Pinocchio:
    """Pinocchio's own reading of the file."""
    root = [pin.JointModelFreeFlyer()] if robot.base == "free" else []
    model = pin.buildModelFromUrdf(str(robot.path), *root)
    if robot.locked:
        joints = [model.getJointId(name) for name in robot.locked]
        model = pin.buildReducedModel(model, joints, pin.neutral(model))
    return Pinocchio(model, ours)


def from_chain(ours: am.Mechanism) -> Pinocchio:
    """A chain of joints about z, from our model."""
    model = pin.Model()
    for k, body in enumerate(ours.model.bodies):
        at = pin.SE3(np.array(body.at.rotation, float), np.array(body.at.position, float))
        joint = model.addJoint(k, pin.JointModelRZ(), at, body.joint.name)
        xx, yy, zz, xy, xz, yz = body.mass.tensor
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        inertia = pin.Inertia(body.mass.mass, np.array(body.mass.com), tensor)
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return Pinocchio(model, ours)
