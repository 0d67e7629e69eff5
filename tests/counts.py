"""How the house stands, in numbers: `python -m tests.counts` prints them.

The source is parsed; only the last row runs it, in a process of its own."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "armillary"

FIRST_CALL = """
import sys
import armillary as am
arm = am.load({path!r})
seen = set()
def trace(frame, event, argument):
    name = frame.f_globals.get("__name__", "")
    if name.startswith("armillary"):
        seen.add(name)
sys.setprofile(trace)
arm.inverse_dynamics(arm.initial, [0.0] * arm.nv, [0.0] * arm.nv)
sys.setprofile(None)
print(len(seen), "modules,", end=" ")
lines = 0
for name in seen:
    with open(sys.modules[name].__file__) as file:
        lines += sum(1 for _ in file)
print(lines, "lines")
"""


def files() -> Iterator[tuple[str, Path, ast.Module]]:
    """(module, file, syntax tree) of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield name, path, ast.parse(path.read_text())


def reach_ins() -> list[str]:
    """x._y where x is not self, cls, super() or a class or module of the same file."""
    found = []
    for _, path, tree in files():
        own = {n.name for n in ast.walk(tree) if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or not re.match(r"_(?!_)", node.attr):
                continue
            match node.value:
                case ast.Name(id="self" | "cls") | ast.Call(func=ast.Name(id="super")):
                    continue
                case ast.Name(id=name) if name in own:
                    continue
            found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}: {ast.unparse(node)}")
    return found


def imports(module: str, tree: ast.Module, known: set[str]) -> set[str]:
    """Modules of the package that a module imports, at its head, late or for types only."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
            if any(f"{node.module}.{alias.name}" in known for alias in node.names):
                names = names[:-1]
        else:
            continue
        found |= {name for name in names if name in known}
    return found - {module}


def cycles() -> list[list[str]]:
    """Groups of modules that import each other, counting late and type-only imports (Tarjan)."""
    trees = {name: tree for name, _, tree in files()}
    graph = {name: imports(name, tree, set(trees)) for name, tree in trees.items()}
    surfaces = {name for name, path, _ in files() if path.name in ("__init__.py", "doors.py")}
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in graph[node] - surfaces:
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            at = stack.index(node)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                groups.append(sorted(group))

    for node in sorted(set(graph) - surfaces):
        if node not in order:
            visit(node)
    return groups


def any_types() -> int:
    """`Any` outside import lines."""
    return sum(
        len(re.findall(r"\bAny\b", line))
        for _, path, _ in files()
        for line in path.read_text().splitlines()
        if not re.match(r"\s*(from|import)\b", line)
    )


def wide_classes() -> list[str]:
    """Classes with more than 40 public methods and properties of their own or of their bases."""
    classes: dict[str, ast.ClassDef] = {}
    for _, _, tree in files():
        classes |= {n.name: n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)}

    def methods(name: str, seen: frozenset[str] = frozenset()) -> set[str]:
        if name not in classes or name in seen:
            return set()
        node = classes[name]
        own = {
            n.name for n in node.body
            if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")
        }  # fmt: skip
        for base in node.bases:
            if isinstance(base, ast.Name):
                own |= methods(base.id, seen | {name})
        return own

    counted = {name: len(methods(name)) for name in classes}
    return [f"{name} {count}" for name, count in sorted(counted.items()) if count > 40]


def first_call() -> str:
    """Modules of the package that run between the first inverse dynamics of a loaded arm and its
    machine code, and their lines; nothing is compiled before."""
    import tempfile

    import armillary as am

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.yaml"
        am.example("six-r").save(path)
        done = subprocess.run(
            [sys.executable, "-c", FIRST_CALL.format(path=str(path))],
            capture_output=True, text=True, check=True,
            env={"XDG_CACHE_HOME": folder, "PYTHONPATH": str(PACKAGE.parent)},
        )  # fmt: skip
    return done.stdout.strip()


def main() -> None:
    texts = [path.read_text() for _, path, _ in files()]
    rows = {
        "lines of src": sum(text.count("\n") for text in texts),
        "files of src": len(texts),
        "private reach-ins": len(reach_ins()),
        "hidden import cycles": len(cycles()),
        "Any outside imports": any_types(),
        "fmt: skip": sum(text.count("# fmt: skip") for text in texts),
        "classes above 40 public methods": ", ".join(wide_classes()) or "none",
        "first inverse dynamics of a loaded arm": first_call(),
    }
    for name, value in rows.items():
        print(f"{name:42} {value}")
    if "-v" in sys.argv:
        print(*reach_ins(), *map(str, cycles()), sep="\n")


if __name__ == "__main__":
    main()
