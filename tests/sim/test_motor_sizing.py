"""Motors over a motion: loads, heat, choice from a catalogue and time constants, by hand."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError
from armillary.formats.motors import GEARS, MOTORS, CatalogueGear, CatalogueMotor
from armillary.sim.record.motor_loads import steady_temperature

INERTIA = 0.5  # kg m² of the load
COPPER = 0.00393  # 1/K, of any handbook


def load(motor=None, rotor=None, inertia=INERTIA) -> am.Mechanism:
    b = am.Builder("load", (0.0, 0.0, 0.0))
    rotors = (rotor,) if rotor else ()
    joint = am.joint_spec("revolute", axis="z", rotors=rotors)
    b.body("table", joint=joint, mass=1.0, inertia=(inertia,) * 3, motor=motor)
    return b.build()


def triangle(machine, angle=1.0, duration=1.0, n=2001):
    """Up and down at ± 4 angle / T²: peak speed 2 angle / T."""
    t = np.linspace(0.0, duration, n)
    a = 4 * angle / duration**2
    late = t > duration / 2
    v = np.where(late, a * (duration - t), a * t)
    q = np.where(late, angle - a * (duration - t) ** 2 / 2, a * t * t / 2)
    acc = np.where(late, -a, a)
    return am.replay(machine, (t, q[:, None], v[:, None], acc[:, None]))


# -- the catalogue -------------------------------------------------------------------------------

# stall torque (N m), no-load speed (1/min), mechanical time constant (s), as the same sheets print
# them (order numbers 148867, 370354, 339286, 267121 and 488607)
SHEETS = {
    "maxon-re40-24v": (2.42, 7580, None),
    "maxon-re50-24v": (8.416, 5778, 4.20e-3),
    "maxon-ec45flat-24v": (0.337, 4700, 20.3e-3),
    "maxon-ec32flat-24v": (0.0850, 4390, 20.0e-3),
    "maxon-eci40-48v": (2.08, 5000, None),
}


@pytest.mark.parametrize("name", SHEETS)
def test_catalogue_motors_give_the_other_numbers_of_their_sheets(name):
    """Stall torque K V / R, speed V / K, time constant R J / K²: not entered, but printed."""
    stall, rpm, constant = SHEETS[name]
    motor, rotor = MOTORS[name].data, MOTORS[name].rotor_inertia
    K, R, V = motor.torque_constant, motor.resistance, motor.voltage_limit
    assert pytest.approx(stall, rel=0.01) == K * V / R
    assert pytest.approx(rpm * 2 * np.pi / 60, rel=0.07) == V / K  # less what no load costs
    if constant is not None:
        assert R * rotor / K**2 == pytest.approx(constant, rel=0.01)


def test_a_motor_of_the_catalogue():
    motor = am.catalogue_motor("maxon-re40-24v", "harmonic-csf17-100")
    assert (motor.gear, motor.efficiency, motor.resistance) == (100.0, 0.75, 0.299)
    assert am.catalogue_motor("maxon-re40-24v", 50).gear == 50.0
    for entry in (*MOTORS.values(), *GEARS.values()):
        assert entry.source
    with pytest.raises(InputError, match="maxon-re40-24v"):
        am.catalogue_motor("maxon-re40")
    with pytest.raises(InputError, match="gear"):
        am.catalogue_motor("maxon-re40-24v", "nothing")


# -- loads ---------------------------------------------------------------------------------------


def test_loads_of_a_triangular_move():
    """Constant |i| = (J + n² j) a / (n K); the voltage is greatest at the greatest speed."""
    motor = am.Motor(0.8, 0.05, 40.0, voltage_limit=30.0, continuous_current=1.0, speed_limit=100)
    machine = load(motor, am.Rotor(2e-5, 40.0))
    found = am.motor_loads(triangle(machine))["table"]
    current = (INERTIA + 1600 * 2e-5) * 4.0 / (40 * 0.05)
    # the sign changes within one step of the record
    assert found.rms_current == pytest.approx(current, rel=1e-3)
    assert found.rms_torque == pytest.approx(0.05 * current, rel=1e-3)
    assert np.abs(found.speed).max() == pytest.approx(80.0, rel=1e-9)
    assert np.abs(found.voltage).max() == pytest.approx(0.8 * current + 0.05 * 80.0, rel=1e-3)
    assert [text.split(":")[1].split()[0] for text in found.over()] == ["RMS"]
    assert found.temperature is None
    assert "peak [N m]" in str(am.motor_loads(triangle(machine)))


def test_winding_temperature_is_the_closed_form():
    """Constant current: Δ = Δ∞ (1 - exp(-λ t)), λ = (1 - α P R_th) / T; then it cools down."""
    motor = am.Motor(0.3, 0.03, thermal_resistance=6.0, thermal_time_constant=40.0)
    time = np.linspace(0.0, 200.0, 37) ** 1.0
    power = 6.0 * 0.3 * 5.0**2
    rate = (1 - COPPER * power) / 40.0
    limit = power / (1 - COPPER * power)
    found = am.winding_temperature(motor, time, np.full(37, 5.0))
    np.testing.assert_allclose(found, 25.0 + limit * (1 - np.exp(-rate * time)), rtol=1e-12)
    assert steady_temperature(motor, 5.0) == pytest.approx(25.0 + limit)
    cooling = am.winding_temperature(motor, time, np.zeros(37), ambient=30.0, start=100.0)
    np.testing.assert_allclose(cooling, 30.0 + 70.0 * np.exp(-time / 40.0), rtol=1e-12)


def test_winding_temperature_under_a_changing_current():
    """Against a fine integration of the same law, ambient 40 °C."""
    from scipy.integrate import solve_ivp

    motor = am.Motor(0.3, 0.03, thermal_resistance=6.0, thermal_time_constant=5.0)
    time = np.linspace(0.0, 20.0, 2001)

    def rate(t, x):
        i = 4 * np.sin(1.3 * t)
        return (6.0 * 0.3 * (1 + COPPER * (40.0 + x - 25.0)) * i * i - x) / 5.0

    exact = solve_ivp(rate, (0, 20), [0.0], rtol=1e-10, atol=1e-10, t_eval=time).y[0] + 40.0
    found = am.winding_temperature(motor, time, 4 * np.sin(1.3 * time), ambient=40.0)
    np.testing.assert_allclose(found, exact, rtol=2e-5)  # i is a straight line within a step
    # a current so great that the winding never comes to rest
    assert steady_temperature(motor, 100.0) == np.inf


# -- sizing --------------------------------------------------------------------------------------


def _gear(ratio, efficiency=1.0, mass=0.0):
    return CatalogueGear(ratio, efficiency, 1e9, 1e9, 0.0, 1e9, mass, "test")


def _motor(**more):
    data = am.Motor(0.5, 0.05, **({"voltage_limit": 48.0, "continuous_current": 5.0} | more))
    return CatalogueMotor(data, 1e-4, 1.0, "test")


def test_the_best_gear_of_an_inertia_is_the_root_of_the_ratio():
    """T_rms = (J / n + n j) a is least at n = sqrt(J / j)."""
    run = triangle(load())
    gears = {f"{n}": _gear(float(n)) for n in range(20, 140, 5)}
    found = am.size_motors(run, motors={"m": _motor(voltage_limit=1e9)}, gears=gears)
    torques = {c.ratio: c.rms_torque for c in found.candidates["table"]}
    for n, torque in torques.items():
        assert torque == pytest.approx((INERTIA / n + n * 1e-4) * 4.0, rel=1e-3)
    assert min(torques, key=torques.get) == 70.0  # sqrt(0.5 / 1e-4) = 70.7


def test_what_is_used_by_hand():
    """Every share of a limit; a gear of 80 % costs when it speeds up and helps when it brakes."""
    motor = _motor(current_limit=20.0, speed_limit=200.0, thermal_resistance=4.0,
                   thermal_time_constant=30.0, temperature_limit=125.0)  # fmt: skip
    gear = CatalogueGear(50.0, 0.8, 3.0, 5.0, 1e-5, 160.0, 0.5, "test")
    (found,) = am.size_motors(triangle(load()), motors={"m": motor}, gears={"g": gear}).candidates[
        "table"
    ]
    up = (INERTIA / (50 * 0.8) + 50 * 1.1e-4) * 4.0  # N m at the motor
    down = -(INERTIA * 0.8 / 50 + 50 * 1.1e-4) * 4.0
    mean = np.sqrt((up**2 + down**2) / 2)
    wanted = {
        "voltage": (0.5 * up / 0.05 + 0.05 * 100.0) / 48.0,
        "peak current": up / 0.05 / 20.0,
        "RMS current": mean / 0.05 / 5.0,
        "speed": 100.0 / 200.0,
        "heat": (steady_temperature(motor.data, mean / 0.05) - 25.0) / 100.0,
        "gear RMS torque": 2.0 / 3.0,
        "gear peak torque": 2.0 / 5.0,
        "gear speed": 100.0 / 160.0,
    }
    assert found.uses == pytest.approx(wanted, rel=2e-3)
    assert found.limited_by == max(wanted, key=wanted.get) and found.mass == 1.5


def test_the_lightest_that_fits_is_chosen():
    run = triangle(load())
    motors = {"small": _motor(continuous_current=0.1), "large": _motor()}
    gears = {"light": _gear(5.0), "fits": _gear(50.0, mass=0.3), "heavy": _gear(70.0, mass=2.0)}
    found = am.size_motors(run, motors=motors, gears=gears)
    assert (found.chosen["table"].motor, found.chosen["table"].gear) == ("large", "fits")
    # half the current is left: with more safety, the better ratio; with too much, nothing
    used = {(c.motor, c.gear): c.used for c in found.candidates["table"]}
    between = 0.5 / used["large", "heavy"] + 0.5 / used["large", "fits"]
    assert am.size_motors(run, motors=motors, gears=gears, safety=between).chosen["table"].gear == (
        "heavy" if used["large", "heavy"] < used["large", "fits"] else "fits"
    )
    none = am.size_motors(run, motors=motors, gears=gears, safety=100.0)
    assert none.chosen["table"] is None and "NONE FITS" in str(none)


def test_the_rotor_of_the_model_is_not_counted_twice():
    plain = am.size_motors(triangle(load()))
    with_rotor = am.size_motors(triangle(load(rotor=am.Rotor(1e-4, 50.0))))
    for one, two in zip(plain.candidates["table"], with_rotor.candidates["table"], strict=True):
        assert one.rms_torque == pytest.approx(two.rms_torque, rel=1e-9)


def test_what_cannot_be_sized():
    run = triangle(load())
    with pytest.raises(InputError, match="motor of the catalogue"):
        am.size_motors(run, motors=["maxon"])
    with pytest.raises(InputError, match="safety"):
        am.size_motors(run, safety=0.0)
    bare = am.simulate(load(), duration=0.01, step=1e-3)
    with pytest.raises(InputError, match="v, a and tau"):
        am.size_motors(bare)
    slide = am.Builder("slide")
    slide.body("cart", joint="prismatic", axis="x", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(InputError, match=r"slides|no joint turns"):
        am.size_motors(triangle(slide.build()))


# -- time constants ------------------------------------------------------------------------------


def test_the_time_constant_of_one_motor():
    """J R / (n K)², with the rotor in J; the electrical one beside it."""
    motor = am.Motor(2.0, 0.05, 20.0, inductance=1e-4)
    found = am.time_constants(load(motor, am.Rotor(1e-4, 20.0)))
    exact = (INERTIA + 400 * 1e-4) * 2.0 / (20 * 0.05) ** 2
    assert found.coupled[0] == pytest.approx(exact, rel=1e-12)
    assert found.alone[0] == pytest.approx(exact, rel=1e-12)
    assert found.smallest == pytest.approx(1e-4 / 2.0) and found.step == found.smallest / 15
    assert "electrical" in str(found)
    assert "no time constant" in str(am.time_constants(load()))


def test_the_time_constants_of_an_arm_are_those_of_its_linear_model():
    """Without gravity at rest:  the rates of  dv/dt = -M^-1 D v  by differences of voltages."""
    arm = am.example("six-r").replace(gravity=(0.0, 0.0, 0.0))
    q = np.array([0.3, -0.6, 0.5, 0.2, -0.4, 0.7])
    motors = am.DCMotor(arm)
    A = np.zeros((6, 6))
    for k in range(6):
        v = 1e-6 * np.eye(6)[k]
        tau = motors.force(0.0, list(q), list(v), [], [0.0] * 6)
        A[:, k] = arm.forward_dynamics(q, v, np.array(tau, float)) / 1e-6
    rates = np.sort(-np.linalg.eigvals(A).real)[::-1]
    found = am.time_constants(arm, q)
    np.testing.assert_allclose(1.0 / found.coupled, rates, rtol=1e-5)
    # a coupled arm is faster than its fastest joint alone
    assert found.coupled[0] <= found.alone.min()


def test_a_step_above_the_advice_goes_wrong_and_the_advised_one_does_not():
    """rk3 at the advised step is good to 1e-4; at 3 time constants it runs away."""
    arm = am.example("six-r")
    advice = am.time_constants(arm)
    volts = dict.fromkeys(arm.v_labels, 1.0)

    def end(step, duration=0.05):
        run = am.simulate(arm, duration=duration, step=step, method="rk3", voltages=volts)
        return run.q[-1] if run.complete else np.full(6, np.inf)

    fine = end(advice.step / 8)
    assert np.abs(end(advice.step) - fine).max() < 1e-4
    assert not np.abs(end(3 * advice.smallest, 1.0)).max() < 100.0


def test_closed_mechanisms_are_referred():
    with pytest.raises(InputError, match="modes"):
        am.time_constants(am.example("four-bar"))


# -- closed mechanisms ----------------------------------------------------------------------------


def swinging_bars(**options):
    """A four-bar whose crank swings: (t, q) of all joints, as a recording has it."""
    bars = am.example("four-bar")
    crank = lambda t: 0.3 + 0.5 * np.sin(np.pi * t)  # noqa: E731
    led = am.replay(bars, {"crank": crank}, duration=2.0, step=0.02)
    return bars, led, am.replay(bars, (led.time, led.q, led.v, led.a), **options)


def test_passive_joints_of_a_closed_mechanism_need_no_motor():
    """The driven joint alone carries the motion: its torque times its speed is the rate of the
    energy and what friction takes, from the whole recording as from the motion of the crank."""
    bars, led, whole = swinging_bars(actuators=["crank"])
    direct = {"direct": CatalogueGear(1.0, 1.0, 1e3, 1e3, 0.0, 1e3, 0.1, "none")}
    plain = {"plain": CatalogueMotor(am.Motor(1.0, 0.1), 0.0, 0.1, "none")}
    for run in (led, whole):
        found = am.size_motors(run, motors=plain, gears=direct)
        assert list(found.chosen) == ["crank"]
        (candidate,) = found.candidates["crank"]
        energy = np.sum(bars.energy(run.q, run.v), axis=0)
        power = candidate.torque * candidate.speed
        viscous = [body.joint.passive[0].viscous for body in bars.model.bodies]
        rate = np.gradient(energy, run.time, edge_order=2) + run.v**2 @ viscous
        assert power == pytest.approx(rate, abs=3e-3 * np.abs(power).max())


def test_forces_that_are_spread_over_passive_joints_are_refused():
    bars, _, spread = swinging_bars()
    for joints in (None, ["crank"]):
        with pytest.raises(InputError, match="passive joints have no motor") as fault:
            am.size_motors(spread, joints)
        assert "actuators=['crank']" in str(fault.value)
    assert list(am.size_motors(spread, ["crank", "coupler", "rocker"]).chosen) == list(
        bars.v_labels
    )
    fed = bars.replace({"crank": {"motor": am.Motor(1.0, 0.1)}})
    motion = (spread.time, spread.q, spread.v, spread.a)
    assert list(am.motor_loads(am.replay(fed, motion)).loads) == ["crank"]  # its motor drives it
    loose = am.replay(fed, motion, actuators=list(fed.v_labels))
    with pytest.raises(InputError, match=r"motor_loads: .* passive joints have no motor"):
        am.motor_loads(loose)
