"""Rule sets that nobody has named: each is refused with one clear line, or is a game that holds."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import naive
import pyarrow.parquet as pq
import pytest
from strategies import DECK, crowded_hands, random_hands

from ddzsim.bots.seats import BOTS
from ddzsim.combos import Combo, classify, combo_of, legal_plays, min_plays
from ddzsim.core.jit import COMPILED
from ddzsim.deals import Deal
from ddzsim.engine.config import RunConfig
from ddzsim.engine.parts import _room
from ddzsim.engine.run import Options, run
from ddzsim.engine.verify import Verdict, verify_run
from ddzsim.errors import ComboError, RuleSetError
from ddzsim.rules import BOUNDS, CHOICES, RULESETS, RuleSet
from ddzsim.table import play

TABLE = ("players", "decks", "kitty_size")
"""Who sits there with how many cards: these belong together, so they come from a named set."""

KINDS = {field.name: field.type for field in fields(RuleSet) if field.name != "name"}
LEVELS = tuple(BOTS)
ADVICE = ("", "", "", ":bid=never", ":bid=points", ":bid=decomposition", ":bid=always3")
ADVICE += (":double=always", ":bid=points,double=never")

ROUNDS = 1000 if COMPILED else 2
IN_CI, BEFORE_A_RELEASE = (40 if COMPILED else 3), 250

Overrides = tuple[tuple[str, str], ...]


def values_of(field: str) -> list[str]:
    """The values of a field to try: all words and switches; of numbers the lowest and the last."""
    if field in CHOICES:
        return list(CHOICES[field])
    if KINDS[field] == "bool":
        return ["true", "false"]
    low, high = BOUNDS[field]
    return [str(value) for value in range(low, high + 1) if value < low + 12 or value == high]


def refusal(name: str, overrides: Overrides) -> str:
    """Why a named rule set may not be changed like this, in one line; nothing if it may."""
    try:
        RULESETS[name].override(dict(overrides))
    except RuleSetError as error:
        return str(error)
    return ""


def is_clear(text: str, names: Iterable[str]) -> bool:
    """Whether a refusal is one line: a field among these, its value, and what would be right."""
    said, _, due = text.partition(": ")
    return "\n" not in text and bool(due) and any(said.startswith(f"{name}=") for name in names)


def drawn_rules(number: int) -> tuple[str, Overrides]:
    """A rule set with a value drawn for every field: the named set it starts from, the changes.

    Values that do not go together are drawn again.
    """
    draw = random.Random(number)
    free = [field for field in KINDS if field not in TABLE]
    while True:
        name = draw.choice(list(RULESETS))
        overrides = tuple((field, draw.choice(values_of(field))) for field in free)
        refused = refusal(name, overrides)
        if not refused:
            return name, overrides
        assert is_clear(refused, free), refused


def check_game(folder: Path, number: int, name: str, overrides: Overrides, rounds: int) -> None:
    """Play rounds between mixed levels, logged turn by turn, and check all there is to check.

    The check holds every row against the clauses, plays the logged turns through the rules, and
    some rounds again through the readable face.
    """
    draw = random.Random(number)
    players = RULESETS[name].players
    levels = [LEVELS[(number + seat) % len(LEVELS)] for seat in range(players)]
    config = RunConfig(
        seed=number,
        games=rounds,
        first=draw.randrange(10**6),
        bots=",".join(level + draw.choice(ADVICE) for level in levels),
        rules=name,
        overrides=overrides,
        log="plays",
        force_landlord=draw.choice(["off", "off", "off", "rotate", str(draw.randrange(players))]),
    )
    run(folder, config, Options(workers=1))
    verdict = verify_run(folder, sample=3)
    assert verdict == Verdict((), checked_rows=rounds, replayed=min(rounds, 3)), config
    rows = pq.read_table(folder / "rounds").to_pylist()
    for row in rows:
        assert row["faults"] == 0, (config, row["round"])
        scores = [row[f"score_{seat}"] for seat in range(players)]
        assert sum(scores) == 0, (config, row["round"])
        assert (row["landlord"] < 0) == (row["side"] == "nobody"), (config, row["round"])
    # Each rule set has a table of its own in memory.
    _room.cache_clear()


@pytest.mark.parametrize("number", range(IN_CI))
def test_a_drawn_rule_set_is_a_game_that_holds(tmp_path: Path, number: int) -> None:
    check_game(tmp_path, number, *drawn_rules(number), ROUNDS)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(IN_CI, BEFORE_A_RELEASE))
def test_many_drawn_rule_sets_are_games_that_hold(tmp_path: Path, number: int) -> None:
    check_game(tmp_path, number, *drawn_rules(number), ROUNDS)


def single_changes(name: str) -> Iterator[tuple[str, str]]:
    """Each field of a rule set with each other value to try."""
    rules = RULESETS[name]
    for field in KINDS:
        for value in values_of(field):
            if value != str(getattr(rules, field)).lower():
                yield field, value


def check_changes(folder: Path, name: str, changes: list[tuple[str, str]], rounds: int) -> None:
    """Each change of one field is refused, or makes a game that holds."""
    for number, (field, value) in enumerate(changes):
        refused = refusal(name, ((field, value),))
        if refused:
            # What else would have to change stands in the line, too.
            assert is_clear(refused, KINDS), refused
            assert field in refused
        else:
            check_game(folder / str(number), number, name, ((field, value),), rounds)


@pytest.mark.parametrize("name", RULESETS)
def test_any_field_of_a_named_rule_set_may_be_changed(tmp_path: Path, name: str) -> None:
    # One change in so many, others in each rule set; the slow test makes all of them.
    at = list(RULESETS).index(name)
    changes = list(single_changes(name))[at % len(RULESETS) :: len(RULESETS)]
    check_changes(tmp_path, name, changes if COMPILED else changes[:1], ROUNDS // 10 or 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULESETS)
def test_every_field_of_a_named_rule_set_may_be_changed(tmp_path: Path, name: str) -> None:
    check_changes(tmp_path, name, list(single_changes(name)), ROUNDS)


@pytest.mark.parametrize("field", KINDS)
@pytest.mark.parametrize("text", ["", "nonsense", "-1", "1e3", "99999999999999999999"])
def test_a_value_that_no_rule_set_has_is_refused_in_one_line(field: str, text: str) -> None:
    assert is_clear(refusal("classic", ((field, text),)), [field])


# The rules of combinations, against the naive twin


def drawn_ruleset(number: int) -> RuleSet:
    """The rule set of a number."""
    name, overrides = drawn_rules(number)
    return RULESETS[name].override(dict(overrides))


DRAWN = 120 if COMPILED else 30
"""How many rule sets are held against the naive twin."""


@cache
def widest() -> list[str]:
    """Every set of cards of one deck that some rule set plays; those with kickers are the most."""
    changes = {"straight_min": "2", "pair_chain_min": "2", "both_jokers_kickers": "true"}
    plays = legal_plays(DECK, RULESETS["classic"].override(changes), max_cards=20)
    return sorted({str(play.cards) for play in plays})


def reading_of(play: Combo) -> naive.Reading:
    return naive.Reading(play.kind, play.length, play.rank)


def listed(plays: list[Combo]) -> list[tuple[str, naive.Reading]]:
    """Plays as the naive twin has them."""
    return sorted((str(play.cards), reading_of(play)) for play in plays)


def test_r4_r5_readings_of_drawn_rules_agree_with_the_naive_ones() -> None:
    """Some of what any rule set plays, under rules that play it or do not."""
    known = looked = 0
    for number in range(DRAWN):
        rules = drawn_ruleset(number)
        for cards in widest()[number::480]:
            found = naive.readings(naive.counts_of(cards), rules)
            assert {reading_of(combo) for combo in classify(cards, rules)} == found, rules
            known += bool(found)
            looked += 1
            if found:
                assert reading_of(combo_of(cards, rules)) in found
            else:
                with pytest.raises(ComboError, match=r"\(R\d.*\)$"):
                    combo_of(cards, rules)
    assert looked // 10 < known < looked


def test_r4_r5_r6_plays_of_drawn_rules_agree_with_the_naive_ones() -> None:
    for number in range(DRAWN):
        rules = drawn_ruleset(number)
        hand, other = crowded_hands(number, 9, 2)
        counts = naive.counts_of(hand)
        assert listed(legal_plays(hand, rules)) == sorted(naive.legal(counts, rules)), rules
        for over in random.Random(number).sample(legal_plays(other, rules), 5):
            due = naive.legal(counts, rules, reading_of(over))
            assert listed(legal_plays(hand, rules, over)) == sorted(due), (rules, over)


def test_r11_1_fewest_plays_of_drawn_rules_agree_with_the_naive_ones() -> None:
    for number in range(DRAWN):
        rules = drawn_ruleset(number)
        for hand in (*crowded_hands(number, 11, 1), *random_hands(number, 10, 1)):
            due = naive.fewest_plays(naive.counts_of(hand), rules)
            assert min_plays(hand, rules) == due, (rules, hand)


def test_a_round_of_drawn_rules_can_be_told() -> None:
    for number in range(DRAWN // 3):
        rules = drawn_ruleset(number)
        bots = [LEVELS[(number + seat) % len(LEVELS)] for seat in range(rules.players)]
        game = play(Deal.of_round(61, number, rules.players), bots, rules)
        assert game.phase == "over"
        assert sum(game.scores) == 0
        told = str(game)
        assert rules.name in told
        assert ("passed" if game.landlord is None else "landlord") in told
