"""Which code answers is one table over sizes and announced states: what was asked before, how long
a run is and in which parts it is made changes no bit; nothing is compiled while a run goes on."""

import re
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.codegen import jit
from armillary.constraints import table
from armillary.evaluate import native_call
from armillary.runtime.time_loop import run_steps
from armillary.sim.loop.time_steps import Stepping
from armillary.sim.record import recorded_states

DOCS = Path(__file__).parents[2] / "docs" / "how-it-works.md"
NAMES = ("four-bar", "stewart", "rover", "bricard", "ladder")


def machine(name):
    return am.example("four-bar-ladder", n=25) if name == "ladder" else am.example(name)


def state(m, seed=3):
    rng = np.random.default_rng(seed)
    q = m.project(m.initial)[0]
    step = m.project(q, rng.normal(size=m.nv))[1]
    q = m.integrate(q, 0.05 * step / np.abs(step).max())
    return *m.project(q, rng.normal(size=m.nv)), rng.normal(size=m.nv)


def answers(m, q, v, tau):
    solved, a = m.solve(q, v, tau), m.forward_dynamics(q, v, tau)
    slopes = m.forward_dynamics.derivatives(q, v, tau)
    return [
        a, solved.multipliers, solved.reactions.total, solved.conflict,
        slopes.dtau, slopes.full.dq, m.constraint_jacobian(q), m.constraint_rate(q, v),
        *m.project(m.integrate(q, 1e-5 * v), v), m.inverse_dynamics(q, v, a),
        np.array(m.mobility(q).finite),
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore::armillary.errors.ProjectionWarning")
@pytest.mark.parametrize("name", NAMES)
def test_the_first_answer_and_later_ones_are_the_same_bits(name):
    m = machine(name)
    q, v, tau = state(m)
    first = answers(m, q, v, tau)
    rows = [np.tile(x, (130, 1)) for x in (q, v, tau)]
    m.forward_dynamics(*rows), m.solve(*rows)
    for _ in range(250 if m.nv < 10 else 25):
        m.forward_dynamics(q, v, tau), m.solve(q, v, tau), m.constraint_jacobian(q)
    for _ in range(25 if m.nv < 10 else 3):
        m.forward_dynamics.derivatives(q, v, tau)
    for one, other in zip(first, answers(m, q, v, tau), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["four-bar", "stewart"])
def test_a_run_is_the_beginning_of_a_longer_one(name, tmp_path):
    """Of 0.02 s and of 0.5 s, resumed, and beside other runs: the same bits, with all forces."""
    m = machine(name)
    q, v, _ = state(m)
    given = {"step": 1e-3, "record": ("q", "v", "constraint_forces", "reactions")}
    short, long = (am.simulate(machine(name), q, v, t, **given) for t in (0.02, 0.5))
    out = tmp_path / "run.nc"
    am.simulate(m, q, v, 0.01, out=out, **given)
    resumed = am.simulate(m, q, v, 0.02, out=out, resume=True, **given)
    for what in given["record"]:
        np.testing.assert_array_equal(short[what], long[what][: len(short.time)])
        np.testing.assert_array_equal(short[what], resumed[what])


def swinging():
    """A parallelogram that is thrown through its flat position, where two branches meet."""
    m = am.example("four-bar-ladder", n=1)
    return m, np.array([0.5, -0.5, 0.5]), 9.0 * np.array([1.0, -1.0, 1.0])


def straight_ahead():
    m = am.example("rover")
    return m, np.array(m.initial), np.zeros(m.nv)


def six_hinges():
    m = am.example("bricard")
    return m, np.array(m.initial), m.project(m.initial, np.ones(m.nv))[1]


@pytest.mark.skipif(not native_call.available(), reason="needs native calls")
@pytest.mark.parametrize("start", [swinging, straight_ahead, six_hinges])
def test_nothing_is_made_on_the_way(start, monkeypatch):
    """10 000 steps through or at singular places: none in Python, and no code is linked after the
    first has begun (what is recorded has code of its own)."""
    m, q, v = start()
    linked, begun = [], []
    link, steps = jit.Library._link, Stepping.run

    def count(stepping, *given):
        run_steps(stepping.method.kind)  # the driver of all loops
        begun.append(len(linked))
        return steps(stepping, *given)

    monkeypatch.setattr(jit.Library, "_link", lambda *x: linked.append(1) or link(*x))
    monkeypatch.setattr(recorded_states.States, "pulls", lambda _: [])
    monkeypatch.setattr(Stepping, "run", count)
    run = am.simulate(m, q, v, duration=10.0, step=1e-3, stick=False)
    assert run.complete, run.message
    assert run.performance().native == 1.0, str(run.performance())
    assert len(linked) == begun[0]


def test_few_and_many(monkeypatch):
    m = am.example("four-bar")
    assert [table.many(m.options, k) for k in (0, 64, 65)] == [False, False, True]
    announced = m.compile(states=65)
    assert table.many(announced.options)
    assert announced.announced() is announced and m.announced() is m.announced()
    tree = am.example("six-r")
    assert tree.announced() is tree
    own = m.compile(budget=7).options
    for code, (few, many) in table.OPERATIONS.items():
        assert table.options_for(m.options, code).budget == few
        assert table.options_for(m.options, code, 65).budget == many
        assert table.options_for(own, code, 65).budget == 7


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"background": True}, "not needed any more"),
        ({"states": -1}, "states"),
        ({"states": 1.5}, "states"),
        ({"tier": 3}, "tier"),
        ({"budget": "much"}, "budget"),
    ],
)
def test_options_that_are_refused(options, words):
    with pytest.raises(am.InputError, match=words):
        am.example("four-bar").compile(**options)


def test_the_table_of_the_page_is_that_of_the_code():
    """And its links lead somewhere."""
    text = DOCS.read_text()
    part = text[text.index("## Three solvers") :]
    for few, many in table.OPERATIONS.values():
        assert f"{few:,}".replace(",", " ") + " / " + f"{many:,}".replace(",", " ") in part
    links = re.findall(r"\]\((\.\./src/[^)]+)\)", part)
    assert len(links) > 8 and all((DOCS.parent / link).is_file() for link in links)
    report = am.example("four-bar").compile_report()
    assert "15000" in report and "loops" in report and "null space" in report
