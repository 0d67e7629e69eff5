"""What engineers read off a drive: loads, load transfer, roll-over index, off-tracking, yaw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.shown import drawn, shown
from armillary.sim.record.run import Run
from armillary.vehicles.vehicle import Vehicle

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DIFFERENCES = 3  # instants of second differences at the least
_STRAIGHT = 1e-3  # m/s² of lateral acceleration: less is rounding of the path's differences


@shown
@dataclass(frozen=True, eq=False)
class Drive:
    """A run of a vehicle.  Accelerations and rates are those of the centre of a unit's mass and of
    its body; lateral is along the unit's y axis on the ground, to the left (ISO 8855)."""

    vehicle: Vehicle
    run: Run
    title: str = ""

    @property
    def time(self) -> Array:
        return self.run.time

    # -- motion of the units -----------------------------------------------------------------------

    @cached_property
    def _poses(self) -> tuple[Array, Array]:
        """Rotations (T, n, 3, 3) and origins (T, n, 3) of all bodies."""
        R, p = self.vehicle.mechanism.poses(self.run.q)
        return np.asarray(R), np.asarray(p)

    def _body(self, name: str) -> int:
        bodies = list(self.vehicle.mechanism.bodies)
        if name not in bodies:
            raise unknown_name("body", name, bodies)
        return bodies.index(name)

    def heading(self, unit: str = "") -> Array:
        """Yaw angle, rad, without jumps."""
        R = self._poses[0][:, self._body(unit or self.vehicle.chassis)]
        return np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0]))

    def roll(self, unit: str = "") -> Array:
        """Roll angle of the body, rad, positive to the right side down."""
        R = self._poses[0][:, self._body(unit or self.vehicle.chassis)]
        return np.arctan2(R[:, 2, 1], R[:, 2, 2])

    def yaw_rate(self, unit: str = "") -> Array:
        """rad/s."""
        name = unit or self.vehicle.chassis
        return np.asarray(self.vehicle.mechanism.velocity(self.run.q, self.run.v, name))[:, 2]

    def _center(self, unit: str) -> Array:
        """Path of the centre of mass of a unit's body, m."""
        k = self._body(unit)
        R, p = (x[:, k] for x in self._poses)
        com = np.asarray(self.vehicle.mechanism.model.bodies[k].mass.com, float)
        return p + R @ com

    def speed(self, unit: str = "") -> Array:
        """Forward, m/s."""
        name = unit or self.vehicle.chassis
        return np.asarray(self.vehicle.mechanism.velocity(self.run.q, self.run.v, name))[:, 3]

    def lateral_acceleration(self, unit: str = "") -> Array:
        """m/s², of the centre of mass of the unit's body, by differences of its path."""
        name = unit or self.vehicle.chassis
        if len(self.time) < _DIFFERENCES:
            return np.full(len(self.time), math.nan)
        path, t, yaw = self._center(name)[:, :2], self.time, self.heading(name)
        a = np.gradient(np.gradient(path, t, axis=0, edge_order=2), t, axis=0, edge_order=2)
        return -np.sin(yaw) * a[:, 0] + np.cos(yaw) * a[:, 1]

    # -- loads -------------------------------------------------------------------------------------

    def tyre(self, name: str, quantity: str) -> Array:
        """A recorded quantity of a tyre: "Fz", "slip_angle", ..."""
        labels = self.run.labels.get("tyres", ())
        label = f"{name}.{quantity}"
        if label not in labels:
            raise unknown_name("quantity of a tyre", label, labels)
        return self.run["tyres"][:, labels.index(label)]

    @cached_property
    def wheel_loads(self) -> dict[str, Array]:
        """Vertical force of every wheel over time, N."""
        if self.vehicle.rolling:
            raise InputError(
                f"'{self.vehicle.name}' rolls without slip: its wheels have no tyres. Record "
                f"'wheel_forces', or give it tyres."
            )
        pairs = zip(self.vehicle.wheels, self.vehicle.tyres, strict=True)
        return {wheel: self.tyre(tyre, "Fz") for wheel, tyre in pairs}

    def load_transfer(self, unit: str = "") -> Array:
        """(right - left) / (right + left) of a unit's wheel loads: ± 1 where a side has lifted."""
        name = unit or self.vehicle.units[0]
        if name not in self.vehicle.sides:
            raise unknown_name("unit with wheels on both sides", name, self.vehicle.sides)
        left, right = self.vehicle.sides[name]
        a, b = (np.sum([self.wheel_loads[w] for w in side], axis=0) for side in (left, right))
        return (b - a) / np.maximum(a + b, 1e-9)

    @cached_property
    def roll_over_index(self) -> Array:
        """Greatest |load transfer| of the units over time."""
        return np.max([np.abs(self.load_transfer(unit)) for unit in self.vehicle.sides], axis=0)

    def roll_over_warning(self, threshold: float = 0.8) -> tuple[float | None, float | None]:
        """When the index first exceeds the threshold, and when a whole side of a unit is off the
        road, s; None: never."""
        warned = np.flatnonzero(self.roll_over_index > threshold)
        lifted = np.flatnonzero(self.roll_over_index > 1.0 - 1e-6)
        first = [round(float(self.time[x[0]]), 9) if len(x) else None for x in (warned, lifted)]
        return first[0], first[1]

    # -- trains ------------------------------------------------------------------------------------

    def _axle_path(self, wheels: list[str]) -> Array:
        """Between two wheels, on the ground, m."""
        p = self._poses[1]
        return np.mean([p[:, self._body(self.vehicle.wheel_bodies[w]), :2] for w in wheels], axis=0)

    @cached_property
    def off_tracking(self) -> dict[str, float]:
        """How far the last axle of every unit leaves the path of the first axle of all, m, where it
        goes beside that path; NaN: it has not come there yet."""
        front = self._axle_path(list(self.vehicle.wheels[:2]))
        found = {}
        for unit, sides in self.vehicle.sides.items():
            last = self._axle_path([sides[0][-1], sides[1][-1]])
            away = [distance_beside(front, p) for p in last[len(last) // 20 :: 5]]
            found[unit] = max((x for x in away if x is not None), default=math.nan)
        return found

    @property
    def rearward_amplification(self) -> float:
        """Peak lateral acceleration of the last unit over that of the first (ISO 14791); NaN where
        the first one goes straight on."""
        units = self.vehicle.units
        first, last = (_peak(self.lateral_acceleration(unit)) for unit in (units[0], units[-1]))
        return last / first if first > _STRAIGHT else math.nan

    def understeer_gradient(self) -> float:
        """Slope of  delta - L r / v  over the lateral acceleration, rad/(m/s²), in the later two
        thirds of a slow ramp."""
        vehicle = self.vehicle
        if not vehicle.steering:
            raise InputError(
                f"understeer_gradient: '{vehicle.name}' has no steering. Take a vehicle whose "
                f"wheels are steered."
            )
        k = list(vehicle.mechanism.q_labels).index(vehicle.steering)
        delta = self.run.q[:, k] * vehicle.steering_gain
        ay = self.yaw_rate() * self.speed()
        late = (self.time > self.time[-1] / 3.0) & (np.abs(ay) > 0.1)
        if late.sum() < 10:
            raise InputError(
                "understeer_gradient: the drive hardly turns (lateral acceleration below 0.1 m/s²)."
                " Take a ramp of the steering angle."
            )
        extra = delta - vehicle.wheelbase * self.yaw_rate() / self.speed()
        return float(np.polyfit(ay[late], extra[late], 1)[0])

    # -- to look at --------------------------------------------------------------------------------

    def rows(self) -> list[tuple[str, float, str]]:
        """(quantity, greatest size, unit)."""
        rows = [
            ("speed at the end", float(self.speed()[-1]), "m/s"),
            ("yaw rate", float(np.abs(self.yaw_rate()).max()), "rad/s"),
            ("lateral acceleration", _peak(self.lateral_acceleration()), "m/s²"),
            ("roll angle", float(np.abs(self.roll()).max()), "rad"),
        ]
        if not self.vehicle.rolling and self.vehicle.sides:
            rows.append(("load transfer", float(self.roll_over_index.max()), "1"))
        if not self.vehicle.rolling:
            least = min(float(x.min()) for x in self.wheel_loads.values())
            rows.append(("least wheel load", least, "N"))
        if len(self.vehicle.units) > 1:
            last = self.vehicle.units[-1]
            rows.append((f"off-tracking of {last}", self.off_tracking.get(last, math.nan), "m"))
            rows.append(("rearward amplification", self.rearward_amplification, "1"))
        return [row for row in rows if not math.isnan(row[1])]

    def __str__(self) -> str:
        lines = [f"{self.vehicle.name}, {self.title}: greatest values until {self.time[-1]:g} s"]
        lines += [f"  {name:28} {number:10.4g} {unit}" for name, number, unit in self.rows()]
        notes = [event for event in self.run.events if event[1] not in self.run.message]
        lines += [f"  NOTE: {text} (t = {t:.4g} s)" for t, text in notes]
        if not self.vehicle.rolling and self.vehicle.sides:
            warned, lifted = self.roll_over_warning()
            if warned is not None:
                end = f"; a side lifts at {lifted:.3g} s" if lifted is not None else ""
                lines.append(f"  WARNING: load transfer above 0.8 from {warned:.3g} s on{end}")
        if not self.run.complete:
            lines.append(f"  the run is not complete: {self.run.message}")
        return "\n".join(lines)

    def plot(self) -> Figure:
        """Paths seen from above, yaw rate and lateral acceleration, wheel loads."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.0, 6.5), layout="constrained")
        above, turning, across, loads = figure.subplots(2, 2).flat
        for unit in self.vehicle.units:
            path = self._center(unit)
            above.plot(path[:, 0], path[:, 1], label=drawn(unit))
            turning.plot(self.time, self.yaw_rate(unit), label=drawn(unit))
            across.plot(self.time[5:-5], self.lateral_acceleration(unit)[5:-5], label=drawn(unit))
        above.set(xlabel="x [m]", ylabel="y [m]", title="from above")
        turning.set(xlabel="time [s]", ylabel="yaw rate [rad/s]")
        across.set(xlabel="time [s]", ylabel="lateral acceleration [m/s²]")
        if not self.vehicle.rolling:
            for wheel, load in self.wheel_loads.items():
                loads.plot(self.time, load, label=drawn(wheel))
            loads.set(xlabel="time [s]", ylabel="wheel load [N]")
            loads.legend(fontsize=6, ncols=2)
        else:
            loads.set_axis_off()
        if len(self.vehicle.units) > 1:
            above.legend(fontsize=7)
        figure.suptitle(drawn(f"{self.vehicle.name}, {self.title}"))
        return figure


def _peak(x: Array) -> float:
    """Greatest size, without the ends, where differences are one-sided; NaN: it is too short."""
    return float(np.abs(x[5:-5]).max()) if len(x) > 2 * 5 else math.nan


def distance_beside(path: Array, point: Array) -> float | None:
    """Of a point from a line of points, m; None where an end of the line is the nearest of it."""
    a, b = path[:-1], path[1:]
    d = b - a
    length2 = np.maximum(np.sum(d * d, axis=1), 1e-300)
    s = np.sum((point - a) * d, axis=1) / length2
    near = np.clip(s, 0.0, 1.0)[:, None]
    away = np.sqrt(np.sum((a + near * d - point) ** 2, axis=1))
    k = int(away.argmin())
    beyond = (k == 0 and s[0] < 0.0) or (k == len(s) - 1 and s[-1] > 1.0)
    return None if beyond else float(away[k])
