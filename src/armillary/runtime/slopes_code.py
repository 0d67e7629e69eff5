"""The words that the native loops over slopes of force elements are written in (slopes_loop.py),
and their rows of numbers."""

from __future__ import annotations

from dataclasses import dataclass

from armillary.codegen.code import Code
from armillary.codegen.llvm import multiply_add
from armillary.codegen.target import Lanes
from armillary.runtime.slopes_tables import Slopes


@dataclass(frozen=True)
class Shape:
    """What the loops are written for.  lanes: the type of numbers.  leaves: those of the 18 numbers
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
    """One function.  Its first argument is the structure `Slopes`; vectors are motions and wrenches
    along the axes."""

    def __init__(self, shape: Shape, name: str, *arguments: str):
        super().__init__(name, ("ptr noalias %ctx", *arguments))
        lanes = shape.lanes
        self.shape, self.e = shape, lanes.element
        self.align = 8 if self.e == "double" else 4
        self.vector = Lanes(shape.size, lanes.element, lanes.fma)

    def get_number(self, base: str, k: str | int) -> str:
        return self.read(base, k, self.e, self.align)

    def put_number(self, base: str, k: str | int, value: str) -> None:
        self.write(base, k, value, self.e, self.align)

    def at(self, base: str, k: str | int) -> str:
        return self.pointer(base, k, self.e)

    def copy(self, out: str, source: str, count: str | int) -> None:
        with self.loop(count) as k:
            self.put_number(out, k, self.get_number(source, k))

    def block(self, slot: str) -> str:
        return self.at(self.field(Slopes.BLOCKS), self.mul(slot, self.shape.pair))

    def negated(self, condition: str) -> str:
        return self.let(f"xor i1 {condition}, true")

    def add_to(self, base: str, k: str | int, value: str) -> None:
        total = self.let(f"fadd {self.e} {self.get_number(base, k)}, {value}")
        self.put_number(base, k, total)

    # -- vectors -----------------------------------------------------------------------------------

    def get_vector(self, base: str, k: str | int) -> str:
        place = self.at(base, k)
        return self.let(f"load {self.vector.type}, ptr {place}, align {self.align}")

    def put_vector(self, base: str, k: str | int, value: str) -> None:
        self.do(f"store {self.vector.type} {value}, ptr {self.at(base, k)}, align {self.align}")

    def times(self, numbers: list[str], block: str, total: str = "") -> str:
        """Σ_k numbers_k row_k of a block, and a vector."""
        for k, x in enumerate(numbers):
            row = self.get_vector(block, self.shape.size * k)
            if total:
                total = multiply_add(x, row, total, self.vector, self.let)
            else:
                total = self.let(f"fmul {self.vector.type} {x}, {row}")
        return total

    def sum(self, x: str) -> str:
        """Of the numbers of a vector."""
        if self.shape.size == 1:
            return x
        parts = [
            self.let(f"extractelement {self.vector.type} {x}, i32 {k}")
            for k in range(self.shape.size)
        ]
        while len(parts) > 1:
            parts.append(self.let(f"fadd {self.e} {parts.pop(0)}, {parts.pop(0)}"))
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
        total = c.let(f"{operation} {c.e} {c.get_number('%out', k)}, {c.get_number('%x', k)}")
        c.put_number("%out", k, total)
    return c.text()


def _clear(shape: Shape) -> str:
    c = Writer(shape, "clear", "ptr noalias %out", "i64 %count")
    with c.loop("%count") as k:
        c.put_number("%out", k, "0.0")
    return c.text()


def _add_row(shape: Shape) -> str:
    """`add_row(out, x, factor, n)`: out += factor x."""
    arguments = ("ptr noalias %out", "ptr noalias %x", f"{shape.lanes.element} %factor", "i64 %n")
    c = Writer(shape, "add_row", *arguments)
    with c.loop("%n") as k:
        product = c.let(f"fmul {c.e} %factor, {c.get_number('%x', k)}")
        c.put_number("%out", k, c.let(f"fadd {c.e} {c.get_number('%out', k)}, {product}"))
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
