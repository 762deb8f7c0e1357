"""Splitting a hand into plays: the split that is worth most, by a table of what plays are worth.

The split recurses over chains in a canonical order (straights, then pair chains, then airplanes; a
chain never starts below the last one of its kind), so each set of chains is tried once. What is
left then has no chains, and is worth the sum over its ranks; its trios, and the airplanes, take the
cheapest kickers there are. A kicker saves the play it would have cost. A split is for weighing
hands, not for playing them: kickers are hung greedily, and of the clauses on kickers those that are
rarely felt are not looked at (R5.2: as many as the body needs, all singles or all pairs; R5.3,
R5.6). In about 3 hands of 100 the worth is not that of the best legal split. Hands of two decks
have a search of their own, which leaves out the chains that promise little.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.core.hands import (
    CHAIN_RANKS,
    EACH_RANK,
    JOKERS,
    NONE,
    Cards,
    Mask,
    at_least,
    at_least_1,
    at_least_2,
    at_least_3,
    at_least_4,
    lowest,
    rank_mask,
    rank_sum,
    ranks_in,
    run,
    run_starts,
    size,
    whole,
    without_lowest,
)
from ddzsim.core.jit import (
    CARDS,
    NUMBER,
    U,
    inlined_kernel,
    kernel,
    kernel_of,
    record_type,
    variable,
)

RANK_COUNT = 15
STRAIGHTS, PAIR_CHAINS, AIRPLANES = 1, 2, 3

WORTHS = np.dtype(
    [
        ("slope", np.int64),
        ("single", np.int64),
        ("pair", np.int64),
        ("trio", np.int64, (RANK_COUNT,)),
        ("straight", np.int64, (RANK_COUNT,)),
        ("pair_chain", np.int64, (RANK_COUNT,)),
        ("airplane", np.int64, (RANK_COUNT,)),
        ("bomb", np.int64, (RANK_COUNT,)),
        ("four_with_two", np.int64, (RANK_COUNT,)),
        ("rocket", np.int64),
        ("chain_rank", np.int64),
        ("kicker_top", np.int64),
        ("decks", np.int64),
        ("bomb_card", np.int64),
        ("tag", np.uint64),
    ]
)
"""What plays are worth, the turn that each costs taken off. A single or pair of 3s is worth
`single` or `pair`, and each rank more `slope`; the others have their worth by the highest rank of
the body. Kickers add nothing. `chain_rank` is added for each rank of a chain; cards above
`kicker_top` are no kickers; `tag` tells remembered worths of one table from those of another.
`decks` is 2 for hands of two decks, where `bomb_card` is added for each card of a bomb above four.
"""

Worths = np.void

WorthsTable: TypeAlias = npt.NDArray[np.void]
"""An array of `Worths`: what a module keeps, one for each number of decks.

A global record would be written to the stack byte by byte at each call of the kernel that names it,
which took a tenth of a round; an array is compiled in as constant data."""

POINTS_A_PLAY = 7
SCALE = 1024
"""The decomposition score counts plays in the low digits: SCALE times the value, less the plays."""


def _decomposition_worths(decks: int) -> WorthsTable:
    """The table of the decomposition score that public bots bid by, doubled to have no halves.

    With rank numbers 3 to 10, J 11, Q 12, K 13, A 14, 2 15, X 16, D 17: single, pair, trio rank -
    10; straight and pair chain top - 9; airplane (top - 2) / 2; four with two (rank - 3) / 2; bomb
    rank + 4; rocket 20; less 7 for each play.
    """
    table = np.zeros(1, WORTHS)
    worths = table[0]
    number = np.arange(3, 3 + RANK_COUNT)
    for kind, doubled in (
        ("trio", 2 * (number - 10)),
        ("straight", 2 * (number - 9)),
        ("pair_chain", 2 * (number - 9)),
        ("airplane", number - 2),
        ("bomb", 2 * (number + 4)),
        ("four_with_two", number - 3),
    ):
        worths[kind][:] = SCALE * (doubled - 2 * POINTS_A_PLAY) - 1
    worths["slope"] = SCALE * 2
    worths["single"] = worths["pair"] = SCALE * 2 * (3 - 10 - POINTS_A_PLAY) - 1
    worths["rocket"] = SCALE * 2 * (20 - POINTS_A_PLAY) - 1
    worths["kicker_top"] = RANK_COUNT - 1
    worths["decks"] = decks
    return table


DECOMPOSITION = np.concatenate([_decomposition_worths(decks) for decks in (1, 2)])
"""The table for one deck, and for two."""

HASH = U(0x9E3779B97F4A7C15)

MEMO_BITS = 11
MEMO = np.dtype([("keys", np.uint64, (1 << MEMO_BITS,)), ("values", np.int64, (1 << MEMO_BITS,))])
"""Room for worths that are remembered, each at a place that its hand and table are hashed to.

Only hands of the same round come again, some 40 of them. With 2^16 places, 1 MB, nearly every look
was a miss of the processor's cache, and a round took 1.16 times as long.
"""


@kernel
def _shortest(copies: int) -> int:
    """The fewest ranks in a chain of singles, pairs or trios (R4.1)."""
    if copies == STRAIGHTS:
        return 5
    return 3 if copies == PAIR_CHAINS else 2


@kernel
def chain_worth(copies: int, top: int, length: int, worths: Worths) -> int:
    """What a chain of singles, pairs or trios up to a rank is worth."""
    if copies == STRAIGHTS:
        worth = worths["straight"][top]
    elif copies == PAIR_CHAINS:
        worth = worths["pair_chain"][top]
    else:
        worth = worths["airplane"][top]
    return worth + length * worths["chain_rank"]


@kernel
def single_worth(rank: int, worths: Worths) -> int:
    """What a single is worth."""
    return worths["single"] + worths["slope"] * rank


@kernel
def pair_worth(rank: int, worths: Worths) -> int:
    """What a pair is worth."""
    return worths["pair"] + worths["slope"] * rank


@kernel
def _hang(singles: Mask, pairs: Mask, slots: int, worths: Worths) -> tuple[int, Mask, Mask]:
    """Hang the cheapest kickers on `slots` trios: what is saved, and the kickers left."""
    saved = 0
    while slots > 0 and (singles or pairs):
        single = single_worth(lowest(singles), worths) if singles else 0
        pair = pair_worth(lowest(pairs), worths) if pairs else 0
        if min(single, pair) >= 0:
            break
        if single <= pair:
            singles = without_lowest(singles)
            saved -= single
        else:
            pairs = without_lowest(pairs)
            saved -= pair
        slots -= 1
    return saved, singles, pairs


@kernel
def _fours(fours: Mask, singles: Mask, pairs: Mask, worths: Worths) -> int:
    """What fours are worth: each as a bomb, or with the two cheapest kickers that are left."""
    total = 0
    while fours:
        rank = lowest(fours)
        fours = without_lowest(fours)
        bomb, carrier = worths["bomb"][rank], worths["four_with_two"][rank]
        more_singles, more_pairs = without_lowest(singles), without_lowest(pairs)
        by_singles, by_pairs = bomb, bomb
        if more_singles:
            carried = single_worth(lowest(singles), worths) + single_worth(
                lowest(more_singles), worths
            )
            by_singles = carrier - carried
        if more_pairs:
            carried = pair_worth(lowest(pairs), worths) + pair_worth(lowest(more_pairs), worths)
            by_pairs = carrier - carried
        if bomb >= max(by_singles, by_pairs):
            total += bomb
        elif by_singles >= by_pairs:
            total += by_singles
            singles = without_lowest(more_singles)
        else:
            total += by_pairs
            pairs = without_lowest(more_pairs)
    return total


@inlined_kernel
def _chainless(one: Mask, two: Mask, three: Mask, four: Mask, slots: int, worths: Worths) -> int:
    """The worth of cards that go into no chain; airplanes have `slots` places for kickers.

    The masks are those of the ranks held at least once, twice, three and four times.
    """
    singles, pairs, trios = one & ~two, two & ~three, three & ~four
    worth = 0
    if singles & JOKERS == JOKERS:
        worth += worths["rocket"]
        singles &= ~JOKERS
    worth += worths["single"] * ranks_in(singles) + worths["pair"] * ranks_in(pairs)
    worth += worths["slope"] * rank_sum(singles | pairs)
    while trios:
        worth += worths["trio"][lowest(trios)]
        trios = without_lowest(trios)
        slots += 1
    if slots == 0 and not four:
        return worth
    kickers = (U(1) << U(4 * worths["kicker_top"] + 1)) - U(1)
    singles &= kickers
    pairs &= kickers
    if slots:
        saved, singles, pairs = _hang(singles, pairs, slots, worths)
        worth += saved
    return worth + _fours(four, singles, pairs, worths) if four else worth


@kernel
def _starts(ranks: Mask, copies: int) -> Mask:
    """The lowest ranks of the shortest chains of singles, pairs or trios (R4.1)."""
    twice = ranks & ranks >> U(4)
    if copies == STRAIGHTS:
        return twice & twice >> U(8) & ranks >> U(16)
    return twice & ranks >> U(8) if copies == PAIR_CHAINS else twice


@kernel
def _starts_from(
    singles: Mask, pairs: Mask, trios: Mask, kind: int, start: int
) -> tuple[Mask, Mask, Mask]:
    """Where straights, pair chains and airplanes may start: of `kind` from `start` on, or later."""
    above = EACH_RANK << U(4 * start)
    straights, pair_chains, airplanes = NONE, NONE, _starts(trios, AIRPLANES)
    if kind == STRAIGHTS:
        straights = _starts(singles, STRAIGHTS) & above
    if kind <= PAIR_CHAINS:
        pair_chains = _starts(pairs, PAIR_CHAINS)
    if kind == PAIR_CHAINS:
        pair_chains &= above
    if kind == AIRPLANES:
        airplanes &= above
    return straights, pair_chains, airplanes


@kernel_of(NUMBER(CARDS, NUMBER, NUMBER, NUMBER, record_type(WORTHS)))
def _split(hand: Cards, kind: int, start: int, slots: int, worths: Worths) -> int:
    """The best worth of a hand whose chains are of `kind` from `start` on, or of a later kind.

    A round comes here some 240 times. A loop for each kind, with `_chainless` inlined, is a fifth
    faster than one loop over the kinds, and a round 1.05 times as fast.
    """
    one, two, three, four = at_least_1(hand), at_least_2(hand), at_least_3(hand), at_least_4(hand)
    best = _chainless(one, two, three, four, slots, worths)
    singles, pairs, trios = one & CHAIN_RANKS, two & CHAIN_RANKS, three & CHAIN_RANKS
    straights, pair_chains, airplanes = _starts_from(singles, pairs, trios, kind, start)
    while straights:
        low = lowest(straights)
        straights = without_lowest(straights)
        length = _shortest(STRAIGHTS)
        chain = run(low, length)
        while chain & ~singles == NONE:
            worth = _split(hand - chain, variable(STRAIGHTS), low, slots, worths)
            best = max(best, worth + chain_worth(STRAIGHTS, low + length - 1, length, worths))
            chain |= rank_mask(low + length)
            length += 1
    while pair_chains:
        low = lowest(pair_chains)
        pair_chains = without_lowest(pair_chains)
        length = _shortest(PAIR_CHAINS)
        chain = run(low, length)
        while chain & ~pairs == NONE:
            worth = _split(hand - chain * U(2), variable(PAIR_CHAINS), low, slots, worths)
            best = max(best, worth + chain_worth(PAIR_CHAINS, low + length - 1, length, worths))
            chain |= rank_mask(low + length)
            length += 1
    while airplanes:
        low = lowest(airplanes)
        airplanes = without_lowest(airplanes)
        length = _shortest(AIRPLANES)
        chain = run(low, length)
        while chain & ~trios == NONE:
            worth = _split(hand - chain * U(3), variable(AIRPLANES), low, slots + length, worths)
            best = max(best, worth + chain_worth(AIRPLANES, low + length - 1, length, worths))
            chain |= rank_mask(low + length)
            length += 1
    return best


@kernel
def _chainless_of_two_decks(hand: Cards, slots: int, worths: Worths) -> int:
    """The worth of cards of two decks that go into no chain: kickers are pairs (R5.7)."""
    one, two, three, four = at_least_1(hand), at_least_2(hand), at_least_3(hand), at_least_4(hand)
    singles, pairs, trios = one & ~two, two & ~three, three & ~four
    worth = 0
    if pairs & JOKERS == JOKERS:
        worth += worths["rocket"]
        pairs &= ~JOKERS
    worth += worths["single"] * ranks_in(singles) + worths["pair"] * ranks_in(pairs)
    worth += worths["slope"] * (rank_sum(singles) + rank_sum(pairs))
    slots += ranks_in(trios)
    while trios:
        worth += worths["trio"][lowest(trios)]
        trios = without_lowest(trios)
    if slots:
        pairs &= (U(1) << U(4 * worths["kicker_top"] + 1)) - U(1)
        worth += _hang(NONE, pairs, slots, worths)[0]
    worth += worths["bomb_card"] * (size(hand & whole(four)) - 4 * ranks_in(four))
    while four:
        worth += worths["bomb"][lowest(four)]
        four = without_lowest(four)
    return worth


@kernel
def _held_exactly(hand: Cards, copies: int) -> Mask:
    """The ranks of which a hand holds exactly 1, 2 or 3 cards."""
    more = at_least_4(hand) if copies == AIRPLANES else at_least(hand, copies + 1)
    return at_least(hand, copies) & ~more


@kernel_of(NUMBER(CARDS, NUMBER, NUMBER, NUMBER, record_type(WORTHS)))
def _split_of_two_decks(hand: Cards, kind: int, start: int, slots: int, worths: Worths) -> int:
    """About the best worth of a hand of two decks, by `_split` with the chains that are promising.

    A chain uses up two ranks at least; it neither begins above nor ends below a rank that it could
    use up as well; and no straight breaks up four of a rank. That takes a twentieth of the time on
    33 cards, and costs a seventh of a play there by the weights of `normal`, less by others.
    """
    best = _chainless_of_two_decks(hand, slots, worths)
    fours = at_least_4(hand)
    for copies in range(kind, AIRPLANES + 1):
        ranks = at_least(hand, copies) & CHAIN_RANKS
        if copies == STRAIGHTS:
            ranks &= ~fours | at_least_4(hand - fours)
        if copies == kind:
            ranks &= EACH_RANK << U(4 * start)
        used_up = _held_exactly(hand, copies) & ranks
        if ranks_in(used_up) < 2:
            continue
        shortest = _shortest(copies)
        starts = run_starts(ranks, shortest) & ~(used_up << U(4))
        while starts:
            low = lowest(starts)
            starts = without_lowest(starts)
            gap = lowest(~ranks & EACH_RANK & ~(rank_mask(low) - U(1)))
            for end in range(low + shortest, gap + 1):
                length = end - low
                body = run(low, length)
                if used_up & rank_mask(end) or ranks_in(body & used_up) < 2:
                    continue
                more = length if copies == AIRPLANES else 0
                rest = hand - body * U(copies)
                worth = _split_of_two_decks(rest, copies, low, slots + more, worths)
                best = max(best, worth + chain_worth(copies, end - 1, length, worths))
    return best


@kernel
def best_split(hand: Cards, worths: Worths) -> int:
    """What a hand is worth in its best split into plays; nearly that with two decks."""
    if worths["decks"] == 2:
        return _split_of_two_decks(hand, STRAIGHTS, 0, 0, worths)
    return _split(hand, STRAIGHTS, 0, 0, worths)


@kernel
def score(hand: Cards, decks: int = 1) -> int:
    """Twice the decomposition score of a hand, by which public bots bid.

    The split is the one whose plays are worth most less 7 each; the score is what its plays are
    worth. (With the 7 taken off once more, hardly a hand would reach the 10 that its users bid 1
    on.)
    """
    total = best_split(hand, DECOMPOSITION[decks - 1])
    plays = -total % SCALE
    return (total + plays) // SCALE + 2 * POINTS_A_PLAY * plays


@kernel
def remembered_split(hand: Cards, worths: Worths, memo: np.void) -> int:
    """`best_split` of a hand, remembered: a round asks for the same hands again and again."""
    key = hand | worths["tag"] << U(60)
    at = (key * HASH) >> U(64 - MEMO_BITS)
    if memo["keys"][at] != key:
        memo["values"][at] = best_split(hand, worths)
        memo["keys"][at] = key
    return memo["values"][at]
