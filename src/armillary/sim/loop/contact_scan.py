"""Contacts that pull, looked for in many native steps at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from armillary.constraints.equations import RANK_TOLERANCE
from armillary.evaluate.inputs import Array
from armillary.sim.loop.contact_friction import Pull, directions, force_rounding, lever
from armillary.sim.loop.states import StepBatch, instants
from armillary.sim.methods.system import System


def quiet_steps(pulls: list[Pull], times: list[float], batch: StepBatch, count: int) -> int:
    """How many of the first `count` steps end without a contact that has turned round.

    times: of the ends of the steps."""
    contacts = pulls[0].contacts
    system, mechanism = contacts.system, contacts.system.mechanism
    if not count:
        return 0
    runs: list[int | None] = [None] if batch.v.ndim == 2 else list(range(batch.v.shape[1]))
    forces, tau = _forces(system, times[:count], batch, len(runs))
    rounding, rows = force_rounding(system.view(), forces, tau), directions(mechanism)
    for pull in pulls:
        signs = [contacts.modes(run).sign.get(pull.key, 1) for run in runs]
        own = forces[..., rows.index(pull.key)]
        turned = (signs * own + lever(mechanism, pull.key) * rounding < 0.0).any(axis=1)
        count = min(count, int(np.argmax(turned))) if turned.any() else count
    return count


def _forces(system: System, times: list[float], batch: StepBatch, runs: int) -> tuple[Array, Array]:
    """λ (T, runs, rows), the smallest ones with J^T λ = M a - f, and tau (T, runs, nv)."""
    count, mechanism = len(times), system.mechanism
    tau = np.empty((count, runs, system.nv))
    wrenches: list[dict[str, Any]] = []
    moved: list[Array] = []
    for n, state in enumerate(instants(system, times, batch)):
        tau[n] = system.view().forces(state.t, state.q, state.v, state.z)[0]
        wrenches.append(system.view().wrenches(state.t, state.q, state.v) or {})
        if system.setup.prescribed:
            moved.append(system.setup.prescribed.flat(state.t, state.v))
    external = {
        name: np.array([np.broadcast_to(x[name], (runs, 6)) for x in wrenches]).reshape(-1, 6)
        for name in wrenches[0]
    }
    q, v = (x[:count].reshape(count * runs, -1) for x in (batch.q, batch.v))
    options: dict[str, Any] = {}
    if system.setup.prescribed:
        options["prescribed"] = system.setup.prescribed.unflat(
            mechanism, np.array(moved).reshape(len(q), -1)
        )
    if system.setup.parameters is not None:
        bodies = np.broadcast_to(system.setup.parameters, (runs, system.setup.parameters.shape[-1]))
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
