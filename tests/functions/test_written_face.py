"""What is written from the table of functions is current, and is what users see."""

import inspect

import numpy as np
import pytest

import armillary as am
from armillary.evaluate.functions import FUNCTIONS, QUESTIONS
from armillary.mechanism import mechanism
from armillary.mechanism.write_face import FACE, PAGE, face, page

CURE = "run `python -m armillary.mechanism.write_face`"


def test_the_face_and_the_page_are_current():
    assert FACE.read_text(encoding="utf-8") == face(), CURE
    assert PAGE.read_text(encoding="utf-8") == page(), CURE


def test_what_is_written_by_hand_stays_a_face():
    """Names, edits and one line per question: a new question is a row, not a method."""
    assert len(inspect.getsource(mechanism).splitlines()) < 250


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_row_is_a_method_with_its_arguments_and_words(name):
    """Of the class, for help(Mechanism), and of a mechanism, for completion."""
    row, m = FUNCTIONS[name], am.example("two-link")
    for shown in (getattr(am.Mechanism, name), getattr(m, name)):
        assert inspect.signature(shown) == row.signature
        assert inspect.getdoc(shown).startswith(row.title)


@pytest.mark.parametrize("name", [n for n in QUESTIONS if FUNCTIONS[n].closed])
def test_closed_mechanisms_have_the_same_arguments(name):
    """One signature for trees and closed mechanisms; what only one of them knows is refused."""
    row, tree, closed = FUNCTIONS[name], am.example("two-link"), am.example("four-bar")
    assert inspect.signature(getattr(closed, name)) == row.signature
    state, rest = closed.assemble().q, np.zeros(closed.nv)
    with pytest.raises(am.InputError, match="`offsets` are known for trees only"):
        getattr(closed, name)(state, rest, rest, offsets=np.zeros(6 * len(closed.bodies)))
    for option in row.closed:
        with pytest.raises(am.InputError, match=f"`{option}` is for closed mechanisms"):
            getattr(tree, name)([0.1, 0.2], [0, 0], [0, 0], **{option: ["elbow"]})


def test_the_fourth_argument_is_external_everywhere():
    m = am.example("four-bar")
    q, rest, push = m.assemble().q, np.zeros(m.nv), {m.bodies[1]: [1.0, 2.0, 3.0, 0, 0, 0]}
    given = m.inverse_dynamics(q, rest, rest, push, actuators=["crank"])
    named = m.inverse_dynamics(q, rest, rest, external=push, actuators="crank")
    np.testing.assert_array_equal(given, named)
    assert abs(given - m.inverse_dynamics(q, rest, rest, actuators=["crank"])).max() > 1e-3
    with pytest.raises(am.InputError, match=r"actuators=\[\.\.\.\]"):
        m.inverse_dynamics(q, rest, rest, ["crank"])


@pytest.mark.parametrize(
    "name",
    ["energy", "reactions", "momentum", "inverse_dynamics.derivatives", "operational_inertia"],
)
def test_other_inertias_are_another_mechanism(name):
    """parameters= against a model that was built with them; a welded body carries mass, too."""

    def built(mass: float) -> am.Mechanism:
        b = am.Builder("arm", gravity=(0.4, -9.0, 1.0))
        body = {"com": (0.1, -0.2, 0.3), "inertia": (0.2, 0.3, 0.25, 0.01, -0.02, 0.03)}
        b.body("a", joint="revolute", axis=(0.6, 0.0, 0.8), mass=2.0, **body)
        b.body(
            "b", "a", joint="prismatic", axis="x", at=am.Pose((0.3, 0.1, 0.2)), mass=mass, **body
        )
        b.body("c", "b", joint="fixed", at=am.Pose((0.0, 0.2, 0.1)), mass=0.5 * mass, **body)
        return b.build()

    m, other = built(1.0), built(3.0)
    q, v, a = m.random_state(2)

    def asked(machine: am.Mechanism, **more):
        found = machine
        for part in name.split("."):
            found = getattr(found, part)
        count = 2 if name in ("energy", "momentum") else 3
        if name == "operational_inertia":
            given = [q, "c", "world_aligned"]
        else:
            given = [q, v, a][:count]
        answer = found(*given, **more)
        parts = (answer.total, answer.driving) if name == "reactions" else answer
        parts = answer.W if name == "operational_inertia" else parts
        parts = parts if isinstance(parts, tuple) else (parts,)
        return np.concatenate([np.ravel(x) for x in parts])

    wanted = asked(other)
    found = asked(m, parameters=other.parameters)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())
    assert np.abs(found - asked(m)).max() > 1e-3
