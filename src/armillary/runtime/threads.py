"""Threads that share a job of native calls, which let go of the GIL: plain threads of Python.

An interrupt (Ctrl-C) may strike the calling thread between any two instructions.  Whatever it
leaves behind must neither block a thread nor hand it memory that is gone: queues and lists whose
single operations are atomic, no locks, and a count of what has begun before it begins.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
_LOOK = 0.05  # s: a wake-up that an interrupt swallowed is missed for no longer


class Threads:
    """The calling thread and members - 1 others."""

    def __init__(self, members: int):
        self.members = members

    def each(self, function: Callable[[T], None], arguments: Sequence[T]) -> None:
        """function(argument) for every argument, in any order, each once.

        It returns, or raises KeyboardInterrupt, when no thread works on the job any more: whatever
        the arguments point to may go then."""
        job = _Job(function, arguments)
        try:
            for _ in range(min(self.members, len(arguments)) - 1):
                _jobs(os.getpid(), self.members - 1).put(job)
            job.work()
        finally:
            job.finish()
        if job.failures:
            raise job.failures[0]


class _Helped(Protocol):
    def help(self) -> None: ...


class _Job(Generic[T]):
    """Arguments that are taken one by one, by whoever is free."""

    def __init__(self, function: Callable[[T], None], arguments: Sequence[T]):
        self._function, self._left = function, deque(arguments)
        self._begun: list[None] = []  # by helpers; only their lengths count
        self._ended: list[None] = []
        self._news: SimpleQueue[None] = SimpleQueue()
        self.failures: list[Exception] = []

    def work(self) -> None:
        while self._left:
            try:
                argument = self._left.popleft()
            except IndexError:  # another thread took the last one
                return
            self._function(argument)

    def help(self) -> None:
        """The same in another thread, which says that it begins before it takes anything."""
        self._begun.append(None)
        try:
            self.work()
        except Exception as error:
            self.failures.append(error)
        finally:
            self._ended.append(None)
            self._news.put(None)

    def finish(self) -> None:
        """Take nothing more, and wait for those that work; an interrupt is raised afterwards."""
        interrupt: KeyboardInterrupt | None = None
        while True:
            try:
                self._left.clear()
                # threads that begin after this find nothing left
                while len(self._ended) < len(self._begun):
                    try:
                        self._news.get(timeout=_LOOK)
                    except Empty:
                        continue
                break
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt


def threads(wanted: int) -> Threads | None:
    """Who shares a job; None: the caller alone, no more is wanted or there is no second core."""
    members = min(wanted, cores())
    return Threads(members) if members > 1 else None


def cores() -> int:
    """Processors that this thread may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _jobs(process: int, count: int) -> SimpleQueue[_Helped]:
    """Where threads wait for jobs, as long as the process lives; a forked process has its own.
    They are fewer where the interpreter is shutting down."""
    jobs: SimpleQueue[_Helped] = SimpleQueue()

    def serve() -> None:
        while True:
            jobs.get().help()

    for k in range(count):
        try:
            Thread(target=serve, name=f"armillary_{k}", daemon=True).start()
        except RuntimeError:
            break
    return jobs
