"""The compiled MuJoCo model as plain Python numbers, with names and lines for every part."""

from __future__ import annotations

import math

from armillary.errors import FormatError
from armillary.formats.mjcf_strip import MuJoCo
from armillary.formats.notes import Notes, unique
from armillary.model import WORLD, Frame, Mass, Pose
from armillary.model.parts import Triple
from armillary.spatial import Matrix, Symmetric

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
_ON_JOINTS = (0, 1)  # mjtTrn: joint, jointinparent


class Source:
    """What the translation asks of MuJoCo's model `m` and its specification `spec`."""

    def __init__(
        self,
        spec: MuJoCo,
        m: MuJoCo,
        path: str,
        lines: dict[tuple[str, str], int],
        meshes: dict[str, str],
    ):
        self.spec, self.m, self.path, self._lines = spec, m, path, lines
        self.meshes = meshes  # name -> file, from the folder of the model
        self.notes = Notes()
        # where our body frame sits in MuJoCo's: moved to the anchor of a hinge or ball
        self.anchor: dict[int, Triple] = {0: (0.0, 0.0, 0.0)}
        self._bodies = _named_all([m.body(i).name for i in range(m.nbody)], "body")
        self._bodies[0] = WORLD
        self._joints = _named_all(self._own_joint_names(), "joint")
        self.joint_names = set(self._joints)
        self.springs = self._on("SPRING", "PASSIVE")
        self.dampers = self._on("DAMPER", "PASSIVE")
        self.friction = self._on("FRICTIONLOSS", "CONSTRAINT")
        self.equalities = self._on("EQUALITY", "CONSTRAINT")

    def _own_joint_names(self) -> list[str]:
        """The file's names; a lone joint without one is called like its body, if that is free."""
        m = self.m
        given = [m.joint(j).name for j in range(m.njnt)]
        taken = set(given)
        for j, name in enumerate(given):
            body = int(m.jnt_bodyid[j])
            if not name and m.body_jntnum[body] == 1 and self._bodies[body] not in taken:
                given[j] = self._bodies[body]
        return given

    def _on(self, *names: str) -> bool:
        """Whether none of these is switched off (the names differ between MuJoCo versions)."""
        import mujoco

        members = mujoco.mjtDisableBit.__members__
        bits = (int(members.get(f"mjDSBL_{name}", 0)) for name in names)
        return not any(int(self.m.opt.disableflags) & bit for bit in bits)

    def geared(self, j: int, field: str) -> float:
        """Σ gear² x of the actuators on a hinge or slide: their "armature" or "damping"."""
        numbers = getattr(self.m, f"actuator_{field}", ())  # not of every version
        gears = ((k, float(self.m.actuator_gear[k][0])) for k in self.actuators_on(j))
        return sum(gear * gear * float(numbers[k].flat[0]) for k, gear in gears if len(numbers))

    def actuators_on(self, j: int) -> list[int]:
        """Numbers of the actuators that act along a joint."""
        m = self.m
        return [
            k
            for k in range(m.nu)
            if int(m.actuator_trntype[k]) in _ON_JOINTS and int(m.actuator_trnid[k][0]) == j
        ]

    def body_name(self, i: int) -> str:
        return self._bodies[i]

    def joint_name(self, j: int) -> str:
        return self._joints[j]

    def line(self, tag: str, name: str) -> int | None:
        return self._lines.get((tag, name))

    def note(self, level: str, kind: str, name: str, text: str) -> None:
        self.notes.add(level, kind, name, text, self.line(kind, name))

    def gravity(self) -> Triple:
        if not self._on("GRAVITY"):
            self.notes.add("read", "option", "", "gravity is switched off")
            return (0.0, 0.0, 0.0)
        return triple(self.m.opt.gravity)

    def pose_in(
        self, body: int, position: MuJoCo, quaternion: MuJoCo = (1.0, 0.0, 0.0, 0.0)
    ) -> Pose:
        """A pose given in MuJoCo's frame of a body, in ours."""
        x, y, z = triple(position)
        a, b, c = self.anchor[body]
        wxyz = [float(part) for part in quaternion]
        if not 0.0 < sum(part * part for part in wxyz) < math.inf:
            raise FormatError(
                f"body '{self.body_name(body)}': a quaternion on it has no direction: {wxyz}. "
                f"Use numbers of common size.",
                self.path,
            )
        return Pose.from_quaternion((x - a, y - b, z - c), wxyz)

    def site_frame(self, k: int) -> Frame:
        """Site k as a frame of its body."""
        m, i = self.m, int(self.m.site_bodyid[k])
        pose = self.pose_in(i, m.site_pos[k], m.site_quat[k])
        return Frame(m.site(k).name or f"site{k}", self.body_name(i), pose)

    def mass(self, i: int) -> Mass:
        """Mass data along the axes of body i:  I = R diag R^T."""
        m = self.m
        com = self.pose_in(i, m.body_ipos[i], m.body_iquat[i])
        I = Symmetric(*triple(m.body_inertia[i])).rotate(Matrix(com.rotation))
        return Mass(float(m.body_mass[i]), com.position, I.leaves())


def triple(values: MuJoCo) -> Triple:
    x, y, z = (float(v) for v in values)
    return (x, y, z)


def _named_all(given: list[str], kind: str) -> list[str]:
    """A name for everybody: the given one, or the kind and a number."""
    taken = {name for name in given if name} | {WORLD}
    names = []
    for k, name in enumerate(given):
        if not name:
            name = unique(f"{kind}{k}", taken)
            taken.add(name)
        names.append(name)
    return names
