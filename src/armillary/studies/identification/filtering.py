"""Zero-phase filters, and rates of measured positions.

A Butterworth filter of fourth order is run forwards and backwards: its phase is zero, and its gain
1 / (1 + (f / f_c)^8).  Positions and rates lose what lies above the motion.  Measured forces and
the columns of the regressor then go through one and the same wider filter (dry friction has
corners) and are thinned out together to twice its frequency: the equation between them stays what
it was, and the noise of one instant is not that of the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.motion.rates import rates, slopes
from armillary.studies.identification.logs import Log

_ORDER = 4
_ABOVE = 100.0  # times the floor of the spectrum: the motion
_BEYOND = 5.0  # times its highest frequency: the cutoff
_HIGHEST = 0.4  # of the sampling rate
_WIDER = 8.0  # times the cutoff: that of forces and columns
_ENDS = 1.5  # periods of the cutoff that are left out at both ends


@dataclass(frozen=True)
class Motion:
    """States (T, n) at instants (T,), all finite."""

    time: Array
    q: Array
    v: Array
    a: Array


@dataclass(frozen=True)
class Filter:
    """What is done with every column of a log.  cutoff: of positions and rates, Hz, None: nothing
    is filtered; wide: of forces and columns, Hz; every: one instant of so many is kept; ends:
    instants left out at both ends."""

    cutoff: float | None
    step: float
    wide: float = 0.0
    every: int = 1
    ends: int = 0

    def motion(self, x: Array) -> Array:
        """Positions or rates (T, n) without what lies above the motion."""
        return x if self.cutoff is None else low_pass(x, self.cutoff, self.step)

    def forces(self, x: Array) -> Array:
        """Forces or columns (T, ...), filtered and thinned out."""
        return self.thinned(x if self.cutoff is None else low_pass(x, self.wide, self.step))

    def thinned(self, x: Array) -> Array:
        """The instants that count."""
        last = len(x) - self.ends
        return x[self.ends : last : self.every]

    def __str__(self) -> str:
        if self.cutoff is None:
            return "not filtered"
        return (
            f"motion low-pass {self.cutoff:.4g} Hz, forces {self.wide:.4g} Hz, one instant of "
            f"{self.every}"
        )


def low_pass(x: Array, cutoff: float, step: float) -> Array:
    """x (T, ...) at instants `step` apart without the frequencies above the cutoff, Hz."""
    from scipy.signal import butter, sosfiltfilt

    sections = butter(_ORDER, cutoff * 2.0 * step, output="sos")
    return np.asarray(sosfiltfilt(sections, x, axis=0))


def filter_for(log: Log, cutoff: float | None) -> Filter:
    """The filter of a log: at the given cutoff (Hz); where rates have to be found, at one beyond
    the frequencies of the motion; else none."""
    if cutoff is None and log.v is not None and log.a is not None:
        return Filter(None, log.step)
    log.refuse_uneven("filtering")
    rate = 1.0 / log.step
    if cutoff is None:
        cutoff = min(_BEYOND * highest_frequency(log.q, log.step), _HIGHEST * rate)
    if not 0.0 < cutoff < 0.5 * rate:
        raise InputError(
            f"cutoff: expected a frequency between 0 and half the sampling rate, {0.5 * rate:.6g} "
            f"Hz, found {cutoff:g}."
        )
    ends = ceil(_ENDS * rate / cutoff)
    wide = max(cutoff, min(_WIDER * cutoff, _HIGHEST * rate))
    every = max(1, ceil(0.5 * rate / wide))
    if len(log.time) - 2 * ends < 4 * every:
        raise InputError(
            f"{log.name}: {len(log.time)} instants over {log.time[-1] - log.time[0]:.3g} s are too "
            f"few for a filter of {cutoff:.3g} Hz, which needs {ends} of them at each end. Measure "
            "longer, or raise the cutoff."
        )
    return Filter(cutoff, log.step, wide, every, ends)


def highest_frequency(x: Array, step: float) -> float:
    """The highest frequency (Hz) at which some column of x (T, n) stands clear of its noise."""
    trend = np.linspace(0.0, 1.0, len(x))[:, None]
    level = x - (x[0] + (x[-1] - x[0]) * trend)
    power = np.abs(np.fft.rfft(level * np.hanning(len(x))[:, None], axis=0)) ** 2
    smooth = np.apply_along_axis(lambda p: np.convolve(p, np.ones(5) / 5.0, "same"), 0, power)
    frequencies = np.fft.rfftfreq(len(x), step)
    floor = np.median(smooth[len(smooth) // 2 :], axis=0)
    clear = smooth > np.maximum(_ABOVE * floor, 1e-12 * smooth.max())
    found = [frequencies[np.flatnonzero(column)[-1]] for column in clear.T if column.any()]
    return float(max(found, default=frequencies[-1]))


def motion_of(mechanism: Mechanism, log: Log, smooth: Filter) -> Motion:
    """q, v, a at all instants: filtered, and rates that were not measured by polynomials through
    neighbouring instants."""
    q = smooth.motion(log.q)
    if not mechanism.additive or smooth.cutoff is not None:
        q = mechanism.integrate(q, np.zeros((len(q), mechanism.nv)))  # quaternions of length one
    v = None if log.v is None else smooth.motion(log.v)
    a = None if log.a is None else smooth.motion(log.a)
    if v is None:
        v, second = rates(mechanism, log.time, q)
        a = second if a is None else a
    elif a is None:
        a = slopes(log.time, v)[0]
    assert a is not None
    return Motion(log.time, q, v, a)
