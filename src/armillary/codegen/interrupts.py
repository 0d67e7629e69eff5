"""Ctrl-C while native code calls Python back, or is released: held until that is over.

A signal is handled at the first instruction of whatever Python runs next.  In a callback that may
lie outside every `try`, and an exception would be lost on its way through native code; in a
finalizer (`__del__`, a weak reference's callback) Python drops it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any


class HeldInterrupt:
    """While it is entered, an interrupt is only noted; `delivered` calls the handler it was meant
    for."""

    def __init__(self) -> None:
        self.came: tuple[int, FrameType | None] | None = None
        self._meant_for: Any = None

    def __enter__(self) -> HeldInterrupt:
        self.came = self._meant_for = None
        if threading.current_thread() is threading.main_thread():  # others get no signals
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):
                self._meant_for = handler
                signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.came = (number, frame)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._meant_for is not None:
            signal.signal(signal.SIGINT, self._meant_for)

    def delivered(self) -> BaseException | None:
        """What the handler makes of a noted interrupt: as a rule, a KeyboardInterrupt."""
        if self.came is None:
            return None
        try:
            self._meant_for(*self.came)
        except BaseException as raised:
            return raised
        return None


@contextmanager
def uninterrupted() -> Iterator[None]:
    """An interrupt within is raised at the end."""
    held = HeldInterrupt()
    try:
        with held:
            yield
    finally:
        if (raised := held.delivered()) is not None:
            raise raised
