"""All rows of the constraints at a state: Jacobian, right sides, and where their forces act: from
body to body, so that straight-line code comes of it.  Loops over tables find the same for
mechanisms of any size (constraints/loop_rows.py)."""

from __future__ import annotations

from functools import partial

from armillary.algorithms.closed.constrained import moving_world
from armillary.algorithms.closed.constraint_rows import Paths, Row
from armillary.algorithms.closed.elimination_terms import BodyMotion
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Outward
from armillary.algorithms.tree.kinematics import along_world, place
from armillary.model.lowering.constraint_table import RightSides, missing
from armillary.scalar import Scalar
from armillary.spatial import Force, Motion, Transform

Lines = list[list[Scalar]]


def outward(b, p, j):
    """Motion without joint accelerations."""
    place(b, p, j)
    v_J = b.S @ j.v
    b.v = b.X @ p.v + v_J
    b.m = (b.X @ p.m).moved(v_J, b.joint.bias(j.q, j.v))


def all_rows(run: Run) -> None:
    """Results of a run that has moved all bodies without joint accelerations."""
    paths, n, table = Paths(run), run.tables.nv, run.constraints
    J, G, wrench_W, origin, given_W = (list[list[Scalar]]() for _ in range(5))
    frame: list[Lines] = []
    right = RightSides([], [], [])
    given: list[Scalar] = [0] * n
    resisted: list[Scalar] = [0] * n
    for constraint in table.frames:
        seen, closure = constraint.relative(paths), constraint.closure
        wrenches = closure.wrenches(seen.X_21)
        forces = wrenches if closure.ideal else closure.forces(seen.X_21)
        right.add(constraint.right_sides(seen, wrenches, range(constraint.count)))
        push = partial(constraint.push, paths, seen.top, seen.X_21)
        J += [_line(push(T), n) for T in wrenches]
        G += J[len(G) :] if closure.ideal else [_line(push(F), n) for F in forces]
        known = closure.given_force(seen.X_21)
        resistance = constraint.resistance(seen.X_21, seen.v, seen.near)
        for total, wrench in ((given, known), (given, resistance), (resisted, resistance)):
            for dof, x in ({} if missing(wrench) else push(wrench)).items():
                total[dof] = total[dof] + x
        X_2W = constraint.X_2B @ paths.pose(constraint.second, -1)
        wrench_W += [along_axes(X_2W, F) for F in forces]
        given_W.append(along_axes(X_2W, known + resistance))
        origin.append(list(X_2W.r.leaves()))
        frame.append([list(line) for line in (constraint.own @ X_2W.E).rows])
    for axis in table.axes:
        row = axis.rows_at(paths, (0,))
        J.append(_line(row.entries[0], n))
        G.append(J[-1])
        wrench_W.append([0] * 6)
        right.add(row)
    run.results = {
        "J": J,
        "G": G,
        "right": [right.gamma, right.rate, right.residual],
        "wrench_W": wrench_W,
        "origin": origin,
        "frame": frame,
        "given_W": given_W,
        "pushes": [given, resisted],
    }


def _line(entries: Row, n: int) -> list[Scalar]:
    return [entries.get(k, 0) for k in range(n)]


def along_axes(X_2W: Transform, wrench: Force) -> list[Scalar]:
    """A wrench of the second frame about the same point, along the world's axes."""
    back = X_2W.E.T
    return [*(back @ wrench.angular).leaves(), *(back @ wrench.linear).leaves()]


_SHAPES: dict[str, tuple[str | int, ...]] = {
    "J": ("rows", "dofs"),
    "G": ("rows", "dofs"),  # of the forces that multipliers exert, where these differ from the rows
    "right": (3, "rows"),  # gamma, rate, residual
    "wrench_W": ("rows", 6),
    "origin": ("constraints", 3),
    "frame": ("constraints", 3, 3),
    "given_W": ("constraints", 6),
    "pushes": (2, "dofs"),  # of all known wrenches; of friction and springs
}
_IDEAL = {name: shape for name, shape in _SHAPES.items() if name != "G"}


def _algorithm(name: str, shapes: dict[str, tuple[str | int, ...]]) -> Algorithm:
    return Algorithm(
        name=name,
        passes=(Outward(outward), GlobalStep(all_rows)),
        world=moving_world,
        reads=("q", "v"),
        writes=dict.fromkeys(shapes, "results"),
        shapes=dict(shapes),
    )


row_terms = _algorithm("row_terms", _IDEAL)
rubbing_row_terms = _algorithm("rubbing_row_terms", _SHAPES)  # of constraints that are not ideal


def _springs(run: Run) -> None:
    paths, found = Paths(run), list[Scalar]()
    for frame in run.constraints.frames:
        near = None if frame.turns is None else frame.turns.angle(paths.q)
        found.append(frame.spring_energy(frame.seen(paths)[1], near))
    run.results = {"stored": found}


# what the springs in the joints that close loops store, J
loop_springs = Algorithm(
    name="loop_springs",
    passes=(Outward(outward), GlobalStep(_springs)),
    world=moving_world,
    reads=("q", "v"),
    writes={"stored": "results"},
    shapes={"stored": ("constraints",)},
)


def _outward_shown(b, p, j):
    outward(b, p, j)
    b.Y = b.X @ p.Y
    b.motion = BodyMotion(b.Y, b.v, b.m)
    j.S = [along_world(b, s) for s in b.S]


# how bodies move, and the axes along the world's: all that constraints ask of the tree
row_motion = Algorithm(
    "row_motion",
    (Outward(_outward_shown),),
    lambda g: moving_world(g) | {"Y": Transform.identity()},
    ("q", "v"),
    {"motion": "body", "S": "columns"},
    {"motion": BodyMotion, "S": Motion},
)
