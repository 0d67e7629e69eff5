"""What an algorithm is compiled for, with which settings, and how its data lie in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import armillary.codegen.sources  # noqa: F401 - notes when the package was imported
from armillary.algorithms.forces.elements import READINGS
from armillary.algorithms.passes import (
    Algorithm,
    AncestorPairs,
    BodyColumns,
    ElementStep,
    FrameStep,
    Inward,
    Outward,
    PathToRoot,
    Solve,
    WorldStep,
)
from armillary.codegen.abi import COLUMN_STARTS, PATH_STARTS, Context, Kind
from armillary.codegen.target import Lanes, lanes
from armillary.errors import InputError
from armillary.evaluate.inputs import whole_number
from armillary.model.elements.element import OUTPUTS
from armillary.model.lowering.tree import Tables
from armillary.scalar import Scalar

MANY_STATES = 64  # more are many
GLOBALS = 16  # numbers of gravity, base velocity and base acceleration; largest opening


@dataclass(frozen=True)
class CompileOptions:
    """Settings of the compiled functions.

    tier: 1 (loop kernels, shared by all robots), 2 (straight-line code of this mechanism) or None
    (2 where the operations stay within the budget).  threads: that share the rows of a batch where
    that pays, at most as many as there are processors.  lanes: states of a batch that are worked on
    together, 2, 4, 8 or 16; None: as many as a register of this processor holds.
    states: that will be asked for, as far as it is known: more than 64 are many, for which closed
    mechanisms have longer code (constraints/table.py); runs, studies and larger batches have it.
    optimize: 0: code is generated as fast as LLVM can, three to four times sooner; it runs 1.3 to
    1.9 times slower and gives the same bits.  None: as fast code as LLVM makes.
    geometry_tolerance: constraints that differ by less than this part of the machine's size count
    as dependent, and loops that are open by less as closed; give the accuracy of the numbers in the
    model where it is coarser than 1e-9.  None: that of the digits in the file it came from."""

    tier: int | None = None
    budget: int = 12_000  # operations of a straight-line kernel; more compile for seconds
    threads: int = 1
    lanes: int | None = None
    geometry_tolerance: float | None = None
    states: int = 0
    optimize: int | None = None
    background: bool = False  # refused: nothing is made in the background any more

    def __post_init__(self) -> None:
        if self.tier not in (None, 1, 2):
            raise InputError(f"tier: expected 1, 2 or None, found {self.tier!r}.")
        if self.optimize is not None and (type(self.optimize) is not int or self.optimize != 0):
            raise InputError(
                f"optimize: expected 0 (code that is made quickly) or None (code that runs fast), "
                f"found {self.optimize!r}."
            )
        given = self.geometry_tolerance
        if given is not None and not (isinstance(given, (int, float)) and 0.0 <= given < 0.1):
            raise InputError(
                f"geometry_tolerance: expected a number from 0 to 0.1 (of the machine's size), "
                f"found {self.geometry_tolerance!r}."
            )
        if self.lanes is not None and (
            type(self.lanes) is not int or self.lanes not in (2, 4, 8, 16)
        ):
            raise InputError(f"lanes: expected 2, 4, 8, 16 or None, found {self.lanes!r}.")
        whole_number("threads", self.threads, 1)
        whole_number("budget", self.budget, 0)
        whole_number("states", self.states, 0)
        if self.background is not False:
            raise InputError(
                "background: it is not needed any more. Code is made once, before it is used, and "
                "which code answers does not depend on when. Leave it out."
            )

    def simd(self, batched: bool, element: str = "double") -> Lanes:
        """How many states of a batch are worked on together, or one."""
        return lanes(batched, element, self.lanes, self.optimize == 0)


@dataclass(frozen=True)
class Load:
    """A frame that a wrench acts in: the kernel body that carries it (-1: the world) and X_FK."""

    body: int
    X: tuple[Scalar, ...]

    def turned(self, number: Callable[[Scalar], Scalar]) -> Load:
        """The same with every number turned into another scalar."""
        return Load(self.body, tuple(map(number, self.X)))


@dataclass(frozen=True)
class Request:
    """What an algorithm is traced for."""

    algorithm: Algorithm
    reads: tuple[str, ...]  # the inputs that are really given
    moving_base: bool = False
    vertical_gravity: bool = False  # gravity is along the world's z axis
    loads: tuple[Load, ...] = ()  # where wrenches act: "external" holds these alone, 6 numbers each

    def has_world_step(self) -> bool:
        return any(isinstance(p, WorldStep) for p in self.algorithm.passes)


@dataclass(frozen=True)
class Layout:
    """Common part of the records: the fields that go from body to body."""

    offsets: dict[str, int]
    templates: dict[str, Any]
    handed: frozenset[str]  # read by children
    added: frozenset[str]  # added to by children
    size: int
    # added to by children, and taken in the same pass: (place among the sums, pass)
    sums: dict[str, tuple[int, int]] = field(default_factory=dict)
    sum_size: int = 0
    # overwritten on the world before a later pass reads it: the first pass that did so
    overwritten: dict[str, int] = field(default_factory=dict)

    def overwritten_before(self, stage: int) -> set[str]:
        """What this pass finds overwritten on the world."""
        return {name for name, first in self.overwritten.items() if first < stage}


def block_names(algorithm: Algorithm) -> list[tuple[int, list[str]]]:
    """For every pass its kind and the names of its blocks, in the order of the code table."""
    kinds = {
        Outward: Kind.OUTWARD,
        Inward: Kind.INWARD,
        FrameStep: Kind.FRAME,
        WorldStep: Kind.WORLD,
    }
    result: list[tuple[int, list[str]]] = []
    if any(isinstance(p, WorldStep) for p in algorithm.passes):
        result.append((Kind.WORLD, ["ground_start"]))
    for s, step in enumerate(algorithm.passes):
        if isinstance(step, Solve):
            result.append((Kind.SOLVE, []))
        elif isinstance(step, ElementStep):
            result.append((Kind.ELEMENTS, []))
        elif isinstance(step, BodyColumns):
            names = [*(f"pass{s}_start{k}" for k in range(COLUMN_STARTS)), f"pass{s}_climb"]
            result.append((Kind.BODY_COLUMNS, [*names, f"pass{s}_meet"]))
        elif isinstance(step, AncestorPairs):
            starts = [f"pass{s}_start{k}" for k in range(PATH_STARTS)]
            names = [*starts, f"pass{s}_climb", f"pass{s}_meet"]
            result.append((Kind.ANCESTOR_PAIRS, names))
        elif isinstance(step, PathToRoot):
            names = [f"pass{s}_start0", f"pass{s}_climb", f"pass{s}_meet"]
            result.append((Kind.PATH_TO_ROOT, names))
        else:
            result.append((kinds[type(step)], [f"pass{s}"]))
    return result


def output_slot(algorithm: Algorithm, name: str) -> int:
    return Context.OUTPUTS + list(algorithm.writes).index(name)


def input_slot(request: Request, name: str) -> int:
    return Context.INPUTS + request.reads.index(name)


def input_sizes(request: Request, tables: Tables) -> dict[str, int]:
    """Numbers per state of every input that is read."""
    rows = 0 if tables.constraints is None else tables.constraints.count
    external = 6 * len(request.loads or tables.bodies)
    sizes = {"q": tables.nq, "external": external, "prescribed": rows, "multipliers": rows}
    sizes |= dict(tables.extra)
    return {name: sizes.get(name, tables.nv) for name in request.reads}


def arrays_of(
    request: Request, tables: Tables
) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
    """Numbers of every input and shape of every output, per state."""
    return input_sizes(request, tables), _output_shapes(request.algorithm, tables)


def _output_shapes(algorithm: Algorithm, tables: Tables) -> dict[str, tuple[int, ...]]:
    """Of one state."""
    nv, bodies, shapes = tables.nv, len(tables.bodies), {}
    table = tables.constraints
    words = {"dofs": nv, "bodies": len(tables.bodies), "rows": 0, "constraints": 0}
    if table is not None:
        words |= {"rows": table.count, "constraints": len(table.frames)}
    for name, kind in algorithm.writes.items():
        shape = algorithm.shapes.get(name)
        if kind == "results":
            parts = algorithm.shapes[name]
            shapes[name] = tuple(words[x] if isinstance(x, str) else x for x in parts)
            continue
        count = 1 if shape is None else shape.size
        shapes[name] = {
            "dof": (nv,),
            "place": (tables.nq,),
            "columns": (nv, count),
            "body": (bodies, count),
            "frame": (count,),
            "world": (count,),
            "matrix": (nv, nv),
            "wide": (6, nv),
            "regressor": (nv, 10 * bodies),
            "element": (len(tables.elements), READINGS),
            "tyre": (len(tables.elements), len(OUTPUTS)),
        }[kind]
    return shapes
