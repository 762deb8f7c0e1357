"""Lists of all legal leads per CPU second: ours in a kernel against OpenSpiel's `legal_actions`.

Both list the leads of the same random hands; OpenSpiel's lists hold numbers, ours cards and shapes.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pairs import Slice, compare, header, pin_to_one_core

from ddzsim import rules
from ddzsim.cards import Hand
from ddzsim.core.jit import kernel
from ddzsim.core.moves import Plays, legal_leads, new_plays
from ddzsim.rules import Params

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from peers import DECK, openspiel_lead_state

HANDS = 500
REPEATS = 20
"""How often we list all hands between two looks at the clock."""
NEEDED = 10.0
EVERY_SIZE = 64
"""No limit on the cards of a lead."""


@kernel
def list_leads(hands: npt.NDArray[np.uint64], rules: Params, plays: Plays, repeats: int) -> int:
    """List the leads of every hand some times, and give how many there were."""
    count = 0
    for _ in range(repeats):
        for hand in hands:
            count += legal_leads(hand, rules, EVERY_SIZE, plays)
    return count


def our_lists(hands: list[str]) -> Slice:
    """Our lists of all hands."""
    packed = np.array([Hand.parse(hand).packed for hand in hands], np.uint64)
    plays, params = new_plays(), rules.OPENSPIEL.params

    def work() -> int:
        list_leads(packed, params, plays, REPEATS)
        return len(packed) * REPEATS

    return work


def their_lists(hands: list[str]) -> Slice:
    """OpenSpiel's lists of all hands."""
    states = [openspiel_lead_state(hand) for hand in hands]

    def work() -> int:
        for state in states:
            state.legal_actions()
        return len(states)

    return work


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="of a slice")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of slices")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    pin_to_one_core()
    rng = random.Random(options.seed)
    print(header("lists", "OpenSpiel C++"))
    for size, needed in ((17, NEEDED), (20, None)):
        hands = ["".join(rng.sample(DECK, size)) for _ in range(HANDS)]
        result = compare(
            our_lists(hands), their_lists(hands), pairs=options.pairs, seconds=options.seconds
        )
        print(result.line(f"leads of {size} cards", needed), flush=True)


if __name__ == "__main__":
    main()
