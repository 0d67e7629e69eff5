"""Closed mechanisms of the tables, states that keep their loops, and the true accelerations.

Loops are balls, or pins of a planar linkage: two points that stay together say it all.  Friction
and damping are taken out: Pinocchio does not know them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve, qr

import armillary as am
from armillary.algorithms.tree import inverse_dynamics, kinematics, mass_matrix
from armillary.errors import ModelError
from armillary.model import WORLD, Frame, JointSpec, Loop, Pose
from benchmarks.mechanisms import ROBOTS, Array, without_passive

STATES = 64  # different ones; a batch repeats them
DEPENDENT = 1e-9  # of the largest: what counts as a dependent row
REFINEMENTS = 5
LEGS = ("FL", "FR", "HL", "HR")
STANCE = (0.0, 0.8, -1.6)  # of a front leg: out, forward, knee

Extended = NDArray[np.longdouble]


@dataclass(frozen=True)
class Closed:
    """A mechanism with loops; its states lie up to about `spread` (rad, m) off the initial one."""

    name: str
    kind: str  # its row of the targets
    arm: am.Mechanism
    spread: float

    @cached_property
    def some(self) -> tuple[Array, Array, Array]:
        """q, v, tau of different states: closed, moving as the loops allow."""
        rng = np.random.default_rng(7)
        arm = self.arm
        found: list[tuple[Array, Array, Array]] = []
        while len(found) < STATES:
            way = arm.project(arm.initial, rng.normal(size=arm.nv))[1]
            step = self.spread * rng.uniform(0.2, 1.0) * way / np.abs(way).max()
            speed, tau = rng.normal(size=(2, arm.nv))
            try:
                q, v = arm.project(arm.integrate(arm.initial, step), speed)
            except ModelError:  # too far to be closed again
                continue
            found.append((q, v, tau))
        q, v, x = (np.array(part) for part in zip(*found, strict=True))
        return q, v, x

    def states(self, count: int) -> tuple[Array, Array, Array]:
        """q (count, nq), v and tau (count, nv)."""
        q, v, x = (part[np.arange(count) % STATES] for part in self.some)
        return q, v, x


def four_bar() -> Closed:
    return Closed("four-bar 3", "four-bar", without_passive(am.example("four-bar")), 0.6)


def stewart() -> Closed:
    return Closed("Stewart 24", "stewart", without_passive(am.example("stewart")), 0.15)


def quadruped() -> Closed:
    """Solo12 on its four feet, each held at a point of the ground."""
    robot = ROBOTS["solo12"]
    tree = robot.mechanism()
    q = tree.neutral()
    for leg in LEGS:
        sign = 1.0 if leg.startswith("F") else -1.0
        for joint, angle in zip(("HAA", "HFE", "KFE"), STANCE, strict=True):
            q[tree.q_labels.index(f"{leg}_{joint}")] = sign * angle
    loops = []
    for leg in LEGS:
        name, foot = f"{leg}_pin", f"{leg}_FOOT"
        x, y, z = (float(p) for p in tree.pose(q, foot)[1])
        spot = Frame(f"{name}.first", WORLD, Pose((x, y, z)))
        loops.append(Loop(name, spot, Frame(f"{name}.second", foot), JointSpec(name, "spherical")))
    model = replace(tree.model, loops=tuple(loops), initial=tuple(float(x) for x in q))
    return Closed(f"{robot.name} pinned", "quadruped", am.Mechanism(model), 0.3)


CORNERS = {"fl": (1.3, 1.0), "fr": (1.3, -1.0), "rl": (-1.3, 1.0), "rr": (-1.3, -1.0)}


def car() -> am.Mechanism:
    """A free chassis on four double wishbones: 50 coordinates, twelve ball joints that close.

    Each corner: two wishbones, an upright between them, a tie rod, a strut of two parts, wheel."""
    b = am.Builder("car")
    body = {"mass": 1200.0, "com": (0, 0, 0.1), "inertia": (300.0, 1400.0, 1500.0)}
    b.body("chassis", joint="free", **body)
    for name, (x, side) in CORNERS.items():
        _corner(b, name, x, side)
    return b.build()


def _corner(b: am.Builder, name: str, x: float, side: float) -> None:
    def part(
        own: str, parent: str, joint: str, at: tuple[float, float, float], mass: float,
        com: tuple[float, float, float], inertia: tuple[float, float, float], **options: Any,
    ) -> None:  # fmt: skip
        above = parent if parent == "chassis" else f"{name}.{parent}"
        b.body(f"{name}.{own}", above, joint, at, mass=mass, com=com, inertia=inertia, **options)

    def ball(
        own: str, first: str, at: tuple[float, ...], second: str, on: tuple[float, ...]
    ) -> None:
        ends = [
            Frame(
                f"{name}.{own}.{k}", f"{name}.{end}", Pose((float(p[0]), float(p[1]), float(p[2])))
            )
            for k, (end, p) in enumerate(((first, at), (second, on)))
        ]
        b.loop(f"{name}.{own}", *ends, "spherical")

    y = 0.75 * side
    thin, arm = (0.01, 0.01, 0.002), 0.35 * side
    part("lower", "chassis", "revolute", (x, y - arm, -0.15), 4.0, (0, 0.18 * side, 0),
         (0.05, 0.02, 0.05), axis="x")  # fmt: skip
    part("upper", "chassis", "revolute", (x, y - 0.3 * side, 0.15), 2.5, (0, 0.14 * side, 0),
         (0.03, 0.01, 0.03), axis="x")  # fmt: skip
    part("upright", "lower", "spherical", (0, arm, 0), 12.0, (0, 0.05 * side, 0.15),
         (0.2, 0.25, 0.15))  # fmt: skip
    part("wheel", "upright", "revolute", (0, 0.1 * side, 0.15), 18.0, (0, 0, 0), (0.6, 1.0, 0.6),
         axis="y")  # fmt: skip
    part("tie", "chassis", "universal", (x - 0.15, y - 0.32 * side, 0), 1.0, (0, 0.15 * side, 0),
         (0.01, 0.001, 0.01), axes=("x", "z"))  # fmt: skip
    part("strut", "chassis", "universal", (x, y - 0.25 * side, 0.5), 2.0, (0, 0, -0.1), thin)
    part("rod", "strut", "prismatic", (0, 0, -0.65), 1.5, (0, 0, -0.05), thin, axis="z")
    ball("top", "upper", (0, 0.3 * side, 0), "upright", (0, 0, 0.3))
    ball("steering", "tie", (0, 0.32 * side, 0), "upright", (-0.15, 0, 0.15))
    ball("foot", "rod", (0, 0, 0), "lower", (0, 0.1 * side, 0))


CLOSED = {"four-bar": four_bar, "stewart": stewart, "quadruped": quadruped}


@cache
def ladder(windows: int) -> am.Mechanism:
    return am.example("four-bar-ladder", n=windows)


# -- the true accelerations ------------------------------------------------------------------------


class Referee:
    """A dense solution of M a + J^T f = tau - h, J a = gamma in extended precision.

    M, h and the points' motion come from the tree alone, interpreted step by step; J says that the
    two points of every loop move alike.  None of our code for constraints takes part."""

    def __init__(self, arm: am.Mechanism):
        loops = arm.model.loops
        ends = [end for loop in loops for end in (loop.first, loop.second)]
        frames = tuple(replace(end, name=f"end {k}") for k, end in enumerate(ends))
        self.tree = am.Mechanism(replace(arm.model, loops=(), frames=frames))
        self.loops, self.nv = len(loops), arm.nv

    def accelerations(self, q: Array, v: Array, tau: Array) -> Extended:
        M = self._ask(mass_matrix.mass_matrix, "M", q=q)
        h = self._ask(inverse_dynamics.bias_forces, "tau", q=q, v=v)
        pairs = [(self._point(2 * k, q, v), self._point(2 * k + 1, q, v))
                 for k in range(self.loops)]  # fmt: skip
        J = np.concatenate([second[0] - first[0] for first, second in pairs])
        gamma = np.concatenate([first[1] - second[1] for first, second in pairs])
        kept = independent(J)
        J, gamma = J[kept], gamma[kept]
        n, rows = self.nv, len(kept)
        K = np.zeros((n + rows, n + rows), np.longdouble)
        K[:n, :n], K[:n, n:], K[n:, :n] = M, J.T, J
        return refined(K, np.concatenate([tau - h, gamma]))[:n]

    def _point(self, number: int, q: Array, v: Array) -> tuple[Extended, Extended]:
        """J (3, nv) of the end of a loop, and its acceleration without joint accelerations."""
        name = f"end {number}"
        if self.tree.evaluator.place(name).kernel < 0:
            return np.zeros((3, self.nv), np.longdouble), np.zeros(3, np.longdouble)
        J = self._ask(kinematics.jacobian("world_aligned"), "J", name, q=q)
        motion = kinematics.frame_motion("world_aligned", "classical")
        a = self._ask(motion, "acceleration", name, q=q, v=v, a=np.zeros(self.nv))
        return J[3:], a[3:]

    def _ask(self, algorithm: Any, result: str, frame: str | None = None, **inputs: Any) -> Any:
        numbers = {name: [np.longdouble(x) for x in part] for name, part in inputs.items()}
        run = self.tree.evaluator.interpret(algorithm, numbers, frame=frame)
        return np.array(run.result(result), np.longdouble)


def independent(J: Array | Extended) -> NDArray[np.intp]:
    """The rows that span all of them."""
    _, R, order = qr(J.T.astype(float), mode="economic", pivoting=True)
    sizes = np.abs(np.diag(R))
    return np.sort(order[: int(np.sum(sizes > DEPENDENT * sizes[0]))])


def refined(K: Extended, b: Extended) -> Extended:
    """K^-1 b to extended precision by a factor in double."""
    factor = lu_factor(K.astype(float))
    x = np.zeros_like(b)
    for _ in range(1 + REFINEMENTS):
        x = x + lu_solve(factor, (b - K @ x).astype(float))
    return x
