"""The doubling stage (R3.5): every course of it, what the legs settle, when bots double."""

from __future__ import annotations

import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path

import naive
import numpy as np
import pyarrow.parquet as pq
import pytest
from strategies import random_hands
from test_verify import edit, only

from ddzsim.bots.advice import DOUBLING, DoublingAdvice, doubling_of, rate
from ddzsim.bots.seats import Seat
from ddzsim.cards import Hand
from ddzsim.cli.person import Left, Person, Teller
from ddzsim.core.jit import COMPILED
from ddzsim.deals import Deal
from ddzsim.engine.config import RunConfig
from ddzsim.engine.run import Options, run
from ddzsim.engine.verify import Verdict, index_of, replay, row_of, verify_run
from ddzsim.errors import AuctionError, PlayError, SeatError
from ddzsim.game import Round, settle
from ddzsim.rules import CLASSIC, RULESETS, TABLETOP, RuleSet
from ddzsim.stats import Tally
from ddzsim.story import result_card
from ddzsim.summary import facts, summarise
from ddzsim.table import DoublingPlayer, Player, play
from ddzsim.view import SeatView, view_of

DOUBLED = RULESETS["tabletop-doubling"]
WITH_DOUBLING = [
    DOUBLED,
    *(
        RULESETS[name].override({"doubling": "true"})
        for name in ("classic", "rlcard", "tabletop-4p")
    ),
]
"""Rules with a doubling stage: also after an auction of one round, after none, and of four."""

each_doubled = pytest.mark.parametrize("rules", WITH_DOUBLING, ids=str)

DEALS = 60 if COMPILED else 4


def in_doubling(rules: RuleSet, landlord: int = 0, seed: int = 1) -> Round:
    """A round in its doubling stage."""
    return Round(Deal.random(seed=seed, players=rules.players), rules, landlord=landlord)


def stage(game: Round) -> naive.Stage:
    """Where the stage stands, as the naive twin has it."""
    return naive.Stage(game.legs, game.to_act if game.phase == "doubling" else None)


# The order, and who is asked


@each_doubled
def test_r3_5_every_course_agrees_with_the_naive_one(rules: RuleSet):
    for landlord in range(rules.players):
        ends = 0
        for answers in product((False, True), repeat=rules.players):
            game = in_doubling(rules, landlord)
            said: list[bool] = []
            while game.phase == "doubling":
                assert stage(game) == naive.doubling(rules, landlord, said)
                said.append(answers[len(said)])
                game.double(said[-1])
            assert stage(game) == naive.doubling(rules, landlord, said)
            assert [doubles for _, doubles in game.doubles] == said
            assert (game.phase, game.to_act) == ("play", landlord)
            ends += 1
        assert ends == 2**rules.players


def test_r3_5_the_peasants_are_asked_in_turn_order_and_then_the_landlord():
    game = in_doubling(DOUBLED, landlord=1)
    asked = []
    for doubles in (False, True, False):
        asked.append(game.to_act)
        game.double(doubles)
    assert asked == [2, 0, 1]
    assert game.doubles == [(2, False), (0, True), (1, False)]
    assert game.legs == (2, 0, 1)


def test_r3_5_a_landlord_is_not_asked_when_nobody_doubled():
    game = in_doubling(DOUBLED, landlord=1)
    game.double(False)
    game.double(False)
    assert (game.phase, game.to_act, game.legs) == ("play", 1, (1, 0, 1))


def test_r3_5_the_landlord_redoubles_only_those_that_doubled():
    game = in_doubling(DOUBLED, landlord=2)
    for doubles in (False, True, True):
        game.double(doubles)
    assert game.legs == (1, 4, 0)


def test_r3_5_it_comes_after_the_kitty_and_before_the_lead():
    game = Round(Deal.random(seed=3).with_first_bidder(0), DOUBLED)
    game.bid(0)
    game.bid(3)
    assert (game.phase, game.to_act, game.landlord) == ("doubling", 2, 1)
    assert [len(hand) for hand in game.hands] == [17, 20, 17]
    with pytest.raises(PlayError) as caught:
        game.play("3")
    assert str(caught.value) == "3: the round is in its doubling"
    with pytest.raises(PlayError):
        game.view()
    game.double(True)
    game.double(False)
    game.double(True)
    assert (game.phase, game.to_act, game.legs) == ("play", 1, (1, 0, 4))
    assert [int(leg) for leg in game.view().public["legs"][:3]] == [1, 0, 4]


def test_r3_5_there_is_no_stage_where_the_rules_have_none():
    for rules in RULESETS.values():
        game = Round(Deal.random(seed=1, players=rules.players), rules, landlord=0)
        assert (game.phase == "doubling") == rules.doubling == (rules.name == DOUBLED.name)
    assert in_doubling(CLASSIC).legs == (0, 1, 1)
    assert Round(Deal.random(seed=1), CLASSIC).legs == (0, 0, 0)


def test_r3_5_answers_that_are_not_allowed_name_the_clause_and_change_nothing():
    game = in_doubling(DOUBLED)
    for answer in (1, 2, None, "yes"):
        with pytest.raises(AuctionError) as caught:
            game.double(answer)  # type: ignore[arg-type]
        assert str(caught.value) == f"double {answer!r}: True or False (R3.5)"
    assert (game.to_act, game.legs, game.doubles) == (1, (0, 1, 1), [])
    other = in_doubling(CLASSIC)
    with pytest.raises(AuctionError) as caught:
        other.double(True)
    assert str(caught.value) == "double True: no seat is asked to double now (R3.5)"


def test_r3_5_the_rule_set_is_tabletop_with_doubling():
    assert replace(DOUBLED, name="tabletop", doubling=False) == TABLETOP
    assert not DOUBLED.kitty_shown


# What the legs settle


@each_doubled
@pytest.mark.parametrize("won", [True, False])
def test_r3_5_each_leg_is_settled_by_itself(rules: RuleSet, won: bool):
    peasants = rules.players - 1
    plays = {"landlord_plays": 5, "peasant_plays": (3,) * peasants}
    for legs in product((1, 2, 4), repeat=peasants):
        if {2, 4} <= set(legs):
            with pytest.raises(AuctionError, match="redoubled each 1 or 4"):
                settle(rules, bid=2, bombs=1, rockets=1, landlord_won=won, legs=legs, **plays)
            continue
        told = {"bid": 2, "bombs": 1, "rockets": 1, "landlord_won": won, "legs": legs, **plays}
        result, due = settle(rules, **told), naive.settle(rules, **told)
        assert (result.stake, result.landlord, result.peasants) == due
        assert result.landlord + sum(result.peasants) == 0  # R8.4
        assert result.legs == legs


def test_r3_5_a_round_by_its_arithmetic():
    # Bid 2, a bomb: a stake of 4. One peasant doubled and was redoubled: 16; the other 4.
    told = {"bid": 2, "bombs": 1, "rockets": 0, "landlord_plays": 5, "peasant_plays": (3, 2)}
    result = settle(DOUBLED, landlord_won=False, legs=(4, 1), **told)
    assert (result.stake, result.landlord, result.peasants) == (4, -20, (16, 4))
    assert str(result) == ("1 × 2 × 2 = 4: landlord -20, peasants +16 (leg × 4), +4 (leg × 1)")
    plain = settle(DOUBLED, landlord_won=False, **told)
    assert (plain.legs, plain.landlord) == ((1, 1), -8)


@pytest.mark.parametrize(
    ("rules", "legs", "text"),
    [
        (CLASSIC, (2, 1), "legs=(2, 1): all 1, rules classic have no doubling (R3.5)"),
        (DOUBLED, (2,), "legs=(2,): one for each of 2 peasants (R3.5)"),
        (DOUBLED, (3, 1), "legs=(3, 1): each 1 or 2, or redoubled each 1 or 4 (R3.5)"),
    ],
)
def test_r3_5_legs_that_cannot_be_are_refused(rules: RuleSet, legs: tuple[int, ...], text: str):
    told = {"bid": 1, "bombs": 0, "rockets": 0, "landlord_plays": 5, "peasant_plays": (3, 2)}
    with pytest.raises(AuctionError) as caught:
        settle(rules, landlord_won=True, legs=legs, **told)
    assert str(caught.value) == text


@each_doubled
def test_r3_5_rounds_of_bots_settle_as_the_twin_does(rules: RuleSet):
    bots = ["random:double=always", "random", "random:double=never", "random:double=always"]
    seen = set()
    for seed in range(DEALS):
        deal = Deal.random(seed=seed, players=rules.players)
        game = play(deal, bots[: rules.players], rules, landlord=seed % rules.players)
        assert game.landlord is not None
        said = [doubles for _, doubles in game.doubles]
        assert game.legs == naive.doubling(rules, game.landlord, said).legs
        assert sum(game.scores) == 0
        result = game.result
        assert result is not None
        gain = result.stake if game.winner != game.landlord else -result.stake
        for seat in range(rules.players):
            if seat != game.landlord:
                assert game.scores[seat] == gain * game.legs[seat]
        seen |= set(game.legs)
    assert seen == {0, 1, 2, 4} or not COMPILED


def test_r3_5_doubling_changes_nothing_but_the_scores():
    bots = ("random:double=always",) * 3
    for seed in range(DEALS):
        deal = Deal.random(seed=seed)
        with_it, without = play(deal, bots, DOUBLED), play(deal, bots, TABLETOP)
        assert [str(turn) for turn in with_it.turns] == [str(turn) for turn in without.turns]
        assert with_it.scores == tuple(4 * score for score in without.scores)


# What bots decide


def test_there_is_no_other_doubling_advice():
    assert set(DOUBLING) == {"default", "never", "always"}
    assert all(advice.name == name and advice.doc for name, advice in DOUBLING.items())
    with pytest.raises(SeatError) as caught:
        doubling_of("often")
    assert str(caught.value) == "no doubling advice 'often': one of default, never, always"


@pytest.mark.parametrize("advice", DOUBLING.values(), ids=DOUBLING)
def test_r3_5_a_higher_bid_of_the_landlord_asks_for_no_less(advice: DoublingAdvice):
    for *doubles, _ in (advice.cutoffs, advice.cutoffs_of_two_decks):
        assert doubles == sorted(doubles)
    big, bomb, play_ = advice.weights
    assert big >= 0 <= bomb
    assert play_ <= 0


def test_r3_5_always_and_never_do_as_they_say():
    for text in random_hands(5, 17, 20):
        rating = rate(text)
        for bid in (1, 2, 3):
            assert rating.doubles(bid, "always")
            assert not rating.doubles(bid, "never")
        assert rating.redoubles("always")
        assert not rating.redoubles("never")


def test_r3_5_the_default_doubles_by_its_measure():
    # Two for a big card, one for a bomb, less one a play: from 1 on against a bid of 1, from 3 on
    # against 2, never against 3; the landlord from 0 on.
    seen = set()
    for text in (*random_hands(7, 17, 300 if COMPILED else 10), "3456789TJQKA222XD"):
        rating = rate(text)
        measured = 2 * rating.big + rating.bombs - rating.plays
        answers = (*(rating.doubles(bid) for bid in (1, 2, 3)), rating.redoubles())
        assert answers == (measured >= 1, measured >= 3, False, measured >= 0)
        seen.add(answers)
    # 3 to A is one play, 222 another, the rocket the third: 2 x 5 + 1 - 3 = 8.
    assert answers == (True, True, False, True)
    assert len(seen) == 4 or not COMPILED


def swapped(deal: Deal, seat: int, places: tuple[int, ...]) -> Deal:
    """The deal with other cards at some places, 3 being the kitty; `seat` keeps its own."""
    assert seat not in places
    held = [*deal.hands, deal.kitty]
    cards = "".join(str(held[place]) for place in places)
    shuffled = "".join(np.random.default_rng(len(cards)).permutation(list(cards)))
    for place in places:
        size = len(held[place])
        held[place], shuffled = Hand.parse(shuffled[:size]), shuffled[size:]
    return Deal.from_hands(held[:3], deal.first_bidder)


def test_r10_1_swapping_hidden_cards_changes_no_answer():
    """A peasant sees neither the kitty nor another hand, the landlord no peasant's hand."""
    eager = replace(DOUBLING["default"], name="eager", cutoffs=(-4,) * 4)
    bot = replace(Seat.parse("random"), doubling=eager)
    always = Seat.parse("random:double=always")
    told = {True: 0, False: 0}
    for seed in range(DEALS):
        deal = Deal.random(seed=seed)
        for seat, places in ((1, (0, 2, 3)), (2, (0, 1, 3)), (0, (1, 2))):
            bots = [bot if at == seat else always for at in range(3)]
            answers = [
                dict(play(each, bots, DOUBLED, landlord=0).doubles)[seat]
                for each in (deal, swapped(deal, seat, places))
            ]
            assert answers[0] == answers[1], (seed, seat)
            told[answers[0]] += 1
    assert min(told.values()) > 0 or not COMPILED


def test_a_seat_names_its_doubling_advice():
    for text in ("hard:double=never", "hard:bid=points,double=always", "easy"):
        assert str(Seat.parse(text)) == text
    assert str(Seat.parse("hard:double=default,bid=default")) == "hard"
    assert Seat.parse("hard").doubling is DOUBLING["default"]
    with pytest.raises(SeatError) as caught:
        Seat.parse("hard:double=often")
    assert str(caught.value) == (
        "'hard:double=often': no doubling advice 'often': one of default, never, always"
    )
    with pytest.raises(SeatError) as caught:
        Seat.parse("hard:raise=never")
    assert str(caught.value) == "'hard:raise=never': no option 'raise': bid=NAME or double=NAME"


# Runs


BOTS = "random:double=always,easy,random"
CONFIG = RunConfig(seed=7, games=300, bots=BOTS, rules="tabletop-doubling", log="plays")


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A good run."""
    folder = tmp_path_factory.mktemp("doubling") / "run"
    run(folder, CONFIG, Options(workers=1))
    return folder


def test_r3_5_a_good_run_passes_and_has_legs_of_every_kind(whole):
    assert verify_run(whole, sample=50) == Verdict((), checked_rows=300, replayed=50)
    rows = pq.read_table(whole / "rounds").to_pylist()
    kinds = {legs_of(row) for row in rows}
    # Seat 0 always doubles where it is a peasant, and redoubles what others hardly ever double.
    assert kinds >= {(0, 1, 1), (0, 1, 2), (0, 1, 4)}
    for row in rows:
        assert row["leg_3"] is None
        for seat in range(3):
            assert (row[f"leg_{seat}"] == 0) == (seat == row["landlord"])
        assert sum(row[f"score_{seat}"] for seat in range(3)) == 0


@pytest.mark.parametrize("forced", ["off", "rotate"])
@each_doubled
def test_r3_5_a_good_run_passes_with_any_number_of_legs(tmp_path, rules, forced):
    bots = ",".join(
        ["random:double=always", "random", "easy:double=never", "random"][: rules.players]
    )
    config = replace(
        CONFIG,
        games=60,
        bots=bots,
        rules=rules.name.partition("+")[0],
        overrides=(("doubling", "true"),),
        force_landlord=forced,
    )
    run(tmp_path, config, Options(workers=1))
    assert verify_run(tmp_path, sample=20) == Verdict((), checked_rows=60, replayed=20)


def test_r2_2_a_row_is_played_again_from_its_code(whole):
    for row in pq.read_table(whole / "rounds").to_pylist()[:40]:
        again = row_of(replay(CONFIG, row["round"], index_of(row)))
        assert {name: row[name] for name in again} == again


def test_r3_5_the_log_has_no_legs_where_the_rules_have_no_doubling(tmp_path):
    run(tmp_path, replace(CONFIG, rules="tabletop", log="rounds"), Options(workers=1))
    table = pq.read_table(tmp_path / "rounds")
    assert all(table[f"leg_{seat}"].null_count == 300 for seat in range(4))


def legs_of(row):
    """The legs of a row in the order of their size."""
    return tuple(sorted(row[f"leg_{seat}"] for seat in range(3)))


def landlords_leg(row):
    row[f"leg_{row['landlord']}"] = 1


def other_leg(row):
    """The leg that was not doubled doubled, and the points with it."""
    seat = next(seat for seat in range(3) if row[f"leg_{seat}"] == 1)
    row[f"score_{row['landlord']}"] -= row[f"score_{seat}"]
    row[f"leg_{seat}"] *= 2
    row[f"score_{seat}"] *= 2


def mixed(row):
    first, second = (seat for seat in range(3) if seat != row["landlord"])
    row[f"leg_{first}"], row[f"leg_{second}"] = 2, 4


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (landlords_leg, "leg is not 1, 2 or 4 of a peasant, or not 0 of another seat (R3.5)"),
        (mixed, "leg is 2 of one peasant and 4 of another (R3.5)"),
        (lambda row: row.update(leg_0=3), "leg is not 1, 2 or 4 of a peasant"),
        (lambda row: row.update(leg_0=None), "null where a value is due"),
        (lambda row: row.update(leg_3=0), "null where a value is due, or a value where none is"),
    ],
)
def test_r3_5_legs_that_cannot_be_are_found(whole, tmp_path, change, text):
    shutil.copytree(whole, tmp_path / "run")
    edit(tmp_path / "run/rounds/part-00000.parquet", lambda rows: change(rows[5]))
    only(verify_run(tmp_path / "run", sample=0), "round 5: ", text)


def test_r3_5_legs_that_could_be_and_were_not_are_found_by_replay(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "run")
    changed = []

    def change(rows):
        for row in rows:
            if legs_of(row) == (0, 1, 2):
                other_leg(row)
                changed.append(row["round"])

    edit(tmp_path / "run/rounds/part-00000.parquet", change)
    verdict = verify_run(tmp_path / "run", sample=300)
    assert len(verdict.problems) == len(changed) > 0
    for number, problem in zip(changed, verdict.problems, strict=True):
        assert f"round {number}: played again it has " in problem
        assert " 1 and not 2" in problem


def test_the_run_id_knows_the_doubling_advice_where_it_decides_something(monkeypatch):
    plain = replace(CONFIG, bots="normal", rules="tabletop")
    doubled = replace(plain, rules="tabletop-doubling")
    ids = plain.run_id, doubled.run_id
    assert "doubling" not in plain.manifest()["bots"][0]
    assert doubled.manifest()["bots"][0]["doubling"] == "default"
    eager = replace(DOUBLING["default"], cutoffs=(0, 0, 0, 0))
    monkeypatch.setitem(DOUBLING, "default", eager)
    assert plain.run_id == ids[0]
    assert doubled.run_id != ids[1]


def test_r3_5_the_summary_counts_the_legs(whole):
    table = pq.read_table(whole / "rounds")
    tally = Tally.of(table)
    rows = table.to_pylist()
    legs = facts(tally, CONFIG)["legs"]
    for leg in (1, 2, 4):
        points = [
            row[f"score_{seat}"] for row in rows for seat in range(3) if row[f"leg_{seat}"] == leg
        ]
        assert legs[str(leg)] == {
            "legs": len(points),
            "share": len(points) / 600,
            "peasants_win": sum(point > 0 for point in points) / len(points),
            "peasants_points": sum(points) / len(points),
        }
    assert summarise(tally, CONFIG).count("Legs at × ") == 3
    assert "Legs" not in summarise(tally, replace(CONFIG, rules="tabletop"))


def test_the_story_tells_who_doubled():
    deal = Deal.random(seed=4)
    bots = ("random:double=never", "random:double=never", "random:double=always")
    told = str(play(deal, bots, DOUBLED, landlord=0))
    assert "\nDoubling: seat 1 does not double, seat 2 doubles, seat 0 does not redouble\n" in told
    bots = ("random:double=always",) * 3
    told = str(play(deal, bots, DOUBLED, landlord=0))
    assert "\nDoubling: seat 1 doubles, seat 2 doubles, seat 0 redoubles\n" in told
    assert "Doubling" not in str(play(deal, bots, TABLETOP, landlord=0))


def test_r3_5_the_card_has_a_line_for_each_doubled_leg():
    deal = Deal.from_hands(["3456789TJQKA2222X", "33344455566677788", "8999TTTJJJQQQKKKA"])
    game = Round(deal, DOUBLED, landlord=1)
    for doubles in (False, True, True):
        game.double(doubles)
    for cards in ("3", "8", "2222", None, None, "3456789TJQKA", None, None, "X"):
        game.play(cards)
    # Bid 1 without an auction, a bomb and the anti-spring: a stake of 4, 16 of which seat 0 gets.
    assert game.scores == (16, -20, 4)
    assert result_card(game).splitlines()[:9] == [
        "Seat 0 is out: the peasants win",
        "  Base                 1",
        "  Bid                  1  × 1",
        "  Bombs                1  × 2",
        "  Rockets              0",
        "  Anti-spring          1  × 2",
        "  Stake                4  = 1 × 1 × 4",
        "  Leg of seat 0       16  = 4 × 4",
        "  Seat 0             +16  out",
    ]


# At the table


class Passive:
    """A player that never bids, and plays the first legal play."""

    def bid(self, view: SeatView) -> int:
        return 0

    def play(self, view: SeatView) -> object:
        return next(iter(view.legal_plays()), None)


class Doubler(Passive):
    """One that answers as it is told, and keeps what it saw."""

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.views: list[SeatView] = []

    def double(self, view: SeatView) -> object:
        self.views.append(view)
        return self.answer


def test_r3_5_a_player_is_asked_by_what_it_sees():
    deal, player = Deal.random(seed=2), Doubler(True)
    game = play(deal, ("random:double=always", "random", player), DOUBLED, landlord=1)
    assert game.doubles == [(2, True), (0, True), (1, False)]
    (view,) = player.views
    assert (view.phase, view.to_act, view.seat) == ("doubling", 2, 2)
    assert (view.hand, view.kitty, view.left) == (deal.hands[2], None, (17, 20, 17))
    assert (view.doubles, view.legs) == ((), (1, 0, 1))
    # A later peasant knows what an earlier one has answered.
    later = Doubler(False)
    play(deal, (later, "random", "random:double=always"), DOUBLED, landlord=1)
    assert (later.views[0].doubles, later.views[0].legs) == (((2, True),), (1, 0, 2))


def test_r10_1_what_a_peasant_sees_holds_no_hidden_card():
    deal = Deal.random(seed=3)
    other = swapped(deal, 1, (0, 2, 3))
    views = [view_of(Round(each, DOUBLED, landlord=0), 1) for each in (deal, other)]
    assert views[0] == views[1]
    assert deal.hands != other.hands


def test_r3_5_a_player_without_an_answer_cannot_sit_down_where_it_is_asked():
    deal = Deal.random(seed=2)
    assert not isinstance(Passive(), DoublingPlayer)
    assert isinstance(Passive(), Player)
    with pytest.raises(PlayError) as caught:
        play(deal, (Passive(), "random", "random"), DOUBLED)
    assert str(caught.value) == (
        "Passive has no double(view), rules tabletop-doubling ask it (R3.5)"
    )
    assert play(deal, (Passive(), "random", "random"), TABLETOP, landlord=1).winner is not None
    with pytest.raises(AuctionError, match=r"^double 'yes': True or False"):
        play(deal, (Doubler("yes"), "random", "random"), DOUBLED, landlord=1)


def test_r3_5_a_person_is_asked_until_the_answer_is_one(monkeypatch, capsys):
    deal = Deal.from_hands(["3456789TJQKA2222X", "33344455566677788", "8999TTTJJJQQQKKKA"])
    game = Round(deal, DOUBLED, landlord=2)
    typed = iter(("maybe", "", "a", "?", "Y", "p", "n", "q"))
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    person = Person()
    assert person.double(view_of(game, 0)) is True
    # 2222+3+X and a straight: 2 x 5 + 1 - 2 = 9, and the bid is 1.
    advice = "5 big cards, 1 bomb, about 2 plays → double"
    assert capsys.readouterr().out.splitlines() == [
        "Your hand  3 4 5 6 7 8 9 T J Q K A 2222 X",
        advice,
        "maybe",
        "'maybe': y to double, n not to (R3.5)",
        "",
        "'': y to double, n not to (R3.5)",
        "a",
        advice,
        "?",
        advice,
        "Y",
    ]
    assert person.double(view_of(game, 0)) is False
    game.double(True)
    game.double(False)
    assert person.double(view_of(game, 2)) is False
    # The landlord's cards are one play, an airplane of five with five kickers: 2 x 1 + 0 - 1 = 1.
    assert "1 big card, 0 bombs, about 1 play → redouble\n" in capsys.readouterr().out
    with pytest.raises(Left):
        person.double(view_of(game, 2))


def test_r3_5_what_others_answer_is_told_once(capsys):
    game = Round(Deal.random(seed=3), DOUBLED, landlord=2)
    teller = Teller()
    for doubles in (True, False, True):
        game.double(doubles)
        teller.tell(view_of(game, 1))
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "Seat 2 is the landlord at 1, kitty: not shown",
        "  seat 0 doubles",
        "  you do not double",
        "  seat 2 redoubles",
    ]
