"""The native file: what it means, what it refuses, and that nothing is lost on the way."""

import json
import math
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.errors import ArmillaryError, FormatError, composed
from armillary.formats.native import read_native
from armillary.formats.native_schema import native_schema
from armillary.formats.native_write import write_native
from armillary.formats.urdf import read_urdf
from armillary.model import (
    Builder,
    Coupling,
    Frame,
    Limits,
    Mass,
    Model,
    Motor,
    Passive,
    Pose,
    Rotor,
    Shape,
    Wheel,
    joint_spec,
)
from armillary.model.edit import lock
from armillary.model.names import name_fault
from robots import ROBOTS, robot

SKETCH = """\
armillary: 1
name: sketch
gravity: [0, 0, -10]
bodies:
  link1:
    parent: world
    joint: {type: revolute, axis: y, friction: {viscous: 0.25, coulomb: 0.1}}
    at: {position: [0, 0, 0], rpy: [0, 0, 0]}
    mass: 2
    com: [0, 0, 1]
    inertia: {xx: 1, yy: 1, zz: 0.1}
    motor: {resistance: 1.2, torque_constant: 0.9, gear: 50, voltage_limit: 24}
  hub: {parent: link1, joint: {type: revolute, axis: y}, at: {position: [0, 0, 2]}, mass: 1}
frames:
  tip: {body: link1, position: [0, 0, 2]}
loops:
  closure: {between: [tip, {body: world, position: [1, 0, 2]}], joint: {type: revolute, axis: y}}
wheels:
  left: {body: hub, radius: 0.3, axis: y, ground: {normal: [0, 0, 1], height: 0}}
"""


def body(text, name="arm"):
    """A file with one body of the given lines."""
    lines = "".join(f"    {line}\n" for line in text.strip().splitlines())
    return f"armillary: 1\nbodies:\n  {name}:\n    parent: world\n{lines}"


def joint(text):
    return read_native(text=body(f"joint: {text}\nmass: 1\ninertia: {{xx: 1, yy: 1, zz: 1}}"))


# ---------------------------------------------------------------- what the file means


def test_the_sketch_of_the_design():
    model = read_native(text=SKETCH)
    link1, hub = model.bodies
    assert (model.name, model.gravity) == ("sketch", (0.0, 0.0, -10.0))
    assert link1.joint.axes == ((0.0, 1.0, 0.0),)
    assert link1.joint.passive == (Passive(viscous=0.25, coulomb=0.1),)
    assert link1.mass == Mass(2.0, (0, 0, 1), (1, 1, 0.1, 0, 0, 0))
    assert link1.motor == Motor(1.2, 0.9, 50.0, voltage_limit=24.0)
    assert hub.at == Pose((0.0, 0.0, 2.0))
    assert model.frames == (Frame("tip", "link1", Pose((0.0, 0.0, 2.0))),)
    (loop,) = model.loops
    assert loop.first == model.frame("tip")
    assert (loop.second.body, loop.second.pose.position) == ("world", (1.0, 0.0, 2.0))
    assert model.wheels == (Wheel("left", "hub", 0.3),)


@pytest.mark.parametrize(
    ("written", "axis"),
    [
        ("y", (0, 1, 0)),
        ("-y", (0, -1, 0)),
        ('"y"', (0, 1, 0)),
        ("[0, 0, 2]", (0, 0, 1)),
        ("[0.6, 0, 0.8]", (0.6, 0, 0.8)),
    ],
)
def test_axes(written, axis):
    model = joint(f"{{type: revolute, axis: {written}}}")
    assert model.bodies[0].joint.axes == (axis,)
    assert bool(model.report.of("repaired")) == (written == "[0, 0, 2]")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e-3", 1e-3),
        ("1E+3", 1e3),
        (".5", 0.5),
        ("5.", 5.0),
        ("+5", 5.0),
        ("010", 10.0),
        ('"2"', 2.0),
        ("-0.0", 0.0),
    ],
)
def test_numbers_are_what_people_mean(written, value):
    model = read_native(text=body(f"joint: {{type: fixed}}\nmass: 1\ncom: [{written}, 0, 0]"))
    assert model.bodies[0].mass.com[0] == value


@pytest.mark.parametrize("name", ["no", "on", "y", "Yes", "off", "1", "1e3", "true", "null", "~",
                                  "12:30", "2001-01-01", "<<", "=", "0x1F"])  # fmt: skip
def test_no_name_turns_into_something_else(name):
    text = (
        body("joint: {type: revolute, axis: z}\nmass: 1", name)
        + f"  next: {{parent: '{name}', joint: {{type: fixed}}}}\n"
        + f"frames: {{tip: {{body: '{name}'}}}}\ninitial: {{{name}: 0.5}}\n"
    )
    model = read_native(text=text)
    assert model.bodies[0].name == name == model.bodies[1].parent == model.frames[0].body
    assert model.initial == (0.5,)
    if name not in ("null", "~"):
        assert read_native(text=text.replace(f"'{name}'", name)) == model


def test_every_joint_type():
    assert joint("{type: helical, axis: x, pitch: 0.01}").bodies[0].joint.pitch == 0.01
    assert joint("{type: universal, axes: [x, z]}").bodies[0].joint.axes == ((1, 0, 0), (0, 0, 1))
    assert joint("{type: gimbal, free: [rz, dx]}").bodies[0].joint.free == ("rz", "dx")
    with pytest.raises(FormatError, match=r"found dx, rz. .* axes \[\[0, 0, 0, 1, 0, 0\], \"z\"\]"):
        joint("{type: gimbal, free: [dx, rz]}")
    other = joint('{type: general, axes: [[0, 0, 0, 1, 0, 0], "z"]}').bodies[0].joint
    assert other.axes == ((0, 0, 0, 1, 0, 0), (0, 0, 1, 0, 0, 0))
    screw = joint("{type: general, axes: [[0, 0, 1, 0.1, 0, 0], x, [0, 0, 0, 0, 2, 0]]}")
    assert screw.bodies[0].joint.axes[2] == (0, 0, 0, 0, 1, 0)
    assert joint("{type: continuous, axis: x}").bodies[0].joint.continuous
    for kind in ("prismatic", "cylindrical", "planar", "spherical", "free"):
        assert joint(f"{{type: {kind}}}").bodies[0].joint.kind == kind


def test_one_entry_for_all_axes_or_one_for_each():
    one = joint("{type: cylindrical, friction: {viscous: 1}, limits: {upper: 2, lower: null}}")
    assert one.bodies[0].joint.passive == (Passive(viscous=1.0),) * 2
    assert one.bodies[0].joint.limits == (Limits(upper=2.0),) * 2
    each = joint(
        "{type: cylindrical, friction: [{viscous: 1}, {}], spring: {stiffness: 3, rest: 1}}"
    )
    springs = {"spring": 3.0, "rest": 1.0}
    assert each.bodies[0].joint.passive == (Passive(viscous=1.0, **springs), Passive(**springs))
    rotors = joint("{type: universal, rotor: [{inertia: 1, gear: 2}, {inertia: 3}]}")
    assert rotors.bodies[0].joint.rotors == (Rotor(1.0, 2.0), Rotor(3.0, 1.0))
    table = joint("{type: revolute, friction: {table: [[-1, -2], [0, 0], [1, 2]]}}")
    assert table.bodies[0].joint.passive[0].table == ((-1, -2), (0, 0), (1, 2))
    with pytest.raises(FormatError, match=r"one entry per degree of freedom \(2\), found 1"):
        joint("{type: cylindrical, friction: [{viscous: 1}]}")
    with pytest.raises(FormatError, match="a fixed joint has no friction"):
        joint("{type: fixed, friction: {viscous: 1}}")


def test_rotations():
    def at(text):
        model = read_native(text=body(f"joint: {{type: fixed}}\nat: {{{text}}}"))
        return model.bodies[0].at.rotation

    quarter = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert at("matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]") == quarter
    for text in ("rpy: [0, 0, 1.5707963267948966]", "quaternion: [1, 0, 0, 1]"):
        assert [x for row in at(text) for x in row] == pytest.approx(
            [x for row in quarter for x in row], abs=1e-15
        )


def test_initial_places_and_defaults():
    text = body("joint: {type: free}\nmass: 1\ninertia: {xx: 1, yy: 1, zz: 1}")
    text += "  leg: {parent: arm, joint: {type: revolute, name: hip}, mass: 1}\n"
    assert read_native(text=text).initial == ()
    assert read_native(text=text + "initial: {hip: 0.5}").initial == (1, 0, 0, 0, 0, 0, 0, 0.5)
    model = read_native(text=text + "initial: {arm: [1, 0, 0, 0, 1, 2, 3]}\nframes:\n")
    assert model.initial == (1, 0, 0, 0, 1, 2, 3, 0)
    with pytest.raises(FormatError, match="joint 'hip': its initial position is 1 finite numbers"):
        read_native(text=text + "initial: {hip: [1, 2]}")
    with pytest.raises(FormatError, match=r"no joint named 'hop'. Did you mean 'hip'"):
        read_native(text=text + "initial: {hop: 1}")


def test_what_the_file_leaves_out_is_reported(tmp_path):
    path = tmp_path / "robot.yaml"
    path.write_text(body("joint: {type: revolute}\nmass: 1"))
    model = read_native(path)
    assert model.name == "robot"
    assert [note.part for note in model.report.of("assumed")] == ["gravity"]
    assert model.report.source == str(path)


def test_aliases_are_allowed():
    rod = "&rod {parent: world, joint: {type: revolute}, mass: 1}"
    model = read_native(text=f"armillary: 1\nbodies:\n  a: {rod}\n  b: *rod\n")
    assert [b.name for b in model.bodies] == ["a", "b"]


# ---------------------------------------------------------------- what the file refuses


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("armillary: 1", "armillary: 2", 1, "expected version 1, found '2'"),
        ("armillary: 1\n", "", 1, "no mechanism of Armillary"),
        ("bodies:", "bodys:", 4, "unknown key 'bodys'. Did you mean 'bodies'"),
        ("coulomb", "colomb", 7, r"'link1', joint.friction: unknown key 'colomb'. .*'coulomb'"),
        ("type: revolute, axis: y, fr", "type: revolut, axis: y, fr", 7, "Did you mean 'revolute'"),
        ("axis: y, fr", "axis: q, fr", 7, "body 'link1', joint.axis: expected one of x, y, z"),
        ("axis: y, fr", "axis: [0, 0, 0], fr", 7, "no direction"),
        ("axis: y, fr", "axis: [0, 1], fr", 7, "expected a letter"),
        ("axis: y, fr", "pitch: 1, fr", 7, "pitch"),
        ("mass: 2", "mass: 2 kg", 9, "body 'link1', mass: expected a number, found '2 kg'"),
        ("mass: 2", "mass:", 9, "the key 'mass' has no value"),
        ("mass: 2", "mass: .nan", 9, "expected a number"),
        ("mass: 2", "mass: 1e999", 9, "finite"),
        ("mass: 2", "mass: -2", 5, "body 'link1': the mass is negative"),
        ("mass: 2", "mass: [2]", 9, "expected a number, found a list of 1"),
        ("    mass: 2\n", "", 5, "without mass"),
        ("com: [0, 0, 1]", "com: [0, 0]", 10, "list of 3 numbers, found a list of 2"),
        ("zz: 0.1}", "zz: 9}", 5, "triangle inequality"),
        (
            "{xx: 1, yy: 1, zz: 0.1}",
            "[1, 1, 1]",
            11,
            "inertia: expected .* keys xx, yy, zz, xy",
        ),
        ("parent: link1", "parent: link2", 13, "body 'hub': its parent 'link2' does not exist"),
        ("parent: link1, ", "", 13, "body 'hub': the key 'parent' is missing"),
        ("parent: world", "parent: hub", 13, "circle"),
        ("body: link1", "body: nobody", 15, "frame 'tip': no body named 'nobody'"),
        ("[tip, {", "[top, {", 17, "loop 'closure': no frame or body named 'top'"),
        ("[tip, {", "[{", 17, "loop 'closure', between: expected two frames, found a list of 1"),
        ("body: hub", "body: hob", 19, "wheel 'left': no body named 'hob'"),
        ("radius: 0.3", "radius: 0", 19, "wheel 'left': the radius must be positive"),
        ("radius: 0.3, ", "", 19, "the key 'radius' is missing"),
        ("resistance: 1.2", "resistance: 0", 7, "resistance .* must be positive"),
        ("rpy: [0, 0, 0]", "rpy: [0, 0, 0], quaternion: [1, 0, 0, 0]", 8, "rpy and quaternion"),
        ("rpy: [0, 0, 0]", "quaternion: [0, 0, 0, 0]", 5, "quaternion is zero"),
        ("rpy: [0, 0, 0]", "matrix: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]", 5, "no rotation"),
        ("frames:", "link1:", 14, "unknown key 'link1'"),
        ("  tip:", "  link1:", 15, "already there"),
        ("  hub:", "  link1:", 13, "the key 'link1' is there twice .first on line 5"),
        ("name: sketch", "name: !!python/object:os.system x", 2, "tag"),
        ("name: sketch", "name: *nothing", 2, "no anchor"),
        ("name: sketch", "name: &me [*me]", 2, "inside its own anchor"),
        ("name: sketch", "name: [1", 3, "no YAML"),
        ("name: sketch", "? [a]\n: b", 2, "a key must be a plain name"),
        ("name: sketch", "checks: maybe", 2, "expected 'strict' or 'report', found 'maybe'"),
        ("wheels:", "---\nwheels:", 18, "a second one"),
    ],
)  # fmt: skip
def test_faults_name_part_line_and_cure(old, new, line, message):
    assert SKETCH.count(old) >= 1
    with pytest.raises(FormatError, match=message) as caught:
        read_native("robot.yaml", text=SKETCH.replace(old, new, 1), strict=True)
    assert caught.value.path == "robot.yaml"
    assert caught.value.line == line
    assert str(caught.value).startswith(f"robot.yaml:{line}: ")


@pytest.mark.parametrize("text", ["", "# nothing", "---", "5", "- a", "null", "armillary: 1",
                                  "armillary: 1\nbodies:", "armillary: 1\nbodies: {}",
                                  "armillary: 1\nbodies: [1]", "\x00", "a: \ud800", "\t",
                                  "%YAML 9.9"])  # fmt: skip
def test_files_that_are_nothing(text):
    with pytest.raises(FormatError):
        read_native("robot.yaml", text=text)


def test_bombs_and_wells():
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for one, two in zip("abcdefghi", "bcdefghij", strict=True):
        bomb += f"{two}: &{two} [{', '.join([f'*{one}'] * 9)}]\n"
    with pytest.raises(FormatError, match="more than 2000000 entries"):
        read_native(text=bomb)
    for well in ("[" * 100_000, "- " * 10_000, "{a: " * 1000, "a:\n" + " " * 9):
        with pytest.raises(FormatError):
            read_native(text=well)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "robot.yaml"
    path.write_bytes(b"armillary: 1\nname: caf\xe9\n")
    with pytest.raises(FormatError, match="UTF-8") as caught:
        read_native(path)
    assert caught.value.line == 2
    path.write_bytes("\ufeff".encode() + SKETCH.encode())
    assert read_native(path).name == "sketch"


# ---------------------------------------------------------------- there and back


def everything():
    """A model with every kind of part, awkward names and awkward numbers."""
    b = Builder("all: of it", gravity=(0.1, -1e-300, -9.80665))
    tilt = Pose.from_quaternion((0.1, 2 / 3, -1e-9), (0.3, -0.4, 0.5, 0.6))
    heavy = {"mass": 4 / 3, "com": (0.1, 0.2, 1 / 3), "inertia": (1, 1.1, 1.2, 0.1, 0.02, 1 / 30)}
    b.body("base link", joint="free", at=tilt, **heavy,
           shapes=[Shape("box", (1.0, 2.0, 3.0), tilt, color=(1.0, 0.5, 0.0, 1.0)),
                   Shape("mesh", mesh="package://a/b c.stl", scale=(0.001,) * 3, role="collision"),
                   Shape("sphere", (0.5,))])  # fmt: skip
    b.body("no", "base link", "revolute", axis=(1, 2, 3), joint_name="1e3", **heavy,
           passive=Passive(0.1, 0.2, 0.3, 0.01, 0.001, 5.0, -0.1, ((-1.0, -2.0), (1.0, 2.0))),
           rotor=Rotor(1e-5, -50.0), limits=Limits(-math.inf, 1.0, None, 3.0),
           motor=Motor(1.2, 0.9, 50.0, 1e-3, 24.0, None, 0.8))  # fmt: skip
    b.body("true", "no", "prismatic", (1, 0, 0), (0.1, 0.2, 0.3), axis="-y", **heavy,
           passive=Passive())  # fmt: skip
    b.body('ä"ö\\ü" \U0001f600', "true", "helical", pitch=-0.01, axis="z", **heavy)
    b.body("cyl", "true", "cylindrical", axis="x", **heavy,
           passive=(Passive(viscous=1.0), Passive(spring=2.0)), rotor=(Rotor(1.0), Rotor(2.0)),
           limits=(Limits(), Limits(upper=1.0)))  # fmt: skip
    b.body("uni", "cyl", "universal", axes=["z", "-x"], **heavy, passive=Passive(spring=1.0))
    b.body("plane", "uni", "planar", axis="y", **heavy)
    b.body("ball", "plane", "spherical", **heavy, passive=Passive(viscous=0.1))
    b.body("gim", "ball", "gimbal", free=("ry", "dz"), **heavy)
    b.body(
        "gen", "gim", "general", axes=[(0.6, 0, 0.8, 0.1, 1 / 3, 0), (0, 0, 0, 1, 1, 1)], **heavy
    )
    b.body("wheel.1", "base link", joint_spec("revolute", axis="y", continuous=True), **heavy)
    b.body("weld", "gen", "fixed")
    b.body("null", "world", "revolute", mass=0.0, passive=(Passive(coulomb=1.0),))
    b.body("end", "null", "revolute", mass=1.0)
    b.frame("tool tip", "weld", tilt)
    b.frame("on", "world", (1, 2, 3))
    b.loop(
        "closing", Frame("tool tip", "weld", tilt), Frame("closing.second", "world"), "spherical"
    )
    cross = joint_spec("universal", axes=["x", "y"], passive=(Passive(viscous=1.0),) * 2)
    b.loop("weld it", Frame("mine", "no", tilt), Frame("end", "end"), cross)
    b.coupling(Coupling("gear", "true", "1e3", -1 / 3, 0.1))
    b.coupling(Coupling("plain", "wheel.1", "1e3"))
    b.wheel(Wheel("left", "wheel.1", 0.3, (0.0, 3.0, 4.0), (0, 0, 0.1), (0, 1, 1), -0.5))
    b.base_velocity = (0.1, 0.2, 0.3, 0.0, 0.0, 1.0)
    b.base_acceleration = (0.0, 0.0, 0.0, 0.0, 0.0, 1e-17)
    b.initial = {"base link": (0.5, 0.5, 0.5, 0.5, 1, 2, 3), "1e3": 0.1, "gim": (0.1, 0.2)}
    return b.build()


def test_nothing_is_lost():
    model = everything()
    text = write_native(model)
    assert read_native(text=text) == model
    assert write_native(read_native(text=text)) == text


def test_other_readers_see_the_same_numbers():
    import yaml

    content = yaml.safe_load(write_native(everything()))
    assert content["gravity"] == [0.1, -1e-300, -9.80665]
    assert content["bodies"]["null"]["joint"]["type"] == "revolute"
    assert list(content["frames"]) == ["tool tip", "on"]


SEEN = st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
NAMES = (
    st.text(SEEN, min_size=1, max_size=12)
    .map(composed)
    .filter(lambda x: x != "world" and name_fault(x) is None)
)
NUMBERS = st.floats(-1e6, 1e6)


@st.composite
def models(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    b = Builder(draw(NAMES), gravity=draw(st.tuples(NUMBERS, NUMBERS, NUMBERS)))
    for k, name in enumerate(names):
        turn = draw(st.tuples(*[st.floats(-4, 4)] * 4))
        at = Pose.from_quaternion(
            draw(st.tuples(NUMBERS, NUMBERS, NUMBERS)), (5.0 + turn[0], *turn[1:])
        )
        axis = draw(st.tuples(*[st.floats(0.1, 1)] * 3))
        kind = draw(st.sampled_from(["revolute", "prismatic", "planar", "cylindrical"]))
        b.body(name, names[k - 1] if k else "world", kind, at, axis=axis,
               mass=draw(st.floats(0, 1e3)), com=draw(st.tuples(NUMBERS, NUMBERS, NUMBERS)),
               passive=Passive(viscous=draw(st.floats(0, 10))))  # fmt: skip
    return b.build()


@settings(max_examples=60, deadline=None)
@given(models())
def test_any_model_comes_back_exactly(model):
    assert read_native(text=write_native(model)) == model


@pytest.mark.parametrize("name", ROBOTS)
def test_real_robots_come_back_exactly(name):
    model = read_urdf(robot(name), base="free")
    assert read_native(text=write_native(model)) == model


def test_a_python_law_cannot_be_written():
    b = Builder()
    b.body("arm", joint_name="elbow", mass=1.0, passive=Passive(law=lambda x, v: v * v))
    with pytest.raises(FormatError, match="joint 'elbow': its friction law is a Python function"):
        write_native(b.build())


def test_locked_joints_are_written_fixed_with_a_comment():
    model = lock(read_native(text=SKETCH), {"hub": 0.25})
    text = write_native(model)
    assert "# locked at [0.25]; it was a revolute joint" in text
    again = read_native(text=text)
    bodies = tuple(replace(b, unlocked=None, locked_at=()) for b in model.bodies)
    assert again == replace(model, bodies=bodies)


def test_doubtful_values_of_other_files_are_kept_and_said():
    """A vendor's impossible tensor and crossed limits: `checks: report`, unless strict."""
    b = Builder(checks="report")
    b.body("arm", mass=1.0, inertia=(1, 1, 5), limits=Limits(1.0, -1.0))
    model = b.build()
    text = write_native(model)
    again = read_native(text=text)
    assert again == model and len(again.report.of("warning")) == 2
    with pytest.raises(FormatError, match="lower limit 1 lies above"):
        read_native(text=text, strict=True)


# ---------------------------------------------------------------- schema, laziness, robustness


def test_the_schema_is_json_and_knows_the_keys():
    schema = json.loads(json.dumps(native_schema()))
    assert schema["required"] == ["armillary"]
    assert schema["oneOf"] == [{"required": ["bodies"]}, {"required": ["tree"]}]
    assert set(schema["properties"]) >= {"frames", "loops", "wheels", "couplings", "initial"}
    assert set(schema["properties"]) >= {"distances", "surfaces", "contacts", "prescribed"}
    axis = schema["$defs"]["JointEntry"]["properties"]["axis"]
    assert "-z" in json.dumps(axis)
    assert schema["additionalProperties"] is False


def test_importing_the_library_reads_no_yaml():
    code = (
        "import sys, armillary, armillary.formats, armillary.model\n"
        "assert not {'yaml', 'pydantic', 'mujoco'} & set(sys.modules), sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


PIECES = ["{", "}", "[", "]", ":", ": ", "- ", "\n", "\n  ", "&a ", "*a", "!x ", "|", ">", "'", '"',
          "#", "null", "1e400", ".inf", "-1", "axis", "world", "link1", "\t", "%", "?", ",",
          "~"]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutated_files_give_a_model_or_our_error(data):
    text = data.draw(st.sampled_from([SKETCH, ALL]))
    for _ in range(data.draw(st.integers(1, 5))):
        i = data.draw(st.integers(0, len(text)))
        j = data.draw(st.sampled_from([i, i + 1, i + 4, i + 15]))
        piece = data.draw(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)))
        text = text[:i] + piece + text[j:]
    with suppress(ArmillaryError):
        assert isinstance(read_native("robot.yaml", text=text), Model)


ALL = write_native(everything())


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda x: (
            st.lists(x, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "body", "axis", "position", "x", ""]), x, max_size=3
            )
        ),
        max_leaves=8,
    ),
    st.integers(0, 60),
)
def test_any_value_anywhere_gives_a_model_or_our_error(value, place):
    """A value of the wrong kind in the place of a right one, deep in the file."""
    import yaml

    content = yaml.safe_load(SKETCH)
    spots = []

    def collect(node):
        for key in node if isinstance(node, dict) else range(len(node)):
            spots.append((node, key))
            if isinstance(node[key], (dict, list)):
                collect(node[key])

    collect(content)
    node, key = spots[place % len(spots)]
    node[key] = value
    with suppress(ArmillaryError):
        assert isinstance(read_native(text=yaml.safe_dump(content)), Model)
