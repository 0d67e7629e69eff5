"""The state of the laboratory and what its commands do to it, without any typing or printing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from armillary.analysis.time_constants import TimeConstants, time_constants
from armillary.cli.laboratory.tables import begins_with_time, table
from armillary.cli.laboratory.variables import GRAVITY, NUMBER, VARIABLES, VECTOR
from armillary.cli.signals import held_voltages
from armillary.errors import InputError, ModelError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.mechanism import Mechanism, example, example_names, load
from armillary.sim.actuators.dc_motor import DCMotor
from armillary.sim.loop.simulate import simulate
from armillary.sim.motion.schedules import Inputs, Schedule
from armillary.sim.record.run import Run

SAMPLE = "direct-drive"
Value = float | str | Array
Progress = Callable[[float, float], None]


class Laboratory:
    """An arm with motors, the variables that are tied to it, and the simulation so far."""

    def __init__(self, arm: Mechanism):
        self.run: Run | None = None
        self.values: dict[str, Value] = {
            "gravity": GRAVITY,
            "DACTimePeriod": 1e-3,
            "step": 1e-3,
            "method": "rk3",
            "payload": 0.0,
            "angles": "rad",
            "digits": "10",
        }
        self.take(arm)

    # -- the arm -------------------------------------------------------------------------------

    def take(self, arm: Mechanism) -> None:
        """Another arm; its vectors begin at zero, what was simulated goes."""
        if arm.constraints or arm.nq != arm.nv:
            raise ModelError(
                f"'{arm.name}': the laboratory takes arms: trees whose joints have plain "
                f"coordinates. Use `armillary simulate` for other mechanisms."
            )
        DCMotor(arm)  # says which motors are missing
        self.arm, self.run = arm, None
        self._vectors = {name: np.zeros(arm.nv) for name in ("theta", "omega", "alpha", "voltage")}
        self._changed()

    def database_read(self, name: str) -> Mechanism:
        """An arm from a file (native, parts, Denavit-Hartenberg, URDF) or built in."""
        arm = example(name) if name in example_names() else load(name)
        self.take(arm)
        return arm

    def _changed(self) -> None:
        """The machine with gravity and payload of today."""
        machine = self.arm.replace(gravity=(0.0, 0.0, float(self.values["gravity"])))
        payload = float(self.values["payload"])
        if payload:
            hand = self.arm.bodies[-1]
            frame = f"{hand}_dh"
            at = machine.model.frame(frame).pose if frame in machine.model.frame_index else None
            machine = machine.attach(hand, payload, at=at)
        self.machine = machine
        self.motors = DCMotor(machine)

    # -- variables -----------------------------------------------------------------------------

    def get(self, name: str) -> Value:
        """In SI units."""
        self._known(name)
        if name in self.values:
            return self.values[name]
        if name == "torque":
            nothing = [0.0] * self.arm.nv
            found = self.motors.force(0.0, nothing, self._list("omega"), [], self._list("voltage"))
            return np.array([float(x) for x in found])
        return self._vectors["voltage" if name == "DACOut" else name].copy()

    def set(self, name: str, words: Sequence[str]) -> None:
        """From what was typed; angles as `angles` says."""
        self._known(name)
        variable = VARIABLES[name]
        if variable.kind == VECTOR:
            self.put(name, self.from_shown(name, _numbers(name, words, self.arm.nv)))
            return
        if len(words) != 1:
            raise InputError(f"{name}: expected one value, found {len(words)}.")
        if variable.kind == NUMBER:
            (value,) = _numbers(name, words, 1)
            if variable.least is not None and not value > variable.least:
                raise InputError(f"{name}: expected a positive number ({variable.unit}).")
            self.values[name] = float(value)
            self._changed()
        elif words[0] not in variable.choices:
            raise InputError(
                f"{name}: expected one of {', '.join(variable.choices)}, found '{words[0]}'."
            )
        else:
            self.values[name] = words[0]

    def put(self, name: str, value: Array) -> None:
        """A vector, in SI units.  The torque of a motor belongs to a voltage at this velocity."""
        if name == "torque":
            self._vectors["voltage"] = self.motors.inverse(self._vectors["omega"], value).voltage
        else:
            self._vectors["voltage" if name == "DACOut" else name] = np.array(value, float)

    def from_shown(self, name: str, value: Array) -> Array:
        return np.radians(value) if self._in_degrees(name) else value

    def shown(self, name: str) -> tuple[Value, str]:
        """The value as people see it, and its unit."""
        return self.in_units(name, self.get(name))

    def in_units(self, name: str, value: Any) -> tuple[Any, str]:
        """A value of this variable (SI) as people see it, and its unit."""
        unit = VARIABLES[name].unit
        if self._in_degrees(name):
            return np.degrees(value), unit.replace("rad", "deg")
        return value, unit

    @property
    def digits(self) -> int:
        """Of a number that is shown."""
        return int(str(self.values["digits"]))

    def _in_degrees(self, name: str) -> bool:
        return VARIABLES[name].angle and self.values["angles"] == "deg"

    def _list(self, name: str) -> list[float]:
        return [float(x) for x in self._vectors[name]]

    def _known(self, name: str) -> None:
        if name not in VARIABLES:
            raise unknown_name("variable", name, VARIABLES)

    # -- commands ------------------------------------------------------------------------------

    def inverse_arm(self) -> None:
        """torque and voltage of theta, omega and alpha."""
        theta, omega, alpha = (self._vectors[name] for name in ("theta", "omega", "alpha"))
        self.put("torque", self.machine.inverse_dynamics(theta, omega, alpha))

    def inverse_arm_of_file(self, path: str) -> tuple[Array, Array]:
        """Torques and voltages (T, N) of many data sets: columns theta, omega, alpha, each of N."""
        rows = table(path, 3 * self.arm.nv, "theta, omega and alpha of every joint")
        n = self.arm.nv
        theta, omega, alpha = (
            self.from_shown(name, rows[:, k * n : (k + 1) * n])
            for k, name in enumerate(("theta", "omega", "alpha"))
        )
        torque = self.machine.inverse_dynamics(theta, omega, alpha)
        return torque, self.motors.inverse(omega, torque).voltage

    def forward_arm(self) -> None:
        """alpha of theta, omega and voltage."""
        torque = self.get("torque")
        theta, omega = self._vectors["theta"], self._vectors["omega"]
        self._vectors["alpha"] = self.machine.forward_dynamics(theta, omega, torque)

    def simulate(
        self,
        new: bool,
        zero: bool,
        schedule: str | None,
        steps: int | None,
        progress: Progress | None = None,
    ) -> Run:
        """Go on from theta and omega under a schedule of voltages or the constant voltage."""
        step = float(self.values["step"])
        before = None if new else self.run
        begin = 0.0 if before is None else float(before.time[-1])
        if steps is not None and steps > 0:
            times, rows = np.array([begin]), self._vectors["voltage"][None]
            duration = step * steps
        elif schedule is not None:
            times, rows = self.schedule(schedule, begin)
            duration = float(times[-1]) - begin + float(self.values["DACTimePeriod"])
        else:
            raise InputError(f"steps: expected a positive number of time steps, found {steps}.")
        run = simulate(
            self.machine,
            np.zeros(self.arm.nv) if zero else self._vectors["theta"],
            np.zeros(self.arm.nv) if zero else self._vectors["omega"],
            duration,
            step,
            str(self.values["method"]),
            voltages=self._held(times, rows),
            record=("q", "v", "a", "tau", "voltage"),
            t0=begin,
            progress=progress,
        )
        if not len(run):
            raise InputError(f"{run.message or 'stopped'}: nothing was simulated.")
        self.run = run if before is None else _joined(before, run, self.machine)
        self._vectors["theta"], self._vectors["omega"] = run.q[-1].copy(), run.v[-1].copy()
        self._vectors["alpha"] = run.a[-1].copy()
        last = int(np.searchsorted(times, float(run.time[-1]) - 1e-9 * step, side="right")) - 1
        self._vectors["voltage"] = rows[max(last, 0)].copy()
        return run

    def schedule(self, path: str, begin: float = 0.0) -> tuple[Array, Array]:
        """Instants (T,) and voltages (T, N) that stay until the next row.  A file with a head,
        `time` and joints, is what `armillary simulate --schedule` takes: joints without a column
        keep their voltage.  Without times every row lasts DACTimePeriod."""
        labels = self.arm.v_labels
        if not begins_with_time(path):
            rows = table(path, self.arm.nv, "the voltage of every motor")
            period = float(self.values["DACTimePeriod"])
            return np.asarray(begin + period * np.arange(len(rows)), float), rows
        given = held_voltages(Path(path), begin)
        if wrong := next((name for name in given if name not in labels), None):
            raise unknown_name(f"joint (a column of {path})", wrong, labels)
        times = next(iter(given.values())).times
        own = dict(zip(labels, self._list("voltage"), strict=True))
        columns = [given[x].values if x in given else np.full(len(times), own[x]) for x in labels]
        return times, np.stack(columns, axis=1)

    def _held(self, times: Array, rows: Array) -> Inputs:
        """Voltages that stay until the next row."""
        if len(rows) == 1:
            return dict(zip(self.arm.v_labels, rows[0].tolist(), strict=True))
        return {
            joint: Schedule(times, rows[:, k], kind="hold", hold=True)
            for k, joint in enumerate(self.arm.v_labels)
        }

    def time_constants(self, zero: bool = False) -> TimeConstants:
        """Of the arm with its payload and motors, at theta or with all angles zero."""
        theta = self._vectors["theta"]
        return time_constants(self.machine, np.zeros_like(theta) if zero else theta)

    def simulated(self) -> Run:
        """What was simulated so far."""
        if self.run is None:
            raise InputError("nothing was simulated yet. Type `simulate` first.")
        return self.run


def _joined(one: Run, two: Run, machine: Mechanism) -> Run:
    """One run after the other; the instant between them belongs to the first."""
    time = np.concatenate([one.time, two.time[1:]])
    arrays = {name: np.concatenate([one[name], two[name][1:]]) for name in two.names}
    events = [*one.events, *two.events]
    run = Run(
        two.mechanism_name,
        time,
        arrays,
        two.labels,
        two.units,
        two.method,
        two.step,
        two.message,
        two.complete,
        events,
        two.state,
    )
    run.simulated = machine
    return run


def _numbers(name: str, words: Sequence[str], count: int) -> Array:
    if len(words) != count:
        joints = f", one for each joint ({count})" if count > 1 else ""
        raise InputError(f"{name}: expected {count} numbers{joints}; found {len(words)}.")
    try:
        found = np.array([float(word) for word in words])
    except ValueError as fault:
        raise InputError(f"{name}: expected numbers; {fault}.") from None
    if not np.isfinite(found).all():
        raise InputError(f"{name}: expected finite numbers.")
    return found
