"""Sessions: rounds with running totals, table stakes and seats that leave (R8.5, R8.6, R9).

Amounts are counted in halves of a chip: a third seat's half of a penalty is the smallest there is.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.core.auction import ALL_PASSED, RECORD
from ddzsim.core.combos import BOMB, PASS, ROCKET, kind_of
from ddzsim.core.jit import U, highest_bit, kernel, long_kernel
from ddzsim.core.loop import BOTS, Room, Setup, log_plays, play_round, settle_round
from ddzsim.core.play import MAX_SEATS, NOBODY
from ddzsim.core.rng import below, key_of, next_word
from ddzsim.core.scoring import NO_SPRING, doubles, multiplier_of, stake_of
from ddzsim.rules import Params

Amounts: TypeAlias = npt.NDArray[np.int64]
"""An amount for each seat."""

ALL_PLAYED, RUIN, EXIT = range(3)
"""How a session ends: all its rounds are played, a seat has no chips, a seat has left."""

UNLIMITED = 1 << 60
"""What a seat may win or lose in a round where there are no table stakes."""

HALVES = 2
PENALTY = 3
"""R8.6: what a seat that leaves pays, in stakes."""

# The fraction of the square root of 11, as the other purposes of a stream have theirs.
FOR_EXITS = U(0x510E527FADE682D1)


class Terms(NamedTuple):
    """What is the same for every session of a run."""

    hands: int
    """Rounds in a session."""
    chips: int
    """What each seat begins with; 0: no table stakes."""
    stake: int
    """Dollars for a point."""
    quit_rate: float
    """The chance that a seat leaves in a round."""
    group: int
    """How many sessions in a row have the same deals."""


class Log(NamedTuple):
    """The rows that a part of a run fills."""

    rounds: Any
    """One for each round that the sessions can have; those not played stay unused."""
    money: Any
    """What a round of a session has besides, row by row."""
    sessions: Any
    plays: Any
    """The turns, one row after another; empty if they are not logged."""


@kernel
def settle_legs(legs: Amounts, landlord: int, limits: Amounts, players: int) -> None:
    """Cut the legs down to what the seats may win and lose, in whole units (R8.5).

    `legs` holds what each peasant's leg is worth and, afterwards, what changes hands; `limits`
    what each seat had when the round began. A peasant short of chips caps its own leg. Where the
    landlord cannot cover the sum, it is shared in proportion; the units that are left over go to
    the seats next in turn, one each: with two peasants there is one at most.
    """
    due = 0
    for step in range(1, players):
        seat = (landlord + step) % players
        legs[seat] = min(legs[seat], limits[seat])
        due += legs[seat]
    paid = min(due, limits[landlord])
    if paid == due:
        return
    rest = paid
    for step in range(1, players):
        seat = (landlord + step) % players
        legs[seat] = legs[seat] * paid // due
        rest -= legs[seat]
    for step in range(1, rest + 1):
        legs[(landlord + step) % players] += 1


@kernel
def settle_exit(penalty: int, leaver: int, limits: Amounts, players: int, shares: Amounts) -> None:
    """Fill in what each other seat gets of the penalty of a seat that leaves (R8.6), in halves.

    It pays no more than it has, and no seat gets more than that seat had (R8.5). With three seats
    the shares are halves of a whole amount, so nothing is left over; with four, thirds may leave
    one or two units, which go to the seats next in turn.
    """
    paid = min(penalty, limits[leaver])
    shares[:] = 0
    for step in range(1, players):
        seat = (leaver + step) % players
        share = paid // (players - 1) + (step <= paid % (players - 1))
        shares[seat] = min(share, limits[seat])


@kernel
def draw_exit(deal: int, deal_high: int, moments: int, quit_rate: float, players: int) -> int:
    """When and who leaves in a round: moment * players + seat, or NOBODY.

    The stream follows from the deal alone (R2.2): not from how the session goes.
    """
    stream = np.empty(1, np.uint64)
    stream[0] = key_of(FOR_EXITS ^ U(deal), U(deal_high))
    if float(next_word(stream) >> U(11)) * 2.0**-53 >= quit_rate:
        return NOBODY
    seat = below(stream, players)
    return below(stream, moments) * players + seat


@kernel
def rewind(public: Any, turns: int, rules: Params) -> None:
    """Take the counts of a table back to what they were after so many turns."""
    public["turns"] = turns
    public["winner"] = NOBODY
    public["bombs"] = 0
    public["rockets"] = 0
    public["doublings"] = 0
    for seat in range(rules["players"]):
        public["plays"][seat] = 0
    for turn in range(turns):
        shape = public["shapes"][turn]
        if shape != PASS:
            public["plays"][(public["landlord"] + turn) % rules["players"]] += 1
            public["bombs"] += kind_of(shape) == BOMB
            public["rockets"] += kind_of(shape) == ROCKET
            public["doublings"] += doubles(shape, rules)


@kernel
def leave_round(room: Room, row: Any, moment: int, rules: Params) -> int:
    """Write what the log says of a round that a seat left; the stake that it pays three times.

    The moments of a round are the calls of its last auction, then its turns. Before a landlord
    exists the stake is that of a bid of 1 (R8.6).
    """
    public = room.table.public
    calls = highest_bit(U(room.auction[RECORD])) // 2
    row["winner"] = NOBODY
    if moment < calls:
        row["auction"] = room.auction[RECORD] >> 2 * (calls - moment)
        row["landlord"] = NOBODY
        row["bid"] = 0
        row["faults"] = 0
        public["turns"] = 0
        return stake_of(1, 1, rules)
    rewind(public, moment - calls, rules)
    multiplier = multiplier_of(public["doublings"], NO_SPRING, rules)
    row["turns"] = public["turns"]
    row["bombs"] = public["bombs"]
    row["rockets"] = public["rockets"]
    row["multiplier"] = multiplier
    row["stake"] = stake_of(public["bid"], multiplier, rules)
    for seat in range(rules["players"]):
        row["plays"][seat] = public["plays"][seat]
        row["leg"][seat] = public["legs"][seat]
    return row["stake"]


@kernel
def end_round(
    room: Room, row: Any, landlord: int, limits: Amounts, terms: Terms, rules: Params, won: Amounts
) -> int:
    """Settle a round that was played to its end: the seat that left before, or NOBODY.

    `limits` is in halves, and so is what is filled in: `won`, by seat.
    """
    players = rules["players"]
    won[:] = 0
    calls = highest_bit(U(room.auction[RECORD])) // 2
    turns = 0 if landlord == ALL_PASSED else room.table.public["turns"]
    drawn = draw_exit(row["deal"], row["deal_high"], calls + turns, terms.quit_rate, players)
    if drawn != NOBODY:
        leaver = drawn % players
        penalty = PENALTY * leave_round(room, row, drawn // players, rules) * terms.stake * HALVES
        settle_exit(penalty, leaver, limits, players, won)
        won[leaver] = -won[:players].sum()
        return leaver
    if landlord == ALL_PASSED:
        row["winner"] = NOBODY
        return NOBODY
    settle_round(room, row, rules)
    landlord_won = row["winner"] == landlord
    for seat in range(players):
        won[seat] = 0 if seat == landlord else abs(row["score"][seat]) * terms.stake
    settle_legs(won, landlord, limits // HALVES, players)
    total = won.sum()
    for seat in range(players):
        if seat == landlord:
            won[seat] = HALVES * (total if landlord_won else -total)
        else:
            won[seat] *= -HALVES if landlord_won else HALVES
    return NOBODY


@kernel
def log_money(money: Any, won: Amounts, totals: Amounts, terms: Terms, players: int) -> bool:
    """Add what was won to the totals, and log both; whether a seat has no chips left."""
    ruined = False
    for seat in range(players):
        before = HALVES * terms.chips + totals[seat]
        totals[seat] += won[seat]
        money["won"][seat] = won[seat] / HALVES
        money["total"][seat] = totals[seat] / HALVES
        money["chips_before"][seat] = before / HALVES
        money["chips_after"][seat] = (before + won[seat]) / HALVES
        ruined |= terms.chips > 0 and before + won[seat] == 0
    return ruined


@kernel
def log_session(row: Any, totals: Amounts, terms: Terms, players: int) -> None:
    """Write what a session comes to, and who won it: the highest total, or several (R9.1)."""
    highest = totals[:players].max()
    for seat in range(players):
        row["total"][seat] = totals[seat] / HALVES
        row["chips"][seat] = terms.chips + totals[seat] / HALVES
        row["first_place"][seat] = totals[seat] == highest
        row["winners"] += totals[seat] == highest


@kernel
def play_session(
    at: int, session: int, terms: Terms, setup: Setup, bots: BOTS, room: Room, log: Log, turns: int
) -> int:
    """Play a session into the rows at position `at`; gives the position after its turns."""
    rules = setup.rules
    players = rules["players"]
    totals = np.zeros(MAX_SEATS, np.int64)
    limits = np.full(MAX_SEATS, UNLIMITED)
    won = np.zeros(MAX_SEATS, np.int64)
    record = log.sessions[at]
    record["session"] = session
    record["first_round"] = session * terms.hands
    record["ended"] = ALL_PLAYED
    record["leaver"] = NOBODY
    for hand in range(terms.hands):
        row, money = log.rounds[at * terms.hands + hand], log.money[at * terms.hands + hand]
        number = session * terms.hands + hand
        deal = session // terms.group * terms.hands + hand
        landlord = play_round(deal, hand, setup, bots, room, row)
        if terms.chips > 0:
            for seat in range(players):
                limits[seat] = HALVES * terms.chips + totals[seat]
        leaver = end_round(room, row, landlord, limits, terms, rules, won)
        row["round"] = number
        money["session"] = session
        money["hand_number"] = hand
        money["leaver"] = leaver
        ruined = log_money(money, won, totals, terms, players)
        if len(log.plays) and landlord != ALL_PASSED and row["landlord"] != NOBODY:
            turns = log_plays(room, number, log.plays, turns, rules)
        record["rounds"] = hand + 1
        if leaver != NOBODY:
            record["ended"], record["leaver"] = EXIT, leaver
            break
        if ruined:
            record["ended"] = RUIN
            break
    log_session(record, totals, terms, players)
    return turns


@long_kernel
def play_sessions(
    first: int, start: int, terms: Terms, setup: Setup, bots: BOTS, room: Room, log: Log
) -> int:
    """Play each `terms.group`-th session from position `start` on, numbered from `first`.

    The sessions of a group have the same deals and other seats, so other bots here. Gives how many
    turns were logged.
    """
    turns = 0
    for at in range(start, len(log.sessions), terms.group):
        turns = play_session(at, first + at, terms, setup, bots, room, log, turns)
    return turns
