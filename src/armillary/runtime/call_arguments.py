"""The arguments of a native call: what a function may be given, and the LLVM text that sorts it
into the slots of its signature.

What can be chosen (frame, coordinates, wrenches in certain frames, other parameters) makes a
number, and the number chooses what answers the call.  -1: the Python function does.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from armillary.codegen.abi import ARRAYS, Slot, Struct, integer, pointer
from armillary.codegen.code import Code

SLOTS = 12  # parameters of a signature
WRENCHES = 4  # given by name

# struct PyArrayObject: object head, then data, nd, dims, strides, base, descr, flags
ARRAY_DATA, ARRAY_ND, ARRAY_DIMS, ARRAY_DESCR, ARRAY_FLAGS = 16, 24, 32, 56, 64
ARRAY_WEAK_REFERENCES = 72
TUPLE_SIZE = 16
TUPLE_ITEMS = tuple.__basicsize__  # after the head; since Python 3.14 after a hash, too
PLAIN = 0x101  # C-contiguous and aligned
WRITEABLE = 0x400
# struct of our objects: head, code, data, dict
CODE, DATA, DICT, OBJECT_SIZE = 16, 24, 32, 40


class Data(Struct):
    """What a native call knows of its function: parameters, types, answers."""

    SLOW = pointer()  # the Python function
    NEW_ARRAY = pointer()  # PyArray_NewFromDescr
    NEW_NUMBER = pointer()  # PyArray_Scalar
    ARRAY_TYPE = pointer()  # numpy.ndarray
    DTYPE = pointer()  # the dtype object of doubles
    FLOAT_DTYPE = pointer()  # that of floats
    WORD_TYPES = pointer(2)  # str, bool
    DICT_TYPE = pointer()
    NONE = pointer()
    SINGLE_FLOAT = pointer()  # code for one state of floats; 0: none was served yet
    BATCH = pointer()  # code for rows of states; 0: none were served yet
    ANSWERS = pointer()  # address of the `Answer` by what was chosen; 0: there is none
    INPUTS = integer()  # arrays of the state, the first parameters
    SHORTEST = integer()  # arguments by place that choose answer 0; -1: some choice must be made
    PARAMETERS = integer()
    BY_PLACE = integer()  # parameters that need no name
    NAMES = pointer(SLOTS)  # interned
    WORDS = pointer(SLOTS)  # dict of what may be chosen: its part of the number of the answer
    REQUIRED = integer(SLOTS)  # 1: a choice that must be made
    WEIGHTS = integer(SLOTS)  # of an array that need not be given: its part of that number
    OUT = integer()  # slot of the array for the result; -1: none
    OUT_NAME = pointer()  # its name; 0: none
    EXTERNAL = integer()  # slot of the wrenches; -1: none
    FRAMES = pointer()  # dict of the frames that wrenches may act in: number from 1
    RADIX = integer()  # beyond the largest of them
    LOADS = integer()  # sets of frames that are known
    LOAD_CODES = integer(ARRAYS)  # numbers of their frames, as digits
    LOAD_WEIGHT = integer()  # of the first set; of the k-th k times that


class Memory(Protocol):
    """The fields of a structure, by their places."""

    def __setitem__(self, place: int, value: int, /) -> None: ...


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
        arrays: Collection[str],
        frames: tuple[str, ...],
    ) -> Arguments:
        """words: of some of the parameters; True or False is the choice where True is the
        default, and False alone where that is: Python answers the rest.  arrays: names of those
        that need not be given, in any signature."""
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
            tuple(n for n in by_name if n in arrays),
            frames if "external" in known else (),
        )

    @cached_property
    def weights(self) -> dict[str, int]:
        """What every choice counts in the number of an answer; last the number of answers."""
        found, total = {}, 1
        for name in self.names:
            found[name] = total
            total *= len(self.words.get(name, ())) or (1 + (name in self.arrays))
        return found | {
            "external": total,
            "": total * (1 + Data.LOAD_CODES.count * bool(self.frames)),
        }

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

    def digits(self, frames: Sequence[str]) -> int | None:
        """The numbers of the frames of wrenches as the digits of one number; None: a frame is not
        known, or there are too many."""
        radix, code = len(self.frames) + 1, 0
        few = len(frames) <= WRENCHES and radix ** len(frames) < 2**62
        if not few or not set(frames) <= set(self.frames):
            return None
        for frame in frames:
            code = code * radix + self.frames.index(frame) + 1
        return code

    def fill(self, d: Memory) -> list[object]:
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


# -- the text --------------------------------------------------------------------------------------


class Call(Code):
    """A function that returns a pointer (or a number)."""

    def __init__(self, name: str, arguments: Sequence[str], result: str = "ptr"):
        super().__init__(name, arguments)
        self.lines[0] = self.lines[0].replace("define void", f"define {result}", 1)

    def text(self) -> str:
        return "\n".join([*self.lines, "}"])

    def unless(self, condition: str, target: str) -> None:
        """Leave for `target` where the condition fails."""
        on = self.name()[1:]
        self.do(f"br i1 {condition}, label %on_{on}, label %{target}")
        self.do(f"on_{on}:")

    def differ(self, a: str, b: str | int) -> str:
        return self.let(f"icmp ne i64 {a}, {b}")

    def room(self, kind: str) -> str:
        """Memory of the function."""
        name = self.name()
        self.lines.insert(2, f"{name} = alloca {kind}")
        return name

    def of_object(self, base: str, offset: int, kind: str = "i64") -> str:
        """What stands at an offset (bytes) of a Python object."""
        return self.let(f"load {kind}, ptr {self.pointer(base, offset, 'i8')}, align 4")

    def object_at(self, address: str) -> str:
        return self.let(f"inttoptr i64 {address} to ptr")

    def of_type(self, thing: str, address: str) -> str:
        return self.equal(self.of_object(thing, 8), address)


def resolve_text() -> str:
    """Arguments in the slots of the signature (null: not given); the number of the answer that
    they choose, or -1."""
    arguments = (
        "ptr %data",
        "ptr %args",
        "i64 %count",
        "ptr %names",
        "ptr %slots",
        "ptr %wrenches",
    )
    c = Call("resolve", arguments, "i64")
    total, inputs = c.field(Data.PARAMETERS, "%data"), c.field(Data.INPUTS, "%data")
    c.unless(c.let(f"icmp sle i64 %count, {c.field(Data.BY_PLACE, '%data')}"), "none")
    with c.loop(total) as k:
        early = c.let(f"icmp slt i64 {k}, %count")
        c.write("%slots", k, "null", "ptr")
        with c.when(early):
            c.write("%slots", k, c.read("%args", k, "ptr"), "ptr")
    with c.when(c.let("icmp ne ptr %names, null")):
        _sort_names(c, total)
    number = c.variable(0)
    with c.loop(inputs) as k:
        c.unless(c.differ(c.read("%slots", k), 0), "none")
    with c.loop(total, inputs) as k:
        _add_choice(c, k, number)
    c.do(f"ret i64 {c.get(number)}")
    c.do("none:")
    c.do("ret i64 -1")
    return c.text()


def _sort_names(c: Call, total: str) -> None:
    with c.loop(c.of_object("%names", TUPLE_SIZE)) as j:
        name = c.read(c.pointer("%names", TUPLE_ITEMS, "i8"), j)
        place = c.variable(-1)
        with c.loop(total) as k:
            same = c.equal(c.field(c.entry(Data.NAMES, k), "%data", "i64"), name)
            c.set(place, c.let(f"select i1 {same}, i64 {k}, i64 {c.get(place)}"))
        found = c.get(place)
        c.unless(c.let(f"icmp sge i64 {found}, 0"), "none")
        c.unless(c.equal(c.read("%slots", found), 0), "none")
        c.write("%slots", found, c.read("%args", c.add("%count", j)))


def _add_choice(c: Call, k: str, number: str) -> None:
    """The part of one argument in the number of the answer."""

    def more(part: str) -> None:
        c.set(number, c.add(c.get(number), part))

    tag = c.name()[1:]
    with c.when(c.equal(c.read("%slots", k), c.field(Data.NONE, "%data", "i64"))):
        c.unless(c.equal(c.field(c.entry(Data.WORDS, k), "%data", "i64"), 0), "none")
        c.write("%slots", k, "0")  # None is no array and no wrench
    thing = c.read("%slots", k, "ptr")
    c.do(f"%missing_{tag} = icmp eq ptr {thing}, null")
    c.do(f"br i1 %missing_{tag}, label %missing_at_{tag}, label %given_{tag}")
    c.do(f"missing_at_{tag}:")
    c.unless(c.equal(c.field(c.entry(Data.REQUIRED, k), "%data"), 0), "none")
    c.do(f"br label %next_{tag}")
    c.do(f"given_{tag}:")
    words = c.field(c.entry(Data.WORDS, k), "%data")
    with c.when(c.let(f"icmp ne ptr {words}, null")):
        more(_looked_up(c, words, thing))
        c.do(f"br label %next_{tag}")
        c.do(f"word_{tag}:")
    with c.when(c.equal(k, c.field(Data.EXTERNAL, "%data"))):
        more(_read_wrenches(c, thing))
        c.do(f"br label %next_{tag}")
        c.do(f"wrenches_{tag}:")
    with c.when(c.differ(k, c.field(Data.OUT, "%data"))):
        weight = c.field(c.entry(Data.WEIGHTS, k), "%data")
        c.unless(c.differ(weight, 0), "none")
        more(weight)
    c.label(f"next_{tag}")


def _looked_up(c: Call, known: str, word: str) -> str:
    """The number of a word (or of True, False) in a dictionary."""
    kind = c.of_object(word, 8)
    types = [c.equal(kind, c.field(Data.WORD_TYPES.at(k), "%data", "i64")) for k in range(2)]
    c.unless(c.let(f"or i1 {types[0]}, {types[1]}"), "none")
    found = c.let(f"call ptr @armillary_PyDict_GetItemWithError(ptr {known}, ptr {word})")
    c.unless(c.let(f"icmp ne ptr {found}, null"), "none")
    return c.let(f"call i64 @armillary_PyLong_AsSsize_t(ptr {found})")


def _read_wrenches(c: Call, given: str) -> str:
    """The numbers of the wrenches side by side; the part of the set of their frames."""
    c.unless(c.of_type(given, c.field(Data.DICT_TYPE, "%data", "i64")), "none")
    at, key, value = c.variable(0), c.room("ptr"), c.room("ptr")
    code, count = c.variable(0), c.variable(0)
    step = f"ptr {given}, ptr {at}, ptr {key}, ptr {value}"
    with c.forever() as tag:
        left = c.let(f"call i32 @armillary_PyDict_Next({step})")
        c.break_if(tag, c.let(f"icmp eq i32 {left}, 0"))
        c.unless(c.let(f"icmp slt i64 {c.get(count)}, {WRENCHES}"), "none")
        frame = _looked_up(c, c.field(Data.FRAMES, "%data"), c.let(f"load ptr, ptr {key}"))
        c.set(code, c.add(c.mul(c.get(code), c.field(Data.RADIX, "%data")), frame))
        wrench = c.let(f"load ptr, ptr {value}")
        check_vector(c, wrench, "6", "none")
        numbers = c.of_object(wrench, ARRAY_DATA, "ptr")
        place = c.pointer("%wrenches", c.mul(c.get(count), 6))
        with c.loop(6) as n:
            c.write(place, n, c.read(numbers, n))
        c.set(count, c.add(c.get(count), 1))
    part = c.variable(0)
    with c.when(c.differ(c.get(count), 0)):
        with c.loop(c.field(Data.LOADS, "%data")) as k:
            same = c.equal(c.field(c.entry(Data.LOAD_CODES, k), "%data"), c.get(code))
            own = c.mul(c.add(k, 1), c.field(Data.LOAD_WEIGHT, "%data"))
            c.set(part, c.let(f"select i1 {same}, i64 {own}, i64 {c.get(part)}"))
        c.unless(c.differ(c.get(part), 0), "none")
    return c.get(part)


def check_array(c: Call, array: str, flags: int, dtype: str, target: str) -> None:
    """An exact ndarray of our dtype with the wanted flags, or go to the target."""
    c.unless(c.of_type(array, c.field(Data.ARRAY_TYPE, "%data", "i64")), target)
    c.unless(c.equal(c.of_object(array, ARRAY_DESCR), dtype), target)
    found = c.let(f"and i32 {c.of_object(array, ARRAY_FLAGS, 'i32')}, {flags}")
    c.unless(c.let(f"icmp eq i32 {found}, {flags}"), target)


def check_vector(c: Call, array: str, length: str, target: str, dtype: Slot = Data.DTYPE) -> None:
    """So many numbers in a row, doubles or of another dtype."""
    check_array(c, array, PLAIN, c.field(dtype, "%data", "i64"), target)
    c.unless(c.let(f"icmp eq i32 {c.of_object(array, ARRAY_ND, 'i32')}, 1"), target)
    c.unless(c.equal(c.read(c.of_object(array, ARRAY_DIMS, "ptr"), 0), length), target)


def as_floats(c: Call, numbers: str, count: str) -> str:
    """Doubles as floats, in memory of the function."""
    floats = c.room(f"[{6 * WRENCHES} x float]")
    with c.loop(count) as k:
        x = c.let(f"fptrunc double {c.read(numbers, k, 'double')} to float")
        c.write(floats, k, x, "float", 4)
    return floats
