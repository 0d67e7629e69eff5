"""A rig for an axle: the chassis is held, posts move the wheels' centres up and down.

The posts are slides of the mechanism, so a place of the rig is a closed position with the posts,
the steering and the wheels' own turning held; velocities follow from the constraint Jacobian.
Where rubber or leaf springs leave more freedoms than the rig holds, the place is the one of static
rest, and velocities are those along which it stays at rest.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.making import Builder
from armillary.mechanism.mechanism import Mechanism
from armillary.model import Frame, Pose
from armillary.vehicles.assembling import CHASSIS, Assembler
from armillary.vehicles.axle import Axle, AxleParts
from armillary.vehicles.elastic import Elastic, Loads
from armillary.vehicles.fitting import fitted

SIDES = ("left", "right")
POSTS = tuple(f"{side}-post" for side in SIDES)
CENTERS = tuple(f"{side}-center" for side in SIDES)
_NEWTON = 40  # steps
_CLOSED = 1e-13  # m or rad
_FAR = 0.1  # m or rad: places further away are reached in steps
_LARGEST = 0.3  # m or rad: no step of Newton's method is longer


class Rig:
    """An axle on two posts.  gravity: along z, m/s² (0: what springs exert, and nothing else).

    A place is three numbers: travel of the left and of the right wheel's centre (m, up is
    positive), and the steering (m or rad); methods take many at once, (B, 3)."""

    def __init__(self, axle: Axle, gravity: float = 0.0):
        self.axle = axle
        b = Builder(f"{axle.name} axle on a rig", gravity=(0.0, 0.0, -gravity))
        b.body(CHASSIS, joint="fixed", mass=1.0, inertia=(1.0, 1.0, 1.0))
        a = Assembler(b)
        self.parts: AxleParts = axle.attach(a)
        for corner, post, center in zip(self.parts.corners, POSTS, CENTERS, strict=True):
            b.body(post, joint="prismatic", axis="z", at=corner.center, mass=1.0)
            b.frame(center, corner.hub, a.local(corner.hub, corner.center))
            b.surface(f"{post}-plane", Frame(f"{post}-top", post, Pose()), center)
        self.mechanism: Mechanism = b.build()
        self.moved = [*POSTS, *([self.parts.steering] if self.parts.steering else [])]
        self.hold = [*self.moved, *(corner.wheel for corner in self.parts.corners)]
        self.driven = [self.mechanism.v_labels.index(name) for name in self.hold]
        self.free = [k for k in range(self.mechanism.nv) if k not in self.driven]
        if self.compliant:
            self.mechanism = fitted(self.mechanism, self.hold)

    @cached_property
    def elastic(self) -> Elastic:
        """What finds the rest of rubber."""
        return Elastic(self.mechanism, self.free, self.axle.title)

    @cached_property
    def compliant(self) -> bool:
        """Do springs decide over some of its motion?"""
        m = self.mechanism
        return m.mobility(m.initial).instantaneous > len(self.hold)

    def places(self, at: Array, loads: Loads | None = None) -> Array:
        """q (B, nq) at places (B, 3).  loads: forces on the wheels, for rigs with rubber."""
        m = self.mechanism
        q = np.tile(np.asarray(m.initial, dtype=float), (len(at), 1))
        columns = [m.q_labels.index(name) for name in self.moved]
        # in small steps from the design position, or another way of closing might be found
        steps = max(1, int(np.ceil(np.abs(at).max() / _FAR)))
        for k in range(1, steps + 1):
            q[:, columns] = at[:, : len(columns)] * (k / steps)
            q = self._closed(q, at)
        return self.elastic.rest(q, loads) if self.compliant else q

    def _closed(self, q: Array, at: Array) -> Array:
        """Newton's method for all places at once; steps of least square."""
        m = self.mechanism
        for _ in range(_NEWTON):
            r, J = m.constraint_residual(q), m.constraint_jacobian(q)[:, :, self.free]
            if np.abs(r).max() < _CLOSED:
                return q
            step = np.zeros((len(q), m.nv))
            step[:, self.free] = -(np.linalg.pinv(J, rcond=1e-10) @ r[:, :, None])[:, :, 0]
            size = np.abs(step).max(axis=1, keepdims=True)
            q = m.integrate(q, step * np.minimum(1.0, _LARGEST / np.maximum(size, _LARGEST)))
        worst = int(np.abs(m.constraint_residual(q)).max(axis=1).argmax())
        left, right, steering = at[worst]
        raise InputError(
            f"{self.axle.title}: it does not close at a travel of {left:g} m left and {right:g} m "
            f"right, steering {steering:g}: its links do not reach. Ask for less, or give other "
            f"hard points."
        )

    def motions(self, q: Array, loads: Loads | None = None) -> Array:
        """Velocities (B, nv, 3) per unit rate of the left post, the right one and the steering."""
        m, count = self.mechanism, len(self.moved)
        v = np.zeros((len(q), m.nv, 3))
        if self.compliant:
            held = np.eye(m.nv)[:, self.driven[:count]]
            none = np.zeros((len(q), m.nv, count))
            v[:, :, :count] = self.elastic.tangents(q, held, loads, none)
            return v
        J = m.constraint_jacobian(q)
        held = np.zeros((len(self.driven), m.nv))
        held[np.arange(len(self.driven)), self.driven] = 1.0
        rows = np.concatenate([J, np.broadcast_to(held, (len(q), *held.shape))], axis=1)
        wanted = np.zeros((rows.shape[1], count))
        wanted[J.shape[1] : J.shape[1] + count] = np.eye(count)
        v[:, :, :count] = np.linalg.pinv(rows, rcond=1e-10) @ wanted
        return v

    def loads(self, at: Array) -> Array:
        """Upward forces (B, 2) of the posts on the wheels' centres in static balance, N, by virtual
        work: the generalised force of springs and weight along the motion of each post."""
        m, q = self.mechanism, self.places(at)
        static = np.array(m.bias_forces(q, np.zeros((len(q), m.nv))))
        static[:, [m.v_labels.index(post) for post in POSTS]] = 0.0  # their own weight
        return np.einsum("bik,bi->bk", self.motions(q)[:, :, :2], static)

    def contact_arms(self, q: Array, k: int) -> Array:
        """From the centre of a wheel (0: left, 1: right) to where it touches a level road, (B, 3),
        m: down in the wheel's plane."""
        corner = self.parts.corners[k]
        axis = self.wheel_axes(q, k)
        up = np.array([0.0, 0.0, 1.0])
        down = up - axis[:, 2:] * axis
        size = np.linalg.norm(down, axis=1, keepdims=True)
        radius = self.axle.wheel.radius / np.cos(corner.rpy[0])  # leaning, it reaches the road
        return np.asarray(-radius * down / size)

    def wheel_axes(self, q: Array, k: int) -> Array:
        """Along y of a wheel, (B, 3)."""
        R = np.asarray(self.mechanism.pose(q, self.parts.corners[k].wheel)[0])
        return np.asarray(R[:, :, 1])
