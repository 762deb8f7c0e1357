"""Any way to bid on a counterfactual table: its score on every deal, exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ddzsim.bots.advice import Advice
from ddzsim.core.bidding import CELL_SHAPE
from ddzsim.core.bidding import Advice as Packed
from ddzsim.core.evaluate import ACTIONS, Deals, Responses, Scores, respond
from ddzsim.core.evaluate import evaluate as evaluate_kernel
from ddzsim.engine.config import EACH, RunConfig
from ddzsim.engine.dataset import Run, read_run
from ddzsim.engine.stores import Place
from ddzsim.errors import ConfigError, RunError
from ddzsim.rules import RuleSet
from ddzsim.stats import mean_interval

CELLS = {1: CELL_SHAPE, 2: (13, 7, 26)}
"""By decks, how many numbers of big cards, bombs and fewest plays a dealt hand can have, from 0."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over deals with its 95 % interval."""

    mean: float
    half: float
    """Half the width of the interval."""

    @classmethod
    def of(cls, values: npt.NDArray[np.float64]) -> Estimate:
        """The mean of one value for each deal."""
        return cls(*mean_interval(float(values.sum()), float((values**2).sum()), len(values)))

    @property
    def clear(self) -> bool:
        """Whether the interval is clear of 0."""
        return abs(self.mean) > self.half

    def __str__(self) -> str:
        return f"{self.mean:+.4f} ± {self.half:.4f}"


@dataclass(frozen=True, slots=True)
class Table:
    """Deals that were played once for each seat as the landlord, and by whom."""

    deals: Deals
    config: RunConfig

    def __len__(self) -> int:
        return len(self.deals.first)

    @property
    def rules(self) -> RuleSet:
        """The rules that were played."""
        return self.config.ruleset

    @property
    def cells(self) -> tuple[int, int, int]:
        """How many numbers of big cards, bombs and plays a hand can have."""
        return CELLS[self.rules.decks]

    def packed(self, advice: Advice) -> Packed:
        """An advice as the kernels take it, made without slips."""
        return advice.packed(decks=self.rules.decks)


def read_table(place: Place, progress: Callable[[int], Any] = lambda rounds: None) -> Table:
    """The counterfactual table in a run directory; `progress` is told the rounds just read.

    Raises:
        RunError: it is no such table, or does not read.
    """
    run = read_run(place)
    if run.config.force_landlord != EACH:
        raise RunError(
            f"{run.store} is no counterfactual table: make one with `ddzsim counterfactual`"
        )
    blocks = []
    for part in run.parts():
        blocks.append(_deals(run, part))
        progress(len(blocks[-1].first) * run.config.group)
    if not blocks:
        raise RunError(f"{run.store} has no rounds yet")
    columns = zip(*blocks, strict=True)
    return Table(Deals(*(np.concatenate(column) for column in columns)), run.config)


def _deals(run: Run, part: int) -> Deals:
    """The deals of one part, by the rounds that each was played in."""
    players = run.config.ruleset.players
    ratings = ("big", "fours", "fewest")
    by_seat = [f"{name}_{seat}" for name in ("hand", *ratings) for seat in range(players)]
    held = run.table(
        "rounds", part, ["round", "first", "landlord", "winner", "multiplier", *by_seat]
    )
    column = {name: held[name].to_numpy() for name in held.column_names}
    deals = len(held) // players
    if (
        len(held) != deals * players
        or (column["round"] % players != np.arange(len(held)) % players).any()
        or (column["landlord"] != column["round"] % players).any()
    ):
        raise RunError(f"{run.store}: part {part} does not hold each deal once for each landlord")
    won = column["winner"] == column["landlord"]
    outcomes = np.where(won, column["multiplier"], -column["multiplier"])
    one = slice(None, None, players)

    def seats(name: str) -> npt.NDArray[Any]:
        return np.stack([column[f"{name}_{seat}"][one] for seat in range(players)], 1)

    return Deals(
        first=column["first"][one].astype(np.int8),
        hands=seats("hand").astype(np.uint64),
        shapes=np.stack([seats(name) for name in ratings], 2).astype(np.int8),
        outcomes=outcomes.reshape(deals, players).astype(np.int32),
    )


def evaluate(table: Table, advice: Sequence[Advice] | Advice) -> Scores:
    """What the deals of a table come to when the seats bid so: one advice for each, or for all.

    The points are those of playing the rounds, where a deal that all pass on is worth nothing
    (`redeal_limit=0`).

    Raises:
        ConfigError: the number of seats is another.
    """
    players = table.rules.players
    by_seat = [advice] * players if isinstance(advice, Advice) else list(advice)
    if len(by_seat) != players:
        raise ConfigError(f"{len(by_seat)} ways to bid: the table has {players} seats")
    packed = np.stack([table.packed(one) for one in by_seat])
    count = len(table)
    scores = Scores(
        landlord=np.zeros(count, np.int8),
        bid=np.zeros(count, np.int8),
        points=np.zeros((count, players), np.int64),
    )
    evaluate_kernel(table.deals, packed, table.rules.params, scores)
    return scores


def alone(table: Table, mine: Advice, theirs: Advice) -> npt.NDArray[np.float64]:
    """By deal, the points of a seat that bids one way while all others bid another.

    In stakes at a bid of 1, the mean over the seats that may be the one. A seat that bids as all
    others do has exactly 0.
    """
    players = table.rules.players
    total = np.zeros(len(table))
    for seat in range(players):
        seats = [mine if other == seat else theirs for other in range(players)]
        total += evaluate(table, seats).points[:, seat]
    return total / (players * table.rules.base)


def by_position(table: Table, advice: Advice) -> list[Estimate]:
    """The points of the seat that speaks first, second, … where all bid by an advice, in stakes."""
    players = table.rules.players
    points = evaluate(table, advice).points / table.rules.base
    rows = np.arange(len(table))
    return [
        Estimate.of(points[rows, (table.deals.first + place) % players]) for place in range(players)
    ]


def responses(table: Table, before: Advice, after: Advice) -> Responses:
    """What each call is worth at each turn, where others bid so before it and so after it.

    Raises:
        ConfigError: the rules let seats speak more than once.
    """
    if table.rules.auction != "once":
        raise ConfigError(
            f"rules {table.rules}: auction={table.rules.auction}: bids are tuned where each seat "
            "speaks once (R3.2)"
        )
    players, cells = table.rules.players, table.cells
    result = Responses(
        hands=np.zeros((players, ACTIONS - 1, *cells), np.int64),
        points=np.zeros((players, ACTIONS - 1, *cells, ACTIONS), np.int64),
    )
    respond(table.deals, table.packed(before), table.packed(after), table.rules.params, result)
    return result


def win_shares(table: Table) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """By cell, how many hands were dealt, and how many of them won as the landlord."""
    dealt, won = np.zeros(table.cells, np.int64), np.zeros(table.cells, np.int64)
    shapes = table.deals.shapes.reshape(-1, 3).T
    np.add.at(dealt, tuple(shapes), 1)
    np.add.at(won, tuple(shapes[:, table.deals.outcomes.ravel() > 0]), 1)
    return dealt, won
