"""Manoeuvres, drivers and what is read off, against the linear single-track model and hand sums."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armillary as am
from armillary.errors import InputError
from armillary.vehicles.vehicle import Vehicle

V = am.vehicles
MASS, YAW, A, B = 1200.0, 1800.0, 1.1, 1.5  # kg, kg m², m to the axles
CF, CR = 5e4, 6e4  # N/rad of each tyre
RADIUS, G = 0.3, 9.81


def single_track() -> Vehicle:
    """A chassis that stays level on four tyres without camber, trail or rolling resistance."""
    b = am.Builder("single track")
    load = MASS * G / 4.0
    z = RADIUS - load / 2e5
    rim = {"mass": 1e-3, "inertia": (0.5, 1.0, 0.5)}
    yaw = YAW - 4 * 0.5  # of the chassis alone
    b.body("chassis", joint="planar", axis="z", mass=MASS, com=(-A, 0, 0), inertia=(yaw, yaw, yaw))
    b.body("fork", "chassis", "revolute", (0, 0, z), axis="z", mass=1e-3, inertia=(1e-3,) * 3)
    wheels, tyres = [], []
    for axle, carrier, x, height, c in (
        ("front", "fork", 0.0, 0.0, CF), ("rear", "chassis", -A - B, z, CR),
    ):  # fmt: skip
        for side, y in (("left", 0.02), ("right", -0.02)):  # so narrow that sides are alike
            name = f"{axle}-{side}"
            b.body(f"{name}-wheel", carrier, "revolute", (x, y, height), axis="y", **rim)
            model = am.tyres.Linear(
                cornering=c, camber_stiffness=0.0, trail=0.0, rolling_resistance=0.0, mu=10.0,
                relaxation_x=0.0, relaxation_y=0.0,
            )  # fmt: skip
            b.tyre(f"{name}-tyre", f"{name}-wheel", radius=RADIUS, model=model)
            wheels.append(f"{name}-wheel")
            tyres.append(f"{name}-tyre")
    return Vehicle(
        b.build(), tuple(wheels), tuple(tyres), (z,) * 4, axles=(0.0, -A - B),
        tracks=(0.04, 0.04), steering="fork", steering_gain=1.0,
        driven=("rear-left-wheel", "rear-right-wheel"),
    )  # fmt: skip


def linear_model(speed, steer, times):
    """Lateral velocity (at the centre of mass) and yaw rate of the linear single-track model."""
    cf, cr = 2 * CF, 2 * CR

    def rates(t, x):
        v, r = x
        front = -cf * ((v + A * r) / speed - steer(t))
        rear = -cr * (v - B * r) / speed
        h = 1e-4  # the fork with its wheels, 1.001 kg m², reacts on the chassis
        turned = 1.001 * (steer(t + h) - 2.0 * steer(t) + steer(t - h)) / h**2
        return [(front + rear) / MASS - speed * r, (A * front - B * rear - turned) / YAW]

    found = solve_ivp(
        rates, (0.0, times[-1]), [0.0, 0.0], t_eval=times, rtol=1e-9, atol=1e-12, max_step=2e-3
    )
    return found.y


def gradient():
    """m / L (b / C_f - a / C_r), C of axles."""
    return MASS / (A + B) * (B / (2 * CF) - A / (2 * CR))


def test_step_steer_is_the_linear_single_track_model_at_small_angles():
    car = single_track()
    angle, speed = 1e-3, 20.0
    manoeuvre = V.step_steer(speed, angle, duration=2.0)
    found = V.drive(car, manoeuvre)
    v, r = linear_model(speed, manoeuvre.steer, found.time)
    assert np.abs(found.yaw_rate() - r).max() < 2e-4 * np.abs(r).max()
    steady = speed / (A + B + gradient() * speed**2) * angle
    assert found.yaw_rate()[-1] == pytest.approx(steady, rel=1e-3)
    ay = found.lateral_acceleration()
    expected = np.gradient(v, found.time) + speed * r
    assert np.abs(ay - expected)[5:-5].max() < 2e-3 * np.abs(expected).max()
    assert found.speed()[-1] == pytest.approx(speed, rel=1e-5)
    assert found.heading()[-1] == pytest.approx(np.trapezoid(r, found.time), rel=1e-3)


def test_understeer_gradient_is_that_of_the_axles():
    assert V.understeer_gradient(single_track(), most=0.5) == pytest.approx(gradient(), rel=0.02)


def test_a_driver_keeps_to_his_circle():
    car = single_track()
    found = V.drive(car, V.constant_radius(60.0, 8.0, duration=20.0))
    front = found._axle_path(["front-left-wheel", "front-right-wheel"])[-1]
    radius = math.hypot(front[0] - 10.0, front[1] - 60.0)
    assert radius == pytest.approx(60.0, abs=0.6)  # the driver cuts a little
    turning = found.yaw_rate()[-1] * 60.0
    assert turning == pytest.approx(8.0, rel=0.03)
    other = V.drive(car, V.constant_radius(-60.0, 8.0, duration=20.0))
    assert other.yaw_rate()[-1] == pytest.approx(-found.yaw_rate()[-1], rel=1e-3)


def test_the_lane_change_ends_in_its_lane():
    found = V.drive(single_track(), V.double_lane_change(12.0, duration=18.0))
    path = found._axle_path(["front-left-wheel", "front-right-wheel"])
    assert path[:, 1].max() == pytest.approx(3.5, abs=0.5)
    assert abs(path[-1, 1]) < 0.1


@pytest.fixture(scope="module")
def car():
    return V.car()


def test_a_driver_of_a_whole_car_keeps_his_lane(car):
    """Once to the left and back, without shimmy: the yaw rate turns round a few times only."""
    found = V.drive(car, V.double_lane_change(16.0, begin=10.0, duration=8.0), step=2e-3)
    path = found._axle_path(["front-left-wheel", "front-right-wheel"])
    assert path[:, 1].max() == pytest.approx(3.5, abs=0.5)
    turns = np.count_nonzero(np.diff(np.sign(np.diff(found.yaw_rate()[50::10]))))
    assert turns < 10


def contact(R, center):
    """Of a wheel with its road, z = 0: from the centre down in the wheel's plane."""
    up = np.array([0.0, 0.0, 1.0])
    axis = R[:, 1]
    down = (up @ axis) * axis - up
    return center - down * (center[2] / down[2])


def test_load_transfer_of_steady_turning_by_hand(car):
    """Moments about the middle of the road: Σ F_z y = m g y_c - m a_y h, with the centre of mass
    where the leaning body has it."""
    found = V.drive(car, V.step_steer(20.0, 0.02, duration=3.5), step=2e-3)
    assert found.run.complete
    q = found.run.q[-1]
    ay = found.yaw_rate()[-1] * found.speed()[-1]
    yaw = found.heading()[-1]
    left = np.array([-math.sin(yaw), math.cos(yaw), 0.0])
    places = {wheel: contact(*car.mechanism.pose(q, wheel)) for wheel in car.wheels}
    middle = np.mean(list(places.values()), axis=0)
    center = np.asarray(car.mechanism.center_of_mass(q))
    moment = sum(found.wheel_loads[w][-1] * (p - middle) @ left for w, p in places.items())
    expected = car.mass * (G * (center - middle) @ left - ay * center[2])
    assert moment == pytest.approx(expected, rel=0.03)  # wheels that spin add a little
    total = sum(load[-1] for load in found.wheel_loads.values())
    assert total == pytest.approx(car.mass * G, rel=5e-3)
    transfer = found.load_transfer()[-1]
    assert transfer == pytest.approx(-2.0 * moment / (1.51 * total), rel=0.02)  # mean track 1.51 m
    assert transfer > 0 and found.roll()[-1] > 0.01  # to the left: it leans on the right side
    assert found.roll_over_warning() == (None, None)
    assert "load transfer" in str(found) and "WARNING" not in str(found)
    assert len(found.plot().axes) == 4


def test_a_guard_prevents_the_roll_over():
    """A high body tips in a turn that the guarded driver passes more slowly (document 002, 6.2)."""
    tall = V.car(com=(-1.24, 0.0, 1.6), tyre=am.tyres.Linear(mu=1.4, cornering=9e4))
    turn = V.ramp_steer(18.0, 0.02, duration=4.0)
    fast = V.drive(tall, turn, step=2e-3)
    warned, lifted = fast.roll_over_warning()
    assert warned is not None and lifted is not None and warned < lifted - 0.5
    assert "WARNING" in str(fast)
    guard = V.RollOverGuard(height=float(tall.center_of_mass[2]), track=float(np.mean(tall.tracks)))
    slow = V.drive(tall, turn, step=2e-3, guard=guard)
    assert slow.roll_over_index.max() < 0.7
    assert slow.speed()[-1] < fast.speed()[-1] - 1.0


def test_replay_gives_the_contact_forces_of_a_motion():
    """Measured motion -> tyre forces, as the run had them (document 002, 1.3); steady tyres."""
    car = V.car(tyre=am.tyres.Linear(relaxation_x=0.0, relaxation_y=0.0))
    found = V.drive(car, V.step_steer(15.0, 0.02, duration=1.0), step=2e-3)
    again = am.replay(car.mechanism, found.run, record="tyres")
    assert np.allclose(again["tyres"], found.run["tyres"], rtol=1e-9, atol=1e-6)


def test_brakes_slow_down_by_hand(car):
    """Torque / radius / (mass and what turns), and the rolling resistance of the tyres."""
    found = V.drive(car, V.straight_braking(20.0, 2500.0, duration=1.2), step=2e-3)
    a = np.gradient(found.speed(), found.time)[400:600].mean()
    r = car.radii[0]
    turning = 4 * 1.0 / r**2  # four wheels of about 1 kg m²
    assert a == pytest.approx(-2500.0 / r / (car.mass + turning) - 0.01 * G, rel=0.04)
    assert np.abs(found.heading()).max() < 1e-3


def test_bad_input(car):
    with pytest.raises(InputError, match="speed is a number more than 0"):
        V.step_steer(speed=-3.0)
    with pytest.raises(InputError, match="expected a manoeuvre"):
        V.drive(car, "slalom")
    with pytest.raises(InputError, match=r"vehicle of am\.vehicles"):
        V.drive(car.mechanism, V.slalom())
    with pytest.raises(InputError, match="radius"):
        V.Circle(0.0)
    with pytest.raises(InputError, match="preview"):
        V.Driver(car, 10.0, V.Straight(), preview=0.0)


@pytest.fixture(scope="module")
def split_car():
    return V.car(road=am.roads.Plane(mu=am.roads.Split(1.0, 0.3)))


def test_brakes_on_split_friction(split_car):
    """The whole drive: impulses of the tyres and of the weight are the change of momentum, their
    moments about the vertical through the centre of mass that of the angular momentum; the car
    turns and drifts to the side that grips."""
    m = split_car.mechanism
    braking = V.straight_braking(20.0, 2500.0, duration=1.6, driver=False)
    found = V.drive(split_car, braking, step=2e-3, record="element_forces")
    run = found.run
    assert run.complete and np.abs(run.column("rack")).max() == 0.0
    force, moment = np.zeros((len(run.time), 3)), np.zeros(len(run.time))
    center = np.asarray(m.center_of_mass(run.q))
    for wheel, tyre in zip(split_car.wheels, split_car.tyres, strict=True):
        labels = [run.labels["element_forces"].index(f"{tyre}.{x}") for x in
                  ("nx", "ny", "nz", "fx", "fy", "fz")]  # fmt: skip
        wrench = run["element_forces"][:, labels]
        R, p = (np.asarray(x) for x in m.pose(run.q, wheel))
        n, f = (np.einsum("tij,tj->ti", R, wrench[:, k : k + 3]) for k in (0, 3))
        force += f
        x, y, _ = (p - center).T
        moment += n[:, 2] + x * f[:, 1] - y * f[:, 0]
    force[:, 2] -= split_car.mass * G
    momentum = np.asarray(m.momentum(run.q, run.v))
    gained = np.trapezoid(force, run.time, axis=0)
    size = np.abs(gained).max()
    assert size > 4000.0  # N s
    assert np.allclose(momentum[-1, 3:] - momentum[0, 3:], gained, atol=1e-3 * size)
    turned = np.trapezoid(moment, run.time)
    assert turned > 100.0  # N m s
    assert momentum[-1, 2] - momentum[0, 2] == pytest.approx(turned, rel=5e-3)
    # left tyres brake harder: to the left it turns, and drifts
    late = run.time > 0.8
    left, right = (
        sum(found.tyre(f"{axle}-{side}-tyre", "Fx")[late] for axle in ("front", "rear"))
        for side in ("left", "right")
    )
    assert (left < 1.3 * right).all() and (right < 0.0).all()
    assert found.heading()[-1] > 0.1 and center[-1, 1] > 0.2
    mu = [found.tyre(f"front-{side}-tyre", "mu")[0] for side in ("left", "right")]
    assert mu[0] / mu[1] == pytest.approx(1.0 / 0.3)


def test_a_driver_steers_against_split_friction(split_car):
    braking = V.straight_braking(20.0, 2500.0, duration=1.6)
    found = V.drive(split_car, braking, step=2e-3)
    assert found.run.column("rack")[-1] < -2e-3 and found.heading()[-1] < 0.1
