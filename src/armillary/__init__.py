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
    DisagreementError,
    EnergyWarning,
    FormatError,
    InputError,
    ModelError,
    ProjectionWarning,
)
from armillary.mechanism import Builder, Mechanism, dh, example, example_names, load, sixparameter
from armillary.model import (
    Contact,
    Coupling,
    Distance,
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
    PrescribedMotion,
    Rotor,
    Shape,
    Surface,
    Wheel,
    joint_spec,
)

if TYPE_CHECKING:
    from armillary import textbook as methods
    from armillary import vehicles
    from armillary.analysis.comparison import compare
    from armillary.analysis.time_constants import time_constants
    from armillary.constraints.drift import CorrectiveForce
    from armillary.formats import tyres
    from armillary.formats.motors import catalogue_motor
    from armillary.formats.parts import read_parts
    from armillary.formats.shape_masses import masses_from_shapes
    from armillary.mechanism.derivation import equations
    from armillary.model import roads
    from armillary.model.solids import solid_inertia
    from armillary.model.volume_integral import volume_inertia
    from armillary.sim.actuators.converters import DAC
    from armillary.sim.actuators.dc_motor import DCMotor, Ideal
    from armillary.sim.actuators.road_spring import Bump, RoadSpring, SineRoad
    from armillary.sim.actuators.transmission import FlexibleTransmission
    from armillary.sim.control.block import Block
    from armillary.sim.control.chain import Chain
    from armillary.sim.control.feed_forward import FeedForward, Function
    from armillary.sim.control.model_based import ComputedTorque, GravityCompensation
    from armillary.sim.control.operational_space import OperationalSpace
    from armillary.sim.control.pid import PID
    from armillary.sim.control.sensors import IMU, Encoder, ForceTorque, Sensor
    from armillary.sim.control.setpoints import check_setpoints
    from armillary.sim.loop.events import Event, JointLimits, Switch
    from armillary.sim.loop.experiment import Experiment, load_experiment
    from armillary.sim.loop.limits import Limit
    from armillary.sim.loop.replay import replay
    from armillary.sim.loop.simulate import simulate
    from armillary.sim.loop.sticking import StickSlip
    from armillary.sim.motion import trajectories
    from armillary.sim.motion.line import line_trajectory
    from armillary.sim.motion.roads import RoadProfile
    from armillary.sim.motion.schedules import Schedule
    from armillary.sim.record.motor_loads import motor_loads, winding_temperature
    from armillary.sim.record.motor_sizing import size_motors
    from armillary.sim.record.plotting import plot
    from armillary.sim.record.run import Run
    from armillary.sim.record.stored_run import load_run
    from armillary.studies.designs import Distribution
    from armillary.studies.identification.excitation import exciting_trajectory
    from armillary.studies.identification.identify import identify
    from armillary.studies.identification.momentum_observer import (
        MomentumObserver,
        observe_forces,
    )
    from armillary.studies.results import Study
    from armillary.studies.study import load_study, study

# found when they are first asked for: name -> module that has it
_LATER = {
    name: module
    for module, names in {
        "textbook": ("methods",),
        "vehicles": ("vehicles",),
        "formats.tyres": ("tyres",),
        "model.roads": ("roads",),
        "formats.parts": ("read_parts",),
        "formats.shape_masses": ("masses_from_shapes",),
        "mechanism.derivation": ("equations",),
        "model.solids": ("solid_inertia",),
        "model.volume_integral": ("volume_inertia",),
        "sim.motion.trajectories": ("trajectories",),
        "sim.actuators.dc_motor": ("DCMotor", "Ideal"),
        "sim.actuators.converters": ("DAC",),
        "sim.control.block": ("Block",),
        "constraints.drift": ("CorrectiveForce", "Penalty", "StabilizedPenalty"),
        "sim.control.chain": ("Chain",),
        "sim.control.feed_forward": ("FeedForward", "Function"),
        "sim.control.pid": ("PID",),
        "sim.control.sensors": ("Sensor", "Encoder", "IMU", "ForceTorque"),
        "sim.control.model_based": ("ComputedTorque", "GravityCompensation"),
        "sim.control.operational_space": ("OperationalSpace",),
        "sim.motion.schedules": ("Schedule",),
        "sim.loop.events": ("Switch", "Event", "JointLimits"),
        "sim.loop.limits": ("Limit",),
        "sim.motion.roads": ("RoadProfile",),
        "sim.loop.sticking": ("StickSlip",),
        "sim.actuators.transmission": ("FlexibleTransmission",),
        "sim.motion.line": ("line_trajectory",),
        "sim.control.setpoints": ("check_setpoints",),
        "sim.record.run": ("Run",),
        "sim.record.plotting": ("plot",),
        "sim.record.motor_loads": ("motor_loads", "winding_temperature"),
        "sim.record.motor_sizing": ("size_motors",),
        "analysis.comparison": ("compare",),
        "analysis.time_constants": ("time_constants",),
        "formats.motors": ("catalogue_motor",),
        "sim.loop.simulate": ("simulate",),
        "studies.study": ("study", "load_study"),
        "studies.results": ("Study",),
        "studies.designs": ("Distribution",),
        "sim.loop.experiment": ("Experiment", "load_experiment"),
        "sim.actuators.road_spring": ("RoadSpring", "Bump", "SineRoad"),
        "sim.loop.replay": ("replay",),
        "sim.record.stored_run": ("load_run",),
        "studies.identification.identify": ("identify",),
        "studies.identification.excitation": ("exciting_trajectory",),
        "studies.identification.momentum_observer": ("MomentumObserver", "observe_forces"),
    }.items()
    for name in names
}

_MODULES = ("methods", "roads", "trajectories", "tyres", "vehicles")


def __getattr__(name: str) -> Any:
    """Simulation and the methods of the documents come when they are asked for."""
    if name not in _LATER:
        raise AttributeError(f"module 'armillary' has no attribute '{name}'")
    module = import_module(f"armillary.{_LATER[name]}")
    return module if name in _MODULES else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)


__version__ = "0.1.0"

__all__ = [
    "DAC",
    "IMU",
    "PID",
    "ArmillaryError",
    "Block",
    "Builder",
    "Bump",
    "Chain",
    "CompileError",
    "ComputedTorque",
    "Contact",
    "CorrectiveForce",
    "Coupling",
    "DCMotor",
    "DisagreementError",
    "Distance",
    "Distribution",
    "Encoder",
    "EnergyWarning",
    "Event",
    "Experiment",
    "FeedForward",
    "FlexibleTransmission",
    "ForceTorque",
    "FormatError",
    "Frame",
    "Function",
    "GravityCompensation",
    "Ideal",
    "InputError",
    "JointLimits",
    "JointSpec",
    "Law",
    "Limit",
    "Limits",
    "Loop",
    "Mass",
    "Mechanism",
    "Model",
    "ModelError",
    "MomentumObserver",
    "Motor",
    "OperationalSpace",
    "Passive",
    "Penalty",
    "Pose",
    "PrescribedMotion",
    "ProjectionWarning",
    "RoadProfile",
    "RoadSpring",
    "Rotor",
    "Run",
    "Schedule",
    "Sensor",
    "Shape",
    "SineRoad",
    "StabilizedPenalty",
    "StickSlip",
    "Study",
    "Surface",
    "Switch",
    "Wheel",
    "catalogue_motor",
    "check_setpoints",
    "compare",
    "dh",
    "equations",
    "example",
    "example_names",
    "exciting_trajectory",
    "identify",
    "joint_spec",
    "line_trajectory",
    "load",
    "load_experiment",
    "load_run",
    "load_study",
    "masses_from_shapes",
    "methods",
    "motor_loads",
    "observe_forces",
    "plot",
    "read_parts",
    "replay",
    "roads",
    "simulate",
    "sixparameter",
    "size_motors",
    "solid_inertia",
    "study",
    "time_constants",
    "trajectories",
    "tyres",
    "vehicles",
    "volume_inertia",
    "winding_temperature",
]
