"""Import and first calls, each in fresh processes: the smallest of several."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks import targets
from benchmarks.child import ask
from benchmarks.mechanisms import ROBOTS
from benchmarks.setting import Setting
from benchmarks.table import Row, Score, Section

TITLE = "Start-up: import, and the first call of a new robot"
NOTES = (
    "cold: an empty cache, everything is compiled; warm: a new process with the cache of the "
    "first. Import and reading of the file are not in the first call. Processor time, unless it "
    "says 'on the clock' (more where the machine is busy).",
)
ASKED = ("panda", "talos")
QUESTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")


def run(setting: Setting) -> Section:
    processes = setting.effort.processes
    used, clock = _least([ask("import") for _ in range(processes)])
    rows = [Row("import armillary", "on top of numpy", {"import": used, "on the clock": clock})]
    for robot in setting.robots or ASKED:
        rows += [first_row(robot, question, processes) for question in QUESTIONS]
    rows += [edit_row(name, processes) for name in targets.EDIT]
    rows.append(drive_row(processes))
    return Section("startup", TITLE, rows, NOTES)


def first_row(robot: str, question: str, processes: int) -> Row:
    """Cold runs have a new cache each; the warm ones read what the last of them left."""
    cold, warm = [], []
    for _ in range(max(1, processes // 3)):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(ask("first", robot, question, cache=Path(cache)))
            warm += [ask("first", robot, question, cache=Path(cache)) for _ in range(2)]
    kind = ROBOTS[robot].kind
    limits = targets.FIRST_CALL.get(kind, (None, None))
    scores = {
        name: Score(_least(runs)[2], limit, low=True, form="{:.3f} s")
        for name, runs, limit in (("cold", cold, limits[0]), ("warm", warm, limits[1]))
    }
    times: dict[str, float | str] = {
        "reading the file": _least([*cold, *warm])[0],
        "cold on the clock": _least(cold)[3],
        "warm on the clock": _least(warm)[3],
    }
    text = question.replace("_", " ")
    return Row(ROBOTS[robot].name, f"first {text}", times, scores)


def edit_row(name: str, processes: int) -> Row:
    """Another mass: inverse and forward dynamics of the edited mechanism."""
    used, clock = _least([ask("edit", name) for _ in range(processes)])
    scores = {"edit": Score(used, targets.EDIT[name], low=True, form="{:.3f} s")}
    return Row(name, "edit to answer", {"on the clock": clock}, scores, group="edit")


def drive_row(processes: int) -> Row:
    """car(), its first acceleration and drive."""
    with tempfile.TemporaryDirectory() as cache:
        cold = ask("drive", cache=Path(cache))
        warm = _least([ask("drive", cache=Path(cache)) for _ in range(processes)])
    scores = {
        name: Score(run[0], limit, low=True, form="{:.2f} s")
        for name, run, limit in zip(
            ("cold", "warm"), (cold, warm), targets.FIRST_DRIVE, strict=True
        )
    }
    times: dict[str, float | str] = {"cold on the clock": cold[1], "warm on the clock": warm[1]}
    return Row("car", "first drive", times, scores, group="drive")


def _least(runs: list[list[float]]) -> list[float]:
    return [min(column) for column in zip(*runs, strict=True)]
