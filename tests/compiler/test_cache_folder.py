"""The folder of the disk cache: where it is, whose it is, and what is left in it."""

import os
from pathlib import Path

import pytest

from armillary.codegen.cache import Cache, default_cache, key_of

KEY = key_of(["a", "b"])
BODY = b"machine code" * 100
posix = pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions of another kind")


@pytest.fixture
def cache(tmp_path) -> Cache:
    return Cache(tmp_path / "objects")


def entry(cache: Cache, key: str = KEY) -> Path:
    return cache.folder / f"{key}.armobj"


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ({"HOME": ""}, None),
        ({"HOME": "."}, None),
        ({"HOME": "", "XDG_CACHE_HOME": "here"}, None),
        ({"HOME": "{tmp}", "XDG_CACHE_HOME": "here"}, ".cache/armillary"),
        ({"HOME": "{tmp}", "XDG_CACHE_HOME": "", "LOCALAPPDATA": "there"}, ".cache/armillary"),
        ({"HOME": "", "XDG_CACHE_HOME": "{tmp}/own"}, "own/armillary"),
    ],
)
@posix
def test_only_absolute_places(monkeypatch, tmp_path, names, wanted):
    """An empty HOME is not the root folder, and a relative path not the current one."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in names.items():
        monkeypatch.setenv(name, value.format(tmp=tmp_path))
    default_cache.cache_clear()
    try:
        cache = default_cache()
        cache.put(KEY, BODY)
        if wanted is None:
            assert cache.get(KEY) is None
            assert list(tmp_path.iterdir()) == []
            assert Path(os.devnull) in cache.folder.parents
        else:
            assert cache.folder == tmp_path / wanted
            assert cache.get(KEY) == BODY
    finally:
        default_cache.cache_clear()


@posix
@pytest.mark.parametrize("look", ["stat", "fstat"])
def test_the_folder_that_was_checked_is_the_one_that_is_read(cache, tmp_path, monkeypatch, look):
    """Another folder takes the name as soon as somebody has looked at the permissions."""
    cache.put(KEY, BODY)
    other = Cache(tmp_path / "other")
    other.put(KEY, b"evil code")
    plain, swapped = getattr(os, look), []

    def swapping(*arguments, **options):
        found = plain(*arguments, **options)
        if not swapped:
            swapped.append(True)
            cache.folder.rename(tmp_path / "aside")
            other.folder.rename(cache.folder)
        return found

    monkeypatch.setattr(os, look, swapping)
    assert cache.get(KEY) in (BODY, None)


@posix
def test_files_of_others_and_links_are_not_read(cache, tmp_path):
    cache.put(KEY, BODY)
    (tmp_path / "elsewhere").write_bytes(entry(cache).read_bytes())
    entry(cache).unlink()
    entry(cache).symlink_to(tmp_path / "elsewhere")
    assert cache.get(KEY) is None
    entry(cache).unlink()
    os.mkfifo(entry(cache))  # nobody writes to it: a reader would wait for ever
    assert cache.get(KEY) is None


def test_temporary_files_of_the_dead_are_swept(cache):
    cache.put(KEY, BODY)
    old, new = cache.folder / "old.tmp", cache.folder / "new.tmp"
    for path in (old, new):
        path.write_bytes(b"half of an ent")
    os.utime(old, (1.0, 1.0))
    cache.put("0" * 8 + KEY[8:], BODY)  # an entry after which the folder is looked through
    assert not old.exists() and new.exists()
    cache.clear()
    assert not new.exists()


def test_nothing_is_left_of_an_interrupted_write(cache, monkeypatch):
    cache.put(KEY, BODY)
    before = sorted(cache.folder.iterdir())

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cache.put(key_of(["other"]), BODY)
    assert sorted(cache.folder.iterdir()) == before
