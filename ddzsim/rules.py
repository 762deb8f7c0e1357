"""Rule sets as frozen, self-checking values: one field a clause of `docs/rules.md`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, TypeAlias

import numpy as np

from ddzsim.errors import RuleSetError, shown

CHOICES: dict[str, tuple[str, ...]] = {
    "first_bidder": ("code", "rotate", "seat0"),
    "redeal_bidder": ("next", "drawn"),
    "auction": ("once", "rounds", "none"),
}
"""The values of the fields that are words; a kernel sees the position in the tuple."""

BOUNDS: dict[str, tuple[int, int]] = {
    "players": (3, 4),
    "decks": (1, 2),
    "kitty_size": (3, 8),
    "redeal_limit": (0, 1000),
    "straight_min": (2, 12),
    "pair_chain_min": (2, 10),
    "airplane_min": (2, 6),
    "airplane_equal_kickers": (1, 4),
    "four_equal_kickers": (1, 2),
    "bomb_doubles_from": (4, 8),
    "base": (1, 1000),
}
"""The least and the greatest value of the fields that are numbers."""

TABLES = {3: (1, 3), 4: (2, 8)}
"""R1.3, R2.1: the decks that so many players play with, and the cards in the kitty."""

DECK_SIZE = 54
"""R1.1: cards in one deck."""

PARAM_NAMES = (
    "players",
    "decks",
    "kitty_size",
    "first_bidder",
    "redeal_bidder",
    "redeal_limit",
    "auction",
    "kitty_shown",
    "doubling",
    "straight_min",
    "pair_chain_min",
    "airplane_min",
    "single_kickers",
    "four_with_two",
    "airplane_equal_kickers",
    "four_equal_kickers",
    "adjacent_trio_kickers",
    "both_jokers_kickers",
    "joker_pairs",
    "bomb_doubles_from",
    "base",
    "spring",
)
PARAMS = np.dtype([(name, np.int64) for name in PARAM_NAMES])
"""A rule set as the kernels take it: its fields by the same names, words and switches as numbers.

A record, not a tuple: kernels hand it on as one pointer, where a tuple would be copied at each
call.
"""

Params: TypeAlias = np.void


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """One complete set of house rules.

    >>> ruleset("kawu").airplane_equal_kickers
    1
    >>> ruleset("tabletop").override({"kitty_shown": "true"}).kitty_shown
    True
    """

    name: str
    players: int = 3
    """R1.3: seats at the table."""
    decks: int = 1
    """R1.3: packs of 54 cards shuffled together."""
    kitty_size: int = 3
    """R2.1: cards that go to the landlord."""
    first_bidder: str = "code"
    """R2.3: `code`: drawn with the deal; `rotate`: seat 0, then one on a round; `seat0`: that."""
    redeal_bidder: str = "next"
    """R2.4: who speaks first after a redeal: the `next` seat, or one `drawn` anew."""
    redeal_limit: int = 64
    """R2.4: redeals after which a round ends with no landlord and zero scores."""
    auction: str = "once"
    """R3: `once`: each seat speaks once; `rounds`: until all others pass in a row; `none`: the
    first bidder is the landlord at a bid of 1."""
    kitty_shown: bool = True
    """R3.4: whether all see the kitty; if not, only the landlord does."""
    doubling: bool = False
    """R3.5: whether peasants may double and the landlord redouble, before the first lead."""
    straight_min: int = 5
    """R4.1: the fewest ranks in a straight."""
    pair_chain_min: int = 3
    """R4.1: the fewest ranks in a pair chain."""
    airplane_min: int = 2
    """R4.1: the fewest ranks in an airplane."""
    single_kickers: bool = True
    """R5.7: whether single cards may be kickers of trios and airplanes."""
    four_with_two: bool = True
    """R4: whether a four may carry two singles or two pairs."""
    airplane_equal_kickers: int = 4
    """R5.3, R5.8: the most single kickers of one rank on an airplane; 1: all different."""
    four_equal_kickers: int = 2
    """R5.3: the most single kickers of one rank on a four; 1: all different."""
    adjacent_trio_kickers: bool = True
    """R5.8: whether an airplane's single kickers may hold a trio next to the chain."""
    both_jokers_kickers: bool = False
    """R5.6, R5.8: whether one combination may carry both jokers."""
    joker_pairs: bool = False
    """R6.3: whether two equal jokers are a pair (two decks)."""
    bomb_doubles_from: int = 4
    """R8.2: the fewest cards in a bomb that doubles the stake."""
    base: int = 10
    """R8.1: points for a bid of 1 with no doubling."""
    spring: bool = True
    """R8.3: whether a spring or an anti-spring doubles the stake."""

    def __post_init__(self) -> None:
        """Check every field; the error names the field, the value and what would be right."""
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise RuleSetError(
                    f"{name}={shown(getattr(self, name))}: one of {', '.join(choices)}"
                )
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise RuleSetError(f"{name}={shown(value)}: {_wanted(name)}")
        for field in fields(self):
            if field.type == "bool" and not isinstance(getattr(self, field.name), bool):
                raise RuleSetError(
                    f"{field.name}={shown(getattr(self, field.name))}: true or false"
                )
        if (self.decks, self.kitty_size) != TABLES[self.players]:
            raise RuleSetError(
                f"players={self.players}, decks={self.decks}, kitty_size={self.kitty_size}: "
                "3 players with 1 deck and a kitty of 3, or 4 with 2 and 8 (R1.3, R2.1)"
            )
        if self.decks == 2 and (self.single_kickers or self.four_with_two):
            name = "single_kickers" if self.single_kickers else "four_with_two"
            raise RuleSetError(f"{name}=True: there are none with two decks (R5.7)")

    def override(self, values: Mapping[str, str]) -> RuleSet:
        """The same rules with some fields changed, from text; the name records the changes.

        Raises:
            RuleSetError: a field that does not exist, or a value that does not fit it.
        """
        changes: dict[str, Any] = {}
        for name, text in values.items():
            changes[name] = _value_from_text(name, text)
        changed = replace(self, **changes)
        held, kept = changed.settings(), self.settings()
        suffix = ",".join(
            f"{name}={str(held[name]).lower()}"
            for name in sorted(changes)
            if held[name] != kept[name]
        )
        return replace(changed, name=f"{self.name}+{suffix}") if suffix else self

    def settings(self) -> dict[str, Any]:
        """Every field but the name, as JSON values."""
        return {key: value for key, value in asdict(self).items() if key != "name"}

    @property
    def hand_size(self) -> int:
        """R2.1: cards that each seat is dealt."""
        return (DECK_SIZE * self.decks - self.kitty_size) // self.players

    @property
    def most_cards(self) -> int:
        """R2.1: cards that the landlord holds, which no hand exceeds."""
        return self.hand_size + self.kitty_size

    @property
    def digest(self) -> str:
        """A short hash of the rules themselves, whatever their name."""
        text = json.dumps(self.settings(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def params(self) -> Params:
        """The rules as the kernels take them."""
        settings = self.settings()
        for name, choices in CHOICES.items():
            settings[name] = choices.index(settings[name])
        record: Params = np.zeros(1, PARAMS)[0]
        for name in PARAM_NAMES:
            record[name] = int(settings[name])
        return record

    def __str__(self) -> str:
        return self.name


CLASSIC = RuleSet(name="classic")
TABLETOP = RuleSet(
    name="tabletop",
    redeal_bidder="drawn",
    auction="rounds",
    kitty_shown=False,
    four_equal_kickers=1,
    base=1,
)
TABLETOP_4P = replace(
    TABLETOP,
    name="tabletop-4p",
    players=4,
    decks=2,
    kitty_size=8,
    single_kickers=False,
    four_with_two=False,
    joker_pairs=True,
    bomb_doubles_from=6,
)
KAWU = RuleSet(name="kawu", airplane_equal_kickers=1, four_equal_kickers=1, base=1)
STAKES = RuleSet(name="stakes", first_bidder="rotate", base=1)
OPENSPIEL = RuleSet(
    name="openspiel",
    redeal_limit=0,
    auction="rounds",
    four_with_two=False,
    airplane_equal_kickers=3,
    base=1,
)
RLCARD = RuleSet(
    name="rlcard",
    first_bidder="seat0",
    auction="none",
    airplane_equal_kickers=3,
    adjacent_trio_kickers=False,
    base=1,
    spring=False,
)
DOUZERO = RuleSet(
    name="douzero",
    first_bidder="seat0",
    auction="none",
    both_jokers_kickers=True,
    base=1,
    spring=False,
)

RULESETS: dict[str, RuleSet] = {
    rules.name: rules
    for rules in (
        CLASSIC,
        TABLETOP,
        replace(TABLETOP, name="tabletop-open", kitty_shown=True),
        replace(TABLETOP, name="tabletop-doubling", doubling=True),
        TABLETOP_4P,
        KAWU,
        STAKES,
        OPENSPIEL,
        RLCARD,
        DOUZERO,
    )
}
"""The rule sets by name; `classic` is the default everywhere."""


def ruleset(name: str) -> RuleSet:
    """The rule set of a name.

    Raises:
        RuleSetError: there is no such rule set; the message lists those there are.
    """
    if name not in RULESETS:
        raise RuleSetError(f"no rule set {shown(name)}: one of {', '.join(RULESETS)}")
    return RULESETS[name]


def _wanted(name: str) -> str:
    """What a field that is a number may be."""
    low, high = BOUNDS[name]
    return str(low) if low == high else f"a number from {low} to {high}"


def _value_from_text(name: str, text: str) -> Any:
    """The value a text gives a field of `RuleSet`."""
    kinds = {field.name: field.type for field in fields(RuleSet) if field.name != "name"}
    if name not in kinds:
        raise RuleSetError(f"no rule {shown(name)}: one of {', '.join(kinds)}")
    if kinds[name] == "bool":
        words = {"true": True, "false": False}
        if text.lower() not in words:
            raise RuleSetError(f"{name}={shown(text)}: true or false")
        return words[text.lower()]
    if kinds[name] == "int":
        # int() would take digits of any script, and blanks around them, into the rules' name.
        if not re.fullmatch("[0-9]{1,9}", text):
            raise RuleSetError(f"{name}={shown(text)}: {_wanted(name)}")
        return int(text)
    return text
