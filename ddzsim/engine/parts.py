"""One part of a run: a pure function of the configuration and the part's number."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim import schema
from ddzsim.bots.base import Chooser, compiled
from ddzsim.bots.seats import Seat
from ddzsim.core.loop import FORCE_OFF, Room, Setup, new_room, play_rounds
from ddzsim.core.play import MAX_TURNS
from ddzsim.core.session import Log, Terms, play_sessions
from ddzsim.core.two_decks import NO_WIDE_TABLE
from ddzsim.deals import deal_table, wide_table
from ddzsim.engine.config import RunConfig, SessionTerms
from ddzsim.engine.dataset import arrow_table, session_tally, side_by_side, write_part
from ddzsim.engine.stores import Place, store_at
from ddzsim.stats import Tally

Rows: TypeAlias = npt.NDArray[np.void]

BLOCK_WITH_PLAYS = 1000
"""Rounds played at once when turns are logged: the buffer has room for the longest round each."""


@cache
def _room(rules_digest: str, thread: int) -> Room:
    """A thread's table for a rule set: remembered hand values are good for one set only."""
    return new_room()


class Played(NamedTuple):
    """The rows of a part, as the kernels fill them."""

    rounds: Rows
    plays: Rows
    """The turns; empty unless they are logged."""
    money: Rows | None = None
    """What each round of a session has besides; None in a run of single rounds."""
    sessions: Rows | None = None


def play_part(config: RunConfig, part: int) -> Played:
    """Play a part's rounds or sessions."""
    if config.session is not None:
        return _play_sessions(config, config.session, part)
    first, count = config.part_range(part)
    rows = np.zeros(count, schema.buffer_dtype(schema.ROUNDS))
    if config.log == "rounds":
        return Played(rows, _play_rounds(config, first, rows))
    at_once = max(BLOCK_WITH_PLAYS - BLOCK_WITH_PLAYS % config.group, config.group)
    blocks = [
        _play_rounds(config, first + start, rows[start : start + at_once])
        for start in range(0, count, at_once)
    ]
    return Played(rows, np.concatenate(blocks))


def _play_rounds(config: RunConfig, first: int, rows: Rows) -> Rows:
    """Play whole groups of rounds, numbered from `first`, into the rows; gives their turns."""
    room = _room(config.ruleset.digest, threading.get_ident())
    logged = len(rows) if config.log == "plays" else 0
    turns = np.zeros(logged * MAX_TURNS, schema.buffer_dtype(schema.PLAYS))
    filled = 0
    for start in range(config.group):
        setup = _setup(config, config.seats, config.forced_at(start))
        filled += play_rounds(
            first, start, config.group, setup, _bots(config.seats), room, rows, turns[filled:]
        )
    # The rounds of a group were not played in the order of their numbers.
    return turns[:filled][np.argsort(turns["round"][:filled], kind="stable")]


def _setup(config: RunConfig, seats: Sequence[Seat], forced: int = FORCE_OFF) -> Setup:
    """What is the same for every round that these seats play, with this landlord."""
    rules = config.ruleset
    return Setup(
        np.uint64(config.seed),
        forced,
        rules.params,
        np.stack([seat.packed_advice(rules.decks) for seat in seats]),
        np.stack([seat.doubling.packed(rules.decks) for seat in seats]),
        deal_table(),
        wide_table() if rules.decks == 2 else NO_WIDE_TABLE,
    )


def _bots(seats: Sequence[Seat]) -> tuple[Chooser, ...]:
    """The bots at the seats, as kernels call them."""
    return tuple(compiled(seat.bot) for seat in seats)


def _play_sessions(config: RunConfig, terms: SessionTerms, part: int) -> Played:
    """Play a part's sessions, some groups of them at once, so that their turns fit in memory."""
    first, count = config.part_range(part)
    with_plays = config.log == "plays"
    at_once = BLOCK_WITH_PLAYS // terms.hands // config.group * config.group
    at_once = max(at_once, config.group) if with_plays else count
    blocks = [
        _play_block(config, terms, first + start, min(at_once, count - start))
        for start in range(0, count, at_once)
    ]
    return Played(*(np.concatenate(rows) for rows in zip(*blocks, strict=True)))


def _play_block(
    config: RunConfig, terms: SessionTerms, first: int, count: int
) -> tuple[Rows, Rows, Rows, Rows]:
    """Play sessions from the one numbered `first` on: as `Played` has their rows."""
    most = count * terms.hands
    turns = most * MAX_TURNS if config.log == "plays" else 0
    log = Log(
        rounds=np.zeros(most, schema.buffer_dtype(schema.ROUNDS)),
        money=np.zeros(most, schema.buffer_dtype(schema.IN_SESSIONS)),
        sessions=np.zeros(count, schema.buffer_dtype(schema.SESSIONS)),
        plays=np.zeros(turns, schema.buffer_dtype(schema.PLAYS)),
    )
    fixed = Terms(terms.hands, terms.chips, terms.stake, terms.quit_rate, config.group)
    room = _room(config.ruleset.digest, threading.get_ident())
    filled = 0
    for start in range(config.group):
        seats = [config.seats[player] for player in config.players_at(first + start)]
        space = log._replace(plays=log.plays[filled:])
        filled += play_sessions(
            first, start, fixed, _setup(config, seats), _bots(seats), room, space
        )
    hands = np.tile(np.arange(terms.hands), count)
    played = hands < np.repeat(log.sessions["rounds"], terms.hands)
    # The sessions of a group were not played in the order of their numbers.
    order = np.argsort(log.plays["round"][:filled], kind="stable")
    return log.rounds[played], log.plays[:filled][order], log.money[played], log.sessions


def write_played_part(config: RunConfig, part: int, place: Place) -> Tally:
    """Play a part, write its files to a run directory, and give what happened in it.

    Raises:
        RunError: a file cannot be written.
    """
    store = store_at(place)
    played = play_part(config, part)
    # The rounds file comes last: a part counts as played only when all are there.
    if config.log == "plays":
        plays = arrow_table(played.plays, schema.PLAYS, config)
        write_part(store, "plays", part, plays, config.run_id)
    if played.money is None or played.sessions is None:
        rounds = arrow_table(played.rounds, schema.ROUNDS, config)
        write_part(store, "rounds", part, rounds, config.run_id)
        return Tally.of(rounds)
    seated = _seated(config, played.sessions["session"])
    sessions = arrow_table(played.sessions, schema.SESSIONS, config, seated)
    write_part(store, "sessions", part, sessions, config.run_id)
    seated = _seated(config, played.money["session"])
    rounds = side_by_side(
        arrow_table(played.rounds, schema.ROUNDS, config, seated),
        arrow_table(played.money, schema.IN_SESSIONS, config),
    )
    write_part(store, "rounds", part, rounds, config.run_id)
    return Tally.of(rounds) + session_tally(sessions, config)


def _seated(config: RunConfig, sessions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Who sits at the seats in these sessions, row by row, as positions in the bots."""
    places = np.array([config.players_at(place) for place in range(config.group)])
    return places[sessions % config.group]
