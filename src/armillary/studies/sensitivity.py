"""How responses depend on factors: locally, and over their whole range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.studies.designs import Design

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset

    from armillary.studies.results import Study

_STEP = 2.0**-17  # of the value: errors of the difference and of rounding are about equal
_SMOOTH = 0.05  # of the derivative: how well two steps have to agree


def local_sensitivities(
    study: Study, variant: int | None = None, relative: bool = False
) -> DataFrame:
    """Derivatives of every response by every factor (rows: factors), at a variant, or where the
    experiment itself stands; relative: (x / y) dy/dx.

    By central differences of runs side by side, with two steps: where these, or both sides, do not
    agree (a maximum that jumps, an event) there is no derivative, and NaN says so."""
    import pandas

    work = study.work
    x = _place(study, variant)
    found = np.full((len(x), len(work.responses)), np.nan)
    steps = np.array([abs(v) * _STEP if v else _STEP for v in x])
    rows = [x]
    for k, h in enumerate(steps):
        for factor in (2.0, 1.0, -1.0, -2.0):
            moved = x.copy()
            moved[k] += factor * h * 16.0
            rows.append(moved)
    answers = work.batches.run(work.values(np.array(rows)))
    y = answers.values
    for k, h in enumerate(steps * 16.0):
        far, near, back, further = y[1 + 4 * k : 5 + 4 * k]
        one, two = (near - back) / (2.0 * h), (far - further) / (4.0 * h)
        size = np.maximum(np.abs(one), np.abs(y[0] / (x[k] or 1.0)) * 1e-6)
        bend = np.abs((near - y[0]) - (y[0] - back)) / h  # of a kink: it does not fall with h
        slope = (4.0 * one - two) / 3.0  # Richardson
        smooth = (np.abs(one - two) <= _SMOOTH * size) & (bend <= _SMOOTH * size)
        found[k] = np.where(smooth, slope, np.nan)
    if relative:
        found *= x[:, None] / y[0]
    frame = pandas.DataFrame(found, index=list(study.factors), columns=list(study.responses))
    frame.index.name = "factor"
    return frame


def _place(study: Study, variant: int | None) -> Array:
    work = study.work
    if variant is not None:
        if not 0 <= variant < len(work.design):
            raise InputError(f"variant: expected 0 to {len(work.design) - 1}, found {variant}.")
        return work.design.rows(variant, variant + 1)[0]
    targets = work.batches.targets
    return np.array([targets[factor.paths[0]].value for factor in work.factors])


def sobol_indices(study: Study, samples: int = 1024, seed: int = 0) -> Dataset:
    """First-order and total Sobol indices of every response by every factor, with their standard
    errors: the share of its variance that a factor brings alone, and with all others.

    Saltelli's scheme: samples (k + 2) variants of the factors' distributions, A, B and A with one
    column of B; first order by [Saltelli 2010], total by [Jansen 1999]; errors by bootstrap."""
    import xarray

    work, k = study.work, len(study.work.factors)
    if samples < 16:
        raise InputError(f"samples: expected 16 or more, found {samples}.")
    twice = Design("sobol", work.design.sources * 2, samples, seed)
    drawn = twice.rows(0, samples)
    A, B = drawn[:, :k], drawn[:, k:]
    mixed = [np.where(np.arange(k) == j, B, A) for j in range(k)]
    answers = work.batches.run(work.values(np.concatenate([A, B, *mixed])))
    y = answers.values.reshape(k + 2, samples, -1)
    known = np.isfinite(y).all(axis=(0, 2))
    y = y[:, known]
    if len(y[0]) < 16:
        raise InputError("sobol: fewer than 16 samples came to their end.")
    first, total = _indices(y)
    rng = np.random.default_rng(seed)
    again = [_indices(y[:, rng.integers(0, y.shape[1], y.shape[1])]) for _ in range(200)]
    errors = [np.std([x[n] for x in again], axis=0) for n in (0, 1)]
    dims = ("factor", "response")
    variables = {
        "first": (dims, first),
        "first_error": (dims, errors[0]),
        "total": (dims, total),
        "total_error": (dims, errors[1]),
    }
    labels = {"factor": list(study.factors), "response": list(study.responses)}
    about = {"samples": int(known.sum()), "failed": int((~known).sum())}
    return xarray.Dataset(variables, labels, about)


def _indices(y: Array) -> tuple[Array, Array]:
    """y (2 + k, samples, responses): of A, B, and A with one column of B."""
    a, b, mixed = y[0], y[1], y[2:]
    variance = np.concatenate([a, b]).var(axis=0)
    variance = np.where(variance > 0.0, variance, np.nan)
    centre = np.concatenate([a, b]).mean(axis=0)
    first = ((b - centre) * (mixed - a)).mean(axis=1) / variance
    total = 0.5 * ((a - mixed) ** 2).mean(axis=1) / variance
    return first, total
