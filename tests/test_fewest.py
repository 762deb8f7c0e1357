"""The fewest plays that empty a hand (R11.1): published answers, the naive twin, the spread."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import naive
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from strategies import ONE_DECK, crowded_hands, hands, random_hands

from ddzsim.combos import legal_plays, min_plays
from ddzsim.core.fewest import fewest_plays
from ddzsim.core.jit import COMPILED, kernel
from ddzsim.rules import CLASSIC, RULESETS, Params, RuleSet

HANDS = 100_000 if COMPILED else 300
PUBLISHED_HANDS = 1_000_000
"""Hands behind the published spread."""


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        # NOIP 2015, day 1, problem 3: the published answers.
        ("789TJ5AA", {name: 3 for name in ONE_DECK}),
        # QQQQ+5+7 is a four with two singles, which OpenSpiel's rules do not have.
        ("QQQQ4225TT3XA6J57", {name: 6 for name in ("classic", "tabletop", "kawu", "stakes")}),
        # 8888+99, or a bomb and a pair where the singles on a four must differ (R5.3).
        ("888899", {"classic": 1, "stakes": 1, "tabletop": 2, "kawu": 2, "openspiel": 2}),
        ("444455556666", {"classic": 2, "tabletop": 2, "kawu": 2, "stakes": 2}),
        # Five trios and a single: 333444555666+7778 (R5.4); with different kickers only, an
        # airplane of five and a single.
        ("3334445556667778", {"classic": 1, "tabletop": 1, "kawu": 2, "stakes": 1}),
        ("", {name: 0 for name in ONE_DECK}),
        ("XD", {name: 1 for name in ONE_DECK}),
        ("3XD", {name: 2 for name in ONE_DECK}),
        ("3456789TJQKA", {name: 1 for name in ONE_DECK}),
        # Both jokers ride on the airplane only in DouZero (R5.6).
        ("333444XD", {"classic": 2, "douzero": 1, "kawu": 2}),
        # Three trios out of a chain: one rides on the two others, as a single and as a pair.
        ("333666999", {name: 2 for name in ONE_DECK}),
        # Two trios carry a four away as two pairs.
        ("3336666999", {name: 2 for name in ONE_DECK}),
        # Two trios carry both jokers away, one each.
        ("333666XD", {name: 2 for name in ONE_DECK}),
    ],
)
def test_r11_1_known_answers(hand: str, expected: dict[str, int]):
    assert {name: min_plays(hand, RULESETS[name]) for name in expected} == expected


@settings(max_examples=150 if COMPILED else 15)
@given(hand=hands(1, 11))
def test_r11_1_agrees_with_the_naive_twin(combo_rules: RuleSet, hand: str):
    assert min_plays(hand, combo_rules) == naive.fewest_plays(naive.counts_of(hand), combo_rules)


OVERRIDES = {
    "straight_min": "3",
    "pair_chain_min": "2",
    "airplane_min": "3",
    "single_kickers": "false",
    "four_with_two": "false",
    "airplane_equal_kickers": "2",
    "four_equal_kickers": "1",
    "both_jokers_kickers": "true",
    "adjacent_trio_kickers": "false",
}


@settings(max_examples=60 if COMPILED else 6)
@pytest.mark.parametrize("field", OVERRIDES)
@given(hand=hands(1, 10))
@example(hand="333444555777")  # a trio carried by an airplane
@example(hand="333444555678XD")  # both jokers carried
@example(hand="333345566TT")  # a four with equal kickers
def test_r11_1_agrees_with_the_naive_twin_when_a_clause_is_changed(field: str, hand: str):
    rules = CLASSIC.override({field: OVERRIDES[field]})
    counts = naive.counts_of(hand)
    assert min_plays(hand, rules) == naive.fewest_plays(counts, rules)
    plays = {
        (str(play.cards), play.kind, play.length, play.rank) for play in legal_plays(hand, rules)
    }
    assert plays == {(cards, *reading) for cards, reading in naive.legal(counts, rules)}


FULL = [*random_hands(41, 17, 1), *crowded_hands(42, 16, 1), "334445556667778X"]
if not COMPILED:
    FULL = [hand[:11] for hand in FULL]


def test_r11_1_agrees_with_the_naive_twin_on_whole_hands(combo_rules: RuleSet):
    for hand in FULL:
        due = naive.fewest_plays(naive.counts_of(hand), combo_rules)
        assert min_plays(hand, combo_rules) == due, hand


def test_r11_1_one_play_brings_it_down_by_one_at_most_and_some_play_does(rules: RuleSet):
    for hand in random_hands(43, 20 if COMPILED else 12, 15):
        whole = min_plays(hand, rules)
        rests = []
        for play in legal_plays(hand, rules):
            held = list(hand)
            for card in play.cards:
                held.remove(card)
            rests.append(min_plays("".join(held), rules))
        assert min(rests) == whole - 1, hand


# Compiled and plain

ALIKE = [*random_hands(46, 17, 5), *crowded_hands(47, 14, 5), "333444555666XD", "888899"]


def answers(asked: list[str]) -> list[list[Any]]:
    """For each hand and some rule sets: the fewest plays, all leads, how many plays follow."""
    found: list[list[Any]] = []
    for hand in asked:
        for name in ("classic", "kawu", "rlcard"):
            rules = RULESETS[name]
            leads = [str(play) for play in legal_plays(hand, rules)]
            follows = [len(legal_plays(hand, rules, lead)) for lead in ("4", "333+5", "333444+6+7")]
            found.append([min_plays(hand, rules), leads, follows])
    return found


@pytest.mark.skipif(not COMPILED, reason="compares with what is compiled in this process")
def test_r6_r11_1_answers_are_the_same_compiled_and_plain():
    script = "import json, test_fewest as t; print(json.dumps([t.COMPILED, *t.answers(t.ALIKE)]))"
    printed = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    compiled, *plain = json.loads(printed)
    assert compiled is False
    assert plain == answers(ALIKE)


# How the fewest plays of random hands are spread


@kernel
def fewest_of_each(
    packed: npt.NDArray[np.uint64], rules: Params, out: npt.NDArray[np.int64]
) -> None:
    for at in range(len(packed)):
        out[at] = fewest_plays(packed[at], rules)


def deal(size: int, seed: int) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Random hands by numpy's own generator: packed, and how many big cards each holds."""
    generator = np.random.default_rng(seed)
    cards = generator.random((HANDS, 54)).argsort(axis=1)[:, :size]
    # Cards 0 to 51 are four of each rank, 52 and 53 the jokers.
    ranks = np.where(cards < 52, cards // 4, cards - 39)
    packed = (np.uint64(1) << (4 * ranks).astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    return packed, (ranks >= 12).sum(axis=1)


def plays_of(packed: npt.NDArray[np.uint64], rules: RuleSet) -> npt.NDArray[np.int64]:
    out = np.zeros(len(packed), np.int64)
    fewest_of_each(packed, rules.params, out)
    return out


def within(found: float, published: float, variance: float, rounding: float) -> bool:
    """Whether two samples agree within five standard errors and the published one's rounding."""
    error = math.sqrt(variance * (1 / HANDS + 1 / PUBLISHED_HANDS))
    return abs(found - published) <= 5 * error + rounding


# 17 cards, P(2..12) of 1 to 2 million hands, `classic` and `kawu` alike.
SPREAD = {
    2: 0.0006,
    3: 0.0120,
    4: 0.0397,
    5: 0.0966,
    6: 0.1599,
    7: 0.2223,
    8: 0.2122,
    9: 0.1523,
    10: 0.0800,
    11: 0.0204,
    12: 0.0038,
}
BY_BIG_CARDS = (5.93, 7.03, 7.66, 7.80, 7.52, 6.95, 6.33)


@pytest.mark.parametrize("name", ["classic", "kawu"])
def test_r11_1_the_spread_over_17_cards(name: str):
    packed, big = deal(17, seed=44)
    plays = plays_of(packed, RULESETS[name])
    assert within(plays.mean(), 7.334, 1.722**2, 0.0005)
    # The variance of a sample's variance is about 2 sigma^4 / n for a bell-shaped spread.
    assert within(plays.var(), 1.722**2, 2 * 1.722**4, 2 * 1.722 * 0.0005)
    for number, share in SPREAD.items():
        assert within((plays == number).mean(), share, share * (1 - share), 0.00005), number
    for held, mean in enumerate(BY_BIG_CARDS):
        group = plays[big == held]
        if len(group) > 30:
            fewer = HANDS / len(group)
            assert within(group.mean(), mean, group.var() * fewer, 0.005), held


def test_r11_1_the_spread_over_20_cards():
    plays = plays_of(deal(20, seed=45)[0], CLASSIC)
    assert within(plays.mean(), 7.112, 1.656**2, 0.0005)
    assert within(plays.var(), 1.656**2, 2 * 1.656**4, 2 * 1.656 * 0.0005)


def test_r5_8_a_trio_next_to_the_chain_is_felt_in_long_airplanes():
    # 555666777 may carry 444 or 888 only where a trio next to the chain may ride; counted over all
    # legal plays by an independent program.
    strict = replace(CLASSIC, adjacent_trio_kickers=False)
    assert min_plays("44445556667777888", CLASSIC) == 2
    assert min_plays("44445556667777888", strict) == 3
