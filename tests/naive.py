"""The rules a second time, slowly: each function is read off the clauses, for tests to compare.

Nothing here is fast and nothing is shared with the kernels but the fields of `RuleSet`. A hand is
a tuple of 15 counts, from 3 up to the big joker; a reading names its kind as in R4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from ddzsim.rules import RuleSet

ORDER = "3456789TJQKA2XD"
"""R1.1: from low to high."""

CHAINABLE = "3456789TJQKA"
"""R4.1: no 2 and no joker stands in a chain."""

Counts = tuple[int, ...]


class Reading(NamedTuple):
    """What cards may be played as (R4): kind, ranks in the body (bomb and rocket 1), top rank."""

    kind: str
    length: int
    rank: str


class Outcome(NamedTuple):
    """Where an auction stands (R3)."""

    over: bool
    landlord: int | None = None
    bid: int = 0
    to_speak: int | None = None
    may_bid: tuple[int, ...] = ()


class Stage(NamedTuple):
    """Where the doubling stage stands (R3.5)."""

    legs: tuple[int, ...]
    to_answer: int | None
    """None when it is over."""


class Worth(NamedTuple):
    """What a round is worth (R8)."""

    stake: int
    landlord: int
    peasants: tuple[int, ...]


def counts_of(cards: Iterable[str]) -> Counts:
    """The counts of plain rank names, such as the text `33344XD`."""
    text = "".join(cards)
    assert set(text) <= set(ORDER), text
    return tuple(text.count(rank) for rank in ORDER)


def text_of(hand: Counts) -> str:
    """The text of counts, low to high."""
    return "".join(rank * count for rank, count in zip(ORDER, hand, strict=True))


# R4 and R5: what cards read as


@lru_cache(maxsize=1 << 16)
def readings(hand: Counts, rules: RuleSet) -> frozenset[Reading]:
    """Every reading of exactly these cards: each run of ranks as a body, the rest its kickers.

    A bomb's length is its cards less three: 1 with one deck (R6.3).
    """
    found = set()
    if text_of(hand) == "X" * rules.decks + "D" * rules.decks:
        found.add(Reading("rocket", 1, "D"))  # R4.2, R6.3
    for copies, body in bodies(hand):
        kickers = {}
        for rank, count in zip(ORDER, hand, strict=True):
            left = count - copies if rank in body else count
            if left:
                kickers[rank] = left
        kind = kind_of(copies, body, kickers, rules)
        if kind:
            length = copies - 3 if kind == "bomb" else len(body)
            found.add(Reading(kind, length, body[-1]))
    return frozenset(found)


def bodies(hand: Counts) -> Iterator[tuple[int, str]]:
    """Every run of ranks that a hand holds once, twice and so on, as (times, ranks)."""
    for low in range(len(ORDER)):
        for top in range(low, len(ORDER)):
            times = min(hand[low : top + 1])
            if times == 0:
                break
            for copies in range(1, times + 1):
                yield copies, ORDER[low : top + 1]


def kind_of(copies: int, body: str, kickers: dict[str, int], rules: RuleSet) -> str:
    """The kind of a body with these kickers by rank, or nothing."""
    chain = len(body) > 1
    if chain and not set(body) <= set(CHAINABLE):
        return ""  # R4.1
    if copies == 2 and body in ("X", "D") and not rules.joker_pairs:
        return ""  # R6.3, R1.1: a joker comes once in a deck
    if not kickers:
        names = {
            1: ("single", "straight", rules.straight_min),
            2: ("pair", "pair_chain", rules.pair_chain_min),
            3: ("trio", "airplane", rules.airplane_min),
        }
        # R4.3: no chain of fours; R6.3: four to eight of a rank
        alone, chained, shortest = names.get(copies, ("bomb", "", 0))
        return (chained if len(body) >= shortest else "") if chain else alone
    if set(body) & set(kickers):
        return ""  # R5.1
    riders = sum(kickers.values())
    if copies == 3 and (not chain or len(body) >= rules.airplane_min):
        stem = "airplane" if chain else "trio"
        ending = "s" if chain else ""
        if riders == len(body) and singles_ride(body, kickers, rules.airplane_equal_kickers, rules):
            return f"{stem}_single{ending}" if rules.single_kickers else ""  # R5.2, R5.7
        if riders == 2 * len(body) and pairs_ride(kickers, rules):
            return f"{stem}_pair{ending}"  # R5.2
    if copies == 4 and not chain and rules.four_with_two:
        if riders == 2 and singles_ride(body, kickers, rules.four_equal_kickers, rules):
            return "four_singles"
        if riders == 4 and pairs_ride(kickers, rules):
            return "four_pairs"
    return ""


def singles_ride(body: str, kickers: dict[str, int], equal: int, rules: RuleSet) -> bool:
    """Whether these cards may ride as singles (R5.3, R5.6, R5.8)."""
    if max(kickers.values()) > equal:
        return False
    if "X" in kickers and "D" in kickers and not rules.both_jokers_kickers:
        return False
    if len(body) > 1 and not rules.adjacent_trio_kickers:
        longer = {rank + body for rank in ORDER} | {body + rank for rank in ORDER}
        next_to = {run.replace(body, "") for run in longer if run in CHAINABLE}
        return all(kickers.get(rank, 0) < 3 for rank in next_to)
    return True


def pairs_ride(kickers: dict[str, int], rules: RuleSet) -> bool:
    """Whether these cards are pairs, all of different ranks (R5.5)."""
    jokers = {"X", "D"} & set(kickers)
    if len(jokers) == 2 and not rules.both_jokers_kickers:
        return False  # R5.6
    return set(kickers.values()) == {2} and (not jokers or rules.joker_pairs)


# R6: what beats what


def beats(play: Reading, over: Reading) -> bool:
    """Whether a reading may be played over another (R6.1): by might first, then like over like."""
    if might(play) != might(over):
        return might(play) > might(over)
    like = play.kind == over.kind and play.length == over.length
    return like and ORDER.index(play.rank) > ORDER.index(over.rank)


def might(reading: Reading) -> tuple[int, int, int]:
    """The rocket above every bomb, bombs by cards and rank (R6.3), all else below them."""
    if reading.kind == "rocket":
        return (2, 0, 0)
    return (1, reading.length, ORDER.index(reading.rank)) if reading.kind == "bomb" else (0, 0, 0)


def subsets(hand: Counts) -> Iterator[Counts]:
    """Every set of cards that a hand can lay down, the empty one apart."""
    every = product(*(range(count + 1) for count in hand))
    next(every)
    return every


def legal(hand: Counts, rules: RuleSet, over: Reading | None = None) -> set[tuple[str, Reading]]:
    """Every play of a hand, as cards and reading (R6.2).

    A leader has each reading of each set of cards, a follower the highest of those that beat it.
    """
    plays = set()
    for cards in subsets(hand):
        found = readings(cards, rules)
        if over is None:
            plays |= {(text_of(cards), reading) for reading in found}
            continue
        beating = [reading for reading in found if beats(reading, over)]
        if beating:
            highest = max(beating, key=lambda reading: ORDER.index(reading.rank))
            plays.add((text_of(cards), highest))
    return plays


# R7: play


_plays = cache(legal)


def sequences(
    hands: tuple[Counts, ...],
    rules: RuleSet,
    turns: int,
    to_play: int = 0,
    over: Reading | None = None,
    passes: int = 0,
) -> int:
    """In how many ways the next `turns` turns can go, passes included (R7).

    A round that ends sooner goes no further, and does not count.
    """
    if turns == 0:
        return 1
    if not all(any(hand) for hand in hands):
        return 0  # R7.3
    seat_after = (to_play + 1) % len(hands)
    ways = 0
    for cards, reading in _plays(hands[to_play], rules, over):
        left = list(hands)
        left[to_play] = tuple(
            held - laid for held, laid in zip(hands[to_play], counts_of(cards), strict=True)
        )
        ways += sequences(tuple(left), rules, turns - 1, seat_after, reading)
    if over is None:
        return ways  # R7.1: a leader never passes
    if passes + 1 == len(hands) - 1:
        over, passes = None, -1  # R7.2
    return ways + sequences(hands, rules, turns - 1, seat_after, over, passes + 1)


# R11.1: the fewest plays, and what a hand is worth


def fewest_plays(hand: Counts, rules: RuleSet) -> int:
    """The fewest plays that empty a hand.

    In what order they are made does not matter, so the one that holds the lowest card comes first.
    """
    by_lowest: dict[int, list[Counts]] = {}
    for cards in subsets(hand):
        if readings(cards, rules):
            by_lowest.setdefault(lowest(cards), []).append(cards)

    @cache
    def fewest(left: Counts) -> int:
        if not any(left):
            return 0
        rests = (
            tuple(held - laid for held, laid in zip(left, cards, strict=True))
            for cards in by_lowest[lowest(left)]
        )
        return 1 + min(fewest(rest) for rest in rests if min(rest) >= 0)

    return fewest(hand)


def lowest(hand: Counts) -> int:
    """The position of the lowest rank held."""
    return next(position for position, count in enumerate(hand) if count)


def rating(hand: str) -> tuple[int, int]:
    """Big cards, and bombs with the rocket (R11.1), of one deck."""
    big = sum(card in "2XD" for card in hand)
    bombs = sum(hand.count(rank) == 4 for rank in ORDER)
    return big, bombs + ({"X", "D"} <= set(hand))


# R3: the auction


def auction(rules: RuleSet, first: int, calls: Sequence[int]) -> Outcome:
    """Where an auction stands after these calls, 0 for a pass (R2.4, R3)."""
    seats = rules.players
    said = "".join(map(str, calls))
    assert re.fullmatch("0*1?0*2?0*3?", said), f"{said}: each bid is above the last, and 3 ends it"
    high = max(calls, default=0)
    bidder = (first + said.index(str(high))) % seats if high else None
    if said == "0" * seats:
        return Outcome(over=True)
    last = {"once": "." * seats, "rounds": ".*[12]0" + "0" * (seats - 2)}[rules.auction]
    if high == 3 or re.fullmatch(last, said):
        return Outcome(True, bidder, high)
    to_speak = (first + len(calls)) % seats
    return Outcome(False, None, high, to_speak, tuple(bid for bid in (1, 2, 3) if bid > high))


def doubling(rules: RuleSet, landlord: int, said: Sequence[bool]) -> Stage:
    """Where the doubling stage stands after these answers, the peasants' first (R3.5)."""
    seats = range(rules.players)
    peasants = [*seats, *seats][landlord + 1 : landlord + rules.players]
    doubled = {seat for seat, yes in zip(peasants, said, strict=False) if yes}
    redoubled = list(said[len(peasants) :]) == [True]
    legs = dict.fromkeys(peasants, 1) | dict.fromkeys(doubled, 4 if redoubled else 2)
    asked = [*peasants, landlord] if doubled else peasants
    still = asked[len(said) :]
    return Stage(tuple(legs.get(seat, 0) for seat in seats), still[0] if still else None)


# R8: the settlement


def settle(
    rules: RuleSet,
    *,
    bid: int,
    bombs: int,
    rockets: int,
    landlord_won: bool,
    landlord_plays: int,
    peasant_plays: Sequence[int],
    legs: Sequence[int] = (),
) -> Worth:
    """What a round is worth and to whom, doubling by doubling (R3.5, R8.1 to R8.4)."""
    doublings = ["bomb"] * bombs + ["rocket"] * rockets
    if landlord_won and not any(peasant_plays) and rules.spring:
        doublings.append("spring")
    if not landlord_won and landlord_plays == 1 and rules.spring:
        doublings.append("anti-spring")
    stake = bid * rules.base
    for _ in doublings:
        stake += stake
    settled = [sum([stake] * leg) for leg in legs or [1] * len(peasant_plays)]
    peasants = [-points if landlord_won else points for points in settled]
    return Worth(stake, -sum(peasants), tuple(peasants))


# R8.5, R8.6, R9: chips, exits and sessions


def pay_within_chips(
    legs: dict[int, int], landlord: int, landlord_won: bool, chips: dict[int, int]
) -> dict[int, Fraction]:
    """What each seat wins when no seat may win or lose more than it had (R8.5).

    `legs` has what each peasant's leg is worth, in turn order after the landlord.
    """
    own = {seat: Fraction(min(leg, chips[seat])) for seat, leg in legs.items()}
    if sum(own.values()) > chips[landlord]:
        part = Fraction(chips[landlord]) / sum(own.values())
        shares = {seat: Fraction(int(leg * part)) for seat, leg in own.items()}
        for seat in list(shares)[: int(chips[landlord] - sum(shares.values()))]:
            shares[seat] += 1
        own = shares
    sign = -1 if landlord_won else 1
    return {seat: sign * leg for seat, leg in own.items()} | {landlord: -sign * sum(own.values())}


def leave(
    stake: int, leaver: int, players: int, chips: dict[int, Fraction] | None = None
) -> dict[int, Fraction]:
    """What each seat wins when one leaves that pays three stakes (R8.6), in halves of a dollar."""
    pays = Fraction(3 * stake)
    if chips is not None:
        pays = min(pays, chips[leaver])
    in_turn = [(leaver + step) % players for step in range(1, players)]
    coins = int(pays * 2)
    won = {seat: Fraction(0) for seat in in_turn}
    for number in range(coins):
        won[in_turn[number % (players - 1)]] += Fraction(1, 2)
    if chips is not None:
        won = {seat: min(share, chips[seat]) for seat, share in won.items()}
    return won | {leaver: -sum(won.values(), Fraction(0))}
