"""`Mechanism.save`: what is lost is told, MuJoCo takes what is written, meshes are still found."""

import os

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.errors import FormatError
from armillary.formats.mjcf_write import write_mjcf
from armillary.formats.references import Bounds
from armillary.model import Limits, Passive, Shape
from samples import random_mass, random_model


def motor_arm():
    b = am.Builder("arm", gravity=(0, 0, -1.0))
    b.body("link", axis="y", mass=1.0, com=(0.1, 0, 0), inertia=(1, 1, 1),
           passive=Passive(viscous=0.1, spring=2.0), motor=am.Motor(1.0, 0.1))  # fmt: skip
    b.initial["link"] = 0.25
    return b.build()


@pytest.mark.parametrize("name", ["arm.urdf", "arm.xml"])
def test_lossy_is_what_the_error_recommends(tmp_path, name):
    arm = motor_arm()
    with pytest.raises(FormatError, match="pass lossy=True"):
        arm.save(tmp_path / name)
    report = arm.save(tmp_path / name, lossy=True)
    told = [note.text for note in report.notes]
    assert any("motor" in text for text in told)
    assert any("the start, link = 0.25" in text for text in told)
    text = (tmp_path / name).read_text()
    assert all(f"<!-- {line} -->" in text for line in told)
    again = am.load(tmp_path / name)
    assert again.mass_matrix([0.0]) == pytest.approx(arm.mass_matrix([0.0]))


def test_the_native_file_loses_nothing(tmp_path):
    report = motor_arm().save(tmp_path / "arm.yaml", lossy=True)
    assert report.notes == [] and am.load(tmp_path / "arm.yaml").model == motor_arm().model


def test_the_command_line_tells_the_same(tmp_path):
    out = tmp_path / "bars.urdf"
    result = CliRunner().invoke(app, ["convert", "puma560", str(out), "--lossy"])
    assert result.exit_code == 0
    for words in ("rotor inertia", "differs between the directions", "the start, joint2 = 1.57"):
        assert words in result.output


# ---------------------------------------------------------------- MuJoCo takes it

mujoco = pytest.importorskip("mujoco")
TENSORS = {
    "point": (0, 0, 0, 0, 0, 0),
    "rod": (0, 0.02, 0.02, 0, 0, 0),
    "tilted rod": (0.01, 0.01, 0.02, -0.01, 0, 0),
    "tiny": (1e-16, 1e-16, 1e-16, 0, 0, 0),
}


@pytest.mark.parametrize("tensor", TENSORS)
@pytest.mark.parametrize("ground", [False, True])
def test_welded_masses_without_a_full_tensor(tensor, ground):
    """A point or a rod on a body: MuJoCo's mass matrix is the closed form I + m r²."""
    b = am.Builder("carrier")
    b.body("base", joint="fixed", mass=1, inertia=TENSORS[tensor] if ground else (1, 1, 1))
    b.body("disc", "base", axis="z", mass=1, inertia=(1, 1, 1))
    b.body("tip", "disc", "fixed", (0.5, 0.1, 0), mass=2.0, inertia=TENSORS[tensor])
    model = b.build().model
    peer = mujoco.MjModel.from_xml_string(write_mjcf(model))
    data, M = mujoco.MjData(peer), np.zeros((1, 1))
    mujoco.mj_forward(peer, data)
    mujoco.mj_fullM(peer, data, M)
    assert M[0, 0] == pytest.approx(1 + 2.0 * 0.26 + TENSORS[tensor][2], rel=1e-12)


@pytest.mark.parametrize("size", [("sphere", (0.0,)), ("box", (1.0, 0.0, 1.0)),
                                  ("capsule", (0.1, 0.0)), ("cylinder", (-1.0, 1.0))])  # fmt: skip
def test_shapes_without_extent_are_left_out_and_told(size):
    b = am.Builder("flat")
    b.body("a", mass=1, inertia=(1, 1, 1), shapes=[Shape(*size)])
    text = write_mjcf(b.build().model)
    assert f"left out: body 'a': a {size[0]} of size" in text
    assert mujoco.MjModel.from_xml_string(text).ngeom == 0


def _doubtful(seed):
    """A random tree with welded, planar, massless and limited bodies among the others."""
    rng = np.random.default_rng(seed)
    b = am.Builder("doubtful")
    parent = "world"
    for k in range(6):
        kind = rng.choice(["revolute", "prismatic", "fixed", "spherical", "universal"])
        options = {"axes": ("x", "y")} if kind == "universal" else {}
        mass = random_mass(rng)
        tensor = [mass.tensor, (0, 0, 1, 0, 0, 0), (0,) * 6, (-1, 1, 1, 0, 0, 0)][rng.integers(4)]
        limits = [(), Limits(-1.0, 1.0), Limits(0.5, 0.5), Limits(None, np.inf, np.inf, 0.0)]
        more = {"limits": limits[rng.integers(4)]} if kind in ("revolute", "prismatic") else {}
        b.body(f"b{k}", parent, str(kind), tuple(rng.normal(size=3)), mass=float(rng.integers(2)),
               com=tuple(rng.normal(size=3)), inertia=tensor, **options, **more)  # fmt: skip
        parent = f"b{rng.integers(k + 1)}"
    return b.build().model


@pytest.mark.parametrize("lossy", [False, True])
def test_nothing_is_written_that_mujoco_refuses(lossy):
    """All examples, random trees, doubtful trees: written and taken, or an error by name."""
    models = [am.example(name).model for name in am.example_names()]
    models += [random_model(seed) for seed in range(10)]
    models += [_doubtful(seed) for seed in range(40)]
    taken = 0
    for model in models:
        try:
            text = write_mjcf(model, lossy=lossy)
        except FormatError as fault:
            assert "MuJoCo would refuse" not in str(fault), fault  # known before it is asked
            continue
        peer = mujoco.MjModel.from_xml_string(text)
        assert peer.nbody == len(model.bodies) + 1
        taken += 1
    assert taken > (10 if lossy else 3)


# ---------------------------------------------------------------- meshes


@pytest.fixture
def robot(tmp_path):
    """A package with a URDF file whose meshes are named in three ways; one is not there."""
    for folder in ("robot/urdf", "robot/meshes", "work", "robot/config"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "robot/package.xml").write_text("<package><name>robot</name></package>")
    for name in ("a.stl", "b.stl"):
        (tmp_path / "robot/meshes" / name).write_text("solid")
    names = ("../meshes/a.stl", "package://robot/meshes/b.stl", "../meshes/gone.stl")
    visuals = "".join(
        f'<visual><geometry><mesh filename="{name}"/></geometry></visual>' for name in names
    )
    path = tmp_path / "robot/urdf/robot.urdf"
    path.write_text(f'<robot name="r"><link name="a">{visuals}</link></robot>')
    return path


def _files(mechanism, path, root=None):
    bounds = Bounds.of(path, root)
    return [bounds.locate(s.mesh) for s in mechanism.model.bodies[0].shapes]


@pytest.mark.parametrize("suffix", ["yaml", "urdf"])
def test_saved_in_another_folder_meshes_are_found(robot, suffix):
    out = robot.parent.parent / "config" / f"copy.{suffix}"
    report = am.load(robot).save(out)
    again = am.load(out)
    meshes = robot.parent.parent / "meshes"
    assert _files(again, out) == [str(meshes / "a.stl"), str(meshes / "b.stl"), None]
    assert [n.text for n in report.notes if "gone.stl" in n.text and "no such file" in n.text]
    assert len(report.notes) == 1


@pytest.mark.parametrize("suffix", ["yaml", "urdf"])
def test_saved_outside_the_package_the_report_says_how(robot, suffix, tmp_path):
    """The paths still lead to the files; a reader needs root= for them, and the report says so."""
    out = tmp_path / "work" / f"copy.{suffix}"
    report = am.load(robot).save(out)
    told = [note.text for note in report.notes]
    assert len(told) == 3 and sum("root=" in text for text in told) == 2
    again = am.load(out, root=tmp_path)
    meshes = robot.parent.parent / "meshes"
    found = _files(again, out, tmp_path)
    assert found == [str(meshes / "a.stl"), str(meshes / "b.stl"), None]
    assert again.model.bodies[0].shapes[0].mesh == "../robot/meshes/a.stl"
    text = out.read_text()
    assert all(line in text.replace("- -", "--") for line in told)


def test_saved_beside_itself_nothing_changes(robot):
    out = robot.with_name("again.yaml")
    arm = am.load(robot)
    arm.save(out)
    assert [s.mesh for s in am.load(out).model.bodies[0].shapes] == [
        s.mesh for s in arm.model.bodies[0].shapes
    ]


def test_a_tree_in_another_folder_keeps_its_meshes(robot):
    path = robot.parent.parent / "config" / "closed.yaml"
    path.write_text("armillary: 1\ntree: ../urdf/robot.urdf\n")
    arm = am.load(path)
    meshes = robot.parent.parent / "meshes"
    assert _files(arm, path)[:2] == [str(meshes / "a.stl"), str(meshes / "b.stl")]
    assert os.path.isfile(path.parent / arm.model.bodies[0].shapes[0].mesh)
