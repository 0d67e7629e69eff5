"""`certified=True`: an answer only where every formulation that knows the mechanism agrees."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import DisagreementError, InputError, ModelError, unknown_name
from armillary.evaluate.functions import FUNCTIONS, QUESTIONS
from armillary.evaluate.inputs import Array, flag
from armillary.textbook.agreement import Agreement
from armillary.textbook.checking import Instant

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism

CERTIFIED = (*(name for name, row in FUNCTIONS.items() if row.quantity), "solve")
_STATE = ("q", "v", "a", "tau")
_OTHER_NUMBERS = ("parameters", "offsets", "prescribed", "baumgarte")
_ANSWER = "the answer itself"


def certified(mechanism: Mechanism, question: str, *given: object, **named: object) -> Any:
    """The answer to a question by its name, if every formulation gives it, in every state.

    `mechanism.mass_matrix(q, certified=True)` is `mechanism.certified("mass_matrix", q)`.  The
    answer itself is compared; DisagreementError where it or a formulation stands against the
    others, and no answer then.  Questions that no formulation answers are refused by name."""
    if not isinstance(question, str):
        raise InputError(f"certified: expected the name of a question, found {question!r:.60}.")
    if question not in CERTIFIED:
        raise _no_other_way(mechanism, question)
    ask = getattr(mechanism, question)
    found = inspect.signature(ask).bind(*given, **named).arguments
    found.pop("certified", None)
    _refuse_other_numbers(question, found)
    answer = ask(**{name: x for name, x in found.items() if name != "out"})
    _certify(mechanism, question, found, answer)
    return ask(**found) if found.get("out") is not None else answer


def _certify(mechanism: Mechanism, question: str, found: Mapping[str, Any], answer: Any) -> None:
    """State by state."""
    numbers = np.asarray(answer.acceleration if question == "solve" else answer)
    if numbers.dtype != np.float64:
        raise InputError(f"certified: {question} of float32 has 7 digits. Give doubles.")
    square = question == "mass_matrix"
    numbers = numbers.reshape(-1, *numbers.shape[-2 if square else -1 :])
    arrays = {name: found[name] for name in _STATE if found.get(name) is not None}
    rows = {name: x for name, (x, _) in mechanism.evaluator.checked(arrays).items()}
    loads = {
        frame: np.asarray(wrench, float).reshape(-1, 6)
        for frame, wrench in (found.get("external") or {}).items()
    }
    passive = flag("passive", found.get("passive", True))
    for k, one in enumerate(numbers):
        state = {name: x[min(k, len(x) - 1)].astype(float) for name, x in rows.items()}
        external = {frame: w[min(k, len(w) - 1)] for frame, w in loads.items()} or None
        if question == "solve":
            mechanism.check(**state, external=external, passive=passive).certify()
        agreement = _agreement(mechanism, question, state, external, passive, one)
        which = f" of state {k}" if len(numbers) > 1 else ""
        if all(name == _ANSWER or name.startswith("compiled") for name in agreement.answers):
            raise ModelError(
                f"certified: only compiled code knows {agreement.quantity}{which} of "
                f"'{mechanism.name}'. {'; '.join(sorted(set(agreement.refused.values())))}."
            )
        if not agreement.agreed:
            raise DisagreementError(
                f"'{mechanism.name}': {question}{which} is not certified, for independent "
                f"formulations disagree. Against the others stand: {', '.join(agreement.odd)}.\n"
                f"{agreement}"
            )


def _agreement(
    mechanism: Mechanism,
    question: str,
    state: Mapping[str, Array],
    external: dict[str, Array] | None,
    passive: bool,
    answer: Array,
) -> Agreement:
    """The answer to the question in one state, beside those of all formulations."""
    quantity = FUNCTIONS["forward_dynamics" if question == "solve" else question].quantity
    zero = np.zeros(mechanism.nv)
    q, v, a, tau = (state.get(name, zero) for name in _STATE)
    forward, inverse = quantity == "forward dynamics", question == "inverse_dynamics"
    if forward:
        a = answer
    elif quantity != "mass matrix":
        tau = answer
    passive = passive and question != "gravity_forces"
    instant = Instant(mechanism, q, v, tau, a, external, passive)
    if mechanism.constraints and (forward or inverse):
        # of joint forces: that they give the motion they are asked for
        quantity, answer = "constrained dynamics", a
        if instant.closed.contradictory:
            raise DisagreementError(
                f"'{mechanism.name}': {question} is not certified, for rows of the constraints "
                f"contradict each other at this state, and no motion obeys all of them."
            )
    if quantity not in instant.quantities:
        raise ModelError(
            f"certified: friction of joint '{mechanism.model.load_dependent_joints[0]}' depends "
            f"on its load, and no formulation knows that of closed mechanisms. Ask with "
            f"passive=False, or leave certified out."
        )
    if quantity == "mass matrix":
        return instant.agreement(quantity, (), {_ANSWER: answer})
    if quantity == "statics":
        return instant.agreement(quantity, (), {_ANSWER: answer})
    if quantity == "inverse dynamics":
        return instant.agreement(quantity, (a,), {_ANSWER: answer[None] - instant.by_load})
    return instant.agreement(quantity, (tau - instant.by_load,), {_ANSWER: answer[None]})


def _refuse_other_numbers(question: str, found: Mapping[str, object]) -> None:
    for name in _OTHER_NUMBERS:
        if found.get(name) is not None:
            raise InputError(
                f"certified: {question} with `{name}`: formulations know the mechanism's own "
                f"numbers and motion. Put them into the model (mechanism.replace(...)), or leave "
                f"certified out."
            )


def _no_other_way(mechanism: Mechanism, question: str) -> ModelError:
    """Refusal of what has one formulation only."""
    if not callable(getattr(mechanism, question, None)) and question not in QUESTIONS:
        return unknown_name("question", question, CERTIFIED)
    return ModelError(
        f"certified: '{question}' has one formulation, and nothing to compare it with. Known in "
        f"several ways: {', '.join(CERTIFIED)}."
    )
