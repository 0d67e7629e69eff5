"""Studies: variants per second against a loop over MuJoCo's rollout, and against a pool of
processes over our own single runs."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import mujoco
import numpy as np
from mujoco import rollout

import armillary as am
from benchmarks.clock import Runner, race
from benchmarks.mechanisms import Array
from benchmarks.setting import Setting
from benchmarks.table import Row, Section, error, ratio

STEPS, STEP = 500, 1e-3
SIZES = (1, 8, 64, 512, 2048)  # variants of a chunk
ALONE = 4  # variants that are made one by one, each with a mechanism of its own
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
    "pool: two processes of single runs, wall time, each with a mechanism of its own.",
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


def alone(number: int) -> float:
    """One variant as a run of its own, in whichever process."""
    return float(np.abs(ours_of(ALONE).run(number).column("q.wheel")).max())


_known: dict[int, am.Study] = {}


def ours_of(size: int) -> am.Study:
    if size not in _known:
        _known[size] = ours(size)
    return _known[size]


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
    rows.append(_pool_row(rows[-1]))
    return Section("studies", "Studies: time per variant", rows, NOTES)


def _timed(n: int, call: Any) -> float:
    begun = time.process_time()
    for _ in range(n):
        call()
    return time.process_time() - begun


def _pool_row(best: Row) -> Row:
    """Two processes, warmed up, over single runs."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(alone, range(2)))
        begun = time.perf_counter()
        list(pool.map(alone, range(ALONE)))
        took = (time.perf_counter() - begun) / ALONE
    fast = best.times["ours"]
    assert isinstance(fast, float)
    return Row("quarter car", "pool of 2 over single runs", {"pool": took, "ours": fast},
               {"pool / ours": ratio(took, fast)})  # fmt: skip
