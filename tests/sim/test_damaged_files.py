"""Files that a full disk, a flipped bit, a power cut or a kill got at: clear errors, and never
other numbers."""

import contextlib
import json
import os
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.errors import ArmillaryError, FormatError
from armillary.sim.record import disk, storage, stored_run, trial
from armillary.sim.record import recorder as recording
from armillary.sim.record.journal import HEAD, MAGIC, Journal, journal_path
from armillary.sim.record.recorder import Recorder
from armillary.sim.record.stored_run import load_run
from sim.recorded import instants, record, slider
from sim.test_storage import assert_same, awkward

ENDINGS = [".nc", ".csv", ".parquet"]
TESTS = Path(__file__).parent.parent
ENDLESS = TESTS / "data" / "endless.nc"  # one bit of a text's length is wrong: HDF5 loops for ever


@pytest.fixture(scope="module")
def cart():
    return slider()


# -- a full disk ---------------------------------------------------------------------------------

FULL = """
import gc, resource, sys
sys.path.insert(0, {tests!r})
import numpy as np
from armillary.errors import FormatError
from armillary.sim.record.run import Run
q = np.sqrt(np.arange(20_000.0)).reshape(10_000, 2)
run = Run("cart", np.arange(10_000.0), {{"q": q}}, events=[(0.1, "bump")] * 50)
most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
told = 0
for size in (0, 1, 96, 800, 5_000, 12_000, 40_000, 100_000, 150_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        run.save({out!r}, overwrite=True)
    except FormatError as fault:
        told += "cannot be written: File too large" in str(fault)
    gc.collect()
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
run.save({out!r}, overwrite=True)
print(told, float(run.q.sum()))
"""


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_process_outlives_a_full_disk(tmp_path, ending):
    """Runs that are held in memory are the point: HDF5 used to end the process a little later."""
    pytest.importorskip("resource")
    code = FULL.format(tests=str(TESTS), out=str(tmp_path / f"run{ending}"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["9", str(float(np.sqrt(np.arange(20_000.0)).sum()))]
    left = {f"run{ending}", f"run{ending}.json"} if ending == ".csv" else {f"run{ending}"}
    assert {p.name for p in tmp_path.iterdir()} == left
    assert load_run(tmp_path / f"run{ending}").q.shape == (10_000, 2)


class Full:
    """A file on a disk that is full after some bytes: partly written, then no more."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def write(self, data):
        fits = bytes(data)[: self._room]
        self._room -= len(fits)
        if not fits and len(data):
            raise OSError(28, os.strerror(28))
        return self._file.write(fits)

    def __getattr__(self, name):
        return getattr(self._file, name)


def test_what_is_written_after_the_fault_can_still_be_read(tmp_path):
    """A library that goes on sees the file it has written, as if nothing had happened."""
    rng = np.random.default_rng(0)
    for room in (0, 10, 300, 1000, 10**6):
        with (tmp_path / "file").open("w+b", buffering=0) as file:
            sink, image = disk.Unfailing(Full(file, room)), bytearray(2000)
            for _ in range(60):
                place, size = (int(x) for x in rng.integers(0, 900, 2))
                data = rng.bytes(size)
                sink.seek(place)
                assert sink.write(data) == size
                image[place : place + size] = data
                begin, found = int(rng.integers(0, 1000)), bytearray(200)
                sink.seek(begin)
                sink.readinto(found)
                assert found == image[begin : begin + 200]
            assert (sink.fault is None) == (room == 10**6)


# -- one flipped bit -----------------------------------------------------------------------------


def flipped(data, rng):
    place = int(rng.integers(0, 8 * len(data)))
    found = bytearray(data)
    found[place // 8] ^= 1 << place % 8
    return bytes(found)


@pytest.mark.parametrize("batch", [None, 3])
@pytest.mark.parametrize("ending", [*ENDINGS, ".csv.json"])
def test_a_flipped_bit_is_told_or_without_effect(tmp_path, ending, batch, monkeypatch):
    monkeypatch.setattr(trial, "PATIENCE", 60.0)
    run = awkward(batch)
    path = tmp_path / f"run{ending.removesuffix('.json')}"
    run.save(path)
    file = tmp_path / f"run{ending}"
    data, rng, told = file.read_bytes(), np.random.default_rng(1), 0
    for _ in range(150):
        file.write_bytes(flipped(data, rng))
        try:
            found = load_run(path)
        except FormatError as fault:
            told += 1
            assert str(fault).startswith(str(tmp_path))
        else:
            assert_same(found, run)
    assert told >= 130
    file.write_bytes(data)
    assert_same(load_run(path), run)
    assert load_run(path).note == ""


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_flipped_bit_in_a_long_run_is_seen_before_anything_is_read(tmp_path, ending, monkeypatch):
    monkeypatch.setattr(stored_run, "SMALL", 0)
    path = tmp_path / f"run{ending}"
    q = np.random.default_rng(0).normal(size=(5000, 4))
    am.Run("m", np.arange(5000.0), {"q": q}).save(path)
    np.testing.assert_array_equal(load_run(path).q, q)
    data = path.read_bytes()
    path.write_bytes(data[:100_000] + bytes([data[100_000] ^ 4]) + data[100_001:])
    with pytest.raises(FormatError, match=r"the file is damaged.*checksum"):
        load_run(path)


def unsealed(path):
    """As another program, or an older version, would have written it."""
    if path.suffix == ".csv":
        (path.parent / f"{path.name}.json").unlink()
        return
    data = path.read_bytes()
    mark = data.index(b"\nARMILLARY CRC-32 ")
    path.write_bytes(data[:mark] + data[mark + 27 :])


@pytest.mark.parametrize("ending", ENDINGS)
def test_files_without_checksum_are_read_with_a_note(tmp_path, ending, cart):
    path = tmp_path / f"run{ending}"
    run = record(Recorder(cart, "q,v,energy", method="euler", step=1e-3), count=20)
    run.save(path)
    assert load_run(path).note == ""
    unsealed(path)
    found = load_run(path)
    assert "no checksum" in found.note
    assert found.note in str(found) or ending == ".csv"
    np.testing.assert_array_equal(found.q, run.q)


def test_other_programs_read_files_with_checksum(tmp_path):
    """The mark stands where nobody looks: h5py, xarray, pyarrow and csv see the file they know."""
    h5py, parquet = pytest.importorskip("h5py"), pytest.importorskip("pyarrow.parquet")
    run = awkward()
    run.save(tmp_path / "run.nc")
    run.save(tmp_path / "run.parquet")
    with h5py.File(tmp_path / "run.nc") as file:
        np.testing.assert_array_equal(file["q"][...], run.q)
    table = parquet.read_table(tmp_path / "run.parquet")
    np.testing.assert_array_equal(table["energy"].to_numpy(), run.energy)
    with h5py.File(tmp_path / "run.nc", "a") as file:
        file["q"][0, 0] = 7.0
    changed = load_run(tmp_path / "run.nc")  # on purpose, by another program: no checksum any more
    assert changed.q[0, 0] == 7.0
    assert "no checksum" in changed.note


# -- damaged files without checksum --------------------------------------------------------------


def test_a_file_that_holds_hdf5_up_for_ever_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "PATIENCE", 4.0)
    path = tmp_path / "run.nc"
    path.write_bytes(ENDLESS.read_bytes())
    with pytest.raises(FormatError, match="is damaged, and HDF5 does not come to an end with it"):
        load_run(path)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_damage_without_checksum_is_no_raw_error(tmp_path, ending):
    path = tmp_path / f"run{ending}"
    awkward().save(path)
    unsealed(path)
    data, rng = path.read_bytes(), np.random.default_rng(2)
    for _ in range(150):
        path.write_bytes(flipped(data, rng))
        with contextlib.suppress(FormatError):
            load_run(path)
    for cut in rng.integers(0, len(data), 30):
        path.write_bytes(data[:cut])
        with contextlib.suppress(FormatError):
            load_run(path)


def test_a_file_that_promises_more_than_it_can_hold(tmp_path):
    """A shape of 8 TB in a file of some kB: said, not allocated."""
    h5netcdf = pytest.importorskip("h5netcdf")
    path = tmp_path / "run.nc"
    with h5netcdf.File(path, "w") as file:
        file.attrs.update({"armillary_run": 1, "quantities": "q", "method": "", "step": 0.0,
                           "mechanism": "", "message": "", "complete": 1})  # fmt: skip
        file.dimensions["time"] = 10**12
        file.create_variable("time", ("time",), "f8", chunks=(10**6,))
        file.create_variable("q", ("time",), "f8", chunks=(10**6,))
        file.create_group("state")
    with pytest.raises(FormatError, match=r"'time' has the shape \(1000000000000,\), and the file"):
        _ = load_run(path).q


# -- journals ------------------------------------------------------------------------------------


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(recording, "BLOCK_ROWS", 16)


@pytest.mark.parametrize("left", [b"", MAGIC, MAGIC + bytes(40)])
def test_a_journal_without_a_record_is_none(tmp_path, cart, left):
    """A process that was killed before its first record: a finished file is there as before."""
    path = tmp_path / "run.nc"
    whole = am.simulate(cart, [0.0, 1.0], duration=0.05)
    am.simulate(cart, [0.0, 1.0], duration=0.02, out=path)
    journal_path(path).write_bytes(left)
    assert len(load_run(path)) == 21
    run = am.simulate(cart, [0.0, 1.0], duration=0.05, out=path, resume=True)
    np.testing.assert_allclose(run.q, whole.q, atol=1e-12)
    assert not journal_path(path).exists()
    path.unlink()
    journal_path(path).write_bytes(left)
    with pytest.raises(FormatError, match="no such file"):
        load_run(path)
    for options in ({"resume": True}, {"overwrite": True}, {}):
        am.simulate(cart, [0.0, 1.0], duration=0.05, out=path, **options)
        np.testing.assert_array_equal(load_run(path).q, whole.q)
        path.unlink()
        journal_path(path).write_bytes(left)


def written(cart, path, count=48):
    recorder = Recorder(cart, "q", out=path)
    for row in instants(cart, count):
        recorder.add(*row)
    recorder._journal.close()
    return journal_path(path)


def test_a_damaged_record_in_the_middle_is_told(tmp_path, cart, small_blocks):
    journal = written(cart, tmp_path / "run.nc")
    data = bytearray(journal.read_bytes())
    data[Journal.found(journal).blocks[1][0] + 3] ^= 1
    journal.write_bytes(data)
    run = load_run(tmp_path / "run.nc")
    assert len(run) == 16
    assert "the journal is damaged after byte" in run.message
    first = Journal.found(journal)
    data = bytearray(journal.read_bytes())
    data[len(MAGIC) + HEAD.size + 4] ^= 1
    journal.write_bytes(data)
    with pytest.raises(FormatError, match="first record of the journal is damaged"):
        load_run(tmp_path / "run.nc")
    assert first.layout is not None


def test_a_length_of_half_a_terabyte_is_not_allocated(tmp_path, cart, small_blocks):
    journal = written(cart, tmp_path / "run.nc")
    with journal.open("ab") as file:
        file.write(HEAD.pack(1 << 39, zlib.crc32(b"")) + b"some bytes")
    assert len(load_run(tmp_path / "run.nc")) == 48


@pytest.mark.parametrize("act", ["begin", "begin anew", "go on", "read"])
@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe"])
def test_a_journal_is_no_way_to_another_file(tmp_path, cart, kind, act):
    path, victim = tmp_path / "run.nc", tmp_path / "victim"
    if kind == "pipe":
        os.mkfifo(journal_path(path))
    else:
        journal_path(path).symlink_to(victim)
    if kind == "link":
        victim.write_text("what matters")
    acts = {
        "begin": lambda: am.simulate(cart, duration=0.01, out=path),
        "begin anew": lambda: am.simulate(cart, duration=0.01, out=path, overwrite=True),
        "go on": lambda: am.simulate(cart, duration=0.01, out=path, resume=True),
        "read": lambda: load_run(path),
    }
    with pytest.raises(FormatError, match=r"run\.nc\.part: this is (a link|no plain file)"):
        acts[act]()
    assert not path.exists()
    if kind == "link":
        assert victim.read_text() == "what matters"
    else:
        assert not victim.exists()


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_journal_goes_when_the_file_is_on_the_disk(tmp_path, cart, ending, monkeypatch):
    """The order that a power cut cannot hurt: numbers, name, folder, and only then the journal."""
    path, done = tmp_path / f"run{ending}", []
    real = {"fsync": os.fsync, "replace": os.replace, "unlink": Path.unlink}

    def fsync(place):
        done.append(("sync", os.path.realpath(f"/proc/self/fd/{place}")))
        real["fsync"](place)

    def replace(old, new):
        done.append(("name", str(new)))
        done.append(("of", str(old)))
        real["replace"](old, new)

    def unlink(self, missing_ok=False):
        done.append(("gone", str(self)))
        real["unlink"](self, missing_ok=missing_ok)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(Path, "unlink", unlink)
    am.simulate(cart, [0.0, 1.0], duration=0.01, out=path)
    if not Path("/proc/self/fd").exists():
        pytest.skip("no way to name open files here")
    folder = ("sync", str(tmp_path))
    journal = str(journal_path(path))
    assert done.index(("sync", journal)) < done.index(folder)  # the journal has its name
    files = [str(path)] + ([f"{path}.json"] if ending == ".csv" else [])
    gone = done.index(("gone", journal))
    for file in files:
        named = done.index(("name", file))
        part = done[named + 1][1]
        assert done.index(("sync", part)) < named
        assert folder in done[named:gone]
    assert folder in done[gone:]


# -- leftovers -----------------------------------------------------------------------------------

KILLED = """
import os, sys
sys.path.insert(0, {tests!r})
from armillary.sim.record import csv_table, storage
from sim.test_storage import awkward
real = storage.import_module({module!r}).write
def write(file, *others):
    real(file, *others)
    os._exit(9)  # as a kill: nothing is tidied up
storage.import_module({module!r}).write = write
awkward().save({out!r}, overwrite=True)
"""


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_a_killed_process_left_is_removed(tmp_path, ending):
    path = tmp_path / f"run{ending}"
    code = KILLED.format(tests=str(TESTS), module=storage.FORMATS[ending], out=str(path))
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    (left,) = tmp_path.glob(".run*.tmp")
    other = tmp_path / f".run{ending}.notes.tmp"  # somebody else's
    other.write_text("mine")
    awkward().save(path)
    assert left.exists()  # young: it may be in the making
    os.utime(left, (1e9, 1e9))
    awkward().save(path, overwrite=True)
    assert not left.exists()
    assert other.exists()
    with disk.Fresh(path) as making:
        os.utime(making.part, (1e9, 1e9))
        awkward().save(path, overwrite=True)
        assert making.part.exists()  # its lock is held
    assert not making.part.exists()


# -- a right checksum and a wrong head -----------------------------------------------------------

ODD = (
    None,
    True,
    -1,
    0.5,
    10**30,
    float("nan"),
    "",
    "x\x00",
    [],
    [1],
    [[1, 2], [3]],
    {"a": 1},
    ["a"],
)
WHOLE = {"time": [0.0, 0.1], "q": [[0.1, 0.2]] * 2}
HEADS = (
    {"kind": "layout", "mechanism": "cart", "labels": {"q": ["cart", "rod"]}, "batch": None,
     "units": {"q": ["m", "rad"]}, "method": "rk4", "step": 0.1, "every": 1, "probe": [1.0],
     "physics": {"a": "b"}, "model": "", "experiment": ""},
    {"kind": "block", "rows": 2, "arrays": {"time": [2], "q": [2, 2]}, "events": [[0.1, "bump"]],
     "state": {"t": 0.1, "count": 2.0, "q": [0.1, 0.2], "v": [0.0, 0.0]}},
    {"kind": "tail", "message": "", "complete": True, "events": [], "state": {"t": 0.1},
     "errors": {}},
)  # fmt: skip


def write_journal(path, heads):
    """By hand, as journal.py describes it."""
    content = MAGIC
    numbers = np.array([*WHOLE["time"], *np.ravel(WHOLE["q"])]).tobytes()
    for head in heads:
        text = head if isinstance(head, bytes) else json.dumps(head).encode()
        kind = head.get("kind") if isinstance(head, dict) else ""
        payload = text + b"\n" + (numbers if kind == "block" else b"")
        content += HEAD.pack(len(payload), zlib.crc32(payload)) + payload
    journal_path(path).write_bytes(content)


def read_all(path):
    run = load_run(path)
    return run.time, [run[name] for name in run.names], str(run), run.events


def changed(head):
    """The head with every field in turn, and every first entry of a field, of another kind."""
    for name, value in head.items():
        places = range(len(value)) if isinstance(value, list) else ()
        inner = list(value) if isinstance(value, dict) else places
        for odd in ODD:
            yield (name, odd), head | {name: odd}
            for key in list(inner)[:2]:
                own = dict(value) if isinstance(value, dict) else list(value)
                own[key] = odd
                yield (name, key, odd), head | {name: own}
        yield (name, "left out"), {k: x for k, x in head.items() if k != name}


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_journal_with_a_wrong_head_is_refused_or_read(tmp_path, number):
    """Every answer is a run of the layout's shape, or an error that names the journal."""
    path, refused, read = tmp_path / "run.nc", 0, 0
    write_journal(path, HEADS)
    assert read_all(path)[3] == [] and len(read_all(path)[0]) == 2
    for what, head in changed(HEADS[number]):
        heads = [*HEADS]
        heads[number] = head
        write_journal(path, heads[: max(number + 1, 2)])
        try:
            found = read_all(path)
            assert found[0].shape == (2,) and found[1][0].shape == (2, 2), what
            read += 1
        except FormatError as fault:
            assert "run.nc.part" in str(fault) and "overwrite=True" in str(fault), what
            refused += 1
    assert refused > 2 * read


def test_a_file_whose_texts_cannot_be_written_again_is_refused(tmp_path, cart):
    h5py, path = pytest.importorskip("h5py"), tmp_path / "run.nc"
    for name in ("mechanism", "method", "message"):
        am.simulate(cart, duration=0.1, step=0.1, out=path, overwrite=True)
        with h5py.File(path, "a") as file:
            for checksum in [x for x in file.attrs if "crc" in x]:
                del file.attrs[checksum]
            file.attrs[name] = b"\xff"
        with pytest.raises(FormatError, match="cannot be read as a run"):
            load_run(path)


def test_a_probe_of_rows_is_a_probe(tmp_path, cart):
    am.simulate(cart, duration=0.1, step=0.1).save(tmp_path / "run.csv")
    beside = tmp_path / "run.csv.json"
    content = json.loads(beside.read_text())
    del content["crc-32"]
    beside.write_text(json.dumps(content | {"probe": [[1.0, 2.0]]}))
    load_run(tmp_path / "run.csv").save(tmp_path / "again.csv")
    assert load_run(tmp_path / "again.csv").probe == (1.0, 2.0)


@pytest.mark.parametrize("heads", [
    HEADS[1:], HEADS[::-1], (HEADS[0], *HEADS), (b"[" * 100_000,), (b"\xff",), (b"1" * 5000,),
    (HEADS[0], b"null"), (HEADS[0], b""),
], ids=range(8))  # fmt: skip
def test_records_out_of_order(tmp_path, heads):
    write_journal(tmp_path / "run.nc", heads)
    with pytest.raises(FormatError, match="record after byte"):
        load_run(tmp_path / "run.nc")


def test_a_last_state_of_another_shape_is_no_start(tmp_path, cart):
    """A run does not go on from it, whatever the checksum says."""
    path, options = tmp_path / "run.nc", {"duration": 0.3, "step": 0.1, "record": ("q",)}
    am.simulate(cart, out=path, **options)
    run = load_run(path)
    for name, value in (("q", [0.1]), ("v", [[0.0, 0.0]]), ("z", 1.0), ("resting", [1.0])):
        state = {"t": 0.3, "count": 4.0, "q": [0.1, 0.2], "v": [0.0, 0.0], name: value}
        journal = Journal(journal_path(path))
        journal.start(storage.layout_of(run))
        journal.add_block(run.rows(slice(None)), state)
        journal.close()
        with pytest.raises(ArmillaryError, match=rf"cannot go on.*(last state, {name}|states of)"):
            am.simulate(cart, out=path, resume=True, **options | {"duration": 0.6})


# -- libraries that are not there ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "library"), [(".nc", "h5py"), (".nc", "h5netcdf"), (".parquet", "pyarrow")]
)
def test_a_missing_library_is_told_before_the_run(tmp_path, monkeypatch, cart, ending, library):
    """Not after hours of work, and not as a lack of room."""
    monkeypatch.setitem(sys.modules, library, None)  # as if it were not installed
    asked = []
    with pytest.raises(FormatError, match=f"need '{library}'.*Name a .csv file") as fault:
        am.simulate(cart, controller=lambda t, q, v: asked.append(t) or [0, 0], duration=0.1,
                    out=tmp_path / f"run{ending}")  # fmt: skip
    assert not asked and not list(tmp_path.iterdir()) and "Make room" not in str(fault.value)
    am.simulate(cart, duration=0.1, out=tmp_path / "run.csv")  # the cure
