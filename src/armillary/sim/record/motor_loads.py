"""What a motion asks of the motors: torque, speed, current, voltage, heat; and their limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from armillary.errors import InputError, ModelError, Remedy
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.model.parts import Motor
from armillary.shown import shown
from armillary.sim.actuators.dc_motor import DCMotor
from armillary.sim.record.run_data import RunData

COPPER = 0.00393  # 1/K, of the resistance at 25 °C
AMBIENT = 25.0  # °C
Use = tuple[str, float, float, str]  # name, value, limit (inf: none), unit


@dataclass(frozen=True)
class MotorLoad:
    """One motor over a motion; torque and speed at its own shaft."""

    joint: str
    motor: Motor
    time: Array
    torque: Array  # N m, n K i / n
    speed: Array  # rad/s
    current: Array  # A
    voltage: Array  # V
    temperature: Array | None  # °C, of the winding; None: no thermal data

    @property
    def rms_torque(self) -> float:
        return rms(self.torque, self.time)

    @property
    def rms_current(self) -> float:
        return rms(self.current, self.time)

    def uses(self) -> list[Use]:
        """Every value beside its limit."""
        motor = self.motor
        found: list[Use] = [
            ("peak voltage", peak(self.voltage), _bound(motor.voltage_limit), "V"),
            ("peak current", peak(self.current), _bound(motor.current_limit), "A"),
            ("RMS current", self.rms_current, _bound(motor.continuous_current), "A"),
            ("speed", peak(self.speed), _bound(motor.speed_limit), "rad/s"),
        ]
        if self.temperature is not None:
            top = float(self.temperature.max())
            found.append(("winding", top, _bound(motor.temperature_limit), "°C"))
        return found

    def over(self) -> list[str]:
        """What is above its limit, in words."""
        return [
            f"'{self.joint}': {name} {value:.4g} {unit}, limit {limit:.4g} {unit}"
            for name, value, limit, unit in self.uses()
            if value > limit * (1.0 + 1e-9)
        ]


@shown
@dataclass(frozen=True)
class MotorLoads:
    """The motors of a mechanism over a motion, by joint."""

    loads: dict[str, MotorLoad]

    def __getitem__(self, joint: str) -> MotorLoad:
        return self.loads[joint]

    @property
    def over(self) -> list[str]:
        return [text for load in self.loads.values() for text in load.over()]

    def __str__(self) -> str:
        head = (
            "joint",
            "torque RMS",
            "peak [N m]",
            "speed [rad/s]",
            "current RMS",
            "peak [A]",
            "voltage [V]",
            "winding [°C]",
            "most used",
        )
        rows = []
        for load in self.loads.values():
            warm = "-" if load.temperature is None else f"{load.temperature.max():.4g}"
            shares = [(value / limit, name) for name, value, limit, _ in load.uses() if limit < inf]
            most = "-" if not shares else f"{100 * max(shares)[0]:.0f} % {max(shares)[1]}"
            numbers = (
                load.rms_torque,
                peak(load.torque),
                peak(load.speed),
                load.rms_current,
                peak(load.current),
                peak(load.voltage),
            )
            rows.append((load.joint, *(f"{x:.4g}" for x in numbers), warm, most))
        return "\n".join([columns_text(head, rows), *(f"above a limit: {x}" for x in self.over)])


def with_motors(m: Mechanism) -> list[str]:
    """Coordinates whose joint has a motor in the model."""
    return [
        label
        for body, slot in zip(m.model.bodies, m.model.slots, strict=True)
        if body.motor is not None
        for label in m.v_labels[slot.v.start : slot.v.stop]
    ]


def driven_joints(
    who: str, run: RunData, m: Mechanism, joints: Sequence[str] | None
) -> Sequence[str] | None:
    """The joints, or of a closed mechanism those that turn and have a motor, or a force in the run.
    Refused where forces are spread over all that moves, as if no joint were passive: then those of
    a driven joint are a part of what it has to give.  who: asks."""
    if not m.constraints:
        return joints or None
    moving, pushed = (_seen(run[name]) for name in ("v", "tau"))
    labels = [m.v_labels[k] for k in sorted(moving)]
    spread = moving <= pushed and len(moving) > m.nv - _held(m, run["q"])
    if spread and not set(labels) <= set(joints or ()):
        turning = [x for x in labels if m.v_units[m.v_labels.index(x)] == "rad"]
        raise InputError(
            f"{who}: '{m.name}' is closed, and the forces of this motion are spread over all "
            f"that moves ({', '.join(labels)}); passive joints have no motor.",
            Remedy("driven joints", {"joint": (joints or turning or labels)[0]}),
        )
    own = {*with_motors(m), *(m.v_labels[k] for k in pushed)}
    found = [x for x, unit in zip(m.v_labels, m.v_units, strict=True) if x in own and unit == "rad"]
    return joints or found or None


def _seen(x: Array) -> set[int]:
    """Columns that are more than the rounding of the largest."""
    size = np.abs(x).max(axis=0, initial=0.0)
    return set(np.flatnonzero(size > 1e-9 * size.max(initial=0.0)).tolist())


def _held(m: Mechanism, q: Array) -> int:
    """How many motions the constraints take."""
    J = m.constraint_jacobian(q[len(q) // 2])
    return int(np.linalg.matrix_rank(J, 1e-9 * np.abs(J).max(initial=0.0)))


@name_arguments
def motor_loads(run: RunData, *, ambient: float = AMBIENT) -> MotorLoads:
    """What a recorded run asks of the motors of its mechanism.

    Voltage and current as recorded, else what the joint forces take by the motors' equations
    (record tau).  Torque and speed are those of the motor's shaft.  The winding warms up from
    `ambient` (°C) by one time constant, see `winding_temperature`."""
    mechanism = run.mechanism
    if mechanism is None:
        raise InputError("the run knows no mechanism: load it with its model beside it.")
    if "v" not in run or run["v"].ndim != 2:
        raise InputError("motor_loads: expected one run with recorded v.")
    v = run["v"]
    if "voltage" in run and "current" in run:
        volts, amperes = run["voltage"], run["current"]
    elif "tau" in run:
        driven_joints("motor_loads", run, mechanism, with_motors(mechanism))
        needed = DCMotor(mechanism).inverse(v, run["tau"])
        volts, amperes = needed.voltage, needed.current
    else:
        raise InputError("motor_loads: expected tau, or voltage and current, among the records.")
    found = {}
    for body, slot in zip(mechanism.model.bodies, mechanism.model.slots, strict=True):
        if body.motor is None or slot.v.stop - slot.v.start != 1:
            continue
        k, motor = slot.v.start, body.motor
        current = amperes[:, k]
        label = mechanism.v_labels[k]
        found[label] = MotorLoad(
            label,
            motor,
            run.time,
            motor.torque_constant * current,
            motor.gear * v[:, k],
            current,
            volts[:, k],
            _warming(motor, run.time, current, ambient),
        )
    if not found:
        raise ModelError(f"'{mechanism.name}': no joint has a motor in the model.")
    return MotorLoads(found)


def _warming(motor: Motor, time: Array, current: Array, ambient: float) -> Array | None:
    if motor.thermal_resistance is None or motor.thermal_time_constant is None:
        return None
    return winding_temperature(motor, time, current, ambient=ambient)


@name_arguments
def winding_temperature(
    motor: Motor,
    time: Array,
    current: Array,
    *,
    ambient: float = AMBIENT,
    start: float | None = None,
) -> Array:
    """Temperature of the winding (T,) in °C under a current (T,) in A, from `start`:

        T_th dΔ/dt = R_th R (1 + α (ambient + Δ - 25)) i² - Δ,   Δ above `ambient`

    R at 25 °C, α of copper; one body that is heated by i² and cooled through R_th.  Between two
    instants i² is held at its mean and the solution is exact.  The housing is taken to be at its
    own steady state: short runs of a cold motor stay below this."""
    if not motor.thermal_resistance or not motor.thermal_time_constant:
        raise InputError("winding_temperature: the motor has no thermal resistance or constant.")
    constant, Rth = motor.thermal_time_constant, motor.thermal_resistance
    heat = (
        Rth
        * motor.resistance
        * (current[:-1] ** 2 + current[:-1] * current[1:] + current[1:] ** 2)
        / 3.0
    )
    found = np.empty(len(time))
    found[0] = above = (ambient if start is None else start) - ambient
    for k, (power, h) in enumerate(zip(heat, np.diff(time), strict=True)):
        decay = (1.0 - COPPER * power) / constant
        source = power * (1.0 + COPPER * (ambient - 25.0)) / constant
        share = -np.expm1(-decay * h) / decay if decay else h
        above = above * np.exp(-decay * h) + source * share
        found[k + 1] = above
    return found + ambient


def steady_temperature(motor: Motor, rms_current: float, ambient: float = AMBIENT) -> float:
    """In the end, when a cycle goes on for ever; inf: the winding never comes to rest."""
    power = (motor.thermal_resistance or 0.0) * motor.resistance * rms_current**2
    if COPPER * power >= 1.0:
        return inf
    return ambient + power * (1.0 + COPPER * (ambient - 25.0)) / (1.0 - COPPER * power)


def rms(values: Array, time: Array) -> float:
    """Root mean square over time of what is a straight line between two instants."""
    a, b, span = values[:-1], values[1:], float(time[-1] - time[0])
    if not span > 0.0:
        return float(np.abs(values).max(initial=0.0))
    return sqrt(float(np.sum(np.diff(time) * (a * a + a * b + b * b))) / 3.0 / span)


def peak(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))


def _bound(limit: float | None) -> float:
    return inf if limit is None else abs(limit)


def columns_text(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Words below each other; all but the first and the last column to the right."""
    table = [head, *rows]
    widths = [max(len(row[k]) for row in table) for k in range(len(head))]
    lines = []
    for row in table:
        inner = [x.rjust(w) for x, w in zip(row[1:-1], widths[1:-1], strict=True)]
        lines.append("  ".join([row[0].ljust(widths[0]), *inner, row[-1]]).rstrip())
    return "\n".join(lines)
