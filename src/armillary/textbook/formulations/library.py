"""The library's own algorithms: as compiled, and the same steps in plain Python."""

from __future__ import annotations

import numpy as np

from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.algorithms.tree.joint_space import joint_space_dynamics
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.evaluate.inputs import Array
from armillary.textbook.formulations.tree_state import TreeState


def compiled_mass_matrix(s: TreeState) -> Array:
    """Composite bodies, as machine code."""
    return np.asarray(s.machine.mass_matrix(s.q, passive=s.passive))


def compiled_forward_dynamics(s: TreeState, tau: Array) -> Array:
    """Composite or articulated bodies, as machine code."""
    return np.asarray(s.machine.forward_dynamics(s.q, s.v, tau, s.external, s.passive))


def compiled_inverse_dynamics(s: TreeState, a: Array) -> Array:
    """Newton-Euler in body frames, as machine code."""
    return np.asarray(s.machine.inverse_dynamics(s.q, s.v, a, s.external, s.passive))


def coriolis_form(s: TreeState, a: Array) -> Array:
    """τ = M a + C v + g: composite bodies, the Coriolis matrix and gravity, as machine code."""
    M, C = s.machine.mass_matrix(s.q, passive=s.passive), s.machine.coriolis_matrix(s.q, s.v)
    return np.asarray(M @ a + C @ s.v + s.machine.gravity_forces(s.q))


def compiled_gravity_forces(s: TreeState) -> Array:
    """Newton-Euler at rest, as machine code."""
    return np.asarray(s.machine.gravity_forces(s.q))


def _step_by_step(
    s: TreeState, algorithm: Algorithm, result: str, passive: bool, **inputs: Array
) -> Array:
    numbers = {name: x.tolist() for name, x in inputs.items()}
    run = s.machine.evaluator.interpret(algorithm, numbers, passive=passive)
    return np.array(run.result(result), float).reshape((-1,) + (s.model.nv,) * (result == "M"))


def composite_bodies(s: TreeState) -> Array:
    """M_ij = S_i^T (X^T I_C S_j): all that hangs on a joint as one body, step by step."""
    return _step_by_step(s, mass_matrix, "M", s.passive, q=s.q)


def newton_euler(s: TreeState, a: Array) -> Array:
    """f = I a + v ×* I v outward, p.f += X^T f inward, step by step in body frames."""
    return _step_by_step(s, inverse_dynamics, "tau", False, q=s.q, v=s.v, a=a) + s.rotors * a


def composite_and_solve(s: TreeState, tau: Array) -> Array:
    """M a = τ - h by composite bodies, Newton-Euler and elimination, step by step."""
    return _step_by_step(
        s, joint_space_dynamics, "a", s.passive, q=s.q, v=s.v, tau=tau + s.resisted
    )


def articulated_bodies(s: TreeState, tau: Array) -> Array:
    """Articulated inertias inward, accelerations outward, step by step."""
    return _step_by_step(s, forward_dynamics, "a", s.passive, q=s.q, v=s.v, tau=tau + s.resisted)
