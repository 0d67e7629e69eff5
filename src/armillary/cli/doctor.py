"""`doctor`: does this installation work, and what is missing for what?"""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import armillary as am
from armillary.cli import screen
from armillary.codegen.cache import default_cache, key_of
from armillary.codegen.target import machine, native
from armillary.errors import ArmillaryError

# extra of pyproject.toml: (a module of it, what it is for)
EXTRAS = {
    "mjcf": ("mujoco", "MJCF files"),
    "mesh": ("trimesh", "meshes on pages and in parts files"),
    "symbolic": ("sympy", "equations in letters"),
    "casadi": ("casadi", "CasADi functions"),
    "parquet": ("pyarrow", "Parquet files"),
    "cluster": ("distributed", "studies on clusters"),
    "shell": ("prompt_toolkit", "editing and completion in `armillary sim`"),
}
_CORE = ("numpy", "scipy", "llvmlite", "matplotlib", "h5py", "h5netcdf", "xarray")
_AGREE = 1e-9
Check = tuple[bool, str]  # does it work, and what there is to say


def doctor(json: bool) -> bool:
    """True: the core works."""
    found = {name: _tried(check) for name, check in CHECKS.items()}
    extras = {name: find_spec(module) is not None for name, (module, _) in EXTRAS.items()}
    sound = all(works for works, _ in found.values())
    if json:
        checks = {name: {"works": works, "says": text} for name, (works, text) in found.items()}
        screen.print_json(
            {"sound": sound, "versions": _versions(), "checks": checks, "extras": extras}
        )
        return sound
    screen.table(["what", "version"], list(_versions().items()))
    rows = [(name, "works" if works else "FAILS", text) for name, (works, text) in found.items()]
    screen.table(["core", "", ""], rows)
    lines = []
    for name, (_, use) in EXTRAS.items():
        cure = "" if extras[name] else f"in a checkout: pip install '.[{name}]'"
        lines.append((name, "there" if extras[name] else "missing", use, cure))
    screen.table(["extra", "", "for", ""], lines)
    screen.say("the core works" if sound else "the core does not work", "green" if sound else "red")
    return sound


def _tried(check: Callable[[], Check]) -> Check:
    try:
        return check()
    except (ArmillaryError, ArithmeticError, OSError, ImportError, RuntimeError) as fault:
        return False, f"{type(fault).__name__}: {fault}"


def _versions() -> dict[str, str]:
    found = {
        "armillary": am.__version__,
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }
    for name in _CORE:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return found


def _dynamics() -> Check:
    """A tree there and back, and a closed mechanism compiled and by its null space."""
    arm, bars = am.example("six-r"), am.example("four-bar")
    q, v, a = arm.random_state(1)
    back = arm.forward_dynamics(q, v, arm.inverse_dynamics(q, v, a))
    rest = np.zeros(bars.nv)
    free = bars.solve(bars.initial, rest, rest).acceleration
    closed = bars.forward_dynamics(bars.initial, rest, rest)
    error = max(np.abs(x - y).max() / np.abs(y).max() for x, y in ((back, a), (closed, free)))
    text = f"a tree and a closed mechanism agree by two formulations to {error:.0e}"
    return bool(error < _AGREE), text


def _compiler() -> Check:
    if not native():
        return True, "without a working llvmlite every answer comes from the interpreter, slowly"
    here = machine()
    return True, f"machine code for {here.name}, {here.doubles} states side by side in batches"


def _cache() -> Check:
    """An entry comes back as it was put; without a cache every process compiles anew."""
    store, key = default_cache(), key_of(["doctor"])
    store.put(key, b"\x00armillary")
    if store.get(key) == b"\x00armillary":
        return True, f"compiled code is kept in {store.folder}"
    return True, f"nothing can be kept in {store.folder}: every process compiles anew"


def _recordings() -> Check:
    """A short run through a netCDF file: the same numbers?"""
    run = am.simulate(am.example("double-pendulum"), [0.3, 0.1], duration=0.01)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.nc"
        run.save(path)
        same = np.array_equal(am.load_run(path).q, run.q)
    return bool(same), "a run is written as netCDF and read back"


def _pictures() -> Check:
    text = am.example("four-bar").draw().svg
    films = "" if shutil.which("ffmpeg") else "; no ffmpeg: films as .gif, not as .mp4"
    return text.lstrip().startswith("<svg"), f"sketches and pages{films}"


CHECKS: dict[str, Callable[[], Check]] = {
    "dynamics": _dynamics,
    "compiler": _compiler,
    "cache": _cache,
    "recordings": _recordings,
    "pictures": _pictures,
}
