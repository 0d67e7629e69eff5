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

from armillary.constraints.moving import RowMotion
from armillary.errors import InputError, NotFiniteError
from armillary.evaluate.inputs import Array, Keywords
from armillary.evaluate.needs import UNDEFINED
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar
from armillary.sim.control.block import Scalars
from armillary.sim.control.chain import Instant, Stage
from armillary.sim.control.element_changes import ElementChanges
from armillary.sim.control.feed_forward import Function
from armillary.sim.methods.modes import Mechanisms, Modes, RunRows
from armillary.sim.methods.setup import Setup
from armillary.sim.motion.step_dynamics import step_dynamics
from armillary.sim.motion.user_functions import array_of, columns, finite, handed, rows, scalars

Wrench = dict[str, Array]
_NAMED = 10  # runs of a batch, at most
Arrays = TypeVar("Arrays", bound=tuple[Array, ...])


class DryFriction(Protocol):
    """Joints that stick and slip (stick_slip.py)."""

    columns: Array

    def acceleration(self, view: RunView, t: float, q: Array, v: Array, tau: Array) -> Array: ...

    def settle(self, view: RunView, t: float, parts: tuple[Array, Array, Array]) -> Array: ...


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
    ):
        self.setup, self.modes, self.mechanisms = setup, modes, mechanisms
        self.friction, self.rows = friction, run_rows
        self.mechanism = mechanisms.of_rows(run_rows)
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

    def switched(self, mechanism: Mechanism) -> RunView:
        """The view after another mechanism has taken over here."""
        self.mechanisms.switch(self.rows, mechanism)
        return self.of(self.rows)

    def runs(self, parts: Arrays) -> Iterator[tuple[RunView, Arrays]]:
        """Every run of a batch as a single state, with its rows of the parts; or the only one."""
        if parts[0].ndim == 1:
            yield self, parts
            return
        for row in range(len(parts[0])):
            yield self.of(row), tuple(x[row] for x in parts)  # type: ignore[misc]

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
            self.blame("inputs", t, q, v, tau)
        if not chain.stages:
            return (tau if tau.shape == v.shape else np.array(np.broadcast_to(tau, v.shape))), z
        if isinstance(self._function, Function):
            total = self._function.given(t, q, v) + tau
            if not isfinite(total.sum()):
                self.blame(chain.stages[0].what, t, q, v, total)
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
                self.blame_elements(t, array_of(q), speeds, rows(force, speeds))
            self.blame(stage.what, t, array_of(q), speeds, rows(force, speeds))
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

    def blame(self, what: str, t: float, q: Array, v: Array, found: Array) -> None:
        """Keep who gave the first number (..., n) that is not finite from a finite state."""
        sound = np.isfinite(np.concatenate([q, v], axis=-1)).all(axis=-1)
        bad = ~np.isfinite(np.broadcast_to(found, (*v.shape[:-1], found.shape[-1])))
        for place in np.argwhere(bad.any(axis=-1) & sound):
            own = tuple(place)
            k = int(bad[own].argmax())
            named = f" for '{self.mechanism.v_labels[k]}'" if found.shape[-1] == self.nv else ""
            value = np.broadcast_to(found, bad.shape)[own][k]
            text = f"{what} gave {value:g}{named} at t = {t:.6g} s"
            self.modes.blamed.setdefault(self._run_number(own), text)

    def blame_elements(self, t: float, q: Array, v: Array, found: Array) -> None:
        """Keep the force elements that have no force at a finite state, where accelerations or
        forces `found` (..., nv) are none."""
        evaluator = self.mechanism.evaluator
        bad = ~np.isfinite(found).all(axis=-1)
        for own in map(tuple, np.argwhere(bad)[:_NAMED]):
            parts = evaluator.undefined_elements({"q": q[own], "v": v[own]})
            if parts:
                names = " and ".join(part.title for part in parts[:2])
                text = f"{names}: force undefined at t = {t:.6g} s ({UNDEFINED})"
                self.modes.blamed.setdefault(self._run_number(own), text)

    def _run_number(self, own: tuple[int, ...]) -> int | None:
        """Of a row of arrays of this view."""
        if not own:
            return self.row
        return int(self.rows[own[0]] if isinstance(self.rows, np.ndarray) else own[0])

    # -- accelerations ---------------------------------------------------------------------------

    def acceleration(self, t: float, q: Array, v: Array, tau: Array) -> Array:
        """a (..., nv); NaN where the state is not finite."""
        if self.friction is not None:
            return np.asarray(self.friction.acceleration(self, t, q, v, tau))
        return self.free_acceleration(t, q, v, tau)

    def wrenches(self, t: float, q: Array, v: Array) -> Wrench | None:
        """External wrenches by frame name."""
        external = self.setup.external(t, q, v) if self.setup.external else None
        if external and self.rows is not None:
            external = {k: x[self.rows] if np.ndim(x) == 2 else x for k, x in external.items()}
        for name, x in (external or {}).items():
            if not isfinite(x.sum()):
                self.blame(f"external['{name}']", t, q, v, x)
        return external

    def free_acceleration(self, t: float, q: Array, v: Array, tau: Array) -> Array:
        """As `acceleration`, before dry friction holds anything."""
        external, resting = self.wrenches(t, q, v), self.modes.resting
        if self.mechanisms.own and q.ndim == 2:
            a = np.empty_like(v)
            for some in self.mechanisms.groups(len(q)):
                push = {k: x[some] if np.ndim(x) == 2 else x for k, x in (external or {}).items()}
                a[some] = self.of(some).unheld_acceleration(t, q[some], v[some], tau[some], push)
        else:
            a = self.unheld_acceleration(t, q, v, tau, external)
        if not resting:
            return a
        if a.ndim == 1:
            held = resting.get(self.row, {}) if np.isfinite(a).all() else {}
            return self.held_back(q, v, tau, a, held)
        for row, held in resting.items():
            if row is not None and np.isfinite(a[row]).all():
                a[row] = self.of(row).held_back(q[row], v[row], tau[row], a[row], held)
        return a

    def unheld_acceleration(
        self, t: float, q: Array, v: Array, tau: Array, external: Wrench | None
    ) -> Array:
        """As `free_acceleration`, of one mechanism and before limits hold anything."""
        a = self._unheld(t, q, v, tau, external)
        if self.mechanism.model.elements and not isfinite(a.sum()):
            self.blame_elements(t, q, v, a)
        return a

    def _unheld(self, t: float, q: Array, v: Array, tau: Array, external: Wrench | None) -> Array:
        setup, moving = self.setup, self.moving(t)
        options: Keywords = {} if moving is None else {"prescribed": moving}
        if setup.parameters is not None:
            options["parameters"] = self.bodies()
        if setup.baumgarte is not None and self.mechanism.constraints:
            options["baumgarte"] = setup.baumgarte
        try:
            if not (options or external):
                return self._dynamics(q, v, tau)
            alone = v.ndim == 1 and len(options) == 1 and not (external or self.modes.resting)
            if alone and setup.prescribed is not None and moving is not None:
                a = setup.prescribed.acceleration(self.mechanism, q, v, tau, moving)
                if a is not None:
                    return a
            return self._dynamics(q, v, tau, external, **options)
        except NotFiniteError:  # the run tells where it broke
            return np.full_like(v, np.nan)
        except InputError:
            if not self.modes.blamed and all(np.isfinite(x).all() for x in (q, v, tau)):
                raise
            return np.full_like(v, np.nan)

    def bodies(self) -> Array | None:
        """Inertias of the bodies, where they are not those of the model."""
        p = self.setup.parameters
        return p if p is None else self._own(p)

    def held_back(self, q: Array, v: Array, tau: Array, a: Array, held: dict[int, float]) -> Array:
        """Entries at rest on a limit are pushed back as far as needed: min ½ λ Y λ + a λ, λ ≥ 0."""
        if not held:
            return a
        k, side = np.array(list(held)), np.array(list(held.values()))
        Y = self.mobility(q, v, tau)
        A = side[:, None] * Y[np.ix_(k, k)] * side
        b, push = side * a[k], np.zeros(len(k))
        for _ in range(100):  # projected Gauss-Seidel
            for i in range(len(k)):
                push[i] = max(0.0, push[i] - (A[i] @ push + b[i]) / A[i, i])
            if len(k) == 1:
                break
        return a + Y[:, k] @ (side * push)

    def restraint(self, t: float, q: Array, v: Array, tau: Array, a: Array) -> Array:
        """Forces r (..., nv), N m or N, of limits and of dry friction at rest, along the entries k
        of v that rest at a limit or may stick:

            a = forward_dynamics(q, v, tau + r),    Y_kk r_k = (a - forward_dynamics(q, v, tau))_k

        Zero for trees, whose reactions follow from a alone."""
        force = np.zeros(v.shape)
        if not (self.mechanism.constraints or (self.mechanisms.own and v.ndim == 2)):
            return force
        if v.ndim == 2:
            for row in np.flatnonzero(np.isfinite(a).all(axis=1)):
                own = (x[row] for x in (q, v, tau, a))
                force[row] = self.of(int(row)).restraint(t, *own)
            return force
        entries = set(self.modes.resting.get(self.row, {}))
        if self.friction is not None:
            entries |= {int(k) for k in self.friction.columns}
        if not entries:
            return force
        k, moving = np.array(sorted(entries)), self.moving(t)
        options: Keywords = {} if moving is None else {"prescribed": moving}
        free = self._dynamics(q, v, tau, self.wrenches(t, q, v), **options)
        Y = self.mobility(q, v, tau)[np.ix_(k, k)]
        force[k] = np.linalg.lstsq(Y, (a - free)[k], rcond=1e-12)[0]
        return force

    def mobility(self, q: Array, v: Array, tau: Array) -> Array:
        """Y (..., nv, nv): accelerations per joint force; the inverse of M for trees."""
        if not (self.mechanism.model.constraints or (self.mechanisms.own and q.ndim == 2)):
            M = self.mechanism.mass_matrix(q, parameters=self.bodies())
            return np.asarray(np.linalg.inv(M), float)
        if q.ndim == 2:
            return np.stack([view.mobility(*own) for view, own in self.runs((q, v, tau))])
        # accelerations are linear in tau: differences of them are exact
        still, kick = np.zeros_like(v), np.concatenate([np.zeros((1, self.nv)), np.eye(self.nv)])
        many, rest = (np.tile(x, (self.nv + 1, 1)) for x in (q, still))
        a = self._dynamics(many, rest, kick, parameters=self.bodies())
        return (a[1:] - a[0]).T

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
        """q and v moved onto the constraints as they are at t."""
        if not self.mechanisms.own or q.ndim == 1:
            return self.projected(t, q, v)
        q, v = q.copy(), v.copy()
        for some in self.mechanisms.groups(len(q)):
            q[some], v[some] = self.of(some).projected(t, q[some], v[some])
        return q, v

    def projected(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        moving, prescribed = self.moving(t), self.setup.prescribed
        if prescribed is not None and moving is not None:
            prescribed.check(self.mechanism, t, moving)
        return self.projection(q, v, moving, self.bodies())
