"""MJCF: the same mechanism as in MuJoCo, and the way there and back."""

import builtins
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from mujoco_peer import MujocoPeer

from armillary.errors import FormatError
from armillary.formats.mjcf import read_mjcf
from armillary.formats.mjcf_write import write_mjcf
from armillary.formats.urdf import read_urdf
from armillary.model import (
    WORLD,
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
from oracles.direct import Direct, pose_matrix
from robots import robot
from samples import random_model, random_state

MASS = '<inertial pos=".1 -.2 .3" mass="2" fullinertia=".3 .4 .5 .01 -.02 .03"/>'
BALL = '<geom size=".1" pos=".1 .2 .3"/>'


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """MuJoCo writes a log of warnings into the working directory."""
    monkeypatch.chdir(tmp_path)


def saved(text: str, name: str = "model.xml") -> str:
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def mjcf(bodies: str, rest: str = "") -> str:
    compiler = '<compiler angle="radian"/>'
    return f"<mujoco>{compiler}<worldbody>{bodies}</worldbody>{rest}</mujoco>"


def read(bodies: str, rest: str = "", **options):
    return read_mjcf(saved(mjcf(bodies, rest)), **options)


def body(name: str, inside: str, place: str = "", mass: str = MASS) -> str:
    return f'<body name="{name}" {place}>{inside}{mass}</body>'


def said(model, level: str) -> str:
    return "\n".join(str(note) for note in model.report.of(level))


def mujoco_frame(model, name: str) -> str:
    """Our name for MuJoCo's frame of a body."""
    return f"{name}_mjcf" if f"{name}_mjcf" in model.frame_index else name


# ---------------------------------------------------------------- against MuJoCo itself

TILT = 'pos=".1 .2 .3" euler=".4 -.5 .6"'
TREES = {
    "hinge": body("a", '<joint axis="1 2 3"/>', TILT),
    "hinge off the origin": body("a", '<joint axis="1 2 3" pos=".3 -.1 .2"/>', TILT),
    "hinge with ref": body("a", '<joint axis="1 2 3" pos=".3 -.1 .2" ref=".7"/>', TILT),
    "slide": body("a", '<joint type="slide" axis="1 -1 0" pos="1 2 3" ref=".4"/>', TILT),
    "ball": body("a", '<joint type="ball"/>', TILT),
    "ball off the origin": body("a", '<joint type="ball" pos=".3 .2 .1"/>', TILT),
    "free": body("a", "<freejoint/>", TILT),
    "welded": body("a", '<joint axis="0 1 0"/>' + body("b", "", TILT) + body("c", ""), TILT),
    "chain over moved frames": body(
        "a",
        '<joint pos=".1 .2 .3"/>'
        + body("b", '<joint type="ball" pos=".4 0 0"/>' + body("c", "<joint/>", TILT), TILT),
    ),
    "two hinges": body("a", '<joint axis="1 0 0"/><joint axis="0 1 0"/>', TILT),
    "six axes": body(
        "a",
        '<joint type="slide" axis="1 0 0" ref=".3"/><joint axis="0 1 0" pos=".1 0 .2" ref="-.4"/>'
        '<joint type="slide" axis="0 1 1"/><joint axis="1 0 1" pos="0 .3 0" ref="1"/>'
        '<joint axis="0 0 1" pos=".2 .2 .2"/><joint type="slide" axis="0 0 1" ref=".1"/>',
        TILT,
    ),
    "slides, then a ball": body(
        "a",
        '<joint type="slide" axis="1 0 0" ref=".2"/><joint type="slide" axis="0 1 0"/>'
        '<joint type="ball" pos=".1 .2 .3"/>' + body("b", '<joint pos=".2 0 0"/>', TILT),
        TILT,
    ),
    "a ball, then a slide": body(
        "a", '<joint type="ball" pos=".1 .2 .3"/><joint type="slide" axis="1 1 0" ref=".5"/>', TILT
    ),
    "free tree": body(
        "a",
        "<freejoint/>" + body("b", '<joint pos=".1 0 0"/>', TILT) + body("c", "", TILT),
        TILT,
    )
    + body("d", '<joint axis="1 0 0"/>'),
    "inertia from geoms": body(
        "a", '<joint axis="1 1 1" pos=".1 .1 .1"/><geom type="box" size=".1 .2 .3" euler="1 2 3"/>',
        TILT, BALL),
    "armature": body("a", '<joint axis="0 0 1" armature=".4"/><joint axis="1 0 0" armature=".1"/>')
    + body("b", '<joint type="ball" armature=".3"/>'),
}  # fmt: skip


@pytest.mark.parametrize("name", TREES)
def test_tree_is_the_one_mujoco_reads(name):
    """q is MuJoCo's qpos: poses, mass matrix and bias forces agree number by number."""
    model = read(TREES[name])
    peer = MujocoPeer("model.xml", model)
    ours = Direct(model)
    assert (model.nq, model.nv) == (peer.m.nq, peer.m.nv)
    for seed in range(3):
        q, v, _ = random_state(model, seed)
        M = peer.mass_matrix(q)
        peer.set(q, v)
        for i in range(1, peer.m.nbody):
            part = peer.m.body(i).name
            pose = ours.pose(q, mujoco_frame(model, part))
            assert pose == pytest.approx(peer.pose(part), abs=1e-12), part
            mass = model.body(part).mass
            com = ours.pose(q, part) @ [*mass.com, 1.0]
            assert com[:3] == pytest.approx(peer.d.body(part).xipos, abs=1e-12), part
        assert ours.mass_matrix(q) + np.diag(armature(model)) == pytest.approx(M, abs=1e-11)
        assert ours.bias_forces(q, v) == pytest.approx(peer.bias_forces(q, v), abs=1e-10)


def armature(model) -> np.ndarray:
    return np.array(
        [x for b, j in zip(model.bodies, model.joints, strict=True)
         for x in ([r.reflected for r in b.joint.rotors] or [0.0] * j.nv)]
    )  # fmt: skip


def test_damping_and_springs_are_those_of_mujoco():
    model = read(
        body("a", '<joint axis="0 1 0" damping=".7" stiffness="3" springref=".4" ref=".1"/>'
             '<joint axis="1 0 0" damping=".2" stiffness="5"/>')
        + body("b", '<joint type="ball" damping=".3"/>')
        + body("c", '<joint type="free" damping=".6"/>')
    )  # fmt: skip
    peer = MujocoPeer("model.xml", model)
    for seed in range(3):
        q, v, _ = random_state(model, seed)
        ours = np.zeros(model.nv)
        for part, slot in zip(model.bodies, model.slots, strict=True):
            for k, passive in enumerate(part.joint.passive):
                x = q[slot.q][k] if slot.q.stop - slot.q.start == slot.v.stop - slot.v.start else 0
                ours[slot.v.start + k] = passive.force(x, v[slot.v][k])
        assert -ours == pytest.approx(peer.passive_forces(q, v), abs=1e-12)


def test_world_axes_of_a_free_joint_are_told():
    """Friction and armature of its linear motion count along the world's axes in MuJoCo."""
    model = read(body("c", '<joint type="free" armature=".2" frictionloss=".1"/>'))
    assert "friction of the linear motion" in said(model, "warning")
    assert "armature of the linear motion" in said(model, "warning")


def test_friction_limits_and_effort():
    joint = (
        '<joint name="j" axis="0 1 0" ref=".5" range="-1 2" limited="true" frictionloss=".3" '
        'actuatorfrcrange="-4 4" actuatorfrclimited="true"/>'
    )
    (part,) = read(body("a", joint)).bodies
    assert part.joint.passive == (Passive(coulomb=0.3),)
    assert part.joint.limits == (Limits(-1.0, 2.0, None, 4.0),)
    assert (part.joint.name, part.joint.kind, part.joint.axes) == (
        "j",
        "revolute",
        ((0.0, 1.0, 0.0),),
    )


def test_gravity_and_switches():
    hinge = body("a", '<joint damping="1" stiffness="2"/>')
    assert read(hinge, '<option gravity="1 2 -3"/>').gravity == (1.0, 2.0, -3.0)
    flags = '<option><flag gravity="disable" spring="disable" damper="disable"/></option>'
    model = read(hinge, flags)
    assert model.gravity == (0.0, 0.0, 0.0)
    assert model.bodies[0].joint.passive == ()


# ---------------------------------------------------------------- equality constraints

SITES = {name: f'<site name="{name}" {TILT}/>' for name in "st"}
LOOP = (
    body("a", '<joint name="j" axis="0 1 0" pos=".1 0 0"/>' + SITES["s"], TILT)
    + body("b", '<joint name="k" axis="1 0 0" ref=".3"/>' + SITES["t"], 'pos="1 2 3"')
    + body("c", '<joint type="ball"/>', TILT)
)


def gap(model, q) -> np.ndarray:
    """Pose of the second frame of the only loop in the first."""
    (loop,) = model.loops
    ours = Direct(model)
    ends = [
        (ours.pose(q, f.body) if f.body != WORLD else np.eye(4)) @ pose_matrix(f.pose)
        for f in (loop.first, loop.second)
    ]
    return np.linalg.inv(ends[0]) @ ends[1]


LOOPS = {
    "connect bodies": ('<connect body1="a" body2="b" anchor=".4 .5 .6"/>', "spherical"),
    "connect to the world": ('<connect body1="a" anchor=".4 .5 .6"/>', "spherical"),
    "weld bodies": ('<weld body1="a" body2="b" anchor=".4 .5 .6"/>', "fixed"),
    "weld with relpose": ('<weld body1="a" body2="b" relpose=".1 .2 .3 1 .4 .5 .6"/>', "fixed"),
    "connect sites": ('<connect site1="s" site2="t"/>', "spherical"),
    "weld sites": ('<weld site1="s" site2="t"/>', "fixed"),
    "weld to the world": ('<weld body1="a" relpose=".1 .2 .3 1 .4 .5 .6"/>', "fixed"),
    "weld with anchor and relpose": (
        '<weld body1="b" body2="a" anchor=".4 .5 .6" relpose=".1 .2 .3 1 .4 .5 .6"/>', "fixed"),
    "scaled weld": ('<weld body1="a" body2="c" anchor=".4 .5 .6" torquescale=".3"/>', "fixed"),
    "weld without torque": (
        '<weld body1="a" body2="c" anchor=".4 .5 .6" torquescale="0"/>', "spherical"),
    "weld of sites without torque": ('<weld site1="s" site2="t" torquescale="0"/>', "spherical"),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_equality_is_a_loop_with_the_same_error(name):
    """MuJoCo's constraint error is the gap between our two frames, in world axes."""
    text, kind = LOOPS[name]
    model = read(LOOP, f"<equality>{text}</equality>")
    peer = MujocoPeer("model.xml", model)
    assert model.loops[0].joint.kind == kind
    first = model.loops[0].first
    scale = float(peer.m.eq_data[0][10])  # torquescale
    for seed in range(3):
        q, v, _ = random_state(model, seed)
        peer.set(q, v)
        H = gap(model, q)
        R = (Direct(model).pose(q, first.body) @ pose_matrix(first.pose))[:3, :3]
        error = peer.d.efc_pos[:6]
        assert error[:3] == pytest.approx(-R @ H[:3, 3], abs=1e-12)
        if kind == "fixed":
            # MuJoCo gives the imaginary part of the error quaternion: sin of half the angle
            cosine = (np.trace(H[:3, :3]) - 1) / 2
            half = np.sqrt((1 - cosine) / 2)
            assert np.linalg.norm(error[3:]) == pytest.approx(scale * half, abs=1e-7)
        else:
            assert not any(error[3:])  # a ball leaves the turn free


def test_drawn_pose_closes_a_loop_between_bodies():
    model = read(LOOP, '<equality><weld body1="a" body2="b" anchor=".4 .5 .6"/></equality>')
    q = [0.0, 0.3, 1.0, 0.0, 0.0, 0.0]  # MuJoCo's qpos0
    assert gap(model, q) == pytest.approx(np.eye(4), abs=1e-12)


def test_joint_equality_is_a_coupling():
    text = '<equality><joint name="e" joint1="j" joint2="k" polycoef=".5 2 0 0 0"/></equality>'
    model = read(LOOP, text)
    (coupling,) = model.couplings
    assert (coupling.joint, coupling.source, coupling.ratio) == ("j", "k", 2.0)
    assert coupling.offset == pytest.approx(0.5 - 2.0 * 0.3)
    peer = MujocoPeer("model.xml", model)
    q, v, _ = random_state(model, 0)
    peer.set(q, v)
    error = q[0] - (coupling.ratio * q[1] + coupling.offset)
    assert peer.d.efc_pos[0] == pytest.approx(error, abs=1e-12)


def test_equality_of_one_joint_is_a_prescribed_motion_that_holds():
    text = '<equality><joint name="e" joint1="k" polycoef=".5 2 9 0 0"/></equality>'
    model = read(LOOP, text)
    (motion,) = model.prescribed
    assert (motion.name, motion.joint, motion.acceleration, motion.velocity) == ("e", "k", 0.0, 0.0)
    peer = MujocoPeer("model.xml", model)
    q, v, _ = random_state(model, 0)
    peer.set(q, v)
    assert peer.d.efc_pos[0] == pytest.approx(q[1] - motion.position, abs=1e-12)
    assert "read as a prescribed motion" in said(model, "read")


def test_coupled_joints_of_one_body_stay_apart():
    two = body("a", '<joint name="j" axis="1 0 0"/><joint name="k" axis="0 1 0" pos=".1 0 .2"/>')
    model = read(two, '<equality><joint joint1="j" joint2="k"/></equality>')
    assert [b.joint.name for b in model.bodies] == ["j", "k"]
    assert model.couplings[0].joint == "j"
    q = [0.3, -0.8]
    peer = MujocoPeer("model.xml", model)
    assert Direct(model).mass_matrix(q) == pytest.approx(peer.mass_matrix(q), abs=1e-12)


@pytest.mark.parametrize(
    ("text", "remark"),
    [('<joint joint1="j" joint2="k" polycoef="0 1 2 0 0"/>', "only lines are read"),
     ('<connect body1="a" body2="b" anchor="0 0 0" active="false"/>', "not active"),
     ('<joint joint1="j" active="false"/>', "not active"),
     ('<connect site1="s" site2="u"/>', "both its ends are on one body"),
     ('<tendon tendon1="x" tendon2="y"/>', "it constrains tendons; only connect, weld and joint")],
)  # fmt: skip
def test_other_equalities_are_told(text, remark):
    bodies = LOOP.replace(SITES["s"], SITES["s"] + '<site name="u"/>')
    tendons = "".join(
        f'<fixed name="{name}"><joint joint="{joint}" coef="1"/></fixed>'
        for name, joint in (("x", "j"), ("y", "k"))
    )
    model = read(bodies, f"<tendon>{tendons}</tendon><equality>{text}</equality>")
    assert model.constraints == ()
    assert remark in said(model, "ignored")


def test_notes_on_equalities_have_lines():
    text = '<equality>\n<connect name="e" body1="a" body2="b" anchor="0 0 0" active="false"/>'
    (note,) = read(LOOP, text + "\n</equality>").report.of("ignored")
    assert (note.part, note.line) == ("equality 'e'", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [('<joint name="e" joint1="j" joint2="k" polycoef="inf 1 0 0 0"/>', "'e': expected finite"),
     ('<joint name="e" joint1="j" polycoef="inf 1 0 0 0"/>', "'e': expected finite"),
     ('<weld name="e" body1="a" relpose="inf 0 0 1 0 0 0"/>', "finite"),
     ('<connect name="e" body1="a" anchor="inf 0 0"/>', "finite"),
     ('<distance name="e" geom1="a" geom2="b"/>', "MuJoCo refuses the model")],
)  # fmt: skip
def test_impossible_equalities_are_errors(text, message):
    with pytest.raises(FormatError, match=message) as caught:
        read(LOOP, f"<equality>{text}</equality>")
    assert caught.value.path == "model.xml"


# ---------------------------------------------------------------- names, frames, shapes, notes


def test_names_are_found_for_what_has_none():
    model = read("<body><joint/>" + BALL + "<body>" + BALL + "</body></body>"
                 + body("body2", "<joint/><joint/>"))  # fmt: skip
    names = [b.name for b in model.bodies]
    assert len(set(names)) == 3
    assert len({b.joint.name for b in model.bodies}) == 3
    assert model.bodies[0].joint.name == names[0]


def test_joint_named_like_a_welded_body():
    model = read(body("a", '<joint name="b"/>' + body("b", "")))
    assert [b.joint.name for b in model.bodies] == ["b", "b_2"]


def test_sites_are_frames():
    model = read(body("a", f'<joint pos=".1 .2 .3"/><site name="tip" {TILT}/><site name="a"/>'))
    peer = MujocoPeer("model.xml", model)
    peer.set([0.3], [0.0])
    assert Direct(model).pose([0.3], "tip") == pytest.approx(peer.site("tip"), abs=1e-13)
    assert Direct(model).pose([0.3], "a_2") == pytest.approx(peer.site("a"), abs=1e-13)
    assert "MuJoCo's own is the frame with `_mjcf`" in said(model, "assumed")


def test_shapes():
    geoms = (
        '<geom type="box" size="1 2 3" contype="0" conaffinity="0" rgba="1 0 0 1" pos="1 0 0"/>'
        '<geom type="capsule" size=".1 .2" group="3"/><geom size=".5"/>'
        '<geom type="ellipsoid" size=".1 .2 .3"/>'
    )
    model = read(body("a", '<joint type="ball" pos="1 0 0"/>' + geoms))
    box, capsule, ball, touch, egg, _ = model.bodies[0].shapes
    assert egg == Shape("ellipsoid", (0.1, 0.2, 0.3), Pose((-1.0, 0.0, 0.0)), color=ball.color)
    assert box == Shape("box", (2.0, 4.0, 6.0), color=(1.0, 0.0, 0.0, 1.0))
    assert capsule == Shape("capsule", (0.1, 0.4), Pose((-1.0, 0.0, 0.0)), role="collision")
    assert (ball.role, touch.role, ball.size) == ("visual", "collision", (0.5,))


def test_mesh_is_where_the_file_puts_it():
    """MuJoCo moves vertices to the centre of the mesh; our pose is for the file as it is."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]])
    faces = ["1 3 2", "1 2 4", "1 4 3", "2 3 4"]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {face}" for face in faces]
    saved("\n".join(lines), "wedge.obj")
    asset = '<asset><mesh name="m" file="wedge.obj" scale="1 1 2"/></asset>'
    model = read(body("a", f'<joint pos="1 1 0"/><geom type="mesh" mesh="m" {TILT}/>'), asset)
    shape = model.bodies[0].shapes[0]
    assert (shape.mesh, shape.scale) == ("wedge.obj", (1.0, 1.0, 2.0))
    peer = MujocoPeer("model.xml", model)
    peer.set([0.7], [0.0])
    geom, mesh = peer.d.geom(0), peer.m.mesh(0)
    vertices = peer.m.mesh_vert[: int(mesh.vertnum[0])]
    theirs = vertices @ geom.xmat.reshape(3, 3).T + geom.xpos
    H = Direct(model).pose([0.7], "a") @ pose_matrix(shape.pose)
    ours = (corners * shape.scale) @ H[:3, :3].T + H[:3, 3]
    assert all(np.abs(theirs - corner).max(axis=1).min() < 1e-6 for corner in ours)


def test_what_is_not_read_is_told():
    text = body("a", '<joint name="j"/>' + BALL, 'gravcomp="1"')
    rest = (
        '<actuator><motor joint="j"/></actuator><sensor><jointpos joint="j"/></sensor>'
        '<keyframe><key qpos="1"/></keyframe><option density="1"/>'
    )
    model = read(text, rest)
    for what in ("actuators", "sensors", "keyframes", "contacts"):
        assert what in said(model, "ignored")
    assert "fluid" in said(model, "warning")
    assert "gravity compensation" in said(model, "warning")


def test_welded_bodies_are_kept_although_the_file_fuses_them():
    text = mjcf(body("a", "<joint/>" + body("b", "", TILT))).replace(
        'angle="radian"', 'angle="radian" fusestatic="true"'
    )
    assert [b.name for b in read_mjcf(saved(text)).bodies] == ["a", "b"]


def test_includes_are_followed_inside_the_folder():
    saved(f"<mujocoinclude>{body('a', '<joint/>')}</mujocoinclude>", "part.xml")
    assert read('<include file="part.xml"/>').nv == 1


# ---------------------------------------------------------------- errors


def test_mujocos_objection_is_an_error_with_its_line():
    with pytest.raises(FormatError, match="MuJoCo refuses the model") as caught:
        read("\n\n" + body("a", '<joint type="wheel"/>'))
    assert caught.value.line == 3
    with pytest.raises(FormatError, match="read_urdf"):
        read_mjcf(saved('<robot name="r"/>'))
    with pytest.raises(FormatError, match="root element <mujoco>"):
        read_mjcf(saved("<a/>"))


def test_missing_package_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "mujoco":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(FormatError, match=r"-m pip install '\.\[mjcf\]'"):
        read(body("a", "<joint/>"))


# ---------------------------------------------------------------- there and back

EXPRESSIBLE = (
    "fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "gimbal",
)  # fmt: skip


def no_pitch(model):
    """General joints with turns and slides only, as MuJoCo has them."""
    bodies = []
    for part in model.bodies:
        axes = part.joint.axes
        if part.joint.kind == "general":
            axes = tuple(straight(np.array(axis)) for axis in axes)
        bodies.append(replace(part, joint=replace(part.joint, axes=axes)))
    return replace(model, bodies=tuple(bodies))


def straight(axis) -> tuple[float, ...]:
    turn = axis[:3]
    return (*turn, *(axis[3:] - turn * (turn @ axis[3:]))) if turn.any() else tuple(axis)


@pytest.mark.parametrize("seed", range(8))
def test_written_model_is_the_same_in_mujoco_and_here(seed):
    model = random_model(seed, EXPRESSIBLE, 7, roots=0.2, base="free" if seed % 2 else None)
    free_at_origin = [
        replace(part, at=Pose()) if part.joint.kind == "free" else part for part in model.bodies
    ]
    check_written(replace(model, bodies=tuple(free_at_origin)), seed)


@pytest.mark.parametrize("seed", range(4))
def test_written_general_joints(seed):
    check_written(no_pitch(random_model(seed, ("general", "revolute"), 4)), seed)


def check_written(model, seed):
    path = saved(write_mjcf(model))
    again = read_mjcf(path)
    peer, ours, back = MujocoPeer(path, model), Direct(model), Direct(again)
    assert again.gravity == model.gravity
    assert [b.name for b in again.bodies] == [b.name for b in model.bodies]
    q, v, _ = random_state(model, seed)
    M = ours.mass_matrix(q)
    assert pytest.approx(peer.mass_matrix(q), abs=1e-11) == M
    assert pytest.approx(back.mass_matrix(q), abs=1e-12) == M
    assert ours.pose(q, "tip") == pytest.approx(back.pose(q, "tip"), abs=1e-12)
    bias = ours.bias_forces(q, v)
    assert bias == pytest.approx(peer.bias_forces(q, v), abs=1e-10)
    assert bias == pytest.approx(back.bias_forces(q, v), abs=1e-11)


def test_written_joint_data_survives():
    builder = Builder("data", gravity=(1, 2, 3))
    some = {"mass": 1.0, "inertia": (1, 1, 1)}
    spring = Passive(viscous=0.1, coulomb=0.2, spring=3.0, rest=0.4)
    limits = Limits(-1.0, 2.0, None, 5.0)
    builder.body("a", joint="revolute", axis=(0.6, 0, 0.8), passive=spring, rotor=Rotor(0.1, 3.0),
                 limits=limits, at=(1, 2, 3), rpy=(0.1, 0.2, 0.3), **some)  # fmt: skip
    two = (Passive(viscous=1.0), Passive(coulomb=2.0))
    builder.body("b", "a", "universal", passive=two, joint_name="hook", **some)
    builder.body("c", "b", "spherical", passive=Passive(viscous=0.5), rotor=Rotor(0.2), **some)
    builder.frame("tip", "c", (1, 2, 3))
    builder.frame("ground", WORLD, (1, 0, 0))
    again = read_mjcf(saved(write_mjcf(builder.build())))
    a, b, c = (part.joint for part in again.bodies)
    assert (a.passive, a.limits, a.axes) == ((spring,), (limits,), ((0.6, 0.0, 0.8),))
    assert a.rotors[0].reflected == pytest.approx(0.9)
    assert (b.name, b.passive) == ("hook", two)
    assert (c.kind, c.passive, c.rotors) == (
        "spherical",
        (Passive(viscous=0.5),) * 3,
        (Rotor(0.2),) * 3,
    )
    assert [frame.name for frame in again.frames] == ["ground", "tip"]


def closed(kind: str) -> Builder:
    builder = Builder("closed")
    for name, parent in (("a", WORLD), ("b", "a"), ("c", "b")):
        builder.body(name, parent, "revolute", (0.5, 0, 0), axis="y", mass=1.0, inertia=(1, 1, 1))
    ends = (
        Frame("p", "c", Pose.from_rpy((0.5, 0, 0), (1, 2, 3))),
        Frame("q", WORLD, Pose((1, 0, 0))),
    )
    builder.loop("closure", *ends, kind)
    builder.coupling(Coupling("gear", "c", "a", -2.0, 0.3))
    return builder


@pytest.mark.parametrize("kind", ["spherical", "fixed"])
def test_written_loops_and_couplings_survive(kind):
    model = closed(kind).build()
    again = read_mjcf(saved(write_mjcf(model)))
    q, _, _ = random_state(model, 0)
    assert again.couplings == model.couplings
    assert (again.loops[0].name, again.loops[0].joint.kind) == ("closure", kind)
    assert gap(again, q) == pytest.approx(gap(model, q), abs=1e-14)


def test_written_couplings_and_prescribed_motions_of_one_coordinate_survive():
    """joint.coordinate is a joint of its own in MuJoCo, and stays one when it is read again."""
    some = {"mass": 1.0, "inertia": (1, 1, 1)}
    builder = Builder("coordinates")
    builder.body("a", joint="universal", joint_name="hook", **some)
    builder.body("b", "a", "cylindrical", (0.5, 0, 0), joint_name="rod", **some)
    builder.body("c", "b", "revolute", **some)
    builder.coupling(Coupling("gear", "hook.second", "rod.angle", -2.0, 0.3))
    builder.prescribe("hold", "hook.first", 0.0, 0.0, 0.25)
    builder.prescribe("still", "c", position=0.0)
    model = builder.build()
    again = read_mjcf(saved(write_mjcf(model)))
    assert again.v_labels == model.v_labels
    assert again.couplings == model.couplings
    assert [(d.name, d.joint, d.position) for d in again.prescribed] == [
        ("hold", "hook.first", 0.25), ("still", "c", 0.0)]  # fmt: skip


def test_written_shapes_survive_and_meshes_are_left_out():
    shapes = (
        Shape("box", (1.0, 2.0, 3.0), Pose((1.0, 0.0, 0.0)), color=(1.0, 0.0, 0.0, 0.5)),
        Shape("cylinder", (0.1, 0.2), role="collision"),
        Shape("capsule", (0.1, 0.3), color=(0.0, 1.0, 0.0, 1.0)),
        Shape("sphere", (0.1,), role="collision"),
    )
    builder = Builder("shapes")
    mesh = Shape("mesh", mesh="package://p/a--b.stl")
    builder.body("a", mass=1.0, inertia=(1, 1, 1), shapes=(*shapes, mesh))
    text = write_mjcf(builder.build())
    assert "left out: body 'a': mesh package://p/a- -b.stl" in text
    assert read_mjcf(saved(text)).bodies[0].shapes == shapes


@pytest.mark.parametrize("name", ["panda", "talos", "solo12", "allegro"])
def test_urdf_robot_goes_to_mujoco(name):
    """With possible tensors: MuJoCo corrects those of some vendors."""
    model = read_urdf(robot(name))
    sound = tuple(
        replace(part, mass=Mass(part.mass.mass, part.mass.com, (0.01, 0.01, 0.01, 0, 0, 0)))
        if part.mass.mass
        else part
        for part in model.bodies
    )
    model = replace(model, bodies=sound)
    path = saved(write_mjcf(model, lossy=True))
    peer, again = MujocoPeer(path, model), read_mjcf(path)
    q, v, _ = random_state(model, 1)
    M = Direct(model).mass_matrix(q)
    assert peer.mass_matrix(q) == pytest.approx(M, abs=1e-11)
    assert Direct(again).mass_matrix(q) == pytest.approx(M, abs=1e-12)
    assert Direct(model).bias_forces(q, v) == pytest.approx(peer.bias_forces(q, v), abs=1e-9)


def test_free_body_is_drawn_where_it_starts():
    """MuJoCo counts the place of a free body from the world, so its qpos0 is our placement."""
    builder = Builder("free")
    at = Pose.from_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    builder.body("a", joint="free", at=at, mass=1.0, inertia=(1, 1, 1), joint_name="root")
    text = write_mjcf(builder.build())
    assert "qpos counts from the world's origin" in text
    model = read_mjcf(saved(text))
    drawn = MujocoPeer("model.xml", model).m.qpos0
    q = [*drawn[3:], *drawn[:3]]
    assert Direct(model).pose(q, "a") == pytest.approx(pose_matrix(at), abs=1e-14)
    assert "the file draws the body at q = 0.98" in said(model, "read")


def test_strict_reading_of_a_sound_file():
    assert read(LOOP, strict=True).nv == read(LOOP).nv


def test_planar_joint_keeps_its_motion():
    """MuJoCo counts (x, y, angle), we count (angle, x, y): the same place under that order."""
    builder = Builder("planar")
    mass = Mass(1.0, (0.1, 0.2, 0.3), (1.0, 1.1, 1.2, 0.1, 0.0, 0.0))
    builder.body("a", joint="planar", axis=(0.6, 0, 0.8), mass=mass, at=(1, 2, 3), rpy=(1, 2, 3))
    model = builder.build()
    again = read_mjcf(saved(write_mjcf(model)))
    angle, x, y = 0.7, -0.2, 0.5
    here, there = Direct(model).pose([angle, x, y], "a"), Direct(again).pose([x, y, angle], "a")
    assert here == pytest.approx(there, abs=1e-14)


def sample(**changes) -> Builder:
    builder = Builder("sample")
    options = {"mass": 1.0, "inertia": (1, 1, 1), "joint_name": "j"} | changes
    builder.body("a", joint=options.pop("joint", "revolute"), **options)
    return builder


def nested_free() -> Builder:
    builder = sample()
    builder.body("b", "a", "free", mass=1.0, inertia=(1, 1, 1), joint_name="k")
    return builder


def with_wheel() -> Builder:
    builder = sample()
    builder.wheel(Wheel("w", "a", 0.3))
    return builder


def tied(kind: str) -> Builder:
    """A small tree with one constraint that MJCF has no words for."""
    builder = sample()
    some = {"mass": 1.0, "inertia": (1, 1, 1)}
    builder.body("b", joint="spherical", **some)
    if kind == "coupling":
        builder.coupling(Coupling("c", "j", "b.wx"))
    elif kind == "motion of a ball":
        builder.prescribe("d", "b.wx", position=0.5)
    elif kind == "motion":
        builder.prescribe("d", "j", 0.0, 2.0, 0.5)
    elif kind == "distance":
        builder.distance("d", "a", "b", 0.5)
    elif kind == "surface":
        builder.surface("s", "a", "b", "sphere", 1.0)
    elif kind == "contact":
        builder.contact("c", "a", "b", ["dz"])
    else:
        friction = (Passive(viscous=1.0),) * 3
        builder.loop("l", "a", "b", JointSpec("l", "spherical", passive=friction))
    return builder


ALWAYS = {
    "joint 'j': MJCF has no helical": sample(joint="helical", pitch=0.1),
    "joint 'j': axis 1 is a screw": sample(joint="general", axes=[(0, 0, 1, 0, 0, 0.2)]),
    "joint 'k': in MJCF only bodies on the world": nested_free(),
    "body 'a': MuJoCo wants mass": sample(inertia=(0, 0, 0)),
}
UNLESS_LOSSY = {
    "joint 'j': MJCF cannot express `table`": sample(
        passive=Passive(table=((0.0, 0.0), (1.0, 1.0)))
    ),
    "joint 'j': MJCF cannot express friction or rotor": sample(
        joint="spherical", passive=(Passive(), Passive(), Passive(viscous=1.0))
    ),
    "body 'a': MJCF cannot express the electrical": sample(motor=Motor(1.0, 1.0)),
    "wheel 'w': MJCF cannot express": with_wheel(),
    "loop 'closure': MJCF cannot express": closed("revolute"),
    "loop 'l': MJCF cannot express friction, rotors or limits": tied("loop"),
    "coupling 'c': MJCF cannot express a coupling of a ball": tied("coupling"),
    "motion 'd': MJCF cannot express a prescribed motion of a ball": tied("motion of a ball"),
    "prescribed motion 'd': MJCF cannot express a prescribed motion": tied("motion"),
    "distance 'd': MJCF cannot express a rod": tied("distance"),
    "surface 's': MJCF cannot express a point": tied("surface"),
    "contact 'c': MJCF cannot express a contact": tied("contact"),
}


@pytest.mark.parametrize("message", [*ALWAYS, *UNLESS_LOSSY])
def test_what_mjcf_cannot_say_is_an_error_that_names_it(message):
    model = (ALWAYS | UNLESS_LOSSY)[message].build()
    with pytest.raises(FormatError) as caught:
        write_mjcf(model)
    assert message in str(caught.value)
    if message in UNLESS_LOSSY:
        text = write_mjcf(model, lossy=True)
        assert "<!-- left out: " in text
        assert read_mjcf(saved(text)).nv == model.nv


def test_impossible_tensor_is_refused_or_balanced():
    bad = replace(sample().build().bodies[0], mass=Mass(1.0, (0, 0, 0), (1.0, 1.0, 3.0, 0, 0, 0)))
    model = replace(sample().build(), bodies=(bad,))
    with pytest.raises(FormatError, match="triangle inequality"):
        write_mjcf(model)
    assert 'balanceinertia="true"' in write_mjcf(model, lossy=True)
    read_mjcf(saved(write_mjcf(model, lossy=True)))


def test_too_deep_a_chain_is_an_error():
    builder = Builder("deep")
    for k in range(520):
        builder.body(f"b{k}", f"b{k - 1}" if k else WORLD, mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(FormatError, match="bodies deep"):
        write_mjcf(builder.build())


def test_the_deepest_chain_that_is_written_is_read():
    builder = Builder("deep")
    for k in range(496):
        builder.body(f"b{k}", f"b{k - 1}" if k else WORLD, mass=1.0, inertia=(1, 1, 1))
    assert read_mjcf(saved(write_mjcf(builder.build()))).nv == 496


def test_mujoco_version_is_not_the_wrong_one():
    assert mujoco.__version__ != "4.0.0"


def test_start_is_the_pose_as_drawn(tmp_path):
    """qpos0 of a free body and of a hinge with `ref` is where the model starts."""
    path = tmp_path / "drawn.xml"
    path.write_text(
        """<mujoco><worldbody><body name="b" pos="1 2 3" quat="0.6 0.8 0 0"><freejoint name="f"/>
        <geom size="0.1"/><body name="c" pos="0 0 1"><joint name="h" axis="0 1 0" ref="0.5"/>
        <geom size="0.1"/></body></body></worldbody></mujoco>""".replace(
            'ref="0.5"', 'ref="28.64788975654116"'
        )
    )
    from armillary import load

    mechanism = load(path)
    assert np.allclose(mechanism.initial, [0.6, 0.8, 0, 0, 1, 2, 3, 0.5])
