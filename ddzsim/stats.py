"""Estimates and intervals from tallies; no files.

A tally holds sums, so tallies of parts add up to the tally of the run, whatever the order.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ddzsim.errors import RunError
from ddzsim.schema import ENDINGS

if TYPE_CHECKING:
    import pyarrow as pa

Z_95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""

BIDS = 4
LEGS = (1, 2, 4)
"""What a leg may multiply the stake by (R3.5)."""
SEATS = 4
ENDED = len(ENDINGS)


def wilson(wins: float, trials: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson score interval of a share, for unpaired trials.

    >>> low, high = wilson(50, 100)
    >>> round(low, 4), round(high, 4)
    (0.4038, 0.5962)
    """
    if trials == 0:
        return 0.0, 1.0
    share = wins / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    spread = math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    half = z * spread / (1 + z * z / trials)
    return max(0.0, centre - half), min(1.0, centre + half)


def mean_interval(
    total: float, squares: float, trials: int, z: float = Z_95
) -> tuple[float, float]:
    """The mean of trials and the half width of its interval, from sums of values and squares.

    >>> mean, half = mean_interval(total=10, squares=60, trials=4)
    >>> mean, round(half, 3)
    (2.5, 3.347)
    """
    if trials < 2:
        return (total / trials if trials else 0.0), math.inf
    mean = total / trials
    variance = max(0.0, squares - total * mean) / (trials - 1)
    return mean, z * math.sqrt(variance / trials)


def _moments(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The sums over blocks of values and of their squares, by player."""
    padded = np.zeros((len(values), SEATS))
    padded[:, : values.shape[1]] = values
    return np.stack([padded.sum(0), (padded * padded).sum(0)])


def _no_moments() -> npt.NDArray[np.float64]:
    return np.zeros((2, SEATS))


@dataclass(frozen=True, slots=True, eq=False)
class SessionTally:
    """What happened in some sessions, by player: the bots in the order they are named; adds up.

    The unit of its means is the block: sessions that have the same deals, or a session where each
    has its own. Moments are sums over blocks of a block's mean, and of its square.
    """

    sessions: int = 0
    blocks: int = 0
    ties: int = 0
    """Sessions in which several seats have the highest total."""
    ended: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(ENDED))
    """Sessions by how they ended: all hands, ruin, exit."""
    ruined: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(SEATS))
    """Sessions at whose end the player has no chips."""
    left: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(SEATS))
    """Sessions that the player left."""
    alone: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(SEATS))
    """Sessions that the player won alone."""
    shares: npt.NDArray[np.float64] = field(default_factory=_no_moments)
    """Moments of the share of sessions won; a tie is split."""
    seat_shares: npt.NDArray[np.float64] = field(default_factory=_no_moments)
    """The same by seat."""
    points: npt.NDArray[np.float64] = field(default_factory=_no_moments)
    """Moments of the totals."""
    ruins: npt.NDArray[np.float64] = field(default_factory=_no_moments)
    """Moments of the share of sessions that end without chips."""
    lengths: npt.NDArray[np.float64] = field(default_factory=_no_moments)
    """Moments of the rounds in a session, under the first player."""
    totals: Counter[tuple[int, float]] = field(default_factory=Counter)
    """How often each player ended at each total."""

    @classmethod
    def of(cls, sessions: pa.Table, players: int, group: int) -> SessionTally:
        """The tally of whole groups of sessions, as the log has them."""

        def by_seat(name: str) -> npt.NDArray[np.float64]:
            columns = [sessions[f"{name}_{seat}"].to_numpy() for seat in range(players)]
            return np.stack(columns, 1).astype(np.float64)

        numbers = sessions["session"].to_numpy()
        seats = (np.arange(players)[None, :] + (numbers % group)[:, None]) % players
        rows = np.arange(len(numbers))[:, None]

        def blocks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
            return _moments(values.reshape(-1, group, values.shape[1]).mean(1))

        won = by_seat("first_place") / sessions["winners"].to_numpy()[:, None]
        shares, totals = won[rows, seats], by_seat("total")[rows, seats]
        ruined = np.zeros_like(totals)
        if not sessions["chips_0"].null_count:
            ruined = (by_seat("chips")[rows, seats] == 0).astype(np.float64)
        ended = sessions["ended"].to_pylist()
        leaver = sessions["leaver"].to_numpy()
        left = (seats == leaver[:, None]).sum(0)
        return cls(
            sessions=len(numbers),
            blocks=len(numbers) // group,
            ties=int((sessions["winners"].to_numpy() > 1).sum()),
            ended=np.array([ended.count(ending) for ending in ENDINGS]),
            ruined=_padded(ruined.sum(0)),
            left=_padded(left),
            alone=_padded((shares == 1).sum(0)),
            shares=blocks(shares),
            seat_shares=blocks(won),
            points=blocks(totals),
            ruins=blocks(ruined),
            lengths=blocks(sessions["rounds"].to_numpy().astype(np.float64)[:, None]),
            totals=Counter(
                (player, float(total))
                for player in range(players)
                for total in totals[:, player].tolist()
            ),
        )

    def __add__(self, other: SessionTally) -> SessionTally:
        """Pool two samples of sessions."""
        sums = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return SessionTally(**sums)

    def quantile(self, player: int, share: float) -> float:
        """The least total that at least this share of a player's sessions do not exceed."""
        held = sorted((total, n) for (who, total), n in self.totals.items() if who == player)
        due, seen = share * self.sessions, 0
        for total, count in held:
            seen += count
            if seen >= due:
                return total
        raise ValueError("no sessions")


def _padded(counts: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Counts by player with room for every seat."""
    return np.append(counts, np.zeros(SEATS - len(counts))).astype(np.int64)


def _zeros(size: int) -> npt.NDArray[np.int64]:
    return np.zeros(size, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What happened in some rounds; tallies add."""

    rounds: int = 0
    passed_out: int = 0
    redeals: int = 0
    turns: int = 0
    bombs: int = 0
    rockets: int = 0
    springs: int = 0
    anti_springs: int = 0
    faults: int = 0
    multipliers: int = 0
    """Sum of the multipliers of the rounds that had a landlord."""
    by_bid: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(BIDS))
    """Rounds by the landlord's bid; 0 where passed out."""
    wins_by_bid: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(BIDS))
    """Those that the landlord won."""
    as_landlord: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(SEATS))
    """Rounds in which each seat was the landlord."""
    landlord_wins: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(SEATS))
    """Those it won, by seat."""
    score: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(SEATS))
    """Sum of points by seat."""
    score_squares: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(SEATS))
    """Sum of squared points by seat."""
    legs: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(max(LEGS) + 1))
    """Peasants' legs by what they multiply the stake by; all 0 under rules without doubling."""
    legs_won: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(max(LEGS) + 1))
    """Those that the peasants won."""
    leg_points: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(max(LEGS) + 1))
    """What peasants won or lost on them, in points."""
    exits: int = 0
    """Rounds that a seat left."""
    sessions: SessionTally = field(default_factory=SessionTally)
    """The sessions that the rounds belong to, if any."""

    @classmethod
    def of(cls, rounds: pa.Table) -> Tally:
        """The tally of rows of the log.

        Raises:
            RunError: a column holds something else than the log does.
        """
        column = {name: _numbers(rounds, name) for name in TALLIED}
        landlord, bid = column["landlord"], column["bid"]
        if (landlord < -1).any() or (landlord > 3).any() or (bid < 0).any() or (bid >= BIDS).any():
            raise RunError("the rounds hold a landlord or a bid that there is not: verify the run")
        left = np.zeros(len(landlord), bool)
        if "leaver" in rounds.column_names:
            left = _numbers(rounds, "leaver") >= 0
        passed_out = (landlord < 0) & ~left
        played = (landlord >= 0) & ~left
        won = played & (column["winner"] == landlord)
        score = _zeros(SEATS)
        squares = np.zeros(SEATS)
        # The columns of seat 3 are null with three players, those of legs without doubling.
        held = [name for name in rounds.column_names if not rounds[name].null_count]
        for seat in range(SEATS):
            if f"score_{seat}" not in held:
                continue
            points = _numbers(rounds, f"score_{seat}")
            score[seat] = points.sum()
            squares[seat] = float((points * points).sum())
        legs, legs_won, leg_points = _legs_of(rounds, held, ~left)
        return cls(
            rounds=len(landlord),
            passed_out=int(passed_out.sum()),
            exits=int(left.sum()),
            by_bid=np.bincount(bid[~left], minlength=BIDS),
            wins_by_bid=np.bincount(bid[won], minlength=BIDS),
            as_landlord=np.bincount(landlord[played], minlength=SEATS),
            landlord_wins=np.bincount(landlord[won], minlength=SEATS),
            score=score,
            score_squares=squares,
            legs=legs,
            legs_won=legs_won,
            leg_points=leg_points,
            multipliers=int(column["multiplier"][played].sum()),
            springs=int(column["spring"].sum()),
            anti_springs=int(column["anti_spring"].sum()),
            redeals=int(column["redeals"].sum()),
            turns=int(column["turns"].sum()),
            bombs=int(column["bombs"].sum()),
            rockets=int(column["rockets"].sum()),
            faults=int(column["faults"].sum()),
        )

    def __add__(self, other: Tally) -> Tally:
        """Pool two samples of rounds."""
        sums = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return Tally(**sums)

    @property
    def played(self) -> int:
        """Rounds that had a landlord and were played to their end."""
        return self.rounds - self.passed_out - self.exits

    @property
    def games(self) -> int:
        """Sessions where the rounds belong to some, rounds elsewhere."""
        return self.sessions.sessions or self.rounds


def _numbers(rounds: pa.Table, name: str) -> npt.NDArray[np.int64]:
    """A column of whole numbers; sums of them do not overflow."""
    values = rounds[name].to_numpy()
    if values.dtype.kind not in "iu":
        raise RunError(f"column {name} of the rounds is not all whole numbers: verify the run")
    numbers: npt.NDArray[np.int64] = values.astype(np.int64)
    return numbers


def _legs_of(
    rounds: pa.Table, held: Collection[str], settled: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], ...]:
    """Peasants' settled legs by factor: how many there were, how many they won, their points."""
    counts = tuple(_zeros(max(LEGS) + 1) for _ in range(3))
    for seat in range(SEATS):
        if f"leg_{seat}" not in held:
            continue
        legs, points = _numbers(rounds, f"leg_{seat}"), _numbers(rounds, f"score_{seat}")
        for leg in LEGS:
            of_these = points[settled & (legs == leg)]
            counts[0][leg] += len(of_these)
            counts[1][leg] += (of_these > 0).sum()
            counts[2][leg] += of_these.sum()
    return counts


TALLIED = (
    "landlord",
    "bid",
    "winner",
    "multiplier",
    "spring",
    "anti_spring",
    "redeals",
    "turns",
    "bombs",
    "rockets",
    "faults",
)
"""The columns a tally reads, besides the scores."""
