"""The bidding laboratory: auctions looked up on a table, best answers, tuning."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ddzsim.bots import advice as advices
from ddzsim.bots.advice import ADVICE, OUT_OF_REACH, Advice, rate
from ddzsim.cards import Hand
from ddzsim.core.bidding import CALLERS, CELL_SHAPE, STANDING
from ddzsim.core.jit import COMPILED
from ddzsim.engine.config import EACH, RunConfig
from ddzsim.engine.dataset import read_run
from ddzsim.engine.parts import play_part
from ddzsim.engine.run import Options, run
from ddzsim.errors import ConfigError, RunError
from ddzsim.game import Auction
from ddzsim.lab.bidding import (
    Estimate,
    Table,
    alone,
    by_position,
    evaluate,
    read_table,
    responses,
    win_shares,
)
from ddzsim.lab.fitting import best_bids, weaker_by_measure, weaker_cells
from ddzsim.lab.tuning import best_response, cells_of, check_apart, cutoffs_of, situations, tune

BOT = "hard" if COMPILED else "normal"
DEALS = 3000 if COMPILED else 12
CONFIG = RunConfig(seed=21, games=3 * DEALS, bots=BOT, force_landlord=EACH)
NOBODY_BIDS = (OUT_OF_REACH,) * 3

CHOOSY = Advice(
    "choosy",
    "rating",
    NOBODY_BIDS,
    NOBODY_BIDS,
    weights=(6, 7, -1),
    situations=tuple((4 * n % 7 - 5, 4 * n % 7 - 3, 4 * n % 7 + 2 * n % 3) for n in range(12)),
)
"""Other cut-offs in every situation."""


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> str:
    folder = str(tmp_path_factory.mktemp("tables") / "table")
    run(folder, CONFIG, Options(workers=1))
    return folder


@pytest.fixture(scope="module")
def table(place) -> Table:
    return read_table(place)


def as_run(by_seat: tuple[str, ...]) -> np.ndarray:
    """The rounds of the same deals, played after an auction."""
    config = replace(
        CONFIG,
        games=DEALS,
        force_landlord="off",
        bots=",".join(f"{BOT}:bid={name}" for name in by_seat),
        overrides=(("redeal_limit", "0"),),
    )
    return play_part(config, 0).rounds


@pytest.mark.parametrize(
    "by_seat",
    [
        ("default",) * 3,
        ("points", "decomposition", "default"),
        ("never", "default", "never"),
        ("choosy", "points", "choosy"),
        ("listed", "choosy", "always3"),
    ],
)
def test_the_score_is_that_of_playing_the_rounds_to_the_point(table, monkeypatch, by_seat):
    if by_seat == ("points", "decomposition", "default") and not COMPILED:
        pytest.skip("splitting every hand takes long uncompiled")
    monkeypatch.setitem(advices.ADVICE, "choosy", CHOOSY)
    monkeypatch.setitem(advices.ADVICE, "listed", listed())
    rows = as_run(by_seat)
    scores = evaluate(table, [advices.ADVICE[name] for name in by_seat])
    assert scores.landlord.tolist() == rows["landlord"].tolist()
    assert scores.bid.tolist() == rows["bid"].tolist()
    assert scores.points.tolist() == rows["score"][:, :3].tolist()


def listed() -> Advice:
    """An advice by cell: in each situation another number of plays up to which it bids."""
    bids = np.zeros((3, 3, *CELL_SHAPE), np.int64)
    big, bombs, plays = np.indices(CELL_SHAPE)
    for caller, standing in situations(3):
        least = 2 + caller + standing
        for bid in range(standing + 1, 4):
            bids[caller, standing][big + 2 * bombs + 12 - plays >= least + 2 * bid] = bid
    return Advice("listed", "table", NOBODY_BIDS, NOBODY_BIDS, cells=cells_of(bids))


def test_points_sum_to_zero_and_passed_out_is_worth_nothing(table):
    scores = evaluate(table, ADVICE["default"])
    assert (scores.points.sum(1) == 0).all()
    assert (scores.points[scores.landlord < 0] == 0).all()
    assert not evaluate(table, ADVICE["never"]).points.any()


def test_a_seat_that_bids_as_the_others_do_has_exactly_nothing(table):
    for name in ("default", "points", "always3"):
        assert not alone(table, ADVICE[name], ADVICE[name]).any()


def test_positions_share_the_points_of_a_deal(table):
    first, second, third = by_position(table, ADVICE["default"])
    assert first.mean + second.mean + third.mean == pytest.approx(0)


def test_each_call_is_worth_what_the_readable_auction_leads_to(table):
    """R3: the sums of calls against auctions held one by one."""
    others = CHOOSY
    found = responses(table, others, others)
    few = 40 if COMPILED else len(table)
    some = Table(type(table.deals)(*(column[:few] for column in table.deals)), table.config)
    found = responses(some, others, others)
    hands, points = np.zeros_like(found.hands), np.zeros_like(found.points)
    for deal in range(few):
        first = int(some.deals.first[deal])
        for caller, bid in product(range(3), range(4)):
            auction = Auction(some.rules, first)
            while not auction.done and len(auction.calls) < caller:
                auction.bid(asked(some, deal, auction, others))
            if auction.done:
                continue
            seat, standing = auction.to_speak, auction.stake_bid
            cell = tuple(some.deals.shapes[deal, seat])
            hands[caller, standing][cell] += bid == 0
            if bid not in auction.legal_bids:
                continue
            auction.bid(bid)
            while not auction.done:
                auction.bid(asked(some, deal, auction, others))
            if auction.landlord is not None:
                outcome = int(some.deals.outcomes[deal, auction.landlord]) * auction.stake_bid
                share = 2 if auction.landlord == seat else -1
                points[caller, standing][(*cell, bid)] += share * outcome
    assert (found.hands == hands).all()
    assert (found.points == points).all()


def asked(table: Table, deal: int, auction: Auction, advice: Advice) -> int:
    """What the seat to speak calls by an advice."""
    hand = Hand(int(table.deals.hands[deal, auction.to_speak]))
    return advice.bid(rate(hand, table.rules), len(auction.calls), auction.stake_bid)


def test_win_shares_count_every_hand_as_a_landlord(table, place):
    dealt, won = win_shares(table)
    rounds = read_run(place).pandas()
    assert dealt.sum() == 3 * DEALS == len(rounds)
    assert won.sum() == (rounds["side"] == "landlord").sum()


def test_the_best_monotone_bids_are_the_best_of_all_monotone_bids():
    """Against every way to bid on small sets of kinds, with sums drawn anew."""
    shape = (2, 2, 2)
    draw = np.random.default_rng(5)
    orders = [(list(weaker_cells(shape)), 8), (list(weaker_by_measure(np.arange(4))), 4)]
    for weaker, kinds in orders:
        for bids in ((1, 2, 3), (2, 3), (3,)):
            ways = [
                way
                for way in product((0, *bids), repeat=kinds)
                if all(way[low] <= way[high] for low, high in weaker)
            ]
            for _ in range(5):
                points = draw.integers(-50, 50, (kinds, 4))
                found = best_bids(points, weaker, bids)
                assert tuple(found) in ways
                best = max(sum(points[kind, bid] for kind, bid in enumerate(way)) for way in ways)
                assert points[np.arange(kinds), found].sum() == best


def test_sums_beyond_32_bits_are_still_fitted():
    points = np.array([[0, 0, 0, -(10**12)], [0, 0, 0, 10**12]])
    assert best_bids(points, [(0, 1)], (3,)).tolist() == [0, 3]


def test_cut_offs_and_cells_say_the_bids_they_were_made_of():
    draw = np.random.default_rng(3)
    cells = np.indices(CELL_SHAPE)
    measures = np.tensordot(np.array([6, 7, -1]), cells, 1)
    bids = np.zeros((3, 3, *CELL_SHAPE), np.int64)
    for caller, standing in situations(3):
        cuts = sorted(draw.integers(-10, 30, 3).tolist())
        for bid, cut in zip((1, 2, 3), cuts, strict=True):
            if bid > standing:
                bids[caller, standing][measures >= cut] = bid
    packed = cells_of(bids)
    for caller, standing in situations(3):
        cuts = cutoffs_of(bids[caller, standing], measures)
        for bid, cut in enumerate(cuts, 1):
            assert ((bids[caller, standing] >= bid) == (measures >= cut)).all()
    listed_bids = np.array(packed).reshape(CELL_SHAPE)
    for caller, standing in situations(3):
        at = 2 * (caller * STANDING + standing)
        assert ((listed_bids >> at & 3) == bids[caller, standing]).all()
    assert 2 * CALLERS * STANDING < 63


@pytest.mark.skipif(not COMPILED, reason="needs many deals")
def test_a_best_answer_gains_on_the_deals_it_was_fitted_on(table):
    """No monotone rating is better on them than the one fitted, its own among them."""
    for model in ("rating", "table"):
        answer = best_response(table, table, ADVICE["default"], model, "answer")
        gain = Estimate.of(alone(table, answer, ADVICE["default"]))
        assert gain.mean > 0
        assert gain.mean > Estimate.of(alone(table, ADVICE["points"], ADVICE["default"])).mean


@pytest.mark.skipif(not COMPILED, reason="needs many deals")
@pytest.mark.parametrize("model", ["rating", "table"])
def test_tuned_bids_beat_the_usual_ones_on_other_deals(table, tmp_path, model):
    config = replace(CONFIG, seed=22, games=9000)
    run(str(tmp_path / "choose"), config, Options(workers=1))
    choose = read_table(str(tmp_path / "choose"))
    run(str(tmp_path / "judge"), replace(config, seed=23), Options(workers=1))
    judge = read_table(str(tmp_path / "judge"))
    said: list[str] = []
    tuned = tune(table, choose, model, "tuned", said.append)
    assert len(said) == len(tuned.steps)
    gain = Estimate.of(alone(judge, tuned.advice, ADVICE["default"]))
    assert gain.mean > gain.half
    other = best_response(table, choose, tuned.advice, model, "other")
    assert Estimate.of(alone(judge, other, tuned.advice)).mean < 0.1


def test_tables_that_share_deals_are_refused(table):
    later = Table(table.deals, replace(table.config, first=3 * DEALS))
    check_apart((table, later))
    with pytest.raises(ConfigError, match="two tables have deals of seed 21 in common"):
        check_apart((table, Table(table.deals, replace(table.config, first=3))))
    other = Table(table.deals, replace(table.config, seed=9, rules="kawu"))
    with pytest.raises(ConfigError, match="for one population and one rule set"):
        check_apart((table, other))


def test_a_run_that_is_no_table_is_refused(tmp_path):
    run(str(tmp_path / "run"), replace(CONFIG, games=3, force_landlord="0"), Options(workers=1))
    with pytest.raises(RunError, match="is no counterfactual table: make one with"):
        read_table(str(tmp_path / "run"))


def test_an_auction_of_several_turns_is_refused(table):
    twice = replace(table.config, overrides=(("auction", "rounds"),))
    with pytest.raises(ConfigError, match="auction=rounds: bids are tuned where each seat"):
        responses(Table(table.deals, twice), ADVICE["default"], ADVICE["default"])


def test_one_advice_for_each_seat_or_one_for_all(table):
    with pytest.raises(ConfigError, match="2 ways to bid: the table has 3 seats"):
        evaluate(table, [ADVICE["default"]] * 2)
