"""Compile the kernels of a run before its workers start, so that they load them from the disk cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ddzsim.core.jit import CACHE_FOLDER, COMPILED
from ddzsim.engine.config import RunConfig
from ddzsim.engine.parts import play_part


def _stamp(config: RunConfig) -> Path:
    """The file that says that all kernels of these bots are in the cache."""
    names = ",".join(sorted({seat.bot.name for seat in config.seats}))
    return CACHE_FOLDER / f"warm-{hashlib.sha256(names.encode()).hexdigest()[:12]}"


def is_warm(config: RunConfig) -> bool:
    """Whether the kernels of a run are in the disk cache, so that starting takes no compiling."""
    return not COMPILED or _stamp(config).exists()


def warm_up(config: RunConfig) -> None:
    """Play one round in this process, which compiles what is not in the cache."""
    if not COMPILED:
        return
    play_part(replace(config, games=1), 0)
    stamp = _stamp(config)
    try:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    except OSError:
        # A cache that cannot be written only costs the next start its time.
        return
