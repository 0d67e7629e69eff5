"""The right-hand side of a run as it is seen now: forces, accelerations and rates.

    tau = actuators(voltages(t) + controllers(t, q, v, z)) + inputs(t)
    a = forward_dynamics(q, v, tau)

z are the states of controllers and actuators.  In the chart of a step (chart.py) that starts at y0
the whole state is one vector x = (θ, s, z); y and s are q and v, but for free joints
(centre_of_mass.py).  Arrays are single states (n,) or batches (B, n).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from armillary.constraints.moving import RowMotion
from armillary.errors import InputError, NotFiniteError
from armillary.evaluate.inputs import Array, Keywords
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.control.block import Scalars
from armillary.sim.control.chain import Instant, Stage
from armillary.sim.control.element_changes import ElementChanges
from armillary.sim.control.feed_forward import Function
from armillary.sim.methods.blame import Blame
from armillary.sim.methods.mobility import accelerations_per_force
from armillary.sim.methods.modes import Mechanisms, Modes, RunRows
from armillary.sim.methods.resting import (
    NOTHING_HELD,
    AtRest,
    Held,
    at_rest,
    held_variant,
    holding_forces,
    limit_pushes,
)
from armillary.sim.methods.setup import Setup
from armillary.sim.motion.step_dynamics import step_dynamics
from armillary.sim.motion.user_functions import array_of, columns, finite, handed, rows, scalars

Wrench = dict[str, Array]
States = tuple[Array, Array, Array]  # q, v, z
Arrays = TypeVar("Arrays", bound=tuple[Array, ...])


class DryFriction(Protocol):
    """Joints that stick and slip (stick_slip.py)."""

    def held(self, run: int | None) -> list[int]: ...

    def acceleration(self, view: RunView, t: float, q: Array, v: Array, tau: Array) -> Array: ...

    def settle(self, view: RunView, t: float, parts: States) -> Array: ...

    def restless(
        self, view: RunView, span: float, t: float, before: States, parts: States
    ) -> Array: ...

    def share(self, view: RunView, span: float, before: States, after: States) -> Array: ...


class RunView:
    """A run, or some runs of a batch, with the mechanism that is in force there.

    It never changes: where another mechanism takes over (`switched`), a new view tells."""

    def __init__(
        self,
        setup: Setup,
        modes: Modes,
        mechanisms: Mechanisms,
        friction: DryFriction | None,
        run_rows: RunRows,
        held: Held = NOTHING_HELD,
    ):
        self.setup, self.modes, self.mechanisms = setup, modes, mechanisms
        self.friction, self.rows, self.held = friction, run_rows, held
        self.mechanism = mechanisms.of_rows(run_rows)
        if held.entries:
            self.mechanism = held_variant(self.mechanism, held)
            if setup.prescribed is not None:
                setup.prescribed.on(self.mechanism)
        self.blame = Blame(modes.blamed, self.mechanism, self.numbers)
        own = mechanisms.geometry(self.mechanism)
        self.chart, self.center, self.projection = own.chart, own.center, own.projection
        self.nv, self.nz = self.mechanism.nv, setup.nz
        self.size = 2 * self.nv + self.nz
        self._dynamics = step_dynamics(self.mechanism)
        self._rests = setup.rests and run_rows is None and friction is None
        stages = setup.chain.stages
        plain = len(stages) == 1 and stages[0].sampled is None
        self._function = stages[0].block if plain else None  # a function of arrays alone

    def of(self, run_rows: RunRows) -> RunView:
        """One run of a batch as a single state, or some with one mechanism as if they were all."""
        return RunView(self.setup, self.modes, self.mechanisms, self.friction, run_rows)

    def holding(self, held: Held) -> RunView:
        """These runs with entries of v that stay held, whatever pulls at them."""
        parts = (self.setup, self.modes, self.mechanisms, self.friction)
        return RunView(*parts, self.rows, held)

    def switched(self, mechanism: Mechanism) -> RunView:
        """The view after another mechanism has taken over here."""
        self.mechanisms.switch(self.rows, mechanism)
        return self.of(self.rows)

    def runs(self, parts: Arrays) -> Iterator[tuple[RunView, Arrays]]:
        """Every run of a batch as a single state, with its rows of the parts; or the only one."""
        if parts[0].ndim == 1:
            yield self, parts
            return
        for row, number in enumerate(self.numbers(parts[0])):
            own = self.of(number).holding(self.held) if self.held.entries else self.of(number)
            yield own, tuple(x[row] for x in parts)  # type: ignore[misc]

    @property
    def named(self) -> str:
        """The run of a batch, for messages."""
        return "" if self.row is None else f"run {self.row}: "

    @property
    def row(self) -> int | None:
        """The number of the run; None: the only one, or all."""
        assert not isinstance(self.rows, np.ndarray)
        return self.rows

    # -- forces and rates ------------------------------------------------------------------------

    def forces(self, t: float, q: Array, v: Array, z: Array) -> tuple[Array, Array]:
        """tau (..., nv) and dz/dt (..., nz)."""
        inputs, chain = self.setup.inputs, self.setup.chain
        tau = self._own(inputs(t))
        if not (inputs.steady or isfinite(tau.sum())):
            self.blame.force("inputs", t, q, v, tau)
        if not chain.stages:
            return (tau if tau.shape == v.shape else np.array(np.broadcast_to(tau, v.shape))), z
        if isinstance(self._function, Function):
            total = self._function.given(t, q, v) + tau
            if not isfinite(total.sum()):
                self.blame.force(chain.stages[0].what, t, q, v, total)
            return total, z
        u, rates = chain.forces(self.instant(t, q, v, z))
        return rows(u, v) + tau, rows(rates, z)

    def dynamics(self, t: float, q: Array, v: Array, z: Array) -> tuple[Array, Array]:
        """tau and a (..., nv)."""
        tau, _ = self.forces(t, q, v, z)
        return tau, self.acceleration(t, q, v, tau)

    def signals(self, t: float, q: Array, v: Array, z: Array) -> dict[str, Array]:
        """What blocks tell beside their force: voltages, currents, by name (..., nv)."""
        found = self.setup.chain.all_signals(self.instant(t, q, v, z))
        return {name: rows(values, v) for name, values in found.items()}

    def ask(
        self, stage: Stage, what: str, t: float, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> Any:
        """What a block answers, checked; a force that is not finite is blamed on it."""
        single = type(v[0]) is float
        own = map(list if single else handed, (q, v, z, u))
        found = getattr(stage.block, what)(t, *own)
        batch = () if single else np.shape(v[0])
        if what == "signals":
            return {
                name: scalars(f"{stage.what}, signal '{name}'", x, len(v), batch, t, "numbers")
                for name, x in found.items()
            }
        if what in ("rate", "update", "steady"):
            meant = "rates of its states" if what == "rate" else "states"
            return scalars(stage.what, found, stage.count, batch, t, meant)
        force = scalars(stage.what, found, len(v), batch, t, "joint forces")
        if not finite(force):
            speeds = array_of(v)
            if isinstance(stage.block, ElementChanges):
                self.blame.elements(t, array_of(q), speeds, rows(force, speeds))
            self.blame.force(stage.what, t, array_of(q), speeds, rows(force, speeds))
        return force

    def instant(self, t: float, q: Array, v: Array, z: Array) -> Instant:
        """What the chain is asked with."""
        lists = (columns(q), columns(v), columns(z), self.command(t, q))
        return Instant(t, *lists, self.modes.samples.of(self.rows), self.ask)

    def command(self, t: float, q: Array) -> list[Scalar]:
        """What comes to the first controller: voltages that are fed to motors, else nothing."""
        if self.setup.voltages is None:
            return [0.0] * self.nv if q.ndim == 1 else [np.zeros(len(q)) for _ in range(self.nv)]
        volts = self._own(self.setup.voltages(t))
        volts = volts[0] if volts.ndim > q.ndim else volts  # a block is asked what it tells
        return columns(np.broadcast_to(volts, (*q.shape[:-1], self.nv)))

    def _own(self, x: Array) -> Array:
        """What belongs to these runs."""
        return x if self.rows is None or x.ndim < 2 else x[self.rows]

    # -- accelerations ---------------------------------------------------------------------------

    def acceleration(self, t: float, q: Array, v: Array, tau: Array) -> Array:
        """a (..., nv); NaN where the state is not finite."""
        if self.friction is not None:
            return np.asarray(self.friction.acceleration(self, t, q, v, tau))
        return self.free_acceleration(t, q, v, tau)

    def wrenches(self, t: float, q: Array, v: Array) -> Wrench | None:
        """External wrenches by frame name."""
        external = self.setup.external(t, q, v) if self.setup.external else None
        if external and self.rows is not None and (q.ndim == 1 or self.setup.external.of_time):
            external = {k: x[self.rows] if np.ndim(x) == 2 else x for k, x in external.items()}
        for name, x in (external or {}).items():
            if not isfinite(x.sum()):
                self.blame.force(f"external['{name}']", t, q, v, x)
        return external

    def free_acceleration(self, t: float, q: Array, v: Array, tau: Array) -> Array:
        """As `acceleration`, before dry friction holds anything."""
        a = self.unlimited_acceleration(t, q, v, tau)
        if not self.modes.resting or self.held.entries:
            return a
        a = a.copy()
        many = np.atleast_2d(a)
        for rest, Y, push in self.pushes(q, a):
            many[rest.rows] += (Y @ (rest.sides * push)[..., None])[..., 0]
        return a

    def unlimited_acceleration(self, t: float, q: Array, v: Array, tau: Array) -> Array:
        """As `free_acceleration`, before limits hold anything."""
        external = self.wrenches(t, q, v)
        if not self._mixed(q):
            return self.of_one_mechanism(t, q, v, tau, external)
        a = np.empty_like(v)
        for some in self.mechanisms.groups(len(q)):
            own = {k: x[some] if np.ndim(x) == 2 else x for k, x in (external or {}).items()}
            a[some] = self.of(some).of_one_mechanism(t, q[some], v[some], tau[some], own)
        return a

    def _mixed(self, q: Array) -> bool:
        """Have some of the runs switched to other mechanisms?"""
        return self.rows is None and q.ndim == 2 and bool(self.mechanisms.own)

    def of_one_mechanism(
        self, t: float, q: Array, v: Array, tau: Array, external: Wrench | None
    ) -> Array:
        a = self._unheld(t, q, v, tau, external)
        if self.mechanism.model.elements and not isfinite(a.sum()):
            self.blame.elements(t, q, v, a)
        return a

    def _unheld(self, t: float, q: Array, v: Array, tau: Array, external: Wrench | None) -> Array:
        prescribed, options = self.setup.prescribed, self.options_at(t)
        try:
            if not (options or external):
                return self._dynamics(q, v, tau)
            alone = v.ndim == 1 and len(options) == 1 and not (external or self.modes.resting)
            if alone and prescribed is not None:
                a = prescribed.acceleration(self.mechanism, q, v, tau, options["prescribed"])
                if a is not None:
                    return a
            return self._dynamics(q, v, tau, external, **options)
        except NotFiniteError:  # the run tells where it broke
            return np.full_like(v, np.nan)
        except InputError:
            if not self.modes.blamed and all(np.isfinite(x).all() for x in (q, v, tau)):
                raise
            return np.full_like(v, np.nan)

    def options_at(self, t: float) -> Keywords:
        """Prescribed motion, inertias and drift control, where the dynamics have to know them."""
        moving, setup = self.moving(t), self.setup
        options: Keywords = {} if moving is None else {"prescribed": moving}
        if setup.parameters is not None:
            options["parameters"] = self.bodies()
        if setup.baumgarte is not None and self.mechanism.constraints:
            options["baumgarte"] = setup.baumgarte
        return options

    def bodies(self) -> Array | None:
        """Inertias of the bodies, where they are not those of the model."""
        p = self.setup.parameters
        return p if p is None else self._own(p)

    # -- what is held ----------------------------------------------------------------------------

    def numbers(self, like: Array) -> list[int | None]:
        """Of the runs that rows of `like` (B, ·) belong to."""
        if self.rows is None:
            return [None] if like.ndim == 1 else list(range(len(like)))
        return [self.rows] if isinstance(self.rows, int) else self.rows.tolist()

    def pushes(self, q: Array, a: Array) -> Iterator[tuple[AtRest, Array, Array]]:
        """Entries at rest at limits, accelerations per force along them (B, nv, k), and how hard
        the limits push (B, k).  a: without limits."""
        numbers, many = self.numbers(a), np.atleast_2d(a)
        runs = [(run, self.mechanisms.of_row(run)) for run in numbers]
        for own in at_rest(self.modes.resting, runs, many):
            view, k = self if a.ndim == 1 else self.of(np.array(numbers)[own.rows]), own.entries
            Y = view.mobility(np.atleast_2d(q)[own.rows], k)
            yield own, Y, limit_pushes(Y[:, k], many[own.rows][:, k], own.sides)

    def restraint(self, t: float, q: Array, v: Array, tau: Array, a: Array) -> Array:
        """Forces r (..., nv), N m or N, of limits and of dry friction at rest, along the entries k
        of v that rest at a limit or stick:

            a = forward_dynamics(q, v, tau + r),    Y_kk r_k = (a - forward_dynamics(q, v, tau))_k

        Zero for trees, whose reactions follow from a alone."""
        force = np.zeros(v.shape)
        if v.ndim == 1:
            if self.mechanism.constraints and (entries := self.held_entries()):
                push = {name: x[None] for name, x in (self.wrenches(t, q, v) or {}).items()}
                states = (q[None], v[None], tau[None], a[None])
                k, options = np.array(entries), self.options_at(t)
                force[k] = self.holding_forces(states, k, push, options)[0]
            return force
        for number, row in zip(self.numbers(v), range(len(v)), strict=True):
            if np.isfinite(a[row]).all():
                force[row] = self.of(number).restraint(t, q[row], v[row], tau[row], a[row])
        return force

    def held_entries(self) -> list[int]:
        """Entries of v of this run that rest at a limit or stick."""
        stick = () if self.friction is None else self.friction.held(self.row)
        return sorted({*self.modes.resting.get(self.row, {}), *stick})

    def holding_forces(
        self,
        states: tuple[Array, Array, Array, Array],
        entries: NDArray[np.intp],
        external: Wrench,
        options: Keywords,
    ) -> Array:
        """r (B, k) along some entries; states: q, v, tau and a (B, ·), of runs with this
        mechanism; options: as `options_at`."""
        q, v, tau, a = states
        free = self._dynamics(q, v, tau, external or None, **options)
        own = (self.mechanism, self._dynamics, q, entries, options.get("parameters"))
        return holding_forces(accelerations_per_force(*own)[:, entries], (a - free)[:, entries])

    def mobility(self, q: Array, entries: NDArray[np.intp] | None = None) -> Array:
        """Y (..., nv, nv): accelerations per joint force, or (..., nv, k) per force along some
        entries of v."""
        k = np.arange(self.nv) if entries is None else entries
        if not self._mixed(q):
            own = (self.mechanism, self._dynamics, q, k, self.bodies())
            return accelerations_per_force(*own)
        Y = np.empty((len(q), self.nv, len(k)))
        for some in self.mechanisms.groups(len(q)):
            Y[some] = self.of(some).mobility(q[some], k)
        return Y

    # -- the chart of a step ---------------------------------------------------------------------

    def enter_chart(self, q: Array, v: Array, z: Array) -> tuple[Array, Array]:
        """y0 and x0 = (0, s, z) of a step that starts here."""
        n = self.nv
        y, s = self.center.enter(q, v, self.bodies())
        x = np.zeros((*v.shape[:-1], self.size))
        x[..., n : 2 * n] = s
        if self.nz:
            x[..., 2 * n :] = z
        return y, x

    def leave_chart(self, y0: Array, x: Array) -> tuple[Array, Array, Array]:
        """q, v, z of x = (θ, s, z)."""
        n = self.nv
        y = self.chart.step(y0, x[..., :n])
        return *self.center.leave(y, x[..., n : 2 * n], self.bodies()), x[..., 2 * n :]

    def rate(self, t: float, y0: Array, x: Array, out: Array) -> None:
        """dx/dt of x = (θ, s, z) in the chart at y0, into `out`."""
        n = self.nv
        q, v, z = self.leave_chart(y0, x)
        out[..., :n] = self.chart.slope(x[..., :n], x[..., n : 2 * n])
        if self._rests and x.ndim == 1 and not self.modes.resting:
            try:
                a = self._dynamics(q, v, self.setup.inputs.constant)
                out[n:] = self.center.rate(q, v, a)
                return
            except InputError:  # not finite, as a rule: the full evaluation tells where
                pass
        tau, out[..., 2 * n :] = self.forces(t, q, v, z)
        a = self.acceleration(t, q, v, tau)
        out[..., n : 2 * n] = self.center.rate(q, v, a, self.bodies())

    # -- constraints -----------------------------------------------------------------------------

    @property
    def projects(self) -> bool:
        """Are there constraints, in any run?"""
        own = self.mechanisms.own.values()
        return self.projection.needed or any(m.model.constraints for m in own)

    def moving(self, t: float) -> RowMotion | None:
        """Prescribed motion of the constraint rows at t."""
        prescribed = self.setup.prescribed
        if prescribed is None:
            return None
        values = prescribed.at(t)
        if self.rows is not None and values.ndim == 3:
            values = values[:, self.rows]
        return prescribed.row_motion(self.mechanism, values)

    def project(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """q and v moved onto the constraints as they are at t.  What sticks has no velocity:
        rounding has a sign, which dry friction would follow."""
        if not self._mixed(q):
            q, v = self.projected(t, q, v)
        else:
            q, v = q.copy(), v.copy()
            for some in self.mechanisms.groups(len(q)):
                q[some], v[some] = self.of(some).projected(t, q[some], v[some])
        if self.friction is not None:
            v = v.copy()
            for own, number in zip(np.atleast_2d(v), self.numbers(v), strict=True):
                own[self.friction.held(number)] = 0.0
        return q, v

    def projected(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        moving, prescribed = self.moving(t), self.setup.prescribed
        if prescribed is not None and moving is not None:
            prescribed.check(self.mechanism, t, moving)
        return self.projection(q, v, moving, self.bodies())
