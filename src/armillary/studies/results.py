"""What a study leaves behind: a table with one row per variant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.doors import StudyDoors
from armillary.errors import ArmillaryError, InputError
from armillary.evaluate.inputs import Array
from armillary.sim.loop.experiment import Experiment
from armillary.sim.record.run import Run
from armillary.studies.batches import one_run
from armillary.studies.columns import column_in
from armillary.studies.recordings import Labelled, Recording
from armillary.studies.responses import CHECK
from armillary.studies.store import FAILED, Chunk, Store
from armillary.studies.work import Work

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset


class Study(StudyDoors):
    """A table with one row per variant: factors and responses by name, with units.

    study["peak"] is a column (N,); `failed` the reason of each failure ("" where there is none).
    `run(i)` makes variant i again, alone; `to_pandas()` and `to_xarray()` hand the table on."""

    def __init__(self, work: Work, kept: Sequence[Chunk] | Store, message: str = ""):
        """kept: finished chunks, or the folder that has them."""
        self.work, self.message, self._kept = work, message, kept

    @property
    def folder(self) -> str | None:
        return str(self._kept.folder) if isinstance(self._kept, Store) else None

    def _chunks(self) -> Iterator[Chunk]:
        """In the order of the variants, one after the other: a folder is read anew."""
        if isinstance(self._kept, Store):
            return self._kept.read(len(self.work.factors))
        return iter(sorted(self._kept, key=lambda chunk: chunk.first))

    @cached_property
    def _spans(self) -> list[tuple[int, int, str]]:
        """First variant, how many, and the processor, of every chunk."""
        if isinstance(self._kept, Store):
            lines = [line for _, line in sorted(self._kept.lines().items())]
            return [(int(x["first"]), int(x["rows"]), str(x.get("processor", ""))) for x in lines]
        return [(c.first, len(c), c.processor) for c in self._chunks()]

    # -- what there is ---------------------------------------------------------------------------

    @property
    def factors(self) -> tuple[str, ...]:
        return tuple(factor.name for factor in self.work.factors)

    @property
    def responses(self) -> tuple[str, ...]:
        return tuple(response.name for response in self.work.responses)

    @cached_property
    def units(self) -> dict[str, str]:
        """By factor and response."""
        return dict(zip(heads_of(self.work), units_of(self.work), strict=True))

    @cached_property
    def variants(self) -> np.ndarray:
        """Numbers of the variants that are done, in their order."""
        none = np.zeros(0, int)
        own = [np.arange(first, first + rows) for first, rows, _ in self._spans]
        return np.concatenate([none, *own])

    @cached_property
    def _whole(self) -> tuple[Array, list[str]]:
        width = len(self.factors) + len(self.responses)
        table, reasons = np.zeros((len(self), width)), list[str]()
        for chunk in self._chunks():
            rows = slice(len(reasons), len(reasons) + len(chunk))
            table[rows] = np.concatenate([chunk.factors, chunk.responses], axis=1)
            reasons += chunk.reasons
        return table, reasons

    @property
    def table(self) -> Array:
        """(variants that are done, factors and responses)."""
        return self._whole[0]

    @property
    def failed(self) -> list[str]:
        """Why variants have no responses; "" where they have."""
        return self._whole[1]

    @property
    def complete(self) -> bool:
        return len(self) == len(self.work.design)

    @property
    def grouped(self) -> dict[str, str]:
        """Paths that made groups, for they cannot differ within a batch, and why."""
        return self.work.batches.grouped

    @property
    def processors(self) -> tuple[str, ...]:
        """Kinds of processors that made the numbers.  One kind: equal to the bit on it; several:
        equal to 1e-12."""
        return tuple(dict.fromkeys(processor for *_, processor in self._spans if processor))

    def __len__(self) -> int:
        return sum(rows for _, rows, _ in self._spans)

    def __getitem__(self, name: str) -> Array:
        heads = (*self.factors, *self.responses)
        if name not in heads:
            raise InputError(f"study: there is no column '{name}'. Known: {', '.join(heads)}.")
        return self.table[:, heads.index(name)]

    # -- variants --------------------------------------------------------------------------------

    def experiment(self, variant: int) -> Experiment:
        """The experiment of one variant, with a mechanism and blocks of its own."""
        if not 0 <= variant < len(self.work.design):
            raise InputError(
                f"variant: expected 0 to {len(self.work.design) - 1}, found {variant}."
            )
        values = self.work.values(self.work.design.rows(variant, variant + 1))[0]
        return one_run(self.work.experiment, self.work.batches.paths, values)

    def run(self, variant: int, **changes: Any) -> Run:
        """Variant i as a run; changes: other arguments of `simulate`, such as record."""
        return self.experiment(variant).replace(**changes).run()

    def best(self, response: str, largest: bool = False) -> int:
        """The variant with the least (or largest) response."""
        values = self[response]
        if np.isnan(values).all():
            raise InputError(f"study: no variant has the response '{response}'.")
        return int(self.variants[np.nanargmax(values) if largest else np.nanargmin(values)])

    # -- recordings ------------------------------------------------------------------------------

    def recording(self, variant: int) -> Dataset:
        """What was recorded of variant i: a Dataset over time, one variable per column."""
        return self._labelled(variant).one(self._recorded(variant))

    def recordings(self, variants: Sequence[int] | None = None) -> Dataset:
        """Recordings of some variants (default: all that are done) over variant and time; where
        they have other instants, over variant and instant, with `time` (variant, instant).  A
        variant that failed is NaN."""
        chosen = self.variants if variants is None else variants
        found = [self._recorded(int(k)) for k in chosen]
        return self._labelled().several([int(k) for k in chosen], found)

    def _labelled(self, variant: int | None = None) -> Labelled:
        columns = self.work.recorded_columns
        if not columns:
            raise InputError(
                "study: it has no recordings. Ask for them: am.study(..., recordings=['q']); or "
                "make one variant again, study.run(i)."
            )
        about: dict[str, Any] = {"mechanism": self.work.experiment.mechanism.name}
        about |= {} if variant is None else {"variant": variant}
        return Labelled(tuple(c.text for c in columns), tuple(c.unit for c in columns), about)

    def _recorded(self, variant: int) -> Recording:
        chunk = next((x for x in self._spans if 0 <= variant - x[0] < x[1]), None)
        if chunk is None:
            raise InputError(f"variant: expected one that is done, found {variant}.")
        if isinstance(self._kept, Store):
            return self._kept.recording(variant // self.work.chunk, variant)
        kept = next(c.kept for c in self._kept if c.first == chunk[0])
        assert kept is not None
        return kept.variant(variant - chunk[0])

    # -- tables ----------------------------------------------------------------------------------

    def to_pandas(self) -> DataFrame:
        """A DataFrame over the variants; `frame.attrs["units"]` has the units."""
        return self._frame(self.variants, self.table, self.failed)

    def frames(self) -> Iterator[DataFrame]:
        """The same chunk by chunk: of a study in a folder no more than one is held at a time."""
        for c in self._chunks():
            table = np.concatenate([c.factors, c.responses], axis=1)
            yield self._frame(np.arange(c.first, c.first + len(c)), table, c.reasons)

    def _frame(self, variants: np.ndarray, table: Array, failed: list[str]) -> DataFrame:
        import pandas

        frame = pandas.DataFrame(table, columns=[*self.factors, *self.responses])
        frame[FAILED] = failed
        frame.index = pandas.Index(variants, name="variant")
        frame.attrs["units"] = self.units
        return frame

    def to_xarray(self) -> Dataset:
        """A Dataset: of a grid over its factors, else over the variants."""
        import xarray

        design, about = self.work.design, {"study": self.work.experiment.mechanism.name}
        if design.kind == "grid" and self.complete:
            shape = [len(x.values) for x in design.sources]  # type: ignore[union-attr]
            own = {
                name: (name, np.array(x.values), {"units": self.units[name]})  # type: ignore[union-attr]
                for name, x in zip(self.factors, design.sources, strict=True)
            }
            found = {
                name: (self.factors, self[name].reshape(shape), {"units": self.units[name]})
                for name in self.responses
            }
            return xarray.Dataset(found, own, about)
        columns = {
            name: ("variant", self[name], {"units": self.units[name]})
            for name in (*self.factors, *self.responses)
        }
        columns[FAILED] = ("variant", np.array(self.failed, object), {})
        return xarray.Dataset(columns, {"variant": self.variants}, about)

    def __repr__(self) -> str:
        bad = sum(bool(x) for x in self.failed)
        lacks = "" if self.complete else f" of {len(self.work.design)}"
        failed = f", {bad} failed" if bad else ""
        told = f"; {self.message}" if self.message else ""
        return (
            f"<Study of '{self.work.experiment.mechanism.name}': {len(self)}{lacks} variants"
            f"{failed}; factors {', '.join(self.factors)}; responses {', '.join(self.responses)}"
            f"{told}>"
        )

    def __str__(self) -> str:
        heads = ("", "least", "median", "greatest", "unit")
        lines: list[tuple[str, ...]] = [heads]
        for name in (*self.factors, *self.responses):
            x = self[name]
            x = x[~np.isnan(x)]
            numbers = (x.min(), np.median(x), x.max()) if len(x) else (np.nan,) * 3
            lines.append((name, *(f"{y:.6g}" for y in numbers), self.units[name]))
        wide = [max(len(line[k]) for line in lines) for k in range(5)]
        rows = [
            f"{a:<{wide[0]}}  {b:>{wide[1]}}  {c:>{wide[2]}}  {d:>{wide[3]}}  {u}".rstrip()
            for a, b, c, d, u in lines
        ]
        return "\n".join([repr(self)[1:-1].partition(";")[0], *rows])


def heads_of(work: Work) -> tuple[str, ...]:
    return (*(f.name for f in work.factors), *(r.name for r in work.responses))


def units_of(work: Work) -> tuple[str, ...]:
    """Of factors and responses; InputError where a response looks at nothing."""
    targets, mechanism = work.batches.targets, work.experiment.mechanism
    found = [targets[factor.paths[0]].unit for factor in work.factors]
    for response in work.responses:
        if response.statistic == CHECK:
            found.append("1")
            if mechanism.constraints and mechanism.model.load_dependent_joints:
                raise InputError(
                    f"response '{response.name}': check does not know friction that depends on "
                    f"loads in closed mechanisms. Leave it out."
                )
            continue
        try:
            column = column_in(work.system, response.column, 1)
        except ArmillaryError as fault:
            raise InputError(f"response '{response.name}': {fault}") from None
        found.append(response.unit(column.unit))
    return tuple(found)


def recorded_units(work: Work) -> dict[str, str]:
    """Of recordings, by column."""
    return {column.text: column.unit for column in work.recorded_columns}
