"""Slopes of the equations of closed mechanisms by native loops: as the interpreter has them, and
derivatives of accelerations of large mechanisms against differences."""

from dataclasses import replace

import numpy as np
import pytest
from closed_machines import uneven_ladder
from test_loop_passive import LAWS, four_bar, moving
from test_solution import EXAMPLES, NASTY, allowed, example_state, nasty

import armillary as am
from armillary.codegen.target import native
from armillary.constraints.slopes import Probe
from armillary.constraints.splitting import solved_split

pytestmark = pytest.mark.skipif(not native(), reason="needs llvmlite")
WRENCH = np.array([0.3, -0.2, 0.1, 2.0, -1.0, 0.5])


def as_interpreted(m, q, v, tau, external=None, passive=True, tolerance=1e-12):
    """Along random variations, which need not be admissible: of one state, and of three."""
    equations = m.constraint_solver.equations
    rng = np.random.default_rng(1)
    for count in (1, 3):
        several = (np.tile(x, (count, 1)) for x in (q, v, tau))
        system = equations.system(*several, external, passive)
        probe = Probe(
            equations, system.q, solved_split(equations, system, False), external, passive
        )
        along = rng.normal(size=(2, count, m.nv, 4))
        expected, found = probe._interpreted(*along), probe.by_loops(*along)
        for name, x, y in zip(("balance", "rows", "rates"), expected, found, strict=True):
            size = max(np.abs(x).max(initial=0.0), 1.0)
            assert np.abs(y - x).max(initial=0.0) <= tolerance * size, name


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    m, q, v, tau = example_state(name)
    as_interpreted(m, q, v, tau)
    as_interpreted(m, q, v, tau, {m.bodies[-1]: WRENCH}, False)


@pytest.mark.parametrize("name", NASTY)
def test_any_constraints(name):
    m, q = nasty(name)
    v, tau = allowed(m, q), np.random.default_rng(2).normal(size=m.nv)
    as_interpreted(m, q, v, tau)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_friction_and_springs_of_loops(law):
    """Their angle counts the turns of the tree."""
    m = four_bar("pin", law)
    q, v = moving(m)
    q[0] += 2.0 * np.pi
    as_interpreted(m, q, v, np.ones(3))


def test_moving_base():
    m, q, v, tau = example_state("hslm")
    rng = np.random.default_rng(0)
    base = {"base_velocity": tuple(rng.normal(size=6)), "base_acceleration": (0.3,) * 6}
    as_interpreted(am.Mechanism(replace(m.model, **base)), q, v, tau)


@pytest.mark.parametrize("make", ["ladder", "train"])
def test_large_mechanisms_against_differences(make, monkeypatch):
    """Along one variation of q and one of v; nothing is interpreted."""
    m = {
        "ladder": lambda: uneven_ladder(30),
        "train": lambda: am.vehicles.truck(6).mechanism,
    }[make]()

    def refuse(*_):
        raise AssertionError("the interpreter was asked")

    monkeypatch.setattr(Probe, "_interpreted", refuse)
    rng = np.random.default_rng(3)
    q, v = m.project(m.initial, 0.1 * rng.normal(size=m.nv))
    tau, h = rng.normal(size=m.nv), 1e-5
    found = m.forward_dynamics.derivatives(q, v, tau)
    way = found.velocities @ rng.normal(size=found.velocities.shape[1])
    way /= np.abs(way).max()
    a = [m.forward_dynamics(q, v + k * way, tau) for k in (h, -h)]
    expected = (a[0] - a[1]) / (2.0 * h)
    assert np.abs(found.jvp(v=way) - expected).max() < 1e-6 * np.abs(expected).max()
    way = found.motions @ rng.normal(size=found.motions.shape[1])
    way /= np.abs(way).max()
    a = [m.forward_dynamics(*m.project(m.integrate(q, k * way), v), tau) for k in (h, -h)]
    expected = (a[0] - a[1]) / (2.0 * h)
    assert np.abs(found.jvp(q=way) - expected).max() < 1e-5 * np.abs(expected).max()
