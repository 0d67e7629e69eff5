"""The variational midpoint rule in the native loop over time (sim/methods/variational.py).

    ξ += S⁻¹ (p + Jᵀ λ - start(ξ)),     S = M + h/2 D + h²/4 K  of the start of the step
    ξ += S⁻¹ Jᵀ μ,  λ += μ,             J S⁻¹ Jᵀ μ = -opening(ξ) / h

until ξ does not change; then the velocity at the end follows from the momentum there.  Kernels work
on all states at once, dense equations are solved state by state, and a state that has converged
stays as it is.  A step that does not converge, or that starts where rows are close to depend on
each other, is not taken: Python decides there.
"""

from __future__ import annotations

from armillary.codegen.abi import bits
from armillary.runtime.time_code import StepCode

_ITERATIONS = 30
_CONVERGED, _STALLED = 1e-15, 1e-11  # changes of ξ, of 1 + its size
_STALLED_MOVE = 1e-12  # and of positions, h ξ: openings are rounded, and divided by h
_RANK = 1e-13  # of the largest entry on the diagonal of J Jᵀ: less is rounding
_SMALL = 1e-3  # share of the largest singular value of J: a singular position is near
_STEPS = 5.0  # from which it is looked for
_INFINITE = "0x7FF0000000000000"


def _exact(x: float) -> str:
    """A literal that keeps all digits."""
    return f"0x{bits(x) % 2**64:016X}"


def variational(w: StepCode, done: str) -> str:
    """NEW_Q, NEW_V and NEW_Z of a step from MOVING_Y, MOVING_S; gives whether it failed (i1)."""
    c, f = w.c, w.f
    lost = c.variable(0)  # pivots that are missing, and states that do not converge
    _prepare(w, done, lost)
    _solve(w, done, lost)
    _momenta(w, done)
    w.combine(f["NEW_Z"], f["Z"], f["RATES_Z"], w.one, "1", w.z, w.h)
    _arrive(w, done, lost)
    return c.let(f"icmp ne i64 {c.get(lost)}, 0")


class _State:
    """Arrays of one state of the batch."""

    def __init__(self, w: StepCode, row: str):
        self.w, self.row, self.n, self.m = w, row, w.f["NV"], w.f["CONSTRAINED"]
        self._sizes = {"n": self.n, "m": self.m, "1": "1"}

    def of(self, name: str, *sizes: str) -> str:
        """Pointer to the part of this state of an array (ROWS, sizes...)."""
        c, count = self.w.c, self.row
        for size in sizes:
            count = c.mul(count, self._sizes[size])
        return c.pointer(self.w.f[name], count, "double")

    def line(self, array: str, k: str, size: str = "n") -> str:
        """Pointer to row k of a matrix."""
        return self.w.c.pointer(array, self.w.c.mul(k, self._sizes[size]), "double")


def _dot(w: StepCode, x: str, y: str, n: str) -> str:
    w.c.do(f"call void @dot(ptr {w.share}, ptr {x}, ptr {y}, i64 {n})")
    return w.c.read_number(w.share)


def _factor(w: StepCode, A: str, kept: str, lost: str, n: str, least: str = "0.0") -> None:
    arrays = f"ptr {A}, ptr {kept}, ptr {lost}"
    w.c.do(f"call void @factor({arrays}, i64 {n}, double {least})")


def _substitute(w: StepCode, A: str, x: str, n: str, count: str = "1") -> None:
    w.c.do(f"call void @substitute(ptr {A}, ptr {x}, i64 {n}, i64 {count})")


def _fill(w: StepCode, array: str, value: str, n: str) -> None:
    with w.c.loop(n) as k:
        w.c.write(array, k, value, "double")


def _largest(w: StepCode, x: str, n: str) -> str:
    w.c.do(f"call void @largest(ptr {w.share}, ptr {x}, i64 {n})")
    return w.c.read_number(w.share)


# -- the start of a step -------------------------------------------------------------------------


def _prepare(w: StepCode, done: str, lost: str) -> None:
    """p, and S and J S⁻¹ Jᵀ in factors."""
    c, f = w.c, w.f
    w.kernel("inertia", (f["Q"],), (f["INERTIA"], f["JACOBIAN"]))
    _at_rest(w, f["MOVING_Y"], done)
    quarter = c.float("fmul", c.float("fmul", w.h, w.h), "0.25")
    half = c.float("fmul", w.h, "0.5")
    with c.loop(f["ROWS"]) as row:
        x = _State(w, row)
        M, S = x.of("INERTIA", "n", "n"), x.of("FACTOR", "n", "n")
        s, p = x.of("MOVING_S", "n"), x.of("BEGIN", "n")
        w.copy(S, M, c.mul(x.n, x.n))
        with c.loop(x.n) as i:
            momentum = _dot(w, x.line(M, i), s, x.n)
            base = c.read(x.of("AT_REST", "n"), i, "double")
            c.write(p, i, c.float("fadd", momentum, base), "double")
            place = c.pointer(S, c.mul(i, c.add(x.n, 1)), "double")
            damper = c.float("fmul", c.read(f["DAMPER"], i, "double"), half)
            spring = c.float("fmul", c.read(f["SPRING"], i, "double"), quarter)
            c.accumulate(place, "fadd", c.float("fadd", damper, spring))
        _fill(w, f["COUNTED"], "1.0", x.n)
        _factor(w, S, f["COUNTED"], lost, x.n)
        w.copy(x.of("XI", "n"), s, x.n)
        c.write_number(x.of("CHANGED", "1"), _INFINITE)
        with c.when(c.let(f"icmp ne i64 {x.m}, 0")):
            _choose_rows(w, x, lost)
            _lift(w, x, lost)
            _fill(w, x.of("PUSH", "m"), "0.0", x.m)


def _at_rest(w: StepCode, y: str, done: str) -> None:
    """AT_REST: momentum of the mechanism at rest on a base that turns.  It is the mean of those at
    both ends of a step without velocity."""
    c, f = w.c, w.f
    with c.when(c.let(f"icmp ne i64 {f['MOVING_BASE']}, 0")):
        given = w.of_stage("TAU", done, "1")
        w.set_input("momenta", "WRENCH", done, "1")
        w.kernel("momenta", (y, f["ZERO"], given), (f["AT_REST"], f["TOTAL"]))
        with c.loop(w.v) as k:
            both = (c.read(f[name], k, "double") for name in ("AT_REST", "TOTAL"))
            mean = c.float("fmul", c.float("fadd", *both), "0.5")
            c.write(f["AT_REST"], k, mean, "double")


def _choose_rows(w: StepCode, x: _State, lost: str) -> None:
    """Rows that do not follow from others, in KEPT; `lost` where they are close to do so:

        |B| |B⁻¹| max(small, steps h |s|)² > 1,    B = J Jᵀ scaled,  |·| by all entries,

    which is never less than the largest by the smallest eigenvalue of B."""
    c, f = w.c, w.f
    J, B = x.of("JACOBIAN", "m", "n"), x.of("GRAM", "m", "m")
    kept, column = x.of("KEPT", "m"), x.of("LIFT", "n", "m")
    _transpose(w, x, column, J, f["COLUMNS"])
    with c.loop(x.m) as i:
        line = x.of("TRIAL", "n")
        with c.loop(x.n) as k:
            scale = c.read(f["COLUMNS"], k, "double")
            c.write(line, k, c.float("fmul", c.read(x.line(J, i), k, "double"), scale), "double")
        _combined(w, x, x.line(B, i, "m"), column, line)
    top = c.number()
    with c.loop(x.m) as i:
        entry = c.read(B, c.mul(i, c.add(x.m, 1)), "double")
        with c.when(c.let(f"fcmp ugt double {entry}, {c.read_number(top)}")):
            c.write_number(top, entry)
    size = _dot(w, B, B, c.mul(x.m, x.m))
    _fill(w, kept, "1.0", x.m)
    c.set(w.flag, 0)  # how many rows follow from others is no fault
    _factor(w, B, kept, w.flag, x.m, c.float("fmul", c.read_number(top), _exact(_RANK)))
    inverse = x.of("INVERSE", "m", "m")
    _fill(w, inverse, "0.0", c.mul(x.m, x.m))
    with c.loop(x.m) as i:
        c.write(x.line(inverse, i, "m"), i, c.read(kept, i, "double"), "double")
    _substitute(w, B, inverse, x.m, x.m)
    other = _dot(w, inverse, inverse, c.mul(x.m, x.m))
    fastest = c.number()
    with c.loop(x.n) as k:
        product = c.float(
            "fmul", c.read(x.of("MOVING_S", "n"), k, "double"), c.read(f["JOINTED"], k, "double")
        )
        speed = c.let(f"call double @llvm.fabs.f64(double {product})")
        with c.when(c.let(f"fcmp ugt double {speed}, {c.read_number(fastest)}")):
            c.write_number(fastest, speed)
    move = c.float("fmul", c.float("fmul", c.read_number(fastest), w.h), _exact(_STEPS))
    near = c.let(f"fcmp ogt double {move}, {_exact(_SMALL)}")
    near = c.let(f"select i1 {near}, double {move}, double {_exact(_SMALL)}")
    fourth = c.float("fmul", c.float("fmul", near, near), c.float("fmul", near, near))
    condition = c.float("fmul", c.float("fmul", size, other), fourth)
    singular = c.let(f"fcmp uge double {condition}, 1.0")
    c.set(lost, c.add(c.get(lost), c.let(f"zext i1 {singular} to i64")))


def _transpose(w: StepCode, x: _State, out: str, J: str, scale: str) -> None:
    """out (n, m) = Jᵀ, its rows times `scale`."""
    c = w.c
    with c.loop(x.n) as k:
        factor = c.read(scale, k, "double")
        with c.loop(x.m) as i:
            entry = c.read(x.line(J, i), k, "double")
            c.write(x.line(out, k, "m"), i, c.float("fmul", factor, entry), "double")


def _combined(w: StepCode, x: _State, out: str, columns: str, weights: str) -> None:
    """out (m) = Σ_k weights[k] columns[k], columns (n, m)."""
    _fill(w, out, "0.0", x.m)
    c = w.c
    with c.loop(x.n) as k:
        factor = c.let(f"fneg double {c.read(weights, k, 'double')}")
        c.do(
            f"call void @take_off(ptr {out}, ptr {x.line(columns, k, 'm')}, double {factor}, "
            f"i64 {x.m})"
        )


def _lift(w: StepCode, x: _State, lost: str) -> None:
    """LIFT = S⁻¹ Jᵀ and J S⁻¹ Jᵀ in factors, of what stands in FACTOR and JACOBIAN."""
    c, ones = w.c, w.f["COUNTED"]
    J, lift, A = x.of("JACOBIAN", "m", "n"), x.of("LIFT", "n", "m"), x.of("GRAM", "m", "m")
    _transpose(w, x, lift, J, ones)
    _substitute(w, x.of("FACTOR", "n", "n"), lift, x.n, x.m)
    with c.loop(x.m) as i:
        _combined(w, x, x.line(A, i, "m"), lift, x.line(J, i))
    _factor(w, A, x.of("KEPT", "m"), lost, x.m)


def _add_lifted(w: StepCode, x: _State, s: str, more: str) -> None:
    """s += S⁻¹ Jᵀ more."""
    c, lift = w.c, x.of("LIFT", "n", "m")
    with c.loop(x.n) as k:
        part = _dot(w, x.line(lift, k, "m"), more, x.m)
        c.write(s, k, c.float("fadd", c.read(s, k, "double"), part), "double")


# -- the equations of a step ---------------------------------------------------------------------


def _solve(w: StepCode, done: str, lost: str) -> None:
    """XI and PUSH."""
    c, f = w.c, w.f
    turn, open_ = c.variable(0), c.variable(0)
    w.set_row_motion("opening", "PLACE", 1, done)
    with c.forever() as loop:
        c.break_if(loop, c.let(f"icmp ne i64 {c.get(lost)}, 0"))
        _momenta(w, done)
        with c.loop(f["ROWS"]) as row:
            x = _State(w, row)
            change, trial, xi = x.of("CHANGE", "n"), x.of("TRIAL", "n"), x.of("XI", "n")
            _residual(w, x, change)
            _substitute(w, x.of("FACTOR", "n", "n"), change, x.n)
            w.combine(trial, xi, change, w.one, "1", x.n, "1.0")
        with c.when(w.has("opening")):
            w.move(f["STAGE_Y"], f["TRIAL"], w.one, "1", w.h)
            w.center("from_center", (f["STAGE_Y"], f["TRIAL"]), (f["STAGE_Q"], f["STAGE_V"]))
            w.kernel("opening", (f["STAGE_Q"],), (f["OPENING"],))
        c.set(open_, 0)
        with c.loop(f["ROWS"]) as row:
            x = _State(w, row)
            going = c.let(f"fcmp uge double {c.read_number(x.of('CHANGED', '1'))}, 0.0")
            with c.when(going):
                _close(w, x)
                _move_on(w, x, open_, lost)
        c.break_if(loop, c.equal(c.get(open_), 0))
        c.set(turn, c.add(c.get(turn), 1))
        with c.when(c.let(f"icmp sge i64 {c.get(turn)}, {_ITERATIONS}")):
            c.set(lost, 1)


def _residual(w: StepCode, x: _State, out: str) -> None:
    """p + Jᵀ λ - start."""
    c = w.c
    p, start, J = x.of("BEGIN", "n"), x.of("MOMENTUM", "n"), x.of("JACOBIAN", "m", "n")
    w.combine(out, p, J, x.of("PUSH", "m"), x.m, x.n, "1.0")
    with c.loop(x.n) as k:
        rest = c.float("fsub", c.read(out, k, "double"), c.read(start, k, "double"))
        c.write(out, k, rest, "double")


def _close(w: StepCode, x: _State) -> None:
    """μ, added to the change of ξ and to λ."""
    c = w.c
    with c.when(w.has("opening")):
        more, opening, push = x.of("MORE", "m"), x.of("OPENING", "m"), x.of("PUSH", "m")
        with c.loop(x.m) as i:
            rate = c.float("fdiv", c.read(opening, i, "double"), w.h)
            c.write(more, i, c.let(f"fneg double {rate}"), "double")
        _substitute(w, x.of("GRAM", "m", "m"), more, x.m)
        with c.loop(x.m) as i:
            total = c.float("fadd", c.read(push, i, "double"), c.read(more, i, "double"))
            c.write(push, i, total, "double")
        _add_lifted(w, x, x.of("CHANGE", "n"), more)


def _move_on(w: StepCode, x: _State, open_: str, lost: str) -> None:
    """ξ after its change; CHANGED is its size, or -1 where it has converged."""
    c = w.c
    change, xi, changed = x.of("CHANGE", "n"), x.of("XI", "n"), x.of("CHANGED", "1")
    trial = x.of("TRIAL", "n")
    w.combine(trial, xi, change, w.one, "1", x.n, "1.0")
    w.copy(xi, trial, x.n)
    size, before = _largest(w, change, x.n), c.read_number(changed)
    scale = c.float("fadd", _largest(w, xi, x.n), "1.0")
    moved = c.float("fdiv", _exact(_STALLED_MOVE), w.h)
    longer = c.let(f"fcmp ogt double {moved}, {_exact(_STALLED)}")
    stalled = c.let(f"select i1 {longer}, double {moved}, double {_exact(_STALLED)}")
    small, rounding = (
        c.let(f"fcmp olt double {size}, {c.float('fmul', scale, share)}")
        for share in (_exact(_CONVERGED), stalled)
    )
    stays = c.let(f"fcmp oge double {size}, {c.float('fmul', before, '0.5')}")
    over = c.let(f"or i1 {small}, {c.let(f'and i1 {rounding}, {stays}')}")
    c.write_number(changed, c.let(f"select i1 {over}, double -1.0, double {size}"))
    going = c.let(f"zext i1 {c.let(f'xor i1 {over}, true')} to i64")
    c.set(open_, c.add(c.get(open_), going))
    infinite = c.let(f"fcmp uge double {size}, {_INFINITE}")
    c.set(lost, c.add(c.get(lost), c.let(f"zext i1 {infinite} to i64")))


def _momenta(w: StepCode, done: str) -> None:
    """MOMENTUM and END_MOMENTUM of XI, with the forces at the middle of the step."""
    c, f = w.c, w.f
    half = c.float("fmul", w.h, "0.5")
    given = w.of_stage("TAU", done, "1")
    force = c.let(f"select i1 {w.has('control')}, ptr {f['FORCE']}, ptr {given}")
    asked = c.let(f"or i1 {w.has('control')}, {w.has('wrenches')}")
    with c.when(c.let(f"or i1 {asked}, {w.has('known')}")):
        w.move(f["STAGE_Y"], f["XI"], w.one, "1", half)
        w.center("from_center", (f["STAGE_Y"], f["XI"]), (f["STAGE_Q"], f["STAGE_V"]))
        v = c.let(f"select i1 {w.has('carried')}, ptr {f['STAGE_V']}, ptr {f['XI']}")
        with c.when(w.has("control")):
            w.set_time(done, "1")
            rest = (f["TIME"], given)
            w.kernel("control", (f["STAGE_Q"], v, f["Z"], *rest), (force, f["RATES_Z"]))
            with c.when(c.let(f"icmp ne i64 {w.z}, 0")):
                w.combine(f["STAGE_Z"], f["Z"], f["RATES_Z"], w.one, "1", w.z, half)
                w.kernel("control", (f["STAGE_Q"], v, f["STAGE_Z"], *rest), (force, f["RATES_Z"]))
        with c.when(w.has("wrenches")):
            w.set_time(done, "1")
            w.kernel("wrenches", (f["STAGE_Q"], v, f["Z"], f["TIME"]), ())
        with c.when(w.has("known")):
            w.kernel("known", (f["STAGE_Q"], v), (f["KNOWN"],))
            w.combine(f["TOTAL"], force, f["KNOWN"], w.one, "1", w.v, "1.0")
    force = c.let(f"select i1 {w.has('known')}, ptr {f['TOTAL']}, ptr {force}")
    w.set_input("momenta", "WRENCH", done, "1")
    w.kernel("momenta", (f["MOVING_Y"], f["XI"], force), (f["MOMENTUM"], f["END_MOMENTUM"]))


# -- its end -------------------------------------------------------------------------------------


def _arrive(w: StepCode, done: str, lost: str) -> None:
    """Where ξ leads, and the velocity there; off the constraints as far as 2 ξ - s is."""
    c, f = w.c, w.f
    carried = w.has("carried")
    y = c.let(f"select i1 {carried}, ptr {f['STAGE_Y']}, ptr {f['NEW_Q']}")
    s = c.let(f"select i1 {carried}, ptr {f['STAGE_S']}, ptr {f['NEW_V']}")
    w.move(y, f["XI"], w.one, "1", w.h)
    w.center("from_center", (y, f["XI"]), (f["STAGE_Q"], f["STAGE_V"]))
    q = c.let(f"select i1 {carried}, ptr {f['STAGE_Q']}, ptr {f['NEW_Q']}")
    w.kernel("inertia", (q,), (f["FACTOR"], f["JACOBIAN"]))
    _at_rest(w, y, done)
    with c.loop(f["ROWS"]) as row:
        x = _State(w, row)
        own = c.pointer(s, c.mul(row, x.n), "double")
        M = x.of("FACTOR", "n", "n")
        _fill(w, f["COUNTED"], "1.0", x.n)
        _factor(w, M, f["COUNTED"], lost, x.n)
        with c.loop(x.n) as k:
            end, base = (c.read(x.of(a, "n"), k, "double") for a in ("END_MOMENTUM", "AT_REST"))
            c.write(own, k, c.float("fsub", end, base), "double")
        _substitute(w, M, own, x.n)
        with c.when(c.let(f"icmp ne i64 {x.m}, 0")):
            _lift(w, x, lost)
            _make_consistent(w, x, own)
    w.center("from_center", (y, s), (f["NEW_Q"], f["NEW_V"]))


def _make_consistent(w: StepCode, x: _State, s: str) -> None:
    c = w.c
    ahead, more = x.of("CHANGE", "n"), x.of("MORE", "m")
    xi, before, J = x.of("XI", "n"), x.of("MOVING_S", "n"), x.of("JACOBIAN", "m", "n")
    with c.loop(x.n) as k:
        twice = c.float("fmul", c.read(xi, k, "double"), "2.0")
        over = c.float("fsub", twice, c.read(before, k, "double"))
        c.write(ahead, k, c.float("fsub", over, c.read(s, k, "double")), "double")
    with c.loop(x.m) as i:
        c.write(more, i, _dot(w, x.line(J, i), ahead, x.n), "double")
    _substitute(w, x.of("GRAM", "m", "m"), more, x.m)
    _add_lifted(w, x, s, more)
