"""Other systems: what is done where calls of POSIX are missing, by taking them away here."""

import ctypes
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.codegen import cache as object_cache
from armillary.codegen import jit, target
from armillary.codegen.cache import Cache, key_of
from armillary.errors import FormatError
from armillary.formats import mjcf_trial
from armillary.formats.references import Bounds
from armillary.runtime import threads
from armillary.sim.record import disk

KEY, OTHER, BODY = key_of(["a"]), key_of(["b"]), b"code" * 300
ARM = am.example("double-pendulum")


def recorded(path: Path, duration: float, **options) -> am.Run:
    return am.simulate(ARM, [0.4, -0.3], duration=duration, step=0.01, out=path, **options)


# ---------------------------------------------------------------- the cache


@pytest.fixture
def by_paths(monkeypatch, tmp_path):
    """Folders are no descriptors, and there are no flags against links and pipes."""
    monkeypatch.setattr(object_cache, "_BY_DESCRIPTOR", False)
    monkeypatch.delattr(os, "getuid", raising=False)
    for name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(os, "supports_fd", set())


def test_cache_by_paths(by_paths, tmp_path):
    cache = Cache(tmp_path / "objects", limit=3000)
    assert cache.get(KEY) is None
    cache.put(KEY, BODY)
    assert cache.get(KEY) == BODY
    entry = cache.folder / f"{KEY}.armobj"
    os.utime(entry, (1.0, 1.0))
    assert cache.get(KEY) == BODY and entry.stat().st_mtime > 1.0  # used now
    entry.write_bytes(entry.read_bytes()[:-3])
    assert cache.get(KEY) is None and not entry.exists()
    cache.put(KEY, BODY)
    os.utime(cache.folder / f"{KEY}.armobj", (1.0, 1.0))
    cache.put(OTHER, 2 * BODY)  # room for one of them
    assert cache.get(KEY) is None and cache.get(OTHER) == 2 * BODY
    assert [path.suffix for path in cache.folder.iterdir()] == [".armobj"]
    assert cache.clear() == 1


# ---------------------------------------------------------------- processor and mathematics


def test_processors_without_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert threads.cores() == 3
    assert threads.threads(8).members == 3
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert threads.threads(8) is None


def test_a_processor_that_llvm_does_not_know(monkeypatch):
    """No features: two doubles side by side, fused multiply-adds on ARM alone."""
    llvm = pytest.importorskip("llvmlite.binding")

    def unknown():
        raise RuntimeError("host features")

    monkeypatch.setattr(llvm, "get_host_cpu_features", unknown)
    for triple, fma in (("x86_64-pc-windows-msvc", False), ("arm64-apple-darwin23", True)):
        monkeypatch.setattr(llvm, "get_process_triple", lambda triple=triple: triple)
        found = target.machine.__wrapped__()
        assert (found.features, found.fma, found.doubles) == ("", fma, 2)


class Without:
    """A library with some functions missing."""

    def __init__(self, *names: str):
        for name, function in jit.mathematics().items():
            if name not in names:
                setattr(self, name, function)


FUNCTIONS = {"exp": (0.7,), "atan2": (0.3, -1.1)}


@pytest.mark.parametrize("missing", [(), ("expf", "atan2f"), tuple(FUNCTIONS)])
def test_mathematics_that_the_system_lacks(monkeypatch, missing):
    """A process without names of its own, then a library without some functions."""
    library = Without(*missing)
    monkeypatch.setattr(jit, "_libraries", lambda: iter([library]))
    found = jit.mathematics.__wrapped__()
    assert len(found) == 2 * len(FUNCTIONS)
    for op, arguments in FUNCTIONS.items():
        expected = getattr(math, op)(*arguments)
        for name, kind, digits in ((op, ctypes.c_double, 1e-15), (f"{op}f", ctypes.c_float, 1e-6)):
            address = ctypes.cast(found[name], ctypes.c_void_p).value
            call = ctypes.CFUNCTYPE(kind, *[kind] * len(arguments))(address)
            assert call(*arguments) == pytest.approx(expected, rel=digits)


def test_a_process_without_names(monkeypatch):
    """As on Windows, where CDLL(None) is a mistake: the file of the library is looked for."""
    load = ctypes.CDLL

    def named(name, *rest):
        if name is None:
            raise TypeError("bad argument")
        return load(name, *rest)

    monkeypatch.setattr(ctypes, "CDLL", named)
    assert set(jit.mathematics.__wrapped__()) == set(jit.mathematics())


# ---------------------------------------------------------------- files of runs


def test_runs_without_locks(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setattr(disk, "_PLAIN", 0)
    recorded(tmp_path / "run.nc", 0.05)
    again = recorded(tmp_path / "run.nc", 0.1, resume=True)
    whole = am.simulate(ARM, [0.4, -0.3], duration=0.1, step=0.01)
    np.testing.assert_array_equal(again.q, whole.q)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files cannot be listed")
def test_open_files_are_never_renamed(monkeypatch, tmp_path):
    """Windows refuses that: a recording that goes on from a finished file."""
    replace = os.replace

    def strict(source, *rest, **more):
        for number in os.listdir("/proc/self/fd"):
            link = f"/proc/self/fd/{number}"
            if os.path.lexists(link) and os.readlink(link) == os.path.realpath(source):
                raise PermissionError(13, "used by another process", str(source))
        return replace(source, *rest, **more)

    monkeypatch.setattr(os, "replace", strict)
    recorded(tmp_path / "run.nc", 0.05)
    assert recorded(tmp_path / "run.nc", 0.1, resume=True).complete


# ---------------------------------------------------------------- the trial of a model


def test_a_trial_without_limits(monkeypatch):
    """No module `resource`, or one without /proc: the child runs, and the parent waits so long."""
    monkeypatch.setitem(sys.modules, "resource", None)
    mjcf_trial._limit()


def test_limits_without_proc(monkeypatch):
    resource = pytest.importorskip("resource")
    known: list[int] = []
    monkeypatch.setattr(resource, "setrlimit", lambda which, most: known.append(which))

    def missing(*_):
        raise FileNotFoundError("/proc/self/status")

    monkeypatch.setattr("builtins.open", missing)
    mjcf_trial._limit()
    assert known == [resource.RLIMIT_CPU]


@pytest.mark.parametrize(("code", "refused"), [
    (0, False), (1, False), (mjcf_trial._TOO_MUCH, True), (-9, True), (0xC0000005, True),
])  # fmt: skip
def test_how_a_trial_ends(monkeypatch, code, refused):
    """A crash has a negative number, and a very large one on Windows."""
    ended = subprocess.CompletedProcess([], code)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: ended)
    if refused:
        with pytest.raises(FormatError, match="takes more than"):
            mjcf_trial.trial("model.xml", Bounds("", ""))
    else:
        mjcf_trial.trial("model.xml", Bounds("", ""))
