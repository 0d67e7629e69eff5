"""The ratios this library has promised itself, by question and kind of robot."""

from __future__ import annotations

from benchmarks.questions import DERIVATIVES, FORWARD, INVERSE, MASS

Pairs = dict[str, tuple[float | None, float | None]]

# question and kind -> single call against Pinocchio's call from Python; the same with out=
_DYNAMICS: Pairs = {"arm": (6.0, 8.0), "quadruped": (4.5, 5.5), "humanoid": (4.5, 5.0)}
SINGLE: dict[str, Pairs] = {
    INVERSE.name: _DYNAMICS,
    FORWARD.name: _DYNAMICS,
    MASS.name: {"arm": (5.0, 8.0), "quadruped": (4.0, 6.0), "humanoid": (3.0, 4.0)},
    DERIVATIVES.name: {"arm": (3.0, None), "quadruped": (1.5, None)},
}
# question and kind -> per state of a batch against the parallel call (else the call per state),
# in float64; the same in float32
_BATCH: Pairs = {"arm": (30.0, 60.0), "quadruped": (18.0, 32.0), "humanoid": (15.0, 28.0)}
BATCH: dict[str, Pairs] = {
    INVERSE.name: _BATCH,
    FORWARD.name: _BATCH,
    MASS.name: {"arm": (35.0, 65.0), "quadruped": (12.0, 24.0), "humanoid": (7.0, 14.0)},
    DERIVATIVES.name: {"arm": (12.0, None), "quadruped": (6.0, None)},
}
# chains of 100 to 300 bodies: single, batch
CHAIN = {100: (3.5, 10.0), 300: (3.5, 10.0)}
EXPONENT = 1.1  # of time over bodies, 100 to 10 000; over windows of a ladder, 10 to 1000
JUMP = 2.0  # time per window of a ladder, from one size to the next, by one solver
CHANGE = 9.0  # the same, from straight-line code to loops
ELEMENT_JUMP = 3.0  # time per force element in derivatives, from one number of them to the next
MEMORY = 200.0  # MB on top of the import, 10 000 bodies
FIRST_CALL = {"arm": (1.0, 0.15), "humanoid": (3.0, 0.15)}  # s: empty cache, warm cache
# closed mechanisms against constraintDynamics: single, per state of a batch
CLOSED = {"four-bar": (10.0, 100.0), "stewart": (8.0, 30.0), "quadruped": (4.0, 15.0)}
CLOSED_ERROR = 1e-10  # of accelerations, relative; the ladder's at 1000 windows too
# a 7-joint arm over time against mj_step; per core against mujoco.rollout
STEPS = (9.0, 26.0)
SAME = 1e-10  # trajectories over 1000 steps, rad and rad/s
# a run that records all forces against one that records q and v
FORCES = {"four-bar": 3.0, "stewart": 3.0, "rover": 3.0, "car": 3.0}
FIRST_FORCES = 3.0  # the same of a first run, code in the cache of the disk
LATENCY = 20.0  # the longest step of a run over all of them
# s of processor: another mass, length or spring and the answer; car, acceleration and drive (cold,
# warm)
EDIT = {"six-r": 0.010, "four-bar": 0.050, "stewart": 0.050, "rover": 0.050}
FIRST_DRIVE = (5.0, 0.7)
LIFE = {"car": 50.0, "truck, 3 trailers": 10.0}  # times faster than life on one core
DESIGNS = 1.0  # million runs of a quarter car per minute and core
CHUNKS = (50.0, 1.25)  # cost per variant in chunks of 1, and of 2048, over that in chunks of 512
STREAMED = 50.0  # MB that a million variants take more than ten thousand
