"""What people see: plain words, tables with names and units; never markup out of a file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

# advice of the library, in the words of the command line
_WORDS = {
    r"pass overwrite=True": "use --overwrite",
    r"pass lossy=True": "use --lossy",
    r"pass root=": "use --root",
    r"resume=True": "--resume",
    r"Schedule\(\.\.\., hold=True\)": "--stay",
    r"Leave `base` out": "Leave --base out",
    r"; or pass format= one of [\w, ]*": "",
    r"(assemble\(q\)|project\(q, v\)) (closes|corrects)": r"`armillary solve --assemble` \2",
    r"Close it first: q0 = mechanism\.assemble\(q0\)\.q": "Close it with --assemble",
    r"Close it first: q = mechanism\.assemble\(q\)\.q": "Close it with --assemble",
    r"compile\(geometry_tolerance=\.\.\.\)": "--geometry-tolerance",
    r"The motions begin at t0 = .*; close it there: put .* q0 = mechanism\.assemble\(.*\)\.q": (
        "Close it with --assemble, which holds driven joints where their motion begins"
    ),
    r"project_acceleration\(q, v, a\) gives it, and with hold=\[\.\.\.\] keeps those of the named "
    r"joints; `\.tree` answers for the open tree": (
        "--a joint=value keeps the named joints and finds the others; --tree answers for the open "
        "tree"
    ),
    r"Name more actuators, or ask actuator_forces\(q, v, a, actuators\) for the nearest forces and "
    r"what they lack": "Name more of them with --actuator",
    r"Give v0=\{'(.*?)': (.*?)\} to hold the named joints and find the others, or project_start="
    r"True": (r"Give --v \1=\2 to hold the named joints and find the others, or --project-start"),
    r"Use q0, v0 = mechanism\.project\(q0, v0\), or project=True": "Leave --no-project out",
    r"prescribed\['(.*?)'\]": r"--prescribe \1",
    r", or leave the joint out: JointLimits\(joints=\[\.\.\.\]\)": " (--q), or leave --limits out",
    r", or leave JointLimits out": ", or leave --limits out",
}
_WIDE = 4000  # columns: a number that is folded at the edge of a terminal is a wrong number


def screen(stderr: bool = False) -> Console:
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, width=_WIDE)


def clean(text: object) -> str:
    """Text of a file without control characters, which a terminal would obey."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in str(text))


def say(text: object = "", style: str = "") -> None:
    screen().print(Text(clean(text), style=style), soft_wrap=True)


def remark(text: object) -> None:
    """Beside the result: on stderr, so that the result can be piped."""
    screen(stderr=True).print(Text(f"note: {clean(text)}", style="yellow"), soft_wrap=True)


def typed(text: object) -> str:
    """What the library advises, as it is typed on the command line."""
    text = clean(text)
    for python, command in _WORDS.items():
        text = re.sub(python, command, text)
    return text


def complain(text: object) -> None:
    message = Text("error: ", style="bold red").append(Text(typed(text), style="default"))
    screen(stderr=True).print(message, soft_wrap=True)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> None:
    """Print a table and an empty line.  Heads with '>' have numbers below, set to the right."""
    result = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 0, 0, 1),
        header_style="bold",
    )  # fmt: skip
    for head in heads:
        right = head.startswith(">")
        result.add_column(head.removeprefix(">"), justify="right" if right else "left")
    for row in rows:
        result.add_row(*(Text(clean(cell)) for cell in row))
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


def print_json(content: dict[str, Any]) -> None:
    """Strict JSON, one line per entry: what is not finite is null."""
    entries = _finite(content).items()
    lines = (f" {json.dumps(key)}: {json.dumps(x, allow_nan=False)}" for key, x in entries)
    print("{\n" + ",\n".join(lines) + "\n}")


def _finite(content: Any) -> Any:
    if isinstance(content, dict):
        return {str(key): _finite(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_finite(value) for value in content]
    if hasattr(content, "tolist"):
        return _finite(content.tolist())
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content
