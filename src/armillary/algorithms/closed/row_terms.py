"""All rows of the constraints at a state: Jacobian, right sides, and where their forces act.

The same quantities as constraints/rows.py has for arrays of states, by another path: from body to
body, so that straight-line code comes of it."""

from __future__ import annotations

from armillary.algorithms.closed.constrained import moving_world
from armillary.algorithms.closed.constraint_rows import ConstraintPlace, Paths, Row
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Outward
from armillary.algorithms.tree.kinematics import place
from armillary.scalar import Scalar
from armillary.spatial import Force, Transform


def outward(b, p, j):
    """Motion without joint accelerations."""
    place(b, p, j)
    v_J = b.S @ j.v
    b.v = b.X @ p.v + v_J
    b.m = (b.X @ p.m).moved(v_J, b.joint.bias(j.q, j.v))


def all_rows(run: Run) -> None:
    """Results of a run that has moved all bodies without joint accelerations."""
    paths, n = Paths(run), run.tables.nv
    table = run.constraints
    found = [constraint.rows_at(paths, range(constraint.count)) for constraint in table.all]
    run.results = {
        "J": [[line.get(k, 0) for k in range(n)] for rows in found for line in rows.entries],
        "right": [
            [x for rows in found for x in rows.gamma],
            [x for rows in found for x in rows.rate],
            [x for rows in found for x in rows.residual],
        ],
        "wrench_W": [],
        "origin": [],
        "frame": [],
        "given_W": [],
    }
    given: list[Scalar] = [0] * n
    resisted: list[Scalar] = [0] * n
    for constraint in table.frames:
        spot = ConstraintPlace(run, paths, constraint)
        X_2W = constraint.X_2B @ paths.pose(constraint.second, -1)
        push, resistance = spot.given(), spot.resistance()
        _add(given, spot, push)
        _add(given, spot, resistance)
        _add(resisted, spot, resistance)
        known = (push or Force.zero()) + (resistance or Force.zero())
        results = run.results
        results["wrench_W"] += [list(_along_world(X_2W, T).leaves()) for T in spot.wrenches]
        results["given_W"].append(list(_along_world(X_2W, known).leaves()))
        results["origin"].append(list(X_2W.r.leaves()))
        results["frame"].append([list(line) for line in (constraint.own @ X_2W.E).rows])
    run.results["wrench_W"] += [[0] * 6 for _ in table.axes]
    run.results["pushes"] = [given, resisted]


def _along_world(X_2W: Transform, wrench: Force) -> Force:
    """The same wrench about the same point, along the world's axes."""
    back = X_2W.E.T
    return Force(back @ wrench.angular, back @ wrench.linear)


def _add(total: list[Scalar], spot: ConstraintPlace, wrench: Force | None) -> None:
    if wrench is not None:
        entries: Row = spot.powers(spot.carried(wrench))
        for dof, x in entries.items():
            total[dof] = total[dof] + x


_SHAPES: dict[str, tuple[str | int, ...]] = {
    "J": ("rows", "dofs"),
    "right": (3, "rows"),  # gamma, rate, residual
    "wrench_W": ("rows", 6),
    "origin": ("constraints", 3),
    "frame": ("constraints", 3, 3),
    "given_W": ("constraints", 6),
    "pushes": (2, "dofs"),  # of all known wrenches; of friction and springs
}
row_terms = Algorithm(
    name="row_terms",
    passes=(Outward(outward), GlobalStep(all_rows)),
    world=moving_world,
    reads=("q", "v"),
    writes=dict.fromkeys(_SHAPES, "results"),
    shapes=dict(_SHAPES),
)
