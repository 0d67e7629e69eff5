"""What the native loop over time is given, and what it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.drift import DrawnBack
from armillary.evaluate.inputs import Array
from armillary.evaluate.program import Program
from armillary.model.lowering.tree import Tables
from armillary.sim.loop.control_kernels import Control, Sample

# (is this the start of a step, t, q, v, z) -> forces and dz/dt, over arrays (rows, ...): called
# back at every stage
Answer = Callable[[bool, float, Array, Array, Array], tuple[Array, Array]]


# (t, q, v, tables) -> wrenches on the bodies of the tables (rows, 6 bodies)
Wrenches = Callable[[float, Array, Array, Tables], Array]


@dataclass(frozen=True)
class Method:
    """An explicit Runge-Kutta table (rows of A below the diagonal, b, c); or semi-implicit Euler: v
    first, then q with the new v; or the variational midpoint rule; or a linearly implicit method by
    its γ and γ_ij (tableaux.py), with its α_ij as A; or an exponential one, with a corrector where
    it has two stages."""

    a: tuple[tuple[float, ...], ...] = ((0.0,),)
    b: tuple[float, ...] = (1.0,)
    c: tuple[float, ...] = (0.0,)
    semi_implicit: bool = False
    variational: bool = False
    exponential: bool = False
    gamma: float = 0.0
    gammas: tuple[tuple[float, ...], ...] = ()

    @classmethod
    def frozen(cls, corrected: bool) -> Method:
        """An exponential one."""
        if not corrected:
            return cls(exponential=True)
        return cls(((), (1.0,)), (1.0, 1.0), (0.0, 1.0), exponential=True)

    @property
    def kind(self) -> Literal["explicit", "variational", "implicit", "exponential"]:
        """Which native loop runs it (runtime/time_loop.py)."""
        if self.variational:
            return "variational"
        if self.exponential:
            return "exponential"
        return "implicit" if self.gamma else "explicit"


# forces are given at the start, where accelerations are recorded, and at the middle
VARIATIONAL = Method(((), (0.0,)), (0.0, 1.0), (0.0, 0.5), variational=True)


@dataclass(frozen=True)
class Kept:
    """How constraints are kept: by projection after every step, or drawn back (drift.py)."""

    project: bool = True
    drawn_back: DrawnBack | None = None


@dataclass(frozen=True)
class Given:
    """What is given over time.  Arrays (r, n) hold for all time, (steps, stages, r, n) for every
    stage; r: one row per state, or one for all of them (not of tau).

    tau: joint forces (nv), with what comes to the first block behind them where the controller is
    commanded, then inputs of force elements; of one step more where commands are sampled.  wrench:
    on the bodies of `Stepping.tables` (6 per body).  drive: accelerations of the constraint rows;
    place and velocity: theirs after every step, (steps, r, rows of the constraints)."""

    tau: Array
    wrench: Array | None = None
    drive: Array | None = None
    place: Array | None = None
    velocity: Array | None = None

    def of(self, rows: slice | NDArray[np.intp], count: int) -> Given:
        """What belongs to some of `count` states."""

        def own(x: Array | None) -> Any:
            return x if x is None or x.shape[-2] != count else x[..., rows, :]

        return Given(*(own(getattr(self, field.name)) for field in fields(self)))


@dataclass(frozen=True)
class Span:
    """Steps of h from t on.  `taken` ones were made before, and every n-th of all is recorded."""

    steps: int
    h: float
    t: float
    taken: int = 0
    every: int = 1

    def entry(self, done: int) -> int:
        """Of the record, after so many of these steps; entry 0 belongs to the start."""
        return (self.taken + done) // self.every - self.taken // self.every

    def after(self, done: int, steps: int) -> Span:
        """`steps` steps after the first `done` ones."""
        return replace(self, steps=steps, t=self.t + done * self.h, taken=self.taken + done)


States = tuple[Array, ...]  # q, v, z: (rows, ·) each


@dataclass(frozen=True)
class Work:
    """Steps to take.

    out: arrays named q, v, z, a, tau, one entry per recorded step; a and tau of the first stage of
    the step that follows: not those of the last state, but those of the start, in entry 0.  They
    may hold more rows than the loop runs: its own begin at row `first`.  due (steps + 1, 1 + n):
    after step k, 1 where any of the n sampled blocks is due, and which."""

    given: Given
    span: Span
    out: dict[str, Array]
    first: int = 0
    due: Array | None = None


@dataclass(frozen=True)
class Added:
    """A program that adds to the forces of the controllers (runtime/behind.py).  start: where its
    states begin in z; inputs: how many numbers over time it reads, which `Controller.control` gives
    behind forces and rates."""

    program: Program
    start: int
    inputs: int


@dataclass(frozen=True)
class Controller:
    """Controllers and actuators of a run: traced functions, or one over arrays that is called back
    at every stage; what it raises stops the loop and stands in `Stepping.fault`.

    sample: what sampled blocks do, and how many of them there are.  key: equal for equal traced
    functions, whose code is then used again.  commanded: `Given.tau` holds commands too, which
    samples look at; behind: so many numbers in all behind the joint forces."""

    control: Control | None = None
    sample: tuple[Sample, int] | None = None
    key: Hashable = None
    commanded: bool = False
    behind: int = 0
    answer: Answer | None = None
    added: Added | None = None  # behind `control`, or instead of it
