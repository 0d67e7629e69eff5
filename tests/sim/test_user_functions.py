"""Functions of the user: what they write into the state stays with them, and what they answer is
checked by name.

A mass of 2 kg on a slide without gravity, pushed with 3 N, is at F t² / 2 m whatever else happens.
"""

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError, InputError
from armillary.sim.control.block import Block
from armillary.sim.control.chain import Chain

MASS, FORCE, END = 2.0, 3.0, 0.2
PLACE, SPEED = 0.5 * FORCE / MASS * END**2, FORCE / MASS * END


def slides():
    """Two masses on slides of their own."""
    b = am.Builder("slides", (0.0, 0.0, 0.0))
    b.body("first", joint="prismatic", axis="x", mass=MASS)
    b.body("second", joint="prismatic", axis="y", mass=MASS)
    return b.build()


PAIR = slides()
STARTS = {"single": np.zeros(2), "batch": np.zeros((3, 2))}


def spoil(*arrays):
    """Writes into everything it can, and keeps nothing whole."""
    for x in arrays:
        if isinstance(x, np.ndarray) and x.flags.writeable:
            x[...] = 1e3
        elif isinstance(x, list):
            for k, entry in enumerate(x):
                if isinstance(entry, np.ndarray) and entry.flags.writeable:
                    entry[...] = 1e3
                x[k] = 1e3


def push(t, q, v):
    spoil(q, v)
    return np.full(2, FORCE)


class Vandal(Block):
    """A part with a state of its own that must not matter."""

    states = ("memory",)

    def __init__(self, force=FORCE, traced=True):
        self.own, self.array_level = force, not traced

    def start(self, mechanism, q=None, v=None):
        spoil(q, v)
        return [0.0]

    def force(self, t, q, v, z, u):
        answer = [x + self.own for x in u]
        spoil(q, v, z, u)
        return answer

    def rate(self, t, q, v, z, u):
        answer = [0.0 * z[0]]
        spoil(q, v, z, u)
        return answer

    def signals(self, t, q, v, z, u):
        spoil(q, v, z, u)
        return {"voltage": [1.0, 1.0]}


class Witness(Block):
    """Adds nothing, unless somebody before it has spoilt the state or its command."""

    array_level = True

    def force(self, t, q, v, z, u):
        seen = [np.abs(x) > 100.0 for x in (*q, *v, *u)]
        return [x + 1e3 * np.any(seen, axis=0) for x in u]


def wrench(t, q, v):
    spoil(q, v)
    x, y = [0, 0, 0, FORCE, 0, 0], [0, 0, 0, 0, FORCE, 0]
    return {"first": x, "second": y}


def never(t, q, v):
    spoil(q, v)
    return 1.0


def once(t, q, v):
    spoil(q, v)
    return t - 0.5 * END


def no_change(t, q, v):
    spoil(q, v)


SPOILERS = {
    "controller": {"controller": push},
    "sampled controller": {"controller": push, "period": 0.01},
    "part": {"controller": Vandal()},
    "part over arrays": {"controller": Vandal(traced=False)},
    "sampled part": {"controller": Vandal(), "period": 0.01},
    "two parts": {"controller": [Vandal(1.0), Vandal(FORCE - 1.0, traced=False)]},
    "chain": {"controller": Chain(Vandal(1.0), Vandal(FORCE - 1.0))},
    "one that reads behind": {"controller": [Vandal(traced=False), Witness()]},
    "a chain that reads behind": {"controller": Chain(Vandal(traced=False), Witness())},
    "actuator": {"actuators": Vandal()},
    "Function": {"controller": am.Function(push)},
    "external": {"external": wrench},
    "event": {"inputs": [FORCE, FORCE], "events": am.Event(never)},
    "action": {"inputs": [FORCE, FORCE], "events": am.Event(once, action=no_change)},
    "event and controller": {"controller": push, "events": am.Event(once, action=no_change)},
}


@pytest.mark.parametrize("method", ["rk4", "dopri5", "implicit"])
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("name", SPOILERS)
def test_what_a_function_writes_into_the_state_stays_with_it(name, start, method):
    record = ("q", "v", "tau") + (("voltage",) if "part" in name or name == "actuator" else ())
    run = am.simulate(
        PAIR, STARTS[start], duration=END, step=0.01, method=method, record=record, **SPOILERS[name]
    )
    assert run.complete
    np.testing.assert_allclose(run.q[-1], np.full(STARTS[start].shape, PLACE), rtol=1e-6)
    np.testing.assert_allclose(run.v[-1], np.full(STARTS[start].shape, SPEED), rtol=1e-6)


def test_what_a_function_keeps_does_not_change_later():
    """Arrays that were handed over are the receiver's: a log of them is right."""
    log = []

    def watch(t, q, v):
        log.append((t, q, v))
        return np.full(2, FORCE)

    am.simulate(PAIR, np.zeros((3, 2)), duration=END, step=0.01, controller=watch, period=0.01)
    assert len(log) >= 20
    for t, q, v in log:
        np.testing.assert_allclose(q, np.full((3, 2), 0.5 * FORCE / MASS * t * t), atol=1e-12)
        np.testing.assert_allclose(v, np.full((3, 2), FORCE / MASS * t), atol=1e-12)


# -- answers -------------------------------------------------------------------------------------

UNFIT = {
    "complex": np.array([1.0 + 2.0j, 0.0]),
    "complex numbers": [1.0 + 2.0j, 0.0],
    "texts": ["1", "2"],
    "a text": "12",
    "nothing": None,
    "objects": np.array([1.0, None], object),
    "ragged": [[1.0, 2.0], [3.0]],
    "too many": np.zeros(3),
    "too few": [1.0],
    "rows": np.zeros((4, 2)),
}


class Answering(Block):
    def __init__(self, answer):
        self.answer = answer

    def force(self, t, q, v, z, u):
        return self.answer


LEVEL = am.RoadProfile([0, 1, 2], [0, 0, 0])


def acting(action):
    return am.Event(lambda t, q, v: t - 0.02, "e", action=action)


def told_by(build, name, answer):
    with pytest.raises(ArmillaryError, match=name) as caught:
        am.simulate(PAIR, np.zeros(2), duration=0.05, step=0.01, **build(answer))
    return str(caught.value)


ASKED = {
    "controller 'law'": lambda x: {"controller": named("law", lambda t, q, v: x)},
    "controller 'law', sampled": lambda x: {
        "controller": named("law", lambda t, q, v: x), "period": 0.02},
    "controller 'Answering'": lambda x: {"controller": Answering(x)},
    "actuator 'Answering'": lambda x: {"actuators": Answering(x)},
    "feed-forward": lambda x: {"controller": am.FeedForward(lambda t: x)},
    "controller function": lambda x: {"controller": am.Function(lambda t, q, v: x)},
    "inputs": lambda x: {"inputs": lambda t: x},
    "external": lambda x: {"external": {"first": lambda t: x}},
    "external, of states": lambda x: {"external": lambda t, q, v: {"first": x}},
    "action": lambda x: {"events": acting(lambda t, q, v: (x, v))},
    "event 'e'": lambda x: {"events": am.Event(lambda t, q, v: x, "e")},
    "prescribed": lambda x: {"prescribed": {"first": lambda t: x}},
    "prescribed, with rates": lambda x: {"prescribed": {"first": lambda t: (x, 0.0, 0.0)}},
    "travel": lambda x: {"prescribed": {"first": LEVEL.under(lambda t: x)}},
}  # fmt: skip


def named(name, function):
    function.__name__ = name
    return function


@pytest.mark.parametrize("unfit", UNFIT)
@pytest.mark.parametrize("who", ASKED)
def test_an_answer_that_is_no_real_numbers_is_refused_by_name(who, unfit):
    if who.startswith(("prescribed", "travel")) and unfit in ("too many", "rows", "too few"):
        return  # one place, or one per run: that is fit
    name = who.partition(",")[0]
    text = told_by(ASKED[who], name.replace("'", "."), UNFIT[unfit])
    assert "Traceback" not in text
    assert "t = " in text or "expected" in text


@pytest.mark.parametrize("batch", [False, True])
def test_a_switch_function_answers_one_number(batch):
    other = PAIR.replace(gravity=(0.0, 0.0, -1.0))
    switch = am.Switch(lambda t, q, v: np.zeros(2), "now", to=other)
    with pytest.raises(InputError, match=r"event 'now': .* one number, found shape \(2,\)"):
        am.simulate(PAIR, np.zeros((2, 2) if batch else 2), duration=0.05, events=switch)


def test_a_part_that_answers_too_little_gives_no_made_up_force():
    """One force for two joints left what happened to be in memory for the second."""
    with pytest.raises(
        InputError, match=r"controller 'Answering': expected 2 joint forces .*found 1"
    ):
        am.simulate(PAIR, np.zeros((5, 2)), duration=0.05, controller=Answering([1.0]))


# -- not a number --------------------------------------------------------------------------------


def late(t, q, v):
    return np.array([0.0, np.nan if t > 0.03 else 1.0])


class Late(Block):
    array_level = True

    def force(self, t, q, v, z, u):
        return [0.0, np.inf if t > 0.03 else 1.0]


NOT_FINITE = {
    "controller 'late' gave nan for 'second'": {"controller": late},
    "controller 'late' gave nan for 'second', sampled": {"controller": late, "period": 0.01},
    "controller 'Late' gave inf for 'second'": {"controller": Late()},
    "actuator 'Late' gave inf for 'second'": {"actuators": Late()},
    "inputs gave nan for 'second'": {"inputs": lambda t: late(t, 0, 0)},
    "external['second'] gave nan": {
        "external": lambda t, q, v: {"second": [0, 0, 0, 0, np.nan if t > 0.03 else 0, 0]}},
    "external['second'] gave nan, of time": {
        "external": {"second": lambda t: [0, 0, 0, 0, np.nan if t > 0.03 else 0, 0]}},
}  # fmt: skip


@pytest.mark.parametrize(
    "method", ["rk4", "euler", "semi-implicit", "dopri5", "implicit", "variational"]
)
@pytest.mark.parametrize("who", NOT_FINITE)
def test_no_number_is_blamed_on_who_gave_it(who, method):
    run = am.simulate(PAIR, np.zeros(2), duration=0.1, step=0.01, method=method, **NOT_FINITE[who])
    assert not run.complete
    assert who.partition(",")[0] in run.message, run.message
    assert "shorter step" not in run.message
    assert run.time[-1] == pytest.approx(0.03) or run.time[-1] == pytest.approx(0.04)
    assert np.isfinite(run.q).all()


def test_in_a_batch_the_other_runs_go_on():
    def law(t, q, v):
        tau = np.full((3, 2), FORCE)
        tau[1, 0] = np.nan if t > 0.03 else FORCE
        return tau

    run = am.simulate(PAIR, np.zeros((3, 2)), duration=END, step=0.01, controller=law)
    assert "1 runs ended as NaN: 1" in run.message
    (event,) = run.events
    assert event[1].startswith("run 1: not a number, controller 'law' gave nan for 'first'")
    np.testing.assert_allclose(run.q[-1, [0, 2]], np.full((2, 2), PLACE), rtol=1e-9)


def test_a_run_that_blows_up_is_not_blamed_on_its_controller():
    b = am.Builder("stiff", (0.0, 0.0, 0.0))
    b.body("wild", joint="prismatic", axis="x", mass=1e-3, passive=am.Passive(spring=1e9))
    run = am.simulate(
        b.build(), [0.1], [0.0], 10.0, 0.01, controller=lambda t, q, v: -0.1 * v, method="euler"
    )
    assert not run.complete
    assert "joint 'wild' had the velocity" in run.message


def test_an_action_that_gives_no_numbers():
    event = am.Event(lambda t, q, v: t - 0.02, "kick", action=lambda t, q, v: (q, v + np.nan))
    with pytest.raises(
        InputError, match=r"event 'kick': its action gave no finite number at t = 0"
    ):
        am.simulate(PAIR, np.zeros(2), duration=0.1, step=0.01, events=event)
