"""Armillary: the dynamics of robots and mechanisms.

>>> import armillary as am
>>> arm = am.example("stanford")
>>> tau = arm.inverse_dynamics(q, v, a)
"""

from armillary.errors import ArmillaryError, CompileError, FormatError, InputError, ModelError
from armillary.functions import (
    Builder,
    Mechanism,
    dh,
    example,
    example_names,
    load,
    sixparameter,
)
from armillary.model import (
    Coupling,
    Frame,
    JointSpec,
    Limits,
    Loop,
    Mass,
    Model,
    Motor,
    Passive,
    Pose,
    Rotor,
    Shape,
    Wheel,
    joint_spec,
)

__version__ = "0.1.0"

__all__ = [
    "ArmillaryError",
    "Builder",
    "CompileError",
    "Coupling",
    "FormatError",
    "Frame",
    "InputError",
    "JointSpec",
    "Limits",
    "Loop",
    "Mass",
    "Mechanism",
    "Model",
    "ModelError",
    "Motor",
    "Passive",
    "Pose",
    "Rotor",
    "Shape",
    "Wheel",
    "dh",
    "example",
    "example_names",
    "joint_spec",
    "load",
    "sixparameter",
]
