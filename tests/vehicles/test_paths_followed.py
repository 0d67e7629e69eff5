"""Drives stay on their paths, or say that they do not: circles by their geometry, whole turns."""

import json
import math

import numpy as np
import pytest
from test_manoeuvres import gradient, single_track
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.scalar import cos, sin
from armillary.sim.control.chain import RunChain
from armillary.sim.control.tracing import TracedChain
from armillary.sim.loop.stream import stream
from armillary.vehicles.manoeuvres import _road_begins

V = am.vehicles

CIRCLES = {  # vehicle, radius m, speed m/s, m that it may be off
    "car": (V.car, 10.0, 5.0, 0.5),
    "truck": (lambda: V.truck(1), -14.0, 5.0, 0.4),
    "rolling truck": (lambda: V.truck(1, tyre="rolling"), 14.0, 5.0, 0.4),
    "rover": (lambda: V.rover(None, tyre=am.tyres.Linear()), 4.0, 1.5, 0.2),
    "rolling rover": (lambda: V.rover(None), -4.0, 1.5, 0.2),
    "robot": (V.differential_drive, 1.0, 0.6, 0.03),
}


@pytest.mark.parametrize("name", CIRCLES)
def test_a_circle_stays_a_circle(name):
    """More than a whole turn, on the circle and at its rate, v / R."""
    make, radius, speed, off = CIRCLES[name]
    turn = V.constant_radius(radius, speed, 9.0 * abs(radius) / speed)
    found = V.drive(make(), turn, step=5e-3)
    assert found.run.complete and not found.run.message
    x, y, _ = np.asarray(found.vehicle.mechanism.pose(found.run.q, found.vehicle.chassis)[1]).T
    assert np.sign(radius) * found.heading()[-1] > 2.0 * math.pi
    away = np.hypot(x - turn.path.begin, y - radius) - abs(radius)
    assert np.abs(away[x > turn.path.begin]).max() < off
    last = found.time > 0.9 * found.time[-1]
    assert np.abs(away[last]).max() < 0.4 * off
    assert found.yaw_rate()[last] * radius == pytest.approx(speed, rel=0.05)


def test_understeer_on_a_speed_ramp_is_that_of_the_axles():
    """ISO 4138 at constant radius, more than a whole turn: m / L (b / C_f - a / C_r)."""
    ramp = V.constant_radius(60.0, lambda t: 8.0 + 0.15 * t, duration=40.0)
    found = V.drive(single_track(), ramp)
    assert found.run.complete and found.heading()[-1] > 2.0 * math.pi
    assert found.understeer_gradient() == pytest.approx(gradient(), rel=0.03)


class Eight(V.Path):
    """x = a sin(s / a), y = a sin(s / a) cos(s / a): crosses itself."""

    room = 0.5

    def point(self, s):
        return 4.0 * sin(s / 4.0), 4.0 * sin(s / 4.0) * cos(s / 4.0)


def test_a_figure_eight_of_ones_own():
    """Left in one loop and right in the other, through the origin at each crossing."""
    robot = V.differential_drive()
    q, v = robot.start(1.0)
    q[0], q[3] = math.cos(math.pi / 8), math.sin(math.pi / 8)  # the eight begins along 45 degrees
    driver = V.Driver(robot, 1.0, Eight())
    run = am.simulate(robot.mechanism, q, v, 35.0, 5e-3, controller=driver,
                      record="q,states", project_start=True)  # fmt: skip
    assert run.complete
    x, y = run.column("q.chassis.px"), run.column("q.chassis.py")
    # (y / a)² = (x / a)² (1 - (x / a)²) for all of it
    a = 4.0
    assert np.abs(y**2 - x**2 * (1.0 - (x / a) ** 2)).max() < 0.15 * a
    assert x.max() == pytest.approx(a, abs=0.1) and x.min() == pytest.approx(-a, abs=0.1)
    heading = np.unwrap(2.0 * np.arctan2(run.column("q.chassis.z"), run.column("q.chassis.w")))
    assert np.ptp(heading) > 1.5 * math.pi and run.column("states.driver.way")[-1] > 8.0 * math.pi


def test_a_circle_by_its_length():
    path = V.Circle(-5.0, begin=3.0)
    s = np.linspace(0.0, 40.0, 400)
    x, y = path.point(s)
    steps = np.hypot(np.diff(x), np.diff(y))
    assert np.allclose(steps, s[1], rtol=1e-3)
    on = s > 3.1
    assert np.allclose(np.hypot(x - 3.0, y + 5.0)[on], 5.0) and np.allclose(y[s < 3.0], 0.0)
    assert np.allclose(path.curvature(s[on]), -0.2, rtol=1e-5)
    for k in (5, 40, 90, 300):  # s where a vehicle takes it up: within the first turn
        again = path.near(x[k], y[k])
        assert np.allclose(path.point(again), (x[k], y[k])) and again <= 3.0 + 10.0 * math.pi
    along, left = path.beside(s[50], *path.point(s[50]))
    assert abs(along) < 1e-12 and abs(left) < 1e-12


def test_a_drive_that_leaves_its_path_says_so(tmp_path):
    """1 g of friction does not hold 20 m/s² on the circle; the file of the run knows it too."""
    turn = V.constant_radius(20.0, 20.0, duration=4.0)
    car = V.car()
    found = V.drive(car, turn, step=4e-3, out=tmp_path / "run.nc")
    assert not found.run.complete and found.time[-1] < 4.0
    assert "'car' has left its path by 2.7 m, at t = " in found.run.message
    assert "not complete: stopped: 'car' has left its path" in str(found)
    again = am.load_run(tmp_path / "run.nc")
    assert not again.complete and again.message == found.run.message
    x, y = (found.run.column(f"q.chassis.p{k}")[-1] for k in "xy")
    off = math.hypot(x - turn.path.begin, y - 20.0) - 20.0
    assert off == pytest.approx(2.7, rel=5e-3)
    free = V.Driver(car, 20.0, turn.path, room=math.inf)
    assert len(free.alarms) == 1  # it may fall over


def test_equal_drivers_share_their_code():
    """A second drive of a vehicle compiles nothing: what is watched does not tell drivers apart."""
    robot = V.differential_drive(tyre=am.tyres.Linear(stiffness=2e4))

    def key():
        guard = V.RollOverGuard(0.2, 0.4)
        driver = V.Driver(robot, 1.0, V.Circle(4.0), guard=guard)
        chain = RunChain(driver, None, None)
        return TracedChain(chain, [0.0] * robot.mechanism.nv).key

    assert key() is not None and key() == key()


def test_a_vehicle_that_falls_over_says_so():
    found = V.drive(V.truck(1), V.step_steer(20.0, 0.08, duration=8.0), step=4e-3)
    assert not found.run.complete and found.time[-1] < 8.0
    assert "of 'truck' has fallen over: it leans by more than 1 rad" in found.run.message
    most = max(np.abs(found.roll(unit)).max() for unit in found.vehicle.units)
    assert most == pytest.approx(1.0, abs=0.02)


NOT_REACHED = {
    "circle": (V.car, V.constant_radius(60.0, 5.0, duration=1.0), "after 10 m, and the run ends"),
    "slalom": (V.differential_drive, V.slalom(0.5, duration=0.5), "begins after 30 m"),
    "step": (V.car, V.step_steer(20.0, at=0.5, duration=0.3), "begins at 0.5 s, and the run ends"),
    "brakes": (V.bicycle, V.straight_braking(5.0, 3.0, duration=0.2), "begins at 0.5 s"),
}


@pytest.mark.parametrize("name", NOT_REACHED)
def test_a_manoeuvre_that_is_not_reached_is_told(name):
    make, manoeuvre, text = NOT_REACHED[name]
    found = V.drive(make(), manoeuvre, step=5e-3)
    assert not found.run.complete and found.time[-1] == manoeuvre.duration
    assert text in found.run.message and "has not reached its manoeuvre" in str(found)


@pytest.mark.parametrize("steps", [1, 4, 10, 11])
def test_the_shortest_drives_are_shown(steps):
    """What takes differences over time is left out where there are too few instants."""
    found = V.drive(V.differential_drive(), V.bump_crossing(0.5, 5e-3 * steps), step=5e-3)
    assert "speed at the end" in str(found) and len(found.time) == steps + 1
    assert ("lateral acceleration" in str(found)) == (steps > 9)
    with pytest.raises(am.InputError, match="has no steering"):
        found.understeer_gradient()


def test_a_bump_that_is_not_reached_is_told():
    """The manoeuvre is the road's: it begins where that does."""
    car = V.car(road=am.roads.Bump(start=5.0, length=0.5, height=0.02))
    driver = V.Driver(car, 10.0, V.Straight(), reach=_road_begins(car))
    assert "begins after 5 m, and the run ends after 4 m" in driver.undone(0.4, [0, 0, 4.0, 0, 0])
    assert not driver.undone(0.6, [0, 0, 6.0, 0, 0]) and _road_begins(V.truck(1)) == 0.0


def test_the_command_line_says_so():
    words = ["drive", "differential-drive", "constant-radius", "--radius", "3", "--speed", "0.6"]
    short = CliRunner().invoke(app, [*words, "--for", "0.5", "--json"])
    assert short.exit_code == 1
    assert "begins after 0.5 m" in json.loads(short.stdout)["message"]
    turned = CliRunner().invoke(app, [*words, "--for", "2", "--json"])
    assert turned.exit_code == 0
    assert json.loads(turned.stdout)["greatest"]["yaw rate"]["value"] > 0.15


def test_of_runs_side_by_side_each_says_so():
    """One that begins far beside its path and one on it."""
    robot = V.differential_drive()
    q, v = (np.tile(x, (2, 1)) for x in robot.start(0.6))
    turned = 0.5 * (2.0 * math.pi / 3.0)  # half of the angle: away from the path
    q[1, [0, 3]] = math.cos(turned), math.sin(turned)
    driver = V.Driver(robot, 0.6, V.Circle(2.0, 0.5), room=0.3)
    run = am.simulate(robot.mechanism, q, v, 3.0, 5e-3, controller=driver, project_start=True)
    assert not run.complete and "run 1: " in run.message and "run 0: " not in run.message
    assert "has left its path by 0.3 m" in run.message


def guarded(vehicle):
    return V.RollOverGuard(float(vehicle.center_of_mass[2]), float(np.mean(vehicle.tracks)))


def test_a_guard_saves_the_triple_trailer():
    """By the contact forces of all units [Yesiloglu2007, 6.2]: its trailers lean long before the
    steady turning of the tractor tells: without it a side lifts at 3.27 s.  Where it has no more to
    give, it says so."""
    train = V.truck(3)
    turn = V.ramp_steer(18.0, 0.02, duration=4.5)
    saved = V.drive(train, turn, step=4e-3, guard=guarded(train))
    assert saved.run.complete and saved.roll_over_warning()[1] is None
    assert saved.roll_over_index.max() < 0.8
    (note,) = saved.run.events
    assert "the roll-over guard brakes with all it has, 5 m/s²" in note[1] and note[1] in str(saved)
    # it takes 5 m/s² times the mass, whatever the vehicle: Newton's law for all of it
    speed, time = saved.speed(), saved.time
    hard = (time > note[0] + 0.2) & (time < note[0] + 0.6)
    assert np.polyfit(time[hard], speed[hard], 1)[0] == pytest.approx(-5.0, rel=0.25)


def test_studies_hear_it_too():
    """Runs whose states are not kept give the same reasons, run by run."""

    class Nobody:
        forces = False

        def __call__(self, state):
            pass

        def many(self, times, batch):
            pass

    robot = V.differential_drive()
    q, v = (np.tile(x, (2, 1)) for x in robot.start(0.6))
    v[1] *= 0.1
    driver = V.Driver(robot, None, V.Circle(2.0, 0.2))
    given = {"mechanism": robot.mechanism, "duration": 0.5, "step": 5e-3, "controller": driver}
    start = {"q0": q, "v0": v, "project_start": True}
    found = stream(given | start, lambda system, watched: Nobody())
    assert not found.reason(0) and "has not reached its manoeuvre" in found.reason(1)
    alone = stream(given | start | {"q0": q[1], "v0": v[1]}, lambda system, watched: Nobody())
    assert not alone.complete and alone.message == found.reason(1)
