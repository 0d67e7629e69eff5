"""The fields of the native loop over time as LLVM values, and the calls that a step is made of."""

from __future__ import annotations

from armillary.codegen.abi import Context
from armillary.codegen.code import Code
from armillary.runtime.time_context import ROLES, KernelCall, Steps, Table

_KERNEL, _TABLE = KernelCall.FIELDS, Table.FIELDS


class StepCode:
    """The fields as LLVM values, and the calls of a step."""

    def __init__(self) -> None:
        self.c = c = Code("steps")
        self.kernels = {
            role: {name: c.field(Steps.kernel(role).of(slot)) for name, slot in _KERNEL.items()}
            for role in ROLES
        }
        self.tables = {
            table: {name: c.field(Steps.FIELDS[table].of(slot)) for name, slot in _TABLE.items()}
            for table in ("TAU", "WRENCH", "DRIVE")
        }
        self.f = {
            name: c.field(slot) for name, slot in Steps.FIELDS.items() if slot.kind != "struct"
        }
        self.h, self.start = self.f["STEP_SIZE"], self.f["START"]
        self.q, self.v, self.z = (c.mul(self.f["ROWS"], self.f[n]) for n in ("NQ", "NV", "NZ"))
        self.all = c.add(c.add(self.q, self.v), self.z)
        # steps until the next entry of the record
        over = c.let(f"urem i64 {self.f['RECORDED']}, {self.f['EVERY']}")
        self.left = c.variable(over)
        with c.when(c.let(f"icmp ne i64 {over}, 0")):
            c.set(self.left, c.sub(self.f["EVERY"], over))
        self.one, self.size, self.lost, self.speed, self.share = (
            c.let("alloca double") for _ in range(5)
        )
        self.flag = c.let("alloca i64")
        c.do(f"store double 1.0, ptr {self.one}")

    def has(self, role: str) -> str:
        return self.c.let(f"icmp ne i64 {self.kernels[role]['CODE']}, 0")

    def lacks(self, role: str) -> str:
        return self.c.equal(self.kernels[role]["CODE"], 0)

    def given(self, pointer: str) -> str:
        return self.c.let(f"icmp ne ptr {pointer}, null")

    def kernel(self, role: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> None:
        """Call a kernel on these arrays."""
        c, context = self.c, self.kernels[role]["CONTEXT"]
        for k, array in enumerate(inputs):
            c.set_field(Context.INPUT_ROWS.at(k), array, context)
        for k, array in enumerate(outputs):
            c.set_field(Context.OUTPUT_ROWS.at(k), array, context)
        address = c.let(f"inttoptr i64 {self.kernels[role]['CODE']} to ptr")
        c.do(f"call void {address}(ptr {context})")

    def of_stage(self, name: str, done: str, stage: str) -> str:
        """What is given for a stage of the step after `done` ones."""
        c, table = self.c, self.tables[name]
        place = c.add(c.mul(done, table["STEP"]), c.mul(stage, table["STAGE"]))
        return c.pointer(table["NUMBERS"], place, "double")

    def set_input(self, role: str, name: str, done: str, stage: str) -> None:
        """One more input of the dynamics or of `momenta`, where it is there."""
        c, table = self.c, self.tables[name]
        with c.when(self.given(table["NUMBERS"])):
            slot = c.entry(Context.INPUT_ROWS, table["INPUT"])
            given = self.of_stage(name, done, stage)
            c.set_field(slot, given, self.kernels[role]["CONTEXT"])

    def set_row_motion(self, role: str, given: str, number: int, done: str) -> None:
        """Where rows of the constraints are to be after the next step, to a correction."""
        c, f = self.c, self.f
        with c.when(self.given(f[given])):
            place = c.pointer(f[given], c.mul(done, f["MOTION_STEP"]), "double")
            c.set_field(Context.INPUT_ROWS.at(number), place, self.kernels[role]["CONTEXT"])

    def count_down(self) -> None:
        """A step was taken."""
        c = self.c
        left = c.get(self.left)
        again = c.let(f"select i1 {c.equal(left, 0)}, i64 {self.f['EVERY']}, i64 {left}")
        c.set(self.left, c.sub(again, 1))

    def combine(
        self, out: str, start: str, rates: str, weights: str, count: str, n: str, scale: str
    ) -> None:
        arrays = f"ptr {out}, ptr {start}, ptr {rates}, ptr {weights}"
        self.c.do(f"call void @combine({arrays}, i64 {count}, i64 {n}, double {scale})")

    def copy(self, out: str, source: str, n: str) -> None:
        self.c.do(f"call void @copy(ptr {out}, ptr {source}, i64 {n})")

    def move(self, out: str, rates: str, weights: str, count: str, scale: str) -> None:
        """out = MOVING_Y moved by θ = scale * Σ weights[j] rates[j]."""
        c, f = self.c, self.f
        with c.when(self.has("advance")):
            self.combine(f["THETA"], f["ZERO"], rates, weights, count, self.v, scale)
            self.kernel("advance", (f["MOVING_Y"], f["THETA"]), (out,))
        with c.when(self.lacks("advance")):
            self.combine(out, f["MOVING_Y"], rates, weights, count, self.q, scale)

    def center(self, way: str, before: tuple[str, str], after: tuple[str, str]) -> None:
        """Places and velocities from one form to the other, where they are not the same."""
        c, seen = self.c, (self.f["OFFSET"], self.f["SLIP"])
        with c.when(self.has("carried")):
            self.kernel("carried", before, seen)
            self.kernel(way, (*before, *seen), after)

    def rate_row(self, name: str, stage: str, n: str) -> str:
        return self.c.pointer(self.f[name], self.c.mul(stage, n), "double")

    def set_time(self, done: str, stage: str | None = None) -> None:
        """TIME = start + (done + c) h, c of the stage."""
        c = self.c
        part = c.let(f"sitofp i64 {done} to double")
        if stage is not None:
            part = c.let(f"fadd double {part}, {c.read(self.f['C'], stage, 'double')}")
        passed = c.let(f"fmul double {part}, {self.h}")
        c.write(self.f["TIME"], 0, c.let(f"fadd double {self.start}, {passed}"), "double")

    def put(self, out: str, source: str, n: str, step: str) -> None:
        """To the entry of this step, where one is due; `RECORDED` steps were taken before."""
        c, f = self.c, self.f
        with c.when(self.given(f[out])), c.when(c.equal(c.get(self.left), 0)):
            total = c.add(step, f["RECORDED"])
            before = c.let(f"udiv i64 {f['RECORDED']}, {f['EVERY']}")
            entry = c.sub(c.let(f"udiv i64 {total}, {f['EVERY']}"), before)
            # the record may hold more rows than these: a loop may run a part of a batch
            width = c.let(f"udiv i64 {n}, {f['ROWS']}")
            place = c.mul(entry, c.mul(width, f["OUT_ROWS"]))
            self.copy(c.pointer(f[out], place, "double"), source, n)
