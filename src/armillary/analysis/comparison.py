"""Two descriptions of a mechanism side by side: what differs in them, what that does to the forces.

The same robot read by two programs, or from two files, often gives other torques: another gravity,
friction that one of them leaves out, a rotor, a rounded tensor.  `compare` lists the numbers that
differ, compares both at random states of the joints they share, and tells how much of the
difference each kind of data makes by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace

import numpy as np

from armillary.analysis.columns import columns
from armillary.errors import ArmillaryError, InputError
from armillary.evaluate.forces_in_play import forces_in_play
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.model import Body, Model
from armillary.shown import shown

TOLERANCE = 1e-9
_UNITS = {
    "mass.mass": "kg", "mass.com": "m", "mass.tensor": "kg m²", "at.position": "m",
    "gravity": "m/s²",
}  # fmt: skip
_SHARE = 1e-4  # of the terms in play: a number below may be what is left where they cancel
# what a difference may come from: how the second's data are put into a body of the first
_BODY_KINDS: dict[str, Callable[[Body, Body], Body]] = {
    "masses": lambda one, two: replace(one, mass=two.mass),
    "joint frames": lambda one, two: replace(one, at=two.at),
    "joint axes": lambda one, two: replace(
        one, joint=replace(one.joint, axes=two.joint.axes, pitch=two.joint.pitch)
    ),
    "friction and springs": lambda one, two: replace(
        one, joint=replace(one.joint, passive=two.joint.passive)
    ),
    "rotors": lambda one, two: replace(one, joint=replace(one.joint, rotors=two.joint.rotors)),
}
_WITHOUT_FORCE = frozenset({"shapes", "unlocked", "locked_at", "name"})


@dataclass(frozen=True)
class Difference:
    """One entry of a part that is not the same; None: the part is only in the other."""

    part: str
    entry: str
    first: object
    second: object
    unit: str = ""


@shown
@dataclass(frozen=True)
class Comparison:
    """differences: of the descriptions.  answers: {question: largest difference, as a part of the
    largest number of that question, or of the terms that cancel in it}, at `states` random states
    of the trees.  causes: {kind of
    data: largest change of a joint force (N m or N) that it makes by itself}.  not_compared: why
    answers are missing."""

    names: tuple[str, str]
    differences: tuple[Difference, ...]
    answers: dict[str, float]
    causes: dict[str, float]
    states: int
    tolerance: float
    not_compared: str = ""

    @property
    def same(self) -> bool:
        """Do both give the same answers, to the tolerance?"""
        return not self.not_compared and all(x <= self.tolerance for x in self.answers.values())

    def __str__(self) -> str:
        one, two = self.names
        lines = [f"'{one}' and '{two}'"]
        if self.differences:
            rows = [
                [d.part, d.entry, _text(d.first), _text(d.second), d.unit] for d in self.differences
            ]
            lines += ["", *columns(["part", "entry", one, two, "unit"], rows)]
        if self.answers:
            heads = [f"largest difference in {self.states} random states", "relative"]
            lines += ["", *columns(heads, list(self.answers.items()), 3)]
        if self.causes:
            heads = ["joint forces differ by, if this alone differed", "N m or N"]
            ordered = sorted(self.causes.items(), key=lambda pair: -pair[1])
            lines += ["", *columns(heads, ordered, 3)]
        if self.not_compared:
            lines += ["", f"dynamics not compared: {self.not_compared}"]
        else:
            lines += ["", "the same dynamics" if self.same else "different dynamics"]
        return "\n".join(lines)


def compare(
    first: Mechanism,
    second: Mechanism,
    states: int = 5,
    seed: int = 0,
    tolerance: float = TOLERANCE,
) -> Comparison:
    """What differs between two mechanisms, and what it does to their answers.

    Bodies, joints, constraints and force elements are matched by name; the joints that move must be
    the same in both, in any order.  Of closed mechanisms the trees are compared, and the
    accelerations from rest where the first one starts.  tolerance: relative, of numbers and
    answers."""
    for given in (first, second):
        if not isinstance(given, Mechanism):
            raise InputError(f"compare: expected two mechanisms, found {type(given).__name__}.")
    if isinstance(states, bool) or not isinstance(states, int) or states < 1:
        raise InputError(f"compare: states is a whole number from 1 on, found {states!r:.40}.")
    length = max(m.constraint_solver.equations.length for m in (first, second))
    found = tuple(_differences(first.model, second.model, tolerance, length))
    reason = _unlike(first.model, second.model)
    answers: dict[str, float] = {}
    causes: dict[str, float] = {}
    if not reason:
        matched = _Matched(first, second, states, seed)
        answers = matched.answers()
        if answers["inverse dynamics"] > tolerance:
            causes = matched.causes()
    names = (first.name, second.name if second.name != first.name else f"{second.name} (second)")
    return Comparison(names, found, answers, causes, states, tolerance, reason)


# -- descriptions ----------------------------------------------------------------------------------


def _differences(one: Model, two: Model, tolerance: float, length: float) -> Iterator[Difference]:
    for name in ("gravity", "base_velocity", "base_acceleration"):
        yield from _entries("world", name, getattr(one, name), getattr(two, name), tolerance, 0.0)
    groups = (
        ("body", one.bodies, two.bodies),
        ("constraint", one.constraints, two.constraints),
        ("force element", one.elements, two.elements),
        ("frame", one.frames, two.frames),
    )
    for noun, here, there in groups:
        left, right = ({part.name: part for part in parts} for parts in (here, there))
        for name in (*left, *(n for n in right if n not in left)):
            part = f"{noun} '{name}'"
            if name not in left or name not in right:
                yes, no = "there", "-"
                pair = (yes, no) if name in left else (no, yes)
                yield Difference(part, "", *pair)
                continue
            yield from _entries(part, "", left[name], right[name], tolerance, length)


def _entries(
    part: str, path: str, one: object, two: object, tolerance: float, length: float
) -> Iterator[Difference]:
    """Leaves of two values that are not the same: numbers as a part of the largest beside them,
    places as a part of the machine's length (m)."""
    if is_dataclass(one) and type(one) is type(two):
        for field in fields(one):
            if field.name not in _WITHOUT_FORCE and field.compare:
                inner = f"{path}.{field.name}" if path else field.name
                pair = getattr(one, field.name), getattr(two, field.name)
                yield from _entries(part, inner, *pair, tolerance, length)
        return
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two) and one:
        left, right = _numbers(one), _numbers(two)
        if left is None or right is None:
            for k, pair in enumerate(zip(one, two, strict=True)):
                yield from _entries(part, f"{path}[{k}]", *pair, tolerance, length)
            return
        least = length if _UNITS.get(path) == "m" else 1e-300
        size = max(float(np.abs(left).max()), float(np.abs(right).max()), least)
        if left.shape != right.shape or float(np.abs(left - right).max()) > tolerance * size:
            yield Difference(part, path, one, two, _UNITS.get(path, ""))
        return
    if isinstance(one, float | int) and isinstance(two, float | int):
        if abs(one - two) <= tolerance * max(abs(one), abs(two)):
            return
    elif one == two or repr(one) == repr(two):
        return
    yield Difference(part, path, one, two, _UNITS.get(path, ""))


def _numbers(values: object) -> Array | None:
    """Nested tuples of numbers as an array; None: something else is among them."""
    try:
        array = np.array(values)
    except ValueError:
        return None
    return array.astype(float) if array.dtype.kind in "fiu" else None


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    array = _numbers(value) if isinstance(value, tuple) and value else None
    if array is not None:
        return ", ".join(f"{x + 0.0:.6g}" for x in array.ravel())
    text = "-" if value is None or value == () else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _unlike(one: Model, two: Model) -> str:
    """Why states of one are no states of the other; empty: they are."""
    kinds = [_moving(model) for model in (one, two)]
    for name in (*kinds[0], *kinds[1]):
        if name not in kinds[0] or name not in kinds[1]:
            which = one if name in kinds[0] else two
            return (
                f"the joint '{name}' moves in '{which.name}' only. Rename the joints alike, or "
                f"lock those that one of them lacks."
            )
        if kinds[0][name] != kinds[1][name]:
            words = f"{kinds[0][name]} in one, {kinds[1][name]} in the other"
            return f"the joint '{name}' is {words}."
    return "" if kinds[0] else "nothing moves."


def _moving(model: Model) -> dict[str, str]:
    """{joint: its kind}; the free ones of a gimbal and the number of axes belong to it."""
    pairs = zip(model.bodies, model.joints, strict=True)
    specs = [(body.joint, joint.nv) for body, joint in pairs if joint.nv]
    return {s.name: " ".join([s.kind, *s.free, *([str(nv)] if s.kind == "general" else [])])
            for s, nv in specs}  # fmt: skip


# -- answers ---------------------------------------------------------------------------------------


class _Matched:
    """Two mechanisms with the same moving joints, at the same random states."""

    def __init__(self, first: Mechanism, second: Mechanism, states: int, seed: int):
        self.first, self.second = first, second
        self.states = [first.random_state(seed + k) for k in range(states)]
        places = {b.joint.name: k for k, b in enumerate(first.model.bodies)}
        q, v = list[int](), list[int]()
        for body in second.model.bodies:
            if body.joint.name in places:
                slot = first.model.slots[places[body.joint.name]]
                q += range(slot.q.start, slot.q.stop)
                v += range(slot.v.start, slot.v.stop)
        self.q, self.v = q, v  # where the numbers of the second stand in those of the first

    def answers(self) -> dict[str, float]:
        one, two, v = self.first.tree, self.second.tree, self.v
        shared = [n for n in one.bodies if n in two.bodies]
        here, there = ([m.bodies.index(n) for n in shared] for m in (one, two))
        rows: list[dict[str, tuple[Array, Array]]] = []
        for state in self.states:
            a, b = state, self.seen(state)
            (R, p), (R_two, p_two) = one.poses(a[0]), two.poses(b[0])
            rows.append(
                {
                    "places of the bodies": (p[here], p_two[there]),
                    "attitudes of the bodies": (R[here], R_two[there]),
                    "mass matrix": (one.mass_matrix(a[0])[np.ix_(v, v)], two.mass_matrix(b[0])),
                    "gravity forces": (one.gravity_forces(a[0])[v], two.gravity_forces(b[0])),
                    "inverse dynamics": (
                        one.inverse_dynamics(*a)[v],
                        two.inverse_dynamics(*b),
                    ),
                }
            )
        terms = self._terms()
        found = {name: _largest([row[name] for row in rows], terms[name]) for name in rows[0]}
        if self.first.constraints and self.second.constraints:
            found["accelerations from rest, closed"] = self._closed()
        return found

    def _terms(self) -> dict[str, float]:
        """What the numbers of each question are sums of, the largest of all states."""
        tree, still = self.first.tree, np.zeros(self.first.nv)
        weights = [forces_in_play(tree, q, still, still, None, False) for q, _, _ in self.states]
        return {
            "places of the bodies": self.first.constraint_solver.equations.length,
            "attitudes of the bodies": 1.0,
            "mass matrix": 0.0,
            "gravity forces": float(np.max(weights, initial=0.0)),
            "inverse dynamics": max(
                float(forces_in_play(tree, *s).max(initial=0.0)) for s in self.states
            ),
        }

    def seen(self, state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        """A state of the first as one of the second."""
        q, v, a = state
        return q[self.q], v[self.v], a[self.v]

    def _closed(self) -> float:
        rest = np.zeros(self.first.nv)
        try:
            q = self.first.assemble(self.first.initial).q
            one = self.first.solve(q, rest, rest).acceleration[self.v]
            two = self.second.solve(*self.seen((q, rest, rest))).acceleration
        except ArmillaryError:
            return np.inf  # what one of them allows the other does not
        M, tree = self.first.mass_matrix(q), self.first.tree
        terms = np.linalg.pinv(M) @ forces_in_play(tree, q, rest, rest, None, False)
        return _largest([(one, two)], float(np.abs(terms).max(initial=0.0)))

    def causes(self) -> dict[str, float]:
        """The first with one kind of data of the second, against the first."""
        model, other = self.first.tree.model, self.second.tree.model
        theirs = {body.name: body for body in other.bodies}
        variants = {"gravity": replace(model, gravity=other.gravity)}
        for kind, put in _BODY_KINDS.items():
            bodies = tuple(put(b, theirs[b.name]) if b.name in theirs else b for b in model.bodies)
            variants[kind] = replace(model, bodies=bodies)
        if model.elements != other.elements:
            variants["force elements"] = replace(model, elements=other.elements)
        usual = [self.first.tree.inverse_dynamics(*state) for state in self.states]
        found = {}
        for kind, variant in variants.items():
            if variant == model:
                continue
            try:
                tree = Mechanism(variant)
                forces = [tree.inverse_dynamics(*state) for state in self.states]
            except ArmillaryError:
                continue  # such a mechanism cannot be built
            found[kind] = float(np.abs(np.subtract(forces, usual)).max(initial=0.0))
        return {kind: x for kind, x in found.items() if x > 0.0}


def _largest(pairs: list[tuple[Array, Array]], terms: float) -> float:
    """Largest difference over all pairs, as a part of the largest number in them."""
    largest = max(float(np.abs(x).max(initial=0.0)) for pair in pairs for x in pair)
    size = max(largest, _SHARE * terms)
    gap = max(float(np.abs(one - two).max(initial=0.0)) for one, two in pairs)
    return gap / size if size > 0.0 else 0.0
