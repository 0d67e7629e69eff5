"""The builder: every impossible mechanism is refused by name, with what was found and the cure."""

import math

import numpy as np
import pytest

import armillary as am
from armillary.errors import ModelError
from armillary.model import (
    Builder,
    Coupling,
    Frame,
    Limits,
    Mass,
    Motor,
    Passive,
    Pose,
    Report,
    Rotor,
    Wheel,
)
from armillary.model.checks import inertia_fault, principal_moments
from armillary.spatial.rotation import from_rpy

NAN = math.nan


def one_body(**changes) -> Builder:
    builder = Builder("test")
    builder.body("arm", **({"mass": 1.0, "inertia": (1.0, 1.0, 1.0)} | changes))
    return builder


def refused(build, *words: str) -> None:
    """The error says all the words."""
    with pytest.raises(ModelError) as caught:
        build()
    text = str(caught.value)
    missing = [word for word in words if word not in text]
    assert not missing, f"{missing} not in: {text}"


# ---------------------------------------------------------------- names and the tree


def test_a_name_is_used_once():
    builder = one_body()
    refused(lambda: builder.body("arm", mass=1.0), "'arm'", "already there", "'world'", "rename")
    builder.frame("tip", "arm")
    refused(lambda: builder.frame("tip", "arm"), "frame 'tip'", "'arm'")
    refused(lambda: builder.body("tip", mass=1.0), "frame 'tip'")


def test_a_body_has_one_parent():
    """The cure for a second parent is a loop."""
    builder = one_body()
    builder.body("hand", "arm", mass=1.0)
    refused(lambda: builder.body("hand", "world", mass=1.0), "'hand'", "one parent", "loop(")


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_part_needs_a_name(name):
    refused(lambda: Builder().body(name, mass=1.0), "needs a name", repr(name))


def test_world_is_taken():
    refused(lambda: Builder().body("world", mass=1.0), "'world'", "Choose another")


def test_an_unknown_parent():
    builder = one_body()
    builder.body("hand", "amr", mass=1.0)
    refused(builder.build, "'hand'", "'amr'", "parent='world'")


def test_a_circle_of_bodies():
    builder = one_body()
    builder.body("a", "b", mass=1.0)
    builder.body("b", "a", mass=1.0)
    refused(builder.build, "'a'", "'b'", "circle", "loop(")
    lonely = Builder()
    lonely.body("self", "self", mass=1.0)
    refused(lonely.build, "'self'", "circle")


def test_no_body_at_all():
    refused(Builder("nothing").build, "'nothing'", "no body")


def test_joint_names_differ():
    builder = one_body(joint_name="hinge")
    builder.body("hand", "arm", mass=1.0, joint_name="hinge")
    refused(builder.build, "'hinge'", "'arm'", "'hand'", "own name")


def test_unknown_bodies_and_joints_of_other_parts():
    builder = one_body()
    builder.frame("tip", "arn")
    refused(builder.build, "frame 'tip'", "'arn'", "Did you mean 'arm'?")
    builder = one_body()
    builder.loop("ring", Frame("a", "arm"), Frame("b", "leg"), "revolute")
    refused(builder.build, "loop 'ring'", "'leg'", "'arm'")
    builder = one_body()
    builder.wheel(Wheel("left", "hub", 0.3))
    refused(builder.build, "wheel 'left'", "'hub'", "'arm'")
    builder = one_body()
    builder.coupling(Coupling("gear", "arm", "armm"))
    refused(builder.build, "coupling 'gear'", "'armm'", "'arm'")


def test_bodies_are_numbered_depth_first_in_file_order():
    builder = Builder()
    for name, parent in [("hand", "arm"), ("arm", "world"), ("leg", "world"), ("eye", "arm"),
                         ("thumb", "hand"), ("foot", "leg")]:  # fmt: skip
        builder.body(name, parent, mass=1.0)
    model = builder.build()
    assert [b.name for b in model.bodies] == ["arm", "hand", "thumb", "eye", "leg", "foot"]
    assert model.parents == (-1, 0, 1, 0, -1, 4)


# ---------------------------------------------------------------- joints

BAD_JOINTS = [
    ({"axis": (0, 0, 0)}, ["joint 'arm'", "no direction", "length 1"]),
    ({"axis": (0, NAN, 1)}, ["joint 'arm'", "nan"]),
    ({"axis": (0, 1)}, ["joint 'arm'", "three numbers", "(0, 1)"]),
    ({"axis": "w"}, ["joint 'arm'", "'w'", "-x"]),
    ({"joint": "hinge"}, ["joint 'arm'", "'hinge'", "revolute", "gimbal"]),
    ({"joint": "revolute", "axes": ["x", "y"]}, ["joint 'arm'", "one axis", "2"]),
    ({"axis": "x", "axes": ["x"]}, ["joint 'arm'", "not both"]),
    ({"joint": "fixed", "axis": "x"}, ["joint 'arm'", "fixed", "no axis"]),
    ({"joint": "universal", "axes": ["x", (1, 1, 0)]}, ["joint 'arm'", "0.707", "general"]),
    ({"joint": "universal", "axes": ["x", "y", "z"]}, ["joint 'arm'", "two axes", "3"]),
    ({"joint": "general", "axes": []}, ["joint 'arm'", "1 to 6", "0"]),
    ({"joint": "general", "axes": ["x"] * 7}, ["joint 'arm'", "1 to 6", "7"]),
    ({"joint": "general", "axes": [(0,) * 6]}, ["joint 'arm'", "no direction"]),
    ({"joint": "general", "axes": [(1, 0, 0, 0)]}, ["joint 'arm'", "six"]),
    ({"joint": "general", "axes": [(NAN, 0, 0, 0, 0, 0)]}, ["joint 'arm'", "six finite", "nan"]),
    ({"joint": "gimbal", "free": ("rx", "rw")}, ["joint 'arm'", "rx, ry, rz", "'rw'"]),
    ({"joint": "gimbal", "free": ("rx", "rx")}, ["joint 'arm'", "different"]),
    ({"free": ("rx",)}, ["joint 'arm'", "gimbal"]),
    ({"joint": "helical", "pitch": math.inf}, ["joint 'arm'", "pitch", "finite"]),
    ({"pitch": 0.01}, ["joint 'arm'", "pitch", "helical", "revolute"]),
    ({"axiss": "x"}, ["body 'arm'", "axiss"]),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), BAD_JOINTS, ids=[str(c) for c, _ in BAD_JOINTS])
def test_impossible_joints(changes, words):
    refused(lambda: one_body(**changes).build(), *words)


@pytest.mark.parametrize(
    "changes",
    [
        {"axis": (0.0, 0.0, 2.0)},
        {"joint": "universal", "axes": [(2.0, 0.0, 0.0), (0.0, 1.0, 0.0)]},
        {"joint": "general", "axes": ["x", (0.0, 0.0, 0.0, 0.0, 2.0, 0.0)]},
    ],
    ids=["revolute", "universal", "general"],
)
def test_a_long_axis_is_scaled_and_reported(changes):
    model = one_body(**changes).build()
    (note,) = model.report.of("repaired")
    assert note.part == "joint 'arm'"
    assert "length 2" in note.text
    lengths = [
        max(np.linalg.norm(a[:3]), np.linalg.norm(a[3:])) for a in model.bodies[0].joint.axes
    ]
    assert lengths == pytest.approx([1.0] * len(lengths), abs=1e-15)


def test_a_rounded_axis_is_not_worth_a_note():
    """Seven printed digits are as good as one expects of a file."""
    model = one_body(axis=(0.57735027, 0.57735027, 0.57735027)).build()
    assert not model.report.notes


# ---------------------------------------------------------------- numbers of bodies and joints

BAD_NUMBERS = [
    ({"mass": -1.0}, ["body 'arm'", "negative", "-1 kg", "Correct"]),
    ({"mass": NAN}, ["body 'arm'", "finite", "nan"]),
    ({"mass": "heavy"}, ["body 'arm'", "mass", "'heavy'"]),
    ({"com": (1, 2)}, ["body 'arm'", "com", "3", "(1, 2)"]),
    ({"com": (1, 2, math.inf)}, ["body 'arm'", "com", "finite", "inf"]),
    ({"at": (1, 2)}, ["body 'arm'", "position", "3", "(1, 2)"]),
    ({"at": (0, 0, NAN)}, ["body 'arm'", "position", "nan"]),
    ({"at": (0, 0, 0), "rpy": (1, 2)}, ["body 'arm'", "rpy", "3", "(1, 2)"]),
    ({"at": Pose(rotation=((1, 0, 0), (0, 2, 0), (0, 0, 1)))}, ["body 'arm'", "orthonormal", "4"]),
    ({"at": Pose(rotation=((1, 0, 0), (0, 1, 0), (0, 0, -1)))}, ["body 'arm'", "mirror"]),
    ({"inertia": (1, 1)}, ["body 'arm'", "3 or 6", "2"]),
    ({"inertia": (1, 1, 1, 0)}, ["body 'arm'", "3 or 6", "4"]),
    ({"inertia": (1,) * 7}, ["body 'arm'", "3 or 6", "7"]),
    ({"inertia": {"xx": 1, "ab": 2}}, ["body 'arm'", "'ab'", "xx, yy"]),
    ({"inertia": (1.0, 1.0, 3.5)}, ["body 'arm'", "triangle", "3.5 > 1 + 1", "by 1.5", "Correct"]),
    ({"inertia": (-1, 1, 1)}, ["body 'arm'", "principal moment", "negative", "-1"]),
    ({"inertia": (1, 1, 1, 2, 0, 0)}, ["body 'arm'", "principal moment", "-1"]),
    ({"mass": 0.0}, ["body 'arm'", "zero mass", "moment of inertia"]),
    ({"mass": None, "inertia": (0, 0, 0)}, ["body 'arm'", "no inertia", "joint 'arm'", "mass=0"]),
    ({"passive": [Passive(), Passive()]}, ["joint 'arm'", "passive", "(1)", "found 2"]),
    ({"joint": "universal", "rotor": [Rotor(0.1)]}, ["joint 'arm'", "rotor", "(2)", "found 1"]),
    ({"joint": "spherical", "limits": [Limits()] * 4}, ["joint 'arm'", "limits", "(3)", "found 4"]),
    ({"passive": 0.1}, ["joint 'arm'", "Passive(...)", "0.1"]),
    ({"passive": Passive(viscous=-1.0)}, ["joint 'arm'", "viscous", "-1"]),
    ({"passive": Passive(coulomb=NAN)}, ["joint 'arm'", "coulomb", "nan"]),
    ({"passive": Passive(coulomb=1.0, static=0.5, stribeck=0.1)}, ["joint 'arm'", "0.5", "1.0"]),
    ({"passive": Passive(coulomb=1.0, static=2.0)}, ["joint 'arm'", "Stribeck"]),
    ({"passive": Passive(table=((0.0, 1.0), (0.0, 2.0)))}, ["joint 'arm'", "increasing"]),
    ({"passive": Passive(table=((0.0, 1.0),))}, ["joint 'arm'", "table"]),
    ({"joint": "spherical", "passive": Passive(spring=1.0)}, ["joint 'arm'", "spring", "gimbal"]),
    ({"rotor": Rotor(-1.0)}, ["joint 'arm'", "rotor", "-1"]),
    ({"rotor": Rotor(1.0, 0.0)}, ["joint 'arm'", "gear"]),
    ({"limits": Limits(1.0, -1.0)}, ["joint 'arm'", "lower", "1", "upper", "-1"]),
    ({"limits": Limits(velocity=-2.0)}, ["joint 'arm'", "velocity", "-2"]),
    ({"motor": Motor(0.0, 1.0)}, ["joint 'arm'", "resistance", "0 ohm"]),
    ({"motor": Motor(1.0, 1.0, efficiency=1.2)}, ["joint 'arm'", "efficiency", "1.2"]),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), BAD_NUMBERS, ids=[str(c) for c, _ in BAD_NUMBERS])
def test_impossible_numbers(changes, words):
    def build():
        builder = one_body(**changes)
        builder.checks = "strict"
        builder.build()

    refused(build, *words)


def test_gravity_and_base_motion_are_checked():
    for gravity in [(0.0, 0.0), (0.0, 0.0, NAN)]:
        builder = one_body()
        builder.gravity = gravity
        refused(builder.build, "gravity", "3 finite")
    builder = one_body()
    builder.base_velocity = (1.0, 0.0)
    refused(builder.build, "base_velocity", "6 finite")


def test_a_vendors_file_is_kept_and_reported():
    """checks="report": impossible tensors stay as they are, with a warning; a negative mass not."""
    builder = Builder("vendor", checks="report")
    builder.body("arm", mass=1.0, inertia=(1.0, 1.0, 3.0), limits=Limits(1.0, -1.0))
    model = builder.build()
    warnings = [str(note) for note in model.report.of("warning")]
    assert any("triangle" in w and "kept" in w for w in warnings)
    assert any("lower limit" in w for w in warnings)
    assert model.bodies[0].mass.tensor[:3] == (1.0, 1.0, 3.0)
    builder = Builder("vendor", checks="report")
    builder.body("arm", mass=-1.0)
    refused(builder.build, "negative")


def test_a_massless_moving_body_is_reported():
    """mass=0, said on purpose: a warning. Mass beyond it, a rotor or a fixed joint: silence."""
    warned = one_body(mass=0.0, inertia=(0, 0, 0)).build()
    assert "forward dynamics is undefined" in warned.report.of("warning")[0].text
    carrying = one_body(mass=None, inertia=(0, 0, 0))
    carrying.body("hand", "arm", mass=1.0)
    assert not carrying.build().report.notes
    assert not one_body(mass=None, inertia=(0, 0, 0), rotor=Rotor(1.0)).build().report.notes
    assert not one_body(mass=None, inertia=(0, 0, 0), joint="fixed").build().report.notes


# ---------------------------------------------------------------- physical consistency


@pytest.mark.parametrize("seed", range(5))
def test_principal_moments(seed):
    """Jacobi rotations against LAPACK."""
    a = np.random.default_rng(seed).normal(size=(3, 3))
    a = a + a.T
    tensor = (a[0, 0], a[1, 1], a[2, 2], a[0, 1], a[0, 2], a[1, 2])
    np.testing.assert_allclose(principal_moments(tensor), np.linalg.eigvalsh(a), atol=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_every_point_cloud_is_possible(seed):
    """Also a flat one, which meets the triangle inequality with equality, and a rod."""
    rng = np.random.default_rng(seed)
    for flatten in ((1, 1, 1), (1, 1, 0), (1, 0, 0), (0, 0, 0)):
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        p = (rng.normal(size=(9, 3)) * flatten) @ Q.T
        p -= p.mean(axis=0)
        J = p.T @ p
        I = np.trace(J) * np.eye(3) - J
        entries = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        assert inertia_fault(Mass(1.0, (0.0, 0.0, 0.0), entries)) is None


def test_a_mass_by_object_and_a_tensor_by_name():
    by_object = Builder()
    by_object.body("a", mass=Mass(2.0, (0.1, 0.2, 0.3), (1.0, 1.1, 1.2, 0.1, 0.0, 0.0)))
    by_name = Builder()
    tensor = {"xx": 1.0, "yy": 1.1, "zz": 1.2, "xy": 0.1}
    by_name.body("a", mass=2.0, com=(0.1, 0.2, 0.3), inertia=tensor)
    assert by_object.build().bodies == by_name.build().bodies


def test_one_entry_is_used_for_every_axis():
    model = one_body(joint="universal", passive=Passive(viscous=0.1), rotor=Rotor(0.2, 3.0)).build()
    joint = model.bodies[0].joint
    assert joint.passive == (Passive(viscous=0.1),) * 2
    assert [rotor.reflected for rotor in joint.rotors] == pytest.approx([1.8, 1.8])


def test_labels_units_and_slots():
    builder = Builder()
    builder.body("base", joint="free", mass=1.0, inertia=(1, 1, 1))
    builder.body("weld", "base", joint="fixed")
    builder.body("arm", "base", mass=1.0, joint_name="elbow")
    builder.body("nut", "arm", joint="cylindrical", mass=1.0)
    model = builder.build()
    assert (model.nq, model.nv) == (10, 9)
    assert model.q_labels == (
        "base.w", "base.x", "base.y", "base.z", "base.px", "base.py", "base.pz",
        "elbow", "nut.angle", "nut.translation",
    )  # fmt: skip
    assert model.v_labels[:6] == tuple(f"base.{n}" for n in ("wx", "wy", "wz", "vx", "vy", "vz"))
    assert model.v_units == ("rad",) * 3 + ("m",) * 3 + ("rad", "rad", "m")
    assert model.moving_joints == ("base", "elbow", "nut")
    assert model.slots[3].q == slice(8, 10)
    assert model.neutral() == (1.0,) + (0.0,) * 9
    assert model.children("base") == ("weld", "arm")


def test_unknown_names_of_a_model():
    model = one_body().build()
    for find, kind in ((model.body, "body"), (model.frame, "frame"), (model.joint_number, "joint")):
        refused(lambda find=find: find("amr"), f"no {kind}", "'amr'", "'arm'")
    refused(lambda: model.body("world"), "no body", "'world'")


def test_parts_are_frozen():
    model = one_body().build()
    with pytest.raises(AttributeError):
        model.gravity = (0.0, 0.0, 0.0)
    with pytest.raises(AttributeError):
        model.bodies[0].mass.mass = 2.0
    with pytest.raises(TypeError):
        model.bodies[0] = None


def test_what_is_not_said_is_nothing():
    """Defaults: at the parent's origin, unturned, no mass, no friction, gravity downward."""
    builder = Builder()
    builder.body("arm", mass=2.0)
    model = builder.build()
    body = model.bodies[0]
    assert body.mass == Mass(2.0, (0.0, 0.0, 0.0), (0.0,) * 6)
    assert body.at == Pose((0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    assert (body.parent, body.joint.kind, body.joint.name) == ("world", "revolute", "arm")
    assert body.joint.axes == ((0.0, 0.0, 1.0),)
    assert (body.joint.passive, body.joint.rotors, body.joint.limits) == ((), (), ())
    assert model.gravity == (0.0, 0.0, -9.81)
    assert model.name == "mechanism"
    assert Mass() == Mass(0.0, (0.0, 0.0, 0.0), (0.0,) * 6)
    assert Rotor().reflected == 0.0


def test_the_report_reads_well():
    """Sorted by level, with part and line; silence is said aloud."""
    report = Report("arm.urdf")
    assert str(report) == "Report on arm.urdf: nothing assumed, nothing ignored."
    report.add("ignored", "link 'a'", "mesh", line=7)
    report.add("assumed", "joint 'b'", "axis x")
    head, first, second = str(report).splitlines()
    assert "arm.urdf" in head
    assert first.strip() == "assumed  joint 'b': axis x"
    assert second.strip() == "ignored  link 'a': mesh (line 7)"
    assert [note.text for note in report.of("ignored")] == ["mesh"]


@pytest.mark.parametrize("quarters", range(-4, 5))
def test_right_angles_are_exact(quarters):
    """pi / 2 as a double means a right angle: no 6e-17 in the rotation."""
    for axis in range(3):
        rpy = [0.0, 0.0, 0.0]
        rpy[axis] = quarters * math.pi / 2
        rotation = Pose.from_rpy((0, 0, 0), rpy).rotation
        assert {abs(x) for row in rotation for x in row} == {0.0, 1.0}
        assert "-0.0" not in str(rotation)


@pytest.mark.parametrize("angle", [NAN, math.inf, -math.inf])
def test_an_angle_that_is_no_number_is_refused_by_its_part(angle):
    pose = Pose.from_rpy((0, 0, 0), (0.0, angle, 0.0))
    with pytest.raises(ModelError, match=r"'arm'.*finite"):
        one_body(at=pose).build()


def test_a_pose_without_rotation_takes_rpy():
    turned = one_body(at=Pose((1.0, 2.0, 3.0)), rpy=(0.0, 0.0, math.pi / 2)).build()
    pose = turned.bodies[0].at
    assert pose.position == (1.0, 2.0, 3.0)
    assert pose.rotation == ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    with pytest.raises(ModelError, match=r"'arm'.*has a rotation already"):
        one_body(at=pose, rpy=(0.1, 0.0, 0.0)).build()


def test_rpy_is_the_product_of_three_turns():
    rng = np.random.default_rng(0)
    for rpy in rng.uniform(-4, 4, (50, 3)):
        wanted = from_rpy(*rpy).T  # another formula
        np.testing.assert_allclose(Pose.from_rpy((0, 0, 0), rpy).rotation, wanted.rows, atol=3e-16)
    near = math.nextafter(math.pi / 2, 9.0)  # not the right angle: kept as it is
    assert Pose.from_rpy((0, 0, 0), (near, 0, 0)).rotation[1][1] == math.cos(near) != 0.0


@pytest.mark.parametrize(
    "build",
    [
        lambda b: b.body("c", "arm", at=am.Pose(), rpy=3),
        lambda b: b.body("c", "arm", mass=10**400),
        lambda b: b.body("c", "arm", mass=np.zeros((2, 2))),
        lambda b: b.body("c", "arm", mass=1.0, inertia=None),
        lambda b: b.coupling("arm"),
        lambda b: b.prescribe("p", ["arm"], acceleration=1.0),
        lambda b: b.distance("d", ["arm"], "world", 1.0),
        lambda b: b.wheel("arm"),
        lambda b: b.wheel(am.Wheel("w", "arm", "wide")),
        lambda b: b.wheel(am.Wheel("w", "arm", 0.1, center=3)),
        lambda b: b.contact("c", "world", "arm", 3),
        lambda b: b.surface("s", "world", "arm", "profile", profile=3),
        lambda b: setattr(b, "base_velocity", 3),
        lambda b: am.Builder("x", gravity=9.81),
    ],
)
def test_wrong_types_are_model_errors(build):
    b = am.Builder("wrong")
    b.body("arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(ModelError, match="expected"):
        build(b)
        b.build()


@pytest.mark.parametrize("start", ["x", None, [1.0, 2.0], np.zeros(2), math.nan])
def test_starts_that_are_none_are_refused_by_name(start):
    b = am.Builder("wrong")
    b.body("arm", mass=1.0, inertia=(1.0, 1.0, 1.0))
    b.initial = {"arm": start}
    with pytest.raises(ModelError, match="joint 'arm': its initial position is 1 finite numbers"):
        b.build()


def test_starts_of_numpy_and_axes_by_name():
    b = am.Builder("cart")
    b.body("base", joint="free", mass=1.0, inertia=(1.0, 1.0, 1.0))
    b.body("hub", "base", "revolute", axis="y", mass=1.0, inertia=(1.0, 1.0, 1.0))
    b.wheel(am.Wheel("tyre", "hub", 0.3, axis="-y", normal="z"))
    start = np.array([1.0, 0, 0, 0, 0.1, 0.2, 0.3])
    b.initial = {"base": start, "hub": np.float64(0.5)}
    m = b.build()
    assert m.initial.tolist() == [*start, 0.5]
    (wheel,) = m.model.wheels
    assert (wheel.axis, wheel.normal) == ((0.0, -1.0, 0.0), (0.0, 0.0, 1.0))


def test_inertia_as_a_matrix():
    tensor = np.array([[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]])
    given = (tensor, (0.3, 0.4, 0.5, 0.01, 0.02, 0.03))
    found = []
    for inertia in given:
        b = Builder("ball")
        b.body("ball", joint="spherical", mass=1.0, inertia=inertia)
        found.append(b.build().bodies[0].mass.tensor)
    assert found[0] == found[1]
    b = Builder("ball")
    with pytest.raises(ModelError, match="body 'ball', inertia: expected a symmetric tensor"):
        b.body("ball", joint="spherical", mass=1.0, inertia=tensor + np.eye(3, k=1))
    with pytest.raises(ModelError, match="inertia: expected 3 finite numbers"):
        b.body("ball", joint="spherical", mass=1.0, inertia=[[1, 2], [3, 4], [5, 6]])
