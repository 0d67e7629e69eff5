"""Voltages over time in the native loop: tables that are read for all steps at once."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armillary as am
from armillary.sim.motion.schedules import Schedule
from sim.native_runs import both


def arm():
    """Full tensors, offset frames, skew axes; motors on the first and the last joint."""
    motor = am.Motor(resistance=0.8, torque_constant=0.05, gear=20.0, voltage_limit=9.0)
    slow = am.Motor(resistance=0.5, torque_constant=0.04, gear=15.0, inductance=2e-3)
    b = am.Builder("fed")
    b.body("a", axis="z", mass=2.0, com=(0.1, -0.05, 0.2), inertia=(0.2, 0.3, 0.4), motor=motor)
    b.body("b", "a", "prismatic", (0.1, 0.2, 0), axis=(0.6, 0, 0.8), mass=1.0, com=(0, 0.1, 0),
           inertia=(0.1, 0.1, 0.2), passive=am.Passive(spring=80.0, viscous=2.0))  # fmt: skip
    b.body("c", "b", "revolute", (0, 0, 0.3), axis="x", mass=0.5, com=(0, 0.02, 0.1),
           inertia=(0.02, 0.03, 0.01), motor=slow)  # fmt: skip
    return b.build()


ROWS = [0.0, 0.1, 0.1, 0.25, 0.5]


def tables(kind):
    if kind == "spline":
        return {"a": Schedule([0, 0.2, 0.5], [1.0, 6.0, -3.0], kind="spline"), "c": 2.0}
    return {
        "a": Schedule(ROWS, [0.0, 5.0, -4.0, 12.0, 1.0], kind=kind),
        "c": Schedule([0.0, 0.05, 0.3], [3.0, -2.0, 1.0], kind=kind, hold=True),
    }


@pytest.mark.parametrize("method", ["rk4", "semi-implicit", "heun", "variational"])
@pytest.mark.parametrize("kind", ["linear", "hold", "spline"])
def test_schedules_run_inside(kind, method):
    """Limits of the voltage, a current as a state, forces beside the motors; recorded signals."""
    names = ("q", "v", "a", "tau", "voltage", "current", "states")
    push = {"b": Schedule([0, 0.5], [1.0, -1.0])}
    run, steps = both(arm(), voltages=tables(kind), inputs=push, duration=0.5, step=5e-3,
                      method=method, record=names)  # fmt: skip
    assert steps == 100 and np.abs(run.v[-1]).max() > 0.1


@pytest.mark.parametrize("step", [5e-3, 2e-2])
@pytest.mark.parametrize("kind", ["linear", "hold"])
def test_converters_see_the_row_that_begins(kind, step):
    """A converter whose period is that of the rows gives each row from its instant on; also with
    several samples in a step."""
    m = arm()
    motors = am.DCMotor(m, dac=am.DAC(14, -10.0, 10.0, period=1e-2))
    rows = np.array([1.0, -2.0, 4.0, 0.5, -3.0, 2.0])
    times = 1e-2 * np.arange(len(rows))
    volts = {"a": Schedule(times, rows, kind=kind, hold=True)}
    run, steps = both(m, voltages=volts, actuators=motors, duration=0.1, step=step,
                      record=("q", "v", "voltage"))  # fmt: skip
    assert steps == round(0.1 / step)
    if step == 5e-3:
        held = np.append(np.repeat(rows, 2), [rows[-1]] * 9)[: len(run)]
        np.testing.assert_allclose(run.voltage[:, 0], held, atol=20.0 / 2**14)


def test_batches_and_functions():
    m = arm()
    rng = np.random.default_rng(3)
    q0 = rng.normal(size=(5, 3)) * 0.3
    each = {"a": rng.normal(size=5) * 4, "c": lambda t: 3.0 * np.sin(20 * t)}
    _, steps = both(m, q0, voltages=each, duration=0.1, record=("q", "v", "tau", "voltage"))
    assert steps == 100
    own = Schedule([0.0, 0.05, 0.05, 0.1], rng.normal(size=(4, 5, 1)) * 4)
    _, steps = both(m, q0, voltages={"c": own}, duration=0.1, record=("q", "tau", "current"))
    assert steps == 100


def test_against_the_plain_equations():
    """One wheel: J w' = n K (V(t) - n K w) / R, by scipy on the pieces of the table."""
    motor = am.Motor(0.8, 0.05, gear=20.0)
    b = am.Builder("wheel", gravity=(0, 0, 0))
    b.body("a", axis="z", mass=1.0, inertia=(0.2, 0.2, 0.3), motor=motor)
    times, volts = [0.0, 0.2, 0.2, 0.5], [0.0, 8.0, -6.0, 3.0]
    run = am.simulate(b.build(), voltages={"a": Schedule(times, volts)}, duration=0.5)
    assert run.performance().native == 1.0

    def rate(t, w, t0, t1, u0, u1):
        return ((u0 + (u1 - u0) * (t - t0) / (t1 - t0)) - w) / 0.8 / 0.3

    first = solve_ivp(rate, (0, 0.2), [0.0], "DOP853", rtol=1e-12, atol=1e-12, args=(0, 0.2, 0, 8))
    last = solve_ivp(rate, (0.2, 0.5), first.y[:, -1], "DOP853", rtol=1e-12, atol=1e-12,
                     args=(0.2, 0.5, -6.0, 3.0))  # fmt: skip
    assert run.v[200, 0] == pytest.approx(first.y[0, -1], abs=1e-10)
    assert run.v[-1, 0] == pytest.approx(last.y[0, -1], abs=1e-10)


@pytest.mark.parametrize("kind", ["linear", "hold", "spline"])
@pytest.mark.parametrize("hold", [True, False])
def test_tables_for_many_steps_are_those_of_one(kind, hold):
    """Bit by bit as when every step is entered; rows at ends, inside and outside of steps."""
    times = [0.1, 0.2, 0.2, 0.35, 0.4] if kind != "spline" else [0.1, 0.2, 0.3, 0.35, 0.4]
    rng = np.random.default_rng(0)
    table = Schedule(times, rng.normal(size=(5, 2, 3)), kind=kind, hold=hold)
    begins, h, c = -0.05 + 0.025 * np.arange(24), 0.025, (0.0, 0.5, 0.5, 1.0)
    found = table.at_stages(begins, h, c)
    for t, own in zip(begins.tolist(), found, strict=True):
        table.enter(t, t + h)
        assert np.array_equal([table(t + x * h) for x in c], own)


def test_a_function_that_fails():
    """Its error comes at its instant, with the run up to there."""

    def volts(t):
        if t > 0.0305:
            raise RuntimeError("no power")
        return 3.0

    m = arm()
    for actuators in (None, am.DCMotor(m, dac=am.DAC(12, -10.0, 10.0, period=1e-2))):
        with pytest.raises(RuntimeError, match="no power") as caught:
            am.simulate(m, voltages={"a": volts}, actuators=actuators, duration=0.1)
        assert caught.value.run.time[-1] == pytest.approx(0.03)
