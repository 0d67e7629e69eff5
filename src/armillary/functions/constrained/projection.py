"""Compiled projection onto the constraints: steps of position, then one of velocity.

Each step is a traced kernel (algorithms/constrained.py); states it doubts, or that do not close,
go to the robust way (closing.py) one by one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.constrained import correction
from armillary.algorithms.passes import Algorithm
from armillary.errors import ModelError
from armillary.functions.constrained.closing import CLOSED, Closer
from armillary.functions.constrained.plan import make_plan
from armillary.functions.inputs import Array
from armillary.model.lower import parametric

if TYPE_CHECKING:
    from armillary.functions.constrained.engine import Engine
    from armillary.functions.kernels import Kernels

_LARGEST_PLAN = 90  # unknowns: larger systems are not traced
_LARGEST_TREE = 60  # bodies
_STEPS = 8


def traced_kernels(
    engine: Engine, algorithm: Algorithm, reads: tuple[str, ...], passive: bool = True
) -> Kernels | None:
    """Straight-line kernels of an algorithm over the constraints, where that is not too long."""
    from armillary.functions.kernels import Kernels
    from armillary.functions.setting import Setting

    owner = engine.owner
    if not may_be_traced(engine):
        return None
    if "parameters" in reads:
        tables = replace(parametric(owner.model, True, passive), ties=engine.ties)
    else:
        tables = replace(owner.tables(True, passive, regroup=True), ties=engine.ties)
    setting = Setting(algorithm, reads, owner._moving_base)
    kernels = Kernels(setting, tables, owner.options)
    try:
        kernels._straight_block(None)
    except ZeroDivisionError:  # a free motion without any inertia: the robust way names it
        return None
    return kernels if kernels._straight_block(None) is not None else None


def may_be_traced(engine: Engine) -> bool:
    unknowns = engine.tables.nv + engine.ties.count
    small = unknowns <= _LARGEST_PLAN and len(engine.tables.bodies) <= _LARGEST_TREE
    return small and engine.owner.options.tier != 1


class Projector:
    """Nearest closed positions and consistent velocities, by kinetic energy."""

    def __init__(self, engine: Engine, closer: Closer):
        self.engine, self.closer = engine, closer

    @cached_property
    def _position(self) -> Kernels | None:
        if not may_be_traced(self.engine) or not any(self.engine.ties.holonomic):
            return None
        plan = make_plan(self.engine, self.closer, self.closer.holonomic)
        return traced_kernels(self.engine, correction(plan, "residual"), ("q",))

    @cached_property
    def _velocity(self) -> Kernels | None:
        if not may_be_traced(self.engine):
            return None
        plan = make_plan(self.engine, self.closer)
        return traced_kernels(self.engine, correction(plan, "rate"), ("q", "v"))

    @cached_property
    def _second_position(self) -> Kernels | None:
        """Where the dependent coordinates of the first fail."""
        if self._position is None:
            return None
        plan = make_plan(self.engine, self.closer, self.closer.holonomic, embed=False)
        return traced_kernels(self.engine, correction(plan, "residual"), ("q",))

    @cached_property
    def _second_velocity(self) -> Kernels | None:
        if self._velocity is None:
            return None
        plan = make_plan(self.engine, self.closer, embed=False)
        return traced_kernels(self.engine, correction(plan, "rate"), ("q", "v"))

    def project(self, q: Array, v: Array) -> tuple[Array, Array]:
        """q (B, nq) and v (B, nv), closed and consistent."""
        q = self.positions(q)
        return q, self.velocities(q, v)

    def positions(self, q: Array) -> Array:
        """Newton steps until they are small; what stays open is closed the robust way."""
        q = q.copy()
        open_ = np.ones(len(q), bool)
        if self._position is not None:
            self._newton(self._position, q, open_)
            if open_.any() and self._second_position is not None:
                self._newton(self._second_position, q, open_)
        for k in np.flatnonzero(open_):
            q[k] = self._closed(q[k])
        return q

    def _newton(self, kernels: Kernels, q: Array, open_: NDArray[np.bool_]) -> None:
        """Move open rows of q until their steps are small; tells which stay open."""
        owner, columns = self.engine.owner, self.engine.scaling.columns
        moving = open_.copy()
        for _ in range(_STEPS):
            rows = np.flatnonzero(moving)
            if not len(rows):
                return
            step = kernels({"q": q[rows]}, len(rows), owner._globals())["x"]
            good = np.isfinite(step).all(axis=1)
            if not good.all():
                step = np.where(good[:, None], step, 0.0)
            q[rows] = owner.integrate(q[rows], step)
            size = np.abs(step / columns).max(axis=1, initial=0.0)
            # quadratic: after a step of 1e-8 the rest is below rounding
            closed = good & (size < 1e-8)
            open_[rows[closed]] = False
            moving[rows[closed | ~good]] = False

    def _closed(self, q: Array) -> Array:
        closed, _ = self.closer.position(q)
        opening = self.closer.opening(self.closer.residual(closed))
        if opening > max(CLOSED * 1e4, 10.0 * self.closer.closed):
            raise ModelError(
                f"'{self.engine.owner.model.name}': the position could not be projected; it stays "
                f"open by {opening:.2g} of its size. Use assemble(q) for rough guesses; it "
                f"reports what cannot be closed."
            )
        return closed

    def velocities(self, q: Array, v: Array) -> Array:
        result = np.full(v.shape, np.nan)
        if self._velocity is not None:
            step = self._velocity({"q": q, "v": v}, len(q), self.engine.owner._globals())["x"]
            result = v + step
        left = np.flatnonzero(~np.isfinite(result).all(axis=1))
        if len(left) and self._second_velocity is not None:
            inputs = {"q": q[left], "v": v[left]}
            found = self._second_velocity(inputs, len(left), self.engine.owner._globals())["x"]
            result[left] = v[left] + found
        for k in np.flatnonzero(~np.isfinite(result).all(axis=1)):
            result[k] = self.closer.velocity(q[k], v[k])[0]
        return result
