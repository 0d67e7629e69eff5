"""The recipes of CONTRIBUTING, done as they are written: a joint, a question, a block.

Files are written into a temporary folder or a copy of the package, and run in a process of
their own.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import armillary

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def block(first: str, language: str = "python") -> str:
    """The fenced block that begins with this line."""
    found = re.search(rf"^```{language}\n({re.escape(first)}.*?)^```$", TEXT, re.M | re.S)
    assert found, first
    return found.group(1)


def run(code: str, *folders: Path) -> str:
    path = os.pathsep.join(map(str, folders))
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


PACKAGE = Path(armillary.__file__).parent

JOINT = """
import numpy as np, parabola, armillary as am
c, m, g = 0.7, 2.0, 9.81
b = am.Builder("wire", gravity=(0, 0, -g))
b.body("bead", joint="parabola", pitch=c, mass=m, inertia=(1, 1, 1))
wire = b.build()
q, v, a = np.random.default_rng(1).normal(size=(3, 50, 1))
# Lagrange: T = m (1 + 4 c² q²) v² / 2, V = m g c q²
expected = m * (1 + 4 * c**2 * q**2) * a + 4 * m * c**2 * q * v**2 + 2 * m * g * c * q
for machine in (wire, wire.compile(tier=1)):
    np.testing.assert_allclose(machine.inverse_dynamics(q, v, a), expected, rtol=1e-12)
    np.testing.assert_allclose(machine.forward_dynamics(q, v, expected), a, rtol=1e-10, atol=1e-12)
    one = machine.inverse_dynamics({"bead": q[3, 0]}, v[3], a[3])
    np.testing.assert_allclose(one, expected[3], rtol=1e-12)
"""

BLOCK = """
import numpy as np, armillary as am
from leak import Leak
b = am.Builder("cart", gravity=(0, 0, 0))
b.body("cart", joint="prismatic", axis="x", mass=2.0, inertia=(1, 1, 1))
cart = b.build()
run = am.simulate(cart, duration=0.5, controller=am.FeedForward(lambda t: [3.0]),
                  actuators=Leak(cart, 0.1), record=("v", "states"))
force = 3.0 * (1.0 - np.exp(-run.time / 0.1))
np.testing.assert_allclose(run.column("cart.force", "states"), force, atol=1e-8)
impulse = 3.0 * (run.time - 0.1 * (1.0 - np.exp(-run.time / 0.1)))
np.testing.assert_allclose(run.v[:, 0], impulse / 2.0, atol=1e-8)
"""

QUESTION = """
import json, re, numpy as np, armillary as am
from typer.testing import CliRunner
from armillary.cli.app import app
arm = am.example("double-pendulum")
q, v, _ = arm.random_state(1, 5)
expected = -np.einsum("bi,bi->b", arm.gravity_forces(q), v)  # what holds it gives the opposite
np.testing.assert_allclose(arm.gravity_power(q, v), expected, rtol=1e-12)
single = [arm.gravity_power(q=q[k], v=v[k]) for k in range(5)]
np.testing.assert_allclose(single, expected, rtol=1e-12)
names = [dict(zip(arm.q_labels, x[0], strict=True)) for x in (q, v)]
assert np.isclose(arm.gravity_power(*names), expected[0], rtol=1e-12)
typed = [",".join(map(repr, x[0].tolist())) for x in (q, v)]
words = ["ask", "double-pendulum", "gravity_power", f"--q={typed[0]}", f"--v={typed[1]}", "--json"]
found = json.loads(CliRunner().invoke(app, words).stdout)["results"]["power"]
assert np.isclose(found["values"], expected[0], rtol=1e-12) and found["meaning"] == "W"
source = arm.to_c("gravity_power")
assert "void double_pendulum_gravity_power(" in source and "Power of gravity" in source
open("power.c", "w").write(source)
"""


def test_files_named_in_how_it_works_exist():
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z_]+/[\w/]*(?:\.py)?)`", text)
    assert len(named) > 8
    assert [name for name in named if not (PACKAGE / name).exists()] == []


def test_a_joint_is_one_file(tmp_path):
    (tmp_path / "parabola.py").write_text(block("# parabola.py"), encoding="utf-8")
    run(JOINT, tmp_path, PACKAGE.parent)


def test_a_block_is_compiled_and_its_state_recorded(tmp_path):
    (tmp_path / "leak.py").write_text(block("# leak.py"), encoding="utf-8")
    run(BLOCK, tmp_path, PACKAGE.parent)


def test_a_question_is_one_file_and_one_row(tmp_path, monkeypatch):
    copy = tmp_path / "armillary"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / "algorithms" / "tree" / "gravity_power.py"
    file.write_text(block("# gravity_power.py"), encoding="utf-8")
    table = copy / "evaluate" / "functions.py"
    text, row = table.read_text(encoding="utf-8"), block('    "gravity_power": ', "py")
    head = "FUNCTIONS: dict[str, Function] = {\n"
    assert text.count(head) == text.count("    forward_dynamics,\n") == 1
    text = text.replace(head, head + row)
    text = text.replace("    forward_dynamics,\n", "    forward_dynamics,\n    gravity_power,\n")
    table.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    run(QUESTION, tmp_path)
    _compare_c(tmp_path)


def _compare_c(folder: Path) -> None:
    """The C source, built by the compiler of the machine, where there is one."""
    compiler = shutil.which("cc")
    if compiler is None:
        return
    import ctypes

    import numpy as np

    library = folder / "power.so"
    words = [
        compiler,
        "-O1",
        "-shared",
        "-fPIC",
        str(folder / "power.c"),
        "-o",
        str(library),
        "-lm",
    ]
    subprocess.run(words, check=True)
    function = ctypes.CDLL(str(library)).double_pendulum_gravity_power
    arm = armillary.example("double-pendulum")
    q, v, _ = arm.random_state(2)
    out = np.zeros(1)
    function(*(ctypes.c_void_p(x.ctypes.data) for x in (q, v, out)))
    np.testing.assert_allclose(out[0], -arm.gravity_forces(q) @ v, rtol=1e-12)
