"""Many answers to one question: who agrees with whom, and to how many digits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from armillary.evaluate.inputs import Array

AGREE = 1e-10  # of the terms that an answer is the sum of: further apart is another answer


@dataclass(frozen=True)
class Agreement:
    """Answers by name, in the unit and with the size of the terms each entry is a sum of.

    refused: formulations that do not know this mechanism, and why.  tolerance: what is further
    apart is another answer."""

    quantity: str
    unit: str
    answers: Mapping[str, Array]
    scale: Array
    refused: Mapping[str, str] = field(default_factory=dict)
    tolerance: float = AGREE

    def apart(self, x: Array, y: Array) -> float:
        """Largest difference of two answers, relative to the terms in play; infinite where one is
        no number."""
        off = np.abs(x - y)
        if not np.isfinite(off).all():
            return np.inf
        return float((off / np.where(self.scale > 0.0, self.scale, 1.0)).max(initial=0.0))

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Names that agree with each other, the largest group first."""
        found: list[list[str]] = []
        for name, answer in self.answers.items():
            for group in found:
                if self.apart(answer, self.answers[group[0]]) <= self.tolerance:
                    group.append(name)
                    break
            else:
                found.append([name])
        return tuple(tuple(group) for group in sorted(found, key=len, reverse=True))

    @cached_property
    def consensus(self) -> Array:
        """The median of the largest group."""
        return np.asarray(np.median([self.answers[name] for name in self.groups[0]], axis=0))

    def differences(self) -> dict[str, float]:
        """How far every answer is from the consensus."""
        return {name: self.apart(x, self.consensus) for name, x in self.answers.items()}

    @property
    def agreed(self) -> bool:
        return len(self.groups) <= 1 and all(np.isfinite(x).all() for x in self.answers.values())

    @property
    def decided(self) -> bool:
        """More than half of the answers are one: the others are wrong."""
        return 2 * len(self.groups[0]) > len(self.answers) if self.groups else True

    @property
    def odd(self) -> tuple[str, ...]:
        """Those that contradict most of the others; all of them, where there is no majority."""
        if self.agreed:
            return ()
        wrong = self.groups[1:] if self.decided else self.groups
        return tuple(name for group in wrong for name in group) or self.groups[0]

    def digits(self) -> dict[str, float]:
        """Decimal digits of agreement with the consensus; 16 where nothing differs."""
        return {
            name: min(16.0, -float(np.log10(max(x, 1e-16))))
            for name, x in self.differences().items()
        }

    def __str__(self) -> str:
        lines = [f"{self.quantity} [{self.unit}]"]
        digits = self.digits()
        for number, group in enumerate(self.groups):
            if len(self.groups) > 1:
                lines.append(f"  answer {number + 1}:")
            lines += [f"  {max(digits[name], 0.0):>5.1f} digits  {name}" for name in group]
        return "\n".join(lines)
