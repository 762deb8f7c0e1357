"""What one seat sees of a round, to read: its own cards and the public table (R10.1)."""

from __future__ import annotations

from dataclasses import dataclass

from ddzsim.cards import RANKS, Hand, rank_capacity
from ddzsim.combos import Combo, legal_plays, playable
from ddzsim.core.play import sees_kitty
from ddzsim.game import PASS_TEXT, Round
from ddzsim.rules import RuleSet


@dataclass(frozen=True, slots=True)
class SeenTurn:
    """One turn of the play as all see it."""

    seat: int
    combo: Combo | None
    """What was played; None for a pass."""
    left: int
    """How many cards the seat holds after it."""
    multiplier: int
    """2 for each bomb and rocket up to it, multiplied (R8.2)."""

    def __str__(self) -> str:
        return PASS_TEXT if self.combo is None else str(self.combo)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """What one seat knows of a round (R10.1): what a player gets to bid and to play by.

    It holds no other seat's cards and no deal code, so a player cannot cheat.
    """

    rules: RuleSet
    seat: int
    phase: str
    """`auction`, `doubling` (where the rules have it), `play` or `over`."""
    to_act: int | None
    """The seat whose turn it is; None when the round is over."""
    hand: Hand
    """The seat's own cards."""
    kitty: Hand | None
    """The kitty; None before there is a landlord, and where this seat may not see it (R3.4)."""
    unseen: Hand
    """All cards that are neither in the hand nor played yet, together."""
    auctions: tuple[tuple[tuple[int, int], ...], ...]
    """For each deal, the last one being played, its calls in order: the seat and its bid."""
    legal_bids: tuple[int, ...]
    """What the seat to act may call, 0 for a pass; () when there is no auction now (R3.1)."""
    landlord: int | None
    bid: int
    """The landlord's bid, or the highest so far."""
    doubles: tuple[tuple[int, bool], ...]
    """Each answer of the doubling stage in order: the seat, and whether it doubled (R3.5)."""
    legs: tuple[int, ...]
    """How many stakes each seat settles as a peasant: 1, 2 or 4; 0 for the landlord (R3.5)."""
    turns: tuple[SeenTurn, ...]
    over: Combo | None
    """The combination to beat; None on lead."""
    over_seat: int | None
    """Who played it."""
    left: tuple[int, ...]
    """How many cards each seat holds."""
    multiplier: int
    """2 for each bomb and rocket so far, multiplied (R8.2)."""

    @property
    def value(self) -> int:
        """The stake if it ended now, on a leg not doubled: base × bid × multiplier (R8.1)."""
        return self.rules.base * self.bid * self.multiplier

    def legal_plays(self) -> list[Combo]:
        """Every play that the hand may make now, in hint order; the pass is not listed."""
        return legal_plays(self.hand, self.rules, self.over)

    def playable(self, cards: Combo | Hand | str | None) -> Combo | None:
        """What cards of the hand are played as now; None is an allowed pass (R6.2, R7.1).

        Raises:
            DdzError: the cards may not be played; the message says why.
        """
        return playable(cards, self.hand, self.rules, self.over)


def view_of(game: Round, seat: int) -> SeatView:
    """What a seat sees of a round now."""
    hand, landlord = game.hands[seat], game.landlord
    turns = tuple(SeenTurn(t.seat, t.combo, len(t.left), t.multiplier) for t in game.turns)
    auction = game.auctions[-1] if game.auctions else None
    shown = landlord is not None and sees_kitty(seat, landlord, game.rules.params)
    played = [turn for turn in turns if turn.combo is not None]
    return SeatView(
        rules=game.rules,
        seat=seat,
        phase=game.phase,
        to_act=game.to_act,
        hand=hand,
        kitty=game.dealt.kitty if shown else None,
        unseen=_unseen(hand, turns, game.rules),
        auctions=tuple(tuple(each.calls) for each in game.auctions),
        legal_bids=auction.legal_bids if auction is not None else (),
        landlord=landlord,
        bid=game.stake_bid if auction is None else auction.stake_bid,
        doubles=tuple(game.doubles),
        legs=game.legs,
        turns=turns,
        over=game.over,
        over_seat=played[-1].seat if game.over is not None else None,
        left=tuple(len(held) for held in game.hands),
        multiplier=turns[-1].multiplier if turns else 1,
    )


def _unseen(hand: Hand, turns: tuple[SeenTurn, ...], rules: RuleSet) -> Hand:
    """The cards of the deck that are neither in a hand nor played."""
    left = Hand.from_counts([rank_capacity(rank, rules.decks) for rank in range(len(RANKS))])
    for turn in turns:
        if turn.combo is not None:
            left = left - turn.combo.cards
    return left - hand
