"""The commands and their options.  What a command does is imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli import analysis_commands as analysis_commands  # their commands
from armillary.cli import formulation_commands as formulation_commands
from armillary.cli import identification_commands as identification_commands
from armillary.cli import model_commands as model_commands
from armillary.cli import picture_commands as picture_commands
from armillary.cli import study_commands as study_commands
from armillary.cli import vehicle_commands as vehicle_commands
from armillary.cli.options import (
    Accelerations,
    Actuators,
    Answering,
    Assemble,
    Choosing,
    ClosedSource,
    External,
    Hold,
    Inputs,
    Json,
    Keep,
    Numbers,
    OfTree,
    Overwrite,
    Reactions,
    Recording,
    Source,
    State,
    Stepping,
    Words,
    WrenchAxes,
    grouped,
    runs,
)
from armillary.cli.program import app


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
    voltages: Annotated[
        bool, typer.Option("--voltages", help="Currents and voltages of the model's motors, too.")
    ] = False,
) -> None:
    """Joint forces for a motion: tau from q, v, a.

    What is not given: q where the mechanism starts, v = 0, a = 0. Of a closed mechanism, v and a
    given as joint=value are kept and the others follow from the constraints."""
    from armillary.cli.answers import Question, answer

    question = Question(
        "inverse", source, state, answering, {"a": a}, actuator or (), tree, voltages
    )
    answer(question, reactions)


@app.command()
@grouped
def forward(
    source: Source,
    state: State,
    answering: Answering,
    tau: Numbers = None,
    voltage: Annotated[
        Words,
        typer.Option(
            metavar="NUMBERS",
            help="Of the model's motors, V: in order, or joint=volts; others are not connected.",
        ),
    ] = None,
    reactions: Reactions = False,
) -> None:
    """Accelerations for given joint forces or voltages: a from q, v, tau.

    What is not given: q where the mechanism starts, v = 0, tau = 0."""
    from armillary.cli.answers import Question, answer

    answer(Question("forward", source, state, answering, {"tau": tau}, fed=voltage), reactions)


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
    axes: WrenchAxes,
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
    answer(question, Closing(assemble, hold or ()), prescribe or (), axes)


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
@runs("small_motion")
def equilibrium(
    source: ClosedSource,
    q: Numbers = None,
    tau: Numbers = None,
    external: External = None,
    hold: Annotated[
        Words, typer.Option(metavar="JOINT", help="A joint that stays as given. Repeatable.")
    ] = None,
    stable: Annotated[bool, typer.Option("--stable", help="Go downhill to a stable rest.")] = False,
    restarts: Annotated[int, typer.Option(min=0, help="Random guesses more.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Of the random guesses.")] = 0,
    json: Json = False,
) -> None:
    """Static rest near a guess: gravity, springs and given forces in balance.

    What is not given: q where the mechanism starts, tau = 0. Exit code 1: there is none."""


@app.command()
@runs("small_motion")
def modes(
    source: ClosedSource, state: State, tau: Numbers = None, keep: Keep = False, json: Json = False
) -> None:
    """Frequencies, damping and shapes of small motion about rest or a steady motion.

    What is not given: q where the mechanism starts, v = 0, tau = 0."""


@app.command()
@runs("small_motion")
def linearize(
    source: ClosedSource,
    state: State,
    tau: Numbers = None,
    keep: Keep = False,
    input: Annotated[
        Words, typer.Option(metavar="NAME", help="Joint or force element whose force is u.")
    ] = None,
    output: Annotated[
        Words, typer.Option(metavar="NAME", help="elbow, v.elbow, hand.position, hand.velocity.")
    ] = None,
    wrench: Annotated[
        Words, typer.Option(metavar="FRAME", help="Whose wrench is an input, too.")
    ] = None,
    independent: Annotated[
        Words, typer.Option(metavar="JOINT", help="Of a closed mechanism: states of x.")
    ] = None,
    json: Json = False,
) -> None:
    """The linear model dx/dt = A x + B u, y = C x + D u about a state.

    --input, --output, --wrench, --independent: repeatable, the default is all."""


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
@runs("replaying")
def replay(
    source: ClosedSource,
    motion: Annotated[
        Path,
        typer.Argument(help="The motion: .csv with time and joints (crank or q.crank), or a run."),
    ],
    record: Annotated[str | None, typer.Option(help="Names: q,v,a,tau,energy,reactions...")] = None,
    external: External = None,
    actuator: Actuators = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A file: .nc, .csv or .parquet.")
    ] = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """A given motion as a run, without integration: forces, reactions, energies along it.

    Of a closed mechanism, name independent coordinates alone: the others follow."""


@app.command()
@runs("sizing")
def size(
    source: ClosedSource,
    motion: Annotated[
        Path,
        typer.Argument(help="One cycle: .csv with time and joints (crank or q.crank), or a run."),
    ],
    joint: Annotated[Words, typer.Option(help="Default: all that turn. Repeatable.")] = None,
    motor: Annotated[Words, typer.Option(help="Of the catalogue. Repeatable. Default: all")] = None,
    gear: Annotated[Words, typer.Option(help="Of the catalogue. Repeatable. Default: all")] = None,
    safety: Annotated[float, typer.Option(help="No limit is used beyond 1 / safety.")] = 1.0,
    json: Json = False,
) -> None:
    """Motors and gears of the catalogue that carry a motion, the lightest of each joint.

    Exit code 1: there is none for some joint. `armillary motors` lists the catalogue."""


@app.command()
@runs("sizing")
def motors(json: Json = False) -> None:
    """The catalogue of motors and gears, with sources."""


@app.command()
def sim(
    model: Annotated[
        str | None, typer.Argument(metavar="[ARM]", help="Its file or name. Default: a sample arm.")
    ] = None,
    script: Annotated[
        Path | None, typer.Option(help="Commands from this file instead of the keyboard.")
    ] = None,
) -> None:
    """The arm laboratory: an interactive program for arms with motors [Swartz1982].

    `help` inside lists its commands. Exit code 1: a command of a script was refused."""
    from armillary.cli.laboratory.shell import run

    if not run(model, script):
        raise typer.Exit(1)


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
