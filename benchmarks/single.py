"""One state per call, from Python: the call a user writes, its result allocated on both sides."""

from __future__ import annotations

import numpy as np

from benchmarks import targets
from benchmarks.accuracy import EXACT, compare
from benchmarks.clock import Effort, Runner, race, statement
from benchmarks.mechanisms import ROBOTS
from benchmarks.native import Native, NotBuiltError
from benchmarks.questions import QUESTIONS, Case, Question, answer, kernel, robot_case
from benchmarks.setting import Setting
from benchmarks.table import Row, Section, error, ratio

TITLE = "Single calls: ours and Pinocchio from Python, Pinocchio in C++"


def run(setting: Setting) -> Section:
    rows = []
    for key in setting.robots or ROBOTS:
        case = robot_case(key)
        rows += [row(case, question, setting) for question in QUESTIONS]
    return Section("single", TITLE, rows, setting.native_note())


def row(case: Case, question: Question, setting: Setting) -> Row:
    names = case.ours()
    names["out"] = np.empty_like(answer(question, question.ours, names)[0])
    runners = {
        "ours": statement(question.ours, names),
        "ours out=": statement(question.into, names),
        "Pinocchio": statement(question.peer, case.theirs()),
    }
    times = race_with_native(case, question, runners, setting)
    return judged(case, question, times)


def judged(case: Case, question: Question, times: dict[str, float]) -> Row:
    """The row of these times."""
    target, target_out = targets.SINGLE[question.name].get(case.kind, (None, None))
    scores = {"ratio": ratio(times["Pinocchio"], times["ours"], target)}
    if "ours out=" in times:
        scores["ratio out="] = ratio(times["Pinocchio"], times["ours out="], target_out)
    found = compare(case, question)
    scores["error"] = error(found.error, EXACT)
    served = kernel(case.arm, question, batched=False)
    shown: dict[str, float | str] = {**times, "our kernel": served}
    return Row(case.name, question.name, shown, scores, found.note)


def race_with_native(
    case: Case, question: Question, runners: dict[str, Runner], setting: Setting
) -> dict[str, float]:
    """The race, with Pinocchio in C++ where it was built."""
    effort: Effort = setting.effort
    if setting.program is None:
        return race(runners, effort)
    try:
        with Native(setting.program, case) as native:
            return race({**runners, "Pinocchio C++": native.runner(question)}, effort)
    except NotBuiltError as why:
        setting.say(f"Pinocchio C++ left out: {why}")
        return race(runners, effort)
