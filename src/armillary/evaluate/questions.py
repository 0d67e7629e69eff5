"""Questions as objects: `arm.inverse_dynamics(q, v, a)` is a call, and more hangs on it.

Each class is the Python side of a question: it checks, handles batches and options, and explains.
`Question.bind` wraps it in a native callable that serves the plain single state.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.autodiff.transforms import gradient, tangent
from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree import derivatives, forward_dynamics, inverse_dynamics
from armillary.evaluate.compiled_function import function_of, serve
from armillary.evaluate.derivatives import ForwardDerivatives, InverseDerivatives
from armillary.evaluate.functions import FUNCTIONS
from armillary.evaluate.inputs import Array, result_type
from armillary.evaluate.sensitivities import accelerations_by, offset_jacobian, regressor

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import Evaluator, External
    from armillary.evaluate.kernels import Explanation


class Question:
    """A compiled function of the state with one array as its result."""

    _fast: Any = None  # the native call, where there is one

    algorithm: ClassVar[Algorithm]
    result: ClassVar[str]

    def __init__(self, evaluator: Evaluator):
        self._evaluator = evaluator

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
        frames = tuple(self._evaluator.model.frame_index)
        arguments = native_call.Arguments.of(names["__signature__"], {}, frames)
        self._fast = native_call.NativeCall(self.__call__, names, arguments)  # type: ignore[operator]
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
        result = self._evaluator.run(
            self.algorithm, inputs, external, passive=passive, out={self.result: out}, bodies=bodies
        )[self.result]
        if self._fast is not None:
            bound = {**inputs, "external": external, "passive": passive, **bodies}
            serve(self._fast, self._evaluator, FUNCTIONS[self.name()], self.algorithm, bound)
        return result if out is None else out

    def compile_report(self) -> list[Explanation]:
        """Tier, operations, code size and compile time of every kernel made so far."""
        return self._evaluator.explanations(self.algorithm.name)


_INNER = (
    "algorithm", "result", "bind", "callable", "name", "extras", "derivative",
    "matrices", "kernels", "actuators", "law", "load_friction",
)  # fmt: skip


class Differentiable(Question):
    """A question with derivatives, functions of their own."""

    derivative: ClassVar[Algorithm]
    matrices: ClassVar[type[InverseDerivatives | ForwardDerivatives]]

    @cached_property
    def _matrices(self) -> Callable[..., Any]:
        return function_of(self._evaluator, self.derivative, lambda _, *dx: self.matrices(*dx))

    @cached_property
    def _jvp(self) -> Callable[..., Any]:
        return function_of(self._evaluator, tangent(self.algorithm, self.result))

    @cached_property
    def _vjp(self) -> Callable[..., Any]:
        return function_of(self._evaluator, gradient(self.algorithm, self.result))

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
    matrices = InverseDerivatives
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
        return self._matrices(q, v, a, external, passive)

    def jvp(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, dq: ArrayLike | None = None,
        dv: ArrayLike | None = None, da: ArrayLike | None = None, external: External = None,
        passive: bool = True,
    ) -> Array:  # fmt: skip
        """Change of tau (nv) for small changes of q (tangent), v and a, without any matrix."""
        changes = self._changes(dq, dv, da)
        return self._jvp(q, v, a, *changes, external, passive)

    def vjp(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, weight: ArrayLike,
        external: External = None, passive: bool = True,
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Gradient of weight · tau with respect to q (tangent), v and a, without any matrix."""
        return self._vjp(q, v, a, weight, external, passive)

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
    matrices = ForwardDerivatives
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
        return self._matrices(q, v, tau, external, passive)

    def jvp(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, dq: ArrayLike | None = None,
        dv: ArrayLike | None = None, dtau: ArrayLike | None = None, external: External = None,
        passive: bool = True,
    ) -> Array:  # fmt: skip
        """Change of a (nv) for small changes of q (tangent), v and tau, without any matrix."""
        self._evaluator.refuse_massless()
        changes = self._changes(dq, dv, dtau)
        return self._jvp(q, v, tau, *changes, external, passive)

    def vjp(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, weight: ArrayLike,
        external: External = None, passive: bool = True,
    ) -> tuple[Array, Array, Array]:  # fmt: skip
        """Gradient of weight · a with respect to q (tangent), v and tau, without any matrix."""
        self._evaluator.refuse_massless()
        return self._vjp(q, v, tau, weight, external, passive)

    def parameter_jacobian(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """d a / d inertias (nv, 10 bodies) = -M^-1 Y; names: `mechanism.parameter_names`."""
        evaluator, a = self._evaluator, self(q, v, tau)
        return accelerations_by(evaluator, q, regressor(evaluator, q, v, a))

    def offset_jacobian(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> Array:
        """d a / d offsets (nv, 6 bodies), or (B, nv, 6 bodies); see `inverse_dynamics`."""
        evaluator, a = self._evaluator, self(q, v, tau)
        return accelerations_by(evaluator, q, offset_jacobian(evaluator, q, v, a))
