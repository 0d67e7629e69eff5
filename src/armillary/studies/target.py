"""A number of an experiment that a path names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.errors import InputError


@dataclass(frozen=True)
class Target:
    """A number that a path names.

    kind: mass, com, inertia, element, varied (of model/varied.py), start, input, voltage, motor,
    block, time.  owner: body, element, joint, or which block; steps: on from there.  least and
    most: bounds that it may not pass; open: nor reach.  also: paths that get the same number
    with it."""

    path: str
    kind: str
    owner: str = ""
    steps: tuple[str, ...] = ()
    value: float = np.nan
    unit: str = ""
    least: float = -np.inf
    open: bool = False
    most: float = np.inf
    also: tuple[str, ...] = ()

    def refuse(self, low: float, high: float, factor: str) -> None:
        """low, high: the least and the greatest number that are wanted here."""
        wrong = ""
        if low < self.least or (self.open and low <= self.least):
            bound = f"{'above' if self.open else 'from'} {self.least:g} {self.unit}".rstrip()
            wrong, end = f"{bound}, and the factor reaches {low:g}", "low"
        elif high > self.most:
            bound = f"at most {self.most:g} {self.unit}".rstrip()
            wrong, end = f"{bound}, and the factor reaches {high:g}", "high"
        if wrong:
            raise InputError(
                f"factor '{factor}': '{self.path}' has to be {wrong}. Give other values, or "
                f"bounds: {end}=..."
            )
