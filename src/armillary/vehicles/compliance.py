"""Compliance of an axle with rubber or leaf springs: how forces on the wheels turn and displace
them.

On the rig (posts hold the wheels' centres at their heights, the steering and the brakes are held)
the wheels are pushed, and everything elastic finds its static rest.  Axes are ISO 8855, fixed in
the chassis: forces forward and to the left are positive, moments about the vertical to the left.
"""

from __future__ import annotations

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.model.arguments import check_arguments
from armillary.vehicles.axle import Axle
from armillary.vehicles.curves import Column, Curves
from armillary.vehicles.elastic import Loads
from armillary.vehicles.kinematics import Sweep, posts_at, sweep, wheel_angles
from armillary.vehicles.rig import CENTERS, SIDES, Rig

# load -> (unit, entry of the wrench (n; f), at the contact point or at the wheel's centre)
_LOADS = {
    "lateral": ("N", 4, True),
    "longitudinal": ("N", 3, True),
    "drive": ("N", 3, False),
    "aligning": ("N m", 2, True),
}
_USUAL = np.linspace(-2000.0, 2000.0, 9)  # N


@check_arguments
def compliance(
    axle: Axle | str,
    *,
    lateral: Sweep = 0.0,
    longitudinal: Sweep = 0.0,
    drive: Sweep = 0.0,
    aligning: Sweep = 0.0,
    opposed: bool = False,
    travel: float = 0.0,
    roll: float = 0.0,
    steer: float = 0.0,
) -> Curves:
    """Curves of an axle over the one of the loads that is a list.

    lateral, longitudinal: forces at the contact points, N, to the left and forward (brakes, held in
    the hub: negative); drive: forward at the wheels' centres, N (torque that shafts bring from the
    chassis); aligning: moments about the vertical, N m, to the left.  Both wheels get the same,
    with `opposed` the right one the opposite.  travel, roll, steer: where, as in `kinematics`.
    With no load given: lateral from -2000 to 2000 N.

    Columns of a side: camber, toe, steer; changes of the wheel's centre, half-track and wheelbase
    from the unloaded wheel, m; and the compliances, their rates by the load (exact, per N or per
    N m)."""
    if isinstance(axle, str):
        axle = Axle(axle)
    rig = Rig(axle)
    if not rig.compliant:
        raise InputError(
            f"{axle.title}: its links and hinges are rigid, so forces do not move its wheels. Put "
            f"rubber in, such as DoubleWishbone(bushing=Bushing()), an elastic tie rod "
            f"(tie_rod=5e6), MacPherson(mount=Bushing()), or SolidAxle(guide='leaf')."
        )
    given = {"lateral": lateral, "longitudinal": longitudinal, "drive": drive, "aligning": aligning}
    over, pushes = sweep(given, _USUAL)
    place = {"travel": travel, "roll": roll, "steer": steer}
    at = posts_at(axle, rig, sweep(place, np.zeros(1))[1])
    if len(at) > 1:
        raise InputError("travel, roll and steer are single numbers here: the loads are swept.")
    at = np.repeat(at, len(pushes[over]), axis=0)
    loads = _wheel_loads(rig, pushes, opposed)
    q = rig.places(at, loads)
    one = {name: np.full(len(at), float(name == over)) for name in pushes}
    change = _wheel_loads(rig, one, opposed)(q)[:, :, None]
    moved = rig.elastic.tangents(q, np.zeros((rig.mechanism.nv, 1)), loads, change)[:, :, 0]
    return _curves(axle, rig, over, pushes, _Moved(q, moved, rig.places(at[:1])))


def _wheel_loads(rig: Rig, pushes: dict[str, Array], opposed: bool) -> Loads:
    """Generalised forces (S, nv) of the loads on both wheels, at any q of the same places."""
    count = len(next(iter(pushes.values())))
    at_contact, at_center = np.zeros((2, count, 6))
    for name, (_, entry, touching) in _LOADS.items():
        (at_contact if touching else at_center)[:, entry] += pushes[name]

    def forces(q: Array) -> Array:
        blocks, total = len(q) // count, np.zeros((len(q), rig.mechanism.nv))
        contact, center = (np.tile(x, (blocks, 1)) for x in (at_contact, at_center))
        for k, sign in enumerate((1.0, -1.0 if opposed else 1.0)):
            moment = contact[:, :3] + np.cross(rig.contact_arms(q, k), contact[:, 3:])
            wrench = np.concatenate([moment, contact[:, 3:]], axis=1) + center
            J = rig.mechanism.jacobian(q, CENTERS[k], coordinates="world_aligned")
            total += sign * np.einsum("sij,si->sj", np.asarray(J), wrench)
        return total

    return forces


class _Moved:
    """A rig at rest under loads: q (B, nq), its rates by the swept load (B, nv), and q without
    loads (1, nq)."""

    def __init__(self, q: Array, rates: Array, free: Array):
        self.q, self.rates, self.free = q, rates, free

    def columns(self, rig: Rig, k: int) -> dict[str, tuple[Array, str]]:
        """Of a side: (numbers, unit, with {} for the unit of the load)."""
        m, side = rig.mechanism, rig.parts.corners[k].side
        center, origin = (np.asarray(m.pose(q, CENTERS[k])[1]) for q in (self.q, self.free))
        axis, arm = rig.wheel_axes(self.q, k), rig.contact_arms(self.q, k)
        contact = center + arm - origin - rig.contact_arms(self.free, k)
        found = {name: (x, "rad") for name, x in wheel_angles(axis, side).items()}
        for j, name in enumerate("xyz"):
            found[f"center {name} change"] = ((center - origin)[:, j], "m")
        found["half-track change"] = (side * contact[:, 1], "m")
        found["wheelbase change"] = (contact[:, 0], "m")
        twist = np.asarray(m.velocity(self.q, self.rates, CENTERS[k], coordinates="world_aligned"))
        dx, dy, dz = np.cross(twist[:, :3], axis).T
        x, y, z = axis.T
        flat = np.hypot(x, y)
        turning = (x * dy - y * dx) / flat**2  # d atan2(-x, y)
        found["steer compliance"] = (turning, "rad/{}")
        found["toe compliance"] = (-side * turning, "rad/{}")
        leaning = flat * dz - z * (x * dx + y * dy) / flat  # d atan2(z, flat), of a unit vector
        found["camber compliance"] = (-side * leaning, "rad/{}")
        for j, name in enumerate("xy"):
            found[f"center {name} compliance"] = (twist[:, 3 + j], "m/{}")
        return found


_MIRRORED = ("steer", "center y", "center z")  # change their sign in SAE axes


def _curves(axle: Axle, rig: Rig, over: str, pushes: dict[str, Array], moved: _Moved) -> Curves:
    unit = _LOADS[over][0]
    # in SAE axes loads to the left and about z up are negative; forward ones stay
    turned = -1.0 if over in ("lateral", "aligning") else 1.0
    columns = {over: Column(pushes[over], unit, turned)}
    for k, side in enumerate(SIDES):
        for name, (values, of) in moved.columns(rig, k).items():
            sign = -1.0 if name.startswith(_MIRRORED) else 1.0
            if name.endswith("compliance"):
                sign *= turned
            per = f"({unit})" if " " in unit else unit
            columns[f"{side} {name}"] = Column(values, of.format(per), sign)
    return Curves(axle.title, over, columns)
