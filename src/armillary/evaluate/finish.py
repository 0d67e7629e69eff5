"""From what a native call returns to the results of a function, in as few steps as possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.algorithms.passes import Algorithm
from armillary.evaluate.functions import Function
from armillary.model.model import Model

Call = Callable[..., Any]
_POSE = ((3, 3), (3,))


@dataclass(frozen=True)
class Done:
    """An answer of the Python function behind a native call, which needs no finish."""

    answer: Any


@dataclass(frozen=True)
class Finish:
    """around: wraps a native call.  shape: that of the arrays it makes, if not the algorithm's.
    done: what the Python function behind the call makes of its answer."""

    around: Callable[[Call], Call]
    shape: tuple[int, ...] | None = None
    done: Callable[[Any], Any] = Done
    plain: bool = False  # the native call already gives the result


def finisher(row: Function, algorithm: Algorithm, model: Model) -> Finish | None:
    """How the results of a row come from those of its algorithm; None: not natively."""
    sources, results = list(algorithm.writes), row.results
    if row.wrap is not None:
        return Finish(_wrapped(row.wrap, model)) if len(sources) == len(results) > 1 else None
    if len(results) == len(sources) == 1:
        (result,) = results
        if not result.order:
            return Finish(lambda call: call, done=lambda answer: answer, plain=True)
        return (
            Finish(_ordered(result.order, result.shape)) if "bodies" not in result.shape else None
        )
    if tuple(result.shape for result in results) == _POSE and len(sources) == 1:
        return Finish(_split, (4, 3))
    if [result.shape for result in results] == [(), ()]:
        return Finish(_numbers)
    if len(results) == 1 and not results[0].order:
        return Finish(_picked(sources.index(results[0].source)))
    return None


def _wrapped(wrap: Call, model: Model) -> Callable[[Call], Call]:
    """An object of all results."""

    def around(call: Call) -> Call:
        def finished(*states: Any) -> Any:
            found = call(*states)
            return wrap(model, *found) if type(found) is tuple else found.answer

        return finished

    return around


def _split(call: Call) -> Call:
    """Rotation and origin, the rows of one array (4, 3)."""

    def finished(*states: Any) -> Any:
        x = call(*states)
        return (x[:3], x[3]) if type(x) is np.ndarray else x.answer

    return finished


def _numbers(call: Call) -> Call:
    """Two numbers instead of arrays with one number each."""

    def finished(*states: Any) -> Any:
        found = call(*states)
        return (found[0][0], found[1][0]) if type(found) is tuple else found.answer

    return finished


def _picked(number: int) -> Callable[[Call], Call]:
    """One of several arrays."""

    def around(call: Call) -> Call:
        def finished(*states: Any) -> Any:
            found = call(*states)
            return found[number] if type(found) is tuple else found.answer

        return finished

    return around


def _ordered(order: tuple[int, ...], shape: tuple[int | str, ...]) -> Callable[[Call], Call]:
    """The numbers in another order, as a matrix."""
    entries = np.array(order, np.intp).reshape([n for n in shape if isinstance(n, int)])

    def around(call: Call) -> Call:
        def finished(*states: Any) -> Any:
            x = call(*states)
            return x[entries] if type(x) is np.ndarray else x.answer

        return finished

    return around
