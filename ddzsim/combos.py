"""Combinations you can read: what cards are, what beats what, and every legal play (R4 to R6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ddzsim.cards import KINDS, RANKS, Hand, as_hand, small_enough
from ddzsim.core import combos as core
from ddzsim.core import moves
from ddzsim.core.fewest import fewest_plays
from ddzsim.errors import ComboError, PlayError
from ddzsim.reasons import why_none
from ddzsim.rules import RuleSet

NAMES = {
    "single": "a single",
    "pair": "a pair",
    "trio": "a trio",
    "trio_single": "a trio with a single",
    "trio_pair": "a trio with a pair",
    "straight": "a straight",
    "pair_chain": "a pair chain",
    "airplane": "an airplane",
    "airplane_singles": "an airplane with singles",
    "airplane_pairs": "an airplane with pairs",
    "four_singles": "a four with two singles",
    "four_pairs": "a four with two pairs",
    "bomb": "a bomb",
    "rocket": "the rocket",
}
"""How a sentence names each kind (R4)."""


@dataclass(frozen=True, slots=True)
class Combo:
    """A set of cards in one of its readings: a playable combination.

    >>> from ddzsim.rules import CLASSIC
    >>> combo = classify("777888+3+K", CLASSIC)[0]
    >>> combo.kind, combo.length, combo.rank, str(combo.kickers), str(combo)
    ('airplane_singles', 2, '8', '3K', '777888+3+K')
    """

    kind: str
    """One of the names of R4."""
    length: int
    """Ranks in the body's chain; 1 where there is no chain; for a bomb, its cards less 3."""
    rank: str
    """The highest rank of the body."""
    cards: Hand
    """All cards, kickers included."""
    shape: int
    """The reading as the kernels have it."""

    @classmethod
    def from_shape(cls, cards: int, shape: int) -> Combo:
        """The combination of packed cards in a kernel's reading."""
        kind, length, rank = shape >> 8, shape >> 4 & 15, shape & 15
        return cls(KINDS[kind], length, RANKS[rank], Hand(cards), shape)

    @property
    def body(self) -> Hand:
        """The cards that decide what beats what."""
        return self.cards - self.kickers

    @property
    def kickers(self) -> Hand:
        """The cards that ride on the body, none for most kinds."""
        if not self.kind.endswith(("_single", "_singles", "_pair", "_pairs")):
            return Hand(0)
        top = RANKS.index(self.rank)
        held = list(self.cards.counts)
        held[top - self.length + 1 : top + 1] = [0] * self.length
        return Hand.from_counts(held)

    def describe(self) -> str:
        """The kind in words, with its length where it has one: `a straight of 5`."""
        if self.length == 1:
            return NAMES[self.kind]
        count = len(self) if self.kind == "bomb" else self.length
        return f"{NAMES[self.kind]} of {count}"

    def __len__(self) -> int:
        return len(self.cards)

    def __str__(self) -> str:
        step = 2 if self.kind.endswith(("_pair", "_pairs")) else 1
        riders = str(self.kickers)
        parts = [riders[i : i + step] for i in range(0, len(riders), step)]
        return "+".join([str(self.body), *parts])


def classify(cards: Hand | str, rules: RuleSet) -> tuple[Combo, ...]:
    """Every reading of a set of cards, the one bare cards lead as first; () if none (R4, R5).

    >>> from ddzsim.rules import CLASSIC
    >>> [str(combo) for combo in classify("333444555666", CLASSIC)]
    ['333444555666', '444555666+3+3+3', '333444555+6+6+6']

    Raises:
        CardError: the text is not cards, or holds more of a rank than the deck.
    """
    packed = as_hand(cards, rules.decks).packed
    out = np.zeros(core.MAX_READINGS, np.int64)
    count = core.readings(np.uint64(packed), rules.params, out)
    return tuple(Combo.from_shape(packed, int(shape)) for shape in out[:count])


def combo_of(cards: Combo | Hand | str, rules: RuleSet, over: Combo | None = None) -> Combo:
    """The combination that cards are played as (R6.2).

    A leader's text with ``+`` names its body first: ``333444555+666``. Otherwise a lead has its
    first reading. A follower's play has the highest reading that beats `over`, however it is named.

    Raises:
        CardError: the text is not cards.
        ComboError: the cards are no combination, or none that beats `over`; the message says why.
    """
    named = None
    if isinstance(cards, Combo):
        readings: tuple[Combo, ...] = (cards,)
    else:
        readings = classify(cards, rules)
        if isinstance(cards, str) and "+" in cards:
            named = Hand.parse(cards.split("+")[0], rules.decks)
    if not readings:
        held = as_hand(cards, rules.decks) if not isinstance(cards, Combo) else cards.cards
        raise ComboError(f"{held or 'nothing'} is no combination: {why_none(held, rules, named)}")
    if over is None:
        return next((combo for combo in readings if combo.body == named), readings[0])
    beating = [combo for combo in readings if core.beats(combo.shape, over.shape)]
    if not beating:
        raise ComboError(_why_not_over(max(readings, key=lambda c: _likeness(c, over)), over))
    return max(beating, key=lambda combo: combo.shape)


def playable(
    cards: Combo | Hand | str | None, hand: Hand, rules: RuleSet, over: Combo | None = None
) -> Combo | None:
    """What cards of a hand are played as, over a play or as a lead; None is an allowed pass (R7.1).

    >>> from ddzsim.rules import CLASSIC
    >>> str(playable("6668", Hand.parse("5666788"), CLASSIC))
    '666+8'

    Raises:
        PlayError: a leader passes (R7.1), or a card is not in the hand.
        ComboError: the cards are no combination, or none that beats `over`; the message says why.
        CardError: the text is not cards.
    """
    if cards is None:
        if over is None:
            raise PlayError("a leader must play, and cannot pass (R7.1)")
        return None
    laid = cards.cards if isinstance(cards, Combo) else as_hand(cards, rules.decks)
    if laid not in hand:
        spare = zip(laid.counts, hand.counts, strict=True)
        lacking = Hand.from_counts([max(wanted - held, 0) for wanted, held in spare])
        raise PlayError(f"{laid} is not in the hand {hand}, which lacks {lacking} (R7)")
    if isinstance(cards, Combo) and cards not in classify(laid, rules):
        raise ComboError(f"{laid} does not read as {NAMES.get(cards.kind, cards.kind)} (R4)")
    return combo_of(cards, rules, over)


def beats(play: Combo | Hand | str, over: Combo | Hand | str, rules: RuleSet) -> bool:
    """Whether some reading of `play` may be played over `over` (R6).

    Cards that are no combination beat nothing.

    >>> from ddzsim.rules import CLASSIC
    >>> beats("8888", "QQ", CLASSIC), beats("22", "8888", CLASSIC)
    (True, False)

    Raises:
        CardError: a text is not cards.
        ComboError: `over` is no combination.
    """
    target = combo_of(over, rules)
    try:
        combo_of(play, rules, target)
    except ComboError:
        return False
    return True


def legal_plays(
    hand: Hand | str,
    rules: RuleSet,
    over: Combo | Hand | str | None = None,
    max_cards: int | None = None,
) -> list[Combo]:
    """Every play of a hand, in hint order: weakest first, bombs and the rocket last.

    Leads when `over` is None, otherwise what beats it; the pass is not listed. A leader's cards
    stand once for each reading, a follower's once, in the highest reading that beats (R6.2). Plays
    of more than `max_cards` cards are left out, and in any case those of more than a landlord holds
    (R2.1).

    >>> from ddzsim.rules import CLASSIC
    >>> [str(combo) for combo in legal_plays("33344XD", CLASSIC, over="222+5")]
    ['XD']

    Raises:
        CardError: a text is not cards.
        ComboError: `over` is no combination.
    """
    packed = np.uint64(as_hand(hand, rules.decks).packed)
    limit = rules.most_cards if max_cards is None else min(max_cards, rules.most_cards)
    out = moves.new_plays()
    if over is None:
        count = moves.legal_leads(packed, rules.params, limit, out)
    else:
        count = moves.legal_follows(packed, combo_of(over, rules).shape, rules.params, out)
    plays = (Combo.from_shape(int(out["cards"][i]), int(out["shapes"][i])) for i in range(count))
    return [play for play in plays if len(play) <= limit]


def min_plays(hand: Hand | str, rules: RuleSet) -> int:
    """The fewest plays that empty a hand (R11.1).

    >>> from ddzsim.rules import CLASSIC, KAWU
    >>> min_plays("888899", CLASSIC), min_plays("888899", KAWU)
    (1, 2)

    Raises:
        CardError: the text is not cards, or more cards than anybody holds.
    """
    held = small_enough(as_hand(hand, rules.decks))
    return int(fewest_plays(np.uint64(held.packed), rules.params))


def _likeness(play: Combo, over: Combo) -> tuple[bool, bool]:
    """How much a reading is like the play it is to beat: the same kind, and the same length."""
    return play.kind == over.kind, play.length == over.length


def _why_not_over(play: Combo, over: Combo) -> str:
    """Why a combination does not beat another (R6)."""
    if over.kind == "rocket":
        return f"{play} cannot beat the rocket: nothing does (R6.1)"
    if play.kind != over.kind:
        return f"{play} over {over}: {NAMES[play.kind]} cannot beat {NAMES[over.kind]} (R6.1)"
    if play.kind == "bomb" and play.length < over.length:
        return f"{play} over {over}: a bomb of more cards is higher (R6.3)"
    if play.kind != "bomb" and play.length != over.length:
        lengths = f"{play.describe()} cannot beat {over.describe()}"
        return f"{play} over {over}: {lengths}: same length (R6.1)"
    return f"{play} over {over}: the rank {play.rank} is not higher than {over.rank} (R6.1)"
