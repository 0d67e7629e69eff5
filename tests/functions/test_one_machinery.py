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
