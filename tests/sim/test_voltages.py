"""Voltages feed motors; joint forces act beside them or are refused."""

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.errors import InputError, ModelError
from armillary.sim.control.block import Block

MOTOR = am.Motor(resistance=0.8, torque_constant=0.05, gear=20.0)
INERTIA = 0.3


def wheels(motors=True):
    """Two wheels side by side; the first one has the motor."""
    motor = am.Motor(0.8, 0.05, gear=20.0) if motors else None
    b = am.Builder("wheels", gravity=(0, 0, 0))
    b.body("a", joint="revolute", axis="z", mass=1.0, inertia=(0.2, 0.2, INERTIA), motor=motor)
    b.body("b", joint="revolute", axis="x", mass=1.0, inertia=(INERTIA, 0.2, 0.2))
    return b.build()


def speed(t, volts, force=0.0):
    """J w' = n K (V - n K w) / R + F from rest."""
    k = MOTOR.gear * MOTOR.torque_constant
    top, rate = (k * volts / MOTOR.resistance + force), k * k / MOTOR.resistance / INERTIA
    return top / (rate * INERTIA) * (1.0 - np.exp(-rate * t))


@pytest.mark.parametrize("how", ["constant", "function", "schedule", "batch", "named", "plain"])
def test_voltages_feed_the_motor(how):
    m = wheels()
    volts, actuators = {"a": 6.0}, None
    if how == "function":
        volts = {"a": lambda t: 6.0}
    elif how == "schedule":
        volts = {"a": am.Schedule([0, 1], [6.0, 6.0])}
    elif how == "batch":
        volts = {"a": [6.0, 6.0, -3.0]}
    elif how == "named":
        m, actuators = wheels(motors=False), am.DCMotor(wheels(), {"a": MOTOR})
    options = {"controller": lambda t, q, v: np.zeros_like(v)} if how == "plain" else {}
    run = am.simulate(m, voltages=volts, actuators=actuators, duration=0.5, step=0.01,
                      record="v,tau,voltage,current", **options)  # fmt: skip
    expected = speed(run.time, 6.0)
    found = run.v[:, 0] if how == "batch" else run.v
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-6, atol=1e-9)
    assert np.abs(run.v[..., 1]).max() == 0.0
    if how == "batch":
        np.testing.assert_allclose(run.v[:, 2, 0], -0.5 * expected, rtol=1e-6, atol=1e-9)
    else:
        np.testing.assert_allclose(run.voltage[:, 0], 6.0, rtol=1e-12)
        np.testing.assert_allclose(run.current[:, 0] * 0.8 + 1.0 * run.v[:, 0], 6.0, rtol=1e-12)


def test_forces_beside_the_motor():
    """Both act: the motor at its voltage, and a force at the joint."""
    m = wheels()
    run = am.simulate(m, voltages={"a": 6.0}, inputs={"a": 1.5, "b": 0.3}, beside=True, step=0.01)
    np.testing.assert_allclose(run.v[:, 0], speed(run.time, 6.0, 1.5), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(run.v[:, 1], 0.3 / INERTIA * run.time, rtol=1e-9)
    shorted = am.simulate(m, actuators=am.DCMotor(m), inputs={"a": 1.5}, beside=True, step=0.01)
    np.testing.assert_allclose(shorted.v[:, 0], speed(shorted.time, 0.0, 1.5), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    "inputs",
    [{"a": 6.0}, [6.0, 0.0], {"a": lambda t: 6.0}, am.Schedule([0, 9], [[6.0], [6.0]], ["a"]),
     am.Schedule([0, 9], [[6.0, 0.0], [6.0, 0.0]]), lambda t: [6.0, 0.0], {"b": 1.0, "a": 0.0}],
)  # fmt: skip
@pytest.mark.parametrize("fed", [True, False])
def test_forces_that_pass_a_motor_by(inputs, fed):
    m = wheels()
    options = {"voltages": {"a": 6.0}} if fed else {"actuators": am.DCMotor(m)}
    with pytest.raises(
        InputError, match=r"'a' has an actuator \(DCMotor\).*voltages=.*beside=True"
    ):
        am.simulate(m, inputs=inputs, **options)


def test_other_joints_are_free():
    """A joint without an actuator takes its force; so does a model whose motors are not asked."""
    m = wheels()
    for inputs in ({"b": 0.3}, [0.0, 0.3], am.Schedule([0, 1], [[0, 0.3], [0, 0.3]])):
        run = am.simulate(m, voltages={"a": 1.0}, inputs=inputs, duration=0.2, step=0.1)
        np.testing.assert_allclose(run.v[-1, 1], 0.3 / INERTIA * 0.2, rtol=1e-12)
    run = am.simulate(m, inputs={"a": 0.3}, duration=0.2, step=0.1)
    np.testing.assert_allclose(run.v[-1, 0], 0.3 / INERTIA * 0.2, rtol=1e-12)


def test_other_actuators():
    """Elastic drives and parts of one's own drive joints as well; limits without end do not."""
    m = wheels(motors=False)
    elastic = am.FlexibleTransmission(m, "a", stiffness=10.0, inertia=0.1)
    with pytest.raises(InputError, match=r"FlexibleTransmission.*`controller`; or add"):
        am.simulate(m, actuators=elastic, inputs={"a": 1.0})

    class Half(Block):
        def force(self, t, q, v, z, u):
            return [0.5 * u[0], u[1]]

    with pytest.raises(InputError, match=r"'a' has an actuator .Half"):
        am.simulate(m, actuators=Half(), inputs={"a": 1.0})
    am.simulate(m, actuators=Half(), inputs={"b": 1.0}, duration=0.01)
    am.simulate(m, actuators=am.Ideal(m), inputs={"a": 1.0}, duration=0.01)
    with pytest.raises(InputError, match=r"'b' has an actuator .Ideal"):
        am.simulate(m, actuators=am.Ideal(m, 2.0), inputs={"b": 1.0})


def test_voltages_without_a_motor():
    m = wheels()
    with pytest.raises(InputError, match=r"voltages\['b'\]: no motor"):
        am.simulate(m, voltages={"a": 1.0, "b": 1.0})
    with pytest.raises(InputError, match=r"voltages\['a'\]: no motor that takes a voltage"):
        am.simulate(m, voltages={"a": 1.0}, actuators=am.DCMotor(m, command="force"))
    with pytest.raises(ModelError, match="no joint has a motor"):
        am.simulate(wheels(motors=False), voltages={"a": 1.0})
    with pytest.raises(InputError, match=r"voltages: expected {joint: volts"):
        am.simulate(m, voltages=6.0)
    with pytest.raises(InputError, match="voltages: the schedule covers 0 to 1 s"):
        am.simulate(m, voltages={"a": am.Schedule([0, 1], [1, 1])}, duration=2.0)


def test_on_the_command_line(tmp_path):
    """--voltage feeds the motor, --tau beside it is refused or meant."""
    path, table = tmp_path / "wheels.yaml", tmp_path / "volts.csv"
    wheels().save(path)
    table.write_text("time,a\n0,6\n1,6\n")
    call = [
        "simulate",
        str(path),
        "--for",
        "0.5",
        "--step",
        "0.01",
        "--out",
        str(tmp_path / "x.csv"),
    ]
    for given in ("a=6", f"a={table}"):
        result = CliRunner().invoke(app, [*call, "--voltage", given, "--overwrite"])
        assert result.exit_code == 0, result.output
        run = am.load_run(tmp_path / "x.csv")
        assert run.v[-1, 0] == pytest.approx(speed(0.5, 6.0), rel=1e-6)
    both = [*call, "--voltage", "a=6", "--overwrite", "--tau", "a=1.5"]
    result = CliRunner().invoke(app, both)
    assert result.exit_code != 0 and "--beside" in result.output
    assert CliRunner().invoke(app, [*both, "--beside"]).exit_code == 0
    run = am.load_run(tmp_path / "x.csv")
    assert run.v[-1, 0] == pytest.approx(speed(0.5, 6.0, 1.5), rel=1e-6)
