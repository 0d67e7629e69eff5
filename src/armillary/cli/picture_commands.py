"""Commands about recorded runs and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import (
    Assemble,
    ClosedSource,
    Inputs,
    Json,
    Look,
    Numbers,
    Overwrite,
    Panels,
    RunFile,
    Source,
    State,
    Words,
    runs,
)
from armillary.cli.program import app


@app.command()
@runs("runs")
def plot(
    run: RunFile,
    shown: Panels,
    what: Annotated[
        Words,
        typer.Argument(metavar="QUANTITY", help="q energy v.crank ... Default: all."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The picture: .png, .pdf, .svg. Default: beside the run."),
    ] = None,
    overwrite: Overwrite = False,
    show: Annotated[bool, typer.Option("--show", help="Open a window.")] = False,
) -> None:
    """Draw a recorded run over time or any column, alone or beside others."""


@app.command()
@runs("drawing")
def draw(
    source: Source,
    look: Look,
    q: Numbers = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The picture: .svg, .png or .pdf.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Sketch a mechanism in the symbols of textbooks, or instants of a recorded run (MODEL: its
    file)."""


@app.command()
@runs("drawing")
def view(
    source: Source,
    q: Numbers = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Keep the page: .html. Default: a temporary file."),
    ] = None,
    stay: Annotated[
        bool, typer.Option("--no-browser", help="Write the page, and say where it is.")
    ] = False,
) -> None:
    """Open a mechanism, or a recorded run (MODEL: its file), as a page in the browser."""


@app.command()
@runs("drawing")
def report(
    source: Source,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The report: .html. Default: NAME-report.html."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Its title.")] = None,
    text: Annotated[str, typer.Option(help="Your own words, at its beginning.")] = "",
    section: Annotated[Words, typer.Option(help="Sections by name. Default: all.")] = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a report of a mechanism, or of a recorded run (MODEL: its file), as one HTML file."""


@app.command()
@runs("drawing")
def page(
    source: ClosedSource,
    state: State,
    inputs: Inputs,
    tau: Numbers = None,
    assemble: Assemble = False,
    target: Annotated[
        Words, typer.Option(help="Hold joints there by PID: shoulder=0.5. Sliders move it.")
    ] = None,
    gains: Annotated[str, typer.Option(help="kp,ki,kd of --target.")] = "100,0,10",
    method: Annotated[str, typer.Option(help="rk4, semi-implicit, heun, rk3, euler.")] = "rk4",
    step: Annotated[float, typer.Option(help="Time step, s.")] = 1e-3,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The page: .html. Default: NAME.html.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Write a mechanism as a page that simulates it in the browser: drag, push, pause, reset.

    Start, forces, voltages and limits as in `simulate`; constant ones get sliders."""


@app.command()
@runs("runs")
def animate(
    run: RunFile,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The page: .html. Default: beside the run.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="The mechanism of the run, where its file does not hold it or its meshes."
        ),
    ] = None,
    fps: Annotated[float | None, typer.Option(help="Pictures per second to keep.")] = None,
    member: Annotated[int, typer.Option(help="Which run of a batch.")] = 0,
    play: Annotated[bool, typer.Option("--play", help="Begin to play at once.")] = False,
    overwrite: Overwrite = False,
) -> None:
    """Write a recorded run as a page that plays in every browser, without a network."""


@app.command()
@runs("runs")
def info(
    run: Annotated[
        Path,
        typer.Argument(
            help="A recorded run (.nc, .csv, .parquet), the folder or the file of a study (.yaml), "
            "or a table that was made of one."
        ),
    ],
    json: Json = False,
) -> None:
    """What a recorded run holds, and how it ended; what a study asks, and what is done of it."""
