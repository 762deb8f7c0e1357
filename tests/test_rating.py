"""What a hand is worth before the auction, and the line that says so (R11)."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given
from strategies import hands, random_hands

from ddzsim.bots.advice import rate
from ddzsim.cards import Hand
from ddzsim.combos import min_plays
from ddzsim.core.jit import COMPILED
from ddzsim.core.rating import points
from ddzsim.errors import CardError
from ddzsim.rules import RuleSet


@given(hand=hands(1, 17))
def test_r11_1_big_cards_and_bombs_agree_with_the_naive_ones(rules: RuleSet, hand: str):
    rating = rate(hand, rules)
    assert (rating.big, rating.bombs) == naive.rating(hand)
    assert rating.plays == min_plays(hand, rules)


@pytest.mark.parametrize(
    ("hand", "big", "bombs"),
    [
        ("3", 0, 0),
        ("X", 1, 0),
        # The rocket is two big cards and a bomb, four 2s are four and one.
        ("XD", 2, 1),
        ("2222", 4, 1),
        ("2222XD", 6, 2),
        ("33334444", 0, 2),
        ("222AAA", 3, 0),
    ],
)
def test_r11_1_examples(hand: str, big: int, bombs: int):
    rating = rate(hand)
    assert (rating.big, rating.bombs) == (big, bombs)


def test_r11_2_three_big_cards_no_bombs_seven_plays_bid_1():
    found = 0
    for hand in random_hands(51, 17, 3000 if COMPILED else 60):
        rating = rate(hand)
        if (rating.big, rating.bombs, rating.plays) == (3, 0, 7):
            found += 1
            assert str(rating) == "3 big cards, 0 bombs, about 7 plays → bid 1"
    # About .15 of hands hold 3 big cards and no bomb, and about .2 of those need 7 plays.
    assert found > 0 or not COMPILED


@pytest.mark.parametrize(
    ("hand", "line"),
    [
        ("3", "0 big cards, 0 bombs, about 1 play → pass"),
        ("2222", "4 big cards, 1 bomb, about 1 play → bid 3"),
        ("D", "1 big card, 0 bombs, about 1 play → bid 1"),
    ],
)
def test_the_line_counts_in_words(hand: str, line: str):
    assert rate(hand).line() == line


def test_what_is_no_hand_has_no_rating():
    with pytest.raises(CardError):
        rate("33333")


# The points rule that many public projects bid by


def points_of(hand: str) -> int:
    return int(points(np.uint64(Hand.parse(hand).packed)))


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        # Rocket 8, bomb 6, big joker 4, small joker 3, each 2 counts 2; 2222 counts 4 x 2 + 6 = 14.
        ("XD", 8),
        ("D", 4),
        ("X", 3),
        ("2", 2),
        ("2222", 14),
        ("3333", 6),
        ("33334444XD22", 6 + 6 + 8 + 4),
        ("3456789TJQKA", 0),
    ],
)
def test_the_points_rule(hand: str, expected: int):
    assert points_of(hand) == expected


def test_the_points_rule_bids_as_often_as_it_must():
    number = 20_000 if COMPILED else 500
    worth = np.array([points_of(hand) for hand in random_hands(52, 17, number)])
    # Exact over 17 cards: mean 5.404263; pass .247420, 1 .212676, 2 .220938, 3 .318965.
    assert abs(worth.mean() - 5.404263) < 5 * worth.std() / number**0.5
    bids = np.digitize(worth, [3, 5, 7])
    for bid, share in enumerate((0.247420, 0.212676, 0.220938, 0.318965)):
        error = (share * (1 - share) / number) ** 0.5
        assert abs((bids == bid).mean() - share) < 5 * error, bid
