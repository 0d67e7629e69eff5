"""`armillary solve`, `mobility` and `assemble`, and what the other commands say of constraints."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from oracles.direct import Direct

WRENCH = ("nx", "ny", "nz", "fx", "fy", "fz")


def run(*words, code=0):
    """Result of a command with the expected exit code; a traceback is never right."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.exit_code == code, result.output
    return result


def run_json(*words, code=0):
    return json.loads(run(*words, "--json", code=code).stdout, parse_constant=pytest.fail)


@pytest.fixture(scope="module")
def bars():
    return am.example("four-bar")


def pendulum(folder, drives):
    """A rod on a pin; prescribed: name -> acceleration."""
    b = am.Builder("driven")
    b.body("rod", joint="revolute", axis="y", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    for name, acceleration in drives.items():
        b.prescribe(name, "rod", acceleration)
    path = folder / "driven.yaml"
    b.build().save(path)
    return path


@pytest.fixture
def every_kind(tmp_path):
    b = am.Builder("every-kind")
    b.body("hull", joint="free", mass=1.0, inertia=(1, 1, 1))
    b.body("arm", "hull", "revolute", axis="y", mass=1.0, inertia=(1, 1, 1))
    b.body("slide", "hull", "prismatic", axis="x", mass=1.0, inertia=(1, 1, 1))
    b.loop("ball", "hull", "world", "spherical")
    b.distance("strut", "world", am.Frame("tip", "arm", am.Pose((1, 0, 0))), 1.0)
    b.surface("dome", "world", "arm", "sphere", 2.0)
    b.contact("touch", "world", "slide", ["dz", "rx"], {"dx": 2.0}, [("dy", "dz", 0.3)])
    b.wheel(am.Wheel("tyre", "hull", 0.3))
    b.coupling(am.Coupling("rack", "slide", "arm", 0.1, -0.2))
    b.prescribe("motor", "arm", 1.0, 2.0)
    path = tmp_path / "every.yaml"
    b.build().save(path)
    return path


# ---------------------------------------------------------------- solve


def test_solve_where_the_mechanism_starts(bars):
    """The numbers are those of the Python calls; the motion obeys the loop, power balances."""
    found = run_json("solve", "four-bar")
    rest = np.zeros(3)
    expected = bars.solve(bars.initial, rest, rest)
    assert found["q"] == bars.initial.tolist()
    assert found["v"] == found["tau"] == [0, 0, 0]
    assert found["a"] == pytest.approx(expected.acceleration, rel=1e-12)
    assert bars.constraint_jacobian(found["q"]) @ found["a"] == pytest.approx(np.zeros(5), abs=1e-9)
    joint = found["reactions"]["joints"]["rocker"]
    assert joint["total"] == pytest.approx(expected.reactions["rocker"], rel=1e-9, abs=1e-12)
    pin = found["constraints"]["forces"]["pin"]
    assert (pin["kind"], pin["body"]) == ("loop", "rocker")
    assert pin["wrench"] == pytest.approx(expected.constraint_forces["pin"], rel=1e-9, abs=1e-12)
    assert found["rows"]["labels"] == list(bars.constraint_rows)
    assert found["rows"]["rank"] == 2
    assert found["notes"] == []


def test_solve_tells_what_is_determinate():
    """A planar four-bar in space: the three forces out of its plane have no value of their own."""
    found = run_json("solve", "four-bar")["determinacy"]
    assert found["self_stresses"] == len(found["proposals"]) == 3
    assert found["determinate"]["pin"] == [False, True, False, True, False, True]
    assert run_json("solve", "stewart")["determinacy"]["indeterminate"] == []


def test_solve_prints_names_units_and_frames():
    text = run("solve", "four-bar", "--tau", "crank=0.5").stdout
    for word in ("solution of 'four-bar'", "rad/s²", "by the parent on the body", "fz [N]",
                 "in the constraint's second frame", "pin", "3 self-stresses", "power [W]",
                 "imbalance", "smallest reactions over all joints", "J"):  # fmt: skip
        assert word in text
    assert "every reaction is determinate" in run("solve", "stewart").stdout


def test_solve_closes_the_state_first(bars):
    words = ("--q", "crank=1.3", "--v", "crank=2", "--assemble", "--hold", "crank")
    found = run_json("solve", "four-bar", *words)
    q, v = np.array(found["q"]), np.array(found["v"])
    assert q[0] == 1.3
    assert v[0] == 2
    assert np.abs(bars.constraint_residual(q)).max() < 1e-12
    assert np.abs(bars.constraint_rate(q, v)).max() < 1e-12
    assert any("q was closed" in note for note in found["notes"])
    power = found["power"]
    assert power["imbalance"] == pytest.approx(0, abs=1e-12)
    assert power["energy_rate"] == pytest.approx(-power["passive"])
    named = run_json("solve", "four-bar", *words[:5])  # a velocity given by name is held
    assert np.abs(bars.constraint_rate(named["q"], named["v"])).max() < 1e-12
    assert named["v"][0] == 2
    assert any("v of coupler, rocker follows" in note for note in named["notes"])
    nearest = run_json("solve", "four-bar", *words[:2], "--v", "2,0,0", "--assemble")
    assert np.abs(bars.constraint_rate(nearest["q"], nearest["v"])).max() < 1e-12
    assert nearest["v"][0] != 2


def test_an_open_state_is_remarked():
    result = run("solve", "four-bar", "--q", "crank=1.3", "--v", "crank=1")
    assert "is open by" in result.stderr
    assert "`armillary solve --assemble` closes the mechanism" in result.stderr
    assert "the velocity violates 'pin." in result.stderr


def test_solve_without_constraints():
    result = run("solve", "double-pendulum", "--q", "0.3,0.2")
    assert "'double-pendulum' has no constraints" in result.stderr
    assert "power [W]" in result.stdout
    arm = am.example("double-pendulum")
    found = run_json("solve", "double-pendulum", "--q", "0.3,0.2", "--assemble")
    assert found["a"] == arm.forward_dynamics([0.3, 0.2], [0, 0], [0, 0]).tolist()
    assert "constraints" not in found


def test_a_driven_coordinate_moves_as_told(tmp_path):
    """Force of a prescribed motion: (I + m l²) a + m g l sin q, with q = 0."""
    path = pendulum(tmp_path, {"motor": 1.0})
    for words, acceleration in (((), 1.0), (("--prescribe", "motor=3"), 3.0)):
        found = run_json("solve", path, *words)
        assert found["a"] == pytest.approx([acceleration])
        motor = found["constraints"]["forces"]["motor"]
        assert motor == {"force": pytest.approx(0.35 * acceleration), "unit": "N m"}
    text = run("solve", path).stdout
    assert "coupling or prescribed motion" in text
    assert "N m" in text


def test_contradictory_drives_are_named(tmp_path):
    path = pendulum(tmp_path, {"one": 1.0, "two": 2.0})
    for command in ("solve", "forward"):
        result = run(command, path)
        assert "rows contradict each other" in result.stderr
        assert all(name in result.stderr for name in ("one", "two"))
    assert run_json("solve", path)["a"] == pytest.approx([1.5])
    assert "rows contradict each other" in run("validate", path, code=1).stderr


def test_solve_a_table_of_states(bars, tmp_path):
    path, out, again = (tmp_path / name for name in ("q.csv", "out.csv", "again.csv"))
    path.write_text("time,q.crank,tau.crank\n0,1.0,0\n1,1.2,0.5\n")
    words = ("--assemble", "--hold", "crank")
    text = run("solve", "four-bar", "--csv", path, *words).stdout
    assert "greatest force [N]" in text
    assert "self-stresses: 3 to 3" in text
    run("solve", "four-bar", "--csv", path, *words, "--out", out)
    with out.open(newline="") as stream:
        row = list(csv.DictReader(stream))[1]
    q = [float(row[f"q.{x}"]) for x in bars.q_labels]
    expected = bars.solve(q, np.zeros(3), [0.5, 0, 0])
    found = [float(row[f"constraint.pin.{x}"]) for x in WRENCH]
    assert found == pytest.approx(expected.constraint_forces["pin"], rel=1e-9, abs=1e-9)
    assert float(row["a.crank"]) == pytest.approx(expected.acceleration[0])
    run("forward", "four-bar", "--csv", out, "--out", again)  # columns of results are no obstacle


TYPED = [
    (
        ["--prescribe", "motr=1"],
        "--prescribe: no constraint or joint named 'motr'. Did you mean 'motor'?",
    ),
    (["--prescribe", "motor"], "--prescribe: expected name=acceleration, found 'motor'"),
    (["--prescribe", "motor=x"], "--prescribe motor: expected a number, found 'x'"),
    (["--prescribe", "motor=1,2"], "motion of 'motor': expected 1 finite accelerations"),
    (["--prescribe", "motor=1", "--prescribe", "motor=2"], "'motor' is given twice"),
    (["--q", "rodd=1"], "Did you mean 'rod'?"),
    (["--assemble", "--hold", "rodd"], "no joint named 'rodd'. Did you mean 'rod'?"),
]


@pytest.mark.parametrize(("words", "message"), TYPED)
def test_wrong_words_are_refused(tmp_path, words, message):
    result = run("solve", pendulum(tmp_path, {"motor": 1.0}), *words, code=1)
    assert message in result.stderr
    assert not result.stdout


# ---------------------------------------------------------------- mobility


def test_mobility_of_a_four_bar(bars):
    """Five rows on three coordinates, and still one freedom; its motion obeys the loop."""
    found = run_json("mobility", "four-bar")
    counts = ("coordinates", "rows", "rank", "redundancy", "finite", "instantaneous")
    assert [found[name] for name in counts] == [3, 5, 2, 3, 1, 1]
    assert found["redundant"] == ["pin"]
    assert found["singular"] == ""
    assert found["determinacy"]["self_stresses"] == 3
    (motion,) = found["motions"]
    assert motion["velocity"][bars.v_labels.index(motion["coordinate"])] == 1
    rate = bars.constraint_rate(found["q"], motion["velocity"])
    assert np.abs(rate).max() < 1e-12


def test_mobility_prints_free_motions_by_name():
    text = run("mobility", "four-bar").stdout
    words = (
        "constrained by 1 loop",
        "rank of the rows",
        "condition number",
        "singularity: none",
        "redundant rows: pin",
        "self-stresses: 3",
        "free motions",
        "with crank = 1",
        "rad/s",
    )
    for word in words:
        assert word in text


def test_a_flat_ladder_branches():
    """All rods on the ground: n + 1 velocities, fewer freedoms nearby [IFToMM A02]."""
    turned = [f"rod{k}={np.pi / 2}" for k in range(5)]
    turned += [f"coupler{k}={-np.pi / 2}" for k in range(4)]
    words = ("mobility", "four-bar-ladder", "--q", ",".join(turned))
    found = run_json(*words)
    assert found["closed"]
    assert found["instantaneous"] == 5
    assert 1 <= found["finite"] < 5
    assert "branching: more velocities here than freedoms nearby" in run(*words).stdout


def strut(folder, length):
    """A rod of 1 m on a pin, its tip held by a massless rod to a point 3 m from the pin."""
    b = am.Builder("strut")
    b.body("rod", joint="revolute", axis="y", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    far = am.Frame("far", "world", am.Pose((3, 0, 0)))
    b.distance("string", far, am.Frame("tip", "rod", am.Pose((1, 0, 0))), length)
    path = folder / "strut.yaml"
    b.build().save(path)
    return path


def test_a_stretched_pair_of_rods_is_locked(tmp_path):
    """In one line, as long as the pins are apart: a velocity, and nowhere to go."""
    found = run_json("mobility", strut(tmp_path, 2.0))
    assert (found["instantaneous"], found["finite"]) == (1, 0)
    assert found["singular"] == "locked"


def test_mobility_without_constraints():
    result = run("mobility", "double-pendulum")
    assert "every coordinate is free" in result.stderr
    found = run_json("mobility", "double-pendulum")
    assert (found["rows"], found["finite"], found["determinacy"]) == (0, 2, None)
    assert [m["velocity"] for m in found["motions"]] == [[1, 0], [0, 1]]


def test_a_differential_drive_is_valid(tmp_path):
    """Its velocity and gravity forces cancel: rounding of them is no difference."""
    b = am.Builder("drive")
    b.body("base", joint="planar", axis="z", mass=10.0, com=(0, 0, 0.1), inertia=(0.2, 0.3, 0.4))
    for side, y, rows in (("left", 0.2, ("longitudinal", "lateral")), ("right", -0.2, "")):
        b.body(side, "base", "revolute", (0, y, 0.1), axis="y", mass=1.0,
               inertia=(0.005, 0.01, 0.005))  # fmt: skip
        b.wheel(am.Wheel(f"{side}-rolls", side, 0.1, rows=rows or ("longitudinal",)))
    path = tmp_path / "drive.yaml"
    b.build().save(path)
    for seed in range(3):
        found = run_json("validate", path, "--seed", seed)
        assert found["valid"] and max(found["check"].values()) < 1e-10


@pytest.mark.parametrize("command", ["classify", "dexterity", "task-dynamics"])
def test_an_open_place_is_closed_by_the_cure_that_is_named(command):
    """These have no --assemble: the place comes from `armillary assemble`."""
    refused = run(command, "four-bar", "--q", "crank=1.3", code=1)
    assert "where the command has it, or give the --q that `armillary assemble` f" in refused.stderr
    assert "--assemble" not in run(command, "--help").stdout and not refused.stdout
    q = run_json("assemble", "four-bar", "--q", "crank=1.3")["q"]
    run(command, "four-bar", "--q", ",".join(map(repr, q)))


def test_mobility_of_an_open_place():
    refused = run("mobility", "four-bar", "--q", "crank=1.3", code=1)
    assert "open at this q by" in refused.stderr and "Close it with --assemble" in refused.stderr
    assert not refused.stdout
    refused = run("mobility", "four-bar", "--q", "crank=1.3", "--json", code=1)
    assert "rank" not in refused.stdout
    words = ("--q", "crank=1.3", "--assemble", "--hold", "crank")
    found = run_json("mobility", "four-bar", *words)
    assert found["closed"]
    assert found["q"][0] == 1.3


def test_a_drive_takes_the_freedom(tmp_path):
    text = run("mobility", pendulum(tmp_path, {"motor": 0.0})).stdout
    assert "free motions: none" in text


# ---------------------------------------------------------------- assemble


def test_assemble(bars):
    found = run_json("assemble", "four-bar", "--q", "crank=0.4", "--hold", "crank")
    assert found["closed"]
    assert found["q"][0] == 0.4
    assert np.abs(bars.constraint_residual(found["q"])).max() < 1e-12
    text = run("assemble", "four-bar", "--q", "crank=0.4").stdout
    assert "closed in" in text
    assert "rad" in text


def test_what_cannot_be_closed_is_named(tmp_path):
    path = strut(tmp_path, 1.0)
    assert run_json("assemble", path, code=1)["closed"] is False
    refused = run("mobility", path, "--assemble", code=1)
    assert "'strut' cannot be closed near this q: 'string.f' stays open by 1 m" in refused.stderr
    assert not refused.stdout


# ---------------------------------------------------------------- the other commands


def test_inverse_of_the_tree_says_so(every_kind):
    note = run("inverse", every_kind, "--tree").stderr
    assert "tau is that of the tree of 'every-kind' alone" in note
    words = "1 loop, 1 distance, 1 surface, 1 contact, 1 wheel, 1 coupling and 1 prescribed motion"
    assert words in note
    assert "leave --tree out" in note
    assert "tree" not in run("forward", "four-bar").stderr


def test_inverse_obeys_the_constraints(bars):
    """Power of the crank against the rate of the energy that `solve` of Python tells."""
    words = ("--v", "crank=2", "--a", "crank=1", "--actuator", "crank", "--reactions")
    found = run_json("inverse", "four-bar", *words)
    q, v, a, tau = (np.array(found[x]) for x in ("q", "v", "a", "tau"))
    assert (v[0], a[0]) == pytest.approx((2, 1), rel=1e-14) and not tau[1:].any()
    assert np.abs(bars.constraint_rate(q, v)).max() < 1e-12
    solution = bars.solve(q, v, tau)
    assert solution.acceleration == pytest.approx(a, rel=1e-9)
    total = found["reactions"]["joints"]["rocker"]["total"]
    assert total == pytest.approx(solution.reactions["rocker"], rel=1e-9, abs=1e-12)
    refused = run("inverse", "four-bar", "--a", "1,0,0", code=1)
    assert "The nearest that they allow is a = (crank 2.17549" in refused.stderr
    assert "--a joint=value keeps the named joints" in refused.stderr
    both = run("inverse", "double-pendulum", "--actuator", "elbow", code=1)
    assert "has no constraints" in both.stderr
    tree = run_json("inverse", "four-bar", "--a", "1,0,0", "--tree")["tau"]
    direct = Direct(bars.model, passive=True)
    assert tree == pytest.approx(direct.inverse_dynamics(bars.initial, np.zeros(3), [1, 0, 0]))


def test_tables_with_some_velocities(tmp_path, bars):
    """Columns of some joints are held, as names on the line are."""
    path, out = tmp_path / "v.csv", tmp_path / "out.csv"
    path.write_text("v.crank,a.crank\n0,0\n1,0.5\n")
    run("inverse", "four-bar", "--csv", path, "--actuator", "crank", "--out", out)
    header, *lines = (line.split(",") for line in out.read_text().splitlines())
    rows = [dict(zip(header, map(float, line), strict=True)) for line in lines]
    v = np.array([[row[f"v.{x}"] for x in bars.v_labels] for row in rows])
    assert v[:, 0].tolist() == [0.0, 1.0]
    assert np.abs(bars.constraint_rate(np.tile(bars.initial, (2, 1)), v)).max() < 1e-12


def test_reactions_of_forward_contain_the_constraints(bars):
    found = run_json("forward", "four-bar", "--reactions")
    rest = np.zeros(3)
    expected = bars.solve(bars.initial, rest, rest).reactions["crank"]
    total = found["reactions"]["joints"]["crank"]["total"]
    assert total == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_forward_on_a_table_remarks_the_worst_state(tmp_path):
    path = tmp_path / "q.csv"
    path.write_text("q.crank,v.crank\n1.0,0\n1.2,1\n1.1,0\n")
    note = run("forward", "four-bar", "--csv", path).stderr
    assert "2 of 3 states, most in state 2: 'pin." in note
    assert "1 of 3 states, most in state 2: 'pin." in note


def test_show_lists_every_kind(every_kind):
    """Kind, name, what it constrains, its rows with units; as many rows as J has."""
    text = run("show", every_kind).stdout
    for word in ("spherical between 'hull' and 'world'", "1 m between 'world' and 'arm'",
                 "sphere of radius 2 m", "along dz rx, given forces dx 2 N, dy 0.3 of dz",
                 "disc of radius 0.3 m on 'hull'", "slide = 0.1 * arm - 0.2 m",
                 "arm with acceleration 1 rad/s², velocity 2 rad/s", "normal [N]",
                 "8 coordinates, 12 constraint rows"):  # fmt: skip
        assert word in text
    found = json.loads(run("show", every_kind, "--json").stdout)["constraints"]
    rows = [row for part in found for row in part["rows"]]
    mechanism = am.load(every_kind)
    assert rows == list(mechanism.constraint_rows)
    assert [part["name"] for part in found] == list(mechanism.constraints)
    assert "constrained by" in str(mechanism)
    assert "tyre  (wheel: disc of radius 0.3 m on 'hull', rolls on 'world'; 3 rows)" in str(
        mechanism
    )


@pytest.mark.parametrize("name", ["four-bar", "differential", "rolling-disc"])
def test_validate_mechanisms_with_constraints(name):
    found = run_json("validate", name)
    assert found["valid"] is True
    closed = {what: x for what, x in found["check"].items() if what.startswith("closed")}
    assert len(closed) == 2
    assert max(found["check"].values()) < 1e-9
