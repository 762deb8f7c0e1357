"""What the rule sheets say that no clause has a test of its own for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from shell import done

from ddzsim.bots.base import compiled
from ddzsim.bots.seats import Seat
from ddzsim.combos import Combo, legal_plays
from ddzsim.core.jit import COMPILED
from ddzsim.core.play import STREAM, new_work
from ddzsim.deals import Deal
from ddzsim.engine.config import RunConfig
from ddzsim.engine.parts import play_part
from ddzsim.errors import DdzError, PlayError
from ddzsim.game import Round
from ddzsim.rules import CLASSIC, RULESETS, TABLETOP, RuleSet
from ddzsim.table import play

ANNA, BEN, CARLA = range(3)
"""The players of the examples, in turn order."""

EXAMPLE = Deal.from_hands(("3456799TJQKAAA22X", "34458889TJQKKKA2D", "33556677789TTJJQQ"), ANNA)


def test_r7_the_trick_of_the_tabletop_sheet() -> None:
    """Anna leads 34567, Ben 9TJQK, Carla, his partner, passes, Anna TJQKA; nobody beats it."""
    game = Round(EXAMPLE, TABLETOP)
    game.bid(3)
    assert game.landlord == ANNA
    for seat, cards in (
        (ANNA, "34567"),
        (BEN, "9TJQK"),
        (CARLA, None),
        (ANNA, "TJQKA"),
        (BEN, None),
        (CARLA, None),
    ):
        assert game.to_act == seat
        game.play(cards)
    assert (game.to_act, game.over) == (ANNA, None)


def test_r7_a_six_card_straight_only_answers_a_six_card_straight() -> None:
    game = Round(EXAMPLE, TABLETOP)
    game.bid(3)
    game.play("34567")
    with pytest.raises(DdzError, match=r"\(R6\.1\)$"):
        game.play("89TJQK")
    game.play("89TJQ")


@pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
def test_r7_turns_and_calls_go_round_by_seat(rules: RuleSet) -> None:
    for number in range(4):
        game = play(Deal.of_round(72, number, rules.players), ("random",) * rules.players, rules)
        assert game.landlord is not None
        for turn, made in enumerate(game.turns):
            assert made.seat == (game.landlord + turn) % rules.players
        for auction in game.auctions:
            for at, (seat, _) in enumerate(auction.calls):
                assert seat == (auction.calls[0][0] + at) % rules.players


@pytest.mark.parametrize("first", [0, 100, 101])
def test_r2_3_stakes_moves_the_first_bid_on_by_a_seat_each_round(first: int) -> None:
    config = RunConfig(seed=3, games=9, first=first, rules="stakes", bots="random:bid=always3")
    rows = play_part(config, 0).rounds
    seats = [(first + at) % 3 for at in range(9)]
    assert rows["first"].tolist() == seats
    # Who speaks first always bids 3, and so is the landlord.
    assert rows["landlord"].tolist() == seats


@pytest.mark.parametrize("rules", ["classic", "tabletop", "kawu"])
def test_r2_3_elsewhere_each_seat_speaks_first_as_often(rules: str) -> None:
    games = 3000 if COMPILED else 60
    config = RunConfig(seed=4, games=games, rules=rules, bots="random:bid=always3")
    rows = play_part(config, 0).rounds
    for seat in range(3):
        # Five standard deviations, sqrt(n x 1/3 x 2/3), around a third.
        off = abs(int((rows["first"] == seat).sum()) - games / 3)
        assert off < 5 * (games * 2 / 9) ** 0.5


@pytest.mark.parametrize("rules", RULESETS.values(), ids=str)
def test_r7_3_a_round_that_is_over_takes_no_more(rules: RuleSet) -> None:
    """There is no undo either: what was played has left the hand for good."""
    deal = Deal.of_round(73, 1, rules.players)
    game = play(deal, ("random",) * rules.players, rules)
    last = game.turns[-1].combo
    assert last is not None
    with pytest.raises(PlayError, match="the round is over"):
        game.play(last)
    begun = Round(deal, rules, landlord=0)
    while begun.phase == "doubling":
        begun.double(False)
    lead = legal_plays(begun.hands[0], rules)[0]
    before = begun.hands[0]
    begun.play(lead)
    assert begun.hands[0] == before - lead.cards
    assert {"undo", "take_back"} & set(dir(begun)) == set()


def test_r9_3_a_replayed_deal_is_not_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deal of a run, told and played again beside it: no file is written or changed."""
    monkeypatch.chdir(tmp_path)
    done("run", "--games", "5", "--seed", "7", "--bots", "random", "--out", tmp_path / "run")
    before = contents(tmp_path)
    code = Deal.of_round(7, 0).code
    assert code in done("replay", code, "--bots", "random")
    assert code in done("play", code, "--bots", "random", input="q\n")
    assert contents(tmp_path) == before


def contents(folder: Path) -> dict[str, bytes]:
    """What lies in a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_the_landlords_lead_clears_chains_and_keeps_big_cards() -> None:
    """The sheet's advice on leading: opening leads of `hard` and `normal` against a random lead."""
    number_of = 400 if COMPILED else 20
    chains, big = dict.fromkeys(("random", "normal", "hard"), 0), {}
    for level in chains:
        big[level] = held = 0
        for number in range(number_of):
            game = Round(Deal.of_round(74, number), CLASSIC, landlord=number % 3)
            lead = opening(level, game, number)
            big[level] += bool(set(str(lead.cards)) & set("A2XD"))
            plays = legal_plays(game.hands[number % 3], CLASSIC)
            low = [each for each in plays if each.kind in ("straight", "pair_chain")]
            if any(each.rank in "789T" for each in low):
                held += 1
                chains[level] += lead.length > 1
        assert held > number_of // 2
    # Seen over 1500 deals: a card from the ace up in 0.5 %, 1.1 % and 29.5 % of the leads; a chain
    # in 58 %, 33 % and 24 % of those from a hand with a low one.
    assert max(big["hard"], big["normal"]) < number_of * 0.04
    assert big["random"] > number_of * 0.15
    assert chains["hard"] > chains["normal"] > 0


def opening(level: str, game: Round, word: int) -> Combo:
    """What a level leads with as the landlord."""
    stream = np.zeros(1, STREAM)[0]
    stream["word"][0] = np.uint64(word)
    cards, shape = compiled(Seat.parse(level).bot)(game.view(), new_work()._replace(stream=stream))
    return Combo.from_shape(int(cards), int(shape))
