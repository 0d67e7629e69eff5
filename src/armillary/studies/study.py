"""`study`: many variants of one experiment, and what becomes of them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from armillary.errors import InputError
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.sim.loop.experiment import Experiment
from armillary.sim.loop.experiment_text import made_here
from armillary.sim.record.run import Run
from armillary.studies.designs import Design, source_of
from armillary.studies.executors import chunks_here, chunks_of_cluster, chunks_of_processes
from armillary.studies.paths import target_of
from armillary.studies.recordings import Given as Recorded
from armillary.studies.recordings import recordings_of
from armillary.studies.responses import Text, response_of
from armillary.studies.results import Study, heads_of, recorded_units, units_of
from armillary.studies.store import FAILED, Chunk, Store
from armillary.studies.work import Factor, Work, work_of

Tell = Callable[["Progress"], None]
CHUNK = 1024  # variants, of large studies
KEPT = 32e6  # bytes of the recordings of a chunk, about
MEMORY = 2e9  # bytes of recordings that are kept without a folder
_PARTS = 8  # chunks of small ones, at least


class Progress:
    """How far a study is: variants done, of all, failed; variants per second, seconds left."""

    def __init__(self, done: int, total: int, failed: int, rate: float):
        self.done, self.total, self.failed, self.rate = done, total, failed, rate

    @property
    def left(self) -> float:
        return (self.total - self.done) / self.rate if self.rate > 0.0 else np.inf

    def __str__(self) -> str:
        left = f", {self.left:.0f} s left" if np.isfinite(self.left) else ""
        bad = f", {self.failed} failed" if self.failed else ""
        return f"{self.done} of {self.total} variants{bad}, {self.rate:.3g} per second{left}"


# -- making ----------------------------------------------------------------------------------------


@name_arguments
def study(
    experiment: Experiment | Mechanism | Run,
    factors: Mapping[str, object],
    responses: Mapping[str, Text] | None = None,
    *,
    recordings: Recorded | None = None,
    design: str | None = None,
    samples: int = 0,
    seed: int = 0,
    chunk: int | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    executor: str = "here",
    processes: int | None = None,
    scheduler: str | None = None,
    progress: bool | Tell | None = None,
) -> Study:
    """Variants of an experiment: every factor a number by its path, every response one number.

    experiment: an `Experiment`, a mechanism (simulated as usual) or a run (that is repeated).
    factors: {path or name: values}, where values are a list, {"from": a, "to": b, "count": n},
    {"uniform": [a, b]}, {"normal": {"mean": m, "deviation": s, "low": a}} ...; with a name,
    {"path": ..., "uniform": ...} or {"paths": [...], ...}.  Paths: docs/studies.md.
    responses: {name: "max |a.car|", or {"settling": "q.elbow", "band": 0.01}}.
    recordings: columns of every variant over time, ["q", "reactions.crank.force"]; thinned out with
    {"of": [...], "every": 10}, or at some instants with {"of": [...], "at": [0.1, 0.5]}.
    design: "grid" (all combinations), "list" (side by side), "latin", "sobol" or "random" with
    samples and seed; default: grid of lists, latin of distributions.
    out: a folder; each finished chunk is written at once, and resume=True goes on after a kill.
    executor: "here", "processes" (how many: processes=) or "cluster" (scheduler="tcp://..." or a
    scheduler file).  progress: True writes a line, a function is called with a `Progress`.

    Variants that fail are rows of NaN with a reason.  Ctrl-C ends it; what is done is kept."""
    own = (responses or {}, design, samples, seed, chunk, recordings)
    work = work_for(experiment, factors, *own)
    where = executor_of(executor, processes, scheduler)
    return carried_out(work, where, out, resume, progress)


Where = Callable[[Work, Sequence[int]], Iterator[Chunk]]


def executor_of(executor: str, processes: int | None, scheduler: str | None) -> Where:
    if scheduler is not None:
        return lambda work, numbers: chunks_of_cluster(work, numbers, scheduler)
    if executor == "processes" or processes is not None:
        count = processes if processes is not None else (os.cpu_count() or 1)
        return lambda work, numbers: chunks_of_processes(work, numbers, count)
    if executor != "here":
        raise InputError(
            f"executor: expected 'here', 'processes' or 'cluster' with scheduler=, found "
            f"{executor!r}."
        )
    return chunks_here


def work_for(
    experiment: Experiment | Mechanism | Run,
    factors: Mapping[str, object],
    responses: Mapping[str, Text],
    design: str | None = None,
    samples: int = 0,
    seed: int = 0,
    chunk: int | None = None,
    recordings: Recorded | None = None,
) -> Work:
    """The checked definition of a study."""
    if isinstance(experiment, Mechanism):
        experiment = Experiment(experiment)
    elif isinstance(experiment, Run):
        experiment = experiment.experiment
    if not isinstance(experiment, Experiment):
        raise InputError(
            f"study: expected an Experiment, a Mechanism or a Run, found "
            f"{type(experiment).__name__}."
        )
    experiment.refuse_missing()
    if not factors or not (responses or recordings):
        raise InputError("study: give at least one factor, and one response or recordings.")
    named, sources = _factors(experiment, factors)
    kind = design or ("grid" if all(hasattr(x, "values") for x in sources) else "latin")
    made = Design(kind, tuple(sources), int(samples), int(seed))
    kept = None if recordings is None else recordings_of(recordings, experiment)
    count = chunk if chunk is not None else _chunk(len(made))
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"chunk: expected a whole number from 1 on, found {chunk!r}.")
    wanted = tuple(response_of(name, given) for name, given in responses.items())
    heads = [*(f.name for f in named), *(r.name for r in wanted), "variant", FAILED]
    if twice := next((x for x in heads if heads.count(x) > 1), None):
        raise InputError(f"study: '{twice}' names two columns. Give one another name.")
    work = Work(experiment, tuple(named), made, wanted, count, kept)
    units_of(work)  # columns that are not there are refused now
    if kept is not None and chunk is None:
        size = recorded_bytes(work)
        work = replace(work, chunk=max(1, min(count, int(KEPT / size))))
    return work


def recorded_bytes(work: Work) -> float:
    """Of the recordings of one variant, about."""
    if work.recordings is None:
        return 0.0
    return 8.0 * (1 + len(work.recorded_columns)) * work.recordings.instants(work.experiment)


def _chunk(count: int) -> int:
    """Whole blocks of eight variants; large studies in chunks of a batch each."""
    return min(CHUNK, max(8, 8 * -(-count // (8 * _PARTS))))


def _factors(experiment: Experiment, given: Mapping[str, object]) -> tuple[list[Factor], list[Any]]:
    named: list[Factor] = []
    setters: dict[str, str] = {}  # by path, the factor that sets it
    sources = []
    for name, entry in given.items():
        paths: Sequence[str] = (name,)
        content = entry
        if isinstance(entry, Mapping) and ({"path", "paths"} & set(entry)):
            content = {k: x for k, x in entry.items() if k not in ("path", "paths")}
            found = entry.get("paths", entry.get("path"))
            paths = (found,) if isinstance(found, str) else tuple(found)
        source = source_of(name, content)
        for path in paths:
            target = target_of(experiment, str(path))
            target.refuse(source.least, source.greatest, name)
            for own in (target.path, *target.also):
                if own in setters:
                    raise InputError(_set_twice(setters[own], name, own))
                setters[own] = name
        named.append(Factor(name, tuple(paths)))
        sources.append(source)
    return named, sources


def _set_twice(first: str, second: str, path: str) -> str:
    if first == second:
        return f"factor '{first}': it sets '{path}' twice. Leave one of its paths out."
    return f"factors '{first}' and '{second}' both set '{path}'. Leave one of them out."


def carried_out(
    work: Work,
    where: Where,
    out: str | os.PathLike[str] | None,
    resume: bool,
    progress: bool | Tell | None,
) -> Study:
    """Do the chunks that are not done; keep each as soon as it is finished."""
    store, chunks, message = None, list[Chunk](), ""
    if out is not None:
        store = Store(out, heads_of(work), units_of(work), recorded_units(work))
        store.begin(work.definition(), made_here(""), resume)
    elif resume:
        raise InputError("resume: name the folder of the study with out=.")
    elif (size := recorded_bytes(work) * len(work.design)) > MEMORY:
        raise InputError(
            f"recordings: {len(work.design)} variants are about {size / 1e9:.3g} GB, too much for "
            f"memory. Name a folder (out=, --out), or keep fewer instants (every, at) or columns."
        )
    tell = _shown_progress(progress)
    try:
        done = set(store.lines()) if store is not None else set()
        numbers = [k for k in range(work.chunks) if k not in done]
        total = len(work.design)
        before = sum(int(store.lines()[k]["rows"]) for k in done) if store is not None else 0
        count, failed, begun = before, 0, time.monotonic()
        for chunk in where(work, numbers):
            if store is not None:
                store.add(chunk)
            else:
                chunks.append(chunk)
            count += len(chunk)
            failed += sum(bool(reason) for reason in chunk.reasons)
            passed = max(time.monotonic() - begun, 1e-9)
            tell(Progress(count, total, failed, (count - before) / passed))
    except KeyboardInterrupt:
        message = "interrupted: what was done is kept"
    finally:
        if store is not None:
            store.close()
    return Study(work, store if store is not None else chunks, message)


def load_study(folder: str | os.PathLike[str]) -> Study:
    """A study from its folder, finished or not."""
    store = Store(folder, (), ())
    work = work_of(store.manifest()["definition"])
    return Study(work, Store(folder, heads_of(work), units_of(work), recorded_units(work)))


def _shown_progress(progress: bool | Tell | None) -> Tell:
    if callable(progress):
        return progress
    if not progress:
        return lambda now: None

    def line(now: Progress) -> None:
        end = "\n" if now.done >= now.total else ""
        sys.stderr.write(f"\r{now}   {end}")
        sys.stderr.flush()

    return line
