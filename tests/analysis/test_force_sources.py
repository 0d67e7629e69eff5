"""Joint forces by source: every part against its own law, their sum against inverse dynamics."""

import numpy as np
import pytest

import armillary as am


def nasty() -> am.Mechanism:
    """Springs, friction of several kinds, rotors, a slide, an element, full tensors."""
    b = am.Builder("nasty", gravity=(0.3, -1.0, -9.5))
    full = (0.11, 0.12, 0.13, 0.01, -0.02, 0.005)
    b.body("base", joint="revolute", axis="z", mass=2.0, com=(0.1, 0.02, 0.2), inertia=full,
           passive=am.Passive(viscous=0.7, coulomb=(0.4, 0.9), smoothing=0.01),
           rotor=am.Rotor(2e-4, 60.0))  # fmt: skip
    b.body("upper", "base", "revolute", (0.1, 0, 0.4), axis="-y", mass=1.5, com=(0.2, 0.01, 0.03),
           inertia=full, passive=am.Passive(spring=12.0, rest=0.3, static=0.5, stribeck=0.2,
                                            coulomb=0.3))  # fmt: skip
    b.body("slide", "upper", "prismatic", (0.3, 0.02, 0), axis="x", mass=0.8, com=(0.05, 0, 0.02),
           inertia=full, passive=am.Passive(spring=300.0, rest=0.1,
                                            law=am.Law(lambda x, v: 40.0 * x * x * x,
                                                       lambda x: 10.0 * x**4)))  # fmt: skip
    b.frame("tip", "slide", (0.1, 0.05, -0.02))
    b.frame("hook", "slide", (0.0, 0.1, 0.1))
    b.frame("wall", "world", (0.5, 0.2, 0.1))
    b.spring("strut", "wall", "hook", stiffness=200.0, rest=0.3, damping=5.0)
    return b.build()


STATE = [0.4, 0.7, 0.15], [1.2, -0.8, 0.5], [2.0, 1.0, -3.0]


def test_every_part_by_its_own_law():
    m = nasty()
    q, v, a = map(np.array, STATE)
    wrench = np.array([0.5, -0.3, 0.2, 4.0, -6.0, 3.0])
    found = m.force_sources(q, v, a, {"tip": wrench})
    tau = m.inverse_dynamics(q, v, a, {"tip": wrench})
    assert found.remainder < 1e-14
    np.testing.assert_allclose(found.total, tau, rtol=1e-12)
    np.testing.assert_allclose(found["rotors"], [2e-4 * 60.0**2 * 2.0, 0, 0], rtol=1e-15)
    springs = [0.0, 12.0 * (0.7 - 0.3), 300.0 * (0.15 - 0.1) + 40.0 * 0.15**3]
    np.testing.assert_allclose(found["springs"], springs, rtol=1e-14)
    level = 0.3 + 0.2 * np.exp(-((0.8 / 0.2) ** 2))
    friction = [0.7 * 1.2 + 0.4 * np.tanh(1.2 / 0.01), -level, 0.0]
    np.testing.assert_allclose(found["friction"], friction, rtol=1e-14)
    J = m.jacobian(q, "tip")
    np.testing.assert_allclose(found["external"], -J.T @ wrench, rtol=1e-14)
    # power of the strut by its own law: tension times rate of its length
    e = m.element_forces(q, v)
    assert -found["elements"] @ v == pytest.approx(float(np.sum(e.power)), rel=1e-12)
    light = m.tree.replace(gravity=(0, 0, 0))
    moved = light.inverse_dynamics(q, v, a, passive=False)
    np.testing.assert_allclose(found["inertia"] + found["velocity"], moved, rtol=1e-12)
    half = light.inverse_dynamics(q, v / 2, 0 * a, passive=False)
    np.testing.assert_allclose(found["velocity"], 4 * half, rtol=1e-12)  # quadratic in v
    moon = m.replace(gravity=(0.15, -0.5, -4.75)).force_sources(q, v, a)
    np.testing.assert_allclose(moon["gravity"], found["gravity"] / 2, rtol=1e-13)


def test_a_moving_base_and_batches():
    m = nasty().replace(base_velocity=(0.1, 0.2, 0.3, 0.4, -0.5, 0.6),
                        base_acceleration=(0.3, -0.2, 0.1, 1.0, 2.0, -1.0))  # fmt: skip
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 7, 3))
    found = m.force_sources(q, v, a)
    assert found["base"].any() and found.tau.shape == (7, 3)
    assert found.remainder < 1e-13
    one = m.force_sources(q[3], v[3], a[3])
    for name, part in found.parts.items():
        np.testing.assert_allclose(part[3], one[name], atol=1e-12)
    assert "largest of 7 states" in str(found)


@pytest.mark.parametrize("name", ["four-bar", "stewart", "differential", "bicycle", "rover"])
def test_closed_mechanisms(name):
    """The parts sum to given forces, and constraints do no work along allowed velocities."""
    m = am.example(name)
    rng = np.random.default_rng(2)
    q, v = m.project(m.initial, rng.normal(size=m.nv))
    tau = rng.normal(size=m.nv)
    found = m.force_sources(q, v, tau=tau)
    assert found.remainder < 1e-12
    assert abs(found["constraints"] @ v) < 1e-9 * max(1.0, np.abs(found["constraints"]).max())


def test_a_missing_part_is_seen():
    """The remainder is a check that can fail: without its friction a split does not add up."""
    found = nasty().force_sources(*STATE)
    parts = {name: part for name, part in found.parts.items() if name != "friction"}
    broken = type(found)(found.labels, found.units, parts, found.tau)
    assert broken.remainder > 1e-3


def test_refusals():
    with pytest.raises(am.InputError, match="not both"):
        nasty().force_sources(*STATE, tau=[0, 0, 0])
