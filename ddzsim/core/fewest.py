"""The exact fewest plays that empty a hand (R11.1).

Every way to empty a hand is a set of chains, and a way to play what is left. The search tries each
set of chains once: straights, then pair chains, then airplanes, a chain never starting below the
last one of its kind. Of what is left without chains, each rank costs one play however many cards it
has (both jokers together one), unless it is wholly carried away as kickers; a rank of three carries
one kicker, a four two, an airplane as many as it has ranks or none. With neither fours nor
airplanes that has a closed form; the others are searched by rank, with a bound that cuts off nearly
everything. Two decks, with more than four of a rank but no single kickers, have a closed form of
their own.
"""

from __future__ import annotations

from ddzsim.core.combos import kicker_pool, pair_ranks
from ddzsim.core.hands import (
    CHAIN_RANKS,
    EACH_RANK,
    JOKERS,
    NONE,
    Cards,
    at_least,
    at_least_1,
    at_least_2,
    at_least_3,
    at_least_4,
    cards_of,
    count_of,
    lowest,
    rank_mask,
    ranks_above,
    ranks_in,
    run,
    run_starts,
    whole,
    without_lowest,
)
from ddzsim.core.jit import CARDS, NUMBER, U, kernel, kernel_of, record_type, variable
from ddzsim.core.rating import holds_rocket
from ddzsim.rules import PARAMS, Params

RULES = record_type(PARAMS)
CHAIN_TOP = 12
"""One above the highest rank of a chain, the ace."""
AIRPLANES = 3
SMALL_JOKER = 13
PLANE_BITS = 8
"""Bits for one airplane in a packed list: its lowest rank and its length, four bits each."""


@kernel
def _closed_form(hand: Cards, rules: Params) -> int:
    """The fewest plays of cards that go into no chain and in which no four carries kickers.

    A trio carries away one rank of one or two cards. Trios left over pair up: two carry both
    jokers, or a four as two pairs; three trios carry one of themselves. Only then is a rank split,
    so nothing else is gained.
    """
    if rules["decks"] == 2:
        return _closed_form_of_two_decks(hand, rules)
    one, three, four = at_least_1(hand), at_least_3(hand), at_least_4(hand)
    rocket = 1 if hand & JOKERS == JOKERS else 0
    trios = ranks_in(three & ~four)
    plays = ranks_in(one) - rocket
    if rules["single_kickers"] == 0:
        pairs = ranks_in(pair_ranks(hand, rules) & ~three)
        free = trios - min(trios, pairs)
        return plays - min(trios, pairs) - min(free // 2, ranks_in(four))
    small = plays - rocket - ranks_in(three)
    carried = min(trios, small)
    free = trios - carried
    by_two = min(free // 2, rocket + ranks_in(four))
    return plays - carried - by_two - (free - 2 * by_two) // 3


@kernel
def _closed_form_of_two_decks(hand: Cards, rules: Params) -> int:
    """The fewest plays of cards of two decks that go into no chain (R5.7, R6.3).

    A trio carries away a pair. Of the trios left over two carry a four, three a six, four an eight,
    as pairs. When pairs are left over, a six becomes two trios that carry two of them. Nothing else
    is gained by splitting a rank: one more slot for a pair costs a play, and so does one card more.
    """
    one, two, three, four = at_least_1(hand), at_least_2(hand), at_least_3(hand), at_least_4(hand)
    more = hand & whole(four)
    six, eight = more >> U(1) & more >> U(2) & ~more & EACH_RANK, more >> U(3) & EACH_RANK
    fours = ranks_in(more >> U(2) & ~(more >> U(1) | more) & EACH_RANK)
    pairs = two & ~three
    plays = ranks_in(one)
    if holds_rocket(hand, rules):
        plays -= 1
        pairs &= ~JOKERS
        fours += rules["joker_pairs"]
    elif rules["joker_pairs"] == 0:
        plays += ranks_in(pairs & JOKERS)
        pairs &= ~JOKERS
    carriers, riders = ranks_in(three & ~four), ranks_in(pairs)
    plays -= min(carriers, riders)
    if riders > carriers:
        return plays - min(ranks_in(six), (riders - carriers) // 2)
    free = carriers - riders
    for pieces in range(2, 5):
        ranks = fours if pieces == 2 else ranks_in(six if pieces == 3 else eight)
        carried = min(free // pieces, ranks)
        plays -= carried
        free -= carried * pieces
    return plays


@kernel_of(NUMBER(CARDS, NUMBER, NUMBER, CARDS, NUMBER, NUMBER, NUMBER, RULES))
def _without_chains(
    hand: Cards,
    planes: int,
    fours_from: int,
    pool: Cards,
    riders: int,
    unit: int,
    best: int,
    rules: Params,
) -> int:
    """The fewest plays for cards that go into no further chain, if fewer than `best`, else `best`.

    The bodies of the airplanes in `planes` are counted elsewhere; here they choose their kickers,
    then the fours of rank `fours_from` and above do. While `riders` is not 0, that many kickers of
    `unit` cards are still to be taken from `pool` for the body in hand.
    """
    none, single, pair = variable(0), variable(1), variable(2)
    if riders > 0:
        ranks = at_least(pool, unit)
        while ranks:
            rank = lowest(ranks)
            ranks = without_lowest(ranks)
            rest = pool & whole(ranks_above(rank))
            if rank == SMALL_JOKER and rules["both_jokers_kickers"] == 0:
                rest = NONE
            most = min(count_of(pool, rank), riders) if unit == 1 else 1
            for kickers in range(1, most + 1):
                taken = cards_of(rank, unit * kickers)
                best = _without_chains(
                    hand - taken, planes, fours_from, rest, riders - kickers, unit, best, rules
                )
        return best
    fours = at_least_4(hand)
    if rules["four_with_two"]:
        fours &= EACH_RANK & ~(rank_mask(fours_from) - U(1))
    else:
        fours = NONE
    slots = ranks_in(at_least_3(hand)) + ranks_in(fours)
    more = planes
    while more:
        slots += more & 15
        more >>= PLANE_BITS
    rocket = 1 if holds_rocket(hand, rules) else 0
    if ranks_in(at_least_1(hand)) - rocket - slots >= best:
        return best
    if planes:
        length, low = planes & 15, planes >> 4 & 15
        planes >>= PLANE_BITS
        if rules["single_kickers"]:
            limit = rules["airplane_equal_kickers"]
            pool = kicker_pool(hand, low, length, limit, rules)
            best = _without_chains(hand, planes, none, pool, length, single, best, rules)
        pool = hand & whole(pair_ranks(hand, rules) & ~run(low, length))
        best = _without_chains(hand, planes, none, pool, length, pair, best, rules)
        return _without_chains(hand, planes, none, NONE, none, single, best, rules)
    if fours:
        rank = lowest(fours)
        rest = hand - cards_of(rank, 4)
        pool = kicker_pool(rest, rank, 1, rules["four_equal_kickers"], rules)
        best = 1 + _without_chains(rest, none, rank + 1, pool, pair, single, best - 1, rules)
        pool = rest & whole(pair_ranks(rest, rules))
        best = 1 + _without_chains(rest, none, rank + 1, pool, pair, pair, best - 1, rules)
        return _without_chains(hand, none, rank + 1, NONE, none, single, best, rules)
    return min(best, _closed_form(hand, rules))


@kernel_of(NUMBER(CARDS, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, RULES))
def _with_chains(
    hand: Cards, kind: int, start: int, plays: int, planes: int, best: int, rules: Params
) -> int:
    """The fewest plays for cards whose further chains are of `kind` from `start` on, or later.

    `plays` chains have been taken out, the airplanes in `planes` among them; gives `best` if that
    is fewer.
    """
    if planes or (rules["four_with_two"] and at_least_4(hand)):
        best = plays + _without_chains(hand, planes, 0, NONE, 0, 1, best - plays, rules)
    else:
        best = min(best, plays + _closed_form(hand, rules))
    for copies in range(kind, AIRPLANES + 1):
        if copies == 1:
            shortest = rules["straight_min"]
        else:
            shortest = rules["pair_chain_min"] if copies == 2 else rules["airplane_min"]
        ranks = at_least(hand, copies) & CHAIN_RANKS
        if copies == kind:
            ranks &= EACH_RANK << U(4 * start)
        starts = run_starts(ranks, shortest)
        while starts and plays + 1 < best:
            low = lowest(starts)
            starts = without_lowest(starts)
            length = shortest
            while low + length <= CHAIN_TOP and run(low, length) & ~ranks == NONE:
                rest = hand - run(low, length) * U(copies)
                more = planes << PLANE_BITS | low << 4 | length if copies == AIRPLANES else planes
                best = _with_chains(rest, copies, low, plays + 1, more, best, rules)
                length += 1
    return best


@kernel
def fewest_plays(hand: Cards, rules: Params) -> int:
    """The fewest plays that empty a hand, all kicker clauses kept (R11.1); 0 for no cards."""
    if hand == NONE:
        return 0
    return _with_chains(hand, 1, 0, 0, 0, ranks_in(at_least_1(hand)) + 1, rules)
