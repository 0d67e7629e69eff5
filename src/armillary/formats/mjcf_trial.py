"""A trial of an unusual MJCF model in a process of its own, with a limit of memory and time.

Counts that are known to cost memory are bounded in the text (mjcf_scan) or not compiled at all
(mjcf_strip), so a plain model is compiled at once.  One that multiplies its parts or makes meshes
from formulas is compiled in a child first: if that fails for want of memory or time, this process
never begins.  The child takes about a second to start."""

from __future__ import annotations

import contextlib
import subprocess
import sys

from armillary.errors import FormatError
from armillary.formats.mjcf_compile import compiled_model
from armillary.formats.references import Bounds

MEMORY = 2 * 2**30  # bytes beyond what MuJoCo takes to start
SECONDS = 60
_TOO_MUCH = 3  # how the child ends when memory was refused
_CRASH = 2**8  # from here on Windows tells of a crash; other systems by a negative number
_WORDS = ("allocate", "unknown exception", "bad_alloc")  # MuJoCo without memory


def trial(name: str, bounds: Bounds) -> None:
    """Refuse a model that needs more than the limits.  Other faults are found again, and told, by
    the compilation that follows."""
    command = [sys.executable, "-m", __name__, name, bounds.folder, bounds.root]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=2 * SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise _refusal(name) from None
    except OSError:
        return  # no processes here
    if done.returncode == _TOO_MUCH or not 0 <= done.returncode < _CRASH:
        raise _refusal(name)


def _refusal(name: str) -> FormatError:
    return FormatError(
        f"the model takes more than {MEMORY / 2**30:.0f} GB or {SECONDS} s to compile. Are the "
        f"counts of <replicate>, <composite>, <flexcomp> or the params of a mesh meant?",
        name,
    )


def _limit() -> None:
    """Where the system has such limits; the parent's patience ends in any case."""
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    with contextlib.suppress(OSError, ValueError, StopIteration):
        with open("/proc/self/status") as status:
            line = next(line for line in status if line.startswith("VmSize:"))
        most = int(line.split()[1]) * 1024 + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _main(name: str, folder: str, root: str) -> int:
    with contextlib.suppress(ImportError):
        import mujoco  # noqa: F401
    _limit()
    try:
        compiled_model(name, Bounds(folder, root))
    except MemoryError:
        return _TOO_MUCH
    except FormatError as fault:
        return _TOO_MUCH if any(word in str(fault) for word in _WORDS) else 0
    return 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
