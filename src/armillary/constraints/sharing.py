"""Tables of rows that depend on others: how multipliers are shared, so that all reactions together
are the smallest (runtime/reaction_loop.py).

Rows that follow from others of their constraint by constant sums leave self-stresses Z, with
Z^T H Z c = Z^T (reactions).  Where rows of several constraints depend on each other, the other
multipliers δ take part, and keep the balance:

    [ H    J ] [ δ ]   [ reactions ]
    [ J^T -mu] [ y ] = [     0     ]
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armillary.codegen.abi import Slot
from armillary.constraints.elimination_code import SystemTables
from armillary.constraints.kept_rows import following_rows
from armillary.constraints.large import MU, Factor, SampleRows, elimination_order
from armillary.runtime.closing_code import ORIGIN
from armillary.runtime.closing_tables import Closing
from armillary.runtime.reaction_tables import MOTION, Reacting


class LoadTables(SystemTables):
    """Tables of a system with the wrenches of its constraints on bodies."""

    places: dict[Slot, int]  # in the memory, by the fields of `Reacting`

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

    def motion_of(self, body: int) -> int:
        return self.motion + MOTION * body if body >= 0 else self.places[Reacting.WORLD]


class Sharing:
    """Rows that follow from others: their self-stresses Z, the bodies that carry these, and
    Z^T H Z."""

    def __init__(self, tables: LoadTables, entries: int, whole: bool):
        """entries: the place of K.  whole: kept rows may depend on each other, too; then they share
        as well, and J^T δ = 0 stands beside H."""
        self.tables, self._parents = tables, tables.code.tables.parents
        self._first, self._whole = entries, whole
        s = tables.equations.scaling
        self._combined: list[tuple[int, int]] = []
        self._factors: list[float] = []
        self._links: list[tuple[int, int, int]] = []
        self._rights: list[tuple[int, int, int]] = []  # self-stress, carried wrench, reaction
        self._signs: list[float] = []
        self._met: dict[int, list[tuple[int, int]]] = {}  # by reaction: self-stress, wrench
        following = following_rows(tables.equations)
        self.stresses = [
            {
                row: float(s.rows[row]) * x
                for row, x in ({number: 1.0} | {k: -y for k, y in terms}).items()
            }
            for number, terms in following
        ]
        self._own = len(self.stresses)
        if whole:
            kept = tables.system.kept.tolist()
            self.stresses += [{row: float(s.rows[row])} for row in kept]
        self._shares = tables.room(12 * len(self.stresses))
        self._carried = tables.room(6 * sum(map(self._joints, self.stresses)))
        for k, stress in enumerate(self.stresses):
            (self._add_axis if self._number(stress) is None else self._add)(k, stress)
        self._lay_out()

    def _number(self, stress: Mapping[int, float]) -> int | None:
        """The constraint between frames; None: a coupling or a prescribed motion."""
        return self.tables.number_of.get(next(iter(stress)))

    def _joints(self, stress: Mapping[int, float]) -> int:
        """Reactions that it has a part in."""
        number = self._number(stress)
        return 1 + sum(len(self._path(number, x)) for x in (-1, 1) if number is not None)

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
        t, number = self.tables, self.tables.number_of[next(iter(stress))]
        for side, sign in enumerate((-1, 1)):
            body = t.body(number, sign)
            if body < 0:
                continue
            share = self._shares + 6 * (2 * k + side)
            for row, factor in stress.items():
                self._combined.append((t.wrenches[row, sign], share))
                self._factors.append(factor)
            here = t.motion_of(body) + ORIGIN
            for joint in self._path(number, sign):
                reaction = t.places[Reacting.REACTIONS] + 6 * joint
                self._link(k, (share, here, t.motion_of(joint) + ORIGIN), reaction, 1.0)
            if sign == t.sign(number):
                point = t.places[Reacting.POINTS] + 3 * number
                own = t.places[Reacting.OWN] + 6 * number
                self._link(k, (share, here, point), own, -float(sign))

    def _add_axis(self, k: int, stress: Mapping[int, float]) -> None:
        """Of a row along coordinates, whose reaction is its multiplier: as a moment."""
        t, share, length = self.tables, self._shares + 12 * k, self.tables.equations.length
        ((row, unit),) = stress.items()
        unit_moment = t.places[Reacting.WORLD] + 8  # 1, and zeros behind it
        self._combined.append((unit_moment, share))
        self._factors.append(length)
        point = t.places[Reacting.WORLD] + ORIGIN
        self._link(k, (share, point, point), t.places[Reacting.MULTIPLIERS] + row, -length / unit)

    def _link(self, k: int, link: tuple[int, int, int], reaction: int, sign: float) -> None:
        place = self._carried + 6 * len(self._links)
        self._links.append(link)
        self._rights.append((k, place, reaction))
        self._signs.append(sign)
        self._met.setdefault(reaction, []).append((k, place))

    def _lay_out(self) -> None:
        """The pattern of Z^T H Z, its factor, and the tables over them."""
        t, count = Reacting, len(self.stresses)
        entries = {(k, k): k for k in range(count)}
        pairs = []
        for met in self._met.values():
            for n, (i, one) in enumerate(met):
                for k, two in met[: n + 1]:
                    key = (max(i, k), min(i, k))
                    pairs.append((entries.setdefault(key, len(entries)), one, two))
        copies = self._copies(entries) if self._whole else []
        K, x, right, ranks = self._system(list(entries))
        first = self.tables.places[t.MULTIPLIERS]
        spread = [
            (first + row, x + int(ranks[k]))
            for k, stress in enumerate(self.stresses)
            for row in stress
        ]
        self.integers |= {
            t.COMBINED: self._combined,
            t.LINKS: self._links,
            t.PAIRS: [(K + entry, one, two) for entry, one, two in pairs],
            t.RIGHTS: [(right + int(ranks[k]), *others) for k, *others in self._rights],
            t.COPIES: [(source, K + entry) for source, entry, _ in copies],
            t.SPREAD: spread,
        }
        self.doubles |= {
            t.COMBINED_BY: self._factors,
            t.RIGHTS_BY: self._signs,
            t.SPREAD_BY: [x for stress in self.stresses for x in stress.values()],
            t.COPIES_BY: [x for _, _, x in copies],
        }
        self.sizes |= {
            t.CARRIED: self._carried,
            t.SHARES: self._shares,
            t.COMBINED_COUNT: len(self._combined),
            t.LINK_COUNT: len(self._links),
            t.PAIR_COUNT: len(pairs),
            t.RIGHT_COUNT: len(self._rights),
            t.SPREAD_COUNT: len(spread),
            t.COPY_COUNT: len(copies),
        }

    def _system(self, entries: list[tuple[int, int]]) -> tuple[int, int, int, NDArray[np.int64]]:
        """The tables of the equations; places of entries, unknowns and right sides, and ranks."""
        count, room, of = len(self.stresses), self.tables.room, Reacting.SHARING.of
        size = count + self.tables.system.n * self._whole
        ranks = self._ranks(entries, size)
        ends = ranks[np.array(entries, np.int64).reshape(-1, 2)]
        factor = Factor.of(size, ends)
        numbers = len(factor.ranks)
        K, x, right = room(len(entries)), room(size), room(size)
        self.integers: dict[Slot, object] = {
            of(Closing.ENTRIES): ends,
            of(Closing.RANKS): ranks[:count],
            of(Closing.TARGETS): ranks[count:],
            of(Closing.DAMPERS): factor.starts[ranks[count:]],
            of(Closing.STARTS): factor.starts,
            of(Closing.RANK_OF): factor.ranks,
            of(Closing.GOES): factor.goes,
            of(Closing.UPDATES): factor.updates,
        }
        self.doubles: dict[Slot, object] = {of(Closing.MU): [MU] * (size - count)}
        self.sizes: dict[Slot, int] = {
            of(Closing.DOFS): count,
            of(Closing.ROWS): size - count,
            of(Closing.UNKNOWNS): size,
            of(Closing.ENTRY_COUNT): len(entries),
            of(Closing.FACTOR_COUNT): numbers,
            of(Closing.K): K,
            of(Closing.X): x,
            of(Closing.RIGHT): right,
        }
        for field, room_of in (
            (Closing.RESIDUAL, size),
            (Closing.STEP, size),
            (Closing.WORK, numbers),
            (Closing.LOWER, numbers),
        ):
            self.sizes[of(field)] = room(room_of)
        return K, x, right, ranks

    def _copies(self, entries: dict[tuple[int, int], int]) -> list[tuple[int, int, float]]:
        """Entries of J of kept rows: where they stand in K, their number here, and their scale."""
        t, s, found = self.tables, self.tables.equations.scaling, []
        system, count = t.system, len(self.stresses)
        for number, (row, dof) in enumerate(system.entries.tolist()):
            if row >= system.n:
                key = (count + dof, self._own + row - system.n)
                size = float(s.rows[system.kept[row - system.n]] * s.columns[dof])
                place = entries.setdefault(key, len(entries))
                found.append((self._first + number, place, size / t.equations.length))
        return found

    def _ranks(self, entries: list[tuple[int, int]], size: int) -> NDArray[np.int64]:
        """When each unknown is eliminated: few entries first, a degree of freedom once the rows it
        stands in have given it a pivot."""
        count, rng = len(self.stresses), np.random.default_rng(0)
        rows: SampleRows = [{k: float(size) if k < count else -MU} for k in range(size)]
        for i, k in entries:
            if i != k:
                rows[i][k] = rows[k][i] = float(rng.uniform(0.5, 1.0))
        ranks = np.empty(size, np.int64)
        order = elimination_order(
            rows, [float(size)] * count + [1.0 / max(size, 1)] * (size - count)
        )
        ranks[order] = np.arange(size)
        return ranks
