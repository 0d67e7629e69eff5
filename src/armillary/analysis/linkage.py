"""Linkages: the whole curve of configurations, dead points, coupler curves, transmission angles.

A closed mechanism of one freedom moves along a curve in the space of its coordinates.  It is
followed by its free motion N(q) (1 rad, or the machine's size, per unit of arc), closed again after
every step, through dead points of any joint, until it comes back.  A joint stands where its entry
of N vanishes: there it turns back (an extreme), and there it cannot drive (a dead point).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from armillary.analysis.allowed import Allowed
from armillary.analysis.columns import columns
from armillary.constraints.states import one_state
from armillary.doors import LinkageDoors
from armillary.errors import ArmillaryError, ModelError, unknown_name
from armillary.evaluate.inputs import Array, one_number, whole_number
from armillary.evaluate.named_states import State, names_of
from armillary.mechanism.mechanism import Mechanism
from armillary.model.constraint_parts import Loop
from armillary.model.parts import Frame
from armillary.shown import shown

_CLOSE = 1e-10  # of an entry of N at a dead point
_SAME = 1e-6  # rad, or parts of the machine's size: two configurations that differ less are one
_MOST_TRIES = 1_000_000


@dataclass(frozen=True)
class Extreme:
    """A joint turns back: its value (rad or m), the whole configuration, and which way it came."""

    joint: str
    value: float
    q: Array
    kind: str  # "largest" or "smallest" nearby


@shown
@dataclass(frozen=True)
class Linkage(LinkageDoors):
    """One circuit of a mechanism of one freedom: q (n, nq) along it, from the start.

    motions (n, nv): its velocity per unit of arc; complete: does it come back to its start?
    extremes: where joints turn back; there they are dead points for a drive at that joint."""

    mechanism: Mechanism = field(repr=False)
    q: Array
    motions: Array
    complete: bool
    extremes: tuple[Extreme, ...]

    def curve(self, name: str, point: Sequence[float] = (0.0, 0.0, 0.0)) -> Array:
        """(n, 3) m: the path of a frame's origin, or of the pin of a loop, in the world.

        point: in that frame (m), for a coupler curve of any point."""
        loops = {loop.name: loop.second for loop in self.mechanism.model.loops}
        if name not in (*self.mechanism.frames, *loops):
            raise unknown_name("frame or loop", name, (*self.mechanism.frames, *loops))
        if name in loops and name not in self.mechanism.frames:
            end = loops[name]
            shift = np.asarray(end.pose.rotation, float) @ np.asarray(point, float)
            return self.curve(end.body, (np.asarray(end.pose.position, float) + shift).tolist())
        R, p = self.mechanism.pose(self.q, name)
        return np.asarray(p + np.einsum("bij,j->bi", R, np.asarray(point, float)), float)

    def dead_points(self, joint: str) -> tuple[Extreme, ...]:
        """Where a drive at this joint cannot move the mechanism; none for a crank that turns on."""
        if joint not in self.mechanism.v_labels:
            raise unknown_name("joint", joint, self.mechanism.v_labels)
        return tuple(x for x in self.extremes if x.joint == joint)

    def turns(self, joint: str) -> bool:
        """Does the joint turn all the way round (a crank)?"""
        return self.complete and not self.dead_points(joint)

    def transmission(self, loop: str | None = None, output: str | None = None) -> Array:
        """(n,) rad, 0 to π/2: transmission angle at a loop between coupler and output.

        sin μ = |d · u|, d along the coupler (from its own joint to the loop), u the direction in
        which the output's joint alone moves that point; π/2 is best, 0 transmits nothing."""
        part, coupler, driven = _output(self.mechanism, loop, output)
        model, m = self.mechanism.model, self.mechanism
        end = m.poses(self.q)
        k = model.index[driven.body]
        R, p = end[0][:, k], end[1][:, k]
        P = p + np.einsum("bij,j->bi", R, np.asarray(driven.pose.position, float))
        d = P - end[1][:, model.index[coupler.body]]
        J = np.asarray(m.jacobian(self.q, driven.body, coordinates="world_aligned"), float)
        column = J[:, :, model.slots[k].v.start]
        u = column[:, 3:] + np.cross(column[:, :3], P - p)
        if len(part.joint.axes) == 1:  # links side by side: seen along the pin
            axis = np.asarray(driven.pose.rotation, float) @ np.asarray(part.joint.axes[0], float)
            n = np.einsum("bij,j->bi", R, axis)
            d = d - np.einsum("bi,bi->b", d, n)[:, None] * n
        sine = np.abs(np.einsum("bi,bi->b", d, u))
        return np.arcsin(np.clip(sine / (_norm(d) * _norm(u)), 0.0, 1.0))

    def __str__(self) -> str:
        m = self.mechanism
        words = "comes back to its start" if self.complete else "ends at a limit of its coordinates"
        lines = [f"circuit of '{m.name}': {len(self.q)} positions, {words}"]
        rows: list[list[str | float]] = []
        for k, label in enumerate(m.v_labels):
            own = self.dead_points(label)
            span = [x.value for x in own] or [float("nan")]
            word = "turns on" if not own else f"{len(own)} dead points"
            ends: list[str | float] = ["all", "all"]
            if own:  # less than the rounding of the range is nothing
                least = 1e-12 * max(map(abs, span))
                ends = [x if abs(x) > least else 0.0 for x in (min(span), max(span))]
            rows.append([label, word, *ends, m.v_units[k]])
        return "\n".join([*lines, *columns(["joint", "as a drive", "from", "to", "unit"], rows)])


def linkage(
    mechanism: Mechanism, q: State | None = None, *, step: float = 0.02, most: int = 5000
) -> Linkage:
    """Follow a closed mechanism of one freedom round its whole circuit, from q (default: initial).

    step: rad, or parts of the machine's size, per position; most: positions at most."""
    equations = mechanism.constraint_solver.equations
    at = one_state(equations, "linkage", q=mechanism.initial if q is None else q)["q"]
    one_number("linkage: step", step, 1e-4, 0.5, "rad,")
    if not mechanism.constraints:
        raise ModelError(f"linkage: '{mechanism.name}' is open. `workspace` tells what it reaches.")
    at = mechanism.project(at)[0]
    follower = _Follower(mechanism, step)
    first = follower.motion(at, None)
    places, motions, complete = [at], [first], False
    extremes: list[Extreme] = []
    whole_number("linkage: most", most, 1)
    while len(places) < most:
        q_, N = places[-1], motions[-1]
        there = follower.ahead(q_, N)
        after = follower.motion(there, N)
        extremes += follower.extremes(q_, N, after)
        if len(places) > 3 and follower.passed(places[0], first, q_, there):
            complete = True
            break
        places.append(there)
        motions.append(after)
    return Linkage(mechanism, np.array(places), np.array(motions), complete, tuple(extremes))


class _Follower:
    """Steps along the free motion of a mechanism of one freedom."""

    def __init__(self, mechanism: Mechanism, step: float):
        self.mechanism, self.step, self.allowed = mechanism, step, Allowed(mechanism)

    def motion(self, q: Array, before: Array | None) -> Array:
        """(nv,): unit free motion, the way it went before."""
        N = self.allowed.motions(q)
        if N.shape[1] != 1:
            if before is None or not N.shape[1]:
                raise ModelError(
                    f"linkage: '{self.mechanism.name}' has {N.shape[1]} freedoms here, expected 1. "
                    f"Lock joints, or start at a position that is not singular."
                )
            scaled = N / self.allowed.size[:, None]  # a branching point: straight on
            N = (N @ (scaled.T @ (before / self.allowed.size)))[:, None]
            N = N / np.linalg.norm(N[:, 0] / self.allowed.size)
        v = N[:, 0]
        if before is None:
            backward = v[np.argmax(np.abs(v / self.allowed.size))] < 0
        else:
            backward = float(v @ (before / self.allowed.size**2)) < 0
        return -v if backward else v

    def ahead(self, q: Array, v: Array, share: float = 1.0) -> Array:
        return self.allowed.moved(q, self.step * share * v)

    def extremes(self, q: Array, v: Array, after: Array) -> list[Extreme]:
        """Joints that turn back between two positions, found by halving (secant) to rounding."""
        found = []
        for k, label in enumerate(self.mechanism.v_labels):
            if v[k] * after[k] < 0 and label in self.mechanism.q_labels:
                place = self._turning(q, v, k)
                value = float(place[self.mechanism.q_labels.index(label)])
                found.append(Extreme(label, value, place, "largest" if v[k] > 0 else "smallest"))
        return found

    def _turning(self, q: Array, v: Array, k: int) -> Array:
        low, high, place = 0.0, 1.0, q
        for _ in range(60):
            share = (low + high) / 2
            place = self.ahead(q, v, share)
            entry = self.motion(place, v)[k] / self.allowed.size[k]
            if abs(entry) < _CLOSE or high - low < 1e-15:
                break
            low, high = (share, high) if entry * v[k] > 0 else (low, share)
        return place

    def passed(self, start: Array, first: Array, q: Array, there: Array) -> bool:
        """Does the start lie between the two positions?"""
        scale = self.allowed.size
        back = self._apart(q, start)
        if np.linalg.norm(back / scale) > 1.5 * self.step:
            return False
        ahead = self._apart(there, start)
        along = first / scale
        return bool((back / scale) @ along >= -1e-9 and (ahead / scale) @ along <= 1e-9)

    def _apart(self, q: Array, start: Array) -> Array:
        """From q to the start, whole turns of joints aside."""
        found = np.asarray(self.mechanism.difference(q, start), float)
        turning = np.array([unit == "rad" for unit in self.mechanism.v_units])
        return np.where(turning, (found + np.pi) % (2 * np.pi) - np.pi, found)


def _output(
    mechanism: Mechanism, loop: str | None, output: str | None
) -> tuple[Loop, Frame, Frame]:
    """The loop, its frame on the coupler and its frame on the output."""
    model = mechanism.model
    loops = {part.name: part for part in model.loops}
    if not loops:
        raise ModelError(
            f"transmission: '{mechanism.name}' has no loop between coupler and output."
        )
    if loop is not None and loop not in loops:
        raise unknown_name("loop", loop, loops)
    part = loops[loop] if loop is not None else next(iter(loops.values()))
    ends = [part.first, part.second]
    if output is None:  # the one nearer to the world
        ends.sort(key=lambda frame: -_depth(mechanism, frame.body))
    else:
        if output not in (part.first.body, part.second.body):
            raise unknown_name("body of the loop", output, (part.first.body, part.second.body))
        ends.sort(key=lambda frame: frame.body == output)
    driven = model.bodies[model.index[ends[1].body]]
    if model.joints[model.index[driven.name]].nv != 1:
        raise ModelError(f"transmission: the output '{driven.name}' needs a joint of one axis.")
    return part, ends[0], ends[1]


def _depth(mechanism: Mechanism, body: str) -> int:
    model, k, depth = mechanism.model, mechanism.model.index[body], 0
    while k >= 0:
        k, depth = model.parents[k], depth + 1
    return depth


def _norm(rows: Array) -> Array:
    return np.asarray(np.linalg.norm(rows, axis=1))


# -- all ways to put it together -----------------------------------------------------------------


@shown
@dataclass(frozen=True)
class AssemblyModes:
    """Different closed configurations (n, nq) with the held joints where they are; tries: random
    guesses that were closed.  There may be more: `found` says how often each came up."""

    labels: tuple[str, ...]
    units: tuple[str, ...]
    held: tuple[str, ...]
    q: Array
    found: tuple[int, ...]
    tries: int

    def __len__(self) -> int:
        return len(self.q)

    def __str__(self) -> str:
        hold = ", ".join(self.held) or "nothing"
        head = f"{len(self.q)} assembly modes with {hold} held, from {self.tries} guesses"
        heads = [f"{x} [{u}]" for x, u in zip(self.labels, self.units, strict=True)]
        rows = [
            [k + 1, *map(float, q), n]
            for k, (q, n) in enumerate(zip(self.q, self.found, strict=True))
        ]
        return "\n".join([head, *columns(["mode", *heads, "found"], rows)])


def assembly_modes(
    mechanism: Mechanism,
    q: State | None = None,
    hold: Sequence[str] = (),
    *,
    tries: int = 60,
    seed: int = 0,
) -> AssemblyModes:
    """All closed configurations that random guesses lead to, with some joints held as q has them.

    Configurations that differ by whole turns of a joint are one.  tries: random guesses; hold
    enough joints that the rest is rigid, else every guess ends elsewhere."""
    if not mechanism.constraints:
        raise ModelError(f"assembly_modes: '{mechanism.name}' is open: everything closes.")
    equations = mechanism.constraint_solver.equations
    at = one_state(equations, "assembly_modes", q=mechanism.initial if q is None else q)["q"]
    held = names_of("hold", hold)
    most = whole_number("assembly_modes: tries", tries, 0, _MOST_TRIES)
    rng, allowed = np.random.default_rng(whole_number("seed", seed, 0)), Allowed(mechanism)
    kept: list[Array] = []
    looks: list[Array] = []
    counts: list[int] = []
    closed = 0
    for k in range(most + 1):
        guess = at if k == 0 else _guess(mechanism, at, held, rng)
        try:
            answer = mechanism.assemble(guess, held, restarts=0)
        except ArmillaryError:
            continue
        if not answer.closed:
            continue
        closed += 1
        look = _look(mechanism, answer.q, allowed.length)
        near = [i for i, other in enumerate(looks) if np.abs(look - other).max() < _SAME]
        if near:
            counts[near[0]] += 1
        else:
            kept.append(np.asarray(answer.q, float))
            looks.append(look)
            counts.append(1)
    if not kept:
        raise ModelError(
            f"assembly_modes: '{mechanism.name}' closes from none of {tries} guesses with "
            f"{', '.join(held) or 'nothing'} held. Hold other values, or allow more tries."
        )
    return AssemblyModes(
        mechanism.q_labels, mechanism.q_units, held, np.array(kept), tuple(counts), closed
    )


def _guess(mechanism: Mechanism, at: Array, hold: Sequence[str], rng: np.random.Generator) -> Array:
    """Angles anywhere, slides within the machine's size; held joints stay."""
    model, size = mechanism.model, Allowed(mechanism).size
    change = rng.uniform(-np.pi, np.pi, mechanism.nv)
    change = np.where([unit == "m" for unit in model.v_units], change / np.pi * size, change)
    for name in hold:
        if name in model.joint_index:
            change[model.slots[model.joint_index[name]].v] = 0.0
        elif name in model.v_labels:
            change[model.v_labels.index(name)] = 0.0
    return np.asarray(mechanism.integrate(at, change), float)


def _look(mechanism: Mechanism, q: Array, length: float) -> Array:
    """Where all bodies are: the same after whole turns of joints."""
    R, p = mechanism.poses(q)
    return np.concatenate([np.ravel(R), np.ravel(p) / length])
