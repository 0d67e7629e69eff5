"""Studies: variants per second against a loop over MuJoCo's rollout and against joblib over our own
single runs; what the size of chunks costs, and what memory the number of variants."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import joblib
import mujoco
import numpy as np
from mujoco import rollout

import armillary as am
from benchmarks import targets
from benchmarks.child import ask
from benchmarks.clock import Runner, race
from benchmarks.mechanisms import Array
from benchmarks.setting import Setting
from benchmarks.table import Row, Score, Section, error, ratio

STEPS, STEP = 500, 1e-3
SIZES = (1, 8, 64, 512, 2048)  # variants of a chunk
ALONE = 4  # variants that are made one by one, each with a mechanism of its own
SINGLE = 64  # variants that are made one by one, with numbers of one mechanism
JOBS = 2  # processes of joblib
COMPARED = 8
METHOD = "semi-implicit"
FACTORS = {
    "bodies.car.mass": {"uniform": [250.0, 400.0]},
    "bodies.wheel.mass": {"uniform": [30.0, 50.0]},
    "joints.car.spring": {"uniform": [1e4, 4e4]},
    "joints.car.viscous": {"uniform": [800.0, 3000.0]},
    "q0.car": {"uniform": [-0.05, 0.05]},
}
RESPONSES = {"peak": "max |q.wheel|", "swing": "rms v.car"}
NOTES = (
    f"Time per variant of {STEPS} steps of {STEP:g} s (semi-implicit Euler) of a quarter car whose "
    f"masses, strut and start differ; two responses of each. ours: am.study as a user calls it.",
    "MuJoCo: numbers of the model set and rollout called for every variant, responses by numpy. "
    f"joblib: {JOBS} processes that call am.simulate for every variant, warmed up, time on the "
    "clock (ours: one process); with `parameters` of one mechanism, or with a mechanism for each.",
    "falls, stays: the cost in chunks of one, and of the largest, over that in chunks of 512.",
    "streamed: a study whose chunks go to a folder and are read from it frame by frame, in a "
    "process of its own; memory: its peak, and how much more it is than that of the smallest one.",
    "error: largest difference of the peak, as a part of it.",
)


def experiment() -> am.Experiment:
    b = am.Builder("quarter car")
    b.body("wheel", joint="prismatic", axis="z", mass=40.0, inertia=(1.0, 1.0, 1.0),
           passive=am.Passive(spring=2e5))  # fmt: skip
    b.body("car", "wheel", "prismatic", (0, 0, 0.5), axis="z", mass=300.0, inertia=(9.0, 9.0, 9.0),
           passive=am.Passive(spring=2e4, viscous=1500.0))  # fmt: skip
    return am.Experiment(
        b.build(), {"duration": STEPS * STEP, "step": STEP, "method": METHOD, "q0": [0.0, 0.02]}
    )


def ours(size: int) -> am.Study:
    return am.study(experiment(), FACTORS, RESPONSES, samples=size, seed=1, chunk=size)


class Peer:
    """The same car in MuJoCo."""

    def __init__(self) -> None:
        self.model = mujoco.MjModel.from_xml_string(
            '<mujoco><worldbody><body name="wheel"><joint name="wheel" type="slide" axis="0 0 1" '
            'stiffness="2e5"/><inertial pos="0 0 0" mass="40" diaginertia="1 1 1"/><body '
            'name="car" pos="0 0 0.5"><joint name="car" type="slide" axis="0 0 1" '
            'stiffness="2e4" damping="1500"/><inertial pos="0 0 0" mass="300" '
            'diaginertia="9 9 9"/></body></body></worldbody></mujoco>'
        )
        off = mujoco.mjtDisableBit
        self.model.opt.timestep = STEP
        self.model.opt.disableflags = (
            off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_EULERDAMP | off.mjDSBL_CONSTRAINT
        )
        self.data = mujoco.MjData(self.model)
        self.pool = rollout.Rollout(nthread=0)
        self.states = np.zeros((1, STEPS, 5))

    def run(self, rows: Array) -> Array:
        """(variants, 2) of their factors."""
        found = np.zeros((len(rows), 2))
        for k, (car, wheel, spring, viscous, start) in enumerate(rows.tolist()):
            self.model.body_mass[1:] = wheel, car
            self.model.jnt_stiffness[1], self.model.dof_damping[1] = spring, viscous
            mujoco.mj_setConst(self.model, self.data)
            first = np.array([[0.0, 0.0, start, 0.0, 0.0]])
            self.pool.rollout(self.model, [self.data], first, nstep=STEPS, state=self.states)
            q, v = self.states[0, :, 1], self.states[0, :, 4]
            found[k] = np.abs(q).max(), np.sqrt(np.mean(v * v))
        return found


_known: dict[int, am.Study] = {}  # of this process


def ours_of(size: int) -> am.Study:
    if size not in _known:
        _known[size] = ours(size)
    return _known[size]


def alone(number: int) -> tuple[float, float]:
    """One variant with a mechanism of its own, in whichever process."""
    return _responses(ours_of(ALONE).run(number, record=("q", "v")))


@cache
def wide() -> am.Mechanism:
    """The one mechanism that a process keeps, with the numbers that vary as parameters."""
    return experiment().mechanism.varying("joints.car.spring", "joints.car.viscous")


def single(row: Array) -> tuple[float, float]:
    """One variant by parameters of that mechanism."""
    arm, numbers = wide(), wide().parameters
    names = ("car.mass", "wheel.mass", "joints.car.spring", "joints.car.viscous")
    numbers[[arm.parameter_names.index(x) for x in names]] = row[:4]
    return _responses(
        am.simulate(
            arm, [0.0, row[4]], duration=STEPS * STEP, step=STEP, method=METHOD,
            parameters=numbers, record=("q", "v"),
        )
    )  # fmt: skip


def _responses(run: am.Run) -> tuple[float, float]:
    v = run.column("v.car")
    return float(np.abs(run.column("q.wheel")).max()), float(np.sqrt(np.mean(v * v)))


def run(setting: Setting) -> Section:
    peer, rows = Peer(), []
    study = ours(COMPARED)
    inputs = study.table[:, : len(FACTORS)]
    theirs = peer.run(inputs)
    off = float(np.abs(study["peak"] - theirs[:, 0]).max() / theirs[:, 0].max())
    for size in SIZES:
        made = ours(size)
        values = made.work.values(made.work.design.rows(0, size))
        batches = made.work.batches

        def of_ours(n: int, batches: Any = batches, values: Array = values) -> float:
            return _timed(n, lambda: batches.run(values))

        runners: dict[str, Runner] = {"ours": of_ours}
        if size <= 64:
            own = made.table[:, : len(FACTORS)]
            runners["MuJoCo"] = lambda n, own=own: _timed(n, lambda: peer.run(own))  # type: ignore[misc]
        times = {name: t / size for name, t in race(runners, setting.effort).items()}
        scores = {"MuJoCo / ours": ratio(times["MuJoCo"], times["ours"])} if size <= 64 else {}
        rows.append(Row("quarter car", f"chunk of {size}", dict(times),
                        scores | ({"error": error(off, 1e-9)} if size == 1 else {})))  # fmt: skip
    rows[-1] = _judged(rows)
    rows += _joblib_rows(rows[-1], inputs, study["peak"])
    rows += _streamed_rows(setting)
    return Section("studies", "Studies: time per variant", rows, NOTES)


def _timed(n: int, call: Any) -> float:
    begun = time.process_time()
    for _ in range(n):
        call()
    return time.process_time() - begun


def _cost(row: Row) -> float:
    found = row.times["ours"]
    assert isinstance(found, float)
    return found


def _judged(rows: list[Row]) -> Row:
    """The row of the largest chunk, with how the cost falls and stays."""
    cost = {size: _cost(row) for size, row in zip(SIZES, rows, strict=True)}
    last = rows[-1]
    scores = {
        "falls": ratio(cost[1], cost[512], targets.CHUNKS[0]),
        "stays": Score(cost[SIZES[-1]] / cost[512], targets.CHUNKS[1], low=True),
    }
    return Row(last.robot, last.question, last.times, last.scores | scores)


def _joblib_rows(best: Row, inputs: Array, peaks: Array) -> list[Row]:
    """Single runs in processes that are warm; the first ones against the study's peaks."""
    rows, fast = [], _cost(best)
    design = ours(SINGLE).table[:, : len(FACTORS)]
    design[:COMPARED] = inputs
    ways: dict[str, tuple[Any, list[Any]]] = {
        "with parameters": (single, list(design)),
        "with mechanisms": (alone, list(range(ALONE))),
    }
    with joblib.Parallel(n_jobs=JOBS) as pool:
        for way, (call, jobs) in ways.items():
            pool(joblib.delayed(call)(x) for x in jobs[: 2 * JOBS])
            begun = time.perf_counter()
            found = np.array(pool(joblib.delayed(call)(x) for x in jobs))
            took = (time.perf_counter() - begun) / len(jobs)
            scores = {"joblib / ours": ratio(took, fast)}
            if call is single:
                off = np.abs(found[:COMPARED, 0] - peaks).max() / peaks.max()
                scores["error"] = error(float(off), 1e-9)
            times: dict[str, float | str] = {"joblib": took, "ours": fast}
            rows.append(Row("quarter car", f"joblib, {way}", times, scores))
    return rows


def _streamed_rows(setting: Setting) -> list[Row]:
    """Peak memory of studies of more and more variants."""
    rows, least = [], 0.0
    for count in (10_000, setting.effort.variants):
        megabytes, seconds = ask("study", str(count))
        least = least or megabytes
        grown = Score(megabytes - least, targets.STREAMED, low=True, form="{:.0f} MB")
        scores = {"memory": Score(megabytes, form="{:.0f} MB"), "more": grown}
        times: dict[str, float | str] = {"ours": seconds / count}
        rows.append(Row("a falling weight", f"{count} variants streamed", times, scores))
    return rows


def streamed(count: int, folder: str) -> int:
    """A study of very short runs, written chunk by chunk and read frame by frame; how many rows."""
    b = am.Builder("weight")
    b.body("weight", joint="prismatic", axis="z", mass=1.0)
    short = am.Experiment(b.build(), {"duration": 5 * STEP, "step": STEP})
    factors = {"gravity.z": {"uniform": [-12.0, -8.0]}, "v0.weight": {"normal": [0.0, 1.0]}}
    study = am.study(
        short, factors, {"end": "end q.weight"}, design="random", samples=count, out=folder
    )
    return sum(len(frame) for frame in study.frames())
