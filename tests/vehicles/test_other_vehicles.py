"""Manoeuvres of rovers, robots on two wheels, bicycles, and of files; vehicles found in models."""

import math
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError
from armillary.model import Coupling

V = am.vehicles
FILES = Path(__file__).resolve().parents[2] / "examples" / "vehicles"


def test_a_rolling_rover_turns_about_one_centre():
    """Wheels that are steered one by one: curvature tan(angle)/L at every instant, no slip."""
    found = V.drive(V.rover(None), V.step_steer(1.5, 0.2, duration=1.5), step=2e-3)
    assert found.run.complete
    late = found.time > 0.7
    curvature = found.yaw_rate()[late] / found.speed()[late]
    assert np.allclose(curvature, math.tan(0.2) / 1.0, rtol=1e-9)
    steers = [found.run.column(f"{c}-steer")[-1] for c in ("front-left", "front-right")]
    for angle, y in zip(steers, (0.4, -0.4), strict=True):  # square to the centre, R to the left
        assert math.tan(angle) == pytest.approx(1.0 / (1.0 / math.tan(0.2) - y), rel=1e-9)


@pytest.mark.parametrize("behind", [False, True])
def test_knuckles_that_nothing_couples_are_steered_both(behind):
    """A cart with a knuckle at each side of an axle: both are turned, square to one centre."""
    b = am.Builder("cart")
    b.body("chassis", joint="free", mass=600.0, com=(-0.8, 0.0, 0.4), inertia=(60.0, 150.0, 150.0))
    for axle, x in (("front", 0.0), ("rear", -1.6)):
        for side, y in (("left", 0.5), ("right", -0.5)):
            carrier, at, name = "chassis", (x, y, 0.25), f"{axle}-{side}"
            if (axle == "rear") == behind:
                carrier, at = f"{name}-knuckle", (0.0, 0.0, 0.0)
                b.body(carrier, "chassis", "revolute", (x, y, 0.25), axis="z", mass=8.0,
                       inertia=(0.1, 0.1, 0.1))  # fmt: skip
            b.body(f"{name}-wheel", carrier, "revolute", at, axis="y", mass=10.0,
                   inertia=(0.2, 0.35, 0.2))  # fmt: skip
            b.tyre(f"{name}-tyre", f"{name}-wheel", radius=0.26,
                   model=am.tyres.Linear(stiffness=1.6e5, cornering=4e4))  # fmt: skip
    cart, axle = V.from_mechanism(b.build()), "rear" if behind else "front"
    assert [x[0] for x in cart.steered] == [f"{axle}-{x}-knuckle" for x in ("left", "right")]
    found = V.drive(cart, V.constant_radius(8.0, 3.0, duration=20.0), step=2e-3)
    assert found.run.complete and found.yaw_rate()[-1] * 8.0 == pytest.approx(3.0, rel=0.04)
    left, right = (found.run.column(f"{axle}-{x}-knuckle")[-1] for x in ("left", "right"))
    # cot(right) - cot(left) = track / wheelbase, of the inner and the outer wheel
    assert abs(1.0 / math.tan(right) - 1.0 / math.tan(left)) == pytest.approx(1.0 / 1.6, rel=0.02)


def test_robots_follow_circles():
    """A rover on tyres by its four steered wheels, two driven wheels by their torques: steady turns
    on the radius, the robot's to the accuracy of looking ahead."""
    for vehicle, radius, speed in (
        (V.rover(None, tyre=am.tyres.Linear()), 6.0, 1.0),
        (V.differential_drive(), -3.0, 0.6),
    ):
        turn = V.constant_radius(radius, speed, duration=24.0)
        found = V.drive(vehicle, turn, step=4e-3, every=5)
        assert found.run.complete
        assert found.yaw_rate()[-1] * radius == pytest.approx(speed, rel=0.08)
        assert found.speed()[-1] == pytest.approx(speed, rel=0.02)


def test_a_bicycle_goes_straight_and_is_not_steered():
    bicycle = V.bicycle()
    found = V.drive(bicycle, V.straight_braking(5.0, 3.0, 0.0, duration=0.5), step=5e-3)
    assert found.run.complete and found.speed()[0] == pytest.approx(5.0, rel=1e-12)
    # m v dv/dt of all that moves: the wheels' turning counts as mass I / r²
    rims = (("rear-wheel", 0.3), ("front-wheel", 0.35))
    bodies = {body.name: body.mass for body in bicycle.mechanism.model.bodies}
    inertia = bicycle.mass + sum(bodies[name].tensor[1] / r**2 for name, r in rims)
    push = 1.5 * sum(1.0 / r for _, r in rims)  # 3 N m on two wheels
    lasted = 0.5 - 0.2 / 2  # the brakes come within 0.2 s
    assert found.speed()[-1] == pytest.approx(5.0 - lasted * push / inertia, rel=1e-6)
    with pytest.raises(InputError, match="falls over"):
        V.drive(bicycle, V.step_steer(5.0))
    with pytest.raises(InputError, match="falls over"):
        V.drive(bicycle, V.slalom(5.0))
    with pytest.raises(InputError, match="follows no path backwards"):
        V.Driver(V.differential_drive(), -1.0, V.Straight())
    with pytest.raises(InputError, match="has no steering, and step steer gives an angle"):
        V.drive(V.differential_drive(), V.step_steer(1.0))


MADE = {
    "car": V.car,
    "rover": V.rover,
    "bicycle": V.bicycle,
    "differential-drive": V.differential_drive,
    "yesiloglu-car": V.yesiloglu_car,
}


@pytest.mark.parametrize("name", MADE)
def test_a_file_is_read_as_its_vehicle(name):
    made, found = MADE[name](), V.from_mechanism(am.load(FILES / f"{name}.yaml"))
    assert found.wheels == made.wheels and found.tyres == made.tyres
    assert (found.chassis, found.steering, found.rolling) == (
        made.chassis, made.steering, made.rolling,
    )  # fmt: skip
    assert np.allclose(found.axles, made.axles) and np.allclose(found.tracks, made.tracks)
    assert np.allclose(found.radii, made.radii, rtol=1e-9)
    assert [row[0] for row in found.steered] == [row[0] for row in made.steered]
    assert np.allclose([r[1:] for r in found.steered], [r[1:] for r in made.steered])
    if made.steering and name != "bicycle":  # its steering axis leans: 0.951 rad of yaw per rad
        assert found.steering_gain == pytest.approx(made.steering_gain, rel=1e-5)


def test_the_units_of_a_train_are_named():
    made = V.truck(1)
    found = V.from_mechanism(made.mechanism, units=made.units)
    assert found.units == made.units and found.wheelbase == pytest.approx(made.wheelbase)
    assert set(found.wheels) == set(made.wheels)


def test_what_is_no_vehicle_is_told():
    with pytest.raises(InputError, match="is no vehicle: no body on a hinge of its own has a tyre"):
        V.from_mechanism(am.example("six-r"))
    car = V.car().mechanism
    with pytest.raises(InputError, match="'tractor-left-wheel' turns none of its wheels"):
        V.from_mechanism(V.truck(0).mechanism, steering="tractor-left-wheel")
    with pytest.raises(ModelError, match="front-left-wheel"):
        V.from_mechanism(car, driven=["front-left-whel"])
    with pytest.raises(ModelError, match="rack"):
        V.from_mechanism(car, steering="rak")
    b = am.Builder("stand")
    b.body("frame", joint="revolute", axis="z", mass=10.0, inertia=(1.0, 1.0, 1.0))
    b.body("rim", "frame", "revolute", (1, 0, 0.3), axis="y", mass=1.0, inertia=(1.0, 1.0, 1.0))
    b.tyre("tyre", "rim", radius=0.3)
    with pytest.raises(InputError, match="A chassis is on a free or a planar joint"):
        V.from_mechanism(b.build())


@pytest.mark.parametrize(
    "make",
    [V.car, V.truck, V.rover, V.bicycle, V.differential_drive, lambda: V.truck(1, tyre="rolling")],
)
def test_vehicles_start_at_their_speed(make):
    """Every unit moves forward, and no constraint row opens."""
    vehicle = make()
    m, (q, v) = vehicle.mechanism, vehicle.start(3.0)
    for unit in vehicle.units:
        moved = np.asarray(m.velocity(q, v, unit, coordinates="world_aligned"))
        assert np.allclose(moved, [0, 0, 0, 3.0, 0, 0], atol=1e-12)
    if m.constraint_rows:
        assert np.abs(np.asarray(m.constraint_jacobian(q)) @ v).max() < 1e-12


def test_what_stands_on_points_does_not_drive():
    car = V.yesiloglu_car("standing")
    assert not car.start()[1].any() and car.stands and "they do not roll" in str(car)
    with pytest.raises(InputError, match="is on no free and no planar joint: it does not drive"):
        car.start(3.0)
    with pytest.raises(InputError, match="it does not drive"):
        V.drive(car, V.step_steer(3.0))


def test_an_arm_on_a_rover_is_held_and_may_be_let_go():
    """Held, it is a load: every joint stays; let go, it falls."""
    straight = V.straight_braking(1.0, 1.0, duration=0.2)
    arm = am.example("double-pendulum")
    held, loose = (V.rover(None).mount(arm, (0.0, 0.0, 0.4), held=x) for x in (True, False))
    assert held.held == ("arm_shoulder", "arm_elbow") and loose.held == ()
    for vehicle, moves in ((held, False), (loose, True)):
        run = V.drive(vehicle, straight, step=5e-3).run
        turned = np.abs(run.column("arm_elbow") - run.column("arm_elbow")[0]).max()
        assert turned > 0.01 if moves else turned < 1e-9
    read = V.from_mechanism(loose.mechanism, held=held.held)
    assert read.held == held.held
    with pytest.raises(ModelError, match="hinge or slide"):
        V.from_mechanism(loose.mechanism, held=("arm",))


def cart(*wheels):
    """A frame on tyres; wheels: (name, x, y), steered where the name has a star."""
    b = am.Builder("cart")
    b.body("frame", joint="free", at=(0, 0, 0.29), mass=200.0, inertia=(20.0, 40.0, 50.0))
    for name, x, y in wheels:
        parent, at = "frame", (x, y, 0.0)
        if name.endswith("*"):
            parent = f"{name[:-1]}-steer"
            b.body(parent, "frame", "revolute", at, axis="z", mass=2.0, inertia=(0.02, 0.02, 0.02))
            at = (0.0, 0.0, 0.0)
        own = name.removesuffix("*")
        b.body(own, parent, "revolute", at, axis="y", mass=6.0, inertia=(0.1, 0.2, 0.1))
        b.tyre(f"{own}-tyre", own, radius=0.3, model=am.tyres.Linear(stiffness=5e4))
    return V.from_mechanism(b.build())


CARTS = {
    "tricycle": (("front*", 0.8, 0.0), ("left", -0.6, 0.5), ("right", -0.6, -0.5)),
    "rear": (("left", 0.8, 0.5), ("right", 0.8, -0.5), ("back*", -0.6, 0.0)),
    "two-rear": (("a", 0.8, 0.4), ("b", 0.8, -0.4), ("c*", -0.6, 0.4), ("d*", -0.6, -0.4)),
}


@pytest.mark.parametrize("wheels", CARTS.values(), ids=CARTS.keys())
def test_steering_in_front_and_behind_turns_the_vehicle_to_the_left(wheels):
    """Slowly, curvature tan(angle)/L; a driver finds the circle, whichever wheels are steered."""
    vehicle = cart(*wheels)
    assert vehicle.wheelbase == pytest.approx(1.4)
    found = V.drive(vehicle, V.step_steer(1.0, 0.1, duration=3.0), step=4e-3)
    curvature = found.yaw_rate()[-1] / found.speed()[-1]
    assert curvature == pytest.approx(math.tan(0.1) / 1.4, rel=0.01)
    turn = V.drive(vehicle, V.constant_radius(15.0, 2.0, duration=10.0), step=4e-3, every=5)
    assert turn.yaw_rate()[-1] * 15.0 == pytest.approx(2.0, rel=0.1)


def test_a_steering_that_turns_all_wheels_alike_is_refused():
    b = am.Builder("crab")
    b.body("frame", joint="free", at=(0, 0, 0.29), mass=200.0, inertia=(20.0, 40.0, 50.0))
    for name, x in (("front", 0.7), ("back", -0.7)):
        b.body(f"{name}-steer", "frame", "revolute", (x, 0, 0), axis="z", mass=1.0)
        b.body(name, f"{name}-steer", "revolute", axis="y", mass=6.0, inertia=(0.1, 0.2, 0.1))
        b.tyre(f"{name}-tyre", name, radius=0.3, model=am.tyres.Linear(stiffness=5e4))
    b.coupling(Coupling("together", "front-steer", "back-steer"))
    with pytest.raises(InputError, match="turns all wheels alike"):
        V.from_mechanism(b.build())


@pytest.mark.parametrize("torque", [0.6, 4000.0])
def test_brakes_stop_a_small_robot_and_no_more(torque):
    """By hand: m v' of all that moves, the wheels' turning counted as I / r², until it stands; too
    strong a brake for the steps stops it within a few of them, and never drives it back."""
    robot = V.differential_drive()
    found = V.drive(robot, V.straight_braking(0.6, torque, 0.0, duration=1.0), step=2e-3)
    speed = found.speed()
    assert found.run.complete and np.abs(found.yaw_rate()).max() < 1e-9
    wheel = next(b.mass for b in robot.mechanism.model.bodies if b.name == "left-wheel")
    inertia = robot.mass + 2 * wheel.tensor[1] / 0.08**2
    if torque < 1.0:  # brakes come within 0.2 s
        assert speed[-1] == pytest.approx(0.6 - 0.9 * torque / 0.08 / inertia, rel=1e-3)
    else:
        assert speed.min() > -1e-3 and np.abs(speed[found.time > 0.3]).max() < 1e-6


def test_trailers_of_a_file_are_found():
    """A truck's record from its mechanism alone: units, wheelbase and drive of the tractor, not of
    the whole train; axles on leaf springs are no trailers."""
    truck = V.truck([V.Unit(hitch=8.0), V.Unit(mass=6e3, com=3.0, axle=3.1, coupling="drawbar")])
    read = V.from_mechanism(truck.mechanism)
    assert read.units == truck.units and read.wheelbase == pytest.approx(truck.wheelbase)
    assert set(read.driven) == {w for w in read.wheels if w.startswith(("front-", "tractor-"))}
    leaf = V.from_mechanism(V.car("double wishbone", V.SolidAxle(guide="leaf")).mechanism)
    assert leaf.units == ("chassis",) and leaf.wheelbase == pytest.approx(2.7)
    for vehicle in (V.rover(None), V.bicycle(), V.differential_drive()):
        assert V.from_mechanism(vehicle.mechanism).units == (vehicle.chassis,)
