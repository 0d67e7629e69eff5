"""Equations on paper: one step after the other, as LaTeX, Markdown, plain text, Python."""

from __future__ import annotations

import re
from collections.abc import Sequence

from armillary.mechanism.shortening import Expression, sympy_module
from armillary.shown import as_html

_NAMED = re.compile(r"([a-zA-Z]+)(\d+)_?(\w*)")


class WrittenEquations:
    """Mixin of derivations: they say their steps, and what their symbols are called."""

    name: str
    labels: tuple[str, ...]
    values: dict[Expression, float]
    left_out: tuple[str, ...]

    title = "equations of motion"
    form = ""  # the equation in a line

    def steps(self) -> list[tuple[str, str, Expression]]:
        """(words, left side in LaTeX, right side) of the derivation, in order."""
        raise NotImplementedError

    @property
    def remark(self) -> str:
        """What the equations leave out; empty where that is nothing."""
        names = ", ".join(f"'{name}'" for name in self.left_out)
        return names and f"Friction is left out; there is some in {names}."

    def legend(self) -> str:
        """What the numbered symbols stand for."""
        return (
            "Coordinates: " + ", ".join(f"q{k} = {x}" for k, x in enumerate(self.labels, 1)) + "."
        )

    def dotted(self) -> dict[Expression, str]:
        """LaTeX of the symbols of the motion."""
        raise NotImplementedError

    def latex(self, expression: Expression) -> str:
        """An expression with q̇ and q̈ for rates, and indices below their letters."""
        names = self.dotted()
        for symbol in self.values:
            if found := _NAMED.fullmatch(symbol.name):
                letter, number, rest = found.groups()
                names[symbol] = f"{letter}_{{{number}{rest}}}"
        return str(sympy_module().latex(expression, symbol_names=names))

    def to_markdown(self) -> str:
        """A page with one formula per step."""
        lines = [f"# {_upper(self.title)} of {self.name}", ""]
        lines += [" ".join(filter(None, [self.legend(), self.remark])), ""]
        if self.values:
            numbers = ", ".join(f"{s} = {x:g}" for s, x in self.values.items())
            lines += [f"Letters: {numbers} (kg, m, kg m², m/s²).", ""]
        before = ""
        for words, left, right in self.steps():
            lines += [f"{words}:", ""] if words != before else []
            lines += [f"$${left} = {self.latex(right)}$$", ""]
            before = words
        return "\n".join(lines)

    def to_latex(self) -> str:
        """A document of its own."""
        head = r"\documentclass{article}\usepackage{amsmath}\begin{document}"
        lines = [head, rf"\section*{{{_upper(self.title)} of {_plain(self.name)}}}"]
        lines += [_plain(self.remark), ""] if self.remark else []
        for words, left, right in self.steps():
            lines += [_plain(words), rf"\[ {left} = {self.latex(right)} \]"]
        return "\n".join([*lines, r"\end{document}", ""])

    def python_body(self, inputs: Sequence[str], result: Expression) -> list[str]:
        sympy = sympy_module()
        matrix = isinstance(result, sympy.MatrixBase)
        flat = list(result)
        shared, finals = sympy.cse(flat, symbols=sympy.numbered_symbols("x"))
        lines = [f"    ({', '.join(s.name for s in getattr(self, n))},) = {n}" for n in inputs]
        lines += [
            f"    {s.name} = {sympy.pycode(e, fully_qualified_modules=False)}" for s, e in shared
        ]
        texts = [sympy.pycode(e, fully_qualified_modules=False) for e in finals]
        if matrix:
            width = result.shape[1]
            rows = [texts[k : k + width] for k in range(0, len(texts), width)]
            texts = ["[" + ", ".join(row) + "]" for row in rows]
        return [*lines, "    return [", *(f"        {text}," for text in texts), "    ]"]

    def __str__(self) -> str:
        sympy = sympy_module()
        lines = [f"{self.title} of '{self.name}': {self.form}", ""]
        for words, left, right in self.steps():
            value = right.tolist() if isinstance(right, sympy.MatrixBase) else right
            lines.append(f"{words}:  {value}" if "\\" in left else f"{words}:  {left} = {value}")
        return "\n".join([*lines, *(["", self.remark] if self.remark else [])])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of '{self.name}', {len(self.labels)} coordinates>"

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def _repr_html_(self) -> str:
        return as_html(self)


def _plain(text: str) -> str:
    """Text for LaTeX: no command of a name is obeyed."""
    return re.sub(r"([\\{}$&#^_%~])", lambda m: rf"\char{ord(m.group(1))} ", text)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
