"""Questions about trees that are made of several: everything at once, checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.tree import forward_dynamics
from armillary.evaluate.answers import load_friction_of
from armillary.evaluate.configurations import integrate
from armillary.evaluate.deferred import Deferred
from armillary.evaluate.derivatives import BaseParameters
from armillary.evaluate.derivatives import base_parameters as combinations
from armillary.evaluate.evaluator import External
from armillary.evaluate.forces_in_play import forces_in_play, of_units
from armillary.evaluate.inputs import MOST_STATES, Array, Keywords, whole_number
from armillary.evaluate.named_states import State
from armillary.evaluate.results import ElementForces, Identities, Power, Solution
from armillary.evaluate.table_face import TableFace


def base_parameters(tree: TableFace, states: int = 200, seed: int = 0) -> BaseParameters:
    """The combinations of parameters that joint forces can identify, from random states."""
    rng, nv = np.random.default_rng(whole_number("seed", seed, 0)), tree.model.nv
    states = whole_number("states", states, 1, MOST_STATES)
    q = integrate(tree, np.array(tree.model.neutral()), rng.uniform(-1.5, 1.5, (states, nv)))
    v, a = rng.normal(size=(2, states, nv)) * 2.0
    return combinations(tree.model, np.concatenate(list(tree.regressor(q, v, a))))


def tree_solution(
    tree: TableFace,
    q: State,
    v: State,
    tau: State,
    external: External,
    passive: bool,
    parameters: ArrayLike | None = None,
) -> Solution:
    """Everything at once: accelerations, all reactions, energies and the power balance.

    parameters: other numbers than the model's."""
    q, v, tau = tree.evaluator.complete({"q": q, "v": v, "tau": tau}).values()
    a = tree.forward_dynamics(q, v, tau, external, passive, parameters=parameters)
    forces = tree.body_forces(q, v, a, external, passive, parameters=parameters)
    kinetic, potential = tree.energy(q, v, parameters=parameters)
    speed, force = np.asarray(v, float), np.asarray(tau, float)
    state = {"q": q, "v": speed, "tau": force, "a": a}

    def balance() -> Power:
        M = tree.mass_matrix(q, passive, parameters=parameters)
        whole = tree.inverse_dynamics(q, v, a, passive=passive, parameters=parameters)
        plain = tree.bias_forces(q, v, passive=False, parameters=parameters)
        resisted = whole - plain - np.einsum("...ij,...j->...i", M, a)
        return power_balance(tree, state, M, external, resisted, parameters=parameters)

    return Solution(
        tree.model,
        force,
        speed,
        a,
        forces,
        kinetic,
        potential,
        acting_elements(tree, q, v, passive, parameters=parameters),
        Deferred(balance),
    )


def power_balance(
    tree: TableFace,
    state: Mapping[str, Any],
    M: Any,
    external: External,
    resisted: Array,
    parameters: ArrayLike | None = None,
) -> Power:
    """Where the power of a tree goes, W: dE/dt = v·(M a + C v + g), beside that of all forces.

    state: q, v, tau and a.  resisted: joint forces that friction, springs and elements take."""
    q, a = state["q"], state["a"]
    v = np.broadcast_to(state["v"], a.shape)
    own: Keywords = {} if parameters is None else {"parameters": parameters}
    # of one state by native calls, which take no batches of one
    one = v.ndim == 2 and len(v) == 1 and not own
    place, speed = (q[0], v[0]) if one else (q, v)

    def along(f: Array) -> Array:
        return np.asarray(np.sum(f * v, axis=-1))

    inertia = np.einsum("...ij,...j->...i", M, a)
    velocity = np.einsum("...ij,...j->...i", tree.coriolis_matrix(place, speed, **own), speed)
    energy = along(inertia + velocity + tree.gravity_forces(place, **own))
    pushed = np.zeros_like(v)
    if external:
        pushed = tree.bias_forces(q, v, passive=False, **own)
        pushed = pushed - tree.bias_forces(q, v, external, passive=False, **own)
    return Power(
        energy_rate=energy,
        actuators=along(state["tau"]),
        external=along(pushed),
        constraints=np.zeros_like(energy),
        passive=along(resisted),
    )


def acting_elements(
    tree: TableFace, q: State, v: State, passive: bool, parameters: ArrayLike | None = None
) -> ElementForces | None:
    """What the force elements exert; None where there are none, or where they are left out."""
    return (
        tree.element_forces(q, v, parameters=parameters)
        if passive and tree.model.elements
        else None
    )


def tree_identities(tree: TableFace, q: Array, v: Array, tau: Array) -> Identities:
    """Laws between the answers about a tree, and how well they hold (one state).

    Differences are relative to the terms that the answers are sums of, the forces in play."""
    if tree.model.load_dependent_joints:
        return _with_load_friction(tree, q, v, tau)
    a = tree.forward_dynamics(q, v, tau)
    M, h = tree.mass_matrix(q), tree.bias_forces(q, v)
    C, g = tree.coriolis_matrix(q, v), tree.gravity_forces(q)
    smooth = tree.bias_forces(q, v, passive=False)
    plain = tree.evaluator.interpret(
        forward_dynamics.forward_dynamics,
        {name: np.asarray(x, float).tolist() for name, x in (("q", q), ("v", v), ("tau", tau))},
    )
    force = np.asarray(tau, float)
    pushed, resisted = np.linalg.solve(M, force), np.linalg.solve(M, h)
    pairs = {
        "accelerations: articulated bodies, and M a = tau - h solved densely": (
            a, pushed - resisted),
        "accelerations: compiled, and interpreted step by step": (
            a, np.asarray(plain.result("a"), float)),
        "joint forces: given, and Newton-Euler of the accelerations": (
            force, tree.inverse_dynamics(q, v, a)),
        "velocity and gravity forces: Newton-Euler, and Coriolis matrix": (
            smooth, C @ np.asarray(v, float) + g),
    }  # fmt: skip
    forces = forces_in_play(tree, q, v, a) + np.abs(force)
    motion = of_units(np.abs(np.linalg.inv(M)) @ forces, tree.model)
    scales = dict(zip(pairs, (motion, motion, forces, forces), strict=True))
    return Identities(pairs, scales)


def _with_load_friction(tree: TableFace, q: Array, v: Array, tau: Array) -> Identities:
    """The laws of the mechanism without such friction, driven by what is left of tau."""
    a, friction = tree.forward_dynamics(q, v, tau), load_friction_of(tree.evaluator)
    left = np.asarray(tau, float) - friction.friction(q, v, a)[0]
    found = tree_identities(TableFace(friction.plain), q, v, left)
    name = "joint forces: given, and Newton-Euler with load-dependent friction"
    found.pairs[name] = (np.asarray(tau, float), tree.inverse_dynamics(q, v, a))
    found.scales[name] = forces_in_play(tree, q, v, a) + np.abs(tau)
    return found
