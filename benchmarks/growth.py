"""Time and memory over the number of bodies: chains of 100 to 10 000."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from armillary import Mechanism
from benchmarks import child, mujoco_peer, targets
from benchmarks.accuracy import relative_error
from benchmarks.clock import race, statement
from benchmarks.mechanisms import Array, chain, states
from benchmarks.pinocchio_peer import from_chain
from benchmarks.questions import FORWARD, INVERSE, Case, Question
from benchmarks.setting import Setting
from benchmarks.table import Row, Score, Section, error

LENGTHS = (100, 300, 1000, 3000, 10_000)
LARGEST = {"Pinocchio": 300, "MuJoCo": 1000}  # beyond, memory or patience ends
TITLE = "Growth with the number of bodies"
NOTES = (
    "error: joint forces of the accelerations found, against those given (no peer goes this far).",
    "Pinocchio's work space grows with the cube of the bodies, 1.8 GB at 300: not tried beyond. "
    "MuJoCo: not tried beyond 1000.",
)


def run(setting: Setting) -> Section:
    lengths = [n for n in LENGTHS if n <= setting.effort.largest]
    rows = [row(n, question, setting) for question in (INVERSE, FORWARD) for n in lengths]
    rows += [_fit(question, rows) for question in (INVERSE, FORWARD)]
    return Section("growth", TITLE, [*rows, *_memory(lengths)], NOTES)


def row(length: int, question: Question, setting: Setting) -> Row:
    arm = chain(length)
    names = {"arm": arm, **dict(zip("qvx", _state(arm), strict=True))}
    runners = {"ours": statement(question.ours, names)}
    if length <= LARGEST["Pinocchio"]:
        case = Case("", "chain", arm, from_chain(arm))
        runners["Pinocchio"] = statement(question.peer, case.theirs())
    if question is FORWARD and length <= LARGEST["MuJoCo"]:
        words, peer = mujoco_peer.STATEMENTS[question.name], mujoco_peer.from_chain(arm)
        runners["MuJoCo"] = statement(words, peer.names(*_state(arm)))
    times = race(runners, setting.effort)
    scores = {"error": error(round_trip(arm))} if question is FORWARD else {}
    return Row(f"chain {length}", question.name, dict(times), scores)


def round_trip(arm: Mechanism) -> float:
    """tau -> accelerations -> tau."""
    q, v, tau = _state(arm)
    again = arm.inverse_dynamics(q, v, arm.forward_dynamics(q, v, tau))
    bias = arm.inverse_dynamics(q, v, np.zeros(arm.nv))  # the scale: forces in play
    return relative_error([again - tau + bias], [bias])


def _state(arm: Mechanism) -> tuple[Array, Array, Array]:
    q, v, x = states(arm, 1)
    return q[0], v[0], x[0]


def _fit(question: Question, rows: list[Row]) -> Row:
    """The exponent of time over bodies, a straight line through the logarithms."""
    own = [row for row in rows if row.question == question.name]
    lengths = [int(row.robot.split()[1]) for row in own]
    value = exponent(lengths, [float(row.times["ours"]) for row in own])
    score = Score(value, targets.EXPONENT, low=True)
    return Row(f"{lengths[0]}..{lengths[-1]}", question.name, {}, {"exponent": score})


def exponent(lengths: list[int], values: list[float]) -> float:
    return float(np.polyfit(np.log(lengths), np.log(values), 1)[0])


def _memory(lengths: list[int]) -> list[Row]:
    """Peak memory on top of the import, each in a fresh process that compiles everything."""
    rows = []
    for length in lengths:
        with tempfile.TemporaryDirectory() as cache:
            (found,) = child.ask("memory", str(length), cache=Path(cache))
        target = targets.MEMORY if length == 10_000 else None
        score = Score(found, target, low=True, form="{:.0f} MB")
        rows.append(Row(f"chain {length}", "memory", {}, {"memory": score}))
    return rows
