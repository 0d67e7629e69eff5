"""Set-points of controllers as inputs of their graphs: they can be moved while a run goes."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.motion.trajectories import Constant, Trajectory
from armillary.sim.motion.user_functions import several


@dataclass(frozen=True)
class SetPoint:
    """One number of a target: the label of its coordinate, its unit, what it was given as."""

    label: str
    unit: str
    value: float


class OpenTargets:
    """Controllers whose constant targets are read from `now`, a list in the order of `points`.

    A target that moves, and one inside a chain of blocks, stays as it is."""

    def __init__(self, mechanism: Mechanism, controller: object):
        self.points: list[SetPoint] = []
        self.now: Sequence[Scalar] = []
        self.controller = [self._opened(mechanism, block) for block in several(controller)]
        self.now = [point.value for point in self.points]

    def _opened(self, mechanism: Mechanism, block: object) -> object:
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
        return opened


class _Open(Trajectory):
    """Stands still at what `now` holds."""

    def __init__(self, owner: OpenTargets, first: int, given: Constant):
        self.owner, self.places, self.nv = owner, slice(first, first + len(given.q)), given.nv
        self.start, self.end = given.start, given.end

    def scalars(self, t: Scalar) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:
        return list(self.owner.now[self.places]), [0.0] * self.nv, [0.0] * self.nv
