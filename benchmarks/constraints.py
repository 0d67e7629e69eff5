"""Closed mechanisms: forward dynamics against Pinocchio's constraintDynamics, and its growth."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Any
from unittest import mock

import numpy as np

import armillary as am
from armillary.sim.loop import stream as streams
from armillary.sim.loop.time_steps import Stepping
from benchmarks import targets
from benchmarks.accuracy import relative_error
from benchmarks.clock import race, statement
from benchmarks.closed import CLOSED, Closed, Referee, car, independent, ladder
from benchmarks.growth import exponent
from benchmarks.mechanisms import Array
from benchmarks.pinocchio_closed import CALL, PinocchioClosed
from benchmarks.setting import Setting
from benchmarks.table import Row, Score, Section, error, ratio

OURS = "arm.forward_dynamics(q, v, x)"
INTO = "arm.forward_dynamics(q, v, x, out=out)"
RUN = "am.simulate(arm, q, v, steps * h, h, 'rk4', every=steps)"
STEPS, STEP = 500, 1e-3  # of a run of the car, s
LATENCY_STEPS, LATENCY_RUNS = 1000, 5
CHECKED = 8  # states compared with the dense solution
WINDOWS = (2, 10, 20, 30, 60, 100, 300, 1000)
FITTED = 10  # windows from which the exponent counts
ELIMINATION = "ours, elimination"  # compile(tier=1): the way of large mechanisms at every size
ANGLE, SPEED = 0.7, 1.3  # of all rods of the ladder, rad and rad/s
NOTES = (
    "error and Pinocchio's error: accelerations against a dense solution in extended precision; "
    "of the ladder, against the one equation of motion it has with parallel rods.",
    "Pinocchio: constraintDynamics with 3D constraints and its fastest exact settings, one step "
    "(undamped where the rows are independent); per state of a batch, its call in a Python loop.",
    "ladder: straight-line code up to some 20 windows, the elimination beyond; change: of the time "
    "per window from the one to the other.",
    "latency: the longest step of a run over the mean of its steps, each the least of some runs.",
)


class Contest:
    """A closed mechanism here and in Pinocchio."""

    def __init__(self, closed: Closed):
        self.closed, self.arm = closed, closed.arm
        J = self.arm.constraint_jacobian(closed.some[0][0])
        self.peer = PinocchioClosed(self.arm, dependent=len(independent(J)) < len(J))

    @cached_property
    def exact(self) -> list[Array]:
        """True accelerations of the first states."""
        referee = Referee(self.arm)
        return [np.asarray(referee.accelerations(*state), float) for state in self._checked()]

    def _checked(self) -> list[tuple[Array, Array, Array]]:
        return list(zip(*self.closed.states(CHECKED), strict=True))

    def errors(self, batched: bool) -> tuple[float, float]:
        """The worst of the compared states, ours and Pinocchio's."""
        ask = self.arm.forward_dynamics
        states = self._checked()
        if batched:
            q, v, x = self.closed.states(CHECKED)
            ours = list(ask(q, v, x))
        else:
            ours = [ask(q, v, x) for q, v, x in states]
        theirs = [self.peer.accelerations(*state) for state in states]
        return relative_error(ours, self.exact), relative_error(theirs, self.exact)


def run(setting: Setting) -> Section:
    rows = []
    for make in CLOSED.values():
        contest = Contest(make())
        rows += [single_row(contest, setting), batch_row(contest, setting)]
    rows += car_rows(setting)
    windows = [n for n in WINDOWS if n <= setting.effort.largest]
    growing = [ladder_row(n, setting) for n in windows]
    rows += [latency_row(name) for name in LATENCIES]
    count = setting.effort.batch
    title = f"Closed mechanisms, forward dynamics: one state, and per state of {count}"
    return Section("constraints", title, [*rows, *growing, *fit(growing)], NOTES)


def single_row(contest: Contest, setting: Setting) -> Row:
    q, v, x = (part[0] for part in contest.closed.states(1))
    names = {"arm": contest.arm, "q": q, "v": v, "x": x, "out": np.empty(contest.arm.nv)}
    runners = {
        "ours": statement(OURS, names),
        "ours out=": statement(INTO, names),
        "Pinocchio": statement(CALL, contest.peer.names(q, v, x)),
    }
    return judged(contest, "single", race(runners, setting.effort), False)


def batch_row(contest: Contest, setting: Setting) -> Row:
    count = setting.effort.batch
    q, v, x = contest.closed.states(count)
    names = {"arm": contest.arm, "q": q, "v": v, "x": x, "out": np.empty_like(x)}
    runners = {
        "ours": statement(OURS, names),
        "ours out=": statement(INTO, names),
        "Pinocchio": statement(f"for q, v, x in states: {CALL}", contest.peer.names(q, v, x)),
    }
    times = {name: t / count for name, t in race(runners, setting.effort).items()}
    return judged(contest, f"batch {count}", times, True)


def judged(contest: Contest, question: str, times: dict[str, float], batched: bool) -> Row:
    """The row of these times."""
    single, batch = targets.CLOSED[contest.closed.kind]
    ours, theirs = contest.errors(batched)
    scores = {
        "ratio": ratio(times["Pinocchio"], times["ours"], batch if batched else single),
        "ratio out=": ratio(times["Pinocchio"], times["ours out="]),
        "error": error(ours, targets.CLOSED_ERROR),
        "Pinocchio's error": error(theirs),
    }
    shown: dict[str, float | str] = {**times, "our kernel": kernel(contest.arm, batched)}
    return Row(contest.closed.name, question, shown, scores)


def kernel(arm: am.Mechanism, batched: bool) -> str:
    """What served the calls in double precision."""
    question: Any = arm.forward_dynamics
    entries = [entry for entry in question.question.compile_report() if entry.element == "double"]
    # a batch of fewer states than lanes is served one by one
    fit = [entry for entry in entries if (entry.lanes > 1) == batched] or entries
    if not fit or fit[0].operations is None:
        return "elimination"
    return f"tier {fit[0].tier}, {fit[0].operations} ops"


# -- a car -----------------------------------------------------------------------------------------


def car_rows(setting: Setting) -> list[Row]:
    """One state, a state of a batch, and a step of RK4 with both corrections."""
    case = Closed("car 50", "car", car(), 0.1)
    arm, count = case.arm, setting.effort.batch
    q, v, x = case.states(count)
    one = {"arm": arm, "q": q[0], "v": v[0], "x": x[0]}
    step = {"am": am, **one, "steps": STEPS, "h": STEP}
    runners = {
        "single": statement(OURS, one),
        f"batch {count}": statement(OURS, {"arm": arm, "q": q, "v": v, "x": x}),
        f"{STEPS} steps, rk4": statement(RUN, step),
    }
    times = race(runners, setting.effort)
    right = Referee(arm).accelerations(q[0], v[0], x[0])
    off = relative_error([arm.forward_dynamics(q[0], v[0], x[0])], [np.asarray(right, float)])
    per = dict(zip(runners, (1, count, STEPS), strict=True))
    scores = {name: {"error": error(off)} if name == "single" else {} for name in runners}
    return [
        Row(case.name, name, {"ours": t / per[name]}, scores[name], group="car")
        for name, t in times.items()
    ]


# -- growth ----------------------------------------------------------------------------------------


def ladder_row(windows: int, setting: Setting) -> Row:
    arm = ladder(windows)
    q, v, tau = ladder_state(arm)
    loops = arm.compile(tier=1)
    runners = {
        "ours": statement(OURS, {"arm": arm, "q": q, "v": v, "x": tau}),
        ELIMINATION: statement(OURS, {"arm": loops, "q": q, "v": v, "x": tau}),
    }
    times = race(runners, setting.effort)
    answers = [m.forward_dynamics(q, v, tau) for m in (arm, loops)]
    off = relative_error(answers, [ladder_motion(arm, tau)] * 2)
    score = error(off, targets.CLOSED_ERROR if windows == WINDOWS[-1] else None)
    shown: dict[str, float | str] = {**times, "our kernel": kernel(arm, False)}
    return Row(f"ladder {windows}", "single", shown, {"error": score}, group="ladder")


def ladder_state(arm: am.Mechanism) -> tuple[Array, Array, Array]:
    """All rods parallel; couplers turn back by what their rods turn."""
    signs = _signs(arm)
    tau = np.random.default_rng(arm.nv).normal(size=arm.nv)
    return ANGLE * signs, SPEED * signs, tau


def ladder_motion(arm: am.Mechanism, tau: Array) -> Array:
    """Parallel rods have one angle and couplers do not turn: (Σ I + Σ m l²) θ'' = force along θ.

    The inertia does not depend on θ, so neither do speeds matter; gravity pulls the rods over."""
    inertia = moment = 0.0
    for body in arm.model.bodies:
        mass = body.mass.mass
        if body.name.startswith("rod"):
            inertia += body.mass.tensor[1] + mass * body.mass.com[2] ** 2
            moment += mass * body.mass.com[2]
        else:
            inertia += mass * body.at.position[2] ** 2
            moment += mass * body.at.position[2]
    signs = _signs(arm)
    force = signs @ tau - arm.model.gravity[2] * moment * np.sin(ANGLE)
    return np.asarray(force / inertia * signs)


def _signs(arm: am.Mechanism) -> Array:
    return np.array([1.0 if name.startswith("rod") else -1.0 for name in arm.joints])


def fit(rows: list[Row]) -> list[Row]:
    """The exponent of time over windows, and the largest jump of the time per window from one size
    to the next, by one solver and where another takes over; of the elimination at every size."""
    found = []
    for name, shown in (("ours", "growth"), (ELIMINATION, "growth, elimination")):
        chosen = [row for row in rows if int(row.robot.split()[1]) >= FITTED]
        lengths = [int(row.robot.split()[1]) for row in chosen]
        times = [float(row.times[name]) for row in chosen]
        each = [time / length for length, time in zip(lengths, times, strict=True)]
        straight = [name == "ours" and "tier 2" in str(row.times["our kernel"]) for row in chosen]
        steps = list(zip(pairwise(each), pairwise(straight), strict=True))
        jumps = [b / a for (a, b), (one, other) in steps if one == other]
        changes = [b / a for (a, b), (one, other) in steps if one != other]
        loops = [k for k, x in enumerate(straight) if not x]
        large = exponent([lengths[k] for k in loops], [times[k] for k in loops])
        scores = {
            "exponent": Score(large, targets.EXPONENT, low=True),
            "jump": Score(max(jumps), targets.JUMP, low=True),
        }
        if changes:
            scores["change"] = Score(max(changes), targets.CHANGE, low=True)
        found.append(Row(f"ladder {lengths[0]}..{lengths[-1]}", shown, {}, scores, group="growth"))
    return found


# -- evenness in time ------------------------------------------------------------------------------


def latency_row(name: str) -> Row:
    """Steps of rk4 through singular places, one native call each."""
    arm, q, v = LATENCIES[name]()
    least: dict[int, float] = {}
    call = Stepping.run

    def timed(stepping: Stepping, state: Any, work: Any) -> int:
        begun = time.perf_counter()
        done = call(stepping, state, work)
        now.append(time.perf_counter() - begun)
        return done

    arguments = {"mechanism": arm, "q0": q, "v0": v, "duration": LATENCY_STEPS * STEP, "step": STEP}
    with mock.patch.object(Stepping, "run", timed), mock.patch.object(streams, "PACE", 1):
        for _ in range(LATENCY_RUNS):
            now: list[float] = []
            streams.stream(arguments | {"stick": False}, lambda *_: _Nobody())
            for k, took in enumerate(now):
                least[k] = min(least.get(k, took), took)
    mean, worst = sum(least.values()) / len(least), max(least.values())
    score = Score(worst / mean, targets.LATENCY, low=True)
    return Row(name, "latency", {"mean step": mean, "worst step": worst}, {"worst / mean": score},
               group="latency")  # fmt: skip


class _Nobody:
    """Keeps no state of a run."""

    forces = False

    def __call__(self, state: Any) -> None: ...

    def many(self, times: list[float], batch: Any) -> None: ...


def _swinging() -> tuple[am.Mechanism, Array, Array]:
    """A parallelogram that is thrown through its flat position."""
    arm = am.example("four-bar-ladder", n=1)
    return arm, np.array([0.5, -0.5, 0.5]), 9.0 * np.array([1.0, -1.0, 1.0])


def _straight_ahead() -> tuple[am.Mechanism, Array, Array]:
    arm = am.example("rover")
    return arm, np.array(arm.initial), np.zeros(arm.nv)


def _turning() -> tuple[am.Mechanism, Array, Array]:
    arm = am.example("bricard")
    return arm, np.array(arm.initial), arm.project(arm.initial, np.ones(arm.nv))[1]


LATENCIES: dict[str, Callable[[], tuple[am.Mechanism, Array, Array]]] = {
    "four-bar through its flat place": _swinging,
    "rover, straight ahead": _straight_ahead,
    "bricard": _turning,
}
