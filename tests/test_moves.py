"""Legal plays: against the naive twin, and the census of the whole deck (R4 to R6)."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DECK, crowded_hands, hands, random_hands

from ddzsim.cards import KINDS, RANKS, Hand
from ddzsim.combos import Combo, legal_plays
from ddzsim.core import moves, play
from ddzsim.core.jit import COMPILED
from ddzsim.rules import CLASSIC, RULESETS, RuleSet

with (Path(__file__).parent / "data" / "census.csv").open() as table:
    CENSUS = list(csv.DictReader(table))
with (Path(__file__).parent / "data" / "perft.csv").open() as table:
    PERFT = list(csv.DictReader(table))

COMMON = ("single", "pair", "trio", "trio_single", "trio_pair")
COMMON += ("straight", "pair_chain", "airplane", "bomb", "rocket")


def reading_of(combo: Combo) -> naive.Reading:
    return naive.Reading(combo.kind, combo.length, combo.rank)


def combo_to_beat(reading: naive.Reading) -> Combo:
    """A combination of a reading, of which only the reading matters."""
    kind, rank = KINDS.index(reading.kind), RANKS.index(reading.rank)
    return Combo.from_shape(0, kind << 8 | reading.length << 4 | rank)


def listed(plays: list[Combo]) -> set[tuple[str, naive.Reading]]:
    """Plays as the naive twin has them; each must be listed once."""
    found = {(str(play.cards), reading_of(play)) for play in plays}
    assert len(found) == len(plays)
    return found


# The census


def tally(plays: list[Combo]) -> Counter[tuple[str, str]]:
    """Counts by kind, by kind and length, and of card sets."""
    counts = Counter((play.kind, "") for play in plays)
    counts.update((play.kind, str(play.length)) for play in plays)
    sets = Counter(play.cards for play in plays)
    counts["readings", ""] = len(plays)
    counts["card_sets", ""] = len(sets)
    counts["ambiguous", ""] = sum(times > 1 for times in sets.values())
    return counts


@pytest.mark.parametrize("most", [20, 17])
def test_census_of_the_deck(combo_rules: RuleSet, most: int):
    golden = [row for row in CENSUS if row["max_cards"] == str(most)]
    counts = tally(legal_plays(DECK, combo_rules, max_cards=most))
    ours = [row for row in golden if row["rules"] == combo_rules.name]
    assert ours or most == 17
    for row in ours:
        assert counts[row["kind"], row["length"]] == int(row["count"]), row
    # The ten kinds without a choice of kickers are the same under every rule set: 526 combinations.
    for row in golden:
        if row["kind"] in COMMON:
            assert counts[row["kind"], row["length"]] == int(row["count"]), row
    if most == 20:
        assert sum(counts[kind, ""] for kind in COMMON) == 526


def test_the_census_has_a_row_for_every_kind_and_rule_set():
    rows = {(row["rules"], row["kind"]) for row in CENSUS if not row["length"]}
    others = [kind for kind in KINDS[1:] if kind not in COMMON]
    for name in {row["rules"] for row in CENSUS}:
        for kind in (*others, "readings", "card_sets", "ambiguous"):
            assert (name, kind) in rows
    assert {("classic", kind) for kind in COMMON} <= rows
    assert all(row["source"] for row in CENSUS)


def test_r4_3_stakes_and_tabletop_open_have_the_census_of_another():
    for same, other in (("stakes", "classic"), ("tabletop-open", "tabletop")):
        assert legal_plays(DECK, RULESETS[same], max_cards=20) == legal_plays(
            DECK, RULESETS[other], max_cards=20
        )


# The naive twin: small hands


@given(hand=hands(1, 9))
def test_r4_r5_leads_agree_with_the_naive_ones(combo_rules: RuleSet, hand: str):
    assert listed(legal_plays(hand, combo_rules)) == naive.legal(naive.counts_of(hand), combo_rules)


@given(hand=hands(1, 9), data=st.data())
def test_r6_follows_agree_with_the_naive_ones(combo_rules: RuleSet, hand: str, data: st.DataObject):
    counts = naive.counts_of(hand)
    leads = sorted(reading for _, reading in naive.legal(counts, combo_rules))
    like = data.draw(st.sampled_from(leads))
    least = RANKS.index("D") if like.kind == "rocket" else like.length - 1
    top = data.draw(st.integers(least, RANKS.index(like.rank)))
    over = naive.Reading(like.kind, like.length, RANKS[top])
    follows = listed(legal_plays(hand, combo_rules, combo_to_beat(over)))
    assert follows == naive.legal(counts, combo_rules, over)
    assert len({cards for cards, _ in follows}) == len(follows)


# The naive twin: hands as they are held, over everything there is to beat

LARGE = [
    *random_hands(31, 17, 1),
    *crowded_hands(32, 17, 1),
    "89TTTJJJQQQKKKAAA2XD",
    "33344455566677789X",
]
if not COMPILED:
    LARGE = [hand[:12] for hand in LARGE]


def test_r4_r5_r6_plays_of_large_hands_agree_with_the_naive_ones(combo_rules: RuleSet):
    to_beat = {reading_of(play) for play in legal_plays(DECK, CLASSIC, max_cards=20)}
    for hand in LARGE:
        leads = naive.legal(naive.counts_of(hand), combo_rules)
        assert listed(legal_plays(hand, combo_rules)) == leads, hand
        for over in to_beat:
            due: dict[str, naive.Reading] = {}
            for cards, reading in leads:
                best = due.get(cards)
                higher = best is None or RANKS.index(reading.rank) > RANKS.index(best.rank)
                if naive.beats(reading, over) and higher:
                    due[cards] = reading
            follows = listed(legal_plays(hand, combo_rules, combo_to_beat(over)))
            assert follows == set(due.items()), (hand, over)


def test_r6_2_a_follower_has_a_set_of_cards_once_in_its_highest_reading():
    # Over 333444555+6+7+8 it is 444555666+777 and, higher, 555666777+444.
    over = "333444555+6+7+8"
    hand = "444555666777"
    assert [str(play) for play in legal_plays(hand, CLASSIC, over)] == ["555666777+4+4+4"]
    assert legal_plays(hand, RULESETS["kawu"], over) == []


# Order and limits


def place(play: Combo) -> tuple[int, int, int]:
    return KINDS.index(play.kind), play.length, RANKS.index(play.rank)


@given(hand=hands(1, 14))
def test_plays_come_in_hint_order(rules: RuleSet, hand: str):
    plays = legal_plays(hand, rules)
    assert [place(play) for play in plays] == sorted(place(play) for play in plays)
    singles = [str(play.cards) for play in plays if play.kind == "trio_single"]
    by_body = sorted(
        singles, key=lambda cards: max(RANKS.index(c) * (cards.count(c) == 3) for c in cards)
    )
    assert singles == by_body


def test_hints_put_bombs_and_the_rocket_last():
    hints = [str(play) for play in legal_plays("3444455XD", CLASSIC, over="3")]
    assert hints == ["4", "5", "X", "D", "4444", "XD"]


@given(hand=hands(1, 12), most=st.integers(1, 12))
def test_a_limit_leaves_out_the_longer_leads_and_nothing_else(
    combo_rules: RuleSet, hand: str, most: int
):
    every = legal_plays(hand, combo_rules)
    assert legal_plays(hand, combo_rules, max_cards=most) == [
        play for play in every if len(play) <= most
    ]


def test_r2_1_no_play_is_longer_than_a_hand(rules: RuleSet):
    # An airplane of seven trios would be 21 cards.
    seven = "333444555666777888999"
    longest = max(legal_plays(seven, rules), key=len)
    assert len(longest) <= 20
    assert legal_plays(seven, rules, max_cards=54) == legal_plays(seven, rules)
    # Without the limit the whole deck has far more leads than there is room for.
    assert legal_plays(DECK, rules) == legal_plays(DECK, rules, max_cards=20)


def test_r6_1_nothing_is_played_over_the_rocket(rules: RuleSet):
    assert legal_plays(DECK[:52], rules, over="XD") == []


def test_no_cards_have_no_plays(rules: RuleSet):
    assert legal_plays("", rules) == legal_plays("", rules, over="3") == []


def test_plays_are_taken_from_the_hand(rules: RuleSet):
    for hand in random_hands(34, 20, 20):
        held = Hand.parse(hand)
        assert all(play.cards in held for play in legal_plays(held, rules))


# Every way a round can go, turn by turn (R4 to R7)


def opened(hands: list[str], rules: RuleSet) -> play.Table:
    """A table where these hands are held and the first one leads."""
    table = play.new_table()
    for seat, hand in enumerate(hands):
        table.hidden["hands"][seat] = Hand.parse(hand).packed
    play.begin(table, 0, 1, 0, rules.params)
    return table


def ways_on(table: play.Table, rules: RuleSet, turns: int, room: moves.Plays) -> int:
    """In how many ways the next turns can go by the kernels, as `naive.sequences` counts them."""
    if turns == 0:
        return 1
    if table.public["winner"] != play.NOBODY:
        return 0
    hand, over = table.hidden["hands"][table.public["to_play"]], int(table.public["over"])
    count = moves.legal_plays(hand, over, rules.params, room)
    choices = [(room["cards"][i], int(room["shapes"][i])) for i in range(count)]
    if over:
        choices.append((np.uint64(0), 0))
    ways = 0
    for cards, shape in choices:
        after = play.Table(table.hidden.copy(), table.public.copy())
        play.play(after, cards, shape, rules.params)
        ways += ways_on(after, rules, turns - 1, room)
    return ways


@pytest.mark.parametrize(
    "row", PERFT, ids=[f"{row['rules']}-{row['hands']}-{row['turns']}" for row in PERFT]
)
def test_r7_a_round_can_go_in_as_many_ways_as_pinned(row: dict[str, str]):
    rules, turns = RULESETS[row["rules"]], int(row["turns"])
    hands = row["hands"].split("/")
    assert ways_on(opened(hands, rules), rules, turns, moves.new_plays()) == int(row["count"])
    counted = tuple(naive.counts_of(hand) for hand in hands)
    assert naive.sequences(counted, rules, turns) == int(row["count"])
