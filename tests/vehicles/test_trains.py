"""The car of [Yesiloglu2007] 5.4 and trucks with trailers: counts, statics, off-tracking."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import armillary as am
from armillary.vehicles.drive import distance_beside

V = am.vehicles
G = 9.81


def test_the_car_of_the_source_has_its_printed_counts():
    """51 coordinates, five loops of six rows, three of them redundant in the trapezoid, 24 free
    [Yesiloglu2007, 5.4]; with the steering free 52 and 25; the same freedoms when it rolls."""
    m = V.yesiloglu_car("standing").mechanism
    counted = m.mobility()
    assert (m.nv, len(m.constraint_rows)) == (51, 30)
    assert (counted.instantaneous, counted.finite) == (24, 24)
    stress = m.solve(m.initial, np.zeros(m.nv), np.zeros(m.nv)).determinacy
    assert stress.static_indeterminacy == 3
    assert "constraints with redundant rows: trapezoid" in str(counted)
    steered = V.yesiloglu_car("standing", steered=True).mechanism
    assert (steered.nv, steered.mobility().instantaneous) == (52, 25)
    assert V.yesiloglu_car().mechanism.mobility().instantaneous == 25


def test_the_car_of_the_source_stands_on_its_weight():
    car = V.yesiloglu_car("standing")
    m = car.mechanism
    rest = m.solve(m.initial, np.zeros(m.nv), np.zeros(m.nv), coordinates="world_aligned")
    assert np.abs(rest.acceleration).max() < 1e-6
    loads = np.array([rest.reactions[name][5] for name in car.tyres])
    weight, x = car.mass * G, car.center_of_mass[0]
    assert loads.sum() == pytest.approx(weight, rel=1e-9)
    assert loads[2:].sum() == pytest.approx(-x / car.wheelbase * weight, rel=1e-6)
    assert loads[0] == pytest.approx(loads[1], rel=5e-3)  # the tie rod hangs on one side


def test_contacts_and_weight_change_the_momentum_of_the_source_car():
    car = V.yesiloglu_car("standing")
    m = car.mechanism
    rng = np.random.default_rng(3)
    q, v = m.project(m.initial, rng.normal(scale=0.1, size=m.nv))
    s = m.solve(q, v, rng.normal(scale=20.0, size=m.nv), coordinates="world_aligned")
    forces = sum(s.reactions[name][3:] for name in car.tyres)
    h = 1e-6
    ends = [m.momentum(m.integrate(q, d * h * v), v + d * h * s.acceleration)[3:] for d in (1, -1)]
    rate = (np.asarray(ends[0]) - ends[1]) / (2 * h)
    assert np.allclose(forces + np.array([0, 0, -car.mass * G]), rate, atol=1e-5 * car.mass * G)


def lifted(duration):
    """All four roads of the source's car go up by 20 mm in a tenth of a second: heights of its
    chassis, m."""
    m = V.yesiloglu_car("lifted").mechanism

    def lift(t):
        s = np.clip(t / 0.1, 0, 1)
        return 0.02 * (10 * s**3 - 15 * s**4 + 6 * s**5)

    corners = ("front-left", "front-right", "rear-left", "rear-right")
    roads = {f"road-{corner}": lift for corner in corners}
    run = am.simulate(m, duration=duration, step=1e-3, prescribed=roads, every=10)
    assert run.complete
    heights = np.array([m.pose(q, "chassis")[1][2] for q in run.q])
    return heights - heights[0]


def test_a_bump_lifts_the_source_car():
    """It follows the road, later and softer."""
    heights = lifted(0.08)
    assert (np.diff(heights) > 0.0).all() and 0.001 < heights[-1] < 0.018


def test_the_source_car_swings_about_the_raised_road():
    """It overshoots, and half of the swing is gone half a second later.  To wait is in vain:
    rings that stand on ball joints are pendulums upside down, and the car tips along the road."""
    swing = np.abs(lifted(1.0) - 0.02)
    assert swing[20:50].max() > 0.005 and swing[80:].max() < 0.5 * swing[20:50].max()


def test_the_source_car_runs_natively():
    """At rest, where all its accelerations vanish, and in motion."""
    m = V.yesiloglu_car("standing").mechanism
    q, v = m.project(m.initial, np.random.default_rng(3).normal(scale=0.1, size=m.nv))
    for speed in (0.0, 1.0):
        run = am.simulate(m, q, speed * v, duration=0.01, step=1e-3)
        assert run.complete and run.performance().native == 1.0
    a = m.constraint_solver.forward.kernels(("q", "v", "tau"))
    state = {"q": q[None], "v": v[None], "tau": np.zeros((1, m.nv))}
    found = a(state, 1, m.evaluator.base_numbers)["a"][0]
    wanted = m.solve(q, v, np.zeros(m.nv)).acceleration  # by the null space
    assert np.abs(found - wanted).max() < 1e-9 * np.abs(wanted).max()


def test_the_source_car_has_four_roads():
    """V^s of the source: 24 freedoms and four heights; lifted with its roads it stands as
    before."""
    m = V.yesiloglu_car("lifted").mechanism
    assert m.mobility().instantaneous == 28
    q = m.initial.copy()
    for k, label in enumerate(m.q_labels):
        q[k] += 0.02 if label.startswith("road-") else 0.0
    roads = [label for label in m.v_labels if label.startswith("road-")]
    rest = m.solve(q, np.zeros(m.nv), np.zeros(m.nv), prescribed=dict.fromkeys(roads, 0.0))
    assert np.abs(rest.acceleration).max() < 1e-5


def test_truck_counts_and_statics():
    """The source speaks of 166 joints and 48 freedoms of a triple trailer without any data."""
    truck = V.truck(3)
    m = truck.mechanism
    counted = m.mobility()
    # tractor 6, axles 7 of 2, wheels 14, fifth wheels 3 of 2, drawbars 2 of 3, trapezoid 3
    assert m.nv == 6 + 14 + 14 + 6 + 6 + 3 and counted.instantaneous == m.nv - 2
    q, v = truck.start()
    assert np.abs(m.forward_dynamics(q, v, np.zeros(m.nv))).max() < 1e-8
    loads = m.tyre_forces(q, v)
    assert loads.column("Fz").sum() == pytest.approx(truck.mass * G, rel=1e-9)
    # the last trailer by hand: it stands on its kingpin and its axle
    unit = truck.data["rows"][-1][2]
    axle = unit.mass * unit.com / unit.axle + 450.0 + 2 * 110.0
    assert np.allclose(loads.column("Fz")[-2:], axle * G / 2, rtol=1e-9)


def links(truck):
    """(hitch behind the axle before, own axle behind the hitch) of every pulled unit."""
    rows = truck.data["rows"]
    found = []
    for (_, _, before), (_, _, unit) in pairwise(rows):
        found.append((before.hitch - before.axle, unit.axle))
    return found


def headings(m, q, units):
    return [math.atan2(*m.pose(q, unit)[0][[1, 0], 0]) for unit in units]


def mixed():
    """A B-double, a trailer on a drawbar behind it, and one on a dolly: no two alike."""
    return [
        V.Unit(mass=14e3, com=3.6, axle=6.2, hitch=6.6, hitch_height=1.1, length=7.5),
        V.Unit(mass=12e3, com=4.0, axle=6.5, hitch=8.0, hitch_height=0.9, coupling="fifth wheel"),
        V.Unit(mass=6e3, com=3.0, height=1.3, axle=3.1, hitch=5.0, length=5.0, coupling="drawbar"),
        V.Unit(mass=15e3, com=4.5, axle=7.5, spacing=1.2, length=10.0),
    ]


def test_mixed_trains_stand_on_their_weight():
    """Counts by hand, and loads by the lever rule from the last unit forward."""
    train = mixed()
    truck = V.truck(train)
    m = truck.mechanism
    assert truck.units == ("tractor", "trailer1", "trailer2", "trailer3", "dolly4", "trailer4")
    # tractor 6, 8 axles of 2, 16 wheels, fifth wheels 3 of 2, drawbar and dolly of 3, trapezoid 3
    assert m.nv == 6 + 16 + 16 + 6 + 6 + 3
    q, v = truck.start()
    assert np.abs(m.forward_dynamics(q, v, np.zeros(m.nv))).max() < 1e-8
    loads = m.tyre_forces(q, v)
    axle = (450.0 + 2 * 110.0) * G
    last = train[3].mass * G * 4.5 / (7.5 + 0.6)  # on its pair of axles, less their own weight
    assert np.allclose(loads.column("Fz")[-4:], (last + 2 * axle) / 4, rtol=1e-9)
    on_dolly = train[3].mass * G - last
    drawn = 700.0 * G * 1.8 / 2.0 + on_dolly  # the dolly's fifth wheel stands over its axle
    assert np.allclose(loads.column("Fz")[-6:-4], (drawn + axle) / 2, rtol=1e-9)
    hung = 700.0 * G - 700.0 * G * 1.8 / 2.0  # by its drawbar on the trailer before
    third = (train[2].mass * 3.0 * G + hung * 5.0) / 3.1
    assert np.allclose(loads.column("Fz")[-8:-6], (third + axle) / 2, rtol=1e-9)


@pytest.mark.parametrize("train", [3, mixed()], ids=["alike", "mixed"])
def test_rolling_trailers_follow_the_kinematic_n_trailer(train):
    """Headings over a run against the n-trailer's differential equations, to 1e-6 rad."""
    truck = V.truck(train, tyre="rolling")
    m = truck.mechanism
    assert m.mobility().instantaneous == 2
    q, v = truck.start(3.0)

    def steer(t):
        s = np.clip(t / 2.0, 0, 1)
        return 0.25 * (10 * s**3 - 15 * s**4 + 6 * s**5)

    speed = {"tractor-left-wheel": lambda t: 6.0 * t, truck.steering: steer}
    v = m.project(q, {"tractor-left-wheel": 6.0, truck.steering: 0.0})[1]
    run = am.simulate(m, q, v, duration=6.0, step=2e-3, prescribed=speed, record="q,v", every=5)
    assert run.complete
    units = truck.units
    axle = truck.data["rows"][0][2].axle
    times, turn, along = run.time, [], []
    for x, u in zip(run.q, run.v, strict=True):
        w = m.velocity(x, u, "tractor")
        turn.append(w[2])
        along.append(w[3])
        assert abs(w[4] - w[2] * axle) < 1e-9  # its rear axle does not slide
    V_of, w_of = CubicSpline(times, along), CubicSpline(times, turn)

    def rates(t, angles):
        lead = [float(w_of(t))]
        return lead + V.n_trailer_rates(list(angles), float(V_of(t)), lead[0], links(truck))

    start = headings(m, run.q[0], units)
    model = solve_ivp(rates, (0, times[-1]), start, "DOP853", [times[-1]], rtol=1e-10, atol=1e-12)
    found = np.unwrap([headings(m, x, units) for x in run.q], axis=0)[-1]
    assert np.abs(model.y[:, -1] - found).max() < 1e-6
    assert np.ptp(found) > 0.5


@pytest.mark.soak
def test_slip_changes_off_tracking_with_the_square_of_speed():
    """On tyres, in a steady circle, the trailer's axle runs off the kinematic radius
    √(R² - l²) by an amount that falls as v²."""
    off = []
    for speed in (4.0, 2.0):
        truck = V.truck(1)
        m = truck.mechanism
        unit = truck.data["rows"][1][2]
        q, v = truck.start(speed)

        def steer(t, ramp=8.0 / speed):
            s = np.clip(t / ramp, 0, 1)
            return 0.2 * (10 * s**3 - 15 * s**4 + 6 * s**5)

        spin = speed / truck.rolling_radii[2]
        wheels = {w: (lambda t, s=spin: s * t) for w in truck.driven[:1]}
        run = am.simulate(
            m, q, v, duration=200.0 / speed, step=2e-3, every=500,
            prescribed={truck.steering: steer, **wheels}, record="q,v",
        )  # fmt: skip
        assert run.complete
        tail = run.q[-8:]
        hitch, axle = [], []
        for x in tail:
            R, p = m.pose(x, "trailer1")
            hitch.append(p[:2])
            axle.append((p - R @ [unit.axle, 0, 0])[:2])
        center, radius = circle(np.array(hitch))
        kinematic = math.sqrt(radius**2 - unit.axle**2)
        off.append(np.linalg.norm(np.array(axle) - center, axis=1).mean() - kinematic)
    assert off[0] > 1e-3
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.1)


def circle(points):
    """Centre and radius through points, by least squares."""
    A = np.column_stack([2 * points, np.ones(len(points))])
    x = np.linalg.lstsq(A, (points**2).sum(axis=1), rcond=None)[0]
    return x[:2], math.sqrt(x[2] + x[:2] @ x[:2])


def test_read_offs_of_a_train_that_has_not_turned_yet():
    """Straight on there is no amplification, and a trailer that has not come to where the tractor
    began has no off-tracking: NaN, and no row."""
    truck = V.truck(1)
    found = V.drive(truck, V.straight_braking(5.0, 100.0, duration=0.3), step=2e-3)
    assert math.isnan(found.rearward_amplification) and math.isnan(found.off_tracking["trailer1"])
    assert not any("track" in name or "amplif" in name for name, *_ in found.rows())


def test_off_tracking_counts_beside_the_path_alone():
    """Of points on a line: beside it, and beyond its ends."""
    line = np.stack([np.linspace(0.0, 4.0, 9), np.zeros(9)], axis=1)
    assert distance_beside(line, np.array([1.3, -0.4])) == pytest.approx(0.4, rel=1e-12)
    for beyond in ([-0.1, 0.3], [4.2, 0.0]):
        assert distance_beside(line, np.array(beyond)) is None


def test_trucks_turn_alike_to_both_sides():
    """The steering angle is that of the middle of the axle: curvature tan(angle)/L without slip,
    to the left and to the right."""
    truck = V.truck(1, tyre="rolling")
    for angle in (0.3, -0.3):
        found = V.drive(truck, V.step_steer(2.0, angle, duration=1.5), step=1e-2)
        curvature = found.yaw_rate()[-1] / found.speed()[-1]  # tractor's frame: front axle
        across = np.asarray(truck.mechanism.velocity(found.run.q, found.run.v, "tractor"))[-1, 4]
        assert curvature == pytest.approx(math.tan(angle) / truck.wheelbase, rel=1e-9)
        assert across == pytest.approx(truck.wheelbase * found.yaw_rate()[-1], rel=1e-9)
    front = V.truck(0)
    for angle in (0.1, 0.35):  # on tyres: the mean of both wheels
        left = [front.own_angle(x, *front.steered[0][1:]) for x in (angle, -angle)]
        trapezoid = V.Trapezoid(pins=front.tracks[0] - 0.24, arm=0.24, wheelbase=front.wheelbase)
        right = [trapezoid.right_angle(x) for x in left]
        assert np.allclose(np.add(left, right) / 2, [angle, -angle], rtol=6e-3)
        assert left[0] == pytest.approx(-right[1], rel=1e-2)
