"""Parts files: sections -> parts -> links, against sums by hand and against each other."""

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

import armillary as am
from armillary.cli.app import app
from armillary.errors import FormatError
from armillary.formats.parts import read_parts
from armillary.formats.parts_checks import compared, warnings
from armillary.model.parts import mass_of
from armillary.spatial import Inertia, Matrix, Symmetric, Vector

HEAD = "armillary_parts: 1\nname: arm\n"


def parts(text: str, head: str = HEAD):
    return read_parts("arm.parts.yaml", text=head + text)


def one_link(sections: str, rest: str = "") -> str:
    return f"""
links:
  arm:
    parts:
      beam:
        material: aluminium
        sections:
{sections}
{rest}"""


def leaves(mass):
    return np.array([mass.mass, *mass.com, *mass.tensor])


def assert_same(one, two, tolerance=1e-12):
    """Mass properties, each number against its size in a body like this."""
    length = math.sqrt(max(sum(two.tensor[:3]), 1e-30) / two.mass) + math.dist(two.com, (0, 0, 0))
    scale = two.mass * np.array([1.0, *[1.0 / two.mass * length] * 3, *[length**2] * 6])
    assert (np.abs(leaves(one) - leaves(two)) <= tolerance * scale).all(), (one, two)


def test_a_beam_with_a_bore_and_two_bolts():
    """Sums of textbook formulas, written out."""
    found = (
        parts("""
links:
  arm:
    parts:
      beam:
        density: 2700
        sections:
          - {type: box, x: 0.5, y: 0.08, z: 0.06}
          - {type: cylinder, radius: 0.01, length: 0.06, at: {position: [0.2, 0, 0]}, remove: true}
      bolts:
        mass: 0.1
        at: {position: [-0.2, 0.03, 0]}
        copies: [{position: [-0.2, -0.03, 0]}]
        sections: [{type: sphere, radius: 0.01}]
      board: {mass: 0.2, com: [0, 0, 0.04], inertia: {xx: 1e-4, yy: 2e-4, zz: 3e-4}}
""")
        .link("arm")
        .mass
    )
    beam, bore = 2700 * 0.5 * 0.08 * 0.06, 2700 * math.pi * 0.01**2 * 0.06
    total = beam - bore + 0.2 + 0.2
    com = np.array([-0.2 * bore + 0.2 * -0.2, 0.0, 0.2 * 0.04]) / total
    assert found.mass == pytest.approx(total, rel=1e-13)
    np.testing.assert_allclose(found.com, com, rtol=0, atol=1e-14)
    # about z through the origin, then to the centre
    zz = beam * (0.5**2 + 0.08**2) / 12 - bore * (0.01**2 / 2 + 0.2**2)
    zz += 2 * 0.1 * (0.4 * 0.01**2 + 0.2**2 + 0.03**2) + 3e-4
    assert found.tensor[2] == pytest.approx(zz - total * (com[0] ** 2 + com[1] ** 2), rel=1e-12)


def test_cut_otherwise_the_link_is_the_same():
    """A beam as one box, as four boxes in turned parts, and as a prism."""
    whole = parts(one_link("          - {type: box, x: 0.4, y: 0.1, z: 0.06}")).link("arm").mass
    pieces = parts("""
links:
  arm:
    parts:
      left:
        material: aluminium
        at: {position: [-0.1, 0, 0], rpy: [0, 0, 1.5707963267948966]}
        sections:
          - {type: box, x: 0.1, y: 0.2, z: 0.02, at: {position: [0, 0, -0.02]}}
          - {type: box, x: 0.1, y: 0.2, z: 0.04, at: {position: [0, 0, 0.01]}}
      right:
        material: aluminium
        at: {position: [0.1, 0, 0], rpy: [3.141592653589793, 0, 0]}
        sections:
          - {type: box, x: 0.2, y: 0.03, z: 0.06, at: {position: [0, 0.035, 0]}}
          - {type: box, x: 0.2, y: 0.07, z: 0.06, at: {position: [0, -0.015, 0]}}
""").link("arm")
    assert_same(pieces.mass, whole)
    assert warnings(parts_of(pieces)) == ()  # faces that touch do not overlap
    outline = "[[-0.2, -0.05], [0.2, -0.05], [0.2, 0.05], [-0.2, 0.05]]"
    prism = parts(one_link(f"          - {{type: prism, points: {outline}, length: 0.06}}"))
    assert_same(prism.link("arm").mass, whole)


def parts_of(link):
    """A database of one link."""
    from armillary.formats.parts import PartsDatabase

    return PartsDatabase("one", (link,), None)  # type: ignore[arg-type]


def test_units_and_frames():
    """Millimetres and degrees, drawn in a turned frame, against metres and radians."""
    metres = parts(
        "links:\n  arm:\n    frame: {position: [0.1, -0.2, 0.3], rpy: [0.5235987755982988, 0, 0]}\n"
        "    parts:\n      p: {material: steel, sections: [{type: semi-cylinder, radius: 0.04, "
        "length: 0.3, at: {position: [0, 0.05, 0], rpy: [0, 0.7853981633974483, 0]}}]}\n"
    )
    millimetres = parts(
        "units: {length: mm, angle: deg}\n"
        "links:\n  arm:\n    frame: {position: [100, -200, 300], rpy: [30, 0, 0]}\n"
        "    parts:\n      p: {material: steel, sections: [{type: semi-cylinder, radius: 40, "
        "length: 300, at: {position: [0, 50, 0], rpy: [0, 45, 0]}}]}\n"
    )
    assert_same(millimetres.link("arm").mass, metres.link("arm").mass)
    # by hand: the centroid is 4 r / 3 π off the axis, along the solid's own x
    off = 4 * 0.04 / (3 * math.pi)
    x = np.array([math.cos(math.pi / 4), 0.0, -math.sin(math.pi / 4)]) * off + [0, 0.05, 0]
    c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
    com = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ x + [0.1, -0.2, 0.3]
    np.testing.assert_allclose(metres.link("arm").mass.com, com, rtol=0, atol=1e-14)


ARM = """
units: {length: mm, angle: deg}
links:
  column:
    dh: {d: 400, alpha: 90}
    frame: {position: [0, -200, 0], rpy: [-90, 0, 0]}
    motor: {resistance: 1.1, torque_constant: 2.3}
    parts:
      tube: {material: aluminium-6061, sections: [{type: hollow-cylinder, radius: 80,
             inner_radius: 70, length: 380, at: {position: [3, 5, 0]}}]}
  beam:
    dh: {a: 500, alpha: -90}
    frame: {position: [-250, 0, 0]}
    parts:
      box: {material: steel, sections: [{type: box, x: 500, y: 80, z: 6}]}
  slide:
    dh: {type: prismatic, d: 100}
    parts:
      rod: {density: 7000, sections: [{type: cylinder, radius: 10, length: 300}]}
"""


def test_the_arm_moves_as_if_its_joints_were_written_down():
    """Denavit-Hartenberg rows against the same links with joints and body frames by hand."""
    table = am.Mechanism(parts(ARM).model())
    assert table.model.bodies[0].motor.torque_constant == 2.3
    joints = """
links:
  column:
    joint: {type: revolute}
    frame: {position: [0, 0, 0.2]}
    parts:
      tube: {material: aluminium-6061, sections: [{type: hollow-cylinder, radius: 0.08,
             inner_radius: 0.07, length: 0.38, at: {position: [0.003, 0.005, 0]}}]}
  beam:
    joint: {type: revolute}
    at: {position: [0, 0, 0.4], rpy: [1.5707963267948966, 0, 0]}
    frame: {position: [0.25, 0, 0], rpy: [-1.5707963267948966, 0, 0]}
    parts:
      box: {material: steel, sections: [{type: box, x: 0.5, y: 0.08, z: 0.006}]}
  slide:
    joint: {type: prismatic, axis: z}
    at: {position: [0.5, 0, 0], rpy: [-1.5707963267948966, 0, 0]}
    frame: {position: [0, 0, 0.1]}
    parts:
      rod: {density: 7000, sections: [{type: cylinder, radius: 0.01, length: 0.3}]}
"""
    hand = am.Mechanism(parts(joints).model())
    q, v, a = [0.4, -0.8, 0.07], [1.0, 0.5, -0.3], [0.2, -1.0, 2.0]
    wanted = hand.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(table.inverse_dynamics(q, v, a), wanted, rtol=1e-10, atol=1e-10)


def test_shapes_stand_where_the_mass_is():
    """The shapes of the arm, filled with its material, give its masses again."""
    text = ARM.replace("hollow-cylinder", "cylinder").replace("inner_radius: 70, ", "")
    text = text.replace("aluminium-6061", "steel").replace("density: 7000", "material: steel")
    arm = parts(text).model()
    again = am.masses_from_shapes(arm, density=7850.0)
    for one, two in zip(again.bodies, arm.bodies, strict=True):
        assert_same(one.mass, two.mass, 1e-10)
    with pytest.raises(am.InputError, match="density"):
        am.masses_from_shapes(arm, density=-1.0)


def test_overlaps_and_holes_in_nothing():
    overlap = one_link(
        "          - {name: one, type: box, x: 0.2, y: 0.1, z: 0.1}\n"
        "          - {name: two, type: sphere, radius: 0.05, at: {position: [0.1, 0, 0]}}"
    )
    (text,) = warnings(parts(overlap))
    assert "'beam/one' and 'beam/two' overlap: 50%" in text
    hole = one_link(
        "          - {name: plate, type: box, x: 0.2, y: 0.1, z: 0.1}\n"
        "          - {name: bore, type: cylinder, radius: 0.02, length: 0.2, remove: true}"
    )
    (text,) = warnings(parts(hole))
    assert "'beam/bore' removes material that is not there: 50%" in text
    filled = one_link(
        "          - {name: tube, type: cylinder, radius: 0.05, length: 0.2}\n"
        "          - {name: bore, type: cylinder, radius: 0.03, length: 0.2, remove: true}",
        "      shaft: {material: steel, sections: [{type: cylinder, radius: 0.03, length: 0.2}]}",
    )
    assert warnings(parts(filled)) == ()


def test_compared_with_cad():
    """A body turned by 10 degrees, shifted and heavier: said so."""
    own = mass_of(Inertia.from_com(2.0, Vector(0.1, 0, 0), Symmetric(0.01, 0.02, 0.025)))
    c, s = math.cos(math.radians(10)), math.sin(math.radians(10))
    R = Matrix(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))
    turned = Symmetric(0.0105, 0.021, 0.02625).rotate(R)
    given = mass_of(Inertia.from_com(2.1, Vector(0.1, 0.003, 0.004), turned))
    found = compared(own, given)
    assert found.mass == pytest.approx(0.05)
    assert math.dist(found.shift, (0, 0, 0)) == pytest.approx(0.005)
    np.testing.assert_allclose(found.moments, 0.05, rtol=1e-9)
    assert math.degrees(found.rotation) == pytest.approx(10.0)
    ball = mass_of(Inertia.from_com(2.0, Vector(), Symmetric(0.01, 0.01, 0.01)))
    assert compared(ball, given).rotation is None


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (one_link("          - {type: bax, x: 1}"), 10, "Did you mean 'box'"),
        (one_link("          - {type: box, x: 1, y: 1}"), 10, "missing z"),
        (one_link("          - {type: box, x: 1, y: 1, z: -1}"), 10, "z must be positive"),
        (one_link("          - {type: box, x: 1, y: 1, z: 1, material: unobtainium}"), 10,
         "unknown material 'unobtainium'"),
        (one_link("          - {type: box, x: 1, y: 1, z: 1, material: steel, density: 3}"), 10,
         "material and density"),
        (one_link("          - {type: box, x: 1, y: 1, z: 1, remove: true}"), 7,
         "more is removed than there is"),
        (one_link("          - {type: mesh, mesh: part.stl}"), 10, "this is a text"),
        ("links:\n  arm:\n    parts:\n      p: {}\n", 6, "needs sections, or mass"),
        ("links:\n  arm:\n    parts:\n      p: {mass: -1}\n", 6, "mass must be positive"),
        ("links:\n  arm:\n    parts:\n      p: {sections: [{type: sphere, radius: 1}]}\n", 6,
         "give a material or a density"),
    ],
)  # fmt: skip
def test_faults_with_their_line(text, line, said):
    with pytest.raises(FormatError, match=said) as caught:
        parts(text)
    assert caught.value.line == line, caught.value


def test_masses_alone_do_not_move():
    with pytest.raises(FormatError, match="not how they move"):
        parts(one_link("          - {type: sphere, radius: 0.1}")).model()


def test_meshes_are_solids(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((0.1, 0.2, 0.3)).export(tmp_path / "box.stl")
    file = tmp_path / "a.parts.yaml"
    file.write_text(HEAD + one_link("          - {type: mesh, mesh: box.stl}"))
    box = parts(one_link("          - {type: box, x: 0.1, y: 0.2, z: 0.3}")).link("arm").mass
    assert_same(read_parts(file).link("arm").mass, box, 1e-6)  # the file has single precision
    file.write_text(HEAD + one_link("          - {type: mesh, mesh: ../secret.stl}"))
    with pytest.raises(FormatError):
        read_parts(file)
    box = trimesh.creation.box((1, 1, 1))
    box.update_faces(np.arange(len(box.faces)) > 1)  # one side is open
    box.export(tmp_path / "box.stl")
    file.write_text(HEAD + one_link("          - {type: mesh, mesh: box.stl}"))
    with pytest.raises(FormatError, match="not closed"):
        read_parts(file)


def test_the_manipulator_file_knows_when_it_is_out_of_date(tmp_path):
    source, made = tmp_path / "arm.parts.yaml", tmp_path / "arm.yaml"
    source.write_text(HEAD + ARM)
    run = CliRunner().invoke(app, ["parts", str(source), "-o", str(made)])
    assert run.exit_code == 0, run.output
    arm = am.load(made)
    assert not arm.report.of("warning")
    q, v, a = [0.4, -0.8, 0.07], [1.0, 0.5, -0.3], [0.2, -1.0, 2.0]
    wanted = am.load(source).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(arm.inverse_dynamics(q, v, a), wanted, rtol=1e-13)
    source.write_text(HEAD + ARM.replace("x: 500", "x: 510"))
    (note,) = am.load(made).report.of("warning")
    assert "out of date" in note.text
    source.unlink()
    (note,) = am.load(made).report.of("assumed")
    assert "is not there" in note.text


def test_the_command_prints_what_the_file_holds(tmp_path):
    file = tmp_path / "arm.parts.yaml"
    file.write_text(HEAD + ARM)
    shown = CliRunner().invoke(app, ["parts", str(file)])
    assert shown.exit_code == 0
    for word in ("column", "tube", "beam", "rod", "mass [kg]"):
        assert word in shown.output
    content = json.loads(CliRunner().invoke(app, ["parts", str(file), "--json"]).output)
    database = read_parts(file)
    assert content["mass"] == database.total
    assert content["links"]["beam"]["mass"] == database.link("beam").mass.mass
