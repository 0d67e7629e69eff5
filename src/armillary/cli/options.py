"""The options of the commands, each written once, in groups that several commands share.

A group is a frozen dataclass; `grouped` lets a command take groups, of which typer sees the fields.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, get_type_hints

import typer

Words = list[str] | None
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Numbers = Annotated[
    Words, typer.Option(metavar="NUMBERS", help="0.1,0.2,... in order, or joint=value,joint=value.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a file that exists.")]
Reactions = Annotated[bool, typer.Option("--reactions", help="The wrench in every joint as well.")]
Assemble = Annotated[bool, typer.Option("--assemble", help="Close the mechanism first: q, then v.")]
Hold = Annotated[
    Words,
    typer.Option(
        metavar="JOINT", help="A joint or length that stays as given while closing. Repeatable."
    ),
]
Actuators = Annotated[
    Words,
    typer.Option(
        metavar="JOINT",
        help="A joint that gives forces, of a closed mechanism. May be repeated. Default: joints "
        "with motors, else all.",
    ),
]
External = Annotated[
    Words,
    typer.Option(
        metavar="FRAME=nx,ny,nz,fx,fy,fz",
        help="A wrench on the mechanism at a frame, in that frame. May be repeated.",
    ),
]
Keep = Annotated[
    bool, typer.Option("--keep", help="Take the joint forces that keep the state, not --tau.")
]
OfTree = Annotated[bool, typer.Option("--tree", help="Of the open tree.")]
Accelerations = Annotated[
    Words,
    typer.Option(
        metavar="NAME=ACCELERATION",
        help="Prescribed acceleration (rad/s², m/s²) of a joint, of the ground under a wheel "
        "or along the rows of a contact, instead of the model's. May be repeated.",
    ),
]
RunFile = Annotated[Path, typer.Argument(metavar="RUN", help="A recorded run: .nc, .csv, .parquet")]


class BaseKind(StrEnum):
    """How the root body stands in the world."""

    FREE = "free"
    FIXED = "fixed"


@dataclass(frozen=True)
class Source:
    """MODEL, and how its file is read."""

    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A file, or the name of a built-in mechanism.")
    ]
    base: Annotated[
        BaseKind | None, typer.Option(help="How the root body stands in the world.")
    ] = None
    root: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Folder that meshes and included files may lie in. Default: the nearest one "
            "around the file with package.xml, .git or pyproject.toml.",
        ),
    ] = None


@dataclass(frozen=True)
class ClosedSource(Source):
    """The same for commands about constraints."""

    geometry_tolerance: Annotated[
        float | None,
        typer.Option(
            "--geometry-tolerance",
            min=0.0,
            max=0.099,
            help="Accuracy of the lengths in the model, as a part of its size: what differs less "
            "counts as dependent.",
        ),
    ] = None


@dataclass(frozen=True)
class State:
    """Where the mechanism is, how it moves, what acts on it from outside."""

    q: Numbers = None
    v: Numbers = None
    external: External = None


@dataclass(frozen=True)
class WrenchAxes:
    """Along which axes wrenches are given, and about which point."""

    coordinates: Annotated[
        str,
        typer.Option(
            help="Axes of all wrenches: local (own axes and origin), world_aligned (own origin, "
            "the world's axes) or world (the world's axes and origin)."
        ),
    ] = "local"
    about: Annotated[
        str | None,
        typer.Option(
            metavar="FRAME or x,y,z",
            help="Moments about the origin of this frame, or about a point of the world, m.",
        ),
    ] = None


@dataclass(frozen=True)
class Answering:
    """Of one state or of many, and where the answer goes."""

    passive: Annotated[
        bool, typer.Option("--passive/--no-passive", help="Friction, springs and rotors take part.")
    ] = True
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="A batch of states: a header like q.<label>, v.<label>, ..."),
    ] = None
    out: Annotated[
        Path | None, typer.Option("--out", help="Write states and results to a CSV file.")
    ] = None
    overwrite: Overwrite = False
    certified: Annotated[
        bool,
        typer.Option(
            "--certified",
            help="Answer only if every formulation that knows the mechanism agrees. Else exit "
            "code 1.",
        ),
    ] = False
    json: Json = False


@dataclass(frozen=True)
class Choosing:
    """What a question of the table may be about."""

    frame: Annotated[str | None, typer.Option(help="The frame or body it is about.")] = None
    coordinates: Annotated[
        str | None, typer.Option(help="Of that frame: local (default), world_aligned or world.")
    ] = None
    kind: Annotated[
        str | None, typer.Option(help="Of an acceleration: classical (default) or spatial.")
    ] = None
    actuator: Actuators = None


@dataclass(frozen=True)
class Inputs:
    """What acts on the joints over time."""

    input: Annotated[
        Path | None,
        typer.Option(help="Forces over time, CSV: time, then joints or force elements."),
    ] = None
    voltage: Annotated[
        Words,
        typer.Option(
            metavar="JOINT=VOLTS",
            help="Feeds the joint's motor of the model: a number, or a CSV (time, volts). "
            "Repeatable.",
        ),
    ] = None
    schedule: Annotated[
        Path | None,
        typer.Option(
            help="Voltages of the model's motors, CSV: time, then joints; each row is held until "
            "the next, and the last one stays."
        ),
    ] = None
    beside: Annotated[
        bool,
        typer.Option(
            "--beside", help="--tau and --input act beside the motors that --voltage feeds."
        ),
    ] = False
    prescribe: Annotated[
        Words,
        typer.Option(
            metavar="NAME=MOTION",
            help="Prescribed motion of a joint or of the ground under a wheel: a position, a CSV "
            "(time, position), or a road and a speed (road.csv@20: distance, height). Repeatable.",
        ),
    ] = None
    stay: Annotated[
        bool,
        typer.Option("--stay", help="The last line of --input, --voltage and --prescribe goes on."),
    ] = False
    limits: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Joint limits, with this restitution.")
    ] = None


@dataclass(frozen=True)
class Look:
    """How a picture is drawn."""

    view: Annotated[
        str | None,
        typer.Option(help="front, back, left, right, top, bottom, oblique, or x,y,z."),
    ] = None
    labels: Annotated[str, typer.Option(help="auto, bodies, joints or none.")] = "auto"
    frame: Annotated[Words, typer.Option(help="Frames or bodies whose axes are shown.")] = None
    centers: Annotated[bool, typer.Option("--centers", help="Mark the centres of mass.")] = False
    at: Annotated[str | None, typer.Option(help="Of a run: instants, s, with commas.")] = None
    overlay: Annotated[bool, typer.Option("--overlay", help="Instants over each other.")] = False


@dataclass(frozen=True)
class Panels:
    """What a figure of a run shows."""

    x: Annotated[
        str | None, typer.Option(help="The column below: crank, v.crank. Default: time.")
    ] = None
    modulo: Annotated[
        float | None, typer.Option(help="x modulo this: 6.283185307 draws turn over turn.")
    ] = None
    column: Annotated[
        Words, typer.Option(help="Labels, or what they belong to: crank of crank.fx. Default: all.")
    ] = None
    magnitude: Annotated[
        bool, typer.Option("--magnitude", help="Lengths of forces, moments and velocities.")
    ] = False
    peaks: Annotated[
        bool, typer.Option("--peaks", help="Mark the greatest values, with their time.")
    ] = False
    polar: Annotated[
        bool,
        typer.Option(
            "--polar", help="Loads of bearings in their joint's plane, and over its angle or --x."
        ),
    ] = False
    beside: Annotated[
        Words, typer.Option(metavar="RUN", help="A further run in the same figure. Repeatable.")
    ] = None
    window: Annotated[str | None, typer.Option(help="first,last instant, s.")] = None
    rounding: Annotated[
        bool, typer.Option("--rounding", help="Draw what is zero up to rounding, too.")
    ] = False


@dataclass(frozen=True)
class Stepping:
    """How long, how fine, by which method."""

    duration: Annotated[float, typer.Option("--for", help="Length of the run, s.")] = 1.0
    step: Annotated[float, typer.Option(help="Time step, s.")] = 1e-3
    method: Annotated[str, typer.Option(help="Such as semi-implicit, rk4, dopri5.")] = "rk4"
    tolerance: Annotated[float, typer.Option(help="Of methods that choose their steps.")] = 1e-8
    estimate_error: Annotated[
        bool,
        typer.Option(
            "--estimate-error", help="A second run with half the step tells how exact it is."
        ),
    ] = False
    project: Annotated[
        bool, typer.Option("--project/--no-project", help="Back onto constraints at every step.")
    ] = True
    draw_back: Annotated[
        str | None,
        typer.Option(
            "--draw-back",
            metavar="KIND=NUMBERS",
            help="Instead of --project: rates=ALPHA,BETA (1/s), corrective-force=KP,KV, "
            "penalty=STIFFNESS,DAMPING, stabilized-penalty=WEIGHT,RATE,RATIO.",
        ),
    ] = None
    project_start: Annotated[
        bool,
        typer.Option("--project-start", help="Begin with the nearest velocity that is allowed."),
    ] = False
    stick: Annotated[
        bool, typer.Option("--stick/--no-stick", help="Joints with dry friction stick at rest.")
    ] = True


@dataclass(frozen=True)
class Recording:
    """What is kept of a run, and where."""

    record: Annotated[str, typer.Option(help="Names: q,v,a,tau,energy,reactions,...")] = "q,v"
    every: Annotated[int, typer.Option(min=1, help="Record every n-th step.")] = 1
    out: Annotated[Path | None, typer.Option(help="A file: .nc, .csv or .parquet.")] = None
    resume: Annotated[bool, typer.Option("--resume", help="Go on where --out ends.")] = False
    overwrite: Overwrite = False
    performance: Annotated[
        bool, typer.Option("--performance", help="Which steps were not native, why, how long.")
    ] = False
    json: Json = False


@dataclass(frozen=True)
class Ordered:
    """What is said of a vehicle: its road and tyres, or of a file its parts by name."""

    trailers: Annotated[int | None, typer.Option(min=1, help="Of a truck; 1.")] = None
    tyre: Annotated[
        str | None, typer.Option(help="rolling, linear, brush, fiala, or a .tir file.")
    ] = None
    mu: Annotated[float | None, typer.Option(help="Friction of the road; 1.")] = None
    mu_right: Annotated[float | None, typer.Option(help="On the right (mu-split).")] = None
    bump: Annotated[float | None, typer.Option(help="Height of a bump at 5 m, m.")] = None
    units: Annotated[
        str | None, typer.Option(help="Of a file: chassis of the tractor and its trailers, a,b.")
    ] = None
    steering: Annotated[
        str | None, typer.Option(help="Of a file: the coordinate that steers; '': none.")
    ] = None
    driven: Annotated[
        str | None, typer.Option(help="Of a file: wheels with drive torque, a,b; all.")
    ] = None
    held: Annotated[
        str | None, typer.Option(help="Of a file: joints of an arm that motors hold still, a,b.")
    ] = None


def runs(module: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command that runs the function of its name in a module of cli, imported when it is called;
    False means exit code 1."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        def run(**given: object) -> None:
            function = getattr(import_module(f"armillary.cli.{module}"), command.__name__)
            if function(**given) is False:
                raise typer.Exit(1)

        return grouped(command, run)

    return decorate


def grouped(
    command: Callable[..., None], called: Callable[..., None] | None = None
) -> Callable[..., None]:
    """The command with the fields of its groups in place of the groups, for typer.

    called: what runs instead of the command, with the same arguments."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, type] = {}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        kind = hints[parameter.name]
        if not is_dataclass(kind):
            parameters.append(parameter.replace(annotation=kind, kind=parameter.KEYWORD_ONLY))
            continue
        assert isinstance(kind, type)
        groups[parameter.name] = kind
        own = get_type_hints(kind, include_extras=True)
        of_init = inspect.signature(kind).parameters
        for field in fields(kind):
            option = of_init[field.name]
            parameters.append(option.replace(annotation=own[field.name], kind=option.KEYWORD_ONLY))

    def run(**given: object) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        (called or command)(**given)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {}
    return run
