"""What the levels reason with: who sits where, what may still beat a play, how a hand can be closed out.

Kernels over a `View`; they see what R10.1 allows and nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ddzsim.core.combos import (
    AIRPLANE,
    AIRPLANE_PAIRS,
    AIRPLANE_SINGLES,
    BOMB,
    FOUR_PAIRS,
    FOUR_SINGLES,
    MAX_READINGS,
    PAIR,
    PAIR_CHAIN,
    PASS,
    ROCKET,
    SINGLE,
    STRAIGHT,
    Shape,
    Shapes,
    kind_of,
    length_of,
    rank_of,
    reading_that_beats,
)
from ddzsim.core.hands import (
    CHAIN_RANKS,
    JOKERS,
    NONE,
    Cards,
    at_least,
    at_least_4,
    ranks_above,
    run_starts,
    size,
)
from ddzsim.core.jit import U, kernel, variable
from ddzsim.core.moves import candidates
from ddzsim.core.play import View, Work
from ddzsim.core.plan import WORTHS, Worths, chain_worth, pair_worth, remembered_split, single_worth

ROLES = 3
LANDLORD, BEFORE_LANDLORD, AFTER_LANDLORD = range(ROLES)
"""Where a seat sits: the landlord, the peasant who plays before it, the others."""

STYLE = np.dtype(
    [
        ("slack", np.int64, (ROLES,)),
        ("bomb_gain", np.int64, (ROLES,)),
        ("bomb_urgency", np.int64, (ROLES,)),
        ("lead_rank", np.int64, (ROLES,)),
        ("follow_rank", np.int64, (ROLES,)),
        ("urgency", np.int64, (ROLES,)),
        ("lead_risk", np.int64),
        ("follow_risk", np.int64),
        ("feed", np.int64),
    ]
)
"""How a player weighs a play beyond what it leaves in the hand, by role, in tenths of a rank.

`slack`: what it gives up rather than pass. `bomb_gain`: what it likes (or, below 0, dislikes) about following
with a bomb, and `bomb_urgency` over the cards the nearest opponent has left. `lead_rank`, `follow_rank`: quarters
off for each rank of the play. `urgency`: more slack, over the cards of who would win the trick.
`lead_risk`, `follow_risk`: off for a play that an opponent may go out over. `feed`: off for each card led, over
the cards the teammate has left.
"""

Style = np.void

NO_WORTH = 1_000_000
"""Below any worth, when negated."""

RANK_NUMBERS = np.arange(15)
"""Ranks as the kernels number them, from 0 for a 3."""


def worths_of(
    tag: int,
    *,
    play: int,
    par: int,
    pair: int = 0,
    trio: int = 0,
    chain: int = 0,
    airplane: int = 0,
    chain_rank: int = 0,
    bomb: int,
    rocket: int,
    kicker_top: int = 11,
) -> Worths:
    """The table of what plays are worth to a level, in tenths of a rank.

    A single or pair is worth its rank over `par`, a trio or chain the same but never less than nothing; each
    costs `play`, the turn it takes. The other numbers are added to their kind.
    """
    worths = np.zeros(1, WORTHS)[0]
    above = 10 * RANK_NUMBERS - par
    worths["slope"] = 10
    worths["single"] = -par - play
    worths["pair"] = pair - par - play
    worths["trio"][:] = np.maximum(above + trio, 0) - play
    worths["straight"][:] = np.maximum(above + chain, 0) - play
    worths["pair_chain"][:] = worths["straight"]
    worths["airplane"][:] = np.maximum(above + chain + airplane, 0) - play
    worths["chain_rank"] = chain_rank
    worths["bomb"][:] = bomb - play
    # A four never breaks up to carry two: a bomb is kept.
    worths["four_with_two"][:] = -10_000
    worths["rocket"] = rocket - play
    worths["kicker_top"] = kicker_top
    worths["tag"] = tag
    return worths


def style_of(**numbers: int | tuple[int, int, int]) -> Style:
    """A style from its numbers; one for all roles, or one for each; 0 where not given."""
    style = np.zeros(1, STYLE)[0]
    for name, number in numbers.items():
        style[name] = number
    return style


@kernel
def is_landlord(view: View) -> bool:
    """Whether the seat to play is the landlord."""
    return view.seat == view.public["landlord"]


@kernel
def teammate_stands(view: View) -> bool:
    """Whether the play to beat is a teammate's."""
    if view.over == PASS or is_landlord(view):
        return False
    return view.public["over_seat"] != view.public["landlord"]


@kernel
def fewest_left(view: View) -> int:
    """The cards of the opponent who holds the fewest."""
    if not is_landlord(view):
        return view.public["left"][view.public["landlord"]]
    fewest = size(view.unseen)
    for seat in range(view.rules.players):
        if seat != view.seat:
            fewest = min(fewest, view.public["left"][seat])
    return fewest


@kernel
def most_left(view: View) -> int:
    """The cards of the opponent who holds the most."""
    if not is_landlord(view):
        return view.public["left"][view.public["landlord"]]
    most = 0
    for seat in range(view.rules.players):
        if seat != view.seat:
            most = max(most, view.public["left"][seat])
    return most


@kernel
def role_of(view: View) -> int:
    """Where the seat to play sits."""
    if is_landlord(view):
        return LANDLORD
    following = (view.seat + 1) % view.rules.players
    return BEFORE_LANDLORD if following == view.public["landlord"] else AFTER_LANDLORD


@kernel
def teammates_fewest_left(view: View) -> int:
    """The cards of the teammate who holds the fewest; of all cards for the landlord, who has none."""
    fewest = size(view.unseen)
    if not is_landlord(view):
        for seat in range(view.rules.players):
            if seat != view.seat and seat != view.public["landlord"]:
                fewest = min(fewest, view.public["left"][seat])
    return fewest


@kernel
def copies_of(kind: int) -> int:
    """How many cards of each rank the body of a kind has."""
    if kind == SINGLE or kind == STRAIGHT:
        return 1
    if kind == PAIR or kind == PAIR_CHAIN:
        return 2
    return 4 if kind == FOUR_SINGLES or kind == FOUR_PAIRS or kind == BOMB else 3


@kernel
def may_be_beaten(cards: Cards, shape: Shape, pool: Cards, limit: int) -> bool:
    """Whether somebody who holds `limit` cards out of `pool` may hold a play that beats this one.

    Kickers are taken to be there, so that a play this calls unbeatable is.
    """
    kind = kind_of(shape)
    if kind == ROCKET:
        return False
    if limit >= 2 and pool & JOKERS == JOKERS:
        return True
    higher = ranks_above(rank_of(shape))
    bombs = at_least_4(pool)
    if kind == BOMB:
        return limit >= 4 and bombs & higher != NONE
    if limit >= 4 and bombs:
        return True
    if size(cards) > limit:
        return False
    length = length_of(shape)
    ranks = at_least(pool, copies_of(kind))
    if length == 1:
        return ranks & higher != NONE
    starts = run_starts(ranks & CHAIN_RANKS, length)
    return starts & ranks_above(rank_of(shape) - length + 1) != NONE


@kernel
def is_one_play(hand: Cards, view: View, readings: Shapes) -> bool:
    """Whether a hand goes out in one play."""
    return reading_that_beats(hand, PASS, view.rules, readings) != PASS


@kernel
def closes(hand: Cards, view: View, work: Work, start: int, depth: int, readings: Shapes) -> bool:
    """Whether a hand that leads goes out in at most `depth` unbeatable plays and one more.

    `work.plays` is free from position `start` on. The search goes down one unbeatable play at a time: level `l`
    tries the candidates of the hand `held[l]` from position `at[l]` to `end[l]`.
    """
    if is_one_play(hand, view, readings):
        return True
    if depth == 0:
        return False
    held = np.empty(depth, np.uint64)
    at = np.empty(depth, np.int64)
    end = np.empty(depth, np.int64)
    limit = most_left(view)
    level = 0
    held[0], at[0] = hand, start
    end[0] = candidates(hand, PASS, view.rules, work.plays, start)
    while level >= 0:
        if at[level] == end[level]:
            level -= 1
            continue
        cards, shape = work.plays["cards"][at[level]], work.plays["shapes"][at[level]]
        at[level] += 1
        if may_be_beaten(cards, shape, view.unseen, limit):
            continue
        rest = held[level] - cards
        if is_one_play(rest, view, readings):
            return True
        if level + 1 < depth:
            level += 1
            held[level], at[level] = rest, end[level - 1]
            end[level] = candidates(rest, PASS, view.rules, work.plays, end[level - 1])
    return False


@kernel
def highest_single(view: View, count: int, work: Work) -> int:
    """The position of the highest single among `count` plays, or -1."""
    best = -1
    for at in range(count):
        if kind_of(work.plays["shapes"][at]) == SINGLE:
            best = at
    return best


@kernel
def going_out(view: View, count: int, work: Work) -> int:
    """The position of a play that empties the hand among `count` plays, or -1."""
    for at in range(count):
        if work.plays["cards"][at] == view.hand:
            return at
    return -1


class Stakes(NamedTuple):
    """What a style comes to in one situation: the same for every play that is weighed in it."""

    rank_cost: int
    """Quarters off for each rank of the play."""
    card_cost: int
    """Off for each card of it."""
    bomb_gain: int
    risk: int
    """Off for a play that an opponent may go out over."""
    fewest: int
    """The cards of the opponent who holds the fewest, and of the one who holds the most."""
    most: int


@kernel
def stakes_of(view: View, style: Style) -> Stakes:
    """What a style comes to in the situation of a view."""
    role, fewest, most = role_of(view), fewest_left(view), most_left(view)
    if view.over == PASS:
        card_cost = style["feed"] // teammates_fewest_left(view)
        return Stakes(style["lead_rank"][role], card_cost, 0, style["lead_risk"], fewest, most)
    bomb_gain = style["bomb_gain"][role] + style["bomb_urgency"][role] // fewest
    return Stakes(style["follow_rank"][role], 0, bomb_gain, style["follow_risk"], fewest, most)


@kernel
def extra_worth(view: View, cards: Cards, shape: Shape, stakes: Stakes) -> int:
    """What a style adds or takes off for a play, beyond what it leaves in the hand."""
    count = size(cards)
    extra = -(stakes.rank_cost * rank_of(shape) >> 2) - stakes.card_cost * count
    if kind_of(shape) >= BOMB:
        extra += stakes.bomb_gain
    if stakes.risk != 0 and (count == stakes.fewest or count == stakes.most):
        if may_be_beaten(cards, shape, view.unseen, count):
            extra -= stakes.risk
    return extra


@kernel
def most_after(whole_worth: int, shape: Shape, worths: Worths) -> int:
    """About the most that a hand worth `whole_worth` can be worth after a play.

    A split of the rest and the play itself are a split of the whole hand, so the rest is worth at most the whole
    less the play. Where kickers go with it that holds but for rare hands, which cost a look at the second best.
    """
    kind, rank = kind_of(shape), rank_of(shape)
    if kind == SINGLE:
        return whole_worth - single_worth(rank, worths)
    if kind == PAIR:
        return whole_worth - pair_worth(rank, worths)
    if kind == ROCKET:
        return whole_worth - worths["rocket"]
    if kind == BOMB:
        return whole_worth - worths["bomb"][rank]
    if kind == FOUR_SINGLES or kind == FOUR_PAIRS:
        return whole_worth - worths["bomb"][rank] - 2 * worths["pair"]
    length = length_of(shape)
    if length == 1:
        return whole_worth - worths["trio"][rank]
    return whole_worth - chain_worth(copies_of(kind), rank, length, worths)


@kernel
def best_play(view: View, work: Work, count: int, worths: Worths, style: Style) -> int:
    """The position of the best of `count` plays, or -1 if passing is better.

    Against an opponent with one card no single but the highest comes into question (R10.3). Plays are looked at
    in the order of what they could be worth at most, until none can be better than the best: a few of many.
    """
    whole_worth = remembered_split(view.hand, worths, work.memo)
    best, best_worth = -1, -variable(NO_WORTH)
    if view.over != PASS:
        left = view.public["left"][view.public["over_seat"]]
        role = role_of(view)
        best_worth = whole_worth - style["slack"][role] - style["urgency"][role] // left
    stakes = stakes_of(view, style)
    one_card = stakes.fewest == 1
    hopes = work.hopes["worth"]
    for at in range(count):
        cards, shape = work.plays["cards"][at], work.plays["shapes"][at]
        if one_card and kind_of(shape) == SINGLE:
            hopes[at] = -NO_WORTH
        else:
            hopes[at] = most_after(whole_worth, shape, worths) + extra_worth(view, cards, shape, stakes)
    while True:
        next_best = -1
        hope = best_worth
        for at in range(count):
            if hopes[at] > hope:
                next_best, hope = at, hopes[at]
        if next_best < 0:
            break
        cards, shape = work.plays["cards"][next_best], work.plays["shapes"][next_best]
        worth = remembered_split(view.hand - cards, worths, work.memo)
        worth += hope - most_after(whole_worth, shape, worths)
        hopes[next_best] = -NO_WORTH
        if worth > best_worth:
            best, best_worth = next_best, worth
    if one_card and (best < 0 or (view.over != PASS and kind_of(view.over) == SINGLE)):
        single = highest_single(view, count, work)
        if single >= 0:
            return single
    return best


@kernel
def best_pair(view: View, work: Work, count: int, worths: Worths) -> int:
    """The position of the pair among `count` plays that leaves the best hand, or -1."""
    best, best_worth = -1, variable(-NO_WORTH)
    for at in range(count):
        if kind_of(work.plays["shapes"][at]) == PAIR:
            worth = remembered_split(view.hand - work.plays["cards"][at], worths, work.memo)
            if worth > best_worth:
                best, best_worth = at, worth
    return best


@kernel
def over_teammate(view: View) -> tuple[Cards, Shape]:
    """What a loyal seat plays over its teammate: nothing, unless it goes out (R10.3)."""
    readings = np.empty(MAX_READINGS, np.int64)
    shape = reading_that_beats(view.hand, view.over, view.rules, readings)
    return (view.hand, shape) if shape != PASS else (U(0), PASS)
