"""The measured equations: y = f(θ) at instants that count, filtered, along motions that are
allowed.

Measured currents y = i are compared with f / (gear K): the noise is in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.studies.identification.admissible import Rows, closed_motion
from armillary.studies.identification.design import Design
from armillary.studies.identification.filtering import Filter, Motion, filter_for, motion_of
from armillary.studies.identification.logs import Log
from armillary.studies.identification.parameters import joint_of

_DRY = ("coulomb", "coulomb_forward", "static_rise")


@dataclass(frozen=True)
class Part:
    """One log: its motion at all instants, what is done with columns, and y thinned out."""

    log: Log
    motion: Motion
    rows: Rows
    smooth: Filter
    measured: Array  # (instants, rows)
    driven: tuple[int, ...]  # entries of v whose forces count

    def reduced(self, x: Array) -> Array:
        """(T, nv, ...) to (instants, rows, ...): projected, filtered, thinned out."""
        return self.smooth.forces(self.rows.of(x))


class Equations:
    """Those of all logs, one after the other."""

    def __init__(self, design: Design, parts: Sequence[Part], still: float):
        self.design, self.parts = design, tuple(parts)
        labels, units = design.mechanism.v_labels, design.mechanism.v_units
        self.entries = parts[0].rows.entries
        self.kind = "current" if any(p.kind == "motor" for p in design.parameters) else "tau"
        self.labels = tuple(labels[k] for k in self.entries)
        force = {"rad": "N m", "m": "N"}
        self.units = tuple("A" if self.kind == "current" else force[units[k]] for k in self.entries)
        self.y = np.concatenate([part.measured for part in parts])
        times = [part.smooth.thinned(part.log.time) for part in parts]
        self.time = np.concatenate(times)
        self.counted = np.concatenate([self._counted(part, still) for part in parts])
        self._linear = np.concatenate([part.reduced(design.linear(part.motion)) for part in parts])
        self._gears = np.array([self._gear(k) for k in self.entries])

    def _counted(self, part: Part, still: float) -> NDArray[np.bool_]:
        """(instants, rows) is the joint moving, if it has dry friction?  Of a closed mechanism all
        such joints: they move together."""
        dry = {p.entry for p in self.design.parameters if p.kind in _DRY}
        speed = np.abs(part.smooth.thinned(part.motion.v))
        found = np.ones((len(speed), len(self.entries)), bool)
        if part.rows.N is not None:
            moving = np.all(speed[:, sorted(dry)] > still, axis=1, keepdims=True)
            return np.asarray(found & moving)
        for row, entry in enumerate(self.entries):
            if entry in dry:
                found[:, row] = speed[:, entry] > still
        return found

    def _gear(self, entry: int) -> float:
        motor = self.design.mechanism.model.bodies[joint_of(self.design.mechanism, entry)[0]].motor
        return 1.0 if motor is None else motor.gear

    # -- what the model says ---------------------------------------------------------------------

    def linearized(self, theta: Array) -> tuple[Array, Array, Array]:
        """f(θ) (instants, rows), its slopes (instants, rows, P), and y."""
        f, X = self._linear @ theta, self._linear
        f = f + np.concatenate(
            [part.reduced(self.design.rest(part.motion, theta)) for part in self.parts]
        )
        if not self.design.linear_only:
            X = X + np.concatenate(
                [part.reduced(self.design.slopes(part.motion, theta)) for part in self.parts]
            )
        return *self._as_currents(f, X, theta), self.y

    def _as_currents(self, f: Array, X: Array, theta: Array) -> tuple[Array, Array]:
        motors = {p.entry: k for k, p in enumerate(self.design.parameters) if p.kind == "motor"}
        if not motors:
            return f, X
        f, X = f.copy(), X.copy()
        for row, entry in enumerate(self.entries):
            column = motors[entry]
            k = theta[column] * self._gears[row]
            f[:, row], X[:, row] = f[:, row] / k, X[:, row] / k
            X[:, row, column] = -f[:, row] / theta[column]
        return f, X

    # -- rows that count, in one column ----------------------------------------------------------

    def flat(self, x: Array) -> Array:
        return np.asarray(x[self.counted])

    @cached_property
    def groups(self) -> NDArray[np.intp]:
        """The row (of `labels`) of every equation."""
        return np.broadcast_to(np.arange(len(self.entries)), self.counted.shape)[self.counted]

    @cached_property
    def instants(self) -> NDArray[np.intp]:
        """The instant of every equation."""
        return np.broadcast_to(np.arange(len(self.time))[:, None], self.counted.shape)[self.counted]

    def slow(self, entry: int) -> float:
        """A velocity below which little of the motion happens, to begin with."""
        speeds = np.concatenate([np.abs(part.motion.v[:, entry]) for part in self.parts])
        return max(float(np.quantile(speeds, 0.2)), 1e-6)

    def size_of(self, entry: int) -> float:
        """Of the forces measured there."""
        return float(np.sqrt(np.mean(self.y[:, self.entries.index(entry)] ** 2)))

    @property
    def filters(self) -> tuple[Filter, ...]:
        return tuple(part.smooth for part in self.parts)


def equations_of(
    design: Design,
    logs: Sequence[Log],
    entries: tuple[int, ...],
    independent: Sequence[str] | None,
    cutoff: float | None,
    still: float,
) -> Equations:
    """The equations of logs.  entries: of v, that are driven and were measured."""
    parts = [_part(design, log, entries, independent, cutoff) for log in logs]
    return Equations(design, parts, still)


def _part(
    design: Design,
    log: Log,
    entries: tuple[int, ...],
    independent: Sequence[str] | None,
    cutoff: float | None,
) -> Part:
    mechanism = design.mechanism
    smooth = filter_for(log, cutoff)
    motion = motion_of(mechanism, log, smooth)
    rows = Rows(entries)
    if mechanism.constraints:
        motion, rows = closed_motion(mechanism, motion, entries, independent)
        _refuse_currents(log, rows, entries)
    effort = np.zeros((len(log.time), mechanism.nv))
    chosen = [log.entries.index(k) for k in entries]
    effort[:, list(entries)] = log.effort[:, chosen] * _torque_constants(design, log, entries)
    measured = smooth.forces(rows.of(effort))
    return Part(log, motion, rows, smooth, measured, entries)


def _refuse_currents(log: Log, rows: Rows, entries: tuple[int, ...]) -> None:
    if log.kind == "current" and rows.entries != entries:
        raise InputError(
            f"{log.name}: currents of a closed mechanism are understood where as many motors are "
            "measured as it has freedoms. Give joint forces (tau), or name the actuators."
        )


def _torque_constants(design: Design, log: Log, entries: tuple[int, ...]) -> Array:
    """Force per measured number: 1, or gear K where the model knows it and it is not asked for."""
    mechanism = design.mechanism
    if log.kind == "tau" or any(p.kind == "motor" for p in design.parameters):
        return np.ones(len(entries))
    found = []
    for entry in entries:
        motor = mechanism.model.bodies[joint_of(mechanism, entry)[0]].motor
        if motor is None:
            raise InputError(
                f"{log.name}: current of '{mechanism.v_labels[entry]}': the model has no motor "
                "there. Give it one (motor=am.Motor(...)), joint forces, or ask for "
                "motor_constants=True."
            )
        found.append(motor.gear * motor.torque_constant)
    return np.array(found)
