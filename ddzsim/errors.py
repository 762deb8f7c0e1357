"""Errors a user can mend: each names the value, the reason and, where there is one, the clause."""


class DdzError(ValueError):
    """Base of every error ddzsim raises for bad input; the message is one line."""


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
