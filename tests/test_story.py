"""What a table shows of a round: the value, the warnings, the result card, and the same as JSON."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

import ddzsim as dz
from ddzsim.cli.main import main
from ddzsim.cli.replay import as_record
from ddzsim.core.jit import COMPILED
from ddzsim.rules import CLASSIC, RULESETS, RuleSet
from ddzsim.story import WIDTH, result_card, tell

DEAL = dz.Deal.from_hands(["3456789TJQKA2222X", "33344455566677788", "8999TTTJJJQQQKKKA"])
"""The kitty is AAD; test_game.py pins a round of it with a bomb, the rocket and a spring."""

BOTS = ("normal:bid=decomposition", "easy", "random") if COMPILED else ("random",) * 3


def played(rules: RuleSet, landlord: int, plays: str) -> dz.Round:
    """A round of the deal with these plays, a dot for a pass."""
    game = dz.Round(DEAL, rules, landlord=landlord)
    for text in plays.split():
        game.play(None if text == "." else text)
    return game


def card(game: dz.Round) -> list[str]:
    """The rows of the result card without the last one, the deal."""
    lines = result_card(game).splitlines()
    assert lines[-1].split() == ["Deal", DEAL.code]
    return lines[:-1]


def test_r8_3_the_card_of_an_anti_spring():
    game = played(CLASSIC, 1, "3 8 2222 . . 3456789TJQKA . . X")
    assert card(game) == [
        "Seat 0 is out: the peasants win",
        "  Base                10",
        "  Bid                  1  × 1",
        "  Bombs                1  × 2",
        "  Rockets              0",
        "  Anti-spring          1  × 2",
        "  Stake               40  = 10 × 1 × 4",
        "  Seat 0             +40  out",
        "  Seat 1 (landlord)  -80  held 33 444 555 666 777 88 AA D",
        "  Seat 2             +40  held 999 TTT JJJ QQQ KKK A",
        "  Kitty              AA D",
    ]


def test_r8_3_the_card_of_a_spring_that_does_not_count():
    game = played(RULESETS["douzero"], 0, "3456789TJQKA . . AA . . 2222 . . XD")
    assert "  Spring              1  not counted" in card(game)
    assert "  Stake               4  = 1 × 1 × 4" in card(game)


def test_r8_2_the_card_of_a_bomb_that_does_not_count():
    game = played(
        CLASSIC.override({"bomb_doubles_from": "5"}), 0, "3456789TJQKA . . AA . . 2222 . . XD"
    )
    assert "  Bombs                1  × 1, 0 of them doubling" in card(game)
    assert "              Value: 10 × 1 × 1 = 10" in tell(game).splitlines()


def test_r2_4_the_story_of_a_round_that_all_pass():
    words = ["replay", DEAL.code, "--rules", "openspiel", "--bots", "random:bid=never"]
    assert CliRunner().invoke(main, words).stdout.splitlines() == [
        f"Deal {DEAL.code} · openspiel",
        "  seat 0 random:bid=never  3 4 5 6 7 8 9 T J Q K A 2222 X",
        "  seat 1 random:bid=never  333 444 555 666 777 88",
        "  seat 2 random:bid=never  8 999 TTT JJJ QQQ KKK A",
        "  kitty                    AA D",
        "Auction: seat 0 passes, seat 1 passes, seat 2 passes: all passed",
        "Passed out: no landlord, no points",
        "  Seat 0 random:bid=never  +0  held 3 4 5 6 7 8 9 T J Q K A 2222 X",
        "  Seat 1 random:bid=never  +0  held 333 444 555 666 777 88",
        "  Seat 2 random:bid=never  +0  held 8 999 TTT JJJ QQQ KKK A",
        "  Kitty                    AA D",
        f"  Deal                     {DEAL.code}",
    ]


def test_the_story_of_a_round_that_is_not_over():
    game = played(CLASSIC, 0, "3456789TJQKA . .")
    assert tell(game).endswith("\n\nSeat 0 is to act")


def test_warnings_are_said_when_a_play_leaves_one_or_two_cards():
    game = played(CLASSIC, 0, "3456789TJQKA . . AA . . 2222 . . D . . X")
    lines = tell(game).splitlines()
    warned = [line for line in lines if "left!" in line]
    assert [line.partition("left: ")[2] for line in warned] == [
        "X D   2 cards left!",
        "X   1 card left!",
    ]


@pytest.mark.parametrize("number", range(12))
def test_a_story_fits_a_terminal_and_json_has_its_facts(rules: RuleSet, number: int):
    if rules.players != 3:
        pytest.skip("the deals are for three")
    game = dz.play(dz.Deal.of_round(5, number), BOTS, rules)
    text, record = tell(game), as_record(game)
    assert json.loads(json.dumps(record)) == record
    assert all(len(line) <= WIDTH for line in text.splitlines())
    assert record["deal"] in text.splitlines()[-1]
    if game.landlord is None:
        return
    flat = " ".join(text.split())
    value = rules.base * game.stake_bid
    assert f"Value: {rules.base} × {game.stake_bid} × 1 = {value} 1 seat" in flat
    for turn in record["turns"]:
        play = turn["play"] or "pass"
        held = dz.Hand.parse(turn["hand"])
        assert len(held) == turn["left"]
        assert f"seat {turn['seat']}{'L' * (turn['seat'] == game.landlord)} {play} " in flat
        value = rules.base * game.stake_bid * turn["multiplier"]
        assert turn["value"] == value
        if turn["kind"] in ("bomb", "rocket"):
            times = f"{rules.base} × {game.stake_bid} × {turn['multiplier']}"
            assert f"Value: {times} = {value}" in flat
    assert re.findall(r"[12] cards? left!", text) == [
        turn["warning"] for turn in record["turns"] if turn["warning"]
    ]
    for seat, points in enumerate(record["scores"]):
        assert re.search(rf"Seat {seat} \S+( \(landlord\))? [+]?{points} ", flat)
    assert re.search(rf"Stake +{record['stake']}  = ", text)
    assert re.search(rf"Bombs +{record['bombs']}\b", text)
    assert re.search(rf"Rockets +{record['rockets']}\b", text)
