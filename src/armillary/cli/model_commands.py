"""Commands about files and built-in mechanisms, and about this installation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import Json, Overwrite, Source, runs
from armillary.cli.program import app


@app.command()
@runs("convert")
def convert(
    source: Source,
    out: Annotated[Path, typer.Argument(help="The new file; its ending chooses the format.")],
    overwrite: Overwrite = False,
    lossy: Annotated[
        bool, typer.Option("--lossy", help="Leave out what the format cannot express, and list it.")
    ] = False,
    inertia_from_shapes: Annotated[
        bool,
        typer.Option("--inertia-from-shapes", help="Masses and tensors of its solids; --density."),
    ] = False,
    density: Annotated[
        float | None, typer.Option(help="kg/m³, of all shapes: 2700 for aluminium.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(help="Whatever the ending: sixparameter (.csv or .yaml), native, urdf, ..."),
    ] = None,
) -> None:
    """Write a mechanism in another format.

    .yaml holds everything; .urdf, .xml (MJCF) and .csv (Denavit-Hartenberg) what they can."""


@app.command()
@runs("starting")
def new(
    file: Annotated[Path, typer.Argument(help="The new file: .yaml.")],
    kind: Annotated[
        str, typer.Option(help="arm, linkage (a closed chain) or rover (wheels).")
    ] = "arm",
    overwrite: Overwrite = False,
) -> None:
    """Begin a mechanism of your own: a file with comments that runs as it is."""


@app.command()
@runs("comparing")
def compare(
    first: Annotated[str, typer.Argument(help="A mechanism, or the file of a recorded run.")],
    second: Annotated[str, typer.Argument(help="Another one.")],
    states: Annotated[int, typer.Option(min=1, help="Random states of mechanisms.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Of the random states.")] = 0,
    tolerance: Annotated[float, typer.Option(help="Relative: what counts as the same.")] = 1e-9,
    json: Json = False,
) -> None:
    """What differs between two mechanisms, and what it does to their forces; or between two runs.

    Exit code 0: the same, to the tolerance; 1: not."""


@app.command()
@runs("parts")
def parts(
    file: Annotated[
        Path, typer.Argument(metavar="PARTS", help="A parts file (.yaml), or direct-drive.")
    ],
    json: Json = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the arm as a native file: .yaml."),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """What an arm is made of: masses, centres and tensors of its links, parts and solids."""


@app.command()
@runs("show")
def examples() -> None:
    """List the built-in mechanisms."""


@app.command()
@runs("convert")
def schema(
    markdown: Annotated[
        bool, typer.Option("--markdown", help="The reference page instead, for people.")
    ] = False,
) -> None:
    """Print the JSON schema of the native YAML file, with every key described."""


@app.command()
@runs("show")
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all entries.")] = False,
) -> None:
    """Show or clear the compiled objects that are kept on disk."""


@app.command()
@runs("doctor")
def doctor(json: Json = False) -> None:
    """Does this installation work, and which extras are there?

    Exit code 0: the core works; 1: it does not."""
