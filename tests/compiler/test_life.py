"""How long machine code lives: longer than every caller, and no longer than the last one."""

import os
import subprocess
import sys

import pytest

from armillary.codegen.cache import Cache
from armillary.codegen.jit import Library
from armillary.evaluate import native_call as fast

pytestmark = pytest.mark.skipif(not fast.available(), reason="no native calls here")


def run(code: str, home, *arguments: str) -> str:
    """The output of a script in a process of its own, with an empty cache."""
    environment = dict(os.environ, XDG_CACHE_HOME=str(home))
    found = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert found.returncode == 0, (found.returncode, found.stdout, found.stderr)
    return found.stdout


LAST_WORDS = """
import gc, sys
import numpy as np
import armillary as am

gc.disable()
heard = []

class Last:
    def __init__(self, ask):
        self.ask, self.circle = ask, self
    def __del__(self):
        heard.append(self.ask())

def generator(ask):
    try:
        yield
    finally:
        heard.append(ask())

for kind in ("object", "generator"):
    for example in ("six-r", "four-bar"):
        arm = am.example(example)
        q, v = arm.initial, np.zeros(arm.nv)
        tau = np.arange(1.0, arm.nv + 1)
        many = [np.tile(x, (40, 1)) for x in (q, v, tau)]
        def ask(arm=arm, q=q, v=v, tau=tau, many=many):
            return [arm.forward_dynamics(q, v, tau).copy(), arm.bias_forces(q, v).copy(),
                    arm.mass_matrix(q).copy(), arm.forward_dynamics(*many).copy(),
                    arm.forward_dynamics.derivatives(q, v, tau).dtau.copy()]
        ask()  # from now on natively
        wanted = ask()
        if kind == "object":
            arm.__dict__["last"] = Last(ask)
        else:
            arm.__dict__["last"] = last = generator(ask)
            next(last)
            del last
        del arm, ask
        gc.collect()
        assert len(heard) == 1, (kind, example, heard)
        for x, y in zip(heard.pop(), wanted, strict=True):
            np.testing.assert_array_equal(x, y)
print("all were heard")
"""


def test_the_last_words_of_a_cycle_are_heard(tmp_path):
    """A finalizer asks a mechanism that is collected in the same cycle."""
    assert "all were heard" in run(LAST_WORDS, tmp_path)


MEMORY = """
import gc, itertools
import armillary as am
from armillary.codegen.jit import Library

def anonymous():
    with open("/proc/self/smaps_rollup") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Anonymous"))

def chain(joints):
    b = am.Builder("chain")
    for k, (kind, axis) in enumerate((("revolute", "z"), *joints)):
        b.body(f"b{k}", f"b{k - 1}" if k else "world", kind, (0.1, 0.2, 0.3 + k), axis=axis,
               mass=1.5 + k, com=(0.01, 0.02, 0.04), inertia=(0.2, 0.3, 0.4))
    return b.build()

def use(arm, compiled):
    q, v, a = arm.random_state(0)
    for question, state in ((arm.inverse_dynamics, (q, v, a)), (arm.mass_matrix, (q,))):
        question(*state)
        assert question.compile_report()[0].from_cache is not compiled
    del arm
    gc.collect()  # else the system's allocator keeps what was needed for many at a time

joints = list(itertools.product(("revolute", "prismatic"), "xz"))
structures = list(itertools.product(joints, repeat=3))[:60]
base = chain(joints[:3])
edited = [{"b2": {"mass": 1.6 + number / 1000}} for number in range(60)]
for makers, compiled in (
    ([lambda x=x: chain(x) for x in structures], True),
    ([lambda x=x: base.replace(bodies=x) for x in edited], False),
):
    for maker in makers[:20]:
        use(maker(), compiled)
    libraries, before = sum(isinstance(x, Library) for x in gc.get_objects()), anonymous()
    for maker in makers[20:]:
        use(maker(), compiled)
    assert sum(isinstance(x, Library) for x in gc.get_objects()) == libraries
    print((anonymous() - before) / 40)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps_rollup"), reason="memory is not told")
def test_mechanisms_leave_no_memory_behind(tmp_path):
    """kB that stay of each of many mechanisms, compiled, or edited to run code that is there, and
    dropped: less than any code needs."""
    compiled, edited = map(float, run(MEMORY, tmp_path).split())
    assert compiled < 25.0 and edited < 25.0


FORKS = """
import os, signal, sys, threading, time
import armillary as am

base = am.example("two-link")
def compile_one(number):
    law = lambda x, v: v * (1.0 + number / 1000)  # of the user: its code is never known before
    arm = base.replace(bodies={"link2": {"passive": am.Passive(law=law)}})
    q, v, a = arm.random_state(0)
    arm.inverse_dynamics(q, v, a)
    arm.mass_matrix(q)
    assert not arm.inverse_dynamics.compile_report()[0].from_cache

compile_one(-1)  # modules are imported under locks of Python that no child can open

def keep_compiling():
    number = 0
    while True:
        compile_one(number)
        number += 1

threading.excepthook = lambda args: os._exit(9)
thread = threading.Thread(target=keep_compiling, daemon=True)
thread.start()
for attempt in range(6):
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that hangs is ended by it
        compile_one(100_000 + attempt)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, f"child {attempt} ended with status {status}"
    time.sleep(0.017 * attempt)
print("all children compiled", flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_while_another_thread_compiles(tmp_path):
    assert "all children compiled" in run(FORKS, tmp_path)


def test_every_text_has_a_context_of_its_own(monkeypatch, tmp_path):
    """LLVM keeps what a text says in its context, until that is closed; the global one never is."""
    import llvmlite.binding as llvm

    contexts, parse = [], llvm.parse_assembly

    def seen(text, context=None):
        if text.strip():  # the engine's own module says nothing
            contexts.append(context)
        return parse(text, context)

    monkeypatch.setattr(llvm, "parse_assembly", seen)
    for number in (1, 2):
        text = f"define double @f() {{ ret double {number}.0 }}"
        Library(text, ["f"], cache=Cache(tmp_path))
    assert len(contexts) == 2 and contexts[0] is not contexts[1]
    assert all(context is not None and context.closed for context in contexts)
