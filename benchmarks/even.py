"""No cliffs: every question beside inverse dynamics, and beside Pinocchio's whole question (the
kinematics it needs, the frame, the result read)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
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
    from the case and what the statements gave.  exact: how far they may differ."""

    name: str
    ours: str
    theirs: str
    limit: float
    same: Callable[[Case, Any, Any], tuple[Array, Array]]
    exact: float = EXACT
    dtype: str = "float64"  # of our states
    rows: float = FASTER_ROWS


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


def _reached(case: Case, ours: Any, theirs: Any) -> tuple[Array, Array]:
    """The pose that we found a way to, and the wanted one."""
    tip = tip_of(case)
    return _flat(case.arm.pose(ours.q, tip)), _flat(case.arm.pose(case.ours()["q"], tip))


def _joint_columns(case: Case, ours: Any, theirs: Any) -> tuple[Array, Array]:
    return _flat(ours), _flat(np.asarray(theirs)[:, np.argsort(case.peer.v_of)])


def _all_forces(case: Case, ours: Any, theirs: Any) -> tuple[Array, Array]:
    return _joints(case, ours.reactions(), theirs)


def _identified(case: Case, ours: Any, theirs: Any) -> tuple[Array, Array]:
    """The forces that both regressors give with their own parameters."""
    numbers = [x.toDynamicParameters() for x in list(case.peer.model.inertias)[1:]]
    forces = case.peer.back(np.asarray(theirs) @ np.concatenate(numbers), False)
    return _flat(ours @ case.arm.parameters), _flat(forces)


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
    Even("inverse kinematics", "arm.inverse_kinematics('tip', goal, q + 0.5)",
         "answer = reach(q + 0.5)", 400.0, _reached, 1e-8),
    Even("momentum matrix", "arm.momentum_matrix(q)",
         "answer = pin.computeCentroidalMap(model, data, q)", 3.0, _columns),
    Even("jacobian of the centre of mass", "arm.center_of_mass_jacobian(q)",
         "answer = pin.jacobianCenterOfMass(model, data, q, False)", 3.0, _joint_columns),
    Even("all forces of all bodies", "arm.body_forces(q, v, x)",
         "pin.rnea(model, data, q, v, x); "
         "answer = [f.vector for f in data.f]; "
         "others = [(v.vector, a.vector) for v, a in zip(data.v, data.a_gf)]", 10.0, _all_forces),
    Even("regressor", "arm.regressor(q, v, x)",
         "answer = pin.computeJointTorqueRegressor(model, data, q, v, x)", 12.0, _identified,
         rows=2.0),  # 7 kB are written for a state: memory sets the pace
    Even("given parameters", "arm.inverse_dynamics(q, v, x, parameters=parameters)",
         "answer = pin.rnea(model, data, q, v, x)", 4.0, _forces),
    Even("single precision", "arm.inverse_dynamics(q, v, x)",
         "answer = pin.rnea(model, data, q, v, x)", 3.0, _forces, 1e-5, "float32"),
)  # fmt: skip


def run(setting: Setting) -> Section:
    rows = []
    for key in setting.robots or ("panda", "ur5"):
        case = robot_case(key)
        rows += [row(case, question, setting) for question in QUESTIONS]
    return Section("even", TITLE, rows)


def row(case: Case, question: Even, setting: Setting) -> Row:
    known, theirs = names(case)
    tip = tip_of(case)
    mine = question.ours.replace("'tip'", repr(tip))
    ours = {**known, **case.ours(dtype=question.dtype)}
    rows = {**known, **case.ours(setting.effort.batch, question.dtype)}
    for given in (ours, rows):
        given["goal"] = case.arm.pose(given["q"], tip)
    runners = {
        "ours": statement(mine, ours),
        "inverse dynamics": statement(INVERSE.ours, known),
        "Pinocchio": statement(question.theirs, theirs),
        "ours, a state of a batch": statement(mine, rows),
    }
    times = race(runners, setting.effort)
    times["ours, a state of a batch"] /= setting.effort.batch
    x, y = question.same(case, eval(mine, dict(ours)), answer(question.theirs, theirs))
    scores = {
        "multiple": Score(times["ours"] / times["inverse dynamics"], question.limit, low=True),
        "ratio": ratio(times["Pinocchio"], times["ours"], FASTER),
        "batch ratio": ratio(times["Pinocchio"], times["ours, a state of a batch"], question.rows),
        "error": error(relative_error([x], [y]), question.exact),
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
    more = {
        "frame": number,
        "joint": frame.parentJoint,
        "place": frame.placement,
        "push": push,
        "reach": partial(reach, pin, model, case.peer.data, number, case.theirs()["q"]),
    }
    parameters = case.arm.parameters
    return {**case.ours(), "wrench": WRENCH, "parameters": parameters}, {**case.theirs(), **more}


def reach(pin: Any, model: Any, data: Any, frame: int, goal: Array, q: Array) -> Array:
    """q that brings a frame to where it is at `goal`: damped steps as Pinocchio's example has them,
    at their full length."""
    pin.forwardKinematics(model, data, goal)
    wanted = pin.updateFramePlacement(model, data, frame).copy()
    for _ in range(1000):
        pin.forwardKinematics(model, data, q)
        away = pin.updateFramePlacement(model, data, frame).actInv(wanted)
        error = pin.log6(away).vector
        if np.linalg.norm(error) < 1e-10:
            break
        J = -pin.Jlog6(away.inverse()) @ pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)
        step = J.T @ np.linalg.solve(J @ J.T + 1e-12 * np.eye(6), error)
        q = pin.integrate(model, q, -step)
    return q


def answer(text: str, given: dict[str, Any]) -> Any:
    found = dict(given)
    exec(text, found)
    return found["answer"]


def _flat(values: Any) -> Array:
    parts = values if isinstance(values, (tuple, list)) else (values,)
    return np.concatenate([np.ravel(np.asarray(part, float)) for part in parts])
