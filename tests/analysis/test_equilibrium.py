"""Static rest: closed forms, energy, held joints, several solutions, one-sided laws, refusals."""

import numpy as np
import pytest
from scipy.optimize import brentq

import armillary as am
from armillary.errors import InputError, ModelError
from armillary.scalar import where

G = 9.81


def pendulum(spring=0.0, law=None, up=False):
    b = am.Builder("pendulum", (0, 0, G if up else -G))
    b.body("bar", axis="y", mass=1.3, com=(0, 0, -0.4), inertia=(0.07, 0.07, 0.01),
           passive=am.Passive(spring=spring, law=law))  # fmt: skip
    return b.build()


def test_a_pendulum_hangs_or_stands():
    m = pendulum()
    down, up = m.equilibrium([0.4]), m.equilibrium([3.0])
    assert down["bar"] == pytest.approx(0.0, abs=1e-12)
    assert up["bar"] == pytest.approx(np.pi, abs=1e-12)
    assert (down.stability, up.stability) == ("stable", "unstable")
    np.testing.assert_allclose(down.stiffness, [1.3 * G * 0.4], rtol=1e-12)
    np.testing.assert_allclose(up.stiffness, [-1.3 * G * 0.4], rtol=1e-12)
    assert m.equilibrium([3.0], stable=True)["bar"] == pytest.approx(0.0, abs=1e-12)
    assert down.energy == pytest.approx(-1.3 * G * 0.4)


def test_a_force_and_a_wrench_lift_it():
    m = pendulum()
    found = m.equilibrium([0.1], [2.0])
    assert np.sin(found["bar"]) == pytest.approx(2.0 / (1.3 * G * 0.4), rel=1e-12)
    # a force along x of the body at its origin does nothing; a couple about y does the same as tau
    found = m.equilibrium([0.1], external={"bar": [0, 2.0, 0, 0, 0, 0]})
    assert np.sin(found["bar"]) == pytest.approx(2.0 / (1.3 * G * 0.4), rel=1e-12)


def test_an_inverted_pendulum_on_a_spring_buckles():
    """k θ = w sin θ: three solutions where the spring is softer than the weight."""
    weight = 1.3 * G * 0.4
    m = pendulum(spring=0.6 * weight, up=True)
    found = m.equilibrium([0.0], restarts=12)
    assert found.stability == "unstable"
    side = brentq(lambda x: 0.6 * x - np.sin(x), 0.5, 3.0, xtol=1e-14)
    places = sorted(one["bar"] for one in found.solutions)
    np.testing.assert_allclose(places, [-side, 0, side], atol=1e-9)
    assert [one.stability for one in found.others] == ["stable", "stable"]
    again = m.equilibrium([0.0], restarts=12)
    np.testing.assert_array_equal([x.q for x in found.solutions], [x.q for x in again.solutions])
    assert m.equilibrium([0.0], stable=True).stability == "stable"
    stiff = pendulum(spring=1.2 * weight, up=True).equilibrium([0.3], restarts=5)
    assert stiff.stability == "stable"
    assert not stiff.others


def test_one_sided_springs():
    """A stop that pushes beyond 0.3 rad and never pulls; a slack cable leaves it hanging."""
    stop = am.Law(lambda x, v: where(x > 0.3, 40.0 * (x - 0.3), 0.0),
                  lambda x: where(x > 0.3, 20.0 * (x - 0.3) * (x - 0.3), 0.0))  # fmt: skip
    m, weight = pendulum(law=stop), 1.3 * G * 0.4
    pushed = m.equilibrium([0.2], [3.0])
    expected = brentq(lambda x: weight * np.sin(x) + 40 * (x - 0.3) - 3.0, 0.3, 1.0, xtol=1e-15)
    assert pushed["bar"] == pytest.approx(expected, abs=1e-11)
    assert m.equilibrium([1.4])["bar"] == pytest.approx(0.0, abs=1e-11)


def test_double_pendulum_all_four():
    m = am.example("double-pendulum")
    found = m.equilibrium([0.3, 0.2], restarts=25)
    assert len(found.solutions) == 4
    assert sorted(x.stability for x in found.solutions) == ["stable"] + ["unstable"] * 3
    assert list(found.others) == sorted(found.others, key=lambda x: x.energy)
    for one in found.solutions:
        np.testing.assert_allclose(m.static_torques(one.q), 0, atol=1e-9)


@pytest.mark.parametrize("name", ["four-bar", "slider-crank"])
def test_closed_mechanisms_by_energy(name):
    """At a stable rest every closed neighbour has more energy; nothing accelerates."""
    m = am.example(name)
    found = m.equilibrium(stable=True)
    assert found.stability == "stable"
    none = np.zeros(m.nv)
    assert np.abs(m.constraint_residual(found.q)).max() < 1e-9
    assert np.abs(m.forward_dynamics(found.q, none, none)).max() < 1e-8
    rng = np.random.default_rng(0)
    for _ in range(5):
        near = m.project(m.integrate(found.q, 1e-2 * rng.normal(size=m.nv)))[0]
        assert m.energy(near, none)[1] > m.energy(found.q, none)[1]


def test_held_joints_of_open_and_closed_mechanisms():
    m = am.example("double-pendulum")
    found = m.equilibrium([1.0, 0.1], hold="shoulder")
    assert found["shoulder"] == 1.0
    np.testing.assert_allclose(m.static_torques(found.q), [found.holding["shoulder"], 0], atol=1e-9)
    bars = am.example("four-bar")
    held = bars.equilibrium({"crank": 0.8}, hold=["crank"])
    assert held["crank"] == pytest.approx(0.8, abs=1e-12)
    expected = bars.holding_forces(held.q, ["crank"])["crank"]
    assert held.holding["crank"] == pytest.approx(expected, rel=1e-9)


def test_a_block_on_a_spring_that_may_slide_is_neutral():
    b = am.Builder("block", (0, 0, -G))
    b.body("slide", joint="prismatic", axis="x", mass=1.0)
    b.body("block", "slide", "prismatic", axis="z", mass=3.0, passive=am.Passive(spring=200.0))
    found = b.build().equilibrium([0.7, 0.0])
    assert found.stability == "neutral"
    np.testing.assert_allclose(found.q, [0.7, -3.0 * G / 200.0], atol=1e-12)


def test_a_rolling_wheel_with_a_weight_rests_below():
    """A disc on the ground with its centre of mass aside rolls until it hangs below the axle."""
    b = am.Builder("wobbler", (0, 0, -G))
    b.body("place", joint="prismatic", axis="x", mass=0.0)
    b.body("lift", "place", "prismatic", axis="z", mass=0.0)
    b.body("disc", "lift", axis="y", mass=2.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    b.wheel(am.Wheel("rim", "disc", 0.3, (0.0, 1.0, 0.0)))
    b.initial["lift"] = 0.3
    m = b.build()
    found = m.equilibrium({"disc": 0.6, "lift": 0.3}, stable=True)
    c, s = np.cos(found["disc"]), np.sin(found["disc"])
    assert -s == pytest.approx(-1.0, abs=1e-9)  # the weight (c, ., -s) is below
    assert abs(c) < 1e-9
    # it rolled there: the place moved by r times the angle, to the first order of each step
    np.testing.assert_allclose(found.stiffness, [2.0 * G * 0.1], rtol=1e-6)


def test_what_is_refused():
    b = am.Builder("falling")
    b.body("box", joint="free", mass=2.0, inertia=(1, 1, 1))
    falling = b.build()
    arm = am.example("six-r")
    for bad, error, words in (
        (falling.equilibrium, ModelError, "-19.62 N stay out of balance along 'box.vz'"),
        (lambda: arm.equilibrium(hold=["link9"]), ModelError, "no joint to hold named 'link9'"),
        (lambda: arm.equilibrium(np.zeros((2, 6))), InputError, "expected one state"),
        (lambda: arm.equilibrium(restarts=-1), InputError, "restarts"),
        (lambda: pendulum().equilibrium([0.1], external={"bar": [0] * 6}, stable=True), InputError,
         "downhill"),
        (lambda: pendulum().equilibrium([0.1], [9.0]), ModelError, "out of balance along 'bar'"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            bad()


def test_text_and_limits():
    b = am.Builder("stopped", (0, 0, -G))
    b.body("bar", axis="y", mass=1.0, com=(0, 0, -0.4), limits=am.Limits(0.2, 1.0))
    found = b.build().equilibrium([0.5])
    assert "'bar' is beyond its limits" in found.messages[0]
    for words in ("'stopped' at rest: stable", "bar", "rad", "note:"):
        assert words in str(found)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"restarts": 1.5}, "restarts: expected a whole number"),
        ({"restarts": 1, "seed": "a"}, "seed: expected a whole number"),
        ({"hold": ["shoulder", "elbow"]}, "all joints of 'double-pendulum' are held"),
    ],
)
def test_refused(given, match):
    with pytest.raises(am.InputError, match=match):
        am.example("double-pendulum").equilibrium(**given)


def geared(how, gear=60.0):
    """A rod from level, held by nothing but its weight, with a fast motor behind a gear."""
    b = am.Builder("geared")
    rod = {"mass": 2.0, "com": (0.3, 0.0, 0.0), "inertia": (0.01, 0.1, 0.1)}
    b.body("rod", joint="revolute", axis="y", **rod)
    if how == "rotor":
        b.geared_rotor("motor", "world", "rod", gear=gear, inertia=1e-4, axis="y")
    else:
        b.body("motor", joint="revolute", axis="y", mass=0.1, inertia=(1e-4, 1e-4, 1e-4))
    if how == "shaft":
        b.coordinate_spring("shaft", {"motor": 1, "rod": -gear}, stiffness=0.01)
    if how == "train":  # by an idle wheel in between
        b.body("idle", joint="revolute", axis="y", mass=0.1, inertia=(1e-4, 1e-4, 1e-4))
        b.coupling(am.Coupling("first", "idle", "rod", -6.0))
        b.coupling(am.Coupling("second", "idle", "motor", -6.0 / gear))
    return b.build()


@pytest.mark.parametrize("how", ["rotor", "shaft", "train"])
@pytest.mark.parametrize("guess", [0.1, -1.2])
def test_motors_behind_gears(how, guess):
    """m g l sin from the vertical: the rod hangs (or stands), the motor has turned 60 times as far,
    which is no fall for ever; the stiffness about it is m g l, counted at the rod."""
    m = geared(how)
    q = {"rod": guess, "motor": 60.0 * guess} | ({"idle": -6.0 * guess} if how == "train" else {})
    found = m.equilibrium(q, stable=True)
    assert found["rod"] == pytest.approx(np.pi / 2, abs=1e-9)
    assert found["motor"] == pytest.approx(60.0 * np.pi / 2, abs=1e-6)
    assert found.stability == "stable"
    if how != "shaft":
        assert found.stiffness == pytest.approx([2.0 * 9.81 * 0.3], rel=1e-9)
    assert abs(m.equilibrium(q)["rod"]) == pytest.approx(np.pi / 2, abs=1e-9)


def test_nothing_at_all_is_neutral():
    """No gravity, a slack cable: no force anywhere, so no resistance either."""
    b = am.Builder("slack", gravity=(0, 0, 0))
    b.body("ring", joint="prismatic", axis="z", mass=3.0)
    top = am.Frame("top", "world", am.Pose((0, 0, 2)))
    b.spring("rope", top, "ring", stiffness=500.0, rest=1.5, side="pull")
    assert b.build().equilibrium([1.0]).stability == "neutral"
