"""Questions about trees that are made of several: everything at once, checks."""

from __future__ import annotations

import numpy as np

from armillary.algorithms.tree import forward_dynamics
from armillary.evaluate.answers import load_friction_of
from armillary.evaluate.configurations import integrate
from armillary.evaluate.derivatives import BaseParameters
from armillary.evaluate.derivatives import base_parameters as combinations
from armillary.evaluate.evaluator import External
from armillary.evaluate.forces_in_play import SHARE, forces_in_play
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import State
from armillary.evaluate.results import Check, ElementForces, Solution
from armillary.evaluate.table_face import TableFace


def base_parameters(tree: TableFace, states: int = 200, seed: int = 0) -> BaseParameters:
    """The combinations of parameters that joint forces can identify, from random states."""
    rng, nv = np.random.default_rng(seed), tree.model.nv
    q = integrate(tree, np.array(tree.model.neutral()), rng.uniform(-1.5, 1.5, (states, nv)))
    v, a = rng.normal(size=(2, states, nv)) * 2.0
    return combinations(tree.model, np.concatenate(list(tree.regressor(q, v, a))))


def tree_solution(
    tree: TableFace, q: State, v: State, tau: State, external: External, passive: bool
) -> Solution:
    """Everything at once: accelerations, all reactions, energies and the power balance."""
    q, v, tau = tree.evaluator.complete({"q": q, "v": v, "tau": tau}).values()
    a = tree.forward_dynamics(q, v, tau, external, passive)
    forces = tree.body_forces(q, v, a, external, passive)
    kinetic, potential = tree.energy(q, v)
    return Solution(
        tree.model,
        np.asarray(tau, float),
        np.asarray(v, float),
        a,
        forces,
        kinetic,
        potential,
        acting_elements(tree, q, v, passive),
    )


def acting_elements(tree: TableFace, q: State, v: State, passive: bool) -> ElementForces | None:
    """What the force elements exert; None where there are none, or where they are left out."""
    return tree.element_forces(q, v) if passive and tree.model.elements else None


def tree_check(tree: TableFace, q: Array, v: Array, tau: Array) -> Check:
    """The same answer by independent formulations, and how well they agree (one state).

    Differences are relative to the terms that the answers are sums of, and those count as no
    less than 1e-4 of the forces that meet in the joints."""
    if tree.model.load_dependent_joints:
        return _check_load_friction(tree, q, v, tau)
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
    least = SHARE * forces_in_play(tree.body_forces(q, v, a), tree.poses(q)[1])
    motion = np.abs(np.linalg.inv(M)) @ least
    terms = (
        (pushed, resisted, motion),
        (pushed, resisted, motion),
        (force, h, M @ pushed, least),
        (smooth, h, g, least),
    )
    scales = {
        name: max(float(np.abs(term).max(initial=0.0)) for term in group)
        for name, group in zip(pairs, terms, strict=True)
    }
    return Check(pairs, scales)


def _check_load_friction(tree: TableFace, q: Array, v: Array, tau: Array) -> Check:
    """The checks of the mechanism without such friction, driven by what is left of tau."""
    a, friction = tree.forward_dynamics(q, v, tau), load_friction_of(tree.evaluator)
    left = np.asarray(tau, float) - friction.friction(q, v, a)[0]
    found = tree_check(TableFace(friction.plain), q, v, left)
    name = "joint forces: given, and Newton-Euler with load-dependent friction"
    found.pairs[name] = (np.asarray(tau, float), tree.inverse_dynamics(q, v, a))
    found.scales[name] = max(found.scales.values(), default=0.0)
    return found
