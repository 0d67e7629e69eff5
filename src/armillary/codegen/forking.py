"""What a forked process must not inherit: LLVM in the middle of its work, locks of lost threads."""

from __future__ import annotations

import functools
import gc
import os
import sys
import threading

# One thread at a time uses LLVM.  A fork waits until none does: the child would have LLVM as
# another thread left it, with locks that nobody there can open.
LLVM_LOCK = threading.RLock()


def _in_child() -> None:
    LLVM_LOCK.release()
    if sys.version_info >= (3, 12):
        return
    # until Python 3.11 cached properties have locks, and other threads may have held them
    for found in gc.get_objects():
        if isinstance(found, functools.cached_property) and _ours(found):
            found.lock = threading.RLock()  # type: ignore[attr-defined]


def _ours(found: functools.cached_property) -> bool:
    return found.func.__module__.startswith("armillary")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=LLVM_LOCK.acquire, after_in_parent=LLVM_LOCK.release, after_in_child=_in_child
    )
