"""OpenSpiel, RLCard and DouZero, asked in our notation: what may this hand play?

Each answer is a set of card sets as our text, sorted by rank, with `PASS` where the peer lets a
seat pass. Only RLCard has a call that takes a hand, and only for leads: elsewhere a state is set up
in which the seat to play holds just the hand that is asked about.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

from ddzsim.cards import RANKS, Hand
from ddzsim.combos import Combo, legal_plays
from ddzsim.rules import RuleSet

pyspiel = pytest.importorskip("pyspiel")
rlcard_base = pytest.importorskip("rlcard.games.base")
rlcard_judger = pytest.importorskip("rlcard.games.doudizhu.judger")
rlcard_utils = pytest.importorskip("rlcard.games.doudizhu.utils")
douzero_detector = pytest.importorskip("douzero.env.move_detector")
douzero_game = pytest.importorskip("douzero.env.game")

PASS = "pass"
DECK = "".join(rank * 4 for rank in RANKS[:13]) + RANKS[13:]

# OpenSpiel: a state is a history of actions, all numbers.

OPENSPIEL = pyspiel.load_game("dou_dizhu")
OPENSPIEL_PASS = 0
OPENSPIEL_BIDS = range(1, 4)
OPENSPIEL_FIRST_CARD = 51
"""Actions below say at which place of the deal the face-up card lies."""


def openspiel_deal(dealt: Sequence[str], face_up: int = 0) -> Any:
    """A state in which the auction begins, with 51 ranks dealt in turn to seats 0, 1 and 2."""
    state = OPENSPIEL.new_initial_state()
    state.apply_action(face_up)
    copies = dict.fromkeys(RANKS, 0)
    for rank in dealt:
        position = RANKS.index(rank)
        card = 52 + position - 13 if position >= 13 else 13 * copies[rank] + position
        copies[rank] += 1
        state.apply_action(OPENSPIEL_FIRST_CARD + card)
    return state


def openspiel_text(action: str) -> str:
    """OpenSpiel's name of an action as our text; an airplane's body stands before its kickers."""
    named = action.replace("(BWJ)", "X").replace("(CJ)", "D")
    return "+".join(str(Hand.parse(part)) for part in named.split("-"))


@cache
def openspiel_plays() -> dict[int, str]:
    """Every play of OpenSpiel by its action, as our text with its body named."""
    state = openspiel_deal(DECK[:51])
    state.apply_action(OPENSPIEL_BIDS[-1])
    actions = range(OPENSPIEL_BIDS.stop, OPENSPIEL.num_distinct_actions())
    return {action: openspiel_text(state.action_to_string(0, action)) for action in actions}


@cache
def openspiel_action(play: str) -> int:
    """The action of a play that is named as `openspiel_plays` names it."""
    return {text: action for action, text in openspiel_plays().items()}[play]


def openspiel_name(combo: Combo) -> str:
    """A combination as `openspiel_plays` names it."""
    if combo.kind in ("airplane_singles", "airplane_pairs"):
        return f"{combo.body}+{combo.kickers}"
    return str(combo.cards)


def openspiel_sets(state: Any) -> set[str]:
    """What the seat to play may play in a state."""
    plays = openspiel_plays()
    return {
        PASS if action == OPENSPIEL_PASS else str(Hand.parse(plays[action]))
        for action in state.legal_actions()
    }


def _openspiel_landlord(hand: str, second: str, third: str) -> Any:
    """A state in which seat 0 leads as landlord; the last three cards of its hand are the kitty."""
    dealt = [rank for trio in zip(hand[:17], second, third, strict=True) for rank in trio]
    state = openspiel_deal(dealt)
    state.apply_action(OPENSPIEL_BIDS[-1])
    return state


def _apply_plays(state: Any, plays: Sequence[str]) -> None:
    for play in plays:
        state.apply_action(OPENSPIEL_PASS if play == PASS else openspiel_action(play))


def _less(cards: str, taken: str) -> str:
    return str(Hand.parse(cards) - Hand.parse(taken))


def openspiel_lead_state(hand: str) -> Any:
    """A state in which the landlord leads, having shed the cards beyond the hand one by one."""
    rest = _less(DECK, hand)
    shed, others = rest[: 20 - len(hand)], rest[20 - len(hand) :]
    state = _openspiel_landlord(hand + shed, others[:17], others[17:])
    for card in shed:
        _apply_plays(state, (card, PASS, PASS))
    return state


def openspiel_leads(hand: str) -> set[str]:
    """What OpenSpiel lets a hand lead."""
    return openspiel_sets(openspiel_lead_state(hand))


def openspiel_follows(hand: str, over: Combo) -> set[str]:
    """What the landlord may play over a play of seat 2; the hand of 19 cards, `over` of 15 at most.

    The landlord sheds what is not in the hand, then leads the lowest card left for seat 2 to beat
    with the highest, so that seat 2 is the one to lead `over`.
    """
    rest = _less(_less(DECK, hand), str(over.cards))
    low, high, rest = rest[0], rest[-1], rest[1:-1]
    shed, rest = rest[: 19 - len(hand)], rest[19 - len(hand) :]
    second, third = rest[:17], str(over.cards) + high + rest[17:]
    state = _openspiel_landlord(hand + shed + low, second, third)
    for card in shed:
        _apply_plays(state, (card, PASS, PASS))
    _apply_plays(state, (low, PASS, high, PASS, PASS, openspiel_name(over)))
    return openspiel_sets(state)


# RLCard: B and R are its jokers; hands and plays must be sorted by rank.

TO_RLCARD, FROM_RLCARD = str.maketrans("XD", "BR"), str.maketrans("BR", "XD")


def rlcard_leads(hand: str) -> set[str]:
    """What RLCard's judge lets a hand lead."""
    plays = rlcard_judger.DoudizhuJudger.playable_cards_from_hand(
        str(Hand.parse(hand)).translate(TO_RLCARD)
    )
    return {play.translate(FROM_RLCARD) for play in plays}


def rlcard_follows(hand: str, over: Combo) -> set[str]:
    """What RLCard lets a hand play over another player's play."""
    names = str(Hand.parse(hand)).translate(TO_RLCARD)
    card = rlcard_base.Card
    cards = [card(name + "J", "") if name in "BR" else card("S", name) for name in names]
    follower = SimpleNamespace(current_hand=cards)
    leader = SimpleNamespace(played_cards=str(over.cards).translate(TO_RLCARD))
    return {play.translate(FROM_RLCARD) for play in rlcard_utils.get_gt_cards(follower, leader)}


# DouZero: a card is a number, with gaps before the 2 and the jokers, so that no chain holds them.

DOUZERO = dict(zip(RANKS, (*range(3, 15), 17, 20, 30), strict=True))
FROM_DOUZERO = {number: rank for rank, number in DOUZERO.items()}


def douzero_list(hand: str, over: str = "") -> list[str]:
    """What DouZero lists for a hand, as it stands there, over another play or as a lead."""
    game = douzero_game.GameEnv(None)
    game.acting_player_position = "landlord"
    game.info_sets["landlord"].player_hand_cards = sorted(DOUZERO[card] for card in hand)
    game.card_play_action_seq = [sorted(DOUZERO[card] for card in over)] if over else []
    listed = game.get_legal_card_play_actions()
    return ["".join(FROM_DOUZERO[card] for card in sorted(play)) or PASS for play in listed]


def douzero_kind(cards: str) -> int:
    """The number of the kind that DouZero takes some cards for, once they are played."""
    kind: int = douzero_detector.get_move_type(sorted(DOUZERO[card] for card in cards))["type"]
    return kind


def douzero_leads(hand: str) -> set[str]:
    """What DouZero lets a hand lead."""
    return set(douzero_list(hand))


def douzero_follows(hand: str, over: Combo) -> set[str]:
    """What DouZero lets a hand play over another."""
    return set(douzero_list(hand, str(over.cards)))


# Hands to ask about.


def random_hand(rng: random.Random, size: int, stock: str) -> str:
    """Some cards of a stock: at random, or, two times in three, rich in trios, fours and chains."""
    if rng.random() < 1 / 3:
        return str(Hand.parse("".join(rng.sample(stock, size))))
    heavy = rng.choice(((0, 1, 6, 3), (2, 6, 1, 0), (6, 2, 2, 0), (1, 1, 5, 5)))
    low = rng.randrange(len(RANKS))
    taken = ""
    # Neighbouring ranks in turn, each with one to four copies: chains of one thickness, mostly.
    for rank in [*RANKS[low:], *RANKS[:low]] * 4:
        held = stock.count(rank) - taken.count(rank)
        if held and rng.random() < 0.8:
            taken += rank * min(held, rng.choices((1, 2, 3, 4), heavy)[0])
    return str(Hand.parse(taken[:size]))


def random_lead(rng: random.Random, hand: str, rules: RuleSet, most: int) -> Combo | None:
    """A lead of a hand, of at most so many cards: all kinds it has, long ones more often."""
    by_kind: dict[str, list[Combo]] = {}
    for combo in legal_plays(hand, rules):
        if len(combo) <= most:
            by_kind.setdefault(combo.kind, []).append(combo)
    if not by_kind:
        return None
    kinds = list(by_kind)
    weights = [max(map(len, by_kind[kind])) ** 2 for kind in kinds]
    return rng.choice(by_kind[rng.choices(kinds, weights)[0]])


def higher_bodies(over: Combo, stock: str) -> list[str]:
    """The bodies of a play moved up by any number of ranks, as far as the stock holds them."""
    low = RANKS.index(str(over.body)[0])
    moved = (
        "".join(RANKS[(RANKS.index(card) + step) % len(RANKS)] for card in over.body)
        for step in range(1, len(RANKS) - low)
    )
    return [body for body in moved if all(stock.count(card) >= body.count(card) for card in body)]


def random_responses(
    seed: int, count: int, rules: RuleSet, most: int
) -> Iterator[tuple[str, Combo]]:
    """Hands of up to 19 cards, each with a play that a hand of the same deck may lead.

    Half of them are given a higher body of the same kind, to have more to answer than a pass, and
    all there is of one rank, to have kickers that are the same.
    """
    rng = random.Random(seed)
    while count:
        over = random_lead(rng, random_hand(rng, rng.randint(2, 20), DECK), rules, most)
        if over is None:
            continue
        count -= 1
        stock = _less(DECK, str(over.cards))
        bodies = higher_bodies(over, stock)
        given = ""
        if bodies and rng.random() < 0.5:
            given = rng.choice(bodies)
            rank = rng.choice(_less(stock, given))
            given += rank * (stock.count(rank) - given.count(rank))
        more = random_hand(rng, rng.randint(2, max(2, 19 - len(given))), _less(stock, given))
        yield str(Hand.parse((given + more)[:19])), over
