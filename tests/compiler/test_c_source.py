"""C source of mechanisms, built by the system's compiler, against the Python functions."""

import ctypes
import math
import random
import re
import shutil
import subprocess

import numpy as np
import pytest

import armillary as am
import robots
import samples
from armillary.algorithms.tree import derivatives as d
from armillary.errors import CompileError, InputError, ModelError
from armillary.graph.c_source import Function, Row, c_source
from armillary.graph.expr import Graph
from armillary.graph.infix import Style, assignments
from armillary.graph.ops import OPS
from armillary.mechanism.export import to_c
from armillary.mechanism.function_graph import FUNCTIONS
from compare import close

CC = shutil.which("cc")
CXX = shutil.which("c++")
FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", "-shared", "-fPIC")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler 'cc' on this machine")


def friction() -> am.Mechanism:
    """Every friction law once: sign, table, Stribeck, a spring, a rotor."""
    b = am.Builder("friction")
    rng = np.random.default_rng(8)
    laws = (
        ("revolute", am.Passive(viscous=0.4, coulomb=0.7)),
        ("prismatic", am.Passive(table=((-1.0, -2.0), (0.0, 0.5), (2.0, 3.0)))),
        ("universal", am.Passive(coulomb=0.3, static=0.8, stribeck=0.5, smoothing=0.1)),
        ("revolute", am.Passive(spring=3.0, rest=0.2)),
    )
    parent = "world"
    for k, (kind, law) in enumerate(laws):
        b.body(f"body{k}", parent, kind, samples.random_pose(rng), mass=samples.random_mass(rng),
               passive=law, rotor=am.Rotor(0.02, 3.0))  # fmt: skip
        parent = f"body{k}"
    b.frame("tip", parent, samples.random_pose(rng))
    return b.build()


def moving() -> am.Mechanism:
    """A ball, a weld and axes that depend on q, on a ground that moves."""
    model = samples.random_model(4, ("universal", "gimbal", "spherical", "fixed"), 5)
    motion = {"base_velocity": (0.1, 0.2, -0.3, 0.4, 0.5, 0.6), "base_acceleration": (1, 2, 3) * 2}
    return am.Mechanism(model).replace(**motion)


def sprung():
    b = am.Builder("sprung")
    b.body("crane", joint="revolute", axis="y", mass=samples.random_mass(np.random.default_rng(1)))
    b.body("bob", joint="free", mass=samples.random_mass(np.random.default_rng(2)))
    b.spring(
        "strut", am.Frame("tip", "crane", am.Pose((1, 0.2, 0))), "bob", stiffness=30, damping=2
    )
    b.bushing("mount", "world", "bob", stiffness=[5.0] * 6, damping=[0.5] * 6)
    top = am.Frame("top", "world", am.Pose((0, 0, 1)))
    b.cable("rope", [top, "crane", "bob"], stiffness=9, rest=0.1)
    return b.build()


LONG = ("regressor", "inverse_dynamics_derivatives", "forward_dynamics_derivatives")
FRAMED = tuple(f for f, entry in FUNCTIONS.items() if entry.frame)
PLAIN = tuple(f for f in FUNCTIONS if f not in FRAMED)
# the large ones leave out what takes the C compiler long
MECHANISMS = {
    "stanford": (lambda: am.example("stanford"), "link4", ()),
    "panda": (lambda: am.load(robots.robot("panda"), base="fixed").tree, "panda_hand", LONG),
    "flyer": (lambda: am.Mechanism(dict(samples.all_models())["floating-tree"]), "tip", LONG),
    "friction": (friction, "tip", (*FRAMED, "regressor", "poses")),
    "sprung": (
        sprung,
        "bob",
        tuple(
            f
            for f in FUNCTIONS
            if f not in ("element_forces", "energy", "inverse_dynamics", "forward_dynamics")
        ),
    ),
    "moving": (moving, "tip", tuple(f for f in PLAIN if f not in ("energy", "inverse_dynamics"))),
}


def answers(m, function, frame, coordinates, q, v, a, tau):
    """The same by the public methods: flat numbers."""
    x = {"q": q, "v": v, "a": a, "tau": tau}
    calls = {
        "inverse_dynamics": lambda: m.inverse_dynamics(q, v, a),
        "forward_dynamics": lambda: m.forward_dynamics(q, v, tau),
        "bias_forces": lambda: m.bias_forces(q, v),
        "gravity_forces": lambda: m.gravity_forces(q),
        "static_torques": lambda: m.static_torques(q),
        "mass_matrix": lambda: m.mass_matrix(q),
        "coriolis_matrix": lambda: m.coriolis_matrix(q, v),
        "energy": lambda: m.energy(q, v),
        "momentum": lambda: m.momentum(q, v),
        "center_of_mass": lambda: m.center_of_mass(q),
        "momentum_matrix": lambda: m.momentum_matrix(q),
        "center_of_mass_jacobian": lambda: m.center_of_mass_jacobian(q),
        "body_forces": lambda: [
            getattr(m.body_forces(q, v, a), x)
            for x in (result.name for result in FUNCTIONS["body_forces"].results)
        ],
        "pose": lambda: m.pose(q, frame),
        "poses": lambda: m.poses(q),
        "velocity": lambda: m.velocity(q, v, frame, coordinates),
        "acceleration": lambda: m.acceleration(q, v, a, frame, coordinates),
        "jacobian": lambda: m.jacobian(q, frame, coordinates),
        "jacobian_dot": lambda: m.jacobian_dot(q, v, frame, coordinates),
        "operational_inertia": lambda: m.operational_inertia(q, frame, coordinates)[0],
        "regressor": lambda: m.regressor(q, v, a),
        "element_forces": lambda: [
            getattr(m.element_forces(q, v), x) for x in ("wrench", "along", "power")
        ],
        "reactions": lambda: [getattr(m.reactions(q, v, a), x) for x in ("total", "driving")],
        "inverse_dynamics_derivatives": lambda: interpreted(m, d.inverse_dynamics_derivatives, **x),
        "forward_dynamics_derivatives": lambda: interpreted(m, d.forward_dynamics_derivatives, **x),
    }
    result = calls[function]()
    parts = [result] if isinstance(result, np.ndarray) else result
    return np.concatenate([np.ravel(x) for x in parts])


def interpreted(m, algorithm, **state):
    """Derivatives step by step on plain floats: quicker than compiling them."""
    run = m.evaluator.interpret(algorithm, {name: x.tolist() for name, x in state.items()})
    return [np.array(run.result(name), float) for name in ("dq", "dv", "M")]


def build(folder, *sources, name="all"):
    """A library of the sources, which the strictest compiler finds nothing to say about."""
    (folder / f"{name}.c").write_text("\n".join(sources), encoding="utf-8")
    command = [CC, *FLAGS, "-o", f"{name}.so", f"{name}.c", "-lm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / f"{name}.so"))


def call(function, inputs, size, dtype=np.float64):
    """out, with a guard behind it that must stay."""
    arrays = [np.ascontiguousarray(x, dtype) for x in inputs]
    out = np.full(size + 1, 77.0, dtype)
    function(*(ctypes.c_void_p(x.ctypes.data) for x in (*arrays, out)))
    assert out[-1] == 77.0
    return out[:-1]


def inputs_of(text):
    """Names of the inputs, from the prototype."""
    head = re.search(r"^void \w+\((.*)\);$", text, re.MULTILINE).group(1)
    return re.findall(r"const \w+ \*(\w+)", head)


@needs_cc
@pytest.mark.parametrize("name", MECHANISMS)
def test_every_function_of_a_mechanism(name, tmp_path):
    make, frame, left_out = MECHANISMS[name]
    m = make()
    known = [f for f, row in FUNCTIONS.items() if m.model.elements or not row.elements]
    asked = [(f, "local") for f in known if f not in left_out]
    if name == "moving":
        asked += [("jacobian_dot", "world"), ("acceleration", "world_aligned"),
                  ("velocity", "world"), ("jacobian", "world_aligned")]  # fmt: skip
    texts = {
        (f, c): to_c(m, f, f"{f}_{c}", frame if FUNCTIONS[f].frame else None, coordinates=c)
        for f, c in asked
    }
    library = build(tmp_path, *texts.values())
    for seed in range(3):
        q, v, a = samples.random_state(m.model, seed)
        tau = a[::-1] * 5.0
        state = {"q": q, "v": v, "a": a, "tau": tau}
        for (f, c), text in texts.items():
            expected = answers(m, f, frame, c, **state)
            given = [state[n] for n in inputs_of(text)]
            found = call(getattr(library, f"{f}_{c}"), given, len(expected))
            close(found, expected, 1e-12, f"{name} {f} {c}")


@needs_cc
def test_single_precision(tmp_path):
    m = am.example("stanford")
    library = build(tmp_path, to_c(m, "forward_dynamics", "f", element="float"))
    for seed in range(3):
        q, v, tau = samples.random_state(m.model, seed)
        expected = m.forward_dynamics(q, v, tau)
        close(call(library.f, (q, v, tau), m.nv, np.float32), expected, 2e-4)


@needs_cc
def test_results_may_replace_an_input(tmp_path):
    m = am.example("double-pendulum")
    library = build(tmp_path, to_c(m, "inverse_dynamics", "f"))
    q, v, a = samples.random_state(m.model, 1)
    expected = m.inverse_dynamics(q, v, a)
    rows = [np.array(x) for x in (q, v, a)]
    library.f(*(ctypes.c_void_p(x.ctypes.data) for x in (*rows, rows[0])))
    close(rows[0], expected, 1e-14)


@needs_cc
def test_frames_on_the_ground_and_nothing_that_moves(tmp_path):
    """Constants: no input is read, and the compiler does not complain about that."""
    m = am.example("double-pendulum").replace(base_velocity=(0, 0, 1, 2, 3, 4))
    b = am.Builder("post")
    b.body("post", joint="fixed", at=(1, 2, 3), mass=1.0)
    b.frame("top", "post", (0, 0, 1))
    post = b.build()
    texts = [to_c(m, f, f"m_{f}", "world") for f in FRAMED]
    texts += [to_c(post, "pose", "post_pose", "top"), to_c(post, "gravity_forces", "post_forces")]
    library = build(tmp_path, *texts)
    q, v, a = samples.random_state(m.model, 1)
    for f, text in zip(FRAMED, texts, strict=False):
        expected = answers(m, f, "world", "local", q, v, a, a)
        given = [{"q": q, "v": v, "a": a}[n] for n in inputs_of(text)]
        close(call(getattr(library, f"m_{f}"), given, len(expected)), expected, 1e-15, f)
    close(call(library.post_pose, ([0.0],), 12), [*np.eye(3).ravel(), 1, 2, 4], 1e-15)
    call(library.post_forces, ([0.0],), 0)


@needs_cc
@pytest.mark.skipif(CXX is None, reason="no C++ compiler 'c++' on this machine")
def test_a_cpp_program_can_include_it(tmp_path):
    (tmp_path / "f.cpp").write_text(to_c(am.example("stanford"), "mass_matrix", "f"))
    command = [CXX, "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "f.cpp"]
    subprocess.run([*command, "-o", "f.o"], cwd=tmp_path, check=True)
    names = subprocess.run(["nm", "f.o"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert " T f\n" in names.stdout  # not mangled


def test_the_text_stands_alone():
    text = to_c(am.example("stanford"), "forward_dynamics_derivatives")
    assert re.findall(r"#include.*", text) == ["#include <math.h>"]
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    assert set(re.findall(r"(\w+)\(", code)) == {"stanford_forward_dynamics_derivatives",
                                                 "sin", "cos"}  # fmt: skip
    assert "static" not in code
    assert not re.search(r"[-+*] -?0\.0\b", code)  # structural zeros are gone
    assert to_c(am.example("stanford"), "forward_dynamics_derivatives") == text


def test_the_comment_says_what_is_what():
    text = to_c(am.example("stanford"), "inverse_dynamics")
    for line in ("q[2]  link2.dx  m", "v[1]  link2.rz  rad/s", "a[4]  link4     rad/s^2",
                 "out[0..4]  tau: joint forces", "Gravity (0, -9.81, 0) m/s^2",
                 "stanford_inverse_dynamics(q, v, a, out);"):  # fmt: skip
        assert line in text
    flyer = am.Mechanism(dict(samples.all_models())["floating-tree"])
    text = to_c(flyer, "jacobian", frame="tip", coordinates="world")
    assert re.search(r"q\[0\] +joint0.w +\(quaternion\)", text)
    assert "of the frame 'tip'" in text
    assert "at the world's origin" in " ".join(text.replace(" *", "").split())


@needs_cc
def test_hostile_names_stay_in_the_comment(tmp_path):
    """A joint named like the end of a comment, trigraphs and what is no C identifier."""
    names = ("*/ int evil(void); /*", "a??/b\\", "x*\\/y", "// new line\\", "übergröße", "/*/")

    def named(names):
        b = am.Builder("7 of 9 */")
        for k, name in enumerate(names):
            inertia = {"mass": 1.0, "inertia": (1, 1, 1)}
            b.body(f"b{k}", joint="revolute", axis="z", joint_name=name, **inertia)
        return b.build()

    with pytest.raises(ModelError, match=r"character 4 of its name cannot be seen \(U\+000A"):
        named(["new\nline"])
    m = named(names)
    text = to_c(m, "mass_matrix")
    assert "void m7_of_9_mass_matrix(" in text
    assert text.count("/*") == text.count("*/") == 1
    library = build(tmp_path, text)
    close(call(library.m7_of_9_mass_matrix, (np.zeros(6),), 36), np.eye(6).ravel(), 1e-15)


def test_bad_questions():
    m = am.example("double-pendulum")
    with pytest.raises(ModelError, match=r"no function named 'inverse_dynamic'.*Did you mean"):
        to_c(m, "inverse_dynamic")
    with pytest.raises(InputError, match="name one with frame="):
        to_c(m, "jacobian")
    with pytest.raises(InputError, match="has no frame"):
        to_c(m, "energy", frame="lower")
    with pytest.raises(ModelError, match="no frame named 'hand'"):
        to_c(m, "pose", frame="hand")
    for name in ("2x", "a-b", "", "for", "x y", "sin"):
        with pytest.raises(InputError, match="cannot be the name of a C function"):
            to_c(m, name=name)
    with pytest.raises(InputError, match="element: expected one of 'double', 'float'"):
        to_c(m, element="half")
    with pytest.raises(InputError, match="coordinates"):
        to_c(m, "jacobian", frame="lower", coordinates="body")
    b = am.Builder("empty")
    b.body("shell", joint="revolute", axis="z", mass=0.0)
    for function in ("center_of_mass", "momentum", "forward_dynamics"):
        with pytest.raises(ModelError, match="mass"):
            to_c(b.build(), function)
    with pytest.raises(CompileError, match="cannot be the name"):
        Function("int", "", (), (), ())


# -- expressions -----------------------------------------------------------------------------------


X = (0.3, -1.2, 2.5)


def random_roots(seed):
    """Some nodes of a graph of every operation, and their values at X, none of them large."""
    rng = random.Random(seed)
    graph = Graph()
    numbers = {graph.load("x", k): x for k, x in enumerate(X)}
    numbers |= {graph.constant(c): c for c in (-2.5, 0.1, 3.0, 1e-7)}
    masks = {}
    operations = [op for op in OPS if not op.startswith(("quadrant", "power_of_two", "lookup"))]
    while len(numbers) < 60:
        op = rng.choice(operations)
        args = rng.choices(list(numbers)[-10:], k=OPS[op].arity)
        if op == "select":
            args[0] = rng.choice(list(masks)) if masks else graph.node("lt", tuple(args[1:]))
        if op == "sqrt" and numbers[args[0]] < 0:
            continue
        known = numbers | masks
        known |= {args[0]: known[args[1]] < known[args[2]]} if args[0] not in known else {}
        value = OPS[op].value(*(known[a] for a in args))
        if OPS[op].result == "mask":
            masks[graph.node(op, tuple(args))] = value
        elif abs(value) < 100:
            numbers[graph.node(op, tuple(args))] = value
    return list(numbers)[-6:], list(numbers.values())[-6:]


@pytest.mark.parametrize("seed", range(40))
def test_text_keeps_the_order_of_operations(seed):
    """The lines, run as Python, give the very same bits as the operations one by one."""
    roots, expected = random_roots(seed)
    names = {n.index: f"x{n.data[1]}" for n in roots[0].graph.nodes if n.op == "load"}
    style = Style(repr, lambda name: name, "({1} if {0} else {2})")
    lines, results = assignments(roots, names, style)
    scope = {name: getattr(math, name) for name in ("sin", "cos", "sqrt", "exp", "tanh", "atan2")}
    scope |= {"abs": abs} | {f"x{k}": value for k, value in enumerate(X)}
    for line in lines:
        scope[line.name] = eval(line.text, scope)
    assert [eval(text, scope) for text in results] == expected


@needs_cc
def test_c_keeps_the_order_of_operations(tmp_path):
    """The same in C, within the errors of its library functions and fused operations."""
    rows, texts = (Row("x", 3, "numbers"),), []
    for seed in range(40):
        roots, _ = random_roots(seed)
        results = (Row("y", len(roots), "values"),)
        texts.append(c_source(Function(f"f{seed}", "Random.", (), rows, results), roots))
    library = build(tmp_path, *texts)
    for seed in range(40):
        _, expected = random_roots(seed)
        found = call(getattr(library, f"f{seed}"), (X,), len(expected))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@needs_cc
@pytest.mark.parametrize("element", ["double", "float"])
def test_constants_of_every_size(tmp_path, element):
    graph = Graph()
    numbers = (0.1, -0.0, 1e300, -1e-300, 5.0, 1e22, math.inf, -math.inf, math.nan, 2.0**-149, 1e5)
    roots = [graph.constant(x) for x in numbers]
    results = (Row("y", len(roots), "values"),)
    text = c_source(Function("f", "Numbers.", (), (), results, element), roots)
    dtype = np.float64 if element == "double" else np.float32
    with np.errstate(over="ignore"):
        expected = np.array(numbers).astype(dtype)
    found = call(build(tmp_path, text).f, (), len(roots), dtype)
    np.testing.assert_array_equal(found, expected)
    assert np.signbit(found[1])
