"""Deals and deal codes, both ways (R2)."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from ddzsim.cards import RANKS, Hand, as_hand, rank_capacity, spaced
from ddzsim.core import dealing
from ddzsim.errors import DealError, shown

SEATS = 3
DEALS = 25_651_144_970_824_230
"""How many ways there are to deal the cards by rank."""
LAST_INDEX = DEALS * SEATS - 1
LAST_SEED = 2**63 - 1

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O or U."""
CODE_LENGTH = 12
CHECK_BITS = 3
CHECK_POLYNOMIAL = 0b1011
"""x^3 + x + 1."""

_VALUE_OF = {letter: value for value, letter in enumerate(ALPHABET)} | {"I": 1, "L": 1, "O": 0}
_VALUE_OF |= {letter.lower(): value for letter, value in _VALUE_OF.items()}


@cache
def deal_table() -> npt.NDArray[np.int64]:
    """The table that ranks deals, as the kernels take it; made at the first call."""
    return dealing.count_deals()


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards as dealt, the kitty, and the seat that speaks first (R2).

    >>> deal = Deal.random(seed=7)
    >>> print(deal)
    Deal BCB6-KPNF-A1GM
      seat 0  33 44 5 7 8 T JJJ KKK AA 2
      seat 1  44 5 666 7 88 99 T QQQ K A  (speaks first)
      seat 2  33 55 6 77 8 99 TT Q A 222
      kitty   J X D
    >>> Deal.from_code(deal.code) == deal
    True
    """

    hands: tuple[Hand, Hand, Hand]
    kitty: Hand
    first_bidder: int

    def __post_init__(self) -> None:
        """Check that this is one deal of the deck; an error names the seat or rank at fault."""
        object.__setattr__(self, "hands", _three_hands(self.hands))
        seat = _whole_number("first_bidder", self.first_bidder, SEATS - 1)
        object.__setattr__(self, "first_bidder", seat)
        if len(self.kitty) != dealing.KITTY_SIZE:
            raise DealError(f"the kitty holds {len(self.kitty)} cards, it is dealt 3 (R2.1)")
        # 54 cards, and no rank more often than the deck holds it: so every card is dealt once.
        _left_over((*self.hands, self.kitty))

    @classmethod
    def from_hands(cls, hands: Sequence[Hand | str], first_bidder: int = 0) -> Self:
        """The deal of three hands, cards or text; the kitty is what they leave of the deck.

        Raises:
            CardError: a text is not cards.
            DealError: the hands are not three of 17 cards from one deck.
        """
        seats = _three_hands(hands)
        return cls(seats, Hand.from_counts(_left_over(seats)), first_bidder)

    @classmethod
    def from_code(cls, text: str) -> Self:
        """The deal of a code, such as one copied from a log.

        Raises:
            DealError: the text is no deal code, or was mistyped.
        """
        return cls.from_index(index_from_code(text))

    @classmethod
    def from_index(cls, index: int) -> Self:
        """The deal of an index, such as the `deal` column of a log holds.

        Raises:
            DealError: there is no such deal.
        """
        rank, first_bidder = divmod(_whole_number("index", index, LAST_INDEX), SEATS)
        places = np.empty(SEATS + 1, np.uint64)
        dealing.deal_from_rank(rank, deal_table(), places)
        return cls._from_places(places, first_bidder)

    @classmethod
    def of_round(cls, seed: int, number: int) -> Self:
        """The deal that round `number` of a run with this seed starts from.

        Where the rules draw no first bidder, the run has another one (R2.3).

        Raises:
            DealError: the seed or the number is negative or too large.
        """
        word = np.uint64(_whole_number("seed", seed, LAST_SEED))
        places = np.empty(SEATS + 1, np.uint64)
        deck = np.empty(dealing.DECK_SIZE, np.int64)
        at = _whole_number("number", number, LAST_SEED)
        return cls._from_places(places, int(dealing.round_deal(word, at, deck, places)))

    @classmethod
    def random(cls, seed: int | None = None) -> Self:
        """A random deal: round 0 of the seed, or of one that is drawn.

        Raises:
            DealError: the seed is negative or too large.
        """
        return cls.of_round(secrets.randbits(63) if seed is None else seed, 0)

    @classmethod
    def _from_places(cls, places: npt.NDArray[np.uint64], first_bidder: int) -> Self:
        """The deal that a kernel has written."""
        first, second, third, kitty = (Hand(int(cards)) for cards in places)
        return cls((first, second, third), kitty, first_bidder)

    @property
    def packed(self) -> npt.NDArray[np.uint64]:
        """The three hands and the kitty as the kernels take them."""
        return np.array([hand.packed for hand in (*self.hands, self.kitty)], np.uint64)

    @property
    def key(self) -> int:
        """The key of all further randomness of a round with this deal (R2.2)."""
        return int(dealing.deal_key(self.packed, self.first_bidder))

    @property
    def index(self) -> int:
        """The rank of the deal among all deals, times 3, plus the first bidder."""
        return int(dealing.deal_rank(self.packed, deal_table())) * SEATS + self.first_bidder

    @property
    def code(self) -> str:
        """The short text that names the deal, `XXXX-XXXX-XXXX`."""
        return code_from_index(self.index)

    def with_first_bidder(self, seat: int) -> Self:
        """The same cards, with another seat to speak first.

        Raises:
            DealError: there is no such seat.
        """
        return replace(self, first_bidder=seat)

    def __str__(self) -> str:
        lines = [f"Deal {self.code}"]
        for seat, hand in enumerate(self.hands):
            marked = "  (speaks first)" if seat == self.first_bidder else ""
            lines.append(f"  seat {seat}  {spaced(hand)}{marked}")
        return "\n".join([*lines, f"  kitty   {spaced(self.kitty)}"])

    def __repr__(self) -> str:
        return f"Deal.from_code({self.code!r})"


def code_from_index(index: int) -> str:
    """The code of a deal's index: 57 bits of index and 3 check bits in 12 characters of base 32.

    The check bits are a CRC of the index by x^3 + x + 1. Together with the indices past the last
    deal they let through 9 in 100 codes with one character wrong, 9 in 100 with two neighbours
    swapped, and 7 in 100 texts of any twelve characters.

    >>> code_from_index(0), code_from_index(LAST_INDEX)
    ('0000-0000-0000', 'H2S5-XS0T-3WWA')

    Raises:
        DealError: there is no deal of that index.
    """
    number = _whole_number("index", index, LAST_INDEX)
    word = number << CHECK_BITS | int(_check_bits(number))
    letters = [ALPHABET[word >> 5 * place & 31] for place in reversed(range(CODE_LENGTH))]
    return "-".join("".join(letters[start : start + 4]) for start in range(0, CODE_LENGTH, 4))


def index_from_code(text: str) -> int:
    """The index of the deal that a code names, in either case, with or without hyphens and spaces.

    I and L are read as 1, O as 0.

    Raises:
        DealError: a character is none of the alphabet, the length is wrong, the check bits do not
            fit, or the index is past the last deal; the message says which.
    """
    word = length = 0
    for position, letter in enumerate(text, start=1):
        if letter == "-" or letter.isspace():
            continue
        if letter not in _VALUE_OF:
            raise DealError(
                f"{shown(text)}: {letter!r} at position {position} is in no deal code; "
                "codes are made of digits and letters, without U (R2.2)"
            )
        word = word << 5 | _VALUE_OF[letter]
        length += 1
    if length != CODE_LENGTH:
        raise DealError(
            f"{shown(text)}: {length} characters, a deal code has {CODE_LENGTH}, "
            "as in XXXX-XXXX-XXXX (R2.2)"
        )
    index = word >> CHECK_BITS
    if word != index << CHECK_BITS | int(_check_bits(index)):
        raise DealError(
            f"{shown(text)}: mistyped, the check bits do not fit; "
            "look for a wrong character or two that are swapped (R2.2)"
        )
    if index > LAST_INDEX:
        raise DealError(
            f"{shown(text)}: mistyped, there is no deal {index:,}; "
            f"the last is {code_from_index(LAST_INDEX)} (R2.2)"
        )
    return index


def deal_codes(indices: npt.ArrayLike) -> npt.NDArray[np.str_]:
    """The codes of many indices at once, such as a log's `deal` column.

    >>> deal_codes([0, LAST_INDEX]).tolist()
    ['0000-0000-0000', 'H2S5-XS0T-3WWA']

    Raises:
        DealError: an entry is no index of a deal.
    """
    try:
        numbers = np.asarray(indices)
    except ValueError:
        raise DealError("indices of different lengths: an array of whole numbers") from None
    if numbers.size and numbers.dtype.kind not in "iu":
        raise DealError(f"indices of type {numbers.dtype}: whole numbers")
    for extreme in (numbers.min(), numbers.max()) if numbers.size else ():
        _whole_number("index", extreme, LAST_INDEX)
    words = numbers.astype(np.int64).ravel()
    words = words << CHECK_BITS | _check_bits(words)
    letters = np.full((len(words), CODE_LENGTH + 2), ord("-"), np.uint32)
    alphabet = np.array([ord(letter) for letter in ALPHABET], np.uint32)
    for place in range(CODE_LENGTH):
        letters[:, place + place // 4] = alphabet[words >> 5 * (CODE_LENGTH - 1 - place) & 31]
    return letters.view(f"U{CODE_LENGTH + 2}").reshape(numbers.shape)


def _remainder(word: int) -> int:
    """The remainder of seven bits, followed by three zeros, divided by the check polynomial."""
    word <<= CHECK_BITS
    for shift in reversed(range(7)):
        if word >> (shift + CHECK_BITS) & 1:
            word ^= CHECK_POLYNOMIAL << shift
    return word


_REMAINDERS = np.array([_remainder(word) for word in range(128)])


@overload
def _check_bits(index: int) -> int: ...
@overload
def _check_bits(index: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]: ...
def _check_bits(index: Any) -> Any:
    """The CRC of an index, or of an array of them.

    x^7 leaves the remainder 1, so bits that are 7 apart weigh the same: the groups of seven are
    folded into one, and its remainder is looked up.
    """
    folded = index & 127
    for shift in range(7, 57, 7):
        folded = folded ^ (index >> shift & 127)
    return _REMAINDERS[folded]


def _three_hands(hands: Sequence[Hand | str]) -> tuple[Hand, Hand, Hand]:
    """Three hands of 17 cards from hands or texts."""
    if len(hands) != SEATS:
        raise DealError(f"{len(hands)} hands, a deal has {SEATS} (R2.1)")
    first, second, third = map(as_hand, hands)
    for seat, hand in enumerate((first, second, third)):
        if len(hand) != dealing.HAND_SIZE:
            raise DealError(f"seat {seat} holds {len(hand)} cards, each is dealt 17 (R2.1)")
    return first, second, third


def _left_over(hands: Sequence[Hand]) -> list[int]:
    """How many cards of each rank some hands leave of the deck."""
    left = []
    for rank, held in enumerate(zip(*(hand.counts for hand in hands), strict=True)):
        if sum(held) > rank_capacity(rank):
            raise DealError(
                f"rank {RANKS[rank]}: {sum(held)} cards are dealt, "
                f"the deck holds {rank_capacity(rank)} (R2.1)"
            )
        left.append(rank_capacity(rank) - sum(held))
    return left


def _whole_number(name: str, value: Any, last: int) -> int:
    """A whole number from 0 to `last`, as an int."""
    wanted = f"a whole number from 0 to {last}"
    try:
        number = operator.index(value)
    except TypeError:
        raise DealError(f"{name}={shown(value)}: {wanted}") from None
    if not 0 <= number <= last:
        raise DealError(f"{name}={shown(number)}: {wanted}")
    return number
