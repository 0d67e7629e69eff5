"""Contacts that pull, looked for in many native steps at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.constraints.equations import RANK_TOLERANCE
from armillary.evaluate.inputs import Array
from armillary.sim.loop.contact_friction import Pull, directions, force_rounding, lever
from armillary.sim.loop.loop import instants
from armillary.sim.loop.system import System

if TYPE_CHECKING:
    from armillary.sim.loop.native import Stretch


def quiet_steps(pulls: list[Pull], times: list[float], stretch: Stretch, count: int) -> int:
    """How many of the first `count` steps end without a contact that has turned round.

    times: of the ends of the steps."""
    contacts = pulls[0].contacts
    system, mechanism = contacts.system, contacts.system.mechanism
    if not count:
        return 0
    runs: list[int | None] = [None] if stretch.v.ndim == 2 else list(range(stretch.v.shape[1]))
    forces, tau = _forces(system, times[:count], stretch, len(runs))
    rounding, rows = force_rounding(system, forces, tau), directions(mechanism)
    for pull in pulls:
        signs = [contacts.modes(run).sign.get(pull.key, 1) for run in runs]
        own = forces[..., rows.index(pull.key)]
        turned = (signs * own + lever(mechanism, pull.key) * rounding < 0.0).any(axis=1)
        count = min(count, int(np.argmax(turned))) if turned.any() else count
    return count


def _forces(system: System, times: list[float], stretch: Stretch, runs: int) -> tuple[Array, Array]:
    """λ (T, runs, rows), the smallest ones with J^T λ = M a - f, and tau (T, runs, nv)."""
    count, mechanism = len(times), system.mechanism
    tau = np.empty((count, runs, system.nv))
    wrenches: list[dict[str, Any]] = []
    moved: list[Array] = []
    for n, state in enumerate(instants(system, times, stretch)):
        tau[n] = system.forces(state.t, state.q, state.v, state.z)[0]
        wrenches.append(system.wrenches(state.t, state.q, state.v) or {})
        if system.prescribed:
            moved.append(system.prescribed.flat(state.t, state.v))
    external = {
        name: np.array([np.broadcast_to(x[name], (runs, 6)) for x in wrenches]).reshape(-1, 6)
        for name in wrenches[0]
    }
    q, v = (x[:count].reshape(count * runs, -1) for x in (stretch.q, stretch.v))
    options: dict[str, Any] = {}
    if system.prescribed:
        options["prescribed"] = system.prescribed.unflat(
            mechanism, np.array(moved).reshape(len(q), -1)
        )
    if system.parameters is not None:
        bodies = np.broadcast_to(system.parameters, (runs, system.parameters.shape[-1]))
        options["parameters"] = np.tile(bodies, (count, 1))
    flat = tau.reshape(count * runs, -1)
    a = np.asarray(mechanism.forward_dynamics(q, v, flat, external or None, **options))
    equations = mechanism.constraint_solver.equations.system(
        q, v, flat, external or None, **options
    )
    missing = np.einsum("bij,bj->bi", equations.M, a) - equations.force
    scaling = mechanism.constraint_solver.equations.scaling
    scaled = scaling.rows[:, None] * equations.terms.J * scaling.columns
    inverse = np.linalg.pinv(np.swapaxes(scaled, 1, 2), rcond=RANK_TOLERANCE)
    forces = scaling.rows * np.einsum("bmn,bn->bm", inverse, scaling.columns * missing)
    return forces.reshape(count, runs, -1), tau
