"""Roads and terrain under tyres: height, normal and friction at a place, over scalars."""

from armillary.model.roads.friction import Friction, FrictionGrid, Patch, Split
from armillary.model.roads.plane import Plane
from armillary.model.roads.random_road import CLASSES, random_profile
from armillary.model.roads.road import Ground, Road
from armillary.model.roads.uneven import Bump, HeightField, Profile, Tracks

__all__ = [
    "CLASSES",
    "Bump",
    "Friction",
    "FrictionGrid",
    "Ground",
    "HeightField",
    "Patch",
    "Plane",
    "Profile",
    "Road",
    "Split",
    "Tracks",
    "random_profile",
]
