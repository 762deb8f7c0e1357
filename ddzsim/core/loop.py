"""The round loop: deals, auctions, plays and scores of many rounds, one log row each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.core.auction import (
    ALL_PASSED,
    AUCTION_FIELDS,
    CALLS,
    HIGH,
    RECORD,
    TO_SPEAK,
    UNDECIDED,
    AuctionState,
    auction_winner,
    call,
    open_auction,
)
from ddzsim.core.bidding import advised, measure, misjudged
from ddzsim.core.combos import PASS, Shape, beats, kind_of, length_of, rank_of
from ddzsim.core.dealing import (
    deal_key,
    deal_rank,
    new_deck,
    redeal,
    round_deal,
    seat_stream_key,
)
from ddzsim.core.doubling import hold_doubling
from ddzsim.core.fewest import fewest_plays
from ddzsim.core.hands import Cards, contains, size
from ddzsim.core.jit import U, kernel, long_kernel
from ddzsim.core.moves import legal_leads
from ddzsim.core.play import (
    MAX_SEATS,
    NOBODY,
    Table,
    View,
    Work,
    begin,
    new_table,
    new_work,
    play,
    seen_cards,
)
from ddzsim.core.rating import big_cards, bombs_held
from ddzsim.core.scoring import ANTI_SPRING, SPRING, multiplier_of, score_of, spring_of, stake_of
from ddzsim.core.two_decks import wide_index
from ddzsim.rules import CHOICES, Params

BOTS: TypeAlias = tuple[Callable[..., Any], ...]

ROTATE, SEAT_0 = CHOICES["first_bidder"].index("rotate"), CHOICES["first_bidder"].index("seat0")
DRAWN = CHOICES["redeal_bidder"].index("drawn")
NO_AUCTION = CHOICES["auction"].index("none")

FORCE_OFF, FORCE_ROTATE = -1, -2
LANDLORD_WON, PEASANTS_WON = 1, 2


class Setup(NamedTuple):
    """What is the same for every round of a run."""

    seed: np.uint64
    forced: int
    """The landlord's seat, FORCE_OFF for an auction, FORCE_ROTATE for seat (round % players)."""
    rules: Params
    advice: npt.NDArray[np.int64]
    """How each seat bids: seats by ADVICE_FIELDS."""
    doubling: npt.NDArray[np.int64]
    """How each seat doubles: seats by the numbers of a `DoublingAdvice`."""
    ways: npt.NDArray[np.int64]
    """The table that ranks deals of one deck."""
    wide_ways: npt.NDArray[np.int64]
    """The table that ranks deals of two decks, where they are played."""


class Room(NamedTuple):
    """The memory one round is played in, used again for the next."""

    deck: npt.NDArray[np.int64]
    table: Table
    auction: AuctionState
    streams: npt.NDArray[np.uint64]
    """The counter of each seat's random choices: seats by 1."""
    ratings: npt.NDArray[np.int64]
    """Big cards, bombs and fewest plays of each dealt hand: seats by 3."""
    work: Work


def new_room() -> Room:
    """Memory for the rounds of one table."""
    return Room(
        deck=new_deck(),
        table=new_table(),
        auction=np.zeros(AUCTION_FIELDS, np.int64),
        streams=np.zeros((MAX_SEATS, 1), np.uint64),
        ratings=np.zeros((MAX_SEATS, 3), np.int64),
        work=new_work(),
    )


@kernel
def rate_hands(room: Room, rules: Params) -> None:
    """Rate the hands as dealt (R11.1)."""
    for seat in range(rules["players"]):
        hand = room.table.hidden["hands"][seat]
        room.ratings[seat, 0] = big_cards(hand)
        room.ratings[seat, 1] = bombs_held(hand, rules)
        room.ratings[seat, 2] = fewest_plays(hand, rules)


@kernel
def seat_bid(room: Room, seat: int, setup: Setup) -> int:
    """What a seat calls: its advice's bid if that is above the highest so far, else a pass."""
    advice = setup.advice[seat]
    big, bombs, plays = room.ratings[seat, 0], room.ratings[seat, 1], room.ratings[seat, 2]
    measured = measure(room.table.hidden["hands"][seat], big, bombs, plays, advice)
    caller, standing = room.auction[CALLS] % setup.rules["players"], room.auction[HIGH]
    bid = advised(measured, advice, caller, standing)
    wanted = misjudged(bid, advice, room.streams[seat])
    return wanted if wanted > standing else 0


@kernel
def hold_auction(room: Room, first: int, setup: Setup) -> int:
    """Let the seats bid; the landlord's seat, or ALL_PASSED (R3)."""
    open_auction(room.auction, first)
    winner = UNDECIDED
    while winner == UNDECIDED:
        call(room.auction, seat_bid(room, room.auction[TO_SPEAK], setup), setup.rules)
        winner = auction_winner(room.auction, setup.rules)
    return winner


@kernel
def first_seat(drawn: int, number: int, rules: Params) -> int:
    """Who speaks first in a round's first auction (R2.3)."""
    if rules["first_bidder"] == ROTATE:
        return number % rules["players"]
    return 0 if rules["first_bidder"] == SEAT_0 else drawn


@kernel
def find_landlord(room: Room, row: Any, first: int, forced: int, setup: Setup) -> int:
    """Hold auctions, dealing again while all pass, up to the limit (R2.4): the landlord.

    `room.table.hidden["hands"]` holds the first deal. Writes what the log says of the deal and the
    auction.
    """
    rules = setup.rules
    hands = room.table.hidden["hands"]
    key = deal_key(hands, first, rules)
    for seat in range(rules["players"]):
        room.streams[seat, 0] = seat_stream_key(key, seat)
    rate_hands(room, rules)
    room.auction[RECORD] = 1
    redeals = 0
    landlord = first if rules["auction"] == NO_AUCTION and forced == FORCE_OFF else forced
    bid = 1
    if landlord == FORCE_OFF:
        landlord = hold_auction(room, first, setup)
        while landlord == ALL_PASSED and redeals < rules["redeal_limit"]:
            redeals += 1
            drawn = redeal(key, redeals, room.deck, hands, rules)
            first = drawn if rules["redeal_bidder"] == DRAWN else (first + 1) % rules["players"]
            rate_hands(room, rules)
            landlord = hold_auction(room, first, setup)
        bid = room.auction[HIGH]
    row["redeals"] = redeals
    row["first"] = first
    row["auction"] = room.auction[RECORD]
    row["landlord"] = max(landlord, NOBODY)
    row["bid"] = bid
    row["kitty"] = hands[rules["players"]]
    for seat in range(rules["players"]):
        row["hand"][seat] = hands[seat]
        row["big"][seat] = room.ratings[seat, 0]
        row["fours"][seat] = room.ratings[seat, 1]
        row["fewest"][seat] = room.ratings[seat, 2]
    return landlord


@kernel
def allowed(room: Room, cards: Cards, shape: Shape, rules: Params) -> bool:
    """Whether the seat to play may play this: cards it holds, that beat what stands (R6, R7)."""
    public = room.table.public
    over = public["over"]
    if shape == PASS:
        return over != PASS and cards == U(0)
    return contains(room.table.hidden["hands"][public["to_play"]], cards) and (
        over == PASS or beats(shape, over)
    )


@kernel
def play_out(room: Room, bots: BOTS, rules: Params) -> int:
    """Let the bots play until a seat is out; how many answers the rules did not allow (R7)."""
    public = room.table.public
    work = room.work
    faults = 0
    while public["winner"] == NOBODY:
        seat = public["to_play"]
        hand, kitty, unseen = seen_cards(room.table, rules)
        view = View(rules, seat, hand, kitty, unseen, public["over"], public)
        work.stream["word"][0] = room.streams[seat, 0]
        cards, shape = bots[seat](view, work)
        room.streams[seat, 0] = work.stream["word"][0]
        if not allowed(room, cards, shape, rules):
            faults += 1
            cards, shape = U(0), PASS
            if view.over == PASS:
                legal_leads(view.hand, rules, 1, work.plays)
                cards, shape = work.plays["cards"][0], work.plays["shapes"][0]
        play(room.table, cards, shape, rules)
    return faults


@kernel
def settle_round(room: Room, row: Any, rules: Params) -> None:
    """Write what the log says of the play and its settlement (R8)."""
    table = room.table
    public = table.public
    landlord = public["landlord"]
    won = public["winner"] == landlord
    peasant_plays = 0
    for seat in range(rules["players"]):
        row["plays"][seat] = public["plays"][seat]
        if seat != landlord:
            peasant_plays += public["plays"][seat]
    spring = spring_of(won, public["plays"][landlord], peasant_plays)
    multiplier = multiplier_of(public["doublings"], spring, rules)
    stake = stake_of(public["bid"], multiplier, rules)
    row["side"] = LANDLORD_WON if won else PEASANTS_WON
    row["winner"] = public["winner"]
    row["turns"] = public["turns"]
    row["bombs"] = public["bombs"]
    row["rockets"] = public["rockets"]
    row["spring"] = spring == SPRING
    row["anti_spring"] = spring == ANTI_SPRING
    row["multiplier"] = multiplier
    row["stake"] = stake
    for seat in range(rules["players"]):
        row["leg"][seat] = public["legs"][seat]
        row["score"][seat] = score_of(seat, won, stake, public["legs"], rules)


@kernel
def log_plays(room: Room, number: int, rows: Any, at: int, rules: Params) -> int:
    """Write the turns of the round to `rows` from position `at`; the position after them."""
    table, public = room.table, room.table.public
    landlord = public["landlord"]
    for seat in range(rules["players"]):
        public["left"][seat] = size(table.hidden["hands"][seat]) + size(public["played"][seat])
    for turn in range(public["turns"]):
        seat = (landlord + turn) % rules["players"]
        row = rows[at + turn]
        cards, shape = public["cards"][turn], public["shapes"][turn]
        public["left"][seat] -= size(cards)
        row["round"] = number
        row["turn"] = turn
        row["seat"] = seat
        row["cards"] = cards
        row["kind"] = kind_of(shape)
        row["length"] = length_of(shape)
        row["rank"] = rank_of(shape) if shape != PASS else -1
        row["left"] = public["left"][seat]
    return at + int(public["turns"])


@kernel
def play_round(number: int, opener: int, setup: Setup, bots: BOTS, room: Room, row: Any) -> int:
    """Play a round up to its settlement; its landlord, or ALL_PASSED.

    `number` is that of its deal in the seed's sequence, `opener` the one that counts where the
    first bidder moves on (R2.3).
    """
    rules = setup.rules
    hands = room.table.hidden["hands"]
    drawn = round_deal(setup.seed, number, room.deck, hands, rules)
    first = first_seat(drawn, opener, rules)
    if rules["decks"] == 1:
        row["deal"] = deal_rank(hands, setup.ways) * rules["players"] + first
    else:
        row["deal_high"], row["deal"] = wide_index(hands, first, setup.wide_ways)
    forced = number % rules["players"] if setup.forced == FORCE_ROTATE else setup.forced
    landlord = find_landlord(room, row, first, forced, setup)
    if landlord != ALL_PASSED:
        begin(room.table, landlord, row["bid"], room.auction[RECORD], rules)
        if rules["doubling"]:
            hold_doubling(room.table, setup.doubling, rules)
        row["faults"] = play_out(room, bots, rules)
    return landlord


@long_kernel
def play_rounds(
    first: int, start: int, group: int, setup: Setup, bots: BOTS, room: Room, rows: Any, turns: Any
) -> int:
    """Play each `group`-th round from position `start` on, numbered from `first`; fill its row.

    The rounds of a group have one deal, and other seats or another landlord, so another setup or
    other bots here. `turns` gets one row for each turn when it has room for the longest rounds,
    nothing when it is empty; gives how many of them were filled.
    """
    rules = setup.rules
    filled = 0
    for at in range(start, len(rows), group):
        number = first + at
        deal = number // group
        row = rows[at]
        landlord = play_round(deal, deal, setup, bots, room, row)
        row["round"] = number
        if landlord == ALL_PASSED:
            row["winner"] = NOBODY
            continue
        settle_round(room, row, rules)
        if len(turns):
            filled = log_plays(room, number, turns, filled, rules)
    return filled
