"""Derivatives of forward dynamics: three matrices (nv, nv) per state."""

from __future__ import annotations

from dataclasses import replace

from benchmarks import batch
from benchmarks.clock import statement
from benchmarks.mechanisms import ROBOTS
from benchmarks.questions import DERIVATIVES, Case, robot_case
from benchmarks.setting import Setting
from benchmarks.single import judged, race_with_native
from benchmarks.table import Row, Section


def run(setting: Setting) -> Section:
    rows = []
    for key in setting.robots or ROBOTS:
        case = robot_case(key)
        rows += [single_row(case, setting), batch_row(case, setting)]
    count = setting.effort.batch
    title = f"Derivatives of forward dynamics: one state, and per state of {count}"
    return Section("derivatives", title, rows, setting.native_note())


def single_row(case: Case, setting: Setting) -> Row:
    runners = {
        "ours": statement(DERIVATIVES.ours, case.ours()),
        "Pinocchio": statement(DERIVATIVES.peer, case.theirs()),
    }
    times = race_with_native(case, DERIVATIVES, runners, setting)
    return replace(judged(case, DERIVATIVES, times), question="single")


def batch_row(case: Case, setting: Setting) -> Row:
    row = batch.row(case, DERIVATIVES, setting, single_precision=False)
    return replace(row, question=f"batch {setting.effort.batch}")
