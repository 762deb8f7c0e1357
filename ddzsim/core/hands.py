"""Bit operations on hands: one uint64, a nibble for the count of each of 15 ranks.

A *mask* has bit 0 of a nibble set for each rank that fulfils something, so that a chain is found
with shifts and ands, and counting ranks is a population count. Counts run to 8: two decks use the
same form.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ddzsim.core.jit import U, highest_bit, kernel, lowest_bit, popcount, to_int

Cards: TypeAlias = np.uint64
"""Some cards, packed."""
Mask: TypeAlias = np.uint64
"""A set of ranks, bit 0 of each nibble."""

EACH_RANK = U(0x111111111111111)
"""The mask of all 15 ranks."""
CHAIN_RANKS = U(0x111111111111)
"""The mask of 3 to A: the ranks that may stand in a chain (R4.1)."""
ONE_DECK = U(0x114444444444444)
"""All cards of one deck as a hand: four of each rank, one of each joker."""
JOKERS = U(0x11) << U(52)
"""The mask of the two jokers, and the rocket of one deck as a hand."""
ODD_RANKS, TWOS_RANKS = U(0x010101010101010), U(0x100110011001100)
FOURS_RANKS, EIGHTS_RANKS = U(0x111000011110000), U(0x111111100000000)
"""The ranks whose number has the binary digit 1, 2, 4 or 8."""
NONE = U(0)
BYTE_LOW = U(0x0F0F0F0F0F0F0F0F)
BYTE_TOP = U(0x8080808080808080)


@kernel
def at_least_1(hand: Cards) -> Mask:
    """The mask of the ranks held at least once."""
    return (hand | hand >> U(1) | hand >> U(2) | hand >> U(3)) & EACH_RANK


@kernel
def at_least_2(hand: Cards) -> Mask:
    """The mask of the ranks held at least twice."""
    return (hand >> U(1) | hand >> U(2) | hand >> U(3)) & EACH_RANK


@kernel
def at_least_3(hand: Cards) -> Mask:
    """The mask of the ranks held at least three times."""
    return ((hand & hand >> U(1)) | hand >> U(2) | hand >> U(3)) & EACH_RANK


@kernel
def at_least_4(hand: Cards) -> Mask:
    """The mask of the ranks held at least four times."""
    return (hand >> U(2) | hand >> U(3)) & EACH_RANK


@kernel
def at_least(hand: Cards, count: int) -> Mask:
    """The mask of the ranks held at least `count` times, 1 to 4."""
    if count == 1:
        return at_least_1(hand)
    if count == 2:
        return at_least_2(hand)
    if count == 3:
        return at_least_3(hand)
    return at_least_4(hand)


@kernel
def count_of(hand: Cards, rank: int) -> int:
    """How many cards of a rank a hand holds."""
    return to_int((hand >> U(4 * rank)) & U(15))


@kernel
def cards_of(rank: int, count: int) -> Cards:
    """The hand of `count` cards of one rank."""
    return U(count) << U(4 * rank)


@kernel
def size(hand: Cards) -> int:
    """How many cards a hand holds.

    >>> size(U(0x21))
    3
    """
    pairs = (hand & BYTE_LOW) + (hand >> U(4) & BYTE_LOW)
    return to_int((pairs * U(0x0101010101010101)) >> U(56))


@kernel
def rank_mask(rank: int) -> Mask:
    """The mask of one rank."""
    return U(1) << U(4 * rank)


@kernel
def ranks_above(rank: int) -> Mask:
    """The mask of all ranks above one."""
    return EACH_RANK & ~((U(1) << U(4 * rank + 1)) - U(1))


@kernel
def run(low: int, length: int) -> Mask:
    """The mask of `length` ranks from `low` up."""
    return (((U(1) << U(4 * length)) - U(1)) & EACH_RANK) << U(4 * low)


@kernel
def run_starts(mask: Mask, length: int) -> Mask:
    """The mask of the ranks from which `length` ranks in a row are in `mask`."""
    starts = mask
    for step in range(1, length):
        starts &= mask >> U(4 * step)
    return starts


@kernel
def lowest(mask: Mask) -> int:
    """The lowest rank of a mask that is not empty."""
    return lowest_bit(mask) >> 2


@kernel
def highest(mask: Mask) -> int:
    """The highest rank of a mask that is not empty."""
    return highest_bit(mask) >> 2


@kernel
def without_lowest(mask: Mask) -> Mask:
    """A mask less its lowest rank."""
    return mask & (mask - U(1))


@kernel
def ranks_in(mask: Mask) -> int:
    """How many ranks a mask holds."""
    return popcount(mask)


@kernel
def rank_sum(mask: Mask) -> int:
    """The sum of the ranks of a mask, counted by the binary digits of the ranks.

    >>> rank_sum(run(3, 5))  # 3 + 4 + 5 + 6 + 7
    25
    """
    ones, twos = ranks_in(mask & ODD_RANKS), ranks_in(mask & TWOS_RANKS)
    return ones + 2 * twos + 4 * ranks_in(mask & FOURS_RANKS) + 8 * ranks_in(mask & EIGHTS_RANKS)


@kernel
def whole(mask: Mask) -> Cards:
    """A mask with all four bits of each rank's nibble set, to cut ranks out of a hand."""
    return mask * U(15)


@kernel
def contains(hand: Cards, part: Cards) -> bool:
    """Whether all cards of `part` are in `hand`."""
    # Nibbles are spread over bytes: a byte whose part is greater borrows its own top bit away.
    for shift in (U(0), U(4)):
        mine = (hand >> shift & BYTE_LOW) | BYTE_TOP
        if (mine - (part >> shift & BYTE_LOW)) & BYTE_TOP != BYTE_TOP:
            return False
    return True
