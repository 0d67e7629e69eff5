"""Motors as drives have them: by current, with a current controller, from a steady state, and
dry friction on the rotor of a flexible transmission; closed forms all."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from armillary.sim.actuators.dc_motor import DCMotor
from armillary.sim.actuators.transmission import FlexibleTransmission

INERTIA = 0.02  # kg m² of the wheel
MOTOR = am.Motor(resistance=0.5, torque_constant=0.05, gear=10.0, inductance=1e-3)
K = 0.5  # n K


def wheel(motor=None, inertia=INERTIA, viscous=0.0) -> am.Mechanism:
    b = am.Builder("wheel", (0.0, 0.0, 0.0))
    joint = am.joint_spec("revolute", axis="z", passive=(am.Passive(viscous=viscous),))
    b.body("disc", joint=joint, mass=1.0, inertia=(inertia,) * 3, motor=motor)
    return b.build()


def simulated(machine, actuators, **given):
    given = {"duration": 0.05, "step": 1e-4, "method": "rk4"} | given
    return am.simulate(machine, **given, actuators=actuators, record=("q", "v", "tau", "states"))


def current_of(run):
    return run["states"][:, list(run.labels["states"]).index("disc.current")]


def commanded(value):
    """A controller that says the same number always."""
    return lambda t, q, v: [value + 0.0 * v[0]]


@pytest.mark.parametrize("command", ["current", "force"])
def test_the_current_controller_follows_as_a_lag_of_first_order(command):
    """i = i* (1 - exp(-ω t)), whatever the wheel does; the wheel follows from its torque."""
    machine, wanted, omega = wheel(MOTOR), 4.0, 300.0
    part = DCMotor(machine, command=command, bandwidth=omega)
    value = wanted if command == "current" else K * wanted
    run = simulated(machine, part, controller=commanded(value))
    lag = 1.0 - np.exp(-omega * run.time)
    np.testing.assert_allclose(current_of(run), wanted * lag, atol=1e-6)
    speed = K * wanted / INERTIA * (run.time - lag / omega)
    np.testing.assert_allclose(run.v[:, 0], speed, atol=1e-5)


def test_the_controller_keeps_to_its_voltage_and_does_not_wind_up():
    """At the limit the current rises as the voltage lets it; back below there is no overshoot."""
    top = 3.0
    motor = am.Motor(0.5, 0.05, 10.0, 1e-3, voltage_limit=top)
    machine = wheel(motor, inertia=1e6)  # as good as locked: no back EMF
    part = DCMotor(machine, command="current", bandwidth=2000.0)
    run = simulated(machine, part, controller=commanded(5.0), duration=0.02, step=1e-5)
    current, integral = run["states"].T
    volts = 2000.0 * 1e-3 * (5.0 - current) + integral
    bound = volts > top
    assert bound[:100].all() and not bound[-500:].any()
    first = run.time[bound & (run.time < 1e-3)]
    # L di/dt + R i = top, from rest
    exact = top / 0.5 * (1.0 - np.exp(-0.5 / 1e-3 * first))
    np.testing.assert_allclose(current[: len(first)], exact, rtol=1e-6, atol=1e-9)
    assert current.max() < 5.0 * 1.001 and current[-1] == pytest.approx(5.0, rel=1e-4)


def test_by_current_without_inductance():
    """The current is there at once, within the limits of current and voltage."""
    motor = am.Motor(0.5, 0.05, 10.0, current_limit=6.0, voltage_limit=4.0)
    part = DCMotor(wheel(motor), command="current")
    assert part.force(0.0, [0.0], [0.0], [], [3.0]) == [pytest.approx(K * 3.0)]
    assert part.force(0.0, [0.0], [0.0], [], [9.0]) == [pytest.approx(K * 6.0)]
    # at 5 rad/s the back EMF leaves 1.5 V: 3 A
    assert part.force(0.0, [0.0], [5.0], [], [9.0]) == [pytest.approx(K * 3.0)]


@pytest.mark.parametrize("native", [True, False])
def test_from_a_steady_state(native):
    """Held at (V - n K v) / R, a motor with inductance goes on as if it had always run."""
    damping = 0.08
    machine = wheel(MOTOR, viscous=damping)
    volts = 6.0
    speed = K * volts / (K * K + 0.5 * damping)  # n K i = damping v
    part = DCMotor(machine, steady_start=True)
    given = 6.0 if native else am.Schedule([0.0, 1.0], [[6.0], [6.0]], ["disc"])
    run = simulated(machine, part, v0=[speed], voltages={"disc": given})
    np.testing.assert_allclose(run.v[:, 0], speed, rtol=1e-12)
    np.testing.assert_allclose(current_of(run), damping * speed / K, rtol=1e-12)
    cold = simulated(machine, DCMotor(machine), v0=[speed], voltages={"disc": volts})
    assert current_of(cold)[0] == 0.0 and np.abs(cold.v[:, 0] - speed).max() > 0.01


def test_a_controlled_motor_starts_steady_too():
    machine = wheel(MOTOR)
    part = DCMotor(machine, command="current", bandwidth=300.0, steady_start=True)
    run = simulated(machine, part, controller=commanded(2.0))
    np.testing.assert_allclose(current_of(run), 2.0, rtol=1e-12)
    np.testing.assert_allclose(run.v[:, 0], K * 2.0 / INERTIA * run.time, rtol=1e-9, atol=1e-12)


def test_dry_friction_on_the_rotor():
    """A rotor alone, ω' = -c / B, and it comes to rest; the wheel behind no spring stands."""
    machine = wheel()
    part = FlexibleTransmission(machine, "disc", stiffness=0.0, inertia=0.01, coulomb=0.2)
    z = part.start(machine, [0.0], [3.0])
    assert part.rate(0.0, [0.0], [3.0], z, [0.0])[1] == pytest.approx(-0.2 / 0.01)
    run = simulated(machine, part, v0=[3.0], duration=0.3)
    rotor = run["states"][:, 1]
    np.testing.assert_allclose(rotor[:1400], 3.0 - 20.0 * run.time[:1400], atol=1e-6)
    assert abs(rotor[-1]) < 1e-6  # and not past zero
    np.testing.assert_array_equal(run.v[:, 0], 3.0)


def test_dry_friction_holds_a_wound_spring_back():
    """|stiffness stretch| < c: the rotor stays, the wheel swings with it as if it were a wall.

    It creeps by less than  smoothing (1 N m / c) t = 2.5e-6 rad; without friction it would go
    1.2e-3 rad."""
    machine = wheel()
    part = FlexibleTransmission(
        machine, "disc", stiffness=50.0, inertia=1.0, coulomb=20.0, smoothing=1e-3, stretch=0.02
    )
    run = simulated(machine, part, step=5e-5)
    omega = np.sqrt(50.0 / INERTIA)
    np.testing.assert_allclose(run.q[:, 0], 0.02 * (1.0 - np.cos(omega * run.time)), atol=5e-6)


def test_what_is_refused():
    machine = wheel(MOTOR)
    with pytest.raises(InputError, match="current controller"):
        DCMotor(machine, bandwidth=100.0)
    with pytest.raises(InputError, match="bandwidth"):
        DCMotor(machine, command="current", bandwidth=-1.0)
    with pytest.raises(InputError, match="smoothing"):
        FlexibleTransmission(
            machine, "disc", stiffness=1.0, inertia=1.0, coulomb=1.0, smoothing=0.0
        )
