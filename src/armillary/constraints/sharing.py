"""Tables of rows that follow from others of their constraint: how multipliers are shared, so that
all reactions together are the smallest (runtime/reaction_loop.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from armillary.codegen.abi import Slot
from armillary.constraints.kept_rows import following_rows
from armillary.constraints.large import Factor
from armillary.constraints.ordering import SampleRows, elimination_order
from armillary.runtime.closing_tables import Closing
from armillary.runtime.reaction_tables import Reacting

if TYPE_CHECKING:
    from armillary.constraints.loop_forces import ForceTables

_ORIGIN = 9  # in the motion of a body


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
            {
                row: float(s.rows[row]) * x
                for row, x in ({number: 1.0} | {k: -y for k, y in terms}).items()
            }
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
