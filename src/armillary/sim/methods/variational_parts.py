"""The parts of a variational step as native calls of single states, or as they are where that
cannot be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.closed.variational import (
    Entries,
    discrete_momenta,
    known_forces,
    rows,
    variational_step,
)
from armillary.algorithms.passes import Algorithm
from armillary.constraints.compiled import compiled_kernels
from armillary.constraints.moving import RowMotion
from armillary.evaluate import lean_call
from armillary.evaluate.inputs import Array, Keywords
from armillary.model.lowering.tree import parametric
from armillary.scalar import Scalar

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism

NativeCall = Callable[..., Array | None]  # of arrays; None: it does not take them
Momenta = Callable[..., tuple[Array, Array] | None]


def variational_parts(mechanism: Mechanism, parameters: bool) -> VariationalParts:
    """Made once for a mechanism."""
    key = ("variational parts", parameters)
    return mechanism.evaluator.memo.once(key, lambda: VariationalParts(mechanism, parameters))


def loop_forces(mechanism: Mechanism) -> Callable[..., Array] | None:
    """Forces (nv) of friction and springs in loops over (q, v); None where there are none."""
    closed = bool(mechanism.model.constraints)
    if not closed or not any(
        constraint.passive
        for constraint in mechanism.constraint_solver.equations.constraints.frames
    ):
        return None
    return variational_parts(mechanism, False).known


class VariationalParts:
    """Momenta and constraints of one mechanism."""

    def __init__(self, mechanism: Mechanism, parameters: bool):
        """parameters: the bodies' inertias come with every call."""
        self.mechanism, self._given = mechanism, parameters
        self._entries = Entries(mechanism.model.joints)
        self._momenta = self._native_momenta()
        self._rows: dict[bool, NativeCall | None] = {}
        if mechanism.model.constraints:
            self._kept = tuple(range(mechanism.constraint_solver.equations.constraints.count))
            self._known = self._of_constraints(known_forces, ("q", "v"))

    def momenta(
        self, y: Array, s: Array, given: Array, h: float, p: Array | None
    ) -> tuple[Array, Array]:
        """Momenta at both ends of a step of h from y with the velocity s."""
        if self._momenta is not None:
            found = self._momenta(y, s, given, np.array([h]), *(() if p is None else (p,)))
            if found is not None:
                return found

        def ask(algorithm: Algorithm, inputs: dict[str, list[Scalar]]) -> dict[str, list[Scalar]]:
            bodies = {"parameters": p}
            arrays: Keywords = {name: np.array(x, float) for name, x in inputs.items()}
            found = self.mechanism.evaluator.run(algorithm, arrays, bodies=bodies)
            return {name: x.tolist() for name, x in found.items()}

        parts = (y.tolist(), s.tolist(), given.tolist())
        start, end = discrete_momenta(self._entries, ask, *parts, h)
        return np.array(start), np.array(end)

    def _native_momenta(self) -> Momenta | None:
        from armillary.evaluate.compile_function import NotNative, compile_algorithm

        owner, others = self.mechanism.evaluator, ("parameters",) * self._given
        tables = parametric(owner.model, True, True) if self._given else owner.tables()
        tables = replace(tables, extra=(*tables.extra, ("step", 1)))
        reads = ("q", "v", "tau", "step", *others)
        lanes, budget = owner.options.simd(False), owner.options.budget
        try:
            kernel = compile_algorithm(
                variational_step, reads, tables, lanes, budget, owner.moving_base
            )
        except NotNative:
            return None
        return lean_call.lean_kernel(kernel, owner.base_numbers)

    def rows(self, q: Array, moving: RowMotion | None) -> tuple[Array, Array]:
        """J (m, nv) and how far its rows are open (m,), all as lengths."""
        J, opening = self._plain_rows(q, moving)
        scale = self.mechanism.constraint_solver.equations.scaling.rows
        return scale[:, None] * J, scale * opening

    def _plain_rows(self, q: Array, moving: RowMotion | None) -> tuple[Array, Array]:
        if not self._kept:  # springs and dampers alone
            return np.zeros((0, self.mechanism.nv)), np.zeros(0)
        driven = moving is not None
        if driven not in self._rows:
            reads = ("q", "prescribed") if driven else ("q",)
            self._rows[driven] = self._of_constraints(rows(self._kept, self.mechanism.nv), reads)
        call, n = self._rows[driven], self.mechanism.nv
        if call is not None:
            found = call(q, *(() if moving is None else (moving.place,)))
            if found is not None:
                m = len(self._kept)
                return found[: m * n].reshape(m, n), found[m * n :]
        terms = self.mechanism.constraint_solver.equations.terms(q[None], moving=moving)
        return terms.J[0], terms.residual[0]

    def known(self, q: Array, v: Array) -> Array:
        """Forces (nv) of contacts that push, and of friction and springs in loops."""
        found = self._known(q, v) if self._known is not None else None
        if found is None:
            found = self.mechanism.constraint_solver.equations.terms(q[None], v[None]).given[0]
        return np.asarray(found)

    def _of_constraints(self, algorithm: Algorithm, reads: tuple[str, ...]) -> NativeCall | None:
        kernels = compiled_kernels(self.mechanism.constraint_solver.equations, algorithm, reads)
        return lean_call.lean(kernels, self.mechanism.evaluator.base_numbers)
