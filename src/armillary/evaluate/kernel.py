"""Kernels: an algorithm, compiled, on the tables of one mechanism, over arrays of states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from armillary.algorithms.passes import BodyColumns, Solve
from armillary.codegen.abi import Arrays, Context, Ints, Kind
from armillary.codegen.jit import Library, native_call
from armillary.codegen.target import Lanes
from armillary.evaluate.code import (
    BodyCode,
    StraightCode,
    driver_library,
    sum_size,
    world_record,
)
from armillary.evaluate.path_sums import sums_of
from armillary.evaluate.request import Setting, block_names, input_sizes
from armillary.model.lowering.tree import KernelBody, Tables
from armillary.runtime.callable_type import data_address, fits
from armillary.runtime.tiles import tiles_of

_STATE_SIZE = 64  # more than any value that climbs along a path


@dataclass(frozen=True)
class CompiledBody:
    """Code of one kind of body: addresses by block name."""

    library: Library
    addresses: dict[str, int]
    record: int


class _Kind:
    """A kind of body as a dictionary key: equal when the code is."""

    def __init__(self, body: KernelBody, root: bool, first: bool):
        self.body, self.root, self.first = body, root, first
        self.key = (body.key(), root, first)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kind) and self.key == other.key


@cache
def address_of() -> Callable[[np.ndarray], int]:
    """The quickest way to the memory of an array that this interpreter allows."""
    if fits(np.arange(6.0).reshape(2, 3), np.dtype(np.float64)):
        return data_address
    return lambda array: int(array.ctypes.data)


@cache
def _compiled_driver(width: Lanes) -> Library:
    return driver_library(width)


@cache
def _compiled_body(setting: Setting, kind: _Kind, width: Lanes) -> CompiledBody:
    return _compiled(BodyCode(setting, kind.body, kind.root, kind.first), width)


@cache
def _compiled_ground(setting: Setting, width: Lanes) -> CompiledBody:
    return _compiled(BodyCode(setting, None), width)


def _compiled(code: BodyCode, width: Lanes) -> CompiledBody:
    library = code.library(width)
    return CompiledBody(library, dict(library.addresses), code.record)


class Kernel:
    """One algorithm on one mechanism.  `call` fills result arrays for B states.

    The object owns its code and tables; calls share nothing else, so threads may use it."""

    def __init__(self, setting: Setting, tables: Tables, width: Lanes):
        self.setting, self.tables, self.lanes = setting, tables, width
        self._dtype = np.float64 if width.element == "double" else np.float32
        kinds: dict[_Kind, int] = {}
        variant = []
        self._sum_size, self._sums = sum_size(setting), sums_of(tables.parents)
        for k, (body, parent) in enumerate(zip(tables.bodies, tables.parents, strict=True)):
            first = self._sum_size > 0 and self._sums.first[k]
            variant.append(kinds.setdefault(_Kind(body, parent < 0, first), len(kinds)))
        self._code = [_compiled_body(setting, kind, width) for kind in kinds]
        self._ground = _compiled_ground(setting, width) if setting.has_ground() else None
        self._driver = _compiled_driver(width)
        self.address = self._driver.addresses["batch"]
        self._batch = native_call(self.address)
        self._ints, self._work_size = self._integers(variant)
        self._consts = self._constants()
        self._runs = np.array(_runs(variant), dtype=np.int64).reshape(-1, 3)
        self._program, self._table = self._code_table()
        self._layout_io()
        self._context = self._fixed_context()
        self._fill_io()

    def _integers(self, variant: Sequence[int]) -> tuple[np.ndarray, int]:
        """Offsets of every body, and of the world in the last row."""
        t, n = self.tables, len(self.tables.bodies)
        table = np.zeros((n + 1, Ints.SIZE), dtype=np.int64)
        work = world_record(self.setting)  # the world's record comes first
        consts = 0
        for k, body in enumerate(t.bodies):
            parent = t.parents[k]
            row = table[k]
            row[Ints.WORK] = work
            row[Ints.PARENT_WORK] = table[parent, Ints.WORK] if parent >= 0 else 0
            row[Ints.Q], row[Ints.V] = t.q_offsets[k], t.v_offsets[k]
            row[Ints.CONSTS], row[Ints.NUMBER] = consts, k
            row[Ints.PARENT], row[Ints.VARIANT] = parent, variant[k]
            row[Ints.DOFS] = body.joint.nv
            work += self._code[variant[k]].record
            consts += len(body.parameters())
        self._zeros = work
        table[:n, Ints.SUM] = work + self._sum_size * np.array(self._sums.own, dtype=np.int64)
        above = np.array(self._sums.parent, dtype=np.int64)
        table[:n, Ints.PARENT_SUM] = work + self._sum_size * above
        return table, work + self._sum_size * self._sums.count

    def _constants(self) -> np.ndarray:
        numbers = [x for body in self.tables.bodies for x in body.parameters()]
        return np.array(numbers or [0.0], dtype=self._dtype)

    def _code_table(self) -> tuple[np.ndarray, np.ndarray]:
        program: list[int] = []
        rows: list[list[int]] = []
        for kind, names in block_names(self.setting.algorithm):
            program += [kind, self._solve_code() if kind == Kind.SOLVE else len(rows)]
            for name in names:
                if kind == Kind.WORLD and self._ground is not None:
                    rows.append([self._ground.addresses[name]] * max(len(self._code), 1))
                else:
                    rows.append([code.addresses.get(name, 0) for code in self._code])
        return np.array(program, dtype=np.int64), np.array(rows, dtype=np.int64)

    def _solve_code(self) -> int:
        """Numbers of the outputs of the Solve pass: see runtime/tree_solve.py."""
        step = next(p for p in self.setting.algorithm.passes if isinstance(p, Solve))
        names = list(self.setting.algorithm.writes)
        first = names.index(step.right[0])
        return names.index(step.matrix) | len(step.right) << 8 | first << 16

    def _dof_parents(self) -> list[int]:
        """The degree of freedom that carries each one: the one before it on the way to the root."""
        t = self.tables
        parents = [-1] * t.nv
        last: list[int] = []
        for body, parent, v in zip(t.bodies, t.parents, t.v_offsets, strict=True):
            before = last[parent] if parent >= 0 else -1
            for k in range(body.joint.nv):
                parents[v + k] = before
                before = v + k
            last.append(before)
        return parents

    def _layout_io(self) -> None:
        """Numbers per state of every input and output."""
        t, algorithm = self.tables, self.setting.algorithm
        sizes = input_sizes(t, self.setting.loads)
        self.input_sizes = [sizes.get(name, t.nv) for name in self.setting.reads]
        self.output_shapes: dict[str, tuple[int, ...]] = {}
        for name, kind in algorithm.writes.items():
            shape = algorithm.shapes.get(name)
            count = 1 if shape is None else shape.size
            self.output_shapes[name] = {
                "dof": (t.nv,),
                "place": (t.nq,),
                "columns": (t.nv, count),
                "body": (len(t.bodies), count),
                "frame": (count,),
                "world": (count,),
                "matrix": (t.nv, t.nv),
                "wide": (6, t.nv),
                "regressor": (t.nv, 10 * len(t.bodies)),
            }[kind]

    def _fixed_context(self) -> np.ndarray:
        c = np.zeros(Context.SIZE, dtype=np.int64)
        c[Context.INTS] = self._ints.ctypes.data
        c[Context.CONSTS] = self._consts.ctypes.data
        c[Context.NV] = self.tables.nv
        wide = any(isinstance(p, BodyColumns) for p in self.setting.algorithm.passes)
        c[Context.WIDTH] = 10 * len(self.tables.bodies) if wide else self.tables.nv
        c[Context.RUNS] = self._runs.ctypes.data
        c[Context.RUN_COUNT] = len(self._runs)
        c[Context.TABLE] = self._table.ctypes.data
        c[Context.VARIANTS] = max(len(self._code), 1)
        c[Context.PROGRAM] = self._program.ctypes.data
        c[Context.PROGRAM_LENGTH] = len(self._program) // 2
        c[Context.BODIES] = len(self.tables.bodies)
        tiles, ranges = tiles_of(self._dof_parents())
        self._tiles, self._ranges = np.array(tiles, np.int64), np.array(ranges, np.int64)
        c[Context.TILES] = self._tiles.ctypes.data
        c[Context.TILE_COUNT] = len(tiles)
        c[Context.RANGES] = self._ranges.ctypes.data
        return c

    def _arrays(self) -> Arrays:
        outputs = {name: int(np.prod(shape)) for name, shape in self.output_shapes.items()}
        return Arrays(dict(zip(self.setting.reads, self.input_sizes, strict=True)), outputs)

    def _fill_io(self) -> None:
        c = self._context
        c[Context.INPUT_COUNT] = len(self.input_sizes)
        c[Context.OUTPUT_COUNT] = len(self.output_shapes)
        for i, size in enumerate(self.input_sizes):
            c[Context.INPUT_SIZES + i] = size
        for i, (name, shape) in enumerate(self.output_shapes.items()):
            c[Context.OUTPUT_SIZES + i] = int(np.prod(shape))
            kind = self.setting.algorithm.writes[name]
            c[Context.ZERO_OUTPUTS + i] = 1 if kind in ("matrix", "wide", "regressor") else 0
        solves = any(isinstance(p, Solve) for p in self.setting.algorithm.passes)
        self._extra = self.tables.nv**2 if solves else 0
        self._scratch = sum(self.input_sizes) + sum(
            int(np.prod(shape)) for shape in self.output_shapes.values()
        )

    def call(
        self,
        inputs: Sequence[np.ndarray],
        strides: Sequence[int],
        outputs: Sequence[np.ndarray],
        rows: int,
        globals_: np.ndarray,
        frame: tuple[int, np.ndarray] | None = None,
    ) -> None:
        """Run all rows.  Arrays are C-contiguous, of the kernel's type; checked by the caller."""
        c, work = self.context(rows, globals_)
        address = address_of()
        if frame is not None:
            c[Context.FRAME_BODY] = frame[0]
            c[Context.FRAME] = address(frame[1])
        for i, (array, stride) in enumerate(zip(inputs, strides, strict=True)):
            c[Context.INPUT_ROWS + i] = address(array)
            c[Context.INPUT_STRIDES + i] = stride
        for i, array in enumerate(outputs):
            c[Context.OUTPUT_ROWS + i] = address(array)
        self._batch(address(c))
        del work  # it had to live until here

    def libraries(self) -> list[Library]:
        """The compiled code it stands on."""
        return [self._driver, *(code.library for code in self._code)] + (
            [self._ground.library] if self._ground is not None else []
        )

    def context(self, rows: int, globals_: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A context of its own for one call, and the work space it points to."""
        w = self.lanes.width
        c = self._context.copy()
        address = address_of()
        c[Context.GLOBALS] = address(globals_)
        c[Context.ROWS] = rows
        total = self._work_size + _STATE_SIZE + self._scratch + self._extra
        work = np.empty(-(-total * w // 64) * 64 + 16, self._dtype)
        start = -(-address(work) // 64) * 64  # vectors within cache lines
        size = work.itemsize * w
        c[Context.WORK] = start
        c[Context.STATE] = start + self._work_size * size
        c[Context.SCRATCH] = start + (self._work_size + _STATE_SIZE) * size
        c[Context.EXTRA] = start + (total - self._extra) * size
        zeros = (start - address(work)) // work.itemsize + self._zeros * w
        work[zeros : zeros + self._sum_size * w] = 0.0
        return c, work


def _runs(variant: Sequence[int]) -> list[tuple[int, int, int]]:
    """Runs of neighbouring bodies of one kind: (first, last + 1, kind)."""
    runs: list[tuple[int, int, int]] = []
    for k, kind in enumerate(variant):
        if runs and runs[-1][2] == kind:
            runs[-1] = (runs[-1][0], k + 1, kind)
        else:
            runs.append((k, k + 1, kind))
    return runs


class SolvingKernel(Kernel):
    """Straight-line code of this mechanism up to a Solve, which runs in loops."""

    def __init__(self, setting: Setting, tables: Tables, width: Lanes, code: StraightCode):
        self.setting, self.tables, self.lanes = setting, tables, width
        self._dtype = np.float64 if width.element == "double" else np.float32
        self._layout_io()
        library = code.within(width, self._arrays())
        self._code = [CompiledBody(library, dict(library.addresses), 0)]
        self._ground, self._driver = None, _compiled_driver(width)
        self.address = self._driver.addresses["batch"]
        self._batch = native_call(self.address)
        self._ints = np.zeros(0, np.int64)
        self._work_size = self._zeros = self._sum_size = 0
        self._consts, self._runs = np.zeros(0, self._dtype), np.zeros((0, 3), np.int64)
        self._program = np.array([Kind.STRAIGHT, 0, Kind.SOLVE, self._solve_code()], np.int64)
        self._table = np.array([[library.addresses["straight"]]], np.int64)
        self._context = self._fixed_context()
        self._fill_io()
        self._context[Context.ZERO_OUTPUTS : Context.ZERO_OUTPUTS + len(self.output_shapes)] = 0


class StraightKernel(Kernel):
    """Tier 2: the same calls, served by straight-line code of this mechanism alone."""

    def __init__(self, setting: Setting, tables: Tables, width: Lanes, code: StraightCode):
        self.setting, self.tables, self.lanes = setting, tables, width
        self._dtype = np.float64 if width.element == "double" else np.float32
        self._layout_io()
        self._library = code.library(width, self._arrays())
        self.address = self._library.addresses["batch"]
        self._batch = native_call(self.address)
        self._work_size = 0
        self._code, self._ground, self._driver = [], None, self._library
        self._context = np.zeros(Context.SIZE, dtype=np.int64)
        self._fill_io()

    def context(self, rows: int, globals_: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Straight-line code needs no work space."""
        c = self._context.copy()
        c[Context.GLOBALS] = address_of()(globals_)
        c[Context.ROWS] = rows
        return c, globals_
