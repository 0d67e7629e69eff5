"""What people see: plain words, tables with names and units; never markup out of a file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from armillary.cli.remedies import spelled
from armillary.errors import visible

_WIDE = 4000  # columns: a number that is folded at the edge of a terminal is a wrong number

_LONG = 4000  # characters of an error


def screen(stderr: bool = False) -> Console:
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, width=_WIDE)


def say(text: object = "", style: str = "") -> None:
    screen().print(Text(visible(text), style=style), soft_wrap=True)


def note(text: str) -> None:
    """Beside the result: on stderr, so that the result can be piped."""
    shown = Text(f"note: {visible(spelled(text))}", style="yellow")
    screen(stderr=True).print(shown, soft_wrap=True)


def complain(text: str) -> None:
    """The error that ends a command; an endless word that it quotes is cut."""
    said = visible(spelled(text))
    said = said if len(said) < _LONG else f"{said[: _LONG // 2]} ... {said[-_LONG // 4 :]}"
    shown = Text(said, style="default")
    message = Text("error: ", style="bold red").append(shown)
    screen(stderr=True).print(message, soft_wrap=True)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> None:
    """Print a table and an empty line.  Heads with '>' have numbers below, set to the right."""
    result = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 0, 0, 1),
        header_style="bold",
    )
    for head in heads:
        right = head.startswith(">")
        result.add_column(head.removeprefix(">"), justify="right" if right else "left")
    for row in rows:
        result.add_row(*(Text(visible(cell)) for cell in row))
    if title:
        say(title, "bold")
    console = screen()
    with console.capture() as text:
        console.print(result)
    print("\n".join(line.rstrip() for line in text.get().splitlines()))
    print()


def number(x: float, digits: int = 6) -> str:
    return f"{x + 0.0:.{digits}g}"


def numbers(values: Iterable[float], digits: int = 6) -> list[str]:
    return [number(float(x), digits) for x in values]


def triple(values: Iterable[float]) -> str:
    return ", ".join(numbers(values, 4))


def print_json(content: dict[str, object]) -> None:
    """Strict JSON, one line per entry: what is not finite is null."""
    entries = ((key, json.dumps(_finite(x), allow_nan=False)) for key, x in content.items())
    lines = (f" {json.dumps(str(key))}: {text}" for key, text in entries)
    print("{\n" + ",\n".join(lines) + "\n}")


def _finite(content: object) -> object:
    if isinstance(content, dict):
        return {str(key): _finite(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_finite(value) for value in content]
    if hasattr(content, "tolist"):
        return _finite(content.tolist())
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content
