"""Variants of an experiment side by side: numbers that differ are inputs of the same code.

What can differ within a batch: numbers of bodies and force elements, friction, rotors, gravity and
places of joints (model/varied.py), starts, constant inputs and voltages, numbers of blocks whose
code does not ask them (varied_block.py) and of the motors that blocks have from the model
(motors.py).  Everything else (steps, durations, places in closed mechanisms ...) makes groups: one
batch for each value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError, ModelError
from armillary.evaluate.compile_function import NotNative
from armillary.evaluate.inputs import Array, Keywords
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.experiment import Experiment
from armillary.sim.loop.stream import stream
from armillary.sim.motion.coordinates import freedoms
from armillary.sim.motion.user_functions import several
from armillary.studies.columns import Column
from armillary.studies.motors import numbers_of_blocks, steps_to, with_motor_arguments
from armillary.studies.paths import AXES, TENSOR, target_of, with_numbers
from armillary.studies.recordings import Recording, Recordings
from armillary.studies.responses import Response
from armillary.studies.target import Target
from armillary.studies.varied_block import VariedBlock, varied_block
from armillary.studies.watched import Watched

ROWS = 1024  # variants that run side by side
_INERTIAL = ("mass", "com", "inertia")
_MOVED = ("pose", "velocity", "acceleration")  # of frames, that know places that differ


@dataclass
class Answers:
    """Responses (B, n) of some variants, why the others have none, and recordings where they are
    wanted."""

    values: Array
    reasons: list[str]
    recorded: list[Recording | None]

    @classmethod
    def none(cls, count: int, responses: int) -> Answers:
        return cls(np.full((count, responses), np.nan), [""] * count, [None] * count)


@dataclass(frozen=True)
class Batches:
    """An experiment with the paths that vary, and the responses and recordings that are wanted."""

    experiment: Experiment
    paths: tuple[str, ...]
    responses: tuple[Response, ...]
    recordings: Recordings | None = None
    _made: dict[tuple[float, ...], _Group] = field(default_factory=dict, repr=False)

    @cached_property
    def targets(self) -> dict[str, Target]:
        return {path: target_of(self.experiment, path) for path in self.paths}

    @cached_property
    def grouped(self) -> dict[str, str]:
        """Paths that cannot differ within a batch, and why."""
        found = {p: why for p, target in self.targets.items() if (why := self._why(p, target))}
        free = {path: target for path, target in self.targets.items() if path not in found}
        prepared = _with_motors(self.experiment, free)
        for owner, own in numbers_of_blocks(self.experiment, free).items():
            try:
                varied_block(prepared.mechanism, _block(prepared, owner), own)
            except NotNative as reason:
                found |= dict.fromkeys(own, str(reason))
        return found

    def _why(self, path: str, target: Target) -> str:
        """Why a number cannot differ within a batch; empty where it can, as far as the model is
        concerned."""
        mechanism = self.experiment.mechanism
        if target.kind == "time":
            return "runs of a batch share their steps"
        if target.kind == "motor":
            try:
                steps_to(self.experiment, target)
            except NotNative as reason:
                return str(reason)
            for other in target.also:
                if why := self._why(other, target_of(self.experiment, other)):
                    return why
        if target.kind == "element" and _changing(self.experiment, target.owner):
            return "an element with states or inputs of its own"
        if target.kind == "input" and target.owner in {e.name for e in mechanism.model.elements}:
            return "inputs of elements are the same in all runs"
        if target.kind in ("input", "voltage"):
            given = self.experiment["inputs" if target.kind == "input" else "voltages"]
            values = given.values() if isinstance(given, Mapping) else ()
            if any(callable(x) for x in values):
                return "beside inputs over time"
        if target.kind in (*_INERTIAL, "element", "varied"):
            if any(_own_model(block) for block in self._blocks):
                return "a controller knows the mechanism"
            if mechanism.model.load_dependent_joints:
                return "friction that depends on loads"
            if not isinstance(self.experiment["project"], bool):
                return "rates that draw constraints back know the model's own numbers"
            if self.experiment["method"] == "implicit" and target.kind == "varied":
                return "the implicit method differentiates the model's own numbers"
        if target.kind == "varied":
            others = [x for x in self._looked_at if ":" in x and x.partition(":")[0] not in _MOVED]
            if ".at." in path and others:
                return f"'{others[0]}' looks at a frame"
            names = [part.name for part in mechanism.model.elements]
            if ".at." in path and any(_changing(self.experiment, name) for name in names):
                return "elements with states or inputs of their own know the places of the model"
            try:
                mechanism.varying(path)
            except ModelError as reason:
                return str(reason)
        return ""

    @property
    def _looked_at(self) -> list[str]:
        recorded = self.recordings.names if self.recordings is not None else ()
        return [*(response.column for response in self.responses), *recorded]

    @property
    def _blocks(self) -> list[Any]:
        return [*several(self.experiment["controller"]), *several(self.experiment["actuators"])]

    # -- running ---------------------------------------------------------------------------------

    def run(self, values: Array, rows: int = ROWS, record: bool = False) -> Answers:
        """values (B, paths).  Runs that fail are rows of NaN with a reason.  record: recordings are
        kept, where the study wants them."""
        found = Answers.none(len(values), len(self.responses))
        wanted = self.recordings if record else None
        for key, chosen in self._groups(values):
            try:
                group = self._group(key)
            except ArmillaryError as fault:
                for row in chosen:
                    found.reasons[row] = str(fault)
                continue
            for k in range(0, len(chosen), rows):
                own = chosen[k : k + rows]
                self._some(group, values[own], own, found, wanted)
        return found

    def _groups(self, values: Array) -> Iterator[tuple[tuple[float, ...], NDArray[np.intp]]]:
        """Variants with the same numbers at paths that make groups, in the order of the first."""
        columns = [k for k, path in enumerate(self.paths) if path in self.grouped]
        if not columns:
            yield (), np.arange(len(values))
            return
        keys = [tuple(row) for row in values[:, columns].tolist()]
        for key in dict.fromkeys(keys):
            yield key, np.array([k for k, own in enumerate(keys) if own == key])

    def _group(self, key: tuple[float, ...]) -> _Group:
        if key not in self._made:
            fixed = dict(zip(self.grouped, key, strict=True))
            own = with_numbers(self.experiment, fixed) if fixed else self.experiment
            if len(self._made) >= 8:
                self._made.pop(next(iter(self._made)))
            free = tuple(path for path in self.paths if path not in fixed)
            self._made[key] = _Group(own, free, self.responses)
        return self._made[key]

    def _some(
        self,
        group: _Group,
        values: Array,
        rows: NDArray[np.intp],
        found: Answers,
        wanted: Recordings | None,
    ) -> None:
        """Some variants of one group at once; one by one where a whole batch is refused, and with a
        mechanism of its own where the batch of one is refused, too."""
        own = values[:, [self.paths.index(path) for path in group.paths]]
        try:
            answers = group.run(own, wanted)
        except ArmillaryError as fault:
            if len(rows) == 1:
                alone = self._alone(group, values[0], fault)
                if isinstance(alone, str):
                    found.reasons[rows[0]] = alone
                else:
                    self._some(alone, values, rows, found, wanted)
                return
            for k in range(len(rows)):
                self._some(group, values[k : k + 1], rows[k : k + 1], found, wanted)
            return
        found.values[rows] = answers.values
        for k, row in enumerate(rows):
            found.reasons[row], found.recorded[row] = answers.reasons[k], answers.recorded[k]

    def _alone(self, group: _Group, values: Array, fault: ArmillaryError) -> _Group | str:
        """One variant with a mechanism of its own, in place of the group that refused it; or why
        there is none."""
        if not group.paths:
            return str(fault)
        try:
            return _Group(one_run(self.experiment, self.paths, values), (), self.responses)
        except ArmillaryError as other:
            return str(other)


def _changing(experiment: Experiment, name: str) -> bool:
    element = name.partition(".")[0]
    inputs = experiment["inputs"]
    given = isinstance(inputs, Mapping) and element in inputs
    parts = [p for p in experiment.mechanism.model.elements if p.name == element]
    return given or any(p.law.state_names() for p in parts)


def _with_motors(experiment: Experiment, targets: Mapping[str, Target]) -> Experiment:
    """Where motors vary, their numbers are arguments of blocks."""
    varied = any(target.kind == "motor" for target in targets.values())
    return with_motor_arguments(experiment) if varied else experiment


def _block(experiment: Experiment, owner: str) -> Any:
    role, _, k = owner.partition(".")
    return several(experiment[role])[int(k)]


def _own_model(block: object) -> bool:
    """Does a block compute with the mechanism it was built with?"""
    return isinstance(getattr(block, "mechanism", None), Mechanism)


class _Group:
    """Variants that run side by side."""

    def __init__(self, experiment: Experiment, paths: Sequence[str], responses: Sequence[Response]):
        self.paths, self.responses = tuple(paths), tuple(responses)
        self.targets = {path: target_of(experiment, path) for path in paths}
        numbers = numbers_of_blocks(experiment, self.targets)
        experiment = _with_motors(experiment, self.targets)
        mechanism = experiment.mechanism
        varied = [p for p, t in self.targets.items() if t.kind == "varied"]
        varied += [other for t in self.targets.values() for other in t.also]
        if varied:
            mechanism = mechanism.varying(*varied)
            mechanism.evaluator.inertia_checked = experiment.mechanism.evaluator.inertia_checked
        self.experiment = experiment.replace(mechanism)
        self.mechanism = mechanism
        self._blocks = self._varied_blocks(numbers)
        self._columns: dict[str, list[Column]] = {}
        model = any(t.kind in (*_INERTIAL, "element") for t in self.targets.values())
        self._with_parameters = model or bool(varied)

    def _varied_blocks(
        self, numbers: Mapping[str, Mapping[str, Sequence[str]]]
    ) -> dict[str, tuple[VariedBlock, list[int]]]:
        """By owner: the block, and which columns of the values are its numbers."""
        found = {}
        for owner, own in numbers.items():
            made = varied_block(self.mechanism, _block(self.experiment, owner), own)
            found[owner] = (made, [self.paths.index(path) for path in own])
        return found

    def run(self, values: Array, recordings: Recordings | None = None) -> Answers:
        given, runs = self.arguments(values), len(values)
        ends: dict[str, Array] = {}
        if any(response.two_runs for response in self.responses):
            first = [
                Response(r.name, "end", r.column, r.size) for r in self.responses if r.two_runs
            ]
            before = Watched(self.experiment, first, runs, {}, None, self._columns)
            stream(given, before.watcher)
            ends = {r.name: before.reducers[r.name].result() for r in first}
        watched = Watched(self.experiment, self.responses, runs, ends, recordings, self._columns)
        streamed = stream(given, watched.watcher)
        found = Answers.none(runs, len(self.responses))
        found.values[:] = watched.responses()
        found.recorded = watched.recorded()
        for row in range(runs):
            found.reasons[row] = streamed.reason(row)
            if found.reasons[row]:
                found.values[row], found.recorded[row] = np.nan, None
        return found

    # -- what runs side by side ------------------------------------------------------------------

    def arguments(self, values: Array) -> Keywords:
        """Of `simulate`, for these variants (B, paths)."""
        given: Keywords = {**self.experiment.arguments, "mechanism": self.mechanism}
        count = len(values)
        own = {path: values[:, k] for k, path in enumerate(self.paths)}
        if self._with_parameters:
            given["parameters"] = self.parameters(own, count)
        self._starts(given, own, count)
        for kind, name in (("input", "inputs"), ("voltage", "voltages")):
            paths = {p: t for p, t in self.targets.items() if t.kind == kind}
            if paths:
                given[name] = self._constants(given.get(name), paths, own, count, name)
        for role in ("controller", "actuators"):
            blocks = list(several(given.get(role)))
            for owner, (block, columns) in self._blocks.items():
                if owner.startswith(role):
                    blocks[int(owner.partition(".")[2])] = block.of(values[:, columns])
            if blocks:
                given[role] = blocks
        return given

    def parameters(self, own: Mapping[str, Array], count: int) -> Array:
        """(B, n), in the order of `mechanism.parameters`."""
        m = self.mechanism
        found = np.tile(m.parameters, (count, 1))
        names = m.parameter_names
        bodies = dict.fromkeys(t.owner for t in self.targets.values() if t.kind in _INERTIAL)
        for body in bodies:
            found[:, self._inertial(body)] = self._inertia(body, own, count)
        for path, target in self.targets.items():
            if target.kind == "element":
                found[:, names.index(target.owner)] = own[path]
            for other in (path, *target.also) if target.kind == "varied" else target.also:
                found[:, names.index(other)] = own[path]
        return found

    def _inertial(self, body: str) -> slice:
        k = self.mechanism.model.index[body]
        return slice(10 * k, 10 * k + 10)

    def _inertia(self, body: str, own: Mapping[str, Array], count: int) -> Array:
        """(B, 10): mass, first moments, and the tensor about the origin of the body frame,
        I_o = I_c + m (c·c 1 - c cᵀ), of mass, centre and tensor about it."""
        mass = self.mechanism.model.bodies[self.mechanism.model.index[body]].mass
        m = np.full(count, mass.mass)
        c, I = np.tile(mass.com, (count, 1)), np.tile(mass.tensor, (count, 1))
        for path, target in self.targets.items():
            if target.owner != body or target.kind not in _INERTIAL:
                continue
            if target.kind == "mass":
                m = own[path]
            elif target.kind == "com":
                c[:, AXES.index(target.steps[0])] = own[path]
            else:
                I[:, TENSOR.index(target.steps[0])] = own[path]
        x, y, z = c.T
        shift = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
        return np.stack([m, m * x, m * y, m * z, *(I.T + m * np.array(shift))], axis=1)

    def _starts(self, given: Keywords, own: Mapping[str, Array], count: int) -> None:
        m = self.mechanism
        for name in ("q0", "v0"):
            paths = {p: t for p, t in self.targets.items() if t.owner == name}
            start, labels = given.get(name), m.q_labels if name == "q0" else m.v_labels
            if isinstance(start, Mapping) or (m.constraints and paths):
                named = dict(start or {}) | {t.steps[0]: own[p] for p, t in paths.items()}
                given[name] = {
                    k: np.broadcast_to(np.asarray(x, float), (count,)) for k, x in named.items()
                }
                continue
            if start is None and not paths and name == "v0":
                continue
            usual = m.initial if name == "q0" else np.zeros(m.nv)
            found = np.tile(np.asarray(usual if start is None else start, float), (count, 1))
            for path, target in paths.items():
                found[:, labels.index(target.steps[0])] = own[path]
            given[name] = found

    def _constants(
        self,
        start: object,
        paths: Mapping[str, Target],
        own: Mapping[str, Array],
        count: int,
        name: str,
    ) -> Any:
        """Constant joint forces (B, nv), or voltages by name."""
        m, found = self.mechanism, np.zeros((count, self.mechanism.nv))
        named = start if isinstance(start, Mapping) else {}
        if start is not None and not isinstance(start, Mapping):
            found[:] = np.asarray(start, float)
        for label, x in named.items():
            found[:, freedoms(m, label)] = np.asarray(x, float)
        for path, target in paths.items():
            found[:, freedoms(m, target.owner)] = own[path][:, None]
        if name == "inputs":
            return found
        labels = dict.fromkeys((*named, *(t.owner for t in paths.values())))
        return {label: found[:, freedoms(m, label)[0]] for label in labels}


def one_run(experiment: Experiment, paths: Sequence[str], values: Array) -> Experiment:
    """The experiment of one variant, alone: with a mechanism and blocks of its own."""
    return with_numbers(experiment, dict(zip(paths, values.tolist(), strict=True)))
