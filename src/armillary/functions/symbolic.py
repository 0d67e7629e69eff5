"""Equations for people: closed forms in SymPy, and listings that keep intermediate quantities.

A closed form multiplies everything out; it suits mechanisms of two or three joints.  A listing
names what the recursion computes on the way, so its length is that of the algorithm.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from numpy import ndindex

from armillary import scalar
from armillary.compiler.expr import Graph, Leaf, Node, cone
from armillary.compiler.infix import Style, assignments
from armillary.errors import InputError
from armillary.functions.core import Core
from armillary.functions.traced import Traced, entry_of, trace
from armillary.model.lower import Tables
from armillary.spatial import Force, Inertia, Motion, Symmetric, Transform, Vector

Bodies = Mapping[str, Mapping[str, Any]]

_VALUES: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "abs": abs,
    "lt": operator.lt,
    "le": operator.le,
    "eq": operator.eq,
    "select": scalar.where,
    "sin": scalar.sin,
    "cos": scalar.cos,
    "sqrt": scalar.sqrt,
    "exp": scalar.exp,
    "tanh": scalar.tanh,
    "atan2": scalar.atan2,
}
_COMPONENTS: dict[type, tuple[str, ...]] = {
    Motion: ("wx", "wy", "wz", "vx", "vy", "vz"),
    Force: ("nx", "ny", "nz", "fx", "fy", "fz"),
    Inertia: ("m", "hx", "hy", "hz", "xx", "yy", "zz", "xy", "xz", "yz"),
}
_BODY_CHANGES = ("mass", "com", "inertia", "position")


def symbols(mechanism: Core) -> dict[str, tuple[Any, ...]]:
    """The real SymPy symbols of `equations`: q1, q2, ..., v1, ..., a1, ..., tau1, ..."""
    sympy = _sympy()
    model = mechanism.model
    sizes = {"q": model.nq, "v": model.nv, "a": model.nv, "tau": model.nv}
    return {name: sympy.symbols(f"{name}1:{n + 1}", real=True) for name, n in sizes.items()}


def exact(x: Any) -> Any:
    """A float as the number that was probably meant: a short fraction, or one of √2 or √3, where
    it agrees to 12 digits; else the decimal as it prints.  Below 1e-15 it is zero.

    0.1 -> 1/10, 0.10666666666666667 -> 8/75, 0.7071067811865476 -> √2/2."""
    sympy = _sympy()
    if not isinstance(x, (int, float)):
        return x
    if abs(x) < 1e-15:
        return sympy.Integer(0)
    for root, largest in ((1, 10**6), (2, 1000), (3, 1000)):
        ratio = x / root**0.5
        near = Fraction(ratio).limit_denominator(largest)
        if abs(float(near) - ratio) <= 1e-12 * abs(ratio):
            return sympy.Rational(near.numerator, near.denominator) * sympy.sqrt(root)
    return sympy.Rational(repr(float(x)))


def equations(
    mechanism: Core,
    function: str = "inverse_dynamics",
    frame: str | None = None,
    *,
    coordinates: str = "local",
    passive: bool = True,
    bodies: Bodies | None = None,
    gravity: Sequence[Any] | None = None,
    simplify: Callable[[Any], Any] | None = None,
    **inputs: Sequence[Any],
) -> Any:
    """Closed form of a public function, as SymPy matrices (a tuple where it has several results).

    inputs: q, v, a, tau in symbols of your own; others are those of `symbols`.  bodies, gravity:
    symbols for constants, {"link1": {"mass": m1, "com": (l1 / 2, 0, 0), "inertia": (...),
    "position": (...)}}; the other constants are made `exact`.  simplify: for every entry, instead
    of `tidy`."""
    entry = entry_of(mechanism, function, frame, coordinates)
    tables, base = None, None
    if bodies:
        tables = _with_symbols(mechanism, bodies, passive and entry.passive)
    if gravity is not None:
        base = replace(mechanism.base(), gravity=Vector(*gravity))
    traced = trace(
        mechanism, function, frame, coordinates, passive, number=_number, tables=tables, base=base
    )
    known = symbols(mechanism) | {name: tuple(given) for name, given in inputs.items()}
    for name, nodes in traced.inputs.items():
        if len(known[name]) != len(nodes):
            raise InputError(f"{name}: expected {len(nodes)} symbols, found {len(known[name])}.")
    values = evaluate(traced.roots(), lambda address: _leaf(address, known))
    return _matrices(traced, [(simplify or tidy)(_sympy().sympify(x)) for x in values])


def evaluate(roots: Sequence[Node], leaf: Callable[[Any], Any]) -> list[Any]:
    """Values of graph nodes over any scalars; leaf gives those of loads and constants."""
    values: dict[int, Any] = {}
    for node in cone(roots):
        if node.op == "load":
            values[node.index] = leaf(node.data)
        elif node.op == "const":
            values[node.index] = leaf(("number", node.data[1]))
        else:
            values[node.index] = _VALUES[node.op](*(values[a.index] for a in node.args))
    return [values[root.index] for root in roots]


def tidy(expression: Any) -> Any:
    """Multiplied out, with squares of sines replaced and angles added where that is shorter."""
    sympy = _sympy()
    flat = sympy.expand(expression)
    squares = sympy.Wild("x")
    flat = sympy.expand(flat.replace(sympy.sin(squares) ** 2, 1 - sympy.cos(squares) ** 2))
    return sympy.trigsimp(flat)


def _number(graph: Graph, x: Any) -> Leaf:
    """Constants stay names in the graph until the end, when they are exact numbers."""
    value = exact(x)
    return int(value) if value in (0, 1, -1) else graph.load("number", value)


def _leaf(address: tuple[Any, ...], known: Mapping[str, Sequence[Any]]) -> Any:
    name, which = address
    return exact(which) if name == "number" else known[name][which]


def _matrices(traced: Traced, values: list[Any]) -> Any:
    """Results with their shapes: a matrix, a column, or one expression."""
    sympy = _sympy()
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


def _with_symbols(core: Core, bodies: Bodies, passive: bool) -> Tables:
    """The tables (not fused) with symbols for some masses, centres, tensors and positions."""
    tables = core.tables(fuse=False, passive=passive)
    kernels = list(tables.bodies)
    for name, changes in bodies.items():
        part, k = core.model.body(name), core.model.index[name]
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
        parent = core.model.parents[k]
        X_PK = tables.hosts[parent].X_BK if parent >= 0 else Transform.identity()
        kernels[k] = replace(
            kernels[k],
            inertia=inertia.rotate(R_KB),
            placement=Transform(R_KB, Vector()) @ X_JP @ _exact(X_PK),
        )
    return replace(tables, bodies=tuple(kernels))


def _exact(value: Any) -> Any:
    """A matrix or transform with exact numbers."""
    return type(value).from_leaves([exact(x) for x in value.leaves()])


# -- listings --------------------------------------------------------------------------------------


def listing(
    mechanism: Core,
    function: str = "inverse_dynamics",
    frame: str | None = None,
    *,
    coordinates: str = "local",
    passive: bool = True,
    digits: int = 6,
) -> str:
    """The function as assignments, one per intermediate quantity, with constants folded in.

    Quantities that a step of the algorithm puts on a body are named body.quantity.component; what
    is left over is numbered.  Vectors are in the kernel frames (joint axis along z)."""
    traced = trace(mechanism, function, frame, coordinates, passive)
    model = mechanism.model
    labels = {name: model.q_labels if name == "q" else model.v_labels for name in traced.inputs}
    names = {
        node.index: f"{name}[{labels[name][k]}]"
        for name, nodes in traced.inputs.items()
        for k, node in enumerate(nodes)
    }
    names |= _field_names(traced, _carriers(mechanism, traced, passive), names)
    style = Style(lambda x: f"{x:.{digits}g}", lambda name: name, "({1} if {0} else {2})", "x{}")
    lines, results = assignments(traced.roots(), names, style)
    shown = [f"{line.name} = {line.text}" for line in lines]
    texts = iter(results)
    for result, shape, nodes in traced.results:
        places = _places(result.name, shape, len(nodes), model.v_labels)
        shown += [f"{place} = {next(texts)}" for place in places]
    return "\n".join([f"# {traced.entry.title}", *shown])


def _carriers(core: Core, traced: Traced, passive: bool) -> list[str]:
    """Names of the bodies of the run: welded ones have gone into those that carry them."""
    tables = core.tables(traced.entry.fuse, passive and traced.entry.passive)
    names = [""] * len(tables.bodies)
    for body, host in zip(core.model.bodies, tables.hosts, strict=True):
        if host.kernel >= 0:
            names[host.kernel] = names[host.kernel] or body.name
    return names


def _field_names(traced: Traced, bodies: Sequence[str], taken: Mapping[int, str]) -> dict[int, str]:
    """A name for every node that stands as a quantity on a body after the run."""
    names: dict[int, str] = {}
    records = traced.run.bodies if traced.run is not None else []
    for body, record in zip(bodies, records, strict=True):
        for field, value in vars(record).items():
            if not isinstance(value, tuple(_COMPONENTS)):
                continue
            parts = zip(_COMPONENTS[type(value)], value.leaves(), strict=True)
            for component, leaf in parts:
                plain = not isinstance(leaf, Node) or leaf.op in ("const", "load")
                if not plain and leaf.index not in taken and leaf.index not in names:
                    names[leaf.index] = f"{body}.{field}.{component}"
    return names


def _places(name: str, shape: Sequence[int], count: int, labels: Sequence[str]) -> list[str]:
    """tau[joint], M[1, 2], kinetic."""
    if not shape:
        return [name]
    if len(shape) == 1:
        along = labels if shape[0] == len(labels) else range(1, count + 1)
        return [f"{name}[{k}]" for k in along]
    return [f"{name}[{', '.join(str(i + 1) for i in index)}]" for index in ndindex(*shape)]


def _sympy() -> Any:
    try:
        import sympy
    except ModuleNotFoundError:
        raise InputError("equations need SymPy: pip install 'armillary[symbolic]'.") from None
    return sympy
