"""The ways to get a mechanism: built part by part, from a file, by name, from tables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from armillary.evaluate.request import CompileOptions
from armillary.mechanism.mechanism import Mechanism
from armillary.model import builder as model_builder
from armillary.model.arguments import name_arguments


class Builder(model_builder.Builder):
    """Builds a mechanism part by part; `build()` checks it and gives a `Mechanism`."""

    def build(self) -> Mechanism:  # type: ignore[override]
        return Mechanism(super().build())


def load(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    strict: bool = False,
    root: str | os.PathLike[str] | None = None,
    geometry_tolerance: float | None = None,
) -> Mechanism:
    """Read a mechanism from a file: .urdf, .xml (MJCF or URDF), .yaml, .csv (DH table).

    base: "fixed" or "free" (URDF).  strict: refuse what would otherwise be reported.
    root: the folder that the files it names must lie in (default: the package or repository).
    geometry_tolerance: accuracy of its lengths as a part of the machine's size, for loops
    (default: by the digits in the file)."""
    from armillary import formats

    model = formats.read(path, base=base, strict=strict, root=root)
    return Mechanism(model, CompileOptions(geometry_tolerance=geometry_tolerance))


@name_arguments
def example(name: str, **options: object) -> Mechanism:
    """A built-in mechanism by name; `armillary.example_names()` lists them.

    options: what an example lets you choose, as in example("four-bar-ladder", n=40)."""
    from armillary.formats import examples

    return Mechanism(examples.example(name, **options))


def example_names() -> tuple[str, ...]:
    from armillary.formats import examples

    return tuple(examples.example_names())


def dh(rows: Sequence[Mapping[str, Any]], **options: Any) -> Mechanism:
    """A serial arm from Denavit-Hartenberg rows; see `armillary.formats.dh.dh`."""
    from armillary.formats.dh import dh as read

    return Mechanism(read(rows, **options))


def sixparameter(links: Sequence[Mapping[str, Any]], **options: Any) -> Mechanism:
    """A serial chain from six-parameter rows; see `armillary.formats.sixparameter`."""
    from armillary.formats.sixparameter import sixparameter as read

    return Mechanism(read(links, **options))
