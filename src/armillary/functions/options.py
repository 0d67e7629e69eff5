"""How a mechanism is compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from armillary.errors import InputError

if TYPE_CHECKING:
    from armillary.compiler.cache import Cache


@dataclass(frozen=True)
class CompileOptions:
    """Settings of the compiled functions.

    tier: 1 (loop kernels, shared by all robots), 2 (straight-line code of this mechanism) or None
    (2 where the operations stay within the budget).  threads: for batches."""

    tier: int | None = None
    budget: int = 10_500  # operations of a straight-line kernel; more compile for seconds
    threads: int = 1

    def __post_init__(self) -> None:
        if self.tier not in (None, 1, 2):
            raise InputError(f"tier: expected 1, 2 or None, found {self.tier!r}.")
        if self.threads < 1:
            raise InputError(f"threads: expected at least 1, found {self.threads}.")


def object_cache() -> Cache:
    """Where compiled objects are kept between processes."""
    from armillary.compiler.cache import default_cache

    return default_cache()
