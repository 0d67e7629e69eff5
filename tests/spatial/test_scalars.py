"""The same algebra on complex numbers, fractions, symbols, many digits, numpy arrays."""

import cmath
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from armillary.scalar import atan2, cos, dot, exp, sign, sin, sqrt, tanh, where
from armillary.spatial import Force, Inertia, Matrix, Motion, Symmetric, Transform, Vector
from armillary.spatial.rotation import (
    about,
    about_z,
    from_quaternion,
    from_rpy,
    quaternion_exp,
    quaternion_log,
    to_quaternion,
    to_rpy,
)
from armillary.spatial.small import LDL, orthogonal_complement
from dense import array, motion_matrix, random_rotation


def test_elementary_functions_of_floats():
    for ours, theirs in ((sin, math.sin), (cos, math.cos), (exp, math.exp), (tanh, math.tanh)):
        assert ours(0.3) == theirs(0.3)
    assert sqrt(2) == math.sqrt(2)
    assert atan2(1, -1.0) == math.atan2(1, -1)
    assert [sign(x) for x in (-2.0, 0.0, 3)] == [-1.0, 0.0, 1.0]
    assert where(True, 1.0, 2.0) == 1.0
    assert dot((), ()) == 0
    with pytest.raises(ValueError, match="argument 2"):
        dot((1, 2), (1,))


def test_complex_step_through_a_rotation():
    """d/dx of Rodrigues' matrix by one complex evaluation: -u~ R, to machine precision."""
    rng = np.random.default_rng(0)
    u = rng.normal(size=3)
    u /= np.linalg.norm(u)
    axis, angle, h = Vector(*u), 0.8, 1e-40
    derivative = array(about(axis, angle + 1j * h)).imag / h
    exact = -array(axis.skew()) @ array(about(axis, angle))
    np.testing.assert_allclose(derivative, exact, atol=1e-15)
    assert sin(1j) == cmath.sin(1j)
    assert exp(1j) == cmath.exp(1j)


def test_complex_step_through_an_inertia():
    """d/dr of the parallel-axis rule against central differences."""
    body = Inertia(2.0, Vector(0.1, -0.4, 0.3), Symmetric(1.0, 1.2, 0.9, 0.1, -0.2, 0.05))
    rng = np.random.default_rng(1)
    r, d = rng.normal(size=(2, 3))

    def tensor(x):
        return array(body.shift(Vector(*x)).tensor)

    exact = tensor(r + 1e-30j * d).imag / 1e-30
    np.testing.assert_allclose(exact, (tensor(r + d) - tensor(r - d)) / 2, atol=1e-13)


def test_fractions_stay_exact():
    """Group laws without a rounding error: a 3-4-5 turn and rational arms."""
    c, s = Fraction(3, 5), Fraction(4, 5)
    E = Matrix(((c, s, 0), (-s, c, 0), (0, 0, 1)))
    X = Transform(E, Vector(Fraction(1, 7), Fraction(-2, 3), Fraction(5, 11)))
    one = X @ X.inverse()
    assert one.leaves() == Transform.identity().leaves()
    m = Motion.from_leaves([Fraction(k, 13) for k in range(1, 7)])
    f = Force.from_leaves([Fraction(7 - k, 17) for k in range(1, 7)])
    assert (X @ m).dot(X.force(f)) == m.dot(f)
    assert X.inverse() @ (X @ m) is not m
    assert (X.inverse() @ (X @ m)).leaves() == m.leaves()
    body = Inertia(
        Fraction(3), Vector(Fraction(1, 2), Fraction(1, 3), 0), Symmetric(5, 4, 3, Fraction(1, 9))
    )
    there = body.shift(X.r)
    assert there.shift(-X.r).leaves() == body.leaves()
    assert all(isinstance(x, Fraction | int) for x in (X.T @ body @ X).leaves())


def test_symbols_prove_the_laws():
    """SymPy: X X^-1 = 1 and the invariance of power, as identities."""
    q, x, y, z = sp.symbols("q x y z", real=True)
    X = Transform(about_z(q), Vector(x, y, z))
    leaves = [sp.trigsimp(sp.expand(e)) for e in (X @ X.inverse()).leaves()]
    assert leaves == list(Transform.identity().leaves())
    m = Motion.from_leaves(sp.symbols("m0:6"))
    f = Force.from_leaves(sp.symbols("f0:6"))
    assert sp.trigsimp(sp.expand((X @ m).dot(X.force(f)) - m.dot(f))) == 0


def test_symbolic_branches_become_piecewise():
    w = sp.Symbol("w", real=True)
    q = quaternion_exp(Vector(w, 0, 0))
    for value in (1e-6, 0.3):
        number = [float(sp.sympify(e).subs(w, value)) for e in q]
        assert number == pytest.approx(list(quaternion_exp(Vector(value, 0.0, 0.0))), abs=1e-15)
    assert [float(sign(w).subs(w, value)) for value in (-3, 0, 2)] == [-1, 0, 1]


def test_many_digits():
    """mpmath: fifty digits of a logarithm whose turn is nearly half a circle."""
    mp = pytest.importorskip("mpmath")
    with mp.workdps(50):
        turn = Vector(mp.mpf("1.9"), mp.mpf("-1.3"), mp.mpf("2.0"))
        again = quaternion_log(quaternion_exp(turn))
        assert max(abs(a - b) for a, b in zip(again, turn, strict=True)) < mp.mpf(10) ** -47
        R = from_rpy(mp.mpf("0.1"), mp.mpf("1.2"), mp.mpf("-2.3"))
        triple = to_rpy(R)
        expected = [mp.mpf(t) for t in ("0.1", "1.2", "-2.3")]
        assert max(abs(a - b) for a, b in zip(triple, expected, strict=True)) < mp.mpf(10) ** -47
        A = [[mp.mpf(4), mp.mpf(1)], [mp.mpf(1), mp.mpf(3)]]
        x = LDL(A).solve([mp.mpf(1), mp.mpf(2)])
        assert abs(x[0] * 11 - 1) + abs(x[1] * 11 - 7) < mp.mpf(10) ** -47


def test_arrays_are_batches():
    """numpy arrays as scalars: many states in one pass, branch by branch."""
    rng = np.random.default_rng(4)
    turns = np.vstack(
        [np.zeros(3), 1e-9 * rng.normal(size=(3, 3)), 0.9 * rng.uniform(-1, 1, (5, 3))]
    )
    batch = quaternion_exp(Vector(*turns.T))
    R = to_quaternion(from_quaternion(batch))
    for k, turn in enumerate(turns):
        single = quaternion_exp(Vector(*turn))
        np.testing.assert_allclose([x[k] for x in batch], single, rtol=1e-15)
        np.testing.assert_allclose([x[k] for x in R], single, atol=1e-14)
    E, r = random_rotation(rng), rng.normal(size=3)
    motions = rng.normal(size=(6, 8))
    X = Transform(Matrix(E), Vector(*r))
    moved = X @ Motion.from_leaves(list(motions))
    np.testing.assert_allclose(np.array(moved.leaves()), motion_matrix(E, r) @ motions, atol=1e-13)
    rest = orthogonal_complement([list(motions)], 6)
    for vector in rest:
        rows = np.array([np.broadcast_to(x, 8) for x in vector])
        np.testing.assert_allclose(np.sum(rows * motions, axis=0), 0.0, atol=1e-13)
