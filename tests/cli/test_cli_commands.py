"""The other commands: show, validate, convert, demo, examples, schema; exit codes and errors."""

import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.formats.examples import example_info

URDF = """<robot name="r">
  <link name="base"/>
  <link name="tool"><inertial><mass value="2"/><origin xyz="0 0 0.1"/>
    <inertia ixx="{xx}" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="tool"/>
    <axis xyz="0 0 {z}"/><limit lower="-1" upper="2" effort="7" velocity="3"/>
    <dynamics damping="0.5" friction="0.1"/></joint>
</robot>
"""


def run(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.format(xx="0.02", z="1"))
    return path


# ---------------------------------------------------------------- show


def test_show_tells_tree_coordinates_masses_and_report(urdf):
    text = run("show", urdf).stdout
    words = ("r: 2 bodies, 1 degree of freedom, 2 kg", "turn", "revolute", "q[0]", "rad",
             "-1 ... 2", "viscous 0.5, coulomb 0.1", "0, 0, 0.1", "Report", "assumed")  # fmt: skip
    assert [word for word in words if word not in text] == []


def test_show_on_a_free_base(urdf):
    assert "7 degrees of freedom" in run("show", urdf, "--base", "free").stdout
    assert "1 degree of freedom" in run("show", urdf, "--base", "fixed").stdout


@pytest.mark.parametrize("name", am.example_names())
def test_show_every_built_in_mechanism(name):
    mechanism = am.example(name)
    text = run("show", name).stdout
    assert all(body in text for body in mechanism.bodies)
    assert all(label in text for label in mechanism.q_labels)
    content = json.loads(run("show", name, "--json").stdout)
    assert [body["name"] for body in content["bodies"]] == list(mechanism.bodies)
    assert content["labels"]["v"] == list(mechanism.v_labels)


def test_show_is_safe_with_hostile_names(tmp_path):
    """Markup is text, control characters are refused and spelled out."""
    b = am.Builder("[red]x[/red]")
    b.body("[/bold]", joint="revolute", mass=1.0, com=(1, 0, 0))
    path = tmp_path / "names.yaml"
    b.build().save(path)
    for command in ("show", "validate", "inverse"):
        assert "[red]x[/red]" in run(command, path).output
    path.write_text(path.read_text().replace("[/bold]", "\\e[2Jboo"))
    for command in ("show", "validate", "inverse"):
        text = run(command, path, code=1).output
        assert "\x1b" not in text and "body '\\x1b[2Jboo': character 1" in text


def test_show_cuts_long_tables(tmp_path):
    b = am.Builder("chain")
    parent = "world"
    for k in range(300):
        b.body(f"b{k}", parent, "revolute", axis="y", mass=1.0)
        parent = f"b{k}"
    path = tmp_path / "chain.yaml"
    b.build().save(path)
    text = run("show", path).stdout
    assert "... and 100 more lines" in text
    assert max(map(len, text.splitlines())) < 250
    assert len(json.loads(run("show", path, "--json").stdout)["bodies"]) == 300


# ---------------------------------------------------------------- validate


def test_validate_a_sound_mechanism(urdf):
    text = run("validate", urdf).stdout
    assert "valid: 0 warnings" in text
    assert "Newton-Euler" in text
    content = json.loads(run("validate", urdf, "--json").stdout)
    assert content["valid"] is True
    assert 0 <= max(content["check"].values()) < 1e-10


def test_validate_lists_warnings_and_strict_refuses_them(urdf):
    urdf.write_text(URDF.format(xx="0.2", z="1"))  # triangle inequality violated
    result = run("validate", urdf)
    assert "warning" in result.stdout
    assert "triangle inequality" in result.stdout
    assert "valid: 1 warning" in result.stdout
    strict = run("validate", urdf, "--strict", code=1)
    assert "triangle inequality" in strict.stderr
    assert "Traceback" not in strict.output


@pytest.mark.parametrize(("height", "remark"), [(1.0, True), (-1.0, False)])
def test_validate_tells_of_an_unstable_rest(tmp_path, height, remark):
    """A rod with a light clip on a stiff damper: upright it falls with sqrt(g / l), whatever is
    fast beside it; hanging, there is nothing to say."""
    path = tmp_path / "rod.yaml"
    path.write_text(
        "armillary: 1\nname: rod\nbodies:\n"
        "  rod: {parent: world, joint: {type: revolute, axis: y}, mass: 0.3,"
        f" com: [0, 0, {height}]}}\n"
        "  clip: {parent: rod, joint: {type: prismatic, axis: x, friction: {viscous: 100.0},"
        " spring: {stiffness: 5.0}},"
        f" at: {{position: [0, 0, {height / 2}]}}, mass: 1.0e-4}}\n"
    )
    found = run("validate", path).output
    told = re.search(r"does not stay: small changes grow with ([0-9.]+) 1/s", found)
    assert ("1 warning" in found) == bool(told) == remark
    assert not told or float(told[1]) == pytest.approx(math.sqrt(9.81), rel=1e-3)


def test_validate_says_why_there_is_no_check(tmp_path):
    path = tmp_path / "light.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    assert "forward dynamics is undefined" in run("validate", path).stdout


def test_a_singular_mass_matrix_is_no_answer(tmp_path):
    """A point mass on its own axis: nothing resists the turn."""
    path = tmp_path / "point.urdf"
    text = URDF.format(xx="0", z="1").replace('iyy="0.02" izz="0.01"', 'iyy="0" izz="0"')
    path.write_text(text)
    content = json.loads(run("validate", path, "--json", code=1).stdout)
    assert content["valid"] is False
    assert "its acceleration is undefined" in run("validate", path, code=1).stderr
    refused = run("forward", path, "--tau", "1", code=1)
    assert "'turn': nothing that it moves has inertia" in refused.stderr
    assert not refused.stdout


def test_validate_answers_programs_about_broken_files(tmp_path):
    path = tmp_path / "broken.urdf"
    path.write_text("<robot><link name='a'>")
    content = json.loads(run("validate", path, "--json", code=1).stdout)
    assert content["valid"] is False
    assert "broken.urdf" in content["error"]


# ---------------------------------------------------------------- convert, schema, examples, demo


def test_convert_there_and_back(urdf, tmp_path):
    native, back = tmp_path / "arm.yaml", tmp_path / "back.urdf"
    assert "nothing was left out" in run("convert", urdf, native).stdout
    run("convert", native, back)
    one, two = am.load(urdf), am.load(back)
    state = one.random_state(4)
    assert two.inverse_dynamics(*state) == pytest.approx(one.inverse_dynamics(*state), rel=1e-12)


def test_convert_says_what_it_leaves_out(tmp_path):
    out = tmp_path / "six.urdf"
    refused = run("convert", "six-r", out, code=1).stderr
    assert "URDF cannot express" in refused
    assert "use --lossy" in refused
    assert not out.exists()
    text = run("convert", "six-r", out, "--lossy").stdout
    assert text.count("electrical data of its motor") == 6
    assert am.load(out).nv == 6


def test_convert_does_not_overwrite_unasked(tmp_path):
    out = tmp_path / "two.yaml"
    run("convert", "two-link", out)
    before = out.read_text()
    assert "use --overwrite" in run("convert", "six-r", out, code=1).stderr
    assert out.read_text() == before
    run("convert", "six-r", out, "--overwrite")
    assert out.read_text() != before


def test_convert_refuses_unknown_endings(tmp_path):
    text = run("convert", "two-link", tmp_path / "two.step", code=1).stderr
    assert "'.step' tells no format" in text
    assert "format=" not in text


def test_schema_is_json():
    schema = json.loads(run("schema").stdout)
    assert "bodies" in schema["properties"]


def test_demo_of_a_mechanism(tmp_path):
    """All forces where it starts, and a page whose run is the registry's."""
    text = run("demo", "slider-crank", "--folder", str(tmp_path)).stdout
    assert "reaction in each joint" in text and "3 self-stresses" in text
    assert (tmp_path / "slider-crank.html").stat().st_size > 100_000
    assert "no example named 'foo'" in run("demo", "foo", code=1).stderr


@pytest.mark.parametrize("name", am.example_names())
def test_motions_worth_seeing_are_possible(name):
    """Every built-in mechanism moves as the registry says: the start is admissible and goes on."""
    shown = am.simulate(
        am.example(name), step=2e-3, **{**example_info(name).motion, "duration": 0.02}
    )
    assert shown.complete
    assert np.ptp(shown.v, axis=0).max() > 0.0


def test_examples_are_listed():
    text = run("examples").stdout
    assert all(name in text for name in am.example_names())


def test_demo_shows_the_main_job(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = run("demo").stdout
    made = tmp_path / "armillary-demo"
    assert (made / "stanford.svg").exists() and (made / "four-bar.html").exists()
    lines = text.splitlines()
    assert len(lines) < 75
    assert max(map(len, lines)) <= 100
    arm = am.example("stanford")
    tau = arm.inverse_dynamics(arm.model.initial, [1.5, 0, 0.4, 1, 3], np.zeros(5))
    assert tau == pytest.approx([2.26935, 18.25191, -4.40825, 2.16351, 0.0015])  # eq 4.62
    for label, force in zip(arm.v_labels, tau, strict=True):
        row = next(line for line in lines if line.startswith(f"{label} "))
        assert row.split().count(f"{force:.6g}") == 2  # ours and the book's
    for word in ("forward_dynamics", "reactions", "the same by two formulations", "ns"):
        assert word in text


# ---------------------------------------------------------------- the way in


def test_help_version_and_usage():
    text = run("--help").stdout
    for command in ("show", "validate", "inverse", "forward", "solve", "mobility", "assemble",
                    "convert", "demo", "examples", "schema"):  # fmt: skip
        assert command in text
        assert "Usage" in run(command, "--help").stdout
    assert run("--version").stdout == f"armillary {am.__version__}\n"
    run(code=2)
    run("shw", "stanford", code=2)
    run("show", code=2)
    run("show", "stanford", "--base", "loose", code=2)
    run("inverse", "stanford", "--quick", code=2)


MISSING = [
    ("stanfrod", "Did you mean 'stanford'"),
    ("robot.urdf", "robot.urdf: there is no such file"),
    ("folder/robot", "folder/robot: there is no such file"),
    ("", "path"),
    ("robot.xacro", "there is no such file"),
]


@pytest.mark.parametrize(("name", "message"), MISSING)
def test_a_model_that_is_not_there(name, message):
    for command in ("show", "validate", "inverse"):
        result = run(command, name, code=1)
        assert message in result.stderr
        assert result.stderr.startswith("error: ")


HOSTILE = {
    "bomb.urdf": '<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><robot name="&b;"/>',
    "deep.urdf": "<robot name='r'>" + "<link>" * 5000,
    "bytes.yaml": b"\xff\xfe\x00armillary",
    "tag.yaml": "armillary: 1\nbodies: !!python/object/apply:os.system [ls]\n",
    "empty.yaml": "",
    "list.yaml": "- 1\n- 2\n",
    "nan.yaml": "armillary: 1\nbodies: {a: {parent: world, joint: {type: revolute}, mass: .nan}}\n",
    "circle.yaml": "armillary: 1\nbodies: {a: {parent: b, joint: {type: revolute}, mass: 1}, "
    "b: {parent: a, joint: {type: revolute}, mass: 1}}\n",
    "text.csv": "hello\nworld\n",
    "other.xml": "<html/>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_end_in_one_line(tmp_path, name):
    path = tmp_path / name
    content = HOSTILE[name]
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for command in ("show", "validate"):
        result = run(command, path, code=1)
        assert result.stderr.startswith(f"error: {path}")
        assert len(result.stderr) < 1000
        assert not result.stdout


def process(*words):
    """The interpreter in a process of its own."""
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=60, check=False
    )


def test_the_installed_command():
    """Exit codes, streams, no traceback."""
    good = process("-m", "armillary", "inverse", "two-link", "--json")
    assert good.returncode == 0
    assert not good.stderr
    arm = am.example("two-link")
    expected = arm.inverse_dynamics(arm.model.initial, [0, 0], [0, 0])
    assert json.loads(good.stdout)["tau"] == expected.tolist()
    bad = process("-m", "armillary.cli", "show", "nothing.urdf")
    assert bad.returncode == 1
    assert bad.stderr == "error: nothing.urdf: there is no such file. Check the path.\n"
    assert not bad.stdout


def test_help_is_quick_to_import():
    """The commands load what they need when they run: help needs neither rich nor pydantic."""
    found = process(
        "-c",
        "import sys; from armillary.cli import app; "
        "print([m for m in ('rich', 'pydantic', 'yaml', 'scipy', 'mujoco') if m in sys.modules])",
    )
    assert found.stdout.strip() == "[]", found.stderr


# ---------------------------------------------------------------- page


def test_page_of_a_mechanism(tmp_path):
    file = tmp_path / "bars.html"
    run("page", "four-bar", "--target", "crank=0.5", "--gains", "5,0,1", "-o", file)
    assert '"label":"crank"' in file.read_text(encoding="utf-8")
    assert "--overwrite" in run("page", "four-bar", "-o", file, code=1).output
    assert "expected kp,ki,kd" in run(
        "page", "four-bar", "--target", "crank=0.5", "--gains", "5", "-o", file, code=1
    ).output  # fmt: skip
    assert "joint=number" in run("page", "four-bar", "--target", "crank", "-o", file, code=1).output


def test_page_takes_what_simulate_takes(tmp_path):
    file = tmp_path / "arm.html"
    run("page", "six-r", "--q", "link1=0.3", "--tau", "link3=2", "--v", "link2=0.5", "-o", file)
    text = file.read_text(encoding="utf-8")
    assert '"value":2.0,"kind":"force"' in text and text.count('"kind":"force"') == 1
    assert '"start":{"q":[0.3,' in text
    table = tmp_path / "forces.csv"
    table.write_text("time,link1\n0,1\n1,2\n")
    stays = tmp_path / "stays.html"
    run("page", "six-r", "--input", table, "--stay", "-o", stays)
    assert stays.read_text(encoding="utf-8").count('"kind":"force"') == 5  # no slider for link1
    found = run("page", "six-r", "--input", table, "-o", tmp_path / "no.html", code=1)
    assert "inputs of 'link1' by a table that ends at 1 s cannot go into a page" in found.output
    assert not (tmp_path / "no.html").exists()
