"""Files against their schema: the first fault as a FormatError with part and line."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from armillary.errors import FormatError
from armillary.formats.native_fields import shown
from armillary.formats.yaml_tree import Node

Schema = TypeVar("Schema", bound=BaseModel)


def validated(
    schema: type[Schema],
    tree: Node,
    path: str,
    nouns: Mapping[str, str],
    kinds: Collection[str] = (),
) -> Schema:
    """The checked content of a file.  nouns: section -> what one entry of it is called; kinds: of
    entries, which are no steps on the way to a key."""
    try:
        return schema.model_validate(tree.plain())
    except ValidationError as faults:
        fault = faults.errors(include_url=False)[0]
        loc = tuple(fault["loc"])
        text = fault["msg"]
        if fault["type"] != "armillary":
            text = text.replace("Input should be", "expected") + f", found {shown(fault['input'])}."
        key = fault.get("ctx", {}).get("key")
        line = tree.line_of(loc if key is None else (*loc, key))
        raise FormatError(_part(loc, nouns, kinds) + text, path, line) from None


def _part(loc: tuple[object, ...], nouns: Mapping[str, str], kinds: Collection[str]) -> str:
    """('bodies', 'arm', 'joint', 'axis') -> "body 'arm', joint.axis: "."""
    named = 2 if loc and loc[0] in nouns else 0  # section and name of an entry stay
    tags = ("one", "each", "frame", "name", "[key]", *kinds)
    steps = [*loc[:named], *(s for s in loc[named:] if s not in tags)]
    head = ""
    if len(steps) >= 2 and steps[0] in nouns:
        head = f"{nouns[str(steps[0])]} '{steps[1]}'"
        steps = steps[2:]
    tail = "".join(f"[{s + 1}]" if isinstance(s, int) else f".{s}" for s in steps).lstrip(".")
    whole = ", ".join(t for t in (head, tail) if t)
    return f"{whole}: " if whole else ""
