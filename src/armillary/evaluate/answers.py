"""From a row of the table of functions to what users call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast
from weakref import ref

import numpy as np

from armillary.errors import EnergyWarning, InputError, warn_caller
from armillary.evaluate.compiled_function import CompiledFunction
from armillary.evaluate.differentiable import Differentiable
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.functions import FUNCTIONS, HANGS, QUESTIONS
from armillary.evaluate.inputs import Array, BoundQuestion, flag
from armillary.evaluate.load_friction import LoadedForward, LoadFriction, loaded_inverse
from armillary.evaluate.named_states import State
from armillary.evaluate.results import OperationalInertia
from armillary.model.model import Model

# what callables say about themselves
_WORDS = ("__doc__", "__name__", "__qualname__", "__signature__", "compile_report", "question")


Answers = Mapping[str, Callable[[Evaluator, str], BoundQuestion]]  # to some questions, by name


class Asked(Protocol):
    """What is asked: an evaluator, and answers to questions that are not answered as those of a
    tree."""

    evaluator: Evaluator
    answers: Answers


class Question:
    """A row as an attribute: made when it is first asked for, and kept."""

    def __init__(self, name: str):
        self.name, row = name, FUNCTIONS[name]

        def described(self: object, *given: object, **named: object) -> None: ...

        described.__name__ = described.__qualname__ = name
        described.__doc__ = CompiledFunction.described(row)
        described.__signature__ = row.signature  # type: ignore[attr-defined]
        self._described = described

    def __get__(self, owner: Asked | None, kind: type) -> BoundQuestion:
        if owner is None:
            return self._described  # what help(Mechanism) shows
        call = owner.answers.get(self.name, answer)(owner.evaluator, self.name)
        found = vars(owner)[self.name] = certifiable(owner, self.name, call)
        return found


def certifiable(owner: Asked, name: str, call: BoundQuestion) -> BoundQuestion:
    """The same question, which hands `certified=True` to `Mechanism.certified`.

    Native calls never see it: what they do not serve goes to Python, and only that is changed."""
    from armillary.evaluate.native_call import NativeCall

    native = getattr(call, "_owner", None)
    if isinstance(native, NativeCall):
        native.careful = _certifiable(owner, name, native.careful)
        return call
    found = _certifiable(owner, name, call)
    for word in (*HANGS, *_WORDS):
        if hasattr(call, word):
            setattr(found, word, getattr(call, word))
    return found


def _certifiable(owner: Asked, name: str, call: BoundQuestion) -> BoundQuestion:
    whole, kind, evaluator = ref(owner), type(owner), owner.evaluator

    def ask(*given: object, **named: object) -> Any:
        if not flag("certified", named.pop("certified", False)):
            return call(*given, **named)
        if not hasattr(kind, "certified"):
            raise InputError(f"{name}: certified=True is known to whole mechanisms.")
        # a question may outlive its mechanism, which is made again then
        mechanism: Any = whole() or cast(Any, kind)(evaluator.model, evaluator.options)
        return mechanism.certified(name, *given, **named)

    return ask


def rows() -> dict[str, Question]:
    """Every question of the table as an attribute."""
    return {name: Question(name) for name in QUESTIONS}


def answer(evaluator: Evaluator, name: str) -> BoundQuestion:
    """The callable of a row, about the tree of a mechanism."""
    if name in _SPECIAL:
        return _SPECIAL[name](evaluator)
    return CompiledFunction(evaluator, name).callable()


def load_friction_of(evaluator: Evaluator) -> LoadFriction:
    """The load-dependent friction of a tree, made once."""
    return evaluator.memo.once("load friction", lambda: LoadFriction(evaluator))


def _inverse_dynamics(evaluator: Evaluator) -> BoundQuestion:
    if evaluator.model.load_dependent_joints:
        return loaded_inverse(load_friction_of(evaluator))
    return CompiledFunction(evaluator, "inverse_dynamics").callable(Differentiable)


def _forward_dynamics(evaluator: Evaluator) -> BoundQuestion:
    if evaluator.model.load_dependent_joints:
        return LoadedForward(load_friction_of(evaluator))
    return CompiledFunction(evaluator, "forward_dynamics").callable(Differentiable)


def energy_lacks(model: Model) -> str:
    """What `energy` does not know, in words; empty where it knows everything."""
    names = ", ".join(f"'{name}'" for name in model.hidden_energy)
    return names and (
        f"energy: the law of {names} holds a force at rest and names no potential; what it "
        f"stores is not counted. Use Passive(law=Law(force, potential)), or `potential=` of "
        f"Builder.force."
    )


def _energy(evaluator: Evaluator) -> BoundQuestion:
    known, lacks = CompiledFunction(evaluator, "energy").callable(), energy_lacks(evaluator.model)
    if not lacks:
        return known

    def energy(*given: object, **named: object) -> tuple[Array, Array]:
        warn_caller(lacks, EnergyWarning)
        kinetic, potential = known(*given, **named)
        return kinetic, potential

    return _like(energy, known)


def _operational_inertia(evaluator: Evaluator) -> BoundQuestion:
    found = CompiledFunction(evaluator, "operational_inertia").callable()
    jacobian = CompiledFunction(evaluator, "jacobian").callable()

    def operational_inertia(
        q: State, frame: str, coordinates: str = "local", **bodies: object
    ) -> OperationalInertia:
        if not isinstance(q, np.ndarray):
            (q,) = evaluator.complete({"q": q}).values()
        W = found(q, frame, coordinates, **bodies)
        there = np.array(q)

        def rank() -> Array:
            """Found when it is asked for."""
            offsets = {n: x for n, x in bodies.items() if n == "offsets"}
            return _ranks(jacobian(there, frame, coordinates, **offsets))

        return OperationalInertia(W, rank)

    return _like(operational_inertia, found)


def _like(function: Callable[..., object], other: object) -> BoundQuestion:
    """A function with the words and the report of another."""
    for name in _WORDS:
        setattr(function, name, getattr(other, name))
    return function


def _ranks(J: Array) -> Array:
    """Rank of each matrix; 0 where it is not finite."""
    finite = np.isfinite(J).all(axis=(-2, -1), keepdims=True)
    values = np.linalg.svd(np.where(finite, J, 0.0), compute_uv=False)
    largest = values.max(axis=-1, initial=0.0, keepdims=True)
    return np.asarray(np.sum(values > 1e-9 * largest, axis=-1))


_SPECIAL: dict[str, Callable[[Evaluator], BoundQuestion]] = {
    "inverse_dynamics": _inverse_dynamics,
    "forward_dynamics": _forward_dynamics,
    "energy": _energy,
    "operational_inertia": _operational_inertia,
}
