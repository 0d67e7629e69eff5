"""All forces of closed mechanisms of any size by native loops: the tables over which
runtime/reaction_loop.py runs.

Nothing is compiled for the mechanism, and nothing is dense: work grows with the joints between the
ends of the constraints.  Where rows depend on others beyond their own constraint, or nearly do, a
state is left (NaN)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armillary.algorithms.closed import joint_forces
from armillary.algorithms.closed.force_terms import BodyLoad, force_terms
from armillary.algorithms.passes import Algorithm
from armillary.codegen.abi import Arrays, Slot, bits
from armillary.codegen.jit import Library
from armillary.codegen.llvm import with_declarations
from armillary.codegen.target import Lanes, native
from armillary.constraints.elimination_code import EliminationCode, SystemTables
from armillary.constraints.kept_rows import following_rows
from armillary.constraints.large import Factor, LargeSystem
from armillary.constraints.ordering import MU, SampleRows, elimination_order
from armillary.constraints.row_groups import Bodies, Indices
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import CodeKind, Linked
from armillary.evaluate.loop_code import LoopCode
from armillary.evaluate.request import Request
from armillary.model.lowering.constraints import lower_constraints
from armillary.model.lowering.tree import Tables, parametric
from armillary.runtime.closing_tables import Closing
from armillary.runtime.reaction_loop import MOTION, Reacting
from armillary.spatial import Force

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.lean_call import OneOrMany

_DEPENDENT = 1e-8  # of the size of a row, squared: what others have to leave of it
_ORIGIN = 9
_SHAPES: dict[str, tuple[str | int, ...]] = {
    "multipliers": ("rows",),
    "pushes": ("constraints", 6),
    "stretch": (1,),
}


def loop_forces(
    equations: Equations, external: bool, passive: bool, given: bool = False
) -> OneOrMany | None:
    """Forces of states whose accelerations are known, as compiled_forces.py has them; made once;
    None where there is no machine code, or friction of contacts.  given: numbers of the bodies are
    inputs."""

    def make() -> OneOrMany | None:
        from armillary.evaluate.lean_call import OneOrMany
        from armillary.evaluate.program import Program

        if not (native() and equations.constraints.ideal):
            return None
        owner, more = equations.evaluator, ("external",) * external + ("parameters",) * given
        tables = owner.tables(False, passive)
        constraints = lower_constraints(equations.model, tables)
        if given:
            tables = parametric(equations.model, False, passive)
        tables = replace(tables, constraints=constraints if passive else constraints.bare)
        code = ForceCode(_system(equations), ("q", "v", "a", "tau", *more), tables)
        named = Algorithm(
            name="loop_forces",
            passes=(),
            world=lambda g: {},
            reads=code.reads,
            writes={"multipliers": "results", "wrench": "body", "driving": "body"}
            | {"pushes": "results", "stretch": "results"},
            shapes={**_SHAPES, "wrench": Force, "driving": Force},
        )
        options = replace(owner.options, tier=1)
        request = Request(named, code.reads, owner.moving_base)
        return OneOrMany(Program(request, tables, options, general=code), owner.base_numbers)

    return equations.memo.once(("loop forces", external, passive, given), make)


def _system(equations: Equations) -> ForceSystem:
    return equations.memo.once("system of forces", lambda: ForceSystem(equations))


class ForceSystem(LargeSystem):
    """J^T λ = r as [D J^T; J 0], D of the sizes of coordinates."""

    @cached_property
    def mass_pairs(self) -> tuple[Indices, Indices]:
        return (np.arange(self.n), np.arange(self.n))

    def _mass(self, q: Array, bodies: Bodies) -> Array:
        return self.diagonal

    @property
    def diagonal(self) -> Array:
        return np.asarray(1.0 / self.scale**2)


class ForceCode(EliminationCode):
    """All forces by elimination."""

    kind: CodeKind = "loop"

    def __init__(self, system: ForceSystem, reads: tuple[str, ...], tables: Tables):
        super().__init__(system, "gamma", reads, tables)

    def linked(self, lanes: Lanes, arrays: Arrays) -> Linked:
        request = Request(force_terms, self.reads, self.system.equations.evaluator.moving_base)
        linked = LoopCode(request, self.tables).linked(lanes, arrays)
        return self.finished(linked, lanes, ForceTables(self, request.moving_base))

    def driver(self, lanes: Lanes) -> Library:
        def text() -> str:
            from armillary.runtime.reaction_loop import reaction_text

            return with_declarations(reaction_text(lanes), lanes)

        name = of_lanes(identity("loop forces"), lanes)
        return Library(text, ["batch"], 2, identity=name, quick=lanes.quick)


class ForceTables(SystemTables):
    """Where everything stands in the memory of a state, and the tables over it."""

    def __init__(self, code: ForceCode, moving_base: bool):
        super().__init__(code, moving_base)
        bodies, frames = len(code.tables.bodies), len(self.constraints.frames)
        rows, dofs = self.constraints.count, code.tables.nv
        self.places = {
            Reacting.LOADS: self.room(BodyLoad.size * bodies),
            Reacting.DRIVES: self.room(6 * dofs),
            Reacting.WORLD: self.room(MOTION),
            Reacting.MULTIPLIERS: self.room(rows + 1),
            Reacting.SUMS: self.room(6 * bodies),
            Reacting.REACTIONS: self.room(6 * bodies),
            Reacting.OWN: self.room(6 * frames),
            Reacting.GIVEN: self.room(6 * frames),
            Reacting.POINTS: self.room(3 * frames),
            Reacting.PROBE: self.room(self.system.size),
        }

    def _closing_weights(self) -> Array:
        """1 over the opening that changes what counts as a rank; wheels may stand anywhere."""
        table, found = self.constraints, np.zeros(self.constraints.count)
        for constraint in table.frames:
            if constraint.kind != "wheel":
                kept = np.array(constraint.holonomic, bool)
                sizes = [1.0 if unit == "rad" else self.equations.length for unit in constraint.units]
                found[table.slices[constraint.name]] = kept / (
                    joint_forces.OPENING * np.array(sizes)
                )
        return found

    def _wanted(self) -> set[int]:
        return set(range(self.constraints.count))

    def _diagonal(self) -> Array:
        return np.asarray(1.0 / self.system.scale**2)

    def _limits(self) -> dict[Slot, float]:
        return super()._limits() | {Closing.SIGN: 0.0}

    # -- wrenches of constraints -------------------------------------------------------------------

    def body(self, number: int, sign: int) -> int:
        """The body that a constraint pushes with this sign."""
        frame = self.constraints.frames[number]
        return frame.second if sign > 0 else frame.first

    def sign(self, number: int) -> int:
        """On which body the wrenches of a constraint are added up."""
        return 1 if self.constraints.frames[number].second >= 0 else -1

    @cached_property
    def number_of(self) -> dict[int, int]:
        """The constraint of every row between frames."""
        spans = [self.constraints.slices[frame.name] for frame in self.constraints.frames]
        return {row: k for k, span in enumerate(spans) for row in range(span.start, span.stop)}

    def _items(self) -> tuple[list[tuple[int, int, int]], int]:
        """(multiplier, wrench, target): on bodies, and of constraints; then known ones of
        constraints, and where those begin."""
        sums, own, given = (self.places[x] for x in (Reacting.SUMS, Reacting.OWN, Reacting.GIVEN))
        one, found, known = self.constraints.count, [], []
        for (row, sign), wrench in self.wrenches.items():
            number = self.number_of[row]
            found.append((row, wrench, sums + 6 * self.body(number, sign)))
            if sign == self.sign(number):
                found.append((row, wrench, own + 6 * number))
        for (number, sign), wrench in self._known.items():
            found.append((one, wrench, sums + 6 * self.body(number, sign)))
            if sign == self.sign(number):
                known.append((one, wrench, given + 6 * number))
        return found + known, len(found)

    def _of_frames(self) -> dict[Slot, object]:
        """Bodies, signs and frames of the constraints."""
        ends, signs, numbers = [], [], list[float]()
        for number, frame in enumerate(self.constraints.frames):
            side = self.motion_of(self.body(number, self.sign(number)))
            ends.append((side, self.motion_of(frame.second)))
            signs.append(float(self.sign(number)))
            turn = frame.own @ frame.X_2B.E
            numbers += [float(x) for x in (*turn.leaves(), *frame.X_2B.r.leaves())]
        return {Reacting.ENDS: ends, Reacting.SIGNS: signs, Reacting.FRAMES: numbers}

    def motion_of(self, body: int) -> int:
        return self.motion + MOTION * body if body >= 0 else self.places[Reacting.WORLD]

    # -- tables ------------------------------------------------------------------------------------

    def closing(self, linked: Linked, addresses: Sequence[int]) -> NDArray[np.int64]:
        c, t = np.zeros(Reacting.SIZE, np.int64), Reacting
        c[: Closing.SIZE] = super().closing(linked, addresses)
        sharing, (items, known_from) = Sharing(self), self._items()
        integers: dict[Slot, object] = {
            t.ITEMS: items,
            t.PARENTS: self.code.tables.parents,
            t.CARRIERS: self._carriers,
        }
        integers |= sharing.integers
        frames = self._of_frames()
        integers[t.ENDS] = frames.pop(t.ENDS)
        for kind, arrays in (
            (np.int64, integers),
            (np.float64, frames | self._of_checks() | sharing.doubles),
        ):
            for field, values in arrays.items():
                c[field] = linked.held(np.ascontiguousarray(values, kind))
        for field, place in {**self.places, **sharing.sizes}.items():
            c[field] = place
        c[t.BODIES], c[t.CONSTRAINTS] = len(self.code.tables.bodies), len(self.constraints.frames)
        c[t.ALL_ROWS] = self.constraints.count
        c[t.OF_CONSTRAINTS], c[t.ITEM_COUNT] = known_from, len(items)
        for field, x in self._tolerances().items():
            c[field] = bits(x)
        return c

    def _of_checks(self) -> dict[Slot, object]:
        scaling, length, kept = self.equations.scaling, self.equations.length, self.system.kept
        scale = self.system.mu / MU
        probe = [length / (size * (1.0 + k % 3)) for k, size in enumerate(self.system.scale)]
        return {
            Reacting.UNITS: 1.0 / scaling.rows[kept],
            Reacting.LARGEST: 1.0 / (self.system.mu + _DEPENDENT * scale),
            Reacting.PROBED: probe,
            Reacting.SIZES: self.system.scale / length,
        }

    def _tolerances(self) -> dict[Slot, float]:
        masses = [float(body.inertia.mass) for body in self.code.tables.bodies]
        return {
            Reacting.MASSES: float(np.sum(np.square(masses))),
            Reacting.ARM: 1.0 / self.equations.length,
            Reacting.UNBALANCED: joint_forces.UNBALANCED**2,
            Reacting.ROUNDING: joint_forces.ROUNDING**2,
            Reacting.STRETCHED: 1.0 / joint_forces.STRETCHED**2,
        }


class Sharing:
    """Rows that follow from others: their self-stresses Z, the bodies that carry these, and
    Z^T H Z."""

    def __init__(self, tables: ForceTables):
        self.tables, self._parents = tables, tables.code.tables.parents
        s = tables.equations.scaling
        self._combined: list[tuple[int, int]] = []
        self._factors: list[float] = []
        self._links: list[tuple[int, int, int]] = []
        self._rights: list[tuple[int, int, int]] = []  # self-stress, carried wrench, reaction
        self._signs: list[float] = []
        self._met: dict[int, list[tuple[int, int]]] = {}  # by reaction: self-stress, wrench
        following = following_rows(tables.equations)
        self.stresses = [
            {row: float(s.rows[row]) * x for row, x in ({number: 1.0} | {k: -y for k, y in terms}).items()}
            for number, terms in following
        ]
        self._shares = tables.room(12 * len(self.stresses))
        count = sum(self._joints(number) + 1 for number in map(self._number, self.stresses))
        self._carried = tables.room(6 * count)
        for k, stress in enumerate(self.stresses):
            self._add(k, stress)
        self._lay_out()

    def _number(self, stress: Mapping[int, float]) -> int:
        return self.tables.number_of[next(iter(stress))]

    def _joints(self, number: int) -> int:
        return sum(len(self._path(number, sign)) for sign in (-1, 1))

    def _path(self, number: int, sign: int) -> list[int]:
        """Bodies from one end of a constraint to the nearest body that carries both."""
        own, other = (self._ancestors(self.tables.body(number, k * sign)) for k in (1, -1))
        return [body for body in own if body not in other]

    def _ancestors(self, body: int) -> list[int]:
        path = []
        while body >= 0:
            path.append(body)
            body = self._parents[body]
        return path

    def _add(self, k: int, stress: Mapping[int, float]) -> None:
        """One self-stress: its wrenches on both ends, and what carries them."""
        t, number = self.tables, self._number(stress)
        for side, sign in enumerate((-1, 1)):
            body = t.body(number, sign)
            if body < 0:
                continue
            share = self._shares + 6 * (2 * k + side)
            for row, factor in stress.items():
                self._combined.append((t.wrenches[row, sign], share))
                self._factors.append(factor)
            here = t.motion_of(body) + _ORIGIN
            for joint in self._path(number, sign):
                reaction = t.places[Reacting.REACTIONS] + 6 * joint
                self._link(k, (share, here, t.motion_of(joint) + _ORIGIN), reaction, 1.0)
            if sign == t.sign(number):
                point = t.places[Reacting.POINTS] + 3 * number
                own = t.places[Reacting.OWN] + 6 * number
                self._link(k, (share, here, point), own, -float(sign))

    def _link(self, k: int, link: tuple[int, int, int], reaction: int, sign: float) -> None:
        place = self._carried + 6 * len(self._links)
        self._links.append(link)
        self._rights.append((k, place, reaction))
        self._signs.append(sign)
        self._met.setdefault(reaction, []).append((k, place))

    def _lay_out(self) -> None:
        """The pattern of Z^T H Z, its factor, and the tables over them."""
        t, size = Reacting, len(self.stresses)
        entries: dict[tuple[int, int], int] = {}
        pairs = []
        for met in self._met.values():
            for n, (i, one) in enumerate(met):
                for k, two in met[: n + 1]:
                    key = (max(i, k), min(i, k))
                    pairs.append((entries.setdefault(key, len(entries)), one, two))
        rows: SampleRows = [{k: float(size)} for k in range(size)]
        for i, k in entries:
            if i != k:
                rows[i][k] = rows[k][i] = 1.0
        ranks = np.empty(size, np.int64)
        ranks[elimination_order(rows, [1.0] * size)] = np.arange(size)
        factor = Factor.of(size, ranks[np.array(list(entries), np.int64).reshape(-1, 2)])
        room, second = self.tables.room, t.SHARING
        K, x = room(len(entries)), room(size)
        first = self.tables.places[t.MULTIPLIERS]
        spread = [
            (first + row, x + int(ranks[k]))
            for k, stress in enumerate(self.stresses)
            for row in stress
        ]
        self.integers: dict[Slot, object] = {
            t.COMBINED: self._combined,
            t.LINKS: self._links,
            t.PAIRS: [(K + entry, one, two) for entry, one, two in pairs],
            t.RIGHTS: [(x + int(ranks[k]), *others) for k, *others in self._rights],
            t.SPREAD: spread,
            second.of(Closing.STARTS): factor.starts,
            second.of(Closing.RANK_OF): factor.ranks,
            second.of(Closing.GOES): factor.goes,
            second.of(Closing.UPDATES): factor.updates,
        }
        self.doubles: dict[Slot, object] = {
            t.COMBINED_BY: self._factors,
            t.RIGHTS_BY: self._signs,
            t.SPREAD_BY: [size for stress in self.stresses for size in stress.values()],
        }
        self.sizes: dict[Slot, int] = {
            t.CARRIED: self._carried,
            t.SHARES: self._shares,
            t.COMBINED_COUNT: len(self._combined),
            t.LINK_COUNT: len(self._links),
            t.PAIR_COUNT: len(pairs),
            t.RIGHT_COUNT: len(self._rights),
            t.SPREAD_COUNT: len(spread),
            second.of(Closing.UNKNOWNS): size,
            second.of(Closing.ENTRY_COUNT): len(entries),
            second.of(Closing.FACTOR_COUNT): len(factor.ranks),
            second.of(Closing.K): K,
            second.of(Closing.X): x,
            second.of(Closing.WORK): room(len(factor.ranks)),
            second.of(Closing.LOWER): room(len(factor.ranks)),
        }
