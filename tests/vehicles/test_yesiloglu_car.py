"""The car of [Yesiloglu2007, 5.4] drives: straight, over a bump, through a lane change; suspensions
of five degrees are steered by a trapezoid."""

import math

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError

V = am.vehicles
STEP, SPEED = 2.5e-3, 10.0


@pytest.fixture(scope="module")
def car():
    return V.yesiloglu_car()


def normal(run):
    """Forces of the road across it (T, 4), N."""
    names = [label for label in run.labels["wheel_forces"] if label.endswith("normal")]
    assert len(names) == 4
    return np.asarray(run["wheel_forces"])[:, ::3]


def center(car, run):
    return np.asarray(car.mechanism.center_of_mass(run.q))


def test_it_rests_and_rolls_straight_on(car):
    """Loads by the lever rule, nothing along the road, and no change of any of it at 10 m/s."""
    m, weight = car.mechanism, 9.81 * car.mass
    rear = -car.center_of_mass[0] / car.wheelbase * weight
    q, v = car.start(SPEED)
    run = am.simulate(m, q, v, duration=1.0, step=STEP, every=8, record="q,v,wheel_forces")
    F = np.asarray(run["wheel_forces"])
    loads = normal(run)
    assert loads[0, :2].sum() == pytest.approx(weight - rear, rel=1e-9)
    assert loads[0, 2:].sum() == pytest.approx(rear, rel=1e-9)
    assert loads[0, 0] == pytest.approx(loads[0, 1], rel=1e-9)
    assert np.abs(np.delete(F, slice(0, None, 3), axis=1)).max() < 1e-6 * weight
    assert run.complete and np.abs(loads / loads[0] - 1.0).max() < 1e-6
    assert run.column("chassis.px")[-1] == pytest.approx(SPEED, rel=1e-9)
    for speed in (10.0, 20.0):  # no shimmy of wheels that are held by springs alone
        q, v = car.start(speed)
        rates = np.linalg.eigvals(m.linearize(q, v, tau=np.zeros(m.nv)).A)
        assert rates.real[np.abs(rates.imag) > 1.0].max() < -1.0
    assert np.abs(run.column("chassis.pz")).max() < 1e-9


def test_two_trees_of_one_car(car):
    """From the chassis outward with rolling rings, and from the road inward by the nine arms: at
    rest a rolling contact and a ball joint hold the same, so the same springs give the same
    accelerations (but for two small bodies that close the loops of the arms)."""
    arms = V.yesiloglu_car("standing", steered=True)
    found = []
    for m in (car.mechanism, arms.mechanism):
        tau = np.zeros(m.nv)
        for name, push in (("rear-right-swing", 100.0), ("front-left-turn", 30.0)):
            tau[m.v_labels.index(name)] = push
        a = m.forward_dynamics(m.initial, np.zeros(m.nv), tau)
        names = ("rear-right-swing", "front-left-swing", "front-left-camber", "front-left-turn")
        found.append([a[m.v_labels.index(name)] for name in names])
    assert np.allclose(*found, rtol=5e-3)
    assert arms.stands and not car.stands
    assert "ball joints on the road" in str(arms.mechanism.report)


def test_the_road_lifts_it_over_a_bump(car):
    """Newton: at any time the loads are the weight and mass x acceleration of the centre of mass,
    seen by differences of its path; behind a bump and a step up the chassis is as much higher."""
    s = np.linspace(0.0, 8.0, 81)
    step_up = 0.03 * np.clip((s - 4.0) / 2.0, 0.0, 1.0)
    road = am.RoadProfile(
        s, step_up + np.where(abs(s - 2.0) < 1.0, 0.02 + 0.02 * np.cos(np.pi * (s - 2.0)), 0.0)
    )
    before = {t: 0.0 if t.startswith("front") else -car.wheelbase for t in car.tyres}
    under = {tyre: road.under(SPEED, offset) for tyre, offset in before.items()}
    bump = V.bump_crossing(SPEED, duration=2.4)
    run = V.drive(car, bump, step=STEP, prescribed=under, record="wheel_forces").run
    assert run.complete
    t, z, loads = run.time, center(car, run)[:, 2], normal(run)
    rising = np.gradient(np.gradient(z, t), t)
    wanted = car.mass * (9.81 + rising)
    off = np.abs(loads.sum(axis=1) - wanted)[5:-5]
    assert off.max() < 0.02 * np.abs(car.mass * rising).max()
    front = loads[:, :2].sum(axis=1)
    assert front.max() > 1.3 * front[0] and loads.min() > 0.0
    assert z[-1] - z[0] == pytest.approx(0.03, abs=1e-3)
    assert loads[-1] == pytest.approx(loads[0], rel=0.03)


def test_it_changes_lanes(car):
    """On the path of the manoeuvre; the road pushes it sideways with mass x acceleration; the right
    wheel turns as the closed form of the trapezoid says."""
    change = V.double_lane_change(12.0, begin=5.0, length=25.0, stay=5.0, duration=6.5)
    found = V.drive(car, change, step=STEP, every=4, record="wheel_forces")
    run = found.run
    assert run.complete and found.speed()[-1] == pytest.approx(12.0, rel=1e-2)
    x, y = (run.column(f"chassis.p{k}") for k in "xy")
    assert np.abs(y - [change.path.across(float(k)) for k in x]).max() < 0.8
    assert y.max() == pytest.approx(3.5, abs=0.3) and abs(y[-1]) < 0.1
    path, t = center(car, run)[:, :2], run.time
    a = np.gradient(np.gradient(path, t, axis=0), t, axis=0)
    F = np.asarray(run["wheel_forces"])
    yaw = found.heading()
    across = -np.sin(yaw) * a[:, 0] + np.cos(yaw) * a[:, 1]
    sideways = F[:, 2::3].sum(axis=1)  # across the wheels' tracks, which are steered a little
    assert np.abs(sideways - car.mass * across)[5:-5].max() < 0.08 * car.mass * across.max()
    left, right = (run.column(f"front-{side}-knuckle") for side in ("left", "right"))
    trapezoid = V.Trapezoid(wheelbase=car.wheelbase, pins=1.30)
    assert left.max() > 0.02
    for k in (int(left.argmax()), int(left.argmin())):
        assert right[k] == pytest.approx(trapezoid.right_angle(float(left[k])), abs=1e-9)


def test_suspensions_of_five_degrees_are_steered():
    """Curvature tan(angle) / L of slow turns; the cures that errors name."""
    made = V.car("five-degree", V.TrailingArm())
    assert made.steering == "front-left-knuckle"
    rest = made.mechanism.forward_dynamics(*made.start(), np.zeros(made.mechanism.nv))
    assert np.abs(rest).max() < 1e-7
    found = V.drive(made, V.step_steer(2.0, 0.1, duration=3.0), step=STEP, every=8)
    curvature = found.yaw_rate()[-1] / found.speed()[-1]
    assert curvature == pytest.approx(math.tan(0.1) / made.wheelbase, rel=0.03)
    with pytest.raises(InputError, match=r"no tie rods for a rack. Take a Trapezoid"):
        V.car("five-degree", steering=V.Rack())
    with pytest.raises(InputError, match=r"or a FiveDegree, not on a DoubleWishbone. Take a Rack"):
        V.Axle("double wishbone", V.Trapezoid())
    with pytest.raises(InputError, match=r"not on a TrailingArm. Take no steering"):
        V.Axle("trailing arm", V.Trapezoid())
    with pytest.raises(InputError, match="inner and outer stand above each other"):
        V.FiveDegree(inner=(0.0, 0.5, 0.4), outer=(0.0, 0.5, 0.3))
