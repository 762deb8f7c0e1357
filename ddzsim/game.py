"""One round you can read and step through: auction, plays and result, by the kernels' own rules.

`table.py` seats players who step it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ddzsim.cards import LARGEST_HAND, RANK_SMALL_JOKER, Hand
from ddzsim.combos import Combo, playable
from ddzsim.core import auction as core_auction
from ddzsim.core import doubling as core_doubling
from ddzsim.core import play as core_play
from ddzsim.core import scoring
from ddzsim.core.combos import PASS
from ddzsim.core.dealing import new_deck, redeal
from ddzsim.deals import Deal
from ddzsim.errors import AuctionError, DealError, PlayError, shown
from ddzsim.rules import CLASSIC, RuleSet

PASS_TEXT = "pass"
NOT_IN_PLAY = {"auction": "in its auction", "doubling": "in its doubling", "over": "over"}
"""What a round is in while no cards can be played, by its phase."""


class Auction:
    """The auction of one deal (R3).

    >>> auction = Auction(CLASSIC, first=0)
    >>> auction.bid(0), auction.bid(2), auction.legal_bids
    (None, None, (0, 3))
    >>> auction.bid(0)
    >>> auction.done, auction.landlord, auction.stake_bid
    (True, 1, 2)
    """

    def __init__(self, rules: RuleSet = CLASSIC, first: int = 0) -> None:
        if not 0 <= first < rules.players:
            raise AuctionError(f"first={first}: a seat from 0 to {rules.players - 1}")
        self.rules = rules
        self._params = rules.params
        self._state = np.zeros(core_auction.AUCTION_FIELDS, np.int64)
        self.calls: list[tuple[int, int]] = []
        """Each call in order: the seat and its bid, 0 for a pass."""
        core_auction.open_auction(self._state, first)

    @property
    def _outcome(self) -> int:
        return int(core_auction.auction_winner(self._state, self._params))

    @property
    def done(self) -> bool:
        """Whether the auction is over, with a landlord or with all having passed."""
        return self._outcome != core_auction.UNDECIDED

    @property
    def landlord(self) -> int | None:
        """The landlord's seat, once there is one."""
        return self._outcome if self._outcome >= 0 else None

    @property
    def redeal(self) -> bool:
        """Whether all passed, so that the cards are dealt again (R2.4)."""
        return self._outcome == core_auction.ALL_PASSED

    @property
    def stake_bid(self) -> int:
        """The highest bid so far, 0 for none."""
        return int(self._state[core_auction.HIGH])

    @property
    def record(self) -> int:
        """The calls as one number, the way the log has them before it says them in words."""
        return int(self._state[core_auction.RECORD])

    @property
    def to_speak(self) -> int | None:
        """The seat whose call it is; None when the auction is over."""
        return None if self.done else int(self._state[core_auction.TO_SPEAK])

    @property
    def legal_bids(self) -> tuple[int, ...]:
        """What the seat to speak may call, 0 for a pass (R3.1)."""
        if self.done:
            return ()
        return (0, *range(self.stake_bid + 1, core_auction.TOP_BID + 1))

    def bid(self, bid: int) -> None:
        """Let the seat to speak pass (0) or bid.

        Raises:
            AuctionError: the auction is over, or the bid is not above the highest so far (R3.1).
        """
        if self.done:
            raise AuctionError(f"bid {bid}: the auction is over (R3)")
        if bid not in self.legal_bids:
            legal = ", ".join(map(str, self.legal_bids[1:]))
            raise AuctionError(f"bid {bid}: pass (0) or one of {legal} (R3.1)")
        self.calls.append((int(self._state[core_auction.TO_SPEAK]), bid))
        core_auction.call(self._state, bid, self._params)

    def __str__(self) -> str:
        spoken = ", ".join(f"seat {seat} {bid or PASS_TEXT}" for seat, bid in self.calls)
        if self.landlord is not None:
            return f"{spoken}: seat {self.landlord} is the landlord at {self.stake_bid}"
        return f"{spoken}: all passed" if self.redeal else spoken


@dataclass(frozen=True, slots=True)
class Settlement:
    """What a round is worth, and to whom (R8)."""

    base: int
    bid: int
    multiplier: int
    """2 for each bomb, rocket and spring, multiplied (R8.2)."""
    spring: bool
    anti_spring: bool
    stake: int
    """What a peasant settles with the landlord on a leg that is not doubled."""
    legs: tuple[int, ...]
    """How many stakes each peasant settles: 1, doubled 2, redoubled 4 (R3.5)."""
    landlord: int
    """The landlord's points."""
    peasants: tuple[int, ...]
    """The peasants' points, in turn order after the landlord, as the legs are."""

    def __str__(self) -> str:
        value = f"{self.base} × {self.bid} × {self.multiplier} = {self.stake}"
        if set(self.legs) == {1}:
            shares = f"each peasant {self.peasants[0]:+d}"
        else:
            legs = zip(self.peasants, self.legs, strict=True)
            shares = "peasants " + ", ".join(f"{points:+d} (leg × {leg})" for points, leg in legs)
        return f"{value}: landlord {self.landlord:+d}, {shares}"


def settle(
    rules: RuleSet,
    *,
    bid: int,
    bombs: int,
    rockets: int,
    landlord_won: bool,
    landlord_plays: int,
    peasant_plays: Sequence[int],
    legs: Sequence[int] = (),
) -> Settlement:
    """Settle a round from what happened in it (R8).

    `bombs` counts those that double the stake: all of them, unless `bomb_doubles_from` says that
    small ones do not (R8.2). `legs` says how many stakes each peasant settles, one if it is not
    given (R3.5).

    >>> played = {"landlord_won": True, "landlord_plays": 6, "peasant_plays": (0, 0)}
    >>> str(settle(CLASSIC, bid=3, bombs=1, rockets=0, **played))
    '10 × 3 × 4 = 120: landlord +240, each peasant -120'

    Raises:
        AuctionError: the bid is not 1, 2 or 3, or the rules allow no such legs.
        PlayError: a count is negative, or there is not one count for each peasant.
    """
    if not 1 <= bid <= core_auction.TOP_BID:
        raise AuctionError(f"bid {bid}: 1, 2 or 3 (R3.1)")
    if min(bombs, rockets, landlord_plays, *peasant_plays) < 0:
        raise PlayError("bombs, rockets and plays are counts: none below 0")
    most_bombs = RANK_SMALL_JOKER * rules.decks
    if bombs > most_bombs or rockets > rules.decks:
        raise PlayError(
            f"bombs={shown(bombs)}, rockets={shown(rockets)}: "
            f"the cards hold {most_bombs} and {rules.decks} (R4.2)"
        )
    if max(landlord_plays, *peasant_plays) > LARGEST_HAND:
        raise PlayError(f"nobody makes more than {LARGEST_HAND} plays: each has a card")
    if len(peasant_plays) != rules.players - 1:
        raise PlayError(
            f"peasant_plays={tuple(peasant_plays)}: "
            f"one count for each of {rules.players - 1} peasants"
        )
    legs = tuple(legs) or (core_doubling.PLAIN,) * (rules.players - 1)
    _check_legs(legs, rules)
    params = rules.params
    spring = scoring.spring_of(landlord_won, landlord_plays, sum(peasant_plays))
    multiplier = int(scoring.multiplier_of(bombs + rockets, spring, params))
    stake = int(scoring.stake_of(bid, multiplier, params))
    factors = np.array([0, *legs], np.int64)
    scores = [
        int(scoring.score_of(seat, landlord_won, stake, factors, params))
        for seat in range(rules.players)
    ]
    return Settlement(
        base=rules.base,
        bid=bid,
        multiplier=multiplier,
        spring=spring == scoring.SPRING,
        anti_spring=spring == scoring.ANTI_SPRING,
        stake=stake,
        legs=legs,
        landlord=scores[0],
        peasants=tuple(scores[1:]),
    )


def _check_legs(legs: tuple[int, ...], rules: RuleSet) -> None:
    """Refuse legs that the doubling stage cannot lead to (R3.5)."""
    if len(legs) != rules.players - 1:
        raise AuctionError(
            f"legs={shown(legs)}: one for each of {rules.players - 1} peasants (R3.5)"
        )
    if not rules.doubling:
        if set(legs) != {core_doubling.PLAIN}:
            raise AuctionError(f"legs={shown(legs)}: all 1, rules {rules} have no doubling (R3.5)")
        return
    for raised in (core_doubling.DOUBLED, core_doubling.REDOUBLED):
        if set(legs) <= {core_doubling.PLAIN, raised}:
            return
    raise AuctionError(f"legs={shown(legs)}: each 1 or 2, or redoubled each 1 or 4 (R3.5)")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the play: a combination, or a pass."""

    seat: int
    combo: Combo | None
    """What was played; None for a pass."""
    left: Hand
    """The seat's cards after it."""
    multiplier: int
    """2 for each bomb and rocket up to it, multiplied (R8.2)."""

    def __str__(self) -> str:
        return PASS_TEXT if self.combo is None else str(self.combo)


def check_deal(deal: Deal, rules: RuleSet, landlord: int | None = None) -> None:
    """Refuse a deal that is not for these rules, or a landlord that has no seat.

    Raises:
        DealError: the deal is for another number of players.
        PlayError: there is no such seat.
    """
    if deal.players != rules.players:
        raise DealError(
            f"deal {deal.code} is for {deal.players} players, "
            f"rules {rules} have {rules.players} (R2.1)"
        )
    if landlord is not None and not 0 <= landlord < rules.players:
        raise PlayError(f"landlord={landlord}: a seat from 0 to {rules.players - 1}")


class Round:
    """One deal from the auction to the scores; step through it with `bid`, `double` and `play`.

    `landlord` forces a seat to be landlord at a bid of 1, without an auction.
    """

    def __init__(
        self,
        deal: Deal,
        rules: RuleSet = CLASSIC,
        *,
        landlord: int | None = None,
        names: Sequence[str] = (),
    ) -> None:
        check_deal(deal, rules, landlord)
        self.deal = deal
        """The deal whose code names the round."""
        self.dealt = deal
        """The deal that is played: another one after a redeal (R2.4)."""
        self.rules = rules
        self.names = tuple(names)
        self.redeals = 0
        self.auctions: list[Auction] = []
        """Every auction, one for each deal; empty when the landlord is forced."""
        self.doubles: list[tuple[int, bool]] = []
        """Each answer of the doubling stage in order: the seat, and whether it doubled (R3.5)."""
        self.turns: list[Turn] = []
        self.landlord: int | None = None
        self.stake_bid = 0
        self._params = rules.params
        self._table = core_play.new_table()
        if rules.auction == "none" and landlord is None:
            landlord = deal.first_bidder
        if landlord is not None:
            self._begin(landlord, 1)
        else:
            self.auctions.append(Auction(rules, deal.first_bidder))

    @property
    def phase(self) -> str:
        """`auction`, `doubling` (where the rules have it), `play` or `over`."""
        if self.landlord is not None:
            if self._table.public["to_double"] != core_play.NOBODY:
                return "doubling"
            return "over" if self.winner is not None else "play"
        return "over" if self.auctions[-1].redeal else "auction"

    @property
    def to_act(self) -> int | None:
        """The seat whose turn it is; None when the round is over."""
        if self.phase == "auction":
            return self.auctions[-1].to_speak
        if self.phase == "doubling":
            return int(self._table.public["to_double"])
        return int(self._table.public["to_play"]) if self.phase == "play" else None

    @property
    def winner(self) -> int | None:
        """The seat that went out."""
        seat = int(self._table.public["winner"])
        return seat if self.landlord is not None and seat >= 0 else None

    @property
    def legs(self) -> tuple[int, ...]:
        """How many stakes each seat settles as a peasant: 1, 2 or 4 (R3.5); 0 for the landlord.

        Zeros while there is no landlord.
        """
        if self.landlord is None:
            return (0,) * self.rules.players
        return tuple(int(leg) for leg in self._table.public["legs"][: self.rules.players])

    @property
    def hands(self) -> tuple[Hand, ...]:
        """The cards each seat holds now."""
        if self.landlord is None:
            return self.dealt.hands
        return tuple(Hand(int(hand)) for hand in self._table.hidden["hands"][: self.rules.players])

    @property
    def over(self) -> Combo | None:
        """The combination to beat; None when the seat to act leads."""
        if self.landlord is None or self._table.public["over"] == PASS:
            return None
        standing = [turn.combo for turn in self.turns if turn.combo is not None]
        return standing[-1]

    def bid(self, bid: int) -> None:
        """Let the seat to act pass (0) or bid; a deal all pass is dealt again (R2.4).

        Raises:
            AuctionError: there is no auction now, or the bid is not allowed (R3).
        """
        if self.phase != "auction":
            raise AuctionError(f"bid {bid}: the auction is over (R3)")
        auction = self.auctions[-1]
        auction.bid(bid)
        if auction.landlord is not None:
            self._begin(auction.landlord, auction.stake_bid)
        elif auction.redeal and self.redeals < self.rules.redeal_limit:
            self._redeal()

    def double(self, doubles: bool) -> None:
        """Let the seat to act double its leg, or redouble as the landlord, or leave it (R3.5).

        Raises:
            AuctionError: nobody is asked to double now, or the answer is not true or false.
        """
        if self.phase != "doubling":
            raise AuctionError(f"double {shown(doubles)}: no seat is asked to double now (R3.5)")
        if not isinstance(doubles, bool):
            raise AuctionError(f"double {shown(doubles)}: True or False (R3.5)")
        self.doubles.append((int(self._table.public["to_double"]), doubles))
        core_doubling.answer_doubling(self._table, doubles, self._params)

    def play(self, cards: Combo | Hand | str | None) -> None:
        """Let the seat to act play cards, or pass with None (R7).

        Raises:
            PlayError: it is not the time to play, a card is not in the hand, or a leader passes
                (R7.1).
            ComboError: the cards are no combination, or do not beat the one on the table (R6).
            CardError: the text is not cards.
        """
        if self.phase != "play":
            raise PlayError(f"{cards or PASS_TEXT}: the round is {NOT_IN_PLAY[self.phase]}")
        seat = int(self._table.public["to_play"])
        combo = playable(cards, self.hands[seat], self.rules, self.over)
        laid, shape = (0, PASS) if combo is None else (combo.cards.packed, combo.shape)
        core_play.play(self._table, np.uint64(laid), shape, self._params)
        multiplier = int(scoring.multiplier_of(self.doublings, scoring.NO_SPRING, self._params))
        self.turns.append(Turn(seat, combo, self.hands[seat], multiplier))

    def view(self) -> core_play.View:
        """What the seat to act sees (R10.1), as a bot gets it.

        Raises:
            PlayError: it is not the time to play.
        """
        if self.phase != "play":
            raise PlayError("there is a view only while cards are played")
        public = self._table.public
        seen = core_play.seen_cards(self._table, self._params)
        hand, kitty, unseen = (np.uint64(cards) for cards in seen)
        seat, over = int(public["to_play"]), int(public["over"])
        return core_play.View(self._params, seat, hand, kitty, unseen, over, public)

    @property
    def doublings(self) -> int:
        """How many bombs and rockets so far have doubled the stake (R8.2)."""
        return int(self._table.public["doublings"]) if self.landlord is not None else 0

    def plays_of(self, seat: int) -> int:
        """How many plays a seat has made, passes not counted."""
        return sum(turn.seat == seat and turn.combo is not None for turn in self.turns)

    def played(self, kind: str) -> int:
        """How many plays of a kind the round has seen."""
        return sum(turn.combo is not None and turn.combo.kind == kind for turn in self.turns)

    @property
    def result(self) -> Settlement | None:
        """The settlement; None before the end, and when the round was passed out."""
        if self.winner is None or self.landlord is None:
            return None
        peasants = [
            (self.landlord + step) % self.rules.players for step in range(1, self.rules.players)
        ]
        return settle(
            self.rules,
            bid=self.stake_bid,
            bombs=self.doublings - self.played("rocket"),
            rockets=self.played("rocket"),
            landlord_won=self.winner == self.landlord,
            landlord_plays=self.plays_of(self.landlord),
            peasant_plays=[self.plays_of(seat) for seat in peasants],
            legs=[self.legs[seat] for seat in peasants],
        )

    @property
    def scores(self) -> tuple[int, ...]:
        """The points of each seat; zeros before the end and when passed out."""
        result = self.result
        if result is None or self.landlord is None:
            return (0,) * self.rules.players
        in_turn = (result.landlord, *result.peasants)
        players = self.rules.players
        return tuple(in_turn[(seat - self.landlord) % players] for seat in range(players))

    def _begin(self, landlord: int, bid: int) -> None:
        self.landlord = landlord
        self.stake_bid = bid
        self._table.hidden["hands"][: self.rules.players + 1] = self.dealt.packed
        record = self.auctions[-1].record if self.auctions else 1
        core_play.begin(self._table, landlord, bid, record, self._params)
        if self.rules.doubling:
            core_doubling.open_doubling(self._table, self._params)

    def _redeal(self) -> None:
        self.redeals += 1
        hands = np.zeros(core_play.MAX_SEATS + 1, np.uint64)
        key = np.uint64(self.deal.key)
        drawn = int(redeal(key, self.redeals, new_deck(), hands, self._params))
        next_seat = (self.dealt.first_bidder + 1) % self.rules.players
        first = drawn if self.rules.redeal_bidder == "drawn" else next_seat
        dealt = [Hand(int(hand)) for hand in hands[: self.rules.players]]
        self.dealt = Deal.from_hands(dealt, first)
        self.auctions.append(Auction(self.rules, first))

    def __str__(self) -> str:
        from ddzsim.story import tell

        return tell(self)
