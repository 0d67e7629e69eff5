"""What only a fresh process can tell: `python -m benchmarks.child TASK ...` prints one number list.

import                   s to import armillary after numpy
first ROBOT QUESTION     s to read the file; s of the first call
edit EXAMPLE             s from another mass to the answer, after the first
drive                    s of a car, its first acceleration and its first drive
study VARIANTS           MB at most of a study in a folder; s on the clock
memory BODIES            MB on top of the import, for a chain asked inverse and forward dynamics

Seconds come twice: of the processor, and on the clock (more where the machine is busy).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def ask(*words: str, cache: Path | None = None) -> list[float]:
    """The numbers of a task, from a process of its own."""
    environment = dict(os.environ)
    if cache is not None:
        environment["XDG_CACHE_HOME"] = str(cache)
    command = [sys.executable, "-m", "benchmarks.child", *words]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout)


class Watch:
    """Processor time and clock time since it was made."""

    def __init__(self) -> None:
        self.used, self.began = time.process_time(), time.perf_counter()

    def read(self) -> list[float]:
        return [time.process_time() - self.used, time.perf_counter() - self.began]


def import_time() -> list[float]:
    import numpy  # noqa: F401 - not counted

    watch = Watch()
    import armillary  # noqa: F401

    return watch.read()


def first_call(robot: str, question: str) -> list[float]:
    from benchmarks.mechanisms import ROBOTS, states

    watch = Watch()
    mechanism = ROBOTS[robot].mechanism()
    reading = watch.read()
    q, v, x = (part[0] for part in states(mechanism, 1))
    watch = Watch()
    getattr(mechanism, question)(*([q] if question == "mass_matrix" else [q, v, x]))
    return [*reading, *watch.read()]


def edit(name: str) -> list[float]:
    import armillary as am

    arm = am.example(name)
    for mass in (1.111, 1.234):  # both unlike the others: equal masses are another structure
        mechanism = arm.replace(bodies={arm.bodies[-1]: {"mass": mass}})
        watch = Watch()
        rest = mechanism.inverse_dynamics(mechanism.initial, *[[0.0] * mechanism.nv] * 2)
        mechanism.forward_dynamics(mechanism.initial, [0.0] * mechanism.nv, rest)
    return watch.read()


def drive() -> list[float]:
    import armillary as am

    watch = Watch()
    car = am.vehicles.car()
    q, v = car.start(25.0)
    car.mechanism.forward_dynamics(q, v, [0.0] * car.mechanism.nv)
    am.vehicles.drive(car, am.vehicles.straight_braking(duration=0.3), step=1e-3)
    return watch.read()


def memory(bodies: str) -> list[float]:
    from benchmarks.mechanisms import chain, states

    before = peak()
    mechanism = chain(int(bodies))
    q, v, x = (part[0] for part in states(mechanism, 1))
    mechanism.forward_dynamics(q, v, mechanism.inverse_dynamics(q, v, x))
    return [peak() - before]


def study(variants: str) -> list[float]:
    from benchmarks.studies import streamed

    with tempfile.TemporaryDirectory() as folder:
        watch = Watch()
        assert streamed(int(variants), f"{folder}/study") == int(variants)
        return [peak(), watch.read()[1]]


def peak() -> float:
    """Largest memory of this process so far, MB."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    # ru_maxrss would count the parent's memory before exec
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return float(line.split()[1]) * 1024 / 1e6


TASKS = {
    "import": import_time, "first": first_call, "edit": edit, "drive": drive, "memory": memory,
    "study": study,
}  # fmt: skip

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))  # type: ignore[operator]
