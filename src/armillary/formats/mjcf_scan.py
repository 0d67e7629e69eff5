"""Look through MJCF text before MuJoCo sees it: entities, runaway counts, files elsewhere.

MuJoCo opens the files a model names and builds what it counts, so both are bounded here first.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from armillary.errors import Remedy
from armillary.formats.references import Bounds, why_refused
from armillary.formats.xml import Element, parse_file, shortened

MAX_FILES = 1000
MAX_COPIES = 3000  # made by <replicate>, <composite>, <flexcomp>; MuJoCo takes quadratic time
MAX_PIXELS = 100_000_000  # of all textures and height fields of a model together
MAX_POINTS = 250_000  # of all meshes that are made from formulas
_MANY = 100  # copies: more of them are tried in a process of their own first
_MODELS = ("include", "model")
_FOLDERS = ("meshdir", "texturedir", "assetdir")
# elements whose files are judged when it is known who needs them (mjcf_assets)
_LOOKS = ("mesh", "texture", "hfield", "skin")
# element -> attributes whose product it allocates, and how much room a point of it takes
_AREAS = {"texture": (("width", "height"), 1.0), "hfield": (("nrow", "ncol"), 5.0)}
# attributes that hold names and not numbers
_WORDS = ("name", "class", "childclass", "dclass", "model", "material", "mesh", "texture", "prefix")
_NAN = re.compile(r"[+-]?nan(\(.*\))?", re.IGNORECASE)
_COPIES = ("replicate", "composite", "flexcomp")


@dataclass
class _Sums:
    """What all files of a model ask for together."""

    pixels: float = 0.0
    points: float = 0.0
    unusual: bool = False  # parts that MuJoCo makes out of few words

    def add(self, element: Element, copies: float) -> None:
        if element.tag in _AREAS:
            attributes, room = _AREAS[element.tag]
            self.pixels += room * _product(element, attributes, 1.0)
            if self.pixels > MAX_PIXELS:
                raise element.error(
                    f"<{element.tag}> asks for {self.pixels:.3g} points (five for each of a height "
                    f"field), counted with what stands before it; at most {MAX_PIXELS:.3g} are "
                    f"made."
                )
        if element.tag == "mesh" and "builtin" in element.attributes:
            self.points += _mesh_points(element)
            if self.points > MAX_POINTS:
                raise element.error(
                    f"<mesh> asks for {self.points:.3g} points, counted with what stands before "
                    f"it; at most {MAX_POINTS:.3g} are made. Lower the first of its `params`."
                )
            self.unusual = True
        if element.tag in ("composite", "flexcomp", "plugin") or copies > _MANY:
            self.unusual = True


def scan(path: str, top: str | os.PathLike[str] | None = None) -> tuple[Element, Bounds, bool]:
    """The root element of a file that is safe to hand on, where its files may lie, and whether it
    makes many parts out of few words.

    Every file it includes is looked at.  top: the root folder (see `Bounds`)."""
    root = parse_file(path, utf8_only=True)
    if root.tag != "mujoco":
        cure = "This is a URDF file: use `read_urdf`." if root.tag == "robot" else "Is this MJCF?"
        found = shortened(root.tag)
        raise root.error(f"expected the root element <mujoco>, found <{found}>. {cure}")
    folder, bounds = os.path.dirname(path), Bounds.of(path, top)
    seen = {os.path.realpath(path)}
    folders: set[str] = set()
    opened: list[tuple[Element, str]] = []
    sums, pending = _Sums(), [(root, 1.0)]
    while pending:
        element, copies = pending.pop()
        for model, inner in _check(element, copies, folders, opened, sums):
            _check_reference(model, "file", set(), bounds)
            included = model.attributes["file"]
            # MuJoCo looks beside the main file, then beside the including one
            for beside in {folder, os.path.dirname(element.path)}:
                place = os.path.join(beside, included)
                real = os.path.realpath(place)
                if real in seen or not os.path.isfile(place):
                    continue
                seen.add(real)
                if len(seen) > MAX_FILES:
                    raise element.error(f"the model includes more than {MAX_FILES} files.")
                pending.append((parse_file(place, utf8_only=True), inner))
    for part, key in opened:
        _check_reference(part, key, folders, bounds)
    return root, bounds, sums.unusual


def _check(
    root: Element,
    copies: float,
    folders: set[str],
    opened: list[tuple[Element, str]],
    sums: _Sums,
) -> Iterator[tuple[Element, float]]:
    """Check one file; give the elements that ask for other models, and how many copies of them.

    folders, opened: its asset folders and what else MuJoCo opens while it reads are added."""
    stack = [(root, copies)]
    while stack:
        element, copies = stack.pop()
        for key, value in element.attributes.items():
            if key in _FOLDERS:
                folders.add(value)
            elif key.startswith("file") and element.tag not in (*_LOOKS, *_MODELS):
                opened.append((element, key))
            elif key not in _WORDS and "nan" in value.lower():
                _check_numbers(element, key, value)
        if element.tag in _COPIES:
            copies *= _product(element, ("count",), 1.0)
            if copies > MAX_COPIES:
                raise element.error(
                    f"<{element.tag}> asks for {copies:.3g} copies, more than {MAX_COPIES}."
                )
        sums.add(element, copies)
        if element.tag in _MODELS and element.attributes.get("file"):
            yield element, copies
        stack.extend((child, copies) for child in reversed(element.children))


def _check_reference(element: Element, key: str, folders: set[str], bounds: Bounds) -> None:
    """Of what is opened before a model is compiled; a model in a model brings its own folders."""
    value, before = element.attributes[key], {""}
    if element.tag == "model":
        bounds = Bounds(bounds.folder, bounds.folder)
    elif element.tag != "include":
        before |= folders
    refusal = next(filter(None, (why_refused(value, bounds, x) for x in sorted(before))), None)
    if refusal:
        raise element.error(
            f"attribute `{key}` of <{element.tag}>: '{shortened(value, 120)}' is refused: "
            f"{refusal}.",
            Remedy("root", {"otherwise": "Put the file there"}),
        )


def _check_numbers(element: Element, key: str, value: str) -> None:
    """MuJoCo takes a NaN, and writes a log file about it into the working directory."""
    for word in value.split():
        if _NAN.fullmatch(word):
            raise element.error(
                f"attribute `{key}` of <{element.tag}>: expected a number, found "
                f"'{shortened(word)}'. Write a finite decimal number."
            )


def _product(
    element: Element, keys: tuple[str, ...], default: float, which: slice = slice(8)
) -> float:
    product = default
    for key in keys:
        for word in element.attributes.get(key, "").split()[which]:
            try:
                value = float(word)
            except ValueError:
                continue  # MuJoCo will say what is wrong with it
            product *= max(value, 1.0) if not math.isnan(value) else 1.0
    return product


def _mesh_points(element: Element) -> float:
    """About how many points a formula gives: its first number in two directions, or the first
    two."""
    first, second = (_product(element, ("params",), 1.0, slice(k, k + 1)) for k in (0, 1))
    return first * max(first if element.attributes["builtin"].startswith("super") else 1.0, second)


def lines_of(root: Element) -> dict[tuple[str, str], int]:
    """(tag, name) -> line, for messages about parts that MuJoCo has compiled."""
    lines: dict[tuple[str, str], int] = {}
    for element in root.walk():
        if element.tag == "equality":
            for child in element.children:
                if name := child.attributes.get("name"):
                    lines.setdefault(("equality", name), child.line)
        if name := element.attributes.get("name"):
            tag = "joint" if element.tag == "freejoint" else element.tag
            lines.setdefault((tag, name), element.line)
    return lines
