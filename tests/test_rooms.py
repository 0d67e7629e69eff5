"""The rooms of the package and the stairs between them: who imports whom, which nouns live where.

    cli > viewer > studies > vehicles > sim > textbook, analysis > mechanism > constraints
        > evaluate > algorithms, formats > model > joints > runtime > codegen > spatial, graph
        > scalar, errors, units, shown, doors

Imports only go down; rooms on one step do not import each other.  What a method opens in a room
above stands in the table of doors alone (doors.py).  The source is parsed, never
imported, so the rules hold for imports inside functions too, and for a tree in which some rooms
are still to be built.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import counts

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "armillary"

# bottom to top
STAIRS = [
    {"scalar", "errors", "units", "shown", "doors"},
    {"spatial", "graph"},
    {"codegen"},
    {"runtime"},
    {"joints"},
    {"model"},
    {"algorithms", "formats"},
    {"evaluate"},
    {"constraints"},
    {"mechanism"},
    {"textbook", "analysis"},
    {"sim"},
    {"vehicles"},
    {"studies"},
    {"viewer"},
    {"cli"},
]
STEP_OF = {room: step for step, rooms in enumerate(STAIRS) for room in rooms}
# inside sim, bottom to top: the same rule
SIM_STAIRS = ["motion", "control", "actuators", "methods", "record", "loop"]
SURFACE = "__init__"  # the public names; collects from every room but cli
ENTRY = "__main__"  # python -m armillary
DOORS = "doors"  # the methods that open a room above: the one file that points upwards

# Above the compiler, yet not its users: algorithm and compiler meet in evaluate only.
KNOWS_NO_COMPILER = {"joints", "model", "algorithms", "formats"}
COMPILER = {"graph", "codegen", "runtime"}

FROM_EVALUATE_UP = {
    "evaluate", "constraints", "mechanism", "textbook", "analysis", "sim", "vehicles", "studies",
    "viewer", "cli",
}  # fmt: skip
# module -> the rooms that may import it
HOME_OF_MODULE = {
    "llvmlite": {"codegen"},
    "ctypes": {"codegen", "runtime"},
    "numpy": FROM_EVALUATE_UP | {"formats"},  # readers whose library hands out arrays
    "scipy": FROM_EVALUATE_UP,
    "matplotlib": {"sim", "vehicles", "studies", "viewer", "cli"},
    "mujoco": {"formats"},
    "xml": {"formats", "viewer"},
    "yaml": {"formats", "studies", "cli"},
    "pydantic": {"formats", "studies", "viewer"},
    "distributed": {"studies"},
    "typer": {"cli"},
    "rich": {"cli"},
    # oracles of the tests, never part of the library
    "pinocchio": set(),
    "example_robot_data": set(),
    "pytest": set(),
    "hypothesis": set(),
}
# function -> the rooms that may call it: everything inside is in radians
HOME_OF_CALL = {
    name: {"formats", "studies", "viewer", "cli"}
    for name in ("radians", "degrees", "deg2rad", "rad2deg")
}
# nouns that a room does not know, in no name, docstring or comment: a graph has nodes, not bodies
MECHANICS = re.compile(
    r"(joint|link|robot|arm|mechanism|wheel|inertia|wrenche|torque|acceleration|dof|frame)s?"
    r"|bod(y|ies)|wrench|gravity|mass(es)?|velocit(y|ies)|dynamics|kinematics|freedom"
)
UNKNOWN_NOUNS = {"graph": MECHANICS}
# where the user's data enters, a failed check is an error with a text, never an assert
NO_ASSERT = {"formats", "model", "evaluate", "constraints", "mechanism"}

USUAL_FILE_LINES = 400  # one idea per file: a longer one is rare, and never one of two ideas
MAX_FILE_LINES = 500
LONG_FILES = 0.03  # of all files
MAX_FUNCTION_LINES = 60


# ---------------------------------------------------------------- reading the source


@cache
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def sources(package: Path) -> Iterator[tuple[str, Path]]:
    """(room, file) of every Python file: the room is the first name below the package."""
    for path in sorted(package.rglob("*.py")):
        yield path.relative_to(package).parts[0].removesuffix(".py"), path


def imported_modules(tree: ast.AST, package: Path, path: Path) -> Iterator[tuple[int, str]]:
    """(line, absolute dotted name) of every import, wherever it stands."""
    inside = (package.name, *path.relative_to(package).parent.parts)  # the file's own package
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, name.name) for name in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = inside[: len(inside) - level + 1] if level else ()
                prefix = ".".join([*base, *([module] if module else [])])
                yield from ((node.lineno, f"{prefix}.{name.name}") for name in names)
            case ast.Call(args=[ast.Constant(value=str(name)), *_]) if called(node) in (
                "import_module",
                "__import__",
            ):
                yield node.lineno, name


def called(call: ast.Call) -> str:
    """Last name of what is called: f for f(...) and for a.b.f(...)."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


# ---------------------------------------------------------------- the rules, as lists of complaints


def stairs_complaints(package: Path) -> list[str]:
    found = []
    for room, path in sources(package):
        if room not in STEP_OF and room not in (SURFACE, ENTRY):
            found.append(f"{path}:1: '{room}' is no room; put its lines into one of {rooms()}")
            continue
        tree = parsed(path.read_text())
        opened = {name for _, name in addresses(tree)} if room == DOORS else set()
        for line, name in imported_modules(tree, package, path):
            reason = forbidden(room, name, package.name)
            if reason and name not in opened:
                found.append(f"{path}:{line}: {reason}")
    return found


def addresses(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of what every Door("module:function") opens."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) == "Door":
            match node.args:
                case [ast.Constant(value=str(address))]:
                    yield node.lineno, address.replace(":", ".")


def door_complaints(package: Path) -> list[str]:
    """Doors outside the table, to nowhere, or imported while the program runs."""
    found = []
    for room, path in sources(package):
        tree = parsed(path.read_text())
        for line, name in addresses(tree):
            module, _, function = name.rpartition(".")
            file = package.parent.joinpath(*module.split(".")).with_suffix(".py")
            if room != DOORS:
                found.append(f"{path}:{line}: a door to '{name}'; its row belongs in doors.py")
            elif not file.is_file() or f"def {function}(" not in file.read_text():
                found.append(f"{path}:{line}: a door to '{name}', which is not there")
        if room == DOORS:
            late = {id(n) for guard in ast.walk(tree) if type_only(guard) for n in ast.walk(guard)}
            for node in ast.walk(tree):
                name = (isinstance(node, ast.ImportFrom) and node.module) or ""
                if name.startswith(package.name) and id(node) not in late:
                    found.append(f"{path}:{node.lineno}: imports '{name}' at once")
    return found


def type_only(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not node.orelse
    )


def forbidden(room: str, name: str, package: str) -> str:
    """Why `room` may not import the dotted `name`; empty if it may."""
    top, _, rest = name.partition(".")
    target = rest.partition(".")[0]
    if top != package or target == room:
        return ""
    if target not in STEP_OF:
        if room in (ENTRY, "cli", SURFACE):
            return ""
        return f"'{room}' imports '{name}' from the public surface; import it from its room"
    if room == SURFACE:
        return f"the public surface imports '{name}'" if target == "cli" else ""
    if room == ENTRY:
        return ""
    if target in COMPILER and room in KNOWS_NO_COMPILER:
        return f"'{room}' imports '{name}'; it meets the compiler in evaluate only"
    if STEP_OF[target] == STEP_OF[room]:
        return f"'{room}' imports '{name}', which stands on the same step"
    if STEP_OF[target] > STEP_OF[room]:
        return f"'{room}' imports '{name}', which stands above it"
    return ""


def sim_complaints(package: Path) -> list[str]:
    """Imports inside sim that go up its own stairs, late and type-only ones too."""
    found = []
    for room, path in sources(package):
        parts = path.relative_to(package).parts
        if room != "sim" or parts[1] not in SIM_STAIRS:
            continue
        for line, name in imported_modules(parsed(path.read_text()), package, path):
            inside = name.split(".")[:3]
            if inside[:2] != [package.name, "sim"] or inside[-1] not in SIM_STAIRS:
                continue
            if SIM_STAIRS.index(inside[2]) > SIM_STAIRS.index(parts[1]):
                found.append(f"{path}:{line}: '{parts[1]}' imports '{name}', which stands above it")
    return found


def rooms() -> str:
    return ", ".join(room for step in STAIRS for room in sorted(step))


def noun_complaints(package: Path) -> list[str]:
    found = []
    for room, path in sources(package):
        tree = parsed(path.read_text())
        for line, name in imported_modules(tree, package, path):
            top = name.partition(".")[0]
            if room not in HOME_OF_MODULE.get(top, {room}):
                found.append(
                    f"{path}:{line}: '{room}' imports '{top}'; {homes(HOME_OF_MODULE[top])}"
                )
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and room not in HOME_OF_CALL.get(called(node), {room}):
                name = called(node)
                found.append(
                    f"{path}:{node.lineno}: '{room}' calls '{name}'; {homes(HOME_OF_CALL[name])}"
                )
    return found


def word_complaints(package: Path) -> list[str]:
    found = []
    for room, path in sources(package):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found += [
                f"{path}:{number}: '{room}' knows no '{word}'"
                for word in words(line)
                if room in UNKNOWN_NOUNS and UNKNOWN_NOUNS[room].fullmatch(word)
            ]
    return found


def words(text: str) -> Iterator[str]:
    """In lower case, those inside names, too: two of frame_body, two of BodyTracer."""
    for name in re.findall(r"[A-Za-z]+", text):
        yield from (word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name))


def homes(allowed: set[str]) -> str:
    return (
        f"its place is {', '.join(sorted(allowed))}"
        if allowed
        else "it has no place in the library"
    )


def assert_complaints(package: Path) -> list[str]:
    return [
        f"{path}:{node.lineno}: assert in '{room}'; raise an error that names the part, "
        "says expected and found, and gives the cure"
        for room, path in sources(package)
        if room in NO_ASSERT
        for node in ast.walk(parsed(path.read_text()))
        if isinstance(node, ast.Assert)
    ]


def size_complaints(package: Path) -> list[str]:
    found = []
    files = [path for _, path in sources(package)]
    long = [path for path in files if len(path.read_text().splitlines()) > USUAL_FILE_LINES]
    if len(long) > max(1, LONG_FILES * len(files)):
        found.append(f"{len(long)} files of more than {USUAL_FILE_LINES} lines: {long}")
    for path in files:
        text = path.read_text()
        lines = len(text.splitlines())
        if lines > MAX_FILE_LINES:
            found.append(f"{path}:{lines}: file of {lines} lines, at most {MAX_FILE_LINES}")
        for node in ast.walk(parsed(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = node.end_lineno - node.lineno + 1
                if lines > MAX_FUNCTION_LINES:
                    found.append(
                        f"{path}:{node.lineno}: function '{node.name}' of {lines} lines, "
                        f"at most {MAX_FUNCTION_LINES}"
                    )
    return found


RULES = [
    stairs_complaints,
    door_complaints,
    noun_complaints,
    word_complaints,
    assert_complaints,
    size_complaints,
]


@pytest.mark.parametrize("rule", RULES)
def test_the_package_keeps(rule):
    complaints = rule(PACKAGE)
    assert not complaints, "\n" + "\n".join(complaints)


def test_nobody_reaches_into_private_names():
    assert not counts.reach_ins()


def test_no_modules_import_each_other():
    """Not behind late imports either, nor for types alone."""
    assert not counts.cycles()


# ---------------------------------------------------------------- the rules themselves are tested

BROKEN = [
    (stairs_complaints, "spatial/a.py", "\nfrom armillary.model import tree", ":2: 'spatial'"),
    (stairs_complaints, "spatial/a.py", "from armillary import graph", "the same step"),
    (stairs_complaints, "spatial/a.py", "from ..joints import revolute", "stands above it"),
    (stairs_complaints, "graph/a.py", "from armillary.codegen import target", "stands above it"),
    (stairs_complaints, "model/a.py", "def f():\n    import armillary.sim", ":2: 'model'"),
    (stairs_complaints, "scalar.py", "from .errors import ModelError", "the same step"),
    (stairs_complaints, "algorithms/a.py", "from ..graph.expr import Node", "evaluate"),
    (stairs_complaints, "sim/a.py", "from armillary import Mechanism", "public surface"),
    (stairs_complaints, "sim/a.py", "m = import_module('armillary.cli')", "stands above it"),
    (stairs_complaints, "__init__.py", "from .cli import main", "public surface"),
    (stairs_complaints, "utils.py", "", "no room"),
    (stairs_complaints, "doors.py", "from armillary.sim.run import plot", "stands above it"),
    (door_complaints, "doors.py", "from armillary.viewer import draw", "at once"),
    (door_complaints, "doors.py", 'f = Door("armillary.viewer.b:draw")', "not there"),
    (door_complaints, "sim/a.py", 'f = Door("armillary.viewer.b:draw")', "belongs in doors.py"),
    (sim_complaints, "sim/motion/a.py", "from armillary.sim.loop.loop import Loop", "above it"),
    (sim_complaints, "sim/control/a.py", "def f():\n    from ..record import run", ":2: 'control'"),
    (noun_complaints, "algorithms/a.py", "import numpy as np", "'numpy'"),
    (noun_complaints, "evaluate.py", "from llvmlite import binding", "'llvmlite'"),
    (noun_complaints, "sim/a.py", "import typer", "its place is cli"),
    (noun_complaints, "viewer/a.py", "from distributed import Client", "its place is studies"),
    (noun_complaints, "formats/a.py", "import pinocchio", "no place in the library"),
    (noun_complaints, "joints/a.py", "x = math.radians(90)", "'radians'"),
    (word_complaints, "graph/a.py", "def f(frame_index): ...", "knows no 'frame'"),
    (word_complaints, "graph/a.py", "\nclass BodyTracer: ...", ":2: 'graph' knows no 'body'"),
    (word_complaints, "graph/a.py", '"""One number per degree of freedom."""', "'freedom'"),
    (word_complaints, "graph/a.py", "OFFSETS = 3  # of the JOINTS", "'joints'"),
    (assert_complaints, "evaluate.py", "assert len(q) == n", ":1: assert"),
    (size_complaints, "scalar.py", "x = 1\n" * 501, "501 lines"),
    (size_complaints, "scalar.py", "def f():\n" + "    x = 1\n" * 60, "'f' of 61 lines"),
]


@pytest.mark.parametrize(("rule", "file", "text", "complaint"), BROKEN)
def test_a_broken_rule_is_found(tmp_path, rule, file, text, complaint):
    (found,) = rule(write(tmp_path, file, text))
    assert complaint in found
    assert file in found


KEPT = [
    ("spatial/a.py", "from armillary.scalar import sin\nfrom . import b\nfrom .b import c"),
    ("algorithms/constraints/a.py", "from ...joints import base\nfrom ..inverse import outward"),
    ("evaluate.py", "import numpy as np\nfrom armillary import algorithms, codegen, formats"),
    ("formats/dh.py", "import numpy\nalpha = radians(row['alpha_deg'])"),
    ("__init__.py", "def __getattr__(name):\n    from .mechanism import load\n    return load"),
    ("graph/a.py", "def parent(somebody):\n    from armillary import scalar"),
    ("codegen/a.py", "body = joint = frame = 0"),
    ("codegen/jit.py", "import llvmlite.binding\nassert stored"),
    ("scalar.py", "def f():\n" + "    x = 1\n" * 59),
    ("sim/loop/a.py", "from armillary.sim.motion.schedules import Schedule\nfrom .b import c"),
]


@pytest.mark.parametrize(("file", "text"), KEPT)
def test_a_kept_rule_is_silent(tmp_path, file, text):
    package = write(tmp_path, file, text)
    assert [complaint for rule in RULES for complaint in rule(package)] == []


def write(folder: Path, file: str, text: str) -> Path:
    package = folder / "armillary"
    (package / file).parent.mkdir(parents=True)
    (package / file).write_text(text)
    return package
