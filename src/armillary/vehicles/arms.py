"""Arms of suspensions: on an ideal hinge, or on two bushings of rubber."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armillary.errors import InputError
from armillary.model.parts import BodyData, Triple
from armillary.vehicles.assembling import (
    Assembler,
    Data,
    bar_shape,
    middle,
    minus,
    rod,
    unit,
    z_along,
)

SIX = ("rx", "ry", "rz", "dx", "dy", "dz")


@dataclass(frozen=True)
class Bushing(Data):
    """Rubber in one pivot of an arm, or in the mount of a strut: N/m across and along its axis,
    N m/rad against tilting and turning, and the damping of all of them as a time, s (damping = time
    x stiffness)."""

    radial: float = 6.0e6
    axial: float = 1.0e6
    tilting: float = 1500.0
    turning: float = 60.0
    time: float = 5.0e-4
    POSITIVE = frozenset({"radial", "axial"})


@dataclass(frozen=True)
class Pivots:
    """The two pivots of an arm by their words, with the rubber in each (None: an ideal hinge)."""

    points: dict[str, Triple]
    rubber: tuple[Bushing, Bushing] | None = None


def rubber_of(
    title: str, both: object, second: object, word: str
) -> tuple[Bushing, Bushing] | None:
    """Bushings of the first and the second pivot, of what a suspension was given; word: the
    argument of the second one."""
    for name, given in (("bushing", both), (word, second)):
        if given is not None and not isinstance(given, Bushing):
            raise InputError(f"{title}: {name} is a Bushing(...) or None, found {given!r:.60}.")
    if not isinstance(both, Bushing):
        if second is not None:
            raise InputError(
                f"{title}: {word} is there and bushing is not. Give bushing, too: an arm has "
                f"rubber in both pivots or in none."
            )
        return None
    return both, second if isinstance(second, Bushing) else both


def put_arm(
    a: Assembler, name: str, pivots: Pivots, tip: Triple, side: float, mass: float
) -> dict[str, float]:
    """An arm between two pivots of the carrier and an outer point; its part in the twist of an
    anti-roll bar."""
    first, second = pivots.points.values()
    origin = middle(first, second)
    axis = _in_bump(minus(first, second), minus(tip, origin))
    solid: BodyData = rod(mass, origin, tip, origin)
    solid["shapes"] = [bar_shape(p, tip, origin) for p in (first, second)]
    if pivots.rubber is None:
        a.body(name, a.carrier, "revolute", origin, axis=axis, **solid)
        return {name: side}  # positive angles lift the wheel
    # on rubber it turns about any axis: two bars from the pivots to the tip, with their own breadth
    solid |= _two_bars(mass, (first, second), tip, origin)
    a.body(name, a.carrier, "gimbal", origin, free=SIX, **solid)
    for (word, point), rubber in zip(pivots.points.items(), pivots.rubber, strict=True):
        put_rubber(a, name, point, axis, rubber, f"-{word}")
    parts = zip(("rx", "ry", "rz"), axis, strict=True)
    return {f"{name}.{r}": side * x for r, x in parts if x}


def put_rubber(
    a: Assembler, body: str, point: Triple, axis: Triple, rubber: Bushing, word: str = ""
) -> None:
    """Rubber between the carrier and a body at a point, its axis along the given one."""
    label, turned = f"{body}{word}-bushing", z_along(axis)
    ends = [
        a.frame(f"{label}.{end}", of, point, turned)
        for end, of in (("carrier", a.carrier), ("arm" if word else "mount", body))
    ]
    k = [rubber.tilting, rubber.tilting, rubber.turning]
    k += [rubber.radial, rubber.radial, rubber.axial]
    damping = [rubber.time * x for x in k]
    a.builder.bushing(label, *ends, stiffness=k, damping=damping)


def _two_bars(mass: float, feet: tuple[Triple, Triple], tip: Triple, origin: Triple) -> BodyData:
    """Mass, centre and tensor (xx, yy, zz, xy, xz, yz) of two round bars that meet at the tip."""
    bars = [rod(0.5 * mass, foot, tip, origin) for foot in feet]
    center = middle(bars[0]["com"], bars[1]["com"])
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    tensor = [0.0] * 6
    for bar in bars:
        d = minus(bar["com"], center)
        square = sum(x * x for x in d)
        for k, (i, j) in enumerate(pairs):
            tensor[k] += bar["inertia"][k]
            tensor[k] += 0.5 * mass * ((square if i == j else 0.0) - d[i] * d[j])
    return {"mass": mass, "com": center, "inertia": tensor}


def _in_bump(line: Sequence[float], lever: Sequence[float]) -> Triple:
    """The axis along a line about which positive turns lift the end of the lever."""
    x, y, z = unit(line)
    lifts = x * lever[1] - y * lever[0] > 0.0  # z of axis × lever
    return (x, y, z) if lifts else (-x, -y, -z)
