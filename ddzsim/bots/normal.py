"""`normal`: plays its hand well and its teammate fairly, without keeping track of the cards.

- It splits its hand into the plays that are worth most, and plays what leaves the best hand behind;
  it breaks up a good split only when it must, and passes rather than give up too much. Kickers are
  the cheapest ones.
- It never beats its teammate, save to go out.
- When the landlord is down to one card it leads pairs, or else anything but a single; with singles
  only, the highest. The landlord leads no single but the highest against a peasant with one card.
"""

from __future__ import annotations

from ddzsim.bots.base import Bot, Choice
from ddzsim.bots.tactics import (
    fewest_left,
    going_out,
    is_landlord,
    over_teammate,
    teammate_stands,
)
from ddzsim.bots.weighing import best_pair, best_play, by_decks, style_of, worths_of
from ddzsim.core.combos import PASS
from ddzsim.core.jit import U
from ddzsim.core.moves import candidates
from ddzsim.core.play import View, Work

WORTHS_OF_ONE_DECK = worths_of(
    1, play=70, par=65, pair=10, trio=10, airplane=10, chain_rank=-5, bomb=100, rocket=200
)
STYLE_OF_ONE_DECK = style_of(slack=220, bomb_gain=-50, lead_rank=10, follow_rank=10)

WORTHS_OF_TWO_DECKS = worths_of(
    3,
    play=70,
    par=65,
    pair=10,
    trio=10,
    airplane=10,
    chain_rank=-5,
    bomb=100,
    rocket=200,
    decks=2,
    bomb_card=20,
)
STYLE_OF_TWO_DECKS = STYLE_OF_ONE_DECK

WORTHS = by_decks(WORTHS_OF_ONE_DECK, WORTHS_OF_TWO_DECKS)
STYLE = by_decks(STYLE_OF_ONE_DECK, STYLE_OF_TWO_DECKS)


def choose(view: View, work: Work) -> Choice:
    """Play what leaves the best hand; never over a teammate; pairs against a single card."""
    if teammate_stands(view):
        return over_teammate(view, work)
    at = view.rules["decks"] - 1
    count = candidates(view.hand, view.over, view.rules, work.plays, 0)
    pick = going_out(view, count, work)
    if pick < 0 and view.over == PASS and not is_landlord(view) and fewest_left(view) == 1:
        pick = best_pair(view, work, count, WORTHS[at])
    if pick < 0:
        pick = best_play(view, work, count, WORTHS[at], STYLE[at])
    if pick < 0:
        return U(0), PASS
    return work.plays["cards"][pick], work.plays["shapes"][pick]


NORMAL = Bot(name="normal", version=1, choose=choose)
