"""Our legal plays, auctions and scores against those of OpenSpiel, RLCard and DouZero.

A peer that is wrong by its own rules has a predicate here that leaves just that input out, a bound
on how much that is, and a test that pins the fault by one example.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from peers import (
    DECK,
    OPENSPIEL_BIDS,
    PASS,
    douzero_follows,
    douzero_kind,
    douzero_leads,
    douzero_list,
    openspiel_deal,
    openspiel_follows,
    openspiel_leads,
    openspiel_plays,
    openspiel_sets,
    random_hand,
    random_responses,
    rlcard_follows,
    rlcard_leads,
)

from ddzsim import rules
from ddzsim.cards import Hand
from ddzsim.combos import Combo, classify, combo_of, legal_plays
from ddzsim.core.combos import beats
from ddzsim.deals import Deal
from ddzsim.game import Auction, Round

pytestmark = pytest.mark.peers

LEADS = 4000
RESPONSES = 6000
ROUNDS = 200
OPENSPIEL_MOST = 15
"""Cards of a play to answer: its seat holds 17, takes the lead with one, and keeps one at least."""


@dataclass
class LeftOut:
    """How much of a comparison a fault of the peer leaves out."""

    name: str
    most: float
    """The share that may be left out."""
    seen: int = 0
    left_out: int = 0

    def check(self) -> None:
        """Print the share, and see that it is not more than it should be, and that there is any."""
        share = self.left_out / self.seen
        print(f"{self.name}: {self.left_out} of {self.seen} left out, {share:.2%}")
        assert 0 < share < self.most


def our_leads(hand: str, rule_set: rules.RuleSet) -> set[str]:
    return {str(combo.cards) for combo in legal_plays(hand, rule_set)}


def our_follows(hand: str, rule_set: rules.RuleSet, over: Combo) -> set[str]:
    return {PASS} | {str(combo.cards) for combo in legal_plays(hand, rule_set, over)}


def random_hands(seed: int, count: int) -> Iterable[str]:
    rng = random.Random(seed)
    return (random_hand(rng, rng.randint(2, 20), DECK) for _ in range(count))


# RLCard: nothing is left out.


def test_rlcard_leads() -> None:
    for hand in random_hands(1, LEADS):
        assert our_leads(hand, rules.RLCARD) == rlcard_leads(hand), hand


def test_rlcard_responses() -> None:
    for hand, over in random_responses(2, RESPONSES, rules.RLCARD, 20):
        ours = our_follows(hand, rules.RLCARD, over)
        assert ours == rlcard_follows(hand, over), (hand, str(over))


# OpenSpiel.


def openspiel_omits(hand: str, combo: Combo) -> bool:
    """Whether OpenSpiel leaves this reading out: a bare chain from a rank held four times."""
    bare = combo.kind in ("straight", "pair_chain", "airplane")
    return bare and hand.count(str(combo.body)[0]) == 4


def ours_as_openspiel(hand: str, over: Combo | None, left_out: LeftOut) -> set[str]:
    """What we let a hand play, less what OpenSpiel leaves out and with the bombs it adds."""
    expected = {PASS} if over else set()
    for combo in legal_plays(hand, rules.OPENSPIEL, over):
        readings = classify(combo.cards, rules.OPENSPIEL)
        allowed = [r for r in readings if over is None or beats(r.shape, over.shape)]
        left_out.seen += 1
        if all(openspiel_omits(hand, reading) for reading in allowed):
            left_out.left_out += 1
        else:
            expected.add(str(combo.cards))
    if over and over.kind == "rocket":
        expected |= {rank * 4 for rank in set(hand) if hand.count(rank) == 4}
    return expected


def test_openspiel_leads() -> None:
    left_out = LeftOut(name="OpenSpiel's missing chains on lead", most=0.02)
    for hand in random_hands(3, LEADS):
        assert ours_as_openspiel(hand, None, left_out) == openspiel_leads(hand), hand
    left_out.check()


def test_openspiel_responses() -> None:
    left_out = LeftOut(name="OpenSpiel's missing chains in response", most=0.02)
    for hand, over in random_responses(4, RESPONSES, rules.OPENSPIEL, OPENSPIEL_MOST):
        expected = ours_as_openspiel(hand, over, left_out)
        assert expected == openspiel_follows(hand, over), (hand, str(over))
    left_out.check()


def test_openspiel_fault_a_bomb_beats_the_rocket() -> None:
    rocket = combo_of("XD", rules.OPENSPIEL)
    assert openspiel_follows("3888899", rocket) == {PASS, "8888"}
    assert our_follows("3888899", rules.OPENSPIEL, rocket) == {PASS}


def test_openspiel_fault_no_chain_starts_at_a_four() -> None:
    missing = our_leads("3333445566", rules.OPENSPIEL) - openspiel_leads("3333445566")
    # 33 44 55, 33 44 55 66, and no straight of five ranks; 44 55 66 is there.
    assert missing == {"334455", "33445566"}


def test_r3_auctions_end_as_in_openspiel() -> None:
    rng = random.Random(5)
    passed_out = 0
    for _ in range(2000):
        face_up = rng.randrange(51)
        state = openspiel_deal(DECK[:51], face_up)
        auction = Auction(rules.OPENSPIEL, first=face_up % 3)
        while not auction.done:
            assert state.current_player() == auction.to_speak
            assert state.legal_actions() == list(auction.legal_bids)
            # Mostly passes: three in a row, and passes before the first bid, are the cases to see.
            bid = rng.choices(auction.legal_bids, [3] + [1] * (len(auction.legal_bids) - 1))[0]
            state.apply_action(bid)
            auction.bid(bid)
        assert state.is_terminal() == auction.redeal, str(auction)
        passed_out += auction.redeal
        if not auction.redeal:
            # The landlord leads, and has plays to choose from instead of bids.
            assert state.current_player() == auction.landlord
            assert not set(state.legal_actions()) & {0, *OPENSPIEL_BIDS}
    assert passed_out


def shuffled_deal(rng: random.Random, face_up: int) -> tuple[list[str], Deal]:
    """The ranks in the order OpenSpiel deals them, and the same deal as ours."""
    deck = list(DECK)
    rng.shuffle(deck)
    hands = ["".join(deck[seat:51:3]) for seat in range(3)]
    return deck[:51], Deal.from_hands(hands, face_up % 3)


def test_whole_rounds_and_scores_of_openspiel() -> None:
    rng = random.Random(6)
    left_out = LeftOut(name="OpenSpiel's missing chains in rounds", most=0.01)
    springs = passed_out = 0
    for _ in range(ROUNDS):
        face_up = rng.randrange(51)
        dealt, deal = shuffled_deal(rng, face_up)
        # Among random players springs are rare: in half of the rounds the landlord (True), or the
        # peasants (False), pass whenever they may.
        silent = rng.choice([(), (), (True,), (False,)])
        state, ours = openspiel_deal(dealt, face_up), Round(deal, rules.OPENSPIEL)
        while ours.phase == "auction":
            bid = rng.choice(ours.auctions[-1].legal_bids)
            state.apply_action(bid)
            ours.bid(bid)
        while (seat := ours.to_act) is not None:
            assert state.current_player() == seat
            hand, over = str(ours.hands[seat]), ours.over
            assert ours_as_openspiel(hand, over, left_out) == openspiel_sets(state), (
                hand,
                str(over),
            )
            # A bomb over the rocket is OpenSpiel's fault alone.
            must_pass = over and (over.kind == "rocket" or (seat == ours.landlord) in silent)
            action = 0 if must_pass else rng.choice(state.legal_actions())
            state.apply_action(action)
            ours.play(openspiel_plays()[action] if action else None)
        assert state.is_terminal()
        assert tuple(state.returns()) == ours.scores, (
            ours.result,
            [str(turn) for turn in ours.turns],
        )
        passed_out += ours.landlord is None
        springs += ours.result is not None and (ours.result.spring or ours.result.anti_spring)
    print(f"{ROUNDS} rounds, {passed_out} passed out, {springs} springs of either kind")
    left_out.check()


# DouZero.


def douzero_misreads(over: Combo) -> bool:
    """Whether DouZero misreads a play: an airplane with three or four kickers of one rank."""
    return over.kind == "airplane_singles" and max(over.kickers.counts) >= 3


def douzero_misranks(cards: str, over: Combo) -> bool:
    """Whether DouZero may rank an answer wrongly: it goes by the highest trio, kickers or not."""
    trios = Hand.parse(cards).counts.count(3) if cards != PASS else 0
    return over.kind == "airplane_singles" and trios > over.length


def test_douzero_leads() -> None:
    for hand in random_hands(7, LEADS):
        assert our_leads(hand, rules.DOUZERO) == douzero_leads(hand), hand


def test_douzero_responses() -> None:
    misread = LeftOut(name="DouZero's misread plays", most=0.01)
    misranked = LeftOut(name="DouZero's misranked answers", most=0.01)
    for hand, over in random_responses(8, RESPONSES, rules.DOUZERO, 20):
        misread.seen += 1
        if douzero_misreads(over):
            misread.left_out += 1
            continue
        ours, theirs = our_follows(hand, rules.DOUZERO, over), douzero_follows(hand, over)
        doubtful = {cards for cards in ours | theirs if douzero_misranks(cards, over)}
        misranked.seen += len(ours | theirs)
        misranked.left_out += len(doubtful)
        assert ours - doubtful == theirs - doubtful, (hand, str(over))
    misread.check()
    misranked.check()


def test_douzero_fault_an_airplane_ranks_by_a_trio_among_its_kickers() -> None:
    over = combo_of("444555666+789", rules.DOUZERO)
    # 333444555 is lower than 444555666; DouZero goes by the kings.
    assert "333444555KKK" in douzero_follows("333444555KKK", over)
    assert our_follows("333444555KKK", rules.DOUZERO, over) == {PASS}


def test_douzero_fault_a_four_of_kickers_is_not_known_once_played() -> None:
    over = combo_of("333444555666+7777", rules.DOUZERO)
    hand = "34568889999TTTJJJ"
    assert douzero_follows(hand, over) == {PASS, "9999"}
    assert "3456888999TTTJJJ" in our_follows(hand, rules.DOUZERO, over)


def test_douzero_fault_a_four_and_a_single_is_taken_for_a_trio_and_a_pair() -> None:
    assert douzero_kind("33334") == douzero_kind("33344")
    assert classify("33334", rules.DOUZERO) == ()


def test_douzero_fault_plays_are_listed_twice() -> None:
    listed = douzero_list("3334446678")
    assert len(listed) > len(set(listed))
