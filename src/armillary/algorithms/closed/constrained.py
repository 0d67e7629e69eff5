"""Accelerations of a mechanism with constraints, from one sparse regularised system.

    [ M    J^T ] [  a ]   [ tau - h ]
    [ J   -mu  ] [ -λ ] = [  gamma  ]

It is solved, and then refined with the residual of the *true* system (mu = 0): the plain proximal
recursion is silently wrong close to singularities.  Where the last correction is not small, the
state has not converged (residual.py), and the next solver takes over (constraints/ladder.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from armillary.algorithms.closed import branches
from armillary.algorithms.closed.constraint_rows import Lines, Paths, kept_rows, opening, openness
from armillary.algorithms.closed.embedding import embed, reduced
from armillary.algorithms.closed.plan import Core, Plan
from armillary.algorithms.closed.residual import (
    CONVERGED,
    ROUNDING,
    UNCONVERGED,
    agreement_check,
    fulfilled,
    in_units,
    least_squares_check,
    residual_check,
    with_status,
)
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import (
    Algorithm,
    AncestorPairs,
    GlobalStep,
    Inward,
    Outward,
    Pass,
    made_for,
)
from armillary.algorithms.sparse import (
    SparseLDL,
    SparseRows,
    product,
    put,
    symmetric,
    symmetric_rows,
    times,
)
from armillary.algorithms.tree.kinematics import place
from armillary.algorithms.tree.locking import axes_status
from armillary.algorithms.tree.mass_matrix import compose, mass_matrix
from armillary.scalar import Dual, Scalar, nothing, where
from armillary.spatial import Force, Inertia, RigidMotion

MASSLESS = 1e-12  # of all inertias: less opposes nothing
PIVOT_GROWTH = 1e6  # pivots down to a thousandth of their size in the samples are trusted
MASS_PAIRS = next(p for p in mass_matrix.passes if isinstance(p, AncestorPairs))


def outward(b, p, j):
    """Motion without joint accelerations, and the forces it needs."""
    place(b, p, j)
    v_J = b.S @ j.v
    b.v = b.X @ p.v + v_J
    b.m = (b.X @ p.m).moved(v_J, b.joint.bias(j.q, j.v))
    b.I_C = b.inertia
    b.f = b.m.force(b.inertia, b.euler) - j.external


def inward(b, p, j):
    resistance = b.resistance(j.q, j.v)
    j.h = [f + r for f, r in zip(b.S.T @ b.f, resistance, strict=True)]
    if b.joint.may_lock:
        j.h = with_status(j.h, axes_status(b.S))
    p.f += b.X.T @ b.f
    compose(b, p, j)


def world(g):
    return {
        "v": g.velocity,
        "m": RigidMotion.from_motions(g.velocity, g.felt_acceleration()),
        "f": Force.zero(),
        "I_C": Inertia.zero(),
    }


@made_for
def constrained_dynamics(plan: Plan) -> Algorithm:
    """The algorithm for one plan; the tables carry the constraints."""

    def close(run: Run) -> None:
        closed = closed_check(run, plan)  # traced first: where bodies are need not be kept
        force = [t - h for j in run.joints for t, h in zip(j.tau, j.h, strict=True)]
        lines = kept_rows(run, plan.kept, "gamma", force)
        noise, core = rounded_in(run, plan), Core(plan, run.tables.nv)
        lines = core.lines(lines)
        a = solved(core.of(inertias(run)), core.plan, core.chosen(force), lines, noise=noise)
        if plan.implied:
            noise = in_units(a, core.plan.scale) + noise
            a = with_status(a, _implied_check(run, core.plan, lines, a, noise))
        if plan.pivots is None and run.base.opening is not None:
            asked = run.base.opening <= 1.0
            agreed = agreement_check(lines, a, core.plan.scale, core.plan.mu, noise)
            a = with_status(a, where(asked, agreed, CONVERGED))
        run.write("a", core.filled(with_status(a, closed)))

    return Algorithm(
        name="constrained_dynamics",
        passes=_passes(plan, close, "a"),
        world=lambda g: world(g) | branches.world(g),
        reads=("q", "v", "tau", "external", "prescribed"),
        writes={"a": "dof"},
    )


def _passes(plan: Plan, close: Callable[[Run], None], result: str) -> tuple[Pass, ...]:
    """All passes around the solution.  result: "a", or "x" where no forces act."""
    moving = result == "a"
    if not plan.articulated:
        back = Inward(inward if moving else compose)
        return Outward(outward), back, MASS_PAIRS, GlobalStep(close)

    def mark(run: Run) -> None:
        for b, start in zip(run.bodies, run.tables.v_offsets, strict=True):
            b.articulated = b.joint.nv > 0 and start in plan.articulated

    def outward_alone(b, p, j):
        outward(b, p, j)
        branches.alone(b, b.f if moving else Force.zero())

    def inward_carried(b, p, j):
        branches.carry(b, p, j, moving)
        b.I_C = b.I_A

    def follow(b, p, j):
        branches.follow(b, p, j)
        setattr(j, result, j.a)

    return (
        GlobalStep(mark),
        Outward(outward_alone),
        Inward(inward_carried),
        MASS_PAIRS,
        GlobalStep(close),
        Outward(follow),
    )


def closed_check(run: Run, plan: Plan) -> Scalar:
    """Unconverged where the position is open, if closed ones are asked for (`Base.opening`)."""
    if run.base.opening is None or all(map(nothing, plan.closing)):
        return CONVERGED
    within = openness(run, plan.closing) <= run.base.opening
    return where(within, CONVERGED, UNCONVERGED)


def _implied_check(
    run: Run, plan: Plan, lines: Lines, a: Sequence[Scalar], noise: Scalar
) -> Scalar:
    """Rows without a pivot are fulfilled as far as the mechanism is closed; noise: the square of
    what is rounded in them."""
    share = opening(run, plan.kept, plan.openings) + plan.implied_tolerance**2
    status: Scalar = CONVERGED
    for k in plan.implied:
        entries, target = lines[k]
        weight = plan.openings[k]
        size = 0.0 if nothing(weight) else 1.0 / weight
        status = fulfilled(status, target, entries, a, plan.scale, noise, share, size)
    return status


def rounded_in(run: Run, plan: Plan) -> Scalar:
    """(1/s²)² of gravity and velocities, which cancel in the rows of a mechanism at rest."""
    felt = run.base.felt_acceleration().linear * (1.0 / plan.length)
    speed = in_units(run.inputs["v"], plan.scale)
    return felt.dot(felt) + speed * speed


@made_for
def correction(plan: Plan, level: str, weights: Sequence[float] = ()) -> Algorithm:
    """The smallest step by kinetic energy that closes the rows to first order.

    level "residual": a step of q (rolling rows are not in the plan); "rate": a step of v.
    Input "prescribed": the position or velocity that every row is to have.  weights (kept rows):
    unconverged where the step leaves a row open by more than 1/weight, as in a straight chain that
    is too long: no velocity shortens it."""

    def close(run: Run) -> None:
        core = Core(plan, run.tables.nv)
        lines = core.lines([(row, -x) for row, x in kept_rows(run, plan.kept, level, [])])
        scale = core.plan.scale
        # what a correction is small against: velocities, or the size of the machine
        reference = core.chosen(run.inputs["v"]) if level == "rate" else scale
        x = solved(core.of(inertias(run)), core.plan, [0] * len(reference), lines, reference)
        status: Scalar = CONVERGED
        if level == "rate" and plan.implied:
            status = _implied_check(run, core.plan, lines, x, in_units(reference, scale))
        for weight, (entries, target) in zip(weights, lines, strict=False):
            left = (target - product(entries, x)) * weight
            status = where(left * left <= 1.0, status, UNCONVERGED)
        run.write("a" if plan.articulated else "x", core.filled(with_status(x, status)))

    return Algorithm(
        name=f"correction_{level}",
        passes=_passes(plan, close, "x"),
        world=lambda g: world(g) | branches.world(g),
        reads=("q", "prescribed") if level == "residual" else ("q", "v", "prescribed"),
        writes={"x": "dof"},
    )


def inertias(run: Run) -> SparseRows:
    """M of a run."""
    return symmetric(run.matrices["M"])


def solved(
    M: SparseRows,
    plan: Plan,
    force: list[Scalar],
    lines: Lines,
    reference: Sequence[Scalar] = (),
    check: bool = True,
    noise: Scalar = 0,
) -> list[Scalar]:
    """x with  M x = force + J^T λ,  J x = target.  reference: sizes against which rounding counts,
    where the right side is rounding itself; noise: the square of what else is rounded in the rows.
    check: False where the size of pivots is check enough (forces of a controller)."""
    n = len(force)
    if plan.pivots is not None:
        return _embedded(M, force, lines, plan, check)
    rows = M + symmetric_rows(len(lines))
    for number, (entries, _) in enumerate(lines):
        for dof, x in entries.items():
            put(rows, dof, n + number, x)
    x, status = _refined(rows, [*force, *(target for _, target in lines)], n, plan, reference)
    if check:
        rounded = in_units(reference or x, plan.scale) + noise
        status = least_squares_check(status, lines, x, plan.scale, plan.mu, rounded)
    return with_status(x, status)


def moved(b, p, j):
    """Motion with the joint accelerations, and the forces it needs."""
    place(b, p, j)
    v_J = b.S @ j.v
    b.v = b.X @ p.v + v_J
    b.m = (b.X @ p.m).moved(v_J, b.S @ j.a + b.joint.bias(j.q, j.v))
    b.f = b.m.force(b.inertia, b.euler) - j.external


def needed(b, p, j):
    """The joint force that the motion of the tree needs: M a + h."""
    resistance = b.resistance(j.q, j.v)
    rotor = [x * y for x, y in zip(b.armature, j.a, strict=True)]
    parts = zip(b.S.T @ b.f, resistance, rotor, strict=True)
    j.needed = [f + r + i for f, r, i in parts]
    p.f += b.X.T @ b.f


def moving_world(g):
    return {name: x for name, x in world(g).items() if name != "I_C"}


def _defect(run: Run) -> None:
    """What is missing in the equations of motion for given a and λ, in `run.results`:

        balance = M a + h - tau - J^T λ,    rows = J a - gamma,    rates = J v

    The first two are zero for a solution; their slopes along a variation of (q, v) give its
    derivative.  The slopes of the third tell which change of v a change of q demands."""
    balance = [x - t for j in run.joints for x, t in zip(j.needed, j.tau, strict=True)]
    rows: list[Scalar] = []
    rates: list[Scalar] = []
    start, paths = 0, Paths(run)
    for constraint in run.constraints.all:
        found = constraint.rows_at(paths, range(constraint.count))
        rows += [-x for x in found.gamma]
        rates += found.rate
        for dof, x in found.known.items():
            balance[dof] = balance[dof] - x
        sizes = run.inputs["multipliers"][start : start + constraint.count]
        for line, size in zip(found.entries, sizes, strict=True):
            for dof, x in line.items():
                balance[dof] = balance[dof] - x * size
        start += constraint.count
    run.results = {"balance": balance, "rows": rows, "rates": rates}


_SLOPES = {"balance": ("dofs",), "rows": ("rows",), "rates": ("rows",)}
_defects = Algorithm(
    name="defect",
    passes=(Outward(moved), Inward(needed), GlobalStep(_defect)),
    world=moving_world,
    reads=("q", "v", "a", "external", "multipliers"),
    writes=dict.fromkeys(_SLOPES, "results"),
    shapes=dict(_SLOPES),
)


def _slopes(run: Run) -> None:
    """Slopes of the defect along a variation (dq, dv), by dual numbers through its steps; a and the
    multipliers are held."""
    given, q = run.inputs, list[Scalar]()
    for b, j, start in zip(run.bodies, run.joints, run.tables.v_offsets, strict=True):
        rates = b.joint.rate(j.q, tuple(given["dq"][start : start + b.joint.nv]))
        q += [Dual(x, rate) for x, rate in zip(j.q, rates, strict=True)]
    v = [Dual(x, rate) for x, rate in zip(given["v"], given["dv"], strict=True)]
    inner = Run(_defects, run.tables, run.base, {**given, "q": q, "v": v})
    run.results = {name: [Dual.lift(x).slope for x in inner.results[name]] for name in _SLOPES}


defect_slopes = Algorithm(
    name="defect_slopes",
    passes=(GlobalStep(_slopes),),
    world=lambda g: {},
    reads=("q", "v", "a", "external", "multipliers", "dq", "dv"),
    writes=dict.fromkeys(_SLOPES, "results"),
    shapes=dict(_SLOPES),
)


def _embedded(
    M: SparseRows, force: list[Scalar], lines: Lines, plan: Plan, check: bool
) -> list[Scalar]:
    """Accelerations of independent rows; unconverged where a pivot is too small to be trusted, or
    where they do not fulfil the rows and the balance of forces along the free motions."""
    pivots = plan.pivots or ()
    state = embed([entries for entries, _ in lines], [g for _, g in lines], pivots, len(force))
    a, growth = reduced(M, force, state)
    status = where(state.pivot_growth < PIVOT_GROWTH, CONVERGED, UNCONVERGED)
    status = status + where(growth < PIVOT_GROWTH, CONVERGED, UNCONVERGED)
    if check:
        independent = [lines[pivot.row] for pivot in pivots]
        status = residual_check(status, M, force, independent, state.motions, a, plan.scale)
    return with_status(a, status)


def _refined(
    rows: SparseRows, b: list[Scalar], n: int, plan: Plan, reference: Sequence[Scalar] = ()
) -> tuple[list[Scalar], Scalar]:
    """x of the true system, from solves with the regularised one; and its status."""
    damped = [dict(row) for row in rows]
    for k, mu in enumerate(plan.mu):
        damped[n + k][n + k] = damped[n + k].get(n + k, 0) - mu
    factor = SparseLDL(damped, plan.order)
    x, intermediate = factor.solve(b)
    step = x
    for _ in range(plan.refinements):
        residual = [r - product for r, product in zip(b, times(rows, x), strict=True)]
        step, _ = factor.solve(residual)
        x = [old + new for old, new in zip(x, step, strict=True)]
    reference = reference or intermediate[:n]
    return x[:n], _correction_check(rows, x, intermediate, step, reference, plan.tolerance)


def _correction_check(
    rows: SparseRows,
    x: list[Scalar],
    intermediate: list[Scalar],
    step: list[Scalar],
    reference: Sequence[Scalar],
    tolerance: float,
) -> Scalar:
    """Unconverged where the last correction is more than rounding: of each acceleration itself
    (masses may differ by 1e8, and accelerations with them), or of all of them, weighed by their
    inertias.

    A correction that is small is not enough.  Along a row of size σ (next to a singularity) each
    refinement takes σ² / mu of what is missing, so a thousand times the last one, or a million
    times, may still be to come: it has to be zero but for rounding."""
    n = len(reference)
    weights = [rows[k].get(k, 1.0) for k in range(n)]
    total: Scalar = 0
    for w, y in zip(weights, reference, strict=True):
        total = total + w * (y * y)
    massless = sum(weights) * MASSLESS
    status: Scalar = CONVERGED
    for k in range(n):
        square = step[k] * step[k]
        size = x[k] * x[k] + intermediate[k] * intermediate[k]
        weighed = (weights[k] + massless) * square
        kept = where(weighed <= total * ROUNDING**2, status, UNCONVERGED)
        status = where(square <= size * tolerance**2, status, kept)
    return status
