"""Why cards are no combination: the clauses they fail (R4, R5), in words.

Where a rule set forbids what another allows, the reason comes from the kernel that decides: the
cards are read again under the same rules without that clause. What no rule set allows is told from
the kind that the cards come nearest to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from ddzsim.cards import RANK_ACE, RANK_SMALL_JOKER, RANKS, Hand
from ddzsim.core import combos as core
from ddzsim.rules import BOUNDS, Params, RuleSet

CHAINS = {1: "a straight", 2: "a pair chain", 3: "an airplane"}
"""What cards that are held once, twice or three times in a row are."""
PARTS = {1: "single cards", 2: "pairs", 3: "trios"}


def why_none(cards: Hand, rules: RuleSet, body: Hand | None = None) -> str:
    """Why cards have no reading (R4, R5); only for cards that have none.

    `body` is what a player named as the body; if not given, the likeliest one.

    >>> from ddzsim.rules import CLASSIC, KAWU
    >>> why_none(Hand.parse("TJQK2"), CLASSIC)
    'a 2 cannot stand in a straight (R4.1)'
    >>> why_none(Hand.parse("33344455"), KAWU)
    'single kickers of an airplane must be of different ranks (R5.3)'
    """
    if not cards:
        return "there are no cards (R4.3)"
    return " and ".join(_barred(cards, rules)) or _misshapen(cards, rules, body)


def _barred(cards: Hand, rules: RuleSet) -> list[str]:
    """The clauses of this rule set without which the cards had a reading; none if still not."""
    needed = list(_clauses(rules))
    if not _reads(cards, _without(rules, tuple(needed))):
        return []
    for clause in list(needed):
        fewer = [other for other in needed if other != clause]
        if _reads(cards, _without(rules, tuple(fewer))):
            needed = fewer
    return [clause.text for clause in needed]


@dataclass(frozen=True, slots=True)
class _Clause:
    """A field that forbids some cards, the value that forbids nothing, and the clause in words."""

    field: str
    free: int | bool
    text: str


@cache
def _clauses(rules: RuleSet) -> tuple[_Clause, ...]:
    """The clauses by which this rule set may refuse cards that others allow."""
    equal = rules.airplane_equal_kickers
    few = (
        "single kickers of an airplane must be of different ranks (R5.3)"
        if equal == 1
        else f"an airplane carries at most {equal} single kickers of a rank (R5.8)"
    )
    clauses = (
        _Clause("both_jokers_kickers", True, "a combination never carries both jokers (R5.6)"),
        _Clause("airplane_equal_kickers", BOUNDS["airplane_equal_kickers"][1], few),
        _Clause("four_equal_kickers", 2, "single kickers of a four must differ (R5.3)"),
        _Clause("adjacent_trio_kickers", True, "no kickers are a trio next to the chain (R5.8)"),
        _Clause("single_kickers", True, "there are no single kickers (R5.7)"),
        _Clause("four_with_two", True, "there is no four with two (R5.7, R5.8)"),
        _Clause("joker_pairs", True, "two jokers are no pair (R6.3)"),
        *(
            _Clause(f"{kind}_min", BOUNDS[f"{kind}_min"][0], _too_short(name, least))
            for kind, name, least in (
                ("straight", CHAINS[1], rules.straight_min),
                ("pair_chain", CHAINS[2], rules.pair_chain_min),
                ("airplane", CHAINS[3], rules.airplane_min),
            )
        ),
    )
    return tuple(clause for clause in clauses if getattr(rules, clause.field) != clause.free)


def _too_short(name: str, least: int) -> str:
    return f"{name} needs {least} ranks or more (R4.1)"


@cache
def _without(rules: RuleSet, clauses: tuple[_Clause, ...]) -> Params:
    """The rules without some of their clauses, for the kernel that reads cards.

    As a record, since as a `RuleSet` they might not be consistent.
    """
    params = rules.params
    for clause in clauses:
        params[clause.field] = int(clause.free)
    return params


def _reads(cards: Hand, params: Params) -> bool:
    """Whether cards are a combination."""
    out = np.zeros(core.MAX_READINGS, np.int64)
    return bool(core.readings(np.uint64(cards.packed), params, out))


def _misshapen(cards: Hand, rules: RuleSet, body: Hand | None) -> str:
    """Why cards are none of the fourteen kinds, whatever the house rules."""
    held = _ranks_held(cards)
    if min(held) >= RANK_SMALL_JOKER:
        return "the rocket is all jokers, a pair two equal ones (R6.3)"
    named = _body_of(_ranks_held(body)) if body else None
    times = set(held.values())
    if named is None and len(times) == 1:
        each = next(iter(times))
        if each in CHAINS:
            return _broken_chain(held, each, rules)
        if each == 4 and _follow(held):
            return "fours in a row are no combination (R4.3)"
    if max(held.values()) > 4:
        return "a bomb carries no other cards (R4.3)"
    trios = [rank for rank in held if held[rank] == 3]
    if named is None and len(trios) > 1 and 4 not in held.values() and not _runs(trios):
        return _broken_chain(trios, 3, rules)
    carrier = named or _likeliest_body(held)
    if carrier is None:
        if times == {1, 2} and _no_pairs(held, rules):
            return _no_pairs(held, rules)
        return "only a trio, an airplane or a four carries other cards (R4.3)"
    riders = {rank: count - carrier.copies * (rank in carrier) for rank, count in held.items()}
    return _misfit(carrier, {rank: n for rank, n in riders.items() if n}, rules)


def _ranks_held(cards: Hand) -> dict[int, int]:
    """How many cards of each rank there are, ranks that are not there left out."""
    return {rank: count for rank, count in enumerate(cards.counts) if count}


def _follow(ranks: Iterable[int]) -> bool:
    """Whether ranks follow one another within 3 to A."""
    ordered = sorted(ranks)
    return ordered[-1] <= RANK_ACE and ordered[-1] - ordered[0] == len(ordered) - 1


def _runs(ranks: Iterable[int]) -> list[range]:
    """The longest stretches of two or more ranks in a row within 3 to A, from low to high."""
    left = {rank for rank in ranks if rank <= RANK_ACE}
    found = []
    for low in sorted(left):
        if low - 1 not in left:
            top = low
            while top + 1 in left:
                top += 1
            if top > low:
                found.append(range(low, top + 1))
    return found


def _broken_chain(ranks: Iterable[int], each: int, rules: RuleSet) -> str:
    """Why ranks that are each held as often are no straight, pair chain or airplane (R4.1)."""
    ordered = sorted(ranks)
    least = {1: rules.straight_min, 2: rules.pair_chain_min, 3: rules.airplane_min}[each]
    if len(ordered) < least:
        only = f"{CHAINS[each]}, {least} ranks or more in a row"
        return f"{PARTS[each]} of different ranks are only {only} (R4.1)"
    if ordered[-1] > RANK_ACE:
        outside = "2" if ordered[-1] < RANK_SMALL_JOKER else "joker"
        return f"a {outside} cannot stand in {CHAINS[each]} (R4.1)"
    gaps = [RANKS[rank] for rank in range(ordered[0], ordered[-1]) if rank not in ordered]
    lack = f"{', '.join(gaps)} {'is' if len(gaps) == 1 else 'are'} missing"
    return f"the ranks of {CHAINS[each]} follow one another, {lack} (R4.1)"


@dataclass(frozen=True, slots=True)
class _Body:
    """Trios in a row, or a four, that kickers are to ride on."""

    ranks: range
    copies: int

    def __contains__(self, rank: int) -> bool:
        return rank in self.ranks

    @property
    def name(self) -> str:
        """What it is called."""
        if self.copies == 4:
            return "a four"
        return "a trio" if len(self.ranks) == 1 else f"an airplane of {len(self.ranks)}"

    @property
    def riders(self) -> int:
        """How many singles or pairs it carries."""
        return 2 if self.copies == 4 else len(self.ranks)

    @property
    def clause(self) -> str:
        """The clause that says how many."""
        return "R5.2" if len(self.ranks) > 1 else "R4.3"


def _body_of(held: dict[int, int]) -> _Body | None:
    """Cards as the body of a trio, an airplane or a four; None if they are none."""
    ranks, times = sorted(held), set(held.values())
    if times == {4} and len(ranks) == 1:
        return _Body(range(ranks[0], ranks[0] + 1), 4)
    if times == {3} and (len(ranks) == 1 or _follow(ranks)):
        return _Body(range(ranks[0], ranks[-1] + 1), 3)
    return None


def _likeliest_body(held: dict[int, int]) -> _Body | None:
    """The body that cards seem to be meant with: the longest airplane, a four, or a trio."""
    runs = _runs(rank for rank, count in held.items() if count >= 3)
    if runs:
        return _Body(max(runs, key=lambda run: (len(run), run[0])), 3)
    for copies in (4, 3):
        ranks = [rank for rank, count in held.items() if count >= copies]
        if ranks:
            return _Body(range(ranks[-1], ranks[-1] + 1), copies)
    return None


def _misfit(body: _Body, riders: dict[int, int], rules: RuleSet) -> str:
    """Why kickers do not fit the body that is to carry them (R5)."""
    if body.copies == 4 and not rules.four_with_two:
        return "there is no four with two (R5.7, R5.8)"
    for rank in riders:
        if rank in body:
            return f"a kicker never has a rank of its body, and {RANKS[rank]} is one (R5.1)"
    count = sum(riders.values())
    if count == 2 * body.riders:
        reason = _no_pairs(riders, rules)
        if reason:
            return reason
    cards = Hand.from_counts([riders.get(rank, 0) for rank in range(len(RANKS))])
    wanted = " or ".join(_wanted(body.riders, rules))
    if rules.single_kickers and body.riders > 1:
        wanted += ", never mixed"
    if count < (body.riders if rules.single_kickers else 2 * body.riders):
        wrong = "too few"
    elif count > 2 * body.riders:
        wrong = "too many"
    else:
        wrong = "neither" if rules.single_kickers else "not that"
    return f"{body.name} carries {wanted}: {cards} is {wrong} ({body.clause})"


def _no_pairs(riders: dict[int, int], rules: RuleSet) -> str:
    """Why kickers that are as many as pairs would be are none, where there is more to say."""
    jokers = {rank: count for rank, count in riders.items() if rank >= RANK_SMALL_JOKER}
    others = {count for rank, count in riders.items() if rank not in jokers}
    if set(jokers.values()) == {1} and len(jokers) == 2 and others <= {2}:
        return f"the two jokers are no pair ({'R4.2' if rules.decks == 1 else 'R6.3'})"
    if 4 in riders.values() and others <= {2, 4}:
        return "four of a rank is not two pairs (R5.5)"
    return ""


def _wanted(riders: int, rules: RuleSet) -> Iterator[str]:
    """What a body may carry, in words."""
    if rules.single_kickers:
        yield "one single card" if riders == 1 else f"{riders} single cards"
    yield "one pair" if riders == 1 else f"{riders} pairs"
