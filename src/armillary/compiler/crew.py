"""Threads for batches: made when the first job needs them, gone before the process ends.

One crew serves one job at a time; who comes meanwhile works alone.  A forked process has the
memory of a crew but none of its threads: there it begins anew.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

from armillary.compiler import crewcode, crewrows
from armillary.compiler.crewcode import FUNCTIONS, Seat
from armillary.compiler.jit import Library, add_symbol
from armillary.compiler.target import native

_LINE = 128  # bytes


class Crew:
    """A caller and members - 1 threads.  `close` it before it is dropped."""

    def __init__(self, members: int):
        self.members = members
        words = crewcode.Crew.SEATS + members * Seat.SIZE
        self._memory = (ctypes.c_int64 * (words + _LINE // 8))()
        self.address = -(-ctypes.addressof(self._memory) // _LINE) * _LINE
        self._code = _library()
        self._fields = (ctypes.c_int64 * words).from_address(self.address)
        self._fields[crewcode.Crew.MEMBERS] = members
        self.begin()

    @property
    def batch_address(self) -> int:
        """`void batch(ctx)` that shares the rows of a context with the field CREW."""
        return self._code.addresses["batch"]

    def begin(self) -> None:
        """Without threads; in a forked process, too."""
        self._code.call("begin")(self.address)

    def close(self) -> None:
        """Wait until the threads have gone.  Jobs that still come are done by their callers."""
        self._code.call("stop")(self.address)

    def each(self, function: Callable[[int], None], arguments: Sequence[int]) -> None:
        """Call a compiled function (`Library.call`) for every argument, in any order."""
        address = ctypes.cast(cast(Any, function), ctypes.c_void_p).value or 0
        job = (ctypes.c_int64 * (3 + len(arguments)))(
            self.address, address, len(arguments), *arguments
        )
        self._code.call("each")(ctypes.addressof(job))

    @property
    def served(self) -> list[int]:
        """Pieces of jobs that the callers and each thread have done."""
        first, size = crewcode.Crew.SEATS + Seat.SERVED, Seat.SIZE
        seats = 1 + self._fields[crewcode.Crew.WORKERS]
        return [self._fields[first + k * size] for k in range(seats)]


class Pool:
    """Threads of Python instead, where a system has no others that we know."""

    def __init__(self, members: int):
        self.members = members

    def each(self, function: Callable[[int], None], arguments: Sequence[int]) -> None:
        """As `Crew.each`."""
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self.members) as pool:
            list(pool.map(function, arguments))


def gang(threads: int) -> Crew | Pool | None:
    """Who shares jobs of long pieces; None: the caller alone, there is no second core."""
    members = min(threads, cores())
    return (crew(members) or Pool(members)) if members > 1 else None


@cache
def crew(members: int) -> Crew | None:
    """The crew of this process with so many members; None where it cannot be."""
    if not possible():
        return None
    made = Crew(members)
    atexit.register(made.close)
    os.register_at_fork(after_in_child=made.begin)
    return made


@cache
def possible() -> bool:
    """Has this system POSIX threads, and native code for them?"""
    if not native():
        return False
    if not hasattr(os, "register_at_fork") or not hasattr(signal, "SIG_SETMASK"):
        return False
    return all(hasattr(_process(), name) for name in FUNCTIONS)


def cores() -> int:
    """Processors that this thread may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _process() -> Any:
    """The C functions of this process."""
    return ctypes.CDLL(None)


@cache
def _library() -> Library:
    own = _process()
    for name in FUNCTIONS:
        address = ctypes.cast(getattr(own, name), ctypes.c_void_p).value or 0
        add_symbol(f"armillary_{name}", address)
    text = crewcode.text(time.CLOCK_MONOTONIC, int(signal.SIG_SETMASK))
    text += "\n\n" + crewrows.text()
    return Library(text, ["batch", "each", "begin", "stop"], optimize=2)
