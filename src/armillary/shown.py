"""Results as people see them: `repr` is what `print` shows, and a notebook shows it as text."""

from __future__ import annotations

from html import escape
from typing import TypeVar

Class = TypeVar("Class", bound=type)


def shown(cls: Class) -> Class:
    """A class whose objects show themselves by their `str`, at the prompt and in notebooks."""
    setattr(cls, "__repr__", cls.__str__)  # noqa: B010 - what a class shows is set from outside
    setattr(cls, "_repr_html_", as_html)  # noqa: B010
    return cls


def as_html(thing: object) -> str:
    """Text in columns, escaped."""
    return f'<pre style="line-height:1.35">{escape(str(thing))}</pre>'
