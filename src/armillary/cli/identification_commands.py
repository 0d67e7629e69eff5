"""Commands about measured motion: parameters from it, and motions worth measuring."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import ClosedSource, Json, Overwrite, Words, runs
from armillary.cli.program import app


@app.command()
@runs("identifying")
def identify(
    source: ClosedSource,
    data: Annotated[
        list[Path],
        typer.Argument(help="Logs: .csv, .parquet, .nc with time, q.JOINT, tau.JOINT or current."),
    ],
    friction: Annotated[
        Words,
        typer.Option(
            help="viscous, coulomb, coulomb_each_way, stribeck, offset or none. Repeatable. "
            "Default: viscous and coulomb."
        ),
    ] = None,
    body: Annotated[Words, typer.Option(help="Of these alone. Repeatable. Default: all.")] = None,
    rotors: Annotated[bool, typer.Option("--rotors", help="Reflected inertias, too.")] = False,
    spring: Annotated[Words, typer.Option(help="JOINT or ELEMENT.stiffness. Repeatable.")] = None,
    no_inertias: Annotated[
        bool, typer.Option("--no-inertias", help="Masses stay as the model has them.")
    ] = False,
    motor_constants: Annotated[
        bool, typer.Option("--motor-constants", help="From currents; masses must be known.")
    ] = False,
    cutoff: Annotated[
        float | None, typer.Option(help="Of the filter, Hz. Default: found from the motion.")
    ] = None,
    still: Annotated[
        float, typer.Option(help="rad/s or m/s: slower joints with dry friction do not count.")
    ] = 0.0,
    actuator: Annotated[
        Words, typer.Option(help="That gives forces. Repeatable. Default: all measured ones.")
    ] = None,
    independent: Annotated[
        Words, typer.Option(help="Of a closed mechanism: what leads. Repeatable.")
    ] = None,
    robust: Annotated[bool, typer.Option("--robust", help="Against outliers (Huber).")] = False,
    any_body: Annotated[
        bool, typer.Option("--any-body", help="Bodies need not be ones that can exist.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The identified mechanism: .yaml, .urdf.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Forces and residuals: .png, .svg.")] = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Masses, friction, springs and motor constants from measured motion and forces.

    Rates that the log does not have are found from its positions. Columns q.JOINT [deg] are
    understood, and so are mm, N mm and mA."""


@app.command()
@runs("identifying")
def excite(
    source: ClosedSource,
    limit: Annotated[
        Words,
        typer.Option(
            metavar="JOINT=LOWER:UPPER",
            help="rad or m, [:VELOCITY[:ACCELERATION]]. Repeatable. Default: those of the model.",
        ),
    ] = None,
    joint: Annotated[
        Words, typer.Option(help="That move. Repeatable. Closed mechanisms need them.")
    ] = None,
    period: Annotated[float, typer.Option(help="s")] = 10.0,
    harmonics: Annotated[int, typer.Option(min=3)] = 5,
    periods: Annotated[int, typer.Option(min=1, help="One after the other.")] = 1,
    velocity: Annotated[
        float | None, typer.Option(help="rad/s or m/s, of joints without a limit.")
    ] = None,
    acceleration: Annotated[
        float | None, typer.Option(help="rad/s² or m/s², of all joints.")
    ] = None,
    step: Annotated[float, typer.Option(help="Between the instants of --out, s.")] = 0.01,
    evaluations: Annotated[
        int | None, typer.Option(min=10, help="Default: 600, closed 60.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The motion with its forces: .csv, .nc, .parquet."),
    ] = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """A motion from which `armillary identify` tells the parameters well.

    A Fourier series within the limits, at rest where it begins and ends."""
