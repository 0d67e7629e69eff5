"""MODEL on the command line: a file or a built-in mechanism; its labels and units."""

from __future__ import annotations

from pathlib import Path

from armillary import Mechanism, example, example_names, load
from armillary.cli.options import ClosedSource, Source
from armillary.errors import FormatError, unknown_name
from armillary.model.constraint_parts import NOUNS
from armillary.units import unit_of


def find(source: Source, strict: bool = False) -> Mechanism:
    """The mechanism of a file, or the built-in one of that name."""
    name = source.model
    tolerance = source.geometry_tolerance if isinstance(source, ClosedSource) else None
    if not is_file_name(name):
        known = example_names()
        if name not in known:
            hint = str(unknown_name("built-in mechanism", name, known))
            raise FormatError(f"there is no file '{name}', and {hint}")
        mechanism = example(name).compile(geometry_tolerance=tolerance)
        return mechanism if source.base is None else mechanism.with_base(source.base)
    return load(
        name, base=source.base, root=source.root, strict=strict, geometry_tolerance=tolerance
    )


def is_file_name(name: str) -> bool:
    """A path, or a name with an ending; not the plain word of a built-in mechanism."""
    try:
        exists = Path(name).exists()
    except (OSError, ValueError):
        exists = False
    return exists or bool(Path(name).suffix) or "/" in name or "\\" in name or not name


def labels(mechanism: Mechanism, kind: str) -> tuple[str, ...]:
    """One name per number of q, v, a or tau."""
    return mechanism.q_labels if kind == "q" else mechanism.v_labels


def units(mechanism: Mechanism, kind: str) -> tuple[str, ...]:
    """One unit per number of q, v, a or tau; the parts of a quaternion have none."""
    model = mechanism.model
    if kind == "q":
        return tuple("-" if unit == "1" else unit for unit in model.q_units)
    return tuple(unit_of(kind, unit) for unit in model.v_units)


def constraint_counts(mechanism: Mechanism) -> str:
    """How many of each kind of constraint a mechanism has, in words; empty where it has none."""
    count: dict[str, int] = {}
    for part in mechanism.model.constraints:
        kind = NOUNS[type(part)]
        count[kind] = count.get(kind, 0) + 1
    found = [f"{n} {kind}{'s' if n > 1 else ''}" for kind, n in count.items()]
    return " and ".join(filter(None, (", ".join(found[:-1]), *found[-1:])))


def left_out(mechanism: Mechanism) -> str:
    """What the inverse dynamics of the tree does not see."""
    return (
        f"tau is that of the tree of '{mechanism.name}' alone, without its "
        f"{constraint_counts(mechanism)}; leave --tree out for the closed mechanism"
    )
