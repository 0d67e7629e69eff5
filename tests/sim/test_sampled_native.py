"""Parts with a period in the native loop: held between samples, asked inside or in Python."""

import numpy as np
import pytest

import armillary as am
from armillary.sim.loop import loop, native, signal_recorder

ARM = am.example("double-pendulum")
MOTOR = am.Motor(resistance=0.8, torque_constant=0.06, gear=8.0, voltage_limit=20.0)
SLOW = am.Motor(resistance=0.8, inductance=4e-3, torque_constant=0.06, gear=8.0)
START, SPEED = np.array([0.4, -0.3]), np.array([0.2, 0.5])
MANY = START * np.linspace(0.5, 1.5, 11)[:, None]


@pytest.fixture
def both(monkeypatch):
    """The run natively and in Python, with the number of native steps."""

    def run(*arguments, parts=1, **options):
        taken, advance = [], native.NativeLoop.advance

        def counted(self, *rest):
            stretch = advance(self, *rest)
            assert self.substeps == parts
            taken.append(stretch.done)
            return stretch

        with monkeypatch.context() as patch:
            patch.setattr(native.NativeLoop, "advance", counted)
            fast = am.simulate(*arguments, **options)
        with monkeypatch.context() as patch:
            patch.setattr(loop.Loop, "_native", lambda *_: None)
            plain = am.simulate(*arguments, **options)
        assert sum(taken) > 0
        for name in fast.labels:
            size = 1.0 + np.abs(plain[name]).max()
            np.testing.assert_allclose(fast[name], plain[name], atol=1e-10 * size, rtol=0)
        return fast, sum(taken)

    return run


def pid(period, limit=None):
    return am.PID(ARM, {"shoulder": 0.3, "elbow": -0.2}, 6.0, 4.0, 0.4, limit=limit, period=period)


def swing(t, q, v):
    """A controller of the user, for one state or rows of them."""
    return -1.5 * (q - 0.1) - 0.2 * v + 0.05 * np.sin(3 * t)


@pytest.mark.parametrize("method", ["euler", "semi-implicit", "rk4"])
@pytest.mark.parametrize("q0", [START, MANY], ids=["one", "batch"])
@pytest.mark.parametrize("period, step, parts", [(4e-3, 1e-3, 1), (1e-3, 1e-3, 1), (5e-4, 1e-3, 2)])
def test_controller(both, method, q0, period, step, parts):
    for controller in (pid(period), pid(period, limit=0.5), am.Function(swing, period)):
        _, taken = both(ARM, q0, SPEED, 0.1, step, method, controller=controller, parts=parts,
                        record=("q", "v", "tau"), every=3)  # fmt: skip
        assert taken == 100


@pytest.mark.parametrize("q0", [START, MANY], ids=["one", "batch"])
@pytest.mark.parametrize("motor", [MOTOR, SLOW], ids=["stiff", "inductive"])
def test_converter(both, q0, motor):
    """A motor whose voltage is rounded and held; its current goes on in continuous time."""
    dac = am.DAC(8, -12.0, 12.0, period=2e-3)
    for command, controller in (("voltage", pid(None)), ("force", swing), ("voltage", pid(3e-3))):
        period = 2e-3 if controller is swing else None
        motors = am.DCMotor(ARM, motor, command=command, dac=dac)
        both(ARM, q0, SPEED, 0.06, 5e-4, controller=controller, actuators=motors, period=period,
             record=("q", "v", "voltage", "current"), every=4)  # fmt: skip


def test_forces_beside_the_samples(both):
    table = am.Schedule([0.0, 0.05, 0.1], [0.0, 0.4, -0.2])
    for controller in (pid(2e-3), [pid(2e-3), am.Function(swing, 5e-3)]):
        both(ARM, START, SPEED, 0.1, controller=controller, inputs={"shoulder": table})


def test_closed_mechanism(both):
    bars = am.example("four-bar")
    q = bars.assemble(hold=["crank"]).q
    for period in (2e-3, 5e-4):
        controller = am.PID(bars, {"crank": 1.2}, 20.0, 5.0, 1.0, period=period)
        both(bars, q, duration=0.1, controller=controller, parts=round(max(1e-3 / period, 1)),
             record=("q", "v", "drift"))  # fmt: skip


def test_held_forces_make_a_stair():
    """Of a body on a rail: between samples the acceleration is constant, so q is a parabola."""
    b = am.Builder("slide")
    b.body("mass", joint="prismatic", axis="x", mass=2.0, inertia=(1.0, 1.0, 1.0))
    rail, period, gain = b.build(), 0.05, 30.0
    run = am.simulate(rail, [0.4], duration=1.0, step=5e-3, period=period, every=10,
                      controller=lambda t, q, v: -gain * q)  # fmt: skip
    x, u = 0.4, 0.0
    for k, q in enumerate(run.q[:, 0]):
        assert q == pytest.approx(x, abs=1e-12), k
        a = -gain * x / 2.0
        x, u = x + u * period + 0.5 * a * period**2, u + a * period


def test_samples_off_the_grid_are_taken_in_python(monkeypatch):
    monkeypatch.setattr(native, "NativeLoop", None)
    run = am.simulate(ARM, START, SPEED, 0.03, 1e-3, controller=pid(1.5e-3))
    assert run.complete


def test_a_run_that_starts_between_two_samples(both):
    both(ARM, START, SPEED, 0.05, 1e-3, controller=pid(4e-3), t0=0.002)


@pytest.mark.parametrize("every", [1, 5])
def test_a_controller_that_raises_keeps_what_was_computed(every):
    def sensor(t, q, v):
        if t > 0.0499:
            raise RuntimeError("sensor lost")
        return np.zeros(2)

    with pytest.raises(RuntimeError, match="sensor lost") as caught:
        am.simulate(ARM, START, controller=sensor, period=1e-2, step=1e-3, every=every)
    run = caught.value.run
    assert not run.complete and run.time[-1] == pytest.approx(0.05 - 1e-3 * every)
    free = am.simulate(ARM, START, duration=0.05, step=1e-3, every=every)
    np.testing.assert_allclose(run.q, free.q[: len(run)], atol=1e-12)


@pytest.mark.parametrize("controller", [pid(4e-3), am.Function(swing, 4e-3)])
def test_a_recording_goes_on_between_two_samples(tmp_path, controller):
    whole = am.simulate(ARM, START, SPEED, 0.1, controller=controller, record=("q", "tau"))
    out = tmp_path / "run.nc"
    for duration in (0.05, 0.1):  # 50 ms is no multiple of 4 ms
        parts = am.simulate(ARM, START, SPEED, duration, controller=controller, out=out,
                            record=("q", "tau"), resume=duration > 0.05)  # fmt: skip
    np.testing.assert_allclose(parts.q, whole.q, atol=1e-13)
    np.testing.assert_allclose(parts.tau, whole.tau, atol=1e-12)


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5])
def test_a_few_instants_are_told_without_touching_other_memory(monkeypatch, steps):
    """Kernels over rows side by side need more rows than these."""
    made = []

    class Guarded:
        """numpy, with marked numbers before and behind every new array."""

        def __getattr__(self, name):
            return getattr(np, name)

        def empty(self, shape):
            made.append(np.full(np.prod(shape) + 64, 7.0))
            return made[-1][32:-32].reshape(shape)

    motors = am.DCMotor(ARM, am.Motor(torque_constant=0.5, resistance=1.0), command="force")
    options = {"controller": pid(None), "actuators": motors, "record": ("q", "tau", "current")}
    plain = am.simulate(ARM, START, SPEED, steps * 1e-3, **options)
    for module in (signal_recorder, native):
        monkeypatch.setattr(module, "np", Guarded())
    run = am.simulate(ARM, START, SPEED, steps * 1e-3, **options)
    assert len(run) == steps + 1 and made
    assert all(np.array_equal(run[name], plain[name]) for name in run.names)
    for block in made:
        assert (block[:32] == 7.0).all() and (block[-32:] == 7.0).all()


# -- controllers that know the mechanism ---------------------------------------------------------


def heavier():
    return ARM.replace(bodies={"lower": {"mass": 2.0}})


@pytest.mark.parametrize("period", [None, 4e-3])
@pytest.mark.parametrize("q0", [START, MANY], ids=["one", "batch"])
def test_computed_torque_and_gravity_compensation(both, period, q0):
    path = am.trajectories.quintic(START, -START, 0.08)
    for mechanism in (ARM, heavier()):  # the controller may believe in another mass
        for controller in (
            am.ComputedTorque(mechanism, path, 100.0, 20.0, ki=50.0, period=period),
            am.ComputedTorque(mechanism, [0.1, 0.2], 100.0, 20.0, period=period),
            am.GravityCompensation(mechanism, period=period),
            am.GravityCompensation(mechanism, springs=False, period=period),
        ):
            _, taken = both(ARM, q0, SPEED, 0.1, controller=controller)
            assert taken == 100


def test_computed_torque_turns_by_quaternions(both):
    b = am.Builder("flyer")
    b.body("hull", joint="free", mass=5.0, com=(0.1, 0, 0), inertia=(0.3, 0.4, 0.5))
    b.body("arm", "hull", "spherical", (0.3, 0, 0), mass=1.0, com=(0.2, 0, 0),
           inertia=(0.01, 0.1, 0.1))  # fmt: skip
    flyer = b.build()
    step = np.random.default_rng(1).normal(scale=0.3, size=flyer.nv)
    goal = flyer.integrate(flyer.initial, step)
    both(flyer, duration=0.05, controller=am.ComputedTorque(flyer, goal, 100.0, 20.0))


def test_sampled_model_controllers_that_take_arrays(both):
    """Between two samples the steps are native all the same."""
    bars = am.example("four-bar")
    q = bars.assemble(hold=["crank"]).q
    crank = am.GravityCompensation(bars, actuators=["crank"], period=4e-3)
    both(bars, q, duration=0.05, controller=crank)
    frame = am.OperationalSpace(ARM, "tip", [0.2, 0.0, -0.2], 50.0, 10.0, period=2e-3)
    both(ARM, START, duration=0.05, controller=frame)


# -- parts without a period that take arrays: called back at every stage -------------------------


@pytest.mark.parametrize("method", ["semi-implicit", "heun", "rk4"])
@pytest.mark.parametrize("q0", [START, MANY], ids=["one", "batch"])
def test_functions_of_the_user(both, method, q0):
    chain = [am.Function(swing), pid(None), am.FeedForward(lambda t: [0.1 * t, -0.2])]
    for controller in (swing, chain, [swing, pid(3e-3)]):
        _, taken = both(ARM, q0, SPEED, 0.05, 1e-3, method, controller=controller,
                        inputs={"elbow": 0.1}, record=("q", "v", "tau"))  # fmt: skip
        assert taken == 50


def test_schedules_of_parts_keep_their_jumps(both):
    """No stage looks across a jump: the feed-forward torque of a body about its axis is exact."""
    b = am.Builder("wheel")
    b.body("wheel", axis="z", mass=1.0, inertia=(0.3, 0.3, 0.5))
    wheel = b.build()
    table = am.Schedule([0.0, 0.1, 0.1, 0.2], [[1.0], [1.0], [-3.0], [-3.0]])
    run, _ = both(wheel, [0.0], duration=0.2, step=1e-2, controller=am.FeedForward(table))
    assert run.v[10, 0] == pytest.approx(0.2, abs=1e-14)
    assert run.v[-1, 0] == pytest.approx(0.2 - 0.6, abs=1e-14)


def test_operational_space_without_a_period(both):
    both(ARM, START, duration=0.02, controller=am.OperationalSpace(
        ARM, "tip", [0.2, 0.0, -0.2], 50.0, 10.0, rows=("x",)))  # fmt: skip


def test_a_slow_function_does_not_hold_up_the_rest():
    """Signs of progress and Ctrl-C come in time, however long the function takes."""
    import time

    seen = []

    def slow(t, q, v):
        time.sleep(2e-3)
        return np.zeros(2)

    am.simulate(ARM, START, duration=0.15, step=1e-3, controller=slow,
                progress=lambda t, end: seen.append(t))  # fmt: skip
    assert len(seen) >= 3


@pytest.mark.parametrize("profile", ["quintic", "cubic", "cosine", "cycloid", "trapezoid"])
def test_profiles_run_inside(both, profile):
    path = am.trajectories.point_to_point(ARM, START, -START, 0.06, profile)
    controller = am.ComputedTorque(ARM, path, 100.0, 20.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native.NativeLoop, "_answer", None)  # nothing is called back
        _, taken = both(ARM, START, duration=0.08, controller=controller)
    assert taken == 80


@pytest.mark.parametrize("period", [1.0, 1e30, 1e300])
def test_a_period_longer_than_any_run_is_one_sample(period):
    """The force of the first instant, kp (target - q), acts all the time."""
    held = am.PID(ARM, {"shoulder": 0.3, "elbow": -0.2}, 6.0, period=period)
    start = [0.1, 0.2]
    run = am.simulate(ARM, start, duration=0.05, controller=held)
    force = {"shoulder": 6.0 * (0.3 - 0.1), "elbow": 6.0 * (-0.2 - 0.2)}
    same = am.simulate(ARM, start, duration=0.05, inputs=force)
    np.testing.assert_allclose(run.q, same.q, rtol=0, atol=1e-13)
