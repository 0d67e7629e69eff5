"""Motors, gears, converters, flexible transmissions against closed forms; the inverse chain
torque -> current -> voltage -> code of [Swartz1982, 11 and 12]."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError
from armillary.scalar import Dual
from armillary.sim.actuators.converters import DAC
from armillary.sim.actuators.dc_motor import DCMotor, Ideal
from armillary.sim.actuators.motor_drives import Drive
from armillary.sim.actuators.transmission import FlexibleTransmission
from armillary.sim.control.chain import Chain
from seeds.cases import assert_value, case

INERTIA = 0.02  # kg m² of the wheel


def wheel(**options) -> am.Mechanism:
    b = am.Builder("wheel", (0.0, 0.0, 0.0))
    b.body(
        "disc", joint="revolute", axis="z", mass=1.0, inertia=(INERTIA, INERTIA, INERTIA), **options
    )
    return b.build()


def run(mechanism, part, command, duration, h=5e-4, v0=0.0):
    """(v, z) at the end of a Runge-Kutta run of one joint; command: a number, or f(t)."""
    u = command if callable(command) else lambda t: command
    x = np.array([0.0, v0, *part.start(mechanism, [0.0], [v0])])

    def rate(t, x):
        q, v, z = [x[0]], [x[1]], list(x[2:])
        tau = part.force(t, q, v, z, [u(t)])
        (a,) = mechanism.forward_dynamics(q, v, tau)
        return np.array([x[1], a, *part.rate(t, q, v, z, [u(t)])])

    for k in range(round(duration / h)):
        t = k * h
        k1 = rate(t, x)
        k2 = rate(t + h / 2, x + h / 2 * k1)
        k3 = rate(t + h / 2, x + h / 2 * k2)
        k4 = rate(t + h, x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return x


# -- the motor -----------------------------------------------------------------------------------


def test_steady_speed_and_time_constant():
    """V / (n K) in the end, on the way  1 - exp(-t n² K² / (R I))."""
    motor = am.Motor(resistance=2.0, torque_constant=0.05, gear=20.0)
    part = DCMotor(wheel(), motor)
    assert part.states == ()
    time_constant = 2.0 * INERTIA / (20 * 0.05) ** 2
    for t in (0.01, 0.05, 0.6):
        v = run(wheel(), part, 6.0, t)[1]
        assert v == pytest.approx(6.0 * (1 - np.exp(-t / time_constant)), rel=1e-8)


def test_rotor_in_the_model_slows_the_start():
    heavy = wheel(rotor=am.Rotor(inertia=1e-4, gear=20.0))
    part = DCMotor(heavy, am.Motor(2.0, 0.05, gear=20.0))
    time_constant = 2.0 * (INERTIA + 0.04)
    assert run(heavy, part, 6.0, 0.1)[1] == pytest.approx(6 * (1 - np.exp(-0.1 / time_constant)))
    with pytest.raises(ModelError, match="gear 10, its rotor in the model 20"):
        DCMotor(heavy, am.Motor(2.0, 0.05, gear=10.0))


def test_inductance():
    """Blocked rotor: i = V/R (1 - exp(-R t / L)); free wheel: the second-order closed form."""
    R, K, L = 2.0, 0.5, 0.05
    part = DCMotor(wheel(), am.Motor(R, K, inductance=L))
    assert part.states == ("disc.current",)
    x, h = 0.0, 1e-5
    for _ in range(1000):  # blocked, v = 0
        k1 = part.rate(0, [0], [0.0], [x], [6.0])[0]
        x += h * part.rate(0, [0], [0.0], [x + h / 2 * k1], [6.0])[0]
    assert x == pytest.approx(3.0 * (1 - np.exp(-R / L * 0.01)), rel=1e-7)
    # d/dt (i, v) = [[-R/L, -K/L], [K/I, 0]] (i, v) + (V/L, 0)
    A = np.array([[-R / L, -K / L], [K / INERTIA, 0.0]])
    steady = np.linalg.solve(A, [-6.0 / L, 0.0])
    values, vectors = np.linalg.eig(A)
    for t in (0.02, 0.2):
        v, current = run(wheel(), part, 6.0, t, 2e-4)[1:]
        way = vectors @ np.diag(np.exp(values * t)) @ np.linalg.solve(vectors, -steady)
        np.testing.assert_allclose([current, v], steady + way.real, rtol=1e-7)
    assert steady[1] == pytest.approx(6.0 / K)


def test_voltage_and_current_limits():
    motor = am.Motor(2.0, 0.5, voltage_limit=5.0, current_limit=1.0)
    part = DCMotor(wheel(), motor)
    assert part.force(0, [0.0], [0.0], [], [12.0]) == [0.5]  # 2.5 A cut to 1 A
    assert part.force(0, [0.0], [0.0], [], [-12.0]) == [-0.5]
    assert part.force(0, [0.0], [9.0], [], [12.0])[0] == pytest.approx(0.5 * (5 - 4.5) / 2)
    assert run(wheel(), part, 12.0, 3.0, 2e-3)[1] == pytest.approx(10.0)  # 5 V, not 12 V
    assert run(wheel(), part, 12.0, 0.1, 1e-3)[1] == pytest.approx(0.5 * 0.1 / INERTIA)
    told = part.signals(0, [0.0], [0.0], [], [12.0])
    assert told["voltage"] == [2.0] and told["current"] == [1.0]  # R i at the terminals
    # with inductance the current climbs to the limit, stays, and comes back
    slow = DCMotor(wheel(), am.Motor(2.0, 0.5, inductance=0.05, current_limit=1.0))
    assert slow.rate(0, [0.0], [0.0], [1.0], [12.0]) == [0.0]
    assert slow.rate(0, [0.0], [0.0], [1.0], [-12.0])[0] < 0
    assert slow.rate(0, [0.0], [0.0], [-1.0], [-12.0]) == [0.0]
    _, v, current = run(wheel(), slow, 12.0, 0.3, 1e-3)
    assert current == pytest.approx(1.0, abs=1e-3) and 4.0 < v < 0.5 * 0.3 / INERTIA


@pytest.mark.parametrize("smoothing", [0.0, 1e-3])
def test_efficiency_in_both_directions_of_power(smoothing):
    drive = Drive(am.Motor(2.0, 0.1, gear=10.0, efficiency=0.8), smoothing)
    assert drive.force(2.0, 3.0) == pytest.approx(0.8 * 2.0)  # the motor drives
    assert drive.force(2.0, -3.0) == pytest.approx(2.0 / 0.8)  # the load drives
    assert drive.force(-2.0, -3.0) == pytest.approx(-0.8 * 2.0)
    assert drive.force(-2.0, 3.0) == pytest.approx(-2.0 / 0.8)
    assert drive.force(2.0, 0.0) == pytest.approx(2.0)
    rng = np.random.default_rng(0)
    for current, v in rng.normal(size=(50, 2)):
        power = drive.power(current, v)
        assert power.gear >= -1e-12  # never gives
        assert drive.current(drive.force(current, v), v) == pytest.approx(current)
    if smoothing:  # no jump
        v = np.linspace(-5e-3, 5e-3, 2001)
        assert np.abs(np.diff(drive.force(np.full_like(v, 2.0), v))).max() < 5e-3


def test_power_balance():
    """Electrical = copper + field + gear + mechanical, and the work is what the wheel has."""
    motor = am.Motor(2.0, 0.05, gear=20.0, inductance=0.02, efficiency=0.7)
    part = DCMotor(wheel(), motor)
    rng = np.random.default_rng(1)
    for v, current, u in rng.normal(size=(20, 3)) * 5:
        (p,) = part.power([v], [current], [u]).values()
        assert p.electrical == pytest.approx(p.copper + p.field + p.gear + p.mechanical)
        assert p.electrical == pytest.approx(u * current)  # V i
        assert p.mechanical == pytest.approx(part.force(0, [0], [v], [current], [u])[0] * v)
    # the run: ∫ electrical dt = I v²/2 + L i²/2 + losses
    h, x, work, loss = 5e-4, np.zeros(2), 0.0, 0.0
    for _ in range(1000):
        (p,) = part.power([x[0]], [x[1]], [6.0]).values()
        tau = part.force(0, [0], [x[0]], [x[1]], [6.0])[0]
        mid = x + h / 2 * np.array([tau / INERTIA, part.rate(0, [0], [x[0]], [x[1]], [6.0])[0]])
        (p,) = part.power([mid[0]], [mid[1]], [6.0]).values()
        tau = part.force(0, [0], [mid[0]], [mid[1]], [6.0])[0]
        x = x + h * np.array([tau / INERTIA, part.rate(0, [0], [mid[0]], [mid[1]], [6.0])[0]])
        work, loss = work + h * p.electrical, loss + h * (p.copper + p.gear)
    stored = INERTIA * x[0] ** 2 / 2 + 0.02 * x[1] ** 2 / 2
    assert work == pytest.approx(stored + loss, rel=1e-4)


# -- the converter -------------------------------------------------------------------------------


def test_codes_of_the_converter():
    dac = DAC(12, -10.0, 10.0)
    assert dac.step == 20 / 4096
    assert dac.code(0.0) == 2048 and dac(0.0) == 0.0
    assert dac.code(-10.0) == 0 and dac.code(-99.0) == 0
    assert dac.code(99.0) == 4095 and dac(99.0) == 10.0 - dac.step
    volts = np.linspace(-10, 10 - dac.step, 3001)
    assert np.abs(dac(volts) - volts).max() <= dac.step / 2 * (1 + 1e-9)
    np.testing.assert_array_equal(dac.code(volts), np.floor((volts + 10) / dac.step + 0.5))
    codes = np.arange(4096.0)
    np.testing.assert_array_equal(dac.code(dac.voltage(codes)), codes)
    assert np.isnan(dac.code(float("nan"))) and np.isnan(dac(np.array([np.nan]))).all()


def test_amplifier_behind_the_converter():
    dac = DAC(8, -5.0, 5.0, gain=-4.0)
    volts = np.linspace(-19.8, 19.8, 100)
    assert np.abs(dac(volts) - volts).max() <= abs(dac.step) / 2 * (1 + 1e-9)
    with pytest.raises(InputError, match="not below"):
        DAC(8, 5.0, -5.0)
    with pytest.raises(InputError, match="1 to 24 bits"):
        DAC(0)


def test_the_converter_holds_the_command_not_the_force():
    part = DCMotor(wheel(), am.Motor(2.0, 0.5), dac=DAC(4, -8.0, 8.0, period=0.01))
    assert part.period == 0.01
    slow, fast = (part.force(0, [0.0], [v], [], [2.3])[0] for v in (0.0, 1.0))
    assert slow == pytest.approx(0.5 * 2.0 / 2)  # 2.3 V is 2 V at 1 V per code
    assert fast == pytest.approx(0.5 * (2.0 - 0.5) / 2)  # back EMF at once
    coded = DCMotor(wheel(), am.Motor(2.0, 0.5), dac=DAC(4, -8.0, 8.0), command="code")
    assert coded.force(0, [0.0], [0.0], [], [10.0])[0] == pytest.approx(0.5 * 2.0 / 2)


# -- the inverse chain ---------------------------------------------------------------------------

SIX = case("001_synthetic_6r")


@pytest.fixture(scope="module")
def six():
    arm = am.example("six-r")
    motors = [am.Motor(m["R"], m["Kt"]) for m in SIX.problem["motors"]]
    return arm, motors


def test_voltages_of_document_001(six):
    """(11): torque and velocity to voltage, as recorded; (12) back again."""
    arm, motors = six
    value = SIX["inverse arm: q,qd,qdd -> tau"]
    q, v = (np.array(value[name]) for name in ("q", "qd"))
    part = DCMotor(arm, motors)
    tau = np.array(value["tau"])
    commands = part.inverse(v, tau)
    assert_value(commands.voltage, value["voltage (11)"], 1e-12)
    np.testing.assert_allclose(commands.current, tau / [m.torque_constant for m in motors])
    np.testing.assert_allclose(commands.reached, tau, rtol=1e-12, atol=1e-13)
    back = part.force(0, q, v, [], list(commands.voltage))
    np.testing.assert_allclose(back, tau, rtol=1e-12, atol=1e-13)
    assert not commands.limited.any() and commands.code is None


def test_voltage_run_of_document_001(six):
    """Constant voltages for 0.2 s, classical Runge-Kutta at 1 ms against the recorded end."""
    arm, motors = six
    part, sim = DCMotor(arm, motors), SIX.problem["simulation"]
    volts = list(map(float, sim["voltages"]))

    def rate(x):
        tau = part.force(0.0, list(x[:6]), list(x[6:]), [], volts)
        return np.concatenate([x[6:], arm.forward_dynamics(x[:6], x[6:], tau)])

    x, h = np.concatenate([sim["q0"], sim["qd0"]]).astype(float), 1e-3
    for _ in range(200):
        k1 = rate(x)
        k2 = rate(x + h / 2 * k1)
        k3 = rate(x + h / 2 * k2)
        k4 = rate(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    exact = SIX["state after 0.2 s, DOP853 rtol 1e-13"]
    np.testing.assert_allclose(x, [*exact["theta"], *exact["omega"]], atol=1e-7)


def test_round_trip_with_gear_loss_converter_and_limits():
    motor = am.Motor(1.3, 0.04, gear=-50.0, voltage_limit=9.0, current_limit=4.0, efficiency=0.75)
    part = DCMotor(wheel(), motor, dac=DAC(16, -10.0, 10.0))
    rng = np.random.default_rng(2)
    v, tau = rng.normal(size=(2, 200, 1)) * [[[2.0]], [[1.0]]]
    commands = part.inverse(v, tau)
    free = ~commands.limited
    assert free.any() and (~free).any()
    slope = abs(motor.gear) * motor.torque_constant / motor.resistance / motor.efficiency
    error = np.abs(commands.reached - tau)
    assert error[free].max() <= slope * part.dac.step / 2 * (1 + 1e-9)
    assert error[~free].min() > 0.0
    forces = part.force(0, [0], [v[:, 0]], [], [commands.voltage[:, 0]])
    np.testing.assert_allclose(forces[0], commands.reached[:, 0], atol=1e-12)
    np.testing.assert_allclose(part.dac.voltage(commands.code[free]), commands.applied[free])


def test_servo_amplifier():
    """Commanded in force, the motor gives it, whatever the velocity, until a limit."""
    motor = am.Motor(2.0, 0.5, gear=3.0, efficiency=0.8, voltage_limit=24.0, current_limit=4.0)
    part = DCMotor(wheel(), motor, command="force")
    for v in (-2.0, 0.0, 2.0):
        assert part.force(0, [0.0], [v], [], [3.0])[0] == pytest.approx(3.0)
    assert part.force(0, [0.0], [1.0], [], [99.0])[0] == pytest.approx(0.8 * 1.5 * 4.0)


def test_the_inverse_chain_counts_the_inductance():
    part = DCMotor(wheel(), am.Motor(2.0, 0.5, inductance=0.1))
    commands = part.inverse([1.0], [1.0], current_rate=[3.0])
    assert commands.voltage[0] == pytest.approx(2.0 * 2.0 + 0.5 + 0.3)
    assert commands.reached[0] == pytest.approx(1.0)


# -- flexible transmission -----------------------------------------------------------------------


def test_two_masses_and_a_spring():
    """Rotor and wheel swing against each other at sqrt(k (1/B + 1/I)); momentum is kept."""
    k, B = 40.0, 0.05
    part = FlexibleTransmission(wheel(), "disc", stiffness=k, inertia=B, stretch=0.1)
    assert part.states == ("disc.stretch", "disc.rotor_velocity")
    frequency = np.sqrt(k * (1 / B + 1 / INERTIA))
    for t in (0.01, 0.1):
        _, v, stretch, rotor = run(wheel(), part, 0.0, t, 2e-4)
        assert stretch == pytest.approx(0.1 * np.cos(frequency * t), rel=1e-6)
        assert INERTIA * v + B * rotor == pytest.approx(0.0, abs=1e-12)
        energy = (INERTIA * v**2 + B * rotor**2 + k * stretch**2) / 2
        assert energy == pytest.approx(k * 0.01 / 2, rel=1e-8)


def test_a_stiff_transmission_is_a_rigid_rotor():
    part = FlexibleTransmission(wheel(), "disc", stiffness=1e4, damping=5.0, inertia=0.05)
    v = run(wheel(), part, 0.7, 0.5)[1]
    assert v == pytest.approx(0.7 * 0.5 / (INERTIA + 0.05), rel=1e-4)


def test_motor_behind_the_spring():
    """The back EMF is the rotor's; in the end both turn at V / (n K)."""
    motor = am.Motor(2.0, 0.05, gear=20.0, inductance=1e-2)
    motors = DCMotor(wheel(), motor)
    part = FlexibleTransmission(
        wheel(), "disc", stiffness=50.0, damping=0.1, inertia=0.03, motors=motors
    )
    assert part.states[2:] == ("disc.current",)
    _, v, stretch, rotor, current = run(wheel(), part, 6.0, 2.0, 1e-3)
    np.testing.assert_allclose([v, rotor], 6.0, rtol=1e-6)
    np.testing.assert_allclose([stretch, current], 0.0, atol=1e-5)
    z = [0.01, 1.0, 0.5]
    told = part.signals(0, [0.0], [0.0], z, [6.0])
    assert told["voltage"][0] == pytest.approx(6.0)
    assert part.start(wheel(), [0.0], [3.0]) == [0.0, 3.0, 0.0]


def test_a_rotor_does_not_count_twice():
    geared = wheel(rotor=am.Rotor(1e-4, 20.0))
    with pytest.raises(ModelError, match="count twice"):
        FlexibleTransmission(geared, "disc", stiffness=1.0, inertia=0.04)


# -- every kind of scalar ------------------------------------------------------------------------

MOTOR = am.Motor(2.0, 0.05, gear=20.0, inductance=0.02, efficiency=0.7, voltage_limit=8.0,
                 current_limit=3.0)  # fmt: skip


def parts():
    disc = wheel()
    quick = am.Motor(2.0, 0.05, gear=20.0, efficiency=0.7, voltage_limit=8.0)
    return {
        "ideal": Ideal(disc, 2.0),
        "slow": DCMotor(disc, MOTOR, smoothing=0.1),
        "quick": DCMotor(disc, quick, smoothing=0.1),
        "servo": DCMotor(disc, quick, command="force", smoothing=0.1),
        "converter": DCMotor(disc, quick, dac=DAC(10)),
        "flexible": FlexibleTransmission(
            disc, "disc", stiffness=30.0, damping=0.2, inertia=0.1, motors=DCMotor(disc, MOTOR)
        ),
        "chain": Chain(DCMotor(disc, quick), Ideal(disc, 1.0)),
    }


@pytest.mark.parametrize("name", parts())
def test_one_definition_for_floats_columns_and_duals(name):
    part = parts()[name]
    n = len(part.states)
    rng = np.random.default_rng(5)
    q, v, u = rng.normal(size=(3, 1, 40)) * [[[1.0]], [[3.0]], [[5.0]]]
    z = rng.normal(size=(n, 40))
    for what in (part.force, part.rate):
        columns = what(0.3, list(q), list(v), list(z), list(u))
        for k in range(40):
            floats = what(0.3, *(list(map(float, x[:, k])) for x in (q, v, z, u)))
            assert [type(x) for x in floats] == [float] * len(floats) or name == "converter"
            np.testing.assert_allclose([c[k] for c in columns], floats, rtol=1e-13, atol=1e-13)
        # the slope along a direction, at a place where nothing jumps
        at, way = [[0.2], [1.5], [0.4] * n, [1.9]], [[1.0], [0.7], [-0.3] * n, [0.9]]
        duals = what(0.3, *([Dual(x, d) for x, d in zip(*p, strict=True)]
                            for p in zip(at, way, strict=True)))  # fmt: skip
        h = 1e-6
        ahead, behind = (
            np.array(what(0.3, *([x + s * h * d for x, d in zip(*p, strict=True)]
                                 for p in zip(at, way, strict=True))))
            for s in (1, -1)
        )  # fmt: skip
        slope = [x.slope if isinstance(x, Dual) else 0.0 for x in duals]
        np.testing.assert_allclose(slope, (ahead - behind) / (2 * h), rtol=1e-6, atol=1e-6)


def test_other_joints_pass_their_command():
    arm = am.example("two-link")
    joints = arm.joint_names
    part = DCMotor(arm, {joints[1]: am.Motor(1.0, 1.0)})
    assert part.force(0, [0.0, 0.0], [0.0, 0.0], [], [7.0, 2.0]) == [7.0, 2.0]
    assert part.force(0, [0.0, 0.0], [1.0, 1.0], [], [7.0, 2.0]) == [7.0, 1.0]


def test_motors_of_the_model_and_faults():
    own = wheel(motor=am.Motor(2.0, 0.5))
    assert DCMotor(own).force(0, [0.0], [0.0], [], [4.0]) == [1.0]
    with pytest.raises(ModelError, match="no joint has a motor"):
        DCMotor(wheel())
    with pytest.raises(InputError, match="expected 1"):
        DCMotor(wheel(), [MOTOR, MOTOR])
    with pytest.raises(ModelError, match="no joint named 'dsc'"):
        DCMotor(wheel(), {"dsc": MOTOR})
    with pytest.raises(InputError, match="resistance"):
        DCMotor(wheel(), am.Motor(0.0, 1.0))
    with pytest.raises(InputError, match="converter is needed"):
        DCMotor(wheel(), MOTOR, command="code")
    with pytest.raises(InputError, match="one period"):
        Chain(DCMotor(wheel(), MOTOR, dac=DAC(8, period=0.01)), Ideal(wheel()))
    limited = wheel(limits=am.Limits(effort=3.0))
    assert Ideal(limited).force(0, [0.0], [0.0], [], [9.0]) == [3.0]
