"""Results of batches whose memory is used again once nobody holds them any more.

The system hands out large memory page by page, each filled with zeros first, and takes it back as
soon as it is free: for the derivatives of a quadruped that is a third of the time.  The last
results are therefore kept, a few for the whole process.  (Native calls leave results of tens of
megabytes to Python, and with them their memory.)
"""

from __future__ import annotations

import sys
import weakref
from functools import cache
from math import prod
from threading import Lock
from typing import Any

import numpy as np

from armillary.evaluate.kernel import LARGE

_MOST = 2**27  # bytes of all


class KeptResults:
    """Arrays that were given out, the oldest first."""

    def __init__(self, least: int = LARGE, most: int = _MOST):
        self._least, self._most = least, most
        self._arrays: list[np.ndarray] = []
        self._lock = Lock()
        self._alone = self._holders([np.empty(1)], 0)

    @staticmethod
    def _holders(arrays: list[np.ndarray], k: int) -> int:
        """References to array k, with those of the lines that ask."""
        return sys.getrefcount(arrays[k]) if _holders_are_counted() else 0

    def empty(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """As np.empty: new memory, or that of an array which nobody else holds."""
        size = prod(shape) * np.dtype(dtype).itemsize
        if not (self._least <= size <= self._most and _holders_are_counted()):
            return np.empty(shape, dtype)
        with self._lock:
            for k in range(len(self._arrays)):
                if self._free(k, shape, np.dtype(dtype)):
                    array = self._arrays.pop(k)
                    self._arrays.append(array)
                    return array
            array, gone = np.empty(shape, dtype), []
            self._arrays.append(array)
            while sum(kept.nbytes for kept in self._arrays) > self._most:
                gone.append(self._arrays.pop(0))
        return array  # old arrays are freed outside the lock: a finalizer may ask for a result

    def _free(self, k: int, shape: tuple[int, ...], dtype: np.dtype) -> bool:
        """Does nobody else hold it, and is it still what it was?"""
        if self._holders(self._arrays, k) != self._alone:
            return False
        array = self._arrays[k]
        flags = array.flags
        whole = flags.c_contiguous and flags.owndata and flags.writeable and flags.aligned
        same = array.shape == shape and array.dtype == dtype and whole
        return same and weakref.getweakrefcount(array) == 0


@cache
def _holders_are_counted() -> bool:
    """By this interpreter, exactly: not where threads run without a common lock."""
    locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    return sys.implementation.name == "cpython" and bool(locked)


@cache
def kept_results() -> KeptResults:
    """Those of this process."""
    return KeptResults()
