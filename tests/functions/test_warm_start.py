"""A second process neither traces nor compiles, and never takes the code of another question."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.codegen.cache import Cache

PACKAGE = Path(am.__file__).parent

# WARM: the graph of the tracer cannot even be imported.  Files may just have been written.
HEAD = """
import json, os, sys
import numpy as np
import armillary as am
import armillary.codegen.sources as sources
from armillary.evaluate.request import CompileOptions

sources._STARTED += 60.0
if os.environ.get("WARM"):
    sys.modules["armillary.graph.expr"] = None

def show(**results):
    flat = {k: [float(x).hex() for x in np.ravel(np.asarray(v, float))] for k, v in results.items()}
    print(json.dumps(flat))

def arm(mass=2.0, joint="prismatic", law=None, **options):
    b = am.Builder("arm")
    b.body("a", joint="revolute", axis="y", mass=1.0, com=(0.1, 0.2, -0.5), inertia=(1, 2, 2),
           passive=am.Passive(viscous=0.3, law=law))
    b.body("b", "a", joint, (0, 0, -1), axis=(1, 0, 0), mass=mass, com=(0.3, 0, -0.1),
           inertia=(0.1, 0.2, 0.3))
    return am.Mechanism(b.build().model, CompileOptions(**options))

q, v, a = np.array([0.3, 0.4]), np.array([1.0, -1.0]), np.array([0.5, 2.0])
many = tuple(np.linspace(x, 2 * x, 9) for x in (q, v, a))
"""
WHOLE = """
for tier in (1, 2):
    m = arm(tier=tier)
    d = m.forward_dynamics.derivatives(q, v, a)
    show(inverse=m.inverse_dynamics(q, v, a), forward=m.forward_dynamics(q, v, a),
         mass=m.mass_matrix(q), many=m.inverse_dynamics(*many), dq=d.dq, dv=d.dv,
         jacobian=m.jacobian(q, frame="b"), energy=m.energy(q, v), com=m.center_of_mass(q),
         single=m.inverse_dynamics(*(x.astype(np.float32) for x in many)),
         given=m.inverse_dynamics(q, v, a, parameters=np.arange(1.0, 21.0)))
b = am.example("four-bar")
show(closed=b.forward_dynamics(b.neutral(), np.zeros(b.nv), np.ones(b.nv)))
"""
SMALL = """
for tier in (1, 2):
    m = arm(tier=tier)
    show(inverse=m.inverse_dynamics(q, v, a), forward=m.forward_dynamics(q, v, a))
"""


def run(home: Path, body: str, package: Path = PACKAGE, **settings: str) -> list[dict]:
    """The lines a new process prints, with its cache in `home`."""
    environment = dict(os.environ, XDG_CACHE_HOME=str(home), PYTHONPATH=str(package.parent))
    done = subprocess.run([sys.executable, "-c", HEAD + body], env=environment | settings,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def numbers(line: dict, name: str) -> np.ndarray:
    return np.array([float.fromhex(x) for x in line[name]])


def warm(home: Path, body: str, package: Path = PACKAGE) -> list[dict]:
    return run(home, body, package, WARM="1", PYTHONHASHSEED="7")


@pytest.fixture(scope="module")
def filled(tmp_path_factory) -> tuple[Path, list[dict]]:
    """A cache after one process, and what the process found."""
    home = tmp_path_factory.mktemp("home")
    return home, run(home, SMALL)


@pytest.fixture
def copied(filled, tmp_path) -> Path:
    shutil.copytree(filled[0], tmp_path, dirs_exist_ok=True)
    return tmp_path


# ---------------------------------------------------------------- no tracing


def test_a_second_process_traces_nothing(tmp_path):
    """Both tiers, single and batched, frames, derivatives, float32, given bodies, a closed loop."""
    cold = run(tmp_path, WHOLE)
    assert warm(tmp_path, WHOLE) == cold


def test_an_empty_cache_needs_the_tracer(tmp_path):
    """The bolt on the tracer holds, so the test above says something."""
    with pytest.raises(AssertionError, match=r"armillary\.graph\.expr"):
        warm(tmp_path, "show(x=arm().inverse_dynamics(q, v, a))")


def test_results_are_those_of_the_interpreter(filled):
    """Of both tiers: recalled code is code of this question."""
    b = am.Builder("arm")
    b.body("a", joint="revolute", axis="y", mass=1.0, com=(0.1, 0.2, -0.5), inertia=(1, 2, 2),
           passive=am.Passive(viscous=0.3))  # fmt: skip
    b.body("b", "a", "prismatic", (0, 0, -1), axis=(1, 0, 0), mass=2.0, com=(0.3, 0, -0.1),
           inertia=(0.1, 0.2, 0.3))  # fmt: skip
    state = {"q": [0.3, 0.4], "v": [1.0, -1.0], "a": [0.5, 2.0]}
    tau = b.build().interpret(inverse_dynamics, state).result("tau")
    for line in filled[1]:
        np.testing.assert_allclose(numbers(line, "inverse"), np.array(tau, float), rtol=1e-13)


def test_the_tier_is_remembered(tmp_path):
    """Too long for straight-line code: the first process counts in a trace, the second knows."""
    body = """
m = arm(budget=10)
show(tau=m.inverse_dynamics(q, v, a), tier=[e.tier for e in m.inverse_dynamics.compile_report()])
m = arm(budget=100_000)
show(tau=m.inverse_dynamics(q, v, a), tier=[e.tier for e in m.inverse_dynamics.compile_report()],
     operations=[e.operations for e in m.inverse_dynamics.compile_report()])
"""
    cold = run(tmp_path, body)
    assert [numbers(line, "tier").tolist() for line in cold] == [[1.0], [2.0]]
    assert warm(tmp_path, body) == cold


def test_a_missing_inertia_is_found_again(tmp_path):
    """The check of forward dynamics is remembered with its answer, right or wrong."""
    body = """
b = am.Builder("thin")
b.body("a", joint="revolute", axis="z", mass=1.0, com=(0, 0, 1.0), inertia=(1, 1, 0))
try:
    b.build().forward_dynamics([0.1], [0.0], [1.0])
except am.ModelError as error:
    show(found="nothing that it moves has inertia" in str(error))
"""
    found = [run(tmp_path, body) for _ in range(2)]
    assert [numbers(lines[0], "found").tolist() for lines in found] == [[1.0], [1.0]]


# ---------------------------------------------------------------- other questions, other code


@pytest.mark.parametrize("tier", [1, 2])
def test_another_mechanism_gets_its_own_code(tmp_path, tier):
    """d tau / d mass, from processes that share a cache: tau is linear in the mass."""
    body = "show(tau=arm(mass={mass}, tier={tier}).inverse_dynamics(q, v, a))"
    tau = [numbers(run(tmp_path, body.format(mass=m, tier=tier))[0], "tau") for m in (1, 2, 4)]
    assert np.abs(tau[1] - tau[0]).min() > 0.1
    np.testing.assert_allclose(tau[2] - tau[1], 2.0 * (tau[1] - tau[0]), rtol=1e-12)


@pytest.mark.parametrize("tier", [1, 2])
def test_laws_of_the_user_are_never_recalled(tmp_path, tier):
    """The same text of the mechanism, the same name of the law, another law."""
    body = """
def law(x, v):
    return {slope} * v
show(tau=arm(law=law, tier={tier}).inverse_dynamics(q, v, a))
"""
    tau = {}
    for slope in (2.0, 3.0, 2.0):
        new = numbers(run(tmp_path, body.format(slope=slope, tier=tier))[0], "tau")
        assert (tau.setdefault(slope, new) == new).all()
    np.testing.assert_allclose(tau[3.0] - tau[2.0], [1.0, 0.0], atol=1e-13)  # v = 1 at the joint


# ---------------------------------------------------------------- other source, other code


def test_changed_source_is_traced_anew(tmp_path):
    """A package with another gravity term must not find the code of the first."""
    package, home = tmp_path / "src" / "armillary", tmp_path / "home"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    body = "show(tau=arm().inverse_dynamics(q, 0 * v, 0 * a))"
    before = run(home, body, package)
    assert warm(home, body, package) == before
    path = package / "algorithms" / "passes.py"
    text = path.read_text()
    assert text.count("self.acceleration.linear - self.gravity") == 1
    path.write_text(text.replace("linear - self.gravity", "linear - self.gravity * 2"))
    after = run(home, body, package)
    np.testing.assert_allclose(
        numbers(after[0], "tau"), 2.0 * numbers(before[0], "tau"), rtol=1e-13
    )
    path.write_text(text)
    assert run(home, body, package) == before


def test_source_edited_under_a_running_process_is_not_remembered(tmp_path):
    """What runs is no longer what the files say: nothing is kept under their name."""
    package, home = tmp_path / "src" / "armillary", tmp_path / "home"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    body = """
import time
path = os.path.join(sources.PACKAGE, "algorithms", "passes.py")
os.utime(path, (time.time() + 120.0,) * 2)
show(tau=arm().inverse_dynamics(q, v, a), known=sources.fingerprint() is not None)
"""
    assert numbers(run(home, body, package)[0], "known").tolist() == [0.0]
    sizes = [size for _, size in Cache(home / "armillary").entries()]
    assert sizes
    assert min(sizes) > 1000  # objects under the names of their texts, no notes


# ---------------------------------------------------------------- notes that are wrong


def notes(home: Path) -> list[tuple[Cache, str]]:
    """Keys of the small entries."""
    cache = Cache(home / "armillary")
    return [(cache, path.stem) for path, size in cache.entries() if size < 400]


WRONG = {
    "no JSON": b"\xff{",
    "a list": b"[1, 2]",
    "of something else": b'{"other": 1}',
    "a number for a name": b'{"object": 7}',
    "a path for a name": b'{"object": "../../../etc/passwd"}',
    "of an object that is gone": json.dumps({"object": "0" * 64}).encode(),
}


@pytest.mark.parametrize("first", [0, 1, 2])
def test_wrong_notes_are_ignored_and_replaced(copied, filled, first):
    """Well formed, checksum and all, but with nonsense inside: every note has another fault."""
    found = notes(copied)
    assert len(found) > 10
    for k, (cache, key) in enumerate(found):
        cache.put(key, list(WRONG.values())[(first + 2 * k) % len(WRONG)])
    assert run(copied, SMALL) == filled[1]
    assert warm(copied, SMALL) == filled[1]


def test_damaged_notes_are_replaced(copied, filled):
    for k, (cache, key) in enumerate(notes(copied)):
        path = cache.folder / f"{key}.armobj"
        content = bytearray(path.read_bytes())
        content[-1 - k % 20] ^= 0xFF
        path.write_bytes(bytes(content[: -(k % 3) or None]))
    assert run(copied, SMALL) == filled[1]
    assert warm(copied, SMALL) == filled[1]


def test_notes_without_their_objects(copied, filled):
    for path, size in Cache(copied / "armillary").entries():
        if size >= 400:
            path.unlink()
    assert run(copied, SMALL) == filled[1]
    assert warm(copied, SMALL) == filled[1]
