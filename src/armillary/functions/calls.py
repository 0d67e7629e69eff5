"""Questions as objects: `arm.inverse_dynamics(q, v, a)` is a call, and more hangs on it.

Each class is the Python side of a question: it checks, handles batches and options, and explains.
`Question.bind` wraps it in a native callable that serves the plain single state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms import (
    coriolis,
    derivatives,
    energy,
    forward_dynamics,
    inverse_dynamics,
    mass_matrix,
)
from armillary.algorithms.passes import Algorithm
from armillary.errors import InputError
from armillary.functions.derivatives import ForwardDerivatives, InverseDerivatives
from armillary.functions.inputs import Array

if TYPE_CHECKING:
    from armillary.functions.core import Core, External
    from armillary.functions.kernels import Explanation


class Question:
    """A compiled function of the state with one array as its result."""

    algorithm: ClassVar[Algorithm]
    result: ClassVar[str]
    passive_default: ClassVar[bool] = True

    def __init__(self, owner: Core):
        self._owner = owner
        self._fast: Any = None

    @classmethod
    def bind(cls, owner: Core) -> Any:
        """The callable users get: native where the interpreter allows, this object elsewhere."""
        import inspect

        from armillary.functions import fast

        question = cls(owner)
        if not fast.available():
            return question
        names = {"__doc__": cls.__doc__, "__name__": cls.name(), "__qualname__": cls.name(),
                 "__signature__": inspect.signature(question.__call__), "question": question}  # type: ignore[operator] # fmt: skip
        for name in cls.extras():
            names[name] = getattr(question, name)
        question._fast = fast.FastCall(question.__call__, names)  # type: ignore[operator]
        return question._fast.callable

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
    ) -> Array:
        result = self._owner._run(self.algorithm, inputs, external, passive=passive)[self.result]
        if self._fast is not None and result.dtype == np.float64:
            self._switch_on(tuple(inputs))
        return result if out is None else into(out, result)

    def _switch_on(self, reads: tuple[str, ...]) -> None:
        """Serve plain single states natively from now on."""
        owner = self._owner
        kernels = owner._kernels_of(self.algorithm, reads, True, self.passive_default)
        kernel = kernels.kernel(False, "double")
        self._fast.switch_on(kernel, owner._globals())
        self._fast = None

    def explain(self) -> list[Explanation]:
        """Tier, operations, code size and compile time of every kernel made so far."""
        return self._owner._explanations(self.algorithm.name)


_INNER = ("algorithm", "result", "passive_default", "bind", "name", "extras")


def into(out: Array, result: Array) -> Array:
    """The result put into the caller's array."""
    if not isinstance(out, np.ndarray) or out.shape != result.shape or out.dtype != result.dtype:
        found = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise InputError(f"out: expected an array {result.dtype} {result.shape}, found {found}.")
    if not out.flags.writeable:
        raise InputError("out: the array is read-only.")
    out[...] = result
    return out


class InverseDynamics(Question):
    """Joint forces tau (nv) for the motion (q, v, a):  tau = M a + h.

    external: wrenches {frame or body name: (n; f)} exerted *on* the mechanism, in that frame at
    its origin.  passive: friction, springs and rotors of the model take part."""

    algorithm = inverse_dynamics.inverse_dynamics
    result = "tau"

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
    ) -> Array:
        return self._answer({"q": q, "v": v, "a": a}, external, passive, out)

    def derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        external: External = None,
        passive: bool = True,
    ) -> InverseDerivatives:
        """d tau / d(q, v, a): `dq`, `dv`, `da`, (nv, nv) each.  q moves on its tangent space."""
        inputs = {"q": q, "v": v, "a": a}
        algorithm = derivatives.inverse_dynamics_derivatives
        r = self._owner._run(algorithm, inputs, external, passive=passive)
        return InverseDerivatives(r["dq"], r["dv"], r["M"])


class ForwardDynamics(Question):
    """Accelerations a (nv) for the joint forces tau, by articulated bodies in O(n)."""

    algorithm = forward_dynamics.forward_dynamics
    result = "a"

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
    ) -> Array:
        self._owner._refuse_massless()
        return self._answer({"q": q, "v": v, "tau": tau}, external, passive, out)

    def derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
    ) -> ForwardDerivatives:
        """d a / d(q, v, tau): `dq`, `dv`, `dtau`, (nv, nv) each.  q moves on its tangent space."""
        self._owner._refuse_massless()
        inputs = {"q": q, "v": v, "tau": tau}
        algorithm = derivatives.forward_dynamics_derivatives
        r = self._owner._run(algorithm, inputs, external, passive=passive)
        return ForwardDerivatives(r["dq"], r["dv"], r["M"])


class BiasForces(Question):
    """h (nv) = inverse dynamics with a = 0: gravity, velocity and passive forces."""

    algorithm = inverse_dynamics.bias_forces
    result = "tau"

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
    ) -> Array:
        return self._answer({"q": q, "v": v}, external, passive, out)


class GravityForces(Question):
    """g (nv): joint forces that hold the mechanism at rest against gravity alone."""

    algorithm = inverse_dynamics.static_forces
    result = "tau"
    passive_default = False

    def __call__(self, q: ArrayLike, out: Array | None = None) -> Array:
        return self._answer({"q": q}, None, False, out)


class MassMatrix(Question):
    """M (nv, nv), symmetric positive definite; rotors included unless passive=False."""

    algorithm = mass_matrix.mass_matrix
    result = "M"

    def __call__(self, q: ArrayLike, passive: bool = True, out: Array | None = None) -> Array:
        return self._answer({"q": q}, None, passive, out)


class CoriolisMatrix(Question):
    """C (nv, nv): C v are the velocity forces, and dM/dt - 2 C is skew-symmetric."""

    algorithm = coriolis.coriolis_matrix
    result = "C"

    def __call__(self, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:
        return self._answer({"q": q, "v": v}, None, True, out)


class CenterOfMass(Question):
    """Centre of mass (3,) in the world, m."""

    algorithm = energy.center_of_mass
    result = "com"

    def __call__(self, q: ArrayLike, out: Array | None = None) -> Array:
        self._owner._moving_mass()
        return self._answer({"q": q}, None, True, out)


class Momentum(Question):
    """Momentum (6,): angular about the centre of mass, linear; along the world's axes."""

    algorithm = energy.momentum
    result = "momentum"

    def __call__(self, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:
        self._owner._moving_mass()
        return self._answer({"q": q, "v": v}, None, True, out)
