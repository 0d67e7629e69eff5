"""The recorder: takes instants from the loop, computes what was asked for, block by block.

In memory, or streamed to disk: blocks go into a journal beside the wanted file (run.nc.part, see
journal.py), which survives a kill; `finish` turns it into run.nc.

    recorder = Recorder(mechanism, ("q", "v", "energy"), every=10, out="run.nc")
    recorder.add(t, q, v, a, tau, {"voltage": u, "external": {"hand": wrench}, "z": z})
    recorder.extend(t, q, v, a, tau)          # many instants at once: a leading time axis
    run = recorder.finish(message, complete)
"""

from __future__ import annotations

import os
import time as clock
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from armillary.codegen.interrupts import uninterrupted
from armillary.constraints.drift import DrawnBack
from armillary.errors import FormatError, InputError
from armillary.formats.files import named_path
from armillary.mechanism.mechanism import Mechanism
from armillary.sim.motion.driven import PrescribedMotions
from armillary.sim.record import quantities, storage, stored_run
from armillary.sim.record.half_turns import HalfTurns
from armillary.sim.record.journal import Journal, journal_path
from armillary.sim.record.layout import Array, Layout, Rows, State, Tail, joined
from armillary.sim.record.mechanism_text import stored_text
from armillary.sim.record.quantities import EXTERNAL, EXTRAS, Extras, quantity_of
from armillary.sim.record.row_blocks import UNDEFINED, block
from armillary.sim.record.run import Run

BLOCK_BYTES = 1 << 20
BLOCK_ROWS = 4096
BLOCK_SECONDS = 5.0  # on the wall: a slow run is written at least this often
Columns = Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]


class Recorder:
    """Records the named quantities at every n-th instant it is told of.

    extras: labels and units of what the loop hands over beyond `voltage`, `current` and
    `electrical_power` (which have one column per degree of freedom).  others: mechanisms that may
    take over during the run (see `switch`).  handed: the loop itself tells of every n-th step
    only.  resume: go on where the file ends; `state` is then its last state {"t", "q", "v", "z"},
    and instants up to that time are not taken again.  A file of another mechanism, method, step,
    every, record or physics (see physics.py) is refused, before it is touched; unsaid: parts of the
    physics that this call leaves to the file."""

    def __init__(
        self,
        mechanism: Mechanism,
        names: str | Iterable[str] = ("q", "v"),
        every: int = 1,
        out: str | os.PathLike[str] | None = None,
        *,
        method: str = "",
        step: float = 0.0,
        extras: Columns | None = None,
        others: Sequence[Mechanism] = (),
        handed: int = 1,
        resume: bool = False,
        overwrite: bool = False,
        prescribed: PrescribedMotions | None = None,
        physics: Mapping[str, str] = MappingProxyType({}),
        unsaid: Iterable[str] = (),
        experiment: str = "",
    ):
        self._drives = prescribed or None
        self.baumgarte: DrawnBack | None = None  # rates that draw constraints back, 1/s
        self.parameters: Array | None = None  # (n) or (runs, n): other numbers of bodies, elements
        if isinstance(every, bool) or int(every) != every or every < 1:
            raise InputError(f"every: expected a whole number from 1 on, found {every!r}.")
        if resume and out is None:
            raise InputError("resume: name the file that goes on with `out`.")
        self.mechanism, self.every = mechanism, int(every)
        self._others = others  # may grow during the run
        self._extra_columns = dict(extras or {})
        self.names = quantities.check_names(names, self._extra_columns)
        several = (mechanism, *self._others)
        self._columns = {name: self._columns_of(name, several) for name in self.names}
        self.out = None if out is None else named_path(out)
        probe = () if out is None else quantities.probe(mechanism)
        self._about = (method, float(step), self.every * int(handed), probe, physics)
        self._unsaid, self._experiment = set(unsaid), experiment
        self._state: State | None = {}
        self.events: list[tuple[float, str]] = []
        self._layout: Layout | None = None
        self._journal: Journal | None = None
        self._blocks: list[Rows] = []  # in memory, where nothing goes to disk
        self._buffers: dict[str, Array] = {}
        self._filled = self._count = self._capacity = 0
        self._saved = 0  # events that are on disk
        self._undefined = ""  # that the force of an element was, in words
        self._remarks: set[str] = set()  # that are among the events: of a kind, or of a part
        self._turns = HalfTurns()
        self._written = clock.monotonic()
        self._resumed_at = -np.inf
        self.resumed: Run | None = None  # what stood there
        if self.out is not None:
            storage.check_target(self.out, resume, overwrite)
            if resume:
                self._go_on(self.out)

    def _columns_of(
        self, name: str, mechanisms: Iterable[Mechanism]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if name in self._extra_columns:
            labels, units = self._extra_columns[name]
            return tuple(labels), tuple(units)
        found = quantities.columns(name, mechanisms)
        if not found and (quantity := quantity_of(name)) is not None:
            return (), (quantity.unit,)
        return tuple(label for label, _ in found), tuple(unit for _, unit in found)

    # -- from the loop ---------------------------------------------------------------------------

    @uninterrupted()
    def add(
        self,
        t: float,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        extras: Extras = None,
    ) -> None:
        """One instant: q (nq,), v, a, tau (nv,), or with a leading axis of B runs.

        extras: numbers of this instant by name; "z", the states of controllers and actuators, and
        whatever else a run needs to go on; "external", wrenches by frame."""
        t = float(t)
        if t <= self._resumed_at:
            return
        given = quantities.given(q, v, a, tau, extras)
        wanted = self._count % self.every == 0
        self._count += 1
        if not wanted:
            self._state = self._state_of(t, given, self._count)
            return
        if not self._buffers:
            self._prepare(given)
        self._fill(slice(self._filled, self._filled + 1), t, {n: x[None] for n, x in given.items()})
        self._state = None  # it stands in the last row
        if self._filled == self._capacity or self._late():
            self.flush()

    @uninterrupted()
    def extend(
        self,
        t: ArrayLike,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        extras: Extras = None,
    ) -> None:
        """Many instants: every array with a leading time axis (T, ...).  Ctrl-C waits: all of them
        are recorded, or none."""
        times = np.asarray(t, float)
        given = quantities.given(q, v, a, tau, extras)
        new = times > self._resumed_at
        if not new.any():
            return
        times, given = times[new], {name: x[new] for name, x in given.items()}
        chosen, before = np.arange(-self._count % self.every, len(times), self.every), self._count

        def state_at(k: int) -> State:
            return self._state_of(
                float(times[k]), {n: x[k] for n, x in given.items()}, before + k + 1
            )

        if not self._buffers and len(chosen):
            self._prepare({name: x[0] for name, x in given.items()})
        self._count += len(times)
        self._state = state_at(len(times) - 1)
        while len(chosen):
            take, chosen = np.split(chosen, [self._capacity - self._filled])
            span = slice(self._filled, self._filled + len(take))
            self._fill(span, times[take], {n: x[take] for n, x in given.items()})
            if self._filled == self._capacity and len(chosen):
                # the state of the journal must not be later than its rows
                self._write(state_at(int(take[-1])))
        if self._filled == self._capacity or self._late():
            self.flush()

    @property
    def state(self) -> State:
        """The last state that was met, recorded or not: {"t", "q", "v", "z", ...}."""
        if self._state is None:
            k = self._filled - 1
            row = {name: x[k] for name, x in self._buffers.items() if name != "time"}
            self._state = self._state_of(float(self._buffers["time"][k]), row, self._count)
        return self._state

    def event(self, t: float, text: str) -> None:
        """Something that happened: a joint at its limit, a contact that opened.

        It goes to disk with the block that reaches its time."""
        self.events.append((float(t), str(text)))

    def switch(self, mechanism: Mechanism) -> None:
        """From now on the states belong to another mechanism with the same tree."""
        self.flush()
        self.mechanism = mechanism

    @property
    def origin(self) -> float | None:
        """The first instant of a recording that goes on."""
        return float(self.resumed.time[0]) if self.resumed and len(self.resumed) else None

    @property
    def width(self) -> int:
        """Numbers of one instant (of one run)."""
        return 1 + sum(max(len(labels), 1) for labels, _ in self._columns.values())

    def close(self) -> None:
        """Let the file go; what was written stays."""
        if self._journal is not None:
            self._journal.close()

    def finish(self, message: str = "", complete: bool = True) -> Run:
        """The run, and the finished file.  Arrays of a large file are read when asked for.  One in
        which an element had no force is not complete."""
        if self.out is None:
            self.flush()
            return self._in_memory(self._tail(message, complete))
        if self._journal is None:
            self._start(self._layout_now(None))
        journal = self._opened()
        try:
            self.flush()
            journal.finish(self._tail(message, complete))
        finally:
            journal.close()
        self._journal = None
        storage.from_journal(journal, self.out)
        return self._known(stored_run.load_run(self.out))

    def _tail(self, message: str, complete: bool) -> Tail:
        if self._undefined and complete:
            message, complete = message or self._undefined, False
        return Tail(message, complete, self.events, self.state)

    def _known(self, run: Run) -> Run:
        run.simulated = self.mechanism
        return run

    # -- inside ----------------------------------------------------------------------------------

    def _state_of(self, t: float, given: Mapping[str, Array], count: int) -> State:
        """What a run needs to go on."""
        skipped = (*NOT_A_STATE, *self._columns)
        kept = {
            name: x.copy()
            for name, x in given.items()
            if name in ("q", "v") or (name not in skipped and not name.startswith(EXTERNAL))
        }
        return {"t": t, "count": float(count), **kept}

    def _prepare(self, given: Mapping[str, Array]) -> None:
        """Buffers for one block, and the layout: known with the first instant."""
        missing = [n for n in self.names if quantity_of(n) is None and n not in given]
        if missing:
            raise InputError(
                f"record: this run has no '{missing[0]}' (no part of it tells it). Leave it out."
            )
        batch = len(given["q"]) if given["q"].ndim == 2 else None
        layout = self._layout_now(batch)
        if layout.batch != batch:
            raise self.another(f"number of runs: expected {layout.batch or 1}, found {batch or 1}")
        widths = [*(x.size for x in given.values()), *(_size(layout, n) for n in self.names)]
        self._capacity = int(np.clip(BLOCK_BYTES // (8 * max(*widths, 1)), 16, BLOCK_ROWS))
        shapes = {name: x.shape for name, x in given.items()} | {"time": ()}
        self._buffers = {name: np.empty((self._capacity, *s)) for name, s in shapes.items()}
        if self.out is not None and self._journal is None:
            self._start(layout)

    def _fill(self, span: slice, t: float | Array, given: Mapping[str, Array]) -> None:
        """Instants into the buffers.  What acts now and then is zero where it is not given."""
        buffers = self._buffers
        for name in given.keys() - buffers.keys():
            if not _now_and_then(name):
                raise KeyError(f"'{name}' was not told of at the first instant")
            buffers[name] = np.zeros((self._capacity, *given[name].shape[1:]))
        for name, buffer in buffers.items():
            absent = name not in given and _now_and_then(name)
            buffer[span] = t if name == "time" else 0.0 if absent else given[name]
        self._filled = span.stop

    def _layout_now(self, batch: int | None) -> Layout:
        if self._layout is None:
            labels = {name: columns[0] for name, columns in self._columns.items()}
            units = {name: columns[1] for name, columns in self._columns.items()}
            text = "" if self.out is None else stored_text(self.mechanism.model)
            told = (*self._about, text, self._experiment)
            self._layout = Layout(self.mechanism.name, labels, units, batch, *told)
        return self._layout

    def _late(self) -> bool:
        return self.out is not None and clock.monotonic() - self._written > BLOCK_SECONDS

    def flush(self) -> None:
        """Compute and write what is waiting."""
        if self._filled:
            self._write(self.state)

    def _write(self, state: State) -> None:
        block = self._block()
        if self.out is None:
            self._blocks.append(block)
        else:
            try:
                reached = [event for event in self.events[self._saved :] if event[0] <= state["t"]]
                self._opened().add_block(block, state, reached)
                self._saved += len(reached)
            except FormatError as fault:
                fault.run = self._rescued(block, state, str(fault))  # type: ignore[attr-defined]
                raise
        self._filled = 0
        self._written = clock.monotonic()

    def _block(self) -> Rows:
        """All named quantities of the buffered instants."""
        rows = {name: x[: self._filled] for name, x in self._buffers.items()}
        mechanisms = (self.mechanism, *self._others)
        found, remarks = block(
            rows,
            self._layout_now(None),
            self.names,
            mechanisms,
            self._drives,
            self.baumgarte,
            self.parameters,
        )
        for kind, t, text in remarks:
            self._tell(kind, [(t, text)])
            if kind == UNDEFINED:
                self._undefined = self._undefined or f"{text}, first at t = {t:.6g} s"
        for name, t, text in self._turns.passed(self.mechanism, rows["time"], rows["q"]):
            self._tell(name, [(t, text)])
        return found

    def _tell(self, key: str, remarks: list[tuple[float, str]]) -> None:
        """Once, among the events that are to come."""
        if remarks and key not in self._remarks:
            self._remarks.add(key)
            waiting = self.events[self._saved :] + remarks
            self.events[self._saved :] = sorted(waiting, key=lambda event: event[0])

    def _in_memory(self, tail: Tail) -> Run:
        layout = self._layout_now(None)
        blocks, self._blocks = self._blocks, []
        arrays = {}
        for name in ("time", *self.names):
            # a quantity leaves the blocks when it is joined: no second copy of the whole run
            arrays[name] = joined(layout, name, [block.pop(name) for block in blocks])
        return self._known(stored_run.as_run(layout, arrays, tail))

    # -- on disk ---------------------------------------------------------------------------------

    def _opened(self) -> Journal:
        if self._journal is None:
            raise InputError("record: the recording is finished.")
        return self._journal

    def _start(self, layout: Layout) -> None:
        """A new journal, or that of the finished file that goes on."""
        out = self.out or Path()
        if self.resumed is not None:
            self._journal = stored_run.reopened(out)
        if self._journal is None:
            self._journal = Journal(journal_path(out))
            self._journal.start(layout)

    def _go_on(self, out: Path) -> None:
        """Take up what is there: the journal of a run that was cut off, or a finished file.

        A finished file is not touched before there is something to write."""
        found = stored_run.known(out)
        if found is None:
            return
        state = dict(found.state)
        said = {k: x for k, x in self._about[-1].items() if k not in self._unsaid}
        mine = replace(self._layout_now(found.batch), physics=said)
        if text := mine.difference(storage.layout_of(found)):
            raise self.another(text)
        if np.any(state.get("switched", 0.0)):
            raise InputError(
                f"{out}: cannot go on, a Switch has put another mechanism in place before "
                f"t = {state.get('t', 0.0):g} s, and the file does not hold it. Start the run anew."
            )
        if Journal.found(journal_path(out)) is not None:
            self._journal = stored_run.reopened(out)
        self.resumed = found
        self._resumed_at = float(state.get("t", -np.inf))
        # what was met later comes again
        self.events = [event for event in found.events if event[0] <= self._resumed_at]
        self._saved = len(self.events)
        self._count = int(state.get("count", len(found)))
        self._state = state

    def another(self, text: str) -> InputError:
        """The error for a file that holds something else."""
        return InputError(
            f"{self.out}: cannot go on, the recording there is another one ({text}). "
            f"Record into another file."
        )

    def _rescued(self, block: Rows, state: State, message: str) -> Run:
        """What is on disk and the block that no longer went there, in memory."""
        journal, tail = self._opened(), Tail(message, False, self.events, state)

        def read(name: str, span: slice) -> Array:
            return joined(journal.shape, name, [journal.read(name), block[name]])[span]

        return stored_run.StoredRun(journal.shape, tail, read)


NOT_A_STATE = ("tau", "a", "prescribed", "restraint", "turned", "turn_wrenches", *EXTRAS)


def _size(layout: Layout, name: str) -> int:
    return int(np.prod(layout.shape(name)))


def _now_and_then(name: str) -> bool:
    """Wrenches on frames, and forces that hold joints, are handed over while they act."""
    return name == "restraint" or name.startswith(EXTERNAL)
