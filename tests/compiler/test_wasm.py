"""WebAssembly modules: the bytes do what the graph says, bit by bit, in a machine of our own and in
Node where it is there."""

import json
import math
import random
import shutil
import struct
import subprocess

import numpy as np
import pytest
from wasm_machine import Module

import armillary as am
from armillary import scalar
from armillary.codegen.wasm import Kernel, module, uint
from armillary.errors import CompileError
from armillary.graph.expand import Expansion
from armillary.graph.expr import Graph
from armillary.graph.function import evaluate
from armillary.mechanism.function_graph import trace

NODE = shutil.which("node")
ROBOTS = ("six-r", "stanford", "rover", "stewart")


def kernel_of(name, question="inverse_dynamics"):
    mechanism = am.example(name).tree
    traced = trace(mechanism, question)
    sizes = {n: len(x) for n, x in traced.inputs.items()}
    return mechanism, Kernel(question, sizes, traced.roots())


def by_graph(kernel, inputs):
    """Values of the expanded graph in Python: doubles without fused multiply-adds."""
    roots = Expansion(fma=False).expand(list(kernel.roots))
    values = evaluate(roots, lambda at: inputs[at[0]][at[1]], float)
    return [values[root.index] for root in roots]


def addresses(kernel):
    at, start = {}, 0
    for name, size in kernel.inputs.items():
        at[name] = start
        start += 8 * size
    return at, start


def by_bytes(code, kernel, inputs):
    machine = Module(code)
    at, out = addresses(kernel)
    for name, values in inputs.items():
        machine.put(at[name], values)
    machine.call(kernel.name, *at.values(), out)
    return list(machine.numbers(out, len(kernel.roots)))


def same_bits(a, b):
    return struct.pack(f"{len(a)}d", *a) == struct.pack(f"{len(b)}d", *b)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("question", ["inverse_dynamics", "forward_dynamics"])
def test_bits_of_the_graph(name, question):
    mechanism, kernel = kernel_of(name, question)
    code = module([kernel], 1 << 16)
    q, v, a = mechanism.random_state(seed=4)
    third = "a" if question == "inverse_dynamics" else "tau"
    inputs = {"q": q.tolist(), "v": v.tolist(), third: a.tolist()}
    inputs = {n: inputs[n] for n in kernel.inputs}
    got = by_bytes(code, kernel, inputs)
    assert same_bits(got, by_graph(kernel, inputs))
    right = getattr(mechanism, question)(q, v, a)
    assert np.allclose(got, right, rtol=1e-11, atol=1e-11 * abs(right).max())


def test_every_operation():
    """One root per operation and one of everything, on ordinary and odd numbers."""
    g = Graph()
    x, y, z = (g.load("x", k) for k in range(3))
    roots = [
        x + y, x - y, x * y, x / y, -x, abs(x), scalar.sqrt(x), scalar.sin(x), scalar.cos(y),
        scalar.where(x < y, x, z), scalar.where(x <= y, z, y), x, g.constant(-0.0),
        g.constant(math.inf), scalar.where(x < y, x * z, z) + scalar.where(x < y, y, x * z),
        scalar.sin(x) * scalar.cos(x) + scalar.sin(x + y),
    ]  # fmt: skip
    kernel = Kernel("all", {"x": 3}, roots)
    code = module([kernel], 4096)
    odd = (
        0.0,
        -0.0,
        1.5,
        -2.25,
        1e300,
        1e-310,
        math.inf,
        -math.inf,
        math.nan,
        3e5,
        -1.5707963267948966,
    )
    rng = random.Random(7)
    for _ in range(200):
        values = [rng.choice([rng.choice(odd), rng.uniform(-9, 9)]) for _ in range(3)]
        got, wanted = by_bytes(code, kernel, {"x": values}), by_graph(kernel, {"x": values})
        for a, b in zip(got, wanted, strict=True):
            assert a == b or (a != a and b != b), values
            assert a != a or math.copysign(1, a) == math.copysign(1, b)


def test_mathematics_of_the_engine_is_imported():
    g = Graph()
    x, y = g.load("x", 0), g.load("x", 1)
    roots = [scalar.tanh(x) * scalar.exp(y), scalar.atan2(x, y)]
    code = module([Kernel("f", {"x": 2}, roots)], 64)
    assert [n for _, n, *_ in Module(code).imports] == ["exp", "tanh", "atan2"]
    got = by_bytes(code, Kernel("f", {"x": 2}, roots), {"x": [0.3, -0.8]})
    assert got == [math.tanh(0.3) * math.exp(-0.8), math.atan2(0.3, -0.8)]


def test_long_sums_do_not_grow_the_stack_and_locals_are_used_again():
    g = Graph()
    total = g.load("x", 0)
    for k in range(1, 3000):
        total = scalar.sin(total) * g.load("x", k % 7)
    kernel = Kernel("long", {"x": 7}, [total])
    code = module([kernel], 4096)
    groups, _ = Module(code).code[0]
    assert sum(count for count, _ in groups) < 40
    values = [0.3, 1.1, -0.7, 2.0, 0.4, -1.2, 0.9]
    assert same_bits(by_bytes(code, kernel, {"x": values}), by_graph(kernel, {"x": values}))


def test_several_functions_in_one_module():
    _, first = kernel_of("six-r")
    _, second = kernel_of("six-r", "forward_dynamics")
    code = module([first, second], 1 << 16)
    assert set(Module(code).exports) == {"memory", "inverse_dynamics", "forward_dynamics"}


def test_what_cannot_be_written_is_refused():
    g = Graph()
    with pytest.raises(CompileError, match=r"reads y\[0\]"):
        module([Kernel("f", {"x": 1}, [g.load("y", 0)])], 64)
    with pytest.raises(CompileError, match=r"reads x\[3\]"):
        module([Kernel("f", {"x": 1}, [g.load("x", 3)])], 64)


def test_numbers_of_the_format():
    """LEB128 examples of the specification's form."""
    assert uint(0) == b"\0" and uint(127) == b"\x7f" and uint(128) == b"\x80\x01"
    assert uint(624485) == bytes([0xE5, 0x8E, 0x26])


SCRIPT = """
const fs = require("fs");
const [file, job] = process.argv.slice(2);
const { inputs, size, count, name } = JSON.parse(fs.readFileSync(job));
WebAssembly.instantiate(fs.readFileSync(file), { Math }).then(({ instance }) => {
  const memory = new Float64Array(instance.exports.memory.buffer);
  let at = 0; const where = [];
  for (const values of inputs) { memory.set(values, at); where.push(8 * at); at += values.length; }
  instance.exports[name](...where, 8 * at);
  console.log(Buffer.from(memory.slice(at, at + count).buffer).toString("hex"));
});
"""


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
@pytest.mark.parametrize("name", ROBOTS)
def test_bits_in_node(name, tmp_path):
    mechanism, kernel = kernel_of(name)
    (tmp_path / "k.wasm").write_bytes(module([kernel], 1 << 16))
    q, v, a = mechanism.random_state(seed=5)
    inputs = {"q": q.tolist(), "v": v.tolist(), "a": a.tolist()}
    inputs = {n: inputs[n] for n in kernel.inputs}
    job = {"inputs": list(inputs.values()), "count": len(kernel.roots), "name": kernel.name}
    (tmp_path / "job.json").write_text(json.dumps(job))
    (tmp_path / "run.js").write_text(SCRIPT)
    done = subprocess.run([NODE, "run.js", "k.wasm", "job.json"], cwd=tmp_path, check=True,
                          capture_output=True, text=True)  # fmt: skip
    got = struct.unpack(f"<{len(kernel.roots)}d", bytes.fromhex(done.stdout.strip()))
    assert same_bits(got, by_graph(kernel, inputs))
