"""Who sits at a table: the table of bots, and the text `LEVEL[:key=value,…]` that names a seat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ddzsim.bots.advice import DOUBLING, Advice, DoublingAdvice, advice_of, doubling_of
from ddzsim.bots.base import Bot
from ddzsim.bots.easy import EASY
from ddzsim.bots.hard import HARD
from ddzsim.bots.normal import NORMAL
from ddzsim.bots.random import RANDOM
from ddzsim.errors import SeatError, shown

BOTS: dict[str, Bot] = {bot.name: bot for bot in (RANDOM, EASY, NORMAL, HARD)}
"""The built-in bots by name, from the weakest to the strongest."""

DEFAULT_DOUBLING = "default"
"""The doubling advice of a seat that names none."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A bot at the table and the advice it bids and doubles by.

    >>> str(Seat.parse("hard:bid=points,double=never"))
    'hard:bid=points,double=never'
    """

    bot: Bot
    advice: Advice
    doubling: DoublingAdvice = DOUBLING[DEFAULT_DOUBLING]
    """How it doubles and redoubles, where the rules have it (R3.5)."""

    @classmethod
    def parse(cls, text: str) -> Seat:
        """Read a seat such as ``normal`` or ``hard:bid=points``.

        Raises:
            SeatError: no such bot, option or advice; the message lists those there are.
        """
        name, _, options = text.strip(" ").partition(":")
        if name not in BOTS:
            raise SeatError(f"no bot {shown(name)}: one of {', '.join(BOTS)}")
        bot = BOTS[name]
        chosen = {"bid": bot.advice, "double": DEFAULT_DOUBLING}
        for option in options.split(",") if options else []:
            key, _, value = option.partition("=")
            if key not in chosen:
                known = " or ".join(f"{name}=NAME" for name in chosen)
                raise SeatError(f"{shown(text)}: no option {shown(key)}: {known}")
            chosen[key] = value
        try:
            return cls(bot, advice_of(chosen["bid"]), doubling_of(chosen["double"]))
        except SeatError as error:
            raise SeatError(f"{shown(text)}: {error}") from None

    def packed_advice(self, decks: int = 1) -> npt.NDArray[np.int64]:
        """How the seat bids, as the kernels take it."""
        return self.advice.packed(self.bot.misjudges, decks)

    def advice_numbers(self, decks: int = 1) -> list[int]:
        """All that decides how the seat bids."""
        return self.advice.numbers(self.bot.misjudges, decks)

    def __str__(self) -> str:
        options = []
        if self.advice.name != self.bot.advice:
            options.append(f"bid={self.advice.name}")
        if self.doubling.name != DEFAULT_DOUBLING:
            options.append(f"double={self.doubling.name}")
        return f"{self.bot.name}:{','.join(options)}" if options else self.bot.name


def parse_seats(text: str, players: int) -> tuple[Seat, ...]:
    """Read all seats of a table: ``hard,normal:bid=points,easy``, or one seat for all of them.

    Raises:
        SeatError: a seat that does not read, or a number of seats that is neither 1 nor that of the
            players.
    """
    parts: list[str] = []
    for part in text.split(","):
        # `key=value` after a comma is one more option of the seat before it.
        if parts and "=" in part and ":" not in part:
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    if len(parts) == 1:
        parts *= players
    if len(parts) != players:
        raise SeatError(f"{shown(text)} names {len(parts)} seats: 1 or {players}")
    return tuple(Seat.parse(part) for part in parts)
