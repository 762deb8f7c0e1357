"""Ranks and hands as text and as numbers (R1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DECK, hands

from ddzsim.cards import KINDS, RANKS, Hand, as_hand, rank_capacity
from ddzsim.errors import CardError, DdzError

RANK_LIST = "ranks are 3 4 5 6 7 8 9 T J Q K A 2 X D, and 10 for T (R1.2)"


def test_r1_1_the_deck_has_54_cards_in_this_order():
    assert RANKS == "3456789TJQKA2XD"
    # 13 ranks four times and two jokers: 13 x 4 + 2 = 54.
    assert [rank_capacity(rank) for rank in range(15)] == [4] * 13 + [1, 1]
    assert sum(rank_capacity(rank) for rank in range(15)) == 54
    assert len(Hand.parse(DECK)) == 54


def test_r1_3_two_decks_have_108_cards_and_four_jokers():
    assert [rank_capacity(rank, decks=2) for rank in range(15)] == [8] * 13 + [2, 2]
    assert str(Hand.parse("XDXD33333333", decks=2)) == "33333333XXDD"
    assert Hand.parse("XX", decks=2).counts == (0,) * 13 + (2, 0)


def test_r4_the_kinds_are_named_as_in_the_clause():
    assert (
        "pass",
        *[
            "single",
            "pair",
            "trio",
            "trio_single",
            "trio_pair",
            "straight",
            "pair_chain",
            "airplane",
        ],
        *["airplane_singles", "airplane_pairs", "four_singles", "four_pairs", "bomb", "rocket"],
    ) == KINDS


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("33344456", "33344456"),
        ("10 J q", "TJQ"),
        ("10", "T"),
        ("1010 t T", "TTTT"),
        ("d x a", "AXD"),
        ("777888+3+K", "3777888K"),
        ("9999+33+55", "33559999"),
        ("3, 4, 5,\t6 , 7", "34567"),
        ("2A", "A2"),
        ("", ""),
        (" ,+", ""),
    ],
)
def test_r1_2_text_is_read(text: str, plain: str):
    hand = Hand.parse(text)
    assert str(hand) == plain
    assert len(hand) == len(plain)
    assert list(hand) == list(plain)
    assert bool(hand) == bool(plain)


@given(cards=hands(1, 20), data=st.data())
def test_r1_2_text_and_cards_are_the_same_both_ways(cards: str, data: st.DataObject):
    hand = Hand.parse(cards)
    assert sorted(str(hand)) == sorted(cards)
    assert Hand.parse(str(hand)) == hand
    assert eval(repr(hand)) == hand
    assert Hand.from_counts(list(hand.counts)) == hand
    assert hand.counts == tuple(cards.count(rank) for rank in RANKS)
    assert [hand.count(rank) for rank in RANKS] == list(hand.counts)
    # Any order, case, separators, and 10 for T read as the same hand.
    shuffled = data.draw(st.permutations(cards))
    case = data.draw(st.sampled_from((str.lower, str.upper)))
    between = data.draw(st.sampled_from(("", " ", ",", "+", ", ", "\t")))
    assert Hand.parse(case(between.join(shuffled))) == hand
    assert Hand.parse(between.join("10" if card == "T" else card for card in shuffled)) == hand


@given(cards=hands(1, 20))
def test_a_packed_hand_has_a_nibble_for_each_rank(cards: str):
    assert Hand.parse(cards).packed == sum(16 ** RANKS.index(card) for card in cards)


@given(cards=hands(2, 20), data=st.data())
def test_hands_are_added_and_taken_away(cards: str, data: st.DataObject):
    some = "".join(
        data.draw(
            st.lists(st.sampled_from(range(len(cards))), unique=True).map(
                lambda at: [cards[i] for i in at]
            )
        )
    )
    hand, part = Hand.parse(cards), Hand.parse(some)
    assert part in hand
    rest = hand - part
    assert rest + part == hand
    assert len(rest) == len(cards) - len(some)
    assert (hand in part) == (len(some) == len(cards))


def test_taking_away_what_is_not_there_is_refused():
    with pytest.raises(CardError) as caught:
        Hand.parse("345") - Hand.parse("44")
    assert str(caught.value) == "44 is not in the hand 345"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("33333", "'33333' holds 5 cards of rank 3, the deck holds 4 (R1.2)"),
        ("33 4 333", "'33 4 333' holds 5 cards of rank 3, the deck holds 4 (R1.2)"),
        ("1010101010", "'1010101010' holds 5 cards of rank T, the deck holds 4 (R1.2)"),
        ("xX", "'xX' holds 2 cards of rank X, the deck holds 1 (R1.2)"),
        ("DD", "'DD' holds 2 cards of rank D, the deck holds 1 (R1.2)"),
        ("3Z4", f"'3Z4': 'Z' at position 2 is no rank; {RANK_LIST}"),
        ("1", f"'1': '1' at position 1 is no rank; {RANK_LIST}"),
        ("101", f"'101': '1' at position 3 is no rank; {RANK_LIST}"),
        ("0", f"'0': '0' at position 1 is no rank; {RANK_LIST}"),
        ("3-4", f"'3-4': '-' at position 2 is no rank; {RANK_LIST}"),
        ("3B", f"'3B': 'B' at position 2 is no rank; {RANK_LIST}"),
    ],
)
def test_r1_2_what_is_no_hand_is_an_error_that_names_it(text: str, message: str):
    with pytest.raises(CardError) as caught:
        Hand.parse(text)
    assert str(caught.value) == message
    assert isinstance(caught.value, DdzError)
    assert isinstance(caught.value, ValueError)


def test_r1_3_more_than_two_decks_hold_is_an_error():
    with pytest.raises(CardError) as caught:
        Hand.parse("3" * 9, decks=2)
    assert str(caught.value) == "'333333333' holds 9 cards of rank 3, the deck holds 8 (R1.2)"


def test_a_hand_is_a_value():
    assert Hand.parse("453") == Hand.parse("345")
    assert len({Hand.parse("453"), Hand.parse("345"), Hand.parse("34")}) == 2
    assert as_hand("345") == as_hand(Hand.parse("345")) == Hand.parse("345")
    with pytest.raises(AttributeError):
        Hand.parse("3").packed = 0  # type: ignore[misc]
