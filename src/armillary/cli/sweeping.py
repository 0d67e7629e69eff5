"""`sweep`: a study from its file, on the screen and into a folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from armillary.cli import screen
from armillary.cli.studying import as_json, print_study
from armillary.errors import FormatError, InputError, Remedy
from armillary.formats.files import write_bytes

if TYPE_CHECKING:
    from armillary.studies.results import Study
    from armillary.studies.study import Progress


def sweep(
    study: Path,
    out: Path | None,
    resume: bool,
    processes: int | None,
    scheduler: str | None,
    table: Path | None,
    report: Path | None,
    overwrite: bool,
    json: bool,
) -> bool:
    """Whether the study came to its end."""
    for path in (table, report):
        if path is not None and path.exists() and not overwrite:
            raise FormatError("the file exists already.", str(path), remedy=Remedy("overwrite"))
    if table is not None and table.suffix.lower() not in (".csv", ".parquet"):
        raise InputError(f"--table: expected a name that ends in .csv or .parquet, found {table}.")
    found = _study(study, out, resume, processes, scheduler)
    if json:
        screen.print_json(as_json(found))
    else:
        print_study(found)
    if table is not None:
        frame, ending = found.to_pandas(), table.suffix.lower()
        data = frame.to_csv().encode() if ending == ".csv" else frame.to_parquet()
        write_bytes(data, table, overwrite)
    if report is not None:
        found.report(report, overwrite=overwrite)
    for path in (out, table, report):
        if path is not None and not json:
            screen.say(f"written to {path}")
    if found.message:
        screen.complain(found.message)
    return found.complete


def _study(
    source: Path, out: Path | None, resume: bool, processes: int | None, scheduler: str | None
) -> Study:
    from armillary.studies.study import carried_out, executor_of, load_study
    from armillary.studies.study_file import load_work

    if source.is_dir():
        return load_study(source)
    work = load_work(source)
    with _progress() as tell:
        return carried_out(work, executor_of("here", processes, scheduler), out, resume, tell)


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None] | None]:
    """On a terminal: how far it is, how fast, and how long it will take."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn("{task.fields[text]}"), BarColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task("study", total=1.0, text="starting")

        def tell(now: Progress) -> None:
            bar.update(task, completed=now.done / max(now.total, 1), text=str(now))

        yield tell
