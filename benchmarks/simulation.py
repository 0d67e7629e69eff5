"""Runs over time: a 7-joint arm against MuJoCo's mj_step and rollout, closed mechanisms against
its equality constraints, and an arm under control."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy.optimize import minimize

import armillary as am
from armillary.model import Passive
from benchmarks import targets
from benchmarks.clock import Runner, race, statement
from benchmarks.closed import four_bar, stewart
from benchmarks.mechanisms import ROBOTS, Array
from benchmarks.mujoco_steps import (
    EULER,
    IMPLICIT,
    LOOP,
    NSTEP,
    PID,
    ROLLOUT,
    Steps,
    place,
)
from benchmarks.setting import Setting
from benchmarks.table import Row, Section, error, ratio

STEP = 1e-3  # s
LONG = 20_000  # steps of a single run
SHORT = 50  # steps of a run in a batch
COMPARED = 1000  # steps of the trajectories that are compared
CHECKED = 16  # runs of the batch that are compared
LOOPED = 20_000  # steps of a run of a closed mechanism
CALLED = 1000  # steps with a controller in Python
SPRING = 3000.0  # N/m, in each leg of the platform
METHOD = "semi-implicit"
OURS = "am.simulate(arm, q, v, steps * h, h, method, every=steps, **more)"
NOTES = (
    "Time per step. ours: simulate(...) as a user calls it, semi-implicit Euler, the last state "
    "recorded; MuJoCo: Euler, contacts, limits and implicit damping off, fixed bodies merged.",
    "error: largest difference of q (rad) and v (rad/s) over 1000 steps (controlled: at the end).",
    "Closed mechanisms: ours RK4 with projection; gap: largest distance of the points a loop holds "
    "together, over the run, m; MuJoCo's is that of its better integrator.",
)
# of the controlled arm: N m/rad, N m/(rad s), N m/(rad/s)
KP = np.array([60.0, 60.0, 40.0, 40.0, 6.0, 6.0, 2.0])
KI = KP / 2.0
KD = np.array([6.0, 6.0, 4.0, 4.0, 0.4, 0.3, 0.06])


@dataclass(frozen=True)
class Arm:
    """The arm near the place where it hangs at rest: there an undamped run of 20 s stays tame."""

    name: str
    arm: am.Mechanism
    hanging: Array
    peer: Steps

    def states(self, count: int) -> tuple[Array, Array]:
        """q and v (count, nv), up to 0.2 rad and 0.2 rad/s off."""
        q, v = np.random.default_rng(7).uniform(-0.2, 0.2, (2, count, self.arm.nv))
        return self.hanging + q, v

    def names(self, q: Array, v: Array, steps: int, **more: Any) -> dict[str, Any]:
        return {"am": am, "arm": self.arm, "q": q, "v": v, "steps": steps, "h": STEP,
                "method": METHOD, "more": more}  # fmt: skip

    def error(self, batched: bool, steps: int) -> float:
        """Largest difference of the trajectories of some runs."""
        q, v = self.states(CHECKED)
        theirs = self.peer.trajectory(q, v, steps)
        runs = [(q, v)] if batched else list(zip(q, v, strict=True))
        found = [complete(self.arm, *run, steps * STEP, STEP, METHOD) for run in runs]
        parts = [np.concatenate([run["q"], run["v"]], axis=-1)[1:] for run in found]
        ours = parts[0].swapaxes(0, 1) if batched else np.array(parts)
        return float(np.abs(ours - theirs).max())


@cache
def panda() -> Arm:
    robot = ROBOTS["panda"]
    arm = robot.mechanism()
    down = np.array([0.0, np.pi, 0.0, -0.5, 0.0, 1.0, 0.0])
    found = minimize(
        lambda q: arm.energy(q, np.zeros(arm.nv))[1], down, jac=arm.gravity_forces, tol=1e-6
    )
    return Arm(robot.name, arm, found.x, Steps(arm, STEP))


def run(setting: Setting) -> Section:
    case = panda()
    rows = [single_row(case, setting), batch_row(case, setting)]
    rows += [pid_row(case, setting), function_row(case, setting)]
    rows += [closed_row(make(), setting) for make in (swinging, bouncing)]
    return Section("simulation", "Simulation, time per step of 1 ms", rows, NOTES)


# -- an arm ----------------------------------------------------------------------------------------


def single_row(case: Arm, setting: Setting) -> Row:
    q, v = (part[0] for part in case.states(1))
    theirs = case.peer.names(q, v, LONG)
    runners = {
        "ours": timed(case.names(q, v, LONG)),
        "MuJoCo loop": statement(LOOP, theirs),
        "MuJoCo nstep=": statement(NSTEP, theirs),
    }
    times = per_step(race(runners, setting.effort), LONG)
    return judged(case, f"{LONG} steps", times, case.error(False, COMPARED), targets.STEPS[0])


def batch_row(case: Arm, setting: Setting) -> Row:
    count = setting.effort.batch
    q, v = case.states(count)
    runners = {
        "ours": timed(case.names(q, v, SHORT)),
        "MuJoCo rollout": statement(ROLLOUT, case.peer.batch_names(q, v, SHORT)),
    }
    times = per_step(race(runners, setting.effort), SHORT * count)
    label = f"{count} runs of {SHORT} steps"
    return judged(case, label, times, case.error(True, COMPARED), targets.STEPS[1])


def pid_row(case: Arm, setting: Setting) -> Row:
    """PID at every joint: ours runs inside the native loop, MuJoCo's in the Python loop."""
    return controlled_row(case, "PID", KI, LONG, setting)


def function_row(case: Arm, setting: Setting) -> Row:
    """The same without the integral as a Python function: what a step costs outside the loop."""
    return controlled_row(case, "PD, Python function", 0.0 * KI, CALLED, setting)


def controlled_row(case: Arm, title: str, ki: Array, steps: int, setting: Setting) -> Row:
    """From near one place to another; without an integral, the law is a Python function."""
    q, v = (part[0] for part in case.states(1))
    target = case.hanging + 0.3

    def law(t: float, q: Array, v: Array) -> Array:
        return KP * (target - q) - KD * v

    controller = am.PID(case.arm, target, KP, ki, KD) if ki.any() else law
    theirs = case.peer.names(q, v, CALLED, target=target, kp=KP, ki=ki, kd=KD, h=STEP)
    runners = {
        "ours": timed(case.names(q, v, steps, controller=controller)),
        "MuJoCo loop": statement(PID, theirs),
    }
    counts = {"ours": steps, "MuJoCo loop": CALLED}
    times = {name: t / counts[name] for name, t in race(runners, setting.effort).items()}
    exec(PID, theirs)
    data, more = case.peer.data, {"controller": controller}
    last = complete(case.arm, q, v, CALLED * STEP, STEP, METHOD, every=CALLED, **more)
    off = max(np.abs(last["q"][-1] - data.qpos).max(), np.abs(last["v"][-1] - data.qvel).max())
    return judged(case, title, times, float(off))


def complete(arm: am.Mechanism, *arguments: Any, **options: Any) -> Any:
    """A run that reached its end."""
    run = am.simulate(arm, *arguments, **options)
    if not run.complete:
        raise RuntimeError(f"{arm.name}: {run.message}")
    return run


def timed(names: dict[str, Any]) -> Runner:
    """Our statement; one that ends early would be too fast."""
    found = eval(OURS, dict(names))
    if not found.complete:
        raise RuntimeError(f"{names['arm'].name}: {found.message}")
    return statement(OURS, names)


def per_step(times: dict[str, float], steps: int) -> dict[str, float]:
    return {name: t / steps for name, t in times.items()}


def judged(
    case: Arm, question: str, times: dict[str, float], off: float, target: float | None = None
) -> Row:
    """The row of these times, against the fastest way of the peer."""
    theirs = min(t for name, t in times.items() if name != "ours")
    same = targets.SAME if target else None
    scores = {"ratio": ratio(theirs, times["ours"], target), "error": error(off, same)}
    return Row(case.name, question, dict(times), scores)


# -- closed mechanisms -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Closing:
    """A closed mechanism that starts at rest."""

    name: str
    arm: am.Mechanism

    def gap(self, steps: int) -> float:
        """Largest distance of the two points of a loop over the run, from the tree alone."""
        run = complete(self.arm, duration=steps * STEP, step=STEP)
        loops = self.arm.model.loops
        ends = [end for loop in loops for end in (loop.first, loop.second)]
        frames = tuple(replace(end, name=f"end {k}") for k, end in enumerate(ends))
        tree = am.Mechanism(replace(self.arm.model, loops=(), frames=frames))
        points = [tree.pose(np.array(run["q"]), frame.name)[1] for frame in frames]
        apart = [a - b for a, b in zip(points[::2], points[1::2], strict=True)]
        return float(np.linalg.norm(apart, axis=-1).max())


def swinging() -> Closing:
    """The four-bar under its weight."""
    case = four_bar()
    return Closing(case.name, case.arm)


def bouncing() -> Closing:
    """The Stewart platform with springs in its legs: it stays near its place."""
    case = stewart()
    start = dict(zip(case.arm.q_labels, case.arm.initial.tolist(), strict=True))
    legs = [name for name in start if name.startswith("piston")]
    springs = {name: {"passive": (Passive(spring=SPRING, rest=start[name]),)} for name in legs}
    return Closing(case.name, case.arm.replace(bodies=springs))


def closed_row(case: Closing, setting: Setting) -> Row:
    arm, steps = case.arm, LOOPED
    q, rest = place(arm, arm.initial), np.zeros(arm.nv)
    peers = {"MuJoCo nstep=": Steps(arm, STEP, EULER),
             "MuJoCo implicitfast": Steps(arm, STEP, IMPLICIT)}  # fmt: skip
    ours = {"am": am, "arm": arm, "q": arm.initial, "v": rest, "steps": steps, "h": STEP,
            "more": {}}  # fmt: skip
    runners = {
        "ours": timed({**ours, "method": "rk4"}),
        "ours semi-implicit": timed({**ours, "method": METHOD}),
    }
    for name, peer in peers.items():
        runners[name] = statement(NSTEP, peer.names(q, rest, steps))
    times = per_step(race(runners, setting.effort), steps)
    theirs = min(times[name] for name in peers)
    scores = {
        "ratio": ratio(theirs, times["ours"]),
        "ratio semi-implicit": ratio(theirs, times["ours semi-implicit"]),
        "gap": error(case.gap(steps)),
        "MuJoCo's gap": error(min(peer.gap(q, steps) for peer in peers.values())),
    }
    return Row(case.name, f"{steps} steps, rk4", dict(times), scores)
