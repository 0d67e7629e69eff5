"""Configurations: random ones, steps on the manifold, differences.

q (nq) may hold quaternions; steps and differences (nv) live on the tangent space.
"""

from __future__ import annotations

import numpy as np

from armillary.evaluate.charts import moves, ways
from armillary.evaluate.inputs import MOST_STATES, Array, common_rows, whole_number
from armillary.evaluate.named_states import State
from armillary.evaluate.table_face import TableFace
from armillary.model.model import Model


def random_state(
    tree: TableFace, seed: int = 0, count: int | None = None
) -> tuple[Array, Array, Array]:
    """Random q, v, a: angles in ±pi (limits respected where there are any), the rest ±1.

    count: that many states, as arrays (count, n)."""
    rng = np.random.default_rng(whole_number("seed", seed, 0))
    if count is None:
        return _random(tree.model, rng)
    rows, model = whole_number("count", count, 0, MOST_STATES), tree.model
    q, v, a = (np.empty((rows, n)) for n in (model.nq, model.nv, model.nv))
    for k in range(rows):
        q[k], v[k], a[k] = _random(model, rng)
    return q, v, a


def _random(model: Model, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    q = np.zeros(model.nq)
    for body, joint, slot in zip(model.bodies, model.joints, model.slots, strict=True):
        if joint.nq != joint.nv:
            turn = rng.normal(size=4)
            q[slot.q] = [*(turn / np.linalg.norm(turn)), *rng.uniform(-1, 1, joint.nq - 4)]
            continue
        for k, unit in enumerate(joint.units):
            low, high = (-np.pi, np.pi) if unit == "rad" else (-1.0, 1.0)
            if body.joint.limits:
                limit = body.joint.limits[k]
                low = low if limit.lower is None else max(low, limit.lower)
                high = high if limit.upper is None else min(high, limit.upper)
            q[slot.q.start + k] = rng.uniform(low, high) if low < high else low
    return q, rng.uniform(-1, 1, model.nv), rng.uniform(-1, 1, model.nv)


def integrate(tree: TableFace, q: State, dv: State) -> Array:
    """q moved by the tangent vector dv (velocity times time), on the joints' manifolds."""
    chart = moves(tree.evaluator)
    moved: Array | None = chart.one(q, dv)
    if moved is not None:
        return moved
    first, second = tree.evaluator.checked({"q": q, "v": dv}).values()
    count, single = common_rows({"q": first, "dv": second})
    moved = chart.rows(first[0], second[0], count)
    if single:
        tree.evaluator.refuse_not_finite({"q": first[0], "v": second[0]}, moved)
    return moved[0] if single else moved


def difference(tree: TableFace, q0: State, q1: State) -> Array:
    """The tangent vector (nv) that leads from q0 to q1."""
    chart = ways(tree.evaluator)
    way: Array | None = chart.one(q0, q1)
    if way is not None:
        return way
    first, second = (tree.evaluator.checked({"q": x})["q"] for x in (q0, q1))
    count, single = common_rows({"first argument": first, "second argument": second})
    way = chart.rows(first[0], second[0], count)
    if single:
        tree.evaluator.refuse_not_finite({"q": second[0]}, way)
    return way[0] if single else way
