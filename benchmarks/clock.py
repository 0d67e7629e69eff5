"""Times of several runners, taken in turns: noise of the machine hits all of them alike.

A runner is asked for the seconds that n calls take.  The time of a runner is the smallest of many
short samples: what the code needs when nobody disturbs it.  Work on one thread is timed by the
processor time of the whole process, so that waiting for a busy machine does not count, and a
helper thread would.
"""

from __future__ import annotations

import time
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Runner = Callable[[int], float]


@dataclass(frozen=True)
class Effort:
    """How much time a run may take."""

    repeats: int = 300  # samples per runner
    seconds: float = 4.0  # per row; three samples are taken in any case
    span: float = 1e-3  # s, length of a sample
    batch: int = 4096  # states
    processes: int = 7  # fresh processes for start-up times
    largest: int = 10_000  # bodies
    variants: int = 1_000_000  # of a study that is streamed
    build: bool = True  # may a C++ compiler run for minutes


QUICK = Effort(repeats=30, seconds=0.6, processes=2, variants=50_000, build=False)


def statement(text: str, names: Mapping[str, Any], threads: int = 1) -> Runner:
    """A Python statement as a user would type it."""
    timer = time.process_time if threads == 1 else time.perf_counter
    return timeit.Timer(text, timer=timer, globals=dict(names)).timeit


def race(runners: Mapping[str, Runner], effort: Effort) -> dict[str, float]:
    """Seconds per call of every runner."""
    counts = {name: _count(runner, effort.span) for name, runner in runners.items()}
    best = dict.fromkeys(runners, float("inf"))
    end = time.perf_counter() + effort.seconds
    for turn in range(max(effort.repeats, 1)):
        for name, runner in runners.items():
            best[name] = min(best[name], runner(counts[name]) / counts[name])
        if turn >= 2 and time.perf_counter() > end:
            break
    return best


def _count(runner: Runner, span: float) -> int:
    """Calls that fill a sample; the first call is for compiling and warming up."""
    runner(1)
    count = 1
    while (took := runner(count)) < 0.5 * span:
        count = max(2 * count, min(int(count * span / max(took, 1e-9)), 100 * count))
    return count
