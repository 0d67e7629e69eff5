"""Events within a step: which come first, when, and what they do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array
from armillary.sim.loop.alarms import Alarm
from armillary.sim.loop.contact_friction import ContactEvent
from armillary.sim.loop.events import Bound, Event, FrictionEvent, Parts, Switch, Watched
from armillary.sim.loop.limits import LimitEvent
from armillary.sim.loop.stick_slip import StickEvent
from armillary.sim.methods.integrators import Stepper
from armillary.sim.methods.run_view import RunView
from armillary.sim.methods.system import System

StepFunction = Callable[[RunView, float, float, Array, Array, Array], Parts]
Crossing = tuple[Watched, float, float]  # with its values before and after
_MOST = 200  # events in one step
_BOUNCES = 50
_LONGER, _SHORTER = 2.0, 0.1  # of a step that was taken in parts, the next one
_EPS = float(np.finfo(float).eps)


class Locator:
    """Watches a run (or every run of a batch)."""

    def __init__(
        self,
        system: System,
        watched: list[Watched],
        step: StepFunction,
        note: Callable[[float, str], None],
        stop: Callable[..., None],
    ):
        self.system, self.watched, self.step = system, watched, step
        self._note, self._stop = note, stop
        self.final: tuple[float, Parts] | None = None
        own = (event.contacts for event in watched if isinstance(event, ContactEvent))
        self._contacts = next(own, None)

    def through(self, t0: float, t1: float, before: Parts, after: Parts) -> Parts:
        """The state at t1, with all events since t0."""
        if before[0].ndim == 1:
            return self._single(None, t0, t1, before, after)
        ended = self.system.modes.ended
        rows = self._rows(t0, t1, before, after)
        if not rows:
            return after
        result = (after[0].copy(), after[1].copy(), after[2].copy())
        for k in rows:
            moved = self._single(k, t0, t1, _row(before, k), _row(after, k))
            for whole, part in zip(result, moved, strict=True):
                whole[k] = part
        if len(ended) == len(before[0]):
            last = max(ended.values())
            self.final = (last, result)
            text = f"all {len(ended)} runs ended by events, the last at t = {last:.9g} s"
            self._stop(text, not self.system.modes.failed)
        return result

    def _rows(self, t0: float, t1: float, before: Parts, after: Parts) -> list[int]:
        """Runs of a batch in which something happens; limits and dry friction alone are looked at
        all at once."""
        among = list(range(len(before[0])))
        bounds = [event for event in self.watched if isinstance(event, Bound)]
        sticks = [event for event in self.watched if isinstance(event, StickEvent)]
        friction, view = self.system.friction, self.system.view()
        alike = not view.mechanisms.own and bool(np.isfinite(after[1]).all())
        if len(bounds) + len(sticks) == len(self.watched) and (alike or not sticks):
            passed = [bound.passed(after[0].T, after[1].T) for bound in bounds]
            if friction is not None:
                passed.append(friction.restless(view, t1 - t0, t1, before, after))
            among = np.flatnonzero(np.any(passed, axis=0)).tolist()
        return [
            k
            for k in among
            if k not in self.system.modes.ended
            and self._any(t0, t1, _row(before, k), _row(after, k), k)
        ]

    def _any(self, t0: float, t1: float, before: Parts, after: Parts, row: int | None) -> bool:
        if not np.isfinite(after[0]).all():
            return False
        if self._too_far(self.system.view(row), t1 - t0, before, after) > 1.0:
            return True
        return bool(self._crossings(row, t0, t1, before, after))

    def _crossings(
        self, row: int | None, t0: float, t1: float, before: Parts, after: Parts
    ) -> list[Crossing]:
        found, view = [], self.system.view(row)
        chosen = self.system.mechanisms.chosen(view.mechanism)
        held = self.system.modes.resting.get(row, {})
        for event in self.watched:
            if isinstance(event, Bound) and event.k in held:
                continue
            if isinstance(event, Switch) and event.to is chosen:
                continue  # it has switched already
            g0, g1 = self.start_value(event, view, t0, before), event.value_in(view, t1, after)
            if isinstance(event, LimitEvent):
                event.step_ended(row, t1, g1)
            if event.crossed(g0, g1, after[1]):
                found.append((event, g0, g1))
        return found

    def _single(self, row: int | None, t0: float, end: float, before: Parts, after: Parts) -> Parts:
        count, t1 = 0, end
        while count < _MOST:
            t1, after = self._short(self.system.view(row), t0, t1, before, after)
            crossings = self._crossings(row, t0, t1, before, after)
            if not crossings:
                if t1 >= end:
                    return after
                t0, t1, before = t1, min(end, t1 + _LONGER * (t1 - t0)), after
                after = self.step(self.system.view(row), t0, t1 - t0, *before)
                continue
            count += 1
            t, event, still, state = self._earliest(row, t0, t1, before, after, crossings)
            # bounces that do not end within a step come to rest
            still = still or (count > _BOUNCES and isinstance(event, Bound))
            others = self._together(event, row, t, state, crossings)
            state = self._act(event, row, t, state, still)
            for other in others:
                state = self._act(other, row, t, state, False)
            if row in self.system.modes.ended:
                return state
            if end - t <= 1e-14 * max(1.0, abs(end)):
                return state
            t0, t1, before = t, end, state
            after = self.step(self.system.view(row), t0, t1 - t0, *before)
        event = crossings[0][0]
        self._stop(f"more than {_MOST} events in one step at t = {t0:.6g} s ({event!r:.80})", False)
        return after

    def _too_far(self, view: RunView, span: float, before: Parts, after: Parts) -> float:
        """How many times longer a step is than static friction allows that fades on its way."""
        friction = self.system.friction
        return 0.0 if friction is None else float(friction.share(view, span, before, after))

    def _short(
        self, view: RunView, t0: float, t1: float, before: Parts, after: Parts
    ) -> tuple[float, Parts]:
        """The step to t1, or as much of it as static friction allows that fades on its way."""
        while (share := self._too_far(view, t1 - t0, before, after)) > 1.0:
            h = max(_SHORTER, 0.8 / share) * (t1 - t0)
            if not t0 < t0 + h < t1:
                break
            t1 = t0 + h
            after = self.step(view, t0, t1 - t0, *before)
        return t1, after

    def start_value(self, event: Watched, view: RunView, t: float, parts: Parts) -> float:
        """At the start of a step; 0 where it acted: the rounding on the far side is no second
        crossing.  A limit that was kept where the last step ended is passed if a force jumps."""
        known = event.known_at(view.row, t) if isinstance(event, LimitEvent) else None
        if known is not None and known < 0.0:
            return known
        value = event.value_in(view, t, parts)
        return 0.0 if value == self.system.modes.acted.get((view.row, id(event))) else value

    def begin(self, stepper: Stepper, t: float, parts: Parts) -> Array:
        """Before the first step; gives v."""
        own = [event.stuck for event in self.watched if isinstance(event, StickEvent)]
        found = {id(stuck): stuck for stuck in own}
        if len(found) > 1:
            raise InputError("events: one StickSlip is enough; name all its joints there.")
        v = parts[1]
        if self._contacts is not None:
            v, texts = self._contacts.begin(stepper, t, parts)
            for text in texts:
                self._note(t, text)
        for stuck in found.values():
            if self.system.friction is None:
                return np.asarray(stuck.begin(self.system, stepper, t, (parts[0], v, parts[2])))
        return np.asarray(v)

    def _together(
        self, event: Watched, row: int | None, t: float, state: Parts, crossings: list[Crossing]
    ) -> list[Watched]:
        """Other events of the same instant: they would not be seen again after it."""
        view = self.system.view(row)
        return [
            other
            for other, g0, _ in crossings
            if other is not event
            and not isinstance(other, Bound)
            and other.crossed(g0, other.value_in(view, t, state), state[1])
        ]

    def _act(self, event: Watched, row: int | None, t: float, state: Parts, still: bool) -> Parts:
        prefix, modes = "" if row is None else f"run {row}: ", self.system.modes
        if isinstance(event, (Event, LimitEvent, Alarm)):
            modes.acted[row, id(event)] = event.value_in(self.system.view(row), t, state)
        view = self.system.view(row)
        if isinstance(event, Bound):
            q, v, text = event.act(view, t, *state[:2], still)
        else:
            q, v, text = event.act(view, t, *state[:2])
        texts = [text] if text else []
        if self._contacts is not None:
            v, changes = self._contacts.settle(self.system.view(row), t, (q, v, state[2]))
            texts += changes
        if self.system.friction is not None:
            v = self.system.friction.settle(self.system.view(row), t, (q, v, state[2]))
        if event.terminal and row is not None:  # the other runs of the batch go on
            self._note(t, f"{prefix}ended by '{text}'")
            modes.ended[row] = t
            if isinstance(event, Alarm):
                modes.failed[row] = f"{text}, at t = {t:.6g} s"
            return q, v, state[2]
        for words in texts:
            self._note(t, prefix + words)
        if event.terminal:
            self.final = (t, (q, v, state[2]))
            if isinstance(event, Alarm):
                self._stop(f"{text}, at t = {t:.6g} s", False)
            named = event.name if isinstance(event, Event) else text
            self._stop(f"ended by '{named}' at t = {t:.9g} s")
        return q, v, state[2]

    # -- the instant -----------------------------------------------------------------------------

    def first(self, t0: float, t1: float, before: Parts, after: Parts) -> float | None:
        """Length of the step that ends just after the first event, for adaptive steps."""
        if before[0].ndim == 1:
            return self._first(None, t0, t1, before, after)
        lengths = [
            self._first(k, t0, t1, _row(before, k), _row(after, k))
            for k in self._rows(t0, t1, before, after)
        ]
        least = min((x for x in lengths if x is not None), default=None)
        # a little further: rounding differs between one row and a batch
        return None if least is None else min(least + 8.0 * _EPS * max(1.0, abs(t1)), t1 - t0)

    def _first(
        self, row: int | None, t0: float, t1: float, before: Parts, after: Parts
    ) -> float | None:
        crossings = self._crossings(row, t0, t1, before, after)
        if not crossings:
            return None
        t, _, still, _ = self._earliest(row, t0, t1, before, after, crossings)
        return None if still or t >= t1 else max(t - t0, 8.0 * _EPS * max(1.0, abs(t1)))

    def _earliest(
        self,
        row: int | None,
        t0: float,
        t1: float,
        before: Parts,
        after: Parts,
        crossings: list[Crossing],
    ) -> tuple[float, Watched, bool, Parts]:
        """(instant, event, whether it is at rest already, state there)."""
        view = self.system.view(row)
        best: tuple[float, Watched, bool, Parts] = (np.inf, crossings[0][0], False, after)
        for event, g0, g1 in crossings:
            begin = 0.0
            if isinstance(event, Bound) and g0 <= 0.0:  # it was there: did it leave?
                begin, g0 = self._flight(view, event, t0, t1, before)
                if g0 <= 0.0:
                    return t0, event, True, before
            if g0 < 0.0 and isinstance(event, FrictionEvent):  # a force has jumped
                return t0, event, False, before
            t, state = self._root(view, event, (t0, begin, t1), before, after, g0, g1)
            if t < best[0]:
                best = (t, event, False, state)
        return best

    def _flight(
        self, view: RunView, event: Bound, t0: float, t1: float, before: Parts
    ) -> tuple[float, float]:
        """A time after which a coordinate that left its limit is off it, and how far."""
        h, g = t1 - t0, 0.0
        if event.side * before[1][event.k] > event.limits.rest:
            for _ in range(40):
                h *= 0.5
                g = event.value_in(view, t0 + h, self.step(view, t0, h, *before))
                if g > 0.0:
                    break
        return h, g

    def _root(
        self,
        view: RunView,
        event: Watched,
        times: tuple[float, float, float],
        before: Parts,
        after: Parts,
        g0: float,
        g1: float,
    ) -> tuple[float, Parts]:
        """The end of the bracket just after the sign change (Illinois).

        times: start of the step, of the bracket (counted from there), end of both."""
        t0, low, t1 = times
        high, state = t1 - t0, after
        tiny = 4.0 * _EPS * max(abs(t0), abs(t1), high)
        side, nudged = 0, False
        for _ in range(100):
            if high - low <= tiny or g1 == 0.0:
                break
            middle = high - g1 * (high - low) / (g1 - g0)
            inside = low + 0.25 * tiny < middle < high - 0.25 * tiny
            if not inside and not nudged:  # at an end: does the sign change right beside it?
                middle = high - 0.5 * tiny if 2.0 * middle > low + high else low + 0.5 * tiny
            elif not inside:
                middle = 0.5 * (low + high)
            nudged = not (inside or nudged)
            moved = self.step(view, t0, middle, *before)
            g = event.value_in(view, t0 + middle, moved)
            if (g > 0.0) == (g1 > 0.0) or g == 0.0:
                high, g1, state = middle, g, moved
                g0 = 0.5 * g0 if side == 1 else g0
                side = 1
            else:
                low, g0 = middle, g
                g1 = 0.5 * g1 if side == -1 else g1
                side = -1
        return t0 + high, state


def _row(parts: Parts, k: int) -> Parts:
    return parts[0][k], parts[1][k], parts[2][k]
