"""Rover, bicycle and a robot on two driven wheels, each on rolling wheels or on tyres.

Rover and bicycle are those of the built-in examples: four driven and steered wheels on a rigid
chassis [Yesiloglu2007, 5.3], the Whipple bicycle with its benchmark numbers [Meijaard2007].
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from armillary.errors import InputError
from armillary.formats.examples import example
from armillary.mechanism.making import Builder
from armillary.mechanism.mechanism import Mechanism
from armillary.model import Pose, Report, Shape, Wheel
from armillary.model.arguments import check_arguments
from armillary.model.mount import add_model
from armillary.model.parts import BodyData
from armillary.model.roads.road import Road
from armillary.vehicles.assembling import BLUE, DARK, block
from armillary.vehicles.axles import RoadWheel
from armillary.vehicles.tyres import ROLLING, Tyres, check_tyres, unloaded_radius
from armillary.vehicles.vehicle import Vehicle, joints_of_load

_Y = (0.0, 1.0, 0.0)


@check_arguments
def rover(
    arm: str | Mechanism | None = "six-r", *, tyre: Tyres = ROLLING, road: Road | None = None
) -> Vehicle:
    """Four wheels, each one driven and steered, straight ahead; an arm on top.

    arm: a built-in mechanism by name, a mechanism, or None.  tyre: "rolling" (no slip) or a model
    of `armillary.tyres`.  Of wheels that roll those on the left do not slide sideways: all four
    would have to agree on one centre of turning.  In drives the arm is held still."""
    check_tyres(tyre, road)
    mechanism = _straight_rover()
    held: tuple[str, ...] = ()
    if arm is not None:
        carried = Mechanism(example(arm)) if isinstance(arm, str) else arm
        if not isinstance(carried, Mechanism):
            raise InputError(f"rover: arm is a name or a mechanism, found {arm!r:.60}.")
        bare = mechanism
        mechanism = bare.mount(carried, on="chassis", at=(0.2, 0.0, 0.31), prefix="arm_")
        held = joints_of_load(mechanism, bare)
    wheels = tuple(f"{corner}-drive" for corner in _CORNERS)
    return _vehicle(
        mechanism,
        wheels,
        tyre,
        road,
        axles=(0.5, -0.5),
        tracks=(0.8, 0.8),
        steering="front-left-steer",
        steered=tuple((f"{c}-steer", x, y) for c, (x, y) in _PLACES.items()),
        driven=wheels,
        about="four driven and steered wheels",
        held=held,
    )


_CORNERS = ("front-left", "front-right", "rear-left", "rear-right")
_PLACES = dict(zip(_CORNERS, ((1.0, 0.4), (1.0, -0.4), (0.0, 0.4), (0.0, -0.4)), strict=True))


@check_arguments
def bicycle(*, tyre: Tyres = ROLLING, road: Road | None = None) -> Vehicle:
    """The Whipple bicycle with the benchmark's numbers, upright, on rolling wheels or on tyres."""
    check_tyres(tyre, road)
    return _vehicle(
        Mechanism(example("bicycle")),
        ("front-wheel", "rear-wheel"),
        tyre,
        road,
        axles=(1.02, 0.0),
        tracks=(0.0, 0.0),
        steering="steer",
        driven=("rear-wheel",),
        chassis="rear-frame",
        about="the Whipple bicycle with its benchmark numbers",
    )


@check_arguments
def differential_drive(
    *,
    name: str = "differential drive",
    track: float = 0.40,
    radius: float = 0.08,
    mass: float = 12.0,
    com: tuple[float, float, float] = (0.05, 0.0, 0.10),
    caster: float = 0.22,
    wheel: RoadWheel | None = None,
    tyre: Tyres = ROLLING,
    road: Road | None = None,
) -> Vehicle:
    """A robot on two driven wheels and a ball caster in front that bears no force along the ground.

    track, radius m; mass (kg) and com (m, from the middle of the axle on the ground) of the body;
    caster: how far it is in front of the axle, m; wheel: mass and inertia of the driven wheels."""
    check_tyres(tyre, road)
    for word, value in (("track", track), ("radius", radius), ("mass", mass), ("caster", caster)):
        if not 0.0 < value < float("inf"):
            raise InputError(f"differential_drive: {word} is more than 0, found {value!r}.")
    if not 0.0 <= com[0] <= caster:
        raise InputError(
            f"differential_drive: its centre of mass (x = {com[0]:g} m) is not between the axle (0)"
            f" and the caster ({caster:g} m), so a wheel is in the air at the start. Move com."
        )
    own = wheel or RoadWheel(radius=radius, width=0.04, mass=0.8)
    b = Builder(name, report=Report(source="armillary.vehicles.differential_drive"))
    size = (1.3 * caster, 0.8 * track, radius)
    place = (com[0], com[1], com[2] - radius)
    box = Shape("box", size, Pose((0.5 * caster, 0.0, 0.6 * radius)), color=BLUE)
    b.body("chassis", joint="free", mass=mass, com=place, inertia=block(mass, size), shapes=[box])
    turned = Pose.from_rpy(rpy=(np.pi / 2, 0.0, 0.0))
    for word, side in (("left", 1.0), ("right", -1.0)):
        looks = Shape("cylinder", (own.radius, own.width), turned, color=DARK)
        at = (0.0, side * 0.5 * track, 0.0)
        solid: BodyData = {"mass": own.mass, "inertia": own.tensor, "shapes": [looks]}
        b.body(f"{word}-wheel", "chassis", "revolute", at, axis="y", **solid)
        b.wheel(Wheel(f"{word}-wheel-tyre", f"{word}-wheel", radius, _Y))
    ball = 0.4 * radius
    center = (caster, 0.0, ball - radius)
    b.wheel(Wheel("caster", "chassis", ball, _Y, center=center, kind="sphere", rows=("normal",)))
    b.initial["chassis"] = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, radius)
    wheels = ("left-wheel", "right-wheel")
    return _vehicle(
        b.build(),
        wheels,
        tyre,
        road,
        axles=(0.0,),
        tracks=(track,),
        driven=wheels,
        about="two driven wheels and a caster",
    )


def _straight_rover() -> Mechanism:
    """That of the examples at the origin along x, with the rows of a vehicle."""
    model = example("rover")
    rows = [("normal", "longitudinal") if "-right" in w.name else w.rows for w in model.wheels]
    wheels = [replace(w, rows=kept) for w, kept in zip(model.wheels, rows, strict=True)]
    b = Builder(model.name, model.gravity, report=model.report)
    add_model(b, replace(model, wheels=tuple(wheels)))
    b.initial["chassis"] = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, wheels[0].radius)
    return b.build()


def _vehicle(
    mechanism: Mechanism, joints: tuple[str, ...], tyre: Tyres, road: Road | None, **record: Any
) -> Vehicle:
    """The record of a mechanism whose wheels roll; on tyres where a model is given."""
    model = mechanism.model
    joint_of = {body.name: body.joint.name for body in model.bodies}
    rims = {joint_of[w.body]: w for w in model.wheels if joint_of[w.body] in joints}
    found = [rims[joint] for joint in joints]
    if tyre != ROLLING:
        mechanism = _on_tyres(mechanism, found, tyre, road)
    return Vehicle(
        mechanism,
        joints,
        tuple(rim.name for rim in found),
        tuple(rim.radius for rim in found),
        rolling=tyre == ROLLING,
        steering_gain=1.0 if record.get("steering") else 0.0,
        **record,
    )


def _on_tyres(mechanism: Mechanism, rims: list[Wheel], tyre: Tyres, road: Road | None) -> Mechanism:
    """Tyres instead of wheels that roll, with the loads that those carry at rest."""
    if isinstance(tyre, str):
        return mechanism
    m = mechanism
    rest: Any = m.solve(m.initial, np.zeros(m.nv), np.zeros(m.nv))
    names = {rim.name for rim in rims}
    model = m.model
    kept = tuple(wheel for wheel in model.wheels if wheel.name not in names)
    b = Builder(model.name, model.gravity, report=model.report)
    add_model(b, replace(model, wheels=kept))
    for rim in rims:
        load = float(rest.wheel_forces[rim.name]["normal"])
        free = unloaded_radius(tyre, rim.radius, load, f"tyre '{rim.name}'")
        b.tyre(rim.name, rim.body, radius=free, axis=rim.axis, model=tyre, road=road)
    return b.build()
