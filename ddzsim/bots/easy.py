"""`random`: any legal play, the pass among them where it is allowed, all equally likely."""

from __future__ import annotations

from ddzsim.bots.base import Bot, Choice
from ddzsim.core.jit import U
from ddzsim.core.moves import legal_plays
from ddzsim.core.play import View, Work
from ddzsim.core.rng import below


def choose(view: View, work: Work) -> Choice:
    """Play any legal play, the pass among them where it is allowed, all equally likely."""
    count = legal_plays(view.hand, view.over, view.rules, work.plays)
    may_pass = 1 if view.over else 0
    pick = below(work.stream["word"], count + may_pass)
    if pick == count:
        return U(0), 0
    return work.plays["cards"][pick], work.plays["shapes"][pick]


EASY = Bot(name="easy", version=1, choose=choose)
