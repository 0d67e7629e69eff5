"""Wrenches that a function of (t, q, v) gives: the native loop asks it at every stage."""

import numpy as np
import pytest

import armillary as am
from armillary.sim.loop import loop
from armillary.sim.record import recorder
from sim.machines import damped_arm, flyer
from sim.native_runs import both

BARS = am.example("four-bar")


def drag(frame):
    """A force against the velocity, and a moment that changes."""

    def push(t, q, v):
        speed = np.asarray(v)[..., :1]
        zero = 0.0 * speed
        return {frame: np.concatenate([zero, 0.1 * speed + t, zero, -speed, zero, zero], axis=-1)}

    return push


@pytest.mark.parametrize("method", ["rk4", "semi-implicit", "variational"])
@pytest.mark.parametrize("rows", [1, 9])
@pytest.mark.parametrize("m, frame", [(damped_arm(), "link3"), (flyer(), "arm"), (BARS, "coupler")])
def test_the_same_as_in_python(m, frame, rows, method):
    q, v, _ = m.random_state(seed=2)
    q, v = m.project(m.initial, 0.4 * v) if m.constraints else (q, 0.4 * v)
    q, v = (np.tile(x, (rows, 1)) if rows > 1 else x for x in (q, v))
    options = {"duration": 0.03, "method": method, "record": ("q", "v", "a", "reactions")}
    _, taken = both(m, q, v, **options, external=drag(frame), inside=False)
    assert taken == 30


def test_a_closed_form():
    """A slide with a force -c v on its body: v = v0 e^(-c t / m)."""
    b = am.Builder("slide", gravity=(0, 0, 0))
    b.body("sled", joint="prismatic", axis="x", mass=2.0, inertia=(0.1, 0.1, 0.1))
    run = am.simulate(b.build(), [0.0], [3.0], external=lambda t, q, v: {
        "sled": [0, 0, 0, -5.0 * v[0], 0, 0]})  # fmt: skip
    np.testing.assert_allclose(run.v[:, 0], 3.0 * np.exp(-2.5 * run.time), rtol=1e-9)
    assert run.performance().native == 1.0


def test_frames_may_come_and_go():
    def push(t, q, v):
        return {"link2": [0, 0, 0, 1.0, 0, 0]} if t < 0.0155 else None

    m = damped_arm()
    _, taken = both(m, duration=0.03, external=push, inside=False, record=("q", "a", "reactions"))
    assert taken == 30


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("early", [True, False], ids=["goes", "comes"])
def test_a_push_now_and_then_is_recorded_when_it_acts(early, native, monkeypatch):
    """Reactions follow from q, v, a and the wrench of that instant alone."""
    monkeypatch.setattr(recorder, "BLOCK_BYTES", 0)  # several short blocks
    if not native:
        monkeypatch.setattr(loop.Loop, "_native", lambda *_: None)
    wrench = np.array([0, 0, 0, 1.0, 0, 0])

    def push(t, q, v):
        return {"link2": wrench} if (t < 0.0255) == early else None

    m = damped_arm()
    run = am.simulate(m, duration=0.06, record=("q", "v", "a", "reactions"), external=push)
    acts = (run.time < 0.0255) == early
    for k, t in enumerate(run.time):
        push = {"link2": wrench} if acts[k] else None
        right = m.reactions(run.q[k], run.v[k], run.a[k], external=push).total
        np.testing.assert_allclose(run["reactions"][k], right.ravel(), atol=1e-12, err_msg=str(t))


def test_what_it_raises_ends_the_run():
    def push(t, q, v):
        if t > 0.0101:
            raise ZeroDivisionError("no wrench")
        return

    with pytest.raises(ZeroDivisionError) as fault:
        am.simulate(damped_arm(), duration=1.0, external=push)
    assert 10 <= len(fault.value.run) <= 12


def test_numbers_that_are_none_are_blamed():
    run = am.simulate(damped_arm(), duration=1.0, external=lambda t, q, v: {
        "link2": [np.nan if t > 0.5 else 0.0, 0, 0, 0, 0, 0]})  # fmt: skip
    assert not run.complete and "external['link2'] gave nan" in run.message
