"""What a bot is: a compiled function from what a seat sees to a play, and how the seat bids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numba
import numpy as np
from numba import types

from ddzsim.core.combos import Shape
from ddzsim.core.hands import Cards
from ddzsim.core.jit import COMPILED, kernel_of
from ddzsim.core.play import View, Work, new_table, new_work
from ddzsim.rules import CLASSIC

Choice: TypeAlias = tuple[Cards, Shape]
"""The cards a bot plays and their shape; (0, 0) is a pass."""

Chooser: TypeAlias = Callable[[View, Work], Choice]


@dataclass(frozen=True, slots=True)
class Bot:
    """A named player.

    `version` rises when its behaviour changes, not when it gets faster: logs of one version are
    comparable.
    """

    name: str
    version: int
    choose: Chooser
    """The play for a view, as plain Python source that a kernel can be compiled from."""
    advice: str = "default"
    """How it bids unless the seat says otherwise."""
    misjudges: int = 0
    """How often in a hundred calls its bid is one too low or too high."""
    reads_auction: bool = False
    """Whether its play depends on what was bid, so that no round can stand for another auction."""

    @property
    def doc(self) -> str:
        """Its behaviour in words."""
        return (self.choose.__doc__ or "").strip()


@cache
def _signature() -> Any:
    """The one signature of every bot, so that the round loop is compiled once for all of them."""
    cards = np.uint64(0)
    view = View(CLASSIC.params, 0, cards, cards, cards, 0, new_table().public)
    return types.Tuple((types.uint64, types.int64))(numba.typeof(view), numba.typeof(new_work()))


@cache
def compiled(bot: Bot) -> Chooser:
    """The bot's choice as a function that a kernel can call."""
    if not COMPILED:
        return bot.choose
    return kernel_of(_signature())(bot.choose)
