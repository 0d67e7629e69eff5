"""Prescribed motion in a run: moving bases, driven joints of closed mechanisms, batches, files."""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson, solve_ivp

import armillary as am
from armillary.errors import InputError
from armillary.sim.loop.events import Event, Switch
from armillary.sim.motion.prescribed import Path, Still
from sim.machines import AMPLITUDE as A
from sim.machines import ARM, MASS, TENSOR, shaken, sine
from sim.machines import FREQUENCY as W

START = 0.6  # rad
METHODS = {
    "rk4": 1e-8, "dopri5": 1e-8, "rk3": 1e-6, "heun": 1e-3, "implicit": 1e-6, "exponential": 1e-4,
    "variational": 1e-3, "semi-implicit": 0.1, "euler": 0.2, "exponential-euler": 0.1,
}  # fmt: skip


def pendulum_on_a_moving_pivot(axis, amplitude=A, end=1.0, count=11):
    """(I + m l²) θ'' = -m l ((g + z'') sin θ - x'' cos θ), by DOP853: no part of the library.

    A positive turn about y takes the bob of a hanging rod towards -x."""
    inertia = TENSOR + MASS * ARM**2

    def rate(t, y):
        push = -amplitude * W * W * np.sin(W * t)
        up, along = (push, 0.0) if axis == "z" else (0.0, push)
        force = (9.81 + up) * np.sin(y[0]) - along * np.cos(y[0])
        return [y[1], -MASS * ARM * force / inertia]

    times = np.linspace(0.0, end, count)
    return solve_ivp(rate, (0, end), [START, 0.0], "DOP853", times, rtol=1e-12, atol=1e-13).y.T


# -- moving bases ---------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", ["x", "z"])
@pytest.mark.parametrize("mass", [0.7, 0.0])
def test_a_pendulum_on_a_shaking_pivot(axis, mass):
    run = am.simulate(shaken(axis, mass), [0.0, START], every=100, prescribed={"pivot": sine})
    expected = pendulum_on_a_moving_pivot(axis)
    np.testing.assert_allclose(run.q[:, 1], expected[:, 0], atol=1e-9)
    np.testing.assert_allclose(run.v[:, 1], expected[:, 1], atol=1e-8)
    x, v, _ = sine(run.time)
    np.testing.assert_allclose(run.q[:, 0], x, atol=1e-15)
    np.testing.assert_allclose(run.v[:, 0], v, atol=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_follows_exactly(method):
    run = am.simulate(shaken(), [0.0, START], step=2e-3, every=50, method=method,
                      prescribed={"pivot": sine}, tolerance=1e-10)  # fmt: skip
    x, v, _ = sine(run.time)
    np.testing.assert_allclose(run.q[:, 0], x, atol=1e-14)
    np.testing.assert_allclose(run.v[:, 0], v, atol=1e-13)
    expected = pendulum_on_a_moving_pivot("z", count=len(run))
    assert np.abs(run.q[:, 1] - expected[:, 0]).max() < METHODS[method]


def test_the_order_of_the_method_stays():
    """Twice the steps, a sixteenth of the error."""
    exact = pendulum_on_a_moving_pivot("z")[-1, 0]
    off = [
        abs(am.simulate(shaken(), [0, START], step=h, prescribed={"pivot": sine}).q[-1, 1] - exact)
        for h in (0.02, 0.01)
    ]
    assert 12.0 < off[0] / off[1] < 20.0


def test_places_alone_are_enough():
    """Velocity and acceleration of a function t -> x by differences."""
    run = am.simulate(shaken(), [0, START], every=100, prescribed={"pivot": lambda t: sine(t)[0]})
    np.testing.assert_allclose(run.q[:, 1], pendulum_on_a_moving_pivot("z")[:, 0], atol=1e-8)
    np.testing.assert_allclose(run.v[:, 0], sine(run.time)[1], atol=1e-8)


def test_the_hybrid_formulation_gives_the_same():
    """Half inverse, half forward dynamics: M_ff a_f = τ_f - h_f - M_fd a_d; the force of the drive
    is the inverse dynamics of the whole."""
    m = shaken("x")
    run = am.simulate(m, [0, START], prescribed={"pivot": sine}, every=50, inputs={"rod": 0.3},
                      record=("q", "v", "a", "prescribed_force", "constraint_forces"))  # fmt: skip
    for q, v, a, f in zip(run.q, run.v, run.a, run.prescribed_force, strict=True):
        M, h = m.mass_matrix(q), m.bias_forces(q, v)
        free = (0.3 - h[1] - M[1, 0] * a[0]) / M[1, 1]
        assert a[1] == pytest.approx(free, abs=1e-11)
        assert f[0] == pytest.approx(m.inverse_dynamics(q, v, a)[0], abs=1e-11)
    np.testing.assert_allclose(run.a[:, 0], sine(run.time)[2], atol=1e-12)
    np.testing.assert_allclose(run.constraint_forces, run.prescribed_force)
    assert run.units["prescribed_force"] == ("N",) and run.labels["prescribed_force"] == ("pivot",)


def test_a_base_that_is_accelerated_by_the_model():
    """Constant acceleration of the base: a falling lift has no gravity, and the model's own
    `base_acceleration` says the same."""
    lift = am.simulate(
        shaken(), [0, START], [0, 0.4], prescribed={"pivot": lambda t: -9.81 / 2 * t * t}
    )
    np.testing.assert_allclose(lift.v[:, 1], 0.4, atol=1e-6)
    b = am.Builder("pushed")
    b.body("rod", joint="revolute", axis="y", mass=MASS, com=(0, 0, -ARM),
           inertia=(TENSOR, TENSOR, 1e-3))  # fmt: skip
    pushed = b.build().replace(base_acceleration=(0, 0, 0, 2.0, 0, 0))
    push = lambda t: (t * t, 2.0 * t, 2.0)  # noqa: E731
    cart = am.simulate(shaken("x"), [0, START], prescribed={"pivot": push}, every=100)
    same = am.simulate(pushed, [START], every=100)
    np.testing.assert_allclose(cart.q[:, 1], same.q[:, 0], atol=1e-10)


def test_energy_is_what_the_drive_brings():
    run = am.simulate(shaken(), [0, START], step=1e-3, prescribed={"pivot": sine},
                      record=("energy", "constraint_power", "prescribed_force", "v"))  # fmt: skip
    power = run.constraint_power[:, 0]
    np.testing.assert_allclose(power, run.prescribed_force[:, 0] * run.v[:, 0], atol=1e-12)
    work = cumulative_simpson(power, x=run.time, initial=0)
    assert np.ptp(run.energy) > 0.5
    np.testing.assert_allclose(run.energy - run.energy[0], work, atol=1e-7)


def test_a_planar_base_takes_three_coordinates():
    """A vehicle that turns in a circle carries an arm: against the arm on three single joints."""

    def built(single):
        b = am.Builder("carried", gravity=(0, 0, -9.81))
        if single:
            for name, parent, kind, axis in (("east", "world", "prismatic", "x"),
                                             ("north", "east", "prismatic", "y"),
                                             ("deck", "north", "revolute", "z")):  # fmt: skip
                b.body(name, parent, kind, axis=axis)
        else:
            b.body("deck", joint="planar", mass=5.0, inertia=(0.4, 0.5, 0.6))
        b.body("arm", "deck", "revolute", (0.3, 0.1, 0.5), axis="y", mass=2.0, com=(0.3, 0.05, 0),
               inertia=(0.02, 0.03, 0.04, 0.001, 0.002, -0.003))  # fmt: skip
        return b.build()

    def circle(t):  # angle, x, y and their rates
        c, s = np.cos(t), np.sin(t)
        return np.array([t, s, 1 - c]), np.array([1.0, c, s]), np.array([0.0, -s, c])

    one = am.simulate(built(False), prescribed={"deck": circle}, every=100)
    parts = {name: (lambda t, k=k: tuple(x[k] for x in circle(t)))
             for k, name in enumerate(("deck", "east", "north"))}  # fmt: skip
    other = am.simulate(built(True), prescribed=parts, every=100)
    np.testing.assert_allclose(one.q[:, 3], other.q[:, 3], atol=1e-11)
    assert abs(one.q[-1, 3]) > 1.0


# -- closed mechanisms ----------------------------------------------------------------------------


@cache
def frictionless_bars():
    bars = am.example("four-bar")
    return bars.replace(bodies={name: {"passive": am.Passive()} for name in bars.bodies})


def crank(t):
    return 1.0 + 0.5 * (1 - np.cos(3 * t)), 1.5 * np.sin(3 * t), 4.5 * np.cos(3 * t)


@pytest.mark.parametrize("method", ["rk4", "dopri5", "implicit"])
def test_a_driven_four_bar(method):
    """Positions by closing it, the force by inverse dynamics of the closed mechanism, the energy by
    the work of the drive; redundant rows stay redundant."""
    bars = frictionless_bars()
    q0 = bars.assemble(hold=["crank"]).q
    run = am.simulate(bars, q0, step=2e-3, every=10, method=method, prescribed={"crank": crank},
                      record=("q", "v", "a", "drift", "prescribed_force", "energy",
                              "constraint_power", "condition"), tolerance=1e-10)  # fmt: skip
    assert run.events == [] and np.abs(run.drift).max() < 1e-12
    np.testing.assert_allclose(run.q[:, 0], crank(run.time)[0], atol=1e-13)
    for k in (7, 23, 50):
        guess = np.array([run.q[k, 0], *run.q[k - 1, 1:]])
        np.testing.assert_allclose(bars.assemble(guess, hold=["crank"]).q, run.q[k], atol=1e-10)
        needed = bars.actuator_forces(run.q[k], run.v[k], run.a[k], actuators=["crank"])
        assert run.prescribed_force[k, 0] == pytest.approx(needed.forces[0], abs=1e-9)
    names = run.labels["constraint_power"]
    assert names == ("pin", "crank") and np.abs(run.constraint_power[:, 0]).max() < 1e-10
    work = cumulative_simpson(run.constraint_power[:, 1], x=run.time, initial=0)
    np.testing.assert_allclose(run.energy - run.energy[0], work, atol=2e-6)
    assert run.condition.max() < 1e3  # the rank is that of the closed mechanism


def test_motion_that_cannot_be_followed():
    """Two joints of one freedom that disagree, and a rocker beyond its dead point: the run ends
    with a reason."""
    bars = frictionless_bars()
    q0 = bars.assemble(hold=["crank"]).q
    away = {"crank": lambda t: q0[0] + 0.3 * t * t, "rocker": lambda t: q0[2] + 0.1 * t * t}
    far = {"rocker": lambda t: q0[2] - 2.0 * t * t}
    with pytest.raises(am.ModelError, match="cannot be followed"):  # at the first step
        am.simulate(bars, q0, prescribed=away, step=5e-3)
    run = am.simulate(bars, q0, prescribed=far, step=5e-3)
    assert not run.complete and "cannot be followed" in run.message and 0.1 < run.time[-1] < 1.0


def test_a_rod_that_grows():
    """A pendulum on a string whose length is prescribed: polar coordinates, by SciPy."""
    b = am.Builder("crane")
    b.body("slide", joint="prismatic", axis="x")
    b.body("bob", "slide", "prismatic", axis="z", mass=2.0)
    b.distance("string", "world", "bob", 1.0)
    b.initial = {"slide": 0.6, "bob": -0.8}

    def length(t):
        return 1.0 + 0.2 * np.sin(2 * t), 0.4 * np.cos(2 * t), -0.8 * np.sin(2 * t)

    def rate(t, y):
        r, dr, _ = length(t)
        return [y[1], -(9.81 * np.sin(y[0]) + 2 * dr * y[1]) / r]

    begin = [np.arctan2(0.6, 0.8), 0.0]
    exact = solve_ivp(rate, (0, 1), begin, "DOP853", rtol=1e-12, atol=1e-12).y[0, -1]
    run = am.simulate(b.build(), v0=[0.4 * 0.6, -0.4 * 0.8], prescribed={"string": length})
    r = length(1.0)[0]
    np.testing.assert_allclose(run.q[-1], [r * np.sin(exact), -r * np.cos(exact)], atol=1e-8)


def test_nothing_is_told_of_velocities_that_were_given_right_or_not_at_all():
    """They are those of the drive, and the others follow; another one that was given is told."""
    bars = am.example("four-bar")
    start, speed = bars.initial[0], 9.42
    drive = {"crank": lambda t: (start + speed * t, speed, 0.0)}
    allowed = bars.project(bars.initial, {"crank": speed})[1]
    for v0 in (None, {"crank": speed}, allowed):
        run = am.simulate(bars, bars.initial, v0, duration=2e-3, step=1e-3, prescribed=drive)
        assert run.events == []
        np.testing.assert_allclose(run.v[0], allowed, atol=1e-9)
    two = {"crank": [speed, speed]}
    run = am.simulate(bars, np.tile(bars.initial, (2, 1)), two, duration=2e-3, step=1e-3,
                      prescribed=drive)  # fmt: skip
    assert run.events == []
    run = am.simulate(bars, bars.initial, 0 * allowed, duration=2e-3, step=1e-3, prescribed=drive)
    assert "at 9.42 (was 9.42 off)" in run.events[0][1]
    with pytest.raises(InputError, match="velocities of crank; 'crank' is violated"):
        am.simulate(bars, bars.initial, {"crank": 5.0}, duration=2e-3, prescribed=drive)


def test_starts_are_brought_onto_the_drive():
    run = am.simulate(shaken(), [0, START], prescribed={"pivot": lambda t: 0.3 + sine(t)[0]})
    assert run.q[0, 0] == 0.3 and run.v[0, 0] == pytest.approx(A * W) and run.q[0, 1] == START
    assert "'pivot' begins with its prescribed motion, at 0.3" in run.events[0][1]
    bars = am.example("four-bar")
    with pytest.raises(InputError, match=r"open by.*assemble\(q0, hold=\['crank'\]\)"):
        am.simulate(bars, prescribed={"crank": 2.0})
    q0 = bars.assemble([2.0, *bars.initial[1:]], hold=["crank"]).q
    assert am.simulate(bars, q0, prescribed={"crank": 2.0}, duration=0.1).complete


# -- together with the rest -----------------------------------------------------------------------


def test_a_batch_of_motions():
    """One amplitude per run, against single runs; one motion for all with different starts."""
    amplitudes = np.array([0.0, 0.02, 0.05])
    many = am.simulate(shaken(), [0, START], np.zeros((3, 2)), every=250, duration=0.5,
                       prescribed={"pivot": lambda t: tuple(amplitudes / A * x for x in sine(t))},
                       record=("q", "prescribed_force", "drift"))  # fmt: skip
    assert many.q.shape == (3, 3, 2) and np.abs(many.drift).max() < 1e-15
    for k, amplitude in enumerate(amplitudes):
        own = {"pivot": lambda t, share=amplitude / A: tuple(share * x for x in sine(t))}
        one = am.simulate(shaken(), [0, START], every=250, duration=0.5, prescribed=own,
                          record=("q", "prescribed_force"))  # fmt: skip
        np.testing.assert_allclose(many.q[:, k], one.q, atol=1e-13)
        np.testing.assert_allclose(many.prescribed_force[:, k], one.prescribed_force, atol=1e-10)
    held = am.simulate(shaken(), [0, START], prescribed={"pivot": [0.1, 0.2]}, duration=0.1)
    np.testing.assert_allclose(held.q[-1, :, 0], [0.1, 0.2])
    starts = am.simulate(shaken(), [[0, 0.3], [0, START]], prescribed={"pivot": sine}, duration=0.5)
    np.testing.assert_allclose(starts.q[-1, 1], many.q[-1, 2], atol=1e-12)


@pytest.mark.parametrize("method", ["implicit", "variational", "exponential"])
def test_batches_row_by_row(method):
    amplitudes = np.array([0.02, 0.05])
    motion = {"pivot": lambda t: tuple(amplitudes / A * x for x in sine(t))}
    many = am.simulate(shaken(), [0, START], np.zeros((2, 2)), 0.1, 5e-3, method, prescribed=motion)
    one = am.simulate(shaken(), [0, START], None, 0.1, 5e-3, method, prescribed={"pivot": sine})
    np.testing.assert_allclose(many.q[:, 1], one.q, atol=1e-11)


def test_with_other_bodies_wrenches_and_controllers():
    """Twice the mass and twice the wrench: the same motion; a controller that holds the rod."""
    m = shaken("x")
    push = {"rod": [0, 0.2, 0, 0, 0, 0.5]}
    twice = {"rod": [0, 0.4, 0, 0, 0, 1.0]}
    one = am.simulate(m, [0, START], prescribed={"pivot": sine}, external=push, duration=0.3)
    other = am.simulate(m, [0, START], prescribed={"pivot": sine}, external=twice, duration=0.3,
                        parameters=2.0 * m.parameters)  # fmt: skip
    np.testing.assert_allclose(one.q, other.q, atol=1e-10)
    pid = am.PID(m, {"rod": START}, kp=500.0, ki=0.0, kd=40.0, period=2e-3)
    kept = am.simulate(m, [0, START], prescribed={"pivot": sine}, controller=pid, duration=0.3)
    assert np.abs(kept.q[:, 1] - START).max() < 0.05 < np.ptp(one.q[:, 1])


def test_a_switch_keeps_the_drive():
    """The rod is caught half-way; the pivot goes on as before."""
    m = shaken()
    b = am.Builder("caught")
    inertia = (0.1, 0.1, 0.1)
    b.body("pivot", joint="prismatic", axis="z", mass=0.7, inertia=inertia)
    b.body("rod", "pivot", "revolute", axis="y", mass=MASS, com=(0, 0, -ARM),
           inertia=(TENSOR, TENSOR, 1e-3))  # fmt: skip
    b.prescribe("brake", "rod", 0.0, 0.0)
    catch = Switch(lambda t, q, v: q[1], "caught", to=b.build())
    run = am.simulate(
        m, [0, START], prescribed={"pivot": sine}, events=catch, record=("q", "v", "drift")
    )
    assert "caught" in run.events[-1][1]
    after = run.time > run.events[-1][0]
    assert np.abs(run.v[after, 1]).max() < 1e-12 and np.abs(run.q[after, 1]).max() < 1e-9
    np.testing.assert_allclose(run.q[:, 0], sine(run.time)[0], atol=1e-14)


def test_events_see_the_moving_base():
    stop = Event(lambda t, q, v: q[0] - 0.04, "high", terminal=True)
    run = am.simulate(shaken(), [0, START], prescribed={"pivot": sine}, events=stop)
    assert run.time[-1] == pytest.approx(np.arcsin(0.8) / W, abs=1e-12)


def test_a_recording_goes_on(tmp_path):
    file = tmp_path / "shaken.nc"
    options = {"step": 1e-3, "every": 20, "prescribed": {"pivot": sine}}
    names = ("q", "v", "prescribed_force", "drift")
    am.simulate(shaken(), [0, START], duration=0.5, out=file, record=names, **options)
    longer = am.simulate(shaken(), [0, START], duration=1.0, out=file, record=names, resume=True,
                         **options)  # fmt: skip
    whole = am.simulate(shaken(), [0, START], duration=1.0, record=names, **options)
    np.testing.assert_allclose(longer.time, whole.time, atol=1e-12)
    for name in names:
        np.testing.assert_allclose(longer[name], whole[name], atol=1e-9)
    with pytest.raises(InputError, match="another one"):
        am.simulate(shaken(), [0, START], duration=1.5, out=file, record=names[:2], resume=True,
                    step=1e-3, every=20)  # fmt: skip


def test_many_steps_at_once_are_those_that_are_entered_one_by_one():
    """Accelerations jump at corners and at both ends: the side on which the step lies counts."""
    path = am.trajectories.segments([[0.0], [1.0], [0.5]], [0.25, 0.5])
    begins, h, c = 0.125 * np.arange(-3, 12), 0.125, (0.0, 0.5, 0.5, 1.0, 1.0)
    for motion in (Path("x", path, 1), Still("x", 0.3, 1), Still("x", [[0.1], [0.2]], 1)):
        found = motion.at_stages(begins, h, c)
        for k, t in enumerate(begins.tolist()):
            motion.enter(t, t + h)
            for n, x in enumerate(c):
                wanted = np.array([np.atleast_2d(y) for y in motion(t + x * h)])
                np.testing.assert_allclose(found[k, n], wanted, atol=1e-14)
