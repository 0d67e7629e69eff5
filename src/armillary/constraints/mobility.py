"""Rank and mobility: what can move at this instant, and what can move on.

An instantaneous freedom need not be a finite one: a straight two-bar chain has a velocity but
cannot leave its place.  Where as many rows are independent here as anywhere, q is a regular point:
every allowed velocity leads on (implicit function theorem).  Elsewhere finite mobility is found by
going a short way along random allowed velocities, closing the loops again, and counting there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.assembly import Closer
from armillary.constraints.ladder import Notes
from armillary.constraints.notes import clash_notes, open_limit, opening_weights, refuse_open
from armillary.constraints.nullspace import Answer, Factor
from armillary.constraints.plan import independent_rows, plan_of, samples_of, small
from armillary.constraints.projection import Projector
from armillary.evaluate.deferred import Deferred, Later
from armillary.evaluate.inputs import Array, whole_number
from armillary.shown import shown

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations, System
    from armillary.constraints.rows import Terms

_STEP = 0.02  # rad, or parts of the machine's size
_WALK = 4  # steps: off a singular place there may be another one
_REGULAR = 1e3  # condition of the scaled J: beyond, a singular place may be as near as a step
_KNOWN = 1e6  # the same where steps are tried: the rank is no matter of rounding
_LOOKS = 4  # states of a batch that may be singular, and are not
_NEARBY_RANK = 1e-6  # singular values grow with the step off a singular place


@shown
@dataclass(frozen=True, kw_only=True)
class Mobility:
    """Freedoms of a mechanism at a configuration."""

    coordinates: int  # degrees of freedom of the tree
    rows: int
    rank: int
    finite: int  # freedoms in nearby configurations that can be reached
    redundant: tuple[str, ...]  # constraints with rows that follow from others
    condition: Later[float] = Later()  # of J (scaled), over the singular values that count
    singular_values: Later[Array] = Later()
    motions: Array  # (nv, instantaneous): free velocities, unit length in scaled units
    labels: tuple[str, ...]
    closed: bool
    opening: float

    @property
    def instantaneous(self) -> int:
        return self.coordinates - self.rank

    @property
    def redundancy(self) -> int:
        """Rows that follow from others."""
        return self.rows - self.rank

    @property
    def singular(self) -> str:
        """Kind of singularity: "" (none), "locked" (a velocity that leads nowhere), or
        "branching" (more velocities here than freedoms nearby)."""
        if self.instantaneous == self.finite:
            return ""
        return "locked" if self.finite == 0 else "branching"

    def __str__(self) -> str:
        lines = [
            f"{'coordinates of the tree':<34}{self.coordinates:>6}",
            f"{'constraint rows':<34}{self.rows:>6}",
            f"{'rank':<34}{self.rank:>6}",
            f"{'redundant rows':<34}{self.redundancy:>6}",
            f"{'mobility, finite / instantaneous':<34}{self.finite:>4} / {self.instantaneous}",
            f"{'condition of J (scaled)':<34}{self.condition:>10.3g}",
        ]
        if self.singular:
            lines.append(f"{'singular configuration':<34}{self.singular:>12}")
        if self.redundant:
            lines.append("constraints with redundant rows: " + ", ".join(self.redundant))
        if not self.closed:
            lines.append(f"note: the configuration is open by {self.opening:.2g} of its size")
        return "\n".join(lines)


def mobility(
    equations: Equations, projector: Projector, q: Array, tries: int = 6, seed: int = 0
) -> Mobility:
    """Counts at a closed configuration; an open one has none, and is refused."""
    tries, seed = whole_number("tries", tries, 0, 1_000_000), whole_number("seed", seed, 0)
    J, residual = equations.place(q)
    opening = projector.closer.opening(residual)
    if not isfinite(opening):
        projector.closer.refuse_endless(q)
    if opening > open_limit(equations):
        refuse_open(equations, residual, "mobility", "ranks and freedoms have no meaning")
    factor = equations.factor_of(J, residual)
    finite = _finite(equations, projector, q, factor, tries, seed)
    return Mobility(
        coordinates=equations.tables.nv,
        rows=equations.constraints.count,
        rank=factor.rank,
        finite=finite,
        redundant=_redundant(equations, factor),
        condition=Deferred(lambda: factor.condition),
        singular_values=Deferred(lambda: factor.singular_values),
        motions=factor.free,
        labels=equations.model.v_labels,
        closed=opening <= 1e-9,
        opening=opening,
    )


def _redundant(equations: Equations, factor: Factor) -> tuple[str, ...]:
    """Constraints with rows that follow from others.  Where as many count as anywhere, those follow
    that always do, and they are found once."""

    def find() -> tuple[str, ...]:
        slices = equations.constraints.slices
        return tuple(name for name, rows in slices.items() if factor.dependent[rows].any())

    if factor.rank == len(factor.J):
        return ()
    if factor.rank == len(independent_rows(equations)):
        return equations.memo.once("redundant constraints", find)
    return find()


def singular_notes(equations: Equations, system: System, k: int, factor: Factor) -> tuple[str, ...]:
    """A remark where more velocities are allowed at state k than lead on; else nothing.

    Rows that depend on each other here but not nearby leave the accelerations to the other rows:
    they are those of this instant, and the mechanism cannot follow all of them."""
    q, opening = system.q[k], np.abs(system.terms.residual[k]) * opening_weights(equations)
    if opening.max(initial=0.0) > open_limit(equations) or factor.rank >= _generic_rank(equations):
        return ()
    free = equations.tables.nv - factor.rank
    finite = leading_on(equations, _projector(equations), q, factor)
    if finite >= free:
        return ()  # another branch, where fewer rows count all along
    lost = free - finite
    rows = (
        f"{lost} rows that count nearby depend" if lost > 1 else "a row that counts nearby depends"
    )
    locked = ": it is locked" if finite == 0 else ""
    return (
        f"the configuration is singular: {rows} on the others here, so the instantaneous mobility "
        f"is {free}, the finite one {finite}{locked}. Accelerations and forces are those of the "
        f"rows that are left at this instant; mobility(q) tells more",
    )


def told_of(
    equations: Equations,
    system: System,
    answers: Mapping[int, Answer],
    numbers: NDArray[np.intp] | None,
) -> Notes:
    """What is worth a warning of these states: rows that contradict each other, and singular
    positions, which are looked at until a few were none."""
    found: list[tuple[int | None, str]] = []
    looks = _LOOKS
    for k, answer in answers.items():
        texts = clash_notes(equations, system, k, answer)
        if not texts and looks:
            texts = [*singular_notes(equations, system, k, answer.factor)]
            looks -= not texts
        found += [(None if numbers is None else int(numbers[k]), text) for text in texts]
    return tuple(found)


def shaky(equations: Equations) -> bool:
    """Is it locked, and has a velocity, as a straight chain of two bars between pins?"""

    def find() -> bool:
        if not small(equations) or plan_of(equations).pivots is not None:
            return False
        q = samples_of(equations)
        terms = equations.terms(q)
        least = min(equations.factor(terms, k).rank for k in range(len(q)))
        return least < equations.tables.nv == _generic_rank(equations)

    return equations.memo.once("shaky", find)


def _generic_rank(equations: Equations) -> int:
    """Rank of the rows in general position, made once."""

    def find() -> int:
        q = samples_of(equations)
        terms = equations.terms(q)
        factors = [equations.factor(terms, k) for k in range(len(q))]
        k = int(np.argmax([x.rank for x in factors]))
        if not all(equations.constraints.holonomic):
            return factors[k].rank
        finite = equations.tables.nv - factors[k].rank
        if not _regular(factors[k], len(independent_rows(equations))):
            finite = _by_walks(equations, _projector(equations), q[k], factors[k].free)
        return equations.tables.nv - finite

    return equations.memo.once("generic rank", find)


def _projector(equations: Equations) -> Projector:
    return equations.memo.once("projector", lambda: Projector(equations, Closer(equations)))


def condition_numbers(equations: Equations, terms: Terms, known: NDArray[np.bool_]) -> Array:
    """(B,) condition of the scaled J over its rank; NaN where the rows are not known.

    All singular values are found at once.  The rank is that of `Factor`, by pivoted QR, whose
    pivots obey  σ_k / size <= |r_kk| <= 2^(k-1) size σ_k  [LawsonHanson1974, 6.31], and grow like
    the size itself but for matrices made for it: where that leaves a doubt, the state is
    factored."""
    conditions, chosen = np.full(len(known), np.nan), np.flatnonzero(known)
    size = max(terms.J.shape[1:])
    if not terms.J[0:1].size or not len(chosen):
        conditions[chosen] = 1.0
        return conditions
    values = np.linalg.svd(equations.scaling.scaled(terms.J[chosen]), compute_uv=False)
    tolerance = equations.rank_tolerances(terms.residual[chosen])[:, None]
    largest = np.maximum(values[:, :1], 1.0)
    counts = values >= size * tolerance * largest
    growth = size * np.minimum(2.0 ** np.arange(values.shape[1]), float(size))
    certain = (counts | (growth * values <= tolerance)).all(axis=1)
    rank = counts.sum(axis=1)
    some = rank > 0
    last = values[np.arange(len(values)), np.maximum(rank, 1) - 1]
    conditions[chosen] = np.where(some, values[:, 0] / np.where(some, last, 1.0), 1.0)
    for k in chosen[~certain].tolist():
        conditions[k] = equations.factor(terms, k).condition
    return conditions


def leading_on(equations: Equations, projector: Projector, q: Array, factor: Factor) -> int:
    """Freedoms at q that lead on.  With rolling rows all velocities count: steered wheels whose
    axles meet allow one more than wheels anyhow, and a vehicle keeps them so."""
    if not all(equations.constraints.holonomic):
        return equations.tables.nv - factor.rank
    return _finite(equations, projector, q, factor)


def _finite(
    equations: Equations,
    projector: Projector,
    q: Array,
    factor: Factor,
    tries: int = 6,
    seed: int = 0,
) -> int:
    """Largest number of freedoms met in nearby configurations that can be reached."""
    free = equations.tables.nv - factor.rank
    if free == 0 or _regular(factor, len(independent_rows(equations))):
        return free
    # as many rows count as at closed places in general: no two branches meet here, and what is
    # left to see is whether this one leads on
    usual = _generic_rank(equations)
    if _regular(factor, usual, _KNOWN) and _leads_on(equations, projector, q, factor.free, seed):
        return free
    return _by_walks(equations, projector, q, factor.free, tries, seed, usual)


def _regular(factor: Factor, rank: int, condition: float = _REGULAR) -> bool:
    """Do so many rows count, and well enough?"""
    return factor.rank == rank and factor.condition_below(condition)


def _leads_on(
    equations: Equations, projector: Projector, q: Array, N: Array, seed: int = 0
) -> bool:
    """Do all free motions lead to closed configurations, as independent as they are?"""
    free = N.shape[1]
    motions = N @ _seeded_basis(seed, free) if free > 1 else N
    return _displaced(equations, projector, q, motions.T) == free


def _by_walks(
    equations: Equations,
    projector: Projector,
    q: Array,
    N: Array,
    tries: int = 6,
    seed: int = 0,
    usual: int | None = None,
) -> int:
    """usual: the rank of closed places in general, where it is known."""
    if N.shape[1] == 1:  # there are two ways along one motion, and no more
        both = np.concatenate([N, -N], axis=1).T
        if not _steps(equations, projector, q, both)[1].any():
            return 0
    rng, found = np.random.default_rng(seed), 0
    for _ in range(tries):
        found = max(found, _walk(equations, projector, q, N, rng, found, usual))
        if found >= N.shape[1]:
            break
    return min(found, N.shape[1])


def _walk(
    equations: Equations,
    projector: Projector,
    q: Array,
    N: Array,
    rng: np.random.Generator,
    found: int,
    usual: int | None,
) -> int:
    """Freedoms in general position on a branch through q: a few steps along random allowed
    velocities, each closed again; 0 where no step leads away, and no more than were `found` before
    where they are as few.  Where as many rows count as anywhere, all velocities lead on."""
    tolerance = max(_NEARBY_RANK, equations.geometry_tolerance)
    left = False
    for _ in range(_WALK):
        places, good = _steps(equations, projector, q, (N @ rng.normal(size=N.shape[1]))[None])[:2]
        if not good[0]:
            break
        q, left = places[0], True
        factor = Factor(equations.place(q)[0], equations.scaling, tolerance)
        N = factor.free
        if N.shape[1] <= found or factor.rank == len(independent_rows(equations)):
            return N.shape[1]
        if factor.rank == usual and _leads_on(equations, projector, q, N):
            return N.shape[1]
    return _dimension(equations, projector, q, N, rng) if left else 0


def _steps(
    equations: Equations, projector: Projector, q: Array, motions: Array
) -> tuple[Array, NDArray[np.bool_], Array]:
    """Closed configurations (k, nq) a short way off q along allowed velocities (k, nv); which of
    them are there; and the ways (k, nv) to them, scaled."""
    columns, closer = equations.scaling.columns, projector.closer
    ways = motions / columns
    sizes = np.abs(ways).max(axis=1, keepdims=True)
    ways *= _STEP / np.where(sizes > 0.0, sizes, np.inf)
    guesses = [equations.tree.integrate(q, columns * way) for way in ways]
    found = [projector.nearby(guess) for guess in guesses]
    places = np.array([q if x is None else x for x in found])

    limit, moving = max(1e-11, 10.0 * closer.closed), sizes[:, 0] > 0.0

    def missed() -> NDArray[np.bool_]:
        """Back, thrown far off, or open."""
        for way, place in zip(ways, places, strict=True):
            way[:] = equations.tree.difference(q, place) / columns
        size = np.abs(ways).max(axis=1)
        openings = np.array([closer.opening(equations.place(place)[1]) for place in places])
        return np.asarray((size < 0.2 * _STEP) | (size > 3.0 * _STEP) | ~(openings <= limit))

    again = missed() & moving
    for k in np.flatnonzero(again):  # rough, or beside a singular place: more careful steps
        places[k], _ = closer.marquardt(guesses[k], steps=60)
    return places, ~(missed() if again.any() else again) & moving, ways


def _dimension(
    equations: Equations, projector: Projector, q: Array, N: Array, rng: np.random.Generator
) -> int:
    """Independent displacements to closed configurations about q.

    A velocity may be allowed all along a branch and lead nowhere (rods of a flat ladder while
    others turn), so velocities alone are not counted.  The steps go along orthonormal bases in
    random position: their displacements would be as independent if all velocities led on."""
    free = N.shape[1]
    if free <= 1:
        return free
    bases = [_random_basis(rng, free) for _ in range(2)]
    motions = (N @ np.concatenate(bases, axis=1)).T
    return min(free, _displaced(equations, projector, q, motions))


def _random_basis(rng: np.random.Generator, size: int) -> Array:
    return np.asarray(np.linalg.qr(rng.normal(size=(size, size)))[0])


@lru_cache(maxsize=16)
def _seeded_basis(seed: int, size: int) -> Array:
    return _random_basis(np.random.default_rng(seed), size)


def _displaced(equations: Equations, projector: Projector, q: Array, motions: Array) -> int:
    """Independent ones among the displacements to closed configurations along motions (k, nv)."""
    _, good, ways = _steps(equations, projector, q, motions)
    if len(good) == 1 or not good.any():
        return int(good[0])
    sizes = np.abs(motions / equations.scaling.columns).max(axis=1)  # of unit steps along them
    values = np.linalg.svd((ways * sizes[:, None])[good], compute_uv=False)
    return int(np.sum(values > 0.1 * values[0]))
