"""Configurations: neutral and random ones, steps on the manifold, differences."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.inputs import Array, common_rows
from armillary.evaluate.named_states import State, start
from armillary.joints import Joint


class Configurations:
    """q (nq) may hold quaternions; steps and differences (nv) live on the tangent space."""

    def __init__(self, evaluator: Evaluator):
        self.evaluator, self.model, self.options = evaluator, evaluator.model, evaluator.options

    def neutral(self) -> Array:
        """q (nq) with every joint closed and untwisted."""
        return np.array(self.model.neutral())

    @property
    def initial(self) -> Array:
        """q to start from: the one the source gives, else the neutral one."""
        return start(self.model)

    def random_state(self, seed: int = 0, count: int | None = None) -> tuple[Array, Array, Array]:
        """Random q, v, a: angles in ±pi (limits respected where there are any), the rest ±1.

        count: that many states, as arrays (count, n)."""
        rng = np.random.default_rng(seed)
        if count is None:
            return self._random(rng)
        q, v, a = zip(*(self._random(rng) for _ in range(count)), strict=True)
        return np.array(q), np.array(v), np.array(a)

    def _random(self, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        q = np.zeros(self.model.nq)
        for body, joint, slot in zip(
            self.model.bodies, self.model.joints, self.model.slots, strict=True
        ):
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
        return q, rng.uniform(-1, 1, self.model.nv), rng.uniform(-1, 1, self.model.nv)

    def integrate(self, q: State, dv: State) -> Array:
        """q moved by the tangent vector dv (velocity times time), on the joints' manifolds."""
        if self.additive:
            (x, one), (y, two) = self.evaluator.checked({"q": q, "v": dv}).values()
            common_rows({"q": (x, one), "dv": (y, two)})
            return (x + y)[0] if one and two else x + y
        return self._jointwise("integrate", q, dv, "q", "v")

    def difference(self, q0: State, q1: State) -> Array:
        """The tangent vector (nv) that leads from q0 to q1."""
        return self._jointwise("difference", q0, q1, "q", "q")

    @cached_property
    def additive(self) -> bool:
        """Do all joints move by plain addition?"""
        return all(type(joint).integrate is Joint.integrate for joint in self.model.joints)

    def _jointwise(self, what: str, x: State, y: State, kind_x: str, kind_y: str) -> Array:
        """A function of every joint alone, over columns of the batch."""
        if what == "integrate":
            first, second = self.evaluator.checked({"q": x, "v": y}).values()
        else:
            (first,), (second,) = (self.evaluator.checked({"q": z}).values() for z in (x, y))
        count, single = common_rows({"first argument": first, "second argument": second})
        xs = np.broadcast_to(first[0], (count, first[0].shape[1]))
        ys = np.broadcast_to(second[0], (count, second[0].shape[1]))
        result = np.empty((count, self.model.nv if what == "difference" else self.model.nq))
        for joint, slot in zip(self.model.joints, self.model.slots, strict=True):
            other = slot.q if kind_y == "q" else slot.v
            columns = getattr(joint, what)(tuple(xs[:, slot.q].T), tuple(ys[:, other].T))
            out = slot.v if what == "difference" else slot.q
            for k, column in enumerate(columns):
                result[:, out.start + k] = column
        if single:
            self.evaluator.refuse_not_finite({"q": xs[0], kind_y: ys[0]}, result)
        return result[0] if single else result
