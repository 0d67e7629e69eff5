"""What stands between the clock and the joints: controllers and actuators, as parts with states.

A part maps a command to joint forces and may own states z that are integrated with the mechanism:

    force(t, q, v, z, u) -> nv scalars        rate(t, q, v, z, u) -> dz/dt

q, v, z, u are lists of scalars: floats, columns (B,) of a batch, duals or nodes of a graph.  A
controller adds its force to the command u (feed-forward, usually zero).  An actuator turns the
command into a force; a joint it does not drive passes its command on unchanged.  Its `entries`
are those of v that it drives; without them it is asked which commands it changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.errors import InputError, unknown_name
from armillary.mechanism.mechanism import Mechanism
from armillary.scalar import Scalar, where
from armillary.sim.loop.answers import handed

Array = NDArray[np.float64]
Scalars = Sequence[Scalar]


class Part:
    """A controller or an actuator.

    period: None for a continuous part.  Else the time (s) between two samples: a controller's
    force is held between them, and so is the *command* u of an actuator (a converter holds its
    voltage; current and back EMF go on in continuous time)."""

    states: tuple[str, ...] = ()
    period: float | None = None
    built_for: tuple[str, ...] = ()  # name and degrees of freedom of the mechanism, see `made_for`
    array_level = False  # True: it calls the mechanism, so it takes floats and columns only

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        """States at the first instant; q, v: where the mechanism starts, if known."""
        return [0.0] * len(self.states)

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        """Joint forces (nv), N m or N."""
        raise NotImplementedError

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        """Derivatives of the part's own states."""
        return []

    def signals(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> dict[str, list[Scalar]]:
        """What may be recorded beside the force: name -> nv scalars."""
        return {}


class Chain(Part):
    """Parts one after the other: the force of one is the command of the next.

    Controllers add up, actuators of different joints stand side by side."""

    def __init__(self, *parts: Part):
        periods = {part.period for part in parts}
        if len(periods) > 1:
            raise InputError(
                f"a chain needs parts of one period; found {sorted(map(str, periods))}. "
                "Give the same period to all of them."
            )
        self.parts = parts
        self.period = periods.pop() if periods else None
        self.states = tuple(name for part in parts for name in part.states)
        self.array_level = any(part.array_level for part in parts)

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        return [x for part in self.parts for x in part.start(mechanism, q, v)]

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        for part, own in self._shared(z):
            u = part.force(t, *map(handed, (q, v, own, u)))
        return list(u)

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        rates: list[Scalar] = []
        for part, own in self._shared(z):
            rates += part.rate(t, *map(handed, (q, v, own, u)))
            u = part.force(t, *map(handed, (q, v, own, u)))
        return rates

    def signals(
        self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars
    ) -> dict[str, list[Scalar]]:
        found: dict[str, list[Scalar]] = {}
        for part, own in self._shared(z):
            for name, values in part.signals(t, *map(handed, (q, v, own, u))).items():
                known = found.get(name, [0.0] * len(values))
                found[name] = [x + y for x, y in zip(known, values, strict=True)]
            u = part.force(t, *map(handed, (q, v, own, u)))
        return found

    def _shared(self, z: Scalars) -> list[tuple[Part, Scalars]]:
        """Every part with its share of the states."""
        pairs, first = [], 0
        for part in self.parts:
            pairs.append((part, z[first : first + len(part.states)]))
            first += len(part.states)
        return pairs


# -- small tools over scalars --------------------------------------------------------------------


def clip(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """x kept in [low, high]; not-a-number stays so."""
    return where(x < low, low, where(x > high, high, x))


def columns_of(array: Array) -> list[Scalar]:
    """(n,) -> n floats; (B, n) -> n columns (B,)."""
    return [array[..., k] for k in range(array.shape[-1])]


def array_of(scalars: Scalars) -> Array:
    """n floats -> (n,); n columns (B,) -> (B, n).  Floats among columns are spread."""
    return np.stack(np.broadcast_arrays(*(np.asarray(x, float) for x in scalars)), axis=-1)


# -- names of degrees of freedom -----------------------------------------------------------------


def freedoms(mechanism: Mechanism, joints: Sequence[str] | str | None) -> list[int]:
    """Entries of v of joints ("rod1") or single coordinates ("rod1.dx"); None: all."""
    model = mechanism.model
    if joints is None:
        return list(range(model.nv))
    found: list[int] = []
    for name in [joints] if isinstance(joints, str) else joints:
        if name in model.v_labels:
            found.append(model.v_labels.index(name))
        elif name in model.moving_joints:
            slot = model.slots[model.joint_index[name]].v
            found += range(slot.start, slot.stop)
        else:
            raise unknown_name("joint", name, (*model.moving_joints, *model.v_labels))
    if len(set(found)) != len(found):
        raise InputError("joints: the same degree of freedom is named twice.")
    return found


def coordinates(mechanism: Mechanism, entries: Sequence[int]) -> list[int]:
    """The entry of q that belongs to each entry of v; joints with quaternions have none."""
    place: dict[int, int] = {}
    for joint, slot in zip(mechanism.model.joints, mechanism.model.slots, strict=True):
        if joint.nq == joint.nv:
            place.update(zip(range(slot.v.start, slot.v.stop), range(slot.q.start, slot.q.stop),
                             strict=True))  # fmt: skip
    for i in entries:
        if i not in place:
            raise InputError(
                f"'{mechanism.v_labels[i]}' turns by a quaternion and has no coordinate of its "
                "own to compare; use ComputedTorque, or a gimbal joint."
            )
    return [place[i] for i in entries]


def per_freedom(
    name: str, value: Any, count: int, labels: Sequence[str], above: float | None = None
) -> list[float]:
    """One number for all, one per entry, or {label: number} (others 0).  above: a bound that
    none may fall below."""
    if isinstance(value, dict):
        for key in value:
            if key not in labels:
                raise unknown_name(f"degree of freedom for {name}", key, labels)
        value = [value.get(label, 0.0) for label in labels]
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if array.ndim > 1 or (array.ndim == 1 and len(array) != count) or not np.isfinite(array).all():
        raise InputError(
            f"{name}: expected a finite number or {count} of them ({', '.join(labels)}), "
            f"found {value!r}."
        )
    numbers = [float(x) for x in np.broadcast_to(array, (count,))]
    for label, number in zip(labels, numbers, strict=True):
        if above is not None and number < above:
            raise InputError(f"{name} of '{label}': expected {above:g} or more, found {number:g}.")
    return numbers


def one_number(name: str, value: Any, above: float | None = None) -> float:
    """A finite number, not below the bound."""
    return per_freedom(name, value, 1, (name,), above)[0]


def positive_period(period: float | None, what: str = "period") -> float | None:
    if period is None:
        return None
    number = isinstance(period, (int, float, np.number)) and not isinstance(period, bool)
    if not (number and np.isfinite(period) and period > 0.0):
        raise InputError(f"{what}: expected a positive time in seconds or None, found {period!r}.")
    return float(period)


def made_for(mechanism: Mechanism) -> tuple[str, ...]:
    """What tells mechanisms apart for a part: the name, and the labels of v."""
    return (mechanism.name, *mechanism.v_labels)


def check_part(part: Any, mechanism: Mechanism) -> None:
    """Refuse a part that was built for a mechanism with other degrees of freedom."""
    here = made_for(mechanism)
    for own in getattr(part, "parts", (part,)):
        built = getattr(own, "built_for", ())
        if built and built[1:] != here[1:]:
            raise InputError(
                f"{type(own).__name__}: it was built for {_shown(built)}, the run is of "
                f"{_shown(here)}. Build it with the mechanism that is simulated."
            )


def _shown(made: tuple[str, ...]) -> str:
    name, *labels = made
    shown = ", ".join([*labels[:4], *(["..."] if len(labels) > 4 else [])])
    return f"'{name}' with {len(labels)} degrees of freedom ({shown})"
