"""Accelerations of a mechanism with constraints, from one sparse regularised system.

    [ M    J^T ] [  a ]   [ tau - h ]
    [ J   -mu  ] [ -λ ] = [  gamma  ]

It is solved, and then refined with the residual of the *true* system (mu = 0): the plain proximal
recursion is silently wrong close to singularities.  Where the last correction is not small, the
result is marked (not a number) and the robust kernel takes over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from armillary.algorithms.embedding import Pivot, embed, reduced
from armillary.algorithms.kinematics import place
from armillary.algorithms.mass_matrix import compose, mass_matrix
from armillary.algorithms.passes import Algorithm, AncestorPairs, GlobalStep, Inward, Outward
from armillary.algorithms.proof import NAN, ROUNDING, proved
from armillary.algorithms.sparse import SparseLDL, SparseRows, put, symmetric_rows, times
from armillary.joints.closures import rate_bias
from armillary.scalar import Scalar, where
from armillary.spatial import Force, Inertia, Motion, RigidMotion, Transform

Lines = list[tuple[dict[int, Scalar], Scalar]]
MASSLESS = 1e-12  # of all inertias: less opposes nothing
STRAIN = 1e6  # pivots down to a thousandth of their usual size are trusted


@dataclass(frozen=True)
class Plan:
    """How the equations of one mechanism are solved, decided when it is built.

    kept: rows of J that do not follow from the others in every configuration.  order: elimination
    order of (degrees of freedom, kept rows).  mu: regularisation of each kept row.

    Rows that are independent in all samples need no regularisation: they are solved for dependent
    coordinates (embedding.py), which is shorter and as exact."""

    kept: tuple[int, ...]
    order: tuple[int, ...] = ()
    mu: tuple[float, ...] = ()
    refinements: int = 3
    tolerance: float = 1e-13  # largest last correction, as a part of the accelerations
    pivots: tuple[Pivot, ...] | None = None  # independent rows: solved for these instead
    reach: tuple[float, ...] = ()  # 1 rad, or the size of the machine, per degree of freedom


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
    p.f += b.X.T @ b.f
    compose(b, p, j)


def world(g):
    return {
        "v": g.velocity,
        "m": RigidMotion.from_motions(g.velocity, g.felt_acceleration()),
        "f": Force.zero(),
        "I_C": Inertia.zero(),
    }


class Ways:
    """Paths between bodies of a running algorithm."""

    def __init__(self, run: Any):
        self.run, self.parents = run, run.tables.parents
        self._poses: dict[tuple[int, int], Transform] = {}

    def ancestors(self, body: int) -> list[int]:
        """The body itself, its parent, ... and the world (-1)."""
        way = [body]
        while way[-1] >= 0:
            way.append(self.parents[way[-1]])
        return way

    def meeting(self, one: int, two: int) -> int:
        """The nearest body that carries both."""
        others = set(self.ancestors(one))
        return next(body for body in self.ancestors(two) if body in others)

    def pose(self, body: int, carrier: int) -> Transform:
        """X: from the carrier's to the body's frame."""
        if body == carrier:
            return Transform.identity()
        if (body, carrier) not in self._poses:
            before = self.pose(self.parents[body], carrier)
            self._poses[body, carrier] = self.run.bodies[body].X @ before
        return self._poses[body, carrier]

    def record(self, body: int) -> Any:
        return self.run.bodies[body] if body >= 0 else self.run.world

    def push(self, body: int, carrier: int, force: Force) -> dict[int, Scalar]:
        """Generalised force of a wrench on a body, up to the carrier, by degree of freedom."""
        entries = {}
        while body != carrier:
            b = self.run.bodies[body]
            for k, s in enumerate(b.S):
                entries[self.run.tables.v_offsets[body] + k] = s.dot(force)
            force = b.X.T @ force
            body = self.parents[body]
        return entries


@dataclass
class TieRows:
    """Rows of one constraint: entries of J, what J a must be, and the generalised force it is known
    to     give; velocity along the rows, and how far they are open."""

    entries: list[dict[int, Scalar]]
    gamma: list[Scalar]
    given: dict[int, Scalar]
    rate: list[Scalar]
    residual: list[Scalar]


def constraint_rows(ways: Ways, constraint: Any, wanted: Sequence[int]) -> TieRows:
    """The wanted rows of a constraint between two frames."""
    top = ways.meeting(constraint.first, constraint.second)
    X_2 = constraint.X_2B @ ways.pose(constraint.second, top)
    X_1 = constraint.X_1A @ ways.pose(constraint.first, top)
    X_21 = X_2 @ X_1.inverse()
    one, two = ways.record(constraint.first), ways.record(constraint.second)
    v_1, v_2 = X_21 @ (constraint.X_1A @ one.v), constraint.X_2B @ two.v
    m_1, m_2 = X_21 @ (constraint.X_1A @ one.m), constraint.X_2B @ two.m
    v = v_2 - v_1
    # rate of v as seen in frame 2, without joint accelerations; gravity is in both and cancels
    turn = m_2.alpha - m_1.alpha - m_2.w.cross(v.angular)
    slide = m_2.a - m_1.a - (m_1.w + m_2.w).cross(v.linear)
    rate = Motion(turn, slide)
    bias = rate_bias(constraint.closure, X_21, v)
    wrenches = constraint.closure.wrenches(X_21)

    def push(t: Force) -> dict[int, Scalar]:
        there = ways.push(constraint.second, top, constraint.X_2B.T @ t)
        back = ways.push(constraint.first, top, constraint.X_1A.T @ (X_21.T @ t))
        return there | {dof: -x for dof, x in back.items()}

    near = None if constraint.turns is None else constraint.turns.angle(ways.run.inputs["q"])
    known = constraint.closure.given_force(X_21) + constraint.resistance(X_21, v, near)
    nothing = all(type(x) is int and x == 0 for x in known.leaves())
    return TieRows(
        [push(wrenches[k]) for k in wanted],
        [bias[k] - rate.dot(wrenches[k]) for k in wanted],
        {} if nothing else push(known),
        [v.dot(wrenches[k]) for k in wanted],
        [constraint.closure.residual(X_21)[k] for k in wanted],
    )


def constrained_dynamics(plan: Plan) -> Algorithm:
    """The algorithm for one plan; the tables carry the constraints."""

    def close(run: Any) -> None:
        force = [t - h for j in run.joints for t, h in zip(j.tau, j.h, strict=True)]
        lines = kept_rows(run, plan, "gamma", force)
        a = solved(inertias(run), plan, force, lines)
        for j, start in zip(run.joints, run.tables.v_offsets, strict=True):
            j.a = tuple(a[start : start + len(j.v)])

    pairs = next(p for p in mass_matrix.passes if isinstance(p, AncestorPairs))
    return Algorithm(
        "constrained_dynamics", (Outward(outward), Inward(inward), pairs, GlobalStep(close)), world,
        ("q", "v", "tau", "external", "prescribed"), {"a": "dof"},
    )  # fmt: skip


def correction(plan: Plan, level: str) -> Algorithm:
    """The smallest step by kinetic energy that closes the rows to first order.

    level "residual": a step of q (rolling rows are not in the plan); "rate": a step of v.
    Input "prescribed": the place or velocity that every row is to have."""

    def close(run: Any) -> None:
        lines = [(entries, -x) for entries, x in kept_rows(run, plan, level, [])]
        # what a correction is small against: velocities, or the reach of the machine
        usual = run.inputs["v"] if level == "rate" else plan.reach
        x = solved(inertias(run), plan, [0] * run.tables.nv, lines, usual)
        for j, start in zip(run.joints, run.tables.v_offsets, strict=True):
            j.x = tuple(x[start : start + len(j.v)])

    pairs = next(p for p in mass_matrix.passes if isinstance(p, AncestorPairs))
    reads = ("q", "prescribed") if level == "residual" else ("q", "v", "prescribed")
    return Algorithm(
        f"correction_{level}", (Outward(outward), Inward(compose), pairs, GlobalStep(close)), world,
        reads, {"x": "dof"},
    )  # fmt: skip


def inertias(run: Any) -> SparseRows:
    """M of a run."""
    rows = symmetric_rows(run.tables.nv)
    for r, line in enumerate(run.matrices["M"]):
        for c in range(r + 1):
            put(rows, r, c, line[c])
    return rows


def solved(
    M: SparseRows, plan: Plan, force: list[Scalar], lines: Lines, usual: Sequence[Scalar] = (),
    prove: bool = True,
) -> list[Scalar]:  # fmt: skip
    """x with  M x = force + J^T λ,  J x = target.  usual: sizes against which rounding counts,
    where the right side is rounding itself.  prove: False where small pivots are doubt
    enough (forces of a controller)."""
    n = len(force)
    if plan.pivots is not None:
        return _embedded(M, force, lines, plan, prove)
    rows = M + symmetric_rows(len(lines))
    for number, (entries, _) in enumerate(lines):
        for dof, x in entries.items():
            put(rows, dof, n + number, x)
    return _refined(rows, [*force, *(target for _, target in lines)], n, plan, usual)


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


def defect(multipliers: Sequence[Scalar]) -> Algorithm:
    """What is missing in the equations of motion for given a and λ:

        run.flat = M a + h - tau - J^T λ,    run.rows = J a - gamma,    run.rates = J v

    The first two are zero for a solution; their slopes along a variation of (q, v) give its
    derivative.  The slopes of the third tell which change of v a change of q demands."""

    def close(run: Any) -> None:
        flat = [x - t for j in run.joints for x, t in zip(j.needed, j.tau, strict=True)]
        run.rows, run.rates = [], []
        a, speed = ([x for j in run.joints for x in getattr(j, name)] for name in ("a", "v"))
        start, ways = 0, Ways(run)
        for constraint in run.tables.constraints.all:
            sizes = multipliers[start : start + constraint.count]
            if hasattr(constraint, "closure"):
                found = constraint_rows(ways, constraint, range(constraint.count))
                lines = found.entries
                run.rows += [-x for x in found.gamma]
                run.rates += found.rate
                for dof, x in found.given.items():
                    flat[dof] = flat[dof] - x
            else:
                lines = [{v: c for v, _, c in constraint.terms}]
                run.rows += [
                    sum(a[v] * c for v, _, c in constraint.terms) - constraint.acceleration
                ]
                run.rates += [sum(speed[v] * c for v, _, c in constraint.terms)]
            for line, size in zip(lines, sizes, strict=True):
                for dof, x in line.items():
                    flat[dof] = flat[dof] - x * size
            start += constraint.count
        run.flat = flat

    return Algorithm(
        "defect", (Outward(moved), Inward(needed), GlobalStep(close)), moving_world,
        ("q", "v", "a", "tau", "external"), {"needed": "dof"},
    )  # fmt: skip


def kept_rows(run: Any, plan: Plan, level: str, force: list[Scalar]) -> Lines:
    """Entries of every kept row, with its gamma, rate or residual; prescribed motion is added to
    gamma and taken off the others.  At the level of gamma, known forces of contacts and passive
    ones of loops are added to `force`."""
    ways, constraints = Ways(run), run.tables.constraints
    drive, way = run.inputs.get("prescribed"), 1 if level == "gamma" else -1
    kept, start = set(plan.kept), 0
    result: Lines = []
    for constraint in constraints.all:
        wanted = [k for k in range(constraint.count) if start + k in kept]
        if not wanted and not (level == "gamma" and hasattr(constraint, "closure")):
            start += (
                constraint.count
            )  # forces that are known act even where all rows follow from others
            continue
        if hasattr(constraint, "closure"):
            found = constraint_rows(ways, constraint, wanted)
            for dof, x in found.given.items() if level == "gamma" else ():
                force[dof] = force[dof] + x
            lines = list(zip(found.entries, getattr(found, level), strict=True))
        else:
            lines = [_axis_row(run, constraint, level)]
        for k, (line, target) in zip(wanted, lines, strict=True):
            extra = drive[start + k] * way if drive is not None else 0
            result.append((line, target + extra))
        start += constraint.count
    return result


def _axis_row(run: Any, constraint: Any, level: str) -> tuple[dict[int, Scalar], Scalar]:
    """A coupling or drive: constant entries."""
    entries: dict[int, Scalar] = {}
    for v, _, coefficient in constraint.terms:
        entries[v] = entries.get(v, 0) + coefficient
    if level == "gamma":
        return entries, constraint.acceleration
    given, names = (constraint.velocity, "v") if level == "rate" else (constraint.offset, "q")
    if given is None:
        return entries, 0
    total: Scalar = given * -1
    for v, q, coefficient in constraint.terms:
        total = total + coefficient * run.inputs[names][v if names == "v" else q]
    return entries, total


def _embedded(
    M: SparseRows, force: list[Scalar], lines: Lines, plan: Plan, prove: bool
) -> list[Scalar]:
    """Accelerations of independent rows; marked where a pivot is too small to be trusted, or where
    they do not fulfil the rows and the balance of forces along the free motions."""
    pivots = plan.pivots or ()
    state = embed([entries for entries, _ in lines], [g for _, g in lines], pivots, len(force))
    a, strain = reduced(M, force, state)
    doubt = where(state.strain < STRAIN, 0.0, NAN) + where(strain < STRAIN, 0.0, NAN)
    if prove:
        doubt = proved(doubt, M, force, lines, state.motions, a, plan.reach)
    return [value + doubt for value in a]


def _refined(
    rows: SparseRows, b: list[Scalar], n: int, plan: Plan, usual: Sequence[Scalar] = ()
) -> list[Scalar]:
    """x of the true system, from solves with the regularised one."""
    damped = [dict(row) for row in rows]
    for k, mu in enumerate(plan.mu):
        damped[n + k][n + k] = damped[n + k].get(n + k, 0) - mu
    factor = SparseLDL(damped, plan.order)
    x, halfway = factor.solve(b)
    step = x
    for _ in range(plan.refinements):
        residual = [r - product for r, product in zip(b, times(rows, x), strict=True)]
        step, _ = factor.solve(residual)
        x = [old + new for old, new in zip(x, step, strict=True)]
    doubt = _doubt(rows, x, halfway, step, usual or halfway[:n], plan.tolerance)
    return [value + doubt for value in x[:n]]


def _doubt(
    rows: SparseRows, x: list[Scalar], halfway: list[Scalar], step: list[Scalar],
    usual: Sequence[Scalar], tolerance: float,
) -> Scalar:  # fmt: skip
    """Not a number where the last correction is more than rounding: of each acceleration itself
    (masses may differ by 1e8, and accelerations with them), or of all of them, weighed by their
    inertias.

    A correction that is small is not enough.  Along a row of size σ (next to a singularity) each
    refinement takes σ² / mu of what is missing, so a thousand times the last one, or a million
    times, may still be to come: it has to be zero but for rounding."""
    n = len(usual)
    weights = [rows[k].get(k, 1.0) for k in range(n)]
    total: Scalar = 0
    for w, y in zip(weights, usual, strict=True):
        total = total + w * (y * y)
    massless = sum(weights) * MASSLESS
    doubt: Scalar = 0.0
    for k in range(n):
        square = step[k] * step[k]
        small = square <= (x[k] * x[k] + halfway[k] * halfway[k]) * tolerance**2
        weighed = (weights[k] + massless) * square
        doubt = where(small, doubt, where(weighed <= total * ROUNDING**2, doubt, NAN))
    return doubt
