"""Kernels and memory of the variational method in the native loop (runtime/variational_loop.py)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.closed.variational import (
    inertia_and_rows,
    known_forces,
    openings,
    variational_step,
)
from armillary.algorithms.passes import Algorithm
from armillary.constraints.plan import plan_of
from armillary.evaluate.compile_function import compile_algorithm
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import Kernel
from armillary.model.lowering.tree import Tables
from armillary.sim.methods.centre_of_mass import Center
from armillary.sim.methods.integrators import linear_passives

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism


class VariationalKernels:
    """Of one mechanism.  Raises `NotNative` where there is none.

    kernels: by role, each with the names of its inputs.  rows: of the constraints that count."""

    def __init__(self, mechanism: Mechanism, tables: Tables, reads: tuple[str, ...], batched: bool):
        """tables and reads: those of the dynamics."""
        self._mechanism, self._batched = mechanism, batched
        self._given = replace(tables, extra=(*tables.extra, ("step", 1)))
        self._plain = self._given
        if tables.again is not None:  # their bodies are inputs, which not all kernels read
            found = mechanism.evaluator.tables()
            if mechanism.model.constraints:
                rows = mechanism.constraint_solver.equations.constraints
                found = replace(found, constraints=rows)
            self._plain = replace(found, extra=(("step", 1),))
        nv, scale = mechanism.nv, np.zeros(0)
        kept: tuple[int, ...] = ()
        own, moving = (
            tuple(x for x in reads if x == name) for name in ("parameters", "prescribed")
        )
        wrenches = tuple(x for x in reads if x == "external")
        self.kernels: dict[str, tuple[tuple[str, ...], Kernel]] = {}
        if mechanism.model.constraints:
            equations = mechanism.constraint_solver.equations
            kept = plan_of(equations).kept
            scale = equations.scaling.rows[list(kept)]
            constraints = equations.constraints
            if not constraints.ideal or any(x.passive for x in constraints.frames):
                self._add("known", known_forces, ("q", "v"))
        self.rows = len(kept)
        self._add("momenta", variational_step, ("q", "v", "tau", *wrenches, "step", *own))
        self._add("inertia", inertia_and_rows(kept, scale.tolist(), nv), ("q", *own))
        if kept:
            self._add("opening", openings(kept, scale.tolist()), ("q", *moving))

    def _add(self, role: str, algorithm: Algorithm, reads: tuple[str, ...]) -> None:
        owner = self._mechanism.evaluator
        lanes = owner.options.simd(self._batched)
        budget, moving = owner.options.budget, owner.moving_base
        tables = self._given if "parameters" in reads else self._plain
        kernel = compile_algorithm(algorithm, reads, tables, lanes, budget, moving)
        self.kernels[role] = reads, kernel

    def memory(self, rows: int) -> dict[str, Array]:
        """Arrays of `rows` states, and numbers of the joints, by field (time_context.py)."""
        n, m = self._mechanism.nv, self.rows
        shapes = {"INERTIA": n * n, "FACTOR": n * n, "JACOBIAN": m * n, "LIFT": m * n}
        shapes |= {"GRAM": m * m, "INVERSE": m * m, "CHANGED": 1}
        shapes |= dict.fromkeys(("PUSH", "OPENING", "MORE", "KEPT"), m)
        vectors = ("XI", "BEGIN", "MOMENTUM", "END_MOMENTUM", "CHANGE", "TRIAL", "KNOWN", "TOTAL")
        shapes |= dict.fromkeys((*vectors, "AT_REST"), n)
        found = {name: np.zeros((rows, max(width, 1))) for name, width in shapes.items()}
        found["SPRING"], found["DAMPER"] = linear_passives(self._mechanism)
        drifts = Center(self._mechanism).linear
        found["DAMPER"][drifts] = 0.0
        found["COUNTED"], found["COLUMNS"], found["JOINTED"] = np.ones((3, n))
        found["JOINTED"][drifts] = 0.0
        if m:
            scaling = self._mechanism.constraint_solver.equations.scaling
            found["COLUMNS"] = scaling.columns / scaling.length
        return found
