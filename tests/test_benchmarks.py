"""The benchmarks run, their errors are the true ones and their verdicts follow the targets.

No time is judged here."""

# ruff: noqa: E402 - benchmarks/ stands beside src/ and tests/: its path comes before its imports
import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import benchmarks.__main__ as command
from benchmarks import (
    accuracy,
    batch,
    chains,
    closed,
    constraints,
    derivatives,
    growth,
    native,
    others,
    simulation,
    single,
    studies,
    table,
    targets,
)
from benchmarks.clock import Effort, race
from benchmarks.closed import CLOSED, Referee, ladder
from benchmarks.questions import DERIVATIVES, FORWARD, INVERSE, MASS, chain_case, robot_case
from benchmarks.setting import Setting

TINY = Effort(repeats=1, seconds=0.0, span=1e-7, batch=8, processes=1, build=False)
SETTING = Setting(TINY)


@pytest.fixture(scope="module")
def ur5():
    return robot_case("ur5")


def heavier(case, factor=1.001):
    """The same robot for us only, with every inertia larger: M and tau grow by the factor."""
    bodies = {
        body.name: {
            "mass": factor * body.mass.mass,
            "inertia": tuple(factor * x for x in body.mass.tensor),
        }
        for body in case.arm.model.bodies
        if body.mass.mass > 0
    }
    return replace(case, arm=case.arm.replace(bodies=bodies))


@pytest.mark.parametrize("question", [INVERSE, MASS], ids=lambda q: q.name)
def test_the_error_column_is_the_difference_between_the_engines(ur5, question):
    assert single.row(ur5, question, SETTING).scores["error"].value < 1e-12
    off = single.row(heavier(ur5), question, SETTING).scores["error"]
    assert off.value == pytest.approx(1e-3, rel=1e-9)
    assert off.met is False
    off = batch.row(heavier(ur5), question, SETTING).scores
    assert off["error"].value == pytest.approx(1e-3, rel=1e-9)
    assert off["error float32"].value == pytest.approx(1e-3, rel=1e-2)


def test_where_the_peer_is_off_the_true_numbers_count(ur5, monkeypatch):
    """Of numbers that rounding parts, the 80-bit solution of the same equations says which err."""
    if np.finfo(np.longdouble).eps >= np.finfo(float).eps:
        pytest.skip("no extended precision here")
    right = accuracy.peer_answer
    off = 1.0 + 3e-12  # Pinocchio's own error, as in derivatives of large robots
    monkeypatch.setattr(accuracy, "peer_answer", lambda *x: [off * part for part in right(*x)])
    for row in (single.row(ur5, FORWARD, SETTING), batch.row(ur5, FORWARD, SETTING)):
        assert row.scores["error"].value < 1e-13 and row.scores["error"].met
        assert "Pinocchio 3e-12" in row.note
    monkeypatch.setattr(accuracy, "peer_answer", right)
    ours = accuracy.answer
    wrong = lambda question, code, names: [  # noqa: E731
        off * x if code == question.ours else x for x in ours(question, code, names)
    ]
    monkeypatch.setattr(accuracy, "answer", wrong)
    score = accuracy.compare(ur5, FORWARD)
    assert score.error == pytest.approx(3e-12, rel=0.1)  # ours is the one that errs


def test_a_free_base_is_compared_in_one_order():
    """q, v and the tangent space are mapped between (w; p) and (p; xyzw), angular and linear."""
    case = robot_case("solo12")
    assert single.row(case, FORWARD, SETTING).scores["error"].value < 1e-12
    assert derivatives.single_row(case, SETTING).scores["error"].value < 1e-11


def test_chains_and_derivatives_agree_with_the_peer():
    case = chain_case(4)
    rows = [
        chains.single_row(case, FORWARD, 4, SETTING),
        chains.batch_row(case, INVERSE, 4, SETTING),
        batch.row(case, DERIVATIVES, SETTING, single_precision=False),
    ]
    assert [row.scores["error"].value < 1e-12 for row in rows] == [True] * 3
    assert growth.round_trip(case.arm) < 1e-12


@pytest.mark.parametrize("key", CLOSED)
def test_closed_mechanisms_agree_with_the_peer_and_the_dense_solution(monkeypatch, key):
    monkeypatch.setattr(closed, "STATES", 4)
    monkeypatch.setattr(constraints, "CHECKED", 2)
    contest = constraints.Contest(CLOSED[key]())
    q, v, _ = contest.closed.some
    assert np.abs(contest.arm.constraint_residual(q)).max() < 1e-9
    assert np.abs(contest.arm.constraint_rate(q, v)).max() < 1e-9
    rows = constraints.single_row(contest, SETTING), constraints.batch_row(contest, SETTING)
    for row, target in zip(rows, targets.CLOSED[key], strict=True):
        assert row.scores["ratio"].target == target
        assert row.scores["error"].value < 1e-12
        assert row.scores["Pinocchio's error"].value < 1e-10
        assert "tier 2" in row.times["our kernel"]


def test_the_error_of_a_closed_mechanism_is_the_true_one(monkeypatch):
    monkeypatch.setattr(constraints, "CHECKED", 1)
    case = CLOSED["four-bar"]()
    contest = constraints.Contest(case)
    heavy = heavier(case, 1.001).arm
    state = [part[0] for part in case.states(1)]
    exact, off = Referee(case.arm).accelerations(*state), Referee(heavy).accelerations(*state)
    assert contest.errors(False)[0] < 1e-12
    contest.arm = heavy  # ours alone
    expected = np.abs(off - exact).max() / np.abs(exact).max()
    assert expected > 1e-7
    assert contest.errors(False)[0] == pytest.approx(float(expected), rel=1e-6)


def test_the_ladder_is_a_pendulum_where_its_rods_are_parallel():
    arm = ladder(3)
    q, v, tau = constraints.ladder_state(arm)
    expected = Referee(arm).accelerations(q, v, tau)
    assert np.abs(constraints.ladder_motion(arm, tau) - expected).max() < 1e-13
    rows = [constraints.ladder_row(n, SETTING) for n in (2, 30, 40)]
    assert all(row.scores["error"].value < 1e-12 for row in rows)
    for fit in constraints.fit(rows):
        assert fit.robot == "ladder 30..40" and fit.scores["exponent"].target == targets.EXPONENT
        assert fit.scores["jump"].target == targets.JUMP


@pytest.fixture
def short_runs(monkeypatch):
    for name in ("LONG", "SHORT", "COMPARED", "LOOPED", "CALLED"):
        monkeypatch.setattr(simulation, name, 20)
    monkeypatch.setattr(simulation, "CHECKED", 4)


def test_runs_over_time_are_those_of_the_peer(short_runs):
    rows = simulation.run(SETTING).rows
    arm, batched, pid, function, *closed_rows = rows
    assert [row.scores["ratio"].target for row in (arm, batched)] == [*targets.STEPS]
    for row in (arm, batched, pid, function):
        assert row.scores["error"].value < 1e-13
    for row in closed_rows:
        assert row.scores["gap"].value < 1e-14 < row.scores["MuJoCo's gap"].value < 1e-3


def test_the_error_of_a_run_is_the_difference_between_the_engines(short_runs):
    case = simulation.panda()
    off = simulation.single_row(heavier(case), SETTING)
    assert off.scores["error"].value < 1e-13  # the motion under gravity alone has no scale of mass
    shifted = replace(case, peer=Shifted(case.peer, 1e-3))
    assert simulation.single_row(shifted, SETTING).scores["error"].value > 1e-4


class Shifted:
    """MuJoCo from another place."""

    def __init__(self, peer, by):
        self.peer, self.by, self.names = peer, by, peer.names

    def trajectory(self, q, v, steps):
        return self.peer.trajectory(q + self.by, v, steps)


def test_a_run_that_ends_early_is_not_timed(short_runs):
    case = simulation.panda()
    with pytest.raises(RuntimeError, match="not a number"):
        simulation.timed(case.names(case.hanging, np.full(7, 1e9), 1000))


def test_studies_and_their_peers_run_the_same_variants(tmp_path):
    """MuJoCo, a single run by parameters, and one with a mechanism of its own."""
    study = studies.ours(studies.ALONE)
    rows = study.table[:, : len(studies.FACTORS)]
    found = np.stack([study["peak"], study["swing"]], axis=1)
    scale = found.max(axis=0)
    assert np.ptp(found[:, 0]) > 0.1 * scale[0]
    alone = np.array([studies.alone(1), studies.single(rows[1])])
    assert np.allclose(studies.Peer().run(rows)[:, 0], found[:, 0], rtol=0, atol=1e-9 * scale[0])
    assert np.allclose(alone[:, 0], found[1, 0], rtol=0, atol=1e-9 * scale[0])
    assert np.allclose(alone[:, 1], found[1, 1], rtol=1e-2)  # a sum, not the trapezoidal rule
    assert studies.streamed(300, str(tmp_path / "s")) == 300


def test_the_command_writes_its_tables(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(command, "QUICK", TINY)
    files = tmp_path / "bench.json", tmp_path / "bench.md"
    words = ["--quick", "--section", "others", "--robot", "ur5"]
    command.main([*words, "--json", str(files[0]), "--markdown", str(files[1])])
    shown = capsys.readouterr().out
    assert "LLVM target" in shown and others.TITLE in shown and "targets met" in shown
    (section,) = json.loads(files[0].read_text())["sections"]
    assert [row["question"] for row in section["rows"]] == [
        q.name for q in (INVERSE, FORWARD, MASS)
    ]
    assert all(row["scores"]["error"]["value"] < 1e-9 for row in section["rows"])
    assert f"## {others.TITLE}" in files[1].read_text()


def test_a_target_is_met_or_the_summary_names_the_row():
    rows = [
        table.Row("arm", "a", {"ours": 1e-6}, {"ratio": table.ratio(6e-6, 1e-6, 6.0 - 1e-9)}),
        table.Row("arm", "b", {"ours": 1e-6}, {"ratio": table.ratio(5e-6, 1e-6, 6.0)}),
        table.Row("arm", "c", {"ours": 1e-6}, {"ratio": table.ratio(5e-6, 1e-6)}),
        table.Row("arm", "d", {"ours": 1e-6}, {"error": table.error(2e-12, 1e-12)}),
    ]
    first, *short = command.summary([table.Section("single", "", rows)])
    assert first == "1 of 3 targets met; short:"
    assert [line.split(":")[1] for line in short] == [" arm, b", " arm, d"]


def test_tables_are_whole_at_120_columns():
    """Every word of every cell and head; a group of rows has no columns of another."""
    times = {"ours": 95.5e-9, "ours out=": 99.7e-9, "Pinocchio": 1.34e-6}
    kernel = {"our kernel": "tier 2, 10437 ops"}
    scores = {
        "ratio": table.ratio(196e-6, 1e-6, 100.0),
        "ratio out=": table.ratio(3e-6, 1e-6, 8.0),
        "error": table.error(2e-15, 1e-10),
        "Pinocchio's error": table.error(6e-13),
    }
    jump = {"exponent": table.Score(1.04, 1.1, low=True), "jump": table.Score(1.44, 2.0, low=True)}
    rows = [
        table.Row("Solo12 18 pinned", "batch 4096", times | kernel, scores, "against 80 bits"),
        table.Row("ladder 1000", "single", {"ours": 1e-6, **kernel}, group="ladder"),
        table.Row("ladder 10..1000", "growth, elimination", {}, jump, group="growth"),
    ]
    section = table.Section("constraints", "Closed mechanisms", rows)
    console = Console(width=120, file=io.StringIO())
    for part in section.tables(120):
        console.print(part)
    text = console.file.getvalue()
    words = [
        w for row in rows for line in table.cells([row]) for cell in line for w in cell.split()
    ]
    assert set(words) <= set(text.split()) and "…" not in text
    assert len(section.tables(120)) == 4 and len(section.tables(1000)) == 3
    assert max(map(len, text.splitlines())) <= 120
    assert len(section.markdown().split("| --- |")) > 3


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5, "2.5 s"), (1.04e-6, "1.04 us"), (34e-9, "34 ns"), (0.186, "186 ms")]
)
def test_times_have_a_unit(seconds, text):
    assert table.time_text(seconds) == text


def test_the_smallest_sample_counts_and_runners_take_turns():
    calls = []

    def runner(name, per_call):
        times = iter(per_call)

        def sample(count):
            calls.append(name)
            return count * next(times)

        return sample

    effort = Effort(repeats=3, seconds=9.0, span=1.0)
    # two calls warm up and find the count
    runners = {"x": runner("x", [9, 9, 3, 2, 4]), "y": runner("y", [9, 9, 5, 7, 6])}
    assert race(runners, effort) == {"x": 2, "y": 5}
    assert calls[4:] == ["x", "y"] * 3


def test_the_exponent_is_the_slope_of_the_logarithms():
    lengths = [100, 300, 1000]
    assert growth.exponent(lengths, [2e-7 * n**1.5 for n in lengths]) == pytest.approx(1.5)


def test_missing_headers_are_a_reason_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(native, "EIGEN", ())
    monkeypatch.setattr(native, "which", lambda _: None)
    with pytest.raises(native.NotBuiltError, match="no C\\+\\+ compiler"):
        native.build(False, tmp_path, print)
    assert Setting(reason="no C++ compiler").native_note() == (
        "Pinocchio C++: not built: no C++ compiler",
    )


def test_states_are_the_same_on_both_sides(ur5):
    ours, theirs = ur5.ours(5), ur5.theirs(5)
    assert theirs["q"].shape == (6, 5) and theirs["q"].flags.f_contiguous
    assert np.array_equal(ur5.peer.back(theirs["x"].T, False), ours["x"])
