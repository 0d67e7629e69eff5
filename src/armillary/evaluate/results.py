"""Results with names, frames and units: they print as tables a person can read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from armillary.errors import unknown_name
from armillary.evaluate.array_text import arrays_text
from armillary.evaluate.deferred import Later
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

    def place(self) -> str:
        """Which axes and which point, in words."""
        return "in the body's frame"

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
            f"reaction in each joint, by the parent on the body, {self.place()}",
            f"{'joint':<22}{'part':<12}{heads}",
        ]
        parts = (("total", self.total), ("driving", self.driving), ("constraint", self.constraint))
        for k, body in enumerate(self.model.bodies):
            for n, (part, values) in enumerate(parts):
                name = body.joint.name if n == 0 else ""
                lines.append(f"{name:<22}{part:<12}" + aligned(values[k]))
        return "\n".join(lines)


@shown
@dataclass(slots=True)
class ReactionsIn(Reactions):
    """Reactions along other axes, or about another point: `where` says which."""

    where: str

    def place(self) -> str:
        return self.where


@shown
@dataclass(slots=True)
class ElementForces:
    """What force elements exert: wrenches (n; f) on their second (or last) ends, in those frames.

    wrench (..., elements, 6) in N m and N; along (..., elements, 3): force, position and rate along
    the coordinate of an element that has one (springs: tension N, length m, m/s), else 0; power
    (..., elements) on the mechanism, W.  `f["strut"]` gives one wrench."""

    model: Model
    wrench: Array
    along: Array
    power: Array

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.model.elements)

    def place(self) -> str:
        """Which axes and which point, in words."""
        return "in that frame"

    def _number(self, name: str) -> int:
        if name not in self.names:
            raise unknown_name("force element", name, self.names)
        return self.names.index(name)

    def __getitem__(self, name: str) -> Array:
        return self.wrench[..., self._number(name), :]

    def force(self, name: str) -> Array:
        """Along the element's own coordinate: tension of a spring."""
        return np.asarray(self.along[..., self._number(name), 0])

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __str__(self) -> str:
        if self.wrench.ndim != 2:
            return f"forces of {len(self)} force elements, {len(self.wrench)} states"
        lines = [
            f"force of each element on its second end, {self.place()}; along its own coordinate",
            f"{'element':<22}{wrench_heads()}{'power [W]':>13}   force, position, rate",
        ]
        rows = zip(self.model.elements, self.wrench, self.along, self.power, strict=True)
        for part, wrench, along, power in rows:
            units = part.law.units
            own = ", ".join(f"{x:.6g} {unit}" for x, unit in zip(along, units, strict=True) if unit)
            lines.append(f"{part.name:<22}{aligned(wrench)}{power + 0.0:>13.6g}   {own}".rstrip())
        return "\n".join(lines)


@shown
@dataclass(slots=True)
class ElementForcesIn(ElementForces):
    """Forces of elements along other axes, or about another point: `where` says which."""

    where: str

    def place(self) -> str:
        return self.where


@shown
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

    def __str__(self) -> str:
        title = f"inverse operational inertia W = J M⁻¹ Jᵀ, rank {self.rank}"
        return arrays_text(title, {"W": self.W})


@shown
@dataclass(slots=True)
class BodyForces:
    """All quantities of the recursive Newton-Euler equations, (..., bodies, 6), body frames.

    tau: joint forces (..., nv).  acceleration: spatial, gravity included as an upward acceleration
    of the base.  net: force each body needs for its motion, less external wrenches.  transmitted:
    force through each joint; driving: its part along the joint's axes."""

    model: Model
    tau: Array
    velocity: Array
    acceleration: Array
    net: Array
    transmitted: Array
    driving: Array

    @property
    def acceleration_of_origins(self) -> Array:
        """The same as accelerations of the frames' origins (classical)."""
        v, a = self.velocity, self.acceleration.copy()
        a[..., 3:] += np.cross(v[..., :3], v[..., 3:])
        return a

    def of(self, body: str) -> dict[str, Array]:
        k = self.model.index.get(body, -1)
        if k < 0:
            raise unknown_name("body", body, (b.name for b in self.model.bodies))
        rows = ("velocity", "acceleration", "net", "transmitted")
        return {name: getattr(self, name)[..., k, :] for name in rows}

    def each(self, change: Callable[[Array], Array]) -> BodyForces:
        """The same with every array changed: some of the states."""
        motion = (self.tau, self.velocity, self.acceleration)
        return BodyForces(
            self.model, *map(change, (*motion, self.net, self.transmitted, self.driving))
        )

    def reactions(self) -> Reactions:
        return Reactions(self.model, self.transmitted, self.driving)

    def __str__(self) -> str:
        if self.velocity.ndim != 2:
            return f"Body forces of {len(self.model.bodies)} bodies, {len(self.velocity)} states"
        rows = (
            ("v", "rad/s, m/s", self.velocity),
            ("a", "rad/s², m/s²", self.acceleration_of_origins),
            ("net F", "N m, N", self.net),
            ("f", "N m, N", self.transmitted),
        )
        lines = [
            "recursive Newton-Euler quantities, each in the body's own frame "
            "(a of the origin, gravity as an upward acceleration)"
        ]
        for k, body in enumerate(self.model.bodies):
            for n, (name, unit, values) in enumerate(rows):
                head = body.name if n == 0 else ""
                lines.append(f"{head:<22}{name:<7}{unit:<14}" + aligned(values[k]))
        return "\n".join(lines)


@shown
@dataclass(frozen=True)
class Power:
    """Where the power goes, W: rate of energy = actuators + external + constraints - losses."""

    energy_rate: Array  # of kinetic energy and gravity's potential, from the Coriolis form
    actuators: Array
    external: Array
    constraints: Array  # of prescribed motion and friction contacts; 0 for workless ones
    passive: Array  # taken by friction, stored by springs

    @property
    def imbalance(self) -> Array:
        return np.asarray(
            self.energy_rate - self.actuators - self.external - self.constraints + self.passive
        )

    def __str__(self) -> str:
        if np.ndim(self.energy_rate):
            off = float(np.nanmax(np.abs(self.imbalance), initial=0.0))
            return f"power of {len(self.energy_rate)} states, W; largest imbalance {off:.1e}"
        return (
            f"power, W: actuators {self.actuators:.6g}, external {self.external:.6g}, constraints "
            f"{self.constraints:.6g}, taken by friction and springs {self.passive:.6g}; energy "
            f"changes by {self.energy_rate:.6g} (imbalance {self.imbalance:.1e})"
        )


@shown
@dataclass(frozen=True)
class Solution:
    """Accelerations, all forces and energies of one state or a batch."""

    model: Model
    tau: Array
    velocity: Array
    acceleration: Array
    forces: Later[BodyForces] = Later()
    kinetic: Later[Array] = Later()
    potential: Later[Array] = Later()
    element_forces: Later[ElementForces | None] = Later()  # None: there are no force elements
    balance: Later[Power] = Later()
    wrenches: Reactions | None = None  # the reactions, where they are not those of `forces`

    @property
    def reactions(self) -> Reactions:
        return self.forces.reactions() if self.wrenches is None else self.wrenches

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
            lines.append(
                f"{label:<26}"
                + "".join(f"{x:>14.6g}" for x in values)
                + f"   {unit}/s, {FORCE[unit]}, {unit}/s²"
            )
        lines.append(
            f"kinetic energy {self.kinetic:.6g} J, potential energy "
            f"{self.potential:.6g} J, power of the "
            f"actuators {self.power:.6g} W"
        )
        if self.model.hidden_energy:
            lines.append(
                f"warning: the energy lacks the potential of the laws of "
                f"{', '.join(self.model.hidden_energy)}"
            )
        lines += ["", str(self.reactions)]
        if self.element_forces is not None:
            lines += ["", str(self.element_forces)]
        return "\n".join(lines)


@shown
@dataclass(frozen=True)
class Identities:
    """Laws between independent answers: both sides of each."""

    pairs: dict[str, tuple[Array, Array]]
    scales: dict[str, Array]  # sizes of the terms each answer is the sum of, or one for all

    def errors(self) -> dict[str, float]:
        """Largest difference of each pair, relative to the terms it is made of."""
        return {
            name: float((np.abs(x - y) / np.maximum(self.scales[name], 1e-300)).max(initial=0))
            for name, (x, y) in self.pairs.items()
        }

    @property
    def worst(self) -> float:
        return max(self.errors().values(), default=0.0)

    def __str__(self) -> str:
        lines = [f"{'relative difference':>20}  laws between the answers"]
        lines += [f"{error:>20.1e}  {name}" for name, error in self.errors().items()]
        return "\n".join(lines)


def wrench_heads() -> str:
    """Heads above `aligned` wrenches."""
    return "".join(f"{head:>13}" for head in WRENCH_HEADS)


def aligned(values: Array) -> str:
    """Numbers in columns of one width."""
    return "".join(f"{x + 0.0:>13.6g}" for x in values)
