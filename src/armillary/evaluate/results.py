"""Results with names, frames and units: they print as tables a person can read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from armillary.errors import unknown_name
from armillary.evaluate.inputs import Array
from armillary.model.model import Model
from armillary.shown import shown
from armillary.units import FORCE, WRENCH_HEADS


@shown
@dataclass(slots=True)
class Reactions:
    """Wrenches (n; f) in the joints: by the parent on the body, in the body's frame at its origin.

    `total = driving + constraint`, each (..., bodies, 6) in N m and N; `r["joint"]` gives one."""

    model: Model
    total: Array
    driving: Array

    @property
    def constraint(self) -> Array:
        return self.total - self.driving

    def __getitem__(self, joint: str) -> Array:
        return self.total[..., self.model.joint_number(joint), :]

    def __iter__(self) -> Iterator[str]:
        return iter(self.model.joint_index)

    def __len__(self) -> int:
        return len(self.model.bodies)

    def __str__(self) -> str:
        if self.total.ndim != 2:
            return f"Reactions of {len(self.model.bodies)} joints, {len(self.total)} states"
        heads = wrench_heads()
        lines = [
            "reaction in each joint, by the parent on the body, in the body's frame",
            f"{'joint':<22}{'part':<12}{heads}",
        ]
        parts = (("total", self.total), ("driving", self.driving), ("constraint", self.constraint))
        for k, body in enumerate(self.model.bodies):
            for n, (part, values) in enumerate(parts):
                name = body.joint.name if n == 0 else ""
                lines.append(f"{name:<22}{part:<12}" + aligned(values[k]))
        return "\n".join(lines)


class OperationalInertia:
    """W (..., 6, 6) and its rank, which is found when it is asked for; W, rank = ... takes both."""

    __slots__ = ("W", "_find", "_rank")

    def __init__(self, W: Array, find: Callable[[], Array]):
        self.W, self._find = W, find
        self._rank: Array | None = None

    @property
    def rank(self) -> Array:
        if self._rank is None:
            self._rank = self._find()
        return self._rank

    def __iter__(self) -> Iterator[Array]:
        yield self.W
        yield self.rank

    def __getitem__(self, k: int) -> Array:
        return (self.W, self.rank)[k]

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        return f"OperationalInertia(W={self.W!r}, rank={self.rank!r})"


@shown
@dataclass(frozen=True)
class BodyForces:
    """All quantities of the recursive Newton-Euler equations, (..., bodies, 6), body frames."""

    model: Model
    results: dict[str, Array]

    @property
    def tau(self) -> Array:
        """Joint forces (..., nv)."""
        return self.results["tau"]

    @property
    def velocity(self) -> Array:
        return self.results["v"]

    @property
    def acceleration(self) -> Array:
        """Spatial acceleration, gravity included as an upward acceleration of the base."""
        return self.results["a"]

    @property
    def acceleration_of_origins(self) -> Array:
        """The same as accelerations of the frames' origins (classical)."""
        v, a = self.velocity, self.acceleration.copy()
        a[..., 3:] += np.cross(v[..., :3], v[..., 3:])
        return a

    @property
    def net(self) -> Array:
        """Force each body needs for its motion, less external wrenches."""
        return self.results["net"]

    @property
    def transmitted(self) -> Array:
        """Force through each joint."""
        return self.results["wrench"]

    def of(self, body: str) -> dict[str, Array]:
        k = self.model.index.get(body, -1)
        if k < 0:
            raise unknown_name("body", body, (b.name for b in self.model.bodies))
        rows = ("velocity", "acceleration", "net", "transmitted")
        return {name: getattr(self, name)[..., k, :] for name in rows}

    def reactions(self) -> Reactions:
        return Reactions(self.model, self.results["wrench"], self.results["driving"])

    def __str__(self) -> str:
        if self.velocity.ndim != 2:
            return f"Body forces of {len(self.model.bodies)} bodies, {len(self.velocity)} states"
        rows = (
            ("v", "rad/s, m/s", self.velocity),
            ("a", "rad/s², m/s²", self.acceleration_of_origins),
            ("net F", "N m, N", self.net),
            ("f", "N m, N", self.transmitted),
        )
        lines = ["recursive Newton-Euler quantities, each in the body's own frame "
                 "(a of the origin, gravity as an upward acceleration)"]  # fmt: skip
        for k, body in enumerate(self.model.bodies):
            for n, (name, unit, values) in enumerate(rows):
                head = body.name if n == 0 else ""
                lines.append(f"{head:<22}{name:<7}{unit:<14}" + aligned(values[k]))
        return "\n".join(lines)


@shown
@dataclass(frozen=True)
class Solution:
    """Accelerations, all forces and energies of one state or a batch."""

    model: Model
    tau: Array
    velocity: Array
    acceleration: Array
    forces: BodyForces
    kinetic: Array
    potential: Array

    @property
    def reactions(self) -> Reactions:
        return self.forces.reactions()

    @property
    def power(self) -> Array:
        """Power of the actuators, W."""
        return np.sum(self.tau * self.velocity, axis=-1)

    def __str__(self) -> str:
        if self.acceleration.ndim != 1:
            return f"Solution of '{self.model.name}' for {len(self.acceleration)} states"
        lines = [f"{'degree of freedom':<26}{'velocity':>14}{'force':>14}{'acceleration':>14}"]
        labels = zip(self.model.v_labels, self.model.v_units, strict=True)
        for k, (label, unit) in enumerate(labels):
            values = (self.velocity[k], self.tau[k], self.acceleration[k])
            lines.append(f"{label:<26}" + "".join(f"{x:>14.6g}" for x in values)
                         + f"   {unit}/s, {FORCE[unit]}, {unit}/s²")  # fmt: skip
        lines.append(f"kinetic energy {self.kinetic:.6g} J, potential energy "
                     f"{self.potential:.6g} J, power of the "
                     f"actuators {self.power:.6g} W")  # fmt: skip
        if self.model.hidden_energy:
            lines.append(f"warning: the energy lacks the potential of the laws of "
                         f"{', '.join(self.model.hidden_energy)}")  # fmt: skip
        return "\n".join([*lines, "", str(self.reactions)])


@shown
@dataclass(frozen=True)
class Check:
    """Pairs of independent answers to the same question."""

    pairs: dict[str, tuple[Array, Array]]
    scales: dict[str, float]  # size of the terms each answer is the sum of

    def errors(self) -> dict[str, float]:
        """Largest difference of each pair, relative to the terms it is made of."""
        return {
            name: float(np.abs(x - y).max(initial=0)) / max(self.scales[name], 1e-300)
            for name, (x, y) in self.pairs.items()
        }

    @property
    def worst(self) -> float:
        return max(self.errors().values())

    def __str__(self) -> str:
        lines = [f"{'relative difference':>20}  the same by two formulations"]
        lines += [f"{error:>20.1e}  {name}" for name, error in self.errors().items()]
        return "\n".join(lines)


def wrench_heads() -> str:
    """Heads above `aligned` wrenches."""
    return "".join(f"{head:>13}" for head in WRENCH_HEADS)


def aligned(values: Array) -> str:
    """Numbers in columns of one width."""
    return "".join(f"{x + 0.0:>13.6g}" for x in values)
