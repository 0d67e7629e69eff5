"""LLVM text of batches that a crew shares: `batch(ctx)` as of a kernel.

How long a row takes is kept with the kernel, so short batches stay with their caller.  The parts
of the others are whole blocks of rows: every row has the bits that one thread would give it.
"""

from __future__ import annotations

from armillary.compiler.context import Context
from armillary.compiler.crewcode import Crew, CrewText

PAYS = 10_000  # ns of work that are shared where the others are awake
WAKES = 150_000  # ns of work that the others are woken for; less if a job was there just before
RECENT = 200_000  # ns
PIECE = 5_000  # ns of work in a piece, at least; one costs half a microsecond
PIECES = 8  # of a job for each member, at most
REST = 8  # times the length of a job that did not pay, in which callers work alone; it doubles
LONGEST_REST = 1_000_000_000  # ns
PROBE = 8  # blocks of rows by which a kernel is timed first


def text() -> str:
    """What stands behind the text of crewcode.py."""
    declared = "declare i64 @llvm.smax.i64(i64, i64)"
    return "\n\n".join([declared, _part(), _piece(), _batch()])


def _part() -> str:
    """Some rows of a batch, by one member: on a context and in a work space of its own."""
    c = CrewText("part", "ptr %ctx", "i64 %first", "i64 %last", "i64 %member")
    own = c.name()
    c.lines.insert(2, f"{own} = alloca [{Context.SIZE} x i64]")
    with c.loop(Context.SIZE) as k:
        c.write(own, k, c.field(k))
    c.write(own, Context.ROWS, c.sub("%last", "%first"))
    size = c.field(Context.NUMBER_BYTES)
    start = c.mul(size, "%first")
    for count, rows, width in (
        (Context.INPUT_COUNT, Context.INPUT_ROWS, Context.INPUT_STRIDES),
        (Context.OUTPUT_COUNT, Context.OUTPUT_ROWS, Context.OUTPUT_SIZES),
    ):
        with c.loop(c.field(count)) as i:
            ahead = c.mul(start, c.field(c.add(i, width)))
            place = c.add(i, rows)
            c.write(own, place, c.add(c.field(place), ahead))
    room = c.mul(c.field(Context.WORK_BYTES), "%member")
    for space in (Context.WORK, Context.STATE, Context.SCRATCH, Context.EXTRA):
        c.write(own, space, c.add(c.field(space), room))
    c.do(f"call void {c.field(Context.KERNEL, 'ptr')}(ptr {own})")
    return c.text()


_JOB = 4  # (context, first row, blocks, pieces)


def _piece() -> str:
    """Whole blocks of rows; the last piece takes the rest, too."""
    c = CrewText("piece", "ptr %job", "i64 %k", "i64 %member")
    c.do("%ctx = load ptr, ptr %job")
    start, blocks, pieces = (c.read("%job", n) for n in range(1, _JOB))
    width, rows = c.field(Context.LANES), c.field(Context.ROWS)
    after = c.add("%k", 1)
    first, last = (c.add(start, c.mul(c.edge(blocks, k, pieces), width)) for k in ("%k", after))
    last = c.let(f"select i1 {c.equal(after, pieces)}, i64 {rows}, i64 {last}")
    c.do(f"call void @part(ptr %ctx, i64 {first}, i64 {last}, i64 %member)")
    return c.text()


def _batch() -> str:
    """`batch(ctx)` as of a kernel, by the crew where that pays and nobody else has it."""
    c = CrewText("batch", "ptr %ctx")
    c.do(f"%crew = load ptr, ptr {c.pointer('%ctx', Context.CREW)}")
    rows, pace = c.field(Context.ROWS), c.field(Context.PACE, "ptr")
    start = _first_rows(c, rows, pace)
    expected = c.divide(c.mul(c.sub(rows, c.get(start)), c.look(pace)), 1000)
    few = c.less(rows, c.mul(c.field(Context.LANES), 2))
    with c.when(c.let(f"or i1 {few}, {c.less(expected, PAYS)}")):
        c.do("br label %alone")
        c.do("enough:")
    begun = c.now()
    with c.when(_not_now(c, begun, expected)):
        _rest(c, c.get(start), rows)
        took = _took(c, begun)
        c.show(pace, c.divide(c.mul(took, 1000), c.sub(rows, c.get(start))))
        c.do("ret void")
        c.do("shared:")
    with c.when(c.exchange(c.at(Crew.BUSY), 0, 1)):
        _share(c, c.get(start), expected)
        took = _took(c, begun)
        _judge(c, begun, took, c.less(expected, took))
        c.show(Crew.BUSY, 0)
        together = c.mul(c.mul(took, 1000), c.read("%crew", Crew.MEMBERS))
        most = c.divide(together, c.sub(rows, c.get(start)))  # members that came late count, too
        c.show(pace, c.smaller(c.look(pace), most))
        c.do("ret void")
        c.do("busy:")
    c.label("alone")
    _rest(c, c.get(start), rows)
    return c.text()


def _judge(c: CrewText, begun: str, took: str, bad: str) -> None:
    """After a job that its caller had done sooner alone (others need the cores) there is a rest,
    twice as long if it happens again; what went well halves it."""
    spell = c.look(Crew.SPELL)
    twice = c.let(f"call i64 @llvm.smax.i64(i64 {c.mul(spell, 2)}, i64 {c.mul(took, REST)})")
    longer = c.smaller(twice, LONGEST_REST)
    with c.when(bad):
        c.show(Crew.REST, c.add(c.add(begun, took), longer))
    c.show(Crew.SPELL, c.let(f"select i1 {bad}, i64 {longer}, i64 {c.divide(spell, 2)}"))


def _took(c: CrewText, begun: str) -> str:
    """Time since then; notes that rows were done."""
    now = c.now()
    c.show(Crew.LAST, now)
    return c.sub(now, begun)


def _first_rows(c: CrewText, rows: str, pace: str) -> str:
    """Where the pace of the kernel is not known, the caller times the first rows.  Gives the row
    to go on with, a variable."""
    start = c.variable(0)
    first = c.mul(c.field(Context.LANES), PROBE)
    with c.when(c.equal(c.look(pace), 0)), c.when(c.less(c.mul(first, 2), rows)):
        begun = c.now()
        c.do(f"call void @part(ptr %ctx, i64 0, i64 {first}, i64 0)")
        took = c.sub(c.now(), begun)
        c.show(pace, c.add(c.divide(c.mul(took, 1000), first), 1))
        c.set(start, first)
    return start


def _rest(c: CrewText, start: str, rows: str) -> None:
    """All rows from the start on, by the caller alone."""
    with c.when(c.equal(start, 0)):
        c.do(f"call void {c.field(Context.KERNEL, 'ptr')}(ptr %ctx)")
    with c.when(c.differs(start, 0)):
        c.do(f"call void @part(ptr %ctx, i64 {start}, i64 {rows}, i64 0)")


def _not_now(c: CrewText, now: str, expected: str) -> str:
    """Those who sleep are woken for much work only, or where jobs come thick and fast; and a job
    that was slower than its caller alone gives them a rest."""
    asleep = c.let(f"or i64 {c.look(Crew.SLEEPING)}, {c.sub('1', c.look(Crew.STARTED))}")
    rare = c.less(c.add(c.look(Crew.LAST), RECENT), now)
    far = c.let(f"and i1 {c.differs(asleep, 0)}, {rare}")
    short = c.let(f"and i1 {far}, {c.less(expected, WAKES)}")
    return c.let(f"or i1 {short}, {c.less(now, c.look(Crew.REST))}")


def _share(c: CrewText, start: str, expected: str) -> None:
    """The rows from the start on as a job."""
    job = c.name()
    c.lines.insert(2, f"{job} = alloca [{_JOB} x i64]")
    blocks = c.divide(c.sub(c.field(Context.ROWS), start), c.field(Context.LANES))
    members = c.read("%crew", Crew.MEMBERS)
    each = c.smaller(c.divide(expected, c.mul(members, PIECE)), PIECES)
    some = c.let(f"call i64 @llvm.smax.i64(i64 {each}, i64 1)")
    pieces = c.smaller(c.mul(some, members), blocks)
    for k, value in enumerate((c.let("ptrtoint ptr %ctx to i64"), start, blocks, pieces)):
        c.write(job, k, value)
    c.do(f"call void @run_job(ptr %crew, ptr @piece, ptr {job}, i64 {pieces})")
