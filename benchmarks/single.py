"""One state per call, from Python: the call a user writes, its result allocated on both sides."""

from __future__ import annotations

import numpy as np

from benchmarks import targets
from benchmarks.clock import Effort, Runner, race, statement
from benchmarks.mechanisms import ROBOTS
from benchmarks.native import Native, NotBuiltError
from benchmarks.questions import QUESTIONS, Case, Question, answer, robot_case, single_error
from benchmarks.setting import Setting
from benchmarks.table import EXACT, Row, Section, error, ratio

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
    times: dict[str, float | str] = {**race_with_native(case, question, runners, setting)}
    return Row(case.name, question.name, times, scores(case, question, times))


def scores(case: Case, question: Question, times: dict) -> dict:
    targets_ = targets.SINGLE[question.name].get(case.kind, (None, None))
    peer = times["Pinocchio"]
    found = {"ratio": ratio(peer, times["ours"], targets_[0])}
    if "ours out=" in times:
        found["ratio out="] = ratio(peer, times["ours out="], targets_[1])
    found["error"] = error(single_error(case, question), EXACT)
    return found


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
