"""Deals and deal codes, both ways (R2)."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ddzsim.cards import RANKS, Hand, as_hand, rank_capacity, spaced
from ddzsim.core import dealing, two_decks
from ddzsim.errors import DealError, shown
from ddzsim.rules import CLASSIC, TABLETOP_4P, RuleSet

LAST_SEED = 2**63 - 1
LOW_BITS = two_decks.LOG_BITS
"""Bits of an index that the log's `deal` column holds; `deal_high` has those above."""

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O or U."""
LETTER_BITS, WORD_LETTERS, GROUP = 5, 12, 4
"""Bits of a letter; letters that are made at once, of 60 bits; letters between two hyphens."""


@dataclass(frozen=True, slots=True)
class Pack:
    """One deck for three players, or two decks for four, and how its deals are coded."""

    rules: RuleSet
    """Rules that deal it; others deal it alike."""
    deals: int
    """How many ways there are to deal the cards by rank."""
    letters: int
    """Letters in a code: the index and the check bits, five bits each."""
    check_bits: int
    polynomial: int
    """The check bits are the remainder of the index, shifted by them, divided by this."""

    @property
    def players(self) -> int:
        """Seats, and so first bidders of a deal."""
        return self.rules.players

    @property
    def last_index(self) -> int:
        """The index of the last deal with the last seat as first bidder."""
        return self.deals * self.players - 1


ONE_DECK = Pack(CLASSIC, 25_651_144_970_824_230, 12, 3, 0b1011)
"""Checked by x^3 + x + 1."""
TWO_DECKS = Pack(TABLETOP_4P, 25_465_028_147_353_846_838_411_318_572_749, 24, 13, 0x3CF5)
"""Checked by the 13 bits of CRC-13/BBC."""
PACKS = {pack.players: pack for pack in (ONE_DECK, TWO_DECKS)}

DEALS = ONE_DECK.deals
LAST_INDEX = ONE_DECK.last_index
"""Of one deck."""

_VALUE_OF = {letter: value for value, letter in enumerate(ALPHABET)} | {"I": 1, "L": 1, "O": 0}
_VALUE_OF |= {letter.lower(): value for letter, value in _VALUE_OF.items()}


@cache
def deal_table() -> npt.NDArray[np.int64]:
    """The table that ranks deals of one deck, as the kernels take it; made at the first call."""
    return dealing.count_deals()


@cache
def wide_table() -> npt.NDArray[np.int64]:
    """The table that ranks deals of two decks, as the kernels take it; made at the first call."""
    return two_decks.count_wide_deals()


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

    hands: tuple[Hand, ...]
    """Three hands of one deck, or four of two decks."""
    kitty: Hand
    first_bidder: int

    def __post_init__(self) -> None:
        """Check that this is one deal of the deck; an error names the seat or rank at fault."""
        object.__setattr__(self, "hands", _all_hands(self.hands))
        seat = _whole_number("first_bidder", self.first_bidder, self.players - 1)
        object.__setattr__(self, "first_bidder", seat)
        due = self.pack.rules.kitty_size
        if len(self.kitty) != due:
            raise DealError(f"the kitty holds {len(self.kitty)} cards, it is dealt {due} (R2.1)")
        # All cards, and no rank more often than the deck holds it: so every card is dealt once.
        _left_over((*self.hands, self.kitty), self.pack.rules.decks)

    @classmethod
    def from_hands(cls, hands: Sequence[Hand | str], first_bidder: int = 0) -> Self:
        """The deal of all seats' hands, cards or text; the kitty is what they leave of the deck.

        Raises:
            CardError: a text is not cards.
            DealError: the hands are not three of 17 cards from one deck, nor four of 25 from two.
        """
        seats = _all_hands(hands)
        left = _left_over(seats, PACKS[len(seats)].rules.decks)
        return cls(seats, Hand.from_counts(left), first_bidder)

    @classmethod
    def from_code(cls, text: str) -> Self:
        """The deal of a code, such as one copied from a log.

        Raises:
            DealError: the text is no deal code, or was mistyped.
        """
        pack, index = _read_code(text)
        return cls.from_index(index, pack.players)

    @classmethod
    def from_index(cls, index: int, players: int = 3) -> Self:
        """The deal of an index, such as the `deal` column of a log holds.

        For four players it is `deal_high` times 2^63 plus `deal`.

        Raises:
            DealError: there is no such deal.
        """
        pack = pack_of(players)
        number = _whole_number("index", index, pack.last_index)
        places = np.empty(players + 1, np.uint64)
        if pack is ONE_DECK:
            rank, first_bidder = divmod(number, players)
            dealing.deal_from_rank(rank, deal_table(), places)
        else:
            high, low = divmod(number, 1 << LOW_BITS)
            first_bidder = int(two_decks.deal_of_wide_index(high, low, wide_table(), places))
        return cls._from_places(places, first_bidder)

    @classmethod
    def of_round(cls, seed: int, number: int, players: int = 3) -> Self:
        """The deal that round `number` of a run with this seed starts from.

        Where the rules draw no first bidder, the run has another one (R2.3).

        Raises:
            DealError: the seed or the number is negative or too large, or so many do not play.
        """
        word = np.uint64(_whole_number("seed", seed, LAST_SEED))
        rules = pack_of(players).rules.params
        places = np.empty(players + 1, np.uint64)
        at = _whole_number("number", number, LAST_SEED)
        drawn = dealing.round_deal(word, at, dealing.new_deck(), places, rules)
        return cls._from_places(places, int(drawn))

    @classmethod
    def random(cls, seed: int | None = None, players: int = 3) -> Self:
        """A random deal: round 0 of the seed, or of one that is drawn.

        Raises:
            DealError: the seed is negative or too large, or so many do not play.
        """
        return cls.of_round(secrets.randbits(63) if seed is None else seed, 0, players)

    @classmethod
    def _from_places(cls, places: npt.NDArray[np.uint64], first_bidder: int) -> Self:
        """The deal that a kernel has written."""
        *hands, kitty = (Hand(int(cards)) for cards in places)
        return cls(tuple(hands), kitty, first_bidder)

    @property
    def players(self) -> int:
        """How many seats it is for."""
        return len(self.hands)

    @property
    def pack(self) -> Pack:
        """The deck or decks that are dealt."""
        return PACKS[self.players]

    @property
    def packed(self) -> npt.NDArray[np.uint64]:
        """The hands and the kitty as the kernels take them."""
        return np.array([hand.packed for hand in (*self.hands, self.kitty)], np.uint64)

    @property
    def key(self) -> int:
        """The key of all further randomness of a round with this deal (R2.2)."""
        return int(dealing.deal_key(self.packed, self.first_bidder, self.pack.rules.params))

    @property
    def index(self) -> int:
        """The rank of the deal among all deals, times the players, plus the first bidder."""
        if self.pack is ONE_DECK:
            rank = int(dealing.deal_rank(self.packed, deal_table()))
            return rank * self.players + self.first_bidder
        high, low = two_decks.wide_index(self.packed, self.first_bidder, wide_table())
        return int(high) << LOW_BITS | int(low)

    @property
    def code(self) -> str:
        """The short text that names the deal: `XXXX-XXXX-XXXX`, twice as long for two decks."""
        return code_from_index(self.index, self.players)

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


def pack_of(players: int) -> Pack:
    """What so many players are dealt.

    Raises:
        DealError: so many do not play.
    """
    if players not in PACKS:
        raise DealError(f"players={players!r}: 3, or 4 with two decks (R1.3)")
    return PACKS[players]


def code_from_index(index: int, players: int = 3) -> str:
    """The code of a deal's index, with a hyphen after each four letters of base 32.

    For three players 57 bits of index and 3 check bits make 12 letters. The check bits are a CRC of
    the index by x^3 + x + 1. Together with the indices past the last deal they let through 9 in 100
    codes with one character wrong, 9 in 100 with two neighbours swapped, and 7 in 100 texts of any
    twelve characters. For four players 107 bits of index and 13 check bits make 24 letters: no code
    with one character wrong or two neighbours swapped gets through, and one in 13,000 of any texts.

    >>> code_from_index(0), code_from_index(LAST_INDEX)
    ('0000-0000-0000', 'H2S5-XS0T-3WWA')

    Raises:
        DealError: there is no deal of that index.
    """
    pack = pack_of(players)
    number = _whole_number("index", index, pack.last_index)
    low, high = number & (1 << LOW_BITS) - 1, number >> LOW_BITS
    word = number << pack.check_bits | int(_check_bits(low, high, pack))
    letters = [ALPHABET[word >> 5 * place & 31] for place in reversed(range(pack.letters))]
    return "-".join("".join(letters[at : at + GROUP]) for at in range(0, pack.letters, GROUP))


def index_from_code(text: str) -> int:
    """The index of the deal that a code names, in either case, with or without hyphens and spaces.

    I and L are read as 1, O as 0.

    Raises:
        DealError: a character is none of the alphabet, the length is wrong, the check bits do not
            fit, or the index is past the last deal; the message says which.
    """
    return _read_code(text)[1]


def _read_code(text: str) -> tuple[Pack, int]:
    """The pack and the index of the deal that a code names."""
    word = length = 0
    for position, letter in enumerate(text, start=1):
        if letter == "-" or letter.isspace():
            continue
        if letter not in _VALUE_OF:
            raise DealError(
                f"{shown(text)}: {letter!r} at position {position} is in no deal code; "
                "codes are made of digits and letters, without U (R2.2)"
            )
        word = word << LETTER_BITS | _VALUE_OF[letter]
        length += 1
    packs = [pack for pack in PACKS.values() if pack.letters == length]
    if not packs:
        raise DealError(
            f"{shown(text)}: {length} characters, a deal code has {ONE_DECK.letters}, "
            f"as in XXXX-XXXX-XXXX, or {TWO_DECKS.letters} with two decks (R2.2)"
        )
    pack = packs[0]
    index = word >> pack.check_bits
    low, high = index & (1 << LOW_BITS) - 1, index >> LOW_BITS
    if word != index << pack.check_bits | int(_check_bits(low, high, pack)):
        raise DealError(
            f"{shown(text)}: mistyped, the check bits do not fit; "
            "look for a wrong character or two that are swapped (R2.2)"
        )
    if index > pack.last_index:
        raise DealError(
            f"{shown(text)}: mistyped, there is no deal {index:,}; "
            f"the last is {code_from_index(pack.last_index, pack.players)} (R2.2)"
        )
    return pack, index


def deal_codes(indices: npt.ArrayLike, high: npt.ArrayLike | None = None) -> npt.NDArray[np.str_]:
    """The codes of many indices at once, such as a log's `deal` column.

    `high` is the log's column `deal_high`; it is not needed where that is null, with three players.

    >>> deal_codes([0, LAST_INDEX]).tolist()
    ['0000-0000-0000', 'H2S5-XS0T-3WWA']

    Raises:
        DealError: an entry is no index of a deal.
    """
    lower = _whole_numbers(indices)
    above = None if high is None or _all_null(high) else _whole_numbers(high)
    if above is None:
        for extreme in (lower.min(), lower.max()) if lower.size else ():
            _whole_number("index", extreme, LAST_INDEX)
        low = lower.astype(np.int64).ravel()
        return _letters(low << ONE_DECK.check_bits | _check_bits(low, low, ONE_DECK), lower.shape)
    low, upper = (numbers.astype(np.int64) for numbers in np.broadcast_arrays(lower, above))
    last_high, last_low = divmod(TWO_DECKS.last_index, 1 << LOW_BITS)
    past = (low < 0) | (upper < 0) | (upper > last_high) | ((upper == last_high) & (low > last_low))
    if past.any():
        at = int(past.argmax())
        number = (int(upper.flat[at]) << LOW_BITS) + int(low.flat[at])
        _whole_number("index", number, TWO_DECKS.last_index)
    # 44 + 63 bits of index and 13 check bits are two words of 60.
    cut = WORD_LETTERS * LETTER_BITS - TWO_DECKS.check_bits
    check = _check_bits(low, upper, TWO_DECKS)
    second = (low & (1 << cut) - 1) << TWO_DECKS.check_bits | check
    first = upper << (LOW_BITS - cut) | low >> cut
    codes = np.char.add(np.char.add(_letters(first, low.shape), "-"), _letters(second, low.shape))
    return np.asarray(codes)


def _letters(words: npt.NDArray[np.int64], shape: tuple[int, ...]) -> npt.NDArray[np.str_]:
    """Words of 60 bits as texts of twelve letters, `XXXX-XXXX-XXXX`."""
    words = words.ravel()
    letters = np.full((len(words), WORD_LETTERS + 2), ord("-"), np.uint32)
    alphabet = np.array([ord(letter) for letter in ALPHABET], np.uint32)
    for place in range(WORD_LETTERS):
        shift = LETTER_BITS * (WORD_LETTERS - 1 - place)
        letters[:, place + place // GROUP] = alphabet[words >> shift & 31]
    return letters.view(f"U{WORD_LETTERS + 2}").reshape(shape)


def _whole_numbers(values: npt.ArrayLike) -> npt.NDArray[np.integer[Any]]:
    """An array of whole numbers."""
    try:
        numbers = np.asarray(values)
    except ValueError:
        raise DealError("indices of different lengths: an array of whole numbers") from None
    if numbers.size and numbers.dtype.kind not in "iu":
        raise DealError(f"indices of type {numbers.dtype}: whole numbers")
    return numbers


def _all_null(values: npt.ArrayLike) -> bool:
    """Whether a column holds nothing but nulls, as numpy and pandas have them."""
    numbers = np.asarray(values)
    if numbers.dtype.kind == "O":
        return all(number is None for number in numbers.flat)
    return numbers.dtype.kind == "f" and bool(np.isnan(numbers).all())


@cache
def _check_tables(pack: Pack) -> npt.NDArray[np.int64]:
    """The check bits of each byte, all other bits 0, by the position of its lowest bit."""
    bits = pack.letters * LETTER_BITS - pack.check_bits
    remainders = []
    remainder = pack.polynomial ^ 1 << pack.check_bits
    for _ in range(bits):
        remainders.append(remainder)
        remainder <<= 1
        remainder = min(remainder, remainder ^ pack.polynomial)
    remainders += [0] * 8
    tables = np.zeros((bits, 256), np.int64)
    byte = np.arange(256)
    for at in range(bits):
        for bit in range(8):
            tables[at] ^= (byte >> bit & 1) * remainders[at + bit]
    return tables


def _check_bits(low: Any, high: Any, pack: Pack) -> Any:
    """The CRC of an index of so many low bits and others above them, or of arrays of both."""
    tables, check = _check_tables(pack), 0
    bits = len(tables)
    for start, word in ((0, low), (LOW_BITS, high)):
        for shift in range(0, min(LOW_BITS, bits - start), 8):
            check = check ^ tables[start + shift][word >> shift & 255]
    return check


def _all_hands(hands: Sequence[Hand | str]) -> tuple[Hand, ...]:
    """The hands of all seats from hands or texts."""
    if len(hands) not in PACKS:
        raise DealError(f"{len(hands)} hands, a deal has 3, or 4 with two decks (R2.1)")
    rules = PACKS[len(hands)].rules
    held = tuple(as_hand(hand, rules.decks) for hand in hands)
    for seat, hand in enumerate(held):
        if len(hand) != rules.hand_size:
            raise DealError(
                f"seat {seat} holds {len(hand)} cards, each is dealt {rules.hand_size} (R2.1)"
            )
    return held


def _left_over(hands: Sequence[Hand], decks: int) -> list[int]:
    """How many cards of each rank some hands leave of the decks."""
    left = []
    for rank, held in enumerate(zip(*(hand.counts for hand in hands), strict=True)):
        capacity = rank_capacity(rank, decks)
        if sum(held) > capacity:
            holds = "the deck holds" if decks == 1 else "the decks hold"
            raise DealError(
                f"rank {RANKS[rank]}: {sum(held)} cards are dealt, {holds} {capacity} (R2.1)"
            )
        left.append(capacity - sum(held))
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
