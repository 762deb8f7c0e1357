"""Whether dealt hands come as often as they must: counts against exact chances (R2)."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from ddzsim.rules import CLASSIC, DECK_SIZE, TABLETOP_4P

LEAST_HANDS = 10_000
"""Hands below which nothing is said."""

SHAPES = {1: (7, 5), 2: (13, 7)}
"""By decks, the big cards and the bombs that a dealt hand can hold, each from 0 up.

With one deck 17 cards hold up to 6 big cards and 4 bombs, with two decks 25 cards up to 12 and 6.
"""

LEAST_EXPECTED = 10.0
"""Cells of which fewer are expected are counted together."""

NORMAL_QUANTILE = 4.753424308822899
"""Passed by a normal variable once in a million."""

CHAIN_RANKS, FOURS = 12, 4

ONE_OF = {1: CLASSIC, 2: TABLETOP_4P}
"""By decks, rules that deal them; others deal them alike (R2.1)."""


@cache
def exact_chances(decks: int = 1) -> npt.NDArray[np.float64]:
    """The chance that a dealt hand holds so many big cards and so many bombs.

    Counted in whole numbers, rank by rank: the ways to choose some of a rank's cards, four or more
    being a bomb, then those of the 2s, which are big as well, then those of the jokers.
    """
    rules = ONE_OF[decks]
    taken = range(4 * decks + 1)
    plain = [(t, 0, t >= FOURS, math.comb(4 * decks, t)) for t in taken]
    twos = [(t, t, t >= FOURS, math.comb(4 * decks, t)) for t in taken]
    jokers = [
        (s + b, s + b, s == b == decks, math.comb(decks, s) * math.comb(decks, b))
        for s in range(decks + 1)
        for b in range(decks + 1)
    ]
    ways = {(0, 0, 0): 1}
    for choices in [plain] * CHAIN_RANKS + [twos, jokers]:
        more: dict[tuple[int, int, int], int] = {}
        for (cards, big, bombs), count in ways.items():
            for chosen, as_big, bomb, choose in choices:
                key = (cards + chosen, big + as_big, bombs + bomb)
                if key[0] <= rules.hand_size:
                    more[key] = more.get(key, 0) + count * choose
        ways = more
    chances = np.zeros(SHAPES[decks])
    for (cards, big, bombs), count in ways.items():
        if cards == rules.hand_size:
            chances[big, bombs] += count / math.comb(DECK_SIZE * decks, cards)
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


def unfair(counts: npt.NDArray[np.int64], decks: int = 1) -> str:
    """What is wrong with how often hands came, by big cards and bombs; empty if nothing is."""
    if counts.sum() < LEAST_HANDS:
        return ""
    statistic, freedom = chi_square(counts, exact_chances(decks))
    if statistic <= limit(freedom):
        return ""
    return (
        f"dealt hands do not come as often as they must: chi-square {statistic:.0f} "
        f"with {freedom} degrees of freedom over {counts.sum():,} hands"
    )
