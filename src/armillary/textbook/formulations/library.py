"""The library's own algorithms: as compiled, and the same steps in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import body_forces, static_forces
from armillary.algorithms.tree.joint_space import joint_space_dynamics
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.evaluate.inputs import Array
from armillary.spatial import Force, ForceDyad, Inertia, Motion
from armillary.textbook.formulations.tree_state import INERTIAS, TURN, VELOCITY, WRENCH, TreeState
from armillary.textbook.formulations.workbook import FORCE, INERTIA, JOINTS, MOTION


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
    M = s.note("M", M, "mass matrix", INERTIAS)
    C = s.note("C", C, "Coriolis matrix, Ṁ - 2 C skew", "N m s or N s")
    s.note("C v", C @ s.v, "Coriolis and centrifugal forces", "N m or N")
    weight = s.note("g", np.asarray(s.machine.gravity_forces(s.q)), "gravity forces", "N m or N")
    return np.asarray(s.note("M a", M @ a, "inertia forces", "N m or N") + C @ s.v + weight)


def compiled_static_torques(s: TreeState) -> Array:
    """Newton-Euler at rest, as machine code."""
    run = s.machine.evaluator.run
    return run(static_forces, {"q": s.q}, s.external, passive=s.passive)["tau"]


def _step_by_step(s: TreeState, algorithm: Algorithm, result: str, **inputs: Array) -> Array:
    # welded bodies are one, unless somebody looks
    run = s.interpreted(algorithm, s.workbook is None, **inputs)
    if s.workbook is not None:
        s.note_parts()
        if "external" in algorithm.reads:
            s.note_loads()
        for field in _SHOWN[algorithm.name]:
            for k, body in enumerate(run.bodies):
                _note(s, k, body, field)
    return np.array(run.result(result), float).reshape((-1,) + (s.model.nv,) * (result == "M"))


# field of a body after the run -> symbol, meaning, unit
_FIELDS = {
    "v": ("v", "velocity, X v_before + phi q̇ (4.27)", VELOCITY),
    "a": ("a", "acceleration of the frame's origin, gravity as an upward one (4.28)", TURN),
    "net": ("F", "net force of the motion, I a + velocity terms (4.29)", WRENCH),
    "wrench": ("f", "force by the body before, F + Σ X^T f beyond (4.30)", WRENCH),
    "I_C": ("I_C", "inertia of all that hangs on the joint, as one body (16-18)", INERTIAS),
    "I_A": ("I_AB", "articulated-body inertia (3.1)", INERTIAS),
    "p_A": ("p_A", "force that the body needs while no joint accelerates", WRENCH),
    "f": ("f", "force by the body before, without joint accelerations", WRENCH),
    "u": ("u", "what is left to accelerate the joint, τ - S^T p_A", "N m or N"),
    "da": ("da", "what joint accelerations add to that of the body", TURN),
}
_SHOWN = {
    "body_forces": ("v", "a", "net", "wrench"),
    "mass_matrix": ("I_C",),
    "joint_space_dynamics": ("f", "I_C"),
    "forward_dynamics": ("I_A", "p_A", "u", "da"),
}


def _note(s: TreeState, k: int, body: Any, field: str) -> None:
    symbol, about, unit = _FIELDS[field]
    if s.loads and field == "wrench":
        about = about.replace("F +", "F - w +")
    turn, value = np.kron(np.eye(2), np.array(body.own.rows, float)), getattr(body, field)
    if field == "u":
        s.note(symbol, np.array(value, float), about, unit, k, frame=JOINTS)
    elif isinstance(value, Inertia | ForceDyad):
        columns = [(value @ Motion.from_leaves(e.tolist())).leaves() for e in np.eye(6)]
        s.note(symbol, turn @ np.array(columns, float).T @ turn.T, about, unit, k, INERTIA)
    elif isinstance(value, Force):
        wrench = turn @ np.array(value.leaves(), float)
        if s.loads and field == "net":  # the body's own share is what the load leaves of it
            wrench = wrench + s.loads[k]
        s.note(symbol, wrench, about, unit, k, FORCE)
    else:
        motion = turn @ np.array(value.leaves(), float)
        if field == "a":  # of the body's point at the origin, which the spatial one is not
            place = s.workbook.places[k] if s.workbook else np.eye(6)
            velocity = place @ turn @ np.array(body.v.leaves(), float)
            origin = np.concatenate([np.zeros(3), np.cross(velocity[:3], velocity[3:])])
            motion = motion + np.linalg.solve(place, origin)
        s.note(symbol, motion, about, unit, k, MOTION)


def composite_bodies(s: TreeState) -> Array:
    """M_ij = S_i^T (X^T I_C S_j): all that hangs on a joint as one body, step by step."""
    return _step_by_step(s, mass_matrix, "M", q=s.q)


def newton_euler(s: TreeState, a: Array) -> Array:
    """f = I a + v ×* I v outward, p.f += X^T f inward, step by step in body frames."""
    return _step_by_step(s, body_forces, "tau", q=s.q, v=s.v, a=a) - s.resistance


def composite_and_solve(s: TreeState, tau: Array) -> Array:
    """M a = τ - h by composite bodies, Newton-Euler and elimination, step by step."""
    return _step_by_step(s, joint_space_dynamics, "a", q=s.q, v=s.v, tau=tau + s.resistance)


def articulated_bodies(s: TreeState, tau: Array) -> Array:
    """Articulated inertias inward, accelerations outward, step by step."""
    return _step_by_step(s, forward_dynamics, "a", q=s.q, v=s.v, tau=tau + s.resistance)
