"""All forces of closed mechanisms of any size by native loops: the tables over which
runtime/reaction_loop.py runs.

Nothing is compiled for the mechanism, and nothing is dense: work grows with the joints between the
ends of the constraints.  Rows that depend on others share their multipliers (sharing.py); where
they nearly do, a state is left (NaN)."""

from __future__ import annotations

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
from armillary.constraints.elimination_code import EliminationCode
from armillary.constraints.large import MU, LargeSystem, SampleRows, eliminate
from armillary.constraints.row_records import hold
from armillary.constraints.rows import Indices, PlacedBodies
from armillary.constraints.sharing import LoadTables, Sharing
from armillary.evaluate.fingerprint import identity, of_lanes
from armillary.evaluate.inputs import Array
from armillary.evaluate.kernel import CodeKind, Linked
from armillary.evaluate.loop_code import LoopCode
from armillary.evaluate.request import Request
from armillary.model.lowering.constraints import lower_constraints
from armillary.model.lowering.tree import Tables, parametric
from armillary.runtime.closing_tables import Closing
from armillary.runtime.reaction_tables import MOTION, Reacting
from armillary.spatial import Force

if TYPE_CHECKING:
    from armillary.constraints.equations import Equations
    from armillary.evaluate.lean_call import OneOrMany

_DEPENDENT = 1e-4  # of the size of a row: what others have to leave of it
_ROUGH = 10.0  # times the accuracy of the geometry, where that is more
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

    def _mass(self, q: Array, bodies: PlacedBodies) -> Array:
        return self.diagonal

    @cached_property
    def dependent(self) -> bool:
        """Do kept rows depend on each other where the mechanism starts?"""
        rows: SampleRows = [{} for _ in range(self.size)]
        values = self.values(self.equations.tree.initial)
        for (a, b), x in zip(self.entries.tolist(), values.tolist(), strict=True):
            rows[a][b] = rows[b][a] = x
        least = _DEPENDENT**2 * self.mu / MU
        for k in np.argsort(self.ranks).tolist():
            if k >= self.n and -rows[k].get(k, 0.0) <= least[k - self.n]:
                return True
            eliminate(rows, k)
        return False

    @property
    def diagonal(self) -> Array:
        return np.asarray(1.0 / self.scale**2)


class ForceCode(EliminationCode):
    """All forces by elimination."""

    kind: CodeKind = "loop"

    def __init__(self, system: ForceSystem, reads: tuple[str, ...], tables: Tables):
        super().__init__(system, "gamma", reads, tables)
        self.forces = system

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


class ForceTables(LoadTables):
    """Where everything stands in the memory of a state, and the tables over it."""

    def __init__(self, code: ForceCode, moving_base: bool):
        super().__init__(code, moving_base)
        self._dependent = code.forces.dependent
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
            Reacting.IN_PLAY: self.room(1),
        }

    def _closing_weights(self) -> Array:
        """1 over the opening that changes what counts as a rank; wheels may stand anywhere."""
        table, found = self.constraints, np.zeros(self.constraints.count)
        for constraint in table.frames:
            if constraint.kind != "wheel":
                kept = np.array(constraint.holonomic, bool)
                sizes = [
                    1.0 if unit == "rad" else self.equations.length for unit in constraint.units
                ]
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

    # -- tables ------------------------------------------------------------------------------------

    def closing(self, linked: Linked, lanes: Lanes) -> NDArray[np.int64]:
        c, t = np.zeros(Reacting.SIZE, np.int64), Reacting
        c[: Closing.SIZE] = super().closing(linked, lanes)
        sharing = Sharing(self, int(c[Closing.K]), self._dependent)
        items, known_from = self._items()
        integers: dict[Slot, object] = {
            t.ITEMS: items,
            t.PARENTS: self.code.tables.parents,
            t.CARRIERS: self.carriers,
        }
        integers |= sharing.integers
        frames = self._of_frames()
        integers[t.ENDS] = frames.pop(t.ENDS)
        hold(linked, c, integers, frames | self._of_checks() | sharing.doubles)
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
        least = max(_DEPENDENT, _ROUGH * self.equations.geometry_tolerance) ** 2
        largest = 1.0 / (self.system.mu + least * scale)
        if self._dependent:
            largest[:] = np.inf
        probe = [length / (size * (1.0 + k % 3)) for k, size in enumerate(self.system.scale)]
        return {
            Reacting.UNITS: 1.0 / scaling.rows[kept],
            Reacting.ROW_SIZES: np.sqrt(scale) / length,
            Reacting.LARGEST: largest,
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
