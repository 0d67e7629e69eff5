"""What prescribed motion may be: constants, schedules, functions, trajectories; what is refused."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import armillary as am
from armillary.errors import InputError
from sim.machines import ARM, MASS, TENSOR, shaken, sine

START = 0.6  # rad


def test_kinds_of_motion_agree():
    """A cubic as trajectory, function, places and spline through five of them (it is one cubic):
    the same rod at the end."""
    path = am.trajectories.cubic([0.0], [0.3], 1.0)
    times = np.array([0.0, 0.1, 0.5, 0.7, 1.0])
    table = am.Schedule(times, path(times).q[:, 0], kind="spline")

    def place(t):
        return 0.3 * t * t * (3 - 2 * t)

    def rates(t):
        return place(t), 1.8 * t * (1 - t), 1.8 - 3.6 * t

    ends = [am.simulate(shaken("x"), [0, START], step=5e-3, prescribed={"pivot": kind}).q[-1]
            for kind in (path, rates, place, table)]  # fmt: skip
    np.testing.assert_allclose(ends, np.tile(ends[0], (4, 1)), atol=1e-8)
    assert ends[0][0] == pytest.approx(0.3)


def test_a_constant_holds_like_a_lock():
    held = am.simulate(shaken(), [0.2, START], prescribed={"pivot": 0.2}, every=100)
    locked = am.simulate(shaken().lock({"pivot": 0.2}), [START], every=100)
    np.testing.assert_allclose(held.q[:, 1], locked.q[:, 0], atol=1e-11)


def test_a_line_may_be_straight_and_not_bent():
    even = am.Schedule([0, 0.5, 1.0], [0.0, 0.1, 0.2])
    run = am.simulate(shaken("x"), [0, START], prescribed={"pivot": even}, every=500)
    np.testing.assert_allclose(run.q[:, 0], [0, 0.1, 0.2], atol=1e-14)
    for times, values, kind in (([0, 0.5, 1], [0, 0.1, 0.1], "linear"),
                                ([0, 0.5, 0.5, 1], [0, 0, 1, 1], "linear"),
                                ([0, 0.5, 1], [0, 0.1, 0.1], "hold")):  # fmt: skip
        with pytest.raises(InputError, match=r"'pivot'.*bends at t = 0.5 s.*spline"):
            am.simulate(shaken(), prescribed={"pivot": am.Schedule(times, values, kind=kind)})
    with pytest.raises(InputError, match=r"covers 0 to 1 s"):
        am.simulate(shaken(), duration=2.0, prescribed={"pivot": even})


def test_splines_keep_their_slope_zero_where_they_are_held():
    """Between its rows and beyond them, against SciPy's clamped spline."""
    t, x = np.array([0.1, 0.3, 0.35, 0.8]), np.array([0.0, 0.2, 0.1, 0.3])
    table = am.Schedule(t, x, kind="spline", hold=True)
    curve = CubicSpline(t, x, bc_type="clamped")
    for time in (0.1, 0.2, 0.33, 0.79):
        np.testing.assert_allclose(table.motion(time), [curve(time, k) for k in (0, 1, 2)],
                                   atol=1e-12)  # fmt: skip
    np.testing.assert_allclose(table.motion(0.0), [0.0, 0.0, 0.0])
    np.testing.assert_allclose(table.motion(2.0), [0.3, 0.0, 0.0])
    with pytest.raises(InputError, match="cannot jump"):
        am.Schedule([0, 1, 1], [0, 1, 2], kind="spline")


@pytest.mark.parametrize(("motion", "text"), [
    (lambda t: abs(t - 0.5), r"near t = 0.5\d* s the velocity jumps by 2"),
    (lambda t: 0.0 if t < 0.4 else 1.0, "velocity jumps"),
    (lambda t: (t, 2.0, 0.0), "velocity is 2, and the places change with 1"),
    (lambda t: (t * t, 2 * t, 3.0), "acceleration is 3, and the places change with 2"),
    (lambda t: [t, t], "motions of 2 runs"),
    (lambda t: np.nan, "not a finite number at t = 0 s"),
    (np.ones((2, 2)), "expected 1 number"),
    (am.trajectories.quintic([0.0, 0.0], [1.0, 1.0], 1.0), "trajectory of 1 coordinate, found"),
])  # fmt: skip
def test_motions_that_cannot_be(motion, text):
    with pytest.raises(InputError, match=text):
        am.simulate(shaken(), prescribed={"pivot": motion})


def test_accelerations_may_jump():
    """A half wave of a bump from rest to rest: velocities are continuous, and that is enough."""

    def bump(t):
        return 0.01 * (1 - np.cos(20 * t)) if t < np.pi / 10 else 0.0

    run = am.simulate(shaken(), [0, START], prescribed={"pivot": bump}, record=("q", "v"))
    assert run.complete and run.q[:, 0].max() == pytest.approx(0.02, rel=1e-3)


def test_names_that_cannot_be_driven():
    b = am.Builder("free")
    b.body("hull", joint="free", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(InputError, match=r"quaternion.*prismatic"):
        am.simulate(b.build(), prescribed={"hull.vx": 0.0})
    bars = am.example("four-bar")
    with pytest.raises(am.ModelError, match="Did you mean 'crank'"):
        am.simulate(bars, prescribed={"crnk": 0.0})
    with pytest.raises(InputError, match="loops cannot be driven"):
        am.simulate(bars, prescribed={"pin": 0.0})
    with pytest.raises(InputError, match="name: motion"):
        am.simulate(bars, prescribed=["crank"])
    b = am.Builder("twice")
    b.body("slide", joint="prismatic", axis="x", mass=1.0)
    b.prescribe("motor", "slide")
    with pytest.raises(InputError, match="driven twice"):
        am.simulate(b.build(), prescribed={"slide": 0.0, "motor": 0.0})


def test_a_drive_of_the_model_is_taken_over():
    b = am.Builder("model")
    b.body("slide", joint="prismatic", axis="x", mass=2.0)
    b.prescribe("motor", "slide", acceleration=1.0)
    m = b.build()
    free = am.simulate(m, every=1000)
    assert free.q[-1, 0] == pytest.approx(0.5)  # as modelled
    for name in ("motor", "slide"):
        run = am.simulate(m, prescribed={name: sine}, every=1000, record=("q", "prescribed_force"))
        assert run.q[-1, 0] == pytest.approx(sine(1.0)[0], abs=1e-14)
        assert run.prescribed_force[-1, 0] == pytest.approx(2.0 * sine(1.0)[2])
        assert run.labels["prescribed_force"] == ("motor",)


def test_steps_look_at_their_own_side_of_a_corner():
    """A cubic that ends with a jump of its acceleration: the order of the method stays."""
    path = am.trajectories.cubic([0.0], [0.2], 0.4)
    table = am.Schedule([0.0, 0.4], [0.0, 0.2], kind="spline", hold=True)
    inertia = TENSOR + MASS * ARM**2

    def rate(t, y):
        push = path(t, "left").a[0] if t <= 0.4 else 0.0
        return [y[1], -MASS * ARM * (9.81 * np.sin(y[0]) - push * np.cos(y[0])) / inertia]

    state = [START, 0.0]
    for ends in ((0.0, 0.4), (0.4 + 1e-12, 0.8)):
        state = solve_ivp(rate, ends, state, "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    for motion in (path, table):
        off = [
            am.simulate(shaken("x"), [0, START], None, 0.8, h, prescribed={"pivot": motion}).q[
                -1, 1
            ]
            - state[0]
            for h in (0.02, 0.01)
        ]
        assert 12.0 < off[0] / off[1] < 20.0
    with pytest.raises(InputError, match=r"jumps by 0.5 at t = 0.4 s"):
        bent = am.trajectories.cubic([0.0], [0.2], 0.4, v1=[0.5])
        am.simulate(shaken(), prescribed={"pivot": bent})


def test_schedules_of_a_batch():
    """(T, B, n) has a row for each run, (T, n) is the same for all: run k of a batch is the run
    that is given table k alone, whatever is scheduled."""
    arm, runs, t = am.example("six-r"), 3, [0.0, 0.01, 0.03]
    rng, start = np.random.default_rng(5), np.zeros((3, 6))
    tables = {
        "inputs": ("link3", 1), "voltages": ("link2", 1), "prescribed": ("link4", 1),
        "external": ("link6", 6),
    }  # fmt: skip
    for name, (where, n) in tables.items():
        values = np.sin(rng.normal(size=(3, runs, n)))
        kind = "spline" if name == "prescribed" else "linear"
        values -= values[:1] if name == "prescribed" else 0.0
        many = am.simulate(arm, start, duration=0.03, step=1e-3,
                           **{name: {where: am.Schedule(t, values, kind=kind)}})  # fmt: skip
        assert len(np.unique(many.q[-1, :, 1])) == runs
        for k in range(runs):
            own = {name: {where: am.Schedule(t, values[:, k], kind=kind)}}
            one = am.simulate(arm, start[0], duration=0.03, step=1e-3, **own)
            assert np.allclose(many.q[:, k], one.q, rtol=0, atol=1e-12), name
        if n == 1:
            with pytest.raises(InputError, match=r"\(T, B, 1\) for B runs; found shape \(3, 3\)"):
                am.simulate(arm, start, duration=0.03,
                            **{name: {where: am.Schedule(t, values[..., 0])}})  # fmt: skip
