"""Mechanisms as data: parts, the builder, the frozen model, edits and the tables of algorithms."""

from armillary.model.builder import Builder
from armillary.model.constraint_parts import (
    Contact,
    Coupling,
    Distance,
    Loop,
    PrescribedMotion,
    Surface,
    Wheel,
)
from armillary.model.elements.element import ForceElement
from armillary.model.joints import joint_spec
from armillary.model.law import Law
from armillary.model.model import Model
from armillary.model.parts import (
    WORLD,
    Body,
    Frame,
    JointSpec,
    Limits,
    Mass,
    Motor,
    Pose,
    Rotor,
    Shape,
)
from armillary.model.passive import Passive
from armillary.model.report import Note, Report

__all__ = [
    "WORLD",
    "Body",
    "Builder",
    "Contact",
    "Coupling",
    "Distance",
    "ForceElement",
    "Frame",
    "JointSpec",
    "Law",
    "Limits",
    "Loop",
    "Mass",
    "Model",
    "Motor",
    "Note",
    "Passive",
    "Pose",
    "PrescribedMotion",
    "Report",
    "Rotor",
    "Shape",
    "Surface",
    "Wheel",
    "joint_spec",
]
