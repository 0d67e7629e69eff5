"""Steps of the same mechanisms in MuJoCo, at its fastest: bodies that are fixed to each other are
merged (as our compiler does) and shapes are left out.

Contacts, limits and implicit damping are off.  Loops become `connect` between two sites, as stiff
as MuJoCo allows: a time constant of two steps.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout

import armillary as am
from armillary.model import JointSpec
from benchmarks.mechanisms import Array

EULER, IMPLICIT = (mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_IMPLICITFAST)
_START = "mj.mj_resetData(model, data); data.qpos[:] = q; data.qvel[:] = v; "
LOOP = _START + "\nfor _ in range(steps): mj.mj_step(model, data)"
NSTEP = _START + "mj.mj_step(model, data, nstep=steps)"
ROLLOUT = "pool.rollout(model, [data], start, nstep=steps, state=states)"
PID = _START + (
    "z = np.zeros(len(v))\n"
    "for _ in range(steps):\n"
    "    e = target - data.qpos\n"
    "    data.qfrc_applied[:] = kp * e + ki * z - kd * data.qvel\n"
    "    z += h * e\n"
    "    mj.mj_step(model, data)"
)
_IMPEDANCE = (0.9999, 0.9999, 0.001, 0.5, 2.0)


class Steps:
    """A MuJoCo model, its data and the names of its statements."""

    def __init__(self, ours: am.Mechanism, step: float, integrator: int = EULER):
        self.model = _compiled(ours)
        off, options = mujoco.mjtDisableBit, self.model.opt
        options.timestep, options.integrator = step, integrator
        flags = off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_EULERDAMP
        options.disableflags = flags if self.model.neq else flags | off.mjDSBL_CONSTRAINT
        self.model.eq_solref[:] = (2.0 * step, 1.0)
        self.model.eq_solimp[:] = _IMPEDANCE
        self.data = mujoco.MjData(self.model)

    def names(self, q: Array, v: Array, steps: int, **more: Any) -> dict[str, Any]:
        """For one run."""
        return {"mj": mujoco, "np": np, "model": self.model, "data": self.data, "q": q, "v": v,
                "steps": steps, **more}  # fmt: skip

    def batch_names(self, q: Array, v: Array, steps: int) -> dict[str, Any]:
        """For runs side by side, on the calling thread."""
        start = np.concatenate([np.zeros((len(q), 1)), q, v], axis=1)
        return {"pool": rollout.Rollout(nthread=0), "model": self.model, "data": self.data,
                "start": start, "steps": steps,
                "states": np.empty((len(q), steps, start.shape[1]))}  # fmt: skip

    def trajectory(self, q: Array, v: Array, steps: int) -> Array:
        """(q, v) after each step, of every run: (runs, steps, nq + nv)."""
        names = self.batch_names(q, v, steps)
        exec(ROLLOUT, names)
        return np.array(names["states"][..., 1:])

    def gap(self, q: Array, steps: int) -> float:
        """Largest distance of the two points of a loop over a run from rest, m."""
        model, data = self.model, self.data
        mujoco.mj_resetData(model, data)
        data.qpos[:] = q
        first, second = model.eq_obj1id, model.eq_obj2id
        worst = 0.0
        for _ in range(steps):
            mujoco.mj_step(model, data)
            mujoco.mj_kinematics(model, data)
            apart = data.site_xpos[first] - data.site_xpos[second]
            worst = max(worst, float(np.linalg.norm(apart, axis=1).max()))
        return worst


def _compiled(ours: am.Mechanism) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mechanism.xml"
        _with_balls(ours).save(path)
        spec = mujoco.MjSpec.from_file(str(path))
    for shape in list(spec.geoms):
        spec.delete(shape)
    spec.compiler.fusestatic = True
    return spec.compile()


def _with_balls(ours: am.Mechanism) -> am.Mechanism:
    """Loops of planar linkages as balls: two points that stay together say it all."""
    balls = (replace(x, joint=JointSpec(x.joint.name, "spherical")) for x in ours.model.loops)
    return am.Mechanism(replace(ours.model, loops=tuple(balls))) if ours.model.loops else ours


def place(ours: am.Mechanism, q: Array) -> Array:
    """Our configuration in MuJoCo's order: a free body has its position first."""
    found, k = [], 0
    for body in ours.model.bodies:
        kind = body.joint.kind
        if kind == "fixed":
            continue
        if kind == "free":
            found += [q[k + 4 : k + 7], q[k : k + 4]]
            k += 7
            continue
        count = {"universal": 2, "revolute": 1, "prismatic": 1}[kind]
        found.append(q[k : k + count])
        k += count
    return np.concatenate(found)
