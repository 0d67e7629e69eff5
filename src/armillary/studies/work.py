"""The work of a study, chunk by chunk, in whichever process it is done.

A worker gets the definition as text and the number of a chunk: it makes the study once, and keeps
it with its compiled code for the chunks that follow.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from armillary.codegen.target import machine
from armillary.errors import ArmillaryError, InputError
from armillary.sim.loop.experiment import Experiment, experiment_of_text
from armillary.sim.loop.experiment_text import made_here
from armillary.sim.loop.stream import parts_of
from armillary.sim.methods.system import System
from armillary.sim.record.layout import Json
from armillary.studies.batches import Batches
from armillary.studies.columns import Column, columns_in
from armillary.studies.designs import Design, source_of
from armillary.studies.recordings import Kept, Recordings, recordings_of
from armillary.studies.responses import Response, response_of
from armillary.studies.store import Chunk


@dataclass(frozen=True)
class Factor:
    """A name, and the paths of the numbers that get its values."""

    name: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Work:
    """All that a chunk needs."""

    experiment: Experiment
    factors: tuple[Factor, ...]
    design: Design
    responses: tuple[Response, ...]
    chunk: int
    recordings: Recordings | None = None

    @cached_property
    def batches(self) -> Batches:
        paths = tuple(path for factor in self.factors for path in factor.paths)
        return Batches(self.experiment, paths, self.responses, self.recordings)

    @property
    def chunks(self) -> int:
        return -(-len(self.design) // self.chunk)

    def values(self, factors: Any) -> Any:
        """(n, paths) of (n, factors)."""
        columns = [k for k, factor in enumerate(self.factors) for _ in factor.paths]
        return factors[:, columns]

    def do(self, number: int) -> Chunk:
        """One chunk of variants."""
        begun = time.monotonic()
        first = number * self.chunk
        rows = self.design.rows(first, min(first + self.chunk, len(self.design)))
        found = self.batches.run(self.values(rows), record=True)
        kept = None
        if self.recordings is not None:
            kept = Kept.of(found.recorded, len(self.recorded_columns))
        took = time.monotonic() - begun
        return Chunk(number, first, rows, found.values, found.reasons, machine().name, took, kept)

    @cached_property
    def system(self) -> System:
        """The experiment's own, to look columns up in."""
        e = self.experiment
        return parts_of({**e.arguments, "mechanism": e.mechanism, "q0": None, "v0": None}).system

    @cached_property
    def recorded_columns(self) -> list[Column]:
        """Of recordings; InputError where one of them is not there."""
        names = self.recordings.names if self.recordings is not None else ()
        found = []
        for name in names:
            try:
                found += columns_in(self.system, name, 1)
            except ArmillaryError as fault:
                raise InputError(f"recordings: {fault}") from None
        return found

    def definition(self) -> Json:
        """As plain data; InputError where the experiment has parts that no file can hold."""
        found = {
            "experiment": self.experiment.bare_text,
            "factors": {
                factor.name: {"paths": list(factor.paths), **source.as_plain()}
                for factor, source in zip(self.factors, self.design.sources, strict=True)
            },
            "design": self.design.kind,
            "samples": self.design.samples,
            "seed": self.design.seed,
            "responses": {r.name: r.as_plain() for r in self.responses},
            "chunk": self.chunk,
        }
        if self.recordings is not None:
            found["recordings"] = self.recordings.as_plain()
        return found


def work_of(definition: Json) -> Work:
    factors, sources = [], []
    for name, entry in definition["factors"].items():
        content = dict(entry)
        factors.append(Factor(name, tuple(content.pop("paths"))))
        sources.append(source_of(name, content))
    design = Design(
        definition["design"], tuple(sources), int(definition["samples"]), int(definition["seed"])
    )
    responses = tuple(response_of(k, x) for k, x in definition["responses"].items())
    experiment = experiment_of_text(definition["experiment"], "<study>")
    kept = definition.get("recordings")
    recordings = None if kept is None else recordings_of(kept, experiment)
    chunk = int(definition["chunk"])
    return Work(experiment, tuple(factors), design, responses, chunk, recordings)


@lru_cache(maxsize=2)
def _known(text: str) -> Work:
    return work_of(json.loads(text))


def do_chunk(text: str, number: int, version: str) -> Chunk:
    """In a worker: one chunk of the study whose definition is this text.  Another version of the
    library is refused: its numbers could be others."""
    here = made_here("")["armillary"]
    if here != version:
        raise InputError(
            f"a worker has version {here} of armillary, the study was begun with {version}. "
            f"Install the same version there."
        )
    return _known(text).do(number)
