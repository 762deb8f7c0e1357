"""How a seat bids: a measure of its hand against cut-offs, or a bid by kind of hand (R11.2)."""

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

MEASURE, PER_BIG, PER_BOMB, PER_PLAY, FOR_1, FOR_2, FOR_3, MISJUDGES, DECKS, SITUATED = range(10)
"""Positions in an `Advice`: what is measured; the weights of a rating; the least measure for each
bid; how often in a hundred the bid is one too low or too high; the decks that are played with;
whether the least measures depend on the situation."""

CALLERS, STANDING = 4, 3
"""A situation: how many have spoken, and the highest bid so far."""

CUTOFFS = SITUATED + 1
"""Position of the least measures by situation: callers by standing bids by bids."""

CELLS = CUTOFFS + 3 * CALLERS * STANDING
"""Position of the bids by cell: big cards by bombs by plays, one number each, in which every
situation has two bits. With one deck alone."""

CELL_SHAPE = (7, 5, 18)
"""How many numbers of big cards, bombs and fewest plays 17 cards of one deck can have, from 0."""

ADVICE_FIELDS = CELLS + CELL_SHAPE[0] * CELL_SHAPE[1] * CELL_SHAPE[2]

MEASURES = ("rating", "points", "score", "table")
"""What an advice looks at: big cards, bombs and plays, weighed; the points; twice the score of the
best decomposition; or the bids that a table has for so many big cards, bombs and plays."""

RATING, POINTS, SCORE, TABLE = range(4)


@kernel
def measure(hand: Cards, big: int, bombs: int, plays: int, advice: Advice) -> int:
    """The number that an advice holds against its cut-offs, or that has the bids."""
    if advice[MEASURE] == POINTS:
        return points(hand, advice[DECKS])
    if advice[MEASURE] == SCORE:
        return score(hand, advice[DECKS])
    if advice[MEASURE] == TABLE:
        row = big * CELL_SHAPE[1] + min(bombs, CELL_SHAPE[1] - 1)
        return int(advice[CELLS + row * CELL_SHAPE[2] + min(plays, CELL_SHAPE[2] - 1)])
    return int(advice[PER_BIG] * big + advice[PER_BOMB] * bombs + advice[PER_PLAY] * plays)


@kernel
def advised(measured: int, advice: Advice, caller: int = 0, standing: int = 0) -> int:
    """The bid for a measure: the highest whose cut-off it reaches, or 0.

    `caller` have spoken before, and their highest bid is `standing`.
    """
    situation = caller * STANDING + standing
    if advice[MEASURE] == TABLE:
        return measured >> 2 * situation & 3
    lowest = CUTOFFS + 3 * situation if advice[SITUATED] else FOR_1
    for bid in range(3, 0, -1):
        if measured >= advice[lowest + bid - 1]:
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
