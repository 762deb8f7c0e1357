"""Our levels against each other: `swap2` on paired deals, no auction, the landlord forced.

Each deck is played twice, A as the landlord against B twice, and the other way round. Both times
the seats have the same streams of random choices, so a level against itself scores exactly 0.
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np
from swap2 import HEADER, Points, Swap2, lines

from ddzsim.bots.seats import BOTS
from ddzsim.engine.config import RunConfig
from ddzsim.engine.parts import play_part
from ddzsim.rules import ruleset

LANDLORD = 0


def landlord_points(landlord: str, peasant: str, options: argparse.Namespace) -> Points:
    """What the landlord wins on every deck."""
    config = RunConfig(
        seed=options.seed,
        first=options.first,
        games=options.decks,
        bots=",".join([landlord, *[peasant] * (ruleset(options.rules).players - 1)]),
        rules=options.rules,
        force_landlord=str(LANDLORD),
    )
    parts = [play_part(config, part)[0] for part in range(config.parts)]
    rows = np.concatenate([part[["score", "faults"]] for part in parts])
    if rows["faults"].any():
        raise SystemExit(f"{config.bots}: {rows['faults'].sum()} answers that the rules forbid")
    # In units of the base, so that rule sets can be compared.
    points: Points = rows["score"][:, LANDLORD] / config.ruleset.base
    return points


def pairing(a: str, b: str, options: argparse.Namespace) -> Swap2:
    """A against B on the decks of the options."""
    return Swap2(landlord_points(a, b, options), landlord_points(b, a, options))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("levels", nargs="*", metavar="LEVEL", help="all, from the weakest up")
    parser.add_argument("--decks", type=int, default=20_000, help="each is played both ways")
    parser.add_argument("--first", type=int, default=0, help="number of the first deck of the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rules", default="rlcard", help="rule set")
    options = parser.parse_args()
    levels = options.levels or list(BOTS)
    print(f"{options.decks} decks from {options.first}, seed {options.seed}, rules {options.rules}")
    print(HEADER)
    for weaker, stronger in itertools.combinations(levels, 2):
        print(lines(f"{stronger} v {weaker}", pairing(stronger, weaker, options)), flush=True)
    for level in levels:
        print(lines(f"{level} v {level}", pairing(level, level, options)), flush=True)


if __name__ == "__main__":
    main()
