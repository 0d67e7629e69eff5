"""Rank and mobility: what can move at this instant, and what can move on.

An instantaneous freedom need not be a finite one: a straight two-bar chain has a velocity but
cannot leave its place.  Finite mobility is found by going a short way along random allowed
velocities, closing the loops again, and counting there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armillary.constraints.assembly import Closer
from armillary.constraints.notes import refuse_open
from armillary.constraints.nullspace import Factor
from armillary.evaluate.inputs import Array
from armillary.shown import shown

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations

_STEP = 0.02  # rad, or parts of the machine's size
_WALK = 4  # steps: off a singular place there may be another one
_NEARBY_RANK = 1e-6  # singular values grow with the step off a singular place


@shown
@dataclass(frozen=True)
class Mobility:
    """Freedoms of a mechanism at a configuration."""

    coordinates: int  # degrees of freedom of the tree
    rows: int
    rank: int
    finite: int  # freedoms in nearby configurations that can be reached
    redundant: tuple[str, ...]  # constraints with rows that follow from others
    condition: float  # of J (scaled), over the singular values that count
    singular_values: Array
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
    equations: Equations, closer: Closer, q: Array, tries: int = 6, seed: int = 0
) -> Mobility:
    """Counts at a closed configuration; an open one has none, and is refused."""
    terms = equations.terms(q[None])
    opening = closer.opening(terms.residual[0])
    refuse_open(equations, terms.residual[0], "mobility", "ranks and freedoms have no meaning")
    factor = equations.factor(terms)
    values = factor.singular_values
    finite = _finite(equations, closer, q, factor, tries, seed)
    Z = factor.stress
    redundant = tuple(
        constraint.name
        for constraint in equations.constraints.all
        if Z.size
        and np.abs(Z[equations.constraints.slices[constraint.name]]).max(initial=0.0) > 1e-7
    )
    return Mobility(
        coordinates=equations.tables.nv,
        rows=equations.constraints.count,
        rank=factor.rank,
        finite=finite,
        redundant=redundant,
        condition=factor.condition,
        singular_values=values,
        motions=factor.free,
        labels=equations.model.v_labels,
        closed=opening <= 1e-9,
        opening=opening,
    )


def _finite(
    equations: Equations, closer: Closer, q: Array, factor: Factor, tries: int, seed: int
) -> int:
    """Largest number of freedoms met in nearby configurations that can be reached."""
    free = equations.tables.nv - factor.rank
    if free == 0:
        return 0
    rng = np.random.default_rng(seed)
    N = factor.free
    nullities = [_walk(equations, closer, q, N, rng) for _ in range(tries)]
    return min(max(nullities, default=0), free)


def _walk(
    equations: Equations, closer: Closer, q: Array, N: Array, rng: np.random.Generator
) -> int:
    """Freedoms in general position on a branch through q: a few steps along random allowed
    velocities, each closed again; 0 where no step leads away."""
    tolerance = max(_NEARBY_RANK, equations.geometry_tolerance)
    left = False
    for _ in range(_WALK):
        there = _step(equations, closer, q, N @ rng.normal(size=N.shape[1]))
        if there is None:
            break
        q, left = there, True
        N = Factor(equations.terms(q[None]).J[0], equations.scaling, tolerance).free
    return _dimension(equations, closer, q, N, rng) if left else 0


def _step(equations: Equations, closer: Closer, q: Array, motion: Array) -> Array | None:
    """A closed configuration a short way off along an allowed velocity, if one is there."""
    columns = equations.scaling.columns
    d = motion / columns
    if not d.any():
        return None
    d *= _STEP / np.abs(d).max()
    there = equations.tree.integrate(q, columns * d)
    there, _ = closer.marquardt(there, steps=60, polished=False)
    moved = equations.tree.difference(q, there) / columns
    if not 0.2 * _STEP <= np.abs(moved).max() <= 3.0 * _STEP:  # back again, or thrown far off
        return None
    opening = closer.opening(closer.residual(there))
    return there if opening <= max(1e-11, 10.0 * closer.closed) else None


def _dimension(
    equations: Equations, closer: Closer, q: Array, N: Array, rng: np.random.Generator
) -> int:
    """Independent displacements to closed configurations about q.

    A velocity may be allowed all along a branch and lead nowhere (rods of a flat ladder while
    others turn), so velocities alone are not counted.  The steps go along orthonormal bases in
    random position: their displacements would be as independent if all velocities led on."""
    free = N.shape[1]
    if free <= 1:
        return free
    columns = equations.scaling.columns
    moved = []
    for _ in range(2):
        turned = N @ np.linalg.qr(rng.normal(size=(free, free)))[0]
        for motion in turned.T:
            there = _step(equations, closer, q, motion)
            if there is not None:
                size = np.abs(motion / columns).max()  # of a unit step along this motion
                moved.append(equations.tree.difference(q, there) / columns * size)
    if not moved:
        return 0
    values = np.linalg.svd(np.array(moved), compute_uv=False)
    return min(free, int(np.sum(values > 0.1 * values[0])))
