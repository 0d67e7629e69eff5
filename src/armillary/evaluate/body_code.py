"""Tier 1: the steps of an algorithm, traced once per kind of body, as blocks of a loop kernel.

A kind of body is its joint type (with its friction terms) and whether it hangs on the world.  Body
constants stay symbols, so all robots with the same kinds of bodies share the code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from armillary.algorithms.forces.elements import driven_resistance
from armillary.algorithms.forces.loops import DRIVEN, FIELDS, PUSH
from armillary.algorithms.interpreter import leaves
from armillary.algorithms.passes import (
    PER_DOF,
    AncestorPairs,
    BodyColumns,
    ElementStep,
    FrameStep,
    Inward,
    Outward,
    PathToRoot,
    Record,
    WorldStep,
    body_record,
    from_own,
    to_own,
)
from armillary.codegen.abi import LASTING, PASSING
from armillary.errors import CompileError
from armillary.evaluate.request import Layout, Request, input_slot, output_slot
from armillary.evaluate.specialise import symbolic_base
from armillary.graph.cut import cut
from armillary.graph.expr import Graph, Leaf, Node
from armillary.graph.function import Block, Store
from armillary.joints import Revolute
from armillary.model.lowering.tree import PER_BODY, KernelBody
from armillary.spatial import Force, Inertia, Matrix, Transform

INPUTS = ("q", *PER_DOF, "external")


@dataclass(frozen=True)
class TracedBody:
    """The blocks of one kind of body, ready to be written as code."""

    blocks: list[Block]
    record: int  # numbers per state and body in the work space


def rebuild(template: object, values: Sequence[object]) -> Any:
    """An object like the template with other leaves."""
    if hasattr(template, "from_leaves"):
        return type(template).from_leaves(values)
    return values[0]


class _Parent:
    """Stands for the parent while a step is traced: reads become loads, additions are noted."""

    def __init__(self, tracer: BodyTracer, stage: int, inward: bool):
        self.__dict__.update(tracer=tracer, stage=stage, inward=inward)

    def __getattr__(self, name: str) -> Any:
        return self.tracer.parent_field(name, self.stage)

    def __setattr__(self, name: str, value: object) -> None:
        if not self.inward:
            raise CompileError(f"an outward step writes '{name}' to the parent; it may only read.")
        self.tracer.add_to_parent(name, value, self.stage)


class BodyTracer:
    """Traces all passes for one kind of body."""

    def __init__(
        self,
        request: Request,
        body: KernelBody,
        root: bool,
        layout: Layout | None,
        first: bool = False,
    ):
        self.request, self.root, self.first = request, root, first
        self.graph = Graph()
        self.base = symbolic_base(self.graph, request.moving_base)
        self.templates = request.algorithm.world(self.base)
        self.layout = layout or _whole_layout(self.templates)
        self.read: set[str] = set()
        self.last_read: dict[str, int] = {}  # pass
        self.borrowed: set[str] = set()  # what outward steps read of the parent
        self.sums: dict[str, list[Any]] = {}
        self.summed: dict[str, set[int]] = {}  # in which passes
        self.blocks: list[Block] = []
        symbols = [self.graph.load("const", k) for k in range(len(body.parameters()))]
        given = {
            name: [self.graph.load("body", input_slot(request, name), k, size) for k in range(size)]
            for name, size in PER_BODY.items()
            if name in request.reads
        }
        self.b = body_record(body.with_parameters(symbols).given(given))
        self.j = self._joint(body)
        self.x = Record(
            frame=Transform.from_leaves([self.graph.load("frame", k) for k in range(12)])
        )

    def _joint(self, body: KernelBody) -> Record:
        nq, nv = body.joint.nq, body.joint.nv
        loads = {
            "q": lambda s: tuple(self.graph.load("q", s, k) for k in range(nq)),
            "external": lambda s: from_own(
                Force.from_leaves([self.graph.load("body", s, k, 6) for k in range(6)]), self.b.own
            ),
        }
        j = Record(external=Force.zero(), q=(), driven=(0,) * nv)
        for name in INPUTS:
            if name in self.request.reads:
                slot = input_slot(self.request, name)
                default = lambda s: tuple(self.graph.load("dof", s, k) for k in range(nv))  # noqa: E731
                setattr(j, name, loads.get(name, default)(slot))
            elif name in PER_DOF:
                setattr(j, name, (0,) * nv)
        return j

    # -- what steps see of the parent ------------------------------------------------------------

    def _loads(self, where: str, name: str, *version: int) -> Any:
        sums, template = self.layout.sums, self.templates[name]
        start = sums[name][0] if name in sums else self.layout.offsets[name]
        count = len(leaves(template))
        return rebuild(
            template, [self.graph.load(where, start + k, *version) for k in range(count)]
        )

    def sum_of(self, name: str) -> Any:
        """What children have added up."""
        return self._loads("own", name)

    def parent_field(self, name: str, stage: int) -> Any:
        if name not in self.templates:
            raise CompileError(
                f"'{self.request.algorithm.name}' reads p.{name}, but its world gives no start "
                f"value '{name}'."
            )
        self.read.add(name)
        self.last_read[name] = stage
        if isinstance(self.request.algorithm.passes[stage], Outward):
            self.borrowed.add(name)
        kept = name in self.layout.added and self.request.has_world_step()
        kept = kept or name in self.layout.overwritten_before(stage)
        if self.root and not kept:
            return self.templates[name]
        return self._of_parent(name, stage)

    def _of_parent(self, name: str, stage: int) -> Any:
        return self._loads("parent_sum" if name in self.layout.sums else "parent", name, stage)

    def add_to_parent(self, name: str, value: object, stage: int) -> None:
        self.summed.setdefault(name, set()).add(stage)
        if self.root and not (name in self.layout.added and self.request.has_world_step()):
            return
        before = leaves(self._of_parent(name, stage))
        sums = self.sums.setdefault(name, [0] * len(before))
        for k, (old, new) in enumerate(zip(before, leaves(value), strict=True)):
            sums[k] = sums[k] + _added(old, new, name)

    # -- passes ----------------------------------------------------------------------------------

    def trace(self) -> TracedBody:
        for stage, step in enumerate(self.request.algorithm.passes):
            if isinstance(step, (Outward, Inward)):
                self._walk(stage, step)
            elif isinstance(step, FrameStep):
                self._at(stage, step)
            elif isinstance(step, ElementStep) and step.does in ("push", "change"):
                self.j.external = self.j.external + self._loads("own", PUSH)
                if DRIVEN in self.templates:
                    driven = self._loads("own", DRIVEN).leaves()[: len(self.j.v)]
                    self.j.driven = driven
                    self.b.resistance = driven_resistance(self.b.resistance, driven)
            elif isinstance(step, (PathToRoot, AncestorPairs, BodyColumns)):
                self._path(stage, step)
        blocks, record = cut(self.blocks, self.layout.size, LASTING, PASSING)
        return TracedBody(blocks, record)

    def _walk(self, stage: int, step: Outward | Inward) -> None:
        inward = isinstance(step, Inward)
        if inward:
            for name in self.layout.added:
                if hasattr(self.b, name):
                    setattr(self.b, name, self._loads("own", name))
            self._take_sums(stage)
        before_b, before_j = dict(vars(self.b)), dict(vars(self.j))
        self.sums = {}
        step.step(self.b, _Parent(self, stage, inward), self.j)
        block = Block(f"pass{stage}", stage)
        self._keep_fields(block, before_b)
        self._keep_results(block, before_b, before_j)
        for name in self.layout.sums:
            if name in vars(self.b) and before_b.get(name) is not vars(self.b)[name]:
                block.early += [x for x in leaves(vars(self.b)[name]) if isinstance(x, Node)]
        for name, (_, summed) in self.layout.sums.items():
            if self.first and summed == stage:  # nothing is something, too: the place is not empty
                self.sums.setdefault(name, [0] * len(leaves(self.templates[name])))
        for name, sums in self.sums.items():
            for old, extra in zip(leaves(self._of_parent(name, stage)), sums, strict=True):
                where, k, _ = old.data
                if where == "parent_sum" and self.first:
                    self._store(block, (where, k), extra)
                elif not (type(extra) is int and extra == 0):
                    self._store(block, (where, k), old + extra)
        self.blocks.append(block)

    def _take_sums(self, stage: int) -> None:
        """What the children added up, to the body's own."""
        for name, (_, summed) in self.layout.sums.items():
            if summed == stage:
                own, more = leaves(getattr(self.b, name)), leaves(self._loads("sum", name, stage))
                total = [x + y for x, y in zip(own, more, strict=True)]
                setattr(self.b, name, rebuild(self.templates[name], total))

    def _keep_fields(self, block: Block, before: dict[str, object]) -> None:
        """Fields that go from body to body stand in the record."""
        for name in sorted(self.layout.handed | self.layout.added):
            value = vars(self.b).get(name)
            if value is None or before.get(name) is value:
                continue
            found, wanted = len(leaves(value)), len(leaves(self.templates[name]))
            if found != wanted:
                raise CompileError(
                    f"field '{name}' has {found} numbers on a body, {wanted} on the world."
                )
            for k, leaf in enumerate(leaves(value)):
                self._store(block, ("own", self.layout.offsets[name] + k), leaf)

    def _keep_results(self, block: Block, before_b: dict, before_j: dict) -> None:
        algorithm = self.request.algorithm
        for name, kind in algorithm.writes.items():
            slot = output_slot(algorithm, name)
            if kind in ("dof", "columns"):
                value = vars(self.j).get(name)
                if value is None or before_j.get(name) is value:
                    continue
                numbers = [leaves(entry) for entry in value]
                size = len(numbers[0]) if numbers else 1
                for k, leaf in enumerate(x for entry in numbers for x in entry):
                    self._store(block, ("dof", slot, k, size), leaf)
            elif kind == "body":
                value = vars(self.b).get(name)
                if value is None or before_b.get(name) is value:
                    continue
                row = leaves(to_own(value, self.b.own))
                for k, leaf in enumerate(row):
                    self._store(block, ("body", slot, k, len(row)), leaf)

    def _at(self, stage: int, step: FrameStep) -> None:
        step.step(self.b, self.x)
        block = Block(f"pass{stage}", stage)
        for name, kind in self.request.algorithm.writes.items():
            if kind == "frame":
                slot = output_slot(self.request.algorithm, name)
                for k, leaf in enumerate(leaves(getattr(self.x, name))):
                    self._store(block, ("whole", slot, k), leaf)
        self.blocks.append(block)

    def _path(self, stage: int, step: PathToRoot | AncestorPairs | BodyColumns) -> None:
        """Blocks of values that climb: their starts, one step up, and what they meet."""
        names = step.writes if isinstance(step, AncestorPairs) else (step.writes,)
        slots = [output_slot(self.request.algorithm, name) for name in names]
        for k in range(self._starts(step)):
            value = step.start(self.b, self.x if isinstance(step, PathToRoot) else k)
            block = self._state_block(f"pass{stage}_start{k}", stage, value)
            if isinstance(step, AncestorPairs):
                for slot, entries in zip(slots, step.itself(self.b, k, value), strict=True):
                    for r, entry in enumerate(entries):
                        self._store(block, ("cell", slot, r), entry)
        value = self._state(step)
        if not self.root:
            self._state_block(f"pass{stage}_climb", stage, step.climb(self.b, value))
        meet = Block(f"pass{stage}_meet", stage)
        met = step.meet(self.b, value)
        if isinstance(step, AncestorPairs):
            for slot, (below, above) in zip(slots, met, strict=True):
                for r, (x, y) in enumerate(zip(below, above, strict=True)):
                    self._store(meet, ("cell", slot, r), x)
                    self._store(meet, ("mirror", slot, r), y)
        elif isinstance(step, BodyColumns):
            for r, entry in enumerate(met):
                self._store(meet, ("cell", slots[0], r), entry)
        else:
            for c, column in enumerate(met):
                for r, entry in enumerate(column.leaves()):
                    self._store(meet, ("wide", slots[0], r, c), entry)
        self.blocks.append(meet)

    def _starts(self, step: PathToRoot | AncestorPairs | BodyColumns) -> int:
        if isinstance(step, BodyColumns):
            return step.count
        return int(self.b.joint.nv) if isinstance(step, AncestorPairs) else 1

    def _state(self, step: PathToRoot | AncestorPairs | BodyColumns) -> tuple:
        value, start = [], 0
        for kind in step.shape:
            numbers = [self.graph.load("state", start + k) for k in range(kind.size)]
            value.append(kind.from_leaves(numbers))
            start += kind.size
        return tuple(value)

    def _state_block(self, name: str, stage: int, value: tuple) -> Block:
        block = Block(name, stage)
        numbers = [x for part in value for x in part.leaves()]
        for k, leaf in enumerate(numbers):
            self._store(block, ("state", k), leaf)
        self.blocks.append(block)
        return block

    def _store(self, block: Block, address: tuple, leaf: Leaf) -> None:
        block.stores.append(Store(address, self.graph.lift(leaf)))


def trace_body(request: Request, body: KernelBody, root: bool, first: bool = False) -> TracedBody:
    """The blocks of one kind of body.  first: it is the first one that gives to its parent."""
    return BodyTracer(request, body, root, layout_of(request), first).trace()


def trace_ground(request: Request) -> list[Block]:
    """The blocks of the world's record: start values, and what the Ground pass makes of them."""
    layout, graph = layout_of(request), Graph()
    base = symbolic_base(graph, request.moving_base)
    start = Block("ground_start", 0)
    templates = request.algorithm.world(base)
    for name in sorted(layout.added):
        for k, leaf in enumerate(leaves(templates[name])):
            start.stores.append(Store(("own", layout.offsets[name] + k), graph.lift(leaf)))
    blocks = [start]
    for stage, step in enumerate(request.algorithm.passes):
        if not isinstance(step, WorldStep):
            continue
        w = Record(**templates)
        for name in sorted(layout.added | layout.overwritten_before(stage)):
            first = layout.offsets[name]
            count = len(leaves(templates[name]))
            numbers = [graph.load("own", first + k) for k in range(count)]
            setattr(w, name, rebuild(templates[name], numbers))
        before = dict(vars(w))
        step.step(w, base)
        block = Block(f"pass{stage}", stage)
        for name in sorted(layout.overwritten):
            if vars(w)[name] is not before[name]:
                for k, leaf in enumerate(leaves(vars(w)[name])):
                    place = ("own", layout.offsets[name] + k)
                    block.stores.append(Store(place, graph.lift(leaf)))
        for name, kind in request.algorithm.writes.items():
            if kind == "world" and name in vars(w):
                slot = output_slot(request.algorithm, name)
                for k, leaf in enumerate(leaves(getattr(w, name))):
                    block.stores.append(Store(("whole", slot, k), graph.lift(leaf)))
        blocks.append(block)
    return blocks


@cache
def layout_of(request: Request) -> Layout:
    """Which fields go from body to body: found by one trace of a plain revolute body."""
    plain = KernelBody(
        Revolute(), Transform.identity(), Inertia.zero(), Matrix.identity(), (0,), ()
    )
    tracer = BodyTracer(request, plain, False, None)
    tracer.trace()
    taken = [
        name
        for name, stages in tracer.summed.items()
        if len(stages) == 1 and name not in tracer.borrowed and not request.has_world_step()
    ]
    kept = {*tracer.read, *FIELDS} - set(taken)
    used = [name for name in tracer.templates if name in kept]
    whole = _whole_layout({name: tracer.templates[name] for name in used})
    added = frozenset(tracer.summed) - frozenset(taken)
    sums = _whole_layout({name: tracer.templates[name] for name in taken})
    places = {name: (sums.offsets[name], min(tracer.summed[name])) for name in taken}
    handed = frozenset(used) - added
    return Layout(
        whole.offsets, whole.templates, handed, added, whole.size, places, sums.size,
        _overwritten(tracer),
    )  # fmt: skip


def _overwritten(tracer: BodyTracer) -> dict[str, int]:
    """What a step on the world overwrites and a later pass reads: the first such pass."""
    found: dict[str, int] = {}
    for stage, step in enumerate(tracer.request.algorithm.passes):
        if isinstance(step, WorldStep):
            w = Record(**tracer.templates | {name: tracer.sum_of(name) for name in tracer.summed})
            before = dict(vars(w))
            step.step(w, tracer.base)
            for name, value in before.items():
                if vars(w)[name] is not value and tracer.last_read.get(name, -1) > stage:
                    found.setdefault(name, stage)
    return found


def _whole_layout(templates: dict[str, object]) -> Layout:
    """All fields, one after the other; nothing known of their use yet."""
    offsets, size = {}, 0
    for name, template in templates.items():
        offsets[name] = size
        size += len(leaves(template))
    return Layout(offsets, templates, frozenset(), frozenset(), size)


def _added(old: Node, new: object, name: str) -> Any:
    """What was added to a parent's number; an error if it was overwritten."""
    if new is old:
        return 0
    if isinstance(new, Node) and new.op == "add" and old in new.args:
        return new.args[1] if new.args[0] is old else new.args[0]
    if isinstance(new, Node) and new.op == "sub" and new.args[0] is old:
        return -new.args[1]
    raise CompileError(f"a step assigns p.{name}; it may only add to it (p.{name} += ...).")
