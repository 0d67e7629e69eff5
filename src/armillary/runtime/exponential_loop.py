"""Exponential steps in the native loop over time (sim/methods/integrators.py).

    x₁ = x + h φ₁(h A) f,    x' = x₁ + h φ₂(h A) (f₁ - f - A (x₁ - x)),    A = [0 1; -Y L_s, -Y L_d]

f and f₁ are the slopes at x and x₁.  With φ₁ f and φ₂ (...) in the place of the slopes, the sums
over stages are those of explicit methods.  Own states z of controllers are beside A: φ₁ = 1 and
φ₂ = 1/2 there.
"""

from __future__ import annotations

from armillary.runtime.implicit_loop import mobility
from armillary.runtime.time_code import StepCode

_PARTS = ("Q", "V")


def freeze(w: StepCode) -> None:
    """h A, φ₁ and φ₂ of every state, with the inertias at the start of the step."""
    c, f = w.c, w.f
    mobility(w)
    with c.loop(f["ROWS"]) as row:
        A, own = _of_row(w, "FROZEN", row), c.mul(row, c.mul(f["NV"], f["NV"]))
        Y, n, size = c.pointer(f["BY_TAU"], own, "double"), f["NV"], f["UNKNOWNS"]
        with c.loop(c.mul(size, size)) as k:
            c.write(A, k, "0.0", "double")
        with c.loop(n) as i:
            c.write(A, c.add(c.mul(i, size), c.add(n, i)), w.h, "double")
            line = c.mul(c.add(n, i), size)
            with c.loop(n) as k:
                push = c.float("fmul", w.h, c.read(Y, c.add(c.mul(i, n), k), "double"))
                for name, first in (("SPRING", "0"), ("DAMPER", n)):
                    entry = c.float("fmul", push, c.read(f[name], k, "double"))
                    place = c.add(line, c.add(first, k))
                    c.write(A, place, c.let(f"fneg double {entry}"), "double")
        parts = [_of_row(w, name, row) for name in ("PHI_1", "PHI_2")] + [A, f["SQUARE"]]
        arrays = ", ".join(f"ptr {x}" for x in parts)
        c.do(f"call void @phi_functions({arrays}, i64 {size})")


def spread(w: StepCode, stage: str) -> None:
    """What this stage adds to the state, over h, in the place of its slopes."""
    c = w.c
    first = c.equal(stage, 0)
    with c.when(first):
        _predict(w)
    with c.when(c.let(f"xor i1 {first}, true")):
        _correct(w)


def _of_row(w: StepCode, name: str, row: str) -> str:
    c, size = w.c, w.f["UNKNOWNS"]
    return c.pointer(w.f[name], c.mul(row, c.mul(size, size)), "double")


def _predict(w: StepCode) -> None:
    """φ₁ f; f itself is kept."""
    c, f = w.c, w.f
    for part, n in (("Q", w.v), ("V", w.v), ("Z", w.z)):
        w.copy(f[f"BEND_{part}"], w.rate_row(f"RATES_{part}", "0", n), n)
    with c.loop(f["ROWS"]) as row:
        for half, part in enumerate(_PARTS):
            _put(w, half, _own(w, f[f"BEND_{part}"], row))
        _apply(w, "PHI_1", row, "0")


def _correct(w: StepCode) -> None:
    """φ₂ (f₁ - f - h A (x₁ - x) / h)."""
    c, f = w.c, w.f
    with c.loop(f["ROWS"]) as row:
        for half, part in enumerate(_PARTS):  # first what was added before, for A
            _put(w, half, _own(w, w.rate_row(f"RATES_{part}", "0", w.v), row))
        _times(w, "FROZEN", row, f["RIGHT"], f["ADDED"])
        for half, part in enumerate(_PARTS):
            after = _own(w, w.rate_row(f"RATES_{part}", "1", w.v), row)
            right = c.pointer(f["RIGHT"], c.mul(f["NV"], half), "double")
            w.combine(right, after, _own(w, f[f"BEND_{part}"], row), w.one, "1", f["NV"], "-1.0")
        with c.loop(f["UNKNOWNS"]) as k:
            place = c.pointer(f["RIGHT"], k, "double")
            c.accumulate(place, "fsub", c.read(f["ADDED"], k, "double"))
        _apply(w, "PHI_2", row, "1")
    rates = w.rate_row("RATES_Z", "1", w.z)
    with c.loop(w.z) as k:
        change = c.float("fsub", c.read(rates, k, "double"), c.read(f["BEND_Z"], k, "double"))
        c.write(rates, k, c.float("fmul", change, "0.5"), "double")


def _own(w: StepCode, array: str, row: str) -> str:
    return w.c.pointer(array, w.c.mul(row, w.f["NV"]), "double")


def _put(w: StepCode, half: int, source: str) -> None:
    """Into the upper or lower half of RIGHT."""
    place = w.c.pointer(w.f["RIGHT"], w.c.mul(w.f["NV"], half), "double")
    w.copy(place, source, w.f["NV"])


def _times(w: StepCode, matrix: str, row: str, x: str, out: str) -> None:
    c, size = w.c, w.f["UNKNOWNS"]
    A = _of_row(w, matrix, row)
    with c.loop(size) as i:
        line = c.pointer(A, c.mul(i, size), "double")
        entry = c.pointer(out, i, "double")
        c.do(f"call void @dot(ptr {entry}, ptr {line}, ptr {x}, i64 {size})")


def _apply(w: StepCode, matrix: str, row: str, stage: str) -> None:
    """The rates of a stage: a matrix times RIGHT."""
    c, f = w.c, w.f
    _times(w, matrix, row, f["RIGHT"], f["ADDED"])
    for half, part in enumerate(_PARTS):
        source = c.pointer(f["ADDED"], c.mul(f["NV"], half), "double")
        w.copy(_own(w, w.rate_row(f"RATES_{part}", stage, w.v), row), source, f["NV"])
