"""Straight-line code that repeats itself, rolled up into loops again.

What consists of many equal parts (windows of a ladder, trailers of a truck) is traced to code whose
length grows with their number, though it says the same over and over.  Here the sequence of its
operations is cut into segments; segments of one shape (the same operations on one another's
results) share one *template*, and differ only in where the numbers that come from outside stand:
a row of integers each.  So code of any length runs in a few loops, and what was folded away in it
stays away.

    shape      operation, and of its arguments how far back they stand (only near ones count)
    marker     a short row of shapes that comes back again and again: there segments begin
    template   a segment with numbers from outside as loads:
                   ("far", c)          a number that another segment has left in the work space
                   (input name, c)     of an input, as above: c is a column of the row
                   ("number", c)       a constant in which segments differ
               and stores ("own", k) behind the start of its room, (output name, c)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from armillary.graph.expr import Graph, Node, cone
from armillary.graph.function import Block, FunctionGraph, Store
from armillary.graph.ops import OPS

FAR, NUMBER, OWN = "far", "number", "own"
ROOM = 0  # column of a row: where the numbers of a segment stand in the work space
_NEAR = 12  # operations: arguments that stand nearer belong to the shape
_MARKER = 12  # operations that tell where a segment begins
_SHORTEST, _LONGEST = 24, 1500  # operations of a segment that repeats itself
_UNEVEN = 0.34  # of its length: how much the next one may be longer or shorter
_ALWAYS = 0.8  # of two shapes: how often they stand side by side, to become one
_MERGED = 400  # operations of such a pair
Span = tuple[int, int]  # first operation, and the one behind the last


@dataclass
class Template:
    """Code of all segments of one shape."""

    block: Block
    columns: int
    operations: int
    rows: list[list[int]] = field(default_factory=list)


@dataclass
class Rolled:
    """calls: (template, first row, last row + 1), in their order.  numbers: constants that rows
    refer to.  room: numbers in the work space.  zeros: outputs that are zero where no row writes
    them."""

    templates: list[Template]
    calls: list[tuple[int, int, int]]
    numbers: list[float]
    room: int
    zeros: list[str]

    @property
    def operations(self) -> int:
        """Of the code, every template once."""
        return sum(template.operations for template in self.templates)


def roll(graph: FunctionGraph) -> Rolled:
    """The same function in loops."""
    return _Roller(graph).rolled()


# -- where segments begin --------------------------------------------------------------------------


def segments(shapes: Sequence[int]) -> list[Span]:
    """Spans that cover the sequence; those between markers repeat each other."""
    grams = [tuple(shapes[k : k + _MARKER]) for k in range(len(shapes) - _MARKER + 1)]
    later: dict[tuple[int, ...], list[int]] = {}
    for k in range(len(grams) - 1, -1, -1):  # the next one last
        later.setdefault(grams[k], []).append(k)
    cuts, place = [0], 0
    while place < len(grams):
        places = later[grams[place]]
        while places[-1] < place:
            places.pop()
        found = _repeats(shapes, places[::-1]) if _evenly(places) else []
        if found:
            cuts += found
            place = found[-1]
        else:
            place += 1
    edges = sorted({*cuts, len(shapes)})
    return [span for span in pairwise(edges) if span[0] < span[1]]


def _evenly(places: Sequence[int]) -> bool:
    """Do the last three, which come first, stand about as far from each other?"""
    if len(places) < 3:
        return False
    gap, second = places[-2] - places[-1], places[-3] - places[-2]
    return max(gap, second) <= _LONGEST and abs(gap - second) <= _UNEVEN * max(gap, second)


def _repeats(shapes: Sequence[int], places: Sequence[int]) -> list[int]:
    """Where segments begin that follow one another from the first of these places on, and where the
    last one ends; nothing where they are too few."""
    taken, gap = [places[0]], places[1] - places[0]
    for before, here in pairwise(places):
        if here - before > 1.5 * gap:
            break
        if here - taken[-1] >= _SHORTEST:
            taken.append(here)
    if len(taken) < 3:
        return []
    start, last = taken[-2:]
    same = 0
    while last + same < len(shapes) and start + same < last:
        if shapes[start + same] != shapes[last + same]:
            break
        same += 1
    return [*taken, last + same]


def _joined(kinds: list[int], spans: list[Span]) -> Iterator[Span]:
    """Neighbours of two kinds that nearly always stand side by side become one span."""
    sizes = {kind: b - a for kind, (a, b) in zip(kinds, spans, strict=True)}
    counts, pairs = Counter(kinds), Counter(pairwise(kinds))
    wanted = {
        pair
        for pair, n in pairs.items()
        if pair[0] != pair[1]
        and n >= 3
        and n >= _ALWAYS * max(counts[kind] for kind in pair)
        and sum(sizes[kind] for kind in pair) <= _MERGED
    }
    k = 0
    while k < len(kinds):
        if tuple(kinds[k : k + 2]) in wanted:
            yield spans[k][0], spans[k + 1][1]
            k += 2
        else:
            yield spans[k]
            k += 1


# -- templates -------------------------------------------------------------------------------------


@dataclass
class _Segment:
    """What a span reads and writes.  outside: loads and nodes of other segments, in the order in
    which they are met; constants: in the same way, one for each mention."""

    span: Span
    outside: list[Node]
    constants: list[Node]
    results: list[tuple[int, str, int]]  # number of the operation, output, place in it


class _Roller:
    def __init__(self, graph: FunctionGraph):
        self.graph = graph
        nodes = cone(graph.roots())
        # a mask is a part of what it chooses: it is no number that could be kept
        self.nodes = [n for n in nodes if n.op in OPS and OPS[n.op].result == "number"]
        self.place = {node.index: k for k, node in enumerate(self.nodes)}
        self.results: dict[int, list[tuple[str, int]]] = {}
        self.plain: list[tuple[str, int, Node]] = []  # results that are loads or constants
        self.zeros: list[str] = []  # outputs with constants of zero
        for name, roots in graph.outputs.items():
            for k, node in enumerate(roots):
                if node.index in self.place:
                    self.results.setdefault(node.index, []).append((name, k))
                elif node.op == "const" and node.data[1] == 0.0:
                    self.zeros += [name] * (name not in self.zeros)
                else:
                    self.plain.append((name, k, node))
        self.slots: dict[int, int] = {}  # in the work space, by node
        self.numbers: dict[str, tuple[int, float]] = {}  # place and value, by text: -0.0 is not 0.0
        self.room = 0

    def _shapes(self) -> list[int]:
        known: dict[tuple[object, ...], int] = {}
        shapes = []
        for k, node in enumerate(self.nodes):
            shape: list[object] = [node.op, node.data]
            for arg in node.args:
                if arg.index in self.place:
                    back = k - self.place[arg.index]
                    shape.append(back if back < _NEAR else FAR)
                else:
                    shape.append(arg.op if arg.op != "load" else arg.data[0])
            shapes.append(known.setdefault(tuple(shape), len(known)))
        return shapes

    def rolled(self) -> Rolled:
        spans = segments(self._shapes())
        while True:
            groups: dict[object, int] = {}
            found = [self._segment(span) for span in spans]
            kinds = [groups.setdefault(key, len(groups)) for key, _ in found]
            joined = list(_joined(kinds, spans))
            if len(joined) == len(spans):
                break
            spans = joined
        members: list[list[_Segment]] = [[] for _ in groups]
        for kind, (_, segment) in zip(kinds, found, strict=True):
            members[kind].append(segment)
        exported = self._exported(members)
        for kind, (_, segment) in zip(kinds, found, strict=True):
            for n, k in enumerate(exported[kind]):
                self.slots[self.nodes[segment.span[0] + k].index] = self.room + n
            self.room += len(exported[kind])
        templates = [
            self._template(f"segment{kind}", *parts)
            for kind, parts in enumerate(zip(members, exported, strict=True))
        ]
        calls = _calls(kinds)
        if self.plain:
            calls.append((len(templates), 0, 1))
            templates.append(self._passed_on(f"segment{len(templates)}"))
        numbers = [x for _, x in self.numbers.values()]
        return Rolled(templates, calls, numbers, self.room, self.zeros)

    def _passed_on(self, name: str) -> Template:
        """Results that nothing is done to: loads and constants."""
        graph, stores, row = Graph(), [], [0]
        for output, place, node in self.plain:
            value = graph.constant(node.data[1]) if node.op == "const" else None
            if value is None:
                value = graph.load(node.data[0], len(row))
                row.append(node.data[1])
            stores.append(Store((output, len(row)), value))
            row.append(place)
        return Template(Block(name, 0, stores), len(row), 0, [row])

    def _segment(self, span: Span) -> tuple[object, _Segment]:
        """The shape of a segment, exactly, and what it needs."""
        segment = _Segment(span, [], [], [])
        known: dict[int, int] = {}  # outside, by node

        def argument(node: Node) -> object:
            if node.op == "const":
                segment.constants.append(node)
                return "const"
            place = self.place.get(node.index)
            if place is not None and place >= span[0]:
                return place - span[0]
            if node.op in OPS and OPS[node.op].result == "mask":
                return (node.op, *map(argument, node.args))
            if node.index not in known:
                known[node.index] = len(known)
                segment.outside.append(node)
            return (node.data[0] if node.op == "load" else FAR, known[node.index])

        key: list[object] = []
        for k in range(*span):
            node = self.nodes[k]
            key.append((node.op, node.data, *map(argument, node.args)))
            for name, number in self.results.get(node.index, ()):
                key.append(name)
                segment.results.append((k - span[0], name, number))
        return tuple(key), segment

    def _exported(self, members: Sequence[Sequence[_Segment]]) -> list[list[int]]:
        """Of every template, the operations whose results some other segment needs."""
        owner: dict[int, tuple[int, int]] = {}
        for kind, segments_ in enumerate(members):
            for segment in segments_:
                for k in range(*segment.span):
                    owner[k] = kind, k - segment.span[0]
        wanted: list[set[int]] = [set() for _ in members]
        for segments_ in members:
            for segment in segments_:
                for node in segment.outside:
                    if node.index in self.place:
                        kind, k = owner[self.place[node.index]]
                        wanted[kind].add(k)
        return [sorted(numbers) for numbers in wanted]

    def _template(self, name: str, members: Sequence[_Segment], exported: list[int]) -> Template:
        graph, first = Graph(), members[0]
        start, columns = first.span[0], 1
        values: dict[int, Node] = {}
        for node in first.outside:
            where = node.data[0] if node.op == "load" else FAR
            values[node.index] = graph.load(where, columns)
            columns += 1
        mixed = [
            len({segment.constants[n].data[0] for segment in members}) > 1
            for n in range(len(first.constants))
        ]
        constants = []
        for node, several in zip(first.constants, mixed, strict=True):
            constants.append(
                graph.load(NUMBER, columns) if several else graph.constant(node.data[1])
            )
            columns += several
        following = iter(constants)

        def value(node: Node) -> Node:
            if node.op == "const":
                return next(following)
            if node.index not in values:  # a mask
                return graph.node(node.op, tuple(map(value, node.args)), node.data)
            return values[node.index]

        for k in range(*first.span):
            node = self.nodes[k]
            values[node.index] = graph.node(node.op, tuple(map(value, node.args)), node.data)
        stores = [
            Store((OWN, n), values[self.nodes[start + k].index]) for n, k in enumerate(exported)
        ]
        for k, output, _ in first.results:
            stores.append(Store((output, columns), values[self.nodes[start + k].index]))
            columns += 1
        made = Template(Block(name, 0, stores), columns, first.span[1] - start)
        made.rows = [self._row(segment, exported, mixed) for segment in members]
        return made

    def _row(self, segment: _Segment, exported: list[int], mixed: Sequence[bool]) -> list[int]:
        """Where a segment finds its numbers."""
        own = self.nodes[segment.span[0] + exported[0]].index if exported else None
        row = [0 if own is None else self.slots[own]]
        for node in segment.outside:
            row.append(node.data[1] if node.op == "load" else self.slots[node.index])
        for node, several in zip(segment.constants, mixed, strict=True):
            if several:
                text, number = node.data
                row.append(self.numbers.setdefault(text, (len(self.numbers), number))[0])
        return row + [number for _, _, number in segment.results]


def _calls(kinds: Sequence[int]) -> list[tuple[int, int, int]]:
    calls: list[tuple[int, int, int]] = []
    rows: Counter[int] = Counter()
    for kind in kinds:
        row = rows[kind]
        rows[kind] += 1
        if calls and calls[-1][0] == kind:
            calls[-1] = (kind, calls[-1][1], row + 1)
        else:
            calls.append((kind, row, row + 1))
    return calls
