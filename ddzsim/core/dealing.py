"""Dealing: seeded shuffles, the keys of random streams, the rank of a deal among all deals (R2).

A deal is an array of hands: those of the seats, then the kitty.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.cards import RANKS, rank_capacity
from ddzsim.core.hands import ONE_DECK, cards_of, count_of
from ddzsim.core.jit import U, kernel
from ddzsim.core.rng import Stream, Word, below, key_of
from ddzsim.rules import DECK_SIZE, Params

Deck: TypeAlias = npt.NDArray[np.int64]
"""Room for the ranks of 108 cards; what it holds between two deals does not matter."""
Places: TypeAlias = npt.NDArray[np.uint64]
"""The hands of a deal, packed: the seats, then the kitty."""
DealTable: TypeAlias = npt.NDArray[np.int64]
"""What `count_deals` gives."""

HAND_SIZE, KITTY_SIZE = 17, 3
RANK_COUNT = len(RANKS)
KITTY = 3
"""Position of the kitty among the places of a deal of one deck."""
COPIES = np.array([rank_capacity(rank) for rank in range(RANK_COUNT)])

# A round number, the times of a redeal and a seat are all small numbers, and a deal's key serves
# two of them. Without a word of its own mixed in for each purpose, redeal 1 would be dealt from the
# very stream that seat 1 chooses from. The words are the fractions of the square roots of 2, 3, 5
# and 7: no two seeds that people type differ by what two of these words differ by.
FOR_ROUNDS = U(0x6A09E667F3BCC908)
FOR_DEAL_KEYS = U(0xBB67AE8584CAA73B)
FOR_REDEALS = U(0x3C6EF372FE94F82B)
FOR_SEATS = U(0xA54FF53A5F1D36F1)


@kernel
def new_deck() -> Deck:
    """Room for the cards of one deck or of two."""
    return np.zeros(2 * DECK_SIZE, np.int64)


@kernel
def shuffle_deal(stream: Stream, deck: Deck, hands: Places, rules: Params) -> None:
    """Shuffle the cards and deal each seat's hand and the kitty (R2.1).

    Fisher-Yates from the top of the deck: the kitty is its last cards, the seats lie below, the
    last seat first. The hand of seat 0 is not drawn: it is what is left, in whatever order.
    """
    decks, players = rules["decks"], rules["players"]
    size = DECK_SIZE * decks
    for card in range(size):
        deck[card] = card >> (1 + decks)
    deck[size - decks : size] = RANK_COUNT - 1
    hands[0] = ONE_DECK * U(decks)
    count = rules["kitty_size"]
    hand_size = (size - count) // players
    for place in range(players, 0, -1):
        held = U(0)
        for _ in range(count):
            pick = below(stream, size)
            held += cards_of(deck[pick], 1)
            size -= 1
            deck[pick] = deck[size]
        hands[place] = held
        hands[0] -= held
        count = hand_size


@kernel
def round_deal(seed: Word, number: int, deck: Deck, hands: Places, rules: Params) -> int:
    """Deal round `number` of a seed's sequence, and draw the seat that speaks first (R2.2, R2.3).

    Where the rules do not draw the first bidder, the caller passes over the seat.
    """
    stream = np.empty(1, np.uint64)
    stream[0] = key_of(seed ^ FOR_ROUNDS, U(number))
    shuffle_deal(stream, deck, hands, rules)
    return below(stream, rules["players"])


@kernel
def deal_key(hands: Places, first: int, rules: Params) -> Word:
    """The key of all further randomness of a round: it follows from the deal alone (R2.2)."""
    key = FOR_DEAL_KEYS ^ U(first)
    for place in range(rules["players"] + 1):
        key = key_of(key, hands[place])
    return key


@kernel
def redeal(key: Word, times: int, deck: Deck, hands: Places, rules: Params) -> int:
    """Deal for the `times`-th time again, from 1, and draw the seat that speaks first (R2.4)."""
    stream = np.empty(1, np.uint64)
    stream[0] = key_of(key ^ FOR_REDEALS, U(times))
    shuffle_deal(stream, deck, hands, rules)
    return below(stream, rules["players"])


@kernel
def seat_stream_key(key: Word, seat: int) -> Word:
    """The key of the stream a seat's bot chooses from, in the round of a deal's key (R2.2)."""
    return key_of(key ^ FOR_SEATS, U(seat))


# The rank of a deal of one deck. The cards of one rank are split over seat 0, seat 1 and the kitty,
# and seat 2 gets the others: 35 ways for four cards, 4 for one. Deals stand in the order of the
# split of the 3s, then of the 4s, and so on to the big joker. Two decks have a fourth seat, and
# more deals than 63 bits hold: see `two_decks`.

SPLITS = np.array(
    [
        (first, second, kitty)
        for first in range(5)
        for second in range(5 - first)
        for kitty in range(5 - first - second)
    ]
)
"""How many cards of a rank seat 0, seat 1 and the kitty get, in order."""


def _split_numbers() -> npt.NDArray[np.int64]:
    """The position in SPLITS of each split."""
    numbers = np.zeros((5, 5, 5), np.int64)
    for number, split in enumerate(SPLITS):
        numbers[tuple(split)] = number
    return numbers


SPLIT_NUMBERS = _split_numbers()


def count_deals() -> DealTable:
    """Count the ways to deal the higher ranks, by dynamic programming from the jokers down.

    `table[r, a, b, d, s]` counts the ways to deal the cards of rank r and above when seat 0 has
    room for `a` cards, seat 1 for `b` and the kitty for `d` (seat 2 takes the rest), with rank r
    split in one of the ways before SPLITS[s]. So the last entry, s = 35, counts all of them.
    """
    room = (HAND_SIZE + 1, HAND_SIZE + 1, KITTY_SIZE + 1)
    table = np.zeros((RANK_COUNT, *room, len(SPLITS) + 1), np.int64)
    above = np.zeros(room, np.int64)
    above[0, 0, 0] = 1
    for rank in reversed(range(RANK_COUNT)):
        ways = np.zeros(room, np.int64)
        for number, (first, second, kitty) in enumerate(SPLITS):
            table[rank, ..., number] = ways
            if first + second + kitty <= COPIES[rank]:
                rest = above[: room[0] - first, : room[1] - second, : room[2] - kitty]
                ways[first:, second:, kitty:] += rest
        table[rank, ..., len(SPLITS)] = ways
        above = ways
    return table


@kernel
def deal_rank(hands: Places, table: DealTable) -> int:
    """The position of a deal among all 25,651,144,970,824,230 by rank of card, from 0.

    The hands must be one deal of the deck: anything else reads outside the table.
    """
    first_room, second_room, kitty_room = HAND_SIZE, HAND_SIZE, KITTY_SIZE
    position = 0
    for rank in range(RANK_COUNT):
        first, second = count_of(hands[0], rank), count_of(hands[1], rank)
        kitty = count_of(hands[KITTY], rank)
        number = SPLIT_NUMBERS[first, second, kitty]
        position += table[rank, first_room, second_room, kitty_room, number]
        first_room -= first
        second_room -= second
        kitty_room -= kitty
    return position


@kernel
def deal_from_rank(position: int, table: DealTable, hands: Places) -> None:
    """Write the deal at a position among all deals; the inverse of `deal_rank`."""
    first_room, second_room, kitty_room = HAND_SIZE, HAND_SIZE, KITTY_SIZE
    for place in range(KITTY + 1):
        hands[place] = U(0)
    for rank in range(RANK_COUNT):
        before = table[rank, first_room, second_room, kitty_room]
        number = 0
        while before[number + 1] <= position:
            number += 1
        position -= before[number]
        first, second, kitty = SPLITS[number, 0], SPLITS[number, 1], SPLITS[number, 2]
        hands[0] += cards_of(rank, first)
        hands[1] += cards_of(rank, second)
        hands[2] += cards_of(rank, COPIES[rank] - first - second - kitty)
        hands[KITTY] += cards_of(rank, kitty)
        first_room -= first
        second_room -= second
        kitty_room -= kitty


@kernel
def deal_indices(
    hands: npt.NDArray[np.uint64],
    first: npt.NDArray[np.integer[Any]],
    table: DealTable,
    out: npt.NDArray[np.int64],
) -> None:
    """Write the index of each deal: its rank times 3, plus the first bidder.

    `hands` has a row of four hands for each deal, `first` and `out` one entry.
    """
    for row in range(len(out)):
        out[row] = deal_rank(hands[row], table) * 3 + first[row]
