"""Actuators: what turns commands into joint forces.

A joint that an actuator does not drive passes its command on as a force, so actuators of different
joints can stand in a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError, ModelError
from armillary.evaluate.array_text import arrays_text
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.model.checks import motor_fault
from armillary.model.parts import MOTOR_UNITS, Motor, Rotor
from armillary.scalar import Scalar, where
from armillary.shown import shown
from armillary.sim.actuators.converters import DAC
from armillary.sim.actuators.motor_drives import Drive, Power
from armillary.sim.control.block import Block, Scalars, clip, made_for
from armillary.sim.motion.coordinates import (
    argument_units,
    freedoms,
    one_number,
    per_freedom,
    positive_period,
)

COMMANDS = ("voltage", "force", "current", "code")
Motors = Motor | Sequence[Motor] | Mapping[str, Motor] | None


class Ideal(Block):
    """The command is the joint force, up to a limit (N m or N; None: the model's effort limits)."""

    entries: list[int]

    @name_arguments
    def __init__(self, mechanism: Mechanism, limit: ArrayLike | None = None):
        self.built_for = made_for(mechanism)
        self.limit = _efforts(mechanism)
        if limit is not None:
            self.limit = per_freedom("limit", limit, mechanism.nv, mechanism.v_labels, 0.0)
        self.entries = [i for i, top in enumerate(self.limit) if np.isfinite(top)]
        self.argument_units = argument_units(mechanism, range(mechanism.nv), {"limit": "{F}"})

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return [
            clip(x, -top, top) if np.isfinite(top) else x
            for x, top in zip(u, self.limit, strict=True)
        ]


# -- the motors of a mechanism -------------------------------------------------------------------


@shown
@dataclass(frozen=True)
class Commands:
    """What motors need for joint forces, all (nv,) or (T, nv); zero where there is no motor."""

    force: Array  # as wanted
    current: Array  # A, as wanted
    voltage: Array  # V, as wanted
    applied: Array  # V, after limits and converter
    code: Array | None  # of the converter
    reached: Array  # joint force of the applied voltage
    limited: np.ndarray  # True where a limit of voltage or current cuts the force

    def __str__(self) -> str:
        parts = {
            "force [N m, N]": self.force,
            "current [A]": self.current,
            "voltage [V]": self.voltage,
            "applied [V]": self.applied,
            "reached force": self.reached,
        }
        title = f"commands of motors; {int(self.limited.sum())} of {self.limited.size} meet a limit"
        return arrays_text(title, parts)


class DCMotor(Block):
    """Direct-current motors at chosen joints; other joints pass their command on as a force.

    motors: one `Motor`, or one per joint, or {joint: Motor}; None: those of the model.
    command: what comes in: "voltage" (V); "current" (A); "force" (joint force, which becomes a
    current by the motor's constants); "code" (of the converter).  For a current or force the
    amplifier applies  R i + n K v  with the measured velocity; with bandwidth (rad/s) it measures
    the currents of motors with inductance as well and controls them:

        V = n K v + ω L (i* - i) + x,   dx/dt = ω R (i* - i):   i follows i* as  1 - exp(-ω t)

    within its voltage, x at rest where the voltage is at its limit.
    dac: the voltage is rounded to what it can give, and held for its period.  A motor with an
    inductance has its current as a state: 0 A at the start, or with steady_start=True that of the
    first command at the first velocity."""

    entries: list[int]
    argument_units = MappingProxyType({**MOTOR_UNITS, "bandwidth": "rad/s"})

    @name_arguments
    def __init__(
        self,
        mechanism: Mechanism,
        motors: Motors = None,
        joints: Sequence[str] | str | None = None,
        *,
        command: str = "voltage",
        dac: DAC | None = None,
        smoothing: float = 0.0,
        bandwidth: float | None = None,
        steady_start: bool = False,
    ):
        if command not in COMMANDS:
            raise InputError(f"command: expected one of {COMMANDS}, found {command!r}.")
        if command == "code" and dac is None:
            raise InputError("command='code': a converter is needed; give dac=DAC(bits, ...).")
        if dac is not None and not isinstance(dac, DAC):
            raise InputError(f"dac: expected a DAC(bits, ...), found {type(dac).__name__}.")
        if bandwidth is not None and command not in ("current", "force"):
            raise InputError("bandwidth: is that of a current controller; command='current'.")
        positive_period(bandwidth, "bandwidth")
        smoothing = one_number("smoothing", smoothing, 0.0)
        found = _motors(mechanism, motors, joints)
        self.built_for = made_for(mechanism)
        self.drives = {i: Drive(motor, smoothing) for i, motor in found.items()}
        self.entries = list(found)
        self.command, self.dac, self.bandwidth = command, dac, bandwidth
        self.starts_steady = bool(steady_start)
        self.period = dac.period if dac else None
        self.labels = mechanism.v_labels
        self.slow = [i for i, drive in self.drives.items() if drive.motor.inductance > 0.0]
        names, units = ["current"], ["A"]
        if bandwidth is not None:
            names, units = [*names, "current_integral"], [*units, "V"]
        self.states = tuple(f"{self.labels[i]}.{name}" for name in names for i in self.slow)
        self.state_units = tuple(unit for unit in units for _ in self.slow)
        _check_rotors(mechanism, found)

    def wanted_current(self, i: int, v: Scalars, u: Scalars) -> Scalar:
        """A, of a command that is a current or a force."""
        drive = self.drives[i]
        return drive.limited(u[i] if self.command == "current" else drive.current(u[i], v[i]))

    def applied(self, i: int, v: Scalars, z: Scalars, u: Scalars) -> Scalar:
        """Voltage of the amplifier at entry i for its command."""
        return self.drives[i].supply(self._wanted(i, v, z, u))

    def _wanted(self, i: int, v: Scalars, z: Scalars, u: Scalars) -> Scalar:
        """Voltage before the amplifier's limit."""
        drive, wanted = self.drives[i], u[i]
        if self.command in ("current", "force"):
            wanted = drive.voltage(self.wanted_current(i, v, u), v[i])
            if self.bandwidth is not None and i in self.slow:
                k, gain = self.slow.index(i), self.bandwidth * drive.motor.inductance
                lack = self.wanted_current(i, v, u) - z[k]
                wanted = drive.back_emf(v[i]) + gain * lack + z[len(self.slow) + k]
        if self.dac:
            wanted = self.dac.voltage(u[i]) if self.command == "code" else self.dac(wanted)
        return wanted

    def currents(self, v: Scalars, z: Scalars, u: Scalars) -> dict[int, Scalar]:
        """Ampere by entry of v."""
        own = dict(zip(self.slow, z[: len(self.slow)], strict=True))
        return {
            i: drive.limited(own[i])
            if i in own
            else drive.steady_current(self.applied(i, v, z, u), v[i])
            for i, drive in self.drives.items()
        }

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        currents = self.currents(v, z, u)
        return [
            self.drives[i].force(currents[i], v[i]) if i in currents else x for i, x in enumerate(u)
        ]

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        rates = [
            self.drives[i].current_rate(self.applied(i, v, z, u), v[i], x)
            for i, x in zip(self.slow, z[: len(self.slow)], strict=True)
        ]
        return rates if self.bandwidth is None else rates + self._integral_rates(v, z, u)

    def _integral_rates(self, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        """Of the current controllers; none further into a limit of the voltage."""
        rates: list[Scalar] = []
        for i, current in zip(self.slow, z[: len(self.slow)], strict=True):
            drive = self.drives[i]
            lack = self.wanted_current(i, v, u) - current
            wanted = self._wanted(i, v, z, u)
            beyond = (wanted - drive.supply(wanted)) * lack > 0.0
            rates.append(
                where(beyond, 0.0, (self.bandwidth or 0.0) * drive.motor.resistance * lack)
            )
        return rates

    def steady(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        """Currents that the command would keep at this velocity, and what keeps them there."""
        currents: list[Scalar] = []
        for i in self.slow:
            drive, wanted = self.drives[i], u[i]
            if self.command in ("current", "force"):
                wanted = drive.voltage(self.wanted_current(i, v, u), v[i])
            elif self.dac:
                wanted = self.dac.voltage(u[i]) if self.command == "code" else self.dac(wanted)
            currents.append(drive.steady_current(drive.supply(wanted), v[i]))
        if self.bandwidth is None:
            return currents
        pairs = zip(self.slow, currents, strict=True)
        return currents + [self.drives[i].motor.resistance * x for i, x in pairs]

    def signals(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> dict[str, list[Scalar]]:
        """ "voltage" at the terminals (V), "current" (A), "electrical_power" (W); 0 without motor.

        When a limit of the current holds it back, the terminals see less than the command."""
        currents, powers = self.currents(v, z, u), self.power(v, z, u)
        n, volts = len(self.labels), self._terminals(v, z, u)
        return {
            "voltage": [volts.get(i, 0.0) for i in range(n)],
            "current": [currents.get(i, 0.0) for i in range(n)],
            "electrical_power": [powers[i].electrical if i in powers else 0.0 for i in range(n)],
        }

    def power(self, v: Scalars, z: Scalars, u: Scalars) -> dict[int, Power]:
        """Where the electrical power goes, by entry of v."""
        rates = self._rates(v, z, u)
        return {
            i: self.drives[i].power(current, v[i], rates[i])
            for i, current in self.currents(v, z, u).items()
        }

    def _rates(self, v: Scalars, z: Scalars, u: Scalars) -> dict[int, Scalar]:
        rates = self.rate(0.0, (), v, z, u)[: len(self.slow)]
        moving = dict(zip(self.slow, rates, strict=True))
        return {i: moving.get(i, 0.0) for i in self.drives}

    def _terminals(self, v: Scalars, z: Scalars, u: Scalars) -> dict[int, Scalar]:
        rates = self._rates(v, z, u)
        return {
            i: self.drives[i].voltage(current, v[i], rates[i])
            for i, current in self.currents(v, z, u).items()
        }

    def inverse(self, v: ArrayLike, force: ArrayLike, current_rate: ArrayLike = 0.0) -> Commands:
        """Joint force -> current -> voltage -> code [Swartz1982, 11], for (nv,) or rows (T, nv).

        current_rate (A/s): of motors with inductance, where it matters."""
        tau, speed = np.asarray(force, float), np.asarray(v, float)
        n = len(self.labels)
        if tau.shape != speed.shape or tau.shape[-1:] != (n,):
            raise InputError(
                f"inverse: expected v and force (nv,) or (T, nv) with nv = {n}, found "
                f"{speed.shape} and {tau.shape}."
            )
        slope = np.broadcast_to(np.asarray(current_rate, float), tau.shape)
        current, voltage, applied, code = (np.zeros(tau.shape) for _ in range(4))
        reached = tau.copy()
        for i, drive in self.drives.items():
            x = speed[..., i]
            current[..., i] = drive.current(tau[..., i], x)
            voltage[..., i] = drive.voltage(current[..., i], x, slope[..., i])
            rounded = voltage[..., i]
            if self.dac:
                code[..., i] = self.dac.code(rounded)
                rounded = self.dac.voltage(code[..., i])
            applied[..., i] = drive.supply(rounded)
            fed = applied[..., i] - drive.motor.inductance * slope[..., i]
            reached[..., i] = drive.force(drive.steady_current(fed, x), x)
        codes, cut = code if self.dac else None, self._cut(current, voltage)
        return Commands(tau, current, voltage, applied, codes, reached, cut)

    def _cut(self, current: Array, voltage: Array) -> np.ndarray:
        """Where a limit is passed; the end of the converter's range is one."""
        cut = np.zeros(current.shape, bool)
        for i, drive in self.drives.items():
            limit = drive.motor.voltage_limit
            high = np.inf if limit is None else abs(limit)
            low = -high
            if self.dac:
                edges = sorted((self.dac.gain * self.dac.low, self.dac.gain * self.dac.high))
                low, high = max(low, edges[0]), min(high, edges[1])
            top = drive.motor.current_limit
            over = np.abs(current[..., i]) > (np.inf if top is None else top)
            cut[..., i] = over | (voltage[..., i] < low) | (voltage[..., i] > high)
        return cut


# -- what the model says -------------------------------------------------------------------------


def _motors(
    mechanism: Mechanism, motors: Motors, joints: Sequence[str] | str | None
) -> dict[int, Motor]:
    """Entry of v -> motor."""
    if isinstance(motors, Mapping):
        if joints is not None:
            raise InputError("motors: name the joints in the mapping or in `joints`, not in both.")
        joints, motors = list(motors), list(motors.values())
    if motors is None:
        found = {}
        wanted = set(freedoms(mechanism, joints))
        for body, slot in zip(mechanism.model.bodies, mechanism.model.slots, strict=True):
            if body.motor is not None:
                own = (i for i in range(slot.v.start, slot.v.stop) if i in wanted)
                found.update(dict.fromkeys(own, body.motor))
        if not found:
            raise ModelError(
                f"'{mechanism.name}': no joint has a motor in the model; give "
                "motors={'joint': Motor(...)}."
            )
        return found
    entries = freedoms(mechanism, joints)
    each = [motors] * len(entries) if isinstance(motors, Motor) else list(motors)
    if len(each) != len(entries):
        raise InputError(
            f"motors: expected {len(entries)}, one per degree of freedom "
            f"({', '.join(mechanism.v_labels[i] for i in entries)}); "
            f"found {len(each)}."
        )
    for i, motor in zip(entries, each, strict=True):
        if not isinstance(motor, Motor):
            raise InputError(
                f"motor of '{mechanism.v_labels[i]}': expected a Motor(...), found "
                f"{type(motor).__name__}."
            )
        fault = motor_fault(motor)
        if fault or motor.torque_constant == 0.0:
            raise InputError(
                f"motor of '{mechanism.v_labels[i]}': "
                f"{fault or 'the torque constant must not be zero'}."
            )
    return dict(zip(entries, each, strict=True))


def rotors_of(mechanism: Mechanism) -> dict[int, Rotor]:
    model = mechanism.model
    return {
        slot.v.start + k: rotor
        for body, slot in zip(model.bodies, model.slots, strict=True)
        for k, rotor in enumerate(body.joint.rotors)
        if rotor.inertia > 0.0
    }


def _check_rotors(mechanism: Mechanism, motors: Mapping[int, Motor]) -> None:
    """A rotor in the model turns as fast as its motor."""
    for i, rotor in rotors_of(mechanism).items():
        if i in motors and not np.isclose(abs(rotor.gear), abs(motors[i].gear), rtol=1e-9):
            raise ModelError(
                f"'{mechanism.v_labels[i]}': the motor has gear {motors[i].gear:g}, its rotor in "
                f"the model {rotor.gear:g}. Give both the same."
            )


def _efforts(mechanism: Mechanism) -> list[float]:
    limits = []
    for body, joint in zip(mechanism.model.bodies, mechanism.model.joints, strict=True):
        own = [None if x.effort is None else float(x.effort) for x in body.joint.limits]
        own += [None] * (joint.nv - len(own))
        limits += [np.inf if x is None else x for x in own]
    return limits
