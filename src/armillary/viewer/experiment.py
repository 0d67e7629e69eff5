"""What a living page simulates, as `simulate` takes it; what cannot go into a page is refused."""

from __future__ import annotations

import inspect
import time as clock
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from armillary.errors import ArmillaryError, InputError
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import State
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.control.open_targets import OpenTargets, SetPoint
from armillary.sim.loop.loads import fed
from armillary.sim.loop.simulate import simulate
from armillary.sim.loop.sticking import by_default
from armillary.sim.methods.choice import stepper
from armillary.sim.methods.system import System
from armillary.sim.methods.tableaux import EXPLICIT
from armillary.sim.motion.driven import PrescribedMotions
from armillary.sim.motion.prescribed import Given
from armillary.sim.motion.schedules import External, Forces, Inputs, Wrenches, columns_of
from armillary.sim.motion.user_functions import several
from armillary.sim.record.run import Run

_GLANCE, _GLANCES = 0.25, 16  # s at a time, and how often: what the camera has to see
_PATIENCE = 2.0  # s
METHODS = (*(name for name, table in EXPLICIT.items() if not table.error), "semi-implicit")
# arguments of `simulate` that a page has no place for, and what to do instead
REFUSED = {
    "parameters": "inertias beside those of the model. Build the mechanism with them",
    "project": "steps without projection; a page always steps back onto the constraints",
    "t0": "another start of time than 0. Let functions of t begin at 0",
    "balance": "states of blocks that begin in balance. Start where nothing accelerates",
    "geometry_tolerance": "another accuracy of the loops. Set it in the model",
}
# those that say how a run is made and kept, not what moves
NEEDLESS = (
    "duration",
    "tolerance",
    "record",
    "every",
    "out",
    "progress",
    "resume",
    "overwrite",
    "project_start",
    "estimate_error",
    "stick",  # a page does not stick, and says so
)


@dataclass(frozen=True)
class Experiment:
    """Mechanism, start, what drives it, method and step (s)."""

    given: Mechanism
    q0: State | None = None
    v0: State | None = None
    controller: object = None
    actuators: object = None
    inputs: Inputs = None
    voltages: Inputs = None
    beside: bool = False
    external: External = None
    prescribed: Mapping[str, Given] | None = None
    events: object = ()
    period: float | None = None
    method: str = "rk4"
    step: float = 1e-3

    @cached_property
    def moved(self) -> PrescribedMotions:
        return PrescribedMotions(self.given, self.prescribed, self.step)

    @property
    def mechanism(self) -> Mechanism:
        """With a row for every coordinate that is moved."""
        return self.moved.mechanism

    def refuse(self) -> None:
        """InputError where something cannot go into a page."""
        if self.method not in METHODS:
            raise InputError(
                f"method: a page steps with one of {', '.join(METHODS)}; found {self.method!r}."
            )
        if not (np.isfinite(self.step) and self.step > 0.0):
            raise InputError(f"step: expected a number of seconds above 0, found {self.step!r}.")
        model = self.mechanism.model
        if model.load_dependent_joints:
            names = ", ".join(f"'{name}'" for name in model.load_dependent_joints)
            raise cannot(
                f"friction that depends on the load of joints: {names}", "Passive(coulomb=...)"
            )
        touching = [c.name for c in model.contacts if c.normals or c.friction]
        if touching:
            names = ", ".join(f"'{name}'" for name in touching)
            raise cannot(f"contacts that open or rub: {names}", "ideal contacts")
        self._refuse_inputs()
        for stage in self.system.chain.sampled:
            parts = float(stage.period or 0.0) / self.step
            if parts < 0.5 or abs(parts - round(parts)) > 1e-9 * parts:
                raise cannot(
                    f"{stage.what}: a period of {stage.period:g} s in steps of {self.step:g} s",
                    "a period of whole steps",
                )

    def _refuse_inputs(self) -> None:
        for name, given in (("inputs", self.inputs), ("voltages", self.voltages)):
            forces = Forces(self.mechanism, given, name)
            moving = [
                k for columns, _ in forces.signals for k in np.arange(self.mechanism.nv)[columns]
            ]
            if moving and name == "voltages":
                label = self.mechanism.v_labels[moving[0]]
                raise cannot(f"{name} over time: '{label}'", "a constant, which gets a slider,")
            if forces.constant.ndim == 2:
                raise cannot(f"{name} of {len(forces.constant)} runs", "one number for each joint")
        loads = Wrenches(self.mechanism, self.external)
        if loads and not (loads.steady and all(np.ndim(x) == 1 for x in loads.at(0.0).values())):
            raise cannot("external wrenches over time, by state or for several runs", "constants")

    @cached_property
    def system(self) -> System:
        actuators = fed(self.mechanism, self.actuators, self.voltages)
        return System(
            self.mechanism,
            self.controller,
            actuators,
            self.inputs,
            self.external,
            self.period,
            voltages=self.voltages,
        )

    @property
    def volts(self) -> dict[str, float] | None:
        """Constant voltages by joint."""
        if not isinstance(self.voltages, Mapping) or not self.voltages:
            return None
        columns = [k for name in self.voltages for k in columns_of(self.mechanism, name)]
        constant = Forces(self.mechanism, self.voltages, "voltages").constant
        return {self.mechanism.v_labels[k]: float(constant[k]) for k in columns}

    def points(self) -> list[SetPoint]:
        """Set-points and voltages, in the order of the input `target` of the control."""
        return OpenTargets(self.mechanism, self.controller, self.volts).points

    def forces(self) -> dict[int, SetPoint]:
        """Constant joint forces by entry of v; those that change with time have no slider."""
        if self.inputs is None:
            return {}
        given = Forces(self.mechanism, self.inputs)
        constant, chosen = given.constant, list(range(self.mechanism.nv))
        moving = {int(k) for columns, _ in given.signals for k in np.array(chosen)[columns]}
        if isinstance(self.inputs, Mapping):
            chosen = [k for name in self.inputs for k in columns_of(self.mechanism, name)]
        chosen = [k for k in chosen if k not in moving]
        units = {"rad": "N m", "m": "N"}
        return {
            k: SetPoint(
                self.mechanism.v_labels[k],
                units.get(self.mechanism.v_units[k], ""),
                float(constant[k]),
                "force",
            )
            for k in chosen
        }

    def loads(self) -> Array:
        """Constant wrenches as the dynamics read them, 6 for each of their bodies."""
        evaluator = self.mechanism.evaluator
        tables = evaluator.tables()
        given = Wrenches(self.mechanism, self.external).at(0.0)
        rows = {name: (np.atleast_2d(wrench), False) for name, wrench in given.items()}
        return np.asarray(evaluator.external_rows(rows, 1, tables)[0], float)

    def start(self, q: Array, v: Array) -> dict[str, list[float]]:
        """q, v, and z with what sampled blocks hold, before their first sample."""
        held = [0.0] * (len(self.system.chain.sampled) * self.mechanism.nv)
        z = [*self.system.start(0.0, q, v).tolist(), *held]
        return {"q": q.tolist(), "v": v.tolist(), "z": z}

    @property
    def options(self) -> dict[str, object]:
        """What drives it, and method and step, by the names that `simulate` gives them.  Pages have
        friction without rest."""
        start = ("given", "q0", "v0")
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in start}
        return own | {"stick": False}

    @property
    def notes(self) -> list[str]:
        """What the page says of itself."""
        stepping = stepper(self.method, self.system.view())
        columns, _ = by_default([self.mechanism], [], stepping)
        names = ", ".join(f"'{self.mechanism.v_labels[k]}'" for k in columns)
        told = f"Dry friction of {names} does not stick here: at rest it creeps with the step. "
        return [told + "In a run of the library it sticks."] if columns else []

    def run(self, steps: int, q: State | None = None, v: State | None = None) -> Run:
        """The first steps as the library makes them, from another state where one is given."""
        q, v = self.q0 if q is None else q, self.v0 if v is None else v
        run = simulate(self.given, q, v, steps * self.step, **self.options)  # type: ignore[arg-type]
        if len(run) <= steps:
            raise InputError(
                f"page: the run ends after {len(run) - 1} steps of {self.step:g} s "
                f"({run.message}). Take a smaller step=, other gains or another start."
            )
        return run

    def preview(self) -> Array:
        """Places (T, nq) it comes to by itself within some seconds, the start first."""
        state, found, begun = (self.q0, self.v0), [], clock.monotonic()
        for _ in range(_GLANCES):
            try:
                run = self.run(round(_GLANCE / self.step), *state)
            except ArmillaryError:  # it ends, or stops: what was seen is enough
                break
            found.append(run.q[:: max(1, len(run) // 20)])
            state = (run.q[-1], run.v[-1])
            if clock.monotonic() - begun > _PATIENCE or self.moved:
                break
        return np.concatenate(found) if found else np.array([self.run(1).q[0]])

    @property
    def watches(self) -> list[object]:
        return several(self.events)


def cannot(what: str, cure: str) -> InputError:
    return InputError(
        f"page: {what} cannot go into a page. Use {cure} instead, or show a run: run.animate(...)."
    )


def experiment_of(run: Run, method: str | None = None, step: float | None = None) -> Experiment:
    """What a run was made with.  InputError: it does not know, or a page has no place for it."""
    if not run.given:
        raise InputError(
            "page: this run was read from a file, which holds its motion and not what drove it. "
            "Use mechanism.page(..., controller=...), or show the run: run.animate(...)."
        )
    given, usual = dict(run.given), inspect.signature(simulate).parameters
    for name, why in REFUSED.items():
        found, default = given[name], usual[name].default
        if found is not default and not (isinstance(found, (int, float)) and found == default):
            raise InputError(f"page: {name}={found!r:.40} asks for {why}.")
    names = {field.name for field in fields(Experiment)} & set(given)
    experiment = Experiment(given["mechanism"], **{name: given[name] for name in names})  # type: ignore[arg-type]
    if run.batch is not None:
        raise InputError(
            f"page: the run is a batch of {run.batch}, and a page shows one. Simulate one of them "
            f"alone: simulate(mechanism, q0[k], ...).page(...)."
        )
    return replace(experiment, method=method or experiment.method, step=step or experiment.step)
