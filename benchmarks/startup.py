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


def _least(runs: list[list[float]]) -> list[float]:
    return [min(column) for column in zip(*runs, strict=True)]
