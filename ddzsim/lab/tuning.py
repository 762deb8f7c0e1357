"""Tuning of bids: the best answer to others who bid as advised, until nobody gains by another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.bots.advice import ADVICE, OUT_OF_REACH, Advice
from ddzsim.core.auction import TOP_BID
from ddzsim.core.bidding import CALLERS, STANDING
from ddzsim.core.evaluate import ACTIONS
from ddzsim.errors import ConfigError
from ddzsim.lab.bidding import Estimate, Table, alone, responses
from ddzsim.lab.fitting import best_bids, weaker_by_measure, weaker_cells

MODELS = ("rating", "table")
"""Ways to say what to bid: weights and cut-offs, or the most plays by big cards and bombs."""

BIG_WEIGHTS, BOMB_WEIGHTS = range(1, 11), range(1, 13)
"""The weights that are tried, against 1 for each play."""

MOST_STEPS = 12
"""Best answers to best answers, before it is said that they do not settle."""

NEVER = (OUT_OF_REACH,) * 3

REACHED = 0.001
"""The share of deals from which on a situation counts as one that comes about."""

Bids: TypeAlias = npt.NDArray[np.int64]
"""What to bid, by caller, standing bid, big cards, bombs and plays."""

Points: TypeAlias = npt.NDArray[np.int64]
"""What calls came to in sum: as `Bids`, and by the call."""

Weights: TypeAlias = tuple[int, int, int]
"""What a big card, a bomb and a play count."""


@dataclass(frozen=True, slots=True)
class Step:
    """One best answer to the way that all bid before."""

    advice: Advice
    gain: Estimate
    """What it gains alone against the others, on the deals to choose by, in stakes a deal."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """What tuning has found."""

    advice: Advice
    steps: tuple[Step, ...]
    settled: bool
    """Whether the last best answer gained less than its error."""


Progress: TypeAlias = Callable[[str], Any]
"""Told in words what has just been done."""


def tune(
    train: Table, choose: Table, model: str, name: str, progress: Progress = lambda done: None
) -> Tuned:
    """The advice to which no best answer is better by more than the error of its gain.

    Starts where all bid by `default`. Each step answers the bids of the step before: what is
    fitted is fitted on `train`, what is chosen, the weights and whether the answer is better, is
    chosen on `choose`.

    Raises:
        ConfigError: the tables share deals, differ in bots or rules, or have an auction in which
            seats speak more than once.
    """
    check_apart((train, choose))
    advice, steps = ADVICE["default"], list[Step]()
    for _ in range(MOST_STEPS):
        answer = best_response(train, choose, advice, model, name)
        gain = Estimate.of(alone(choose, answer, advice))
        progress(f"best answer {len(steps) + 1}: it gains {gain}")
        steps.append(Step(answer, gain))
        if gain.mean < gain.half:
            return Tuned(answer if len(steps) == 1 else advice, tuple(steps), settled=True)
        advice = answer
    return Tuned(advice, tuple(steps), settled=False)


def best_response(train: Table, choose: Table, others: Advice, model: str, name: str) -> Advice:
    """The monotone advice that is worth most to one seat while all others bid by another."""
    fitted, chosen = answers(train, others), answers(choose, others)
    if model == "table":
        return _advice(_table_bids(fitted), train, name)
    best: tuple[float, Bids, Weights] | None = None
    for weights in ((big, bomb, -1) for big in BIG_WEIGHTS for bomb in BOMB_WEIGHTS):
        bids = _rating_bids(fitted, weights)
        worth = _worth(chosen, bids)
        if best is None or worth > best[0]:
            best = (worth, bids, weights)
    assert best is not None
    return _advice(best[1], train, name, best[2])


def answers(table: Table, others: Advice) -> Points:
    """What each call is worth where all others bid by an advice, in sums.

    A situation that does not come about in this way is taken as it comes about where those before
    bid by `default`: it has to be answered too, and others bid otherwise.
    """
    usual = responses(table, others, others)
    other = responses(table, ADVICE["default"], others)
    rare = usual.hands.sum((2, 3, 4)) < REACHED * len(table)
    points: Points = np.where(rare[:, :, None, None, None, None], other.points, usual.points)
    return points


def situations(players: int) -> Iterator[tuple[int, int]]:
    """The callers' places, from 0, with the standing bids that they can meet."""
    yield 0, 0
    yield from ((caller, standing) for caller in range(1, players) for standing in range(TOP_BID))


def _rating_bids(points: Points, weights: Weights) -> Bids:
    """The best cut-offs for a measure of the hand, as bids by situation and cell."""
    cells = np.indices(points.shape[2:5])
    measures, at = np.unique(np.tensordot(np.array(weights), cells, 1), return_inverse=True)
    weaker = list(weaker_by_measure(measures))

    def fit(sums: Points) -> Bids:
        by_measure = np.zeros((len(measures), ACTIONS), np.int64)
        np.add.at(by_measure, at.ravel(), sums.reshape(-1, ACTIONS))
        return by_measure

    return _fitted(points, lambda sums: (fit(sums), weaker, at.ravel()))


def _table_bids(points: Points) -> Bids:
    """The best bids by cell that are monotone, by situation."""
    shape = points.shape[2:5]
    weaker, own = list(weaker_cells(shape)), np.arange(np.prod(shape))
    return _fitted(points, lambda sums: (sums.reshape(-1, ACTIONS), weaker, own))


def _fitted(points: Points, kinds_of: Callable[[Points], Any]) -> Bids:
    """The best bids in each situation, given how hands fall into kinds there."""
    bids = np.zeros(points.shape[:5], np.int64)
    for caller, standing in situations(len(points)):
        sums, weaker, at = kinds_of(points[caller, standing])
        legal = range(standing + 1, TOP_BID + 1)
        best = best_bids(sums, weaker, legal)
        bids[caller, standing] = best[at].reshape(points.shape[2:5])
    return bids


def _worth(points: Points, bids: Bids) -> float:
    """The sum that bids come to over all situations."""
    return float(np.take_along_axis(points, bids[..., None], axis=5).sum())


def _advice(bids: Bids, table: Table, name: str, weights: Weights | None = None) -> Advice:
    """The advice that bids so: by the cut-offs of a rating with these weights, or by cell."""
    if weights is None:
        return Advice(name, "table", NEVER, NEVER, cells=cells_of(bids))
    cells = np.indices(bids.shape[2:])
    measures = np.tensordot(np.array(weights), cells, 1)
    by_situation = tuple(
        cutoffs_of(bids[caller, standing], measures) if caller < len(bids) else NEVER
        for caller in range(CALLERS)
        for standing in range(STANDING)
    )
    return Advice(name, "rating", NEVER, NEVER, weights, situations=by_situation)


def cutoffs_of(bids: Bids, measures: npt.NDArray[np.int64]) -> tuple[int, int, int]:
    """The least measure for a bid of 1, of 2 and of 3: that from which at least so much is bid."""
    least = [measures[bids >= bid].min(initial=OUT_OF_REACH) for bid in range(1, TOP_BID + 1)]
    return int(least[0]), int(least[1]), int(least[2])


def cells_of(bids: Bids) -> tuple[int, ...]:
    """The bids of all situations as one number for each cell, two bits each."""
    packed = np.zeros(bids.shape[2:], np.int64)
    for caller in range(len(bids)):
        for standing in range(STANDING):
            packed |= bids[caller, standing] << 2 * (caller * STANDING + standing)
    return tuple(packed.ravel().tolist())


def check_apart(tables: Sequence[Table]) -> None:
    """Refuse tables that share deals, or were played by other bots or under other rules.

    Raises:
        ConfigError: see above.
    """
    for at, table in enumerate(tables):
        mine = table.config
        for other in (one.config for one in tables[:at]):
            if (mine.bots, mine.ruleset) != (other.bots, other.ruleset):
                raise ConfigError(
                    f"tables of {other.bots} under {other.ruleset} and of {mine.bots} under "
                    f"{mine.ruleset}: bids are tuned for one population and one rule set"
                )
            overlap = max(mine.first, other.first) < min(
                mine.first + mine.games, other.first + other.games
            )
            if mine.seed == other.seed and overlap:
                raise ConfigError(
                    f"two tables have deals of seed {mine.seed} in common: fit, choose and judge "
                    "on tables of other seeds"
                )
