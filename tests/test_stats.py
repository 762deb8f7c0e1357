"""Estimates against published and independently computed values; tallies that add up."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from ddzsim import schema
from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import arrow_table
from ddzsim.engine.parts import play_part
from ddzsim.stats import Tally, mean_interval, wilson


@pytest.mark.parametrize(
    ("wins", "trials", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17, table I, method 3 (Wilson, no correction).
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(wins, trials, low, high):
    assert wilson(wins, trials) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@pytest.mark.parametrize(
    ("wins", "trials"), [(0, 1), (1, 1), (3, 10), (500, 1000), (999_999, 10**6)]
)
def test_wilson_agrees_with_scipy(wins, trials):
    test = scipy_stats.binomtest(wins, trials)
    expected = test.proportion_ci(confidence_level=0.95, method="wilson")
    assert wilson(wins, trials) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_of_nothing_says_nothing():
    assert wilson(0, 0) == (0.0, 1.0)


def test_the_mean_interval_agrees_with_scipy():
    values = np.random.default_rng(1).integers(-240, 240, 500)
    mean, half = mean_interval(int(values.sum()), float((values * values).sum()), len(values))
    low, high = scipy_stats.norm.interval(0.95, loc=values.mean(), scale=scipy_stats.sem(values))
    assert (mean - half, mean + half) == pytest.approx((low, high))


def test_the_mean_interval_of_one_trial_is_endless():
    assert mean_interval(7, 49, 1) == (7, math.inf)
    assert mean_interval(0, 0, 0) == (0, math.inf)
    assert mean_interval(30, 300, 3) == (10, 0)


def test_the_mean_interval_covers_as_often_as_it_says():
    # 2,000 samples of 100 throws of a fair coin, +-1: 95 % of intervals cover 0, give or take four
    # errors and what 100 throws are short of normal.
    throws = np.random.default_rng(2).integers(0, 2, (2000, 100)) * 2 - 1
    covered = 0
    for sample in throws:
        mean, half = mean_interval(int(sample.sum()), 100, 100)
        covered += abs(mean) <= half
    assert covered / 2000 == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 2000) + 0.01)


@pytest.fixture(scope="module")
def rounds():
    config = RunConfig(seed=5, games=600, bots="random", rules="tabletop")
    rows = play_part(config, 0).rounds
    return arrow_table(rows, schema.ROUNDS, config)


def test_tallies_of_parts_add_up_to_the_tally_of_the_whole(rounds):
    parts = [rounds.slice(0, 1), rounds.slice(1, 350), rounds.slice(351)]
    total = sum((Tally.of(part) for part in parts), Tally())
    whole = Tally.of(rounds)
    for name in Tally.__dataclass_fields__.keys() - {"sessions"}:
        assert np.array_equal(getattr(total, name), getattr(whole, name)), name
    assert whole.rounds == 600


def test_a_tally_counts_what_the_rows_say(rounds):
    tally = Tally.of(rounds)
    rows = rounds.to_pylist()
    played = [row for row in rows if row["landlord"] >= 0]
    won = [row for row in played if row["side"] == "landlord"]
    assert tally.played == len(played)
    assert tally.passed_out == 600 - len(played)
    assert tally.landlord_wins.sum() == tally.wins_by_bid.sum() == len(won)
    assert tally.turns == sum(row["turns"] for row in rows)
    assert tally.springs == sum(row["spring"] for row in rows)
    assert tally.by_bid.tolist() == [sum(row["bid"] == bid for row in rows) for bid in range(4)]
    for seat in range(3):
        scores = [row[f"score_{seat}"] for row in rows]
        assert tally.score[seat] == sum(scores)
        assert tally.score_squares[seat] == sum(score * score for score in scores)
        assert tally.as_landlord[seat] == sum(row["landlord"] == seat for row in rows)
    assert tally.score.sum() == 0
    assert tally.multipliers == sum(row["multiplier"] for row in rows)


def test_an_empty_tally_is_nothing_to_add(rounds):
    tally = Tally.of(rounds.slice(0, 40))
    again = Tally() + tally
    assert again.turns == tally.turns
    assert np.array_equal(again.score, tally.score)
