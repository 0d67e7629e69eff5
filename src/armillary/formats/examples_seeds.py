"""Built-in closed mechanisms of the source documents, with their own numbers."""

from __future__ import annotations

import math

from armillary.formats.examples_parts import (
    BLUE,
    DARK,
    ORANGE,
    STEEL,
    bar,
    box,
    built,
    free_coordinates,
    round_shape,
    solid,
)
from armillary.model import Builder, Frame, Passive, Pose

# -- four links, the tip pinned to the ground ----------------------------------------------------

# Table 5.2: name, along, length, mass, tensor about the centre
_FOUR = (
    ("link1", "z", 2.0, 2.0, (1.0, 1.0, 0.1)),
    ("link2", "x", 1.0, 1.0, (0.02, 0.2, 0.2)),
    ("link3", "z", 1.0, 1.0, (0.2, 0.2, 0.02)),
    ("link4", "x", 1.0, 1.0, (0.02, 0.2, 0.2)),
)


def _four_link(b: Builder) -> None:
    """Stairs in the x-z plane at q = 0, all joints about +y with 0.25 N m s/rad of friction."""
    b.gravity = (0.0, 0.0, -10.0)
    parent, at = "world", (0.0, 0.0, 0.0)
    for name, along, length, mass, inertia in _FOUR:
        link = bar(mass, length, 0.06, along, STEEL) | {"inertia": inertia}
        b.body(name, parent, "revolute", at, axis="y", passive=Passive(viscous=0.25), **link)
        b.initial[name] = 0.0
        parent, at = name, (length, 0.0, 0.0) if along == "x" else (0.0, 0.0, length)
    b.frame("tip", parent, at)
    b.loop("pin", Frame("pin.first", "world", Pose((2.0, 0.0, 3.0))), "tip", "revolute", axis="y")


# -- two parallel links that carry a load --------------------------------------------------------


def _two_link_load(b: Builder) -> None:
    """Links hang down by 45 degrees; the force of a pin is the one on the load."""
    b.gravity = (0.0, 0.0, -10.0)
    length, angle = 1.5, math.pi / 4
    load = box(5.0, (0.8, 0.3, 0.3), color=ORANGE) | {"inertia": (0.5, 0.5, 0.5)}
    b.body("load", joint="free", **load)
    b.initial["load"] = free_coordinates(
        (0.4 + length * math.cos(angle), 0.0, -length * math.sin(angle))
    )
    for k, base in ((1, 0.0), (2, 0.8)):
        link = bar(1.0, length, 0.05, "x", BLUE) | {"inertia": (0.025, 0.25, 0.25)}
        b.body(f"link{k}", joint="revolute", axis="y", at=(base, 0.0, 0.0), **link)
        b.initial[f"link{k}"] = angle
        b.frame(f"tip{k}", f"link{k}", (length, 0.0, 0.0))
        b.frame(f"grip{k}", "load", (base - 0.4, 0.0, 0.0))
        b.loop(f"pin{k}", f"tip{k}", f"grip{k}", "revolute", axis="y")


# -- three legs with slides and a platform -------------------------------------------------------


def _hslm(b: Builder) -> None:
    """y is up.  The legs start on a triangle of side 1 m, 1 m above the platform, and hold it by
    grips 0.05 m from its centre (errata: universal joints, grips, mass of the platform).

    A rod's centre of mass slides with it: 0.5 m from its first joint at the start."""
    b.gravity = (0.0, -10.0, 0.0)
    foot, grip = 0.1, 0.05
    level = 1 / math.sqrt(3) - foot - grip
    length, lean = math.hypot(level, 1.0), math.atan2(1.0, level)
    plate = round_shape(grip, 0.02, "y", ORANGE)
    b.body("platform", joint="free", **solid(5.0, (0.0, 0.0, 0.0), (0.01, 0.01, 0.01), plate))
    rod = bar(2.0, length, 0.03, "-x", STEEL)
    rod |= {"com": (0.5 - length, 0.0, 0.0), "inertia": (0.05, 0.5, 0.5)}
    end = bar(0.5, foot, 0.03, "x", DARK) | {"inertia": (6.0e-5, 6.0e-4, 6.0e-4)}
    b.initial["platform"] = free_coordinates((0.0, 0.0, 0.0))
    for k, degrees in enumerate((-30.0, -150.0, 90.0), start=1):
        heading = math.radians(degrees)
        x, z = math.cos(heading), -math.sin(heading)
        at = (-x / math.sqrt(3), 1.0, -z / math.sqrt(3))
        b.body(f"rod{k}", joint="gimbal", free=("ry", "rz", "dx"), at=at, **rod)
        b.body(f"foot{k}", f"rod{k}", "gimbal", free=("ry", "rz"), **end)
        b.frame(f"tip{k}", f"foot{k}", (foot, 0.0, 0.0))
        b.frame(f"grip{k}", "platform", (-grip * x, 0.0, -grip * z), (0.0, heading, 0.0))
        b.loop(f"weld{k}", f"tip{k}", f"grip{k}", "fixed")
        b.initial[f"rod{k}"] = (heading, -lean, length)
        b.initial[f"foot{k}"] = (0.0, lean)


# -- two arms on a free base, one load -----------------------------------------------------------

_ARMS = ((110.0, -60.0, -50.0), (70.0, 60.0, 50.0))  # degrees
_SPRINGS = ((1, 1), (2, 2))  # arm, joint: flexible


def _free_flyer(b: Builder) -> None:
    """Plane motion without gravity.  The first hand carries the load along its own x axis, the
    second one holds its other end; the load's width closes the chain at the start."""
    b.gravity = (0.0, 0.0, 0.0)
    lengths, masses = (0.7, 0.6, 0.3), (2.0, 1.5, 0.8)
    plate = box(20.0, (1.0, 0.5, 0.1), color=STEEL) | {"inertia": (1.5, 1.5, 3.0)}
    b.body("base", joint="planar", axis="z", **plate)
    tips = []
    for i, (angles, x) in enumerate(zip(_ARMS, (-0.5, 0.5), strict=True), start=1):
        parent, at, heading, tip = "base", (x, 0.25, 0.0), 0.0, x
        for k, (length, mass) in enumerate(zip(lengths, masses, strict=True), start=1):
            name, angle = f"arm{i}-link{k}", math.radians(angles[k - 1])
            spring = [Passive(viscous=0.6, spring=4.0, rest=angle)] * ((i, k) in _SPRINGS)
            inertia = (0.0, mass * length**2 / 12, mass * length**2 / 12)
            link = bar(mass, length, 0.04, "x", BLUE) | {"inertia": inertia}
            b.body(name, parent, "revolute", at, axis="z", passive=spring, **link)
            b.initial[name] = angle
            parent, at = name, (length, 0.0, 0.0)
            heading += angle
            tip += length * math.cos(heading)
        b.frame(f"tip{i}", parent, at)
        tips.append(tip)
    width = tips[1] - tips[0]
    load = box(3.0, (width, 0.3, 0.1), color=ORANGE) | {"inertia": (0.125, 0.125, 0.25)}
    b.body("load", "arm1-link3", "fixed", (lengths[2] + width / 2, 0.0, 0.0), **load)
    b.frame("grip", "load", Pose.from_rpy((width / 2, 0.0, 0.0), (0.0, 0.0, math.pi)))
    b.loop("grasp", "tip2", "grip", "fixed")


SEEDS = {
    "four-link-closed": built(
        _four_link,
        "four links with friction, the tip pinned to the ground",
        "[VanDerMerwe1995], tables 5.1 and 5.2",
    ),
    "two-link-load": built(
        _two_link_load,
        "two parallel links that carry a load between them",
        "[VanDerMerwe1995], table 6.1",
    ),
    "hslm": built(
        _hslm,
        "high stiffness, low mass: three legs with slides hold a platform",
        "[VanDerMerwe1995], tables 8.1 and 8.2, with errata",
    ),
    "dual-arm-free-flyer": built(
        _free_flyer,
        "two under-actuated arms on a free base hold one load, no gravity",
        "[Yesiloglu2007], section 5.1, with synthetic numbers",
    ),
}
