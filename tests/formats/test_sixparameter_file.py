"""Six-parameter tables in files: CSV and YAML, read, written, converted, and wrong ones."""

import numpy as np
import pytest
from test_sixparameter import SUBSETS, random_row
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.errors import FormatError
from armillary.formats.sixparameter import sixparameter
from armillary.formats.sixparameter_file import read_sixparameter, write_sixparameter_file
from seeds.cases import assert_value, case

CASE = case("000_stanford_inverse_dynamics")

# Tables 4.1 and 4.2, with phi as it is printed there (errata 0-5)
CSV = """\
# name: stanford
# gravity: 0 -9.81 0
name,rot_x,rot_y,rot_z,disp_x,disp_y,disp_z,phi,mass,com_x,com_y,com_z,ixx,iyy,izz
link1,0,0,0,0,0.5,-0.15,0;1;0;0;0;0,2,0,0.3,-0.07,0.1,0.02,0.1
link2,0,0,0,0.8,0,0,0 0;0 0;1 0;0 1;0 0;0 0,2,0.3,0,0,0.002,0.25,0.25
link3,0,0,0,0.2,0,0,0;0;1;0;0;0,0.8,0.12,0,0,0.002,0.008,0.008
link4,0,0,0,0.05,0,0,1;0;0;0;0;0,0.5,0.05,0,0,0.001,0.004,0.004
"""
YAML = """\
armillary_sixparameter: 1
name: stanford
gravity: [0, -9.81, 0]
rows:
  - name: link1
    gamma: [0, 0, 0, 0, 0.5, -0.15]       # rotations x, y, z, then displacements x, y, z
    phi: [[0], [1], [0], [0], [0], [0]]
    mass: 2
    com: [0, 0.3, -0.07]
    inertia: {xx: 0.1, yy: 0.02, zz: 0.1}
  - {name: link2, gamma: [0, 0, 0, 0.8, 0, 0], mass: 2, com: [0.3, 0, 0],
     inertia: [0.002, 0.25, 0.25], phi: [[0, 0], [0, 0], [1, 0], [0, 1], [0, 0], [0, 0]]}
  - {name: link3, gamma: [0, 0, 0, 0.2, 0, 0], free: rz, mass: 0.8, com: [0.12, 0, 0],
     inertia: [0.002, 0.008, 0.008]}
  - {name: link4, gamma: [0, 0, 0, 0.05, 0, 0], motion_space: [[1, 0, 0, 0, 0, 0]], mass: 0.5,
     com: [0.05, 0, 0], inertia: [[0.001, 0, 0], [0, 0.004, 0], [0, 0, 0.004]]}
"""


@pytest.mark.parametrize(("name", "text"), [("table.csv", CSV), ("table.yaml", YAML)])
def test_the_document_s_arm_from_a_file(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    arm = am.load(tmp_path / name)
    p = CASE.problem
    assert arm.nv == 5 and arm.name == "stanford"
    tau = arm.inverse_dynamics(p["q"], p["qd"], p["qdd"])
    assert_value(tau, CASE["tau"])
    np.testing.assert_allclose(arm.model.initial, p["q"])


def _random_model():
    """Branched, every kind of row, parts on some."""
    rows = [random_row(free) for free in SUBSETS[1:8]]
    for k, row in enumerate(rows):
        row["name"] = f"body {k}"
        row["parent"] = f"body {k // 2}" if k else "world"
        n = len(row["free"])
        row["friction"] = [{"viscous": 0.1 * i, "coulomb": (0.3, 0.2 + i)} for i in range(n)]
        row["limits"] = [{"lower": -1.0 - i, "upper": None if i else 2.0} for i in range(n)]
        row["rotor"] = [{"inertia": 1e-4 * (i + 1), "gear": 30.0 + i} for i in range(n)]
    rows[0]["motor"] = {"resistance": 1.5, "torque_constant": 0.2, "gear": 30.0, "speed_limit": 9.0}
    rows[0]["position"] = [0.1, 0.2, 0.3]
    return sixparameter(rows, name='a "name": # odd', gravity=(0.1, -0.2, -9.0),
                        base_acceleration=(0.1, 0, 0, 0, 0.2, 0))  # fmt: skip


@pytest.mark.parametrize("suffix", [".csv", ".yaml"])
def test_there_and_back(suffix, tmp_path):
    model = _random_model()
    again = read_sixparameter("table" + suffix, text=write_sixparameter_file(model, suffix))
    assert again.name == model.name and again.gravity == model.gravity
    assert again.base_acceleration == model.base_acceleration
    one, two = am.Mechanism(model), am.Mechanism(again)
    q, v, a = one.random_state(seed=5)
    np.testing.assert_allclose(
        two.inverse_dynamics(q, v, a), one.inverse_dynamics(q, v, a), rtol=1e-12, atol=1e-12
    )
    for old, new in zip(model.bodies, again.bodies, strict=True):
        assert (new.joint.passive, new.joint.limits, new.joint.rotors, new.motor) == (
            old.joint.passive, old.joint.limits, old.joint.rotors, old.motor
        )  # fmt: skip


def test_convert_both_ways(tmp_path):
    def run(*words):
        done = CliRunner().invoke(app, ["convert", *map(str, words)])
        assert done.exit_code == 0, done.output
        return done.output

    native, table, yaml = (tmp_path / x for x in ("a.yaml", "b.csv", "c.yaml"))
    run("stanford", table, "--format", "sixparameter")
    run(table, native)
    run(native, yaml, "--format", "sixparameter")
    arms = [am.example("stanford"), *(am.load(x) for x in (table, native, yaml))]
    q, v, a = arms[0].random_state(seed=2)
    for arm in arms[1:]:
        np.testing.assert_allclose(
            arm.inverse_dynamics(q, v, a), arms[0].inverse_dynamics(q, v, a), rtol=1e-12
        )
    assert "armillary_sixparameter: 1" in yaml.read_text()
    # a closed mechanism has no table
    words = ["convert", "delta", str(tmp_path / "d.csv"), "--format", "sixparameter"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1 and "Traceback" not in done.output


def test_degrees_and_what_is_assumed(tmp_path):
    text = "name,rot_x_deg,disp_x,free,mass,ixx,iyy,izz\na,90,1,rz,1,1,1,1\n"
    model = read_sixparameter("t.csv", text=text)
    yaml = (
        "armillary_sixparameter: 1\ndegrees: true\ntip: null\nrows:\n"
        "  - {gamma: [90, 0, 0, 1, 0, 0], free: [rz], mass: 1, inertia: [1, 1, 1]}\n"
    )
    other = read_sixparameter("t.yaml", text=yaml)
    assert model.bodies[0].at.rotation == other.bodies[0].at.rotation
    assert any("gravity" in note.part for note in model.report.notes)
    assert [f.name for f in model.frames] == ["tip"] and not other.frames


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (CSV.replace("link3,0,0", "link3,x,0"), 6, "expected a number, found 'x'"),
        (CSV.replace("0;0;1;0;0;0", "0;0;1;0;0"), 6, "six rows"),
        (CSV.replace("0;0;1;0;0;0", "0;0;2;0;0;0"), 6, "one 1 and five 0"),
        (CSV.replace("link4", "link3"), 7, "used twice"),
        (CSV.replace("mass,com_x", "mass,comx"), 3, "Did you mean 'com_x'"),
        (CSV.replace("0 -9.81 0", "0 -9.81"), 2, "gravity: expected 3 numbers"),
        (CSV.replace(",2,0,0.3,-0.07", ",-2,0,0.3,-0.07"), 4, "link1"),
        ("name,rot_x,rot_x_deg\na,1,2\n", 2, "Give one of them"),
        ("name,rot_x\n", 1, "one row per joint"),
        (YAML.replace("[0, 0, 0, 0.2, 0, 0]", "[0, 0, 0, 0.2, 0]"), 13, "expected 6 numbers"),
        (YAML.replace("free: rz", "free: rq"), 13, "different ones of"),
        (YAML.replace("free: rz", "free: rz, phi: [0, 0, 1, 0, 0, 0]"), 13, "Give one of them"),
        (YAML.replace("mass: 0.8", "mas: 0.8"), 13, "Did you mean 'mass'"),
        (YAML.replace("gravity: [0, -9.81, 0]", "gravity: up"), 3, "gravity: expected 3 numbers"),
        (YAML.replace("gravity:", "grav:"), 3, "Did you mean 'gravity'"),
        (YAML.replace("parameter: 1", "parameter: 2"), 1, "version 1"),
        (YAML.replace("name: link3", "name: link3, parent: moon"), 13, "no row before it"),
        ("armillary_sixparameter: 1\nrows: []\n", 2, "one row per link"),
        ("armillary_sixparameter: 1\nrows: [1]\n", 2, "expected a mapping"),
        ("armillary_sixparameter: 1\ndegrees: maybe\nrows: [{}]\n", 2, "true or false"),
    ],
)
def test_faults_have_their_line(text, line, said, tmp_path):
    suffix = ".yaml" if text.startswith("armillary") else ".csv"
    file = tmp_path / f"table{suffix}"
    file.write_text(text)
    with pytest.raises(FormatError, match=f":{line}") as caught:
        am.load(file)
    assert said in str(caught.value)


def test_what_a_table_cannot_hold():
    b = am.Builder("m")
    joint = am.joint_spec("revolute", axis="z", passive=(am.Passive(table=((0, 0), (1, 2))),))
    b.body("a", joint=joint, mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(FormatError, match="native file"):
        write_sixparameter_file(b.build().model, ".csv")
