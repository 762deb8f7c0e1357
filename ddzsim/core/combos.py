"""Combinations: what a set of cards reads as (R4, R5), and what beats what (R6).

A reading is one int64, its *shape*: ``kind << 8 | length << 4 | rank``. `rank` is the highest rank
of the body. `length` counts the ranks of a chain and is 1 for what is no chain; a bomb's length is
its cards less 3, so that of bombs the greater shape is the stronger (R6.3). Shape 0 is a pass, or
nothing to beat.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.core.hands import (
    CHAIN_RANKS,
    JOKERS,
    NONE,
    Cards,
    Mask,
    at_least,
    at_least_1,
    at_least_2,
    at_least_3,
    at_least_4,
    cards_of,
    count_of,
    highest,
    lowest,
    rank_mask,
    ranks_in,
    run,
    run_starts,
    size,
    whole,
)
from ddzsim.core.jit import U, kernel
from ddzsim.rules import Params

Shape: TypeAlias = int
Shapes: TypeAlias = npt.NDArray[np.int64]

PASS, SINGLE, PAIR, TRIO, TRIO_SINGLE, TRIO_PAIR, STRAIGHT, PAIR_CHAIN = range(8)
AIRPLANE, AIRPLANE_SINGLES, AIRPLANE_PAIRS, FOUR_SINGLES, FOUR_PAIRS, BOMB, ROCKET = range(8, 15)
"""Numbers of the kinds (R4), in the order of `cards.KINDS`."""

BIG_JOKER = 14
MAX_READINGS = 8
"""More readings than one set of cards can have."""


@kernel
def shape_of(kind: int, length: int, rank: int) -> Shape:
    """The shape of a reading."""
    return kind << 8 | length << 4 | rank


@kernel
def kind_of(shape: Shape) -> int:
    """The number of a shape's kind."""
    return shape >> 8


@kernel
def length_of(shape: Shape) -> int:
    """How many ranks a shape's body runs over; for a bomb, its cards less 3."""
    return shape >> 4 & 15


@kernel
def rank_of(shape: Shape) -> int:
    """The highest rank of a shape's body."""
    return shape & 15


@kernel
def copies_of(kind: int) -> int:
    """How many cards of each rank the body of a kind has; of a bomb, at least."""
    if kind == SINGLE or kind == STRAIGHT:
        return 1
    if kind == PAIR or kind == PAIR_CHAIN:
        return 2
    return 4 if kind == FOUR_SINGLES or kind == FOUR_PAIRS or kind == BOMB else 3


@kernel
def beats(shape: Shape, over: Shape) -> bool:
    """Whether one reading may be played over another (R6.1, R6.3).

    The rocket beats all, a bomb all but a higher bomb and the rocket; everything else needs the
    same kind and length (and so the same number of cards) and a higher body. Kickers never count.

    >>> beats(shape_of(BOMB, 1, 0), shape_of(STRAIGHT, 5, 7))
    True
    """
    if kind_of(over) == ROCKET:
        return False
    if kind_of(shape) == ROCKET:
        return True
    if kind_of(shape) == BOMB:
        return kind_of(over) != BOMB or shape > over
    return shape >> 4 == over >> 4 and shape > over


@kernel
def neighbours(low: int, length: int) -> Mask:
    """The ranks next to a chain, below and above, that could stand in a chain themselves."""
    beside = rank_mask(low + length) & CHAIN_RANKS
    if low > 0:
        beside |= rank_mask(low - 1)
    return beside


@kernel
def kicker_pool(hand: Cards, low: int, length: int, limit: int, rules: Params) -> Cards:
    """The cards of a hand that may ride as singles on the body from `low` up (R5).

    Never a rank of the body (R5.1), at most `limit` of a rank (R5.3), and where the rules say so no
    trio next to the chain (R5.8). That both jokers may not ride together (R5.6) is for the caller
    to see to.
    """
    pool = hand & ~whole(run(low, length))
    if limit < 4:
        capped = at_least_1(pool)
        if limit >= 2:
            capped += at_least_2(pool)
        if limit >= 3:
            capped += at_least_3(pool)
        pool = capped
    if rules["adjacent_trio_kickers"] == 0 and length > 1:
        beside = neighbours(low, length) & at_least_3(pool)
        pool = (pool & ~whole(beside)) | beside << U(1)
    return pool


@kernel
def pair_ranks(hand: Cards, rules: Params) -> Mask:
    """The ranks of which a hand holds a pair; jokers only by R6.3."""
    pairs = at_least_2(hand)
    return pairs if rules["joker_pairs"] else pairs & ~JOKERS


@kernel
def single_limit(kind: int, rules: Params) -> int:
    """The most single kickers of one rank that a kind may carry (R5.3)."""
    return rules["four_equal_kickers"] if kind == FOUR_SINGLES else rules["airplane_equal_kickers"]


@kernel
def _singles_may_ride(kickers: Cards, low: int, shape: Shape, rules: Params) -> bool:
    """Whether a shape's body may carry exactly these cards as singles (R5)."""
    limit = single_limit(kind_of(shape), rules)
    if kicker_pool(kickers, low, rank_of(shape) - low + 1, limit, rules) != kickers:
        return False
    return rules["both_jokers_kickers"] == 1 or kickers & JOKERS != JOKERS


@kernel
def _pairs_may_ride(kickers: Cards, rules: Params) -> bool:
    """Whether these cards are pairs of different ranks (R5.5); their ranks are not the body's.

    Nor are there pairs of both jokers among them (R5.6).
    """
    pairs = pair_ranks(kickers, rules)
    if rules["both_jokers_kickers"] == 0 and pairs & JOKERS == JOKERS:
        return False
    return pairs << U(1) == kickers


@kernel
def _body_reading(cards: Cards, rules: Params) -> Shape:
    """The reading of cards that carry no kickers, or 0."""
    first, last = lowest(at_least_1(cards)), highest(at_least_1(cards))
    count = size(cards)
    if first == last:
        joker = first > 12
        if count == 1:
            return shape_of(SINGLE, 1, first)
        if count == 2 and (rules["joker_pairs"] == 1 or not joker):
            return shape_of(PAIR, 1, first)
        if joker:
            return 0
        return shape_of(TRIO, 1, first) if count == 3 else shape_of(BOMB, count - 3, first)
    if cards == JOKERS * U(rules["decks"]):
        return shape_of(ROCKET, 1, BIG_JOKER)
    length = last - first + 1
    chain = run(first, length)
    if chain & ~CHAIN_RANKS:
        return 0
    if cards == chain and length >= rules["straight_min"]:
        return shape_of(STRAIGHT, length, last)
    if cards == chain * U(2) and length >= rules["pair_chain_min"]:
        return shape_of(PAIR_CHAIN, length, last)
    if cards == chain * U(3) and length >= rules["airplane_min"]:
        return shape_of(AIRPLANE, length, last)
    return 0


@kernel
def _four_reading(cards: Cards, rules: Params) -> Shape:
    """The reading of cards as a four with two singles or two pairs, or 0 (R4, R5)."""
    fours = at_least_4(cards)
    if rules["four_with_two"] == 0 or ranks_in(fours) != 1:
        return 0
    rank = lowest(fours)
    kickers = cards - cards_of(rank, 4)
    if count_of(kickers, rank):
        return 0
    count = size(kickers)
    shape = shape_of(FOUR_SINGLES, 1, rank)
    if count == 2 and _singles_may_ride(kickers, rank, shape, rules):
        return shape
    if count == 4 and _pairs_may_ride(kickers, rules):
        return shape_of(FOUR_PAIRS, 1, rank)
    return 0


@kernel
def _trio_kind(length: int, extra: int) -> int:
    """The kind of `length` trios in a row with `extra` cards more, or 0."""
    if extra == length:
        return TRIO_SINGLE if length == 1 else AIRPLANE_SINGLES
    if extra == 2 * length:
        return TRIO_PAIR if length == 1 else AIRPLANE_PAIRS
    return 0


@kernel
def _trio_reading(cards: Cards, low: int, length: int, rules: Params) -> Shape:
    """The reading of cards as the trios from `low` up with kickers, or 0 (R4, R5)."""
    kickers = cards - run(low, length) * U(3)
    kind = _trio_kind(length, size(kickers))
    if kind == 0 or at_least_1(kickers) & run(low, length):
        return 0
    shape = shape_of(kind, length, low + length - 1)
    if kind == TRIO_SINGLE or kind == AIRPLANE_SINGLES:
        allowed = rules["single_kickers"] == 1 and _singles_may_ride(kickers, low, shape, rules)
    else:
        allowed = _pairs_may_ride(kickers, rules)
    return shape if allowed else 0


@kernel
def readings(cards: Cards, rules: Params, out: Shapes) -> int:
    """Write every reading of a set of cards to `out`, and give their number (R4 to R6.2).

    The reading that bare cards lead as stands first (R6.2): the longest airplane, then the highest
    body.
    """
    n = 0
    if cards == NONE:
        return n
    shape = _body_reading(cards, rules)
    if shape:
        out[n] = shape
        n += 1
    shape = _four_reading(cards, rules)
    if shape:
        out[n] = shape
        n += 1
    trios = at_least(cards, 3)
    total = size(cards)
    # A trio with kickers has 4 or 5 cards for each of its ranks.
    for length in range(total // 4, 0, -1):
        if 5 * length < total:
            break
        if length > 1 and length < rules["airplane_min"]:
            break
        starts = run_starts(trios & CHAIN_RANKS, length) if length > 1 else trios
        while starts:
            low = highest(starts)
            starts &= ~rank_mask(low)
            shape = _trio_reading(cards, low, length, rules)
            if shape:
                out[n] = shape
                n += 1
    return n


@kernel
def reading_that_beats(cards: Cards, over: Shape, rules: Params, out: Shapes) -> Shape:
    """The highest reading of a set of cards that beats `over`, or 0 (R6.2).

    With nothing to beat (`over` 0) it is the reading that bare cards lead as. `out` is scratch.
    """
    n = readings(cards, rules, out)
    if over == PASS:
        return out[0] if n else PASS
    best = PASS
    for i in range(n):
        if beats(out[i], over) and out[i] > best:
            best = out[i]
    return best
