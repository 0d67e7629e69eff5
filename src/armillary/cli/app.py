"""The commands and their options.  What a command does is imported when it is called."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from armillary.cli.feeding import Beside, Input, Motion, Stay, Voltage
from armillary.cli.options import (
    Actuators,
    Assemble,
    Base,
    Csv,
    Hold,
    Json,
    ModelName,
    Numbers,
    OfTree,
    Out,
    Overwrite,
    Passive,
    ProjectStart,
    Reactions,
    Reading,
    Root,
    Tolerance,
    Wrenches,
)
from armillary.errors import ArmillaryError


class Commands(TyperGroup):
    """The one boundary of errors: a message on stderr and exit code 1, no traceback."""

    def invoke(self, ctx: Any) -> Any:
        from armillary.cli.screen import complain

        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a ² must not end a run on an old terminal
        try:
            return super().invoke(ctx)
        except ArmillaryError as fault:
            complain(fault.message)
            raise typer.Exit(1) from None


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="The dynamics of robots and mechanisms. MODEL is a file (.urdf, .xml, .yaml, .csv) or "
    "the name of a built-in mechanism. All numbers are SI: rad, m, kg, N, N m.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from armillary import __version__

        print(f"armillary {__version__}")
        raise typer.Exit


@app.callback()
def _armillary(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before the command."""


@app.command()
def show(model: ModelName, base: Base = None, root: Root = None, json: Json = False) -> None:
    """Show a mechanism: tree, coordinates, masses, report."""
    from armillary.cli.show import show as run

    run(model, Reading(base, root), json)


@app.command()
def validate(
    model: ModelName,
    strict: Annotated[
        bool, typer.Option("--strict", help="What would be repaired or reported is an error.")
    ] = False,
    base: Base = None,
    root: Root = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the random state of the check.")] = 0,
    json: Json = False,
) -> None:
    """Read a file, list what was assumed, check the numbers.

    Exit code 0: the mechanism is sound (warnings are listed); 1: it is not."""
    from armillary.cli.validate import validate as run

    if not run(model, Reading(base, root, strict), seed, json):
        raise typer.Exit(1)


@app.command()
def inverse(
    model: ModelName,
    q: Numbers = None,
    v: Numbers = None,
    a: Numbers = None,
    actuator: Actuators = None,
    tree: OfTree = False,
    external: Wrenches = None,
    passive: Passive = True,
    reactions: Reactions = False,
    csv: Csv = None,
    out: Out = None,
    overwrite: Overwrite = False,
    json: Json = False,
    base: Base = None,
    root: Root = None,
) -> None:
    """Joint forces for a motion: tau from q, v, a.

    What is not given: q where the mechanism starts, v = 0, a = 0. Of a closed mechanism, v and a
    given as joint=value are kept and the others follow from the constraints."""
    from armillary.cli.answers import Question, answer

    given = {"q": q, "v": v, "a": a}
    question = Question(
        "inverse", model, Reading(base, root), given, external, csv, passive, actuator or (), tree
    )
    answer(question, reactions, out, overwrite, json)


@app.command()
def forward(
    model: ModelName,
    q: Numbers = None,
    v: Numbers = None,
    tau: Numbers = None,
    external: Wrenches = None,
    passive: Passive = True,
    reactions: Reactions = False,
    csv: Csv = None,
    out: Out = None,
    overwrite: Overwrite = False,
    json: Json = False,
    base: Base = None,
    root: Root = None,
) -> None:
    """Accelerations for given joint forces: a from q, v, tau.

    What is not given: q where the mechanism starts, v = 0, tau = 0."""
    from armillary.cli.answers import Question, answer

    given = {"q": q, "v": v, "tau": tau}
    question = Question("forward", model, Reading(base, root), given, external, csv, passive)
    answer(question, reactions, out, overwrite, json)


@app.command()
def solve(
    model: ModelName,
    q: Numbers = None,
    v: Numbers = None,
    tau: Numbers = None,
    external: Wrenches = None,
    prescribe: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=ACCELERATION",
            help="Prescribed acceleration (rad/s², m/s²) of a joint, of the ground under a wheel "
            "or along the rows of a contact, instead of the model's. May be repeated.",
        ),
    ] = None,
    assemble: Assemble = False,
    hold: Hold = None,
    passive: Passive = True,
    csv: Csv = None,
    out: Out = None,
    overwrite: Overwrite = False,
    json: Json = False,
    base: Base = None,
    root: Root = None,
    geometry_tolerance: Tolerance = None,
) -> None:
    """Everything about a state: motion, all forces, constraints.

    Accelerations, the wrench in every joint and constraint, which of them are determinate, and the
    power balance. What is not given: q where the mechanism starts, v = 0, tau = 0."""
    from armillary.cli.answers import Question
    from armillary.cli.solving import Wishes, answer

    given = {"q": q, "v": v, "tau": tau}
    how = Reading(base, root, geometry_tolerance=geometry_tolerance)
    question = Question("solve", model, how, given, external, csv, passive)
    wishes = Wishes(assemble, hold or (), prescribe or ())
    answer(question, wishes, out, overwrite, json)


@app.command()
def mobility(
    model: ModelName,
    q: Numbers = None,
    assemble: Assemble = False,
    hold: Hold = None,
    json: Json = False,
    base: Base = None,
    root: Root = None,
    geometry_tolerance: Tolerance = None,
) -> None:
    """What can move: rank, freedoms, redundant constraints.

    What is not given: q where the mechanism starts."""
    from armillary.cli.mobility import mobility as run
    from armillary.cli.solving import Wishes

    how = Reading(base, root, geometry_tolerance=geometry_tolerance)
    run(model, how, q, Wishes(assemble, hold or ()), json)


@app.command()
def assemble(
    model: ModelName,
    q: Numbers = None,
    hold: Hold = None,
    json: Json = False,
    base: Base = None,
    root: Root = None,
    geometry_tolerance: Tolerance = None,
) -> None:
    """A closed configuration near a guess.

    What is not given: q where the mechanism starts. Exit code 1: it could not be closed."""
    from armillary.cli.closing import assemble as run

    how = Reading(base, root, geometry_tolerance=geometry_tolerance)
    if not run(model, how, q, hold, json):
        raise typer.Exit(1)


@app.command()
def simulate(
    model: ModelName,
    duration: Annotated[float, typer.Option("--for", help="Length of the run, s.")] = 1.0,
    step: Annotated[float, typer.Option(help="Time step, s.")] = 1e-3,
    method: Annotated[str, typer.Option(help="Such as semi-implicit, rk4, dopri5.")] = "rk4",
    tolerance: Annotated[float, typer.Option(help="Of methods that choose their steps.")] = 1e-8,
    q: Numbers = None,
    v: Numbers = None,
    tau: Numbers = None,
    external: Wrenches = None,
    input: Input = None,
    voltage: Voltage = None,
    beside: Beside = False,
    prescribe: Motion = None,
    stay: Stay = False,
    limits: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Joint limits, with this restitution.")
    ] = None,
    assemble: Assemble = False,
    project: Annotated[
        bool, typer.Option("--project/--no-project", help="Back onto constraints at every step.")
    ] = True,
    project_start: ProjectStart = False,
    record: Annotated[str, typer.Option(help="Names: q,v,a,tau,energy,reactions,...")] = "q,v",
    every: Annotated[int, typer.Option(min=1, help="Record every n-th step.")] = 1,
    out: Annotated[Path | None, typer.Option(help="A file: .nc, .csv or .parquet.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where --out ends.")] = False,
    overwrite: Overwrite = False,
    json: Json = False,
    base: Base = None,
    root: Root = None,
    geometry_tolerance: Tolerance = None,
) -> None:
    """The motion over time.

    What is not given: q where the mechanism starts, v = 0, tau = 0. With constraints, v given as
    joint=value is kept and the others follow from them; a full v must be allowed. Exit code 1: the
    run ended before its time; what was computed is kept, and --resume goes on."""
    from armillary.cli.simulating import Course, Drive
    from armillary.cli.simulating import simulate as run

    given = {"q": q, "v": v, "tau": tau}
    wishes = Drive(given, external, input, stay, assemble, limits, prescribe or (), voltage or (),
                   beside)  # fmt: skip
    course = Course(duration, step, method, tolerance, record, every, out, resume, overwrite,
                    project, project_start)  # fmt: skip
    how = Reading(base, root, geometry_tolerance=geometry_tolerance)
    if not run(model, how, wishes, course, json):
        raise typer.Exit(1)


RunFile = Annotated[Path, typer.Argument(metavar="RUN", help="A recorded run: .nc, .csv, .parquet")]
Words = list[str] | None


@app.command()
def plot(
    run: RunFile,
    what: Annotated[Words, typer.Option(help="Quantities: q,v,energy. Default: all.")] = None,
    column: Annotated[Words, typer.Option(help="Labels: crank,rocker. Default: all.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="The picture: .png, .pdf, .svg. Default: beside the run.")
    ] = None,
    overwrite: Overwrite = False,
    show: Annotated[bool, typer.Option("--show", help="Open a window.")] = False,
) -> None:
    """Draw a recorded run over time."""
    from armillary.cli.runs import plot as draw

    draw(run, what or (), column or (), out, overwrite, show)


@app.command()
def info(run: RunFile, json: Json = False) -> None:
    """What a recorded run holds, and how it ended."""
    from armillary.cli.runs import info as tell

    tell(run, json)


@app.command()
def convert(
    model: ModelName,
    out: Annotated[Path, typer.Argument(help="The new file; its ending chooses the format.")],
    overwrite: Overwrite = False,
    lossy: Annotated[
        bool, typer.Option("--lossy", help="Leave out what the format cannot express, and list it.")
    ] = False,
    base: Base = None,
    root: Root = None,
) -> None:
    """Write a mechanism in another format.

    .yaml holds everything; .urdf, .xml (MJCF) and .csv (Denavit-Hartenberg) what they can."""
    from armillary.cli.convert import convert as run

    run(model, Reading(base, root), out, overwrite, lossy)


@app.command()
def demo() -> None:
    """The main job on a built-in mechanism, on a page."""
    from armillary.cli.demo import demo as run

    run()


@app.command()
def examples() -> None:
    """List the built-in mechanisms."""
    from armillary.cli.show import examples as run

    run()


@app.command()
def schema() -> None:
    """Print the JSON schema of the native YAML file."""
    from armillary.cli.convert import schema as run

    run()


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all entries.")] = False,
) -> None:
    """Show or clear the compiled objects that are kept on disk."""
    from armillary.cli.show import cache as run

    run(clear)
