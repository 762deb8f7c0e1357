"""Compile the kernels of a run before its workers start: they load them from the disk cache."""

from __future__ import annotations

from dataclasses import replace

from ddzsim.core.cache import is_compiled, mark_compiled
from ddzsim.core.jit import COMPILED
from ddzsim.engine.config import RunConfig
from ddzsim.engine.parts import play_part


def kernels_of(config: RunConfig) -> str:
    """What names the kernels of a run: its bots; rules are arguments to the same kernels."""
    bots = ",".join(sorted({seat.bot.name for seat in config.seats}))
    return f"sessions {bots}" if config.session else bots


def is_warm(config: RunConfig) -> bool:
    """Whether the kernels of a run are in the disk cache."""
    return is_compiled(kernels_of(config))


def warm_up(config: RunConfig) -> None:
    """Play one round in this process, which compiles what is not in the cache."""
    if not COMPILED:
        return
    play_part(replace(config, games=config.group), 0)
    mark_compiled(kernels_of(config))
