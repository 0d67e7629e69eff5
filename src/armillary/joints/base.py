"""The joint contract: everything a joint must say about itself.

A joint connects an inboard frame J (fixed in the parent, at the joint's placement) with the body
frame B on its outboard side.  It knows nothing of trees, files or time.  One-axis joints rotate
about or translate along z; the model rotates its frames so that this holds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from armillary.scalar import Scalar
from armillary.spatial import Force, ForceSpace, Motion, MotionSpace, Transform, Vector
from armillary.spatial.small import LDL, orthogonal_complement

Coordinates = Sequence[Scalar]


class Joint(ABC):
    """0 to 6 degrees of freedom between two bodies.

    `q` (nq) positions, `v` (nv) velocities.  All spatial vectors are in the body frame B."""

    kind: ClassVar[str] = ""
    coordinates: tuple[str, ...] = ()  # names of the entries of q
    units: tuple[str, ...] = ()  # units of the entries of v: "rad" or "m" (per second)
    nq: int = 0
    nv: int = 0
    # Axes carried out one after the other, in this order; None: all at once (a group, like a ball)
    order: tuple[int, ...] | None = None
    may_lock: bool = False  # do axes coincide somewhere, as those of a gimbal at a quarter turn?

    def parameters(self) -> tuple[Scalar, ...]:
        """Numbers that may differ between joints of one type (a pitch, axes)."""
        return ()

    def with_parameters(self, values: Sequence[Scalar]) -> Joint:
        """The same type of joint with other parameters."""
        return self

    def key(self) -> tuple:
        """What tells this joint type from others: equal keys share compiled code."""
        return (self.kind, self.nv)

    @abstractmethod
    def transform(self, q: Coordinates) -> Transform:
        """X_BJ."""

    @abstractmethod
    def motion_space(self, q: Coordinates) -> MotionSpace:
        """S(q): the relative velocity is S @ v  (phi of [VanDerMerwe1995, 2.9])."""

    def motion_space_rate(self, q: Coordinates, v: Coordinates) -> MotionSpace:
        """dS/dt as seen in B; zero where S is constant (errata 0-13)."""
        if self.order is None:
            return MotionSpace([Motion.zero() for _ in range(self.nv)])
        return sequence_rate(self.motion_space(q).columns, self.order, v)

    def bias(self, q: Coordinates, v: Coordinates) -> Motion:
        """(dS/dt) v: the part of the relative acceleration that is not S a (errata 0-12, 0-13)."""
        return self.motion_space_rate(q, v) @ v

    def constraint_space(self, q: Coordinates) -> ForceSpace:
        """T(q), 6 - nv wrenches that do no work on the joint's motion:  S^T T = 0."""
        columns = [column.leaves() for column in self.motion_space(q)]
        return ForceSpace([Force.from_leaves(c) for c in orthogonal_complement(columns, 6)])

    def dual_bases(self, q: Coordinates) -> tuple[ForceSpace, MotionSpace]:
        """psi (driving wrenches) and phi^c (forbidden motions) that go with S and T.

        [psi T]^T = [S phi^c]^-1  [VanDerMerwe1995, 2.10-2.15]: a transmitted wrench is
        f = psi (S^T f) + T (phi^c^T f).  psi is a choice: see `driving_wrenches`."""
        S = self.motion_space(q).columns
        psi = self.driving_wrenches(S)
        return ForceSpace(psi), MotionSpace(self._forbidden(q, S, psi))

    def driving_wrenches(self, S: Sequence[Motion]) -> list[Force]:
        """psi with S^T psi = 1: a rotation is driven by a pure couple, a translation by a force
        that does no work on the rotations.  This does not depend on the unit of length."""
        rotations = [k for k, unit in enumerate(self.units) if unit == "rad"]
        couples = normalize([S[k].angular.leaves() for k in rotations])
        translations = [k for k in range(self.nv) if k not in rotations]
        forces = normalize([S[k].linear.leaves() for k in translations])
        psi: list[Force] = [Force.zero()] * self.nv
        for k, couple in zip(rotations, couples, strict=True):
            psi[k] = Force(Vector(*couple), Vector())
        for k, force in zip(translations, forces, strict=True):
            along = Vector(*force)
            moment = Vector()
            for r in rotations:
                moment = moment - psi[r].angular * S[r].linear.dot(along)
            psi[k] = Force(moment, along)
        return psi

    def _forbidden(self, q: Coordinates, S: Sequence[Motion], psi: Sequence[Force]) -> list[Motion]:
        """phi^c = (1 - S psi^T) T (T^T T)^-1: free of what the driving wrenches feel."""
        columns = []
        for leaves in normalize([c.leaves() for c in self.constraint_space(q)]):
            motion = Motion.from_leaves(leaves)
            kept = motion
            for axis, wrench in zip(S, psi, strict=True):
                kept = kept - axis * motion.dot(wrench)
            columns.append(kept)
        return columns

    def bearing(self, f: Force) -> tuple[Sequence[Scalar], ...]:
        """Components of the wrench f in the joint that press on its bearings, body frame at the
        joint: force across the axis, force along it, moment, and S·f, which drives the joint."""
        raise NotImplementedError(f"a {self.kind} joint has not one axis")

    def neutral(self) -> tuple[Scalar, ...]:
        """q of the closed, untwisted joint."""
        return (0.0,) * self.nq

    def integrate(self, q: Coordinates, step: Coordinates) -> tuple[Scalar, ...]:
        """q moved by the tangent vector `step` (velocity times time)."""
        return tuple(a + b for a, b in zip(q, step, strict=True))

    def difference(self, q0: Coordinates, q1: Coordinates) -> tuple[Scalar, ...]:
        """The tangent vector that leads from q0 to q1:  integrate(q0, difference) = q1."""
        return tuple(b - a for a, b in zip(q0, q1, strict=True))

    def rate(self, q: Coordinates, v: Coordinates) -> tuple[Scalar, ...]:
        """dq/dt (nq) of the velocity v (nv)."""
        return tuple(v)


def sequence_rate(columns: Sequence[Motion], order: Sequence[int], v: Coordinates) -> MotionSpace:
    """dS/dt of a joint made of one-axis motions carried out in the given order.

    Axis k is fixed in the frame before the later axes, so seen from B it moves with minus their
    velocity:  dS_k/dt = S_k × Σ_later S_m v_m  [VanDerMerwe1995, 5.68-5.71; errata 0-25]."""
    rates: list[Motion] = [Motion.zero()] * len(columns)
    later = Motion.zero()
    for k in reversed(order):
        rates[k] = columns[k].cross(later)
        later = later + columns[k] * v[k]
    return MotionSpace(rates)


def pure_rotation(x: Scalar = 0, y: Scalar = 0, z: Scalar = 0) -> Motion:
    return Motion(Vector(x, y, z), Vector())


def pure_translation(x: Scalar = 0, y: Scalar = 0, z: Scalar = 0) -> Motion:
    return Motion(Vector(), Vector(x, y, z))


def wrench_units(*indices: int) -> ForceSpace:
    """Unit wrenches: 0-2 moments about x, y, z; 3-5 forces along them."""
    columns = []
    for index in indices:
        leaves = [0] * 6
        leaves[index] = 1
        columns.append(Force.from_leaves(leaves))
    return ForceSpace(columns)


def normalize(columns: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """C (C^T C)^-1, column by column."""
    n = len(columns)
    if n == 0:
        return []
    gram = [[sum((a * b for a, b in zip(x, y, strict=True)), 0) for y in columns] for x in columns]
    factor = LDL(gram)
    result: list[list[Scalar]] = []
    for k in range(n):
        weights = factor.solve([1 if i == k else 0 for i in range(n)])
        result.append(
            [
                sum((c[r] * w for c, w in zip(columns, weights, strict=True)), 0)
                for r in range(len(columns[0]))
            ]
        )
    return result
