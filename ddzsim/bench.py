"""How fast a bot plays, and a signature of how it plays."""

from __future__ import annotations

import hashlib
import statistics
import time

import numpy as np

from ddzsim.engine.config import PART_ROUNDS, RunConfig
from ddzsim.engine.parts import play_part

SEED = 1
SIGNED_DEALS = 200
TRIAL_ROUNDS = 50
SAMPLE_SECONDS = 0.5
"""About how long each measurement takes."""
SAMPLES = 5

CHOICES = ("round", "seat", "cards", "kind", "length", "rank")


def measure(bot: str) -> float:
    """Rounds that a bot plays against itself in a CPU second, in this process; the median of five.

    Raises:
        SeatError: there is no such bot.
    """
    _speed(bot, 1)  # compiles or loads the kernels
    speed = _speed(bot, TRIAL_ROUNDS)
    rounds = max(1, min(PART_ROUNDS, int(speed * SAMPLE_SECONDS)))
    return statistics.median(_speed(bot, rounds) for _ in range(SAMPLES))


def signature(bot: str) -> str:
    """A short hash of what a bot plays against itself on fixed deals, each seat landlord in turn.

    It changes when the bot's choices change, and only then: not with the machine or its bidding.

    Raises:
        SeatError: there is no such bot.
    """
    config = RunConfig(
        seed=SEED, games=SIGNED_DEALS, bots=bot, log="plays", force_landlord="rotate"
    )
    turns = play_part(config, 0).plays
    digest = hashlib.sha256()
    for name in CHOICES:
        digest.update(np.ascontiguousarray(turns[name], "<i8").tobytes())
    return digest.hexdigest()[:12]


def _speed(bot: str, rounds: int) -> float:
    """Rounds a CPU second, measured once."""
    config = RunConfig(seed=SEED, games=rounds, bots=bot)
    start = time.process_time()
    play_part(config, 0)
    return rounds / max(time.process_time() - start, 1e-9)
