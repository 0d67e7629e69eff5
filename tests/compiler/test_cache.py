"""The disk cache: what is wrong in it is dropped, what the disk refuses is not an error."""

import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from machine import Machine

from armillary.codegen.cache import Cache, default_cache, key_of
from armillary.codegen.jit import Library, native_call
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes

KEY = key_of(["a", "b"])
BODY = b"machine code" * 100
posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions of another kind")


@pytest.fixture
def cache(tmp_path) -> Cache:
    return Cache(tmp_path / "objects")


def entry(cache: Cache, key: str = KEY) -> Path:
    return cache.folder / f"{key}.armobj"


# ---------------------------------------------------------------- entries


def test_what_is_put_in_comes_out(cache):
    assert cache.get(KEY) is None
    cache.put(KEY, BODY)
    assert cache.get(KEY) == BODY
    assert Cache(cache.folder).get(KEY) == BODY
    assert [path for path, _ in cache.entries()] == [entry(cache)]


def test_another_key_is_another_entry(cache):
    cache.put(KEY, BODY)
    assert cache.get(key_of(["ab"])) is None
    assert key_of(["a", "b"]) != key_of(["ab"]) != key_of(["ab", ""])
    assert key_of(["1:a"]) != key_of(["a"])


DAMAGE = {
    "empty": lambda content: b"",
    "a byte": lambda content: b"a",
    "cut short": lambda content: content[:-7],
    "cut in the head": lambda content: content[:30],
    "cut in the checksum": lambda content: content[: content.index(BODY[:8]) - 5],
    "only the head": lambda content: content[: content.index(BODY[:8])],
    "longer": lambda content: content + b"x",
    "a bit changed": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    "checksum changed": lambda content: content[: -len(BODY) - 1] + b"\x00" + BODY,
    "wrong magic": lambda content: b"armillary object 0" + content[18:],
    "foreign": lambda content: b"\x7fELF" + os.urandom(500),
    "zeros": lambda content: bytes(len(content)),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_entry_is_dropped(cache, damage):
    cache.put(KEY, BODY)
    content = entry(cache).read_bytes()
    entry(cache).write_bytes(DAMAGE[damage](content))
    if entry(cache).read_bytes() == content:
        pytest.fail("not damaged")
    assert cache.get(KEY) is None
    assert not entry(cache).exists()
    cache.put(KEY, BODY)
    assert cache.get(KEY) == BODY


def test_an_entry_under_a_foreign_name_is_dropped(cache):
    """Copied from another key: it carries its own."""
    other = key_of(["other"])
    cache.put(other, BODY)
    entry(cache, other).rename(entry(cache))
    assert cache.get(KEY) is None


def test_an_empty_body_is_no_object(cache):
    cache.put(KEY, b"")
    assert cache.get(KEY) is None


def test_a_folder_in_place_of_an_entry(cache):
    cache.put(KEY, BODY)
    entry(cache).unlink()
    entry(cache).mkdir()
    assert cache.get(KEY) is None
    cache.put(KEY, BODY)
    assert cache.get(KEY) is None


# ---------------------------------------------------------------- notes


@pytest.fixture
def settled(monkeypatch) -> None:
    """Nobody writes source files while the test runs."""
    monkeypatch.setattr("armillary.codegen.cache.unchanged", lambda: True)


@pytest.mark.usefixtures("settled")
def test_notes_come_back(cache):
    assert cache.recall(KEY) is None
    cache.remember(KEY, {"object": "x", "operations": 3})
    assert cache.recall(KEY) == {"object": "x", "operations": 3}


@pytest.mark.parametrize("body", [BODY, b"[1]", b"3", b"{", b"\xff", b'{"a": '])
def test_what_is_no_note_is_none(cache, body):
    cache.put(KEY, body)
    assert cache.recall(KEY) is None


def test_nothing_is_noted_for_source_that_changed(cache, monkeypatch):
    monkeypatch.setattr("armillary.codegen.cache.unchanged", lambda: False)
    cache.remember(KEY, {"object": "x"})
    assert cache.entries() == []


@pytest.mark.usefixtures("settled")
def test_a_noted_object_needs_no_text(cache, shipped_code):
    """The second time the text is not even written; another identity or level writes its own."""
    written = []

    def text():
        written.append(1)
        return text_of(4.5)

    cold = Library(text, ["batch"], cache=cache, identity="mine")
    warm = Library(text, ["batch"], cache=cache, identity="mine")
    assert len(written) == 1
    assert [cold.from_cache, warm.from_cache] == [False, True]
    other = Library(text, ["batch"], cache=cache, identity="another")
    assert len(written) == 2
    assert other.from_cache  # by its text
    assert not Library(text, ["batch"], optimize=2, cache=cache, identity="mine").from_cache
    assert len(written) == 3


# ---------------------------------------------------------------- folders


def test_a_missing_folder_is_made(tmp_path):
    cache = Cache(tmp_path / "deep" / "down")
    assert cache.get(KEY) is None
    assert cache.entries() == []
    assert cache.clear() == 0
    cache.put(KEY, BODY)
    assert cache.get(KEY) == BODY


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "objects").write_text("not a folder")
    cache = Cache(tmp_path / "objects")
    cache.put(KEY, BODY)
    assert cache.get(KEY) is None
    assert cache.entries() == []
    assert cache.clear() == 0
    below = Cache(tmp_path / "objects" / "below")
    below.put(KEY, BODY)
    assert below.get(KEY) is None


@posix
def test_the_folder_is_for_its_owner_alone(cache):
    cache.put(KEY, BODY)
    assert cache.folder.stat().st_mode & 0o077 == 0
    assert entry(cache).stat().st_mode & 0o077 == 0


@posix
@pytest.mark.parametrize("mode", [0o777, 0o722, 0o770, 0o720])
def test_a_folder_that_others_may_write_is_not_trusted(cache, mode):
    cache.put(KEY, BODY)
    cache.folder.chmod(mode)
    assert cache.get(KEY) is None
    cache.put(key_of(["more"]), BODY)
    assert len(cache.entries()) == 1
    cache.folder.chmod(0o700)
    assert cache.get(KEY) == BODY


@posix
def test_a_folder_of_somebody_else_is_not_trusted(cache, monkeypatch):
    cache.put(KEY, BODY)
    monkeypatch.setattr(os, "getuid", lambda: cache.folder.stat().st_uid + 1)
    assert cache.get(KEY) is None


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(cache):
    cache.put(KEY, BODY)
    cache.folder.chmod(0o500)
    try:
        assert cache.get(KEY) == BODY
        cache.put(key_of(["more"]), BODY)
        assert len(cache.entries()) == 1
        assert cache.clear() == 0
    finally:
        cache.folder.chmod(0o700)


def test_a_full_disk_is_not_an_error(cache, monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    cache.put(KEY, BODY)
    monkeypatch.setattr(os, "replace", full)
    cache.put(key_of(["more"]), BODY)
    monkeypatch.undo()
    assert sorted(cache.folder.iterdir()) == [entry(cache)]  # nothing half-written stays
    assert cache.get(KEY) == BODY


# ---------------------------------------------------------------- size


def test_the_oldest_entries_go_first(tmp_path):
    keys = [key_of([str(k)]) for k in range(6)]
    cache = Cache(tmp_path / "objects", limit=4 * (len(BODY) + 200))
    now = time.time()
    for k, key in enumerate(keys[:4]):
        cache.put(key, BODY)
        os.utime(entry(cache, key), (now - 100 + k, now - 100 + k))
    assert cache.get(keys[0]) == BODY  # used lately
    cache.put(keys[4], BODY)
    cache.put(keys[5], BODY)
    left = [key for key in keys if cache.get(key) is not None]
    assert keys[0] in left
    assert keys[1] not in left
    assert keys[5] in left
    assert sum(size for _, size in cache.entries()) <= cache.limit


def test_few_looks_keep_the_folder_small(tmp_path, monkeypatch):
    """A thousand entries fill the folder, and it is looked at 64 times meanwhile, wherever it
    stands; it never holds much more than its limit."""
    looks, look = [], Cache._shrink
    monkeypatch.setattr(
        Cache, "_shrink", lambda self, folder: (looks.append(1), look(self, folder))
    )
    cache = Cache(tmp_path / "objects", limit=1000 * 1024)
    body, most = b"x" * 900, 0  # 1024 bytes with its head
    for k in range(1500):
        cache.put(key_of([str(k)]), body)
        if k % 100 == 99:
            most = max(most, sum(size for _, size in cache.entries()))
    assert 60 < len(looks) < 140
    assert cache.limit * 0.9 < most < cache.limit * 1.1


def test_an_object_larger_than_the_limit_does_not_stay(tmp_path):
    cache = Cache(tmp_path / "objects", limit=100)
    cache.put(KEY, BODY)
    assert cache.get(KEY) is None


def test_clear_removes_entries_and_nothing_else(cache):
    for k in range(3):
        cache.put(key_of([str(k)]), BODY)
    (cache.folder / "notes.txt").write_text("mine")
    assert cache.clear() == 3
    assert cache.entries() == []
    assert (cache.folder / "notes.txt").exists()


# ---------------------------------------------------------------- several processes


def put_and_get(folder: str, seed: int) -> int:
    """Hammer a few keys; the number of answers that were neither whole nor missing."""
    cache = Cache(Path(folder), limit=40_000)
    rng = np.random.default_rng(seed)
    wrong = 0
    for _ in range(150):
        k = int(rng.integers(6))
        key = key_of([str(k)])
        if rng.random() < 0.05:
            cache.clear()
        elif rng.random() < 0.5:
            cache.put(key, bytes([k]) * 10_000)
        found = cache.get(key)
        wrong += found is not None and found != bytes([k]) * 10_000
    return wrong


def test_processes_share_a_folder(tmp_path):
    """Writers, readers and cleaners at once: everyone sees whole objects or none."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(3) as pool:
        wrong = pool.starmap(put_and_get, [(str(tmp_path / "objects"), k) for k in range(3)])
    assert wrong == [0, 0, 0]
    left = [p for p in (tmp_path / "objects").iterdir() if p.suffix != ".armobj"]
    assert left == []


# ---------------------------------------------------------------- real objects


def text_of(factor: float) -> str:
    return Machine(lambda x: [x * factor + x.sin()], 1).text


def test_cold_and_warm_code_are_the_same(cache):
    text = text_of(2.5)
    cold = Library(text, ["batch"], cache=cache)
    warm = Library(text, ["batch"], cache=cache)
    assert not cold.from_cache
    assert warm.from_cache
    assert cold.size == warm.size
    assert len(cache.entries()) == 1


def test_settings_make_other_objects(cache, shipped_code):
    text = text_of(2.5)
    for optimize in (1, 2):
        assert not Library(text, ["batch"], optimize=optimize, cache=cache).from_cache
    assert not Library(text + "\n; a remark", ["batch"], cache=cache).from_cache
    assert len(cache.entries()) == 3


def test_a_damaged_object_is_compiled_again(cache):
    text = text_of(3.5)
    first = Library(text, ["batch"], cache=cache)
    ((path, _),) = cache.entries()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))
    again = Library(text, ["batch"], cache=cache)
    assert not again.from_cache
    assert again.size == first.size
    assert Library(text, ["batch"], cache=cache).from_cache


def test_code_outlives_its_cache(cache):
    text = with_declarations("define void @batch(ptr %p) {\nstore i64 7, ptr %p\nret void\n}",
                             Lanes(1))  # fmt: skip
    library = Library(text, ["batch"], cache=cache)
    cache.clear()
    number = np.zeros(1, np.int64)
    native_call(library.addresses["batch"])(number.ctypes.data)
    assert number[0] == 7


# ---------------------------------------------------------------- a whole process

SCRIPT = """
import json, sys
import numpy as np
import armillary as am
from armillary.evaluate.request import CompileOptions

builder = am.Builder("arm")
builder.body("a", joint="revolute", axis="y", mass=1.0, com=(0.1, 0.2, -0.5), inertia=(1, 2, 2))
builder.body("b", "a", "prismatic", (0, 0, -1), axis=(1, 0, 0), mass=2.0, com=(0.3, 0, -0.1))
arm = am.Mechanism(builder.build().model, CompileOptions(tier=int(sys.argv[1])))
q, v, a = np.array([0.3, 0.4]), np.array([1.0, -1.0]), np.array([0.5, 2.0])
tau = arm.inverse_dynamics(q, v, a)
many = arm.inverse_dynamics(np.tile(q, (8, 1)), v, a)
assert (many == tau).all()
warm = [e.from_cache for e in arm.inverse_dynamics.compile_report()]
print(json.dumps({"tau": [x.hex() for x in tau], "warm": warm}))
"""


def ask(home: Path, tier: int = 2) -> dict:
    environment = dict(os.environ, XDG_CACHE_HOME=str(home))
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tier)], env=environment,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("tier", [1, 2])
def test_a_second_process_compiles_nothing(tmp_path, tier):
    cold = ask(tmp_path, tier)
    warm = ask(tmp_path, tier)
    assert not any(cold["warm"])
    assert all(warm["warm"])
    assert warm["tau"] == cold["tau"]


def test_a_process_survives_a_ruined_cache(tmp_path):
    """Every entry damaged in its own way, the machine code itself among them."""
    cold = ask(tmp_path)
    files = sorted((tmp_path / "armillary").glob("*.armobj"))
    assert files
    for k, path in enumerate(files):
        content = path.read_bytes()
        path.write_bytes([content[:-10], b"", content[:120] + bytes(len(content) - 120),
                          content[::-1]][k % 4])  # fmt: skip
    assert ask(tmp_path) == cold  # compiled again, nothing taken from the ruins
    assert ask(tmp_path)["warm"] == [True, True]


def test_a_process_without_a_place_for_its_cache(tmp_path):
    (tmp_path / "armillary").write_text("in the way")
    first = ask(tmp_path)
    assert not any(first["warm"])
    assert ask(tmp_path) == first
    assert (tmp_path / "armillary").read_text() == "in the way"


def test_the_usual_folder(monkeypatch, tmp_path):
    default_cache.cache_clear()
    try:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert default_cache().folder == tmp_path / "armillary"
        default_cache.cache_clear()
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.delenv("LOCALAPPDATA", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        assert default_cache().folder == tmp_path / ".cache" / "armillary"
    finally:
        default_cache.cache_clear()


def test_a_user_without_a_home(monkeypatch):
    """As in a container whose user has no entry: nothing is kept, and that is no error."""

    def homeless(cls):
        raise RuntimeError("Could not determine home directory.")

    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", classmethod(homeless))
    default_cache.cache_clear()
    try:
        cache = default_cache()
        cache.put(KEY, BODY)
        assert cache.get(KEY) is None
        assert cache.entries() == []
        assert cache.clear() == 0
    finally:
        default_cache.cache_clear()


def test_checksums_are_of_the_body(cache):
    """The layout of an entry, so that a change of it comes with a new magic word."""
    cache.put(KEY, BODY)
    head = b"armillary object 1\n" + KEY.encode() + b"\n"
    assert entry(cache).read_bytes() == head + hashlib.sha256(BODY).digest() + BODY
