"""Hands for tests: hypothesis strategies, and plain random hands that come the same each time."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from ddzsim.cards import RANKS, rank_capacity
from ddzsim.rules import RULESETS

ONE_DECK = {name: rules for name, rules in RULESETS.items() if rules.decks == 1}
"""The rule sets of one deck; `test_four_players.py` has the tests of two."""

DECK = "".join(rank * rank_capacity(at) for at, rank in enumerate(RANKS))
"""One deck, low to high."""

# Times a rank is held, the lowest rank, ranks in a row: what combinations are made of.
_pieces = st.one_of(
    st.tuples(st.integers(1, 4), st.integers(0, 14), st.just(1)),
    st.tuples(st.just(3), st.integers(0, 10), st.integers(2, 4)),
    st.tuples(st.just(2), st.integers(0, 9), st.integers(3, 4)),
    st.tuples(st.just(1), st.integers(0, 7), st.integers(5, 7)),
    st.just((1, 13, 2)),  # both jokers
)


@st.composite
def hands(draw: st.DrawFn, least: int = 1, most: int = 9) -> str:
    """The text of a hand of `least` to `most` cards.

    It has more trios, fours, chains and jokers than chance deals.
    """
    counts = [0] * len(RANKS)
    for copies, low, length in draw(st.lists(_pieces, min_size=1, max_size=6)):
        for rank in range(low, min(low + length, len(RANKS))):
            counts[rank] = min(counts[rank] + copies, rank_capacity(rank))
    text = "".join(rank * count for rank, count in zip(RANKS, counts, strict=True))
    if len(text) > most:
        # A stretch of ranks is kept, so that chains survive.
        start = draw(st.integers(0, len(text) - most))
        return text[start : start + most]
    spare = list(DECK)
    for card in text:
        spare.remove(card)
    while len(text) < least:
        text += spare.pop(draw(st.integers(0, len(spare) - 1)))
    return text


def random_hands(seed: int, cards: int, count: int) -> list[str]:
    """Dealt hands, the same for the same seed."""
    source = random.Random(seed)
    return ["".join(source.sample(DECK, cards)) for _ in range(count)]


def crowded_hands(seed: int, cards: int, count: int) -> list[str]:
    """Hands dealt from nine neighbouring ranks and the jokers, full of trios and long chains."""
    source = random.Random(seed)
    found = []
    for _ in range(count):
        low = source.randint(0, 4)
        ranks = RANKS[low : low + 9] + "XD"
        deck = [card for card in DECK if card in ranks]
        found.append("".join(source.sample(deck, cards)))
    return found
