"""Springs in joints that close loops, with their turns counted beside the coordinates.

The pose of two frames tells an angle up to whole turns.  Other algorithms take the turn nearest to
the rest of the spring; here the input "turns" holds, for every such angle, a number within half a
turn of it, and what comes out is what the right turn adds.
"""

from __future__ import annotations

from armillary.algorithms.closed.constrained import moving_world, outward
from armillary.algorithms.closed.constraint_rows import Paths
from armillary.algorithms.closed.variational import Numbers
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Outward
from armillary.scalar import Scalar


def turned_springs(count: int) -> Algorithm:
    """(q, v, turns) -> forces (nv), and for `count` angles: the angles, their rates, energies, and
    wrenches on the second bodies, along the world's axes at the origins of the second frames."""

    def step(run: Run) -> None:
        paths, turns = Paths(run), list(run.inputs["turns"])
        force: list[Scalar] = [0] * run.tables.nv
        found: list[tuple[Scalar, ...]] = []
        pushes: list[Scalar] = []
        for constraint in run.constraints.frames:
            near = [turns.pop(0) for _ in constraint.winding]
            if not near:
                continue
            top, X_21 = constraint.seen(paths)
            (v_A, _), (v_B, _) = paths.motion(constraint.first), paths.motion(constraint.second)
            v = constraint.X_2B @ v_B - X_21 @ (constraint.X_1A @ v_A)
            R_W2 = (constraint.X_2B @ paths.pose(constraint.second, -1)).E.T
            for angle, rate, push, energy in constraint.turned_springs(X_21, v, near):
                pushes += [*(R_W2 @ push.angular).leaves(), *(R_W2 @ push.linear).leaves()]
                for dof, x in constraint.push(paths, top, X_21, push).items():
                    force[dof] = force[dof] + x
                found.append((angle, rate, energy))
        run.write("force", force)
        names = ("angle", "rate", "energy")
        for name, values in zip(names, zip(*found, strict=True), strict=True):
            setattr(run.world, name, Numbers(values))
        run.world.push_W = Numbers(pushes)

    shape = Numbers(size=count)
    return Algorithm(
        name="turned_springs",
        passes=(Outward(outward), GlobalStep(step)),
        world=moving_world,
        reads=("q", "v", "turns"),
        writes={"force": "dof"} | dict.fromkeys(("angle", "rate", "energy", "push_W"), "world"),
        shapes={"angle": shape, "rate": shape, "energy": shape, "push_W": Numbers(size=6 * count)},
    )
