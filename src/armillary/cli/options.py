"""Options of the commands about states: what acts, what takes part, where numbers come from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Wrenches = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FRAME=nx,ny,nz,fx,fy,fz",
        help="A wrench on the mechanism at a frame, in that frame. May be repeated.",
    ),
]
Passive = Annotated[
    bool, typer.Option("--passive/--no-passive", help="Friction, springs and rotors take part.")
]
Reactions = Annotated[bool, typer.Option("--reactions", help="The wrench in every joint as well.")]
Csv = Annotated[
    Path | None,
    typer.Option("--csv", help="A batch of states: a header like q.<label>, v.<label>, ..."),
]
Out = Annotated[Path | None, typer.Option("--out", help="Write states and results to a CSV file.")]
Actuators = Annotated[
    list[str] | None,
    typer.Option(
        metavar="JOINT",
        help="A joint that gives forces, of a closed mechanism. May be repeated. Default: joints "
        "with motors, else all.",
    ),
]
OfTree = Annotated[bool, typer.Option("--tree", help="Of the open tree.")]
ProjectStart = Annotated[
    bool, typer.Option("--project-start", help="Begin with the nearest velocity that is allowed.")
]
