"""From LLVM text to code that runs: one small library per text, kept alive by its owner."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

from armillary.compiler.cache import Cache, default_cache, key_of
from armillary.compiler.emit import SCOPES
from armillary.compiler.target import Lanes, machine
from armillary.errors import CompileError

_lock = threading.Lock()  # LLVM compiles one module at a time


class Library:
    """Compiled functions.  Dropping the object frees the code: hold it as long as you call it.

    cache: where compiled objects are kept; None: in the user's cache folder."""

    def __init__(
        self,
        text: str,
        symbols: Sequence[str],
        optimize: int = 1,
        cache: Cache | None = None,
    ):
        import llvmlite.binding as llvm

        cache = cache or default_cache()
        here = machine()
        version = ".".join(map(str, llvm.llvm_version_info))
        key = key_of([text, version, here.name, here.features, str(optimize)])
        stored = cache.get(key)
        self.from_cache = stored is not None
        with _lock:
            _initialize(llvm)
            target_machine = _target_machine(llvm, optimize)
            code = stored or _compile(llvm, text, target_machine, optimize)
            empty = llvm.parse_assembly("")
            empty.triple = llvm.get_process_triple()
            self._engine: Any = llvm.create_mcjit_compiler(empty, target_machine)
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()
            self.addresses = {name: self._engine.get_function_address(name) for name in symbols}
        self.size = len(code)
        missing = [name for name, address in self.addresses.items() if not address]
        if missing:
            raise CompileError(f"compiled code lacks {missing}.")
        if stored is None:
            cache.put(key, code)


def _target_machine(llvm: Any, optimize: int) -> Any:
    here = machine()
    target = llvm.Target.from_default_triple()
    # small code model: constants are read relative to the code, one instruction less each
    return target.create_target_machine(
        cpu=here.name, features=here.features, opt=optimize, jit=True, codemodel="small",
        reloc="pic",
    )  # fmt: skip


def _compile(llvm: Any, text: str, target_machine: Any, optimize: int) -> bytes:
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise CompileError(f"LLVM refused the generated code: {error}") from error
    _optimize(llvm, module, target_machine, optimize)
    return bytes(target_machine.emit_object(module))


def add_symbol(name: str, address: int) -> None:
    """Make a C function of this process known to compiled code."""
    import llvmlite.binding as llvm

    llvm.add_symbol(name, address)


def native_call(address: int) -> Callable[[int], None]:
    """A compiled `void f(ptr)` as a Python function; the GIL is free while it runs."""
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)


def _initialize(llvm: Any) -> None:
    if not _state["ready"]:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        for name in ("exp", "tanh", "atan2", "expf", "tanhf", "atan2f"):
            address = ctypes.cast(getattr(_libm(), name), ctypes.c_void_p).value
            llvm.add_symbol(name, address)
        _state["ready"] = True


def _libm() -> Any:
    """The C library's mathematics, as this process has it loaded."""
    import ctypes.util

    return ctypes.CDLL(ctypes.util.find_library("m") or ctypes.util.find_library("msvcrt"))


_state = {"ready": False}


def _optimize(llvm: Any, module: Any, target_machine: Any, level: int) -> None:
    """Level 1: simple cleaning, straight-line text is in good order.  2: loops as vectors, too."""
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = level > 1
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(target_machine, options)
    builder.getModulePassManager().run(module, builder)


_INTRINSIC = re.compile(r"@(llvm\.\w+)\.(v\d+f\d+|f\d+)\(")


def with_declarations(text: str, lanes: Lanes) -> str:
    """The text with a declaration for every intrinsic and C function it calls."""
    arity = {"llvm.fma": 3}
    found = sorted({(m.group(1), m.group(2)) for m in _INTRINSIC.finditer(text)})
    lines = []
    for name, suffix in found:
        kind = lanes.type if suffix.startswith("v") or lanes.width == 1 else lanes.element
        lines.append(f"declare {kind} @{name}.{suffix}({', '.join([kind] * arity.get(name, 1))})")
    e = lanes.element
    for name, count in (("exp", 1), ("tanh", 1), ("atan2", 2)):
        symbol = f"{name}{'f' if e == 'float' else ''}"
        if f"@{symbol}(" in text:
            lines.append(f"declare {e} @{symbol}({', '.join([e] * count)})")
    return "\n".join([*lines, text, SCOPES])
