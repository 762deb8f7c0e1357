"""Rating and advice over many hands and auctions, against exact numbers (R11)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
import pytest
from strategies import DECK, random_hands

from ddzsim.bots.advice import ADVICE, OUT_OF_REACH, Advice, Rating, advice_of, rate
from ddzsim.cards import RANKS, Hand, rank_capacity
from ddzsim.core.jit import COMPILED, kernel
from ddzsim.core.plan import score
from ddzsim.core.rating import points
from ddzsim.engine.config import RunConfig
from ddzsim.engine.parts import play_part
from ddzsim.errors import CardError, SeatError
from ddzsim.rules import CLASSIC, RULESETS

HANDS = 2_000 if COMPILED else 60

many = pytest.mark.skipif(not COMPILED, reason="needs many hands")


# R11.2: the line


@cache
def rated() -> tuple[Rating, ...]:
    """Dealt hands, rated."""
    return tuple(rate(hand) for hand in random_hands(61, 17, HANDS))


def test_r11_2_the_line_of_the_sheets_shape():
    shaped = [rating for rating in rated() if (rating.big, rating.bombs, rating.plays) == (3, 0, 7)]
    assert shaped or not COMPILED
    for rating in shaped:
        assert rating.line() == "3 big cards, 0 bombs, about 7 plays → bid 1"
        assert str(rating) == rating.line("default")
        assert rating.advice() == 1


def rating_of(big: int, bombs: int, plays: int) -> Rating:
    """A rating with any numbers: `default` looks at nothing else."""
    return Rating(Hand.parse("3"), CLASSIC, big, bombs, plays)


def test_r11_2_exactly_this_shape_bids_1_whatever_the_cards():
    assert rating_of(3, 0, 7).advice() == 1
    assert ADVICE["default"].measure == "rating"


@pytest.mark.parametrize(
    ("shape", "line"),
    [
        ((0, 0, 9), "0 big cards, 0 bombs, about 9 plays → pass"),
        ((1, 1, 1), "1 big card, 1 bomb, about 1 play → bid 2"),
        ((2, 2, 2), "2 big cards, 2 bombs, about 2 plays → bid 3"),
    ],
)
def test_r11_2_the_line_has_singular_and_plural(shape, line):
    # 4 a big card, 6 a bomb, less 1 a play: 4 + 6 - 1 = 9, from 6 on a bid of 2, from 10 on of 3.
    assert rating_of(*shape).line() == line


def test_the_line_names_the_bid_of_the_advice_asked_for():
    rating = rate("33")
    assert rating.line("always3").endswith("→ bid 3")
    assert rating.line("never").endswith("→ pass")
    with pytest.raises(SeatError):
        rating.line("no such")


# R11.1: what is counted


def test_r11_1_big_cards_and_bombs_are_counted():
    for rating in rated():
        text = str(rating.hand)
        assert rating.big == sum(text.count(card) for card in "2XD")
        fours = sum(text.count(card) == 4 for card in RANKS)
        assert rating.bombs == fours + ("X" in text and "D" in text)


def test_r11_1_plays_follow_the_rule_set():
    # 888899 is a four with two single kickers only where those may be equal (R5.3).
    assert rate("888899").plays == 1
    assert rate("888899", RULESETS["kawu"]).plays == 2


def test_cards_that_are_no_hand_have_no_rating():
    with pytest.raises(CardError):
        rate("33333")


# What an advice may be


def test_there_is_no_other_advice():
    assert set(ADVICE) == {"default", "points", "decomposition", "never", "always3"}
    assert all(advice.name == name and advice.doc for name, advice in ADVICE.items())
    with pytest.raises(SeatError, match="default, points"):
        advice_of("best")


@pytest.mark.parametrize("advice", ADVICE.values(), ids=ADVICE)
def test_a_higher_bid_asks_for_no_less(advice: Advice):
    assert list(advice.cutoffs) == sorted(advice.cutoffs)


def test_r11_2_a_big_card_a_bomb_or_a_play_fewer_never_lowers_the_bid():
    for big in range(7):
        for bombs in range(4):
            for plays in range(1, 15):
                bid = rating_of(big, bombs, plays).advice()
                assert rating_of(big + 1, bombs, plays).advice() >= bid
                assert rating_of(big, bombs + 1, plays).advice() >= bid
                assert rating_of(big, bombs, plays + 1).advice() <= bid


def spare(hand: Hand, big: str) -> bool:
    """Whether a hand may gain a big card: the deck has one more of it."""
    return hand.count(big) < rank_capacity(RANKS.index(big))


def test_a_hand_that_gains_a_big_card_is_not_told_to_bid_less():
    # It takes one more play at most: 4 - 1 > 0.
    for rating in rated():
        for big in filter(lambda card: spare(rating.hand, card), "2XD"):
            better = rate(rating.hand + Hand.parse(big))
            assert better.plays <= rating.plays + 1
            assert better.advice() >= rating.advice()


def test_a_big_card_for_a_low_one_never_lowers_the_bid_but_where_a_long_play_falls_apart():
    looked = 0
    for rating in rated()[: HANDS // 4]:
        for big in filter(lambda card: spare(rating.hand, card), "2XD"):
            for low in sorted(set(str(rating.hand)) - set("2XD")):
                if rating.hand.count(low) == 4:
                    continue
                better = rate(rating.hand - Hand.parse(low) + Hand.parse(big))
                assert better.big == rating.big + 1
                # A big card counts 4, so that it takes five plays more to be worth less.
                if better.plays <= rating.plays + 4:
                    looked += 1
                    assert better.advice() >= rating.advice()
    assert looked > 5 * HANDS


# The points rule: exact


@cache
def points_of_deals() -> dict[int, Fraction]:
    """The chance of each number of points of 17 cards, rank by rank.

    Four of a rank count 6, a 2 counts 2, the jokers 3, 4 and 8 together.
    """
    ways: Counter[tuple[int, int]] = Counter({(0, 0): 1})
    for _ in range(12):
        ways = _with_rank(ways, [0, 0, 0, 0, 6])
    ways = _with_rank(ways, [0, 2, 4, 6, 8 + 6])
    jokers = Counter[tuple[int, int]]()
    for (cards, worth), number in ways.items():
        for held, more in ((0, 0), (1, 3), (1, 4), (2, 8)):
            jokers[cards + held, worth + more] += number
    deals = comb(54, 17)
    return {worth: Fraction(n, deals) for (cards, worth), n in jokers.items() if cards == 17}


def _with_rank(ways: Counter[tuple[int, int]], worths: list[int]) -> Counter[tuple[int, int]]:
    """The ways to hold cards and points, when one more rank of four cards is dealt from."""
    more = Counter[tuple[int, int]]()
    for (cards, worth), number in ways.items():
        for held, extra in enumerate(worths):
            more[cards + held, worth + extra] += number * comb(4, held)
    return more


def test_the_points_of_a_deal_are_the_known_ones():
    chances = points_of_deals()
    assert sum(chances.values()) == 1
    assert float(sum(worth * chance for worth, chance in chances.items())) == pytest.approx(
        5.404263, abs=5e-7
    )
    bids = [0.0] * 4
    for worth, chance in chances.items():
        bids[points_bid(worth)] += float(chance)
    assert bids == pytest.approx([0.247420, 0.212676, 0.220938, 0.318965], abs=6e-7)


def points_bid(worth: int) -> int:
    """7 or more bids 3, 5 or more 2, 3 or more 1."""
    return 3 if worth >= 7 else 2 if worth >= 5 else 1 if worth >= 3 else 0


def test_the_points_of_hands_come_as_often_as_they_must():
    hands = random_hands(62, 17, 40_000 if COMPILED else 500)
    seen = Counter(int(points(np.uint64(Hand.parse(hand).packed))) for hand in hands)
    for worth, chance in points_of_deals().items():
        due = float(chance) * len(hands)
        assert abs(seen[worth] - due) < 5 * max(due, 1) ** 0.5 + 1, worth
    assert set(seen) <= set(points_of_deals())


def test_the_points_advice_bids_by_the_points():
    for rating in rated():
        worth = int(points(np.uint64(rating.hand.packed)))
        assert rating.advice("points") == points_bid(worth)


# Auctions of 400,000 deals

DEALS = 400_000


def near(count: int, share: float, trials: int) -> bool:
    """Whether a count is within 5 standard errors of a share, and the digits it is given to."""
    error = (share * (1 - share) * trials) ** 0.5
    return bool(abs(count - share * trials) < 5 * error + 1e-5 * trials)


@cache
def point_bidders() -> np.ndarray:
    """The auction rows of three that bid by points, and of whoever plays fastest."""
    config = RunConfig(seed=71, games=DEALS, bots="random:bid=points")
    fields = ["redeals", "first", "landlord", "bid"]
    return np.concatenate(
        [play_part(config, part)[0][fields].copy() for part in range(config.parts)]
    )


@many
def test_three_that_bid_by_points_bid_as_published():
    rows = point_bidders()
    # A deal that all pass is dealt again: only the first auction of a round is of one deal.
    first = rows[rows["redeals"] == 0]
    assert near(len(rows) - len(first), 0.00003, DEALS)
    for bid, share in ((1, 0.01013), (2, 0.19317), (3, 0.79668)):
        assert near(int((first["bid"] == bid).sum()), share, DEALS), bid


@many
def test_the_3_goes_to_the_first_callers_as_published():
    rows = point_bidders()
    threes = rows[(rows["redeals"] == 0) & (rows["bid"] == 3)]
    caller = (threes["landlord"] - threes["first"]) % 3
    for place, share in enumerate((0.4005, 0.3306, 0.2689)):
        assert near(int((caller == place).sum()), share, len(threes)), place


@pytest.mark.parametrize("rules", ["classic", "tabletop", "kawu", "stakes"])
def test_those_that_never_bid_are_passed_out_after_64_redeals(rules):
    config = RunConfig(seed=72, games=20, bots="random:bid=never", rules=rules)
    rows = play_part(config, 0).rounds
    assert (rows["landlord"] == -1).all()
    assert (rows["winner"] == -1).all()
    assert (rows["redeals"] == 64).all()
    assert (rows["bid"] == 0).all()
    assert not rows["score"].any()


@pytest.mark.parametrize("rules", ["classic", "tabletop", "kawu", "stakes"])
def test_one_that_always_bids_3_takes_it_at_once(rules):
    config = RunConfig(seed=73, games=60, bots="random:bid=always3", rules=rules)
    rows = play_part(config, 0).rounds
    assert (rows["landlord"] == rows["first"]).all()
    assert (rows["bid"] == 3).all()
    assert (rows["redeals"] == 0).all()
    # One call, a 3, after the leading 1 of the record.
    assert (rows["auction"] == 0b1_11).all()


def test_the_two_that_look_at_no_hand():
    for rating in rated()[:200]:
        assert rating.advice("never") == 0
        assert rating.advice("always3") == 3
        assert abs(10 * rating.big + 10 * rating.bombs + rating.plays) < OUT_OF_REACH


# The decomposition score


@kernel
def scores_of(hands: np.ndarray, out: np.ndarray) -> None:
    """The doubled score of each hand."""
    for at in range(len(hands)):
        out[at] = score(hands[at])


def dealt(seed: int, count: int) -> np.ndarray:
    """Packed hands of 17 cards."""
    source = np.random.default_rng(seed)
    units = np.array([1 << 4 * RANKS.index(card) for card in DECK], np.uint64)
    order = np.argpartition(source.random((count, len(DECK))), 17, axis=1)[:, :17]
    return units[order].sum(axis=1)


@many
def test_the_decomposition_score_bids_as_often_as_published():
    hands = np.concatenate([dealt(seed, 50_000) for seed in range(6)])
    out = np.zeros(len(hands), np.int64)
    scores_of(hands, out)
    bids = np.digitize(out, ADVICE["decomposition"].cutoffs)
    shares = np.bincount(bids, minlength=4) / len(hands)
    # Below 10 pass, 10 to 14 bid 1, 15 to 19 bid 2, 20 and more bid 3.
    assert shares == pytest.approx([0.646, 0.187, 0.098, 0.069], abs=0.003)


def test_the_decomposition_advice_bids_by_the_score():
    for rating in rated()[:300]:
        doubled = int(score(np.uint64(rating.hand.packed)))
        bid = sum(doubled >= cutoff for cutoff in (20, 30, 40))
        assert rating.advice("decomposition") == bid
