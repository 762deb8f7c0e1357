"""`ddzsim counterfactual`: each deal once for each seat as the landlord, a run like any other."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from shell import complaint, done, parts_of

from ddzsim.bots import seats
from ddzsim.core.jit import COMPILED
from ddzsim.engine.config import EACH, RunConfig
from ddzsim.engine.dataset import read_run
from ddzsim.engine.parts import play_part
from ddzsim.errors import ConfigError

DEALS = 400 if COMPILED else 4
BOTS = "hard" if COMPILED else "random"
CONFIG = RunConfig(seed=11, games=3 * DEALS, bots=BOTS, force_landlord=EACH)


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return play_part(CONFIG, 0).rounds


def test_a_deal_is_played_once_for_each_landlord(rows):
    assert rows["round"].tolist() == list(range(3 * DEALS))
    assert rows["landlord"].tolist() == [0, 1, 2] * DEALS
    by_deal = rows["deal"].reshape(-1, 3)
    assert (by_deal == by_deal[:, :1]).all()
    assert len(np.unique(by_deal[:, 0])) == DEALS
    assert (rows["bid"] == 1).all()


def test_the_deals_are_those_of_a_run_with_the_seed(rows):
    alone = play_part(replace(CONFIG, games=DEALS, force_landlord="off"), 0).rounds
    assert rows["deal"][::3].tolist() == alone["deal"].tolist()


def test_a_landlord_plays_as_in_a_run_where_it_is_forced(rows):
    for seat in range(3):
        forced = play_part(replace(CONFIG, games=DEALS, force_landlord=str(seat)), 0).rounds
        mine = rows[seat::3]
        for name in set(rows.dtype.names) - {"round"}:
            assert mine[name].tolist() == forced[name].tolist(), name


def test_points_after_an_auction_are_those_of_the_table_times_the_bid(rows):
    """A play that does not read the auction makes the round of any auction one of these three."""
    bid = play_part(
        replace(CONFIG, games=DEALS, force_landlord="off", overrides=(("redeal_limit", "0"),)),
        0,
    ).rounds
    had = bid["landlord"] >= 0
    mine = rows.reshape(-1, 3)[np.arange(DEALS), bid["landlord"]][had]
    assert (mine["score"] * bid["bid"][had, None] == bid["score"][had]).all()
    assert (mine["turns"] == bid["turns"][had]).all()


def test_turns_are_in_the_order_of_the_rounds():
    played = play_part(replace(CONFIG, games=30, log="plays"), 0)
    assert (np.diff(played.plays["round"]) >= 0).all()
    counts = np.bincount(played.plays["round"])
    assert counts.tolist() == played.rounds["turns"].tolist()


def test_parts_hold_whole_deals():
    config = replace(CONFIG, games=300_000)
    assert config.part_games % 3 == 0
    first, count = config.part_range(config.parts - 1)
    assert first % 3 == count % 3 == 0
    assert first + count == 300_000


def test_the_command_plays_verifies_and_resumes(tmp_path):
    place = str(tmp_path / "table")
    words = ("--bots", "random", "--seed", "5", "--log", "plays", "-j1")
    text = done("counterfactual", "--deals", "40", *words, "--out", place)
    assert text.startswith(
        "120 rounds · rules classic · seed 5 · each deal once for each seat as the landlord"
    )
    assert "Points a round" not in text
    assert "120 rows checked" in done("verify", place)
    whole = parts_of(tmp_path / "table")
    (tmp_path / "table/rounds/part-00000.parquet").unlink()
    done("counterfactual", "--resume", "--out", place, "-j1")
    assert parts_of(tmp_path / "table") == whole
    assert json.loads(done("summary", place, "--json"))["force_landlord"] == EACH
    assert read_run(place).config.group == 3
    more = complaint("counterfactual", "--resume", "--deals", "50", "--out", place)
    assert more.startswith("--deals 50 (flag): the run in ")
    assert " has 40; leave it out" in more
    assert "holds a run of `ddzsim counterfactual`" in complaint("run", "--resume", "--out", place)


def test_deals_are_counted_from_first(tmp_path):
    words = ("--bots", "random", "--seed", "5", "-j1")
    done("counterfactual", "--deals", "4", *words, "--out", str(tmp_path / "a"))
    done("counterfactual", "--deals", "2", "--first", "2", *words, "--out", str(tmp_path / "b"))
    whole, later = (read_run(str(tmp_path / name)).pandas() for name in "ab")
    assert later["round"].tolist() == whole["round"][6:].tolist()
    assert later["deal"].tolist() == whole["deal"][6:].tolist()


def test_four_players_have_four_rounds_a_deal(tmp_path):
    place = str(tmp_path / "table")
    words = ("--rules", "tabletop-4p", "--set", "doubling=false", "--bots", "random", "-s1", "-j1")
    done("counterfactual", "-n", "3", *words, "--out", place)
    assert read_run(place).pandas()["landlord"].tolist() == [0, 1, 2, 3] * 3
    assert "is sound" in done("verify", place)


def test_rules_with_doubling_are_refused(tmp_path):
    words = ("--rules", "tabletop-doubling", "--bots", "random", "--out", str(tmp_path / "x"))
    assert complaint("counterfactual", *words) == (
        "force-landlord=each: not under rules with doubling, which depends on the bid (R3.5), as "
        "tabletop-doubling has it"
    )
    assert not (tmp_path / "x").exists()


def test_a_bot_that_reads_the_auction_is_refused_by_name(monkeypatch):
    nosy = replace(seats.BOTS["random"], name="nosy", reads_auction=True)
    monkeypatch.setitem(seats.BOTS, "nosy", nosy)
    with pytest.raises(ConfigError, match="the play of nosy depends on the auction"):
        replace(CONFIG, bots="random,nosy,random")


def test_rounds_that_do_not_make_whole_deals_are_refused():
    with pytest.raises(ConfigError, match=r"games=100: a multiple of 3 with force-landlord=each"):
        replace(CONFIG, games=100)
