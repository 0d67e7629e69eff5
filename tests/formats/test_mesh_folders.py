"""Meshes beside the model: what a root folder allows, and what the dynamics needs of them."""

import os

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.errors import FormatError, InputError
from armillary.formats.references import Bounds, why_refused

mujoco = pytest.importorskip("mujoco")

CORNERS = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
FACES = [(1, 2, 4), (1, 4, 3), (5, 7, 8), (5, 8, 6), (1, 5, 6), (1, 6, 2), (3, 4, 8), (3, 8, 7),
         (1, 3, 7), (1, 7, 5), (2, 6, 8), (2, 8, 4)]  # fmt: skip
CUBE = "".join("v {} {} {}\n".format(*c) for c in CORNERS)
CUBE += "".join("f {} {} {}\n".format(*f) for f in FACES)
INERTIAL = '<inertial pos=".1 0 0" mass="2" diaginertia=".1 .2 .25"/>'
BODY = ('<body name="arm" pos="0 0 1"><joint axis="0 1 0"/>{}'
        '<geom type="mesh" mesh="cube" pos=".3 0 0" euler="0 0 30" density="500"/>'
        "</body>")  # fmt: skip
MODEL = ('<mujoco><compiler meshdir="{}"/><asset><mesh name="cube" file="{}" scale=".1 .1 .2"/>'
         '</asset><worldbody>{}</worldbody></mujoco>')  # fmt: skip


@pytest.fixture
def package(tmp_path):
    """mjcf/robot.xml beside meshes/cube.obj, as robots are published."""
    for folder in ("mjcf", "urdf", "meshes/visual"):
        (tmp_path / "robot" / folder).mkdir(parents=True)
    (tmp_path / "robot/meshes/cube.obj").write_text(CUBE)
    (tmp_path / "robot/meshes/visual/cube.obj").write_text(CUBE)
    return tmp_path / "robot"


def written(package, body, meshdir="../meshes", file="cube.obj"):
    path = package / "mjcf" / "robot.xml"
    path.write_text(MODEL.format(meshdir, file, body))
    return path


@pytest.mark.parametrize("mark", ["package.xml", ".git", "pyproject.toml"])
@pytest.mark.parametrize("inertial", ["", INERTIAL])
def test_the_usual_layout_is_read_as_mujoco_reads_it(package, mark, inertial):
    """With the mark of a package around both; mass matrix and pose of the mesh as MuJoCo's own."""
    (package / mark).write_text("")
    path = written(package, BODY.format(inertial))
    arm, peer = am.load(path), mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(peer)
    mujoco.mj_forward(peer, data)
    M = np.zeros((1, 1))
    mujoco.mj_fullM(peer, data, M)
    assert arm.mass_matrix([0.0]) == pytest.approx(M, rel=1e-9)
    shape = arm.model.bodies[0].shapes[0]
    assert shape.mesh == "../meshes/cube.obj"
    corner = (
        np.array(shape.pose.rotation) @ (np.array([1, 1, 1]) * shape.scale) + shape.pose.position
    )
    turn = np.radians(30)
    x, y, z = 0.1, 0.1, 0.2
    expected = [0.3 + x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn), z]
    assert corner == pytest.approx(expected, abs=1e-12)


def test_root_by_hand_in_python_and_on_the_command_line(package):
    path = written(package, BODY.format(""))
    with pytest.raises(FormatError, match=r"body 'arm' has no <inertial>.*model's folder.*root="):
        am.load(path)
    assert am.load(path, root=package).nv == 1
    run = CliRunner()
    failed = run.invoke(app, ["show", str(path)])
    assert failed.exit_code == 1 and "use --root a folder" in failed.stderr
    for command in (["show", str(path)], ["inverse", str(path)], ["validate", str(path)]):
        assert run.invoke(app, [*command, "--root", str(package)]).exit_code == 0
    with pytest.raises(InputError, match="does not hold the file"):
        am.load(path, root=package / "meshes")
    with pytest.raises(InputError, match="there is no folder"):
        am.load(path, root=package / "nowhere")


def test_a_joined_path_that_stays_inside_is_allowed(package):
    """meshdir="visual/deep" and file="../cube.obj": each judged alone would seem to leave."""
    path = package / "meshes" / "robot.xml"
    path.write_text(MODEL.format("visual", "../cube.obj", BODY.format("")))
    assert am.load(path).model.bodies[0].shapes[0].mesh == "visual/../cube.obj"


@pytest.mark.parametrize(
    ("file", "note"),
    [("missing.obj", "there is no file"), ("broken.stl", None), ("robot.dae", None),
     ("../../outside.obj", "refused, never opened")],
)  # fmt: skip
def test_given_inertias_need_no_mesh(package, file, note):
    """Missing, broken, of an unknown kind or out of bounds: the same dynamics as with the mesh."""
    (package / "package.xml").write_text("")
    (package / "meshes/broken.stl").write_bytes(b"solid nothing" * 50)
    (package / "meshes/robot.dae").write_text("<COLLADA/>")
    good = am.load(written(package, BODY.format(INERTIAL)))
    arm = am.load(written(package, BODY.format(INERTIAL), file=file))
    q, v, a = [0.3], [1.0], [2.0]
    assert arm.inverse_dynamics(q, v, a) == pytest.approx(good.inverse_dynamics(q, v, a), rel=1e-15)
    # moment about the pivot, in closed form: (I_yy + m c²) a + gravity
    closed = (0.2 + 2 * 0.01) * 2.0 - 2 * 9.81 * 0.1 * np.cos(0.3)
    assert arm.inverse_dynamics(q, v, a) == pytest.approx([closed], rel=1e-12)
    said = str(arm.report)
    assert note is None or note in said
    shapes = arm.model.bodies[0].shapes
    if file.startswith(".."):
        assert shapes == ()
    else:
        assert [s.mesh for s in shapes] == [f"../meshes/{file}"] * 2
        assert shapes[0].pose.position == pytest.approx((0.3, 0, 0), abs=1e-12)
        assert shapes[0].scale == (0.1, 0.1, 0.2)


def test_a_mesh_that_weighs_is_an_error_where_it_is_missing(package):
    (package / "package.xml").write_text("")
    path = written(package, BODY.format(""), file="missing.obj")
    with pytest.raises(FormatError, match=r"body 'arm'.*'../meshes/missing.obj' is not there"):
        am.load(path)
    weightless = BODY.format("").replace('density="500"', 'mass="0"')
    body = weightless.replace("</body>", '<geom size=".1"/></body>')
    assert am.load(written(package, body, file="missing.obj")).nv == 1
    whole = BODY.format(INERTIAL)
    path = written(package, whole, file="missing.obj")
    text = path.read_text().replace("<compiler ", '<compiler inertiafromgeom="true" ')
    path.write_text(text)
    with pytest.raises(FormatError, match="is not there"):
        am.load(path)


def test_primitives_fitted_to_a_mesh(package):
    (package / "package.xml").write_text("")
    body = BODY.format(INERTIAL).replace('type="mesh"', 'type="box"')
    sides = am.load(written(package, body)).model.bodies[0].shapes[0].size
    assert sorted(sides) == pytest.approx([0.2, 0.2, 0.4], rel=1e-6)
    arm = am.load(written(package, body, file="missing.obj"))
    assert arm.model.bodies[0].shapes == () and "takes its size from it" in str(arm.report)


def test_included_files_beside_the_folder(package):
    (package / "package.xml").write_text("")
    (package / "meshes/parts.xml").write_text(
        f"<mujocoinclude><worldbody>{BODY.format(INERTIAL)}</worldbody></mujocoinclude>"
    )
    path = package / "mjcf/robot.xml"
    path.write_text(
        '<mujoco><compiler meshdir="../meshes"/><asset><mesh name="cube" file="cube.obj"/></asset>'
        '<include file="../meshes/parts.xml"/></mujoco>'
    )
    assert am.load(path).nv == 1
    (package / "package.xml").unlink()
    with pytest.raises(FormatError, match=r"<include>.*is refused.*root="):
        am.load(path)


# ---------------------------------------------------------------- URDF, packages, roots

URDF = """<robot name="r"><link name="a"><visual><geometry><mesh filename="{}"/></geometry></visual>
</link></robot>"""


@pytest.mark.parametrize(
    "name", ["../meshes/cube.obj", "package://robot/meshes/cube.obj", "package://other/a.stl",
             "package://robot/../robot/meshes/cube.obj", "..\\meshes\\cube.obj"],
)  # fmt: skip
def test_urdf_meshes_inside_the_root_are_kept(package, name):
    (package.parent / ".git").mkdir()
    path = package / "urdf/robot.urdf"
    path.write_text(URDF.format(name))
    assert am.load(path).model.bodies[0].shapes[0].mesh == name


def test_urdf_meshes_outside_are_told_with_the_cure(package):
    path = package / "urdf/robot.urdf"
    path.write_text(URDF.format("../meshes/cube.obj"))
    arm = am.load(path)
    assert arm.model.bodies[0].shapes == () and "root=" in arm.report.of("ignored")[0].text
    assert am.load(path, root=package).model.bodies[0].shapes
    (package / "package.xml").write_text("<package><name>my_robot</name></package>")
    assert am.load(path).model.bodies[0].shapes


def test_the_root_is_never_above_home(tmp_path, monkeypatch):
    home = tmp_path / "people" / "ann"
    (home / "robot" / "mjcf").mkdir(parents=True)
    (tmp_path / "people" / ".git").mkdir()
    model = home / "robot" / "mjcf" / "a.xml"
    monkeypatch.setenv("HOME", str(home))
    assert Bounds.of(model).root == str(model.parent)
    (home / ".git").mkdir()
    assert Bounds.of(model).root == str(home)
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    (home / ".git").rmdir()
    assert Bounds.of(model).root == str(tmp_path / "people")
    monkeypatch.setenv("HOME", "")
    assert Bounds.of(model).root == str(tmp_path / "people")


def test_packages_are_found(package):
    (package / "package.xml").write_text("<package><name>my_robot</name></package>")
    bounds = Bounds.of(package / "urdf/robot.urdf", package.parent)
    cube = str(package / "meshes/cube.obj")
    for name in ("robot", "my_robot"):
        assert bounds.locate(f"package://{name}/meshes/cube.obj") == cube
    assert bounds.locate("package://strange/meshes/cube.obj") is None
    (package.parent / "beside").mkdir(exist_ok=True)
    (package.parent / "beside" / "a.stl").write_text("")
    assert bounds.locate("package://beside/a.stl") == str(package.parent / "beside" / "a.stl")
    assert bounds.locate("../meshes/cube.obj") == cube
    assert bounds.locate("../../../x") is None


def test_allowed_references_never_leave_the_root(package):
    """Every short walk, as the file system resolves it."""
    bounds = Bounds.of(package / "urdf/robot.urdf", package)
    steps = ["..", ".", "a", "%2e%2e"]
    walks = [f"{x}/{y}/{z}" for x in steps for y in steps for z in steps]
    for walk in walks:
        place = os.path.normpath(os.path.join(bounds.folder, walk.replace("%2e", ".")))
        inside = place == str(package) or place.startswith(str(package) + os.sep)
        if why_refused(walk, bounds) is None:
            assert inside, walk
        elif "%" not in walk:
            depth = 1  # a walk is refused where any part of it leads out
            out = False
            for step in walk.split("/"):
                depth += {"..": -1, ".": 0}.get(step, 1)
                out |= depth < 0
            assert out, walk
