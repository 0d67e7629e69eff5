"""Turns of springs in joints that close loops, counted along a run.

A loop's joint has no coordinate of its own.  Its angle, up to whole turns, follows from the pose of
its frames; which turn it is in stands in a state x of the run, which follows the angle φ:

    dx/dt = dφ/dt + k (φ - x),        φ: the angle nearest to x
"""

from __future__ import annotations

import numpy as np

from armillary.algorithms.closed.turns import turned_springs
from armillary.algorithms.interpreter import Run
from armillary.evaluate.inputs import Array
from armillary.graph.expr import Node
from armillary.joints.loops import LoopClosure
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.control.block import Block, Scalars, made_for
from armillary.sim.motion.user_functions import array_of, columns

_FOLLOWS = 1.0  # 1/s: errors of the steps do not add up


class LoopTurns(Block):
    """Adds what the turns of the springs give to the joint forces.  It drives no joint."""

    entries = ()

    def __init__(self, mechanism: Mechanism):
        self.mechanism, self.built_for = mechanism, made_for(mechanism)
        self._constraints = mechanism.constraint_solver.equations.constraints
        names = [
            f"{constraint.name}.{constraint.closure.joint.coordinates[k]}"
            for constraint in self._constraints.frames
            if isinstance(constraint.closure, LoopClosure)
            for k in constraint.winding
        ]
        self.states, self.state_units = tuple(names), ("rad",) * len(names)
        self._algorithm = turned_springs(len(names))

    def _run(self, q: Scalars, v: Scalars, z: Scalars) -> Run:
        inputs = {"q": list(q), "v": list(v), "turns": list(z)}
        evaluator = self.mechanism.evaluator
        if any(isinstance(x, Node) for x in (*q, *v, *z)):
            return evaluator.inlined(self._algorithm, inputs, constraints=self._constraints)
        return evaluator.interpret(self._algorithm, inputs, constraints=self._constraints)

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        """The angles nearest to the rests of their springs."""
        assert q is not None and v is not None
        rests = [
            0.0 * q[0] + constraint.passive[k].rest
            for constraint in self._constraints.frames
            for k in constraint.winding
        ]
        return list(self._run(q, v, rests).result("angle"))

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        added = self._run(q, v, z).result("force")
        return [x + y for x, y in zip(u, added, strict=True)]

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        run = self._run(q, v, z)
        pairs = zip(run.result("angle"), run.result("rate"), z, strict=True)
        return [rate + _FOLLOWS * (angle - x) for angle, rate, x in pairs]

    def added(self, q: Array, v: Array, z: Array) -> tuple[Array, Array]:
        """What the turns add: forces (S, nv); energy and, for every constraint between frames, the
        wrench on its second body, along the world's axes at its second frame (S, 1 + 6 c)."""
        run = self._run(columns(q), columns(v), columns(z))
        energy = sum(run.result("energy"))
        force = array_of([0.0 * q[..., 0] + x for x in run.result("force")])
        frames = self._constraints.frames
        found = np.zeros((len(q), 1 + 6 * len(frames)))
        found[:, 0] = energy
        pushes = iter(run.result("push_W"))
        for k, constraint in enumerate(frames):
            for _ in constraint.winding:
                for n in range(6):
                    found[:, 1 + 6 * k + n] += next(pushes)
        return force, found


def loop_turns(mechanism: Mechanism) -> list[Block]:
    """The block of a mechanism that needs one."""
    if not mechanism.model.constraints:
        return []
    frames = mechanism.constraint_solver.equations.constraints.frames
    return [LoopTurns(mechanism)] if any(x.winding for x in frames) else []
