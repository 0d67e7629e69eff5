"""The robots and chains of the tables, as this library has them.

Friction and damping are taken out: Pinocchio does not know them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import armillary as am

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Robot:
    """A file of example-robot-data."""

    name: str
    kind: str  # its row of the targets
    file: str
    base: str = "fixed"
    locked: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        root = distribution("example-robot-data").locate_file("cmeel.prefix/share")
        return Path(str(root)) / "example-robot-data" / "robots" / self.file

    def mechanism(self) -> am.Mechanism:
        whole = am.load(self.path, base=self.base)
        return without_passive(whole.lock(self.locked) if self.locked else whole)


ROBOTS = {
    "panda": Robot(
        "Panda 7",
        "arm",
        "panda_description/urdf/panda.urdf",
        locked=("panda_finger_joint1", "panda_finger_joint2"),
    ),
    "ur5": Robot("UR5 6", "arm", "ur_description/urdf/ur5_robot.urdf"),
    "solo12": Robot("Solo12 18", "quadruped", "solo_description/robots/solo12.urdf", "free"),
    "g1": Robot("G1 35", "humanoid", "g1_description/urdf/g1_29dof_rev_1_0.urdf", "free"),
    "talos": Robot("Talos 38", "humanoid", "talos_data/robots/talos_reduced.urdf", "free"),
}


def without_passive(mechanism: am.Mechanism) -> am.Mechanism:
    """The same without friction, damping and springs in its joints."""
    bodies = mechanism.model.bodies
    return mechanism.replace(bodies={b.name: {"passive": ()} for b in bodies if b.joint.passive})


@cache
def chain(bodies: int) -> am.Mechanism:
    """Revolute joints one behind the other, random frames, full inertia tensors."""
    rng = np.random.default_rng(bodies)
    builder = am.Builder(f"chain {bodies}")
    parent = "world"
    for k in range(bodies):
        at, rpy = rng.uniform(-0.2, 0.2, 3).tolist(), rng.uniform(-3.0, 3.0, 3).tolist()
        com, off = rng.uniform(-0.1, 0.1, 3).tolist(), rng.uniform(-0.001, 0.001, 3)
        tensor = (*rng.uniform(0.010, 0.014, 3), *off)
        mass = rng.uniform(0.5, 2.0)
        builder.body(f"body{k}", parent, "revolute", at, rpy, axis="z", mass=mass, com=com,
                     inertia=tensor)  # fmt: skip
        parent = f"body{k}"
    return builder.build()


def states(mechanism: am.Mechanism, count: int) -> tuple[Array, Array, Array]:
    """Random q (count, nq), v and a third input (count, nv): accelerations or joint forces."""
    rng = np.random.default_rng(7)
    tangent = rng.uniform(-1.5, 1.5, (count, mechanism.nv))
    v, x = rng.normal(size=(2, count, mechanism.nv))
    return mechanism.integrate(mechanism.neutral(), tangent), v, x
