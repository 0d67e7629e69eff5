"""What a foreign format cannot express: an error, or a comment at the head of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from armillary.errors import FormatError, Remedy
from armillary.model import Contact, Distance, Limits, Loop, Model, Passive, Rotor, Surface, Wheel
from armillary.model.constraint_parts import titled
from armillary.model.parts import Shape
from armillary.model.passive import LOADS

# not from xml.sax, which loads a web client
_ENTITIES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"} | {c: f"&#{ord(c)};" for c in "\t\n\r"}
)
_LOST = "not found: "  # meshes that the file names in vain
_REMARK = re.compile(rf"<!-- (.*?) -->|# ((?:not in this table: |{_LOST}).*)")
# constraints for which neither URDF nor MJCF has words
_UNKNOWN: dict[type, str] = {
    Wheel: "rolling without slip",
    Distance: "a rod between two points",
    Surface: "a point that stays on a surface",
    Contact: "a contact with given motion",
}


class Losses:
    """Parts without words in a format.  The first is an error, unless losses are allowed."""

    def __init__(self, format_name: str, allowed: bool):
        self.format_name, self.allowed = format_name, allowed
        self.parts: list[str] = []

    def add(self, part: str, what: str) -> None:
        if not self.allowed:
            raise FormatError(
                f"{part}: {self.format_name} cannot express {what}.", remedy=Remedy("lossy")
            )
        self.remark(f"left out: {part}: {what}")

    def remark(self, text: str) -> None:
        """For the comment only."""
        self.parts.append(text)

    def surrounding(self, shape: Shape, body: str) -> Shape:
        """A shape that the format knows: the box or cylinder around one that it does not."""
        around = shape.surrounding
        if around is not shape:
            self.remark(f"body '{body}': a {around.kind} stands for the {shape.kind} inside it")
        return around

    def comment(self) -> list[str]:
        # two dashes would end the comment, and control characters are no XML
        lines = ("".join(c if c.isprintable() else "?" for c in text) for text in self.parts)
        return [f"<!-- {line.replace('--', '- -')} -->" for line in lines]


def common_losses(model: Model, losses: Losses) -> None:
    """What neither URDF nor MJCF has."""
    for what in ("base_velocity", "base_acceleration"):
        if any(getattr(model, what)):
            losses.add(what.replace("_", " "), "a moving base")
    for part in model.constraints:
        if type(part) in _UNKNOWN:
            losses.add(titled(part), _UNKNOWN[type(part)])
    for element in model.elements:
        losses.add(element.title, "forces between bodies")
    for body in model.bodies:
        if body.motor is not None:
            losses.add(f"body '{body.name}'", "the electrical data of its motor")
        for passive in body.joint.passive:
            for what in ("static", "smoothing", "table", "law", *LOADS):
                if getattr(passive, what):
                    losses.add(f"joint '{body.joint.name}'", f"`{what}` of its friction")
            if len(set(passive.each_way())) > 1:
                text = (
                    "Coulomb friction that differs between the directions (their mean is written)"
                )
                losses.add(f"joint '{body.joint.name}'", text)


def start_remark(model: Model, losses: Losses) -> None:
    """Where a mechanism starts, which neither URDF nor our MJCF holds."""
    if model.initial:
        pairs = zip(model.q_labels, model.initial, strict=True)
        start = ", ".join(f"{label} = {x:g}" for label, x in pairs if x)
        losses.remark(f"left out: the start, {start or 'all coordinates 0'}")


def remarks(text: str) -> list[str]:
    """What a writer says about losses, in the comments at the head of its file."""
    found = []
    for line in text.splitlines():
        match = _REMARK.fullmatch(line.strip())
        if match:
            found.append(match.group(1) or match.group(2))
        elif not line.startswith(("<?xml", "#")):
            break
    return found


def with_remarks(text: str, more: Sequence[str]) -> str:
    """The text of a file with more comments at its head."""
    if not more:
        return text
    if not text.startswith("<"):
        shown = (" ".join(line.split()) for line in more)
        return "".join(f"# {_LOST}{line}\n" for line in shown) + text
    losses = Losses("", True)
    for line in more:
        losses.remark(f"{_LOST}{line}")
    head, _, rest = text.partition("\n") if text.startswith("<?xml") else ("", "", text)
    return "\n".join(filter(None, [head, *losses.comment(), rest]))


def only_a_tree(model: Model, format_name: str) -> None:
    """For tables, which know no constraint and no force between bodies at all."""
    for element in model.elements:
        raise FormatError(f"{element.title}: {format_name} has only a tree. Write the native file.")
    for part in model.constraints:
        raise FormatError(f"{titled(part)}: {format_name} has only a tree. Write the native file.")


def joint_of_loop(loop: Loop, losses: Losses) -> None:
    """A joint that closes a chain is bare in the other formats."""
    spec = loop.joint
    data = (*spec.passive, *spec.rotors, *spec.limits)
    if any(entry not in (Passive(), Rotor(), Limits()) for entry in data):
        losses.add(titled(loop), "friction, rotors or limits in a joint that closes a chain")


def written_name(name: str, kind: str) -> str:
    """A name as a quoted XML attribute."""
    bad = [c for c in name if (ord(c) < 32 and c not in "\t\n\r") or 0xD800 <= ord(c) < 0xE000]
    if bad or "\ufffe" in name or "\uffff" in name:
        raise FormatError(f"{kind} {name!r}: XML cannot hold these characters. Rename it.")
    return f'"{name.translate(_ENTITIES)}"'


def written_row(values: Iterable[float]) -> str:
    """Numbers as the text of an XML attribute, with all their digits."""
    return " ".join(repr(float(x)) for x in values)
