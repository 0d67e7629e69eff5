"""Equations for people: closed forms in SymPy, and listings that keep intermediate quantities.

A closed form multiplies everything out; it suits mechanisms of two or three joints.  A listing
names what the recursion computes on the way, so its length is that of the algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from numpy import ndindex

from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm
from armillary.constraints.exported import interpreted, refuse_closed_form
from armillary.constraints.questions import Constrained
from armillary.errors import InputError
from armillary.evaluate.specialise import Number
from armillary.graph.expr import Graph, Leaf, Node, cone
from armillary.graph.function import evaluate
from armillary.graph.infix import Style, assignments
from armillary.mechanism.function_graph import (
    Traced,
    entry_of,
    trace,
)
from armillary.mechanism.shortening import Expression, angle_sums, sympy_module, tidy
from armillary.model.lowering.tree import Tables
from armillary.spatial import (
    Force,
    ForceDyad,
    Inertia,
    Motion,
    RigidMotion,
    Symmetric,
    Transform,
    Vector,
)

Bodies = Mapping[str, Mapping[str, Expression]]

_SIX = ("xx", "yy", "zz", "xy", "xz", "yz")
_COMPONENTS: dict[type, tuple[str, ...]] = {
    Motion: ("wx", "wy", "wz", "vx", "vy", "vz"),
    RigidMotion: ("wx", "wy", "wz", "alphax", "alphay", "alphaz", "ax", "ay", "az"),
    Force: ("nx", "ny", "nz", "fx", "fy", "fz"),
    Inertia: ("m", "hx", "hy", "hz", *_SIX),
    ForceDyad: (*(f"n{k}" for k in _SIX), *(f"c{k}" for k in range(9)), *(f"f{k}" for k in _SIX)),
}
_SHORT = 3  # velocities: more than that, and trying many forms takes too long
_BODY_CHANGES = ("mass", "com", "inertia", "position")


def symbols(mechanism: Constrained) -> dict[str, tuple[Expression, ...]]:
    """The real SymPy symbols of `equations`: q1, q2, ..., v1, ..., a1, ..., tau1, ..."""
    sympy = sympy_module()
    model = mechanism.model
    sizes = {"q": model.nq, "v": model.nv, "a": model.nv, "tau": model.nv}
    return {name: sympy.symbols(f"{name}1:{n + 1}", real=True) for name, n in sizes.items()}


def exact(x: Expression) -> Expression:
    """A float as the number that was probably meant: a decimal of 12 digits, a short fraction, or
    one of √2 or √3, where it agrees to 14 digits; else as it prints.  Below 1e-15 it is zero.

    0.1 -> 1/10, 0.10666666666666667 -> 8/75, 0.7071067811865476 -> √2/2."""
    sympy = sympy_module()
    if not isinstance(x, (int, float)):
        return sympy.nsimplify(x, rational=True) if x.atoms(sympy.Float) else x
    if abs(x) < 1e-15:
        return sympy.Integer(0)
    decimal = f"{x:.12g}"
    if abs(float(decimal) - x) <= 1e-14 * abs(x):
        return sympy.Rational(decimal)
    for root in (1, 2, 3):
        ratio = x / root**0.5
        near = Fraction(ratio).limit_denominator(10_000)
        if abs(float(near) - ratio) <= 1e-14 * abs(ratio):
            return sympy.Rational(near.numerator, near.denominator) * sympy.sqrt(root)
    return sympy.Rational(repr(float(x)))


def interpret_with(
    mechanism: Constrained,
    number: Callable[[float], Expression],
    algorithm: Algorithm,
    inputs: Mapping[str, Expression],
    *,
    frame: str | None = None,
    passive: bool = True,
    fuse: bool = True,
) -> Run:
    """As `mechanism.interpret`, with the constants of the mechanism turned by `number` first:
    mpmath.mpf or Fraction, so that products of constants are not rounded to floats either."""
    return interpret(mechanism, algorithm, inputs, number, frame, passive, fuse)


def interpret(
    mechanism: Constrained,
    algorithm: Algorithm,
    inputs: Mapping[str, Expression],
    number: Number | None = None,
    frame: str | None = None,
    passive: bool = True,
    fuse: bool = True,
) -> Run:
    """An algorithm on any scalars; a closed mechanism keeps its constraints (`interpreted`)."""
    table = None
    if mechanism.model.constraints:
        solver = mechanism.constraint_solver
        algorithm, table = interpreted(solver, algorithm, inputs, passive, fuse)
    return mechanism.evaluator.interpret(
        algorithm,
        inputs,
        frame=frame,
        passive=passive,
        fuse=fuse,
        number=number,
        constraints=table,
    )


def equations(
    mechanism: Constrained,
    function: str = "inverse_dynamics",
    frame: str | None = None,
    *,
    coordinates: str = "local",
    passive: bool = True,
    bodies: Bodies | None = None,
    gravity: Sequence[Expression] | None = None,
    at: Sequence[Expression] | None = None,
    simplify: Callable[[Expression], Expression] | None = None,
    progress: Callable[[str], None] | None = None,
    **inputs: Sequence[Expression],
) -> Expression:
    """Closed form of a public function, as SymPy matrices (a tuple where it has several results).

    inputs: q, v, a, tau in symbols of your own; others are those of `symbols`.  bodies, gravity:
    symbols for constants, {"link1": {"mass": m1, "com": (l1 / 2, 0, 0), "inertia": (...),
    "position": (...)}}; at: of the frame on its body; the other constants are made `exact`.
    simplify: for every entry, instead of `tidy` (more than three velocities: `angle_sums`).
    progress: told after every entry."""
    entry = entry_of(mechanism, function, frame, coordinates)
    refuse_closed_form(mechanism.evaluator, function)
    tables, base, spot = None, None, None
    if bodies or at is not None:
        tables = _with_symbols(mechanism, bodies or {}, passive and entry.passive)
    if gravity is not None:
        base = replace(mechanism.evaluator.base(), gravity=Vector(*gravity))
    if at is not None and tables is not None:
        spot = _spot(mechanism, frame or "", at, tables)
    traced = trace(
        mechanism, function, frame, coordinates, passive, number=_names, tables=tables, base=base,
        spot=spot,
    )  # fmt: skip
    for name in inputs:
        if name not in traced.inputs:
            has = ", ".join(traced.inputs)
            raise InputError(f"{function}: there is no input '{name}'; it has {has}.")
    known = symbols(mechanism) | {name: tuple(given) for name, given in inputs.items()}
    for name, nodes in traced.inputs.items():
        if len(known[name]) != len(nodes):
            raise InputError(f"{name}: expected {len(nodes)} symbols, found {len(known[name])}.")

    def load(address: tuple[Expression, ...]) -> Expression:
        name, which = address
        return which if name == "number" else known[name][which]

    values = evaluate(traced.roots(), load, exact)
    finish = simplify or (tidy if mechanism.model.nv <= _SHORT else angle_sums)
    sympify, distinct = sympy_module().sympify, len({node.index for node in traced.roots()})
    done: dict[int, Expression] = {}
    for node in traced.roots():
        if node.index not in done:
            done[node.index] = finish(sympify(values[node.index]))
            if progress is not None:
                progress(f"{function}: {len(done)} of {distinct} entries")
    return _matrices(traced, [done[n.index] for n in traced.roots()])


def _names(graph: Graph) -> Number:
    """Constants stay names in the graph until the end, when they are exact numbers."""

    def number(x: Expression) -> Leaf:
        value = exact(x)
        return int(value) if value in (0, 1, -1) else graph.load("number", value)

    return number


def _matrices(traced: Traced, values: list[Expression]) -> Expression:
    """Results with their shapes: a matrix, a column, or one expression."""
    sympy = sympy_module()
    made, rest = [], list(values)
    for _, shape, nodes in traced.results:
        part, rest = rest[: len(nodes)], rest[len(nodes) :]
        if not shape:
            made.append(part[0])
        elif len(shape) > 2:
            made.append(sympy.Array(part, shape))
        else:
            made.append(sympy.Matrix(shape[0], shape[1] if len(shape) == 2 else 1, part))
    return made[0] if len(made) == 1 else tuple(made)


def _with_symbols(mechanism: Constrained, bodies: Bodies, passive: bool) -> Tables:
    """The tables (not fused) with symbols for some masses, centres, tensors and positions."""
    tables = mechanism.evaluator.tables(fuse=False, passive=passive)
    kernels = list(tables.bodies)
    for name, changes in bodies.items():
        part, k = mechanism.model.body(name), mechanism.model.index[name]
        for key in changes:
            if key not in _BODY_CHANGES:
                raise InputError(
                    f"body '{name}': expected {', '.join(_BODY_CHANGES)}; found '{key}'."
                )
        R_KB = _exact(kernels[k].own).T
        tensor = tuple(changes.get("inertia", part.mass.tensor))
        inertia = Inertia.from_com(
            exact(changes.get("mass", part.mass.mass)),
            Vector(*map(exact, changes.get("com", part.mass.com))),
            Symmetric(*map(exact, tensor + (0,) * (6 - len(tensor)))),
        )
        position = map(exact, changes.get("position", part.at.position))
        X_JP = Transform(_exact(part.at.transform().E), Vector(*position))
        parent = mechanism.model.parents[k]
        X_PK = tables.carriers[parent].X_BK if parent >= 0 else Transform.identity()
        kernels[k] = replace(
            kernels[k],
            inertia=inertia.rotate(R_KB),
            placement=Transform(R_KB, Vector()) @ X_JP @ _exact(X_PK),
        )
    return replace(tables, bodies=tuple(kernels))


def _spot(
    mechanism: Constrained, frame: str, at: Sequence[Expression], tables: Tables
) -> Transform:
    """X_FK of an extra frame whose place on its body has symbols."""
    for part in mechanism.model.frames:
        if part.name == frame:
            X_FB = Transform(_exact(part.pose.transform().E), Vector(*map(exact, at)))
            return X_FB @ _exact(tables.carriers[mechanism.model.index[part.body]].X_BK)
    raise InputError(f"at: '{frame}' is no frame on a body, which could lie elsewhere.")


def _exact(value: Expression) -> Expression:
    """A matrix or transform with exact numbers."""
    return type(value).from_leaves([exact(x) for x in value.leaves()])


# -- listings --------------------------------------------------------------------------------------


def listing(
    mechanism: Constrained,
    function: str = "inverse_dynamics",
    frame: str | None = None,
    *,
    coordinates: str = "local",
    passive: bool = True,
    digits: int = 6,
    bodies: Bodies | None = None,
    gravity: Sequence[Expression] | None = None,
) -> str:
    """The function as assignments, one per intermediate quantity, with constants folded in.

    bodies, gravity: symbols for constants, as in `equations`; others are exact numbers then.

    Quantities that a step of the algorithm puts on a body are named body.quantity.component; what
    is left over is numbered.  Vectors are in frames with the joint axis along z."""
    if bodies or gravity is not None:
        entry = entry_of(mechanism, function, frame, coordinates)
        tables = _with_symbols(mechanism, bodies or {}, passive and entry.passive)
        base = mechanism.evaluator.base()
        base = base if gravity is None else replace(base, gravity=Vector(*gravity))
        traced = trace(mechanism, function, frame, coordinates, passive, number=_names,
                       tables=tables, base=base)  # fmt: skip
        names = _letter_names(traced)
    else:
        traced = trace(mechanism, function, frame, coordinates, passive)
        names = _field_names(traced, _carriers(mechanism, traced, passive))
    model = mechanism.model
    labels = {name: model.q_labels if name == "q" else model.v_labels for name in traced.inputs}
    for name, nodes in traced.inputs.items():
        for node, label in zip(nodes, labels[name], strict=True):
            names[node.index] = f"{name}[{label}]"
    style = Style(lambda x: f"{x:.{digits}g}", lambda name: name, "({1} if {0} else {2})", "x{}")
    lines, results = assignments(traced.roots(), names, style)
    shown = [f"{line.name} = {line.text}" for line in lines]
    texts = iter(results)
    for result, shape, nodes in traced.results:
        places = _places(result.name, shape, len(nodes), model.v_labels)
        shown += [f"{place} = {next(texts)}" for place in places]
    return "\n".join([f"# {traced.entry.about(frame, coordinates)}", *shown])


def _letter_names(traced: Traced) -> dict[int, str]:
    """The symbols and exact numbers that a traced function starts from, by node."""
    found = {}
    for node in cone(traced.roots()):
        if node.op == "load" and node.data[0] == "number":
            value = node.data[1]
            found[node.index] = f"({value})" if value.is_Add or value.is_Rational else str(value)
    return found


def _carriers(mechanism: Constrained, traced: Traced, passive: bool) -> list[str]:
    """Names of the bodies of the run: welded ones have gone into those that carry them."""
    tables = mechanism.evaluator.tables(traced.entry.fuse, passive and traced.entry.passive)
    names = [""] * len(tables.bodies)
    for body, carrier in zip(mechanism.model.bodies, tables.carriers, strict=True):
        if carrier.kernel >= 0:
            names[carrier.kernel] = names[carrier.kernel] or body.name
    return names


def _field_names(traced: Traced, bodies: Sequence[str]) -> dict[int, str]:
    """A name for every node that stands as a quantity on a body after the run."""
    names: dict[int, str] = {}
    records = traced.run.bodies if traced.run is not None else []
    for body, record in zip(bodies, records, strict=False):
        for field, value in vars(record).items():
            components = _COMPONENTS.get(type(value))
            if components is None:
                continue
            for component, leaf in zip(components, value.leaves(), strict=True):
                node = traced.folded.get(leaf.index) if isinstance(leaf, Node) else None
                if node is not None and node.op not in ("const", "load"):
                    names.setdefault(node.index, f"{body}.{field}.{component}")
    return names


def _places(name: str, shape: Sequence[int], count: int, labels: Sequence[str]) -> list[str]:
    """tau[joint], M[1, 2], kinetic."""
    if not shape:
        return [name]
    if len(shape) == 1:
        along = labels if shape[0] == len(labels) else range(1, count + 1)
        return [f"{name}[{k}]" for k in along]
    return [f"{name}[{', '.join(str(i + 1) for i in index)}]" for index in ndindex(*shape)]
