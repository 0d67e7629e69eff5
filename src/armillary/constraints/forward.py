"""Accelerations of closed mechanisms, by the ladder of solvers (ladder.py)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn, cast

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.closed.constrained import constrained_dynamics
from armillary.algorithms.closed.penalty import penalized_dynamics
from armillary.constraints.compiled import compiled_kernels, eliminating_kernels
from armillary.constraints.drift import AnyPenalty, CorrectiveForce, DrawnBack, penalized
from armillary.constraints.equations import Baumgarte, Equations
from armillary.constraints.ladder import (
    Asked,
    LadderQuestion,
    Outcome,
    Solver,
    States,
    compiled,
    solve_in_turn,
    where_closed,
)
from armillary.constraints.large import large_system
from armillary.constraints.load_friction import load_friction_of
from armillary.constraints.mobility import shaky, told_of
from armillary.constraints.moving import Prescribed, RowMotion, with_prescribed
from armillary.constraints.notes import warn_open
from armillary.constraints.null_space_states import NullSpaceOfStates, null_space_of_states
from armillary.constraints.nullspace import Answer
from armillary.constraints.plan import for_inputs, plan_of, small
from armillary.constraints.plan import may_contradict as contradiction
from armillary.constraints.states import (
    answerable,
    blanked,
    fulfilled,
    plain_state,
    solvable,
)
from armillary.errors import InputError, ProjectionWarning, SingularError, warn_caller
from armillary.evaluate.evaluator import Evaluator, External
from armillary.evaluate.inputs import Array, flag, result_type, wrenches
from armillary.model.model import Model

if TYPE_CHECKING:
    from armillary.constraints.derivatives import ConstrainedDerivatives
    from armillary.evaluate.program import Follower, Program

_PLAIN = (("q", "v", "tau"), True)  # what is read; with friction and springs


class ConstrainedForwardDynamics(LadderQuestion):
    """Accelerations a (nv) for the joint forces tau; every constraint is kept.

    Rows may be redundant, the configuration singular: the motion is exact where it is unique.
    Rows that contradict each other give the least-squares motion (`solve` names them).
    prescribed: prescribed accelerations by name of a constraint or joint, or a `RowMotion`.
    baumgarte: rates (alpha, beta) in 1/s that pull rows back which drifted open; `project` does it
    without a trace in the forces."""

    name = "forward_dynamics"
    result = "a"

    def __init__(self, equations: Equations):
        super().__init__(equations)
        self._opposed = False  # no free motion without inertia
        self._needed = 1  # solvers that plain states needed so far: so many serve natively

    def at_open_positions(self) -> ConstrainedForwardDynamics:
        """The same without a word about open positions."""
        other = copy(self)
        other.closed = False
        other.forget_native_call()
        return other

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
        prescribed: Prescribed = None,
        baumgarte: DrawnBack | None = None,
    ) -> Array:
        self._refuse_offsets(offsets)
        q, v, tau = self._evaluator.complete({"q": q, "v": v, "tau": tau}).values()
        model, prescribed = with_prescribed(self._evaluator.model, prescribed)
        if model is not self._evaluator.model:
            driven = self._of_driven(model)
            driven = driven if self.closed else driven.at_open_positions()
            return driven(
                q, v, tau, external, passive, out,
                parameters=parameters, prescribed=prescribed, baumgarte=baumgarte,
            )  # fmt: skip
        dtype, inputs = result_type(q, v, tau), {"q": q, "v": v, "tau": tau}
        states, single = States.checked(
            self._evaluator, inputs, external, parameters, passive, prescribed
        )
        text, closed = "", self.closed and baumgarte is None
        asked = Asked(self.name, single, dtype)
        if passive and model.load_dependent_joints:
            a = self._by_load(states, single, baumgarte)
            text = asked.opened(self._equations, states)[1] if closed else ""
        elif closed and self.may_contradict(prescribed):
            found = solve_in_turn(states, *self._solvers)
            a, text = found.values, asked.opened(self._equations, states)[1]
            text = text or asked.noted(found.notes)
        elif closed:
            quick = (self._first_closed, self._second_closed, self._last_closed)
            a, text = where_closed(
                self._equations, asked, states, quick, self._null_space, self._solvers
            )
        else:
            a = self.accelerations(states, baumgarte)
        if single:
            self._evaluator.refuse_not_finite(states.arrays, a)
        if text:
            warn_caller(text, ProjectionWarning)
        result = self._handed_out(a, single, dtype, out)
        plain = (states.reads, states.passive) == _PLAIN and not model.load_dependent_joints
        if plain and not (self.closed and self.may_contradict(None)):
            self._serve(self._in_turn(*_PLAIN, self._needed), result)
        return result

    def accelerations(self, states: States, baumgarte: Baumgarte = None) -> Array:
        """(B, nv) of states without load-dependent friction, by the ladder; NaN where there are
        none."""
        if isinstance(baumgarte, AnyPenalty):
            return self._penalized(states, baumgarte)
        if baumgarte is not None:
            states = replace(states, prescribed=self._with_baumgarte(states, baumgarte))
        return solve_in_turn(states, *self._solvers).values

    def may_contradict(self, prescribed: Prescribed) -> bool:
        """May driven rows contradict others, or is it locked, as the last solver alone knows?"""
        given = tuple(prescribed) if isinstance(prescribed, Mapping) else ()
        make = lambda: contradiction(self._equations, given)  # noqa: E731
        return shaky(self._equations) or self._equations.memo.once(("may contradict", given), make)

    def _of_driven(self, model: Model) -> ConstrainedForwardDynamics:
        """The same of a model with other prescribed motions, made once."""
        evaluator = self._evaluator

        def make() -> ConstrainedForwardDynamics:
            return ConstrainedForwardDynamics(Equations(Evaluator(model, evaluator.options)))

        return evaluator.memo.once(("driven forward dynamics", model.prescribed), make)

    def _by_load(self, states: States, single: bool, baumgarte: Baumgarte) -> Array:
        """Friction is that of the loads it causes (load_friction.py)."""
        arrays, moving = dict(states.arrays), states.prescribed
        parameters = arrays.pop("parameters", None)
        _, arrays, external, bad = solvable(
            self._equations,
            arrays,
            single,
            states.external,
            False,
            prescribed=moving,
            parameters=parameters,
        )
        friction = load_friction_of(self._equations)
        a, _ = friction.friction_of(arrays, external, single, moving, baumgarte, parameters)
        return blanked(a, bad)

    def _penalized(self, states: States, how: AnyPenalty) -> Array:
        """Constraints that give way (drift.py)."""
        self._evaluator.refuse_massless()
        s = states.system(self._equations)
        return penalized(s.M, s.force, s.target, s.terms, how)[0]

    def penalty_kernels(self, reads: tuple[str, ...], how: AnyPenalty) -> Program | None:
        """Straight-line code of the same."""
        equations = self._equations

        def make() -> Program | None:
            if not equations.constraints.ideal:
                return None
            dynamics = penalized_dynamics(equations.constraints.count, *how.law)
            return compiled_kernels(equations, dynamics, reads)

        return self._once((reads, how), make)

    def _with_baumgarte(
        self, states: States, baumgarte: tuple[float, float] | CorrectiveForce
    ) -> dict[str, ArrayLike]:
        """Prescribed accelerations with Baumgarte's terms on top, by constraint name."""
        equations, prescribed = self._equations, states.prescribed
        moving = prescribed if isinstance(prescribed, RowMotion) else None
        terms = equations.terms(states.arrays["q"], states.arrays["v"], moving)
        given = equations.prescribed_rows(prescribed, len(states))
        extra, table = (
            equations.baumgarte_terms(states.arrays["q"], terms, baumgarte) + given,
            equations.constraints,
        )
        return {x.name: extra[:, table.slices[x.name]] + x.acceleration for x in table.all}

    # -- the ladder ------------------------------------------------------------------------------

    def kernels(self, reads: tuple[str, ...], passive: bool = True) -> Program | None:
        """All solvers of these inputs, one behind the other, in native code; None where there is
        none."""
        return self._in_turn(reads, passive, 3)

    def _in_turn(self, reads: tuple[str, ...], passive: bool, most: int) -> Program | None:
        """The first of them, with those of the first `most` rungs of the ladder behind it."""

        def make() -> Program | None:
            found: list[Follower | None] = [self._straight(reads, passive)]
            if most > 1 or found == [None]:
                loops = self._opposed_at_start()
                found.append(self._loops(reads, passive) if loops else None)
            if most > 2:
                found.append(self._last(reads, passive))
            rungs = [x for x in found if x is not None]
            while len(rungs) > 1:
                last = rungs.pop()
                rungs[-1] = cast("Program", rungs[-1]).followed_by(last)
            return cast("Program | None", rungs[0] if rungs else None)

        return self._once((reads, passive, most), make)

    def _straight(self, reads: tuple[str, ...], passive: bool) -> Program | None:
        """Straight-line code: by dependent coordinates where the rows are independent, else of the
        regularised system."""
        equations = self._equations

        def make() -> Program | None:
            if not (equations.constraints.ideal and small(equations)):
                return None
            dynamics = constrained_dynamics(for_inputs(plan_of(equations), reads))
            return compiled_kernels(equations, dynamics, reads, passive, verified=True)

        return self._once((reads, passive), make)

    def _loops(self, reads: tuple[str, ...], passive: bool) -> Program | None:
        """Sparse elimination of the regularised system, which has no dependent coordinates that
        could go singular; not behind straight-line code of the same system."""
        equations = self._equations

        def make() -> Program | None:
            straight = self._straight(reads, passive)
            same = straight is not None and plan_of(equations).pivots is None
            if same or not equations.constraints.ideal:
                return None
            behind = straight is not None
            return eliminating_kernels(equations, "gamma", reads, passive, seldom=behind)

        return self._once((reads, passive, "loops"), make)

    def _last(self, reads: tuple[str, ...], passive: bool) -> NullSpaceOfStates | None:
        """The null space in native code."""
        if not self._equations.constraints.ideal:
            return None
        return null_space_of_states(self._equations, reads, passive)

    @cached_property
    def _doubtful(self) -> bool:
        """May there be a free motion without inertia?"""
        return self._equations.negative or bool(large_system(self._equations).massless)

    def _refuse_free_massless(self, states: States) -> None:
        """Is every free motion opposed by some inertia?  It raises if not; looked at once."""
        if not self._opposed and self._doubtful:
            one = replace(states.of(np.zeros(1, np.intp)), wrenches={}, prescribed=None)
            self._equations.answer(one.system(self._equations), 0)
        self._opposed = True

    def _opposed_at_start(self) -> bool:
        """The same where the mechanism starts, at rest; if not, the null space names the motion."""
        rest, q = np.zeros((1, self._equations.tables.nv)), self._equations.tree.initial[None]
        try:
            self._refuse_free_massless(States({"q": q, "v": rest, "tau": rest}))
        except SingularError:
            return False
        return True

    @property
    def _solvers(self) -> tuple[Solver, ...]:
        """Where positions may be open.  A step of time, which is brought back, takes what the rows
        it solves give; an answer fulfils all rows, or it is the least-squares one.  Rows that
        follow from others in closed positions hardly differ from them in open ones: the null space
        alone has a rank there, the regularised system would fulfil them all and stop the motion."""
        if not self.closed:
            return self._first, self._second, self._last_native, self._null_space
        if shaky(self._equations):
            return (self._null_space,)
        equations = self._equations
        implied = small(equations) and plan_of(equations).implied
        several = (self._first,) if implied else (self._first, self._second)
        return *map(self._fulfilling, several), self._null_space

    def _fulfilling(self, solve: Solver) -> Solver:
        """States where some row is not fulfilled have not converged: rows that follow from others
        where the mechanism is closed contradict them where it is open."""

        def checked(states: States) -> Outcome | None:
            found = solve(states)
            if found is None or not found.converged.any():
                return found
            q, v = states.arrays["q"], states.arrays["v"]
            terms = self._equations.terms(q, v)
            target = terms.gamma + self._equations.prescribed_rows(states.prescribed, len(states))
            kept = fulfilled(self._equations, terms.J, target, v, found.values)
            return Outcome(found.values, found.converged & kept)

        return checked

    def _first_closed(self, states: States) -> Outcome | None:
        return self._first(states, True)

    def _second_closed(self, states: States) -> Outcome | None:
        return self._second(states, True)

    def _last_closed(self, states: States) -> Outcome | None:
        """In native code, where nothing is said of singular positions: with rolling rows all
        velocities lead on (mobility.py)."""
        if all(self._equations.constraints.holonomic):
            return None
        return self._last_native(states, True)

    def _first(self, states: States, closed: bool = False) -> Outcome | None:
        if self._equations.negative:
            self._refuse_free_massless(states)
        kernels = self._straight(states.reads, states.passive)
        if kernels is None:
            return None
        return compiled(self._equations, kernels, states, self.result, closed)

    def _second(self, states: States, closed: bool = False) -> Outcome | None:
        kernels = self._loops(states.reads, states.passive)
        if kernels is None:
            return None
        self._refuse_free_massless(states)
        return self._noted(2, compiled(self._equations, kernels, states, self.result, closed))

    def _last_native(self, states: States, closed: bool = False) -> Outcome | None:
        last = self._last(states.reads, states.passive)
        if last is None:
            return None
        return self._noted(3, Outcome.of_kernel(last(states, closed)))

    def _noted(self, rung: int, found: Outcome) -> Outcome:
        """A solver that has answered serves natively from now on, behind those before it."""
        if found.converged.any():
            self._needed = max(self._needed, rung)
        return found

    def _null_space(self, states: States) -> Outcome:
        equations, system = self._equations, states.system(self._equations)
        a, good = np.full(states.arrays["v"].shape, np.nan), answerable(system)
        answers: dict[int, Answer] = {}
        for k in np.flatnonzero(good).tolist():
            try:
                answers[k] = equations.answer(system, k)
                a[k] = answers[k].a
            except SingularError:  # as of a gimbal at a quarter turn
                good[k] = False
                if states.numbers is None:
                    raise
        notes = told_of(equations, system, answers, states.numbers) if self.closed else ()
        return Outcome(a, good, notes)

    def derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> ConstrainedDerivatives:
        """d a / d(q, v, tau): along the variations the constraints admit (`motions`,
        `velocities`), and as matrices (nv, nv) of the nearest admissible state (`full`)."""
        from armillary.constraints.derivatives import compiled_derivatives, derivatives

        self._refuse_offsets(offsets)
        if parameters is not None:
            raise InputError(
                f"forward_dynamics.derivatives: '{self._evaluator.model.name}' is closed, and its "
                f"derivatives are known for the numbers of the model alone: leave `parameters` "
                f"out, and use replace(...) for others."
            )
        equations = self._equations
        plain = plain_state(equations, q=q, v=v, tau=tau)  # what is wrong there has not converged
        arrays, single = (plain, True) if plain else equations.check_states(q=q, v=v, tau=tau)
        states = States(arrays, wrenches(external), flag("passive", passive))
        noted = self.closed and self.may_contradict(None)
        if not noted:
            found = compiled_derivatives(equations, states, single, self.closed)
            if found is not None:
                return found
        if plain:
            arrays, single = equations.check_states(q=q, v=v, tau=tau)
        system, _, external, bad = solvable(equations, arrays, single, external, passive)
        if self.closed:
            warn_open(equations, system.terms, "forward_dynamics.derivatives", single)
        if noted:
            answers = {k: equations.answer(system, k) for k in np.flatnonzero(~bad).tolist()}
            notes = told_of(equations, system, answers, None if single else np.arange(len(bad)))
            if text := Asked("forward_dynamics.derivatives").noted(notes):
                warn_caller(text, ProjectionWarning)
        answer = derivatives(equations, system, external, passive, single)
        return answer if single else blanked(answer, bad)

    def jvp(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dq: ArrayLike | None = None,
        dv: ArrayLike | None = None,
        dtau: ArrayLike | None = None,
        external: External = None,
        passive: bool = True,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> Array:
        """Change of a (nv) for small changes of q (tangent), v and tau, by `derivatives`."""
        state = {"q": q, "v": v, "tau": tau}
        given = {n: x for n, x in (("dq", dq), ("dv", dv), ("dtau", dtau)) if x is not None}
        found = self._evaluator.complete(state | given)
        q, v, tau = (found[name] for name in state)
        matrices = self.derivatives(
            q, v, tau, external, passive, parameters=parameters, offsets=offsets
        )
        return matrices.jvp(*(found.get(name, 0.0) for name in ("dq", "dv", "dtau")))

    def vjp(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        weight: ArrayLike,
        external: External = None,
        passive: bool = True,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> tuple[Array, Array, Array]:
        """Gradient of weight · a with respect to q (tangent), v and tau, by `derivatives`."""
        found = self._evaluator.complete({"q": q, "v": v, "tau": tau, "weight": weight})
        q, v, tau, weight = found.values()
        return self.derivatives(
            q, v, tau, external, passive, parameters=parameters, offsets=offsets
        ).vjp(weight)

    def parameter_jacobian(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """d a / d inertias (nv, 10 bodies) = -N (N^T M N)^-1 N^T Y, and after them those by numbers
        of force elements; names: `mechanism.parameter_names`."""
        from armillary.constraints.splitting import compiled_split, responses
        from armillary.evaluate.sensitivities import element_jacobian

        equations = self._equations
        arrays, single = equations.check_states(q=q, v=v, tau=tau)

        def changed_forces(a: Array) -> Array:
            """Y (B, nv, parameters): what the motion needs more."""
            Y = equations.tree.regressor(arrays["q"], arrays["v"], a)
            if not equations.model.elements:
                return Y
            more = element_jacobian(self._evaluator, arrays["q"], arrays["v"], a)
            return np.concatenate([Y, more], axis=-1)

        quick = compiled_split(equations, States(arrays), self.closed)
        if quick is not None:
            found = -quick.split.response @ changed_forces(quick.a)
            return found[0] if single else found
        system, arrays, _, bad = solvable(equations, arrays, single)
        if self.closed:
            warn_open(equations, system.terms, "forward_dynamics.parameter_jacobian", single)
        answers = equations.answers(system, single)
        bad |= np.array([bool(x.fault) for x in answers], bool)
        Y = changed_forces(np.array([x.a for x in answers]).reshape(arrays["v"].shape))
        found = np.full(Y.shape, np.nan)
        for k in np.flatnonzero(~bad):
            found[k] = -responses(equations, system, int(k), answers[k].factor) @ Y[k]
        return found[0] if single else found

    def offset_jacobian(self, *args: object, **options: object) -> NoReturn:
        """Refused: moved joint frames open the loops."""
        raise InputError(
            f"forward_dynamics.offset_jacobian: '{self._evaluator.model.name}' is closed, and "
            f"joint frames that move open its constraints. Ask mechanism.tree.forward_dynamics."
            f"offset_jacobian(...) for its open tree."
        )
