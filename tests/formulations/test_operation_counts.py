"""Operation counts: a scalar that counts while it computes, closed forms, and growth with size."""

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.algorithms.tree.mass_matrix import mass_matrix

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
    found = am.example("two-link").operation_counts()["composite bodies"].own
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
    counts = arm.operation_counts()
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
    puma = am.example("puma560").operation_counts()["Newton-Euler"].own
    own = counts["Newton-Euler"].own
    assert puma.multiplications < 0.5 * own.multiplications  # right angles and zeros vanish


def test_growth_with_the_number_of_joints():
    """Newton-Euler and articulated bodies grow linearly, unit accelerations with the square."""
    sizes = (4, 6, 8)
    counts = [chain(n).operation_counts() for n in sizes]

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
    text = str(am.example("puma560").operation_counts())
    assert "about 200 multiplications" in text and "[Yesiloglu2007, 1.2.1]" in text
    assert "135 multiplications" in text  # 15 pairs of bodies, 9 each  [QuinnChang1991, 26]
    with pytest.raises(am.ModelError, match="at most 60"):
        chain(61).operation_counts()
