"""One round's play: the table, its transitions, and what a seat sees of it (R7, R10.1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ddzsim.core.combos import BOMB, MAX_READINGS, PASS, ROCKET, Shape, kind_of
from ddzsim.core.hands import ONE_DECK, Cards, size
from ddzsim.core.jit import U, kernel
from ddzsim.core.moves import CAPACITY, new_plays
from ddzsim.core.plan import MEMO
from ddzsim.core.scoring import doubles
from ddzsim.rules import Params

MAX_SEATS = 4
MAX_TURNS = 448
"""More turns than a round can have: each play sheds a card, and then all others may pass."""

NOBODY = -1

PUBLIC = np.dtype(
    [
        ("landlord", np.int64),
        ("bid", np.int64),
        ("auction", np.int64),
        ("to_double", np.int64),
        ("to_play", np.int64),
        ("over", np.int64),
        ("over_seat", np.int64),
        ("passes", np.int64),
        ("turns", np.int64),
        ("bombs", np.int64),
        ("rockets", np.int64),
        ("doublings", np.int64),
        ("winner", np.int64),
        ("legs", np.int64, (MAX_SEATS,)),
        ("left", np.int64, (MAX_SEATS,)),
        ("plays", np.int64, (MAX_SEATS,)),
        ("played", np.uint64, (MAX_SEATS,)),
        ("cards", np.uint64, (MAX_TURNS,)),
        ("shapes", np.int64, (MAX_TURNS,)),
    ]
)
"""The table as all see it (R10.1).

`auction` holds the calls (`auction.RECORD`). `to_double` is the seat that is asked to double, or
NOBODY (R3.5). `over` is the shape to beat, 0 when the seat to play
leads, and `over_seat` who played it; `passes` counts those since. By seat: `legs`, by what
each peasant's leg multiplies the stake, 0 for the landlord; `left`, the cards it
holds; `plays`, how many it has made; `played`, their cards. By turn: `cards` and `shapes`, 0 for a
pass; turn `t` is that of seat (landlord + t) % players. `winner` is the seat that went out, or
NOBODY.
"""

HIDDEN = np.dtype([("hands", np.uint64, (MAX_SEATS + 1,))])
"""The cards each seat holds, and after the last seat the kitty."""

STREAM = np.dtype([("word", np.uint64, (1,))])
HOPES = np.dtype([("worth", np.int64, (CAPACITY,))])
READINGS = np.dtype([("shapes", np.int64, (MAX_READINGS,))])
MAX_DEPTH = 4
STEPS = np.dtype(
    [
        ("held", np.uint64, (MAX_DEPTH,)),
        ("at", np.int64, (MAX_DEPTH,)),
        ("end", np.int64, (MAX_DEPTH,)),
    ]
)
"""The steps of a search over plays: by depth the hand, the position of its next play, of its last.

Scratch in records costs nothing to hand on. Arrays made where they are used, and counted at each
call, took a seventh of the rounds of a bot that looks ahead.
"""


class Table(NamedTuple):
    """Everything about a round in play. Records, which kernels change in place."""

    hidden: np.void
    public: np.void


class View(NamedTuple):
    """What a seat may know (R10.1): its own cards and the public table, which is for reading only.

    A kernel builds it where it is used, from `seen_cards`: numba cannot give back a record in a
    tuple.
    """

    rules: Params
    seat: int
    hand: Cards
    kitty: Cards
    """The kitty, or 0 if this seat may not see it (R3.4)."""
    unseen: Cards
    """The cards that the other seats hold, together."""
    over: Shape
    """The shape to beat, or 0 on lead."""
    public: np.void


class Work(NamedTuple):
    """Scratch memory that bots may use, and the stream of the seat's random choices."""

    stream: np.void
    plays: np.void
    hopes: np.void
    readings: np.void
    steps: np.void
    memo: np.void


def _record(dtype: np.dtype[np.void]) -> np.void:
    """A record of zeros."""
    record: np.void = np.zeros(1, dtype)[0]
    return record


def new_table() -> Table:
    """A table with room for any round."""
    return Table(hidden=_record(HIDDEN), public=_record(PUBLIC))


def new_work() -> Work:
    """Scratch memory for the bots of one table; good for one rule set."""
    return Work(
        stream=_record(STREAM),
        plays=new_plays(),
        hopes=_record(HOPES),
        readings=_record(READINGS),
        steps=_record(STEPS),
        memo=_record(MEMO),
    )


@kernel
def begin(table: Table, landlord: int, bid: int, auction: int, rules: Params) -> None:
    """Give the landlord the kitty and the lead (R3.4); `table.hidden` holds the deal."""
    public = table.public
    hands = table.hidden["hands"]
    public["turns"] = 0
    public["passes"] = 0
    public["over"] = PASS
    public["bombs"] = 0
    public["rockets"] = 0
    public["doublings"] = 0
    public["landlord"] = landlord
    public["bid"] = bid
    public["auction"] = auction
    public["to_double"] = NOBODY
    public["to_play"] = landlord
    public["over_seat"] = NOBODY
    public["winner"] = NOBODY
    hands[landlord] += hands[rules["players"]]
    public["legs"][:] = 0
    for seat in range(rules["players"]):
        public["legs"][seat] = seat != landlord
        public["left"][seat] = size(hands[seat])
        public["plays"][seat] = 0
        public["played"][seat] = U(0)


@kernel
def play(table: Table, cards: Cards, shape: Shape, rules: Params) -> None:
    """Let the seat to play make a play, or pass with no cards (R7)."""
    public = table.public
    seat = public["to_play"]
    turn = public["turns"]
    public["cards"][turn] = cards
    public["shapes"][turn] = shape
    public["turns"] = turn + 1
    public["to_play"] = (seat + 1) % rules["players"]
    if shape == PASS:
        public["passes"] += 1
        if public["passes"] == rules["players"] - 1:
            public["over"] = PASS
            public["passes"] = 0
        return
    table.hidden["hands"][seat] -= cards
    public["left"][seat] -= size(cards)
    public["plays"][seat] += 1
    public["played"][seat] += cards
    public["over"] = shape
    public["over_seat"] = seat
    public["passes"] = 0
    public["bombs"] += kind_of(shape) == BOMB
    public["rockets"] += kind_of(shape) == ROCKET
    public["doublings"] += doubles(shape, rules)
    if public["left"][seat] == 0:
        public["winner"] = seat


@kernel
def sees_kitty(seat: int, landlord: int, rules: Params) -> bool:
    """Whether a seat may see the kitty that the landlord has taken (R3.4)."""
    return rules["kitty_shown"] == 1 or seat == landlord


@kernel
def seen_cards(table: Table, rules: Params) -> tuple[Cards, Cards, Cards]:
    """What the seat to play knows (R10.1): its hand, the kitty or 0, the others' cards together."""
    public = table.public
    seat = public["to_play"]
    hands = table.hidden["hands"]
    unseen = ONE_DECK * U(rules["decks"]) - hands[seat]
    for other in range(rules["players"]):
        unseen -= public["played"][other]
    seen = sees_kitty(seat, public["landlord"], rules)
    return hands[seat], hands[rules["players"]] if seen else U(0), unseen
