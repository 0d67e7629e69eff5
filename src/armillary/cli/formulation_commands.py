"""Commands about formulations: who agrees, which there are, their work, equations in letters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import (
    ClosedSource,
    Json,
    Numbers,
    OfTree,
    Overwrite,
    Source,
    State,
    runs,
)
from armillary.cli.program import app


@app.command()
@runs("checking")
def check(
    source: ClosedSource,
    state: State,
    tau: Numbers = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="A random state for what is not given.")
    ] = None,
    json: Json = False,
) -> None:
    """One state by every formulation that knows the mechanism: who agrees with whom.

    What is not given: q where the mechanism starts, v = 0, tau = 0, or all at random with --seed.
    Exit code 0: all agree; 1: they do not, and those that stand against the others are named."""


@app.command()
@runs("checking")
def methods(
    model: Annotated[
        str | None, typer.Argument(metavar="[MODEL]", help="Which of them know it.")
    ] = None,
    quantity: Annotated[
        str | None, typer.Option(help="mass matrix, statics, inverse dynamics, ...")
    ] = None,
    json: Json = False,
) -> None:
    """The formulations: one quantity in many ways, their sources and what they are for."""


@app.command()
@runs("explaining")
def explain(
    source: ClosedSource,
    state: State,
    a: Numbers = None,
    tau: Numbers = None,
    inverse: Annotated[
        bool, typer.Option("--inverse", help="Joint forces for a motion: q, v, a.")
    ] = False,
    forward: Annotated[
        bool, typer.Option("--forward", help="Accelerations of the open tree: q, v, tau.")
    ] = False,
    closed: Annotated[
        bool, typer.Option("--closed", help="Accelerations with the constraints: q, v, tau.")
    ] = False,
    method: Annotated[
        str | None, typer.Option(help="A formulation or quantity of `armillary methods`.")
    ] = None,
    at_joints: Annotated[
        bool, typer.Option("--at-joints", help="Frames of slides at their joints.")
    ] = False,
    format: Annotated[str, typer.Option(help="text, markdown or html.")] = "text",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file.")] = None,
    overwrite: Overwrite = False,
) -> None:
    """Show the work: every number on the way of a formulation, with equation, frame and unit.

    What is not given: q where the mechanism starts, v = 0, a = 0, tau = 0."""


@app.command()
@runs("deriving")
def equations(
    source: Source,
    frame: Annotated[str | None, typer.Option(help="Its Jacobian and determinant as well.")] = None,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Exact numbers instead of letters.")
    ] = False,
    hamel: Annotated[
        bool,
        typer.Option("--hamel", help="Boltzmann-Hamel in velocities of the joints, not Lagrange."),
    ] = False,
    only: Annotated[
        str | None, typer.Option(help="One quantity in closed form: mass_matrix, energy, ...")
    ] = None,
    format: Annotated[str, typer.Option(help="text, markdown, latex or python.")] = "text",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file.")] = None,
    overwrite: Overwrite = False,
    tree: OfTree = False,
) -> None:
    """Equations of motion in letters, derived step by step (Lagrange, or Boltzmann-Hamel).

    Of three joints in seconds; of six, --only mass_matrix or coriolis_matrix; everything takes
    minutes. Progress is shown on the way. Needs SymPy."""
