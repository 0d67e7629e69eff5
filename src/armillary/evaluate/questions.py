"""Questions as objects: `arm.inverse_dynamics(q, v, a)` is a call, and more hangs on it.

Each class is the Python side of a question: it checks, handles batches and options, and explains.
`Question.bind` wraps it in a native callable that serves the plain single state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.autodiff.transforms import gradient, tangent
from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree import derivatives, forward_dynamics, inverse_dynamics
from armillary.evaluate.derivatives import ForwardDerivatives, InverseDerivatives
from armillary.evaluate.inputs import Array, result_type
from armillary.evaluate.lean import Lean
from armillary.evaluate.sensitivities import accelerations_by, offset_jacobian, regressor

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import Evaluator, External
    from armillary.evaluate.program import Explanation


_Tuple = TypeVar("_Tuple", InverseDerivatives, ForwardDerivatives)


class Question:
    """A compiled function of the state with one array as its result."""

    _fast: Any = None  # the native call, where there is one

    algorithm: ClassVar[Algorithm]
    result: ClassVar[str]

    def __init__(self, evaluator: Evaluator):
        self._evaluator = evaluator
        self._loaded: dict[tuple[str, ...], Callable[..., Any]] = {}  # by frames of wrenches

    @classmethod
    def bind(cls, *parts: Any) -> Any:
        """Such a question, as the callable that users get."""
        return cls(*parts).callable()

    def callable(self) -> Any:
        """The callable users get: native where the interpreter allows, this object elsewhere."""
        import inspect

        from armillary.evaluate import native_call

        if not native_call.available():
            return self
        names = {"__doc__": self.__doc__, "__name__": self.name(), "__qualname__": self.name(),
                 "__signature__": inspect.signature(self.__call__), "question": self}  # type: ignore[operator] # fmt: skip
        for name in self.extras():
            names[name] = getattr(self, name)
        self._fast = native_call.FastCall(self.__call__, names)  # type: ignore[operator]
        return self._fast.callable

    @classmethod
    def name(cls) -> str:
        return cls.algorithm.name

    @classmethod
    def extras(cls) -> tuple[str, ...]:
        """Public methods that hang on the callable."""
        return tuple(n for n in dir(cls) if not n.startswith("_") and n not in _INNER)

    def _answer(
        self,
        inputs: dict[str, ArrayLike],
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
        **bodies: ArrayLike | None,
    ) -> Array:
        """bodies: numbers instead of the model's, `parameters` and `offsets`."""
        if any(numbers is not None for numbers in bodies.values()):
            found = self._evaluator.run(
                self.algorithm, inputs, external, passive=passive, out={self.result: out},
                bodies=bodies,
            )[self.result]  # fmt: skip
            return found if out is None else out
        result = self._evaluator.run(
            self.algorithm, inputs, external, passive=passive, out={self.result: out}
        )[self.result]
        if self._fast is not None and not external:
            self._switch_on(tuple(inputs), result)
        elif external and passive is True and result.ndim == 1:
            self._serve_wrenches(inputs, external)
        return result if out is None else out

    def _with_wrenches(self, *states: ArrayLike, external: External) -> Array | None:
        """One plain state with wrenches in frames that were asked for before, natively; None: not
        so."""
        if type(external) is not dict or (call := self._loaded.get(tuple(external))) is None:
            return None
        if len(external) == 1:
            return call(*states, *external.values())
        wrenches = list(external.values())
        if all(isinstance(x, np.ndarray) and x.shape == (6,) for x in wrenches):
            return call(*states, np.concatenate(wrenches))
        return None

    def _serve_wrenches(
        self, inputs: dict[str, ArrayLike], external: Mapping[str, ArrayLike]
    ) -> None:
        """Such wrenches natively from now on."""
        from armillary.evaluate import native_call

        frames, reads = tuple(external), (*inputs, "external")
        if self._fast is None or frames in self._loaded:
            return
        kernels = self._evaluator.loaded_kernels(self.algorithm, reads, True, True, frames)
        call = native_call.lean(kernels, self._evaluator.base_numbers)
        if call is not None:
            self._loaded[frames] = call

    def _switch_on(self, reads: tuple[str, ...], like: Array) -> None:
        """Serve plain states, and rows of them where such a batch came, natively from now on."""
        kernels = self._evaluator.kernels_of(self.algorithm, reads, True, True)
        self._fast.switch_on_like(like, 1, kernels, self._evaluator.base_numbers)

    def compile_report(self) -> list[Explanation]:
        """Tier, operations, code size and compile time of every kernel made so far."""
        return self._evaluator.explanations(self.algorithm.name)


_INNER = (
    "algorithm", "result", "bind", "callable", "name", "extras", "derivative",
    "arguments", "kernels", "actuators", "law", "load_friction",
)  # fmt: skip


def _as(kind: type[_Tuple], results: tuple[Array, ...]) -> _Tuple:
    """A tuple of results as one with names, without going through Python again."""
    return tuple.__new__(kind, results)


class Differentiable(Question):
    """A question with derivatives: its own, and lean calls for them."""

    derivative: ClassVar[Algorithm]
    arguments: ClassVar[tuple[str, ...]]

    @cached_property
    def _matrices(self) -> Lean:
        return Lean(self._evaluator, self.derivative, self.arguments)

    @cached_property
    def _jvp(self) -> Lean:
        changes = tuple(f"d{name}" for name in self.arguments)
        algorithm = tangent(self.algorithm, self.result)
        return Lean(self._evaluator, algorithm, (*self.arguments, *changes))

    @cached_property
    def _vjp(self) -> Lean:
        algorithm = gradient(self.algorithm, self.result)
        return Lean(self._evaluator, algorithm, (*self.arguments, "weight"))

    def _changes(self, *changes: ArrayLike | None) -> tuple[ArrayLike, ...]:
        """Directions; zero where none is given."""
        if all(x is not None for x in changes):
            return changes  # type: ignore[return-value]
        dtype = result_type(*(x for x in changes if x is not None))
        zero = np.zeros(self._evaluator.model.nv, dtype)
        return tuple(zero if x is None else x for x in changes)


class InverseDynamics(Differentiable):
    """Joint forces tau (nv) for the motion (q, v, a):  tau = M a + h.

    external: wrenches {frame or body name: (n; f)} exerted *on* the mechanism, in that frame at
    its origin.  passive: friction, springs and rotors of the model take part.  parameters: other
    inertias than the model's, (10 bodies,) or one row per state, as `mechanism.parameters`.
    offsets: turns and shifts of the joint frames off their places in the model, (6 bodies,) or
    one row per state, as `mechanism.offset_names`."""

    algorithm = inverse_dynamics.inverse_dynamics
    derivative = derivatives.inverse_dynamics_derivatives
    arguments = ("q", "v", "a")
    result = "tau"

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> Array:
        if self._loaded and passive is True and out is parameters is offsets is None:
            found = self._with_wrenches(q, v, a, external=external)
            if found is not None:
                return found
        bodies = {"parameters": parameters, "offsets": offsets}
        return self._answer({"q": q, "v": v, "a": a}, external, passive, out, **bodies)

    def derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: External = None,
        passive: bool = True,
    ) -> InverseDerivatives:
        """d tau / d(q, v, a): `dq`, `dv`, `da`, (nv, nv) each.  q moves on its tangent space."""
        if external is None and passive:
            return _as(InverseDerivatives, self._matrices.plain(q, v, a))
        return InverseDerivatives(*self._matrices((q, v, a), external, passive))

    def jvp(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, dq: ArrayLike | None = None,
        dv: ArrayLike | None = None, da: ArrayLike | None = None, external: External = None,
        passive: bool = True,
    ) -> Array:  # fmt: skip
        """Change of tau (nv) for small changes of q (tangent), v and a, without any matrix."""
        changes = self._changes(dq, dv, da)
        return np.asarray(self._jvp((q, v, a, *changes), external, passive))

    def vjp(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, weight: ArrayLike,
        external: External = None, passive: bool = True,
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Gradient of weight · tau with respect to q (tangent), v and a, without any matrix."""
        gradient_q, gradient_v, gradient_a = self._vjp((q, v, a, weight), external, passive)
        return gradient_q, gradient_v, gradient_a

    def parameter_jacobian(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """d tau / d inertias (nv, 10 bodies): the regressor; names: `mechanism.parameter_names`."""
        return regressor(self._evaluator, q, v, a)

    def offset_jacobian(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """d tau / d offsets (nv, 6 bodies), or (B, nv, 6 bodies): small turns and shifts of
        every joint frame about its own axes; names: `mechanism.offset_names`."""
        return offset_jacobian(self._evaluator, q, v, a)


class ForwardDynamics(Differentiable):
    """Accelerations a (nv) for the joint forces tau, by articulated bodies in O(n)."""

    algorithm = forward_dynamics.forward_dynamics
    derivative = derivatives.forward_dynamics_derivatives
    arguments = ("q", "v", "tau")
    result = "a"

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> Array:
        if parameters is None:
            self._evaluator.refuse_massless()
        if self._loaded and passive is True and out is parameters is offsets is None:
            found = self._with_wrenches(q, v, tau, external=external)
            if found is not None:
                return found
        bodies = {"parameters": parameters, "offsets": offsets}
        return self._answer({"q": q, "v": v, "tau": tau}, external, passive, out, **bodies)

    def derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
    ) -> ForwardDerivatives:
        """d a / d(q, v, tau): `dq`, `dv`, `dtau`, (nv, nv) each.  q moves on its tangent space."""
        if not self._evaluator.inertia_checked:
            self._evaluator.refuse_massless()
        if external is None and passive:
            return _as(ForwardDerivatives, self._matrices.plain(q, v, tau))
        return ForwardDerivatives(*self._matrices((q, v, tau), external, passive))

    def jvp(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, dq: ArrayLike | None = None,
        dv: ArrayLike | None = None, dtau: ArrayLike | None = None, external: External = None,
        passive: bool = True,
    ) -> Array:  # fmt: skip
        """Change of a (nv) for small changes of q (tangent), v and tau, without any matrix."""
        self._evaluator.refuse_massless()
        changes = self._changes(dq, dv, dtau)
        return np.asarray(self._jvp((q, v, tau, *changes), external, passive))

    def vjp(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, weight: ArrayLike,
        external: External = None, passive: bool = True,
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Gradient of weight · a with respect to q (tangent), v and tau, without any matrix."""
        self._evaluator.refuse_massless()
        gradient_q, gradient_v, gradient_tau = self._vjp((q, v, tau, weight), external, passive)
        return gradient_q, gradient_v, gradient_tau

    def parameter_jacobian(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """d a / d inertias (nv, 10 bodies) = -M^-1 Y; names: `mechanism.parameter_names`."""
        evaluator, a = self._evaluator, self(q, v, tau)
        return accelerations_by(evaluator, q, regressor(evaluator, q, v, a))

    def offset_jacobian(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """d a / d offsets (nv, 6 bodies), or (B, nv, 6 bodies); see `inverse_dynamics`."""
        evaluator, a = self._evaluator, self(q, v, tau)
        return accelerations_by(evaluator, q, offset_jacobian(evaluator, q, v, a))
