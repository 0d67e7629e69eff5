"""Built-in mechanisms on wheels: disc, unicycle, cart, rover, and the benchmark bicycle.

The ground is z = 0.  A wheel is a thin disc that neither slips nor leaves the ground.
"""

from __future__ import annotations

import math

from armillary.formats.examples_parts import (
    BLUE,
    DARK,
    ORANGE,
    STEEL,
    Solid,
    bar,
    box,
    built,
    disc,
    free_coordinates,
    round_shape,
    solid,
)
from armillary.model import Builder, Passive, Rotor, Wheel
from armillary.model.parts import Triple

OWN = "made up for Armillary"
X: Triple = (1.0, 0.0, 0.0)
Y: Triple = (0.0, 1.0, 0.0)


def _rolling_disc(b: Builder) -> None:
    """A leaning disc, its axis along y of the body; the centre hangs over the ground by r cos."""
    radius, lean, heading = 0.25, 0.35, 0.5
    b.body("disc", joint="free", **disc(2.0, radius, 0.01, "y", STEEL))
    b.wheel(Wheel("rim", "disc", radius, Y))
    b.initial["disc"] = free_coordinates((0.1, -0.2, radius * math.cos(lean)), (lean, 0.0, heading))


# synthetic numbers of the case 002_wheeled_systems; axles along x, travel along y
_WHEEL_RADIUS = 0.3
_WHEEL: Solid = {
    "mass": 1.5,
    "inertia": (0.05, 0.03, 0.03),
    "shapes": [round_shape(_WHEEL_RADIUS, 0.03, "x", DARK)],
}


def _unicycle(b: Builder) -> None:
    """One wheel that carries all the mass, leaning a little."""
    lean, heading = 0.15, 0.4
    b.body("wheel", joint="free", **_WHEEL)
    b.wheel(Wheel("tyre", "wheel", _WHEEL_RADIUS, X))
    height = _WHEEL_RADIUS * math.cos(lean)
    b.initial["wheel"] = free_coordinates((0.0, 0.0, height), (0.0, lean, heading))


def _cart(b: Builder) -> None:
    """A positive torque turns a wheel about +x and drives it towards -y.  The axle may pitch."""
    shaft = round_shape(0.03, 0.8, "x", STEEL)
    b.body("axle", joint="free", **solid(4.0, (0.0, 0.0, 0.0), (0.02, 0.3, 0.3), shaft))
    for name, x in (("wheel1", -0.4), ("wheel2", 0.4)):
        b.body(name, "axle", "revolute", (x, 0.0, 0.0), axis="x", **_WHEEL)
        b.wheel(Wheel(f"{name}-tyre", name, _WHEEL_RADIUS, X))
    b.initial["axle"] = free_coordinates((0.0, 0.0, _WHEEL_RADIUS))


_CORNERS = (
    ("front-left", 0.5, 0.4),
    ("front-right", 0.5, -0.4),
    ("rear-left", -0.5, 0.4),
    ("rear-right", -0.5, -0.4),
)


def _rover(b: Builder) -> None:
    """x forward, y left.  Steering axes stand over the wheels' centres.

    At the start all wheels point straight ahead: it drives on as it is.  Where the axles meet, or
    are parallel, three of the twelve rows follow from the others; else two do, and it stands."""
    radius = 0.16
    b.body("chassis", joint="free", **box(96.0, (1.1, 0.6, 0.25), (0.02, 0.01, 0.18), BLUE))
    strut = bar(3.2, 0.22, 0.06, "z", ORANGE) | {"passive": Passive(viscous=0.8)}
    strut |= {"rotor": Rotor(inertia=6.0e-6, gear=160.0)}
    tyre = disc(4.5, radius, 0.09) | {"passive": Passive(viscous=0.2)}
    tyre |= {"rotor": Rotor(inertia=2.0e-5, gear=50.0)}
    b.initial["chassis"] = free_coordinates((0.3, -0.2, radius), (0.0, 0.0, 0.4))
    for corner, x, y in _CORNERS:
        leg, wheel = f"{corner}-leg", f"{corner}-wheel"
        name = f"{corner}-steer"
        b.body(leg, "chassis", "revolute", (x, y, 0.0), axis="z", joint_name=name, **strut)
        b.body(wheel, leg, "revolute", axis="y", joint_name=f"{corner}-drive", **tyre)
        b.wheel(Wheel(f"{corner}-tyre", wheel, radius, Y))


def _bicycle(b: Builder) -> None:
    """The table of the paper has x forward, z down and its origin where the rear wheel stands.
    Here z is up: y, z and the product xz change their signs.  Steer counts to the left, wheels
    roll forward with positive angles.  Upright, straight ahead: all body axes are the world's."""
    wheelbase, trail, tilt = 1.02, 0.08, math.pi / 10
    rear, front = 0.30, 0.35  # wheel radii
    head = (wheelbase + trail - 0.9 * math.tan(tilt), 0.0, 0.9)  # on the steering axis
    own = solid(85.0, (0.3, 0.0, 0.9 - rear), (9.2, 11.0, 2.8, 0.0, -2.4, 0.0))
    b.body("rear-frame", joint="free", **own)
    looks = [round_shape(radius, 0.02, "y", DARK) for radius in (rear, front)]
    own = solid(2.0, (0.0, 0.0, 0.0), (0.0603, 0.12, 0.0603), looks[0])
    b.body("rear-wheel", "rear-frame", "revolute", axis="y", **own)
    axis, at = (-math.sin(tilt), 0.0, math.cos(tilt)), (head[0], 0.0, head[2] - rear)
    com, tensor = (0.9 - head[0], 0.0, 0.7 - head[2]), (0.05892, 0.06, 0.00708, 0.0, 0.00756, 0.0)
    own = solid(4.0, com, tensor)
    b.body("fork", "rear-frame", "revolute", at, axis=axis, joint_name="steer", **own)
    at = (wheelbase - head[0], 0.0, front - head[2])
    own = solid(3.0, (0.0, 0.0, 0.0), (0.1405, 0.28, 0.1405), looks[1])
    b.body("front-wheel", "fork", "revolute", at, axis="y", **own)
    b.wheel(Wheel("rear-tyre", "rear-wheel", rear, Y))
    b.wheel(Wheel("front-tyre", "front-wheel", front, Y))
    b.initial["rear-frame"] = free_coordinates((0.0, 0.0, rear))


WHEELS = {
    "rolling-disc": built(_rolling_disc, "a leaning disc on the plane, free to roll and turn", OWN),
    "unicycle": built(
        _unicycle,
        "one wheel on the ground, pure rolling: three freedoms",
        "[Yesiloglu2007], section 4.3, with synthetic numbers",
    ),
    "two-wheeled-cart": built(
        _cart,
        "two driven wheels on an axle: travel, yaw and a free pitch",
        "[Yesiloglu2007], section 5.2, with synthetic numbers",
    ),
    "rover": built(
        _rover,
        "four wheels, each one driven and steered, on a rigid chassis",
        "after [Yesiloglu2007], section 5.3, with numbers of our own",
    ),
    "bicycle": built(
        _bicycle,
        "the Whipple bicycle with its benchmark numbers, upright",
        "[Meijaard2007], table 1",
    ),
}
