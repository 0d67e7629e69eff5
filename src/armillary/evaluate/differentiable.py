"""What hangs on a question with derivatives: `inverse_dynamics.derivatives(q, v, a)` and others."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property, partial
from typing import Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms.autodiff.transforms import gradient, tangent
from armillary.evaluate.compiled_function import compiled, function_of
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.functions import FUNCTIONS, HANGS, Function
from armillary.evaluate.inputs import Array, BoundQuestion, result_type
from armillary.evaluate.named_states import State
from armillary.evaluate.sensitivities import (
    accelerations_by,
    element_jacobian,
    offset_jacobian,
)
from armillary.scalar import Scalar


def change_signature(row: Function) -> inspect.Signature:
    """Of `jvp`: the inputs, small changes of them (d and the name), and the options."""
    own = list(FUNCTIONS[row.derivative].signature.parameters.values())
    count, kind = len(row.inputs), inspect.Parameter.POSITIONAL_OR_KEYWORD
    changes = [
        inspect.Parameter(f"d{name}", kind, default=None, annotation="State | None")
        for name in row.inputs
    ]
    return inspect.Signature([*own[:count], *changes, *own[count:]], return_annotation="Array")


def weight_signature(row: Function) -> inspect.Signature:
    """Of `vjp`: the inputs, the weight, and the options."""
    own = list(FUNCTIONS[row.derivative].signature.parameters.values())
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    weight, count = inspect.Parameter("weight", kind, annotation="State"), len(row.inputs)
    gives = f"tuple[{', '.join(['Array'] * count)}]"
    return inspect.Signature([*own[:count], weight, *own[count:]], return_annotation=gives)


def state_signature(row: Function) -> inspect.Signature:
    """The inputs alone."""
    own = list(row.signature.parameters.values())[: len(row.inputs)]
    return inspect.Signature(own, return_annotation="Array")


def hanging_signatures(row: Function) -> dict[str, inspect.Signature]:
    """Of all that hangs on a question."""
    own = (FUNCTIONS[row.derivative].signature, change_signature(row), weight_signature(row))
    return dict(zip(HANGS, (*own, state_signature(row), state_signature(row)), strict=True))


class Differentiable:
    """The derivatives of one question about one tree.  ask: the question itself."""

    def __init__(self, evaluator: Evaluator, name: str, ask: Callable[..., Array]):
        self.evaluator, self.name, self._ask = evaluator, name, ask
        self.row = FUNCTIONS[name]
        self._algorithm, self._result = self.row.algorithm("local"), self.row.results[0].source
        self._signature = change_signature(self.row)

    @cached_property
    def derivatives(self) -> BoundQuestion:
        """Matrices (nv, nv) with respect to every input; q moves on its tangent space."""
        return compiled(self.evaluator, self.row.derivative)

    @cached_property
    def _products(self) -> Callable[..., Array]:
        return function_of(self.evaluator, tangent(self._algorithm, self._result))

    @cached_property
    def _gradients(self) -> Callable[..., tuple[Array, ...]]:
        return function_of(self.evaluator, gradient(self._algorithm, self._result))

    @cached_property
    def _regressor(self) -> Callable[..., Array]:
        return compiled(self.evaluator, "regressor")

    @cached_property
    def _mass_matrix(self) -> Callable[..., Array]:
        return compiled(self.evaluator, "mass_matrix")

    def jvp(self, *given: object, **named: object) -> Array:
        """Change of the result (nv) for small changes of q (tangent) and of the other inputs,
        without any matrix; changes that are not given are zero."""
        self._check_inertia()
        if self.evaluator.model.elements:
            return self._jvp_by_matrices(self._signature.bind(*given, **named).arguments)
        count = len(self.row.inputs)
        if len(given) < 2 * count or any(x is None for x in given[count : 2 * count]):
            bound = self._signature.bind(*given, **named).arguments
            changes = [bound.pop(f"d{name}", None) for name in self.row.inputs]
            states = [bound.pop(name) for name in self.row.inputs]
            return self._products(*states, *self._filled(changes), **bound)
        return self._products(*given, **named)

    def _filled(self, changes: list[State | None]) -> list[State]:
        """Zero where no change is given."""
        dtype = result_type(*(x for x in changes if x is not None))
        return [np.zeros(self.evaluator.model.nv, dtype) if x is None else x for x in changes]

    def vjp(self, *given: object, **named: object) -> tuple[Array, ...]:
        """Gradient of weight · result with respect to q (tangent) and the other inputs, without any
        matrix."""
        self._check_inertia()
        if self.evaluator.model.elements:
            bound = weight_signature(self.row).bind(*given, **named).arguments
            (weight,) = self.evaluator.complete({"tau": bound.pop("weight")}).values()
            return tuple(self.derivatives(**bound).vjp(weight))
        return self._gradients(*given, **named)

    def _jvp_by_matrices(self, bound: dict[str, Scalar]) -> Array:
        """Force elements reach across the tree: their derivatives are entries of the matrices."""
        changes = [bound.pop(f"d{name}", None) for name in self.row.inputs]
        pairs = zip(self.row.inputs, self._filled(changes), strict=True)
        known = [self.evaluator.complete({"v" if n == "q" else n: x}) for n, x in pairs]
        found = self.derivatives(**bound)
        return np.asarray(found.jvp(*(x for given in known for x in given.values())))

    def _check_inertia(self) -> None:
        if self.row.inertia and not self.evaluator.inertia_checked:
            self.evaluator.refuse_massless()

    def parameter_jacobian(self, *state: State, **named: State) -> Array:
        """d result / d inertias (nv, 10 bodies), and after them d result / d numbers of force
        elements; names: `mechanism.parameter_names`."""
        q, v, a = self._motion(state, named)
        Y = self._regressor(q, v, a)
        if self.evaluator.model.elements:
            Y = np.concatenate([Y, element_jacobian(self.evaluator, q, v, a)], axis=-1)
        return self._of_result(q, Y)

    def offset_jacobian(self, *state: State, **named: State) -> Array:
        """d result / d offsets (nv, 6 bodies), or (B, nv, 6 bodies): small turns and shifts of
        every joint frame about its own axes; names: `mechanism.offset_names`."""
        q, v, a = self._motion(state, named)
        return self._of_result(q, offset_jacobian(self.evaluator, q, v, a))

    def _of_result(self, q: ArrayLike, forces: Array) -> Array:
        """Changes of the result, from those of the joint forces at a given motion."""
        if self.name == "inverse_dynamics":
            return forces
        return accelerations_by(self._mass_matrix(q), forces)

    def _motion(
        self, state: tuple[State, ...], named: dict[str, State]
    ) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """q, v and a: as given, or those of given forces."""
        bound = state_signature(self.row).bind(*state, **named).arguments
        q, v, last = self.evaluator.complete(bound).values()
        return q, v, last if self.name == "inverse_dynamics" else self._ask(q, v, last)

    def hung(self, name: str) -> object:
        """What hangs on the question, as users get it."""
        known = getattr(self, name)
        if not inspect.ismethod(known):
            return known
        found = partial(known)
        found.__name__, found.__doc__ = name, inspect.getdoc(known)  # type: ignore[attr-defined]
        found.__signature__ = hanging_signatures(self.row)[name]  # type: ignore[attr-defined]
        return found


class WithDerivatives(Protocol):
    """A question that gives its derivatives too."""

    def __call__(self, *state: object, **options: object) -> Array: ...

    @property
    def derivatives(self) -> BoundQuestion: ...


def differentiable(evaluator: Evaluator, name: str) -> WithDerivatives:
    """A question of the table with its derivatives."""
    return cast(WithDerivatives, compiled(evaluator, name, Differentiable))
