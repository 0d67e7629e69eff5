"""Compiled forces of closed mechanisms: multipliers, reactions and wrenches of constraints, for
accelerations that are known (algorithms/closed/joint_forces.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.closed.embedding import Pivot
from armillary.algorithms.closed.joint_forces import ForcePlan, joint_forces
from armillary.constraints import kept_rows
from armillary.constraints.compiled_rows import Asked
from armillary.constraints.loop_forces import LoopForces, loop_forces
from armillary.constraints.nullspace import RANK_TOLERANCE
from armillary.constraints.own_code import own_plan
from armillary.constraints.own_size import may_be_compiled, may_be_rolled
from armillary.constraints.plan import following_rows, plan_at, plan_of
from armillary.constraints.sparse_plan import sparse_plan
from armillary.constraints.states import finite_rows
from armillary.evaluate.inputs import Array
from armillary.model.lowering.constraints import lower_constraints
from armillary.model.lowering.tree import parametric

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.lean_call import OneOrMany
    from armillary.model.lowering.tree import Tables

Rows = NDArray[np.intp]

# states: for fewer, the null space is done before the code would be compiled; and unknowns of
# states, where the mechanism is too large for code in a row
_WORTH, _WORTH_UNKNOWNS = 100, 2000
_WORTH_LONG = 1000  # states: for fewer, the null space is done before long code would be compiled
_ASKED = "states asked for forces"
_WORTH_OTHERS = 20  # states that were left: then other pivots are compiled
_CHOICES = 3  # of other pivots
_PER_BODY = 290  # operations of the budget that a body counts for: more are not even traced


class ForceKernels:
    """Straight-line code of all forces, and behind it code that solves for other pivots: where one
    of them passes through zero along a motion, others are healthy."""

    def __init__(
        self,
        equations: Equations,
        external: bool,
        passive: bool,
        plan: ForcePlan,
        given: bool,
        rolls: bool,
        states: int,
    ):
        """given: numbers of the bodies are inputs.  rolls: long code is rolled up.  states: how
        many are to be expected, by what was asked before."""
        self._equations, self._external, self._passive = equations, external, passive
        self._given, self._rolls, self._states = given, rolls, states
        self._plans, self._left = [plan], 0
        self._known: dict[ForcePlan, OneOrMany] = {}
        self._codes = [self._code(plan)]

    @property
    def specialised(self) -> bool:
        return self._codes[0].program.specialised()

    @property
    def tables(self) -> Tables:
        return self._codes[0].program.tables

    def __call__(self, inputs: Mapping[str, Array], count: int) -> dict[str, Array]:
        """As joint_forces has them; NaN in rows that are left to the null space."""
        self._forget()
        found = self._codes[0](inputs, count)
        left = _left(found)
        for code in self._codes[1:]:
            left = self._put(found, code, inputs, left)
        if len(left) and self._choose_others(inputs, left):
            self._put(found, self._codes[-1], inputs, left)
        return found

    def one(self, q: Array, v: Array, a: Array, tau: Array) -> dict[str, Array] | None:
        """Of one state, natively; None where no code answers."""
        self._forget()
        for code in self._codes:
            if (found := code.one(q, v, a, tau)) is not None:
                return found
        if self._choose_others({"q": q[None]}, np.zeros(1, np.intp)):
            return self._codes[-1].one(q, v, a, tau)
        return None

    def _forget(self) -> None:
        if self._equations.steady:  # pivots that earlier states have chosen count for nothing
            del self._plans[1:], self._codes[1:]

    def _put(
        self, found: dict[str, Array], code: OneOrMany, inputs: Mapping[str, Array], left: Rows
    ) -> Rows:
        """The rows that were left, by another code, in place; what this one leaves."""
        if not len(left):
            return left
        some = {name: x if len(x) == 1 else x[left] for name, x in inputs.items()}
        others = code(some, len(left))
        for name, x in found.items():
            x[left] = others[name]
        return left[_left(others)]

    def _choose_others(self, inputs: Mapping[str, Array], left: Rows) -> bool:
        """Other pivots, healthy at the first state that was left; worth it once there were many."""
        self._left += len(left)
        few = self._left < _WORTH_OTHERS and not self._equations.steady
        if few or len(self._codes) > _CHOICES:
            return False
        self._left = 0
        q = inputs["q"]
        usual = own_plan(self._equations)
        at = usual and plan_at(self._equations, usual, q[left[0] if len(q) > 1 else 0])
        if at is None or self._plans[0].pivots is None:
            return False
        plan = replace(self._plans[0], pivots=at.pivots)
        if plan in self._plans:
            return False
        self._plans.append(plan)
        self._codes.append(self._code(plan))
        return True

    def _code(self, plan: ForcePlan) -> OneOrMany:
        from armillary.evaluate.lean_call import OneOrMany
        from armillary.evaluate.program import Program
        from armillary.evaluate.request import Request

        if plan in self._known:
            return self._known[plan]
        equations, owner = self._equations, self._equations.evaluator
        tables = owner.tables(False, self._passive)
        constraints = lower_constraints(equations.model, tables)
        if self._given:
            tables = parametric(equations.model, False, self._passive)
        tables = replace(tables, constraints=constraints if self._passive else constraints.bare)
        more = ("external",) * self._external + ("parameters",) * self._given
        reads = ("q", "v", "a", "tau", *more)
        request = Request(joint_forces(plan), reads, owner.moving_base, owner.vertical_gravity)
        options = replace(owner.options, states=max(owner.options.states, self._states))
        program = Program(request, tables, options, rolls=self._rolls)
        made = OneOrMany(program, owner.base_numbers)
        self._known[plan] = made
        return made


def _left(found: Mapping[str, Array]) -> Rows:
    """Numbers of the states without an answer."""
    return np.flatnonzero(~finite_rows(*found.values()))


def force_kernels(
    equations: Equations, external: bool, passive: bool, given: bool = False
) -> ForceKernels | None:
    """Code of all forces, made once; None where there is none.  given: numbers of the bodies are
    inputs.  Long code that is rolled up is made once so many states were asked for."""
    states, rolls = equations.memo.once(_ASKED, Asked).count, may_be_rolled(equations)
    found = None
    often = rolls and states >= _WORTH_LONG and not equations.steady
    for many in (0, states)[: 1 + often]:
        key = ("forces", external, passive, given, rolls, bool(many))
        make = partial(_make, equations, external, passive, given, rolls, many)
        found = found or equations.memo.once(key, make)
    return found


def _make(
    equations: Equations, external: bool, passive: bool, given: bool, rolls: bool, states: int
) -> ForceKernels | None:
    if not equations.constraints.ideal or not (rolls or may_be_compiled(equations)):
        return None
    plan = force_plan(equations)
    if plan is None:
        return None
    kernels = ForceKernels(equations, external, passive, plan, given, rolls, states)
    return kernels if kernels.specialised else None


def force_plan(equations: Equations) -> ForcePlan | None:
    """None: rows that the digits of a file make nearly dependent, whose rank is found state by
    state."""
    if may_be_rolled(equations) and not may_be_compiled(equations):
        sparse = sparse_plan(equations)
        following = kept_rows.following_rows(equations)
        if sparse is None:
            return None
        return _force_plan(equations, sparse.kept, following, sparse.pivots)
    plan = plan_of(equations)
    # pivots for all kept rows: those are independent, and determine the multipliers
    whole = plan.pivots is not None and len(plan.pivots) == len(plan.kept)
    pivots = plan.pivots if whole else None
    if pivots is None and equations.geometry_tolerance > RANK_TOLERANCE:
        return None
    others, kept, C = following_rows(equations)
    s = equations.scaling
    following = [
        (number, kept_rows.summed(kept, line * s.rows[number] / s.rows[kept]))
        for number, line in zip(others.tolist(), C, strict=True)
    ]
    return _force_plan(equations, kept.tolist(), following, pivots)


def _force_plan(
    equations: Equations,
    kept: Sequence[int],
    following: Sequence[tuple[int, kept_rows.Terms]],
    pivots: tuple[Pivot, ...] | None,
) -> ForcePlan:
    s = equations.scaling
    return ForcePlan(
        kept=tuple(kept),
        following=tuple(following),
        pivots=pivots,
        rows=tuple(s.rows.tolist()),
        columns=tuple(s.columns.tolist()),
        length=equations.length,
    )


def _worth(equations: Equations, more: int) -> bool:
    """Were so many states asked for, with these, that their code is worth its making?"""
    asked = equations.memo.once(_ASKED, Asked)
    asked.count += more
    if equations.steady or asked.count >= _WORTH:
        return True
    unknowns = equations.tables.nv + equations.constraints.count
    return asked.count * unknowns >= _WORTH_UNKNOWNS and not may_be_compiled(equations)


def _answering(
    equations: Equations, more: int, external: bool, passive: bool, given: bool = False
) -> ForceKernels | LoopForces | None:
    """Loops where straight-line code of the mechanism would be too long."""
    options = equations.evaluator.options
    too_long = _PER_BODY * len(equations.tables.bodies) > options.budget
    large = options.tier is None and (too_long or not may_be_compiled(equations))
    if not large and not _worth(equations, more):
        return None
    found = None if large else force_kernels(equations, external, passive, given)
    if found is None and options.tier is None:
        return loop_forces(equations, external, passive, given)
    return found


def forces_at_once(
    equations: Equations, accelerations: Callable[..., Array], q: Array, v: Array, tau: Array
) -> dict[str, Array] | None:
    """The same as `compiled_forces` of one state (arrays of doubles, n each) by two native calls,
    once there is code; nothing where it does not answer, None where there is none."""
    kernels = _answering(equations, 0, False, True)
    if kernels is None:
        return None
    a = accelerations(q, v, tau)
    found = kernels.one(q, v, a, tau)
    return {} if found is None else {"a": a, **found}


def compiled_forces(
    equations: Equations,
    arrays: Mapping[str, Array],
    accelerations: Callable[[], Array],
    wrenches: Mapping[str, tuple[Array, bool]],
    passive: bool,
) -> dict[str, Array] | None:
    """a (B, n), multipliers (B, m), wrench and driving (B, bodies, 6), pushes (B, constraints, 6),
    stretch (B, 1) of states with q, v and tau; NaN in rows that are left to the null space.  None:
    there is no kernel, or it would not be worth its making.  accelerations: asked for where there
    is one."""
    given = "parameters" in arrays
    kernels = _answering(equations, len(arrays["q"]), bool(wrenches), passive, given)
    if kernels is None:
        return None
    evaluator, count = equations.evaluator, len(arrays["q"])
    a = accelerations()
    inputs = {**arrays, "a": a}
    if wrenches:
        inputs["external"] = evaluator.external_rows(dict(wrenches), count, kernels.tables)
    return {"a": a, **kernels(inputs, count)}
