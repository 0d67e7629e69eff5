"""`demo`: the main job on the Stanford arm of [VanDerMerwe1995], or any built-in mechanism."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from armillary import Mechanism, example, simulate
from armillary.cli import models, screen
from armillary.cli.answers import WRENCH_COLUMNS
from armillary.evaluate.results import Reactions
from armillary.formats.examples import example_info

# The state of section 4.5 and the joint forces that the book prints for it, eq 4.62.
V = (1.5, 0.0, 0.4, 1.0, 3.0)
A = (0.0, 0.0, 0.0, 0.0, 0.0)
BOOK = (2.26935, 18.25191, -4.40825, 2.16351, 0.0015)
STATES = 4096


def demo(name: str | None, folder: Path) -> None:
    if name is not None:
        _shown(name, folder)
        return
    arm = example("stanford")
    q, v, a = np.array(arm.model.initial), np.array(V), np.array(A)
    _heading("1  The mechanism", 'arm = armillary.example("stanford")')
    screen.say(f"{arm}\n")
    tau = arm.inverse_dynamics(q, v, a)
    again = arm.forward_dynamics(q, v, tau)
    _heading("2  Which forces for this motion?", "tau = arm.inverse_dynamics(q, v, a)")
    _torques(arm, q, v, a, tau)
    error = float(np.abs(again - a).max())
    _heading("3  And back: which accelerations?", "arm.forward_dynamics(q, v, tau)")
    screen.say(f"articulated bodies give the accelerations again, to {error:.0e} rad/s² or m/s²\n")
    _heading("4  Every force in every joint", "arm.reactions(q, v, a)")
    _reactions(arm.reactions(q, v, a))
    _heading("5  Is it right?", "arm.check(q, v, tau) at a random state")
    q1, v1, a1 = arm.random_state(1)
    check = arm.check(q1, v1, arm.inverse_dynamics(q1, v1, a1))
    rows = [(f"{error:.0e}", name) for name, error in check.errors().items()]
    screen.table([">difference", "the same by two formulations"], rows)
    _heading("6  Many states at once", f"the same calls with arrays of {STATES} rows")
    _batch(arm)
    _heading("7  See it", 'run = armillary.simulate(...); run.animate("four-bar.html")')
    _pictures(arm, folder)
    _pictures(example("four-bar"), folder, "four-bar")
    screen.say("Next: armillary demo rover, armillary show stanford, armillary --help, docs/")


def _shown(name: str, folder: Path) -> None:
    """A built-in mechanism: what it is, all its forces where it starts, and a run to watch."""
    mechanism = example(name)
    info = example_info(name)
    _heading(name, f"{info.description}; {info.source}")
    screen.say(f"{mechanism}\n")
    rest = np.zeros(mechanism.nv)
    _heading("Every force where it starts", f'armillary.example("{name}").solve(q, v, tau)')
    screen.say(f"{mechanism.solve(mechanism.initial, rest, rest)}\n")
    _heading("A run to watch", "armillary.simulate(...)")
    _pictures(mechanism, folder, name)


def _pictures(mechanism: Mechanism, folder: Path, name: str | None = None) -> None:
    """A sketch and, of a mechanism by name, the page of a run; says where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    sketch = folder / f"{mechanism.name}.svg"
    mechanism.draw().save(sketch, overwrite=True)
    screen.say(f"picture  {sketch}")
    if name is not None:
        given = example_info(name).motion
        run = simulate(mechanism, record=("q", "v", "energy"), step=2e-3, **given)
        page = run.animate(folder / f"{name}.html", play=True, overwrite=True)
        screen.say(f"page     {page}  ({run.time[-1]:g} s of motion; open it in a browser)\n")


def _heading(text: str, call: str) -> None:
    screen.say(f"{text}   {call}", "bold")


def _torques(arm: Mechanism, *values: np.ndarray) -> None:
    columns = [screen.numbers(x) for x in values]
    units = [models.units(arm, kind) for kind in ("q", "tau")]
    rows = [
        [label, *(c[k] for c in columns), f"{units[0][k]}, {units[1][k]}", screen.number(BOOK[k])]
        for k, label in enumerate(arm.v_labels)
    ]
    heads = ["joint", ">q", ">v", ">a", ">tau", "units", ">the book, eq 4.62"]
    screen.table(heads, rows)


def _reactions(reactions: Reactions) -> None:
    rows = [
        [body.joint.name, *screen.numbers(values, 5)]
        for body, values in zip(reactions.model.bodies, reactions.total, strict=True)
    ]
    screen.say("by the parent on the body, in the body's frame; also split: .driving, .constraint")
    screen.table(["joint", *WRENCH_COLUMNS], rows)


def _batch(arm: Mechanism) -> None:
    rng = np.random.default_rng(0)
    q = rng.uniform(-1.0, 1.0, (STATES, arm.nq))
    v, x = rng.normal(size=(STATES, arm.nv)), rng.normal(size=(STATES, arm.nv))
    questions: tuple[tuple[str, Callable[[], np.ndarray]], ...] = (
        ("inverse dynamics", lambda: arm.inverse_dynamics(q, v, x)),
        ("forward dynamics", lambda: arm.forward_dynamics(q, v, x)),
        ("mass matrix", lambda: arm.mass_matrix(q)),
    )
    rows = [(name, f"{_best(call) / STATES * 1e9:.0f} ns") for name, call in questions]
    screen.table(["question", ">time per state"], rows)


def _best(call: Callable[[], np.ndarray], repeats: int = 20) -> float:
    """Shortest of some runs, in seconds; the first call compiles and is not counted."""
    call()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)
