"""One round, stepped through by hand and played by bots: R3, R7, R8, R10."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ddzsim import schema
from ddzsim.bots.base import compiled
from ddzsim.bots.seats import BOTS, Seat
from ddzsim.cards import Hand
from ddzsim.core.play import STREAM, new_work
from ddzsim.deals import Deal
from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import arrow_table
from ddzsim.engine.parts import play_part
from ddzsim.engine.verify import index_of, replay, row_of, turns_of
from ddzsim.errors import AuctionError, CardError, ComboError, DdzError, PlayError, SeatError
from ddzsim.game import Auction, Round, settle
from ddzsim.rules import CLASSIC, RULESETS, TABLETOP
from ddzsim.table import play

SPRING_DEAL = Deal.from_hands(["3456789TJQKA2222X", "33344455566677788", "8999TTTJJJQQQKKKA"])
"""Seat 0 goes out with four plays whatever the others hold; the kitty is AAD."""


# R3: the auction


def test_r3_2_each_seat_speaks_once_and_the_highest_is_landlord():
    auction = Auction(CLASSIC, first=1)
    assert auction.to_speak == 1
    auction.bid(0)
    auction.bid(1)
    assert auction.legal_bids == (0, 2, 3)
    auction.bid(0)
    assert (auction.done, auction.landlord, auction.stake_bid) == (True, 2, 1)
    assert (auction.legal_bids, auction.to_speak, auction.redeal) == ((), None, False)
    assert auction.calls == [(1, 0), (2, 1), (0, 0)]
    assert str(auction) == "seat 1 pass, seat 2 1, seat 0 pass: seat 2 is the landlord at 1"


def test_r3_1_a_bid_of_3_ends_it_at_once():
    auction = Auction(CLASSIC, first=2)
    auction.bid(3)
    assert (auction.done, auction.landlord, auction.stake_bid) == (True, 2, 3)


def test_r3_3_pass_pass_1_is_not_over():
    auction = Auction(TABLETOP)
    for bid in (0, 0, 1):
        auction.bid(bid)
    assert not auction.done
    auction.bid(0)
    auction.bid(0)
    assert auction.landlord == 2


def test_r3_3_a_seat_that_was_outbid_may_bid_again():
    # The clause's own case: 1, 2, pass, 3 gives seat 0 the hand.
    auction = Auction(TABLETOP)
    for bid in (1, 2, 0, 3):
        auction.bid(bid)
    assert (auction.landlord, auction.stake_bid) == (0, 3)


@pytest.mark.parametrize("rules", [CLASSIC, TABLETOP], ids=str)
def test_r2_4_all_pass_is_a_redeal(rules):
    auction = Auction(rules)
    for _ in range(3):
        assert not auction.done
        auction.bid(0)
    assert (auction.done, auction.redeal, auction.landlord) == (True, True, None)


def naive_auction(calls: tuple[int, ...], rounds: bool) -> tuple[int | None, int] | None:
    """The clauses read word for word, from seat 0: (landlord, bid), or None when not over."""
    high, who = 0, None
    for at, bid in enumerate(calls):
        if bid:
            high, who = bid, at % 3
    if high == 3:
        return who, 3
    if not any(calls):
        return (None, 0) if len(calls) == 3 else None
    over = calls[-2:] == (0, 0) if rounds else len(calls) == 3
    return (who, high) if over else None


@pytest.mark.parametrize("rules", [CLASSIC, TABLETOP], ids=str)
def test_r3_every_auction_ends_as_the_clauses_say(rules):
    seen = 0
    for calls in product(range(4), repeat=7):
        auction = Auction(rules)
        for at, bid in enumerate(calls):
            if auction.done or bid not in auction.legal_bids:
                break
            auction.bid(bid)
            end = naive_auction(calls[: at + 1], rules.auction == "rounds")
            assert auction.done == (end is not None), calls[: at + 1]
            if end:
                assert (auction.landlord, auction.stake_bid) == end
                seen += 1
    assert seen > 100


def test_auction_errors_name_the_bid_and_the_clause():
    auction = Auction()
    auction.bid(1)
    for bid in (1, 4, -1):
        with pytest.raises(AuctionError) as caught:
            auction.bid(bid)
        assert str(caught.value) == f"bid {bid}: pass (0) or one of 2, 3 (R3.1)"
    auction.bid(3)
    with pytest.raises(AuctionError) as caught:
        auction.bid(0)
    assert str(caught.value) == "bid 0: the auction is over (R3)"
    with pytest.raises(AuctionError) as caught:
        Auction(first=3)
    assert str(caught.value) == "first=3: a seat from 0 to 2"


# R7: play, by hand


def begun(**options: int) -> Round:
    """The spring deal, seat 0 landlord at 3."""
    game = Round(SPRING_DEAL, **options)  # type: ignore[arg-type]
    game.bid(3)
    return game


def test_a_round_goes_through_its_phases():
    game = Round(SPRING_DEAL)
    assert (game.phase, game.to_act, game.result, game.scores) == ("auction", 0, None, (0, 0, 0))
    game.bid(0)
    assert game.to_act == 1
    game.bid(2)
    game.bid(0)
    assert (game.phase, game.landlord, game.stake_bid, game.to_act) == ("play", 1, 2, 1)
    # R3.4: the landlord holds the kitty.
    assert game.hands[1] == Hand.parse("33344455566677788AAD")
    assert [len(hand) for hand in game.hands] == [17, 20, 17]


def test_r7_1_the_leader_must_play():
    game = begun()
    with pytest.raises(PlayError) as caught:
        game.play(None)
    assert str(caught.value) == "a leader must play, and cannot pass (R7.1)"
    assert game.turns == []


def test_r7_1_a_follower_may_pass_and_play_again_in_the_same_trick():
    game = begun()
    game.play("3")
    game.play(None)
    game.play("8")
    game.play("9")
    assert game.to_act == 1
    with pytest.raises(ComboError):
        game.play("8")
    game.play(None)
    game.play("T")
    assert str(game.over) == str(game.turns[-1].combo)


def test_r7_2_when_all_others_pass_the_last_to_play_leads():
    game = begun()
    game.play("3")
    game.play("7")
    game.play(None)
    assert game.over is not None
    game.play(None)
    assert (game.to_act, game.over) == (1, None)
    with pytest.raises(PlayError, match="a leader must play"):
        game.play(None)
    game.play("333")
    assert game.over is not None
    assert game.over.kind == "trio"


def test_r7_3_the_round_ends_when_a_hand_is_empty():
    game = begun()
    for cards in ("3456789TJQKA", None, None, "AA", None, None, "2222", None, None, "XD"):
        assert game.phase == "play"
        game.play(cards)
    assert (game.phase, game.winner, game.to_act) == ("over", 0, None)
    with pytest.raises(PlayError) as caught:
        game.play(None)
    assert str(caught.value) == "pass: the round is over"
    with pytest.raises(PlayError) as caught:
        game.view()
    assert str(caught.value) == "there is a view only while cards are played"


def test_r7_3_a_peasants_last_card_wins_for_all_peasants():
    game = Round(SPRING_DEAL, landlord=1)
    game.play("3")
    game.play("8")
    game.play("2222")
    for cards in (None, None, "3456789TJQKA", None, None, "X"):
        game.play(cards)
    assert (game.winner, game.landlord) == (0, 1)
    # Base 10, bid 1 without an auction; doubled by the bomb, and by the anti-spring (R8.3).
    assert game.scores == (40, -80, 40)
    assert game.result is not None
    assert (game.result.anti_spring, game.result.spring) == (True, False)


def test_play_errors_name_what_is_wrong():
    game = Round(SPRING_DEAL)
    with pytest.raises(PlayError) as caught:
        game.play("3")
    assert str(caught.value) == "3: the round is in its auction"
    game.bid(3)
    with pytest.raises(AuctionError) as called:
        game.bid(3)
    assert str(called.value) == "bid 3: the auction is over (R3)"
    with pytest.raises(PlayError) as caught:
        game.play("33")
    assert str(caught.value) == ("33 is not in the hand 3456789TJQKAAA2222XD, which lacks 3 (R7)")
    with pytest.raises(ComboError):
        game.play("34")
    with pytest.raises(CardError):
        game.play("33333")
    with pytest.raises(PlayError) as caught:
        Round(SPRING_DEAL, landlord=3)
    assert str(caught.value) == "landlord=3: a seat from 0 to 2"
    assert game.turns == []


def test_playing_with_too_few_or_unknown_bots_is_refused():
    with pytest.raises(PlayError) as caught:
        play(SPRING_DEAL, ("random", "random"))
    assert str(caught.value) == "2 bots for 3 seats"
    with pytest.raises(SeatError, match="no bot 'nobody'"):
        play(SPRING_DEAL, ("nobody",) * 3)


def test_a_refused_play_changes_nothing():
    game = begun()
    game.play("3")
    before = (game.hands, game.to_act, len(game.turns), str(game.over))
    for cards in ("3", "99", "T9", "XD", "nonsense"):
        with pytest.raises(DdzError):
            game.play(cards)
    assert (game.hands, game.to_act, len(game.turns), str(game.over)) == before


# R12 of the cases: the last action is the last one, not the first


def test_case_r12_the_history_keeps_every_action_in_order():
    # P0:3, P1:5, P2:pass, P0:8: the landlord's last action is the 8.
    game = begun()
    for cards in ("3", "5", None, "8"):
        game.play(cards)
    assert [(turn.seat, str(turn)) for turn in game.turns] == [
        (0, str(game.turns[0].combo)),
        (1, str(game.turns[1].combo)),
        (2, "pass"),
        (0, str(game.turns[3].combo)),
    ]
    last = next(turn for turn in reversed(game.turns) if turn.seat == game.landlord)
    assert last.combo is not None
    assert last.combo.cards == Hand.parse("8")
    public = game.view().public
    assert (int(public["turns"]), int(public["over_seat"])) == (4, 0)
    assert [int(cards) for cards in public["cards"][:4]] == [
        Hand.parse(text).packed for text in ("3", "5", "", "8")
    ]
    assert int(public["played"][0]) == Hand.parse("38").packed
    assert [int(left) for left in public["left"][:3]] == [18, 16, 17]


# R8: what a round is worth


@pytest.mark.parametrize(
    ("rules", "facts", "stake", "landlord"),
    [
        # base x bid x 2^k; the landlord gets or pays two stakes (R8.1, R8.2, R8.4).
        ("classic", {"bid": 1}, 10, 20),
        ("classic", {"bid": 3, "won": False}, 30, -60),
        ("kawu", {"bid": 3, "bombs": 2, "rockets": 1}, 24, 48),
        ("classic", {"bid": 2, "bombs": 1}, 40, 80),
        # R8.3: spring and anti-spring double once.
        ("classic", {"bid": 1, "peasants": (0, 0)}, 20, 40),
        ("classic", {"bid": 1, "plays": 1, "peasants": (0, 0)}, 20, 40),
        ("classic", {"bid": 1, "won": False, "plays": 1}, 20, -40),
        ("classic", {"bid": 1, "won": False, "plays": 2}, 10, -20),
        ("classic", {"bid": 1, "peasants": (0, 1)}, 10, 20),
        # The peers count no spring (R8.3).
        ("douzero", {"bid": 1, "peasants": (0, 0)}, 1, 2),
        # No cap (R8.1): 10 x 3 x 2^10.
        ("classic", {"bid": 3, "bombs": 9, "rockets": 1}, 30_720, 61_440),
    ],
)
def test_r8_a_round_is_worth(rules, facts, stake, landlord):
    result = settle(
        RULESETS[rules],
        bid=facts["bid"],
        bombs=facts.get("bombs", 0),
        rockets=facts.get("rockets", 0),
        landlord_won=facts.get("won", True),
        landlord_plays=facts.get("plays", 5),
        peasant_plays=facts.get("peasants", (3, 2)),
    )
    assert (result.stake, result.landlord) == (stake, landlord)
    assert result.landlord + sum(result.peasants) == 0
    assert result.base * result.bid * result.multiplier == result.stake


def test_settling_what_cannot_be_is_refused():
    facts = {
        "bid": 1,
        "bombs": 0,
        "rockets": 0,
        "landlord_won": True,
        "landlord_plays": 1,
        "peasant_plays": (1, 1),
    }
    for change, text in (
        ({"bid": 0}, "bid 0: 1, 2 or 3 (R3.1)"),
        ({"bombs": -1}, "bombs, rockets and plays are counts: none below 0"),
        ({"peasant_plays": (1,)}, "peasant_plays=(1,): one count for each of 2 peasants"),
    ):
        with pytest.raises(DdzError) as caught:
            settle(CLASSIC, **(facts | change))
        assert str(caught.value) == text


GOLDEN = """\
Deal {code} · classic
  seat 0   3 4 5 6 7 8 9 T J Q K A 2222 X
  seat 1   333 444 555 666 777 88
  seat 2   8 999 TTT JJJ QQQ KKK A
  kitty    AA D
Auction: seat 0 bids 3: seat 0 is the landlord at 3
Value: 10 × 3 × 1 = 30

  1  seat 0L  3456789TJQKA   8 left: AA 2222 X D
  2  seat 1   pass          17 left: 333 444 555 666 777 88
  3  seat 2   pass          17 left: 8 999 TTT JJJ QQQ KKK A
  4  seat 0L  AA             6 left: 2222 X D
  5  seat 1   pass          17 left: 333 444 555 666 777 88
  6  seat 2   pass          17 left: 8 999 TTT JJJ QQQ KKK A
  7  seat 0L  2222           2 left: X D   2 cards left!
              Value: 10 × 3 × 2 = 60
  8  seat 1   pass          17 left: 333 444 555 666 777 88
  9  seat 2   pass          17 left: 8 999 TTT JJJ QQQ KKK A
 10  seat 0L  XD            out
              Value: 10 × 3 × 4 = 120

Seat 0 is out: the landlord wins
  Base                 10
  Bid                   3  × 3
  Bombs                 1  × 2
  Rockets               1  × 2
  Spring                1  × 2
  Stake               240  = 10 × 3 × 8
  Seat 0 (landlord)  +480  out
  Seat 1             -240  held 333 444 555 666 777 88
  Seat 2             -240  held 8 999 TTT JJJ QQQ KKK A
  Kitty              AA D
  Deal               {code}"""


def test_the_story_of_a_round():
    game = begun()
    for cards in ("3456789TJQKA", None, None, "AA", None, None, "2222", None, None, "XD"):
        game.play(cards)
    assert str(game) == GOLDEN.format(code=SPRING_DEAL.code)
    assert str(game.result) == "10 × 3 × 8 = 240: landlord +480, each peasant -240"
    assert (game.played("bomb"), game.played("rocket"), game.plays_of(0)) == (1, 1, 4)


# R2.4: dealt again, and passed out


def test_r2_4_a_redeal_is_part_of_the_same_round():
    game = Round(SPRING_DEAL)
    for _ in range(3):
        game.bid(0)
    assert (game.phase, game.redeals, game.deal) == ("auction", 1, SPRING_DEAL)
    assert game.dealt != SPRING_DEAL
    # classic: the next seat speaks first.
    assert game.dealt.first_bidder == game.to_act == 1
    again = Round(SPRING_DEAL)
    for _ in range(3):
        again.bid(0)
    assert again.dealt == game.dealt
    game.bid(2)
    game.bid(0)
    game.bid(0)
    assert (game.landlord, len(game.auctions)) == (1, 2)
    assert "All passed, dealt again 1 time; the last deal:" in str(game)


@pytest.mark.parametrize("rules", ["classic", "tabletop", "openspiel"])
def test_r2_4_a_round_that_all_pass_is_passed_out(rules):
    held = RULESETS[rules]
    game = play(SPRING_DEAL, ("random:bid=never",) * 3, held)
    assert (game.phase, game.redeals) == ("over", held.redeal_limit)
    assert (game.landlord, game.winner, game.result, game.scores) == (None, None, None, (0, 0, 0))
    assert game.turns == []
    assert "\nPassed out: no landlord, no points\n" in str(game)
    # Every deal is another one, and each has its auction.
    assert len(game.auctions) == held.redeal_limit + 1


# `play` and the log are the same round


def log_rows(config: RunConfig) -> tuple[list[dict], dict[int, list[tuple]]]:
    """A run's rows, and the turns of each round."""
    rounds, turns = play_part(config, 0)[:2]
    rows = arrow_table(rounds, schema.ROUNDS, config).to_pylist()
    by_round: dict[int, list[tuple]] = {row["round"]: [] for row in rows}
    for turn in arrow_table(turns, schema.PLAYS, config).to_pylist():
        by_round[turn["round"]].append((turn["seat"], turn["cards"], turn["kind"], turn["left"]))
    return rows, by_round


def check_replays(config: RunConfig) -> list[dict]:
    rows, by_round = log_rows(config)
    for row in rows:
        game = replay(config, row["round"], index_of(row))
        due = row_of(game)
        assert {name: row[name] for name in due} == due
        assert row["faults"] == 0
        assert by_round[row["round"]] == turns_of(game)
    return rows


@pytest.mark.parametrize("rules", RULESETS)
def test_play_is_the_row_of_the_log(rules):
    bots = MIXED + ",normal" * (RULESETS[rules].players - 3)
    config = RunConfig(seed=11, games=200, first=1000, rules=rules, log="plays", bots=bots)
    assert len(check_replays(config)) == 200


MIXED = "random,easy,normal:bid=points"


@pytest.mark.parametrize("forced", ["0", "1", "2", "rotate"])
@pytest.mark.parametrize("rules", RULESETS)
def test_play_is_the_row_of_the_log_when_the_landlord_is_forced(rules, forced):
    config = RunConfig(
        seed=12, games=25, first=7, rules=rules, log="plays", bots="random", force_landlord=forced
    )
    rows = check_replays(config)
    for row in rows:
        seat = row["round"] % RULESETS[rules].players if forced == "rotate" else int(forced)
        assert (row["landlord"], row["bid"], row["auction"], row["redeals"]) == (seat, 1, "", 0)


@pytest.mark.parametrize("rules", ["classic", "tabletop", "stakes", "openspiel"])
def test_play_is_the_row_of_the_log_after_redeals(rules):
    bots = "random:bid=never,random:bid=never,random:bid=points"
    config = RunConfig(seed=13, games=100, rules=rules, log="plays", bots=bots)
    redeals = [row["redeals"] for row in check_replays(config)]
    # Under the points rule a hand is worth no bid a quarter of the time (0.2474 exactly): of 100
    # rounds about 25 are dealt again, if the rules do so.
    assert sum(count > 0 for count in redeals) > 10 or rules == "openspiel"


# R11 of the cases: what is revealed at the end is what was dealt


@pytest.mark.parametrize("first", range(3))
@pytest.mark.parametrize("rules", ["classic", "tabletop", "kawu", "stakes"])
def test_case_r11_revealed_hands_are_the_dealt_hands(rules, first):
    for number in range(20):
        deal = Deal.of_round(3, number).with_first_bidder(first)
        game = play(deal, ("random:bid=always3",) * 3, RULESETS[rules])
        assert game.landlord == first
        for seat in range(3):
            shown = game.hands[seat]
            for turn in game.turns:
                if turn.seat == seat and turn.combo is not None:
                    shown = shown + turn.combo.cards
            dealt = deal.hands[seat]
            assert shown == (dealt + deal.kitty if seat == first else dealt)
        assert game.dealt == deal


# R10: what a bot may know, and what its choices come from

POSITIONS = 2000


def choose(seat: Seat, game: Round, word: int) -> tuple[int, int]:
    """A seat's choice in a round, from a stream at a word."""
    stream = np.zeros(1, STREAM)[0]
    stream["word"][0] = np.uint64(word)
    cards, shape = compiled(seat.bot)(game.view(), new_work()._replace(stream=stream))
    return int(cards), int(shape)


def redistribute(game: Round, draw: np.random.Generator) -> bool:
    """Deal the others the cards that the seat to act does not see anew; whether they changed."""
    hidden, seat = game._table.hidden["hands"], game.to_act
    others = [other for other in range(3) if other != seat]
    before = [int(hidden[other]) for other in others]
    pool = list(str(sum((Hand(cards) for cards in before), Hand(0))))
    draw.shuffle(pool)
    size = len(Hand(before[0]))
    hidden[others[0]] = Hand.parse("".join(pool[:size])).packed
    hidden[others[1]] = Hand.parse("".join(pool[size:])).packed
    if not game.rules.kitty_shown and seat != game.landlord:
        # What a peasant may not see of the kitty is another one too.
        hidden[3] = Hand.parse("".join(pool[:3])).packed
    return before != [int(hidden[other]) for other in others]


@pytest.mark.parametrize("rules", ["classic", "tabletop"])
@pytest.mark.parametrize("name", BOTS)
def test_r10_1_hidden_cards_never_change_a_choice(name, rules):
    draw = np.random.default_rng(4)
    seat = Seat.parse(name)
    looked = number = 0
    while looked < POSITIONS // 2:
        number += 1
        game = Round(Deal.of_round(21, number), RULESETS[rules], landlord=number % 3)
        while game.phase == "play":
            word = int(draw.integers(1 << 63))
            cards, shape = choose(seat, game, word)
            kept, seen = game._table.hidden["hands"].copy(), game.view()[:-1]
            if redistribute(game, draw):
                looked += 1
                assert game.view()[:-1] == seen, str(game)
                assert choose(seat, game, word) == (cards, shape), str(game)
            game._table.hidden["hands"][:] = kept
            game.play(None if shape == 0 else Hand(cards))


@pytest.mark.parametrize("name", BOTS)
def test_r10_5_equal_bots_are_interchangeable(name):
    bot = Seat.parse(name)
    twin = replace(bot, bot=replace(bot.bot, name="twin"))
    for number in range(40):
        deal = Deal.of_round(22, number)
        stories = []
        for seats in ((bot, bot, bot), (twin, bot, twin), (bot, twin, bot)):
            game = play(deal, seats)
            stories.append((turns_of(game), game.scores, game.redeals))
        assert stories[0] == stories[1] == stories[2]


@pytest.mark.parametrize("name", BOTS)
def test_r2_2_a_round_follows_from_its_deal_alone(name):
    deal = Deal.of_round(23, 5)
    first = play(deal, (name,) * 3)
    play(Deal.of_round(24, 1), (name,) * 3)
    assert str(play(Deal.from_code(first.deal.code), (name,) * 3)) == str(first)
