"""Friction that depends on the load of its joint, in both directions of dynamics.

With the wrench in a joint the friction is known, and the wrench is linear in the accelerations:
inverse dynamics is explicit.  Forward dynamics is a loop, acceleration - load - friction -
acceleration.  With x the friction of the m loaded joints, Φ the law, and a(tau) the accelerations
without such friction (the compiled kernels of the mechanism without it),

    x = Φ(ℓ(x)),        ℓ(x) = loads of a(tau - x) = ℓ₀ - G x

G is exact after m + 1 evaluations; Newton's method does the rest.  |Φ'G| ≤ B entry by entry, so
where the spectral radius of B is below 1 there is one solution, and only one; where it is not,
rigid bodies with dry friction may have none or several (Painlevé), and the state is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.passes import from_own
from armillary.algorithms.tree.inverse_dynamics import joint_wrenches
from armillary.errors import InputError, ModelError
from armillary.evaluate.compiled_function import compiled, refuse_closed
from armillary.evaluate.derivatives import ForwardDerivatives, InverseDerivatives
from armillary.evaluate.differentiable import (
    Differentiable,
    WithDerivatives,
    change_signature,
    differentiable,
    weight_signature,
)
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.functions import BODIES
from armillary.evaluate.inputs import (
    Array,
    BoundQuestion,
    Keywords,
    checked_out,
    common_rows,
    result_type,
    wrenches,
)
from armillary.evaluate.named_states import State
from armillary.evaluate.sensitivities import offset_jacobian
from armillary.evaluate.tangents import inverse_tangents
from armillary.joints import Joint
from armillary.model.edit import without_loads
from armillary.model.parts import JointSpec, own_rotation
from armillary.spatial import Force

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import External
    from armillary.evaluate.program import Explanation

Bodies = Mapping[str, ArrayLike | None] | None
Response = Callable[[Array, int], tuple[Array, Array]]
# components of the loads of one joint: force across (2), force along, moment (3), drive
_STARTS = (0, 2, 3, 6)
GROUP_OF = np.array((0, 0, 1, 2, 2, 2, 3))
_ITERATIONS = 60


class LoadFriction:
    """The load-dependent friction of one mechanism."""

    def __init__(self, evaluator: Evaluator):
        self.evaluator, model = evaluator, evaluator.model
        self.plain = Evaluator(without_loads(model), evaluator.options)
        if not model.load_dependent_joints:
            raise ModelError(
                f"load_friction: no joint of '{model.name}' has friction by load. "
                f"Passive(load_radial=...) gives it; without it there is nothing to solve for."
            )
        numbers = [model.joint_index[name] for name in model.load_dependent_joints]
        carriers = evaluator.tables().carriers
        self.rows_of_model = numbers
        self._rows = {False: numbers, True: [carriers[n].kernel for n in numbers]}  # by fused
        self.passive = [model.bodies[n].joint.passive[0] for n in numbers]  # one axis each
        self.columns = np.array([model.slots[n].v.start for n in numbers])
        self.weights = np.array([p.loads() for p in self.passive], float)
        self.maps = np.stack([_map(model.bodies[n].joint, model.joints[n]) for n in numbers])

    @cached_property
    def plain_inverse(self) -> WithDerivatives:
        """Of the mechanism without such friction."""
        return differentiable(self.plain, "inverse_dynamics")

    @cached_property
    def plain_forward(self) -> WithDerivatives:
        return differentiable(self.plain, "forward_dynamics")

    # -- the law ---------------------------------------------------------------------------------

    def loads(self, q: Array, v: Array, a: Array, external: External, bodies: Bodies) -> Array:
        """ℓ (B, m, 7)."""
        inputs: Keywords = {"q": q, "v": v, "a": a}
        found = self.evaluator.run(joint_wrenches, inputs, external, fuse=False, bodies=bodies)
        wrench = found["wrench"]  # (B, bodies, 6)
        fused = wrench.shape[1] != len(self.evaluator.model.bodies)
        return np.einsum("mlw,bmw->bml", self.maps, wrench[:, self._rows[fused]])

    def levels(self, loads: Array) -> Array:
        """What the loads add to the friction levels (B, m)."""
        return np.asarray((self.weights * _sizes(loads)).sum(axis=-1))

    def directions(self, v: Array) -> Array:
        """sign(v) of the loaded joints, or the smooth curve in its place, (B, m)."""
        pairs = zip(self.passive, self.columns, strict=True)
        return np.stack([np.asarray(p.direction(v[:, k]), float) for p, k in pairs], axis=-1)

    def _slopes(self, loads: Array, direction: Array, G: Array) -> Array:
        """Φ'G (B, m, m): a length changes along its own direction."""
        sizes = _sizes(loads)
        share = direction[..., None] * self.weights / np.where(sizes > 0.0, sizes, 1.0)
        return np.einsum("bmc,bmcl->bml", share[..., GROUP_OF] * loads, G)

    # -- forward ---------------------------------------------------------------------------------

    def accelerations(
        self, q: Array, v: Array, tau: Array, external: External, bodies: Bodies
    ) -> Array:
        """a (B, nv) of states in rows; see the head of this file."""
        bodies = {name: x for name, x in (bodies or {}).items() if x is not None}

        def respond(force: Array, times: int) -> tuple[Array, Array]:
            place, rate = (np.repeat(x, times, axis=0) for x in (q, v))
            wrench, other = repeated(external, times), repeated(bodies, times) or {}
            a = np.asarray(self.plain_forward(place, rate, force, wrench, **other), float)
            return a, self.loads(place, rate, a, wrench, other)

        return self.solved(v, tau, respond)[0]

    def solved(self, v: Array, tau: Array, respond: Response) -> tuple[Array, Array]:
        """a (B, nv) and x (B, m), the friction by load.

        respond(force, times): accelerations and loads without such friction under other joint
        forces, each state so many times."""
        direction = self.directions(v)
        x, one = np.zeros(direction.shape), np.eye(len(self.columns))
        a, loads = respond(tau, 1)
        if not direction.any():
            return a, x
        G = loads[..., None] - self._pushed(tau, respond)
        self._refuse_feedback(direction, G)
        scale = self.levels(loads)
        before = np.full(x.shape, np.inf)
        for _ in range(_ITERATIONS):
            miss = direction * self.levels(loads) - x
            scale = np.maximum(scale, np.abs(x))
            size = np.abs(miss)
            slow = size > 0.5 * before  # rounding, or a kink of the law
            if not ((size > 1e-14 * scale) & ~(slow & (size < 1e-11 * scale))).any():
                return a, x
            newton = np.linalg.solve(one + self._slopes(loads, direction, G), miss[..., None])
            x = x + np.where(slow.any(axis=-1, keepdims=True), miss, newton[..., 0])
            before = size
            force = tau.copy()
            force[:, self.columns] -= x
            a, loads = respond(force, 1)
        row = int(np.argmax(np.nan_to_num(size / np.maximum(scale, 1e-300)).max(axis=-1)))
        raise ModelError(
            f"load-dependent friction did not converge in state {row} (joints "
            f"{', '.join(self.evaluator.model.load_dependent_joints)}). Lower its coefficients."
        )

    def _pushed(self, tau: Array, respond: Response) -> Array:
        """Loads (B, m, 7, m) with a friction of 1 in one joint after the other."""
        m, count = len(self.columns), len(tau)
        force = np.repeat(tau, m, axis=0)
        force[:, self.columns] -= np.tile(np.eye(m), (count, 1))
        loads = respond(force, m)[1]
        return np.moveaxis(loads.reshape(count, m, m, 7), 1, -1)

    def _refuse_feedback(self, direction: Array, G: Array) -> None:
        """Is the loop a contraction?  B_il = |direction_i| Σ weight |G_il| over the groups."""
        sizes = _sizes(np.swapaxes(G, -1, -2))
        gain = np.abs(direction)[..., None] * (self.weights[:, None] * sizes).sum(axis=-1)
        if not (gain.sum(axis=-1) >= 1.0).any():
            return
        found = np.abs(np.linalg.eigvals(np.nan_to_num(gain))).max(axis=-1)
        if (found < 1.0).all():
            return
        row = int(np.argmax(found))
        label = self.evaluator.model.v_labels[self.columns[int(np.argmax(np.diag(gain[row])))]]
        raise ModelError(
            f"joint '{label}': in state {row} its friction raises its own load by a factor of "
            f"{found[row]:.3g}; from 1 on the acceleration of rigid bodies may not exist or not "
            f"be the only one. Lower the load coefficients, or make the friction smooth "
            f"(smoothing) and the motion slower."
        )

    def friction(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, external: External = None
    ) -> Array:
        """Force of the actuators against load-dependent friction (B, nv), in rows."""
        parts = self.evaluator.complete({"q": q, "v": v, "a": a})
        arrays = {name: np.atleast_2d(np.asarray(x, float)) for name, x in parts.items()}
        loads = self.loads(**arrays, external=external, bodies=None)
        result = np.zeros(arrays["v"].shape)
        result[:, self.columns] = self.directions(arrays["v"]) * self.levels(loads)
        return result


def _sizes(loads: Array) -> Array:
    """(..., 4) lengths of the groups of loads (..., 7)."""
    return np.asarray(np.sqrt(np.add.reduceat(loads * loads, _STARTS, axis=-1)))


def _map(spec: JointSpec, joint: Joint) -> Array:
    """(7, 6): from the wrench in the joint, in the body frame, to the loads."""
    R_BK, result = own_rotation(spec), np.zeros((7, 6))
    for n, unit in enumerate(np.eye(6).tolist()):
        wrench = from_own(Force.from_leaves(unit), R_BK)
        for start, components in zip(_STARTS, joint.bearing(wrench), strict=True):
            result[start : start + len(components), n] = components
    return result


def repeated(given: Mapping[str, Any] | None, times: int) -> Keywords | None:
    """Batches with every row so many times; single ones serve all rows as they are."""
    if given is None:
        return None
    return {k: np.repeat(x, times, axis=0) if np.ndim(x) == 2 else x for k, x in given.items()}


class LoadedInverse(Differentiable):
    """What hangs on inverse dynamics; friction depends on loads, and they on accelerations."""

    def __init__(self, friction: LoadFriction, ask: Callable[..., Array]):
        super().__init__(friction.evaluator, "inverse_dynamics", ask)
        self._plain = friction.plain_inverse

    def derivatives(
        self, q: State, v: State, a: State, external: External = None, passive: bool = True
    ) -> InverseDerivatives:
        """d tau / d(q, v, a), by dual numbers: `da` is not the mass matrix alone."""
        if not passive:
            return self._plain.derivatives(q, v, a, external, passive=False)
        return inverse_tangents(self.evaluator, q, v, a, external)

    def parameter_jacobian(self, *state: State, **named: State) -> Array:
        """Refused: friction that depends on loads is not linear in the inertias."""
        raise _no_regressor(self.evaluator.model.load_dependent_joints[0])


class LoadedForward(Differentiable):
    """Forward dynamics with friction that is that of the loads it causes."""

    def __init__(self, friction: LoadFriction):
        super().__init__(friction.evaluator, "forward_dynamics", self)
        self._friction, self.question = friction, self
        self.__name__ = self.__qualname__ = self.name
        self.__signature__, self.__doc__ = self.row.signature, self.row.title

    def __call__(self, *given: object, **named: object) -> Array:
        evaluator, bound = self.evaluator, self.__signature__.bind(*given, **named).arguments
        refuse_closed(self.row, bound, self.name, evaluator.model.name)
        if not bound.get("passive", True):
            return self._friction.plain_forward(**bound)
        out, external = bound.get("out"), bound.get("external")
        bodies = {n: bound[n] for n in BODIES if bound.get(n) is not None}
        inputs = {name: bound[name] for name in self.row.inputs}
        parts = evaluator.checked(inputs)
        others = {name: (np.atleast_2d(x), np.ndim(x) == 1) for name, x in bodies.items()}
        forces = {f"external['{name}']": x for name, x in wrenches(external).items()}
        count, single = common_rows(parts | others | forces)
        arrays = {
            name: np.array(np.broadcast_to(x, (count, x.shape[1])), float)
            for name, (x, _) in parts.items()
        }
        a = self._friction.accelerations(**arrays, external=external, bodies=bodies)
        if single:
            evaluator.refuse_not_finite(arrays, a)
        a = (a[0] if single else a).astype(result_type(*inputs.values()), copy=False)
        if out is None:
            return a
        checked_out(out, a.shape, a.dtype)[...] = a
        return np.asarray(out)

    def derivatives(
        self, q: State, v: State, tau: State, external: External = None, passive: bool = True
    ) -> ForwardDerivatives:
        """d a / d(q, v, tau), from those of inverse dynamics at the accelerations found."""
        if not passive:
            plain: Any = self._friction.plain_forward
            return plain.derivatives(q, v, tau, external, passive=False)
        a = self(q, v, tau, external)
        d = inverse_tangents(self.evaluator, q, v, a, external)
        inverse = np.linalg.inv(d.da)
        return ForwardDerivatives(-inverse @ d.dq, -inverse @ d.dv, np.asarray(inverse))

    def jvp(self, *given: object, **named: object) -> Array:
        """Change of a (nv) for small changes of q (tangent), v and tau, by the matrices."""
        bound = change_signature(self.row).bind(*given, **named).arguments
        changes = self._filled([bound.pop(f"d{name}", None) for name in self.row.inputs])
        inputs = {name: bound.pop(name) for name in self.row.inputs}
        moved = {f"d{name}": x for name, x in zip(inputs, changes, strict=True)}
        q, v, tau, *moves = self.evaluator.complete(inputs | moved).values()
        return self.derivatives(q, v, tau, **bound).jvp(*moves)

    def vjp(self, *given: object, **named: object) -> tuple[Array, ...]:
        """Gradient of weight · a with respect to q (tangent), v and tau, by the matrices."""
        bound = weight_signature(self.row).bind(*given, **named).arguments
        inputs = {name: bound.pop(name) for name in (*self.row.inputs, "weight")}
        q, v, tau, weight = self.evaluator.complete(inputs).values()
        return self.derivatives(q, v, tau, **bound).vjp(weight)

    def parameter_jacobian(self, *state: State, **named: State) -> Array:
        """Refused: friction that depends on loads is not linear in the inertias."""
        raise _no_regressor(self.evaluator.model.load_dependent_joints[0])

    def offset_jacobian(self, *state: State, **named: State) -> Array:
        """d a / d offsets (nv, 6 bodies), or (B, nv, 6 bodies); see `inverse_dynamics`."""
        q, v, a = self._motion(state, named)
        slope = inverse_tangents(self.evaluator, q, v, a, None).da
        return np.asarray(-np.linalg.solve(slope, offset_jacobian(self.evaluator, q, v, a)))

    def compile_report(self) -> list[Explanation]:
        """Tier, operations, code size and compile time of every kernel made so far."""
        plain = self._friction.plain.explanations(self.name)
        return plain + self.evaluator.explanations(joint_wrenches.name)


def loaded_inverse(friction: LoadFriction) -> BoundQuestion:
    """Inverse dynamics with such friction: the friction is explicit, its derivatives are not."""
    hanging = lambda evaluator, name, ask: LoadedInverse(friction, ask)  # noqa: E731
    return compiled(friction.evaluator, "inverse_dynamics", hanging)


def _no_regressor(joint: str) -> InputError:
    return InputError(
        f"parameter_jacobian: friction of joint '{joint}' depends on its load, so joint forces are "
        f"not linear in the inertias. Take differences with `parameters=`, or `regressor` for the "
        f"part without friction."
    )
