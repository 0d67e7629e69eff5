"""Operation counts: a scalar that counts while it computes, closed forms, and growth with size."""

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.textbook.counting import Copies
from armillary.textbook.formulations.registry import QUANTITIES
from armillary.textbook.operation_counts import CountedArrays

COUNT = {"mul": 0, "add": 0}


class Counting:
    """A number that counts multiplications and additions by anything but exact 0, 1 and -1."""

    def __init__(self, x):
        self.x = float(x)

    def _with(self, other, kind, value, free):
        if not (isinstance(other, int) and other in free):
            COUNT[kind] += 1
        return Counting(value)

    def __add__(self, o):
        return self._with(o, "add", self.x + number(o), (0,))

    def __sub__(self, o):
        return self._with(o, "add", self.x - number(o), (0,))

    def __rsub__(self, o):
        return self._with(o, "add", number(o) - self.x, (0,))

    def __mul__(self, o):
        if isinstance(o, int) and o == 0:
            return 0
        return self._with(o, "mul", self.x * number(o), (1, -1))

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, o):
        return Counting(self.x / number(o))

    def __rtruediv__(self, o):
        return Counting(number(o) / self.x)

    def __neg__(self):
        return Counting(-self.x)

    def sin(self):
        return Counting(np.sin(self.x))

    def cos(self):
        return Counting(np.cos(self.x))


def number(x):
    return x.x if isinstance(x, Counting) else x


def carried_out(arm, algorithm, names):
    COUNT.update(mul=0, add=0)
    state = {name: [Counting(0.3 + 0.1 * k) for k in range(arm.nv)] for name in names}
    arm.interpret(algorithm, state, passive=False)
    return COUNT["mul"], COUNT["add"]


def test_two_link_by_hand():
    """M = [[A + 2 B c2, D + B c2], [., D]] with B c2 shared: one cosine, few operations."""
    found = am.example("two-link").operation_counts(["composite bodies"]).rows[0].own
    assert found.turns == 1 and found.multiplications <= 4 and found.additions <= 4


def chain(n):
    b = am.Builder(f"chain{n}")
    for k in range(n):
        parent = f"b{k}" if k else "world"
        b.body(f"b{k + 1}", parent, "revolute", (0.1, 0.2, 0.3), axis=(1, 2, k + 1), mass=1.0,
               com=(0.1, 0.02, 0.03), inertia=(0.1, 0.2, 0.25, 0.01, 0.02, 0.03))  # fmt: skip
    return b.build()


def test_graphs_count_less_than_a_run_and_not_much_less():
    """A run counts equal operations again, and zeros of the arm's numbers as numbers."""
    arm = chain(6)
    counts = arm.operation_counts(["Newton-Euler", "composite bodies", "articulated bodies"])
    for title, algorithm, names in (
        ("Newton-Euler", inverse_dynamics, "qva"),
        ("composite bodies", mass_matrix, "q"),
        ("articulated bodies", forward_dynamics, ("q", "v", "tau")),
    ):
        run = carried_out(arm, algorithm, names)
        own, general = counts[title].own, counts[title].general
        for k in range(2):
            assert 0.6 * run[k] < general.all[k] <= run[k], title
            assert 0.7 * general.all[k] < own.all[k] <= general.all[k], title
    puma = am.example("puma560").operation_counts(["Newton-Euler"])["Newton-Euler"].own
    own = counts["Newton-Euler"].own
    assert puma.multiplications < 0.5 * own.multiplications  # right angles and zeros vanish


def test_growth_with_the_number_of_joints():
    """Newton-Euler and articulated bodies grow linearly, unit accelerations with the square."""
    sizes = (4, 6, 8)
    names = ("Newton-Euler", "articulated bodies", "unit accelerations", "composite bodies")
    counts = [chain(n).operation_counts(names) for n in sizes]

    def general(name):
        return [c[name].general.multiplications for c in counts]

    for name in ("Newton-Euler", "articulated bodies"):
        first, second, third = general(name)
        assert third - second == pytest.approx(second - first, rel=1e-12)
    first, second, third = general("unit accelerations")
    assert third - 2 * second + first > 0
    order = [general(name)[-1] for name in ("composite bodies", "unit accelerations")]
    assert order[0] < order[1]


def test_the_printed_counts_stand_beside():
    text = str(am.example("puma560").operation_counts(["Newton-Euler"]))
    assert "about 200 multiplications" in text and "[Yesiloglu2007, 1.2.1]" in text
    assert "135 multiplications" in text  # 15 pairs of bodies, 9 each  [QuinnChang1991, 26]
    with pytest.raises(am.ModelError, match="at most 60"):
        chain(61).operation_counts()
    with pytest.raises(am.ModelError, match="Newton-Euler"):
        chain(2).operation_counts(["Newton Euler"])


# -- formulations in matrices -------------------------------------------------------------------


def counts_of(act):
    """(dense, own) of what is done with arrays of the copies' numpy."""
    copies = Copies()
    act(copies.module("numpy"))
    return copies.tally.dense, copies.tally.own


def test_products_of_arrays_by_hand():
    A = np.array([[2.0, 0.0, 3.0], [1.0, 5.0, 0.0]])
    B = np.array([[4.0], [6.0], [-1.0]])

    def act(np_):
        np_.array(A) @ np_.array(B)  # 2·4 + 0·6 - 3;  4 + 5·6 + 0: two products, two sums

    assert counts_of(act) == ([6, 4, 0, 0], [2, 2, 0, 0])

    def others(np_):
        x, y = np_.array([2.0, 0.0, 1.0]), np_.array([3.0, 4.0, 5.0])
        x * y  # 2·3
        x + y  # 2 + 3, 1 + 5
        np_.cross(x, y)
        np_.sqrt(y) / y
        np_.cos(y)
        x @ y + 0.5 * x[0]  # 2·3 + 5, and one more of both

    dense, own = counts_of(others)
    assert dense == [3 + 6 + 3 + 1, 3 + 3 + 2 + 1, 6, 3]
    assert own[0] == 1 + 6 + 1 + 1 and own[1] == 2 + 3 + 1 + 1

    def complex_(np_):
        np_.array([1.0 + 2j]) * np_.array([3.0 + 1j])
        np_.array([1.0 + 2j]) * np_.array([3.0])

    assert counts_of(complex_)[0] == [4 + 2, 2, 0, 0]

    def elimination(np_):
        np_.linalg.solve(np_.eye(3) * 2.0, np_.ones(3))

    dense, _ = counts_of(elimination)
    assert dense[0] - 9 == 8 + 9  # (n³ - n)/3 and n² per right side


@pytest.mark.parametrize("n", [2, 4])
def test_the_inverse_arm_by_hand(n):
    """Equations 1-10 of [Swartz1982], product by product, per link:

    frames 4 + 2; (1) 12, (2) 21, (3) 15, (4) 27, (5) 18, (6) 3, (7) 24; (8) 9, (9) 21, (10) 3 + 1
    and the axis of every link in every frame, 9 n; gravity in frame 0 and the rotors besides."""
    arm = am.example("two-link") if n == 2 else chain_of_table(n)
    found = arm.operation_counts(["Inverse Arm"])["Inverse Arm"]
    assert found.by == "arrays"
    assert found.general.multiplications == n * (160 + 9 * n) + 9 + n
    assert found.own.multiplications < found.general.multiplications


def chain_of_table(n):
    b = am.Builder(f"chain{n}")
    for k in range(n):
        b.body(f"b{k}", f"b{k - 1}" if k else "world", "revolute", (0.4, 0, 0), axis="z", mass=1.0,
               com=(0.1, 0.02, 0.03), inertia=(0.1, 0.2, 0.25))  # fmt: skip
    return b.build()


@pytest.mark.parametrize("name", ["two-link", "four-bar"])
def test_every_formulation_is_counted_and_none_is_another_one(name):
    """All that know the mechanism; run on counting arrays they answer as they do otherwise."""
    m = am.example(name)
    counts = m.operation_counts()
    known = {f.name: f for f in am.methods.formulations(None, m)}
    assert {row.name for row in counts.rows} == {*known, "bias forces", "unit accelerations"}
    others = {f.name: f.refusal(m.model) for f in am.methods.FORMULATIONS if f.name not in known}
    assert counts.refused == others
    with pytest.raises(am.ModelError, match=r"sorted subspaces of .*no joint has a spring"):
        counts["sorted subspaces"]
    arrays = CountedArrays(m)
    for row in counts.rows:
        assert sum(row.own.all) > 0
        if row.general is not None:
            assert all(a >= b for a, b in zip(row.general.all[:2], row.own.all[:2], strict=True))
        if row.by == "arrays":
            given = [arrays.state[x] for x in QUANTITIES[row.quantity][0]]
            here = known[row.name](m, *given, passive=False)
            np.testing.assert_array_equal(np.asarray(arrays.answer(known[row.name])), here)


def test_order_of_the_documents():
    """Walker and Orin's methods are each shorter than the one before it; conjugate directions take
    more than composite bodies; dense operators cost most."""
    names = [f"{way} {k}" for way in ("Walker-Orin", "Forward Arm") for k in (1, 2, 3)]
    names += ["articulated bodies", "operator inverse"]
    counts = am.example("six-r").operation_counts(names)
    own = {row.name: sum(row.own.all) for row in counts.rows}
    general = {row.name: row.general.multiplications for row in counts.rows if row.general}
    assert general["Walker-Orin 3"] < general["Walker-Orin 2"] < general["Walker-Orin 1"]
    assert general["Forward Arm 3"] < general["Forward Arm 2"] < general["Forward Arm 1"]
    assert own["articulated bodies"] < own["Forward Arm 3"] < own["operator inverse"]
