"""Four players and two decks, `tabletop-4p`: R1.3, R2.1, R3.3, R5.7, R6.3, R8.2, R8.4."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations
from math import comb

import naive
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from test_deals import deal_rounds

from ddzsim.bots.base import compiled
from ddzsim.bots.seats import BOTS
from ddzsim.bots.tactics import may_be_beaten
from ddzsim.cards import KINDS, RANKS, Hand, rank_capacity
from ddzsim.combos import Combo, beats, classify, combo_of, legal_plays, min_plays
from ddzsim.core import two_decks
from ddzsim.core.jit import COMPILED
from ddzsim.core.play import STREAM, View, Work, new_table, new_work
from ddzsim.deals import (
    LOW_BITS,
    TWO_DECKS,
    Deal,
    code_from_index,
    deal_codes,
    index_from_code,
    wide_table,
)
from ddzsim.engine import fairness
from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import read_run
from ddzsim.engine.parts import play_part
from ddzsim.engine.run import Options, run
from ddzsim.engine.verify import Verdict, index_of, replay, row_of, verify_run
from ddzsim.errors import CardError, ComboError, ConfigError, DealError
from ddzsim.game import Auction, Round, settle
from ddzsim.rules import CLASSIC, RULESETS, RuleSet
from ddzsim.table import play

FOUR = RULESETS["tabletop-4p"]

VARIANTS = (
    FOUR,
    replace(FOUR, joker_pairs=False),
    replace(FOUR, both_jokers_kickers=True),
    replace(FOUR, straight_min=3, pair_chain_min=2, airplane_min=3),
)
"""The rule set, and with fields that change which combinations there are."""

PACK = "".join(rank * rank_capacity(at, decks=2) for at, rank in enumerate(RANKS))
"""Two decks, low to high."""

LAST_INDEX = TWO_DECKS.last_index


def crowded_hands(seed: int, most: int, count: int) -> list[str]:
    """Hands of up to `most` cards of a few neighbouring ranks: bombs, chains and joker pairs."""
    source = random.Random(seed)
    found = []
    for _ in range(count):
        width = source.randint(2, 6)
        low = source.randint(0, 12 - width)
        ranks = RANKS[low : low + width] + source.choice(("XD", "2D", ""))
        some = [card for card in PACK if card in ranks]
        found.append("".join(source.sample(some, source.randint(1, most))))
    return found


def reading_of(combo: Combo) -> naive.Reading:
    return naive.Reading(combo.kind, combo.length, combo.rank)


# R1.3 Cards


def test_r1_3_two_decks_are_108_cards_with_four_jokers():
    assert len(PACK) == 108 == 4 * 25 + 8
    assert len(Hand.parse(PACK, decks=2)) == 108
    assert (FOUR.hand_size, FOUR.most_cards) == (25, 33)
    with pytest.raises(CardError, match="9 cards of rank 3, the deck holds 8"):
        Hand.parse("3" * 9, decks=2)
    with pytest.raises(CardError, match="3 cards of rank D, the deck holds 2"):
        Hand.parse("DDD", decks=2)


# R4 to R6 Combinations


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        # R6.3: four to eight of a rank are a bomb.
        ("3333", "bomb 1 3"),
        ("33333", "bomb 2 3"),
        ("22222222", "bomb 5 2"),
        # R6.3: the rocket is all four jokers; two equal ones are a pair, X and D are not.
        ("XXDD", "rocket 1 D"),
        ("XX", "pair 1 X"),
        ("DD", "pair 1 D"),
        ("XD", ""),
        ("XXD", ""),
        ("D", "single 1 D"),
        # R5.7: no single kickers, and no four with two.
        ("333+4", ""),
        ("333444+5+6", ""),
        ("3333+5+6", ""),
        ("3333+55+66", ""),
        # Trios carry pairs, one of jokers too; but never both jokers together (R5.6).
        ("333+44", "trio_pair 1 3"),
        ("333+XX", "trio_pair 1 3"),
        ("333444+55+66", "airplane_pairs 2 4"),
        ("333444+55+DD", "airplane_pairs 2 4"),
        ("333444+XX+DD", ""),
        ("333444+5555", ""),  # R5.5: four of a rank is not two pairs
        ("333+33", "bomb 2 3"),
        ("33333+44", ""),
        ("33334444", ""),
        ("34567", "straight 5 7"),
        ("334455", "pair_chain 3 5"),
        ("333444", "airplane 2 4"),
    ],
)
def test_r5_7_r6_3_what_cards_are(cards: str, expected: str):
    found = [f"{combo.kind} {combo.length} {combo.rank}" for combo in classify(cards, FOUR)]
    assert found == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        ("3333", "4444"),
        ("2222", "33333"),  # more cards beat fewer, whatever the rank
        ("22222", "333333"),
        ("2222222", "33333333"),
        ("33333333", "44444444"),
        ("22222222", "XXDD"),
        ("A", "2222"),
        ("34567", "3333"),
        ("22", "XX"),
        ("XX", "DD"),
        ("22", "DD"),
        ("222+33", "3333"),
        ("DD", "3333"),
    ],
)
def test_r6_3_what_beats_what(weaker: str, stronger: str):
    assert beats(stronger, weaker, FOUR)
    assert not beats(weaker, stronger, FOUR)


def test_r6_3_reasons():
    with pytest.raises(ComboError, match=r"more cards .*\(R6.3\)"):
        combo_of("2222", FOUR, combo_of("33333", FOUR))
    with pytest.raises(ComboError, match=r"XD is no combination: .*\(R6.3\)"):
        combo_of("XD", FOUR)
    with pytest.raises(ComboError, match=r"no single kickers \(R5.7\)"):
        combo_of("333+4", FOUR)
    assert combo_of("333333", FOUR).describe() == "a bomb of 6"


def check_leads(hand: str, rules: RuleSet) -> Counter[str]:
    """Hold every lead of a hand against the naive twin; how many there are of each kind."""
    found = legal_plays(hand, rules)
    ours = {(str(play.cards), reading_of(play)) for play in found}
    assert len(ours) == len(found)
    assert ours == naive.legal(naive.counts_of(hand), rules), hand
    return Counter(play.kind for play in found)


def test_r4_r5_r6_census_of_leads_agrees_with_the_naive_one():
    kinds: Counter[str] = Counter()
    for at, hand in enumerate(crowded_hands(71, 13, 400 if COMPILED else 40)):
        kinds += check_leads(hand, VARIANTS[at % len(VARIANTS)])
    missing = {"pass", "trio_single", "airplane_singles", "four_singles", "four_pairs"}
    assert set(KINDS) - set(kinds) <= missing | (
        set() if COMPILED else {"rocket", "airplane_pairs"}
    )


def test_r6_census_of_follows_agrees_with_the_naive_one():
    hands = crowded_hands(72, 11, 120 if COMPILED else 12)
    follows = 0
    for hand, other in zip(hands, crowded_hands(73, 11, len(hands)), strict=True):
        for over in random.Random(hand).sample(
            plays := legal_plays(other, FOUR), min(6, len(plays))
        ):
            ours = {(str(play.cards), reading_of(play)) for play in legal_plays(hand, FOUR, over)}
            assert ours == naive.legal(naive.counts_of(hand), FOUR, reading_of(over)), (hand, over)
            follows += len(ours)
    assert follows > 10


def test_census_of_the_two_decks():
    """The leads of all 108 cards of at most 33 (R2.1), counted by binomials."""
    counts = Counter(play.kind for play in legal_plays(PACK, FOUR))
    # Straights of 5 to 12, pair chains of 3 to 12, airplanes of 2 to 11 ranks out of 12.
    chains = {
        "straight": sum(13 - length for length in range(5, 13)),
        "pair_chain": sum(13 - length for length in range(3, 13)),
        "airplane": sum(13 - length for length in range(2, 12)),
    }

    def pairs(length: int) -> int:
        """Sets of pairs of other ranks, out of 13 and the jokers, that hold not both jokers."""
        others = 13 - length
        return comb(others, length) + 2 * comb(others, length - 1)

    # 5 cards for each trio: at most 6 trios have 33 cards or fewer.
    planes = sum((13 - length) * pairs(length) for length in range(2, 7))
    assert counts == chains | {
        "single": 15,
        "pair": 15,
        "trio": 13,
        "trio_pair": 13 * (12 + 2),
        "airplane_pairs": planes,
        "bomb": 13 * 5,
        "rocket": 1,
    }


def test_plays_come_weakest_bombs_first():
    over = combo_of("4444", FOUR)
    found = [str(play) for play in legal_plays("33333444445555XXDD", FOUR, over)]
    assert found == ["5555", "33333", "44444", "XXDD"]


# R11.1 The fewest plays


def test_r11_1_fewest_plays_agree_with_the_naive_ones():
    for at, hand in enumerate(crowded_hands(74, 13, 600 if COMPILED else 20)):
        rules = VARIANTS[at % len(VARIANTS)]
        due = naive.fewest_plays(naive.counts_of(hand), rules)
        assert min_plays(hand, rules) == due, (hand, rules)


@pytest.mark.parametrize(
    ("hand", "plays"),
    [
        ("XXDD", 1),
        ("XD", 2),
        ("XXD", 2),
        ("333", 1),
        ("333444+XX+DD", 3),  # R5.6: one pair of jokers rides, as 333+XX and 444+DD do apart
        ("3333335577", 2),  # six of a rank as two trios that carry a pair each
        ("333777+9999", 2),  # two trios carry a four away as two pairs
        ("33333333", 1),
        ("333" + "4" * 8, 2),
    ],
)
def test_r11_1_known_answers(hand: str, plays: int):
    due = 2 if hand == "333444+XX+DD" else plays
    assert min_plays(hand, FOUR) == due


# R2 Deals and codes


def test_r2_1_there_are_as_many_deals_as_the_code_says():
    """Counted once more: by rank, over the room left of each place, as polynomials would be."""
    assert TWO_DECKS.deals.bit_length() == 105

    @cache
    def ways(rank: int, seats: tuple[int, ...], kitty: int) -> int:
        """The ways to deal a rank and those above it; seats are alike, so their room is sorted."""
        if rank == len(RANKS):
            return 1
        found = 0
        copies = rank_capacity(rank, decks=2)
        for to_kitty in range(min(copies, kitty) + 1):
            rest = copies - to_kitty
            for cuts in combinations(range(rest + 3), 3):
                given = np.diff([-1, *cuts, rest + 3]) - 1
                left = [room - count for room, count in zip(seats, given.tolist(), strict=True)]
                if min(left) >= 0:
                    found += ways(rank + 1, tuple(sorted(left)), kitty - to_kitty)
        return found

    # The two highest ranks and the jokers, with room for 20 cards: what the table has of them.
    high, low = (int(word) for word in wide_table()[11, 3, 6, 4, 5])
    assert (high << two_decks.WORD_BITS) + low == ways(11, (4, 5, 6, 2), 3)
    high, low = (int(word) for word in wide_table()[0, 8, 25, 25, 25])
    assert (high << two_decks.WORD_BITS) + low == TWO_DECKS.deals


@given(index=st.integers(0, LAST_INDEX))
def test_r2_2_deal_index_and_code_both_ways(index: int):
    deal = Deal.from_index(index, players=4)
    assert deal.index == index
    assert deal.first_bidder == index % 4
    assert len(deal.code) == 29
    assert Deal.from_code(deal.code.lower().replace("-", "")) == deal
    assert index_from_code(code_from_index(index, players=4)) == index


def test_r2_2_neighbouring_deals_come_in_order():
    first = Deal.from_index(0, players=4)
    # The lowest cards go to seat 3 while it has room, then to seat 2 and so on; the kitty is last.
    assert [str(hand)[:2] for hand in first.hands] == ["QQ", "99", "66", "33"]
    assert str(first.kitty) == "2222XXDD"
    last = Deal.from_index(LAST_INDEX, players=4)
    assert str(last.kitty) == "33333333"
    assert last.first_bidder == 3
    with pytest.raises(DealError, match=f"a whole number from 0 to {LAST_INDEX}"):
        Deal.from_index(LAST_INDEX + 1, players=4)


def test_r2_2_codes_of_whole_columns():
    source = random.Random(3)
    numbers = [0, LAST_INDEX, *(source.randrange(LAST_INDEX + 1) for _ in range(500))]
    low = [number & (1 << LOW_BITS) - 1 for number in numbers]
    high = [number >> LOW_BITS for number in numbers]
    codes = deal_codes(low, high)
    assert codes.tolist() == [code_from_index(number, players=4) for number in numbers]
    # Three players leave `deal_high` null.
    assert deal_codes([0, 1], [None, None]).tolist() == deal_codes([0, 1]).tolist()
    assert deal_codes([0, 1], [np.nan, np.nan]).tolist() == deal_codes([0, 1]).tolist()
    with pytest.raises(DealError, match=f"index={LAST_INDEX + 1}: a whole number"):
        deal_codes([low[1] + 1], [high[1]])


def test_r2_2_a_slip_in_a_code_is_found():
    text = Deal.random(seed=5, players=4).code.replace("-", "")
    for at, letter in enumerate(text):
        for other in {"7", "Z", "0"} - {letter}:
            with pytest.raises(DealError, match="mistyped"):
                Deal.from_code(text[:at] + other + text[at + 1 :])
        if at and text[at - 1] != letter:
            with pytest.raises(DealError, match="mistyped"):
                Deal.from_code(text[: at - 1] + letter + text[at - 1] + text[at + 1 :])


def test_r2_1_hands_that_are_no_deal_of_two_decks_are_refused():
    deal = Deal.random(seed=5, players=4)
    assert Deal.from_hands(deal.hands, deal.first_bidder) == deal
    with pytest.raises(DealError, match="seat 3 holds 24 cards, each is dealt 25"):
        Deal.from_hands([*deal.hands[:3], Hand.parse("3" * 8 + "4" * 8 + "5" * 8, 2)])
    with pytest.raises(DealError, match="cards are dealt, the decks hold 8"):
        Deal.from_hands([Hand.parse("3" * 8 + "4" * 8 + "5" * 8 + "6", 2)] * 4)
    with pytest.raises(DealError, match="is for 4 players, rules classic have 3"):
        Round(deal, CLASSIC)
    with pytest.raises(DealError, match="players=5: 3, or 4 with two decks"):
        Deal.random(players=5)


# Pinned when four players came in: the same seed must give these deals for ever.
GOLDEN = "J1Y6-RVCG-K4FN-EK6N-8YCG-6XYY"


def test_r2_2_same_seed_same_deals_for_ever():
    assert Deal.random(seed=7, players=4).code == GOLDEN


def test_r2_1_cards_are_dealt_evenly():
    """Chi-square of who gets the big jokers, of the kitty's ranks, and of the first bidder."""
    size = 100_000 if COMPILED else 1500
    places, first = np.zeros((size, 5), np.uint64), np.zeros(size, np.int64)
    deal_rounds(np.uint64(1), places, first, FOUR.params)
    shifts = np.arange(0, 60, 4, dtype=np.uint64)
    counts = (places[:, :, None] >> shifts & np.uint64(15)).astype(np.int64)
    assert (counts.sum(axis=2) == [25, 25, 25, 25, 8]).all()
    assert (counts.sum(axis=1) == [8] * 13 + [2, 2]).all()
    sizes = np.array([25, 25, 25, 25, 8])
    for rank in range(15):
        copies = rank_capacity(rank, decks=2)
        # Both places of two jokers, and a card of each other rank: exact over pairs of cards.
        mean, due = counts[:, :, rank].mean(axis=0), copies * sizes / 108
        spread = (copies * sizes * (108 - sizes) * (108 - copies) / (108**2 * 107 * size)) ** 0.5
        assert (np.abs(mean - due) < 4.5 * spread).all(), RANKS[rank]
    both = Counter((counts[:, :, 14] == 2).argmax(axis=1)[(counts[:, :, 14] == 2).any(axis=1)])
    together = [comb(int(cards), 2) / comb(108, 2) * size for cards in sizes]
    apart = size - sum(both.values())
    seen = np.array([*(both[place] for place in range(5)), apart])
    wanted = np.array([*together, size - sum(together)])
    assert chi2.sf(((seen - wanted) ** 2 / wanted).sum(), 5) > 0.001
    openers = np.bincount(first, minlength=4)
    assert chi2.sf(((openers - size / 4) ** 2 / (size / 4)).sum(), 3) > 0.001


def test_r2_1_big_cards_and_bombs_come_as_they_must():
    chances = fairness.exact_chances(decks=2)
    assert chances.sum() == pytest.approx(1)
    # 8 twos and 4 jokers among 108 cards, 25 in a hand: 12 x 25 / 108.
    big = (chances.sum(axis=1) * np.arange(13)).sum()
    assert big == pytest.approx(12 * 25 / 108)
    # Four or more of a rank, for 13 ranks, and four jokers: hypergeometric.
    four = sum(comb(8, n) * comb(100, 25 - n) for n in range(4, 9)) / comb(108, 25)
    rocket = comb(104, 21) / comb(108, 25)
    bombs = (chances.sum(axis=0) * np.arange(7)).sum()
    assert bombs == pytest.approx(13 * four + rocket)


# R3 Auction


def called(first: int, *calls: int) -> Auction:
    auction = Auction(FOUR, first)
    for bid in calls:
        auction.bid(bid)
    return auction


def test_r3_3_it_goes_round_until_three_passes_follow_a_bid():
    assert called(0, 0, 0, 0, 1).to_speak == 0
    assert not called(0, 1, 0, 0).done
    assert called(0, 1, 0, 0, 0).landlord == 0
    assert called(2, 0, 1, 0, 0, 0).landlord == 3
    # Who has passed may bid later.
    assert called(0, 0, 1, 0, 0, 2, 0, 0, 0).landlord == 0
    assert called(0, 1, 2, 0, 0, 3).landlord == 0
    longest = called(1, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3)
    assert (longest.landlord, longest.stake_bid, len(longest.calls)) == (2, 3, 10)


def test_r2_4_four_passes_are_a_redeal():
    assert not called(0, 0, 0, 0).redeal
    assert called(0, 0, 0, 0, 0).redeal


# R8 Settlement


def test_r8_4_the_landlord_settles_three_legs():
    played = {"bid": 3, "rockets": 0, "landlord_plays": 9, "peasant_plays": (1, 0, 4)}
    won = settle(FOUR, bombs=2, landlord_won=True, **played)
    assert (won.stake, won.landlord, won.peasants) == (12, 36, (-12, -12, -12))
    lost = settle(FOUR, bombs=0, landlord_won=False, **played)
    assert (lost.stake, lost.landlord, lost.peasants) == (3, -9, (3, 3, 3))


@pytest.mark.parametrize(
    ("lead", "multiplier"),
    [("3333", 1), ("33333", 1), ("333333", 2), ("3333333", 2), ("33333333", 2), ("XXDD", 2)],
)
def test_r8_2_only_bombs_of_six_cards_and_the_rocket_double(lead: str, multiplier: int):
    rest = list(PACK)
    for card in lead + "4":
        rest.remove(card)
    # A landlord that leads the bomb, is passed, and later goes out; a peasant plays between.
    own = lead + "4" + "".join(rest[-(24 - len(lead)) :])
    for card in own[len(lead) + 1 :]:
        rest.remove(card)
    game = Round(Deal.from_hands([own, rest[:25], rest[25:50], rest[50:75]], 0), FOUR, landlord=0)
    assert [len(hand) for hand in game.hands] == [33, 25, 25, 25]
    game.play(lead)
    assert game.turns[-1].multiplier == multiplier


def test_r7_3_a_peasant_that_goes_out_wins_for_all_three():
    # Seat 2 holds a straight and 20 cards that go in trios with pairs: it is played until out.
    for number in range(40):
        game = play(Deal.of_round(3, number, players=4), "normal", FOUR)
        if game.winner != game.landlord:
            break
    assert game.result is not None
    stake = game.result.stake
    due = [-3 * stake if seat == game.landlord else stake for seat in range(4)]
    assert list(game.scores) == due
    assert sum(game.scores) == 0


def test_r3_4_the_kitty_is_hidden():
    game = Round(Deal.random(seed=2, players=4), FOUR, landlord=1)
    assert Hand(int(game.view().kitty)) == game.dealt.kitty
    game.play(legal_plays(game.hands[1], FOUR)[0])
    assert game.view().seat == 2
    assert int(game.view().kitty) == 0
    others = [game.hands[seat] for seat in (0, 1, 3)]
    assert Hand(int(game.view().unseen)) == others[0] + others[1] + others[2]


# Runs


MIXED = "easy,random,normal,hard"
CONFIG = RunConfig(seed=7, games=300, rules="tabletop-4p", bots=MIXED, log="plays")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("run") / "four"
    run(folder, CONFIG, Options(workers=1))
    return folder


def test_a_run_passes_its_checks(whole):
    assert verify_run(whole) == Verdict((), checked_rows=300, replayed=200)


@pytest.mark.parametrize("forced", ["off", "3", "rotate"])
@pytest.mark.parametrize("override", [("bomb_doubles_from", "4"), ("joker_pairs", "false")])
def test_a_run_under_changed_rules_passes(tmp_path, forced, override):
    config = replace(CONFIG, games=60, overrides=(override,), force_landlord=forced)
    run(tmp_path, config, Options(workers=1))
    assert verify_run(tmp_path, sample=30).problems == ()


def test_the_log_has_the_columns_of_all_runs(whole):
    frame = read_run(whole).pandas()
    legs = [f"leg_{seat}" for seat in range(4)]
    assert not frame.drop(columns=legs).isna().any(axis=None)
    scores = frame[[f"score_{seat}" for seat in range(4)]].to_numpy()
    assert (scores.sum(axis=1) == 0).all()
    turns = read_run(whole).pandas("plays")
    assert set(turns["seat"]) == {0, 1, 2, 3}
    assert turns["left"].max() <= 33
    # R8.2: the multiplier of each round from its turns.
    large = (turns["kind"] == "rocket") | ((turns["kind"] == "bomb") & (turns["length"] >= 3))
    doublings = large.groupby(turns["round"]).sum() + frame.set_index("round")["spring"]
    doublings += frame.set_index("round")["anti_spring"]
    assert (2**doublings == frame.set_index("round")["multiplier"]).all()
    codes = deal_codes(frame["deal"], frame["deal_high"])
    assert Deal.from_code(codes[0]) == Deal.of_round(7, 0, players=4)


def test_three_players_leave_the_columns_of_seat_3_empty(tmp_path):
    run(tmp_path, RunConfig(seed=1, games=20, bots="random"), Options(workers=1))
    held = read_run(tmp_path)
    empty = [name for name in held.arrow().column_names if held.arrow()[name].null_count]
    names = ("bot", "hand", "big", "fours", "fewest", "plays", "score")
    legs = [f"leg_{seat}" for seat in range(4)]
    assert set(empty) == {"deal_high", *legs, *(f"{name}_3" for name in names)}
    assert held.pandas()["score_3"].isna().all()
    counts = held.duckdb().aggregate("count(hand_3), count(hand_0)").fetchall()
    assert counts == [(0, 20)]


def edited(folder, name: str, change):
    """A run directory with one column changed, and its footer as it was."""
    path = folder / "rounds" / "part-00000.parquet"
    table = pq.read_table(path)
    at = table.column_names.index(name)
    values = change(table[name].to_pylist())
    field = table.schema.field(at)
    array = pa.array(values, field.type)
    pq.write_table(table.set_column(at, field, array), path)


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("hand_3", lambda held: [None, *held[1:]], "null where a value is due"),
        ("deal_high", lambda held: [held[0] + 1, *held[1:]], "deal is not the one"),
        ("deal", lambda held: [held[0] ^ 4, *held[1:]], "deal is not the one"),
        ("score_3", lambda held: [held[0] + 1, *held[1:]], "scores do not sum to 0"),
        ("multiplier", lambda held: [3, *held[1:]], "multiplier is not 2 for each doubling"),
    ],
)
def test_a_row_that_is_changed_is_found(tmp_path, name, change, problem):
    run(tmp_path, replace(CONFIG, games=50), Options(workers=1))
    edited(tmp_path, name, change)
    verdict = verify_run(tmp_path, sample=0)
    assert any(problem in found for found in verdict.problems), verdict.problems


def test_r8_2_a_small_bomb_that_is_counted_is_found_by_its_turns(tmp_path):
    run(tmp_path, replace(CONFIG, games=50), Options(workers=1))
    rows = pq.read_table(tmp_path / "rounds").to_pylist()
    at = next(i for i, row in enumerate(rows) if row["bombs"] > 0 and row["multiplier"] == 1)
    # All that follows from the multiplier is changed with it, so that the row alone looks right.
    for name in ("multiplier", "stake", "score_0", "score_1", "score_2", "score_3"):
        edited(tmp_path, name, lambda held: [*held[:at], 2 * held[at], *held[at + 1 :]])
    problems = verify_run(tmp_path, sample=0).problems
    assert any("the turns come to another multiplier (R8.2)" in found for found in problems)
    assert not any("multiplier is not" in found for found in problems)


def test_r2_2_the_deal_of_a_row_replays_the_row(whole):
    for row in pq.read_table(whole / "rounds").to_pylist()[:10]:
        again = row_of(replay(CONFIG, row["round"], index_of(row)))
        assert {name: row[name] for name in again} == again


def test_seat_3_is_landlord_with_four_players_only():
    rows = play_part(replace(CONFIG, games=5, bots="random", force_landlord="3"), 0).rounds
    assert (rows["landlord"] == 3).all()
    with pytest.raises(ConfigError, match="force-landlord='3': one of off, 0, 1, 2, rotate"):
        RunConfig(seed=1, bots="random", force_landlord="3")


# R10 Bots with three peasants


def seen(
    hand: str, *, seat: int, over: str = "", over_seat: int = -1, left: tuple[int, int, int]
) -> View:
    """What a seat sees when seat 0 is the landlord; `left`: the cards of the next three seats."""
    public = new_table().public
    public["landlord"], public["bid"], public["auction"] = 0, 1, 1
    public["to_play"], public["winner"], public["over_seat"] = seat, -1, over_seat
    shape = combo_of(over, FOUR).shape if over else 0
    public["over"] = shape
    public["left"][seat] = len(hand)
    for step, cards in enumerate(left, start=1):
        public["left"][(seat + step) % 4] = cards
    held = Hand.parse(hand, decks=2)
    unseen = Hand.parse(PACK, decks=2) - held
    return View(
        FOUR.params,
        seat,
        np.uint64(held.packed),
        np.uint64(0),
        np.uint64(unseen.packed),
        shape,
        public,
    )


@cache
def desk() -> Work:
    return new_work()


def choice(name: str, view: View, word: int = 0) -> str:
    """What a bot plays, low to high; empty for a pass."""
    stream = np.zeros(1, STREAM)[0]
    stream["word"][0] = word
    cards, _ = compiled(BOTS[name])(view, desk()._replace(stream=stream))
    return str(Hand(int(cards)))


TEAM = ("normal", "hard")


@pytest.mark.parametrize("name", TEAM)
@pytest.mark.parametrize(("seat", "mate"), [(1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2)])
def test_r10_3_never_over_either_teammate_but_to_go_out(name: str, seat: int, mate: int):
    for over in ("4", "44"):
        view = seen("5678999TTJJ2DD", seat=seat, over=over, over_seat=mate, left=(9, 9, 9))
        assert choice(name, view) == ""
    out = seen("5555", seat=seat, over="4", over_seat=mate, left=(9, 9, 9))
    assert choice(name, out) == "5555"


@pytest.mark.parametrize("name", TEAM)
@pytest.mark.parametrize("seat", [1, 2, 3])
def test_r10_3_pairs_into_the_landlords_last_card(name: str, seat: int):
    left = [12, 12, 12]
    left[(0 - seat) % 4 - 1] = 1
    led = choice(name, seen("34479JQ22", seat=seat, left=(left[0], left[1], left[2])))
    assert led in ("44", "22")
    # With singles only, the highest.
    assert choice(name, seen("3479JQ2", seat=seat, left=(left[0], left[1], left[2]))) == "2"


@pytest.mark.parametrize("seat", [1, 2, 3])
@pytest.mark.parametrize("mate", [1, 2, 3])
def test_r10_4_hard_feeds_the_teammate_with_one_card(seat: int, mate: int):
    if seat == mate:
        return
    left = [12, 12, 12]
    left[(mate - seat) % 4 - 1] = 1
    view = seen("467799TTQQKKA", seat=seat, left=(left[0], left[1], left[2]))
    assert choice("hard", view) == "4"


@pytest.mark.parametrize("name", TEAM)
def test_r10_3_the_landlord_minds_the_last_card_of_any_peasant(name: str):
    for at in range(3):
        left = [12, 12, 12]
        left[at] = 1
        led = choice(name, seen("345679JJ", seat=0, left=(left[0], left[1], left[2])))
        assert led in ("34567", "JJ")


def test_r10_4_hard_leads_the_unbeatable_bomb_when_it_closes_out():
    # Nothing beats the rocket, then the single 3 goes out.
    assert choice("hard", seen("3XXDD", seat=1, left=(9, 9, 9))) == "XXDD"


@pytest.mark.parametrize(
    ("play", "pool", "limit", "beaten"),
    [
        ("22222222", "33333333", 25, False),
        ("3333", "44444", 25, True),
        ("3333", "44444", 3, False),
        ("44444", "33333", 25, False),
        ("44444", "333333", 25, True),
        ("44444", "333333", 5, False),
        ("44444", "55555", 5, True),
        ("33333333", "44444444", 8, True),
        ("33333333", "XXDD", 4, True),
        ("33333333", "XXDD", 3, False),
        ("33333333", "XDD", 25, False),
        ("2", "XD", 1, True),
        ("22", "XD", 2, False),
        ("22", "XX", 2, True),
        ("D", "XDD222", 25, False),
    ],
)
def test_r10_4_what_may_be_beaten(play: str, pool: str, limit: int, beaten: bool):
    cards, others = (np.uint64(Hand.parse(text, decks=2).packed) for text in (play, pool))
    shape = combo_of(play, FOUR).shape
    assert may_be_beaten(cards, shape, others, limit, FOUR.params) == beaten


@pytest.mark.parametrize("name", BOTS)
def test_r10_1_hidden_cards_never_change_a_choice(name: str):
    for number in range(12):
        game = Round(Deal.of_round(21, number, players=4), FOUR, landlord=number % 4)
        view = game.view()
        stream = np.zeros(1, STREAM)[0]
        for _ in range(number):
            if game.to_act is None:
                break
            cards, shape = compiled(BOTS["random"])(game.view(), desk()._replace(stream=stream))
            game.play(Combo.from_shape(int(cards), int(shape)) if shape else None)
        if game.to_act is None:
            continue
        view, seat = game.view(), game.to_act
        before = choice(name, view, number)
        hidden = game._table.hidden["hands"]
        others = [other for other in range(4) if other != seat]
        # All other hands in one hand: what nobody sees must not matter.
        hidden[others[0]] += hidden[others[1]] + hidden[others[2]]
        hidden[others[1]] = hidden[others[2]] = 0
        assert choice(name, game.view(), number) == before
