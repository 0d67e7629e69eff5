"""What is written from the table of functions: the typed face and the reference page.

    python -m armillary.mechanism.write_face

writes evaluate/table_face.py, which type checkers, completion and readers see, and
docs/functions.md.  tests/functions/test_written_face.py says whether they are current.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path

from armillary.evaluate.compiled_function import CompiledFunction
from armillary.evaluate.differentiable import Differentiable, hanging_signatures
from armillary.evaluate.functions import FUNCTIONS, QUESTIONS, Function

PACKAGE = Path(__file__).resolve().parent.parent
FACE = PACKAGE / "evaluate" / "table_face.py"
PAGE = PACKAGE.parent.parent / "docs" / "functions.md"
_WIDTH = 100

_HEAD = '''"""The rows of the table of functions as attributes, with their types and words.

Written by `python -m armillary.mechanism.write_face` from evaluate/functions.py: change rows there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from numpy.typing import ArrayLike

from armillary.evaluate.answers import answers
from armillary.evaluate.compiled_function import Answers, rows
from armillary.evaluate.evaluator import Evaluator, External

if TYPE_CHECKING:
    from armillary.evaluate.derivatives import ForwardDerivatives, InverseDerivatives
    from armillary.evaluate.inputs import Array
    from armillary.evaluate.named_states import State
    from armillary.evaluate.program import Explanation
    from armillary.evaluate.results import (
        BodyForces,
        ElementForces,
        OperationalInertia,
        Reactions,
    )
    from armillary.evaluate.tyre_forces import TyreForces

'''
_CLASS = '''
class TableFace:
    """Questions by the names of their rows, for a single state (n,) or a batch (B, n)."""

    def __init__(self, evaluator: Evaluator, obeying: Answers | None = None):
        """obeying: answers that obey constraints; the others treat the tree."""
        self.evaluator, self.model, self.options = evaluator, evaluator.model, evaluator.options
        self.answers = {**answers(self.model), **(obeying or {})}

    if TYPE_CHECKING:
'''


def face() -> str:
    """The text of evaluate/table_face.py."""
    parts = [_HEAD]
    for name in QUESTIONS:
        if FUNCTIONS[name].derivative:
            parts.append("\n".join(_protocol(name)) + "\n")
    parts.append(_CLASS)
    for name in QUESTIONS:
        row = FUNCTIONS[name]
        words = CompiledFunction.described(row)
        if row.derivative:
            lines = [f"{name}: {_camel(name)}", *_quoted(words)]
        else:
            lines = [*_method(name, row.signature), *_indented(_quoted(words))]
        parts.append(textwrap.indent("\n".join(lines) + "\n", " " * 8) + "\n")
    return "".join(parts).rstrip("\n") + "\n\n    else:\n        vars().update(rows())\n"


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _protocol(name: str) -> Iterator[str]:
    """A question with what hangs on it."""
    row = FUNCTIONS[name]
    yield ""
    yield f"class {_camel(name)}(Protocol):"
    yield from _indented(_quoted(CompiledFunction.described(row)))
    yield ""
    yield from _indented([*_method("__call__", row.signature, "..."), ""])
    for hung, signature in hanging_signatures(row).items():
        words = inspect.getdoc(getattr(Differentiable, hung)) or ""
        if hung == "derivatives":
            words = FUNCTIONS[row.derivative].title
        yield from _indented([*_method(hung, signature), *_indented(_quoted(words)), ""])
    words = "Tier, operations, code size and compile time of every kernel made so far."
    yield "    def compile_report(self) -> list[Explanation]:"
    yield from _indented(_indented(_quoted(words)))
    yield ""


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


def _quoted(words: str) -> list[str]:
    """A docstring."""
    paragraphs = [" ".join(p.split()) for p in words.split("\n\n")]
    first = textwrap.wrap('"""' + paragraphs[0].replace(".  ", ". "), _WIDTH - 16)
    lines = first
    for text in paragraphs[1:]:
        lines += ["", *textwrap.wrap(text, _WIDTH - 14)]
    return [*lines[:-1], lines[-1] + '"""']


def _method(name: str, signature: inspect.Signature, body: str = "") -> list[str]:
    """`def name(self, ...) -> ...:` over as many lines as it takes."""
    parameters, starred = ["self"], False
    for p in signature.parameters.values():
        if p.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            parameters.append("*")
            starred = True
        default = "" if p.default is inspect.Parameter.empty else f" = {_literal(p.default)}"
        parameters.append(f"{p.name}: {p.annotation}{default}")
    end = f") -> {signature.return_annotation}:" + (f" {body}" if body else "")
    line = f"def {name}({', '.join(parameters)}{end}"
    if len(line) <= _WIDTH - 8:
        return [line]
    inner = f"    {', '.join(parameters)}"
    if len(inner) <= _WIDTH - 8:
        return [f"def {name}(", inner, end]
    return [f"def {name}(", *(f"    {p}," for p in parameters), end]


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


# -- the reference ---------------------------------------------------------------------------------

_UNITS = {
    "q": ("nq", "rad, m; quaternions 1"),
    "v": ("nv", "rad/s, m/s"),
    "a": ("nv", "rad/s², m/s²"),
    "tau": ("nv", "N m, N"),
}
_OPTIONS = {
    "frame": "the name of a frame or body",
    "coordinates": '"local", "world_aligned" or "world"',
    "about": "of wrenches: a frame by name, or a point of the world (3), that moments count about",
    "kind": '"classical" or "spatial"',
    "external": "{frame: (6) or (B, 6)}, moment N m and force N on the mechanism, in that frame",
    "passive": "do friction, springs and rotors take part?",
    "out": "an array for the result",
    "parameters": "other inertias (10 bodies) and numbers of force elements, or a row per state",
    "offsets": "(6 bodies) or (B, 6 bodies): turns (rad) and shifts (m) of the joint frames",
    "actuators": "of a closed mechanism: joints that give forces (default: those with motors)",
    "prescribed": "of a closed mechanism: accelerations by name, see docs/constraints.md",
    "baumgarte": "of a closed mechanism: rates (alpha, beta), 1/s, that pull open rows back",
    "certified": "only if every formulation that knows the mechanism agrees: docs/formulations.md",
}
_INTRO = """# Functions

Written by `python -m armillary.mechanism.write_face` from the table in
`src/armillary/evaluate/functions.py`; a test says whether it is current. Every row is a method of
`Mechanism` and takes one state or a batch (a leading axis B everywhere), and states as arrays or
by name (`{"elbow": 0.3}`); `mechanism.to_c(NAME)` writes it as C, and docs/symbolic.md prints it.
Those that end in `_derivatives` hang on their question: `inverse_dynamics.derivatives(q, v, a)`.

| argument | shape | unit |
| --- | --- | --- |
"""


def page() -> str:
    """The text of docs/functions.md."""
    lines = [f"| `{name}` | ({shape}) | {unit} |" for name, (shape, unit) in _UNITS.items()]
    options = [f"| `{name}` | {text} |" for name, text in _OPTIONS.items()]
    head = _INTRO + "\n".join(lines) + "\n\n| option | meaning |\n| --- | --- |\n"
    table = "\n## Rows\n\n| function | what it is | results: shape, unit |\n| --- | --- | --- |\n"
    rows = [_row(name, row) for name, row in FUNCTIONS.items()]
    return head + "\n".join(options) + "\n" + table + "\n".join(rows) + "\n"


def _row(name: str, row: Function) -> str:
    shown = [
        p.name if p.default is inspect.Parameter.empty else f"{p.name}={_literal(p.default)}"
        for p in row.signature.parameters.values()
    ]
    results = [
        f"`{r.name}` ({', '.join(map(str, r.shape))}) {r.meaning}".replace(" ()", "")
        for r in row.results
    ]
    words = f"{row.title} {row.text if not row.closed else ''}".strip()
    cells = (f"`{name}({', '.join(shown)})`", " ".join(words.split()), "; ".join(results))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main() -> None:
    FACE.write_text(face(), encoding="utf-8")
    if PAGE.parent.is_dir():
        PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
