"""Linearly implicit steps in the native loop over time (sim/methods/integrators.py).

With k_i / h in the place of the slopes f_i the sums over stages are those of explicit methods:

    (1 - h γ J) k_i / h = f_i + h J g_i,    g_i = Σ_j γ_ij k_j / h,     which is solved as
    k_i / h = (1 - h γ J)⁻¹ (f_i + g_i / γ) - g_i / γ

Kernels work on all states at once; the equations, of x = (θ, s, z), are solved state by state.  A
matrix without an inverse gives numbers that are not finite: such a step is not taken.
"""

from __future__ import annotations

from armillary.runtime.time_code import StepCode

_STEP = "1.0e-6"  # of differences, of 1 or the size of the number: ten digits of a slope
_OVER_TWICE = "5.0e5"  # 1 / (2 _STEP)
_KICK, _OVER_KICK = "1048576.0", "0x3EB0000000000000"  # 2^20: stiff springs do not drown it
_PARTS = ("Q", "V", "Z")


def linearize(w: StepCode, done: str, force: str) -> None:
    """The factors of 1 - h γ J, J at the start of the step; `force`: what acts there."""
    c, f = w.c, w.f
    with c.when(w.has("derivatives")):
        w.set_input("derivatives", "WRENCH", done, "0")
        w.kernel("derivatives", (f["Q"], f["V"], force), (f["BY_Q"], f["BY_V"], f["BY_TAU"]))
    with c.when(w.has("slopes")):
        mobility(w)
        _stiff_part(w)
        for role in ("pushes", "known"):
            with c.when(w.has(role)):
                _add_slopes(w, role)
    with c.when(w.has("control")):
        _by_state(w, done)
    with c.loop(f["ROWS"]) as row:
        _equations(w, row)


def bend(w: StepCode, stage: str) -> None:
    """k_i / h in the place of the slopes of this stage."""
    c, f = w.c, w.f
    weights = c.pointer(f["GAMMAS"], c.mul(stage, f["STAGES"]), "double")
    inverse = c.float("fdiv", "1.0", f["GAMMA"])
    sizes = dict(zip(_PARTS, (w.v, w.v, w.z), strict=True))
    for part, n in sizes.items():
        rates, out = f[f"RATES_{part}"], f[f"BEND_{part}"]
        w.combine(out, f["NOTHING"], rates, weights, stage, n, inverse)
    with c.loop(f["ROWS"]) as row:
        parts, first = [], "0"
        for part, n in sizes.items():
            width = f["NZ"] if part == "Z" else f["NV"]
            place = c.mul(row, width)
            rate = c.pointer(w.rate_row(f"RATES_{part}", stage, n), place, "double")
            bent = c.pointer(f[f"BEND_{part}"], place, "double")
            parts.append((rate, bent, c.pointer(f["RIGHT"], first, "double"), width))
            first = c.add(first, width)
        for rate, bent, right, width in parts:
            w.combine(right, rate, bent, w.one, "1", width, "1.0")
        A, order = _matrix(w, "IMPLICIT", row, f["UNKNOWNS"], f["UNKNOWNS"]), _order(w, row)
        c.do(
            f"call void @solve_general(ptr {A}, ptr {order}, ptr {f['RIGHT']}, i64 {f['UNKNOWNS']})"
        )
        for rate, bent, right, width in parts:
            w.combine(rate, right, bent, w.one, "1", width, "-1.0")


def _matrix(w: StepCode, name: str, row: str, height: str, width: str) -> str:
    c = w.c
    return c.pointer(w.f[name], c.mul(row, c.mul(height, width)), "double")


def _order(w: StepCode, row: str) -> str:
    return w.c.pointer(w.f["ORDER"], w.c.mul(row, w.f["UNKNOWNS"]))


# -- derivatives of accelerations ----------------------------------------------------------------


def mobility(w: StepCode) -> None:
    """BY_TAU: ds/dt per joint force, by differences, for it is linear in them."""
    c, f = w.c, w.f
    w.copy(f["KICK"], f["NOTHING"], w.v)
    _rate_of_kick(w, f["BEND_Q"])
    with c.loop(f["NV"]) as k:
        _kick(w, k, _KICK)
        _rate_of_kick(w, f["BEND_V"])
        _kick(w, k, "0.0")
        with c.loop(f["ROWS"]) as row:
            Y = _matrix(w, "BY_TAU", row, f["NV"], f["NV"])
            with c.loop(f["NV"]) as i:
                entry = c.add(c.mul(row, f["NV"]), i)
                both = (c.read(f[name], entry, "double") for name in ("BEND_V", "BEND_Q"))
                place = c.add(c.mul(i, f["NV"]), k)
                change = c.float("fmul", c.float("fsub", *both), _OVER_KICK)
                c.write(Y, place, change, "double")


def _kick(w: StepCode, k: str, value: str) -> None:
    c, f = w.c, w.f
    with c.loop(f["ROWS"]) as row:
        c.write(f["KICK"], c.add(c.mul(row, f["NV"]), k), value, "double")


def _rate_of_kick(w: StepCode, out: str) -> None:
    """ds/dt from rest under the joint forces KICK."""
    c, f = w.c, w.f
    a = c.let(f"select i1 {w.has('carried')}, ptr {f['MOVE']}, ptr {out}")
    w.kernel("dynamics", (f["Q"], f["ZERO"], f["KICK"]), (a,))
    with c.when(w.has("carried")):
        w.kernel("center_rate", (f["Q"], f["ZERO"], a), (out,))


def _stiff_part(w: StepCode) -> None:
    """BY_Q and BY_V: mobility times the slopes of springs and friction."""
    c, f = w.c, w.f
    w.kernel("slopes", (f["Q"], f["V"]), (f["BEND_Q"], f["BEND_V"]))
    with c.loop(f["ROWS"]) as row:
        first = c.mul(row, f["NV"])
        Y = _matrix(w, "BY_TAU", row, f["NV"], f["NV"])
        for slope, out in (("BEND_Q", "BY_Q"), ("BEND_V", "BY_V")):
            found = _matrix(w, out, row, f["NV"], f["NV"])
            with c.loop(f["NV"]) as i, c.loop(f["NV"]) as k:
                place = c.add(c.mul(i, f["NV"]), k)
                factor = c.read(f[slope], c.add(first, k), "double")
                entry = c.float("fmul", c.read(Y, place, "double"), factor)
                c.write(found, place, entry, "double")


def _add_slopes(w: StepCode, role: str) -> None:
    """To BY_Q and BY_V: mobility times the slopes of forces F(q, v) that a kernel gives, by central
    differences along θ and s."""
    c, f = w.c, w.f
    for moved, start, out in (("MOVE", "NOTHING", "BY_Q"), ("STAGE_S", "MOVING_S", "BY_V")):
        with c.loop(f["NV"]) as k:
            for sign, near in (("fadd", "0"), ("fsub", w.v)):
                w.copy(f["MOVE"], f["NOTHING"], w.v)
                w.copy(f["STAGE_S"], f["MOVING_S"], w.v)
                with c.loop(f["ROWS"]) as row:
                    place = c.add(c.mul(row, f["NV"]), k)
                    x = c.float(sign, c.read(f[start], place, "double"), _STEP)
                    c.write(f[moved], place, x, "double")
                w.move(f["STAGE_Y"], f["MOVE"], w.one, "1", "1.0")
                w.center("from_center", (f["STAGE_Y"], f["STAGE_S"]), (f["STAGE_Q"], f["STAGE_V"]))
                found = c.pointer(f["NEAR"], near, "double")
                w.kernel(role, (f["STAGE_Q"], f["STAGE_V"]), (found,))
            with c.loop(f["ROWS"]) as row:
                _add_column(w, row, k, out)


def _add_column(w: StepCode, row: str, k: str, out: str) -> None:
    """To column k of BY_Q or BY_V: Y (F₊ - F₋) / (2 step), F₊ and F₋ in NEAR."""
    c, f = w.c, w.f
    n = f["NV"]
    here = c.pointer(f["NEAR"], c.mul(row, n), "double")
    there = c.pointer(here, w.v, "double")
    Y, found = (_matrix(w, name, row, n, n) for name in ("BY_TAU", out))
    with c.loop(n) as j:
        ends = (c.read(x, j, "double") for x in (here, there))
        slope = c.float("fmul", c.float("fsub", *ends), _OVER_TWICE)
        with c.when(c.let(f"fcmp une double {slope}, 0.0")), c.loop(n) as i:
            line = c.mul(i, n)
            entry = c.float("fmul", c.read(Y, c.add(line, j), "double"), slope)
            c.accumulate(c.pointer(found, c.add(line, k), "double"), "fadd", entry)


# -- derivatives of controllers ------------------------------------------------------------------


def _by_state(w: StepCode, done: str) -> None:
    """BY_STATE: joint forces and dz/dt by x, by central differences."""
    c, f = w.c, w.f
    column = c.variable(0)
    for moved, start, width in (
        ("MOVE", "NOTHING", f["NV"]),
        ("STAGE_S", "MOVING_S", f["NV"]),
        ("STAGE_Z", "Z", f["NZ"]),
    ):
        with c.loop(width) as k:
            for sign, near in (("1.0", "0"), ("-1.0", c.add(w.v, w.z))):
                w.copy(f["MOVE"], f["NOTHING"], w.v)
                w.copy(f["STAGE_S"], f["MOVING_S"], w.v)
                w.copy(f["STAGE_Z"], f["Z"], w.z)
                with c.loop(f["ROWS"]) as row:
                    place = c.add(c.mul(row, width), k)
                    x = c.read(f[start], place, "double")
                    change = c.float("fmul", _step(w, x), sign)
                    c.write(f[moved], place, c.float("fadd", x, change), "double")
                _answer(w, done, c.pointer(f["NEAR"], near, "double"))
            with c.loop(f["ROWS"]) as row:
                x = c.read(f[start], c.add(c.mul(row, width), k), "double")
                twice = c.float("fmul", _step(w, x), "2.0")
                _column(w, row, c.get(column), twice)
            c.set(column, c.add(c.get(column), 1))


def _step(w: StepCode, x: str) -> str:
    size = w.c.let(f"call double @llvm.fabs.f64(double {x})")
    large = w.c.let(f"fcmp ogt double {size}, 1.0")
    scale = w.c.let(f"select i1 {large}, double {size}, double 1.0")
    return w.c.float("fmul", scale, _STEP)


def _answer(w: StepCode, done: str, out: str) -> None:
    """Joint forces and dz/dt of MOVE, STAGE_S and STAGE_Z: (ROWS, NV) and (ROWS, NZ)."""
    c, f = w.c, w.f
    w.move(f["STAGE_Y"], f["MOVE"], w.one, "1", "1.0")
    w.center("from_center", (f["STAGE_Y"], f["STAGE_S"]), (f["STAGE_Q"], f["STAGE_V"]))
    state = (f["STAGE_Q"], f["STAGE_V"], f["STAGE_Z"])
    rates = w.rate_row("RATES_Z", c.sub(f["STAGES"], 1), w.z)  # of a stage that is yet to come
    given = w.of_stage("TAU", done, "0")
    w.kernel("control", (*state, f["TIME"], given), (f["FORCE"], rates))
    w.copy(out, f["FORCE"], w.v)
    w.copy(c.pointer(out, w.v, "double"), rates, w.z)


def _column(w: StepCode, row: str, column: str, twice: str) -> None:
    c, f = w.c, w.f
    D = _matrix(w, "BY_STATE", row, c.add(f["NV"], f["NZ"]), f["UNKNOWNS"])
    other = c.add(w.v, w.z)
    for first, width, line in (("0", f["NV"], "0"), (w.v, f["NZ"], f["NV"])):
        with c.loop(width) as i:
            place = c.add(c.add(first, c.mul(row, width)), i)
            ends = (c.read(f["NEAR"], at, "double") for at in (place, c.add(place, other)))
            slope = c.float("fdiv", c.float("fsub", *ends), twice)
            c.write(D, c.add(c.mul(c.add(line, i), f["UNKNOWNS"]), column), slope, "double")


# -- equations -----------------------------------------------------------------------------------


def _equations(w: StepCode, row: str) -> None:
    """1 - h γ J of one state, with J = [R 1 0; a_q a_v 0; 0] + [0; a_tau tau_x; z_x], in factors;
    R is the derivative of the chart's slope, ½ [θ, s]."""
    c, f = w.c, w.f
    n, size = f["NV"], f["UNKNOWNS"]
    W, step = _matrix(w, "IMPLICIT", row, size, size), c.float("fmul", w.h, f["GAMMA"])

    def line(i: str) -> str:
        return c.pointer(W, c.mul(i, size), "double")

    def less(out: str, x: str, factor: str, count: str) -> None:
        c.do(f"call void @take_off(ptr {out}, ptr {x}, double {factor}, i64 {count})")

    with c.loop(c.mul(size, size)) as k:
        c.write(W, k, "0.0", "double")
    with c.loop(size) as i:
        c.write(line(i), i, "1.0", "double")
    with c.loop(n) as i:
        c.write(line(i), c.add(n, i), c.let(f"fneg double {step}"), "double")
        for name, first in (("BY_Q", "0"), ("BY_V", n)):
            slopes = c.pointer(_matrix(w, name, row, n, n), c.mul(i, n), "double")
            less(c.pointer(line(c.add(n, i)), first, "double"), slopes, step, n)
    _turns(w, row, W, step)
    with c.when(w.has("control")):
        D = _matrix(w, "BY_STATE", row, c.add(n, f["NZ"]), size)
        with c.loop(n) as i, c.loop(n) as k:
            Y = c.read(_matrix(w, "BY_TAU", row, n, n), c.add(c.mul(i, n), k), "double")
            x = c.pointer(D, c.mul(k, size), "double")
            less(line(c.add(n, i)), x, c.float("fmul", step, Y), size)
        with c.loop(f["NZ"]) as i:
            x = c.pointer(D, c.mul(c.add(n, i), size), "double")
            less(line(c.add(c.add(n, n), i)), x, step, size)
    c.do(f"call void @factor_general(ptr {W}, ptr {_order(w, row)}, i64 {size})")


def _turns(w: StepCode, row: str, W: str, step: str) -> None:
    """Less h γ R, R = -½ s × at the turns of quaternions."""
    c, f = w.c, w.f
    half = c.float("fmul", step, "0.5")
    with c.loop(f["BALL_COUNT"]) as k:
        first = c.read(f["BALLS"], k)
        for own, i, j in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            place = c.add(c.add(c.mul(row, f["NV"]), first), own)
            entry = c.float("fmul", c.read(f["MOVING_S"], place, "double"), half)
            for above, beside, sign in ((j, i, "fadd"), (i, j, "fsub")):
                line = c.mul(c.add(first, above), f["UNKNOWNS"])
                at = c.pointer(W, c.add(line, c.add(first, beside)), "double")
                c.accumulate(at, sign, entry)
