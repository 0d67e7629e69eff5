"""Numbers of a model that are finite but so large that products of them are not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from armillary.errors import ModelError
from armillary.model.constraint_parts import NOUNS
from armillary.model.parts import Body, Limits, Motor, Shape
from armillary.model.report import Report

LARGEST = 1e50  # in SI units; an inertia times the square of a velocity is still finite then
_ASIDE = (Limits, Motor, Shape, Report)  # no equation of motion multiplies them


def refuse_large(parts: tuple[tuple[str, object], ...]) -> None:
    """The first number of named parts beyond `LARGEST` is refused with its place."""
    for name, part in parts:
        for place, number in _numbers(part, name):
            if math.isfinite(number) and abs(number) > LARGEST:
                raise ModelError(
                    f"{place}: {number:.6g} is too large to calculate with; numbers of a model "
                    f"(SI units) stay below {LARGEST:.0e}."
                )


def _numbers(part: object, place: str) -> Iterator[tuple[str, float]]:
    """All numbers of a part, each with the way to it."""
    if isinstance(part, (int, float)):
        yield place, float(part)
    elif isinstance(part, (tuple, list)):
        for entry in part:
            if not (isinstance(entry, Body) and _plain(entry)):
                yield from _numbers(entry, place)
    elif is_dataclass(part) and not isinstance(part, (type, *_ASIDE)):
        name = getattr(part, "name", None)
        kind = NOUNS.get(type(part), type(part).__name__.lower())
        here = f"{kind} '{name}'" if isinstance(name, str) else place
        for field in fields(part):
            yield from _numbers(getattr(part, field.name), f"{here}, {field.name}")


def _plain(body: Body) -> bool:
    """Most bodies of a large model can be passed by at a glance."""
    joint, mass = body.joint, body.mass
    values = (mass.mass, *mass.com, *mass.tensor, *body.at.position)
    other = joint.passive or joint.rotors or joint.pitch or joint.kind == "general"
    return not other and max(map(abs, values)) <= LARGEST
