"""The doubling stage: who is asked, what the legs come to, when a bot doubles (R3.5)."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.core.bidding import FOR_3, PER_PLAY, measure
from ddzsim.core.fewest import fewest_plays
from ddzsim.core.hands import Cards
from ddzsim.core.jit import kernel
from ddzsim.core.play import NOBODY, Table
from ddzsim.core.rating import big_cards, bombs_held
from ddzsim.rules import Params

DoublingAdvice: TypeAlias = npt.NDArray[np.int64]
"""The numbers of a doubling advice, in the order of those of `bidding.Advice`.

In place of the least measure for each bid there is that on which a peasant doubles against it.
"""

TO_REDOUBLE = FOR_3 + 1
"""Position of the least measure on which the landlord redoubles; `Advice` has something else."""

PLAIN, DOUBLED, REDOUBLED = 1, 2, 4
"""What a leg multiplies the stake by."""


@kernel
def open_doubling(table: Table, rules: Params) -> None:
    """Ask the seat after the landlord first; there is a landlord, and it holds the kitty."""
    public = table.public
    public["to_double"] = (public["landlord"] + 1) % rules["players"]


@kernel
def answer_doubling(table: Table, doubles: bool, rules: Params) -> None:
    """Let the seat that is asked double its leg, or the landlord redouble all that are doubled.

    The peasants are asked in turn order, and after them the landlord if one of them has doubled.
    """
    public = table.public
    seat, landlord, legs = public["to_double"], public["landlord"], public["legs"]
    if seat == landlord:
        for other in range(rules["players"]):
            if doubles and legs[other] == DOUBLED:
                legs[other] = REDOUBLED
        public["to_double"] = NOBODY
        return
    if doubles:
        legs[seat] = DOUBLED
    following = (seat + 1) % rules["players"]
    if following == landlord and legs.max() == PLAIN:
        following = NOBODY
    public["to_double"] = following


@kernel
def doubles_on(hand: Cards, bid: int, advice: DoublingAdvice, rules: Params) -> bool:
    """Whether an advice doubles on a peasant's hand when the landlord has bid so much."""
    return bool(_measured(hand, advice, rules) >= advice[PER_PLAY + bid])


@kernel
def redoubles_on(hand: Cards, advice: DoublingAdvice, rules: Params) -> bool:
    """Whether an advice redoubles on a landlord's hand."""
    return bool(_measured(hand, advice, rules) >= advice[TO_REDOUBLE])


@kernel
def _measured(hand: Cards, advice: DoublingAdvice, rules: Params) -> int:
    """The number that an advice holds against its least measures."""
    big, bombs, plays = big_cards(hand), bombs_held(hand, rules), fewest_plays(hand, rules)
    return measure(hand, big, bombs, plays, advice)


@kernel
def hold_doubling(table: Table, advice: DoublingAdvice, rules: Params) -> None:
    """Let each seat answer by its row of `advice`, from its own hand and the bid (R10.1)."""
    public = table.public
    open_doubling(table, rules)
    while public["to_double"] != NOBODY:
        seat = public["to_double"]
        hand = table.hidden["hands"][seat]
        if seat == public["landlord"]:
            doubles = redoubles_on(hand, advice[seat], rules)
        else:
            doubles = doubles_on(hand, public["bid"], advice[seat], rules)
        answer_doubling(table, doubles, rules)
