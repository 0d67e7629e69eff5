"""Closed mechanisms in Pinocchio: its tree from our numbers, a 3D constraint for every loop.

A ball is a 3D constraint.  So is the pin of a planar linkage, where the tree keeps the plane:
Pinocchio has no constraint of five rows, and a 6D one would weld the pin.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]

import armillary as am
from armillary.model import WORLD, Frame, JointSpec, Pose
from benchmarks.mechanisms import Array
from benchmarks.pinocchio_peer import FLOAT, SWAP

CALL = "pin.constraintDynamics(model, data, q, v, x, constraints, memory, proximal)"
ACCURACY = 1e-12
DAMPING = 1e-12  # where rows are dependent: without it, Pinocchio's factor is not a number
AXIS = np.array([0.0, 0.0, 1.0])


class PinocchioClosed:
    """q_of[i] is the entry of our q at Pinocchio's place i, v_of likewise.

    dependent: rows of the loops depend on each other.  If not, one undamped step is exact, and the
    fastest it can do; if they do, one step with the damping is good to about 1e-12."""

    def __init__(self, ours: am.Mechanism, dependent: bool):
        self.model = pin.Model()
        self.model.gravity.linear = np.array(ours.model.gravity)
        self._hosts = {WORLD: (0, pin.SE3.Identity())}  # joint, body in its frame
        q_of: list[int] = []
        v_of: list[int] = []
        armature: list[float] = []
        for body, slot in zip(ours.model.bodies, ours.model.slots, strict=True):
            q_local, v_local = self._add(body)
            q_of += [slot.q.start + k for k in q_local]
            v_of += [slot.v.start + k for k in v_local]
            rotors = [rotor.reflected for rotor in body.joint.rotors]
            armature += rotors or [0.0] * len(v_local)
        self.q_of, self.v_of = np.array(q_of), np.array(v_of)
        self.model.armature = np.array(armature)
        self.data = self.model.createData()
        self.constraints = pin.StdVec_RigidConstraintModel()
        self.memory = pin.StdVec_RigidConstraintData()
        for loop in ours.model.loops:
            tie = self._tie(loop.first, loop.second)
            self.constraints.append(tie)
            self.memory.append(tie.createData())
        pin.initConstraintDynamics(self.model, self.data, self.constraints, self.memory)
        self.proximal = pin.ProximalSettings(ACCURACY, DAMPING if dependent else 0.0, 1)

    def _add(self, body: Any) -> tuple[list[int], list[int]]:
        """A body with its joint; which of the joint's own entries stand at Pinocchio's places."""
        joint, inside = self._hosts[body.parent]
        at = inside * se3(body.at)
        inside = at
        q_local: list[int] = []
        v_local: list[int] = []
        if body.joint.kind != "fixed":
            kind, turn, q_local, v_local = joint_of(body.joint)
            joint = self.model.addJoint(joint, kind, at * turn, body.joint.name)
            inside = turn.inverse()
        xx, yy, zz, xy, xz, yz = body.mass.tensor
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        inertia = pin.Inertia(body.mass.mass, np.array(body.mass.com), tensor)
        self.model.appendBodyToJoint(joint, inertia, inside)
        self._hosts[body.name] = (joint, inside)
        return q_local, v_local

    def _tie(self, first: Frame, second: Frame) -> pin.RigidConstraintModel:
        ends: list[Any] = []
        for frame in (first, second):
            joint, inside = self._hosts[frame.body]
            ends += [joint, inside * se3(frame.pose)]
        return pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, self.model, *ends, pin.LOCAL_WORLD_ALIGNED
        )

    def names(self, q: Array, v: Array, x: Array) -> dict[str, Any]:
        """Names for `CALL`: one of our states, or a batch as `states`."""
        arrays = [q[..., self.q_of], v[..., self.v_of], x[..., self.v_of]]
        given: dict[str, Any] = dict(zip("qvx", arrays, strict=True))
        if q.ndim == 2:
            given = {"states": list(zip(*map(list, arrays), strict=True))}
        return {"pin": pin, "model": self.model, "data": self.data, "memory": self.memory,
                "constraints": self.constraints, "proximal": self.proximal, **given}  # fmt: skip

    def accelerations(self, q: Array, v: Array, x: Array) -> Array:
        """Of one state, in our order."""
        found = np.empty(len(v))
        found[self.v_of] = eval(CALL, self.names(q, v, x))
        return found


def se3(pose: Pose) -> pin.SE3:
    return pin.SE3(np.array(pose.rotation, float), np.array(pose.position, float))


def joint_of(spec: JointSpec) -> tuple[Any, pin.SE3, list[int], list[int]]:
    """Pinocchio's fastest joint of the kind, its frame in ours, our entries at its places."""
    one = pin.SE3.Identity()
    if spec.kind == "free":
        return pin.JointModelFreeFlyer(), one, FLOAT, SWAP
    axes = [np.array(axis) for axis in spec.axes]
    if spec.kind == "universal":
        return pin.JointModelUniversal(*axes), one, [0, 1], [0, 1]
    kinds = {"revolute": pin.JointModelRZ, "prismatic": pin.JointModelPZ}
    turn = pin.Quaternion.FromTwoVectors(AXIS, axes[0]).matrix()
    return kinds[spec.kind](), pin.SE3(turn, np.zeros(3)), [0], [0]
