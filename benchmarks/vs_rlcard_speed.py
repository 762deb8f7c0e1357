"""Whole rounds per CPU second: three of our bots against RLCard's three rule agents.

RLCard's game object is stepped directly, without its environment, which is its fastest way.
"""

from __future__ import annotations

import argparse
import itertools
from dataclasses import replace

import numpy as np
from pairs import Slice, compare, header, pin_to_one_core
from rlcard.games.doudizhu import Game
from rlcard.models.doudizhu_rule_models import DouDizhuRuleAgentV1

from ddzsim.bots.seats import BOTS
from ddzsim.engine.config import RunConfig
from ddzsim.engine.parts import play_part

NEEDED = {"normal": 300.0, "hard": 150.0}
THEIR_ROUNDS = 20
"""Rounds of RLCard between two looks at the clock."""


def our_rounds(level: str, seed: int, count: int) -> Slice:
    """Rounds of three equal bots under RLCard's rules, nothing written to disk."""
    config = RunConfig(seed=seed, games=count, bots=level, rules="rlcard")
    starts = itertools.count(0, count)

    def play() -> int:
        rows = play_part(replace(config, first=next(starts)), 0).rounds
        return len(rows)

    return play


def their_rounds(seed: int) -> Slice:
    """Rounds of three rule agents."""
    game = Game()
    game.np_random = np.random.RandomState(seed)
    agent = DouDizhuRuleAgentV1()

    def play() -> int:
        for _ in range(THEIR_ROUNDS):
            state, _ = game.init_game()
            while not game.is_over():
                state, _ = game.step(agent.step({"raw_obs": state}))
        return THEIR_ROUNDS

    return play


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("levels", nargs="*", metavar="LEVEL", help=f"of {', '.join(BOTS)}")
    parser.add_argument("--seconds", type=float, default=2.0, help="of a slice")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of slices")
    parser.add_argument("--rounds", type=int, default=500, help="of ours between two looks")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    pin_to_one_core()
    np.random.seed(options.seed)  # noqa: NPY002 (RLCard's agent chooses with the global generator)
    theirs = their_rounds(options.seed)
    print(header("rounds", "RLCard rule"))
    for level in options.levels or ["normal", "hard"]:
        ours = our_rounds(level, options.seed, options.rounds)
        result = compare(ours, theirs, pairs=options.pairs, seconds=options.seconds)
        print(result.line(f"three {level}", NEEDED.get(level)), flush=True)


if __name__ == "__main__":
    main()
