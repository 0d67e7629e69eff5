"""Closures that are nearly singular are told by name, with the condition number, wherever their
forces are given.  The oracle: singular values of the Jacobian, and the closed form of a toggle."""

import re

import numpy as np
import pytest

import armillary as am
from armillary.constraints.nullspace import Factor, Scaling, solve


def flat(distance):
    """A parallelogram this far (rad) from its flat position; 1 kg bars."""
    m = am.example("four-bar-ladder", n=1)
    return m, (np.pi / 2 - distance) * np.array([1.0, -1.0, 1.0])


def told(messages):
    (text,) = [text for text in messages if "nearly singular" in text]
    return text, float(re.search(r"condition number ([0-9.]+e\+[0-9]+)", text)[1])


@pytest.mark.parametrize("distance", [1e-6, 1e-7, 1e-8])
def test_solve_and_actuators_tell(distance):
    """All joints turn and all rows with content are lengths: no scaling changes the ratio."""
    m, q = flat(distance)
    rest = np.zeros(3)
    values = np.linalg.svd(m.constraint_jacobian(q), compute_uv=False)
    expected = values[0] / values[1]
    found = m.solve(q, rest, [0.1, 0.0, 0.2])
    held = m.holding_forces(q, [m.joint_names[0]])
    for messages in (found.messages, held.messages):
        text, size = told(messages)
        assert "'pin1'" in text and size == pytest.approx(expected, rel=0.1)
    assert found.condition == pytest.approx(expected, rel=1e-3)
    assert "nearly singular" in str(found) and "nearly singular" in str(held)
    several = m.solve(np.array([q, flat(0.5)[1]]), np.zeros((2, 3)), np.zeros((2, 3)))
    assert [text[:7] for text in several.messages] == ["state 0"]


def test_regular_states_say_nothing():
    m, q = flat(0.3)
    assert m.solve(q, np.zeros(3), [0.1, 0.0, 0.2]).messages == ()
    assert m.holding_forces(q, [m.joint_names[0]]).messages == ()


def stretched():
    """Two bars of 0.5 m between pins 1 m apart: straight, and closed nowhere else."""
    b = am.Builder("stretched")
    bar = {"mass": 1.0, "com": (0.25, 0, 0), "inertia": (0.01, 0.02, 0.02)}
    b.body("first", axis="y", **bar)
    b.body("second", "first", "revolute", (0.5, 0, 0), axis="y", **bar)
    ends = (am.Frame("end", "second", am.Pose((0.5, 0, 0))),
            am.Frame("ground", "world", am.Pose((1.0, 0, 0))))  # fmt: skip
    b.loop("pin", *ends, "revolute", axis="y")
    return b.build(), np.zeros(2)


@pytest.mark.parametrize(("machine", "kind"), [(stretched, "locked"), (lambda: flat(0.0), "")])
def test_exactly_singular_places_are_told(machine, kind):
    """Rank one: the condition number says nothing.  The oracle are the counts of `mobility`, which
    goes a way to find them, and that of the singular values."""
    m, q = machine()
    found, rest = m.mobility(q), np.zeros(m.nv)
    assert np.linalg.matrix_rank(m.constraint_jacobian(q)) == m.nv - found.instantaneous
    assert found.finite == found.instantaneous - 1
    held = m.holding_forces(q, [m.joint_names[0]])
    for messages in (m.solve(q, rest, rest).messages, held.messages):
        (text,) = [text for text in messages if "singular" in text]
        assert f"mobility is {found.instantaneous}, the finite one {found.finite}" in text
        assert ("locked" in text) == (kind == "locked")
    counts = m.replace(initial=q).counts
    assert (counts.freedoms, counts.velocities) == (found.finite, found.instantaneous)
    assert "singular at its start" in repr(m.replace(initial=q))


def test_overconstrained_is_not_singular():
    """A row depends on the others all along the motion of Bricard's linkage."""
    m = am.example("bricard")
    assert m.solve(m.initial, np.zeros(m.nv), np.ones(m.nv)).messages == ()
    assert m.counts.velocities is None


def toggle(angle):
    """Crank and rod of 1 m in a line but for this angle, without weight, and a slider of 1 kg that
    is pulled down along its slide."""
    b = am.Builder("toggle")
    b.body("crank", "world", "revolute", axis="y", mass=1e-6, inertia=(1e-6, 1e-6, 1e-6))
    b.body("rod", "crank", "revolute", (0, 0, -1.0), axis="y", mass=1e-6,
           inertia=(1e-6, 1e-6, 1e-6))  # fmt: skip
    b.body("slider", "world", "prismatic", axis="z", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    b.loop("pin", am.Frame("end", "rod", am.Pose((0, 0, -1.0))), "slider", "revolute", axis="y")
    m = b.build()
    return m, np.array([angle, -2.0 * angle, -2.0 * np.cos(angle)])


def test_actuators_that_hardly_hold():
    """Virtual work of 1 N m against the crank, force of the slider: T / (2 sin(angle)) and its
    weight.  The slide moves by 2 sin(angle) with a motion of 1 rad, 2 rad, 1 rad."""
    angle = 1e-7
    m, q = toggle(angle)
    assert np.abs(m.constraint_residual(q)).max() < 1e-15
    external = {"crank": np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])}
    found = m.holding_forces(q, ["slider"], external=external)
    assert abs(found["slider"]) == pytest.approx(1.0 / (2.0 * np.sin(angle)), rel=1e-4)
    (text,) = found.messages
    size = float(re.search(r"condition number ([0-9.]+e\+[0-9]+)", text)[1])
    assert "slider" in text
    assert size == pytest.approx(np.sqrt(5.0) / (2.0 * np.sin(angle)), rel=0.1)
    assert m.holding_forces(q, ["crank"], external=external).messages == ()


def test_runs_that_record_forces_tell_once():
    m, _ = flat(0.0)
    q = np.array([flat(x)[1] for x in (0.3, 1e-7)])
    options = {"duration": 3e-3, "step": 1e-3, "project": False}
    run = am.simulate(m, q, np.zeros((2, 3)), record=("q", "constraint_forces"), **options)
    events = [text for _, text in run.events if "nearly singular" in text]
    assert len(events) == 1 and "'pin1'" in events[0]
    plain = am.simulate(m, q, np.zeros((2, 3)), **options)
    assert not [text for _, text in plain.events if "nearly singular" in text]


@pytest.mark.parametrize("noise", [0.0, 4e-16, 1e-15, -4e-16])
def test_an_inertia_that_is_rounding_is_none(noise):
    """Two turns of one rod about one axis, which a row lets move against each other alone: nothing
    opposes that, whatever rounding leaves of 1 - 2 + 1.  Half a kg m² on one of
    them does: 2 N m over 0.5 kg m²."""
    factor = Factor(np.array([[1.0, 1.0]]), Scaling(1.0, np.ones(1), np.ones(2)), 1e-9)
    M, push = np.array([[1.0, 1.0], [1.0, 1.0 + noise]]), np.array([1.0, -1.0])
    with pytest.raises(am.errors.SingularError, match="second"):
        solve(M, push, factor, np.zeros(1), labels=("first", "second"))
    found = solve(M + np.diag([0.0, 0.5]), push, factor, np.zeros(1))
    np.testing.assert_allclose(found.a, [4.0, -4.0], rtol=1e-12)
