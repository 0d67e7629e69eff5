"""LLVM text that looks through numbers for those that are not finite."""

from __future__ import annotations

from armillary.codegen.code import Code

# bits of a number of 64 or 32 bits that are all set where it is not finite
_EXPONENT = {64: 0x7FF0 << 48, 32: 0x7F80 << 16}
_WIDE, _UNROLLED = 4, 8  # numbers that are looked at together, and such groups in a turn


def no_flags(c: Code, bits: int = 64) -> tuple[str, str]:
    """Flags that `scan` sets: four side by side, and one alone."""
    wide, one = c.name(), c.variable(0)
    c.lines.insert(2, f"{wide} = alloca <{_WIDE} x i{bits}>")
    c.do(f"store <{_WIDE} x i{bits}> zeroinitializer, ptr {wide}")
    return wide, one


def scan(c: Code, values: str, length: str, flags: tuple[str, str], bits: int = 64) -> None:
    """Set a flag where a number is not finite.  The last group overlaps the one before it."""
    (wide, one), group = flags, f"<{_WIDE} x i{bits}>"
    each = str(_EXPONENT[bits])

    def bad(place: str, kind: str, exponent: str) -> str:
        at = c.pointer(values, place, f"i{bits}")
        x = c.let(f"load {kind}, ptr {at}, align {bits // 8}")
        return c.let(f"icmp eq {kind} {c.let(f'and {kind} {x}, {exponent}')}, {exponent}")

    def look(*places: str) -> None:
        exponent = "<" + ", ".join([f"i{bits} {each}"] * _WIDE) + ">"
        found = [
            c.let(f"sext <{_WIDE} x i1> {bad(place, group, exponent)} to {group}")
            for place in places
        ]
        found.append(c.let(f"load {group}, ptr {wide}"))
        while len(found) > 1:
            found.append(c.let(f"or {group} {found.pop(0)}, {found.pop(0)}"))
        c.do(f"store {group} {found[0]}, ptr {wide}")

    turn = _WIDE * _UNROLLED
    whole, last = c.let(f"and i64 {length}, {-turn}"), c.sub(length, _WIDE)
    with c.loop(whole, step=turn) as k:
        look(*(c.add(k, n) for n in range(0, turn, _WIDE)))
    few = c.let(f"icmp slt i64 {last}, 0")
    with c.loop(c.let(f"select i1 {few}, i64 0, i64 {length}"), whole, _WIDE) as k:
        late = c.let(f"icmp sgt i64 {k}, {last}")
        look(c.let(f"select i1 {late}, i64 {last}, i64 {k}"))
    with c.loop(c.let(f"select i1 {few}, i64 {length}, i64 0")) as k:
        found = c.let(f"sext i1 {bad(k, f'i{bits}', each)} to i64")
        c.set(one, c.let(f"or i64 {c.get(one)}, {found}"))


def all_finite(c: Code, flags: tuple[str, str], bits: int = 64) -> str:
    group = f"<{_WIDE} x i{bits}>"
    bad = c.let(f"icmp slt {group} {c.let(f'load {group}, ptr {flags[0]}')}, zeroinitializer")
    mask = c.let(f"bitcast <{_WIDE} x i1> {bad} to i{_WIDE}")
    none = c.let(f"icmp eq i{_WIDE} {mask}, 0")
    return c.let(f"and i1 {none}, {c.equal(c.get(flags[1]), 0)}")
