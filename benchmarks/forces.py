"""Closed mechanisms: what their forces and other questions cost against their motion."""

from __future__ import annotations

import time
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
STEP, STEPS = 1e-3, 1000
FIRST_RUNS = 3
FORCES = ("reactions", "constraint_forces")
NOTES = (
    "announced as many states (`compile(states=1000)`); first run: of a new mechanism, its code in "
    "the cache of the disk.",
    "run: per step of 1 ms, all of them recorded: q and v, and with all forces beside them.",
)


def run(setting: Setting) -> Section:
    rows = []
    for name, make in MECHANISMS.items():
        arm = make().compile(states=setting.effort.batch)
        q, v, x = states(arm, setting.effort.batch)
        rows += [single_row(name, arm, (q[0], v[0], x[0]), setting)]
        rows += [batch_row(name, arm, (q, v, x), setting), run_row(name, arm, q[0], v[0], setting)]
        rows += [first_run_row(name, make, q[0], v[0])]
    for windows in LARGE:
        arm = ladder(windows)
        q, v, x = states(arm, 4)
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


def first_run_row(name: str, make: Callable[[], am.Mechanism], q: Array, v: Array) -> Row:
    """The first run of a mechanism that records all forces, against one that records the motion."""
    times: dict[str, float] = {}
    for title, record in (("motion", ("q", "v")), ("forces", ("q", "v", *FORCES))):
        for _ in range(FIRST_RUNS):
            arm, begun = make(), time.process_time()
            am.simulate(arm, q, v, duration=STEP * STEPS, step=STEP, record=record)
            took = (time.process_time() - begun) / STEPS
            times[title] = min(times.get(title, took), took)
    target = targets.FIRST_FORCES if name in targets.FORCES else None
    score = Score(times["forces"] / times["motion"], target, low=True)
    return Row(name, "first run", dict(times), {"forces / motion": score})
