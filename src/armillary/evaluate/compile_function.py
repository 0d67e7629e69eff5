"""Plain functions over scalars as native code: controllers, sampled blocks, recorded signals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING

from armillary.algorithms.passes import Algorithm
from armillary.codegen.target import Lanes, native
from armillary.errors import ArmillaryError
from armillary.evaluate.fingerprint import identity
from armillary.evaluate.kernel import Kernel
from armillary.evaluate.request import Request, arrays_of
from armillary.evaluate.straight_code import StraightCode, straight_code
from armillary.model.lowering.tree import Tables
from armillary.scalar import Scalar

if TYPE_CHECKING:
    from armillary.graph.function import FunctionGraph

# lists of numbers, one per input -> lists of numbers, one per output
Function = Callable[..., Sequence[Sequence[Scalar]]]


class NotNative(Exception):  # noqa: N818 - no error: there is another way
    """This cannot be done in native code."""


def compile_function(
    f: Function,
    inputs: Mapping[str, int],
    outputs: Mapping[str, int],
    lanes: Lanes,
    budget: float = inf,
) -> Kernel:
    """A kernel of f(x, y, ...) -> (u, w, ...), all lists of numbers.

    inputs, outputs: how many numbers per state, by name, in the order of f.  budget: operations
    that the code may have.  Raises `NotNative` where f cannot be traced or is too long.

    >>> from armillary.codegen.target import lanes
    >>> force = lambda q, v: ([-4.0 * x - y for x, y in zip(q, v)],)
    >>> kernel = compile_function(force, {"q": 2, "v": 2}, {"tau": 2}, lanes(batched=False))
    """
    name = identity("function", f, dict(inputs), dict(outputs))
    code = StraightCode(lambda most: function_graph(f, inputs, outputs, most), name)
    return _kernel(inputs, {name: (n,) for name, n in outputs.items()}, lanes, code, budget)


def compile_algorithm(
    algorithm: Algorithm,
    reads: tuple[str, ...],
    tables: Tables,
    lanes: Lanes,
    budget: float = inf,
    moving_base: bool = False,
) -> Kernel:
    """A straight-line kernel of an algorithm on one mechanism, whatever its options say."""
    request = Request(algorithm, reads, moving_base)
    code = straight_code(request, tables)
    return _kernel(*arrays_of(request, tables), lanes, code, budget)


def _kernel(
    inputs: Mapping[str, int],
    outputs: Mapping[str, tuple[int, ...]],
    lanes: Lanes,
    code: StraightCode,
    budget: float,
) -> Kernel:
    if not native():
        raise NotNative("llvmlite is missing")
    if budget < inf and not code.fits(int(budget)):
        raise NotNative(f"more than {budget} operations would compile for seconds")
    return Kernel(inputs, outputs, lanes, code)


def function_graph(
    f: Function, inputs: Mapping[str, int], outputs: Mapping[str, int], most: float = inf
) -> FunctionGraph:
    """f as a graph; results are NaN where an input is not finite.  most: as of `Graph`."""
    from armillary.evaluate.specialise import marked
    from armillary.graph.expr import Graph
    from armillary.graph.function import FunctionGraph

    graph = Graph(most)
    loads = graph.inputs(inputs)
    try:
        results = dict(zip(outputs, f(*map(list, loads.values())), strict=True))
        found = marked(graph, loads, results)
    except (TypeError, AttributeError, ValueError, ArmillaryError) as error:
        raise NotNative(f"it cannot be traced: {error}") from error
    for name, n in outputs.items():
        if len(found[name]) != n:
            raise NotNative(f"{name}: expected {n} numbers, found {len(found[name])}")
    return FunctionGraph(dict(inputs), found)
