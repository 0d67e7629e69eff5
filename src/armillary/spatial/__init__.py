"""Spatial algebra over any scalar: the alphabet of every algorithm."""

from armillary.spatial.force import Force, ForceSpace
from armillary.spatial.motion import Motion, MotionSpace
from armillary.spatial.rigid_body import Inertia, RigidMotion
from armillary.spatial.symmetric import ForceDyad, MotionDyad
from armillary.spatial.transform import Product, Transform
from armillary.spatial.vector import Matrix, Symmetric, Vector

__all__ = [
    "Force",
    "ForceDyad",
    "ForceSpace",
    "Inertia",
    "Matrix",
    "Motion",
    "MotionDyad",
    "MotionSpace",
    "Product",
    "RigidMotion",
    "Symmetric",
    "Transform",
    "Vector",
]
