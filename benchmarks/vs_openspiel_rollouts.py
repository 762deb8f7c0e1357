"""Random rounds per CPU second: our compiled loop against OpenSpiel's random rollouts in C++.

OpenSpiel's fastest way has no Python call of its own: its MCTS bot is asked for one step of 4
simulations with 250 rollouts each, from just after the auction: 1,000 times the play of one deal.
Ours are measured twice: dealt and played out, and as a run plays them, rated and settled as well.
"""

from __future__ import annotations

import argparse
import itertools
import random
from dataclasses import replace

import pyspiel
from pairs import Slice, compare, header, pin_to_one_core

from ddzsim.bots.base import compiled
from ddzsim.bots.random import RANDOM
from ddzsim.core.dealing import deal_key, round_deal, seat_stream_key
from ddzsim.core.jit import U, kernel
from ddzsim.core.loop import BOTS, Room, new_room, play_out
from ddzsim.core.play import begin
from ddzsim.engine.config import RunConfig
from ddzsim.engine.parts import play_part
from ddzsim.rules import OPENSPIEL, Params

SIMULATIONS, ROLLOUTS = 4, 250
OUR_ROUNDS = 10_000
"""Rounds of ours between two looks at the clock."""
NEEDED = 3.0
FIRST_CARD = 51
"""OpenSpiel's action that deals the first card; those below choose the card that lies face up."""
BID_3 = 3


@kernel
def deal_and_play(seed: int, first: int, count: int, bots: BOTS, room: Room, rules: Params) -> None:
    """Deal some rounds of a seed and play them out with seat 0 as landlord."""
    hands = room.table.hidden["hands"]
    for number in range(first, first + count):
        key = deal_key(hands, round_deal(U(seed), number, room.deck, hands))
        for seat in range(rules.players):
            room.streams[seat, 0] = seat_stream_key(key, seat)
        begin(room.table, 0, 1, 1, rules)
        play_out(room, bots, rules)


def our_plays(seed: int) -> Slice:
    """Rounds of three random bots, dealt and played out."""
    room, bots = new_room(), (compiled(RANDOM),) * 3
    starts = itertools.count(0, OUR_ROUNDS)

    def play() -> int:
        deal_and_play(seed, next(starts), OUR_ROUNDS, bots, room, OPENSPIEL.params)
        return OUR_ROUNDS

    return play


def our_rounds(seed: int) -> Slice:
    """Rounds of three random bots as a run plays them, the rows kept in memory."""
    config = RunConfig(
        seed=seed, games=OUR_ROUNDS, bots="random", rules="openspiel", force_landlord="0"
    )
    starts = itertools.count(0, OUR_ROUNDS)

    def play() -> int:
        rows = play_part(replace(config, first=next(starts)), 0).rounds
        return len(rows)

    return play


def their_rounds(seed: int) -> Slice:
    """Rollouts of OpenSpiel from a deal in which the first seat bids 3."""
    game = pyspiel.load_game("dou_dizhu")
    evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, seed)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, SIMULATIONS, 100, False, seed, False)
    rng = random.Random(seed)

    def play() -> int:
        state = game.new_initial_state()
        state.apply_action(0)
        for card in rng.sample(range(54), 51):
            state.apply_action(FIRST_CARD + card)
        state.apply_action(BID_3)
        bot.step(state)
        return SIMULATIONS * ROLLOUTS

    return play


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="of a slice")
    parser.add_argument("--pairs", type=int, default=5, help="pairs of slices")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    pin_to_one_core()
    theirs = their_rounds(options.seed)
    print(header("rounds of three random", "OpenSpiel C++"))
    for name, ours, needed in (
        ("dealt and played out", our_plays, NEEDED),
        ("as in a run", our_rounds, None),
    ):
        result = compare(ours(options.seed), theirs, pairs=options.pairs, seconds=options.seconds)
        print(result.line(name, needed), flush=True)


if __name__ == "__main__":
    main()
