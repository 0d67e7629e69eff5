"""Built-in mechanisms with loops and gears: linkages, the Bricard mechanism, a differential.

Planar linkages move in the x-z plane; their angles count from x towards z (joint axis -y).
"""

from __future__ import annotations

import math

from armillary.errors import InputError
from armillary.formats.examples_parts import (
    DARK,
    ORANGE,
    STEEL,
    bar,
    built,
    close,
    disc,
    rod,
    round_shape,
    solid,
    two_bars,
)
from armillary.model import Builder, Coupling, Passive, Shape
from armillary.model.parts import Triple
from armillary.units import AXIS_VECTORS

OWN = "made up for Armillary"


def _looks(length: float, width: float) -> Shape:
    (shape,) = bar(1.0, length, width)["shapes"]
    return shape


def _four_bar(b: Builder) -> None:
    """0.15 + 0.60 < 0.55 + 0.35: the crank turns fully (Grashof).  Links side by side along y."""
    lengths = {"crank": 0.15, "coupler": 0.55, "rocker": 0.35}
    masses: dict[str, tuple[float, Triple, tuple[float, ...]]] = {
        "crank": (0.36, (0.062, 0.003, -0.004), (1.9e-4, 9.6e-4, 9.1e-4, 2e-5, -3e-5, 1e-5)),
        "coupler": (0.74, (0.281, 0.002, 0.031), (1.3e-3, 0.0202, 0.0193, 6e-5, 4.1e-4, -3e-5)),
        "rocker": (0.58, (0.165, -0.004, 0.006), (4.2e-4, 6.4e-3, 6.2e-3, -4e-5, 9e-5, 2e-5)),
    }
    crank, coupler, rocker, ground = *lengths.values(), 0.60
    joints: dict[str, tuple[str, Triple]] = {
        "crank": ("world", (0.0, 0.0, 0.0)),
        "coupler": ("crank", (crank, 0.02, 0.0)),
        "rocker": ("world", (ground, 0.04, 0.0)),
    }
    for name, (parent, at) in joints.items():
        own = solid(*masses[name], _looks(lengths[name], 0.02))
        b.body(name, parent, "revolute", at, axis="-y", passive=Passive(viscous=0.002), **own)
    ends = ("coupler", (coupler, 0.01, 0.0)), ("rocker", (rocker, -0.01, 0.0))
    close(b, "pin", *ends, "revolute", axis="-y")
    angle = 1.0
    A = (crank * math.cos(angle), crank * math.sin(angle))
    coupler_angle, rocker_angle = two_bars(A, coupler, (ground, 0.0), rocker)
    b.initial = {"crank": angle, "coupler": coupler_angle - angle, "rocker": rocker_angle}


def _slider_crank(b: Builder) -> None:
    """The slider passes 8 mm above the crankshaft."""
    crank, reach, offset, angle = 0.045, 0.150, 0.008, 0.9
    tensor: tuple[float, ...] = (3.9e-3, 6.8e-3, 3.6e-3, 4.0e-5, -6.0e-5, 3.0e-5)
    own = solid(2.4, (0.006, 0.0015, -0.001), tensor, round_shape(0.06, 0.02, "y", STEEL))
    b.body("crank", joint="revolute", axis="-y", **own)
    tensor = (2.1e-4, 1.9e-3, 1.8e-3, 1.5e-5, 2.5e-5, 1.0e-5)
    own = solid(0.62, (0.046, 0.001, 0.002), tensor, _looks(reach, 0.018))
    b.body("rod", "crank", "revolute", (crank, 0.022, 0.0), axis="-y", **own)
    tensor = (4.0e-4, 3.3e-4, 3.4e-4, 6.0e-6, -4.0e-6, 3.0e-6)
    own = solid(0.48, (0.012, -0.001, 0.0005), tensor, round_shape(0.04, 0.06, "x", ORANGE))
    at, oil = (0.0, 0.02, offset), Passive(viscous=4.0)
    b.body("slider", joint="prismatic", axis="x", at=at, passive=oil, **own)
    ends = ("slider", (0.0, 0.002, 0.0)), ("rod", (reach, 0.0, 0.0))
    close(b, "wrist", *ends, "revolute", axis="-y")
    rise = offset - crank * math.sin(angle)
    heading = math.asin(rise / reach)
    stroke = crank * math.cos(angle) + reach * math.cos(heading)
    b.initial = {"crank": angle, "rod": heading - angle, "slider": stroke}


def _ladder(b: Builder, n: int = 4) -> None:
    """n windows of rods 1 m long: rods 0 ... n stand on the ground 1 m apart, couplers join their
    upper ends.  Where all lie on the ground, n + 1 motions are possible instead of one."""
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise InputError(f"four-bar-ladder: n is the number of windows, 1 or more; found {n!r}.")
    vertical, level = rod(1.0, 1.0, "z"), rod(1.0, 1.0, "x", ORANGE)
    for k in range(n + 1):
        b.body(f"rod{k}", joint="revolute", axis="y", at=(float(k), 0.0, 0.0), **vertical)
        b.initial[f"rod{k}"] = 0.0
        if k == n:
            break
        b.body(f"coupler{k}", f"rod{k}", "revolute", (0.0, 0.0, 1.0), axis="y", **level)
        ends = (f"coupler{k}", (1.0, 0.0, 0.0)), (f"rod{k + 1}", (0.0, 0.0, 1.0))
        close(b, f"pin{k + 1}", *ends, "revolute", axis="y")


# The way round a cube along six of its edges: five rods, and the ground along z back to the start.
_EDGES: dict[str, Triple] = {x: AXIS_VECTORS[x] for x in ("x", "-y", "z", "-x", "y", "-z")}


def _cross(a: Triple, b: Triple) -> Triple:
    x, y, z = (a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1)))
    return (x + 0.0, y + 0.0, z + 0.0)


def _bricard(b: Builder) -> None:
    """Each joint axis is square to the two rods it joins.  A loop of six pins is rigid as a rule,
    this one moves.  At q = 0 the rods lie on the edges of a cube; y is up."""
    b.gravity = (0.0, -9.81, 0.0)
    parent, at, before = "world", (0.0, 0.0, 0.0), _EDGES["-z"]
    for k, (along, edge) in enumerate(_EDGES.items()):
        axis = _cross(before, edge)
        if along == "-z":
            break
        name = f"rod{k + 1}"
        b.body(name, parent, "revolute", at, axis=axis, **rod(1.0, 1.0, along))
        b.initial[name] = 0.0
        parent, at, before = name, edge, edge
    close(b, "pin6", ("world", (0.0, 0.0, 1.0)), (parent, at), "revolute", axis=axis)


def _differential(b: Builder) -> None:
    """x is forward, the axles along y.  The pinion drives the ring gear of the housing; two spider
    gears on the housing's x axis mesh with both side gears, which carry the axles.

    Where the gears meet they share a velocity; side gears turn relative to the housing."""
    teeth_pinion, teeth_ring, teeth_side, teeth_spider = 10, 41, 16, 10
    side = 0.032  # pitch radius of the side gears: where the spider gears sit
    pinion = disc(1.1, 0.024, 0.14, "x", STEEL)
    b.body("pinion", joint="revolute", axis="x", at=(-0.16, 0.0, 0.0), **pinion)
    gear = round_shape(0.10, 0.03, "y", STEEL)
    own = solid(6.8, (0.0, 0.018, 0.0), (0.030, 0.046, 0.030), gear)
    b.body("housing", joint="revolute", axis="y", passive=Passive(viscous=0.01), **own)
    gear, axle = round_shape(side, 0.02, "y", ORANGE), Passive(viscous=0.002)
    for name, y in (("left", 1.0), ("right", -1.0)):
        own = solid(3.4, (0.0, 0.24 * y, 0.0), (0.060, 0.0014, 0.060), gear)
        b.body(name, "housing", "revolute", (0.0, 0.02 * y, 0.0), axis="y", passive=axle, **own)
    gears = disc(0.22, 0.02, 0.018, "x", DARK)
    for name, x in (("spider1", side), ("spider2", -side)):
        b.body(name, "housing", "revolute", (x, 0.0, 0.0), axis="x", **gears)
    drive, spider = teeth_pinion / teeth_ring, teeth_side / teeth_spider
    b.coupling(Coupling("final-drive", "housing", "pinion", drive))
    b.coupling(Coupling("across", "right", "left", -1.0))
    b.coupling(Coupling("mesh1", "spider1", "left", -spider))
    b.coupling(Coupling("mesh2", "spider2", "left", spider))
    angle = 0.25  # of the left axle relative to the housing
    b.initial = {"pinion": 1.23, "housing": drive * 1.23, "left": angle, "right": -angle}
    b.initial |= {"spider1": -spider * angle, "spider2": spider * angle}


CLOSED = {
    "four-bar": built(
        _four_bar, "planar crank and rocker, full inertia tensors: one freedom, five rows", OWN
    ),
    "slider-crank": built(
        _slider_crank, "crank, rod and slider of a small pump, slide beside the shaft", OWN
    ),
    "four-bar-ladder": built(
        _ladder,
        "n four-bars side by side (n=4): singular where all rods lie on the ground",
        "benchmark A02 of the IFToMM library of multibody problems",
        ("n",),
    ),
    "bricard": built(
        _bricard,
        "six pins in a loop that count as rigid and still move",
        "benchmark A04 of the IFToMM library of multibody problems",
    ),
    "differential": built(
        _differential, "bevel-gear differential: pinion, housing, two axles, two spider gears", OWN
    ),
}
