"""Contacts that pull, looked for in many native steps at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from armillary.constraints.equations import RANK_TOLERANCE
from armillary.evaluate.inputs import Array
from armillary.sim.loop.contact_friction import Pull, directions, force_rounding, lever
from armillary.sim.loop.states import StepBatch, given_at
from armillary.sim.methods.system import System


def quiet_steps(pulls: list[Pull], times: list[float], batch: StepBatch, count: int) -> int:
    """How many of the first `count` steps end without a contact that has turned round.

    times: of the ends of the steps."""
    contacts = pulls[0].contacts
    system, mechanism = contacts.system, contacts.system.mechanism
    if not count:
        return 0
    runs: list[int | None] = [None] if batch.v.ndim == 2 else list(range(batch.v.shape[1]))
    a, tau = (x[:count] for x in batch.forces(system, times))
    forces = _forces(system, times[:count], batch, a, tau)
    tau = tau.reshape(count, len(runs), -1)
    rounding, rows = force_rounding(system.view(), forces, tau), directions(mechanism)
    for pull in pulls:
        signs = [contacts.modes(run).sign.get(pull.key, 1) for run in runs]
        own = forces[..., rows.index(pull.key)]
        turned = (signs * own + lever(mechanism, pull.key) * rounding < 0.0).any(axis=1)
        count = min(count, int(np.argmax(turned))) if turned.any() else count
    return count


def _forces(system: System, times: list[float], batch: StepBatch, a: Array, tau: Array) -> Array:
    """λ (T, runs, rows), the smallest ones with J^T λ = M a - f."""
    mechanism, setup, count = system.mechanism, system.setup, len(times)
    given = given_at(system, times, batch)
    q, v, a, tau = (x[:count].reshape(-1, x.shape[-1]) for x in (batch.q, batch.v, a, tau))
    external = {name: x.reshape(-1, 6) for name, x in given.get("external", {}).items()}
    options: dict[str, Any] = {}
    if setup.prescribed:
        options["prescribed"] = setup.prescribed.unflat(
            mechanism, given["prescribed"].reshape(len(q), -1)
        )
    if setup.parameters is not None:
        runs, bodies = len(q) // count, setup.parameters
        bodies = np.broadcast_to(bodies, (runs, bodies.shape[-1]))
        options["parameters"] = np.tile(bodies, (count, 1))
    solver = mechanism.constraint_solver.equations
    equations = solver.system(q, v, tau, external or None, **options)
    missing = np.einsum("bij,bj->bi", equations.M, a) - equations.force
    scaling = solver.scaling
    scaled = scaling.rows[:, None] * equations.terms.J * scaling.columns
    inverse = np.linalg.pinv(np.swapaxes(scaled, 1, 2), rcond=RANK_TOLERANCE)
    forces = scaling.rows * np.einsum("bmn,bn->bm", inverse, scaling.columns * missing)
    return forces.reshape(count, len(q) // count, -1)
