"""What the native null space (null_space_loop.py) works on, and the words of its text."""

from __future__ import annotations

from armillary.codegen.abi import Context, Struct, integer, pointer
from armillary.codegen.code import Code
from armillary.runtime.in_turn import behind_context


class NullSpace(Struct):
    """What stands behind the fields of the context.  n degrees of freedom, m rows."""

    NV = integer()
    ROWS = integer()
    RANKS = pointer()  # context of the decomposition of the rows
    GRADES = pointer()  # the same of the free motions, by which their own coordinates are chosen
    M = pointer()
    FORCE = pointer()
    J = pointer()
    TARGET = pointer()
    A = pointer()  # (n) results
    MULTIPLIERS = pointer()  # (m)
    LEFT = pointer()  # (m) target - J a
    TURNED = pointer()  # (r, m) R2^T, and behind its diagonal zeros
    REFLECTIONS = pointer()  # (r, m)
    SCALES = pointer()  # (r)
    ROW = pointer()  # (m) work space
    DOF = pointer()  # (n)
    FREE = pointer()  # (n)
    BASIS = pointer()  # N^T (f, n)
    PUSHED = pointer()  # N^T M (f, n)
    INNER = pointer()  # N^T M N (f, f), scaled to ones on its diagonal
    SIZES = pointer()  # (f) roots of that diagonal
    KEPT = pointer()  # (f)
    OWN = pointer()  # (f, f) what moves in own coordinates
    ORDER = pointer()  # (f) integers
    PARTICULAR = pointer()  # (m, n) results
    RESPONSE = pointer()  # (n, n)
    UNIT = pointer()  # (n)
    LOST = pointer()  # (1) an integer: motions without inertia
    # of a state whose equations another kernel gives
    STATE_CODE = integer()
    STATE_CONTEXT = pointer()
    CORRECTS = integer()  # 1: a change of v is asked for, and no forces act
    OPEN_WEIGHTS = pointer()  # (m) what a row may be open by where closed positions are asked for
    TOLERANCES = pointer()  # (2) rank tolerance of closed positions; of the opening


class Work:
    """Words of the text: sizes, results of the decomposition of the rows, and vectors."""

    def __init__(self, c: Code):
        self.c = c
        self.n, self.m = self("NV"), self("ROWS")
        ranks = self("RANKS")
        inputs = (c.field(Context.INPUT_ROWS.at(k), ranks) for k in (1, 2))
        outputs = (c.field(Context.OUTPUT_ROWS.at(k), ranks) for k in range(4))
        self.weights, self.columns = inputs
        self._numbers, self.Q, self.R, self._order = outputs
        self._dot = c.number()

    def __call__(self, name: str) -> str:
        return self.c.field(behind_context(NullSpace.FIELDS[name]))

    @property
    def rank(self) -> str:
        return self.integer(self._numbers, 0)

    @property
    def free(self) -> str:
        return self.c.sub(self.n, self.rank)

    def place(self, i: str) -> str:
        """The row that stands at place i of the decomposition."""
        return self.integer(self._order, i)

    def integer(self, numbers: str, k: str | int) -> str:
        return self.c.let(f"fptosi double {self.c.read(numbers, k, 'double')} to i64")

    def row_at(self, array: str, i: str, length: str, first: str | int = 0) -> str:
        return self.c.pointer(array, self.c.add(self.c.mul(i, length), first), "double")

    def row(self, name: str, i: str, length: str, first: str | int = 0) -> str:
        return self.row_at(self(name), i, length, first)

    def dot(self, x: str, y: str, n: str) -> str:
        self.c.do(f"call void @dot(ptr {self._dot}, ptr {x}, ptr {y}, i64 {n})")
        return self.c.read_number(self._dot)

    def take_off(self, y: str, x: str, factor: str, n: str) -> None:
        self.c.do(f"call void @take_off(ptr {y}, ptr {x}, double {factor}, i64 {n})")

    def reflect(self, x: str, k: str) -> None:
        """x (m) by reflection k of the second decomposition."""
        self.c.do(f"call void @reflected_row(ptr %ctx, ptr {x}, i64 {k})")

    def clear(self, x: str, count: str) -> None:
        with self.c.loop(count) as k:
            self.c.write(x, k, "0.0", "double")

    def copy(self, x: str, source: str, count: str) -> None:
        with self.c.loop(count) as k:
            self.c.write(x, k, self.c.read(source, k, "double"), "double")

    def root(self, x: str) -> str:
        return self.c.let(f"call double @llvm.sqrt.f64(double {x})")

    def size(self, x: str) -> str:
        return self.c.let(f"call double @llvm.fabs.f64(double {x})")

    def raise_to(self, number: str, value: str) -> None:
        """number is at least the value."""
        old = self.c.read_number(number)
        more = self.c.let(f"fcmp ogt double {value}, {old}")
        self.c.write_number(number, self.c.let(f"select i1 {more}, double {value}, double {old}"))

    def not_finite(self, x: str) -> str:
        return self.c.let(f"fcmp uno double {self.c.float('fsub', x, x)}, 0.0")
