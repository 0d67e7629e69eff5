"""Roads under wheels: a quarter car and a rolling wheel over a bump, against SciPy."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import armillary as am
from armillary.errors import InputError

SPRUNG, UNSPRUNG, SPRING, DAMPER, TYRE, TYRE_LOSS = 300.0, 40.0, 18e3, 1.2e3, 180e3, 60.0


@cache
def bump_road():
    """A bump of 6 cm over 2 m, from 1 m on."""
    s = np.linspace(0.0, 6.0, 61)
    z = np.where((s > 1) & (s < 3), 0.03 * (1 - np.cos(np.pi * (s - 1))), 0.0)
    return am.RoadProfile(s, z), CubicSpline(s, z, bc_type="clamped")


@cache
def quarter_car():
    """Road, hub on the tyre's spring, body on the suspension; heights above their rest."""
    b = am.Builder("quarter-car", gravity=(0, 0, 0))
    b.body("road", joint="prismatic", axis="z")
    b.body("hub", "road", "prismatic", axis="z", mass=UNSPRUNG,
           passive=am.Passive(spring=TYRE, viscous=TYRE_LOSS))  # fmt: skip
    b.body("car", "hub", "prismatic", axis="z", mass=SPRUNG,
           passive=am.Passive(spring=SPRING, viscous=DAMPER))  # fmt: skip
    return b.build()


def quarter_car_by_scipy(road, speed, times):
    def rate(t, y):
        hub, car, hub_rate, car_rate = y
        z, dz = road(speed * t), speed * road(speed * t, 1)
        suspension = SPRING * (hub - car) + DAMPER * (hub_rate - car_rate)
        tyre = TYRE * (z - hub) + TYRE_LOSS * (dz - hub_rate)
        return [hub_rate, car_rate, (tyre - suspension) / UNSPRUNG, suspension / SPRUNG]

    return solve_ivp(rate, (0, times[-1]), np.zeros(4), "DOP853", times, rtol=1e-11, atol=1e-12,
                     max_step=2e-3).y  # fmt: skip


@pytest.mark.parametrize("speed", [3.0, 8.0])
def test_a_quarter_car_over_a_bump(speed):
    road, curve = bump_road()
    run = am.simulate(quarter_car(), step=5e-4, every=20, prescribed={"road": road.under(speed)},
                      record=("q", "prescribed_force"))  # fmt: skip
    hub, car, *_ = quarter_car_by_scipy(
        lambda s, k=0: curve(s, k) if s < 6 else 0.0, speed, run.time
    )
    np.testing.assert_allclose(run.q[:, 0] + run.q[:, 1], hub, atol=2e-7)
    np.testing.assert_allclose(run.q.sum(axis=1), car, atol=2e-7)
    assert np.ptp(car) > 0.01
    tyre = -TYRE * run.q[:, 1]
    assert np.corrcoef(run.prescribed_force[:, 0], tyre)[0, 1] > 0.99  # the road carries the tyre


@cache
def rolling_car(ground=False):
    """A car that travels along x on a wheel; the suspension carries the sprung mass."""
    b = am.Builder("rolling", gravity=(0, 0, -9.81))
    if ground:
        b.body("plate", joint="prismatic", axis="z", mass=0.0)
    b.body("frame", joint="prismatic", axis="x", mass=1.0)
    b.body("hub", "frame", "prismatic", axis="z", mass=UNSPRUNG)
    b.body("car", "hub", "prismatic", axis="z", mass=SPRUNG,
           passive=am.Passive(spring=SPRING, viscous=DAMPER))  # fmt: skip
    b.body("tyre", "hub", "revolute", axis="y", mass=8.0, inertia=(0.3, 0.5, 0.3))
    rows = ("normal", "longitudinal")
    b.wheel(am.Wheel("wheel", "tyre", 0.3, rows=rows, ground="plate" if ground else "world"))
    b.initial = {"hub": 0.3, "car": -SPRUNG * 9.81 / SPRING}
    return b.build()


def test_a_rolling_wheel_on_a_road():
    """The hub follows the road and the wheel rolls; the car is a mass on a driven spring (SciPy).
    The road is the normal row of the wheel, or a plate below it that is driven: the same forces."""
    road, curve = bump_road()
    speed, sag = 4.0, SPRUNG * 9.81 / SPRING
    travel = lambda t: (speed * t, speed, 0.0)  # noqa: E731
    prescribed = {"wheel": road.under(travel), "frame": travel}
    start = {"v0": [speed, 0, 0, speed / 0.3]}
    record = ("q", "v", "constraint_forces", "constraint_power")
    run = am.simulate(rolling_car(), prescribed=prescribed, every=20, record=record, **start)
    z = np.array([curve(speed * t) for t in run.time])
    np.testing.assert_allclose(run.q[:, 1], 0.3 + z, atol=1e-13)
    np.testing.assert_allclose(run.q[:, 3], run.q[:, 0] / 0.3, atol=1e-9)

    def rate(t, y):  # stretch of the suspension
        push = speed**2 * curve(speed * t, 2)
        return [y[1], -push - 9.81 - (SPRING * y[0] + DAMPER * y[1]) / SPRUNG]

    exact = solve_ivp(rate, (0, 1), [-sag, 0], "DOP853", run.time, rtol=1e-11, atol=1e-12,
                      max_step=2e-3).y[0]  # fmt: skip
    np.testing.assert_allclose(run.q[:, 2], exact, atol=2e-7)
    plate = am.simulate(rolling_car(True), None, [0, *start["v0"]], every=20,
                        prescribed={"plate": road.under(speed), "frame": travel},
                        record=("q", "constraint_forces"))  # fmt: skip
    np.testing.assert_allclose(plate.q[:, 1:], run.q, atol=1e-9)
    column = [run.labels["constraint_forces"].index(f"wheel.f{x}") for x in "xyz"]
    other = [plate.labels["constraint_forces"].index(f"wheel.f{x}") for x in "xyz"]
    normal = np.linalg.norm(run.constraint_forces[:, column], axis=1)
    np.testing.assert_allclose(normal, np.linalg.norm(plate.constraint_forces[:, other], axis=1),
                               rtol=1e-6)  # fmt: skip


def test_axles_see_the_road_one_after_the_other():
    road, curve = bump_road()
    travel = am.trajectories.quintic([0.0], [5.0], 2.0)
    front, rear = road.under(travel), road.under(travel, -1.5)
    for t in (1.0, 1.2, 1.4):
        s, v, a = (x[0] for x in travel(t))
        for motion, place in ((front, s), (rear, s - 1.5)):
            slope, bend = curve(place, 1), curve(place, 2)
            expected = [curve(place), slope * v, bend * v * v + slope * a]
            np.testing.assert_allclose(motion(t), expected, atol=1e-12)
    np.testing.assert_allclose(road(-1.0), [0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(road(9.0), [0, 0, 0], atol=1e-12)


def test_roads_from_files(tmp_path):
    file = tmp_path / "road.csv"
    file.write_text("# two tracks\ndistance,left,right\n0,0,0\n1,0.1,0.2\n2,0,0\n")
    assert am.RoadProfile.from_csv(file)(1.0)[0] == pytest.approx(0.1)
    assert am.RoadProfile.from_csv(file, "right")(1.0)[0] == pytest.approx(0.2)
    with pytest.raises(InputError, match="no column 'middle'; found left, right"):
        am.RoadProfile.from_csv(file, "middle")
    file.write_text("time,height\n0,0\n1,1\n")
    with pytest.raises(InputError, match="first column must be"):
        am.RoadProfile.from_csv(file)
    file.write_text("distance,z,z\n0,0,1\n1,1,0\n")
    with pytest.raises(InputError, match="the column 'z' is there twice"):
        am.RoadProfile.from_csv(file)
    with pytest.raises(InputError, match=r"row 3 has 1 m after 1 m. A step has no slope"):
        am.RoadProfile([0, 1, 1], [0, 0, 0.1])
    with pytest.raises(InputError, match="T > 1"):
        am.RoadProfile([0], [0])


def test_wheels_that_are_lifted_together_and_alone():
    """Twelve redundant rows: the rover heaves with its ground, m (g + x'') on its wheels; one wheel
    alone contradicts the other three."""
    rover = am.example("rover")
    rover = rover.lock({name: 0.0 for name in rover.joints if "steer" in name})

    def lift(t):
        return 0.02 * (1 - np.cos(5 * t)), 0.1 * np.sin(5 * t), 0.5 * np.cos(5 * t)

    wheels = rover.constraints
    motion = dict.fromkeys(wheels, lift)
    record = ("q", "drift", "constraint_forces", "constraint_power")
    run = am.simulate(rover, None, None, 0.4, 4e-3, prescribed=motion, every=10, record=record)
    heave = run.column("q.chassis.pz") - run.column("q.chassis.pz")[0]
    np.testing.assert_allclose(heave, lift(run.time)[0], atol=1e-14)
    assert np.abs(run.drift).max() < 1e-13
    mass = sum(body.mass.mass for body in rover.model.bodies)
    forces = run.constraint_forces.reshape(len(run), 4, 6)[..., 3:].sum(axis=1)
    needed = mass * (9.81 + lift(run.time)[2])
    np.testing.assert_allclose(np.linalg.norm(forces, axis=1), needed, rtol=1e-9)
    np.testing.assert_allclose(
        run.constraint_power.sum(axis=1), needed * lift(run.time)[1], atol=1e-6
    )
    with pytest.raises(am.ModelError, match="contradict each other"):
        am.simulate(rover, prescribed={wheels[0]: lift})


def test_a_road_that_was_driven_is_as_before():
    road, curve = bump_road()
    motion = road.under(3.0)
    am.simulate(quarter_car(), duration=0.1, prescribed={"road": motion})
    for t in (0.2, 0.5, 1.1):
        np.testing.assert_allclose(motion(t)[0], curve(3.0 * t), atol=1e-14)
