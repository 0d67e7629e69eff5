"""The methods of the source documents by name, each as its document has it, errata corrected.

They take a mechanism that is nothing but a tree (or its `tree`; constraints are refused) and the
names of its frames, and reach the closed mechanism by themselves; `Mechanism.solve` is the general
way to the same answers.

    tip_constraint        a chain with a constrained tip          [VanDerMerwe1995, 5.7-5.30, 5.75]
    reference_member      chains that hold a common member        [VanDerMerwe1995, 6.1-6.65]
    grasp                 arms with a common load, at one state   [Yesiloglu2007, 2.44-2.50]
    cooperating           their motion and tip forces             [Yesiloglu2007, 2.51-2.53]
    reduced_cooperation   the same for deficient arms             [Yesiloglu2007, 4.32-4.35]
    pseudo_joints         the same with extra, rigid joints       [Yesiloglu2007, 4.36-4.38]
    squeezed              their joint forces, squeeze by choice   [Yesiloglu2007, 5.16]
    sorted_subspaces      base, actuated, free, flexible joints   [Yesiloglu2007, 4.1-4.24]
    rolling               wheels by annihilators, in two forms    [Yesiloglu2007, 4.39-4.66, 5.20]
    vehicle               loops and wheels as arms that meet      [Yesiloglu2007, 5.24-5.60]
    suspended             its suspension and pseudo joints apart  [Yesiloglu2007, 5.61-5.66]
    inverse_arm           torques of a revolute arm, all vectors  [Swartz1982, 1-10]
    forward_arm           its accelerations, by four methods      [Swartz1982, 13-26]
    walker_orin           its inertia matrix, by three methods    [Swartz1982, 16-26]
    quasi_coordinates     an open chain in three sets of them     [QuinnChang1991, 1-39]
    operators             a tree in stacked matrices              [Yesiloglu2007, chapters 2, 3]

Beside them stands the table of formulations (`formulations()`): one quantity, many ways, one shape.
Each knows its domain; `Mechanism.check` compares all that know a mechanism.
"""

from armillary.textbook.arm import ForwardArm, InverseArm, forward_arm, inverse_arm, walker_orin
from armillary.textbook.cooperating import (
    Cooperation,
    Grasp,
    Squeeze,
    cooperating,
    grasp,
    squeezed,
)
from armillary.textbook.formulations.asked import operators, quasi_coordinates
from armillary.textbook.formulations.operators import Operators
from armillary.textbook.formulations.quasi_coordinates import QuasiCoordinates
from armillary.textbook.formulations.registry import (
    FORMULATIONS,
    Formulation,
    formulation,
    formulations,
)
from armillary.textbook.reduction import (
    PseudoJoints,
    Reduction,
    augment,
    carried,
    pseudo_joints,
    reduced_cooperation,
)
from armillary.textbook.reference_member import (
    ChainTerms,
    ReferenceMember,
    next_place,
    reference_member,
)
from armillary.textbook.rolling import Rolling, rolling
from armillary.textbook.sorted_subspaces import SortedSubspaces, sorted_subspaces
from armillary.textbook.tip_constraint import (
    TipConstraint,
    corrective_force,
    tip_constraint,
)
from armillary.textbook.vehicle import Suspended, Vehicle, suspended, vehicle

__all__ = [
    "FORMULATIONS",
    "ChainTerms",
    "Cooperation",
    "Formulation",
    "ForwardArm",
    "Grasp",
    "InverseArm",
    "Operators",
    "PseudoJoints",
    "QuasiCoordinates",
    "Reduction",
    "ReferenceMember",
    "Rolling",
    "SortedSubspaces",
    "Squeeze",
    "Suspended",
    "TipConstraint",
    "Vehicle",
    "augment",
    "carried",
    "cooperating",
    "corrective_force",
    "formulation",
    "formulations",
    "forward_arm",
    "grasp",
    "inverse_arm",
    "next_place",
    "operators",
    "pseudo_joints",
    "quasi_coordinates",
    "reduced_cooperation",
    "reference_member",
    "rolling",
    "sorted_subspaces",
    "squeezed",
    "suspended",
    "tip_constraint",
    "vehicle",
    "walker_orin",
]
