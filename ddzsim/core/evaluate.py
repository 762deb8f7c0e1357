"""Auctions looked up on a counterfactual table: what any way to bid comes to, deal by deal."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.core.auction import (
    ALL_PASSED,
    AUCTION_FIELDS,
    CALLS,
    HIGH,
    TO_SPEAK,
    TOP_BID,
    UNDECIDED,
    AuctionState,
    auction_winner,
    call,
    open_auction,
)
from ddzsim.core.bidding import Advice, advised, measure
from ddzsim.core.jit import kernel, long_kernel
from ddzsim.core.play import MAX_SEATS, NOBODY
from ddzsim.core.scoring import score_of, stake_of
from ddzsim.rules import Params

BIG, BOMBS, PLAYS = range(3)
"""Positions in a hand's shape."""

ACTIONS = TOP_BID + 1
"""A pass and the bids."""

Advices: TypeAlias = npt.NDArray[np.int64]
"""The advice of each seat: seats by ADVICE_FIELDS."""


class Deals(NamedTuple):
    """A counterfactual table: deals that were played once for each seat as the landlord."""

    first: npt.NDArray[np.int8]
    """Who speaks first."""
    hands: npt.NDArray[np.uint64]
    """The dealt hands: deals by seats."""
    shapes: npt.NDArray[np.int8]
    """Big cards, bombs and fewest plays of each hand: deals by seats by 3."""
    outcomes: npt.NDArray[np.int32]
    """The multiplier with each seat as the landlord, negative where it lost: deals by seats."""


class Scores(NamedTuple):
    """What auctions came to."""

    landlord: npt.NDArray[np.int8]
    """The landlord's seat; -1 where all passed, which scores nothing."""
    bid: npt.NDArray[np.int8]
    points: npt.NDArray[np.int64]
    """The points of each seat: deals by seats."""


@kernel
def wanted(deals: Deals, deal: int, seat: int, auction: AuctionState, advice: Advice) -> int:
    """What a seat calls by an advice: its bid if that is above the highest so far, else a pass."""
    shape = deals.shapes[deal, seat]
    # Uncompiled, products of such short numbers would stay short.
    big, bombs, plays = int(shape[BIG]), int(shape[BOMBS]), int(shape[PLAYS])
    measured = measure(deals.hands[deal, seat], big, bombs, plays, advice)
    bid = advised(measured, advice, auction[CALLS], auction[HIGH])
    return bid if bid > auction[HIGH] else 0


@kernel
def finish(deals: Deals, deal: int, auction: AuctionState, advices: Advices, rules: Params) -> int:
    """Let the seats that are still to speak bid; the landlord's seat, or ALL_PASSED (R3)."""
    winner = auction_winner(auction, rules)
    while winner == UNDECIDED:
        seat = auction[TO_SPEAK]
        call(auction, wanted(deals, deal, seat, auction, advices[seat]), rules)
        winner = auction_winner(auction, rules)
    return winner


@long_kernel
def evaluate(deals: Deals, advices: Advices, rules: Params, scores: Scores) -> None:
    """Hold the auction of every deal, and look up what the round came to."""
    auction = np.zeros(AUCTION_FIELDS, np.int64)
    legs = np.ones(MAX_SEATS, np.int64)
    for deal in range(len(deals.first)):
        open_auction(auction, deals.first[deal])
        landlord = finish(deals, deal, auction, advices, rules)
        scores.bid[deal] = auction[HIGH]
        if landlord == ALL_PASSED:
            scores.landlord[deal] = NOBODY
            scores.points[deal] = 0
            continue
        scores.landlord[deal] = landlord
        outcome = deals.outcomes[deal, landlord]
        stake = stake_of(auction[HIGH], abs(outcome), rules)
        legs[landlord] = 0
        for seat in range(rules["players"]):
            scores.points[deal, seat] = score_of(seat, outcome > 0, stake, legs, rules)
        legs[landlord] = 1


class Responses(NamedTuple):
    """What each call was worth to the seat that made it, by caller, standing bid and hand.

    The first axis is the caller's place, from 0; then the standing bid; then big cards, bombs and
    fewest plays of the hand.
    """

    hands: npt.NDArray[np.int64]
    """How often there was such a decision."""
    points: npt.NDArray[np.int64]
    """Sums over them by call, a pass first, in stakes at a bid of 1; 0 for what may not be bid."""


@long_kernel
def respond(
    deals: Deals, before: Advice, after: Advice, rules: Params, responses: Responses
) -> None:
    """At every seat's turn make each call it may, and add up what it comes to.

    Seats that spoke before bid by one advice, those that speak after by another. The auction is
    the one in which each speaks once (R3.2).
    """
    auction = np.zeros(AUCTION_FIELDS, np.int64)
    trial = np.zeros(AUCTION_FIELDS, np.int64)
    players = rules["players"]
    for deal in range(len(deals.first)):
        open_auction(auction, deals.first[deal])
        for caller in range(players):
            seat, standing = auction[TO_SPEAK], auction[HIGH]
            big, bombs, plays = deals.shapes[deal, seat]
            responses.hands[caller, standing, big, bombs, plays] += 1
            sums = responses.points[caller, standing, big, bombs, plays]
            for bid in range(ACTIONS):
                if 0 < bid <= standing:
                    continue
                trial[:] = auction
                call(trial, bid, rules)
                landlord = auction_winner(trial, rules)
                while landlord == UNDECIDED:
                    speaker = trial[TO_SPEAK]
                    call(trial, wanted(deals, deal, speaker, trial, after), rules)
                    landlord = auction_winner(trial, rules)
                if landlord != ALL_PASSED:
                    outcome = deals.outcomes[deal, landlord]
                    share = players - 1 if landlord == seat else -1
                    sums[bid] += trial[HIGH] * outcome * share
            call(auction, wanted(deals, deal, seat, auction, before), rules)
            if auction[HIGH] == TOP_BID:
                break
