"""Every refusal of vehicles, suspensions and roads names the argument, and is an ArmillaryError."""

import inspect

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError, InputError, ModelError
from armillary.model.arguments import check_arguments

V, R = am.vehicles, am.roads
ODD = (
    float("nan"), float("-inf"), -1.0, 0, 10**400, "", "x", None, [], [1.0], [None] * 3, {"a": 1},
    b"q", True, 1j, np.zeros((2, 2)), lambda: 0, object(),
)  # fmt: skip
PENDULUM = am.example("double-pendulum")
AXLE = V.Axle("double wishbone", V.Rack())
PROFILE = R.Profile.of([0.0, 1.0], [0.0, 0.1])


@pytest.fixture(scope="module")
def car():
    return V.car()


def part(cls, **usual):
    """Of a road: made, checked as the builder does, and asked."""

    def make(**given):
        cls(**usual | given).checked("road").at(0.3, 0.2)

    make.__signature__ = inspect.signature(cls)
    return make


def parameters(function):
    named = inspect.signature(function).parameters.values()
    return [p.name for p in named if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]


def refuse_raw(title, function, hidden=(), odd=ODD, **usual):
    """No argument gives another error than one of this library."""
    for name in parameters(function):
        for value in () if name in hidden else odd:
            try:
                function(**usual | {name: value})
            except ArmillaryError as error:
                assert str(error)
            except Exception as error:
                pytest.fail(f"{title}: {name}={value!r:.40} gives {error!r}")


DATA = (V.DoubleWishbone, V.MacPherson, V.TrailingArm, V.FiveDegree, V.SolidAxle, V.Strut,
        V.RoadWheel, V.Rack, V.Trapezoid, V.Unit, V.TruckAxle, V.Bushing, V.Axle)  # fmt: skip
FLAT = ((0.0, 0.0), (0.0, 1.0))
ROADS = {
    "plane": (part(R.Plane), ("tilted",)),
    "profile": (part(R.Profile, rows=((0.0, 0.0), (1.0, 0.1))), ()),
    "bump": (part(R.Bump), ()),
    "field": (part(R.HeightField, z=FLAT), ("patches",)),
    "tracks": (part(R.Tracks, left=R.Plane(), right=R.Plane()), ()),
    "split": (part(R.Split), ()),
    "patch": (part(R.Patch), ()),
    "grid": (part(R.FrictionGrid, mu=FLAT), ("patches",)),
}


@pytest.mark.parametrize("cls", DATA, ids=lambda cls: cls.__name__)
def test_data_of_suspensions(cls):
    refuse_raw(cls.__name__, cls)


@pytest.mark.parametrize("name", ROADS)
def test_roads(name):
    make, hidden = ROADS[name]
    refuse_raw(name, make, hidden)


def test_functions_of_roads():
    refuse_raw("random_profile", R.random_profile, length=30.0)
    refuse_raw("of", R.Profile.of, x=[0, 1], z=[0, 1])
    refuse_raw("field", R.HeightField.of, x=[0, 1], y=[0, 1], z=[[0, 1], [1, 0]])
    refuse_raw("normal", R.Plane.with_normal, normal=(0, 0, 1))
    refuse_raw("under", PROFILE.under, travel=1.0)
    refuse_raw("profile", PROFILE, ("piece",), s=0.5)
    with pytest.raises(ModelError, match="too many rows of too many waves"):
        R.random_profile(length=1e300)


def test_vehicles(car):
    refuse_raw("start", car.start)
    refuse_raw("wheel", car.wheel, name="front")
    refuse_raw("motions", car.steering_motions, steer=lambda t: t)
    refuse_raw("mount", car.mount, ("options",), other=PENDULUM)
    refuse_raw("four_post", V.four_post)
    refuse_raw("from_mechanism", V.from_mechanism, mechanism=car.mechanism)
    refuse_raw("DriveLine", V.DriveLine, vehicle=car)
    refuse_raw("trailers", V.n_trailer_rates, angles=[0.1], speed=1.0, turn=0.1, links=[(1.0, 1.0)])
    refuse_raw("outer", V.ackermann_outer, inner=0.1, pins=1.3, wheelbase=2.7)
    refuse_raw("ackermann", V.ackermann, steering=V.Trapezoid())


def test_curves():
    curves = V.kinematics(AXLE, travel=[-0.02, 0.0, 0.02])
    refuse_raw("anti", curves.anti, wheelbase=2.7, height=0.5)
    refuse_raw("column", curves.column)
    refuse_raw("at", curves.at)
    for name in ("travel", "axle"):
        for odd in (float("nan"), "x", None, [], object()):
            with pytest.raises(InputError, match=f"{name}|axle|suspension"):
                V.kinematics(**{"axle": AXLE} | {name: odd})


MANOEUVRES = (V.step_steer, V.ramp_steer, V.sine_steer, V.double_lane_change, V.slalom,
              V.constant_radius, V.straight_braking, V.bump_crossing)  # fmt: skip
KEPT = (*MANOEUVRES, V.Straight, V.Circle, V.LaneChange, V.Slalom, V.Line, V.RollOverGuard,
        V.Manoeuvre, V.Driver)  # fmt: skip


@pytest.mark.parametrize("make", KEPT, ids=lambda make: make.__name__)
def test_what_is_kept_for_a_drive_is_refused_at_once(make, car):
    """They keep what they are given: a text or NaN would be met in the run, or never."""
    usual = {"vehicle": car, "height": 1.0, "track": 1.0, "y": lambda x: x, "name": ""}
    usual |= {"duration": 1.0, "path": None}
    own = {name: value for name, value in usual.items() if name in parameters(make)}
    refuse_raw(make.__name__, make, **own)
    for name, p in inspect.signature(make).parameters.items():
        for odd in (float("nan"), object(), [1.0]):
            with pytest.raises(ArmillaryError, match=name):
                make(**own | {name: odd})
        if p.annotation in ("float", "Signal"):
            with pytest.raises(ArmillaryError, match=name):
                make(**own | {name: "x"})


def test_drives(car):
    turn, robot = V.step_steer(5.0, duration=0.1), V.differential_drive()
    ahead = V.bump_crossing(0.5, duration=0.02)
    refuse_raw("drive", V.drive, ("options",), vehicle=robot, manoeuvre=ahead)
    refuse_raw("gradient", V.understeer_gradient, vehicle=robot)
    for own in ("duration", "controller", "project_start"):
        with pytest.raises(InputError, match=f"drive: {own} is given by the manoeuvre"):
            V.drive(car, turn, **{own: 1.0})
    with pytest.raises(ModelError, match="'constant radius', speed at 0 s: expected a number"):
        V.drive(car, V.constant_radius(speed=lambda t: "fast"))
    with pytest.raises(InputError, match="run_up is a length, 0 m or more; found"):
        V.constant_radius(run_up=-1.0)
    assert V.Driver(car, 1.0, V.Straight(), room=np.inf).room == np.inf


def test_what_describes_no_joint_is_not_dropped(car):
    """Without a joint the two are welded, whatever its axis is said to be."""
    for mount in (car.mount, lambda other, **own: car.mechanism.mount(other, "chassis", **own)):
        for own in ({"axis": "z"}, {"bogus": 1}):
            with pytest.raises(InputError, match="describes a joint, and none connects the two"):
                mount(PENDULUM, **own)


@pytest.mark.parametrize("make", [V.car, V.yesiloglu_car, V.differential_drive, V.rover, V.truck])
def test_makers_name_what_is_no_number_and_no_part(make):
    """A few of each, as every vehicle that is made costs time; numbers that are none never pass."""
    refuse_raw(make.__name__, make, odd=(b"q", [None] * 3))
    for name, p in inspect.signature(make).parameters.items():
        if str(p.annotation).startswith("float"):
            with pytest.raises(ArmillaryError, match=name):
                make(**{name: float("nan")})


def test_what_is_said(car):
    """Function, argument, expected, found."""
    with pytest.raises(InputError, match="start: speed is a finite number, found nan"):
        car.start(float("nan"))
    with pytest.raises(InputError, match=r"car: mass is .*, found 'heavy'"):
        V.car(mass="heavy")
    with pytest.raises(InputError, match="car: mass is a finite number, found a number without"):
        V.car(mass=10**5000)  # Python writes no number of so many digits
    with pytest.raises(InputError, match="four_post: vehicle is a Vehicle, found 3"):
        V.four_post(3)
    with pytest.raises(InputError, match="steer is a function, found 1"):
        car.steering_motions(1.0)


def test_the_decorator_passes_on_what_fits():
    """It neither changes answers nor hides a fault of the function itself."""

    @check_arguments
    def root(x: float, name: str = "", *more: str) -> float:
        if name == "broken":
            raise ValueError("mine")
        return x**0.5

    assert root(4.0) == root(np.float64(4.0)) == root(4) == 2.0
    assert root(4.0, "", "a", "b") == 2.0 and root.__name__ == "root"
    with pytest.raises(ValueError, match="mine") as fault:
        root(4.0, "broken")
    assert not isinstance(fault.value, ArmillaryError)
    with pytest.raises(InputError, match="root: x is a finite number, found 'four'"):
        root("four")
    with pytest.raises(TypeError, match="missing"):
        root()
