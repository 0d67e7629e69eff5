"""From LLVM text to code that runs: one small library per text, kept alive by its owner."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import math
import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from armillary.codegen.cache import Cache, default_cache, key_of
from armillary.codegen.interrupts import uninterrupted
from armillary.codegen.llvm import LIBRARY, library_name
from armillary.codegen.target import IN_ORDER, LLVM_LOCK, machine
from armillary.errors import CompileError, how_to_install
from armillary.graph.ops import OPS

if TYPE_CHECKING:
    from ctypes import _CFunctionType, _NamedFuncPointer
    from types import ModuleType

    from llvmlite.binding import ExecutionEngine, ModulePassManager, ModuleRef, TargetMachine

    _Function = _NamedFuncPointer | _CFunctionType

# engines of all libraries, and those of libraries that are gone.  `append` is no Python code: no
# signal is handled while it runs
_engines: dict[weakref.ref[_Alive], ExecutionEngine] = {}
_unused: deque[weakref.ref[_Alive]] = deque()


# Code reads its constants relative to itself, which reaches 2 GB.  LLVM's own memory manager asks
# the system for code and constants separately, and where memory is full of holes they end up
# further apart: the process dies.  llvmlite's manager reserves one piece for all of them; it needs
# every outside address in the table of addresses (see `llvm.external`), that of memset too.
_SIDE_BY_SIDE = True if sys.platform.startswith("linux") else None
_LIBRARY_CALLS = """
!llvm.module.flags = !{!1000}
!1000 = !{i32 7, !"RtLibUseGOT", i32 1}
"""


class Library:
    """Compiled functions.  Dropping the object frees the code: hold it as long as you call it.

    In a cycle that the garbage collector takes apart, finalizers may still call compiled code, in
    any order; LLVM's engine has a finalizer of its own, which frees the code.  So the engine is
    not part of the cycle: it is closed after `_alive`, an object that the collector does not
    know, is gone with its last holder, and that is after all finalizers.  It is closed when the
    next library is made: a finalizer of ours would lose a Ctrl-C that comes while it runs.

    text: or a function that writes it, which is not called where an object is known for the
    `identity` of what it would write.
    optimize: how much is looked for, 0 to 2: see `_optimize`.  quick: code is generated at LLVM's
    level 0: three to four times sooner, with the same results to the last bit, 1.3 to 1.9 times
    slower.
    cache: where compiled objects are kept; None: in the user's cache folder."""

    def __init__(
        self,
        text: str | Callable[[], str],
        symbols: Sequence[str],
        optimize: int = 1,
        cache: Cache | None = None,
        identity: str | None = None,
        quick: bool = False,
    ):
        import llvmlite.binding as llvm

        level = level_of(optimize, quick)
        entry = _Entry(cache or default_cache(), identity, level)
        stored = entry.recalled()
        if stored is None:
            text = text if isinstance(text, str) else _written(text)
            stored = entry.found(text)
        self.from_cache = stored is not None
        self._alive = _Alive()
        with uninterrupted(), LLVM_LOCK:
            _close_unused()
            try:
                code = self._link(llvm, stored, text, symbols, level)
            except (RuntimeError, OSError) as fault:
                raise CompileError(
                    f"llvmlite cannot make code here ({fault}). Free memory, or repair it; where "
                    f"it is not installed the interpreter answers. {how_to_install()}"
                ) from fault
        self.size = len(code)
        missing = [name for name, address in self.addresses.items() if not address]
        if missing:
            raise CompileError(f"compiled code lacks {missing}.")
        entry.keep(code)

    def _link(
        self,
        llvm: ModuleType,
        stored: bytes | None,
        text: object,
        symbols: Sequence[str],
        level: Level,
    ) -> bytes:
        """Code in memory; gives the object."""
        _initialized(llvm)
        target_machine = _target_machine(llvm, level.generator)
        code = stored or _compile(llvm, str(text), target_machine, level.passes)
        empty = llvm.parse_assembly("")
        empty.triple = llvm.get_process_triple()
        engine = llvm.create_mcjit_compiler(empty, target_machine, use_lmm=_SIDE_BY_SIDE)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        self.addresses = {name: engine.get_function_address(name) for name in symbols}
        _engines[weakref.ref(self._alive, _unused.append)] = engine
        return code

    def call(self, symbol: str) -> Callable[[int], None]:
        """A compiled `void f(ptr)` as a Python function, which keeps the code."""
        function = native_call(self.addresses[symbol])
        setattr(function, "library", self)  # noqa: B010 - ctypes objects take any attribute
        return function


_shared: weakref.WeakValueDictionary[tuple[object, ...], Library] = weakref.WeakValueDictionary()


def shared(
    text: Callable[[], str], symbol: str, optimize: int, identity: str | None, quick: bool
) -> Library:
    """The library of this identity that somebody holds in this process, or a new one."""
    key = (identity, symbol, level_of(optimize, quick))
    found = None if identity is None else _shared.get(key)
    if found is not None:
        found.from_cache = True  # nothing is compiled
        return found
    made = Library(text, [symbol], optimize, identity=identity, quick=quick)
    if identity is not None:
        _shared[key] = made
    return made


def _written(text: Callable[[], str]) -> str:
    from armillary.graph.expr import growing

    with growing():
        return text()


class Level(NamedTuple):
    """What LLVM does with a text: its passes (see `_optimize`), and the level of its generator."""

    passes: int
    generator: int


def level_of(optimize: int, quick: bool) -> Level:
    return Level(0, 0) if quick else Level(optimize, max(optimize, 1))


class _Alive:
    """An object that the garbage collector does not know: nothing but its last holder ends it."""

    __slots__ = ("__weakref__",)

    def __init__(self) -> None:
        ctypes.pythonapi.PyObject_GC_UnTrack(ctypes.py_object(self))


class _Entry:
    """The places of one object in the cache: by its text, and by the identity of the text."""

    def __init__(self, cache: Cache, identity: str | None, level: Level):
        import llvmlite.binding as llvm

        here = machine()
        version = ".".join(map(str, llvm.llvm_version_info))
        self._cache = cache
        self._setting = [version, here.name, here.features, str(level), _LIBRARY_CALLS]
        self._note = None if identity is None else key_of([identity, *self._setting])
        self._key = ""
        self._stored = self._noted = False

    def recalled(self) -> bytes | None:
        """The object an earlier process noted for the identity."""
        note = None if self._note is None else self._cache.recall(self._note)
        key = None if note is None else note.get("object")
        stored = self._cache.get(key) if isinstance(key, str) and key.isalnum() else None
        self._stored = self._noted = stored is not None
        return stored

    def found(self, text: str) -> bytes | None:
        """The object of a text."""
        self._key = key_of([text, *self._setting])
        stored = self._cache.get(self._key)
        self._stored = stored is not None
        return stored

    def keep(self, code: bytes) -> None:
        """Put down what was not there."""
        if not self._stored:
            self._cache.put(self._key, code)
        if self._note is not None and not self._noted:
            self._cache.remember(self._note, {"object": self._key})


def _target_machine(llvm: ModuleType, generator: int) -> TargetMachine:
    here = machine()
    target = llvm.Target.from_default_triple()
    # small code model: constants are read relative to the code, one instruction less each
    return target.create_target_machine(
        here.name, here.features, generator, reloc="pic", codemodel="small", jit=True
    )


def _compile(llvm: ModuleType, text: str, target_machine: TargetMachine, optimize: int) -> bytes:
    # LLVM keeps the constants of a text in its context: in one of its own they go with it
    with llvm.create_context() as context:
        try:
            module = llvm.parse_assembly(text + _LIBRARY_CALLS, context)
        except RuntimeError as error:
            raise CompileError(f"LLVM refused the generated code: {error}") from error
        with module:
            try:
                module.verify()
            except RuntimeError as error:
                raise CompileError(f"LLVM refused the generated code: {error}") from error
            _optimize(llvm, module, target_machine, optimize)
            return _object_code(llvm, module, target_machine, in_order=IN_ORDER in text)


def _object_code(
    llvm: ModuleType, module: ModuleRef, target_machine: TargetMachine, in_order: bool
) -> bytes:
    if not in_order:
        return bytes(target_machine.emit_object(module))
    _set_order(llvm, kept=True)
    try:
        return bytes(target_machine.emit_object(module))
    finally:
        _set_order(llvm, kept=False)


def _set_order(llvm: ModuleType, kept: bool) -> None:
    """LLVM's schedulers off, or on again.  Its options are global: they are set for one module."""
    llvm.set_option("armillary", f"-enable-misched={'false' if kept else 'true'}")
    llvm.set_option("armillary", f"-pre-RA-sched={'source' if kept else 'default'}")


def _close_unused() -> None:
    """Free the code of libraries that are gone."""
    while _unused:
        _engines.pop(_unused.popleft()).close()


def add_symbol(name: str, address: int) -> None:
    """Make a C function of this process known to compiled code."""
    import llvmlite.binding as llvm

    with LLVM_LOCK:
        llvm.add_symbol(name, address)


def native_call(address: int) -> Callable[[int], None]:
    """A compiled `void f(ptr)` as a Python function; the GIL is free while it runs."""
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)


@functools.cache
def _initialized(llvm: ModuleType) -> None:
    # level 0's own selection of instructions calls memset past the table of addresses
    llvm.set_option("armillary", "-fast-isel=false")
    for name, function in mathematics().items():
        llvm.add_symbol(name, ctypes.cast(function, ctypes.c_void_p).value)


@functools.cache
def mathematics() -> dict[str, _Function]:
    """Functions of the C library by name, as this process has them loaded; those of Python where
    the library of the system has none."""
    found: dict[str, _Function] = {}
    for library in _libraries():
        for element in ("double", "float"):
            for op in LIBRARY:
                name = library_name(op, element)
                if name not in found and hasattr(library, name):
                    found[name] = getattr(library, name)
        if len(found) == 2 * len(LIBRARY):
            return found
    for element, kind in (("double", ctypes.c_double), ("float", ctypes.c_float)):
        for op in LIBRARY:
            signature = ctypes.CFUNCTYPE(*[kind] * (1 + OPS[op].arity))
            found.setdefault(library_name(op, element), signature(getattr(math, op)))
    return found


def _libraries() -> Iterator[ctypes.CDLL]:
    """Where mathematics may be: in this process, in its own file, in those of Windows."""
    with contextlib.suppress(TypeError, OSError):  # a search for its file takes milliseconds
        yield ctypes.CDLL(None)
    from ctypes.util import find_library

    for name in (find_library("m"), find_library("ucrtbase"), find_library("msvcrt")):
        if name is not None:
            with contextlib.suppress(OSError):
                yield ctypes.CDLL(name)


def _optimize(
    llvm: ModuleType, module: ModuleRef, target_machine: TargetMachine, level: int
) -> None:
    """Level 0: registers for variables, simpler addresses: there is no more to find in the text of
    one graph, and looking for it took a third of all compilation.  1: what is computed twice, too.
    2: all that LLVM has, with loops as vectors: for loops over rows of batches."""
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = level > 1
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(target_machine, options)
    if level > 1:
        passes = builder.getModulePassManager()
    else:
        passes = llvm.create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        if level == 1:
            passes.add_new_gvn_pass()
        passes.add_instruction_combine_pass()
        passes.add_mem_copy_opt_pass()  # rows of zeros
    try:
        passes.run(module, builder)
    finally:
        _dispose(llvm, passes)


def _dispose(llvm: ModuleType, passes: ModulePassManager) -> None:
    """Free a pass manager.  In llvmlite up to 0.50 at least it inherits an empty `_dispose` ahead
    of its own, so that closing it frees nothing: 0.1 MB of every compilation stayed."""
    own = vars(llvm.NewPassManager)["_dispose"]
    families = (vars(family) for family in type(passes).__mro__)
    if next(found["_dispose"] for found in families if "_dispose" in found) is not own:
        own(passes)
        passes.detach()
    else:
        passes.close()


# -- what a forked process must not inherit: LLVM at work, locks of lost threads ------------------


def _in_child() -> None:
    LLVM_LOCK.release()
    if sys.version_info >= (3, 12):
        return
    # until Python 3.11 cached properties have locks, and other threads may have held them
    for found in gc.get_objects():
        if isinstance(found, functools.cached_property) and _ours(found):
            found.lock = threading.RLock()  # type: ignore[attr-defined]


def _ours(found: functools.cached_property) -> bool:
    return found.func.__module__.startswith("armillary")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=LLVM_LOCK.acquire, after_in_parent=LLVM_LOCK.release, after_in_child=_in_child
    )
