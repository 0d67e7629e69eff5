"""Operations of a graph as LLVM text: one table, and the declarations that its forms need.

`{t}` is the type (scalar or vector), `{a}`, `{b}`, `{c}` the operands, `{s}` the suffix of an
intrinsic, `{m}` the type of a mask.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from hashlib import sha256

from armillary.codegen.target import Lanes, hexadecimal
from armillary.graph.ops import OPS
from armillary.scalar import Table

_FORMS = {
    "add": "fadd {t} {a}, {b}",
    "sub": "fsub {t} {a}, {b}",
    "mul": "fmul {t} {a}, {b}",
    "neg": "fneg {t} {a}",
    "div": "fdiv {t} {a}, {b}",
    "sqrt": "call {t} @llvm.sqrt.{s}({t} {a})",
    "fma": "call {t} @llvm.fma.{s}({t} {a}, {t} {b}, {t} {c})",
    "abs": "call {t} @llvm.fabs.{s}({t} {a})",
    "lt": "fcmp olt {t} {a}, {b}",
    "le": "fcmp ole {t} {a}, {b}",
    "eq": "fcmp oeq {t} {a}, {b}",
    "select": "select {m} {a}, {t} {b}, {t} {c}",
}
LIBRARY = ("exp", "atan2")  # functions of the C library, one lane after the other
_TABLE = "@table_"
# metadata: one scope for everything that is only read
_SCOPES = """!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}"""

Line = Callable[[str], str]  # appends `name = text` to the code and gives the name


def operation(op: str, operands: Sequence[str], lanes: Lanes, line: Line) -> str:
    """The lines of one operation; the name of its result."""
    if op in LIBRARY:
        return _library_call(op, operands, lanes, line)
    if op in ("quadrant_sin", "quadrant_cos"):
        return _quadrant(op, operands, lanes, line)
    if op == "power_of_two":
        return _power_of_two(operands[0], lanes, line)
    names = dict(zip("abc", operands, strict=False))
    return line(_FORMS[op].format(t=lanes.type, s=lanes.suffix, m=lanes.mask, **names))


def table_text(table: Table, lanes: Lanes) -> tuple[str, str]:
    """Symbol and definition of a table in a module."""
    e = lanes.element
    numbers = ", ".join(f"{e} {hexadecimal(x, e)}" for x in table.values)
    symbol = f"{_TABLE}{sha256(numbers.encode()).hexdigest()[:24]}"
    kind = f"[{len(table.values)} x {e}]"
    return symbol, f"{symbol} = private unnamed_addr constant {kind} [{numbers}]"


def table_entry(
    symbol: str, table: Table, column: int, place: str, lanes: Lanes, line: Line
) -> str:
    """A number of the row at floor(place), one lane after the other; the last row for NaN."""
    e, t = lanes.element, lanes.type
    one = Lanes(1, e, lanes.fma)
    last, zero = one.constant(table.rows - 1.0), one.constant(0.0)
    total = "poison"
    for lane in range(lanes.width):
        x = place if lanes.width == 1 else line(f"extractelement {t} {place}, i32 {lane}")
        x = line(f"select i1 {line(f'fcmp olt {e} {x}, {last}')}, {e} {x}, {e} {last}")
        x = line(f"select i1 {line(f'fcmp ogt {e} {x}, {zero}')}, {e} {x}, {e} {zero}")
        row = line(f"fptosi {e} {x} to i64")
        k = line(f"add i64 {line(f'mul i64 {row}, {table.columns}')}, {column}")
        y = line(f"load {e}, ptr {line(f'getelementptr {e}, ptr {symbol}, i64 {k}')}")
        if lanes.width == 1:
            return y
        total = line(f"insertelement {t} {total}, {e} {y}, i32 {lane}")
    return total


def splat(value: str, lanes: Lanes, line: Line) -> str:
    """The same number in all lanes."""
    if lanes.width == 1:
        return value
    t = lanes.type
    one = line(f"insertelement {t} poison, {lanes.element} {value}, i32 0")
    return line(f"shufflevector {t} {one}, {t} poison, <{lanes.width} x i32> zeroinitializer")


def multiply_add(a: str, b: str, c: str, lanes: Lanes, line: Line) -> str:
    """a b + c, in one rounding where the machine can."""
    if lanes.fma:
        return operation("fma", (a, b, c), lanes, line)
    return operation("add", (c, operation("mul", (a, b), lanes, line)), lanes, line)


def _quadrant(op: str, operands: Sequence[str], lanes: Lanes, line: Line) -> str:
    """Sine or cosine of an angle in quadrant k: exchange where k is odd, change the sign
    where k (for the cosine k + 1) has bit 1.  k stands in the lowest bits of the first."""
    bits, sine, cosine = operands
    t, n, sign = lanes.type, lanes.integer, lanes.bytes * 8 - 1
    k = line(f"bitcast {t} {bits} to {n}")
    odd = line(f"shl {n} {k}, {lanes.integers(sign)}")
    swap = line(f"icmp slt {n} {odd}, {lanes.integers(0)}")
    first, second = (cosine, sine) if op == "quadrant_sin" else (sine, cosine)
    value = line(f"select {lanes.mask} {swap}, {t} {first}, {t} {second}")
    if op == "quadrant_cos":
        k = line(f"add {n} {k}, {lanes.integers(1)}")
    second_bit = line(f"lshr {n} {k}, {lanes.integers(1)}")
    flip = line(f"shl {n} {second_bit}, {lanes.integers(sign)}")
    raw = line(f"bitcast {t} {value} to {n}")
    return line(f"bitcast {n} {line(f'xor {n} {raw}, {flip}')} to {t}")


def _power_of_two(bits: str, lanes: Lanes, line: Line) -> str:
    """2^k, k ≥ 0 in the lowest bits: the exponent of 1.0 plus k."""
    t, n = lanes.type, lanes.integer
    k = line(f"bitcast {t} {bits} to {n}")
    raised = line(f"shl {n} {k}, {lanes.integers(52 if lanes.element == 'double' else 23)}")
    one = line(f"bitcast {t} {lanes.constant(1.0)} to {n}")
    return line(f"bitcast {n} {line(f'add {n} {raised}, {one}')} to {t}")


def _library_call(op: str, operands: Sequence[str], lanes: Lanes, line: Line) -> str:
    e, t = lanes.element, lanes.type
    f = f"@{library_name(op, e)}"
    if lanes.width == 1:
        return line(f"call {e} {f}({', '.join(f'{e} {x}' for x in operands)})")
    total = "poison"
    for lane in range(lanes.width):
        args = [line(f"extractelement {t} {x}, i32 {lane}") for x in operands]
        y = line(f"call {e} {f}({', '.join(f'{e} {x}' for x in args)})")
        total = line(f"insertelement {t} {total}, {e} {y}, i32 {lane}")
    return total


def library_name(op: str, element: str) -> str:
    """sin -> sinf for floats."""
    return f"{op}f" if element == "float" else op


# -- declarations --------------------------------------------------------------------------------

_INTRINSIC = re.compile(r"@(llvm\.\w+)\.(v\d+f\d+|f\d+)\(")
_MASKED = re.compile(r"@llvm\.masked\.load\.(v\d+f\d+)\.p0\(")


def external(symbol: str, kind: str) -> str:
    """Declaration of a C function, `kind` as in "double (double)".

    Its address is read from the table of addresses that belongs to the code (`nonlazybind`): a
    jump would need a table that LLVM's loader does not count when it reserves memory."""
    return f"declare {kind.replace('(', f'@{symbol}(', 1)} nonlazybind"


def with_declarations(text: str, lanes: Lanes) -> str:
    """The text with a declaration for every intrinsic and C function it calls."""
    arity = {"llvm.fma": 3}
    found = sorted({(m.group(1), m.group(2)) for m in _INTRINSIC.finditer(text)})
    lines = []
    for name, suffix in found:
        kind = _type_of(suffix)
        lines.append(f"declare {kind} @{name}.{suffix}({', '.join([kind] * arity.get(name, 1))})")
    e = lanes.element
    for op in LIBRARY:
        symbol = library_name(op, e)
        if f"@{symbol}(" in text:
            lines.append(external(symbol, f"{e} ({', '.join([e] * OPS[op].arity)})"))
    if "@llvm.prefetch" in text:
        lines.append("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    for suffix in sorted(set(_MASKED.findall(text))):
        kind, w = _type_of(suffix), suffix[1:].split("f")[0]
        name = f"@llvm.masked.load.{suffix}.p0"
        lines.append(f"declare {kind} {name}(ptr, i32, <{w} x i1>, {kind})")
    tables = [x for x in text.split("\n") if x.startswith(_TABLE)]
    if tables:  # each once, whoever reads it
        text = "\n".join(x for x in text.split("\n") if not x.startswith(_TABLE))
    return "\n".join([*dict.fromkeys(tables), *lines, text, _SCOPES])


def _type_of(suffix: str) -> str:
    """f64 -> double, v4f32 -> <4 x float>."""
    width, bits = suffix.rsplit("f", 1)
    element = "double" if bits == "64" else "float"
    return f"<{width[1:]} x {element}>" if width else element
