"""The log's columns, declared once: the kernels' buffer, the Parquet schema and `docs/log.md` follow from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ddzsim.cards import KINDS

VERSION = 1
"""Raised when a column changes its name, type or meaning."""

MAX_SEATS = 4
"""Seats that the kernels' buffer has room for."""

SIDES = ("nobody", "landlord", "peasants")
"""The side that won, by the kernels' number; nobody when a round is passed out."""


def auction_text(record: int) -> str:
    """The calls of an auction in order, from the kernels' number: ``0-1-3``; empty when there was none.

    >>> auction_text(0b1_00_01_11)
    '0-1-3'
    """
    calls = []
    while record > 1:
        calls.append(str(record & 3))
        record >>= 2
    return "-".join(reversed(calls))


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the log, or one for each seat."""

    name: str
    dtype: str
    """The numpy type in the kernels' buffer and of the Parquet column; `text`: supplied by the run."""
    doc: str
    unit: str
    by_seat: bool = False
    """Whether there is one column for each seat: `name_0`, `name_1`, …"""
    text: Callable[[int], str] | None = None
    """What the kernels' number stands for, where the log says it in words."""

    def names(self, seats: int) -> list[str]:
        """The Parquet columns."""
        return [f"{self.name}_{seat}" for seat in range(seats)] if self.by_seat else [self.name]

    @property
    def stored(self) -> str:
        """The type in Parquet, as the docs show it."""
        return "text" if self.dtype == "text" or self.text else np.dtype(self.dtype).name


ROUNDS = (
    Column("run", "text", "Id of the run: a hash of what decides its result.", "id"),
    Column("round", "i8", "Number of the round within the seed's sequence.", "from 0"),
    Column("deal", "i8", "Index of the first deal; `ddzsim deal encode` and `deal_code()` show it as a code.", "index"),
    Column("redeals", "i1", "Times the cards were dealt again because all passed (R2.4).", "deals"),
    Column("rules", "text", "Name of the rule set.", "name"),
    Column("bot", "text", "Who plays and bids at this seat.", "name", by_seat=True),
    Column("first", "i1", "Who speaks first in the auction that decided (R2.3).", "seat"),
    Column("auction", "i4", "Each call in order, 0 for a pass; empty when there was no auction.", "bids", text=auction_text),
    Column("landlord", "i1", "The landlord; -1 when the round was passed out.", "seat"),
    Column("bid", "i1", "What the landlord bid; 0 when passed out, 1 when the landlord was forced.", "bid"),
    Column("hand", "i8", "The 17 cards dealt (the deal that was played), a nibble for the count of each rank.", "packed hand", by_seat=True),
    Column("kitty", "i8", "The kitty, packed the same way.", "packed hand"),
    Column("big", "i1", "Jokers and 2s in the dealt hand (R11.1).", "cards", by_seat=True),
    Column("fours", "i1", "Bombs in the dealt hand, the rocket counted (R11.1).", "bombs", by_seat=True),
    Column("fewest", "i1", "The fewest plays that would empty the dealt hand (R11.1).", "plays", by_seat=True),
    Column("side", "i1", "The side that won.", "side", text=SIDES.__getitem__),
    Column("winner", "i1", "Who went out; -1 when passed out.", "seat"),
    Column("plays", "i2", "Plays made, passes not counted.", "plays", by_seat=True),
    Column("turns", "i2", "Plays and passes of all seats.", "turns"),
    Column("bombs", "i1", "Bombs played.", "plays"),
    Column("rockets", "i1", "Rockets played.", "plays"),
    Column("spring", "i1", "1 for a spring (R8.3).", "0 or 1"),
    Column("anti_spring", "i1", "1 for an anti-spring (R8.3).", "0 or 1"),
    Column("multiplier", "i4", "2 for each doubling, multiplied (R8.2); 0 when passed out.", "factor"),
    Column("stake", "i4", "What each peasant settles with the landlord (R8.1); 0 when passed out.", "points"),
    Column("score", "i4", "Points won or lost (R8.4).", "points", by_seat=True),
    Column("faults", "i2", "Answers of bots that the rules do not allow; a pass or the first legal play stood in.", "answers"),
)
"""One row per round."""

PLAYS = (
    Column("run", "text", "Id of the run.", "id"),
    Column("round", "i8", "Number of the round.", "from 0"),
    Column("turn", "i2", "Number of the turn in the round.", "from 0"),
    Column("seat", "i1", "Who had the turn.", "seat"),
    Column("cards", "i8", "The cards played, 0 for a pass.", "packed hand"),
    Column("kind", "i1", "Kind of the combination, or `pass` (R4).", "kind", text=KINDS.__getitem__),
    Column("length", "i1", "Ranks in the body's chain; 1 where there is no chain; for a bomb its cards less 3.", "ranks"),
    Column("rank", "i1", "Highest rank of the body: 0 for a 3 up to 14 for the big joker; -1 for a pass.", "rank"),
    Column("left", "i1", "Cards that the seat holds after the turn.", "cards"),
)
"""One row per turn, passes included; written with `--log plays`."""

TABLES = {"rounds": ROUNDS, "plays": PLAYS}


def buffer_dtype(columns: tuple[Column, ...]) -> np.dtype[np.void]:
    """The structured type of the rows that the kernels fill."""
    fields = [
        (column.name, column.dtype, (MAX_SEATS,)) if column.by_seat else (column.name, column.dtype)
        for column in columns
        if column.dtype != "text"
    ]
    return np.dtype(fields)


def column_names(columns: tuple[Column, ...], seats: int) -> Iterator[tuple[str, Column]]:
    """Each Parquet column's name, with its declaration."""
    for column in columns:
        for name in column.names(seats):
            yield name, column


def markdown(columns: tuple[Column, ...]) -> str:
    """The columns as a Markdown table for the documentation."""
    lines = ["| column | type | unit | meaning |", "|---|---|---|---|"]
    for column in columns:
        name = f"`{column.name}_0`, `_1`, `_2`" if column.by_seat else f"`{column.name}`"
        lines.append(f"| {name} | {column.stored} | {column.unit} | {column.doc} |")
    return "\n".join(lines) + "\n"
