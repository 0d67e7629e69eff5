"""One comparison: a quantity of the library, where the other numbers come from, digits stated."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Numbers = np.ndarray


@dataclass(frozen=True)
class Comparison:
    """`run` gives the library's numbers and the others; agreement counts against the largest."""

    group: str
    what: str
    against: str
    digits: int  # stated: no fewer agree
    run: Callable[[], tuple[Numbers, Numbers]]

    def measured(self) -> float:
        """Digits of the largest number that agree in all of them, 0 to 16; NaN agrees in none."""
        ours, theirs = (np.asarray(x) for x in self.run())
        if ours.shape != theirs.shape:
            raise ValueError(f"{self.what}: shapes {ours.shape} and {theirs.shape} differ.")
        error = np.abs(ours - theirs).max() / np.abs(theirs).max()
        return float(np.clip(-np.log10(max(error, 1e-16)), 0.0, 16.0)) if error >= 0.0 else 0.0
