"""What a seat may know (R3.4, R10.1): hidden cards change places, and it sees and does the same."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace

import numpy as np
import pytest

from ddzsim.bots.base import compiled
from ddzsim.bots.seats import BOTS, Seat
from ddzsim.cards import Hand
from ddzsim.core.auction import TO_SPEAK, call, open_auction
from ddzsim.core.dealing import seat_stream_key
from ddzsim.core.jit import COMPILED
from ddzsim.core.loop import Room, new_room, rate_hands, seat_bid
from ddzsim.core.play import STREAM, View, new_work
from ddzsim.deals import Deal
from ddzsim.engine.config import RunConfig
from ddzsim.engine.parts import _setup
from ddzsim.game import Round
from ddzsim.rules import RULESETS, RuleSet
from ddzsim.table import Table
from ddzsim.view import SeatView, view_of

HIDDEN = [rules for rules in RULESETS.values() if not rules.kitty_shown]
SHOWN = [rules for rules in RULESETS.values() if rules.kitty_shown]
DEALS = 6 if COMPILED else 3

each_hidden = pytest.mark.parametrize("rules", HIDDEN, ids=str)
each_shown = pytest.mark.parametrize("rules", SHOWN, ids=str)
each_level = pytest.mark.parametrize("level", BOTS)


def test_there_are_rule_sets_of_both_sorts() -> None:
    assert {"tabletop"} <= {rules.name for rules in HIDDEN}
    assert {"tabletop-open", "classic", "kawu", "stakes"} <= {rules.name for rules in SHOWN}


# Rounds that look the same from a seat


def dealt(rules: RuleSet, number: int) -> Deal:
    """A deal for a rule set."""
    return Deal.of_round(71, number, rules.players)


def rebuilt(deal: Deal, hands: list[Hand], kitty: Hand) -> Deal:
    """Another deal in which the same seat speaks first."""
    assert sum(map(len, hands)) + len(kitty) == sum(map(len, deal.hands)) + len(deal.kitty)
    return replace(deal, hands=tuple(hands), kitty=kitty)


def some_of(cards: Hand, count: int, draw: random.Random) -> Hand:
    """Some cards of a hand."""
    return hand_of(draw.sample(list(str(cards)), count))


def hand_of(cards: Iterable[str]) -> Hand:
    """A hand of single cards."""
    return Hand.parse("".join(cards), decks=2)


def common(one: Hand, other: Hand) -> Hand:
    """The cards that two hands share."""
    return Hand.from_counts([min(pair) for pair in zip(one.counts, other.counts, strict=True)])


def swapped(game: Round, first: int | str, second: int | str, draw: random.Random) -> Deal | None:
    """The deal with one to three cards of two places swapped that nobody has played yet.

    A place is a seat, or the kitty, whose cards the landlord holds. None if the cards are the same.
    """
    deal = game.dealt
    places: dict[int | str, Hand] = {**dict(enumerate(deal.hands)), "kitty": deal.kitty}
    held = dict(enumerate(game.hands))
    landlord = game.landlord
    assert landlord is not None
    # The landlord's cards lay in its hand or in the kitty: what it still holds of each is free.
    kitty = common(deal.kitty, held[landlord])
    free: dict[int | str, Hand] = {**held, "kitty": kitty}
    free[landlord] = common(held[landlord] - kitty, places[landlord])
    count = min(draw.randint(1, 3), len(free[first]), len(free[second]))
    given, taken = (some_of(free[place], count, draw) for place in (first, second))
    if given == taken:
        return None
    places[first] = places[first] - given + taken
    places[second] = places[second] - taken + given
    return rebuilt(deal, [places[seat] for seat in range(len(deal.hands))], places["kitty"])


def repeated(deal: Deal, game: Round) -> Round:
    """The same calls and plays as in a round, with other cards."""
    again = Round(deal, game.rules)
    for auction in game.auctions:
        for _, bid in auction.calls:
            again.bid(bid)
    for _, doubled in game.doubles:
        again.double(doubled)
    for turn in game.turns:
        again.play(turn.combo)
    return again


def auctioned(rules: RuleSet, deal: Deal, landlord: int) -> Round:
    """A round in which a seat has become landlord, by bids where there are any, and all double."""
    game = Round(deal.with_first_bidder(landlord), rules)
    if rules.auction != "none":
        game.bid(3)
    assert game.landlord == landlord
    while game.phase == "doubling":
        game.double(True)
    return game


def positions(rules: RuleSet, level: str) -> Iterator[Round]:
    """Rounds that a level plays, each seat the landlord in turn, at some turns of every seat."""
    seat = Seat.parse(level)
    for number in range(DEALS):
        game = auctioned(rules, dealt(rules, number), number % rules.players)
        while game.phase == "play":
            if (len(game.turns) + number) % (rules.players + 1) == 0:
                yield game
            cards, shape = choice(seat, game, number * 1000 + len(game.turns))
            game.play(Hand(cards) if shape else None)


def choice(seat: Seat, game: Round, word: int) -> tuple[int, int]:
    """What a seat plays in a round, from a stream at a word."""
    stream = np.zeros(1, STREAM)[0]
    stream["word"][0] = np.uint64(word)
    cards, shape = compiled(seat.bot)(game.view(), new_work()._replace(stream=stream))
    return int(cards), int(shape)


def assert_same_view(one: View, other: View) -> None:
    """Two kernel views, field by field; the public record byte by byte."""
    for name in View._fields:
        before, after = getattr(one, name), getattr(other, name)
        if isinstance(before, np.void):
            assert before.tobytes() == after.tobytes(), name
        else:
            assert before == after, name


def assert_same_seat_view(one: SeatView, other: SeatView) -> None:
    """Two views to read, field by field."""
    for field in fields(SeatView):
        assert getattr(one, field.name) == getattr(other, field.name), field.name


def assert_same(game: Round, again: Round, level: str) -> None:
    """The seat to act sees the same in both rounds, and a level does the same."""
    seat = game.to_act
    assert seat is not None
    assert again.to_act == seat
    assert_same_view(game.view(), again.view())
    assert_same_seat_view(view_of(game, seat), view_of(again, seat))
    word = len(game.turns)
    assert choice(Seat.parse(level), game, word) == choice(Seat.parse(level), again, word)


def other_peasants(game: Round) -> list[int]:
    """The peasants that are not to act, if a peasant is; else none."""
    if game.to_act == game.landlord:
        return []
    return [seat for seat in range(game.rules.players) if seat not in (game.landlord, game.to_act)]


# The kitty is hidden


@each_level
@each_hidden
def test_r3_4_a_peasant_does_the_same_whatever_lies_in_a_hidden_kitty(
    rules: RuleSet, level: str
) -> None:
    """Cards of the kitty change places with cards of the other peasants, and of the landlord."""
    draw = random.Random(5)
    looked = dict.fromkeys(range(rules.players), 0)
    for game in positions(rules, level):
        landlord = game.landlord
        assert landlord is not None
        for other in other_peasants(game):
            for place in (other, landlord):
                deal = swapped(game, "kitty", place, draw)
                if deal is None:
                    continue
                again = repeated(deal, game)
                assert again.dealt.kitty != game.dealt.kitty
                assert_same(game, again, level)
                looked[game.to_act or 0] += 1
    # From every seat, with every other seat as the landlord.
    assert min(looked.values()) >= DEALS, looked


@each_level
@each_shown
def test_r3_4_a_shown_kitty_is_seen_and_no_other_hidden_card(rules: RuleSet, level: str) -> None:
    draw = random.Random(6)
    looked = seen = 0
    for game in positions(rules, level):
        seat, landlord = game.to_act, game.landlord
        assert seat is not None
        assert landlord is not None
        assert view_of(game, seat).kitty == game.dealt.kitty
        for other in other_peasants(game):
            deal = swapped(game, landlord, other, draw)
            if deal is not None:
                looked += 1
                assert_same(game, repeated(deal, game), level)
            deal = swapped(game, "kitty", other, draw)
            if deal is not None:
                seen += 1
                again = repeated(deal, game)
                assert int(again.view().kitty) == deal.kitty.packed != game.view().kitty
                before, after = view_of(game, seat), view_of(again, seat)
                assert after.kitty == deal.kitty != before.kitty
                assert replace(after, kitty=before.kitty) == before
    assert min(looked, seen) >= DEALS


@pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
def test_r3_4_the_landlord_has_the_kitty_and_sees_what_it_was(rules: RuleSet) -> None:
    for number in range(3 * rules.players):
        landlord = number % rules.players
        deal = dealt(rules, number).with_first_bidder(landlord)
        game = auctioned(rules, deal, landlord)
        assert view_of(game, landlord).kitty == deal.kitty
        assert game.hands[landlord] == deal.hands[landlord] + deal.kitty
        view = game.view()
        assert (view.seat, int(view.kitty)) == (landlord, deal.kitty.packed)
        assert int(view.hand) == (deal.hands[landlord] + deal.kitty).packed
        for seat in range(rules.players):
            if seat != landlord:
                assert view_of(game, seat).kitty == (deal.kitty if rules.kitty_shown else None)
        # Nobody sees it before there is a landlord.
        if rules.auction != "none":
            before = Round(deal, rules)
            assert {view_of(before, seat).kitty for seat in range(rules.players)} == {None}


# What follows from what is seen


@pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
def test_r10_1_unseen_cards_are_those_of_the_others(rules: RuleSet) -> None:
    """Together the others hold what a seat counts as unseen; a shown kitty is the landlord's."""
    for game in positions(rules, "normal"):
        landlord, hands = game.landlord, game.hands
        assert landlord is not None
        assert game.to_act is not None
        for seat in range(rules.players):
            view = view_of(game, seat)
            others = sum((hands[other] for other in range(rules.players) if other != seat), Hand(0))
            assert view.unseen == others
            if seat == game.to_act:
                assert int(game.view().unseen) == others.packed
                assert int(game.view().hand) == hands[seat].packed
            if view.kitty is not None and seat != landlord:
                # What the landlord has not played yet of the kitty, it still holds.
                played = [t.combo.cards for t in view.turns if t.combo and t.seat == landlord]
                laid = common(view.kitty, sum(played, Hand(0)))
                assert common(view.kitty - laid, hands[landlord]) == view.kitty - laid


# The auction


def mixed(deal: Deal, seat: int, draw: random.Random) -> Deal:
    """The deal with all cards but those of one seat dealt anew, the kitty with them."""
    others = [place for place in range(len(deal.hands)) if place != seat]
    pool = list("".join(str(deal.hands[place]) for place in others) + str(deal.kitty))
    draw.shuffle(pool)
    hands, size = list(deal.hands), len(deal.hands[seat])
    for place in others:
        hands[place], pool = hand_of(pool[:size]), pool[size:]
    return rebuilt(deal, hands, hand_of(pool))


def bid_of_a_run(deal: Deal, rules: RuleSet, calls: list[int], level: str, word: int) -> int:
    """What the seat to speak calls in a run, after some calls."""
    room: Room = new_room()
    room.table.hidden["hands"][: len(deal.packed)] = deal.packed
    room.streams[:] = np.uint64(word)
    rate_hands(room, rules.params)
    open_auction(room.auction, deal.first_bidder)
    for bid in calls:
        call(room.auction, bid, rules.params)
    config = RunConfig(seed=1, bots=level, rules=rules.name)
    return int(seat_bid(room, room.auction[TO_SPEAK], _setup(config, config.seats)))


def bid_at_a_table(deal: Deal, rules: RuleSet, calls: list[int], level: str, word: int) -> int:
    """What the seat to speak calls at a table, after some calls."""
    table = Table(deal, (level,) * rules.players, rules)
    for bid in calls:
        table.round.bid(bid)
    for stream in table._streams:
        stream["word"][0] = np.uint64(word)
    return int(table._bid())  # type: ignore[arg-type]


BIDDING = [rules for rules in RULESETS.values() if rules.auction != "none"]
if not COMPILED:
    # To rate hands of two decks takes seconds each.
    BIDDING = [rules for rules in BIDDING if rules.decks == 1]


@each_level
@pytest.mark.parametrize("rules", BIDDING, ids=str)
def test_r10_1_no_hidden_card_changes_a_bid(rules: RuleSet, level: str) -> None:
    """Of every seat, first to last to speak, with the kitty and all other hands dealt anew."""
    draw = random.Random(7)
    called = set()
    for number in range(4 * DEALS):
        deal = dealt(rules, number)
        calls = [[], [0], [1], [0, 1], [1, 2], [0, 0]][number % 6]
        seat = (deal.first_bidder + len(calls)) % rules.players
        other = mixed(deal, seat, draw)
        assert other.hands[seat] == deal.hands[seat]
        assert other.kitty != deal.kitty or other.hands != deal.hands
        bids = {
            ask(each, rules, calls, level, number)
            for ask in (bid_of_a_run, bid_at_a_table)
            for each in (deal, other)
        }
        assert len(bids) == 1, (number, bids)
        called |= bids
        games = [Round(each, rules) for each in (deal, other)]
        for game in games:
            for bid in calls:
                game.bid(bid)
        assert_same_seat_view(*(view_of(game, seat) for game in games))
        assert len(view_of(games[0], seat).unseen) == len(deal.kitty) + sum(
            len(hand) for at, hand in enumerate(deal.hands) if at != seat
        )
    assert called >= ({0, 1, 3} if COMPILED else {0})


def test_r2_2_a_seats_stream_follows_from_the_deal_and_the_seat() -> None:
    """So hidden cards move chance, as any other deal does, but no choice where chance is given."""
    deal = dealt(RULESETS["tabletop"], 1)
    other = mixed(deal, 0, random.Random(8))
    words = {int(seat_stream_key(np.uint64(each.key), 0)) for each in (deal, other)}
    assert len(words) == 2
