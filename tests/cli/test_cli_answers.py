"""`armillary inverse` and `forward`: the numbers of the Python calls, typed, in files, as JSON."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app


def run(*words, code=0):
    """Result of a command with the expected exit code; a traceback is never right."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.exit_code == code, result.output
    return result


def run_json(*words):
    return json.loads(run(*words, "--json").stdout, parse_constant=pytest.fail)


@pytest.fixture(scope="module")
def arm():
    return am.example("double-pendulum")


@pytest.fixture(scope="module")
def drone(tmp_path_factory):
    """A free body with an arm on a spring: quaternion, rotor, limits, a frame."""
    b = am.Builder("drone")
    b.body("hull", joint="free", mass=2.0, com=(0.01, 0, 0.02), inertia=(0.02, 0.03, 0.04))
    b.body("arm", "hull", "prismatic", (0.1, 0, 0), axis="x", mass=0.3, inertia=(1e-3, 2e-3, 2e-3),
           passive=am.Passive(spring=20.0, viscous=0.1), rotor=am.Rotor(1e-5, 50.0),
           limits=am.Limits(-0.1, 0.1, velocity=1.0, effort=30.0))  # fmt: skip
    b.frame("tip", "arm", (0.3, 0, 0))
    path = tmp_path_factory.mktemp("models") / "drone.yaml"
    b.build().save(path)
    return path


# ---------------------------------------------------------------- numbers on the command line


def test_inverse_in_order_and_by_name(arm):
    numbers = run_json("inverse", "double-pendulum", "--q", "0.3,-0.2", "--v", "1 2", "--a", "3, 4")
    names = run_json(
        "inverse", "double-pendulum", "--q", "elbow=-0.2,shoulder=0.3", "--v", "elbow=2",
        "--v", "shoulder=1", "--a", "shoulder=3 elbow=4",
    )  # fmt: skip
    expected = arm.inverse_dynamics([0.3, -0.2], [1, 2], [3, 4])
    assert numbers["tau"] == expected.tolist()
    assert names["tau"] == numbers["tau"]
    assert numbers["labels"]["v"] == ["shoulder", "elbow"]
    assert numbers["units"]["tau"] == ["N m", "N m"]


def test_what_is_not_given(arm):
    """q where the model starts, v = a = tau = 0."""
    found = run_json("forward", "double-pendulum")
    assert found["q"] == list(arm.model.initial)
    assert found["a"] == arm.forward_dynamics(arm.model.initial, [0, 0], [0, 0]).tolist()


def test_forward_undoes_inverse():
    there = run_json("inverse", "stanford", "--v", "1,2,3,4,5", "--a", "5,4,3,2,1")
    tau = ",".join(map(repr, there["tau"]))
    back = run_json("forward", "stanford", "--v", "1,2,3,4,5", "--tau", tau)
    assert back["a"] == pytest.approx([5, 4, 3, 2, 1], rel=1e-10)


def test_external_wrench_and_passive_forces(drone):
    """The options reach the library; a quaternion is named by its parts."""
    mechanism = am.load(drone)
    q = [0.6, 0, 0.8, 0, 1, 2, 3, 0.05]
    wrench = [0.1, 0.2, 0.3, 1, 2, 3]
    found = run_json(
        "inverse", drone, "--q", "hull.w=0.6,hull.y=0.8,hull.px=1,hull.py=2,hull.pz=3,arm=0.05",
        "--v", "hull.wz=1", "--external", "tip=0.1,0.2,0.3,1,2,3", "--no-passive", "--reactions",
    )  # fmt: skip
    v = [0, 0, 1, 0, 0, 0, 0]
    expected = mechanism.inverse_dynamics(q, v, np.zeros(7), {"tip": wrench}, passive=False)
    assert found["tau"] == expected.tolist()
    assert found["units"]["q"] == ["-"] * 4 + ["m"] * 4
    reactions = mechanism.reactions(q, v, np.zeros(7), {"tip": wrench}, passive=False)
    joint = found["reactions"]["joints"]["arm"]
    assert joint["total"] == reactions["arm"].tolist()
    total = np.array(joint["driving"]) + np.array(joint["constraint"])
    assert total == pytest.approx(joint["total"])


def test_the_table_has_names_units_and_frames(drone):
    text = run("inverse", drone, "--external", "tip=0,0,0,0,0,1", "--reactions").stdout
    for word in ("hull.wx", "N m", "m/s²", "in that frame", "by the parent on the body", "fz [N]"):
        assert word in text
    assert "gravity (0, 0, -9.81) m/s²" in text


def test_limits_are_remarked_beside_the_numbers(drone):
    result = run("forward", drone, "--q", "arm=0.2", "--tau", "arm=50")
    assert "position of arm lies outside its limits -0.1 ... 0.1 m: 0.2" in result.stderr
    assert "force of arm lies outside its limits" in result.stderr
    assert "outside" not in result.stdout


# ---------------------------------------------------------------- files


def table(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_csv_round_trip(arm, tmp_path):
    """A batch through inverse and back through forward: every digit of the file is used."""
    rng = np.random.default_rng(3)
    q, v, a = rng.normal(size=(3, 50, 2))
    start = tmp_path / "motion.csv"
    names = [f"{kind}.{label}" for kind in "qva" for label in arm.v_labels]
    rows = np.hstack([q, v, a])
    lines = [",".join(["time", *names])]
    lines += [",".join([str(k), *map(repr, map(float, row))]) for k, row in enumerate(rows)]
    start.write_text("\n".join(lines) + "\n")

    forces, back = tmp_path / "forces.csv", tmp_path / "back.csv"
    run("inverse", "double-pendulum", "--csv", start, "--out", forces)
    tau = np.array([[float(r[f"tau.{x}"]) for x in arm.v_labels] for r in table(forces)])
    assert tau.tolist() == arm.inverse_dynamics(q, v, a).tolist()
    assert [r["time"] for r in table(forces)] == [str(k) for k in range(50)]

    note = run("forward", "double-pendulum", "--csv", forces, "--out", back).stderr
    assert "not used: a.shoulder, a.elbow" in note
    again = np.array([[float(r[f"a.{x}"]) for x in arm.v_labels] for r in table(back)])
    assert again == pytest.approx(a, rel=1e-9, abs=1e-9)


def test_csv_with_wrenches_and_reactions(arm, tmp_path):
    path, out = tmp_path / "pull.csv", tmp_path / "out.csv"
    path.write_text("external.tip.fx,v.elbow\n1,0\n2,0.5\n")
    result = run("inverse", "double-pendulum", "--csv", path, "--out", out, "--reactions")
    assert "v of shoulder is not in the file: 0 is used" in result.stderr
    q = np.tile(arm.model.initial, (2, 1))
    v, external = np.array([[0, 0], [0, 0.5]]), np.zeros((2, 6))
    external[:, 3] = (1, 2)
    expected = arm.reactions(q, v, np.zeros((2, 2)), {"tip": external})["elbow"]
    found = [[float(r[f"reaction.elbow.{x}"]) for x in ("nx", "ny", "nz", "fx", "fy", "fz")]
             for r in table(out)]  # fmt: skip
    assert found == expected.tolist()
    text = run("inverse", "double-pendulum", "--csv", path, "--reactions").stdout
    assert "of 2 states" in text
    assert "greatest moment [N m]" in text


def test_results_are_not_written_over_unasked(tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("precious")
    assert "use --overwrite" in run("inverse", "two-link", "--out", out, code=1).stderr
    assert out.read_text() == "precious"
    run("inverse", "two-link", "--out", out, "--overwrite")
    assert out.read_text().startswith("q.joint1,")


# ---------------------------------------------------------------- what is refused

TYPED = [
    (["--q", "0.1"], "--q: expected 2 numbers (shoulder, elbow), found 1"),
    (["--q", "0.1,nan"], "--q: expected a finite number, found 'nan'"),
    (["--q", "0.1,1e999"], "expected a finite number"),
    (["--v", "1,two"], "--v: expected a number, found 'two'"),
    (["--a", "elbw=1"], "Did you mean 'elbow'?"),
    (["--a", "elbow="], "--a elbow: expected a number"),
    (["--a", "=3"], "expected joint=value"),
    (["--a", "elbow=1,elbow=2"], "'elbow' is given twice"),
    (["--external", "tip=1,2,3"], "expected frame=nx,ny,nz,fx,fy,fz"),
    (["--external", "1,2,3,4,5,6"], "expected frame=nx,ny,nz,fx,fy,fz"),
    (["--external", "tipp=1,2,3,4,5,6"], "Did you mean 'tip'?"),
    (["--external", "tip=1,2,3,4,5,inf"], "finite"),
    (["--csv", "nowhere.csv"], "nowhere.csv: cannot be read: No such file"),
]


@pytest.mark.parametrize(("words", "message"), TYPED)
def test_wrong_numbers_are_refused(words, message):
    result = run("inverse", "double-pendulum", *words, code=1)
    assert message in result.stderr
    assert not result.stdout


def test_a_joint_with_several_coordinates_lists_them(drone):
    assert "hull.w, hull.x" in run("inverse", drone, "--q", "hull=1", code=1).stderr


FILES = [
    ("", "expected a header"),
    ("q.elbow\n", "at least one line"),
    ("q.elbow\n1,2\n", ":2: expected 1 cells as in the header, found 2"),
    ("q.elbow\n1\nnan\n", ":3: column 'q.elbow': expected a finite number, found 'nan'"),
    ("q.elbow\n\nx\n", ":3: column 'q.elbow': expected a number"),
    ("q.elbow,v.elbow\n1,\n", ":2: column 'v.elbow': expected a number, found ''"),
    ("elbow\n1\n", ":1: unknown column 'elbow'. Did you mean 'q.elbow'?"),
    ("q.elbow,q.elbow\n1,1\n", "twice"),
    ("external.tip.mx\n1\n", "unknown column"),
    ('q.elbow\n"1\n', "no CSV table"),
    ("q.elbow\n\0\n", "CSV"),
]


@pytest.mark.parametrize(("text", "message"), FILES)
def test_wrong_tables_are_refused(tmp_path, text, message):
    path = tmp_path / "states.csv"
    path.write_text(text)
    found = run("inverse", "double-pendulum", "--csv", path, code=1).stderr
    assert message in found or (text.count("\0") and "expected a number" in found)
    assert str(path) in found


def test_tables_that_are_no_text(tmp_path):
    path = tmp_path / "states.csv"
    path.write_bytes(b"q.elbow\n\xff\xfe1\n")
    assert "UTF-8" in run("inverse", "double-pendulum", "--csv", path, code=1).stderr
    assert "ordinary file" in run("inverse", "double-pendulum", "--csv", tmp_path, code=1).stderr


def test_a_table_with_byte_order_mark_and_windows_lines(tmp_path, arm):
    path = tmp_path / "states.csv"
    path.write_bytes(b"\xef\xbb\xbfq.shoulder, q.elbow\r\n0.5,0.25\r\n")
    found = run_json("inverse", "double-pendulum", "--csv", path)
    assert found["tau"] == [arm.inverse_dynamics([0.5, 0.25], [0, 0], [0, 0]).tolist()]


def test_the_same_quantity_twice(tmp_path):
    path = tmp_path / "states.csv"
    path.write_text("q.elbow,external.tip.fx\n1,1\n")
    twice = run("inverse", "double-pendulum", "--csv", path, "--q", "1,2", code=1)
    assert "q is given twice" in twice.stderr
    wrench = run("inverse", "double-pendulum", "--csv", path, "--external", "tip=1,0,0,0,0,0",
                 code=1)  # fmt: skip
    assert "by --external and by" in wrench.stderr
