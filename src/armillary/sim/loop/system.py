"""The right-hand side: forces, accelerations and rates of one mechanism with its parts.

    tau = actuators(voltages(t) + controllers(t, q, v, z)) + inputs(t)
    a = forward_dynamics(q, v, tau)

z are the states of controllers and actuators.  In the chart of a step (chart.py) that starts at y0
the whole state is one vector x = (θ, s, z); y and s are q and v, but for free joints (centre.py).
Arrays are single states (n,) or batches (B, n).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import Any

import numpy as np

from armillary.constraints.moving import RowMotion
from armillary.errors import InputError, NotFiniteError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.control.block import check_part
from armillary.sim.loop.answers import finite
from armillary.sim.loop.bodies import checked_parameters
from armillary.sim.loop.stage import SLACK, Lists, Stage, columns, rows
from armillary.sim.loop.switching import Switching
from armillary.sim.motion.driven import PrescribedMotions
from armillary.sim.motion.schedules import Forces, Wrenches

_LIFTED = 1e-6  # rad/s or m/s


class System(Switching):
    """Everything that has a rate; integrators see nothing else."""

    def __init__(
        self,
        mechanism: Mechanism,
        controller: Any = None,
        actuators: Any = None,
        inputs: Any = None,
        external: Any = None,
        period: float | None = None,
        parameters: Any = None,
        prescribed: PrescribedMotions | None = None,
        voltages: Any = None,
    ):
        self.prescribed = prescribed or None
        self.voltages = Forces(mechanism, voltages, "voltages") if voltages else None
        self.parameters = checked_parameters(mechanism, parameters)
        self.inputs, self.external = Forces(mechanism, inputs), Wrenches(mechanism, external)
        self.stages: list[Stage] = []
        self.nz = 0
        for parts, sampling, is_actuator in (
            (controller, period, False), (actuators, None, True)
        ):  # fmt: skip
            for part in _several(parts):
                check_part(part, mechanism)
                self.stages.append(Stage(part, self.nz, sampling, is_actuator))
                self.nz += self.stages[-1].count
        self.pull: tuple[float, float] | None = None  # rates that draw constraints back, 1/s
        # entries of v held at a limit, with their side, by the row of a batch
        self.resting: dict[int | None, dict[int, float]] = {}
        self.ended: dict[int, float] = {}  # runs of a batch that are over, and when they ended
        self.refused: tuple[int, ...] = ()  # runs of a batch whose start was refused
        # values at which events have acted, by run and id of the event
        self.acted: dict[tuple[int | None, int], float] = {}
        self.blamed: dict[int | None, str] = {}  # who gave no numbers in this step, by run
        self.stuck: Any = None  # modes of dry friction (sticking.py)
        self.contacts: Any = None  # modes of contacts (contact_friction.py)
        self.others: list[Mechanism] = []  # that may take the place of the first one
        super().__init__()
        self.given = mechanism
        self.use(mechanism)

    def start(self, t: float, q: Array, v: Array) -> Array:
        """States z of the parts at the first instant."""
        lists, z = Lists(q, v), np.zeros((*q.shape[:-1], self.nz))
        for stage in self.stages:
            if stage.count:
                z[..., stage.z] = stage.start(self.mechanism, lists, z[..., stage.z], t)
        return z

    # -- time ------------------------------------------------------------------------------------

    @property
    def schedules(self) -> list[Any]:
        fed = self.voltages.schedules if self.voltages is not None else []
        own = [*self.inputs.schedules, *fed, *self.external.schedules]
        for stage in self.stages:
            own += list(getattr(stage.part, "schedules", ()))
        return own

    @property
    def timed(self) -> list[Any]:
        """All that has breaks in time: schedules and prescribed motions."""
        return [*self.schedules, *(self.prescribed.motions if self.prescribed else ())]

    def enter(self, t0: float, t1: float) -> None:
        """The next step lies between these instants."""
        for part in self.timed:
            part.enter(t0, t1)

    def sample(self, t: float, q: Array, v: Array, z: Array) -> Array:
        """Parts whose period is over look at the state and hold their force until the next time;
        their own states move on by explicit Euler.  Gives z."""
        due = [s for s in self.stages if s.period is not None and t >= s.due - SLACK * s.period]
        if not due:
            return z
        lists, u = Lists(q, v), self.command(t, q)
        for stage in self.stages:
            if stage in due:
                period = float(stage.period or 0.0)
                stage.held = u if stage.actuator else self._forced(stage, t, lists, z, u)
                if stage.count and not stage.actuator:
                    z = z.copy()
                    z[..., stage.z] += period * rows(stage.rate(t, lists, z, u), z[..., stage.z])
                stage.due = stage.next_sample(t)
            u, _ = self._through(stage, t, lists, z, u)
        return z

    def next_sample(self) -> float:
        return min((s.due for s in self.stages if s.period is not None), default=inf)

    # -- forces and rates ------------------------------------------------------------------------

    def forces(self, t: float, q: Array, v: Array, z: Array) -> tuple[Array, Array]:
        """tau (..., nv) and dz/dt (..., nz)."""
        tau = self._of_row(self.inputs(t))
        if not (self.inputs.steady or isfinite(tau.sum())):
            self.blame("inputs", t, q, v, tau)
        if not self.stages:
            return self._full(tau, v), z
        if len(self.stages) == 1 and self.stages[0].plain and self.stages[0].held is None:
            total = self.stages[0].given(t, q, v) + tau
            if not isfinite(total.sum()):
                self.blame(self.stages[0].what, t, q, v, total)
            return total, z
        lists, u = Lists(q, v), self.command(t, q)
        rates = np.zeros_like(z)
        for stage in self.stages:
            u, rate = self._through(stage, t, lists, z, u)
            if rate:
                rates[..., stage.z] = rows(rate, z[..., stage.z])
        return rows(u, v) + tau, rates

    def _through(
        self, stage: Stage, t: float, lists: Lists, z: Array, u: list
    ) -> tuple[list, list]:
        """The force of a stage, and the rate of its states."""
        if stage.held is not None:
            held = [x if np.ndim(x) == 0 or self.row is None else x[self.row] for x in stage.held]
            if not stage.actuator:
                return held, []
            u = held
        return self._forced(stage, t, lists, z, u), stage.rate(t, lists, z, u)

    def _forced(self, stage: Stage, t: float, lists: Lists, z: Array, u: list) -> list:
        """The force of a stage; whose fault it is that it is no number."""
        found = stage.force(t, lists, z, u)
        if not finite(found):
            q, v = lists.arrays
            self.blame(stage.what, t, q, v, rows(found, v))
        return found

    def blame(self, what: str, t: float, q: Array, v: Array, found: Array) -> None:
        """Keep who gave the first number (..., n) that is none, where the state was one."""
        sound = np.isfinite(np.concatenate([q, v], axis=-1)).all(axis=-1)
        bad = ~np.isfinite(np.broadcast_to(found, (*v.shape[:-1], found.shape[-1])))
        for place in np.argwhere(bad.any(axis=-1) & sound):
            own = tuple(place)
            k = int(bad[own].argmax())
            named = f" for '{self.mechanism.v_labels[k]}'" if found.shape[-1] == self.nv else ""
            value = np.broadcast_to(found, bad.shape)[own][k]
            row = self.row if not own else own[0] if self.row is None else self.row[own[0]]
            text = f"{what} gave {value:g}{named} at t = {t:.6g} s"
            self.blamed.setdefault(None if row is None else int(row), text)

    def signals(self, t: float, q: Array, v: Array, z: Array) -> dict[str, Array]:
        """What parts tell beside their force: voltages, currents, by name (..., nv)."""
        lists, u = Lists(q, v), self.command(t, q)
        found: dict[str, Array] = {}
        for stage in self.stages:
            command = stage.held if stage.held is not None and stage.actuator else u
            for name, values in stage.signals(t, lists, z, command).items():
                found[name] = found.get(name, 0.0) + values
            u, _ = self._through(stage, t, lists, z, u)
        return found

    def command(self, t: float, q: Array) -> list:
        """What comes to the first controller: voltages that are fed to motors, else nothing."""
        if self.voltages is None:
            return [0.0] * self.nv if q.ndim == 1 else [np.zeros(len(q)) for _ in range(self.nv)]
        volts = self._of_row(self.voltages(t))
        volts = volts[0] if volts.ndim > q.ndim else volts  # a part is asked what it tells
        return columns(np.broadcast_to(volts, (*q.shape[:-1], self.nv)))

    def _of_row(self, x: Array) -> Array:
        """What belongs to the row that is looked at."""
        return x if self.row is None or x.ndim < 2 else x[self.row]

    @staticmethod
    def _full(tau: Array, v: Array) -> Array:
        return tau if tau.shape == v.shape else np.broadcast_to(tau, v.shape)

    def acceleration(self, t: float, q: Array, v: Array, tau: Array) -> Array:
        """a (..., nv); not a number where the state is none."""
        if self.stuck is not None:
            return np.asarray(self.stuck.acceleration(self, t, q, v, tau))
        return self.free_acceleration(t, q, v, tau)

    def wrenches(self, t: float, q: Array, v: Array) -> dict[str, Array] | None:
        """External wrenches by frame name, of the row that is looked at."""
        external = self.external(t, q, v) if self.external else None
        if external and self.row is not None:
            external = {k: x[self.row] if np.ndim(x) == 2 else x for k, x in external.items()}
        for name, x in (external or {}).items():
            if not isfinite(x.sum()):
                self.blame(f"external['{name}']", t, q, v, x)
        return external

    def free_acceleration(self, t: float, q: Array, v: Array, tau: Array) -> Array:
        """As `acceleration`, before dry friction holds anything."""
        external = self.wrenches(t, q, v)
        if self.own and q.ndim == 2:
            a = np.empty_like(v)
            for rows in self.groups(len(q)):
                push = {k: x[rows] if np.ndim(x) == 2 else x for k, x in (external or {}).items()}
                with self.only(rows):
                    a[rows] = self._unheld(t, q[rows], v[rows], tau[rows], push)
        else:
            a = self._unheld(t, q, v, tau, external)
        if not self.resting:
            return a
        if a.ndim == 1:
            held = self.resting.get(self.row, {}) if np.isfinite(a).all() else {}
            return self._held(q, v, tau, a, held)
        for row, held in self.resting.items():
            if np.isfinite(a[row]).all():
                with self.only(row):
                    a[row] = self._held(q[row], v[row], tau[row], a[row], held)
        return a

    def _unheld(self, t: float, q: Array, v: Array, tau: Array, external: Any) -> Array:
        """As `free_acceleration`, of one mechanism and before limits hold anything."""
        try:
            moving = self.moving(t)
            a = self._lean(q, v, tau, external, moving)
            if a is not None:
                return a
            options: dict[str, Any] = {} if moving is None else {"prescribed": moving}
            if self.parameters is not None:
                options["parameters"] = self.bodies()
            if self.pull is not None and self.mechanism.constraints:
                options["baumgarte"] = self.pull
            if options:
                a = self.mechanism.forward_dynamics(q, v, tau, external, **options)
            else:
                a = self._dynamics(q, v, tau, external) if external else self._dynamics(q, v, tau)
        except NotFiniteError:  # the run tells where it broke
            return np.full_like(v, np.nan)
        except InputError:
            if not self.blamed and all(np.isfinite(x).all() for x in (q, v, tau)):
                raise
            return np.full_like(v, np.nan)
        return a

    def _lean(
        self, q: Array, v: Array, tau: Array, external: Any, moving: RowMotion | None
    ) -> Array | None:
        """Of one driven state, where nothing else matters."""
        other = external or self.resting or self.parameters is not None or v.ndim == 2 or self.pull
        if self.prescribed is None or moving is None or other:
            return None
        return self.prescribed.acceleration(self.mechanism, q, v, tau, moving)

    def bodies(self) -> Array | None:
        """Inertias of the bodies, of the row that is looked at."""
        p = self.parameters
        return p[self.row] if p is not None and p.ndim == 2 and self.row is not None else p

    def rest_at(self, k: int, side: float) -> None:
        """Entry k of v stays at its limit until something lifts it off."""
        self.resting.setdefault(self.row, {})[k] = side

    def lift_off(self, v: Array) -> None:
        """Entries that have left their limit are free again."""
        for row, held in list(self.resting.items()):
            own = v if row is None or v.ndim == 1 else v[row]
            kept = {k: side for k, side in held.items() if side * own[k] <= _LIFTED}
            if kept:
                self.resting[row] = kept
            else:
                del self.resting[row]

    def _held(self, q: Array, v: Array, tau: Array, a: Array, held: dict[int, float]) -> Array:
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

    def mobility(self, q: Array, v: Array, tau: Array) -> Array:
        """Y (..., nv, nv): accelerations per joint force; the inverse of M for trees."""
        if not (self.mechanism.model.constraints or (self.own and q.ndim == 2)):
            M = self.mechanism.mass_matrix(q, parameters=self.bodies())
            return np.asarray(np.linalg.inv(M), float)
        if q.ndim == 2:
            found = []
            for row, parts in enumerate(zip(q, v, tau, strict=True)):
                with self.only(row):
                    found.append(self.mobility(*parts))
            return np.stack(found)
        # accelerations are linear in tau: differences of them are exact
        still, kick = np.zeros_like(v), np.concatenate([np.zeros((1, self.nv)), np.eye(self.nv)])
        many, rest = (np.tile(x, (self.nv + 1, 1)) for x in (q, still))
        a = self.mechanism.forward_dynamics(many, rest, kick, parameters=self.bodies())
        return (a[1:] - a[0]).T

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
        if self._simple and x.ndim == 1 and not (self.resting or self.stuck) and self.row is None:
            try:
                out[n:] = self.center.rate(q, v, self._dynamics(q, v, self.inputs.constant))
                return
            except InputError:  # not finite, as a rule: the long way tells
                pass
        tau, out[..., 2 * n :] = self.forces(t, q, v, z)
        a = self.acceleration(t, q, v, tau)
        out[..., n : 2 * n] = self.center.rate(q, v, a, self.bodies())


def _several(parts: Any) -> list[Any]:
    if parts is None:
        return []
    return list(parts) if isinstance(parts, Sequence) else [parts]
