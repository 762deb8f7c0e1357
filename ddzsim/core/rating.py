"""What a hand is worth before the auction: big cards, bombs, points (R11)."""

from __future__ import annotations

from ddzsim.core.hands import JOKERS, Cards, at_least_4, count_of, ranks_in
from ddzsim.core.jit import U, kernel
from ddzsim.rules import Params

TWO, SMALL_JOKER, BIG_JOKER = 12, 13, 14


@kernel
def big_cards(hand: Cards) -> int:
    """How many jokers and 2s a hand holds (R11.1)."""
    return count_of(hand, TWO) + count_of(hand, SMALL_JOKER) + count_of(hand, BIG_JOKER)


@kernel
def holds_rocket(hand: Cards, rules: Params) -> bool:
    """Whether a hand holds all jokers of the deck (R6.3)."""
    rocket = JOKERS * U(rules["decks"])
    return hand & rocket == rocket


@kernel
def bombs_held(hand: Cards, rules: Params) -> int:
    """How many fours of a kind a hand holds, the rocket counted with them (R11.1)."""
    return ranks_in(at_least_4(hand)) + int(holds_rocket(hand, rules))


@kernel
def points(hand: Cards, decks: int = 1) -> int:
    """The points many public projects bid by.

    A bomb counts 6, the big joker 4, the small joker 3, and each 2 counts 2, in a bomb too. The
    rocket of one deck counts 8; that of two decks counts as its jokers do.
    """
    jokers = 3 * count_of(hand, SMALL_JOKER) + 4 * count_of(hand, BIG_JOKER)
    if jokers == 7 and decks == 1:
        jokers = 8
    return jokers + 2 * count_of(hand, TWO) + 6 * ranks_in(at_least_4(hand))
