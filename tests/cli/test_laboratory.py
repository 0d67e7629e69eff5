"""`armillary sim`: the laboratory by scripts, in a pipe and at a terminal."""

import os
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.cli.laboratory.laboratory import Laboratory
from armillary.cli.laboratory.shell import COMMANDS, Shell
from armillary.cli.laboratory.shell import run as run_laboratory
from armillary.cli.laboratory.variables import GRAVITY, VARIABLES
from seeds.cases import case

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


GRAVITY_OF_CASE = f"digits = 16\ngravity = {-SIX.problem['gravity']['g']}\n"


def test_voltages_to_accelerations_and_back():
    """The document's arm: recorded voltages (11) -> Forward Arm -> Inverse Arm, to 1e-10."""
    volts = f"voltage = {words(INVERSE['voltage (11)'])}\n"
    text = f"database_read six-r\n{GRAVITY_OF_CASE}{STATE}alpha = 0 0 0 0 0 0\n{volts}"
    run = session(text + "torque\nforward_arm\nvoltage = 0 0 0 0 0 0\ninverse_arm\n")
    assert run.exit_code == 0, run.output
    printed = re.findall(r"^torque = (.*?)  ", run.output, re.MULTILINE)  # by (12), then (10)
    for line in printed:
        np.testing.assert_allclose(np.array(line.split(), float), INVERSE["tau"], atol=1e-10)
    assert len(printed) == 2
    # the twelfth digit of the recorded voltages, over the smallest inertia
    np.testing.assert_allclose(numbers(run.output, "alpha"), INVERSE["qdd"], rtol=0, atol=5e-10)
    found = numbers(run.output, "voltage")
    np.testing.assert_allclose(found, INVERSE["voltage (11)"], rtol=0, atol=1e-10)


@pytest.mark.parametrize(("milliseconds", "steps"), [(4, 50), (2, 100), (1, 200)])
def test_the_recorded_simulation(milliseconds, steps):
    """0.2 s under constant voltages: the recorded end, and the recorded errors of the scheme."""
    given = SIX.problem["simulation"]
    exact = SIX["state after 0.2 s, DOP853 rtol 1e-13"]
    text = (
        f"{GRAVITY_OF_CASE}theta = {words(given['q0'])}\nvoltage = {words(given['voltages'])}\n"
        f"step = {milliseconds * 1e-3}\nsimulate new steps={steps}\n"
    )
    run = session(text, "six-r")
    assert run.exit_code == 0, run.output
    theta, omega = (numbers(run.output, name) for name in ("theta", "omega"))
    if milliseconds == 1:
        recorded = SIX["state after 0.2 s, RK3 h=1 ms (correct formulas)"]
        np.testing.assert_allclose(theta, recorded["theta"], rtol=0, atol=1e-10)
        np.testing.assert_allclose(omega, recorded["omega"], rtol=0, atol=1e-10)
    error = np.abs([theta - exact["theta"], omega - exact["omega"]]).max()
    recorded = SIX["RK3 error at T=0.2 for h=4,2,1 ms"]["correct"][[4, 2, 1].index(milliseconds)]
    assert error == pytest.approx(recorded, rel=1e-3)


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
    np.savetxt(volts, answer[:, 7:])
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
        ("digits = 99\n", "one of 3"),
        ("speed = 1\n", "no variable named 'speed'"),
        ("jump\n", "unknown command or variable 'jump'"),
        ("database_read nowhere.yaml\n", "no such file"),
        ("database_read four-bar\n", "takes arms"),
        ("simulate steps=0\n", "a number of time steps, a whole number from 1"),
        ("simulate steps=1000000000000\n", "whole number from 1 to 999999999"),
        ("simulate new continue steps=3\n", "say new or continue"),
        ("inverse_arm out=o.csv\n", "'out' goes with file=FILE"),
        ("time_constants 3\n", "unknown option '3'. Here are none."),
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


def test_a_command_in_the_place_of_an_answer_is_told():
    run = session("simulate new zero steps=2\nprint_simulation\nplot_simulation\n\n\n")
    assert run.exit_code == 1
    assert "seconds for start, found 'plot_simulation'" in run.output
    assert "print_simulation step=0.1" in run.output


def test_help_knows_everything():
    run = session("help\n" + "".join(f"help {name}\n" for name in (*COMMANDS, *VARIABLES)))
    assert run.exit_code == 0
    for name in (*COMMANDS, *VARIABLES):
        assert f"\n{name}" in run.output


# -- at the keyboard -------------------------------------------------------------------------------


class Somebody:
    """Who types these lines, and reads on."""

    typed = True

    def __init__(self, *lines: str):
        self.left, self.asked = list(lines), []

    def read(self, prompt, completed=False):
        self.asked.append(prompt)
        if not self.left:
            raise EOFError
        return self.left.pop(0)


def at_the_keyboard(arm, *lines):
    lab, somebody = Laboratory(am.example(arm)), Somebody(*lines)
    return lab, Shell(lab, somebody).session(), somebody


def test_a_wrong_answer_is_asked_for_again(capsys, tmp_path):
    """Nothing that was answered before is lost, and no answer becomes a command."""
    (tmp_path / "volts.csv").write_text("1 0 0 0 0 0\n" * 20)
    wrong = (
        "simulate",
        "perhaps",
        "no",
        "maybe",
        "yes",
        "missing.csv",
        str(tmp_path / "volts.csv"),
    )
    lab, _, somebody = at_the_keyboard(
        "six-r", *wrong, "print_simulation", "0", "9", "0.02", "x", "0.01"
    )
    right, _, _ = at_the_keyboard("six-r", "simulate", "no", "yes", str(tmp_path / "volts.csv"))
    assert somebody.asked.count("Set theta and omega to zero first? [no] ") == 2
    assert somebody.asked.count("Its name? ") == 2
    assert (
        somebody.asked.count("finish [s]? [0.02] ") == somebody.asked.count("step [s]? [0.1] ") == 2
    )
    np.testing.assert_array_equal(lab.get("theta"), right.get("theta"))
    told = capsys.readouterr()
    assert told.err.count("Ctrl-C gives the command up") == 5 and "unknown command" not in told.err


def test_files_are_kept_unless_somebody_says_otherwise(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sets = tmp_path / "sets.csv"
    np.savetxt(sets, np.zeros((2, 18)), delimiter=",")
    writing = {
        "a.txt": "open_output_file a.txt", "a.csv": f"inverse_arm file={sets} out=a.csv",
        "a.png": "plot_simulation a.png", "a.nc": "write_graphic_file a.nc",
    }  # fmt: skip
    before = "simulate new steps=2\n"
    for name, line in writing.items():
        (tmp_path / name).write_text("mine")
        run = session(f"{before}{line}\ntheta\n", "six-r")
        assert run.exit_code == 1 and "exists already" in run.output and "overwrite" in run.output
        at_the_keyboard("six-r", before, line, "no")
        assert "not replaced" in capsys.readouterr().err
        assert (tmp_path / name).read_text() == "mine"
        assert session(f"{before}{line} overwrite\ntheta\n", "six-r").exit_code == 0
        assert (tmp_path / name).read_bytes() != b"mine"
        (tmp_path / name).write_text("mine")
        at_the_keyboard("six-r", before, line, "yes", "theta")
        assert (tmp_path / name).read_bytes() != b"mine"


# -- steps, tables, schedules ----------------------------------------------------------------------


def one_motor(tmp_path, inertia):
    """A file of a wheel on a motor."""
    b = am.Builder("wheel", gravity=(0, 0, -9.81))
    b.body("wheel", joint="revolute", axis="z", mass=1.0, inertia=(inertia,) * 3,
           motor=am.Motor(resistance=0.5, torque_constant=0.5))  # fmt: skip
    path = tmp_path / "wheel.yaml"
    b.build().save(path, overwrite=True)
    return str(path)


@pytest.mark.parametrize(("inertia", "said"), [
    (0.0076, ""), (0.0074, "0.068 of the smallest time constant 0.0148 s"),
    (4.9e-4, "above the smallest time constant 0.00098 s: do not trust"),
])  # fmt: skip
def test_a_step_longer_than_a_fifteenth_of_the_time_constant_is_told(tmp_path, inertia, said):
    """J R / K² = 2 J; the step is 1 ms."""
    run = session("simulate new steps=3\n", one_motor(tmp_path, inertia))
    assert run.exit_code == 0
    assert (said in run.stderr and "1/15" in run.stderr) if said else "note" not in run.stderr


@pytest.mark.parametrize("width", [80, 120])
def test_printed_tables_stand_below_each_other(width, monkeypatch):
    monkeypatch.setattr("armillary.cli.laboratory.shell._width", lambda: width)
    text = "digits = 6\nomega = 1 2 0 0 0 0\nvoltage = 2 1 0 0 0 0\nsimulate new steps=50\n"
    run = session(f"{text}print_simulation start=0.01 finish=0.03 step=0.01\n", "six-r")
    blocks = [x.splitlines() for x in run.stdout[run.stdout.index("theta [rad]\n") :].split("\n\n")]
    found: dict[str, list] = {}
    for title, *rows in [x for x in blocks if x]:
        assert len({len(row) for row in rows}) == 1 and len(rows[0]) <= width and len(rows) == 4
        found.setdefault(title, []).append(np.array([row.split()[1:] for row in rows[1:]], float))
    whole = {title: np.hstack(parts) for title, parts in found.items()}
    assert list(whole) == [
        "theta [rad]",
        "omega [rad/s]",
        "alpha [rad/s²]",
        "torque [N m]",
        "voltage [V]",
    ]
    for k, body in enumerate(am.example("six-r").model.bodies):  # τ = K (V - K ω) / R, (12)
        K, R = body.motor.torque_constant, body.motor.resistance
        torque = K * (whole["voltage [V]"][:, k] - K * whole["omega [rad/s]"][:, k]) / R
        np.testing.assert_allclose(whole["torque [N m]"][:, k], torque, rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize(("text", "said"), [
    ("finish=0.5", "finish: expected 0 to 0.01 s, as was simulated, found 0.5 s"),
    ("start=-1", "start: expected 0 to 0.01 s"),
    ("start=nan", "start: expected 0 to 0.01 s"),
    ("step=-0.1", "step: expected 0 s or more"),
    ("start=0.004 finish=0.002", "finish 0.002 s lies before start 0.004 s"),
])  # fmt: skip
def test_what_was_not_simulated_is_not_printed_in_silence(text, said):
    run = session(f"simulate new steps=10\nprint_simulation {text}\ntheta\n", "six-r")
    assert run.exit_code == 1 and said in run.output


def test_one_schedule_for_laboratory_and_command_line(tmp_path):
    """The same file: time, and joints by name.  What `inverse_arm` writes is one."""
    volts, out = tmp_path / "volts.csv", tmp_path / "run.nc"
    volts.write_text("time,link3,link1,link2,link4,link6,link5\n0,1,2,3,0,1,1\n0.01,-3,1,2,1,0,0\n"
                     "0.03,0,0,1,1,1,1\n")  # fmt: skip
    lab = session(f"digits = 16\nDACTimePeriod = 0.02\nsimulate new schedule={volts}\n", "six-r")
    assert lab.exit_code == 0, lab.output
    line = ["simulate", "six-r", "--schedule", str(volts), "--for", "0.05", "--method", "rk3"]
    assert CliRunner().invoke(app, [*line, "--out", str(out)]).exit_code == 0
    run = am.load_run(out)
    assert "until 0.05 s" in lab.output
    q = am.simulate(
        am.example("six-r").replace(gravity=(0, 0, GRAVITY)), duration=0.05, method="rk3",
        voltages=run.experiment["voltages"],
    ).q[-1]  # fmt: skip
    np.testing.assert_allclose(numbers(lab.output, "theta"), q, rtol=0, atol=1e-13)
    volts.write_text("time,link3\n0,1\n0.01,2\n")  # the others keep their voltage
    text = f"voltage = 4 0 0 0 0 3\nsimulate new schedule={volts}\nvoltage\n"
    np.testing.assert_array_equal(numbers(session(text, "six-r").output, "voltage"),
                                  [4, 0, 2, 0, 0, 3])  # fmt: skip
    sets, answer = tmp_path / "sets.csv", tmp_path / "answer.csv"
    np.savetxt(sets, 0.1 * np.ones((30, 18)), delimiter=",")
    text = f"inverse_arm file={sets} out={answer}\nsimulate new zero schedule={answer}\n"
    assert "until 0.03 s" in session(text, "six-r").output
    line = ["simulate", "six-r", "--schedule", str(answer), "--for", "0.03"]
    assert CliRunner().invoke(app, line).exit_code == 0


@pytest.mark.parametrize(("head", "said"), [
    ("time,link9\n0,1\n", "no joint"), ("time\n0\n", "no column beside the time"),
    ("t,link1\n0,x\n", "expected numbers"), ("0,1\n", "expected 6 finite numbers"),
    ("time,link1,link1\n0,1,2\n", "the column 'link1' is there twice"),
])  # fmt: skip
def test_schedules_that_cannot_be(head, said, tmp_path):
    (tmp_path / "volts.csv").write_text(head)
    run = session(f"simulate new schedule={tmp_path / 'volts.csv'}\ntheta\n", "six-r")
    assert run.exit_code == 1 and said in run.output and "Traceback" not in run.output


# -- odd input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [
    "x" * 10**6, "theta" + " 1" * 500_000, f"database_read {'x' * 60_000}",
    f"{'y' * 60_000} = 1", f"help {'z' * 60_000}", f"simulate {'w' * 60_000}=1",
])  # fmt: skip
def test_endless_words_are_refused_shortly(text):
    run = session(f"{text}\ntheta\n")
    assert run.exit_code == 1 and "theta =" not in run.output and len(run.output) < 4000


def test_input_that_is_closed(monkeypatch):
    """As with `armillary sim <&-`."""
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(am.InputError, match="Give --script FILE"):
        run_laboratory(None, None)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")
def test_an_output_file_on_a_full_disk():
    run = session("open_output_file /dev/full\ntheta\nomega\n")
    assert run.exit_code == 1 and "/dev/full: No space left" in run.output
