"""A tree at one state, in arrays: what the formulations of this room start from.

Everything is in body frames, angular part first: X_k takes motions from the parent's frame to that
of body k, S_k holds the axes of its joint (phi, H), c_k = (dS_k/dt) v_k.  Welded bodies are bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree.inverse_dynamics import bias_forces
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import Array
from armillary.evaluate.results import BodyForces
from armillary.model.model import Model
from armillary.model.parts import own_rotation
from armillary.spatial import Transform
from armillary.textbook.formulations.workbook import FORCE, INERTIA, MOTION, Noting
from armillary.textbook.parts import single_wrenches, skew, spatial_inertia

INERTIAS = "kg m², kg m, kg"
VELOCITY, TURN, WRENCH = "rad/s, m/s", "rad/s², m/s²", "N m, N"
STEP = 1e-30  # of a complex step: derivatives without differences


class Machine(Protocol):
    """A mechanism, as far as formulations ask it."""

    model: Model
    evaluator: Evaluator
    mass_matrix: Callable[..., Array]
    forward_dynamics: Callable[..., Array]
    inverse_dynamics: Callable[..., Array]
    bias_forces: Callable[..., Array]
    coriolis_matrix: Callable[..., Array]
    gravity_forces: Callable[..., Array]
    jacobian: Callable[..., Array]
    body_forces: Callable[..., BodyForces]
    poses: Callable[..., Any]


class Axes(NamedTuple):
    """One joint at one position: the transform from the parent's frame, and its axes."""

    X: Array  # (6, 6)
    S: Array  # (6, n)


class TreeState(Noting):
    """The joints and bodies of a tree at q, v, and what acts on them beside the drives.

    q (nq), v (nv); rotors (nv): reflected inertias; v_0, a_0 (6): motion of the world, gravity
    being an upward acceleration.  loads: wrenches on the bodies, for formulations that carry them
    from body to body; resistance (nv): what friction and springs in the joints ask beside them;
    given (nv): what all of this asks of the joints, for formulations that know joints alone."""

    def __init__(
        self, machine: Machine, q: Array, v: Array, passive: bool = True, external: Any = None
    ):
        self.machine, self.model = machine, machine.model
        self.q, self.v, self.passive = q, v, passive
        self.external = single_wrenches(external)
        self.parents = self.model.parents
        self.slots = [slice(slot.v.start, slot.v.stop) for slot in self.model.slots]
        self.I = [spatial_inertia(body.mass) for body in self.model.bodies]  # about the origins
        base = machine.evaluator.base()
        self.gravity = np.array(self.model.gravity, float)
        self.v_0 = np.array(base.velocity.leaves(), float)
        self.a_0 = np.array(base.felt_acceleration().leaves(), float)

    def note_parts(self) -> None:
        """Transforms, axes and inertias of all bodies: what most formulations start from."""
        if self.workbook is None:
            return
        Y = self.workbook.places
        for k, (parent, axes, I) in enumerate(zip(self.parents, self.axes, self.I, strict=True)):
            before = Y[parent] if parent >= 0 else np.eye(6)
            X = Y[k] @ np.linalg.solve(before.T, axes.X.T).T
            self.note(
                "X",
                X,
                "motions from the frame before to this one [VanDerMerwe1995, 2.6]",
                "1, m",
                k,
            )
            self.note("phi", axes.S, "axes of the joint [VanDerMerwe1995, 2.9]", "1, m", k, MOTION)
            self.note(
                "I",
                I,
                "inertia about the frame's origin [VanDerMerwe1995, 4.1]",
                INERTIAS,
                k,
                INERTIA,
            )

    def at_joints(self) -> list[Array]:
        """(6, 6) per body: motions from its frame to one with the same axes at the joint's place
        on the body before, where [VanDerMerwe1995] has the frame of a slide (table 4.1)."""
        found = []
        for body, X in zip(self.model.bodies, self.X, strict=True):
            E, r = turn_and_shift(X)
            d = E @ (turn_and_shift(_matrix(body.at.transform()))[1] - r)
            found.append(np.block([[np.eye(3), np.zeros((3, 3))], [-skew(d), np.eye(3)]]))
        return found

    @property
    def size(self) -> int:
        """Number of bodies."""
        return len(self.parents)

    @cached_property
    def given(self) -> Array:
        """Joint forces (N m, N) that friction, springs, force elements and external wrenches ask
        for."""
        whole = self.machine.bias_forces(self.q, self.v, None, self.passive)
        found = np.array(whole - self.machine.bias_forces(self.q, self.v, None, False), float)
        for frame, wrench in self.external.items():
            found -= self.machine.jacobian(self.q, frame).T @ wrench
        return found

    def interpreted(self, algorithm: Algorithm, fuse: bool = False, **inputs: Array) -> Run:
        """An algorithm of the library at this state, step by step in plain Python."""
        evaluator = self.machine.evaluator
        numbers = {name: x.tolist() for name, x in inputs.items()}
        if self.external and "external" in algorithm.reads:
            tables = evaluator.tables(fuse, self.passive)
            given = {name: (wrench[None], True) for name, wrench in self.external.items()}
            numbers["external"] = evaluator.external_rows(given, 1, tables)[0].tolist()
        return evaluator.interpret(algorithm, numbers, passive=self.passive, fuse=fuse)

    @cached_property
    def _acting(self) -> Run | None:
        """What acts on bodies and joints beside drives and weight; None where nothing does."""
        elements = self.passive and self.machine.evaluator.tables(False, True).elements
        if not self.external and not elements and not self.given.any():
            return None
        return self.interpreted(bias_forces, q=self.q, v=self.v)

    @cached_property
    def loads(self) -> list[Array] | None:
        """(6,) per body: external wrenches and those of force elements, at its origin in its frame
        (N m, N); None where there are none."""
        if self._acting is None:
            return None
        each = zip(self._acting.bodies, self._acting.joints, strict=True)
        found = [_turn(b.own) @ np.array(j.external.leaves(), float) for b, j in each]
        return found if np.any(found) else None

    def load_at_centre(self, k: int) -> tuple[Array, Array]:
        """Moment about the centre of mass and force of the load on body k, in the world."""
        n, f = np.split(self.loads[k], 2) if self.loads else np.zeros((2, 3))
        R = self.poses[k][0]
        return R @ (n - np.cross(np.array(self.model.bodies[k].mass.com), f)), R @ f

    def note_loads(self, kind: str = FORCE) -> None:
        """`loads`, where there are some."""
        for k, w in enumerate(self.loads or ()):
            self.note("w", w, "wrench on the body from outside: the load", WRENCH, k, kind)

    @cached_property
    def resistance(self) -> Array:
        """Joint forces that friction and springs in the joints ask for, N m or N."""
        found = np.zeros(self.model.nv)
        if self._acting is not None:
            each = zip(self.slots, self._acting.bodies, self._acting.joints, strict=True)
            for slot, b, j in each:
                found[slot] = b.resistance(j.q, j.v, b.f)
        return found

    @cached_property
    def rotors(self) -> Array:
        found = np.zeros(self.model.nv)
        for slot, body in zip(self.slots, self.model.bodies, strict=True):
            if self.passive and body.joint.rotors:
                found[slot] = [rotor.reflected for rotor in body.joint.rotors]
        return found

    def joint(self, k: int, q: Sequence[Any]) -> Axes:
        """Joint k at its own coordinates q, which may be complex."""
        body, kernel = self.model.bodies[k], self.model.joints[k]
        turn = _turn(own_rotation(body.joint))
        X = turn @ _matrix(kernel.transform(q)) @ turn.T @ _matrix(body.at.transform())
        return Axes(X, turn @ _columns(kernel.motion_space(q)))

    def place(self, k: int) -> Array:
        """q of joint k."""
        slot = self.model.slots[k].q
        return self.q[slot.start : slot.stop]

    @cached_property
    def axes(self) -> list[Axes]:
        return [self.joint(k, self.place(k).tolist()) for k in range(self.size)]

    @property
    def X(self) -> list[Array]:
        return [axes.X for axes in self.axes]

    @property
    def S(self) -> list[Array]:
        return [axes.S for axes in self.axes]

    @cached_property
    def c(self) -> list[Array]:
        """(dS/dt) v of every joint: what its own motion adds to the acceleration (errata 0-13)."""
        found = []
        for k, (body, kernel) in enumerate(zip(self.model.bodies, self.model.joints, strict=True)):
            bias = kernel.bias(self.place(k).tolist(), self.v[self.slots[k]].tolist())
            turn = _turn(own_rotation(body.joint))
            found.append(turn @ np.array(bias.leaves(), float))
        return found

    def moved(self, k: int, axis: int) -> Axes:
        """Joint k a complex step further along its axis: d/dq is the imaginary part over STEP."""
        step = [1j * STEP if n == axis else 0.0 for n in range(self.model.joints[k].nv)]
        q = [x + 0j for x in self.place(k).tolist()]
        rate = self.model.joints[k].rate(q, step)
        return self.joint(k, [x + y for x, y in zip(q, rate, strict=True)])

    def along_motion(self) -> list[Axes]:
        """All joints a complex step further along the motion: d/dt is the imaginary part / STEP."""
        found = []
        for k, kernel in enumerate(self.model.joints):
            q = [x + 0j for x in self.place(k).tolist()]
            rate = kernel.rate(q, [1j * STEP * x for x in self.v[self.slots[k]]])
            found.append(self.joint(k, [x + y for x, y in zip(q, rate, strict=True)]))
        return found

    def outward(
        self, start: Array, own: Sequence[Array], axes: Sequence[Axes] | None = None
    ) -> list[Array]:
        """x_k = X_k x_parent + own_k, from the world's `start`."""
        found: list[Array] = []
        for k, (parent, joint) in enumerate(zip(self.parents, axes or self.axes, strict=True)):
            found.append(joint.X @ (found[parent] if parent >= 0 else start) + own[k])
        return found

    def inward(self, own: Sequence[Array]) -> list[Array]:
        """f_k = own_k + Σ X_child^T f_child: forces from the tips to the root."""
        found = [np.array(f) for f in own]
        for k in reversed(range(self.size)):
            if self.parents[k] >= 0:
                found[self.parents[k]] += self.X[k].T @ found[k]
        return found

    @cached_property
    def poses(self) -> list[tuple[Array, Array]]:
        """R_Wk and the origin of every body, in the world (m)."""
        found: list[tuple[Array, Array]] = []
        for k, parent in enumerate(self.parents):
            R, p = found[parent] if parent >= 0 else (np.eye(3), np.zeros(3))
            E, r = turn_and_shift(self.X[k])
            found.append((R @ E.T, p + R @ r))
        return found


def turn_and_shift(X: Array) -> tuple[Array, Array]:
    """E and r of  X = [E 0; -E r~ E]."""
    E = X[:3, :3]
    arm = -E.T @ X[3:, :3]
    return E, np.array([arm[2, 1], arm[0, 2], arm[1, 0]])


def cross(v: Array) -> Array:
    """v × of motions, as a matrix; of forces it is minus the transpose."""
    w, u = skew(v[:3]), skew(v[3:])
    return np.block([[w, np.zeros((3, 3))], [u, w]])


def _matrix(X: Transform) -> Array:
    E = np.array(X.E.rows)
    return np.block([[E, np.zeros((3, 3))], [-E @ skew(np.array(X.r.leaves())), E]])


def _turn(R: Any) -> Array:
    return np.kron(np.eye(2), np.array(R.rows, float))


def _columns(space: Any) -> Array:
    return np.array([column.leaves() for column in space]).reshape(-1, 6).T
