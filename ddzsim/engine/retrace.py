"""The logged turns, traced again through the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ddzsim.cards import KINDS
from ddzsim.core.combos import MAX_READINGS, PASS, Shape, readings, shape_of
from ddzsim.core.hands import Cards
from ddzsim.core.jit import U, kernel
from ddzsim.core.loop import Room, allowed, new_room
from ddzsim.core.play import NOBODY, begin, play
from ddzsim.engine.invariants import Finding, Ints, Rows
from ddzsim.rules import Params

Turns: TypeAlias = npt.NDArray[np.int64]
"""Logged turns: the seat, the number of the kind, the length, the rank, and the cards left."""

SEAT, KIND, LENGTH, RANK, LEFT = range(5)

FINE, WRONG_SEAT, NOT_A_COMBINATION, NOT_ALLOWED, WRONG_LEFT, TOO_LONG, NO_END = range(7)
FAULTS = (
    "",
    "seat is not the one whose turn it is (R7)",
    "cards do not read as the kind, length and rank (R4, R5)",
    "cards are not in the hand, or do not beat what stands (R6, R7)",
    "left is not what the seat holds after the turn",
    "a turn after a seat was out (R7.3)",
    "ends before a seat is out (R7.3)",
)
"""What is wrong with a round's turns, by number."""

WINNER, BOMBS, ROCKETS, DOUBLINGS, PLAYS = range(5)
"""What a round's turns come to; from PLAYS on the plays of each seat."""


class Log(NamedTuple):
    """The turns of some rounds, and what they start from."""

    hands: npt.NDArray[np.uint64]
    """The dealt hands and the kitty of each round."""
    landlord: Ints
    starts: Ints
    """The position of each round's first turn, and the end of the last round's."""
    cards: npt.NDArray[np.uint64]
    """The cards of each turn."""
    turns: Turns


def turn_findings(rows: Rows, turns: pa.Table) -> Iterator[Finding]:
    """Check a part's turns against its rounds: what is wrong, with the rounds it is wrong in."""
    rounds = turns["round"].to_numpy().astype(np.int64)
    counts = rows.column("turns")
    numbers = rows.column("round")
    at = np.minimum(np.searchsorted(numbers, rounds), len(rows) - 1)
    inside = numbers[at] == rounds
    if not inside.all():
        yield np.ones(len(rows), bool), f"turns of round {rounds[~inside][0]}, not of this part"
        return
    mine = Rows(rows.config, rows.run_id, turns).is_text("run", rows.run_id)
    wrong = np.bincount(at[~mine], minlength=len(rows)) > 0
    yield wrong, f"turns of a run not {rows.run_id}"
    wrong = np.bincount(at, minlength=len(rows)) != counts
    yield wrong, "the number of turns is not that of the round"
    if wrong.any():
        return
    starts = np.concatenate([[0], np.cumsum(counts)])
    due = np.arange(len(rounds)) - np.repeat(starts[:-1], counts)
    ordered = (rounds == np.repeat(numbers, counts)) & (turns["turn"].to_numpy() == due)
    wrong = np.bincount(at[~ordered], minlength=len(rows)) > 0
    yield wrong, "turns are not numbered from 0 in order"
    if not wrong.any():
        yield from _traced(rows, turns, starts)


def _traced(rows: Rows, turns: pa.Table, starts: Ints) -> Iterator[Finding]:
    """Play the turns once more, and compare what they come to with the rounds."""
    rules = rows.rules
    logged = _numbers(turns)
    cards = turns["cards"].to_numpy().astype(np.uint64)
    landlord = rows.column("landlord")
    log = Log(rows.hands(), landlord, starts, cards, logged)
    faults = np.zeros(len(rows), np.int64)
    ends = np.zeros((len(rows), PLAYS + rules.players), np.int64)
    _trace(log, new_room(), rules.params, faults, ends)
    # A round that a seat left (R8.6) ends where it was left.
    faults[(faults == NO_END) & rows.left()] = FINE
    for fault, text in enumerate(FAULTS):
        if fault != FINE:
            yield faults == fault, text
    whole = (faults == FINE) & (landlord >= 0)
    for at, name in ((WINNER, "winner"), (BOMBS, "bombs"), (ROCKETS, "rockets")):
        yield whole & (ends[:, at] != rows.column(name)), f"the turns come to another {name}"
    spring = (rows.column("spring") + rows.column("anti_spring")) * int(rules.spring)
    multiplier = 1 << (ends[:, DOUBLINGS] + spring)
    wrong = whole & (multiplier != rows.column("multiplier"))
    yield wrong, "the turns come to another multiplier (R8.2)"
    plays = (ends[:, PLAYS:] != rows.by_seat("plays")).any(1)
    yield whole & plays, "the turns come to other plays by seat"


def _numbers(turns: pa.Table) -> Turns:
    """The turns as one array of numbers."""
    kinds = turns["kind"].combine_chunks()
    texts = kinds.dictionary.to_pylist()
    # A word that is none gets a number that is none: no cards read as it.
    known = np.array([[*KINDS, text].index(text) for text in texts], np.int64)
    logged = np.zeros((len(turns), 5), np.int64)
    logged[:, KIND] = known[kinds.indices.to_numpy()] if len(turns) else 0
    for at, name in ((SEAT, "seat"), (LENGTH, "length"), (RANK, "rank"), (LEFT, "left")):
        logged[:, at] = turns[name].to_numpy()
    return logged


@kernel
def _reads_as(cards: Cards, shape: Shape, rules: Params) -> bool:
    """Whether a reading of the cards is this one; no cards read as a pass."""
    if shape == PASS:
        return bool(cards == U(0))
    found = np.zeros(MAX_READINGS, np.int64)
    count = readings(cards, rules, found)
    return bool(np.any(found[:count] == shape))


@kernel
def _shape_of(logged: Ints) -> Shape:
    """The shape of a logged turn."""
    return shape_of(logged[KIND], logged[LENGTH], logged[RANK]) if logged[KIND] > 0 else PASS


@kernel
def _fault_of(cards: Cards, logged: Ints, room: Room, rules: Params) -> int:
    """What is wrong with a turn, before it is played."""
    public = room.table.public
    if public["winner"] != NOBODY:
        return TOO_LONG
    if public["to_play"] != logged[SEAT]:
        return WRONG_SEAT
    shape = _shape_of(logged)
    if (shape == PASS and logged[RANK] != -1) or not _reads_as(cards, shape, rules):
        return NOT_A_COMBINATION
    return FINE if allowed(room, cards, shape, rules) else NOT_ALLOWED


@kernel
def _trace(log: Log, room: Room, rules: Params, faults: Ints, ends: Ints) -> None:
    """Play the turns of each round that has a landlord; its first fault, and what it comes to."""
    public = room.table.public
    for row in range(len(log.hands)):
        if log.landlord[row] == NOBODY:
            continue
        room.table.hidden["hands"][: rules["players"] + 1] = log.hands[row]
        # Neither the bid nor the calls decide what may be played.
        begin(room.table, log.landlord[row], 1, 1, rules)
        for turn in range(log.starts[row], log.starts[row + 1]):
            cards, logged = log.cards[turn], log.turns[turn]
            faults[row] = _fault_of(cards, logged, room, rules)
            if faults[row] != FINE:
                break
            play(room.table, cards, _shape_of(logged), rules)
            if public["left"][logged[SEAT]] != logged[LEFT]:
                faults[row] = WRONG_LEFT
                break
        if faults[row] == FINE and public["winner"] == NOBODY:
            faults[row] = NO_END
        ends[row, WINNER] = public["winner"]
        ends[row, BOMBS] = public["bombs"]
        ends[row, ROCKETS] = public["rockets"]
        ends[row, DOUBLINGS] = public["doublings"]
        for seat in range(rules["players"]):
            ends[row, PLAYS + seat] = public["plays"][seat]
