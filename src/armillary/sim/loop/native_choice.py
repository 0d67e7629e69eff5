"""Which native loops a run goes on with, or why steps are made in Python.

A run goes natively when its method is not adaptive, what is given
over time (forces, wrenches, prescribed motion: input_tables.py) bends on the grid, and nothing has
to be watched meanwhile that cannot be looked at afterwards.
"""

from __future__ import annotations

from collections.abc import Hashable

from armillary.codegen.target import native
from armillary.constraints.drift import AnyPenalty
from armillary.evaluate.compile_function import NotNative
from armillary.sim.loop.contact_friction import Pull
from armillary.sim.loop.event_scan import EventScan, can_scan
from armillary.sim.loop.groups import Group, groups
from armillary.sim.loop.limits import needs_forces
from armillary.sim.loop.locating import Locator
from armillary.sim.loop.native import NativeLoop
from armillary.sim.loop.native_groups import NativeGroups, whole_batch
from armillary.sim.loop.states import State
from armillary.sim.loop.step_data import VARIATIONAL, Kept, Method
from armillary.sim.methods.integrators import (
    ExplicitRungeKutta,
    Exponential,
    LinearlyImplicit,
    SemiImplicitEuler,
    Stepper,
)
from armillary.sim.methods.resting import Held
from armillary.sim.methods.system import System
from armillary.sim.methods.variational import Variational

_BRIEFLY = "a joint sticks or rests at a limit, too briefly for code of its own"
_LASTING = 100  # steps with the same joints held, after which their code is made
_KEPT = 64  # groups whose loops are kept
Chosen = tuple[NativeGroups | None, EventScan | None, str]  # or why there is none


class NativeChoice:
    """Of one run, or of a batch of runs.  forces: accelerations and joint forces are recorded.
    pace: steps of one call; None: those of a fifth of a second."""

    def __init__(
        self,
        system: System,
        stepper: Stepper,
        locator: Locator | None,
        project: bool,
        forces: bool,
        pace: int | None = None,
    ):
        self.system, self.stepper, self.locator = system, stepper, locator
        self._project, self._pace = project, pace
        self._watched = [] if locator is None else locator.watched
        self._forces = forces or any(isinstance(e, Pull) or needs_forces(e) for e in self._watched)
        self._chosen: dict[Hashable, Chosen] = {}
        self._loops: dict[Hashable, NativeLoop] = {}
        self._lasted: dict[tuple[int, Held], int] = {}  # steps in Python with joints that are held

    def now(self, state: State, over: frozenset[int], stops: list[float], step: float) -> Chosen:
        """For the mechanisms and the held joints that are in force now; each is made once."""
        runs = None if state.q.ndim == 1 else len(state.q)
        places = isinstance(self.stepper, Variational)
        alike = groups(self.system, runs, over, self._watched, places)
        key = tuple((id(g.mechanism), g.held, _numbers(g)) for g in alike)
        if key not in self._chosen:
            brief = [g for g in alike if g.held.entries and not self._lasts(g)]
            if brief:
                return None, None, _BRIEFLY
            if len(self._chosen) >= _KEPT:
                self._chosen.clear()
                self._loops.clear()
            try:
                self._chosen[key] = self._make(state, alike, over, stops, step)
            except NotNative as reason:
                self._chosen[key] = (None, None, str(reason))
        return self._chosen[key]

    def _lasts(self, group: Group) -> bool:
        """Have these joints been held for long?  Counts the step that is asked for."""
        key = id(group.mechanism), group.held
        self._lasted[key] = self._lasted.get(key, 0) + 1
        return self._lasted[key] > _LASTING

    def _make(
        self,
        state: State,
        alike: list[Group],
        over: frozenset[int],
        stops: list[float],
        step: float,
    ) -> Chosen:
        if not alike:
            raise NotNative("all runs are over")
        if not native():
            raise NotNative("llvmlite is missing")
        method, parts = _method(self.stepper), _substeps(self.system, state.t, step)
        if method is None:
            raise NotNative("the method has no native loop")
        if parts is None:
            raise NotNative("samples do not lie on the grid of steps")
        if not all(_whole((stop - state.t) / (step / parts)) for stop in stops):
            raise NotNative("schedules jump within steps")
        forces = self._forces or any(group.held.entries for group in alike)
        loops = [self._loop(group, method, state, parts, forces) for group in alike]
        runs = 1 if state.q.ndim == 1 else len(state.q)
        made = NativeGroups(self.system, alike, loops, whole_batch(alike, runs))
        if self.locator is None:
            return made, None, ""
        if not can_scan(self.locator.watched, made):
            raise NotNative("events, with blocks that take samples in Python or within steps")
        return made, EventScan(self.locator, made, over), ""

    def _loop(
        self, group: Group, method: Method, state: State, parts: int, forces: bool
    ) -> NativeLoop:
        """Made once for the same runs."""
        key = (id(group.mechanism), group.held, _numbers(group), forces)
        if key not in self._loops:
            self._loops[key] = NativeLoop(
                system=self.system,
                method=method,
                state=state,
                parts=parts,
                forces=forces,
                kept=_kept(self.system, group, self._project),
                group=group,
                pace=self._pace,
            )
        return self._loops[key]


def _numbers(group: Group) -> tuple[int, ...] | None:
    return None if group.rows is None else tuple(group.rows.tolist())


def _substeps(system: System, t: float, step: float) -> int | None:
    """Equal parts of a step at whose ends all samples lie; None: samples lie elsewhere."""
    samples = system.modes.samples
    periods = [float(stage.period or 0.0) for stage in samples.stages]
    h = min([step, *periods])
    lengths = [step, *periods, *(due - t for due in samples.due)]
    return round(step / h) if all(_whole(x / h) for x in lengths) else None


def _method(stepper: Stepper) -> Method | None:
    if isinstance(stepper, SemiImplicitEuler):
        return Method(semi_implicit=True)
    if isinstance(stepper, Variational):
        return VARIATIONAL
    if isinstance(stepper, LinearlyImplicit):
        table = stepper.table
        c = tuple(sum(row) for row in table.alpha)
        return Method(table.alpha, table.b, c, gamma=table.gamma, gammas=table.gammas)
    if isinstance(stepper, Exponential):
        return Method.frozen(stepper.corrected)
    if isinstance(stepper, ExplicitRungeKutta) and not stepper.table.error:
        return Method(stepper.table.a, stepper.table.b, stepper.table.c)
    return None


def _kept(system: System, group: Group, project: bool) -> Kept:
    """How the constraints of these runs are kept; what trees hold needs no projection."""
    drawn_back = system.setup.baumgarte if group.mechanism.constraint_rows else None
    if isinstance(drawn_back, AnyPenalty) and group.held.entries:
        raise NotNative("joints that are held, beside constraints that give way")
    return Kept(project and bool(group.mechanism.constraints), drawn_back)


def _whole(x: float) -> bool:
    return abs(x - round(x)) < 1e-9 * max(1.0, abs(x))
