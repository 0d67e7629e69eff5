"""A study on disk: kills, lost workers, full disks, changed files; nothing lost, nothing twice."""

import errno
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.studies import store as stored
from studies.cars import CAR, COMFORT, bump_experiment

HERE = {"samples": 48, "seed": 4, "chunk": 8}
SOURCE = Path(am.__file__).resolve().parents[1]


def car_study(**options):
    return am.study(bump_experiment(0.05), CAR, COMFORT, **{**HERE, **options})


@pytest.fixture(scope="module")
def whole():
    """The table in one go."""
    return car_study().table


def test_a_folder_holds_what_memory_holds(tmp_path, whole):
    study = car_study(out=tmp_path / "s")
    assert np.array_equal(study.table, whole)
    again = am.load_study(tmp_path / "s")
    assert np.array_equal(again.table, whole) and again.complete
    assert again.units == study.units and again.run(3).q.shape == study.run(3).q.shape
    lines = [json.loads(x) for x in (tmp_path / "s/chunks.jsonl").read_text().splitlines()]
    assert sorted(x["chunk"] for x in lines) == list(range(6))
    assert study.processors == (lines[0]["processor"],)


def test_a_model_that_was_changed_is_told_by_its_line(tmp_path):
    """The text of the experiment is long: the line that differs is shown, and the place in it."""
    car_study(out=tmp_path / "s")
    before = (tmp_path / "s/chunks.jsonl").read_bytes()
    experiment = bump_experiment(0.05)
    heavy = experiment.mechanism.replace(bodies={"car": {"mass": 301.5}})
    with pytest.raises(am.InputError) as fault:
        am.study(experiment.replace(heavy), CAR, COMFORT, **HERE, out=tmp_path / "s", resume=True)
    text = str(fault.value)
    assert "experiment, line " in text and "300" in text and "301.5" in text, text
    assert "Nothing was touched" in text
    assert (tmp_path / "s/chunks.jsonl").read_bytes() == before


def test_processes_give_the_same_bits(whole):
    assert np.array_equal(car_study(processes=2).table, whole)


def test_a_process_that_is_killed_loses_nothing(whole):
    killed = []

    def kill(now):
        if not killed:
            child = multiprocessing.active_children()[0]
            killed.append(child.pid)
            os.kill(child.pid, signal.SIGKILL)

    study = car_study(processes=2, progress=kill)
    assert killed and np.array_equal(study.table, whole)


def test_kill_minus_nine_of_the_study_itself(tmp_path, whole):
    """In a process of its own, killed after its second chunk is on the disk."""
    script = tmp_path / "work.py"
    script.write_text(
        "import sys, time\nfrom studies.test_keeping import car_study\n"
        "def wait(now):\n    time.sleep(0.3)\n"
        "car_study(out=sys.argv[1], progress=wait)\n"
    )
    folder = tmp_path / "s"
    paths = os.pathsep.join([str(SOURCE), str(Path(__file__).parents[1])])
    child = subprocess.Popen(
        [sys.executable, str(script), str(folder)], env={**os.environ, "PYTHONPATH": paths}
    )
    lines = folder / "chunks.jsonl"
    until = time.monotonic() + 120.0
    while time.monotonic() < until and child.poll() is None:
        if lines.exists() and lines.read_bytes().count(b"\n") >= 2:
            break
        time.sleep(0.02)
    child.kill()
    child.wait()
    done = lines.read_bytes().count(b"\n")
    assert 2 <= done < 6
    seen = []
    study = car_study(out=folder, resume=True, progress=lambda now: seen.append(now.done))
    assert len(seen) == 6 - done and np.array_equal(study.table, whole)


def test_damaged_and_half_written_chunks_are_done_again(tmp_path, whole):
    folder = tmp_path / "s"
    car_study(out=folder)
    one = folder / "chunk-000001.parquet"
    data = bytearray(one.read_bytes())
    data[len(data) // 2] ^= 1
    one.write_bytes(bytes(data))
    (folder / "chunk-000003.parquet").unlink()
    lines = folder / "chunks.jsonl"
    lines.write_bytes(lines.read_bytes()[:-20])  # a line cut off
    seen = []
    study = car_study(out=folder, resume=True, progress=lambda now: seen.append(now.done))
    assert len(seen) == 3 and np.array_equal(study.table, whole)
    assert np.array_equal(am.load_study(folder).table, whole)


def test_a_full_disk_ends_the_study_and_keeps_what_is_done(tmp_path, whole, monkeypatch):
    usual, left = stored.write_all, [5]

    def full(file, data):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        usual(file, data)

    monkeypatch.setattr(stored, "write_all", full)
    with pytest.raises(am.FormatError, match=r"No space left.*resume=True"):
        car_study(out=tmp_path / "s")
    monkeypatch.setattr(stored, "write_all", usual)
    study = car_study(out=tmp_path / "s", resume=True)
    assert np.array_equal(study.table, whole)


def test_ctrl_c_keeps_what_is_done(tmp_path, whole):
    def stop(now):
        if now.done >= 16:
            raise KeyboardInterrupt

    study = car_study(out=tmp_path / "s", progress=stop)
    assert not study.complete and "interrupted" in study.message and len(study) == 16
    assert np.array_equal(study.table, whole[:16])
    assert np.array_equal(car_study(out=tmp_path / "s", resume=True).table, whole)
    memory = car_study(progress=stop)
    assert np.array_equal(memory.table, whole[:16])


CHANGED = [
    ({"seed": 5}, "seed: expected 4, found 5"),
    ({"samples": 49}, "samples"),
    ({"chunk": 16}, "chunk"),
]


@pytest.mark.parametrize(("change", "text"), CHANGED)
def test_another_study_is_refused_and_nothing_is_touched(tmp_path, change, text):
    folder = tmp_path / "s"
    car_study(out=folder)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    with pytest.raises(am.InputError, match=text):
        car_study(out=folder, resume=True, **change)
    with pytest.raises(am.FormatError, match="there is a study already"):
        car_study(out=folder)
    with pytest.raises(am.InputError, match="experiment"):
        am.study(bump_experiment(0.06), CAR, COMFORT, out=folder, resume=True, **HERE)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(am.FormatError, match="not empty"):
        car_study(out=tmp_path)
    with pytest.raises(am.FormatError, match=r"manifest\.json"):
        am.load_study(tmp_path)
    for name in (None, 3, ""):
        with pytest.raises(am.InputError, match="expected the name of a folder"):
            am.load_study(name)


def test_two_processes_do_not_write_one_folder(tmp_path):
    first = stored.Store(tmp_path / "s", (), ())
    first.begin({}, {"armillary": "0"}, False)
    with pytest.raises(am.FormatError, match="another process"):
        car_study(out=tmp_path / "s", resume=True)
    first.close()


def test_functions_do_not_go_to_other_processes():
    pendulum = am.example("double-pendulum")

    def law(t, q, v):
        return -0.5 * v

    experiment = am.Experiment(pendulum, {"controller": law, "duration": 0.01, "period": 1e-3})
    given = (experiment, {"q0.elbow": [0.1, 0.2]}, {"end": "end q.elbow"})
    assert len(am.study(*given)) == 2
    with pytest.raises(am.InputError, match="a function of the user"):
        am.study(*given, processes=2)


def test_another_version_is_refused_by_workers():
    from armillary.studies.work import do_chunk

    with pytest.raises(am.InputError, match="a worker has version"):
        do_chunk("{}", 0, "9.9.9")
