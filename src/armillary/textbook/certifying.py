"""`Mechanism.certified`: an answer only where every formulation that knows the mechanism agrees."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import InputError, unknown_name
from armillary.evaluate.functions import FUNCTIONS
from armillary.evaluate.inputs import Array

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism

# questions of closed mechanisms beside the table, and all at once
METHODS = (
    "solve",
    "actuator_forces",
    "driving_forces",
    "holding_forces",
    "constraint_jacobian",
    "project_acceleration",
    "transform",
    "homogeneous",
    "wrench_at",
)
_STATE = ("q", "v", "a", "tau")


def certified(mechanism: Mechanism, question: str, *given: Any, **named: Any) -> Any:
    """The answer to a question by its name, after `check` of every state it is asked about.

    certified("mass_matrix", q), certified("reactions", q, v, a), certified("solve", q, v, tau,
    external=...).  v and forces that a question does not ask for are zero; with a the forces that
    give it.  DisagreementError where formulations contradict each other, no answer then."""
    known = (*FUNCTIONS, *METHODS)
    if question not in known:
        raise unknown_name("question", question, known)
    ask = getattr(mechanism, question)
    found = inspect.signature(ask).bind(*given, **named).arguments
    if "q" not in found:
        raise InputError(f"certified: '{question}' needs q, where it is asked.")
    arrays = {name: found[name] for name in _STATE if found.get(name) is not None}
    rows = {name: x for name, (x, _) in mechanism.evaluator.checked(arrays).items()}
    count = max(len(x) for x in rows.values())
    external, passive = found.get("external"), bool(found.get("passive", True))
    for k in range(count):
        state = {name: x[min(k, len(x) - 1)].astype(float) for name, x in rows.items()}
        loads = {f: np.asarray(w, float).reshape(-1, 6) for f, w in (external or {}).items()}
        acting = {f: w[min(k, len(w) - 1)] for f, w in loads.items()} or None
        _certify(mechanism, state, acting, passive)
    return ask(*given, **named)


def _certify(
    mechanism: Mechanism, state: dict[str, Array], external: dict[str, Array] | None, passive: bool
) -> None:
    q, v = state["q"], state.get("v", np.zeros(mechanism.nv))
    tau = state.get("tau", np.zeros(mechanism.nv))
    if "a" in state:
        tau = np.asarray(mechanism.tree.inverse_dynamics(q, v, state["a"], external, passive))
    mechanism.check(q, v, tau, external, passive).certify()
