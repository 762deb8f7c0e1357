"""One part of a run: a pure function of the configuration and the part's number."""

from __future__ import annotations

import threading
from functools import cache

import numpy as np
import numpy.typing as npt

from ddzsim import schema
from ddzsim.bots.base import compiled
from ddzsim.core.loop import Room, Setup, new_room, play_rounds
from ddzsim.core.play import MAX_TURNS
from ddzsim.core.two_decks import NO_WIDE_TABLE
from ddzsim.deals import deal_table, wide_table
from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import arrow_table, write_part
from ddzsim.engine.stores import Place, store_at
from ddzsim.stats import Tally

BLOCK_WITH_PLAYS = 1000
"""Rounds played at once when turns are logged: the buffer has room for the longest round each."""


@cache
def _room(rules_digest: str, thread: int) -> Room:
    """A thread's table for a rule set: remembered hand values are good for one set only."""
    return new_room()


def play_part(config: RunConfig, part: int) -> tuple[npt.NDArray[np.void], npt.NDArray[np.void]]:
    """Play a part's rounds; its rows of the rounds and of the plays (empty unless logged)."""
    first, count = config.part_range(part)
    rules = config.ruleset
    setup = Setup(
        np.uint64(config.seed),
        config.forced,
        rules.params,
        np.stack([seat.packed_advice(rules.decks) for seat in config.seats]),
        np.stack([seat.doubling.packed(rules.decks) for seat in config.seats]),
        deal_table(),
        wide_table() if rules.decks == 2 else NO_WIDE_TABLE,
    )
    bots = tuple(compiled(seat.bot) for seat in config.seats)
    rows = np.zeros(count, schema.buffer_dtype(schema.ROUNDS))
    turns_type = schema.buffer_dtype(schema.PLAYS)
    room = _room(rules.digest, threading.get_ident())
    if config.log == "rounds":
        play_rounds(first, setup, bots, room, rows, np.zeros(0, turns_type))
        return rows, np.zeros(0, turns_type)
    blocks = []
    for start in range(0, count, BLOCK_WITH_PLAYS):
        block = rows[start : start + BLOCK_WITH_PLAYS]
        turns = np.zeros(len(block) * MAX_TURNS, turns_type)
        filled = play_rounds(first + start, setup, bots, room, block, turns)
        blocks.append(turns[:filled].copy())
    return rows, np.concatenate(blocks)


def write_played_part(config: RunConfig, part: int, place: Place) -> Tally:
    """Play a part, write its files to a run directory, and give what happened in it.

    Raises:
        RunError: a file cannot be written.
    """
    store = store_at(place)
    rows, turns = play_part(config, part)
    if config.log == "plays":
        # The rounds file comes last: a part counts as played only when both are there.
        write_part(store, "plays", part, arrow_table(turns, schema.PLAYS, config), config.run_id)
    rounds = arrow_table(rows, schema.ROUNDS, config)
    write_part(store, "rounds", part, rounds, config.run_id)
    return Tally.of(rounds)
