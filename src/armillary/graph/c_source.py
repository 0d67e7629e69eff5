"""Graphs as C source: one self-contained C99 function, readable by a C++ compiler too.

The function reads all its inputs first, so the result may be written over one of them.  It
allocates nothing, keeps nothing between calls and includes only math.h.
"""

from __future__ import annotations

import math
import re
import struct
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from armillary.errors import CompileError
from armillary.graph.expr import Node, cone
from armillary.graph.infix import Style, assignments

ELEMENTS = ("double", "float")
_WIDTH = 96
_TAKEN = (
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while "
    # of C++, which may read the text too
    "and asm bool catch class delete explicit export false friend mutable namespace new not "
    "operator or private protected public template this throw true try typeid typename using "
    "virtual xor "
    # of math.h, or the start of every program
    "sin cos sqrt exp tanh atan2 fabs sinf cosf sqrtf expf tanhf atan2f fabsf main"
)


@dataclass(frozen=True)
class Row:
    """Numbers that belong together: an argument of the function, or a part of its result.

    entries: one comment per number, or none."""

    name: str
    size: int
    meaning: str
    entries: tuple[str, ...] = ()


@dataclass(frozen=True)
class Function:
    """What is known of a function besides its operations; the texts become comments."""

    name: str
    title: str
    notes: tuple[str, ...]
    inputs: tuple[Row, ...]
    results: tuple[Row, ...]  # one after the other in `out`
    element: str = "double"

    def __post_init__(self) -> None:
        if not is_identifier(self.name):
            raise CompileError(f"'{self.name}' cannot be the name of a C function.")
        if self.element not in ELEMENTS:
            raise CompileError(f"element: expected 'double' or 'float', found '{self.element}'.")


def is_identifier(name: str) -> bool:
    """May a C function have this name?"""
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None and name not in _TAKEN.split()


def c_source(function: Function, roots: Sequence[Node]) -> str:
    """The text of a file.  roots: the numbers of `out`; their loads are (input name, number)."""
    e = function.element
    loads = [node for node in cone(roots) if node.op == "load"]
    names = {node.index: "{}{}".format(*node.data) for node in loads}
    inside = [f"const {e} {n.data[0]}{n.data[1]} = {n.data[0]}[{n.data[1]}];" for n in loads]
    lines, results = assignments(roots, names, _style(e))
    inside += [f"const {'int' if line.mask else e} {line.name} = {line.text};" for line in lines]
    inside += [f"out[{k}] = {text};" for k, text in enumerate(results)]
    used = {node.data[0] for node in loads}
    unused = [row.name for row in function.inputs if row.name not in used]
    inside += [f"(void){name};" for name in (*unused, *(() if roots else ("out",)))]
    arguments = [f"const {e} *{row.name}" for row in function.inputs]
    head = f"void {function.name}({', '.join([*arguments, f'{e} *out'])})"
    parts = [
        _comment(function, roots),
        "#include <math.h>",
        '#ifdef __cplusplus\nextern "C" {\n#endif',
        f"{head};",
        "\n".join([head, "{", *(f"    {line}" for line in inside), "}"]),
        "#ifdef __cplusplus\n}\n#endif",
    ]
    return "\n\n".join(parts) + "\n"


# -- numbers and names -----------------------------------------------------------------------------


def _style(element: str) -> Style:
    single = element == "float"
    return Style(
        constant=_single if single else _double,
        call=lambda op: {"abs": "fabs"}.get(op, op) + ("f" if single else ""),
        select="{} ? {} : {}",
    )


def _double(x: float) -> str:
    """The shortest text that is read back as the same number."""
    if math.isfinite(x):
        return repr(x)
    return _not_finite(x)


def _single(x: float) -> str:
    if math.isfinite(x):
        try:
            x = struct.unpack("<f", struct.pack("<f", x))[0]
        except OverflowError:
            x = math.copysign(math.inf, x)
    if not math.isfinite(x):
        return _not_finite(x)
    text = f"{x:.9g}"
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def _not_finite(x: float) -> str:
    if math.isnan(x):
        return "NAN"
    return "INFINITY" if x > 0 else "-INFINITY"


# -- comments --------------------------------------------------------------------------------------


def _comment(function: Function, roots: Sequence[Node]) -> str:
    lines = [*_wrapped(function.title), ""]
    for note in function.notes:
        lines += _wrapped(note)
    lines += ["", "Arguments:"]
    for row in function.inputs:
        lines += _wrapped(f"{row.name}[{row.size}]  {row.meaning}", "  ", "      ")
        width = max((len(f"{row.name}[{k}]") for k in range(len(row.entries))), default=0)
        for k, entry in enumerate(row.entries):
            lines.append(f"      {f'{row.name}[{k}]':<{width}}  {entry}")
    start = 0
    lines += _wrapped(f"out[{len(roots)}]  results, matrices row by row:", "  ", "      ")
    for row in function.results:
        place = f"out[{start}]" if row.size == 1 else f"out[{start}..{start + row.size - 1}]"
        lines += _wrapped(f"{place}  {row.name}: {row.meaning}", "      ", "          ")
        start += row.size
    lines += ["", *_facts(roots), "", "Example:", *_example(function, len(roots))]
    return "\n".join(["/*", *(f" * {_safe(line)}".rstrip() for line in lines), " */"])


def _facts(roots: Sequence[Node]) -> list[str]:
    nodes = [n for n in cone(roots) if n.op not in ("const", "load")]
    turns = sum(n.op in ("sin", "cos") for n in nodes)
    text = (
        f"{len(nodes)} operations, {turns} of them sin or cos. No allocation, no state: safe in "
        "threads and interrupts. Inputs must be finite. out may be the same array as an input, "
        "and needs room for all results."
    )
    return _wrapped(text)


def _example(function: Function, size: int) -> list[str]:
    e = function.element
    arrays = [f"{e} {row.name}[{max(row.size, 1)}] = {{0}};" for row in function.inputs]
    names = ", ".join([*(row.name for row in function.inputs), "out"])
    return [
        f"  {' '.join(arrays)}",
        f"  {e} out[{max(size, 1)}];",
        f"  {function.name}({names});",
        "Build: cc -std=c99 -O2 ... -lm",
    ]


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(text, _WIDTH - 3, initial_indent=first, subsequent_indent=rest)


def _safe(text: str) -> str:
    """Names come from files of others: nothing in them may end the comment or hide in it."""
    text = "".join(c if c.isprintable() else " " for c in text).replace("\\", "/")
    return re.sub(r"\?(?=\?)", "? ", text.replace("*/", "* /").replace("/*", "/ *"))
