"""How many operations a formulation takes on this mechanism, beside what the documents print.

Every algorithm that is written over scalars is run once on symbols, and the operations of its graph
are counted, equal ones once: "general" with a symbol for every constant of the mechanism (and for
the motion of its base), "own"
with its numbers, whose zeros and ones vanish (the customisation of [VanDerMerwe1995, 1.4]).
Formulations in dense matrices (operators, projections, quasi-coordinates) are not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from armillary.algorithms.passes import Algorithm, Base
from armillary.algorithms.tree.coriolis import coriolis_matrix
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import bias_forces, inverse_dynamics, static_forces
from armillary.algorithms.tree.joint_space import joint_space_dynamics
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.errors import ModelError
from armillary.evaluate.specialise import Number, specialise, structural
from armillary.graph.expr import Graph, Node, cone
from armillary.graph.function import fold_zeros
from armillary.joints import Gimbal
from armillary.model.describe import counted
from armillary.model.lowering.tree import Tables
from armillary.scalar import Scalar
from armillary.shown import shown
from armillary.spatial import Vector

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism

_LARGEST = 60  # velocities: beyond, the graphs take too long
_MULTIPLIES = ("mul", "fma")
_ADDS = ("add", "sub", "fma")


@dataclass(frozen=True)
class Operations:
    """Multiplications, additions (and subtractions), divisions and roots, sines and cosines."""

    multiplications: int
    additions: int
    divisions: int
    turns: int

    @classmethod
    def of(cls, roots: Iterable[Node]) -> Operations:
        """Of a graph; signs and choices are free."""
        ops = Counter(node.op for node in cone(roots))
        return cls(
            sum(ops[op] for op in _MULTIPLIES),
            sum(ops[op] for op in _ADDS),
            ops["div"] + ops["sqrt"],
            ops["sin"] + ops["cos"],
        )

    def __add__(self, other: Operations) -> Operations:
        return Operations(*(a + b for a, b in zip(self.all, other.all, strict=True)))

    @property
    def all(self) -> tuple[int, int, int, int]:
        return self.multiplications, self.additions, self.divisions, self.turns


@dataclass(frozen=True)
class CountedFormulation:
    """One formulation on one mechanism; source: where its document has it."""

    name: str
    quantity: str
    source: str
    general: Operations
    own: Operations


@shown
@dataclass(frozen=True)
class OperationCounts:
    """rows: formulations; printed: (what a document says, where, that number here)."""

    mechanism_name: str
    freedoms: int
    rows: tuple[CountedFormulation, ...]
    printed: tuple[tuple[str, str, str], ...]

    def __getitem__(self, name: str) -> CountedFormulation:
        found = {row.name: row for row in self.rows}
        return found[name]

    def __str__(self) -> str:
        heads = (
            "formulation",
            "quantity",
            "general x",
            "+",
            "own x",
            "+",
            "/ √",
            "sin cos",
            "source",
        )
        table = [
            (r.name, r.quantity, *map(str, (*r.general.all[:2], *r.own.all)), r.source)
            for r in self.rows
        ]
        wide = [max(len(row[k]) for row in (heads, *table)) for k in range(len(heads))]
        number = (False, False, True, True, True, True, True, True, False)
        lines = [
            "  ".join(
                cell.rjust(w) if right else cell.ljust(w)
                for cell, w, right in zip(row, wide, number, strict=True)
            ).rstrip()
            for row in (heads, *table)
        ]
        title = f"operations of '{self.mechanism_name}', {self.freedoms} degrees of freedom"
        said = [f"  {what} {where}: {here}" for what, where, here in self.printed]
        return "\n".join([title, *lines, "printed in the documents:", *said])


def operation_counts(mechanism: Mechanism) -> OperationCounts:
    """Operations of every formulation over scalars for this mechanism (of its tree).

    Friction, springs and rotors are left out."""
    tree = mechanism.tree
    n = tree.nv
    if n > _LARGEST:
        raise ModelError(
            f"operation_counts: '{mechanism.name}' has {n} velocities, at most {_LARGEST}. Count "
            f"a part of it: mechanism.subtree(...)."
        )
    rows = []
    for name, quantity, source, algorithms in _FORMULATIONS:
        general, own = (
            _sum([_counted(tree, algorithm, known, free) for algorithm, known in algorithms(n)])
            for free in (True, False)
        )
        rows.append(CountedFormulation(name, quantity, source, general, own))
    counts = {row.name: row for row in rows}
    return OperationCounts(mechanism.name, n, tuple(rows), _printed(counts, n, len(tree.bodies)))


_Known = dict[str, Sequence[Scalar] | None]  # inputs with given numbers; "gravity": without weight


def _unit_accelerations(n: int) -> list[tuple[Algorithm, _Known]]:
    """Inverse dynamics at rest without weight, for one acceleration of 1 after the other."""
    units = [[1 if i == k else 0 for i in range(n)] for k in range(n)]
    return [(inverse_dynamics, {"v": [0] * n, "a": unit, "gravity": None}) for unit in units]


_Row = tuple[str, str, str, Callable[[int], list[tuple[Algorithm, _Known]]]]
_FORMULATIONS: tuple[_Row, ...] = (
    (
        "Newton-Euler",
        "inverse dynamics",
        "[VanDerMerwe1995, 4.27-4.32]",
        lambda n: [(inverse_dynamics, {})],
    ),
    (
        "M a + C v + g",
        "inverse dynamics",
        "[VanDerMerwe1995, 5.2]",
        lambda n: [(mass_matrix, {}), (coriolis_matrix, {}), (static_forces, {})],
    ),
    (
        "bias forces",
        "inverse dynamics, a = 0",
        "[VanDerMerwe1995, 5.59-5.61]",
        lambda n: [(bias_forces, {})],
    ),
    ("gravity forces", "statics", "[VanDerMerwe1995, 4.5]", lambda n: [(static_forces, {})]),
    ("unit accelerations", "mass matrix", "[Swartz1982, 13-15]", _unit_accelerations),
    ("composite bodies", "mass matrix", "[Swartz1982, 16-26]", lambda n: [(mass_matrix, {})]),
    (
        "composite bodies, solved",
        "forward dynamics",
        "[Swartz1982, 13-26]",
        lambda n: [(joint_space_dynamics, {})],
    ),
    (
        "articulated bodies",
        "forward dynamics",
        "[Yesiloglu2007, 3.1-3.21]",
        lambda n: [(forward_dynamics, {})],
    ),
)


def _counted(tree: Mechanism, algorithm: Algorithm, known: _Known, general: bool) -> Operations:
    graph, model = Graph(), tree.model
    sizes = {name: model.nq if name == "q" else model.nv for name in algorithm.reads}
    free = [name for name in sizes if name not in known and name != "external"]
    inputs: dict[str, Sequence[Scalar]] = dict(graph.inputs({name: sizes[name] for name in free}))
    inputs |= {name: value for name, value in known.items() if value is not None}
    tables: Tables = tree.evaluator.tables(True, False)
    base: Base = tree.evaluator.base()
    if "gravity" in known:
        base = replace(base, gravity=Vector(0, 0, 0))
    number = _symbols(graph) if general else structural(graph)
    run = specialise(algorithm, tables, base, inputs, None, number)
    flat = [graph.lift(x) for name in algorithm.writes for x in _numbers(run.result(name))]
    folded = fold_zeros(flat)
    return Operations.of([folded[node.index] for node in flat])


def _symbols(graph: Graph) -> Number:
    """A symbol for every constant."""
    numbers = count()

    def number(x: Scalar) -> Scalar:
        if isinstance(x, Node):
            return x
        loaded: Scalar = graph.load("constant", next(numbers))
        return loaded

    return number


def _numbers(values: object) -> list[Scalar]:
    if isinstance(values, (list, tuple)):
        return [x for value in values for x in _numbers(value)]
    return [values]


def _sum(parts: Sequence[Operations]) -> Operations:
    total = Operations(0, 0, 0, 0)
    for part in parts:
        total = total + part
    return total


def _three_axes() -> Operations:
    """The axes of a gimbal joint of three turns, at any position."""
    graph = Graph()
    q = graph.inputs({"q": 3})["q"]
    space = Gimbal(("rx", "ry", "rz")).motion_space(q)
    return Operations.of([graph.lift(x) for axis in space for x in axis.leaves()])


def _printed(
    rows: dict[str, CountedFormulation], n: int, bodies: int
) -> tuple[tuple[str, str, str], ...]:
    """Counts that the documents print, and the same here."""
    own, general = rows["articulated bodies"].own, rows["articulated bodies"].general
    pairs, axes = bodies * (bodies - 1) // 2, _three_axes()
    return (
        (
            "about 200 multiplications and 200 additions per freedom, O(n) forward dynamics",
            "[Yesiloglu2007, 1.2.1]",
            f"articulated bodies {general.multiplications / n:.0f} and {general.additions / n:.0f} "
            f"in general, {own.multiplications / n:.0f} and {own.additions / n:.0f} here",
        ),
        ("n³ operations to invert the mass matrix", "[Yesiloglu2007, 1.1]", f"n³ = {n**3}"),
        (
            "relative coordinates take more terms than inertial ones, M = G^T g",
            "[QuinnChang1991, 26]",
            f"{counted(pairs, 'product', 'products')} of a 3 x 3 matrix and a vector more: "
            f"{9 * pairs} multiplications and {9 * pairs} additions",
        ),
        (
            "at most 9 multiplications and 14 additions for the axes of a three-axis joint",
            "[VanDerMerwe1995, 2.38-2.39]",
            f"{axes.multiplications} and {axes.additions}, sines and cosines being known",
        ),
    )
