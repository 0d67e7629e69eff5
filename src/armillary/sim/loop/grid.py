"""The instants of a run: origin + k step, by their number k, and the end."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor

import numpy as np

from armillary.errors import InputError

MOST_STEPS = 1e11  # of a run: days at a million steps in a second
MOST_SAMPLES = 1e6  # of a block in a step
MOST_NUMBERS = 1e10  # of a recording in memory: 80 GB
_COARSE = 1e-2  # of a step: times further apart do not count steps
_SLACK = 1e-9  # of a step


@dataclass(frozen=True)
class Grid:
    """Numbers from `first` to `last`: the instants after `start`.

    Times are origin + k step to the last bit, however often a run was interrupted; only an end that
    lies between two of them is a time of its own.  short: the first step is no whole one, as it
    begins where a file ended between two instants."""

    origin: float
    step: float
    every: int
    first: int
    last: int
    end: float
    short: bool = False

    @classmethod
    def of(cls, start: float, origin: float, end: float, step: float, every: int) -> Grid:
        passed, whole = (start - origin) / step, (end - origin) / step
        near = _SLACK + 4.0 * float(np.spacing(max(abs(origin), abs(end)))) / step
        first = floor(passed + near) + 1
        last = max(ceil(whole - near), first - 1)
        if abs(whole - last) <= near:
            end = origin + last * step
        return cls(origin, step, every, first, last, end, passed - (first - 1) > near)

    def time(self, k: int) -> float:
        return self.end if k == self.last else self.origin + k * self.step

    def wanted(self, k: int) -> bool:
        """Is this instant recorded?"""
        return k % self.every == 0 or k == self.last

    @property
    def last_whole(self) -> int:
        """The last number that is reached by a whole step."""
        whole = abs(self.end - (self.origin + self.last * self.step)) <= _SLACK * self.step
        return self.last if whole else self.last - 1


def check_span(t0: float, duration: float, step: float) -> None:
    """Refuse a run that would not come to its end in days, or whose time would stand still."""
    steps = duration / step
    if not steps <= MOST_STEPS:
        raise InputError(
            f"duration: {duration:g} s in steps of {step:g} s are {steps:.3g} steps; at most "
            f"{MOST_STEPS:g} are taken. Use a shorter duration, or a longer step: "
            f"step={duration / MOST_STEPS:.2g} or more."
        )
    apart = float(np.spacing(max(abs(t0), abs(t0 + duration))))
    if apart > _COARSE * step:
        raise InputError(
            f"t0: at {t0 + duration:g} s two neighbouring times are {apart:.2g} s apart, too "
            f"coarse for steps of {step:g} s. Count the time from 0, or from a later instant."
        )


def check_period(what: str, period: float, t0: float, end: float, step: float) -> None:
    """Refuse samples of a block that come so often that a run would not end, that a step of them
    fits into no memory, or that time would stand still between two."""
    apart = float(np.spacing(max(abs(t0), abs(end)))) / _COARSE
    least = max((end - t0) / MOST_STEPS, step / MOST_SAMPLES, apart)
    if period < least:
        raise InputError(
            f"{what}: a period of {period:g} s is {(end - t0) / period:.3g} samples until "
            f"{end:g} s, {step / period:.3g} of them in a step of {step:g} s; at most "
            f"{MOST_STEPS:g} and {MOST_SAMPLES:g} are taken, and times at {end:g} s must tell them "
            f"apart. Give period={1.01 * least:.3g} or more."
        )


def check_memory(grid: Grid, width: int) -> None:
    """Refuse a recording that fits into no memory; width: numbers per instant."""
    instants = (grid.last - grid.first + 1) / grid.every
    share = instants * width / MOST_NUMBERS
    if share > 1.0:
        raise InputError(
            f"record: {instants:.3g} instants with {width} numbers each do not fit into memory. "
            f"Record fewer of them, every={ceil(grid.every * share)} or more, or into a file: "
            f"out='run.nc'."
        )
