"""`armillary sim`: the laboratory by scripts, in a pipe and at a terminal."""

import os
import re
import select
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.cli.laboratory.laboratory import Laboratory
from armillary.cli.laboratory.shell import COMMANDS
from armillary.cli.laboratory.variables import GRAVITY, VARIABLES
from seeds.cases import assert_value, case

SIX = case("001_synthetic_6r")
INVERSE = SIX["inverse arm: q,qd,qdd -> tau"]


def session(text: str, *arguments: str):
    return CliRunner().invoke(app, ["sim", *arguments], input=text)


def numbers(output: str, name: str) -> np.ndarray:
    """The last value that was printed."""
    found = re.findall(rf"^{name} = (.*?)(?:  \[.*)?$", output, re.MULTILINE)
    return np.array(found[-1].split(), float)


def words(values) -> str:
    return " ".join(repr(float(x)) for x in values)


STATE = (
    f"theta = {words(INVERSE['q'])}\nomega = {words(INVERSE['qd'])}\n"
    f"alpha = {words(INVERSE['qdd'])}\n"
)


def test_voltages_to_accelerations_and_back():
    """The document's arm: InvArm, the voltages (11), and the Forward Arm back to alpha."""
    gravity = -SIX.problem["gravity"]["g"]
    text = f"database_read six-r\ngravity = {gravity}\n{STATE}inverse_arm\nforward_arm\n"
    run = session(text)
    assert run.exit_code == 0, run.output
    assert_value(numbers(run.output, "torque"), INVERSE["tau"], rounding=1e-9)
    assert_value(numbers(run.output, "voltage"), INVERSE["voltage (11)"], rounding=1e-9)
    found = numbers(run.output, "alpha")
    np.testing.assert_allclose(found, INVERSE["qdd"], rtol=0, atol=1e-8)


def test_torque_and_voltage_are_tied():
    lab = Laboratory(am.example("six-r"))
    lab.put("omega", np.array(INVERSE["qd"]))
    lab.put("torque", np.arange(1.0, 7.0))
    voltage = lab.get("voltage")
    lab.put("voltage", voltage)
    np.testing.assert_allclose(lab.get("torque"), np.arange(1.0, 7.0), rtol=1e-12)
    np.testing.assert_array_equal(lab.get("DACOut"), voltage)
    motors = [body.motor for body in lab.arm.model.bodies]
    wanted = [
        m.resistance * t / m.torque_constant + m.torque_constant * w
        for m, t, w in zip(motors, np.arange(1.0, 7.0), INVERSE["qd"], strict=True)
    ]  # (11)
    np.testing.assert_allclose(voltage, wanted, rtol=1e-12)


def test_gravity_payload_and_degrees():
    lab = Laboratory(am.example("six-r"))
    assert lab.machine.model.gravity == (0.0, 0.0, GRAVITY)
    lab.set("theta", ["0.3", "-0.4", "0.5", "0.1", "0.2", "0.6"])
    lab.inverse_arm()
    empty = lab.get("torque")
    lab.set("payload", ["2.0"])
    lab.inverse_arm()
    q = lab.get("theta")
    J = lab.arm.jacobian(q, f"{lab.arm.bodies[-1]}_dh", "world_aligned")
    np.testing.assert_allclose(lab.get("torque") - empty, -J.T @ [0, 0, 0, 0, 0, 2 * GRAVITY],
                               atol=1e-10)  # fmt: skip
    lab.set("angles", ["deg"])
    lab.set("theta", ["90", "0", "0", "0", "0", "-180"])
    np.testing.assert_allclose(lab.get("theta"), [np.pi / 2, 0, 0, 0, 0, -np.pi])
    assert lab.shown("theta")[1] == "deg"


def test_the_scheme_of_third_order_converges_at_order_three():
    ends = []
    for halvings in range(4):
        lab = Laboratory(am.example("six-r"))
        lab.set("theta", ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6"])
        lab.set("step", [str(4e-3 / 2**halvings)])
        lab.simulate(True, False, None, 25 * 2**halvings)
        ends.append(lab.get("theta"))
    errors = [np.abs(end - ends[-1]).max() for end in ends[:-1]]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders[-1] > 2.5, errors


def test_feed_forward_follows_its_trajectory(tmp_path):
    """inverse_arm of a motion -> a schedule of voltages -> simulate."""
    n, period = 400, 1e-3
    t = period * (np.arange(n) + 0.5)  # in the middle of every row
    start, end = np.zeros(6), np.array([0.3, -0.2, 0.25, 0.1, -0.3, 0.2])
    s = t / (n * period)
    move = np.outer(10 * s**3 - 15 * s**4 + 6 * s**5, end - start)
    rate = np.outer(30 * s**2 - 60 * s**3 + 30 * s**4, end - start) / (n * period)
    acc = np.outer(60 * s - 180 * s**2 + 120 * s**3, end - start) / (n * period) ** 2
    sets, volts = tmp_path / "motion.csv", tmp_path / "volts.csv"
    np.savetxt(sets, np.hstack([move, rate, acc]), delimiter=",")
    run = session(f"inverse_arm file={sets} out={tmp_path / 'answer.csv'}\n", "six-r")
    assert run.exit_code == 0, run.output
    answer = np.loadtxt(tmp_path / "answer.csv", delimiter=",", skiprows=1)
    np.savetxt(volts, answer[:, 6:])
    run = session(f"simulate new zero schedule={volts}\n", "six-r")
    assert run.exit_code == 0, run.output
    np.testing.assert_allclose(numbers(run.output, "theta"), end, atol=2e-3)


def test_a_simulation_goes_on_and_is_printed(tmp_path):
    text = (
        "voltage = 2 1 0 0 0 0\nsimulate new steps=50\nsimulate continue steps=50\n"
        f"open_output_file {tmp_path / 'table.txt'}\nprint_simulation step=0.01\n"
        f"close_output_file\nplot_simulation {tmp_path / 'p.png'}\n"
        f"write_graphic_file {tmp_path / 'run.nc'}\n"
    )
    run = session(text, "six-r")
    assert run.exit_code == 0, run.output
    table = np.loadtxt(tmp_path / "table.txt", skiprows=1)
    np.testing.assert_allclose(table[:, 0], 0.01 * np.arange(11), atol=1e-12)
    whole = session("voltage = 2 1 0 0 0 0\nsimulate new steps=100\n", "six-r")
    np.testing.assert_allclose(table[-1, 1:7], numbers(whole.output, "theta"), rtol=1e-8)
    recorded = am.load_run(tmp_path / "run.nc")
    assert len(recorded.time) == 101 and recorded.mechanism.nv == 6
    assert (tmp_path / "p.png").stat().st_size > 1000


def test_questions_of_simulate_are_answered_by_a_script(tmp_path):
    script = tmp_path / "day.sim"
    script.write_text("voltage = 1 0 0 0 0 0\nsimulate\nno\nno\n20\n  # the end\ntheta\n")
    run = CliRunner().invoke(app, ["sim", "six-r", "--script", str(script)])
    assert run.exit_code == 0, run.output
    assert "until 0.02 s" in run.output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("theta = 1 2 3\n", "theta: expected 6 numbers, one for each joint (6); found 3"),
        ("theta = a b c d e f\n", "expected numbers"),
        ("theta = nan 0 0 0 0 0\n", "finite"),
        ("gravity = 1 2\n", "expected one value, found 2"),
        ("step = -1\n", "positive"),
        ("method = magic\n", "one of rk3"),
        ("speed = 1\n", "no variable named 'speed'"),
        ("jump\n", "unknown command or variable 'jump'"),
        ("database_read nowhere.yaml\n", "no such file"),
        ("database_read four-bar\n", "takes arms"),
        ("simulate steps=0\n", "positive number of time steps"),
        ("simulate steps=few\n", "whole number"),
        ("simulate schedule=BAD\n", "expected 6 finite numbers"),
        ("simulate schedule=missing.csv\n", "no such file"),
        ("simulate\nyes\n", "the input ended at the question"),
        ("simulate\nperhaps\n", "expected yes or no"),
        ("print_simulation\n", "nothing was simulated yet"),
        ("plot_simulation\n", "nothing was simulated yet"),
        ("simulate 'unclosed\n", "cannot be read"),
        ("simulate fast=1\n", "unknown option 'fast=1'"),
        ("open_output_file /no/such/folder/x\n", "No such file"),
    ],
)
def test_faults_are_told_and_end_a_script(text, said, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("1 2 3\n")
    after = "" if "ended" in said else "theta\n"
    run = session(text.replace("BAD", str(bad)) + after)
    assert run.exit_code == 1
    assert said in run.output
    assert "Traceback" not in run.output and "theta =" not in run.output


def test_help_knows_everything():
    run = session("help\n" + "".join(f"help {name}\n" for name in (*COMMANDS, *VARIABLES)))
    assert run.exit_code == 0
    for name in (*COMMANDS, *VARIABLES):
        assert f"\n{name}" in run.output


# a shell in the background ignores Ctrl-C, and hands that on
PROGRAM = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from armillary.cli import main; main()"
)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo-terminals here")
def test_at_a_terminal():
    """Typing, completion, faults that lose nothing, Ctrl-C in a long simulation, the end."""
    pytest.importorskip("readline")
    keyboard, terminal = os.openpty()
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "sim", "six-r"],
        stdin=terminal, stdout=terminal, stderr=terminal, close_fds=True,
        start_new_session=True, env=dict(os.environ, TERM="dumb", COLUMNS="200"),
    )  # fmt: skip
    os.close(terminal)
    seen = ""

    def until(word: str, seconds: float = 240.0) -> str:
        nonlocal seen
        end = time.monotonic() + seconds
        while word not in seen:
            assert time.monotonic() < end, f"no {word!r} in {seen!r}"
            if select.select([keyboard], [], [], 0.2)[0]:
                seen += os.read(keyboard, 65536).decode(errors="replace")
        head, _, seen = seen.partition(word)
        return head

    def type_in(text: str) -> None:
        os.write(keyboard, text.encode())

    try:
        until("sim> ")
        type_in("theta = 0.5 0 0 0 0 0\n")
        until("sim> ")
        type_in("theta = 1 2\n")
        until("expected 6 numbers")
        type_in("nonsense\n")
        until("unknown command")
        type_in("DACO\t\n")  # completion
        until("DACOut = 0 0 0 0 0 0")
        type_in("theta\n")
        until("theta = 0.5 0 0 0 0 0")
        until("sim> ")
        type_in("simulate steps=20\n")  # its code is there from now on
        until("until 0.02 s")
        type_in("simulate continue steps=8000000\n")
        time.sleep(2.0)
        os.killpg(program.pid, signal.SIGINT)
        until("What was simulated is kept")
        type_in("theta\n")
        assert "theta = 0.5 0" not in until("sim> ") + until("sim> ")
        type_in("quit\n")
        assert program.wait(timeout=120) == 0
    finally:
        program.kill()
        os.close(keyboard)
