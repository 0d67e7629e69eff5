"""Sections about the joints of a run: ranges against limits, forces, and motors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armillary.errors import ArmillaryError
from armillary.evaluate.inputs import Array
from armillary.mechanism import Mechanism
from armillary.model.parts import Limits, Motor
from armillary.sim.actuators.dc_motor import DCMotor
from armillary.sim.record.panels import ROUNDING, size_of
from armillary.sim.record.run_data import RunData
from armillary.viewer.motion import member_of
from armillary.viewer.report.markup import Section, number, paragraph, table

_OVER = 1.0 + 1e-6  # of a limit: beyond what a limit of a model may be met by
_NONE = Limits()


def limits_of(mechanism: Mechanism) -> dict[str, Limits]:
    """Limits of every entry of v, by its label."""
    model, found = mechanism.model, {}
    for body, slot in zip(model.bodies, model.slots, strict=True):
        for k, label in enumerate(model.v_labels[slot.v]):
            found[label] = body.joint.limits[k] if k < len(body.joint.limits) else _NONE
    return found


def ranges(run: RunData, mechanism: Mechanism, member: int) -> Section | None:
    """Least and greatest of every coordinate and speed, beside the limits of the model."""
    q, limits = member_of(run, run["q"], member), limits_of(mechanism)
    v = member_of(run, run["v"], member) if "v" in run else None
    rows, warnings = [], []
    for k, label in enumerate(run.labels["q"]):
        known = q[np.isfinite(q[:, k]), k]
        if label not in limits or not len(known):  # numbers of a quaternion
            continue
        bound, low, high = limits[label], float(known.min()), float(known.max())
        column = None if v is None else v[:, mechanism.v_labels.index(label)]
        speed = "–" if column is None else number(size_of(column))
        rows.append(
            (
                label,
                run.units["q"][k],
                number(low),
                number(high),
                _bound(bound.lower),
                _bound(bound.upper),
                speed,
                _bound(bound.velocity),
            )
        )
        room = 1e-6 * max(abs(low), abs(high))
        if bound.lower is not None and low < bound.lower - room:
            warnings.append(f"{label} goes to {low:.4g}, below its limit {bound.lower:g}.")
        if bound.upper is not None and high > bound.upper + room:
            warnings.append(f"{label} goes to {high:.4g}, above its limit {bound.upper:g}.")
        if column is not None and bound.velocity and size_of(column) > bound.velocity * _OVER:
            fast, unit = size_of(column), f"{run.units['q'][k]}/s"
            warnings.append(
                f"{label} moves at {fast:.4g} {unit}, above its limit of {bound.velocity:g} {unit}."
            )
    if not rows:
        return None
    head = (
        "joint",
        "unit",
        "least",
        "greatest",
        "lower limit",
        "upper limit",
        "max speed [1/s]",
        "speed limit",
    )
    return Section("ranges", "Ranges of joints", table(head, rows), warnings=tuple(warnings))


def drives(run: RunData, mechanism: Mechanism, member: int) -> Section | None:
    """What every driven joint needs: force, speed, power and work, beside its limit."""
    if "tau" not in run or "v" not in run:
        return None
    tau, v = member_of(run, run["tau"], member), member_of(run, run["v"], member)
    limits, rows, warnings = limits_of(mechanism), [], []
    largest = size_of(tau)
    for k, label in enumerate(run.labels["tau"]):
        force, power = tau[:, k], tau[:, k] * v[:, k]
        peak = size_of(force)
        if not peak > ROUNDING * largest:
            continue
        limit = limits[label].effort if label in limits else None
        rows.append(
            (
                label,
                run.units["tau"][k],
                number(peak),
                _when(run.time, force),
                number(_rms(force)),
                _bound(limit),
                number(size_of(v[:, k])),
                number(size_of(power)),
                number(_rms(power)),
                number(float(np.trapezoid(power, run.time))),
            )
        )
        if limit is not None and peak > limit * _OVER:
            unit = run.units["tau"][k]
            warnings.append(
                f"{label} needs {peak:.4g} {unit}, above its effort limit of {limit:g} {unit}."
            )
    if not rows:
        return None
    head = (
        "joint",
        "unit",
        "peak force",
        "at [s]",
        "RMS",
        "limit",
        "max speed [rad/s, m/s]",
        "peak power [W]",
        "RMS power [W]",
        "work [J]",
    )
    content = table(head, rows)
    return Section("drives", "Forces of joints", content, warnings=tuple(warnings))


@dataclass(frozen=True)
class _Motor:
    """One motor over time: speed of its shaft, current, voltage."""

    label: str
    data: Motor | None  # None: not in the model
    speed: Array
    current: Array
    voltage: Array

    def electrical(self) -> tuple[str, ...]:
        return (
            self.label,
            *_against(self.voltage, self.data.voltage_limit if self.data else None),
            *_against(self.current, self.data.current_limit if self.data else None),
            number(_rms(self.current)),
        )

    def mechanical(self, time: Array) -> tuple[str, ...]:
        power = number(size_of(self.voltage * self.current))
        if self.data is None:  # its constants are not known
            return self.label, "–", "–", "–", power, "–"
        torque = self.data.torque_constant * self.current
        heat = float(np.trapezoid(self.data.resistance * self.current**2, time))
        return (
            self.label,
            number(size_of(torque)),
            number(_rms(torque)),
            number(size_of(self.speed)),
            power,
            number(heat),
        )

    def warnings(self) -> Iterator[str]:
        if self.data is None:
            return
        for name, values, limit, unit in (
            ("voltage", self.voltage, self.data.voltage_limit, "V"),
            ("current", self.current, self.data.current_limit, "A"),
        ):
            if limit is None:
                continue
            peak = size_of(values)
            at = float(np.mean(np.abs(values) > abs(limit) * (1.0 - 1e-9)))
            if peak > abs(limit) * _OVER:
                yield (
                    f"The motor of {self.label} needs {peak:.4g} {unit}, above its limit of "
                    f"{abs(limit):g} {unit}, in {_share(at)} of the time."
                )
            elif at > 0.0:
                yield f"The {name} of {self.label} is at its limit in {_share(at)} of the time."


def motors(run: RunData, mechanism: Mechanism, member: int) -> Section | None:
    """Torque, speed, voltage and current of every motor against its limits.

    As recorded; where the run has none, what the joint forces need by the motor's equations."""
    found = list(_motors(run, mechanism, member))
    if not found:
        return None
    missing = [name for name in ("voltage", "current") if name not in run]
    how = "Voltage and current as recorded."
    if missing:
        names = " and ".join(missing)
        how = f"Not recorded, and computed from the joint forces without limits: {names}."
    volts = (
        "motor of joint",
        "peak voltage [V]",
        "limit [V]",
        "used",
        "peak current [A]",
        "limit [A]",
        "used",
        "RMS current [A]",
    )
    shaft = (
        "motor of joint",
        "peak torque [N m]",
        "RMS torque [N m]",
        "max speed [rad/s]",
        "peak power in [W]",
        "heat [J]",
    )
    content = table(volts, [motor.electrical() for motor in found])
    content += table(shaft, [motor.mechanical(run.time) for motor in found])
    content += paragraph(
        f"{how} Torque and speed at the motor's shaft; heat in its winding.", "note"
    )
    warnings = tuple(text for motor in found for text in motor.warnings())
    return Section("motors", "Motors", content, warnings=warnings)


def _motors(run: RunData, mechanism: Mechanism, member: int) -> Iterator[_Motor]:
    data = {body.joint.name: body.motor for body in mechanism.model.bodies if body.motor}
    recorded = {
        name: member_of(run, run[name], member) for name in ("voltage", "current") if name in run
    }
    needed = _needed(run, mechanism, member) if data else {}
    for k, label in enumerate(mechanism.v_labels):
        fed = [x[:, k] for x in recorded.values()]
        if label not in data and not any(size_of(x) > 0.0 for x in fed):
            continue
        current, voltage = (
            recorded[name][:, k] if name in recorded else needed[name][:, k] if needed else None
            for name in ("current", "voltage")
        )
        if current is None or voltage is None:
            continue
        speed = member_of(run, run["v"], member)[:, k] if "v" in run else np.zeros(len(run))
        motor = data.get(label)
        yield _Motor(label, motor, speed * (motor.gear if motor else 1.0), current, voltage)


def _needed(run: RunData, mechanism: Mechanism, member: int) -> dict[str, Array]:
    """Current and voltage for the recorded joint forces; none where they are not recorded."""
    if "tau" not in run or "v" not in run:
        return {}
    tau, v = (member_of(run, run[name], member) for name in ("tau", "v"))
    try:
        found = DCMotor(mechanism).inverse(v, tau)
    except ArmillaryError:  # motors that no run can be made with: nothing is known of them
        return {}
    return {"current": found.current, "voltage": found.voltage}


def _against(values: Array, limit: float | None) -> tuple[str, str, str]:
    """Peak, limit and the part of the limit that is used."""
    peak = size_of(values)
    if not limit:
        return number(peak), "none", "–"
    return number(peak), f"{abs(limit):g}", f"{100.0 * peak / abs(limit):.0f} %"


def _share(part: float) -> str:
    return f"{100.0 * part:.0f} %" if part >= 0.01 else "less than 1 %"


def _bound(limit: float | None) -> str:
    return "none" if limit is None or not np.isfinite(limit) else f"{limit:.4g}"


def _rms(values: Array) -> float:
    known = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else float("nan")


def _when(time: Array, values: Array) -> str:
    sizes = np.where(np.isfinite(values), np.abs(values), -1.0)
    return f"{time[int(sizes.argmax())]:.4g}"
