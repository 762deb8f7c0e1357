"""`easy`: a beginner, who knows the rules and little more.

- One turn in five it makes a mistake: any legal play, or a pass, whichever comes.
- Otherwise it leads its lowest cards, in as large a play as they go into, and follows with the
  lowest play that beats, whatever that breaks up. It keeps bombs until nothing else beats, and then
  plays them half the time.
- It barely teams up: it leaves a teammate's play alone one time in three, and does not mind the
  landlord's last card.
- It misjudges its hand in the auction: one call in four is one too low or one too high.
"""

from __future__ import annotations

from ddzsim.bots.base import Bot, Choice
from ddzsim.bots.tactics import going_out, teammate_stands
from ddzsim.core.combos import BOMB, PASS, ROCKET, kind_of, length_of, rank_of
from ddzsim.core.hands import size
from ddzsim.core.jit import U, kernel
from ddzsim.core.moves import candidates, legal_plays
from ddzsim.core.play import View, Work
from ddzsim.core.rng import below


@kernel
def lowest_play(view: View, work: Work, count: int) -> int:
    """The position of the play whose body starts lowest, of those the largest; bombs come last."""
    best, best_low, best_size = 0, 999, 0
    for at in range(count):
        cards, shape = work.plays["cards"][at], work.plays["shapes"][at]
        low = rank_of(shape) + 1 - length_of(shape)
        if kind_of(shape) >= BOMB:
            # A bomb's length is what it has more than a small one; the rocket comes last of all.
            low = 30 * length_of(shape) + (300 if kind_of(shape) == ROCKET else rank_of(shape))
        if low < best_low or (low == best_low and size(cards) > best_size):
            best, best_low, best_size = at, low, size(cards)
    return best


def choose(view: View, work: Work) -> Choice:
    """Mistake one turn in five; else the lowest play there is, mostly over a teammate's, too."""
    stream = work.stream["word"]
    may_pass = 0 if view.over == PASS else 1
    if below(stream, 5) == 0:
        count = legal_plays(view.hand, view.over, view.rules, work.plays)
        pick = below(stream, count + may_pass)
        if pick == count:
            return U(0), PASS
        return work.plays["cards"][pick], work.plays["shapes"][pick]
    count = candidates(view.hand, view.over, view.rules, work.plays, 0)
    if count == 0:
        return U(0), PASS
    pick = going_out(view, count, work)
    if pick < 0:
        if teammate_stands(view) and below(stream, 3) == 0:
            return U(0), PASS
        pick = lowest_play(view, work, count)
        if may_pass and kind_of(work.plays["shapes"][pick]) >= BOMB and below(stream, 2) == 0:
            return U(0), PASS
    return work.plays["cards"][pick], work.plays["shapes"][pick]


EASY = Bot(name="easy", version=1, choose=choose, misjudges=25)
