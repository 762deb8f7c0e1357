"""A good run is never refused; every kind of damage is found, and its file and round are named."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats as scipy_stats

from ddzsim.bots import seats
from ddzsim.core import rng
from ddzsim.deals import Deal
from ddzsim.engine import fairness
from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import HASH_KEY, rows_hash
from ddzsim.engine.invariants import auction_end
from ddzsim.engine.run import Options, run
from ddzsim.engine.verify import Verdict, sampled, verify_run
from ddzsim.rules import CLASSIC, RULESETS, TABLETOP

ROUNDS, PLAYS = "rounds/part-00000.parquet", "plays/part-00000.parquet"
CONFIG = RunConfig(seed=7, games=300, first=50, bots="random,easy,normal:bid=points", log="plays")

Edit = Callable[[list[dict[str, Any]]], None]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A good run with turns."""
    folder = tmp_path_factory.mktemp("verify") / "run"
    run(folder, CONFIG, Options(workers=1))
    return folder


@pytest.fixture
def copy(whole, tmp_path) -> Path:
    """A copy of it to damage."""
    shutil.copytree(whole, tmp_path / "run")
    return tmp_path / "run"


def edit(path: Path, change: Edit, rehash: bool = True) -> None:
    """Change the rows of a part, as somebody would who wants it to pass."""
    held = pq.read_table(path)
    rows = held.to_pylist()
    change(rows)
    table = pa.Table.from_pylist(rows, schema=held.schema)
    if rehash:
        about = {**held.schema.metadata, HASH_KEY: rows_hash(table).encode()}
        table = table.replace_schema_metadata(about)
    pq.write_table(table, path, compression="zstd")


def only(verdict: Verdict, *parts: str) -> str:
    """The first problem, which must hold these texts; there must be one."""
    assert not verdict.ok
    first = verdict.problems[0]
    assert "\n" not in first
    for text in parts:
        assert text in first, verdict.problems
    return first


# Good runs


def test_a_good_run_passes(whole):
    rows: list[int] = []
    verdict = verify_run(whole, progress=rows.append)
    assert verdict == Verdict((), checked_rows=300, replayed=200)
    assert verdict.ok
    assert rows == [300]


@pytest.mark.parametrize("rules", RULESETS)
@pytest.mark.parametrize("forced", ["off", "2", "rotate"])
def test_a_good_run_passes_under_every_rule_set(tmp_path, rules, forced):
    bots = CONFIG.bots + ",easy" * (RULESETS[rules].players - 3)
    config = replace(CONFIG, games=100, rules=rules, bots=bots, force_landlord=forced)
    run(tmp_path, config, Options(workers=1))
    assert verify_run(tmp_path, sample=30) == Verdict((), checked_rows=100, replayed=30)


@pytest.mark.parametrize("rules", ["classic", "tabletop", "stakes", "openspiel"])
def test_a_good_run_with_redeals_and_rounds_passed_out_passes(tmp_path, rules):
    bots = "random:bid=never,random:bid=never,random:bid=points"
    overrides = () if rules == "openspiel" else (("redeal_limit", "1"),)
    config = replace(CONFIG, rules=rules, bots=bots, overrides=overrides)
    run(tmp_path, config, Options(workers=1))
    table = pq.read_table(tmp_path / "rounds")
    assert "nobody" in table["side"].to_pylist()
    assert verify_run(tmp_path) == Verdict((), checked_rows=300, replayed=200)


@pytest.mark.parametrize(
    "override", [("bomb_doubles_from", "5"), ("spring", "false"), ("base", "7")]
)
def test_a_good_run_under_changed_rules_passes(tmp_path, override):
    config = replace(CONFIG, overrides=(override,))
    run(tmp_path, config, Options(workers=1))
    assert verify_run(tmp_path, sample=50).problems == ()


def test_a_good_run_of_several_parts_passes_and_its_hands_are_counted(tmp_path):
    config = RunConfig(seed=7, games=20_010, bots="random")
    run(tmp_path, config, Options(workers=1))
    rows: list[int] = []
    verdict = verify_run(tmp_path, progress=rows.append)
    assert verdict == Verdict((), checked_rows=20_010, replayed=200)
    assert rows == [10_000, 10_000, 10]


def test_what_a_killed_run_left_aside_is_no_fault(copy):
    (copy / "rounds" / ".part-00001.parquet.4711").write_bytes(b"half")
    assert verify_run(copy, sample=1).ok


@pytest.mark.parametrize("games", [1, 199, 200, 1000, 10**9])
def test_the_sample_is_spread_evenly(games):
    config = replace(CONFIG, games=games)
    numbers = sorted(sampled(config, 200))
    assert len(numbers) == min(games, 200)
    assert numbers[0] >= 50
    assert numbers[-1] < 50 + games
    stretch = games / len(numbers)
    for at, number in enumerate(numbers):
        assert math.floor(at * stretch) <= number - 50 <= (at + 1) * stretch
    assert sampled(config, 0) == frozenset()
    assert sampled(config, 200) == frozenset(numbers)
    assert games <= 200 or sampled(replace(config, seed=8), 200) != frozenset(numbers)


# Files


def test_a_truncated_part_is_named(copy):
    path = copy / ROUNDS
    path.write_bytes(path.read_bytes()[:-50])
    only(verify_run(copy), f"{ROUNDS}: does not read")


def test_a_part_that_is_garbled_inside_is_named(copy):
    path = copy / ROUNDS
    data = bytearray(path.read_bytes())
    for at in range(1000, 1400):
        data[at] ^= 0xFF
    path.write_bytes(bytes(data))
    only(verify_run(copy), ROUNDS)


@pytest.mark.parametrize("name", [ROUNDS, PLAYS])
def test_a_missing_part_is_named(copy, name):
    (copy / name).unlink()
    verdict = verify_run(copy)
    assert verdict.problems == (f"{name}: missing",)
    assert verdict.checked_rows == (0 if name == ROUNDS else 300)


@pytest.mark.parametrize("name", ["rounds/part-00001.parquet", "plays/notes.txt", "rounds/more"])
def test_a_stray_file_is_named(copy, name):
    (copy / name).write_text("stray")
    assert verify_run(copy, sample=1).problems == (f"{name}: not a part of this run",)


def test_turns_that_the_run_does_not_log_are_stray(tmp_path, whole):
    run(tmp_path, replace(CONFIG, log="rounds"), Options(workers=1))
    shutil.copytree(whole / "plays", tmp_path / "plays")
    assert verify_run(tmp_path, sample=1).problems == (f"{PLAYS}: not a part of this run",)


def test_a_part_of_another_run_is_named(copy, tmp_path):
    run(tmp_path / "other", replace(CONFIG, seed=8), Options(workers=1))
    shutil.copy(tmp_path / "other" / ROUNDS, copy / ROUNDS)
    verdict = verify_run(copy)
    only(verdict, f"{ROUNDS}: the footer's ddzsim.run is ")
    # Its rows say the same.
    assert any("round 50: run is not" in problem for problem in verdict.problems)
    assert any("round 50: deal is not the one" in problem for problem in verdict.problems)


def test_a_part_in_another_parts_place_is_named(tmp_path):
    run(tmp_path, RunConfig(seed=7, games=20_000, bots="random"), Options(workers=1))
    shutil.copy(tmp_path / ROUNDS, tmp_path / "rounds" / "part-00001.parquet")
    verdict = verify_run(tmp_path, sample=1)
    assert verdict.problems == (
        "rounds/part-00001.parquet: the footer's ddzsim.part is 0, not 1",
        "rounds/part-00001.parquet: row 0 is round 0, not round 10000",
    )


def test_a_part_with_other_columns_is_named(copy):
    path = copy / ROUNDS
    held = pq.read_table(path)
    pq.write_table(held.drop_columns(["kitty"]), path)
    only(verify_run(copy), f"{ROUNDS}: the columns are not the declared ones: kitty")
    at = held.column_names.index("stake")
    slim = pa.field("stake", pa.int32(), nullable=False, metadata=held.schema.field(at).metadata)
    pq.write_table(held.set_column(at, slim, held["stake"].cast(pa.int32())), path)
    only(verify_run(copy), f"{ROUNDS}: column stake is int32, the log declares int64")
    bare = held.schema.field(at).with_metadata({"unit": "dollars"})
    pq.write_table(held.set_column(at, bare, held["stake"]), path)
    only(verify_run(copy), f"{ROUNDS}: column stake has another meaning or unit")


def test_rows_that_are_dropped_or_moved_are_named(copy):
    edit(copy / ROUNDS, lambda rows: rows.pop(3))
    only(verify_run(copy), f"{ROUNDS}: 299 rows, the part has 300 rounds")


def test_rows_that_change_places_are_named(copy):
    def swap(rows):
        rows[3], rows[4] = rows[4], rows[3]

    edit(copy / ROUNDS, swap)
    only(verify_run(copy), f"{ROUNDS}: row 3 is round 54, not round 53")


def test_an_edit_without_a_new_hash_is_named_twice(copy):
    edit(copy / ROUNDS, lambda rows: rows[5].update(stake=12345), rehash=False)
    verdict = verify_run(copy, sample=0)
    assert verdict.problems[0] == (
        f"{ROUNDS}: the rows are not those that were written: their hash differs"
    )
    assert any(f"{ROUNDS}: round 55: stake" in problem for problem in verdict.problems)


# Rows, edited and hashed again: only what they say can tell


def flip_scores(row):
    for seat in range(3):
        row[f"score_{seat}"] *= -1


def swap_hands(row):
    for name in ("hand", "big", "fours", "fewest"):
        row[f"{name}_0"], row[f"{name}_1"] = row[f"{name}_1"], row[f"{name}_0"]


def swap_a_card(row):
    # A card of seat 0 for another of seat 1, so that 54 cards stay 54.
    high = max(rank for rank in range(15) if row["hand_0"] >> 4 * rank & 15)
    low = min(rank for rank in range(15) if row["hand_1"] >> 4 * rank & 15)
    for seat, sign in ((0, -1), (1, 1)):
        row[f"hand_{seat}"] += sign * ((1 << 4 * high) - (1 << 4 * low))


def move_a_card(row):
    low = next(rank for rank in range(15) if row["hand_0"] >> 4 * rank & 15)
    row["hand_0"] -= 1 << 4 * low
    row["hand_1"] += 1 << 4 * low


def double(row):
    row["multiplier"] *= 2
    row["stake"] *= 2
    for seat in range(3):
        row[f"score_{seat}"] *= 2


def other_side(row):
    row["side"] = "peasants" if row["side"] == "landlord" else "landlord"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (flip_scores, "scores are not what the stake gives (R8.4)"),
        (lambda row: row.update(score_0=row["score_0"] + 10), "scores do not sum to 0 (R8.4)"),
        (swap_hands, "the cards are not those of the deal and its redeals (R2.2)"),
        (swap_a_card, "the cards are not those of the deal and its redeals (R2.2)"),
        (move_a_card, "not 17 cards at each seat and 3 in the kitty (R2.1)"),
        (lambda row: row.update(kitty=row["kitty"] + 1), "not the deck's cards, each once (R2.1)"),
        (double, "multiplier is not 2 for each doubling (R8.2)"),
        (lambda row: row.update(multiplier=3), "multiplier is not 2 for each doubling (R8.2)"),
        (lambda row: row.update(stake=1), "stake is not base times bid times multiplier (R8.1)"),
        (lambda row: row.update(deal=row["deal"] + 3), "deal is not the one that the seed gives"),
        (lambda row: row.update(deal=-1), "deal is not from 0 to"),
        (lambda row: row.update(first=(row["first"] + 1) % 3), "first is not who speaks first"),
        (lambda row: row.update(first=3), "first is not from 0 to 2"),
        (lambda row: row.update(big_1=row["big_1"] + 1), "big is not what the hands hold (R11.1)"),
        (lambda row: row.update(fours_2=4), "fours is not what the hands hold (R11.1)"),
        (lambda row: row.update(fewest_1=0), "fewest is not from 1 to 17"),
        (lambda row: row.update(auction="0-0-0"), "landlord is not the one that the auction leads"),
        (lambda row: row.update(auction="3-3"), "auction is not one that the rules allow (R3)"),
        (lambda row: row.update(auction="0-1"), "auction is not one that the rules allow (R3)"),
        (lambda row: row.update(auction="x"), "auction is not one that the rules allow (R3)"),
        (lambda row: row.update(auction=""), "auction is not one that the rules allow (R3)"),
        (lambda row: row.update(redeals=1), "the cards are not those of the deal and its redeals"),
        (other_side, "side is wrongly"),
        (lambda row: row.update(side="somebody"), "side is wrongly"),
        (lambda row: row.update(winner=-1), "there is a winner if and only if"),
        (lambda row: row.update(turns=row["turns"] + 1), "winner is not who had the last turn"),
        (lambda row: row.update(turns=row["turns"] + 300), "turns do not fit the plays (R7)"),
        (lambda row: row.update(spring=1 - row["spring"]), "spring is not what the plays say"),
        (lambda row: row.update(anti_spring=1), "anti_spring is not what the plays say (R8.3)"),
        (lambda row: row.update(bombs=row["bombs"] + 1), "multiplier is not 2 for each doubling"),
        (lambda row: row.update(rockets=2), "rockets is not from 0 to 1"),
        (lambda row: row.update(bid=0), "bid is not the one that the auction leads to (R3)"),
        (lambda row: row.update(faults=-1), "faults are not from 0 to the turns"),
        (lambda row: row.update(rules="kawu"), "rules is not classic"),
        (lambda row: row.update(bot_1="hard"), "bot_1 is not easy"),
        (lambda row: row.update(run="0" * 16), f"run is not {CONFIG.run_id}"),
    ],
)
def test_an_edited_row_is_named(copy, change, text):
    def one(rows):
        # A round that had a landlord who made two plays or more, without redeals or a spring.
        at = next(
            at
            for at, row in enumerate(rows)
            if at >= 20 and row["redeals"] == 0 and row["spring"] == row["anti_spring"] == 0
        )
        changed.append(rows[at]["round"])
        change(rows[at])

    changed: list[int] = []
    edit(copy / ROUNDS, one)
    verdict = verify_run(copy, sample=0)
    found = [problem for problem in verdict.problems if text in problem]
    assert found, verdict.problems
    assert found[0].startswith(f"{ROUNDS}: round {changed[0]}: ")


def test_how_many_rounds_are_wrong_is_told_with_the_first(copy):
    edit(copy / ROUNDS, lambda rows: [flip_scores(row) for row in rows[10:14]])
    only(verify_run(copy, sample=0), f"{ROUNDS}: round 60: scores are not", "(and 3 more)")


@pytest.mark.parametrize(
    "change", [{"plays_0": 1, "plays_1": -1}, {"fewest_2": 1}, {"fewest_0": 1}]
)
def test_what_no_sum_can_tell_a_replay_does(copy, change):
    def every(rows):
        for row in rows:
            for name, by in change.items():
                row[name] += by

    edit(copy / ROUNDS, every)
    verdict = verify_run(copy)
    name = next(iter(change))
    assert any(f"played again it has {name}" in problem for problem in verdict.problems)


def test_a_round_that_was_passed_out_has_nothing(tmp_path):
    config = replace(CONFIG, games=20, bots="random:bid=never")
    run(tmp_path, config, Options(workers=1))
    assert verify_run(tmp_path).ok
    edit(tmp_path / ROUNDS, lambda rows: rows[2].update(bombs=1))
    only(verify_run(tmp_path, sample=0), "round 52: ")
    edit(tmp_path / ROUNDS, lambda rows: rows[2].update(bombs=0, redeals=5))
    verdict = verify_run(tmp_path, sample=0)
    assert any("passed out before the last redeal (R2.4)" in line for line in verdict.problems)


@pytest.mark.parametrize("forced", ["0", "1", "2", "rotate"])
def test_a_forced_landlord_is_the_forced_one(tmp_path, forced):
    run(tmp_path, replace(CONFIG, force_landlord=forced), Options(workers=1))
    manifest = json.loads((tmp_path / "run.json").read_text())
    other = {"0": "1", "1": "2", "2": "rotate", "rotate": "0"}[forced]
    manifest["config"]["force_landlord"] = other
    (tmp_path / "run.json").write_text(json.dumps(manifest))
    verdict = verify_run(tmp_path, sample=0)
    only(verdict, "run.json: run_id is ")
    assert any("landlord is not the seat it is without an auction" in at for at in verdict.problems)


# Turns


def a_follow(turns):
    """The position of a play that follows another one, and does not end the round."""
    return next(
        at
        for at in range(40, len(turns))
        if turns[at]["kind"] == turns[at - 1]["kind"] == "single" and turns[at]["left"]
    )


def pass_instead(turns):
    at = a_follow(turns)
    turns[at].update(cards=0, kind="pass", length=0, rank=-1)
    return at


def change_at_follow(**change):
    def edit_turn(turns):
        at = a_follow(turns)
        turns[at].update(change)
        return at

    return edit_turn


def play_lower(turns):
    at = a_follow(turns)
    turns[at].update(cards=1, rank=0)
    return at


def one_more_left(turns):
    at = a_follow(turns)
    turns[at]["left"] += 1
    return at


def drop(turns):
    at = a_follow(turns)
    del turns[at]
    return at


def number_wrongly(turns):
    at = a_follow(turns)
    turns[at]["turn"] += 1
    return at


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (pass_instead, "left is not what the seat holds after the turn"),
        (change_at_follow(kind="pair"), "cards do not read as the kind, length and rank (R4, R5)"),
        (change_at_follow(rank=14), "cards do not read as the kind, length and rank (R4, R5)"),
        (change_at_follow(length=2), "cards do not read as the kind, length and rank (R4, R5)"),
        (change_at_follow(seat=3), "seat is not the one whose turn it is (R7)"),
        (play_lower, "cards are not in the hand, or do not beat what stands (R6, R7)"),
        (one_more_left, "left is not what the seat holds after the turn"),
        (drop, "the number of turns is not that of the round"),
        (number_wrongly, "turns are not numbered from 0 in order"),
        (change_at_follow(round=5), "turns of round 5, not of this part"),
    ],
)
def test_an_edited_turn_is_named(copy, change, text):
    at: list[int] = []
    number: list[int] = []

    def one(turns):
        numbers = [turn["round"] for turn in turns]
        at.append(change(turns))
        number.append(numbers[at[0]])

    edit(copy / PLAYS, one)
    line = only(verify_run(copy, sample=0), PLAYS, text)
    assert f"round {number[0]}: " in line or "turns of round 5" in line


def test_legal_turns_that_were_not_played_are_named_by_a_replay(copy):
    # A seat leads a single, both others pass, and it leads another one that both pass: the other
    # way round it would have been legal too.
    def swap_leads(turns):
        pattern = ["pass", "pass", "single", "pass", "pass", "single", "pass", "pass"]
        for at in range(len(turns) - len(pattern)):
            window = turns[at : at + len(pattern)]
            lead, later = window[2], window[5]
            one_round = window[0]["round"] == window[-1]["round"]
            if one_round and [turn["kind"] for turn in window] == pattern:
                for name in ("cards", "rank"):
                    lead[name], later[name] = later[name], lead[name]
                number.append(lead["round"])
                if lead["rank"] != later["rank"]:
                    return

    number: list[int] = []
    edit(copy / PLAYS, swap_leads)
    due = f"{PLAYS}: round {number[-1]}: played again it has other turns"
    assert verify_run(copy, sample=300).problems == (due,)


# The manifest, and what has changed since


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"seed": 8}, "run.json: run_id is "),
        ({"games": 301}, "run.json: run_id is "),
        ({"rules": "kawu"}, "rules kawu: others then"),
        ({"bots": "nobody"}, "no bot 'nobody'"),
        ({"seed": None}, "seed=None"),
    ],
    ids=str,
)
def test_an_edited_manifest_is_named(copy, change, text):
    path = copy / "run.json"
    manifest = json.loads(path.read_text())
    manifest["config"].update(change)
    path.write_text(json.dumps(manifest))
    verdict = verify_run(copy, sample=0)
    assert any(text in line for line in (*verdict.problems, *verdict.notes))


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"schema": 1}'])
def test_a_manifest_that_does_not_read_is_named(copy, text):
    path = copy / "run.json"
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    verdict = verify_run(copy)
    assert len(verdict.problems) == 1
    assert "run.json" in verdict.problems[0]
    assert (verdict.checked_rows, verdict.replayed) == (0, 0)


def test_a_bot_that_has_changed_is_noted_and_the_rest_is_checked(copy, monkeypatch):
    newer = replace(seats.BOTS["random"], version=99)
    monkeypatch.setitem(seats.BOTS, "random", newer)
    verdict = verify_run(copy)
    assert verdict.problems == ()
    assert verdict.notes == ("random: version 1 then, 99 now: no round is played again",)
    assert (verdict.checked_rows, verdict.replayed) == (300, 0)
    edit(copy / ROUNDS, lambda rows: flip_scores(rows[1]))
    only(verify_run(copy), f"{ROUNDS}: round 51: scores are not what the stake gives (R8.4)")


def test_a_generator_that_has_changed_is_noted_and_files_are_checked(copy, monkeypatch):
    monkeypatch.setattr(rng, "VERSION", 99)
    verdict = verify_run(copy)
    assert (verdict.problems, verdict.checked_rows) == ((), 0)
    assert verdict.notes == ("generator: version 1 then, 99 now: rows are not checked",)
    edit(copy / ROUNDS, lambda rows: flip_scores(rows[1]), rehash=False)
    only(verify_run(copy), "their hash differs")


# Auctions


@pytest.mark.parametrize(
    ("text", "first", "rules", "end"),
    [
        ("3", 1, CLASSIC, (1, 3)),
        ("0-1-2", 1, CLASSIC, (0, 2)),
        ("0-0-0", 2, CLASSIC, (-1, 0)),
        ("1-2-0-3", 0, TABLETOP, (0, 3)),
        ("1-2-0-3", 0, CLASSIC, None),
        ("0-0-1", 0, TABLETOP, None),
        ("2-1-0", 0, CLASSIC, None),
        ("4", 0, CLASSIC, None),
        ("1--2", 0, CLASSIC, None),
    ],
)
def test_where_an_auctions_text_leads(text, first, rules, end):
    assert auction_end(text, first, rules) == end


# Whether hands come as often as they must


def test_the_exact_chances_are_the_known_ones():
    # numbers.md, 17 cards: big cards P(0..6), and bombs with the rocket P(0..3).
    chances = fairness.exact_chances()
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    big = (0.090013, 0.286917, 0.347778, 0.204575, 0.061373, 0.008865, 0.000479)
    assert chances.sum(1) == pytest.approx(big, abs=5e-7)
    bombs = (0.815111, 0.176974, 0.007847, 0.000068)
    assert chances.sum(0)[:4] == pytest.approx(bombs, abs=5e-7)
    # Its table of both, per cent: rows of 0, 2 and 6 big cards.
    assert chances[0, :3] * 100 == pytest.approx((7.718, 1.245, 0.038), abs=5e-4)
    assert chances[2, :4] * 100 == pytest.approx((29.763, 4.785, 0.226, 0.003), abs=5e-4)
    assert chances[6, :4] * 100 == pytest.approx((0, 0, 0.047, 0.001), abs=5e-4)


@pytest.mark.parametrize("freedom", [8, 12, 16, 24])
def test_the_limit_is_about_what_chance_passes_once_in_a_million(freedom):
    exact = scipy_stats.chi2.isf(1e-6, freedom)
    # Never below, so that the approximation refuses no good run.
    assert exact <= fairness.limit(freedom) <= 1.03 * exact


def test_the_statistic_is_pearsons():
    chances = np.array([[0.5, 0.3], [0.2, 0.0]])
    counts = np.array([[480, 330], [190, 0]])
    expected = scipy_stats.chisquare([480, 330, 190], [500, 300, 200])
    statistic, freedom = fairness.chi_square(counts, chances)
    assert statistic == pytest.approx(expected.statistic)
    assert freedom == 2


@pytest.mark.parametrize("hands", [10_000, 100_000, 10**9])
def test_fair_hands_are_fair(hands):
    draw = np.random.default_rng(1)
    chances = fairness.exact_chances()
    for _ in range(200):
        counts = draw.multinomial(hands, chances.ravel()).reshape(chances.shape)
        assert fairness.unfair(counts) == ""


def test_hands_that_come_too_often_are_found():
    draw = np.random.default_rng(1)
    chances = fairness.exact_chances().copy()
    # One hand in four that would hold no big card is dealt as one with two: of 20,000 hands 1,544
    # become 1,158, which alone is 386^2 / 1,544 = 96, and 66 is the limit.
    chances[2, 0] += chances[0, 0] / 4
    chances[0, 0] *= 3 / 4
    counts = draw.multinomial(20_000, chances.ravel()).reshape(chances.shape)
    assert "dealt hands do not come as often as they must" in fairness.unfair(counts)
    assert fairness.unfair(counts // 3) == ""


def test_a_run_of_unfair_deals_is_refused(tmp_path, monkeypatch):
    config = RunConfig(seed=7, games=10_000, bots="random")
    run(tmp_path, config, Options(workers=1))
    assert verify_run(tmp_path, sample=0).ok
    skewed = fairness.exact_chances().copy()
    skewed[3] *= 0.8
    monkeypatch.setattr(fairness, "exact_chances", lambda decks: skewed / skewed.sum())
    verdict = verify_run(tmp_path, sample=0)
    assert len(verdict.problems) == 1
    only(verdict, "rounds: dealt hands do not come as often as they must: chi-square")


def test_hands_are_those_dealt_first_and_not_those_played(tmp_path):
    # Nobody but seat 2 bids, and only on a strong hand: the hands played are far too strong.
    bots = "random:bid=never,random:bid=never,random:bid=points"
    config = RunConfig(seed=7, games=10_000, bots=bots)
    run(tmp_path, config, Options(workers=1))
    table = pq.read_table(tmp_path / ROUNDS, columns=["big_2", "redeals", "deal"])
    again = table["redeals"].to_numpy() > 0
    assert 0.2 < again.mean() < 0.3
    dealt = [sum(Deal.from_index(deal).hands[2].counts[12:]) for deal in table["deal"].to_pylist()]
    assert table["big_2"].to_numpy().mean() > np.mean(dealt) + 0.2
    assert verify_run(tmp_path, sample=0).ok


@pytest.mark.slow
def test_a_large_run_passes(tmp_path):
    run(tmp_path, RunConfig(seed=1, games=1_000_000, bots="random"), Options(workers=1))
    verdict = verify_run(tmp_path)
    assert verdict.problems == ()
    assert verdict.checked_rows == 1_000_000
