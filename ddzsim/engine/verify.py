"""Whether a run directory holds the run that its `run.json` says: its parts, rows and rounds."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ddzsim import schema
from ddzsim.bots.advice import rate
from ddzsim.deals import LOW_BITS, Deal
from ddzsim.engine import fairness
from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import (
    HASH_KEY,
    MANIFEST,
    PART_KEY,
    RUN_KEY,
    Run,
    arrow_schema,
    part_name,
    read_run,
    rows_hash,
)
from ddzsim.engine.invariants import Finding, Rows, expected_deals, findings, worth
from ddzsim.engine.ledger import (
    Ledger,
    cut_short,
    ending_findings,
    misplaced,
    money_findings,
    session_findings,
)
from ddzsim.engine.retrace import turn_findings
from ddzsim.engine.stores import ASIDE, Place
from ddzsim.errors import DdzError, RunError, one_line
from ddzsim.game import Round
from ddzsim.table import play

Progress: TypeAlias = Callable[[int], Any]
"""Called with the number of rounds, or sessions, that have just been checked."""

MOST_NAMED = 20
"""Missing parts of a table that are named one by one."""

TURN_COLUMNS = ("seat", "cards", "kind", "left")
"""The columns of a turn that are held against a replay; the others were held against these."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found wrong in a run directory, and how much was looked at."""

    problems: tuple[str, ...]
    """What is wrong: one line each, naming the file, the first round and the fault."""
    checked_rows: int
    replayed: int
    """Rounds that were played once more."""
    notes: tuple[str, ...] = ()
    """What could not be checked, and why; no fault of the run."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


@dataclass(slots=True)
class _Check:
    """A check under way."""

    run: Run
    replays: frozenset[int]
    """The numbers of the rounds to be replayed."""
    comparable: bool
    """Whether the rules and the generator are those that the run was made with."""
    problems: list[str] = field(default_factory=list)
    checked_rows: int = 0
    replayed: int = 0
    hands: npt.NDArray[np.int64] = field(init=False)
    """How many dealt hands had so many big cards and bombs."""

    def __post_init__(self) -> None:
        """Start counting hands."""
        self.hands = np.zeros(fairness.SHAPES[self.run.config.ruleset.decks], np.int64)

    def report(self, name: str, text: str) -> None:
        """Note what is wrong with a file."""
        self.problems.append(one_line(f"{name}: {text}"))


def verify_run(place: Place, sample: int = 200, progress: Progress = lambda rows: None) -> Verdict:
    """Check a run directory part by part: files, rows, turns, and `sample` rounds played again."""
    try:
        run = read_run(place)
    except RunError as error:
        return Verdict((str(error),), 0, 0)
    rules, bots = changes(run)
    notes = [f"{note}: rows are not checked" for note in rules]
    notes += [f"{note}: no round is played again" for note in bots]
    check = _Check(run, frozenset() if notes else sampled(run.config, sample), comparable=not rules)
    _check_manifest(check, unchanged=not notes)
    _check_files(check)
    for part in range(run.config.parts):
        progress(_check_part(check, part))
    if unfair := fairness.unfair(check.hands, run.config.ruleset.decks):
        check.problems.append(f"rounds: {unfair}")
    return Verdict(
        tuple(check.problems), check.checked_rows, check.replayed, tuple(map(one_line, notes))
    )


def changes(run: Run) -> tuple[list[str], list[str]]:
    """What has changed since the run was made: in what its rows mean, and in how its bots play."""
    then, now = run.manifest, run.config.manifest()
    rules, bots = [], []
    if then.get("rng") != now["rng"]:
        rules.append(f"generator: version {then.get('rng')} then, {now['rng']} now")
    if _field(then, "rules", "hash") != now["rules"]["hash"]:
        rules.append(f"rules {run.config.ruleset}: others then")
    held = then.get("bots")
    held = held if isinstance(held, list) else []
    for was, present in zip_longest(held, now["bots"]):
        for key in ("version", "advice_hash", "doubling_hash"):
            if _field(was, key) != _field(present, key):
                name = key.replace("_", " ")
                seat = _field(present or was, "seat")
                bots.append(f"{seat}: {name} {_field(was, key)} then, {_field(present, key)} now")
    return list(dict.fromkeys(rules)), list(dict.fromkeys(bots))


def _field(held: Any, *keys: str) -> Any:
    """A value in nested JSON objects; None if it is not there."""
    for key in keys:
        held = held.get(key) if isinstance(held, dict) else None
    return held


def _check_manifest(check: _Check, unchanged: bool) -> None:
    """What `run.json` says follows from its configuration; not the run id if a bot has changed."""
    for key in ("run_id", "parts", "part_rounds") if unchanged else ("parts", "part_rounds"):
        held, due = check.run.manifest.get(key), getattr(check.run.config, key)
        if held != due:
            check.report(MANIFEST, f"{key} is {held}, the configuration makes it {due}")


def _check_files(check: _Check) -> None:
    """Each part is there, and nothing else but what a killed run left aside, by a hidden name."""
    config = check.run.config
    for table in schema.TABLES:
        parts = range(config.parts) if table in config.tables else range(0)
        due = {part_name(table, part) for part in parts}
        try:
            there = {found.name for found in check.run.store.found(table)}
        except RunError as error:
            check.problems.append(str(error))
            continue
        missing = sorted(due - there)
        for name in missing[:MOST_NAMED]:
            check.report(name, "missing")
        if len(missing) > MOST_NAMED:
            check.problems.append(f"{table}: {len(missing) - MOST_NAMED:,} more parts are missing")
        for name in sorted(there - due):
            if not name.startswith(f"{table}/{ASIDE}"):
                check.report(name, "not a part of this run")


def _check_part(check: _Check, part: int) -> int:
    """Check the files of a part; how many of its rounds, or sessions, were checked."""
    config = check.run.config
    name, plays_name = part_name("rounds", part), part_name("plays", part)
    table = _read_part(check, "rounds", part)
    turns = _read_part(check, "plays", part) if config.log == "plays" else None
    ledger = _ledger(check, table, part) if config.session else None
    if table is None or (config.session and ledger is None):
        return 0
    if not config.session and not _numbered(check, name, table, part):
        return 0
    if not check.comparable:
        return 0
    rows = Rows(config, str(check.run.manifest.get("run_id")), table)
    check.checked_rows += len(rows)
    sound = _report(check, name, rows, findings(rows))
    if sound:
        np.add.at(check.hands, _kinds_of_hands(rows), 1)
    if sound and turns is not None:
        _report(check, plays_name, rows, turn_findings(rows, turns))
    if sound and ledger is not None and _report(check, name, rows, money_findings(ledger)):
        endings = ending_findings(ledger)
        _report(check, part_name("sessions", part), ledger.sessions, endings, "session")
    for at in _to_replay(check, rows, part):
        _replay(check, part, table.slice(at, 1).to_pylist()[0], turns)
    return config.part_range(part)[1]


def _ledger(check: _Check, rounds: pa.Table | None, part: int) -> Ledger | None:
    """A part's sessions next to its rounds, if the rounds are theirs, each once and in order."""
    name = part_name("sessions", part)
    table, config = _read_part(check, "sessions", part), check.run.config
    if table is None or rounds is None:
        return None
    if len(table) != config.part_range(part)[1]:
        due = config.part_range(part)[1]
        check.report(name, f"{len(table):,} rows, the part has {due:,} sessions")
        return None
    run_id = str(check.run.manifest.get("run_id"))
    ledger = Ledger(Rows(config, run_id, rounds), Rows(config, run_id, table))
    if not _report(
        check, name, ledger.sessions, session_findings(ledger.sessions, part), "session"
    ):
        return None
    wrong = misplaced(ledger)
    if wrong is None:
        due = int(ledger.sessions.column("rounds").sum())
        check.report(
            part_name("rounds", part), f"{len(rounds):,} rows, the sessions have {due:,} rounds"
        )
        return None
    odd = iter([(wrong, "not the next round of its session")])
    return ledger if _report(check, part_name("rounds", part), ledger.rows, odd) else None


def _to_replay(check: _Check, rows: Rows, part: int) -> list[int]:
    """The positions of a part's rows to be played again: of a session one of its rounds."""
    start, count = check.run.config.part_range(part)
    chosen = sorted(check.replays.intersection(range(start, start + count)))
    if check.run.config.session is None:
        return [number - start for number in chosen]
    sessions = rows.column("session")
    draw = random.Random(f"{check.run.config.run_id} {part}")
    places = [np.flatnonzero(sessions == number) for number in chosen]
    # Half of them the last of their sessions, where somebody left or was ruined.
    return [int(at[-1] if draw.random() < 0.5 else draw.choice(at)) for at in places]


def _numbered(check: _Check, name: str, table: pa.Table, part: int) -> bool:
    """Whether a part holds its rounds, each once and in order."""
    start, count = check.run.config.part_range(part)
    if len(table) != count:
        check.report(name, f"{len(table):,} rows, the part has {count:,} rounds")
        return False
    numbers = table["round"].to_numpy()
    strays = np.flatnonzero(numbers != np.arange(start, start + count))
    if len(strays):
        at = int(strays[0])
        check.report(name, f"row {at} is round {numbers[at]}, not round {start + at}")
    return not len(strays)


def _read_part(check: _Check, table: str, part: int) -> pa.Table | None:
    """A part's rows, if it reads and has the declared columns; its footer is held against them."""
    name = part_name(table, part)
    try:
        with check.run.store.open(name) as file:
            rows = pq.read_table(file)
    except FileNotFoundError:
        return None
    except RunError as error:
        check.report(name, str(error))
        return None
    except (OSError, pa.ArrowException) as error:
        check.report(name, f"does not read: {str(error).splitlines()[0]}")
        return None
    about = rows.schema.metadata or {}
    due = {RUN_KEY: str(check.run.manifest.get("run_id")), PART_KEY: str(part)}
    for key, text in due.items():
        held = about.get(key, b"nothing").decode(errors="replace")
        if held != text:
            check.report(name, f"the footer's {key.decode()} is {held}, not {text}")
    declared = arrow_schema(check.run.config.columns(table))
    if difference := _difference(rows.schema, declared):
        check.report(name, difference)
        return None
    if about.get(HASH_KEY) != rows_hash(rows).encode():
        check.report(name, "the rows are not those that were written: their hash differs")
    return rows


def _difference(held: pa.Schema, declared: pa.Schema) -> str:
    """How a part's columns differ from the declared ones; empty if they do not."""
    if held.names != declared.names:
        odd = sorted(set(held.names) ^ set(declared.names)) or ["their order"]
        return f"the columns are not the declared ones: {', '.join(odd)}"
    for mine, due in zip(held, declared, strict=True):
        if not mine.equals(due):
            return f"column {mine.name} is {mine.type}, the log declares {due.type}"
        if _about(mine) != _about(due):
            return f"column {mine.name} has another meaning or unit than the log declares"
    return ""


def _about(column: pa.Field) -> dict[bytes, bytes]:
    """A column's metadata, less what pyarrow adds."""
    held = column.metadata or {}
    return {key: text for key, text in held.items() if not key.startswith(b"PARQUET:")}


def _report(
    check: _Check, name: str, rows: Rows, found: Iterator[Finding], noun: str = "round"
) -> bool:
    """Report findings, each by the first round or session it is in; whether there were none."""
    before = len(check.problems)
    numbers = rows.column(noun)
    for wrong, text in found:
        count = int(wrong.sum())
        if count:
            more = f" (and {count - 1:,} more)" if count > 1 else ""
            check.report(name, f"{noun} {numbers[int(wrong.argmax())]}: {text}{more}")
    return len(check.problems) == before


def _kinds_of_hands(rows: Rows) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Big cards and bombs of one hand of each round's first deal.

    The hands of a deal are not independent, so each round gives one, that of another seat
    each time. It is a hand of the first deal even where all passed and another one was played:
    hands that somebody bid on are stronger than hands that are dealt. Of rounds with the same
    deal it takes the first.
    """
    seats = rows.deal_numbers() % rows.rules.players
    hands = expected_deals(rows).first_hands[np.arange(len(rows)), seats]
    if rows.config.group > 1:
        hands = hands[rows.places() == 0]
    return worth(hands, rows.rules.decks)


def sampled(config: RunConfig, sample: int) -> frozenset[int]:
    """Rounds spread evenly over a run: one drawn, by the run id, from each equal stretch."""
    count = min(sample, config.games)
    draw = random.Random(config.run_id)
    edges = [config.first + config.games * i // max(count, 1) for i in range(count + 1)]
    return frozenset(draw.randrange(low, high) for low, high in pairwise(edges))


def index_of(row: dict[str, Any]) -> int:
    """The index of a row's first deal, out of its two columns."""
    return (row["deal_high"] or 0) << LOW_BITS | int(row["deal"])


def replay(config: RunConfig, number: int, deal: int) -> Round:
    """Play a round of a run again from its deal's index (R2.2), to its end whoever left.

    Raises:
        DdzError: there is no such deal, or a bot does what the rules do not allow.
    """
    dealt = Deal.from_index(deal, config.ruleset.players)
    seats = config.seats
    if config.session is not None:
        seats = tuple(seats[player] for player in config.players_at(number // config.session.hands))
    return play(dealt, seats, config.ruleset, landlord=config.landlord_of(number))


def row_of(game: Round) -> dict[str, Any]:
    """What the log says of a round that is over, but for its run and its number."""
    auction = game.auctions[-1] if game.auctions else None
    result, landlord, winner = game.result, game.landlord, game.winner
    row: dict[str, Any] = {
        "deal": game.deal.index & (1 << LOW_BITS) - 1,
        "deal_high": game.deal.index >> LOW_BITS if game.rules.decks == 2 else None,
        "redeals": game.redeals,
        "rules": game.rules.name,
        "first": game.dealt.first_bidder,
        "auction": schema.auction_text(auction.record) if auction else "",
        "landlord": -1 if landlord is None else landlord,
        "bid": game.stake_bid,
        "kitty": game.dealt.kitty.packed,
        "side": _side(winner, landlord),
        "winner": -1 if winner is None else winner,
        "turns": len(game.turns),
        "bombs": game.played("bomb"),
        "rockets": game.played("rocket"),
        "spring": int(result.spring) if result else 0,
        "anti_spring": int(result.anti_spring) if result else 0,
        "multiplier": result.multiplier if result else 0,
        "stake": result.stake if result else 0,
    }
    for seat, hand in enumerate(game.dealt.hands):
        rating = rate(hand, game.rules)
        row |= {
            f"bot_{seat}": game.names[seat],
            f"hand_{seat}": hand.packed,
            f"big_{seat}": rating.big,
            f"fours_{seat}": rating.bombs,
            f"fewest_{seat}": rating.plays,
            f"plays_{seat}": game.plays_of(seat),
            f"leg_{seat}": game.legs[seat] if game.rules.doubling else None,
            f"score_{seat}": game.scores[seat],
        }
    return row


def _side(winner: int | None, landlord: int | None) -> str:
    """The side that won, in the log's words."""
    if winner is None:
        return "nobody"
    return "landlord" if winner == landlord else "peasants"


def turns_of(game: Round) -> list[tuple[int, int, str, int]]:
    """A round's turns as the log has them: the seat, the cards, the kind, the cards left."""
    return [
        (
            turn.seat,
            turn.combo.cards.packed if turn.combo else 0,
            turn.combo.kind if turn.combo else "pass",
            len(turn.left),
        )
        for turn in game.turns
    ]


def _replay(check: _Check, part: int, row: dict[str, Any], turns: pa.Table | None) -> None:
    """Play a round again, and hold the log against it column by column."""
    number, name = row["round"], part_name("rounds", part)
    try:
        game = replay(check.run.config, number, index_of(row))
    except DdzError as error:
        check.report(name, f"round {number}: cannot be played again: {error}")
        return
    check.replayed += 1
    expected = row_of(game)
    if check.run.config.session is not None:
        expected = cut_short(expected, game, check.run.config)
    others = [
        f"{column} {due} and not {row[column]}"
        for column, due in expected.items()
        if row[column] != due
    ]
    if others:
        check.report(name, f"round {number}: played again it has {', '.join(others)}")
    if turns is None:
        return
    held = turns.filter(pc.equal(turns["round"], number))
    logged = zip(*(held[name].to_pylist() for name in TURN_COLUMNS), strict=True)
    if list(logged) != turns_of(game)[: expected["turns"]]:
        check.report(part_name("plays", part), f"round {number}: played again it has other turns")
