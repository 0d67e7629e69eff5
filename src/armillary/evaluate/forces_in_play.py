"""How large the forces are that meet in a joint: what a difference of two answers is measured by.

Answers may vanish by cancellation (wheels on both sides of a cart, weight across an axis, a body in
free fall), and only rounding of what cancelled is left of them.  So weight, inertia, the terms of
velocity and what acts besides are added by their sizes, body by body.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.model.model import Model
from armillary.model.parts import Mass, mass_of
from armillary.spatial import Inertia

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.evaluate.results import BodyForces

LEAST = 1e-3  # of the largest term of the same unit: less is no scale of its own


class Tree(Protocol):
    """What is asked: the questions of an open tree."""

    model: Model

    @property
    def body_forces(self) -> Callable[..., BodyForces]: ...

    @property
    def bias_forces(self) -> Callable[..., Array]: ...

    @property
    def poses(self) -> Callable[..., Any]: ...


def forces_in_play(
    tree: Tree,
    q: Array,
    v: Array,
    a: Array,
    external: External = None,
    passive: bool = True,
    parameters: Array | None = None,
) -> Array:
    """(nv,): for every coordinate, moments (N m) or forces (N) of all bodies that its joint
    carries, added without their signs; parameters (n,): other numbers than the model's."""
    still, own = np.zeros(tree.model.nv), {"parameters": parameters}
    rest = tree.body_forces(q, still, still, None, False, **own)
    moving, pushed = (tree.body_forces(q, x, still, None, False, **own) for x in (v, 0.0 * v))
    driven = tree.body_forces(q, still, a, None, False, **own)
    whole = tree.body_forces(q, v, still, external, passive, **own)
    accelerations = (
        rest.acceleration,
        moving.acceleration - pushed.acceleration,
        driven.acceleration - rest.acceleration,
    )
    wrenches = _sizes(whole.net - moving.net)
    for k, mass in enumerate(_masses(tree.model, parameters)):
        for one in accelerations:
            wrenches[k] += _inertial(mass, one[k])
        wrenches[k] += _turning(mass, moving.velocity[k])
    origins = tree.poses(q)[1]
    given = tree.bias_forces(q, v, external, passive, **own)
    given = given - tree.bias_forces(q, v, None, False, **own)
    return of_units(_carried(tree.model, wrenches, origins) + np.abs(given), tree.model)


def _masses(model: Model, parameters: Array | None) -> list[Mass]:
    if parameters is None:
        return [body.mass for body in model.bodies]
    rows = parameters[: Inertia.size * len(model.bodies)].reshape(-1, Inertia.size)
    return [mass_of(Inertia.from_leaves(row)) for row in rows.tolist()]


def _sizes(wrenches: Array) -> Array:
    """(bodies, 2): moment and force."""
    return np.asarray(np.linalg.norm(wrenches.reshape(len(wrenches), 2, 3), axis=2))


def _inertial(mass: Mass, motion: Array) -> Array:
    """Sizes of the moment about the body's origin and of the force in  I motion."""
    turn, shift = np.linalg.norm(motion[:3]), np.linalg.norm(motion[3:])
    arm = mass.mass * np.linalg.norm(mass.com)
    tensor = np.linalg.norm(mass.tensor) + arm * np.linalg.norm(mass.com)
    return np.array([tensor * turn + arm * shift, mass.mass * shift + arm * turn])


def _turning(mass: Mass, velocity: Array) -> Array:
    """Of  v × I v."""
    turn, shift = np.linalg.norm(velocity[:3]), np.linalg.norm(velocity[3:])
    angular, linear = _inertial(mass, velocity)
    return np.array([turn * angular + shift * linear, turn * linear])


def _carried(model: Model, wrenches: Array, origins: Array) -> Array:
    """(nv,) of the sizes of all bodies; origins (bodies, 3) in the world: their distances are the
    levers, m.  A part of that about the world's origin counts where a joint carries no lever: some
    answers come by way of it."""
    moment, force = wrenches.T.copy()
    play = np.zeros(model.nv)
    for k in reversed(range(len(model.bodies))):
        slot, parent = model.slots[k].v, model.parents[k]
        far = LEAST * float(np.linalg.norm(origins[k])) * force[k]
        for n in range(slot.start, slot.stop):
            play[n] = moment[k] + far if model.v_units[n] == "rad" else force[k]
        if parent >= 0:
            lever = np.linalg.norm(origins[k] - origins[parent])
            moment[parent] += moment[k] + lever * force[k]
            force[parent] += force[k]
    return play


def of_units(x: Array, model: Model) -> Array:
    """No entry counts for less than a part of the largest of its unit."""
    found, units = x.copy(), np.array(model.v_units)
    for unit in set(model.v_units):
        same = units == unit
        found[same] = np.maximum(found[same], LEAST * found[same].max(initial=0.0))
    return found
