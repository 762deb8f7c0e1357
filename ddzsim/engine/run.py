"""A run from its configuration to its directory: plan, play the parts that are missing, tally."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import missing_parts, read_manifest, write_manifest
from ddzsim.engine.executors import processes, serial, worker_count
from ddzsim.engine.parts import write_played_part
from ddzsim.engine.warm import warm_up
from ddzsim.errors import RunError
from ddzsim.stats import Tally

Progress = Callable[[int], Any]
"""Called with the number of rounds that have just been finished."""

BYTES_A_ROUND = 62
BYTES_A_TURN = 9
TURNS_A_ROUND = 40
"""What the logs come to, measured on rounds of `normal` bots; for the plan only."""

LIBRARIES = ("numba", "numpy", "pyarrow")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a run is carried out: nothing here changes its result."""

    workers: int = 0
    resume: bool = False
    overwrite: bool = False
    note: str = ""
    sources: tuple[tuple[str, str], ...] = ()
    """Where each value came from: flag, environment, file or default."""
    command: Sequence[str] = ()


def expected_bytes(config: RunConfig) -> int:
    """About how large the run directory will be."""
    turns = BYTES_A_TURN * TURNS_A_ROUND if config.log == "plays" else 0
    return config.games * (BYTES_A_ROUND + turns)


def default_folder(config: RunConfig) -> Path:
    """Where a run goes when no place is named."""
    return Path("runs") / config.run_id


def prepare(folder: Path, config: RunConfig, options: Options) -> list[int]:
    """Make the run directory, or take up the one that is there; the parts still to be played.

    Raises:
        RunError: the directory exists and neither resuming nor overwriting was asked for, it holds another
            run, or it cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file: name a directory")
    occupied = folder.is_dir() and any(folder.iterdir())
    if occupied and options.overwrite:
        _clear(folder)
        occupied = False
    if occupied and not options.resume:
        raise RunError(f"{folder} exists: --resume to finish it, --overwrite to replace it, or another --out")
    if occupied:
        there = read_manifest(folder).get("run_id")
        if there != config.run_id:
            raise RunError(f"{folder} holds run {there}, this is run {config.run_id}: another --out")
        return missing_parts(folder, config)
    write_manifest(folder, config.manifest() | _provenance(options))
    return list(range(config.parts))


def play(folder: Path, config: RunConfig, parts: Sequence[int], workers: int, progress: Progress) -> Tally:
    """Play parts of a run and write them to its directory; the tally of those parts.

    Raises:
        RunError: a part cannot be written, or a worker died.
    """
    task = partial(write_played_part, config, folder=folder)
    workers = min(worker_count(workers), len(parts))
    if workers > 1:
        warm_up(config)
    finished = processes(task, parts, workers) if workers > 1 else serial(task, parts)
    tally = Tally()
    for part, result in finished:
        tally += result
        progress(config.part_range(part)[1])
    return tally


def run(
    folder: Path, config: RunConfig, options: Options | None = None, progress: Progress = lambda rounds: None
) -> Tally:
    """Play a run into a directory, or what is missing of it; the tally of the rounds played now.

    Raises:
        RunError: see `prepare` and `play`.
    """
    options = options or Options()
    parts = prepare(folder, config, options)
    return play(folder, config, parts, options.workers, progress)


def _clear(folder: Path) -> None:
    """Remove an old run; only what a run writes, so that a slip of the hand does not empty a home."""
    if not (folder / "run.json").exists():
        raise RunError(f"{folder} is not empty and is no run directory: it is not overwritten")
    for table in ("rounds", "plays"):
        shutil.rmtree(folder / table, ignore_errors=True)
    (folder / "run.json").unlink()


def _provenance(options: Options) -> dict[str, Any]:
    """What `run.json` says of where and how the run was made."""
    return {
        "note": options.note,
        "command": list(options.command),
        "sources": dict(options.sources),
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in LIBRARIES},
        "machine": {"system": platform.system(), "cpu": platform.machine(), "cores": os.cpu_count()},
        "byteorder": sys.byteorder,
    }
