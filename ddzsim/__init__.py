"""A laboratory for Dou Dizhu: seeded rounds between bots, logged to Parquet."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "ddzsim.bots.advice": ("ADVICE", "DOUBLING", "Advice", "DoublingAdvice", "Rating", "rate"),
    "ddzsim.bots.seats": ("BOTS", "Seat"),
    "ddzsim.cards": ("RANKS", "Hand"),
    "ddzsim.combos": (
        "Combo",
        "beats",
        "classify",
        "combo_of",
        "legal_plays",
        "min_plays",
        "playable",
    ),
    "ddzsim.deals": ("Deal", "deal_codes"),
    "ddzsim.engine.dataset": ("Run", "read_run"),
    "ddzsim.errors": (
        "AuctionError",
        "CardError",
        "ComboError",
        "ConfigError",
        "DdzError",
        "DealError",
        "PlayError",
        "RuleSetError",
        "RunError",
        "SeatError",
    ),
    "ddzsim.game": ("Auction", "Round", "Settlement", "settle"),
    "ddzsim.rules": ("RULESETS", "RuleSet", "ruleset"),
    "ddzsim.table": ("Player", "Table", "play"),
    "ddzsim.view": ("SeatView",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME_OF, "__version__"])

if TYPE_CHECKING:
    from ddzsim.bots.advice import ADVICE, DOUBLING, Advice, DoublingAdvice, Rating, rate
    from ddzsim.bots.seats import BOTS, Seat
    from ddzsim.cards import RANKS, Hand
    from ddzsim.combos import (
        Combo,
        beats,
        classify,
        combo_of,
        legal_plays,
        min_plays,
        playable,
    )
    from ddzsim.deals import Deal, deal_codes
    from ddzsim.engine.dataset import Run, read_run
    from ddzsim.errors import (
        AuctionError,
        CardError,
        ComboError,
        ConfigError,
        DdzError,
        DealError,
        PlayError,
        RuleSetError,
        RunError,
        SeatError,
    )
    from ddzsim.game import Auction, Round, Settlement, settle
    from ddzsim.rules import RULESETS, RuleSet, ruleset
    from ddzsim.table import Player, Table, play
    from ddzsim.view import SeatView


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import ddzsim` stays light."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'ddzsim' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
