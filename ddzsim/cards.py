"""Ranks, hands, and the text notation for both (R1).

A hand is a multiset of ranks: suits never matter. Its packed form is one integer of 15 nibbles (4
bits each), nibble ``r`` holding how many cards of rank ``r`` there are; the kernels work on the
same integer.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass

from ddzsim.errors import CardError, shown

RANKS = "3456789TJQKA2XD"
"""The ranks from low to high (R1.1); X is the small joker, D the big one."""

RANK_ACE, RANK_TWO, RANK_SMALL_JOKER, RANK_BIG_JOKER = 11, 12, 13, 14

KINDS = (
    "pass",
    "single",
    "pair",
    "trio",
    "trio_single",
    "trio_pair",
    "straight",
    "pair_chain",
    "airplane",
    "airplane_singles",
    "airplane_pairs",
    "four_singles",
    "four_pairs",
    "bomb",
    "rocket",
)
"""The names of the kinds (R4); a kernel has the position."""

SEPARATORS = " ,+\t"

LARGEST_HAND = 33
"""The most cards whose fewest plays are searched for: for a whole deck that would take hours."""


def rank_capacity(rank: int, decks: int = 1) -> int:
    """How many cards of a rank the deck holds: four a deck, one of each joker (R1.1, R1.3)."""
    return decks if rank >= RANK_SMALL_JOKER else 4 * decks


@dataclass(frozen=True, slots=True)
class Hand:
    """Some cards, by rank.

    >>> hand = Hand.parse("10 t 3,3 D")
    >>> str(hand), len(hand), hand.count("T")
    ('33TTD', 5, 2)
    >>> str(hand - Hand.parse("3T"))
    '3TD'
    """

    packed: int

    def __post_init__(self) -> None:
        """Check that this is a number of 15 nibbles, such as a log's column holds."""
        try:
            packed = operator.index(self.packed)
        except TypeError:
            packed = -1
        if not 0 <= packed < 1 << 4 * len(RANKS):
            raise CardError(f"{shown(self.packed)} is no hand: a number of 15 nibbles (R1)")
        object.__setattr__(self, "packed", packed)

    @classmethod
    def parse(cls, text: str, decks: int = 1) -> Hand:
        """Read cards from text such as ``33344456``, ``10 J q`` or ``777888+3+K`` (R1.2).

        Raises:
            CardError: a character is no rank, or a rank stands more often than the deck holds it.
        """
        counts = [0] * len(RANKS)
        for name in _rank_names(text):
            counts[RANKS.index(name)] += 1
        for rank, count in enumerate(counts):
            if count > rank_capacity(rank, decks):
                raise CardError(
                    f"{shown(text)} holds {count} cards of rank {RANKS[rank]}, "
                    f"the deck holds {rank_capacity(rank, decks)} (R1.2)"
                )
        return cls.from_counts(counts)

    @classmethod
    def from_counts(cls, counts: list[int]) -> Hand:
        """A hand from 15 counts, one for each rank from 3 up."""
        return cls(sum(count << (4 * rank) for rank, count in enumerate(counts)))

    @property
    def counts(self) -> tuple[int, ...]:
        """The count of each of the 15 ranks, from 3 up."""
        return tuple((self.packed >> (4 * rank)) & 15 for rank in range(len(RANKS)))

    def count(self, rank: str) -> int:
        """How many cards of a rank, such as ``"T"``, the hand holds.

        Raises:
            CardError: there is no such rank.
        """
        if len(rank) != 1 or rank not in RANKS:
            raise CardError(f"{shown(rank)} is no rank: one of {' '.join(RANKS)} (R1)")
        return (self.packed >> (4 * RANKS.index(rank))) & 15

    def __len__(self) -> int:
        return sum(self.counts)

    def __bool__(self) -> bool:
        return self.packed != 0

    def __iter__(self) -> Iterator[str]:
        """The cards one by one, low to high, as rank names."""
        return iter(str(self))

    def __contains__(self, other: object) -> bool:
        """Whether all cards of another hand, or one of a rank such as ``"T"``, are in this one."""
        if isinstance(other, str):
            return self.count(other) > 0
        return isinstance(other, Hand) and all(
            mine >= theirs for mine, theirs in zip(self.counts, other.counts, strict=True)
        )

    def __add__(self, other: Hand) -> Hand:
        return Hand(self.packed + other.packed)

    def __sub__(self, other: Hand) -> Hand:
        if other not in self:
            raise CardError(f"{other} is not in the hand {self}")
        return Hand(self.packed - other.packed)

    def __str__(self) -> str:
        return "".join(name * count for name, count in zip(RANKS, self.counts, strict=True))

    def __repr__(self) -> str:
        return f"Hand.parse({str(self)!r})"


def as_hand(cards: Hand | str, decks: int = 1) -> Hand:
    """A hand from a hand or its text."""
    return cards if isinstance(cards, Hand) else Hand.parse(cards, decks)


def small_enough(hand: Hand) -> Hand:
    """A hand whose fewest plays can be searched for, as it is.

    Raises:
        CardError: it is larger than any that is dealt.
    """
    if len(hand) > LARGEST_HAND:
        raise CardError(f"{hand} holds {len(hand)} cards: at most {LARGEST_HAND}")
    return hand


def spaced(hand: Hand) -> str:
    """A hand as a player would lay it out: ranks from low to high, a gap between ranks.

    >>> spaced(Hand.parse("33455D"))
    '33 4 55 D'
    """
    return " ".join(name * hand.count(name) for name in RANKS if hand.count(name))


def _rank_names(text: str) -> Iterator[str]:
    """The rank names in a text, in the order they stand."""
    position = 0
    while position < len(text):
        character = text[position].upper()
        if text[position : position + 2] == "10":
            yield "T"
            position += 1
        elif character in RANKS:
            yield character
        elif character not in SEPARATORS:
            raise CardError(
                f"{shown(text)}: {text[position]!r} at position {position + 1} is no rank; "
                f"ranks are {' '.join(RANKS)}, and 10 for T (R1.2)"
            )
        position += 1
