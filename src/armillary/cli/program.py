"""The program itself: one boundary of errors for all commands, and its own options."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

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
