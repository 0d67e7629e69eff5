"""XML for untrusted files: elements with their line, and none of XML's dangerous features.

Document type declarations are refused, and with them every entity trick (expansion bombs, reading
of other files).  Size, depth and number of elements are bounded; every error names file and line.
"""

from __future__ import annotations

import codecs
import math
import os
import re
import stat
from collections.abc import Iterator
from xml.parsers import expat

from armillary.errors import FormatError, InputError, Remedy

MAX_BYTES = 64 * 2**20
MAX_ELEMENTS = 1_000_000
MAX_DEPTH = 500  # the parser of MuJoCo stops there as well
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MAX_DIGITS = 400
_MAX_TEXT = 1000
_ENCODING = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")


class Element:
    """One XML element: tag, attributes, children and the place in the file for messages."""

    __slots__ = ("attributes", "children", "line", "path", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], path: str, line: int):
        self.tag, self.attributes, self.path, self.line = tag, attributes, path, line
        self.children: list[Element] = []

    def named(self, tag: str) -> list[Element]:
        """The children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator[Element]:
        """This element and everything below it."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))

    def error(self, text: str, remedy: Remedy | None = None) -> FormatError:
        return FormatError(text, self.path, self.line, remedy)

    def text(self, name: str, part: str) -> str:
        """An attribute that must be there and must not be empty."""
        value = self.attributes.get(name, "").strip()
        if not value:
            raise self.error(
                f"{part}: <{self.tag}> needs the attribute `{name}`, found "
                f"{'an empty one' if name in self.attributes else 'none'}. "
                f'Write <{self.tag} {name}="...">.'
            )
        if len(value) > _MAX_TEXT:
            raise self.error(
                f"{part}: `{name}` has {len(value)} characters, more than {_MAX_TEXT}."
            )
        return value

    def number(self, name: str, part: str, default: float | None = None) -> float:
        """A finite number; without a default the attribute must be there."""
        if name not in self.attributes and default is not None:
            return default
        return self.numbers(name, part, 1)[0]

    def numbers(
        self, name: str, part: str, count: int, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """`count` finite numbers separated by blanks."""
        if name not in self.attributes and default is not None:
            return default
        text = self.text(name, part)
        words = text.split(None, count)
        where = f"{part}: attribute `{name}` of <{self.tag}>"
        if len(words) != count:
            amount = "one number" if count == 1 else f"{count} numbers separated by blanks"
            raise self.error(f"{where}: expected {amount}, found '{shortened(text)}'.")
        return tuple(self._finite(word, where) for word in words)

    def _finite(self, word: str, where: str) -> float:
        if len(word) <= _MAX_DIGITS and _NUMBER.fullmatch(word):
            value = float(word)
            if math.isfinite(value):
                return value
        cure = "Write a finite decimal number, with a point."
        if "${" in word or "$(" in word:
            cure = (
                "This is a xacro expression: expand the file first (`xacro in.xacro > out.urdf`)."
            )
        raise self.error(f"{where}: expected a number, found '{shortened(word)}'. {cure}")


def shortened(text: str, length: int = 60) -> str:
    """For messages: one printable line of bounded length."""
    text = text if len(text) <= length else text[: length - 3] + "..."
    return "".join(c if c.isprintable() else "?" for c in text)


# -- from a file or a text to elements ------------------------------------------------------------


def parse_file(source: str | os.PathLike, utf8_only: bool = False) -> Element:
    """The root element of a file."""
    name = path_text(source)
    return _parse(_read_bytes(name), name, utf8_only)


def parse_text(text: str, name: str) -> Element:
    """The root element of a text in memory; `name` stands for the file in messages."""
    if not isinstance(text, str):
        raise InputError(f"text: expected a string with XML, found {type(text).__name__}.")
    try:
        data = text.removeprefix("\ufeff").encode("utf-8")
    except UnicodeEncodeError as fault:
        raise FormatError(
            f"character {fault.start} of the text is half of a surrogate pair, which XML cannot "
            f"hold. Decode the file as UTF-8.",
            name,
        ) from None
    if len(data) > MAX_BYTES:
        raise _too_large(name, len(data))
    return _expat(data, name, "utf-8")


def path_text(source: str | os.PathLike) -> str:
    """The path as text; a common slip (XML given as path) is answered with its cure."""
    try:
        name = os.fsdecode(source)
    except TypeError:
        kind = type(source).__name__
        raise InputError(f"source: expected the path of a file, found {kind}.") from None
    if name.lstrip()[:1] == "<":
        raise FormatError("this is XML text where a path is expected. Pass it as `text=...`.")
    return name


def _read_bytes(name: str) -> bytes:
    try:
        status = os.stat(name)
        if stat.S_ISDIR(status.st_mode):
            raise FormatError("this is a folder; expected a file inside it.", name)
        if not stat.S_ISREG(status.st_mode):
            raise FormatError("this is not a regular file.", name)
        if status.st_size > MAX_BYTES:
            raise _too_large(name, status.st_size)
        with open(name, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise FormatError(
            f"cannot open the file: {reason}. Check the path.", shortened(name, 200)
        ) from None
    if len(data) > MAX_BYTES:
        raise _too_large(name, len(data))
    return data


def _too_large(name: str, size: int) -> FormatError:
    return FormatError(
        f"the file has {size} bytes, more than the {MAX_BYTES} a model may have. "
        f"Keep meshes in files of their own.",
        name,
    )


def _parse(data: bytes, name: str, utf8_only: bool) -> Element:
    """Find out the encoding, with a clear word about files that are not XML text at all."""
    if not data.strip(b" \t\r\n\0"):
        raise FormatError("the file is empty.", name)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and not utf8_only:
        return _expat(data, name, "utf-16")
    if b"\0" in data[:4096] or b"\0" in data:
        raise FormatError(
            "the file holds null bytes: it is binary, or UTF-16 text. Save it as UTF-8 text.", name
        )
    declared = _ENCODING.search(data[:400])
    encoding = declared.group(1).decode("ascii").lower() if declared else "utf-8"
    if encoding in ("utf-8", "utf8", "us-ascii", "ascii"):
        _check_utf8(data, name)
        return _expat(data, name, "utf-8")
    if encoding in ("iso-8859-1", "latin-1", "latin1") and not utf8_only:
        return _expat(data, name, "iso-8859-1")
    raise FormatError(f"encoding '{encoding}' is not read here. Save the file as UTF-8.", name, 1)


def _check_utf8(data: bytes, name: str) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise FormatError(
            f"byte 0x{data[fault.start]:02x} is not UTF-8. Save the file as UTF-8, or declare its "
            f'encoding in the first line: <?xml version="1.0" encoding="iso-8859-1"?>.',
            name,
            data.count(b"\n", 0, fault.start) + 1,
        ) from None


def _expat(data: bytes, name: str, encoding: str) -> Element:
    # blanks before <?xml are against the rules and common: skip them, keep counting lines
    start = len(data) - len(data.lstrip(b" \t\r\n"))
    tree = _Tree(name, encoding, data.count(b"\n", 0, start))
    try:
        tree.parser.Parse(data[start:], True)
    except expat.ExpatError as fault:
        reason = expat.errors.messages.get(fault.code, str(fault))
        raise FormatError(
            f"not valid XML: {reason} (column {fault.offset + 1}). Every <tag> needs its </tag>, "
            f"every attribute its quotes.",
            name,
            fault.lineno + tree.skipped,
        ) from None
    if tree.root is None:
        raise FormatError("the file holds no element.", name)
    return tree.root


class _Tree:
    """Collects elements while expat walks through the text."""

    def __init__(self, path: str, encoding: str, skipped: int):
        self.path, self.skipped = path, skipped
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.parser = expat.ParserCreate(encoding)
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse
        self.parser.UnparsedEntityDeclHandler = self.refuse

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber + self.skipped

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self.path, self.line)
        self.count += 1
        if len(self.open) >= MAX_DEPTH:
            raise element.error(f"elements are nested more than {MAX_DEPTH} deep.")
        if self.count > MAX_ELEMENTS:
            raise element.error(f"the file holds more than {MAX_ELEMENTS} elements.")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def refuse(self, *_: object) -> None:
        raise FormatError(
            "the file declares a document type or entities (<!DOCTYPE ...>); they are refused "
            "because they can read other files or fill the memory. Delete the declaration.",
            self.path,
            self.line,
        )
