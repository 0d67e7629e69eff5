"""Public functions by name as expression graphs: what C export and symbolic printing start from.

The table says for every function which algorithm answers it, from which inputs, and how the
numbers of the algorithm's results make the results of the function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from armillary.algorithms import (
    coriolis,
    derivatives,
    energy,
    forward_dynamics,
    inverse_dynamics,
    kinematics,
    mass_matrix,
    operational,
)
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, Base
from armillary.algorithms.regressor import regressor
from armillary.constraints.exported import CLOSED, closed_question
from armillary.errors import InputError, unknown_name
from armillary.evaluate.inputs import choice
from armillary.evaluate.straight_line import structural_constraints
from armillary.graph.evaluate import fold_zeros
from armillary.graph.expr import Graph, Leaf, Node
from armillary.mechanism.closed import Constrained
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.lowering.tree import Tables
from armillary.spatial import Motion, Transform, Vector

Number = Callable[[Graph, Any], Leaf]  # how a constant of the mechanism enters the graph


_COORDINATES = {
    "local": "in the frame's own axes, at its origin",
    "world_aligned": "along the world's axes, at the frame's origin",
    "world": "along the world's axes, at the world's origin",
}


@dataclass(frozen=True)
class Result:
    """One array of a function: `source` is the algorithm's name of it.

    shape: numbers, or "nv" and "bodies".  order: which numbers of the source (of each body), row
    by row; all of them if empty."""

    name: str
    source: str
    shape: tuple[int | str, ...]
    meaning: str
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A public function.  algorithm: with the frame's coordinates where it has that choice."""

    algorithm: Callable[[str], Algorithm]
    title: str
    results: tuple[Result, ...]
    frame: bool = False
    coordinates: bool = False  # of that frame: local, world_aligned or world
    passive: bool = True  # False: friction, springs and rotors never take part
    fuse: bool = True
    inertia: bool = False  # needs inertia behind every joint
    mass: bool = False  # needs mass somewhere

    def about(self, frame: str | None, coordinates: str) -> str:
        """The title with the frame that is asked for."""
        if frame is None:
            return self.title
        where = f", {_COORDINATES[coordinates]}" if self.coordinates else ""
        title = self.title.replace("a frame", f"the frame '{frame}'", 1)
        return f"{title.removesuffix('.')}{where}."


@dataclass(frozen=True)
class Traced:
    """A function of one mechanism as a graph."""

    entry: Entry
    inputs: dict[str, list[Node]]
    results: list[tuple[Result, tuple[int, ...], list[Node]]]  # with shape, flat numbers
    run: Run | None  # every intermediate quantity; None where the result is constant
    folded: dict[int, Node]  # what became of the nodes of the run

    def roots(self) -> list[Node]:
        return [node for _, _, nodes in self.results for node in nodes]


# X_FW = (E, r), E row by row: the rotation R_WF of the public functions is its transpose
_ROTATION, _ORIGIN = (0, 3, 6, 1, 4, 7, 2, 5, 8), (9, 10, 11)
# the 21 numbers of a symmetric 6x6: xx yy zz xy xz yz of a block, 9 of the coupling, 6 again
_BLOCK = ((0, 3, 4), (3, 1, 5), (4, 5, 2))
_SYMMETRIC = (
    *(k for r in range(3) for k in (*_BLOCK[r], *(6 + 3 * r + c for c in range(3)))),
    *(k for r in range(3) for k in (*(6 + 3 * c + r for c in range(3)),
                                    *(15 + b for b in _BLOCK[r]))),
)  # fmt: skip
_FORCES = "joint forces, N m or N, along v"
_SQUARE = ("nv", "nv")


def _plain(algorithm: Algorithm) -> Callable[[str], Algorithm]:
    return lambda coordinates: algorithm


def _motion(coordinates: str) -> Algorithm:
    return kinematics.frame_motion(coordinates, "classical")


FUNCTIONS: dict[str, Entry] = {
    "inverse_dynamics": Entry(
        _plain(inverse_dynamics.inverse_dynamics),
        "Joint forces of the actuators for a motion: tau = M(q) a + h(q, v).",
        (Result("tau", "tau", ("nv",), _FORCES),),
    ),
    "forward_dynamics": Entry(
        _plain(forward_dynamics.forward_dynamics),
        "Accelerations under the joint forces of the actuators: a = M(q)^-1 (tau - h(q, v)).",
        (Result("a", "a", ("nv",), "accelerations, rad/s^2 or m/s^2"),),
        inertia=True,
    ),
    "bias_forces": Entry(
        _plain(inverse_dynamics.bias_forces),
        "Joint forces at zero acceleration, h(q, v): gravity, velocity and passive forces.",
        (Result("h", "tau", ("nv",), _FORCES),),
    ),
    "gravity_forces": Entry(
        _plain(inverse_dynamics.static_forces),
        "Joint forces that hold the mechanism at rest against gravity alone.",
        (Result("g", "tau", ("nv",), _FORCES),),
        passive=False,
    ),
    "static_torques": Entry(
        _plain(inverse_dynamics.static_forces),
        "Joint forces that hold the mechanism at rest against gravity and springs.",
        (Result("tau", "tau", ("nv",), _FORCES),),
    ),
    "mass_matrix": Entry(
        _plain(mass_matrix.mass_matrix),
        "Joint-space inertia M(q), symmetric and positive definite.",
        (Result("M", "M", _SQUARE, "kg m^2, kg m or kg"),),
    ),
    "coriolis_matrix": Entry(
        _plain(coriolis.coriolis_matrix),
        "Coriolis matrix C(q, v): C v are the velocity forces, and dM/dt - 2 C is skew.",
        (Result("C", "C", _SQUARE, "N m s/rad, N s/rad, N m s/m or N s/m"),),
    ),
    "energy": Entry(
        _plain(energy.energy),
        "Kinetic and potential energy; height counts from the world's origin, springs count.",
        (
            Result("kinetic", "kinetic", (), "J"),
            Result("potential", "potential", (), "J"),
        ),
    ),
    "momentum": Entry(
        _plain(energy.momentum),
        "Momentum of the whole mechanism along the world's axes.",
        (Result("momentum", "momentum", (6,),
                "angular about the centre of mass, kg m^2/s; linear, kg m/s"),),
        mass=True,
    ),
    "center_of_mass": Entry(
        _plain(energy.center_of_mass),
        "Centre of mass in the world.",
        (Result("com", "com", (3,), "m"),),
        mass=True,
    ),
    "pose": Entry(
        _plain(kinematics.frame_pose),
        "Pose of a frame in the world.",
        (
            Result("R", "pose", (3, 3), "rotation; its columns are the frame's axes", _ROTATION),
            Result("p", "pose", (3,), "origin, m", _ORIGIN),
        ),
        frame=True,
    ),
    "poses": Entry(
        _plain(kinematics.poses),
        "Poses of all bodies in the world.",
        (
            Result("R", "Y", ("bodies", 3, 3), "rotations; columns are the axes", _ROTATION),
            Result("p", "Y", ("bodies", 3), "origins, m", _ORIGIN),
        ),
        fuse=False,
    ),
    "velocity": Entry(
        kinematics.frame_velocity,
        "Velocity of a frame.",
        (Result("velocity", "velocity", (6,), "angular, rad/s; linear, m/s"),),
        frame=True,
        coordinates=True,
    ),
    "acceleration": Entry(
        _motion,
        "Acceleration of a frame, of its origin as a point, without gravity.",
        (Result("acceleration", "acceleration", (6,), "angular, rad/s^2; linear, m/s^2"),),
        frame=True,
        coordinates=True,
    ),
    "jacobian": Entry(
        kinematics.jacobian,
        "Jacobian of a frame: its velocity is J v.",
        (Result("J", "J", (6, "nv"), "angular rows first"),),
        frame=True,
        coordinates=True,
    ),
    "jacobian_dot": Entry(
        kinematics.jacobian_dot,
        "Rate of the Jacobian of a frame along the motion v.",
        (Result("dJ", "dJ", (6, "nv"), "angular rows first"),),
        frame=True,
        coordinates=True,
    ),
    "operational_inertia": Entry(
        operational.operational_inertia,
        "Inverse operational-space inertia J M^-1 J^T of a frame.",
        (Result("W", "W", (6, 6), "angular rows and columns first", _SYMMETRIC),),
        frame=True,
        coordinates=True,
        inertia=True,
    ),
    "regressor": Entry(
        _plain(regressor),
        "Torque regressor: tau = Y parameters, without friction and rotors.",
        (Result("Y", "Y", ("nv", "10 bodies"),
                "columns per body: mass, m c (x, y, z), tensor about its origin "
                "(xx, yy, zz, xy, xz, yz)"),),
        passive=False,
        fuse=False,
    ),
    "inverse_dynamics_derivatives": Entry(
        _plain(derivatives.inverse_dynamics_derivatives),
        "Derivatives of inverse dynamics; q moves on its tangent space.",
        (
            Result("dq", "dq", _SQUARE, "d tau / d q"),
            Result("dv", "dv", _SQUARE, "d tau / d v"),
            Result("da", "M", _SQUARE, "d tau / d a, the mass matrix"),
        ),
    ),
    "forward_dynamics_derivatives": Entry(
        _plain(derivatives.forward_dynamics_derivatives),
        "Derivatives of forward dynamics; q moves on its tangent space.",
        (
            Result("dq", "dq", _SQUARE, "d a / d q"),
            Result("dv", "dv", _SQUARE, "d a / d v"),
            Result("dtau", "M", _SQUARE, "d a / d tau, the inverse of the mass matrix"),
        ),
        inertia=True,
    ),
}  # fmt: skip


# with load-dependent friction these are no expressions: a loop is solved, or duals are used
LOOPED = ("forward_dynamics", "inverse_dynamics_derivatives", "forward_dynamics_derivatives")


def entry_of(mechanism: Constrained, function: str, frame: str | None, coordinates: str) -> Entry:
    """The row of the table, checked against the mechanism and the asked frame."""
    if function not in FUNCTIONS:
        raise unknown_name("function", function, FUNCTIONS)
    entry = FUNCTIONS[function]
    if entry.frame and frame is None:
        raise InputError(f"{function}: the question is about a frame; name one with frame=.")
    if not entry.frame and frame is not None:
        raise InputError(f"{function}: has no frame, found frame='{frame}'.")
    choice("coordinates", coordinates, kinematics.COORDINATES)
    if entry.inertia and not (function in CLOSED and mechanism.model.constraints):
        mechanism.evaluator.refuse_massless()
    if entry.mass:
        mechanism.evaluator.moving_mass()
    return entry


def plain_number(graph: Graph, x: Any) -> Leaf:
    """Numbers stand in the expressions; exact 0, 1 and -1 vanish from products.

    Others are nodes at once: the int 0 times a float would be the float 0.0, which stays."""
    return int(x) if x in (0, 1, -1) else graph.constant(x)


def trace(
    mechanism: Constrained,
    function: str,
    frame: str | None = None,
    coordinates: str = "local",
    passive: bool = True,
    *,
    number: Number = plain_number,
    regroup: bool = False,
    tables: Tables | None = None,
    base: Base | None = None,
) -> Traced:
    """Run the algorithm once on symbols; every constant of the mechanism goes through `number`.

    regroup: with mass moved across joints where no joint force can tell, which saves operations.
    tables (not fused), base: instead of the mechanism's own.  Of closed mechanisms the question is
    that of Python: with the constraints, or of the tree (`closed_question`)."""
    entry, algorithm, own = _question(mechanism, function, frame, coordinates, passive)
    graph = Graph()
    convert = partial(number, graph)
    model = mechanism.model
    inputs = {
        name: [graph.load(name, k) for k in range(model.nq if name == "q" else model.nv)]
        for name in algorithm.reads
        if name not in ("external", "prescribed")
    }
    sizes = {"nv": model.nv, "bodies": len(model.bodies), "10 bodies": 10 * len(model.bodies)}
    shapes = [
        tuple(n if isinstance(n, int) else sizes[n] for n in result.shape)
        for result in entry.results
    ]
    run = None
    if frame is not None and mechanism.evaluator.place(frame).kernel < 0:
        numbers = _on_the_ground(mechanism, function, frame, coordinates, list(inputs))
    else:
        fuse = entry.fuse and tables is None
        regroup = regroup and fuse and algorithm.joint_level()
        tables = tables or mechanism.evaluator.tables(fuse, passive and entry.passive, regroup)
        spot = None
        if frame is not None:
            place = mechanism.evaluator.place(frame, fuse)
            spot = (place.kernel, numbered_transform(place.X, convert))
        start = numbered_base(base or mechanism.evaluator.base(), convert)
        constraints = None if own is None else structural_constraints(graph, own)
        tables = replace(numbered(tables, convert), constraints=constraints)
        run = Run(algorithm, tables, start, inputs, spot)
        numbers = [_ordered(run.result(r.source), r.order) for r in entry.results]
    lifted = [[graph.lift(x) for x in flat] for flat in numbers]
    every = [node for nodes in inputs.values() for node in nodes]
    folded = fold_zeros([*every, *(node for nodes in lifted for node in nodes)])
    results = [
        (result, shape, [folded[node.index] for node in nodes])
        for result, shape, nodes in zip(entry.results, shapes, lifted, strict=True)
    ]
    inputs = {name: [folded[node.index] for node in nodes] for name, nodes in inputs.items()}
    return Traced(entry, inputs, results, run, folded)


def _question(
    mechanism: Constrained, function: str, frame: str | None, coordinates: str, passive: bool
) -> tuple[Entry, Algorithm, ConstraintTable | None]:
    """The row of the table, what answers it, and the constraints that are kept."""
    entry = entry_of(mechanism, function, frame, coordinates)
    if passive and function in LOOPED:
        mechanism.evaluator.refuse_load_friction(f"{function} as an expression")
    closed = None
    if mechanism.model.constraints:
        closed = closed_question(mechanism.constraint_solver, function, passive)
    if closed is None:
        return entry, entry.algorithm(coordinates), None
    return replace(entry, title=closed.title), closed.algorithm, closed.constraints


def _ordered(values: Any, order: Sequence[int]) -> list[Any]:
    """Flat numbers of a result, in the order the function gives them."""
    if values and isinstance(values[0], (list, tuple)):
        rows = [[row[k] for k in order] if order else row for row in values]
        return [x for row in rows for x in row]
    return [values[k] for k in order] if order else list(values)


def _on_the_ground(
    mechanism: Constrained, function: str, frame: str, coordinates: str, inputs: Sequence[str]
) -> list[list[float]]:
    """Frames that stand on the world give constants: those of the compiled function."""
    state = [
        mechanism.model.neutral() if n == "q" else np.zeros(mechanism.model.nv) for n in inputs
    ]
    options = {} if function == "pose" else {"coordinates": coordinates}
    answer = getattr(mechanism, function)(*state, frame=frame, **options)
    arrays = answer if isinstance(answer, tuple) else (answer,)
    count = len(FUNCTIONS[function].results)
    return [np.asarray(x, float).ravel().tolist() for x in arrays[:count]]


def numbered(tables: Tables, number: Callable[[Any], Any]) -> Tables:
    """The tables with other scalars for their numbers."""
    bodies = (b.with_parameters([number(x) for x in b.parameters()]) for b in tables.bodies)
    return replace(tables, bodies=tuple(bodies))


def numbered_transform(X: Transform, number: Callable[[Any], Any]) -> Transform:
    return Transform.from_leaves([number(x) for x in X.leaves()])


def numbered_base(base: Base, number: Callable[[Any], Any]) -> Base:
    return Base(
        Vector(*(number(x) for x in base.gravity)),
        Motion.from_leaves([number(x) for x in base.velocity.leaves()]),
        Motion.from_leaves([number(x) for x in base.acceleration.leaves()]),
    )
