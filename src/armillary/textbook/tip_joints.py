"""The joint between the tip of a chain and the member it holds  [VanDerMerwe1995, 6.9-6.20].

Rows t of the joint's constraint space ask  t · v = 0  of the relative velocity v of its second
frame in the first; their rates follow from the closure of the joint, as in `Mechanism.solve`.
The source takes phi^c for constant in the tip's frame (6.4.1), which lacks the rate of phi^c of
every joint whose directions follow the member, such as a universal joint (errata 0-60 restores
only the part of a moving tip frame).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.linalg import qr
from numpy.typing import ArrayLike

from armillary.errors import InputError, ModelError
from armillary.evaluate.inputs import Array
from armillary.joints.closures import Closure, rate_bias
from armillary.joints.loops import GimbalLoop, LoopClosure, loop_closure
from armillary.model.constraint_parts import DIRECTIONS, Loop
from armillary.model.joints import kernel_joint
from armillary.model.parts import Frame, own_rotation
from armillary.spatial import Force, Matrix, Motion, Transform, Vector
from armillary.textbook.linear import solve
from armillary.textbook.parts import Directions, directions, skew, tree_of

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism

TipJoint = Directions | Loop


@dataclass(frozen=True)
class Held:
    """A tip joint at one state, in the tip's frame at its origin, for the member against the tip.

    The member's acceleration a and the tip's x (both of the point at the tip's origin) obey
    phi_c^T (a - x) = rate + alpha_c,  with alpha_c = `given(rows)`."""

    phi: Array  # (6, n): wrenches on the member that drive the free directions
    phi_c: Array  # (6, n_c): orthonormal
    rate: Array  # (n_c): from velocities alone
    rows: Array  # phi_c^T T, with the rows T that accelerations are given along: those of a loop,
    # or phi_c itself

    def given(self, alpha: Array) -> Array:
        """Accelerations along these rows as components of phi_c."""
        return _along(self.rows, alpha)


class StandingDirections(Closure):
    """Directions (6, n) that stand still in frame 1, of a point that stands still in frame 2."""

    def __init__(self, columns: Array):
        self.columns = columns.T.tolist()
        self.rows = tuple(str(k + 1) for k in range(len(self.columns)))
        self.units = ("m",) * len(self.rows)
        self.holonomic = (False,) * len(self.rows)

    def wrenches(self, X: Transform) -> list[Force]:
        return [Force(X.E @ Vector(*c[:3]), X.E @ Vector(*c[3:])) for c in self.columns]

    def residual(self, X: Transform) -> list[float]:
        return [0.0] * len(self.columns)


@dataclass(frozen=True)
class End:
    """A frame of the joint and the velocity of its body there, along the world's axes."""

    R: Array
    p: Array
    w: Array
    v: Array

    @classmethod
    def on(cls, machine: Mechanism, q: Array, v: Array, body: str, R: Array, p: Array) -> End:
        velocity = machine.velocity(q, v, body, "world_aligned")
        w = velocity[:3]
        return cls(R, p, w, velocity[3:] + np.cross(w, p - machine.pose(q, body)[1]))

    def acceleration(self, still: Array) -> Array:
        """Of the origin, where the body's point at `still` has none and the body no angular one."""
        return np.cross(self.w, np.cross(self.w, self.p - still))


def tip_joint(
    machine: Mechanism,
    member: str,
    tip: str,
    given: TipJoint,
    q: Array,
    v: Array,
    free: ArrayLike | None = None,
) -> Held:
    """What the joint between tip and member forbids, and how that changes with the motion.

    Names: the joint whose axes are the tip's at this state, turns about x, y, z in sequence and
    slides along the turned axes.  Columns (6, n): directions that stand still in the tip's frame.
    A `Loop`: its joint between its two frames."""
    R, p = machine.pose(q, tip)
    if isinstance(given, Loop):
        if free is not None:
            raise InputError(
                f"free['{tip}']: the loop '{given.name}' has coordinates of its own, which h "
                f"counts along. Give the constrained directions as columns instead."
            )
        loop, one, two = _loop(machine, member, tip, given, q, v)
        closure: Closure = loop
        X = pose_of_2_in_1(one, two)
        sign = 1.0 if given.second.body in tree_of(machine, member) else -1.0
        T = sign * wrenches_at(R, p, two, closure.wrenches(X))
        phi = sign * wrenches_at(R, p, two, loop.freedoms(X)[1])
        phi_c = _orthonormal(T)
    else:
        one = End.on(machine, q, v, machine.model.frame(tip).body, R, p)
        two = End.on(machine, q, v, member, R, p)
        phi_c, phi = directions(f"tips['{tip}']", given)
        closure = _closure(given, phi, phi_c)
        if free is not None:
            phi = directions(f"tips['{tip}']", given, free)[1]
        X = pose_of_2_in_1(one, two)
        T = wrenches_at(R, p, two, closure.wrenches(X))
    rows = phi_c.T @ T
    named = rows if isinstance(given, Loop) else np.eye(len(rows))
    return Held(phi, phi_c, _along(rows, row_rate(closure, X, one, two, p)), named)


def row_rate(closure: Closure, X: Transform, one: End, two: End, tip: Array) -> Array:
    """t · (a - x) of every row of the joint that its velocities ask for.

    d/dt of the components, in frame 2, of  (ω_2 - ω_1; v_2 - v_1 - ω_1 × d)  is what the rows
    bound; here it is known but for a and x, the accelerations of the point at the tip's origin."""
    d, w = two.p - one.p, two.w - one.w
    u = two.v - one.v - np.cross(one.w, d)
    turning = -np.cross(two.w, w)
    moving = two.acceleration(tip) - one.acceleration(tip)
    moving = moving - np.cross(one.w, two.v - one.v) - np.cross(two.w, u)
    rest = np.concatenate([two.R.T @ turning, two.R.T @ moving])
    speed = Motion.from_leaves([*(two.R.T @ w).tolist(), *(two.R.T @ u).tolist()])
    t = _columns(closure.wrenches(X))
    return np.asarray(np.array(rate_bias(closure, X, speed), float) - t.T @ rest)


def _loop(
    machine: Mechanism, member: str, tip: str, loop: Loop, q: Array, v: Array
) -> tuple[LoopClosure, End, End]:
    """The closure of a loop and its two frames, turned to the axes of the joint."""
    held, mine = tree_of(machine, member), machine.model.frame(tip).body
    bodies = [loop.first.body, loop.second.body]
    others = [body for body in bodies if body != mine]
    if len(others) != 1 or others[0] not in held:
        raise ModelError(
            f"tips['{tip}']: expected a loop between '{mine}', the body of '{tip}', and "
            f"'{member}', found '{loop.name}' between '{bodies[0]}' and '{bodies[1]}'."
        )
    if loop.joint.kind == "general":
        raise ModelError(
            f"tips['{tip}']: a general joint has no closed form of its coordinates, so this method "
            f"does not know its directions. Build the mechanism with the loop and use solve()."
        )
    if any(not p.is_nothing() for p in loop.joint.passive):
        raise ModelError(
            f"tips['{tip}']: friction and springs of loop '{loop.name}' are unknown to this "
            f"method. Give their forces as h['{tip}'], or use solve()."
        )
    turn = np.array(own_rotation(loop.joint).rows, float)
    one, two = (end_of(machine, q, v, frame, turn) for frame in (loop.first, loop.second))
    return loop_closure(kernel_joint(loop.joint)), one, two


def end_of(machine: Mechanism, q: Array, v: Array, frame: Frame, turn: Array) -> End:
    R, p = machine.pose(q, frame.body)
    place = p + R @ np.array(frame.pose.position)
    return End.on(machine, q, v, frame.body, R @ np.array(frame.pose.rotation) @ turn, place)


def _closure(given: Directions, phi: Array, phi_c: Array) -> Closure:
    if all(isinstance(d, str) for d in given):  # type: ignore[union-attr]
        return GimbalLoop([DIRECTIONS[int(k)] for k in np.argmax(phi, axis=0)] if phi.size else ())
    return StandingDirections(phi_c)


def pose_of_2_in_1(one: End, two: End) -> Transform:
    E, r = two.R.T @ one.R, one.R.T @ (two.p - one.p)
    return Transform(Matrix(tuple(map(tuple, E.tolist()))), Vector(*r.tolist()))


def _columns(wrenches: Sequence[Force]) -> Array:
    return np.array([w.leaves() for w in wrenches], float).reshape(-1, 6).T


def wrenches_at(R: Array, p: Array, two: End, wrenches: Sequence[Force]) -> Array:
    """Wrenches given in frame 2 as columns (6, n) in the tip's frame at its origin."""
    A = R.T @ two.R
    arm = skew(R.T @ (two.p - p))
    return np.asarray(np.block([[A, arm @ A], [np.zeros((3, 3)), A]]) @ _columns(wrenches))


def _orthonormal(T: Array) -> Array:
    """An orthonormal basis of the columns; the columns themselves where they are orthonormal."""
    Q, R = qr(T)
    return np.asarray(Q * np.where(np.diag(R) < 0, -1.0, 1.0))


def _along(rows: Array, values: Array) -> Array:
    """Numbers along the rows T of the joint as components along phi_c:  T = phi_c rows."""
    return solve(rows.T, values) if values.size else values
