"""Long trucks: what is done once for equal axles, and tyres whose states run in native loops."""

import numpy as np
import pytest

import armillary as am
from armillary.sim.control.element_changes import ElementChanges
from armillary.vehicles.axle import Axle
from armillary.vehicles.trim import Leverage, with_loads

V = am.vehicles


def mixed(spring=False):
    """A tree whose elements with states are tyres, lines and springs between coordinates; and a
    spring without states."""
    b = am.Builder("mixed")
    whole = {"com": (0.1, -0.2, 0.05), "inertia": (0.6, 0.5, 0.7, 0.02, -0.03, 0.01)}
    b.body("car", joint="free", at=(0, 0, 0.31), mass=200.0, **whole)
    b.body("arm", "car", "revolute", (0.5, 0.4, 0.0), axis="y", mass=4.0, **whole)
    b.body("wheel", "arm", "revolute", (0.3, 0.2, -0.02), axis="y", mass=9.0, **whole)
    b.body("other", "car", "universal", (-0.5, 0.1, 0.0), mass=9.0, **whole)
    b.tyre("tyre", "wheel", radius=0.31, model=am.tyres.Linear())
    b.tyre("second", "other", radius=0.29, model=am.tyres.Linear())
    b.maxwell("line", ("car", "wheel"), stiffness=900.0, damping=40.0)
    b.maxwell("gear", {"arm": 1.0, "wheel": -3.0}, stiffness=70.0, damping=4.0)
    if spring:
        b.spring("spring", "car", "other", stiffness=300.0, rest=0.4)
    return b.build()


@pytest.mark.parametrize("make", [lambda: V.truck(1).mechanism, mixed], ids=["truck", "mixed"])
@pytest.mark.parametrize("told", [False, True])
def test_loops_over_changing_elements_equal_the_traced_mechanism(make, told):
    m = make()
    loops, straight = (ElementChanges(m.compile(tier=k), {}) for k in (1, 2))
    assert loops.in_loops and not straight.in_loops
    rng = np.random.default_rng(4)
    dq = 0.1 * rng.normal(size=(7, m.nv))
    q = np.array([m.integrate(m.initial, x) for x in dq])
    v, z = rng.normal(size=(7, m.nv)), 0.02 * rng.normal(size=(7, len(loops.states)))
    found, wanted = (x._numbers(np.zeros(7), q, v, z, fuse=not told) for x in (loops, straight))
    assert set(found) <= set(wanted) and ("readings" in found) == told
    for name, x in found.items():
        size = np.abs(wanted[name]).max()
        assert size > 0.0 or name == "along"
        assert np.abs(x - wanted[name]).max() <= 1e-12 * max(size, 1.0), name


def test_runs_with_loops_equal_runs_with_straight_code():
    """States of tyres and of Maxwell elements, and the motion, of what rolls and falls."""
    m = mixed()
    v = 0.3 * np.random.default_rng(6).normal(size=m.nv) + np.eye(m.nv)[3]
    runs = [
        am.simulate(
            m.compile(tier=k), m.initial, v, duration=0.05, step=1e-3, record=("q", "states")
        )
        for k in (1, 2)
    ]
    assert all(run.performance().native == 1.0 for run in runs)
    for name in ("q", "states"):
        one, two = (np.asarray(run[name]) for run in runs)
        assert np.abs(one - two).max() <= 1e-9 * np.abs(two).max() and np.ptp(two, axis=0).max() > 0


def test_a_long_truck_runs_natively_and_keeps_its_weight():
    truck = V.truck(5)
    q, v = truck.start(10.0)
    run = am.simulate(truck.mechanism, q, v, duration=0.02, step=1e-3, record=("q", "tyres"))
    assert run.complete and run.performance().native == 1.0
    columns = [k for k, label in enumerate(run.labels["tyres"]) if label.endswith("Fz")]
    loads = np.asarray(run["tyres"])[:, columns].sum(axis=1)
    assert np.allclose(loads, truck.mass * 9.81, rtol=1e-3)


def test_equal_axles_are_put_on_the_rig_once(monkeypatch):
    """Each strut carries what its own rig says; axles that differ are not confused."""
    made = []
    old = Leverage.__init__

    def counted(self, *given):
        made.append(given)
        old(self, *given)

    monkeypatch.setattr(Leverage, "__init__", counted)
    axles = [
        Axle("double wishbone", name="one"),
        Axle("MacPherson", name="two"),
        Axle("double wishbone", name="three"),
    ]
    loads = (3000.0, 3500.0, 4000.0)
    together = with_loads(axles, loads, 9.81)
    assert len(made) == 2
    for axle, load, found in zip(axles, loads, together, strict=True):
        assert found == with_loads([axle], [load], 9.81)[0]
        assert found.name == axle.name
    assert len({axle.made.strut.load for axle in together}) == 3
