"""The machine's sine, cosine and sums of products, compiled and run, against exact numbers."""

import math
import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from machine import FOUR, SCALAR, Machine, value_of

from armillary.codegen.target import Lanes, machine
from armillary.graph.expand import Expansion
from armillary.graph.expr import Graph, Node, cone
from armillary.graph.function import evaluate

DOUBLES = [Lanes(1), Lanes(4), Lanes(1, fma=False), Lanes(4, fma=False)]
FLOATS = [Lanes(1, "float"), Lanes(8, "float"), Lanes(1, "float", False), Lanes(8, "float", False)]


def named(lanes: Lanes) -> str:
    return f"{lanes.type}{'' if lanes.fma else ' without fma'}"


def sine_and_cosine(x):
    return [x.sin(), x.cos()]


def around_quadrants(largest: int, count: int, dtype=np.float64) -> np.ndarray:
    """Multiples of pi/2 as near as a float can be, and the floats beside them."""
    k = np.unique(np.r_[np.arange(-200, 201), np.linspace(-largest, largest, count, dtype=int)])
    x = (k * (np.pi / 2)).astype(dtype)
    return np.concatenate([x, np.nextafter(x, dtype(np.inf)), np.nextafter(x, dtype(-np.inf))])


def angles() -> np.ndarray:
    """1e5 of them: small, tiny, many turns, near multiples of pi/2."""
    rng = np.random.default_rng(1)
    ordinary = rng.uniform(-10, 10, 40_000)
    sizes = 10.0 ** rng.uniform(-300, 6, 30_000) * rng.choice([-1.0, 1.0], 30_000)
    turns = rng.uniform(-1e6, 1e6, 20_000)
    return np.concatenate([ordinary, sizes, turns, around_quadrants(600_000, 3000), [0.0, 5e-324]])


def exact(x: np.ndarray) -> np.ndarray:
    """Sine and cosine in extended precision (double where the platform has no more)."""
    wide = x.astype(np.longdouble)
    return np.stack([np.sin(wide), np.cos(wide)], axis=-1)


@pytest.mark.parametrize("fma", [True, False])
def test_sums_of_thousands_of_terms(fma):
    """Deeper than Python's own stack: mechanisms with numbers per state have such sums."""
    graph, count = Graph(), 3000
    total = graph.load("x", 0)
    for k in range(1, count):
        term = graph.load("x", k) * graph.load("y", k)
        total = total + term if k % 3 else total - term
    roots = Expansion(fma).expand([total])
    x = np.arange(1.0, count + 1.0)
    signs = np.where(np.arange(count) % 3 == 0, -1.0, 1.0)
    signs[0] = 1.0
    values = evaluate(roots, lambda at: float(x[at[1]]) if at[0] == "x" else 1.0, float)
    assert values[roots[0].index] == float(signs @ x)


# ---------------------------------------------------------------- sine and cosine


@pytest.mark.parametrize("fma", [True, False])
def test_what_is_expanded_has_a_value_for_other_readers(fma):
    """Without the machine: the graph after expansion, evaluated on Python's floats."""
    graph = Graph()
    expansion = Expansion(fma)
    roots = expansion.expand([f(graph.load("x", 0)) for f in (Node.sin, Node.cos)])
    for angle in np.linspace(-20.0, 20.0, 401):
        values = evaluate(roots, lambda address, x=float(angle): x, float)
        found = [values[root.index] for root in roots]
        assert found == pytest.approx([math.sin(angle), math.cos(angle)], abs=1e-14)


@pytest.mark.parametrize("lanes", DOUBLES, ids=named)
def test_doubles_to_the_last_place(lanes):
    """Half a unit in the last place of 1 is 1.1e-16; reduction and polynomial add little."""
    x = angles()
    error = np.abs(Machine(sine_and_cosine, 1, lanes)(x) - exact(x)).max()
    assert error < 2.3e-16


@pytest.mark.parametrize("lanes", DOUBLES, ids=named)
def test_tiny_angles_keep_their_digits(lanes):
    """sin x = x and cos x = 1 to the last bit where x² is below the last bit."""
    x = np.array([1e-9, -1e-20, 1e-155, 1e-300, 5e-324, -5e-324, 0.0])
    found = Machine(sine_and_cosine, 1, lanes)(x)
    np.testing.assert_array_equal(found[:, 0], x)
    np.testing.assert_array_equal(found[:, 1], 1.0)


def test_a_billion_radians():
    """With fused multiply-adds the reduction stays exact; 1e9 rad are 160 million turns."""
    rng = np.random.default_rng(2)
    x = np.r_[rng.uniform(-1e9, 1e9, 20_000), around_quadrants(600_000_000, 3000)]
    assert np.abs(Machine(sine_and_cosine, 1)(x) - exact(x)).max() < 2.3e-16


def test_a_billion_radians_without_fma():
    """Then the products of the reduction round: the error grows with the number of turns."""
    rng = np.random.default_rng(3)
    x = np.r_[rng.uniform(-1e9, 1e9, 20_000), around_quadrants(600_000_000, 3000)]
    error = np.abs(Machine(sine_and_cosine, 1, Lanes(1, fma=False))(x) - exact(x)).max(axis=1)
    assert (error < 2.3e-16 + 2e-16 * np.abs(x)).all()


def test_against_mpmath():
    """Another oracle than the C library's, at some hundred places, the worst ones included."""
    rng = np.random.default_rng(4)
    x = np.r_[rng.uniform(-1e9, 1e9, 150), around_quadrants(600_000_000, 30)[::5], 1e-3, 0.785]
    found = Machine(sine_and_cosine, 1)(x)
    with mpmath.workdps(40):
        for value, (s, c) in zip(x, found, strict=True):
            assert abs(mpmath.sin(mpmath.mpf(float(value))) - float(s)) < 2.3e-16
            assert abs(mpmath.cos(mpmath.mpf(float(value))) - float(c)) < 2.3e-16


@pytest.mark.parametrize("lanes", FLOATS, ids=named)
def test_floats(lanes):
    """Six hundred turns to the last place; half a unit of it at 1 is 3e-8."""
    rng = np.random.default_rng(5)
    x = np.r_[
        rng.uniform(-4, 4, 20_000), rng.uniform(-4e3, 4e3, 20_000),
        10.0 ** rng.uniform(-30, 3, 10_000),
        around_quadrants(2500, 500, np.float32), 0.0,
    ].astype(np.float32)  # fmt: skip
    assert np.abs(Machine(sine_and_cosine, 1, lanes)(x) - exact(x)).max() < 1.2e-7


@pytest.mark.parametrize("lanes", DOUBLES + FLOATS, ids=named)
def test_what_is_not_finite_stays_visible(lanes):
    found = Machine(sine_and_cosine, 1, lanes)([np.nan, np.inf, -np.inf, 1.0] * 2)
    assert np.isnan(found[[0, 1, 2, 4, 5, 6]]).all()
    assert np.isfinite(found[[3, 7]]).all()


@pytest.mark.parametrize("lanes", [Lanes(1), Lanes(1, "float")], ids=named)
def test_no_sine_is_larger_than_one(lanes):
    """Where the angle says nothing any more, NaN is honest and 1e20 is not."""
    with np.errstate(over="ignore"):
        found = Machine(sine_and_cosine, 1, lanes)([1e9, 1e16, 1e20, 1e30])
    assert (np.isnan(found) | (np.abs(found) <= 1.0 + 1e-6)).all()


@pytest.mark.parametrize("element", ["double", "float"])
@pytest.mark.parametrize("fma", [True, False])
def test_lanes_give_the_bits_of_the_scalar(element, fma):
    rng = np.random.default_rng(6)
    x = np.r_[rng.uniform(-1e3, 1e3, 999), np.nan, np.inf, -0.0]

    def function(x):
        s, c = x.sin(), x.cos()
        return [s, c, s * c + x, (x * x + 1.0).sqrt(), x.tanh(), (-(x * x)).exp(), 1.0 / (c + 2.0)]

    one = Machine(function, 1, Lanes(1, element, fma))(x)
    for width in (2, 4, 8):
        many = Machine(function, 1, Lanes(width, element, fma))(x)
        np.testing.assert_array_equal(many, one)


def test_one_reduction_serves_sine_and_cosine():
    graph = Graph()
    x = graph.load("x", 0)
    expansion = Expansion()
    one = len(cone(expansion.expand([x.sin()])))
    both = len(cone(expansion.expand([x.sin(), x.cos()])))
    assert both == one + 1


# ---------------------------------------------------------------- sums of products

EXACT = {
    "const": Fraction,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "fma": lambda a, b, c: a * b + c,
}
# the same with all signs positive: the size of what is added up
SIZES = EXACT | {"sub": EXACT["add"], "neg": abs, "const": lambda c: Fraction(abs(c))}


def random_roots(seed: int):
    """A small graph of sums and products of four inputs, with values used once and often."""
    choose = random.Random(seed)
    graph = Graph()
    pool = [graph.load("x", k) for k in range(4)]
    pool += [graph.constant(choose.choice([2.0, -0.5, 3.0]))]
    for _ in range(choose.randint(3, 25)):
        a, b = choose.choice(pool), choose.choice(pool[-6:])
        made = choose.choice([lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y,
                              lambda x, y: -x, lambda x, y: -(x + y) - x * y])(a, b)  # fmt: skip
        pool.append(graph.lift(made))
    return [choose.choice(pool) for _ in range(3)] + [pool[-1]]


@pytest.mark.parametrize("fma", [True, False])
def test_rewritten_sums_have_the_same_value(fma):
    """Exactly: both graphs are evaluated in fractions, at 300 random graphs."""
    numbers = [Fraction(3, 7), Fraction(-11, 5), Fraction(1, 9), Fraction(4)]
    fused = 0
    for seed in range(300):
        roots = random_roots(seed)
        made = Expansion(fma).expand(roots)
        for root, new in zip(roots, made, strict=True):
            assert value_of(new, numbers, EXACT) == value_of(root, numbers, EXACT)
        ops = [n.op for n in cone(made)]
        assert fma or "fma" not in ops
        fused += ops.count("fma")
    assert fused > 100 or not fma


def test_rewriting_never_needs_more_operations():
    for seed in range(100):
        roots = random_roots(seed)
        before = sum(n.op not in ("load", "const", "neg") for n in cone(roots))
        after = cone(Expansion(True).expand(roots))
        assert sum(n.op not in ("load", "const", "neg") for n in after) <= before


def test_a_product_that_is_needed_again_is_not_computed_twice():
    graph = Graph()
    x, y, z = (graph.load("x", k) for k in range(3))
    product = x * y
    ops = [n.op for n in cone(Expansion().expand([product + z, product]))]
    assert sorted(op for op in ops if op != "load") == ["add", "mul"]


def test_a_dot_product_is_one_chain():
    graph = Graph()
    x = [graph.load("x", k) for k in range(6)]
    ops = [n.op for n in cone(Expansion().expand([x[0] * x[1] + x[2] * x[3] + x[4] * x[5]]))]
    assert sorted(op for op in ops if op != "load") == ["fma", "fma", "mul"]


@pytest.mark.skipif(not machine().fma, reason="this CPU has no fused multiply-add")
def test_compiled_sums_round_as_little_as_they_may():
    """a*b + c with one rounding: 1/3 * 3 - 1 is not zero when the product is exact."""
    third = Machine(lambda a, b, c: [a * b + c], 3)
    found = third([[1 / 3, 3.0, -1.0]])[0, 0]
    assert found == float(Fraction(1 / 3) * 3 - 1) != 0.0


@pytest.mark.parametrize("lanes", [SCALAR, FOUR, Lanes(1, fma=False)], ids=named)
def test_compiled_graphs_against_fractions(lanes):
    rng = np.random.default_rng(8)
    rows = rng.uniform(-2, 2, (16, 4))
    for seed in range(0, 40, 5):
        roots = random_roots(seed)

        def function(*inputs, roots=roots):
            replay = EXACT | {"const": float}
            return [value_of(root, inputs, replay) for root in roots]

        found = Machine(function, 4, lanes)(rows)
        for row, values in zip(rows, found, strict=True):
            exact_row = [Fraction(float(x)) for x in row]
            size = [Fraction(abs(float(x))) for x in row]
            for root, value in zip(roots, values, strict=True):
                expected = value_of(root, exact_row, EXACT)
                scale = value_of(root, size, SIZES)
                assert abs(Fraction(float(value)) - expected) <= Fraction(1e-14) * (scale + 1)


# ---------------------------------------------------------------- sums that are written to round

BIG = 1.5 * 2.0**40


def root(x):
    """Comes late, and is the same to the last bit everywhere."""
    return x.sqrt() if isinstance(x, Node) else math.sqrt(x)


def two_sum(a, b):
    """The rounding error of a + b, exactly [Knuth]."""
    total = a + b
    other = total - a
    return [total, (a - (total - other)) + (b - other)]


def compensated(numbers):
    """Kahan's sum."""
    total, lost = numbers[0], 0.0 * numbers[0]
    for x in numbers[1:]:
        y = x - lost
        new = total + y
        lost = (new - total) - y
        total = new
    return [total - lost]


def split(a):
    """Upper and lower half of the digits [Dekker]."""
    scaled = 134217729.0 * a
    upper = scaled - (scaled - a)
    return [upper, a - upper]


WRITTEN = {
    "to a grid": lambda x, y, z: [(root(x) + BIG) - BIG, (BIG + root(x)) + (-BIG)],
    "to a grid, from above": lambda x, y, z: [BIG - (BIG - root(x)), -((root(x) - BIG) + BIG)],
    "of a given width": lambda x, y, z: [(root(x) + z) - z, (z - root(x)) - z + 0.0 * y],
    "of two widths": lambda x, y, z: [((root(x) + 0.1) - 0.3) + root(y)],
    "two-sum": lambda x, y, z: two_sum(root(x), z),
    "compensated": lambda x, y, z: compensated([z, root(x), root(y), x, root(y + 1.0)]),
    "halves": lambda x, y, z: split(root(x)),
}


@pytest.mark.parametrize("lanes", DOUBLES, ids=named)
@pytest.mark.parametrize("name", WRITTEN)
def test_what_cancels_is_rounded_as_it_is_written(name, lanes):
    """To the last bit what Python makes of the same lines, whatever comes first."""
    rng = np.random.default_rng(12)
    rows = np.column_stack([rng.uniform(0.1, 2, (40, 2)), 10.0 ** rng.uniform(3, 12, 40)])
    found = Machine(WRITTEN[name], 3, lanes)(rows)
    expected = [WRITTEN[name](*row) for row in rows.tolist()]
    np.testing.assert_array_equal(found, expected)


def test_a_product_on_a_grid():
    """With one rounding: the exact product goes to the grid."""
    rows = np.random.default_rng(13).uniform(0.1, 2, (40, 2))
    found = Machine(lambda a, b: [(a * b + BIG) - BIG], 2)(rows)[:, 0]
    grid = Fraction(math.ulp(BIG))
    for (a, b), value in zip(rows.tolist(), found.tolist(), strict=True):
        assert Fraction(value) == round(Fraction(a) * Fraction(b) / grid) * grid


def test_a_sum_of_other_things_is_still_one_chain():
    """What cancels nothing costs nothing: shared terms of one sign, one constant, a marked sum."""
    graph = Graph()
    x = [graph.load("x", k) for k in range(6)]
    shared = x[0] + x[1]
    wanted = (shared + x[2] * x[3]) + ((x[4] * x[5] + 1.5) + shared)
    ops = [n.op for n in cone(Expansion().expand([wanted, shared])) if n.args]
    assert sorted(ops) == ["add", "add", "add", "fma", "fma"]


def test_functions_of_the_c_library():
    x = np.linspace(-3, 3, 41)
    found = Machine(lambda x: [x.exp(), x.tanh(), x.atan2(x, x * x - 1.0)], 1, FOUR)(x)
    expected = [[math.exp(v), math.tanh(v), math.atan2(v, v * v - 1)] for v in x]
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=1e-16)


def test_conditions_choose_lane_by_lane():
    def function(x, y):
        from armillary.scalar import sign, where

        return [where(x < y, x, y), where(x <= y, 1.0, 2.0), sign(x), abs(y)]

    rows = np.array([[1.0, 2.0], [2.0, 1.0], [-0.0, 0.0], [np.nan, 1.0], [-3.0, -3.0]])
    expected = [[1, 1, 1, 2], [1, 2, 1, 1], [0, 1, 0, 0], [1, 2, 0, 1], [-3, 1, -1, 3]]
    for lanes in (SCALAR, FOUR):
        np.testing.assert_array_equal(Machine(function, 2, lanes)(rows), expected)


# ---------------------------------------------------------------- hyperbolic tangent


def hyperbolic_tangent(x):
    return [x.tanh()]


def slopes() -> np.ndarray:
    """Small, tiny, ordinary, flat; and where the multiple of ln 2 changes, with the neighbours."""
    rng = np.random.default_rng(6)
    edges = (np.arange(0, 60) + 0.5) * (math.log(2.0) / 2.0)
    x = np.r_[
        rng.uniform(-3, 3, 40_000), rng.uniform(-25, 25, 20_000),
        10.0 ** rng.uniform(-300, 2, 20_000), edges, np.nextafter(edges, 0.0),
        np.nextafter(edges, 99.0), [20.0, np.nextafter(20.0, 99.0), 1e300, 5e-324, 0.0],
    ]  # fmt: skip
    return x * rng.choice([-1.0, 1.0], len(x))


@pytest.mark.parametrize("lanes", DOUBLES, ids=named)
def test_hyperbolic_tangents_of_doubles(lanes):
    """Relative to the value, which is what small velocities are."""
    x = slopes()
    right = np.tanh(x.astype(np.longdouble))
    found = Machine(hyperbolic_tangent, 1, lanes)(x)[:, 0]
    assert (np.abs(found - right) <= 5e-16 * np.abs(right)).all()
    assert (np.abs(found) <= 1.0).all() and (
        found[np.abs(x) >= 20.0] == np.sign(x)[np.abs(x) >= 20.0]
    ).all()


@pytest.mark.parametrize("lanes", FLOATS, ids=named)
def test_hyperbolic_tangents_of_floats(lanes):
    x = slopes()
    x = x[(np.abs(x) > 1e-30) & (np.abs(x) < 1e30)].astype(np.float32)
    right = np.tanh(x.astype(np.float64))
    found = Machine(hyperbolic_tangent, 1, lanes)(x)[:, 0]
    assert (np.abs(found - right) <= 3e-7 * np.abs(right)).all()


def test_hyperbolic_tangents_against_mpmath_and_what_is_no_number():
    x = slopes()[::997]
    found = Machine(hyperbolic_tangent, 1)(x)[:, 0]
    with mpmath.workdps(40):
        for value, y in zip(x, found, strict=True):
            right = mpmath.tanh(mpmath.mpf(float(value)))
            assert abs(right - float(y)) <= 5e-16 * abs(right)
    for lanes in DOUBLES:
        odd = Machine(hyperbolic_tangent, 1, lanes)(np.array([np.inf, -np.inf, np.nan, 1.0]))[:, 0]
        assert odd[0] == 1.0 and odd[1] == -1.0 and np.isnan(odd[2]) and np.isfinite(odd[3])


def test_lanes_give_the_bits_of_single_numbers():
    x = slopes()
    one, four = (Machine(hyperbolic_tangent, 1, lanes)(x) for lanes in (SCALAR, FOUR))
    assert np.array_equal(one, four)


@pytest.mark.parametrize("fma", [True, False])
def test_an_expanded_tangent_has_a_value_for_other_readers(fma):
    roots = Expansion(fma).expand([Graph().load("x", 0).tanh()])
    for x in np.linspace(-22.0, 22.0, 301):
        values = evaluate(roots, lambda address, x=float(x): x, float)
        assert values[roots[0].index] == pytest.approx(math.tanh(x), rel=1e-14)
