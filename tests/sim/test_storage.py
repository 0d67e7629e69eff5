"""Runs on disk: round trips, xarray, a killed process, a full disk, runs that go on."""

import csv
import os
import resource
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.errors import FormatError, InputError
from armillary.sim.loop.simulate import simulate
from armillary.sim.record import recorder as recording
from armillary.sim.record import storage
from armillary.sim.record.journal import Journal, journal_path
from armillary.sim.record.recorder import Recorder
from armillary.sim.record.run import Run
from armillary.sim.record.stored_run import load_run
from sim.recorded import instants, record, slider

ENDINGS = [".nc", ".csv", ".parquet"]
STEP = 1e-3


@pytest.fixture(scope="module")
def cart():
    return slider()


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(recording, "BLOCK_ROWS", 16)


def awkward(batch=None):
    """A run with everything that is hard to store."""
    rng = np.random.default_rng(3)
    runs = () if batch is None else (batch,)
    labels = {"q": ("a,b", 'c"d'), "v": ("ä.x", "ω"), "tau": ("ä.x", "ω"), "energy": ()}
    arrays = {name: rng.normal(size=(4, *runs, *([len(x)] if x else [])))
              for name, x in labels.items()}  # fmt: skip
    arrays["v"].flat[0], arrays["q"].flat[1] = np.nan, 1e-320
    units = {"q": ("rad", "m"), "v": ("rad/s", "m/s"), "tau": ("N m", "N"), "energy": ("J",)}
    state = {"t": 0.3, "q": rng.normal(size=(*runs, 2)), "z": rng.normal(size=3), "count": 4.0}
    return Run("hand – ½", [0.0, 0.1, 0.2, 1 / 3], arrays, labels, units, "rk4", 0.1, "stopped: ∞",
               False, [(0.1, "bounce, 'left'"), (0.15, "ü")], state)  # fmt: skip


def assert_same(run, other):
    assert (run.mechanism_name, run.method, run.step, run.message, run.complete, run.events) == (
        other.mechanism_name, other.method, other.step, other.message, other.complete, other.events
    )  # fmt: skip
    assert run.names == other.names
    assert run.labels == other.labels
    assert run.units == other.units
    assert run.batch == other.batch
    for name in ("time", *run.names):
        np.testing.assert_array_equal(run[name], other[name], err_msg=name)
    assert set(run.state) == set(other.state)
    for name, value in run.state.items():
        np.testing.assert_array_equal(value, other.state[name], err_msg=name)


# -- round trips ---------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [None, 1, 3])
@pytest.mark.parametrize("ending", ENDINGS)
def test_round_trip(tmp_path, ending, batch):
    run = awkward(batch)
    run.save(tmp_path / f"run{ending}")
    assert_same(load_run(tmp_path / f"run{ending}"), run)
    assert not [p.name for p in tmp_path.iterdir() if p.suffix in (".tmp", ".part")]


@pytest.mark.parametrize("ending", ENDINGS)
def test_streamed_and_saved_are_the_same(tmp_path, cart, ending, small_blocks):
    run = record(Recorder(cart, "q,v,energy", method="euler", step=STEP), count=50)
    streamed = record(
        Recorder(cart, "q,v,energy", out=tmp_path / f"run{ending}", method="euler", step=STEP),
        count=50,
    )
    assert_same(streamed, run)
    assert not journal_path(tmp_path / f"run{ending}").exists()


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_empty_run(tmp_path, cart, ending):
    path = tmp_path / f"run{ending}"
    run = Recorder(cart, "q,energy", out=path).finish("stopped at once", complete=False)
    assert run.time.shape == (0,)
    assert run.q.shape == (0, 2)
    assert run.message == "stopped at once"


def test_xarray_reads_dimensions_labels_and_units(tmp_path, cart):
    xarray = pytest.importorskip("xarray")
    path = tmp_path / "run.nc"
    q = np.random.default_rng(0).normal(size=(6, 3, 2))
    recorder = Recorder(cart, "q,v,tau,energy", out=path, method="rk4", step=0.1)
    for k in range(6):
        recorder.add(0.1 * k, q[k], -q[k], None, 2 * q[k])
    recorder.event(0.25, "bounce")
    run = recorder.finish()
    with xarray.open_dataset(path) as data:
        assert data.q.dims == ("time", "run", "q_label")
        assert data.tau.dims == ("time", "run", "v_label")
        assert data.energy.dims == ("time", "run")
        assert data.q_label.values.tolist() == ["cart", "rod"]
        assert data.q_unit.values.tolist() == ["m", "rad"]
        assert data.energy.attrs["units"] == "J"
        assert data.time.attrs["units"] == "s"
        assert data.attrs["method"] == "rk4"
        np.testing.assert_array_equal(data.q.sel(q_label="rod", run=1), q[:, 1, 1])
        power = (data.tau * data.v).sum("v_label")  # v and tau share their labels
        np.testing.assert_allclose(power, -2 * (q**2).sum(axis=-1))
        np.testing.assert_array_equal(data.energy, run.energy)
        assert data.event_text.values.tolist() == ["bounce"]


def test_csv_is_a_plain_table(tmp_path, cart):
    path = tmp_path / "run.csv"
    run = record(Recorder(cart, "q,energy"), count=3)
    run.save(path)
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["time", "q.cart", "q.rod", "energy"]
    assert [float(x) for x in rows[2]] == [run.time[2], *run.q[2], run.energy[2]]
    (tmp_path / "run.csv.json").unlink()
    alone = load_run(path)
    assert alone.labels["q"] == ("cart", "rod")
    np.testing.assert_array_equal(alone.energy, run.energy)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(FormatError, match="the first column is not 'time'"):
        load_run(path)


def test_parquet_columns_have_units(tmp_path, cart):
    parquet = pytest.importorskip("pyarrow.parquet")
    record(Recorder(cart, "v"), count=3).save(tmp_path / "run.parquet")
    schema = parquet.read_schema(tmp_path / "run.parquet")
    assert schema.names == ["time", "v.cart", "v.rod"]
    assert schema.field("v.rod").metadata[b"unit"] == b"rad/s"


# -- faults of names and files -------------------------------------------------------------------


def test_nothing_is_replaced_unasked(tmp_path, cart):
    path = tmp_path / "run.nc"
    run = record(Recorder(cart, "q", out=path), count=3)
    for act in (lambda: run.save(path), lambda: Recorder(cart, "q", out=path)):
        with pytest.raises(FormatError, match="exists already"):
            act()
    run.save(path, overwrite=True)
    again = record(Recorder(cart, "q", out=path, overwrite=True), count=2)
    assert len(again) == 2


def test_names_that_cannot_be(tmp_path, cart):
    with pytest.raises(FormatError, match=r"'\.txt' is no format of runs.*\.nc, \.csv"):
        Recorder(cart, "q", out=tmp_path / "run.txt")
    with pytest.raises(FormatError, match="no directory"):
        Recorder(cart, "q", out=tmp_path / "nowhere" / "run.nc")
    for folder in (".", "/"):
        with pytest.raises(FormatError, match="this is a directory"):
            Recorder(cart, "q", out=folder)
    with pytest.raises(FormatError, match="no such file"):
        load_run(tmp_path / "run.nc")
    (tmp_path / "bad.csv").write_text('time,"x\n0,1\n')
    with pytest.raises(FormatError, match="cannot be read as a run"):
        load_run(tmp_path / "bad.csv")
    (tmp_path / "bad.nc").write_bytes(b"no netCDF at all")
    with pytest.raises(FormatError, match="cannot be read as a run"):
        load_run(tmp_path / "bad.nc")
    (tmp_path / "bad.parquet").write_bytes(b"no Parquet at all")
    with pytest.raises(FormatError, match="cannot be read as a run"):
        load_run(tmp_path / "bad.parquet")


def test_a_missing_library_is_told_before_the_run(tmp_path, cart, monkeypatch):
    for library in ("h5netcdf", "pyarrow"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(FormatError, match=r"-m pip install \.$"):
        Recorder(cart, "q", out=tmp_path / "run.nc")
    with pytest.raises(FormatError, match=r"-m pip install '\.\[parquet\]'"):
        Recorder(cart, "q", out=tmp_path / "run.parquet")


# -- interrupted and gone on ---------------------------------------------------------------------


def go_on(cart, path, count, **options):
    """From the last state on disk to the whole run."""
    recorder = Recorder(cart, "q,v,energy", out=path, resume=True, **options)
    state = recorder.state
    first = round(state["t"] / STEP)
    left = count - first
    for row in instants(cart, left, STEP, state["q"], state["v"], first):
        recorder.add(*row)
    return recorder.finish()


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_run_goes_on_as_if_never_interrupted(tmp_path, cart, ending, every, small_blocks):
    """Once out of a journal (no finish), once out of a finished file."""
    whole = record(Recorder(cart, "q,v,energy", every), count=100)
    for finished in (False, True):
        path = tmp_path / f"run{finished}{ending}"
        recorder = Recorder(cart, "q,v,energy", every, out=path)
        for k, row in enumerate(instants(cart, 57)):
            recorder.add(*row)
            if k in (10, 55):
                recorder.event(k * STEP, "bounce")
        if finished:
            recorder.finish("Ctrl-C", complete=False)
        else:
            recorder._journal.close()
        assert not load_run(path).complete
        assert len(load_run(path)) <= 57
        met = len(load_run(path).events)  # the second one stood in a block that was lost
        assert met == (2 if finished else 1)
        run = go_on(cart, path, 100, every=every)
        np.testing.assert_array_equal(run.time, whole.time)
        np.testing.assert_array_equal(run.q, whole.q)
        np.testing.assert_allclose(run.energy, whole.energy, rtol=1e-12)
        assert run.complete
        assert run.events == [(10 * STEP, "bounce"), (55 * STEP, "bounce")][:met]
        assert not journal_path(path).exists()


def test_a_finished_run_is_not_begun_again_by_mistake(tmp_path, cart, small_blocks):
    path = tmp_path / "run.nc"
    recorder = Recorder(cart, "q", out=path)
    for row in instants(cart, 40):
        recorder.add(*row)
    recorder._journal.close()
    with pytest.raises(FormatError, match=r"an interrupted run is in .*resume=True"):
        Recorder(cart, "q", out=path)
    with pytest.raises(InputError, match="record: expected q, found q, v"):
        Recorder(cart, "q,v", out=path, resume=True)
    fresh = record(Recorder(cart, "q", out=path, overwrite=True), count=2)
    assert len(fresh) == 2


def test_two_processes_do_not_write_one_file(tmp_path, cart):
    pytest.importorskip("fcntl")
    recorder = Recorder(cart, "q", out=tmp_path / "run.nc")
    recorder.add(0.0, np.zeros(2), np.zeros(2))
    recorder.flush()
    with pytest.raises(FormatError, match="another process records"):
        Recorder(cart, "q", out=tmp_path / "run.nc", resume=True)
    second = Recorder(cart, "q", out=tmp_path / "run.nc", overwrite=True)
    with pytest.raises(FormatError, match="another process records"):
        second.add(0.0, np.zeros(2), np.zeros(2))
    assert len(recorder.finish()) == 1


CHILD = """
import sys
sys.path.insert(0, {tests!r})
import numpy as np
from sim.recorded import instants, slider
from armillary.sim.record import recorder as recording
recording.BLOCK_ROWS = 16
recorder = recording.Recorder(slider(), "q,v,energy", out={out!r})
for row in instants(recorder.mechanism, 10**9):
    recorder.add(*row)
"""


def test_kill_9_and_resume(tmp_path, cart):
    """At most the last block of 16 instants is lost; what goes on is what would have been."""
    path = tmp_path / "run.nc"
    code = CHILD.format(tests=str(Path(__file__).parent.parent), out=str(path))
    child = subprocess.Popen([sys.executable, "-c", code])
    try:
        journal = journal_path(path)
        deadline = time.monotonic() + 60
        while not (journal.exists() and journal.stat().st_size > 20_000):
            assert child.poll() is None, "the child ended by itself"
            assert time.monotonic() < deadline, "the child writes nothing"
            time.sleep(0.01)
    finally:
        child.kill()
        child.wait()
    left = load_run(path)
    assert not left.complete
    assert "interrupted" in left.message
    assert len(left) % 16 == 0
    assert len(left) >= 32
    state = load_run(path).state
    assert state["t"] == left.time[-1]
    np.testing.assert_array_equal(state["q"], left.q[-1])
    count = len(left) + 40
    run = go_on(cart, path, count)
    whole = record(Recorder(cart, "q,v,energy"), count=count)
    np.testing.assert_array_equal(run.q, whole.q)
    np.testing.assert_allclose(run.energy, whole.energy, rtol=1e-12)
    assert run.complete


def test_a_journal_cut_anywhere_is_whole_up_to_its_last_record(tmp_path, cart, small_blocks):
    """A kill may leave any prefix, and a crash of the machine noise after it."""
    path = tmp_path / "run.nc"
    recorder = Recorder(cart, "q", out=path)
    for row in instants(cart, 48):
        recorder.add(*row)
    recorder._journal.close()
    data = journal_path(path).read_bytes()
    whole = load_run(path).q
    first = Journal.found(journal_path(path)).blocks[0][0]
    rng = np.random.default_rng(0)
    for cut in (*rng.integers(first, len(data), 60), len(data) - 1):
        noise = rng.bytes(int(rng.integers(0, 40)))
        journal_path(path).write_bytes(data[:cut] + noise)
        left = load_run(path)
        assert len(left) in (0, 16, 32)
        np.testing.assert_array_equal(left.q, whole[: len(left)])


# -- a full disk ---------------------------------------------------------------------------------


def limited(size):
    """Files of this process cannot grow beyond `size` bytes: writes fail as on a full disk."""
    return resource.setrlimit(
        resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
    )


def test_a_full_disk_during_the_run_loses_nothing(tmp_path, cart, small_blocks):
    path = tmp_path / "run.nc"
    whole = record(Recorder(cart, "q,v,energy"), count=200)
    recorder = Recorder(cart, "q,v,energy", out=path)
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    met = 0
    with pytest.raises(FormatError, match=r"too large.*instants until t = .*resume=True") as fault:
        try:
            limited(8_000)
            for row in instants(cart, 200):
                met += 1
                recorder.add(*row)
        finally:
            limited(unlimited)
    # on disk whole blocks, in memory everything that was met
    run = fault.value.run
    assert len(run) == met
    np.testing.assert_array_equal(run.q, whole.q[:met])
    recorder._journal.close()
    left = load_run(path)
    assert 0 < len(left) == met - 16
    np.testing.assert_array_equal(left.q, whole.q[: len(left)])
    # there is room again
    np.testing.assert_array_equal(go_on(cart, path, 200).q, whole.q)


def test_a_full_disk_under_simulate(tmp_path, cart, small_blocks):
    """The whole road: `simulate` is told, everything met is on the error, the run goes on later."""
    path = tmp_path / "run.nc"
    whole = simulate(cart, [0.0, 1.0], duration=0.2)
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    with pytest.raises(FormatError, match=r"too large.*resume=True") as fault:
        try:
            limited(8_000)
            simulate(cart, [0.0, 1.0], duration=0.2, out=path)
        finally:
            limited(unlimited)
    run = fault.value.run
    np.testing.assert_array_equal(run.q, whole.q[: len(run)])
    assert 0 < len(load_run(path)) == len(run) - 16
    done = simulate(cart, duration=0.2, out=path, resume=True)
    assert done.complete
    np.testing.assert_allclose(done.q, whole.q, rtol=1e-9, atol=1e-12)


def test_a_controller_that_raises_keeps_the_file(tmp_path, cart):
    path = tmp_path / "run.nc"

    def controller(t, q, v):
        if t > 0.05:
            raise RuntimeError("no answer from the sensor")
        return np.zeros(2)

    with pytest.raises(RuntimeError, match="no answer") as fault:
        simulate(cart, duration=1.0, controller=controller, out=path)
    left = load_run(path)
    assert not left.complete
    assert "no answer from the sensor" in left.message
    assert 0.04 < left.time[-1] <= 0.051
    np.testing.assert_array_equal(fault.value.run.q, left.q)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk_at_the_end_loses_nothing(tmp_path, cart, ending, monkeypatch):
    path = tmp_path / f"run{ending}"
    whole = record(Recorder(cart, "q"), count=50)
    module = storage.import_module(storage.FORMATS[ending])

    def full(part, *_):
        part.write(b"half a file")
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(module, "write", full)
        with pytest.raises(FormatError, match=r"No space left.*Nothing is lost.*run\.\w+\.part"):
            record(Recorder(cart, "q", out=path), count=50)
    assert [p.name for p in tmp_path.iterdir()] == [f"run{ending}.part"]
    run = load_run(path)
    assert run.complete
    np.testing.assert_array_equal(run.q, whole.q)
    run.save(path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".part"] == []
    np.testing.assert_array_equal(load_run(path).q, whole.q)


def test_saving_on_a_full_disk_keeps_the_old_file(tmp_path, cart):
    path = tmp_path / "run.csv"
    record(Recorder(cart, "q"), count=3).save(path)
    before = path.read_bytes()
    longer = record(Recorder(cart, "q"), count=500)
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    with pytest.raises(FormatError, match="cannot be written: File too large"):
        try:
            limited(4_000)
            longer.save(path, overwrite=True)
        finally:
            limited(unlimited)
    assert path.read_bytes() == before


# -- long runs -----------------------------------------------------------------------------------


def test_a_long_run_streams_with_bounded_memory(tmp_path):
    """64 MB of numbers pass through some blocks of 1 MB."""
    arm = am.example("two-link")
    recorder = Recorder(arm, "q,v", out=tmp_path / "run.nc")
    rows, chunk = 2_000_000, 20_000
    state = np.ones((chunk, 2))
    recorder.extend(np.arange(chunk) * STEP, state, state)
    tracemalloc.start()
    for k in range(chunk, rows, chunk):
        recorder.extend((k + np.arange(chunk)) * STEP, state, state)
    run = recorder.finish()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (tmp_path / "run.nc").stat().st_size > 8 * 5 * rows
    assert peak < 16e6
    assert len(run) == rows
    np.testing.assert_array_equal(run.time[[0, -1]], np.array([0, rows - 1]) * STEP)
