"""The auction (R3): every course it can take, against the naive twin."""

from __future__ import annotations

from collections.abc import Iterator

import naive
import pytest

from ddzsim.errors import AuctionError
from ddzsim.game import Auction
from ddzsim.rules import RULESETS, RuleSet

AUCTIONED = [rules for rules in RULESETS.values() if rules.auction != "none"]
ONCE = [rules for rules in AUCTIONED if rules.auction == "once"]
ROUNDS = [rules for rules in AUCTIONED if rules.auction == "rounds"]

each_auction = pytest.mark.parametrize("rules", AUCTIONED, ids=str)


def called(rules: RuleSet, first: int, *calls: int) -> Auction:
    """An auction after some calls."""
    auction = Auction(rules, first)
    for bid in calls:
        auction.bid(bid)
    return auction


def state(auction: Auction) -> naive.Outcome:
    """Where an auction stands, as the naive twin has it."""
    may_bid = auction.legal_bids[1:]
    high = 0 if auction.redeal else auction.stake_bid
    return naive.Outcome(auction.done, auction.landlord, high, auction.to_speak, may_bid)


def courses(rules: RuleSet, first: int, calls: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Every course of an auction, its beginnings with it."""
    yield calls
    now = naive.auction(rules, first, calls)
    if not now.over:
        for bid in (0, *now.may_bid):
            yield from courses(rules, first, (*calls, bid))


def test_the_sheets_bid_once_or_in_rounds():
    assert [rules.name for rules in ONCE] == ["classic", "kawu", "stakes"]
    assert [rules.name for rules in ROUNDS] == [
        "tabletop",
        "tabletop-open",
        "tabletop-doubling",
        "tabletop-4p",
        "openspiel",
    ]


@pytest.mark.parametrize("first", range(4))
@each_auction
def test_r3_every_course_agrees_with_the_naive_one(rules: RuleSet, first: int):
    first %= rules.players
    ends = 0
    for calls in courses(rules, first):
        auction = called(rules, first, *calls)
        due = naive.auction(rules, first, calls)
        assert state(auction) == due, calls
        assert auction.redeal == (due.over and due.landlord is None)
        seats = [(first + at) % rules.players for at in range(len(calls))]
        assert auction.calls == list(zip(seats, calls, strict=True))
        assert auction.legal_bids == (() if due.over else (0, *due.may_bid))
        ends += due.over
    # Once: sequences of three of which none comes after a 3 and bids rise. With no 3: the bids 1, 2
    # in order, each at most once: 1 + 3 + 3 + 3 = 10; ending in a 3 at the first, second or third
    # call: 1 + 3 (0, 1, 2 before) + 6 (00 01 02 10 20 12) = 10.
    if rules.auction == "once":
        assert ends == 20


@each_auction
def test_r3_1_a_bid_is_above_the_highest_so_far(rules: RuleSet):
    for calls in courses(rules, 0):
        auction = called(rules, 0, *calls)
        before = state(auction)
        for bid in range(-1, 6):
            if bid in auction.legal_bids:
                continue
            with pytest.raises(AuctionError):
                auction.bid(bid)
        assert state(auction) == before
        assert [bid for _, bid in auction.calls] == list(calls)


@each_auction
def test_r3_1_a_3_ends_it_at_once(rules: RuleSet):
    assert state(called(rules, 0, 3)) == naive.Outcome(True, 0, 3)
    last = rules.players - 1
    assert state(called(rules, last, 0, 3)) == naive.Outcome(True, 0, 3)
    assert state(called(rules, last - 1, 1, 2, 3)) == naive.Outcome(True, 0, 3)


@pytest.mark.parametrize("rules", ONCE, ids=str)
def test_r3_2_each_seat_speaks_once(rules: RuleSet):
    assert state(called(rules, 0, 0, 1, 0)) == naive.Outcome(True, 1, 1)
    assert state(called(rules, 0, 1, 2, 0)) == naive.Outcome(True, 1, 2)
    assert state(called(rules, 1, 0, 0, 2)) == naive.Outcome(True, 0, 2)


@pytest.mark.parametrize("rules", [rules for rules in ROUNDS if rules.players == 3], ids=str)
def test_r3_3_it_goes_round_until_two_passes_follow_a_bid(rules: RuleSet):
    # The clause's own cases: pass, pass, 1 is not over; 1, 2, pass, 3 gives seat 0 the hand.
    assert state(called(rules, 0, 0, 0, 1)) == naive.Outcome(False, None, 1, 0, (2, 3))
    assert state(called(rules, 0, 1, 2, 0, 3)) == naive.Outcome(True, 0, 3)
    # A seat that passed bids later.
    assert state(called(rules, 0, 0, 1, 0, 2, 0, 0)) == naive.Outcome(True, 0, 2)
    # Two passes in a row, of which one came before the bid, do not end it.
    assert not called(rules, 0, 0, 1, 0).done
    assert state(called(rules, 0, 0, 1, 0, 0)) == naive.Outcome(True, 1, 1)


@pytest.mark.parametrize("rules", [rules for rules in AUCTIONED if rules.players == 3], ids=str)
def test_r2_4_three_passes_are_a_redeal(rules: RuleSet):
    auction = called(rules, 2, 0, 0, 0)
    assert (auction.done, auction.redeal, auction.landlord) == (True, True, None)
    assert str(auction) == "seat 2 pass, seat 0 pass, seat 1 pass: all passed"
