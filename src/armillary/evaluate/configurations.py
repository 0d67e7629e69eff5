"""Configurations: random ones, steps on the manifold, differences.

q (nq) may hold quaternions; steps and differences (nv) live on the tangent space.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isfinite

import numpy as np

from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import Array, common_rows, whole_number
from armillary.evaluate.named_states import State
from armillary.evaluate.request import Request
from armillary.evaluate.table_face import TableFace
from armillary.joints import Joint
from armillary.model.lowering.tree import Tables
from armillary.model.model import Model


def random_state(
    tree: TableFace, seed: int = 0, count: int | None = None
) -> tuple[Array, Array, Array]:
    """Random q, v, a: angles in ±pi (limits respected where there are any), the rest ±1.

    count: that many states, as arrays (count, n)."""
    rng = np.random.default_rng(whole_number("seed", seed, 0))
    if count is None:
        return _random(tree.model, rng)
    rows, model = whole_number("count", count, 0), tree.model
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
    plainly = tree.evaluator.memo.once("additive", lambda: additive(tree.model))
    if plainly and _is_plain(q, tree.model.nq) and _is_plain(dv, tree.model.nv):
        moved = np.asarray(q + dv)  # type: ignore[operator]
        if isfinite(moved.sum()):
            return moved
    first, second = tree.evaluator.checked({"q": q, "v": dv}).values()
    count, single = common_rows({"q": first, "dv": second})
    if plainly:
        moved = first[0] + second[0]
        return moved[0] if single else moved
    start, step = (x.astype(float, copy=False) for x, _ in (first, second))
    moved = np.empty((count, tree.model.nq))
    for part in tree.evaluator.memo.once("moves", lambda: _moves(tree.evaluator)):
        part(start, step, moved)
    if single:
        tree.evaluator.refuse_not_finite({"q": start, "v": step}, moved)
    return moved[0] if single else moved


Move = Callable[[Array, Array, Array], None]  # (q, dv, moved): writes its columns of moved


def _moves(evaluator: Evaluator) -> list[Move]:
    """What moves the coordinates of all joints: plain additions, and native code for each joint
    that turns, which is that of its type."""
    from armillary.algorithms.tree import chart
    from armillary.evaluate.lean_call import OneOrMany
    from armillary.evaluate.program import Program

    model, tables, numbers = evaluator.model, evaluator.tables(), evaluator.base_numbers
    options = replace(evaluator.options, tier=2)  # places of quaternions have no loop code
    moves: list[Move] = []
    plain_q: list[int] = []
    plain_v: list[int] = []

    def turned(ask: OneOrMany, of_q: slice, of_v: slice) -> Move:
        def move(q: Array, dv: Array, moved: Array) -> None:
            own = (np.ascontiguousarray(x) for x in (q[:, of_q], dv[:, of_v]))
            moved[:, of_q] = ask(dict(zip("qv", own, strict=True)), len(moved))["moved"]

        return move

    for joint, slot, carrier in zip(model.joints, model.slots, tables.carriers, strict=True):
        if _is_additive(joint):
            plain_q += range(slot.q.start, slot.q.stop)
            plain_v += range(slot.v.start, slot.v.stop)
            continue
        alone = Tables((tables.bodies[carrier.kernel],), (-1,), (0,), (0,), (), joint.nq, joint.nv)
        request = Request(chart.move, chart.move.reads)
        ask = OneOrMany(Program(request, alone, options), numbers)
        moves.append(turned(ask, slot.q, slot.v))

    def added(q: Array, dv: Array, moved: Array) -> None:
        moved[:, plain_q] = q[:, plain_q] + dv[:, plain_v]

    return [added, *moves]


def difference(tree: TableFace, q0: State, q1: State) -> Array:
    """The tangent vector (nv) that leads from q0 to q1."""
    plainly = tree.evaluator.memo.once(
        "subtracted", lambda: all(map(_is_subtracted, tree.model.joints))
    )
    if plainly and _is_plain(q0, tree.model.nq) and _is_plain(q1, tree.model.nq):
        way = np.asarray(q1 - q0)  # type: ignore[operator]
        if isfinite(way.sum()):
            return way
    first, second = (tree.evaluator.checked({"q": x})["q"] for x in (q0, q1))
    if plainly:
        _, single = common_rows({"first argument": first, "second argument": second})
        moved = second[0] - first[0]
        if single:
            tree.evaluator.refuse_not_finite({"q": second[0]}, moved)
        return moved[0] if single else moved
    return _jointwise(tree, first, second)


def additive(model: Model) -> bool:
    """Do all joints move by plain addition?"""
    return all(map(_is_additive, model.joints))


def _is_additive(joint: Joint) -> bool:
    return type(joint).integrate is Joint.integrate


def _is_subtracted(joint: Joint) -> bool:
    return type(joint).difference is Joint.difference


def _is_plain(x: State, size: int) -> bool:
    """One state, as kernels take it."""
    return type(x) is np.ndarray and x.dtype == np.float64 and x.shape == (size,)


def _jointwise(tree: TableFace, first: tuple[Array, bool], second: tuple[Array, bool]) -> Array:
    """The difference of every joint alone, over columns of the batch."""
    model = tree.model
    count, single = common_rows({"first argument": first, "second argument": second})
    xs = np.broadcast_to(first[0], (count, model.nq))
    ys = np.broadcast_to(second[0], (count, model.nq))
    result = np.empty((count, model.nv))
    pairs = list(zip(model.joints, model.slots, strict=True))
    plain = [slot for joint, slot in pairs if _is_subtracted(joint)]
    of_q = [k for slot in plain for k in range(slot.q.start, slot.q.stop)]
    of_v = [k for slot in plain for k in range(slot.v.start, slot.v.stop)]
    result[:, of_v] = ys[:, of_q] - xs[:, of_q]
    for joint, slot in pairs:
        if _is_subtracted(joint):
            continue
        ends = (xs[:, slot.q], ys[:, slot.q])
        numbers = single and all(np.isfinite(x).all() and x[0, :4].any() for x in ends)
        ways = joint.difference(*(tuple(x[0].tolist() if numbers else x.T) for x in ends))
        for k, way in enumerate(ways):
            result[:, slot.v.start + k] = way
    if single:
        tree.evaluator.refuse_not_finite({"q": ys[0]}, result)
    return result[0] if single else result
