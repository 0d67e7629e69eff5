"""Sensors against what they must show: rounding, delay and noise by plain numpy and integers,
inertial and force readings by closed forms of a pendulum."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from armillary.sim.loop import loop

PERIOD, STEP = 0.01, 0.001
LENGTH, MASS, SPIN = 0.8, 2.0, 0.3  # of the pendulum: to its centre, kg, kg m² about it


def pendulum():
    """About y, hanging along x at q = 0 turned down by gravity along -z."""
    b = am.Builder("pendulum", gravity=(0, 0, -9.81))
    b.body("arm", joint="revolute", axis="y", mass=MASS, com=(LENGTH, 0, 0),
           inertia=(0.1, SPIN, 0.2))  # fmt: skip
    b.frame("tip", "arm", (LENGTH, 0, 0))
    return b.build()


def swing(*blocks, q0=(0.3,), duration=0.3, **options):
    options = {"record": ("q", "v", "a", "tau", "states"), **options}
    return am.simulate(pendulum(), q0, [0.4], duration, STEP, controller=list(blocks), **options)


def samples(run, label):
    """Recorded readings at the instants of the samples."""
    return run.column(label, "states")[:: round(PERIOD / STEP)]


# -- encoder -------------------------------------------------------------------------------------


def test_encoder_rounds():
    arm = pendulum()
    run = swing(am.Encoder(arm, PERIOD, resolution=0.01))
    true = run.q[:: round(PERIOD / STEP), 0]
    np.testing.assert_allclose(
        samples(run, "arm.reading"), 0.01 * np.round(true / 0.01), atol=1e-15
    )
    assert set(run.labels["states"]) == {"arm.reading", "arm.reading_rate"}
    assert run.units["states"] == ("rad", "rad/s")


def test_readings_are_held_between_samples():
    run = swing(am.Encoder(pendulum(), PERIOD))
    readings = run["states"][:-1, 0].reshape(-1, round(PERIOD / STEP))
    assert (readings == readings[:, :1]).all()


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_encoder_is_late_by_its_delay(delay):
    run = swing(am.Encoder(pendulum(), PERIOD, delay=delay))
    true, found = run.q[:: round(PERIOD / STEP), 0], samples(run, "arm.reading")
    np.testing.assert_array_equal(found[delay:], true[: len(true) - delay])
    np.testing.assert_array_equal(found[:delay], true[0])


def test_rate_is_the_difference_of_readings():
    run = swing(am.Encoder(pendulum(), PERIOD, resolution=1e-3))
    readings, rates = samples(run, "arm.reading"), samples(run, "arm.reading_rate")
    np.testing.assert_allclose(rates[1:], np.diff(readings) / PERIOD, atol=1e-12)


def park_miller(seed, channel, row, count):
    """The same noise in whole numbers."""
    x = 1 + int(np.random.SeedSequence([seed, channel]).generate_state(row + 1)[row]) % (2**31 - 2)
    found = []
    for _ in range(count):
        total = 0.0
        for _ in range(12):
            x = 48271 * x % (2**31 - 1)
            total += x / (2**31 - 1)
        found.append(total - 6.0)
    return np.array(found)


def test_noise_is_the_seeded_sequence():
    run = swing(am.Encoder(pendulum(), PERIOD, noise=0.02, seed=7))
    true = run.q[:: round(PERIOD / STEP), 0]
    noise = (samples(run, "arm.reading") - true) / 0.02
    np.testing.assert_allclose(noise, park_miller(7, 0, 0, len(true)), atol=1e-9)
    again, other = (swing(am.Encoder(pendulum(), PERIOD, noise=0.02, seed=k)) for k in (7, 8))
    np.testing.assert_array_equal(run["states"], again["states"])
    assert (samples(run, "arm.reading") != samples(other, "arm.reading")).all()


def test_noise_has_mean_zero_and_its_deviation():
    noise = park_miller(3, 1, 0, 20_000)
    assert abs(noise.mean()) < 4.0 / np.sqrt(len(noise))
    assert noise.std() == pytest.approx(1.0, abs=0.02)
    assert np.abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 0.03


def test_every_run_of_a_batch_has_its_own_noise():
    run = swing(am.Encoder(pendulum(), PERIOD, noise=0.02, seed=7), q0=[[0.3], [0.3]], duration=0.1)
    true = run.q[:: round(PERIOD / STEP), 0, 0]
    for row in (0, 1):
        noise = (run["states"][:: round(PERIOD / STEP), row, 0] - true) / 0.02
        np.testing.assert_allclose(
            noise, park_miller(7, 0, row, len(true))[: len(noise)], atol=1e-9
        )


def test_controllers_behind_it_see_the_readings():
    """A spring of 5 N m/rad on a coarse encoder: its torque jumps with the reading."""
    arm = pendulum()
    run = swing(am.Encoder(arm, PERIOD, resolution=0.1), am.PID(arm, {"arm": 0.0}, 5.0))
    np.testing.assert_allclose(run.tau[:, 0], -5.0 * run["states"][:, 0], atol=1e-12)
    assert len(np.unique(run.tau)) < 12


@pytest.mark.parametrize("delay", [0, 2])
def test_native_and_python_agree(monkeypatch, delay):
    arm = pendulum()
    blocks = (am.Encoder(arm, PERIOD, noise=1e-3, resolution=1e-4, delay=delay, seed=5),
              am.PID(arm, {"arm": 0.2}, 30.0, 10.0, 3.0, period=PERIOD))  # fmt: skip
    fast = swing(*blocks, record=("q", "v", "tau", "states"))
    monkeypatch.setattr(loop.Loop, "_native", lambda *_: None)
    slow = swing(*blocks, record=("q", "v", "tau", "states"))
    np.testing.assert_allclose(fast["states"], slow["states"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(fast.q, slow.q, atol=1e-10)


@pytest.mark.parametrize(
    "options, text",
    [({"delay": -1}, "delay: expected a whole number"), ({"noise": -1.0}, "noise of"),
     ({"seed": 1.5}, "seed: expected"), ({"period": None}, "a sensor needs one"),
     ({"joints": "leg"}, "leg")],
)  # fmt: skip
def test_wrong_sensors_are_refused(options, text):
    with pytest.raises(am.ArmillaryError, match=text):
        am.Encoder(pendulum(), **{"period": PERIOD, **options})


# -- inertial measurement, forces ----------------------------------------------------------------


def test_imu_at_rest_shows_gravity_upwards():
    """Tilted by 0.3 about y, held: (g sin, 0, g cos) in the axes of the frame."""
    arm = pendulum()
    hold = arm.static_torques([0.3])
    run = am.simulate(arm, [0.3], duration=0.05, step=STEP, inputs=hold, record="states",
                      controller=am.IMU(arm, "tip", PERIOD))  # fmt: skip
    expected = [0, 0, 0, -9.81 * np.sin(0.3), 0, 9.81 * np.cos(0.3)]
    np.testing.assert_allclose(run["states"][-1], expected, atol=1e-12)


def test_imu_on_a_swinging_arm():
    """Radial -ω² l, tangential -α l (about y, z down), and gravity, by hand."""
    run = swing(am.IMU(pendulum(), "tip", PERIOD), duration=0.2)
    every = round(PERIOD / STEP)
    q, w, alpha = (run[name][::every, 0] for name in ("q", "v", "a"))
    zero = np.zeros_like(q)
    x = -(w**2) * LENGTH - 9.81 * np.sin(q)
    z = -alpha * LENGTH + 9.81 * np.cos(q)
    expected = np.stack([zero, w, zero, x, zero, z], axis=-1)
    np.testing.assert_allclose(run["states"][::every], expected, atol=1e-9)


def test_force_sensor_in_the_joint():
    """m (a - g) of the centre, and no torque about the free axis; a push at the tip is felt."""
    arm, push = pendulum(), [0, 0, 0, 0, 3.0, 0]
    run = swing(am.ForceTorque(arm, "arm", PERIOD), external={"tip": push}, duration=0.2)
    every = round(PERIOD / STEP)
    q, w, alpha = (run[name][::every, 0] for name in ("q", "v", "a"))
    found = run["states"][::every]
    np.testing.assert_allclose(found[:, 3], MASS * (-(w**2) * LENGTH - 9.81 * np.sin(q)), atol=1e-8)
    np.testing.assert_allclose(found[:, 4], -3.0, atol=1e-9)
    np.testing.assert_allclose(found[:, 5], MASS * (-alpha * LENGTH + 9.81 * np.cos(q)), atol=1e-8)
    np.testing.assert_allclose(found[:, 1], 0.0, atol=1e-9)
    np.testing.assert_allclose(found[:, 2], -3.0 * LENGTH, atol=1e-9)


def test_force_sensor_in_a_closed_chain():
    """What `solve` says of the joint, at the same state."""
    bars = am.example("four-bar")
    name = bars.joints[-1]
    run = am.simulate(bars, duration=0.02, step=STEP, record=("q", "v", "tau", "states"),
                      controller=am.ForceTorque(bars, name, PERIOD))  # fmt: skip
    solution = bars.solve(run.q[10], run.v[10], run.tau[10])
    np.testing.assert_allclose(run["states"][10], solution.reactions[name], rtol=1e-6, atol=1e-9)


# -- states by name, and in balance --------------------------------------------------------------


def motor_of(resistance):
    return am.Motor(resistance=resistance, inductance=0.01, torque_constant=0.5, gear=20.0)


def test_integral_and_current_are_recorded_by_name():
    arm = pendulum()
    motor = am.DCMotor(
        arm, am.Motor(resistance=1.0, inductance=0.01, torque_constant=0.5, gear=20.0)
    )
    control = am.PID(arm, {"arm": 0.2}, 20.0, 5.0, 2.0)
    run = am.simulate(arm, [0.3], duration=0.2, step=STEP, controller=control, actuators=motor,
                      record=("q", "current", "states"))  # fmt: skip
    np.testing.assert_allclose(run.column("arm.current", "states"), run["current"][:, 0])
    error = 0.2 - run.q[:, 0]
    integral = np.concatenate([[0], np.cumsum(STEP * (error[1:] + error[:-1]) / 2)])
    np.testing.assert_allclose(run.column("arm.integral", "states"), integral, atol=1e-6)
    assert run.units["states"] == ("rad s", "A")


def test_no_states_are_refused():
    with pytest.raises(InputError, match="has no 'states'"):
        am.simulate(pendulum(), duration=0.01, record="states")


@pytest.mark.parametrize("q0", [[0.3], [[0.3], [-1.0]]])
def test_balance_of_an_integral(q0):
    """ki ∫e holds the weight: it stays where it is."""
    arm, q = pendulum(), np.array(q0)
    run = am.simulate(arm, q0, duration=0.2, step=STEP, balance=True, record=("q", "v", "states"),
                      controller=am.PID(arm, {"arm": 0.3}, 0.0, 5.0, 2.0))  # fmt: skip
    weight = -MASS * 9.81 * LENGTH * np.cos(q)
    np.testing.assert_allclose(run["states"][0], weight / 5.0, rtol=1e-9)
    if q.ndim == 1:
        np.testing.assert_allclose(run.v, 0.0, atol=1e-9)


def test_balance_through_a_motor():
    """Voltage, current and integral at once: i = τ / (k n), ki ∫e = R i."""
    arm = pendulum()
    motor = am.DCMotor(
        arm, am.Motor(resistance=2.0, inductance=0.01, torque_constant=0.5, gear=20.0)
    )
    run = am.simulate(arm, [0.3], duration=0.2, step=STEP, balance=True, actuators=motor,
                      controller=am.PID(arm, {"arm": 0.3}, 50.0, 4.0), record=("q", "v", "states"),
                      )  # fmt: skip
    current = -MASS * 9.81 * LENGTH * np.cos(0.3) / (0.5 * 20.0)
    np.testing.assert_allclose(run["states"][0], [2.0 * current / 4.0, current], rtol=1e-8)
    np.testing.assert_allclose(run.v, 0.0, atol=1e-7)


def test_balance_that_cannot_be_is_refused():
    arm = pendulum()
    with pytest.raises(InputError, match="balance: no states of the blocks keep 'arm'"):
        am.simulate(arm, [0.3], balance=True, controller=am.PID(arm, {"arm": 0.0}, 1.0))
    with pytest.raises(InputError, match="balance: no controller or actuator has states"):
        am.simulate(arm, [0.3], balance=True)
