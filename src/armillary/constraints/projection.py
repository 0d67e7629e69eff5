"""Compiled projection onto the constraints: steps of position, then one of velocity.

Each step is compiled (closed/constrained.py), by dependent coordinates first and regularised
where those fail; what does not close goes to Gauss-Newton steps in the null space (assembly.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.closed.constrained import correction
from armillary.constraints.assembly import Closer
from armillary.constraints.compiled import (
    compiled_kernels,
    eliminating_kernels,
    may_be_compiled,
)
from armillary.constraints.holding import Held, Named
from armillary.constraints.ladder import Outcome, Solver, States, solve_in_turn
from armillary.constraints.moving import Prescribed, RowMotion, spread
from armillary.constraints.nullspace import RANK_TOLERANCE
from armillary.constraints.plan import make_plan
from armillary.constraints.states import finite_rows
from armillary.errors import ArmillaryError, ModelError
from armillary.evaluate.inputs import Array

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.program import Program

STEPS = 8  # of Newton's method by one solver
_SMALL = 1e-8  # Newton's method is quadratic: after a step of this size the rest is rounding
Notes = list[str] | None


class Projector:
    """Nearest closed positions and consistent velocities, by kinetic energy."""

    def __init__(self, equations: Equations, closer: Closer):
        self.equations, self.closer = equations, closer
        self._made: dict[tuple[str, bool, bool], Program | None] = {}
        self._calls: dict[tuple[str, bool], Callable[..., Array | None] | None] = {}

    def rows(self, level: str) -> NDArray[np.bool_]:
        """(m,) rows that a step of q ("residual") or of v ("rate") looks at: those with content."""
        return self.closer.closing_rows if level == "residual" else ~self.equations.idle_rows

    def kernels(self, level: str, embed: bool = True, moving: bool = False) -> Program | None:
        """Of a step of q ("residual") or of v ("rate").  embed: False where the dependent
        coordinates of the first fail.  moving: rows move, and that is one more input."""
        key = (level, embed and may_be_compiled(self.equations), moving)
        if key not in self._made:
            self._made[key] = self._make(*key)
        return self._made[key]

    def embeds(self, level: str) -> bool:
        """Is the first step by dependent coordinates, so that the regularised one is another?"""
        return make_plan(self.equations, self.rows(level), implied=True).pivots is not None

    def _make(self, level: str, embed: bool, moving: bool) -> Program | None:
        rows = self.rows(level)
        if not rows.any():
            return None
        reads = ("q",) + ("v",) * (level == "rate") + ("prescribed",) * moving
        s = self.equations.scaling
        weights = s.rows / s.length / self.closer.nearly_closed if level == "residual" else None
        if embed:
            plan = make_plan(self.equations, rows, implied=True)
            open_rows: list[float] = []
            if weights is not None and plan.pivots is None:
                open_rows = weights[list(plan.kept)].tolist()
            elif weights is not None and plan.implied:  # rows that follow have to be closed as well
                tolerance = max(RANK_TOLERANCE, self.equations.geometry_tolerance)
                strict = self.closer.nearly_closed / tolerance
                open_rows = (strict * weights[list(plan.kept)]).tolist()
            step = correction(plan, level, open_rows)
            made = compiled_kernels(self.equations, step, reads)
            if made is not None:
                return made
        made = eliminating_kernels(self.equations, level, reads, True, rows, weights)
        closes = made is None or level == "rate" or moving or self._closes_all_rows(made)
        return made if closes else None

    def _closes_all_rows(self, kernels: Program) -> bool:
        """Are rows that were left out, as no motion changes them or as they follow from others in
        J, closed as well?  Not where the numbers of a model are too rough: tried at the initial
        configuration."""
        equations, open_ = self.equations, np.ones(1, bool)
        q = equations.tree.initial[None].copy()
        self._newton(kernels, q, open_, None)
        bodies = equations.motion(q, np.zeros((1, equations.tables.nv)))
        residual = equations.rows.block(bodies).residual[0]
        return bool(open_[0]) or self.closer.opening(residual) <= self.closer.nearly_closed

    def project(
        self, q: Array, v: Array, moving: RowMotion | None = None, notes: Notes = None
    ) -> tuple[Array, Array]:
        """q (B, nq) and v (B, nv), closed and consistent.  notes: states that cannot be are NaN,
        and the reason is added here; without it they are an error."""
        q = self.positions(q, moving, notes)
        return q, self.velocities(q, v, moving)

    def one(self, q: Array, v: Array, moving: RowMotion | None) -> tuple[Array, Array] | None:
        """A single state by native calls alone; None: unconverged, or there are none."""
        closed = self.one_position(q, moving) if self.rows("residual").any() else q
        if closed is None or not isfinite(closed.sum() + v.sum()):
            return None
        step = self._one_velocity(closed, v, moving) if self.rows("rate").any() else 0.0 * v
        return None if step is None else (closed, v + step)

    def _one_velocity(self, q: Array, v: Array, moving: RowMotion | None) -> Array | None:
        """The step of v; None: unconverged, or there is no native call."""
        call = self._native("rate", moving is not None)
        motion = () if moving is None else (spread(moving.velocity, 1)[0],)
        step = None if call is None else call(q, v, *motion)
        return step if step is not None and isfinite(step.sum()) else None

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

    def positions(self, q: Array, moving: RowMotion | None = None, notes: Notes = None) -> Array:
        """Newton steps until they are small; what stays open is closed one by one (assembly.py)."""
        q = q.copy()
        if not self.rows("residual").any():
            return q
        if len(q) == 1 and (closed := self.one_position(q[0], moving)) is not None:
            return closed[None]
        open_ = np.ones(len(q), bool)
        for embed in (True, False):
            kernels = self.kernels("residual", embed, moving is not None) if open_.any() else None
            if kernels is not None:
                before = open_.copy()
                self._newton(kernels, q, open_, moving)
                if not embed and (before & ~open_).any():
                    self._follow("residual", moving is not None)
        for k in np.flatnonzero(open_).tolist():
            with _noted(notes, k, q):
                q[k] = self._closed(q[k], _of(moving, k))
        return q

    def _follow(self, level: str, moving: bool) -> None:
        """From now on the second step stands natively behind the first."""
        first, second = (self.kernels(level, embed, moving) for embed in (True, False))
        if first is not None and second is not None and first is not second:
            first.followed_by(second)
            self._calls.pop((level, moving), None)

    def one_position(self, q: Array, moving: RowMotion | None) -> Array | None:
        """Newton steps of one state by native calls; None: unconverged, or there are none."""
        call = self._native("residual", moving is not None)
        motion = () if moving is None else (spread(moving.place, 1)[0],)
        for _ in range(STEPS):
            step = None if call is None else call(q, *motion)
            if step is None or not isfinite(step.sum()):
                break
            size = np.abs(step / self.equations.scaling.columns).max()
            q = self.equations.tree.integrate(q, step)
            if size < _SMALL:
                return q
        return None

    def _native(self, level: str, moving: bool) -> Callable[..., Array | None] | None:
        """A step of one state as a native call, about 1 µs; None: there is none."""
        if (level, moving) not in self._calls:
            from armillary.evaluate import native_call

            kernels = self.kernels(level, moving=moving) if native_call.available() else None
            numbers = self.equations.evaluator.base_numbers
            self._calls[level, moving] = native_call.lean(kernels, numbers)
        return self._calls[level, moving]

    def _newton(
        self, kernels: Program, q: Array, open_: NDArray[np.bool_], moving: RowMotion | None
    ) -> None:
        """Move open rows of q until their steps are small; tells which stay open."""
        owner, columns = self.equations.evaluator, self.equations.scaling.columns
        going = open_.copy()
        for _ in range(STEPS):
            rows = np.flatnonzero(going)
            if not len(rows):
                return
            inputs = {"q": q[rows]}
            if moving is not None:
                inputs["prescribed"] = spread(moving.of(rows).place, len(rows))
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
                f"open by {opening:.2g} of its size. Use assemble(q) for rough guesses; it "
                f"reports what cannot be closed. Where the numbers of the model are not more exact "
                f"than that, say so: geometry_tolerance={_two_digits(3.0 * opening)}."
            )
        return closed

    def velocities(self, q: Array, v: Array, moving: RowMotion | None = None) -> Array:
        if not self.rows("rate").any():
            return v.copy()
        if len(v) == 1 and (step := self._one_velocity(q[0], v[0], moving)) is not None:
            return v + step

        def compiled(embed: bool) -> Solver:
            return lambda states: self._rate_step(states, embed)

        def null_space(states: States) -> Outcome:
            found = np.empty_like(states.arrays["v"])
            for k, (place, rate) in enumerate(zip(*states.arrays.values(), strict=True)):
                found[k] = self.closer.velocity(place, rate, _of(states.prescribed, k))[0]
            return Outcome(found, np.ones(len(found), bool))

        states = States({"q": q, "v": v}, prescribed=moving)
        return solve_in_turn(states, compiled(True), compiled(False), null_space).values

    def _rate_step(self, states: States, embed: bool) -> Outcome | None:
        """Velocities after one compiled step."""
        moving = states.prescribed
        kernels = self.kernels("rate", embed, moving is not None)
        if kernels is None:
            return None
        inputs = dict(states.arrays)
        if isinstance(moving, RowMotion):
            inputs["prescribed"] = spread(moving.velocity, len(states))
        step = kernels(inputs, len(states), self.equations.evaluator.base_numbers)["x"]
        found = Outcome.of_kernel(states.arrays["v"] + step)
        if not embed and found.converged.any():
            self._follow("rate", moving is not None)
        return found


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


def _two_digits(x: float) -> str:
    return f"{min(x, 0.09):.1e}"
