"""The commands for vehicles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import Json, Ordered, Overwrite, runs
from armillary.cli.program import app


@app.command()
@runs("driving")
def drive(
    vehicle: Annotated[
        str,
        typer.Argument(
            help="car, truck, rover, bicycle, differential-drive, or the file of a vehicle."
        ),
    ],
    ordered: Ordered,
    manoeuvre: Annotated[
        str,
        typer.Argument(
            help="step-steer, ramp-steer, sine-steer, double-lane-change, slalom, "
            "constant-radius, straight-braking or bump-crossing."
        ),
    ] = "step-steer",
    speed: Annotated[float | None, typer.Option(help="m/s.")] = None,
    angle: Annotated[float | None, typer.Option(help="Of the wheels, rad.")] = None,
    radius: Annotated[float | None, typer.Option(help="Of the circle, m.")] = None,
    torque: Annotated[float | None, typer.Option(help="Of all brakes together, N m.")] = None,
    duration: Annotated[float | None, typer.Option("--for", help="s.")] = None,
    step: Annotated[float, typer.Option(help="Of the integration, s.")] = 2e-3,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The run: .nc, .csv or .parquet.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Paths, yaw, loads: .png, .pdf, .svg.")
    ] = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """A road test of a vehicle: what engineers read off it.

    In a file, wheels are bodies with tyres; the steering is found by its name. Exit code 1: the
    run ended before its time. Other manoeuvres: am.vehicles, in Python."""
