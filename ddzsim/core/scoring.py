"""Settlement: springs, doublings, the stake and the scores (R8)."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.core.combos import BOMB, ROCKET, Shape, kind_of, length_of
from ddzsim.core.jit import kernel
from ddzsim.rules import Params

Legs: TypeAlias = npt.NDArray[np.int64]
"""By seat, what a peasant's leg multiplies the stake by; 0 for the landlord (R3.5)."""

NO_SPRING, SPRING, ANTI_SPRING = 0, 1, 2


@kernel
def spring_of(landlord_won: bool, landlord_plays: int, peasant_plays: int) -> int:
    """Whether a round was a spring or an anti-spring (R8.3)."""
    if landlord_won:
        return SPRING if peasant_plays == 0 else NO_SPRING
    return ANTI_SPRING if landlord_plays == 1 else NO_SPRING


@kernel
def doubles(shape: Shape, rules: Params) -> bool:
    """Whether a play doubles the stake: the rocket, and bombs of enough cards (R8.2)."""
    if kind_of(shape) == BOMB:
        return length_of(shape) + 3 >= rules["bomb_doubles_from"]
    return kind_of(shape) == ROCKET


@kernel
def multiplier_of(doublings: int, spring: int, rules: Params) -> int:
    """What the bid is multiplied by: 2 for each doubling play, and for a spring (R8.2)."""
    extra = 1 if spring != NO_SPRING and rules["spring"] == 1 else 0
    return 1 << (doublings + extra)


@kernel
def stake_of(bid: int, multiplier: int, rules: Params) -> int:
    """What a peasant settles with the landlord, in points, on a leg that is not doubled (R8.1)."""
    return rules["base"] * bid * multiplier


@kernel
def score_of(seat: int, landlord_won: bool, stake: int, legs: Legs, rules: Params) -> int:
    """The points of a seat; over all seats they sum to 0 (R8.4)."""
    gain = stake if landlord_won else -stake
    if legs[seat] > 0:
        return int(-gain * legs[seat])
    total = 0
    for other in range(rules["players"]):
        total += gain * legs[other]
    return total
