"""A small writer of LLVM functions with loops and conditions, and the look for numbers that are not
finite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from armillary.codegen.abi import Slot

# bits of a number of 64 or 32 bits that are all set where it is not finite
_EXPONENT = {64: 0x7FF0 << 48, 32: 0x7F80 << 16}
_WIDE, _UNROLLED = 4, 8  # numbers that are looked at together, and such groups in a turn


class Entry(str):
    """The place of a field that is known when the code runs, as an LLVM value."""

    slot: Slot

    def __new__(cls, place: str, slot: Slot) -> Entry:
        made = super().__new__(cls, place)
        made.slot = slot
        return made

    def read_as(self, kind: str) -> str:
        return self.slot.read_as(kind)


class Code:
    """One function under construction.  Values are LLVM names or literals, as text."""

    def __init__(self, name: str, arguments: Sequence[str] = ("ptr noalias %ctx",)):
        self.lines = [f"define void @{name}({', '.join(arguments)}) {{", "entry:"]
        self._count = 0

    def text(self) -> str:
        return "\n".join([*self.lines, "ret void", "}"])

    def name(self) -> str:
        self._count += 1
        return f"%x{self._count}"

    def do(self, text: str) -> None:
        self.lines.append(text)

    def let(self, text: str) -> str:
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    # -- integers ------------------------------------------------------------------------------

    def add(self, a: str, b: str | int) -> str:
        return self.let(f"add i64 {a}, {b}")

    def sub(self, a: str, b: str | int) -> str:
        return self.let(f"sub i64 {a}, {b}")

    def mul(self, a: str, b: str | int) -> str:
        return self.let(f"mul i64 {a}, {b}")

    def variable(self, value: str | int) -> str:
        name = self.name()
        self.lines.insert(2, f"{name} = alloca i64")
        self.set(name, value)
        return name

    def get(self, variable: str) -> str:
        return self.let(f"load i64, ptr {variable}")

    def set(self, variable: str, value: str | int) -> None:
        self.do(f"store i64 {value}, ptr {variable}")

    # -- numbers -------------------------------------------------------------------------------

    def float(self, operation: str, a: str, b: str) -> str:
        """fadd, fsub, fmul or fdiv of doubles."""
        return self.let(f"{operation} double {a}, {b}")

    def number(self, value: str = "0.0") -> str:
        """A variable that holds a double; `read_number`, `write_number`."""
        name = self.name()
        self.lines.insert(2, f"{name} = alloca double")
        self.write_number(name, value)
        return name

    def read_number(self, number: str) -> str:
        return self.let(f"load double, ptr {number}")

    def write_number(self, number: str, value: str) -> None:
        self.do(f"store double {value}, ptr {number}")

    def accumulate(self, number: str, operation: str, value: str) -> None:
        """number = number + value, or - value."""
        self.write_number(number, self.float(operation, self.read_number(number), value))

    # -- memory --------------------------------------------------------------------------------

    def pointer(self, base: str, index: str | int, kind: str = "i64") -> str:
        return self.let(f"getelementptr {kind}, ptr {base}, i64 {index}")

    def read(self, base: str, index: str | int, kind: str = "i64", align: int = 8) -> str:
        return self.let(f"load {kind}, ptr {self.pointer(base, index, kind)}, align {align}")

    def write(
        self, base: str, index: str | int, value: str, kind: str = "i64", align: int = 8
    ) -> None:
        self.do(f"store {kind} {value}, ptr {self.pointer(base, index, kind)}, align {align}")

    def field(self, slot: Slot | Entry, base: str = "%ctx", kind: str = "") -> str:
        """A field of a structure.  kind: "i64" for the address that stands in a pointer."""
        kind = slot.read_as(kind)
        return self.let(f"load {kind}, ptr {self.pointer(base, slot)}, align 8")

    def set_field(self, slot: Slot | Entry, value: str, base: str = "%ctx") -> None:
        kind = slot.read_as("")
        self.do(f"store {kind} {value}, ptr {self.pointer(base, slot)}, align 8")

    def entry(self, slot: Slot, k: str) -> Entry:
        """One of several fields in a row, its number known when the code runs; or a field of a
        structure that begins there."""
        return Entry(self.add(k, slot), slot)

    # -- control -------------------------------------------------------------------------------

    def label(self, name: str) -> None:
        self.do(f"br label %{name}")
        self.do(f"{name}:")

    @contextmanager
    def loop(self, count: str | int, start: str | int = 0, step: str | int = 1) -> Iterator[str]:
        """for i = start; i < count; i += step."""
        i = self.variable(start)
        tag = self.name()[1:]
        self.label(f"head_{tag}")
        value = self.get(i)
        inside = self.let(f"icmp slt i64 {value}, {count}")
        self.do(f"br i1 {inside}, label %body_{tag}, label %end_{tag}")
        self.do(f"body_{tag}:")
        yield value
        self.set(i, self.add(self.get(i), step))
        self.do(f"br label %head_{tag}")
        self.do(f"end_{tag}:")

    @contextmanager
    def forever(self) -> Iterator[str]:
        """A loop that ends with `break_if`; yields its tag."""
        tag = self.name()[1:]
        self.label(f"head_{tag}")
        yield tag
        self.do(f"br label %head_{tag}")
        self.do(f"end_{tag}:")

    def break_if(self, tag: str, condition: str) -> None:
        rest = self.name()[1:]
        self.do(f"br i1 {condition}, label %end_{tag}, label %go_{rest}")
        self.do(f"go_{rest}:")

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        tag = self.name()[1:]
        self.do(f"br i1 {condition}, label %then_{tag}, label %end_{tag}")
        self.do(f"then_{tag}:")
        yield
        self.label(f"end_{tag}")

    def equal(self, a: str, b: str | int) -> str:
        return self.let(f"icmp eq i64 {a}, {b}")


# -- numbers that are not finite -------------------------------------------------------------------


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
