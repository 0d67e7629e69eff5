"""LLVM text that looks through doubles for those that are not finite."""

from __future__ import annotations

from armillary.codegen.code import Code

_EXPONENT = 0x7FF0 << 48  # bits of a double that are all set where it is not finite
_WIDE, _UNROLLED = 4, 8  # numbers that are looked at together, and such groups in a turn
_GROUP = f"<{_WIDE} x i64>"


def no_flags(c: Code) -> tuple[str, str]:
    """Flags that `scan` sets: four side by side, and one alone."""
    wide, one = c.name(), c.variable(0)
    c.lines.insert(2, f"{wide} = alloca {_GROUP}")
    c.do(f"store {_GROUP} zeroinitializer, ptr {wide}")
    return wide, one


def scan(c: Code, values: str, length: str, flags: tuple[str, str]) -> None:
    """Set a flag where a number is not finite.  The last group overlaps the one before it."""
    wide, one = flags

    def look(*places: str, kind: str = _GROUP, flag: str = wide) -> None:
        exponent, truth = str(_EXPONENT), "i1"
        if kind == _GROUP:
            exponent = "<" + ", ".join([f"i64 {_EXPONENT}"] * _WIDE) + ">"
            truth = f"<{_WIDE} x i1>"
        found = []
        for place in places:
            x = c.let(f"load {kind}, ptr {c.pointer(values, place)}, align 8")
            bad = c.let(f"icmp eq {kind} {c.let(f'and {kind} {x}, {exponent}')}, {exponent}")
            found.append(c.let(f"sext {truth} {bad} to {kind}"))
        found.append(c.let(f"load {kind}, ptr {flag}"))
        while len(found) > 1:
            found.append(c.let(f"or {kind} {found.pop(0)}, {found.pop(0)}"))
        c.do(f"store {kind} {found[0]}, ptr {flag}")

    turn = _WIDE * _UNROLLED
    whole, last = c.let(f"and i64 {length}, {-turn}"), c.sub(length, _WIDE)
    with c.loop(whole, step=turn) as k:
        look(*(c.add(k, n) for n in range(0, turn, _WIDE)))
    few = c.let(f"icmp slt i64 {last}, 0")
    with c.loop(c.let(f"select i1 {few}, i64 0, i64 {length}"), whole, _WIDE) as k:
        late = c.let(f"icmp sgt i64 {k}, {last}")
        look(c.let(f"select i1 {late}, i64 {last}, i64 {k}"))
    with c.loop(c.let(f"select i1 {few}, i64 {length}, i64 0")) as k:
        look(k, kind="i64", flag=one)


def all_finite(c: Code, flags: tuple[str, str]) -> str:
    wide = c.let(f"load {_GROUP}, ptr {flags[0]}")
    bad = c.let(f"icmp slt {_GROUP} {wide}, zeroinitializer")
    bits = c.let(f"bitcast <{_WIDE} x i1> {bad} to i{_WIDE}")
    none = c.let(f"icmp eq i{_WIDE} {bits}, 0")
    return c.let(f"and i1 {none}, {c.equal(c.get(flags[1]), 0)}")
