"""Kinematics of an axle: camber, toe, track, roll centre, motion ratio, wheel rate,
steering axis, anti-dive, over wheel travel, roll of the body or steering.

Axes are ISO 8855 (x forward, y left, z up), fixed in the chassis.  Camber is positive with the
wheel's top outward, toe positive toe-in, steer positive to the left, travel positive in bump; rad,
m, N.  Rubber and leaf springs are at static rest at every place.  What forces on the wheels do to
such an axle is in compliance.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.model.arguments import check_arguments
from armillary.vehicles.axle import Axle
from armillary.vehicles.curves import Column, Curves
from armillary.vehicles.rig import CENTERS, SIDES, Rig

_STEP = 1e-5  # m, of the wheel rate's differences
Sweep = float | Sequence[float] | Array


@check_arguments
def kinematics(
    axle: Axle | str = "double wishbone",
    *,
    travel: Sweep = 0.0,
    roll: Sweep = 0.0,
    steer: Sweep = 0.0,
) -> Curves:
    """Curves of an axle over the one of travel, roll and steer that is a list.

    travel: of both wheels, m, up is positive; roll: of the body, rad, its left side up is positive
    (the left wheel goes down in it); steer: of the rack, m, or of the trapezoid's left kingpin,
    rad, to the left positive.  With none given: travel from -60 to 60 mm."""
    if isinstance(axle, str):
        axle = Axle(axle)
    rig = Rig(axle)
    given = {"travel": travel, "roll": roll, "steer": steer}
    over, points = sweep(given, np.linspace(-0.06, 0.06, 25))
    at = posts_at(axle, rig, points)
    return _curves(axle, rig, over, points, _numbers(rig, at), _numbers(rig, np.zeros((1, 3))))


def sweep(given: Mapping[str, Sweep], usual: Array) -> tuple[str, dict[str, Array]]:
    """The one of the numbers that is a list, and all of them as lists of its length.  usual: values
    of the first one where nothing is given."""
    arrays = {}
    for name, value in given.items():
        try:
            arrays[name] = np.atleast_1d(np.asarray(value, dtype=float))
        except (TypeError, ValueError):
            raise InputError(f"{name}: expected a number or a list, found {value!r:.60}.") from None
        if arrays[name].ndim != 1 or not len(arrays[name]) or not np.isfinite(arrays[name]).all():
            raise InputError(f"{name}: expected finite numbers in one list.")
    lists = [name for name, value in given.items() if np.ndim(value) == 1]
    if len(lists) > 1:
        *most, last = given
        raise InputError(
            f"one of {', '.join(most)} and {last} is a list; found {' and '.join(lists)}."
        )
    first = next(iter(given))
    if not lists and not any(np.any(x) for x in arrays.values()):
        lists, arrays[first] = [first], usual
    over = lists[0] if lists else first
    n = len(arrays[over])
    return over, {name: np.broadcast_to(x, n) for name, x in arrays.items()}


def posts_at(axle: Axle, rig: Rig, points: dict[str, Array]) -> Array:
    """Places (B, 3) of the rig for travel, roll and steer; the wheels stay on a level road while
    the body rolls about its middle."""
    if np.any(points["steer"]) and not rig.parts.steering:
        raise InputError(f"{axle.title} is not steered: leave steer out, or give it a Rack.")
    lift = 0.5 * axle.track * np.tan(points["roll"])
    return np.stack([points["travel"] - lift, points["travel"] + lift, points["steer"]], axis=1)


def _numbers(rig: Rig, at: Array) -> dict[str, Array]:
    """Everything at many places (B, 3), by name; of a side with its name in front."""
    q = rig.places(at)
    v = rig.motions(q)
    rows: dict[str, Array] = {}
    contacts, rates = [], []
    for k, side in enumerate(SIDES):
        hub = _Hub(rig, q, v, k)
        found = hub.angles() | hub.places()
        if rig.parts.steering:
            found |= hub.steering_axis()
        found["motion ratio"] = _motion_ratio(rig, q, v, k)
        rows |= {f"{side} {name}": x for name, x in found.items()}
        contacts.append(hub.contact)
        rates.append(hub.roll_rate)
    rows |= _roll_center(contacts, rates)
    rows |= _wheel_rates(rig, at)
    return rows


def wheel_angles(axis: Array, side: float) -> dict[str, Array]:
    """Camber, toe and steer (rad) of wheels by their axes (B, 3)."""
    x, y, z = axis.T
    steer = np.arctan2(-x, y)
    camber = -side * np.arctan2(z, np.hypot(x, y))
    return {"camber": camber, "toe": -side * steer, "steer": steer}


class _Hub:
    """The hub of one side: its wheel's axis, centre and contact, and how they move; rows (B, 3)."""

    def __init__(self, rig: Rig, q: Array, v: Array, k: int):
        m, corner = rig.mechanism, rig.parts.corners[k]
        self.side = corner.side
        self.center = np.asarray(m.pose(q, CENTERS[k])[1])
        self.axis = rig.wheel_axes(q, k)
        self.arm = rig.contact_arms(q, k)
        self.contact = self.center + self.arm
        motions = (v[:, :, 0] + v[:, :, 1], v[:, :, 0] - v[:, :, 1], _turning(rig, q, v))
        self.bump, self.rolling, self.turn = (
            np.asarray(m.velocity(q, x, CENTERS[k], coordinates="world_aligned")) for x in motions
        )

    @property
    def contact_rate(self) -> Array:
        """Velocity of the contact point, fixed in the hub (the wheel locked), per travel of both
        wheels."""
        return self._at_contact(self.bump)

    @property
    def roll_rate(self) -> Array:
        """The same per opposed travel, the left wheel up."""
        return self._at_contact(self.rolling)

    def _at_contact(self, motion: Array) -> Array:
        return np.asarray(motion[:, 3:] + np.cross(motion[:, :3], self.arm))

    def angles(self) -> dict[str, Array]:
        return wheel_angles(self.axis, self.side)

    def places(self) -> dict[str, Array]:
        rate = self.contact_rate
        return {
            "contact x": self.contact[:, 0],
            "half-track": self.side * self.contact[:, 1],
            "contact slope": rate[:, 0] / rate[:, 2],
            "center slope": self.bump[:, 3] / self.bump[:, 5],
            "lateral slope": self.side * rate[:, 1] / rate[:, 2],
        }

    def steering_axis(self) -> dict[str, Array]:
        """Axis of the hub's turning, the struts being held, against the contact point."""
        w, u = self.turn[:, :3], self.turn[:, 3:]
        size = np.linalg.norm(w, axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            n = w / size * np.sign(w[:, 2:])
            point = self.center + np.cross(w, u) / size**2  # on the axis, nearest to the centre
            away = point + n * (self.contact[:, 2:] - point[:, 2:]) / n[:, 2:] - self.contact
        along = np.cross(self.axis, [0.0, 0.0, 1.0])
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        outward = self.side * np.cross([0.0, 0.0, 1.0], along)
        return {
            "caster": np.arctan2(-n[:, 0], n[:, 2]),
            "kingpin": np.arctan2(-self.side * n[:, 1], n[:, 2]),
            "trail": np.sum(away * along, axis=1),
            "scrub": -np.sum(away * outward, axis=1),
        }


def _turning(rig: Rig, q: Array, v: Array) -> Array:
    """Velocities (B, nv) of steering with both struts at their lengths (without struts: with both
    wheels' centres at their heights)."""
    names = [corner.struts[0] for corner in rig.parts.corners if corner.struts]
    if len(names) < 2 or not rig.parts.steering:
        return np.asarray(v[:, :, 2])
    forces = [rig.mechanism.element_forces(q, v[:, :, k]) for k in range(3)]
    rows = [forces[0].names.index(name) for name in names]
    rates = np.stack([f.along[:, rows, 2] for f in forces], axis=2)  # (B, strut, motion)
    back = np.linalg.solve(rates[:, :, :2], -rates[:, :, 2:])
    return np.asarray(v[:, :, 2] + (v[:, :, :2] @ back)[:, :, 0])


def _motion_ratio(rig: Rig, q: Array, v: Array, k: int) -> Array:
    """Shortening of the strut per travel of both wheels."""
    struts = rig.parts.corners[k].struts
    if not struts:
        return np.full(len(q), np.nan)
    forces = rig.mechanism.element_forces(q, v[:, :, 0] + v[:, :, 1])
    return -np.asarray(forces.along[:, forces.names.index(struts[0]), 2])


def _roll_center(contacts: list[Array], rates: list[Array]) -> dict[str, Array]:
    """Where the lines to both contact points' instant centres meet, in the plane across: each goes
    through the contact point, square to its velocity in bump.  Where both are the same line, its
    point in the middle of the car."""
    A = np.stack([rate[:, 1:] for rate in rates], axis=1)  # (B, 2, 2)
    b = np.stack(
        [np.sum(r[:, 1:] * c[:, 1:], axis=1) for r, c in zip(rates, contacts, strict=True)]
    )
    y, z = (np.linalg.pinv(A, rcond=1e-9) @ b.T[:, :, None])[:, :, 0].T
    return {"roll centre y": y, "roll centre z": z}


def _wheel_rates(rig: Rig, at: Array) -> dict[str, Array]:
    """Loads of the posts, their change in parallel travel and in opposed travel."""
    rows = dict(zip((f"{side} load" for side in SIDES), rig.loads(at).T, strict=True))
    for word, way in (("rate", (1.0, 1.0)), ("roll rate", (1.0, -1.0))):
        step = _STEP * np.array([*way, 0.0])
        change = (rig.loads(at + step) - rig.loads(at - step)) / (2.0 * _STEP)
        for side, c, w in zip(SIDES, change.T, way, strict=True):
            rows[f"{side} wheel {word}"] = c * w
    return rows


# column -> (unit, what it becomes in SAE axes)
_COLUMNS = {
    "camber": ("rad", 1.0),
    "toe": ("rad", 1.0),
    "steer": ("rad", -1.0),
    "caster": ("rad", 1.0),
    "kingpin": ("rad", 1.0),
    "trail": ("m", 1.0),
    "scrub": ("m", 1.0),
    "motion ratio": ("", 1.0),
    "load": ("N", 1.0),
    "wheel rate": ("N/m", 1.0),
    "wheel roll rate": ("N/m", 1.0),
    "contact slope": ("", 1.0),
    "center slope": ("", 1.0),
    "lateral slope": ("", 1.0),
}


def _curves(
    axle: Axle,
    rig: Rig,
    over: str,
    points: dict[str, Array],
    rows: dict[str, Array],
    zero: dict[str, Array],
) -> Curves:
    unit = "m" if over == "travel" or (over == "steer" and rig.parts.steering == "rack") else "rad"
    swept = "steering" if over == "steer" else over
    columns = {swept: Column(points[over], unit)}
    for name, (own, sign) in _COLUMNS.items():
        for side in SIDES:
            label = f"{side} {name}"
            if label in zero:
                columns[label] = Column(rows[label], own, sign)
    for side in SIDES:
        for label, source in (
            ("half-track change", "half-track"),
            ("wheelbase change", "contact x"),
        ):
            key = f"{side} {source}"
            change = rows[key] - zero[key]
            columns[f"{side} {label}"] = Column(change, "m", 1.0)
    for name in ("y", "z"):
        key = f"roll centre {name}"
        columns[key] = Column(rows[key], "m", -1.0)
    return Curves(axle.title, swept, columns)


def design_ratios(rig: Rig) -> tuple[float, float]:
    """At the design position: motion ratio of the left strut, and rise of the contact point per
    rise of the wheel's centre; both wheels travel."""
    at = np.zeros((1, 3))
    q = rig.places(at)
    v = rig.motions(q)
    hub = _Hub(rig, q, v, 0)
    return float(_motion_ratio(rig, q, v, 0)[0]), float(hub.contact_rate[0, 2])


def steering_gain(axle: Axle) -> float:
    """Mean angle of both wheels per unit of the steering at the design position: rad/m or 1."""
    rig, step = Rig(axle), 1e-4
    q = rig.places(np.array([[0.0, 0.0, -step], [0.0, 0.0, step]]))
    turned = 0.0
    for k in range(len(rig.parts.corners)):
        axis = rig.wheel_axes(q, k)
        turned += np.diff(np.arctan2(-axis[:, 0], axis[:, 1]))[0]
    return float(turned / (4.0 * step))
