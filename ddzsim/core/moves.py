"""Legal plays: every play of a hand as a lead or over another play (R4 to R6), or the best few.

Plays come in hint order: by kind as in `cards.KINDS`, then length, rank of the body, kickers from
low to high; bombs and the rocket last. A follower's set of cards stands once, in the highest
reading that beats (R6.2); a leader's stands once for each of its readings. The pass is not listed.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ddzsim.core.combos import (
    AIRPLANE,
    AIRPLANE_PAIRS,
    AIRPLANE_SINGLES,
    BIG_JOKER,
    BOMB,
    FOUR_PAIRS,
    FOUR_SINGLES,
    PAIR,
    PAIR_CHAIN,
    ROCKET,
    SINGLE,
    STRAIGHT,
    TRIO,
    TRIO_PAIR,
    TRIO_SINGLE,
    Shape,
    copies_of,
    kicker_pool,
    kind_of,
    length_of,
    pair_ranks,
    rank_of,
    shape_of,
    single_limit,
)
from ddzsim.core.hands import (
    CHAIN_RANKS,
    EACH_RANK,
    JOKERS,
    Cards,
    Mask,
    at_least,
    at_least_1,
    at_least_2,
    at_least_3,
    at_least_4,
    cards_of,
    count_of,
    lowest,
    rank_mask,
    ranks_in,
    run,
    run_starts,
    without_lowest,
)
from ddzsim.core.jit import CARDS, NUMBER, TRUTH, U, kernel, kernel_of, record_type
from ddzsim.core.kickers import cheapest_pairs, cheapest_singles
from ddzsim.rules import Params

CAPACITY = 1 << 15
"""Room for every play of a whole deck: 30,383 under the widest of the rule sets. (Two decks, which
have no single kickers, have fewer: 7,951.)"""

NO_LIMIT = 64
"""More cards than a hand can hold."""

SMALL_JOKER = 13
TWO = 12
NO_RANK = 15
"""A nibble that no hand uses, so that its count is always 0."""


PLAYS = np.dtype([("cards", np.uint64, (CAPACITY,)), ("shapes", np.int64, (CAPACITY,))])
"""Room for a list of plays: their cards and their shapes, side by side.

A record, not arrays: kernels hand it on as one pointer, without counting references.
"""

Plays: TypeAlias = np.void


def new_plays() -> Plays:
    """Room for every play of any hand."""
    return np.zeros(1, PLAYS)[0]


@kernel
def _put(out: Plays, n: int, cards: Cards, shape: Shape) -> int:
    """Write a play as number `n`, and give the number of plays."""
    out["cards"][n] = cards
    out["shapes"][n] = shape
    return n + 1


@kernel_of(NUMBER(record_type(PLAYS), NUMBER, CARDS, NUMBER, CARDS, NUMBER, TRUTH, NUMBER))
def _with_singles(
    out: Plays,
    n: int,
    cards: Cards,
    shape: Shape,
    pool: Cards,
    left: int,
    lone_joker: bool,
    read_higher: int,
) -> int:
    """Add every play of a body and `left` single kickers out of a pool.

    `lone_joker`: the two jokers may not ride together (R5.6). `read_higher`: with exactly three
    kickers of this rank the cards are also a higher airplane, which is listed instead; `NO_RANK` to
    list both.
    """
    ranks = at_least_1(pool)
    while ranks:
        rank = lowest(ranks)
        ranks = without_lowest(ranks)
        held = min(count_of(pool, rank), left)
        rest = pool & ~((U(2) << U(4 * rank + 3)) - U(1))
        if lone_joker and rank == SMALL_JOKER:
            rest &= ~JOKERS
        for copies in range(1, held + 1):
            ridden = cards + cards_of(rank, copies)
            if copies < left:
                n = _with_singles(
                    out, n, ridden, shape, rest, left - copies, lone_joker, read_higher
                )
            elif count_of(ridden, read_higher) != 3:
                n = _put(out, n, ridden, shape)
    return n


@kernel_of(NUMBER(record_type(PLAYS), NUMBER, CARDS, NUMBER, CARDS, NUMBER, TRUTH))
def _with_pairs(
    out: Plays, n: int, cards: Cards, shape: Shape, ranks: Mask, left: int, lone_joker: bool
) -> int:
    """Add every play of a body and `left` pairs of different ranks (R5.5).

    `lone_joker`: pairs of the two jokers may not ride together (R5.6).
    """
    while ranks_in(ranks) >= left:
        rank = lowest(ranks)
        pair = cards_of(rank, 2)
        ranks = without_lowest(ranks)
        if left > 1:
            rest = ranks & ~JOKERS if lone_joker and rank == SMALL_JOKER else ranks
            n = _with_pairs(out, n, cards + pair, shape, rest, left - 1, lone_joker)
        else:
            n = _put(out, n, cards + pair, shape)
    return n


@kernel
def _ranks_of(out: Plays, n: int, ranks: Mask, kind: int, count: int) -> int:
    """Add `count` of each rank of a mask: singles, pairs, trios, bombs."""
    length = count - 3 if kind == BOMB else 1
    while ranks:
        rank = lowest(ranks)
        ranks = without_lowest(ranks)
        n = _put(out, n, cards_of(rank, count), shape_of(kind, length, rank))
    return n


@kernel
def _bodies(hand: Cards, copies: int, length: int, floor: int) -> Mask:
    """The lowest ranks of bodies of `copies` cards in `length` ranks that top out above `floor`."""
    ranks = at_least(hand, copies)
    if length > 1:
        ranks = run_starts(ranks & CHAIN_RANKS, length)
    elif copies == 3:
        ranks &= ~JOKERS
    least = floor - length + 2
    return ranks & EACH_RANK << U(4 * least) if least > 0 else ranks


@kernel
def _chains(out: Plays, n: int, hand: Cards, kind: int, length: int, floor: int) -> int:
    """Add the bare chains of one kind and length."""
    copies = copies_of(kind)
    starts = _bodies(hand, copies, length, floor)
    while starts:
        low = lowest(starts)
        starts = without_lowest(starts)
        n = _put(out, n, run(low, length) * U(copies), shape_of(kind, length, low + length - 1))
    return n


@kernel
def _carriers(
    out: Plays, n: int, hand: Cards, kind: int, length: int, floor: int, rules: Params, every: bool
) -> int:
    """Add the trios, airplanes or fours of one kind and length with their kickers (R5).

    With `every` each choice of kickers stands, otherwise only the cheapest one of each body.
    """
    four = kind == FOUR_SINGLES or kind == FOUR_PAIRS
    copies = 4 if four else 3
    riders = 2 if four else length
    lone_joker = rules["both_jokers_kickers"] == 0
    starts = _bodies(hand, copies, length, floor)
    while starts:
        low = lowest(starts)
        starts = without_lowest(starts)
        top = low + length - 1
        body = run(low, length) * U(copies)
        shape = shape_of(kind, length, top)
        kickers = U(0)
        if kind == TRIO_PAIR or kind == AIRPLANE_PAIRS or kind == FOUR_PAIRS:
            ranks = pair_ranks(hand, rules) & ~run(low, length)
            if every:
                n = _with_pairs(out, n, body, shape, ranks, riders, lone_joker)
            else:
                if lone_joker and ranks & JOKERS == JOKERS:
                    ranks &= ~rank_mask(BIG_JOKER)
                kickers = cheapest_pairs(hand - body, ranks, riders)
        else:
            pool = kicker_pool(hand, low, length, single_limit(kind, rules), rules)
            if every:
                following = floor >= 0 and length > 1 and top + 1 < TWO
                read_higher = top + 1 if following else NO_RANK
                n = _with_singles(out, n, body, shape, pool, riders, lone_joker, read_higher)
            else:
                kickers = cheapest_singles(hand - body, pool, riders, lone_joker)
        if kickers:
            n = _put(out, n, body + kickers, shape)
    return n


@kernel
def _of_kind(
    out: Plays, n: int, hand: Cards, kind: int, length: int, floor: int, rules: Params, every: bool
) -> int:
    """Add the plays of a kind and length, not bombs, whose rank is above `floor`; -1 for all."""
    if kind == SINGLE:
        return _ranks_of(out, n, _bodies(hand, 1, 1, floor), kind, 1)
    if kind == PAIR:
        return _ranks_of(out, n, _bodies(hand, 2, 1, floor) & pair_ranks(hand, rules), kind, 2)
    if kind == TRIO:
        return _ranks_of(out, n, _bodies(hand, 3, 1, floor), kind, 3)
    if kind == STRAIGHT or kind == PAIR_CHAIN or kind == AIRPLANE:
        return _chains(out, n, hand, kind, length, floor)
    return _carriers(out, n, hand, kind, length, floor, rules, every)


@kernel
def _bombs(out: Plays, n: int, hand: Cards, over: Shape, rules: Params) -> int:
    """Add the bombs that beat `over`, from the weakest up, and the rocket (R6.1, R6.3)."""
    count, ranks = 4, at_least_4(hand)
    while ranks:
        larger = U(0)
        while ranks:
            rank = lowest(ranks)
            ranks = without_lowest(ranks)
            if count_of(hand, rank) > count:
                larger |= rank_mask(rank)
            shape = shape_of(BOMB, count - 3, rank)
            if kind_of(over) != BOMB or shape > over:
                n = _put(out, n, cards_of(rank, count), shape)
        count, ranks = count + 1, larger
    rocket = JOKERS * U(rules["decks"])
    if hand & rocket == rocket:
        n = _put(out, n, rocket, shape_of(ROCKET, 1, BIG_JOKER))
    return n


@kernel
def _shortest(kind: int, rules: Params) -> int:
    """The fewest ranks in a body of this kind (R4.1)."""
    if kind == STRAIGHT:
        return rules["straight_min"]
    if kind == PAIR_CHAIN:
        return rules["pair_chain_min"]
    if kind == AIRPLANE or kind == AIRPLANE_SINGLES or kind == AIRPLANE_PAIRS:
        return rules["airplane_min"]
    return 1


@kernel
def _most_of_a_rank(hand: Cards) -> int:
    """The greatest number of cards of one rank, 4 at most."""
    if at_least_4(hand):
        return 4
    if at_least_3(hand):
        return 3
    return 2 if at_least_2(hand) else 1


@kernel
def _cards_a_rank(kind: int) -> int:
    """How many cards a kind has for each rank of its body, kickers included."""
    if kind == STRAIGHT or kind == PAIR_CHAIN or kind == AIRPLANE:
        return kind - STRAIGHT + 1
    return 4 if kind == AIRPLANE_SINGLES else 5


@kernel
def _in_rules(kind: int, rules: Params) -> bool:
    """Whether a kind exists under the rules (R5.7)."""
    if kind == TRIO_SINGLE or kind == AIRPLANE_SINGLES:
        return rules["single_kickers"] == 1
    if kind == FOUR_SINGLES or kind == FOUR_PAIRS:
        return rules["four_with_two"] == 1
    return True


@kernel
def _leads(out: Plays, n: int, hand: Cards, max_cards: int, rules: Params, every: bool) -> int:
    """Add the plays a hand may lead with, no chains of more than `max_cards` cards."""
    most = _most_of_a_rank(hand)
    for kind in range(SINGLE, BOMB):
        copies = copies_of(kind)
        if copies > most or not _in_rules(kind, rules):
            continue
        shortest = _shortest(kind, rules)
        if shortest == 1:
            n = _of_kind(out, n, hand, kind, 1, -1, rules, every)
            continue
        for length in range(shortest, min(12, max_cards // _cards_a_rank(kind)) + 1):
            if not _bodies(hand, copies, length, -1):
                break
            n = _of_kind(out, n, hand, kind, length, -1, rules, every)
    return _bombs(out, n, hand, 0, rules)


@kernel
def _follows(out: Plays, n: int, hand: Cards, over: Shape, rules: Params, every: bool) -> int:
    """Add the plays of a hand that beat `over` (R6)."""
    kind = kind_of(over)
    if kind == ROCKET:
        return n
    if kind != BOMB:
        n = _of_kind(out, n, hand, kind, length_of(over), rank_of(over), rules, every)
    return _bombs(out, n, hand, over, rules)


@kernel
def legal_leads(hand: Cards, rules: Params, max_cards: int, out: Plays) -> int:
    """Write every play a hand may lead with, no chains of more than `max_cards`; their number.

    A chain counts with its kickers. Without the limit a whole deck has more plays than `CAPACITY`.
    """
    return _leads(out, 0, hand, max_cards, rules, True)


@kernel
def legal_follows(hand: Cards, over: Shape, rules: Params, out: Plays) -> int:
    """Write every play of a hand that beats `over`, and give their number (R6)."""
    return _follows(out, 0, hand, over, rules, True)


@kernel
def legal_plays(hand: Cards, over: Shape, rules: Params, out: Plays) -> int:
    """Write every play of a hand: all leads when `over` is 0, else all that beat it."""
    if over == 0:
        return legal_leads(hand, rules, NO_LIMIT, out)
    return legal_follows(hand, over, rules, out)


@kernel
def candidates(hand: Cards, over: Shape, rules: Params, out: Plays, start: int) -> int:
    """Write the plays worth weighing from position `start` on, and give the position after them.

    They are the legal plays, but each body only with the cheapest kickers it can carry.
    """
    if over == 0:
        return _leads(out, start, hand, NO_LIMIT, rules, False)
    return _follows(out, start, hand, over, rules, False)
