"""The auction: who speaks, what may be bid, when it is over (R3)."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.core.jit import kernel
from ddzsim.rules import CHOICES, Params

AuctionState: TypeAlias = npt.NDArray[np.int64]
"""The numbers of an auction, in the order of the constants below."""

FIRST, TO_SPEAK, HIGH, HIGH_SEAT, CALLS, PASSES, RECORD = range(7)
"""Positions in an `AuctionState`. PASSES counts the passes in a row at the end; RECORD is a 1
followed by two bits for each call, 0 for a pass, so that a whole auction is one small number."""

AUCTION_FIELDS = 7
TOP_BID = 3
UNDECIDED, ALL_PASSED = -1, -2
ONCE = CHOICES["auction"].index("once")


@kernel
def open_auction(auction: AuctionState, first: int) -> None:
    """Begin an auction in which `first` speaks first."""
    auction[:] = 0
    auction[FIRST] = first
    auction[TO_SPEAK] = first
    auction[HIGH_SEAT] = UNDECIDED
    auction[RECORD] = 1


@kernel
def bid_allowed(auction: AuctionState, bid: int) -> bool:
    """Whether the seat to speak may pass (0) or bid this much (R3.1)."""
    return bid == 0 or auction[HIGH] < bid <= TOP_BID


@kernel
def call(auction: AuctionState, bid: int, rules: Params) -> None:
    """Let the seat to speak pass (0) or bid."""
    if bid > 0:
        auction[HIGH] = bid
        auction[HIGH_SEAT] = auction[TO_SPEAK]
        auction[PASSES] = 0
    else:
        auction[PASSES] += 1
    auction[CALLS] += 1
    auction[RECORD] = auction[RECORD] << 2 | bid
    auction[TO_SPEAK] = (auction[TO_SPEAK] + 1) % rules["players"]


@kernel
def auction_winner(auction: AuctionState, rules: Params) -> int:
    """The landlord's seat; UNDECIDED while seats are to speak; ALL_PASSED (R3.1 to R3.3)."""
    if auction[HIGH] == TOP_BID:
        return int(auction[HIGH_SEAT])
    if auction[HIGH] == 0:
        return ALL_PASSED if auction[CALLS] == rules["players"] else UNDECIDED
    if rules["auction"] == ONCE:
        over = auction[CALLS] == rules["players"]
    else:
        over = auction[PASSES] == rules["players"] - 1
    return int(auction[HIGH_SEAT]) if over else UNDECIDED
