"""What kind of mechanism it is: by hand for the built-in ones, matrices by their own laws."""

import numpy as np
import pytest

import armillary as am
from armillary.analysis.structure import structure

# kind, loops, reference members (first), counted on the sketches
KINDS = {
    "stanford": ("open serial chain", 0),
    "puma560": ("open serial chain", 0),
    "four-link-closed": ("closed chain", 1),
    "four-bar": ("closed chain", 1),
    "hslm": ("simple closed chain", 2),
    "stewart": ("simple closed chain", 5),
    "rover": ("simple closed chain", 3),
    "delta": ("branched closed mechanism", 5),
    "four-bar-ladder": ("branched closed mechanism", 4),
    "differential": ("tree", 0),
}


@pytest.mark.parametrize("name", KINDS)
def test_structures(name):
    found = structure(am.example(name).model)
    kind, loops = KINDS[name]
    simple = found.kind == "branched closed mechanism" and bool(found.reference_members)
    assert ("simple closed chain" if simple else found.kind, found.loops) == (kind, loops)
    if simple:
        assert found.reference_members in (("platform",), ("chassis",))


@pytest.mark.parametrize("name", ["six-r", "differential", "stewart", "rover", "delta"])
def test_the_path_matrix_inverts_the_interconnection_matrix(name):
    """T S = 1 for the tree, columns of S sum to zero, loops are in the null space of S."""
    found = structure(am.example(name).model)
    both = found.matrices
    tree = [k for k, hinge in enumerate(found.hinges) if not hinge.closing]
    assert (both.S.sum(axis=0) == 0).all()
    if len(tree) == len(found.bodies) - 1:  # nothing flies
        np.testing.assert_array_equal(both.T @ both.S[1:, tree], np.eye(len(tree)))
    loops = len(found.hinges) - np.linalg.matrix_rank(both.S)
    assert loops == found.loops


def planar(n: int, **more) -> am.Mechanism:
    b = am.Builder(f"planar{n}", gravity=(0, 0, -9.81))
    for k in range(n):
        parent = f"link{k}" if k else "world"
        b.body(f"link{k + 1}", parent, "revolute", (0.3 if k else 0, 0, 0), axis="z", mass=1.0,
               com=(0.15, 0.02, 0.01), inertia=(0.01, 0.02, 0.03, 0.001, 0, 0.002))  # fmt: skip
    b.frame("tip", f"link{n}", (0.3, 0, 0))
    return b.build(**more)


def test_tasks():
    """Planar arms of 2, 3, 4 joints for a task of 3, and in all of space."""
    q = [0.3, 0.7, -0.5, 0.4]
    kinds = [planar(n).classify(q[:n], task=("dx", "dy", "rz")).dexterity for n in (2, 3, 4)]
    assert kinds == ["deficient", "full", "redundant"]
    found = planar(4).classify(q)
    assert (found.dexterity, found.reachable) == ("deficient and redundant", 3)
    straight = planar(3).classify([0.3, 0.0, 0.0], task=("dx", "dy", "rz"))
    assert (straight.rank, straight.reachable) == (2, 3)
    assert "a singular position" in str(straight)


def test_actuation():
    """A passive joint that follows a driven one is not uncontrolled [Yesiloglu2007, 1.2.3]."""
    bars, arm = am.example("four-bar"), am.example("two-link")
    for silent in (bars, arm):  # neither has motors, and closing a loop adds none
        found = silent.classify()
        assert found.actuation == "not known" and found.drives is None
        assert "no motors are declared" in str(found) and "actuators=[...]" in str(found)
    assert bars.classify(actuators=["crank"]).actuation == "fully actuated"
    assert bars.classify(actuators=["crank", "rocker"]).actuation == "over-actuated"
    assert arm.classify(actuators=["joint2"]).actuation == "under-actuated"
    assert arm.classify(actuators=["joint1", "joint2"]).actuation == "fully actuated"
    b = am.Builder("flyer")
    b.body("hull", joint="free", mass=5.0, inertia=(1, 2, 3))
    b.body("arm", "hull", "revolute", (0.2, 0, 0), axis="y", mass=1.0, inertia=(1, 1, 1))
    flyer = b.build().classify(actuators=["arm"])
    assert (flyer.actuation, flyer.freedoms - flyer.reached) == ("under-actuated", 6)


@pytest.mark.parametrize("closed", [False, True])
def test_limits_of_effort_declare_drives(closed):
    """As in URDF: an effort of 0 declares that a joint is passive."""
    b = am.Builder("arm")
    body = {"mass": 1.0, "com": (0.1, 0, 0), "inertia": (0.1, 0.1, 0.1)}
    b.body("a", axis="y", limits=am.Limits(effort=5.0), **body)
    b.body("b", "a", "revolute", (0.4, 0, 0), axis="y", limits=am.Limits(effort=0.0), **body)
    if closed:
        b.body("c", "b", "revolute", (0.4, 0, 0), axis="y", **body)
        b.loop("pin", am.Frame("end", "c", am.Pose((0.4, 0, 0))),
               am.Frame("ground", "world", am.Pose((0.6, 0, 0))), "revolute", axis="y")  # fmt: skip
    m = b.build()
    found = m.classify(m.assemble([0.3, 1.0, 0.8]).q if closed else None)
    assert found.drives == ("a",)
    assert found.actuation == ("fully actuated" if closed else "under-actuated")


def wheel_on_a_line() -> am.Mechanism:
    """A disc that rolls along x in its plane: x = R angle, a constraint of positions."""
    b = am.Builder("line")
    b.body("disc", joint="gimbal", free=("ry", "dx", "dz"), mass=2.0, inertia=(0.1, 0.2, 0.1))
    b.wheel(am.Wheel("contact", "disc", 0.3, rows=("normal", "longitudinal")))
    return b.build()


def test_holonomic_or_not():
    """The disc is the textbook case; in its plane the same row integrates to x = R angle."""
    for name in ("rolling-disc", "two-wheeled-cart", "bicycle"):
        found = am.example(name).classify()
        assert found.holonomic is False and found.rolling, name
    line = wheel_on_a_line()
    found = line.classify(line.assemble([0.2, 0.1, 0.3], ["disc.ry"]).q)
    assert found.rolling and found.holonomic is True
    assert am.example("rover").classify().holonomic is None  # singular: all wheels straight
    assert am.example("stewart").classify().holonomic is True


def test_refusals():
    arm = am.example("two-link")
    with pytest.raises(am.ModelError, match=r"no frame named 'tup'.*'tip'"):
        arm.classify(frame="tup")
    with pytest.raises(am.ModelError, match="no direction named 'x'"):
        arm.classify(task=("x",))
    with pytest.raises(am.InputError, match="different ones"):
        arm.classify(task=("dx", "dx"))
