"""A run from its configuration to its directory: plan, play the parts that are missing, tally."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import MANIFEST, missing_parts, part_path, read_manifest, write_manifest
from ddzsim.engine.executors import processes, serial, worker_count
from ddzsim.engine.parts import write_played_part
from ddzsim.engine.warm import is_warm, warm_up
from ddzsim.errors import ConfigError, RunError
from ddzsim.schema import TABLES
from ddzsim.stats import Tally

Progress = Callable[[int], Any]
"""Called with the number of rounds that have just been finished."""

BYTES_A_ROUND = 42
BYTES_OF_ITS_TURNS = 78
"""What the logs come to, measured on 20,000 rounds of `normal` bots; for the plan only."""

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

    def __post_init__(self) -> None:
        """Check what the options say together."""
        if self.resume and self.overwrite:
            raise ConfigError("--resume and --overwrite: one or the other")


def expected_bytes(config: RunConfig) -> int:
    """About how large the run directory will be."""
    turns = BYTES_OF_ITS_TURNS if config.log == "plays" else 0
    return config.games * (BYTES_A_ROUND + turns)


def default_folder(config: RunConfig) -> Path:
    """Where a run goes when no place is named."""
    return Path("runs") / config.run_id


def parts_to_play(folder: Path, config: RunConfig, options: Options) -> list[int]:
    """The parts still to be played into a directory; writes nothing.

    Raises:
        RunError: the directory exists and neither resuming nor overwriting was asked for, or it
            holds another run.
    """
    if folder.exists() and not folder.is_dir():
        raise RunError(f"{folder} is a file: name a directory")
    if not folder.is_dir() or not any(folder.iterdir()):
        return list(range(config.parts))
    if options.overwrite:
        # Only what a run writes is ever removed, so that a slip of the hand does not empty a home.
        if not (folder / MANIFEST).exists():
            raise RunError(f"{folder} is not empty and is no run directory: it is not overwritten")
        return list(range(config.parts))
    if not options.resume:
        raise RunError(
            f"{folder} exists: --resume to finish it, --overwrite to replace it, or another --out"
        )
    _check_same_run(folder, config)
    return missing_parts(folder, config)


def prepare(folder: Path, config: RunConfig, options: Options) -> list[int]:
    """Make the run directory, or take up the one that is there; the parts still to be played.

    Raises:
        RunError: see `parts_to_play`, or the directory cannot be written.
    """
    parts = parts_to_play(folder, config, options)
    if options.resume and (folder / MANIFEST).exists():
        _remove_leftovers(folder)
        return parts
    if options.overwrite:
        _clear(folder)
    write_manifest(folder, config.manifest() | _provenance(options))
    return parts


def play(
    folder: Path, config: RunConfig, parts: Sequence[int], workers: int, progress: Progress
) -> Tally:
    """Play parts of a run and write them to its directory; the tally of those parts.

    `progress` may raise to stop: the parts in flight are finished and written first.

    Raises:
        RunError: a part cannot be written, or a worker died.
    """
    task = partial(write_played_part, config, folder=folder)
    workers = min(worker_count(workers), len(parts))
    if workers > 1 and not is_warm(config):
        warm_up(config)
    tally = Tally()
    with closing(
        processes(task, parts, workers) if workers > 1 else serial(task, parts)
    ) as finished:
        for part, result in finished:
            tally += result
            progress(config.part_range(part)[1])
    return tally


def tally_on_disk(folder: Path, config: RunConfig, without: Sequence[int] = ()) -> Tally:
    """The tally of the parts that a run directory holds, except those named.

    Raises:
        RunError: a part does not read.
    """
    tally = Tally()
    for part in sorted(set(range(config.parts)) - set(without)):
        path = part_path(folder, "rounds", part)
        try:
            tally += Tally.of(pq.read_table(path))
        except (OSError, pa.ArrowInvalid, KeyError) as error:
            raise RunError(f"{path} does not read: {error}") from None
    return tally


def rounds_on_disk(folder: Path, config: RunConfig) -> int:
    """How many rounds of a run are in its directory."""
    return config.games - sum(config.part_range(part)[1] for part in missing_parts(folder, config))


def run(
    folder: Path,
    config: RunConfig,
    options: Options | None = None,
    progress: Progress = lambda rounds: None,
) -> Tally:
    """Play a run into a directory, or what is missing of it; the tally of the whole run.

    Raises:
        RunError: see `prepare` and `play`.
    """
    options = options or Options()
    parts = prepare(folder, config, options)
    before = tally_on_disk(folder, config, without=parts)
    return before + play(folder, config, parts, options.workers, progress)


def _check_same_run(folder: Path, config: RunConfig) -> None:
    """Refuse to go on with a run that is not this one."""
    there = read_manifest(folder)
    if there.get("run_id") == config.run_id:
        return
    for mine, old in zip(config.manifest()["bots"], there.get("bots") or (), strict=False):
        if old.get("seat") == mine["seat"] and old.get("version") != mine["version"]:
            raise RunError(
                f"{folder} was played by {mine['bot']} version {old.get('version')}, "
                f"this ddzsim has version {mine['version']}: another --out"
            )
    raise RunError(
        f"{folder} holds run {there.get('run_id')}, this is run {config.run_id}: another --out"
    )


def _clear(folder: Path) -> None:
    """Remove an old run, if there is one: its tables and its manifest, nothing else."""
    try:
        for table in TABLES:
            if (folder / table).exists():
                shutil.rmtree(folder / table)
        (folder / MANIFEST).unlink(missing_ok=True)
    except OSError as error:
        raise RunError(f"{folder} cannot be overwritten: {error.strerror or error}") from None


def _remove_leftovers(folder: Path) -> None:
    """Remove the unfinished files that a killed run has left."""
    for table in TABLES:
        for aside in (folder / table).glob(".part-*"):
            aside.unlink(missing_ok=True)


def _provenance(options: Options) -> dict[str, Any]:
    """What `run.json` says of where and how the run was made."""
    return {
        "note": options.note,
        "command": list(options.command),
        "sources": dict(options.sources),
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in LIBRARIES},
        "machine": {
            "system": platform.system(),
            "cpu": platform.machine(),
            "cores": os.cpu_count(),
        },
        "byteorder": sys.byteorder,
    }
