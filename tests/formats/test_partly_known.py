"""Planar and partly known inertias load from every source, and answer as far as they are known."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import FormatError, ModelError

PLANAR = [
    {"name": "upper", "a": 0.5, "mass": 2.0, "com": (-0.25, 0, 0), "inertia": (0, 0, 0.04)},
    {"name": "fore", "a": 0.4, "mass": 1.0, "com": (-0.2, 0, 0), "inertia": (0, 0, 0.015)},
]
YAML = """armillary: 1
gravity: [0, -9.81, 0]
bodies:
  upper: {parent: world, joint: {type: revolute, axis: z}, mass: 2, com: [0.25, 0, 0],
          inertia: {zz: 0.04}}
  fore: {parent: upper, joint: {type: revolute, axis: z}, at: {position: [0.5, 0, 0]}, mass: 1,
         com: [0.2, 0, 0], inertia: {zz: 0.015}}
"""
CSV = """# gravity: 0 -9.81 0
name,a,mass,com_x,izz
upper,0.5,2,-0.25,0.04
fore,0.4,1,-0.2,0.015
"""
URDF = """<robot name="r"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.25 0 0"/><mass value="2"/>
<inertia ixx="0" iyy="0" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="fore"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
<inertia ixx="0" iyy="0" izz="0.015" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="continuous"><parent link="base"/><child link="upper"/>
<axis xyz="0 0 1"/></joint>
<joint name="j2" type="continuous"><parent link="upper"/><child link="fore"/>
<origin xyz="0.5 0 0"/><axis xyz="0 0 1"/></joint></robot>
"""


def closed_form(q, v, a):
    """Planar arm of two links, gravity along -y (any textbook)."""
    m1, m2, l, c1, c2, I1, I2, g = 2.0, 1.0, 0.5, 0.25, 0.2, 0.04, 0.015, 9.81
    k = m2 * l * c2
    M = np.array([
        [I1 + I2 + m1 * c1**2 + m2 * (l**2 + c2**2) + 2 * k * np.cos(q[1]),
         I2 + m2 * c2**2 + k * np.cos(q[1])],
        [I2 + m2 * c2**2 + k * np.cos(q[1]), I2 + m2 * c2**2]])  # fmt: skip
    h = k * np.sin(q[1]) * np.array([-v[1] * (2 * v[0] + v[1]), v[0] ** 2])
    beyond = m2 * c2 * np.cos(q[0] + q[1])
    G = g * np.array([(m1 * c1 + m2 * l) * np.cos(q[0]) + beyond, beyond])
    return M @ a + h + G


def by_builder(checks="report"):
    b = am.Builder("arm", gravity=(0, -9.81, 0), checks=checks)
    b.body("upper", axis="z", mass=2, com=(0.25, 0, 0), inertia=(0, 0, 0.04))
    b.body("fore", "upper", at=(0.5, 0, 0), axis="z", mass=1, com=(0.2, 0, 0),
           inertia=(0, 0, 0.015))  # fmt: skip
    return b.build()


def by_table(checks="report"):
    rows = [
        {"gamma": (0, 0, 0, 0.5, 0, 0), "free": "rz", "mass": 2, "com": (0.25, 0, 0),
         "inertia": (0, 0, 0.04)},
        {"gamma": (0, 0, 0, 0.4, 0, 0), "free": "rz", "mass": 1, "com": (0.2, 0, 0),
         "inertia": (0, 0, 0.015)},
    ]  # fmt: skip
    return am.sixparameter(rows, gravity=(0, -9.81, 0), checks=checks)


def by_file(text, suffix):
    def read(folder, strict):
        path = folder / f"arm{suffix}"
        path.write_text(text)
        return am.load(path, strict=strict)

    return read


SOURCES = {
    "builder": lambda folder, strict: by_builder("strict" if strict else "report"),
    "dh": lambda folder, strict: am.dh(
        PLANAR, gravity=(0, -9.81, 0), checks="strict" if strict else "report"
    ),
    "sixparameter": lambda folder, strict: by_table("strict" if strict else "report"),
    "yaml": by_file(YAML, ".yaml"),
    "csv": by_file(CSV, ".csv"),
    "urdf": by_file(URDF, ".urdf"),
}


@pytest.mark.parametrize("source", SOURCES)
def test_a_planar_arm_loads_and_is_the_closed_form(source, tmp_path):
    arm = SOURCES[source](tmp_path, False)
    if source == "urdf":
        arm = arm.replace(gravity=(0, -9.81, 0))
    warnings = [note.text for note in arm.report.of("warning")]
    assert len(warnings) == 2 and all("I3 <= I1 + I2" in text for text in warnings)
    assert "0.04 > 0 + 0" in warnings[0]
    rng = np.random.default_rng(3)
    for q, v, a in rng.normal(size=(5, 3, 2)):
        tau = arm.inverse_dynamics(q, v, a)
        assert tau == pytest.approx(closed_form(q, v, a), rel=1e-12, abs=1e-12)
        assert arm.forward_dynamics(q, v, tau) == pytest.approx(a, rel=1e-10, abs=1e-10)
    with pytest.raises(ModelError, match="I3 <= I1"):
        SOURCES[source](tmp_path, True)


@pytest.mark.parametrize("default", [am.Builder, am.dh, am.sixparameter])
def test_report_is_the_default(default):
    if default is am.Builder:
        b = am.Builder()
        b.body("a", mass=1, inertia=(0, 0, 1))
        m = b.build()
    elif default is am.dh:
        m = am.dh([{"mass": 1, "inertia": (0, 0, 1)}])
    else:
        m = am.sixparameter([{"gamma": [0] * 6, "free": "rz", "mass": 1, "inertia": (0, 0, 1)}])
    assert len(m.report.of("warning")) == 1
    with pytest.raises(ModelError, match=r"'strict' or 'report'.*'maybe'"):
        am.Builder(checks="maybe")


def test_no_mass_but_a_moment():
    """Izz alone is all that a disc on its axle needs; a slide needs the mass, and says so."""
    b = am.Builder(gravity=(0, 0, 0))
    b.body("disc", axis="z", mass=0, inertia=(0, 0, 0.35))
    disc = b.build()
    assert disc.forward_dynamics([0.3], [1.0], [0.7]) == pytest.approx([2.0])
    assert disc.inverse_dynamics([0.3], [1.0], [2.0]) == pytest.approx([0.7])
    b = am.Builder()
    b.body("slide", joint="prismatic", axis="x", mass=0, inertia=(0, 0, 0.35))
    slide = b.build()
    assert slide.jacobian([0.1], "slide").shape == (6, 1)
    with pytest.raises(ModelError, match=r"'slide'.*undefined"):
        slide.forward_dynamics([0.1], [0.0], [0.0])


def test_a_table_of_lengths_alone_answers_kinematics():
    """No masses at all: poses and Jacobians yes, forward dynamics an error that names the body."""
    arm = am.dh([{"a": 0.5}, {"a": 0.4}])
    assert arm.pose([0.0, np.pi / 2], "link2_dh")[1] == pytest.approx([0.5, 0.4, 0])
    with pytest.raises(ModelError, match=r"body 'link1'.*undefined.*Give it a mass"):
        arm.forward_dynamics([0, 0], [0, 0], [0, 0])
    mended = arm.replace(bodies={n: {"mass": 1.0, "com": (0.3, 0, 0)} for n in ("link1", "link2")})
    assert np.isfinite(mended.forward_dynamics([0, 0.3], [0, 0], [0, 0])).all()


def test_edits_keep_what_they_do_not_touch():
    puma = am.example("puma560")
    frictionless = puma.replace(bodies={"link1": {"passive": ()}})
    assert frictionless.report.notes == puma.report.notes
    planar = am.example("two-link").replace(bodies={"link1": {"inertia": (0, 0, 1)}})
    assert "kept as it is" in planar.report.of("warning")[0].text
    with pytest.raises(ModelError, match="I3 <= I1"):
        am.example("two-link").replace(bodies={"link1": {"inertia": (0, 0, 1)}}, checks="strict")
    loaded = puma.attach("link1", 0.0, inertia=(0, 0, 0.1))
    assert loaded.model.bodies[0].mass.tensor[2] == pytest.approx(
        0.45
    )  # no mass, and the moment stays
    q, z = np.full(6, 0.3), np.zeros(6)
    one = np.eye(6)[0]
    more = loaded.inverse_dynamics(q, z, one) - puma.inverse_dynamics(q, z, one)
    assert more == pytest.approx([0.1, 0, 0, 0, 0, 0], abs=1e-12)


def test_yaml_may_ask_for_strictness():
    from armillary.formats.native import read_native

    assert len(read_native(text=YAML).report.of("warning")) == 2
    with pytest.raises(FormatError, match="I3 <= I1"):
        read_native(text=YAML.replace("armillary: 1", "armillary: 1\nchecks: strict"))
