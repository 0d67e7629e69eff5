"""The commands for experiments and studies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import Json, Overwrite, runs
from armillary.cli.program import app


@app.command()
@runs("runs")
def rerun(
    run: Annotated[Path, typer.Argument(help="A recorded run: .nc, .csv or .parquet.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A file: .nc, .csv or .parquet.")
    ] = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Make a recorded run once more, from what its file says, and compare.

    Exit code 0: equal to the bit, or up to the last digits (1e-12); 1: not. Other versions and
    processors are told."""


@app.command()
@runs("sweeping")
def sweep(
    study: Annotated[Path, typer.Argument(help="A study file (.yaml), or the folder of a study.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for the finished chunks.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where --out ends.")] = False,
    processes: Annotated[
        int | None, typer.Option(min=1, help="So many processes of this machine.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="A dask cluster: tcp://host:port, or a scheduler file.")
    ] = None,
    table: Annotated[Path | None, typer.Option(help="The whole table: .csv or .parquet.")] = None,
    report: Annotated[Path | None, typer.Option(help="A report: .html.")] = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Many variants of an experiment: factors, responses, a table.

    A folder is read, and nothing is computed. Exit code 1: it was interrupted; what was done is
    kept, and --resume goes on. Variants that fail are rows with a reason."""
