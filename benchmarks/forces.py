"""Closed mechanisms: what their forces and other questions cost against their motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import armillary as am
from benchmarks import elements, targets
from benchmarks.clock import Runner, race, statement
from benchmarks.closed import car, ladder
from benchmarks.mechanisms import Array
from benchmarks.setting import Setting
from benchmarks.table import Row, Score, Section

MECHANISMS: dict[str, Callable[[], am.Mechanism]] = {
    "four-bar": lambda: am.example("four-bar"),
    "slider-crank": lambda: am.example("slider-crank"),
    "stewart": lambda: am.example("stewart"),
    "rover": lambda: am.example("rover"),
    "bricard": lambda: am.example("bricard"),
    "differential": lambda: am.example("differential"),
    "ladder 6": lambda: ladder(6),
    "car": car,
}
LARGE = (30, 100)  # windows
QUESTIONS = {
    "forward_dynamics": "arm.forward_dynamics(q, v, x)",
    "solve": "arm.solve(q, v, x)",
    "constraint_jacobian": "arm.constraint_jacobian(q)",
    "constraint_residual": "arm.constraint_residual(q)",
    "project": "arm.project(q, v)",
    "assemble": "arm.assemble(q)",
    "mobility": "arm.mobility(q)",
    "derivatives": "arm.forward_dynamics.derivatives(q, v, x)",
}
BATCHED = ("forward_dynamics", "solve", "constraint_jacobian", "constraint_residual", "project")
USES = 210  # of rows, forces and derivatives, so that long code is made, too
STEP, STEPS = 1e-3, 1000
FORCES = ("reactions", "constraint_forces")
NOTES = (
    "after some use: what is asked for a few times only is answered by numpy and the interpreter.",
    "run: per step of 1 ms, all of them recorded: q and v, and with all forces beside them.",
)


def run(setting: Setting) -> Section:
    rows = []
    for name, make in MECHANISMS.items():
        arm = make()
        q, v, x = states(arm, setting.effort.batch)
        in_use(arm, q, v, x)
        rows += [single_row(name, arm, (q[0], v[0], x[0]), setting)]
        rows += [batch_row(name, arm, (q, v, x), setting), run_row(name, arm, q[0], v[0], setting)]
    for windows in LARGE:
        arm = ladder(windows)
        q, v, x = states(arm, 4)
        in_use(arm, q, v, x)
        rows += [single_row(f"ladder {windows}", arm, (q[0], v[0], x[0]), setting)]
    title = f"Closed mechanisms, all questions: one state, and per state of {setting.effort.batch}"
    rows += elements.rows(setting)
    return Section("forces", title, rows, NOTES + elements.NOTES)


def states(arm: am.Mechanism, count: int) -> tuple[Array, Array, Array]:
    """Closed states in motion about the initial one, as many different ones as a batch has."""
    rng = np.random.default_rng(7)
    start, _ = arm.project(arm.initial)
    way = arm.project(np.tile(start, (count, 1)), rng.normal(size=(count, arm.nv)))[1]
    size = np.abs(way).max(axis=1, keepdims=True)
    near = arm.integrate(start, 0.1 * way / np.where(size > 0.0, size, 1.0))
    q, v = arm.project(near, rng.normal(size=(count, arm.nv)))
    good = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1)
    chosen = np.resize(np.flatnonzero(good), count)
    return q[chosen], v[chosen], rng.normal(size=(count, arm.nv))


def in_use(arm: am.Mechanism, q: Array, v: Array, x: Array) -> None:
    """Ask as often as it takes until everything is compiled: what is asked for once is not."""
    arm.solve(q, v, x)
    for _ in range(USES):
        arm.constraint_jacobian(q[0])
        arm.solve(q[0], v[0], x[0])
        arm.forward_dynamics.derivatives(q[0], v[0], x[0])


def single_row(
    name: str, arm: am.Mechanism, state: tuple[Array, Array, Array], setting: Setting
) -> Row:
    names = dict(zip(("arm", "q", "v", "x"), (arm, *state), strict=True))
    runners = {title: statement(text, names) for title, text in QUESTIONS.items()}
    return Row(name, "single", dict(race(runners, setting.effort)))


def batch_row(
    name: str, arm: am.Mechanism, states: tuple[Array, Array, Array], setting: Setting
) -> Row:
    names = dict(zip(("arm", "q", "v", "x"), (arm, *states), strict=True))
    runners = {title: statement(QUESTIONS[title], names) for title in BATCHED}
    count = len(states[0])
    times = {title: t / count for title, t in race(runners, setting.effort).items()}
    return Row(name, f"batch {count}", dict(times))


def run_row(name: str, arm: am.Mechanism, q: Array, v: Array, setting: Setting) -> Row:
    """A run that records all forces against one that records the motion."""
    names: dict[str, Any] = {"am": am, "arm": arm, "q": q, "v": v}
    names |= {"STEP": STEP, "T": STEP * STEPS, "motion": ("q", "v"), "forces": ("q", "v", *FORCES)}
    call = "am.simulate(arm, q, v, duration=T, step=STEP, record={})"
    runners: dict[str, Runner] = {
        title: statement(call.format(title), names) for title in ("motion", "forces")
    }
    times = {title: t / STEPS for title, t in race(runners, setting.effort).items()}
    score = Score(times["forces"] / times["motion"], targets.FORCES.get(name), low=True)
    return Row(name, "run", dict(times), {"forces / motion": score})
