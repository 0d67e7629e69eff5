"""Laws that name their potential: energy is conserved; others are told by name."""

import math
import warnings

import numpy as np
import pytest

import armillary as am
from armillary.errors import EnergyWarning, ModelError


def hardening(x, v):
    """A Duffing spring."""
    return 40.0 * x + 500.0 * x * x * x


def stored(x):
    return 20.0 * x * x + 125.0 * x * x * x * x


def arm(law, loop=False, spring=0.0):
    """Two links in general position, the law in both joints; or a four-bar closed by the law."""
    passive = am.Passive(law=law, spring=spring)
    b = am.Builder("arm")
    link = {"axis": "y", "mass": 1.2, "com": (0.2, 0.03, 0.01), "inertia": (0.01, 0.03, 0.025)}
    b.body("a", **link, passive=am.Passive() if loop else passive)
    b.body("b", "a", "revolute", (0.4, 0.05, 0.0), **link, passive=passive)
    if loop:
        b.body("c", at=(0.4, 0.0, 0.3), **{**link, "com": (0.1, 0.0, 0.1)})
        b.frame("end", "b", (0.3, 0.0, 0.1))
        q = np.array([0.2, -0.3, 0.0])
        place = b.build().pose(q, "end")[1] - np.array([0.4, 0.0, 0.3])
        b.frame("tip", "c", tuple(place))
        b.loop("pin", "end", "tip", "revolute", axis="y", passive=passive)
        b.initial = {"a": 0.2, "b": -0.3}
    return b.build()


@pytest.mark.parametrize("loop", [False, True])
def test_energy_is_conserved(loop):
    """No force but gravity and the springs: what the law takes is in the potential."""
    m = arm(am.Law(hardening, stored), loop, spring=3.0)
    q, v = m.project(m.initial, np.array([2.0, -1.0, 0.5])[: m.nv])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = am.simulate(m, q, v, duration=0.5, step=1e-3, record="q,v,energy,potential")
    assert run.events == []
    assert np.ptp(run.potential) > 1.0
    assert np.ptp(run.energy) < 1e-6 * np.ptp(run.potential)


def test_the_potential_is_the_work():
    """U = ∫ force dx over each joint, beside a linear spring; the same in a batch."""
    m, plain = arm(am.Law(hardening, stored), spring=3.0), arm(None, spring=3.0)
    q = np.random.default_rng(1).normal(size=(5, 2))
    s = (np.arange(20000) + 0.5)[:, None, None] / 20000  # midpoints of the way from 0 to q
    work = (hardening(s * q, 0.0) * q).mean(axis=0).sum(axis=1)
    found = m.energy(q, 0 * q)[1] - plain.energy(q, 0 * q)[1]
    np.testing.assert_allclose(found, work, rtol=1e-7)
    np.testing.assert_allclose(m.energy(q[2], 0 * q[2])[1], m.energy(q, 0 * q)[1][2], rtol=1e-12)


def test_any_function_with_a_potential():
    """The interface is a method, not a class."""

    class Stop:
        def __call__(self, x, v):
            return 30.0 * x + 2.0 * v

        def potential(self, x):
            return 15.0 * x * x

    m, linear = arm(Stop()), arm(None, spring=30.0)
    assert m.energy_lacks == ""
    q = np.array([0.3, -0.7])
    np.testing.assert_allclose(m.energy(q, q), linear.energy(q, q), rtol=1e-12)


@pytest.mark.parametrize("loop", [False, True])
def test_what_is_lacking_is_told(loop):
    """By a warning, in the run, in the printed solution."""
    m = arm(hardening, loop)
    names = "'b', 'pin'" if loop else "'a', 'b'"
    with pytest.warns(EnergyWarning, match=f"the law of {names} holds a force at rest"):
        m.energy(m.initial, np.zeros(m.nv))
    with pytest.warns(EnergyWarning):
        run = am.simulate(m, duration=0.01, record="energy")
    assert run.events == [(0.0, m.energy_lacks)]
    assert am.simulate(m, duration=0.01).events == []
    with pytest.warns(EnergyWarning):
        solution = m.solve(m.initial, np.zeros(m.nv), np.zeros(m.nv))
        assert np.isfinite(solution.potential)  # of closed mechanisms it is found when it is read
    lacks = "b, pin" if loop else "a, b"
    assert f"warning: the energy lacks the potential of the laws of {lacks}" in str(solution)


@pytest.mark.parametrize(
    "law", [None, lambda x, v: 3.0 * v * abs(v), lambda x, v: (1.0 + x * x) * v]
)
def test_dampers_store_nothing(law):
    assert arm(law).energy_lacks == ""


@pytest.mark.parametrize(
    "law", [lambda x, v: 2.0, lambda x, v: max(0.0, x - 0.5) * 1e4, lambda x, v: 1.0 / x]
)
def test_forces_at_rest_are_found(law):
    """Constant loads, stops that are reached late, laws that are no numbers somewhere."""
    assert am.Passive(law=law).hides_energy


@pytest.mark.parametrize(
    ("law", "words"),
    [(5.0, "law is a function"), (lambda x: x, "takes 1 positional"), (lambda x, v: None, "NoneT")],
)
def test_laws_that_are_none_are_refused_by_name(law, words):
    with pytest.raises(ModelError, match=f"joint '[ab]'.*{words}"):
        arm(law)


def test_laws_that_cannot_be_traced_are_told():
    with pytest.raises(am.CompileError, match=r"float, math.sqrt.*armillary\.scalar"):
        arm(lambda x, v: math.sqrt(1.0 + x * x)).inverse_dynamics([0.1, 0.2], [0.0] * 2, [0.0] * 2)
    with pytest.raises(ModelError, match=r"'<lambda>' failed: .*armillary\.scalar"):
        arm(lambda x, v: x % 2.0).inverse_dynamics([0.1, 0.2], [0.0] * 2, [0.0] * 2)


def test_a_potential_that_does_not_belong():
    with pytest.raises(ModelError, match=r"its slope is .* Give U with dU/dx"):
        am.Law(hardening, lambda x: 20.0 * x * x)
    with pytest.raises(ModelError, match="potential is a function"):
        am.Law(hardening, 3.0)
