"""Nothing is lost: full disks, read-only folders, and runs killed at random moments."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from shell import complaint, done, parts_of, started, workers_of

from ddzsim.core.jit import COMPILED

pytestmark = [
    pytest.mark.skipif(not COMPILED, reason="many rounds take compiled kernels"),
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds workers in /proc"),
]

GAMES = 120_500
RUN = ("run", "--games", GAMES, "--seed", 3, "--bots", "random", "--log", "plays")


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> dict[str, bytes]:
    """The bytes of the run, played without a fault."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    done(*RUN, "-o", folder)
    return parts_of(folder)


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """A file system of its own on a folder, or a reason to skip where that is not allowed."""
    folder.mkdir(exist_ok=True)
    command = ["mount", *options, folder]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"nothing can be mounted here: {error}")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_full_disk_ends_the_run_and_loses_no_finished_part(whole, tmp_path, workers):
    disk = tmp_path / "disk"
    out = disk / "run"
    with mounted(disk, "-t", "tmpfs", "-o", "size=8m", "tmpfs"):
        with started(*RUN, "-j", workers, "-o", out) as process:
            printed, errors = process.communicate(timeout=120)
        assert (process.returncode, printed) == (1, "")
        last = errors.splitlines()[-1]
        assert " cannot be written: No space left on device; " in last
        assert last.endswith(f"rounds are on disk, to go on: ddzsim run --resume --out {out}")
        assert "Traceback" not in errors
        held = parts_of(out)
        assert any(name.startswith("rounds/") for name in held)
        assert held == {name: whole[name] for name in held}
        subprocess.run(["mount", "-o", "remount,size=200m", disk], check=True)
        done("run", "--resume", "-o", out)
        assert parts_of(out) == whole


def test_a_disk_that_is_full_from_the_start_is_one_line(tmp_path):
    disk = tmp_path / "disk"
    with mounted(disk, "-t", "tmpfs", "-o", "size=4k", "tmpfs"):
        (disk / "filler").write_bytes(bytes(4096))
        text = complaint("run", "-n", 10, "-s", 1, "--bots", "random", "-o", disk / "run")
        assert text.endswith(" cannot be written: No space left on device")


def test_a_read_only_folder_is_one_line_and_stays_as_it_was(tmp_path):
    run = ("run", "-n", 20_500, "-s", 3, "--bots", "random")
    done(*run, "-o", tmp_path / "run")
    whole = parts_of(tmp_path / "run")
    (tmp_path / "run" / "rounds" / "part-00001.parquet").unlink()
    before = parts_of(tmp_path / "run")
    with mounted(tmp_path, "--bind", "-o", "ro", str(tmp_path)):
        for words in (
            (*run, "-o", tmp_path / "other"),
            ("run", "--resume", "-o", tmp_path / "run"),
            (*run, "--overwrite", "-o", tmp_path / "run"),
        ):
            assert complaint(*words).endswith(" cannot be written: Read-only file system")
        assert parts_of(tmp_path / "run") == before
        assert "20,500 rounds" in done("summary", tmp_path / "run")
    done("run", "--resume", "-o", tmp_path / "run")
    assert parts_of(tmp_path / "run") == whole


def test_a_folder_that_turns_read_only_loses_no_finished_part(whole, tmp_path):
    disk = tmp_path / "disk"
    out = disk / "run"
    with mounted(disk, "-t", "tmpfs", "tmpfs"):
        with started(*RUN, "-j", 2, "-o", out) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if " %: " in line:
                    break
            remount(disk, "ro")
            errors = process.stderr.read()
            assert process.wait(120) == 1
        last = errors.splitlines()[-1]
        assert " cannot be written: " in last
        assert last.endswith(f"rounds are on disk, to go on: ddzsim run --resume --out {out}")
        remount(disk, "rw")
        held = {name: found for name, found in parts_of(out).items() if "/" in name}
        finished = {name: found for name, found in held.items() if "/." not in name}
        assert finished
        assert finished == {name: whole[name] for name in finished}
        done("run", "--resume", "-o", out)
        assert parts_of(out) == whole


def remount(disk: Path, mode: str) -> None:
    """Let a disk be written or not; busy while a file is open for writing."""
    for _ in range(1000):
        if not subprocess.run(
            ["mount", "-o", f"remount,{mode}", disk], capture_output=True
        ).returncode:
            return
        time.sleep(0.002)
    raise AssertionError(f"{disk} stays as it was")


# The drill: killed at random moments, in the parent or in a worker, and resumed


SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def drill(whole: dict[str, bytes], out: Path, kills: int, seed: int) -> list[str]:
    """Start the run, and end it in the middle, so many times; what was done, and how it ended.

    A run that gets to its end in between has the bytes of one that nobody touched; another begins.
    """
    draw = random.Random(seed)
    story: list[str] = []
    while len(story) < kills:
        number, victim = draw.choice(SIGNALS), draw.choice(("parent", "worker", "all"))
        words = ("run", "--resume", "-o", out) if (out / "run.json").exists() else (*RUN, "-o", out)
        with started(*words, start_new_session=True) as process:
            time.sleep(draw.uniform(0.2, 1.6))
            hit(process, number, victim)
            printed, errors = process.communicate(timeout=120)
        if process.returncode == 0:
            assert "Landlord wins" in printed
            assert parts_of(out) == whole, story
            shutil.rmtree(out)
            continue
        story.append(f"{victim} {number.name}: {process.returncode}")
        check_end(process.returncode, errors, victim)
    return story


def hit(process: subprocess.Popen[str], number: signal.Signals, victim: str) -> None:
    """Send a signal to the parent, to a worker, or to all as a terminal does."""
    with suppress(ProcessLookupError, FileNotFoundError):
        workers = workers_of(process) if victim == "worker" else []
        if workers:
            os.kill(random.choice(workers), number)
        elif victim == "all":
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)


def check_end(code: int, errors: str, victim: str) -> None:
    """A run that is ended says so, with the line to resume, unless it was given no time to."""
    assert "Traceback" not in errors, errors
    if code < 0:
        # Killed, or hit before it listened.
        assert -code in SIGNALS
        return
    assert code in (1, 128 + signal.SIGTERM, 128 + signal.SIGINT), errors
    if code == 1:
        assert victim == "worker", errors
        assert "a worker process died" in errors
    if "Playing" in errors:
        assert "to go on: ddzsim run --resume --out" in errors.splitlines()[-1]


def check_drill(whole: dict[str, bytes], out: Path, kills: int, seed: int) -> None:
    """The drill ends in the bytes of a run that nobody touched."""
    story = drill(whole, out, kills, seed)
    words = ("run", "--resume", "-o", out) if (out / "run.json").exists() else (*RUN, "-o", out)
    done(*words)
    assert parts_of(out) == whole, story
    assert "is sound" in done("verify", out, "--sample", 5)


def test_a_run_that_is_killed_again_and_again_ends_in_the_same_bytes(whole, tmp_path):
    check_drill(whole, tmp_path / "run", kills=6, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_a_drill_of_forty_kills_ends_in_the_same_bytes(whole, tmp_path, seed):
    check_drill(whole, tmp_path / "run", kills=40, seed=seed)
