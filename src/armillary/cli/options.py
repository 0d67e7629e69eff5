"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

ModelName = Annotated[
    str, typer.Argument(metavar="MODEL", help="A file, or the name of a built-in mechanism.")
]


class Stand(StrEnum):
    """How the root body stands in the world."""

    FREE = "free"
    FIXED = "fixed"


Base = Annotated[Stand | None, typer.Option(help="How the root body stands in the world.")]
Root = Annotated[
    Path | None,
    typer.Option(
        exists=True,
        file_okay=False,
        help="Folder that meshes and included files may lie in. Default: the nearest one around "
        "the file with package.xml, .git or pyproject.toml.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Numbers = Annotated[
    list[str] | None,
    typer.Option(metavar="NUMBERS", help="0.1,0.2,... in order, or joint=value,joint=value."),
]
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
Assemble = Annotated[bool, typer.Option("--assemble", help="Close the mechanism first: q, then v.")]
Hold = Annotated[
    list[str] | None,
    typer.Option(
        metavar="JOINT", help="A joint or length that stays as given while closing. Repeatable."
    ),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        "--geometry-tolerance",
        min=0.0,
        max=0.099,
        help="Accuracy of the lengths in the model, as a part of its size: what differs less "
        "counts as dependent.",
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a file that exists.")]


@dataclass(frozen=True)
class Reading:
    """How a file is to be read."""

    base: str | None = None
    root: Path | None = None
    strict: bool = False
    geometry_tolerance: float | None = None
