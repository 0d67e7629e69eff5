"""Configurations: random ones, steps on the manifold, differences.

q (nq) may hold quaternions; steps and differences (nv) live on the tangent space.
"""

from __future__ import annotations

import numpy as np

from armillary.evaluate.inputs import Array, common_rows
from armillary.evaluate.named_states import State
from armillary.evaluate.table_face import TableFace
from armillary.joints import Joint
from armillary.model.model import Model


def random_state(
    tree: TableFace, seed: int = 0, count: int | None = None
) -> tuple[Array, Array, Array]:
    """Random q, v, a: angles in ±pi (limits respected where there are any), the rest ±1.

    count: that many states, as arrays (count, n)."""
    rng = np.random.default_rng(seed)
    if count is None:
        return _random(tree.model, rng)
    q, v, a = zip(*(_random(tree.model, rng) for _ in range(count)), strict=True)
    return np.array(q), np.array(v), np.array(a)


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
    first, second = tree.evaluator.checked({"q": q, "v": dv}).values()
    if additive(tree.model):
        _, single = common_rows({"q": first, "dv": second})
        moved = first[0] + second[0]
        return moved[0] if single else moved
    return _jointwise(tree, "integrate", first, second)


def difference(tree: TableFace, q0: State, q1: State) -> Array:
    """The tangent vector (nv) that leads from q0 to q1."""
    first, second = (tree.evaluator.checked({"q": x})["q"] for x in (q0, q1))
    if all(type(joint).difference is Joint.difference for joint in tree.model.joints):
        _, single = common_rows({"first argument": first, "second argument": second})
        moved = second[0] - first[0]
        if single:
            tree.evaluator.refuse_not_finite({"q": second[0]}, moved)
        return moved[0] if single else moved
    return _jointwise(tree, "difference", first, second)


def additive(model: Model) -> bool:
    """Do all joints move by plain addition?"""
    return all(type(joint).integrate is Joint.integrate for joint in model.joints)


def _jointwise(
    tree: TableFace, what: str, first: tuple[Array, bool], second: tuple[Array, bool]
) -> Array:
    """A function of every joint alone, over columns of the batch."""
    model, kind = tree.model, "q" if what == "difference" else "v"
    count, single = common_rows({"first argument": first, "second argument": second})
    xs = np.broadcast_to(first[0], (count, first[0].shape[1]))
    ys = np.broadcast_to(second[0], (count, second[0].shape[1]))
    result = np.empty((count, model.nv if what == "difference" else model.nq))
    for joint, slot in zip(model.joints, model.slots, strict=True):
        other = slot.q if kind == "q" else slot.v
        columns = getattr(joint, what)(tuple(xs[:, slot.q].T), tuple(ys[:, other].T))
        out = slot.v if what == "difference" else slot.q
        for k, column in enumerate(columns):
            result[:, out.start + k] = column
    if single:
        tree.evaluator.refuse_not_finite({"q": xs[0], kind: ys[0]}, result)
    return result[0] if single else result
