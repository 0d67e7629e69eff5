"""Derivatives of constrained accelerations along the variations the constraints admit.

The equations  M a + h = tau + J^T λ,  J a = gamma  are differentiated with a and λ held (dual
numbers through their steps), and the answer solves the same equations:

    M da - J^T dλ = -d(first)|a,λ ,    J da = -d(second)|a

A mechanism that moves cannot change q alone:  J(q + dq) (v + dv) = 0  demands

    J dv = -d(J v)|v ,    of which the smallest, by kinetic energy, is carried along with dq.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.constraints.ladder import States
from armillary.constraints.nullspace import Scaling
from armillary.constraints.slopes import Probe
from armillary.constraints.splitting import (
    SolvedSplit,
    compiled_split,
    solved_split,
)
from armillary.constraints.states import blanked
from armillary.errors import ModelError, ProjectionWarning, warn_caller
from armillary.evaluate.array_text import arrays_text
from armillary.evaluate.derivatives import ForwardDerivatives
from armillary.evaluate.inputs import Array
from armillary.shown import shown

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.evaluate.evaluator import External

_AT_ONCE = 2**15  # numbers of M that are worked on together: they stay in the cache
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
    return _handed_out(equations, [_of_states(equations, found, probe)], single)


def compiled_derivatives(
    equations: Equations, states: States, single: bool, closed: bool
) -> ConstrainedDerivatives | None:
    """By compiled code, as many states at a time as stay in the cache; None: there is none, or it
    has not converged at every state.  closed: open positions do not converge."""
    count, parts = len(states), []
    step = max(1, _AT_ONCE // equations.tables.nv**2)
    for first in range(0, count, step):
        last = min(first + step, count)
        some = states if last - first == count else states.of(np.arange(first, last))
        split = compiled_split(equations, some, closed, count)
        if split is None:
            return None
        probe = Probe(equations, some.arrays["q"], split, some.external, some.passive, count)
        parts.append(_of_states(equations, split, probe))
    return _handed_out(equations, parts, single) if parts else None


class _Found(NamedTuple):
    """Of B states."""

    answer: ConstrainedDerivatives
    undefined: NDArray[np.bool_]  # (B,)
    nowhere: NDArray[np.bool_]  # (B,) where a variation leads nowhere
    jumping: NDArray[np.bool_]  # (B, k) motions along which a jumps
    lost: NDArray[np.bool_]  # (B, n) entries of q along which it does


def _of_states(equations: Equations, solved: SolvedSplit, probe: Probe) -> _Found:
    """Changes are rows (B, k, n) here, as slopes come by directions."""
    split, M, R = solved.split, solved.M, solved.split.response
    motions, velocities = split.motions.swapaxes(1, 2), split.velocities.swapaxes(1, 2)
    P, k = split.particular.swapaxes(1, 2), motions.shape[1]

    def balanced(x: Array, force: Array | float) -> Array:
        """Changes of v or a that keep the rows; M x + force has no part along free motions."""
        for _ in range(2):
            x = x - (x @ M + force) @ R
        return x

    first, second, rates = _slopes(probe, motions, np.zeros(motions.shape))
    carried = balanced(-rates @ P, 0.0)  # the smallest changes of v, by kinetic energy
    along = np.concatenate([carried, velocities], axis=1)
    balance, rows, _ = _slopes(probe, np.zeros(along.shape), along)
    moving = second + rows[:, :k]
    balance, rows = np.concatenate([first, balance], 1), np.concatenate([second, rows], 1)
    every = balanced(-rows @ P, balance)
    dq, moved, dv = every[:, :k], every[:, :k] + every[:, k : 2 * k], every[:, 2 * k :]
    onto_v = onto_q = _onto(solved, velocities, equations.scaling, solved.inert)
    if split.motions is not split.velocities:
        onto_q = _onto(solved, motions, equations.scaling, False)
    full_q, full_v = moved.swapaxes(1, 2) @ onto_q, dv.swapaxes(1, 2) @ onto_v
    speed, size = _largest(equations, solved.v), _largest(equations, solved.a)
    leaving = _left_of_rows(equations, solved, carried, rates)
    nowhere = np.asarray(_above(leaving, _SINGULAR * speed).any(axis=1))
    undefined = split.undefined | nowhere
    changes = np.abs(moved / equations.scaling.columns).max(axis=(1, 2), initial=0.0)
    limit = _SINGULAR * (size + speed**2) + _ROUNDED * changes
    left, lost = _left_of_rows(equations, solved, moved, moving), np.zeros(solved.a.shape, bool)
    if (jumping := _above(left, limit) & ~undefined[:, None]).any():
        lost = _above(onto_q.swapaxes(1, 2) @ left, limit) & ~undefined[:, None]
        dq, moved = (np.where(jumping[..., None], np.nan, x) for x in (dq, moved))
        full_q = np.where(lost[:, None], np.nan, full_q)
    dq, carried, moved, dv = (x.swapaxes(1, 2) for x in (dq, carried, moved, dv))
    answer = ConstrainedDerivatives(
        R, split.motions, dq, carried, moved, split.velocities, dv,
        ForwardDerivatives(full_q, full_v, R),
    )  # fmt: skip
    return _Found(answer, undefined, nowhere, jumping, lost)


def _slopes(probe: Probe, dq: Array, dv: Array) -> list[Array]:
    """As `Probe.slopes`, by rows instead of columns."""
    return [x.swapaxes(1, 2) for x in probe.slopes(dq.swapaxes(1, 2), dv.swapaxes(1, 2))]


def _handed_out(
    equations: Equations, parts: Sequence[_Found], single: bool
) -> ConstrainedDerivatives:
    """With what there is to tell of states; a single one that has no answer is refused."""
    x = parts[0] if len(parts) == 1 else _joined(parts)
    if x.nowhere.any():
        _tell_nowhere(equations, x.nowhere, single)
    if x.jumping.any():
        _warn_jumping(equations, x.jumping, x.lost, single)
    if single:
        own = {name: y[0] for name, y in vars(x.answer).items() if name != "full"}
        full = ForwardDerivatives(*(y[0] for y in x.answer.full))
        return ConstrainedDerivatives(**own, full=full)
    return blanked(x.answer, x.undefined) if x.undefined.any() else x.answer


def _joined(parts: Sequence[Any]) -> Any:
    """Of all states, from those of some."""
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    if isinstance(parts[0], tuple):
        return type(parts[0])(*map(_joined, zip(*parts, strict=True)))
    names = vars(parts[0])
    return type(parts[0])(**{name: _joined([vars(x)[name] for x in parts]) for name in names})


def _onto(solved: SolvedSplit, motions: Array, scaling: Scaling, inert: bool) -> Array:
    """(B, k, nv): coordinates along the motions (B, k, nv) of what is nearest, by kinetic energy,
    to a change.  inert: they are all free velocities, none without inertia."""
    M = solved.M
    if inert:  # R M is that nearest change itself
        return np.asarray((motions / scaling.columns**2) @ solved.split.response @ M)
    if not motions.shape[1]:
        return np.zeros((len(M), 0, M.shape[1]))
    pushes, columns = motions @ M, motions.swapaxes(1, 2)
    inner = pushes @ columns
    size = np.sqrt(np.maximum(np.einsum("bii->bi", inner), 1e-300))[:, :, None]
    even = inner / (size * size.swapaxes(1, 2))
    if size.min() > _EVEN * size.max() and _well_conditioned(even):
        return np.asarray(np.linalg.solve(even, pushes / size) / size)
    flat = np.linalg.cond(inner) > 1e14  # motions without inertia: any measure of them will do
    diagonal = np.einsum("bii->bi", M)
    size = np.maximum(diagonal, diagonal.mean(axis=1, keepdims=True) * 1e-12)
    _, R = np.linalg.qr(np.sqrt(size)[..., None] * columns)
    R[flat], inner[flat] = (np.eye(motions.shape[1]),) * 2
    inverse = np.linalg.inv(R)  # the motions made of one size first
    back = inverse.swapaxes(1, 2)
    found = inverse @ np.linalg.solve(back @ inner @ inverse, back @ pushes)
    for k in np.flatnonzero(flat):
        found[k] = np.linalg.pinv(columns[k] / scaling.columns[:, None]) / scaling.columns
    return np.asarray(found)


def _well_conditioned(A: Array) -> bool:
    """Are all of the symmetric matrices (B, k, k) with ones on their diagonals?"""
    try:
        pivots = np.linalg.cholesky(A).diagonal(axis1=1, axis2=2)
    except np.linalg.LinAlgError:
        return False
    return bool(pivots.min() > _EVEN)


def _tell_nowhere(equations: Equations, found: NDArray[np.bool_], single: bool) -> None:
    """found (B,): where changes of v leave rates of the rows, and no motion goes on.  A single
    state is refused; a batch has a warning."""
    text = (
        f"forward_dynamics.derivatives: '{equations.model.name}' is in a singular position"
        f"{'' if single else _states_text(found)}, where a variation that its rows admit leads "
        f"nowhere while it moves. Ask beside it."
    )
    if single:
        raise ModelError(text)
    warn_caller(text, ProjectionWarning)


def _warn_jumping(
    equations: Equations, jumping: NDArray[np.bool_], lost: NDArray[np.bool_], single: bool
) -> None:
    """Motions (B, k) and entries of q (B, nv) along which accelerations jump: rows that depend on
    each other here contradict each other beside it, as of wheels in line of which one is turned."""
    labels = [equations.model.v_labels[k] for k in np.flatnonzero(lost.any(axis=0))]
    where = "" if single else _states_text(np.asarray(jumping.any(axis=1)))
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


def _above(left: Array, limit: Array) -> NDArray[np.bool_]:
    """(B, k) rows of (B, k, m) that are not below the limit (B,)."""
    return np.asarray(np.abs(left).max(axis=2, initial=0.0) > limit[:, None])


def _largest(equations: Equations, x: Array) -> Array:
    """(B,) of velocities or accelerations (B, nv), without units of length."""
    return np.asarray(np.abs(x / equations.scaling.columns).max(axis=1, initial=0.0))


def _left_of_rows(
    equations: Equations, solved: SolvedSplit, changes: Array, slopes: Array
) -> Array:
    """(B, k, m) what changes (B, k, nv) leave of slopes of the rows, as part of their sizes; 0
    where nothing is known."""
    s = equations.scaling
    left = (s.rows / s.length) * (changes @ solved.J.swapaxes(1, 2) + slopes)
    left[solved.split.undefined] = 0.0
    return np.asarray(left)
