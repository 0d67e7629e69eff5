"""What a run was asked to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.clock import Effort


def _silent(_: str) -> None:
    pass


@dataclass(frozen=True)
class Setting:
    """effort: how long; program: Pinocchio in C++, or None and the reason why not."""

    effort: Effort = field(default_factory=Effort)
    robots: tuple[str, ...] = ()  # empty: all
    program: Path | None = None
    reason: str = "not asked for"
    say: Callable[[str], None] = _silent

    def native_note(self) -> tuple[str, ...]:
        return () if self.program else (f"Pinocchio C++: not built: {self.reason}",)
