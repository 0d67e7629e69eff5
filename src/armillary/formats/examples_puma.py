"""The Puma 560 with the numbers that its laboratories agreed on.

P. I. Corke and B. Armstrong-Hélouvry, "A search for consensus among model parameters reported for
the PUMA 560 robot", IEEE Int. Conf. Robotics and Automation, 1994, pp. 1608-1613 (the model of the
Robotics Toolbox); joint limits: Wang and Chen, IEEE Trans. Robotics and Automation 7 (1991).
Links 1 and 3 have inertias that were identified as far as they matter and no further: no rigid body
has them, and the report says so.
"""

from __future__ import annotations

import math
from typing import Any

from armillary.formats.dh_rows import dh
from armillary.formats.examples_parts import Example
from armillary.model import Model, Report

# standard notation: a, alpha (deg), d; mass, com, (xx, yy, zz) about it in the link frame
_LINKS = (
    (0.0, 90, 0.0, 0.0, (0, 0, 0), (0, 0.35, 0)),
    (0.4318, 0, 0.0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
    (0.0203, -90, 0.15005, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125)),
    (0.0, 90, 0.4318, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3)),
    (0.0, -90, 0.0, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3)),
    (0.0, 0, 0.0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3)),
)
# at the motor: inertia (kg m²), gear, viscous (N m s/rad), Coulomb forward and backward (N m);
# of the joint: limits (deg)
_DRIVES = (
    (200e-6, -62.6111, 1.48e-3, (0.395, 0.435), (-160, 160)),
    (200e-6, 107.815, 0.817e-3, (0.126, 0.071), (-45, 225)),
    (200e-6, -53.7063, 1.38e-3, (0.132, 0.105), (-225, 45)),
    (33e-6, 76.0364, 71.2e-6, (11.2e-3, 16.9e-3), (-110, 170)),
    (33e-6, 71.923, 82.6e-6, (9.26e-3, 14.5e-3), (-100, 100)),
    (33e-6, 76.686, 36.7e-6, (3.96e-3, 10.5e-3), (-266, 266)),
)
_READY = (0.0, 90.0, -90.0, 0.0, 0.0, 0.0)  # deg: the arm straight up


def _row(link: tuple[Any, ...], drive: tuple[Any, ...], ready: float, k: int) -> dict[str, Any]:
    """Friction of a motor, seen at its joint:  (B G²) v + |G| T sign(v)."""
    a, alpha, d, mass, com, inertia = link
    rotor, gear, viscous, (forward, backward), (lower, upper) = drive
    return {
        "name": f"link{k}",
        "joint": f"joint{k}",
        "a": a,
        "alpha_deg": alpha,
        "d": d,
        "mass": mass,
        "com": com,
        "inertia": inertia,
        "initial": math.radians(ready),
        "rotor": {"inertia": rotor, "gear": gear},
        "friction": {
            "viscous": viscous * gear**2,
            "coulomb": (abs(gear) * forward, abs(gear) * backward),
        },
        "limits": {"lower": math.radians(lower), "upper": math.radians(upper)},
    }


def _puma560(name: str) -> Model:
    rows = [
        _row(link, drive, ready, k)
        for k, (link, drive, ready) in enumerate(zip(_LINKS, _DRIVES, _READY, strict=True), start=1)
    ]
    return dh(rows, name=name, report=Report(source="[CorkeArmstrong1994]"))


PUMA = {
    "puma560": Example(
        "Puma 560: six revolute joints with the friction, gears and rotors of its drives",
        "[CorkeArmstrong1994], the model of the Robotics Toolbox",
        _puma560,
    )
}
