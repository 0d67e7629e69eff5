"""From LLVM text to code that runs: one small library per text, kept alive by its owner."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

from armillary.compiler.emit import SCOPES
from armillary.compiler.target import Lanes, machine
from armillary.errors import CompileError

_lock = threading.Lock()  # LLVM compiles one module at a time


class Library:
    """Compiled functions.  Dropping the object frees the code: hold it as long as you call it."""

    def __init__(self, text: str, symbols: Sequence[str], optimize: int = 1):
        import llvmlite.binding as llvm

        with _lock:
            _initialize(llvm)
            target = llvm.Target.from_default_triple()
            here = machine()
            self._machine = target.create_target_machine(
                cpu=here.name,
                features=here.features,
                opt=optimize,
                jit=True,
                codemodel="small",
                reloc="pic",
            )
            try:
                module = llvm.parse_assembly(text)
                module.verify()
            except RuntimeError as error:
                raise CompileError(f"LLVM refused the generated code: {error}") from error
            _optimize(llvm, module, self._machine, optimize)
            self._engine: Any = llvm.create_mcjit_compiler(module, self._machine)
            self._engine.finalize_object()
            self.addresses = {name: self._engine.get_function_address(name) for name in symbols}


def native_call(address: int) -> Callable[[int], None]:
    """A compiled `void f(ptr)` as a Python function; the GIL is free while it runs."""
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)


def _initialize(llvm: Any) -> None:
    if not _state["ready"]:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        _state["ready"] = True


_state = {"ready": False}


def _optimize(llvm: Any, module: Any, target_machine: Any, level: int) -> None:
    """mem2reg, simple cleaning: the text is already in good order."""
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = False
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
