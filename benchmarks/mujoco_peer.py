"""The same mechanisms in MuJoCo: an arm through the MJCF file this library writes, a long chain
body by body (MuJoCo's reader of files stops at a depth of 496).

Contacts, limits and friction are off.  Only mechanisms of revolute joints: q and v are then the
same in both.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import armillary as am
from benchmarks.mechanisms import Array
from benchmarks.questions import FORWARD, INVERSE, MASS

_PUT = "data.qpos[:] = q; data.qvel[:] = v; "
STATEMENTS = {
    INVERSE.name: _PUT + "data.qacc[:] = x; mj.mj_inverse(model, data)",
    FORWARD.name: _PUT + "data.qfrc_applied[:] = x; mj.mj_forward(model, data)",
    MASS.name: "data.qpos[:] = q; mj.mj_kinematics(model, data); mj.mj_comPos(model, data); "
    "mj.mj_makeM(model, data); mj.mj_fullM(model, data, M)",
}


class MuJoCo:
    """A MuJoCo model with its data."""

    def __init__(self, model: mujoco.MjModel):
        off = mujoco.mjtDisableBit
        model.opt.disableflags = off.mjDSBL_CONSTRAINT | off.mjDSBL_CONTACT
        self.model, self.data = model, mujoco.MjData(model)
        self.M = np.empty((model.nv, model.nv))

    def names(self, q: Array, v: Array, x: Array) -> dict[str, Any]:
        """Names for its statements."""
        return {"mj": mujoco, "model": self.model, "data": self.data, "M": self.M,
                "q": q, "v": v, "x": x}  # fmt: skip

    def answer(self, question: str, q: Array, v: Array, x: Array) -> Array:
        exec(STATEMENTS[question], self.names(q, v, x))
        found = {INVERSE.name: self.data.qfrc_inverse, FORWARD.name: self.data.qacc}
        return np.array(found.get(question, self.M))


def from_file(ours: am.Mechanism) -> MuJoCo:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mechanism.xml"
        ours.save(path)
        return MuJoCo(mujoco.MjModel.from_xml_path(str(path)))


def from_chain(ours: am.Mechanism) -> MuJoCo:
    """A chain of joints about z, from our model."""
    spec = mujoco.MjSpec()
    spec.option.gravity = ours.model.gravity
    parent = spec.worldbody
    for part in ours.model.bodies:
        turn = np.empty(4)
        mujoco.mju_mat2Quat(turn, np.array(part.at.rotation, float).ravel())
        parent = parent.add_body(
            pos=part.at.position,
            quat=turn,
            mass=part.mass.mass,
            ipos=part.mass.com,
            fullinertia=part.mass.tensor,
            explicitinertial=True,
        )
        parent.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
    return MuJoCo(spec.compile())
