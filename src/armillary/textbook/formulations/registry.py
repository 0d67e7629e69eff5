"""The table of formulations: one row each, by quantity.

A formulation answers one question about any mechanism of its domain in a way of its own; they agree
where their domains meet, and `Mechanism.check` compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import InputError, ModelError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.model.model import Model
from armillary.textbook.formulations import (
    absolute,
    cartesian_tensors,
    closed,
    contact_bodies,
    energies,
    library,
    operators,
    projection,
    quasi_coordinates,
    serial_arm,
    sorted_joints,
    statics,
    virtual_power,
)
from armillary.textbook.formulations.closed import ClosedState
from armillary.textbook.formulations.domain import (
    ARMS,
    CLOSED,
    COORDINATES,
    FLEXIBLE,
    GROUND,
    NO_ROTORS,
    REVOLUTE,
    SERIAL,
    TREE,
    TURNING,
    Domain,
    at_most,
)
from armillary.textbook.formulations.tree_state import TreeState

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.mechanism.mechanism import Mechanism

# quantity -> what it is asked with; its unit
QUANTITIES: dict[str, tuple[tuple[str, ...], str]] = {
    "mass matrix": (("q",), "kg m², kg m, kg"),
    "statics": (("q",), "N m or N"),
    "inverse dynamics": (("q", "v", "a"), "N m or N"),
    "forward dynamics": (("q", "v", "tau"), "rad/s² or m/s²"),
    "constrained dynamics": (("q", "v", "tau"), "rad/s² or m/s²"),
}

WHOLE, LOADS = "whole", "loads"  # all, or wrenches on bodies; the rest are joint forces to it


@dataclass(frozen=True)
class Formulation:
    """One way to a quantity: formulation(mechanism, q, ...) gives it at one state.

    mass matrix (q); statics (q): joint forces that hold it at rest; inverse dynamics (q, v, a);
    forward dynamics (q, v, tau) of the open tree; constrained dynamics (q, v, tau)."""

    name: str
    quantity: str
    source: str  # document and equations
    domain: Domain
    function: Callable[..., Array]
    acting: str = ""  # what it does by itself of friction, springs, force elements, wrenches

    @property
    def idea(self) -> str:
        """The equation, in a line."""
        return (self.function.__doc__ or "").split("\n")[0].rstrip(".")

    def refusal(self, model: Model) -> str:
        """Why it does not know this mechanism; empty where it does."""
        return self.domain.refusal(model)

    def at(self, s: TreeState | ClosedState, given: Array | None = None) -> Array:
        """Its answer at a state; given: accelerations or joint forces, where it takes some."""
        more = () if given is None else (given,)
        own = self.acting == WHOLE or self.quantity == "mass matrix"
        if own or isinstance(s, ClosedState):
            return np.asarray(self.function(s, *more))
        beside = s.resistance if self.acting == LOADS else s.given
        if not beside.any():
            return np.asarray(self.function(s, *more))
        who = "friction, springs, force elements and external wrenches"
        who = "friction and springs in the joints" if self.acting == LOADS else who
        s.note("tau_p", beside, f"what {who} ask of the joints", "N m or N")
        if self.quantity == "forward dynamics" and given is not None:
            return np.asarray(self.function(s, given - beside))
        return np.asarray(self.function(s, *more)) + beside

    def __call__(
        self,
        mechanism: Mechanism,
        *state: ArrayLike,
        external: External = None,
        passive: bool = True,
    ) -> Array:
        s, found = self.state(mechanism, *state, external=external, passive=passive)
        return self.at(s, *found[2:])

    def state(
        self,
        mechanism: Mechanism,
        *state: ArrayLike,
        external: External = None,
        passive: bool = True,
    ) -> tuple[Any, list[Array]]:
        """What it starts from, and the arrays it is asked with, checked."""
        if reason := self.refusal(mechanism.model):
            raise ModelError(f"{self.name} on '{mechanism.name}': {reason}.")
        names = QUANTITIES[self.quantity][0]
        if len(state) != len(names):
            raise InputError(
                f"{self.name}: expected {', '.join(names)}, found {len(state)} arrays."
            )
        if passive:
            mechanism.evaluator.refuse_load_friction(self.name)
        if self.quantity == "mass matrix" and external:
            raise InputError(
                f"external: {self.name} gives a mass matrix, which no wrench changes. Leave it out."
            )
        found = [_one(mechanism, name, x) for name, x in zip(names, state, strict=True)]
        v = found[1] if len(found) > 1 else np.zeros(mechanism.nv)
        if self.quantity == "constrained dynamics":
            return ClosedState(mechanism, found[0], v, passive, external), found
        tree: Any = mechanism.tree
        return TreeState(tree, found[0], v, passive, external), found

    def __str__(self) -> str:
        return f"{self.name}: {self.quantity} {self.source}; {self.domain.words}. {self.idea}."


def _one(mechanism: Mechanism, name: str, value: ArrayLike) -> Array:
    array, single = mechanism.evaluator.check(name, value)
    if not single:
        raise InputError(f"{name}: expected one state, found {len(array)}. Loop over states.")
    return array[0].astype(float)


_DENSE = TREE & at_most(80)  # matrices of 6 rows per body, or all pairs of bodies
_PLAIN = TREE & at_most(400)  # plain Python, body by body
_ARM = SERIAL & REVOLUTE & GROUND & at_most(30)
_ENERGY = TREE & at_most(60)
_RESTING = _ENERGY & GROUND
_LOOPS = CLOSED & at_most(150)
_QUASI = SERIAL & TURNING & GROUND & _DENSE

_ROWS: tuple[tuple[Any, ...], ...] = (
    # name, quantity, source, domain, function
    (
        "compiled mass matrix",
        "mass matrix",
        "[Swartz1982, 16-26]",
        TREE,
        library.compiled_mass_matrix,
    ),
    ("composite bodies", "mass matrix", "[Swartz1982, 16-26]", _DENSE, library.composite_bodies),
    (
        "inertia projection",
        "mass matrix",
        "[VanDerMerwe1995, 5.2.5]",
        _DENSE,
        projection.inertia_projection,
    ),
    (
        "structural growth",
        "mass matrix",
        "[VanDerMerwe1995, 5.43-5.46]",
        SERIAL & _PLAIN,
        projection.structural_growth,
    ),
    (
        "operator product",
        "mass matrix",
        "[Yesiloglu2007, 2.33]",
        _DENSE,
        operators.operator_product,
    ),
    (
        "operator factors",
        "mass matrix",
        "[Yesiloglu2007, 3.34]",
        _DENSE,
        operators.operator_factors,
    ),
    (
        "kinetic-energy Hessian",
        "mass matrix",
        "[Lecture; QuinnChang1991, 6]",
        _ENERGY,
        energies.kinetic_hessian,
    ),
    (
        "configuration inertia",
        "mass matrix",
        "[QuinnChang1991, 29-37]",
        SERIAL & TURNING & _DENSE,
        quasi_coordinates.configuration_inertia,
    ),
    (
        "Walker-Orin 1",
        "mass matrix",
        "[Swartz1982, 13-15]",
        _ARM,
        serial_arm.inertia_by(1, "Columns of H by unit accelerations"),
    ),
    (
        "Walker-Orin 2",
        "mass matrix",
        "[Swartz1982, 13-15]",
        _ARM,
        serial_arm.inertia_by(2, "Unit accelerations of the links that move, half of H"),
    ),
    (
        "Walker-Orin 3",
        "mass matrix",
        "[Swartz1982, 16-26]",
        _ARM,
        serial_arm.inertia_by(3, "Composite bodies: mass, centre and tensor of links j to N"),
    ),
    (
        "compiled static torques",
        "statics",
        "[VanDerMerwe1995, 4.5]",
        TREE,
        library.compiled_static_torques,
        WHOLE,
    ),
    (
        "Jacobian transpose",
        "statics",
        "[Lecture; VanDerMerwe1995, 5.48]",
        _DENSE,
        statics.jacobian_transpose,
        LOADS,
    ),
    ("force recursion", "statics", "[Lecture]", _PLAIN, statics.force_recursion, LOADS),
    ("potential slopes", "statics", "[Lecture]", _ENERGY, energies.potential_slopes),
    (
        "compiled inverse dynamics",
        "inverse dynamics",
        "[VanDerMerwe1995, 4.27-4.32]",
        TREE,
        library.compiled_inverse_dynamics,
        WHOLE,
    ),
    (
        "Newton-Euler",
        "inverse dynamics",
        "[VanDerMerwe1995, 4.27-4.32]",
        _PLAIN,
        library.newton_euler,
        LOADS,
    ),
    (
        "Coriolis form",
        "inverse dynamics",
        "[VanDerMerwe1995, 5.2]",
        _PLAIN & GROUND,
        library.coriolis_form,
    ),
    (
        "Inverse Arm",
        "inverse dynamics",
        "[Swartz1982, 1-10]",
        _ARM,
        serial_arm.inverse_arm_torques,
        LOADS,
    ),
    (
        "Cartesian tensors",
        "inverse dynamics",
        "[VanDerMerwe1995, 3.3-3.75]",
        _DENSE,
        cartesian_tensors.cartesian_tensors,
        LOADS,
    ),
    ("Lagrange", "inverse dynamics", "[Lecture]", _RESTING & COORDINATES, energies.lagrange),
    (
        "Boltzmann-Hamel",
        "inverse dynamics",
        "[QuinnChang1991, 18]",
        _RESTING,
        energies.boltzmann_hamel,
    ),
    (
        "virtual power",
        "inverse dynamics",
        "[VanDerMerwe1995, 1.3]",
        _DENSE,
        virtual_power.virtual_power,
        LOADS,
    ),
    (
        "operator form",
        "inverse dynamics",
        "[Yesiloglu2007, 2.20-2.24]",
        _DENSE,
        operators.operator_torques,
        LOADS,
    ),
    (
        "quasi-coordinates",
        "inverse dynamics",
        "[QuinnChang1991, 22-27]",
        _QUASI,
        quasi_coordinates.quasi_torques,
    ),
    (
        "compiled forward dynamics",
        "forward dynamics",
        "[Yesiloglu2007, 3.1-3.21]",
        TREE,
        library.compiled_forward_dynamics,
        WHOLE,
    ),
    (
        "composite bodies, solved",
        "forward dynamics",
        "[Swartz1982, 13-26]",
        _DENSE,
        library.composite_and_solve,
        LOADS,
    ),
    (
        "articulated bodies",
        "forward dynamics",
        "[Yesiloglu2007, 3.1-3.21]",
        _PLAIN,
        library.articulated_bodies,
        LOADS,
    ),
    (
        "operator inverse",
        "forward dynamics",
        "[Yesiloglu2007, 3.35-3.38]",
        _DENSE,
        operators.operator_inverse,
    ),
    (
        "absolute coordinates",
        "forward dynamics",
        "[VanDerMerwe1995, 2.10-2.16]",
        _DENSE,
        absolute.absolute_coordinates,
        LOADS,
    ),
    (
        "mixed form",
        "forward dynamics",
        "[QuinnChang1991, 28-39]",
        _QUASI,
        quasi_coordinates.mixed_form,
    ),
    (
        "sorted subspaces",
        "forward dynamics",
        "[Yesiloglu2007, 4.1-4.20]",
        FLEXIBLE & _DENSE,
        sorted_joints.sorted_subspaces,
        WHOLE,
    ),
    (
        "Forward Arm 1",
        "forward dynamics",
        "[Swartz1982, 13-15]",
        _ARM & NO_ROTORS,
        serial_arm.accelerations_by(1, "H by unit accelerations, solved"),
    ),
    (
        "Forward Arm 2",
        "forward dynamics",
        "[Swartz1982, 13-15]",
        _ARM & NO_ROTORS,
        serial_arm.accelerations_by(2, "Half of H by the links that move, solved"),
    ),
    (
        "Forward Arm 3",
        "forward dynamics",
        "[Swartz1982, 16-26]",
        _ARM & NO_ROTORS,
        serial_arm.accelerations_by(3, "H by composite bodies, solved"),
    ),
    (
        "Forward Arm 4",
        "forward dynamics",
        "[Swartz1982, 13-15]",
        _ARM & NO_ROTORS,
        serial_arm.accelerations_by(4, "No H: conjugate directions with the Inverse Arm"),
    ),
    (
        "compiled constrained dynamics",
        "constrained dynamics",
        "[Yesiloglu2007, 5.39-5.44]",
        CLOSED,
        closed.compiled_closed,
    ),
    (
        "null space",
        "constrained dynamics",
        "[VanDerMerwe1995, 6.63-6.65]",
        _LOOPS,
        closed.null_space,
    ),
    ("multipliers", "constrained dynamics", "[Yesiloglu2007, 1.2.1]", _LOOPS, closed.multipliers),
    ("least constraint", "constrained dynamics", "[Gauss 1829]", _LOOPS, closed.least_constraint),
    ("tip forces", "constrained dynamics", "[Yesiloglu2007, 2.51-2.53]", _LOOPS, closed.tip_forces),
    (
        "null-space reduction",
        "constrained dynamics",
        "[Yesiloglu2007, 4.32-4.35]",
        _LOOPS,
        closed.null_space_reduction,
    ),
    (
        "pseudo joints",
        "constrained dynamics",
        "[Yesiloglu2007, 4.36-4.38]",
        _LOOPS,
        closed.pseudo_joints,
    ),
    (
        "free and correction accelerations",
        "constrained dynamics",
        "[Yesiloglu2007, 4.1-4.31]",
        FLEXIBLE & _LOOPS,
        sorted_joints.free_and_correction,
    ),
    (
        "arms between contact bodies",
        "constrained dynamics",
        "[Yesiloglu2007, 5.24-5.60]",
        ARMS & GROUND & CLOSED & at_most(60),
        contact_bodies.arms_between_contacts,
    ),
    (
        "independent coordinates",
        "constrained dynamics",
        "[Yesiloglu2007, 5.39-5.44]",
        _LOOPS,
        closed.independent_coordinates,
    ),
)

FORMULATIONS: tuple[Formulation, ...] = tuple(Formulation(*row) for row in _ROWS)


def formulations(
    quantity: str | None = None, mechanism: Mechanism | None = None
) -> tuple[Formulation, ...]:
    """All formulations, those of a quantity, or those that know a mechanism."""
    if quantity is not None and quantity not in QUANTITIES:
        raise unknown_name("quantity", quantity, QUANTITIES)
    return tuple(
        row
        for row in FORMULATIONS
        if quantity in (None, row.quantity)
        and not (mechanism is not None and row.refusal(mechanism.model))
    )


def formulation(name: str) -> Formulation:
    """One by its name."""
    for row in FORMULATIONS:
        if isinstance(name, str) and row.name == name:
            return row
    raise unknown_name("formulation", name, [row.name for row in FORMULATIONS])
