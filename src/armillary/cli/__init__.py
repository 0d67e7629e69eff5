"""The command line: `armillary show | inverse | forward | solve | mobility | convert | ...`.

Exit codes: 0 done, 1 an error with a message on stderr, 2 a command that was typed wrongly.
"""

from __future__ import annotations


def main() -> None:
    """Entry point of the `armillary` command."""
    from armillary.cli.app import app
    from armillary.cli.program import written

    with written():
        app(prog_name="armillary")


__all__ = ["main"]
