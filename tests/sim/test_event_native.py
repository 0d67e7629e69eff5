"""Events in the native loop: the same as step by step in Python, and as in closed form."""

import numpy as np
import pytest

import armillary as am
from armillary.model import Limits
from armillary.sim.loop import event_scan, loop, native
from sim.event_machines import carts, lift

G = 9.81
ARM = am.example("double-pendulum")
START = np.array([1.2, 0.4])


def bounded():
    b = am.Builder("bounded", gravity=(0, 0, -G))
    parent = "world"
    for name in ("upper", "lower"):
        b.body(name, parent, "revolute", (0, 0, -0.5), axis="y", mass=1.0, com=(0.02, 0, -0.25),
               inertia=(0.02, 0.02, 0.01), limits=Limits(-0.9, 0.7))  # fmt: skip
        parent = name
    return b.build()


def both(*arguments, **options):
    """The native run and the number of its native steps, checked against Python's."""
    taken, advance = [], event_scan.EventScan.advance

    def counted(self, *rest):
        stretch, happens = advance(self, *rest)
        taken.append(stretch.done)
        return stretch, happens

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_scan.EventScan, "advance", counted)
        fast = am.simulate(*arguments, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.Loop, "_native", lambda *_: None)
        plain = am.simulate(*arguments, **options)
    np.testing.assert_allclose(fast.time, plain.time, atol=1e-11, rtol=0)
    assert [text for _, text in fast.events] == [text for _, text in plain.events]
    assert [t for t, _ in fast.events] == pytest.approx([t for t, _ in plain.events], abs=1e-11)
    for name in fast.labels:
        size = 1.0 + np.abs(plain[name]).max()
        np.testing.assert_allclose(fast[name], plain[name], atol=1e-9 * size, rtol=0)
    return fast, sum(taken)


@pytest.mark.parametrize("every", [1, 7])
def test_bounces_of_a_limit(every):
    """Flights last e times the one before; then it rests, in Python steps."""
    floor = lift(limits=Limits(0.0, None))
    run, taken = both(floor, [1.0], duration=2.5, step=1e-3, method="rk4", every=every,
                      events=am.JointLimits(0.5))  # fmt: skip
    fall = np.sqrt(2.0 / G)
    flights = fall * (1.0 + np.cumsum([0.0, 1.0, 0.5, 0.25]))
    assert [t for t, _ in run.events[:4]] == pytest.approx(flights, abs=1e-9)
    assert taken > 700 and "comes to rest" in run.events[-1][1]
    assert abs(run.q[-1, 0]) < 1e-12


def test_limits_of_several_joints_and_controllers():
    m = bounded()
    pull = am.PID(m, {"upper": 0.9, "lower": -1.0}, 30.0, 0.0, 0.5)
    for q0 in (np.array([0.3, 0.1]), np.array([[0.3, 0.1], [-0.5, 0.2], [0.1, -0.6]] * 3)):
        run, taken = both(m, q0, duration=0.5, controller=pull, events=am.JointLimits(0.3),
                          record=("q", "v", "tau"))  # fmt: skip
        assert len(run.events) > 3 and taken > 0
        assert run.q.max() < 0.7 + 1e-9 and run.q.min() > -0.9 - 1e-9


def test_accelerations_and_forces_between_bounces():
    """In free fall the cage has the acceleration of gravity and nothing bears it."""
    cage = lift(limits=Limits(-0.05, 1.0))
    for start in ([0.1], [[0.1], [0.2], [0.02]]):
        run, taken = both(cage, start, duration=0.4, events=am.JointLimits(0.5),
                          record=("q", "v", "a", "tau", "reactions"))  # fmt: skip
        assert taken > 300 and len(run.events) > 1
        falling = run.q > -0.05 + 1e-6
        assert falling.any() and run.a[falling] == pytest.approx(-9.81, rel=1e-13)
        assert not run.tau.any()


def test_functions_and_their_actions():
    """A kick at every crossing downwards; a function that only tells."""
    kick = am.Event(
        lambda t, q, v: q[0], "kick", -1, action=lambda t, q, v: (q, v + np.array([0.5, 0]))
    )
    tell = am.Event(lambda t, q, v: q[1] - 0.3, "tell")
    run, taken = both(ARM, START, duration=3.0, step=2e-3, method="rk4", events=[kick, tell])
    names = {text for _, text in run.events}
    assert names == {"kick", "tell"} and taken > 1300
    many = START * np.linspace(0.5, 1.2, 9)[:, None]
    run, taken = both(ARM, many, duration=1.0, step=2e-3, events=[kick, tell])
    assert len(run.events) > 9 and taken > 250


def test_the_end_of_a_run():
    """A terminal event ends it where it happens; runs of a batch one by one."""
    down = am.Event(lambda t, q, v: q[0], "down", terminal=True)
    run, taken = both(lift(), [1.0], duration=2.0, step=1e-3, method="rk4", events=down)
    assert run.time[-1] == pytest.approx(np.sqrt(2.0 / G), abs=1e-10) and taken == 451
    run, taken = both(lift(), [[1.0], [0.5], [0.25]] * 2, duration=2.0, method="rk4", events=down)
    assert 440 < taken < 452  # natively on when the first runs are over
    assert run.time[-1] == pytest.approx(np.sqrt(2.0 / G), abs=1e-10)


def test_switches_go_on_with_the_native_loop_of_the_other_mechanism():
    """Two carts meet and go on together: momentum is kept; later they part again."""
    loose, tied = carts(False), carts(True)
    meet = am.Switch(lambda t, q, v: q[0] - q[1], "meet", 1, to=tied)
    part = am.Switch(lambda t, q, v: q[1] - 1.5, "part", 1, to=loose)
    run, taken = both(loose, [0.0, 1.0], [1.0, 0.0], duration=3.0, step=1e-2, method="rk4",
                      events=[meet, part])  # fmt: skip
    assert [round(t, 9) for t, _ in run.events] == [1.0, 2.0]
    np.testing.assert_allclose(run.v[-1], 0.5, atol=1e-12)
    assert taken > 280


def test_sampled_parts_are_set_back_with_the_state():
    """A step with an event is made again: what parts hold belongs to its start."""
    kick = am.Event(lambda t, q, v: q[0], "kick", action=lambda t, q, v: (q, v * 1.3))
    for period in (5e-3, 2e-3):
        pid = am.PID(ARM, {"shoulder": -0.3, "elbow": 0.2}, 6.0, 4.0, 0.4, period=period)
        run, taken = both(ARM, START, duration=0.8, step=1e-3, method="heun", controller=pid,
                          events=kick, record=("q", "v", "tau"), every=3)  # fmt: skip
        assert run.events and taken > 700


def test_faults_of_the_function_come_as_they_did():
    def bad(t, q, v):
        if t > 0.1:
            raise RuntimeError("no more")
        return 1.0

    with pytest.raises(RuntimeError, match="no more") as fault:
        am.simulate(ARM, START, duration=1.0, events=am.Event(bad))
    assert "after t = 0.1 s" in "".join(fault.value.__notes__)


def test_interrupts_while_looking_leave_the_state_where_it_was():
    """What was recorded is a prefix of the whole run, and goes on from there."""
    calls = []

    def watch(t, q, v):
        calls.append(t)
        if len(calls) == 150:
            raise KeyboardInterrupt
        return 1.0

    whole = am.simulate(ARM, START, duration=0.5)
    run = am.simulate(ARM, START, duration=0.5, events=am.Event(watch))
    assert not run.complete and 140 < len(run.time) < 150  # all but the step it came in
    np.testing.assert_allclose(run.q, whole.q[: len(run.time)], atol=1e-12)


def test_parts_asked_in_python_are_not_asked_twice():
    """A controller with a memory sees time go on step by step, as without events."""
    seen = []

    def remember(t, q, v):
        seen.append(t)
        return -0.1 * v

    never = am.Event(lambda t, q, v: 1.0)
    am.simulate(ARM, START, duration=0.1, method="euler", controller=remember, events=never)
    assert seen == sorted(set(seen))


def test_a_function_that_fails_once_ends_the_run():
    calls = []

    def once(t, q, v):
        calls.append(t)
        if len(calls) == 100:
            raise RuntimeError("only once")
        return 1.0

    with pytest.raises(RuntimeError, match="only once"):
        am.simulate(ARM, START, duration=1.0, events=am.Event(once))


def test_a_function_that_writes_into_its_arguments_changes_nothing():
    def writes(t, q, v):
        q[:] = 99.0
        return 1.0

    run = am.simulate(ARM, START, duration=0.1, events=am.Event(writes))
    np.testing.assert_allclose(run.q, am.simulate(ARM, START, duration=0.1).q, atol=1e-12)


@pytest.mark.parametrize("action", [
    lambda t, q, v: (q[:1], v), lambda t, q, v: (q, 0.5), lambda t, q, v: (np.zeros(3), v),
    lambda t, q, v: q, lambda t, q, v: "no", lambda t, q, v: (q, v, v),
])  # fmt: skip
def test_actions_that_give_no_state(action):
    kick = am.Event(lambda t, q, v: q[0], "kick", action=action)
    with pytest.raises(am.InputError, match=r"event 'kick': its action must give \(q, v\) with"):
        am.simulate(ARM, START, duration=2.0, events=kick)


def test_no_events():
    assert am.simulate(ARM, START, duration=0.01, events=None).complete


def test_long_batches_begin_with_few_steps(monkeypatch):
    """So that progress and Ctrl-C wait for a fifth of a second, not for 20 000 steps."""
    taken, advance = [], native.NativeLoop.advance

    def counted(self, *rest):
        stretch = advance(self, *rest)
        taken.append(stretch.done)
        return stretch

    monkeypatch.setattr(native.NativeLoop, "advance", counted)
    many = START * np.linspace(0.5, 1.0, 2000)[:, None]
    am.simulate(ARM, many, duration=0.3, method="rk4", every=300)
    assert sum(taken) == 300 and taken[0] <= 50


# -- functions that are asked in Python ------------------------------------------------------------


def push(t, q, v):
    return -0.5 * q - 0.05 * v


def wind(t, q, v):
    return {"lower": np.array([0.0, 0.1, 0.0, -0.3 * v[1], 0.0, 0.2 * t])}


@pytest.mark.parametrize("given", ["controller", "external", "both"])
def test_functions_beside_events_are_called_back(given):
    """Many steps at a time, though they may be asked again: the same events, to rounding."""
    arm = am.example("double-pendulum")
    options = {"controller": push} if given != "external" else {}
    options |= {"external": wind} if given != "controller" else {}
    options |= {
        "events": [am.Event(lambda t, q, v: q[0] - 0.2, "low")],
        "record": ("q", "v", "tau"),
    }
    fast = am.simulate(arm, [1.2, 0.6], duration=1.0, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.Loop, "_native", lambda *_: None)
        plain = am.simulate(arm, [1.2, 0.6], duration=1.0, **options)
    assert fast.performance().native > 0.9 and len(fast.events) >= 1
    assert fast.events == [(pytest.approx(t, abs=1e-10), text) for t, text in plain.events]
    for name in fast.labels:
        np.testing.assert_allclose(fast[name], plain[name], atol=1e-11)


@pytest.mark.parametrize("ends", [True, False])
def test_a_function_that_fails_after_an_event(ends):
    """The steps ahead were only tried: nobody hears of them where the run ends before."""

    def late(t, q, v):
        if t > 0.3:
            raise ValueError("too late")
        return push(t, q, v)

    stop = am.Event(lambda t, q, v: t - 0.2905, "over", terminal=ends)
    arm = am.example("double-pendulum")
    if ends:
        run = am.simulate(arm, [1.2, 0.6], duration=1.0, controller=late, events=[stop])
        assert run.complete and run.time[-1] == pytest.approx(0.2905)
        return
    with pytest.raises(ValueError, match="too late") as caught:
        am.simulate(arm, [1.2, 0.6], duration=1.0, controller=late, events=[stop])
    assert caught.value.run.time[-1] == pytest.approx(0.3, abs=2e-3)
    assert [text for _, text in caught.value.run.events] == ["over"]
