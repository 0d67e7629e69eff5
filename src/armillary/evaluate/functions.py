"""The table of functions: every question that one algorithm answers is a row.

A row says which algorithm answers it, from which inputs and options, what it needs of the model,
and how the numbers of the algorithm make the results.  Python calls, batches, C export, symbolic
printing and the reference of the docs read the same rows.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from armillary.algorithms.forces import element_forces
from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree import (
    coriolis,
    derivatives,
    energy,
    forward_dynamics,
    inverse_dynamics,
    kinematics,
    mass_matrix,
    operational,
)
from armillary.algorithms.tree.regressor import regressor
from armillary.evaluate.derivatives import ForwardDerivatives, InverseDerivatives
from armillary.evaluate.results import BodyForces, ElementForces, Reactions
from armillary.evaluate.tyre_forces import TyreForces
from armillary.model.elements.element import OUTPUTS

_COORDINATES = {
    "local": "in the frame's own axes, at its origin",
    "world_aligned": "along the world's axes, at the frame's origin",
    "world": "along the world's axes, at the world's origin",
}


@dataclass(frozen=True)
class Result:
    """One array of a function: `source` is the algorithm's name of it.

    shape: numbers, or "nv" and "bodies".  order: which numbers of the source (of each body), row
    by row; all of them if empty.  columns: the source holds the columns of the result."""

    name: str
    source: str
    shape: tuple[int | str, ...]
    meaning: str
    order: tuple[int, ...] = ()
    columns: bool = False


CHOSEN_AXES = {"coordinates": "local", "about": None}  # of wrenches, with their defaults
BODIES = ("parameters", "offsets")  # numbers of the bodies instead of the model's
_DEFAULTS = {"external": None, "passive": True, "out": None, "parameters": None, "offsets": None}
_TYPES = {
    "frame": "str", "coordinates": "str", "kind": "str", "external": "External", "passive": "bool",
    "out": "Array | None", "parameters": "ArrayLike | None", "offsets": "ArrayLike | None",
    "actuators": "Sequence[str] | str | None", "prescribed": "Mapping[str, ArrayLike] | None",
    "baumgarte": "tuple[float, float] | None", "certified": "bool",
    "about": "str | ArrayLike | None",
}  # fmt: skip


@dataclass(frozen=True)
class Function:
    """A row of the table: a function of one state or of a batch.

    algorithm: of the chosen coordinates (and kind), where there is that choice."""

    algorithm: Callable[..., Algorithm]
    title: str
    results: tuple[Result, ...]
    options: tuple[str, ...] = ()  # beside the inputs: external, passive, out, parameters, offsets
    closed: tuple[str, ...] = ()  # options that only closed mechanisms know
    text: str = ""  # what else a reader wants to know
    frame: bool = False
    coordinates: bool = False  # of that frame: local, world_aligned or world
    wrenches: bool = False  # along axes and about a point that may be chosen
    kinds: tuple[str, ...] = ()  # of an acceleration
    passive: bool = True  # False: friction, springs and rotors never take part
    derivative: str = ""  # the row of its derivatives, which hang on the question
    quantity: str = ""  # as formulations know it, which certify it; empty: there is no other way
    returns: str = ""  # type of what Python gives, if it is neither an array nor several
    fuse: bool = True
    inertia: bool = False  # needs inertia behind every joint
    mass: bool = False  # needs mass somewhere
    elements: bool = False  # needs force elements
    wrap: Callable[..., object] | None = None  # (model, *results) -> what Python gives

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Arrays of the state, in order."""
        reads = self.algorithm(*self.choices.values()).reads
        return tuple(name for name in reads if name not in ("external", "prescribed"))

    @cached_property
    def choices(self) -> dict[str, str]:
        """Words that choose the algorithm, with their defaults."""
        found = {"coordinates": "local"}  # an algorithm without that choice ignores it
        return found | ({"kind": self.kinds[0]} if self.kinds else {})

    @cached_property
    def signature(self) -> inspect.Signature:
        """How Python calls it."""
        many = "Array"
        if len(self.results) > 1:
            many = f"tuple[{', '.join(['Array'] * len(self.results))}]"
        many = self.returns or many
        given = [*self.inputs, *(["frame"] if self.frame else [])]
        chosen = [name for name in self.choices if name == "kind" or self.coordinates]
        parameters = [_parameter(name) for name in given]
        parameters += [_parameter(name, self.choices[name]) for name in chosen]
        parameters += [_parameter(name, _DEFAULTS[name], name in BODIES) for name in self.options]
        axes = CHOSEN_AXES if self.wrenches else {}
        parameters += [_parameter(name, default, True) for name, default in axes.items()]
        parameters += [_parameter(name, None, True) for name in self.closed]
        parameters += [_parameter("certified", False, True)] if self.quantity else []
        return inspect.Signature(parameters, return_annotation=many)

    def about(self, frame: str | None, coordinates: str) -> str:
        """The title with the frame that is asked for."""
        if frame is None:
            return self.title
        where = f", {_COORDINATES[coordinates]}" if self.coordinates else ""
        title = self.title.replace("a frame", f"the frame '{frame}'", 1)
        return f"{title.removesuffix('.')}{where}."


def _parameter(
    name: str, default: object = inspect.Parameter.empty, keyword: bool = False
) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY if keyword else inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, kind, default=default, annotation=_TYPES.get(name, "State"))


# X_FW = (E, r), E row by row: the rotation R_WF of the public functions is its transpose
_ROTATION, _ORIGIN = (0, 3, 6, 1, 4, 7, 2, 5, 8), (9, 10, 11)
_FIRST_NINE = tuple(range(9))
# the 21 numbers of a symmetric 6x6: xx yy zz xy xz yz of a block, 9 of the coupling, 6 again
_BLOCK = ((0, 3, 4), (3, 1, 5), (4, 5, 2))
_SYMMETRIC = (
    *(k for r in range(3) for k in (*_BLOCK[r], *(6 + 3 * r + c for c in range(3)))),
    *(k for r in range(3) for k in (*(6 + 3 * c + r for c in range(3)),
                                    *(15 + b for b in _BLOCK[r]))),
)  # fmt: skip
_FORCES = "joint forces, N m or N, along v"
_SQUARE = ("nv", "nv")
_TREE = "That of the tree, also of a closed mechanism."
_HOLDING = "Those of the tree; `holding_forces` holds a closed mechanism."
_ALLOWED = "Of the tree: v of a closed mechanism must be one that its constraints allow."
_OPTIONS = (
    "external: wrenches {frame or body name: (n; f)} exerted *on* the mechanism, in that frame at "
    "its origin.  passive: friction, springs and rotors of the model take part.  parameters: other "
    "numbers than the model's, 10 inertias per body and after them those of force elements, as "
    "`mechanism.parameters`, or one row of them per state.  "
    "offsets: turns and shifts of the joint frames off their places in the model, (6 bodies,) or "
    "one row per state, as `mechanism.offset_names`.  certified: answer only if every formulation "
    "that knows the mechanism agrees; see docs/formulations.md."
)
_KIND = (
    'kind: "classical" is what the origin does as a point; "spatial" is classical - (0; ω × v), '
    "the derivative of the velocity's components in local or world coordinates."
)
_COORDINATES_TEXT = (
    'coordinates: "local" (the frame\'s own), "world_aligned" (at the frame\'s origin, along the '
    "world's axes) or \"world\" (of the point at the world's origin)."
)


_AXES_TEXT = (
    'coordinates: of the wrenches, "local" (own axes and origin), "world_aligned" (own origin, the '
    "world's axes) or \"world\" (the world's axes and origin).  about: a frame by name, or a point "
    "of the world (3), m, that moments count about instead."
)


def _plain(algorithm: Algorithm) -> Callable[..., Algorithm]:
    return lambda coordinates: algorithm


FUNCTIONS: dict[str, Function] = {
    "inverse_dynamics": Function(
        _plain(inverse_dynamics.inverse_dynamics),
        "Joint forces of the actuators for a motion: tau = M(q) a + h(q, v).",
        (Result("tau", "tau", ("nv",), _FORCES),),
        options=("external", "passive", "out", *BODIES),
        text=_OPTIONS,
        closed=("actuators",),
        derivative="inverse_dynamics_derivatives",
        quantity="inverse dynamics",
    ),
    "forward_dynamics": Function(
        _plain(forward_dynamics.forward_dynamics),
        "Accelerations under the joint forces of the actuators: a = M(q)^-1 (tau - h(q, v)).",
        (Result("a", "a", ("nv",), "accelerations, rad/s^2 or m/s^2"),),
        inertia=True,
        options=("external", "passive", "out", *BODIES),
        text="By articulated bodies in O(n).  Options are those of `inverse_dynamics`.",
        closed=("prescribed", "baumgarte"),
        derivative="forward_dynamics_derivatives",
        quantity="forward dynamics",
    ),
    "bias_forces": Function(
        _plain(inverse_dynamics.bias_forces),
        "Joint forces at zero acceleration, h(q, v): gravity, velocity and passive forces.",
        (Result("h", "tau", ("nv",), _FORCES),),
        options=("external", "passive", "out", *BODIES),
        text=_TREE,
        quantity="inverse dynamics",
    ),
    "gravity_forces": Function(
        _plain(inverse_dynamics.static_forces),
        "Joint forces that hold the mechanism at rest against gravity alone.",
        (Result("g", "tau", ("nv",), _FORCES),),
        passive=False,
        options=("out", *BODIES),
        text=_HOLDING,
        quantity="statics",
    ),
    "static_torques": Function(
        _plain(inverse_dynamics.static_forces),
        "Joint forces that hold the mechanism at rest against gravity and springs.",
        (Result("tau", "tau", ("nv",), _FORCES),),
        options=("external", "out", *BODIES),
        text=_HOLDING,
        quantity="statics",
    ),
    "mass_matrix": Function(
        _plain(mass_matrix.mass_matrix),
        "Joint-space inertia M(q), symmetric and positive definite.",
        (Result("M", "M", _SQUARE, "kg m^2, kg m or kg"),),
        options=("passive", "out", *BODIES),
        text="Rotors are included unless passive=False.  " + _TREE,
        quantity="mass matrix",
    ),
    "coriolis_matrix": Function(
        _plain(coriolis.coriolis_matrix),
        "Coriolis matrix C(q, v): C v are the velocity forces, and dM/dt - 2 C is skew.",
        (Result("C", "C", _SQUARE, "N m s/rad, N s/rad, N m s/m or N s/m"),),
        options=("out", *BODIES),
        text=_TREE,
    ),
    "energy": Function(
        _plain(energy.energy),
        "Kinetic and potential energy; height counts from the world's origin, springs count.",
        (
            Result("kinetic", "kinetic", (), "J"),
            Result("potential", "potential", (), "J"),
        ),
        options=BODIES,
        text="Springs in joints that close loops count, too.  A warning names the laws that store "
        "energy and do not say how much (`energy_lacks`).",
    ),
    "momentum": Function(
        _plain(energy.momentum),
        "Momentum of the whole mechanism along the world's axes.",
        (Result("momentum", "momentum", (6,),
                "angular about the centre of mass, kg m^2/s; linear, kg m/s"),),
        mass=True,
        options=("out", *BODIES),
    ),
    "center_of_mass": Function(
        _plain(energy.center_of_mass),
        "Centre of mass in the world.",
        (Result("com", "com", (3,), "m"),),
        mass=True,
        options=("out", *BODIES),
    ),
    "momentum_matrix": Function(
        _plain(energy.momentum_matrix),
        "Centroidal map A: momentum = A v, the motion of the base aside.",
        (Result("A", "A", (6, "nv"), "angular rows first, about the centre of mass", (), True),),
        mass=True,
        options=BODIES,
        text=_ALLOWED,
    ),
    "center_of_mass_jacobian": Function(
        _plain(energy.center_of_mass_jacobian),
        "Jacobian of the centre of mass.",
        (Result("J", "J", (3, "nv"), "m/rad or 1", (), True),),
        mass=True,
        options=BODIES,
        text=_ALLOWED,
    ),
    "pose": Function(
        _plain(kinematics.frame_axes),
        "Pose of a frame in the world.",
        (
            Result("R", "pose", (3, 3), "rotation; columns are the frame's axes", _FIRST_NINE),
            Result("p", "pose", (3,), "origin, m", _ORIGIN),
        ),
        frame=True,
        options=("offsets",),
    ),
    "poses": Function(
        _plain(kinematics.poses),
        "Poses of all bodies in the world.",
        (
            Result("R", "Y", ("bodies", 3, 3), "rotations; columns are the axes", _ROTATION),
            Result("p", "Y", ("bodies", 3), "origins, m", _ORIGIN),
        ),
        fuse=False,
        options=("offsets",),
    ),
    "velocity": Function(
        kinematics.frame_velocity,
        "Velocity of a frame.",
        (Result("velocity", "velocity", (6,), "angular, rad/s; linear, m/s"),),
        frame=True,
        coordinates=True,
        text=_COORDINATES_TEXT,
        options=("offsets",),
    ),
    "acceleration": Function(
        kinematics.frame_motion,
        "Acceleration of a frame, of its origin as a point, without gravity.",
        (Result("acceleration", "acceleration", (6,), "angular, rad/s^2; linear, m/s^2"),),
        frame=True,
        coordinates=True,
        kinds=("classical", "spatial"),
        text=f"{_COORDINATES_TEXT}  {_KIND}",
        options=("offsets",),
    ),
    "jacobian": Function(
        kinematics.jacobian,
        "Jacobian of a frame: its velocity is J v.",
        (Result("J", "J", (6, "nv"), "angular rows first"),),
        frame=True,
        coordinates=True,
        text=f"{_COORDINATES_TEXT}  {_ALLOWED}",
        options=("offsets",),
    ),
    "jacobian_dot": Function(
        kinematics.jacobian_dot,
        "Rate of the Jacobian of a frame along the motion v.",
        (Result("dJ", "dJ", (6, "nv"), "angular rows first"),),
        frame=True,
        coordinates=True,
        text=_COORDINATES_TEXT + "  The derivative of every component of `jacobian`.",
        options=("offsets",),
    ),
    "operational_inertia": Function(
        operational.operational_inertia,
        "Inverse operational-space inertia J M^-1 J^T of a frame.",
        (Result("W", "W", (6, 6), "angular rows and columns first", _SYMMETRIC),),
        frame=True,
        coordinates=True,
        inertia=True,
        options=BODIES,
        text="W, rank = operational_inertia(q, frame): it has an inverse only where the rank is 6  "
        "[VanDerMerwe1995, 5.57, 5.58].  " + _TREE,
        returns="OperationalInertia",
    ),
    "reactions": Function(
        _plain(inverse_dynamics.reactions),
        "The wrench in every joint, by the parent on the body, in the body's frame at its origin.",
        (
            Result("total", "wrench", ("bodies", 6), "moment, N m; force, N"),
            Result("driving", "driving", ("bodies", 6), "the part along the joint's axes"),
        ),
        options=("external", "passive", *BODIES),
        text="Split into the part along the joint's axes and the constraint part.  Of the tree: "
        "those of a closed mechanism are in `solve(q, v, tau).reactions`.  " + _AXES_TEXT,
        wrenches=True,
        wrap=Reactions,
        returns="Reactions",
        fuse=False,
    ),
    "element_forces": Function(
        _plain(element_forces.element_forces),
        "What every force element exerts: the wrench on its second (or last) end, in that frame.",
        (
            Result("wrench", "readings", ("elements", 6), "moment, N m; force, N", tuple(range(6))),
            Result("along", "readings", ("elements", 3),
                   "force, position and rate along its own coordinate, if it has one", (6, 7, 8)),
            Result("power", "readings", ("elements",), "power on the mechanism, W", (9,)),
        ),
        options=("parameters", "offsets"),
        text="Of springs and cables the coordinate is the length, and tension is positive.  "
        "Options are those of `reactions`.",
        wrenches=True,
        wrap=ElementForces,
        returns="ElementForces",
        elements=True,
    ),
    "tyre_forces": Function(
        _plain(element_forces.tyre_forces),
        "Slips, deflection, forces and moments of every tyre, in its axes at the point of contact.",
        (
            Result("outputs", "outputs", ("elements", len(OUTPUTS)),
                   "slip ratio, slip angle, camber, deflection, forces, moments, loaded radius, "
                   "friction, point of contact"),
        ),
        options=("parameters", "offsets"),
        text="Axes of ISO 8855; forces of a slip that lasts, whatever the relaxation: runs record "
        "those with it as `tyres`.",
        wrap=TyreForces,
        returns="TyreForces",
        elements=True,
    ),
    "body_forces": Function(
        _plain(inverse_dynamics.body_forces),
        "Every intermediate quantity of inverse dynamics, of every body in its body frame.",
        (
            Result("tau", "tau", ("nv",), _FORCES),
            Result("velocity", "v", ("bodies", 6), "rad/s; m/s"),
            Result("acceleration", "a", ("bodies", 6), "spatial, with gravity as an upward one of "
                   "the base, rad/s^2; m/s^2"),
            Result("net", "net", ("bodies", 6), "what the motion needs, less external wrenches, "
                   "N m; N"),
            Result("transmitted", "wrench", ("bodies", 6), "through the joint, N m; N"),
            Result("driving", "driving", ("bodies", 6), "its part along the joint's axes"),
        ),
        options=("external", "passive", *BODIES),
        text="The recursion as textbooks write it  [VanDerMerwe1995, 4.50-4.61].  " + _TREE,
        wrap=BodyForces,
        returns="BodyForces",
        fuse=False,
    ),
    "regressor": Function(
        _plain(regressor),
        "Torque regressor: tau = Y parameters, without friction and rotors.",
        (Result("Y", "Y", ("nv", "10 bodies"),
                "columns per body: mass, m c (x, y, z), tensor about its origin "
                "(xx, yy, zz, xy, xz, yz)"),),
        passive=False,
        fuse=False,
        text="Y is also d tau / d parameters, and -M^-1 Y is d a / d parameters.  " + _TREE,
        options=("offsets",),
    ),
    "inverse_dynamics_derivatives": Function(
        _plain(derivatives.inverse_dynamics_derivatives),
        "Derivatives of inverse dynamics; q moves on its tangent space.",
        (
            Result("dq", "dq", _SQUARE, "d tau / d q"),
            Result("dv", "dv", _SQUARE, "d tau / d v"),
            Result("da", "M", _SQUARE, "d tau / d a, the mass matrix"),
        ),
        options=("external", "passive", *BODIES),
        wrap=lambda model, *dx: InverseDerivatives(*dx),
        returns="InverseDerivatives",
    ),
    "forward_dynamics_derivatives": Function(
        _plain(derivatives.forward_dynamics_derivatives),
        "Derivatives of forward dynamics; q moves on its tangent space.",
        (
            Result("dq", "dq", _SQUARE, "d a / d q"),
            Result("dv", "dv", _SQUARE, "d a / d v"),
            Result("dtau", "M", _SQUARE, "d a / d tau, the inverse of the mass matrix"),
        ),
        inertia=True,
        options=("external", "passive", *BODIES),
        wrap=lambda model, *dx: ForwardDerivatives(*dx),
        returns="ForwardDerivatives",
    ),
}  # fmt: skip

# what hangs on a question with derivatives, and the rows that do: `inverse_dynamics.derivatives`
HANGS = ("derivatives", "jvp", "vjp", "parameter_jacobian", "offset_jacobian")
HANGING = {row.derivative for row in FUNCTIONS.values() if row.derivative}
QUESTIONS = tuple(name for name in FUNCTIONS if name not in HANGING)
