"""YAML text to a small tree with line numbers, safely.

Every scalar stays text: the schema says which is a number, so `axis: y`, a body called `no` and
`1e-3` mean what they say, whichever YAML version the author has in mind.  No tags, no duplicate
keys, and bounded size: anchors cannot blow a small file up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml

from armillary.errors import FormatError

MAX_DEPTH = 32
MAX_NODES = 2_000_000  # ten thousand bodies need about a million
_NULLS = ("", "~", "null", "Null", "NULL")
_PARSER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# what a file holds: texts, nothing, lists and mappings
Plain: TypeAlias = "str | list[Plain] | dict[str, Plain] | None"


@dataclass(slots=True)
class Node:
    """A scalar (text or None), a list or a mapping, and the line it starts on."""

    value: str | list[Node] | dict[str, Node] | None
    line: int
    nodes: int = 1  # with everything below, aliases counted each time
    key_lines: dict[str, int] | None = None  # of a mapping

    def plain(self) -> Plain:
        """The same as dicts, lists, texts and None."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def line_of(self, steps: Sequence[object]) -> int:
        """Line of what the steps (keys and numbers) lead to; of the last part that exists."""
        node, line = self, self.line
        for step in steps:
            value, lines = node.value, node.key_lines or {}
            if isinstance(value, dict) and isinstance(step, str) and step in value:
                line, node = lines[step], value[step]
            elif isinstance(value, list) and isinstance(step, int):
                if step >= len(value):
                    break
                node = value[step]
                line = node.line
        return line


@dataclass
class _Open:
    """A collection whose end is still to come."""

    node: Node
    anchor: str | None
    key: str | None = None
    key_line: int = 0


def load_tree(text: str, path: str | None = None) -> Node:
    """The one document of the text."""
    root: Node | None = None
    stack: list[_Open] = []
    anchors: dict[str, Node | None] = {}
    for event in _events(text, path):
        line = event.start_mark.line + 1
        done, anchor = _finished(event, stack, anchors, path, line)
        if isinstance(event, yaml.DocumentStartEvent) and root is not None:
            raise FormatError("expected one YAML document, found a second one.", path, line)
        if done is None:
            continue
        if anchor is not None:
            anchors[anchor] = done
        if not stack:
            root = done
        else:
            _add(stack[-1], done, path, line)
    if root is None:
        raise FormatError("the file is empty. A mechanism starts with `armillary: 1`.", path, 1)
    return root


def _events(text: str, path: str | None) -> Iterator[Any]:
    try:
        yield from yaml.parse(text, Loader=_PARSER)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        line = mark.line + 1 if mark is not None else None
        why = ", ".join(t for t in (fault.context, fault.problem) if t)
        raise FormatError(f"this is no YAML: {why}.", path, line) from None
    except yaml.YAMLError as fault:
        why = " ".join(str(fault).split())
        raise FormatError(f"this is no YAML: {why}.", path) from None
    except UnicodeError:
        raise FormatError("the text holds half a surrogate pair; save it as UTF-8.", path) from None


def _finished(
    event: Any, stack: list[_Open], anchors: dict[str, Node | None], path: str | None, line: int
) -> tuple[Node | None, str | None]:
    """The node that this event completes (a collection: when it ends) and its anchor."""
    if getattr(event, "tag", None) is not None:
        raise FormatError(
            f"found the tag {event.tag!r}. A mechanism file has no tags; remove it.", path, line
        )
    if isinstance(event, yaml.ScalarEvent):
        empty = event.implicit[0] and event.value in _NULLS
        key_wanted = stack and isinstance(stack[-1].node.value, dict) and stack[-1].key is None
        value = None if empty and not key_wanted else event.value
        return Node(value, line), event.anchor
    if isinstance(event, yaml.AliasEvent):
        return _alias(str(event.anchor), anchors, path, line), None
    if isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
        if len(stack) >= MAX_DEPTH:
            raise FormatError(f"nested deeper than {MAX_DEPTH} levels.", path, line)
        if event.anchor is not None:
            anchors[event.anchor] = None
        listed = isinstance(event, yaml.SequenceStartEvent)
        node = Node([], line) if listed else Node({}, line, key_lines={})
        stack.append(_Open(node, event.anchor))
        return None, None
    if isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
        closed = stack.pop()
        return closed.node, closed.anchor
    return None, None


def _alias(anchor: str, anchors: dict[str, Node | None], path: str | None, line: int) -> Node:
    if anchor not in anchors:
        raise FormatError(f"the alias *{anchor} has no anchor &{anchor} before it.", path, line)
    target = anchors[anchor]
    if target is None:
        raise FormatError(f"the alias *{anchor} stands inside its own anchor.", path, line)
    return target


def _add(parent: _Open, child: Node, path: str | None, line: int) -> None:
    """Put a complete node into the collection that is being read."""
    node, value, lines = parent.node, parent.node.value, parent.node.key_lines
    if isinstance(value, list):
        value.append(child)
    elif not isinstance(value, dict) or lines is None:
        raise TypeError("a scalar holds nothing")
    elif parent.key is None:
        if not isinstance(child.value, str):
            raise FormatError("a key must be a plain name, found a collection.", path, line)
        if child.value in value:
            raise FormatError(
                f"the key '{child.value}' is there twice (first on line "
                f"{lines[child.value]}). Remove or rename one.",
                path,
                line,
            )
        parent.key, parent.key_line = child.value, child.line
        return
    else:
        value[parent.key] = child
        lines[parent.key] = parent.key_line
        parent.key = None
    node.nodes += child.nodes
    if node.nodes > MAX_NODES:
        raise FormatError(
            f"more than {MAX_NODES} entries, aliases counted each time. Split the mechanism.",
            path,
            line,
        )
