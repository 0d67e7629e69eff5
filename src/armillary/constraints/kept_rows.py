"""Rows that do not follow from others of the same constraint, found one constraint after the other:
half of the rows of a planar loop do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.nullspace import RANK_TOLERANCE

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations

_SAMPLES = 4  # random configurations
_NOISE = 1e-9  # coefficients of scaled rows: less is rounding
Terms = tuple[tuple[int, float], ...]  # (row, coefficient)


def kept_rows(equations: Equations, wanted: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
    """Wanted rows that do not follow from others of the same constraint in every configuration."""
    return _found(equations, wanted)[0]


def following_rows(equations: Equations) -> list[tuple[int, Terms]]:
    """The others, each as a sum of kept ones of its constraint, in scaled units."""
    return _found(equations, None)[1]


def summed(kept: NDArray[np.intp], coefficients: NDArray[np.float64]) -> Terms:
    """What is more than rounding of a sum of kept rows."""
    pairs = zip(kept.tolist(), coefficients.tolist(), strict=True)
    return tuple((k, x) for k, x in pairs if abs(x) > _NOISE)


def _found(
    equations: Equations, wanted: NDArray[np.bool_] | None
) -> tuple[NDArray[np.intp], list[tuple[int, Terms]]]:
    key = ("kept rows", None if wanted is None else wanted.tobytes())
    return equations.memo.once(key, lambda: _find(equations, wanted))


def _find(
    equations: Equations, wanted: NDArray[np.bool_] | None
) -> tuple[NDArray[np.intp], list[tuple[int, Terms]]]:
    from scipy.linalg import qr

    rng, s = np.random.default_rng(0), equations.scaling
    start = np.tile(equations.tree.initial, (_SAMPLES, 1))
    kick = rng.normal(size=(_SAMPLES, equations.tables.nv)) * s.columns
    q = equations.tree.integrate(start, kick)
    J = equations.row_entries(q)
    rows, columns, *_ = equations.rows.pairs
    scaled = J * s.rows[rows] * s.columns[columns] / s.length
    largest = max(float(np.abs(scaled).max(initial=0.0)), 1.0)  # size of rows that move anything
    tolerance = max(RANK_TOLERANCE, equations.geometry_tolerance)
    by_row = np.argsort(rows, kind="stable")
    edges = np.searchsorted(rows[by_row], np.arange(equations.constraints.count + 1))
    wanted = np.ones(equations.constraints.count, bool) if wanted is None else wanted
    kept, following = list[int](), list[tuple[int, Terms]]()
    slices = equations.constraints.slices
    for constraint in equations.constraints.frames:
        span = slices[constraint.name]
        own = np.array([r for r in range(span.start, span.stop) if wanted[r]], np.intp)
        if not len(own):  # springs and dampers alone
            continue
        block = np.stack([scaled[:, by_row[edges[r] : edges[r + 1]]].ravel() for r in own])
        _, R, P = qr(block.T, mode="economic", pivoting=True)
        rank = int(np.sum(np.abs(np.diag(R)) > tolerance * largest))
        first, others = np.sort(P[:rank]), np.sort(P[rank:])
        kept += own[first].tolist()
        C = np.linalg.lstsq(block[first].T, block[others].T, rcond=None)[0].T
        following += [(int(own[k]), summed(own[first], c)) for k, c in zip(others, C, strict=True)]
    firsts = [slices[axis.name].start for axis in equations.constraints.axes]
    kept += [row for row in firsts if wanted[row]]
    return np.array(kept, np.intp), following
