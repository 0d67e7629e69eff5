"""Six-parameter tables against direct products of Rot(z) Rot(y) Rot(x), there and back."""

import doctest
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
import yaml
from chains import frame_pose, homogeneous, torques, world_poses

from armillary.errors import ArmillaryError, FormatError, InputError
from armillary.formats import sixparameter as module
from armillary.formats.native import read_native
from armillary.formats.native_write import write_native
from armillary.formats.sixparameter import sixparameter
from armillary.formats.sixparameter_write import write_sixparameter
from armillary.joints import AXES
from armillary.model import Builder, Limits, Model, Passive, Rotor
from armillary.model.edit import lock, replace_parameters, subtree, unlock

DATA = Path(__file__).resolve().parent.parent / "data"
RNG = np.random.default_rng(11)
SUBSETS = [c for n in range(7) for c in itertools.combinations(AXES, n)]


def rot(axis, angle):
    """Eqs 2.20-2.22: coordinate transforms."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array(
        {
            "x": [[1, 0, 0], [0, c, s], [0, -s, c]],
            "y": [[c, 0, -s], [0, 1, 0], [s, 0, c]],
            "z": [[c, s, 0], [-s, c, 0], [0, 0, 1]],
        }[axis]
    )


def direct(rows, q):
    """(A_W: link axes as columns, origin of the joint, displacement) of every link in a row."""
    A, p, q = np.eye(3), np.zeros(3), list(q)
    for row in rows:
        gamma = list(row["gamma"])
        for axis in [a for a in AXES if a in row["free"]]:
            gamma[AXES.index(axis)] = q.pop(0)
        A = rot("z", gamma[2]) @ rot("y", gamma[1]) @ rot("x", gamma[0]) @ A  # eq 2.26
        b = np.array(gamma[3:])
        yield A.T, p, b
        p = p + A.T @ b  # eq 2.29


def random_tensor():
    points = RNG.normal(size=(6, 3))
    points -= points.mean(axis=0)
    J = points.T @ points * 0.05
    return np.trace(J) * np.eye(3) - J


def random_row(free, special=False):
    turns = RNG.choice([0, 0, math.pi / 2, -math.pi / 2], 3) if special else RNG.uniform(-1, 1, 3)
    gamma = [*(float(x) for x in turns), *RNG.uniform(-1, 1, 3)]
    return {"gamma": gamma, "free": list(free), "mass": 1.5, "com": RNG.normal(size=3),
            "inertia": random_tensor()}  # fmt: skip


def check_against_direct(rows, model, q):
    """Orientation, centre of mass and tensor of every link, in the world."""
    poses = world_poses(model, q)
    tip = None
    for row, body, (R_W, p_W, b) in zip(rows, model.bodies, direct(rows, q), strict=True):
        R, p = poses[body.name]
        assert pytest.approx(R_W, abs=1e-13) == R
        slide = np.array([axis in row["free"] for axis in AXES[3:]])
        assert p == pytest.approx(p_W + R_W @ (b * slide), abs=1e-12)
        # the link moves with its slide: com is tabulated at the tabulated displacement
        com = np.array(row["com"]) + (b - np.array(row["gamma"][3:])) * slide
        assert p + R @ np.array(body.mass.com) == pytest.approx(p_W + R_W @ com, abs=1e-12)
        xx, yy, zz, xy, xz, yz = body.mass.tensor
        assert np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) == pytest.approx(row["inertia"])
        tip = p_W + R_W @ b
    assert frame_pose(model, q, "tip")[:3, 3] == pytest.approx(tip, abs=1e-12)


@pytest.mark.parametrize("free", SUBSETS, ids="-".join)
def test_a_row_with_constants_anywhere(free):
    """Every subset of free entries between constant turns, between two other links."""
    rows = [random_row(["ry"]), random_row(free), random_row(["rx", "dz"])]
    model = sixparameter(rows)
    for _ in range(2):
        check_against_direct(rows, model, RNG.uniform(-1, 1, model.nq))
    check_against_direct(rows, model, model.initial)


def test_motion_space_is_the_derivative_with_constants_between():
    """tau of a link whose joint has constant turns between free ones, by energy differences."""
    rows = [random_row(["rx", "rz", "dy"])]
    model = sixparameter(rows)
    assert model.bodies[0].joint.kind == "general"
    q, v = RNG.uniform(-1, 1, 3), RNG.uniform(-1, 1, 3)
    power = torques(model, q, v, np.zeros(3)) @ v

    def energy(t):
        step = 1e-5

        def place(s):
            ((R, p, b),) = direct(rows, q + s * v)
            com = np.array(rows[0]["com"]) + (b - np.array(rows[0]["gamma"][3:])) * [0, 1, 0]
            return R, p + R @ com

        (R0, c0), (R1, c1) = place(t - step), place(t + step)
        W = (R1 - R0) / (2 * step) @ ((R0 + R1) / 2).T
        w = np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2
        R, c = place(t)
        speed = (c1 - c0) / (2 * step)
        I = R @ rows[0]["inertia"] @ R.T
        return 0.5 * 1.5 * speed @ speed + 0.5 * w @ I @ w + 1.5 * 9.81 * c[2]

    h = 1e-3
    rate = (energy(h) - energy(-h)) / (2 * h)
    assert rate == pytest.approx(power, rel=1e-4)


def test_which_joint_a_row_becomes():
    def kind(gamma, free):
        spec = sixparameter([{"gamma": gamma, "free": free, "mass": 1.0}]).bodies[0].joint
        return spec.kind, spec.axes

    assert kind([0.3, 0, 0, 0, 0, 0], ["rz"]) == ("revolute", ((0.0, 0.0, 1.0),))
    assert kind([0, 0, 0, 1, 0, 0], ["dx"]) == ("prismatic", ((1.0, 0.0, 0.0),))
    assert kind([0.3, 0, 0, 0, 0, 0], ["ry", "rz", "dx"])[0] == "gimbal"
    assert kind([0.3, 0, 0.2, 0, 0, 0], ["dx", "dz"])[0] == "gimbal"
    assert kind([0, 0.3, 0, 0, 0, 0], ["rx", "rz"])[0] == "general"
    assert kind([0, 0, 0, 1, 2, 3], []) == ("fixed", ())
    name, (axis,) = kind([0, 0, math.pi / 2, 0, 0, 0], ["rx"])
    assert (name, axis) == ("revolute", (0.0, -1.0, 0.0))


# ---------------------------------------------------------------- the documents' tables


def stanford():
    case = yaml.safe_load((DATA / "stanford_tables.yaml").read_text())
    return case, sixparameter(case["links"], gravity=case["gravity"])


def test_stanford_tables_as_they_stand():
    case, model = stanford()
    assert model.initial == (0.0, 0.0, 0.8, 0.0, 0.0)
    assert model.bodies[1].joint.free == ("rz", "dx")
    assert model.bodies[1].mass.com == pytest.approx((-0.5, 0.0, 0.0))
    assert model.bodies[2].at.position == (0.0, 0.0, 0.0)
    tau = torques(model, case["q"], case["qd"], case["qdd"])
    assert tau == pytest.approx(case["tau"], abs=1e-13)


def test_the_initial_place_survives_the_native_file():
    _, model = stanford()
    text = write_native(model)
    assert "link2: [0.0, 0.8]" in text
    assert read_native(text=text) == model


def test_edits_keep_the_initial_place():
    _, model = stanford()
    locked = lock(model, {"link2": (0.1, 0.7)})
    assert locked.initial == (0.0, 0.0, 0.0)
    assert unlock(locked, "link2").initial == (0.0, 0.1, 0.7, 0.0, 0.0)
    assert subtree(model, "link2", base="free").initial == (1, 0, 0, 0, 0, 0, 0, 0, 0)
    assert replace_parameters(model, initial=[1, 2, 3, 4, 5]).initial == (1, 2, 3, 4, 5)
    with pytest.raises(InputError, match="initial: expected 5 numbers"):
        replace_parameters(model, initial=[1])


def test_three_chains_of_the_lifting_mechanism():
    """Table 8.1 of [VanDerMerwe1995]: universal joint with a slide, three roots in one table."""
    heading = {"1": -math.pi / 6, "2": -5 * math.pi / 6, "3": math.pi / 2}
    roots = {"1": (-0.5, 1, -0.2886751), "2": (0.5, 1, -0.2886751), "3": (0, 1, 0.5773503)}
    angle, length = 1.1669367, 1.0874871
    rows = []
    for key in heading:
        rows += [
            {"name": f"leg{key}", "parent": "world", "position": roots[key],
             "gamma": [0, heading[key], -angle, length, 0, 0], "free": ["ry", "rz", "dx"],
             "mass": 2, "com": [0.5, 0, 0], "inertia": [0.05, 0.5, 0.5]},
            {"name": f"foot{key}", "gamma": [0, 0, angle, 0.1, 0, 0], "free": ["ry", "rz"],
             "mass": 0.5, "com": [0.05, 0, 0], "inertia": [6e-5, 6e-4, 6e-4]},
        ]  # fmt: skip
    model = sixparameter(rows, gravity=(0, -10, 0))
    assert model.nv == 15
    tips = [frame_pose(model, model.initial, f"foot{key}_tip")[:3, 3] for key in heading]
    # errata 0-55: the tips stand on a circle of radius 0.05 about the platform's centre
    centre = np.mean(tips, axis=0)
    assert centre == pytest.approx([0, 0, 0], abs=1e-6)
    assert [math.dist(tip, centre) for tip in tips] == pytest.approx([0.05] * 3, abs=1e-6)
    again = sixparameter(write_sixparameter(model), gravity=(0, -10, 0))
    q, v, a = RNG.uniform(-1, 1, (3, 15))
    assert torques(again, q, v, a) == pytest.approx(torques(model, q, v, a), abs=1e-12)


# ---------------------------------------------------------------- back to a table


@pytest.mark.parametrize("special", [False, True])
def test_tables_come_back(special):
    for free in SUBSETS:
        rows = [random_row(["rz"], special), random_row(free, special), random_row(["rx"], special)]
        model = sixparameter(rows)
        again = sixparameter(write_sixparameter(model))
        q, v, a = RNG.uniform(-1, 1, (3, model.nv))
        assert again.initial == pytest.approx(model.initial, abs=1e-12)
        assert torques(again, q, v, a) == pytest.approx(torques(model, q, v, a), abs=1e-10)
        tip = frame_pose(model, q, "tip")[:3, 3]
        assert frame_pose(again, q, "tip")[:3, 3] == pytest.approx(tip, abs=1e-12)


def test_any_chain_of_single_axes_has_a_table():
    for _ in range(20):
        b = Builder()
        for k in range(5):
            b.body(
                f"b{k}",
                f"b{k - 1}" if k else "world",
                "cylindrical" if k == 4 else RNG.choice(["revolute", "prismatic", "fixed"]),
                RNG.normal(size=3),
                RNG.uniform(-1, 1, 3),
                mass=1.0,
                com=RNG.normal(size=3),
                inertia=random_tensor()[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]],
            )
        check_chain(b.build())


def check_chain(model):
    again = sixparameter(write_sixparameter(model))
    q, v, a = RNG.uniform(-1, 1, (3, model.nv))
    assert torques(again, q, v, a) == pytest.approx(torques(model, q, v, a), abs=1e-10)
    last = model.bodies[-1].name
    apart = []
    for q in RNG.uniform(-1, 1, (2, model.nq)):
        left, right = (homogeneous(*world_poses(m, q)[last]) for m in (model, again))
        apart.append(np.linalg.inv(left) @ right)
    assert apart[0] == pytest.approx(apart[1], abs=1e-11)


def test_tables_cannot_hold_everything():
    b = Builder()
    b.body("ball", joint="spherical", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(FormatError, match=r"joint 'ball' \(spherical\)"):
        write_sixparameter(b.build())
    b = Builder()
    b.body("hub", mass=1.0)
    b.body("left", "hub", at=(1, 0, 0), mass=1.0)
    b.body("right", "hub", at=(-1, 0, 0), mass=1.0)
    with pytest.raises(FormatError, match="leads to one position only"):
        write_sixparameter(b.build())
    b = Builder()
    b.body("screw", joint="cylindrical", mass=1.0, inertia=(1, 1, 1))
    b.body("arm", "screw", at=(0, 0, 1), mass=1.0)
    with pytest.raises(FormatError, match=r"'screw'.*beyond the end of the translation dz"):
        write_sixparameter(b.build())


def test_what_belongs_to_an_axis_stands_in_its_order():
    """Columns in another order than that of gamma are refused: q would stand in another order."""
    row = {
        "gamma": [0, 0, 0.1, 0.2, 0, 0],
        "motion_space": [[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]],
        "mass": 1.0,
        "inertia": (1, 1, 1),
        "friction": [{"coulomb": 0.5}, 3.0],
        "limits": [{"upper": 2.0}, {"upper": 1.0}],
        "rotor": {"inertia": 0.1},
    }
    model = sixparameter([row])
    spec = model.bodies[0].joint
    assert spec.free == ("rz", "dx") and model.initial == (0.1, 0.2)
    assert spec.passive == (Passive(coulomb=0.5), Passive(viscous=3.0))
    assert spec.limits == (Limits(upper=2.0), Limits(upper=1.0))
    assert spec.rotors == (Rotor(0.1), Rotor(0.1))
    turned = row | {"motion_space": row["motion_space"][::-1]}
    with pytest.raises(FormatError, match=r"row 1 .*in the order rx, ry, rz.*found dx, rz"):
        sixparameter([turned])
    (written,) = write_sixparameter(model)
    assert sixparameter([written]) == model


def test_the_docstring_is_true():
    assert doctest.testmod(module).failed == 0


def test_degrees():
    rows = [{"gamma": [90, 0, 30, 1, 0, 0], "free": "rz", "mass": 1.0}]
    model = sixparameter(rows, degrees=True)
    assert model.initial == (math.radians(30),)
    assert model.bodies[0].at.rotation == ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "list of rows"),
        ([{"free": ["rz"]}], "`gamma` is missing"),
        ([{"gamma": [1, 2]}], "gamma: expected 6 numbers"),
        ([{"gama": [0] * 6}], "Did you mean 'gamma'"),
        ([{"gamma": [0] * 6, "free": ["rw"]}], "rx, ry, rz, dx, dy, dz"),
        ([{"gamma": [0] * 6, "free": ["rx", "rx"]}], "different ones"),
        ([{"gamma": [0] * 6, "motion_space": [[0, 0, 0.6, 0.8, 0, 0]]}], "one 1 and five 0"),
        ([{"gamma": [0] * 6, "motion_space": [], "free": []}], "Give one of them"),
        ([{"gamma": [0] * 6, "inertia": 1, "inertia_com": 1}], "two names"),
        ([{"gamma": [0] * 6, "free": ["rz"]}], "no inertia"),
        ([{"gamma": [0] * 6, "mass": 1, "parent": "x"}], "no row before it"),
        ([{"gamma": [0] * 6, "mass": 1}, {"gamma": [0] * 6, "position": [0, 0, 0]}], "first joint"),
        ([{"gamma": [0] * 6, "mass": 1, "name": "a"}] * 2, "used twice"),
        ([{"gamma": [0] * 6, "mass": -1}], "negative"),
        ([{"gamma": [0] * 6, "mass": 1, "free": ["rz"], "friction": [1, 2]}], "friction"),
        ([{"gamma": [0, 0, math.inf, 0, 0, 0]}], "finite"),
    ],
)
def test_faulty_rows_are_named(rows, message):
    with pytest.raises(ArmillaryError, match=message):
        sixparameter(rows, checks="strict")


def test_base_motion_and_tip_name():
    rows = [{"gamma": [0, 0, 0, 1, 0, 0], "free": ["rz"], "mass": 1.0}]
    model = sixparameter(rows, tip="hand", base_acceleration=(0, 0, 0, 0, 1, 0))
    assert model.base_acceleration == (0, 0, 0, 0, 1, 0)
    assert [frame.name for frame in model.frames] == ["hand"]
    assert sixparameter(rows, tip=None).frames == ()
    assert isinstance(model, Model)
