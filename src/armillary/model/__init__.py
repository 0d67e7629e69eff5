"""Mechanisms as data: parts, the builder, the frozen model, edits and the tables of algorithms."""

from armillary.model.builder import Builder
from armillary.model.joints import joint_spec
from armillary.model.model import Model
from armillary.model.parts import (
    WORLD,
    Body,
    Coupling,
    Frame,
    JointSpec,
    Limits,
    Loop,
    Mass,
    Motor,
    Pose,
    Rotor,
    Shape,
    Wheel,
)
from armillary.model.passive import Passive
from armillary.model.report import Note, Report

__all__ = [
    "WORLD",
    "Body",
    "Builder",
    "Coupling",
    "Frame",
    "JointSpec",
    "Limits",
    "Loop",
    "Mass",
    "Model",
    "Motor",
    "Note",
    "Passive",
    "Pose",
    "Report",
    "Rotor",
    "Shape",
    "Wheel",
    "joint_spec",
]
