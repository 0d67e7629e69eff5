"""Questions about mechanisms with constraints: rows, all forces, rank, closing, actuation.

Each is a function of the mechanism, and a method of `Mechanism` by one line there.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import numpy as np

from armillary.constraints.actuation import driving_forces as forces_of_actuators
from armillary.constraints.constraint_solver import ConstraintSolver, answers, solver_of
from armillary.constraints.holding import Held, Named, named_values
from armillary.constraints.ladder import Asked, States
from armillary.constraints.moving import RowMotion
from armillary.constraints.named_states import completed, held_names
from armillary.constraints.named_states import placed as placed_by_name
from armillary.constraints.notes import refuse_open, warn_open
from armillary.constraints.states import (
    answerable,
    blanked,
    finite_rows,
    known_rows,
    one_place,
    one_state,
    placed,
    solvable,
    substituted,
)
from armillary.errors import InputError, ProjectionWarning, warn_caller
from armillary.evaluate.dynamics import tree_identities
from armillary.evaluate.evaluator import Evaluator, External
from armillary.evaluate.inputs import Array, flag, one_number, whole_number
from armillary.evaluate.named_states import State
from armillary.evaluate.request import MANY_STATES, CompileOptions
from armillary.evaluate.results import Identities
from armillary.evaluate.table_face import TableFace
from armillary.model.model import Model

if TYPE_CHECKING:
    from armillary.constraints.actuation import Actuation
    from armillary.constraints.assembly import Assembly
    from armillary.constraints.mobility import Mobility

_MANY = "Use driving_forces(q, v, a, actuators) for the forces of many states."


class Constrained(TableFace):
    """What the questions below ask: an evaluator, the rows of the table, and a constraint solver.

    `forward_dynamics`, `inverse_dynamics` and `energy` obey the constraints; the other rows treat
    the tree alone."""

    def __init__(self, model: Model, options: CompileOptions | None = None):
        if not isinstance(model, Model):
            raise InputError(
                f"expected a Model, found {type(model).__name__}. am.load(...), am.example(...) "
                f"and am.Builder(...).build() give a mechanism already."
            )
        super().__init__(Evaluator(model, options, completed), answers(model))

    @property
    def constraint_solver(self) -> ConstraintSolver:
        """What keeps it closed: equations, assembly, projection, compiled solutions."""
        return solver_of(self.evaluator)

    def variant(self, key: Hashable, model: Model) -> Self:
        """A mechanism of another model with the same settings, made once under the key."""
        make = lambda: type(self)(model, self.options)  # noqa: E731
        return self.evaluator.memo.once(("variant", key), make)

    def with_tolerance(self, geometry_tolerance: float | None) -> Self:
        """The same mechanism with another geometry tolerance; None: this one."""
        if geometry_tolerance is None:
            return self
        one_number("geometry_tolerance", geometry_tolerance, 0.0, 0.1, "a part of the size,")
        options = replace(self.options, geometry_tolerance=geometry_tolerance)
        key = ("geometry tolerance", geometry_tolerance)
        return self.evaluator.memo.once(key, lambda: type(self)(self.model, options))

    def announced(self) -> Self:
        """The same mechanism for many states, as runs and studies record them, however many these
        are."""
        if not self.model.constraints or self.options.states > MANY_STATES:
            return self
        options = replace(self.options, states=MANY_STATES + 1)
        return self.evaluator.memo.once("announced", lambda: type(self)(self.model, options))


# -- rows ------------------------------------------------------------------------------------


def constraint_jacobian(mechanism: Constrained, q: State) -> Array:
    """J (rows, nv): velocity along each forbidden motion; see `constraint_rows`."""
    return _rows(mechanism, "J", None, q=q)


def constraint_residual(
    mechanism: Constrained, q: State, prescribed: RowMotion | None = None
) -> Array:
    """(rows,) how far each row is open, rad or m; 0 for rolling rows."""
    return _rows(mechanism, "residual", prescribed, q=q)


def constraint_rate(
    mechanism: Constrained, q: State, v: State, prescribed: RowMotion | None = None
) -> Array:
    """(rows,) velocity along each forbidden motion, rad/s or m/s: 0 if v is consistent."""
    return _rows(mechanism, "rate", prescribed, q=q, v=v)


def residual_and_rate(
    mechanism: Constrained, q: State, v: State, prescribed: RowMotion | None = None
) -> tuple[Array, Array]:
    """Both at once, for the price of one."""
    names = ("residual", "rate")
    found = mechanism.constraint_solver.equations.at_once(names, q, v)
    residual, rate = (
        found if found and prescribed is None else _of_rows(mechanism, names, prescribed, q=q, v=v)
    )
    return residual, rate


def _rows(
    mechanism: Constrained, what: str, prescribed: RowMotion | None, **states: State
) -> Array:
    """A quantity of all rows by its name in `Terms`."""
    if prescribed is None:
        found: Array | None = mechanism.constraint_solver.equations.at_once(
            (what,), *states.values()
        )
        if found is not None:
            return found
    return _of_rows(mechanism, (what,), prescribed, **states)[0]


def _of_rows(
    mechanism: Constrained, names: Sequence[str], prescribed: RowMotion | None, **states: State
) -> list[Array]:
    arrays, single = mechanism.constraint_solver.equations.check_states(**states)
    equations = mechanism.constraint_solver.equations
    terms = equations.terms(arrays["q"], arrays.get("v"), prescribed)
    found: list[Array] = [getattr(terms, name) for name in names]
    if not single:
        bad = ~finite_rows(*arrays.values())
        return [blanked(x, bad) for x in found]
    for x in found:
        mechanism.evaluator.refuse_not_finite(arrays, x)
    return [x[0] for x in found]


# -- laws ------------------------------------------------------------------------------------


def identities(mechanism: Constrained, q: State, v: State, tau: State) -> Identities:
    """Laws between the answers about a single state, and how well they hold."""
    state = one_state(mechanism.constraint_solver.equations, "check", q=q, v=v, tau=tau)
    if not mechanism.model.constraints:
        return tree_identities(mechanism, **state)
    from armillary.constraints.all_forces import solution
    from armillary.constraints.checking import closed_identities

    closed = mechanism.constraint_solver
    rows = {name: x[None] for name, x in state.items()}
    system, *_ = solvable(closed.equations, rows, True)
    found = solution(closed.equations, system, rows["tau"], None, True, None, True)
    return closed_identities(closed, found, **state)


# -- analysis --------------------------------------------------------------------------------


def mobility(mechanism: Constrained, q: State | None = None, seed: int = 0) -> Mobility:
    """Rank, redundant rows, and mobility at this instant and on the way (default q: initial).

    One q, where the mechanism is closed; an open one is refused, for ranks mean nothing
    there."""
    from armillary.constraints.mobility import mobility

    solver = mechanism.constraint_solver
    given = np.array(mechanism.model.start()) if q is None else q
    place = one_place(solver.equations, "mobility", given)
    return mobility(solver.equations, solver.projector, place, seed=seed)


def conditions(mechanism: Constrained, q: State, prescribed: RowMotion | None = None) -> Array:
    """Condition number of the scaled J at every state, over the rank: (B,) or a number.

    An open q has no rank: a single one is refused, a batch gets a `ProjectionWarning`."""
    from armillary.constraints.mobility import condition_numbers

    arrays, single = mechanism.constraint_solver.equations.check_states(q=q)
    equations = mechanism.constraint_solver.equations
    terms = equations.terms(arrays["q"], moving=prescribed)
    if single:
        refuse_open(equations, terms.residual[0], "conditions", "ranks have no meaning")
    else:
        warn_open(equations, terms, "conditions", single)
    known = finite_rows(arrays["q"]) & known_rows(terms)
    values = condition_numbers(equations, terms, known)
    if single:
        mechanism.evaluator.refuse_not_finite(arrays, values)
    return np.asarray(values[0]) if single else values


# -- closing ---------------------------------------------------------------------------------


def assemble(
    mechanism: Constrained,
    guess: State | None = None,
    hold: Sequence[str] | None = None,
    restarts: int = 20,
    seed: int = 0,
    geometry_tolerance: float | None = None,
) -> Assembly:
    """A closed configuration near the guess (default: initial).

    hold: joints, entries of v or lengths of q ("rear-frame.px") that must stay where the guess
    has them; of a guess by name, {"crank": 0.3}, all that it names unless `hold` says.  The
    answer tells what could not be closed, and by how much.
    geometry_tolerance: open by this part of the machine's size is closed (default: the accuracy
    of the mechanism)."""
    if isinstance(guess, Mapping):
        hold = held_names(mechanism.model, guess) if hold is None else hold
        guess = placed_by_name(mechanism.model, guess, "guess")
    state = one_state(
        mechanism.constraint_solver.equations,
        "assemble",
        q=np.array(mechanism.model.start()) if guess is None else guess,
    )
    closer = mechanism.with_tolerance(geometry_tolerance).constraint_solver.closer
    closer.refuse_endless(state["q"])
    numbers = whole_number("restarts", restarts, 0), whole_number("seed", seed, 0)
    return closer.assemble(state["q"], () if hold is None else hold, *numbers)


def project(
    mechanism: Constrained,
    q: State,
    v: State | None = None,
    prescribed: RowMotion | None = None,
    hold: Sequence[str] = (),
    geometry_tolerance: float | None = None,
) -> tuple[Array, Array]:
    """The nearest closed position and then the nearest consistent velocity, both by kinetic
    energy.  Rolling rows enter the velocity only.  prescribed: motion of rows at this instant.

    hold: joints, entries of v or lengths of q ("rear-frame.px") whose position and velocity
    stay as they are.  v = {"crank": 5.0} gives some velocities; the others follow with the
    least kinetic energy (in a tree, where nothing follows, they are zero).

    geometry_tolerance: how far rows may stay open that contradict each other, as a part of the
    machine's size (default: the accuracy of the mechanism).

    A state of a batch that cannot be closed is NaN in its row, and a `ProjectionWarning` says
    why; a single one is an error."""
    if geometry_tolerance is not None:
        return project(mechanism.with_tolerance(geometry_tolerance), q, v, prescribed, hold)
    closed = mechanism.constraint_solver
    free = prescribed is None and isinstance(hold, (tuple, list)) and not hold
    if free and (found := closed.projector.at_once(q, v)) is not None:
        return found
    if not isinstance(prescribed, RowMotion | None):
        raise InputError(
            f"project: prescribed: expected the motion of all rows at this instant (a RowMotion), "
            f"found {prescribed!r}. Name joints that stay in hold=[...]."
        )
    (q,) = mechanism.evaluator.complete({"q": q}).values()
    held = Held(closed.equations, hold)
    named = None
    if isinstance(v, Mapping):
        named = named_values(closed.equations, "v", v)
        v = np.zeros((*(() if named.single else (len(named.values),)), mechanism.model.nv))
    v = np.zeros(mechanism.model.nv) if v is None else v
    arrays, single = closed.equations.check_states(q=q, v=v)
    if single and named is None and not held:
        one = (arrays["q"][0], arrays["v"][0], prescribed)
        if (found := closed.projector.one(*one)) is not None:
            return found
    return _projected(closed, arrays, single, held, named, prescribed)


def _projected(
    closed: ConstraintSolver,
    arrays: dict[str, Array],
    single: bool,
    held: Held,
    named: Named | None,
    prescribed: RowMotion | None,
) -> tuple[Array, Array]:
    """By all steps that there are; what cannot be is an error of a single state, else a warning."""
    bad = ~placed(closed.equations, **arrays)
    if bad.any():
        if single:
            closed.evaluator.refuse_not_finite(arrays, np.full(1, np.nan))
        arrays, _ = substituted(closed.equations, arrays, None, bad)
    states, projector = (arrays["q"], arrays["v"]), closed.projector
    notes: list[str] | None = None if single else []
    if named is None and not held:
        positions, velocities = projector.project(*states, prescribed, notes)
    else:
        positions, velocities = projector.project_with(*states, held, named, prescribed, notes)
    if single:
        return positions[0], velocities[0]
    for note in notes or ():
        warn_caller(f"project: {note}", ProjectionWarning)
    return blanked(positions, bad), blanked(velocities, bad)


def project_acceleration(
    mechanism: Constrained,
    q: State,
    v: State,
    a: State | None = None,
    hold: Sequence[str] = (),
) -> Array:
    """The accelerations (nv) nearest to a, by kinetic energy, that the constraints allow at the
    state (q, v); those of the joints named in `hold` stay as they are.  a = {"crank": 2.0}
    gives some, and the others follow with the least kinetic energy."""
    from armillary.constraints.admissible import nearest_acceleration, nearest_accelerations

    equations, held = (
        mechanism.constraint_solver.equations,
        Held(mechanism.constraint_solver.equations, hold),
    )
    a = np.zeros(mechanism.model.nv) if a is None else a
    arrays, single = equations.check_states(q=q, v=v, a=a)
    arrays["tau"] = np.zeros_like(arrays["v"])
    if not held:
        found = nearest_accelerations(equations, arrays)
        if found is not None:
            return found[0] if single else found
    system, arrays, _, bad = solvable(equations, arrays, single, passive=False)
    bad |= ~finite_rows(arrays["a"])
    found = np.full(arrays["a"].shape, np.nan)
    for k in np.flatnonzero(~bad):
        where, residual = "" if single else f" in state {k}", system.terms.residual[k]
        try:
            refuse_open(
                equations, residual, "project_acceleration", "no motion fits its rows", where
            )
        except InputError as fault:
            if single:
                raise
            warn_caller(fault.message, ProjectionWarning)
            continue
        found[k] = nearest_acceleration(equations, system, arrays["a"][k], int(k), held)
    return found[0] if single else found


# -- actuation -------------------------------------------------------------------------------


def actuator_forces(
    mechanism: Constrained,
    q: State,
    v: State,
    a: State,
    actuators: Sequence[str] | None = None,
    external: External = None,
    passive: bool = True,
    weights: Mapping[str, float] | None = None,
    limits: bool = False,
) -> Actuation:
    """Inverse dynamics of the closed mechanism: forces of the chosen actuators for a motion.

    With more actuators than freedoms the smallest forces (Σ weight force²); with fewer the
    nearest, and what is missing.  limits: keep to the effort limits of the model.  One state;
    `driving_forces` takes many."""
    from armillary.constraints.actuation import actuation

    state = one_state(
        mechanism.constraint_solver.equations, "actuator_forces", _MANY, q=q, v=v, a=a
    )
    by_load = flag("passive", passive) and mechanism.model.load_dependent_joints
    rows = (state["q"][None], state["v"][None], np.zeros((1, mechanism.model.nv)))
    system = mechanism.constraint_solver.equations.system(*rows, external, passive and not by_load)
    if not answerable(system).all():
        mechanism.evaluator.refuse_not_finite(state, np.full(1, np.nan))
    if by_load:
        arrays = {name: x[None] for name, x in state.items()}
        friction = mechanism.constraint_solver.load_friction
        return friction.actuator_forces(arrays, external, actuators, weights, limits)[0]
    return actuation(
        mechanism.constraint_solver.equations, system, state["a"], actuators, weights, limits
    )


def driving_forces(
    mechanism: Constrained,
    q: State,
    v: State,
    a: State,
    actuators: Sequence[str] | None = None,
    passive: bool = True,
) -> Array:
    """tau (nv) of the chosen actuators for a motion, or (B, nv) for B of them: the forces of
    `actuator_forces`, compiled.  A row with a number that is not finite gives NaN."""
    solver = mechanism.constraint_solver
    arrays, single = solver.equations.check_states(q=q, v=v, a=a)
    asked = Asked("driving_forces", single)
    if flag("passive", passive) and mechanism.model.load_dependent_joints:
        tau = solver.load_friction.driving_forces(arrays, actuators)
        text = asked.opened(solver.equations, States(arrays))[1]
    else:
        law = forces_of_actuators(solver.equations, actuators)
        tau, text = law.asked(asked, arrays, passive)
    if single:
        mechanism.evaluator.refuse_not_finite(arrays, tau)
    if text:
        warn_caller(text, ProjectionWarning)
    return tau[0] if single else tau


def holding_forces(
    mechanism: Constrained,
    q: State,
    actuators: Sequence[str] | None = None,
    external: External = None,
    weights: Mapping[str, float] | None = None,
    limits: bool = False,
) -> Actuation:
    """Forces of the chosen actuators that hold the closed mechanism at rest.  One state."""
    q = one_state(mechanism.constraint_solver.equations, "holding_forces", _MANY, q=q)["q"]
    rest = np.zeros(mechanism.model.nv)
    return actuator_forces(mechanism, q, rest, rest, actuators, external, True, weights, limits)
