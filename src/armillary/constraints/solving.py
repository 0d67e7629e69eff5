"""Everything about states at once: accelerations, forces, powers, determinacy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.constraints.axes import in_axes
from armillary.constraints.constraint_solver import ConstraintSolver
from armillary.constraints.drift import AnyPenalty, DrawnBack
from armillary.constraints.ladder import States
from armillary.constraints.moving import Prescribed, with_prescribed
from armillary.constraints.questions import Constrained
from armillary.constraints.states import solvable
from armillary.errors import InputError
from armillary.evaluate.axes import About, Axes, Places
from armillary.evaluate.dynamics import tree_solution
from armillary.evaluate.evaluator import External
from armillary.evaluate.inputs import flag
from armillary.evaluate.named_states import State
from armillary.evaluate.results import Solution

if TYPE_CHECKING:
    from armillary.constraints.solution import ConstrainedSolution


def solve(
    mechanism: Constrained,
    q: State,
    v: State,
    tau: State,
    external: External = None,
    passive: bool = True,
    prescribed: Prescribed = None,
    compliance: Mapping[str, object] | None = None,
    baumgarte: DrawnBack | None = None,
    coordinates: str = "local",
    about: About = None,
    certified: bool = False,
    parameters: ArrayLike | None = None,
) -> Solution:
    """Everything: accelerations, the force in every joint and constraint, power balance,
    residuals, and which forces are determinate.

    prescribed: accelerations by name, instead of the model's: of a prescribed motion, of the
    road under a wheel, along the rows of a contact, or of a joint, which is driven then.
    compliance: weights by joint name for forces that the motion does not determine.
    baumgarte: rates (alpha, beta), 1/s, that pull back rows which drifted open.
    coordinates: of all wrenches, "local" (own axes and origin: bodies, second frames of
    constraints), "world_aligned" (own origin, the world's axes) or "world" (the world's axes and
    origin).  about: a frame by name, or a point of the world, that moments count about instead.
    certified: only if every formulation that knows the mechanism agrees (`Mechanism.check`); else
    DisagreementError.  parameters: other numbers of bodies and elements, one row for all states
    or one per state."""
    if flag("certified", certified):
        machine: Any = mechanism
        return cast(
            Solution,
            machine.certified(
                "solve", q, v, tau, external, passive, prescribed, compliance, baumgarte,
                coordinates, about, parameters=parameters,
            ),
        )  # fmt: skip
    axes = Axes(coordinates, about)
    options = (external, prescribed, compliance, baumgarte, parameters)
    if flag("passive", passive) and all(x is None for x in options):
        found = _solved_at_once(mechanism, q, v, tau)
        if found is not None:
            return in_axes(found, Places(mechanism, np.asarray(q)), axes) if axes else found
    whole = mechanism.evaluator.complete({"q": q, "v": v, "tau": tau})
    model, prescribed = with_prescribed(mechanism.model, prescribed)
    if model is not mechanism.model:
        mechanism = mechanism.variant(("prescribed", model.prescribed), model)
    given = (external, passive, prescribed, compliance, baumgarte, parameters)
    own = _solved(mechanism, whole, *given)
    if not axes:
        return own
    place = mechanism.evaluator.check("q", whole["q"])[0].astype(float)
    single = own.acceleration.ndim == 1
    place = place[0] if single else np.broadcast_to(place, (len(own.tau), place.shape[1]))
    return in_axes(own, Places(mechanism, place, parameters=parameters), axes)


def _solved(
    mechanism: Constrained,
    inputs: Mapping[str, ArrayLike],
    external: External,
    passive: bool,
    prescribed: Prescribed,
    compliance: Mapping[str, Any] | None,
    baumgarte: DrawnBack | None,
    parameters: ArrayLike | None,
) -> Solution:
    """In local axes."""
    if not mechanism.model.constraints:
        q, v, tau = (inputs[name] for name in ("q", "v", "tau"))
        return tree_solution(mechanism, q, v, tau, external, passive, parameters)
    from armillary.constraints.all_forces import solved, without_rows
    from armillary.constraints.direct_forces import penalized_solution

    closed = mechanism.constraint_solver
    states, single = States.checked(
        mechanism.evaluator, inputs, external, parameters, passive, prescribed
    )
    by_load = passive and mechanism.model.load_dependent_joints
    if by_load:
        _refuse_parameters(parameters, "friction that depends on loads")
        found, bad = _by_load(closed, states, single, baumgarte, compliance)
        found = without_rows(found, bad) if bad.any() else found
    elif isinstance(baumgarte, AnyPenalty):
        found = penalized_solution(closed.equations, states, single, baumgarte, compliance)
    else:
        equations, accelerations = closed.equations, closed.forward.accelerations
        found = solved(equations, accelerations, states, single, baumgarte, compliance)
    if single:
        numbers = [found.multipliers, found.acceleration, found.reactions.total]
        numbers += vars(found.balance).values() if by_load else []
        mechanism.evaluator.refuse_not_finite(states.arrays, *numbers)
    return found


def _solved_at_once(mechanism: Constrained, q: State, v: State, tau: State) -> Solution | None:
    """One state that needs no more than native calls; None: the long way."""
    model = mechanism.model
    if not (model.constraints and type(q) is type(v) is type(tau) is np.ndarray):
        return None
    plain = all(x.ndim == 1 and x.dtype == np.float64 for x in (q, v, tau))
    if not plain or model.load_dependent_joints or (q.size, v.size) != (model.nq, model.nv):
        return None
    from armillary.constraints.direct_forces import solved_at_once

    closed = mechanism.constraint_solver
    if closed.forward.may_contradict(None):  # the dynamics of a step keep some of these rows
        return None
    return solved_at_once(closed.equations, closed.step_dynamics, q, v, tau)


def _refuse_parameters(given: ArrayLike | None, what: str) -> None:
    if given is not None:
        raise InputError(
            f"parameters: solve does not take them with {what}. Ask forward_dynamics, reactions "
            f"and energy, which do, or use replace(...)."
        )


def _by_load(
    closed: ConstraintSolver,
    states: States,
    single: bool,
    baumgarte: DrawnBack | None,
    compliance: Mapping[str, ArrayLike] | None,
) -> tuple[ConstrainedSolution, NDArray[np.bool_]]:
    """Where friction depends on the loads it causes; and which states have no answer."""
    _, arrays, external, bad = solvable(
        closed.equations,
        dict(states.arrays),
        single,
        states.external,
        False,
        prescribed=states.prescribed,
        baumgarte=baumgarte,
    )
    given = (arrays, external, states.prescribed, baumgarte, compliance, single)
    return closed.load_friction.solution(*given), bad
