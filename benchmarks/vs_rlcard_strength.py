"""How strong our bots are against RLCard's rule agent, by the protocol of the published tables.

Random 20/17/17 decks, no auction, each played twice with the sides exchanged, RLCard's rules.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from rlcard_table import landlord_points, new_work
from swap2 import HEADER, Estimate, Swap2, lines
from tqdm import tqdm

from ddzsim.bots.base import Bot
from ddzsim.bots.seats import BOTS
from ddzsim.deals import Deal
from ddzsim.engine.config import RunConfig
from ddzsim.engine.parts import play_part

CHUNK = 25
"""Decks that one process plays at once."""
RANDOM_ROUNDS = 50_000
PUBLISHED = """\
published: RLCard v random WP .9426; RLCard v RLCard landlord's share .4465 (re-run .4628 ± .005);
           random v random landlord's share .3461 (re-run .3534 ± .0034)"""


def play_decks(level: str | None, seed: int, numbers: range) -> list[tuple[int, int]]:
    """The landlord's points on some decks: level against RLCard's agents, and the other way round.

    With no level RLCard's agent plays itself; the second number of a deck is then of no use.
    """
    bot: Bot | None = BOTS[level] if level else None
    work = new_work()
    points = []
    for number in numbers:
        deal = Deal.of_round(seed, number)
        low = (seed + number) % 2**32
        first = landlord_points(deal, (bot, None, None), work, low)
        second = landlord_points(deal, (None, bot, bot), work, low) if bot else 0
        points.append((first, second))
    return points


def all_decks(level: str | None, options: argparse.Namespace) -> np.ndarray[Any, np.dtype[Any]]:
    """The landlord's points on every deck: a row with the level, a row with RLCard as landlord."""
    numbers = range(options.first, options.first + options.decks)
    chunks = [numbers[start : start + CHUNK] for start in range(0, len(numbers), CHUNK)]
    play = partial(play_decks, level, options.seed)
    if options.parallel == 1:
        return _collect(map(play, chunks), level, len(numbers))
    with ProcessPoolExecutor(options.parallel) as workers:
        return _collect(workers.map(play, chunks), level, len(numbers))


def _collect(
    parts: Iterable[list[tuple[int, int]]], level: str | None, decks: int
) -> np.ndarray[Any, np.dtype[Any]]:
    points: list[tuple[int, int]] = []
    with tqdm(total=decks, desc=level or "RLCard v RLCard", unit="deck", file=sys.stderr) as bar:
        for part in parts:
            points += part
            bar.update(len(part))
    return np.array(points, np.float64).T


def shares_of_self_play(options: argparse.Namespace) -> Iterator[str]:
    """The landlord's share when RLCard's agent, and when `random`, plays itself."""
    points, _ = all_decks(None, options)
    yield f"RLCard v RLCard, landlord's share  {Estimate.of((points > 0) * 1.0).text()}"
    config = RunConfig(seed=options.seed, games=RANDOM_ROUNDS, bots="random", rules="rlcard")
    won = np.concatenate([play_part(config, part)[0]["side"] == 1 for part in range(config.parts)])
    yield f"random v random, landlord's share  {Estimate.of(won * 1.0).text()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("levels", nargs="*", metavar="LEVEL", help=f"of {', '.join(BOTS)}")
    parser.add_argument("--decks", type=int, default=1000, help="each is played both ways")
    parser.add_argument("--first", type=int, default=0, help="number of the first deck of the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parallel", type=int, default=1, help="processes")
    parser.add_argument("--self-play", action="store_true", help="the shares of self-play as well")
    options = parser.parse_args()
    decks = f"{options.decks} decks from {options.first}, seed {options.seed}"
    print(f"{decks}; means and 95 % intervals by deck")
    print(HEADER)
    for level in options.levels:
        pairing = Swap2(*all_decks(level, options))
        print(lines(f"{level} v RLCard's rule agent", pairing), flush=True)
    if options.self_play:
        for line in shares_of_self_play(options):
            print(line, flush=True)
    print(PUBLISHED)


if __name__ == "__main__":
    main()
