"""Constraints in the native file, and a tree that comes from another file."""

import json
import os
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.errors import ArmillaryError, FormatError
from armillary.formats import read
from armillary.formats.native import read_native
from armillary.formats.native_schema import native_schema
from armillary.formats.native_write import write_native
from armillary.formats.urdf_write import write_urdf
from armillary.model import (
    Builder,
    Contact,
    Coupling,
    Distance,
    Frame,
    Model,
    Passive,
    Pose,
    PrescribedMotion,
    Surface,
    Wheel,
    joint_spec,
)

TIED = """\
armillary: 1
gravity: [0, 0, -10]
bodies:
  cart: {parent: world, joint: {type: planar, axis: z}, mass: 5}
  hub: {parent: cart, joint: {type: revolute, axis: y}, mass: 1}
  arm: {parent: cart, joint: {type: revolute, axis: y, name: elbow}, mass: 1}
frames:
  tip: {body: arm, position: [0, 0, -1]}
loops:
  shut: {between: [tip, {body: world, position: [1, 0, 0]}], joint: {type: cylindrical, axis: y}}
couplings:
  gear: {joint: cart.angle, source: elbow, ratio: -2, offset: 0.1}
wheels:
  left: {body: hub, radius: 0.3}
  blade: {body: arm, kind: knife, rows: [lateral], ground: {body: hub, height: 0.5}}
distances:
  rod: {between: [tip, hub], length: 0.5}
surfaces:
  ball: {between: [world, tip], shape: sphere, radius: 2}
  floor: {between: [{body: world, name: ground, rpy: [0.1, 0, 0]}, tip]}
contacts:
  touch:
    between: [world, tip]
    constrained: [dz, rx]
    force: {dx: 2.5, ry: -1}
    friction: [{along: dy, of: dz, coefficient: 0.3}]
prescribed:
  crank: {joint: elbow, velocity: 2, position: 0}
  still: {joint: cart.x}
"""


def test_what_the_sections_mean():
    model = read_native(text=TIED)
    tip, world, hub = (model.frame(name) for name in ("tip", "world", "hub"))
    assert model.loops[0].first == tip and model.loops[0].joint.kind == "cylindrical"
    assert model.couplings == (Coupling("gear", "cart.angle", "elbow", -2.0, 0.1),)
    left, blade = model.wheels
    assert left == Wheel("left", "hub", 0.3)
    assert blade == Wheel("blade", "arm", 0.0, height=0.5, kind="knife", rows=("lateral",),
                          ground="hub")  # fmt: skip
    assert model.distances == (Distance("rod", tip, hub, 0.5),)
    ball, floor = model.surfaces
    assert ball == Surface("ball", world, tip, "sphere", 2.0)
    ground = Frame("ground", "world", Pose.from_rpy((0, 0, 0), (0.1, 0, 0)))
    assert floor == Surface("floor", ground, tip, "plane", 0.0)
    forces, friction = (("dx", 2.5), ("ry", -1.0)), (("dy", "dz", 0.3),)
    assert model.contacts == (Contact("touch", world, tip, ("dz", "rx"), forces, friction),)
    assert model.prescribed == (
        PrescribedMotion("crank", "elbow", 0.0, 2.0, 0.0),
        PrescribedMotion("still", "cart.x"),
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("length: 0.5", "length: -1", 17, "distance 'rod': the length must be positive"),
        ("length: 0.5", "length: 1 m", 17, "distance 'rod', length: expected a number"),
        (", length: 0.5", "", 17, "distance 'rod': the key 'length' is missing"),
        ("[tip, hub]", "[tip]", 17, "distance 'rod', between: expected two frames"),
        ("[tip, hub]", "[tip, hob]", 17, "distance 'rod': no frame or body named 'hob'"),
        ("[tip, hub]", "[tip, arm]", 17, "distance 'rod': both ends are on 'arm'"),
        ("[tip, hub]", "[tip, {body: nix}]", 17, "distance 'rod': no body named 'nix'"),
        ("[tip, hub]", "[tip, {body: hub, rpi: 1}]", 17, r"between\[2\]: unknown key 'rpi'"),
        ("[tip, hub]", "[tip, 3]", 17, "no frame or body named '3'"),
        ("[tip, hub]", "[tip, [1]]", 17, "expected a mapping"),
        ("shape: sphere", "shape: cube", 19, "surface 'ball', shape: expected 'plane', 'sphere'"),
        (", radius: 2", "", 19, "surface 'ball': a sphere needs a positive radius"),
        ("[dz, rx]", "[]", 22, "contact 'touch': name at least one constrained direction"),
        ("[dz, rx]", "[dq]", 24, r"contact 'touch', constrained\[1\]: expected 'rx'"),
        ("[dz, rx]", "[dz, dx]", 22, "contact 'touch': 'dx' is constrained"),
        ("{dx: 2.5", "{dq: 2.5", 25, "contact 'touch', force.dq: expected 'rx'"),
        ("{dx: 2.5", "{dx: .inf", 25, "contact 'touch', force.dx: expected a number"),
        ("of: dz", "of: dx", 22, "friction follows a constrained direction, not 'dx'"),
        ("of: dz, ", "", 26, "contact 'touch', friction.1.: the key 'of' is missing"),
        ("of: dz", "off: dz", 26, "unknown key 'off'. Did you mean 'of'"),
        ("joint: elbow, vel", "joint: elbo, vel", 28, "motion 'crank': no joint named 'elbo'"),
        ("joint: cart.x", "joint: cart", 29, "motion 'still': joint 'cart' has several"),
        ("velocity: 2", "velocity: null", 28, "motion 'crank': the key 'velocity' has no value"),
        ("velocity: 2", "speed: 2", 28, "motion 'crank': unknown key 'speed'"),
        ("prescribed:", "drives:", 27, "the key 'drives' is called 'prescribed' now"),
        ("kind: knife", "kind: disc", 15, "wheel 'blade': the key 'radius' is missing"),
        ("kind: knife", "kind: disk", 15, "wheel 'blade', kind: expected 'disc', 'sphere'"),
        ("rows: [lateral]", "rows: [side]", 15, r"wheel 'blade', rows\[1\]: expected 'normal'"),
        ("rows: [lateral]", "rows: []", 15, "wheel 'blade': rows are among"),
        ("ground: {body: hub", "ground: {body: arm", 15, "cannot roll on its own body"),
        ("source: elbow", "source: cart.angle", 12, "coupling 'gear': 'cart.angle' cannot follow"),
        ("  rod:", "  gear:", 17, "the name 'gear' belongs to a coupling already"),
        ("distances:", "distance:", 16, "unknown key 'distance'. Did you mean 'distances'"),
        ("gravity: [0, 0, -10]", "base: free", 2, "`base` belongs to `tree`"),
        ("gravity: [0, 0, -10]", "tree: a.urdf", 2, "found bodies and tree"),
    ],
)  # fmt: skip
def test_faults_name_part_and_line(old, new, line, message):
    assert old in TIED
    with pytest.raises(FormatError, match=message) as caught:
        read_native("robot.yaml", text=TIED.replace(old, new, 1))
    assert (caught.value.path, caught.value.line) == ("robot.yaml", line)


# ---------------------------------------------------------------- there and back


def everything():
    """Every constraint, with awkward names and numbers."""
    model = read_native(text=TIED)
    b = Builder("all: of it", gravity=model.gravity)
    for body in model.bodies:
        b.add(body)
    tilt = Pose.from_quaternion((0.1, 2 / 3, -1e-9), (0.3, -0.4, 0.5, 0.6))
    b.body("float", joint="free", mass=1.0, inertia=(1, 1, 1))
    b.frame("on: it", "arm", tilt)
    b.loop("null", "on: it", Frame("far", "world", tilt), "universal", axes=["x", "y"])
    cross = joint_spec("prismatic", axis="x", passive=(Passive(viscous=1.0),))
    b.loop("slide", "world", "hub", cross)
    screw = joint_spec("general", axes=[(0, 0, 1, 0, 0, 0.1), (0, 0, 0, 1, 0, 0)])
    b.loop("screw", Frame("cart", "cart"), "float", screw)
    b.coupling(Coupling("1e3", "elbow", "float.vx", 1 / 3, -1e-300))
    b.wheel(Wheel("a b", "hub", 0.3, (0.0, 3.0, 4.0), (0, 0, 0.1), (0, 1, 1), -0.5, "sphere",
                  ("normal", "lateral"), "cart"))  # fmt: skip
    b.wheel(Wheel("knife", "arm", 0.0, kind="knife"))
    b.distance("true", Frame("true.first", "hub", tilt), Frame("x", "world"), 1 / 3)
    b.surface("~", "on: it", "hub", "cylinder", 0.1)
    b.surface("flat", "world", "hub", "plane", 0.7)
    b.contact("off", "world", "on: it", ["dz"])
    b.contact("no", "world", "hub", ["dz", "ry"], {"dx": 1 / 3, "rx": 0.0},
              [("dy", "dz", -0.1), ("rz", "ry", 0.2)])  # fmt: skip
    b.prescribe("d: 1", "float.wz", 1 / 3)
    b.prescribe("d: 2", "elbow", 0.0, 0.0, -0.0)
    return b.build()


def test_nothing_is_lost():
    model = everything()
    text = write_native(model)
    assert read_native(text=text) == model
    assert write_native(read_native(text=text)) == text
    plain = read_native(text=TIED)
    assert read_native(text=write_native(plain)) == replace(plain)


NUMBERS = st.floats(-1e6, 1e6)
DIRECTIONS = st.lists(
    st.sampled_from(["rx", "ry", "rz", "dx", "dy", "dz"]), min_size=1, max_size=5, unique=True
)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_constraint_comes_back_exactly(data):
    draw = data.draw
    b = Builder("any")
    b.body("a", joint="planar", mass=1.0)
    b.body("b", "a", "revolute", mass=1.0)
    ends = [
        Frame(f"f{k}", body, Pose(draw(st.tuples(NUMBERS, NUMBERS, NUMBERS))))
        for k, body in enumerate(("a", "b"))
    ]
    b.distance("d", *ends, draw(st.floats(1e-9, 1e9)))
    b.surface("s", *ends, draw(st.sampled_from(["plane", "sphere"])), draw(st.floats(1e-9, 1e9)))
    held = draw(DIRECTIONS)
    force = {d: draw(NUMBERS) for d in draw(DIRECTIONS) if d not in held}
    laws = [(d, held[0], draw(NUMBERS)) for d in draw(DIRECTIONS) if d not in held]
    b.contact("c", *ends, held, force, laws)
    b.prescribe("x", draw(st.sampled_from(["b", "a.x", "a.angle"])), draw(NUMBERS),
            draw(st.none() | NUMBERS), draw(st.none() | NUMBERS))  # fmt: skip
    b.wheel(Wheel("w", "b", draw(st.floats(1e-9, 1e9)), draw(st.tuples(*[st.floats(0.1, 1)] * 3)),
                  normal=draw(st.tuples(*[st.floats(0.1, 1)] * 3)), height=draw(NUMBERS),
                  kind=draw(st.sampled_from(["disc", "sphere", "knife"]))))  # fmt: skip
    model = b.build()
    assert read_native(text=write_native(model)) == model


def test_the_schema_knows_the_words():
    schema = json.dumps(native_schema())
    for word in ("knife", "longitudinal", "cylinder", "coefficient", "acceleration", "constrained"):
        assert f'"{word}"' in schema


PIECES = ["{", "}", "[", "]", ": ", "- ", "\n", "\n  ", "null", ".inf", "-1", "dz", "world", "tip",
          "elbow", "cart", "knife", "tree: ", "base: free\n", "~", ","]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutated_files_give_a_model_or_our_error(data):
    text, start = TIED, TIED.index("loops:")
    for _ in range(data.draw(st.integers(1, 5))):
        i = data.draw(st.integers(start, max(start, len(text))))
        j = data.draw(st.sampled_from([i, i + 1, i + 4, i + 15]))
        piece = data.draw(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)))
        text = text[:i] + piece + text[j:]
    with suppress(ArmillaryError):
        assert isinstance(read_native("robot.yaml", text=text), Model)


# ---------------------------------------------------------------- a tree from another file

URDF = """\
<robot name="bars">
  <link name="ground"/>
  {bars}
</robot>
"""
BAR = """
  <link name="{name}"><inertial><mass value="1"/><origin xyz=".5 0 0"/>
    <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="{name}_pin" type="continuous"><parent link="{parent}"/><child link="{name}"/>
    <axis xyz="0 0 1"/><origin xyz="{place}"/></joint>"""
BARS = "".join(
    BAR.format(name=name, parent=parent, place=place)
    for name, parent, place in (
        ("crank", "ground", "0 0 0"),
        ("coupler", "crank", "1 0 0"),
        ("rocker", "ground", "2 0 0"),
    )
)
FOUR_BAR = """\
armillary: 1
name: four-bar
tree: bars.urdf
frames:
  end: {body: coupler, position: [1, 0, 0]}
loops:
  shut: {between: [end, {body: rocker, position: [0, 1, 0]}], joint: {type: revolute, axis: z}}
prescribed:
  motor: {joint: crank_pin, velocity: 1}
initial: {rocker_pin: 0.5}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bars.urdf").write_text(URDF.format(bars=BARS))
    (tmp_path / "four-bar.yaml").write_text(FOUR_BAR)
    return tmp_path


def test_a_tree_from_urdf_with_a_loop(folder):
    tree = read(folder / "bars.urdf")
    model = read(folder / "four-bar.yaml")
    assert (model.name, model.bodies, model.gravity) == ("four-bar", tree.bodies, tree.gravity)
    (loop,) = model.loops
    assert loop.first == Frame("end", "coupler", Pose((1.0, 0.0, 0.0))) == model.frames[0]
    assert (loop.second.body, loop.joint.kind) == ("rocker", "revolute")
    assert model.prescribed == (PrescribedMotion("motor", "crank_pin", 0.0, 1.0),)
    assert model.initial == (0.0, 0.0, 0.5)
    assert read_native(text=write_native(model)) == model
    notes = [str(note) for note in model.report.notes]
    assert model.report.source == str(folder / "four-bar.yaml")
    assert any("bars.urdf: robot 'bars': 4 links" in note for note in notes)
    assert len(set(notes)) == len(notes) == len(tree.report.notes)


def test_base_gravity_and_notes(folder):
    text = FOUR_BAR.replace("tree: bars.urdf", "tree: bars.urdf\nbase: free\ngravity: [0, 0, -1]")
    (folder / "four-bar.yaml").write_text(text)
    model = read_native(folder / "four-bar.yaml")
    assert (model.bodies[0].joint.kind, model.nv) == ("free", 9)
    assert model.gravity == (0.0, 0.0, -1.0)


def test_a_doubtful_tree_is_reported_once_and_refused_when_strict(folder):
    bad = BARS.replace('izz=".1"', 'izz="9"', 1)
    (folder / "bars.urdf").write_text(URDF.format(bars=bad))
    model = read(folder / "four-bar.yaml")
    (note,) = model.report.of("warning")
    assert note.part == "bars.urdf: body 'crank'" and "triangle" in note.text
    with pytest.raises(FormatError, match="triangle") as caught:
        read(folder / "four-bar.yaml", strict=True)
    assert caught.value.path == str(folder / "bars.urdf")


def test_trees_from_mjcf_and_yaml_keep_their_own_constraints(folder):
    pytest.importorskip("mujoco")
    body = '<body name="{}"><joint name="{}"/><geom size=".1" pos=".1 0 0"/></body>'
    (folder / "pair.xml").write_text(
        "<mujoco><worldbody>" + body.format("a", "j") + body.format("b", "k") + "</worldbody>"
        '<equality><joint name="e" joint1="j" joint2="k"/></equality></mujoco>'
    )
    (folder / "one.yaml").write_text(
        "armillary: 1\ntree: pair.xml\ndistances: {rod: {between: [a, b], length: 1}}\n"
        "frames: {f: {body: a}}\ninitial: {j: 0.25}\nbase_velocity: [0, 0, 1, 0, 0, 0]\n"
    )
    (folder / "two.yaml").write_text(
        "armillary: 1\ntree: ./one.yaml\nsurfaces: {s: {between: [world, f]}}\ninitial: {k: 0.5}\n"
    )
    model = read(folder / "two.yaml")
    assert [part.name for part in model.constraints] == ["rod", "s", "e"]
    assert model.initial == (0.25, 0.5)
    assert model.base_velocity == (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    assert model.name == "MuJoCo Model"


def test_everything_may_be_a_tree(folder):
    model = everything()
    (folder / "all.yaml").write_text(write_native(model))
    (folder / "more.yaml").write_text("armillary: 1\ntree: all.yaml\n")
    assert read(folder / "more.yaml") == model


def test_a_tree_is_named_as_the_disk_has_it(folder):
    """With an accent of its own: a file is no part, and its name need not be composed."""
    os.rename(folder / "bars.urdf", folder / "ba\u0301rs.urdf")
    (folder / "four-bar.yaml").write_text(FOUR_BAR.replace("bars.urdf", "ba\u0301rs.urdf"))
    assert read(folder / "four-bar.yaml").nv == 3


def test_trees_lie_in_the_folder_or_below(folder):
    (folder / "sub").mkdir()
    os.rename(folder / "bars.urdf", folder / "sub" / "bars.urdf")
    text = FOUR_BAR.replace("bars.urdf", "sub/bars.urdf")
    (folder / "four-bar.yaml").write_text(text)
    assert read(folder / "four-bar.yaml").nv == 3


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("../bars.urdf", "it leaves the model's folder"),
        ("sub/../../bars.urdf", "it leaves the model's folder"),
        ("..\\\\bars.urdf", "it leaves the model's folder"),
        ("%2e%2e/bars.urdf", "it leaves the model's folder"),
        ("/etc/passwd", "it is an absolute path"),
        ("~/bars.urdf", "it leaves the model's folder"),
        ("file:bars.urdf", "scheme 'file:' is not followed"),
        ("http://host/bars.urdf", "scheme 'http:' is not followed"),
        ("package://x/bars.urdf", "packages are not known here"),
        ("C:\\\\bars.urdf", "scheme 'C:' is not followed"),
        ("a\\u0000b.urdf", "control characters"),
        ("bras.urdf", "there is no file 'bras.urdf' beside this one"),
        ("x" * 5000 + ".urdf", "there is no file 'xxx"),
        (".", "there is no file '.'"),
        ("pipe.urdf", "there is no file 'pipe.urdf'"),
        ("four-bar.yaml", "a circle"),
        ("other.yaml", "a circle"),
    ],
)
def test_references_that_are_refused(folder, reference, message):
    path = folder / "four-bar.yaml"
    (folder / "other.yaml").write_text("armillary: 1\n\ntree: four-bar.yaml\n")
    os.mkfifo(folder / "pipe.urdf")
    path.write_text(FOUR_BAR.replace("tree: bars.urdf", f'tree: "{reference}"'))
    with pytest.raises(FormatError, match=message) as caught:
        read(path)
    place = folder / "other.yaml" if reference == "other.yaml" else path
    assert (caught.value.path, caught.value.line) == (str(place), 3)


def test_long_rows_of_trees_end(folder):
    for k in range(12):
        (folder / f"t{k}.yaml").write_text(f"armillary: 1\ntree: t{k + 1}.yaml\n")
    with pytest.raises(FormatError, match="more than 8 files"):
        read(folder / "t0.yaml")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("[end, {", "[and, {", 7, "loop 'shut': no frame or body named 'and'"),
        ("body: coupler", "body: copler", 5, "frame 'end': no body named 'copler'"),
        ("  end:", "  crank:", 5, "body 'crank' is already there"),
        ("joint: crank_pin", "joint: crank", 9, "motion 'motor': no joint named 'crank'"),
        ("{rocker_pin: 0.5}", "{rocker: 0.5}", 10, "no joint named 'rocker'"),
        ("{rocker_pin: 0.5}", "{rocker_pin: [1, 2]}", 10, "its initial position is 1 finite"),
        ("tree: bars.urdf", "tree:", 3, "the key 'tree' has no value"),
        ("tree: bars.urdf", "tree: [bars.urdf]", 3, "tree: expected a name"),
        ("name: four-bar", "base: floating", 2, "base: expected 'fixed' or 'free'"),
        ("name: four-bar", "bodies: {}", 3, "found bodies and tree"),
        ("tree: bars.urdf", "tree: bars.txt", 3, "there is no file"),
    ],
)  # fmt: skip
def test_faults_beside_a_tree(folder, old, new, line, message):
    path = folder / "four-bar.yaml"
    path.write_text(FOUR_BAR.replace(old, new, 1))
    with pytest.raises(FormatError, match=message) as caught:
        read(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_faults_of_the_tree_are_told_in_its_own_file(folder):
    (folder / "bars.urdf").write_text(URDF.format(bars=BARS.replace('value="1"', 'value="x"', 1)))
    with pytest.raises(FormatError) as caught:
        read(folder / "four-bar.yaml")
    assert caught.value.path == str(folder / "bars.urdf")
    (folder / "bars.urdf").rename(folder / "bars.step")
    (folder / "four-bar.yaml").write_text(FOUR_BAR.replace("bars.urdf", "bars.step"))
    with pytest.raises(FormatError, match=r"the suffix '\.step' tells no format"):
        read(folder / "four-bar.yaml")


def test_a_text_has_no_folder():
    with pytest.raises(FormatError, match="a text has no place") as caught:
        read_native("four-bar.yaml", text=FOUR_BAR)
    assert caught.value.line == 3


def test_a_written_tree_and_its_loops_are_the_model_again(folder):
    """What URDF cannot hold stands in the YAML file beside it."""
    model = read(folder / "four-bar.yaml")
    bare = replace(model, loops=(), prescribed=(), frames=(), initial=())
    (folder / "bars.urdf").write_text(write_urdf(bare))
    assert read(folder / "four-bar.yaml") == model
