"""`--draw-back KIND=NUMBERS`: what takes the place of projection, as `simulate(project=...)`."""

from __future__ import annotations

from collections.abc import Callable

from armillary.cli.options import Stepping
from armillary.constraints.drift import (
    CorrectiveForce,
    DrawnBack,
    Penalty,
    StabilizedPenalty,
    baumgarte_rates,
)
from armillary.errors import InputError, unknown_name


def _rates(alpha: float, beta: float) -> tuple[float, float]:
    return baumgarte_rates((alpha, beta))


# by word: what it makes, the names of its numbers, and how many of them are needed
KINDS: dict[str, tuple[Callable[..., DrawnBack], tuple[str, ...], int]] = {
    "rates": (_rates, ("ALPHA", "BETA"), 2),
    "corrective-force": (CorrectiveForce, ("KP", "KV"), 2),
    "penalty": (Penalty, ("STIFFNESS", "DAMPING"), 1),
    "stabilized-penalty": (StabilizedPenalty, ("WEIGHT", "RATE", "RATIO"), 2),
}


def projection(stepping: Stepping) -> bool | DrawnBack:
    """As `simulate` takes it."""
    text = stepping.draw_back
    if text is None:
        return stepping.project
    if not stepping.project:
        raise InputError("--draw-back and --no-project: give one of them.")
    word, _, typed = text.partition("=")
    if word not in KINDS:
        raise unknown_name("kind of --draw-back", word, tuple(KINDS), len(KINDS))
    make, names, least = KINDS[word]
    try:
        numbers = [float(x) for x in typed.split(",")]
    except ValueError:
        numbers = []
    if not least <= len(numbers) <= len(names):
        usage = ",".join(names[:least]) + "".join(f"[,{name}]" for name in names[least:])
        raise InputError(f"--draw-back: expected {word}={usage}, found '{text}'.")
    return make(*numbers)
