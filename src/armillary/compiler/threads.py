"""Threads that share a job of native calls, which let go of the GIL: plain threads of Python."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import Any


class Threads:
    """The calling thread and members - 1 others."""

    def __init__(self, members: int):
        self.members = members

    def each(self, function: Callable[[Any], None], arguments: Sequence[Any]) -> None:
        """function(argument) for every argument, in any order, each once.

        It returns, or raises KeyboardInterrupt, when no thread works on the job any more: whatever
        the arguments point to may go then."""
        left = deque(arguments)

        def work() -> None:
            while left:
                try:
                    argument = left.popleft()
                except IndexError:  # another thread took the last one
                    return
                function(argument)

        helpers = self._start(work, min(self.members, len(arguments)) - 1)
        try:
            work()
        finally:
            _finish(helpers)
        for helper in helpers:
            if not helper.cancelled():
                helper.result()

    def _start(self, work: Callable[[], None], count: int) -> list[Future[None]]:
        """Fewer than `count` where the interpreter is shutting down."""
        helpers: list[Future[None]] = []
        for _ in range(count):
            try:
                helpers.append(_pool(os.getpid(), self.members - 1).submit(work))
            except RuntimeError:
                break
        return helpers


def _finish(helpers: list[Future[None]]) -> None:
    """Wait for those that have begun; an interrupt meanwhile is raised afterwards."""
    for helper in helpers:
        helper.cancel()
    interrupt: KeyboardInterrupt | None = None
    while not all(helper.done() for helper in helpers):
        try:
            wait(helpers)
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
def _pool(process: int, count: int) -> ThreadPoolExecutor:
    """Threads that wait for work; a forked process has its own."""
    return ThreadPoolExecutor(count, "armillary")
