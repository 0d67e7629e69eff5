"""Denavit-Hartenberg tables against direct matrix products and Pinocchio, there and back."""

import doctest
import math
from contextlib import suppress

import numpy as np
import pinocchio as pin
import pytest
from chains import frame_pose, homogeneous, skew, torques, world_poses
from hypothesis import given, settings
from hypothesis import strategies as st

from armillary.errors import ArmillaryError, FormatError, ModelError
from armillary.formats import dh_rows
from armillary.formats.dh import dh, dh_table, read_dh, write_dh
from armillary.formats.urdf import read_urdf
from armillary.model import Builder, Limits, Model, Motor, Passive, Pose, Rotor
from armillary.model.edit import lock
from robots import robot

RNG = np.random.default_rng(7)
CONVENTIONS = ("standard", "modified")


def turn(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    R = {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}
    return homogeneous(np.array(R[axis]), np.zeros(3))


def shift(x=0.0, z=0.0):
    return homogeneous(np.eye(3), np.array([x, 0.0, z]))


def link(row, q, convention):
    """T of one row, written out."""
    slides = row.get("type") == "prismatic"
    theta = row["theta"] + (0.0 if slides else q)
    d = row["d"] + (q if slides else 0.0)
    if convention == "standard":
        return turn("z", theta) @ shift(z=d) @ shift(x=row["a"]) @ turn("x", row["alpha"])
    return turn("x", row["alpha"]) @ shift(x=row["a"]) @ turn("z", theta) @ shift(z=d)


def random_tensor(rng):
    """A possible inertia: a cloud of random points about its centre."""
    points = rng.normal(size=(6, 3))
    points -= points.mean(axis=0)
    J = points.T @ points * 0.05
    I = np.trace(J) * np.eye(3) - J
    return (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])


def random_rows(n, rng=RNG, special=False):
    """Rows with every entry; `special`: right angles, zero lengths, parallel axes."""
    rows = []
    for k in range(n):
        angles = [0.0, math.pi / 2, -math.pi / 2, math.pi] if special else rng.uniform(-3, 3, 4)
        lengths = [0.0, 0.0, 0.3, -0.2] if special else rng.uniform(-1, 1, 4)
        rows.append(
            {
                "name": f"part{k}",
                "type": "prismatic" if rng.random() < 0.3 else "revolute",
                "a": float(rng.choice(lengths)),
                "alpha": float(rng.choice(angles)),
                "d": float(rng.choice(lengths)),
                "theta": float(rng.choice(angles)),
                "mass": float(rng.uniform(0.5, 3)),
                "com": tuple(rng.normal(size=3)),
                "inertia": random_tensor(rng),
            }
        )
    return rows


def product(rows, q, convention):
    T = np.eye(4)
    for row, x in zip(rows, q, strict=True):
        T = T @ link(row, x, convention)
        yield T


def pinocchio_torques(rows, convention, q, v, a):
    """The same arm built in Pinocchio: joints about z, masses in the link frames of the table."""
    model = pin.Model()
    parent, frame = 0, np.eye(4)
    for k, row in enumerate(rows):
        slides = row["type"] == "prismatic"
        if convention == "standard":
            at = frame @ turn("z", row["theta"])
            own = shift(z=row["d"]) @ shift(x=row["a"]) @ turn("x", row["alpha"])
        else:
            at = frame @ turn("x", row["alpha"]) @ shift(x=row["a"]) @ turn("z", row["theta"])
            own = shift(z=row["d"])
        joint = pin.JointModelPZ() if slides else pin.JointModelRZ()
        parent = model.addJoint(parent, joint, pin.SE3(at), f"j{k}")
        xx, yy, zz, xy, xz, yz = row["inertia"]
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        model.appendBodyToJoint(
            parent, pin.Inertia(row["mass"], np.array(row["com"]), tensor), pin.SE3(own)
        )
        frame = own
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    return pin.rnea(model, model.createData(), *(np.array(x) for x in (q, v, a)))


# ---------------------------------------------------------------- kinematics and dynamics


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("special", [False, True])
def test_frames_are_the_products_of_the_rows(convention, special):
    for _ in range(10):
        rows = random_rows(5, special=special)
        model = dh(rows, convention)
        q = RNG.normal(size=5)
        for row, T in zip(rows, product(rows, q, convention), strict=True):
            assert frame_pose(model, q, row["name"] + "_dh") == pytest.approx(T, abs=1e-13)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_torques_are_pinocchios(convention):
    for _ in range(5):
        rows = random_rows(6)
        q, v, a = RNG.normal(size=(3, 6))
        expected = pinocchio_torques(rows, convention, q, v, a)
        found = torques(dh(rows, convention), q, v, a)
        assert found == pytest.approx(expected, abs=1e-11 * max(1, abs(expected).max()))


def test_modified_rows_are_the_printed_equations():
    """A of eq 2.18 and b of eq 2.19, [VanDerMerwe1995]."""
    a, alpha, d, theta = 0.3, 0.7, -0.2, 1.1
    model = dh([{"a": a, "alpha": alpha, "d": d, "theta": theta, "mass": 1.0}], "modified")
    T = frame_pose(model, [0.0], "link1")
    ct, st_, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    rows = np.array([[ct, st_ * ca, st_ * sa], [-st_, ct * ca, ct * sa], [0, -sa, ca]])
    turned = T[:3, :3].T
    assert turned == pytest.approx(rows, abs=1e-15)
    assert T[:3, 3] == pytest.approx([a, -d * sa, d * ca], abs=1e-15)


def test_standard_rows_are_swartz():
    """p_i = [a, r sin(alpha), r cos(alpha)] in frame i (errata 1-1)."""
    a, alpha, r = 0.3, 0.7, -0.2
    model = dh([{"a": a, "alpha": alpha, "d": r, "mass": 1.0}])
    T = frame_pose(model, [0.9], "link1_dh")
    p = T[:3, :3].T @ T[:3, 3]
    assert p == pytest.approx([a, r * math.sin(alpha), r * math.cos(alpha)], abs=1e-15)


def test_degrees_and_right_angles_are_exact():
    rows = [{"alpha": 90, "theta": -90, "mass": 1.0, "limits": {"lower": -180, "upper": 90},
             "initial": 45}]  # fmt: skip
    in_degrees = dh(rows, degrees=True)
    (limits,) = in_degrees.bodies[0].joint.limits
    assert limits == Limits(-math.pi, math.pi / 2)
    assert in_degrees.initial == (math.pi / 4,)
    assert in_degrees.bodies[0].at.rotation == ((0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    named = dh([{"alpha_deg": 90, "theta_deg": -90, "mass": 1.0}])
    assert named.frames == in_degrees.frames
    slide = dh([{"type": "prismatic", "mass": 1.0, "limits": {"lower": -2}}], degrees=True)
    assert slide.bodies[0].joint.limits == (Limits(-2.0),)


def test_the_docstring_is_true():
    assert doctest.testmod(dh_rows).failed == 0


def test_base_and_tool():
    base, tool = Pose.from_rpy((1, 2, 3), (0.1, 0.2, 0.3)), Pose.from_rpy((0, 0, 0.1), (0.4, 0, 0))
    rows = random_rows(3)
    model = dh(rows, base=base, tool=tool)
    q = RNG.normal(size=3)
    *_, T = product(rows, q, "standard")
    T = homogeneous(np.array(base.rotation), base.position) @ T
    T = T @ homogeneous(np.array(tool.rotation), tool.position)
    assert frame_pose(model, q, "tool") == pytest.approx(T, abs=1e-13)
    again = read_dh("arm.csv", text=write_dh(model))
    assert frame_pose(again, q, "tool") == pytest.approx(T, abs=1e-13)


# ---------------------------------------------------------------- back to a table


def same_mechanism(one, two, names):
    """Equal torques everywhere, and bodies that differ by a constant transform only."""
    apart = []
    for _ in range(3):
        q, v, a = RNG.normal(size=(3, one.nv))
        expected = torques(one, q, v, a)
        scale = max(1.0, abs(expected).max())
        assert torques(two, q, v, a) == pytest.approx(expected, abs=1e-10 * scale)
        left, right = world_poses(one, q), world_poses(two, q)
        apart.append([np.linalg.inv(homogeneous(*left[n])) @ homogeneous(*right[n]) for n in names])
    for other in apart[1:]:
        assert np.array(other) == pytest.approx(np.array(apart[0]), abs=1e-9)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_table_comes_back_as_it_was(convention):
    for _ in range(10):
        rows = random_rows(5)
        table = dh_table(dh(rows, convention), convention)
        for given_row, row in zip(rows, table.rows, strict=True):
            first = convention == "modified" and row is table.rows[0]
            for key in () if first else ("a", "alpha", "d", "theta"):
                assert row[key] == pytest.approx(given_row[key], abs=1e-12)
            assert row["com"] == pytest.approx(given_row["com"], abs=1e-12)
            assert row["inertia"] == pytest.approx(given_row["inertia"], abs=1e-12)
            assert row["mass"] == given_row["mass"]


@pytest.mark.parametrize("source", CONVENTIONS)
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("special", [False, True])
def test_any_arm_has_a_table(source, convention, special):
    """Without the link frames of its origin, parallel and crossing axes included."""
    for _ in range(8):
        model = dh(
            random_rows(5, special=special), source, base=Pose.from_rpy((1, 0, 2), (0, 1, 0))
        )
        bare = Model(model.name, model.bodies, gravity=model.gravity)
        again = read_dh("arm.csv", text=write_dh(bare, convention))
        same_mechanism(bare, again, [body.name for body in bare.bodies])


def test_free_axes_and_welded_bodies():
    b = Builder("crane", gravity=(1.0, 2.0, -9.0))
    b.body("foot", joint="fixed", at=(0.1, 0.2, 0.3), mass=5.0)
    b.body("mast", "foot", "revolute", (0, 0, 1), (0.3, 0.1, 0), axis=(1, 2, 3), mass=1.0,
           com=(0.1, 0.2, 0.3), inertia=random_tensor(RNG), joint_name="swing")  # fmt: skip
    b.body("plate", "mast", "fixed", (0.2, 0, 0), (1, 0, 0), mass=0.5, com=(0, 0, 0.1),
           inertia=random_tensor(RNG))  # fmt: skip
    b.body("boom", "plate", "prismatic", (0, 1, 0), axis="-y", mass=2.0, com=(0.3, 0, 0),
           inertia=random_tensor(RNG))  # fmt: skip
    model = b.build()
    for convention in CONVENTIONS:
        text = write_dh(model, convention)
        assert "# not in this table: body 'plate', welded" in text
        again = read_dh("crane.csv", text=text)
        assert [body.joint.name for body in again.bodies] == ["swing", "boom"]
        same_mechanism(model, again, ["mast", "boom"])


def test_the_table_of_a_real_arm():
    """UR5 from its URDF: welded flange and base fused, every torque kept."""
    model = read_urdf(robot("ur5"), base="fixed")
    for convention in CONVENTIONS:
        again = read_dh("ur5.csv", text=write_dh(model, convention))
        same_mechanism(model, again, [b.name for b in again.bodies])
    lengths = sorted(round(abs(row["a"]), 5) for row in dh_table(model).rows)
    assert lengths[-2:] == [0.39225, 0.425]  # the data sheet's a2, a3


def test_everything_a_row_holds_survives():
    rows = [
        {"name": "a", "joint": "ja", "type": "continuous", "d": 0.1, "mass": 1.0,
         "friction": {"viscous": 0.1, "coulomb": 0.2, "static": 0.3, "stribeck": 0.01},
         "rotor": {"inertia": 1e-5, "gear": 50}, "initial": 0.25,
         "motor": {"resistance": 1.2, "torque_constant": 0.9, "voltage_limit": 24}},
        {"name": "b", "a": 0.4, "mass": 2.0, "friction": Passive(spring=3.0, rest=0.1),
         "limits": {"lower": -1, "upper": 2, "velocity": 3, "effort": 4}},
    ]  # fmt: skip
    model = dh(rows, name="pair", gravity=(0, -9, 0))
    again = read_dh("x.csv", text=write_dh(model))
    assert again == model
    first = model.bodies[0]
    assert first.joint.continuous and first.joint.rotors == (Rotor(1e-5, 50.0),)
    assert first.motor == Motor(1.2, 0.9, voltage_limit=24.0)
    assert model.initial == (0.25, 0.0)


def test_tables_cannot_hold_everything():
    tree = Builder()
    tree.body("a", mass=1.0)
    tree.body("b", "a", mass=1.0)
    tree.body("c", "a", mass=1.0)
    with pytest.raises(FormatError, match="body 'c' starts a branch"):
        write_dh(tree.build())
    ball = Builder()
    ball.body("a", joint="spherical", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(FormatError, match="joint 'a' is spherical"):
        write_dh(ball.build())
    stiff = lock(dh([{"mass": 1.0}]), ["link1"])
    with pytest.raises(FormatError, match="no moving joint"):
        write_dh(stiff)
    law = dh([{"mass": 1.0, "friction": Passive(law=lambda x, v: v)}])
    with pytest.raises(FormatError, match=r"'link1'.*function"):
        write_dh(law)
    with pytest.raises(FormatError, match="does not fit a cell"):
        write_dh(dh([{"name": "#spaced", "mass": 1.0}]))
    with pytest.raises(ModelError, match="begins or ends with a blank"):
        dh([{"name": " spaced", "mass": 1.0}])
    with pytest.raises(ModelError, match=r"character 4 of its name cannot be seen \(U\+000A"):
        dh([{"name": "two\nlines", "mass": 1.0}])


# ---------------------------------------------------------------- rows and files with faults


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "list of rows"),
        ({"a": 1}, "list of rows"),
        ([{"alfa": 1}], "row 1: unknown entry 'alfa'. Did you mean 'alpha'"),
        ([{"coulomb": (0.3, 0.5)}], "unknown entry 'coulomb'. It belongs into 'friction'"),
        ([{"a": "long"}], "row 1 .'link1'.: a: expected a number, found 'long'"),
        ([{"a": float("nan")}], "finite"),
        ([{"a": 10**400}], "expected a number"),
        ([{"type": "spherical"}], "one axis per row"),
        ([{"alpha": 1, "alpha_deg": 1}], "found alpha and alpha_deg"),
        ([{"com": (0, 0, 1)}], "without mass"),
        ([{"mass": 1, "com": 3}], "com: expected 3 numbers"),
        ([{"mass": 1, "inertia": (1, 2)}], "inertia: expected"),
        ([{"mass": 1, "inertia": [[1, 0, 0], [1, 1, 0], [0, 0, 1]]}], "symmetric"),
        ([{"mass": 1, "inertia": (1, 1, 3)}], "triangle"),
        ([{"mass": 1, "limits": {"low": 1}}], "Did you mean 'lower'"),
        ([{"mass": 1, "motor": {"gear": 1}}], "motor: missing"),
        ([{}], "no inertia"),
        ([{"mass": 1, "name": "a"}, {"mass": 1, "name": "a"}], "already there"),
    ],
)
def test_faulty_rows_are_named(rows, message):
    with pytest.raises(ArmillaryError, match=message):
        dh(rows, checks="strict")


def test_unknown_convention():
    with pytest.raises(FormatError, match=r"'standard'.*'modified'"):
        dh([{"mass": 1.0}], "craig")


CSV = """# my arm
# convention: modified
# gravity: 0 0 -9.81

name; type; a; alpha_deg; d; mass; ixx; iyy; izz; lower_deg; rotor_gear; viscous
first; ; 0; 0; 0.4; 1; 0.1; 0.1; 0.1; -90; ; 0.5
second; prismatic; 0.2; 90; 0; 2; ; ; ; ; 3
"""


def test_csv_with_semicolons_and_empty_cells(tmp_path):
    path = tmp_path / "arm.csv"
    path.write_text(CSV)
    model = read_dh(path)
    assert model.name == "arm" and model.nv == 2
    assert model.bodies[0].joint.limits == (Limits(-math.pi / 2),)
    assert model.bodies[0].joint.passive == (Passive(viscous=0.5),)
    assert model.bodies[1].joint.rotors == (Rotor(gear=3.0),)
    assert frame_pose(model, [0, 0], "second")[:3, 3] == pytest.approx([0.2, 0, 0.4])
    assert not model.report.of("assumed")
    assert read_dh(path, "standard") != model


def test_what_the_file_does_not_say_is_reported():
    model = read_dh("arm.csv", text="a,mass\n1,2\n")
    assert [note.part for note in model.report.of("assumed")] == ["table", "gravity"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "expected a header"),
        ("a,mass\n", 1, "expected a header"),
        ("a,mas\n1,2\n", 1, "Did you mean 'mass'"),
        ("a,a\n1,2\n", 1, "there twice"),
        ("# hello\na,mass\n1,2\n1,x\n", 4, "row 2 .'link2'.: mass: expected a number, found 'x'"),
        ("a,mass\n1,2,3\n", 2, "3 cells under 2 columns"),
        ("# gravity: 1 2\na,mass\n1,2\n", 1, "gravity: expected 3 numbers"),
        ("# gravity: 1 2 x\na,mass\n1,2\n", 1, "expected a number"),
        ("# base_rotation: 1 0 0 0 1 0 0 0 2\na,mass\n1,2\n", None, "no rotation"),
        ("# convention: craig\na,mass\n1,2\n", None, "convention"),
        ('a,mass\n"1,2\n', None, "no CSV"),
        ("type,mass,lower_deg\nprismatic,2,3\n", 2, "prismatic"),
    ],
)
def test_faults_of_a_file_have_a_line(text, line, message):
    with pytest.raises(FormatError, match=message) as caught:
        read_dh("arm.csv", text=text)
    assert caught.value.line == line and caught.value.path == "arm.csv"


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_mutated_tables_give_a_model_or_our_error(data):
    text = write_dh(dh(random_rows(2, np.random.default_rng(1))))
    for _ in range(data.draw(st.integers(1, 4))):
        i = data.draw(st.integers(0, len(text)))
        j = data.draw(st.integers(i, min(len(text), i + 12)))
        text = text[:i] + data.draw(st.text(max_size=6)) + text[j:]
    with suppress(ArmillaryError):
        assert isinstance(read_dh("arm.csv", text=text), Model)


def test_mass_is_in_the_link_frame_of_the_table():
    """Kinetic energy of one standard link, written out with the table's own frame."""
    (row,) = random_rows(1)
    row["type"] = "revolute"
    model = dh([row])
    (T,) = product([row], [0.4], "standard")
    c = T[:3, :3] @ row["com"] + T[:3, 3]
    xx, yy, zz, xy, xz, yz = row["inertia"]
    I = T[:3, :3] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ T[:3, :3].T
    about_axis = (I - row["mass"] * skew(c) @ skew(c))[2, 2]
    tau = torques(model, [0.4], [0.0], [1.0])
    assert tau == pytest.approx([about_axis], rel=1e-12)  # gravity is along the axis
