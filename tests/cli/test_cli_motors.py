"""Motors on the command line: voltages of inverse and forward, schedules, sizing, step advice."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from seeds.cases import assert_value, case

SIX = case("001_synthetic_6r")
INVERSE = SIX["inverse arm: q,qd,qdd -> tau"]


def words(values):
    return ",".join(repr(float(x)) for x in values)


def ran(*arguments, code=0):
    run = CliRunner().invoke(app, [str(x) for x in arguments])
    assert run.exit_code == code, run.output
    return run


STATE = ("--q", words(INVERSE["q"]), "--v", words(INVERSE["qd"]))


def test_voltages_of_a_motion():
    """The recorded voltages (11) of the document's arm, on the screen, as JSON and in a file."""
    ask = ("inverse", "six-r", *STATE, "--a", words(INVERSE["qdd"]), "--voltages")
    assert "voltage [V]" in ran(*ask).output
    found = json.loads(ran(*ask, "--json").stdout)["motors"]
    assert_value(found["voltage"], INVERSE["voltage (11)"], rounding=1e-9)
    motors = SIX.problem["motors"]
    np.testing.assert_allclose(
        found["current"],
        [tau / m["Kt"] for tau, m in zip(INVERSE["tau"], motors, strict=True)],
        rtol=1e-9,
    )


def test_voltages_of_a_batch_go_to_a_file_that_can_be_read_again(tmp_path):
    states, out = tmp_path / "states.csv", tmp_path / "out.csv"
    arm = am.example("six-r")
    q, v, a = arm.random_state(3, 5)
    head = [f"{kind}.{x}" for kind in "qva" for x in arm.v_labels]
    with states.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(np.hstack([q, v, a]).tolist())
    ran("inverse", "six-r", "--csv", states, "--voltages", "--out", out)
    with out.open() as file:
        rows = list(csv.DictReader(file))
    tau = arm.inverse_dynamics(q, v, a)
    wanted = am.DCMotor(arm).inverse(v, tau).voltage
    found = [[float(row[f"voltage.{x}"]) for x in arm.v_labels] for row in rows]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    ran("forward", "six-r", "--csv", out)


def test_voltages_drive():
    """All of them in order: back to the recorded accelerations; some by name: the rest is open."""
    volts = words(INVERSE["voltage (11)"])
    found = json.loads(ran("forward", "six-r", *STATE, "--voltage", volts, "--json").stdout)
    np.testing.assert_allclose(found["a"], INVERSE["qdd"], atol=1e-8)
    arm = am.example("six-r")
    # link1 turns, and is not connected: nothing brakes it
    ask = ("forward", "six-r", "--v", "link1=1,link2=0.4", "--voltage", "link2=3", "--json")
    tau, v = np.zeros(6), np.array([1.0, 0.4, 0, 0, 0, 0])
    tau[1] = 5.0 * (3.0 - 5.0 * 0.4) / 2.0  # Kt (V - Kt v) / R
    found = json.loads(ran(*ask).stdout)["a"]
    np.testing.assert_allclose(found, arm.forward_dynamics(np.zeros(6), v, tau), rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("inverse", "double-pendulum", "--voltages"), "no joint has a motor"),
        (("forward", "double-pendulum", "--voltage", "1,2"), "no joint has a motor"),
        (("forward", "six-r", "--voltage", "1,2"), "expected 6 numbers"),
        (("forward", "six-r", "--voltage", "link9=2"), "link9"),
        (("forward", "six-r", "--voltage", "link1=2", "--tau", "link1=3"), "both drive 'link1'"),
    ],
)
def test_faults(arguments, said):
    run = ran(*arguments, code=1)
    assert said in run.output and "Traceback" not in run.output


def test_a_schedule_of_voltages_is_held(tmp_path):
    """Rows until the next one: against `simulate` with the same steps."""
    file = tmp_path / "volts.csv"
    file.write_text("time,link1,link3\n0,3,0\n0.01,-2,1.5\n")
    run = ran("simulate", "six-r", "--for", 0.03, "--method", "rk3", "--schedule", file, "--json",
              "--record", "q,voltage")  # fmt: skip
    arm = am.example("six-r")
    held = {
        name: am.Schedule([0.0, 0.01], values, kind="hold", hold=True)
        for name, values in (("link1", [3.0, -2.0]), ("link3", [0.0, 1.5]))
    }
    wanted = am.simulate(arm, duration=0.03, step=1e-3, method="rk3", voltages=held)
    found = json.loads(run.stdout)
    np.testing.assert_allclose(found["state"]["q"], wanted.q[-1], rtol=1e-12)
    (tmp_path / "bad.csv").write_text("time,link1,link3\n0,3\n")
    ran("simulate", "six-r", "--schedule", tmp_path / "bad.csv", code=1)
    ran("simulate", "six-r", "--schedule", file, "--voltage", "link1=2", code=1)


def test_show_shows_motors_and_a_step():
    text = ran("show", "direct-drive").output
    assert "K [N m/A]" in text and "smallest mechanical time constant" in text
    advice = am.time_constants(am.example("direct-drive"))
    assert f"{advice.coupled[0]:.4g} s" in text and f"{advice.step:.3g} s" in text
    body = json.loads(ran("show", "six-r", "--json").stdout)["bodies"][0]
    assert body["motor"]["torque_constant"] == 5.0
    assert "time constant" not in ran("show", "double-pendulum").output


def test_sizes(tmp_path):
    motion = tmp_path / "cycle.csv"
    t = np.linspace(0.0, 1.5, 101)
    swing = 0.3 * (1.0 - np.cos(2.0 * np.pi * t / 1.5))
    rows = ["time,link1,link2,link3,link4,link5,link6"]
    rows += [
        ",".join(f"{x:.15g}" for x in (now, *[q] * 6)) for now, q in zip(t, swing, strict=True)
    ]
    motion.write_text("\n".join(rows) + "\n")
    run = ran("size", "six-r", motion)
    assert "motor, gear" in run.output and "NONE" not in run.output
    found = json.loads(ran("size", "six-r", motion, "--joint", "link2", "--json").stdout)
    arm = am.example("six-r")
    same = am.size_motors(am.replay(arm, am.load_run(motion)), ["link2"]).chosen["link2"]
    assert found["joints"]["link2"]["motor"] == same.motor
    none = ran("size", "six-r", motion, "--motor", "maxon-ec32flat-24v", "--gear", "direct", code=1)
    assert "NONE FITS" in none.output
    assert "motor of the catalogue" in ran("size", "six-r", motion, "--motor", "x", code=1).output


def test_the_catalogue_is_listed():
    text = ran("motors").output
    assert "maxon-re40-24v" in text and "148867" in text and "harmonic-csf17-100" in text
    assert json.loads(ran("motors", "--json").stdout)["gears"]["direct"]["peak_torque"] is None


def test_the_laboratory_advises_a_step():
    session = CliRunner().invoke(
        app, ["sim", "six-r"], input="time_constants\nstep = 0.02\nsimulate new steps=1\n"
    )
    assert session.exit_code == 0, session.output
    advice = am.time_constants(am.example("six-r"), np.zeros(6))
    assert f"{advice.coupled[0]:.4g} s" in session.output
    assert "do not trust the numbers" in session.output


def test_sizing_of_a_closed_mechanism_names_what_drives_it(tmp_path):
    """A recording of all joints does not tell; the cure that is told does, and so does a motion of
    the crank alone."""
    bars, t = am.example("four-bar"), np.linspace(0.0, 1.0, 51)
    run = am.replay(bars, {"crank": lambda t: 0.3 + 0.2 * np.sin(t)}, times=t)
    for name, columns in (("all", run.q), ("crank", run.q[:, :1])):
        head = ",".join(["time", *bars.v_labels[: columns.shape[1]]])
        np.savetxt(tmp_path / f"{name}.csv", np.c_[t, columns], delimiter=",", header=head,
                   comments="")  # fmt: skip
    refused = ran("size", "four-bar", tmp_path / "all.csv", code=1)
    assert "passive joints have no motor" in refused.output and "--joint crank" in refused.output
    found = [
        json.loads(ran("size", "four-bar", tmp_path / name, *more, "--json").stdout)["joints"]
        for name, *more in (("all.csv", "--joint", "crank"), ("crank.csv",))
    ]
    assert list(found[0]) == list(found[1]) == ["crank"]
    one, other = (x["crank"]["rms_torque"] for x in found)
    assert one == pytest.approx(other, rel=0.02)
