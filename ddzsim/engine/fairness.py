"""Whether dealt hands come as often as they must: counts against exact chances (R2)."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from ddzsim.core.dealing import HAND_SIZE

LEAST_HANDS = 10_000
"""Hands below which nothing is said."""

BIG, BOMBS = 7, 5
"""Big cards are 0 to 6, and 17 cards hold four bombs at most, the rocket counted."""

LEAST_EXPECTED = 10.0
"""Cells of which fewer are expected are counted together."""

NORMAL_QUANTILE = 4.753424308822899
"""Passed by a normal variable once in a million."""

CHAIN_RANKS, FOURS = 12, 4


@cache
def exact_chances() -> npt.NDArray[np.float64]:
    """The chance that 17 cards hold so many big cards and so many bombs: 7 by 5.

    Counted in whole numbers, rank by rank: the ways to choose some of a rank's four cards, all four
    being a bomb, then those of the 2s, which are big as well, then those of the jokers.
    """
    ways = {(0, 0, 0): 1}
    ranks = [
        (CHAIN_RANKS, [(taken, 0, taken == FOURS, math.comb(FOURS, taken)) for taken in range(5)])
    ]
    ranks.append(
        (1, [(taken, taken, taken == FOURS, math.comb(FOURS, taken)) for taken in range(5)])
    )
    ranks.append((1, [(0, 0, False, 1), (1, 1, False, 2), (2, 2, True, 1)]))
    for times, choices in ranks:
        for _ in range(times):
            more: dict[tuple[int, int, int], int] = {}
            for (cards, big, bombs), count in ways.items():
                for taken, as_big, bomb, choose in choices:
                    key = (cards + taken, big + as_big, bombs + bomb)
                    if key[0] <= HAND_SIZE:
                        more[key] = more.get(key, 0) + count * choose
            ways = more
    chances = np.zeros((BIG, BOMBS))
    for (cards, big, bombs), count in ways.items():
        if cards == HAND_SIZE:
            chances[big, bombs] += count / math.comb(54, HAND_SIZE)
    return chances


def chi_square(
    counts: npt.NDArray[np.int64], chances: npt.NDArray[np.float64]
) -> tuple[float, int]:
    """Pearson's statistic of counts against chances, and its degrees of freedom."""
    expected = chances.ravel() * counts.sum()
    rare = expected < LEAST_EXPECTED
    seen = np.append(counts.ravel()[~rare], counts.ravel()[rare].sum())
    wanted = np.append(expected[~rare], expected[rare].sum())
    if wanted[-1] < LEAST_EXPECTED:
        # What is too rare even together joins the last cell that is not.
        seen = np.append(seen[:-2], seen[-2] + seen[-1])
        wanted = np.append(wanted[:-2], wanted[-2] + wanted[-1])
    return float(((seen - wanted) ** 2 / wanted).sum()), len(wanted) - 1


def limit(freedom: int) -> float:
    """About what chi-square passes once in a million (Wilson and Hilferty's approximation)."""
    spread = 2 / (9 * freedom)
    return float(freedom * (1 - spread + NORMAL_QUANTILE * math.sqrt(spread)) ** 3)


def unfair(counts: npt.NDArray[np.int64]) -> str:
    """What is wrong with how often hands came, by big cards and bombs; empty if nothing is."""
    if counts.sum() < LEAST_HANDS:
        return ""
    statistic, freedom = chi_square(counts, exact_chances())
    if statistic <= limit(freedom):
        return ""
    return (
        f"dealt hands do not come as often as they must: chi-square {statistic:.0f} "
        f"with {freedom} degrees of freedom over {counts.sum():,} hands"
    )
