"""One code for all mechanisms of one structure: numbers stand in a table behind it."""

from dataclasses import replace

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.codegen import jit
from armillary.evaluate.request import Load, Request, input_sizes
from armillary.evaluate.specialise import traced
from armillary.evaluate.structure import PLACE, structure_of
from armillary.model.lowering.tree import lower
from armillary.spatial import Inertia, Vector
from samples import all_models, structured_model

MODELS = [*all_models(), *((f"structured {k}", structured_model(k)) for k in range(6))]
MODELS = [(name, model) for name, model in MODELS if len(model.bodies) <= 6][::2]
ALGORITHMS = {"inverse": inverse_dynamics, "forward": replace(forward_dynamics, alternative=None)}


def request_of(algorithm, tables):
    place = (*np.linspace(0.3123, 1.4132, 9).tolist(), 0.0, 1.0, -0.7213)
    return Request(algorithm, algorithm.reads, loads=(Load(len(tables.bodies) - 1, place),))


def other_numbers(tables, seed=3):
    """The same structure: equal numbers stay equal, 0, 1 and -1 stay."""
    rng, met = np.random.default_rng(seed), {}
    return tables.turned(
        lambda x: x if x in (0, 1, -1) else met.setdefault(x, x * rng.uniform(0.7, 1.4))
    )


def lines(graph):
    """A graph as text, by order of its nodes."""
    from armillary.graph.expr import cone

    nodes = cone(graph.roots())
    number = {node.index: k for k, node in enumerate(nodes)}
    return [(n.op, [number[a.index] for a in n.args], repr(n.data)) for n in nodes]


@pytest.mark.parametrize("question", ALGORITHMS)
@pytest.mark.parametrize(("name", "model"), MODELS, ids=[name for name, _ in MODELS])
def test_code_of_a_structure_is_that_of_each_mechanism(name, model, question):
    """What would be traced for other numbers is what is there; with its own table it computes what
    code with folded numbers computes."""
    algorithm, found = ALGORITHMS[question], []
    for tables in (lower(model), other_numbers(lower(model))):
        request = request_of(algorithm, tables)
        structure = structure_of(request, tables)
        graph, derivation = structure.tabled(request, tables, None, np.inf)
        found.append((structure.identity, lines(graph)))
        rng = np.random.default_rng(1)
        given = {k: rng.uniform(0.2, 0.9, n) for k, n in input_sizes(request, tables).items()}
        given["global"] = rng.uniform(-1.0, 1.0, 16)
        given |= {PLACE: structure.table(derivation)}
        values = np.array(graph.values(given))
        folded = np.array(traced(request, tables).values(given))
        size = 1.0 + np.nanmax(abs(folded), initial=0.0)
        assert values == pytest.approx(folded, rel=0.0, abs=1e-11 * size, nan_ok=True)
    assert found[0] == found[1]


def identity(model, **changes):
    tables = lower(model)
    request = request_of(inverse_dynamics, tables)
    body = replace(tables.bodies[0], **changes)
    return structure_of(request, replace(tables, bodies=(body, *tables.bodies[1:]))).identity


def test_zeros_ones_and_equal_numbers_are_structure():
    """Another mass is the same code; none, a mass of 1, and the mass of another body are others."""
    model = structured_model(2)
    body, other = lower(model).bodies[:2]
    inertia = body.inertia
    same, *others = (
        identity(model, inertia=Inertia(mass, inertia.moment, inertia.tensor))
        for mass in (2.345, 0, 1.0, -1.0, other.inertia.mass)
    )
    heavier = Inertia(7.654, inertia.moment, inertia.tensor)
    assert same == identity(model, inertia=heavier)
    assert len({same, *others}) == 5


def test_what_an_order_of_equal_numbers_means():
    """a, a, b and a, b, b are two structures, whichever numbers they hold."""
    model = structured_model(3)
    inertia = lower(model).bodies[0].inertia
    x, y, z = 0.1234, 0.2345, 0.3456
    moments = [(x, y, z), (z, x, y), (x, x, y), (y, y, x), (x, y, y), (x, y, x)]
    found = [identity(model, inertia=Inertia(0.5678, Vector(*m), inertia.tensor)) for m in moments]
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert len(set(found)) == 4


@pytest.fixture
def compilations(monkeypatch):
    """The texts that are compiled."""
    texts, compile_text = [], jit._compile
    monkeypatch.setattr(jit, "_compile", lambda *a: texts.append(a[1]) or compile_text(*a))
    return texts


def answers(m, q, v, tau):
    last = {m.bodies[-1]: [0.1, -0.2, 0.3, 1.0, 2.0, -3.0]}
    yield m.forward_dynamics(q, v, tau)
    yield m.forward_dynamics(*(np.repeat(x[None], 9, axis=0) for x in (q, v, tau)))
    yield m.forward_dynamics(q, v, tau, external=last)
    yield m.mass_matrix(q)


@pytest.mark.parametrize("name", ["six-r", "puma560", "four-bar", "slider-crank"])
def test_an_edited_mechanism_compiles_nothing(name, compilations):
    """Payloads of any kind, after the first one; answers are those of the interpreter, of the tree,
    and those of the null space, of closed mechanisms."""
    m = am.example(name)
    q, v = np.array(m.initial), np.linspace(0.1, 0.3, m.nv)
    tau = np.linspace(-1.0, 0.5, m.nv)
    if m.constraints:
        q, v = m.project(q, v)
    for k in range(3):
        del compilations[:]
        payload = {"com": (0.012, 0.023, 0.0345 + 0.0117 * k), "inertia": (0.0113, 0.0127, 0.0139)}
        edited = m.attach(m.bodies[-1], mass=0.3731 + 0.1171 * k, **payload)
        a, batch, pushed, M = answers(edited, q, v, tau)
        assert not compilations or k == 0
        assert np.array_equal(batch, np.repeat(a[None], 9, axis=0))
        if not m.constraints:
            run = edited.interpret(forward_dynamics, {"q": q, "v": v, "tau": tau})
            assert a == pytest.approx(np.array(run.result("a"), float), rel=1e-11, abs=1e-11)
            loops = edited.compile(tier=1).mass_matrix(q)
            np.testing.assert_allclose(M, loops, rtol=1e-12, atol=1e-12)
        else:
            equations = edited.constraint_solver.equations
            system = equations.system(q[None], v[None], tau[None])
            expected = equations.answer(system, 0, native=False).a
            assert a == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert abs(pushed - a).max() > 1e-6
