"""The machine: element type, SIMD width, features."""

from __future__ import annotations

import struct
import threading
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from armillary.errors import how_to_install

if TYPE_CHECKING:
    from types import ModuleType

# One thread at a time uses LLVM.  A fork waits until none does: the child would have LLVM as
# another thread left it, with locks that nobody there can open.
LLVM_LOCK = threading.RLock()
# in a text: LLVM is to leave its operations in the order in which they stand
IN_ORDER = "; in the order of execution"


def hexadecimal(value: float, element: str) -> str:
    """A float as LLVM writes it exactly."""
    if element == "float":
        value = struct.unpack("<f", struct.pack("<f", value))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


@dataclass(frozen=True)
class Lanes:
    """W numbers of one type that are worked on together.

    quick: their code is generated as fast as LLVM can (see `Library`)."""

    width: int = 1
    element: str = "double"  # or "float"
    fma: bool = True
    quick: bool = False

    @property
    def type(self) -> str:
        return self.element if self.width == 1 else f"<{self.width} x {self.element}>"

    @property
    def mask(self) -> str:
        return "i1" if self.width == 1 else f"<{self.width} x i1>"

    @property
    def suffix(self) -> str:
        bits = "f64" if self.element == "double" else "f32"
        return bits if self.width == 1 else f"v{self.width}{bits}"

    @property
    def integer(self) -> str:
        bits = f"i{self.bytes * 8}"
        return bits if self.width == 1 else f"<{self.width} x {bits}>"

    def integers(self, value: int) -> str:
        """The same integer in all lanes."""
        if self.width == 1:
            return str(value)
        return "<" + ", ".join(f"i{self.bytes * 8} {value}" for _ in range(self.width)) + ">"

    @property
    def bytes(self) -> int:
        return 8 if self.element == "double" else 4

    def constant(self, value: float) -> str:
        text = hexadecimal(value, self.element)
        if self.width == 1:
            return text
        return "<" + ", ".join(f"{self.element} {text}" for _ in range(self.width)) + ">"


@dataclass(frozen=True)
class Machine:
    """The CPU this process runs on."""

    name: str
    features: str
    fma: bool
    doubles: int  # doubles per SIMD register


@cache
def native() -> bool:
    """Can machine code be made?  Without llvmlite everything is interpreted; said once."""
    try:
        import llvmlite.binding as llvm  # is it there, and does its library load?

        _try_engine(llvm)
    except Exception as fault:  # whatever a broken build of it raises
        what = "is missing" if isinstance(fault, ImportError) else "cannot make code here"
        warnings.warn(
            f"llvmlite {what} ({fault or type(fault).__name__}): every answer comes from the "
            f"interpreter, which is right and some hundred times slower. {how_to_install()}",
            RuntimeWarning,
            stacklevel=2,
        )
        return False
    return True


def _try_engine(llvm: ModuleType) -> None:
    """An engine without code: a system may forbid memory that runs."""
    with LLVM_LOCK:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        with llvm.parse_assembly("") as empty:
            empty.triple = llvm.get_process_triple()
            machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
            llvm.create_mcjit_compiler(empty, machine).close()


@cache
def machine() -> Machine:
    if not native():
        return Machine("none", "", False, 1)
    import llvmlite.binding as llvm

    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:  # LLVM cannot tell on this system: what every processor of its kind has
        features = None
    known = dict(features or {})
    arm = llvm.get_process_triple().startswith(("aarch64", "arm64"))
    fma = bool(arm or known.get("fma") or known.get("neon"))
    doubles = 8 if known.get("avx512f") else 4 if known.get("avx2") else 2
    return Machine(llvm.get_host_cpu_name(), features.flatten() if features else "", fma, doubles)


def lanes(
    batched: bool, element: str = "double", width: int | None = None, quick: bool = False
) -> Lanes:
    """Lanes for one state or for a batch; width: of batches, by default what this machine has."""
    here = machine()
    own = here.doubles * (2 if element == "float" else 1)
    return Lanes((width or own) if batched else 1, element, here.fma, quick)
