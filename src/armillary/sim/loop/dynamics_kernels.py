"""Which dynamics a run in the native loop asks for: of a tree, of a closed mechanism, under
penalties, with constraints drawn back.  `NotNative` where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.algorithms.closed.drawn_back import drawn_back
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.constraints.compiled import compiled_kernels
from armillary.constraints.drift import AnyPenalty, CorrectiveForce
from armillary.evaluate.compile_function import NotNative
from armillary.sim.loop.step_data import Kept

if TYPE_CHECKING:
    from armillary.evaluate.program import Program
    from armillary.mechanism.mechanism import Mechanism


def dynamics_program(mechanism: Mechanism, reads: tuple[str, ...], kept: Kept) -> Program:
    """(q, v, tau, ...) -> a."""
    owner = mechanism.evaluator
    if owner.model.load_dependent_joints:
        raise NotNative("friction that depends on loads")
    if not owner.model.constraints:
        if "parameters" not in reads:
            owner.refuse_massless()
        return owner.kernels_of(forward_dynamics, reads, True, True)
    forward = mechanism.constraint_solver.forward
    if isinstance(kept.drawn_back, AnyPenalty) and mechanism.constraint_rows:
        owner.refuse_massless()
        made = forward.penalty_kernels(reads, kept.drawn_back)
    else:
        made = forward.kernels(reads, True)
    if made is None:
        raise NotNative("no traced kernel for the constraints")
    return made


def baumgarte_program(mechanism: Mechanism, kept: Kept) -> tuple[Program, int]:
    """(q, v) -> accelerations that draw open rows back, and how many rows there are."""
    how, equations = kept.drawn_back, mechanism.constraint_solver.equations
    assert how is not None and not isinstance(how, AnyPenalty)
    count, force = equations.constraints.count, isinstance(how, CorrectiveForce)
    gains = (how.kv, how.kp) if isinstance(how, CorrectiveForce) else (2 * how[0], how[1] ** 2)
    made = compiled_kernels(equations, drawn_back(count, *gains, force), ("q", "v"))
    if made is None:
        raise NotNative("no traced kernel that draws constraints back")
    return made, count
