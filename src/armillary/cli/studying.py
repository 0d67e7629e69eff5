"""What `info` tells of studies: their folders, their files, and tables that are made of them."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary import __version__
from armillary.cli import screen
from armillary.errors import FormatError
from armillary.formats.files import read_text

if TYPE_CHECKING:
    from armillary.studies.results import Study
    from armillary.studies.work import Work

_INSIDE = ("manifest.json", "chunks.jsonl")  # of the folder of a study
_TEXTS = (".yaml", ".yml")


def is_study(path: Path) -> bool:
    """A folder, a file that defines one, or a table with variants; no recorded run."""
    ending = path.suffix.lower()
    if path.is_dir() or ending in _TEXTS or path.name in _INSIDE:
        return True
    if not path.is_file():
        return False
    if ending == ".csv":
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            return next(csv.reader(file), [""])[:1] == ["variant"]
    if ending == ".parquet":
        import pyarrow.parquet as pq

        try:
            return "variant" in pq.read_schema(path).names
        except (OSError, ValueError):
            return False
    return ending == ".nc" and _holds_variants(path)


def study_info(path: Path, json: bool) -> None:
    if path.name in _INSIDE:
        raise FormatError(f"part of a study. Name its folder: {path.parent}.", str(path))
    if path.is_dir():
        from armillary.studies.study import load_study

        study = load_study(path)
        if json:
            screen.print_json(as_json(study))
        else:
            print_work(study.work)
            print_study(study)
    elif path.suffix.lower() in _TEXTS:
        from armillary.studies.study_file import load_work

        if not re.search(r"^study\s*:", read_text(path), re.MULTILINE):
            raise FormatError(
                "this is no study. `armillary simulate` runs an experiment, `armillary show` looks "
                "at a model.",
                str(path),
            )
        if json:
            screen.print_json(_definition(load_work(path)))
        else:
            print_work(load_work(path))
    else:
        _print_table(path, json)


# -- studies ---------------------------------------------------------------------------------------


def print_study(study: Study) -> None:
    """What is done, column by column."""
    screen.say(repr(study)[1:-1].partition(";")[0], "bold")
    kinds = dict.fromkeys(study.factors, "factor") | dict.fromkeys(study.responses, "response")
    _columns({name: study[name] for name in kinds}, kinds, study.units)
    if columns := study.work.recorded_columns:
        screen.say(f"recordings of every variant: {', '.join(c.text for c in columns)}")
    for path, why in study.grouped.items():
        screen.note(f"'{path}' makes groups: {why}")
    _failures(study.failed)


def as_json(study: Study) -> dict[str, object]:
    columns = {name: study[name].tolist() for name in (*study.factors, *study.responses)}
    return {
        "armillary": __version__,
        "mechanism": study.work.experiment.mechanism.name,
        "variants": len(study.work.design),
        "done": len(study),
        "complete": study.complete,
        "factors": list(study.factors),
        "responses": list(study.responses),
        "units": study.units,
        "variant": study.variants.tolist(),
        "columns": columns,
        "failed": study.failed,
        "recordings": {column.text: column.unit for column in study.work.recorded_columns},
        "processors": list(study.processors),
    }


def _definition(work: Work) -> dict[str, object]:
    definition = work.definition()
    return {
        "armillary": __version__,
        "mechanism": work.experiment.mechanism.name,
        "variants": len(work.design),
        **{name: definition[name] for name in ("design", "samples", "seed", "factors")},
        "responses": definition["responses"],
        "recordings": {column.text: column.unit for column in work.recorded_columns},
    }


def print_work(work: Work) -> None:
    """What a study asks: its variants, and what is kept of each."""
    from armillary.studies.results import heads_of, units_of

    units = dict(zip(heads_of(work), units_of(work), strict=True))
    e, design = work.experiment, work.design
    drawn = f", {design.samples} samples by seed {design.seed}" if design.samples else ""
    screen.say(
        f"a study of '{e.mechanism.name}': {len(design)} variants of {e['duration']:g} s in steps "
        f"of {e['step']:g} s by {e['method']}; design {design.kind}{drawn}",
        "bold",
    )
    asked = work.definition()
    rows = []
    for name, entry in asked["factors"].items():
        values = "; ".join(f"{k} {_short(x)}" for k, x in entry.items() if k != "paths")
        rows.append([name, "factor", ", ".join(entry["paths"]), values, units[name]])
    for name, entry in asked["responses"].items():
        (what, column), *more = entry.items()
        words = what if column is True else f"{what} {column}"
        beside = "; ".join(f"{k} {x}" for k, x in more)
        rows.append([name, "response", words, beside, units[name]])
    screen.table(["column", "what", "of", "", "unit"], rows)
    if columns := work.recorded_columns:
        screen.say(f"recorded of every variant: {', '.join(c.text for c in columns)}")


def _short(x: object) -> str:
    if isinstance(x, Sequence) and not isinstance(x, str) and len(x) > 5:
        return f"{screen.number(x[0])}, {screen.number(x[1])}, ..., {screen.number(x[-1])}"
    if isinstance(x, Sequence) and not isinstance(x, str):
        return ", ".join(screen.number(y) if isinstance(y, float) else str(y) for y in x)
    if isinstance(x, Mapping):
        return ", ".join(f"{k} {_short(y)}" for k, y in x.items())
    return screen.number(x) if isinstance(x, float) else str(x)


# -- tables ----------------------------------------------------------------------------------------


def _holds_variants(path: Path) -> bool:
    import h5py

    try:
        with h5py.File(path) as file:
            return "variant" in file or "study" in file.attrs
    except OSError:
        return False


def _print_table(path: Path, json: bool) -> None:
    """A table with one row for each variant, or recordings of many."""
    units: dict[str, str] = {}
    if path.suffix.lower() == ".nc":
        import xarray

        data = xarray.load_dataset(path, engine="h5netcdf")
        sizes = " x ".join(f"{n} of {name}" for name, n in data.sizes.items())
        units = {str(k): str(x.attrs.get("units", "")) for k, x in data.variables.items()}
        columns = {str(k): x.values for k, x in data.variables.items() if k != "variant"}
    else:
        import pandas

        frame = pandas.read_csv(path) if path.suffix == ".csv" else pandas.read_parquet(path)
        sizes = f"{len(frame)} variants"
        columns = {str(k): frame[k].to_numpy() for k in frame.columns if k != "variant"}
    failed = [x for x in np.ravel(columns.pop("failed", [])) if isinstance(x, str) and x]
    numbers = {k: x for k, x in columns.items() if np.asarray(x).dtype.kind in "fiub"}
    if json:
        spans = {k: [np.nanmin(x), np.nanmax(x)] for k, x in numbers.items() if np.size(x)}
        content = {"armillary": __version__, "file": str(path), "sizes": sizes, "units": units}
        screen.print_json({**content, "columns": spans, "failed": failed})
        return
    screen.say(f"a table of a study: {sizes}", "bold")
    _columns(numbers, {}, units)
    _failures(failed)


def _columns(
    columns: Mapping[str, Any], kinds: Mapping[str, str], units: Mapping[str, str]
) -> None:
    rows = []
    for name, values in columns.items():
        x = np.asarray(values, float)
        x = x[np.isfinite(x)]
        numbers = [x.min(), np.median(x), x.max()] if len(x) else [np.nan] * 3
        kind = [kinds[name]] if kinds else []
        rows.append([name, *kind, *screen.numbers(numbers), units.get(name, "")])
    kind = ["what"] if kinds else []
    screen.table(["column", *kind, ">least", ">median", ">greatest", "unit"], rows)


def _failures(reasons: Sequence[str]) -> None:
    bad = Counter(reason for reason in reasons if reason)
    for reason, count in bad.most_common(5):
        screen.note(f"{count} variants failed: {reason}")
