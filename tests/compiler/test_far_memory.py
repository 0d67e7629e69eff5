"""Code where memory is full of holes: a large array of the user's lies between them.

The system then gives pieces of memory that are further apart than the 2 GB over which code reads
its constants; LLVM ended the process there (relocation overflow)."""

import subprocess
import sys

import pytest

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="maps of Linux")

SCRIPT = """
import ctypes
import numpy as np
import armillary as am

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
PRIVATE, NO_RESERVE, PAGE = 0x22, 0x4000, 4096

def reserve(pages):
    return libc.mmap(None, pages * PAGE, 0, PRIVATE | NO_RESERVE, -1, 0)

machines = [am.example(name) for name in ("six-r", "four-bar", "two-link", "stanford")]
for pages in (64, 16, 4, 1):
    for _ in range(2000):
        reserve(pages)  # the holes there are get filled
holes = {}
for m in machines:
    for pages in (1, 2, 3, 4, 6, 8):
        holes[m, pages] = reserve(pages)
        reserve(1)  # not side by side
assert reserve((3 << 30) // PAGE)  # nothing below is within reach of what is above
for (m, pages), hole in holes.items():
    libc.munmap(hole, pages * PAGE)  # one piece fits there, the next goes below
    q, v = m.initial, np.zeros(m.nv)
    tau = np.linspace(0.1, 0.2, m.nv)
    ask = am.Mechanism(m.model).forward_dynamics  # its code is loaded anew
    one = ask(q, v, tau)
    many = ask(*(np.tile(x, (40, 1)) for x in (q, v, tau)))
    assert np.array_equal(many, np.tile(one, (40, 1)))
    if pages == 8:
        assert am.simulate(m, q, duration=0.05, step=1e-3).complete
print("alive")
"""


def test_code_is_loaded_in_one_piece():
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300, check=False
    )
    assert found.returncode == 0, found.stderr[-2000:]
    assert found.stdout.strip() == "alive"
