"""`hard`: what `normal` does, with the cards that are out in mind.

- It keeps track of the cards it has not seen, and so knows which of its plays cannot be beaten.
- It closes out: when all its plays but the last are unbeatable, it leads the unbeatable ones first
  (into the landlord's last card no single, however high, while it holds anything else).
- It bombs when it can then finish in two plays (and the bomb cannot be beaten) or in one.
- When its teammate is down to one card it leads its lowest single, unless the landlord is, too.
- It weighs plays by where it sits: the landlord, the peasant before it or the one after it.
"""

from __future__ import annotations

from ddzsim.bots.base import Bot, Choice
from ddzsim.bots.tactics import (
    closes,
    fewest_left,
    going_out,
    is_landlord,
    is_one_play,
    may_be_beaten,
    most_left,
    over_teammate,
    teammate_stands,
    teammates_fewest_left,
)
from ddzsim.bots.weighing import best_pair, best_play, by_decks, style_of, worths_of
from ddzsim.core.combos import BOMB, PASS, SINGLE, kind_of, shape_of
from ddzsim.core.fewest import fewest_plays
from ddzsim.core.hands import at_least_1, cards_of, lowest, size
from ddzsim.core.jit import U, kernel
from ddzsim.core.moves import candidates
from ddzsim.core.play import View, Work

WORTHS_OF_ONE_DECK = worths_of(
    2,
    play=100,
    par=29,
    pair=10,
    trio=-41,
    chain=-16,
    airplane=-38,
    chain_rank=-9,
    bomb=203,
    rocket=200,
    kicker_top=12,
)
STYLE_OF_ONE_DECK = style_of(
    slack=(149, 165, 165),
    bomb_gain=(-100, -66, -66),
    bomb_urgency=(-53, 35, 0),
    lead_rank=(5, -5, 10),
    follow_rank=(19, 5, 9),
    urgency=(0, 54, 85),
    lead_risk=141,
    feed=121,
)
"""Found by many small steps, each kept when it won more against `normal` on fresh deals."""

WORTHS_OF_TWO_DECKS = worths_of(
    4,
    play=70,
    par=68,
    pair=-4,
    trio=-27,
    chain=-26,
    airplane=-28,
    chain_rank=-7,
    bomb=225,
    rocket=330,
    decks=2,
    bomb_card=30,
)
STYLE_OF_TWO_DECKS = style_of(
    slack=(201, 218, 218),
    bomb_gain=(-31, -3, 1),
    bomb_urgency=84,
    lead_rank=(2, 0, -3),
    follow_rank=(20, 18, 17),
    urgency=(235, 271, 207),
    lead_risk=291,
    follow_risk=-19,
    feed=-7,
)
"""Found in the same way, from the numbers of `normal` on."""

WORTHS = by_decks(WORTHS_OF_ONE_DECK, WORTHS_OF_TWO_DECKS)
STYLE = by_decks(STYLE_OF_ONE_DECK, STYLE_OF_TWO_DECKS)

CLOSING_PLAYS = 3
"""Unbeatable plays looked ahead before the last one; more gain nothing that can be measured."""
CLOSING_CARDS = 14
"""Hands larger than this are not searched for a way to close out."""


@kernel
def closing_play(view: View, work: Work, count: int, last_card: bool) -> int:
    """The position of an unbeatable play among `count` after which the hand closes out, or -1.

    Into the landlord's `last_card` it is no single, however high (R10.3).
    """
    if size(view.hand) > CLOSING_CARDS:
        return -1
    limit = most_left(view)
    for at in range(count):
        cards, shape = work.plays["cards"][at], work.plays["shapes"][at]
        if last_card and kind_of(shape) == SINGLE:
            continue
        if not may_be_beaten(cards, shape, view.unseen, limit, view.rules) and closes(
            view.hand - cards, view, work, count, CLOSING_PLAYS - 1
        ):
            return at
    return -1


@kernel
def finishing_bomb(view: View, work: Work, count: int) -> int:
    """The position of a bomb after which one play is left, or two if it stands; or -1."""
    limit = most_left(view)
    for at in range(count):
        cards, shape = work.plays["cards"][at], work.plays["shapes"][at]
        if kind_of(shape) < BOMB:
            continue
        rest = view.hand - cards
        if is_one_play(rest, view, work):
            return at
        stands = not may_be_beaten(cards, shape, view.unseen, limit, view.rules)
        if stands and fewest_plays(rest, view.rules) <= 2:
            return at
    return -1


def choose(view: View, work: Work) -> Choice:
    """Close out, bomb to finish, feed the teammate, or play what leaves the best hand."""
    if teammate_stands(view):
        return over_teammate(view, work)
    at = view.rules["decks"] - 1
    count = candidates(view.hand, view.over, view.rules, work.plays, 0)
    pick = going_out(view, count, work)
    last_card = view.over == PASS and not is_landlord(view) and fewest_left(view) == 1
    if pick < 0:
        pick = closing_play(view, work, count, last_card)
    if pick < 0 and last_card:
        pick = best_pair(view, work, count, WORTHS[at])
    if pick < 0 and view.over != PASS:
        pick = finishing_bomb(view, work, count)
    feeds = view.over == PASS and not last_card and teammates_fewest_left(view) == 1
    if pick < 0 and feeds:
        low = lowest(at_least_1(view.hand))
        return cards_of(low, 1), shape_of(SINGLE, 1, low)
    if pick < 0:
        pick = best_play(view, work, count, WORTHS[at], STYLE[at])
    if pick < 0:
        return U(0), PASS
    return work.plays["cards"][pick], work.plays["shapes"][pick]


HARD = Bot(name="hard", version=1, choose=choose)
