"""The cheapest kickers: what a body carries away at the least cost to the rest of the hand."""

from __future__ import annotations

from ddzsim.core.hands import (
    CHAIN_RANKS,
    JOKERS,
    NONE,
    Cards,
    Mask,
    at_least_1,
    at_least_2,
    at_least_3,
    cards_of,
    lowest,
    run_starts,
    without_lowest,
)
from ddzsim.core.jit import U, kernel

SHORTEST_STRAIGHT, SHORTEST_PAIR_CHAIN = 5, 3
UP_TO_TEN, UP_TO_KING = U(0x11111111), U(0x11111111111)
"""The ranks from 3 to 10, and to the king."""


@kernel
def chain_members(ranks: Mask, shortest: int) -> Mask:
    """The ranks of a mask that stand in some chain of at least `shortest`."""
    starts = run_starts(ranks & CHAIN_RANKS, shortest)
    members = starts
    for step in range(1, shortest):
        members |= starts << U(4 * step)
    return members


@kernel
def cheapest_singles(rest: Cards, pool: Cards, count: int, lone_joker: bool) -> Cards:
    """The `count` cheapest single kickers out of a pool, or none if it has too few.

    Cheapest are ranks of which `rest` holds one and that stand in no straight, up to the king; then
    one of a low pair; then cards of a straight; then what is left, aces and higher the last. Only
    when all ranks have given one card, they give a second. `lone_joker`: at most one joker (R5.6).
    """
    one, two, three = at_least_1(rest), at_least_2(rest), at_least_3(rest)
    in_straight = chain_members(one, SHORTEST_STRAIGHT)
    held = at_least_1(pool)
    chosen = NONE
    for order in range(5):
        if order == 0:
            ranks = held & ~two & ~in_straight & UP_TO_KING
        elif order == 1:
            ranks = held & two & ~three & ~in_straight & UP_TO_TEN
        elif order == 2:
            ranks = held & ~two & in_straight & UP_TO_KING
        elif order == 3:
            ranks = held & ~at_least_1(chosen)
        else:
            ranks = at_least_2(pool)
        while ranks and count > 0:
            card = cards_of(lowest(ranks), 1)
            ranks = without_lowest(ranks)
            if lone_joker and card & JOKERS and chosen & JOKERS:
                continue
            chosen += card
            count -= 1
    return chosen if count == 0 else NONE


@kernel
def cheapest_pairs(rest: Cards, ranks: Mask, count: int) -> Cards:
    """The `count` cheapest pair kickers of some ranks, or none if there are too few.

    Cheapest are the low ranks of which `rest` holds two and that stand in no pair chain, then those
    in one, then ranks held more often.
    """
    two, three = at_least_2(rest), at_least_3(rest)
    in_chain = chain_members(two, SHORTEST_PAIR_CHAIN)
    chosen = NONE
    for order in range(3):
        if order == 0:
            some = ranks & ~three & ~in_chain
        elif order == 1:
            some = ranks & ~three & in_chain
        else:
            some = ranks & three
        while some and count > 0:
            chosen += cards_of(lowest(some), 2)
            some = without_lowest(some)
            count -= 1
    return chosen if count == 0 else NONE
