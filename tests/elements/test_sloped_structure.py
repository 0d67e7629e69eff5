"""Derivatives of many force elements on mechanisms that cannot move in every direction: loops leave
out what is zero there (evaluate/motion_structure.py)."""

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.forces.end_motions import end_motions
from armillary.algorithms.tree.derivatives import (
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
)
from armillary.codegen.abi import Context
from armillary.codegen.jit import native_call
from armillary.evaluate import sloped_code, specialise, straight_code
from armillary.evaluate.motion_structure import motion_structure, pattern_of
from armillary.evaluate.request import CompileOptions, Request
from armillary.evaluate.straight_code import StraightCode
from armillary.graph.expr import Graph, TooLong
from armillary.graph.function import FunctionGraph
from armillary.runtime.slopes_tables import Slopes

HALF = np.pi / 2
# (joint, axis or more, place, turn) of every body; and the world axes that count
TREES = {
    "rail": ([("prismatic", "x", (1, 0, 0), (0, 0, 0))] * 4, (3,)),
    "rails": ([("prismatic", "-y", (1, 0, 0), (0, 0, 0)), ("prismatic", "z", (0, 1, 0), (0, 0, 0))]
              * 2, (4, 5)),
    "plane": ([("revolute", "z", (0.3, 0.1, 0), (0, 0, 0)), ("prismatic", "x", (0.2, 0, 0.1),
              (0, 0, 0)), ("revolute", "-z", (0.1, 0.2, 0), (np.pi, 0, 0))], (2, 3, 4)),
    "other plane": ([("revolute", "x", (0, 0.1, 0.3), (0, 0, 0)), ("prismatic", "y", (0, 0.2, 0),
                    (0, 0, 0)), ("revolute", "x", (0.1, 0.2, 0), (0, 0, 0))], (0, 4, 5)),
    "turntable": ([("planar", None, (0.2, 0.1, 0), (0, 0, 0)), ("cylindrical", "z", (0.2, 0.1, 0),
                  (0, 0, 0))], (2, 3, 4, 5)),
    "space": ([("revolute", "z", (0.3, 0, 0), (0, 0, 0)), ("revolute", "y", (0.3, 0, 0.1),
              (0, HALF, 0)), ("spherical", None, (0.2, 0.1, 0), (0, 0, 0))], (0, 1, 2, 3, 4, 5)),
}  # fmt: skip
CHAINED = ("plane", "other plane", "turntable", "space")


def tree(name: str, elements: int = 24) -> am.Mechanism:
    bodies, _ = TREES[name]
    rng = np.random.default_rng(4)
    b = am.Builder(name)
    names = ["world"]
    for k, (joint, axis, place, turn) in enumerate(bodies):
        parent = names[-1] if name in CHAINED or k % 2 else "world"
        b.body(f"b{k}", parent, joint=joint, at=am.Pose.from_rpy(place, turn), mass=1.0 + k,
               com=(0.1, 0.02, -0.05), inertia=(0.3, 0.4, 0.5, 0.02, -0.03, 0.01),
               **({} if axis is None else {"axis": axis}))  # fmt: skip
        names.append(f"b{k}")
    for k in range(elements):
        one, two = rng.choice(len(names), 2, replace=False)
        ends = [
            am.Frame(f"f{k}{n}", names[x], am.Pose.from_rpy(*rng.normal(size=(2, 3))))
            for n, x in enumerate((one, two))
        ]
        if k % 3 == 2:
            b.bushing(
                f"m{k}", *ends, stiffness=rng.uniform(20, 60, 6), damping=rng.uniform(1, 3, 6)
            )
        else:
            b.spring(f"s{k}", *ends, stiffness=30.0 + k, damping=4.0, rest=0.3, cubic=5.0 * (k % 2))
    geared = {"b1.angle": 1.0} if name == "turntable" else {"b0": 1.0, "b1": -2.0}
    b.coordinate_spring("gear", geared, stiffness=40.0, damping=1.5)
    return b.build().compile(tier=1)


def near(found, wanted, tolerance=1e-11):
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=tolerance * np.abs(wanted).max())


@pytest.mark.parametrize("name", TREES)
def test_as_the_interpreter_has_them(name):
    """Which knows no blocks and no axes; with wrenches on the bodies from outside."""
    m = tree(name)
    state = m.random_state(6)
    pushes = {f"b{k}": np.arange(1.0, 7.0) * (k + 1) for k in range(2)}
    for question, algorithm in (
        (m.inverse_dynamics.derivatives, inverse_dynamics_derivatives),
        (m.forward_dynamics.derivatives, forward_dynamics_derivatives),
    ):
        inputs = dict(zip(algorithm.reads, map(list, state), strict=False))
        for external in ({}, pushes):
            wrenches = [external.get(body.name, np.zeros(6)) for body in m.model.bodies]
            given = inputs | {"external": [float(x) for w in wrenches for x in w]}
            run = m.interpret(algorithm, given)
            for _ in range(3):  # the second and third natively
                found = question(*state, external=external)
                near(found.dq, np.array(run.result("dq"), float))
                near(found.dv, np.array(run.result("dv"), float))
        assert {x.tier for x in question.compile_report()} == {1}


@pytest.mark.parametrize("name", TREES)
def test_what_is_said_to_be_the_same_is_so(name):
    """In the motion of all bodies at random states, by the interpreter on plain floats."""
    m = tree(name)
    tables = m.evaluator.tables()
    found = motion_structure(Request(inverse_dynamics_derivatives, ("q", "v", "a")), tables)
    assert found.axes == TREES[name][1]
    for seed in range(3):
        q, v, _ = m.random_state(seed)
        run = m.interpret(end_motions, {"q": list(q), "v": list(v)})
        rows = [
            np.concatenate([np.ravel(run.result(x)[k]) for x in ("E", "r", "turning", "moving")])
            for k in range(len(tables.bodies))
        ]
        for column, wanted in zip(np.array(rows, float).T, found.numbers, strict=True):
            assert wanted is None or np.abs(column - wanted).max() < 1e-15
        ways = np.array([*run.result("S"), *run.result("dS")], float)
        others = [k for k in range(6) if k not in found.axes]
        assert not ways[:, others].any()


def test_bodies_that_stand_elsewhere_may_move_elsewhere():
    """Offsets of the joints turn them out of their plane."""
    m = tree("plane")
    q, v, a = m.random_state(2)
    offsets = np.random.default_rng(3).normal(size=6 * len(m.model.bodies)) * 0.2
    found = m.inverse_dynamics.derivatives(q, v, a, offsets=offsets)
    h = 1e-6
    for k, d in enumerate(h * np.eye(m.nv)):
        ahead, behind = (m.inverse_dynamics(q + x, v, a, offsets=offsets) for x in (d, -d))
        near(found.dq[:, k], (ahead - behind) / (2 * h), 1e-6)


@pytest.mark.parametrize("at_once", [1, 10**6])
@pytest.mark.parametrize("rows", [16, 19, 33])
def test_rows_worked_on_some_at_a_time(rows, at_once, monkeypatch):
    """The last ones overlap those before; each is to the bit that of its state alone."""
    monkeypatch.setattr(sloped_code, "_AT_ONCE", at_once)
    m = tree("plane")
    Q, V, A = m.random_state(8, rows)
    found = m.forward_dynamics.derivatives(Q, V, A)
    for k in range(rows):
        one = m.forward_dynamics.derivatives(Q[k], V[k], A[k])
        assert (found.dq[k] == one.dq).all()
        assert (found.dv[k] == one.dv).all()


def test_a_context_serves_more_rows_than_it_was_made_for():
    """As native loops use them: the memory behind it is not outgrown."""
    m = tree("space")
    algorithm = inverse_dynamics_derivatives
    kernels = m.evaluator.kernels_of(algorithm, ("q", "v", "a"), True, True)
    kernel, rows = kernels.kernel(True, "double"), 50
    state = m.random_state(3, rows)
    wanted = m.inverse_dynamics.derivatives(*state)
    context, memory = kernel.context(1, m.evaluator.base_numbers)
    out = [np.empty((rows, m.nv, m.nv)) for _ in algorithm.writes]
    context[Context.ROWS] = rows
    for k, x in enumerate(state):
        context[Context.INPUT_ROWS + k] = x.ctypes.data
        context[Context.INPUT_STRIDES + k] = x.shape[1]
    for k, x in enumerate(out):
        context[Context.OUTPUT_ROWS + k] = x.ctypes.data
    assert context[Context.SIZE + Slopes.MOST] == kernel.lanes.width
    native_call(kernel.address)(context.ctypes.data)
    assert (out[list(algorithm.writes).index("dq")] == wanted.dq).all()
    del memory


def test_between_coordinates_alone():
    b = am.Builder("gears")
    for k in range(3):
        b.body(f"b{k}", joint="revolute", axis="z", at=(k, 0, 0), mass=1.0, inertia=(1, 1, 1))
    b.coordinate_spring("one", {"b0": 1.0, "b2": -2.0}, stiffness=40.0, damping=1.5)
    m = b.build().compile(tier=1)
    arm = np.array([1.0, 0.0, -2.0])
    found = m.inverse_dynamics.derivatives(*m.random_state(1))
    near(found.dq, 40.0 * np.outer(arm, arm), 1e-12)
    near(found.dv, 1.5 * np.outer(arm, arm), 1e-12)


def test_numbers_that_are_not_finite_are_refused_natively_too():
    m = tree("rail")
    state = [np.array(x) for x in m.random_state(1)]
    for _ in range(3):
        m.inverse_dynamics.derivatives(*state)
    for k, x in enumerate(state):
        bad = [*state]
        bad[k] = np.where(np.arange(len(x)) == 2, np.nan, x)
        with pytest.raises(am.InputError):
            m.inverse_dynamics.derivatives(*bad)


def test_whole_numbers_of_a_table():
    rows = np.array([[0.0, 1.0, -1.0, 2.0, 0.0], [-0.0, 1.0, -1.0, 2.0, 1.0]])
    assert pattern_of(rows) == (0, 1, -1, None, None)


# -- how long code may get ------------------------------------------------------------------------


def endless(most: float) -> FunctionGraph:
    graph = Graph(most)
    x = graph.inputs({"x": 1})["x"][0]
    for _ in range(100_000):
        x = x * x + 1.0
    return FunctionGraph({"x": 1}, {"y": [x]})


def test_a_trace_that_gets_too_long_is_given_up():
    with pytest.raises(TooLong):
        endless(1000)
    assert len(endless(200_000).outputs["y"][0].graph.nodes) == 200_002
    code = StraightCode(endless, None)
    assert not code.fits(1000)
    assert "graph" not in vars(code)  # nothing of it is kept
    assert code.given_up
    assert StraightCode(endless, None).fits(200_000)
    traces = []
    code = StraightCode(lambda most: traces.append(most) or endless(most), None)
    assert code.operations == 200_000
    assert not code.fits(1000)
    assert code.fits(200_000)
    assert len(traces) == 1  # what is counted is not traced again


def test_no_more_is_traced_than_the_budget_allows(monkeypatch):
    """Of a mechanism with far more elements than straight-line code can hold, and nothing twice."""
    made, traces = [], []
    node, traced = Graph.node, specialise.traced

    def counted(graph, op, args=(), data=()):
        made.append(op)
        return node(graph, op, args, data)

    def noted(request, *rest):
        traces.append(request.algorithm.name)
        return traced(request, *rest)

    model = tree("rail", 45).model
    monkeypatch.setattr(straight_code, "remembered", lambda name, what, find: find())
    monkeypatch.setattr(specialise, "traced", noted)
    monkeypatch.setattr(Graph, "node", counted)
    m = am.Mechanism(model, CompileOptions(budget=500))
    kernels = m.evaluator.kernels_of(forward_dynamics_derivatives, ("q", "v", "tau"), True, True)
    assert not kernels.straight()
    assert 7500 < len(made) < 60_000
    assert kernels.kernel(False, "double").code.kind == "loop"
    assert traces == ["forward_dynamics_derivatives"]  # and not the part before its equations
