"""A native loop over time: explicit, implicit and variational steps around kernels.

One call runs many steps of B states at once.  Kernels (their roles: time_context.py) are called
through their addresses; everything between them is plain sums over arrays.  A step whose result is
not finite, or not close enough to the constraints, is not taken: the loop stops there and tells.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Literal

from armillary.codegen.abi import Context
from armillary.codegen.code import Code, all_finite, no_flags, scan
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import lanes
from armillary.runtime.dense_code import general_text, phi_text, symmetric_text
from armillary.runtime.exponential_loop import freeze, spread
from armillary.runtime.implicit_loop import bend, linearize
from armillary.runtime.time_code import StepCode
from armillary.runtime.time_context import Steps
from armillary.runtime.variational_loop import variational

# what a stage looks at: in the first one what the step begins with
_AT_A_STAGE = {
    "STAGE_Q": "Q",
    "STAGE_V": "V",
    "STAGE_Z": "Z",
    "STAGE_S": "MOVING_S",
    "THETA": "ZERO",
}


Kind = Literal["explicit", "variational", "implicit", "exponential"]  # each is code of its own


_DENSE = {"variational": symmetric_text, "implicit": general_text, "exponential": phi_text}


@cache
def library(kind: Kind) -> Library:
    width, dense = lanes(False, "double"), _DENSE.get(kind)
    own = [] if dense is None else [dense()]
    text = "\n\n".join([_combine(), _finite(), _copy(), _largest(), *own, _steps(kind)])
    return Library(with_declarations(text, width), ["steps"])


@cache
def run_steps(kind: Kind) -> Callable[[int], None]:
    return library(kind).call("steps")


def called_back(function: Callable[[], None]) -> tuple[object, int]:
    """A Python function in the place of a kernel, which must not raise; the object keeps it alive,
    the number is its address."""
    held = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda context: function())
    return held, int(ctypes.cast(held, ctypes.c_void_p).value or 0)


def _combine() -> str:
    """out = start + scale * Σ_j weights[j] * rates[j], arrays of n numbers."""
    arrays = ("ptr noalias %out", "ptr %start", "ptr %rates", "ptr %weights")
    c = Code("combine", (*arrays, "i64 %count", "i64 %n", "double %scale"))
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
    """flag[0] = 1 where all numbers are finite, else 0."""
    c = Code("finite", ("ptr noalias %flag", "ptr %x", "i64 %n"))
    flags = no_flags(c)
    scan(c, "%x", "%n", flags)
    c.write("%flag", 0, c.let(f"zext i1 {all_finite(c, flags)} to i64"))
    return c.text()


def _largest() -> str:
    """largest[0] = max |x|."""
    c = Code("largest", ("ptr noalias %largest", "ptr %x", "i64 %n"))
    c.write("%largest", 0, "0.0", "double")
    with c.loop("%n") as k:
        size = c.let(f"call double @llvm.fabs.f64(double {c.read('%x', k, 'double')})")
        old = c.read("%largest", 0, "double")
        larger = c.let(f"fcmp ugt double {size}, {old}")  # not a number counts as large
        with c.when(larger):
            c.write("%largest", 0, size, "double")
    return c.text()


def _steps(kind: Kind) -> str:
    w = StepCode()
    c, f = w.c, w.f
    with c.forever() as loop:
        done = c.field(Steps.DONE)
        c.break_if(loop, c.let(f"icmp sge i64 {done}, {f['STEPS']}"))
        if kind == "variational":
            _stages(w, done, kind)
            c.break_if(loop, variational(w, done))
        else:
            _stages(w, done, kind)
            _advance(w)
        c.do(f"store double 0.0, ptr {w.size}")
        _correct(w, done)
        next_ = c.add(done, 1)
        _sample(w, next_)
        c.do(f"call void @finite(ptr {w.flag}, ptr {f['NEW_Q']}, i64 {w.all})")
        c.break_if(loop, c.equal(c.read(w.flag, 0), 0))
        open_ = c.let(f"fcmp uge double {c.read(w.size, 0, 'double')}, {f['SMALL']}")
        c.break_if(loop, open_)
        w.copy(f["Q"], f["NEW_Q"], w.all)
        w.count_down()
        for out, source, n in (("OUT_Q", "Q", w.q), ("OUT_V", "V", w.v), ("OUT_Z", "Z", w.z)):
            w.put(out, f[source], n, next_)
        c.set_field(Steps.DONE, next_)
    return c.text()


def _stages(w: StepCode, done: str, kind: Kind) -> None:
    """Accelerations and rates of every stage."""
    c, f = w.c, w.f
    w.center("to_center", (f["Q"], f["V"]), (f["MOVING_Y"], f["MOVING_S"]))
    with c.loop(_recorded(w) if kind == "variational" else f["STAGES"]) as i:
        later = c.let(f"icmp ne i64 {i}, 0")
        with c.when(later):
            weights = c.pointer(f["A"], c.mul(i, f["STAGES"]), "double")
            w.combine(f["STAGE_S"], f["MOVING_S"], f["RATES_V"], weights, i, w.v, w.h)
            w.combine(f["STAGE_Z"], f["Z"], f["RATES_Z"], weights, i, w.z, w.h)
            w.move(f["STAGE_Y"], f["RATES_Q"], weights, i, w.h)
            w.center("from_center", (f["STAGE_Y"], f["STAGE_S"]), (f["STAGE_Q"], f["STAGE_V"]))
        q, v, z, s, theta = (
            c.let(f"select i1 {later}, ptr {f[stage]}, ptr {f[start]}")
            for stage, start in _AT_A_STAGE.items()
        )
        given = w.of_stage("TAU", done, i)
        force = c.let(f"select i1 {w.has('control')}, ptr {f['FORCE']}, ptr {given}")
        with c.when(w.has("control")):
            w.set_time(done, i)
            rates = w.rate_row("RATES_Z", i, w.z)
            w.kernel("control", (q, v, z, f["TIME"], given), (force, rates))
        with c.when(w.has("wrenches")):
            w.set_time(done, i)
            w.kernel("wrenches", (q, v, z, f["TIME"]), ())
        w.set_input("dynamics", "WRENCH", done, i)
        w.set_input("dynamics", "DRIVE", done, i)
        with c.when(w.has("pull")):
            w.kernel("pull", (q, v), (f["PULL"],))
            slot = c.entry(Context.INPUT_ROWS, f["PULL_INPUT"])
            c.set_field(slot, f["PULL"], w.kernels["dynamics"]["CONTEXT"])
        change = w.rate_row("RATES_V", i, w.v)
        a = c.let(f"select i1 {w.has('carried')}, ptr {f['ACCELERATION']}, ptr {change}")
        w.kernel("dynamics", (q, v, force), (a,))
        with c.when(w.has("carried")):
            w.kernel("center_rate", (q, v, a), (change,))
        rates = w.rate_row("RATES_Q", i, w.v)
        with c.when(c.equal(f["SEMI_IMPLICIT"], 0)):
            with c.when(w.has("rate")):
                w.kernel("rate", (s, theta), (rates,))
            with c.when(w.lacks("rate")):
                w.copy(rates, s, w.v)
        with c.when(c.equal(i, 0)):
            w.put("OUT_A", a, w.v, done)
            w.put("OUT_TAU", force, w.v, done)
        if kind == "implicit":
            with c.when(c.equal(i, 0)):
                linearize(w, done, force)
            bend(w, i)
        if kind == "exponential":
            with c.when(c.equal(i, 0)):
                freeze(w)
            spread(w, i)


def _recorded(w: StepCode) -> str:
    """1 where the acceleration at the start of the step is recorded, else 0."""
    c = w.c
    recorded = c.let(f"and i1 {w.given(w.f['OUT_A'])}, {c.equal(c.get(w.left), 0)}")
    return c.let(f"zext i1 {recorded} to i64")


def _sample(w: StepCode, steps: str) -> None:
    """Parts whose period is over after so many steps look at the new state: its z changes."""
    c, f = w.c, w.f
    with c.when(w.has("sample")):
        row = c.pointer(f["DUE"], c.mul(steps, f["DUE_WIDTH"]), "double")
        with c.when(c.let(f"fcmp une double {c.read(row, 0, 'double')}, 0.0")):
            w.set_time(steps)
            new = (f["NEW_Q"], f["NEW_V"], f["NEW_Z"])
            due, given = c.pointer(row, 1, "double"), w.of_stage("TAU", steps, "0")
            w.kernel("sample", (*new, f["TIME"], due, given), (f["STAGE_Z"],))
            w.copy(f["NEW_Z"], f["STAGE_Z"], w.z)


def _advance(w: StepCode) -> None:
    """The new state from the rates of the stages."""
    c, f = w.c, w.f
    y, s = (
        c.let(f"select i1 {w.has('carried')}, ptr {f[own]}, ptr {f[plain]}")
        for own, plain in (("STAGE_Y", "NEW_Q"), ("STAGE_S", "NEW_V"))
    )
    w.combine(s, f["MOVING_S"], f["RATES_V"], f["B"], f["STAGES"], w.v, w.h)
    w.combine(f["NEW_Z"], f["Z"], f["RATES_Z"], f["B"], f["STAGES"], w.z, w.h)
    with c.when(c.let(f"icmp ne i64 {f['SEMI_IMPLICIT']}, 0")):
        w.move(y, s, w.one, "1", w.h)
    with c.when(c.equal(f["SEMI_IMPLICIT"], 0)):
        w.move(y, f["RATES_Q"], f["B"], f["STAGES"], w.h)
    w.center("from_center", (y, s), (f["NEW_Q"], f["NEW_V"]))


def _correct(w: StepCode, done: str) -> None:
    """Position, then velocity, back onto the constraints.  `size` tells the last correction."""
    c, f = w.c, w.f
    step = f["RATES_V"]  # no longer needed
    with c.when(w.has("position")):
        w.set_row_motion("position", "PLACE", 1, done)
        turn = c.variable(0)
        with c.forever() as loop:
            w.kernel("position", (f["NEW_Q"],), (step,))
            with c.when(w.has("integrate")):
                w.kernel("integrate", (f["NEW_Q"], step), (f["STAGE_Q"],))
                w.copy(f["NEW_Q"], f["STAGE_Q"], w.q)
            with c.when(w.lacks("integrate")):
                one = c.read(w.one, 0, "double")
                w.combine(f["STAGE_Q"], f["NEW_Q"], step, w.one, "1", w.q, one)
                w.copy(f["NEW_Q"], f["STAGE_Q"], w.q)
            c.do(f"call void @largest(ptr {w.size}, ptr {step}, i64 {w.v})")
            c.set(turn, c.add(c.get(turn), 1))
            small = c.let(f"fcmp olt double {c.read(w.size, 0, 'double')}, {f['SMALL']}")
            last = c.let(f"icmp sge i64 {c.get(turn)}, {f['CORRECTIONS']}")
            c.break_if(loop, c.let(f"or i1 {small}, {last}"))
        # a centre keeps its velocity where a correction turns what it belongs to
        w.center("from_center", (f["NEW_Q"], f["STAGE_S"]), (f["STAGE_Q"], f["NEW_V"]))
    with c.when(w.has("velocity")):
        w.set_row_motion("velocity", "SPEED", 2, done)
        w.kernel("velocity", (f["NEW_Q"], f["NEW_V"]), (step,))
        _check_lost_velocity(w, step)
        one = c.read(w.one, 0, "double")
        w.combine(f["STAGE_V"], f["NEW_V"], step, w.one, "1", w.v, one)
        w.copy(f["NEW_V"], f["STAGE_V"], w.v)


def _check_lost_velocity(w: StepCode, step: str) -> None:
    """Where the correction of the velocity is no longer small the step is not taken: `size` is
    large then.  Row by row: max |step| > share max |v| + slow."""
    c, f = w.c, w.f
    with c.loop(f["ROWS"]) as row:
        place = c.mul(row, f["NV"])
        for out, array in ((w.lost, step), (w.speed, f["NEW_V"])):
            own = c.pointer(array, place, "double")
            c.do(f"call void @largest(ptr {out}, ptr {own}, i64 {f['NV']})")
        share = c.let(f"fmul double {c.read(w.speed, 0, 'double')}, {f['LOST']}")
        most = c.let(f"fadd double {share}, {f['SLOW']}")
        with c.when(c.let(f"fcmp ugt double {c.read(w.lost, 0, 'double')}, {most}")):
            c.write(w.size, 0, "1.0", "double")
