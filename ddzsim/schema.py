"""The log's columns, declared once.

The kernels' buffer, the Parquet schema and `docs/log.md` follow from what stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ddzsim.cards import KINDS
from ddzsim.rules import RuleSet

VERSION = 2
"""Raised when a column changes its name, type or meaning."""

MAX_SEATS = 4
"""Seats that the kernels' buffer has room for."""

SIDES = ("nobody", "landlord", "peasants")
"""The side that won, by the kernels' number; nobody when a round is passed out."""


def auction_text(record: int) -> str:
    """The calls of an auction in order, such as ``0-1-3``, from the kernels' number; empty if none.

    >>> auction_text(0b1_00_01_11)
    '0-1-3'
    """
    calls = []
    while record > 1:
        calls.append(str(record & 3))
        record >>= 2
    return "-".join(reversed(calls))


PACKED = "packed hand"
"""The unit of cards: an integer of 15 nibbles, the count of each rank from the 3 up."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the log, or one for each seat."""

    name: str
    dtype: str
    """The numpy type in the kernels' buffer and in Parquet; `text`: supplied by the run."""
    doc: str
    unit: str
    by_seat: bool = False
    """Whether there is one column for each of four seats: `name_0`, `name_1`, …"""
    text: Callable[[int], str] | None = None
    """What the kernels' number stands for, where the log says it in words."""
    distinct: bool = False
    """Whether hardly two rows share a value."""
    players: int = 3
    """The fewest players with whom it holds something; it is null with fewer."""
    doubling: bool = False
    """Whether it is null under rules without doubling."""
    table_stakes: bool = False
    """Whether it holds something with table stakes only (R8.5), and is null without."""

    def names(self) -> list[str]:
        """The Parquet columns."""
        seats = range(MAX_SEATS)
        return [f"{self.name}_{seat}" for seat in seats] if self.by_seat else [self.name]

    def holds(self, seat: int, rules: RuleSet, table_stakes: bool = False) -> bool:
        """Whether it holds something for a seat in a run under these rules."""
        asked = (rules.doubling or not self.doubling) and (table_stakes or not self.table_stakes)
        return asked and seat < rules.players and rules.players >= self.players

    @property
    def stored(self) -> str:
        """The type in Parquet, as the docs show it."""
        return "text" if self.dtype == "text" or self.text else np.dtype(self.dtype).name


ROUNDS = (
    Column("run", "text", "Id of the run: a hash of what decides its result.", "id"),
    Column(
        "round", "i8", "Number of the round within the seed's sequence.", "from 0", distinct=True
    ),
    Column(
        "deal",
        "i8",
        "Index of the first deal; `deal_codes()` shows it as a code.",
        "index",
        distinct=True,
    ),
    Column(
        "deal_high",
        "i8",
        "Of two decks: what the index of the first deal has above 63 bits.",
        "index >> 63",
        distinct=True,
        players=4,
    ),
    Column("redeals", "i1", "Times the cards were dealt again, since all passed (R2.4).", "deals"),
    Column("rules", "text", "Name of the rule set.", "name"),
    Column("bot", "text", "Who plays and bids at this seat.", "name", by_seat=True),
    Column("first", "i1", "Who speaks first on the deal that was played (R2.3).", "seat"),
    Column("auction", "i4", "Calls on it, 0 a pass; empty: none.", "bids", text=auction_text),
    Column("landlord", "i1", "The landlord; -1 when the round was passed out.", "seat"),
    Column("bid", "i1", "The landlord's bid, 1 without an auction; 0 when passed out.", "bid"),
    Column(
        "hand",
        "i8",
        "The cards dealt, on the deal that was played.",
        PACKED,
        by_seat=True,
        distinct=True,
    ),
    Column("kitty", "i8", "The kitty of the deal that was played.", PACKED),
    Column("big", "i1", "Jokers and 2s in the dealt hand (R11.1).", "cards", by_seat=True),
    Column("fours", "i1", "Bombs in the dealt hand, with the rocket.", "bombs", by_seat=True),
    Column("fewest", "i1", "Fewest plays to empty the dealt hand.", "plays", by_seat=True),
    Column("side", "i1", "The side that won.", "side", text=SIDES.__getitem__),
    Column("winner", "i1", "Who went out; -1 when passed out.", "seat"),
    Column("plays", "i2", "Plays made, passes not counted.", "plays", by_seat=True),
    Column("turns", "i2", "Plays and passes of all seats.", "turns"),
    Column("bombs", "i1", "Bombs played.", "plays"),
    Column("rockets", "i1", "Rockets played.", "plays"),
    Column("spring", "i1", "1 for a spring (R8.3).", "0 or 1"),
    Column("anti_spring", "i1", "1 for an anti-spring (R8.3).", "0 or 1"),
    Column("multiplier", "i4", "2 for each doubling, multiplied (R8.2); 0: passed out.", "factor"),
    Column("stake", "i8", "A peasant settles it, times its leg (R8.1); 0: none.", "points"),
    Column(
        "leg",
        "i1",
        "How many stakes a peasant settles (R3.5): 1, 2 or 4; the landlord's, or passed out: 0.",
        "factor",
        by_seat=True,
        doubling=True,
    ),
    Column("score", "i8", "Points won or lost (R8.4).", "points", by_seat=True),
    Column("faults", "i2", "Bots' answers that are not allowed, replaced and counted.", "answers"),
)
"""One row per round."""

PLAYS = (
    Column("run", "text", "Id of the run.", "id"),
    Column("round", "i8", "Number of the round.", "from 0"),
    Column("turn", "i2", "Number of the turn in the round.", "from 0"),
    Column("seat", "i1", "Who had the turn.", "seat"),
    Column("cards", "i8", "The cards played, 0 for a pass.", PACKED),
    Column("kind", "i1", "The combination, or `pass` (R4).", "kind", text=KINDS.__getitem__),
    Column("length", "i1", "Ranks in its chain, 1 if it is none; of a bomb, cards - 3.", "ranks"),
    Column("rank", "i1", "Highest rank of its body: a 3 is 0, D is 14; a pass -1.", "rank"),
    Column("left", "i1", "Cards that the seat holds after the turn.", "cards"),
)
"""One row per turn, passes included; written with `--log plays`."""

DOLLARS = "dollars"
"""The unit of money: multiples of one half, which a float64 holds exactly."""

IN_SESSIONS = (
    Column("session", "i8", "Number of the session.", "from 0"),
    Column("hand_number", "i4", "Number of the round within its session.", "from 0"),
    Column("leaver", "i1", "The seat that left during the round (R8.6); -1: none.", "seat"),
    Column(
        "won",
        "f8",
        "What the seat won or lost: points times the stake, less what table "
        "stakes hold back (R8.5), or the penalty and its shares (R8.6).",
        DOLLARS,
        by_seat=True,
    ),
    Column("total", "f8", "The sum of `won` in the session so far.", DOLLARS, by_seat=True),
    Column(
        "chips_before",
        "f8",
        "Chips when the round began.",
        DOLLARS,
        by_seat=True,
        table_stakes=True,
    ),
    Column(
        "chips_after", "f8", "Chips when it was settled.", DOLLARS, by_seat=True, table_stakes=True
    ),
)
"""What a row of the rounds has besides in a run of sessions (R9)."""

ENDINGS = ("hands", "ruin", "exit")
"""How a session ended, by the kernels' number: all hands were played, a seat has no chips, a seat
has left."""

SESSIONS = (
    Column("run", "text", "Id of the run.", "id"),
    Column("session", "i8", "Number of the session.", "from 0"),
    Column("rules", "text", "Name of the rule set.", "name"),
    Column("bot", "text", "Who plays and bids at this seat.", "name", by_seat=True),
    Column("first_round", "i8", "Number of its first round.", "from 0"),
    Column("rounds", "i4", "Rounds played, passed out or broken off ones too.", "rounds"),
    Column("ended", "i1", "Why it ended (R9.2).", "ending", text=ENDINGS.__getitem__),
    Column("leaver", "i1", "The seat that left (R8.6); -1: none.", "seat"),
    Column("total", "f8", "What the seat won or lost in all.", DOLLARS, by_seat=True),
    Column("chips", "f8", "Chips at the end.", DOLLARS, by_seat=True, table_stakes=True),
    Column(
        "first_place",
        "i1",
        "1 for the highest total; ties are ties (R9.1).",
        "0 or 1",
        by_seat=True,
    ),
    Column("winners", "i1", "How many seats share the highest total.", "seats"),
)
"""One row per session."""

TABLES = {"rounds": ROUNDS, "plays": PLAYS, "sessions": SESSIONS}
"""The tables of the log; in a run of sessions the rounds have the columns of `IN_SESSIONS` too."""


def buffer_dtype(columns: tuple[Column, ...]) -> np.dtype[np.void]:
    """The structured type of the rows that the kernels fill."""
    fields = [
        (column.name, column.dtype, (MAX_SEATS,)) if column.by_seat else (column.name, column.dtype)
        for column in columns
        if column.dtype != "text"
    ]
    return np.dtype(fields)


def column_names(columns: tuple[Column, ...]) -> Iterator[tuple[str, Column, int]]:
    """Each Parquet column's name, with its declaration and its seat, 0 where it is of no seat."""
    for column in columns:
        for seat, name in enumerate(column.names()):
            yield name, column, seat


def markdown(columns: tuple[Column, ...]) -> str:
    """The columns as a Markdown table for the documentation."""
    lines = ["| column | type | unit | meaning |", "|---|---|---|---|"]
    for column in columns:
        name = f"`{column.name}_0` … `_3`" if column.by_seat else f"`{column.name}`"
        lines.append(f"| {name} | {column.stored} | {column.unit} | {column.doc} |")
    return "\n".join(lines) + "\n"


def document() -> str:
    """The text of `docs/log.md`."""
    return f"""# The log

A run is a directory. `run.json` says what was played: the configuration and its run id, the rules,
the bots and their versions. `rounds/part-00000.parquet`, `rounds/part-00001.parquet`, … hold one
row for each round; `plays/`, written with `--log plays`, one row for each turn. A part holds a
fixed range of rounds; its footer has the run id, its number and a hash of its rows.

Every column has its meaning and unit in the Parquet metadata too. Texts are dictionary columns.
Seats are 0, 1, 2 and, with four players, 3 around the table. All runs have the same columns: with
three players those of seat 3 and `deal_high` are null in every row, and under rules without
doubling those of `leg`. No other value is ever missing.
Cards are packed: an integer with four bits for the count of each rank, the 3s lowest, then 4 5 6 7
8 9 T J Q K A 2, the small joker X and the big joker D; `Hand(value)` reads it. The index of a deal
of two decks is `deal_high` times 2^63 plus `deal`. Clauses (R…) are those of `rules.md`.

This is version {VERSION} of the log.

## rounds

{markdown(ROUNDS)}
## plays

{markdown(PLAYS)}
## Sessions

`ddzsim session` writes the same tables and `sessions/`, one row for each session. Its rounds have
these columns too. A round's number is that of its session times the hands of a session, plus its
own number there, so a session that ended early leaves numbers out. Dollars are multiples of one
half; a chip is a dollar. `chips_…` are null without table stakes. [sessions.md](sessions.md) says
how money is settled.

In a round that a seat left, nobody wins and no leg is settled: `winner` is -1, `score` 0, and what
was played and doubled is counted up to that moment. If there was no landlord yet, `landlord` is -1
and `auction` holds the calls so far.

{markdown(IN_SESSIONS)}
## sessions

{markdown(SESSIONS)}"""
