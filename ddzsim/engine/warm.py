"""Compile the kernels of a run before its workers start: they load them from the disk cache."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import replace
from pathlib import Path

import llvmlite.binding  # type: ignore[import-untyped]
import numba

from ddzsim.core.jit import CACHE_FOLDER, COMPILED
from ddzsim.engine.config import RunConfig
from ddzsim.engine.parts import play_part


def kernels_of(config: RunConfig) -> str:
    """What names the kernels of a run: its bots; rules are arguments to the same kernels."""
    return ",".join(sorted({seat.bot.name for seat in config.seats}))


def is_compiled(name: str) -> bool:
    """Whether these kernels are in the disk cache, so that starting takes no compiling."""
    return not COMPILED or _stamp(name).exists()


def mark_compiled(name: str) -> None:
    """Record that these kernels are in the disk cache."""
    if not COMPILED:
        return
    stamp = _stamp(name)
    try:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    except OSError:
        # A cache that cannot be written only costs the next start its time.
        return


def is_warm(config: RunConfig) -> bool:
    """Whether the kernels of a run are in the disk cache."""
    return is_compiled(kernels_of(config))


def warm_up(config: RunConfig) -> None:
    """Play one round in this process, which compiles what is not in the cache."""
    if not COMPILED:
        return
    play_part(replace(config, games=1), 0)
    mark_compiled(kernels_of(config))


def _stamp(name: str) -> Path:
    """The file that says that these kernels are in the cache, compiled for this very machine."""
    machine = (llvmlite.binding.get_host_cpu_name(), numba.__version__, platform.python_version())
    digest = hashlib.sha256("/".join((name, *machine)).encode()).hexdigest()
    return CACHE_FOLDER / f"warm-{digest[:12]}"
