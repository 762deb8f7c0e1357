"""How a level weighs its plays: what they leave in the hand, and what its style makes of them."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ddzsim.bots.tactics import (
    ROLES,
    fewest_left,
    highest_single,
    may_be_beaten,
    most_left,
    role_of,
    teammates_fewest_left,
)
from ddzsim.core.combos import (
    BOMB,
    FOUR_PAIRS,
    FOUR_SINGLES,
    PAIR,
    PASS,
    ROCKET,
    SINGLE,
    Shape,
    copies_of,
    kind_of,
    length_of,
    rank_of,
)
from ddzsim.core.hands import Cards, size
from ddzsim.core.jit import kernel, variable
from ddzsim.core.plan import (
    WORTHS,
    Worths,
    WorthsTable,
    chain_worth,
    pair_worth,
    remembered_split,
    single_worth,
)
from ddzsim.core.play import View, Work

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

`slack`: what it gives up rather than pass. `bomb_gain`: what it likes (or, below 0, dislikes) about
following with a bomb, and `bomb_urgency` over the cards the nearest opponent has left. `lead_rank`,
`follow_rank`: quarters off for each rank of the play. `urgency`: more slack, over the cards of who
would win the trick. `lead_risk`, `follow_risk`: off for a play that an opponent may go out over.
`feed`: off for each card led, over the cards the teammate has left.
"""

Style = np.void

StyleTable: TypeAlias = npt.NDArray[np.void]
"""An array of one `Style`, as `WorthsTable` is one of `Worths`."""

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
    decks: int = 1,
    bomb_card: int = 0,
) -> WorthsTable:
    """The table of what plays are worth to a level, in tenths of a rank.

    A single or pair is worth its rank over `par`, a trio or chain the same but never less than
    nothing; each costs `play`, the turn it takes. The other numbers are added to their kind.
    """
    table = np.zeros(1, WORTHS)
    worths = table[0]
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
    worths["decks"] = decks
    worths["bomb_card"] = bomb_card
    return table


def by_decks(one: npt.NDArray[np.void], two: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """A table for one deck and one for two, to be picked by the decks of the rules less one."""
    return np.concatenate([one, two])


def style_of(**numbers: int | tuple[int, int, int]) -> StyleTable:
    """A style from its numbers; one for all roles, or one for each; 0 where not given."""
    table = np.zeros(1, STYLE)
    for name, number in numbers.items():
        table[name] = number
    return table


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
    goes_out_over = stakes.risk != 0 and (count == stakes.fewest or count == stakes.most)
    if goes_out_over and may_be_beaten(cards, shape, view.unseen, count, view.rules):
        extra -= stakes.risk
    return extra


@kernel
def most_after(whole_worth: int, shape: Shape, worths: Worths) -> int:
    """About the most that a hand worth `whole_worth` can be worth after a play.

    A split of the rest and the play itself are a split of the whole hand, so the rest is worth at
    most the whole less the play. Where kickers go with it that holds but for rare hands, which cost
    a look at the second best.
    """
    kind, rank = kind_of(shape), rank_of(shape)
    if kind == SINGLE:
        return whole_worth - single_worth(rank, worths)
    if kind == PAIR:
        return whole_worth - pair_worth(rank, worths)
    if kind == ROCKET:
        return whole_worth - worths["rocket"]
    if kind == BOMB:
        larger = length_of(shape) - 1
        return whole_worth - worths["bomb"][rank] - larger * worths["bomb_card"]
    if kind == FOUR_SINGLES or kind == FOUR_PAIRS:
        return whole_worth - worths["bomb"][rank] - 2 * worths["pair"]
    length = length_of(shape)
    if length == 1:
        return whole_worth - worths["trio"][rank]
    return whole_worth - chain_worth(copies_of(kind), rank, length, worths)


@kernel
def best_play(view: View, work: Work, count: int, worths: Worths, style: Style) -> int:
    """The position of the best of `count` plays, or -1 if passing is better.

    Over an opponent with one card there is no passing: the round would be lost. Against one, no
    single but the highest comes into question (R10.3). Plays are looked at in the order of what
    they could be worth at most, until none can be better than the best: a few of many.
    """
    if count == 0:
        return -1
    whole_worth = remembered_split(view.hand, worths, work.memo)
    best, best_worth = -1, -variable(NO_WORTH)
    left = view.public["left"][view.public["over_seat"]] if view.over != PASS else 0
    if left > 1:
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
            hopes[at] = most_after(whole_worth, shape, worths) + extra_worth(
                view, cards, shape, stakes
            )
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
