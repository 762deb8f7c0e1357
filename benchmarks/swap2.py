"""The arithmetic of `swap2`: each deck is played twice, sides exchanged, and counts once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ddzsim.stats import mean_interval

Points = npt.NDArray[np.float64]
"""One number for each deck."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over decks and the half width of its 95 % interval."""

    mean: float
    half: float

    @classmethod
    def of(cls, values: Points) -> Estimate:
        """The estimate from one independent value for each deck."""
        squares = float((values * values).sum())
        return cls(*mean_interval(float(values.sum()), squares, len(values)))

    def text(self, sign: str = "") -> str:
        """The mean and the half width; with `sign` "+" the mean shows its sign."""
        return f"{self.mean:{sign}.4f} ± {self.half:.4f}"


@dataclass(frozen=True, slots=True)
class Swap2:
    """A against B, from the landlord's points of every deck, with A and with B as the landlord.

    Both peasants count as one side, so a side's points are the landlord's or their negative.
    """

    a_landlord: Points
    """The landlord's points on each deck when A is the landlord and B both peasants."""
    b_landlord: Points
    """The landlord's points on the same decks when B is the landlord and A both peasants."""

    @property
    def win_shares(self) -> tuple[Estimate, Estimate, Estimate]:
        """How often A's side wins: averaged over the sides (WP), as landlord, as peasants."""
        return self._estimates(
            (self.a_landlord > 0).astype(np.float64), (self.b_landlord < 0).astype(np.float64)
        )

    @property
    def points(self) -> tuple[Estimate, Estimate, Estimate]:
        """What A's side wins on a deck: averaged over the sides (ADP), as landlord, as peasants."""
        return self._estimates(self.a_landlord, -self.b_landlord)

    @staticmethod
    def _estimates(landlord: Points, peasants: Points) -> tuple[Estimate, Estimate, Estimate]:
        # The two rounds of a deck are not independent: the deck is the unit, its value their mean.
        both = (landlord + peasants) / 2
        return Estimate.of(both), Estimate.of(landlord), Estimate.of(peasants)


HEADER = f"{'pairing':32s}{'':5s}{'both sides':>20s}{'as landlord':>20s}{'as peasants':>20s}"


def lines(title: str, pairing: Swap2) -> str:
    """The two lines of a table that show a pairing."""
    rows = []
    for name, measure, sign, estimates in (
        (title, "WP", "", pairing.win_shares),
        ("", "ADP", "+", pairing.points),
    ):
        columns = "".join(f"{estimate.text(sign):>20s}" for estimate in estimates)
        rows.append(f"{name:32s}{measure:5s}{columns}")
    return "\n".join(rows)
