"""Settlement (R8): the examples of the rule sheets, and small rounds against the naive twin."""

from __future__ import annotations

from itertools import product

import naive
import pytest
from strategies import DECK, ONE_DECK

from ddzsim.combos import classify, legal_plays
from ddzsim.core.scoring import doubles
from ddzsim.game import Settlement, settle
from ddzsim.rules import RULESETS, RuleSet

LATE = {"landlord_plays": 6, "peasant_plays": (3, 2)}
"""A round with neither spring."""

SPRINGING = [rules for rules in ONE_DECK.values() if rules.spring]


def worth(result: Settlement) -> naive.Worth:
    return naive.Worth(result.stake, result.landlord, result.peasants)


def test_r8_settlements_agree_with_the_naive_ones(any_rules: RuleSet):
    rules = any_rules
    grid = product(
        (1, 2, 3), range(4), range(2), (True, False), range(1, 4), ((0, 0), (0, 1), (2, 0), (3, 2))
    )
    for bid, bombs, rockets, won, landlord_plays, two_peasants in grid:
        peasant_plays = two_peasants + (0,) * (rules.players - 3)
        facts = {
            "bid": bid,
            "bombs": bombs,
            "rockets": rockets,
            "landlord_won": won,
            "landlord_plays": landlord_plays,
            "peasant_plays": peasant_plays,
        }
        result = settle(rules, **facts)
        assert worth(result) == naive.settle(rules, **facts), facts
        assert result.landlord + sum(result.peasants) == 0  # R8.4
        assert result.stake == result.base * result.bid * result.multiplier  # R8.1
        assert result.spring == (won and not any(peasant_plays))
        assert result.anti_spring == (not won and landlord_plays == 1)


@pytest.mark.parametrize(
    ("name", "facts", "expected"),
    [
        # Classic's sheet: bid 3, one bomb, the landlord springs: 10 x 3 x 2 x 2.
        (
            "classic",
            {"bid": 3, "bombs": 1, "landlord_won": True, "peasant_plays": (0, 0)},
            naive.Worth(120, 240, (-120, -120)),
        ),
        # Tabletop's: a bid of 2, one bomb and the rocket: 2 x 2 x 2.
        ("tabletop", {"bid": 2, "bombs": 1, "rockets": 1}, naive.Worth(8, 16, (-8, -8))),
        (
            "tabletop",
            {"bid": 2, "bombs": 1, "rockets": 1, "landlord_won": False},
            naive.Worth(8, -16, (8, 8)),
        ),
        # Kawu's: bid 2, one bomb, the landlord wins.
        ("kawu", {"bid": 2, "bombs": 1}, naive.Worth(4, 8, (-4, -4))),
        # The stakes sheet's: one rocket and two bombs, so the factor is 8.
        ("stakes", {"bid": 1, "bombs": 2, "rockets": 1}, naive.Worth(8, 16, (-8, -8))),
        # R8.4: three legs with four players, so that the landlord gets three stakes.
        (
            "tabletop-4p",
            {"bid": 2, "bombs": 1, "rockets": 1, "peasant_plays": (3, 2, 0)},
            naive.Worth(8, 24, (-8, -8, -8)),
        ),
    ],
)
def test_r8_the_examples_of_the_sheets(name: str, facts: dict, expected: naive.Worth):
    round_facts = {"bombs": 0, "rockets": 0, "landlord_won": True} | LATE | facts
    assert worth(settle(RULESETS[name], **round_facts)) == expected


@pytest.mark.parametrize("rules", SPRINGING, ids=str)
def test_r8_3_going_out_with_the_opening_lead_is_a_spring_once(rules: RuleSet):
    facts = {"bid": 1, "bombs": 0, "rockets": 0, "landlord_plays": 1, "peasant_plays": (0, 0)}
    result = settle(rules, landlord_won=True, **facts)
    assert (result.multiplier, result.spring, result.anti_spring) == (2, True, False)


@pytest.mark.parametrize("rules", SPRINGING, ids=str)
def test_r8_3_an_opening_bomb_and_an_anti_spring_double_twice(rules: RuleSet):
    result = settle(
        rules,
        bid=1,
        bombs=1,
        rockets=0,
        landlord_won=False,
        landlord_plays=1,
        peasant_plays=(4, 7),
    )
    assert (result.multiplier, result.spring, result.anti_spring) == (4, False, True)


def test_r8_3_a_peasant_that_played_once_prevents_the_spring(rules: RuleSet):
    for peasant_plays in ((0, 1), (1, 0)):
        result = settle(
            rules,
            bid=1,
            bombs=0,
            rockets=0,
            landlord_won=True,
            landlord_plays=8,
            peasant_plays=peasant_plays,
        )
        assert (result.multiplier, result.spring) == (1, False)


def test_r8_1_there_is_no_cap(rules: RuleSet):
    # All thirteen bombs and the rocket: more than any round can see.
    result = settle(rules, bid=3, bombs=13, rockets=1, landlord_won=True, **LATE)
    assert result.stake == rules.base * 3 * 2**14


def test_r8_2_only_bombs_and_the_rocket_double(rules: RuleSet):
    for play in legal_plays(DECK, rules, max_cards=9):
        assert doubles(play.shape, rules.params) == (play.kind in ("bomb", "rocket")), str(play)
    for four_with_two in classify("9999+3+5", rules):
        assert not doubles(four_with_two.shape, rules.params)
