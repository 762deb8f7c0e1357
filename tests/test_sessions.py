"""Sessions (R8.5, R8.6, R9): chips, exits, totals, how they end; their runs, checks and summary."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shell import complaint, done, parts_of
from test_verify import edit, only

from ddzsim import schema
from ddzsim.core.jit import COMPILED
from ddzsim.core.session import draw_exit, settle_exit, settle_legs
from ddzsim.deals import Deal, deal_codes
from ddzsim.engine import parts as engine_parts
from ddzsim.engine.config import RunConfig, SessionTerms
from ddzsim.engine.dataset import Run, read_run
from ddzsim.engine.parts import play_part
from ddzsim.engine.run import Options, run
from ddzsim.engine.verify import verify_run
from ddzsim.errors import ConfigError
from ddzsim.sessions import sessions_facts
from ddzsim.stats import SessionTally
from ddzsim.table import play

Rows = list[dict[str, Any]]

STAKES = RunConfig(
    seed=11,
    games=120 if COMPILED else 6,
    bots="random,easy,random",
    rules="stakes",
    log="plays",
    session=SessionTerms(hands=200, chips=40, stake=3, quit_rate=0.03),
)
TABLETOP = RunConfig(
    seed=12,
    games=60 if COMPILED else 3,
    bots="random",
    rules="tabletop",
    session=SessionTerms(hands=9, quit_rate=0.02),
)
FOUR = RunConfig(
    seed=13,
    games=40 if COMPILED else 2,
    bots="random",
    rules="tabletop-4p",
    session=SessionTerms(hands=12, chips=15, quit_rate=0.05),
)
MIRRORED = replace(
    STAKES, log="rounds", games=30 if COMPILED else 6, session=replace(STAKES.session, mirror=True)
)
DOUBLING = replace(
    TABLETOP,
    games=40 if COMPILED else 3,
    bots="random:double=always",
    rules="tabletop-doubling",
    session=SessionTerms(hands=9, chips=25, quit_rate=0.05),
)
CONFIGS = {
    "stakes": STAKES,
    "doubling": DOUBLING,
    "tabletop": TABLETOP,
    "four": FOUR,
    "mirrored": MIRRORED,
}


@pytest.fixture(scope="module", params=CONFIGS)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs of each sort, played in this process."""
    if request.param == "four" and not COMPILED:
        pytest.skip("the table that ranks deals of two decks takes minutes uncompiled")
    return play_into(tmp_path_factory.mktemp("sessions") / "run", CONFIGS[request.param])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run at table stakes."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    run(folder, STAKES, Options(workers=1))
    return folder


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """A copy of it to damage."""
    shutil.copytree(whole, tmp_path / "run")
    return tmp_path / "run"


def play_into(folder: Path, config: RunConfig) -> Run:
    run(folder, config, Options(workers=1))
    return read_run(folder)


def by_session(held: Run) -> dict[int, Rows]:
    """The rounds of each session."""
    sessions = defaultdict(list)
    for row in held.arrow().to_pylist():
        sessions[row["session"]].append(row)
    return sessions


def seats_of(row: dict[str, Any], name: str, players: int) -> list[Any]:
    return [row[f"{name}_{seat}"] for seat in range(players)]


# R8.5: table stakes


@pytest.mark.parametrize(
    ("legs", "landlord", "chips", "settled"),
    [
        # All can pay: nothing is cut.
        ([0, 6, 6], 0, [20, 10, 10], [0, 6, 6]),
        # A peasant with 4 chips loses, or wins, 4 of 6; the other leg stands.
        ([0, 6, 6], 0, [20, 4, 10], [0, 4, 6]),
        # The landlord has 10 for two legs of 8: 8 x 10/16 = 5 each.
        ([0, 8, 8], 0, [10, 50, 50], [0, 5, 5]),
        # It has 7: 8 x 7/16 = 3.5, so 3 each, and the 1 left over goes to the seat next in turn.
        ([0, 8, 8], 0, [7, 50, 50], [0, 4, 3]),
        # Next in turn after seat 1 is seat 2.
        ([8, 0, 8], 1, [50, 7, 50], [3, 0, 4]),
        ([8, 8, 0], 2, [50, 50, 7], [4, 3, 0]),
        # Legs are capped first: 3 and 8 of 10 chips are 3 x 10/11 = 2.7 and 8 x 10/11 = 7.3.
        ([0, 8, 8], 0, [10, 3, 50], [0, 3, 7]),
        # Capped legs of 2 and 8 are all that the landlord has: nothing is left to share.
        ([0, 8, 8], 0, [10, 2, 50], [0, 2, 8]),
        # Legs of x1 and x2: 4 x 9/12 = 3 and 8 x 9/12 = 6.
        ([0, 4, 8], 0, [9, 50, 50], [0, 3, 6]),
        # Four players, 2 chips for three legs of 1: 2/3 each is 0; both go on in turn, one each.
        ([1, 1, 0, 1], 2, [1, 1, 2, 1], [1, 0, 0, 1]),
    ],
)
def test_r8_5_legs_are_cut_to_what_the_seats_have(legs, landlord, chips, settled):
    held = np.array(legs, np.int64)
    settle_legs(held, landlord, np.array(chips, np.int64), len(legs))
    assert held.tolist() == settled


@given(
    players=st.integers(3, 4),
    landlord=st.integers(0, 2),
    legs=st.lists(st.integers(1, 10**9), min_size=4, max_size=4),
    chips=st.lists(st.integers(1, 10**9), min_size=4, max_size=4),
)
def test_r8_5_agrees_with_the_naive_one_and_keeps_within_the_chips(players, landlord, legs, chips):
    held = np.array(legs[:players], np.int64)
    held[landlord] = 0
    peasants = [(landlord + step) % players for step in range(1, players)]
    expected = naive.pay_within_chips(
        {seat: legs[seat] for seat in peasants}, landlord, False, dict(enumerate(chips))
    )
    settle_legs(held, landlord, np.array(chips[:players], np.int64), players)
    assert {seat: held[seat] for seat in peasants} == {seat: expected[seat] for seat in peasants}
    assert -expected[landlord] == held.sum() <= chips[landlord]
    assert all(held[seat] <= min(legs[seat], chips[seat]) for seat in peasants)


# R8.6: exits


@pytest.mark.parametrize(
    ("stake", "leaver", "chips", "won"),
    [
        # Before a landlord exists: 3 points, 1.5 to each other seat.
        (1, 0, None, [-3, 1.5, 1.5]),
        # A bid of 2 and one bomb: 3 x 2 x 2 = 12, at 5 dollars a point 60.
        (20, 1, None, [30, -60, 30]),
        # Four players: a third of it each.
        (4, 3, None, [4, 4, 4, -12]),
        # The seat has 5 chips: 2.5 each. No more than it had (R8.5).
        (20, 2, [40, 40, 5], [2.5, 2.5, -5]),
        # Seat 0 had 1 chip and wins no more than that: 1 + 30.
        (20, 1, [1, 100, 100], [1, -31, 30]),
        # 2 chips for three seats are 4 halves: one each, and the next in turn has one more.
        (20, 3, [9, 9, 9, 2], [1, 0.5, 0.5, -2]),
    ],
)
def test_r8_6_who_leaves_pays_three_stakes_and_each_other_seat_gets_its_part(
    stake, leaver, chips, won
):
    players = len(won)
    limits = np.array([2 * held for held in chips or [10**9] * players], np.int64)
    shares = np.zeros(players, np.int64)
    settle_exit(2 * 3 * stake, leaver, limits, players, shares)
    shares[leaver] = -shares.sum()
    assert [share / 2 for share in shares.tolist()] == won
    purse = None if chips is None else {seat: Fraction(held) for seat, held in enumerate(chips)}
    assert naive.leave(stake, leaver, players, purse) == dict(enumerate(won))


def test_r8_6_exits_come_as_often_as_asked_and_from_every_seat_and_moment():
    count = 20_000 if COMPILED else 2000
    drawn = [draw_exit(deal, 0, 10, 0.2, 3) for deal in range(count)]
    left = [at for at in drawn if at >= 0]
    # Four standard errors of a share of 0.2, and of cells of one in thirty.
    assert abs(len(left) / count - 0.2) < 4 * (0.2 * 0.8 / count) ** 0.5
    cells = Counter(left)
    assert set(cells) == set(range(30))
    due = len(left) / 30
    assert max(abs(cell - due) for cell in cells.values()) < 5 * due**0.5
    assert drawn[:100] == [draw_exit(deal, 0, 10, 0.2, 3) for deal in range(100)]
    assert not any(draw_exit(deal, 0, 10, 0.0, 3) >= 0 for deal in range(100))
    assert all(draw_exit(deal, 0, 10, 1.0, 3) >= 0 for deal in range(100))


def test_r8_6_rows_that_a_seat_left_say_what_had_been_played(played):
    left = [row for rows in by_session(played).values() for row in rows if row["leaver"] >= 0]
    for row in left:
        assert row["winner"] == -1
        assert row["side"] == "nobody"
        assert not any(seats_of(row, "score", played.config.ruleset.players))
        if row["landlord"] < 0:
            assert (row["bid"], row["stake"], row["turns"]) == (0, 0, 0)
    assert left or not COMPILED


# R8.5, R9: what holds in every session


def test_money_is_neither_created_nor_lost_and_follows_from_the_clauses(played):
    players, terms = played.config.ruleset.players, played.config.session
    for rows in by_session(played).values():
        totals = [Fraction(0)] * players
        for row in rows:
            before = {seat: terms.chips + total for seat, total in enumerate(totals)}
            won = expected_won(row, before if terms.chips else None, played.config)
            assert seats_of(row, "won", players) == [won[seat] for seat in range(players)]
            totals = [total + won[seat] for seat, total in enumerate(totals)]
            assert sum(totals) == 0
            assert seats_of(row, "total", players) == totals
            if terms.chips:
                assert seats_of(row, "chips_before", players) == list(before.values())
                after = seats_of(row, "chips_after", players)
                assert after == [terms.chips + total for total in totals]
                assert sum(after) == players * terms.chips
                assert min(after) >= 0
                assert all(abs(won[seat]) <= before[seat] for seat in won)
            else:
                assert row["chips_before_0"] is row["chips_after_0"] is None


def expected_won(
    row: dict[str, Any], chips: dict[int, Any] | None, config: RunConfig
) -> dict[int, Fraction]:
    """What each seat wins in a round, by the clauses."""
    players, terms = config.ruleset.players, config.session
    assert terms is not None
    if row["leaver"] >= 0:
        stake = row["stake"] if row["landlord"] >= 0 else config.ruleset.base
        return naive.leave(stake * terms.stake, row["leaver"], players, chips)
    if row["landlord"] < 0:
        return dict.fromkeys(range(players), Fraction(0))
    landlord = row["landlord"]
    legs = {
        seat: row["stake"] * (row[f"leg_{seat}"] or 1) * terms.stake
        for seat in ((landlord + step) % players for step in range(1, players))
    }
    purse = dict.fromkeys(range(players), 10**15) if chips is None else chips
    return naive.pay_within_chips(legs, landlord, row["side"] == "landlord", purse)


def test_r9_2_a_session_ends_for_exactly_one_of_its_reasons(played):
    players, terms = played.config.ruleset.players, played.config.session
    rounds = by_session(played)
    sessions = played.arrow("sessions").to_pylist()
    assert [row["session"] for row in sessions] == list(range(played.config.games))
    for session in sessions:
        rows = rounds[session["session"]]
        assert session["rounds"] == len(rows) <= terms.hands
        broke = [0 in seats_of(row, "chips_after", players) for row in rows]
        left = [row["leaver"] >= 0 for row in rows]
        assert not any(broke[:-1])
        assert not any(left[:-1])
        ended = "exit" if left[-1] else "ruin" if broke[-1] else "hands"
        assert session["ended"] == ended
        assert ended != "hands" or len(rows) == terms.hands
        assert session["leaver"] == rows[-1]["leaver"]
        assert seats_of(session, "total", players) == seats_of(rows[-1], "total", players)
        assert seats_of(session, "chips", players) == seats_of(rows[-1], "chips_after", players)


def test_r9_1_the_highest_total_wins_and_ties_are_ties(played):
    players = played.config.ruleset.players
    for session in played.arrow("sessions").to_pylist():
        totals = seats_of(session, "total", players)
        highest = [int(total == max(totals)) for total in totals]
        assert seats_of(session, "first_place", players) == highest
        assert session["winners"] == sum(highest)


def test_r2_3_the_first_bidder_moves_on_in_each_session_of_stakes(whole):
    for rows in by_session(read_run(whole)).values():
        for hand, row in enumerate(rows):
            assert row["hand_number"] == hand
            # A redeal is part of the same round, and the next seat speaks first (R2.4).
            assert row["first"] == (hand + row["redeals"]) % 3


@pytest.mark.skipif(not COMPILED, reason="takes many rounds")
def test_r2_3_the_first_bidder_is_drawn_in_a_session_of_tabletop():
    rows = play_part(replace(TABLETOP, games=300), 0)
    opening = rows.rounds["first"][rows.money["hand_number"] == 0]
    # 300 draws of three seats: 100 each, and five standard deviations of 8.2.
    assert min(np.bincount(opening)) > 100 - 41


def test_deals_are_distinct_and_a_row_replays_by_its_code(played):
    rows = [row for rows in by_session(played).values() for row in rows]
    config = played.config
    numbers = [row["round"] for row in rows]
    assert numbers == sorted(set(numbers))
    deals = {(row["deal"], row["deal_high"]) for row in rows}
    if config.group == 1:
        assert len(deals) == len(rows)
    row = next(row for row in rows if row["leaver"] < 0)
    (code,) = deal_codes([row["deal"]], None if row["deal_high"] is None else [row["deal_high"]])
    bots = seats_of(row, "bot", config.ruleset.players)
    game = play(Deal.from_code(code), bots, config.ruleset)
    assert list(game.scores) == seats_of(row, "score", config.ruleset.players)


# Mirrored sessions


def test_sessions_of_a_block_have_the_same_deals_and_the_bots_move_on(tmp_path):
    held = play_into(tmp_path / "run", MIRRORED)
    rounds = by_session(held)
    for session, rows in rounds.items():
        twins = rounds[session - session % 3]
        for row, twin in zip(rows, twins, strict=False):
            assert row["deal"] == twin["deal"]
        bots = ["random", "easy", "random"]
        shift = session % 3
        assert seats_of(rows[0], "bot", 3) == [bots[(seat - shift) % 3] for seat in range(3)]


def test_a_bot_against_itself_has_an_even_share_in_every_block(tmp_path):
    """The mirror: whatever the cards, equal bots on the same deals come out equal (R10.5)."""
    config = replace(MIRRORED, bots="easy", rules="tabletop")
    tally = run(tmp_path / "run", config, Options(workers=1)).sessions
    facts = sessions_facts(tally, config)
    for player in facts["players"]:
        assert player["share"]["mean"] == pytest.approx(1 / 3)
        assert player["share"]["half_width"] == pytest.approx(0, abs=1e-6)
        assert player["total"]["mean"] == 0
        assert player["total"]["half_width"] == pytest.approx(0, abs=1e-6)


# Runs


@pytest.mark.skipif(not COMPILED, reason="plays in other processes")
def test_the_bytes_do_not_depend_on_workers_blocks_or_an_interruption(whole, copy, monkeypatch):
    assert len(read_run(whole).parts("sessions")) == 3
    for table in ("rounds", "sessions", "plays"):
        shutil.copytree(whole, copy.parent / table)
        (copy.parent / table / table / "part-00001.parquet").unlink()
        run(copy.parent / table, STAKES, Options(workers=1, resume=True))
        assert parts_of(copy.parent / table) == parts_of(whole)
    run(copy.parent / "workers", STAKES, Options(workers=2))
    assert parts_of(copy.parent / "workers") == parts_of(whole)
    monkeypatch.setattr(engine_parts, "BLOCK_WITH_PLAYS", 20_000)
    run(copy.parent / "blocks", STAKES, Options(workers=1))
    assert parts_of(copy.parent / "blocks") == parts_of(whole)


def test_a_session_does_not_depend_on_the_others_of_its_run():
    whole = play_part(replace(STAKES, games=4), 0)
    last = play_part(replace(STAKES, first=3, games=1), 0)
    assert whole.sessions[3:].tobytes() == last.sessions.tobytes()
    rows = whole.money["session"] == 3
    assert whole.rounds[rows].tobytes() == last.rounds.tobytes()


def test_compiled_and_uncompiled_sessions_are_the_same():
    config = replace(STAKES, games=2, log="rounds", session=replace(STAKES.session, hands=8))
    played = play_part(config, 0)
    digest = hashlib.sha256(played.money.tobytes() + played.sessions.tobytes()).hexdigest()
    # One pin for both ways to run kernels; it changes with the rows' layout and the bots.
    assert digest[:16] == "e35616e9cf528840"


def test_parts_hold_whole_blocks_of_sessions():
    config = RunConfig(seed=1, games=30_000, session=SessionTerms(hands=9, mirror=True))
    ranges = [config.part_range(part) for part in range(config.parts)]
    assert sum(count for _, count in ranges) == 30_000
    assert all(first % 3 == count % 3 == 0 for first, count in ranges)
    assert all(first + count == after for (first, count), (after, _) in pairwise(ranges))
    long = RunConfig(seed=1, games=6, session=SessionTerms(hands=10_000))
    assert (long.part_games, long.parts) == (1, 6)
    assert replace(long, games=2, session=None).identity().keys() == {*RunConfig(seed=1).identity()}


def test_the_tally_of_the_files_is_that_of_the_run(played, tmp_path):
    again = run(tmp_path / "run", played.config, Options(workers=1))
    held = played.tally()
    assert again.rounds == held.rounds
    one, other = again.sessions, held.sessions
    assert one.totals == other.totals
    assert sessions_facts(one, played.config) == sessions_facts(other, played.config)
    assert held.exits == one.ended[schema.ENDINGS.index("exit")] == one.left.sum()


def test_tallies_of_parts_add_up(whole):
    table = read_run(whole).arrow("sessions")
    half = len(table) // 2
    both = SessionTally.of(table[:half], 3, 1) + SessionTally.of(table[half:], 3, 1)
    at_once = SessionTally.of(table, 3, 1)
    assert both.totals == at_once.totals
    assert np.allclose(both.points, at_once.points)
    assert both.sessions == at_once.sessions == len(table)


def test_quantiles_are_those_of_the_sorted_totals(whole):
    table = read_run(whole).arrow("sessions")
    tally = SessionTally.of(table, 3, 1)
    totals = np.sort(table["total_1"].to_numpy())
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        due = np.quantile(totals, share, method="inverted_cdf")
        assert tally.quantile(1, share) == due


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"hands": 0}, "hands=0: a whole number from 1 to 10000"),
        ({"chips": -1}, "chips=-1: a whole number from 0 to 1000000000"),
        ({"stake": 0}, "stake=0: a whole number from 1 to 100000"),
        ({"quit_rate": 1.5}, "quit-rate=1.5: a share from 0.0 to 1.0"),
        ({"quit_rate": float("nan")}, "quit-rate=nan: a share from 0.0 to 1.0"),
        ({"mirror": 1}, "mirror=1: true or false"),
    ],
)
def test_terms_that_cannot_be_are_refused(change, reason):
    with pytest.raises(ConfigError, match=f"^{reason}$"):
        SessionTerms(**change)


def test_what_a_run_of_sessions_cannot_be_is_refused():
    terms = SessionTerms(mirror=True)
    with pytest.raises(ConfigError, match="games=10: a multiple of 3 with mirror"):
        RunConfig(seed=1, games=10, session=terms)
    with pytest.raises(ConfigError, match="first=1: a multiple of 3 with mirror"):
        RunConfig(seed=1, games=9, first=1, session=terms)
    with pytest.raises(ConfigError, match="force-landlord: not in sessions"):
        RunConfig(seed=1, force_landlord="rotate", session=SessionTerms())


def test_every_term_is_part_of_the_run_id():
    ids = {STAKES.run_id, replace(STAKES, session=None).run_id}
    for change in ({"hands": 5}, {"chips": 7}, {"stake": 2}, {"quit_rate": 0.5}, {"mirror": True}):
        ids.add(replace(STAKES, session=replace(STAKES.session, **change)).run_id)
    assert len(ids) == 7
    manifest = json.loads(json.dumps(STAKES.manifest()))
    assert RunConfig.from_manifest(manifest) == STAKES


# Checks


def test_good_runs_of_sessions_pass(played):
    verdict = verify_run(played.store.shown("").rstrip("/"), sample=40)
    assert verdict.problems == ()
    assert verdict.checked_rows == len(played.arrow())
    assert verdict.replayed == min(40, played.config.games)


def _pay_more(rows: Rows) -> None:
    rows[3]["won_0"] += 1
    rows[3]["won_1"] -= 1


def _change(at: int, **values: Any) -> Any:
    def change(rows: Rows) -> None:
        rows[at] |= values

    return change


ROUNDS, SESSIONS = "rounds/part-00000.parquet", "sessions/part-00000.parquet"


@pytest.mark.parametrize(
    ("file", "change", "texts"),
    [
        (ROUNDS, _change(2, chips_after_1=7.0), (ROUNDS, "chips_after is not", "R8.5")),
        (ROUNDS, _change(2, chips_before_2=7.5), (ROUNDS, "chips_before is not", "R8.5")),
        (ROUNDS, _change(0, total_0=0.25), (ROUNDS, "no multiple of one half")),
        (ROUNDS, _change(0, won_0=1000.0), (ROUNDS, "won does not sum to 0")),
        (ROUNDS, _pay_more, (ROUNDS, "total is not the sum")),
        (ROUNDS, _change(1, hand_number=5), (ROUNDS, "not the next round of its session")),
        (ROUNDS, lambda rows: rows.pop(4), (ROUNDS, "rows, the sessions have")),
        (SESSIONS, _change(0, session=9), (SESSIONS, "session 9", "not the next session")),
        (SESSIONS, lambda rows: rows.pop(), (SESSIONS, "rows, the part has")),
        (SESSIONS, _change(1, total_0=1.0), (SESSIONS, "session 1", "total is not")),
        (SESSIONS, _change(1, chips_0=1.0), (SESSIONS, "session 1", "chips are not")),
        (SESSIONS, _change(1, winners=3), (SESSIONS, "session 1", "highest total (R9.1)")),
        (SESSIONS, _change(1, ended="hands"), (SESSIONS, "session 1", "ended is wrongly hands")),
        (SESSIONS, _change(1, first_round=3), (SESSIONS, "session 1", "first_round is not")),
        (SESSIONS, _change(1, bot_0="hard"), (SESSIONS, "session 1", "bot_0 is not random")),
    ],
)
def test_altered_sessions_are_found(copy, file, change, texts):
    edit(copy / file, change)
    only(verify_run(copy, sample=0), *texts)


def test_a_missing_table_of_sessions_is_found(copy):
    (copy / SESSIONS).unlink()
    only(verify_run(copy, sample=0), SESSIONS, "missing")


@pytest.mark.skipif(not COMPILED, reason="takes more than a few sessions")
def test_exits_that_were_not_drawn_are_found_by_playing_again(copy):
    """All sums agree, but the deals say that other seats leave."""
    changed: Rows = []

    def blame_another(rows: Rows) -> None:
        for row in rows:
            if row["leaver"] < 0:
                continue
            row["leaver"] = (row["leaver"] + 1) % 3
            purse = {seat: Fraction(row[f"chips_before_{seat}"]) for seat in range(3)}
            stake = row["stake"] if row["landlord"] >= 0 else 1
            for seat, won in naive.leave(3 * stake, row["leaver"], 3, purse).items():
                row[f"won_{seat}"] = float(won)
                row[f"chips_after_{seat}"] = float(purse[seat] + won)
                row[f"total_{seat}"] = float(purse[seat] + won - 40)
            changed.append(row)

    def as_the_rounds_have_it(rows: Rows) -> None:
        for last in changed:
            totals = seats_of(last, "total", 3)
            row = rows[last["session"]]
            row |= {"leaver": last["leaver"], "winners": totals.count(max(totals))}
            for seat, total in enumerate(totals):
                row[f"total_{seat}"], row[f"chips_{seat}"] = total, total + 40
                row[f"first_place_{seat}"] = int(total == max(totals))

    edit(copy / ROUNDS, blame_another)
    edit(copy / SESSIONS, as_the_rounds_have_it)
    assert changed
    assert verify_run(copy, sample=0).ok
    only(verify_run(copy, sample=STAKES.games), ROUNDS, "played again", "leaver")


# The command


@pytest.mark.skipif(not COMPILED, reason="plays many rounds")
def test_session_prints_what_came_out_and_resumes(tmp_path):
    place = str(tmp_path / "run")
    words = ("session", "--rules", "stakes", "--chips", "30", "--stake", "2", "--hands", "30")
    words += ("-n", "60", "-s", "5", "--bots", "random,easy,random", "--quit-rate", "0.05")
    text = done(*words, "--out", place, "-j1")
    assert text.startswith("60 sessions of 30 hands · rules stakes · seed 5 · landlord by auction")
    for label in ("Sessions ended", "Rounds a session", "Sessions won", "Total", "Ruin", "Exits"):
        assert f"\n{label}" in text
    assert "33.3 % each, but for what a place is worth; --mirror takes that out" in text
    assert "Points a round" not in text
    facts = json.loads(done("summary", place, "--json"))
    assert sum(facts["ended"].values()) == facts["sessions"] == 60
    assert sum(player["share"]["mean"] for player in facts["players"]) == pytest.approx(1)
    assert sum(player["total"]["mean"] for player in facts["players"]) == pytest.approx(0)
    assert facts["points"] == []
    (tmp_path / "run/rounds/part-00000.parquet").unlink()
    assert "60 sessions of 30 hands" in done("session", "--resume", "--out", place, "-j1")
    assert "is sound" in done("verify", place, "--sample", "20")
    assert complaint("run", "--resume", "--out", place) == (
        f"{place} holds a run of `ddzsim session`; to go on: ddzsim session --resume --out {place}"
    )
    changed = complaint("session", "--resume", "--out", place, "--chips", "31")
    assert changed == (
        f"--chips 31 (flag): the run in {place} has 30; leave it out, or name another --out"
    )


def test_session_says_what_it_would_play(tmp_path):
    settings = tmp_path / "session.toml"
    settings.write_text('rules = "stakes"\nchips = 50\nquit-rate = 0.25\nmirror = true\n')
    words = ("session", "--config", settings, "-n", "300", "-s", "1", "--out", tmp_path / "run")
    plan = json.loads(done(*words, "--dry-run", "--json"))
    assert plan["sessions"] == 300
    assert plan["terms"] == {"hands": 9, "chips": 50, "stake": 1, "quit_rate": 0.25, "mirror": True}
    assert plan["sources"]["chips"] == "file"
    assert "300 sessions of 9 hands · rules stakes" in done(*words, "--dry-run")
    assert "no setting 'chips'" in complaint("run", "--config", settings)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--chips", "-5"), "chips=-5: a whole number from 0 to 1000000000"),
        (("--quit-rate", "2"), "quit-rate=2.0: a share from 0.0 to 1.0"),
        (("--mirror", "-n", "10"), "games=10: a multiple of 3 with mirror"),
    ],
)
def test_a_slip_in_the_options_of_session_is_one_line(words, reason):
    assert complaint("session", *words).startswith(reason)
