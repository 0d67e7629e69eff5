"""An experiment: one simulation with all that it needs, as a file that anybody can repeat.

    experiment = am.load_experiment("swing.yaml")
    run = experiment.run()
    run.experiment.save("again.yaml")

`run.experiment` is that of any run, from this process or from a file.  The numbers of a file have
all their digits, and so has the model: on the same machine a repeated run is equal to the bit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import ArmillaryError, FormatError, InputError
from armillary.formats.experiment_schema import (
    is_experiment,
    read_experiment,
)
from armillary.formats.files import read_text, write_text
from armillary.formats.yaml_tree import load_tree
from armillary.mechanism.making import example, example_names, load
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.loop.experiment_parts import BLOCKS, RECORDS, decoded, parts
from armillary.sim.loop.experiment_text import (
    PLACES,
    Plain,
    differing,
    experiment_text,
    made_here,
    plain_arguments,
    stored_text,
)
from armillary.sim.loop.simulate import defaults, simulate
from armillary.sim.motion.schedules import Schedule
from armillary.sim.record.mechanism_text import model_text, read_stored
from armillary.sim.record.run import Run

_DEFAULTS = {name: value for name, value in defaults().items() if name not in PLACES}
_EVENTS = ("joint_limits", "limit", "stick_slip")


@dataclass(frozen=True)
class Experiment:
    """A mechanism, and the arguments of `simulate` that differ from the usual ones.

    missing: what the file it came from could not hold; such an experiment cannot be run.  made:
    what wrote that file."""

    mechanism: Mechanism
    arguments: Mapping[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    made: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.arguments, Mapping):
            raise InputError(
                f"experiment: expected arguments of simulate by name, found {self.arguments!r:.60}."
            )
        for name in self.arguments:
            if name not in _DEFAULTS:
                raise InputError(
                    f"experiment: simulate takes no '{name}' here. Known: {', '.join(_DEFAULTS)}."
                )

    def __getitem__(self, name: str) -> Any:
        """An argument of `simulate` by name."""
        if name == "mechanism":
            return self.mechanism
        return self.arguments.get(name, _DEFAULTS[name])

    def replace(self, mechanism: Mechanism | None = None, **changes: object) -> Experiment:
        """Another experiment with other arguments."""
        return replace(
            self,
            mechanism=self.mechanism if mechanism is None else mechanism,
            arguments={**self.arguments, **changes},
        )

    def run(self, **places: object) -> Run:
        """Simulate it.  places: out, progress, resume, overwrite."""
        self.refuse_missing()
        return simulate(self.mechanism, **{**self.arguments, **places})

    def refuse_missing(self) -> None:
        if self.missing:
            raise InputError(
                f"the experiment is not whole: {'; '.join(self.missing)}. Make it in Python, with "
                f"these parts: am.Experiment(mechanism, {{...}})."
            )

    # -- as text ---------------------------------------------------------------------------------

    @cached_property
    def plain(self) -> Plain:
        """Arguments as plain data, without the model, and what is missing from them, in words."""
        return plain_arguments(self.mechanism, self.arguments)

    @cached_property
    def text(self) -> str:
        """The experiment file."""
        return experiment_text(model_text(self.mechanism.model), False, self.plain, self.missing)

    @cached_property
    def bare_text(self) -> str:
        """The same without what wrote it: equal for equal experiments."""
        model = model_text(self.mechanism.model)
        return experiment_text(model, False, self.plain, self.missing, maker=False)

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Write the experiment file."""
        write_text(self.text, path, overwrite)

    def __repr__(self) -> str:
        told = ", ".join(self.arguments) or "as usual"
        lacks = f"; missing: {'; '.join(self.missing)}" if self.missing else ""
        return f"<Experiment with '{self.mechanism.name}': {told}{lacks}>"


def load_experiment(path: str | os.PathLike[str]) -> Experiment:
    """The experiment of a file; models and tables are looked for beside it."""
    return experiment_of_text(read_text(path), str(path))


def is_experiment_file(path: str | os.PathLike[str]) -> bool:
    """Is this a YAML file with the key `experiment`?"""
    if Path(path).suffix.lower() not in (".yaml", ".yml") or not Path(path).is_file():
        return False
    try:
        return is_experiment(load_tree(read_text(path), str(path)))
    except FormatError:
        return False


def experiment_of_text(text: str, path: str, mechanism: Mechanism | None = None) -> Experiment:
    """mechanism: what `model: stored` means."""
    file, tree = read_experiment(text, path)
    mechanism = mechanism if mechanism is not None else _mechanism(file.model, path)
    given = {}
    for name in _DEFAULTS:
        if name in file.model_fields_set:
            try:
                given[name] = _argument(name, getattr(file, name), mechanism, path)
            except ArmillaryError as fault:
                text = f"{name}: {str(fault).removeprefix(f'{name}: ')}"
                raise FormatError(text, path, tree.line_of((name,))) from None
    made = {} if file.made is None else file.made.model_dump()
    return Experiment(mechanism, given, tuple(file.missing), made)


def _argument(name: str, value: Any, mechanism: Mechanism, path: str) -> Any:
    """An argument of `simulate` as the file gives it."""
    if name in ("controller", "actuators"):
        return parts(value, mechanism, BLOCKS)
    if name == "events":
        return parts(value, mechanism, {word: RECORDS[word] for word in _EVENTS})
    if name == "record":
        return tuple(value)
    value = decoded(_with_files(value, Path(path).parent), mechanism)
    if isinstance(value, list):
        return tuple(value) if name == "project" else np.array(value, float)
    return value


def _with_files(value: object, folder: Path) -> Any:
    """{file: torques.csv, kind: linear, hold: true} as a table."""
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("file"), str) and set(value) <= {"file", "kind", "hold", "column"}:
        name = Path(value["file"])
        if name.is_absolute() or ".." in name.parts:
            raise InputError(f"file: '{name}' is not beside the experiment. Put it there.")
        options = {key: value[key] for key in ("kind", "hold") if key in value}
        table = Schedule.from_csv(folder / name, **options)
        labels = list(table.labels or ())
        if "column" not in value:
            one = {} if len(labels) == 1 else {"labels": labels}
            numbers = table.values[:, 0] if len(labels) == 1 else table.values
        else:
            if value["column"] not in labels:
                raise InputError(f"file: '{name}' has no column '{value['column']}'.")
            one, numbers = {}, table.values[:, labels.index(value["column"])]
        shape = {"kind": table.kind, "hold": table.hold}
        return {"table": {"times": table.times.tolist(), "values": numbers.tolist()} | one | shape}
    return {key: _with_files(x, folder) for key, x in value.items()}


def _mechanism(name: str, path: str) -> Mechanism:
    if "\n" in name:
        return Mechanism(read_stored(name))
    if name in example_names():
        return example(name)
    place = Path(path).parent / name
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise FormatError(f"model: '{name}' is not beside the experiment. Put it there.", path)
    if not place.is_file():
        raise FormatError(
            f"model: there is no file '{name}' beside the experiment, and no built-in mechanism "
            f"of that name.",
            path,
        )
    return load(place)


# -- of runs ---------------------------------------------------------------------------------------


def given_experiment(given: Mapping[str, Any]) -> Experiment:
    """Of a call of `simulate`."""
    return Experiment(given["mechanism"], differing(given, _DEFAULTS))


def experiment_of_run(run: Run) -> Experiment:
    """What a run was made with, from this process or from its file."""
    if run.given:
        return given_experiment(run.given)
    if not run.stored_experiment:
        raise InputError(
            "experiment: the file of this run does not tell it (it is of an older version, of "
            "another program, or a replay)."
        )
    return experiment_of_text(run.stored_experiment, "<run>", run.mechanism)


def text_of_run(run: Run) -> str:
    """What the file of a run keeps of it."""
    return stored_text(run.given, _DEFAULTS)


def differences(experiment: Experiment) -> tuple[str, ...]:
    """What is not here as it was where the experiment was written, in words."""
    now = made_here(model_text(experiment.mechanism.model))
    return tuple(
        f"{key}: {was} there, {now[key] or 'none'} here"
        for key, was in experiment.made.items()
        if was and was != now[key]
    )
