"""Derivatives of constrained accelerations along the variations the constraints admit.

The equations  M a + h = tau + J^T λ,  J a = gamma  are differentiated with a and λ held (dual
numbers through their steps), and the answer solves the same equations:

    M da - J^T dλ = -d(first)|a,λ ,    J da = -d(second)|a

A mechanism that moves cannot change q alone:  J(q + dq) (v + dv) = 0  demands

    J dv = -d(J v)|v ,    of which the smallest, by kinetic energy, is carried along with dq.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.algorithms.closed.constrained import defect_slopes
from armillary.algorithms.closed.derivatives import ALONG, derivative_dynamics
from armillary.algorithms.interpreter import Run
from armillary.constraints.compiled import compiled_kernels, longer
from armillary.constraints.compiled_rows import Asked
from armillary.constraints.ladder import States, results_of
from armillary.constraints.nullspace import Scaling
from armillary.constraints.own_size import may_be_compiled, may_be_rolled
from armillary.constraints.plan import plan_of
from armillary.constraints.splitting import (
    LONGEST,
    SolvedSplit,
    compiled_split,
    solved_split,
)
from armillary.constraints.states import blanked
from armillary.errors import ModelError, ProjectionWarning, warn_caller
from armillary.evaluate.array_text import arrays_text
from armillary.evaluate.derivatives import ForwardDerivatives
from armillary.evaluate.inputs import Array, wrench_rows
from armillary.evaluate.request import Request
from armillary.shown import shown

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.evaluate.evaluator import External
    from armillary.evaluate.lean_call import OneOrMany
    from armillary.evaluate.program import Program
    from armillary.model.lowering.tree import Tables

# bodies of states, which count twice: for fewer, the interpreter is done before they are compiled
_WORTH = 60
_ASKED = "slopes of states"
_ALONG = ("dq", "dv")  # inputs that differ from direction to direction, before those of the state
_PER_STEP = 400  # operations of the budget that a body counts for along a direction
_EVEN = 1e-3  # inertias of motions, as roots: with less of one beside another care is taken
_SINGULAR = 1e-6  # of the velocities: a variation that rows forbid by more leads nowhere


@shown
@dataclass(frozen=True)
class ConstrainedDerivatives:
    """Derivatives of a.  Off the admissible variations a loop opens and there is no derivative.

    dtau (nv, nv).  motions (nv, k): admissible variations of q (on the tangent space); dq (nv, k)
    the change of a along each of them with v held.  carried (nv, k): the change of v that each of
    them demands, least by kinetic energy; moved (nv, k) the change of a with v carried along.
    velocities (nv, l): admissible variations of v alone; dv (nv, l) the change of a along them.
    full: `dq`, `dv`, `dtau`, (nv, nv) each, as for a tree: derivatives of the acceleration at
    project(q, v), the nearest admissible state.  A batch has (B, ...) of everything."""

    dtau: Array
    motions: Array
    dq: Array
    carried: Array
    moved: Array
    velocities: Array
    dv: Array
    full: ForwardDerivatives

    def __str__(self) -> str:
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        del parts["full"]
        return arrays_text(
            "derivatives of a along admissible variations; .full: as of a tree", parts
        )

    def jvp(self, q: ArrayLike = 0.0, v: ArrayLike = 0.0, tau: ArrayLike = 0.0) -> Array:
        """Change of a (nv) for small changes of q (tangent), v and tau.

        Changes that are not admissible count as the nearest that are, by kinetic energy: v = 0
        leaves the change of v to what that of q demands."""
        return self.full.jvp(q, v, tau)

    def vjp(self, weight: ArrayLike) -> tuple[Array, Array, Array]:
        """Gradient of weight · a with respect to q (tangent), v and tau: `jvp`, transposed."""
        return self.full.vjp(weight)


def derivatives(
    equations: Equations, system: System, external: External, passive: bool, single: bool
) -> ConstrainedDerivatives:
    """Of every state of the system."""
    if not equations.constraints.ideal:
        name = next(c.name for c in equations.model.contacts if c.friction)
        raise ModelError(
            f"forward_dynamics.derivatives: contact '{name}' rubs, and derivatives are known only "
            f"where constraint forces act along their rows. Set its friction to zero, or take "
            f"differences of forward_dynamics between states of project(q, v)."
        )
    if not len(system.q):  # how many variations there are is not known
        n = equations.tables.nv
        square, none = np.zeros((0, n, n)), np.zeros((0, n, 0))
        full = ForwardDerivatives(square, square, square)
        return ConstrainedDerivatives(square, *(none,) * 6, full)
    found = solved_split(equations, system, single)
    probe = _Probe(equations, system.q, found, external, passive)
    return _of_states(equations, found, probe, single)


def compiled_derivatives(
    equations: Equations, states: States, single: bool, closed: bool
) -> ConstrainedDerivatives | None:
    """By compiled code; None: it is not yet worth its making, there is none, or it has not
    converged at every state.  closed: open positions do not converge."""
    asked = equations.memo.once(_ASKED, Asked)
    by_load = states.passive and equations.model.load_dependent_joints
    if not _worth(equations, asked) or by_load or not len(states):
        return None
    key = ("derivatives", states.reads, states.passive)
    kernels = equations.memo.once(key, lambda: _straight_line(equations, *key[1:]))
    if kernels is not None:
        whole = results_of(equations, kernels, states, closed)
        if isfinite(whole["a"].sum()):
            dtau, along, full = (whole[name] for name in ("dtau", "along", "full"))
            along, full = (x[0] if single else np.swapaxes(x, 0, 1) for x in (along, full))
            dtau = dtau[0] if single else dtau
            parts = dict(zip(ALONG, along, strict=True))
            tree = ForwardDerivatives(full[0], full[1], dtau)
            return ConstrainedDerivatives(dtau, velocities=parts["motions"], full=tree, **parts)
    found = compiled_split(equations, states, closed)
    if found is None:
        return None
    probe = _Probe(equations, states.arrays["q"], found, states.external, states.passive)
    return _of_states(equations, found, probe, single)


def _worth(equations: Equations, asked: Asked) -> bool:
    """Were so many states asked for that code is worth its making?"""
    return asked.count * len(equations.tables.bodies) >= _WORTH


def _straight_line(equations: Equations, reads: tuple[str, ...], passive: bool) -> Program | None:
    """Everything in one straight line of code, for mechanisms that are small enough."""
    plan, n = plan_of(equations) if may_be_compiled(equations) else None, equations.tables.nv
    if plan is None or plan.pivots is None or not all(equations.constraints.holonomic):
        return None
    free = n - len(plan.pivots)
    work = 3 * free * len(equations.tables.bodies) * _PER_STEP
    if not free or work > equations.evaluator.options.budget or not equations.constraints.ideal:
        return None
    s = equations.scaling
    algorithm = derivative_dynamics(plan, (s.rows / s.length).tolist(), _SINGULAR)
    return compiled_kernels(equations, algorithm, reads, passive)


def _of_states(
    equations: Equations, solved: SolvedSplit, probe: _Probe, single: bool
) -> ConstrainedDerivatives:
    split, M = solved.split, solved.M
    P, dtau, motions, velocities = split.particular, split.response, split.motions, split.velocities

    def changes(first: Array, second: Array) -> Array:
        """da (B, n, k) that balances slopes of both equations."""
        da = -P @ second
        for _ in range(2):
            da = da - dtau @ (first + M @ da)
        return da

    first, second, rates = probe.slopes(motions, np.zeros_like(motions))
    carried = -P @ rates  # the smallest changes of v, by kinetic energy, that keep the rows
    for _ in range(2):
        carried = carried - dtau @ (M @ carried)
    undefined = split.undefined | _leading_nowhere(equations, solved, carried, rates, single)
    along = np.concatenate([carried, velocities], axis=2)
    by_v = probe.slopes(np.zeros_like(along), along)
    both = zip((first, second), by_v[:2], strict=True)
    every = changes(*(np.concatenate(pair, axis=2) for pair in both))
    k = motions.shape[2]
    dq, moved, dv = every[..., :k], every[..., :k] + every[..., k : 2 * k], every[..., 2 * k :]
    onto_v = _onto(solved, velocities, equations.scaling)
    onto_q = onto_v if motions is velocities else _onto(solved, motions, equations.scaling)
    full_q, full_v = moved @ onto_q, dv @ onto_v
    dtau, motions, dq, carried, moved, velocities, dv, full_q, full_v = (
        x[0] if single else x
        for x in (dtau, motions, dq, carried, moved, velocities, dv, full_q, full_v)
    )
    full = ForwardDerivatives(full_q, full_v, dtau)
    found = ConstrainedDerivatives(dtau, motions, dq, carried, moved, velocities, dv, full)
    return found if single else blanked(found, undefined)


def _onto(solved: SolvedSplit, motions: Array, scaling: Scaling) -> Array:
    """(B, k, nv): coordinates along the motions of what is nearest, by kinetic energy, to a
    change."""
    M, split = solved.M, solved.split
    if solved.inert and motions is split.velocities:  # R M is that nearest change itself
        return np.swapaxes(motions / scaling.columns[:, None] ** 2, 1, 2) @ (split.response @ M)
    if not motions.shape[2]:
        return np.zeros((len(M), 0, M.shape[1]))
    pushes = np.swapaxes(motions, 1, 2) @ M
    inner = pushes @ motions
    size = np.sqrt(np.maximum(np.einsum("bii->bi", inner), 1e-300))[:, :, None]
    even = inner / (size * np.swapaxes(size, 1, 2))
    if size.min() > _EVEN * size.max() and _well_conditioned(even):
        return np.asarray(np.linalg.solve(even, pushes / size) / size)
    flat = np.linalg.cond(inner) > 1e14  # motions without inertia: any measure of them will do
    diagonal = np.einsum("bii->bi", M)
    size = np.maximum(diagonal, diagonal.mean(axis=1, keepdims=True) * 1e-12)
    _, R = np.linalg.qr(np.sqrt(size)[..., None] * motions)
    R[flat], inner[flat] = (np.eye(motions.shape[2]),) * 2
    inverse = np.linalg.inv(R)  # the motions made of one size first
    back = np.swapaxes(inverse, 1, 2)
    found = inverse @ np.linalg.solve(back @ inner @ inverse, back @ pushes)
    for k in np.flatnonzero(flat):
        found[k] = np.linalg.pinv(motions[k] / scaling.columns[:, None]) / scaling.columns
    return np.asarray(found)


def _well_conditioned(A: Array) -> bool:
    """Are all of the symmetric matrices (B, k, k) with ones on their diagonals?"""
    try:
        pivots = np.linalg.cholesky(A).diagonal(axis1=1, axis2=2)
    except np.linalg.LinAlgError:
        return False
    return bool(pivots.min() > _EVEN)


def _leading_nowhere(
    equations: Equations, solved: SolvedSplit, carried: Array, rates: Array, single: bool
) -> NDArray[np.bool_]:
    """(B,) where changes of v leave rates of the rows: no motion goes on from there.  A single
    state is refused; a batch has a warning."""
    s = equations.scaling
    left = np.abs((s.rows / s.length)[:, None] * (solved.J @ carried + rates))
    speeds = np.abs(solved.v / s.columns).max(axis=1, initial=0.0)
    left[solved.split.undefined] = 0.0
    found = np.asarray((left > _SINGULAR * speeds[:, None, None]).any(axis=(1, 2)))
    if found.any():
        k, others = int(np.argmax(found)), int(found.sum()) - 1
        where = "" if single else f" in state {k}{f' (and in {others} more)' if others else ''}"
        text = (
            f"forward_dynamics.derivatives: '{equations.model.name}' is in a singular position"
            f"{where}, where a variation that its rows admit leads nowhere while it moves. Ask "
            f"beside it."
        )
        if single:
            raise ModelError(text)
        warn_caller(text, ProjectionWarning)
    return found


def _tables(equations: Equations, passive: bool) -> Tables:
    constraints = equations.constraints if passive else equations.constraints.bare
    return replace(equations.evaluator.tables(True, passive), constraints=constraints)


class _Probe:
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
        self.equations, self.passive = equations, passive
        key = ("tables of slopes", passive)
        self.tables = equations.memo.once(key, lambda: _tables(equations, passive))
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
        memo, reads = self.equations.memo, (*_ALONG, *self.states)
        asked = memo.once(_ASKED, Asked)
        asked.count += count
        if not _worth(self.equations, asked):
            return None
        return memo.once(("slopes", reads, self.passive), lambda: self._made(reads))

    def _made(self, reads: tuple[str, ...]) -> OneOrMany | None:
        from armillary.evaluate.lean_call import OneOrMany
        from armillary.evaluate.program import Program

        owner = self.equations.evaluator
        request = Request(defect_slopes, reads, owner.moving_base, owner.vertical_gravity)
        options, rolls = longer(owner.options, LONGEST), may_be_rolled(self.equations)
        kernels = Program(request, self.tables, options, rolls=rolls)
        return OneOrMany(kernels, owner.base_numbers) if kernels.specialised() else None

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
