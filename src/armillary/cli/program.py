"""The program itself: one boundary of errors for all commands, and its own options."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from armillary.errors import ArmillaryError

# the commands as `armillary --help` lists them: what a newcomer needs first
CHAPTERS = {
    "Models": "new examples show validate compare convert parts schema",
    "One state": "inverse forward solve ask assemble mobility equilibrium",
    "Motion over time": "simulate replay rerun info sim drive",
    "Pictures and pages": "demo draw plot view animate page report",
    "Small motion and control": "modes linearize",
    "Motors": "size motors",
    "Analysis": "classify dexterity strength task-dynamics force-sources linkage workspace",
    "Derivations and checks": "check methods explain equations operations",
    "Many runs, measured motion": "sweep excite identify",
    "This installation": "doctor cache",
}


class Commands(TyperGroup):
    """The one boundary of errors: a message on stderr and exit code 1, no traceback."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """By chapters; what stands in none comes last."""
        chapters = {title: names.split() for title, names in CHAPTERS.items()}
        listed = {name for names in chapters.values() for name in names}
        chapters["Others"] = [name for name in self.commands if name not in listed]
        for title, names in chapters.items():
            found = [(name, self.commands[name]) for name in names if name in self.commands]
            if rows := [(name, _about(command.help)) for name, command in found]:
                with formatter.section(title):
                    formatter.write_dl(rows)

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


@contextmanager
def written() -> Iterator[None]:
    """A program whose output cannot be written says so, and ends with exit code 1: a full disk may
    show only when the last words are sent."""
    from armillary.cli.screen import complain

    code: Any = 0
    try:
        try:
            yield
        except SystemExit as end:
            code = end.code
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except OSError as fault:
        code = 1
        with suppress(OSError):
            if fault.errno != errno.EPIPE:  # who reads it has had enough
                complain(f"{fault.filename or 'standard output'}: {fault.strerror or fault}. It is "
                         f"not whole.")  # fmt: skip
        for stream in (sys.stdout, sys.stderr):  # what waits there goes nowhere, not to the end
            with suppress(OSError, ValueError, AttributeError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


def _about(text: str | None) -> str:
    """The first paragraph of what a command says of itself."""
    return " ".join((text or "").split("\n\n")[0].split())


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
