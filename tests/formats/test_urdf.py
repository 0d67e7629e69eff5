"""URDF: the same robot as in Pinocchio, the rules of the format, and the way there and back."""

import doctest
import math
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from armillary.errors import FormatError, InputError
from armillary.formats import urdf
from armillary.formats.urdf import read_urdf
from armillary.formats.urdf_write import write_urdf
from armillary.model import (
    WORLD,
    Body,
    Builder,
    Coupling,
    Frame,
    JointSpec,
    Limits,
    Mass,
    Motor,
    Passive,
    Pose,
    Rotor,
    Shape,
    Wheel,
)
from armillary.model.lowering.tree import lower
from oracles.direct import Direct
from oracles.pinocchio_model import pin_from_urdf
from robots import ROBOTS, ROOT, robot
from samples import random_model, random_state

INERTIAL = (
    '<inertial><mass value="2"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def read(*parts: str, **options):
    """A robot from lines of XML, without a file."""
    return read_urdf(
        "test.urdf", text="\n".join(['<robot name="test">', *parts, "</robot>"]), **options
    )


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, inside: str = "", type: str = "continuous") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{type}">{ends}{inside}</joint>'


def pair(inside: str = "", type: str = "continuous", **options):
    """Two links and the joint 'j' between them; the answer is the model and the outer body."""
    model = read(link("a"), link("b"), joint("j", "a", "b", inside, type), **options)
    return model, model.body("b")


def said(model, level: str) -> str:
    return "\n".join(str(note) for note in model.report.of(level))


# ---------------------------------------------------------------- against another reader


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("name", ROBOTS)
def test_robot_is_the_one_pinocchio_reads(name, base):
    model = read_urdf(robot(name), base=base)
    peer = pin_from_urdf(robot(name), base, model)
    assert model.nv == peer.nv
    for seed in range(2):
        q, v, a = random_state(model, seed)
        ours = Direct(model)
        for body, pose in zip(model.bodies, ours.poses(q), strict=True):
            if body.name != "world_link":  # ours: Pinocchio lets two frames share the name 'world'
                assert pose == pytest.approx(peer.pose(q, body.name), abs=1e-12), body.name
    tau = peer.inverse_dynamics(q, v, a)
    assert ours.inverse_dynamics(q, v, a) == pytest.approx(tau, abs=1e-9 * np.abs(tau).max())


@pytest.mark.parametrize("name", ROBOTS)
def test_masses_and_limits_are_those_of_pinocchio(name):
    model = read_urdf(robot(name), base="free")
    peer = pin_from_urdf(robot(name), "free", model).model
    carried = {b.joint.name: k for b, k in zip(moving(model), lower(model).bodies, strict=True)}
    for k in range(1, peer.njoints):
        name, inertia = peer.names[k], peer.inertias[k]
        ours = carried[name].inertia.rotate(carried[name].own)
        assert ours.mass == pytest.approx(inertia.mass, rel=1e-14)
        assert ours.com().leaves() == pytest.approx(inertia.lever, abs=1e-13)
        tensor = np.array(ours.tensor_com().matrix().rows)
        assert tensor == pytest.approx(inertia.inertia, abs=1e-13 * (1 + inertia.mass))
        if peer.joints[k].nq == 1:
            check_limits(model.bodies[model.joint_number(name)].joint, peer, peer.joints[k])


def moving(model):
    return [b for b, j in zip(model.bodies, model.joints, strict=True) if j.nv]


def check_limits(spec, peer, place):
    (limits,), (passive,) = spec.limits, spec.passive or (Passive(),)
    assert limits.lower == peer.lowerPositionLimit[place.idx_q]
    assert limits.upper == peer.upperPositionLimit[place.idx_q]
    assert limits.velocity == peer.upperVelocityLimit[place.idx_v]
    assert limits.effort == peer.upperEffortLimit[place.idx_v]
    assert passive.viscous == peer.damping[place.idx_v]
    assert passive.coulomb == peer.upperDryFrictionLimit[place.idx_v]


def test_every_robot_that_pinocchio_reads():
    files = sorted(ROOT.rglob("*.urdf"))
    assert len(files) > 50
    read_by_both = 0
    for path in files:
        try:
            peer = pin.buildModelFromUrdf(str(path))
        except ValueError:
            continue
        model = read_urdf(path)
        mass = sum(body.mass.mass for body in model.bodies)
        assert model.nv == peer.nv, path.name
        assert mass == pytest.approx(sum(i.mass for i in peer.inertias), rel=1e-12), path.name
        read_by_both += 1
    assert read_by_both >= len(files) - 1


# ---------------------------------------------------------------- the tree


def test_bodies_come_depth_first_in_file_order():
    parts = [link(n) for n in ("hip", "foot", "z_leg", "a_leg")]
    joints = [("j1", "hip", "z_leg"), ("j2", "hip", "a_leg"), ("j3", "z_leg", "foot")]
    model = read(*parts, *(joint(*j) for j in joints))
    assert [body.name for body in model.bodies] == ["hip", "z_leg", "foot", "a_leg"]


def test_root_is_welded_or_free():
    fixed, _ = pair()
    free, _ = pair(base="free")
    assert (fixed.nv, free.nv) == (1, 7)
    assert fixed.bodies[0].joint.name == free.bodies[0].joint.name == "root_joint"
    assert "welded to the world" in said(fixed, "assumed")


def test_root_joint_avoids_a_name_of_the_file():
    model = read(link("a"), link("b"), joint("root_joint", "a", "b"), base="free")
    assert model.bodies[0].joint.name == "root_joint_2"
    assert model.bodies[1].joint.name == "root_joint"


def test_links_and_joints_may_share_names():
    model = read(link("a"), link("b"), joint("b", "a", "b"), joint("a", "b", "c"), link("c"))
    assert [body.joint.name for body in model.bodies] == ["root_joint", "b", "a"]


def test_every_root_is_kept_and_told():
    model = read(link("a"), link("b"), link("c"), joint("j", "b", "c"), base="free")
    assert [body.parent for body in model.bodies] == [WORLD, WORLD, "b"]
    assert "2 root links" in said(model, "warning")
    assert model.nv == 13


def test_link_world_is_the_world():
    model = read('<link name="world"/>', link("a"), joint("j", "world", "a"))
    assert [(b.name, b.parent) for b in model.bodies] == [("a", WORLD)]
    assert "the world itself" in said(model, "assumed")


def test_link_world_that_moves_gets_another_name():
    heavy = read(link("world"), link("a"), joint("j", "world", "a"))
    moved = read(link("a"), link("world"), joint("j", "a", "world"))
    floating = read('<link name="world"/>', link("a"), joint("j", "world", "a"), base="free")
    assert heavy.bodies[0].name == moved.bodies[1].name == floating.bodies[0].name == "world_link"
    assert heavy.bodies[1].parent == "world_link"
    assert floating.nv == 7


BROKEN_TREES = {
    "unknown link": (joint("j", "a", "bb"), "no link named 'bb'"),
    "two parents": (joint("j", "a", "b") + joint("k", "c", "b"), "already hangs on joint 'j'"),
    "circle": (joint("j", "a", "b") + joint("k", "b", "c") + joint("l", "c", "a"), "circle"),
    "own parent": (joint("j", "a", "a"), "circle"),
    "joint twice": (joint("j", "a", "b") + joint("j", "a", "c"), "joint 'j' is there twice"),
    "link twice": (link("a"), "link 'a' is there twice, first on line 2"),
    "no child": ('<joint name="j" type="fixed"><parent link="a"/></joint>', "no <child>"),
    "no name": ('<joint type="fixed"/>', "attribute `name`"),
    "empty name": ('<link name=" "/>', "an empty one"),
    "no type": ('<joint name="j"/>', "attribute `type`"),
    "unknown type": (joint("j", "a", "b", type="ball"), "unknown type 'ball'"),
}


@pytest.mark.parametrize("case", BROKEN_TREES)
def test_broken_tree_is_an_error_with_its_line(case):
    text, message = BROKEN_TREES[case]
    with pytest.raises(FormatError) as caught:
        read(link("a"), link("b"), link("c"), text)
    assert message in str(caught.value)
    assert caught.value.line == 5
    assert str(caught.value).startswith("test.urdf:5: ")


def test_circle_apart_from_the_root_is_found():
    with pytest.raises(FormatError, match="circle"):
        read(link("a"), link("b"), link("c"), joint("j", "b", "c"), joint("k", "c", "b"))


def test_file_without_links_is_an_error():
    with pytest.raises(FormatError, match="no link"):
        read()


# ---------------------------------------------------------------- joints


@pytest.mark.parametrize(
    ("type", "kind", "nv"),
    [("fixed", "fixed", 0), ("revolute", "revolute", 1), ("continuous", "revolute", 1),
     ("prismatic", "prismatic", 1), ("planar", "planar", 3), ("floating", "free", 6)],
)  # fmt: skip
def test_joint_types(type, kind, nv):
    model, body = pair('<axis xyz="0 0 1"/>', type)
    assert (body.joint.kind, model.nv) == (kind, nv)
    assert body.joint.continuous == (type == "continuous")


def test_origin_is_roll_pitch_yaw_about_fixed_axes():
    _, body = pair('<origin xyz="1 2 3" rpy="0.1 -0.7 2"/>')
    peer = pin.SE3(pin.rpy.rpyToMatrix(0.1, -0.7, 2.0), np.array([1.0, 2.0, 3.0]))
    assert body.at.position == (1.0, 2.0, 3.0)
    assert np.array(body.at.rotation) == pytest.approx(peer.rotation, abs=1e-15)


def test_axis_missing_is_x_and_told():
    model, body = pair()
    assert body.joint.axes == ((1.0, 0.0, 0.0),)
    assert "no <axis>: x" in said(model, "assumed")


@pytest.mark.parametrize("scale", [1e-200, 1e-8, 1e-3, 1.001, 50.0, 1e200])
def test_axis_is_scaled_and_told(scale):
    model, body = pair(f'<axis xyz="{3 * scale} 0 {-4 * scale}"/>')
    assert body.joint.axes[0] == pytest.approx((0.6, 0.0, -0.8), abs=1e-15)
    assert "scaled to 1" in said(model, "repaired")


def test_unit_axis_keeps_its_digits():
    model, body = pair('<axis xyz="0.6 0.0 -0.8"/>')
    assert body.joint.axes == ((0.6, 0.0, -0.8),)
    assert said(model, "repaired") == ""


BROKEN_JOINTS = {
    "zero axis": ('<axis xyz="0 0 0"/>', "axis is zero"),
    "short axis": ('<axis xyz="0 1"/>', "expected 3 numbers"),
    "no axis numbers": ("<axis/>", "attribute `xyz`"),
    "nan": ('<origin xyz="nan 0 0"/>', "expected a number, found 'nan'"),
    "infinity": ('<origin xyz="inf 0 0"/>', "expected a number, found 'inf'"),
    "overflow": ('<origin xyz="1e999 0 0"/>', "expected a number, found '1e999'"),
    "comma": ('<origin xyz="0,5 0 0"/>', "with a point"),
    "underscore": ('<origin xyz="1_0 0 0"/>', "expected a number"),
    "xacro": ('<origin xyz="${x} 0 0"/>', "xacro"),
    "four numbers": ('<origin rpy="0 0 0 1"/>', "expected 3 numbers"),
    "negative damping": ('<dynamics damping="-1"/>', "damping is negative"),
    "bad limit": ('<limit lower="a" upper="1"/>', "attribute `lower`"),
    "mimics itself": ('<mimic joint="j"/>', "mimics itself"),
    "mimics nothing": ("<mimic/>", "attribute `joint`"),
}


@pytest.mark.parametrize("case", BROKEN_JOINTS)
def test_broken_joint_is_an_error_with_its_line(case):
    text, message = BROKEN_JOINTS[case]
    with pytest.raises(FormatError) as caught:
        pair(text, "revolute")
    assert message in str(caught.value)
    assert "joint 'j'" in str(caught.value)
    assert caught.value.line == 4


def test_limits_are_read_and_defaults_told():
    _, body = pair('<limit lower="-1" upper="2" velocity="3" effort="4"/>', "revolute")
    assert body.joint.limits == (Limits(-1.0, 2.0, 3.0, 4.0),)
    model, body = pair('<limit effort="4"/>', "prismatic")
    assert body.joint.limits == (Limits(0.0, 0.0, None, 4.0),)
    assert "no lower and no upper: 0" in said(model, "warning")
    model, body = pair("", "revolute")
    assert body.joint.limits == ()
    assert "taken as unbounded" in said(model, "assumed")
    _, body = pair('<limit lower="-1e16" upper="1e16" velocity="3"/>', "revolute")
    assert body.joint.limits == (Limits(None, None, 3.0, None),)
    _, body = pair('<limit lower="-1" upper="2" velocity="3" effort="4"/>', "continuous")
    assert body.joint.limits == (Limits(None, None, 3.0, 4.0),)


def test_crossed_limits_are_a_warning_or_an_error():
    crossed = '<limit lower="2" upper="1"/>'
    model, _ = pair(crossed, "revolute")
    assert "above the upper limit" in said(model, "warning")
    with pytest.raises(FormatError, match="above the upper limit") as caught:
        pair(crossed, "revolute", strict=True)
    assert caught.value.line == 4


def test_damping_and_friction_act_and_that_is_told():
    model, body = pair('<dynamics damping="0.5" friction="0.25"/>')
    assert body.joint.passive == (Passive(viscous=0.5, coulomb=0.25),)
    assert "inverse and forward dynamics" in said(model, "read")
    _, body = pair('<dynamics damping="0" friction="0"/>')
    assert body.joint.passive == ()


def test_mimic_is_a_coupling_and_told():
    follow = '<mimic joint="j" multiplier="-2" offset="0.5"/>'
    tail = [link("c"), joint("k", "b", "c", follow)]
    model = read(link("a"), link("b"), joint("j", "a", "b"), *tail)
    assert model.couplings == (Coupling("k_mimic", "k", "j", -2.0, 0.5),)
    assert "read as a coupling" in said(model, "read")


@pytest.mark.parametrize("type", ["fixed", "floating"])
def test_mimic_of_a_lost_joint_is_left_out_and_told(type):
    tail = [link("c"), joint("k", "b", "c", '<mimic joint="j"/>')]
    model = read(link("a"), link("b"), joint("j", "a", "b", type=type), *tail)
    assert model.couplings == ()
    assert "left out" in said(model, "warning")
    lost, _ = pair('<mimic joint="gone"/>')
    assert "no such joint" in said(lost, "warning")


# ---------------------------------------------------------------- masses


def test_tensor_turns_with_its_own_origin():
    R = pin.rpy.rpyToMatrix(0.3, -0.4, 1.1)
    own = np.array([[2.0, 0.1, 0.2], [0.1, 3.0, -0.3], [0.2, -0.3, 4.0]])
    tensor = 'ixx="2" iyy="3" izz="4" ixy="0.1" ixz="0.2" iyz="-0.3"'
    inertial = (
        '<inertial><origin xyz="1 2 3" rpy="0.3 -0.4 1.1"/><mass value="5"/>'
        f"<inertia {tensor}/></inertial>"
    )
    (body,) = read(link("a", inertial)).bodies
    xx, yy, zz, xy, xz, yz = body.mass.tensor
    assert (body.mass.mass, body.mass.com) == (5.0, (1.0, 2.0, 3.0))
    expected = R @ own @ R.T
    assert np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) == pytest.approx(expected)


def test_missing_mass_data_is_told():
    point = '<inertial><mass value="1"/></inertial>'
    short = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    model = read(link("a", ""), link("b", point), link("c", short),
                 joint("j", "a", "b"), joint("k", "b", "c"))  # fmt: skip
    assert "link 'a': no <inertial>: taken as massless" in said(model, "assumed")
    assert "link 'b': no <inertia>: taken as a point mass" in said(model, "assumed")
    assert "link 'c': no ixy: taken as 0" in said(model, "assumed")


def test_moving_link_without_mass_is_a_warning_or_an_error():
    parts = [link("a"), link("b", ""), joint("j", "a", "b")]
    assert "neither it nor anything beyond it has mass" in said(read(*parts), "warning")
    with pytest.raises(FormatError, match="has no inertia"):
        read(*parts, strict=True)


def test_impossible_tensor_is_a_warning_or_an_error():
    bad = INERTIAL.replace('izz="1"', 'izz="3"')
    assert "triangle inequality" in said(read(link("a", bad)), "warning")
    with pytest.raises(FormatError, match="triangle inequality") as caught:
        read(link("a", bad), strict=True)
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [('value="2"', 'value="-2"', "mass is negative"), ('<mass value="2"/>', "", "has no mass"),
     ('ixx="1"', "", "attribute `ixx`"), ('value="2"', 'value="heavy"', "found 'heavy'")],
)  # fmt: skip
def test_broken_mass_is_an_error(old, new, message):
    with pytest.raises(FormatError, match=message) as caught:
        read(link("a", INERTIAL.replace(old, new)))
    assert "link 'a'" in str(caught.value)
    assert caught.value.line == 2


# ---------------------------------------------------------------- shapes


def visual(geometry: str, rest: str = "", role: str = "visual") -> str:
    return f"<{role}>{rest}<geometry>{geometry}</geometry></{role}>"


def test_shapes_and_colors():
    material = '<material name="red"><color rgba="1 0 0 1"/></material>'
    shapes = (
        visual('<box size="1 2 3"/>', '<origin xyz="0 0 1"/><material name="red"/>')
        + visual('<cylinder radius="1" length="2"/>', role="collision")
        + visual('<sphere radius="2"/>')
        + visual('<mesh filename="package://p/a.stl" scale="1 2 3"/>')
    )
    (body,) = read(material, link("a", shapes)).bodies
    box, ball, mesh, cylinder = body.shapes
    assert box == Shape("box", (1.0, 2.0, 3.0), Pose((0.0, 0.0, 1.0)), color=(1.0, 0.0, 0.0, 1.0))
    assert ball == Shape("sphere", (2.0,))
    assert mesh == Shape("mesh", mesh="package://p/a.stl", scale=(1.0, 2.0, 3.0))
    assert cylinder == Shape("cylinder", (1.0, 2.0), role="collision")


@pytest.mark.parametrize("name", ["meshes/a.stl", "./a.stl", "m/../m/a.stl", "package://p/m/a.stl"])
def test_mesh_reference_is_kept_as_written(name):
    (body,) = read(link("a", visual(f'<mesh filename="{name}"/>'))).bodies
    assert body.shapes[0].mesh == name


REFUSED = [
    "../a.stl", "m/../../a.stl", "/etc/passwd", "file:///etc/passwd", "http://x.org/a.stl",
    "C:\\a.stl", "..\\a.stl", "package://../a.stl", "package://p/../../a.stl", "~/a.stl",
    "%2e%2e/a.stl", "package://p/%2e%2e/%2e%2e/a.stl", "//host/a.stl", "javascript:alert(1)",
]  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_mesh_outside_the_folder_is_refused_and_told(name):
    model = read(link("a", visual(f'<mesh filename="{name}"/>')))
    assert model.bodies[0].shapes == ()
    assert "refused, never opened" in said(model, "ignored")


def test_unknown_parts_are_listed_once_with_their_line():
    gazebo = '<gazebo reference="a"><deep><deeper/></deep></gazebo>'
    model = read(link("a"), *[gazebo] * 5, '<transmission name="t"/>')
    ignored = said(model, "ignored")
    assert "<gazebo> in <robot>: not used (5 times, first here) (line 3)" in ignored
    assert "<transmission> in <robot>: not used (line 8)" in ignored
    assert len(model.report.of("ignored")) == 2
    model, _ = pair('<axis xyz="0 0 1" frame="x"/><safety_controller k_velocity="1"/>')
    assert "attribute frame of <axis>" in said(model, "ignored")
    assert "<safety_controller> in <joint>" in said(model, "ignored")
    model, _ = pair('<axis xyz="0 0 1"/><axis xyz="0 1 0"/>')
    assert "joint 'j': only the first <axis> is used" in said(model, "warning")


# ---------------------------------------------------------------- the file as a whole


@pytest.mark.parametrize(
    ("text", "message"),
    [("<mujoco/>", "read_mjcf"), ("<sdf/>", "SDF"), ("<a/>", "expected the root element <robot>"),
     ('<robot xmlns:xacro="x"><xacro:include/></robot>', "xacro in.xacro")],
)  # fmt: skip
def test_other_files_are_recognised(text, message):
    with pytest.raises(FormatError, match=message):
        read_urdf("x.urdf", text=text)


def test_text_is_taken_as_it_is():
    """A declared encoding belongs to the bytes of a file, not to a text in memory."""
    text = '<?xml version="1.0" encoding="utf-16"?><robot name="é"><link name="a"/></robot>'
    assert read_urdf("x", text=text).name == "é"
    assert read_urdf("x", text="\ufeff" + text).name == "é"


def test_wrong_arguments():
    with pytest.raises(InputError, match="base: expected 'fixed' or 'free'"):
        pair(base="floating")
    with pytest.raises(FormatError, match="text="):
        read_urdf("<robot/>")
    with pytest.raises(InputError, match="expected the path"):
        read_urdf(3)


def test_examples_of_the_docstrings():
    assert doctest.testmod(urdf).failed == 0


# ---------------------------------------------------------------- there and back


def differences(pose: Pose, other: Pose) -> float:
    return float(np.abs(np.array(pose.rotation) - np.array(other.rotation)).max())


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("name", ROBOTS)
def test_written_robot_reads_as_itself(name, base):
    model = read_urdf(robot(name), base=base)
    again = read_urdf("again", text=write_urdf(model))
    assert again.name == model.name
    assert set(again.couplings) == set(model.couplings)
    for one, two in zip(model.bodies, again.bodies, strict=True):
        assert (one.name, one.parent, one.joint, one.mass) == (
            two.name,
            two.parent,
            two.joint,
            two.mass,
        )
        assert one.at.position == two.at.position
        assert differences(one.at, two.at) < 1e-15
        assert [s.mesh or s.size for s in one.shapes] == [s.mesh or s.size for s in two.shapes]


@pytest.mark.parametrize("seed", range(6))
def test_written_model_moves_as_itself(seed, tmp_path):
    """Trees with several roots, slides and frames; read by us and by Pinocchio."""
    model = on_earth(seed, ("revolute", "prismatic", "fixed"), 9, roots=0.3)
    path = tmp_path / "model.urdf"
    path.write_text(write_urdf(model))
    again = read_urdf(path)
    q, v, a = random_state(model, seed)
    tau = Direct(model).inverse_dynamics(q, v, a)
    assert Direct(again).inverse_dynamics(q, v, a) == pytest.approx(tau, abs=1e-12)
    assert Direct(again).pose(q, "tip") == pytest.approx(Direct(model).pose(q, "tip"), abs=1e-13)
    peer = pin_from_urdf(path, "fixed", again)
    assert peer.inverse_dynamics(q, v, a) == pytest.approx(tau, abs=1e-11)


def on_earth(*arguments, **options):
    """A random model under the gravity that the format assumes."""
    return replace(random_model(*arguments, **options), gravity=(0.0, 0.0, -9.81))


def test_free_base_is_written_as_a_floating_joint():
    model = on_earth(3, ("revolute", "planar", "free"), 5, base="free", roots=0)
    text = write_urdf(model)
    assert '<link name="world"/>' in text
    q, v, a = random_state(model, 1)
    tau = Direct(model).inverse_dynamics(q, v, a)
    for base in (None, "fixed", "free"):  # the file says already that the root floats
        again = read_urdf("again", text=text, base=base)
        assert Direct(again).inverse_dynamics(q, v, a) == pytest.approx(tau, abs=1e-12)


def sample(**changes) -> Builder:
    builder = Builder("sample")
    options = {"mass": 1.0, "inertia": (1, 1, 1), "joint_name": "j", "axis": "z"} | changes
    builder.body("a", joint=options.pop("joint", "revolute"), **options)
    return builder


@pytest.mark.parametrize(
    "limits",
    [
        Limits(),
        Limits(lower=-1.0),
        Limits(upper=1.0),
        Limits(-1.0, 1.0, 2.0, 3.0),
        Limits(effort=2.0),
    ],
)
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_limits_survive(kind, limits):
    model = sample(joint=kind, limits=limits).build()
    again = read_urdf("again", text=write_urdf(model)).bodies[0].joint
    assert (again.limits or (Limits(),)) == (limits,)
    assert not again.continuous


def test_names_survive_xml():
    name = "a<b>&\"c' éü"
    builder = Builder(name)
    builder.body(name, joint="revolute", joint_name=name + "j", mass=1.0)
    model = read_urdf("again", text=write_urdf(builder.build()))
    assert (model.name, model.bodies[0].name) == (name, name)
    assert model.bodies[0].joint.name == name + "j"


def with_loop(builder: Builder) -> Builder:
    builder.loop("closure", Frame("f", "a"), Frame("g", WORLD), "revolute")
    return builder


def with_wheel(builder: Builder) -> Builder:
    builder.wheel(Wheel("w", "a", 0.3))
    return builder


def tied(kind: str) -> Builder:
    """A small tree with one constraint that no URDF file can hold."""
    builder = sample()
    builder.body("b", "a", "free", mass=1.0)
    if kind == "coupling":
        builder.coupling(Coupling("c", "j", "b.vx"))
    elif kind == "distance":
        builder.distance("d", WORLD, "a", 0.5)
    elif kind == "surface":
        builder.surface("s", WORLD, "a")
    elif kind == "contact":
        builder.contact("c", WORLD, "a", ["dz"])
    else:
        builder.prescribe("d", "j", position=0.5)
    return builder


INEXPRESSIBLE = {
    "coupling 'c': URDF cannot express a coupling of joints with several": tied("coupling"),
    "distance 'd': URDF cannot express a rod": tied("distance"),
    "surface 's': URDF cannot express a point": tied("surface"),
    "contact 'c': URDF cannot express a contact": tied("contact"),
    "prescribed motion 'd': URDF cannot express a prescribed motion": tied("drive"),
    "joint 'j': URDF has no helical": sample(joint="helical", pitch=0.1),
    "joint 'j': URDF has no spherical": sample(joint="spherical", axis=None),
    "joint 'j': URDF has no gimbal": sample(joint="gimbal", free=("rx",), axis=None),
    "joint 'j': URDF cannot express rotor inertia": sample(rotor=Rotor(1.0)),
    "joint 'j': URDF cannot express a spring": sample(passive=Passive(spring=1.0)),
    "joint 'j': URDF cannot express `smoothing`": sample(passive=Passive(smoothing=1.0)),
    "joint 'j': URDF cannot express friction of a planar": sample(
        joint="planar", passive=Passive(viscous=1.0)
    ),
    "body 'a': URDF cannot express the electrical": sample(motor=Motor(1.0, 1.0)),
    "loop 'closure': URDF cannot express": with_loop(sample()),
    "wheel 'w': URDF cannot express": with_wheel(sample()),
    "gravity: URDF cannot express": Builder("moon", gravity=(0, 0, -1.62)),
}


@pytest.mark.parametrize("message", INEXPRESSIBLE)
def test_what_urdf_cannot_say_is_an_error_that_names_it(message):
    builder = INEXPRESSIBLE[message]
    if not builder._bodies:
        builder.body("a", mass=1.0)
    model = builder.build()
    with pytest.raises(FormatError) as caught:
        write_urdf(model)
    assert message in str(caught.value)
    if "URDF has no" not in message:
        text = write_urdf(model, lossy=True)
        assert "<!-- left out: " in text
        assert read_urdf("again", text=text).nv == model.nv


def test_control_characters_cannot_be_written():
    builder = Builder("x")
    builder.body("a", mass=1.0, shapes=[Shape("mesh", mesh="a\0.stl")])
    with pytest.raises(FormatError, match="XML cannot hold"):
        write_urdf(builder.build())


def test_rotation_survives_near_the_pole():
    """Pitch close to 90 degrees, where roll and yaw alone are ill determined."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        pitch = math.pi / 2 - 10 ** rng.uniform(-16, 0)
        turn = Pose.from_rpy((0, 0, 0), (rng.uniform(-3, 3), pitch, rng.uniform(-3, 3)))
        at = Pose.from_quaternion((0, 0, 0), turn.quaternion())
        builder = Builder("pole")
        builder.add(Body("a", WORLD, JointSpec("j", "revolute", ((1.0, 0.0, 0.0),)), at, Mass(1.0)))
        again = read_urdf("again", text=write_urdf(builder.build()))
        assert differences(at, again.bodies[0].at) < 2e-15
