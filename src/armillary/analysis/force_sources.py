"""Joint forces split by where they come from.

    tau = M a + C v + g + rotors + springs + friction + elements - Σ Jᵀ f + base - Gᵀ λ

Every part is worked out by itself (M by composite bodies, C by its own recursion, friction and
springs by their laws, wrenches by Jacobians, multipliers by the constraint solver); what inverse
dynamics says beyond their sum is the `remainder`, which is rounding.  Only friction that depends on
the loads in the joints is found as a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from armillary.analysis.columns import columns
from armillary.constraints.solution import ConstrainedSolution
from armillary.errors import InputError
from armillary.evaluate.evaluator import External
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import State
from armillary.mechanism.mechanism import Mechanism
from armillary.model.law import Storing
from armillary.model.passive import Passive
from armillary.shown import shown
from armillary.units import FORCE

SOURCES = (
    "inertia",
    "velocity",
    "gravity",
    "rotors",
    "springs",
    "friction",
    "elements",
    "external",
    "base",
    "constraints",
)


@shown
@dataclass(frozen=True)
class ForceSources:
    """parts: {source: (nv,) or (B, nv)}, N m or N along v; tau: what the drives give, their sum.

    inertia M a, velocity C v, gravity, rotors (reflected inertia), springs and friction of the
    joints, force elements, external wrenches, motion of the base, constraints."""

    labels: tuple[str, ...]
    units: tuple[str, ...]
    parts: dict[str, Array]
    tau: Array

    def __getitem__(self, source: str) -> Array:
        return self.parts[source]

    @property
    def total(self) -> Array:
        """The sum of all parts."""
        return np.asarray(sum(self.parts.values()))

    @property
    def remainder(self) -> float:
        """Largest difference of `tau` and the sum, as a part of the largest force that meets it."""
        in_play = sum(np.abs(part) for part in self.parts.values())
        scale = max(float(np.max(in_play, initial=0.0)), 1e-300)
        return float(np.abs(self.tau - self.total).max(initial=0.0)) / scale

    def __str__(self) -> str:
        used = [name for name, part in self.parts.items() if part.any()]
        many = self.tau.ndim > 1
        shown = {name: self.parts[name] for name in used} | {"tau": self.tau}
        if many:
            shown = {name: np.abs(part).max(axis=0, initial=0.0) for name, part in shown.items()}
        # rounding
        floor = 1e-14 * np.sum([np.abs(shown[name]) for name in (*used, "tau")], axis=0)
        rows = [
            [label, *(float(x[k]) if abs(x[k]) > floor[k] else 0.0 for x in shown.values()), unit]
            for k, (label, unit) in enumerate(zip(self.labels, self.units, strict=True))
        ]
        title = "joint forces by source: what the drives must give"
        if many:
            title = f"joint forces by source, largest of {len(self.tau)} states"
        return "\n".join([title, *columns(["joint", *shown, "unit"], rows)])


def force_sources(
    mechanism: Mechanism,
    q: State,
    v: State | None = None,
    a: State | None = None,
    external: External = None,
    *,
    tau: State | None = None,
    actuators: Sequence[str] | None = None,
) -> ForceSources:
    """Joint forces of a motion, or of a whole run's (B, n) arrays, split by source.

    v, a: 0 by default.  Of a closed mechanism, either the forces of its `actuators` for q, v, a,
    or tau: given joint forces, whose accelerations follow; constraints: what its joints carry of
    the loops' forces."""
    none = np.zeros(mechanism.nv)
    given: dict[str, State] = {"q": q, "v": none if v is None else v}
    given |= {"a": none if a is None else a} if tau is None else {"tau": tau}
    if tau is not None and (a is not None or actuators is not None):
        raise InputError("force_sources: give tau, or a and actuators; not both.")
    state, single = mechanism.constraint_solver.equations.check_states(**given)
    if tau is not None:
        force = np.asarray(state["tau"])
        state["a"] = mechanism.forward_dynamics(state["q"], state["v"], force, external)
    count = max(len(x) for x in state.values())
    x, dx, ddx = (np.broadcast_to(state[n], (count, state[n].shape[1])) for n in ("q", "v", "a"))
    if tau is None and actuators is not None:
        force = mechanism.inverse_dynamics(x, dx, ddx, external, actuators=actuators)
    elif tau is None:
        force = mechanism.inverse_dynamics(x, dx, ddx, external)
    force = np.broadcast_to(np.asarray(force), dx.shape)
    parts = _of_tree(mechanism.tree, x, dx, ddx, external)
    parts["constraints"] = np.zeros_like(dx)
    if mechanism.constraints:
        parts["constraints"] = _constraints(mechanism, x, dx, force, external)
    units = tuple(FORCE[unit] for unit in mechanism.v_units)
    if single:
        parts, force = {name: part[0] for name, part in parts.items()}, force[0]
    return ForceSources(mechanism.v_labels, units, {n: parts[n] for n in SOURCES}, force)


def _of_tree(tree: Mechanism, q: Array, v: Array, a: Array, external: External) -> dict[str, Array]:
    model = tree.model
    parts = {
        "inertia": np.einsum("bij,bj->bi", tree.mass_matrix(q, passive=False), a),
        "velocity": np.einsum("bij,bj->bi", tree.coriolis_matrix(q, v), v),
        "gravity": np.asarray(tree.gravity_forces(q), float),
        "rotors": _rotors(tree) * a,
        "springs": _passive(tree, q, v, _springs),
        "friction": _passive(tree, q, v, _friction),
        "elements": np.zeros_like(v),
        "external": _external(tree, q, external),
        "base": np.zeros_like(v),
    }
    if model.elements:
        bare = tree.replace(elements=())
        rest = np.asarray(tree.bias_forces(q, v)) - np.asarray(bare.bias_forces(q, v))
        parts["elements"] = rest
    if any(model.base_velocity) or any(model.base_acceleration):
        bias = np.asarray(tree.bias_forces(q, v, passive=False))
        parts["base"] = bias - parts["velocity"] - parts["gravity"]
    if model.load_dependent_joints:
        whole = np.asarray(tree.inverse_dynamics(q, v, a, external), float)
        parts["friction"] = whole - sum(x for n, x in parts.items() if n != "friction")
    return parts


def _rotors(tree: Mechanism) -> Array:
    found = np.zeros(tree.nv)
    for body, slot in zip(tree.model.bodies, tree.model.slots, strict=True):
        if body.joint.rotors:
            found[slot.v] = [rotor.reflected for rotor in body.joint.rotors]
    return found


def _springs(passive: Passive) -> Passive:
    """The part that stores energy."""
    law = passive.law if isinstance(passive.law, Storing) else None
    return Passive(spring=passive.spring, rest=passive.rest, law=law)


def _friction(passive: Passive) -> Passive:
    law = None if isinstance(passive.law, Storing) else passive.law
    return replace(passive, spring=0.0, rest=0.0, law=law)


def _passive(tree: Mechanism, q: Array, v: Array, part: Callable[[Passive], Passive]) -> Array:
    """Springs or friction of all joints, by their own laws."""
    model, found = tree.model, np.zeros_like(v)
    for body, slot in zip(model.bodies, model.slots, strict=True):
        for k, passive in enumerate(body.joint.passive):
            n = slot.v.start + k
            plain = slot.q.stop - slot.q.start == slot.v.stop - slot.v.start
            law = part(passive)
            if law.loaded or law.is_nothing():
                continue
            for b in range(len(v)):
                x = float(q[b, slot.q.start + k]) if plain else 0.0
                found[b, n] = law.force(x, float(v[b, n]))
    return found


def _external(tree: Mechanism, q: Array, external: External) -> Array:
    found = np.zeros((len(q), tree.nv))
    for frame, wrench in (external or {}).items():
        W: Array = np.broadcast_to(np.asarray(wrench, np.float64), (len(q), 6))
        J: Array = np.asarray(tree.jacobian(q, frame))
        found -= (J * W[:, :, None]).sum(axis=1)
    return found


def _constraints(mechanism: Mechanism, q: Array, v: Array, tau: Array, external: External) -> Array:
    """-(Gᵀ λ + what contacts, friction and springs of loops give), by the constraint solver."""
    found = mechanism.solve(q, v, tau, external)
    if not isinstance(found, ConstrainedSolution):
        return np.zeros_like(v)
    terms = mechanism.constraint_solver.equations.terms(q, v)
    return -((terms.G * found.multipliers[:, :, None]).sum(axis=1) + terms.given)
