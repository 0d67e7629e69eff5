"""Many states per call, time per state: ours in float64 and float32, Pinocchio's batch call."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]

from benchmarks import targets
from benchmarks.accuracy import EXACT, compare
from benchmarks.clock import race, statement
from benchmarks.mechanisms import ROBOTS
from benchmarks.questions import (
    DERIVATIVES,
    FORWARD,
    MASS,
    QUESTIONS,
    Case,
    Question,
    answer,
    kernel,
    per_state,
    robot_case,
)
from benchmarks.setting import Setting
from benchmarks.table import Row, Section, error, ratio

NOTES = (
    "Pinocchio: its parallel call with one thread for inverse and forward dynamics, "
    "its call per state in a Python loop otherwise.",
    "array filled: a new array of the size of the results, filled with a number. Ours use large "
    "results again that nobody holds; Pinocchio's call writes into one matrix of its own.",
)
FILLED = "array filled"
CHECKED = 64  # states of the batch compared with the peer


def run(setting: Setting) -> Section:
    rows = []
    for key in setting.robots or ROBOTS:
        case = robot_case(key)
        rows += [row(case, question, setting) for question in QUESTIONS]
        rows.append(threads_row(case, FORWARD, setting))
    title = f"Batches of {setting.effort.batch}, time per state"
    return Section("batch", title, rows, NOTES)


def row(case: Case, question: Question, setting: Setting, single_precision: bool = True) -> Row:
    count = setting.effort.batch
    names = case.ours(count)
    runners = {"ours": statement(question.ours, names)}
    if question is not DERIVATIVES:
        into = {**names, "out": np.empty_like(answer(question, question.ours, names)[0])}
        runners["ours out="] = statement(question.into, into)
    if single_precision:
        runners["ours float32"] = statement(question.ours, case.ours(count, np.float32))
    runners["Pinocchio"] = statement(*peer(case, question, count, 1))
    if question is MASS:
        runners[FILLED] = statement("np.full(shape, 1.0)", {"np": np, "shape": into["out"].shape})
    times = {name: t / count for name, t in race(runners, setting.effort).items()}
    return judged(case, question, times, count)


def peer(case: Case, question: Question, count: int, threads: int) -> tuple[str, dict[str, Any]]:
    """Pinocchio's statement for a batch, and its names."""
    names = case.theirs(count)
    if not question.parallel:
        return per_state(question, names)
    pool = pin.ModelPool(case.peer.model, threads)
    return question.parallel.format(threads=threads), {**names, "pool": pool}


def judged(case: Case, question: Question, times: dict[str, float], count: int) -> Row:
    """The row of these times; some states of the batch are compared."""
    target, target32 = targets.BATCH[question.name].get(case.kind, (None, None))
    scores = {"ratio": ratio(times["Pinocchio"], times["ours"], target)}
    checked = min(count, CHECKED)
    found = compare(case, question, checked)
    if "ours float32" in times:
        scores["ratio float32"] = ratio(times["Pinocchio"], times["ours float32"], target32)
    scores["error"] = error(found.error, EXACT)
    if "ours float32" in times:
        scores["error float32"] = error(compare(case, question, checked, np.float32).error)
    served = kernel(case.arm, question, batched=True)
    shown: dict[str, float | str] = {**times, "our kernel": served}
    return Row(case.name, question.name, shown, scores, found.note, reason(question, times))


def reason(question: Question, times: dict[str, float]) -> str:
    """Why a row may fall short."""
    if FILLED in times:
        return f"memory: filling such an array takes {1e9 * times[FILLED]:.0f} ns per state"
    if question is DERIVATIVES:
        return "three matrices per state are solved in loops over memory"
    return ""


def threads_row(case: Case, question: Question, setting: Setting) -> Row:
    """All cores on both sides; no target."""
    count, threads = setting.effort.batch, os.cpu_count() or 1
    names = {**case.ours(count), "arm": case.arm.compile(threads=threads)}
    runners = {
        "ours": statement(question.ours, names, threads),
        "Pinocchio": statement(*peer(case, question, count, threads), threads),
    }
    times = {name: t / count for name, t in race(runners, setting.effort).items()}
    score = {"ratio": ratio(times["Pinocchio"], times["ours"])}
    return Row(case.name, f"{question.name}, {threads} threads", dict(times), score)
