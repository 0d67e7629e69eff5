"""All forces where nothing has to be searched for: of one plain state by two native calls, and of
rows that give way, whose law says every force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from armillary.constraints.all_forces import MINIMUM, Details
from armillary.constraints.compiled_forces import forces_at_once
from armillary.constraints.drift import penalized
from armillary.constraints.ladder import States
from armillary.constraints.null_space_forces import (
    Compliance,
    Forces,
    constraint_wrenches,
    forces_of_one,
    in_second_frames,
    merged,
)
from armillary.constraints.solution import ConstrainedSolution
from armillary.constraints.states import answerable, solvable
from armillary.errors import InputError, SingularError
from armillary.evaluate.inputs import Array

if TYPE_CHECKING:
    from armillary.constraints.drift import AnyPenalty
    from armillary.constraints.equations import Equations, System

_NONE_BAD = np.zeros(1, bool)
PENALTY = "what the penalty says of each row"


def solved_at_once(
    equations: Equations, accelerations: Callable[..., Array], q: Array, v: Array, tau: Array
) -> ConstrainedSolution | None:
    """Everything about one state of plain arrays (n each), by two native calls; None where there
    are none, or they do not answer.  accelerations: of one state."""
    found = forces_at_once(equations, accelerations, q, v, tau)
    arrays = {"q": q[None].copy(), "v": v[None].copy(), "tau": tau[None].copy()}
    if found == {}:  # there is code, and it does not answer
        return _by_null_space(equations, arrays)
    if found is None:
        return None
    parts = {name: x[None] for name, x in found.items() if name != "stretch"}
    forces = Forces(**parts, stretch=found["stretch"])

    def whole() -> System:
        return solvable(equations, arrays, True)[0]

    details = Details(equations, whole, arrays, forces, None, passive=True, single=True)
    return details.result(MINIMUM, _NONE_BAD)


def _by_null_space(equations: Equations, arrays: dict[str, Array]) -> ConstrainedSolution | None:
    """The same where straight-line code does not answer; None where there is no code for it, or
    the state has no answer."""
    try:
        system = equations.system(arrays["q"], arrays["v"], arrays["tau"])
        answer = equations.answer(system, 0) if answerable(system).all() else None
    except SingularError:  # the long way tells
        return None
    forces = None if answer is None else forces_of_one(equations, system, answer)
    if forces is None or answer is None:
        return None
    details = Details(equations, lambda: system, arrays, forces, None, passive=True, single=True)
    vars(details).update(answers=[answer])
    return details.result(MINIMUM, _NONE_BAD)


def penalized_solution(
    equations: Equations, states: States, single: bool, how: AnyPenalty, compliance: Compliance
) -> ConstrainedSolution:
    """Everything about B states whose rows give way, however they depend on each other."""
    if compliance:
        raise InputError("compliance: a penalty says every force, and leaves no choice. Omit it.")
    equations.evaluator.refuse_massless()
    given = dict(states.arrays)
    parameters = given.pop("parameters", None)
    bodies = {} if parameters is None else {"parameters": parameters}
    system, arrays, external, bad = solvable(
        equations,
        given,
        single,
        states.external,
        states.passive,
        prescribed=states.prescribed,
        parameters=parameters,
    )
    a, multipliers = penalized(system.M, system.force, system.target, system.terms, how)
    system = replace(system, target=(system.terms.J @ a[..., None])[..., 0])
    wrenches = merged(external, constraint_wrenches(equations, system, multipliers))
    body = equations.tree.body_forces(system.q, system.v, a, wrenches, states.passive, **bodies)
    forces = Forces(
        a=a,
        multipliers=multipliers,
        wrench=body.transmitted,
        driving=body.driving,
        pushes=in_second_frames(equations, system, multipliers),
        stretch=np.zeros(len(a)),
    )
    details = Details(
        equations, lambda: system, arrays | bodies, forces, external, states.passive, single
    )
    return details.result(PENALTY, bad)
