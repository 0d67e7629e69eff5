"""A small WebAssembly machine: reads the bytes of a module by the specification and runs them.

It shares nothing with the writer but the specification, and knows only the instructions that
arithmetic on doubles needs.  A stack that is not empty at the end, an unknown instruction or a type
that does not fit is an error."""

import math
import struct


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def uint(self):
        value = shift = 0
        while True:
            b = self.byte()
            value |= (b & 0x7F) << shift
            shift += 7
            if not b & 0x80:
                return value

    def sint(self):
        value = shift = 0
        while True:
            b = self.byte()
            value |= (b & 0x7F) << shift
            shift += 7
            if not b & 0x80:
                return value - (1 << shift) if b & 0x40 else value

    def name(self):
        return self.take(self.uint()).decode()

    def vector(self, one):
        return [one() for _ in range(self.uint())]


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def double(x):
    return struct.unpack("<d", struct.pack("<Q", x))[0]


def divided(a, b):
    if b == 0:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


MASK = (1 << 64) - 1
# opcode: (types taken, type left, value)
SIMPLE = {
    0xA0: ("dd", "d", lambda a, b: a + b),
    0xA1: ("dd", "d", lambda a, b: a - b),
    0xA2: ("dd", "d", lambda a, b: a * b),
    0xA3: ("dd", "d", divided),
    0x9F: ("d", "d", lambda a: math.sqrt(a) if a >= 0 else math.nan),
    0x99: ("d", "d", lambda a: double(bits(a) & (MASK >> 1))),
    0x9A: ("d", "d", lambda a: double(bits(a) ^ (1 << 63))),
    0x63: ("dd", "i", lambda a, b: int(a < b)),
    0x65: ("dd", "i", lambda a, b: int(a <= b)),
    0x61: ("dd", "i", lambda a, b: int(a == b)),
    0x83: ("ll", "l", lambda a, b: a & b),
    0x7C: ("ll", "l", lambda a, b: (a + b) & MASK),
    0x85: ("ll", "l", lambda a, b: a ^ b),
    0x86: ("ll", "l", lambda a, b: (a << (b % 64)) & MASK),
    0xA7: ("l", "i", lambda a: a & 0xFFFFFFFF),
    0xBD: ("d", "l", bits),
    0xBF: ("l", "d", double),
}
TYPES = {0x7F: "i", 0x7E: "l", 0x7C: "d"}


class Module:
    def __init__(self, data):
        r = Reader(data)
        assert r.take(4) == b"\0asm"
        assert struct.unpack("<I", r.take(4)) == (1,)
        self.imports, self.exports, self.code = [], {}, []
        last = 0
        while r.at < len(data):
            number, size = r.byte(), r.uint()
            assert number > last, "sections are in order"
            last, end = number, r.at + size
            self.section(number, r)
            assert r.at == end, f"section {number} has the size it says"

    def section(self, number, r):
        if number == 1:
            self.types = r.vector(lambda: self.type(r))
        elif number == 2:
            self.imports = r.vector(lambda: (r.name(), r.name(), r.byte(), r.uint()))
        elif number == 3:
            self.functions = r.vector(r.uint)
        elif number == 5:
            (limits,) = r.vector(lambda: (r.byte(), r.uint(), r.uint()))
            assert limits[0] == 1 and limits[1] == limits[2]
            self.memory = bytearray(65536 * limits[1])
        elif number == 7:
            self.exports = {
                n: (k, i) for n, k, i in r.vector(lambda: (r.name(), r.byte(), r.uint()))
            }
        elif number == 10:
            self.code = r.vector(lambda: self.body(r))
        else:
            raise AssertionError(f"section {number}")

    def type(self, r):
        assert r.byte() == 0x60
        return [TYPES[x] for x in r.vector(r.byte)], [TYPES[x] for x in r.vector(r.byte)]

    def body(self, r):
        end = r.uint() + r.at
        groups = r.vector(lambda: (r.uint(), TYPES[r.byte()]))
        code = r.take(end - r.at)
        return groups, code

    def call(self, name, *arguments):
        kind, index = self.exports[name]
        assert kind == 0
        number = index - len(self.imports)
        taken, left = self.types[self.functions[number]]
        assert taken == ["i"] * len(arguments) and not left
        groups, code = self.code[number]
        local = [("i", int(a)) for a in arguments]
        local += [(t, 0 if t != "d" else 0.0) for count, t in groups for _ in range(count)]
        self.run(Reader(code), local)

    def run(self, r, local):
        stack = []

        def pop(kind):
            t, x = stack.pop()
            assert t == kind, f"expected {kind}, found {t} at {r.at}"
            return x

        while True:
            op = r.byte()
            if op == 0x0B:
                assert not stack and r.at == len(r.data)
                return
            if op in SIMPLE:
                taken, left, value = SIMPLE[op]
                given = [pop(t) for t in reversed(taken)][::-1]
                stack.append((left, value(*given)))
            elif op == 0x20:
                stack.append(local[r.uint()])
            elif op == 0x21:
                k = r.uint()
                local[k] = (local[k][0], pop(local[k][0]))
            elif op == 0x44:
                stack.append(("d", struct.unpack("<d", r.take(8))[0]))
            elif op == 0x42:
                stack.append(("l", r.sint() & MASK))
            elif op == 0x1B:
                condition, no, yes = pop("i"), stack.pop(), stack.pop()
                assert no[0] == yes[0]
                stack.append(yes if condition else no)
            elif op == 0x2B:
                assert r.uint() == 3
                at = r.uint() + pop("i")
                stack.append(("d", struct.unpack_from("<d", self.memory, at)[0]))
            elif op == 0x39:
                assert r.uint() == 3
                offset, x = r.uint(), pop("d")
                struct.pack_into("<d", self.memory, offset + pop("i"), x)
            elif op == 0x10:
                _, name, _, t = self.imports[r.uint()]
                given = [pop(x) for x in reversed(self.types[t][0])][::-1]
                stack.append(("d", getattr(math, name)(*given)))
            else:
                raise AssertionError(f"opcode {op:#x}")

    def numbers(self, at, count):
        return struct.unpack_from(f"<{count}d", self.memory, at)

    def put(self, at, values):
        struct.pack_into(f"<{len(values)}d", self.memory, at, *values)
