"""What the levels reason with: who sits where, what may beat a play, how a hand closes out.

Kernels over a `View`; they see what R10.1 allows and nothing else.
"""

from __future__ import annotations

from ddzsim.core.combos import (
    BOMB,
    PASS,
    ROCKET,
    SINGLE,
    Shape,
    copies_of,
    kind_of,
    length_of,
    rank_of,
    reading_that_beats,
)
from ddzsim.core.hands import (
    CHAIN_RANKS,
    NONE,
    Cards,
    at_least,
    at_least_4,
    ranks_above,
    run_starts,
    size,
    whole,
)
from ddzsim.core.jit import U, kernel
from ddzsim.core.moves import candidates
from ddzsim.core.play import View, Work
from ddzsim.core.rating import holds_rocket
from ddzsim.rules import Params

ROLES = 3
LANDLORD, BEFORE_LANDLORD, AFTER_LANDLORD = range(ROLES)
"""Where a seat sits: the landlord, the peasant who plays before it, the others."""


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
    for seat in range(view.rules["players"]):
        if seat != view.seat:
            fewest = min(fewest, view.public["left"][seat])
    return fewest


@kernel
def most_left(view: View) -> int:
    """The cards of the opponent who holds the most."""
    if not is_landlord(view):
        return view.public["left"][view.public["landlord"]]
    most = 0
    for seat in range(view.rules["players"]):
        if seat != view.seat:
            most = max(most, view.public["left"][seat])
    return most


@kernel
def role_of(view: View) -> int:
    """Where the seat to play sits."""
    if is_landlord(view):
        return LANDLORD
    following = (view.seat + 1) % view.rules["players"]
    return BEFORE_LANDLORD if following == view.public["landlord"] else AFTER_LANDLORD


@kernel
def teammates_fewest_left(view: View) -> int:
    """The cards of the teammate who holds the fewest; all unseen cards for the landlord."""
    fewest = size(view.unseen)
    if not is_landlord(view):
        for seat in range(view.rules["players"]):
            if seat != view.seat and seat != view.public["landlord"]:
                fewest = min(fewest, view.public["left"][seat])
    return fewest


@kernel
def larger_bomb_in(pool: Cards, shape: Shape, limit: int) -> bool:
    """Whether `limit` cards out of a pool of two decks may be a bomb above this one (R6.3)."""
    fours = at_least_4(pool)
    above_four = (pool & whole(fours)) - fours * U(4)
    more = length_of(shape) - 1
    equal = at_least(above_four, more) if more else fours
    if limit >= more + 4 and equal & ranks_above(rank_of(shape)):
        return True
    # No rank has more than eight cards.
    return more < 4 and limit > more + 4 and at_least(above_four, more + 1) != NONE


@kernel
def may_be_beaten(cards: Cards, shape: Shape, pool: Cards, limit: int, rules: Params) -> bool:
    """Whether somebody who holds `limit` cards out of `pool` may hold a play that beats this one.

    Kickers are taken to be there, so that a play this calls unbeatable is.
    """
    kind = kind_of(shape)
    if kind == ROCKET:
        return False
    if limit >= 2 * rules["decks"] and holds_rocket(pool, rules):
        return True
    higher = ranks_above(rank_of(shape))
    bombs = at_least_4(pool)
    if kind == BOMB:
        if rules["decks"] == 2:
            return larger_bomb_in(pool, shape, limit)
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
def is_one_play(hand: Cards, view: View, work: Work) -> bool:
    """Whether a hand goes out in one play."""
    return reading_that_beats(hand, PASS, view.rules, work.readings["shapes"]) != PASS


@kernel
def closes(hand: Cards, view: View, work: Work, start: int, depth: int) -> bool:
    """Whether a hand that leads goes out in at most `depth` unbeatable plays and one more.

    `work.plays` is free from position `start` on. The search goes down one unbeatable play at a
    time: level `l` tries the candidates of the hand `held[l]` from position `at[l]` to `end[l]`.
    `depth` is at most `MAX_DEPTH`.
    """
    if is_one_play(hand, view, work):
        return True
    if depth == 0:
        return False
    held, at, end = work.steps["held"], work.steps["at"], work.steps["end"]
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
        if may_be_beaten(cards, shape, view.unseen, limit, view.rules):
            continue
        rest = held[level] - cards
        if is_one_play(rest, view, work):
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


@kernel
def over_teammate(view: View, work: Work) -> tuple[Cards, Shape]:
    """What a loyal seat plays over its teammate: nothing, unless it goes out (R10.3)."""
    shape = reading_that_beats(view.hand, view.over, view.rules, work.readings["shapes"])
    return (view.hand, shape) if shape != PASS else (U(0), PASS)
