"""The words that the native loops over slopes of force elements are written in (slopes_loop.py),
and their rows of numbers."""

from __future__ import annotations

from dataclasses import dataclass

from armillary.codegen.code import Code
from armillary.codegen.llvm import multiply_add, splat
from armillary.codegen.target import Lanes
from armillary.runtime.slopes_tables import Slopes

Vector = list[str]  # registers


@dataclass(frozen=True)
class Shape:
    """What the loops are written for.  lanes: states side by side.  leaves: those of the 18 numbers
    of a body (X_KW; velocity) that elements read; axes: along which bodies move, of the six of the
    world."""

    lanes: Lanes
    leaves: tuple[int, ...]
    axes: tuple[int, ...]

    @property
    def size(self) -> int:
        """Numbers of a motion or a wrench."""
        return len(self.axes)

    @property
    def block(self) -> int:
        return self.size**2

    @property
    def own(self) -> int:
        """Numbers of one body: K, D."""
        return 2 * self.block

    @property
    def pair(self) -> int:
        """Of bodies a and b: K_ab, D_ab, K_ba^T, D_ba^T."""
        return 4 * self.block

    @property
    def shared(self) -> int:
        """Of a body while a degree of freedom has its turn: four vectors."""
        return 4 * self.size


class Writer(Code):
    """One function.  Its first argument is the structure `Slopes`.

    A number is one of W states side by side; those of given arrays and results, which are rows of
    states, are put together (`row_number`).  A vector is a motion or a wrench along the axes: of
    one state in one register, of several a register per axis."""

    def __init__(self, shape: Shape, name: str, *arguments: str):
        super().__init__(name, ("ptr noalias %ctx", *arguments))
        lanes = shape.lanes
        self.shape, self.lanes = shape, lanes
        self.e, self.t, self.zero = lanes.element, lanes.type, lanes.constant(0.0)
        self.align = 8 if self.e == "double" else 4
        self.vector = lanes if lanes.width > 1 else Lanes(shape.size, lanes.element, lanes.fma)

    def get_number(self, base: str, k: str | int) -> str:
        return self.read(base, k, self.t, self.align)

    def put_number(self, base: str, k: str | int, value: str) -> None:
        self.write(base, k, value, self.t, self.align)

    def at(self, base: str, k: str | int) -> str:
        return self.pointer(base, k, self.t)

    def copy(self, out: str, source: str, count: str | int) -> None:
        with self.loop(count) as k:
            self.put_number(out, k, self.get_number(source, k))

    def block(self, slot: str) -> str:
        return self.at(self.field(Slopes.BLOCKS), self.mul(slot, self.shape.pair))

    def negated(self, condition: str) -> str:
        return self.let(f"xor i1 {condition}, true")

    def plus(self, a: str, b: str) -> str:
        return self.let(f"fadd {self.t} {a}, {b}")

    def add_to(self, base: str, k: str | int, value: str) -> None:
        self.put_number(base, k, self.plus(self.get_number(base, k), value))

    def same(self, base: str, k: str | int) -> str:
        """A number that all states share."""
        return splat(self.read(base, k, self.e, self.align), self.lanes, self.let)

    # -- rows of states ----------------------------------------------------------------------------

    def row_number(self, base: str, step: str, k: str | int) -> str:
        """Number k of every state.  step: from one state to the next."""
        if self.lanes.width == 1:
            return self.read(base, k, self.e, self.align)
        found = "undef"
        for lane in range(self.lanes.width):
            row = self.pointer(base, self.mul(step, lane), self.e)
            x = self.read(row, k, self.e, self.align)
            found = self.let(f"insertelement {self.t} {found}, {self.e} {x}, i32 {lane}")
        return found

    def put_row_number(self, base: str, step: str, k: str | int, value: str) -> None:
        if self.lanes.width == 1:
            self.write(base, k, value, self.e, self.align)
            return
        for lane in range(self.lanes.width):
            row = self.pointer(base, self.mul(step, lane), self.e)
            x = self.let(f"extractelement {self.t} {value}, i32 {lane}")
            self.write(row, k, x, self.e, self.align)

    # -- vectors -----------------------------------------------------------------------------------

    @property
    def _registers(self) -> range:
        return range(self.shape.size if self.lanes.width > 1 else 1)

    def get_vector(self, base: str, k: str | int) -> Vector:
        place, t = self.at(base, k), self.vector.type
        parts = [self.pointer(place, n, t) for n in self._registers]
        return [self.let(f"load {t}, ptr {part}, align {self.align}") for part in parts]

    def put_vector(self, base: str, k: str | int, value: Vector) -> None:
        place, t = self.at(base, k), self.vector.type
        for n, x in enumerate(value):
            self.do(f"store {t} {x}, ptr {self.pointer(place, n, t)}, align {self.align}")

    def no_vector(self) -> Vector:
        return ["zeroinitializer" for _ in self._registers]

    def factors(self, base: str, k: str) -> list[str]:
        """The numbers of a vector, each to be multiplied with vectors."""
        numbers = [self.get_number(base, self.add(k, n)) for n in range(self.shape.size)]
        if self.lanes.width > 1:
            return numbers
        return [splat(x, self.vector, self.let) for x in numbers]

    def each(self, operation: str, a: Vector, b: Vector) -> Vector:
        """fadd or fmul."""
        t = self.vector.type
        return [self.let(f"{operation} {t} {x}, {y}") for x, y in zip(a, b, strict=True)]

    def fused(self, a: Vector, b: Vector, c: Vector) -> Vector:
        """a b + c, number by number."""
        parts = zip(a, b, c, strict=True)
        return [multiply_add(x, y, z, self.vector, self.let) for x, y, z in parts]

    def times(self, numbers: list[str], block: str, total: Vector | None = None) -> Vector:
        """Σ_k numbers_k row_k of a block, and a vector."""
        for k, x in enumerate(numbers):
            row = self.get_vector(block, self.shape.size * k)
            both = [x] * len(row)
            total = self.each("fmul", both, row) if total is None else self.fused(both, row, total)
        return total or []

    def sum(self, x: Vector) -> str:
        """Of the numbers of a vector."""
        parts = list(x)
        if self.lanes.width == 1 and self.shape.size > 1:
            parts = [
                self.let(f"extractelement {self.vector.type} {x[0]}, i32 {k}")
                for k in range(self.shape.size)
            ]
        while len(parts) > 1:
            parts.append(self.plus(parts.pop(0), parts.pop(0)))
        return parts[0]


# -- rows of numbers -------------------------------------------------------------------------------


def rows_text(shape: Shape) -> list[str]:
    parts = [_add_all(shape, count, "fadd") for count in sorted({shape.own, shape.pair})]
    return [*parts, _add_all(shape, shape.own, "fsub"), _clear(shape), _add_row(shape),
            _turned(shape)]  # fmt: skip


def _add_all(shape: Shape, count: int, operation: str) -> str:
    """`fadd144(out, x)`: out += x."""
    c = Writer(shape, f"{operation}{count}", "ptr noalias %out", "ptr noalias %x")
    with c.loop(count) as k:
        total = c.let(f"{operation} {c.t} {c.get_number('%out', k)}, {c.get_number('%x', k)}")
        c.put_number("%out", k, total)
    return c.text()


def _clear(shape: Shape) -> str:
    c = Writer(shape, "clear", "ptr noalias %out", "i64 %count")
    with c.loop("%count") as k:
        c.put_number("%out", k, "zeroinitializer")
    return c.text()


def _add_row(shape: Shape) -> str:
    """`add_row(out, x, factor, n)`: out += factor x."""
    arguments = ("ptr noalias %out", "ptr noalias %x", f"{shape.lanes.type} %factor", "i64 %n")
    c = Writer(shape, "add_row", *arguments)
    with c.loop("%n") as k:
        product = c.let(f"fmul {c.t} %factor, {c.get_number('%x', k)}")
        c.add_to("%out", k, product)
    return c.text()


def _turned(shape: Shape) -> str:
    """`add_turned(out, x)`: out += x^T of two blocks, and the blocks behind them."""
    c = Writer(shape, "add_turned", "ptr noalias %out", "ptr noalias %x")
    with c.loop(2) as which:
        start = c.mul(which, shape.block)
        out, x = c.at("%out", start), c.at("%x", start)
        with c.loop(shape.size) as i, c.loop(shape.size) as k:
            place = c.add(c.mul(i, shape.size), k)
            c.add_to(out, place, c.get_number(x, c.add(c.mul(k, shape.size), i)))
    return c.text()
