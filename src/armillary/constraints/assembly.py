"""Closing what is open: assembly from rough guesses, and projection after a step.

The position comes first, then the velocity; rolling rows enter the velocity only.  The correction
is the smallest in the kinetic-energy norm, so it does no more than needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.assembled import remarks
from armillary.constraints.holding import Held
from armillary.constraints.moving import RowMotion
from armillary.constraints.notes import refuse_open
from armillary.constraints.nullspace import RANK_TOLERANCE, Factor, smallest
from armillary.errors import ModelError
from armillary.evaluate.deferred import Deferred, Later
from armillary.evaluate.inputs import Array
from armillary.shown import shown

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations

CLOSED = 1e-12  # of the machine's size
_IDLE = 8  # disturbed starts in a row that come no nearer
_ALLOWED = 1e-6  # of the velocities: rows that held velocities violate by less
_STALLED, _WATCHED = 0.02, 5  # part of Σ residual² that so many steps must take away at least
_ENOUGH = 400  # steps of all starts together
_POLISH = 60  # steps from the best start, where none closes
_LOOSE = 1e-3  # rank tolerance of the first, rough steps


@shown
@dataclass(frozen=True)
class Assembly:
    """A configuration, and what of it could not be closed."""

    q: Array
    closed: bool
    residual: Array  # (m,) rad or m
    labels: tuple[str, ...]
    units: tuple[str, ...]
    iterations: int
    length: float
    # limits it breaks, telescopes inside out, another branch
    messages: Later[tuple[str, ...]] = Later()

    @property
    def open_rows(self) -> dict[str, float]:
        """Rows that stay open, worst first: rad or m."""
        scale = np.array([1.0 if unit == "rad" else 1.0 / self.length for unit in self.units])
        order = np.argsort(-np.abs(self.residual * scale))
        limit = 1e-9
        return {
            self.labels[k]: float(self.residual[k])
            for k in order
            if abs(self.residual[k] * scale[k]) > limit
        }

    def __str__(self) -> str:
        if self.closed:
            worst = float(np.abs(self.residual).max(initial=0.0))
            text = f"closed in {self.iterations} steps, largest residual {worst:.1e}"
            return "\n".join((text, *self.messages))
        lines = [f"not closed after {self.iterations} steps:"]
        units = dict(zip(self.labels, self.units, strict=True))
        lines += [f"  {name:<30}{x:>14.6g} {units[name]}" for name, x in self.open_rows.items()]
        return "\n".join(lines)


class Closer:
    """Position and velocity corrections of one mechanism."""

    def __init__(self, equations: Equations, prescribed: bool = True):
        """prescribed: whether driven coordinates are to stand at their places."""
        self.equations = equations
        self.holonomic = np.array(equations.constraints.holonomic, bool)
        if not prescribed:
            self.holonomic &= ~np.array(equations.constraints.driven, bool)
        self.scaling = equations.scaling.of_rows(self.holonomic)
        self._weights = self.scaling.rows / equations.length  # of openings
        self._every = bool(self.holonomic.all())

    @cached_property
    def closing_rows(self) -> NDArray[np.bool_]:
        """(m,) holonomic rows that a motion can close: those with content."""
        return self.holonomic & ~self.equations.idle_rows

    @property
    def closed(self) -> float:
        """What counts as closed, as a part of the machine's size."""
        return max(CLOSED, self.equations.geometry_tolerance)

    @property
    def nearly_closed(self) -> float:
        """What a projected position may stay open by, as a part of the machine's size."""
        return max(CLOSED * 1e4, 10.0 * self.closed)

    def residual(self, q: Array, moving: RowMotion | None = None) -> Array:
        if moving is None:
            return self.equations.place(q)[1]
        return np.asarray(self.equations.terms(q[None], moving=moving).residual[0])

    def openings(self, residual: Array) -> Array:
        """Residuals of the rows that places have to keep, as parts of the machine's size."""
        return self._weights * (residual if self._every else residual[self.holonomic])

    def opening(self, residual: Array) -> float:
        """The largest of them."""
        return float(np.abs(self.openings(residual)).max(initial=0.0))

    def refuse_endless(self, q: Array) -> None:
        """Coordinates so large that the rows cannot be measured have no near configuration."""
        cost = np.array(self._cost(self.residual(q)))
        if isfinite(cost):
            return
        self.equations.evaluator.refuse_not_finite({"q": q}, cost)

    # -- projection of nearby states -------------------------------------------------------------

    def position(
        self, q: Array, steps: int = 8, moving: RowMotion | None = None, held: Held | None = None
    ) -> tuple[Array, int]:
        """q closed by Gauss-Newton steps, each the smallest in the kinetic-energy norm.  held: what
        stays where it is."""
        equations, used, start = self.equations, 0, q
        best, best_opening = q, np.inf
        for _ in range(steps):
            terms = equations.terms(q[None], moving=moving)
            opening = self.opening(terms.residual[0])
            if opening < best_opening:
                best, best_opening = q, opening
            stalled = used > 1 and opening > 0.5 * best_opening + 1e-300
            if opening <= CLOSED * 1e-2 or (stalled and best_opening <= self.closed):
                break
            step = self._step(q, terms.J[0], terms.residual[0], held)
            q = equations.tree.integrate(q, step)
            if held:
                q = held.put_back(q, start)
            used += 1
        else:
            opening = self.opening(self.residual(q, moving))
            if opening < best_opening:
                best = q
        return best, used

    def _step(self, q: Array, J: Array, residual: Array, held: Held | None = None) -> Array:
        rows = self.holonomic
        opening = self.opening(residual)
        tolerance = max(1e-7, min(_LOOSE, 30.0 * opening))
        if held:
            still = np.zeros(len(held.entries))
            factor = held.factor(J[rows], self.scaling, q, tolerance)
            return self._smallest(q, factor, np.concatenate([-residual[rows], still]))
        factor = Factor(J[rows], self.scaling, tolerance)
        return self._smallest(q, factor, -residual[rows])

    def _smallest(
        self, q: Array, factor: Factor, target: Array, parameters: Array | None = None
    ) -> Array:
        """The correction with J x = target and the least kinetic energy."""
        ask = self.equations.tree.mass_matrix
        M = ask(q) if parameters is None else ask(q, parameters=parameters)
        return smallest(M, factor, target, self.equations.model.v_labels)

    def velocity(
        self,
        q: Array,
        v: Array,
        moving: RowMotion | None = None,
        parameters: Array | None = None,
    ) -> tuple[Array, Array]:
        """v that all rows allow, nearest in the kinetic-energy norm; and what is left."""
        terms = self.equations.terms(q[None], v[None], moving)
        factor = self.equations.factor(terms)
        step = self._smallest(q, factor, -terms.rate[0], parameters)
        after = self.equations.terms(q[None], (v + step)[None], moving)
        return v + step, after.rate[0]

    def velocity_with(
        self,
        q: Array,
        v: Array,
        held: Held,
        values: Array | None = None,
        moving: RowMotion | None = None,
        parameters: Array | None = None,
    ) -> Array:
        """v that all rows allow, nearest in the kinetic-energy norm, with what is held as it is, or
        at the `values` (h,).  ModelError where the rows do not allow that."""
        equations = self.equations
        terms = equations.terms(q[None], v[None], moving)
        H = held.rows(q)
        wanted = np.zeros(len(H)) if values is None else values - H @ v
        tolerance = equations.rank_tolerance(terms.residual[0])
        factor = held.factor(terms.J[0], equations.scaling, q, tolerance)
        step = self._smallest(q, factor, np.concatenate([-terms.rate[0], wanted]), parameters)
        left = equations.terms(q[None], (v + step)[None], moving).rate[0]
        s, speed = (
            equations.scaling,
            np.abs((v + step) / equations.scaling.columns).max(initial=0.0),
        )
        speed = max(speed, float(np.abs(wanted * held.sizes / s.length).max(initial=0.0)))
        most = np.abs(s.rows / s.length * left)
        broken = np.abs(H @ step - wanted) * held.sizes / s.length
        limit = max(_ALLOWED, equations.geometry_tolerance) * speed
        if max(most.max(initial=0.0), broken.max(initial=0.0)) > limit:
            row = equations.constraints.labels[int(np.argmax(most))] if len(most) else "rows"
            refuse_open(equations, terms.residual[0], "velocities", "no motion fits its rows")
            raise ModelError(
                f"'{equations.model.name}': the constraints do not allow these velocities of "
                f"{', '.join(held.names)}; '{row}' is violated. Hold fewer joints, or give other "
                f"velocities."
            )
        return v + step

    # -- assembly from rough guesses -------------------------------------------------------------

    def assemble(
        self, guess: Array, hold: Sequence[str] = (), restarts: int = 20, seed: int = 0
    ) -> Assembly:
        """Levenberg-Marquardt from the guess, then from disturbed guesses; the best is given."""
        held = Held(self.equations, hold)
        best, best_opening, total, idle = guess, np.inf, 0, 0
        residual = np.zeros(self.equations.constraints.count)
        rng: np.random.Generator | None = None
        for attempt in range(restarts + 1):
            start = guess
            if attempt:
                rng = np.random.default_rng(seed) if rng is None else rng
                spread = min(1.0, 0.1 * attempt)
                kick = held.free(guess) @ rng.normal(size=self.equations.tables.nv) * spread
                start = self.equations.tree.integrate(guess, kick * self.equations.scaling.columns)
                start = held.put_back(start, guess)
            q, used = self.marquardt(start, held, stalled=_STALLED)
            total += used
            left = self.residual(q)
            opening = self.opening(left)
            if opening < best_opening * (1.0 - 1e-3):
                best, best_opening, residual, idle = q, opening, left, 0
            else:
                idle += 1
            if best_opening <= self.closed or idle > _IDLE or total > _ENOUGH:
                break
        if best_opening > self.closed:  # what stays open is told to all digits
            best, used = self.marquardt(best, held, _POLISH)
            residual = self.residual(best)
            total, best_opening = total + used, self.opening(residual)
        equations, closed = self.equations, best_opening <= self.closed * 10
        places = guess.copy(), best.copy()  # whoever holds them may change them
        return Assembly(
            q=best,
            closed=closed,
            residual=residual,
            labels=equations.constraints.labels,
            units=equations.constraints.units,
            iterations=total,
            length=equations.length,
            messages=Deferred(lambda: remarks(equations, *places)) if closed else (),
        )

    def marquardt(
        self,
        q: Array,
        held: Held | None = None,
        steps: int = 200,
        stalled: float = 0.0,
    ) -> tuple[Array, int]:
        """Steps while Σ residual² falls; stalled: by less than this part in a few steps is no
        fall, for it creeps towards a minimum that is not closed."""
        s, start = self.equations.scaling, q
        costs: list[float] = []
        damping, used = 1e-3, 0
        J_q, residual = self.equations.place(q)
        cost = self._cost(residual)
        for _ in range(steps):
            r = self.openings(residual)
            opening = float(np.abs(r).max(initial=0.0))
            if opening <= CLOSED * 1e-2:
                break
            J = self.scaling.scaled(J_q if self._every else J_q[self.holonomic])
            if held:
                J = J @ held.free(q)
            U, d, Vt = np.linalg.svd(J, full_matrices=False)
            rounding = RANK_TOLERANCE * max(float(d.max(initial=0.0)), 1.0)
            improved = False
            for _ in range(12 if opening > CLOSED else 1):  # damped by nothing where it is closed
                gain = np.where(d > rounding, d, 0.0) / (d * d + damping * max(cost, 1e-300))
                step = -(Vt.T @ (gain * (U.T @ r)))
                size = np.abs(step).max(initial=0.0)
                step *= min(1.0, 0.5 / size) if size > 0 else 1.0
                trial = self.equations.tree.integrate(q, s.columns * step)
                trial = held.put_back(trial, start) if held else trial
                new_J, left = self.equations.place(trial)
                new_cost = self._cost(left)
                if new_cost < cost:
                    improved = True
                    damping = max(damping * 0.1, 1e-12)
                    break
                damping *= 8.0
            used += 1
            if not improved:
                break
            q, J_q, residual, cost = trial, new_J, left, new_cost
            costs.append(cost)
            if len(costs) > _WATCHED and cost > (1.0 - stalled) * costs[-1 - _WATCHED]:
                break
        return q, used

    def _cost(self, residual: Array) -> float:
        opening = self.openings(residual)
        return float(opening @ opening)
