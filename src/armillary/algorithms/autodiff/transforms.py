"""Derivatives as transforms from algorithm to algorithm, for algorithms of walks over the bodies.

`tangent`: how the result changes along a change of the inputs; dual numbers go through the steps.
`gradient`: how weight · result changes with every input; the steps are recorded, and for every pass
a mirrored one sweeps the record back.  What went outward comes back inward and the other way round:

  b.x = F(p.x)   outward      p.x_bar += F^T b.x_bar    inward
  p.f += F(b.f)  inward       b.f_bar = F^T p.f_bar     outward

Both cost a few times the algorithm itself, however many degrees of freedom there are, and are
compiled like any other.  q moves on its tangent space.
Checked against complex steps and the matrices of derivatives.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from armillary.algorithms.autodiff.taped import Taped, sweep
from armillary.algorithms.interpreter import leaves
from armillary.algorithms.passes import Algorithm, Base, Inward, Outward, Record, Step
from armillary.scalar import Dual, Scalar, dot
from armillary.spatial import Motion, Vector

MOVING = ("q", "v", "a", "tau")  # inputs that have derivatives


def _arguments(algorithm: Algorithm) -> tuple[str, ...]:
    return tuple(name for name in algorithm.reads if name in MOVING)


def _fields(algorithm: Algorithm) -> frozenset[str]:
    """What goes from body to body."""
    return frozenset(algorithm.world(Base(Vector(), Motion.zero(), Motion.zero())))


def _like(template: object, values: Sequence[Scalar]) -> Any:
    """An object of the template's type with these leaves."""
    if hasattr(template, "from_leaves"):
        return type(template).from_leaves(values)
    return values[0]


def _nothing_like(template: object) -> Any:
    return _like(template, [0] * len(leaves(template)))


def _walks(algorithm: Algorithm) -> tuple[Outward | Inward, ...]:
    walks = tuple(p for p in algorithm.passes if isinstance(p, (Outward, Inward)))
    if len(walks) != len(algorithm.passes):
        raise ValueError(f"'{algorithm.name}' is not made of walks over the bodies alone")
    return walks


# ---------------------------------------------------------------- tangent


@cache
def tangent(algorithm: Algorithm, result: str) -> Algorithm:
    """reads dq, dv, ... as well; writes d<result>: its change along them."""
    arguments, fields = _arguments(algorithm), _fields(algorithm)

    def dual(step: Step) -> Step:
        def along(b: Record, p: Record, j: Record) -> None:
            if "moving" not in vars(j):
                j.moving = {name: _moving(name, b, j) for name in arguments}
            step(_DualBody(b, fields), _DualBody(p, fields), _DualJoint(j, result))

        return along

    def world(g: Base) -> dict[str, object]:
        start = algorithm.world(g)
        return start | {f"{name}_rate": _nothing_like(x) for name, x in start.items()}

    return Algorithm(
        f"{algorithm.name}_tangent",
        tuple(type(p)(dual(p.step)) for p in _walks(algorithm)),
        world,
        (*algorithm.reads, *(f"d{name}" for name in arguments)),
        {f"d{result}": algorithm.writes[result]},
    )


def _moving(name: str, b: Record, j: Record) -> tuple[Scalar, ...]:
    """An input with its change as slope; of q the rate of the coordinates."""
    values, change = getattr(j, name), getattr(j, f"d{name}")
    slopes = b.joint.rate(values, change) if name == "q" else change
    return tuple(_dual(x, s) for x, s in zip(values, slopes, strict=True))


def _dual(x: Scalar, slope: Scalar) -> Scalar:
    """A number that does not move stays plain, so that structural zeros do their work."""
    return x if type(slope) is int and slope == 0 else Dual(x, slope)


class _DualBody:
    """A body or parent as steps on dual numbers see it: a field and its rate are one."""

    def __init__(self, record: Record, fields: frozenset[str]):
        self.__dict__.update(record=record, fields=fields)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.record, name)
        if name not in self.fields:
            return value
        rates = leaves(getattr(self.record, f"{name}_rate"))
        return _like(value, [_dual(x, r) for x, r in zip(leaves(value), rates, strict=True)])

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.fields:
            setattr(self.record, name, value)
            return
        duals = [Dual.lift(x) for x in leaves(value)]
        setattr(self.record, name, _like(value, [x.value for x in duals]))
        setattr(self.record, f"{name}_rate", _like(value, [x.slope for x in duals]))


class _DualJoint:
    """The joint's numbers as steps on dual numbers see them."""

    def __init__(self, record: Record, result: str):
        self.__dict__.update(record=record, result=result)

    def __getattr__(self, name: str) -> Any:
        moving = self.record.moving
        return moving[name] if name in moving else getattr(self.record, name)

    def __setattr__(self, name: str, value: Sequence[Scalar]) -> None:
        self.record.moving[name] = value
        if name == self.result:
            setattr(self.record, f"d{name}", tuple(Dual.lift(x).slope for x in value))


# ---------------------------------------------------------------- gradient


@cache
def gradient(algorithm: Algorithm, result: str) -> Algorithm:
    """reads `weight` as well; writes gradient_q, gradient_v, ...: of weight · result."""
    arguments, walks = _arguments(algorithm), _walks(algorithm)
    fields, last = _fields(algorithm), len(walks) - 1

    def recorded(stage: int, step: Step) -> Step:
        def record(b: Record, p: Record, j: Record) -> None:
            if stage == 0:
                b.sheet = _Sheet()
                j.taped = {name: _all_taped(b.sheet, getattr(j, name)) for name in arguments}
            sheet = b.sheet
            sheet.pages.append(_Page(first=len(sheet.tape)))
            step(_TapedBody(b, sheet, fields), _TapedParent(p, sheet), _TapedJoint(j, sheet))
            sheet.pages[-1].last = len(sheet.tape)
            if stage == last:  # before any child hands something back
                sheet.refuse()
                for name in sheet.handed():
                    setattr(b, f"{name}_bar", _nothing_like(getattr(b, name)))

        return record

    def mirrored(stage: int) -> Step:
        def hand_back(b: Record, p: Record, j: Record) -> None:
            _hand_back(b, p, j, stage, result)
            if stage == 0:
                for name in arguments:
                    bars = [x.bar for x in j.taped[name]]
                    setattr(j, f"gradient_{name}", _tangent(b, j, bars) if name == "q" else bars)

        return hand_back

    def world(g: Base) -> dict[str, object]:
        start = algorithm.world(g)
        return start | {f"{name}_bar": _nothing_like(x) for name, x in start.items()}

    there = [type(p)(recorded(stage, p.step)) for stage, p in enumerate(walks)]
    back = [
        (Outward if isinstance(p, Inward) else Inward)(mirrored(stage))
        for stage, p in enumerate(walks)
    ]
    return Algorithm(
        f"{algorithm.name}_gradient",
        (*there, *reversed(back)),
        world,
        (*algorithm.reads, "weight"),
        {f"gradient_{name}": "dof" for name in arguments},
    )


def _all_taped(sheet: _Sheet, values: Sequence[Scalar]) -> tuple[Taped, ...]:
    return tuple(Taped(sheet.tape, x) for x in values)


def _tangent(b: Record, j: Record, bars: Sequence[Scalar]) -> list[Scalar]:
    """From the coordinates of q to its tangent space: the transpose of the joint's rate."""
    n = b.joint.nv
    units = [tuple(1 if k == i else 0 for k in range(n)) for i in range(n)]
    return [dot(b.joint.rate(j.q, unit), bars) for unit in units]


@dataclass
class _Page:
    """What one pass did: taped objects by the names of their fields."""

    written: dict[str, object] = field(default_factory=dict)  # own fields
    borrowed: dict[str, object] = field(default_factory=dict)  # read from the parent
    added: dict[str, object] = field(default_factory=dict)  # sums, written to the parent
    totals: dict[str, tuple[object, object]] = field(
        default_factory=dict
    )  # own: with children, without
    results: dict[str, Any] = field(default_factory=dict)  # of the joint
    first: int = 0  # where it begins on the tape
    last: int = 0


class _Sheet:
    """What was recorded of one body, pass by pass."""

    def __init__(self) -> None:
        self.tape: list[Taped] = []
        self.pages: list[_Page] = []
        self.known: dict[str, tuple[object, object]] = {}  # own fields: plain, taped

    def new(self, value: object) -> Any:
        """Taped, as something given; structural numbers stay."""
        made = [x if type(x) is int else Taped(self.tape, x) for x in leaves(value)]
        return _like(value, made)

    def handed(self) -> list[str]:
        """Fields that children read: the children sum up their bars."""
        added = {name for page in self.pages for name in page.added}
        return sorted({name for page in self.pages for name in page.borrowed} - added)

    def refuse(self) -> None:
        """A field has one bar, so it may play one part only."""
        added = {name for page in self.pages for name in page.added}
        written = [name for page in self.pages for name in page.written]
        for page in self.pages:
            for name in (set(page.borrowed) - set(page.added)) & added:
                raise ValueError(f"p.{name} is added to in one pass and read in another")
        for name in set(written):
            if written.count(name) > 1:
                raise ValueError(f"b.{name} is written in two passes")


class _TapedBody:
    """A body while its steps are recorded."""

    def __init__(self, record: Record, sheet: _Sheet, fields: frozenset[str]):
        self.__dict__.update(record=record, sheet=sheet, page=sheet.pages[-1], fields=fields)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.record, name)
        if name not in self.fields:
            return value
        plain, taped = self.sheet.known[name]
        if plain is not value:  # children have added to it
            total = self.sheet.new(value)
            self.page.totals[name] = (total, taped)
            self.sheet.known[name] = (value, total)
            return total
        return taped

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.fields:
            setattr(self.record, name, value)
            return
        plain = _plain(value)
        setattr(self.record, name, plain)
        self.sheet.known[name] = (plain, value)
        self.page.written[name] = value


class _TapedParent:
    """The parent while the steps of a body are recorded."""

    def __init__(self, record: Record, sheet: _Sheet):
        self.__dict__.update(record=record, sheet=sheet, page=sheet.pages[-1])

    def __getattr__(self, name: str) -> Any:
        if name not in self.page.borrowed:
            self.page.borrowed[name] = self.sheet.new(getattr(self.record, name))
        return self.page.borrowed[name]

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.record, name, _plain(value))
        self.page.added[name] = value


class _TapedJoint:
    """The joint's numbers while steps are recorded."""

    def __init__(self, record: Record, sheet: _Sheet):
        self.__dict__.update(record=record, page=sheet.pages[-1])

    def __getattr__(self, name: str) -> Any:
        taped = self.record.taped
        return taped[name] if name in taped else getattr(self.record, name)

    def __setattr__(self, name: str, value: object) -> None:
        self.record.taped[name] = self.page.results[name] = value


def _plain(value: object) -> Any:
    return _like(value, [x.value if isinstance(x, Taped) else x for x in leaves(value)])


def _bars(value: object) -> Any:
    return _like(value, [x.bar if isinstance(x, Taped) else 0 for x in leaves(value)])


def _seed(values: Sequence[Scalar], bars: Sequence[Scalar]) -> None:
    for x, bar in zip(values, bars, strict=True):
        if isinstance(x, Taped):
            x.bar = x.bar + bar


def _hand_back(b: Record, p: Record, j: Record, stage: int, result: str) -> None:
    """The mirror of one step: bars of what it made go to what it was made of."""
    page, handed = b.sheet.pages[stage], b.sheet.handed()
    for name, value in page.written.items():
        if name in handed:
            _seed(leaves(value), leaves(getattr(b, f"{name}_bar")))
    for name, value in page.added.items():
        _seed(leaves(value), leaves(getattr(p, f"{name}_bar")))
    if result in page.results:
        _seed(page.results[result], j.weight)
    sweep(b.sheet.tape[page.first : page.last])
    for name, (total, own) in page.totals.items():
        bars = _bars(total)
        setattr(b, f"{name}_bar", bars)
        _seed(leaves(own), leaves(bars))
    for name, value in page.borrowed.items():
        if name in handed:
            old = getattr(p, f"{name}_bar")
            sums = [x + y for x, y in zip(leaves(old), leaves(_bars(value)), strict=True)]
            setattr(p, f"{name}_bar", _like(old, sums))
