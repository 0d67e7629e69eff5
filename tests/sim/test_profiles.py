"""Roads over a coordinate that moves freely: z = h(x) as a constraint, against closed forms."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import armillary as am
from armillary.errors import ModelError
from armillary.joints.profiles import OnProfile, smooth_pieces

G = 9.81
X = np.linspace(0.0, 4.0, 21)
Z = 0.3 * np.sin(1.7 * X) + 0.1 * X
ROAD = am.RoadProfile(X, Z)
SPLINE = CubicSpline(X, Z, bc_type="clamped")


def test_the_curve_is_the_clamped_spline():
    """Against scipy's, and level beyond the rows."""
    profile = OnProfile(smooth_pieces(ROAD.rows))
    for x in (*np.linspace(0.0, 4.0, 57), 1e-9, 3.999999):
        h, slope = profile.height(float(x))
        assert h == pytest.approx(float(SPLINE(x)), abs=1e-13)
        assert slope == pytest.approx(float(SPLINE(x, 1)), abs=1e-12)
    assert profile.height(-3.0) == (Z[0], 0.0) and profile.height(9.0) == (Z[-1], 0.0)


def bead(rows=ROAD.rows, mass: float = 2.0) -> am.Mechanism:
    """A point mass that slides along x and z, on a wire of that shape."""
    b = am.Builder("bead")
    b.body("jvp", joint="prismatic", axis="x", mass=0.0)
    b.body("bead", "jvp", "prismatic", axis="z", mass=mass, inertia=(0.1, 0.1, 0.1))
    b.surface("wire", "world", "bead", "profile", profile=rows)
    return b.build()


def motion(t, y):
    """(1 + h'²) x'' + h' h'' x'² + g h' = 0."""
    x, v = y
    slope, bend = float(SPLINE(x, 1)), float(SPLINE(x, 2))
    return [v, -(slope * bend * v * v + G * slope) / (1 + slope * slope)]


def test_a_bead_on_a_wire():
    m = bead()
    x0, v0 = 0.7, 2.0
    slope, bend = float(SPLINE(x0, 1)), float(SPLINE(x0, 2))
    q, v = [x0, float(SPLINE(x0))], [v0, slope * v0]
    a = m.forward_dynamics(q, v, [0.0, 0.0])
    assert a[0] == pytest.approx(motion(0.0, (x0, v0))[1], rel=1e-12)
    assert a[1] - slope * a[0] == pytest.approx(bend * v0 * v0, rel=1e-11)
    s = m.solve(q, v, [0.0, 0.0])
    # Newton: the wire pushes across itself, and gives all but the weight
    assert s.constraint_forces["wire"][3:] == pytest.approx(
        [2.0 * a[0], 0.0, 2.0 * (a[1] + G)], abs=1e-11
    )
    assert abs(s.balance.constraints) < 1e-12 and abs(s.balance.imbalance) < 1e-11
    assert m.check(q, v, np.zeros(2)).errors()["accelerations: null space, and as compiled"] < 1e-12
    run = am.simulate(m, q, v, duration=0.8, step=1e-3, record=("q", "v", "energy", "drift"))
    exact = solve_ivp(motion, (0, 0.8), [x0, v0], "DOP853", run.time, rtol=1e-11, atol=1e-11)
    assert np.abs(run.q[:, 0] - exact.y[0]).max() < 1e-6
    assert np.abs(run.drift).max() < 1e-12 and np.ptp(run.energy) < 1e-5


def test_a_car_rolls_down_a_hill_by_itself():
    """A wheel that follows the road on a spring; nothing but the damper takes energy, for the slope
    pushes along the track what it lifts."""
    b = am.Builder("car")
    b.body("chassis", joint="prismatic", axis="x", mass=300.0, inertia=(1, 1, 1))
    b.body("foot", "chassis", "prismatic", axis="z", mass=0.0)
    strut = am.Passive(spring=2e5, viscous=500.0)
    b.body("hub", "foot", "prismatic", axis="z", mass=40.0, inertia=(1, 1, 1), passive=strut)
    b.surface("road", "world", "foot", "profile", profile=ROAD.rows)
    car = b.build()
    q = np.array([1.6, float(SPLINE(1.6)), -40.0 * G / 2e5])
    names = ("q", "v", "energy", "constraint_power")
    run = am.simulate(car, q, duration=0.6, step=5e-4, record=names)
    height = np.array([float(SPLINE(x)) for x in run.q[:, 0]])
    assert np.abs(run.q[:, 1] - height).max() < 1e-12
    lost = np.sum(500.0 * run.v[:, 2] ** 2) * 5e-4
    assert run.energy[0] - run.energy[-1] == pytest.approx(lost, rel=2e-2, abs=1e-4)
    assert np.ptp(run.q[:, 0]) > 0.02  # it rolls by itself
    assert np.abs(run.constraint_power).max() < 1e-8  # the road brings nothing


def test_batches_files_and_lifted_roads(tmp_path):
    m = bead()
    x = np.linspace(0.3, 3.2, 6)
    q = np.column_stack([x, SPLINE(x)])
    many = am.simulate(m, q, duration=0.2, step=2e-3, every=100)
    for k in range(6):
        one = am.simulate(m, q[k], duration=0.2, step=2e-3, every=100)
        assert np.allclose(many.q[:, k], one.q, atol=1e-12)
    m.save(tmp_path / "bead.yaml")
    again = am.load(tmp_path / "bead.yaml")
    assert again.model.surfaces == m.model.surfaces
    lift = am.simulate(
        m, q[2], prescribed={"wire": lambda t: 0.05 * t * t}, duration=0.2, step=2e-3
    )
    up = lift.q[:, 1] - SPLINE(lift.q[:, 0])
    assert np.abs(up - 0.05 * lift.time**2).max() < 1e-9


def test_a_long_road():
    """Between many rows of a sine, its own slope."""
    x = np.linspace(0.0, 15.0, 150)
    m = bead(list(zip(x, 0.1 * np.sin(x), strict=True)))
    a = m.forward_dynamics([7.0, 0.1 * np.sin(7.0)], [0.0, 0.0], [0.0, 0.0])
    slope = 0.1 * np.cos(7.0)
    assert a[0] == pytest.approx(-G * slope / (1 + slope * slope), rel=1e-3)


def test_what_is_refused():
    for rows, text in (
        ([(0, 0)], "2 to 400 rows"),
        ([(0, 0), (0, 1)], "must rise; row 2 has 0 after 0"),
        ([(0, 0), (1, np.nan)], "finite numbers"),
        ([], "rows .* belong to the shape 'profile'"),
    ):
        with pytest.raises(ModelError, match=text):
            bead(rows)
    b = am.Builder("ball")
    with pytest.raises(ModelError, match="belong to the shape 'profile'"):
        b.surface("ball", "world", "world", "sphere", 1.0, profile=ROAD.rows)
