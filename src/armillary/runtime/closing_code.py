"""A writer of native loops over the memory and the tables of a large constrained system."""

from __future__ import annotations

from collections.abc import Sequence

from armillary.codegen.abi import Context, Slot
from armillary.codegen.code import Code
from armillary.codegen.llvm import multiply_add, splat
from armillary.codegen.target import Lanes

ORIGIN = 9  # where the origin of a body stands in its motion, behind what turns the world


class ClosingCode(Code):
    """A function over the memory and the tables."""

    def __init__(self, name: str, lanes: Lanes, more: Sequence[str] = ()):
        super().__init__(name, ("ptr noalias %ctx", *more))
        self.lines[0] = self.lines[0].replace("define void", "define internal void")
        self.lanes = lanes
        self.memory, self.tables = self.field(Context.EXTRA), self.field(Context.CLOSING)

    def of(self, slot: Slot) -> str:
        return self.field(slot, self.tables)

    def load(self, place: str) -> str:
        return self.read(self.memory, place, self.lanes.type)

    def put(self, place: str, value: str) -> None:
        self.write(self.memory, place, value, self.lanes.type)

    def shared(self, array: str, k: str) -> str:
        """A number that is the same for all states."""
        return splat(self.read(array, k, "double"), self.lanes, self.let)

    def across(self, slot: Slot) -> str:
        """A number of the tables, in all lanes."""
        return splat(self.of(slot), self.lanes, self.let)

    def input(self, slot: str, k: str) -> str:
        array = self.field(self.entry(Context.INPUTS, slot))
        return self.read(array, k, self.lanes.type)

    def op(self, name: str, a: str, b: str) -> str:
        return self.let(f"{name} {self.lanes.type} {a}, {b}")

    def more(self, total: str, a: str, b: str) -> str:
        """total + a b."""
        return multiply_add(a, b, total, self.lanes, self.let)

    def less(self, total: str, a: str, b: str) -> str:
        """total - a b."""
        return self.more(total, self.let(f"fneg {self.lanes.type} {a}"), b)

    def constant(self, x: float) -> str:
        return self.lanes.constant(x)

    def register(self, value: float = 0.0) -> str:
        """A number that changes."""
        place = self.name()
        self.lines.insert(2, f"{place} = alloca {self.lanes.type}")
        self.keep(place, self.constant(value))
        return place

    def keep(self, register: str, value: str) -> None:
        self.do(f"store {self.lanes.type} {value}, ptr {register}")

    def kept(self, register: str) -> str:
        return self.let(f"load {self.lanes.type}, ptr {register}")

    def where(self, condition: str, a: str, b: str) -> str:
        lanes = self.lanes
        return self.let(f"select {lanes.mask} {condition}, {lanes.type} {a}, {lanes.type} {b}")

    def copy(self, source: str, target: str, count: str) -> None:
        with self.loop(count) as k:
            self.put(self.add(target, k), self.load(self.add(source, k)))

    def power(self, table: str, row: str) -> str:
        """Of the wrench (n; f) on the motion of an axis:  S · (n + arm × f; f)."""
        axis, wrench, point, origin = (self.read(table, self.add(row, k)) for k in range(4))
        w, v = (self.vector(self.add(axis, k)) for k in (0, 3))
        n, f = (self.vector(self.add(wrench, k)) for k in (0, 3))
        pairs = zip(self.vector(point), self.vector(origin), strict=True)
        arm = [self.op("fsub", a, b) for a, b in pairs]
        total = self.op("fmul", v[0], f[0])
        for k in (1, 2):
            total = self.more(total, v[k], f[k])
        for x, moment in zip(w, self.turned_by(n, arm, f), strict=True):
            total = self.more(total, x, moment)
        return total

    def turned_by(self, n: Sequence[str], arm: Sequence[str], f: Sequence[str]) -> list[str]:
        """n + arm × f."""
        found = []
        for k in range(3):
            one, two = (k + 1) % 3, (k + 2) % 3
            found.append(self.less(self.more(n[k], arm[one], f[two]), arm[two], f[one]))
        return found

    def axis_at(self, axis: str, point: str, origin: str) -> list[str]:
        """The motion of an axis (w; v) as its body moves another point:  (w; v + w × arm)."""
        w, v = (self.vector(self.add(axis, k)) for k in (0, 3))
        pairs = zip(self.vector(origin), self.vector(point), strict=True)
        arm = [self.op("fsub", a, b) for a, b in pairs]
        return [*w, *self.turned_by(v, w, arm)]

    def vector(self, place: str) -> list[str]:
        return [self.load(self.add(place, k)) for k in range(3)]

    def there(self, slot: str) -> str:
        """Is this input given?"""
        return self.let(f"icmp sge i64 {slot}, 0")


class WrenchCode(ClosingCode):
    """With vectors of three and six numbers."""

    def six(self, place: str) -> list[str]:
        return [self.load(self.add(place, k)) for k in range(6)]

    def put_all(self, place: str, values: list[str]) -> None:
        for k, value in enumerate(values):
            self.put(self.add(place, k), value)

    def shifted(self, wrench: list[str], here: list[str], there: list[str]) -> list[str]:
        """(n; f) at another point:  n + (here - there) × f."""
        n, f = wrench[:3], wrench[3:]
        arm = [self.op("fsub", a, b) for a, b in zip(here, there, strict=True)]
        return [*self.turned_by(n, arm, f), *f]

    def turned(self, rows: list[str], vector: list[str]) -> list[str]:
        """By a matrix of nine numbers."""
        found = []
        for k in range(3):
            total = self.op("fmul", rows[3 * k], vector[0])
            for n in (1, 2):
                total = self.more(total, rows[3 * k + n], vector[n])
            found.append(total)
        return found

    def weighed(self, wrench: list[str], arm: str) -> list[str]:
        """Moments over the size of the machine."""
        return [*(self.op("fmul", x, arm) for x in wrench[:3]), *wrench[3:]]

    def product(self, a: list[str], b: list[str]) -> str:
        total = self.op("fmul", a[0], b[0])
        for x, y in zip(a[1:], b[1:], strict=True):
            total = self.more(total, x, y)
        return total

    def column(self, table: str, row: str, width: int) -> list[str]:
        start = self.mul(row, width)
        return [self.read(table, self.add(start, k)) for k in range(width)]

    def origin(self, motion: str) -> list[str]:
        return self.vector(self.add(motion, ORIGIN))

    def squared(self, register: str, values: list[str]) -> None:
        for x in values:
            self.keep(register, self.more(self.kept(register), x, x))
