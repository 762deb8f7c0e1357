"""Rating and advice: what a hand looks like before the auction, and what to bid on it (R11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import numpy as np

from ddzsim.cards import Hand, as_hand, small_enough
from ddzsim.core import bidding
from ddzsim.core import doubling as core_doubling
from ddzsim.core.fewest import fewest_plays
from ddzsim.core.rating import big_cards, bombs_held
from ddzsim.errors import SeatError, shown
from ddzsim.rules import CLASSIC, RuleSet

A = TypeVar("A")

OUT_OF_REACH = 10_000
"""Above and, negated, below every measure of a hand."""


@dataclass(frozen=True, slots=True)
class Advice:
    """How to bid: a measure of the hand against the least measure for a bid of 1, 2 and 3.

    The measures: `rating` weighs big cards, bombs and fewest plays; `points` counts high cards
    (rocket 8, bomb 6, big joker 4, small joker 3, each 2 counts 2); `score` is twice the
    decomposition score. With `table` each number of big cards, bombs and plays has its bids.
    """

    name: str
    measure: str
    cutoffs: tuple[int, int, int]
    """The least measure for a bid of 1, of 2 and of 3, with one deck."""
    cutoffs_of_two_decks: tuple[int, int, int]
    """The same with two decks, whose hands are larger."""
    weights: tuple[int, int, int] = (0, 0, 0)
    """For `rating`: what a big card, a bomb and a play count."""
    doc: str = ""
    situations: tuple[tuple[int, int, int], ...] = ()
    """The least measures by situation, callers times standing bids, with one deck; `()` where they
    are `cutoffs` in every one."""
    cells: tuple[int, ...] = ()
    """For `table`: the bids by big cards, bombs and plays, two bits a situation each."""

    def packed(self, misjudges: int = 0, decks: int = 1) -> bidding.Advice:
        """The advice as the kernels take it."""
        packed = np.zeros(bidding.ADVICE_FIELDS, np.int64)
        numbers = self.numbers(misjudges, decks)
        packed[: len(numbers)] = numbers
        return packed

    def numbers(self, misjudges: int = 0, decks: int = 1) -> list[int]:
        """All that decides the bids: the packed form without what it does not use."""
        measure = bidding.MEASURES.index(self.measure)
        cutoffs = self.cutoffs if decks == 1 else self.cutoffs_of_two_decks
        plain = [measure, *self.weights, *cutoffs, misjudges, decks]
        if not self.situations and not self.cells:
            return plain
        by_situation = self.situations or (cutoffs,) * (bidding.CALLERS * bidding.STANDING)
        return [*plain, 1, *chain.from_iterable(by_situation), *self.cells]

    def bid(self, rating: Rating, caller: int = 0, standing: int = 0) -> int:
        """The bid on a hand, 0 for a pass, when so many have spoken and the highest bid is this."""
        packed = self.packed(decks=rating.rules.decks)
        cards = np.uint64(rating.hand.packed)
        measured = bidding.measure(cards, rating.big, rating.bombs, rating.plays, packed)
        bid = int(bidding.advised(measured, packed, caller, standing))
        return bid if bid > standing else 0


ADVICE: dict[str, Advice] = {
    advice.name: advice
    for advice in (
        Advice(
            "default",
            "rating",
            cutoffs=(1, 6, 10),
            cutoffs_of_two_decks=(4, 10, 16),
            weights=(4, 6, -1),
            doc="four for a big card, six for a bomb, less one for each play",
        ),
        Advice(
            "points",
            "points",
            cutoffs=(3, 5, 7),
            cutoffs_of_two_decks=(10, 13, 16),
            doc="high cards only, as many public projects bid",
        ),
        Advice(
            "decomposition",
            "score",
            cutoffs=(20, 30, 40),
            cutoffs_of_two_decks=(46, 58, 70),
            doc="the hand's best split into plays",
        ),
        Advice("never", "rating", (OUT_OF_REACH,) * 3, (OUT_OF_REACH,) * 3, doc="always pass"),
        Advice("always3", "rating", (-OUT_OF_REACH,) * 3, (-OUT_OF_REACH,) * 3, doc="always bid 3"),
    )
}
"""The built-in advice by name.

The weights of `default` stand in the proportion in which big cards, bombs and plays moved the
points of three `hard` landlords in 200,000 rounds without auction (.34, .50 and -.08 of a stake);
it bids 1 from where a landlord breaks even, and the sheet's 3 big cards, 0 bombs and 7 plays are a
bid of 1 (R11.2).
"""


@dataclass(frozen=True, slots=True)
class DoublingAdvice:
    """When to double: a measure of the hand against a least measure (R3.5).

    The measures are those of `Advice`. A peasant weighs the cards that it was dealt, by what the
    landlord has bid; the landlord weighs its hand with the kitty.
    """

    name: str
    measure: str
    cutoffs: tuple[int, int, int, int]
    """The least measure on which a peasant doubles against a bid of 1, of 2 and of 3, and on which
    the landlord redoubles, with one deck."""
    cutoffs_of_two_decks: tuple[int, int, int, int]
    """The same with two decks, whose hands are larger."""
    weights: tuple[int, int, int] = (0, 0, 0)
    """For `rating`: what a big card, a bomb and a play count."""
    doc: str = ""

    def packed(self, decks: int = 1) -> core_doubling.DoublingAdvice:
        """The advice as the kernels take it."""
        measure = bidding.MEASURES.index(self.measure)
        cutoffs = self.cutoffs if decks == 1 else self.cutoffs_of_two_decks
        return np.array([measure, *self.weights, *cutoffs, decks], np.int64)

    def doubles(self, hand: Hand, bid: int, rules: RuleSet) -> bool:
        """Whether it doubles on a peasant's hand against a landlord's bid."""
        cards, packed = np.uint64(hand.packed), self.packed(rules.decks)
        return bool(core_doubling.doubles_on(cards, bid, packed, rules.params))

    def redoubles(self, hand: Hand, rules: RuleSet) -> bool:
        """Whether it redoubles on a landlord's hand, the kitty in it."""
        cards, packed = np.uint64(hand.packed), self.packed(rules.decks)
        return bool(core_doubling.redoubles_on(cards, packed, rules.params))


DOUBLING: dict[str, DoublingAdvice] = {
    advice.name: advice
    for advice in (
        DoublingAdvice(
            "default",
            "rating",
            cutoffs=(1, 3, OUT_OF_REACH, 0),
            cutoffs_of_two_decks=(5, 8, 8, 4),
            weights=(2, 1, -1),
            doc="two for a big card, one for a bomb, less one for each play",
        ),
        DoublingAdvice(
            "never",
            "rating",
            (OUT_OF_REACH,) * 4,
            (OUT_OF_REACH,) * 4,
            doc="neither double nor redouble",
        ),
        DoublingAdvice(
            "always",
            "rating",
            (-OUT_OF_REACH,) * 4,
            (-OUT_OF_REACH,) * 4,
            doc="double and redouble each time",
        ),
    )
}
"""The built-in doubling advice by name.

`default` doubles from where this wins a peasant points on average, the redoubling counted, and
redoubles from where the landlord wins; `docs/bots.md` has the figures.
"""


def doubling_of(name: str) -> DoublingAdvice:
    """The built-in doubling advice of a name.

    Raises:
        SeatError: there is no such advice; the message lists those there are.
    """
    return _named(name, DOUBLING, "doubling advice")


def advice_of(name: str) -> Advice:
    """The built-in advice of a name.

    Raises:
        SeatError: there is no such advice; the message lists those there are.
    """
    return _named(name, ADVICE, "advice")


def _named(name: str, held: Mapping[str, A], what: str) -> A:
    """What a table holds by a name."""
    if name not in held:
        raise SeatError(f"no {what} {shown(name)}: one of {', '.join(held)}")
    return held[name]


@dataclass(frozen=True, slots=True)
class Rating:
    """What a hand looks like before the auction (R11.1)."""

    hand: Hand
    rules: RuleSet
    big: int
    """Jokers and 2s."""
    bombs: int
    """Fours of a kind, and the rocket."""
    plays: int
    """The fewest plays that empty the hand."""

    def advice(self, name: str = "default") -> int:
        """The bid that an advice gives the hand as the first to speak: 0 to 3.

        Raises:
            SeatError: there is no such advice.
        """
        return advice_of(name).bid(self)

    def doubles(self, bid: int, name: str = "default") -> bool:
        """Whether a doubling advice doubles on a peasant's hand against a landlord's bid.

        Raises:
            SeatError: there is no such advice.
        """
        return doubling_of(name).doubles(self.hand, bid, self.rules)

    def redoubles(self, name: str = "default") -> bool:
        """Whether a doubling advice redoubles on a landlord's hand, the kitty in it.

        Raises:
            SeatError: there is no such advice.
        """
        return doubling_of(name).redoubles(self.hand, self.rules)

    def line(self, name: str = "default") -> str:
        """The rating line, for example `3 big cards, 0 bombs, about 7 plays → bid 1` (R11.2)."""
        bid = self.advice(name)
        return f"{self.shape} → {f'bid {bid}' if bid else 'pass'}"

    @property
    def shape(self) -> str:
        """The hand in words, for example `3 big cards, 0 bombs, about 7 plays`."""
        parts = [
            f"{self.big} big card{'s' * (self.big != 1)}",
            f"{self.bombs} bomb{'s' * (self.bombs != 1)}",
            f"about {self.plays} play{'s' * (self.plays != 1)}",
        ]
        return ", ".join(parts)

    def __str__(self) -> str:
        return self.line()


def rate(hand: Hand | str, rules: RuleSet = CLASSIC) -> Rating:
    """The rating of a hand (R11.1).

    >>> rating = rate("3456889TJJKA22Q3X")
    >>> rating.big, rating.bombs
    (3, 0)

    Raises:
        CardError: the text is not cards, or more cards than anybody holds.
    """
    held = small_enough(as_hand(hand, rules.decks))
    packed = np.uint64(held.packed)
    return Rating(
        held,
        rules,
        int(big_cards(packed)),
        int(bombs_held(packed, rules.params)),
        int(fewest_plays(packed, rules.params)),
    )
