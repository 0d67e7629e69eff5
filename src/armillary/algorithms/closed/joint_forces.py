"""Forces of a closed mechanism whose accelerations are known: multipliers of the constraints, and
the wrench in every joint.

With the motion known, Newton-Euler from the tips gives the wrench t_b that each joint of the open
tree would carry.  What it lacks against the drives is what the constraints supply,

    J^T λ = r,    r = M a + h - tau,        wrench_b = t_b - Σ G_rb λ_r,

G_rb being the wrench of row r carried to body b.  Where rows follow from others, λ is not
determined: it is the one with the smallest reactions over all joints and constraints
(constraints/self_stress.py), moments over the size of the machine.  That is a least-squares problem
with equations beside it,

    H λ + J y = g,    J^T λ = r,            H = Σ_b G_b^T G_b + own,   g = Σ_b G_b^T t_b.

Rows that are independent but for constant sums are solved for the pivots of the embedding
(embedding.py), and shared out among those that follow.  Else the system is solved with -mu in the
empty corner and refined with the residual of the true one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armillary.algorithms.closed.constrained import PIVOT_GROWTH, moved, moving_world
from armillary.algorithms.closed.constraint_rows import ConstraintPlace, Paths, Row
from armillary.algorithms.closed.embedding import Pivot
from armillary.algorithms.closed.multiplier_systems import SaddleSystem, Transposed, fewest_first
from armillary.algorithms.closed.residual import CONVERGED, UNCONVERGED, with_status
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Outward, made_for, to_own
from armillary.algorithms.sparse import (
    SparseLDL,
    SparseRows,
    common,
    product,
    put,
    symmetric_rows,
)
from armillary.scalar import Scalar, where
from armillary.spatial import Force

REFINEMENTS = 3
UNBALANCED = 1e-10  # of all forces: more is no solution
ROUNDING = 1e-12  # of all forces: the last correction
OPENING = 1e-5  # of the machine's size: ranks of rows that are further open are found one by one
STRETCHED = 1e3  # of a probe by the inverse of independent rows: more asks for their condition


@dataclass(frozen=True)
class ForcePlan:
    """How the forces of one mechanism are found, decided when it is built.

    kept: rows that do not follow from others in every configuration; following: the others, as
    sums of kept ones in scaled units, (row, ((kept row, coefficient), ...)).  pivots: where all
    kept rows are independent, the degrees of freedom they are solved for.  J without units is
    rows J columns / length."""

    kept: tuple[int, ...]
    following: tuple[tuple[int, tuple[tuple[int, float], ...]], ...]
    pivots: tuple[Pivot, ...] | None
    rows: tuple[float, ...]
    columns: tuple[float, ...]
    length: float


@dataclass
class Wrenches:
    """One row of the constraints: where it pushes."""

    carried: dict[int, Force]  # G_rb by body, in kernel frames
    own: Force | None  # on the second frame; None: along coordinates
    entries: Row  # of J
    place: ConstraintPlace | None = None

    def shares(self, other: Wrenches) -> bool:
        """Do both push at one joint, or are they rows of one constraint?"""
        alike = self.place is other.place if self.place is not None else self is other
        return alike or bool(self.carried.keys() & other.carried.keys())


@made_for
def joint_forces(plan: ForcePlan) -> Algorithm:
    """The algorithm for one plan; the tables carry the constraints, and no body is fused.

    Results: multipliers of all rows; the wrench in every joint (by the parent on the body) and its
    part along the joint's axes; the wrench of every constraint between frames on its second body,
    in the second frame; and `stretch`, which is above 1 next to singular positions.  NaN where the
    state is none for straight-line code."""

    def close(run: Run) -> None:
        paths = Paths(run)
        places = [ConstraintPlace(run, paths, constraint) for constraint in run.constraints.frames]
        rows = [_row(place, T) for place in places for T in place.wrenches]
        for axis in run.constraints.axes:
            rows.append(Wrenches({}, None, axis.rows_at(paths, (0,)).entries[0]))
        carried = open_tree(run, places)
        r = _missing(run, carried)
        status = _closed(places, plan)
        solve = _smallest if plan.pivots is None else _embedded
        size = _in_play(run, plan, carried)
        found, stretch, status = solve(plan, rows, carried, r, size, status)
        status = _balanced(plan, rows, r, found, size, status)
        found = with_status(found, status)
        run.results = {"multipliers": found, "stretch": [stretch]}
        run.results["pushes"] = _on_frames(places, found)
        for k, (b, j) in enumerate(zip(run.bodies, run.joints, strict=True)):
            b.wrench = carried[k]
            for row, x in zip(rows, found, strict=True):
                if k in row.carried:
                    b.wrench = b.wrench - row.carried[k] * x
            psi, _ = b.joint.dual_bases(j.q)
            b.driving = psi @ (b.S.T @ b.wrench)

    return Algorithm(
        name="joint_forces",
        passes=(Outward(moved), GlobalStep(close)),
        world=moving_world,
        reads=("q", "v", "a", "tau", "external"),
        writes={
            "multipliers": "results",
            "wrench": "body",
            "driving": "body",
            "pushes": "results",
            "stretch": "results",
        },
        shapes={
            "multipliers": ("rows",),
            "wrench": Force,
            "driving": Force,
            "pushes": ("constraints", 6),
            "stretch": (1,),
        },
    )


def _row(place: ConstraintPlace, T: Force) -> Wrenches:
    carried = place.carried(T)
    return Wrenches(carried, T, place.powers(carried), place)


def _closed(places: Sequence[ConstraintPlace], plan: ForcePlan) -> Scalar:
    """The status: unconverged where a loop is open, which changes what counts as its rank.  Wheels
    stand on ground that may move, and coordinates may be driven anywhere."""
    status: Scalar = CONVERGED
    for place in places:
        closure = place.constraint.closure
        if place.constraint.kind == "wheel":
            continue
        residual = closure.residual(place.X_21)
        for x, unit, kept in zip(residual, closure.units, closure.holonomic, strict=True):
            size = x * (1.0 / OPENING if unit == "rad" else 1.0 / (OPENING * plan.length))
            status = where(size * size <= 1.0, status, UNCONVERGED) if kept else status
    return status


def open_tree(run: Run, places: Sequence[ConstraintPlace]) -> list[Force]:
    """t_b: the wrench in every joint of the open tree, with the known wrenches of constraints."""
    total = [b.f for b in run.bodies]
    for k in reversed(range(len(total))):
        parent = run.tables.parents[k]
        if parent >= 0:
            total[parent] = total[parent] + run.bodies[k].X.T @ total[k]
    for place in places:
        if (known := place.known()) is not None:
            for body, force in place.carried(known).items():
                total[body] = total[body] - force
    return total


def _in_play(run: Run, plan: ForcePlan, carried: Sequence[Force]) -> Scalar:
    """The square of all forces: in the joints of the open tree, and weights, which cancel in free
    fall and leave their rounding."""
    size = sum((_square(plan, wrench) for wrench in carried), 0)
    masses = sum((b.inertia.mass * b.inertia.mass for b in run.bodies), 0)
    return size + run.base.gravity.dot(run.base.gravity) * masses


def _missing(run: Run, carried: Sequence[Force]) -> list[Scalar]:
    """r = M a + h - tau, by degree of freedom."""
    found: list[Scalar] = []
    for b, j, wrench in zip(run.bodies, run.joints, carried, strict=True):
        parts = (b.S.T @ wrench, b.resistance(j.q, j.v), b.armature, j.a, j.tau)
        found += [f + x + m * a - t for f, x, m, a, t in zip(*parts, strict=True)]
    return found


def _embedded(
    plan: ForcePlan,
    rows: Sequence[Wrenches],
    carried: Sequence[Force],
    r: Sequence[Scalar],
    size: Scalar,
    status: Scalar,
) -> tuple[list[Scalar], Scalar, Scalar]:
    """λ of kept rows that are independent: J_D^T λ = r_D for the degrees of freedom D of the
    pivots.  Rows that follow from them (J_d = C J_k) take of it what makes the reactions smallest:
    λ = (λ_k - C^T c, c)."""
    transposed = Transposed(plan.pivots or (), [rows[k].entries for k in plan.kept])
    some = [plan.length / (size * (1.0 + k % 3)) for k, size in enumerate(plan.columns)]
    stretch: Scalar = 0
    for k, x in zip(plan.kept, transposed.solve(some), strict=True):
        part = x * (1.0 / (plan.rows[k] * STRETCHED))
        stretch = stretch + part * part
    status = where(transposed.growth < PIVOT_GROWTH, status, UNCONVERGED)
    found: list[Scalar] = [0] * len(rows)
    for k, x in zip(plan.kept, transposed.solve(r), strict=True):
        found[k] = x
    if plan.following:
        found = _shared_out(plan, rows, carried, found)
    return found, stretch, status


def _shared_out(
    plan: ForcePlan, rows: Sequence[Wrenches], carried: Sequence[Force], found: Sequence[Scalar]
) -> list[Scalar]:
    """Multipliers of the kept rows, shared with those that follow: Z^T H Z c = Z^T (g - H λ)."""
    H, g = _least_squares(plan, rows, carried)
    scaled = [x * (1.0 / size) for x, size in zip(found, plan.rows, strict=True)]
    left = [x - product(row, scaled) for x, row in zip(g, H, strict=True)]
    Z: list[Row] = []  # columns
    for number, terms in plan.following:
        Z.append({number: 1} | {k: -coefficient for k, coefficient in terms})
    moved = [[common(row, z) for row in H] for z in Z]
    reduced = symmetric_rows(len(Z))
    for i, z in enumerate(Z):
        for k in range(i + 1):
            put(reduced, i, k, product(z, moved[k]))
    factor = SparseLDL(reduced, fewest_first(reduced))
    sizes, _ = factor.solve([product(z, left) for z in Z])
    for z, x in zip(Z, sizes, strict=True):
        for k, share in z.items():
            scaled[k] = scaled[k] + share * x
    return [x * size for x, size in zip(scaled, plan.rows, strict=True)]


def _smallest(
    plan: ForcePlan,
    rows: Sequence[Wrenches],
    carried: Sequence[Force],
    r: Sequence[Scalar],
    size: Scalar,
    status: Scalar,
) -> tuple[list[Scalar], Scalar, Scalar]:
    """λ of the smallest reactions; how far a probe is left unsolved; the status."""
    lines = _scaled_rows(plan, rows)
    H, g = _least_squares(plan, rows, carried)
    system = SaddleSystem(H, lines, len(plan.columns))
    goal = [x * (size / plan.length) for x, size in zip(r, plan.columns, strict=True)]
    found, last = system.solve(g, goal, REFINEMENTS)
    for x in found:
        size = size + x * x
    step: Scalar = 0
    for x in last:
        step = step + x * x
    status = where(step <= size * ROUNDING**2, status, UNCONVERGED)
    found = [x * size for x, size in zip(found, plan.rows, strict=True)]
    return found, system.unsolved(), status


def _scaled_rows(plan: ForcePlan, rows: Sequence[Wrenches]) -> list[Row]:
    """J without units; rows that follow from others as sums of those."""
    lines: list[Row] = [{} for _ in rows]
    for k in plan.kept:
        lines[k] = {
            dof: x * (plan.rows[k] * plan.columns[dof] / plan.length)
            for dof, x in rows[k].entries.items()
        }
    for number, terms in plan.following:
        for k, coefficient in terms:
            for dof, x in lines[k].items():
                lines[number][dof] = lines[number].get(dof, 0) + x * coefficient
    return lines


def _least_squares(
    plan: ForcePlan, rows: Sequence[Wrenches], carried: Sequence[Force]
) -> tuple[SparseRows, list[Scalar]]:
    """H and g of the sum of squared reactions, moments over the size of the machine."""
    H, g = symmetric_rows(len(rows)), []
    for i, row in enumerate(rows):
        right: Scalar = 0
        for body, force in row.carried.items():
            right = right + _weighed(plan, force, carried[body])
        g.append(right * plan.rows[i])
        for k, other in enumerate(rows[: i + 1]):
            if not row.shares(other):
                continue
            total: Scalar = 1 if row.own is None else 0
            for body in sorted(row.carried.keys() & other.carried.keys()):
                total = total + _weighed(plan, row.carried[body], other.carried[body])
            if row.own is not None and other.own is not None and row.place is other.place:
                total = total + _weighed(plan, row.own, other.own)
            scale = 1 if row.own is None else plan.rows[i] * plan.rows[k]
            put(H, i, k, total * scale)
    return H, g


def _weighed(plan: ForcePlan, one: Force, two: Force) -> Scalar:
    arm = 1.0 / (plan.length * plan.length)
    return one.angular.dot(two.angular) * arm + one.linear.dot(two.linear)


def _square(plan: ForcePlan, wrench: Force) -> Scalar:
    return _weighed(plan, wrench, wrench)


def _balanced(
    plan: ForcePlan,
    rows: Sequence[Wrenches],
    r: Sequence[Scalar],
    found: Sequence[Scalar],
    size: Scalar,
    status: Scalar,
) -> Scalar:
    """The status after checking J^T λ = r against all forces in play."""
    left = list(r)
    for row, x in zip(rows, found, strict=True):
        for dof, entry in row.entries.items():
            left[dof] = left[dof] - entry * x
    for y, scale in zip(r, plan.columns, strict=True):
        size = size + (y * (scale / plan.length)) * (y * (scale / plan.length))
    for x, scale in zip(left, plan.columns, strict=True):
        x = x * (scale / plan.length)
        status = where(x * x <= size * UNBALANCED**2, status, UNCONVERGED)
    return status


def _on_frames(places: Sequence[ConstraintPlace], found: Sequence[Scalar]) -> list[list[Scalar]]:
    """The wrench of every constraint between frames, in its second frame as a person sees it."""
    pushes, start = [], 0
    for place in places:
        total = place.known() or Force.zero()
        for T, x in zip(place.wrenches, found[start:], strict=False):
            total = total + T * x
        start += place.constraint.count
        pushes.append(list(to_own(total, place.constraint.own).leaves()))
    return pushes
