"""Estimates and intervals from tallies; no files.

A tally holds sums, so tallies of parts add up to the tally of the run, whatever the order.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ddzsim.errors import RunError

if TYPE_CHECKING:
    import pyarrow as pa

Z_95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""

BIDS = 4
LEGS = (1, 2, 4)
"""What a leg may multiply the stake by (R3.5)."""


def wilson(wins: int, trials: int, z: float = Z_95) -> tuple[float, float]:
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
    as_landlord: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(4))
    """Rounds in which each seat was the landlord."""
    landlord_wins: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(4))
    """Those it won, by seat."""
    score: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(4))
    """Sum of points by seat."""
    score_squares: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(4))
    """Sum of squared points by seat."""
    legs: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(max(LEGS) + 1))
    """Peasants' legs by what they multiply the stake by; all 0 under rules without doubling."""
    legs_won: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(max(LEGS) + 1))
    """Those that the peasants won."""
    leg_points: npt.NDArray[np.int64] = field(default_factory=lambda: _zeros(max(LEGS) + 1))
    """What peasants won or lost on them, in points."""

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
        played = landlord >= 0
        won = played & (column["winner"] == landlord)
        score = np.zeros(4, np.int64)
        squares = np.zeros(4)
        # The columns of seat 3 are null with three players, those of legs without doubling.
        held = [name for name in rounds.column_names if not rounds[name].null_count]
        for seat in range(4):
            if f"score_{seat}" not in held:
                continue
            points = _numbers(rounds, f"score_{seat}")
            score[seat] = points.sum()
            squares[seat] = float((points * points).sum())
        legs, legs_won, leg_points = _legs_of(rounds, held)
        return cls(
            rounds=len(landlord),
            passed_out=int((~played).sum()),
            by_bid=np.bincount(bid, minlength=BIDS),
            wins_by_bid=np.bincount(bid[won], minlength=BIDS),
            as_landlord=np.bincount(landlord[played], minlength=4),
            landlord_wins=np.bincount(landlord[won], minlength=4),
            score=score,
            score_squares=squares,
            legs=legs,
            legs_won=legs_won,
            leg_points=leg_points,
            multipliers=int(column["multiplier"].sum()),
            springs=int(column["spring"].sum()),
            anti_springs=int(column["anti_spring"].sum()),
            **{
                name: int(column[name].sum())
                for name in ("redeals", "turns", "bombs", "rockets", "faults")
            },
        )

    def __add__(self, other: Tally) -> Tally:
        """Pool two samples of rounds."""
        sums = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return Tally(**sums)

    @property
    def played(self) -> int:
        """Rounds that had a landlord."""
        return self.rounds - self.passed_out


def _numbers(rounds: pa.Table, name: str) -> npt.NDArray[np.int64]:
    """A column of whole numbers; sums of them do not overflow."""
    values = rounds[name].to_numpy()
    if values.dtype.kind not in "iu":
        raise RunError(f"column {name} of the rounds is not all whole numbers: verify the run")
    numbers: npt.NDArray[np.int64] = values.astype(np.int64)
    return numbers


def _legs_of(rounds: pa.Table, held: Collection[str]) -> tuple[npt.NDArray[np.int64], ...]:
    """Peasants' legs by factor: how many there were, how many they won, and their points."""
    counts = tuple(_zeros(max(LEGS) + 1) for _ in range(3))
    for seat in range(4):
        if f"leg_{seat}" not in held:
            continue
        legs, points = _numbers(rounds, f"leg_{seat}"), _numbers(rounds, f"score_{seat}")
        for leg in LEGS:
            of_these = points[legs == leg]
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
