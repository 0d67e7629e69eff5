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
from armillary.constraints.loop_slopes import TreeSlopes, loop_slopes
from armillary.constraints.plan import small
from armillary.constraints.splitting import SolvedSplit
from armillary.constraints.table import PER_SLOPED_BODY, SLOPES, options_for
from armillary.evaluate.inputs import Array, wrench_rows
from armillary.evaluate.request import Request

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.evaluator import External
    from armillary.evaluate.lean_call import OneOrMany
    from armillary.evaluate.program import Program
    from armillary.model.lowering.tree import Tables

_ALONG = ("dq", "dv")  # inputs that differ from direction to direction, before those of the state


def _tables(equations: Equations, passive: bool) -> Tables:
    def make() -> Tables:
        constraints = equations.constraints if passive else equations.constraints.bare
        return replace(equations.evaluator.tables(True, passive), constraints=constraints)

    return equations.memo.once(("tables of slopes", passive), make)


def too_long(equations: Equations, count: int = 0) -> bool:
    """Would straight-line code of the slopes be too long?"""
    most = options_for(equations.evaluator.options, SLOPES, count).budget
    return not small(equations) or PER_SLOPED_BODY * len(equations.tables.bodies) > most


def slope_kernels(
    equations: Equations, reads: tuple[str, ...], passive: bool, count: int = 0
) -> OneOrMany | None:
    """Code of slopes along directions, made once; None where it would be too long.  count: of
    states that are asked for."""
    options = options_for(equations.evaluator.options, SLOPES, count)

    def make() -> OneOrMany | None:
        from armillary.evaluate.lean_call import OneOrMany
        from armillary.evaluate.program import Program

        owner = equations.evaluator
        if not native() or too_long(equations, count):
            return None
        request = Request(defect_slopes, reads, owner.moving_base, owner.vertical_gravity)
        kernels = Program(request, _tables(equations, passive), options)
        return OneOrMany(kernels, owner.base_numbers) if kernels.straight() else None

    return equations.memo.once(("slopes", reads, passive, options.budget), make)


class Probe:
    """Slopes of the equations along variations, accelerations and multipliers held."""

    def __init__(
        self,
        equations: Equations,
        q: Array,
        solved: SolvedSplit,
        external: External,
        passive: bool,
        count: int = 0,
    ):
        """count: of all states that are asked for, of which these are some."""
        owner = equations.evaluator
        self.equations, self.passive, self.external = equations, passive, external
        self.count = max(count, len(q))
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
        kernels = self._kernels if k else None
        if kernels is None and k and native() and self.equations.evaluator.options.tier is None:
            return self.by_loops(dq, dv)
        if kernels is None:
            return self._interpreted(dq, dv)
        along = [np.ascontiguousarray(x.swapaxes(1, 2)).reshape(-1, n) for x in (dq, dv)]
        found = self._at_once(kernels, *along) if states == 1 else None
        if found is None:
            inputs = dict(zip(_ALONG, along, strict=True))
            inputs |= {name: np.repeat(x, k, axis=0) for name, x in self.states.items()}
            found = kernels.program(inputs, states * k, self.equations.evaluator.base_numbers)
        balance, rows, rates = (
            x[: states * k].reshape(states, k, x.shape[1]).swapaxes(1, 2)
            for x in (found[name] for name in ("balance", "rows", "rates"))
        )
        return balance, rows, rates

    def by_loops(self, dq: Array, dv: Array) -> tuple[Array, Array, Array]:
        """As `slopes`, for a mechanism of any size."""
        (states, n, k), program = dq.shape, self._loops
        along = [np.ascontiguousarray(x.swapaxes(1, 2)).reshape(-1, n) for x in (dq, dv)]
        inputs = dict(zip(_ALONG, along, strict=True))
        for name in ("q", "v", "a", "multipliers"):
            x = self.states[name]
            inputs[name] = x if states == 1 else np.repeat(x, k, axis=0)
        found = program(inputs, states * k, self.equations.evaluator.base_numbers)
        pushes, rows, rates = (
            x.reshape(states, k, x.shape[1]).swapaxes(1, 2) for x in found.values()
        )
        return self._tree.along(dq, dv) - pushes, rows, rates

    @cached_property
    def _loops(self) -> Program:
        return loop_slopes(self.equations, self.tables, self.passive)

    @cached_property
    def _tree(self) -> TreeSlopes:
        return TreeSlopes(self.equations, self.states, self.external, self.passive)

    def _at_once(self, kernels: OneOrMany, dq: Array, dv: Array) -> dict[str, Array] | None:
        """All directions (k, n) of one state by one native call, and none (zeros) where they are
        fewer than it takes; None: it cannot take them."""
        fewest = self.equations.evaluator.options.simd(True).width
        if len(dq) < fewest:
            none = np.zeros((fewest - len(dq), dq.shape[1]))
            dq, dv = np.concatenate([dq, none]), np.concatenate([dv, none])
        return kernels.together(dq, dv, *(np.ascontiguousarray(x[0]) for x in self.states.values()))

    @cached_property
    def _kernels(self) -> OneOrMany | None:
        return slope_kernels(self.equations, (*_ALONG, *self.states), self.passive, self.count)

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
