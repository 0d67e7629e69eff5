"""Other engines a user may pick from the package index: MuJoCo, on the arms."""

from __future__ import annotations

from benchmarks import mujoco_peer
from benchmarks.accuracy import relative_error
from benchmarks.clock import race, statement
from benchmarks.mechanisms import ROBOTS
from benchmarks.questions import QUESTIONS, Case, Question, answer, robot_case
from benchmarks.setting import Setting
from benchmarks.table import Row, Section, error, ratio

TITLE = "Other engines: MuJoCo from Python, one state"
NOTES = (
    "MuJoCo's functions update its data: putting the state in is counted, copying the result out "
    "is not. Constraints and contacts are off.",
)


def run(setting: Setting) -> Section:
    arms = [key for key, robot in ROBOTS.items() if robot.kind == "arm"]
    rows = []
    for key in setting.robots or arms:
        case = robot_case(key)
        peer = mujoco_peer.from_file(case.arm)
        rows += [row(case, peer, question, setting) for question in QUESTIONS]
    return Section("others", TITLE, rows, NOTES)


def row(case: Case, peer: mujoco_peer.MuJoCo, question: Question, setting: Setting) -> Row:
    names = case.ours()
    state = names["q"], names["v"], names["x"]
    runners = {
        "ours": statement(question.ours, names),
        "MuJoCo": statement(mujoco_peer.STATEMENTS[question.name], peer.names(*state)),
    }
    times = race(runners, setting.effort)
    expected = peer.answer(question.name, *state)
    off = relative_error(answer(question, question.ours, names), [expected])
    scores = {"ratio": ratio(times["MuJoCo"], times["ours"]), "error": error(off)}
    return Row(case.name, question.name, dict(times), scores)
