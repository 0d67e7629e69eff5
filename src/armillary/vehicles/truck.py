"""A truck with trailers in a row: tractor, semi-trailer on a fifth wheel, dollies and more
trailers.

With tyres every axle is a beam that heaves and rolls on its struts, fifth wheels turn and pitch but
carry roll, and drawbars of dollies are ball joints.  Rolling without slip it is the plane mechanism
of the kinematic n-trailer: units turn about hitches, axles do not slide sideways.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from armillary.errors import InputError
from armillary.mechanism.making import Builder
from armillary.model import Passive, Pose, Report, Shape, Wheel
from armillary.model.arguments import check_arguments
from armillary.model.parts import BodyData
from armillary.model.roads.road import Road
from armillary.model.tyres.simple import Linear
from armillary.vehicles.assembling import BLUE, ORANGE, STEEL, Assembler
from armillary.vehicles.axle import Axle, AxleParts
from armillary.vehicles.axles import put_wheel, sides
from armillary.vehicles.steering import Trapezoid
from armillary.vehicles.trim import with_loads
from armillary.vehicles.truck_units import (
    COUPLINGS,
    TruckAxle,
    Unit,
    usual_dolly,
    usual_tractor,
    usual_trailer,
)
from armillary.vehicles.tyres import ROLLING, Tyres, check_tyres, put_tyres
from armillary.vehicles.vehicle import Vehicle

_G = 9.81
_TURNED = 0.25  # rad: where the mean of both wheels is exact
TRACTOR, STEERING = "tractor", "front-left-knuckle"


@dataclass
class _Row:
    """A unit in its place: its body, where its front point is at the start, and its loads."""

    body: str
    unit: Unit
    x: float
    axle_load: float = 0.0  # of one wheel, N
    front_load: float = 0.0  # on the front axle's wheel (tractor), or on the hitch, N
    height: float = 0.0  # of its frame over the road
    ball: bool = False  # on a drawbar, and not on a fifth wheel
    axles: list[tuple[Axle, float, float]] = field(default_factory=list)  # each with x, wheel load


@check_arguments
def truck(
    trailers: int | Sequence[Unit] = 3,
    *,
    name: str = "truck",
    tractor: Unit | None = None,
    trailer: Unit | None = None,
    dolly: Unit | Sequence[Unit] | None = None,
    axle: TruckAxle | None = None,
    steering: Trapezoid | None = None,
    tyre: Tyres | None = None,
    road: Road | None = None,
    gravity: float = _G,
) -> Vehicle:
    """A tractor with trailers: the first on a fifth wheel, each further one on a dolly.

    trailers: how many, or a list of `Unit`s, each with a coupling of its own (mixed trains);
    tractor, trailer (of a number of them), dolly (or a list, in their order): `Unit`s; axle:
    `TruckAxle`, of all axles; tyre: a model of `armillary.tyres` (default: Linear with the
    stiffness of a truck), or "rolling": the plane mechanism without slip.  Coordinates: `tractor`,
    `trailer1`, `dolly2`, `trailer2`, ..."""
    own = dict(locals())
    given = tractor or usual_tractor(), _trailers(trailers, trailer), dolly or usual_dolly()
    usual = Linear(longitudinal=8e5, cornering=4e5, camber_stiffness=0.0, stiffness=1.6e6)
    model: Tyres = usual if tyre is None else tyre
    check_tyres(model, road)
    data = axle or TruckAxle()
    pins = Trapezoid(pins=data.track - 0.24, arm=0.24, wheelbase=given[0].middle, knuckle_mass=40.0)
    rows = _units(*given)
    turned = steering or pins
    _share_loads(rows, data, turned, gravity)
    about = Report(source="armillary.vehicles.truck")
    b = Builder(name, gravity=(0.0, 0.0, -gravity), report=about)
    put = _put_rolling if model == ROLLING else _put_unit
    wheels: list[str] = []
    tyres: list[str] = []
    if model != ROLLING:
        _choose_axles(rows, data, turned, gravity)
    for k, row in enumerate(rows):
        before = rows[k - 1] if k else None
        found = put(b, row, before, data, turned, model, road)
        wheels += found[0]
        tyres += found[1]
    first = rows[0].unit
    return Vehicle(
        b.build(),
        tuple(wheels),
        tuple(tyres),
        (data.radius,) * len(wheels),
        axles=(0.0, *(-x for x in first.axles)),
        tracks=(data.track,) * (len(first.axles) + 1),
        steering=STEERING,
        steering_gain=1.0,
        steered=((STEERING, max(first.axles), _left_pin(turned, max(first.axles), model)),),
        driven=tuple(w for w in wheels if w.startswith(f"{TRACTOR}-")),
        chassis=TRACTOR,
        units=tuple(row.body for row in rows),
        rolling=model == ROLLING,
        about=f"a tractor with {len(given[1])} trailer{'s' if len(given[1]) != 1 else ''}",
        data=own | {"rows": tuple((row.body, row.x, row.unit) for row in rows)},
    )


def _left_pin(steering: Trapezoid, wheelbase: float, model: Tyres) -> float:
    """How far to the left of the middle the left wheel stands for `Vehicle.own_angle`, m, so that a
    truck turns alike to both sides: wheels that roll follow the left one alone, which turns about
    the centre of the middle; on tyres the mean of both wheels is the angle that is asked for."""
    if model == ROLLING:
        return 0.5 * steering.pins
    low, high = 0.0, 2.0 * _TURNED  # of the left wheel, by halves
    for _ in range(60):
        left = 0.5 * (low + high)
        short = 0.5 * (left + steering.right_angle(left)) < _TURNED
        low, high = (left, high) if short else (low, left)
    return wheelbase * (1.0 / math.tan(_TURNED) - 1.0 / math.tan(left))


def _trailers(given: object, usual: Unit | None) -> list[Unit]:
    """A number of equal ones, or the list."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        for k, unit in enumerate(given):
            if not isinstance(unit, Unit):
                raise InputError(f"truck: trailers[{k}] is a Unit(...), found {unit!r:.60}.")
        if usual is not None:
            raise InputError("truck: trailers is a list already; leave `trailer` out.")
        return list(given)
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= 1000:
        raise InputError(
            f"truck: trailers is a whole number, 0 to 1000, or a list of Units; "
            f"found {given!r:.60}."
        )
    return [usual or usual_trailer()] * given


def _units(tractor: Unit, trailers: list[Unit], dolly: Unit | Sequence[Unit]) -> list[_Row]:
    """All units with their front points, from the tractor backwards."""
    rows = [_Row(TRACTOR, tractor, 0.0)]
    couplings = [unit.coupling or COUPLINGS[bool(k)] for k, unit in enumerate(trailers)]
    wanted = couplings.count("dolly")
    dollies = [dolly] * wanted if isinstance(dolly, Unit) else list(dolly)
    if len(dollies) != wanted:
        raise InputError(
            f"truck: {wanted} trailers stand on dollies, and {len(dollies)} are given."
        )
    for k, (unit, coupling) in enumerate(zip(trailers, couplings, strict=True), 1):
        if coupling == "dolly":
            _pull(rows, f"dolly{k}", dollies.pop(0), ball=True)
        _pull(rows, f"trailer{k}", unit, ball=coupling == "drawbar")
    return rows


def _pull(rows: list[_Row], body: str, unit: Unit, ball: bool) -> None:
    """Put a unit behind the last one."""
    last = rows[-1]
    if not last.unit.hitch:
        raise InputError(
            f"truck: '{last.body}' has no hitch for '{body}'. Give its Unit a `hitch`, m "
            f"behind its front point, or pull fewer trailers."
        )
    rows.append(_Row(body, unit, last.x - last.unit.hitch, ball=ball))


def _share_loads(rows: list[_Row], data: TruckAxle, steering: Trapezoid, gravity: float) -> None:
    """Wheel and hitch loads by the lever rule, from the last unit forward."""
    own = data.beam_mass + 2.0 * data.wheel_mass
    pulled = 0.0  # what the unit behind puts on the hitch, N
    for row in reversed(rows):
        u, count = row.unit, len(row.unit.axles)
        weight, hung = u.mass * gravity, count * own * gravity
        moment = weight * u.com + pulled * u.hitch  # about the front point
        if row.body == TRACTOR:  # the tie rod lies behind the front axle
            moment += steering.rod_mass * gravity * steering.arm * math.cos(steering.angle)
        carried = moment / u.middle
        row.axle_load = (carried + hung) / (2.0 * count)
        row.front_load = weight + pulled - carried
        if row.body == TRACTOR:
            steered = own + 2.0 * steering.knuckle_mass + steering.rod_mass
            row.front_load = (row.front_load + steered * gravity) / 2.0
        pulled = row.front_load
        if not (row.axle_load > 0.0 and (row.front_load > 0.0 or row.body != TRACTOR)):
            raise InputError(
                f"truck: wheels of '{row.body}' are in the air at the start: {row.axle_load:.5g} N "
                f"on a wheel of its axle, {row.front_load:.5g} N in front. Move its com (now "
                f"{u.com:g} m behind its front point) or its hitch."
            )


def _solid(row: _Row) -> BodyData:
    u = row.unit
    color = {"t": BLUE, "d": STEEL}[row.body[0]] if row.body != TRACTOR else ORANGE
    box = Shape("box", (u.length, 2.4, 0.3), Pose((0.6 - 0.5 * u.length, 0.0, 1.15)), color=color)
    shapes = [box]
    if not row.body.startswith("dolly"):
        long = 1.8 if row.body == TRACTOR else u.length
        place = Pose((0.6 - 0.5 * long, 0.0, 2.3))
        shapes.append(Shape("box", (long, 2.4, 2.0), place, color=color))
    return {"mass": u.mass, "com": (-u.com, 0.0, u.height), "inertia": u.tensor, "shapes": shapes}


def _hang(b: Builder, row: _Row, before: _Row | None, flat: bool) -> None:
    """The unit on the one before it.  Its frame is on the road under its front point: the
    joint sits at the hitch, so points of the unit are lowered by the hitch's height there."""
    solid = _solid(row)
    if before is None:
        if flat:
            b.body(row.body, joint="planar", axis="z", **solid)
        else:
            b.body(row.body, joint="free", **solid)
        return
    u = before.unit
    if flat:
        b.body(row.body, before.body, "revolute", (-u.hitch, 0.0, 0.0), axis="z", **solid)
        return
    free = ("rx", "ry", "rz") if row.ball else ("ry", "rz")
    high = u.hitch_height
    x, y, z = solid["com"]
    solid["com"] = (x, y, z - high)
    solid["shapes"] = [
        replace(s, pose=Pose((s.pose.position[0], 0.0, s.pose.position[2] - high)))
        for s in solid["shapes"]
    ]
    damping = Passive(viscous=200.0)
    point = (-u.hitch, 0.0, high - before.height)
    b.body(
        row.body,
        before.body,
        "gimbal",
        point,
        free=free,
        passive=[damping] * len(free),
        **solid,
    )


def _choose_axles(rows: list[_Row], data: TruckAxle, steering: Trapezoid, gravity: float) -> None:
    """Sprung axles of all units, with struts that carry their loads."""
    for row in rows:
        if row.body == TRACTOR:
            front = Axle(data.suspension(), steering, 0.0, data.wheel, "front")
            row.axles.append((front, 0.0, row.front_load))
        for word, x in _named(row):
            axle = Axle(data.suspension(), None, 0.0, data.wheel, word)
            row.axles.append((axle, x, row.axle_load))
    every = [given for row in rows for given in row.axles]
    carrying = iter(with_loads([axle for axle, _, _ in every], [x for *_, x in every], gravity))
    for row in rows:
        row.axles = [(next(carrying), x, load) for _, x, load in row.axles]


def _named(row: _Row) -> list[tuple[str, float]]:
    """Unsteered axles of a unit: a word and where they are."""
    backs = row.unit.axles
    words = (
        [row.body] if len(backs) == 1 else [f"{row.body}-axle{k + 1}" for k in range(len(backs))]
    )
    return [(word, -back) for word, back in zip(words, backs, strict=True)]


def _put_unit(
    b: Builder,
    row: _Row,
    before: _Row | None,
    data: TruckAxle,
    steering: Trapezoid,
    model: Tyres,
    road: Road | None,
) -> tuple[list[str], list[str]]:
    """A unit with sprung axles on tyres; its wheels and tyres."""
    _hang(b, row, before, flat=False)
    row.height = before.unit.hitch_height if before is not None else 0.0
    a = Assembler(b, row.body, {row.body: (0.0, 0.0, row.height)})
    wheels: list[str] = []
    tyres: list[str] = []
    for axle, x, load in row.axles:
        parts: AxleParts = axle.attach(a, x)
        found = [corner.wheel for corner in parts.corners]
        wheels += found
        tyres += put_tyres(b, found, data.radius, load, model, road)
    return wheels, tyres


def _put_rolling(
    b: Builder,
    row: _Row,
    before: _Row | None,
    data: TruckAxle,
    steering: Trapezoid,
    model: Tyres,
    road: Road | None,
) -> tuple[list[str], list[str]]:
    """A unit in the plane: its wheels roll, and those on the left of its first axle do not slide
    sideways."""
    _hang(b, row, before, flat=True)
    a = Assembler(b, row.body, {row.body: (0.0, 0.0, 0.0)})
    half, r = 0.5 * data.track, data.radius
    wheels: list[str] = []
    tyres: list[str] = []
    places: list[tuple[str, float, dict[str, str]]] = []
    if before is None:
        hubs = steering.attach(a, "front", row.body, 0.0, r)
        places.append(("front", 0.0, dict(zip(("left", "right"), hubs, strict=True))))
    places += [(word, x, {}) for word, x in _named(row)]
    for number, (word, x, hubs_of) in enumerate(places):
        first = number == (1 if before is None else 0)
        for corner, side in sides(word):
            hub = hubs_of.get(corner.rpartition("-")[2], row.body)
            wheel = put_wheel(a, corner, hub, (x, side * half, r), (0.0, 0.0, 0.0), data.wheel)
            held = side > 0.0 and (first or bool(hubs_of))
            kept = ("longitudinal", "lateral") if held else ("longitudinal",)
            b.wheel(Wheel(f"{corner}-tyre", wheel, r, (0.0, 1.0, 0.0), rows=kept))
            wheels.append(wheel)
            tyres.append(f"{corner}-tyre")
    return wheels, tyres


@check_arguments
def n_trailer_rates(
    angles: list[float], speed: float, turn: float, links: list[tuple[float, float]]
) -> list[float]:
    """Rates of the headings of pulled units, rad/s: the kinematic n-trailer with hitches off the
    axles.

    angles: headings of the leading unit and of every pulled one, rad; speed (m/s), turn (rad/s): of
    the leading unit's unsteered axle; links: of every pulled unit (how far its hitch is behind the
    axle of the unit before, how far its own axle is behind the hitch), m.  With heading difference
    δ, the hitch moves with (V, -c ω) in the unit before, and the axle does not slide sideways:

        ω' = (V sin δ - c ω cos δ) / l,    V' = V cos δ + c ω sin δ"""
    rates, V, w = [], speed, turn
    for (c, own), before, heading in zip(links, angles, angles[1:], strict=False):
        d = before - heading
        V, w = V * math.cos(d) + c * w * math.sin(d), (V * math.sin(d) - c * w * math.cos(d)) / own
        rates.append(w)
    return rates


__all__ = ["TruckAxle", "Unit", "n_trailer_rates", "truck"]
