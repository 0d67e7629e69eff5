"""A passenger car: two axles of any suspension, rack steering, struts, bars, tyres."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from armillary.errors import InputError
from armillary.mechanism.making import Builder
from armillary.mechanism.mechanism import Mechanism
from armillary.model import Pose, Report, Shape
from armillary.model.arguments import check_arguments
from armillary.model.roads.road import Road
from armillary.model.tyres.simple import Linear
from armillary.vehicles.assembling import BLUE, CHASSIS, Assembler
from armillary.vehicles.axle import Axle, AxleParts, suspension
from armillary.vehicles.axles import BeamSuspension, RoadWheel, Suspension
from armillary.vehicles.fitting import fitted
from armillary.vehicles.kinematics import steering_gain
from armillary.vehicles.steering import Rack, Trapezoid
from armillary.vehicles.trim import with_loads
from armillary.vehicles.tyres import ROLLING, Tyres, check_tyres, put_tyres
from armillary.vehicles.vehicle import Vehicle

DRIVES = ("front", "rear", "all")
_G = 9.81


@check_arguments
def car(
    front: str | Suspension | Axle = "double wishbone",
    rear: str | Suspension | Axle = "trailing arm",
    *,
    name: str = "car",
    wheelbase: float = 2.70,
    mass: float = 1250.0,
    com: tuple[float, float, float] | None = None,
    inertia: tuple[float, ...] = (430.0, 1700.0, 1900.0),
    steering: Rack | Trapezoid | None = None,
    front_anti_roll: float = 700.0,
    rear_anti_roll: float = 200.0,
    wheel: RoadWheel | None = None,
    drive: str = "front",
    tyre: Tyres | None = None,
    road: Road | None = None,
    gravity: float = _G,
) -> Vehicle:
    """A passenger car at rest at its design position, on the plane z = 0 unless another road is
    given.

    front, rear: "double wishbone", "MacPherson", "trailing arm", "solid axle", "five-degree", a
    suspension with your hard points, or an `Axle`.  wheelbase m; mass (kg), com (m, in the
    chassis's frame: on the road under the front axle, x forward, y left, z up) and inertia (kg m²
    about it: xx, yy, zz or six) of the body without axles.  steering: of the front axle (default: a
    rack, or a trapezoid on a solid axle or a five-degree suspension).  anti_roll: N m/rad of each
    bar.  drive: "front", "rear" or "all". tyre: a model of `armillary.tyres` (default: Linear()),
    or "rolling": no slip.  Struts without a load of their own carry the car exactly."""
    own = dict(locals())
    _check(wheelbase, mass, drive, gravity)
    model: Tyres = Linear() if tyre is None else tyre
    check_tyres(model, road)
    axles = _axles(front, rear, steering, front_anti_roll, rear_anti_roll, wheel, wheelbase)
    place = com if com is not None else (-0.46 * wheelbase, 0.0, 0.56)
    loads = _wheel_loads(axles, wheelbase, mass, place, gravity)
    axles = with_loads(axles, loads, gravity)

    report = Report(source="armillary.vehicles.car")
    _check_sides(report, axles, place)
    b = Builder(name, gravity=(0.0, 0.0, -gravity), report=report)
    looks = [
        Shape("box", (wheelbase + 0.2, 1.0, 0.25), Pose((-0.5 * wheelbase, 0.0, 0.45)), color=BLUE),
        Shape(
            "box", (0.5 * wheelbase, 1.2, 0.45), Pose((-0.55 * wheelbase, 0.0, 0.95)), color=BLUE
        ),
    ]
    b.body(CHASSIS, joint="free", mass=mass, com=place, inertia=inertia, shapes=looks)
    a = Assembler(b)
    parts = [axle.attach(a, x) for axle, x in zip(axles, (0.0, -wheelbase), strict=True)]
    tyres: list[str] = []
    for axle, part, load in zip(axles, parts, loads, strict=True):
        wheels = [corner.wheel for corner in part.corners]
        camber = part.corners[0].rpy[0]
        tyres += put_tyres(b, wheels, axle.wheel.radius, load, model, road, camber)
    mechanism = fitted(b.build())
    return _record(mechanism, axles, parts, tyres, wheelbase, drive, model, own)


def _check(wheelbase: float, mass: float, drive: str, gravity: float) -> None:
    for word, value in (("wheelbase", wheelbase), ("mass", mass), ("gravity", gravity)):
        if not (isinstance(value, int | float) and 0.0 < value < float("inf")):
            raise InputError(f"car: {word} is a number more than 0, found {value!r:.60}.")
    if drive not in DRIVES:
        raise InputError(f"car: drive is one of {', '.join(DRIVES)}; found {drive!r:.60}.")


def _axles(
    front: str | Suspension | Axle,
    rear: str | Suspension | Axle,
    steering: Rack | Trapezoid | None,
    front_anti_roll: float,
    rear_anti_roll: float,
    wheel: RoadWheel | None,
    wheelbase: float,
) -> list[Axle]:
    """Both axles, with names and the steering of the front one."""
    if isinstance(front, Axle):
        first = replace(front, name="front")
    else:
        made = suspension(front)
        turned = steering or _usual_steering(made, wheelbase)
        own = wheel or RoadWheel(radius=made.wheel_center[2])
        first = Axle(made, turned, front_anti_roll, own, "front")
    if isinstance(rear, Axle):
        last = replace(rear, name="rear")
    else:
        made = suspension(rear)
        own = wheel or RoadWheel(radius=made.wheel_center[2])
        last = Axle(made, None, rear_anti_roll, own, "rear")
    return [first, last]


def _usual_steering(made: Suspension, wheelbase: float) -> Rack | Trapezoid | None:
    tie: Any = getattr(made, "tie_inner", None)
    if tie is not None:
        return Rack(at=(tie[0], 0.0, tie[2]))
    return Trapezoid(wheelbase=wheelbase) if isinstance(made, BeamSuspension) else None


def _wheel_loads(
    axles: list[Axle],
    wheelbase: float,
    mass: float,
    com: tuple[float, float, float],
    gravity: float,
) -> list[float]:
    """Of one wheel of each axle, N, by the lever rule; everything is the same on both sides."""
    moment, total = mass * com[0], mass
    for axle, x in zip(axles, (0.0, -wheelbase), strict=True):
        own, lever = axle.weighed()
        total, moment = total + own, moment + own * x + lever
    rear = -moment / wheelbase * gravity / 2.0
    front = total * gravity / 2.0 - rear
    for word, load in (("front", front), ("rear", rear)):
        if not load > 0.0:
            raise InputError(
                f"car: its {word} wheels would carry {load:.5g} N each: they are in the air at the "
                f"start. Move com (x = {com[0]:g} m) between the axles (0 and {-wheelbase:g} m)."
            )
    return [front, rear]


def _check_sides(report: Report, axles: list[Axle], com: tuple[float, float, float]) -> None:
    """A body that is heavier on one side: told, or refused where it would tip."""
    half = 0.5 * min(axle.track for axle in axles)
    if abs(com[1]) >= half:
        raise InputError(
            f"car: com lies {abs(com[1]):g} m beside the middle, outside its wheels ({half:g} m): "
            f"those of the other side are in the air at the start. Move com (y = {com[1]:g} m)."
        )
    if com[1]:
        side = "left" if com[1] > 0.0 else "right"
        report.add(
            "assumed",
            "body 'chassis'",
            f"its centre of mass is {abs(com[1]):g} m to the {side}, and both sides have equal "
            f"struts: the car begins level and settles to that side (mechanism.equilibrium)",
        )


def _record(
    mechanism: Mechanism,
    axles: list[Axle],
    parts: list[AxleParts],
    tyres: list[str],
    wheelbase: float,
    drive: str,
    model: Tyres,
    own: dict[str, object],
) -> Vehicle:
    corners = [corner for part in parts for corner in part.corners]
    wheels = tuple(corner.wheel for corner in corners)
    driven = {"front": wheels[:2], "rear": wheels[2:], "all": wheels}[drive]
    names = " and ".join(f"{axle.name} {type(axle.made).__name__}" for axle in axles)
    return Vehicle(
        mechanism,
        wheels,
        tuple(tyres),
        tuple(axle.wheel.radius for axle in axles for _ in range(2)),
        axles=(0.0, -wheelbase),
        tracks=tuple(axle.track for axle in axles),
        steering=parts[0].steering,
        steering_gain=steering_gain(axles[0]) if parts[0].steering else 0.0,
        driven=driven,
        rolling=model == ROLLING,
        about=f"a car, {names}",
        data=own | {"axles": tuple(axles)},
    )
