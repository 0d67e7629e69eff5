"""Answers of all questions, before and after a change of what computes them.

    PYTHONPATH=tests python -m answers record before.npz      (some minutes)
    PYTHONPATH=tests python -m answers compare before.npz     what differs now by more than 1e-11

All built-in mechanisms, vehicles and some robots, at three states each: every question that takes
states (tests/functions/every_question.py), of one state and of a batch, single precision left out,
and short runs.  A difference is measured by the largest number of the answer."""

import argparse
import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import armillary as am
from armillary.errors import ArmillaryError
from robots import robot

sys.path[:0] = [str(Path(__file__).parent / "functions"), str(Path(__file__).parents[1])]

from benchmarks.closed import ladder  # noqa: E402
from every_question import STATES, arrays_of, asked  # noqa: E402

COUNT, DIFFERENT = 19, 1e-11
Arrays = dict[str, np.ndarray]


def machines() -> dict[str, Callable[[], am.Mechanism]]:
    made: dict[str, Callable[[], am.Mechanism]] = {}
    for name in am.example_names():
        made[name] = lambda name=name: am.example(name)
    for name in ("car", "truck", "bicycle", "rover", "differential_drive", "yesiloglu_car"):
        made[f"vehicle {name}"] = lambda name=name: getattr(am.vehicles, name)().mechanism
    for name in ("ur5", "panda", "allegro"):
        made[name] = lambda name=name: am.load(robot(name), base="fixed")
    for name in ("solo12", "talos"):
        made[name] = lambda name=name: am.load(robot(name), base="free")
    for windows in (2, 12, 40):
        made[f"ladder of {windows} windows"] = lambda n=windows: ladder(n)
    return made


def states(m: am.Mechanism) -> Arrays:
    rng = np.random.default_rng(5)
    start = np.array(m.initial)
    with contextlib.suppress(ArmillaryError):
        start = m.assemble(start).q
    q = m.integrate(start, rng.uniform(-0.1, 0.1, (COUNT, m.nv)))
    q[0], v = start, rng.uniform(-1.0, 1.0, (COUNT, m.nv))
    others = ("a", "tau", "weight", "dq", "dv", "da", "dtau")
    found = {name: rng.uniform(-1.0, 1.0, (COUNT, m.nv)) for name in others}
    if m.constraints:
        q, v = m.project(q, v)
        found["a"] = m.forward_dynamics(q, v, found["tau"])
    return found | {"q": q, "v": v, "q1": q[::-1].copy()}


def answers(m: am.Mechanism) -> Iterator[tuple[str, Arrays]]:
    """Of every question the arrays; {"refused": []} where it is not known here."""
    rows = states(m)
    for name, (arguments, options) in STATES.items():
        given = {k: m.bodies[-1] if x == "last" else x for k, x in options.items()}
        many = 3 if "." in name else COUNT
        for what, part in (("first", 0), ("second", 1), ("rows", slice(0, many))):
            yield f"{name}, {what}", answer(m, name, [rows[x][part] for x in arguments], given)
    for method in ("rk4", "semi-implicit", "implicit"):
        yield f"run, {method}", run(m, rows["q"][0], rows["v"][0], method)


def answer(m: am.Mechanism, name: str, values: list[np.ndarray], options: dict) -> Arrays:
    try:
        return arrays_of(asked(m, name)(*values, **options))
    except ArmillaryError:
        return {"refused": np.zeros(0)}


def run(m: am.Mechanism, q: np.ndarray, v: np.ndarray, method: str) -> Arrays:
    try:
        found = am.simulate(m, q, 0.1 * v, duration=0.02, step=1e-3, method=method)
    except ArmillaryError:
        return {"refused": np.zeros(0)}
    return {"q": found.q, "v": found.v}


def everything(only: str) -> Iterator[tuple[str, np.ndarray]]:
    for name, make in machines().items():
        if only in name:
            print(name, flush=True)
            for question, arrays in answers(make()):
                for path, array in arrays.items():
                    yield f"{name} | {question} | {path}", array


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """The largest, of the largest number; infinite where shapes or what is no number differ."""
    if one.shape != other.shape or not np.array_equal(np.isfinite(one), np.isfinite(other)):
        return np.inf
    finite = np.isfinite(one)
    if not finite.any():
        return 0.0
    off = np.abs(one[finite] - other[finite]).max()
    return float(off / max(np.abs(one[finite]).max(), 1e-9))


def compare(before: dict[str, np.ndarray], only: str) -> int:
    """Prints what differs, worst first; how many answers that are."""
    now = dict(everything(only))
    wanted = {key: x for key, x in before.items() if only in key.partition(" | ")[0]}
    found = {key: difference(x, now[key]) for key, x in wanted.items() if key in now}
    found |= dict.fromkeys(wanted.keys() ^ now.keys(), np.inf)
    worst = sorted(((x, key) for key, x in found.items() if x > DIFFERENT), reverse=True)
    for off, key in worst:
        print(f"{off:9.1e}  {key}")
    same = sum(x == 0.0 for x in found.values())
    print(f"{len(found)} answers: {same} to the last bit, {len(worst)} differ by over {DIFFERENT}")
    return len(worst)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="machines whose name has this in it")
    asked_for = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked_for.what == "record":
        with asked_for.file.open("xb") as file:
            np.savez_compressed(file, **dict(everything(asked_for.only)))
    else:
        sys.exit(bool(compare(dict(np.load(asked_for.file)), asked_for.only)))


if __name__ == "__main__":
    main()
