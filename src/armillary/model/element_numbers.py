"""Numbers and coordinates of force elements as a person gives them, checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from armillary.errors import ModelError, unknown_name
from armillary.model.builder_constraints import known_coordinate
from armillary.model.checks import number, numbers, unit_axis
from armillary.model.elements.along import AlongForce
from armillary.model.elements.element import ForceElement
from armillary.model.elements.line import Table
from armillary.model.elements.turning import NO_MATRIX, Bushing, Six, SixBySix
from armillary.model.elements.tyre import Tyre
from armillary.model.joints import kernel_joint, named_axis
from armillary.model.parts import Body

Matrix6 = Sequence[float] | Sequence[Sequence[float]]  # a diagonal, or all rows


def weights_of(part: str, coordinates: Mapping[str, float]) -> tuple[float, ...]:
    if not isinstance(coordinates, Mapping) or not coordinates:
        raise ModelError(
            f"{part}: expected coordinates with their weights, such as {{'motor': 1, 'load': -50}},"
            f" found {coordinates!r:.60}."
        )
    return tuple(number(x, f"{part}, weight of '{n}'") for n, x in coordinates.items())


def between_coordinates(
    part: ForceElement, labels: dict[str, str], bodies: list[Body]
) -> ForceElement:
    """Its coordinates are known, and count; it is in the unit of the first of them."""
    if not isinstance(part.law, AlongForce):
        raise ModelError(f"{part.title}: it acts between frames, found {part.coordinates}.")
    units = []
    for label in part.coordinates:
        known_coordinate(part.title, label, labels, bodies)
        body = next(b for b in bodies if b.joint.name == labels[label])
        joint = kernel_joint(body.joint)
        if joint.nq != joint.nv:
            raise ModelError(
                f"{part.title}: a {body.joint.kind} joint ('{body.joint.name}') has no coordinates "
                f"that could be added up. Use a torsion_spring or a bushing between its bodies."
            )
        coordinate = label[len(labels[label]) + 1 :]
        k = joint.coordinates.index(coordinate) if coordinate else 0
        units.append(joint.units[k])
    return replace(part, law=replace(part.law, unit=units[0]))


def rows_of(part: str, name: str, rows: Iterable[Sequence[float]]) -> Table:
    if not isinstance(rows, Iterable):
        raise ModelError(f"{part}, {name}: expected rows of 2 numbers, found {rows!r:.60}.")
    return tuple(numbers(row, 2, f"{part}, {name}") for row in rows)  # type: ignore[misc]


def ends_of(part: str, given: object) -> tuple[Any, ...]:
    """Frames, or names of them."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ModelError(f"{part}: expected two frames or more, found {given!r:.60}.")
    return tuple(given)


def named_numbers(part: str, given: object) -> dict[str, float]:
    """Numbers by name."""
    if not isinstance(given, Mapping | None):
        raise ModelError(f"{part}: expected {{name: number}}, found {given!r:.60}.")
    return {n: number(x, f"{part} {n}") for n, x in (given or {}).items()}


def six_of(part: str, values: object) -> Six:
    return numbers(values, 6, part)  # type: ignore[return-value]


def matrix_of(part: str, given: Matrix6) -> SixBySix:
    """6x6, of the matrix or of its diagonal."""
    if not isinstance(given, Iterable):
        raise ModelError(f"{part}: expected 6x6 numbers, or 6 of a diagonal, found {given!r:.60}.")
    rows = list(given)
    if not rows:
        return NO_MATRIX
    if len(rows) == 6 and all(hasattr(row, "__len__") for row in rows):
        return tuple(six_of(part, row) for row in rows)  # type: ignore[return-value]
    diagonal = six_of(part, rows)
    return tuple(tuple(x if i == k else 0.0 for i in range(6)) for k, x in enumerate(diagonal))  # type: ignore[return-value]


def refuse_not_finite(part: str, value: object) -> None:
    if isinstance(value, tuple):
        for x in value:
            refuse_not_finite(part, x)
    elif not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ModelError(f"{part}: expected a finite number, found {value!r:.60}.")


def with_numbers(part: ForceElement, changes: object) -> ForceElement:
    """The same element with other numbers of its law, {name: value}, checked as at first."""
    if not isinstance(changes, Mapping):
        raise ModelError(f"{part.title}: expected {{name: value}}, found {changes!r:.60}.")
    if isinstance(part.law, Tyre):
        return replace(part, law=part.law.renumbered(part.title, dict(changes)))
    law, known, found = part.law, [x for x in vars(part.law) if x != "unit"], {}
    for name, value in changes.items():
        if name not in known:
            raise unknown_name(f"number of {part.title}", name, known)
        what, old = f"{part.title}, {name}", getattr(law, name)
        if name not in law.numbers:
            found[name] = value
        elif name in ("table", "damper_table"):
            found[name] = rows_of(part.title, name, value)
        elif name == "axis":
            found[name] = unit_axis(named_axis(value), what)[0]
        elif isinstance(law, Bushing) and isinstance(old[0], tuple):
            found[name] = matrix_of(what, value)
        elif isinstance(old, tuple):
            found[name] = numbers(value, len(old), what)
        else:
            found[name] = number(value, what)
        if name in law.numbers:
            refuse_not_finite(what, found[name])
    law = replace(law, **found)
    law.check(part.title)
    return replace(part, law=law)
