"""What every row of the log must fulfil, checked on whole columns at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ddzsim import schema
from ddzsim.cards import RANK_BIG_JOKER, RANK_SMALL_JOKER, RANK_TWO, RANKS, rank_capacity
from ddzsim.core.dealing import (
    DealTable,
    deal_from_rank,
    deal_key,
    deal_rank,
    new_deck,
    redeal,
    round_deal,
)
from ddzsim.core.jit import kernel
from ddzsim.core.play import MAX_TURNS
from ddzsim.core.two_decks import NO_WIDE_TABLE, WideTable, deal_of_wide_index, wide_index
from ddzsim.deals import LOW_BITS, PACKS, deal_table, wide_table
from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import supplied_texts
from ddzsim.errors import AuctionError
from ddzsim.game import Auction
from ddzsim.rules import Params, RuleSet
from ddzsim.stats import LEGS

Ints: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Finding: TypeAlias = tuple[Flags, str]
"""The rows that are wrong, and what is wrong with them."""

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

    def deal_index(self) -> Ints:
        """The index of the first deal in two columns: the bits above the low 63, and those."""
        low = self.column("deal")
        wide = self.rules.decks == 2
        return np.stack([self.column("deal_high") if wide else np.zeros_like(low), low], 1)

    def by_seat(self, name: str) -> Ints:
        """The columns of all seats: rows by seats."""
        return np.stack([self.column(f"{name}_{seat}") for seat in range(self.rules.players)], 1)

    def legs(self) -> Ints:
        """How many stakes each peasant settles, 0 for the landlord and when passed out."""
        if self.rules.doubling:
            return self.by_seat("leg")
        return self.peasants().astype(np.int64)

    def peasants(self) -> Flags:
        """Which seats are peasants; none when passed out: rows by seats."""
        landlord = self.column("landlord")[:, None]
        flags: Flags = (landlord >= 0) & (np.arange(self.rules.players) != landlord)
        return flags

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

    def left(self) -> Flags:
        """The rounds that a seat left (R8.6); none outside sessions."""
        if self.config.session is None:
            return np.zeros(len(self), bool)
        return self.column("leaver") >= 0

    def deal_numbers(self) -> Ints:
        """The number of each round's deal in the seed's sequence."""
        group, terms = self.config.group, self.config.session
        if terms is None:
            return self.column("round") // group
        return self.column("session") // group * terms.hands + self.column("hand_number")

    def places(self) -> Ints:
        """The place of each round, or of its session, among those with the same deals."""
        return self.column("session" if self.config.session else "round") % self.config.group

    def landlords(self, by_seat: Ints) -> Ints:
        """Of the values of all seats, that of the landlord; of seat 0 where there is none."""
        seats = np.clip(self.column("landlord"), 0, self.rules.players - 1)
        return by_seat[np.arange(len(self)), seats]


def findings(rows: Rows) -> Iterator[Finding]:
    """Check every row: what is wrong, with the rows it is wrong in (none, where all is well)."""
    odd = misfilled(rows, rows.config.columns("rounds"))
    yield odd, "null where a value is due, or a value where none is"
    if odd.any():
        return
    yield from names(rows)
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
    yield from _doubling(rows)
    yield from _play(rows)
    yield from _settlement(rows)
    yield from _passed_out(rows)


def misfilled(rows: Rows, columns: tuple[schema.Column, ...]) -> Flags:
    """The rows with nothing in a column where something is due, or the other way round."""
    wrong: Flags = np.zeros(len(rows), bool)
    for name, column, seat in schema.column_names(columns):
        missing = rows.table[name].is_null().to_numpy()
        wrong |= missing == column.holds(seat, rows.rules, rows.config.table_stakes)
    return wrong


def names(rows: Rows) -> Iterator[Finding]:
    """The texts that the run supplies: the same in every row, but for bots that change places."""
    texts = supplied_texts(rows.config) | {"run": rows.run_id}
    if rows.config.group > 1:
        places = rows.places()
        bots = [texts.pop(f"bot_{seat}") for seat in range(rows.rules.players)]
        for place in range(rows.config.group):
            here = places == place
            for seat, player in enumerate(rows.config.players_at(place)):
                wrong = here & ~rows.is_text(f"bot_{seat}", bots[player])
                yield wrong, f"bot_{seat} is not {bots[player]}"
    for name, text in texts.items():
        yield ~rows.is_text(name, text), f"{name} is not {text}"


def _ranges(rows: Rows) -> Iterator[Finding]:
    """Numbers that no round can have."""
    last = rows.rules.players - 1
    last_index = PACKS[rows.rules.players].last_index
    high, low = rows.deal_index().T
    last_high, last_low = divmod(last_index, 1 << LOW_BITS)
    wrong = (low < 0) | (high < 0) | (high > last_high) | ((high == last_high) & (low > last_low))
    yield wrong, f"deal is not from 0 to {last_index}"
    limits = {
        "redeals": (0, rows.rules.redeal_limit),
        "first": (0, last),
        "landlord": (-1, last),
        "winner": (-1, last),
        "bid": (0, 3),
        "turns": (0, MAX_TURNS),
        "bombs": (0, 13 * rows.rules.decks),
        "rockets": (0, 1),
        "spring": (0, 1),
        "anti_spring": (0, 1),
    }
    for name, (low, high) in limits.items():
        values = rows.column(name)
        yield (values < low) | (values > high), f"{name} is not from {low} to {high}"
    for name, (least, most) in {
        "plays": (0, rows.rules.most_cards),
        "fewest": (1, rows.rules.hand_size),
    }.items():
        values = rows.by_seat(name)
        wrong = np.any((values < least) | (values > most), axis=1)
        yield wrong, f"{name} is not from {least} to {most}"


def _cards(rows: Rows) -> Iterator[Finding]:
    """Each card once, as many as are dealt to each (R2.1), and what hands are worth (R11.1)."""
    rules, hands = rows.rules, rows.hands()
    sizes = np.zeros(hands.shape, np.int64)
    missing: Flags = np.any(hands >> np.uint64(4 * len(RANKS)) > 0, axis=1)
    for rank in range(len(RANKS)):
        counts = counts_of(hands, rank)
        missing |= counts.sum(1) != rank_capacity(rank, rules.decks)
        sizes += counts
    yield missing, "the hands and the kitty are not the deck's cards, each once (R2.1)"
    wrong = (sizes != [rules.hand_size] * rules.players + [rules.kitty_size]).any(1)
    dealt = f"{rules.hand_size} cards at each seat and {rules.kitty_size} in the kitty"
    yield wrong, f"not {dealt} (R2.1)"
    big, bombs = worth(hands[:, :-1], rules.decks)
    yield (rows.by_seat("big") != big).any(1), "big is not what the hands hold (R11.1)"
    yield (rows.by_seat("fours") != bombs).any(1), "fours is not what the hands hold (R11.1)"


def counts_of(hands: npt.NDArray[np.uint64], rank: int) -> Ints:
    """How many cards of a rank hands hold."""
    return (hands >> np.uint64(4 * rank) & np.uint64(15)).astype(np.int64)


def worth(hands: npt.NDArray[np.uint64], decks: int = 1) -> tuple[Ints, Ints]:
    """The big cards and the bombs of hands, the rocket counted with the bombs (R11.1)."""
    small, big_joker = counts_of(hands, RANK_SMALL_JOKER), counts_of(hands, RANK_BIG_JOKER)
    big = counts_of(hands, RANK_TWO) + small + big_joker
    bombs = (small * big_joker) // decks**2
    for rank in range(RANK_SMALL_JOKER):
        bombs += counts_of(hands, rank) >= FOURS
    return big, bombs


class Expected(NamedTuple):
    """What rows should hold of their deals, and memory to find it in."""

    starts: Ints
    """The index of the seed's deal of each round, in two columns, and the first bidder drawn."""
    first_hands: npt.NDArray[np.uint64]
    """The hands and the kitty of the deal that a row names."""
    hands: npt.NDArray[np.uint64]
    """Those of the deal that is played: another one after a redeal."""
    named: Ints
    """The first bidder of the deal that a row names."""
    drawn: Ints
    """The first bidder drawn with the deal that is played."""


class Ways(NamedTuple):
    """What ranks the deals of one deck, and of two."""

    one: DealTable
    two: WideTable


@kernel
def _expect(seed: np.uint64, asked: Ints, ways: Ways, rules: Params, expected: Expected) -> None:
    """Fill in what rows should hold; `asked`: round, redeals and deal, in two parts, of each."""
    deck = new_deck()
    places = np.zeros(rules["players"] + 1, np.uint64)
    for row in range(len(asked)):
        number, redeals, high, low = asked[row]
        drawn = round_deal(seed, number, deck, places, rules)
        if rules["decks"] == 1:
            expected.starts[row, 1] = deal_rank(places, ways.one) * 3
            deal_from_rank(low // 3, ways.one, places)
            named = low % 3
        else:
            expected.starts[row, 0], expected.starts[row, 1] = wide_index(places, 0, ways.two)
            named = deal_of_wide_index(high, low, ways.two, places)
        expected.starts[row, 2] = drawn
        expected.first_hands[row] = places
        expected.named[row] = named
        if redeals > 0:
            named = redeal(deal_key(places, named, rules), redeals, deck, places, rules)
        expected.drawn[row] = named
        expected.hands[row] = places


def expected_deals(rows: Rows) -> Expected:
    """What rows should hold of their deals, by the seed and by the index that each names."""
    count, places = len(rows), rows.rules.players + 1
    last = PACKS[rows.rules.players].last_index
    high, low = rows.deal_index().T
    # An index that does not exist is reported elsewhere; here it must not lead out of the table.
    last_high, last_low = divmod(last, 1 << LOW_BITS)
    high = np.clip(high, 0, last_high)
    low = np.where(high == last_high, np.clip(low, 0, last_low), np.maximum(low, 0))
    asked = np.stack([rows.deal_numbers(), rows.column("redeals"), high, low], 1)
    expected = Expected(
        starts=np.zeros((count, 3), np.int64),
        first_hands=np.zeros((count, places), np.uint64),
        hands=np.zeros((count, places), np.uint64),
        named=np.zeros(count, np.int64),
        drawn=np.zeros(count, np.int64),
    )
    ways = Ways(deal_table(), wide_table() if rows.rules.decks == 2 else NO_WIDE_TABLE)
    _expect(np.uint64(rows.config.seed), asked, ways, rows.rules.params, expected)
    return expected


def _deals(rows: Rows) -> Iterator[Finding]:
    """The deal follows from seed and round, the cards and who speaks first from the deal (R2)."""
    rules, expected = rows.rules, expected_deals(rows)
    redeals = rows.column("redeals")
    rounds = rows.column("hand_number") if rows.config.session else rows.deal_numbers()
    opener = {"rotate": rounds % rules.players, "seat0": np.zeros_like(rounds)}
    due = expected.starts[:, :2].copy()
    # The index of first bidder 0, so that no digit is carried.
    due[:, 1] += opener.get(rules.first_bidder, expected.starts[:, 2])
    wrong = (rows.deal_index() != due).any(1)
    yield wrong, "deal is not the one that the seed gives this round (R2.2)"
    others = (rows.hands() != expected.hands).any(1)
    yield others, "the cards are not those of the deal and its redeals (R2.2)"
    if rules.redeal_bidder == "next":
        speaks = (expected.named + redeals) % rules.players
    else:
        speaks = expected.drawn
    yield rows.column("first") != speaks, "first is not who speaks first (R2.3, R2.4)"


def _auctions(rows: Rows) -> Iterator[Finding]:
    """The calls are legal and lead to the landlord and the bid (R3), or the landlord is forced."""
    config, rules = rows.config, rows.rules
    landlord, bid, first = rows.column("landlord"), rows.column("bid"), rows.column("first")
    if config.force_landlord != "off" or rules.auction == "none":
        forced = first
        if config.force_landlord != "off":
            # Who is the landlord comes again after so many rounds.
            period = config.group * rules.players
            seats = np.array([config.landlord_of(number) for number in range(period)])
            forced = seats[rows.column("round") % period]
        yield landlord != forced, "landlord is not the seat it is without an auction"
        yield (bid != 1), "bid is not 1, as it is without an auction"
        yield ~rows.is_text("auction", ""), "auction is not empty, and there was none"
        yield rows.column("redeals") != 0, "redeals without an auction"
        return
    broken_off = rows.left() & (landlord < 0)
    yield broken_off & (bid != 0), "a bid, and a seat left before there was a landlord (R8.6)"
    indices, texts = rows.texts("auction")
    legal = np.ones(len(rows), bool)
    ends = np.stack([landlord, bid], 1)
    for at, seat in np.unique(np.stack([indices, first], 1), axis=0):
        these = (indices == at) & (first == seat)
        end = auction_end(texts[at], int(seat), rules)
        legal[these] = np.where(
            broken_off[these], auction_goes_on(texts[at], int(seat), rules), end is not None
        )
        ends[these & ~broken_off] = end or (0, 0)
    yield ~legal, "auction is not one that the rules allow (R3)"
    yield legal & (landlord != ends[:, 0]), "landlord is not the one that the auction leads to (R3)"
    yield legal & (bid != ends[:, 1]), "bid is not the one that the auction leads to (R3)"
    early = (landlord < 0) & ~broken_off & (rows.column("redeals") != rules.redeal_limit)
    yield early, "passed out before the last redeal (R2.4)"


def auction_end(text: str, first: int, rules: RuleSet) -> tuple[int, int] | None:
    """The landlord and the bid that an auction's text leads to; None if the rules do not allow it.

    The landlord is -1, and the bid 0, when all passed.

    >>> auction_end("0-2-0", 0, RuleSet(name="house"))
    (1, 2)
    """
    auction = _auction_of(text, first, rules)
    if auction is None or not auction.done:
        return None
    return (-1, 0) if auction.landlord is None else (auction.landlord, auction.stake_bid)


def auction_goes_on(text: str, first: int, rules: RuleSet) -> bool:
    """Whether an auction's text is of one that the rules allow and that is not over."""
    auction = _auction_of(text, first, rules)
    return auction is not None and not auction.done


def _auction_of(text: str, first: int, rules: RuleSet) -> Auction | None:
    """The auction of a text; None if the rules do not allow it."""
    auction = Auction(rules, first)
    try:
        for call in text.split("-") if text else ():
            auction.bid(int(call))
    except (AuctionError, ValueError):
        return None
    return auction


def _doubling(rows: Rows) -> Iterator[Finding]:
    """The legs are some that peasants and the landlord can have made (R3.5)."""
    if not rows.rules.doubling:
        return
    legs = rows.legs()
    right: Flags = np.where(rows.peasants(), np.isin(legs, LEGS), legs == 0)
    wrong: Flags = ~np.all(right, axis=1)
    yield wrong, "leg is not 1, 2 or 4 of a peasant, or not 0 of another seat (R3.5)"
    # The landlord redoubles all that have doubled, or none.
    mixed: Flags = np.any(legs == 2, axis=1) & np.any(legs == 4, axis=1)
    yield mixed, "leg is 2 of one peasant and 4 of another (R3.5)"


def _play(rows: Rows) -> Iterator[Finding]:
    """What was played could have been played (R7)."""
    players = rows.rules.players
    landlord, winner, turns = rows.column("landlord"), rows.column("winner"), rows.column("turns")
    left = rows.left()
    played = (landlord >= 0) & ~left
    plays = rows.by_seat("plays")
    total = plays.sum(1)
    yield (
        played != (winner >= 0),
        "there is a winner if and only if there is a landlord and nobody left (R7.3)",
    )
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
    wrong = left & ((turns < total) | (turns > players * total))
    yield wrong, "turns do not fit the plays (R7)"
    leads = played | (left & (turns > 0))
    yield leads & (rows.landlords(plays) < 1), "the landlord has no play, and must lead (R7.1)"
    seats = np.arange(players)
    needed = np.where(seats[None, :] == landlord[:, None], 1, rows.by_seat("fewest"))
    short = (seats[None, :] == winner[:, None]) & (plays < needed)
    yield short.any(1), "the winner went out in fewer plays than its hand takes (R11.1)"
    yield rows.column("bombs") + rows.column("rockets") > total, "more bombs and rockets than plays"
    faults = rows.column("faults")
    # In a round that a seat left they are those of the whole round, as it would have gone on.
    wrong = (faults < 0) | (~left & (faults > turns))
    yield wrong, "faults are not from 0 to the turns"


def _settlement(rows: Rows) -> Iterator[Finding]:
    """Springs, the multiplier, the stake and the scores (R8)."""
    rules = rows.rules
    landlord, winner = rows.column("landlord"), rows.column("winner")
    left = rows.left()
    played = (landlord >= 0) & ~left
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
    multiplier = rows.column("multiplier")
    least = np.where(landlord >= 0, 1 << doublings, 0)
    most = np.where(landlord >= 0, least << rows.column("bombs"), 0)
    if rules.bomb_doubles_from <= FOURS:
        least = most
    # How large the bombs were, of which only large ones double, is not in the row.
    power = multiplier & (multiplier - 1) == 0
    wrong = ~power | (multiplier < least) | (multiplier > most)
    yield wrong, "multiplier is not 2 for each doubling (R8.2)"
    stake = rules.base * rows.column("bid") * rows.column("multiplier")
    yield rows.column("stake") != stake, "stake is not base times bid times multiplier (R8.1)"
    yield scores.sum(1) != 0, "scores do not sum to 0 (R8.4)"
    gain = np.where(won, 1, -1) * rows.column("stake")
    legs = rows.legs()
    seats = np.arange(rules.players)
    shares = np.where(seats[None, :] == landlord[:, None], legs.sum(1)[:, None], -legs)
    yield (
        played & (scores != shares * gain[:, None]).any(1),
        "scores are not what the stake gives (R8.4)",
    )
    yield left & (scores != 0).any(1), "scores, and a seat left before the end (R8.6)"


def _passed_out(rows: Rows) -> Iterator[Finding]:
    """A round without a landlord has nothing else either (R2.4)."""
    out = rows.column("landlord") < 0
    something = (rows.by_seat("score") != 0).any(1) | (rows.by_seat("plays") != 0).any(1)
    for name in ("turns", "bombs", "rockets", "faults"):
        something |= rows.column(name) != 0
    yield out & something, "passed out, and yet there are plays or scores (R2.4)"
