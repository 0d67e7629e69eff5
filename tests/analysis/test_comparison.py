"""`am.compare`: what differs between two mechanisms, and what it does to the forces."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError

BODY = {"com": (0.1, -0.2, 0.3), "inertia": (0.2, 0.3, 0.25, 0.01, -0.02, 0.03)}


def pendulum(gravity=9.81, mass=2.0, length=0.7, viscous=0.0, rotor=0.0):
    b = am.Builder("pendulum", gravity=(0, 0, -gravity))
    more = {"rotor": am.Rotor(rotor)} if rotor else {}
    b.body(
        "bob", axis="y", joint_name="pin", mass=mass, com=(0, 0, -length),
        passive=am.Passive(viscous=viscous), **more,
    )  # fmt: skip
    return b.build()


def branches(order, spring=30.0):
    b = am.Builder("branches")
    b.body("trunk", joint="spherical", joint_name="neck", mass=3.0, **BODY)
    for name in order:
        axis = {"left": "x", "right": "-y"}[name]
        side = 1.0 if name == "left" else -1.0
        b.body(name, "trunk", axis=axis, at=(0.2, 0.1 * side, 0.0), mass=1.0, **BODY)
        b.frame(f"{name} hand", name, at=(0.1, 0.2, 0.3))
    b.spring("tie", "left hand", "right hand", stiffness=spring, rest=0.1)
    return b.build()


@pytest.mark.parametrize(
    "change, kind, of_state",
    [
        ({"gravity": 9.80621}, "gravity", lambda q, v, a: 2.0 * 0.7 * (9.81 - 9.80621) * np.sin(q)),
        (
            {"mass": 2.5},
            "masses",
            lambda q, v, a: 0.5 * (0.7**2 * a + 0.7 * 9.81 * np.sin(q)),
        ),
        ({"viscous": 0.3}, "friction and springs", lambda q, v, a: 0.3 * v),
        ({"rotor": 0.02}, "rotors", lambda q, v, a: 0.02 * a),
    ],
)
def test_causes_of_a_pendulum(change, kind, of_state):
    """m l² a + m g l sin q + d v + J a: the change of each term in closed form."""
    one, two = pendulum(), pendulum(**change)
    found = am.compare(one, two, states=7, seed=3)
    wanted = max(abs(of_state(*(x[0] for x in one.random_state(3 + k)))) for k in range(7))
    assert set(found.causes) == {kind}
    assert found.causes[kind] == pytest.approx(wanted, rel=1e-9)
    assert not found.same and found.answers["places of the bodies"] == 0.0
    assert len(found.differences) == 1 and kind in str(found)


def test_the_order_of_joints_does_not_matter():
    """Branches in another order: other places in q and v, the same machine."""
    one, two = branches(("left", "right")), branches(("right", "left"))
    assert one.v_labels != two.v_labels
    found = am.compare(one, two)
    assert found.same and not found.differences and not found.causes
    assert max(found.answers.values()) < 1e-14
    other = am.compare(one, branches(("right", "left"), spring=31.0))
    assert set(other.causes) == {"force elements"}
    assert [d.entry for d in other.differences] == ["law.stiffness"]


def test_a_file_is_what_was_written(tmp_path):
    """Also the attitudes: a body frame turned by its reader would be seen."""
    for name in ("puma560", "four-bar", "rover"):
        mechanism = am.example(name)
        mechanism.save(tmp_path / f"{name}.yaml")
        assert am.compare(mechanism, am.load(tmp_path / f"{name}.yaml")).same


def test_closed_mechanisms_start_alike():
    one = am.example("four-bar")
    two = one.replace(bodies={"rocker": {"mass": 0.7}})
    found = am.compare(one, two)
    rest = np.zeros(3)
    pair = [m.solve(one.initial, rest, rest).acceleration for m in (one, two)]
    wanted = np.abs(pair[0] - pair[1]).max() / np.abs(pair).max()
    assert found.answers["accelerations from rest, closed"] == pytest.approx(wanted, rel=1e-6)


def test_what_cannot_be_compared_is_said():
    found = am.compare(am.example("two-link"), am.example("double-pendulum"))
    assert not found.same and "moves in 'two-link' only" in found.not_compared
    assert "dynamics not compared" in str(found) and not found.answers
    slide = am.Builder("slide")
    slide.body("bob", joint="prismatic", joint_name="pin", mass=1.0)
    assert "revolute in one, prismatic" in am.compare(pendulum(), slide.build()).not_compared
    with pytest.raises(InputError, match="expected two mechanisms, found str"):
        am.compare(pendulum(), "arm.urdf")
    with pytest.raises(InputError, match="states is a whole number"):
        am.compare(pendulum(), pendulum(), states=0)


def test_rounding_of_nothing_is_no_difference():
    """An arm across gravity needs no forces; an axis or a centre off by 1e-17 leaves 1e-16 N m."""

    def arm(tilt, shift):
        b = am.Builder("arm")
        b.body("upper", axis=(tilt, 0, 1.0), mass=3.0, com=(0.2, shift, 0), inertia=(1, 1, 1))
        return b.build()

    one, two = arm(0.0, 0.0), arm(1e-16, 1e-17)
    q = np.array([0.4])
    assert one.gravity_forces(q) != two.gravity_forces(q)
    found = am.compare(one, two)
    assert found.same, found
    assert [x.entry for x in found.differences] in ([], ["joint.axes"])
    assert not am.compare(one, arm(1e-6, 0.0)).same
