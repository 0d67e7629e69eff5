"""How many operations a formulation takes on this mechanism, beside what the documents print.

graph   An algorithm over scalars is run once on symbols, and the operations of its graph are
        counted, equal ones once: "general" with a symbol for every constant of the mechanism (and
        for the motion of its base), "own" with its numbers, whose zeros and ones vanish (the
        customisation of [VanDerMerwe1995, 1.4]).
arrays  A formulation in matrices is run once on arrays that count (counting.py): "general" is
        every multiplication and addition of its products, zeros included; "own" leaves out those
        by 0 and ±1.  Of closed mechanisms, from M, J and the forces on.

Friction, springs and rotors are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from armillary.algorithms.passes import Algorithm, Base
from armillary.algorithms.tree.coriolis import coriolis_matrix
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import bias_forces, inverse_dynamics, static_forces
from armillary.algorithms.tree.joint_space import joint_space_dynamics
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.constraints.equations import Equations
from armillary.errors import InputError, ModelError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.evaluate.specialise import Number, specialise, structural, traced
from armillary.graph.expr import Graph, Node, cone
from armillary.graph.function import fold_zeros
from armillary.joints import Gimbal
from armillary.model.describe import counted as numbered
from armillary.model.lowering.tree import Tables
from armillary.scalar import Scalar
from armillary.shown import shown
from armillary.spatial import Vector
from armillary.textbook.counting import Copies, CountedMachine, counted
from armillary.textbook.formulations.registry import FORMULATIONS, QUANTITIES, Formulation

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
    """One formulation on one mechanism; source: where its document has it.

    by: "graph" or "arrays", see the head of this file.  general: None where compiled code is made
    for this mechanism alone."""

    name: str
    quantity: str
    source: str
    by: str
    general: Operations | None
    own: Operations


@shown
@dataclass(frozen=True)
class OperationCounts:
    """rows: formulations; refused: those that do not know the mechanism, and why; printed: (what a
    document says, where, that number here)."""

    mechanism_name: str
    freedoms: int
    rows: tuple[CountedFormulation, ...]
    refused: Mapping[str, str]
    printed: tuple[tuple[str, str, str], ...]

    def __getitem__(self, name: str) -> CountedFormulation:
        found = {row.name: row for row in self.rows}
        if name not in found and name in self.refused:
            raise ModelError(f"{name} of '{self.mechanism_name}': {self.refused[name]}.")
        if name not in found:
            raise unknown_name("formulation", name, found)
        return found[name]

    def __str__(self) -> str:
        table = [
            (r.name, r.quantity, r.by, *_pair(r.general), *map(str, r.own.all), r.source)
            for r in self.rows
        ]
        wide = [max(len(row[k]) for row in (_HEADS, *table)) for k in range(len(_HEADS))]
        lines = [
            "  ".join(
                cell.rjust(w) if 3 <= k <= 8 else cell.ljust(w)
                for k, (cell, w) in enumerate(zip(row, wide, strict=True))
            ).rstrip()
            for row in (_HEADS, *table)
        ]
        title = f"operations of '{self.mechanism_name}', {self.freedoms} degrees of freedom"
        said = [f"  {what} {where}: {here}" for what, where, here in self.printed]
        lines = [title, *lines, "printed in the documents:", *said]
        if self.refused:
            lines.append("not counted, for they do not know this mechanism:")
            lines += [f"  {name}: {why}" for name, why in self.refused.items()]
        return "\n".join(lines)


_HEADS = (
    "formulation", "quantity", "by", "general x", "+", "own x", "+", "/ √", "sin cos", "source",
)  # fmt: skip


def _pair(general: Operations | None) -> tuple[str, str]:
    return ("-", "-") if general is None else (str(general.all[0]), str(general.all[1]))


def operation_counts(
    mechanism: Mechanism, formulations: Sequence[str] | None = None
) -> OperationCounts:
    """Operations of every formulation that knows this mechanism (those of its tree, and those of
    the constrained motion), and of two methods of the documents beside them.

    formulations: their names, where not all are wanted."""
    tree, n = mechanism.tree, mechanism.nv
    if n > _LARGEST:
        raise ModelError(
            f"operation_counts: '{mechanism.name}' has {n} velocities, at most {_LARGEST}. Count "
            f"a part of it: mechanism.subtree(...)."
        )
    rows: list[CountedFormulation] = []
    refused: dict[str, str] = {}
    arrays = CountedArrays(mechanism)
    known = (*(form.name for form in FORMULATIONS), *(row[0] for row in _BESIDE))
    listed = isinstance(formulations, Iterable) and getattr(formulations, "ndim", 1) != 0
    if isinstance(formulations, str) or not (listed or formulations is None):
        raise InputError(
            f"formulations: expected names in a list, as in ['composite bodies'], found "
            f"{formulations!r:.60}."
        )
    for name in () if formulations is None else formulations:
        if not isinstance(name, str) or name not in known:
            raise unknown_name("formulation", name, known)
    for form in FORMULATIONS:
        if formulations is not None and form.name not in formulations:
            continue
        why = form.refusal(mechanism.model)
        try:
            found = None if why else _row(mechanism, form, arrays)
        except (ModelError, np.linalg.LinAlgError, ArithmeticError) as fault:
            found, why = None, f"not at this state: {fault}"
        if found is None:
            refused[form.name] = why or "its code is not straight"
        else:
            rows.append(found)
    for name, quantity, source, algorithms in _BESIDE:
        if formulations is not None and name not in formulations:
            continue
        general, own = (_sum_of(tree, algorithms(n), free) for free in (True, False))
        rows.append(CountedFormulation(name, quantity, source, "graph", general, own))
    printed = _printed(tree)
    return OperationCounts(mechanism.name, n, tuple(rows), refused, printed)


def _row(
    mechanism: Mechanism, form: Formulation, arrays: CountedArrays
) -> CountedFormulation | None:
    general: Operations | None = None
    if form.name == "compiled constrained dynamics":
        made = mechanism.constraint_solver.forward.kernels(("q", "v", "tau"))
        if made is None or not made.straight():
            return None
        by, own = "graph", Operations.of(traced(made.request, made.tables).roots())
    elif form.name in _GRAPHS:
        by, n = "graph", mechanism.nv
        choices: list[list[tuple[Algorithm, _Known]]]
        choices = [[(algorithm, {}) for algorithm in some] for some in _GRAPHS[form.name]]
        own, best = min(
            ((_sum_of(mechanism.tree, some, False), k) for k, some in enumerate(choices)),
            key=lambda pair: sum(pair[0].all),
        )
        general = _sum_of(mechanism.tree, choices[best], True)
        if form.name == "Coriolis form":  # M a + C v + g
            products = Operations(2 * n * n, 2 * n * n, 0, 0)
            general, own = general + products, own + products
    else:
        by, (general, own) = "arrays", arrays.count(form)
    return CountedFormulation(form.name, form.quantity, form.source, by, general, own)


class CountedArrays:
    """Formulations in matrices, on arrays that count, at a state of no special zeros."""

    def __init__(self, mechanism: Mechanism):
        self.mechanism = mechanism
        q, v, x = mechanism.random_state(1)
        if mechanism.constraints:
            q, v = mechanism.project(mechanism.assemble(mechanism.initial).q, v)
        self.state: dict[str, Array] = {"q": q, "v": v, "a": x, "tau": x}

    @cached_property
    def _copies(self) -> Copies:
        return Copies()

    def count(self, form: Formulation) -> tuple[Operations, Operations]:
        """General and own."""
        try:
            self.answer(form)
        except ModelError:
            if not self.mechanism.constraints:
                raise
            self.answer(form, {"v": 0.0 * self.state["v"]})  # rows may contradict in motion
        tally = self._copies.tally
        return Operations(*tally.dense), Operations(*tally.own)

    def answer(self, form: Formulation, other: Mapping[str, Array] | None = None) -> Array:
        """That of the copy, whose operations are in the tally afterwards."""
        state = {**self.state, **(other or {})}
        copies, given = self._copies, QUANTITIES[form.quantity][0]
        tally = copies.tally
        row = copies.module(type(form).__module__).formulation(form.name)
        found, arrays = row.state(self.mechanism, *(state[x] for x in given), passive=False)
        tally.reset()
        found.q, found.v = counted(found.q, tally), counted(found.v, tally)
        if form.quantity == "constrained dynamics":
            kind = copies.module(Equations.__module__).Equations
            found.equations = CountedMachine(found.equations, kind, tally)
        return np.asarray(row.at(found, *(counted(x, tally) for x in arrays[2:])))


_Known = dict[str, Sequence[Scalar] | None]  # inputs with given numbers; "gravity": without weight


def _unit_accelerations(n: int) -> list[tuple[Algorithm, _Known]]:
    """Inverse dynamics at rest without weight, for one acceleration of 1 after the other."""
    units = [[1 if i == k else 0 for i in range(n)] for k in range(n)]
    return [(inverse_dynamics, {"v": [0] * n, "a": unit, "gravity": None}) for unit in units]


# formulations over scalars: algorithms that are carried out; of several choices the shorter one
_GRAPHS: dict[str, tuple[tuple[Algorithm, ...], ...]] = {
    "compiled mass matrix": ((mass_matrix,),),
    "composite bodies": ((mass_matrix,),),
    "compiled static torques": ((static_forces,),),
    "compiled inverse dynamics": ((inverse_dynamics,),),
    "Newton-Euler": ((inverse_dynamics,),),
    "Coriolis form": ((mass_matrix, coriolis_matrix, static_forces),),
    "compiled forward dynamics": ((forward_dynamics,), (joint_space_dynamics,)),
    "composite bodies, solved": ((joint_space_dynamics,),),
    "articulated bodies": ((forward_dynamics,),),
}
_Beside = tuple[str, str, str, Callable[[int], list[tuple[Algorithm, _Known]]]]
_BESIDE: tuple[_Beside, ...] = (
    (
        "bias forces",
        "inverse dynamics, a = 0",
        "[VanDerMerwe1995, 5.59-5.61]",
        lambda n: [(bias_forces, {})],
    ),
    ("unit accelerations", "mass matrix", "[Swartz1982, 13-15]", _unit_accelerations),
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


def _sum_of(
    tree: Mechanism, algorithms: Sequence[tuple[Algorithm, _Known]], general: bool
) -> Operations:
    total = Operations(0, 0, 0, 0)
    for algorithm, known in algorithms:
        total = total + _counted(tree, algorithm, known, general)
    return total


def _three_axes() -> Operations:
    """The axes of a gimbal joint of three turns, at any position."""
    graph = Graph()
    q = graph.inputs({"q": 3})["q"]
    space = Gimbal(("rx", "ry", "rz")).motion_space(q)
    return Operations.of([graph.lift(x) for axis in space for x in axis.leaves()])


def _printed(tree: Mechanism) -> tuple[tuple[str, str, str], ...]:
    """Counts that the documents print, and the same here."""
    n, bodies = tree.nv, len(tree.bodies)
    general, own = (_sum_of(tree, [(forward_dynamics, {})], free) for free in (True, False))
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
            f"{numbered(pairs, 'product', 'products')} of a 3 x 3 matrix and a vector more: "
            f"{9 * pairs} multiplications and {9 * pairs} additions",
        ),
        (
            "at most 9 multiplications and 14 additions for the axes of a three-axis joint",
            "[VanDerMerwe1995, 2.38-2.39]",
            f"{axes.multiplications} and {axes.additions}, sines and cosines being known",
        ),
    )
