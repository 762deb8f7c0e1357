"""What cards read as (R4, R5) and what beats what (R6): by clause, and against the naive twin."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from itertools import product

import naive
import numpy as np
import pytest
from hypothesis import given
from strategies import DECK, ONE_DECK, hands

from ddzsim.cards import KINDS, RANKS, Hand
from ddzsim.combos import Combo, beats, classify, combo_of, legal_plays
from ddzsim.core.combos import beats as shape_beats
from ddzsim.core.jit import COMPILED
from ddzsim.errors import CardError, ComboError
from ddzsim.rules import CLASSIC, RULESETS, RuleSet

SHEETS = ("classic", "tabletop", "kawu", "stakes")
ALL = tuple(ONE_DECK)


def reading_of(combo: Combo) -> naive.Reading:
    return naive.Reading(combo.kind, combo.length, combo.rank)


def read(cards: str, rules: RuleSet) -> set[str]:
    """The readings of cards, as `kind length rank`."""
    return {f"{combo.kind} {combo.length} {combo.rank}" for combo in classify(cards, rules)}


def under(*names: str) -> tuple[str, ...]:
    """The other rule sets."""
    return tuple(name for name in ALL if name not in names)


# The fourteen kinds. Each row: cards, their one reading, and the rule sets under which it holds;
# under all others they are no combination.

KIND_ROWS = [
    # The examples of the rule sheets.
    ("3", "single 1 3", ALL),
    ("D", "single 1 D", ALL),
    ("88", "pair 1 8", ALL),
    ("999", "trio 1 9", ALL),
    ("QQQ+5", "trio_single 1 Q", ALL),
    ("9994", "trio_single 1 9", ALL),
    ("QQQ+55", "trio_pair 1 Q", ALL),
    ("99944", "trio_pair 1 9", ALL),
    ("34567", "straight 5 7", ALL),
    ("9TJQK", "straight 5 K", ALL),
    ("334455", "pair_chain 3 5", ALL),
    ("777888", "airplane 2 8", ALL),
    ("333444", "airplane 2 4", ALL),
    ("777888+3+K", "airplane_singles 2 8", ALL),
    ("333444+5+7", "airplane_singles 2 4", ALL),
    ("777888+33+KK", "airplane_pairs 2 8", ALL),
    ("9999+3+5", "four_singles 1 9", under("openspiel")),
    ("6666+3+9", "four_singles 1 6", under("openspiel")),
    ("9999+33+55", "four_pairs 1 9", under("openspiel")),
    ("7777", "bomb 1 7", ALL),
    ("XD", "rocket 1 D", ALL),
    # The shortest and the longest chains.
    ("3456789TJQKA", "straight 12 A", ALL),
    ("TJQKA", "straight 5 A", ALL),
    ("33445566778899TTJJQQ", "pair_chain 10 Q", ALL),
    ("QQKKAA", "pair_chain 3 A", ALL),
    ("333444555666777888", "airplane 6 8", ALL),
    ("KKKAAA", "airplane 2 A", ALL),
    # A 2 is in no chain, but has a single, pair, trio and bomb, and carries kickers.
    ("2", "single 1 2", ALL),
    ("22", "pair 1 2", ALL),
    ("222", "trio 1 2", ALL),
    ("2222", "bomb 1 2", ALL),
    ("222+33", "trio_pair 1 2", ALL),
    ("2222+A+X", "four_singles 1 2", under("openspiel")),
]


@pytest.mark.parametrize(("cards", "reading", "names"), KIND_ROWS)
def test_r4_each_kind_is_known(cards: str, reading: str, names: tuple[str, ...]):
    for name, rules in ONE_DECK.items():
        assert read(cards, rules) == ({reading} if name in names else set()), name


@pytest.mark.parametrize(
    "cards",
    [
        "",
        # R4.1: too short, with a gap, or beyond the ace.
        *("3456", "34568", "JQKA2", "QKA23", "A2345", "TJQKAX", "QKA2XD"),
        *("3344", "334466", "KKAA22", "3344556"),
        *("333555", "AAA222", "33344466677", "222333"),
        # R4.2: two jokers are never a pair.
        *("333XD", "2XD", "777888+33+XD", "22XD"),
        # R4.3: a chain of fours is no combination, nor is anything mixed.
        *("33334444", "333344445555", "33345", "334", "333344", "34", "3X"),
        # R5.2: one kicker for each trio, all singles or all pairs.
        *("333444+5", "333444+5+66", "333444+55+66+7", "333+45", "333+4+5", "333444555+66+7+8+9"),
    ],
)
def test_r4_r5_what_is_no_combination(cards: str):
    names = under("openspiel") if cards == "333344" else ()
    for name, rules in ONE_DECK.items():
        # 3333+44 is a four with two equal singles where kickers may repeat.
        expected = (
            {"four_singles 1 3"} if name in names and rules.four_equal_kickers == 2 else set()
        )
        assert read(cards, rules) == expected, name


def test_r5_1_a_kicker_never_has_a_rank_of_the_body(rules: RuleSet):
    assert read("3333", rules) == {"bomb 1 3"}
    for cards in ("33334", "3333444", "444555+3+5", "33334445", "333444+3+55"):
        assert not any(kind.startswith(("trio", "airplane")) for kind in read(cards, rules)), cards


# R5.3: cards, their reading, and the rule sets under which it holds.
EQUAL_ROWS = [
    ("333444+5+5", "airplane_singles 2 4", under("kawu")),
    ("333444555+6+6+7", "airplane_singles 3 5", under("kawu")),
    ("555666777888+3+3+3+T", "airplane_singles 4 8", under("kawu")),
    ("3333+5+5", "four_singles 1 3", ("classic", "stakes", "rlcard", "douzero")),
    ("3333+2+2", "four_singles 1 3", ("classic", "stakes", "rlcard", "douzero")),
]


@pytest.mark.parametrize(("cards", "reading", "names"), EQUAL_ROWS)
def test_r5_3_equal_single_kickers(cards: str, reading: str, names: tuple[str, ...]):
    for name, rules in ONE_DECK.items():
        assert read(cards, rules) == ({reading} if name in names else set()), name


def test_r5_4_trios_and_fours_ride_on_an_airplane_in_classic():
    assert read("333444+55", CLASSIC) == {"airplane_singles 2 4"}
    assert read("3333+55", CLASSIC) == {"four_singles 1 3"}
    assert read("333444555666", CLASSIC) == {
        "airplane 4 6",
        "airplane_singles 3 5",
        "airplane_singles 3 6",
    }
    assert read("333444555666+7777", CLASSIC) == {"airplane_singles 4 6"}


def test_r5_5_pair_kickers_are_of_different_ranks(rules: RuleSet):
    for cards in ("333444+55+55", "3333+55+55", "333444555+66+66+77", "333444+KK+KK"):
        assert not any("pairs" in kind for kind in read(cards, rules)), cards
    assert read("333444555+66+77+99", rules) == {"airplane_pairs 3 5"}


def test_r5_6_one_joker_rides_but_never_both(rules: RuleSet):
    both = rules.name == "douzero"
    fours = rules.name != "openspiel"
    assert read("333+X", rules) == {"trio_single 1 3"}
    assert read("333444+5+D", rules) == {"airplane_singles 2 4"}
    assert read("333444+X+D", rules) == ({"airplane_singles 2 4"} if both else set())
    assert read("333444555+6+X+D", rules) == ({"airplane_singles 3 5"} if both else set())
    assert read("7777+5+X", rules) == ({"four_singles 1 7"} if fours else set())
    assert read("7777+X+D", rules) == ({"four_singles 1 7"} if both else set())


def test_r5_8_rlcard_carries_no_trio_next_to_the_chain_and_no_four():
    rlcard = RULESETS["rlcard"]
    assert read("333444555666", rlcard) == {"airplane 4 6"}
    assert read("444555666777+333+9", rlcard) == set()
    # A trio that is not next to the chain rides, and a pair next to it.
    assert read("444555666+888", rlcard) == {"airplane_singles 3 6"}
    assert read("444555666+33+9", rlcard) == {"airplane_singles 3 6"}
    assert read("333444555666+8888", rlcard) == set()
    # Above the ace stands no chain, so the 2s are not next to it.
    assert read("QQQKKKAAA+222", rlcard) == {"airplane_singles 3 A"}


def test_r5_8_openspiel_carries_three_equal_kickers_but_not_four():
    openspiel = RULESETS["openspiel"]
    assert read("333444555666+8889", openspiel) == {"airplane_singles 4 6"}
    assert read("333444555666+8888", openspiel) == set()
    assert read("333444555+666", openspiel) == read("333444555666", CLASSIC)


@given(cards=hands(1, 20))
def test_r4_r5_readings_agree_with_the_naive_ones(combo_rules: RuleSet, cards: str):
    found = classify(cards, combo_rules)
    assert {reading_of(combo) for combo in found} == naive.readings(
        naive.counts_of(cards), combo_rules
    )
    assert len(set(found)) == len(found)
    assert all(combo.cards == Hand.parse(cards) for combo in found)


# The readings of every combination there is


def census(rules: RuleSet, step: int) -> list[Combo]:
    """The combinations of the deck up to 20 cards; with kickers only every `step`-th one."""
    plays = legal_plays(DECK, rules, max_cards=20)
    step *= 1 if COMPILED else 20
    return [play for at, play in enumerate(plays) if not play.kickers or at % step == 0]


def test_r4_r5_every_combination_of_the_deck_has_the_naive_readings(combo_rules: RuleSet):
    by_cards: dict[Hand, set[naive.Reading]] = {}
    for play in legal_plays(DECK, combo_rules, max_cards=20):
        by_cards.setdefault(play.cards, set()).add(reading_of(play))
    for cards in {play.cards for play in census(combo_rules, 2)}:
        assert by_cards[cards] == naive.readings(cards.counts, combo_rules), str(cards)


def test_r6_2_bare_cards_lead_as_the_longest_airplane(combo_rules: RuleSet):
    several = 0
    for play in census(combo_rules, 5):
        found = classify(play.cards, combo_rules)
        assert play in found
        several += len(found) > 1
        first = max(found, key=lambda combo: (combo.length, RANKS.index(combo.rank)))
        assert found[0] == first == combo_of(play.cards, combo_rules)
    assert several > 0 or combo_rules.name in ("kawu", "rlcard")


def test_r6_2_a_text_that_names_the_body_is_that_reading(combo_rules: RuleSet):
    for play in census(combo_rules, 5):
        assert combo_of(str(play), combo_rules) == play
        assert play.body + play.kickers == play.cards
        assert len(play) == len(play.cards) == len(str(play).replace("+", ""))


@pytest.mark.parametrize(
    ("cards", "text", "body", "kickers", "words"),
    [
        ("3K777888", "777888+3+K", "777888", "3K", "an airplane with singles of 2"),
        ("33559999", "9999+33+55", "9999", "3355", "a four with two pairs"),
        ("5599993", None, None, None, None),
        ("359999", "9999+3+5", "9999", "35", "a four with two singles"),
        ("33KK777888", "777888+33+KK", "777888", "33KK", "an airplane with pairs of 2"),
        ("5QQQ", "QQQ+5", "QQQ", "5", "a trio with a single"),
        ("55QQQ", "QQQ+55", "QQQ", "55", "a trio with a pair"),
        ("333444555666", "333444555666", "333444555666", "", "an airplane of 4"),
        ("76543", "34567", "34567", "", "a straight of 5"),
        ("334455", "334455", "334455", "", "a pair chain of 3"),
        ("D", "D", "D", "", "a single"),
        ("8888", "8888", "8888", "", "a bomb"),
        ("DX", "XD", "XD", "", "the rocket"),
    ],
)
def test_a_combination_reads_well(cards, text, body, kickers, words):
    found = classify(cards, CLASSIC)
    if text is None:
        assert found == ()
        return
    combo = found[0]
    assert (str(combo), str(combo.body), str(combo.kickers)) == (text, body, kickers)
    assert combo.describe() == words


def test_a_combination_is_a_value():
    one, other = classify("34567", CLASSIC)[0], classify("7,6,5,4,3", CLASSIC)[0]
    assert one == other
    assert len({one, other}) == 1
    with pytest.raises(FrozenInstanceError):
        one.rank = "8"  # type: ignore[misc]


# R6.1: what beats what


def shapes() -> dict[naive.Reading, int]:
    """The shape of every reading there is under any rule set, by reading."""
    found = {reading_of(play): play.shape for play in legal_plays(DECK, CLASSIC, max_cards=20)}
    # 15 singles, 13 pairs, 13 trios each bare, with a single and with a pair, 36 straights, 52 pair
    # chains, 45 airplanes, with singles of 2 to 5 ranks 11+10+9+8, with pairs of 2 to 4 ranks
    # 11+10+9, 13 fours each with singles and with pairs, 13 bombs, the rocket.
    assert len(found) == 15 + 13 + 3 * 13 + 36 + 52 + 45 + 38 + 30 + 2 * 13 + 13 + 1
    return found


def test_a_shape_is_kind_length_and_rank():
    for reading, shape in shapes().items():
        kind, rank = KINDS.index(reading.kind), RANKS.index(reading.rank)
        assert shape == kind << 8 | reading.length << 4 | rank


def test_r6_1_beating_agrees_with_the_naive_twin_for_all_pairs():
    for (one, a), (other, b) in product(shapes().items(), repeat=2):
        assert shape_beats(a, b) == naive.beats(one, other), (one, other)


def test_r6_1_beating_is_a_strict_order():
    numbers = list(shapes().values())
    over = np.array([[shape_beats(a, b) for b in numbers] for a in numbers])
    assert not (over & over.T).any()
    twice = over.astype(np.int64) @ over.astype(np.int64) > 0
    assert not (twice & ~over).any()


@pytest.mark.parametrize(
    ("play", "over", "expected"),
    [
        # The rocket beats all, and nothing the rocket.
        ("XD", "2222", True),
        ("XD", "3", True),
        ("XD", "3456789TJQKA", True),
        ("2222", "XD", False),
        ("XD", "XD", False),
        # A bomb beats all but a higher bomb.
        ("3333", "2", True),
        ("3333", "D", True),
        ("3333", "AAA", True),
        ("3333", "KKKAAA+22+QQ", True),
        ("4444", "3333", True),
        ("3333", "4444", False),
        ("3333", "3333", False),
        ("3333", "QQQQ+5+7", True),
        # The same kind, length and number of cards, and higher.
        ("4", "3", True),
        ("X", "2", True),
        ("D", "X", True),
        ("X", "D", False),
        ("33", "3", False),
        ("44", "3", False),
        ("456789", "34567", False),
        ("45678", "34567", True),
        ("444+5", "333+66", False),
        ("444", "333+5", False),
        ("445566", "334455", True),
        ("444555", "334455", False),
        # Kickers never count.
        ("444+3", "333+2", True),
        ("333+2", "444+3", False),
        ("333+2", "333+4", False),
        ("555666+3+4", "333444+A+2", True),
        ("TTTT+3+4", "9999+A+2", True),
        # A four with two is no bomb (R4.3).
        ("TTTT+3+4", "5", False),
        ("TTTT+3+4", "9999+33+44", False),
        ("TTTT+3+4", "3333", False),
        # No combination beats nothing.
        ("34", "3", False),
        ("", "3", False),
    ],
)
def test_r6_1_examples(play: str, over: str, expected: bool):
    for name in SHEETS:
        assert beats(play, over, RULESETS[name]) is expected, name


# R6.2: several readings

FOUR_TRIOS = "444555666777"


def test_r6_2_it_may_be_played_if_any_reading_beats():
    assert beats("333444555666", "777888999TTT", CLASSIC) is False
    # As 333444555+666 it is too low, as 444555666+333 it beats.
    assert beats("333444555666", "333444555+7+8+9", CLASSIC) is True
    assert beats("333444555666", "444555666+7+8+9", CLASSIC) is False
    assert beats(FOUR_TRIOS, "333444555666", CLASSIC) is True
    assert beats(FOUR_TRIOS, "333444555+8+9+T", RULESETS["kawu"]) is False


def test_r6_2_a_followers_play_has_the_highest_reading_that_beats():
    over = combo_of("333444555+8+9+T", CLASSIC)
    played = combo_of(FOUR_TRIOS, CLASSIC, over)
    assert (played.kind, played.length, played.rank) == ("airplane_singles", 3, "7")
    assert str(played) == "555666777+4+4+4"
    # Over a bare airplane it is a bare airplane.
    assert combo_of(FOUR_TRIOS, CLASSIC, combo_of("333444555666", CLASSIC)).kind == "airplane"


def test_r6_2_a_leader_names_its_reading():
    for text, kind, rank in (
        ("444555666+777", "airplane_singles", "6"),
        ("444555666+7+7+7", "airplane_singles", "6"),
        ("555666777+444", "airplane_singles", "7"),
        (FOUR_TRIOS, "airplane", "7"),
    ):
        led = combo_of(text, CLASSIC)
        assert (led.kind, led.rank) == (kind, rank)


def test_r6_2_a_followers_name_for_a_body_does_not_bind_it():
    over = combo_of("333444555+8+9+T", CLASSIC)
    for text in ("444555666+777", FOUR_TRIOS, "555666777+4+4+4"):
        assert str(combo_of(text, CLASSIC, over)) == "555666777+4+4+4"


def test_r6_2_the_next_player_must_beat_the_reading_that_was_played():
    answer = "666777888+9+T+J"
    assert beats(answer, "444555666+777", CLASSIC)
    assert beats(answer, "555666777+444", CLASSIC)
    assert not beats(answer, FOUR_TRIOS, CLASSIC)
    low, high = combo_of("444555666+777", CLASSIC), combo_of("555666777+444", CLASSIC)
    between = "555666777+3+3+8"
    assert beats(between, low, CLASSIC)
    assert not beats(between, high, CLASSIC)
    # A particular reading plays as that reading.
    assert not beats(low, high, CLASSIC)
    assert beats(high, low, CLASSIC)


# What is said when it is not allowed; test_reasons.py has what is said of no combination


@pytest.mark.parametrize(
    ("play", "over", "message"),
    [
        ("3", "5", "3 over 5: the rank 3 is not higher than 5 (R6.1)"),
        ("55", "55", "55 over 55: the rank 5 is not higher than 5 (R6.1)"),
        ("33", "4", "33 over 4: a pair cannot beat a single (R6.1)"),
        (
            "456789",
            "34567",
            "456789 over 34567: a straight of 6 cannot beat a straight of 5: same length (R6.1)",
        ),
        ("2222", "XD", "2222 cannot beat the rocket: nothing does (R6.1)"),
        ("3333", "4444", "3333 over 4444: the rank 3 is not higher than 4 (R6.1)"),
        (
            "TTTT+3+4",
            "3333",
            "TTTT+3+4 over 3333: a four with two singles cannot beat a bomb (R6.1)",
        ),
        # Of several readings the one most like the play to beat is judged.
        (
            "333444555666",
            "555666777+8+9+T",
            "444555666+3+3+3 over 555666777+8+9+T: the rank 6 is not higher than 7 (R6.1)",
        ),
    ],
)
def test_r6_1_a_play_that_does_not_beat_is_refused_with_the_reason(play, over, message):
    with pytest.raises(ComboError) as caught:
        combo_of(play, CLASSIC, combo_of(over, CLASSIC))
    assert str(caught.value) == message


def test_what_is_no_cards_is_no_combination_to_ask_about():
    for call in (
        lambda: classify("33333", CLASSIC),
        lambda: beats("33333", "3", CLASSIC),
        lambda: beats("3", "Z", CLASSIC),
        lambda: legal_plays("33333", CLASSIC),
    ):
        with pytest.raises(CardError):
            call()
    with pytest.raises(ComboError):
        beats("3", "45", CLASSIC)
