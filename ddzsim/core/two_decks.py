"""The rank of a deal of two decks among all such deals (R1.3, R2).

There are more of them than 64 bits hold, so a number is two words here: `high` times 2^50 and
`low`. A word then has room for the sum of all the numbers that a rank is made of, and digits are
carried once, at the end. Deals stand in the order of the split of the 3s, then of the 4s, and so on
to the big joker; a split in the order of the cards that the kitty gets, then seat 0, 1 and 2.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.cards import RANKS, rank_capacity
from ddzsim.core.hands import Cards, cards_of, count_of
from ddzsim.core.jit import U, kernel

WideTable: TypeAlias = npt.NDArray[np.int64]
"""What `count_wide_deals` gives."""
Places: TypeAlias = npt.NDArray[np.uint64]
"""The five hands of a deal, packed: seats 0 to 3, then the kitty."""

WORD_BITS = 50
WORD_MASK = (1 << WORD_BITS) - 1
HAND_SIZE, KITTY_SIZE, SEATS = 25, 8, 4
KITTY = 4
"""Position of the kitty among the places of a deal."""
RANK_COUNT = len(RANKS)
COPIES = np.array([rank_capacity(rank, decks=2) for rank in range(RANK_COUNT)])
CARDS_FROM = np.append(np.cumsum(COPIES[::-1])[::-1], 0)
"""How many cards of each rank and above two decks have."""

LOG_BITS = 63
"""The log keeps the low bits of an index in one column, the others in another."""

NO_WIDE_TABLE = np.zeros((0, 0, 0, 0, 0, 2), np.int64)
"""What is handed on in place of the table where there is one deck."""


@kernel
def _count_cell(table: WideTable, rank: int, kitty: int, rooms: tuple[int, int, int, int]) -> None:
    """Count the ways of one cell of the table, and of the one with seats 0 and 1 exchanged."""
    first, second, third, fourth = rooms
    copies = COPIES[rank]
    high = low = 0
    for k in range(min(copies, kitty) + 1):
        for i in range(min(copies - k, first) + 1):
            for j in range(min(copies - k - i, second) + 1):
                rest = copies - k - i - j
                for m in range(max(rest - fourth, 0), min(rest, third) + 1):
                    high += table[rank + 1, kitty - k, first - i, second - j, third - m, 0]
                    low += table[rank + 1, kitty - k, first - i, second - j, third - m, 1]
    table[rank, kitty, first, second, third, 0] = high + (low >> WORD_BITS)
    table[rank, kitty, first, second, third, 1] = low & WORD_MASK
    table[rank, kitty, second, first, third] = table[rank, kitty, first, second, third]


@kernel
def _fill(table: WideTable) -> None:
    """Count all ways, from no ranks at all down to the 3s."""
    table[RANK_COUNT, 0, 0, 0, 0, 1] = 1
    for rank in range(RANK_COUNT - 1, -1, -1):
        least = HAND_SIZE if rank == 0 else 0
        for kitty in range(KITTY_SIZE if rank == 0 else 0, KITTY_SIZE + 1):
            for first in range(least, HAND_SIZE + 1):
                for second in range(least, first + 1):
                    for third in range(least, HAND_SIZE + 1):
                        fourth = CARDS_FROM[rank] - kitty - first - second - third
                        if 0 <= fourth <= HAND_SIZE:
                            _count_cell(table, rank, kitty, (first, second, third, fourth))


def count_wide_deals() -> WideTable:
    """Count the ways to deal the higher ranks, by dynamic programming from the jokers down.

    `table[r, d, a, b, c]` has the two words of the number of ways to deal the cards of rank r and
    above when the kitty has room for d cards and seats 0, 1 and 2 for a, b and c; seat 3 takes the
    rest. It takes 40 MB; of the lowest rank only the whole deal is counted.
    """
    room = HAND_SIZE + 1
    table = np.zeros((RANK_COUNT + 1, KITTY_SIZE + 1, room, room, room, 2), np.int64)
    _fill(table)
    return table


@kernel
def wide_deal_rank(hands: Places, table: WideTable) -> tuple[int, int]:
    """The two words of the position of a deal among all deals of two decks, from 0.

    The hands must be one deal of two decks: anything else reads outside the table.
    """
    high = low = 0
    a, b, c, d = HAND_SIZE, HAND_SIZE, HAND_SIZE, KITTY_SIZE
    for rank in range(RANK_COUNT):
        above = table[rank + 1]
        copies = COPIES[rank]
        kitty = count_of(hands[KITTY], rank)
        first, second = count_of(hands[0], rank), count_of(hands[1], rank)
        third = count_of(hands[2], rank)
        # Every split that stands before this one: of k, i, j and m cards to the kitty and seats 0,
        # 1 and 2. Where seat 3 would get more than it has room for, the table holds 0.
        for k in range(kitty + 1):
            seats = copies - k
            for i in range((first if k == kitty else min(seats, a)) + 1):
                same = k == kitty and i == first
                for j in range((second if same else min(seats - i, b)) + 1):
                    last = third - 1 if same and j == second else min(seats - i - j, c)
                    for m in range(last + 1):
                        high += above[d - k, a - i, b - j, c - m, 0]
                        low += above[d - k, a - i, b - j, c - m, 1]
        a, b, c, d = a - first, b - second, c - third, d - kitty
    return high + (low >> WORD_BITS), low & WORD_MASK


@kernel
def wide_deal_from_rank(high: int, low: int, table: WideTable, hands: Places) -> None:
    """Write the deal at a position among all deals of two decks; inverse of `wide_deal_rank`."""
    room = np.array([HAND_SIZE, HAND_SIZE, HAND_SIZE, HAND_SIZE, KITTY_SIZE])
    hands[:] = U(0)
    for rank in range(RANK_COUNT):
        high, low, split = _split_at(high, low, rank, table[rank + 1], room)
        for place in range(KITTY + 1):
            count = count_of(split, place)
            hands[place] += cards_of(rank, count)
            room[place] -= count


@kernel
def _split_at(
    high: int, low: int, rank: int, above: WideTable, room: npt.NDArray[np.int64]
) -> tuple[int, int, Cards]:
    """How a rank is split at a position, as a nibble for each place; and the position within."""
    copies = COPIES[rank]
    a, b, c, e, d = room
    for k in range(min(copies, d) + 1):
        for i in range(min(copies - k, a) + 1):
            for j in range(min(copies - k - i, b) + 1):
                rest = copies - k - i - j
                for m in range(max(rest - e, 0), min(rest, c) + 1):
                    more, less = above[d - k, a - i, b - j, c - m]
                    if high < more or (high == more and low < less):
                        split = cards_of(0, i) | cards_of(1, j) | cards_of(2, m)
                        return high, low, split | cards_of(3, rest - m) | cards_of(KITTY, k)
                    high -= more
                    low -= less
                    if low < 0:
                        high -= 1
                        low += 1 << WORD_BITS
    return high, low, U(0)


@kernel
def wide_index(hands: Places, first: int, table: WideTable) -> tuple[int, int]:
    """The index of a deal, its rank times 4 plus the first bidder, as the log has it.

    That is the bits from the 63rd on, and the low 63.
    """
    high, low = wide_deal_rank(hands, table)
    low = low << 2 | first
    high = (high << 2) + (low >> WORD_BITS)
    shift = LOG_BITS - WORD_BITS
    return high >> shift, (high & ((1 << shift) - 1)) << WORD_BITS | (low & WORD_MASK)


@kernel
def deal_of_wide_index(upper: int, lower: int, table: WideTable, hands: Places) -> int:
    """Write the deal of an index as the log has it, and give the first bidder."""
    high = upper << (LOG_BITS - WORD_BITS) | lower >> WORD_BITS
    low = lower & WORD_MASK
    wide_deal_from_rank(high >> 2, (high & 3) << (WORD_BITS - 2) | low >> 2, table, hands)
    return lower & 3


@kernel
def wide_indices(
    hands: npt.NDArray[np.uint64],
    first: npt.NDArray[np.int64],
    table: WideTable,
    out: npt.NDArray[np.int64],
) -> None:
    """Write the index of each deal, the upper bits and the low 63.

    `hands` has a row of five hands for each deal, `first` one entry, `out` a row of two.
    """
    for row in range(len(out)):
        out[row, 0], out[row, 1] = wide_index(hands[row], first[row], table)
