"""A native loop over time: explicit Runge-Kutta steps around compiled kernels.

One call runs many steps of B states at once.  Kernels for the accelerations, the rates of the
coordinates, the controller and the corrections of constraints are called through their addresses;
everything between them is plain sums over arrays.  A step whose result is not finite is not taken:
the loop stops there and tells.
"""

from __future__ import annotations

from functools import cache

from armillary.compiler.code import Code
from armillary.compiler.context import Context
from armillary.compiler.jit import Library, native_call, with_declarations
from armillary.compiler.target import lanes


class Steps:
    """Fields of the context of one call, 8 bytes each."""

    (STEPS, DONE, EVERY, RECORDED, ROWS, NQ, NV, NZ, STAGES, SEMI_IMPLICIT,
     STEP_SIZE, A, B,
     Q, V, Z, STAGE_Q, STAGE_V, STAGE_Z, RATES_Q, RATES_V, RATES_Z, NEW_Q, NEW_V, NEW_Z, CHANGE,
     DYNAMICS, DYNAMICS_CONTEXT, RATE, RATE_CONTEXT, INTEGRATE, INTEGRATE_CONTEXT,
     CONTROL, CONTROL_CONTEXT, POSITION, POSITION_CONTEXT, VELOCITY, VELOCITY_CONTEXT,
     TAU, TAU_STAGE, TAU_STEP, REFERENCE, REFERENCE_STAGE, REFERENCE_STEP,
     OUT_Q, OUT_V, OUT_Z, OUT_A, OUT_TAU, TAU_BUFFER,
     SIZE) = range(51)  # fmt: skip


@cache
def library() -> Library:
    width = lanes(False, "double")
    text = "\n\n".join([_combine(), _finite(), _copy(), _steps()])
    return Library(with_declarations(text, width), ["steps"], optimize=2)


@cache
def run_steps() -> object:
    return native_call(library().addresses["steps"])


def _combine() -> str:
    """out = start + scale * Σ_j weights[j] * rates[j], arrays of n numbers."""
    arguments = ("ptr noalias %out", "ptr %start", "ptr %rates", "ptr %weights", "i64 %count",
                 "i64 %n", "double %scale")  # fmt: skip
    c = Code("combine", arguments)
    with c.loop("%n") as k:
        c.write("%out", k, c.read("%start", k, "double"), "double")
    with c.loop("%count") as j:
        weight = c.let(f"fmul double {c.read('%weights', j, 'double')}, %scale")
        with c.when(c.let(f"fcmp une double {weight}, 0.0")):
            rates = c.pointer("%rates", c.mul(j, "%n"), "double")
            with c.loop("%n") as k:
                product = c.let(f"fmul double {weight}, {c.read(rates, k, 'double')}")
                old = c.read("%out", k, "double")
                c.write("%out", k, c.let(f"fadd double {old}, {product}"), "double")
    return c.text()


def _copy() -> str:
    c = Code("copy", ("ptr noalias %out", "ptr %source", "i64 %n"))
    with c.loop("%n") as k:
        c.write("%out", k, c.read("%source", k, "double"), "double")
    return c.text()


def _finite() -> str:
    """sum[0] += Σ 0 * x: stays zero if all are finite."""
    c = Code("finite", ("ptr noalias %sum", "ptr %x", "i64 %n"))
    with c.loop("%n") as k:
        zero = c.let(f"fmul double {c.read('%x', k, 'double')}, 0.0")
        old = c.read("%sum", 0, "double")
        c.write("%sum", 0, c.let(f"fadd double {old}, {zero}"), "double")
    return c.text()


class _Writer:
    """The fields as LLVM values, and the calls of a step."""

    def __init__(self) -> None:
        self.c = c = Code("steps")
        pointers = {"A", "B", "Q", "V", "Z", "STAGE_Q", "STAGE_V", "STAGE_Z", "RATES_Q", "RATES_V",
                    "RATES_Z", "NEW_Q", "NEW_V", "NEW_Z", "CHANGE", "TAU", "REFERENCE", "OUT_Q",
                    "OUT_V", "OUT_Z", "OUT_A", "OUT_TAU", "TAU_BUFFER"}  # fmt: skip
        self.f = {
            name: c.field(slot, "ptr" if name in pointers or name.endswith("_CONTEXT") else "i64")
            for name, slot in vars(Steps).items()
            if name.isupper() and name not in ("SIZE", "STEP_SIZE")
        }
        self.h = c.field(Steps.STEP_SIZE, "double")
        self.q, self.v, self.z = (c.mul(self.f["ROWS"], self.f[n]) for n in ("NQ", "NV", "NZ"))
        self.one = c.let("alloca double")
        c.do(f"store double 1.0, ptr {self.one}")
        self.sum = c.let("alloca double")

    def given(self, name: str) -> str:
        return self.c.let(f"icmp ne i64 {self.f[name]}, 0")

    def given_pointer(self, name: str) -> str:
        return self.c.let(f"icmp ne ptr {self.f[name]}, null")

    def kernel(self, name: str, output: str, number: int = 0) -> None:
        """Call a kernel that writes one of its results to `output`."""
        c, context = self.c, self.f[f"{name}_CONTEXT"]
        c.write(context, Context.OUTPUT_ROWS + number, output, "ptr")
        address = c.let(f"inttoptr i64 {self.f[name]} to ptr")
        c.do(f"call void {address}(ptr {context})")

    def combine(
        self, out: str, start: str, rates: str, weights: str, count: str, n: str, scale: str
    ) -> None:
        self.c.do(f"call void @combine(ptr {out}, ptr {start}, ptr {rates}, ptr {weights}, "
                  f"i64 {count}, i64 {n}, double {scale})")  # fmt: skip

    def copy(self, out: str, source: str, n: str) -> None:
        self.c.do(f"call void @copy(ptr {out}, ptr {source}, i64 {n})")

    def move(self, out: str, start: str, step: str, scale: str) -> None:
        """out = start moved by scale * step on the manifold; `CHANGE` is scratch."""
        c, f = self.c, self.f
        with c.when(self.given("INTEGRATE")):
            self.copy(f["STAGE_Q"], start, self.q)
            c.do(f"call void @copy(ptr {f['CHANGE']}, ptr {step}, i64 {self.v})")
            with c.loop(self.v) as k:
                x = c.let(f"fmul double {c.read(f['CHANGE'], k, 'double')}, {scale}")
                c.write(f["CHANGE"], k, x, "double")
            self.kernel("INTEGRATE", out)
        with c.when(c.let(f"icmp eq i64 {f['INTEGRATE']}, 0")):
            self.combine(out, start, step, self.one, "1", self.q, scale)


def _steps() -> str:
    w = _Writer()
    c, f = w.c, w.f
    with c.forever() as loop:
        done = c.field(Steps.DONE)
        c.break_if(loop, c.let(f"icmp sge i64 {done}, {f['STEPS']}"))
        _stages(w, done)
        _advance(w)
        _correct(w)
        c.do(f"store double 0.0, ptr {w.sum}")
        for name, n in (("NEW_Q", w.q), ("NEW_V", w.v), ("NEW_Z", w.z)):
            c.do(f"call void @finite(ptr {w.sum}, ptr {f[name]}, i64 {n})")
        c.break_if(loop, c.let(f"fcmp une double {c.read(w.sum, 0, 'double')}, 0.0"))
        for old, new, n in (("Q", "NEW_Q", w.q), ("V", "NEW_V", w.v), ("Z", "NEW_Z", w.z)):
            w.copy(f[old], f[new], n)
        _record(w, done)
        c.set_field(Steps.DONE, c.add(done, 1))
    return c.text()


def _stages(w: _Writer, done: str) -> None:
    """Accelerations and rates of every stage."""
    c, f = w.c, w.f
    with c.loop(f["STAGES"]) as i:
        weights = c.pointer(f["A"], c.mul(i, f["STAGES"]), "double")
        for stage, start, rates, n in (("STAGE_Q", "Q", "RATES_Q", w.q),
                                       ("STAGE_V", "V", "RATES_V", w.v),
                                       ("STAGE_Z", "Z", "RATES_Z", w.z)):  # fmt: skip
            w.combine(f[stage], f[start], f[rates], weights, i, n, w.h)
        tau, reference = (
            c.pointer(f[name], c.add(c.mul(done, f[f"{name}_STEP"]), c.mul(i, f[f"{name}_STAGE"])),
                      "double")
            for name in ("TAU", "REFERENCE")
        )  # fmt: skip
        force = f["TAU_BUFFER"]
        with c.when(w.given("CONTROL")):
            context = f["CONTROL_CONTEXT"]
            c.write(context, Context.INPUT_ROWS + 3, reference, "ptr")
            c.write(context, Context.INPUT_ROWS + 4, tau, "ptr")
            c.write(context, Context.OUTPUT_ROWS, force, "ptr")
            w.kernel("CONTROL", c.pointer(f["RATES_Z"], c.mul(i, w.z), "double"), 1)
        with c.when(c.let(f"icmp eq i64 {f['CONTROL']}, 0")):
            w.copy(force, tau, w.v)
        w.kernel("DYNAMICS", c.pointer(f["RATES_V"], c.mul(i, w.v), "double"))
        rates_q = c.pointer(f["RATES_Q"], c.mul(i, w.q), "double")
        with c.when(w.given("RATE")):
            w.kernel("RATE", rates_q)
        with c.when(c.let(f"icmp eq i64 {f['RATE']}, 0")):
            w.copy(rates_q, f["STAGE_V"], w.v)
        first = c.equal(i, 0)
        for out, source in (("OUT_A", f["RATES_V"]), ("OUT_TAU", force)):
            with c.when(c.let(f"and i1 {first}, {w.given_pointer(out)}")):
                _put(w, out, source, w.v, done)


def _advance(w: _Writer) -> None:
    """The new state from the rates of the stages."""
    c, f = w.c, w.f
    w.combine(f["NEW_V"], f["V"], f["RATES_V"], f["B"], f["STAGES"], w.v, w.h)
    w.combine(f["NEW_Z"], f["Z"], f["RATES_Z"], f["B"], f["STAGES"], w.z, w.h)
    with c.when(w.given("SEMI_IMPLICIT")):
        w.move(f["NEW_Q"], f["Q"], f["NEW_V"], w.h)
    with c.when(c.let(f"icmp eq i64 {f['SEMI_IMPLICIT']}, 0")):
        w.combine(f["NEW_Q"], f["Q"], f["RATES_Q"], f["B"], f["STAGES"], w.q, w.h)
        with c.when(w.given("INTEGRATE")):  # a step of nothing scales quaternions to length one
            zero = c.let("fmul double 0.0, 1.0")
            w.move(f["NEW_Q"], f["NEW_Q"], f["NEW_V"], zero)


def _correct(w: _Writer) -> None:
    """Position, then velocity, back onto the constraints."""
    c, f = w.c, w.f
    with c.when(w.given("POSITION")):
        w.kernel("POSITION", f["RATES_V"])
        one = c.let("fadd double 0.0, 1.0")
        w.move(f["NEW_Q"], f["NEW_Q"], f["RATES_V"], one)
    with c.when(w.given("VELOCITY")):
        w.kernel("VELOCITY", f["RATES_V"])
        one = c.let("fadd double 0.0, 1.0")
        w.combine(f["NEW_V"], f["NEW_V"], f["RATES_V"], w.one, "1", w.v, one)


def _record(w: _Writer, done: str) -> None:
    """Every so often the state goes to the record; entry 0 is the start."""
    for out, source, n in (("OUT_Q", "NEW_Q", w.q), ("OUT_V", "NEW_V", w.v),
                           ("OUT_Z", "NEW_Z", w.z)):  # fmt: skip
        with w.c.when(w.given_pointer(out)):
            _put(w, out, w.f[source], n, w.c.add(done, 1))


def _put(w: _Writer, out: str, source: str, n: str, step: str) -> None:
    """To the entry of this step, where one is due; `RECORDED` steps were taken before."""
    c, f = w.c, w.f
    left = c.let(f"urem i64 {c.add(step, f['RECORDED'])}, {f['EVERY']}")
    with c.when(c.equal(left, 0)):
        entry = c.let(f"udiv i64 {c.add(step, f['RECORDED'])}, {f['EVERY']}")
        w.copy(c.pointer(f[out], c.mul(entry, n), "double"), source, n)
