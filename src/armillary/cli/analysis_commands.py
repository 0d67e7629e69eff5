"""Commands about what a mechanism is and can do: kind, dexterity, strength, linkages, workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import (
    Actuators,
    ClosedSource,
    External,
    Json,
    Numbers,
    Overwrite,
    Source,
    State,
    Words,
    runs,
)
from armillary.cli.program import app

FrameName = Annotated[
    str | None, typer.Option(help="A frame or body. Default: the last frame, or the last body.")
]
Rows = Annotated[
    str, typer.Option(help="all, linear, angular, or names: dx,dy,rz (along the world's axes).")
]
Efforts = Annotated[
    Words,
    typer.Option(metavar="JOINT=NUMBER", help="Effort limits, N m or N, before the model's."),
]
Picture = Annotated[Path | None, typer.Option("--out", "-o", help="A picture: .png, .svg or .pdf.")]


@app.command()
@runs("analysing")
def classify(
    source: ClosedSource,
    q: Numbers = None,
    frame: FrameName = None,
    rows: Rows = "all",
    actuator: Actuators = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="The interconnection matrix as well.")
    ] = False,
    json: Json = False,
) -> None:
    """What kind of mechanism it is: structure, actuation, task, constraints, in words."""


@app.command()
@runs("analysing")
def dexterity(
    source: ClosedSource,
    q: Numbers = None,
    frame: FrameName = None,
    rows: Rows = "all",
    actuator: Actuators = None,
    json: Json = False,
) -> None:
    """How well a frame moves here: manipulability, ellipsoids, singularity, lost directions."""


@app.command()
@runs("analysing")
def strength(
    source: ClosedSource,
    q: Numbers = None,
    frame: FrameName = None,
    effort: Efforts = None,
    actuator: Actuators = None,
    json: Json = False,
) -> None:
    """How hard a frame can push at rest, and the payload it can hold, by effort limits."""


@app.command("task-dynamics")
@runs("analysing")
def task_dynamics(
    source: ClosedSource,
    state: State,
    frame: FrameName = None,
    rows: Rows = "all",
    json: Json = False,
) -> None:
    """Operational-space inertia Λ, velocity forces μ and gravity forces p of a frame."""


@app.command("force-sources")
@runs("analysing")
def force_sources(
    source: ClosedSource,
    q: Numbers = None,
    v: Numbers = None,
    a: Numbers = None,
    external: External = None,
    actuator: Actuators = None,
    json: Json = False,
) -> None:
    """Joint forces split by source: inertia, velocity, gravity, springs, friction, rotors, ...

    What is not given: q where the mechanism starts, v = 0, a = 0; of a closed mechanism the
    accelerations nearest to 0 that its constraints allow."""


@app.command()
@runs("analysing")
def linkage(
    source: ClosedSource,
    q: Numbers = None,
    frame: Annotated[Words, typer.Option(help="Whose path is drawn. Repeatable.")] = None,
    hold: Annotated[
        Words, typer.Option(metavar="JOINT", help="All assembly modes with this joint held.")
    ] = None,
    out: Picture = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """A closed mechanism of one freedom: its circuit, dead points, transmission, assembly modes."""


@app.command()
@runs("analysing")
def workspace(
    source: Source,
    frame: FrameName = None,
    plane: Annotated[str, typer.Option(help="Of the picture: xy, xz, yz or rz.")] = "rz",
    samples: Annotated[int, typer.Option(min=100, help="Random positions.")] = 20_000,
    seed: Annotated[int, typer.Option(min=0, help="Of the random positions.")] = 0,
    out: Picture = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """What a frame of an open mechanism can reach within the limits of its joints."""


@app.command()
@runs("analysing")
def operations(source: Source, json: Json = False) -> None:
    """Operations of every formulation for this mechanism, beside those the documents print."""
