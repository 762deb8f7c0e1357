"""What a run is: its configuration, checked, and the id that follows from it."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import Any

import ddzsim
from ddzsim import schema
from ddzsim.bots.seats import Seat, parse_seats
from ddzsim.core import rng
from ddzsim.core.loop import FORCE_OFF, FORCE_ROTATE
from ddzsim.errors import ConfigError, shown
from ddzsim.rules import RuleSet, ruleset

LOGS = ("rounds", "plays")
EACH = "each"
"""Every deal is played once for each seat as the landlord."""

MAX_SEED = 2**63 - 1
MAX_GAMES = 10**12
MAX_ROUND = 2**62
MAX_HANDS = 10_000
MAX_CHIPS = 10**9
MAX_STAKE = 10**5
"""Rounds of a session in a part, and amounts in halves of chips, fit in memory and in 63 bits."""

PART_ROUNDS = 10_000
LARGE_PART_ROUNDS = 100_000
LARGE_RUN = 10_000_000
MAX_PARTS = MAX_GAMES // LARGE_PART_ROUNDS
"""A run lists its parts, in memory and in a folder."""


def draw_seed() -> int:
    """A seed from the system's randomness, short enough to type."""
    return secrets.randbelow(10**9)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTerms:
    """What a session is (R9)."""

    hands: int = 9
    """Rounds in a session, unless it ends before."""
    chips: int = 0
    """R8.5: what each seat begins with, at table stakes; 0: no table stakes."""
    stake: int = 1
    """R8.5: dollars for a point."""
    quit_rate: float = 0.0
    """R8.6: the chance that a seat leaves in a round."""
    mirror: bool = False
    """Whether sessions are played in groups, one for each place that the bots can move to, with
    the same deals."""

    def __post_init__(self) -> None:
        """Check every value."""
        for name, low, high in (
            ("hands", 1, MAX_HANDS),
            ("chips", 0, MAX_CHIPS),
            ("stake", 1, MAX_STAKE),
        ):
            _check_number(name, getattr(self, name), low, high)
        if type(self.quit_rate) is not float or not 0 <= self.quit_rate <= 1:
            raise ConfigError(f"quit-rate={shown(self.quit_rate)}: a share from 0.0 to 1.0")
        if type(self.mirror) is not bool:
            raise ConfigError(f"mirror={shown(self.mirror)}: true or false")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """Everything that decides the result of a run, and nothing else."""

    seed: int
    games: int = 1000
    """Rounds to play; sessions in a run of sessions."""
    first: int = 0
    """Number of the first of them: a seed's sequence can be split over machines."""
    bots: str = "normal"
    rules: str = "classic"
    overrides: tuple[tuple[str, str], ...] = ()
    """Fields of the rule set that are changed, as texts."""
    log: str = "rounds"
    force_landlord: str = "off"
    session: SessionTerms | None = None
    """What a session is; None in a run of single rounds."""

    def __post_init__(self) -> None:
        """Check every value, and what they say together."""
        for name, low, high in (
            ("seed", 0, MAX_SEED),
            ("games", 1, MAX_GAMES),
            ("first", 0, MAX_ROUND),
        ):
            _check_number(name, getattr(self, name), low, high)
        for name in ("bots", "rules", "log", "force_landlord"):
            if not isinstance(getattr(self, name), str):
                raise ConfigError(f"{name}={shown(getattr(self, name))}: a text")
        for name, text in self.overrides:
            if not isinstance(text, str):
                raise ConfigError(f"overrides: {name}={shown(text)}: a text")
        if self.log not in LOGS:
            raise ConfigError(f"log={shown(self.log)}: one of {', '.join(LOGS)}")
        players = self.ruleset.players
        forced = ("off", *map(str, range(players)), "rotate", EACH)
        if self.force_landlord not in forced:
            raise ConfigError(
                f"force-landlord={shown(self.force_landlord)}: one of {', '.join(forced)}"
            )
        if self.parts > MAX_PARTS:
            most = MAX_PARTS * self.part_games
            raise ConfigError(f"games={self.games}: at most {most} with log={self.log}")
        parse_seats(self.bots, players)
        if self.session is not None:
            self._check_session(self.session)
        if self.force_landlord == EACH:
            self._check_each()
        self._check_groups()

    def _check_each(self) -> None:
        """Check what a run says together with each seat as the landlord."""
        if self.ruleset.doubling:
            raise ConfigError(
                f"force-landlord={EACH}: not under rules with doubling, which depends on the bid "
                f"(R3.5), as {self.ruleset.name} has it"
            )
        for seat in self.seats:
            if seat.bot.reads_auction:
                raise ConfigError(
                    f"bots={shown(self.bots)}: the play of {seat.bot.name} depends on the auction, "
                    f"so with force-landlord={EACH} it would not be what it plays after one"
                )

    def _check_groups(self) -> None:
        """Check that rounds, or sessions, that have the same deals are all there."""
        why = "with mirror" if self.session else f"with force-landlord={EACH}"
        noun = "sessions" if self.session else "rounds"
        for name in ("games", "first"):
            count = getattr(self, name)
            if count % self.group:
                raise ConfigError(
                    f"{name}={count}: a multiple of {self.group} {why}, since as many {noun} "
                    "have the same deals"
                )

    def _check_session(self, terms: SessionTerms) -> None:
        """Check what a run says together with its sessions."""
        if self.force_landlord != "off":
            raise ConfigError("force-landlord: not in sessions, where seats bid")
        if (self.first + self.games) * terms.hands > MAX_ROUND:
            raise ConfigError(f"games={self.games}: rounds are numbered up to {MAX_ROUND}")

    @property
    def group(self) -> int:
        """How many rounds, or sessions, in a row have the same deals."""
        several = self.session.mirror if self.session else self.force_landlord == EACH
        return self.ruleset.players if several else 1

    def players_at(self, number: int) -> tuple[int, ...]:
        """The positions in `bots` of those who sit at the seats in a round, or a session."""
        players = self.ruleset.players
        moved = number % self.group if self.session else 0
        return tuple((seat - moved) % players for seat in range(players))

    @property
    def ruleset(self) -> RuleSet:
        """The rules that are played."""
        return _overridden(self.rules, self.overrides)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who sits where."""
        return parse_seats(self.bots, self.ruleset.players)

    @property
    def _doublers(self) -> tuple[Seat, ...]:
        """The seats whose doubling advice decides something: all of them, or none (R3.5)."""
        return self.seats if self.ruleset.doubling else ()

    def forced_at(self, start: int) -> int:
        """The landlord of the rounds at a place in their groups, as the kernels take it."""
        words = {"off": FORCE_OFF, "rotate": FORCE_ROTATE, EACH: start}
        choice = self.force_landlord
        return words[choice] if choice in words else int(choice)

    def landlord_of(self, number: int) -> int | None:
        """The landlord of a round that has no auction; None where the seats bid."""
        forced = self.forced_at(number % self.group)
        if forced == FORCE_ROTATE:
            return number % self.ruleset.players
        return None if forced == FORCE_OFF else forced

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the run writes."""
        plays = ("plays",) if self.log == "plays" else ()
        return ("rounds", *plays, *(("sessions",) if self.session else ()))

    def columns(self, table: str) -> tuple[schema.Column, ...]:
        """The columns of a table in this run."""
        more = schema.IN_SESSIONS if self.session and table == "rounds" else ()
        return (*schema.TABLES[table], *more)

    @property
    def table_stakes(self) -> bool:
        """Whether no seat may lose more than it has (R8.5)."""
        return self.session is not None and self.session.chips > 0

    @property
    def most_rounds(self) -> int:
        """How many rounds the run can have."""
        return self.games * (self.session.hands if self.session else 1)

    @property
    def part_rounds(self) -> int:
        """Rounds in a part; it follows from the configuration, so a run's parts never change."""
        # With turns a part is some 60 times larger, and it has to fit in a worker's memory.
        large = self.most_rounds >= LARGE_RUN and self.log == "rounds"
        return LARGE_PART_ROUNDS if large else PART_ROUNDS

    @property
    def part_games(self) -> int:
        """Rounds in a part, or sessions: whole groups of them, with about as many rounds."""
        games = self.part_rounds // (self.session.hands if self.session else 1)
        return max(games - games % self.group, self.group)

    @property
    def parts(self) -> int:
        """How many parts the run has."""
        return -(-self.games // self.part_games)

    def part_range(self, part: int) -> tuple[int, int]:
        """The number of a part's first round or session, and how many it has."""
        start = part * self.part_games
        return self.first + start, min(self.part_games, self.games - start)

    def identity(self) -> dict[str, Any]:
        """What the run id is a hash of: never paths, workers or time."""
        values = asdict(self)
        if self.session is None:
            del values["session"]
        return {
            **values,
            "bots": [str(seat) for seat in self.seats],
            "bot_versions": [seat.bot.version for seat in self.seats],
            "advice": [seat.advice_numbers(self.ruleset.decks) for seat in self.seats],
            "doubling": [self._doubling_of(seat) for seat in self._doublers],
            "rules": [self.ruleset.name, self.ruleset.digest],
            "overrides": None,
            "rng": rng.VERSION,
            "schema": schema.VERSION,
        }

    @property
    def run_id(self) -> str:
        """A short hash of what decides the result."""
        text = json.dumps(self.identity(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def manifest(self) -> dict[str, Any]:
        """What `run.json` says of the configuration."""
        return {
            "config": asdict(self) | {"overrides": dict(self.overrides)},
            "run_id": self.run_id,
            "rules": {
                "name": self.ruleset.name,
                "hash": self.ruleset.digest,
                **self.ruleset.settings(),
            },
            "bots": [self._about(seat) for seat in self.seats],
            "schema": schema.VERSION,
            "rng": rng.VERSION,
            "ddzsim": ddzsim.__version__,
            "parts": self.parts,
            "part_rounds": self.part_rounds,
        }

    def _about(self, seat: Seat) -> dict[str, Any]:
        """What `run.json` says of a seat."""
        about = {
            "seat": str(seat),
            "bot": seat.bot.name,
            "version": seat.bot.version,
            "advice": seat.advice.name,
            "advice_hash": _hash_of(seat.advice_numbers(self.ruleset.decks)),
        }
        if seat not in self._doublers:
            return about
        doubling = {"doubling": seat.doubling.name}
        return about | doubling | {"doubling_hash": _hash_of(self._doubling_of(seat))}

    def _doubling_of(self, seat: Seat) -> list[int]:
        """A seat's doubling advice as numbers."""
        numbers: list[int] = seat.doubling.packed(self.ruleset.decks).tolist()
        return numbers

    @classmethod
    def from_manifest(cls, manifest: dict[str, Any]) -> RunConfig:
        """The configuration that a `run.json` holds.

        Raises:
            ConfigError: a value is missing or not valid.
        """
        unread = "the configuration does not read"
        values = manifest.get("config")
        if not isinstance(values, dict):
            raise ConfigError(f"{unread}: {shown(values)} is no object")
        if odd := sorted(values.keys() - {field.name for field in fields(cls)}):
            raise ConfigError(f"{unread}: no setting {', '.join(odd)}")
        if lacking := {"seed", "overrides"} - values.keys():
            raise ConfigError(f"{unread}: it lacks {', '.join(sorted(lacking))}")
        if not isinstance(values["overrides"], dict):
            raise ConfigError(f"{unread}: overrides={shown(values['overrides'])} is no object")
        given = values | {"overrides": tuple(sorted(values["overrides"].items()))}
        if (terms := values.get("session")) is not None:
            if not isinstance(terms, dict):
                raise ConfigError(f"{unread}: session={shown(terms)} is no object")
            if odd := sorted(terms.keys() - {field.name for field in fields(SessionTerms)}):
                raise ConfigError(f"{unread}: no setting {', '.join(odd)} of sessions")
            given["session"] = SessionTerms(**terms)
        return cls(**given)


@lru_cache(maxsize=16)
def _overridden(rules: str, overrides: tuple[tuple[str, str], ...]) -> RuleSet:
    """The rules of a configuration, which is asked for them once a column and part."""
    return ruleset(rules).override(dict(overrides))


def _check_number(name: str, value: object, low: int, high: int) -> None:
    """Refuse what is no whole number, or is out of bounds."""
    if type(value) is not int or not low <= value <= high:
        raise ConfigError(f"{name}={shown(value)}: a whole number from {low} to {high}")


def _hash_of(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:12]
