"""Graphs as assignments in infix notation, for people and for other compilers.

Every value that is needed more than once, has a name of its own or has become long gets a line;
the rest stands where it is used.  Parentheses keep the order of the operations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from armillary.errors import CompileError
from armillary.graph.expr import Node, cone
from armillary.graph.ops import OPS

_SELECT, _COMPARE, _SUM, _PRODUCT, _SIGN, _ATOM = range(6)  # how tightly an operation binds
_LONGEST = 40  # characters of a value that is written where it is used


class _Form(NamedTuple):
    text: str
    binds: int
    operands: tuple[int, ...]  # how tightly each operand must bind to stand without parentheses


# operands on the right of + - * / keep their parentheses
_FORMS = {
    "add": _Form("{} + {}", _SUM, (_SUM, _PRODUCT)),
    "sub": _Form("{} - {}", _SUM, (_SUM, _PRODUCT)),
    "mul": _Form("{} * {}", _PRODUCT, (_PRODUCT, _SIGN)),
    "div": _Form("{} / {}", _PRODUCT, (_PRODUCT, _SIGN)),
    "fma": _Form("{} * {} + {}", _SUM, (_PRODUCT, _SIGN, _PRODUCT)),
    "neg": _Form("-{}", _SIGN, (_ATOM,)),
    "lt": _Form("{} < {}", _COMPARE, (_SUM, _SUM)),
    "le": _Form("{} <= {}", _COMPARE, (_SUM, _SUM)),
    "eq": _Form("{} == {}", _COMPARE, (_SUM, _SUM)),
}
_CALLS = ("sin", "cos", "sqrt", "exp", "tanh", "atan2", "abs")  # written as functions


@dataclass(frozen=True)
class Style:
    """What differs between notations."""

    constant: Callable[[float], str]
    call: Callable[[str], str]  # operation -> the name of its function
    select: str  # condition {0}, yes {1}, no {2}
    temporary: str = "t{}"


class Line(NamedTuple):
    name: str
    text: str
    mask: bool  # the outcome of a comparison


def assignments(
    roots: Sequence[Node], names: Mapping[int, str], style: Style
) -> tuple[list[Line], list[str]]:
    """Lines in the order of computation, and the text of every root.

    names: of nodes, by index.  Loads must have one; other nodes with a name get a line."""
    writer = _Writer(roots, names, style)
    return writer.lines, [writer.value(root, _SELECT) for root in roots]


class _Writer:
    def __init__(self, roots: Sequence[Node], names: Mapping[int, str], style: Style):
        self.names, self.style = names, style
        self.lines: list[Line] = []
        self._temporaries = count()
        self._texts: dict[int, tuple[str, int]] = {}  # text of a node, and how tightly it binds
        nodes = cone(roots)
        self._uses = Counter(root.index for root in roots)
        for node in nodes:
            self._uses.update(argument.index for argument in node.args)
        for node in nodes:
            self._texts[node.index] = self._put(node)

    def value(self, node: Node, at_least: int) -> str:
        text, binds = self._texts[node.index]
        return text if binds >= at_least else f"({text})"

    def _put(self, node: Node) -> tuple[str, int]:
        if node.op == "const":
            text = self.style.constant(node.data[1])
            return text, _SIGN if text.startswith("-") else _ATOM
        if node.op == "load":
            return self.names[node.index], _ATOM
        text, binds = self._expression(node)
        name = self.names.get(node.index)
        if name is None and self._uses[node.index] == 1 and len(text) <= _LONGEST:
            return text, binds
        name = name or self.style.temporary.format(next(self._temporaries))
        self.lines.append(Line(name, text, OPS[node.op].result == "mask"))
        return name, _ATOM

    def _expression(self, node: Node) -> tuple[str, int]:
        if node.op in _CALLS:
            inside = ", ".join(self.value(a, _SELECT) for a in node.args)
            return f"{self.style.call(node.op)}({inside})", _ATOM
        if node.op == "select":
            parts = (self.value(a, _COMPARE) for a in node.args)
            return self.style.select.format(*parts), _SELECT
        form = _FORMS.get(node.op)
        if form is None:
            raise CompileError(
                f"operation '{node.op}' has no text form."
                + " Roads that are tables run natively alone." * (node.op == "lookup")
            )
        parts = (self.value(a, b) for a, b in zip(node.args, form.operands, strict=True))
        return form.text.format(*parts), form.binds
