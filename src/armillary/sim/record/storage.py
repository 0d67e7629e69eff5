"""Runs written to disk: netCDF-4, CSV and Parquet; every file is written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from armillary.errors import FormatError, Remedy, how_to_install
from armillary.formats.files import named_path
from armillary.sim.record.disk import Fresh, sync_folder, write_all
from armillary.sim.record.journal import Journal, journal_path
from armillary.sim.record.layout import Layout, Rows, Tail
from armillary.sim.record.run_data import RunData

# ending -> module with write(path, layout, tail, count, blocks) and read(path)
FORMATS = {
    ".nc": "armillary.sim.record.netcdf",
    ".csv": "armillary.sim.record.csv_table",
    ".parquet": "armillary.sim.record.parquet",
}
# libraries that write and read it, and the extra of the last
LIBRARY = {".nc": (("h5py", "h5netcdf"), ""), ".parquet": (("pyarrow",), "parquet")}
ROWS = 4096  # of one block
_OTHERS = {".nc4": ".nc", ".netcdf": ".nc", ".pq": ".parquet"}


def layout_of(run: RunData) -> Layout:
    about = (run.method, run.step, run.every, run.probe, run.physics, run.model_text)
    return Layout(
        run.mechanism_name, run.labels, run.units, run.batch, *about, run.stored_experiment
    )


def save_run(run: RunData, path: str | os.PathLike[str], overwrite: bool = False) -> None:
    """Write a run; the ending of the name chooses the format."""
    file = named_path(path)
    check_target(file, False, overwrite)
    layout = replace(layout_of(run), experiment=run.experiment_text)
    errors = run.error_estimate.as_json() if run.error_estimate is not None else {}
    tail = Tail(run.message, run.complete, run.events, run.state, errors)

    def blocks() -> Iterator[Rows]:
        for k in range(0, len(run), ROWS):
            yield run.rows(slice(k, k + ROWS))

    _write(file, layout, tail, len(run), blocks())
    _remove(journal_path(file))


def from_journal(journal: Journal, path: Path) -> None:
    """The finished file of a journal, which is then removed."""
    try:
        _write(path, journal.shape, journal.tail, len(journal), journal.read_blocks())
    except FormatError as fault:
        first = "Make room, then " if isinstance(fault.__cause__, OSError) else ""
        raise FormatError(
            f"{fault} Nothing is lost: the whole run is in '{journal.path}'. {first}"
            f"load_run('{path}') reads it and its save() writes it, in another format, too."
        ) from fault
    _remove(journal.path)


def _remove(journal: Path) -> None:
    """The finished file is on the disk: its journal has done its work."""
    journal.unlink(missing_ok=True)
    sync_folder(journal.parent)


def check_target(path: Path, resume: bool = False, overwrite: bool = False) -> None:
    """A file that can be written, and holds nothing that would be lost."""
    shown, journal = str(path), journal_path(path)
    if missing := needs(format_of(path)):
        raise FormatError(f"cannot be written: {missing}", shown)
    if not path.parent.is_dir():
        raise FormatError(f"there is no directory '{path.parent}'. Make it first.", shown)
    if path.is_dir():
        raise FormatError("this is a directory. Name a file in it.", shown)
    if resume or overwrite:
        return
    if Journal.found(journal) is not None:
        raise FormatError(
            f"an interrupted run is in '{journal}'.", shown, remedy=Remedy("resume or overwrite")
        )
    if path.exists():
        raise FormatError("the file exists already.", shown, remedy=Remedy("overwrite"))


def is_run(path: Path) -> bool:
    """Whether a file is a recorded run; a .csv may be a table of a mechanism."""
    if path.suffix.lower() not in FORMATS or not path.exists():
        return False
    if path.suffix.lower() != ".csv":
        return True
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.readline().lower().startswith("time")


def format_of(path: Path) -> str:
    ending = _OTHERS.get(path.suffix.lower(), path.suffix.lower())
    if ending not in FORMATS:
        raise FormatError(
            f"the ending '{path.suffix}' is no format of runs. Use one of {', '.join(FORMATS)}.",
            str(path),
        )
    return ending


def _write(path: Path, layout: Layout, tail: Tail, count: int, blocks: Iterable[Rows]) -> None:
    """Into a new file beside the wanted one, which takes its name when it is whole."""
    ending = format_of(path)
    module = import_module(FORMATS[ending])
    try:
        with Fresh(path) as table:
            about = module.write(table.file, layout, tail, count, blocks)
            if about is not None:
                with Fresh(module.beside(path)) as other:
                    write_all(other.file, about)
                    other.commit()
            table.commit()
    except ImportError as fault:
        raise FormatError(f"cannot be written: {needs(ending) or fault}", str(path)) from None
    except OSError as fault:
        raise FormatError(f"cannot be written: {fault.strerror or fault}.", str(path)) from fault


def needs(ending: str) -> str:
    """What a format lacks here, tried before there is anything to lose; "" nothing."""
    libraries, extra = LIBRARY.get(ending, ((), ""))
    for library in libraries:
        try:
            import_module(library)
        except Exception as fault:  # a library of another build raises what it likes
            found = f"{type(fault).__name__}: {fault}"
            return (
                f"{ending} files need '{library}' ({found}). Name a .csv file, or install it. "
                f"{how_to_install(extra)}"
            )
    return ""
