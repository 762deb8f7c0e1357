"""A round and who plays it: built-in bots, people, and players written in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from ddzsim.bots.advice import rate
from ddzsim.bots.base import compiled
from ddzsim.bots.seats import Seat, parse_seats
from ddzsim.cards import Hand
from ddzsim.combos import Combo
from ddzsim.core import bidding
from ddzsim.core.dealing import seat_stream_key
from ddzsim.core.play import STREAM, new_work
from ddzsim.deals import Deal
from ddzsim.errors import PlayError
from ddzsim.game import Round
from ddzsim.rules import CLASSIC, RuleSet
from ddzsim.view import SeatView, view_of


@runtime_checkable
class Player(Protocol):
    """Whoever is asked what to bid and to play, knowing what one seat sees (R10.1).

    An attribute `name`, if there is one, names the player in stories.
    """

    def bid(self, view: SeatView) -> int:
        """What to call: one of `view.legal_bids`."""

    def play(self, view: SeatView) -> Combo | Hand | str | None:
        """What to play, cards or one of `view.legal_plays()`; None to pass."""


@runtime_checkable
class DoublingPlayer(Player, Protocol):
    """A player who can be asked to double, too, as rules with doubling want (R3.5)."""

    def double(self, view: SeatView) -> bool:
        """Whether to double its leg, or, as the landlord, to redouble all that are doubled."""


Sitter: TypeAlias = str | Seat | Player
"""Who may sit down: the text of a seat such as ``hard:bid=points``, a seat, or a player."""


class Table:
    """A round in play, with someone at each seat.

    >>> table = Table(Deal.random(seed=7), ("random",) * 3)
    >>> while table.round.to_act is not None:
    ...     table.step()
    >>> table.round.phase, sum(table.round.scores)
    ('over', 0)
    """

    def __init__(
        self,
        deal: Deal,
        sitters: Sequence[Sitter],
        rules: RuleSet = CLASSIC,
        *,
        landlord: int | None = None,
    ) -> None:
        players = [Seat.parse(who) if isinstance(who, str) else who for who in sitters]
        if len(players) != rules.players:
            raise PlayError(f"{len(players)} bots for {rules.players} seats")
        for player in players if rules.doubling else ():
            if not isinstance(player, Seat | DoublingPlayer):
                raise PlayError(f"{_name(player)} has no double(view), rules {rules} ask it (R3.5)")
        self.players = tuple(players)
        names = [_name(player) for player in players]
        self.round = Round(deal, rules, landlord=landlord, names=names)
        self._work = new_work()
        self._streams = [np.zeros(1, STREAM)[0] for _ in players]
        for seat, stream in enumerate(self._streams):
            stream["word"][0] = seat_stream_key(np.uint64(deal.key), seat)

    def step(self) -> None:
        """Let the seat to act bid, double or play.

        Raises:
            DdzError: the round is over, or a player's answer is not allowed.
        """
        game = self.round
        if game.phase == "auction":
            game.bid(self._bid())
        elif game.phase == "doubling":
            game.double(self._double())
        else:
            game.play(self._play())

    def view(self, seat: int) -> SeatView:
        """What a seat sees now."""
        return view_of(self.round, seat)

    def _bid(self) -> int:
        """What the seat to act calls; a bot follows its advice if that is allowed, else passes."""
        game, seat = self.round, self._acting()
        player = self.players[seat]
        if not isinstance(player, Seat):
            return player.bid(self.view(seat))
        rating = rate(game.dealt.hands[seat], game.rules)
        advice, stream = player.packed_advice(game.rules.decks), self._streams[seat]["word"]
        packed = np.uint64(rating.hand.packed)
        measured = bidding.measure(packed, rating.big, rating.bombs, rating.plays, advice)
        auction = game.auctions[-1]
        caller = len(auction.calls) % game.rules.players
        bid = bidding.advised(measured, advice, caller, auction.stake_bid)
        wanted = int(bidding.misjudged(bid, advice, stream))
        return wanted if wanted in auction.legal_bids else 0

    def _double(self) -> bool:
        """Whether the seat to act doubles; a bot follows its doubling advice (R3.5)."""
        game, seat = self.round, self._acting()
        player = self.players[seat]
        if isinstance(player, Seat):
            advice, hand = player.doubling, game.hands[seat]
            if seat == game.landlord:
                return advice.redoubles(hand, game.rules)
            return advice.doubles(hand, game.stake_bid, game.rules)
        assert isinstance(player, DoublingPlayer)
        return player.double(self.view(seat))

    def _play(self) -> Combo | Hand | str | None:
        """What the seat to act plays."""
        seat = self._acting()
        player = self.players[seat]
        if not isinstance(player, Seat):
            return player.play(self.view(seat))
        work = self._work._replace(stream=self._streams[seat])
        cards, shape = compiled(player.bot)(self.round.view(), work)
        return Combo.from_shape(int(cards), int(shape)) if shape else None

    def _acting(self) -> int:
        """The seat to act."""
        seat = self.round.to_act
        if seat is None:
            raise PlayError("the round is over")
        return seat


def play(
    deal: Deal,
    bots: Sequence[Sitter] | str = "normal",
    rules: RuleSet = CLASSIC,
    *,
    landlord: int | None = None,
) -> Round:
    """Play a deal between bots as a run would (R2.2); `str()` of the round tells its story.

    `bots` names each seat, or in one text all of them: ``hard``, ``hard,normal,easy``.

    Raises:
        SeatError: a bot that does not exist.
        PlayError: not one bot for each seat, or a player's answer that is not allowed.
    """
    sitters = parse_seats(bots, rules.players) if isinstance(bots, str) else bots
    table = Table(deal, sitters, rules, landlord=landlord)
    while table.round.to_act is not None:
        table.step()
    return table.round


def _name(player: Seat | Player) -> str:
    """What stories call a player."""
    if isinstance(player, Seat):
        return str(player)
    return str(getattr(player, "name", type(player).__name__))
