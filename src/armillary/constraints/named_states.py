"""States of closed mechanisms by name: what is named is held, and the rest follows.

    q      assembled from where the mechanism starts, with the named coordinates in their places
    v, a   with the least kinetic energy among those that the constraints allow
    tau    zero

Every state of a batch is solved by itself: its answer does not depend on the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.admissible import nearest_acceleration
from armillary.constraints.constraint_solver import solver_of
from armillary.constraints.holding import Named, named_values
from armillary.constraints.states import answerable, finite_rows
from armillary.errors import ModelError
from armillary.evaluate.inputs import Array, common_rows
from armillary.evaluate.named_states import Inputs, completed_tree, rate_bias
from armillary.evaluate.named_states import named_values as by_name

if TYPE_CHECKING:
    from armillary.constraints.constraint_solver import ConstraintSolver
    from armillary.evaluate.evaluator import Evaluator
    from armillary.evaluate.named_states import Named as GivenByName
    from armillary.model.model import Model


def completed(evaluator: Evaluator, inputs: Inputs) -> dict[str, ArrayLike]:
    """Dictionaries as arrays, of any mechanism; see the head of this file."""
    if not evaluator.model.constraints:
        return completed_tree(evaluator.model, inputs)
    solver, found = solver_of(evaluator), dict(inputs)
    q = found.get("q")
    if isinstance(q, Mapping):
        found["q"] = assembled(solver, q)
    for kind, follow in (("v", _velocities), ("a", _accelerations)):
        given = found.get(kind)
        if isinstance(given, Mapping):
            named = named_values(solver.equations, kind, given, finite=False)
            found[kind] = follow(solver, found, named)
    return completed_tree(evaluator.model, found)


def placed(model: Model, given: Mapping[str, ArrayLike], argument: str = "q") -> Array:
    """q (nq) or (B, nq) where the mechanism starts, with the named coordinates in their places."""
    named = by_name(model, "q", given, argument)
    rows = named.placed(np.array(model.start()))
    return rows[0] if named.single else rows


def held_names(model: Model, given: Mapping[str, ArrayLike]) -> list[str]:
    """What must be held so that named coordinates of q stay: entries of v, and lengths of q."""
    found: list[str] = []
    for _, k in by_name(model, "q", given).entries:
        pairs = zip(model.joints, model.slots, strict=True)
        joint, slot = next(pair for pair in pairs if pair[1].q.start <= k < pair[1].q.stop)
        if joint.nq == joint.nv:
            found.append(model.v_labels[slot.v.start + k - slot.q.start])
        elif model.q_units[k] == "m":
            found.append(model.q_labels[k])
        else:  # a part of a quaternion: the turns about all axes
            found += model.v_labels[slot.v.start : slot.v.start + 3]
    return list(dict.fromkeys(found))


def assembled(solver: ConstraintSolver, given: Mapping[str, ArrayLike]) -> Array:
    """Closed q (nq) or (B, nq) with the named coordinates in their places."""
    model = solver.equations.model
    named, hold = by_name(model, "q", given), held_names(model, given)
    rows = named.placed(np.array(model.start()))
    for k in np.flatnonzero(finite_rows(rows)):
        solver.closer.refuse_endless(rows[k])
        found = solver.closer.assemble(rows[k], hold)
        if not found.closed:
            raise _stays_open(model, named, int(k), found.open_rows)
        rows[k] = _kept(model, named, found.q, rows[k])
    return rows[0] if named.single else rows


def _kept(model: Model, named: GivenByName, q: Array, wanted: Array) -> Array:
    """q with named coordinates to the last digit: they were held but for rounding."""
    for _, k in named.entries:
        if model.q_units[k] != "1":
            q[k] = wanted[k]
    return q


def _stays_open(model: Model, named: GivenByName, k: int, rows: Mapping[str, float]) -> ModelError:
    pairs = zip(named.entries, named.values[k], strict=True)
    given = ", ".join(f"{model.q_labels[n]} = {x:.6g}" for (_, n), x in pairs)
    worst = ", ".join(f"'{name}' by {x:.3g}" for name, x in list(rows.items())[:3])
    where = "" if named.single else f" in state {k}"
    return ModelError(
        f"q: '{model.name}' could not be closed with {given or 'nothing held'}{where}; rows stay "
        f"open: {worst}. Name fewer joints, give values within reach, or give all of q: "
        f"assemble(guess, hold) begins at a guess."
    )


def _rows(
    solver: ConstraintSolver, at: Inputs, named: Named
) -> tuple[dict[str, Array], Array, bool]:
    """The states that `at` has so far, one row each for what is named; and whether it is one."""
    parts = solver.evaluator.checked(at)
    given = {"names": (named.values, named.single)}
    count, single = common_rows(parts | given)
    arrays = {
        name: np.broadcast_to(x, (count, x.shape[1])).astype(float)
        for name, (x, _) in parts.items()
    }
    return arrays, named.of(count), single


def _velocities(solver: ConstraintSolver, at: Inputs, named: Named) -> Array:
    """v (nv) or (B, nv) at q."""
    arrays, wanted, single = _rows(solver, {"q": at["q"]}, named)
    q = arrays["q"]
    found = np.full((len(q), solver.equations.model.nv), np.nan)
    for k in np.flatnonzero(finite_rows(q, wanted)):
        rest = np.zeros(found.shape[1])
        found[k] = solver.closer.velocity_with(q[k], rest, named.held, wanted[k])
    return found[0] if single else found


def _accelerations(solver: ConstraintSolver, at: Inputs, named: Named) -> Array:
    """a (nv) or (B, nv) at q and v."""
    equations = solver.equations
    arrays, wanted, single = _rows(solver, {"q": at["q"], "v": at["v"]}, named)
    q, v = arrays["q"], arrays["v"]
    found = np.full(v.shape, np.nan)
    good = finite_rows(q, v, wanted)
    for k in np.flatnonzero(good):
        system = equations.system(
            q[k : k + 1], v[k : k + 1], np.zeros((1, v.shape[1])), None, False
        )
        if not answerable(system).all():
            continue
        bias = rate_bias(equations.model, named.held.entries, q[k], v[k])
        zero = np.zeros(v.shape[1])
        found[k] = nearest_acceleration(equations, system, zero, 0, named.held, wanted[k] - bias)
    if single:
        equations.evaluator.refuse_not_finite(arrays, found)
    return found[0] if single else found
