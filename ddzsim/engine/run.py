"""A run from its configuration to its directory: plan, play the parts that are missing, tally."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from ddzsim.engine.cluster import local_workers, on_cluster
from ddzsim.engine.config import RunConfig
from ddzsim.engine.dataset import (
    MANIFEST,
    PART_NAME,
    Run,
    missing_parts,
    read_manifest,
    write_manifest,
)
from ddzsim.engine.executors import processes, serial, worker_count
from ddzsim.engine.locks import is_lock, locked
from ddzsim.engine.parts import write_played_part
from ddzsim.engine.stores import ASIDE, Place, Store, store_at
from ddzsim.engine.versions import libraries
from ddzsim.engine.warm import is_warm, warm_up
from ddzsim.errors import ConfigError, RunError
from ddzsim.schema import TABLES
from ddzsim.stats import Tally

Progress = Callable[[int], Any]
"""Called with the number of rounds, or sessions, that have just been finished."""

BYTES_A_ROUND = 33
BYTES_OF_ITS_TURNS = 78
"""What the logs come to, measured on 20,000 rounds of `normal` bots; for the plan only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a run is carried out: nothing here changes its result."""

    workers: int = 0
    dask: str = ""
    """The Dask cluster that plays: its scheduler, or `local:` and a number; empty: workers."""
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
        if self.dask:
            local_workers(self.dask)

    @property
    def plays_here(self) -> bool:
        """Whether this machine plays, so that kernels are compiled once before workers start."""
        return not self.dask or local_workers(self.dask) is not None


def expected_bytes(config: RunConfig) -> int:
    """About how large the run directory will be."""
    turns = BYTES_OF_ITS_TURNS if config.log == "plays" else 0
    return config.most_rounds * (BYTES_A_ROUND + turns)


def default_place(config: RunConfig) -> str:
    """Where a run goes when no place is named."""
    return f"runs/{config.run_id}"


def parts_to_play(store: Store, config: RunConfig, options: Options) -> list[int]:
    """The parts still to be played into a run directory; writes nothing.

    Raises:
        RunError: the directory exists and neither resuming nor overwriting was asked for, or it
            holds another run.
    """
    return _missing(store, config, resumed=_check_place(store, config, options))


@contextmanager
def taken_up(store: Store, config: RunConfig, options: Options) -> Iterator[list[int]]:
    """Make a run directory, or take up the one that is there, as its only writer.

    Gives the parts still to be played.

    Raises:
        RunError: see `parts_to_play`; or another process plays into it, or it cannot be written.
    """
    # Once before anything is written, and once more as the only one who writes.
    _check_place(store, config, options)
    with locked(store):
        resumed = _check_place(store, config, options)
        _clear(store, only_leftovers=resumed)
        if not resumed:
            write_manifest(store, config.manifest() | _provenance(options))
        yield _missing(store, config, resumed)


def play(
    store: Store,
    config: RunConfig,
    parts: Sequence[int],
    options: Options,
    progress: Progress = lambda rounds: None,
) -> Tally:
    """Play parts of a run and write them to its directory; the tally of those parts.

    `progress` may raise to stop: the parts in flight are finished and written first.

    Raises:
        RunError: a part cannot be written, or a worker died.
    """
    tally = Tally()
    with closing(_played(store, config, parts, options)) as finished:
        for part, result in finished:
            tally += result
            progress(config.part_range(part)[1])
    # What a worker that was killed meanwhile has left; others have played its parts.
    _clear(store, only_leftovers=True)
    return tally


def _played(
    store: Store, config: RunConfig, parts: Sequence[int], options: Options
) -> Generator[tuple[int, Tally], None, None]:
    """Play parts where the options say; each part's number and tally as it is done."""
    task = partial(write_played_part, config, place=store.everywhere)
    workers = min(worker_count(options.workers), len(parts))
    if workers <= 1 and not options.dask:
        return serial(task, parts)
    if options.plays_here and not is_warm(config):
        warm_up(config)
    if options.dask:
        return on_cluster(task, parts, options.dask)
    return processes(task, parts, workers)


def tally_on_disk(store: Store, config: RunConfig, without: Sequence[int] = ()) -> Tally:
    """The tally of the parts that a run directory holds, except those named.

    Raises:
        RunError: a part does not read.
    """
    return Run(store, config, {}).tally(set(range(config.parts)) - set(without))


def games_on_disk(store: Store, config: RunConfig) -> int:
    """How many rounds, or sessions, of a run are in its directory."""
    return config.games - sum(config.part_range(part)[1] for part in missing_parts(store, config))


def run(
    place: Place,
    config: RunConfig,
    options: Options | None = None,
    progress: Progress = lambda rounds: None,
) -> Tally:
    """Play a run into a directory, or what is missing of it; the tally of the whole run.

    Raises:
        RunError: see `taken_up` and `play`.
    """
    options = options or Options()
    store = store_at(place)
    with taken_up(store, config, options) as parts:
        before = tally_on_disk(store, config, without=parts)
        return before + play(store, config, parts, options, progress)


def _missing(store: Store, config: RunConfig, resumed: bool) -> list[int]:
    """The parts that a run still lacks; all of them where none is taken up."""
    return missing_parts(store, config) if resumed else list(range(config.parts))


def _check_place(store: Store, config: RunConfig, options: Options) -> bool:
    """Whether a run is taken up that is there; refuse a directory that is not for this run."""
    entries = [name for name in store.entries() if not is_lock(name)]
    if not entries:
        return False
    if options.overwrite:
        # Only what a run writes is ever removed, so that a slip of the hand does not empty a home.
        if MANIFEST not in entries:
            raise RunError(f"{store} is not empty and is no run directory: it is not overwritten")
        # One that is no file could not be replaced either, and its parts would be gone by then.
        store.read(MANIFEST)
        return False
    if not options.resume:
        raise RunError(
            f"{store} exists: --resume to finish it, --overwrite to replace it, or another --out"
        )
    _check_same_run(store, config)
    return True


def _check_same_run(store: Store, config: RunConfig) -> None:
    """Refuse to go on with a run that is not this one."""
    there = read_manifest(store)
    if there.get("run_id") == config.run_id:
        return
    held = there.get("bots")
    bots = [bot for bot in held if isinstance(bot, dict)] if isinstance(held, list) else []
    for mine, old in zip(config.manifest()["bots"], bots, strict=False):
        if old.get("seat") == mine["seat"] and old.get("version") != mine["version"]:
            raise RunError(
                f"{store} was played by {mine['bot']} version {old.get('version')}, "
                f"this ddzsim has version {mine['version']}: another --out"
            )
    raise RunError(
        f"{store} holds run {there.get('run_id')}, this is run {config.run_id}: another --out"
    )


def _clear(store: Store, only_leftovers: bool) -> None:
    """Remove the unfinished files that a killed run has left, or all parts of a run.

    The manifest stays until the new one replaces it, so that a run directory never stops being one.
    """
    for table in TABLES:
        for found in store.found(table):
            name = found.name.removeprefix(f"{table}/")
            if PART_NAME.fullmatch(name) and (name.startswith(ASIDE) or not only_leftovers):
                store.remove(found.name)


def _provenance(options: Options) -> dict[str, Any]:
    """What `run.json` says of where and how the run was made."""
    return {
        "note": options.note,
        "command": list(options.command),
        "sources": dict(options.sources),
        "python": platform.python_version(),
        "libraries": libraries(),
        "machine": {
            "system": platform.system(),
            "cpu": platform.machine(),
            "cores": os.cpu_count(),
        },
        "byteorder": sys.byteorder,
    }
