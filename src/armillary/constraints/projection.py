"""Compiled projection onto the constraints: steps of position, then one of velocity.

Each step is compiled (closed/constrained.py), by dependent coordinates first and regularised
where those fail; what does not close goes to Gauss-Newton steps in the null space (assembly.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.closed.constrained import Plan, correction
from armillary.constraints.assembly import Closer
from armillary.constraints.compiled import compiled_kernels, eliminating_kernels
from armillary.constraints.holding import Held, Named
from armillary.constraints.ladder import Outcome, Solver, States, solve_in_turn
from armillary.constraints.moving import Prescribed, RowMotion, spread
from armillary.constraints.null_space_states import NullSpaceOfStates, null_space_of_states
from armillary.constraints.nullspace import RANK_TOLERANCE
from armillary.constraints.plan import for_inputs, make_plan, small
from armillary.constraints.states import finite_rows, plain_state
from armillary.errors import ArmillaryError, ModelError
from armillary.evaluate.inputs import Array

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.program import Program

STEPS = 8  # of Newton's method by one solver
_SENSIBLE = 1e-3  # geometry tolerance, of the size: what is open by more is not closed by rounding
_SMALL = 1e-8  # Newton's method is quadratic: after a step of this size the rest is rounding
Notes = list[str] | None
Call = Callable[..., Array | None]


class Projector:
    """Nearest closed positions and consistent velocities, by kinetic energy."""

    def __init__(self, equations: Equations, closer: Closer):
        self.equations, self.closer = equations, closer
        self._made: dict[tuple[str, bool, tuple[str, ...]], Program | None] = {}
        self._chains: dict[tuple[str, tuple[str, ...]], Program | None] = {}
        self._calls: dict[tuple[str, tuple[str, ...], bool], Call | None] = {}
        self._any: dict[str, bool] = {}

    def rows(self, level: str) -> NDArray[np.bool_]:
        """(m,) rows that a step of q ("residual") or of v ("rate") looks at: those with content."""
        return ~self.equations.idle_rows if level == "rate" else self.closer.closing_rows

    def kernels(self, level: str, given: tuple[str, ...] = ()) -> Program | None:
        """All solvers of a step of q ("residual") or of v ("rate"), one behind the other, in native
        code.  given: further inputs, "prescribed" where rows move and "parameters" where the
        inertias are others than the model's.

        "followed": a step of q whatever the rows say that follow from others."""
        if (level, given) not in self._chains:
            first, second = (self._kernels(level, embed, given) for embed in (True, False))
            last = self._last(given) if level == "rate" else None
            if first is not None and second is not None and first is not second:
                first = first.followed_by(second if last is None else second.followed_by(last))
            elif first is not None and last is not None:
                first = first.followed_by(last)
            self._chains[level, given] = first
        return self._chains[level, given]

    def _kernels(self, level: str, embed: bool, given: tuple[str, ...]) -> Program | None:
        """One solver.  embed: False where the dependent coordinates of the first fail."""
        key = (level, embed and small(self.equations), given)
        if key not in self._made:
            self._made[key] = self._followed() if level == "followed" else self._make(*key)
        return self._made[key]

    def _last(self, given: tuple[str, ...]) -> NullSpaceOfStates | None:
        """The null space in native code, for steps of v."""
        if given or not self.equations.constraints.ideal:
            return None
        return null_space_of_states(self.equations, ("q", "v"), True)

    def embeds(self, level: str) -> bool:
        """Is the first step by dependent coordinates, so that the regularised one is another?"""
        plan = self._plan(level)
        return plan is not None and plan.pivots is not None

    def _plan(self, level: str) -> Plan | None:
        """How a step is solved; None where the mechanism is too large for straight-line code."""
        if not small(self.equations):
            return None
        return make_plan(self.equations, self.rows(level), implied=True)

    def _make(self, level: str, embed: bool, given: tuple[str, ...]) -> Program | None:
        rows = self.rows(level)
        if not rows.any():
            return None
        reads = ("q",) + ("v",) * (level == "rate") + given
        s = self.equations.scaling
        weights = s.rows / s.length / self.closer.nearly_closed if level == "residual" else None
        plan = self._plan(level) if embed else None
        if plan is not None:
            plan = for_inputs(plan, given)
            open_rows: list[float] = []
            if weights is not None and plan.pivots is None:
                open_rows = weights[list(plan.kept)].tolist()
            elif weights is not None and plan.implied:  # rows that follow have to be closed as well
                tolerance = max(RANK_TOLERANCE, self.equations.geometry_tolerance)
                strict = self.closer.nearly_closed / tolerance
                open_rows = (strict * weights[list(plan.kept)]).tolist()
            made = compiled_kernels(self.equations, correction(plan, level, open_rows), reads)
            if made is not None:
                return made
        behind = not embed and small(self.equations)
        made = eliminating_kernels(self.equations, level, reads, True, rows, weights, behind)
        closes = made is None or level == "rate" or given or self._closes_all_rows(made)
        return made if closes else None

    def _followed(self) -> Program | None:
        if small(self.equations):
            plan = make_plan(self.equations, self.rows("residual"), implied=True)
            if plan.pivots is not None and plan.implied:
                return compiled_kernels(self.equations, correction(plan, "residual"), ("q",))
        return self._kernels("residual", True, ())

    def _closes_all_rows(self, kernels: Program) -> bool:
        """Are rows that were left out, as no motion changes them or as they follow from others in
        J, closed as well?  Not where the numbers of a model are too rough: tried at the initial
        configuration."""
        equations, open_ = self.equations, np.ones(1, bool)
        q = equations.tree.initial[None].copy()
        self._newton(kernels, q, open_, _Given())
        residual, linear = equations.place(q[0])[1].copy(), len(equations.constraints.axes)
        residual[len(residual) - linear :] = 0.0  # of couplings and drives
        return bool(open_[0]) or self.closer.opening(residual) <= self.closer.nearly_closed

    def project(
        self,
        q: Array,
        v: Array,
        moving: RowMotion | None = None,
        notes: Notes = None,
        parameters: Array | None = None,
    ) -> tuple[Array, Array]:
        """q (B, nq) and v (B, nv), closed and consistent.  notes: states that cannot be are NaN,
        and the reason is added here; without it they are an error.  parameters (B, ·): inertias
        that the kinetic energy counts with."""
        q = self.positions(q, moving, notes, parameters)
        return q, self.velocities(q, v, moving, parameters)

    def at_once(self, q: object, v: object) -> tuple[Array, Array] | None:
        """`one` of what a user gives; None where that are no plain arrays of one state."""
        v = np.zeros(self.equations.tables.nv) if v is None else v
        plain = plain_state(self.equations, q=q, v=v) if self._moves("residual") else None
        return None if plain is None else self.one(plain["q"][0], plain["v"][0], None)

    def one(self, q: Array, v: Array, moving: RowMotion | None) -> tuple[Array, Array] | None:
        """A single state by native calls alone; None: unconverged, or there are none."""
        given = _Given(moving)
        closed = self._one_position(q, given) if self._moves("residual") else q.copy()
        if closed is None:
            return None
        step = self._one_velocity(closed, v, given) if self._moves("rate") else 0.0 * v
        return None if step is None else (closed, v + step)

    def _moves(self, level: str) -> bool:
        """Are there rows that such a step looks at?"""
        if level not in self._any:
            self._any[level] = bool(self.rows(level).any())
        return self._any[level]

    def _one_velocity(self, q: Array, v: Array, given: _Given) -> Array | None:
        """The step of v; None: unconverged, or there is no native call."""
        others, found = [x[0] for x in given.inputs("rate", 1).values()], None
        for whole in (False, True):
            call = self._native("rate", given.names, whole)
            found = None if call is None else call(q, v, *others)
            if found is not None:
                break
        return found

    def project_with(
        self,
        q: Array,
        v: Array,
        held: Held,
        named: Named | None,
        moving: RowMotion | None = None,
        notes: Notes = None,
    ) -> tuple[Array, Array]:
        """As `project`, state by state, with what is held as it is.  named: velocities that are
        given, in the place of v."""
        q = q.copy()
        for k in range(len(q)):
            with _noted(notes, k, q):
                q[k] = self._closed(q[k], _of(moving, k), held)
        return q, self.velocities_with(q, v, held, named, moving, notes=notes)

    def velocities_with(
        self,
        q: Array,
        v: Array,
        held: Held,
        named: Named | None,
        moving: RowMotion | None = None,
        parameters: Array | None = None,
        notes: Notes = None,
    ) -> Array:
        """Consistent velocities (B, nv) with what is held, or given by name, as it is.  parameters:
        inertias (B, 10 bodies) that the kinetic energy counts with."""
        values = None if named is None else named.of(len(q))
        held, found = named.held if named else held, np.full_like(v, np.nan)
        for k in np.flatnonzero(finite_rows(q)).tolist():
            mine = None if values is None else values[k]
            bodies = None if parameters is None else parameters[k]
            if mine is not None and not self.equations.constraints.count:
                found[k] = np.linalg.pinv(held.rows(q[k])) @ mine  # in a tree nothing follows
                continue
            with _noted(notes, k, found):
                found[k] = self.closer.velocity_with(q[k], v[k], held, mine, _of(moving, k), bodies)
        return found

    def positions(
        self,
        q: Array,
        moving: RowMotion | None = None,
        notes: Notes = None,
        parameters: Array | None = None,
    ) -> Array:
        """Newton steps until they are small; what stays open is closed one by one (assembly.py)."""
        q, given = q.copy(), _Given(moving, parameters)
        if not self._moves("residual"):
            return q
        if len(q) == 1 and (closed := self._one_position(q[0], given)) is not None:
            return closed[None]
        open_ = np.ones(len(q), bool)
        for embed in (True, False):
            kernels = self._kernels("residual", embed, given.names) if open_.any() else None
            if kernels is not None:
                self._newton(kernels, q, open_, given)
        for k in np.flatnonzero(open_).tolist():
            with _noted(notes, k, q):
                q[k] = self._closed(q[k], _of(moving, k))
        return q

    def nearby(self, q: Array) -> Array | None:
        """A place not far off where the rows that count are closed, by native calls; None where
        their steps do not converge.  Rows that follow from them are for the caller to check."""
        return self._one_position(q, _Given(), "followed") if self._moves("residual") else q

    def _one_position(self, q: Array, given: _Given, level: str = "residual") -> Array | None:
        closed = self._newton_of_one(q, given, level, whole=False)
        return self._newton_of_one(q, given, level, whole=True) if closed is None else closed

    def _newton_of_one(self, q: Array, given: _Given, level: str, whole: bool) -> Array | None:
        call = self._native(level, given.names, whole)
        others = [x[0] for x in given.inputs("residual", 1).values()]
        for _ in range(STEPS):
            step = None if call is None else call(q, *others)
            if step is None:
                break
            size = np.abs(step / self.equations.scaling.columns).max()
            q = self.equations.tree.integrate(q, step)
            if size < _SMALL:
                return q
        return None

    def _native(self, level: str, given: tuple[str, ...], whole: bool) -> Call | None:
        """A step of one state as a native call, about 1 µs, which gives None where it has not
        converged; None: there is none.  whole: by all solvers, else by the first."""
        if (level, given, whole) not in self._calls:
            from armillary.evaluate import native_call
            from armillary.evaluate.lean_call import lean

            numbers, kernels = self.equations.evaluator.base_numbers, None
            if native_call.available():
                kernels = self._kernels(level, True, given)
                kernels = self.kernels(level, given) if whole else kernels
            self._calls[level, given, whole] = lean(kernels, numbers)
        return self._calls[level, given, whole]

    def _newton(self, kernels: Program, q: Array, open_: NDArray[np.bool_], given: _Given) -> None:
        """Move open rows of q until their steps are small; tells which stay open."""
        owner, columns = self.equations.evaluator, self.equations.scaling.columns
        going = open_.copy()
        for _ in range(STEPS):
            rows = np.flatnonzero(going)
            if not len(rows):
                return
            inputs = {"q": q[rows]} | given.of(rows).inputs("residual", len(rows))
            step = kernels(inputs, len(rows), owner.base_numbers)["x"]
            good = Outcome.of_kernel(step).converged
            if not good.all():
                step = np.where(good[:, None], step, 0.0)
            q[rows] = self.equations.tree.integrate(q[rows], step)
            size = np.abs(step / columns).max(axis=1, initial=0.0)
            closed = good & (size < _SMALL)
            open_[rows[closed]] = False
            going[rows[closed | ~good]] = False

    def _closed(self, q: Array, moving: RowMotion | None, held: Held | None = None) -> Array:
        closed, _ = self.closer.position(q, moving=moving, held=held)
        opening = self.closer.opening(self.closer.residual(closed, moving))
        if opening > self.closer.nearly_closed:
            if held:
                raise ModelError(
                    f"'{self.equations.model.name}': the position could not be projected with "
                    f"{', '.join(held.names)} held; it stays open by {opening:.2g} of its size. "
                    f"Hold fewer joints, or use assemble(q, hold) for rough guesses."
                )
            if moving is not None:
                raise ModelError(
                    f"'{self.equations.model.name}': the prescribed motion cannot be followed; "
                    f"rows stay open by {opening:.2g} of its size. The prescribed motions "
                    f"contradict each other, or lead out of reach."
                )
            raise ModelError(
                f"'{self.equations.model.name}': the position could not be projected; it stays "
                f"open by {opening:.2g} of its size. {_way_out(3.0 * opening)}"
            )
        return closed

    def velocities(
        self,
        q: Array,
        v: Array,
        moving: RowMotion | None = None,
        parameters: Array | None = None,
    ) -> Array:
        if not self._moves("rate"):
            return v.copy()
        given = _Given(moving, parameters)
        if len(v) == 1 and (step := self._one_velocity(q[0], v[0], given)) is not None:
            return v + step

        def compiled(embed: bool) -> Solver:
            return lambda states: self._rate_step(states, embed)

        def null_space(states: States) -> Outcome:
            arrays = states.arrays
            found, bodies = np.empty_like(arrays["v"]), arrays.get("parameters")
            for k, (place, rate) in enumerate(zip(arrays["q"], arrays["v"], strict=True)):
                own = None if bodies is None else bodies[k]
                found[k] = self.closer.velocity(place, rate, _of(states.prescribed, k), own)[0]
            return Outcome(found, np.ones(len(found), bool))

        def last(states: States) -> Outcome | None:
            native = self._last(given.names)
            if native is None:
                return None
            return Outcome.of_kernel(states.arrays["v"] + native(states))

        others = {
            name: x for name, x in given.inputs("rate", len(q)).items() if name != "prescribed"
        }
        states = States({"q": q, "v": v} | others, prescribed=moving)
        return solve_in_turn(states, compiled(True), compiled(False), last, null_space).values

    def _rate_step(self, states: States, embed: bool) -> Outcome | None:
        """Velocities after one compiled step."""
        moving, arrays = states.prescribed, states.arrays
        given = _Given(moving if isinstance(moving, RowMotion) else None, arrays.get("parameters"))
        kernels = self._kernels("rate", embed, given.names)
        if kernels is None:
            return None
        inputs = {name: arrays[name] for name in ("q", "v")} | given.inputs("rate", len(states))
        step = kernels(inputs, len(states), self.equations.evaluator.base_numbers)["x"]
        return Outcome.of_kernel(arrays["v"] + step)


@dataclass(frozen=True)
class _Given:
    """What is given beside the states: how rows move, and inertias (1 or B, ·)."""

    moving: RowMotion | None = None
    parameters: Array | None = None

    @property
    def names(self) -> tuple[str, ...]:
        both = (("prescribed", self.moving), ("parameters", self.parameters))
        return tuple(name for name, x in both if x is not None)

    def inputs(self, level: str, count: int) -> dict[str, Array]:
        """Further inputs (count, ·) of a step of q ("residual") or v ("rate")."""
        found: dict[str, Array] = {}
        if self.moving is not None:
            motion = self.moving.place if level == "residual" else self.moving.velocity
            found["prescribed"] = spread(motion, count)
        if self.parameters is not None:
            found["parameters"] = spread(np.atleast_2d(self.parameters), count)
        return found

    def of(self, rows: NDArray[np.intp]) -> _Given:
        bodies = self.parameters
        if bodies is not None and bodies.ndim == 2 and len(bodies) > 1:
            bodies = bodies[rows]
        return _Given(None if self.moving is None else self.moving.of(rows), bodies)


@contextmanager
def _noted(notes: Notes, k: int, rows: Array) -> Iterator[None]:
    """An error of state k becomes a note, and its row NaN; without notes it stays an error."""
    try:
        yield
    except ArmillaryError as error:
        if notes is None:
            raise
        notes.append(f"state {k}: {error}")
        rows[k] = np.nan


def _of(moving: Prescribed, k: int) -> RowMotion | None:
    return moving.of(k) if isinstance(moving, RowMotion) else None


def _way_out(tolerance: float) -> str:
    """What to do about a position that stays open."""
    if tolerance > _SENSIBLE:  # no drawing is that rough: something else is wrong
        return (
            "The mechanism cannot be closed from here: start from elsewhere, with assemble(q) or "
            "assemble(q, hold) for rough guesses, which reports what cannot be closed."
        )
    return (
        f"Use assemble(q) for rough guesses; it reports what cannot be closed. Where the numbers "
        f"of the model are not more exact than that, say so: geometry_tolerance={tolerance:.1e}."
    )
