"""What is asked: the statement a user types, here and in Pinocchio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pinocchio as pin  # type: ignore[import-untyped]

import armillary as am
from benchmarks import mechanisms, pinocchio_peer
from benchmarks.mechanisms import Array
from benchmarks.pinocchio_peer import Pinocchio


@dataclass(frozen=True)
class Question:
    """One function in the words of both libraries.  Names: q, v, x (a or tau), out."""

    name: str
    algorithm: str  # its name in `compile_report`
    ours: str
    peer: str
    native: str  # its name in pinocchio_native.cpp
    parallel: str = ""  # Pinocchio's batch call
    inputs: str = "qvx"
    matrix: bool = False  # or a vector

    @property
    def into(self) -> str:
        return self.ours[:-1] + ", out=out)"


INVERSE = Question(
    "inverse dynamics",
    "inverse_dynamics",
    "arm.inverse_dynamics(q, v, x)",
    "pin.rnea(model, data, q, v, x)",
    "rnea",
    "pin.rneaInParallel({threads}, pool, q, v, x)",
)
FORWARD = Question(
    "forward dynamics",
    "forward_dynamics",
    "arm.forward_dynamics(q, v, x)",
    "pin.aba(model, data, q, v, x)",
    "aba",
    "pin.abaInParallel({threads}, pool, q, v, x)",
)
MASS = Question(
    "mass matrix",
    "mass_matrix",
    "arm.mass_matrix(q)",
    "pin.crba(model, data, q)",
    "crba",
    inputs="q",
    matrix=True,
)
DERIVATIVES = Question(
    "d forward dynamics",
    "forward_dynamics_derivatives",
    "arm.forward_dynamics.derivatives(q, v, x)",
    "pin.computeABADerivatives(model, data, q, v, x)",
    "derivatives",
    matrix=True,
)
QUESTIONS = (INVERSE, FORWARD, MASS)


@dataclass(frozen=True)
class Case:
    """A mechanism here and there, with states for both."""

    name: str
    kind: str
    arm: am.Mechanism
    peer: Pinocchio

    def ours(self, count: int | None = None, dtype: Any = np.float64) -> dict[str, Any]:
        """Names for our statements: one state, or a batch."""
        q, v, x = (s.astype(dtype) for s in mechanisms.states(self.arm, count or 1))
        arrays = (q, v, x) if count else (q[0], v[0], x[0])
        return {"arm": self.arm, **dict(zip("qvx", arrays, strict=True))}

    def theirs(self, count: int | None = None) -> dict[str, Any]:
        """Names for Pinocchio's statements; a batch has its states in columns."""
        q, v, x = mechanisms.states(self.arm, count or 1)
        arrays = [self.peer.q(q), self.peer.v(v), self.peer.v(x)]
        if count:
            shaped = [np.ascontiguousarray(a).T for a in arrays]
        else:
            shaped = [np.ascontiguousarray(a[0]) for a in arrays]
        return {"pin": pin, "model": self.peer.model, "data": self.peer.data,
                **dict(zip("qvx", shaped, strict=True))}  # fmt: skip

    @cached_property
    def state(self) -> tuple[Array, Array, Array]:
        names = self.theirs()
        return names["q"], names["v"], names["x"]


def robot_case(key: str) -> Case:
    robot = mechanisms.ROBOTS[key]
    ours = robot.mechanism()
    return Case(robot.name, robot.kind, ours, pinocchio_peer.from_robot(robot, ours))


def chain_case(bodies: int) -> Case:
    ours = mechanisms.chain(bodies)
    return Case(f"chain {bodies}", "chain", ours, pinocchio_peer.from_chain(ours))


def per_state(question: Question, names: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Pinocchio's call in a loop over the states of a batch, and its names."""
    columns = [list(np.ascontiguousarray(names[name].T)) for name in question.inputs]
    loop = f"for {', '.join(question.inputs)}, in states: {question.peer}"
    return loop, {**names, "states": list(zip(*columns, strict=True))}


def answer(question: Question, text: str, names: Mapping[str, Any]) -> list[Array]:
    """The results of a statement: one array, or those of the derivatives."""
    result = eval(text, dict(names))
    if question is DERIVATIVES:
        parts = (result.dq, result.dv, result.dtau) if hasattr(result, "dq") else result
        return [np.array(part) for part in parts]
    return [np.array(result)]


def kernel(arm: am.Mechanism, question: Question, batched: bool) -> str:
    """What served the float64 calls: tier and number of operations."""
    kind = "states at a time" if batched else "one state"
    for line in arm.compile_report().splitlines():
        name, _, told = line.partition(": ")
        if name == question.algorithm and kind in told and "double" in told:
            parts = told.replace("operations", "ops").split(", ")
            return ", ".join(p for p in parts if p.startswith("tier") or p.endswith("ops"))
    return ""
