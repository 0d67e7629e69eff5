"""The parts of a mechanism, as plain frozen data: SI units, tuples of floats, no behaviour; and the
spatial objects that they stand for.

A `Pose` is what a person writes down: position and orientation of a frame in another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict

from armillary.errors import ModelError
from armillary.model.passive import Passive
from armillary.spatial import Inertia, Matrix, Symmetric, Transform, Vector
from armillary.spatial.rotation import cos_sin, from_quaternion, to_quaternion, to_rpy

Triple = tuple[float, float, float]
Rows = tuple[Triple, Triple, Triple]
IDENTITY: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
WORLD = "world"
ONE_AXIS = ("revolute", "prismatic", "helical", "cylindrical", "planar")


@dataclass(frozen=True)
class Pose:
    """A frame B in a frame A: origin of B in A (m), and the columns of `rotation` are B's axes."""

    position: Triple = (0.0, 0.0, 0.0)
    rotation: Rows = IDENTITY

    @classmethod
    def from_rpy(
        cls, position: Sequence[float] = (0, 0, 0), rpy: Sequence[float] = (0, 0, 0)
    ) -> Pose:
        """Rotated by roll, pitch, yaw (rad) about the fixed x, y, z axes of A."""
        if not any(rpy):
            return cls(_triple(position))
        (cr, sr), (cp, sp), (cy, sy) = (cos_sin(float(x)) for x in rpy)
        R_AB = Matrix(
            (
                (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
                (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
                (-sp, cp * sr, cp * cr),
            )
        )
        return cls(_triple(position), _rows(R_AB))

    @classmethod
    def from_quaternion(cls, position: Sequence[float], wxyz: Sequence[float]) -> Pose:
        """Rotated by the quaternion (w, x, y, z), of any length but zero."""
        if len(wxyz) != 4 or not 0.0 < sum(float(x) ** 2 for x in wxyz) < float("inf"):
            raise ModelError(f"a quaternion is four finite numbers, not all zero; found {wxyz}.")
        return cls(_triple(position), _rows(from_quaternion([float(x) for x in wxyz]).T))

    @classmethod
    def from_transform(cls, X_BA: Transform) -> Pose:
        """From the change of coordinates A -> B."""
        return cls(_triple(X_BA.r), _rows(X_BA.E.T))

    def transform(self) -> Transform:
        """X_BA: coordinates in A to coordinates in B."""
        return Transform(Matrix(self.rotation).T, Vector(*self.position))

    def rpy(self) -> Triple:
        return _triple(to_rpy(Matrix(self.rotation).T))

    def quaternion(self) -> tuple[float, float, float, float]:
        return tuple(float(x) for x in to_quaternion(Matrix(self.rotation).T))  # type: ignore[return-value]

    def then(self, inner: Pose) -> Pose:
        """The pose in A of a frame whose pose in B is `inner`."""
        return Pose.from_transform(inner.transform() @ self.transform())


@dataclass(frozen=True)
class Limits:
    """Bounds of one degree of freedom; None where there is none."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None


@dataclass(frozen=True)
class Rotor:
    """Drive-side inertia of one degree of freedom: it adds gear² * inertia on the joint side."""

    inertia: float = 0.0  # kg m², about the motor axis
    gear: float = 1.0  # motor turns per joint turn

    @property
    def reflected(self) -> float:
        return self.inertia * self.gear * self.gear


@dataclass(frozen=True)
class JointSpec:
    """How a body hangs on its parent.

    kind: fixed, revolute, prismatic, helical, cylindrical, universal, planar, spherical, free,
    gimbal, general.  `axes`: unit axes in the joint frame (one for revolute, prismatic, helical,
    cylindrical, planar normal; two for universal; six numbers each for general).
    `passive`, `rotors`, `limits`: one entry per degree of freedom, or empty."""

    name: str
    kind: str
    axes: tuple[tuple[float, ...], ...] = ()
    pitch: float = 0.0  # m/rad, helical only
    free: tuple[str, ...] = ()  # gimbal only
    passive: tuple[Passive, ...] = ()
    rotors: tuple[Rotor, ...] = ()
    limits: tuple[Limits, ...] = ()
    continuous: bool = False  # a revolute joint that its file calls unbounded


@dataclass(frozen=True)
class Mass:
    """Mass (kg), centre of mass (m) and tensor about it (kg m²: xx, yy, zz, xy, xz, yz)."""

    mass: float = 0.0
    com: Triple = (0.0, 0.0, 0.0)
    tensor: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Shape:
    """Something to look at or to touch: a solid of model/solids.py, or a mesh by reference.

    size, m: box x y z; sphere radius; cylinder, capsule, semi-cylinder radius, length; ellipsoid
    three half axes; hollow-cylinder radius, inner radius, length; cone radius, length, top radius;
    prism length, then x y of every corner of its outline.  Lengths run along z."""

    kind: str
    size: tuple[float, ...] = ()
    pose: Pose = field(default_factory=Pose)
    mesh: str = ""  # the reference as the file gives it
    scale: Triple = (1.0, 1.0, 1.0)
    color: tuple[float, float, float, float] | None = None
    role: str = "visual"  # visual or collision

    @property
    def outline(self) -> tuple[tuple[float, float], ...]:
        """Corners (x, y) of a prism."""
        return tuple(zip(self.size[1::2], self.size[2::2], strict=True))

    @property
    def surrounding(self) -> Shape:
        """The box or cylinder around a solid that few formats know; itself where they know it."""
        a, b, c = (*self.size, 0.0, 0.0, 0.0)[:3]
        match self.kind:
            case "ellipsoid":
                return replace(self, kind="box", size=(2.0 * a, 2.0 * b, 2.0 * c))
            case "hollow-cylinder":
                return replace(self, kind="cylinder", size=(a, c))
            case "cone":
                return replace(self, kind="cylinder", size=(max(a, c), b))
            case "semi-cylinder":
                middle = Pose((a / 2.0, 0.0, 0.0))
                return replace(self, kind="box", size=(a, 2.0 * a, b), pose=self.pose.then(middle))
            case "prism":
                (x0, y0), (x1, y1) = (
                    [f(k) for k in zip(*self.outline, strict=True)] for f in (min, max)
                )
                middle = Pose(((x0 + x1) / 2.0, (y0 + y1) / 2.0, 0.0))
                size = (x1 - x0, y1 - y0, a)
                return replace(self, kind="box", size=size, pose=self.pose.then(middle))
        return self


@dataclass(frozen=True)
class Motor:
    """Electrical and thermal data of the motor of one joint; None: not known, no limit."""

    resistance: float  # ohm
    torque_constant: float  # N m / A = V s / rad
    gear: float = 1.0
    inductance: float = 0.0  # H
    voltage_limit: float | None = None  # V
    current_limit: float | None = None  # A, at any instant
    efficiency: float = 1.0
    continuous_current: float | None = None  # A, of the root mean square
    speed_limit: float | None = None  # rad/s, of the motor's own shaft
    thermal_resistance: float | None = None  # K/W, winding to ambient
    thermal_time_constant: float | None = None  # s, of the winding
    temperature_limit: float | None = None  # °C, of the winding


MOTOR_UNITS = {
    "resistance": "ohm",
    "torque_constant": "N m/A",
    "inductance": "H",
    "voltage_limit": "V",
    "current_limit": "A",
    "continuous_current": "A",
    "speed_limit": "rad/s",
    "thermal_resistance": "K/W",
    "thermal_time_constant": "s",
    "temperature_limit": "°C",
}


class BodyData(TypedDict, total=False):
    """Mass, centre, tensor and looks of a body, as `Builder.body` takes them."""

    mass: float
    com: Sequence[float]
    inertia: Sequence[float]
    shapes: Sequence[Shape]


@dataclass(frozen=True)
class Body:
    """One rigid body: its joint to the parent, where that joint sits, and its mass."""

    name: str
    parent: str
    joint: JointSpec
    at: Pose = field(default_factory=Pose)  # the joint frame in the parent's frame
    mass: Mass = field(default_factory=Mass)
    motor: Motor | None = None
    shapes: tuple[Shape, ...] = ()
    unlocked: Body | None = None  # what `unlock` gives back
    locked_at: tuple[float, ...] = ()


@dataclass(frozen=True)
class Frame:
    """A named frame fixed in a body."""

    name: str
    body: str
    pose: Pose = field(default_factory=Pose)


def own_rotation(spec: JointSpec) -> Matrix:
    """R_BK: from the kernel frame K (joint axis along z) to the body frame B.

    Letters give exact permutations: z -> x takes (x, y, z) to (y, z, x)."""
    if spec.kind == "universal":
        first, second = Vector(*spec.axes[0]), Vector(*spec.axes[1])
        third = first.cross(second)
        return Matrix((first.leaves(), second.leaves(), third.leaves())).T
    if spec.kind not in ONE_AXIS:
        return Matrix.identity()
    return z_to(spec.axes[0])


_FLIP = Matrix.diagonal(1, -1, -1)
_Z_TO_LETTER = {
    (1.0, 0.0, 0.0): Matrix(((0, 0, 1), (1, 0, 0), (0, 1, 0))),
    (0.0, 1.0, 0.0): Matrix(((0, 1, 0), (0, 0, 1), (1, 0, 0))),
    (0.0, 0.0, 1.0): Matrix.identity(),
}


def z_to(axis: Sequence[float]) -> Matrix:
    """A rotation that takes z to the axis; the smallest one, except along -x, -y, -z."""
    x, y, z = axis
    if (x, y, z) in _Z_TO_LETTER:
        return _Z_TO_LETTER[(x, y, z)]
    if z < -0.9 or (-x, -y, -z) in _Z_TO_LETTER:
        return z_to((-x, -y, -z)) @ _FLIP
    U = Vector(-y, x, 0.0).skew()  # z × axis
    return Matrix.identity() + U + (U @ U) * (1.0 / (1.0 + z))


def inertia_of(mass: Mass) -> Inertia:
    """Spatial inertia about the body's origin."""
    return Inertia.from_com(mass.mass, Vector(*mass.com), Symmetric(*mass.tensor))


def mass_of(inertia: Inertia) -> Mass:
    """Back to mass, centre and tensor about it."""
    if inertia.mass == 0:
        return Mass(0.0, (0.0, 0.0, 0.0), tuple(map(float, inertia.tensor.leaves())))  # type: ignore[arg-type]
    tensor = tuple(float(x) for x in inertia.tensor_com().leaves())
    return Mass(float(inertia.mass), _triple(inertia.com()), tensor)  # type: ignore[arg-type]


def _triple(values: Iterable[float]) -> Triple:
    x, y, z = (float(v) for v in values)
    return (x, y, z)


def _rows(R: Matrix) -> Rows:
    a, b, c = (_triple(x + 0.0 for x in row) for row in R.rows)  # no -0
    return (a, b, c)
