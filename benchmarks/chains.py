"""Revolute chains with random frames on loop kernels (tier 1)."""

from __future__ import annotations

from dataclasses import replace

from benchmarks import batch, single, targets
from benchmarks.questions import FORWARD, INVERSE, Case, Question, chain_case
from benchmarks.setting import Setting
from benchmarks.table import Row, Score, Section

LENGTHS = (30, 100, 300)


def run(setting: Setting) -> Section:
    rows = []
    for length in LENGTHS:
        case = chain_case(length)
        case = replace(case, arm=case.arm.compile(tier=1))
        for question in (INVERSE, FORWARD):
            rows += [single_row(case, question, length, setting)]
            rows += [batch_row(case, question, length, setting)]
    count = setting.effort.batch
    title = f"Revolute chains, tier 1: one state, and per state of {count}"
    return Section("chains", title, rows, setting.native_note())


def single_row(case: Case, question: Question, length: int, setting: Setting) -> Row:
    row = single.row(case, question, setting)
    return _judged(row, targets.CHAIN.get(length, (None, None))[0], f"{question.name}, single")


def batch_row(case: Case, question: Question, length: int, setting: Setting) -> Row:
    row = batch.row(case, question, setting, single_precision=False)
    label = f"{question.name}, batch"
    return _judged(row, targets.CHAIN.get(length, (None, None))[1], label)


def _judged(row: Row, target: float | None, question: str) -> Row:
    """The row with the target of its length."""
    score = replace(row.scores["ratio"], target=target)
    scores: dict[str, Score] = {**row.scores, "ratio": score}
    return replace(row, question=question, scores=scores)
