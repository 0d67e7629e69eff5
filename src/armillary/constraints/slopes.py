"""Slopes of the equations of a constrained mechanism along variations, with accelerations and
multipliers held: dual numbers through their steps, by the interpreter or by code."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.closed.constrained import defect_slopes
from armillary.algorithms.interpreter import Run
from armillary.codegen.target import native
from armillary.constraints.compiled import longer
from armillary.constraints.compiled_rows import Asked
from armillary.constraints.loop_slopes import TreeSlopes, loop_slopes
from armillary.constraints.own_size import may_be_compiled
from armillary.constraints.splitting import LONGEST, SolvedSplit
from armillary.evaluate.inputs import Array, wrench_rows
from armillary.evaluate.request import Request
from armillary.runtime.variation_loop import STATE

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.evaluator import External
    from armillary.evaluate.lean_call import OneOrMany
    from armillary.evaluate.program import Program
    from armillary.model.lowering.tree import Tables

# states, which count twice: for fewer, the interpreter is done before they are compiled
_WORTH = 20
_PER_BODY = 700  # operations of straight-line code: where it would be longer, loops are as fast
_ALONG = ("dq", "dv")  # inputs that differ from direction to direction, before those of the state
WITHOUT_WRENCHES = (*_ALONG, *STATE)  # what slopes read


def often_asked(equations: Equations, more: int = 0) -> bool:
    """Were so many states asked for, with these, that code is worth its making?"""
    asked = equations.memo.once("slopes of states", Asked)
    asked.count += more
    return asked.count >= _WORTH


def too_long(equations: Equations) -> bool:
    """Would straight-line code of the slopes be too long?"""
    most = longer(equations.evaluator.options, LONGEST).budget
    return not may_be_compiled(equations) or _PER_BODY * len(equations.tables.bodies) > most


def _tables(equations: Equations, passive: bool) -> Tables:
    def make() -> Tables:
        constraints = equations.constraints if passive else equations.constraints.bare
        return replace(equations.evaluator.tables(True, passive), constraints=constraints)

    return equations.memo.once(("tables of slopes", passive), make)


def slope_kernels(equations: Equations, reads: tuple[str, ...], passive: bool) -> OneOrMany | None:
    """Code of slopes along directions, made once; None where it would be too long."""

    def make() -> OneOrMany | None:
        from armillary.evaluate.lean_call import OneOrMany
        from armillary.evaluate.program import Program

        if too_long(equations):
            return None
        owner = equations.evaluator
        request = Request(defect_slopes, reads, owner.moving_base, owner.vertical_gravity)
        # the interpreter takes seconds for what long code takes seconds to make
        options = replace(longer(owner.options, LONGEST), states=max(owner.options.states, 1))
        kernels = Program(request, _tables(equations, passive), options)
        return OneOrMany(kernels, owner.base_numbers) if kernels.specialised() else None

    return equations.memo.once(("slopes", reads, passive), make)


class Probe:
    """Slopes of the equations along variations, accelerations and multipliers held."""

    def __init__(
        self,
        equations: Equations,
        q: Array,
        solved: SolvedSplit,
        external: External,
        passive: bool,
    ):
        owner = equations.evaluator
        self.equations, self.passive, self.external = equations, passive, external
        self.tables = _tables(equations, passive)
        self.states = {"q": q, "v": solved.v, "a": solved.a}
        if external:
            given = {name: wrench_rows(name, x) for name, x in external.items()}
            self.states["external"] = owner.external_rows(given, len(q), self.tables)
        self.states["multipliers"] = solved.multipliers

    def slopes(self, dq: Array, dv: Array) -> tuple[Array, Array, Array]:
        """Of the equations of motion (B, n, k), of J a - gamma and of J v (B, m, k), along the
        columns of dq and dv (B, n, k)."""
        states, n, k = dq.shape
        kernels = self._kernels(states) if k else None
        if kernels is None and k and native() and too_long(self.equations):
            return self.by_loops(dq, dv)
        if kernels is None:
            return self._interpreted(dq, dv)
        along = [np.ascontiguousarray(np.swapaxes(x, 1, 2)).reshape(-1, n) for x in (dq, dv)]
        found = self._at_once(kernels, *along) if states == 1 else None
        if found is None:
            inputs = dict(zip(_ALONG, along, strict=True))
            inputs |= {name: np.repeat(x, k, axis=0) for name, x in self.states.items()}
            found = kernels.program(inputs, states * k, self.equations.evaluator.base_numbers)
        balance, rows, rates = (
            np.swapaxes(found[name].reshape(states, k, found[name].shape[1]), 1, 2)
            for name in ("balance", "rows", "rates")
        )
        return balance, rows, rates

    def by_loops(self, dq: Array, dv: Array) -> tuple[Array, Array, Array]:
        """As `slopes`, for a mechanism of any size."""
        (states, n, k), program = dq.shape, self._loops
        along = [np.ascontiguousarray(np.swapaxes(x, 1, 2)).reshape(-1, n) for x in (dq, dv)]
        inputs = dict(zip(_ALONG, along, strict=True))
        for name in ("q", "v", "a", "multipliers"):
            x = self.states[name]
            inputs[name] = x if states == 1 else np.repeat(x, k, axis=0)
        found = program(inputs, states * k, self.equations.evaluator.base_numbers)
        pushes, rows, rates = (
            np.swapaxes(x.reshape(states, k, x.shape[1]), 1, 2) for x in found.values()
        )
        return self._tree.along(dq, dv) - pushes, rows, rates

    @cached_property
    def _loops(self) -> Program:
        return loop_slopes(self.equations, self.tables, self.passive)

    @cached_property
    def _tree(self) -> TreeSlopes:
        return TreeSlopes(self.equations, self.states, self.external, self.passive)

    def _at_once(self, kernels: OneOrMany, dq: Array, dv: Array) -> dict[str, Array] | None:
        """All directions (k, n) of one state, by one native call or, if they are few, by one each;
        None: these cannot take them."""
        state, calls = [np.ascontiguousarray(x[0]) for x in self.states.values()], []
        if len(dq) >= self.equations.evaluator.options.simd(True).width:
            return kernels.together(dq, dv, *state)
        for along in zip(dq, dv, strict=True):
            found = kernels.one(*along, *state)
            if found is None:
                return None
            calls.append(found)
        return {name: np.array([found[name] for found in calls]) for name in calls[0]}

    def _kernels(self, count: int) -> OneOrMany | None:
        """Compiled once so many states were asked for that it is worth its making."""
        if not often_asked(self.equations, count):
            return None
        return slope_kernels(self.equations, (*_ALONG, *self.states), self.passive)

    def _interpreted(self, dq: Array, dv: Array) -> tuple[Array, Array, Array]:
        """State by state, by the interpreter: all directions at once, as slopes that are arrays."""
        base, directions = self.equations.evaluator.base(), dq.shape[2:]
        found = []
        for number in range(len(dq)):
            given = {name: x[number].tolist() for name, x in self.states.items()}
            for name, x in (("dq", dq[number]), ("dv", dv[number])):
                given[name] = x[:, 0].tolist() if directions == (1,) else list(x)
            results = Run(defect_slopes, self.tables, base, given).results
            found.append(
                [[np.broadcast_to(x, directions) for x in part] for part in results.values()]
            )
        counts = (dq.shape[1], *(self.equations.constraints.count,) * 2)
        balance, rows, rates = (
            np.array([state[part] for state in found], float).reshape(len(dq), count, *directions)
            for part, count in enumerate(counts)
        )
        return balance, rows, rates
