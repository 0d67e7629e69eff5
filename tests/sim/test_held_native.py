"""Joints that stick or rest at limits, in the native loop: motion and events as in Python."""

import numpy as np
import pytest

import armillary as am
from armillary.sim.loop import loop, native_choice

BRIEF = "a joint sticks or rests at a limit, too briefly for code of its own"


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Code of held joints is made after three steps."""
    monkeypatch.setattr(native_choice, "_LASTING", 3)


def twice(*arguments, least=0.8, **options):
    """The native run, compared with the one in Python to 1e-11 of scale; events to rounding."""
    fast = am.simulate(*arguments, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.Loop, "_native", lambda *_: None)
        plain = am.simulate(*arguments, **options)
    assert fast.performance().native > least
    assert [text for _, text in fast.events] == [text for _, text in plain.events]
    when = np.array([[t for t, _ in run.events] for run in (fast, plain)])
    assert np.abs(when[0] - when[1]).max(initial=0.0) < 1e-10
    for name in fast.labels:
        size = 1.0 + np.abs(plain[name]).max()
        np.testing.assert_allclose(fast[name], plain[name], atol=1e-11 * size, rtol=0)
    return fast


def dry_arm():
    """Skew axes, offset frames; different laws of friction; a slide among them."""
    b = am.Builder("dry")
    b.body("a", axis="z", mass=2.0, com=(0.1, -0.05, 0.2), inertia=(0.2, 0.3, 0.4),
           passive=am.Passive(coulomb=0.4, viscous=0.05))  # fmt: skip
    b.body("b", "a", "revolute", (0.1, 0.2, 0), axis="y", mass=1.0, com=(0.2, 0.1, 0),
           inertia=(0.1, 0.1, 0.2),
           passive=am.Passive(coulomb=0.3, static=0.5, stribeck=0.05))  # fmt: skip
    b.body("c", "b", "prismatic", (0, 0, 0.3), axis=(0.6, 0.8, 0), mass=0.5, com=(0, 0.02, 0.1),
           inertia=(0.02, 0.03, 0.01), passive=am.Passive(coulomb=2.0, spring=30.0))  # fmt: skip
    return b.build()


@pytest.mark.parametrize("method", ["rk4", "semi-implicit"])
def test_stick_slip(method):
    """Schedules with a jump that breaks a joint away at once, forces and reactions recorded."""
    push = am.Schedule([0, 0.3, 0.3, 0.7, 1.5], [0.0, 0.35, 0.9, -0.6, 0.2])
    run = twice(dry_arm(), [0, 0.3, 0.02], inputs={"a": push, "b": 0.1}, events=[am.StickSlip()],
                duration=1.5, step=2e-3, method=method, least=0.7,
                record=("q", "v", "a", "tau", "reactions", "energy"))  # fmt: skip
    words = " ".join(text for _, text in run.events)
    assert "slips" in words and "stops" in words


def test_one_block_on_a_rough_floor():
    """Pushed by F(t) = 2 t it begins to move at F = 1, to the rounding of the instant; closed form:
    m v = (t - 0.5)²."""
    b = am.Builder("block", gravity=(0, 0, 0))
    b.body("x", joint="prismatic", axis="x", mass=2.0, passive=am.Passive(coulomb=1.0))
    push = am.Schedule([0, 2], [0.0, 4.0])
    run = twice(b.build(), inputs={"x": push}, events=[am.StickSlip()], duration=1.5, step=1e-2)
    assert run.events[0][0] == pytest.approx(0.5, abs=1e-12)
    after = np.maximum(run.time - 0.5, 0.0)
    np.testing.assert_allclose(run.v[:, 0], 0.5 * after**2, atol=1e-12)


def stop_arm():
    b = am.Builder("stop")
    b.body("a", axis="y", mass=2.0, com=(0.3, 0.05, 0.1), inertia=(0.2, 0.3, 0.4),
           limits=am.Limits(-1.0, 0.4))  # fmt: skip
    b.body("b", "a", "revolute", (0.5, 0.1, 0), axis=(0, 0.8, 0.6), mass=1.0, com=(0.2, 0.1, 0),
           inertia=(0.1, 0.1, 0.2), passive=am.Passive(viscous=0.2),
           limits=am.Limits(-2.0, 2.0))  # fmt: skip
    return b.build()


@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_rests_at_a_limit(restitution):
    """It falls onto its limit, rests there while the other joint swings, is lifted and falls."""
    lift = am.Schedule([0, 1.0, 1.0, 1.3, 1.3, 2.5], [0, 0, -30.0, -30.0, 0, 0])
    run = twice(stop_arm(), [0.1, 0.5], inputs={"a": lift}, duration=2.5, step=2e-3, least=0.8,
                events=[am.JointLimits(restitution)],
                record=("q", "v", "a", "tau", "energy"))  # fmt: skip
    assert sum("comes to rest" in text for _, text in run.events) >= 2
    assert run.q[:, 0].max() < 0.4 + 1e-9 and run.q[:, 0].min() < 0.35


def test_both_at_once():
    """A joint with dry friction that rests at its limit; wrenches over time push it off."""
    b = am.Builder("both")
    b.body("a", axis="y", mass=2.0, com=(0.3, 0.05, 0.1), inertia=(0.2, 0.3, 0.4),
           limits=am.Limits(-1.0, 0.4), passive=am.Passive(coulomb=0.5))  # fmt: skip
    b.body("b", "a", "revolute", (0.5, 0.1, 0), axis="z", mass=1.0, com=(0.2, 0.1, 0),
           inertia=(0.1, 0.1, 0.2), passive=am.Passive(coulomb=0.2))  # fmt: skip
    wrench = am.Schedule([0, 0.5, 1.0, 1.5], [[0] * 6, [0] * 6, [0, 0, 0, 0, 3.0, 30.0], [0] * 6])
    twice(b.build(), [0.0, 0.5], [0.0, 2.0], duration=1.5, step=2e-3, external={"b": wrench},
          events=[am.JointLimits(), am.StickSlip()], least=0.5)  # fmt: skip


def test_brief_rests_are_made_in_python(monkeypatch):
    monkeypatch.setattr(native_choice, "_LASTING", 100)
    run = am.simulate(stop_arm(), [0.3, 0.5], duration=0.4, step=5e-3, events=[am.JointLimits()])
    steps = run.performance().steps
    assert 0 < steps[BRIEF] <= 100


# -- batches of which some runs are over -----------------------------------------------------------


@pytest.mark.parametrize("given", ["function", "limits", "quantity", "schedule", "parameters"])
def test_runs_that_end_leave_the_others_native(given):
    """Seven pendulums that end one after the other when they pass the vertical; two never do."""
    arm = am.example("double-pendulum")
    q0 = np.array([[0.2 * k + 0.05, 0.1 * k] for k in range(5)] + [[-0.3, 0.0], [2.8, 0.1]])
    options = {"events": [am.Event(lambda t, q, v: q[0], "low", -1, True)]}
    if given == "quantity":
        options = {"events": [am.Limit("kinetic", above=0.05), am.Limit("v.elbow", above=3.0)]}
    elif given == "schedule":
        own = np.linspace(-0.3, 0.3, 7)[:, None]  # of every run
        options["inputs"] = {"elbow": am.Schedule([0, 1], [0 * own, own])}
    elif given == "parameters":
        options["parameters"] = np.linspace(0.5, 2.0, 7)[:, None] * arm.parameters
    elif given == "limits":
        arm = arm.replace(bodies={arm.bodies[1]: {"limits": am.Limits(-0.9, 0.9)}})
        options["events"] += [am.JointLimits(0.9)]
        q0[:, 1] = 0.1
    record = ("q", "v", "tau", "a") if given != "quantity" else ("q", "v")
    run = twice(arm, q0, duration=0.8, step=2e-3, record=record, least=0.8, **options)
    assert len({t for t, text in run.events if "ended by" in text}) > 2


def test_runs_that_blow_up_leave_the_others_native():
    stiff = am.example("double-pendulum")
    stiff = stiff.replace(
        bodies={stiff.bodies[1]: {"passive": am.Passive(spring=1e3, viscous=0.5)}}
    )
    weights = np.array([[1.0], [1e6], [2e6]]) * stiff.parameters
    run = am.simulate(stiff, [1.2, 0.0], parameters=weights, duration=2.0, step=5e-3,
                      method="semi-implicit")  # fmt: skip
    alone = am.simulate(stiff, [1.2, 0.0], parameters=weights[2], duration=2.0, step=5e-3,
                        method="semi-implicit")  # fmt: skip
    assert "1 runs ended as NaN: 0" in run.message and alone.complete
    assert run.performance().native > 0.8
    np.testing.assert_allclose(run.q[:, 2], alone.q, atol=1e-10)
