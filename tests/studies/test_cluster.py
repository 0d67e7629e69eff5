"""The same study on a dask cluster of separate worker processes, on this machine alone."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import armillary as am
from armillary.studies.executors import chunks_of_cluster
from armillary.studies.study import work_for
from studies.cars import BEARINGS, CAR, COMFORT, PRESS, bump_experiment, press_experiment
from studies.test_keeping import SOURCE, car_study, whole  # noqa: F401 - a fixture

pytest.importorskip("distributed")
PATHS = os.pathsep.join([str(SOURCE), str(Path(__file__).parents[1])])
QUICK = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s"}  # a dead worker is not waited for


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path):
        self.folder, self.port = folder, free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.workers: list[subprocess.Popen] = []
        self.scheduler = self.begin_scheduler()

    def _started(self, *words: str) -> subprocess.Popen:
        log = (self.folder / "log.txt").open("a")
        return subprocess.Popen(
            [sys.executable, "-m", *words], stdout=log, stderr=log, cwd=self.folder,
            env={**os.environ, "PYTHONPATH": PATHS, **QUICK},
        )  # fmt: skip

    def begin_scheduler(self) -> subprocess.Popen:
        return self._started(
            "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port),
            "--no-dashboard", "--no-show", "--scheduler-file", str(self.folder / "scheduler.json"),
        )  # fmt: skip

    def begin_worker(self) -> subprocess.Popen:
        worker = self._started(
            "distributed.cli.dask_worker", self.address, "--nthreads", "1", "--no-nanny",
            "--host", "127.0.0.1", "--no-dashboard", "--local-directory", str(self.folder),
            "--death-timeout", "60",
        )  # fmt: skip
        self.workers.append(worker)
        return worker

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


def cluster_in(folder):
    made = Cluster(folder)
    made.begin_worker()
    made.begin_worker()
    yield made
    made.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    yield from cluster_in(tmp_path_factory.mktemp("cluster"))


@pytest.fixture
def own_cluster(tmp_path):
    yield from cluster_in(tmp_path)


RECORDED = {"of": ["q", "v.car", "road_force.wheel", "energy"], "every": 5}


def test_a_cluster_gives_the_same_bits_though_a_worker_is_killed(cluster, whole):  # noqa: F811
    """Responses and whole recordings."""
    killed = []

    def kill(now):
        if not killed:
            killed.append(cluster.workers[0].kill())
            cluster.begin_worker()

    study = car_study(scheduler=cluster.address, progress=kill, recordings=RECORDED)
    assert killed and np.array_equal(study.table, whole)
    assert study.recordings().identical(car_study(recordings=RECORDED).recordings())


def presses(samples, duration, chunk, **where):
    """Bearing loads of a closed mechanism: maxima, and over time."""
    loads = {"of": ["reactions.crank.force", "constraint_forces.pin.force"], "every": 10}
    return am.study(
        press_experiment(duration), PRESS, BEARINGS, samples=samples, seed=1, chunk=chunk,
        recordings=loads, **where,
    )  # fmt: skip


def same_bits(one, other):
    assert one.complete and not any(one.failed)
    assert np.array_equal(one.table, other.table)
    assert one.recordings().identical(other.recordings())


def test_bearing_loads_are_the_same_bits_everywhere(cluster, tmp_path):
    """In this process, in two of this machine, and by the workers of a cluster."""
    given = (36, 0.05, 8)
    here = presses(*given)
    same_bits(presses(*given, processes=2, out=tmp_path / "s"), here)
    same_bits(presses(*given, scheduler=cluster.address), here)


@pytest.mark.soak
def test_a_thousand_presses_are_the_same_bits_everywhere(cluster, tmp_path):
    given = (1000, 0.5, 128)
    here = presses(*given)
    same_bits(presses(*given, processes=2, out=tmp_path / "s"), here)
    same_bits(presses(*given, scheduler=cluster.address), here)


@pytest.mark.soak
def test_a_scheduler_that_is_restarted_is_asked_again(own_cluster, tmp_path, whole):  # noqa: F811
    restarted, cluster = [], own_cluster

    def restart(now):
        if not restarted:
            cluster.scheduler.kill()
            cluster.scheduler.wait()
            cluster.scheduler = cluster.begin_scheduler()
            restarted.append(True)
            cluster.begin_worker()

    deadline = time.monotonic() + 60.0
    while not (tmp_path / "scheduler.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    study = car_study(
        scheduler=str(tmp_path / "scheduler.json"), out=tmp_path / "s", progress=restart
    )
    assert restarted and np.array_equal(study.table, whole)
    lines = (tmp_path / "s/chunks.jsonl").read_text().splitlines()
    assert len(lines) == 6


def test_a_scheduler_that_is_not_there_is_told():
    work = work_for(bump_experiment(0.01), CAR, COMFORT, samples=8)
    with pytest.raises(am.InputError, match=r"does not answer.*resume=True"):
        next(chunks_of_cluster(work, [0], f"tcp://127.0.0.1:{free_port()}", patience=0.1))
    with pytest.raises(am.InputError, match="tcp://host:port"):
        car_study(scheduler="somewhere")
