"""Why cards may not be played: each clause says its reason, and a reason is said when due."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import hands

from ddzsim.cards import Hand
from ddzsim.combos import Combo, classify, combo_of, legal_plays, playable
from ddzsim.core.jit import COMPILED
from ddzsim.errors import ComboError, DdzError, PlayError
from ddzsim.rules import CLASSIC, RULESETS, RuleSet

CLAUSED = re.compile(r" \(R[4-7](\.\d)?(, R\d\.\d)*\)$")
"""How every refusal ends: with its clause."""

EXAMPLES = 60 if COMPILED else 8


def why(cards: str, rules: str = "classic") -> str:
    """What is said of cards that are no combination, after the cards."""
    held = Hand.parse(cards)
    assert naive.readings(held.counts, RULESETS[rules]) == frozenset()
    with pytest.raises(ComboError) as caught:
        combo_of(cards, RULESETS[rules])
    said, _, reason = str(caught.value).partition(" is no combination: ")
    assert said == (str(held) or "nothing")
    return reason


def test_r4_1_a_chain_that_is_too_short():
    assert why("3456") == "a straight needs 5 ranks or more (R4.1)"
    assert why("34") == "a straight needs 5 ranks or more (R4.1)"
    assert why("3344") == "a pair chain needs 3 ranks or more (R4.1)"
    least = CLASSIC.override({"airplane_min": "3"})
    with pytest.raises(ComboError, match=r"an airplane needs 3 ranks or more \(R4.1\)$"):
        combo_of("333444+5+6", least)


def test_r4_1_a_2_or_a_joker_in_a_chain():
    assert why("JQKA2") == "a 2 cannot stand in a straight (R4.1)"
    assert why("TJQKAX") == "a joker cannot stand in a straight (R4.1)"
    assert why("KKAA22") == "a 2 cannot stand in a pair chain (R4.1)"
    assert why("AAA222") == "a 2 cannot stand in an airplane (R4.1)"
    assert why("AAA222+3+4") == "a 2 cannot stand in an airplane (R4.1)"


def test_r4_1_a_chain_with_gaps():
    follow = "follow one another"
    assert why("34578") == f"the ranks of a straight {follow}, 6 is missing (R4.1)"
    assert why("345789J") == f"the ranks of a straight {follow}, 6, T are missing (R4.1)"
    assert why("334466") == f"the ranks of a pair chain {follow}, 5 is missing (R4.1)"
    assert why("333555") == f"the ranks of an airplane {follow}, 4 is missing (R4.1)"
    assert why("333555+7+8") == f"the ranks of an airplane {follow}, 4 is missing (R4.1)"


def test_r4_1_too_few_ranks_that_do_not_follow():
    straight = "a straight, 5 ranks or more in a row (R4.1)"
    assert why("35") == f"single cards of different ranks are only {straight}"
    assert why("3XD") == f"single cards of different ranks are only {straight}"
    chain = "a pair chain, 3 ranks or more in a row (R4.1)"
    assert why("3355") == f"pairs of different ranks are only {chain}"


def test_r4_2_two_jokers_are_no_pair():
    for cards in ("333+XD", "333444+55+XD", "3333+44+XD", "33XD"):
        assert why(cards) == "the two jokers are no pair (R4.2)", cards
        if cards != "33XD":
            assert why(cards, "douzero") == "the two jokers are no pair (R4.2)", cards


def test_r4_3_fours_in_a_row():
    assert why("33334444") == "fours in a row are no combination (R4.3)"
    assert why("333344445555") == "fours in a row are no combination (R4.3)"


def test_r4_3_only_some_kinds_carry_other_cards():
    reason = "only a trio, an airplane or a four carries other cards (R4.3)"
    for cards in ("334", "3345", "33445", "345677", "22X"):
        assert why(cards) == reason, cards


def test_r4_3_what_a_trio_and_a_four_carry():
    trio = "a trio carries one single card or one pair"
    assert why("333+4+5") == f"{trio}: 45 is neither (R4.3)"
    assert why("333+4+5+6") == f"{trio}: 456 is too many (R4.3)"
    four = "a four carries 2 single cards or 2 pairs, never mixed"
    assert why("3333+4") == f"{four}: 4 is too few (R4.3)"
    assert why("3333+4+55") == f"{four}: 455 is neither (R4.3)"
    assert why("3333+4+4+4+5") == f"{four}: 4445 is neither (R4.3)"
    assert why("3333+44+55+66") == f"{four}: 445566 is too many (R4.3)"


def test_r4_3_no_cards():
    assert why("") == "there are no cards (R4.3)"


def test_r5_1_a_kicker_of_the_bodys_rank():
    reason = "a kicker never has a rank of its body, and 3 is one (R5.1)"
    assert why("333+3+5") == reason
    assert why("333444+3+5") == reason
    assert why("333444+3+55") == reason
    assert why("3333444+5") == reason


def test_r5_2_what_an_airplane_carries():
    two = "an airplane of 2 carries 2 single cards or 2 pairs, never mixed"
    assert why("333444+5") == f"{two}: 5 is too few (R5.2)"
    assert why("333444+5+66") == f"{two}: 566 is neither (R5.2)"
    assert why("333444+5+6+7") == f"{two}: 567 is neither (R5.2)"
    assert why("333444+55+6+7") == f"{two}: 5567 is neither (R5.2)"
    assert why("333444+5+6+7+8+9") == f"{two}: 56789 is too many (R5.2)"
    three = "an airplane of 3 carries 3 single cards or 3 pairs, never mixed"
    assert why("333444555+7+8") == f"{three}: 78 is too few (R5.2)"
    # A body that is named is the one that is judged.
    assert why("444555+3337") == f"{two}: 3337 is neither (R5.2)"


def test_r5_3_equal_single_kickers():
    airplane = "single kickers of an airplane must be of different ranks (R5.3)"
    four = "single kickers of a four must differ (R5.3)"
    assert why("333444+5+5", "kawu") == airplane
    assert why("333444555666+7777", "kawu") == airplane
    assert why("3333+5+5", "tabletop") == four
    assert why("3333+5+5", "kawu") == four


def test_r5_5_four_of_a_rank_is_not_two_pairs():
    reason = "four of a rank is not two pairs (R5.5)"
    assert why("333444+55+55") == reason
    assert why("3333+44+44") == reason
    assert why("33335555") == reason


def test_r5_6_both_jokers_as_kickers():
    reason = "a combination never carries both jokers (R5.6)"
    for rules in ("classic", "tabletop", "kawu", "rlcard"):
        assert why("333444+X+D", rules) == reason
        assert why("7777+X+D", rules) == reason
    # Two clauses are broken: both are named.
    equal = "single kickers of an airplane must be of different ranks (R5.3)"
    assert why("333444555666+7+7+X+D", "kawu") == f"{reason} and {equal}"


def test_r5_7_no_single_kickers():
    rules = CLASSIC.override({"single_kickers": "false"})
    for cards in ("333+4", "333444+5+6"):
        with pytest.raises(ComboError, match=r"there are no single kickers \(R5.7\)$"):
            combo_of(cards, rules)
    two = "an airplane of 2 carries 2 pairs"
    for cards, reason in (
        ("333444+5", f"{two}: 5 is too few (R5.2)"),
        ("333444+55+6+7", f"{two}: 5567 is not that (R5.2)"),
        ("333+4+5", "a trio carries one pair: 45 is not that (R4.3)"),
    ):
        with pytest.raises(ComboError) as caught:
            combo_of(cards, rules)
        assert str(caught.value).endswith(reason), cards


def test_r5_7_r5_8_no_four_with_two():
    for cards in ("3333+4+5", "3333+4+4", "3333+44+55", "3333+4"):
        assert why(cards, "openspiel") == "there is no four with two (R5.7, R5.8)"


def test_r5_8_kickers_of_the_peers():
    three = "an airplane carries at most 3 single kickers of a rank (R5.8)"
    assert why("333444555666+7777", "openspiel") == three
    assert why("333444555666+8888", "rlcard") == three
    adjacent = "no kickers are a trio next to the chain (R5.8)"
    assert why("444555666777+333+9", "rlcard") == adjacent


@pytest.mark.skipif("tabletop-4p" not in RULESETS, reason="no rule set has two decks")
@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        ("XXD", "the rocket is all jokers, a pair two equal ones (R6.3)"),
        ("XD", "the rocket is all jokers, a pair two equal ones (R6.3)"),
        ("333+XD", "the two jokers are no pair (R6.3)"),
        ("33333+4", "a bomb carries no other cards (R4.3)"),
        ("333+4", "there are no single kickers (R5.7)"),
        ("3333+4+5", "there is no four with two (R5.7, R5.8)"),
    ],
)
def test_r6_3_what_two_decks_refuse(cards: str, reason: str):
    with pytest.raises(ComboError) as caught:
        combo_of(cards, RULESETS["tabletop-4p"])
    assert str(caught.value).endswith(f": {reason}")


def test_r7_1_a_leader_cannot_pass():
    with pytest.raises(PlayError) as caught:
        playable(None, Hand.parse("34"), CLASSIC)
    assert str(caught.value) == "a leader must play, and cannot pass (R7.1)"
    assert playable(None, Hand.parse("34"), CLASSIC, combo_of("3", CLASSIC)) is None


def test_r7_cards_that_are_not_in_the_hand():
    with pytest.raises(PlayError) as caught:
        playable("3345", Hand.parse("345"), CLASSIC)
    assert str(caught.value) == "3345 is not in the hand 345, which lacks 3 (R7)"
    held = combo_of("55", CLASSIC)
    with pytest.raises(PlayError, match=r"^55 is not in the hand 345, which lacks 5 \(R7\)$"):
        playable(held, Hand.parse("345"), CLASSIC)


def test_r4_a_combination_of_other_rules_is_refused():
    carried = combo_of("333444+55", CLASSIC)
    with pytest.raises(ComboError) as caught:
        playable(carried, carried.cards, RULESETS["kawu"])
    assert str(caught.value) == "33344455 does not read as an airplane with singles (R4)"


def answer_to(question: Callable[[], Combo | None]) -> tuple[Combo | None, str]:
    """The combination that cards are, or the reason why they are none."""
    try:
        return question(), ""
    except ComboError as error:
        return None, str(error)


@given(cards=hands(1, 20))
def test_a_reason_is_said_exactly_of_what_is_no_combination(combo_rules: RuleSet, cards: str):
    found = naive.readings(naive.counts_of(cards), combo_rules)
    for text in (cards, "+".join(cards)):
        combo, reason = answer_to(partial(combo_of, text, combo_rules))
        if combo is None:
            assert not found
            assert CLAUSED.search(reason), reason
        else:
            assert naive.Reading(combo.kind, combo.length, combo.rank) in found


@settings(max_examples=EXAMPLES)
@given(hand=hands(1, 8), other=hands(1, 8), data=st.data())
def test_a_reason_is_said_exactly_of_what_may_not_be_played(
    combo_rules: RuleSet, hand: str, other: str, data: st.DataObject
):
    """Every set of cards of a hand, on lead and over a play, and one that is not in it."""
    over = data.draw(st.sampled_from([None, *legal_plays(other, combo_rules)]))
    target = over and naive.Reading(over.kind, over.length, over.rank)
    held = Hand.parse(hand)
    legal = {cards for cards, _ in naive.legal(held.counts, combo_rules, target)}
    assert {str(play.cards) for play in legal_plays(held, combo_rules, over)} == legal
    for counts in naive.subsets(held.counts):
        text = naive.text_of(counts)
        combo, reason = answer_to(partial(playable, text, held, combo_rules, over))
        assert (combo is not None) == (text in legal), text
        if combo is None:
            assert CLAUSED.search(reason), reason
        else:
            assert combo in classify(text, combo_rules)
    with pytest.raises(DdzError, match=r"\(R7|\(R1.2"):
        playable(hand[0] * (held.count(hand[0]) + 1), held, combo_rules, over)
