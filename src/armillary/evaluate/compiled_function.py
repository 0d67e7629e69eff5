"""A row of the table of functions on one mechanism: what users call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree.kinematics import COORDINATES
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.finish import finisher
from armillary.evaluate.functions import BODIES, FUNCTIONS, Result
from armillary.evaluate.inputs import Array, choice
from armillary.evaluate.world_frames import of_world_frame

if TYPE_CHECKING:
    from armillary.evaluate.native_call import FastCall
    from armillary.evaluate.program import Explanation

_WORDS = frozenset(("frame", "coordinates", "kind"))


class CompiledFunction:
    """`mechanism.jacobian(q, "hand")`: checked, for one state or a batch.

    Plain arrays of one state are served natively, by one callable per frame and choice of
    coordinates; everything else goes through the evaluator."""

    def __init__(self, evaluator: Evaluator, name: str):
        self.row = FUNCTIONS[name]
        self._evaluator, self._count = evaluator, len(self.row.inputs)
        self._algorithms: dict[tuple[str, ...], Algorithm] = {}
        self._fast: FastCall | None = None
        self._native: dict[tuple[Any, ...], Callable[..., Any]] = {}  # by frame and words
        self.__name__ = self.__qualname__ = name
        self.__signature__ = self.row.signature
        self.__doc__ = "\n\n".join(filter(None, (self.row.title, self.row.text)))

    def callable(self) -> Any:
        """The callable users get: a native one where the function is plain (no frame, one array)
        and this interpreter allows, a Python function elsewhere."""
        from armillary.evaluate import native_call

        algorithm = self._algorithm(self.row.choices)
        finish = finisher(self.row, algorithm, self._evaluator.model)
        names = ("__doc__", "__name__", "__qualname__", "__signature__", "compile_report")
        attributes = {name: getattr(self, name) for name in names} | {"question": self}
        plain = not self.row.frame and finish is not None and finish.plain
        if plain and native_call.available():
            self._fast = native_call.FastCall(self._ask_plain, attributes)
            return self._fast.callable
        found = self._dispatcher()
        for name, value in attributes.items():
            setattr(found, name, value)
        return found

    def _dispatcher(self) -> Callable[..., Any]:
        """Calls by frame and words: to the native callable of these, or to the evaluator."""
        entries, count, ask = self._native, self._count, self._ask

        def function(*given: Any, **named: Any) -> Any:
            try:
                if not named:
                    native = entries.get(given[count:])
                elif named.keys() <= _WORDS:
                    native = entries.get((*given[count:], *named.items()))
                else:
                    native = None
            except TypeError:  # a frame or word that is none
                native = None
            return native(*given[:count]) if native is not None else ask(given, named)

        return function

    def _ask_plain(self, *given: Any, **named: Any) -> Any:
        """Through the evaluator; plain states, and batches of them, natively from now on."""
        bound = self.__signature__.bind(*given, **named).arguments
        answer, plain = self._answer(bound), not set(bound) - {*self.row.inputs, "out"}
        if plain and self._fast is not None:
            algorithm = self._algorithm(self.row.choices)
            kernels = self._evaluator.kernels_of(
                algorithm, self.row.inputs, self.row.fuse, self.row.passive
            )
            single = 2 if algorithm.writes[self.row.results[0].source] == "matrix" else 1
            self._fast.switch_on_like(answer, single, kernels, self._evaluator.base_numbers)
        return answer

    def _ask(self, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The same through the evaluator; plain calls are served natively from now on."""
        bound = self.__signature__.bind(*given, **named).arguments
        answer = self._answer(bound)
        plain = not set(bound) - _WORDS - set(self.row.inputs)
        if plain and len(given) >= self._count:
            key = (*given[self._count :], *named.items())
            states = [bound[name] for name in self.row.inputs]
            if key not in self._native and all(_plain_state(x) for x in states):
                self._serve(key, bound)
        return answer

    def _answer(self, bound: dict[str, Any]) -> Any:
        row, evaluator = self.row, self._evaluator
        inputs = {name: bound[name] for name in row.inputs}
        chosen = self._chosen(bound)
        if row.inertia and bound.get("parameters") is None:
            evaluator.refuse_massless()
        if row.mass:
            evaluator.moving_mass()
        out = bound.get("out")
        frame: Any = bound.get("frame")
        if row.frame and evaluator.place(frame).kernel < 0:
            return self._shaped(of_world_frame(evaluator, self.__name__, frame, chosen, inputs))
        found = evaluator.run(
            self._algorithm(chosen),
            inputs,
            bound.get("external"),
            frame=frame,
            passive=bound.get("passive", True) and row.passive,
            fuse=row.fuse,
            out={row.results[0].source: out},
            bodies={name: bound.get(name) for name in BODIES},
        )
        return self._shaped(found) if out is None else out

    def _chosen(self, bound: dict[str, Any]) -> dict[str, str]:
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

    # -- native calls ----------------------------------------------------------------------------

    def _serve(self, key: tuple[Any, ...], bound: dict[str, Any]) -> None:
        """One state natively from now on, where this interpreter and the results allow."""
        from armillary.evaluate import native_call

        algorithm = self._algorithm(self._chosen(bound))
        model, frame = self._evaluator.model, bound.get("frame")
        finish = finisher(self.row, algorithm, model)
        place = None if frame is None else self._evaluator.place(frame, self.row.fuse)
        if not native_call.available() or finish is None or (place and place.kernel < 0):
            return
        kernels = self._evaluator.kernels_of(
            algorithm, self.row.inputs, self.row.fuse, self.row.passive
        )
        kernel = kernels.kernel(False, "double", None if place is None else place.kernel)
        words = {name: x for name, x in bound.items() if name in _WORDS}

        def slow(*states: Any) -> Any:
            return self._answer(dict(zip(self.row.inputs, states, strict=True)) | words)

        call = native_call.FastCall(lambda *states: finish.done(slow(*states)), {})
        spot = None if place is None else (place.kernel, place.numbers())
        call.switch_on(kernel, self._evaluator.base_numbers, spot, finish.shape)
        self._native[key] = finish.around(call.callable)

    def compile_report(self) -> list[Explanation]:
        """Tier, operations, code size and compile time of every kernel made so far."""
        names = {algorithm.name for algorithm in self._algorithms.values()}
        return [e for name in sorted(names) for e in self._evaluator.explanations(name)]


def _plain_state(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype == np.float64 and x.ndim == 1


def _shaped(x: Array, result: Result) -> Array:
    """Numbers of the algorithm as the result that a row describes."""
    if result.order:
        counts = [n for n in result.shape if isinstance(n, int)]
        return x[..., list(result.order)].reshape(*x.shape[:-1], *counts)
    return x if result.shape else x[..., 0][()]  # a number for one state
