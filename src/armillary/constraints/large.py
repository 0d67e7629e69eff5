"""Large constrained systems: sparse elimination in an order found once, played natively.

The same regularised and refined equations as closed/constrained.py, with the operations of
the elimination on a tape (runtime/tape.py).  Work grows with the entries of the factor: for
chains of loops, in proportion to their number.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.tree import inverse_dynamics, mass_matrix
from armillary.constraints.arrays import shifted
from armillary.constraints.ladder import Outcome, States
from armillary.constraints.nullspace import RANK_TOLERANCE
from armillary.constraints.ordering import MU, SampleRows, elimination_order
from armillary.constraints.rows import Bodies, Indices
from armillary.constraints.tapes import play
from armillary.evaluate.inputs import Array
from armillary.runtime.tape import Op

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations

_REFINEMENTS = 3
_ROUNDS = 8  # further rounds where the last correction is not small
_SMALL = 1e-13  # rounding: next to singularities much more than the last correction is missing
_MASSLESS = 1e-14  # of the largest inertia


class Tape:
    """Instructions under construction."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, int, int, int]] = []

    def add(self, op: int, target: int, a: int, b: int = 0) -> None:
        self.lines.append((op, target, a, b))

    def code(self) -> np.ndarray:
        return np.array(self.lines, np.int64).reshape(-1, 4)


class LargeSystem:
    """The equations of one mechanism as a tape over a row of numbers:
    K (lower entries), its factor, b, x, residual and step."""

    def __init__(self, equations: Equations, passive: bool):
        self.equations, self.passive = equations, passive
        self.tables = equations.evaluator.tables(True, passive, minimal=True)
        self.n = equations.tables.nv
        self.kept = _kept_rows(equations)
        self._number = np.full(equations.constraints.count, -1)
        self._number[self.kept] = np.arange(len(self.kept))
        self.size = self.n + len(self.kept)
        self._pattern()
        self._write_tapes()

    # -- pattern ---------------------------------------------------------------------------------

    @cached_property
    def mass_pairs(self) -> tuple[Indices, Indices]:
        """Entries (i, j) of M, j an ancestor of i or i itself."""
        rows = self.equations.rows
        i, j = [], []
        for dof in range(self.n):
            body = int(rows.carriers[dof])
            above = [k for k in rows.supports[body] if k <= dof]
            i += [dof] * len(above)
            j += sorted(above)
        return np.array(i, np.intp), np.array(j, np.intp)

    @cached_property
    def _armature(self) -> Array:
        return np.array([float(x) for b in self.tables.bodies for x in b.armature])

    def _pattern(self) -> None:
        """Places of the entries of K in the row."""
        i, j = self.mass_pairs
        r, c, *_ = self.equations.rows.pairs
        used = self._number[r] >= 0
        self._used = np.flatnonzero(used)
        places: dict[tuple[int, int], int] = {}
        for pair in zip(i.tolist(), j.tolist(), strict=True):
            places[pair] = len(places)
        self._mass_end = len(places)
        rows = (self.n + self._number[r[used]]).tolist()
        for pair in zip(rows, c[used].tolist(), strict=True):
            places[pair] = len(places)
        self._loop_end = len(places)
        self._axis_values = []
        for constraint in self.equations.constraints.axes:
            number = int(self._number[self.equations.constraints.slices[constraint.name].start])
            if number < 0:
                continue
            sums: dict[int, float] = {}
            for v, _, x in constraint.terms:
                sums[v] = sums.get(v, 0.0) + x
            for v, x in sums.items():
                places[self.n + number, v] = len(places)
                self._axis_values.append(x)
        self.places = places
        self._diagonal = [places[k, k] for k in range(self.n)]

    def values(self, q: Array, bodies: Bodies, J: Array) -> Array:
        """Entries of K at B states; J: values at the equations's pairs."""
        F = self.equations.evaluator.run(mass_matrix.mass_columns, {"q": q}, passive=self.passive)[
            "F"
        ]
        i, j = self.mass_pairs
        carriers = self.equations.rows.carriers
        arm = bodies.o[:, carriers[i]] - bodies.o[:, carriers[j]]
        M = np.einsum("bpi,bpi->bp", bodies.S[:, j], shifted(F[:, i], arm))
        M[:, i == j] += self._armature
        axes = np.broadcast_to(self._axis_values, (len(q), len(self._axis_values)))
        return np.concatenate([M, J[:, self._used], axes], axis=1)

    # -- tapes -----------------------------------------------------------------------------------

    def _sample(self) -> tuple[Array, Array]:
        q = self.equations.tree.initial[None]
        bodies = self.equations.motion(q, np.zeros((1, self.n)))
        J = self.equations.rows.sparse_terms(bodies)[0]
        values = self.values(q, bodies, J)[0]
        diagonal = np.array([values[self.places[k, k]] for k in range(self.n)])
        self.massless = bool((diagonal <= _MASSLESS * diagonal.max()).any())
        floor = max(diagonal.max() * 1e-9, 1e-300)
        scale = np.zeros(len(self.kept))
        for (r, c), place in self.places.items():
            if r >= self.n:
                scale[r - self.n] += values[place] ** 2 / max(diagonal[c], floor)
        return values, np.maximum(scale, scale.mean() * 1e-3 if len(scale) else 1.0)

    def _write_tapes(self) -> None:
        values, scale = self._sample()
        self.mu = MU * scale
        entries: SampleRows = [{} for _ in range(self.size)]
        for (r, c), place in self.places.items():
            entries[r][c] = entries[c][r] = float(values[place])
        inertias = np.array([abs(entries[k].get(k, 0.0)) for k in range(self.n)])
        inertias[inertias <= _MASSLESS * inertias.max(initial=0.0)] = 0.0
        own = np.concatenate([inertias, scale])
        for k, mu in enumerate(self.mu):
            entries[self.n + k][self.n + k] = -float(mu)
        self.order = elimination_order(entries, own.tolist())
        self._lay_out()
        self.first, self.again = self._factor_and_solve(), self._refine()

    def _lay_out(self) -> None:
        """Where things stand in the row: K | factor (with fill) | 1/D | L | b | x | r | step."""
        rank = {k: n for n, k in enumerate(self.order)}
        pattern: list[set[int]] = [set() for _ in range(self.size)]
        for r, c in self.places:
            if r != c:
                pattern[r].add(c)
                pattern[c].add(r)
        self.columns: dict[int, list[int]] = {}
        for k in self.order:
            later = sorted((j for j in pattern[k] if rank[j] > rank[k]), key=rank.__getitem__)
            self.columns[k] = later
            for i in later:
                pattern[i].update(j for j in later if j != i)
        start = len(self.places)
        self.work: dict[tuple[int, int], int] = {}
        for k in self.order:
            for i in (k, *self.columns[k]):
                self.work[k, i] = start + len(self.work)
        start += len(self.work)
        self.inverse = start
        start += self.size
        self.lower: dict[tuple[int, int], int] = {}
        for k in self.order:
            for i in self.columns[k]:
                self.lower[k, i] = start + len(self.lower)
        start += len(self.lower)
        self.b, self.x, self.r, self.s, self.intermediate = (
            start + n * self.size for n in range(5)
        )
        self.length = start + 5 * self.size
        self._copies = [
            (place, self.work[(r, c) if rank[r] <= rank[c] else (c, r)])
            for (r, c), place in self.places.items()
        ]
        self._dampers = [self.work[self.n + k, self.n + k] for k in range(len(self.kept))]

    def _factor_and_solve(self) -> np.ndarray:
        tape = Tape()
        for k in self.order:
            tape.add(Op.INVERSE, self.inverse + k, self.work[k, k])
            later = self.columns[k]
            for i in later:
                tape.add(Op.PRODUCT, self.lower[k, i], self.work[k, i], self.inverse + k)
            for n, i in enumerate(later):
                for j in later[n:]:
                    tape.add(Op.LESS_PRODUCT, self.work[i, j], self.lower[k, i], self.work[k, j])
        self._solve(tape, self.b, self.x)
        for k in range(self.size):
            tape.add(Op.COPY, self.intermediate + k, self.s + k)
        return tape.code()

    def _solve(self, tape: Tape, right: int, result: int) -> None:
        """result = K_mu^-1 right; the step's slot takes the intermediate D^-1 L^-1 right."""
        for k in range(self.size):
            tape.add(Op.COPY, result + k, right + k)
        for k in self.order:
            for i in self.columns[k]:
                tape.add(Op.LESS_PRODUCT, result + i, self.lower[k, i], result + k)
        for k in range(self.size):
            tape.add(Op.PRODUCT, result + k, result + k, self.inverse + k)
            if result == self.x:
                tape.add(Op.COPY, self.s + k, result + k)
        for k in reversed(self.order):
            for i in self.columns[k]:
                tape.add(Op.LESS_PRODUCT, result + k, self.lower[k, i], result + i)

    def _refine(self) -> np.ndarray:
        """x += K_mu^-1 (b - K x), with the true K."""
        tape = Tape()
        for k in range(self.size):
            tape.add(Op.COPY, self.r + k, self.b + k)
        for (r, c), place in self.places.items():
            tape.add(Op.LESS_PRODUCT, self.r + r, place, self.x + c)
            if r != c:
                tape.add(Op.LESS_PRODUCT, self.r + c, place, self.x + r)
        self._solve(tape, self.r, self.s)
        for k in range(self.size):
            tape.add(Op.SUM, self.x + k, self.x + k, self.s + k)
        return tape.code()

    # -- states ----------------------------------------------------------------------------------

    def accelerations(self, states: States) -> Outcome:
        """a (B, n) of states with q, v and tau."""
        equations, arrays = self.equations, states.arrays
        q, v = arrays["q"], arrays["v"]
        bodies = equations.motion(q, v)
        J, gamma, given = equations.rows.sparse_terms(bodies, self.passive)
        gamma = gamma + equations.prescribed_rows(states.prescribed, len(q))
        h = equations.evaluator.run(
            inverse_dynamics.bias_forces, {"q": q, "v": v}, states.external, passive=self.passive
        )["tau"]
        memory = np.zeros((len(q), self.length))
        K = self.values(q, bodies, J)
        memory[:, : K.shape[1]] = K
        sources, targets = (np.array(x) for x in zip(*self._copies, strict=True))
        memory[:, targets] = K[:, sources]
        memory[:, self._dampers] -= self.mu
        memory[:, self.b : self.b + self.n] = arrays["tau"] - h + given
        memory[:, self.b + self.n : self.b + self.size] = gamma[:, self.kept]
        play(self.first, memory)
        converged = np.zeros(len(q), bool)
        # each by itself: masses may differ by 1e8, and accelerations with them
        weights = np.sqrt(np.abs(K[:, self._diagonal]))
        weights[weights == 0.0] = 1.0
        for turn in range(_REFINEMENTS * _ROUNDS):
            play(self.again, memory)
            if turn + 1 >= _REFINEMENTS:
                parts = (self.s, self.x, self.intermediate)
                step, x, size = (np.abs(memory[:, start : start + self.n]) for start in parts)
                whole = np.linalg.norm(weights * size, axis=1, keepdims=True)
                small = (step <= _SMALL * (x + size)) | (weights * step <= 1e-14 * whole)
                converged = np.asarray(small.all(axis=1), bool)
                if converged.all():
                    break
        return Outcome(memory[:, self.x : self.x + self.n].copy(), converged)


def _kept_rows(equations: Equations) -> np.ndarray:
    """Rows that do not follow from others of the same constraint in every configuration."""
    from scipy.linalg import qr

    rng = np.random.default_rng(0)
    s = equations.scaling
    count = 4
    start = np.tile(equations.tree.initial, (count, 1))
    q = equations.tree.integrate(start, rng.normal(size=(count, equations.tables.nv)) * s.columns)
    bodies = equations.motion(q, np.zeros((count, equations.tables.nv)))
    J = equations.rows.sparse_terms(bodies)[0]
    rows, columns, *_ = equations.rows.pairs
    scaled = J * s.rows[rows] * s.columns[columns] / s.length
    largest = max(float(np.abs(scaled).max(initial=0.0)), 1.0)  # size of rows that move anything
    tolerance = max(RANK_TOLERANCE, equations.geometry_tolerance)
    by_row = np.argsort(rows, kind="stable")
    edges = np.searchsorted(rows[by_row], np.arange(equations.constraints.count + 1))
    kept: list[int] = []
    slices = equations.constraints.slices
    for constraint in equations.constraints.frames:
        span = slices[constraint.name]
        if not constraint.count:  # springs and dampers alone
            continue
        numbers = [by_row[edges[r] : edges[r + 1]] for r in range(span.start, span.stop)]
        block = np.stack([scaled[:, chosen].ravel() for chosen in numbers])
        _, R, P = qr(block.T, mode="economic", pivoting=True)
        rank = int(np.sum(np.abs(np.diag(R)) > tolerance * largest))
        kept += sorted(span.start + int(k) for k in P[:rank])
    kept += [slices[axis.name].start for axis in equations.constraints.axes]
    return np.array(kept, np.intp)
