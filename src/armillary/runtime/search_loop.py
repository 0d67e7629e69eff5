"""A native loop of steps that search for places: until they are good, or no start is left.

One call searches for many rows.  A kernel takes one step of all active rows at a time; a row that
has found its place makes room for the next one, so that all lanes of the kernel have work to the
end.  What is found for a row does not depend on the others.

From all starts but the last, every step is taken, for that is quick: one that leads nowhere is
given up.  From the last one, steps that lead away are taken back, and the damping follows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from armillary.codegen.abi import Context, Slot, Struct, double, integer, pointer
from armillary.codegen.code import Code
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import lanes

GOAL = 12  # numbers that say what is wanted of a row; the kernel reads the damping behind them
MEASURES = 4  # that the kernel gives of a row: squares of everything, and of three parts of it


class Trial(Struct):
    """A row that is being searched for."""

    ROW = integer()
    START = integer()  # number of the start
    STEPS = integer()  # since that start
    TOTAL = integer()  # steps since the first start
    BEFORE = double()  # measure when it was last looked at
    BACK = integer()  # 1: a step was taken back, and the next one starts at the best place


class Search(Struct):
    """The context of one call.  Arrays hold doubles in C order.

    Starts: 0 the given one; then those of the table; the last one is the best place so far."""

    CODE = integer()  # address of the kernel: (q, goal) -> q after a step, measures of q
    CONTEXT = pointer()  # its own
    LANES = integer()  # rows that it works on together
    ROWS = integer()
    NEXT = integer()  # the first row that is not begun
    ACTIVE = integer()  # slots in use; before the call: how many there are
    NQ = integer()
    # policy
    LAST_START = integer()
    ITERATIONS = integer()  # steps from one start
    PATIENCE = integer()  # steps in which the measure is to fall to FALL of it, but for the last
    FALL = double()
    DAMPING = double()  # at every start; from the last one it follows the steps
    MOST_DAMPING = double()
    SMALL = double(MEASURES - 1)  # parts of a good place
    # what is given
    GOALS = pointer()  # (ROWS, GOAL)
    Q0 = pointer()
    Q0_STRIDE = integer()  # 0: one for all rows
    TABLE = pointer()  # (starts, NQ)
    FREE = pointer()  # (NQ) integers: 1 where the table counts, 0 where Q0 stays
    # memory, one entry per slot
    SLOTS, Q, MOVED, GOAL, MEASURED = (pointer() for _ in range(5))
    # results, one entry per row
    OUT_Q, OUT_MEASURES = (pointer() for _ in range(2))
    OUT_COUNTS = pointer()  # (ROWS, 2) integers: steps, starts after the first


@cache
def run_search() -> Callable[[int], None]:
    text = "\n\n".join([_copy(), _place(), _begin(), _retire(), _follow(), _judge(), _search()])
    library = Library(with_declarations(text, lanes(False, "double")), ["search"])
    return library.call("search")


def _copy() -> str:
    c = Code("copy", ("ptr noalias %out", "ptr noalias %source", "i64 %n"))
    with c.loop("%n") as k:
        c.write("%out", k, c.read("%source", k, "double"), "double")
    return c.text()


class _Writer(Code):
    """A function of the context and of a slot, by its number."""

    def __init__(self, name: str, arguments: tuple[str, ...] = ("i64 %s",)):
        super().__init__(name, ("ptr noalias %ctx", *arguments))
        self.nq = self.field(Search.NQ)

    def slot(self, number: str = "%s") -> str:
        return self.pointer(self.field(Search.SLOTS), self.mul(number, Trial.SIZE))

    def row(self, array: Slot, number: str, width: str | int) -> str:
        """Pointer to a row of an array of numbers, which stands in a field."""
        return self.pointer(self.field(array), self.mul(number, width), "double")

    def given(self, row: str) -> str:
        """Pointer to the given start of a row."""
        return self.row(Search.Q0, row, self.field(Search.Q0_STRIDE))

    def copy(self, out: str, source: str, n: str | int) -> None:
        self.do(f"call void @copy(ptr {out}, ptr {source}, i64 {n})")

    def call(self, name: str, *arguments: str) -> None:
        self.do(f"call void @{name}({', '.join(['ptr %ctx', *arguments])})")

    def differs(self, a: str, b: str | int) -> str:
        return self.let(f"icmp ne i64 {a}, {b}")

    def both(self, a: str, b: str) -> str:
        return self.let(f"and i1 {a}, {b}")

    def opposite(self, a: str) -> str:
        return self.let(f"xor i1 {a}, true")


LESS, MORE = 0.25, 8.0  # damping after a step that came nearer, or did not
_INFINITE = "0x7FF0000000000000"


def _place() -> str:
    """Put a slot at its start."""
    c = _Writer("place")
    slot, q = c.slot(), c.row(Search.Q, "%s", c.nq)
    row, start = c.field(Trial.ROW, slot), c.field(Trial.START, slot)
    given = c.given(row)
    c.copy(q, given, c.nq)
    last, later = c.equal(start, c.field(Search.LAST_START)), c.differs(start, 0)
    with c.when(c.both(later, c.opposite(last))):
        other, free = c.row(Search.TABLE, c.sub(start, 1), c.nq), c.field(Search.FREE)
        with c.loop(c.nq) as k, c.when(c.differs(c.read(free, k), 0)):
            c.write(q, k, c.read(other, k, "double"), "double")
    with c.when(c.both(later, last)):
        c.copy(q, c.row(Search.OUT_Q, row, c.nq), c.nq)
    c.set_field(Trial.STEPS, "0", slot)
    c.set_field(Trial.BACK, "0", slot)
    c.set_field(Trial.BEFORE, _INFINITE, slot)
    c.write(c.row(Search.GOAL, "%s", GOAL + 1), GOAL, c.field(Search.DAMPING), "double")
    return c.text()


def _begin() -> str:
    """The next row, in a slot; the best place so far is the given one, and nothing is known."""
    c = _Writer("begin")
    slot, row = c.slot(), c.field(Search.NEXT)
    c.set_field(Search.NEXT, c.add(row, 1))
    c.set_field(Trial.ROW, row, slot)
    for field in (Trial.START, Trial.TOTAL):
        c.set_field(field, "0", slot)
    c.copy(c.row(Search.GOAL, "%s", GOAL + 1), c.row(Search.GOALS, row, GOAL), GOAL)
    c.copy(c.row(Search.OUT_Q, row, c.nq), c.given(row), c.nq)
    measures = c.row(Search.OUT_MEASURES, row, MEASURES)
    for k in range(MEASURES):
        c.write(measures, k, _INFINITE, "double")
    c.call("place", "i64 %s")
    return c.text()


def _retire() -> str:
    """A row is done: the next one takes the slot, or the last slot moves here."""
    c = _Writer("retire")
    slot = c.slot()
    counts = c.row(Search.OUT_COUNTS, c.field(Trial.ROW, slot), 2)
    c.write(counts, 0, c.field(Trial.TOTAL, slot))
    c.write(counts, 1, c.field(Trial.START, slot))
    more = c.let(f"icmp slt i64 {c.field(Search.NEXT)}, {c.field(Search.ROWS)}")
    with c.when(more):
        c.call("begin", "i64 %s")
    with c.when(c.opposite(more)):
        last = c.sub(c.field(Search.ACTIVE), 1)
        c.set_field(Search.ACTIVE, last)
        with c.when(c.differs(last, "%s")):
            c.copy(slot, c.slot(last), Trial.SIZE)
            for array, width in ((Search.Q, c.nq), (Search.GOAL, GOAL + 1)):
                c.copy(c.row(array, "%s", width), c.row(array, last, width), width)
    return c.text()


def _judge() -> str:
    """After a step from slot s: take it, go to another start, or be done."""
    c = _Writer("judge")
    slot, q = c.slot(), c.row(Search.Q, "%s", c.nq)
    row, start, steps = (c.field(f, slot) for f in (Trial.ROW, Trial.START, Trial.STEPS))
    measures, best = (
        c.row(Search.MEASURED, "%s", MEASURES),
        c.row(Search.OUT_MEASURES, row, MEASURES),
    )
    merit = c.read(measures, 0, "double")
    good = "true"
    for k in range(MEASURES - 1):
        small = c.field(Search.SMALL.at(k))
        part = c.read(measures, k + 1, "double")
        good = c.both(good, c.let(f"fcmp ole double {part}, {small}"))
    last = c.equal(start, c.field(Search.LAST_START))
    nearer = c.let(f"fcmp olt double {merit}, {c.read(best, 0, 'double')}")
    going = c.let(f"icmp slt i64 {steps}, {c.field(Search.ITERATIONS)}")
    going = c.both(going, c.opposite(_given_up(c, slot, steps, merit, last)))
    going = c.both(going, c.opposite(good))
    ending = c.let(f"or i1 {last}, {c.opposite(going)}")
    with c.when(c.let(f"or i1 {good}, {c.both(ending, nearer)}")):
        c.copy(c.row(Search.OUT_Q, row, c.nq), q, c.nq)
        c.copy(best, measures, MEASURES)
    with c.when(going):
        c.copy(q, c.row(Search.MOVED, "%s", c.nq), c.nq)
        c.set_field(Trial.STEPS, c.add(steps, 1), slot)
        c.set_field(Trial.TOTAL, c.add(c.field(Trial.TOTAL, slot), 1), slot)
        with c.when(last):
            c.call("follow", "i64 %s", f"i1 {nearer}")
    with c.when(c.opposite(going)):
        done = c.let(f"or i1 {good}, {last}")
        with c.when(done):
            c.call("retire", "i64 %s")
        with c.when(c.opposite(done)):
            c.set_field(Trial.START, c.add(start, 1), slot)
            c.call("place", "i64 %s")
    return c.text()


def _given_up(c: _Writer, slot: str, steps: str, merit: str, last: str) -> str:
    """Does this start lead nowhere?  Where the measure is not a number, in any case; from the last
    one, where no damping helps."""
    looked = c.equal(c.let(f"urem i64 {steps}, {c.field(Search.PATIENCE)}"), 0)
    limit = c.let(f"fmul double {c.field(Trial.BEFORE, slot)}, {c.field(Search.FALL)}")
    stalled = c.both(looked, c.let(f"fcmp uge double {merit}, {limit}"))
    with c.when(looked):
        c.set_field(Trial.BEFORE, merit, slot)
    damping = c.read(c.row(Search.GOAL, "%s", GOAL + 1), GOAL, "double")
    stuck = c.let(f"fcmp ogt double {damping}, {c.field(Search.MOST_DAMPING)}")
    over = c.let(f"select i1 {last}, i1 {stuck}, i1 {stalled}")
    return c.let(f"or i1 {over}, {c.let(f'fcmp uno double {merit}, 0.0')}")


def _follow() -> str:
    """A step from the last start, taken by now: back where it came no nearer."""
    c = _Writer("follow", ("i64 %s", "i1 %nearer"))
    slot, damping = c.slot(), c.row(Search.GOAL, "%s", GOAL + 1)
    old = c.read(damping, GOAL, "double")
    at_best = c.differs(c.field(Trial.BACK, slot), 0)
    away = c.opposite(c.let(f"or i1 %nearer, {at_best}"))
    c.set_field(Trial.BACK, "0", slot)
    with c.when("%nearer"):
        c.write(damping, GOAL, c.let(f"fmul double {old}, {LESS}"), "double")
    with c.when(away):
        best = c.row(Search.OUT_Q, c.field(Trial.ROW, slot), c.nq)
        c.copy(c.row(Search.Q, "%s", c.nq), best, c.nq)
        c.write(damping, GOAL, c.let(f"fmul double {old}, {MORE}"), "double")
        c.set_field(Trial.BACK, "1", slot)
    return c.text()


def _search() -> str:
    c = _Writer("search", ())
    room, rows = c.field(Search.ACTIVE), c.field(Search.ROWS)
    few = c.let(f"icmp slt i64 {rows}, {room}")
    c.set_field(Search.ACTIVE, c.let(f"select i1 {few}, i64 {rows}, i64 {room}"))
    with c.loop(c.field(Search.ACTIVE)) as s:
        c.call("begin", f"i64 {s}")
    context, lanes_ = c.field(Search.CONTEXT), c.field(Search.LANES)
    for k, given in enumerate((Search.Q, Search.GOAL)):
        c.set_field(Context.INPUT_ROWS.at(k), c.field(given), context)
    for k, result in enumerate((Search.MOVED, Search.MEASURED)):
        c.set_field(Context.OUTPUT_ROWS.at(k), c.field(result), context)
    kernel = c.let(f"inttoptr i64 {c.field(Search.CODE)} to ptr")
    with c.forever() as loop:
        active = c.field(Search.ACTIVE)
        c.break_if(loop, c.equal(active, 0))
        # whole blocks of lanes: rows beyond the active ones are computed and not looked at
        blocks = c.let(f"udiv i64 {c.sub(c.add(active, lanes_), 1)}, {lanes_}")
        c.set_field(Context.ROWS, c.mul(blocks, lanes_), context)
        c.do(f"call void {kernel}(ptr {context})")
        with c.loop(active) as n:  # from the last slot: one that moves has been judged
            c.call("judge", f"i64 {c.sub(c.sub(active, n), 1)}")
    return c.text()
