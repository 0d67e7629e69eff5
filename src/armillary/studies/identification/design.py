"""Joint forces as a function of the parameters, and their columns:

    f(θ) = A θ + g(θ),        X = ∂f/∂θ = A + ∂g/∂θ

A: inertias (the torque regressor), rotors, viscous and Coulomb friction, offsets, springs of
joints.  g: what is known, force elements with their numbers, and the rise of static friction

    rise exp(-(v / v_s)²) sign(v).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.motion.coordinates import coordinates
from armillary.studies.identification.filtering import Motion
from armillary.studies.identification.parameters import (
    Parameter,
    bare_tree,
    joint_of,
    passive_of,
)

_ROUNDED = 1e-12  # of the largest velocity
_STEP = 1e-4  # of a number of a force element, for differences
_NONLINEAR = ("element", "static_rise", "stribeck", "motor")


@dataclass(frozen=True)
class Design:
    """The forces of one mechanism, for the parameters that are asked for."""

    mechanism: Mechanism
    parameters: tuple[Parameter, ...]

    def __post_init__(self) -> None:
        model = self.mechanism.model
        if model.load_dependent_joints:
            raise InputError(
                f"identify: friction of joint '{model.load_dependent_joints[0]}' depends on its "
                "load, so joint forces are not linear in the masses. Take load_radial, load_axial, "
                "load_moment and load_drive out of the model."
            )
        rubbing = [c.name for c in model.contacts if c.friction]
        sprung = [loop.name for loop in model.loops if loop.joint.passive]
        for name in (*rubbing, *sprung):
            raise InputError(
                f"identify: '{name}' has friction or springs where it closes the mechanism, which "
                "measured joint forces cannot be told apart from. Put them into a joint of the "
                "tree, or leave them out."
            )

    @cached_property
    def bare(self) -> Mechanism:
        return bare_tree(self.mechanism, self.parameters)

    @cached_property
    def known_numbers(self) -> Array:
        """`parameters=` of the bare tree: zero where inertias are identified."""
        numbers = self.mechanism.tree.parameters.copy()
        numbers[[p.entry for p in self.parameters if p.kind == "inertia"]] = 0.0
        return numbers

    @property
    def linear_only(self) -> bool:
        return not any(p.kind in _NONLINEAR for p in self.parameters)

    def linear(self, motion: Motion) -> Array:
        """A (T, nv, P); zero columns for parameters of g."""
        found = np.zeros((len(motion.q), self.mechanism.nv, len(self.parameters)))
        inertial = [k for k, p in enumerate(self.parameters) if p.kind == "inertia"]
        if inertial:
            Y = self.mechanism.tree.regressor(motion.q, motion.v, motion.a)
            found[:, :, inertial] = Y[:, :, [self.parameters[k].entry for k in inertial]]
        for k, p in enumerate(self.parameters):
            if p.kind != "inertia" and p.kind not in _NONLINEAR:
                found[:, p.entry, k] = self._column(p, motion)
        return found

    def _column(self, p: Parameter, motion: Motion) -> Array:
        direction = self._direction(p.entry, motion)
        match p.kind:
            case "rotor":
                return motion.a[:, p.entry]
            case "viscous":
                return motion.v[:, p.entry]
            case "coulomb":
                return direction
            case "coulomb_forward":
                return np.maximum(direction, 0.0)
            case "coulomb_backward":
                return np.minimum(direction, 0.0)
            case "offset":
                return np.ones(len(motion.q))
        body, axis = joint_of(self.mechanism, p.entry)
        rest = passive_of(self.mechanism.model.bodies[body].joint, axis).rest
        (place,) = coordinates(self.mechanism, [p.entry])
        return motion.q[:, place] - rest

    def _direction(self, entry: int, motion: Motion) -> Array:
        """sign(v), or the smooth curve that the model has in its place.  At rest there is none: a
        velocity that is rounding is 0."""
        body, axis = joint_of(self.mechanism, entry)
        passive = passive_of(self.mechanism.model.bodies[body].joint, axis)
        v = motion.v[:, entry]
        moving = np.abs(v) > _ROUNDED * np.abs(v).max(initial=0.0)
        return np.asarray(passive.direction(np.where(moving, v, 0.0)), float)

    def rest(self, motion: Motion, theta: Array) -> Array:
        """g(θ) (T, nv)."""
        total = self._elements(motion, theta)
        for rise, fast in self._rises():
            entry = self.parameters[rise].entry
            total[:, entry] += theta[rise] * self._rise(entry, motion, theta[fast])[0]
        return total

    def slopes(self, motion: Motion, theta: Array) -> Array:
        """∂g/∂θ (T, nv, P)."""
        found = np.zeros((len(motion.q), self.mechanism.nv, len(self.parameters)))
        for k, p in enumerate(self.parameters):
            if p.kind == "element":
                step = np.zeros(len(theta))
                step[k] = _STEP * max(abs(theta[k]), 1.0)
                up, down = (self._elements(motion, theta + s * step) for s in (1.0, -1.0))
                found[:, :, k] = (up - down) / (2.0 * step[k])
        for rise, fast in self._rises():
            entry = self.parameters[rise].entry
            value, slope = self._rise(entry, motion, theta[fast])
            found[:, entry, rise], found[:, entry, fast] = value, theta[rise] * slope
        return found

    def _elements(self, motion: Motion, theta: Array) -> Array:
        """What is known, with the force elements' numbers of θ."""
        numbers, first = self.known_numbers.copy(), 10 * len(self.mechanism.bodies)
        for k, p in enumerate(self.parameters):
            if p.kind == "element":
                numbers[first + p.entry] = theta[k]
        return np.array(
            self.bare.inverse_dynamics(motion.q, motion.v, motion.a, parameters=numbers)
        )

    def _rises(self) -> Sequence[tuple[int, int]]:
        """Pairs (rise of static friction, Stribeck velocity) of a joint."""
        place = {(p.kind, p.entry): k for k, p in enumerate(self.parameters)}
        return [
            (k, place["stribeck", entry])
            for (kind, entry), k in place.items()
            if kind == "static_rise"
        ]

    def _rise(self, entry: int, motion: Motion, fast: float) -> tuple[Array, Array]:
        """exp(-(v / v_s)²) sign(v), and its slope along v_s."""
        ratio = (motion.v[:, entry] / fast) ** 2
        value = np.exp(-ratio) * self._direction(entry, motion)
        return value, value * 2.0 * ratio / fast
