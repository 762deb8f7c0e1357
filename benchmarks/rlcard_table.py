"""RLCard's own game, our bots and its rule agent at the table, our round kept in step with it.

Every action of either side is played into both, so that each checks the other's legality.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from rlcard.games.doudizhu import Game
from rlcard.models.doudizhu_rule_models import DouDizhuRuleAgentV1

from ddzsim.bots.base import Bot, compiled
from ddzsim.cards import Hand
from ddzsim.core.dealing import seat_stream_key
from ddzsim.core.play import STREAM, Work, new_work
from ddzsim.deals import Deal
from ddzsim.game import Round
from ddzsim.rules import RLCARD

LANDLORD = 0
"""RLCard's landlord is always seat 0."""
RULE_AGENT = DouDizhuRuleAgentV1()
TO_OURS = str.maketrans("BR", "XD")
TO_THEIRS = str.maketrans("XD", "BR")


class Arranged:
    """Stands in for the generator that RLCard shuffles with, and lays the deck out as one deal."""

    def __init__(self, deal: Deal) -> None:
        cards = "".join(map(str, (*deal.hands, deal.kitty)))
        self.order = cards.translate(TO_THEIRS)

    def shuffle(self, deck: list[Any]) -> None:
        """Put RLCard's cards in the order of the deal: three hands, then the kitty."""
        stock = defaultdict(list)
        for card in deck:
            # A joker has no rank; its suit is BJ or RJ.
            stock[card.rank or card.suit[0]].append(card)
        deck[:] = [stock[name].pop() for name in self.order]


class Streams:
    """The random choices of our bots in one round, a stream for each seat, as in a run (R2.2)."""

    def __init__(self, deal: Deal, work: Work) -> None:
        self.of_seat = []
        for seat in range(3):
            record = np.zeros(1, STREAM)[0]
            record["word"][0] = seat_stream_key(np.uint64(deal.key), seat)
            self.of_seat.append(work._replace(stream=record))


def play_round(deal: Deal, bots: Sequence[Bot | None], work: Work, seed: int) -> Round:
    """Play a deal under RLCard's rules; a seat without a bot is RLCard's rule agent.

    Raises:
        AssertionError: RLCard does not allow one of our plays, or ends the round otherwise.
        DdzsimError: our rules do not allow one of RLCard's.
    """
    np.random.seed(seed)  # noqa: NPY002 (RLCard's agent chooses with numpy's global generator)
    theirs = Game()
    theirs.np_random = Arranged(deal)
    ours = Round(deal, RLCARD, landlord=LANDLORD)
    seats = Streams(deal, work).of_seat
    state, seat = theirs.init_game()
    while not theirs.is_over():
        bot = bots[seat]
        if bot is None:
            action = RULE_AGENT.step({"raw_obs": state})
        else:
            cards, _ = compiled(bot)(ours.view(), seats[seat])
            action = str(Hand(int(cards))).translate(TO_THEIRS) or "pass"
        assert action in state["actions"], f"RLCard does not allow {action}: {state}"
        ours.play(None if action == "pass" else action.translate(TO_OURS))
        state, seat = theirs.step(action)
    assert ours.winner == theirs.winner_id, (ours.winner, theirs.winner_id)
    return ours


def landlord_points(deal: Deal, bots: Sequence[Bot | None], work: Work, seed: int) -> int:
    """What the landlord wins on a deal: 2 a unit, doubled by every bomb and rocket."""
    return play_round(deal, bots, work, seed).scores[LANDLORD]


__all__ = ["LANDLORD", "landlord_points", "new_work", "play_round"]
