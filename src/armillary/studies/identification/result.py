"""What identification leaves behind: numbers with standard errors, and a mechanism with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.algorithms.tree.regressor import PARAMETERS
from armillary.doors import IdentificationDoors
from armillary.errors import InputError, unknown_name
from armillary.evaluate.derivatives import BaseParameters
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.parts import Motor, Rotor, mass_of
from armillary.model.passive import Passive
from armillary.shown import shown
from armillary.spatial import Inertia
from armillary.studies.identification.consistent import realizable as can_exist
from armillary.studies.identification.equations import Equations, equations_of
from armillary.studies.identification.estimate import root_mean_squares
from armillary.studies.identification.logs import Data, read_logs
from armillary.studies.identification.parameters import (
    Parameter,
    passive_of,
    rotor_of,
    values_of,
)

if TYPE_CHECKING:
    pass

_WEAK = 1.0  # standard errors
_CORRELATED = 0.5  # of residuals one instant apart


@dataclass(frozen=True)
class Quality:
    """How well forces are predicted, by row: root mean squares, N m, N or A."""

    labels: tuple[str, ...]
    units: tuple[str, ...]
    measured: Array
    errors: Array

    @property
    def share(self) -> Array:
        """Errors as a part of what was measured."""
        return np.asarray(self.errors / np.maximum(self.measured, 1e-300))

    def __str__(self) -> str:
        rows = zip(self.labels, self.units, self.measured, self.errors, self.share, strict=True)
        lines = [f"{n:16s} {x:10.4g} {e:10.3g} {u:4s} {s:7.2%}" for n, u, x, e, s in rows]
        return "\n".join(["force                 RMS      error      share", *lines])


@shown
@dataclass(frozen=True)
class Identification(IdentificationDoors):
    """Identified numbers.

    base, base_estimates, standard_errors, covariance: what the data tell, combinations of
    parameters by name.  parameters, estimates: numbers of a mechanism that has them; single ones
    are only as good as the combinations they are in.  mechanism: that mechanism.
    noise (rows): standard deviations of the measured forces; residuals (instants, rows), NaN where
    a row does not count; cross_validation (rows): RMS of errors at instants not used.  condition:
    of the weighted columns, each of length one.  chi2: squared distance, in standard errors, of the
    mechanism from the measured combinations."""

    equations: Equations
    estimates: Array
    base: BaseParameters
    base_estimates: Array
    covariance: Array
    residuals: Array
    noise: Array
    condition: float
    chi2: float
    cross_validation: Array
    cutoff: float | None
    realizable: bool

    @property
    def original(self) -> Mechanism:
        """The mechanism as it was before."""
        return self.equations.design.mechanism

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What was asked for: name, unit, number of the model."""
        return self.equations.design.parameters

    @property
    def standard_errors(self) -> Array:
        """(rank,) of `base_estimates`."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def base_of_model(self) -> Array:
        """(rank,) the combinations with the numbers of the original mechanism."""
        return np.asarray(self.base.matrix @ np.nan_to_num(values_of(self.parameters)))

    @property
    def base_units(self) -> tuple[str, ...]:
        return tuple(self.parameters[k].unit for k in self.base.columns)

    @property
    def base_names(self) -> tuple[str, ...]:
        """Combinations; a parameter that the data tell alone has its own name."""
        return tuple(
            self.parameters[k].name if alone else name
            for k, name, alone in zip(self.base.columns, self.base.names, self._alone, strict=True)
        )

    @property
    def _alone(self) -> list[bool]:
        return [int(np.count_nonzero(row)) == 1 for row in self.base.matrix]

    @property
    def unseen(self) -> tuple[str, ...]:
        """Parameters that no measured force depends on."""
        seen = np.any(self.base.matrix != 0.0, axis=0)
        return tuple(p.name for p, yes in zip(self.parameters, seen, strict=True) if not yes)

    @property
    def weak(self) -> tuple[str, ...]:
        """Combinations that are not told from zero: smaller than their standard error."""
        small = np.abs(self.base_estimates) < _WEAK * self.standard_errors
        return tuple(name for name, yes in zip(self.base_names, small, strict=True) if yes)

    def __getitem__(self, name: str) -> float:
        """The estimate of a parameter by name."""
        names = [p.name for p in self.parameters]
        if name not in names:
            raise unknown_name("parameter", name, names)
        return float(self.estimates[names.index(name)])

    def error_of(self, name: str) -> float:
        """Standard error of a parameter; inf where the data do not tell it alone."""
        for k, alone, error in zip(
            self.base.columns, self._alone, self.standard_errors, strict=True
        ):
            if self.parameters[k].name == name and alone:
                return float(error)
        self[name]
        return float("inf")

    # -- the mechanism ---------------------------------------------------------------------------

    @cached_property
    def mechanism(self) -> Mechanism:
        """The original with the identified numbers; offsets belong to the measurement and are left
        out."""
        found = {
            (p.kind, p.entry): float(x)
            for p, x in zip(self.parameters, self.estimates, strict=True)
        }
        changes: dict[str, dict[str, Any]] = {}
        for k, body in enumerate(self.original.model.bodies):
            own: dict[str, Any] = {}
            if ("inertia", 10 * k) in found:
                leaves = [found["inertia", 10 * k + n] for n in range(len(PARAMETERS))]
                own["mass"] = mass_of(Inertia.from_leaves(leaves))
            slot = self.original.model.slots[k].v
            entries = range(slot.start, slot.stop)
            joint = body.joint
            if any((kind, e) in found for kind, e in found if e in entries and kind != "inertia"):
                passives = [_passive(passive_of(joint, i), e, found) for i, e in enumerate(entries)]
                rotors = [_rotor(rotor_of(joint, i), e, found) for i, e in enumerate(entries)]
                own |= {"passive": tuple(passives), "rotors": tuple(rotors)}
            if slot.stop - slot.start == 1 and ("motor", slot.start) in found:
                own["motor"] = _motor(body.motor, found["motor", slot.start])
            if own:
                changes[body.name] = own
        edited = self.original.replace(bodies=changes)
        elements = self._elements()
        return edited.replace(elements=elements) if elements else edited

    def _elements(self) -> dict[str, dict[str, float]]:
        changes: dict[str, dict[str, float]] = {}
        names = [part.name for part in self.original.model.elements]
        for p, x in zip(self.parameters, self.estimates, strict=True):
            if p.kind == "element":
                part = max((n for n in names if p.name.startswith(f"{n}.")), key=len)
                changes.setdefault(part, {})[p.name.removeprefix(f"{part}.")] = float(x)
        return changes

    @property
    def faults(self) -> tuple[str, ...]:
        """Bodies that cannot exist; none where `realizable` was asked for."""
        inertial = [k for k, p in enumerate(self.parameters) if p.kind == "inertia"]
        bodies = [inertial[k : k + 10] for k in range(0, len(inertial), 10)]
        return tuple(
            self.parameters[own[0]].name.removesuffix(".mass")
            for own in bodies
            if not can_exist(self.estimates[own])
        )

    # -- how good it is --------------------------------------------------------------------------

    @property
    def quality(self) -> Quality:
        """Of the data it was found from, at instants that were not used (cross-validation)."""
        e = self.equations
        measured = root_mean_squares(e.flat(e.y), e.groups, len(e.labels))
        return Quality(e.labels, e.units, measured, self.cross_validation)

    def validate(self, data: Data | Sequence[Data]) -> Quality:
        """The forces of another log, predicted with the estimates."""
        logs = read_logs(self.original, data)
        driven = self.equations.parts[0].driven
        missing = [self.original.v_labels[k] for k in driven if k not in logs[0].entries]
        if missing:
            raise InputError(f"{logs[0].name}: there is no force of {', '.join(missing)}.")
        names = None
        if self.original.constraints:
            names = [self.original.v_labels[k] for k in self.equations.entries]
        e = equations_of(self.equations.design, logs, driven, names, self.cutoff, 0.0)
        f, _, y = e.linearized(self.estimates)
        errors, measured = (
            root_mean_squares(e.flat(x), e.groups, len(e.labels)) for x in (y - f, y)
        )
        return Quality(e.labels, e.units, measured, errors)

    @property
    def autocorrelation(self) -> Array:
        """(rows,) correlation of residuals one instant apart; standard errors expect none."""
        r = np.nan_to_num(self.residuals)
        return np.asarray((r[1:] * r[:-1]).sum(axis=0) / np.maximum((r * r).sum(axis=0), 1e-300))

    @property
    def notes(self) -> tuple[str, ...]:
        """What should be known before the numbers are used."""
        found = []
        if self.unseen:
            found.append("no measured force depends on " + _listed(self.unseen))
        if self.weak:
            found.append("smaller than their standard errors: " + _listed(self.weak))
        worst = float(self.autocorrelation.max())
        if worst > _CORRELATED:
            row = self.equations.labels[int(np.argmax(self.autocorrelation))]
            found.append(
                f"residuals of '{row}' are correlated ({worst:.2f} one instant apart): something "
                "is not in the model, or the log is oversampled; standard errors are too small"
            )
        rank = len(self.base_estimates)
        if self.realizable and self.chi2 > rank + 6.0 * np.sqrt(2.0 * rank):
            found.append(
                f"no bodies that can exist have the measured numbers (chi² {self.chi2:.0f} for "
                f"{rank} combinations); friction or geometry of the model may be wrong"
            )
        if self.faults:
            found.append(f"bodies that cannot exist: {_listed(self.faults)}")
        return tuple(found)

    def __str__(self) -> str:
        return self.table()


def _passive(passive: Passive, entry: int, found: dict[tuple[str, int], float]) -> Passive:
    get = lambda kind: found.get((kind, entry))  # noqa: E731
    changes: dict[str, Any] = {}
    if (viscous := get("viscous")) is not None:
        changes["viscous"] = viscous
    if (coulomb := get("coulomb")) is not None:
        changes["coulomb"] = coulomb
    if (forward := get("coulomb_forward")) is not None:
        changes["coulomb"] = (forward, get("coulomb_backward"))
    old = 0.5 * sum(float(x) for x in passive.each_way())
    passive = replace(passive, **changes)
    level = 0.5 * sum(float(x) for x in passive.each_way())
    if (rise := get("static_rise")) is not None:
        passive = replace(passive, static=level + rise, stribeck=get("stribeck") or 0.0)
    elif passive.static:
        passive = replace(passive, static=passive.static - old + level)
    if (spring := get("spring")) is not None:
        passive = replace(passive, spring=spring)
    return passive


def _rotor(rotor: Rotor, entry: int, found: dict[tuple[str, int], float]) -> Rotor:
    reflected = found.get(("rotor", entry))
    return rotor if reflected is None else Rotor(reflected / rotor.gear**2, rotor.gear)


def _motor(motor: Motor | None, constant: float) -> Motor:
    if motor is None:
        return Motor(resistance=1.0, torque_constant=constant)
    return replace(motor, torque_constant=constant)


def _listed(names: Sequence[str], most: int = 10) -> str:
    more = f", and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
