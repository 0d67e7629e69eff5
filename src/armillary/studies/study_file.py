"""The study file, version 1, as pydantic models: which keys there are and what they hold."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from armillary.errors import ArmillaryError, FormatError
from armillary.formats.experiment_schema import Free, Whole
from armillary.formats.files import read_text
from armillary.formats.native_fields import Entry, FileName, fault, shown
from armillary.formats.validation import validated
from armillary.formats.yaml_tree import load_tree
from armillary.sim.loop.experiment import experiment_of_text, load_experiment
from armillary.studies.study import work_for
from armillary.studies.work import Work

VERSION = 1
SECTIONS = {"factors": "factor", "responses": "response"}


def _version(value: object) -> int:
    if str(value) != str(VERSION):
        raise fault(f"expected version {VERSION}, found {shown(value)}.")
    return VERSION


class StudyFile(Entry):
    """Variants of one experiment."""

    study: Annotated[Literal[1], BeforeValidator(_version)] = Field(
        description="version of the format: 1"
    )
    experiment: FileName = Field(description="an experiment file beside this one, or its text")
    factors: dict[str, Free] = Field(description="path or name -> values or distribution")
    responses: dict[str, Free] = Field({}, description="name -> statistic and column")
    recordings: Free = Field(None, description="columns over time: a list, or {of, every or at}")
    design: Literal["grid", "list", "latin", "sobol", "random"] | None = Field(
        None, description="default: grid of values, latin of distributions"
    )
    samples: Whole = Field(0, description="of latin, sobol and random")
    seed: Whole = Field(0, description="of their numbers")
    chunk: Whole | None = Field(None, description="variants that are done and written together")


def load_work(path: str | os.PathLike[str]) -> Work:
    """The checked definition of a study, from its file."""
    source = str(path)
    tree = load_tree(read_text(path), source)
    file = validated(StudyFile, tree, source, SECTIONS)
    if "\n" in file.experiment:
        experiment = experiment_of_text(file.experiment, source)
    else:
        name = Path(file.experiment)
        if name.is_absolute() or ".." in name.parts:
            raise FormatError(f"experiment: '{name}' is not beside the study.", source)
        experiment = load_experiment(Path(path).parent / name)
    own = (file.design, file.samples, file.seed, file.chunk, file.recordings)
    try:
        return work_for(experiment, file.factors, file.responses, *own)
    except FormatError:
        raise
    except ArmillaryError as wrong:
        text = str(wrong)
        for section, noun in SECTIONS.items():
            for name_ in getattr(file, section):
                if text.startswith(f"{noun} '{name_}'") or f"'{name_}'" in text:
                    raise FormatError(text, source, tree.line_of((section, name_))) from None
        where = ("recordings",) if text.startswith("recordings") else ()
        raise FormatError(text, source, tree.line_of(where) if where else None) from None
