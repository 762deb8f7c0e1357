"""Rule sets field by field, as the clauses say, and how they are changed and named."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace
from itertools import combinations

import numpy as np
import pytest

from ddzsim.errors import RuleSetError
from ddzsim.rules import BOUNDS, CHOICES, CLASSIC, PARAM_NAMES, RULESETS, RuleSet, ruleset

SHEETS = ("classic", "tabletop", "kawu", "stakes")
TABLETOPS = ("tabletop", "tabletop-open", "tabletop-doubling", "tabletop-4p")
NAMES = ("classic", *TABLETOPS, "kawu", "stakes", "openspiel", "rlcard", "douzero")

TWO_DECKS_HAVE_NONE = ("single_kickers", "four_with_two")
"""R5.7."""

# What each clause says, by field: the value of most rule sets, then of those that differ.
CLAUSES = {
    "R1.1 players": (3, {"tabletop-4p": 4}),
    "R1.3 decks": (1, {"tabletop-4p": 2}),
    "R2.1 kitty_size": (3, {"tabletop-4p": 8}),
    # RLCard and DouZero have no auction: seat 0 is the landlord.
    "R2.3 first_bidder": ("code", {"stakes": "rotate", "rlcard": "seat0", "douzero": "seat0"}),
    "R2.4 redeal_bidder": ("next", dict.fromkeys(TABLETOPS, "drawn")),
    "R2.4 redeal_limit": (64, {"openspiel": 0}),
    "R3.2 auction": (
        "once",
        # R3.3; OpenSpiel's goes round as well.
        dict.fromkeys((*TABLETOPS, "openspiel"), "rounds") | {"rlcard": "none", "douzero": "none"},
    ),
    "R3.4 kitty_shown": (True, dict.fromkeys(set(TABLETOPS) - {"tabletop-open"}, False)),
    "R3.5 doubling": (False, {"tabletop-doubling": True}),
    "R4.1 straight_min": (5, {}),
    "R4.1 pair_chain_min": (3, {}),
    "R4.1 airplane_min": (2, {}),
    "R5.3 airplane_equal_kickers": (4, {"kawu": 1, "openspiel": 3, "rlcard": 3}),
    "R5.3 four_equal_kickers": (2, dict.fromkeys((*TABLETOPS, "kawu"), 1)),
    "R5.6 both_jokers_kickers": (False, {"douzero": True}),
    "R5.7 single_kickers": (True, {"tabletop-4p": False}),
    "R5.8 four_with_two": (True, {"openspiel": False, "tabletop-4p": False}),
    "R5.8 adjacent_trio_kickers": (True, {"rlcard": False}),
    "R6.3 joker_pairs": (False, {"tabletop-4p": True}),
    "R8.1 base": (1, {"classic": 10}),
    "R8.2 bomb_doubles_from": (4, {"tabletop-4p": 6}),
    "R8.3 spring": (True, {"rlcard": False, "douzero": False}),
}


def test_the_rule_sets_there_are():
    assert tuple(RULESETS) == NAMES
    assert all(ruleset(name).name == name == str(ruleset(name)) for name in NAMES)
    assert CLASSIC is RULESETS["classic"]


@pytest.mark.parametrize("clause", CLAUSES)
def test_the_fields_are_as_the_clause_says(clause: str):
    field = clause.split()[1]
    most, others = CLAUSES[clause]
    assert {name: getattr(ruleset(name), field) for name in NAMES} == {
        name: others.get(name, most) for name in NAMES
    }


def test_every_field_has_its_clause():
    assert {clause.split()[1] for clause in CLAUSES} == {
        field.name for field in fields(RuleSet)
    } - {"name"}


def test_r4_3_variants_and_stakes_have_the_combinations_of_another():
    combination_fields = [
        clause.split()[1] for clause in CLAUSES if clause.startswith(("R4", "R5", "R6"))
    ]
    pairs = ("stakes", "classic"), ("tabletop-open", "tabletop"), ("tabletop-doubling", "tabletop")
    for same, other in pairs:
        for field in combination_fields:
            assert getattr(ruleset(same), field) == getattr(ruleset(other), field)


def test_a_name_that_is_none_is_an_error_that_lists_them():
    with pytest.raises(RuleSetError) as caught:
        ruleset("Classic")
    assert str(caught.value) == f"no rule set 'Classic': one of {', '.join(NAMES)}"


def test_a_rule_set_is_frozen():
    with pytest.raises(FrozenInstanceError):
        CLASSIC.base = 1  # type: ignore[misc]
    assert ruleset("classic") == CLASSIC
    assert hash(CLASSIC) == hash(replace(CLASSIC))


# Changes


def test_an_override_changes_the_field_and_the_name():
    changed = ruleset("tabletop").override({"kitty_shown": "true", "base": "5"})
    assert (changed.kitty_shown, changed.base) == (True, 5)
    assert changed.name == "tabletop+base=5,kitty_shown=true"
    assert replace(changed, kitty_shown=False, base=1, name="tabletop") == ruleset("tabletop")
    assert not ruleset("tabletop").kitty_shown


def test_no_override_changes_nothing(any_rules: RuleSet):
    assert any_rules.override({}) == any_rules


@pytest.mark.parametrize("field", TWO_DECKS_HAVE_NONE)
def test_r5_7_two_decks_have_no_single_kickers_and_no_four_with_two(field: str):
    with pytest.raises(RuleSetError) as caught:
        ruleset("tabletop-4p").override({field: "true"})
    assert str(caught.value) == f"{field}=True: there are none with two decks (R5.7)"


@pytest.mark.parametrize("text", ["true", "True", "TRUE"])
def test_a_switch_reads_in_any_case(text: str):
    assert ruleset("tabletop").override({"kitty_shown": text}).kitty_shown is True


TABLES = "3 players with 1 deck and a kitty of 3, or 4 with 2 and 8 (R1.3, R2.1)"


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("kitty_shown", "yes", "kitty_shown='yes': true or false"),
        ("base", "ten", "base='ten': a number from 1 to 1000"),
        ("base", "0", "base=0: a number from 1 to 1000"),
        ("base", "1001", "base=1001: a number from 1 to 1000"),
        ("base", "2.5", "base='2.5': a number from 1 to 1000"),
        ("players", "5", "players=5: a number from 3 to 4"),
        ("players", "4", f"players=4, decks=1, kitty_size=3: {TABLES}"),
        ("decks", "2", f"players=3, decks=2, kitty_size=3: {TABLES}"),
        ("kitty_size", "8", f"players=3, decks=1, kitty_size=8: {TABLES}"),
        ("auction", "twice", "auction='twice': one of once, rounds, none"),
        ("first_bidder", "", "first_bidder='': one of code, rotate, seat0"),
    ],
)
def test_a_value_that_does_not_fit_is_an_error_that_says_what_would(
    field: str, text: str, message: str
):
    with pytest.raises(RuleSetError) as caught:
        CLASSIC.override({field: text})
    assert str(caught.value) == message


@pytest.mark.parametrize("field", ["kitty", "name", ""])
def test_a_field_that_is_none_is_an_error_that_lists_them(field: str):
    known = ", ".join(field.name for field in fields(RuleSet) if field.name != "name")
    with pytest.raises(RuleSetError) as caught:
        CLASSIC.override({field: "1"})
    assert str(caught.value) == f"no rule {field!r}: one of {known}"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"base": True}, "base=True: a number from 1 to 1000"),
        ({"base": 1.0}, "base=1.0: a number from 1 to 1000"),
        ({"spring": 1}, "spring=1: true or false"),
        ({"auction": "Once"}, "auction='Once': one of once, rounds, none"),
    ],
)
def test_a_rule_set_checks_itself(values: dict[str, object], message: str):
    with pytest.raises(RuleSetError) as caught:
        RuleSet(name="house", **values)  # type: ignore[arg-type]
    assert str(caught.value) == message


# Digest and parameters


def another_value(rules: RuleSet, field: str) -> object:
    """A value of a field that is allowed and not the one it has; None if there is none."""
    now = getattr(rules, field)
    if field in ("players", "decks", "kitty_size"):
        return None
    if isinstance(now, bool):
        return None if rules.decks == 2 and field in TWO_DECKS_HAVE_NONE else not now
    if field in CHOICES:
        return next(choice for choice in CHOICES[field] if choice != now)
    low, high = BOUNDS[field]
    return next((value for value in (low, high) if value != now), None)


def test_the_digest_is_of_the_rules_and_not_of_the_name(any_rules: RuleSet):
    rules = any_rules
    assert replace(rules, name="mine").digest == rules.digest
    assert len(rules.digest) == 12
    for field in fields(RuleSet):
        value = another_value(rules, field.name) if field.name != "name" else None
        if value is not None:
            assert replace(rules, **{field.name: value}).digest != rules.digest, field.name


def test_no_two_rule_sets_share_a_digest():
    for one, other in combinations(RULESETS.values(), 2):
        assert one.digest != other.digest, (one.name, other.name)


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_case_r07_the_digest_is_the_same_in_every_process(hash_seed: str):
    script = "from ddzsim.rules import RULESETS; print(*[r.digest for r in RULESETS.values()])"
    printed = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed.split() == [rules.digest for rules in RULESETS.values()]


def test_kernels_get_every_field_as_a_number(any_rules: RuleSet):
    rules = any_rules
    assert tuple(rules.settings()) == PARAM_NAMES == rules.params.dtype.names
    for name in PARAM_NAMES:
        field, value = getattr(rules, name), rules.params[name]
        assert isinstance(value, np.int64)
        assert value == (CHOICES[name].index(field) if name in CHOICES else field)
