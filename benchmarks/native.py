"""Pinocchio's time without Python: a small C++ program, built against the headers of the wheel.

The headers alone are used, so that all of it is compiled for this machine.  That takes minutes,
hence the program is kept in build/ and built again only when something changed.  It runs beside
this process, and is asked in turns with the others.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np

from benchmarks.clock import Runner
from benchmarks.machine import cpu
from benchmarks.questions import Case, Question, answer

SOURCE = Path(__file__).with_name("pinocchio_native.cpp")
FOLDER = Path(__file__).parents[1] / "build" / "benchmarks"
FLAGS = (
    "-std=c++17",
    "-O3",
    "-march=native",
    "-DNDEBUG",
    # Pinocchio's own settings of Boost, for its number of joint types
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)
EIGEN = (Path("/usr/include/eigen3"), Path("/usr/local/include/eigen3"))


class NotBuiltError(Exception):
    """Why there is no C++ time, in one line."""


def build(may_compile: bool, eigen: Path | None, say: Callable[[str], None]) -> Path:
    """The program, compiled where it is not there yet."""
    compiler = which("g++") or which("c++")
    if compiler is None:
        raise NotBuiltError("no C++ compiler")
    made_from = [SOURCE.read_text(), *FLAGS, compiler, cpu(), _version()]
    key = hashlib.sha256("\n".join(made_from).encode()).hexdigest()[:16]
    program = FOLDER / f"pinocchio-{key}"
    if program.exists():
        return program
    if not may_compile:
        raise NotBuiltError("not compiled yet, and --quick does not wait for it")
    includes = _includes(eigen)
    say("compiling Pinocchio's C++ headers for this machine (once; some minutes) ...")
    FOLDER.mkdir(parents=True, exist_ok=True)
    fresh = program.with_suffix(".new")
    command = [compiler, *FLAGS, *includes, str(SOURCE), "-o", str(fresh)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise NotBuiltError((errors or ["the compiler failed"])[0][-120:])
    fresh.replace(program)
    return program


def _version() -> str:
    try:
        return version("libpinocchio")
    except PackageNotFoundError:
        raise NotBuiltError("the package libpinocchio with the headers is not installed") from None


def _includes(eigen: Path | None) -> list[str]:
    wheel = Path(str(distribution("libpinocchio").locate_file("cmeel.prefix/include")))
    for folder in (*([eigen] if eigen else []), wheel / "eigen3", *EIGEN):
        if (folder / "Eigen" / "Core").exists():
            return [f"-I{wheel}", f"-I{folder}"]
    raise NotBuiltError("no Eigen headers (pip install cmeel-eigen, or --eigen FOLDER)")


class Native:
    """The program at work on one case."""

    def __init__(self, program: Path, case: Case):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program], stdin=pipe, stdout=pipe, text=True)
        self.case = case
        self._send(_description(case))

    def __enter__(self) -> Native:
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.communicate()

    def runner(self, question: Question) -> Runner:
        """Its time as one more runner, after a look at its result."""
        first = answer(question, question.peer, self.case.theirs())[0]
        expected = np.linalg.norm(np.diag(first) if question.inputs == "q" else first)
        _, found = self._ask(question.native, 1)
        if not np.isclose(found, expected, rtol=1e-6):
            raise NotBuiltError(f"{self.case.name}, {question.name}: it computes something else")
        return partial(self._time, question.native)

    def _time(self, what: str, count: int) -> float:
        return self._ask(what, count)[0] * count

    def _ask(self, what: str, count: int) -> tuple[float, float]:
        self._send(f"{what} {count}\n")
        assert self.process.stdout is not None
        time, norm = self.process.stdout.readline().split()
        return float(time), float(norm)

    def _send(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()


def _description(case: Case) -> str:
    """Joints and state in the order the program reads them."""
    model = case.peer.model
    lines = [str(model.njoints - 1)]
    for k in range(1, model.njoints):
        at, inertia = model.jointPlacements[k], model.inertias[k].toDynamicParameters()
        lines.append(f"{model.parents[k]} {model.joints[k].shortname()}")
        lines += [_text(at.rotation.ravel()), _text(at.translation), _text(inertia)]
    lines += [_text(part) for part in case.state]
    return "\n".join(lines) + "\n"


def _text(values: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in values)
