"""Motors and gears for a motion: which of a catalogue carry it, and the lightest of them.

For every pair of motor and gear of ratio n, with the load τ and the motion v, a of the joint,

    i = τ / (n K η) + (J_rotor + J_gear) n a / K        (1/η becomes η where the load drives)
    V = R i + K n v

and its torque-speed points lie in the motor's curve where |V|, |i|, the root mean square of i, the
speed and the temperature in the end stay within their limits, and the gear's torques within its.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TypeVar

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.formats.motors import GEARS, MOTORS, CatalogueGear, CatalogueMotor
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.shown import shown
from armillary.sim.actuators.motor_drives import Drive
from armillary.sim.record.motor_loads import (
    AMBIENT,
    columns_text,
    driven_joints,
    peak,
    rms,
    steady_temperature,
)
from armillary.sim.record.run_data import RunData


@dataclass(frozen=True)
class Candidate:
    """A motor with a gear at a joint over a motion."""

    joint: str
    motor: str
    gear: str
    ratio: float
    mass: float  # kg, of both; inf: not known
    torque: Array  # N m, of the motor's shaft, over time
    speed: Array  # rad/s, of the motor's shaft, over time
    rms_torque: float  # N m
    temperature: float  # °C, of the winding in the end; nan: no thermal data
    uses: dict[str, float]  # share of every limit that is used, 1: all of it

    @property
    def used(self) -> float:
        return max(self.uses.values())

    @property
    def limited_by(self) -> str:
        return max(self.uses, key=lambda name: self.uses[name])


@shown
@dataclass(frozen=True)
class MotorSizing:
    """The lightest pair that carries the motion, by joint; `candidates`: all, lightest first."""

    safety: float
    candidates: dict[str, list[Candidate]]

    @property
    def chosen(self) -> dict[str, Candidate | None]:
        """None where nothing of the catalogue fits."""
        return {joint: self._first(found) for joint, found in self.candidates.items()}

    def _first(self, found: Sequence[Candidate]) -> Candidate | None:
        return next((x for x in found if x.used * self.safety <= 1.0 + 1e-12), None)

    def __str__(self) -> str:
        head = (
            "joint",
            "ratio",
            "mass [kg]",
            "torque RMS",
            "peak [N m]",
            "speed [rad/s]",
            "winding [°C]",
            "used",
            "motor, gear",
        )
        rows = []
        for joint, found in self.chosen.items():
            best = found or min(self.candidates[joint], key=lambda x: x.used)
            numbers = (best.ratio, best.mass, best.rms_torque, peak(best.torque), peak(best.speed))
            warm = "-" if best.temperature != best.temperature else f"{best.temperature:.4g}"
            words = f"{best.motor}, {best.gear}; most: {best.limited_by}"
            words = words if found else f"NONE FITS; nearest: {words}"
            cells = (*(f"{x:.4g}" for x in numbers), warm, f"{100 * best.used:.0f} %")
            rows.append((joint, *cells, words))
        title = f"motors for a motion, safety factor {self.safety:g}; torque and speed at the shaft"
        return f"{title}\n{columns_text(head, rows)}"


@name_arguments
def size_motors(
    run: RunData,
    joints: Sequence[str] | None = None,
    *,
    motors: Sequence[str] | Mapping[str, CatalogueMotor] | None = None,
    gears: Sequence[str] | Mapping[str, CatalogueGear] | None = None,
    safety: float = 1.0,
    ambient: float = AMBIENT,
) -> MotorSizing:
    """Motors and gears of a catalogue for a cycle, given as a run with v, a and tau
    (`am.replay(arm, trajectory)`), the same again and again.

    joints: default all that turn; of a closed mechanism those with a motor in the model or a force
    in the run (`am.replay(..., actuators=[...])`): the others are passive.  motors, gears: names of
    the catalogue, or {name: entry} of your own; by default all gears, and all motors whose
    continuous current is known.  safety: no limit
    is used beyond 1 / safety.  The model's own rotors are taken off the load; the masses of what is
    chosen are not put on the arm: do that and size again."""
    mechanism = run.mechanism
    if mechanism is None or not {"v", "a", "tau"} <= set(run.names) or run["v"].ndim != 2:
        raise InputError("size_motors: expected one run of a mechanism with recorded v, a and tau.")
    if not safety > 0.0:
        raise InputError(f"safety: expected more than 0, found {safety:g}.")
    rated = {name: x for name, x in MOTORS.items() if x.data.continuous_current is not None}
    some_motors = _chosen("motor", rated if motors is None else motors, MOTORS)
    some_gears = _chosen("gear", gears, GEARS)
    found: dict[str, list[Candidate]] = {}
    for k in _turning(mechanism, driven_joints("size_motors", run, mechanism, joints)):
        label, reflected = mechanism.v_labels[k], _reflected(mechanism, k)
        v, a = run["v"][:, k], run["a"][:, k]
        load = run["tau"][:, k] - reflected * a
        pairs = [
            _candidate(label, run.time, load, v, a, (name, motor), (gear, data), ambient)
            for name, motor in some_motors.items()
            for gear, data in some_gears.items()
        ]
        found[label] = sorted(pairs, key=lambda x: (x.mass, x.used))
    return MotorSizing(safety, found)


def _candidate(
    joint: str,
    time: Array,
    load: Array,
    v: Array,
    a: Array,
    motor: tuple[str, CatalogueMotor],
    gear: tuple[str, CatalogueGear],
    ambient: float,
) -> Candidate:
    (name, of_motor), (gear_name, of_gear) = motor, gear
    n = of_gear.ratio
    data = replace(of_motor.data, gear=n, efficiency=of_gear.efficiency)
    drive, K = Drive(data), data.torque_constant
    current = drive.current(load, v) + (of_motor.rotor_inertia + of_gear.inertia) * n * a / K
    mean = rms(current, time)
    warm = steady_temperature(data, mean, ambient) if data.thermal_resistance else float("nan")
    limits = {
        "voltage": (peak(drive.voltage(current, v)), data.voltage_limit),
        "peak current": (peak(current), data.current_limit),
        "RMS current": (mean, data.continuous_current),
        "speed": (n * peak(v), data.speed_limit),
        "heat": (warm - ambient, _above(data.temperature_limit, ambient)),
        "gear RMS torque": (rms(load, time), of_gear.rated_torque),
        "gear peak torque": (peak(load), of_gear.peak_torque),
        "gear speed": (n * peak(v), of_gear.speed_limit),
    }
    uses = {
        what: value / limit
        for what, (value, limit) in limits.items()
        if limit is not None and limit < inf and value == value
    }
    mass = (inf if of_motor.mass is None else of_motor.mass) + of_gear.mass
    return Candidate(
        joint=joint,
        motor=name,
        gear=gear_name,
        ratio=n,
        mass=mass,
        torque=K * current,
        speed=n * v,
        rms_torque=K * mean,
        temperature=warm,
        uses=uses or {"nothing": 0.0},
    )


def _above(limit: float | None, ambient: float) -> float | None:
    return None if limit is None else limit - ambient


Entry = TypeVar("Entry", CatalogueMotor, CatalogueGear)


def _chosen(
    what: str, given: Sequence[str] | Mapping[str, Entry] | None, catalogue: Mapping[str, Entry]
) -> dict[str, Entry]:
    if given is None:
        return dict(catalogue)
    if isinstance(given, Mapping):
        return dict(given)
    for name in given:
        if name not in catalogue:
            raise InputError(str(unknown_name(f"{what} of the catalogue", name, catalogue)))
    return {name: catalogue[name] for name in given}


def _turning(mechanism: Mechanism, joints: Sequence[str] | None) -> list[int]:
    """Entries of v."""
    units = [joint.units[k] for joint in mechanism.model.joints for k in range(joint.nv)]
    if joints is None:
        found = [k for k, unit in enumerate(units) if unit == "rad"]
        if not found:
            raise InputError(f"'{mechanism.name}': no joint turns, and the catalogue's gears do.")
        return found
    entries = []
    for name in joints:
        if name not in mechanism.v_labels:
            raise unknown_name("coordinate", name, mechanism.v_labels)
        k = mechanism.v_labels.index(name)
        if units[k] != "rad":
            raise InputError(f"'{name}' slides: the catalogue's gears are for joints that turn.")
        entries.append(k)
    return entries


def _reflected(mechanism: Mechanism, k: int) -> float:
    """Inertia of the model's own rotor at entry k of v, kg m² at the joint."""
    for body, slot in zip(mechanism.model.bodies, mechanism.model.slots, strict=True):
        if slot.v.start <= k < slot.v.stop and body.joint.rotors:
            return float(body.joint.rotors[k - slot.v.start].reflected)
    return 0.0
