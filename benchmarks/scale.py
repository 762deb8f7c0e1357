"""Whole runs: rounds a second, the gain of workers, memory, and what is not spent on playing.

Every run is a `ddzsim run` of its own, files and all. Peaks are of resident memory, from /proc.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from shell import peak_memory

from ddzsim.bots.seats import BOTS
from ddzsim.engine.config import RunConfig
from ddzsim.engine.parts import play_part

SAMPLE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Course:
    """What a command took."""

    seconds: float
    cpu: float
    parent_peak: int
    """Bytes of the command's own process."""
    worker_peak: int
    """Bytes of the largest process it started; 0 if none."""


def course_of(*words: str | int | Path) -> Course:
    """Run a command of ddzsim to its end."""
    command = [sys.executable, "-m", "ddzsim", *map(str, words)]
    start, parent_peak, worker_peak, cpu = time.monotonic(), 0, 0, 0.0
    before = psutil.Process().cpu_times()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        parent = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                parent_peak = max(parent_peak, peak_memory(process.pid))
                for child in parent.children():
                    worker_peak = max(worker_peak, peak_memory(child.pid))
            except (OSError, psutil.Error):
                pass
            time.sleep(SAMPLE_SECONDS)
    seconds = time.monotonic() - start
    after = psutil.Process().cpu_times()
    cpu = sum(getattr(after, name) - getattr(before, name) for name in CHILDREN)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return Course(seconds, cpu, parent_peak, worker_peak)


CHILDREN = ("children_user", "children_system")


def kernel_seconds(config: RunConfig, parts: int) -> float:
    """CPU seconds that a round takes in the kernels."""
    play_part(config, 0)
    start = time.process_time()
    for part in range(parts):
        play_part(config, part)
    return (time.process_time() - start) / (parts * config.part_rounds)


def main() -> None:
    """Print a table for each level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("levels", nargs="*", default=["normal"], choices=[*BOTS])
    parser.add_argument("--games", type=int, nargs="+", default=[10**4, 10**5, 10**6])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    given = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="ddzsim-scale-"))
    print("level   games       workers  seconds  rounds/s   CPU us/round  in kernels  peak parent")
    try:
        for level in given.levels:
            for games in given.games:
                report(level, games, given.workers, place)
    finally:
        shutil.rmtree(place)


def report(level: str, games: int, workers: list[int], place: Path) -> None:
    """Run a level with each number of workers, and read the run back."""
    config = RunConfig(seed=1, games=games, bots=level)
    kernel = kernel_seconds(config, min(config.parts, 10))
    for count in workers:
        course = course_of(
            "run", "-n", games, "-s", 1, "--bots", level, "-j", count, "-o", place / "run"
        )
        print(
            f"{level:<7} {games:<11,} {count:<8} {course.seconds:<8.1f} "
            f"{games / course.seconds:<10,.0f} {1e6 * course.cpu / games:<13.2f} "
            f"{100 * kernel * games / course.cpu:<10.0f}% "
            f"{course.parent_peak / 1e6:.0f} MB, worker {course.worker_peak / 1e6:.0f} MB",
            flush=True,
        )
        if count == workers[-1]:
            read = course_of("summary", place / "run", "--memory-limit", "500MB")
            print(
                f"{level:<7} {games:<11,} summary  {read.seconds:<8.1f} "
                f"{games / read.seconds:<10,.0f} {1e6 * read.cpu / games:<13.2f} "
                f"{'':<11} {read.parent_peak / 1e6:.0f} MB",
                flush=True,
            )
        shutil.rmtree(place / "run")


if __name__ == "__main__":
    main()
