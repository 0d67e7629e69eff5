"""Vehicles: suspensions, steering and drive line as assemblies, axles on a rig, whole vehicles.

ISO 8855 axes: x forward, y left, z up; SI units, rad.  See docs/vehicles.md.
"""

from armillary.vehicles.ackermann import Ackermann, ackermann
from armillary.vehicles.arms import Bushing
from armillary.vehicles.axle import SUSPENSIONS, Axle
from armillary.vehicles.axles import RoadWheel, Strut
from armillary.vehicles.car import car
from armillary.vehicles.compliance import compliance
from armillary.vehicles.curves import Curves
from armillary.vehicles.drive import Drive
from armillary.vehicles.drive_line import DriveLine, put_differential
from armillary.vehicles.driver import Driver
from armillary.vehicles.kinematics import kinematics
from armillary.vehicles.manoeuvres import (
    Manoeuvre,
    bump_crossing,
    constant_radius,
    double_lane_change,
    drive,
    ramp_steer,
    sine_steer,
    slalom,
    step_steer,
    straight_braking,
    understeer_gradient,
)
from armillary.vehicles.paths import Circle, LaneChange, Line, Path, Slalom, Straight
from armillary.vehicles.posts import four_post
from armillary.vehicles.recognising import from_mechanism
from armillary.vehicles.rig import Rig
from armillary.vehicles.roll_over import RollOverGuard
from armillary.vehicles.small_vehicles import bicycle, differential_drive, rover
from armillary.vehicles.solid_axle import SolidAxle
from armillary.vehicles.steering import Rack, Trapezoid, ackermann_error, ackermann_outer
from armillary.vehicles.suspensions import (
    DoubleWishbone,
    FiveDegree,
    MacPherson,
    TrailingArm,
)
from armillary.vehicles.truck import TruckAxle, Unit, n_trailer_rates, truck
from armillary.vehicles.vehicle import Vehicle
from armillary.vehicles.yesiloglu_car import yesiloglu_car

__all__ = [
    "SUSPENSIONS",
    "Ackermann",
    "Axle",
    "Bushing",
    "Circle",
    "Curves",
    "DoubleWishbone",
    "Drive",
    "DriveLine",
    "Driver",
    "FiveDegree",
    "LaneChange",
    "Line",
    "MacPherson",
    "Manoeuvre",
    "Path",
    "Rack",
    "Rig",
    "RoadWheel",
    "RollOverGuard",
    "Slalom",
    "SolidAxle",
    "Straight",
    "Strut",
    "TrailingArm",
    "Trapezoid",
    "TruckAxle",
    "Unit",
    "Vehicle",
    "ackermann",
    "ackermann_error",
    "ackermann_outer",
    "bicycle",
    "bump_crossing",
    "car",
    "compliance",
    "constant_radius",
    "differential_drive",
    "double_lane_change",
    "drive",
    "four_post",
    "from_mechanism",
    "kinematics",
    "n_trailer_rates",
    "put_differential",
    "ramp_steer",
    "rover",
    "sine_steer",
    "slalom",
    "step_steer",
    "straight_braking",
    "truck",
    "understeer_gradient",
    "yesiloglu_car",
]
