"""Steps on the joints' manifolds and differences between places, natively.

Rows of states go by types of joints: plain coordinates are added or subtracted, joints that turn
have code of their type.  Single states have code of the whole mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree import chart
from armillary.evaluate.evaluator import Evaluator
from armillary.evaluate.fingerprint import memo_key
from armillary.evaluate.inputs import Array, BoundQuestion
from armillary.evaluate.named_states import State
from armillary.evaluate.request import Request
from armillary.joints import Joint
from armillary.model.lowering.tree import Tables

if TYPE_CHECKING:
    from armillary.evaluate.program import Program
    from armillary.model.model import Slot

Part = Callable[[Array, Array, Array], None]  # (x, y, found): writes its columns of found


class Chart:
    """A function of two places, or of a place and a step, that every joint has of its own."""

    def __init__(
        self,
        evaluator: Evaluator,
        algorithm: Algorithm,
        method: str,
        plainly: Callable[[Array, Array], Array],
        kinds: tuple[str, str, str],
    ):
        """method: that of the joints which `algorithm` asks; plainly: what it is for all but some
        joints, on arrays.  kinds: are both inputs and the result along q ("q") or along v ("v")?"""
        self._evaluator, self._algorithm, self._plainly = evaluator, algorithm, plainly
        self._method, self._kinds = method, kinds
        # a single state (plain arrays of doubles) at once; None where that cannot be
        self.one: BoundQuestion = self._first
        self.flat = all(map(self._is_plain, evaluator.model.joints))
        self._parts: list[Part] | None = None

    def rows(self, x: Array, y: Array, count: int) -> Array:
        """Of states (count, ·), or (1, ·) for all of them."""
        if self.flat:
            return self._plainly(x, y)
        if self._parts is None:
            self._parts = self._made()
        x, y = (part.astype(float, copy=False) for part in (x, y))
        model = self._evaluator.model
        found = np.empty((count, model.nq if self._kinds[2] == "q" else model.nv))
        for part in self._parts:
            part(x, y, found)
        return found

    def _is_plain(self, joint: Joint) -> bool:
        return getattr(type(joint), self._method) is getattr(Joint, self._method)

    def _first(self, x: State, y: State) -> Array | None:
        """Code is made for the first single state."""
        with suppress(ValueError):  # rows of different lengths are refused by name below
            if np.ndim(x) == np.ndim(y) == 1:  # type: ignore[arg-type]
                self.one = self._natively() or self._at_once
                return self.one(x, y)
        return None

    def _at_once(self, x: State, y: State) -> Array | None:
        """By one operation of numpy, where that is all and both are plain arrays."""
        if not self.flat or not type(x) is type(y) is np.ndarray:
            return None
        plain = x.dtype == y.dtype == np.float64 and x.shape == y.shape == (
            self._evaluator.model.nq,
        )
        found = self._plainly(x, y) if plain else None
        return found if found is not None and isfinite(found.sum()) else None

    def _natively(self) -> BoundQuestion | None:
        """Code of the whole mechanism; None where there is none."""
        from armillary.evaluate.lean_call import lean

        evaluator = self._evaluator
        if evaluator.options.tier == 1:
            return None
        program = self._program(evaluator.tables())
        return lean(program, evaluator.base_numbers) if program.straight() else None

    def _program(self, tables: Tables, tier: int | None = None) -> Program:
        from armillary.evaluate.program import Program

        options = self._evaluator.options
        options = options if tier is None else replace(options, tier=tier)
        request = Request(self._algorithm, self._algorithm.reads)
        return Program(request, replace(tables, extra=((chart.GOAL, tables.nq),)), options)

    def _made(self) -> list[Part]:
        """What answers for the columns of all joints; those of one type that turn go together."""
        evaluator, tables = self._evaluator, self._evaluator.tables()
        plain: tuple[list[int], ...] = ([], [], [])
        turning: dict[Hashable, list[int]] = {}
        for number, (joint, slot) in enumerate(zip(*self._joints(), strict=True)):
            if self._is_plain(joint):
                for own, some in zip(plain, self._columns(slot), strict=True):
                    own.extend(some)
            else:
                turning.setdefault(memo_key(joint) or number, []).append(number)

        def flat(x: Array, y: Array, found: Array) -> None:
            of_x, of_y, of_found = plain
            found[:, of_found] = self._plainly(x[:, of_x], y[:, of_y])

        parts: list[Part] = [flat]
        for numbers in turning.values():
            body = tables.bodies[tables.carriers[numbers[0]].kernel]
            alone = Tables((body,), (-1,), (0,), (0,), (), body.joint.nq, body.joint.nv)
            columns = [self._columns(evaluator.model.slots[k]) for k in numbers]
            parts.append(self._turning(alone, *map(np.array, zip(*columns, strict=True))))
        return parts

    def _joints(self) -> tuple[Sequence[Joint], Sequence[Slot]]:
        return self._evaluator.model.joints, self._evaluator.model.slots

    def _columns(self, slot: Slot) -> list[range]:
        """Of both inputs and the result."""
        both = [slot.q if kind == "q" else slot.v for kind in self._kinds]
        return [range(own.start, own.stop) for own in both]

    def _turning(self, alone: Tables, *columns: NDArray[np.intp]) -> Part:
        """Of joints of one type: columns (joints, ·) of both inputs and the result."""
        from armillary.evaluate.lean_call import OneOrMany

        program = self._program(alone, tier=2)  # places of quaternions have no loop code
        ask, (result,) = OneOrMany(program, self._evaluator.base_numbers), self._algorithm.writes
        of_x, of_y, of_found = columns

        def part(x: Array, y: Array, found: Array) -> None:
            count, joints = len(found), len(of_found)
            inputs = {}
            for name, given, own in zip(self._algorithm.reads, (x, y), (of_x, of_y), strict=True):
                wide = np.broadcast_to(given, (count, given.shape[1]))[:, own]
                inputs[name] = wide.reshape(count * joints, own.shape[1])
            found[:, of_found] = ask(inputs, count * joints)[result].reshape(count, *of_found.shape)

        return part


def moves(evaluator: Evaluator) -> Chart:
    """q moved by a tangent vector, made once."""

    def make() -> Chart:
        return Chart(evaluator, chart.move, "integrate", np.add, ("q", "v", "q"))

    return evaluator.memo.once("moves", make)


def ways(evaluator: Evaluator) -> Chart:
    """The tangent vector from one place to another, made once."""

    def make() -> Chart:
        plainly = lambda x, y: np.asarray(y - x)  # noqa: E731
        return Chart(evaluator, chart.way, "difference", plainly, ("q", "q", "v"))

    return evaluator.memo.once("ways", make)
