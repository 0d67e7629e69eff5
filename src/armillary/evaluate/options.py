"""How a mechanism is compiled."""

from __future__ import annotations

from dataclasses import dataclass

import armillary.codegen.sources  # noqa: F401 - notes when the package was imported
from armillary.codegen.target import Lanes, lanes
from armillary.errors import InputError


@dataclass(frozen=True)
class CompileOptions:
    """Settings of the compiled functions.

    tier: 1 (loop kernels, shared by all robots), 2 (straight-line code of this mechanism) or None
    (2 where the operations stay within the budget).  threads: that share the rows of a batch where
    that pays, at most as many as there are processors.  lanes: states of a batch that are worked on
    together, 2, 4, 8 or 16; None: as many as a register of this processor holds.
    geometry_tolerance: constraints that differ by less than this part of the machine's size count
    as dependent, and loops that are open by less as closed; give the accuracy of the numbers in the
    model where it is coarser than 1e-9.  None: that of the digits in the file it came from."""

    tier: int | None = None
    budget: int = 12_000  # operations of a straight-line kernel; more compile for seconds
    threads: int = 1
    lanes: int | None = None
    geometry_tolerance: float | None = None

    def __post_init__(self) -> None:
        if self.tier not in (None, 1, 2):
            raise InputError(f"tier: expected 1, 2 or None, found {self.tier!r}.")
        given = self.geometry_tolerance
        if given is not None and not (isinstance(given, (int, float)) and 0.0 <= given < 0.1):
            raise InputError(
                f"geometry_tolerance: expected a number from 0 to 0.1 (of the machine's size), "
                f"found {self.geometry_tolerance!r}."
            )
        if self.lanes is not None and (
            type(self.lanes) is not int or self.lanes not in (2, 4, 8, 16)
        ):
            raise InputError(f"lanes: expected 2, 4, 8, 16 or None, found {self.lanes!r}.")
        if self.threads < 1:
            raise InputError(f"threads: expected at least 1, found {self.threads}.")

    def simd(self, batched: bool, element: str = "double") -> Lanes:
        """How many states of a batch are worked on together, or one."""
        return lanes(batched, element, self.lanes)
