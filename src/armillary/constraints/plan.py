"""How the equations of a constrained mechanism are eliminated: decided once, from sample states.

Rows that follow from others in *every* configuration (all planar loops have them) are dropped; the
elimination order takes the cheapest pivot that is healthy in all samples.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.closed.constrained import Plan
from armillary.algorithms.closed.embedding import Pivot
from armillary.algorithms.tree import mass_matrix
from armillary.constraints.assembly import Closer
from armillary.constraints.branches import core_dofs
from armillary.constraints.equations import OPEN_SAMPLES
from armillary.constraints.kept_rows import kept_rows
from armillary.constraints.large import MU, SampleRows, elimination_order
from armillary.constraints.notes import open_limit, opening_weights
from armillary.constraints.nullspace import RANK_TOLERANCE, counted
from armillary.constraints.table import OPERATIONS, PER_BODY, PER_UNKNOWN, options_for
from armillary.evaluate.inputs import Array

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations

Rows = NDArray[np.intp]
_CLOSED_SAMPLES = 3
_CLOSED = 1e-9  # opening of a sample, of the machine's size
PIVOT_SHARE = 0.05
HEALTHY_SHARE = 0.3  # from here on one pivot is as good as another: equal parts are solved alike
_LEFT_OVER = 1e-3
_TIED = 1e-9  # of a row: its part in another
_IMPLIED = 1e-6  # of its terms: what rows may contradict each other within a step of time


def plan_of(equations: Equations) -> Plan:
    """How forward dynamics are solved, made once; for mechanisms of any size: sparse_plan.py."""
    return equations.memo.once("plan", lambda: make_plan(equations, implied=True))


def small(equations: Equations) -> bool:
    """Is the mechanism small enough to be traced for straight-line code, and is that wanted?"""
    options, n = equations.evaluator.options, equations.tables.nv
    if options.tier is not None:
        return options.tier == 2
    bodies, most = len(equations.tables.bodies), options.budget // PER_UNKNOWN
    if PER_BODY * bodies > options.budget or n > most:
        return False
    # half of the rows of a planar loop follow from the others: they are looked at where it matters
    return n + equations.constraints.count <= most or n + len(kept_rows(equations)) <= most


def report(equations: Equations) -> str:
    """Which code answers, as `compile_report` prints it."""
    unknowns = f"{equations.tables.nv} coordinates and {equations.constraints.count} rows"
    who = "straight, or loops" if small(equations) else "loops"
    lines = [f"closed, with {unknowns}: {who}; behind them the null space"]
    for code in OPERATIONS if small(equations) else ():
        most = options_for(equations.evaluator.options, code).budget
        lines.append(f"  {code:<34} straight up to {most} operations, else loops")
    return "\n".join(lines)


def for_inputs(plan: Plan, reads: tuple[str, ...]) -> Plan:
    """The plan for code that reads these inputs: inertias that are given per state may be zero."""
    return replace(plan, articulated=()) if "parameters" in reads else plan


def samples_of(equations: Equations) -> Array:
    """Closed configurations (k, nq) about the initial one, the same in every process."""

    def make() -> Array:
        rng = np.random.default_rng(0)
        equations.random_configurations(rng, OPEN_SAMPLES)  # other numbers than those of open ones
        return closed_samples(equations, rng)

    return equations.memo.once("samples", make)


def make_plan(
    equations: Equations,
    wanted: NDArray[np.bool_] | None = None,
    embed: bool = True,
    inertia: Array | None = None,
    implied: bool = False,
    general: bool = False,
) -> Plan:
    """wanted: rows that take part; all by default.  embed: solve independent rows for dependent
    coordinates; else always the regularised system, which has no coordinates to go wrong.
    inertia (nv): a diagonal in the place of the mass matrix.  implied: rows that follow from others
    wherever the mechanism is closed may be left out and checked.  general: for places in general
    position alone, where as many rows count as anywhere."""
    rows_wanted = (
        np.arange(equations.constraints.count) if wanted is None else np.flatnonzero(wanted)
    )
    kept = _independent_rows(equations, np.random.default_rng(0), rows_wanted)
    q = samples_of(equations)
    if inertia is None:
        reference = M = equations.evaluator.run(mass_matrix.mass_matrix, {"q": q})["M"]
    else:
        filled = np.where(inertia > 0.0, inertia, inertia.max())
        M, reference = (np.tile(np.diag(x), (len(q), 1, 1)) for x in (inertia, filled))
    J = equations.terms(q).J[:, kept]
    scale = _row_scale(reference, J)
    ranks = [_rank(equations, j, kept) for j in J]
    if general:
        most = [k for k, rank in enumerate(ranks) if rank == max(ranks)]
        M, J, reference, ranks = M[most], J[most], reference[most], [max(ranks)] * len(most)
    rows = tuple(int(k) for k in kept)
    scales = tuple(float(x) for x in equations.scaling.columns)
    rank = min(ranks, default=0)
    if embed and rank == len(kept):
        pivots = dependent_coordinates(J)
        if pivots is not None:
            closing, free = closing_weights(equations), _articulated(equations, inertia)
            return Plan(rows, pivots=pivots, scale=scales, closing=closing, articulated=free)
    elif implied and 0 < rank == max(ranks):
        made = _implied_plan(equations, J, rank, kept)
        if made is not None:
            return replace(made, articulated=_articulated(equations, inertia))
    mu = _rough(MU * scale)
    return Plan(
        kept=rows,
        order=tuple(_order(M, J, mu, reference)),
        mu=tuple(float(x) for x in mu),
        scale=scales,
        length=equations.length,
        closing=closing_weights(equations),
    )


def _articulated(equations: Equations, inertia: Array | None) -> tuple[int, ...]:
    """Degrees of freedom that need no part in the equations: of branches without constraints."""
    every = np.arange(equations.tables.nv)
    return () if inertia is not None else tuple(np.setdiff1d(every, core_dofs(equations)).tolist())


def closing_weights(equations: Equations) -> tuple[float, ...]:
    """Per row, 1 over the opening up to which a position counts as closed (notes.py); 0 where it
    may be anywhere."""
    return tuple(float(x) for x in opening_weights(equations) / open_limit(equations))


def plan_at(equations: Equations, plan: Plan, q: Array) -> Plan | None:
    """The same rows solved for the dependent coordinates that are healthiest at q; None where there
    are none, or no others, and where fewer rows count: what is left of the others is rounding, in
    which any coordinate looks healthy."""
    if plan.pivots is None:
        return None
    J, residual = equations.place(q)
    if equations.factor_of(J, residual).rank < len(plan.pivots):
        return None
    pivots = dependent_coordinates(J[None, list(plan.kept)], len(plan.pivots))
    places = [{(p.row, p.dof) for p in x} for x in (pivots or (), plan.pivots)]
    return None if not pivots or places[0] == places[1] else replace(plan, pivots=pivots)


def _implied_plan(equations: Equations, J: Array, rank: int, kept: Rows) -> Plan | None:
    """As many rows as are independent, the others checked.  Not where there is one sample only:
    there any row may follow from others by chance."""
    pivots = dependent_coordinates(J, rank) if len(J) > 1 else None
    if pivots is None:
        return None
    s, frames = equations.scaling, sum(x.count for x in equations.constraints.frames)
    weights = np.where(kept < frames, s.rows[kept] / s.length, 0.0)
    return Plan(
        tuple(int(k) for k in kept),
        pivots=pivots,
        scale=tuple(float(x) for x in s.columns),
        length=equations.length,
        implied_tolerance=max(_IMPLIED, equations.geometry_tolerance),
        openings=tuple(float(x) for x in weights),
        closing=closing_weights(equations),
    )


def dependent_coordinates(J: Array, count: int | None = None) -> tuple[Pivot, ...] | None:
    """Row and degree of freedom of each pivot: the sparsest that is not small in any sample.

    count: of the pivots, where not all rows are independent; rows of which little is left, with
    the others taken off, are left out then."""
    work = J.copy()  # (samples, rows, n)
    sizes = np.abs(work).max(axis=2, initial=0.0)
    pattern = (work != 0.0).any(axis=0)
    rows, columns = list(range(J.shape[1])), list(range(J.shape[2]))
    pivots: list[Pivot] = []
    while rows and len(pivots) != count:
        block = np.abs(work[:, rows][:, :, columns])
        best = block.max(axis=2, keepdims=True)
        with np.errstate(all="ignore"):
            share = np.nan_to_num((block / best).min(axis=0))  # of the largest in its row
        used = pattern[np.ix_(rows, columns)]
        cost = (used.sum(1)[:, None] - 1) * (used.sum(0)[None, :] - 1)
        allowed = share >= PIVOT_SHARE
        if count is not None:
            allowed &= (best[:, :, 0] > _LEFT_OVER * sizes[:, rows]).all(axis=0)[:, None]
        if not allowed.any():
            return None
        ranked = np.where(allowed, cost - np.minimum(share, HEALTHY_SHARE), np.inf)
        i, j = np.unravel_index(int(np.argmin(ranked)), ranked.shape)
        r, c = rows[int(i)], columns[int(j)]
        value = work[:, r, c]
        pivots.append(Pivot(r, c, float(_rough(np.abs(value).mean()))))
        rows.remove(r)
        columns.remove(c)
        for other in rows:
            if pattern[other, c]:
                work[:, other] -= (work[:, other, c] / value)[:, None] * work[:, r]
                pattern[other] |= pattern[r]
    return tuple(pivots)


def following_rows(equations: Equations) -> tuple[Rows, Rows, Array]:
    """Rows that follow from the others in every configuration, J_d = C J_k: (d, k, C)."""
    rng, every = np.random.default_rng(0), np.arange(equations.constraints.count)
    kept = _independent_rows(equations, rng, every)
    others = np.setdiff1d(every, kept)
    J = equations.terms(equations.random_configurations(rng, OPEN_SAMPLES)).J
    wide = np.concatenate(list(J), axis=1)
    C = np.linalg.lstsq(wide[kept].T, wide[others].T, rcond=None)[0].T
    return others, kept, C


def may_contradict(equations: Equations, given: Iterable[str] = ()) -> bool:
    """Can rows whose motion is prescribed, by the model or by these names, ask for something else
    than rows of which they are constant combinations?"""
    table = equations.constraints
    driven = np.array(table.driven, bool)
    for name in given:
        driven[table.slices.get(name, slice(0))] = True
    if not driven.any():
        return False
    others, kept, C = equations.memo.once("following rows", lambda: following_rows(equations))
    tied = driven[others] | (np.abs(C[:, driven[kept]]) > _TIED).any(axis=1)
    return bool((tied & ~equations.idle_rows[others]).any())


def independent_rows(equations: Equations) -> Rows:
    """Of all rows, those that are not constant combinations of others, made once."""

    def find() -> Rows:
        every = np.arange(equations.constraints.count)
        return _independent_rows(equations, np.random.default_rng(0), every)

    return equations.memo.once("independent rows", find)


def _independent_rows(equations: Equations, rng: np.random.Generator, wanted: Rows) -> Rows:
    """Rows that are not constant combinations of others: J at random open configurations."""
    q = equations.random_configurations(rng, OPEN_SAMPLES)
    J = equations.scaling.scaled(equations.terms(q).J)
    wide = np.concatenate(list(J[:, wanted]), axis=1)  # (m, samples * n)
    sizes, order = _largest_first(wide)
    rank = counted(sizes, max(RANK_TOLERANCE, equations.geometry_tolerance))
    return np.sort(wanted[order[:rank]])


def _largest_first(A: Array) -> tuple[Array, Rows]:
    """The order of rows in which each is the largest of what is left with those before it taken
    off, and these sizes: (min(m, n),), (m,).

    The diagonal of a pivoted QR (Gram-Schmidt; sizes are accurate to the rounding of the largest).
    LAPACK's would need `scipy.linalg`, which takes 0.1 s to import."""
    left, order = A.copy(), np.arange(len(A))
    sizes = np.zeros(min(A.shape))
    for k in range(len(sizes)):
        squares = np.einsum("ij,ij->i", left[k:], left[k:])
        best = k + int(np.argmax(squares))
        order[[k, best]], left[[k, best]] = order[[best, k]], left[[best, k]]
        sizes[k] = np.sqrt(squares[best - k])
        if sizes[k] == 0.0:
            break
        unit = left[k] / sizes[k]
        left[k + 1 :] -= np.outer(left[k + 1 :] @ unit, unit)
    return sizes, order


def closed_samples(equations: Equations, rng: np.random.Generator) -> Array:
    """Closed configurations about the initial one, driven coordinates anywhere.  Where that one is
    open it is left out, unless nothing about it can be closed."""
    closer = Closer(equations, prescribed=False)
    start = equations.tree.initial
    limit = max(_CLOSED, equations.geometry_tolerance)
    samples = [start] if closer.opening(closer.residual(start)) < limit else []
    for _ in range(_CLOSED_SAMPLES):
        kick = rng.normal(size=equations.tables.nv) * 0.2 * equations.scaling.columns
        q, _ = closer.marquardt(equations.tree.integrate(start, kick), steps=40)
        if closer.opening(closer.residual(q)) < limit:
            samples.append(q)
    return np.array(samples or [start])


def _rank(equations: Equations, J: Array, kept: Rows) -> int:
    scaled = equations.scaling.of_rows(kept).scaled(J)
    values = np.asarray(np.linalg.svd(scaled, compute_uv=False), float)
    return counted(values, max(RANK_TOLERANCE, equations.geometry_tolerance))


def _rough(sizes: Array) -> Array:
    """Sizes as powers of two: parts that are equal but for rounding are equal."""
    return np.exp2(np.rint(np.log2(sizes)))


def _row_scale(M: Array, J: Array) -> Array:
    """Typical diagonal of J M^-1 J^T, from the diagonal of M: (rows,)."""
    diagonal = np.einsum("sii->si", M)
    floor = np.maximum(diagonal.max(axis=1, keepdims=True) * 1e-9, 1e-300)
    each = np.einsum("smn,sn->sm", J * J, 1.0 / np.maximum(diagonal, floor))
    mean = each.mean(axis=0)
    return np.maximum(mean, mean.sum() / max(mean.size, 1) * 1e-3)


def _order(M: Array, J: Array, mu: Array, reference: Array) -> list[int]:
    """Elimination order of [M J^T; J -mu] that is healthy in all samples.

    reference: inertias that tell what size a pivot has by itself; M may have zeros."""
    (samples, m, n), diagonal = J.shape, np.einsum("sii->si", reference)
    damping = np.tile(-np.diag(mu), (samples, 1, 1))
    K = np.block([[M, np.swapaxes(J, -1, -2)], [J, damping]])
    inertias = np.maximum(diagonal, diagonal.max(axis=1, keepdims=True) * 1e-9)
    rows: SampleRows = [
        {int(j): K[:, i, j] for j in np.flatnonzero((K[:, i] != 0.0).any(axis=0))}
        for i in range(n + m)
    ]
    return elimination_order(rows, [*inertias.T, *_row_scale(reference, J)])
