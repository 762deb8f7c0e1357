"""How a seat bids: a measure of its hand against three cut-offs (R11.2)."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.core.hands import Cards
from ddzsim.core.jit import kernel
from ddzsim.core.plan import score
from ddzsim.core.rating import points
from ddzsim.core.rng import Stream, below

Advice: TypeAlias = npt.NDArray[np.int64]
"""The numbers of an advice, in the order of the constants below."""

MEASURE, PER_BIG, PER_BOMB, PER_PLAY, FOR_1, FOR_2, FOR_3, MISJUDGES, DECKS = range(9)
"""Positions in an `Advice`: what is measured; the weights of a rating; the least measure for each
bid; how often in a hundred the bid is one too low or too high; the decks that are played with."""

ADVICE_FIELDS = 9

MEASURES = ("rating", "points", "score")
"""What an advice looks at: big cards, bombs and plays, weighed; the points; twice the score of the
best decomposition."""

RATING, POINTS, SCORE = range(3)


@kernel
def measure(hand: Cards, big: int, bombs: int, plays: int, advice: Advice) -> int:
    """The number that an advice holds against its cut-offs."""
    if advice[MEASURE] == POINTS:
        return points(hand, advice[DECKS])
    if advice[MEASURE] == SCORE:
        return score(hand, advice[DECKS])
    return int(advice[PER_BIG] * big + advice[PER_BOMB] * bombs + advice[PER_PLAY] * plays)


@kernel
def advised(measured: int, advice: Advice) -> int:
    """The bid for a measure: the highest whose cut-off it reaches, or 0."""
    for bid in range(3, 0, -1):
        if measured >= advice[MEASURE + 3 + bid]:
            return bid
    return 0


@kernel
def misjudged(bid: int, advice: Advice, stream: Stream) -> int:
    """A bid as a careless seat makes it: now and then one too low or one too high."""
    if advice[MISJUDGES] == 0:
        return bid
    chance = below(stream, 200)
    if chance < advice[MISJUDGES]:
        return max(bid - 1, 0)
    if chance < 2 * advice[MISJUDGES]:
        return min(bid + 1, 3)
    return bid
