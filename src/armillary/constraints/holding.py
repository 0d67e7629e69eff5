"""Joints and coordinates that are held while the rest of a mechanism gives way.

What is held is a set of rows like those of the constraints: H x = given, for the velocities, the
accelerations or a step of the position.  A name is a joint (all its entries), an entry of v
(`rear-frame.wz`), or a coordinate of q that is a length (`rear-frame.px`, along the world's axis).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.nullspace import Factor, Scaling
from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import named_values as by_name
from armillary.evaluate.named_states import names_of, rate_entries, rate_rows

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations

Names = Iterable[str] | str


class Held:
    """What is held, in the order of the names."""

    def __init__(self, equations: Equations, names: Names = ()):
        self.model, self.equations = equations.model, equations
        self.names = names_of("hold", names)
        found: list[tuple[str, int]] = []
        for name in self.names:
            found += rate_entries(self.model, name)
        self.entries = list(dict.fromkeys(found))
        units = {"v": self.model.v_units, "q": self.model.q_units}
        lengths = [units[kind][k] == "m" for kind, k in self.entries]
        self.sizes = np.where(lengths, 1.0, equations.scaling.length)

    def __bool__(self) -> bool:
        return bool(self.entries)

    def rows(self, q: Array) -> Array:
        """H (h, nv) at q (nq)."""
        return rate_rows(self.model, self.entries, q)

    def factor(self, J: Array, scaling: Scaling, q: Array, tolerance: float) -> Factor:
        """Of the rows J and those that are held."""
        sizes = np.concatenate([scaling.rows, self.sizes])
        scaled = Scaling(scaling.length, sizes, scaling.columns)
        return Factor(np.concatenate([J, self.rows(q)]), scaled, tolerance)

    def free(self, q: Array) -> Array:
        """(nv, nv) projector on the scaled steps (entries over their sizes) that hold."""
        s = self.equations.scaling
        H = self.sizes[:, None] * self.rows(q) * (s.columns / s.length)
        return np.eye(self.model.nv) - np.linalg.pinv(H, rcond=1e-9) @ H

    def put_back(self, q: Array, start: Array) -> Array:
        """q with held lengths exactly as in `start`: they are the coordinates themselves."""
        q = q.copy()
        for kind, k in self.entries:
            if kind == "q":
                q[..., k] = start[..., k]
        return q


@dataclass(frozen=True)
class Named:
    """Numbers that are given by name, for one state or a batch."""

    held: Held
    values: Array  # (B, h)
    single: bool

    def row(self, k: int) -> Named:
        """Those of one state."""
        return self if len(self.values) == 1 else Named(self.held, self.values[k : k + 1], True)

    def of(self, count: int) -> Array:
        """One row for each of so many states."""
        return np.broadcast_to(self.values, (count, self.values.shape[1]))


def named_values(
    equations: Equations, name: str, given: Mapping[str, ArrayLike], finite: bool = True
) -> Named:
    """{joint or coordinate: x} of v or a (v0, ...), to be held; finite: also in batches."""
    found = by_name(equations.model, name[0], given, name)
    if finite and not np.isfinite(found.values).all():
        raise InputError(f"{name}: expected finite numbers, found {dict(given)!r}.")
    return Named(Held(equations, given), found.values, found.single)
