"""What folds while an expression is traced, and what must not."""

import math

import pytest

from armillary import scalar
from armillary.errors import CompileError
from armillary.graph.expr import Graph, Node, cone
from armillary.graph.ops import OPS


@pytest.fixture
def graph() -> Graph:
    return Graph()


@pytest.fixture
def x(graph) -> Node:
    return graph.load("x", 0)


@pytest.fixture
def y(graph) -> Node:
    return graph.load("y", 0)


# ---------------------------------------------------------------- structural integers


def test_zero_one_and_minus_one_vanish(x):
    assert x + 0 is x
    assert 0 + x is x
    assert x - 0 is x
    assert 0 - x is -x
    assert x * 1 is x
    assert 1 * x is x
    assert x * -1 is -x
    assert -1 * x is -x
    assert x / 1 is x
    assert +x is x


def test_products_with_nothing_are_nothing(x):
    for product in (x * 0, 0 * x, 0 / x):
        assert type(product) is int
        assert product == 0


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, -1.0, True, False])
def test_a_number_that_happens_to_be_zero_or_one_stays(x, value):
    """0.0 * x is not zero where x is infinite or not a number; only `int` is structural."""
    assert (x * value).op == "mul"
    assert (value * x).op == "mul"
    assert (x + value).op == "add"
    assert (x / value).op == "div"


def test_other_integers_are_numbers(x):
    assert (x * 2).op == "mul"
    assert (x + 2) is (x + 2.0)


# ---------------------------------------------------------------- rules that need no value


def test_a_value_less_itself_is_nothing(x, y):
    for nothing in (x - x, (x + y) - (x + y), (x * y) - (y * x)):
        assert type(nothing) is int
        assert nothing == 0


def test_a_value_over_itself_is_one(x):
    assert x / x == 1
    assert type(x / x) is int


def test_a_value_times_its_reciprocal_is_one(x, y):
    for one in (x * (1 / x), (1.0 / x) * x, (x + y) * (1.0 / (y + x))):
        assert type(one) is int
        assert one == 1


def test_only_the_reciprocal_of_the_same_value_cancels(x, y):
    assert (x * (1.0 / y)).op == "mul"
    assert (x * (2.0 / x)).op == "mul"


def test_signs_move_outward(x, y):
    opposite = -x
    assert -opposite is x
    assert x + -y is x - y
    assert -x + y is y - x
    assert x - -y is x + y
    assert -(x - y) is y - x
    assert x * -y is -(x * y)
    assert -x * y is -(x * y)
    assert -x * -y is x * y


# ---------------------------------------------------------------- one node per value


def test_equal_expressions_are_one_node(graph, x, y):
    assert x + y is y + x
    assert x * y is y * x
    assert x - y is not y - x
    assert x.sin() is x.sin()
    before = len(graph.nodes)
    assert (x * y + x).cos() is (y * x + x).cos()
    assert len(graph.nodes) == before + 2
    assert graph.load("x", 0) is x


def test_positive_and_negative_zero_are_two_constants(graph, x):
    assert graph.constant(0.0) is graph.constant(0.0)
    assert graph.constant(0.0) is not graph.constant(-0.0)
    assert math.copysign(1.0, graph.constant(-0.0).data[1]) == -1.0
    assert (x + 0.0) is not (x + -0.0)


def test_not_a_number_is_one_constant(graph):
    assert graph.constant(math.nan) is graph.constant(math.nan)


def test_constants_are_computed_at_once(graph):
    three, four = graph.constant(3.0), graph.constant(4.0)
    assert three + four is graph.constant(7.0)
    assert (three * three + four * four).sqrt() is graph.constant(5.0)
    assert three.sin() is graph.constant(math.sin(3.0))
    assert -three is graph.constant(-3.0)
    assert abs(-three) is three
    assert three.exp() is graph.constant(math.exp(3.0))
    assert three.tanh() is graph.constant(math.tanh(3.0))
    assert Node.atan2(three, four) is graph.constant(math.atan2(3.0, 4.0))


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [(1.0, 0.0, math.inf), (-1.0, 0.0, -math.inf), (1.0, -0.0, -math.inf), (0.0, -0.0, math.nan),
     (math.nan, 0.0, math.nan)],
)  # fmt: skip
def test_division_of_constants_follows_the_machine(graph, above, below, expected):
    ratio = (graph.constant(above) / graph.constant(below)).data[1]
    assert ratio == expected or (math.isnan(ratio) and math.isnan(expected))


def test_the_root_of_a_negative_constant_is_not_a_number(graph):
    assert math.isnan(graph.constant(-1.0).sqrt().data[1])


# ---------------------------------------------------------------- conditions


def test_if_on_a_value_is_refused_with_the_cure(x):
    with pytest.raises(CompileError, match=r"where\(condition, yes, no\)"):
        bool(x < 0.0)
    with pytest.raises(CompileError, match="if"):
        bool(x)
    with pytest.raises(CompileError, match="where"):
        max(x, 0.0)


def test_where_selects(x, y):
    chosen = scalar.where(x < y, x, y)
    assert chosen.op == "select"
    assert scalar.where(x < y, x, x) is x
    assert (x > y) is (y < x)
    assert (x >= y) is (y <= x)


def test_sign_and_functions_are_traced(x):
    assert scalar.sign(x).op == "select"
    assert scalar.sin(x) is x.sin()
    assert scalar.cos(x) is x.cos()
    assert scalar.atan2(x, 1.0).op == "atan2"
    assert scalar.atan2(1.0, x).op == "atan2"


def test_things_that_are_no_scalars_are_refused_by_name(x):
    with pytest.raises(CompileError, match="'a word'"):
        x + "a word"
    with pytest.raises(CompileError, match="None"):
        x * None


def test_duals_of_nodes_work_from_both_sides(x, y):
    """Slopes of friction laws are traced with symbols as the law's own numbers."""
    for product in (x * scalar.Dual(y, 1), scalar.Dual(y, 1) * x):
        assert product.value is x * y
        assert product.slope is x
    for total in (x + scalar.Dual(y, 1), scalar.Dual(y, 1) + x):
        assert total.value is x + y
        assert total.slope == 1
    assert (x - scalar.Dual(y, 1)).value is x - y
    assert (x / scalar.Dual(y, 1)).slope is not None
    assert bool(scalar.Dual(1.0) < scalar.Dual(2.0))
    chosen = scalar.where(x < scalar.Dual(y, 1), scalar.Dual(x), scalar.Dual(y, 1))
    assert chosen.value.op == "select"


# ---------------------------------------------------------------- the graph


def test_a_cone_lists_arguments_before_users(x, y):
    root = (x * y + x).sin()
    nodes = cone([root])
    assert nodes[-1] is root
    places = {node.index: k for k, node in enumerate(nodes)}
    for node in nodes:
        assert all(places[a.index] < places[node.index] for a in node.args)
    assert len({node.index for node in nodes}) == len(nodes)
    assert len(cone([root, x, root])) == len(nodes)


def test_nodes_show_what_they_are(graph, x):
    assert repr(x) == "x/0"
    assert repr(graph.constant(2.5)) == "2.5"
    assert repr(x.sin()).startswith("sin#")


def test_every_operation_says_how_many_arguments_its_value_takes():
    for name, op in OPS.items():
        assert op.value.__class__.__name__ in ("function", "builtin_function_or_method"), name
        assert op.arity in (1, 2, 3)
        assert op.result in ("number", "mask")
