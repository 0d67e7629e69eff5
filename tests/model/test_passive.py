"""Friction and springs of one degree of freedom against their closed forms."""

import math

import numpy as np
import pytest
import sympy as sp

from armillary.model import Passive

SPEEDS = [-3.0, -0.4, -1e-3, 0.0, 1e-3, 0.2, 5.0]


@pytest.mark.parametrize("v", SPEEDS)
def test_viscous_and_coulomb(v):
    friction = Passive(viscous=0.3, coulomb=0.7)
    assert friction.force(0.0, v) == pytest.approx(0.3 * v + 0.7 * np.sign(v))


@pytest.mark.parametrize("v", SPEEDS)
def test_stribeck(v):
    """Static friction at rest that fades to Coulomb friction over the Stribeck velocity."""
    friction = Passive(coulomb=0.5, static=0.9, stribeck=0.1)
    level = 0.5 + 0.4 * math.exp(-((v / 0.1) ** 2))
    assert friction.force(0.0, v) == pytest.approx(level * np.sign(v))


@pytest.mark.parametrize("v", SPEEDS)
def test_smooth_sign(v):
    friction = Passive(coulomb=0.5, smoothing=0.02)
    assert friction.force(0.0, v) == pytest.approx(0.5 * math.tanh(v / 0.02))


def test_spring_is_the_gradient_of_its_energy():
    spring = Passive(spring=12.0, rest=0.3)
    x, h = 0.85, 1e-5
    slope = (spring.energy(x + h) - spring.energy(x - h)) / (2 * h)
    assert spring.force(x, 0.0) == pytest.approx(slope, rel=1e-9)
    assert spring.force(0.3, 7.0) == 0.0
    assert Passive(viscous=1.0).energy(2.0) == 0


@pytest.mark.parametrize("v", [-5.0, -1.0, -0.2, 0.0, 0.7, 2.0, 9.0])
def test_table_is_piecewise_linear_and_constant_outside(v):
    points = ((-1.0, -3.0), (0.0, 0.5), (2.0, 1.0))
    expected = np.interp(v, *np.array(points).T)
    assert Passive(table=points).force(0.0, v) == pytest.approx(expected)


def test_a_law_of_ones_own():
    quadratic = Passive(viscous=1.0, law=lambda x, v: 2.0 * v * v + x)
    assert quadratic.force(0.5, 3.0) == pytest.approx(3.0 + 18.0 + 0.5)


FULL = Passive(viscous=0.3, coulomb=0.5, static=0.9, stribeck=0.1, smoothing=0.02, spring=2.0,
               rest=0.1, table=((0.0, 0.0), (1.0, 2.0)))  # fmt: skip


@pytest.mark.parametrize("passive", [Passive(), Passive(spring=1.0), FULL])
def test_parameters_go_round(passive):
    """The same key and the same numbers: the same law, also as symbols."""
    again = passive.with_parameters(passive.parameters())
    assert again.key() == passive.key()
    assert again.force(0.4, 0.3) == passive.force(0.4, 0.3)
    names = sp.symbols(f"p0:{len(passive.parameters())}")
    symbolic = sp.sympify(passive.with_parameters(names).force(0.4, 0.3))
    numbers = dict(zip(names, passive.parameters(), strict=True))
    assert float(symbolic.subs(numbers)) == pytest.approx(float(passive.force(0.4, 0.3)))


def test_keys_tell_what_is_present():
    assert Passive().is_nothing()
    assert Passive(stribeck=0.1, smoothing=0.1, rest=2.0).is_nothing()  # of no friction, no spring
    assert not Passive(viscous=0.1).is_nothing()
    assert Passive(viscous=0.1).key() == Passive(viscous=0.2).key()
    assert Passive(viscous=0.1).key() != Passive(coulomb=0.1).key()


def test_friction_takes_power():
    """Whatever the speed, the drive supplies power against friction, never receives it."""
    friction = Passive(viscous=0.3, coulomb=0.5, static=0.9, stribeck=0.1, smoothing=0.02)
    assert all(friction.force(0.0, v) * v >= 0 for v in np.linspace(-2, 2, 101))
