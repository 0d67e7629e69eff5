"""Results as people see them: `repr` is what `print` shows, and a notebook shows it as text."""

from __future__ import annotations

import inspect
from html import escape
from typing import TypeVar

Class = TypeVar("Class", bound=type)


def shown(cls: Class) -> Class:
    """A class whose objects show themselves by their `str`, at the prompt and in notebooks."""
    setattr(cls, "__repr__", cls.__str__)  # noqa: B010 - what a class shows is set from outside
    setattr(cls, "_repr_html_", as_html)  # noqa: B010
    return cls


def function_text(function: object) -> str:
    """How to call a function, and the first line of what it says of itself."""
    name = getattr(function, "__name__", "function")
    signature = getattr(function, "__signature__", None) or inspect.signature(function.__call__)  # type: ignore[operator]
    bare = [x.replace(annotation=x.empty) for x in signature.parameters.values()]
    about = (inspect.getdoc(function) or "").partition("\n")[0]
    return f"{name}{inspect.Signature(bare)}" + (f": {about}" if about else "")


def drawn(text: object) -> str:
    """A name as text of a matplotlib picture, where two dollars would begin a formula and a name
    that begins with _ would be left out of a legend."""
    plain = str(text).replace("$", r"\$")
    return f" {plain}" if plain.startswith("_") else plain


def as_html(thing: object) -> str:
    """Text in columns, escaped."""
    return f'<pre style="line-height:1.35">{escape(str(thing))}</pre>'
