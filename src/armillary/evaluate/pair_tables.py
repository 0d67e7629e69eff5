"""Which sums of blocks of two bodies a mechanism with force elements needs, and in which order.

dQ/dq has, for degrees of freedom i and j, what all bodies beyond i feel of all bodies beyond j:

    dQ_i/dq_j = S_i^T (Σ_ab K_ab) S_j + S_i^T (Σ_ab D_ab) dS_j,    a beyond i, b beyond j.

Bodies are taken from the last to the first.  When the turn of body a comes, its blocks with bodies
b <= a hold the sums over all that is beyond both: they serve the degrees of freedom of a with all
that carry b, and go over to the parent of a (as composite inertias do), whose blocks with b they
become or join.  Blocks that nobody needs any more make room for others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from armillary.runtime.slopes_tables import Move, Share, Turn


@dataclass
class PairTables:
    """turns: of bodies that are taken, in their order; shares: bodies whose degrees of freedom meet
    those of the turn's, the last ones first; moves: blocks that are added to others."""

    slots: dict[tuple[int, int], int]  # of the blocks of elements, by bodies (a, b), a >= b
    room: int  # slots in all
    turns: list[list[int]] = field(default_factory=list)
    shares: list[list[int]] = field(default_factory=list)
    moves: list[list[int]] = field(default_factory=list)


def pair_tables(
    pairs: Iterable[tuple[int, int]],
    parents: Sequence[int],
    first: Sequence[int],
    nv: Sequence[int],
) -> PairTables:
    """pairs: bodies (a, b), a >= b, with elements between them; of each a and b also (a, a) and
    (b, b).  first, nv: degrees of freedom of every body."""
    slots = {pair: k for k, pair in enumerate(pairs)}
    made, now, free = PairTables(slots, len(slots)), dict(slots), list[int]()
    partners: list[set[int]] = [set() for _ in parents]
    for a, b in slots:
        partners[a].add(b)
    for a in reversed(range(len(parents))):
        if not partners[a]:
            continue
        lower = sorted(partners[a], reverse=True)
        _share(made, a, lower, now, parents, first, nv)
        before = len(made.moves)
        if parents[a] >= 0:
            free += _handed_on(made, a, lower, now, partners, parents[a], free)
        made.turns[-1][Turn.MOVES : Turn.MOVE_COUNT + 1] = [before, len(made.moves) - before]
    return made


def _share(
    made: PairTables,
    a: int,
    lower: Sequence[int],
    now: dict[tuple[int, int], int],
    parents: Sequence[int],
    first: Sequence[int],
    nv: Sequence[int],
) -> None:
    """The bodies of blocks (a, b), and all that carry them."""
    carrying: set[int] = set()
    for b in lower:
        while b >= 0 and b not in carrying:
            carrying.add(b)
            b = parents[b]
    before = len(made.shares)
    for b in sorted(carrying, reverse=True):
        row = [0] * Share.SIZE
        row[Share.BODY], row[Share.SLOT] = b, now.get((a, b), -1)
        row[Share.FIRST], row[Share.DOFS] = first[b], nv[b]
        row[Share.PARENT] = parents[b] if parents[b] >= 0 else len(parents)
        made.shares.append(row)
    turn = [0] * Turn.SIZE
    turn[Turn.FIRST], turn[Turn.DOFS], turn[Turn.SLOT] = first[a], nv[a], now[a, a]
    turn[Turn.SHARES], turn[Turn.SHARE_COUNT] = before, len(made.shares) - before
    made.turns.append(turn)


def _handed_on(
    made: PairTables,
    a: int,
    lower: Sequence[int],
    now: dict[tuple[int, int], int],
    partners: list[set[int]],
    parent: int,
    free: list[int],
) -> list[int]:
    """The blocks of a become, or are added to, those of its parent; slots that are free then."""
    left = []
    for b in lower:
        slot = now.pop((a, b))
        across = parent < b < a  # the parent has the lower number now
        other = parent if b == a else b
        key = max(parent, other), min(parent, other)
        new = key not in now
        if new:
            partners[key[0]].add(key[1])
            if not across:
                now[key] = slot
                continue
            if not free:
                free.append(made.room)
                made.room += 1
            now[key] = free.pop()
        row = [0] * Move.SIZE
        row[Move.SOURCE], row[Move.TARGET] = slot, now[key]
        row[Move.ACROSS], row[Move.NEW] = int(across), int(new)
        made.moves.append(row)
        left.append(slot)
    return left
