"""What a call may be given: arrays of the state, and choices that have numbers."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from armillary.evaluate.inputs import result_type
from armillary.model.lowering.tree import PER_BODY
from armillary.runtime.call_arguments import Data

LOADS = Data.LOAD_CODES.count  # sets of frames with wrenches


@dataclass(frozen=True)
class Arguments:
    """The parameters of a function: arrays of the state, and what can be chosen.

    words: of each choice, the default first.  arrays: those that need not be given.  frames: what
    wrenches may act in."""

    inputs: tuple[str, ...]
    names: tuple[str, ...]
    by_place: int
    required: tuple[str, ...] = ()
    words: Mapping[str, Sequence[object]] = field(default_factory=dict)
    arrays: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        signature: inspect.Signature,
        words: Mapping[str, Sequence[object]],
        frames: tuple[str, ...],
    ) -> Arguments:
        """words: of some of the parameters; True or False is the choice where True is the
        default, and False alone where that is: Python answers the rest."""
        known = dict(signature.parameters)
        empty = inspect.Parameter.empty
        chosen: dict[object, Sequence[object]] = {True: (True, False), False: (False,)}
        flags = {n: chosen[p.default] for n, p in known.items() if isinstance(p.default, bool)}
        by_name = [n for n, p in known.items() if p.kind is inspect.Parameter.KEYWORD_ONLY]
        required = tuple(n for n, p in known.items() if p.default is empty)
        return cls(
            tuple(n for n in required if n not in words),
            tuple(known),
            len(known) - len(by_name),
            required,
            flags | {n: list(w) for n, w in words.items() if n in known},
            tuple(n for n in by_name if n in PER_BODY),
            frames if "external" in known else (),
        )

    @cached_property
    def weights(self) -> dict[str, int]:
        """What every choice counts in the number of an answer; last the number of answers."""
        found, total = {}, 1
        for name in self.names:
            found[name] = total
            total *= len(self.words.get(name, ())) or (1 + (name in self.arrays))
        return found | {"external": total, "": total * (1 + LOADS * bool(self.frames))}

    def number(self, bound: Mapping[str, object], load: int = 0) -> int | None:
        """The number of the answer to a call; None: the Python function answers it.  load: the
        number of the set of frames."""
        total = load * self.weights["external"]
        for name, value in bound.items():
            if name in self.words:
                words = self.words[name]
                if not isinstance(value, (str, bool)) or value not in words:
                    return None
                total += self.weights[name] * words.index(value)
            elif name in self.arrays and value is not None:
                total += self.weights[name]
        return total

    def plain(
        self, given: tuple[object, ...], named: dict[str, object]
    ) -> tuple[list[Any], dict[str, Any]] | None:
        """The same call with rows of numbers instead of lists, whole numbers and strided arrays:
        doubles, or floats where the whole state is.  None: there is nothing to change."""
        arrays = {*self.inputs, *self.arrays}
        slots = dict(zip(self.names, given, strict=False)) | named
        dtype = result_type(*(slots.get(name) for name in self.inputs))
        try:
            changed = {
                n: x for n, v in slots.items() if n in arrays and (x := _numbers(v, dtype)) is not v
            }
            wrenches = slots.get("external") if self.frames else None
            if type(wrenches) is dict:
                plain = {name: _numbers(w) for name, w in wrenches.items()}
                if any(plain[name] is not w for name, w in wrenches.items()):
                    changed["external"] = plain
        except (TypeError, ValueError):  # no numbers: the Python function says which
            return None
        if not changed:
            return None
        places = [changed.get(n, v) for n, v in zip(self.names, given, strict=False)]
        return places, {n: changed.get(n, v) for n, v in named.items()}

    def fill(self, d: np.ndarray) -> list[object]:
        """Write them into the data of a call; gives what must be kept."""
        names = [sys.intern(name) for name in self.names]
        d[Data.INPUTS], d[Data.PARAMETERS] = len(self.inputs), len(names)
        d[Data.BY_PLACE] = self.by_place
        d[Data.SHORTEST] = len(self.inputs) if len(self.required) == len(self.inputs) else -1
        d[Data.OUT] = -1
        if "out" in names:
            d[Data.OUT], d[Data.OUT_NAME] = names.index("out"), id(sys.intern("out"))
        d[Data.EXTERNAL] = names.index("external") if self.frames else -1
        kept: list[object] = [names]
        for k, name in enumerate(names):
            d[Data.NAMES + k], d[Data.REQUIRED + k] = id(name), name in self.required
            if name in self.words:
                numbers = {w: n * self.weights[name] for n, w in enumerate(self.words[name])}
                kept.append(numbers)
                d[Data.WORDS + k] = id(numbers)
            elif name in self.arrays:
                d[Data.WEIGHTS + k] = self.weights[name]
        frames = {name: n for n, name in enumerate(self.frames, 1)}
        d[Data.FRAMES], d[Data.RADIX] = id(frames), len(frames) + 1
        d[Data.LOAD_WEIGHT] = self.weights["external"]
        return [*kept, frames]


def _numbers(x: object, dtype: type = np.float64) -> Any:
    """Real numbers as a plain array, or what was given."""
    if type(x) in (list, tuple):
        x = np.array(x)
    elif type(x) is not np.ndarray or _is_plain(x, dtype):
        return x
    return np.ascontiguousarray(x, dtype) if x.dtype.kind in "fiu" and x.ndim else x


def _is_plain(x: np.ndarray, dtype: type) -> bool:
    return x.dtype == dtype and x.dtype.isnative and x.flags.c_contiguous and x.flags.aligned
