"""Without llvmlite every question is answered by the interpreter: the same numbers, one notice."""

import subprocess
import sys

import numpy as np
import pytest

BLOCKER = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "llvmlite":
            raise ModuleNotFoundError("No module named 'llvmlite'", name=name)
sys.meta_path.insert(0, Blocker())
"""
TREE = """
import sys, numpy as np, armillary as am
arm = am.example("puma560")
rng = np.random.default_rng(1)
q, v, a = rng.normal(size=(3, 19, 6))
found = {}
def keep(name, value):
    found[name] = np.asarray(value, float)
keep("inverse", arm.inverse_dynamics(q[0], v[0], a[0]))
keep("inverse again", arm.inverse_dynamics(q[0], v[0], a[0]))
keep("inverse batch", arm.inverse_dynamics(q, v, a))
keep("forward", arm.forward_dynamics(q[0], v[0], a[0]))
keep("forward batch", arm.compile(threads=2).forward_dynamics(q, v, a))
keep("one row", arm.forward_dynamics(q[:1], v[:1], a[:1]))
keep("none", arm.forward_dynamics(q[:0], v[:0], a[:0]))
keep("wrench", arm.forward_dynamics(q, v, a, {"link6": np.ones(6)}))
keep("parameters", arm.forward_dynamics(q, v, a, parameters=1.1 * arm.parameters))
keep("offsets", arm.inverse_dynamics(q, v, a, offsets=np.full(36, 0.01)))
keep("bare", arm.inverse_dynamics(q, v, a, passive=False))
keep("M", arm.mass_matrix(q)); keep("C", arm.coriolis_matrix(q, v))
keep("pose", arm.pose(q, "link6")[1]); keep("jacobian", arm.jacobian(q, "link6"))
keep("regressor", arm.regressor(q[0], v[0], a[0]))
keep("reactions", arm.reactions(q, v, a).total)
keep("dv", arm.forward_dynamics.derivatives(q[0], v[0], a[0]).dv)
keep("dq", arm.inverse_dynamics.derivatives(q, v, a).dq)
keep("jvp", arm.forward_dynamics.jvp(q[0], v[0], a[0], q[1], v[1], a[1]))
keep("vjp", np.concatenate(arm.forward_dynamics.vjp(q[0], v[0], a[0], q[1])))
keep("single", arm.inverse_dynamics(*(x.astype(np.float32) for x in (q, v, a))))
bad = q.copy(); bad[3, 2] = np.nan
keep("bad row", arm.forward_dynamics(bad, v, a))
free = am.example("two-link-load")
keep("gravity", free.tree.gravity_forces(free.initial))
chain = arm.compile(tier=1)
keep("loops", chain.forward_dynamics(q, v, a))
"""
CLOSED = """
import sys, numpy as np, armillary as am
bars = am.example("four-bar")
found = {}
def keep(name, value):
    found[name] = np.asarray(value, float)
q, zero = bars.initial, np.zeros(3)
v = bars.project(q, np.ones(3))[1]
keep("v", v)
keep("solve", bars.solve(q, v, [0.5, 0, 0]).acceleration)
keep("forward", bars.forward_dynamics(q, v, [0.5, 0, 0]))
keep("batch", bars.forward_dynamics(np.tile(q, (9, 1)), np.tile(v, (9, 1)), np.eye(9)[:, :3]))
keep("actuation", bars.actuator_forces(q, zero, zero, ["crank"]).forces)
keep("closed", bars.assemble([0.6, -0.3, 1.2], hold=["crank"]).q)
keep("ranks", [bars.mobility().finite])
ladder = am.example("four-bar-ladder", n=14)  # too large to be traced
keep("large", ladder.forward_dynamics(ladder.initial, np.zeros(ladder.nv), np.ones(ladder.nv)))
cart = am.example("stewart")
keep("stewart", cart.forward_dynamics(cart.initial, np.zeros(cart.nv), np.ones(cart.nv)))
"""
RUNS = """
import sys, numpy as np, armillary as am
found = {}
def keep(name, value):
    found[name] = np.asarray(value, float)
arm, bars = am.example("double-pendulum"), am.example("four-bar")
start = [1.2, 0.6]
for method in ("rk4", "semi-implicit", "dopri5", "implicit", "variational"):
    run = am.simulate(arm, start, duration=0.02, step=0.005, method=method, record=("q", "energy"))
    keep(method, np.concatenate([run.q[-1], run.energy[-1:]]))
keep("batch", am.simulate(arm, [start, start[::-1]], duration=0.02, step=0.005).q[-1])
pid = am.PID(arm, {"shoulder": 0.5, "elbow": 0.0}, kp=40.0, ki=30.0, kd=4.0)
keep("pid", am.simulate(arm, start, duration=0.01, step=0.001, controller=pid,
                        record=("q", "tau")).tau[-1])
keep("bars", am.simulate(bars, duration=0.02, step=0.005, inputs={"crank": 0.3}).q[-1])
sticky = arm.replace(bodies={"upper": {"passive": am.Passive(coulomb=(0.1, 0.2))}})
keep("stick", am.simulate(sticky, start, duration=0.02, step=0.005, events=am.StickSlip()).q[-1])
"""
SAVE = "np.savez(sys.argv[1], **found)\n"


def run(code: str, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-W", "default", "-c", code, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("script", [TREE, CLOSED, RUNS], ids=["tree", "closed", "runs"])
def test_the_same_numbers_and_one_notice(script, tmp_path):
    numbers = []
    for name, head in (("native.npz", ""), ("interpreted.npz", BLOCKER)):
        done = run(head + script + SAVE, str(tmp_path / name))
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("llvmlite is missing") == (1 if head else 0), done.stderr
        numbers.append(dict(np.load(tmp_path / name)))
    native, interpreted = numbers
    assert native.keys() == interpreted.keys()
    for name, expected in native.items():
        found = interpreted[name]
        assert found.shape == expected.shape, name
        size = np.nanmax(np.abs(expected), initial=1e-30)
        tight = 1e-5 if name == "single" else 1e-9
        np.testing.assert_allclose(found, expected, rtol=tight, atol=tight * size, err_msg=name)


def test_the_command_line_answers(tmp_path):
    main = "from armillary.cli import main\nmain()\n"
    commands = [
        ("inverse", "two-link", "--q", "0.3,0.5", "--a", "1,0", "--reactions"),
        ("forward", "four-bar", "--tau", "crank=0.5"),
        ("solve", "four-bar", "--q", "crank=1.2", "--assemble", "--hold", "crank"),
        ("mobility", "four-bar"),
        ("validate", "two-link"),
        ("simulate", "two-link", "--for", "0.02", "--out", str(tmp_path / "run.csv")),
    ]
    for words in commands:
        done = run(BLOCKER + main, *words)
        assert done.returncode == 0, (words, done.stderr)
        assert done.stderr.count("llvmlite is missing") == 1, (words, done.stderr)
        if words[0] in ("inverse", "solve", "forward"):
            assert done.stdout == run(main, *words).stdout, words


def test_explain_says_so():
    done = run(
        BLOCKER + "import armillary as am\n"
        "arm = am.example('two-link'); arm.mass_matrix([0.1, 0.2]); print(arm.compile_report())"
    )
    assert done.stdout.strip() == "mass_matrix: the interpreter, without llvmlite"


BROKEN = {
    "on import": BLOCKER.replace(
        """ModuleNotFoundError("No module named 'llvmlite'", name=name)""",
        """RuntimeError("library of another build")""",
    ),
    "engine": """
import llvmlite.binding as llvm
def forbidden(*given, **named):
    raise RuntimeError("no memory that runs")
llvm.create_mcjit_compiler = forbidden
""",
}


@pytest.mark.parametrize("where", BROKEN)
def test_a_llvmlite_that_cannot_make_code_is_done_without(where):
    """The inertia of a disc turns a torque into an acceleration, whoever calculates; told once."""
    asked = """
import armillary as am
b = am.Builder("disc", gravity=(0, 0, 0))
b.body("disc", joint="revolute", axis="z", mass=1.0, inertia=(1, 1, 4.0))
m = b.build()
print(m.forward_dynamics([0.3], [1.0], [2.0]), m.inverse_dynamics([0.3], [1.0], [0.5]))
"""
    done = run(BROKEN[where] + asked)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["[0.5]", "[2.]"]
    assert done.stderr.count("llvmlite cannot make code here") == 1, done.stderr
    assert ("library of another build" in done.stderr) == (where == "on import")
