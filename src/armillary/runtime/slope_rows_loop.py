"""How the rows of constraints change along variations, as native loops: rates of the rows, what
they are short of, and the joint forces of their multipliers and known wrenches.

Bodies and axes come with their slopes from the tree (closed/motion_slopes.py), wrenches from the
code of the kinds of constraints (constraints/row_code.py).  They are added up and carried inward
along the world's axes; the power on an axis has a slope by all of them.
"""

from __future__ import annotations

from armillary.codegen.abi import Context, Struct, integer, pointer, structure
from armillary.codegen.target import Lanes
from armillary.runtime.closing_code import ORIGIN, ClosingCode
from armillary.runtime.closing_tables import Closing
from armillary.runtime.elimination import rows_text
from armillary.runtime.tree_loop import loop_text

MOTION, WRENCH = 48, 12  # numbers of a body's motion, and of a wrench, with their slopes
_SLOPES = 24  # where the slopes begin in the motion of a body
_OUTPUTS = 3


class Sloping(Struct):
    """The tables of one mechanism.  Places are numbers of the memory."""

    ROWS = structure(Closing)
    BODIES, ROW_COUNT = (integer() for _ in range(2))
    SUMS = integer()  # wrenches on bodies
    ITEMS = pointer()  # (wrench, target)
    ITEM_COUNT = integer()
    PARENTS = pointer()  # of bodies
    CARRIERS = pointer()  # of degrees of freedom
    TARGETS = pointer()  # of every row: (what it is short of, its rate)


def slope_rows_text(lanes: Lanes) -> str:
    """LLVM text with `batch(ctx)` for all rows."""
    parts = [rows_text(lanes), *(text(lanes) for text in (_inward, _powers, _whole))]
    return "\n\n".join([*parts, loop_text(lanes, "whole")])


def _whole(lanes: Lanes) -> str:
    """One block of variations: the tree, the rows, what they do to the tree."""
    c = ClosingCode("whole", lanes)
    outputs = [c.field(Context.OUTPUTS.at(k)) for k in range(_OUTPUTS)]
    for k, slot in enumerate((Closing.MOTION, Closing.AXES)):
        c.set_field(Context.OUTPUTS.at(k), c.pointer(c.memory, c.of(slot), lanes.type))
    c.do("call void @run(ptr %ctx)")
    for k, output in enumerate(outputs):
        c.set_field(Context.OUTPUTS.at(k), output)
    for name in ("rows", "inward", "powers"):
        c.do(f"call void @{name}(ptr %ctx)")
    return c.text()


def _inward(lanes: Lanes) -> str:
    """Wrenches that the constraints have on all that hangs on each body."""
    c = ClosingCode("inward", lanes)
    sums, motion = c.of(Sloping.SUMS), c.of(Closing.MOTION)
    bodies, parents, items = c.of(Sloping.BODIES), c.of(Sloping.PARENTS), c.of(Sloping.ITEMS)
    with c.loop(c.mul(bodies, WRENCH)) as k:
        c.put(c.add(sums, k), c.constant(0.0))
    with c.loop(c.of(Sloping.ITEM_COUNT)) as k:
        row = c.mul(k, 2)
        source, target = (c.read(items, c.add(row, n)) for n in range(2))
        for n in range(WRENCH):
            place = c.add(target, n)
            c.put(place, c.op("fadd", c.load(place), c.load(c.add(source, n))))
    with c.loop(bodies) as back:
        k = c.sub(c.sub(bodies, 1), back)
        parent = c.read(parents, k)
        with c.when(c.there(parent)):
            own, target = (c.add(sums, c.mul(x, WRENCH)) for x in (k, parent))
            moment, force, dm, df = (c.vector(c.add(own, 3 * part)) for part in range(4))
            ends = [c.add(motion, c.add(c.mul(x, MOTION), ORIGIN)) for x in (k, parent)]
            arm, slope = (_arm(c, *(c.add(end, start) for end in ends)) for start in (0, _SLOPES))
            turned = c.turned_by(moment, arm, force)
            turned_slope = c.turned_by(c.turned_by(dm, slope, force), arm, df)
            for part, x in enumerate([*turned, *force, *turned_slope, *df]):
                place = c.add(target, part)
                c.put(place, c.op("fadd", c.load(place), x))
    return c.text()


def _arm(c: ClosingCode, here: str, there: str) -> list[str]:
    pairs = zip(c.vector(here), c.vector(there), strict=True)
    return [c.op("fsub", a, b) for a, b in pairs]


def _powers(lanes: Lanes) -> str:
    """The results: slopes of joint forces; of what rows are short of, and of their rates."""
    c = ClosingCode("powers", lanes)
    axes, sums, carriers = c.of(Closing.AXES), c.of(Sloping.SUMS), c.of(Sloping.CARRIERS)
    pushes, short, rates = (c.field(Context.OUTPUTS.at(k)) for k in range(_OUTPUTS))
    with c.loop(c.field(Context.NV)) as k:
        axis, body = c.add(axes, c.mul(k, WRENCH)), c.mul(c.read(carriers, k), WRENCH)
        wrench, total = c.add(sums, body), c.register()
        for n in range(6):
            for one, two in ((n, n + 6), (n + 6, n)):
                factors = c.load(c.add(axis, one)), c.load(c.add(wrench, two))
                c.keep(total, c.more(c.kept(total), *factors))
        c.write(pushes, k, c.kept(total), lanes.type)
    targets = c.of(Sloping.TARGETS)
    with c.loop(c.of(Sloping.ROW_COUNT)) as k:
        for n, output in enumerate((short, rates)):
            place = c.read(targets, c.add(c.mul(k, 2), n))
            c.write(output, k, c.load(place), lanes.type)
    return c.text()
