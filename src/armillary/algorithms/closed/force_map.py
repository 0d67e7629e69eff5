"""Reactions of a closed mechanism as an affine map of the multipliers of its constraints:

    wrench_b = t_b - Σ_r G_rb λ_r,        push_c = known_c + Σ_r T_r λ_r

t_b: what the joint of the open tree would carry with the motion as it is, and with the known
wrenches of the constraints (joint_forces.py).  Where the rank of the rows is found state by state,
the multipliers come from elsewhere, and so does the choice among those that balance each other
(constraints/self_stress.py)."""

from __future__ import annotations

from armillary.algorithms.closed.constrained import moved, moving_world
from armillary.algorithms.closed.constraint_rows import ConstraintPlace, Paths
from armillary.algorithms.closed.joint_forces import open_tree
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Outward, to_own
from armillary.scalar import Scalar
from armillary.spatial import Force


def _close(run: Run) -> None:
    paths, rows, count = Paths(run), run.constraints.count, len(run.bodies)
    places = [ConstraintPlace(run, paths, constraint) for constraint in run.constraints.frames]
    of_bodies = [_zeros(rows) for _ in range(count)]
    of_frames = [_zeros(rows) for _ in places]
    known, row = [], 0
    for push, place in zip(of_frames, places, strict=True):
        own = place.constraint.own
        for T in place.wrenches:
            _put(push, row, to_own(T, own))
            for body, force in place.carried(T).items():
                _put(of_bodies[body], row, to_own(-force, run.bodies[body].own))
            row += 1
        known.append(list(to_own(place.known() or Force.zero(), own).leaves()))
    tree = open_tree(run, places)
    axes: list[list[Scalar]] = []
    drives: list[list[Scalar]] = []
    for b, j in zip(run.bodies, run.joints, strict=True):
        axes += [list(to_own(s, b.own).leaves()) for s in b.S]
        drives += [list(to_own(psi, b.own).leaves()) for psi in b.joint.dual_bases(j.q)[0]]
    run.results = {
        "of_bodies": of_bodies,
        "of_frames": of_frames,
        "tree": [
            list(to_own(wrench, b.own).leaves()) for b, wrench in zip(run.bodies, tree, strict=True)
        ],
        "known": known,
        "axes": [axes, drives],
    }


def _zeros(rows: int) -> list[list[Scalar]]:
    return [[0] * rows for _ in range(6)]


def _put(matrix: list[list[Scalar]], row: int, wrench: Force) -> None:
    for line, x in zip(matrix, wrench.leaves(), strict=True):
        line[row] = x


_SHAPES: dict[str, tuple[str | int, ...]] = {
    "of_bodies": ("bodies", 6, "rows"),  # -G, in the bodies' frames
    "of_frames": ("constraints", 6, "rows"),  # T, in the second frames
    "tree": ("bodies", 6),  # t
    "known": ("constraints", 6),
    "axes": (2, "dofs", 6),  # S, and the wrenches psi that drive along it
}
force_map = Algorithm(
    name="force_map",
    passes=(Outward(moved), GlobalStep(_close)),
    world=moving_world,
    reads=("q", "v", "a", "external"),
    writes=dict.fromkeys(_SHAPES, "results"),
    shapes=dict(_SHAPES),
)
