"""A row of the table of functions on one mechanism: what users call, as its attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from math import prod
from typing import TYPE_CHECKING, Any, Protocol, cast
from weakref import ref

import numpy as np

from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree.kinematics import COORDINATES
from armillary.errors import InputError
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.functions import BODIES, FUNCTIONS, HANGS, QUESTIONS, Function, Result
from armillary.evaluate.inputs import Array, BoundQuestion, Keywords, choice, flag, result_type
from armillary.evaluate.needs import refuse_no_elements, refuse_no_mass
from armillary.evaluate.world_frames import ConstantKernel, constants, of_world_frame

if TYPE_CHECKING:
    from armillary.evaluate.native_call import Callee, Given, NativeCall
    from armillary.evaluate.program import Explanation


# what callables say about themselves
WORDS = ("__doc__", "__name__", "__qualname__", "__signature__", "compile_report")


class Hung(Protocol):
    """What hangs on a question, by name."""

    def hung(self, name: str) -> object: ...


Hanging = Callable[[Evaluator, str, BoundQuestion], Hung]  # of a question with such a name


class CompiledFunction:
    """`mechanism.jacobian(q, "hand")`: checked, for one state or a batch.

    Plain arrays are served natively, once a call of their kind was answered; everything else goes
    through the evaluator."""

    def __init__(self, evaluator: Evaluator, row: str | Function, name: str = ""):
        self.row = FUNCTIONS[row] if isinstance(row, str) else row
        self._evaluator = evaluator
        self._algorithms: dict[tuple[str, ...], Algorithm] = {}
        self._fast: NativeCall | None = None
        self.__name__ = self.__qualname__ = name or str(row)
        self.__signature__ = self.row.signature
        self.__doc__ = self.described(self.row)

    @staticmethod
    def described(row: Function) -> str:
        """What `help` shows."""
        return "\n\n".join(filter(None, (row.title, row.text)))

    def callable(self, hanging: Hanging | None = None) -> BoundQuestion:
        """The callable users get: a native one where this interpreter allows, else a function.

        hanging: what hangs on it, made when it is first asked for."""
        from armillary.evaluate import native_call

        attributes = {name: getattr(self, name) for name in WORDS} | {"question": self}
        if native_call.available():
            frames = tuple(self._evaluator.model.frame_index)
            words = {"frame": frames, "coordinates": COORDINATES, "kind": self.row.kinds}
            arguments = native_call.Arguments.of(self.row.signature, words, BODIES, frames)
            late = self._late(hanging)
            self._fast = native_call.NativeCall(self._ask, attributes, arguments, late)
            return self._fast.callable

        def function(*given: object, **named: object) -> Any:
            return self._ask(*given, **named)

        for name, value in attributes.items():
            setattr(function, name, value)
        for name, make in self._late(hanging).items():
            setattr(function, name, make())
        return function

    def _late(self, hanging: Hanging | None) -> dict[str, Callable[[], object]]:
        if hanging is None:
            return {}

        @cache
        def whole() -> Hung:
            ask = self._ask if self._fast is None else self._fast.callable
            return hanging(self._evaluator, self.__name__, ask)

        return {name: partial(lambda name: whole().hung(name), name) for name in HANGS}

    def _ask(self, *given: object, **named: object) -> Any:
        """Through the evaluator; calls of the kind are served natively from now on."""
        try:
            bound = self.__signature__.bind(*given, **named).arguments
        except TypeError as fault:
            takes = ", ".join(self.__signature__.parameters)
            raise TypeError(f"{self.__name__}: {fault}; it takes {takes}.") from None
        answer = self._answer(bound)
        if self._fast is not None:
            chosen, fixed = self._chosen(bound), None
            if self.row.frame and self._evaluator.place(bound["frame"]).kernel < 0:
                fixed = constants(self._evaluator, self.__name__, bound["frame"], chosen)
            serve(self._fast, self._evaluator, self.row, self._algorithm(chosen), bound, fixed)
        return answer

    def _answer(self, bound: Keywords) -> Any:
        row, evaluator = self.row, self._evaluator
        refuse_closed(row, bound, self.__name__, evaluator.model.name)
        inputs = {name: bound[name] for name in row.inputs}
        chosen = self._chosen(bound)
        refuse_lacks(evaluator, row, inertia=bound.get("parameters") is None)
        out = bound.get("out")
        frame: Any = bound.get("frame")
        if row.frame and evaluator.place(frame).kernel < 0:
            return self._shaped(of_world_frame(evaluator, self.__name__, frame, chosen, inputs))
        found = evaluator.run(
            self._algorithm(chosen),
            inputs,
            bound.get("external"),
            frame=frame,
            passive=flag("passive", bound.get("passive", True)) and row.passive,
            fuse=row.fuse,
            out={row.results[0].source: out},
            bodies={name: bound.get(name) for name in BODIES},
        )
        return self._shaped(found) if out is None else out

    def _chosen(self, bound: Keywords) -> dict[str, str]:
        known = {"coordinates": COORDINATES, "kind": self.row.kinds}
        return {
            name: choice(name, bound.get(name, default), known[name])
            for name, default in self.row.choices.items()
        }

    def _algorithm(self, chosen: dict[str, str]) -> Algorithm:
        key = tuple(chosen.values())
        if key not in self._algorithms:
            self._algorithms[key] = self.row.algorithm(*key)
        return self._algorithms[key]

    def _shaped(self, found: dict[str, Array]) -> Any:
        """The results as the row describes them."""
        arrays = tuple(_shaped(found[result.source], result) for result in self.row.results)
        if self.row.wrap is not None:
            return self.row.wrap(self._evaluator.model, *arrays)
        return arrays[0] if len(arrays) == 1 else arrays

    def compile_report(self) -> list[Explanation]:
        """Tier, operations, code size and compile time of every kernel made so far."""
        names = {algorithm.name for algorithm in self._algorithms.values()}
        return [e for name in sorted(names) for e in self._evaluator.explanations(name)]


def compiled(evaluator: Evaluator, name: str, hanging: Hanging | None = None) -> BoundQuestion:
    """What answers a row, unless it takes more than that."""
    return CompiledFunction(evaluator, name).callable(hanging)


# -- as attributes --------------------------------------------------------------------------------

Answers = Mapping[str, Callable[[Evaluator, str], BoundQuestion]]  # to some questions, by name


class Asked(Protocol):
    """What is asked: an evaluator, and answers to questions that need more than their row."""

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
        call = owner.answers.get(self.name, compiled)(owner.evaluator, self.name)
        found = vars(owner)[self.name] = certifiable(owner, self.name, call)
        return found


def certifiable(owner: Asked, name: str, call: BoundQuestion) -> BoundQuestion:
    """The same question, which hands `certified=True` to `Mechanism.certified`."""
    return asked_otherwise(call, lambda call: _certifiable(owner, name, call))


def asked_otherwise(
    call: BoundQuestion, otherwise: Callable[[BoundQuestion], BoundQuestion]
) -> BoundQuestion:
    """The same question with a function around it that knows further arguments.

    Native calls never see them: what they do not serve goes to Python, and only that is changed."""
    from armillary.evaluate.native_call import NativeCall

    native = getattr(call, "_owner", None)
    if isinstance(native, NativeCall):
        native.careful = otherwise(native.careful)
        return call
    found = otherwise(call)
    for word in (*HANGS, *WORDS, "question"):
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


# -- what is refused ------------------------------------------------------------------------------


def refuse_closed(row: Function, bound: Mapping[str, object], question: str, model: str) -> None:
    """Options of closed mechanisms that are given to a tree."""
    for name in row.closed:
        if bound.get(name) is not None:
            raise InputError(
                f"{question}: `{name}` is for closed mechanisms, and '{model}' is a tree. Leave it "
                f"out."
            )


def refuse_lacks(evaluator: Evaluator, row: Function, inertia: bool = True) -> None:
    """What a question needs of the model, and it has not.  inertia: are its own numbers used?"""
    if row.inertia and inertia:
        evaluator.refuse_massless()
    if row.mass:
        refuse_no_mass(evaluator.model, evaluator.tables())
    if row.elements:
        refuse_no_elements(evaluator.model, tyres=row.returns == "TyreForces")


def function_of(evaluator: Evaluator, algorithm: Algorithm) -> BoundQuestion:
    """An algorithm that is no row of the table as such a function: all its results, in order."""
    results = tuple(Result(name, name, (kind,), "") for name, kind in algorithm.writes.items())
    options = ("external", "passive", *BODIES)
    row = Function(lambda _: algorithm, algorithm.name, results, options)
    return CompiledFunction(evaluator, row, algorithm.name).callable()


def _shaped(x: Array, result: Result) -> Array:
    """Numbers of the algorithm as the result that a row describes."""
    if result.order:
        counts = [n for n in result.shape if isinstance(n, int)]
        return x[..., list(result.order)].reshape(*x.shape[:-1], *counts)
    if result.columns:
        return np.ascontiguousarray(np.swapaxes(x, -1, -2))
    return x if result.shape else x[..., 0][()]  # a number for one state


# -- native calls ---------------------------------------------------------------------------------


def serve(
    call: NativeCall,
    evaluator: Evaluator,
    row: Function,
    algorithm: Algorithm,
    bound: Mapping[str, Any],
    fixed: Mapping[str, Array] | None = None,
) -> None:
    """Calls like this one natively from now on, where the results allow.

    fixed: the results of the algorithm, if they are the same for all states."""
    from armillary.evaluate.native_call import Serving, fits_call

    external = bound.get("external") or {}
    arrays = {n: bound[n] for n in (*row.inputs, *BODIES) if bound.get(n) is not None}
    axes = [np.ndim(x) for x in (*arrays.values(), *external.values())]
    single, element = set(axes) == {1}, str(np.dtype(result_type(*(bound[n] for n in row.inputs))))
    if not single and (axes[0] != 2 or not set(axes) <= {1, 2}):  # 1: the same for all rows
        return
    number = call.number(bound)
    if number is None or call.ready(number, element, not single):
        return
    make = None if row.wrap is None else partial(row.wrap, evaluator.model)
    kernel: Callee | None = None
    frame, spot = bound.get("frame"), None
    if fixed is not None:
        sizes = [evaluator.model.nq if n == "q" else evaluator.model.nv for n in row.inputs]
        plain = single and element == "float64"
        names, kernel = row.inputs, ConstantKernel(sizes, fixed) if plain else None
    else:
        passive, frames = bound.get("passive", True) and row.passive, tuple(external)
        kernels, loaded = evaluator.kernels_for(algorithm, arrays, row.fuse, passive, frames)
        names, body = kernels.request.reads, None
        if frame is not None:
            place = evaluator.place(frame, kernels.tables.fused)
            body, spot = place.kernel, (place.kernel, place.numbers())
        if external and not loaded:
            return
        if single:
            kernel = kernels.kernel(False, "double" if element == "float64" else "float", body)
        else:
            kernel = kernels.of_plain_batches(element, body)
    if kernel is not None and kernel.address and fits_call(make, len(row.results)):
        results = tuple(_given(kernel.output_shapes[r.source], r) for r in row.results)
        serving = Serving(kernel, evaluator.base_numbers, names, spot, results, make)
        (call.switch_on if single else call.switch_on_batch)(serving, number)


def _given(shape: tuple[int, ...], result: Result) -> Given:
    """The result of a row, from an output of this shape, as native calls make it."""
    from armillary.evaluate.native_call import Given

    if not result.shape:
        return Given(result.source, None)
    if result.columns:
        return Given(result.source, shape[::-1], np.arange(prod(shape)).reshape(shape).T.ravel())
    if not result.order:
        return Given(result.source, shape)
    *before, last = shape
    counts = [n for n in result.shape if isinstance(n, int)]
    order = np.arange(prod(before))[:, None] * last + np.array(result.order)
    return Given(result.source, (*before, *counts), order.ravel())
