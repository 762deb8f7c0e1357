"""What the money and the sessions of a log must fulfil (R8.5, R8.6, R9), and rounds cut short."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ddzsim import schema
from ddzsim.core.play import NOBODY
from ddzsim.core.rng import below, key_of, next_word
from ddzsim.core.session import FOR_EXITS
from ddzsim.engine.config import RunConfig, SessionTerms
from ddzsim.engine.invariants import Finding, Flags, Ints, Rows, misfilled, names
from ddzsim.game import Round


@dataclass(frozen=True, slots=True)
class Ledger:
    """A part's rounds and sessions, money in halves of a dollar."""

    rows: Rows
    sessions: Rows

    @property
    def terms(self) -> SessionTerms:
        """What a session is."""
        assert self.rows.config.session is not None
        return self.rows.config.session

    @property
    def players(self) -> int:
        """How many seats there are."""
        return self.rows.rules.players

    def last_rows(self) -> Ints:
        """The position of each session's last round."""
        ends: Ints = np.cumsum(self.sessions.column("rounds")) - 1
        return ends

    def before(self) -> Ints:
        """What each seat had won and lost before each round, by what it won in each."""
        won = halves(self.rows, "won")
        starts = np.append(0, self.last_rows()[:-1] + 1)
        earlier = np.cumsum(won, axis=0) - won
        at_start: Ints = np.repeat(earlier[starts], self.sessions.column("rounds"), axis=0)
        before: Ints = np.subtract(earlier, at_start)
        return before


def halves(rows: Rows, name: str) -> Ints:
    """Amounts by seat, as whole numbers of halves."""
    held = [rows.table[f"{name}_{seat}"].to_numpy() for seat in range(rows.rules.players)]
    amounts: Ints = np.rint(np.stack(held, 1) * 2).astype(np.int64)
    return amounts


def session_findings(sessions: Rows, part: int) -> Iterator[Finding]:
    """Check the sessions of a part by themselves: what is wrong, with the sessions it is wrong in.

    Where the first finding is not empty, nothing else holds.
    """
    config = sessions.config
    assert config.session is not None
    first, _ = config.part_range(part)
    numbers, rounds = sessions.column("session"), sessions.column("rounds")
    wrong = numbers != np.arange(first, first + len(sessions))
    wrong |= (rounds < 1) | (rounds > config.session.hands)
    wrong |= misfilled(sessions, schema.SESSIONS)
    yield wrong, "not the next session, or it has no such number of rounds, or something is null"
    if wrong.any():
        return
    wrong = sessions.column("first_round") != numbers * config.session.hands
    yield wrong, "first_round is not the number of its first round"
    yield from names(sessions)


def misplaced(ledger: Ledger) -> Flags | None:
    """The rounds that are not the next of their session; None if there are too few or too many."""
    rounds, numbers = ledger.sessions.column("rounds"), ledger.sessions.column("session")
    if len(ledger.rows) != rounds.sum():
        return None
    starts = np.cumsum(rounds) - rounds
    session = np.repeat(numbers, rounds)
    hand = np.arange(len(ledger.rows)) - np.repeat(starts, rounds)
    wrong: Flags = ledger.rows.column("session") != session
    wrong |= ledger.rows.column("hand_number") != hand
    wrong |= ledger.rows.column("round") != session * ledger.terms.hands + hand
    return wrong


def money_findings(ledger: Ledger) -> Iterator[Finding]:
    """Check the money of every round: what is wrong, with the rounds it is wrong in."""
    rows, terms = ledger.rows, ledger.terms
    amounts = np.stack(
        [
            rows.table[f"{name}_{seat}"].to_numpy()
            for name in ("won", "total")
            for seat in range(ledger.players)
        ],
        1,
    )
    odd: Flags = np.any(2 * amounts != np.rint(2 * amounts), axis=1)
    yield odd, "won or total is no multiple of one half"
    won, before = halves(rows, "won"), ledger.before()
    yield won.sum(1) != 0, "won does not sum to 0 (R8.5)"
    yield (halves(rows, "total") != before + won).any(1), "total is not the sum of won so far (R9)"
    leaver = rows.column("leaver")
    wrong = (leaver < NOBODY) | (leaver >= ledger.players)
    yield wrong, f"leaver is not from -1 to {ledger.players - 1}"
    if wrong.any():
        return
    chips = np.full_like(won, np.iinfo(np.int64).max // 4)
    if terms.chips:
        chips = 2 * terms.chips + before
        for name, due in (("chips_before", chips), ("chips_after", chips + won)):
            yield (halves(rows, name) != due).any(1), f"{name} is not what the seats had (R8.5)"
        yield np.any(np.abs(won) > chips, axis=1), "a seat won or lost more than it had (R8.5)"
    left = leaver >= 0
    wrong = ~left & (won != _settled(rows, terms, chips // 2) * 2).any(1)
    yield wrong, "won is not what the scores and the chips give (R8.5)"
    wrong = left & (won != _penalties(rows, terms, chips)).any(1)
    yield wrong, "won is not the penalty and its shares (R8.6)"


def _settled(rows: Rows, terms: SessionTerms, chips: Ints) -> Ints:
    """What each seat wins by its score and what the seats had, in whole dollars (R8.5)."""
    players, landlord = rows.rules.players, np.maximum(rows.column("landlord"), 0)
    lines = np.arange(len(rows))
    scores = rows.by_seat("score") * terms.stake
    order = (landlord[:, None] + np.arange(1, players)[None, :]) % players
    legs = np.minimum(abs(scores), chips)[lines[:, None], order]
    due, purse = legs.sum(1), chips[lines, landlord]
    short = due > purse
    scaled = legs[short] * purse[short, None] // due[short, None]
    rest = purse[short] - scaled.sum(1)
    legs[short] = scaled + (np.arange(players - 1)[None, :] < rest[:, None])
    won = np.zeros_like(scores)
    won[lines[:, None], order] = legs * np.sign(scores[lines[:, None], order])
    won[lines, landlord] = -won.sum(1)
    return won


def _penalties(rows: Rows, terms: SessionTerms, chips: Ints) -> Ints:
    """What each seat wins where a seat left, in halves of a dollar (R8.6)."""
    players, leaver = rows.rules.players, np.maximum(rows.column("leaver"), 0)
    lines = np.arange(len(rows))
    stake = np.where(rows.column("landlord") < 0, rows.rules.base, rows.column("stake"))
    paid = np.minimum(2 * 3 * stake * terms.stake, chips[lines, leaver])
    won = np.zeros_like(chips)
    for step in range(1, players):
        seat = (leaver + step) % players
        # An equal share each; what is left over goes one by one to the seats next in turn.
        share = (paid + players - 1 - step) // (players - 1)
        won[lines, seat] = np.minimum(share, chips[lines, seat])
    won[lines, leaver] = -won.sum(1)
    return won


def ending_findings(ledger: Ledger) -> Iterator[Finding]:
    """Check how the sessions end and what they come to, with the sessions it is wrong in."""
    rows, sessions, terms = ledger.rows, ledger.sessions, ledger.terms
    last, rounds = ledger.last_rows(), sessions.column("rounds")
    leaver = rows.column("leaver")
    after = ledger.before() + halves(rows, "won")
    ruined = (after + 2 * terms.chips == 0).any(1) if terms.chips else np.zeros(len(rows), bool)
    over = (leaver >= 0) | ruined
    ends = np.add.reduceat(over, last - rounds + 1)
    yield ends - over[last] > 0, "went on after a seat had left or had no chips (R9.2)"
    by_exit, by_ruin = leaver[last] >= 0, ruined[last] & (leaver[last] < 0)
    by_hands = ~by_exit & ~by_ruin
    yield by_hands & (rounds != terms.hands), "ended for no reason (R9.2)"
    for ending, flags in zip(schema.ENDINGS, (by_hands, by_ruin, by_exit), strict=True):
        wrong = flags != sessions.is_text("ended", ending)
        yield wrong, f"ended is wrongly {ending}, or wrongly not"
    yield sessions.column("leaver") != leaver[last], "leaver is not who left (R8.6)"
    totals = halves(sessions, "total")
    yield (totals != after[last]).any(1), "total is not what the rounds come to (R9)"
    if terms.chips:
        wrong = (halves(sessions, "chips") != after[last] + 2 * terms.chips).any(1)
        yield wrong, "chips are not what the rounds come to (R8.5)"
    first = totals == totals.max(1)[:, None]
    wrong = (sessions.by_seat("first_place") != first).any(1)
    wrong |= sessions.column("winners") != first.sum(1)
    yield wrong, "first_place and winners are not the highest total (R9.1)"


def leaving(row: dict[str, Any], config: RunConfig, moments: int) -> tuple[int, int]:
    """The seat that leaves during a round and at which of its moments; NOBODY if none does."""
    assert config.session is not None
    key = key_of(FOR_EXITS ^ np.uint64(row["deal"]), np.uint64(row["deal_high"] or 0))
    stream = np.array([key], np.uint64)
    if (int(next_word(stream)) >> 11) / 2**53 >= config.session.quit_rate:
        return NOBODY, 0
    seat = below(stream, config.ruleset.players)
    return int(seat), int(below(stream, moments))


def cut_short(row: dict[str, Any], game: Round, config: RunConfig) -> dict[str, Any]:
    """What the log says of a round of a session, from what it would say had nobody left."""
    calls = list(game.auctions[-1].calls) if game.auctions else []
    leaver, moment = leaving(row, config, len(calls) + len(game.turns))
    row = row | {"leaver": leaver}
    if leaver == NOBODY:
        return row
    unsettled = dict.fromkeys(f"score_{seat}" for seat in range(config.ruleset.players))
    row |= dict.fromkeys([*unsettled, "spring", "anti_spring"], 0)
    row |= {"winner": NOBODY, "side": "nobody"}
    turns = game.turns[: max(moment - len(calls), 0)]
    made = [turn.combo for turn in turns if turn.combo is not None]
    for seat in range(config.ruleset.players):
        row[f"plays_{seat}"] = sum(turn.seat == seat and turn.combo is not None for turn in turns)
    row["turns"] = len(turns)
    row["bombs"] = sum(combo.kind == "bomb" for combo in made)
    row["rockets"] = sum(combo.kind == "rocket" for combo in made)
    if moment < len(calls):
        auction = "-".join(str(bid) for _, bid in calls[:moment])
        none = dict.fromkeys(("bid", "multiplier", "stake"), 0)
        # Null under rules without doubling.
        none |= {name: 0 for name in row if name.startswith("leg_") and row[name] is not None}
        return row | none | {"landlord": NOBODY, "auction": auction}
    least = game.rules.bomb_doubles_from
    doublings = sum(
        combo.kind == "rocket" or (combo.kind == "bomb" and len(combo.cards) >= least)
        for combo in made
    )
    row["multiplier"] = 2**doublings
    row["stake"] = game.rules.base * row["bid"] * row["multiplier"]
    return row
