"""MuJoCo's own answers for a model that we have read from, or written to, MJCF.

MuJoCo keeps a free joint as (position; quaternion), its velocity as (linear in the world; angular
in the body); everything here is converted at the edge to ours: (quaternion; position) and (ω; v),
both in the body.
"""

import mujoco
import numpy as np

from armillary.model import Model


class MujocoPeer:
    """The same q and v asked of MuJoCo; joints are matched by their order, depth first."""

    def __init__(self, path, model: Model):
        self.m = mujoco.MjModel.from_xml_path(str(path))
        self.m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        self.d = mujoco.MjData(self.m)
        self.model = model

    def free_joints(self):
        for j in range(self.m.njnt):
            if self.m.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
                yield int(self.m.jnt_qposadr[j]), int(self.m.jnt_dofadr[j])

    def set(self, q, v) -> np.ndarray:
        """Put the state in; the answer is B with v_mujoco = B v_ours."""
        qpos, B = np.array(q, float), np.eye(self.m.nv)
        for a, _ in self.free_joints():
            qpos[a : a + 7] = np.r_[q[a + 4 : a + 7], q[a : a + 4]]
        self.d.qpos[:] = qpos
        for a, k in self.free_joints():
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, np.array(q[a : a + 4], float))
            B[k : k + 6, k : k + 6] = 0.0
            B[k : k + 3, k + 3 : k + 6] = R.reshape(3, 3)
            B[k + 3 : k + 6, k : k + 3] = np.eye(3)
        self.d.qvel[:] = B @ v
        mujoco.mj_forward(self.m, self.d)
        return B

    def pose(self, name: str) -> np.ndarray:
        """Of MuJoCo's body frame in the world, after `set`."""
        return homogeneous(self.d.body(name).xmat, self.d.body(name).xpos)

    def site(self, name: str) -> np.ndarray:
        return homogeneous(self.d.site(name).xmat, self.d.site(name).xpos)

    def mass_matrix(self, q) -> np.ndarray:
        B = self.set(q, np.zeros(self.m.nv))
        columns = []
        for unit in np.eye(self.m.nv):
            column = np.zeros(self.m.nv)
            mujoco.mj_mulM(self.m, self.d, column, unit)
            columns.append(column)
        M = np.array(columns).reshape(self.m.nv, self.m.nv)
        return B.T @ M @ B

    def bias_forces(self, q, v) -> np.ndarray:
        """Gravity, centrifugal and Coriolis forces along our velocities."""
        v = np.asarray(v, float)
        M = self.mass_matrix(q)
        B = self.set(q, v)
        drift = np.zeros(self.m.nv)
        for _, k in self.free_joints():
            # the linear velocity in the world is R v: its rate has the part R (ω × v)
            drift[k : k + 3] = B[k : k + 3, k + 3 : k + 6] @ np.cross(
                v[k : k + 3], v[k + 3 : k + 6]
            )
        return B.T @ self.d.qfrc_bias + M @ np.linalg.solve(B, drift)

    def passive_forces(self, q, v) -> np.ndarray:
        B = self.set(q, v)
        return B.T @ self.d.qfrc_passive


def homogeneous(R, p) -> np.ndarray:
    H = np.eye(4)
    H[:3, :3], H[:3, 3] = np.reshape(R, (3, 3)), p
    return H
