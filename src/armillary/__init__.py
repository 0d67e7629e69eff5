"""Armillary: the dynamics of robots and mechanisms.

>>> import armillary as am
>>> arm = am.example("stanford")
>>> tau = arm.inverse_dynamics(q, v, a)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from armillary.errors import (
    ArmillaryError,
    CompileError,
    EnergyWarning,
    FormatError,
    InputError,
    ModelError,
)
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
    Contact,
    Coupling,
    Distance,
    Drive,
    Frame,
    JointSpec,
    Law,
    Limits,
    Loop,
    Mass,
    Model,
    Motor,
    Passive,
    Pose,
    Rotor,
    Shape,
    Surface,
    Wheel,
    joint_spec,
)

if TYPE_CHECKING:
    from armillary.functions import methods
    from armillary.sim import trajectories
    from armillary.sim.actuators import DCMotor, Ideal
    from armillary.sim.controllers import PID, FeedForward, Function
    from armillary.sim.converters import DAC
    from armillary.sim.events import Event, JointLimits, Switch
    from armillary.sim.inputs import Schedule
    from armillary.sim.kinematic_inverse import inverse_kinematics
    from armillary.sim.model_controllers import ComputedTorque, GravityCompensation
    from armillary.sim.operational_space import OperationalSpace
    from armillary.sim.roads import RoadProfile
    from armillary.sim.run import Run
    from armillary.sim.setpoints import check_setpoints
    from armillary.sim.simulate import simulate
    from armillary.sim.sticking import StickSlip
    from armillary.sim.storage import load_run
    from armillary.sim.straight_line import line
    from armillary.sim.transmission import FlexibleTransmission

# found when they are first asked for: name -> module that has it
_LATER = {
    "methods": "functions", "trajectories": "sim",
    "DCMotor": "sim.actuators", "Ideal": "sim.actuators", "DAC": "sim.converters",
    "PID": "sim.controllers", "FeedForward": "sim.controllers", "Function": "sim.controllers",
    "ComputedTorque": "sim.model_controllers", "GravityCompensation": "sim.model_controllers",
    "OperationalSpace": "sim.operational_space", "Schedule": "sim.inputs", "Switch": "sim.events",
    "RoadProfile": "sim.roads",
    "Event": "sim.events", "JointLimits": "sim.events", "StickSlip": "sim.sticking",
    "FlexibleTransmission": "sim.transmission", "inverse_kinematics": "sim.kinematic_inverse",
    "line": "sim.straight_line", "check_setpoints": "sim.setpoints", "Run": "sim.run",
    "simulate": "sim.simulate", "load_run": "sim.storage",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Simulation and the methods of the documents come when they are asked for."""
    if name not in _LATER:
        raise AttributeError(f"module 'armillary' has no attribute '{name}'")
    module = import_module(f"armillary.{_LATER[name]}")
    if name in ("methods", "trajectories"):
        return import_module(f"{module.__name__}.{name}")
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)


__version__ = "0.1.0"

__all__ = [
    "DAC",
    "PID",
    "ArmillaryError",
    "Builder",
    "CompileError",
    "ComputedTorque",
    "Contact",
    "Coupling",
    "DCMotor",
    "Distance",
    "Drive",
    "EnergyWarning",
    "Event",
    "FeedForward",
    "FlexibleTransmission",
    "FormatError",
    "Frame",
    "Function",
    "GravityCompensation",
    "Ideal",
    "InputError",
    "JointLimits",
    "JointSpec",
    "Law",
    "Limits",
    "Loop",
    "Mass",
    "Mechanism",
    "Model",
    "ModelError",
    "Motor",
    "OperationalSpace",
    "Passive",
    "Pose",
    "RoadProfile",
    "Rotor",
    "Run",
    "Schedule",
    "Shape",
    "StickSlip",
    "Surface",
    "Switch",
    "Wheel",
    "check_setpoints",
    "dh",
    "example",
    "example_names",
    "inverse_kinematics",
    "joint_spec",
    "line",
    "load",
    "load_run",
    "methods",
    "simulate",
    "sixparameter",
    "trajectories",
]
