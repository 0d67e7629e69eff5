"""Threads that make the first native call together share the code of their callables."""

import subprocess
import sys

CODE = """
import sys, threading
from armillary.runtime.callable_type import machinery
sys.setswitchinterval(1e-6)
gate, found = threading.Barrier(6), []
def first():
    gate.wait()
    found.append(machinery())
threads = [threading.Thread(target=first) for _ in range(6)]
for t in threads: t.start()
for t in threads: t.join()
assert {id(x) for x in found} == {id(machinery())}
"""


def test_all_threads_get_the_same():
    """A second one would free the code of callables that are still alive."""
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


PARTS = """
import numpy as np
import armillary as am
from armillary.runtime.callable_type import machinery
arm = am.example("two-link")
z = np.zeros(arm.nv)
one = arm.inverse_dynamics(z, z, z)
assert list(machinery().parts) == []
many = np.zeros((64, arm.nv))
for count in (1, 2):
    assert (arm.inverse_dynamics(many, many, many) == one).all()
assert list(machinery().parts) == ["batch"]
small = z.astype(np.float32)
for count in (1, 2):
    assert np.allclose(arm.inverse_dynamics(small, small, small), one, rtol=1e-5)
assert list(machinery().parts) == ["batch", "single_float"]
"""


def test_parts_are_compiled_when_they_are_needed():
    """A first answer for one state does not wait for the code of batches and floats."""
    done = subprocess.run(
        [sys.executable, "-c", PARTS], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
