"""A vehicle of any mechanism on wheels: its chassis, wheels and steering are found in the model.

For files that a person wrote or edited; the vehicles of this room know all of it already.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import check_arguments
from armillary.model.elements.tyre import Tyre
from armillary.model.parts import WORLD
from armillary.vehicles.vehicle import Vehicle

_WORDS = ("rack", "steer", "fork", "left-knuckle", "knuckle")  # of steering coordinates
_TURNS = 1e-6  # rad per unit: less is no steering
_ROW = 0.02  # m: wheels that are nearer along x stand on one axle


@check_arguments
def from_mechanism(
    mechanism: Mechanism,
    *,
    chassis: str = "",
    steering: str | None = None,
    driven: Sequence[str] | None = None,
    units: Sequence[str] = (),
    held: Sequence[str] = (),
) -> Vehicle:
    """The vehicle that a mechanism is: `drive` and all that is read off need it.

    Wheels are the bodies with tyres (else those that roll without slip) on joints of their own; the
    chassis is the body that carries them all, on a free or planar joint.  steering: the coordinate
    that steers (None: found by its name, such as "rack" or "steer"; "": none); driven: joints of
    wheels with drive torque (None: all of the chassis); units: chassis of the tractor and its
    trailers (none: bodies with wheels on both sides that turn freely behind another are trailers);
    held: joints of what it carries, an arm, which motors hold still in drives (else it moves)."""
    m = mechanism
    for name in held:
        if name not in m.v_labels or name not in m.q_labels:
            raise unknown_name("hinge or slide", name, set(m.v_labels) & set(m.q_labels))
    rims = _rims(m)
    root = chassis or _root(m, rims)
    for name in (root, *units):
        if name not in m.bodies:
            raise unknown_name("body", name, m.bodies)
    chosen = _steering(m) if steering is None else steering
    places = _places(m, root, rims)
    units = tuple(units) or _pulled(m, root, rims, places[:, 1], chosen)
    order = sorted(range(len(rims)), key=lambda k: (-round(places[k, 0] / _ROW), -places[k, 1]))
    rims, places = [rims[k] for k in order], places[order]
    wheels = [joint for joint, _, _ in rims]
    for name in () if driven is None else driven:
        if name not in wheels:
            raise unknown_name("wheel", name, wheels)
    own = [k for k, (_, body, _) in enumerate(rims) if _unit(m, body, (root, *units)) == root]
    axles, tracks = _axles(places[own])
    rolling = not any(isinstance(rim, Tyre) for _, _, (_, rim) in rims)
    turning = _Turning(m, root, rims) if chosen else None
    return Vehicle(
        m,
        tuple(wheels),
        tuple(name for _, _, (name, _) in rims),
        _radii(m, rims, rolling),
        axles=axles,
        tracks=tracks,
        steering=chosen,
        steering_gain=turning.gain(chosen, places) if turning else 0.0,
        steered=turning.one_by_one(chosen, places) if turning else (),
        driven=tuple(wheels[k] for k in own) if driven is None else tuple(driven),
        chassis=root,
        units=(root, *(name for name in units if name != root)),
        rolling=rolling,
        about="read off its wheels",
        held=tuple(held),
    )


class _Round(Protocol):
    @property
    def radius(self) -> float: ...


_Rim = tuple[str, str, tuple[str, _Round]]  # joint, body, (name, tyre or rolling wheel)


def _rims(m: Mechanism) -> list[_Rim]:
    model = m.model
    joint_of = {body.name: body.joint for body in model.bodies}
    found: list[tuple[str, tuple[str, Any]]] = [
        (part.ends[1].body, (part.name, part.law))
        for part in model.elements
        if isinstance(part.law, Tyre)
    ]
    found = found or [(w.body, (w.name, w)) for w in model.wheels if w.kind == "disc"]
    rims = [
        (joint_of[body].name, body, rim) for body, rim in found if joint_of[body].name in m.v_labels
    ]
    if not rims:
        raise InputError(
            f"'{m.name}' is no vehicle: no body on a hinge of its own has a tyre or rolls. Give it "
            f"tyres (`type: tyre` under `forces:`), or `wheels:`."
        )
    return rims


def _root(m: Mechanism, rims: list[_Rim]) -> str:
    """The body on a free or planar joint above the wheels."""
    model = m.model
    k = model.index[rims[0][1]]
    while model.parents[k] >= 0:
        k = model.parents[k]
    body, slot = model.bodies[k], model.slots[k]
    if slot.v.stop - slot.v.start not in (3, 6):
        raise InputError(
            f"'{m.name}' does not drive: '{body.name}', which carries its wheels, has a joint of "
            f"type '{body.joint.kind}' to the world. A chassis is on a free or a planar joint."
        )
    return str(body.name)


def _pulled(
    m: Mechanism, root: str, rims: list[_Rim], across: Array, steering: str
) -> tuple[str, ...]:
    """The chassis and its trailers: bodies with wheels on both sides whose joints turn about the
    vertical, and which no spring or rubber holds to what is before them.  across: y of the
    wheels."""
    model = m.model
    below: list[set[int]] = [{k} for k in range(len(model.bodies))]  # with what hangs on them
    for k in reversed(range(len(model.bodies))):
        if model.parents[k] >= 0:
            below[model.parents[k]] |= below[k]
    sides: dict[int, set[bool]] = {}
    for (_, rim, _), y in zip(rims, across, strict=True):
        for k, own in enumerate(below):
            if model.index[rim] in own and abs(y) > _ROW:
                sides.setdefault(k, set()).add(bool(y > 0.0))
    ends = [
        {model.index[end.body] for end in part.ends if end.body != WORLD} for part in model.elements
    ]
    found = [root]
    for k, body in enumerate(model.bodies):
        if body.name == root or len(sides.get(k, ())) < 2 or body.joint.name == steering:
            continue
        J = np.asarray(m.jacobian(m.initial, body.name, coordinates="world_aligned"))
        slot = model.slots[k].v
        turns = np.abs(J[2, slot.start : slot.stop]).max(initial=0.0) > _TURNS
        sprung = any(law.spring for law in body.joint.passive)
        held = sprung or any(own & below[k] and own - below[k] for own in ends)
        if turns and not held:
            found.append(str(body.name))
    return tuple(found)


def _unit(m: Mechanism, body: str, units: Sequence[str]) -> str:
    """The nearest unit above a wheel."""
    model, k = m.model, m.model.index[body]
    while model.bodies[k].name not in units and model.parents[k] >= 0:
        k = model.parents[k]
    return str(model.bodies[k].name)


def _places(m: Mechanism, chassis: str, rims: list[_Rim]) -> Array:
    """Wheels' centres at the start, in the chassis's frame, m."""
    R, p = (np.asarray(x) for x in m.poses(m.initial))
    at = list(m.bodies)
    k = at.index(chassis)
    return np.array([R[k].T @ (p[at.index(body)] - p[k]) for _, body, _ in rims])


def _axles(places: Array) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """x of every row of wheels, and how far its wheels are apart, m."""
    rows: dict[int, list[int]] = {}
    for k, (x, _, _) in enumerate(places):
        rows.setdefault(round(float(x) / _ROW), []).append(k)
    axles = tuple(float(places[row, 0].mean()) for row in rows.values())
    return axles, tuple(float(np.ptp(places[row, 1])) for row in rows.values())


def _radii(m: Mechanism, rims: list[_Rim], rolling: bool) -> tuple[float, ...]:
    if rolling:
        return tuple(float(rim.radius) for _, _, (_, rim) in rims)
    forces = m.tyre_forces(m.initial, np.zeros(m.nv))
    pressed = {name: float(forces[name]["deflection"]) for _, _, (name, _) in rims}
    return tuple(float(rim.radius) - max(pressed[name], 0.0) for _, _, (name, rim) in rims)


def _steering(m: Mechanism) -> str:
    """A coordinate by its name, "" where none sounds like steering."""
    joints = [label for label in m.v_labels if "." not in label]
    for word in _WORDS:
        for label in joints:
            if word in label.casefold():
                return label
    return ""


class _Turning:
    """How steering coordinates turn the wheels at the start, the chassis, the wheels' heights and
    their own spins being held."""

    def __init__(self, m: Mechanism, chassis: str, rims: list[_Rim]):
        self.mechanism, self.labels = m, list(m.v_labels)
        slot = dict(zip(m.bodies, m.model.slots, strict=True))[chassis]
        spins = [self.labels.index(joint) for joint, _, _ in rims]
        J = [np.asarray(m.jacobian(m.initial, b, coordinates="world_aligned")) for _, b, _ in rims]
        rows = [np.eye(m.nv)[[*range(slot.v.start, slot.v.stop), *spins]]]
        rows.append(np.array([x[5] for x in J]))
        if m.constraint_rows:
            wheels = tuple(f"{w.name}." for w in m.model.wheels)
            kept = [k for k, row in enumerate(m.constraint_rows) if not row.startswith(wheels)]
            rows.append(np.asarray(m.constraint_jacobian(m.initial))[kept])
        self.held, self.yaw = np.concatenate(rows), np.array([x[2] for x in J])

    def angles(self, steering: str) -> Array:
        """Of every wheel per unit of the coordinate; 0: it does not turn."""
        if steering not in self.labels:
            raise unknown_name("coordinate", steering, self.labels)
        first = np.eye(len(self.labels))[[self.labels.index(steering)]]
        v = np.linalg.pinv(np.concatenate([first, self.held]), rcond=1e-10)[:, 0]
        turned = self.yaw @ v
        return np.where(np.abs(turned) > _TURNS, turned, 0.0)

    def gain(self, steering: str, places: Array) -> float:
        """Mean size of the angles of the wheels that turn per unit of the steering; positive where
        the vehicle turns to the left then: steered behind, it is the wheels that turn right."""
        turned = self.angles(steering)
        if not turned.any():
            raise InputError(
                f"'{self.mechanism.name}': '{steering}' turns none of its wheels. Name the "
                f"coordinate that steers, or none (steering='')."
            )
        mean = float(np.abs(turned[turned != 0.0]).mean())
        # wheels that roll: angle = drift + curvature x, by least squares
        x = places[:, 0] - places[:, 0].mean()
        curvature = float(x @ turned)
        if abs(curvature) <= _TURNS * mean * float(np.abs(x).sum()):
            raise InputError(
                f"'{self.mechanism.name}': '{steering}' turns all wheels alike, so it does not "
                f"turn the vehicle. Name another coordinate, or none (steering='')."
            )
        return math.copysign(mean, curvature)

    def one_by_one(self, steering: str, places: Array) -> tuple[tuple[str, float, float], ...]:
        """Coordinates named alike that turn one wheel each, with the wheels' places from the
        middle of the wheels that nothing turns; else from the last axle."""
        word = next((word for word in _WORDS if word in steering.casefold()), steering)
        word = word.removeprefix("left-")
        alike = [x for x in self.labels if "." not in x and word in x.casefold()]
        turned = {name: np.flatnonzero(self.angles(name)) for name in alike}
        single = {name: int(k[0]) for name, k in turned.items() if len(k) == 1}
        if steering not in single or len(set(single.values())) < 2:
            return ()
        fixed = [k for k in range(len(places)) if k not in single.values()]
        back = float(places[fixed, 0].mean() if fixed else places[:, 0].min())
        return tuple(
            (n, float(places[k, 0]) - back, float(places[k, 1])) for n, k in single.items()
        )
