"""The reference of the native file as a Markdown page, written from its schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from armillary.formats.native_schema import native_schema

Schema = dict[str, Any]  # a JSON schema, or a part of one

_HEAD = """\
# The native file

Every key of a native YAML file, version 1, with its meaning and unit. Units are SI and radians
throughout. Frames, signs and the order of coordinates: [conventions](conventions.md). Files from
Python: `mechanism.save("arm.yaml")`, `am.load("arm.yaml")`.

This page is written from the schema: `armillary schema --markdown > docs/file-format.md`. For
editors, `armillary schema` prints the same as JSON schema.

```yaml
armillary: 1
name: pendulum
bodies:
  rod:
    parent: world
    joint: {type: revolute, axis: y, friction: {viscous: 0.01}}
    mass: 1.0
    com: [0, 0, -0.5]
    inertia: {xx: 0.08, yy: 0.08}
initial: {rod: 0.3}
```
"""


def reference() -> str:
    """Markdown: one table of keys for the file, then one for every kind of entry."""
    schema = native_schema()
    parts = ["## The file", _table(schema)]
    for name in dict.fromkeys(_entries(schema, schema["$defs"])):
        entry = schema["$defs"][name]
        parts += [f"## {_title(name)}", " ".join(entry["description"].split()), _table(entry)]
    return "\n\n".join([_HEAD.rstrip(), *parts]) + "\n"


def _entries(part: object, entries: Schema) -> Iterator[str]:
    """Names of the entries that a part of the schema refers to, each before its own parts."""
    if isinstance(part, dict):
        if name := str(part.get("$ref", "")).rpartition("/")[2]:
            yield name
            yield from _entries(entries[name], entries)
        part = [value for key, value in part.items() if key != "$defs"]
    for value in part if isinstance(part, list) else ():
        yield from _entries(value, entries)


def _title(name: str) -> str:
    """PrescribedMotionEntry -> Prescribed motion."""
    return " ".join(re.findall("[A-Z][a-z]+", name.removesuffix("Entry"))).capitalize()


def _table(entry: Schema) -> str:
    rows = ["| key | type | default | meaning |", "|---|---|---|---|"]
    for key, field in entry["properties"].items():
        default = "required" if key in entry.get("required", ()) else _value(field.get("default"))
        rows.append(f"| `{key}` | {_type(field)} | {default} | {field['description']} |")
    return "\n".join(rows)


def _value(default: object) -> str:
    """Empty collections, poses at the origin and nothing are not worth a word."""
    if isinstance(default, list) and default:
        return f"`[{', '.join(map(_word, default))}]`"
    return (
        "" if isinstance(default, (list, dict)) or default in (None, "") else f"`{_word(default)}`"
    )


def _word(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _type(field: Schema) -> str:
    """What may stand there, in words; entries are links to their tables."""
    if name := field.get("$ref", "").rpartition("/")[2]:
        title = _title(name)
        return f"[{title}](#{title.lower().replace(' ', '-')})"
    several: list[Schema] = field.get("anyOf") or field.get("oneOf") or []
    choices = [x for x in several if x.get("type") != "null"]
    if choices:
        return " or ".join(dict.fromkeys(map(_type, choices)))
    if "enum" in field:
        return ", ".join(f"`{x}`" for x in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if field.get("type") == "object":
        return f"mapping of {_type(field['additionalProperties'])}"
    if field.get("type") != "array":
        return "text" if field["type"] == "string" else str(field["type"])
    inside = field.get("prefixItems") or [field["items"]]
    least, most = field.get("minItems"), field.get("maxItems")
    count = f"{least} " if least == most else f"{least} to {most} "
    words = _type(inside[0])
    return f"list of {count if least else ''}{'numbers' if words == 'number' else words}"
