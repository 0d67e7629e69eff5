"""How the bodies of a mechanism hang together: hinges, chains, loops, interconnection matrices.

Bodies that are welded to each other are one; a free joint is no hinge (the body flies, and is the
base of what hangs on it); rods, wheels and contacts are hinges; gears and prescribed motions are
none.  Serial: no body has more than two hinges.  Branched: one has.  Simple closed chain: without
one body, the reference member, only open serial chains are left  [VanDerMerwe1995, 1.2, 6.1].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.analysis.columns import columns
from armillary.model.constraint_parts import Contact, Distance, Loop, Surface, Wheel
from armillary.model.model import Model
from armillary.model.parts import WORLD
from armillary.shown import shown

Incidence = NDArray[np.int_]


@dataclass(frozen=True)
class Hinge:
    """A joint of the tree, or a constraint between two bodies, by the names of the bodies."""

    name: str
    inner: str
    outer: str
    closing: bool = False  # it closes a loop of the tree, or touches the world


@shown
@dataclass(frozen=True)
class Interconnection:
    """Wittenburg's matrices  [VanDerMerwe1995, 1.2].

    S (1 + bodies, hinges): +1 at the body a hinge leads to, -1 at the body it starts from; row 0
    is the base.  T (tree hinges, bodies): 1 where a hinge lies on the way from the base to a body;
    it is the inverse of S of the tree without its row 0."""

    bodies: tuple[str, ...]  # the base first
    hinges: tuple[Hinge, ...]
    S: Incidence
    T: Incidence

    def __str__(self) -> str:
        heads = ["body", *(hinge.name for hinge in self.hinges)]
        rows = [[b, *map(int, row)] for b, row in zip(self.bodies, self.S, strict=True)]
        return "\n".join(["interconnection matrix S", *columns(heads, rows)])


@dataclass(frozen=True)
class Structure:
    """Bodies (welded ones by the name of the first) and hinges; `base` is the world, or what flies.

    groups: name of every body -> name of what it is welded into."""

    base: str
    bodies: tuple[str, ...]
    hinges: tuple[Hinge, ...]
    groups: dict[str, str]

    @cached_property
    def loops(self) -> int:
        """Number of independent loops: hinges - bodies, one by one of what hangs together."""
        return len(self.hinges) - len(self.bodies) + len(_parts(self.bodies, self.hinges))

    @property
    def branching(self) -> tuple[str, ...]:
        """Bodies, other than the base, with more than two hinges."""
        count = _degrees(self.hinges)
        return tuple(b for b in self.bodies if b != self.base and count[b] > 2)

    @property
    def kind(self) -> str:
        """serial chain, several serial chains, tree, closed chain or closed with branches."""
        if self.loops:
            return "branched closed mechanism" if self.branching else "closed chain"
        if self.branching:
            return "tree"
        chains = sum(self.base in (hinge.inner, hinge.outer) for hinge in self.hinges)
        return "open serial chain" if chains <= 1 else f"{chains} open serial chains"

    @cached_property
    def reference_members(self) -> tuple[str, ...]:
        """Bodies without which nothing but open serial chains is left, where there are loops."""
        if not self.loops:
            return ()
        return tuple(b for b in self.bodies if b != self.base and self._serial_without(b))

    def _serial_without(self, member: str) -> bool:
        hinges = [h for h in self.hinges if member not in (h.inner, h.outer)]
        bodies = [b for b in self.bodies if b != member]
        count = _degrees(hinges)
        if any(count[b] > 2 for b in bodies if b != self.base):
            return False
        return len(hinges) == len(bodies) - len(_parts(bodies, hinges))  # no loop is left

    @property
    def matrices(self) -> Interconnection:
        """Interconnection and path matrix, bodies and hinges in the order of the mechanism."""
        place = {body: k for k, body in enumerate(self.bodies)}
        S = np.zeros((len(self.bodies), len(self.hinges)), int)
        for k, hinge in enumerate(self.hinges):
            S[place[hinge.inner], k] -= 1
            S[place[hinge.outer], k] += 1
        tree = [k for k, hinge in enumerate(self.hinges) if not hinge.closing]
        T = np.zeros((len(tree), len(self.bodies) - 1), int)
        inward = {self.hinges[k].outer: (row, self.hinges[k].inner) for row, k in enumerate(tree)}
        for column, body in enumerate(self.bodies[1:]):
            while body in inward:
                row, body = inward[body]
                T[row, column] = 1
        return Interconnection(self.bodies, self.hinges, S, T)


def structure(model: Model) -> Structure:
    """The graph of bodies and hinges of a mechanism."""
    groups = {WORLD: WORLD}
    for body in model.bodies:
        welded = body.joint.kind == "fixed"
        groups[body.name] = groups[body.parent] if welded else body.name
    hinges = [
        Hinge(body.joint.name, groups[body.parent], body.name)
        for body in model.bodies
        if body.joint.kind not in ("fixed", "free")
    ]
    hinges += [
        Hinge(name, groups[first], groups[second], True)
        for name, first, second in _constraints(model)
        if groups[first] != groups[second]
    ]
    bodies = tuple(dict.fromkeys(groups.values()))
    touched = any(WORLD in (hinge.inner, hinge.outer) for hinge in hinges)
    flying = [b.name for b in model.bodies if b.joint.kind == "free"]
    if touched or not flying:
        return Structure(WORLD, bodies, tuple(hinges), groups)
    base = max(flying, key=lambda name: _degrees(hinges)[name])
    rest = tuple(b for b in bodies if b not in (WORLD, base))
    return Structure(base, (base, *rest), tuple(hinges), groups)


def _constraints(model: Model) -> list[tuple[str, str, str]]:
    """(name, first body, second body) of what holds bodies together beyond the tree."""
    found = []
    for part in model.constraints:
        if isinstance(part, Loop | Distance | Surface | Contact):
            found.append((part.name, part.first.body, part.second.body))
        elif isinstance(part, Wheel):
            found.append((part.name, part.ground, part.body))
    return found


def _degrees(hinges: Sequence[Hinge]) -> Counter[str]:
    return Counter(body for hinge in hinges for body in (hinge.inner, hinge.outer))


def _parts(bodies: Sequence[str], hinges: Sequence[Hinge]) -> list[str]:
    """One body of each part that hangs together."""
    leader = {body: body for body in bodies}

    def find(body: str) -> str:
        while leader[body] != body:
            body = leader[body]
        return body

    for hinge in hinges:
        leader[find(hinge.inner)] = find(hinge.outer)
    return [body for body in bodies if leader[body] == body]
