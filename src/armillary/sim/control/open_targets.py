"""Set-points of controllers, and voltages, as inputs of their graphs: they can be moved while a run
goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.control.operational_space import OperationalSpace
from armillary.sim.control.pid import PID
from armillary.sim.motion.schedules import columns_of
from armillary.sim.motion.trajectories import Constant, Trajectory
from armillary.sim.motion.user_functions import several


@dataclass(frozen=True)
class SetPoint:
    """One number of a target, a voltage or a factor of gains: its label, its unit, what it was
    given as; kind: "target", "gain", "voltage", or "force" at a joint."""

    label: str
    unit: str
    value: float
    kind: str = "target"


class OpenTargets:
    """Controllers whose constant targets are read from `now`, a list in the order of `points`.

    A target that moves, and one inside a chain of blocks, stays as it is.  voltages: V by joint,
    that come to the first block."""

    def __init__(
        self, mechanism: Mechanism, controller: object, voltages: Mapping[str, float] | None = None
    ):
        self.points: list[SetPoint] = []
        self.now: Sequence[Scalar] = []
        self.controller = [self._opened(mechanism, block) for block in several(controller)]
        self._nv = mechanism.nv
        self._fed: dict[int, int] = {}  # entry of v -> its place in `now`
        for name, volts in (voltages or {}).items():
            for k in columns_of(mechanism, name):
                self._fed[k] = len(self.points)
                label = mechanism.v_labels[k]
                self.points.append(SetPoint(label, "V", float(volts), "voltage"))
        self.now = [point.value for point in self.points]

    def command(self) -> list[Scalar]:
        """What comes to the first block (nv): voltages, else zeros."""
        fed = self._fed
        return [self.now[fed[k]] if k in fed else 0.0 for k in range(self._nv)]

    def _opened(self, mechanism: Mechanism, block: object) -> object:
        if isinstance(block, OperationalSpace) and block.held is not None:
            return self._opened_place(block, block.held)
        target = getattr(block, "target", None)
        if not isinstance(target, Constant):
            return block
        first, labels = len(self.points), getattr(block, "labels", mechanism.q_labels)
        units = dict(zip(mechanism.q_labels, mechanism.q_units, strict=True))
        units |= dict(zip(mechanism.v_labels, mechanism.v_units, strict=True)) | units
        for label, value in zip(labels, target.q.tolist(), strict=True):
            self.points.append(SetPoint(label, units.get(label, ""), value))
        opened = copy(block)
        opened.target = _Open(self, first, target)  # type: ignore[attr-defined]
        if isinstance(opened, PID):
            self._open_gains(opened)
        return opened

    def _open_gains(self, block: PID) -> None:
        """kp and kd of all joints of a controller, each times a number that may be moved."""
        for name, word in (("kp", "stiffness"), ("kd", "damping")):
            gains = getattr(block, name)
            if np.any(gains):
                setattr(block, name, _Times(self, len(self.points), gains))
                self.points.append(SetPoint(word, "×", 1.0, "gain"))

    def _opened_place(self, block: OperationalSpace, place: Array) -> OperationalSpace:
        """A frame that is held at a place of the world."""
        first, opened, still = len(self.points), copy(block), np.zeros(6)
        for axis, value in zip("xyz", place.tolist(), strict=True):
            self.points.append(SetPoint(f"{block.frame} {axis}", "m", value))
        opened.goal = lambda t: (np.eye(3), self.now[first : first + 3], still, still)
        return opened


class _Times:
    """Numbers, each times what `now` holds."""

    def __init__(self, owner: OpenTargets, place: int, numbers: Sequence[float]):
        self._owner, self._place, self._numbers = owner, place, numbers

    def __getitem__(self, k: int) -> Scalar:
        return self._numbers[k] * self._owner.now[self._place]


class _Open(Trajectory):
    """Stands still at what `now` holds."""

    def __init__(self, owner: OpenTargets, first: int, given: Constant):
        self.owner, self.places, self.nv = owner, slice(first, first + len(given.q)), given.nv
        self.start, self.end = given.start, given.end

    def scalars(self, t: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        return list(self.owner.now[self.places]), [0.0] * self.nv, [0.0] * self.nv
