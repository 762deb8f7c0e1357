"""What every row of the log must fulfil, checked on whole columns at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ddzsim.cards import RANK_BIG_JOKER, RANK_SMALL_JOKER, RANK_TWO, RANKS, rank_capacity
from ddzsim.core.dealing import (
    DECK_SIZE,
    HAND_SIZE,
    KITTY_SIZE,
    DealTable,
    deal_from_rank,
    deal_key,
    deal_rank,
    redeal,
    round_deal,
)
from ddzsim.core.jit import kernel
from ddzsim.core.loop import FORCE_OFF, FORCE_ROTATE
from ddzsim.core.play import MAX_TURNS
from ddzsim.deals import LAST_INDEX, deal_table
from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import supplied_texts
from ddzsim.errors import AuctionError
from ddzsim.game import Auction
from ddzsim.rules import RuleSet

Ints: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Finding: TypeAlias = tuple[Flags, str]
"""The rows that are wrong, and what is wrong with them."""

MOST_CARDS = HAND_SIZE + KITTY_SIZE
FOURS = 4


@dataclass(frozen=True, slots=True)
class Rows:
    """A part's rows as arrays: whole numbers in int64, hands in uint64, texts as Python strings."""

    config: RunConfig
    run_id: str
    table: pa.Table

    @property
    def rules(self) -> RuleSet:
        """The rules that were played."""
        return self.config.ruleset

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def column(self, name: str) -> Ints:
        """A column of numbers."""
        numbers: Ints = self.table[name].to_numpy().astype(np.int64)
        return numbers

    def by_seat(self, name: str) -> Ints:
        """The columns of all seats: rows by seats."""
        return np.stack([self.column(f"{name}_{seat}") for seat in range(self.rules.players)], 1)

    def hands(self) -> npt.NDArray[np.uint64]:
        """The dealt hands and, last, the kitty: rows by places."""
        return np.column_stack([self.by_seat("hand"), self.column("kitty")]).astype(np.uint64)

    def texts(self, name: str) -> tuple[Ints, list[str]]:
        """A column of texts: for each row the position of its text in a list."""
        column = self.table[name].combine_chunks()
        indices: Ints = column.indices.to_numpy().astype(np.int64)
        return indices, column.dictionary.to_pylist()

    def is_text(self, name: str, text: str) -> Flags:
        """The rows that hold a text."""
        indices, texts = self.texts(name)
        flags: Flags = np.isin(indices, [at for at, held in enumerate(texts) if held == text])
        return flags

    def landlords(self, by_seat: Ints) -> Ints:
        """Of the values of all seats, that of the landlord; of seat 0 where there is none."""
        seats = np.clip(self.column("landlord"), 0, self.rules.players - 1)
        return by_seat[np.arange(len(self)), seats]


def findings(rows: Rows) -> Iterator[Finding]:
    """Check every row: what is wrong, with the rows it is wrong in (none, where all is well)."""
    yield from _names(rows)
    outside = np.zeros(len(rows), bool)
    for wrong, text in _ranges(rows):
        outside |= wrong
        yield wrong, text
    yield from _cards(rows)
    yield from _deals(rows)
    if outside.any():
        # A seat or a bid that does not exist would only make every other check say the same again.
        return
    yield from _auctions(rows)
    yield from _play(rows)
    yield from _settlement(rows)
    yield from _passed_out(rows)


def _names(rows: Rows) -> Iterator[Finding]:
    """The texts that are the same in every row."""
    for name, text in (supplied_texts(rows.config) | {"run": rows.run_id}).items():
        yield ~rows.is_text(name, text), f"{name} is not {text}"


def _ranges(rows: Rows) -> Iterator[Finding]:
    """Numbers that no round can have."""
    last = rows.rules.players - 1
    limits = {
        "deal": (0, LAST_INDEX),
        "redeals": (0, rows.rules.redeal_limit),
        "first": (0, last),
        "landlord": (-1, last),
        "winner": (-1, last),
        "bid": (0, 3),
        "turns": (0, MAX_TURNS),
        "bombs": (0, 13),
        "rockets": (0, 1),
        "spring": (0, 1),
        "anti_spring": (0, 1),
    }
    for name, (low, high) in limits.items():
        values = rows.column(name)
        yield (values < low) | (values > high), f"{name} is not from {low} to {high}"
    for name, high in {"plays": MOST_CARDS, "fewest": HAND_SIZE}.items():
        values = rows.by_seat(name)
        low = 1 if name == "fewest" else 0
        yield (
            np.any((values < low) | (values > high), axis=1),
            f"{name} is not from {low} to {high}",
        )


def _cards(rows: Rows) -> Iterator[Finding]:
    """Each card once, 17 to a seat and 3 to the kitty (R2.1), and what hands are worth (R11.1)."""
    hands = rows.hands()
    sizes = np.zeros(hands.shape, np.int64)
    missing: Flags = np.any(hands >> np.uint64(4 * len(RANKS)) > 0, axis=1)
    for rank in range(len(RANKS)):
        counts = counts_of(hands, rank)
        missing |= counts.sum(1) != rank_capacity(rank)
        sizes += counts
    yield missing, "the hands and the kitty are not the deck's cards, each once (R2.1)"
    wrong = (sizes != [HAND_SIZE] * (hands.shape[1] - 1) + [KITTY_SIZE]).any(1)
    yield wrong, "not 17 cards at each seat and 3 in the kitty (R2.1)"
    big, bombs = worth(hands[:, :-1])
    yield (rows.by_seat("big") != big).any(1), "big is not what the hands hold (R11.1)"
    yield (rows.by_seat("fours") != bombs).any(1), "fours is not what the hands hold (R11.1)"


def counts_of(hands: npt.NDArray[np.uint64], rank: int) -> Ints:
    """How many cards of a rank hands hold."""
    return (hands >> np.uint64(4 * rank) & np.uint64(15)).astype(np.int64)


def worth(hands: npt.NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """The big cards and the bombs of hands, the rocket counted with the bombs (R11.1)."""
    small, big_joker = counts_of(hands, RANK_SMALL_JOKER), counts_of(hands, RANK_BIG_JOKER)
    big = counts_of(hands, RANK_TWO) + small + big_joker
    bombs = small * big_joker
    for rank in range(RANK_SMALL_JOKER):
        bombs += counts_of(hands, rank) == FOURS
    return big, bombs


class Expected(NamedTuple):
    """What rows should hold of their deals, and memory to find it in."""

    starts: Ints
    """The rank, and the first bidder drawn, of the seed's deal of each round."""
    first_hands: npt.NDArray[np.uint64]
    """The hands and the kitty of the deal that a row names."""
    hands: npt.NDArray[np.uint64]
    """Those of the deal that is played: another one after a redeal."""
    drawn: Ints
    """The first bidder drawn with the deal that is played."""


@kernel
def _expect(seed: np.uint64, asked: Ints, table: DealTable, expected: Expected) -> None:
    """Fill in what rows should hold; `asked`: the round, the deal and the redeals of each."""
    deck = np.zeros(DECK_SIZE, np.int64)
    places = np.zeros(4, np.uint64)
    for row in range(len(asked)):
        number, index, redeals = asked[row]
        expected.starts[row, 1] = round_deal(seed, number, deck, places)
        expected.starts[row, 0] = deal_rank(places, table)
        deal_from_rank(index // 3, table, places)
        expected.first_hands[row] = places
        drawn = index % 3
        if redeals > 0:
            drawn = redeal(deal_key(places, drawn), redeals, deck, places)
        expected.drawn[row] = drawn
        expected.hands[row] = places


def expected_deals(rows: Rows) -> Expected:
    """What rows should hold of their deals, by the seed and by the index that each names."""
    count = len(rows)
    index = np.clip(rows.column("deal"), 0, LAST_INDEX)
    asked = np.stack([rows.column("round"), index, rows.column("redeals")], 1)
    expected = Expected(
        starts=np.zeros((count, 2), np.int64),
        first_hands=np.zeros((count, 4), np.uint64),
        hands=np.zeros((count, 4), np.uint64),
        drawn=np.zeros(count, np.int64),
    )
    _expect(np.uint64(rows.config.seed), asked, deal_table(), expected)
    return expected


def _deals(rows: Rows) -> Iterator[Finding]:
    """The deal follows from seed and round, the cards and who speaks first from the deal (R2)."""
    rules, expected = rows.rules, expected_deals(rows)
    rounds, deals, redeals = rows.column("round"), rows.column("deal"), rows.column("redeals")
    opener = {"rotate": rounds % rules.players, "seat0": np.zeros_like(rounds)}
    first = opener.get(rules.first_bidder, expected.starts[:, 1])
    wrong = deals != expected.starts[:, 0] * 3 + first
    yield wrong, "deal is not the one that the seed gives this round (R2.2)"
    others = (rows.hands() != expected.hands).any(1)
    yield others, "the cards are not those of the deal and its redeals (R2.2)"
    if rules.redeal_bidder == "next":
        speaks = (deals % 3 + redeals) % rules.players
    else:
        speaks = expected.drawn
    yield rows.column("first") != speaks, "first is not who speaks first (R2.3, R2.4)"


def _auctions(rows: Rows) -> Iterator[Finding]:
    """The calls are legal and lead to the landlord and the bid (R3), or the landlord is forced."""
    config, rules = rows.config, rows.rules
    landlord, bid, first = rows.column("landlord"), rows.column("bid"), rows.column("first")
    if config.forced != FORCE_OFF or rules.auction == "none":
        forced = np.full(len(rows), config.forced)
        if config.forced == FORCE_OFF:
            forced = first
        elif config.forced == FORCE_ROTATE:
            forced = rows.column("round") % rules.players
        yield landlord != forced, "landlord is not the seat it is without an auction"
        yield (bid != 1), "bid is not 1, as it is without an auction"
        yield ~rows.is_text("auction", ""), "auction is not empty, and there was none"
        yield rows.column("redeals") != 0, "redeals without an auction"
        return
    indices, texts = rows.texts("auction")
    legal = np.ones(len(rows), bool)
    ends = np.zeros((len(rows), 2), np.int64)
    for at, seat in np.unique(np.stack([indices, first], 1), axis=0):
        these = (indices == at) & (first == seat)
        end = auction_end(texts[at], int(seat), rules)
        legal[these] = end is not None
        ends[these] = end or (0, 0)
    yield ~legal, "auction is not one that the rules allow (R3)"
    yield legal & (landlord != ends[:, 0]), "landlord is not the one that the auction leads to (R3)"
    yield legal & (bid != ends[:, 1]), "bid is not the one that the auction leads to (R3)"
    early = (landlord < 0) & (rows.column("redeals") != rules.redeal_limit)
    yield early, "passed out before the last redeal (R2.4)"


def auction_end(text: str, first: int, rules: RuleSet) -> tuple[int, int] | None:
    """The landlord and the bid that an auction's text leads to; None if the rules do not allow it.

    The landlord is -1, and the bid 0, when all passed.

    >>> auction_end("0-2-0", 0, RuleSet(name="house"))
    (1, 2)
    """
    auction = Auction(rules, first)
    try:
        for call in text.split("-"):
            auction.bid(int(call))
    except (AuctionError, ValueError):
        return None
    if not auction.done:
        return None
    return (-1, 0) if auction.landlord is None else (auction.landlord, auction.stake_bid)


def _play(rows: Rows) -> Iterator[Finding]:
    """What was played could have been played (R7)."""
    players = rows.rules.players
    landlord, winner, turns = rows.column("landlord"), rows.column("winner"), rows.column("turns")
    played = landlord >= 0
    plays = rows.by_seat("plays")
    total = plays.sum(1)
    yield played != (winner >= 0), "there is a winner if and only if there is a landlord (R7.3)"
    for side, text in (
        (~played, "nobody"),
        (played & (winner == landlord), "landlord"),
        (played & (winner != landlord), "peasants"),
    ):
        yield side != rows.is_text("side", text), f"side is wrongly {text}, or wrongly not"
    # Nobody's turn is left out, so the last turn tells who went out; at most one pass of each other
    # seat follows a play.
    last = (landlord + turns - 1) % players
    yield played & (last != winner), "winner is not who had the last turn (R7)"
    wrong = (turns < total) | (turns > players * (total - 1) + 1)
    yield played & wrong, "turns do not fit the plays (R7)"
    yield played & (rows.landlords(plays) < 1), "the landlord has no play, and must lead (R7.1)"
    seats = np.arange(players)
    needed = np.where(seats[None, :] == landlord[:, None], 1, rows.by_seat("fewest"))
    short = (seats[None, :] == winner[:, None]) & (plays < needed)
    yield short.any(1), "the winner went out in fewer plays than its hand takes (R11.1)"
    yield rows.column("bombs") + rows.column("rockets") > total, "more bombs and rockets than plays"
    faults = rows.column("faults")
    yield (faults < 0) | (faults > turns), "faults are not from 0 to the turns"


def _settlement(rows: Rows) -> Iterator[Finding]:
    """Springs, the multiplier, the stake and the scores (R8)."""
    rules = rows.rules
    landlord, winner = rows.column("landlord"), rows.column("winner")
    played = landlord >= 0
    won = played & (winner == landlord)
    plays, scores = rows.by_seat("plays"), rows.by_seat("score")
    own = rows.landlords(plays)
    spring = won & (plays.sum(1) == own)
    anti_spring = played & ~won & (own == 1)
    yield (rows.column("spring") == 1) != spring, "spring is not what the plays say (R8.3)"
    yield (
        (rows.column("anti_spring") == 1) != anti_spring,
        "anti_spring is not what the plays say (R8.3)",
    )
    doublings = rows.column("rockets") + (spring | anti_spring) * int(rules.spring)
    if rules.bomb_doubles_from <= FOURS:
        doublings = doublings + rows.column("bombs")
    multiplier = np.where(played, 1 << doublings, 0)
    yield rows.column("multiplier") != multiplier, "multiplier is not 2 for each doubling (R8.2)"
    stake = rules.base * rows.column("bid") * rows.column("multiplier")
    yield rows.column("stake") != stake, "stake is not base times bid times multiplier (R8.1)"
    yield scores.sum(1) != 0, "scores do not sum to 0 (R8.4)"
    gain = np.where(won, 1, -1) * rows.column("stake")
    seats = np.arange(rules.players)
    legs = np.where(seats[None, :] == landlord[:, None], rules.players - 1, -1)
    yield (
        played & (scores != legs * gain[:, None]).any(1),
        "scores are not what the stake gives (R8.4)",
    )


def _passed_out(rows: Rows) -> Iterator[Finding]:
    """A round without a landlord has nothing else either (R2.4)."""
    out = rows.column("landlord") < 0
    something = (rows.by_seat("score") != 0).any(1) | (rows.by_seat("plays") != 0).any(1)
    for name in ("turns", "bombs", "rockets", "faults"):
        something |= rows.column(name) != 0
    yield out & something, "passed out, and yet there are plays or scores (R2.4)"
