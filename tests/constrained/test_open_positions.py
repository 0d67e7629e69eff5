"""Questions about motion at a position that is open say that, by how much, and how to close it."""

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError

BARS = am.example("four-bar")
OPEN = np.array([0.3, 0.2, 0.1])
REST = np.zeros(3)
GIVEN = {"crank": 1.0}
EFFORT = {"crank": 50.0}
ASKED = {
    "project_acceleration": lambda m, q: m.project_acceleration(q, REST, REST),
    "of some joints": lambda m, q: m.project_acceleration(q, REST, GIVEN),
    "held": lambda m, q: m.project_acceleration(q, REST, [1.0, 0.0, 0.0], hold=["crank"]),
    "inverse dynamics by name": lambda m, q: m.inverse_dynamics(q, REST, GIVEN),
    "velocities by name": lambda m, q: m.forward_dynamics(q, GIVEN, REST),
    "mobility": lambda m, q: m.mobility(q),
    "conditions": lambda m, q: m.conditions(q),
    "classify": lambda m, q: m.classify(q, actuators=["crank"]),
    "dexterity": lambda m, q: m.dexterity(q),
    "task dynamics": lambda m, q: m.task_dynamics(q),
    "force limits": lambda m, q: m.force_limits(q, effort=EFFORT),
    "payload": lambda m, q: m.payload(q, effort=EFFORT),
}


@pytest.mark.parametrize("question", ASKED)
def test_an_open_position_is_named(question):
    with pytest.raises(InputError, match=r"is open at this q by 0\.\d+ of its size") as told:
        ASKED[question](BARS, OPEN)
    gap = np.abs(BARS.constraint_residual(OPEN)).max()
    assert f"{gap:.3g} m" in str(told.value) and "mechanism.assemble(q).q" in str(told.value)
    ASKED[question](BARS, BARS.assemble(OPEN).q)  # the cure works


def test_rows_of_a_batch_are_named():
    q = np.array([BARS.initial, OPEN])
    with pytest.warns(am.ProjectionWarning, match="open at this q in state 1 by"):
        found = BARS.project_acceleration(q, np.zeros((2, 3)), np.zeros((2, 3)))
    assert np.isnan(found[1]).all() and np.isfinite(found[0]).all()
    with pytest.warns(am.ProjectionWarning, match="conditions.*open at this q in state 1 by"):
        BARS.conditions(q)


def test_the_kind_of_a_mechanism_is_that_of_its_closed_position():
    """A four-bar has one freedom, 3 moving bodies in the plane less 2 per joint (Grübler), and its
    one drive reaches it."""
    q = BARS.assemble(OPEN).q
    found = BARS.classify(q, actuators=["crank"])
    assert (found.freedoms, found.actuation) == (3 * 3 - 2 * 4, "fully actuated")


def test_contradictions_at_closed_positions_are_still_told():
    with pytest.raises(ModelError, match="do not allow these accelerations"):
        BARS.project_acceleration(BARS.initial, REST, {"crank": 1.0, "rocker": 50.0})


@pytest.mark.parametrize("question", ["solve", "actuator_forces"])
def test_whole_answers_say_it_in_their_messages(question):
    (text,) = getattr(BARS, question)(OPEN, REST, REST).messages
    assert "'pin.fz' is open by" in text and "assemble(q)" in text
    assert not getattr(BARS, question)(BARS.initial, REST, REST).messages


def test_mechanisms_without_rows_have_nothing_open():
    arm = am.example("double-pendulum")
    assert not arm.actuator_forces([0.1, 0.2], [0.0, 0.0], [0.0, 0.0]).messages


def test_joints_whose_motion_is_prescribed_may_be_anywhere():
    b = am.Builder("crank")
    b.body("crank", axis="y", mass=1.0, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
    b.prescribe("motor", "crank", acceleration=2.0)
    assert b.build().project_acceleration([0.7], [0.0], [0.0]) == pytest.approx([2.0])
