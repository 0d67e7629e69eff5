"""What a constraint between two frames forbids, as a function of their relative pose alone.

Frame 2 moves relative to frame 1 with the pose X_21 and the velocity v (of 2 in 1, in frame 2 at
its origin).  Each row of a closure is a wrench t(X_21) that does no work on the allowed motion:
t · v = 0.  The multiplier of the row is the size of that wrench, exerted on 2 by 1.  Rates follow
from the wrenches by dual numbers, so there is nothing else to derive by hand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from armillary.scalar import Dual, Scalar, sqrt, where
from armillary.spatial import Force, Matrix, Motion, Transform, Vector


class Closure(ABC):
    """Rows between two frames.  `holonomic`: which rows are the rate of a residual."""

    rows: tuple[str, ...] = ()  # short names: n.. moments, f.. forces
    units: tuple[str, ...] = ()  # unit of the forbidden motion of each row, "rad" or "m"
    holonomic: tuple[bool, ...] = ()
    ideal = True  # does the force act along the rows themselves?

    def parameters(self) -> tuple[Scalar, ...]:
        return ()

    def with_parameters(self, values: Sequence[Scalar]) -> Closure:
        return self

    @abstractmethod
    def wrenches(self, X: Transform) -> list[Force]:
        """t of every row, in frame 2 at its origin."""

    @abstractmethod
    def residual(self, X: Transform) -> list[Scalar]:
        """How far the frames are from each other along every row (0 for rolling rows); near
        closure its rate is t · v."""

    def openings(self, X: Transform) -> list[Scalar]:
        """Squares of residuals whose sum tells how far the frames are from closure, by the
        shortest way; a rotation as a whole may stand in the first row of its kind."""
        return [x * x for x in self.residual(X)]

    def forces(self, X: Transform) -> list[Force]:
        """The wrench that goes with each multiplier: t itself, unless there is friction."""
        return self.wrenches(X)

    def given_force(self, X: Transform) -> Force:
        """A known wrench on 2, in frame 2."""
        return Force.zero()


def rate_bias(closure: Closure, X: Transform, v: Motion) -> list[Scalar]:
    """-(dt/dt) · v of every row: what  t · dv/dt  must be (derivatives of components in 2)."""
    rates = []
    for wrench in closure.wrenches(moving(X, v)):
        slope = Force.from_leaves([_slope(x) for x in wrench.leaves()])
        rates.append(-v.dot(slope))
    return rates


def moving(X: Transform, v: Motion) -> Transform:
    """X_21 as dual numbers:  dE/dt = -ω × E,  dr/dt = E^T v  (errata 0-24)."""
    E_rate = (v.angular.skew() @ X.E) * -1
    r_rate = X.E.T @ v.linear
    leaves = [
        *zip(X.E.leaves(), E_rate.leaves(), strict=True),
        *zip(X.r.leaves(), r_rate.leaves(), strict=True),
    ]
    return Transform.from_leaves([_dual(x, rate) for x, rate in leaves])


def _dual(x: Scalar, rate: Scalar) -> Scalar:
    return x if type(x) is int else Dual(x, rate)


def _slope(x: Scalar) -> Scalar:
    return x.slope if isinstance(x, Dual) else 0


def column(E: Matrix, k: int) -> Vector:
    """Axis k of frame 1, in frame 2."""
    return Vector(*(row[k] for row in E.rows))


UNITS = (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))
_OPPOSITE = 1e-14  # of 1 + cosine: nearer to half a turn the axis of rotation is lost in rounding


def tilt(one: Vector, two: Vector, axis: int) -> tuple[Scalar, ...]:
    """2 sin(angle / 2) along the axis of the rotation from one unit vector to another; the angle
    for small ones.  Opposite ones need half a turn about any axis: 2 about the next one."""
    gap = one.dot(two) + 1.0
    opposite = gap < _OPPOSITE
    stretch = sqrt(2.0 / where(opposite, 1.0, gap))
    rotation = [x * stretch for x in one.cross(two).leaves()]
    other = (axis + 1) % 3
    return tuple(where(opposite, 2.0 if k == other else 0.0, rotation[k]) for k in range(3))


def rotation_error(X: Transform) -> tuple[Scalar, ...]:
    """2 sin(angle / 2) along the axis of the rotation of 2 in 1; the angle for small ones."""
    E = X.E.rows
    gap = E[0][0] + E[1][1] + E[2][2] + 1.0
    opposite = gap < _OPPOSITE
    stretch = 1.0 / sqrt(where(opposite, 1.0, gap))
    rotation = (E[1][2] - E[2][1], E[2][0] - E[0][2], E[0][1] - E[1][0])
    pairs = zip(_half_turn(E), rotation, strict=True)
    return tuple(where(opposite, h, x * stretch) for h, x in pairs)


def _half_turn(E: Sequence[Sequence[Scalar]]) -> Sequence[Scalar]:
    """Along the axis u of a half turn, E + 1 = 2 u u^T: the column with the largest u_k."""
    best: Sequence[Scalar] = [E[0][0] + 1.0, E[1][0], E[2][0]]
    size: Scalar = E[0][0]
    for k in (1, 2):
        larger = E[k][k] > size
        column = [E[i][k] + (1.0 if i == k else 0.0) for i in range(3)]
        best = [where(larger, x, y) for x, y in zip(column, best, strict=True)]
        size = where(larger, E[k][k], size)
    return best


def unit(v: Vector) -> Vector:
    return v * (1.0 / sqrt(v.dot(v)))


def away(v: Vector) -> Vector:
    """The direction of v; x where it has none (two points that coincide)."""
    square = v.dot(v)
    somewhere = square > 0
    scale = 1.0 / sqrt(where(somewhere, square, 1.0))
    return Vector(v.x * scale + where(somewhere, 0.0, 1.0), v.y * scale, v.z * scale)


def push(direction: Vector) -> Force:
    """A force through the origin of frame 2."""
    return Force(Vector(), direction)


class Distance(Closure):
    """|r| = length: a massless rod, or a point on a sphere."""

    rows, units, holonomic = ("f",), ("m",), (True,)

    def __init__(self, length: Scalar):
        self.length = length

    def parameters(self) -> tuple[Scalar, ...]:
        return (self.length,)

    def with_parameters(self, values: Sequence[Scalar]) -> Distance:
        return Distance(*values)

    def wrenches(self, X: Transform) -> list[Force]:
        return [push(away(X.E @ X.r))]

    def residual(self, X: Transform) -> list[Scalar]:
        return [sqrt(X.r.dot(X.r)) - self.length]


class OnPlane(Closure):
    """The origin of 2 stays in the plane z = 0 of 1."""

    rows, units, holonomic = ("f",), ("m",), (True,)

    def wrenches(self, X: Transform) -> list[Force]:
        return [push(column(X.E, 2))]

    def residual(self, X: Transform) -> list[Scalar]:
        return [X.r.z]


class OnCylinder(Distance):
    """The origin of 2 keeps its distance from the z axis of 1."""

    def with_parameters(self, values: Sequence[Scalar]) -> OnCylinder:
        return OnCylinder(*values)

    def wrenches(self, X: Transform) -> list[Force]:
        return [push(away(X.E @ Vector(X.r.x, X.r.y, 0)))]

    def residual(self, X: Transform) -> list[Scalar]:
        return [sqrt(X.r.x * X.r.x + X.r.y * X.r.y) - self.length]


class Contact(Closure):
    """Chosen directions of frame 1 are constrained  [VanDerMerwe1995, 5.22-5.30].

    sticking: free directions along which nothing slides.  Their rows come last and have a velocity
    and no position: a contact sticks wherever it has stopped."""

    _NAMES = ("rx", "ry", "rz", "dx", "dy", "dz")

    def __init__(
        self,
        constrained: Sequence[str],
        force: Sequence[tuple[str, Scalar]] = (),
        friction: Sequence[tuple[str, str, Scalar]] = (),
        sticking: Sequence[str] = (),
    ):
        self.constrained, self.force, self.friction = tuple(constrained), force, friction
        self.sticking = tuple(sticking)
        held = (*self.constrained, *self.sticking)
        self.rows = tuple(("n" if d[0] == "r" else "f") + d[1] for d in held)
        self.units = tuple("rad" if d[0] == "r" else "m" for d in held)
        rotations = [d for d in self.constrained if d[0] == "r"]
        has_position = [d[0] == "d" or len(rotations) > 1 for d in self.constrained]
        self.holonomic = (*has_position, *(False for _ in self.sticking))
        self.ideal = not self.friction

    def parameters(self) -> tuple[Scalar, ...]:
        return (*(x for _, x in self.force), *(x for _, _, x in self.friction))

    def with_parameters(self, values: Sequence[Scalar]) -> Contact:
        force = [(d, x) for (d, _), x in zip(self.force, values, strict=False)]
        rest = values[len(force) :]
        friction = [(d, c, x) for (d, c, _), x in zip(self.friction, rest, strict=True)]
        return Contact(self.constrained, force, friction, self.sticking)

    def _wrench(self, X: Transform, direction: str) -> Force:
        axis = column(X.E, "xyz".index(direction[1]))
        return push(axis) if direction[0] == "d" else Force(axis, Vector())

    def wrenches(self, X: Transform) -> list[Force]:
        return [self._wrench(X, d) for d in (*self.constrained, *self.sticking)]

    def forces(self, X: Transform) -> list[Force]:
        total = dict(zip((*self.constrained, *self.sticking), self.wrenches(X), strict=True))
        for along, of, coefficient in self.friction:
            total[of] = total[of] + self._wrench(X, along) * coefficient
        return list(total.values())

    def given_force(self, X: Transform) -> Force:
        total = Force.zero()
        for direction, size in self.force:
            total = total + self._wrench(X, direction) * size
        return total

    def residual(self, X: Transform) -> list[Scalar]:
        rotations = dict(zip(self._NAMES, (*self._rotation_errors(X), *X.r.leaves()), strict=True))
        return [
            rotations[d] if known else 0
            for d, known in zip((*self.constrained, *self.sticking), self.holonomic, strict=True)
        ]

    def _rotation_errors(self, X: Transform) -> tuple[Scalar, ...]:
        """Small rotations of 2 in 1 about the axes of 1."""
        free = [k for k in range(3) if self._NAMES[k] not in self.constrained]
        if len(free) == 1:  # the free axis keeps its direction: axis_1 × axis_2, in 1
            return tilt(UNITS[free[0]], Vector(*X.E.rows[free[0]]), free[0])
        return rotation_error(X)
