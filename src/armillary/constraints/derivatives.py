"""Derivatives of constrained accelerations along the variations the constraints admit.

The equations  M a + h = tau + J^T λ,  J a = gamma  are differentiated with a and λ held (dual
numbers through their steps), and the answer solves the same equations:

    M da - J^T dλ = -d(first)|a,λ ,    J da = -d(second)|a

A mechanism that moves cannot change q alone:  J(q + dq) (v + dv) = 0  demands

    J dv = -d(J v)|v ,    of which the smallest, by kinetic energy, is carried along with dq.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.algorithms.closed.derivatives import ALONG, derivative_dynamics
from armillary.codegen.target import native
from armillary.constraints.compiled import compiled_kernels
from armillary.constraints.ladder import States, results_of
from armillary.constraints.nullspace import Scaling
from armillary.constraints.plan import plan_of
from armillary.constraints.slopes import WITHOUT_WRENCHES, Probe, often_asked, slope_kernels
from armillary.constraints.splitting import (
    SolvedSplit,
    compiled_split,
    solved_split,
    split_program,
)
from armillary.constraints.states import blanked
from armillary.constraints.table import small
from armillary.errors import ModelError, ProjectionWarning, warn_caller
from armillary.evaluate.array_text import arrays_text
from armillary.evaluate.derivatives import ForwardDerivatives
from armillary.evaluate.inputs import Array
from armillary.shown import shown

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.constraints.variation_kernel import VariationKernel
    from armillary.evaluate.evaluator import External
    from armillary.evaluate.program import Program

_PLAIN = ("q", "v", "tau")
_PER_STEP = 400  # operations of the budget that a body counts for along a direction
_EVEN = 1e-3  # inertias of motions, as roots: with less of one beside another care is taken
_SINGULAR = 1e-6  # of the velocities: a variation that rows forbid by more leads nowhere
_ROUNDED = 1e-9  # of changes of a: what they may leave of rows without saying anything


@shown
@dataclass(frozen=True)
class ConstrainedDerivatives:
    """Derivatives of a.  Off the admissible variations a loop opens and there is no derivative.

    dtau (nv, nv).  motions (nv, k): admissible variations of q (on the tangent space); dq (nv, k)
    the change of a along each of them with v held.  carried (nv, k): the change of v that each of
    them demands, least by kinetic energy; moved (nv, k) the change of a with v carried along.
    velocities (nv, l): admissible variations of v alone; dv (nv, l) the change of a along them.
    full: `dq`, `dv`, `dtau`, (nv, nv) each, as for a tree: derivatives of the acceleration at
    project(q, v), the nearest admissible state.  A batch has (B, ...) of everything.  Along
    variations where accelerations jump, at singular positions, dq and moved are NaN."""

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
    probe = Probe(equations, system.q, found, external, passive)
    return _of_states(equations, found, probe, single)


def compiled_derivatives(
    equations: Equations, states: States, single: bool, closed: bool
) -> ConstrainedDerivatives | None:
    """By compiled code; None: it is not yet worth its making, there is none, or it has not
    converged at every state.  closed: open positions do not converge."""
    by_load = states.passive and equations.model.load_dependent_joints
    if not often_asked(equations) or by_load or not len(states):
        return None
    key = ("derivatives", states.reads, states.passive)
    kernels = equations.memo.once(key, lambda: _straight_line(equations, *key[1:]))
    if kernels is not None:
        whole = results_of(equations, kernels, states, closed, True)
        if whole and isfinite(whole["a"].sum()):
            dtau, along, full = (whole[name] for name in ("dtau", "along", "full"))
            along, full = (x[0] if single else np.swapaxes(x, 0, 1) for x in (along, full))
            dtau = dtau[0] if single else dtau
            parts = dict(zip(ALONG, along, strict=True))
            tree = ForwardDerivatives(full[0], full[1], dtau)
            return ConstrainedDerivatives(dtau, velocities=parts["motions"], full=tree, **parts)
    at_once = _native(equations, states, closed)
    answer = None if at_once is None else at_once(states, single)
    if answer is not None:
        return answer
    found = compiled_split(equations, states, closed)
    if found is None:
        return None
    probe = Probe(equations, states.arrays["q"], found, states.external, states.passive)
    return _of_states(equations, found, probe, single)


class _Native:
    """Plain states in one native call."""

    def __init__(self, kernel: VariationKernel, globals_: Array):
        from armillary.evaluate.lean_call import lean_kernel

        self._kernel, self._globals = kernel, globals_
        self._one = lean_kernel(kernel, globals_)

    def __call__(self, states: States, single: bool) -> ConstrainedDerivatives | None:
        """None: something has not converged."""
        inputs, count = [states.arrays[name] for name in _PLAIN], len(states)
        if single and self._one is not None:
            found = self._one(*(x[0] for x in inputs))
            return None if found is None else self._answer(*found)
        shapes = self._kernel.output_shapes.values()
        found = [np.empty((count, *shape)) for shape in shapes]
        strides = [x.shape[1] for x in inputs]
        self._kernel.call(inputs, strides, found, count, self._globals)
        if not isfinite(found[0].sum()):
            return None
        if single:
            return self._answer(*(x[0] for x in found))
        return self._answer(*found[:2], *(np.swapaxes(x, 0, 1) for x in found[2:]))

    def _answer(
        self, _: Array, dtau: Array, along: Array, fast: Array, full: Array
    ) -> ConstrainedDerivatives:
        motions, dq, carried, moved = along
        tree = ForwardDerivatives(full[0], full[1], dtau)
        return ConstrainedDerivatives(dtau, motions, dq, carried, moved, fast[0], fast[1], tree)


def _native(equations: Equations, states: States, closed: bool) -> _Native | None:
    """None where states are not plain, or there is no code for them."""
    split = split_program(equations, states) if states.reads == _PLAIN else None

    def make() -> _Native | None:
        from armillary.constraints.variation_kernel import VariationKernel

        owner, slopes = (
            equations.evaluator,
            slope_kernels(equations, WITHOUT_WRENCHES, states.passive),
        )
        if slopes is None or split is None or not native():
            return None
        kernel = VariationKernel(
            split.kernel(False, "double"),
            slopes.program.kernel(True, "double"),
            owner.base_numbers,
            equations.scaling,
            _SINGULAR,
            _EVEN,
        )
        return _Native(kernel, owner.closed_base_numbers if closed else owner.base_numbers)

    return equations.memo.once(("variations", states.passive, closed, split), make)


def _straight_line(equations: Equations, reads: tuple[str, ...], passive: bool) -> Program | None:
    """Everything in one straight line of code, for mechanisms that are small enough."""
    plan, n = plan_of(equations) if small(equations) else None, equations.tables.nv
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
    equations: Equations, solved: SolvedSplit, probe: Probe, single: bool
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
    left = _left_of_rows(equations, solved, moved, second + by_v[1][..., :k])
    limit = _jump_limit(equations, solved, moved)
    if (jumping := _above(left, limit) & ~undefined[:, None]).any():
        lost = _above(left @ onto_q, limit) & ~undefined[:, None]
        dq, moved, full_q = _lost(dq, jumping), _lost(moved, jumping), _lost(full_q, lost)
        _warn_jumping(equations, lost, single)
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
    limit = _SINGULAR * _largest(equations, solved.v)
    left = _left_of_rows(equations, solved, carried, rates)
    found = np.asarray(_above(left, limit).any(axis=1))
    if found.any():
        where = "" if single else _states_text(found)
        text = (
            f"forward_dynamics.derivatives: '{equations.model.name}' is in a singular position"
            f"{where}, where a variation that its rows admit leads nowhere while it moves. Ask "
            f"beside it."
        )
        if single:
            raise ModelError(text)
        warn_caller(text, ProjectionWarning)
    return found


def _jump_limit(equations: Equations, solved: SolvedSplit, moved: Array) -> Array:
    """(B,) what changes of a may leave of the slopes of rows."""
    size = _largest(equations, solved.a) + _largest(equations, solved.v) ** 2
    changes = np.abs(moved / equations.scaling.columns[:, None]).max(axis=(1, 2), initial=0.0)
    return np.asarray(_SINGULAR * size + _ROUNDED * changes)


def _warn_jumping(equations: Equations, lost: NDArray[np.bool_], single: bool) -> None:
    """lost (B, nv): along which entries of q accelerations jump: rows that depend on each other
    here contradict each other beside it, as of wheels in line of which one is turned."""
    labels = [equations.model.v_labels[k] for k in np.flatnonzero(lost.any(axis=0))]
    where = "" if single else _states_text(np.asarray(lost.any(axis=1)))
    warn_caller(
        f"forward_dynamics.derivatives: '{equations.model.name}' is in a singular position{where}, "
        f"where rows depend on each other that contradict each other beside it: its accelerations "
        f"jump along {', '.join(labels) or 'some of its motions'}, and have no derivatives there "
        f"(NaN in dq).",
        ProjectionWarning,
    )


def _states_text(found: NDArray[np.bool_]) -> str:
    k, others = int(np.argmax(found)), int(found.sum()) - 1
    return f" in state {k}{f' (and in {others} more)' if others else ''}"


def _lost(x: Array, columns: NDArray[np.bool_]) -> Array:
    """x (B, n, k) with NaN in some of its columns (B, k)."""
    return np.where(columns[:, None], np.nan, x)


def _above(left: Array, limit: Array) -> NDArray[np.bool_]:
    """(B, k) columns of (B, m, k) that are not below the limit (B,)."""
    return np.asarray(np.abs(left).max(axis=1, initial=0.0) > limit[:, None])


def _largest(equations: Equations, x: Array) -> Array:
    """(B,) of velocities or accelerations (B, nv), without units of length."""
    return np.asarray(np.abs(x / equations.scaling.columns).max(axis=1, initial=0.0))


def _left_of_rows(
    equations: Equations, solved: SolvedSplit, changes: Array, slopes: Array
) -> Array:
    """(B, m, k) what changes (B, nv, k) leave of slopes of the rows, as part of their sizes; 0
    where nothing is known."""
    s = equations.scaling
    left = (s.rows / s.length)[:, None] * (solved.J @ changes + slopes)
    left[solved.split.undefined] = 0.0
    return np.asarray(left)
