"""States of the library that a living page must reproduce when it is opened.

It repeats some steps from the start.  Where rounding grows within them, as with dry friction at
rest, which turns round with the last digit, it repeats those from the same place in motion.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.graph.function import FunctionGraph
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.record.run import Run
from armillary.viewer.experiment import Experiment

CHECKED = (1, 20)  # steps after which the page must be where the library is
WRENCH = (0.3, -0.2, 0.1, 1.0, -2.0, 0.7)
_CLOSE = 1e-11  # of the largest acceleration
_NUDGE = 1e-11  # rad or m
_GROWTH = 1e5  # of a nudge within these steps, at most: rounding then stays far below the check


def checks(experiment: Experiment, run: Run, solvers: Sequence[FunctionGraph]) -> dict[str, object]:
    """Places after some steps, poses, and what a wrench does; run: the first steps; solvers: the
    dynamics of the page.  InputError: rounding grows so fast that no page can repeat them."""
    mechanism, repeated = experiment.mechanism, _repeatable(experiment, run)
    q, v = repeated.q[0], repeated.v[0]
    last = repeated.q[max(CHECKED)]
    R, p = mechanism.poses(last)
    found: dict[str, object] = {
        "start": experiment.start(q, v),
        "steps": [
            {"steps": k, "q": repeated.q[k].tolist(), "v": repeated.v[k].tolist()} for k in CHECKED
        ],
        "poses": [*np.ravel(R).tolist(), *np.ravel(p).tolist()],
    }
    movable = [
        b.name for b in mechanism.model.bodies if mechanism.evaluator.place(b.name).kernel >= 0
    ]
    for speed in (_moving(mechanism, last)[1], repeated.v[max(CHECKED)]) if movable else ():
        wrench = _wrench(mechanism, movable[-1], last, speed, solvers)
        if wrench is not None:
            return found | {"wrench": wrench}
    return found


def _wrench(
    mechanism: Mechanism, body: str, q: Array, v: Array, solvers: Sequence[FunctionGraph]
) -> dict[str, object] | None:
    """What a wrench on a body does; None: no solver of the page answers there, or not so."""
    evaluator, rest = mechanism.evaluator, np.zeros(mechanism.nv)
    a = mechanism.forward_dynamics(q, v, rest, external={body: WRENCH})
    rows = evaluator.external_rows({body: (np.array([WRENCH]), False)}, 1, evaluator.tables())
    given = {"q": q.tolist(), "v": v.tolist(), "external": rows[0].tolist()}
    size = max(1.0, float(np.abs(a).max()))
    if not any(np.abs(np.array(g.values(given)) - a).max() <= _CLOSE * size for g in solvers):
        return None
    number = mechanism.model.index[body]
    return {"body": number, "wrench": list(WRENCH), "v": v.tolist(), "a": a.tolist()}


def _moving(mechanism: Mechanism, q: Array) -> tuple[Array, Array]:
    """q and velocities far from zero, rad/s or m/s, of both signs, as the constraints allow."""
    k = np.arange(mechanism.nv)
    v = (0.3 + 0.4 * np.modf(0.618 * k)[0]) * (-1.0) ** k
    return mechanism.project(q, v) if mechanism.constraints else (q, v)


def _repeatable(experiment: Experiment, run: Run) -> Run:
    """The run that the page repeats."""
    if experiment.moved or _grows(experiment, run) <= _GROWTH:
        return run
    moving = experiment.run(max(CHECKED), *_moving(experiment.mechanism, run.q[0]))
    growth = _grows(experiment, moving)
    if growth > _GROWTH:
        raise InputError(
            f"page: within {max(CHECKED)} steps of {experiment.step:g} s rounding grows "
            f"{growth:.0e} times, so that two machines do not give the same motion. The step is "
            f"too long for these gains: take a smaller step= or other gains."
        )
    return moving


def _grows(experiment: Experiment, run: Run) -> float:
    """How many times larger a nudge of the start is after the steps."""
    mechanism, (q, v) = experiment.mechanism, (run.q[0], run.v[0])
    nudge = _NUDGE * (-1.0) ** np.arange(mechanism.nv)
    q = mechanism.integrate(q, nudge)
    q, v = mechanism.project(q, v) if mechanism.constraints else (q, v)
    try:
        other = experiment.run(max(CHECKED), q, v)
    except InputError:  # it explodes
        return np.inf
    far = max(float(np.abs(a - b).max()) for a, b in ((run.q, other.q), (run.v, other.v)))
    return far / _NUDGE
