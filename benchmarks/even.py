"""No cliffs: every question beside inverse dynamics, and beside Pinocchio's whole question (the
kinematics it needs, the frame, the result read)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.accuracy import EXACT, relative_error
from benchmarks.clock import race, statement
from benchmarks.mechanisms import Array
from benchmarks.pinocchio_peer import SWAP
from benchmarks.questions import INVERSE, Case, robot_case
from benchmarks.setting import Setting
from benchmarks.table import Row, Score, Section, error, ratio

TITLE = "Single calls beside inverse dynamics: multiples of it, and Pinocchio's whole question"
FASTER = 1.5  # than Pinocchio, at least
FASTER_ROWS = 10.0  # per state of a batch
WRENCH = np.array([0.3, -0.2, 0.5, 4.0, -3.0, 2.0])
_J = "J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)"


@dataclass(frozen=True)
class Even:
    """ours, theirs: statements.  limit: times inverse dynamics.  same: both answers in our order,
    from the case and what the statements gave."""

    name: str
    ours: str
    theirs: str
    limit: float
    same: Callable[[Case, Any, Any], tuple[Array, Array]]


def _as_given(case: Case, ours: Any, theirs: Any) -> tuple[Array, Array]:
    return _flat(ours), _flat(theirs)


def _angular_first(case: Case, ours: Any, theirs: Any) -> tuple[Array, Array]:
    return _flat(ours), _flat(np.asarray(theirs)[SWAP])


def _columns(case: Case, ours: Any, theirs: Any) -> tuple[Array, Array]:
    return _flat(ours), _flat(np.asarray(theirs)[SWAP][:, np.argsort(case.peer.v_of)])


def _both_ways(case: Case, ours: Any, theirs: Any) -> tuple[Array, Array]:
    return _flat(ours.W), _flat(np.asarray(theirs)[SWAP][:, SWAP])


def _joints(case: Case, ours: Any, theirs: Any) -> tuple[Array, Array]:
    """Forces in the joints that both have, each in its joint's frame."""
    names = list(case.peer.model.names)[1:]
    found = [(ours[n], theirs[k + 1][SWAP]) for k, n in enumerate(names) if n in ours]
    return _flat([x for x, _ in found]), _flat([y for _, y in found])


def _forces(case: Case, ours: Any, theirs: Any) -> tuple[Array, Array]:
    return _flat(ours), _flat(case.peer.back(theirs, False))


QUESTIONS = (
    Even("pose", "arm.pose(q, 'tip')",
         "pin.forwardKinematics(model, data, q); "
         "M = pin.updateFramePlacement(model, data, frame); answer = M.rotation, M.translation",
         3.0, _as_given),
    Even("velocity", "arm.velocity(q, v, 'tip')",
         "pin.forwardKinematics(model, data, q, v); "
         "answer = pin.getFrameVelocity(model, data, frame, pin.LOCAL).vector",
         3.0, _angular_first),
    Even("jacobian", "arm.jacobian(q, 'tip')", f"{_J}; answer = J", 3.0, _columns),
    Even("energy", "arm.energy(q, v)",
         "answer = (pin.computeKineticEnergy(model, data, q, v), "
         "pin.computePotentialEnergy(model, data, q))", 3.0, _as_given),
    Even("reactions", "arm.reactions(q, v, x)",
         "pin.rnea(model, data, q, v, x); answer = [f.vector for f in data.f]", 5.0, _joints),
    Even("one external wrench", "arm.inverse_dynamics(q, v, x, external={'tip': wrench})",
         "forces = [pin.Force.Zero()] * model.njoints; forces[joint] = place.act(push); "
         "answer = pin.rnea(model, data, q, v, x, forces)", 5.0, _forces),
    Even("operational inertia", "arm.operational_inertia(q, 'tip')",
         f"{_J}; pin.computeMinverse(model, data, q); answer = J @ data.Minv @ J.T",
         12.0, _both_ways),
)  # fmt: skip


def run(setting: Setting) -> Section:
    rows = []
    for key in setting.robots or ("panda", "ur5"):
        case = robot_case(key)
        rows += [row(case, question, setting) for question in QUESTIONS]
    return Section("even", TITLE, rows)


def row(case: Case, question: Even, setting: Setting) -> Row:
    ours, theirs = names(case)
    tip = tip_of(case)
    mine = question.ours.replace("'tip'", repr(tip))
    runners = {
        "ours": statement(mine, ours),
        "inverse dynamics": statement(INVERSE.ours, ours),
        "Pinocchio": statement(question.theirs, theirs),
        "ours, a state of a batch": statement(mine, {**ours, **case.ours(setting.effort.batch)}),
    }
    times = race(runners, setting.effort)
    times["ours, a state of a batch"] /= setting.effort.batch
    x, y = question.same(case, eval(mine, dict(ours)), answer(question.theirs, theirs))
    scores = {
        "multiple": Score(times["ours"] / times["inverse dynamics"], question.limit, low=True),
        "ratio": ratio(times["Pinocchio"], times["ours"], FASTER),
        "batch ratio": ratio(times["Pinocchio"], times["ours, a state of a batch"], FASTER_ROWS),
        "error": error(relative_error([x], [y]), EXACT),
    }
    return Row(case.name, question.name, {**times}, scores)


def tip_of(case: Case) -> str:
    """The last moving frame that both know by one name."""
    known = {frame.name for frame in case.peer.model.frames}
    place = case.arm.evaluator.place
    return [name for name in case.arm.bodies if name in known and place(name).kernel >= 0][-1]


def names(case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    import pinocchio as pin  # type: ignore[import-untyped]

    model = case.peer.model
    number = model.getFrameId(tip_of(case))
    frame = model.frames[number]
    push = pin.Force(WRENCH[SWAP])
    more = {"frame": number, "joint": frame.parentJoint, "place": frame.placement, "push": push}
    return {**case.ours(), "wrench": WRENCH}, {**case.theirs(), **more}


def answer(text: str, given: dict[str, Any]) -> Any:
    found = dict(given)
    exec(text, found)
    return found["answer"]


def _flat(values: Any) -> Array:
    parts = values if isinstance(values, (tuple, list)) else (values,)
    return np.concatenate([np.ravel(np.asarray(part, float)) for part in parts])
