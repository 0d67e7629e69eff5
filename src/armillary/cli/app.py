"""The commands and their options.  What a command does is imported when it is called."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from armillary.cli.options import (
    Accelerations,
    Actuators,
    Answering,
    Assemble,
    Choosing,
    ClosedSource,
    Hold,
    Inputs,
    Json,
    Look,
    Numbers,
    OfTree,
    Overwrite,
    Reactions,
    Recording,
    RunFile,
    Source,
    State,
    Stepping,
    Words,
    grouped,
    runs,
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
@runs("show")
def show(source: Source, json: Json = False) -> None:
    """Show a mechanism: tree, coordinates, masses, report."""


@app.command()
@runs("validate")
def validate(
    source: Source,
    strict: Annotated[
        bool, typer.Option("--strict", help="What would be repaired or reported is an error.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of the random state of the check.")] = 0,
    json: Json = False,
) -> None:
    """Read a file, list what was assumed, check the numbers.

    Exit code 0: the mechanism is sound (warnings are listed); 1: it is not."""


@app.command()
@grouped
def inverse(
    source: Source,
    state: State,
    answering: Answering,
    a: Numbers = None,
    actuator: Actuators = None,
    tree: OfTree = False,
    reactions: Reactions = False,
) -> None:
    """Joint forces for a motion: tau from q, v, a.

    What is not given: q where the mechanism starts, v = 0, a = 0. Of a closed mechanism, v and a
    given as joint=value are kept and the others follow from the constraints."""
    from armillary.cli.answers import Question, answer

    question = Question("inverse", source, state, answering, {"a": a}, actuator or (), tree)
    answer(question, reactions)


@app.command()
@grouped
def forward(
    source: Source,
    state: State,
    answering: Answering,
    tau: Numbers = None,
    reactions: Reactions = False,
) -> None:
    """Accelerations for given joint forces: a from q, v, tau.

    What is not given: q where the mechanism starts, v = 0, tau = 0."""
    from armillary.cli.answers import Question, answer

    answer(Question("forward", source, state, answering, {"tau": tau}), reactions)


@app.command()
@runs("asking")
def ask(
    source: Source,
    state: State,
    choosing: Choosing,
    answering: Answering,
    question: Annotated[
        str | None,
        typer.Argument(metavar="[QUESTION]", help="Its name. Without one, all are listed."),
    ] = None,
    a: Numbers = None,
    tau: Numbers = None,
) -> None:
    """Any question by its name: pose, jacobian, energy, momentum, ...

    `armillary ask MODEL` lists them. What is not given: q where the mechanism starts, and 0."""


@app.command()
@grouped
def solve(
    source: ClosedSource,
    state: State,
    answering: Answering,
    tau: Numbers = None,
    prescribe: Accelerations = None,
    assemble: Assemble = False,
    hold: Hold = None,
) -> None:
    """Everything about a state: motion, all forces, constraints.

    Accelerations, the wrench in every joint and constraint, which of them are determinate, and the
    power balance. What is not given: q where the mechanism starts, v = 0, tau = 0."""
    from armillary.cli.answers import Question
    from armillary.cli.solving import Closing, answer

    question = Question("solve", source, state, answering, {"tau": tau})
    answer(question, Closing(assemble, hold or ()), prescribe or ())


@app.command()
@runs("mobility")
def mobility(
    source: ClosedSource,
    q: Numbers = None,
    assemble: Assemble = False,
    hold: Hold = None,
    json: Json = False,
) -> None:
    """What can move: rank, freedoms, redundant constraints.

    What is not given: q where the mechanism starts."""


@app.command()
@runs("closing")
def assemble(
    source: ClosedSource, q: Numbers = None, hold: Hold = None, json: Json = False
) -> None:
    """A closed configuration near a guess.

    What is not given: q where the mechanism starts. Exit code 1: it could not be closed."""


@app.command()
@grouped
def simulate(
    source: ClosedSource,
    stepping: Stepping,
    state: State,
    inputs: Inputs,
    recording: Recording,
    tau: Numbers = None,
    assemble: Assemble = False,
) -> None:
    """The motion over time.

    What is not given: q where the mechanism starts, v = 0, tau = 0. With constraints, v given as
    joint=value is kept and the others follow from them; a full v must be allowed. Exit code 1: the
    run ended before its time; what was computed is kept, and --resume goes on."""
    from armillary.cli.simulating import Simulation
    from armillary.cli.simulating import simulate as run

    if not run(Simulation(source, stepping, state, inputs, recording, tau, assemble)):
        raise typer.Exit(1)


@app.command()
@runs("runs")
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
    source: Source,
    q: Numbers = None,
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
    """Write a mechanism as a page that simulates it in the browser: drag, push, pause, reset."""


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
def info(run: RunFile, json: Json = False) -> None:
    """What a recorded run holds, and how it ended."""


@app.command()
@runs("convert")
def convert(
    source: Source,
    out: Annotated[Path, typer.Argument(help="The new file; its ending chooses the format.")],
    overwrite: Overwrite = False,
    lossy: Annotated[
        bool, typer.Option("--lossy", help="Leave out what the format cannot express, and list it.")
    ] = False,
) -> None:
    """Write a mechanism in another format.

    .yaml holds everything; .urdf, .xml (MJCF) and .csv (Denavit-Hartenberg) what they can."""


@app.command()
@runs("demo")
def demo(
    name: Annotated[
        str | None, typer.Argument(help="A built-in mechanism to show. Default: the main job.")
    ] = None,
    folder: Annotated[Path, typer.Option(help="Where the picture and the page go.")] = Path(
        "armillary-demo"
    ),
) -> None:
    """The main job on a built-in mechanism, with a picture and a page that plays."""


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
