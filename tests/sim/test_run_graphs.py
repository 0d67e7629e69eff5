"""A loop over time in plain Python, made of the graphs of a run alone, against `simulate`."""

import numpy as np
import pytest

import armillary as am
from armillary.evaluate.compile_function import NotNative
from armillary.graph.function import evaluate
from armillary.runtime.time_context import ROLES
from armillary.sim.loop.run_graphs import graphs_of_run

H, STEPS = 1e-3, 30


def called(graph, *inputs):
    """The outputs of a graph on lists of floats, one array each."""
    given = {name: np.ravel(x) for name, x in zip(graph.inputs, inputs, strict=True)}
    for name, size in graph.inputs.items():
        assert len(given[name]) == size
    values = evaluate(graph.roots(), lambda address: float(given[address[0]][address[1]]), float)
    return [np.array([values[n.index] for n in nodes]) for nodes in graph.outputs.values()]


def semi_implicit(graphs, q, v, z, period=0):
    """v first, then q with the new v; corrections as often as they are needed."""
    for k in range(STEPS):
        tau, t = np.zeros_like(v), k * H
        if "sample" in graphs and k % period == 0:
            (z,) = called(graphs["sample"], q, v, z, [t], [1.0])
        if "control" in graphs:
            tau, rates = called(graphs["control"], q, v, z, [t], tau)
            z = z + H * rates
        (a,) = called(graphs["dynamics"], q, v, tau)
        v = v + H * a
        q = called(graphs["advance"], q, H * v)[0] if "advance" in graphs else q + H * v
        for _ in range(3 if "position" in graphs else 0):
            q = q + called(graphs["position"], q)[0]
        if "velocity" in graphs:
            v = v + called(graphs["velocity"], q, v)[0]
    return q, v


def pid(mechanism, **options):
    return am.PID(mechanism, mechanism.neutral() + 0.2, 8.0, 3.0, 0.5, **options)


CASES = {
    "tree": ("double-pendulum", None, set()),
    "controlled": ("double-pendulum", pid, {"control"}),
    "sampled": ("double-pendulum", lambda m: pid(m, period=5 * H), {"control", "sample"}),
    "computed torque": (
        "two-link", lambda m: am.ComputedTorque(m, [0.3, -0.2], 20.0, 5.0), {"control"},
    ),
    "closed": ("four-bar", None, {"position", "velocity"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_loop_of_graphs_is_the_simulation(name):
    example, make, roles = CASES[name]
    mechanism = am.example(example)
    controller = None if make is None else make(mechanism)
    graphs = graphs_of_run(mechanism, controller)
    assert set(graphs) == {"dynamics"} | roles <= set(ROLES)
    q = np.array(mechanism.initial if mechanism.constraints else [0.4, -0.3], float)
    v = np.array([0.7, -0.4]) if not mechanism.constraints else np.zeros(mechanism.nv)
    run = am.simulate(mechanism, q, v, STEPS * H, H, "semi-implicit", controller=controller)
    nz = graphs["control"].inputs["z"] if "control" in graphs else 0
    found = semi_implicit(graphs, q, v, np.zeros(nz), 5)
    np.testing.assert_allclose(found[0], run.q[-1], rtol=0, atol=1e-11)
    np.testing.assert_allclose(found[1], run.v[-1], rtol=0, atol=1e-9)


def test_quaternions_and_wrenches():
    """A body that flies: roles of the manifold; a wrench of the mouse as an input."""
    b = am.Builder("stone", gravity=(0.0, 0.3, -9.81))
    b.body("stone", joint="free", mass=2.0, com=(0.1, 0.2, -0.1), inertia=(0.3, 0.2, 0.4))
    stone = b.build()
    graphs = graphs_of_run(stone, external=True)
    manifold = {
        "integrate",
        "advance",
        "rate",
        "to_center",
        "from_center",
        "carried",
        "center_rate",
    }
    assert set(graphs) == {"dynamics"} | manifold
    q, v = np.array([0.8, 0.0, 0.6, 0.0, 1.0, 2.0, 3.0]), np.linspace(-1.0, 2.0, 6)
    wrench = np.array([0.3, -0.2, 0.5, 4.0, 1.0, -2.0])
    (a,) = called(graphs["dynamics"], q, v, np.zeros(6), wrench)
    expected = stone.forward_dynamics(q, v, np.zeros(6), external={"stone": wrench})
    np.testing.assert_allclose(a, expected, rtol=1e-13)
    (moved,) = called(graphs["integrate"], q, 0.1 * v)
    np.testing.assert_allclose(moved, stone.integrate(q, 0.1 * v), rtol=1e-13)


def test_what_is_no_graph():
    arm = am.example("double-pendulum")
    with pytest.raises(NotNative):
        graphs_of_run(arm, lambda t, q, v: -q)
