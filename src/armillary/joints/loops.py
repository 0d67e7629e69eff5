"""Joints that close a chain: their constraint space from the relative pose, without coordinates.

No row needs the joint's own coordinates: every constraint wrench is a rational function of the
relative pose.  Only springs and friction ask for them (`freedoms`).  A joint between 1 and 2 has
the same axes as in the tree: one-axis joints about z, the universal joint about x of 1 and y of 2,
the gimbal as in [VanDerMerwe1995, 2.20-2.29].
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.joints.base import Joint
from armillary.joints.closures import UNITS, Closure, column, push, rotation_error, tilt
from armillary.joints.sequences import AXES, Gimbal, Universal
from armillary.joints.simple import Helical
from armillary.scalar import Scalar, atan2, sqrt, where
from armillary.spatial import Force, Transform, Vector
from armillary.units import WRENCH

_MOMENTS, _FORCES = WRENCH[:3], WRENCH[3:]
_TAU = 6.283185307179586
# joints whose wrenches stand still in frame 2: names of the rows in the order of T
_STANDING = {
    "fixed": WRENCH,
    "revolute": ("nx", "ny", "fx", "fy", "fz"),
    "prismatic": ("nx", "ny", "nz", "fx", "fy"),
    "helical": ("nx", "ny", "fx", "fy", "fz"),  # the last one is the screw
    "cylindrical": ("nx", "ny", "fx", "fy"),
    "planar": ("nx", "ny", "fz"),
    "spherical": ("fx", "fy", "fz"),
    "free": (),
}


def loop_closure(joint: Joint) -> LoopClosure:
    """The closure of a joint of any type but `general`."""
    if isinstance(joint, Gimbal):
        return GimbalLoop(joint.free)
    if isinstance(joint, Universal):
        return GimbalLoop(("rx", "ry"))
    return StandingLoop(joint)


class LoopClosure(Closure):
    """What a joint forbids, and the freedoms it leaves."""

    joint: Joint

    def coordinates(self, X: Transform) -> list[Scalar]:
        """q of the joint where its frames stand as X_21: angles in (-π, π], but those of a screw
        count turns; zeros for quaternions, which no spring can pull at."""
        raise NotImplementedError

    def freedoms(self, X: Transform) -> tuple[list[Scalar], list[Force]]:
        """Coordinates, one per degree of freedom, and the wrenches psi that drive them (on 2, in
        frame 2):  their rates are psi · v, the power of a force r along one is r psi · v."""
        q = self.coordinates(X)
        S = list(self.joint.motion_space(q))
        return q, [_structural(psi) for psi in self.joint.driving_wrenches(S)]


class StandingLoop(LoopClosure):
    """A joint whose constraint wrenches are constant in frame 2."""

    def __init__(self, joint: Joint):
        self.joint = joint
        self.rows = _STANDING[joint.kind]
        self.units = tuple("rad" if row[0] == "n" else "m" for row in self.rows)
        self.holonomic = (True,) * len(self.rows)

    def parameters(self) -> tuple[Scalar, ...]:
        return self.joint.parameters()

    def with_parameters(self, values: Sequence[Scalar]) -> StandingLoop:
        return StandingLoop(self.joint.with_parameters(values))

    def wrenches(self, X: Transform) -> list[Force]:
        return list(self.joint.constraint_space(self.joint.neutral()))

    def residual(self, X: Transform) -> list[Scalar]:
        rotates = any(row == "nz" for row in self.rows) or "nx" not in self.rows
        angles = rotation_error(X) if rotates else _tilt(X)
        errors = dict(zip(_MOMENTS, angles, strict=True))
        errors |= dict(zip(_FORCES, self._position(X), strict=True))
        if isinstance(self.joint, Helical):
            errors["fz"] = self._screw(X)
        return [errors[row] for row in self.rows]

    def openings(self, X: Transform) -> list[Scalar]:
        """A rotation by an angle, or that of z, is open by 2 sin(angle / 2), the square of which is
        2 - 2 cos(angle); the axes in which an offset is measured do not matter."""
        whole = 3.0 - _trace(X) if "nz" in self.rows else 2.0 - 2.0 * X.E.rows[2][2]
        squares = dict(zip(_MOMENTS, (whole, 0, 0), strict=True))
        squares |= {row: x * x for row, x in zip(_FORCES, X.r.leaves(), strict=True)}
        if isinstance(self.joint, Helical):
            screw = self._screw(X)
            squares["fz"] = screw * screw
        return [squares[row] for row in self.rows]

    def _position(self, X: Transform) -> tuple[Scalar, ...]:
        """Origin of 2 in axes that follow 2 as far as the joint lets it rotate."""
        if self.joint.kind in ("fixed", "prismatic", "planar"):
            return X.r.leaves()
        if self.joint.kind == "spherical":
            return (X.E @ X.r).leaves()
        c, s = _twist(X)
        return (c * X.r.x + s * X.r.y, c * X.r.y - s * X.r.x, X.r.z)

    def _screw(self, X: Transform) -> Scalar:
        """Translation less pitch times angle, in the turn that fits best."""
        c, s = _twist(X)
        pitch = self.joint.parameters()[0]
        angle = atan2(s, c)
        turns = (X.r.z / where(pitch * pitch < 1e-300, 1.0, pitch) - angle) / _TAU
        return X.r.z - pitch * (angle + _TAU * _nearest(turns))

    def coordinates(self, X: Transform) -> list[Scalar]:
        joint = self.joint
        if joint.nq != joint.nv:
            return [0] * joint.nv
        c, s = _twist(X)
        if isinstance(joint, Helical):
            flat = joint.pitch * joint.pitch < 1e-300
            return [where(flat, atan2(s, c), X.r.z / where(flat, 1.0, joint.pitch))]
        translations = dict(zip(("x", "y", "translation"), X.r.leaves(), strict=True))
        return [atan2(s, c) if n == "angle" else translations[n] for n in joint.coordinates]


class GimbalLoop(LoopClosure):
    """Rotations about x, y, z in sequence, then translations along the rotated axes; some are
    free."""

    def __init__(self, free: Sequence[str]):
        self.joint = Gimbal(free)
        self.free = self.joint.free
        self._rotations = tuple(k for k in range(3) if AXES[k] in self.free)
        self._translations = tuple(k for k in range(3) if AXES[3 + k] in self.free)
        moments = {
            0: _MOMENTS,
            1: tuple(_MOMENTS[k] for k in range(3) if k not in self._rotations),
            2: ("n",),
            3: (),
        }[len(self._rotations)]
        self.rows = (*moments, *(_FORCES[k] for k in range(3) if k not in self._translations))
        self.units = tuple("rad" if row[0] == "n" else "m" for row in self.rows)
        self.holonomic = (True,) * len(self.rows)

    def wrenches(self, X: Transform) -> list[Force]:
        return [*(Force(m, Vector()) for m in self._moments(X)), *self._pushes(X)]

    def _moments(self, X: Transform) -> list[Vector]:
        if len(self._rotations) == 3:
            return []
        if len(self._rotations) == 2:  # orthogonal to the first axis (in 1) and the last (in 2)
            first, last = self._rotations
            return [column(X.E, first).cross(UNITS[last])]
        return [UNITS[k] for k in range(3) if k not in self._rotations]

    def _pushes(self, X: Transform) -> list[Force]:
        """Forces through the centre of rotation; without rotations or translations,
        through the origin."""
        blocked = [UNITS[k] for k in range(3) if k not in self._translations]
        if not self._translations or not self._rotations:
            return [push(axis) for axis in blocked]
        arm = X.E @ X.r
        return [Force(axis.cross(arm), axis) for axis in blocked]

    def _arm(self, X: Transform) -> Sequence[Scalar]:
        """The translation, along the rotated axes."""
        return (X.E @ X.r).leaves() if self._rotations else X.r.leaves()

    def residual(self, X: Transform) -> list[Scalar]:
        arm = self._arm(X)
        return [
            *self._rotation_errors(X),
            *(arm[k] for k in range(3) if k not in self._translations),
        ]

    def openings(self, X: Transform) -> list[Scalar]:
        squares = [x * x for x in self.residual(X)]
        if len(self._rotations) < 2:
            axis = [X.E.rows[k][k] for k in self._rotations]
            whole = 2.0 - 2.0 * axis[0] if axis else 3.0 - _trace(X)
            squares[: 3 - len(axis)] = [whole, *[0] * (2 - len(axis))]
        return squares

    def coordinates(self, X: Transform) -> list[Scalar]:
        arm = self._arm(X)
        return [*self._angles(X.E.rows), *(arm[k] for k in self._translations)]

    def _angles(self, E: Sequence[Sequence[Scalar]]) -> list[Scalar]:
        """Of E = last rotation · ... · first rotation; see `_along`."""
        if len(self._rotations) == 3:
            level = sqrt(E[0][0] * E[0][0] + E[1][0] * E[1][0])
            return [atan2(-E[2][1], E[2][2]), atan2(E[2][0], level), atan2(-E[1][0], E[0][0])]
        if (
            len(self._rotations) == 2
        ):  # a row of the first rotation alone, a column of the last alone
            first, last = self._rotations
            row = E[last]
            side = [line[first] for line in E]
            return [_along(first, last, row), -_along(last, first, side)]
        if not self._rotations:
            return []
        i, j = (self._rotations[0] + 1) % 3, (self._rotations[0] + 2) % 3
        return [atan2(E[i][j] - E[j][i], E[i][i] + E[j][j])]

    def _rotation_errors(self, X: Transform) -> list[Scalar]:
        if len(self._rotations) == 3:
            return []
        if len(self._rotations) == 2:  # first axis of 1 · last axis of 2
            first, last = self._rotations
            return [X.E.rows[last][first] * -1]
        if not self._rotations:
            return list(rotation_error(X))
        axis = self._rotations[0]
        errors = _tilt(X, axis)
        return [errors[k] for k in range(3) if k != axis]


def _trace(X: Transform) -> Scalar:
    E = X.E.rows
    return E[0][0] + E[1][1] + E[2][2]


def _nearest(x: Scalar) -> Scalar:
    """The nearest whole number: |x| below 2^51."""
    magic = 6755399441055744.0
    return (x + magic) - magic


def _structural(wrench: Force) -> Force:
    """Exact zeros and ones of axes that stand still, as integers that vanish from products."""
    exact = {0.0: 0, 1.0: 1}
    return Force.from_leaves([exact.get(x, x) if type(x) is float else x for x in wrench.leaves()])


def _along(rotation: int, axis: int, row: Sequence[Scalar]) -> Scalar:
    """Angle of a rotation about an axis from the row of its matrix along another axis:  cos on the
    diagonal, sin after it in the order of the axes and -sin before it."""
    if axis == (rotation + 1) % 3:
        return atan2(row[(rotation + 2) % 3], row[axis])
    return atan2(-row[(rotation + 1) % 3], row[axis])


def _twist(X: Transform) -> tuple[Scalar, Scalar]:
    """Cosine and sine of the rotation about z that comes closest to X."""
    E = X.E.rows
    c, s = E[0][0] + E[1][1], E[0][1] - E[1][0]
    scale = 1.0 / sqrt(c * c + s * s + 1e-300)
    return c * scale, s * scale


def _tilt(X: Transform, axis: int = 2) -> tuple[Scalar, ...]:
    """Small rotations that bring axis k of 1 to that of 2, in 2."""
    return tilt(column(X.E, axis), UNITS[axis], axis)
