"""One joint alone: every joint type with its motion and constraint space."""

from armillary.joints.ball import Free, Spherical
from armillary.joints.base import Joint
from armillary.joints.sequences import AXES, General, Gimbal, Planar, Universal, in_order
from armillary.joints.simple import Cylindrical, Fixed, Helical, Prismatic, Revolute

__all__ = [
    "AXES",
    "Cylindrical",
    "Fixed",
    "Free",
    "General",
    "Gimbal",
    "Helical",
    "Joint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Universal",
    "in_order",
]
