"""Runs that go on where a file ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armillary.evaluate.inputs import Array
from armillary.sim.loop.events import Bound, Event, Switch, Watched
from armillary.sim.loop.states import State, StepBatch
from armillary.sim.methods.system import System
from armillary.sim.motion.user_functions import columns, rows
from armillary.sim.record.layout import State as Saved
from armillary.sim.record.recorder import Recorder


def last_state(recorder: Recorder, system: System, t0: float) -> State | None:
    """The last state of a recording that goes on; None: there is none."""
    last, origin = recorder.state, recorder.origin
    if not last or "q" not in last:
        return None
    if origin is not None and abs(origin - t0) > 1e-12 * max(1.0, abs(t0)):
        raise recorder.another(f"t0: expected {origin!r}, found {t0!r}")
    _check_shapes(recorder, system, last)
    q, v = (np.array(last[name], float) for name in ("q", "v"))
    z = np.array(last.get("z", np.zeros((*q.shape[:-1], 0))), float)
    if z.shape[-1] != system.nz:
        raise recorder.another(
            f"states of controllers and actuators: expected {z.shape[-1]}, found {system.nz}"
        )
    _hold(system, last)
    _take_up(system, last)
    return State(float(last["t"]), q, v, z)


def _check_shapes(recorder: Recorder, system: System, last: Saved) -> None:
    """A state that this mechanism and these blocks can go on from."""
    runs, m = np.shape(last["q"])[:-1], system.mechanism
    wanted: dict[str, tuple[int, ...]] = {"t": (), "q": (*runs, m.nq), "v": (*runs, m.nv)}
    optional = {"resting": (*runs, m.nv), "ended": runs}
    optional |= {f"held{k}": (*runs, m.nv) for k in _numbers(system)}
    if "z" in last:  # how many they are is told in its own words
        wanted["z"] = (*runs, *(np.shape(last["z"])[-1:] or (system.nz,)))
    wanted |= {name: shape for name, shape in optional.items() if name in last}
    for name, shape in wanted.items():
        found = np.shape(last[name]) if name in last else "nothing"
        if found != shape or len(shape) > 2:
            raise recorder.another(f"last state, {name}: expected shape {shape}, found {found}")


def events_taken_up(system: System, watched: Sequence[Watched], recorder: Recorder) -> str:
    """What the file says of the event that ended it; "" where it goes on, as it does without such
    events.  An event that acted where the file ends does not act there once more."""
    found = recorder.resumed
    if found is None:
        return ""
    _take_up_values(system, watched, recorder.state)
    over = found.complete and any(event.terminal for event in watched)
    return found.message if over else ""


def held(system: System, v: Array) -> dict[str, Array]:
    """What sampled blocks hold until their next sample, by names for the recorder."""
    pairs = zip(_numbers(system), system.modes.samples.held, strict=True)
    return {f"held{k}": rows(own, v) for k, own in pairs if own is not None}


def _numbers(system: System) -> list[int]:
    """Of the sampled blocks in the chain."""
    return [k for k, stage in enumerate(system.chain.stages) if stage.sampled is not None]


def happened(system: System, watched: Sequence[Watched], v: Array) -> dict[str, Array]:
    """What events have left behind, by names for the recorder: "resting", the side of the limit
    at which an entry of v rests (0: none), "ended", when runs of a batch ended (else NaN), and
    "acted", the value at which each event acted last (else NaN); where mechanisms take turns
    "switched", whether a Switch has put another one in place, and of a batch "active", the number
    of each run's mechanism (0: the first one)."""
    found: dict[str, Array] = {}
    events = [event for event in watched if isinstance(event, Event)]
    runs: Sequence[int | None] = range(len(v)) if v.ndim == 2 else (None,)
    mechanisms = system.mechanisms
    now = [mechanisms.of_row(row) for row in runs]
    if events:
        values = [[system.modes.acted.get((row, id(e)), np.nan) for e in events] for row in runs]
        found["acted"] = np.array(values if v.ndim == 2 else values[0])
    if any(isinstance(event, Switch) for event in watched):
        found["switched"] = np.array(
            [mechanisms.chosen(m) is not mechanisms.given for m in now], float
        )
    if mechanisms.others and v.ndim == 2:
        places = [id(m) for m in (mechanisms.given, *mechanisms.others)]
        found["active"] = np.array([places.index(id(m)) for m in now])
    if any(isinstance(event, Bound) for event in watched):
        found["resting"] = np.zeros(v.shape)
        for row, held in system.modes.resting.items():
            own = found["resting"] if row is None else found["resting"][row]
            for k, side in held.items():
                own[k] = side
    if v.ndim == 2 and (system.modes.ended or any(event.terminal for event in watched)):
        found["ended"] = np.array([system.modes.ended.get(row, np.nan) for row in range(len(v))])
    return found


def _take_up(system: System, last: Saved) -> None:
    """Joints rest where they rested, runs that were over stay so."""
    sides = np.array(last.get("resting", 0.0), float)
    for place in np.argwhere(sides):
        row = int(place[0]) if sides.ndim == 2 else None
        system.modes.resting.setdefault(row, {})[int(place[-1])] = float(sides[tuple(place)])
    times = np.atleast_1d(np.array(last.get("ended", np.nan), float))
    system.modes.ended.update(
        {int(row): float(times[row]) for row in np.flatnonzero(times == times)}
    )


def _take_up_values(system: System, watched: Sequence[Watched], last: Saved) -> None:
    """Values at which events acted last, as `happened` tells them."""
    events = [event for event in watched if isinstance(event, Event)]
    values = np.array(last.get("acted", ()), float)
    if not events or values.shape[-1:] != (len(events),):
        return
    for row, own in enumerate(np.atleast_2d(values)):
        for event, value in zip(events, own, strict=True):
            if value == value:
                system.modes.acted[row if values.ndim == 2 else None, id(event)] = float(value)


def states_of(system: System, batch: StepBatch) -> dict[str, Array]:
    """What a run needs to go on beside q and v, at many instants, by names for the recorder."""
    found, n = {"z": batch.z} if system.nz else {}, system.nv
    for i, k in enumerate(_numbers(system)):
        found[f"held{k}"] = batch.held[..., i * n : (i + 1) * n]
    return found


def _hold(system: System, last: Saved) -> None:
    """Sampled parts hold what they held: the next sample is not taken early."""
    samples = system.modes.samples
    for i, k in enumerate(_numbers(system)):
        if f"held{k}" in last:
            samples.held[i] = columns(np.array(last[f"held{k}"], float))
            samples.due[i] = samples.stages[i].next_sample(float(last["t"]))
