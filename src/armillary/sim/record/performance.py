"""How the steps of a run were made: in native code, or in Python and why."""

from __future__ import annotations

from dataclasses import dataclass, field

NATIVE = "in the native loop"
ASKED = NATIVE + ", which asks blocks or functions in Python"


@dataclass
class Performance:
    """Steps and seconds by how they were made: `NATIVE`, `ASKED`, or the reason why not.

    A step of a batch is one step, however many runs it moves."""

    steps: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, how: str, steps: int, seconds: float) -> None:
        self.steps[how] = self.steps.get(how, 0) + steps
        self.seconds[how] = self.seconds.get(how, 0.0) + seconds

    @property
    def native(self) -> float:
        """Share of the steps that were made in native code."""
        own = sum(count for how, count in self.steps.items() if how.startswith(NATIVE))
        return own / max(sum(self.steps.values()), 1)

    def __str__(self) -> str:
        lines = [f"{'steps':>10}{'s':>11}{'µs/step':>11}  made"]
        for how in sorted(self.steps, key=lambda how: -self.seconds[how]):
            count, seconds = self.steps[how], self.seconds[how]
            each = 1e6 * seconds / max(count, 1)
            made = how if how.startswith(NATIVE) else f"in Python: {how}"
            lines.append(f"{count:>10}{seconds:>11.4f}{each:>11.2f}  {made}")
        return "\n".join(lines)
