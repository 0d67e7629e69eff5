"""Inverse dynamics of closed mechanisms, by the ladder of solvers (ladder.py).

The compiled law (closed/actuation.py) leaves states next to singularities unconverged, and
motions that the rows do not allow or the actuators cannot give.  The null space answers those one
by one, or says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from armillary.algorithms.closed.actuation import Strict
from armillary.algorithms.passes import Algorithm
from armillary.constraints.actuation import (
    Actuation,
    actuation,
    actuation_law,
    actuator_indices,
)
from armillary.constraints.admissible import refuse_disallowed, strictness
from armillary.constraints.compiled import compiled_kernels
from armillary.constraints.ladder import (
    Asked,
    LadderQuestion,
    Outcome,
    States,
    compiled,
    where_closed,
)
from armillary.constraints.load_friction import load_friction_of
from armillary.constraints.mobility import told_of
from armillary.constraints.plan import may_contradict, small
from armillary.constraints.states import answerable, finite_rows
from armillary.errors import InputError, ProjectionWarning, Remedy, warn_caller
from armillary.evaluate.inputs import Array, result_type

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.evaluate.program import Program

Actuators = Sequence[str] | str | None


def _of_trees(name: str) -> Callable[..., NoReturn]:
    """A method of this name that closed mechanisms do not have."""

    def method(self: LadderQuestion, *args: object, **options: object) -> NoReturn:
        """Refused: forces of chosen actuators have no derivatives here; those of the tree have."""
        raise InputError(
            f"inverse_dynamics.{name}: '{self._evaluator.model.name}' is closed, and this is known "
            f"for open trees only. Ask mechanism.tree.inverse_dynamics.{name}(...) for the forces "
            f"in all joints of its tree, or take differences along motions that are allowed."
        )

    method.__name__ = name
    return method


class ConstrainedInverseDynamics(LadderQuestion):
    """Forces tau (nv) of the actuators for a motion (q, v, a) that the constraints allow.

        N^T tau = N^T (M a + h),    N: the motions that the constraints leave free

    actuators: joints or entries of v that give forces; by default the joints with motors, without
    any motor all joints.  Other entries of tau are zero.  Of more actuators than freedoms the
    smallest forces; moments count as forces at a lever of the machine's size.  Accelerations that
    the constraints do not allow are refused (`InadmissibleError`, which has the nearest ones), and
    so are motions that the actuators cannot give.  external, passive, parameters: as for trees.
    `mechanism.tree.inverse_dynamics(q, v, a)` gives the forces in all joints of the open tree."""

    name = "inverse_dynamics"
    result = "tau"

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
        actuators: Actuators = None,
    ) -> Array:
        self._refuse_offsets(offsets)
        if external is not None and not isinstance(external, Mapping):
            raise InputError(
                f"external: expected wrenches by frame name, found {external!r}. Joints that give "
                f"forces are named by actuators=[...]."
            )
        inputs, dtype = {"q": q, "v": v, "a": a}, result_type(q, v, a)
        states, single = States.checked(self._evaluator, inputs, external, parameters, passive)
        chosen = self.actuators
        if actuators is not None:
            chosen = tuple(actuator_indices(self._equations, actuators))

        def first(states: States, closed: bool = False) -> Outcome | None:
            kernels = self._kernels(chosen, states.reads, states.passive, dtype)
            if kernels is None or may_contradict(self._equations):
                return None  # rows that are left out of it may ask for something else
            return compiled(self._equations, kernels, states, self.result, closed)

        def null_space(states: States) -> Outcome:
            return self._null_space(states, chosen, dtype, single)

        asked = Asked(self.name, single, dtype)
        by_load = passive and bool(self._evaluator.model.load_dependent_joints)
        if by_load:
            values = self._by_load(states, chosen, dtype, single)
            text = asked.opened(self._equations, states)[1]
        else:
            quick, anywhere = (partial(first, closed=True),), (first, null_space)
            values, text = where_closed(self._equations, asked, states, quick, null_space, anywhere)
        result = self._handed_out(values, single, dtype, out)
        if text:
            warn_caller(text, ProjectionWarning)
        if chosen == self.actuators and not (by_load or may_contradict(self._equations)):
            self._serve(self._made.get((chosen, tuple(inputs), True, np.float64)), result)
        return result

    @cached_property
    def actuators(self) -> tuple[int, ...]:
        """Entries of v of the joints with motors; all where there is no motor."""
        model = self._evaluator.model
        pairs = zip(model.bodies, model.slots, strict=True)
        found = [k for body, slot in pairs if body.motor for k in range(model.nv)[slot.v]]
        return tuple(found or range(model.nv))

    def law(
        self, chosen: tuple[int, ...] | None = None, dtype: DTypeLike = np.float64
    ) -> Algorithm | None:
        """(q, v, a) -> tau as an algorithm; None where there is none."""
        labels = self._evaluator.model.v_labels
        names = [labels[k] for k in (self.actuators if chosen is None else chosen)]
        return actuation_law(self._equations, names, strictness(self._equations, dtype))

    def _kernels(
        self, chosen: tuple[int, ...], reads: tuple[str, ...], passive: bool, dtype: DTypeLike
    ) -> Program | None:
        equations = self._equations

        def make() -> Program | None:
            law = self.law(chosen, dtype) if small(equations) else None
            return None if law is None else compiled_kernels(equations, law, reads, passive)

        return self._once((chosen, reads, passive, dtype), make)

    def _null_space(
        self, states: States, chosen: tuple[int, ...], dtype: DTypeLike, single: bool
    ) -> Outcome:
        """One by one; wrenches that are not finite leave a state without an answer."""
        equations, tau = self._equations, np.full(states.arrays["v"].shape, np.nan)
        names = [equations.model.v_labels[k] for k in chosen]
        strict, notes = strictness(equations, dtype), list[tuple[int | None, str]]()
        for k in range(len(states)):
            state = states.of(np.array([k]))
            system, a = state.system(equations), state.arrays["a"][0]
            if not answerable(system).all():
                if single:
                    equations.evaluator.refuse_not_finite(state.arrays, tau)
                continue
            row = None if single else int(state.numbers[0]) if state.numbers is not None else k
            refuse_disallowed(equations, system, a, strict, row)
            found = actuation(equations, system, a, names, None, False)
            tau[k] = _given(found, names, strict, row)
            answers = {0: equations.answer(system, 0)}
            notes += told_of(equations, system, answers, state.numbers)
        return Outcome(tau, finite_rows(tau), tuple(notes))

    def _by_load(
        self, states: States, chosen: tuple[int, ...], dtype: DTypeLike, single: bool
    ) -> Array:
        """Friction is that of the loads that the motion causes (load_friction.py)."""
        friction = load_friction_of(self._equations)
        equations, strict = friction.plain_equations, strictness(self._equations, dtype)
        names = [equations.model.v_labels[k] for k in chosen]
        good = finite_rows(*states.arrays.values())
        good[good] = answerable(states.of(np.flatnonzero(good)).system(equations))
        tau = np.full(states.arrays["v"].shape, np.nan)
        if single and not good.all():
            equations.evaluator.refuse_not_finite(dict(states.arrays), tau)
        rows = np.flatnonzero(good)
        some = states.of(rows)
        system, arrays = some.system(equations), dict(some.arrays)
        numbers = [None if single else int(row) for row in rows]
        for k, row in enumerate(numbers):
            refuse_disallowed(equations, system, arrays["a"][k], strict, row, k)
        parameters = arrays.pop("parameters", None)
        found = friction.actuator_forces(arrays, some.external, names, parameters=parameters)
        for forces, row, k in zip(found, numbers, rows.tolist(), strict=True):
            if np.isfinite(forces.tau).all() and np.isfinite(forces.unreachable).all():
                tau[k] = _given(forces, names, strict, row)
            elif single:  # too large for its products
                equations.evaluator.refuse_not_finite(dict(states.arrays), tau)
        return tau

    # -- what only a tree has --------------------------------------------------------------------

    derivatives = _of_trees("derivatives")
    jvp = _of_trees("jvp")
    vjp = _of_trees("vjp")
    parameter_jacobian = _of_trees("parameter_jacobian")
    offset_jacobian = _of_trees("offset_jacobian")


def _given(found: Actuation, names: list[str], strict: Strict, row: int | None) -> Array:
    """tau (nv); error where the actuators cannot give the motion."""
    size = max(float(np.abs(found.tau).max(initial=0.0)), found.needed)
    missing = float(np.abs(found.unreachable).max(initial=0.0))
    if missing <= strict.tolerance * size:
        return found.tau
    where = "" if row is None else f" of state {row}"
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    raise InputError(
        f"inverse_dynamics: the actuators ({shown or 'none'}) cannot give the motion{where}; joint "
        f"forces up to {missing:.6g} N m or N are missing.",
        Remedy("more actuators"),
    )
