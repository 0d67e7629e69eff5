"""The constraints of one mechanism: everything that keeps it closed, made when it is asked for."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from armillary.constraints.assembly import Closer
from armillary.constraints.equations import Equations
from armillary.constraints.forward import ConstrainedForwardDynamics
from armillary.constraints.inverse import ConstrainedInverseDynamics
from armillary.constraints.load_friction import ConstrainedLoadFriction, load_friction_of
from armillary.constraints.plan import report
from armillary.constraints.projection import Projector
from armillary.evaluate.compiled_function import Answers
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import BoundQuestion
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.model import Model


class ConstraintSolver:
    """equations: rows, inertias, ranks and the robust solution (null space).  closer: assembly.
    projector: compiled projection.  forward_dynamics, inverse_dynamics: compiled solutions first
    (embedded or regularised), the robust one behind them."""

    def __init__(self, evaluator: Evaluator):
        self.evaluator = evaluator
        self.equations = Equations(evaluator)

    @cached_property
    def closer(self) -> Closer:
        return Closer(self.equations)

    @cached_property
    def projector(self) -> Projector:
        return Projector(self.equations, self.closer)

    @cached_property
    def forward(self) -> ConstrainedForwardDynamics:
        return ConstrainedForwardDynamics(self.equations)

    @cached_property
    def inverse(self) -> ConstrainedInverseDynamics:
        return ConstrainedInverseDynamics(self.equations)

    @cached_property
    def forward_dynamics(self) -> BoundQuestion:
        """`ConstrainedForwardDynamics`, natively callable."""
        return self.forward.callable()

    @cached_property
    def step_dynamics(self) -> BoundQuestion:
        """The same without a word about open positions: a step of time leaves the constraints and
        is brought back."""
        return self.forward.at_open_positions().callable()

    def compile_report(self) -> list[object]:
        """Which code answers what, and every kernel of accelerations and actuators so far."""
        made = (*self.inverse.compile_report(), *self.forward.compile_report())
        return [report(self.equations), *made]

    def closing(self) -> tuple[ConstraintTable, list[int]]:
        """The constraints, and the rows that a place has to keep."""
        rows = np.flatnonzero(self.closer.closing_rows)
        return self.equations.constraints, [int(row) for row in rows]

    @property
    def load_friction(self) -> ConstrainedLoadFriction:
        """Friction of joints that depends on their loads."""
        return load_friction_of(self.equations)


def answers(model: Model) -> Answers:
    """To the questions that obey the constraints of a model; none where it is a tree."""
    found: Answers = {
        "forward_dynamics": lambda evaluator, _: solver_of(evaluator).forward_dynamics,
        "inverse_dynamics": lambda evaluator, _: solver_of(evaluator).inverse.callable(),
    }
    if any(loop.joint.passive for loop in model.loops):  # springs that the tree does not know
        found = {**found, "energy": lambda evaluator, _: solver_of(evaluator).equations.energy}
    return found if model.constraints else {}


def solver_of(evaluator: Evaluator) -> ConstraintSolver:
    """That of a mechanism, made once."""
    return evaluator.memo.once("constraint solver", lambda: ConstraintSolver(evaluator))
