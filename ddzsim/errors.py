"""Errors a user can mend: each names the value, the reason and, where there is one, the clause."""

from __future__ import annotations

LONGEST_VALUE = 200
LONGEST_LINE = 1000
"""Characters; what is longer is cut in the middle, since a reason stands at an end."""


class DdzError(ValueError):
    """Base of every error ddzsim raises for bad input; the message is one line."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def one_line(text: str) -> str:
    r"""A text as one line that does nothing but show: no control characters, not too long.

    A message may quote what somebody else wrote: a file's name, or a text in a file.

    >>> print(one_line("a\nb \x1b[2J"))
    a b \x1b[2J
    """
    line = " ".join(part.strip() for part in text.splitlines())
    plain = (letter if letter.isprintable() else repr(letter)[1:-1] for letter in line)
    return _shortened("".join(plain), LONGEST_LINE)


def shown(value: object) -> str:
    """A value as an error names it, not too long.

    >>> shown("3 4"), len(shown("3" * 1000))
    ("'3 4'", 199)
    """
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        # Python writes no number of thousands of digits, and no list in a thousand others.
        text = f"a {type(value).__name__} too large to show"
    return _shortened(text, LONGEST_VALUE)


def _shortened(text: str, most: int) -> str:
    """A text without its middle, if it has more characters than that."""
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


class CardError(DdzError):
    """A text that is not cards, or more cards of a rank than the deck holds (R1)."""


class ComboError(DdzError):
    """A set of cards that is no combination, or does not beat the one on the table (R4 to R6)."""


class RuleSetError(DdzError):
    """A rule set, a field of one, or a value of a field that does not exist."""


class DealError(DdzError):
    """A deal code that does not read, or hands that are not one deal of the deck (R2)."""


class AuctionError(DdzError):
    """A bid that the auction does not allow (R3)."""


class PlayError(DdzError):
    """A play out of turn, not in the hand, or not allowed (R7)."""


class SeatError(DdzError):
    """A seat text (`LEVEL[:key=value,…]`) that names no bot or no option of it."""


class ConfigError(DdzError):
    """An option of a run that is not valid, alone or together with another."""


class RunError(DdzError):
    """A run directory that cannot be written, read, resumed or trusted."""
